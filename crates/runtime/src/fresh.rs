//! Fresh images beside a session: what an image that was kept says is compared with one that has only the files.
//!
//! A fresh image belongs to a session of its own, which no name reaches. A [`Visit`] to it can change places with a
//! visit to the session that it stands beside: then that session goes on in the fresh image.

use std::sync::Arc;

use crate::call::{Call, Visit};
use crate::request::Request;
use crate::session::{Facts, Session};
use crate::session_error::SessionError;
use crate::sessions::{Sessions, end_image};
use crate::slot::Slot;

/// A fresh image beside a session. It is ended when this is dropped.
pub struct Fresh {
    sessions: Sessions,
    session: Arc<Session>,
}

impl Sessions {
    /// A place for a fresh image beside the session `name`, with the same runtime. It starts with the first request.
    ///
    /// Errors: there is no such session, or its image belongs to somebody else.
    pub fn fresh(&self, name: &str) -> Result<Fresh, SessionError> {
        let beside = self.existing(name)?;
        beside.must_be_ours()?;
        let next_object = beside.facts().next_object;
        let slot = Slot::of(beside.factory.runtime());
        let facts = Facts { next_object, ..Facts::default() };
        let session = Session::new(&beside.name, Arc::clone(&beside.factory), slot, facts);
        Ok(Fresh { sessions: self.clone(), session })
    }
}

impl Fresh {
    /// A call whose requests are made to the fresh image; `request` is the one for which it is made.
    pub fn queue(&self, request: Request) -> Result<Call, SessionError> {
        Call::new(self.sessions.clone(), Arc::clone(&self.session), request)
    }

    /// The name of the session that it stands beside.
    pub fn name(&self) -> &str {
        &self.session.name
    }

    /// Lets other processes go before those of the image, for as long as it lives.
    pub fn give_way(&self) {
        self.session.facts().gives_way = true;
    }

    /// Ends the image.
    pub async fn end(self) {
        end_image(&self.session).await;
    }

    /// Makes the image a session called `name`, if there is room for one and nothing has the name.
    pub async fn keep_as(self, name: &str) -> bool {
        let slot = {
            let mut own = self.session.slot.lock().await;
            std::mem::replace(&mut *own, Slot::of(self.session.factory.runtime()))
        };
        let facts = std::mem::take(&mut *self.session.facts());
        let kept = self.sessions.insert(name, Arc::clone(&self.session.factory), slot, facts);
        match kept {
            Ok(session) => {
                self.sessions.watch_idle(&session);
                true
            }
            Err(mut slot) => {
                slot.leave().await;
                false
            }
        }
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if self.session.facts().image.is_none() {
            return;
        }
        let session = Arc::clone(&self.session);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { end_image(&session).await });
        }
    }
}

impl Visit {
    /// Exchanges the images of the two sessions that are visited, with what is known about them.
    pub fn exchange(&mut self, other: &mut Self) {
        let (Some(turn), Some(others)) = (&mut self.turn, &mut other.turn) else { return };
        std::mem::swap(&mut *turn.slot, &mut *others.slot);
        let (mut own, mut theirs) = (self.ticket.session.facts(), other.ticket.session.facts());
        std::mem::swap(&mut own.image, &mut theirs.image);
        std::mem::swap(&mut own.evaluations, &mut theirs.evaluations);
        std::mem::swap(&mut own.package, &mut theirs.package);
        std::mem::swap(&mut own.held, &mut theirs.held);
        std::mem::swap(&mut own.runs_on, &mut theirs.runs_on);
        std::mem::swap(&mut own.checkpoints, &mut theirs.checkpoints);
        std::mem::swap(&mut own.ended_for, &mut theirs.ended_for);
        let next_object = own.next_object.max(theirs.next_object);
        own.next_object = next_object;
        theirs.next_object = next_object;
    }
}

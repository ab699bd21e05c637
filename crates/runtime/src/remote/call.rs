//! One call of a session whose image is reached through a socket, from the connection to the report.

use std::time::Instant;

use super::{Reached, Remote};
use crate::eval::{Answer, EvalReport};
use crate::request::Request;
use crate::session::{Session, give_way, loss, unless_given_up};
use crate::session_error::SessionError;
use crate::stop::Controls;

impl Session {
    /// Records the session's new server.
    pub(crate) fn set_remote(&self, known: Reached) {
        let mut facts = self.facts();
        if let Some(ours) = known.image.ours.as_ref().filter(|_| facts.gives_way) {
            give_way(ours.pid);
        }
        facts.image = Some(known.image);
        known.notice.into_iter().for_each(|notice| facts.tell(notice));
    }
}

/// Gives a session a server if it has no live one.
pub(crate) async fn ensure_remote(session: &Session, remote: &mut Remote) -> Result<(), SessionError> {
    if let Some((death, words)) = remote.found_dead().await {
        session.count_crash(death.status.clone());
        session.facts().tell(loss(&death, words));
        if session.facts().stopped {
            return Err(session.stopped_error());
        }
    }
    if let Some(known) = remote.ensure(&session.factory.config, &session.factory.household).await? {
        session.set_remote(known);
    }
    Ok(())
}

/// One call to a server, from the connection to the report.
pub(crate) async fn run_remote(
    session: &Session,
    remote: &mut Remote,
    request: &Request,
    controls: &Controls,
) -> Result<EvalReport, SessionError> {
    // A start can take many seconds. It has a notice of its own and does not count as time of the code.
    let limit = request.limit().start;
    let start = tokio::time::timeout(limit, ensure_remote(session, remote));
    let start = async { start.await.unwrap_or(Err(SessionError::Starting(limit))) };
    let ensured = unless_given_up(session, controls, start).await;
    if let Err(SessionError::Withdrawn(_)) = ensured {
        remote.give_up_start();
    }
    ensured?;
    let began = Instant::now();
    let next_object = session.facts().next_object;
    let called = remote.call(request, next_object, &session.factory.config, controls).await;
    let mut answer = match called.answer {
        Ok(answer) => answer,
        Err(lost) => {
            if called.theirs {
                session.facts().forget_image();
            } else {
                session.lost(&lost.death, lost.reason);
            }
            Answer::without_image(lost.ending())
        }
    };
    let mut facts = session.facts();
    facts.package.clone_from(&answer.package);
    facts.held = answer.held;
    facts.runs_on = answer.runs_on;
    facts.next_object = facts.next_object.max(answer.next_object);
    drop(facts);
    answer.tests = answer.tests.or(called.tests);
    let mut report = session.report(answer, (called.stdout, called.stderr), controls, began);
    report.notices.extend(called.notices);
    if request.is_aside() {
        session.facts().notices.append(&mut report.notices);
    }
    Ok(EvalReport { earlier: called.earlier, theirs: called.theirs, ..report })
}

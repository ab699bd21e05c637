//! The door of a connection of lines: the first request shows the token.
//!
//! Until then every line that is not a well-formed message closes the connection. A web page can make a browser send
//! lines of its choice to a port of this machine, but only below a first line such as `POST / HTTP/1.1`.

use std::future::pending;
use std::sync::Arc;

use rmcp::model::RequestId;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::clients::Pass;
use super::gate::Gate;
use super::guests::Guest;
use super::pace::Pace;
use crate::envelope::{INVALID_REQUEST, Incoming, Refusal};
use crate::host::Visitor;

/// The door of one connection.
pub(crate) struct Door {
    gate: Arc<Gate>,
    guest: Guest,
    pace: Pace,
    /// The time by which the token has to be shown; none afterwards.
    until: Option<Instant>,
    /// There were too many that have not shown it, so the time is short.
    is_displaced: bool,
    /// Of the token that was shown.
    pass: Pass,
}

/// What becomes of a message that came to a door.
pub(crate) enum Knock {
    /// It may pass.
    Passes,
    /// It is ignored.
    Ignored,
    /// The connection ends, and its client is told why.
    Refused(Refusal),
}

impl Door {
    pub(crate) fn new(gate: Arc<Gate>, guest: Guest) -> Self {
        let until = Some(Instant::now() + gate.limits.introduction);
        let pace = Pace::new(gate.limits.requests_per_second, gate.limits.burst);
        Self { gate, guest, pace, until, is_displaced: false, pass: Pass::default() }
    }

    /// Who has shown the token, and what is cancelled when it is revoked.
    pub(crate) fn opened(&self) -> (Visitor, CancellationToken) {
        (self.pass.visitor(), self.pass.closing())
    }

    /// Waits until the connection has to end; the refusal tells its client why.
    pub(crate) async fn closes(door: Option<&mut Self>) -> Refusal {
        let Some(door) = door else { return pending().await };
        let Some(mut until) = door.until else {
            door.pass.ends().await;
            return revoked(None);
        };
        if !door.is_displaced {
            tokio::select! {
                () = door.guest.leave.cancelled() => {
                    door.is_displaced = true;
                    until = until.min(Instant::now() + door.gate.limits.farewell);
                    door.until = Some(until);
                }
                () = sleep_until(until) => {}
            }
        }
        sleep_until(until).await;
        let why = if door.is_displaced {
            "Invalid request: too many connections have shown no token, and this is the oldest of them; connect again, \
             and send the first request at once"
        } else {
            "Invalid request: the first one did not come in time"
        };
        Refusal::new(None, INVALID_REQUEST, why)
    }

    /// Whether a message may pass.
    pub(crate) async fn knock(&mut self, incoming: &Incoming) -> Knock {
        if self.until.is_none() {
            self.pace.keep().await;
            if self.gate.honours(&self.pass) {
                return Knock::Passes;
            }
            let id = if let Incoming::Request { id, .. } = incoming { Some(id.clone()) } else { None };
            return Knock::Refused(revoked(id));
        }
        match incoming {
            Incoming::Request { id, token, .. } => {
                let Some(pass) = self.gate.admits(token.as_ref()).await else {
                    let how = if token.is_some() { "the token is wrong" } else { "the token is missing" };
                    let why = format!(
                        "Invalid request: {how}. The first request of a connection has it in `params._meta.token`; \
                         `lispwright bridge --token-file FILE` adds it"
                    );
                    return Knock::Refused(Refusal::new(Some(id.clone()), INVALID_REQUEST, why));
                };
                self.pass = pass;
                self.guest.admit();
                self.until = None;
                Knock::Passes
            }
            Incoming::Refused(refusal) => Knock::Refused(refusal.clone()),
            Incoming::Ignored | Incoming::RootsChanged | Incoming::Cancelled(_) | Incoming::Response { .. } => {
                Knock::Ignored
            }
        }
    }
}

fn revoked(id: Option<RequestId>) -> Refusal {
    let why = "Invalid request: the token of this connection was revoked; connect again with one that counts";
    Refusal::new(id, INVALID_REQUEST, why)
}

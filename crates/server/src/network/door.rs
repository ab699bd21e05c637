//! The door of a connection of lines: the first request shows the token.
//!
//! Until then every line that is not a well-formed message closes the connection. A web page can make a browser send
//! lines of its choice to a port of this machine, but only below a first line such as `POST / HTTP/1.1`.

use std::future::pending;
use std::sync::Arc;

use tokio::time::{Instant, sleep_until};

use super::gate::Gate;
use super::guests::Guest;
use super::pace::Pace;
use crate::envelope::{INVALID_REQUEST, Incoming, Refusal};

/// The door of one connection.
pub(crate) struct Door {
    gate: Arc<Gate>,
    guest: Guest,
    pace: Pace,
    /// The time by which the token has to be shown; none afterwards.
    until: Option<Instant>,
    /// There were too many that have not shown it, so the time is short.
    is_displaced: bool,
}

impl Door {
    pub(crate) fn new(gate: Arc<Gate>, guest: Guest) -> Self {
        let until = Some(Instant::now() + gate.limits.introduction);
        let pace = Pace::new(gate.limits.requests_per_second, gate.limits.burst);
        Self { gate, guest, pace, until, is_displaced: false }
    }

    /// Waits until the connection has to end; the refusal tells its client why.
    pub(crate) async fn closes(door: Option<&mut Self>) -> Refusal {
        let Some(door) = door else { return pending().await };
        let Some(mut until) = door.until else { return pending().await };
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

    /// Whether a message may pass. One that may not is ignored, or refused with the end of the connection.
    pub(crate) async fn knock(&mut self, incoming: &Incoming) -> Result<bool, Refusal> {
        if self.until.is_none() {
            self.pace.keep().await;
            return Ok(true);
        }
        match incoming {
            Incoming::Request { id, token, .. } => {
                if !self.gate.admits(token.as_ref()).await {
                    let how = if token.is_some() { "the token is wrong" } else { "the token is missing" };
                    let why = format!(
                        "Invalid request: {how}. The first request of a connection has it in `params._meta.token`; \
                         `lispwright bridge --token-file FILE` adds it"
                    );
                    return Err(Refusal::new(Some(id.clone()), INVALID_REQUEST, why));
                }
                self.guest.admit();
                self.until = None;
                Ok(true)
            }
            Incoming::Refused(refusal) => Err(refusal.clone()),
            Incoming::Ignored | Incoming::RootsChanged | Incoming::Cancelled(_) | Incoming::Response { .. } => {
                Ok(false)
            }
        }
    }
}

//! What all network transports ask of a connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::access::Admission;
use super::guests::{Guest, Guests};
use super::limits::Limits;
use super::pace::Pace;
use super::token::Token;

/// Wrong tokens a second, over all connections, that are answered at once.
const WRONG_TOKENS: u32 = 10;
/// The longest delay of the answer to a wrong token.
const LONGEST_DELAY: Duration = Duration::from_secs(2);

/// The rules for connections, and the connections that there are.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) access: Admission,
    pub(crate) limits: Limits,
    guests: Arc<Guests>,
    wrong: Mutex<Pace>,
}

impl Gate {
    pub(crate) fn new(access: Admission, limits: Limits) -> Self {
        let guests = Arc::new(Guests::new(limits.connections, limits.newcomers));
        Self { access, limits, guests, wrong: Mutex::new(Pace::new(WRONG_TOKENS, WRONG_TOKENS)) }
    }

    /// A connection comes. `None` when there are too many.
    pub(crate) fn enter(&self) -> Option<Guest> {
        self.guests.enter()
    }

    /// Whether a client with this token is served. The answer to a wrong one is delayed when there are many.
    pub(crate) async fn admits(&self, presented: Option<&Token>) -> bool {
        if self.access.admits(presented) {
            return true;
        }
        let wait = self.wrong.lock().unwrap_or_else(PoisonError::into_inner).count(Instant::now());
        tokio::time::sleep(wait.min(LONGEST_DELAY)).await;
        false
    }
}

//! What all network transports ask of a connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::access::Admission;
use super::clients::Pass;
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

    /// The pass of a client with this token, if it is served. The answer to a wrong one is delayed when there are many.
    pub(crate) async fn admits(&self, presented: Option<&Token>) -> Option<Pass> {
        let pass = self.access.admits(presented);
        if pass.is_none() {
            let wait = self.wrong.lock().unwrap_or_else(PoisonError::into_inner).count(Instant::now());
            tokio::time::sleep(wait.min(LONGEST_DELAY)).await;
        }
        pass
    }

    /// Whether a pass still counts.
    pub(crate) fn honours(&self, pass: &Pass) -> bool {
        self.access.clients.as_ref().is_none_or(|clients| clients.honours(pass))
    }

    /// Sees that what revoked tokens have open ends, for as long as it is polled.
    pub(crate) async fn watch(&self) {
        match &self.access.clients {
            Some(clients) => clients.watch().await,
            None => std::future::pending().await,
        }
    }

    /// Waits until a token is revoked.
    pub(crate) async fn revokes(&self) {
        match &self.access.clients {
            Some(clients) => clients.revoked.notified().await,
            None => std::future::pending().await,
        }
    }

    /// Ends the calls of clients with named tokens.
    pub(crate) fn close(&self) {
        if let Some(clients) = &self.access.clients {
            clients.close();
        }
    }
}

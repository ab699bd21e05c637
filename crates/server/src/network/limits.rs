//! The limits on what a network client may take.

use std::time::Duration;

/// The limits of the network transports. Each has an answer that says what to do.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at the same time, over all network transports.
    pub connections: usize,
    /// Connections at the same time that have shown no token yet. When there is one more, the oldest is closed.
    pub newcomers: usize,
    /// The time that the oldest of them still has when it is one too many.
    pub farewell: Duration,
    /// The time for a new connection to show the token.
    pub introduction: Duration,
    /// Requests a second of one connection that are served at once; more wait.
    pub requests_per_second: u32,
    /// Requests of one connection that may come at once, on top of the rate.
    pub burst: u32,
    /// The time for which a client may take nothing of what is being sent to it; then its connection is closed.
    pub patience: Duration,
    /// HTTP: the time for a request's headers, also the time for which a connection may be idle.
    pub head: Duration,
    /// HTTP: the time for a request's body.
    pub body: Duration,
    /// HTTP: the bytes of a request's headers.
    pub head_bytes: usize,
    /// HTTP: the number of a request's headers.
    pub headers: usize,
    /// HTTP: sessions of the handshake revisions. When there is one more, the one that was idle longest is ended.
    pub sessions: usize,
    /// HTTP: the time after which an idle session is ended.
    pub session_idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            newcomers: 32,
            farewell: Duration::from_secs(2),
            introduction: Duration::from_secs(30),
            requests_per_second: 5000,
            burst: 5000,
            patience: Duration::from_secs(60),
            head: Duration::from_secs(75),
            body: Duration::from_secs(60),
            head_bytes: 16 * 1024,
            headers: 64,
            sessions: 256,
            session_idle: Duration::from_secs(12 * 60 * 60),
        }
    }
}

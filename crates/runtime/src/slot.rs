//! What a session has its code run by.

use crate::backends::Runtime;
use crate::config::Config;
use crate::factory::StartError;
use crate::remote::{Found, Listener, Protocol, Reached, Remote};
use crate::worker::Worker;

/// What a session has its code run by, locked for as long as a call runs.
pub(crate) enum Slot {
    /// Nothing: the next call that needs an image starts a worker.
    Empty,
    /// A worker, which is ours.
    Worker(Box<Worker>),
    /// A server that is reached through a socket, ours or somebody else's; or the way to one.
    Server(Remote),
}

impl Slot {
    /// What a session on `runtime` begins with.
    pub(crate) fn of(runtime: Runtime) -> Self {
        match runtime.protocol.filter(|_| runtime.agent.is_none()) {
            Some(protocol) => Self::Server(Remote::of(protocol)),
            None => Self::Empty,
        }
    }

    /// The worker, if it is one.
    pub(crate) fn worker(&mut self) -> Option<&mut Worker> {
        if let Self::Worker(worker) = self { Some(worker) } else { None }
    }

    /// The server, if it is one.
    pub(crate) fn server(&mut self) -> Option<&mut Remote> {
        if let Self::Server(remote) = self { Some(remote) } else { None }
    }

    /// Joins the server `found`, in place of what there was.
    pub(crate) async fn attach(
        &mut self,
        protocol: Protocol,
        found: Found,
        config: &Config,
    ) -> Result<Reached, StartError> {
        if let Some(remote) = self.server() {
            return remote.attach(found, config).await;
        }
        let mut remote = Remote::of(protocol);
        let reached = remote.attach(found, config).await?;
        self.leave().await;
        *self = Self::Server(remote);
        Ok(reached)
    }

    /// Where somebody else's server is, or was, that the session means.
    pub(crate) fn joined(&self) -> Option<Listener> {
        if let Self::Server(remote) = self { remote.joined() } else { None }
    }

    /// Takes the worker out of it, if it is one.
    pub(crate) fn take_worker(&mut self) -> Option<Box<Worker>> {
        match std::mem::replace(self, Self::Empty) {
            Self::Worker(worker) => Some(worker),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Ends what is ours; false when nothing is.
    pub(crate) async fn end_ours(&mut self) -> bool {
        if let Self::Server(remote) = self {
            return remote.leave_ours().await;
        }
        let worker = self.take_worker();
        let was_there = worker.is_some();
        if let Some(mut worker) = worker {
            worker.bury(true).await;
        }
        was_there
    }

    /// Ends what is ours, and takes leave of a server that is not.
    pub(crate) async fn leave(&mut self) {
        match self {
            Self::Server(remote) => remote.leave().await,
            _ => {
                self.end_ours().await;
            }
        }
    }
}

//! The slot of a session: the worker or server that runs its code.

use crate::backends::Runtime;
use crate::config::Config;
use crate::factory::StartError;
use crate::remote::{Endpoint, FoundServer, Protocol, Reached, Remote};
use crate::start::Starting;
use crate::worker::Worker;

/// The worker or server that runs the code of a session; locked during a call.
pub(crate) enum Slot {
    /// The next call that needs an image starts a worker.
    Empty,
    /// A worker that is being started.
    Starting(Starting<Worker>),
    /// A worker process of this server.
    Worker(Box<Worker>),
    /// A server that is reached through a socket, started here or by somebody else; or its address.
    Server(Remote),
}

impl Slot {
    /// The slot of a new session on `runtime`.
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

    /// Attaches to the server `found`, which replaces the content of the slot.
    pub(crate) async fn attach(
        &mut self,
        protocol: Protocol,
        found: FoundServer,
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

    /// The address of the server that the session is attached to, even if the connection is lost.
    pub(crate) fn joined(&self) -> Option<Endpoint> {
        if let Self::Server(remote) = self { remote.joined() } else { None }
    }

    /// Whether an image is being started, or has been and no call has taken it.
    pub(crate) fn is_starting(&self) -> bool {
        match self {
            Self::Starting(_) => true,
            Self::Server(remote) => remote.is_starting(),
            Self::Empty | Self::Worker(_) => false,
        }
    }

    /// Ends a start that nobody waits for.
    pub(crate) fn give_up_start(&mut self) {
        match self {
            Self::Starting(_) => *self = Self::Empty,
            Self::Server(remote) => remote.give_up_start(),
            Self::Empty | Self::Worker(_) => {}
        }
    }

    /// Takes the worker out of the slot.
    pub(crate) fn take_worker(&mut self) -> Option<Box<Worker>> {
        match std::mem::replace(self, Self::Empty) {
            Self::Worker(worker) => Some(worker),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Ends the process that was started here; false when there is none.
    pub(crate) async fn end_ours(&mut self) -> bool {
        self.give_up_start();
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

    /// Ends the process that was started here, and disconnects from a server that was not.
    pub(crate) async fn leave(&mut self) {
        match self {
            Self::Server(remote) => {
                remote.give_up_start();
                remote.leave().await;
            }
            _ => {
                self.end_ours().await;
            }
        }
    }
}

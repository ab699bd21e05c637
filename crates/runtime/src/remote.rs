//! Images that are reached through a socket: the alternative to a worker in a session.
//!
//! Such an image may be the owner's own, in use by an editor. `Remote` has a variant for each kind: a server that
//! speaks nREPL (`nrepl`), one that speaks Swank or Slynk (`swank`), or an Emacs (`emacs_server`). `call` is one call
//! of a session, from the connection to the report; `connection` is the socket; [`address`] is the address of a server,
//! and [`FoundServer`] a server that answers there.
//!
//! **Invariant:** a server that was not started here is never ended from here.

pub mod address;
mod call;
pub(crate) mod connection;
mod found;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::capture::Printed;
use crate::config::Config;
use crate::emacs_server::{self, EmacsServer};
use crate::eval::{Answer, Ending, Printout};
use crate::factory::{Household, StartError};
use crate::notice::Notice;
use crate::nrepl::Nrepl;
use crate::request::Request;
use crate::session::Image;
use crate::stop::{Controls, Death, StopReason};
use crate::swank::Swank;
use crate::tally::Tally;

pub(crate) use call::{ensure_remote, run_remote};
pub use found::FoundServer;

/// The protocols of servers that sessions attach to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Clojure's protocol, also that of the servers that are started here.
    Nrepl,
    /// The protocol of Swank and Slynk.
    Swank,
    /// The protocol of `emacsclient`.
    Emacs,
}

impl Protocol {
    /// The protocol for `scheme` in addresses.
    fn of_scheme(scheme: &str) -> Option<Self> {
        match scheme {
            "nrepl" => Some(Self::Nrepl),
            "swank" | "slynk" => Some(Self::Swank),
            "emacs" => Some(Self::Emacs),
            _ => None,
        }
    }
}

/// The address of a listening server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// At an address of this machine.
    Socket(SocketAddr),
    /// The file of an Emacs server: its socket, or a text with its port.
    Emacs(PathBuf),
}

impl Endpoint {
    /// Whether the server accepts connections.
    pub(crate) async fn listens(&self) -> bool {
        match self {
            Self::Socket(address) => {
                let connecting = tokio::net::TcpStream::connect(address);
                matches!(tokio::time::timeout(LISTEN_LIMIT, connecting).await, Ok(Ok(_)))
            }
            Self::Emacs(path) => emacs_server::listens(path).await,
        }
    }
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Self {
        Self::Socket(address)
    }
}

/// The server of a session, instead of a worker.
pub(crate) enum Remote {
    /// An nREPL server.
    Nrepl(Box<Nrepl>),
    /// A Swank or Slynk server.
    Swank(Box<Swank>),
    /// An Emacs.
    Emacs(EmacsServer),
}

/// A server that a session has reached.
pub(crate) struct Reached {
    pub(crate) image: Image,
    /// A notice for the caller, once.
    pub(crate) notice: Option<Notice>,
}

/// The server is gone, or was given up.
#[derive(Debug)]
pub(crate) struct Lost {
    pub(crate) death: Death,
    pub(crate) reason: Option<StopReason>,
}

/// The result of a call.
pub(crate) struct Called {
    pub(crate) answer: Result<Answer, Lost>,
    /// Values of the forms before the last, with their numbers from 1.
    pub(crate) earlier: Vec<(u32, Printout)>,
    /// Further notices for the caller.
    pub(crate) notices: Vec<Notice>,
    pub(crate) stdout: Printed,
    pub(crate) stderr: Printed,
    /// The server was started by somebody else: as far as is known, it goes on.
    pub(crate) theirs: bool,
    /// The results of tests that ran before the image was lost.
    pub(crate) tests: Option<Tally>,
}

impl Remote {
    /// A client of `protocol` without a server yet.
    pub(crate) fn of(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Nrepl => Self::Nrepl(Box::default()),
            Protocol::Swank => Self::Swank(Box::default()),
            Protocol::Emacs => Self::Emacs(EmacsServer::default()),
        }
    }

    /// Checks for the end of a server that was started here; returns how it ended, and its last words.
    pub(crate) async fn found_dead(&mut self) -> Option<(Death, String)> {
        match self {
            Self::Nrepl(nrepl) => nrepl.found_dead().await,
            Self::Swank(_) | Self::Emacs(_) => None,
        }
    }

    /// Attaches to the server `found`, instead of the earlier one.
    pub(crate) async fn attach(&mut self, found: FoundServer, config: &Config) -> Result<Reached, StartError> {
        match (self, found.listener) {
            (Self::Nrepl(nrepl), Endpoint::Socket(address)) => {
                nrepl.attach(address, config).await.map_err(|error| FoundServer::explain(found.not_swank, error))
            }
            (Self::Swank(swank), Endpoint::Socket(address)) => swank.attach(address, found.greeted, config).await,
            (Self::Emacs(emacs), Endpoint::Emacs(path)) => emacs.attach(path).await,
            (_, Endpoint::Emacs(_)) => {
                Err(StartError::Unreachable("an Emacs can only be joined by a session on emacs".into()))
            }
            (Self::Emacs(_), Endpoint::Socket(_)) => Err(StartError::Unreachable(
                "an Emacs can only be joined by the name of its server: emacs://server".into(),
            )),
        }
    }

    /// Whether a server is being started, or has been and no call has taken it.
    pub(crate) fn is_starting(&self) -> bool {
        matches!(self, Self::Nrepl(nrepl) if nrepl.is_starting())
    }

    /// Ends the start of a server that nobody waits for.
    pub(crate) fn give_up_start(&mut self) {
        if let Self::Nrepl(nrepl) = self {
            nrepl.give_up_start();
        }
    }

    /// Finds, attaches to or starts a server when there is none; returns what is new about it. A start goes on when the
    /// caller gives up waiting.
    pub(crate) async fn ensure(
        &mut self,
        config: &Config,
        household: &Arc<Household>,
    ) -> Result<Option<Reached>, StartError> {
        match self {
            Self::Nrepl(nrepl) => nrepl.ensure(config, household).await,
            Self::Swank(swank) => swank.ensure(config).await,
            Self::Emacs(emacs) => emacs.ensure().await,
        }
    }

    /// Sends a request to the server; the session must have one. `next_object` is the number for the next object.
    pub(crate) async fn call(
        &mut self,
        request: &Request,
        next_object: i64,
        config: &Config,
        controls: &Controls,
    ) -> Called {
        match self {
            Self::Nrepl(nrepl) => nrepl.call(request, config, controls).await,
            Self::Swank(swank) => swank.call(request, next_object, controls).await,
            Self::Emacs(emacs) => emacs.call(request, next_object, controls).await,
        }
    }

    /// Ends a server that was started here; false when there is none.
    pub(crate) async fn leave_ours(&mut self) -> bool {
        match self {
            Self::Nrepl(nrepl) => nrepl.leave_ours().await,
            Self::Swank(_) | Self::Emacs(_) => false,
        }
    }

    /// The address of the server that the session is attached to, even if the connection is lost.
    pub(crate) fn joined(&self) -> Option<Endpoint> {
        match self {
            Self::Nrepl(nrepl) => nrepl.joined().map(Endpoint::Socket),
            Self::Swank(swank) => swank.joined().map(Endpoint::Socket),
            Self::Emacs(emacs) => emacs.joined().map(|path| Endpoint::Emacs(path.to_owned())),
        }
    }

    /// Ends a server that was started here; disconnects from another's.
    pub(crate) async fn leave(&mut self) {
        match self {
            Self::Nrepl(nrepl) => nrepl.leave().await,
            Self::Swank(swank) => swank.leave().await,
            Self::Emacs(_) => {}
        }
    }
}

/// The time for a server to accept a connection.
const LISTEN_LIMIT: Duration = Duration::from_secs(1);

impl Lost {
    /// The result of a call during which the server ended.
    pub(crate) fn ending(self) -> Ending {
        Ending::Died { death: self.death, reason: self.reason }
    }
}

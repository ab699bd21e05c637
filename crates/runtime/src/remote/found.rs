//! Finds out the protocol of a server at a given address.
//!
//! No server speaks first, and each reacts badly to another protocol. A Swank server that receives bencode prints pages
//! of errors on its owner's terminal; an nREPL server that receives a Swank message waits for the rest of it, and logs
//! a short message when the connection ends. So Swank's question comes first, unless something indicates nREPL. The
//! connection that was answered is kept: a server may accept only one.

use std::path::Path;
use std::time::Duration;

use super::address::ServerAddress;
use super::{Endpoint, Protocol};
use crate::backends::Runtime;
use crate::factory::StartError;
use crate::nrepl;
use crate::swank;

/// The time for a server to answer as Swank does before another protocol is assumed.
const PATIENCE: Duration = Duration::from_secs(3);

/// A server to attach to.
pub struct FoundServer {
    /// Its address.
    pub(crate) listener: Endpoint,
    /// The runtime of sessions that attach to it.
    pub(crate) runtime: Runtime,
    /// The conversation that has begun with it.
    pub(crate) greeted: Option<swank::Image>,
    /// The reason why it is not a Swank server, if it was asked.
    pub(super) not_swank: Option<String>,
}

impl FoundServer {
    /// A server that is known to have this `runtime`.
    pub fn known(listener: impl Into<Endpoint>, runtime: Runtime) -> Self {
        Self { listener: listener.into(), runtime, greeted: None, not_swank: None }
    }

    /// The runtime of sessions that attach to it.
    pub fn runtime(&self) -> Runtime {
        self.runtime
    }

    /// Finds out the protocol of the server at `address`, unless the address names it. If the project at `root` names
    /// the port as nREPL's, that is trusted.
    pub(crate) async fn find(address: ServerAddress, root: &Path, output_limit: u64) -> Result<Self, StartError> {
        let (address, said) = match address {
            ServerAddress { listener: Endpoint::Socket(socket), runtime } => (socket, runtime),
            ServerAddress { listener, .. } => return Ok(Self::known(listener, Runtime::speaking(Protocol::Emacs))),
        };
        let file = root.join(nrepl::PORT_FILE);
        let port = tokio::task::spawn_blocking(move || nrepl::port_in(&file)).await.unwrap_or_default();
        let known = said.or((port == Some(address.port())).then(|| Runtime::speaking(Protocol::Nrepl)));
        if let Some(runtime) = known {
            return Ok(Self::known(address, runtime));
        }
        match swank::Image::greet(address, output_limit, PATIENCE).await {
            Ok(image) => Ok(Self { greeted: Some(image), ..Self::known(address, Runtime::speaking(Protocol::Swank)) }),
            Err(swank::Refusal::NoConnection(why)) => {
                Err(StartError::Unreachable(format!("nothing can be joined at {address}: {why}")))
            }
            Err(swank::Refusal::Other(why)) => {
                Ok(Self { not_swank: Some(why), ..Self::known(address, Runtime::speaking(Protocol::Nrepl)) })
            }
        }
    }

    /// The reason why it could not be attached to: `error`, and, if Swank was tried first, the reason why it is not a
    /// Swank server.
    pub(super) fn explain(not_swank: Option<String>, error: StartError) -> StartError {
        match (not_swank, error) {
            (Some(why), StartError::Unreachable(text)) => {
                StartError::Unreachable(format!("it does not answer as a Swank server does ({why}), and {text}"))
            }
            (_, error) => error,
        }
    }
}

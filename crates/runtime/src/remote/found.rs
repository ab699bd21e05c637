//! A server that somebody gives the address of, and which protocol it speaks.
//!
//! Neither speaks before it is spoken to, and neither likes to be spoken to in the other's language. A Swank server that
//! is sent bencode writes pages about it into its owner's terminal; an nREPL server that is sent a Swank message waits
//! for the rest of it, and notes a short message when the connection ends. So Swank's question comes first, unless
//! something speaks for nREPL. The connection that was answered is kept: a server may take no second one.

use std::path::Path;
use std::time::Duration;

use super::address::Address;
use super::{Listener, Protocol};
use crate::backends::Runtime;
use crate::factory::StartError;
use crate::nrepl;
use crate::swank;

/// How long a server may take to answer as Swank does before it is taken for another.
const PATIENCE: Duration = Duration::from_secs(3);

/// A server to join.
pub struct Found {
    /// Where it listens.
    pub(crate) listener: Listener,
    /// The runtime of sessions that join it.
    pub(crate) runtime: Runtime,
    /// The conversation that has begun with it.
    pub(crate) greeted: Option<swank::Image>,
    /// Why it is taken for no Swank server, when it was asked.
    pub(super) not_swank: Option<String>,
}

impl Found {
    /// A server that is known to be of `runtime`.
    pub fn known(listener: impl Into<Listener>, runtime: Runtime) -> Self {
        Self { listener: listener.into(), runtime, greeted: None, not_swank: None }
    }

    /// The runtime of sessions that join it.
    pub fn runtime(&self) -> Runtime {
        self.runtime
    }

    /// Finds out what listens at `address`, unless it says so. A project at `root` that names the port as nREPL's is
    /// believed.
    pub(crate) async fn find(address: Address, root: &Path, output_limit: u64) -> Result<Self, StartError> {
        let (address, said) = match address {
            Address { listener: Listener::Socket(socket), runtime } => (socket, runtime),
            Address { listener, .. } => return Ok(Self::known(listener, Runtime::speaking(Protocol::Emacs))),
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

    /// Why it could not be joined: `error`, and, when it was asked as a Swank server first, why it is taken for none.
    pub(super) fn explain(not_swank: Option<String>, error: StartError) -> StartError {
        match (not_swank, error) {
            (Some(why), StartError::Unreachable(text)) => {
                StartError::Unreachable(format!("it does not answer as a Swank server does ({why}), and {text}"))
            }
            (_, error) => error,
        }
    }
}

//! Which protocol a server speaks that somebody gives the address of.
//!
//! Neither speaks before it is spoken to, and neither likes to be spoken to in the other's language. A Swank server that
//! is sent bencode writes pages about it into its owner's terminal; an nREPL server that is sent a Swank message waits
//! for the rest of it, and notes a short message when the connection ends. So Swank's question comes first, on a
//! connection of its own, unless something speaks for nREPL.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use crate::backend::Runtime;
use crate::nrepl;
use crate::swank;

/// How long a Swank server may take to answer the first question.
const PATIENCE: Duration = Duration::from_secs(3);

/// The runtime for sessions on the server at `address`: [`Runtime::Swank`] when it answers as Swank and Slynk do, else
/// [`Runtime::Clojure`]. A project below `root` that names the port as nREPL's is believed.
pub async fn detect(address: SocketAddr, root: &Path) -> Runtime {
    let is_named = nrepl::port_in(&root.join(nrepl::PORT_FILE)) == Some(address.port());
    if !is_named && swank::answers(address, PATIENCE).await { Runtime::Swank } else { Runtime::Clojure }
}

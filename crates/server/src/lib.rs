//! The MCP server: lispwright's tools over the Model Context Protocol.
//!
//! A [`Server`] is made from [`Options`] (a catalogue of tools, and how to show them) and serves connections: standard
//! input and output, or any other pair of byte streams with one JSON object a line, and those of a [`Network`]. It
//! supports revision 2026-07-28, which has no session, and the four before it, which begin with `initialize`, side by
//! side on one connection.
//!
//! Read [`connection`] for the handling of a line, [`envelope`] for its meaning, [`intake`] and [`wire`] for the two
//! directions of a connection, [`dispatch`] for the handling of a request, [`names`] for the names of a tool, [`network`]
//! for TCP and HTTP. `docs/protocol.md` describes the same from the client's side.
//!
//! **Invariants:** every well-formed request gets exactly one answer unless its client withdraws it; notifications and
//! responses are never answered; the tool list is the same for every connection with the same rights and does not
//! change; the SDK that implements the protocol is visible only in this crate.

mod beside;
mod bridge;
/// What MCP's conformance suite calls, behind the transports and the dispatcher of the product.
#[cfg(feature = "conformance")]
#[path = "../tests/conformance/mod.rs"]
pub mod conformance;
mod connection;
mod dispatch;
mod envelope;
mod flights;
mod hints;
mod host;
mod instructions;
mod intake;
mod lines;
mod names;
mod network;
mod prompts;
mod reference;
mod request_id;
mod resources;
mod rest;
mod roots;
mod salvage;
mod select;
mod stdio;
mod surface;
mod unlisted;
mod wire;
mod withheld;

use std::sync::Arc;

use lispwright_tools::{Observer, Premises, Tool};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

pub use bridge::{Bridge, BridgeError};
pub use names::{ALIASES, Alias, Implied};
use network::Patient;
pub use network::{
    Admission, Clients, Hall, Limits, Listener, LocalListener, NamedToken, RollFault, Token, Transport, read_roll,
    roll_with, roll_without,
};
pub use reference::reference;
pub use select::{Offer, Results, SelectError, ToolSelection};
pub use surface::{Manner, Surface};
pub use withheld::{Withheld, WithheldBy};

use dispatch::Desks;
use host::Host;
use network::Gate;

/// The tools of a server and the way to show them.
#[derive(Clone, Debug)]
pub struct Options {
    /// The tools, in the order in which they are listed.
    pub tools: Vec<Tool>,
    /// Tools that can be called by their own names and are not listed: those that a surface lists under its names.
    pub unlisted: Vec<Tool>,
    /// The tools that are not offered; a call of one is answered with what would offer it.
    pub withheld: Vec<Withheld>,
    /// What clients with read-only tokens are offered; without it, nothing.
    pub reading: Option<Offer>,
    /// The form of results.
    pub results: Results,
    /// The way in which answers are given.
    pub manner: Manner,
    /// Further names that can be called; [`ALIASES`] except in tests.
    pub aliases: Vec<Alias>,
    /// Instructions for the model: the purpose within the first 250 characters, at most 2,000 in all.
    pub instructions: String,
    /// The premises of the tools, if a client may set their root.
    pub premises: Option<Premises>,
    /// The observer of calls, if any.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Options {
    /// The given tools with text results, the usual aliases, and instructions about these tools only.
    pub fn new(tools: Vec<Tool>) -> Self {
        Self::offering(Offer { listed: tools, unlisted: Vec::new(), withheld: Vec::new(), manner: Manner::default() })
    }

    /// The same for the tools of a [`ToolSelection`].
    pub fn offering(offer: Offer) -> Self {
        Self::with(offer, None)
    }

    /// The same in premises that the instructions name, and whose root a client may set.
    pub fn in_premises(offer: Offer, premises: Premises) -> Self {
        Self::with(offer, Some(premises))
    }

    fn with(offer: Offer, premises: Option<Premises>) -> Self {
        let Offer { listed: tools, unlisted, withheld, manner } = offer;
        let present = premises.as_ref().and_then(Premises::present);
        let root = present.as_ref().map(|workshop| workshop.roots.primary());
        let instructions = instructions::instructions(&tools, root);
        let (reading, results, aliases, observer) = (None, Results::default(), ALIASES.to_vec(), None);
        Self { tools, unlisted, withheld, reading, results, manner, aliases, instructions, premises, observer }
    }

    /// The same server for clients with read-only tokens.
    fn for_readers(&self) -> Self {
        let offer = self.reading.clone().unwrap_or_else(|| Offer {
            listed: Vec::new(),
            unlisted: Vec::new(),
            withheld: Vec::new(),
            manner: self.manner.clone(),
        });
        Self {
            results: self.results,
            aliases: self.aliases.clone(),
            observer: self.observer.clone(),
            ..Self::with(offer, self.premises.clone())
        }
    }
}

/// The sockets of a server and the rules for them.
#[derive(Debug)]
pub struct Network {
    /// The sockets.
    pub listeners: Vec<Listener>,
    /// The sockets that are files. Who may speak there is the server's own user, without a token.
    pub locals: Vec<LocalListener>,
    /// Who may speak with the server.
    pub access: Admission,
    /// How much each of them may take.
    pub limits: Limits,
}

/// A server; clones share everything.
#[derive(Clone)]
pub struct Server {
    host: Arc<dyn Host>,
}

impl Server {
    /// A server with these options, the same for every connection.
    pub fn new(options: Options) -> Self {
        Self { host: Arc::new(Desks::new(options)) }
    }

    /// The `tools` array that `tools/list` sends.
    pub fn tools(&self) -> Value {
        self.host.tools()
    }

    /// The same with every argument that the tools take.
    pub fn documented(&self) -> Value {
        self.host.documented()
    }

    /// Serves one connection until its input ends, its output is closed, nothing that is written to it has been taken for a
    /// minute, or `stop` is cancelled.
    ///
    /// Must run on a tokio runtime. At the end, running calls have two and a half seconds to finish, then they are
    /// cancelled, and those that still do not answer are answered with an error; the whole takes less than five seconds.
    /// Tools that ignore cancellation may outlive the connection.
    pub async fn serve<R, W>(&self, reader: R, writer: W, stop: &CancellationToken)
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        // Reading waits for writing, so a client that takes nothing would never be seen to end.
        let writer = Patient::new(writer, Limits::default().patience);
        connection::serve(&self.host, reader, writer, None, stop).await;
    }

    /// Serves standard input and output as [`Server::serve`] does.
    ///
    /// Neither needs to be a pipe or to be blocking.
    pub async fn serve_stdio(&self, stop: &CancellationToken) {
        self.serve(stdio::input(), stdio::output(), stop).await;
    }

    /// What connections share that the caller accepts.
    pub fn hall(&self, access: Admission, limits: Limits) -> Hall {
        Hall::new(self.host.clone(), Gate::new(access, limits))
    }

    /// Serves the connections of a network until `stop` is cancelled; the end takes less than five seconds.
    pub async fn serve_network(&self, network: Network, stop: &CancellationToken) {
        let Network { listeners, locals, access, limits } = network;
        self.hall(access, limits).serve(listeners, locals, stop).await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

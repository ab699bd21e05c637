//! What a server serves: the handler of each connection.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ServerCapabilities;
use rmcp::service::DynService;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// The handler of one connection.
pub(crate) type Handler = Box<dyn DynService<RoleServer>>;

/// Who speaks on a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visitor {
    /// The name of the token; none for the owner of the server.
    pub(crate) name: Option<Arc<str>>,
    /// It may only use the tools that write nothing and run no code.
    pub(crate) read_only: bool,
}

/// Makes handlers. All of them share the state of the server.
pub(crate) trait Host: Send + Sync + 'static {
    /// The handler of a new connection of `visitor`. `closing` is cancelled when its running calls have to stop.
    fn handler(&self, closing: CancellationToken, visitor: Visitor) -> Handler;

    /// The capabilities that every handler declares.
    fn offers(&self) -> Arc<ServerCapabilities>;

    /// The `tools` array that `tools/list` sends to the owner of the server.
    fn tools(&self) -> Value;

    /// The same with every argument that the tools take.
    fn documented(&self) -> Value {
        self.tools()
    }
}

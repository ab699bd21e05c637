//! Asks a client for its directories.
//!
//! A server without a named root works in the directory that it was started in, which is a guess. Clients of the
//! revisions before 2026-07-28 that declare `roots` know better (MCP 2025-11-25, Roots): they are asked before the
//! first call, once, and again after they report that their roots changed, as long as it makes a difference.
#![expect(deprecated, reason = "the newest revision has no roots; the clients of the earlier ones have")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lispwright_tools::Premises;
use rmcp::RoleServer;
use rmcp::model::{ClientResult, ListRootsRequest, ServerRequest};
use rmcp::service::RequestContext;
use tokio::sync::Mutex;

/// The time for a client to answer with its roots.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether the client of a connection has been asked. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct ClientRoots(Arc<Mutex<bool>>);

impl ClientRoots {
    /// Asks the client for its roots, if they matter and it can be asked. Calls that come meanwhile wait for the
    /// answer.
    pub(crate) async fn settle(&self, premises: &Premises, context: &RequestContext<RoleServer>) {
        if !premises.is_guessed() || !declares_roots(context) {
            return;
        }
        let mut asked = self.0.lock().await;
        if std::mem::replace(&mut *asked, true) {
            return;
        }
        let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
        match tokio::time::timeout(PATIENCE, context.peer.send_request(request)).await {
            Ok(Ok(ClientResult::ListRootsResult(result))) => {
                premises.take_roots(result.roots.iter().filter_map(|root| path_of(&root.uri)).collect());
            }
            Ok(Ok(_)) => tracing::debug!("the client answered roots/list with something else"),
            Ok(Err(error)) => tracing::debug!(%error, "the client did not say its roots"),
            Err(_) => tracing::debug!("the client did not say its roots in time"),
        }
    }

    /// The client's roots have changed: it may be asked again.
    pub(crate) async fn forget(&self) {
        *self.0.lock().await = false;
    }
}

fn declares_roots(context: &RequestContext<RoleServer>) -> bool {
    let handshake = context.protocol_version().is_none_or(|version| version.has_initialize());
    handshake && context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}

/// The path of a `file` URI of this machine (RFC 8089), with its percent escapes decoded.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_of_this_machine_are_paths() {
        for (uri, path) in [
            ("file:///home/ada/src", Some("/home/ada/src")),
            ("file://localhost/a%20b/%C3%A9", Some("/a b/\u{e9}")),
            ("file:///", Some("/")),
            ("file://host/a", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///%ff", None),
            ("https://example.org/a", None),
            ("/home/ada", None),
        ] {
            assert_eq!(path_of(uri), path.map(PathBuf::from), "{uri}");
        }
    }
}

//! One request as a connection of its own: revision 2026-07-28 has no sessions.
//!
//! The client that closes the response cancels its call, because the service of the request ends with the response.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::unfold;
use hyper::{Response, StatusCode};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::RunningService;
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::body::{self, Body};
use super::headers::Accepted;
use crate::envelope::{INTERNAL_ERROR, Refusal};
use crate::host::{Handler, Host, Visitor};
use crate::intake::LAST_CALL;

/// The time within which an answer is one JSON document. Later a stream begins, so that the client sees progress, and
/// neither it nor a proxy takes the server for dead.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(250);
/// Messages that a slow client may leave unread before the call waits for it.
const UNREAD: usize = 16;

/// Serves a request that came by itself from `visitor`. `closing` is cancelled when calls have to stop.
pub(crate) async fn serve(
    host: &Arc<dyn Host>,
    (closing, visitor): (CancellationToken, Visitor),
    id: RequestId,
    request: ClientRequest,
    accepted: Accepted,
) -> Response<Body> {
    let is_incomplete = !request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
    let (sender, said) = mpsc::channel(UNREAD);
    let transport = OnceTransport {
        request: Some(ClientJsonRpcMessage::request(request, id.clone())),
        sender,
        answered: CancellationToken::new(),
    };
    let running = rmcp::service::serve_directly(host.handler(closing.clone(), visitor), transport, None);
    let mut once = Once { said, id: Some(id), closing, _running: running };
    let first = loop {
        let next = once.next();
        let said = match accepted.events {
            true => tokio::time::timeout(AT_ONCE, next).await,
            false => Ok(next.await),
        };
        match said {
            Ok(Some(Said { message, code: Some(code) }))
                if accepted.json || status(code, is_incomplete) != StatusCode::OK =>
            {
                return body::json(status(code, is_incomplete), message);
            }
            // Nobody can be told of progress.
            Ok(Some(Said { code: None, .. })) if !accepted.events => {}
            Ok(first) => break first,
            Err(_) => break None,
        }
    };
    let first = first.map(|said| body::event(None, &said.message));
    let rest = unfold(once, |mut once| async {
        let said = once.next().await?;
        Some((body::event(None, &said.message), once))
    });
    body::events(futures::StreamExt::chain(futures::stream::iter(first), rest))
}

/// The HTTP status for the answer with an error code; 0 is none.
fn status(code: i32, is_incomplete: bool) -> StatusCode {
    match ErrorCode(code) {
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
        | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
        | ErrorCode::HEADER_MISMATCH => StatusCode::BAD_REQUEST,
        ErrorCode::INVALID_PARAMS if is_incomplete => StatusCode::BAD_REQUEST,
        ErrorCode::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}

/// A message for the client.
struct Said {
    message: Vec<u8>,
    /// Of the answer: its error code, or 0.
    code: Option<i32>,
}

/// A request that is being served.
struct Once {
    said: mpsc::Receiver<Said>,
    /// The id until the answer.
    id: Option<RequestId>,
    closing: CancellationToken,
    _running: RunningService<RoleServer, Handler>,
}

impl Once {
    /// The next message; the last one is the answer.
    async fn next(&mut self) -> Option<Said> {
        self.id.as_ref()?;
        let late = async {
            self.closing.cancelled().await;
            tokio::time::sleep(LAST_CALL).await;
        };
        let said = tokio::select! {
            biased;
            said = self.said.recv() => said,
            () = late => None,
        };
        let said = said.unwrap_or_else(|| {
            let why = "the server ended before the call did, or the token was revoked; call again when it is back";
            let refusal = Refusal::new(self.id.clone(), INTERNAL_ERROR, why);
            Said { message: refusal.json(), code: Some(INTERNAL_ERROR) }
        });
        if said.code.is_some() {
            self.id = None;
        }
        Some(said)
    }
}

/// The request as the SDK sees it: a connection that ends with the answer.
struct OnceTransport {
    request: Option<ClientJsonRpcMessage>,
    sender: mpsc::Sender<Said>,
    answered: CancellationToken,
}

impl Transport<RoleServer> for OnceTransport {
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (sender, answered) = (self.sender.clone(), self.answered.clone());
        async move {
            let code = match &item {
                JsonRpcMessage::Response(_) => Some(0),
                JsonRpcMessage::Error(error) => Some(error.error.code.0),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let message = serde_json::to_vec(&item)?;
            let sent = sender.send(Said { message, code }).await;
            if code.is_some() {
                answered.cancel();
            }
            sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if let Some(request) = self.request.take() {
            return Some(request);
        }
        self.answered.cancelled().await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! Streamable HTTP at `/mcp`, in both eras (MCP 2025-11-25 and 2026-07-28, Transports).
//!
//! A request that names its version itself is served by itself ([`once`]); `initialize` begins a session ([`session`]),
//! to which the client's other requests belong ([`streams`]). Nothing is served before host, origin and token are right.
//! Bodies are read as the lines of the other transports are, so every well-formed request gets exactly one answer.

mod body;
mod headers;
mod once;
mod session;
mod streams;

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::{Body as _, Incoming as RequestBody};
use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::{ClientRequest, GetMeta};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use self::body::Body;
use self::headers::{Accepted, LAST_EVENT, SESSION};
use self::session::Sessions;
use super::clients::Pass;
use super::gate::Gate;
use super::guests::Guest;
use super::pace::Pace;
use super::patient::Patient;
use super::tcp::say_farewell;
use crate::envelope::{self, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Incoming, PARSE_ERROR, Refusal};
use crate::host::Host;
use crate::intake::GRACE;
use crate::lines::LONGEST_LINE;
use crate::salvage::Salvage;

/// The path of the endpoint.
pub(crate) const PATH: &str = "/mcp";

/// MCP: a header says something else than the body.
const HEADER_MISMATCH: i32 = -32020;
/// The time between looks for sessions that nobody uses.
const SWEEP: Duration = Duration::from_secs(60);
/// The seconds after which a client that was one too many may come again.
const RETRY_AFTER: u64 = 2;

/// The HTTP transport, shared by its connections.
pub(crate) struct Http {
    host: Arc<dyn Host>,
    gate: Arc<Gate>,
    sessions: Sessions,
    /// Cancelled when the calls of requests without a session have to stop.
    closing: CancellationToken,
}

/// What the requests of a connection share.
struct Connection {
    guest: Guest,
    /// The address that the client has reached.
    local: IpAddr,
    pace: tokio::sync::Mutex<Pace>,
    /// Of the last request that was admitted.
    pass: Mutex<Pass>,
}

impl Connection {
    /// A request with this pass was admitted.
    fn shown(&self, pass: &Pass) {
        *self.pass.lock().unwrap_or_else(PoisonError::into_inner) = pass.clone();
    }

    /// The refusal, which ends a connection whose token was revoked: it would keep a place that is for others.
    fn after(&self, mut refused: Response<Body>) -> Response<Body> {
        if !self.pass.lock().unwrap_or_else(PoisonError::into_inner).counts() {
            refused.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        refused
    }
}

impl Http {
    pub(crate) fn new(host: Arc<dyn Host>, gate: Arc<Gate>) -> Self {
        Self { host, gate, sessions: Sessions::default(), closing: CancellationToken::new() }
    }

    /// Ends sessions that nobody uses, until `stop` is cancelled; then ends all, and the calls that do not end in time.
    pub(crate) async fn keep(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.gate.revokes() => {}
                () = tokio::time::sleep(SWEEP) => {}
            }
            self.sessions.sweep(self.gate.limits.session_idle);
        }
        let http = self.clone();
        // Nobody waits for this: without calls, the server ends before.
        tokio::spawn(async move {
            tokio::time::sleep(GRACE).await;
            http.closing.cancel();
            http.gate.close();
        });
        self.sessions.finish().await;
    }

    /// Serves one connection to the address `local`.
    pub(crate) async fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        local: IpAddr,
        guest: Guest,
        stop: CancellationToken,
    ) {
        let limits = self.gate.limits;
        let leave = guest.leave.clone();
        // One that shows the token in this time stays.
        let mut leaving = pin!(async move {
            leave.cancelled().await;
            tokio::time::sleep(limits.farewell).await;
        });
        let pace = tokio::sync::Mutex::new(Pace::new(limits.requests_per_second, limits.burst));
        let connection = Arc::new(Connection { guest, local, pace, pass: Mutex::default() });
        let guest = connection.clone();
        let service = service_fn(move |request| {
            let (http, connection) = (self.clone(), guest.clone());
            async move { Ok::<_, Infallible>(http.answer(request, &connection).await) }
        });
        let stream = TokioIo::new(Patient::new(stream, limits.patience));
        let serving = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .max_header_size(limits.head_bytes)
            .max_headers(limits.headers)
            .serve_connection(stream, service);
        let mut serving = pin!(serving);
        let (mut stops, mut has_left) = (false, false);
        loop {
            tokio::select! {
                served = serving.as_mut() => {
                    if let Err(error) = served {
                        tracing::debug!(%error, "an HTTP connection ended");
                    }
                    return;
                }
                () = stop.cancelled(), if !stops => {
                    stops = true;
                    serving.as_mut().graceful_shutdown();
                }
                () = leaving.as_mut(), if !has_left => {
                    has_left = true;
                    if !connection.guest.is_inside() {
                        return;
                    }
                }
            }
        }
    }

    /// Answers one request.
    async fn answer(&self, request: Request<RequestBody>, connection: &Connection) -> Response<Body> {
        let pass = match self.admit(&request, connection).await {
            Ok(pass) => pass,
            Err(refused) => return connection.after(*refused),
        };
        connection.shown(&pass);
        connection.guest.admit();
        connection.pace.lock().await.keep().await;
        let headers = request.headers();
        match *request.method() {
            Method::POST => self.post(request, pass).await,
            Method::GET if !headers::names_modern(headers) && headers.contains_key(SESSION) => {
                self.get(&request, &pass)
            }
            Method::DELETE if !headers::names_modern(headers) && headers.contains_key(SESSION) => {
                self.delete(&request, &pass)
            }
            _ => {
                let why = format!("Invalid request: send messages with POST to {PATH}");
                body::wrong_method("POST", &Refusal::new(None, INVALID_REQUEST, why))
            }
        }
    }

    /// The pass of who has sent a request, or the refusal of somebody who is not to be served here.
    async fn admit(
        &self,
        request: &Request<RequestBody>,
        connection: &Connection,
    ) -> Result<Pass, Box<Response<Body>>> {
        let refuse =
            |status, why: &str| Err(Box::new(body::refused(status, &Refusal::new(None, INVALID_REQUEST, why))));
        let (headers, access) = (request.headers(), &self.gate.access);
        let host = headers::text(headers, HOST.as_str());
        if !host.is_some_and(|host| access.knows_host(host, connection.local)) {
            return refuse(
                StatusCode::FORBIDDEN,
                "Forbidden: the header Host does not name this server; its user can allow a name with --allow-host",
            );
        }
        let is_foreign = |origin: &HeaderValue| !origin.to_str().is_ok_and(|origin| access.knows_origin(origin));
        if headers.get_all(ORIGIN).iter().any(is_foreign) {
            return refuse(
                StatusCode::FORBIDDEN,
                "Forbidden: the page in the header Origin may not use this server; its user can allow one with \
                 --allow-origin",
            );
        }
        if request.uri().path() != PATH {
            return refuse(StatusCode::NOT_FOUND, "Not found: the endpoint of this server is /mcp");
        }
        let token = headers::bearer(headers);
        if let Some(pass) = self.gate.admits(token.as_ref()).await {
            return Ok(pass);
        }
        let how = if token.is_some() { "the token is wrong" } else { "the token is missing" };
        let why = format!(
            "Unauthorized: {how}. Send the header `Authorization: Bearer TOKEN`; the token is in the file that the \
             server named when it started (--token-file), or was shown by `lispwright token add NAME`"
        );
        refuse(StatusCode::UNAUTHORIZED, &why).map_err(|mut response: Box<Response<Body>>| {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            response
        })
    }

    async fn post(&self, request: Request<RequestBody>, pass: Pass) -> Response<Body> {
        let (parts, content) = request.into_parts();
        let refuse = |status, why: &str| body::refused(status, &Refusal::new(None, INVALID_REQUEST, why));
        let headers = parts.headers;
        if !headers::is_json(&headers) {
            let why = "Invalid request: the header Content-Type has to be application/json";
            return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, why);
        }
        let accepted = Accepted::of(&headers);
        if !accepted.json && !accepted.events {
            let why = "Invalid request: the header Accept has to name application/json and text/event-stream";
            return refuse(StatusCode::NOT_ACCEPTABLE, why);
        }
        let length = headers::text(&headers, CONTENT_LENGTH.as_str()).and_then(|length| length.parse::<u64>().ok());
        let content = match tokio::time::timeout(self.gate.limits.body, read(content, length)).await {
            Ok(Ok(content)) => content,
            Ok(Err(response)) => return *response,
            Err(_) => {
                let why = "Invalid request: the body did not come in time";
                return refuse(StatusCode::REQUEST_TIMEOUT, why);
            }
        };
        if content.is_empty() {
            let why = "Parse error: the body is empty; send one JSON object";
            return body::refused(StatusCode::BAD_REQUEST, &Refusal::new(None, PARSE_ERROR, why));
        }
        match envelope::read(&content, &self.host.offers()) {
            Incoming::Refused(refusal) => body::refused(StatusCode::BAD_REQUEST, &refusal),
            Incoming::Request { id, request, .. } => {
                if matches!(*request, ClientRequest::InitializeRequest(_)) {
                    return self.sessions.begin(&self.host, &self.gate.limits, pass, id, *request).await;
                }
                let version = request.get_meta().protocol_version();
                if let Some(version) = version {
                    if let Err(why) = headers::mirror(&headers, &request, version.as_str()) {
                        let why = format!("Header mismatch: {why}");
                        return body::refused(StatusCode::BAD_REQUEST, &Refusal::new(Some(id), HEADER_MISMATCH, why));
                    }
                    let closing =
                        if pass.visitor().name.is_some() { pass.closing() } else { self.closing.child_token() };
                    return once::serve(&self.host, (closing, pass.visitor()), id, *request, accepted).await;
                }
                if headers::names_modern(&headers) || matches!(*request, ClientRequest::DiscoverRequest(_)) {
                    let why = "Invalid params: name `io.modelcontextprotocol/protocolVersion` and \
                               `io.modelcontextprotocol/clientCapabilities` in `params._meta` of every request";
                    return body::refused(StatusCode::BAD_REQUEST, &Refusal::new(Some(id), INVALID_PARAMS, why));
                }
                match self.session(&headers, &pass) {
                    Ok(session) => session.serve(id, *request, accepted).await,
                    Err(refuse) => refuse(Some(id)),
                }
            }
            _ if headers::names_modern(&headers) => body::empty(StatusCode::ACCEPTED),
            message => match self.session(&headers, &pass) {
                Ok(session) => session.take(message).await,
                Err(refuse) => refuse(None),
            },
        }
    }

    /// The session that a request belongs to, or the way to refuse it. Only the token that began a session uses it.
    fn session(
        &self,
        headers: &hyper::HeaderMap,
        pass: &Pass,
    ) -> Result<Arc<session::Session>, impl FnOnce(Option<rmcp::model::RequestId>) -> Response<Body> + use<>> {
        let id = headers::text(headers, SESSION);
        let is_known_version = headers::is_known_version(headers);
        let session = id.filter(|_| is_known_version).and_then(|id| self.sessions.get(id, pass));
        let has_id = id.is_some();
        session.ok_or(move |id| {
            if !is_known_version {
                let why = "Invalid request: the header MCP-Protocol-Version names no version that this server knows";
                return body::refused(StatusCode::BAD_REQUEST, &Refusal::new(id, INVALID_REQUEST, why));
            }
            if has_id {
                return session::gone(id);
            }
            let why = "Invalid request: send `initialize` first and its Mcp-Session-Id with every request, or name \
                       `io.modelcontextprotocol/protocolVersion` in `params._meta`";
            body::refused(StatusCode::BAD_REQUEST, &Refusal::new(id, INVALID_REQUEST, why))
        })
    }

    /// Opens or resumes the event stream of a session.
    fn get(&self, request: &Request<RequestBody>, pass: &Pass) -> Response<Body> {
        let headers = request.headers();
        let session = match self.session(headers, pass) {
            Ok(session) => session,
            Err(refuse) => return refuse(None),
        };
        if !Accepted::of(headers).events {
            let why = "Invalid request: the header Accept has to name text/event-stream";
            return body::refused(StatusCode::NOT_ACCEPTABLE, &Refusal::new(None, INVALID_REQUEST, why));
        }
        let last = headers::text(headers, LAST_EVENT).filter(|last| !last.is_empty());
        session.listen(last).unwrap_or_else(|| {
            let why = "Invalid request: the events after this Last-Event-ID are no longer kept; send the request again \
                       if its answer did not come";
            body::refused(StatusCode::BAD_REQUEST, &Refusal::new(None, INVALID_REQUEST, why))
        })
    }

    /// Ends a session.
    fn delete(&self, request: &Request<RequestBody>, pass: &Pass) -> Response<Body> {
        let removed = headers::text(request.headers(), SESSION).is_some_and(|id| self.sessions.remove(id, pass));
        if removed { body::empty(StatusCode::NO_CONTENT) } else { session::gone(None) }
    }
}

/// Reads the body of a request, or refuses it.
async fn read(mut body: RequestBody, length: Option<u64>) -> Result<Vec<u8>, Box<Response<Body>>> {
    let mut content = Vec::with_capacity(length.map_or(0, |length| length.min(LONGEST_LINE as u64) as usize));
    let mut is_long = length.is_some_and(|length| length > LONGEST_LINE as u64);
    while !is_long {
        let frame = match std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            None => return Ok(content),
            Some(Ok(frame)) => frame,
            Some(Err(error)) => {
                let why = format!("Parse error: the body could not be read: {error}");
                let refusal = Refusal::new(None, PARSE_ERROR, why);
                return Err(Box::new(body::refused(StatusCode::BAD_REQUEST, &refusal)));
            }
        };
        let Ok(data) = frame.into_data() else { continue };
        is_long = content.len() + data.len() > LONGEST_LINE;
        content.extend_from_slice(&data);
    }
    let mut salvage = Salvage::default();
    salvage.push(&content);
    let why = format!("Invalid request: a body of more than {LONGEST_LINE} bytes is not read; send less at once");
    let refusal = Refusal::new(salvage.id(), INVALID_REQUEST, why);
    Err(Box::new(body::refused(StatusCode::PAYLOAD_TOO_LARGE, &refusal)))
}

/// Tells a client that there are too many connections.
pub(crate) async fn turn_away(mut stream: impl AsyncRead + AsyncWrite + Unpin, most: usize) {
    let why = format!("the server has {most} connections, and takes no more; close one");
    let document = Refusal::new(None, INTERNAL_ERROR, why).json();
    let head = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Retry-After: {RETRY_AFTER}\r\nConnection: close\r\n\r\n",
        document.len()
    );
    say_farewell(&mut stream, &[head.as_bytes(), &document].concat()).await;
}

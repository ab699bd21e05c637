//! The sessions of the handshake revisions.
//!
//! A session is one connection in the sense of the rest of the server, however many sockets its client uses. It lives for
//! hours without a request; a client whose session is gone gets 404, and begins a new one.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use futures::stream::{iter, unfold};
use hyper::header::HeaderValue;
use hyper::{Response, StatusCode};
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, RequestId};
use rmcp::service::RunningService;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::body::{self, Body};
use super::headers::{self, Accepted};
use super::once::AT_ONCE;
use super::streams::{Reader, Streams};
use crate::envelope::{INTERNAL_ERROR, Incoming, Refusal};
use crate::host::{Handler, Host};
use crate::intake::{self, Intake, Taken};
use crate::network::Limits;
use crate::network::clients::Pass;

/// The first revision whose clients understand an event without a message.
const PRIMED_SINCE: &str = "2025-11-25";

/// All sessions, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Arc<Session>>>);

/// One session.
pub(crate) struct Session {
    id: String,
    /// Until the session ends.
    intake: tokio::sync::Mutex<Option<Intake<Streams>>>,
    streams: Streams,
    /// Of the token that began it.
    pass: Pass,
    closing: CancellationToken,
    /// The client understands an event without a message.
    is_primed: AtomicBool,
    used: Mutex<Instant>,
    /// Responses that are under way.
    open: AtomicUsize,
    _running: RunningService<RoleServer, Handler>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Whoever knows the id can use the session.
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Sessions {
    fn map(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        // Each change is one call, so a panic elsewhere does not spoil the map.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session of the token of `pass`.
    pub(crate) fn get(&self, id: &str, pass: &Pass) -> Option<Arc<Session>> {
        self.map().get(id).filter(|session| session.pass.is(pass)).cloned()
    }

    /// Ends a session whose client does not need it any more. Its running calls are cancelled.
    pub(crate) fn remove(&self, id: &str, pass: &Pass) -> bool {
        let mut map = self.map();
        let removed = if map.get(id).is_some_and(|session| session.pass.is(pass)) { map.remove(id) } else { None };
        removed.as_ref().inspect(|session| session.cancel()).is_some()
    }

    /// Ends sessions that nobody has used for long, and those whose token was revoked.
    pub(crate) fn sweep(&self, idle: Duration) {
        self.map().retain(|_, session| {
            session.streams.forget_old();
            let stays = session.pass.counts() && (session.is_open() || session.used().elapsed() < idle);
            if !stays {
                session.cancel();
            }
            stays
        });
    }

    /// Keeps a new session. Of too many, the one goes that was idle longest; `false` if none is idle.
    fn add(&self, session: Arc<Session>, most: usize) -> bool {
        let mut map = self.map();
        if map.len() >= most {
            let idle = map.values().filter(|session| !session.is_open()).min_by_key(|session| *session.used());
            let Some(id) = idle.map(|session| session.id.clone()) else { return false };
            if let Some(session) = map.remove(&id) {
                session.cancel();
            }
        }
        map.insert(session.id.clone(), session);
        true
    }

    /// Ends all sessions: running calls have a moment to finish.
    pub(crate) async fn finish(&self) {
        let sessions: Vec<Arc<Session>> = self.map().drain().map(|(_, session)| session).collect();
        futures::future::join_all(sessions.iter().map(|session| session.finish())).await;
    }

    /// Begins a session with the request `initialize`, and answers it.
    pub(crate) async fn begin(
        &self,
        host: &Arc<dyn Host>,
        limits: &Limits,
        pass: Pass,
        id: RequestId,
        request: ClientRequest,
    ) -> Response<Body> {
        let number = match random() {
            Ok(number) => number,
            Err(error) => {
                let why = format!("no session could be made: {error}");
                return body::refused(StatusCode::INTERNAL_SERVER_ERROR, &Refusal::new(Some(id), INTERNAL_ERROR, why));
            }
        };
        let session = Arc::new(Session::open(host, number, pass));
        let Some(answer) = session.answer_of(id.clone(), request).await else { return gone(Some(id)) };
        let document: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let version = document["result"]["protocolVersion"].as_str();
        session.is_primed.store(version.is_some_and(|version| version >= PRIMED_SINCE), Ordering::Relaxed);
        let mut response = body::json(StatusCode::OK, answer);
        if version.is_some() {
            let header = HeaderValue::from_str(&session.id).expect("hexadecimal digits");
            response.headers_mut().insert(headers::SESSION, header);
            if !self.add(session, limits.sessions) {
                let why = format!("{} sessions are in use; end one", limits.sessions);
                return body::refused(StatusCode::SERVICE_UNAVAILABLE, &Refusal::new(Some(id), INTERNAL_ERROR, why));
            }
        }
        response
    }
}

impl Session {
    fn open(host: &Arc<dyn Host>, id: String, pass: Pass) -> Self {
        let (closing, visitor) = (pass.closing(), pass.visitor());
        let streams = Streams::default();
        let (transport, intake) = intake::open(streams.clone());
        Self {
            id,
            intake: tokio::sync::Mutex::new(Some(intake)),
            streams,
            is_primed: AtomicBool::new(false),
            used: Mutex::new(Instant::now()),
            open: AtomicUsize::new(0),
            _running: rmcp::service::serve_directly(host.handler(closing.clone(), visitor), transport, None),
            pass,
            closing,
        }
    }

    fn used(&self) -> MutexGuard<'_, Instant> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    fn cancel(&self) {
        self.closing.cancel();
        self.streams.close();
    }

    async fn finish(&self) {
        if let Some(intake) = self.intake.lock().await.take() {
            intake.finish(self.closing.clone()).await;
        }
        self.cancel();
    }

    /// The answer to the request that opens the session.
    async fn answer_of(&self, id: RequestId, request: ClientRequest) -> Option<Vec<u8>> {
        let taken = self.intake.lock().await.as_mut()?.request(id, request, true).await;
        match taken.ok()? {
            Taken::Refused(refusal) => Some(refusal.json()),
            Taken::Number(number) => {
                let mut reader = self.streams.of_request(number);
                loop {
                    let event = reader.next().await?;
                    if event.is_answer {
                        reader.finish();
                        return Some(event.message.to_vec());
                    }
                }
            }
        }
    }

    /// Takes a message that is not answered.
    pub(crate) async fn take(self: Arc<Self>, message: Incoming) -> Response<Body> {
        let _visit = Visit::new(self.clone());
        let mut intake = self.intake.lock().await;
        let Some(intake) = &mut *intake else { return gone(None) };
        match intake.take(message).await {
            Ok(()) => body::empty(StatusCode::ACCEPTED),
            Err(_) => gone(None),
        }
    }

    /// Serves a request. The client that closes the response may resume it; the call goes on.
    pub(crate) async fn serve(
        self: Arc<Self>,
        id: RequestId,
        request: ClientRequest,
        accepted: Accepted,
    ) -> Response<Body> {
        let visit = Visit::new(self.clone());
        let taken = match &mut *self.intake.lock().await {
            Some(intake) => intake.request(id.clone(), request, false).await,
            None => return gone(Some(id)),
        };
        let number = match taken {
            Ok(Taken::Number(number)) => number,
            Ok(Taken::Refused(refusal)) => return body::refused(StatusCode::OK, &refusal),
            Err(_) => return gone(Some(id)),
        };
        let mut reader = self.streams.of_request(number);
        let beginning = reader.beginning();
        let first = loop {
            let next = reader.next();
            let event = match accepted.events {
                true => tokio::time::timeout(AT_ONCE, next).await,
                false => Ok(next.await),
            };
            match event {
                Ok(Some(event)) if event.is_answer && accepted.json => {
                    reader.finish();
                    return body::json(StatusCode::OK, event.message.to_vec());
                }
                // Nobody can be told of progress.
                Ok(Some(event)) if !event.is_answer && !accepted.events => {}
                Ok(first) => break first,
                Err(_) => break None,
            }
        };
        let priming = self.is_primed.load(Ordering::Relaxed).then(|| body::priming(&beginning));
        let first = first.map(|event| body::event(Some(&event.id), &event.message));
        body::events(iter(priming).chain(iter(first)).chain(rest(reader, visit)))
    }

    /// Opens the stream of messages that belong to no request, or resumes a stream after the event `last`.
    pub(crate) fn listen(self: Arc<Self>, last: Option<&str>) -> Option<Response<Body>> {
        let reader = match last {
            Some(last) => self.streams.after(last)?,
            None => self.streams.alone(),
        };
        // An open stream shows that the client is there.
        Some(body::events(rest(reader, Visit::new(self))))
    }
}

/// The events of a stream as they come.
fn rest(reader: Reader, visit: Visit) -> impl futures::Stream<Item = hyper::body::Bytes> + Send {
    unfold((reader, visit), |(mut reader, visit)| async {
        let event = reader.next().await?;
        Some((body::event(Some(&event.id), &event.message), (reader, visit)))
    })
}

/// The refusal of a request in a session that there is not.
pub(crate) fn gone(id: Option<RequestId>) -> Response<Body> {
    let why = "Invalid request: there is no such session any more; send `initialize` without Mcp-Session-Id";
    body::refused(StatusCode::NOT_FOUND, &Refusal::new(id, crate::envelope::INVALID_REQUEST, why))
}

/// A response that is under way in a session.
struct Visit(Arc<Session>);

impl Visit {
    fn new(session: Arc<Session>) -> Self {
        session.open.fetch_add(1, Ordering::Relaxed);
        *session.used() = Instant::now();
        Self(session)
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
        *self.0.used() = Instant::now();
    }
}

/// An id that nobody can guess.
fn random() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

//! The responses of the HTTP transport.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::{BoxStream, Stream, unfold};
use hyper::body::{Bytes, Frame, SizeHint};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use crate::envelope::Refusal;

/// The time after which a silent event stream shows that it is alive.
const SILENCE: Duration = Duration::from_secs(15);

/// The body of a response.
pub(crate) enum Body {
    /// One JSON document, or nothing.
    Whole(Bytes),
    /// Events as they come.
    Events(BoxStream<'static, Bytes>),
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = match &mut *self {
            Self::Whole(bytes) if bytes.is_empty() => None,
            Self::Whole(bytes) => Some(std::mem::take(bytes)),
            Self::Events(events) => ready!(events.as_mut().poll_next(context)),
        };
        Poll::Ready(piece.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Events(_) => SizeHint::default(),
        }
    }
}

/// A response without a body.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    respond(status, Body::Whole(Bytes::new()))
}

/// A response with one JSON document.
pub(crate) fn json(status: StatusCode, document: Vec<u8>) -> Response<Body> {
    let mut response = respond(status, Body::Whole(document.into()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A refusal as a JSON-RPC error.
pub(crate) fn refused(status: StatusCode, refusal: &Refusal) -> Response<Body> {
    tracing::debug!(code = refusal.code, %status, message = %refusal.message, "refused a request");
    json(status, refusal.json())
}

/// The refusal of a method that has no meaning here.
pub(crate) fn wrong_method(allowed: &'static str, refusal: &Refusal) -> Response<Body> {
    let mut response = refused(StatusCode::METHOD_NOT_ALLOWED, refusal);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// An event stream (HTML Living Standard, Server-sent events). While it is silent, comments keep it open.
pub(crate) fn events(events: impl Stream<Item = Bytes> + Send + 'static) -> Response<Body> {
    let lively = unfold(events.boxed(), |mut events| async {
        tokio::select! {
            biased;
            event = events.next() => event.map(|event| (event, events)),
            () = tokio::time::sleep(SILENCE) => Some((Bytes::from_static(b":\n\n"), events)),
        }
    });
    let mut response = respond(StatusCode::OK, Body::Events(lively.boxed()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies would collect the events.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn respond(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

/// One event with a message, JSON without a newline.
pub(crate) fn event(id: Option<&str>, message: &[u8]) -> Bytes {
    let mut event = Vec::with_capacity(message.len() + 64);
    if let Some(id) = id {
        event.extend_from_slice(b"id: ");
        event.extend_from_slice(id.as_bytes());
        event.push(b'\n');
    }
    event.extend_from_slice(b"event: message\ndata: ");
    event.extend_from_slice(message);
    event.extend_from_slice(b"\n\n");
    event.into()
}

/// An event without a message: the client learns an id from which it can resume, and when to try.
pub(crate) fn priming(id: &str) -> Bytes {
    format!("id: {id}\nretry: 1000\ndata:\n\n").into()
}

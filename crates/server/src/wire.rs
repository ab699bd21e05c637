//! The outgoing half of a connection, and the connection as the SDK uses it.
//!
//! A connection is a pair of byte streams, a session of Streamable HTTP, or one request of it. They differ in the place
//! to which a message goes, their [`Outlet`]; what is recorded about requests and answers is the same.

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::model::{ServerNotification, ServerRequest};
use rmcp::service::OriginatingRequestId;
use rmcp::transport::Transport;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::flights::Flights;

/// The part that a message has in the service of a request, which is named by the server's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its answer: the last message for it.
    Answer(i64),
    /// A message before its answer: progress, or a request of the server.
    During(i64),
    /// None.
    Alone,
}

/// The place to which the messages of a connection go.
pub(crate) trait Outlet: Send + Sync + 'static {
    /// Sends one message, JSON without a newline. An error means that the client takes no more.
    fn send(&self, message: Vec<u8>, part: Part) -> impl Future<Output = io::Result<()>> + Send;

    /// The client has withdrawn this request: nothing more is sent for it.
    fn withdrawn(&self, _number: i64) {}
}

/// The messages of a connection as lines of a byte stream.
pub(crate) struct LineOutlet<W>(tokio::sync::Mutex<W>);

impl<W> LineOutlet<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self(tokio::sync::Mutex::new(writer))
    }
}

impl<W: AsyncWrite + Unpin> LineOutlet<W> {
    /// Ends the stream, unless a message is still being written.
    pub(crate) async fn close(&self) {
        if let Ok(mut writer) = self.0.try_lock() {
            // The peer may have closed it already.
            let _ = writer.shutdown().await;
        }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Outlet for LineOutlet<W> {
    async fn send(&self, mut message: Vec<u8>, _part: Part) -> io::Result<()> {
        message.push(b'\n');
        let mut writer = self.0.lock().await;
        writer.write_all(&message).await?;
        writer.flush().await
    }
}

/// The outgoing half of a connection, shared by all that answer.
pub(crate) struct Wire<O> {
    pub(crate) outlet: O,
    flights: Mutex<Flights>,
    changed: Notify,
    /// Cancelled when the client no longer accepts answers.
    pub(crate) broken: CancellationToken,
}

impl<O: Outlet> Wire<O> {
    pub(crate) fn new(outlet: O) -> Self {
        Self { outlet, flights: Mutex::default(), changed: Notify::new(), broken: CancellationToken::new() }
    }

    pub(crate) fn flights(&self) -> MutexGuard<'_, Flights> {
        // The records are consistent after each call above, so a panic elsewhere does not damage them.
        self.flights.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Sends a message, and records that the client takes no more if that fails.
    pub(crate) async fn send(&self, message: Vec<u8>, part: Part) {
        if let Err(error) = self.outlet.send(message, part).await {
            tracing::debug!(%error, "the client no longer takes answers");
            self.broken.cancel();
        }
        if let Part::Answer(number) = part {
            self.flights().landed(number);
            self.changed.notify_waiters();
        }
    }

    /// Waits until the records satisfy a condition.
    pub(crate) async fn until(&self, condition: impl Fn(&Flights) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if condition(&self.flights()) {
                return;
            }
            changed.await;
        }
    }

    /// Takes a request back; it gets no answer.
    pub(crate) fn withdraw(&self, id: &RequestId) -> Option<i64> {
        let number = self.flights().withdraw(id)?;
        self.outlet.withdrawn(number);
        self.changed.notify_waiters();
        Some(number)
    }

    /// Gives an answer the client's own id. Returns its part, or `None` for a request that was withdrawn or answered.
    fn address(&self, message: &mut ServerJsonRpcMessage) -> Option<Part> {
        let mut flights = self.flights();
        let id = match message {
            JsonRpcMessage::Response(response) => &mut response.id,
            JsonRpcMessage::Error(error) => match error.id.as_mut() {
                Some(id) => id,
                None => return Some(Part::Alone),
            },
            JsonRpcMessage::Request(request) => {
                if let RequestId::Number(number) = request.id {
                    flights.asked.insert(number);
                }
                return Some(origin(&request.request).map_or(Part::Alone, Part::During));
            }
            JsonRpcMessage::Notification(notification) => {
                let number = match &notification.notification {
                    ServerNotification::ProgressNotification(progress) => {
                        flights.of_token(&progress.params.progress_token)
                    }
                    _ => None,
                };
                return Some(number.map_or(Part::Alone, Part::During));
            }
        };
        let RequestId::Number(number) = *id else { unreachable!("requests are passed on under numbers") };
        *id = flights.land(number)?;
        Some(Part::Answer(number))
    }
}

/// The number of the client's request in whose service the server asks something.
fn origin(request: &ServerRequest) -> Option<i64> {
    match request.extensions().get::<OriginatingRequestId>() {
        Some(OriginatingRequestId(RequestId::Number(number))) => Some(*number),
        _ => None,
    }
}

/// The connection as the SDK uses it.
pub(crate) struct WireTransport<O> {
    pub(crate) wire: Arc<Wire<O>>,
    pub(crate) inbox: mpsc::Receiver<ClientJsonRpcMessage>,
}

impl<O: Outlet> Transport<RoleServer> for WireTransport<O> {
    type Error = io::Error;

    fn send(&mut self, mut item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let wire = self.wire.clone();
        let part = wire.address(&mut item);
        async move {
            if let Some(part) = part {
                wire.send(serde_json::to_vec(&item)?, part).await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.inbox.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inbox.close();
        Ok(())
    }
}

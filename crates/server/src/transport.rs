//! One connection: strict lines in, answers out, and the records that give every request exactly one answer.
//!
//! The SDK's own transports drop lines that they cannot parse and let two requests share an id. Here a reader task
//! parses each line ([`crate::envelope`]), answers those that need no dispatch, and passes the rest on under a number
//! of its own, so that the client's ids never collide inside the server. [`Flights`] records the unanswered requests;
//! at the end of input they are given time to finish and then answered with an error.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    JsonRpcMessage, RequestId, RootsListChangedNotification, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::envelope::{self, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Incoming, Refusal};
use crate::lines::{LONGEST_LINE, Line, Lines};

/// The limit on a client's unanswered requests.
const MOST_IN_FLIGHT: usize = 1024;
/// The time that calls have after the end of input before they are cancelled.
const GRACE: Duration = Duration::from_millis(2500);
/// The time for cancelled calls to answer before the server answers for them.
const LAST_CALL: Duration = Duration::from_millis(800);
/// The time that a client which has stopped reading may delay the last answers.
const LAST_WRITE: Duration = Duration::from_millis(400);

/// The unanswered requests of a connection, by the client's id and by the server's number.
#[derive(Debug, Default)]
struct Flights {
    last: i64,
    ids: HashMap<i64, RequestId>,
    numbers: HashMap<RequestId, i64>,
    /// Requests of this server that the client has not answered.
    asked: HashSet<i64>,
    /// Answers that are being written.
    writing: HashSet<i64>,
}

/// The reason why a request is not accepted.
#[derive(Debug, PartialEq)]
enum Turned {
    Duplicate,
    TooMany,
}

impl Flights {
    fn board(&mut self, id: &RequestId) -> Result<i64, Turned> {
        if self.numbers.contains_key(id) {
            return Err(Turned::Duplicate);
        }
        if self.ids.len() >= MOST_IN_FLIGHT {
            return Err(Turned::TooMany);
        }
        self.last += 1;
        self.ids.insert(self.last, id.clone());
        self.numbers.insert(id.clone(), self.last);
        Ok(self.last)
    }

    /// The client's id for an answer that is to be written, unless the request was withdrawn or already answered.
    fn land(&mut self, number: i64) -> Option<RequestId> {
        let id = self.ids.remove(&number)?;
        self.numbers.remove(&id);
        self.writing.insert(number);
        Some(id)
    }

    fn withdraw(&mut self, id: &RequestId) -> Option<i64> {
        let number = self.numbers.remove(id)?;
        self.ids.remove(&number);
        Some(number)
    }

    fn is_idle(&self) -> bool {
        self.ids.is_empty() && self.writing.is_empty()
    }

    fn is_done(&self, number: i64) -> bool {
        !self.ids.contains_key(&number) && !self.writing.contains(&number)
    }
}

/// The outgoing half of a connection, shared by all that answer.
#[derive(Debug)]
struct Wire<W> {
    writer: tokio::sync::Mutex<W>,
    flights: Mutex<Flights>,
    changed: Notify,
    /// Cancelled when the client no longer accepts answers.
    broken: CancellationToken,
}

impl<W: AsyncWrite + Unpin> Wire<W> {
    fn flights(&self) -> MutexGuard<'_, Flights> {
        // The records are consistent after each call above, so a panic elsewhere does not damage them.
        self.flights.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    async fn write(&self, line: &[u8]) {
        let mut writer = self.writer.lock().await;
        let written = async {
            writer.write_all(line).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the client no longer takes answers");
            self.broken.cancel();
        }
    }

    async fn answer(&self, number: i64, line: &[u8]) {
        self.write(line).await;
        self.flights().writing.remove(&number);
        self.changed.notify_waiters();
    }

    /// Waits until the records satisfy a condition.
    async fn until(&self, condition: impl Fn(&Flights) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if condition(&self.flights()) {
                return;
            }
            changed.await;
        }
    }

    fn withdraw(&self, id: &RequestId) -> Option<i64> {
        let number = self.flights().withdraw(id);
        self.changed.notify_waiters();
        number
    }
}

/// The connection as the SDK uses it.
pub(crate) struct LineTransport<W> {
    wire: Arc<Wire<W>>,
    inbox: mpsc::Receiver<ClientJsonRpcMessage>,
}

/// Opens a connection. The returned future is its reader: it ends when the connection is over and all answers are
/// written. It cancels `closing` when running calls have to stop.
pub(crate) fn open<R, W>(
    reader: R,
    writer: W,
    closing: CancellationToken,
) -> (LineTransport<W>, impl Future<Output = ()> + Send)
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (sender, inbox) = mpsc::channel(64);
    let wire = Arc::new(Wire {
        writer: tokio::sync::Mutex::new(writer),
        flights: Mutex::default(),
        changed: Notify::new(),
        broken: CancellationToken::new(),
    });
    let reading = IncomingHalf { wire: wire.clone(), outbox: sender, legacy: false };
    (LineTransport { wire, inbox }, reading.run(reader, closing))
}

/// The incoming half of a connection.
struct IncomingHalf<W> {
    wire: Arc<Wire<W>>,
    outbox: mpsc::Sender<ClientJsonRpcMessage>,
    /// The client has sent `initialize`, so its requests need not name their protocol version.
    legacy: bool,
}

impl<W: AsyncWrite + Send + Unpin + 'static> IncomingHalf<W> {
    async fn run(mut self, reader: impl AsyncRead + Send + Unpin, closing: CancellationToken) {
        let wire = self.wire.clone();
        let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, reader));
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                () = wire.broken.cancelled() => break,
            };
            let incoming = match line {
                Ok(Some(Line::Whole(line))) => envelope::read(line),
                Ok(Some(Line::TooLong(salvage))) => envelope::refuse_salvaged(
                    &salvage,
                    INVALID_REQUEST,
                    format!("Invalid request: a line of more than {LONGEST_LINE} bytes was skipped; send less at once"),
                ),
                Ok(None) => break,
                Err(error) => {
                    tracing::debug!(%error, "input failed");
                    break;
                }
            };
            if self.take(incoming).await.is_err() {
                break;
            }
        }
        self.finish(closing).await;
    }

    /// Handles one line. `Err` means that nobody receives messages any more.
    async fn take(&mut self, incoming: Incoming) -> Result<(), mpsc::error::SendError<ClientJsonRpcMessage>> {
        match incoming {
            Incoming::Ignored => Ok(()),
            Incoming::RootsChanged => {
                let notification =
                    ClientNotification::RootsListChangedNotification(RootsListChangedNotification::default());
                self.outbox.send(ClientJsonRpcMessage::notification(notification)).await
            }
            Incoming::Response { id, message } => {
                let awaited = self.wire.flights().asked.remove(&id);
                if awaited { self.outbox.send(*message).await } else { Ok(()) }
            }
            Incoming::Refused(refusal) => {
                self.refuse(refusal).await;
                Ok(())
            }
            Incoming::Cancelled(id) => match self.wire.withdraw(&id) {
                Some(number) => self.outbox.send(cancellation(number)).await,
                None => Ok(()),
            },
            Incoming::Request { id, request, self_contained } => self.pass_on(id, *request, self_contained).await,
        }
    }

    async fn refuse(&self, mut refusal: Refusal) {
        // An id from a broken line may be that of a running call, whose own answer is still to come.
        if refusal.salvaged && refusal.id.as_ref().is_some_and(|id| self.wire.flights().numbers.contains_key(id)) {
            refusal.id = None;
        }
        tracing::debug!(code = refusal.code, message = %refusal.message, "refused a line");
        self.wire.write(&refusal.line()).await;
    }

    async fn pass_on(
        &mut self,
        id: RequestId,
        request: ClientRequest,
        self_contained: bool,
    ) -> Result<(), mpsc::error::SendError<ClientJsonRpcMessage>> {
        if !self_contained && !self.legacy {
            let why = "Invalid params: send `initialize` first, or name `io.modelcontextprotocol/protocolVersion` and \
                       `io.modelcontextprotocol/clientCapabilities` in `params._meta` of every request";
            self.refuse(Refusal::new(Some(id), INVALID_PARAMS, why)).await;
            return Ok(());
        }
        let boarded = self.wire.flights().board(&id);
        let number = match boarded {
            Ok(number) => number,
            Err(Turned::Duplicate) => {
                let why = "Invalid request: a request with this id is still being served; use another id";
                self.refuse(Refusal::new(Some(id), INVALID_REQUEST, why)).await;
                return Ok(());
            }
            Err(Turned::TooMany) => {
                let why = format!("{MOST_IN_FLIGHT} requests are unanswered; wait for answers before sending more");
                self.refuse(Refusal::new(Some(id), INTERNAL_ERROR, why)).await;
                return Ok(());
            }
        };
        let opens = matches!(request, ClientRequest::InitializeRequest(_));
        self.outbox.send(ClientJsonRpcMessage::request(request, RequestId::Number(number))).await?;
        if opens {
            // Messages after it are answered after it.
            self.legacy = true;
            let answered = self.wire.until(|flights| flights.is_done(number));
            tokio::select! {
                () = answered => {}
                () = self.outbox.closed() => {}
            }
        }
        Ok(())
    }

    /// Ends the connection: running calls finish, are cancelled, and finally the server answers for them.
    async fn finish(self, closing: CancellationToken) {
        let wire = &self.wire;
        if !wire.broken.is_cancelled() && self.idle_within(GRACE).await {
            return;
        }
        closing.cancel();
        if self.idle_within(LAST_CALL).await || wire.broken.is_cancelled() {
            return;
        }
        let left: Vec<RequestId> = wire.flights().numbers.keys().cloned().collect();
        let last_words = async {
            for id in left {
                if wire.withdraw(&id).is_some() {
                    let why = "the input ended before the call did; keep it open until the answer has come";
                    wire.write(&Refusal::new(Some(id), INTERNAL_ERROR, why).line()).await;
                }
            }
            wire.until(Flights::is_idle).await;
        };
        if tokio::time::timeout(LAST_WRITE, last_words).await.is_err() {
            tracing::debug!("the client did not take the last answers");
        }
    }

    async fn idle_within(&self, time: Duration) -> bool {
        tokio::select! {
            done = tokio::time::timeout(time, self.wire.until(Flights::is_idle)) => done.is_ok(),
            () = self.outbox.closed() => true,
        }
    }
}

fn cancellation(number: i64) -> ClientJsonRpcMessage {
    let param = CancelledNotificationParam::new(Some(RequestId::Number(number)), None);
    let notification = ClientNotification::CancelledNotification(CancelledNotification::new(param));
    ClientJsonRpcMessage::notification(notification)
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for LineTransport<W> {
    type Error = io::Error;

    fn send(&mut self, mut item: ServerJsonRpcMessage) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let wire = self.wire.clone();
        if let JsonRpcMessage::Request(request) = &item
            && let RequestId::Number(number) = request.id
        {
            wire.flights().asked.insert(number);
        }
        let id = match &mut item {
            JsonRpcMessage::Response(response) => Some(&mut response.id),
            JsonRpcMessage::Error(error) => error.id.as_mut(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let number = match id {
            Some(id) => {
                let RequestId::Number(number) = *id else { unreachable!("requests are passed on under numbers") };
                let landed = wire.flights().land(number);
                if let Some(own) = landed.clone() {
                    *id = own;
                }
                Some((number, landed.is_some()))
            }
            None => None,
        };
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            match number {
                Some((number, true)) => wire.answer(number, &line).await,
                // It was withdrawn, or answered when the input ended.
                Some((_, false)) => {}
                None => wire.write(&line).await,
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn an_id_is_taken_until_its_answer_lands() {
        let mut flights = Flights::default();
        let number = flights.board(&id(7)).unwrap();
        assert_eq!(flights.board(&id(7)), Err(Turned::Duplicate));
        assert_eq!(flights.land(number), Some(id(7)));
        assert_eq!(flights.land(number), None, "one answer only");
        // The client may use the id again as soon as it can have read the answer.
        assert!(flights.board(&id(7)).unwrap() != number);
        assert!(!flights.is_done(number), "the answer is being written");
    }

    #[test]
    fn a_withdrawn_request_lands_no_answer() {
        let mut flights = Flights::default();
        let number = flights.board(&id(7)).unwrap();
        assert_eq!(flights.withdraw(&id(7)), Some(number));
        assert_eq!(flights.withdraw(&id(7)), None);
        assert_eq!(flights.land(number), None);
        assert!(flights.is_idle());
    }

    #[test]
    fn unanswered_requests_are_bounded() {
        let mut flights = Flights::default();
        for number in 0..MOST_IN_FLIGHT as i64 {
            flights.board(&id(number)).unwrap();
        }
        assert_eq!(flights.board(&id(-1)), Err(Turned::TooMany));
        flights.withdraw(&id(5));
        assert!(flights.board(&id(-1)).is_ok());
    }
}

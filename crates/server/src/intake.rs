//! The incoming half of a connection: messages are recorded and passed on, or refused.
//!
//! The SDK's own transports drop lines that they cannot parse and let two requests share an id. Here a message comes
//! already parsed ([`crate::envelope`]). Requests are passed on under numbers of our own ([`crate::flights`]); at the end
//! of input they are given time to finish and then answered with an error.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    GetMeta, RequestId, RootsListChangedNotification,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::envelope::{INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, Incoming, Refusal};
use crate::flights::{Flights, MOST_IN_FLIGHT, Turned};
use crate::wire::{Outlet, Part, Wire, WireTransport};

/// The time that calls have after the end of input before they are cancelled.
pub(crate) const GRACE: Duration = Duration::from_millis(2500);
/// The time for cancelled calls to answer before the server answers for them.
pub(crate) const LAST_CALL: Duration = Duration::from_millis(800);
/// The time that a client which has stopped reading may delay the last answers.
const LAST_WRITE: Duration = Duration::from_millis(400);

/// Nobody receives messages any more.
#[derive(Debug)]
pub(crate) struct Over;

/// The outcome of a request that came.
#[derive(Debug)]
pub(crate) enum Taken {
    /// It is being served under this number.
    Number(i64),
    /// It is refused.
    Refused(Refusal),
}

/// The incoming half of a connection.
pub(crate) struct Intake<O> {
    pub(crate) wire: Arc<Wire<O>>,
    outbox: mpsc::Sender<ClientJsonRpcMessage>,
    /// The client has sent `initialize`, so its requests need not name their protocol version.
    pub(crate) legacy: bool,
}

/// Opens a connection: its two halves.
pub(crate) fn open<O: Outlet>(outlet: O) -> (WireTransport<O>, Intake<O>) {
    let (outbox, inbox) = mpsc::channel(64);
    let wire = Arc::new(Wire::new(outlet));
    (WireTransport { wire: wire.clone(), inbox }, Intake { wire, outbox, legacy: false })
}

impl<O: Outlet> Intake<O> {
    /// Handles one message; a refusal is sent as an answer.
    pub(crate) async fn take(&mut self, incoming: Incoming) -> Result<(), Over> {
        match incoming {
            Incoming::Ignored => Ok(()),
            Incoming::RootsChanged => {
                let notification =
                    ClientNotification::RootsListChangedNotification(RootsListChangedNotification::default());
                self.pass(ClientJsonRpcMessage::notification(notification)).await
            }
            Incoming::Response { id, message } => {
                let awaited = self.wire.flights().asked.remove(&id);
                if awaited { self.pass(*message).await } else { Ok(()) }
            }
            Incoming::Refused(refusal) => {
                self.refuse(refusal).await;
                Ok(())
            }
            Incoming::Cancelled(id) => match self.wire.withdraw(&id) {
                Some(number) => self.pass(cancellation(number)).await,
                None => Ok(()),
            },
            Incoming::Request { id, request, self_contained, .. } => {
                let opens = matches!(*request, ClientRequest::InitializeRequest(_));
                match self.request(id, *request, self_contained).await? {
                    // Messages after it are answered after it.
                    Taken::Number(number) if opens => self.answered(number).await,
                    Taken::Number(_) => {}
                    Taken::Refused(refusal) => self.refuse(refusal).await,
                }
                Ok(())
            }
        }
    }

    /// Records a request and passes it on.
    pub(crate) async fn request(
        &mut self,
        id: RequestId,
        request: ClientRequest,
        self_contained: bool,
    ) -> Result<Taken, Over> {
        if !self_contained && !self.legacy {
            let why = "Invalid params: send `initialize` first, or name `io.modelcontextprotocol/protocolVersion` and \
                       `io.modelcontextprotocol/clientCapabilities` in `params._meta` of every request";
            return Ok(Taken::Refused(Refusal::new(Some(id), INVALID_PARAMS, why)));
        }
        let boarded = self.wire.flights().board(&id, request.get_meta().get_progress_token());
        let number = match boarded {
            Ok(number) => number,
            Err(Turned::Duplicate) => {
                let why = "Invalid request: a request with this id is still being served; use another id";
                return Ok(Taken::Refused(Refusal::new(Some(id), INVALID_REQUEST, why)));
            }
            Err(Turned::TooMany) => {
                let why = format!("{MOST_IN_FLIGHT} requests are unanswered; wait for answers before sending more");
                return Ok(Taken::Refused(Refusal::new(Some(id), INTERNAL_ERROR, why)));
            }
        };
        self.legacy |= matches!(request, ClientRequest::InitializeRequest(_));
        self.pass(ClientJsonRpcMessage::request(request, RequestId::Number(number))).await?;
        Ok(Taken::Number(number))
    }

    async fn pass(&self, message: ClientJsonRpcMessage) -> Result<(), Over> {
        self.outbox.send(message).await.map_err(|_| Over)
    }

    async fn refuse(&self, mut refusal: Refusal) {
        // An id from a broken line may be that of a running call, whose own answer is still to come.
        if refusal.salvaged && refusal.id.as_ref().is_some_and(|id| self.wire.flights().has(id)) {
            refusal.id = None;
        }
        tracing::debug!(code = refusal.code, message = %refusal.message, "refused a message");
        self.wire.send(refusal.json(), Part::Alone).await;
    }

    async fn answered(&self, number: i64) {
        tokio::select! {
            () = self.wire.until(|flights| flights.is_done(number)) => {}
            () = self.outbox.closed() => {}
        }
    }

    /// Ends the connection: running calls finish, are cancelled (`closing`), and finally the server answers for them.
    pub(crate) async fn finish(self, closing: CancellationToken) {
        let wire = &self.wire;
        if !wire.broken.is_cancelled() && self.idle_within(GRACE).await {
            return;
        }
        closing.cancel();
        if self.idle_within(LAST_CALL).await || wire.broken.is_cancelled() {
            return;
        }
        let left = wire.flights().ids();
        let last_words = async {
            for id in left {
                let Some(number) = wire.flights().withdraw(&id) else { continue };
                let why = "the connection ended before the call did; keep it open until the answer has come";
                wire.send(Refusal::new(Some(id), INTERNAL_ERROR, why).json(), Part::Answer(number)).await;
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

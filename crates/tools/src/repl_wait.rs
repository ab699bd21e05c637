//! Waiting for a call of a session again: for a client that gave up the wait, or did not read the answer.

use std::sync::Arc;
use std::time::Instant;

use lispwright_runtime::Notice;
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Reply};
use crate::confirm::Compared;
use crate::image_text::one_line;
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::{DEFAULT_TIMEOUT, seconds};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The activity of a session, or its last answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WaitAnswer {
    /// The session.
    pub session: String,
    /// Nothing runs in it.
    pub ended: bool,
    /// Its activity, if something runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doing: Option<String>,
    /// The call that was answered last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The age of that answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_ago: Option<u64>,
    /// That answer.
    #[serde(skip)]
    pub reply: Option<Box<Reply>>,
}

impl WaitAnswer {
    /// The call that was waited for has failed.
    pub(crate) fn is_error(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| reply.as_ref().as_ref().map_or(true, Answer::is_error))
    }
}

/// Waits for the running call of `session` and for the comparison of its tests with a fresh image, at most `limit` seconds,
/// and repeats its last answer.
pub(crate) async fn wait(
    workshop: &Workshop,
    session: &str,
    limit: Option<f64>,
    context: &CallContext,
) -> Result<WaitAnswer, Refusal> {
    let (limit, began) = (seconds(limit)?.unwrap_or(DEFAULT_TIMEOUT), Instant::now());
    let sessions = &workshop.sessions;
    let doing = || one_line(&sessions.doing(session).unwrap_or_else(|| "ending".to_owned()), 400);
    let waiting = tokio::time::timeout(limit, sessions.wait(session));
    let given = tokio::select! {
        biased;
        () = context.cancel.cancelled() => Err(LiveFault::WaitWithdrawn.into()),
        given = context.telling(doing, waiting) => match given {
            Ok(given) => given.map(Some).map_err(Refusal::from),
            Err(_) => Ok(None),
        },
    }?;
    let nothing = WaitAnswer {
        session: session.to_owned(),
        ended: true,
        doing: None,
        call: None,
        seconds_ago: None,
        reply: None,
    };
    if given.is_some() {
        let compared = tokio::select! {
            biased;
            () = context.cancel.cancelled() => Compared::NotYet,
            compared = workshop.confirmations.wait(session, limit.saturating_sub(began.elapsed())) => compared,
        };
        if compared == Compared::NotYet {
            context.note(session, Notice::Comparing);
        }
        sessions.take_notices(session).into_iter().for_each(|notice| context.note(session, notice));
    }
    Ok(match given {
        Some(Some(given)) => WaitAnswer {
            call: Some(one_line(&given.what, 200)),
            seconds_ago: Some(Instant::now().saturating_duration_since(given.at).as_secs()),
            reply: given.answer.downcast_ref::<Reply>().cloned().map(Box::new),
            ..nothing
        },
        Some(None) => nothing,
        None => WaitAnswer { ended: false, doing: Some(doing()), ..nothing },
    })
}

/// Stores the answer to a call for [`wait`].
pub(crate) fn keep(context: &CallContext, reply: &Reply) {
    if let Some(ticket) = context.ticket() {
        ticket.answered(Arc::new(reply.clone()));
    }
}

//! Waiting for a call of a session once more: for a client that gave up waiting for it, or did not read its answer.

use std::time::Instant;

use lispwright_runtime::{Given, Sessions};
use serde_json::json;

use crate::answer::{Answer, Reply};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_eval::seconds;
use crate::repl_refused::{session_argument, session_error};
use crate::repl_status::outcome;
use crate::repl_text::{one_line, start_of_fenced};
use crate::tool::CallContext;

/// Characters that are kept of an answer.
const MOST_KEPT: usize = 40_000;

/// Waits for what `session` is doing, at most `limit` seconds, and gives the last answer there again.
pub(crate) async fn wait(
    sessions: &Sessions,
    session: &str,
    limit: Option<f64>,
    context: &CallContext,
) -> Result<Outcome, Refusal> {
    let limit = seconds(limit)?;
    let doing = || one_line(&sessions.doing(session).unwrap_or_else(|| "ending".to_owned()), 400);
    let waiting = tokio::time::timeout(limit, sessions.wait(session));
    let given = tokio::select! {
        biased;
        () = context.cancel.cancelled() => Err(Refusal::worded("CANCELLED", "Waiting was given up; the call goes on.")),
        given = context.telling(doing, waiting) => match given {
            Ok(given) => given.map_err(|error| session_error(error).into()).map(Some),
            Err(_) => Ok(None),
        },
    }?;
    let argument = session_argument(session);
    Ok(match given {
        Some(Some(given)) => again(session, given),
        Some(None) => outcome(
            format!("Session {session:?} runs nothing, and has given no answer that could be given again."),
            json!({"session": session, "ended": true}),
        ),
        None => outcome(
            format!(
                "Not over yet: {}. Wait on with repl_control {{\"action\": \"wait\"{argument}}}, or stop it with {{\"action\": \
                 \"interrupt\"{argument}}}.",
                doing()
            ),
            json!({"session": session, "ended": false, "doing": doing()}),
        ),
    })
}

fn again(session: &str, given: Given) -> Outcome {
    let ago = Instant::now().saturating_duration_since(given.at).as_secs();
    let what = one_line(&given.what, 200);
    let text = format!("[again] The last answer in session {session:?}, given {ago} s ago to {what}:\n{}", given.text);
    let fields = json!({"session": session, "ended": true, "call": what, "seconds_ago": ago, "answer": given.text});
    Outcome { is_error: given.is_error, ..outcome(text, fields) }
}

/// Leaves the answer to a call where [`wait`] finds it.
pub(crate) fn keep(context: &CallContext, reply: &Reply) {
    let Ok(Answer::Worded(outcome)) = reply else { return };
    if let Some(ticket) = context.ticket() {
        ticket.answered(start_of_fenced(&outcome.text, MOST_KEPT).0, outcome.is_error);
    }
}

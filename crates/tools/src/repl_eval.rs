//! `repl_eval`: evaluate code in a session's live image.

use std::time::{Duration, SystemTime};

use lispwright_runtime::{Ending, EvalReport, EvalRequest, Node, Request, SessionError, Sessions};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Reply;
use crate::image_text::one_line;
use crate::refusal::Refusal;
use crate::repl_refused::{session_argument, session_error};
use crate::repl_report::{answer, output_limit};
use crate::repl_session::open;
use crate::tool::CallContext;

/// How long a call may take when it is not said.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Elements of each list or vector that are printed when it is not said: the rest is there to be looked at.
pub(crate) const PRINTED: u32 = 200;

/// The longest a call may be allowed to take, in seconds.
const LONGEST: f64 = 86_400.0;

/// What to do when the code ends in an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// Unwind the stack and answer.
    #[default]
    Unwind,
    /// Keep the stack for `repl_control`.
    Hold,
}

/// Arguments of `repl_eval`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplEval {
    /// Forms to evaluate, one after the other
    pub code: String,
    /// Made on first use (default "main", or the runtime's name)
    #[serde(default)]
    pub session: Option<String>,
    /// sbcl, ecl, clisp, guile, clojure, emacs (default: the session's, or what the project is for)
    #[serde(default)]
    pub runtime: Option<String>,
    /// Package, or module such as "(my app)", for this call (default: the session's)
    #[serde(default)]
    pub package: Option<String>,
    /// Seconds until the code is interrupted, its state kept (default 30)
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// Characters in the answer (default 10000, at most 40000)
    #[serde(default)]
    pub max_output_length: Option<u32>,
    /// *print-level*
    #[serde(default)]
    pub print_level: Option<u32>,
    /// *print-length* (default 200)
    #[serde(default)]
    pub print_length: Option<u32>,
    /// Forbid evaluation by the reader (#.)
    #[serde(default)]
    pub safe_read: bool,
    /// hold: keep the stack of an error for repl_control
    #[serde(default)]
    pub on_error: OnError,
    /// Evaluate in a copy of the image that is thrown away
    #[serde(default)]
    pub trial: bool,
}

/// Evaluates and words the answer. Cancelling the context interrupts the code and keeps the session's state.
pub async fn repl_eval(sessions: &Sessions, args: ReplEval, context: &CallContext) -> Reply {
    let limit = output_limit(args.max_output_length);
    let evaluated = async {
        let request = request(&args, limit)?;
        let session = open(sessions, args.session.as_deref(), args.runtime.as_deref())?;
        ask(sessions, &session, Request::Eval(request), context).await
    };
    match evaluated.await {
        Ok(report) => {
            let mut outcome = answer(&report, limit);
            if args.print_length.is_none() {
                outcome.text.push_str(&further_elements(&report));
            }
            if args.on_error == OnError::Hold && matches!(&report.ending, Ending::Error { error, .. } if !error.kept) {
                outcome.text.push_str("\n[note] Not held: the stack is exhausted, or ten are held already.");
            }
            outcome.into()
        }
        Err(refusal) => Err(refusal.with("execution_status", "not-executed")),
    }
}

/// How to see the elements of the value that were not printed.
fn further_elements(report: &EvalReport) -> String {
    let Some(Node { kind, id: Some(id), total: Some(total), .. }) = &report.object else { return String::new() };
    if !matches!(kind.as_str(), "list" | "array" | "vector") || *total <= u64::from(PRINTED) {
        return String::new();
    }
    let argument = session_argument(&report.session);
    format!(
        "\n[note] {PRINTED} of {total} elements are printed; the next: inspect_object {{\"id\": {id}, \"offset\": \
         {PRINTED}{argument}}}; or call with print_length."
    )
}

/// Asks the image of `session` behind all that it was asked before, tells the caller what is being waited for, and writes
/// down what became of it.
pub(crate) async fn ask(
    sessions: &Sessions,
    session: &str,
    request: Request,
    context: &CallContext,
) -> Result<EvalReport, Refusal> {
    let (began, asked) = (SystemTime::now(), context.transcript.is_some().then(|| request.clone()));
    let answered = wait(sessions, session, request, context).await;
    if let (Some(transcript), Some(asked)) = (&context.transcript, asked) {
        transcript.note(context.caller.as_deref(), session, &asked, began, answered.as_ref());
    }
    answered
}

async fn wait(
    sessions: &Sessions,
    session: &str,
    request: Request,
    context: &CallContext,
) -> Result<EvalReport, Refusal> {
    context.turn().await;
    let call = sessions.queue(session, request).map_err(session_error)?;
    context.leave();
    let ticket = call.ticket();
    let doing = || one_line(&ticket.doing(), 400);
    let answered = context.telling(doing, call.answer(&context.cancel)).await;
    match &answered {
        Err(SessionError::Withdrawn(_) | SessionError::Ended(_)) => ticket.came_to_nothing(),
        _ => context.has_asked(ticket.clone()),
    }
    answered.map_err(|error| session_error(error).into())
}

fn request(args: &ReplEval, limit: usize) -> Result<EvalRequest, Refusal> {
    if args.trial && args.on_error == OnError::Hold {
        return Err(Refusal::worded(
            "BAD_ARGUMENT",
            "A trial's copy of the image is thrown away with its stack: leave out `trial` or `on_error`. To try with the stack \
             held: repl_control {\"action\": \"checkpoint\"}, repl_eval, then {\"action\": \"rollback\"}.",
        ));
    }
    Ok(EvalRequest {
        package: args.package.clone(),
        safe_read: args.safe_read,
        print_level: args.print_level,
        print_length: args.print_length.or(Some(PRINTED)),
        value_limit: limit,
        timeout: seconds(args.timeout_seconds)?,
        trial: args.trial,
        hold: args.on_error == OnError::Hold,
        ..EvalRequest::new(args.code.clone())
    })
}

/// How long a call may take.
pub(crate) fn seconds(asked: Option<f64>) -> Result<Duration, Refusal> {
    seconds_or(asked, DEFAULT_TIMEOUT)
}

/// How long a call may take, when it is not asked for otherwise.
pub(crate) fn seconds_or(asked: Option<f64>, default: Duration) -> Result<Duration, Refusal> {
    let Some(seconds) = asked else { return Ok(default) };
    if !(seconds > 0.0 && seconds <= LONGEST) {
        return Err(Refusal::worded(
            "BAD_ARGUMENT",
            format!("timeout_seconds is {seconds}; it must be more than 0 and at most {LONGEST}."),
        ));
    }
    Ok(Duration::from_secs_f64(seconds))
}

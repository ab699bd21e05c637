//! `repl_eval`: evaluates code in a session's live image.

use std::path::Path;
use std::time::{Duration, SystemTime};

use lispwright_runtime::{
    Call, Ending, EvalReport, EvalRequest, Fresh, Question, Request, SessionError, Sessions, Ticket, TimeLimit, Visit,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::aside::Aside;
use crate::eval_answer::{EvalAnswer, ended, output_limit};
use crate::event::Event;
use crate::image_text::one_line;
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_session::open;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::unbound::unbound_in_error;
use crate::workshop::Workshop;

/// The default time limit of a call.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Elements of each list or vector that are printed by default; `inspect_object` shows the rest.
pub(crate) const PRINTED: u32 = 200;

/// The longest time limit of a call, in seconds.
const LONGEST: f64 = 86_400.0;

/// The handling of an error that ends the code.
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
    /// Forms, evaluated in order
    pub code: String,
    /// Made on first use; default "main" or the runtime
    #[serde(default)]
    pub session: Option<String>,
    /// sbcl, ecl, clisp, guile, chez, racket, clojure, emacs
    #[serde(default)]
    pub runtime: Option<String>,
    /// Or module, "(my app)"
    #[serde(default)]
    pub package: Option<String>,
    /// Default 30; the state is kept
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// Characters, default 10000
    #[serde(default)]
    pub max_output_length: Option<u32>,
    /// Print level
    #[serde(default)]
    pub print_level: Option<u32>,
    /// Default 200
    #[serde(default)]
    pub print_length: Option<u32>,
    /// Forbid #.
    #[serde(default)]
    pub safe_read: bool,
    /// hold: repl_control sees the stack
    #[serde(default)]
    pub on_error: OnError,
    /// In a throwaway copy of the image
    #[serde(default)]
    pub trial: bool,
}

/// Evaluates. Cancelling the context interrupts the code and keeps the session's state.
pub async fn repl_eval(workshop: &Workshop, args: ReplEval, context: &CallContext) -> Result<EvalAnswer, Refusal> {
    let sessions = &workshop.sessions;
    let limit = output_limit(args.max_output_length);
    let request = request(&args, limit)?;
    let session = open(sessions, args.session.as_deref(), args.runtime.as_deref())?;
    let request = Request::Eval(request);
    let mut visit = visit(sessions, &session, &request, context).await?;
    let report = visit.ask(request).await?;
    if !args.trial {
        workshop.ledger.enter(&args.code, args.package.as_deref(), &report, visit.pid());
    }
    let unbound = unbound_in_error(workshop, &mut visit, &report, context).await?;
    drop(visit);
    let answer = EvalAnswer::of(report, limit)?;
    let is_unwound = matches!(&answer.report.ending, Ending::Error { error, .. } if !error.kept);
    Ok(EvalAnswer {
        unbound,
        print_length: args.print_length.is_none().then_some(PRINTED),
        is_not_held: args.on_error == OnError::Hold && is_unwound,
        ..answer
    })
}

/// Asks the image of `session` after all its earlier calls, reports progress to the caller, and the result to
/// observers.
pub(crate) async fn ask(
    sessions: &Sessions,
    session: &str,
    request: Request,
    context: &CallContext,
) -> Result<EvalReport, Refusal> {
    visit(sessions, session, &request, context).await?.ask(request).await
}

/// The turn of a call in a session, for one request or several in a row.
pub(crate) struct Visiting<'c> {
    session: String,
    visit: Visit,
    ticket: Ticket,
    context: &'c CallContext,
    /// The call's answer is kept in the session.
    is_kept: bool,
}

/// Waits for the turn in `session` after all its earlier calls. `request` is the one for which the call is made.
pub(crate) async fn visit<'c>(
    sessions: &Sessions,
    session: &str,
    request: &Request,
    context: &'c CallContext,
) -> Result<Visiting<'c>, Refusal> {
    context.turn().await;
    let call = sessions.queue(session, request.clone())?;
    context.leave();
    begun(call, session, context).await
}

/// A call that has its turn.
async fn begun<'c>(call: Call, session: &str, context: &'c CallContext) -> Result<Visiting<'c>, Refusal> {
    let ticket = call.ticket();
    let began = context.telling(|| doing(&ticket), call.begin(&context.cancel)).await;
    if began.is_err() {
        ticket.came_to_nothing();
    }
    Ok(Visiting { session: session.to_owned(), visit: began?, ticket, context, is_kept: true })
}

fn doing(ticket: &Ticket) -> String {
    one_line(&ticket.doing(), 400)
}

impl<'c> Visiting<'c> {
    /// Visits a fresh image, which runs no other calls.
    pub(crate) async fn in_fresh(fresh: &Fresh, request: &Request, context: &'c CallContext) -> Result<Self, Refusal> {
        let visiting = begun(fresh.queue(request.clone())?, fresh.name(), context).await?;
        Ok(Self { is_kept: false, ..visiting })
    }

    /// The image runs.
    pub(crate) fn has_image(&self) -> bool {
        self.visit.has_image()
    }

    /// The process of the image, if it was started here.
    pub(crate) fn pid(&self) -> Option<i32> {
        self.visit.pid()
    }

    /// Exchanges the images of the two sessions that are visited.
    pub(crate) fn exchange(&mut self, other: &mut Visiting<'_>) {
        self.visit.exchange(&mut other.visit);
    }

    /// The session.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// Makes a request, reports progress to the caller, and the result to observers.
    pub(crate) async fn ask(&mut self, request: Request) -> Result<EvalReport, Refusal> {
        let Self { session, visit, ticket, context, is_kept } = self;
        let (began, asked) = (SystemTime::now(), context.observer.is_some().then(|| request.clone()));
        if let Some(request) = &asked {
            context.observe(&Event::Asked { session, request, began });
        }
        let answered = context.telling(|| doing(ticket), visit.ask(request, &context.cancel)).await;
        match &answered {
            Err(SessionError::Withdrawn(_) | SessionError::Ended(_)) => ticket.came_to_nothing(),
            _ if *is_kept => context.has_asked(ticket.clone()),
            _ => {}
        }
        let mut answered = answered.map_err(Refusal::from);
        if let (Ok(report), Some(root)) = (&mut answered, &context.root) {
            frames_below(report, root);
        }
        if let Some(request) = &asked {
            context.observe(&Event::Answered { session, request, began, answered: answered.as_ref() });
        }
        answered
    }
}

/// Calls the files of frames as calls name them.
fn frames_below(report: &mut EvalReport, root: &Path) {
    let frames = match &mut report.ending {
        Ending::Error { error, .. } => &mut error.frames,
        Ending::Stopped { frames, .. } | Ending::Frames { frames, .. } => frames,
        _ => return,
    };
    for file in frames.iter_mut().filter_map(|frame| frame.file.as_mut()) {
        *file = relative(file, root);
    }
}

/// The typed answer to a question, with the notes of the session.
pub(crate) struct Told<A> {
    pub(crate) answer: A,
    /// The session's package after the call.
    pub(crate) package: Option<String>,
    /// The number of stacks that are held.
    pub(crate) held: u32,
    pub(crate) aside: Aside,
}

/// Like [`ask`]. An image that stopped, refused or died is a refusal.
pub(crate) async fn ask_for<Q: Question>(
    sessions: &Sessions,
    session: &str,
    question: Q,
    context: &CallContext,
) -> Result<Told<Q::Answer>, Refusal> {
    told::<Q>(ask(sessions, session, question.into(), context).await?)
}

/// The same, unless the image is busy for longer than `patience`, which is a refusal.
pub(crate) async fn ask_soon<Q: Question>(
    sessions: &Sessions,
    session: &str,
    question: Q,
    patience: Duration,
    context: &CallContext,
) -> Result<Told<Q::Answer>, Refusal> {
    let request = question.into();
    let Ok(visiting) = tokio::time::timeout(patience, visit(sessions, session, &request, context)).await else {
        let doing = sessions.doing(session).unwrap_or_default();
        return Err(SessionError::Busy { session: session.to_owned(), doing, waiting: 0 }.into());
    };
    told::<Q>(visiting?.ask(request).await?)
}

fn told<Q: Question>(mut report: EvalReport) -> Result<Told<Q::Answer>, Refusal> {
    let aside = Aside::from(&report);
    let ending = std::mem::replace(&mut report.ending, Ending::Tested);
    match Q::answer(ending) {
        Ok(answer) => Ok(Told { answer, package: report.package, held: report.held, aside }),
        Err(ending) => Err(ended(EvalReport { ending: *ending, ..report })),
    }
}

fn request(args: &ReplEval, limit: usize) -> Result<EvalRequest, Refusal> {
    if args.trial && args.on_error == OnError::Hold {
        return Err(LiveFault::TrialHeld.into());
    }
    Ok(EvalRequest {
        package: args.package.clone(),
        safe_read: args.safe_read,
        print_level: args.print_level,
        print_length: args.print_length.or(Some(PRINTED)),
        value_limit: limit,
        timeout: time_limit(args.timeout_seconds)?,
        trial: args.trial,
        hold: args.on_error == OnError::Hold,
        ..EvalRequest::new(args.code.clone())
    })
}

/// The time limit of a call.
pub(crate) fn time_limit(asked: Option<f64>) -> Result<TimeLimit, Refusal> {
    time_limit_or(asked, DEFAULT_TIMEOUT)
}

/// The time limit of a call with another default.
pub(crate) fn time_limit_or(asked: Option<f64>, default: Duration) -> Result<TimeLimit, Refusal> {
    Ok(seconds(asked)?.map_or(default.into(), TimeLimit::named))
}

/// A time that a caller has named.
pub(crate) fn seconds(asked: Option<f64>) -> Result<Option<Duration>, Refusal> {
    match asked {
        Some(seconds) if !(seconds > 0.0 && seconds <= LONGEST) => {
            Err(LiveFault::BadTimeout { seconds, longest: LONGEST }.into())
        }
        asked => Ok(asked.map(Duration::from_secs_f64)),
    }
}

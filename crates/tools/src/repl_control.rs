//! `repl_control`: lists the live sessions; starts, interrupts, ends and renews them.

use std::time::SystemTime;

use lispwright_runtime::{MAIN, Request, SessionStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::{Answer, Reply, any_fields_schema, fields_schema};
use crate::drift::{DriftAnswer, drift};
use crate::eval_answer::{EvalAnswer, output_limit};
use crate::event::{Event, SessionAct};
pub use crate::repl_action::{ReplAction, ReplControl};
use crate::repl_attach::{attach, detach};
use crate::repl_eval::{ask, seconds};
use crate::repl_held::{FramesAnswer, LevelsAnswer, LocalsAnswer, held};
use crate::repl_session::{chosen, named_runtime};
use crate::repl_status::{SessionFacts, StatusAnswer, status};
use crate::repl_wait::{WaitAnswer, wait};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// A session that was started, renewed or attached.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SessionAnswer {
    /// Its present status.
    #[serde(flatten)]
    pub facts: SessionFacts,
    /// The result of the action.
    #[serde(skip)]
    pub became: Became,
    /// An image was ended for it.
    #[serde(skip)]
    pub replaced: bool,
    /// The status from the runtime crate.
    #[serde(skip)]
    pub status: SessionStatus,
}

/// The result of an action on a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// It has an image.
    Ready,
    /// It has a fresh image.
    Fresh,
    /// It has joined a server.
    Attached,
}

impl SessionAnswer {
    pub(crate) fn new(status: SessionStatus, became: Became) -> Self {
        Self { facts: SessionFacts::from(&status), became, replaced: false, status }
    }
}

/// The effect on a session: an interrupt, an end, or a server that was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ActAnswer {
    /// The session.
    pub session: String,
    /// Whether there was something to interrupt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<bool>,
    /// Whether there was an image to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed: Option<bool>,
    /// A server was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detached: Option<bool>,
    /// The server that was left still answers.
    #[serde(skip)]
    pub server_answers: bool,
}

impl ActAnswer {
    pub(crate) fn on(session: &str) -> Self {
        Self { session: session.to_owned(), interrupted: None, killed: None, detached: None, server_answers: false }
    }
}

/// The schema of the answers of all actions.
pub fn control_schema() -> Map<String, Value> {
    any_fields_schema([
        fields_schema::<StatusAnswer>(),
        fields_schema::<SessionAnswer>(),
        fields_schema::<ActAnswer>(),
        fields_schema::<WaitAnswer>(),
        fields_schema::<DriftAnswer>(),
        fields_schema::<EvalAnswer>(),
        fields_schema::<LevelsAnswer>(),
        fields_schema::<FramesAnswer>(),
        fields_schema::<LocalsAnswer>(),
    ])
}

/// Carries out `args.action`. Actions that end or interrupt do not wait for the running call; those that need the image
/// do.
pub async fn repl_control(workshop: &Workshop, args: ReplControl, context: &CallContext) -> Reply {
    let began = SystemTime::now();
    let reply = control(workshop, &args, context).await;
    if let Some(act) = act(&args) {
        // The answer has the session that was meant.
        let session = match &reply {
            Ok(Answer::Live(answer)) => answer.session(),
            _ => None,
        };
        let session = session.or(args.session.as_deref()).unwrap_or(MAIN);
        context.observe(&Event::SessionChanged { session, act, began, reply: &reply });
    }
    reply
}

/// The action on a session that observers see; `None` for actions that only look, and for requests to its image, which
/// are reported when they are sent.
fn act(args: &ReplControl) -> Option<SessionAct<'_>> {
    Some(match args.action {
        ReplAction::Start => SessionAct::Start,
        ReplAction::Interrupt => SessionAct::Interrupt,
        ReplAction::Kill => SessionAct::Kill,
        ReplAction::Reset => SessionAct::Reset,
        ReplAction::Attach => SessionAct::Attach(args.address.as_deref()),
        ReplAction::Detach => SessionAct::Detach,
        _ => return None,
    })
}

async fn control(workshop: &Workshop, args: &ReplControl, context: &CallContext) -> Reply {
    let sessions = &workshop.sessions;
    if matches!(args.action, ReplAction::Status | ReplAction::Interrupt | ReplAction::Kill | ReplAction::Detach) {
        context.leave();
    }
    let runtime = args.runtime.as_deref().map(named_runtime).transpose()?;
    let session = chosen(sessions, args.session.as_deref(), runtime);
    if matches!(args.action, ReplAction::Start | ReplAction::Reset) {
        sessions.open(session, runtime)?;
    }
    Ok(match args.action {
        ReplAction::Status => status(sessions, args.session.as_deref()).await?.into(),
        ReplAction::Start => {
            let started = context.in_order(sessions.start(session, seconds(args.timeout_seconds)?)).await?;
            SessionAnswer::new(started, Became::Ready).into()
        }
        ReplAction::Reset => {
            let replaced = sessions.status().sessions.iter().any(|one| one.name == session && one.pid.is_some());
            let started = context.in_order(sessions.reset(session, seconds(args.timeout_seconds)?)).await?;
            SessionAnswer { replaced, ..SessionAnswer::new(started, Became::Fresh) }.into()
        }
        ReplAction::Wait => context.in_order(wait(workshop, session, args.timeout_seconds, context)).await?.into(),
        ReplAction::Drift => drift(workshop, session, context).await?.into(),
        ReplAction::Interrupt => {
            ActAnswer { interrupted: Some(sessions.interrupt(session)?), ..ActAnswer::on(session) }.into()
        }
        ReplAction::Kill => ActAnswer { killed: Some(sessions.kill(session).await?), ..ActAnswer::on(session) }.into(),
        ReplAction::Checkpoint => {
            let name = args.name.clone().unwrap_or_else(|| "checkpoint".to_owned());
            let report = ask(sessions, session, Request::Checkpoint(name), context).await?;
            EvalAnswer::of(report, output_limit(None))?.into()
        }
        ReplAction::Rollback => {
            let report = ask(sessions, session, Request::Rollback(args.name.clone()), context).await?;
            EvalAnswer::of(report, output_limit(None))?.into()
        }
        ReplAction::Attach => attach(sessions, args, runtime, context).await?.into(),
        ReplAction::Detach => detach(sessions, args.session.as_deref()).await?.into(),
        ReplAction::Restarts
        | ReplAction::Restart
        | ReplAction::Abort
        | ReplAction::Frames
        | ReplAction::Locals
        | ReplAction::EvalInFrame => held(sessions, session, args, context).await?,
    })
}

//! The actions of `repl_control` on a held error: show its stack, evaluate in it, leave it.

use lispwright_runtime::{
    EvalRequest, Frame, Frames, LispError, ListFrames, ListHeld, ListLocals, Locals, Node, Request, RestartName,
    Sessions,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Reply};
use crate::aside::Aside;
use crate::eval_answer::{EvalAnswer, FrameFacts, RestartFacts, facts_of, output_limit, restarts_of};
use crate::live_fault::LiveFault;
use crate::object::Object;
use crate::refusal::Refusal;
use crate::repl_action::{ReplAction, ReplControl};
use crate::repl_eval::{PRINTED, Told, ask, ask_for, time_limit};
use crate::tool::CallContext;

/// Frames in one answer.
const FRAMES: u32 = 20;

/// The held errors.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LevelsAnswer {
    /// The session.
    pub session: String,
    /// The number of held stacks.
    pub held: u32,
    /// Their errors, innermost first.
    pub levels: Vec<Level>,
    /// The same, from the image.
    #[serde(skip)]
    pub errors: Vec<LispError>,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// An error whose stack is held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Level {
    /// The type of its condition.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its message.
    pub message: String,
    /// Its restarts.
    pub restarts: Vec<RestartFacts>,
}

/// Frames of the innermost held stack.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FramesAnswer {
    /// The session.
    pub session: String,
    /// The number of held stacks.
    pub held: u32,
    /// The requested range of the frames.
    pub frames: Vec<FrameFacts>,
    /// The total number.
    pub total: u32,
    /// The frames, from the image.
    #[serde(skip)]
    pub stack: Vec<Frame>,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// The variables of a frame.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LocalsAnswer {
    /// The session.
    pub session: String,
    /// The number of held stacks.
    pub held: u32,
    /// The frame.
    pub frame: FrameFacts,
    /// Its variables.
    pub locals: Vec<Variable>,
    /// The frame, from the image.
    #[serde(skip)]
    pub in_stack: Frame,
    /// The variables, from the image.
    #[serde(skip)]
    pub nodes: Vec<(String, Node)>,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// A variable and its value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Object,
}

/// Carries out `args.action` on the held errors of `session`.
pub(crate) async fn held(sessions: &Sessions, session: &str, args: &ReplControl, context: &CallContext) -> Reply {
    let frame = args.frame.unwrap_or(0);
    Ok(match args.action {
        ReplAction::Frames => {
            let question = ListFrames { offset: frame, count: FRAMES };
            let Told { answer, held, aside, .. } = ask_for(sessions, session, question, context).await?;
            let Frames { frames: stack, total } = answer;
            FramesAnswer { session: aside.session.clone(), held, frames: facts_of(&stack), total, stack, aside }.into()
        }
        ReplAction::Locals => {
            let Told { answer, held, aside, .. } = ask_for(sessions, session, ListLocals { frame }, context).await?;
            let Locals { frame: in_stack, locals: nodes } = answer;
            let variable = |(name, node): &(String, Node)| Variable { name: name.clone(), value: Object::from(node) };
            let (frame, locals) = (FrameFacts::from(&in_stack), nodes.iter().map(variable).collect());
            LocalsAnswer { session: aside.session.clone(), held, frame, locals, in_stack, nodes, aside }.into()
        }
        ReplAction::EvalInFrame | ReplAction::Restart | ReplAction::Abort => {
            let report = ask(sessions, session, request(session, args)?, context).await?;
            Answer::from(EvalAnswer::of(report, output_limit(None))?)
        }
        _ => {
            let Told { answer: errors, held, aside, .. } = ask_for(sessions, session, ListHeld, context).await?;
            let levels = errors.iter().map(Level::from).collect();
            LevelsAnswer { session: aside.session.clone(), held, levels, errors, aside }.into()
        }
    })
}

impl From<&LispError> for Level {
    fn from(error: &LispError) -> Self {
        Self {
            type_name: error.type_name.clone(),
            message: error.message.clone(),
            restarts: restarts_of(&error.restarts),
        }
    }
}

/// The request of an action that runs code.
fn request(session: &str, args: &ReplControl) -> Result<Request, Refusal> {
    let missing = |argument| LiveFault::Missing { action: args.action, argument, session: session.to_owned() };
    Ok(match args.action {
        ReplAction::EvalInFrame => Request::EvalInFrame {
            frame: args.frame.unwrap_or(0),
            code: EvalRequest {
                timeout: time_limit(args.timeout_seconds)?,
                package: args.package.clone(),
                print_length: Some(PRINTED),
                ..EvalRequest::new(args.code.clone().ok_or_else(|| missing("code"))?)
            },
        },
        ReplAction::Restart => {
            let restart = args.restart.as_deref().ok_or_else(|| missing("restart"))?;
            Request::Restart {
                restart: restart.parse().map_or_else(|_| RestartName::Name(restart.to_owned()), RestartName::Number),
                values: args.code.clone(),
                timeout: time_limit(args.timeout_seconds)?,
            }
        }
        _ => Request::Abort,
    })
}

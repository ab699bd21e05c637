//! `repl_control`: look at the live sessions, start, interrupt, end and refresh them.

use std::time::SystemTime;

use lispwright_runtime::{MAIN, Request, Sessions};
use serde_json::json;

use crate::answer::{Answer, Reply};
use crate::image_text::one_line;
pub use crate::repl_action::{ReplAction, ReplControl};
use crate::repl_attach::{attach, detach};
use crate::repl_eval::ask;
use crate::repl_held::held;
use crate::repl_refused::{named_runtime, session_error};
use crate::repl_report::{answer, output_limit};
use crate::repl_session::chosen;
use crate::repl_status::{outcome, session_outcome, status};
use crate::repl_wait::wait;
use crate::tool::CallContext;

/// Does what `args.action` says. What ends or interrupts something does not wait for what runs; what needs the image does.
pub async fn repl_control(sessions: &Sessions, args: ReplControl, context: &CallContext) -> Reply {
    let began = SystemTime::now();
    let done = control(sessions, &args, context).await;
    if let (Some(transcript), Some(act)) = (&context.transcript, act(&args)) {
        // Which one was meant, the answer says best.
        let told = done.as_ref().ok().and_then(|answer| answer.document().get("session")?.as_str().map(str::to_owned));
        let session = told.as_deref().or(args.session.as_deref()).unwrap_or(MAIN);
        transcript.note_act(context.caller.as_deref(), session, &act, began, done.as_ref());
    }
    done
}

/// What is done to a session itself, in words; nothing for what only looks, and for requests to its image, which are written
/// down where they are sent.
fn act(args: &ReplControl) -> Option<String> {
    Some(match args.action {
        ReplAction::Start => "start".to_owned(),
        ReplAction::Interrupt => "interrupt".to_owned(),
        ReplAction::Kill => "kill".to_owned(),
        ReplAction::Reset => "reset".to_owned(),
        ReplAction::Attach => match &args.address {
            Some(address) => format!("attach to {}", one_line(address, 200)),
            None => "attach".to_owned(),
        },
        ReplAction::Detach => "detach".to_owned(),
        _ => return None,
    })
}

async fn control(sessions: &Sessions, args: &ReplControl, context: &CallContext) -> Reply {
    if matches!(args.action, ReplAction::Status | ReplAction::Interrupt | ReplAction::Kill | ReplAction::Detach) {
        context.leave();
    }
    let runtime = args.runtime.as_deref().map(named_runtime).transpose()?;
    let session = chosen(sessions, args.session.as_deref(), runtime);
    if matches!(args.action, ReplAction::Start | ReplAction::Reset) {
        sessions.open(session, runtime).map_err(session_error)?;
    }
    let outcome = match args.action {
        ReplAction::Wait => {
            return context.in_order(wait(sessions, session, args.timeout_seconds, context)).await.map(Answer::from);
        }
        ReplAction::Status => status(sessions, args.session.as_deref()).await,
        ReplAction::Start => {
            let status = context.in_order(sessions.start(session)).await.map_err(session_error)?;
            Ok(session_outcome(&format!("Session {session:?} is ready."), &status))
        }
        ReplAction::Reset => {
            let status = context.in_order(sessions.reset(session)).await.map_err(session_error)?;
            Ok(session_outcome(&format!("Session {session:?} has a fresh image; its old state is gone."), &status))
        }
        ReplAction::Interrupt => {
            let interrupted = sessions.interrupt(session).map_err(session_error)?;
            let text = if interrupted {
                format!("Session {session:?} is being interrupted; the call that was running answers with what it did.")
            } else {
                format!("Session {session:?} was not running anything.")
            };
            Ok(outcome(text, json!({"session": session, "interrupted": interrupted})))
        }
        ReplAction::Kill => {
            let killed = sessions.kill(session).await.map_err(session_error)?;
            let text = if killed {
                format!("Session {session:?} and its image are ended; the next call under that name starts afresh.")
            } else {
                format!("Session {session:?} had no image; it is forgotten.")
            };
            Ok(outcome(text, json!({"session": session, "killed": killed})))
        }
        ReplAction::Checkpoint => {
            let name = args.name.clone().unwrap_or_else(|| "checkpoint".to_owned());
            let report = ask(sessions, session, Request::Checkpoint(name), context).await?;
            Ok(answer(&report, output_limit(None)))
        }
        ReplAction::Rollback => {
            let report = ask(sessions, session, Request::Rollback(args.name.clone()), context).await?;
            Ok(answer(&report, output_limit(None)))
        }
        ReplAction::Attach => attach(sessions, args, runtime, context).await,
        ReplAction::Detach => detach(sessions, args.session.as_deref()).await,
        ReplAction::Restarts
        | ReplAction::Restart
        | ReplAction::Abort
        | ReplAction::Frames
        | ReplAction::Locals
        | ReplAction::EvalInFrame => held(sessions, session, args, context).await,
    };
    outcome.map(Answer::from)
}

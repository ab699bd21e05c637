//! The actions of `repl_control` on a held error: look at its stack, evaluate in it, leave it.

use lispwright_runtime::{Ending, EvalReport, EvalRequest, Frame, LispError, Node, Request, RestartName, Sessions};
use serde_json::{Map, Value, json};

use crate::aside::Aside;
use crate::image_text::{fence, one_line, start_of_fenced};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_action::{ReplAction, ReplControl};
use crate::repl_eval::{PRINTED, ask, seconds};
use crate::repl_node::{node_fields, node_line};
use crate::repl_refused::session_argument;
use crate::repl_report::{answer, frame_fields, frame_line, notes, output_limit, restarts_fields, restarts_text};
use crate::tool::CallContext;

/// Frames in one answer.
const FRAMES: u32 = 20;

/// Does what `args.action` says with what is held in `session`.
pub(crate) async fn held(
    sessions: &Sessions,
    session: &str,
    args: &ReplControl,
    context: &CallContext,
) -> Result<Outcome, Refusal> {
    let report = ask(sessions, session, request(session, args)?, context).await?;
    Ok(match &report.ending {
        Ending::Held(levels) => levels_outcome(levels, &report),
        Ending::Frames { frames, total } => frames_outcome(frames, *total, &report),
        Ending::Locals { frame, locals } => locals_outcome(frame, locals, &report),
        _ => answer(&report, output_limit(None)),
    })
}

fn request(session: &str, args: &ReplControl) -> Result<Request, Refusal> {
    let argument = session_argument(session);
    let missing = |what: &str, example: &str| {
        Refusal::worded("BAD_ARGUMENT", format!("This action needs {what}: repl_control {{{example}{argument}}}."))
    };
    let code = |example: &str| args.code.clone().ok_or_else(|| missing("`code`", example));
    Ok(match args.action {
        ReplAction::Frames => Request::Frames { offset: args.frame.unwrap_or(0), count: FRAMES },
        ReplAction::Locals => Request::Locals { frame: args.frame.unwrap_or(0) },
        ReplAction::EvalInFrame => Request::EvalInFrame {
            frame: args.frame.unwrap_or(0),
            code: EvalRequest {
                timeout: seconds(args.timeout_seconds)?,
                package: args.package.clone(),
                print_length: Some(PRINTED),
                ..EvalRequest::new(code(r#""action": "eval_in_frame", "frame": 0, "code": "(list x y)""#)?)
            },
        },
        ReplAction::Restart => {
            let restart = args.restart.as_deref().ok_or_else(|| {
                missing(
                    "`restart`, a name or number from action restarts",
                    r#""action": "restart", "restart": "ABORT""#,
                )
            })?;
            Request::Restart {
                restart: restart.parse().map_or_else(|_| RestartName::Name(restart.to_owned()), RestartName::Number),
                values: args.code.clone(),
                timeout: seconds(args.timeout_seconds)?,
            }
        }
        ReplAction::Abort => Request::Abort,
        _ => Request::Held,
    })
}

fn levels_outcome(levels: &[LispError], report: &EvalReport) -> Outcome {
    let argument = session_argument(&report.session);
    if levels.is_empty() {
        return answer(report, output_limit(None));
    }
    let mut text = String::new();
    for (depth, error) in levels.iter().enumerate() {
        let level = levels.len() - depth;
        text.push_str(&format!("[level {level}] {}\n{}\n", one_line(&error.type_name, 200), fence(&error.message)));
        if depth == 0 {
            text.push_str(&restarts_text(&error.restarts, true));
        }
    }
    text.push_str(&format!(
        "[note] Take one: repl_control {{\"action\": \"restart\", \"restart\": NAME, \"code\": ITS VALUES IF IT NEEDS ANY{argument}}}; \
         give up: {{\"action\": \"abort\"{argument}}}.\n"
    ));
    let (text, _) = start_of_fenced(&text, output_limit(None));
    let levels: Vec<Value> = levels
        .iter()
        .map(|error| {
            json!({"type": error.type_name, "message": error.message, "restarts": restarts_fields(&error.restarts)})
        })
        .collect();
    outcome(text, report, json!({"levels": levels}))
}

fn frames_outcome(frames: &[Frame], total: u32, report: &EvalReport) -> Outcome {
    let argument = session_argument(&report.session);
    let mut text = String::new();
    for frame in frames {
        text.push_str(&frame_line(frame));
    }
    let next = frames.last().map_or(0, |frame| frame.number + 1);
    if next < total {
        text.push_str(&format!(
            "[note] {} of {total} frames; the next: repl_control {{\"action\": \"frames\", \"frame\": {next}{argument}}}\n",
            frames.len()
        ));
    }
    if total == 0 {
        text.push_str("[note] The held stack has no frames of evaluated code.\n");
    }
    outcome(text, report, json!({"frames": frames.iter().map(frame_fields).collect::<Vec<_>>(), "total": total}))
}

fn locals_outcome(frame: &Frame, locals: &[(String, Node)], report: &EvalReport) -> Outcome {
    let mut text = frame_line(frame);
    for (name, node) in locals {
        text.push_str(&format!("  {} = {}\n", one_line(name, 60), node_line(node)));
    }
    if locals.is_empty() {
        let note = "[note] No variables are known: there are none, or the compiler did not keep them.";
        text.push_str(format!("{note} {}", report.runtime.words.keeps_variables).trim_end());
        text.push('\n');
    }
    let (text, _) = start_of_fenced(&text, output_limit(None));
    let locals: Vec<Value> =
        locals.iter().map(|(name, node)| json!({"name": name, "value": Value::Object(node_fields(node))})).collect();
    outcome(text, report, json!({"frame": frame_fields(frame), "locals": locals}))
}

fn outcome(text: String, report: &EvalReport, fields: Value) -> Outcome {
    let mut all = Map::new();
    all.insert("session".into(), report.session.clone().into());
    all.insert("held".into(), report.held.into());
    if let Value::Object(fields) = fields {
        all.extend(fields);
    }
    let text = text + &notes(&Aside::from(report));
    Outcome { text: text.trim_end().to_owned(), fields: all, is_error: false }
}

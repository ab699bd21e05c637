//! The activity of a session, or its last answer once more.

use lispwright_tools::Reply;
use lispwright_tools::repl_wait::WaitAnswer;
use serde_json::{Map, Value};

use crate::call::control;
use crate::{Skin, render};

/// The answer to a wait for a session.
pub(crate) fn text(answer: &WaitAnswer, skin: Skin) -> String {
    let session = &answer.session;
    if let Some(doing) = &answer.doing {
        let next = match (control(session, "wait", skin), control(session, "interrupt", skin)) {
            (Some(wait), Some(interrupt)) => format!(" Wait on with {wait}, or stop it with {interrupt}."),
            _ => String::new(),
        };
        return format!("Not finished yet: {doing}.{next}");
    }
    match (again(answer, skin), &answer.call, answer.seconds_ago) {
        (Some(text), Some(call), Some(ago)) => {
            format!("[again] The last answer in session {session:?}, given {ago} s ago to {call}:\n{text}")
        }
        _ => format!("Session {session:?} runs nothing, and has no last answer to repeat."),
    }
}

/// Adds the last answer as a field.
pub(crate) fn add_fields(answer: &WaitAnswer, skin: Skin, fields: &mut Map<String, Value>) {
    if let Some(text) = again(answer, skin) {
        fields.insert("answer".into(), text.into());
    }
}

fn again(answer: &WaitAnswer, skin: Skin) -> Option<String> {
    answer.reply.as_ref().map(|reply| render(Reply::clone(reply), skin).text)
}

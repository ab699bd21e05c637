//! Claude Code: `PreToolUse` and `PostToolUse` for `Write`, `Edit` and the `MultiEdit` of older versions, and `PostToolUse`
//! for `Bash`.
//!
//! No permission is ever granted: an answer with changed arguments carries no decision, so the client asks its user as it
//! would have without the hook.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::event::{Event, Moment, Proposal, Replacement, Rewritable, command, text_at};

/// Understands a hook's input; `None` for everything that is neither an edit nor a command.
pub(crate) fn parse(document: &Map<String, Value>) -> Option<Event> {
    let event_name = text_at(document, "hook_event_name")?;
    let moment = match event_name {
        "PreToolUse" => Moment::Before,
        "PostToolUse" => Moment::After,
        _ => return None,
    };
    let tool = text_at(document, "tool_name")?;
    let input = document.get("tool_input")?.as_object()?;
    let path = text_at(input, "file_path").map(str::to_owned);
    let proposal = match tool {
        "Bash" => command(moment, document)?,
        "Write" => Proposal::Write { path: path?, content: Rewritable::at(input, "", "content")? },
        "Edit" => Proposal::Replace { path: path?, replacements: vec![replacement(input, "")?] },
        "MultiEdit" => {
            let edits = input.get("edits")?.as_array()?;
            let replacements = edits
                .iter()
                .enumerate()
                .map(|(index, edit)| replacement(edit.as_object()?, &format!("/edits/{index}")))
                .collect::<Option<_>>()?;
            Proposal::Replace { path: path?, replacements }
        }
        _ => return None,
    };
    let response = document.get("tool_response").and_then(Value::as_object);
    Some(Event {
        moment,
        event_name: event_name.to_owned(),
        tool: tool.to_owned(),
        directory: text_at(document, "cwd").unwrap_or_default().to_owned(),
        input: input.clone(),
        proposal,
        original: response.and_then(|response| text_at(response, "originalFile")).map(str::to_owned),
        told_after: false,
    })
}

fn replacement(object: &Map<String, Value>, pointer: &str) -> Option<Replacement> {
    Some(Replacement {
        old: text_at(object, "old_string")?.to_owned(),
        new: Rewritable::at(object, pointer, "new_string")?,
        all: object.get("replace_all").and_then(Value::as_bool).unwrap_or(false),
        with_line_feed: true,
    })
}

/// Says it the way Claude Code understands.
pub(crate) fn render(event: &Event, answer: Answer) -> Value {
    let name = &event.event_name;
    match answer {
        Answer::Change { input, told } => json!({"hookSpecificOutput": {
            "hookEventName": name, "updatedInput": input, "additionalContext": told,
        }}),
        Answer::Refuse { told } => json!({"hookSpecificOutput": {
            "hookEventName": name, "permissionDecision": "deny", "permissionDecisionReason": told,
        }}),
        Answer::Tell { told } => json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": told}}),
    }
}

//! Gemini CLI: `BeforeTool` and `AfterTool` for `write_file` and `replace`, and `AfterTool` for `run_shell_command`.
//!
//! Before a call the model can be told nothing but a refusal; it only learns that a hook changed the arguments. So the text
//! as the model sent it travels along in `ai_proposed_content`, where Gemini CLI itself keeps it when its user changes a
//! proposal, and after the call the model is told what became of it. Changed arguments have to be complete: they are not
//! merged with those of the call.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::event::{Event, Moment, Proposal, Replacement, Rewritable, command, text_at};

/// Where the text stands as the model sent it.
const PROPOSED: &str = "ai_proposed_content";

/// Understands a hook's input; `None` for everything that is neither an edit nor a command.
pub(crate) fn parse(document: &Map<String, Value>) -> Option<Event> {
    let event_name = text_at(document, "hook_event_name")?;
    let moment = match event_name {
        "BeforeTool" => Moment::Before,
        "AfterTool" => Moment::After,
        _ => return None,
    };
    let tool = text_at(document, "tool_name")?;
    let input = document.get("tool_input")?.as_object()?;
    let path = text_at(input, "file_path").map(str::to_owned);
    let proposed = |key: &str| {
        let mut rewritable = Rewritable::at(input, "", key)?;
        let by_user = input.get("modified_by_user").and_then(Value::as_bool).unwrap_or(false);
        if moment == Moment::After
            && !by_user
            && let Some(text) = text_at(input, PROPOSED)
        {
            rewritable.text = text.to_owned();
        }
        Some(rewritable)
    };
    let proposal = match tool {
        "run_shell_command" => command(moment, document)?,
        "write_file" => Proposal::Write { path: path?, content: proposed("content")? },
        "replace" => {
            let several = input.get("expected_replacements").and_then(Value::as_u64).is_some_and(|count| count > 1);
            let replacement = Replacement {
                old: text_at(input, "old_string")?.to_owned(),
                new: proposed("new_string")?,
                all: several || input.get("allow_multiple").and_then(Value::as_bool).unwrap_or(false),
                with_line_feed: false,
            };
            Proposal::Replace { path: path?, replacements: vec![replacement] }
        }
        _ => return None,
    };
    let response = document.get("tool_response").and_then(Value::as_object);
    if response.and_then(|response| response.get("error")).is_some_and(|error| !error.is_null()) {
        return None;
    }
    let original =
        response.and_then(|response| text_at(response.get("returnDisplay")?.as_object()?, "originalContent"));
    Some(Event {
        moment,
        event_name: event_name.to_owned(),
        tool: tool.to_owned(),
        directory: text_at(document, "cwd").unwrap_or_default().to_owned(),
        input: input.clone(),
        proposal,
        original: original.map(str::to_owned),
        told_after: true,
    })
}

/// Says it the way Gemini CLI understands.
pub(crate) fn render(event: &Event, answer: Answer) -> Value {
    let name = &event.event_name;
    match answer {
        Answer::Change { mut input, .. } => {
            let key = if event.tool == "replace" { "new_string" } else { "content" };
            input.insert(PROPOSED.to_owned(), event.input.get(key).cloned().unwrap_or_default());
            json!({"hookSpecificOutput": {"hookEventName": name, "tool_input": input}})
        }
        Answer::Refuse { told } => json!({"decision": "deny", "reason": told}),
        Answer::Tell { told } => json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": told}}),
    }
}

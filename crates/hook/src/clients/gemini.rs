//! Gemini CLI: `BeforeTool` and `AfterTool` for `write_file` and `replace`, and `AfterTool` for `run_shell_command`.
//!
//! Before a call the model can only be given a refusal; of changed arguments it only learns that a hook changed them.
//! So the text that the model sent is kept in `ai_proposed_content`, where Gemini CLI itself keeps it when its user
//! changes a proposal, and after the call the model is informed of the change. Changed arguments have to be complete:
//! they are not merged with those of the call.

use serde_json::{Value, json};

use super::{Call, HookClient, Names, specific, tell, text_at};
use crate::answer::HookAnswer;
use crate::event::{HookEvent, Moment, Proposal, Rewritable};

pub(super) const CLIENT: HookClient = HookClient {
    name: "gemini",
    before: "BeforeTool",
    after: "AfterTool",
    proposal,
    original: Some("/returnDisplay/originalContent"),
    told_after: true,
    takes_changes: true,
    keeps_encodings: false,
    answer,
};

const NAMES: Names = Names { old: "old_string", new: "new_string", all: "allow_multiple" };

/// The argument with the text that the model sent.
const PROPOSED: &str = "ai_proposed_content";

fn proposal(call: &Call<'_>) -> Option<Proposal> {
    let response = call.document.get("tool_response");
    if response.and_then(|response| response.get("error")).is_some_and(|error| !error.is_null()) {
        return None;
    }
    let mut proposal = match call.tool {
        "run_shell_command" => call.command()?,
        "write_file" => call.write("file_path", "content")?,
        "replace" => {
            let mut replacement = NAMES.replacement(call.input, "")?;
            replacement.all |= call.input.get("expected_replacements").and_then(Value::as_u64).is_some_and(|n| n > 1);
            let path = text_at(call.input, "file_path")?.to_owned();
            Proposal::Replace { path, replacements: vec![replacement] }
        }
        _ => return None,
    };
    let by_user = call.input.get("modified_by_user").and_then(Value::as_bool).unwrap_or(false);
    if call.moment == Moment::After
        && !by_user
        && let Some(sent) = text_at(call.input, PROPOSED)
        && let Some(text) = written(&mut proposal)
    {
        text.text = sent.to_owned();
    }
    Some(proposal)
}

/// The text that a call writes.
fn written(proposal: &mut Proposal) -> Option<&mut Rewritable> {
    match proposal {
        Proposal::Write { content, .. } => Some(content),
        Proposal::Replace { replacements, .. } => replacements.first_mut().map(|replacement| &mut replacement.new),
        Proposal::Patch(_) | Proposal::Command { .. } => None,
    }
}

fn answer(event: &HookEvent, answer: HookAnswer) -> Value {
    match answer {
        HookAnswer::Change { mut input, .. } => {
            let key = if event.tool == "replace" { NAMES.new } else { "content" };
            input.insert(PROPOSED.to_owned(), event.input.get(key).cloned().unwrap_or_default());
            specific(event, json!({"tool_input": input}))
        }
        HookAnswer::Refuse { told } => json!({"decision": "deny", "reason": told}),
        HookAnswer::Tell { told } => tell(event, told),
    }
}

//! Claude Code: `PreToolUse` and `PostToolUse` for `Write`, `Edit` and the `MultiEdit` of older versions, and `PostToolUse`
//! for `Bash`.
//!
//! No permission is ever granted: an answer with changed arguments has no decision, so the client asks its user as it
//! would without the hook.

use serde_json::{Map, Value, json};

use super::{Call, HookClient, Names, specific, tell, text_at};
use crate::answer::HookAnswer;
use crate::event::{HookEvent, Proposal, Replacement};

pub(super) const CLIENT: HookClient = HookClient {
    name: "claude-code",
    before: "PreToolUse",
    after: "PostToolUse",
    proposal,
    original: Some("/originalFile"),
    told_after: false,
    takes_changes: true,
    keeps_encodings: false,
    answer,
};

const NAMES: Names = Names { old: "old_string", new: "new_string", all: "replace_all" };

fn proposal(call: &Call<'_>) -> Option<Proposal> {
    let path = || text_at(call.input, "file_path").map(str::to_owned);
    match call.tool {
        "Bash" => call.command(),
        "Write" => call.write("file_path", "content"),
        "Edit" => Some(Proposal::Replace { path: path()?, replacements: vec![replacement(call.input, "")?] }),
        "MultiEdit" => {
            let edits = call.input.get("edits")?.as_array()?.iter().enumerate();
            let edits = edits.map(|(index, edit)| replacement(edit.as_object()?, &format!("/edits/{index}")));
            Some(Proposal::Replace { path: path()?, replacements: edits.collect::<Option<_>>()? })
        }
        _ => None,
    }
}

fn replacement(object: &Map<String, Value>, pointer: &str) -> Option<Replacement> {
    NAMES.replacement(object, pointer).map(|found| Replacement { with_line_feed: true, ..found })
}

pub(super) fn answer(event: &HookEvent, answer: HookAnswer) -> Value {
    match answer {
        HookAnswer::Change { input, told } => {
            specific(event, json!({"updatedInput": input, "additionalContext": told}))
        }
        HookAnswer::Refuse { told } => {
            specific(event, json!({"permissionDecision": "deny", "permissionDecisionReason": told}))
        }
        HookAnswer::Tell { told } => tell(event, told),
    }
}

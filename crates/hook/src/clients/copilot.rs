//! GitHub Copilot CLI: `PreToolUse` and `PostToolUse` for `create` and `edit`, and `PostToolUse` for `bash`.
//!
//! With this spelling of the events, hooks get calls in the terms of Claude Code: the tools are called `Write`, `Edit`
//! and `Bash`, but the arguments are Copilot's own. Before a call it accepts the answers of Claude Code, after one only
//! its own.

use serde_json::{Value, json};

use super::{Call, HookClient, Names, claude_code};
use crate::answer::HookAnswer;
use crate::event::{HookEvent, Moment, Proposal};

pub(super) const CLIENT: HookClient = HookClient {
    name: "copilot",
    before: "PreToolUse",
    after: "PostToolUse",
    proposal,
    original: None,
    told_after: false,
    takes_changes: true,
    keeps_encodings: false,
    answer,
};

const NAMES: Names = Names { old: "old_str", new: "new_str", all: "replace_all" };

fn proposal(call: &Call<'_>) -> Option<Proposal> {
    match call.tool {
        "Bash" => call.command(),
        "Write" => call.write("path", "file_text"),
        "Edit" => call.replace("path", &NAMES),
        _ => None,
    }
}

fn answer(event: &HookEvent, answer: HookAnswer) -> Value {
    match answer {
        HookAnswer::Tell { told } if event.moment == Moment::After => json!({"additionalContext": told}),
        answer => claude_code::answer(event, answer),
    }
}

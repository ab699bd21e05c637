//! Codex: `PreToolUse` and `PostToolUse` for `apply_patch`, also when its shell tool is used to apply a patch, and
//! `PostToolUse` for any other use of that tool.
//!
//! The answers are those of Claude Code with one difference: Codex accepts changed arguments only together with
//! `allow`, which only means that here and grants no permission.

use serde_json::{Value, json};

use super::{Call, HookClient, claude_code};
use crate::answer::HookAnswer;
use crate::event::{HookEvent, Proposal};
use crate::patch::Patch;

pub(super) const CLIENT: HookClient = HookClient {
    name: "codex",
    before: "PreToolUse",
    after: "PostToolUse",
    proposal,
    original: None,
    told_after: false,
    takes_changes: true,
    keeps_encodings: false,
    answer,
};

/// The shell tool, under the names it has had.
const SHELLS: [&str; 6] = ["Bash", "shell", "shell_command", "local_shell", "exec_command", "container.exec"];

fn proposal(call: &Call<'_>) -> Option<Proposal> {
    let is_shell = SHELLS.contains(&call.tool);
    if call.tool != "apply_patch" && !is_shell {
        return None;
    }
    let patch = ["command", "cmd", "input", "patch"].iter().find_map(|key| match call.input.get(*key)? {
        Value::String(text) => Patch::parse(text, &format!("/{key}")),
        Value::Array(words) => {
            let last = words.len().checked_sub(1)?;
            Patch::parse(words[last].as_str()?, &format!("/{key}/{last}"))
        }
        _ => None,
    });
    patch.map(Proposal::Patch).or_else(|| call.command().filter(|_| is_shell))
}

fn answer(event: &HookEvent, answer: HookAnswer) -> Value {
    let mut output = claude_code::answer(event, answer);
    let specific = &mut output["hookSpecificOutput"];
    if specific.get("updatedInput").is_some() {
        specific["permissionDecision"] = json!("allow");
    }
    output
}

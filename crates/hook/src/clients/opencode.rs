//! opencode: `tool.execute.before` and `tool.execute.after` for `write`, `edit` and `apply_patch`, and the latter for `bash`.
//!
//! Instead of hooks it loads a plugin, which `lispwright setup` writes (`crates/setup`). The plugin passes each call in
//! the terms of the other clients, takes answers in those of Claude Code, and appends messages from before a call to
//! its result.

use super::{Call, HookClient, Names, claude_code, text_at};
use crate::event::Proposal;
use crate::patch::Patch;

pub(super) const CLIENT: HookClient = HookClient {
    name: "opencode",
    before: "tool.execute.before",
    after: "tool.execute.after",
    proposal,
    original: None,
    told_after: false,
    takes_changes: true,
    keeps_encodings: false,
    answer: claude_code::answer,
};

const NAMES: Names = Names { old: "oldString", new: "newString", all: "replaceAll" };

fn proposal(call: &Call<'_>) -> Option<Proposal> {
    match call.tool {
        "bash" | "shell" => call.command(),
        "write" => call.write("filePath", "content"),
        "edit" => call.replace("filePath", &NAMES),
        "apply_patch" => Patch::parse(text_at(call.input, "patchText")?, "/patchText").map(Proposal::Patch),
        _ => None,
    }
}

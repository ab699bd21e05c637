//! Qwen Code: `PreToolUse` and `PostToolUse` for `write_file` and `edit`, and `PostToolUse` for `run_shell_command`.
//!
//! Tools and results are those of Gemini CLI, from which it comes; events and answers are those of Claude Code. Before a
//! call it takes a refusal alone: it reads changed arguments and messages in an answer and uses neither, whatever its
//! documents say.

use super::{Call, HookClient, Names, claude_code, text_at};
use crate::event::{Proposal, Replacement};

pub(super) const CLIENT: HookClient = HookClient {
    name: "qwen",
    before: "PreToolUse",
    after: "PostToolUse",
    proposal,
    original: Some("/returnDisplay/originalContent"),
    told_after: true,
    takes_changes: false,
    keeps_encodings: true,
    answer: claude_code::answer,
};

const NAMES: Names = Names { old: "old_string", new: "new_string", all: "replace_all" };

fn proposal(call: &Call<'_>) -> Option<Proposal> {
    match call.tool {
        "run_shell_command" => call.command(),
        "write_file" => call.write("file_path", "content"),
        "edit" => {
            let replacement = Replacement { with_line_feed: true, ..NAMES.replacement(call.input, "")? };
            let path = text_at(call.input, "file_path")?.to_owned();
            Some(Proposal::Replace { path, replacements: vec![replacement] })
        }
        _ => None,
    }
}

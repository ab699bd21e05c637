//! Codex: `PreToolUse` and `PostToolUse` for `apply_patch`, also when its shell tool is used to apply a patch, and
//! `PostToolUse` for any other use of that tool.
//!
//! The answers are those of Claude Code but for one thing: Codex takes changed arguments only together with `allow`, which
//! here means just that and grants no permission.

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::event::{Event, Moment, Proposal, command, text_at};
use crate::patch::Patch;

/// The shell tool, under the names it has had.
const SHELLS: [&str; 6] = ["Bash", "shell", "shell_command", "local_shell", "exec_command", "container.exec"];

/// Understands a hook's input; `None` for everything that is neither a patch nor a command.
pub(crate) fn parse(document: &Map<String, Value>) -> Option<Event> {
    let event_name = text_at(document, "hook_event_name")?;
    let moment = match event_name {
        "PreToolUse" => Moment::Before,
        "PostToolUse" => Moment::After,
        _ => return None,
    };
    let tool = text_at(document, "tool_name")?;
    if tool != "apply_patch" && !SHELLS.contains(&tool) {
        return None;
    }
    let input = document.get("tool_input")?.as_object()?;
    let patch = ["command", "cmd", "input", "patch"].iter().find_map(|key| match input.get(*key)? {
        Value::String(text) => Patch::parse(text, &format!("/{key}")),
        Value::Array(words) => {
            let last = words.len().checked_sub(1)?;
            Patch::parse(words[last].as_str()?, &format!("/{key}/{last}"))
        }
        _ => None,
    });
    let proposal = match patch {
        Some(patch) => Proposal::Patch(patch),
        None if tool != "apply_patch" => command(moment, document)?,
        None => return None,
    };
    let directory = text_at(input, "workdir").or_else(|| text_at(document, "cwd")).unwrap_or_default();
    Some(Event {
        moment,
        event_name: event_name.to_owned(),
        tool: tool.to_owned(),
        directory: directory.to_owned(),
        input: input.clone(),
        proposal,
        original: None,
        told_after: false,
    })
}

/// Says it the way Codex understands.
pub(crate) fn render(event: &Event, answer: Answer) -> Value {
    let mut output = crate::claude_code::render(event, answer);
    let specific = &mut output["hookSpecificOutput"];
    if specific.get("updatedInput").is_some() {
        specific["permissionDecision"] = json!("allow");
    }
    output
}

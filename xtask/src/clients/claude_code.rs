//! Claude Code.

use serde_json::json;

use super::speech::Speech;
use super::story::{Tools, call};
use super::{Act, Client, PROMPT};

pub(super) const CLIENT: Client = Client {
    name: "claude-code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.330",
    program: "claude",
    speech: Speech::Anthropic,
    acts: &[Act::Story],
    settings: None,
    tools: Tools {
        prefix: "mcp__lispwright__",
        write: |path, text| call("Write", json!({"file_path": path, "content": text})),
        edit: |path, old, new| call("Edit", json!({"file_path": path, "old_string": old, "new_string": new})),
        shell: |command| call("Bash", json!({"command": command, "description": "Write a file"})),
        more: Vec::new,
    },
    start: |command, model, _| {
        command.args(["-p", PROMPT, "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits"]);
        command.args(["--allowedTools", "Write,Edit,Bash", "--verbose", "--output-format", "stream-json"]);
        command.env("ANTHROPIC_BASE_URL", model.address()).env("ANTHROPIC_API_KEY", "none");
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    },
};

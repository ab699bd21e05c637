//! Claude Code.

use serde_json::json;

use super::speech::Speech;
use super::story::{Tools, call};
use super::{Act, Client, PROMPT, Plugin};

pub(super) const CLIENT: Client = Client {
    name: "claude-code",
    package: "@anthropic-ai/claude-code",
    version: "2.1.330",
    program: "claude",
    speech: Speech::Anthropic,
    acts: &[Act::Story, Act::Plugin],
    plugin: Some(Plugin {
        prefix: "mcp__plugin_lispwright_lispwright__",
        install: &[&["plugin", "marketplace", "add", "{}"], &["plugin", "install", "lispwright@lispwright"]],
    }),
    settings: None,
    tools: Tools {
        prefix: "mcp__lispwright__",
        takes_changes: true,
        write: |path, text| call("Write", json!({"file_path": path, "content": text})),
        edit: |path, old, new| call("Edit", json!({"file_path": path, "old_string": old, "new_string": new})),
        shell: |command| call("Bash", json!({"command": command, "description": "Write a file"})),
        more: Vec::new,
    },
    start: |command, model, act| {
        command.args(["-p", PROMPT, "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits"]);
        // A setup has written the permission for our tools; a plugin cannot.
        let allowed =
            if act == Act::Plugin { "Write,Edit,Bash,mcp__plugin_lispwright_lispwright" } else { "Write,Edit,Bash" };
        command.args(["--allowedTools", allowed, "--verbose", "--output-format", "stream-json"]);
        command.env("ANTHROPIC_BASE_URL", model.address()).env("ANTHROPIC_API_KEY", "none");
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    },
};

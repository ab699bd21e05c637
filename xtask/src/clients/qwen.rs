//! Qwen Code.

use serde_json::json;

use super::speech::Speech;
use super::story::{Tools, call};
use super::{Act, Client, PROMPT};

/// With a comment, which it accepts, and the number of its form, which it keeps up to date.
const SETTINGS: &str = r#"{
  // mine
  "privacy": {"usageStatisticsEnabled": false},
  "$version": 4
}
"#;

pub(super) const CLIENT: Client = Client {
    name: "qwen",
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "qwen",
    speech: Speech::Chat,
    acts: &[Act::Story, Act::Uninstalled],
    plugin: None,
    settings: Some((".qwen/settings.json", SETTINGS)),
    tools: Tools {
        prefix: "mcp__lispwright__",
        takes_changes: false,
        write: |path, text| call("write_file", json!({"file_path": path, "content": text})),
        edit: |path, old, new| call("edit", json!({"file_path": path, "old_string": old, "new_string": new})),
        shell: |command| {
            call(
                "run_shell_command",
                json!({"command": command, "description": "Write a file", "is_background": false}),
            )
        },
        more: Vec::new,
    },
    start: |command, model, _| {
        command.args([
            "--prompt",
            PROMPT,
            "--approval-mode",
            "auto-edit",
            "--auth-type",
            "openai",
            "--model",
            "stand-in",
        ]);
        command.args(["--allowed-tools", "run_shell_command", "--output-format", "stream-json"]);
        command.env("OPENAI_BASE_URL", format!("{}/v1", model.address())).env("OPENAI_API_KEY", "none");
        command.env("NO_PROXY", "127.0.0.1");
    },
};

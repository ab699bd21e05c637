//! Gemini CLI.

use serde_json::json;

use super::speech::Speech;
use super::story::{Tools, call};
use super::{Act, Client, PROMPT, Plugin};

/// A user of this client has chosen how to sign in; with a comment, which it accepts.
const SETTINGS: &str = r#"{
  // mine
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "privacy": {"usageStatisticsEnabled": false}
}
"#;

pub(super) const CLIENT: Client = Client {
    name: "gemini",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    speech: Speech::Google,
    acts: &[Act::Story, Act::Plugin],
    plugin: Some(Plugin {
        prefix: "mcp_lispwright_",
        install: &[&["extensions", "install", "{}/plugins/gemini", "--consent", "--skip-settings"]],
    }),
    settings: Some((".gemini/settings.json", SETTINGS)),
    tools: Tools {
        prefix: "mcp_lispwright_",
        takes_changes: true,
        write: |path, text| call("write_file", json!({"file_path": path, "content": text})),
        edit: |path, old, new| {
            let input = json!({"file_path": path, "old_string": old, "new_string": new, "instruction": "Add zero."});
            call("replace", input)
        },
        shell: |command| call("run_shell_command", json!({"command": command, "description": "Write a file"})),
        more: Vec::new,
    },
    start: |command, model, _| {
        command.args(["--prompt", PROMPT, "--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-o", "stream-json"]);
        command.env("GOOGLE_GEMINI_BASE_URL", model.address()).env("GEMINI_API_KEY", "none");
    },
};

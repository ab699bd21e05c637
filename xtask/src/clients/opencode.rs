//! opencode.

use serde_json::json;

use super::speech::Speech;
use super::story::{Tools, call};
use super::{Act, Client, PROMPT};

/// With a comment, which this client accepts, and the schema, which it would add.
const SETTINGS: &str = r#"{
  "$schema": "https://opencode.ai/config.json",
  // mine
  "autoupdate": false
}
"#;

pub(super) const CLIENT: Client = Client {
    name: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    speech: Speech::Anthropic,
    acts: &[Act::Story, Act::Uninstalled],
    plugin: None,
    settings: Some((".config/opencode/opencode.json", SETTINGS)),
    tools: Tools {
        prefix: "lispwright_",
        takes_changes: true,
        write: |path, text| call("write", json!({"filePath": path, "content": text})),
        edit: |path, old, new| call("edit", json!({"filePath": path, "oldString": old, "newString": new})),
        shell: |command| call("bash", json!({"command": command, "description": "Write a file"})),
        more: Vec::new,
    },
    start: |command, model, _| {
        let provider = json!({"provider": {"anthropic": {"options": {
            "baseURL": format!("{}/v1", model.address()), "apiKey": "none",
        }}}});
        command.args(["run", "--model", "anthropic/claude-sonnet-4-5", "--format", "json", "--print-logs", PROMPT]);
        command.env("OPENCODE_CONFIG_CONTENT", provider.to_string()).env("OPENCODE_DISABLE_MODELS_FETCH", "1");
        command.env("OPENCODE_DISABLE_AUTOUPDATE", "1").env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1");
    },
};

//! GitHub Copilot CLI.

use serde_json::json;

use super::speech::Speech;
use super::story::{Tools, call};
use super::{Act, Client, PROMPT, Plugin};

pub(super) const CLIENT: Client = Client {
    name: "copilot",
    package: "@github/copilot",
    version: "1.0.102",
    program: "copilot",
    speech: Speech::Anthropic,
    acts: &[Act::Story, Act::Uninstalled, Act::Plugin],
    plugin: Some(Plugin {
        prefix: "lispwright-",
        install: &[&["plugin", "marketplace", "add", "{}"], &["plugin", "install", "lispwright@lispwright"]],
    }),
    settings: None,
    tools: Tools {
        prefix: "lispwright-",
        takes_changes: true,
        write: |path, text| call("create", json!({"path": path, "file_text": text})),
        edit: |path, old, new| call("edit", json!({"path": path, "old_str": old, "new_str": new})),
        shell: |command| call("bash", json!({"command": command, "description": "Write a file", "mode": "sync"})),
        more: Vec::new,
    },
    start: |command, model, _| {
        command.args(["-p", PROMPT, "--allow-all-tools"]).env("COPILOT_OFFLINE", "true");
        command.env("COPILOT_PROVIDER_TYPE", "anthropic").env("COPILOT_PROVIDER_BASE_URL", model.address());
        command.env("COPILOT_PROVIDER_API_KEY", "none").env("COPILOT_MODEL", "claude-sonnet-4.5");
    },
};

//! Codex, which accepts a patch as free text.

use std::path::Path;

use serde_json::json;

use super::speech::{Call, Speech};
use super::story::{self, Tools, call};
use super::{Act, Client, PROMPT, Plugin};

pub(super) const CLIENT: Client = Client {
    name: "codex",
    package: "@openai/codex",
    version: "0.169.0",
    program: "codex",
    speech: Speech::OpenAi,
    acts: &[Act::Story, Act::Sandboxed, Act::Plugin],
    plugin: Some(Plugin {
        prefix: "mcp__lispwright__",
        install: &[&["plugin", "marketplace", "add", "{}"], &["plugin", "add", "lispwright@lispwright"]],
    }),
    settings: None,
    tools: Tools {
        prefix: "mcp__lispwright__",
        takes_changes: true,
        write: |path, text| patch(&added(name(path), text)),
        edit: |path, old, new| patch(&format!("*** Update File: {}\n@@\n-{old}\n+{new}\n", name(path))),
        shell: |command| call("exec_command", json!({"cmd": command})),
        more: || {
            // Models without the tool apply patches through the shell.
            let command = format!("apply_patch <<'EOF'\n{}EOF\n", wrapped(&added("shell.lisp", story::LOST)));
            let call = call("exec_command", json!({"cmd": command}));
            vec![story::scene(call, ("shell.lisp", Some(story::WHOLE)), story::CHANGED, &[])]
        },
    },
    start: |command, model, act| {
        let provider = format!(
            "model_providers.standin={{name=\"standin\",base_url=\"{}/v1\",wire_api=\"responses\",env_key=\"STANDIN_KEY\"}}",
            model.address()
        );
        command.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]);
        command.args(["-s", if act == Act::Sandboxed { "workspace-write" } else { "danger-full-access" }]);
        command.args(["-c", &provider, "-c", "model_provider=\"standin\"", "-m", "gpt-5.5", "--json"]);
        command.args(["-c", "analytics.enabled=false", "-c", "check_for_update_on_startup=false", PROMPT]);
        command.env("STANDIN_KEY", "none");
    },
};

/// Patches name files from the working directory.
fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn patch(body: &str) -> Call {
    call("apply_patch", json!({"input": wrapped(body)}))
}

fn wrapped(body: &str) -> String {
    format!("*** Begin Patch\n{body}*** End Patch\n")
}

fn added(name: &str, text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("+{line}\n")).collect();
    format!("*** Add File: {name}\n{lines}")
}

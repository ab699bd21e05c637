//! A directory with plugins for the clients that have them, which it is also the marketplace of: `plugins/lispwright` for
//! Claude Code, Codex and Copilot CLI, each with a manifest of its own, and `plugins/gemini` for Gemini CLI, which reads
//! hooks from where the others would, too.
//!
//! A plugin has what [`install`](crate::install) writes into the files of a person, from the same rows: the server, the
//! hooks and the skill. It does not contain this program, but looks for it where package managers put it.

use serde_json::{Map, Value, json};

use crate::clients::Client;
use crate::skill::{self, Skill};
use crate::{SERVER, entries, ours};

/// A file of the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketFile {
    /// Its path below the directory, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
    /// It is a script that clients start.
    pub is_script: bool,
}

/// Looks for this program and becomes it. Hooks without it have nothing to say; all else says how to install it.
const LAUNCH: &str = include_str!("clients/launch.sh");

/// The word for the directory of a plugin, in the commands of Claude Code, Codex's hooks and Copilot CLI.
const ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";
/// The same in Gemini CLI.
const EXTENSION: &str = "${extensionPath}";

const TITLE: &str = "Lispwright";
const SUMMARY: &str = "A Lisp workshop for coding agents: Lisp is read and edited by form, lost parentheses are repaired or \
                       refused, and code runs in live images of Common Lisp, Scheme, Racket, Clojure and Emacs Lisp.";
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All files, with `skill` as the files of our skill.
#[must_use]
pub fn marketplace(skill: &[Skill<'_>]) -> Vec<MarketFile> {
    let shared = "plugins/lispwright";
    let gemini = "plugins/gemini";
    let launch = |client, root| hooks(client, &format!("\"{root}/launch\""));
    let server = |root: &str| servers(&format!("{root}/launch"), &["mcp"]);
    let mut files = vec![
        json_file(".claude-plugin/marketplace.json".into(), &catalogue(shared)),
        json_file(
            format!("{shared}/.claude-plugin/plugin.json"),
            &manifest(json!({
                "displayName": TITLE,
                "mcpServers": server(ROOT),
                "hooks": launch(Client::CLAUDE_CODE, ROOT),
            })),
        ),
        // Codex gives a server neither a word for the plugin's directory nor the project's directory beside it.
        json_file(
            format!("{shared}/.codex-plugin/plugin.json"),
            &manifest(json!({
                "skills": "./skills/",
                "mcpServers": servers("sh", &["-c", LAUNCH, "launch", "mcp"]),
                "hooks": json!({ "hooks": launch(Client::CODEX, ROOT) }),
                "interface": {
                    "displayName": TITLE,
                    "shortDescription": "Read, edit and run Lisp",
                    "longDescription": SUMMARY,
                    "developerName": owner(),
                    "category": "Coding",
                },
            })),
        ),
        json_file(
            format!("{shared}/plugin.json"),
            &manifest(json!({
                "skills": "skills/",
                "mcpServers": server(ROOT),
                "hooks": "hooks/copilot.json",
            })),
        ),
        json_file(
            format!("{shared}/hooks/copilot.json"),
            &json!({ "version": 1, "hooks": launch(Client::COPILOT, ROOT) }),
        ),
        json_file(
            format!("{gemini}/gemini-extension.json"),
            &json!({
                "name": SERVER,
                "version": VERSION,
                "description": SUMMARY,
                "mcpServers": server(EXTENSION),
            }),
        ),
        json_file(format!("{gemini}/hooks/hooks.json"), &json!({ "hooks": launch(Client::GEMINI, EXTENSION) })),
    ];
    for plugin in [shared, gemini] {
        files.push(MarketFile { path: format!("{plugin}/launch"), text: LAUNCH.into(), is_script: true });
        files.push(MarketFile { path: format!("{plugin}/README.md"), text: readme(), is_script: false });
        files.extend(skill.iter().map(|skill| MarketFile {
            path: format!("{plugin}/skills/{}/{}", skill::DIRECTORY, skill.file),
            text: skill::text(skill),
            is_script: false,
        }));
    }
    files
}

fn json_file(path: String, value: &Value) -> MarketFile {
    MarketFile { path, text: format!("{value:#}\n"), is_script: false }
}

/// `owner` of `https://host/owner/name`.
fn owner() -> &'static str {
    REPOSITORY.rsplit('/').nth(1).unwrap_or_default()
}

fn catalogue(plugin: &str) -> Value {
    json!({
        "name": SERVER,
        "description": "Lisp for coding agents",
        "owner": { "name": owner(), "url": REPOSITORY },
        "plugins": [{ "name": SERVER, "source": format!("./{plugin}"), "description": SUMMARY }],
    })
}

/// What every manifest states, and `more`.
fn manifest(more: Value) -> Value {
    let mut manifest = json!({
        "name": SERVER,
        "version": VERSION,
        "description": SUMMARY,
        "author": { "name": owner(), "url": REPOSITORY },
        "homepage": REPOSITORY,
        "repository": REPOSITORY,
        "license": env!("CARGO_PKG_LICENSE"),
        "keywords": ["lisp", "common-lisp", "scheme", "racket", "clojure", "emacs-lisp", "mcp"],
    });
    if let (Value::Object(manifest), Value::Object(more)) = (&mut manifest, more) {
        manifest.extend(more);
    }
    manifest
}

fn servers(command: &str, arguments: &[&str]) -> Value {
    json!({ SERVER: { "command": command, "args": arguments } })
}

/// The hooks of a client, each event with its groups; they run `program`, which is a word of a shell.
fn hooks(client: &'static Client, program: &str) -> Value {
    let group = |event| entries::hook_value(event, client, &ours::hook_line(client, program, &[]));
    let events = client.hooks.events.iter().map(|&(event, _)| (event.to_owned(), json!([group(event)])));
    Value::Object(events.collect::<Map<_, _>>())
}

fn readme() -> String {
    format!(
        "# {TITLE}\n\n{SUMMARY}\n\n\
         This plugin starts the server `lispwright mcp` with the agent, lets `lispwright hook` look at what the agent's own \
         edit tools write, and has a skill for the model. It needs the program `lispwright` on the `PATH`, or where package \
         managers put it: [how to install it]({REPOSITORY}/blob/main/docs/install.md). With the plugin installed, \
         `lispwright setup` writes none of this a second time.\n\n\
         It is written by `lispwright setup --plugin`; [what each tool does]({REPOSITORY}/blob/main/docs/tools.md), \
         [what the hooks do]({REPOSITORY}/blob/main/docs/hooks.md), \
         [what evaluated code may do]({REPOSITORY}/blob/main/docs/security.md).\n"
    )
}

//! Codex: servers in TOML, hooks in JSON. A patch that is applied through the shell arrives as a call of `Bash`.

use super::{Base, Client, EntryForm, Grant, Hooks, Moved, Part, Spelling, When};
use crate::installed::Record;

pub(super) const CLIENT: Client = Client {
    name: "codex",
    title: "Codex",
    program: "codex",
    variable: "CODEX_HOME",
    moved: Moved::Home(".codex"),
    directory: "",
    user: &[
        (Base::Directory, "config.toml", &[Part::TomlServer, Part::Grant]),
        (Base::Directory, "hooks.json", &[Part::Hooks]),
    ],
    project: &[(".codex/config.toml", &[Part::TomlServer, Part::Grant]), (".codex/hooks.json", &[Part::Hooks])],
    skills: Some(("skills", ".codex/skills")),
    plugin: Some((Record::Table, "config.toml", None)),
    reads_comments: false,
    byte_order_mark: &[Part::TomlServer, Part::Grant],
    servers: "mcpServers",
    entry: EntryForm::Plain,
    grant: Grant {
        spelling: Some(Spelling::Approval),
        writes: "default_tools_approval_mode = \"approve\" in [mcp_servers.lispwright]: Codex calls lispwright's tools \
                 without asking, in every sandbox mode",
        asks: "Codex asks before each tool that edits or runs code, and `codex exec` refuses those.",
    },
    hooks: Hooks {
        events: &[("PreToolUse", "apply_patch|Bash"), ("PostToolUse", "apply_patch|Bash")],
        earlier: &[],
        timeout: 10,
        fails_closed: false,
    },
    check: "`codex mcp list`, and /hooks inside",
    advice: &[
        (When::Hooks, "Then type /hooks in it and trust the two hooks: until then Codex does not run them."),
        (When::Project, "Codex reads a project's configuration only after you have trusted the project."),
    ],
};

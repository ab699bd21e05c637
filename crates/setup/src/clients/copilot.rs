//! GitHub Copilot CLI: plain JSON, hooks in a file of their own. It refuses every call whose hook fails.

use super::{Base, Client, EntryForm, Grant, Hooks, Moved, Part, When};
use crate::installed::Record;

pub(super) const CLIENT: Client = Client {
    name: "copilot",
    title: "Copilot CLI",
    program: "copilot",
    variable: "COPILOT_HOME",
    moved: Moved::Home(".copilot"),
    directory: "",
    user: &[
        (Base::Directory, "mcp-config.json", &[Part::JsonServer]),
        (Base::Directory, "hooks/lispwright.json", &[Part::Hooks]),
    ],
    project: &[(".mcp.json", &[Part::JsonServer]), (".github/hooks/lispwright.json", &[Part::Hooks])],
    skills: Some(("skills", ".github/skills")),
    plugin: Some((Record::Enabled, "settings.json", None)),
    reads_comments: false,
    byte_order_mark: &[],
    servers: "mcpServers",
    entry: EntryForm::Plain,
    grant: Grant {
        spelling: None,
        writes: "nothing is written: Copilot CLI keeps no permission for tools in its files; start it with \
                 --allow-tool=lispwright",
        asks: "",
    },
    hooks: Hooks {
        events: &[("PreToolUse", "create|edit"), ("PostToolUse", "create|edit|bash")],
        earlier: &[],
        timeout: 10,
        fails_closed: true,
    },
    check: "`copilot mcp list`",
    advice: &[
        (When::Always, "Copilot CLI asks before it calls a tool, unless it is started with --allow-tool=lispwright."),
        (When::Project, "Copilot CLI reads a project's files only in folders that you have trusted."),
    ],
};

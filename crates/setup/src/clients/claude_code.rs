//! Claude Code: plain JSON; its servers are in a file beside its directory.

use super::{Base, Client, EntryForm, Grant, Hooks, Moved, Part, Spelling, When};
use crate::installed::Record;

pub(super) const CLIENT: Client = Client {
    name: "claude-code",
    title: "Claude Code",
    program: "claude",
    variable: "CLAUDE_CONFIG_DIR",
    moved: Moved::Home(".claude"),
    directory: "",
    user: &[
        (Base::Home, ".claude.json", &[Part::JsonServer]),
        (Base::Directory, "settings.json", &[Part::Grant, Part::Hooks]),
    ],
    project: &[(".mcp.json", &[Part::JsonServer]), (".claude/settings.json", &[Part::Grant, Part::Hooks])],
    skills: Some(("skills", ".claude/skills")),
    plugin: Some((Record::Enabled, "settings.json", Some(".claude/settings.json"))),
    reads_comments: false,
    byte_order_mark: &[Part::JsonServer, Part::Grant, Part::Hooks],
    servers: "mcpServers",
    entry: EntryForm::Plain,
    grant: Grant {
        spelling: Some(Spelling::Permission),
        writes: "\"mcp__lispwright\" in permissions.allow: Claude Code calls lispwright's tools without asking",
        asks: "Claude Code asks before it first calls a tool, and calls none in print mode.",
    },
    hooks: Hooks {
        events: &[("PreToolUse", "Write|Edit|MultiEdit"), ("PostToolUse", "Write|Edit|MultiEdit|Bash")],
        earlier: &["Write|Edit|MultiEdit"],
        timeout: 10,
        fails_closed: false,
    },
    check: "`claude mcp list`, and /hooks inside",
    advice: &[(When::Project, "It asks once whether this project's server may run.")],
};

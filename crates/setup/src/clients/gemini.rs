//! Gemini CLI: everything in one JSON file, which may contain comments.

use super::{Base, Client, EntryForm, Grant, Hooks, Moved, Part, Spelling, When};
use crate::installed::Record;

const PARTS: &[Part] = &[Part::JsonServer, Part::Grant, Part::Hooks];

pub(super) const CLIENT: Client = Client {
    name: "gemini",
    title: "Gemini CLI",
    program: "gemini",
    variable: "GEMINI_CLI_HOME",
    moved: Moved::Home(""),
    directory: ".gemini",
    user: &[(Base::Directory, "settings.json", PARTS)],
    project: &[(".gemini/settings.json", PARTS)],
    skills: Some(("skills", ".gemini/skills")),
    plugin: Some((Record::Manifest, "extensions/lispwright/gemini-extension.json", None)),
    reads_comments: true,
    byte_order_mark: &[],
    servers: "mcpServers",
    entry: EntryForm::Plain,
    grant: Grant {
        spelling: Some(Spelling::Trust),
        writes: "\"trust\": true in the server's entry: Gemini CLI offers lispwright's tools without a terminal, too, and \
                 calls them without asking",
        asks: "Gemini CLI asks before it calls a tool, and offers none without a terminal.",
    },
    hooks: Hooks {
        events: &[("BeforeTool", "write_file|replace"), ("AfterTool", "write_file|replace|run_shell_command")],
        earlier: &["write_file|replace"],
        timeout: 10_000,
        fails_closed: false,
    },
    check: "`gemini mcp list`, and /hooks panel inside",
    advice: &[(When::Always, "Gemini CLI starts no servers in folders that you have not trusted.")],
};

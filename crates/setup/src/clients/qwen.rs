//! Qwen Code: everything in one JSON file, which may contain comments, as Gemini CLI's, from which it comes.

use super::{Base, Client, EntryForm, Grant, Hooks, Moved, Part, Spelling, When};

const PARTS: &[Part] = &[Part::JsonServer, Part::Grant, Part::Hooks];

pub(super) const CLIENT: Client = Client {
    name: "qwen",
    title: "Qwen Code",
    program: "qwen",
    variable: "QWEN_HOME",
    moved: Moved::Home(".qwen"),
    directory: "",
    user: &[(Base::Directory, "settings.json", PARTS)],
    project: &[(".qwen/settings.json", PARTS)],
    skills: Some(("skills", ".qwen/skills")),
    plugin: None,
    reads_comments: true,
    byte_order_mark: &[],
    servers: "mcpServers",
    entry: EntryForm::Plain,
    grant: Grant {
        spelling: Some(Spelling::Trust),
        writes: "\"trust\": true in the server's entry: Qwen Code calls lispwright's tools without asking",
        asks: "Qwen Code asks before it calls a tool, and refuses it without a terminal.",
    },
    hooks: Hooks {
        events: &[("PreToolUse", "^(write_file|edit)$"), ("PostToolUse", "^(write_file|edit|run_shell_command)$")],
        earlier: &[],
        timeout: 10_000,
        fails_closed: false,
    },
    check: "`qwen mcp list`, and /hooks inside",
    advice: &[(
        When::Hooks,
        "It lets no hook change a call: what lispwright would mend is refused, with the text to send instead.",
    )],
};

//! opencode: servers in a JSON file, which may contain comments; the hooks are in a plugin that we write.

use super::{Base, Client, EntryForm, Grant, Hooks, Moved, Part};

const PLUGIN: &[Part] = &[Part::Plugin(include_str!("opencode.js"))];

pub(super) const CLIENT: Client = Client {
    name: "opencode",
    title: "opencode",
    program: "opencode",
    variable: "XDG_CONFIG_HOME",
    moved: Moved::Home(".config"),
    directory: "opencode",
    user: &[
        (Base::Directory, "opencode.json", &[Part::JsonServer]),
        (Base::Directory, "plugins/lispwright.js", PLUGIN),
    ],
    project: &[("opencode.json", &[Part::JsonServer]), (".opencode/plugins/lispwright.js", PLUGIN)],
    skills: Some(("skills", ".opencode/skills")),
    plugin: None,
    reads_comments: true,
    byte_order_mark: &[],
    servers: "mcp",
    entry: EntryForm::OneList,
    grant: Grant {
        spelling: None,
        writes: "nothing is written: opencode asks before a tool of a server only if your `permission` says so; to allow \
                 ours, add \"lispwright_*\": \"allow\" at the end of it",
        asks: "",
    },
    hooks: Hooks { events: &[], earlier: &[], timeout: 0, fails_closed: false },
    check: "`opencode mcp list`",
    advice: &[],
};

//! Clients that get our server alone: their hooks, if they have any, are not spoken here.
//!
//! Each reads its servers from one JSON or YAML file, which is what its documentation says; `name program directory`, the files
//! and the key of the servers are all that differs.

use super::{Base, Client, EntryForm, Grant, Hooks, Moved, Part, When};

const SERVER: &[Part] = &[Part::JsonServer];
const YAML: &[Part] = &[Part::YamlServer];

/// A client without hooks and skills of ours, which asks before it calls a tool.
const PLAIN: Client = Client {
    name: "",
    title: "",
    program: "",
    variable: "",
    moved: Moved::Home(""),
    directory: "",
    user: &[],
    project: &[],
    skills: None,
    plugin: None,
    reads_comments: false,
    byte_order_mark: &[],
    servers: "mcpServers",
    entry: EntryForm::Plain,
    grant: Grant { spelling: None, writes: "nothing is written: this client keeps its permissions itself", asks: "" },
    hooks: Hooks { events: &[], earlier: &[], timeout: 0, fails_closed: false },
    check: "its list of MCP servers",
    advice: &[],
};

const NO_HOOKS: &str =
    "Its own edits are not watched: `lispwright init` shows a hook for Git that checks what is committed.";

pub(super) const CURSOR: Client = Client {
    name: "cursor",
    title: "Cursor",
    program: "cursor",
    directory: ".cursor",
    user: &[(Base::Directory, "mcp.json", SERVER)],
    project: &[(".cursor/mcp.json", SERVER)],
    check: "Settings, Tools & MCP",
    advice: &[(When::Always, NO_HOOKS)],
    ..PLAIN
};

pub(super) const VS_CODE: Client = Client {
    name: "vscode",
    title: "VS Code",
    program: "code",
    moved: Moved::Applications,
    variable: "XDG_CONFIG_HOME",
    directory: "Code/User",
    user: &[(Base::Directory, "mcp.json", SERVER)],
    project: &[(".vscode/mcp.json", SERVER)],
    reads_comments: true,
    servers: "servers",
    entry: EntryForm::Typed,
    check: "the command MCP: List Servers",
    advice: &[(When::Always, NO_HOOKS), (When::Always, "It asks once whether the server may be trusted.")],
    ..PLAIN
};

pub(super) const ZED: Client = Client {
    name: "zed",
    title: "Zed",
    program: "zed",
    moved: Moved::Home(".config"),
    variable: "XDG_CONFIG_HOME",
    directory: "zed",
    user: &[(Base::Directory, "settings.json", SERVER)],
    project: &[(".zed/settings.json", SERVER)],
    reads_comments: true,
    servers: "context_servers",
    check: "the command agent: open settings",
    advice: &[(When::Always, NO_HOOKS)],
    ..PLAIN
};

pub(super) const WINDSURF: Client = Client {
    name: "windsurf",
    title: "Windsurf",
    program: "windsurf",
    directory: ".codeium/windsurf",
    user: &[(Base::Directory, "mcp_config.json", SERVER)],
    check: "the list of MCP servers in Cascade",
    advice: &[(When::Always, NO_HOOKS)],
    ..PLAIN
};

pub(super) const CRUSH: Client = Client {
    name: "crush",
    title: "Crush",
    program: "crush",
    moved: Moved::Home(".config"),
    variable: "XDG_CONFIG_HOME",
    directory: "crush",
    user: &[(Base::Directory, "crush.json", SERVER)],
    project: &[(".crush.json", SERVER)],
    servers: "mcp",
    entry: EntryForm::Typed,
    check: "the list of MCPs in its side bar",
    advice: &[(When::Always, NO_HOOKS)],
    ..PLAIN
};

pub(super) const GOOSE: Client = Client {
    name: "goose",
    title: "Goose",
    program: "goose",
    moved: Moved::Home(".config"),
    variable: "XDG_CONFIG_HOME",
    directory: "goose",
    user: &[(Base::Directory, "config.yaml", YAML)],
    servers: "extensions",
    entry: EntryForm::Extension,
    check: "`goose configure`, Toggle Extensions",
    advice: &[(When::Always, NO_HOOKS)],
    ..PLAIN
};

pub(super) const CONTINUE: Client = Client {
    name: "continue",
    title: "Continue",
    program: "cn",
    directory: ".continue",
    user: &[(Base::Directory, "config.yaml", YAML)],
    entry: EntryForm::Listed,
    check: "/mcp inside, or its list of tools",
    advice: &[(When::Always, NO_HOOKS)],
    ..PLAIN
};

pub(super) const CLINE: Client = Client {
    name: "cline",
    title: "Cline",
    program: "cline",
    moved: Moved::Home(".cline"),
    variable: "CLINE_DIR",
    directory: "data/settings",
    user: &[(Base::Directory, "cline_mcp_settings.json", SERVER)],
    check: "`cline config mcp`, or the list of MCP servers in the editor",
    advice: &[
        (When::Always, NO_HOOKS),
        (
            When::Always,
            "It keeps a server in the first project that it was used in: give the entry \"args\": [\"mcp\", \"--root\", \
             \"/path/to/project\"], and \"timeout\": 300, because it gives up on a call after a minute.",
        ),
    ],
    ..PLAIN
};

pub(super) const CLAUDE_DESKTOP: Client = Client {
    name: "claude-desktop",
    title: "Claude Desktop",
    moved: Moved::Applications,
    directory: "Claude",
    user: &[(Base::Directory, "claude_desktop_config.json", SERVER)],
    check: "Settings, Developer",
    advice: &[(
        When::Always,
        "It starts servers outside of any project: give the entry \"args\": [\"mcp\", \"--root\", \"/path/to/project\"].",
    )],
    ..PLAIN
};

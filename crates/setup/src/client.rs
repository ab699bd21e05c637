//! The clients, as data: which files they read and what an entry looks like there.
//!
//! To add a client that reads JSON, add a variant and its row in [`Client::files`] and [`Client::hooks`].

use std::path::{Path, PathBuf};

/// A coding agent that can be configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Claude Code, Anthropic's command line agent.
    ClaudeCode,
    /// Codex, OpenAI's command line agent.
    Codex,
    /// Gemini CLI, Google's command line agent.
    Gemini,
}

/// Whose configuration is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One person's, for all projects.
    User,
    /// One project's, for everybody who works on it.
    Project,
}

/// What a configuration file can hold for us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// `mcpServers` in a JSON file.
    JsonServer,
    /// `[mcp_servers]` in a TOML file.
    TomlServer,
    /// `hooks` in a JSON file.
    Hooks,
    /// The leave to call our tools without asking, as each client spells it. It stands in an entry that
    /// [`Part::JsonServer`] or [`Part::TomlServer`] makes, so it comes behind them.
    Grant,
}

/// A configuration file and the parts that belong into it, in the order in which they are put there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Where it is.
    pub path: PathBuf,
    /// At least one.
    pub parts: Vec<Part>,
}

/// The directories that decide where configuration files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The user's home directory.
    pub home: PathBuf,
    /// The value of [`Client::variable`], when it is set and not empty.
    pub variable: Option<PathBuf>,
    /// The project, for [`Scope::Project`].
    pub project: PathBuf,
}

/// The hooks of a client.
pub(crate) struct Hooks {
    /// Events before and after a tool runs, each with the tools it is for: a regular expression that the client matches
    /// against their names.
    pub(crate) events: [(&'static str, &'static str); 2],
    /// What stood in the place of such an expression in files of earlier versions.
    pub(crate) earlier: &'static [&'static str],
    /// How long the client waits for an answer, in the client's unit.
    pub(crate) timeout: u32,
}

impl Client {
    /// All of them.
    pub const ALL: [Client; 3] = [Client::ClaudeCode, Client::Codex, Client::Gemini];

    /// As written on a command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude-code",
            Client::Codex => "codex",
            Client::Gemini => "gemini",
        }
    }

    /// As its makers write it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code",
            Client::Codex => "Codex",
            Client::Gemini => "Gemini CLI",
        }
    }

    /// The program that starts it.
    #[must_use]
    pub fn program(self) -> &'static str {
        match self {
            Client::ClaudeCode => "claude",
            Client::Codex => "codex",
            Client::Gemini => "gemini",
        }
    }

    /// The environment variable that moves its user configuration. Claude Code and Codex take it for their directory,
    /// Gemini CLI for the home directory in which it has `.gemini`.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Client::ClaudeCode => "CLAUDE_CONFIG_DIR",
            Client::Codex => "CODEX_HOME",
            Client::Gemini => "GEMINI_CLI_HOME",
        }
    }

    /// The directory that is there when the client has been used by this user.
    #[must_use]
    pub fn directory(self, places: &Places) -> PathBuf {
        match (self, &places.variable) {
            (Client::ClaudeCode | Client::Codex, Some(directory)) => directory.clone(),
            (Client::ClaudeCode, None) => places.home.join(".claude"),
            (Client::Codex, None) => places.home.join(".codex"),
            (Client::Gemini, moved) => moved.as_ref().unwrap_or(&places.home).join(".gemini"),
        }
    }

    /// The files that the client reads in this scope.
    #[must_use]
    pub fn files(self, scope: Scope, places: &Places) -> Vec<ConfigFile> {
        let file = |directory: &Path, name: &str, parts: &[Part]| ConfigFile {
            path: directory.join(name),
            parts: parts.to_vec(),
        };
        let (user, project) = (self.directory(places), places.project.as_path());
        match (self, scope) {
            (Client::ClaudeCode, Scope::User) => {
                // Without the variable this file is beside the directory, with it inside.
                let servers = if places.variable.is_some() { &user } else { &places.home };
                vec![
                    file(servers, ".claude.json", &[Part::JsonServer]),
                    file(&user, "settings.json", &[Part::Grant, Part::Hooks]),
                ]
            }
            (Client::ClaudeCode, Scope::Project) => vec![
                file(project, ".mcp.json", &[Part::JsonServer]),
                file(project, ".claude/settings.json", &[Part::Grant, Part::Hooks]),
            ],
            (Client::Codex, _) => {
                let directory = if scope == Scope::User { user } else { project.join(".codex") };
                vec![
                    file(&directory, "config.toml", &[Part::TomlServer, Part::Grant]),
                    file(&directory, "hooks.json", &[Part::Hooks]),
                ]
            }
            (Client::Gemini, _) => {
                let directory = if scope == Scope::User { user } else { project.join(".gemini") };
                vec![file(&directory, "settings.json", &[Part::JsonServer, Part::Grant, Part::Hooks])]
            }
        }
    }

    /// Its JSON files may hold comments. The others take a file with a comment for broken.
    pub(crate) fn reads_comments(self) -> bool {
        self == Client::Gemini
    }

    /// A file with these parts may start with a byte order mark.
    #[must_use]
    pub fn reads_byte_order_mark(self, parts: &[Part]) -> bool {
        match self {
            Client::ClaudeCode => true,
            Client::Codex => !parts.contains(&Part::Hooks),
            Client::Gemini => false,
        }
    }

    /// What [`Part::Grant`] writes, and what that allows, in a sentence for the person who decides.
    #[must_use]
    pub fn grant(self) -> &'static str {
        match self {
            Client::ClaudeCode => {
                "\"mcp__lispwright\" in permissions.allow: Claude Code calls lispwright's tools without asking"
            }
            Client::Codex => {
                "default_tools_approval_mode = \"approve\" in [mcp_servers.lispwright]: Codex calls lispwright's tools \
                 without asking, in every sandbox mode"
            }
            Client::Gemini => {
                "\"trust\": true in the server's entry: Gemini CLI offers lispwright's tools without a terminal, too, and \
                 calls them without asking"
            }
        }
    }

    /// What the client does about a tool without [`Part::Grant`], in a sentence.
    #[must_use]
    pub fn asks(self) -> &'static str {
        match self {
            Client::ClaudeCode => "Claude Code asks before it first calls a tool, and calls none in print mode.",
            Client::Codex => "Codex asks before each tool that edits or runs code, and `codex exec` refuses those.",
            Client::Gemini => "Gemini CLI asks before it calls a tool, and offers none without a terminal.",
        }
    }

    pub(crate) fn hooks(self) -> Hooks {
        match self {
            Client::ClaudeCode => {
                let edits = "Write|Edit|MultiEdit";
                let events = [("PreToolUse", edits), ("PostToolUse", "Write|Edit|MultiEdit|Bash")];
                Hooks { events, earlier: &["Write|Edit|MultiEdit"], timeout: 10 }
            }
            // A patch that is applied through the shell comes as a call of `Bash`.
            Client::Codex => {
                let tools = "apply_patch|Bash";
                Hooks { events: [("PreToolUse", tools), ("PostToolUse", tools)], earlier: &[], timeout: 10 }
            }
            Client::Gemini => {
                let events =
                    [("BeforeTool", "write_file|replace"), ("AfterTool", "write_file|replace|run_shell_command")];
                Hooks { events, earlier: &["write_file|replace"], timeout: 10_000 }
            }
        }
    }
}

//! The clients: the configuration files that each reads and the form of our entries there. A client with hooks has a file
//! of its own; `servers.rs` has the rows of those that get our server alone.
//!
//! To add one, write its row and name it twice below. `crates/hook` has the row for the JSON of its hooks.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod qwen;
mod servers;

use std::path::PathBuf;

use crate::installed::{Record, tells};
use crate::skill;

/// A coding agent that can be configured.
#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name on our command line.
    pub name: &'static str,
    /// Its name as its makers write it.
    pub title: &'static str,
    /// The program that starts it; empty if none is known.
    pub program: &'static str,
    /// The environment variable that moves its user configuration; empty if none does.
    pub variable: &'static str,
    /// The directory that the variable replaces.
    moved: Moved,
    /// The directory of its user configuration, below that.
    directory: &'static str,
    /// The files of one person and our parts of them, in the order of installation.
    user: &'static [(Base, &'static str, &'static [Part])],
    /// The same for the files of a project, below its directory.
    project: &'static [(&'static str, &'static [Part])],
    /// The directory that has its skills, if it reads any: of one person, below the client's own directory; of a project,
    /// below that.
    skills: Option<(&'static str, &'static str)>,
    /// The files that tell whether it has our plugin, if it has plugins: of one person, below its directory, and of a
    /// project; and how.
    plugin: Option<(Record, &'static str, Option<&'static str>)>,
    /// Its JSON files may contain comments. The other clients reject a file with a comment.
    pub(crate) reads_comments: bool,
    /// A file may start with a byte order mark if all of its parts are among these.
    byte_order_mark: &'static [Part],
    /// The key of its servers in a JSON or YAML file.
    pub(crate) servers: &'static str,
    /// The form of a server's entry there.
    pub(crate) entry: EntryForm,
    /// The permission to call our tools without asking.
    pub grant: Grant,
    /// Its hooks.
    pub(crate) hooks: Hooks,
    /// How a person can check the setup.
    pub check: &'static str,
    /// What a person has to know or do after a setup, each with the setups after which it applies.
    pub advice: &'static [(When, &'static str)],
}

/// A directory for the configurations of one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moved {
    /// Below the home directory.
    Home(&'static str),
    /// The one that the system has for the settings of applications.
    Applications,
}

/// The form of a server's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryForm {
    /// `{"command": program, "args": [...]}`
    Plain,
    /// The same with `"type": "stdio"`.
    Typed,
    /// `{"type": "local", "command": [program, ...]}`
    OneList,
    /// Goose's, in a YAML file: by its name, `cmd: program`.
    Extension,
    /// Continue's, in a YAML file: an item of a list, `name: lispwright`.
    Listed,
}

/// Where a file of one person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// In the client's directory.
    Directory,
    /// In the home directory, or in the client's directory if the variable is set.
    Home,
}

/// The setups after which a piece of advice applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After every setup.
    Always,
    /// After the setup of a project.
    Project,
    /// After a setup with hooks.
    Hooks,
}

/// The owner of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One person's, for all projects.
    User,
    /// One project's, for everybody who works on it.
    Project,
}

/// A part of a configuration file that we write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Our server in a JSON file.
    JsonServer,
    /// `[mcp_servers]` in a TOML file.
    TomlServer,
    /// Our server in a YAML file that is there already.
    YamlServer,
    /// `hooks` in a JSON file.
    Hooks,
    /// A plugin with this source text, which is the whole file and runs our hook.
    Plugin(&'static str),
    /// A file of our skill, which is the whole file.
    Skill,
    /// The permission to call our tools without asking, in the spelling of the client. It can be inside the entry of
    /// [`Part::JsonServer`] or [`Part::TomlServer`], so it comes after them.
    Grant,
}

/// The permission to call our tools without asking.
#[derive(Debug, PartialEq, Eq)]
pub struct Grant {
    /// `None`: there is nothing to write.
    pub(crate) spelling: Option<Spelling>,
    /// What [`Part::Grant`] writes, and what that allows, in a sentence for the person who decides.
    pub writes: &'static str,
    /// What the client does without the permission, in a sentence.
    pub asks: &'static str,
}

/// How a permission is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// A rule in a list of permissions.
    Permission,
    /// A key in the server's entry of a JSON file.
    Trust,
    /// A key in the server's entry of a TOML file.
    Approval,
}

/// The hooks of a client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hooks {
    /// The events before and after a tool runs, each with a regular expression that the client matches against the
    /// names of tools.
    pub(crate) events: &'static [(&'static str, &'static str)],
    /// The regular expressions in files of earlier versions.
    pub(crate) earlier: &'static [&'static str],
    /// How long the client waits for an answer, in its own unit.
    pub(crate) timeout: u32,
    /// The client refuses a call if the hook fails, even if the program does not exist; so the command hides failures.
    pub(crate) fails_closed: bool,
}

/// A configuration file and our parts of it, in the order of installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFile {
    /// Its path.
    pub path: PathBuf,
    /// At least one.
    pub parts: Vec<Part>,
}

/// The directories that decide where configuration files are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigDirectories {
    /// The user's home directory.
    pub home: PathBuf,
    /// The directory that the system has for the settings of applications.
    pub applications: PathBuf,
    /// The value of [`Client::variable`], if it is set and not empty.
    pub variable: Option<PathBuf>,
    /// The project, for [`Scope::Project`].
    pub project: PathBuf,
}

impl Grant {
    /// The client asks before it calls a tool, unless it has this permission.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.spelling.is_some()
    }
}

impl Client {
    /// Claude Code, Anthropic's command line agent.
    pub const CLAUDE_CODE: &'static Self = &claude_code::CLIENT;
    /// Codex, OpenAI's command line agent.
    pub const CODEX: &'static Self = &codex::CLIENT;
    /// Gemini CLI, Google's command line agent.
    pub const GEMINI: &'static Self = &gemini::CLIENT;
    /// opencode.
    pub const OPENCODE: &'static Self = &opencode::CLIENT;
    /// GitHub Copilot CLI.
    pub const COPILOT: &'static Self = &copilot::CLIENT;
    /// Qwen Code.
    pub const QWEN: &'static Self = &qwen::CLIENT;
    /// All of them.
    pub const ALL: [&'static Self; 15] = [
        Self::CLAUDE_CODE,
        Self::CODEX,
        Self::GEMINI,
        Self::OPENCODE,
        Self::COPILOT,
        Self::QWEN,
        &servers::CURSOR,
        &servers::VS_CODE,
        &servers::ZED,
        &servers::WINDSURF,
        &servers::CRUSH,
        &servers::GOOSE,
        &servers::CONTINUE,
        &servers::CLINE,
        &servers::CLAUDE_DESKTOP,
    ];

    /// The client with a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|client| client.name == name)
    }

    /// The directory of the client's user configuration. It exists if this user has used the client.
    #[must_use]
    pub fn directory(&self, places: &ConfigDirectories) -> PathBuf {
        let moved = places.variable.clone().unwrap_or_else(|| match self.moved {
            Moved::Home(name) => places.home.join(name),
            Moved::Applications => places.applications.clone(),
        });
        moved.join(self.directory)
    }

    /// The files that the client reads in this scope.
    #[must_use]
    pub fn files(&self, scope: Scope, places: &ConfigDirectories) -> Vec<ConfigFile> {
        let file = |path: PathBuf, parts: &[Part]| ConfigFile { path, parts: parts.to_vec() };
        match scope {
            Scope::User => {
                self.user.iter().map(|&(base, name, parts)| file(self.base(base, places).join(name), parts)).collect()
            }
            Scope::Project => {
                self.project.iter().map(|&(name, parts)| file(places.project.join(name), parts)).collect()
            }
        }
    }

    /// The directory of our skill; `None` if the client reads no skills.
    #[must_use]
    pub fn skill_directory(&self, scope: Scope, places: &ConfigDirectories) -> Option<PathBuf> {
        Some(self.skills_directory(scope, places)?.join(skill::DIRECTORY))
    }

    /// The skill files of earlier versions, which a setup removes. Each is in a directory of its own.
    #[must_use]
    pub fn earlier_skill_files(&self, scope: Scope, places: &ConfigDirectories) -> Vec<PathBuf> {
        let Some(skills) = self.skills_directory(scope, places) else { return Vec::new() };
        skill::EARLIER.iter().map(|name| skills.join(name).join(skill::EARLIER_FILE)).collect()
    }

    fn skills_directory(&self, scope: Scope, places: &ConfigDirectories) -> Option<PathBuf> {
        let (own, project) = self.skills?;
        Some(match scope {
            Scope::User => self.directory(places).join(own),
            Scope::Project => places.project.join(project),
        })
    }

    /// The files that may tell that the client has our plugin, which comes with what [`files`](Self::files) get.
    #[must_use]
    pub fn plugin_records(&self, places: &ConfigDirectories) -> Vec<PathBuf> {
        let Some((_, own, project)) = self.plugin else { return Vec::new() };
        let own = self.directory(places).join(own);
        [Some(own), project.map(|name| places.project.join(name))].into_iter().flatten().collect()
    }

    /// The text of one of [`plugin_records`](Self::plugin_records) tells that the plugin is there and not switched off.
    #[must_use]
    pub fn has_plugin(&self, text: &str) -> bool {
        self.plugin.is_some_and(|(record, ..)| tells(record, text, self.reads_comments))
    }

    /// The client runs our hooks.
    #[must_use]
    pub fn has_hooks(&self) -> bool {
        let parts = self.user.iter().flat_map(|(_, _, parts)| *parts);
        parts.into_iter().any(|part| matches!(part, Part::Hooks | Part::Plugin(_)))
    }

    fn base(&self, base: Base, places: &ConfigDirectories) -> PathBuf {
        match base {
            Base::Home if places.variable.is_none() => places.home.clone(),
            Base::Home | Base::Directory => self.directory(places),
        }
    }

    /// The client reads a file with these parts even if it starts with a byte order mark.
    #[must_use]
    pub fn reads_byte_order_mark(&self, parts: &[Part]) -> bool {
        parts.iter().all(|part| self.byte_order_mark.contains(part))
    }
}

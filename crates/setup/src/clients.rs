//! The clients, one file here for each: which files it reads and what an entry looks like there.
//!
//! To add one, write its row and name it twice below. `crates/hook` has the row for what its hooks say.

mod claude_code;
mod codex;
mod copilot;
mod gemini;
mod opencode;

use std::path::PathBuf;

/// A coding agent that can be configured.
#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    /// As written on a command line.
    pub name: &'static str,
    /// As its makers write it.
    pub title: &'static str,
    /// The program that starts it.
    pub program: &'static str,
    /// The environment variable that moves its user configuration.
    pub variable: &'static str,
    /// What that variable stands for, below the home directory.
    moved: &'static str,
    /// The directory of its user configuration, below that.
    directory: &'static str,
    /// The files of one person and the parts that belong into them, in the order in which they are put there.
    user: &'static [(Base, &'static str, &'static [Part])],
    /// The files of a project, below it.
    project: &'static [(&'static str, &'static [Part])],
    /// Its JSON files may hold comments. The others take a file with a comment for broken.
    pub(crate) reads_comments: bool,
    /// A file may start with a byte order mark when all of its parts are among these.
    byte_order_mark: &'static [Part],
    /// The key of a JSON file that holds its servers.
    pub(crate) servers: &'static str,
    /// An entry there has program and arguments in one list.
    pub(crate) one_list: bool,
    /// The leave to call our tools without asking.
    pub grant: Grant,
    /// Its hooks.
    pub(crate) hooks: Hooks,
    /// How a person sees that it is set up.
    pub check: &'static str,
    /// What a person has to know or do after a setup.
    pub advice: &'static [(When, &'static str)],
}

/// Where a file of one person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    /// In the client's directory.
    Directory,
    /// In the home directory; in the client's directory where the variable names one.
    Home,
}

/// When something is worth saying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// After every setup.
    Always,
    /// After that of a project.
    Project,
    /// After one with hooks.
    Hooks,
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
    /// Our server in a JSON file.
    JsonServer,
    /// `[mcp_servers]` in a TOML file.
    TomlServer,
    /// `hooks` in a JSON file.
    Hooks,
    /// A program of this text, which is the whole file and runs our hook.
    Plugin(&'static str),
    /// The leave to call our tools without asking, as each client spells it. It stands in an entry that
    /// [`Part::JsonServer`] or [`Part::TomlServer`] makes, so it comes behind them.
    Grant,
}

/// The leave to call our tools without asking.
#[derive(Debug, PartialEq, Eq)]
pub struct Grant {
    /// `None`: the client asks before no tool.
    pub(crate) spelling: Option<Spelling>,
    /// What [`Part::Grant`] writes, and what that allows, in a sentence for the person who decides.
    pub writes: &'static str,
    /// What the client does about a tool without it, in a sentence.
    pub asks: &'static str,
}

/// How a leave is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// A rule in a list of what is allowed.
    Permission,
    /// A key in the server's entry of a JSON file.
    Trust,
    /// A key in the server's entry of a TOML file.
    Approval,
}

/// The hooks of a client.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hooks {
    /// Events before and after a tool runs, each with the tools it is for: a regular expression that the client matches
    /// against their names.
    pub(crate) events: &'static [(&'static str, &'static str)],
    /// What stood in the place of such an expression in files of earlier versions.
    pub(crate) earlier: &'static [&'static str],
    /// How long the client waits for an answer, in the client's unit.
    pub(crate) timeout: u32,
    /// A hook that fails refuses the call, also where the program is gone; so its failure is kept from the client.
    pub(crate) fails_closed: bool,
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
pub struct ConfigDirectories {
    /// The user's home directory.
    pub home: PathBuf,
    /// The value of [`Client::variable`], when it is set and not empty.
    pub variable: Option<PathBuf>,
    /// The project, for [`Scope::Project`].
    pub project: PathBuf,
}

impl Grant {
    /// The client asks before it calls a tool, unless it has this leave.
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
    /// All of them.
    pub const ALL: [&'static Self; 5] = [Self::CLAUDE_CODE, Self::CODEX, Self::GEMINI, Self::OPENCODE, Self::COPILOT];

    /// The client of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|client| client.name == name)
    }

    /// The directory that is there when the client has been used by this user.
    #[must_use]
    pub fn directory(&self, places: &ConfigDirectories) -> PathBuf {
        let moved = places.variable.clone().unwrap_or_else(|| places.home.join(self.moved));
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

    fn base(&self, base: Base, places: &ConfigDirectories) -> PathBuf {
        match base {
            Base::Home if places.variable.is_none() => places.home.clone(),
            Base::Home | Base::Directory => self.directory(places),
        }
    }

    /// A file with these parts may start with a byte order mark.
    #[must_use]
    pub fn reads_byte_order_mark(&self, parts: &[Part]) -> bool {
        parts.iter().all(|part| self.byte_order_mark.contains(part))
    }
}

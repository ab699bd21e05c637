//! Edits the configuration files of coding agents.
//!
//! People write comments into these files, order their keys and keep them under version control, and clients rewrite
//! them while they run. So nothing here prints a file anew: an entry is inserted, updated in its place, or removed, and
//! every other byte stays. Removing what was installed restores the old bytes.
//!
//! Pure functions: text in, text out. [`Client::files`] lists the files; [`install`] and [`remove`] edit one of them.
//! Read next: `clients.rs` for what clients read, `json.rs` for the rule that makes removal exact, `ours.rs` for how
//! our entries are recognised.

mod clients;
mod entries;
mod fault;
mod grant;
mod installed;
mod json;
mod marketplace;
mod ours;
mod plugin;
mod skill;
mod toml;
mod yaml;

pub use clients::{Client, ConfigDirectories, ConfigFile, Grant, Part, Scope, When};
pub use fault::SetupFault;
pub use marketplace::{MarketFile, marketplace};
pub use skill::Skill;

use clients::Spelling;

/// The name of our server entry.
pub const SERVER: &str = "lispwright";

/// The values of our entries in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'e> {
    /// The client that reads them.
    pub client: &'static Client,
    /// The command by which the client starts this program: a name on the PATH, or an absolute path.
    pub program: &'e str,
    /// A file for the hooks' statistics. `None` keeps the file that an existing entry names.
    pub stats: Option<&'e str>,
    /// The text of a file with [`Part::Skill`].
    pub skill: Option<Skill<'e>>,
}

/// The outcome for one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryResult {
    /// It was not there, and was added.
    Added,
    /// It was there with another value, such as an older path of the program.
    Updated {
        /// The value before.
        from: String,
    },
    /// It was there with the right value.
    Already,
    /// It was there and has been removed.
    Removed,
    /// It was not there, and nothing was added.
    Absent,
    /// An entry with our name runs another program; it was left alone.
    Foreign,
    /// It runs this program, but a person has written more into it than we do; it was not removed.
    Kept {
        /// What that is.
        more: String,
    },
}

/// One entry of a file and its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryReport {
    /// `MCP server`, `tool grant`, `plugin with the hooks`, `skill file`, or the event of a hook.
    pub entry: &'static str,
    /// The outcome.
    pub done: EntryResult,
}

/// The result of an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The new text; `None` if the file should not exist.
    pub text: Option<String>,
    /// The entries in the order in which they were edited.
    pub steps: Vec<EntryReport>,
}

/// The text of a file with `parts` of `entry` in it. `text` is `None` when there is no file yet.
///
/// # Errors
/// The client could not read the text, or it is written in a way that cannot be edited safely.
pub fn install(text: Option<&str>, parts: &[Part], entry: &Entry<'_>) -> Result<FileChange, SetupFault> {
    let is_new = text.is_none();
    let mut now = text.unwrap_or_default().to_owned();
    let mut steps = Vec::new();
    for (name, work) in works(parts, entry.client) {
        let (new, done) = match work {
            Work::JsonServer => entries::install_server(&now, entry)?,
            Work::TomlServer => toml::install_server(&now, is_new, entry)?,
            Work::YamlServer => yaml::install_server(&now, is_new, entry)?,
            Work::Hook(event) => entries::install_hook(&now, event, entry)?,
            Work::Grant => install_grant(&now, entry.client)?,
            Work::Plugin(source) => plugin::install(&now, is_new, source, entry),
            Work::Skill => skill::install(&now, is_new, entry),
        };
        if let Some(mut new) = new {
            if is_new && now.is_empty() && !new.ends_with('\n') {
                new.push('\n');
            }
            now = new;
        }
        steps.push(EntryReport { entry: name, done });
    }
    let nothing = is_new && now.is_empty();
    Ok(FileChange { text: (!nothing).then_some(now), steps })
}

/// The text of a file without any entry of ours in `parts`, whatever the path of the program that they run.
pub fn remove(text: &str, parts: &[Part], client: &'static Client) -> Result<FileChange, SetupFault> {
    let mut now = text.to_owned();
    let mut steps = Vec::new();
    let mut gone = false;
    for (name, work) in works(parts, client).into_iter().rev() {
        let mut removed = false;
        let done = loop {
            if gone {
                break EntryResult::Absent;
            }
            let (new, done) = match work {
                Work::JsonServer => entries::remove_server(&now, client)?,
                Work::TomlServer => toml::remove_server(&now)?,
                Work::YamlServer => yaml::remove_server(&now, client)?,
                Work::Hook(event) => entries::remove_hook(&now, event, client)?,
                Work::Grant => remove_grant(&now, client)?,
                Work::Plugin(_) => plugin::remove(&now, client),
                Work::Skill => skill::remove(&now),
            };
            if done != EntryResult::Removed {
                break done;
            }
            removed = true;
            match new {
                // Every round removes an entry.
                Some(new) => now = new,
                None => gone = true,
            }
        };
        steps.push(EntryReport { entry: name, done: if removed { EntryResult::Removed } else { done } });
    }
    Ok(FileChange { text: (!gone).then_some(now), steps })
}

fn install_grant(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    match client.grant.spelling {
        None => Ok((None, EntryResult::Absent)),
        Some(Spelling::Permission) => grant::install_permission(text, client),
        Some(Spelling::Approval) => toml::install_approval(text),
        Some(Spelling::Trust) => grant::install_trust(text, client),
    }
}

fn remove_grant(text: &str, client: &Client) -> Result<(Option<String>, EntryResult), SetupFault> {
    match client.grant.spelling {
        None => Ok((Some(text.to_owned()), EntryResult::Absent)),
        Some(Spelling::Permission) => grant::remove_permission(text, client),
        Some(Spelling::Approval) => toml::remove_approval(text),
        Some(Spelling::Trust) => grant::remove_trust(text, client),
    }
}

/// One entry of a part.
#[derive(Clone, Copy)]
enum Work {
    JsonServer,
    TomlServer,
    YamlServer,
    Hook(&'static str),
    Plugin(&'static str),
    Skill,
    Grant,
}

fn works(parts: &[Part], client: &'static Client) -> Vec<(&'static str, Work)> {
    let mut works = Vec::new();
    for part in parts {
        match part {
            Part::JsonServer => works.push(("MCP server", Work::JsonServer)),
            Part::TomlServer => works.push(("MCP server", Work::TomlServer)),
            Part::YamlServer => works.push(("MCP server", Work::YamlServer)),
            Part::Grant => works.push(("tool grant", Work::Grant)),
            Part::Plugin(source) => works.push(("plugin with the hooks", Work::Plugin(source))),
            Part::Skill => works.push(("skill file", Work::Skill)),
            Part::Hooks => works.extend(client.hooks.events.iter().map(|&(event, _)| (event, Work::Hook(event)))),
        }
    }
    works
}

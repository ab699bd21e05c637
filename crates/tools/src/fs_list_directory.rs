//! `fs_list_directory`: the entries of a directory.

use std::path::Path;

use lispwright_project::{EntryKind, ListedEntry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::next_call::NextCall;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Entries shown when no number is asked for.
const DEFAULT_LIMIT: u32 = 300;

/// Entries shown at most.
const MOST: u32 = 2_000;

/// Endings of the names of compiled files.
const COMPILED: &[&str] =
    &["fasl", "ufasl", "x86f", "cfasl", "dx64fsl", "lx64fsl", "fas", "fasb", "fasc", "go", "elc", "eln", "zo", "dep"];

/// Arguments of `fs_list_directory`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FsListDirectory {
    /// Default: the root
    #[serde(default)]
    pub path: Option<String>,
    /// Dotfiles too
    #[serde(default)]
    pub show_hidden: bool,
    /// Entries to skip
    #[serde(default)]
    pub offset: u32,
    /// Default 300
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub limit: Option<u32>,
}

/// The entries of a directory.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ListAnswer {
    /// The directory, as the project calls it.
    pub path: String,
    /// Its entries, by name.
    pub entries: Vec<EntryFacts>,
    /// How many entries there are, without those that are left out.
    pub count: usize,
    /// There are more after these.
    pub truncated: bool,
    /// Hidden entries are among them.
    pub show_hidden: bool,
    /// Hidden entries that are left out.
    #[serde(skip)]
    pub hidden: usize,
    /// Compiled files that are left out.
    #[serde(skip)]
    pub compiled: usize,
    /// The call that shows the next ones.
    #[serde(skip)]
    pub next: Option<NextCall>,
    /// The call that shows the hidden ones, too.
    #[serde(skip)]
    pub with_hidden: NextCall,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EntryFacts {
    /// Its name.
    pub name: String,
    /// `directory` or `file`; `link` for one that leads nowhere or out of the project, `other` for pipes and devices.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

/// Lists a directory.
pub async fn fs_list_directory(
    workshop: &Workshop,
    args: FsListDirectory,
    context: &CallContext,
) -> Result<ListAnswer, Refusal> {
    let path = args.path.clone().filter(|path| !path.is_empty()).unwrap_or_else(|| ".".to_owned());
    let workshop = workshop.clone();
    context.on_files(move || run(&workshop, &path, &args)).await
}

fn run(workshop: &Workshop, asked: &str, args: &FsListDirectory) -> Result<ListAnswer, Refusal> {
    let (path, all) = workshop.roots.list(Path::new(asked))?;
    let is_hidden = |entry: &ListedEntry| entry.name.starts_with('.');
    let hidden = if args.show_hidden { 0 } else { all.iter().filter(|entry| is_hidden(entry)).count() };
    let compiled = all.iter().filter(|entry| is_compiled(entry) && (args.show_hidden || !is_hidden(entry))).count();
    let shown: Vec<EntryFacts> = all
        .into_iter()
        .filter(|entry| (args.show_hidden || !is_hidden(entry)) && !is_compiled(entry))
        .map(EntryFacts::from)
        .collect();
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
    let end = args.offset.saturating_add(limit);
    let call = || {
        let call = NextCall::to("fs_list_directory").with("path", asked);
        call.with_given("show_hidden", args.show_hidden.then_some(true))
    };
    let count = shown.len();
    let truncated = (end as usize) < count;
    Ok(ListAnswer {
        path,
        entries: shown.into_iter().skip(args.offset as usize).take(limit as usize).collect(),
        count,
        truncated,
        show_hidden: args.show_hidden,
        hidden,
        compiled,
        next: truncated.then(|| call().with("offset", end).with_given("limit", args.limit)),
        with_hidden: NextCall::to("fs_list_directory").with("path", asked).with("show_hidden", true),
    })
}

fn is_compiled(entry: &ListedEntry) -> bool {
    let ending = entry.name.rsplit_once('.').map(|(stem, ending)| (stem.is_empty(), ending));
    entry.kind == EntryKind::File
        && ending.is_some_and(|(bare, ending)| !bare && COMPILED.contains(&ending.to_ascii_lowercase().as_str()))
}

impl From<ListedEntry> for EntryFacts {
    fn from(entry: ListedEntry) -> Self {
        let kind = match entry.kind {
            EntryKind::Directory => "directory",
            EntryKind::File => "file",
            EntryKind::Link => "link",
            EntryKind::Other => "other",
        };
        Self { name: entry.name, kind }
    }
}

//! Says whether a project ignores a path, from `.gitignore`, `.ignore`, and the excludes of its repository and its user.
//!
//! The `ignore` crate understands the patterns. This module finds the files with patterns and opens them, so that a pipe
//! in the place of one stops nothing. A directory's own patterns come before those above it, and `.ignore` before Git's.
//! Git's patterns end at the root of a repository: a directory around a repository ignores nothing inside it.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};

use crate::regular::{Links, read_regular};
use crate::root::is_shared;

/// Longest file of patterns, in bytes.
const MOST_PATTERNS: u64 = 256 * 1024;

/// The names of files with patterns.
pub(crate) const PATTERNS: [&str; 2] = [".gitignore", ".ignore"];

/// The name of a repository's own directory, or of the file that says where that is.
pub(crate) const REPOSITORY: &str = ".git";

/// The patterns that apply in a directory, outermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ignores {
    /// Those of the user, the repository, and each `.gitignore`.
    git: Vec<Arc<Gitignore>>,
    /// Those of each `.ignore`.
    plain: Vec<Arc<Gitignore>>,
    /// The user's patterns, for the next repository.
    user: Arc<str>,
}

impl Ignores {
    /// The patterns that the directories above `top` have for it. `top` is absolute and without links. The directories end
    /// at the root of its repository, and before one that holds several projects.
    pub(crate) fn around(top: &Path, faults: &mut Vec<String>) -> Arc<Self> {
        let above = || top.ancestors().skip(1).take_while(|directory| !is_shared(directory));
        let holds = |directory: &Path, name: &str| directory.join(name).symlink_metadata().is_ok();
        let repository = above().position(|directory| holds(directory, REPOSITORY)).map_or(usize::MAX, |at| at + 1);
        let counted: Vec<&Path> = if holds(top, REPOSITORY) { Vec::new() } else { above().take(repository).collect() };
        let user = gitconfig_excludes_path().and_then(|path| patterns_in(&path, Links::Followed, faults));
        let user = Arc::from(user.unwrap_or_default());
        let outermost = counted.last().copied().unwrap_or(top);
        let git = rules(outermost, &user, "the user's excludes", faults).into_iter().collect();
        let outer = Arc::new(Self { git, plain: Vec::new(), user });
        counted
            .iter()
            .rev()
            .fold(outer, |outer, directory| outer.inside(directory, |name| holds(directory, name), faults))
    }

    /// The patterns that apply in `directory`; `holds` says whether it contains a name.
    pub(crate) fn inside(
        self: &Arc<Self>,
        directory: &Path,
        holds: impl Fn(&str) -> bool,
        faults: &mut Vec<String>,
    ) -> Arc<Self> {
        let [repository, git, plain] = [REPOSITORY, ".gitignore", ".ignore"].map(holds);
        if !(repository || git || plain) {
            return Arc::clone(self);
        }
        let mut inner = Self::clone(self);
        if repository {
            inner.git = rules(directory, &self.user, "the user's excludes", faults).into_iter().collect();
            inner.git.extend(excludes_of(directory, faults));
        }
        if git {
            inner.git.extend(rules_in(directory, &directory.join(".gitignore"), Links::Refused, faults));
        }
        if plain {
            inner.plain.extend(rules_in(directory, &directory.join(".ignore"), Links::Refused, faults));
        }
        Arc::new(inner)
    }

    /// Whether an absolute path is ignored; `None` when no pattern matches it.
    pub(crate) fn of(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let said = self.git.iter().chain(&self.plain).rev().map(|rules| rules.matched(path, is_directory));
        said.map(|said| match said {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        })
        .find_map(|said| said)
    }
}

/// The patterns of the repository in `directory` itself: `info/exclude` of gitrepository-layout(5).
fn excludes_of(directory: &Path, faults: &mut Vec<String>) -> Option<Arc<Gitignore>> {
    let own = directory.join(REPOSITORY);
    // In a linked work tree and in a submodule, `.git` is a file with the path of the repository, which may have a file
    // with the path of its common part.
    let line_in = |path: &Path, key: &[u8]| {
        let bytes = read_regular(path, 4096, Links::Followed).ok()?;
        Some(path.parent()?.join(OsStr::from_bytes(bytes.strip_prefix(key)?.trim_ascii_end())))
    };
    let place = line_in(&own, b"gitdir: ").unwrap_or(own);
    let common = line_in(&place.join("commondir"), b"").unwrap_or(place);
    rules_in(directory, &common.join("info/exclude"), Links::Followed, faults)
}

fn rules_in(root: &Path, file: &Path, links: Links, faults: &mut Vec<String>) -> Option<Arc<Gitignore>> {
    let text = patterns_in(file, links, faults)?;
    rules(root, &text, &file.display().to_string(), faults)
}

/// The text of a file of patterns; `None` without a fault when the file does not exist.
fn patterns_in(file: &Path, links: Links, faults: &mut Vec<String>) -> Option<String> {
    match read_regular(file, MOST_PATTERNS, links) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        Err(error) => {
            faults.push(format!("{}: its patterns do not count: {error}", file.display()));
            None
        }
    }
}

/// The patterns of a text, for paths below `root`. An invalid line matches nothing.
fn rules(root: &Path, text: &str, name: &str, faults: &mut Vec<String>) -> Option<Arc<Gitignore>> {
    let mut builder = GitignoreBuilder::new(root);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    let built = builder.build().map_err(|error| faults.push(format!("{name}: its patterns do not count: {error}")));
    built.ok().filter(|rules| !rules.is_empty()).map(Arc::new)
}

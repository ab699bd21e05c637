//! What a survey has seen of directories, so that it can be told without another survey that there are the same files.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::FileType;

use crate::below::names_in;
use crate::ignores::PATTERNS;
use crate::read::Version;

/// The directories that a survey has entered, as they were.
#[derive(Clone, Debug, Default)]
pub struct Census(Vec<Listing>);

/// A directory with the names in it.
#[derive(Clone, Debug)]
struct Listing {
    /// Absolute and without links.
    path: PathBuf,
    /// `None` if it could change without another version.
    version: Option<Version>,
    /// A digest of the names and of what they are.
    names: u64,
    /// The files with patterns that it has.
    patterns: Vec<(PathBuf, Option<Version>)>,
}

impl Census {
    /// Nothing has been added to the directories, taken out or renamed, and no file says otherwise what is ignored.
    pub fn holds(&self) -> bool {
        self.0.iter().all(Listing::holds)
    }

    /// Adds what another survey has seen.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Adds a directory whose names have been read after it had `version`.
    pub(crate) fn add(&mut self, path: &Path, version: Option<Version>, names: &[(OsString, FileType)]) {
        let version = version.filter(|version| version.is_settled(SystemTime::now()));
        let has = |name: &str| names.iter().any(|(known, _)| known == name);
        let patterns = PATTERNS.iter().filter(|name| has(name)).map(|name| {
            let path = path.join(name);
            let version = Version::at(&path).ok();
            (path, version)
        });
        let patterns = patterns.collect();
        self.0.push(Listing { path: path.to_owned(), version, names: digest(names), patterns });
    }
}

impl Listing {
    fn holds(&self) -> bool {
        let is_same = || self.version.is_some() && Version::at(&self.path).ok() == self.version;
        let has_same_names = || names_in(&self.path, usize::MAX).is_ok_and(|names| digest(&names) == self.names);
        let mut patterns = self.patterns.iter();
        (is_same() || has_same_names()) && patterns.all(|(path, version)| Version::at(path).ok() == *version)
    }
}

fn digest(names: &[(OsString, FileType)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (name, kind) in names {
        (name, *kind as u8).hash(&mut hasher);
    }
    hasher.finish()
}

//! What a hook sees of the disk.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lispwright_syntax::{Dialect, Language};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A text, without its byte order mark, with line ends as stored.
    Text(String),
    /// Nothing.
    Missing,
    /// Something that cannot be read as a text: a directory, a device, a file without permission, one that is too large.
    Unreadable,
}

/// Reads files and project configuration. Never writes.
pub trait Files {
    /// What stands at an absolute path.
    fn read(&self, path: &Path) -> Found;

    /// The files below `directory` that are named as Lisp and have changed within that time, as far as a short look finds
    /// them.
    fn changed(&self, directory: &Path, within: Duration) -> Vec<PathBuf>;

    /// The dialect as the project around `path` uses it.
    ///
    /// # Errors
    /// Why that cannot be found out, with the file that says it, for a person.
    fn language(&self, path: &Path, dialect: Dialect) -> Result<Language, String>;
}

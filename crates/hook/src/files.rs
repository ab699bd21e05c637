//! The files that a hook reads.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lispwright_syntax::{Dialect, Language};

/// The content of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A text, without its byte order mark, with its line ends unchanged.
    Text(String),
    /// A text that is not in UTF-8, with the name of its encoding.
    Encoded(String, &'static str),
    /// There is no file.
    Missing,
    /// The path cannot be read as a text: it is a directory, a device, a file without permission, or too large.
    Unreadable,
}

/// A file in a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The text that they are.
    pub found: Found,
}

/// Something wrong at a line of a file whose delimiters are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong, with its level and the name of the rule.
    pub message: String,
}

/// Reads files and project configuration. It never writes.
pub trait FileSource {
    /// The content of an absolute path.
    fn read(&self, path: &Path) -> Found;

    /// An absolute path as the last commit has it, if there is one and it has a text.
    fn committed(&self, path: &Path) -> Option<Committed>;

    /// The files below `directory` with the name of a Lisp file that have changed within that time, as far as a short
    /// search finds them.
    fn changed(&self, directory: &Path, within: Duration) -> Vec<PathBuf>;

    /// The dialect with the additions of the project around `path`.
    ///
    /// # Errors
    /// The reason why the project's configuration cannot be read, with its file, in words for a person.
    fn language(&self, path: &Path, dialect: Dialect) -> Result<Language, String>;

    /// What is wrong in a file with the text `now` that was not with the text `before`, the worst first.
    fn problems(&self, path: &Path, before: &str, now: &str, language: &Language) -> Vec<Mistake>;
}

//! Directories on the command line: the Lisp files below them, and what the project's ignore files kept out.

use std::path::Path;

use lispwright_project::survey;
use lispwright_syntax::Dialect;

/// What stands below a directory, as a person would name it.
pub(crate) struct Below {
    /// The Lisp files, by their extensions.
    pub(crate) files: Vec<String>,
    /// Directories and Lisp files that an ignore file names.
    pub(crate) ignored: Vec<String>,
    /// What could not be looked at, and why.
    pub(crate) unreadable: Vec<String>,
}

impl Below {
    /// Looks below `top`. Without `ignoring`, ignore files do not count.
    pub(crate) fn new(top: &str, ignoring: bool) -> Self {
        let is_lisp = |path: &Path| Dialect::detect(&path.to_string_lossy(), b"").is_some();
        let found = survey(Path::new(top), ignoring, is_lisp);
        let shown = |path: &std::path::PathBuf| path.strip_prefix("./").unwrap_or(path).display().to_string();
        Self {
            files: found.files.iter().map(shown).collect(),
            ignored: found.ignored.iter().map(shown).collect(),
            unreadable: found.unreadable,
        }
    }

    /// What was kept out, for the end of a sentence; nothing when nothing was.
    pub(crate) fn ignored_in_words(&self) -> String {
        const MOST: usize = 5;
        let names = self.ignored.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.ignored.len() {
            0 => String::new(),
            count if count > MOST => format!("; ignored: {names} and {} more", count - MOST),
            _ => format!("; ignored: {names}"),
        }
    }
}

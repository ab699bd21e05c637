//! Directories on the command line: the Lisp files below them, and the entries that were passed over.

use std::path::{Path, PathBuf};

use lispwright_project::survey;
use lispwright_syntax::in_a_line;
use lispwright_tools::workspace::is_lisp_name;

/// The entries below a directory, with the paths that a user would write.
pub(crate) struct Below {
    /// The Lisp files, by their extensions.
    pub(crate) files: Vec<String>,
    /// Directories and Lisp files that an ignore file names.
    pub(crate) ignored: Vec<String>,
    /// Links named as Lisp files that lead out of the project.
    pub(crate) outside: Vec<String>,
    /// Entries that could not be read, with the reason.
    pub(crate) unreadable: Vec<String>,
}

impl Below {
    /// Looks below `top`. Without `ignoring`, ignore files have no effect.
    pub(crate) fn new(top: &str, ignoring: bool) -> Self {
        let found = survey(Path::new(top), ignoring, is_lisp_name);
        let shown = |paths: Vec<PathBuf>| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix("./").unwrap_or(path).display().to_string()).collect()
        };
        Self {
            files: shown(found.files),
            ignored: shown(found.ignored),
            outside: shown(found.outside),
            unreadable: found.unreadable,
        }
    }

    /// The entries that were passed over, for the end of a sentence; empty if there are none.
    pub(crate) fn passed_over(&self) -> String {
        const MOST: usize = 5;
        let in_words = |what: &str, names: &[String]| {
            let shown = names.iter().take(MOST).map(|name| in_a_line(name)).collect::<Vec<_>>().join(", ");
            match names.len() {
                0 => String::new(),
                count if count > MOST => format!("; {what}: {shown} and {} more", count - MOST),
                _ => format!("; {what}: {shown}"),
            }
        };
        in_words("ignored", &self.ignored) + &in_words("links that lead out", &self.outside)
    }
}

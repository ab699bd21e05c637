//! The agent of a runtime: the Lisp that runs in its workers, and the command lines that start them.
//!
//! A worker starts from a saved image if possible (`image` saves it), otherwise plain, and reads the agent from its
//! standard input. Each file in `backends` has the agent of its runtime; the Lisp is in `images/`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The way a worker starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// From a saved image.
    Saved(PathBuf),
    /// From the implementation's own image, with the agent on standard input; the text is the reason.
    Plain(String),
}

/// The agent of a runtime.
#[derive(Debug)]
pub(crate) struct Agent {
    /// The standard input of a plain start and of a save.
    pub(crate) text: fn() -> String,
    /// The arguments that run `start` with a heap of this many megabytes. Files that the worker compiles go below the
    /// directory, otherwise beside the saved image.
    pub(crate) start: fn(&Start, u32, Option<&Path>) -> Vec<OsString>,
    /// The saved state of a first start.
    pub(crate) saved: Saved,
}

/// The state that a first start saves for later ones.
#[derive(Debug)]
pub(crate) enum Saved {
    /// An image.
    Image {
        /// The extension of its file.
        extension: &'static str,
        /// The arguments that write it to a path.
        arguments: fn(&Path) -> Vec<OsString>,
    },
    /// Nothing, for this reason.
    Never(&'static str),
}

/// A path as a string that every Lisp reads.
pub(crate) fn quoted_path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// A text as a string that every Lisp reads.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

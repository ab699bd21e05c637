//! What the workers of a runtime are started with: the Lisp that runs inside of them and the command lines around it.
//!
//! A worker starts from a saved image where there can be one (`image` saves it), else plain, and is fed the agent through
//! its standard input. Each file in `backends` has the agent of its runtime; the Lisp is in `images/`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How a worker is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// From a saved image.
    Saved(PathBuf),
    /// From the implementation's own image, the agent fed through standard input; with the reason for it.
    Plain(String),
}

/// The agent of a runtime.
#[derive(Debug)]
pub(crate) struct Agent {
    /// What a plain start and a save are fed through standard input.
    pub(crate) text: fn() -> String,
    /// The arguments that run `start` with a heap of so many megabytes. What the worker compiles goes below the directory,
    /// else where the saved image is.
    pub(crate) start: fn(&Start, u32, Option<&Path>) -> Vec<OsString>,
    /// What it starts from when it was started before.
    pub(crate) saved: Saved,
}

/// What is kept of a first start for the later ones.
#[derive(Debug)]
pub(crate) enum Saved {
    /// An image.
    Image {
        /// What its name ends in.
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

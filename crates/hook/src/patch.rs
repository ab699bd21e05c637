//! Codex's patches: their text, what they ask for, and what comes of them.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/a.lisp
//! *** Move to: src/b.lisp
//! @@ (defun f (x)
//!    (print 1)
//! -  (print x))
//! +  (print (car x)))
//! *** Add File: src/c.lisp
//! +(in-package :c)
//! *** Delete File: src/d.lisp
//! *** End Patch
//! ```
//!
//! A chunk names no line numbers: its old lines are looked for below the line that its `@@` names, exactly, then without
//! trailing white space, then without any around them, then with typographic dashes, quotes and spaces taken for plain
//! ones. What is not understood gives no patch at all.

mod apply;
mod parse;

pub use apply::{Direction, Patched};

use std::ops::Range;

use crate::change::Rewritten;

/// A patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The text that holds it, with whatever stands around it.
    pub(crate) text: String,
    /// Where that text stands in the arguments of the call: a JSON pointer (RFC 6901).
    pub(crate) pointer: String,
    /// A directory that relative paths start from, itself relative to that of the call.
    pub(crate) directory: Option<String>,
    /// Its files, in order.
    pub(crate) files: Vec<FilePatch>,
}

/// What a patch does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// The file.
    pub path: String,
    /// What is done to it.
    pub action: Action,
}

/// What is done to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is made, of these lines.
    Add(Vec<Line>),
    /// It goes.
    Delete,
    /// Lines of it change.
    Update {
        /// Its new name.
        moved: Option<String>,
        /// The changes, from top to bottom.
        chunks: Vec<Chunk>,
    },
}

/// Neighbouring lines that change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// A line above, to look for first.
    pub below: Option<String>,
    /// The lines, old and new.
    pub lines: Vec<Line>,
    /// It is at the end of the file.
    pub at_end: bool,
}

/// A line of a chunk or of a file that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What happens to it.
    pub sign: Sign,
    /// The bytes of the patch's text after the sign.
    pub span: Range<usize>,
}

/// What happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It is there before and after.
    Kept,
    /// It goes.
    Removed,
    /// It comes.
    Added,
}

impl Patch {
    /// The files that are there afterwards: path now, path afterwards, action.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str, &Action)> {
        self.files.iter().filter_map(|file| match &file.action {
            Action::Delete => None,
            Action::Update { moved: Some(moved), .. } => Some((&*file.path, &**moved, &file.action)),
            action => Some((&*file.path, &*file.path, action)),
        })
    }

    /// A path of the patch, from the directory of the call.
    pub(crate) fn located(&self, path: &str) -> String {
        match &self.directory {
            Some(directory) if !path.starts_with('/') => format!("{}/{path}", directory.trim_end_matches('/')),
            _ => path.to_owned(),
        }
    }

    /// The text that holds the patch, with some of the added lines changed. A source is where the line begins in that
    /// text.
    pub(crate) fn with(&self, texts: &[Rewritten]) -> String {
        let lines = self.files.iter().flat_map(|file| match &file.action {
            Action::Add(lines) => lines.iter().collect::<Vec<_>>(),
            Action::Delete => Vec::new(),
            Action::Update { chunks, .. } => chunks.iter().flat_map(|chunk| &chunk.lines).collect(),
        });
        let mut out = String::with_capacity(self.text.len() + 8);
        let mut from = 0;
        for line in lines {
            if let Some(changed) = texts.iter().find(|changed| changed.source == line.span.start) {
                out.push_str(&self.text[from..line.span.start]);
                out.push_str(&changed.text);
                from = line.span.end;
            }
        }
        out.push_str(&self.text[from..]);
        out
    }
}

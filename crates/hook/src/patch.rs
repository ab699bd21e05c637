//! Codex's patches: their syntax, their meaning and their result.
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
//! A chunk has no line numbers: its old lines are searched below the line that its `@@` names, first exactly, then
//! without trailing white space, then without white space on both sides, then with typographic dashes, quotes and
//! spaces read as plain ones. Text that is not understood is not a patch.

mod apply;
mod parse;

pub use apply::{PatchDirection, Patched};

use std::ops::Range;

use crate::change::Rewritten;

/// A patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The argument that contains the patch, with the text around it.
    pub(crate) text: String,
    /// The place of that argument in the call: a JSON pointer (RFC 6901).
    pub(crate) pointer: String,
    /// The directory from which relative paths start, itself relative to that of the call.
    pub(crate) directory: Option<String>,
    /// Its files, in order.
    pub(crate) files: Vec<FilePatch>,
}

/// The part of a patch for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePatch {
    /// The file.
    pub path: String,
    /// The action on it.
    pub action: Action,
}

/// The action on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The file is created with these lines.
    Add(Vec<Line>),
    /// It goes.
    Delete,
    /// Lines of the file change.
    Update {
        /// Its new name.
        moved: Option<String>,
        /// The changes, from top to bottom.
        chunks: Vec<Chunk>,
    },
}

/// A change of adjacent lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// A line above, which is searched first.
    pub below: Option<String>,
    /// The lines, old and new.
    pub lines: Vec<Line>,
    /// It is at the end of the file.
    pub at_end: bool,
}

/// A line of a chunk or of a new file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The change of the line.
    pub sign: Sign,
    /// The bytes of the patch's text after the sign.
    pub span: Range<usize>,
}

/// The change of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The line stays.
    Kept,
    /// It goes.
    Removed,
    /// The line is added.
    Added,
}

impl Patch {
    /// The files that exist afterwards: present path, later path, action.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str, &Action)> {
        self.files.iter().filter_map(|file| match &file.action {
            Action::Delete => None,
            Action::Update { moved: Some(moved), .. } => Some((&*file.path, &**moved, &file.action)),
            action => Some((&*file.path, &*file.path, action)),
        })
    }

    /// A path of the patch, relative to the directory of the call.
    pub(crate) fn located(&self, path: &str) -> String {
        match &self.directory {
            Some(directory) if !path.starts_with('/') => format!("{}/{path}", directory.trim_end_matches('/')),
            _ => path.to_owned(),
        }
    }

    /// The argument with some of the added lines changed. The source of such a line is its start in that text.
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

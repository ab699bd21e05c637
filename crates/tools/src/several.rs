//! Writing several files in one call: all of them, or none.

use std::path::PathBuf;

use lispwright_edit::unified;
use lispwright_project::{Destination, EditError, NewText, SourceFile, Trial};
use lispwright_syntax::{Span, head};
use schemars::JsonSchema;
use serde::Serialize;

use crate::lisp_read_file::MOST;
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::workshop::Workshop;

/// A file that changes, or would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileDiff {
    /// The file, as calls name it.
    pub path: String,
    /// The number of changed places.
    pub changes: usize,
    /// Unified diff, without file names.
    pub diff: String,
    /// The file was created, or would be.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
    /// The file has other names, which keep the old text.
    #[serde(skip)]
    pub has_other_names: bool,
    /// The same diff was shown by a dry run.
    #[serde(skip)]
    pub was_shown: bool,
}

/// A new text for a file, made for the text that it has.
#[derive(Clone, Debug)]
pub(crate) struct NewFile {
    /// The file, absolute.
    pub(crate) path: PathBuf,
    /// Nothing has the path yet.
    pub(crate) is_new: bool,
    /// The text for which the new one was made.
    pub(crate) old_text: String,
    /// The new text.
    pub(crate) new_text: String,
}

/// Writes new texts, unless a file has another text by now.
pub(crate) fn write(workshop: &Workshop, files: &[NewFile]) -> Result<Trial, Refusal> {
    let targets: Vec<Destination> =
        files.iter().map(|file| Destination { path: file.path.clone(), may_be_new: file.is_new }).collect();
    let texts = |sources: &[&SourceFile]| {
        let pairs = files.iter().zip(sources);
        let changed = pairs.clone().find(|(file, source)| file.old_text != source.text);
        match changed {
            Some((_, source)) => Err(Refusal::ChangedMeanwhile { path: source.path.clone() }),
            None => Ok(pairs.map(|(file, _)| NewText::Text(file.new_text.clone())).collect()),
        }
    };
    workshop.roots.edit_several(&targets, texts).map_err(refused)
}

/// The refusal of a change of several files.
pub(crate) fn refused(error: EditError<Refusal>) -> Refusal {
    match error {
        EditError::Refused(refusal) => refusal,
        EditError::Project(error) => error.into(),
    }
}

/// The diff between two texts.
pub(crate) fn diff(old: &str, new: &str) -> String {
    let is_boundary = |at: usize| old.is_char_boundary(at) && new.is_char_boundary(at);
    let mut start = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    while !is_boundary(start) {
        start -= 1;
    }
    let rest = old.len().min(new.len()) - start;
    let mut same = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(|(old, new)| old == new).count();
    while !old.is_char_boundary(old.len() - same) || !new.is_char_boundary(new.len() - same) {
        same -= 1;
    }
    let span = Span::new(start as u32, (old.len() - same) as u32);
    head(&unified(old, new, span, new.len() - same - start), MOST).0.to_owned()
}

/// A path as calls name it.
pub(crate) fn shown(workshop: &Workshop, path: &std::path::Path) -> String {
    relative(&path.to_string_lossy(), workshop.roots.primary())
}

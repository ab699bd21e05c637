//! Mentions of a name in text and in data that stay, or are changed by request.

use std::path::PathBuf;

pub use lispwright_index::MentionKind;

use crate::new_name::NewName;

/// A mention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameMention {
    /// The file, absolute.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Its kind.
    pub kind: MentionKind,
    /// The line itself, without white space around it.
    pub text: String,
}

/// The places of `name` as a word in `text`, with the name that comes instead of each.
pub(crate) fn words(text: &str, name: &str, folds_case: bool, new: &NewName) -> Vec<(usize, usize, String)> {
    let found = lispwright_index::words(text, name, folds_case).into_iter();
    found.map(|word| (word.start, word.end, new.in_prose(&text[word]))).collect()
}

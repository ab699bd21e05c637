//! What an edit makes of a text.

use crate::fix::Mended;
use crate::note::Note;

/// The text after an edit, and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole new text.
    pub text: String,
    /// It differs from the old one.
    pub changed: bool,
    /// Head of the form the edit was about, as written.
    pub form_type: String,
    /// Its name, as written; empty when it has none.
    pub form_name: String,
    /// How it is spoken of and addressed.
    pub label: String,
    /// Lines the new source takes in the new text, from 1; `None` after a deletion.
    pub lines: Option<(u32, u32)>,
    /// Digest of the edited form, of the first inserted form, of nothing after a deletion.
    pub digest: Option<String>,
    /// Unified diff, without file names.
    pub diff: String,
    /// Scalar values added, less those removed.
    pub delta: i64,
    /// What was changed in the new source before it was used, because it did not balance.
    pub repair: Option<Mended>,
    /// Things the caller may not expect.
    pub notes: Vec<Note>,
}

//! The result of an edit.

use crate::fix::Mended;
use crate::note::Note;

/// The text after an edit, with facts about the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole new text.
    pub text: String,
    /// It differs from the old one.
    pub changed: bool,
    /// The head of the edited form, as written.
    pub form_type: String,
    /// Its name, as written; empty when it has none.
    pub form_name: String,
    /// Its label, which is also an address of it.
    pub label: String,
    /// The first and the last line of the new source in the new text, from 1; `None` after a deletion.
    pub lines: Option<(u32, u32)>,
    /// The digest of the edited or of the first inserted form; `None` after a deletion.
    pub digest: Option<String>,
    /// Unified diff, without file names.
    pub diff: String,
    /// The addressed form as it was, with its header comment; empty when forms are appended.
    pub before: String,
    /// That form, or the first inserted one, as it is now; empty after a deletion.
    pub after: String,
    /// Scalar values added, minus those removed.
    pub delta: i64,
    /// The repair of new source that did not balance.
    pub repair: Option<Mended>,
    /// Effects that the caller may not expect.
    pub notes: Vec<Note>,
}

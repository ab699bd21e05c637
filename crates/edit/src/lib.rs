//! Views and edits of Lisp text by form: text in, answer out.
//!
//! Edits by line or by offset break delimiters; edits through a Lisp image lose comments, conditionals and formatting.
//! Here an edit names a form and changes only the bytes it means to change. The new text is read again before it is
//! returned: if any other form would read differently, the edit is refused.
//!
//! - [`Source`] is a text that has been read once: tree, forms, lines.
//! - [`locate`] turns an address into exactly one form, or lists the candidates.
//! - [`edit`] replaces, inserts, appends and deletes; [`patch`] changes text inside one form. Both answer [`Edited`].
//! - [`change_all`] changes many names or data of a text at once.
//! - [`view()`] shows a file collapsed, raw, or filtered, with true line numbers.
//! - [`check()`] says whether a text balances and which line to fix; new source that does not balance is repaired when
//!   the repair is certain.
//! - [`definition_near`] and [`mention()`] find definitions and references that a live image knows from an earlier
//!   state of a text.
//! - [`EditRefusal`] has one variant for each way in which a request can be wrong. Refusals, notes and fixes are facts;
//!   `lispwright-words` has their sentences.
//!
//! **Invariants.** No I/O. Bytes outside the edited form and the blank lines beside it never change. Line numbers and
//! diffs are those of the text itself. A form is always shown as a slice of the text, never printed anew.
//!
//! Read next: `change.rs` for the effect of each operation on the lines around a form, `patch.rs` for changes inside
//! one, `splice.rs` for the way a change is made, `verify.rs` for the meaning of "reads the same", and `diagnose.rs`
//! for what is wrong with a text. `content.rs` checks new source with `characters.rs`, `artefact.rs`, `mend.rs` (the
//! repairer) and `apart.rs` (form by form); `indent.rs` moves it to its column; `escapes.rs` restores invisible characters.

mod apart;
mod artefact;
mod change;
mod changes;
mod characters;
mod check;
mod content;
mod delete;
mod diagnose;
mod diff;
mod edited;
mod escapes;
mod fix;
mod flaw;
mod form_line;
mod indent;
mod locate;
mod mend;
mod mention;
mod note;
mod occurrence;
mod page;
mod patch;
mod place;
mod readtables;
mod refusal;
mod replace;

mod source;
mod splice;
mod unexpected;
mod verify;
mod view;

pub use apart::Rest;
pub use artefact::Artefact;
pub use change::{Edit, FormOperation, edit};
pub use changes::{Change, Changes, Remade, change_all};
pub use check::{CheckReport, check, check_window};
pub use diagnose::{Diagnosis, diagnose, diagnose_notation, explain, explain_flaw};
pub use diff::{changed_lines, unified};
pub use edited::Edited;
pub use fix::{Corrected, Fix, Mended};
pub use form_line::FormLine;
pub use indent::{blank, column, moved_by};
pub use lispwright_repair::LineChange;
pub use locate::{Target, locate};
pub use mention::{definition_near, mention};
pub use note::Note;
pub use occurrence::Near;
pub use page::{check_at_forms, check_block};
pub use patch::{FormPatch, patch};
pub use refusal::EditRefusal;

pub use source::{FormText, Place, Source, digest_of};
pub use unexpected::{Loose, Prevails, Unexpected, besides, unexpected, unexpected_since};
pub use view::{View, ViewKind, ViewOptions, parameters, view, view_plain};

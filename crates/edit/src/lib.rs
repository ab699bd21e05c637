//! Views and edits of Lisp text by form: text in, answer out.
//!
//! Whoever edits Lisp by lines or by offsets breaks delimiters; whoever edits it through a Lisp image loses comments,
//! conditionals and formatting. Here an edit names a form, changes only the bytes it means to change, and is read again
//! before anybody sees the result: if any other form would read differently, the edit is refused.
//!
//! - [`Source`] is a text that has been read once: tree, forms, lines.
//! - [`locate`] turns an address into exactly one form, or says which ones there are.
//! - [`edit`] replaces, inserts, appends and deletes; [`patch`] changes text inside one form. Both answer [`Edited`].
//! - [`view()`] shows a file collapsed, raw, or filtered, with true line numbers.
//! - [`check()`] says whether a text balances and which line to fix; new source that does not is repaired when that is
//!   certain.
//! - [`definition_near`] and [`mention()`] find in a text what a live image knows of an earlier state of it.
//! - [`EditRefusal`] has one variant for each way in which a request can be wrong.
//!
//! **Invariants.** No I/O. Bytes outside the edited form and the blank lines beside it never change. Line numbers and
//! diffs are those of the text itself, and what is shown of a form is a slice of it, never printed anew.
//!
//! Read next: `change.rs` for what each operation does to the lines around a form, `splice.rs` for how a change is made, and
//! `verify.rs` for what "reads the same" means.

mod change;
mod characters;
mod check;
mod content;
mod delete;
mod diagnose;
mod diff;
mod edited;
mod fix;
mod form_line;
mod indent;
mod locate;
mod mend;
mod mention;
mod note;
mod occurrence;
mod patch;
mod place;
mod refusal;
mod replace;
mod seen;
mod slip;
mod source;
mod splice;
mod verify;
mod view;

pub use change::{Edit, Operation, edit};
pub use check::{CheckReport, check, check_window};
pub use diagnose::{Diagnosis, diagnose, explain};
pub use diff::unified;
pub use edited::Edited;
pub use fix::{Fix, Mended};
pub use form_line::FormLine;
pub use lispwright_repair::LineChange;
pub use locate::{Target, locate};
pub use mention::{definition_near, mention};
pub use note::Note;
pub use occurrence::Near;
pub use patch::{Patch, patch};
pub use refusal::EditRefusal;
pub use slip::Slip;
pub use source::{FormText, Place, Source, digest_of};
pub use view::{Mode, View, ViewOptions, view, view_plain};

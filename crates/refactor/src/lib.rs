//! Changes of a whole project of Lisp files, planned from its source: the result is new texts, or a refusal with the
//! place that forbids the change.
//!
//! A change that misses one place breaks code that nobody was looking at, and a change of one place too many does so,
//! too. So nothing here guesses: every place is accounted for, and what was planned is proved. The files are read again
//! as they would be, and the answers to all questions about them must be the old ones.
//!
//! - [`rename`] changes a name: its definition, its uses, its exports, and the names that its definition derives;
//!   [`rename_slot`] that of a slot or field, [`rename_keyword`] that of a keyword, [`rename_thing`] that of a package,
//!   system or feature.
//! - [`rewrite`] changes all forms of a shape into another.
//! - [`change_signature`] changes the parameters of a function, and all calls.
//!
//! **Invariants.** Nothing is written here. A plan has the old text of each file, so that the caller can see that it is
//! still the present one.
//!
//! Read `rename.rs` first, for the order of steps; `collect.rs` judges each place, `derived.rs` finds the names that
//! follow from the new one, and `proof.rs` compares the project before and after.
//! `rewrite.rs` and `template.rs` need no index. `signature.rs` has its own steps.

mod any;
mod collect;
mod derived;
mod dialects;
mod interface;
mod keyword;
mod mention;
mod new_name;
mod platform;
mod proof;
mod refusal;
mod rename;
mod rewrite;
mod signature;
mod slot;
mod target;
mod template;
mod thing;

pub use any::rename_any;
pub use keyword::rename_keyword;
pub use mention::{MentionKind, NameMention};
pub use refusal::{Doubt, Namesake, RenameRefusal, Spot, Untold};
pub use rename::{ChangedPlace, RemadeFile, Rename, RenameRequest, rename};
pub use rewrite::{Loss, RewriteRefusal, RewriteRequest, RewrittenText, check_rewrite, rewrite};
pub use signature::{
    LookReason, OpenPlace, OpenReason, SignatureChange, SignatureRefusal, SignatureRequest, change_signature,
};
pub use slot::rename_slot;
pub use thing::rename_thing;

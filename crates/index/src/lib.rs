//! What a project defines, and who uses it, from its source alone: no image, no daemon, nothing written.
//!
//! [`facts`] says what one text defines and which names it uses how; [`walk`] finds that out. Which package, module or
//! namespace a name belongs to is found when a question is asked ([`resolve`]), because it depends on other files. [`Index`]
//! holds the facts of all files, reads again what has changed, and answers.
//!
//! [`search`] finds text, with the forms around it, and forms that fit a [`pattern`].
//!
//! What can't be known from source is counted as unresolved, and never guessed.

mod bind;
mod dialects;
mod each;
pub mod facts;
mod forms;
mod index;
mod loops;
pub mod pattern;
mod question;
mod resolve;
pub mod search;
mod space;
mod walk;

pub use each::each;
pub use facts::{Definition, Facts, FormRow, Use, UseKind};
pub use index::{Document, Index, LanguageOf, Refreshed};
pub use question::{Hit, Symbol, UseIndex, Uses};
pub use space::{Exports, Import, Space};

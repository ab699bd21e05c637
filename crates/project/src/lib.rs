//! The only way from this program to source files on disk.
//!
//! A coding agent names files by strings, some of them wrong or hostile, while editors, compilers and other agents work on
//! the same tree. This crate answers with the text of exactly the file that was meant, or with an error that says what to
//! do next, and replaces files so that nobody ever sees half of one.
//!
//! - [`Roots`] holds a directory handle for each allowed directory. Every path is walked from such a handle, one component
//!   at a time, without following links blindly, so a path is checked and opened in one movement.
//! - [`Roots::read`] gives a [`SourceFile`]: text, encoding, byte order mark, digest.
//! - [`Roots::edit`] locks a file, hands its text to a function, and replaces it atomically and durably by the result.
//! - [`Roots::edit_several`] does so with several files, all of them or none, and can put them back.
//! - [`Roots::recording`] keeps what is written among the [`KeptChanges`] of the project, and [`Roots::undo`] takes such a change back.
//! - [`LibraryPlace`] is a directory of libraries, which can be read and not written.
//! - [`Roots::list`] gives the entries of a directory, and [`Roots::make_directories`] makes those that a new file needs.
//! - [`Error`] has one variant for each mistake; [`Error::code`] is the stable name that clients see.
//!
//! - [`open_regular`] opens what others may have swapped for a pipe or a device, for every crate that reads a path by name.
//! - [`Below`] walks a tree as its ignore files say: the one walk of this program.
//! - [`AppendFile`] is a file that a person has named and that is only added to, such as a transcript.
//! - [`keep_secret`] keeps a token in a file that only its owner may read; [`edit_private`] and [`read_private`] are for other files of this kind.
//! - [`Revision`] gives the files as a revision of git has them.
//! - [`edit_anywhere`] does the same for a file that a person's own command is about, such as a client's configuration.
//!
//! Invariants. Nothing outside the roots is read or written for a client. A file is at any moment, also after a crash, either whole and
//! old or whole and new. Bytes that an edit does not mean to change are the same afterwards: encoding, line endings, byte
//! order mark, mode bits. This crate knows nothing about Lisp.
//!
//! Read next: `root.rs` for what may be a root, `walk.rs` for confinement, `write.rs` for the order of steps in a write.

mod anywhere;
mod append;
mod below;
mod census;
mod changes;
mod directories;
mod error;
mod identity;
mod ignores;
mod journal;
#[cfg(test)]
mod killed;
mod library;
mod lock;
mod nearest;
mod packed;
mod read;
mod regular;
mod revision;
mod root;
mod secret;
mod set_aside;
mod several;
mod stage;
mod text;
mod undo;
mod walk;
mod write;

pub use anywhere::{create_anywhere, edit_anywhere, remove_anywhere};
pub use append::AppendFile;
pub use below::{Below, Ignored, Seen, Survey, survey};
pub use census::Census;
pub use changes::{KeptBytes, KeptChange, KeptChanges, KeptFile};
pub use directories::{EntryKind, ListedEntry, MadeDirectories};
pub use error::{EditError, Error, NotRegular, NotTextWhy, ReadOnlyWhy, RootFault};
pub use journal::TakenBack;
pub use library::{LibraryPlace, library_at};
pub use packed::{gunzipped, is_packed, unpacked};
pub use read::{Version, read_anywhere, read_encoded_anywhere, read_text_anywhere};
pub use regular::{Access, Links, open_regular, read_regular};
pub use revision::{Revision, RevisionError};
pub use root::{RootChoice, RootSource, Roots, begins_version_control, is_shared, root_around, up_to_project};
pub use secret::{edit_private, keep_secret, read_private};
pub use set_aside::SetAside;
pub use several::{Destination, NotPutBack, Trial};
pub use text::{Encoding, LineEnding, SourceFile, digest_of};
pub use undo::{MovedOn, Undo, UndoRefusal, UndoneFile, Which};
pub use write::{NewText, Written};

/// Longest file that is read or written, in bytes.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

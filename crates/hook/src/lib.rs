//! Judges the edits that coding agents make with their own tools: certain repairs are made, other edits that break a
//! file are refused with the place of the fault, and all others pass in silence.
//!
//! A client runs a hook before and after each call of its edit tools, passes it the call as JSON, and reads an answer
//! from its standard output. [`respond`] is that hook without its process: text in, answer out, files through
//! [`FileSource`].
//!
//! - [`event`] is a call of any client. A [`HookClient`] is a row that reads the JSON of one client as an event, and writes
//!   an [`HookAnswer`] as its JSON; `clients/` has a file for each.
//! - `simulate` carries out the call in memory; the result is a [`ChangedFile`], a file before and after. `patch` reads and
//!   applies the patches of Codex.
//! - [`judge`](mod@judge) is the policy, which is the same for all clients; `worse` decides about files that were
//!   broken before.
//! - `page` finds blocks of Lisp in Markdown and Org that a call has left broken.
//! - `wording` has the sentences for the model, and `stats` the records of verdicts.
//!
//! **Invariants.** All I/O goes through [`FileSource`], which only reads. A call that leaves its file balanced is never
//! changed or refused, and answered by silence unless the indentation contradicts it. Input that is not understood is
//! answered by silence: a hook that gets in the way is uninstalled. The user is shown an error in the project's
//! configuration. Every change is reported to the model. Text of files is always inside fences, never among our own
//! words. Read `respond` first, then `judge`.

mod answer;
pub mod change;
mod clients;
mod encodings;
pub mod event;
pub mod files;
mod input;
pub mod judge;
mod lisp;
mod page;
pub mod patch;
mod quoted;
mod respond;
mod simulate;
pub mod stats;
mod wording;
mod worse;

pub use answer::HookAnswer;
pub use change::ChangedFile;
pub use clients::HookClient;
pub use files::{Committed, FileSource, Found, Mistake};
pub use judge::ChangeVerdict;
pub use respond::{Judged, Response, respond};

//! Judges the edits that coding agents make with their own tools: repairs what is certain, refuses the rest with the place
//! of the fault, and has nothing to say of anything else.
//!
//! A client runs a hook before and after each call of its edit tools, hands it the call as JSON, and reads an answer from
//! its standard output. [`respond`] is that hook without the process around it: text in, answer out, files through
//! [`Files`].
//!
//! - [`event`]: a call, whichever client it comes from. A [`HookClient`] is the row that turns its JSON into one, and
//!   a [`HookAnswer`] into its JSON.
//! - `simulate` carries the call out in memory and gives a [`Change`]: a file before and after.
//! - [`judge`](mod@judge) is the policy. It knows nothing of clients.
//! - `wording` says it to a model.
//!
//! **Invariants.** No I/O but through [`Files`], which only reads. A call that leaves everything balanced is never changed
//! or refused, and answered by silence unless its lines contradict it. Whatever is not understood is answered by silence: a
//! hook that is in the way gets uninstalled. A configuration that is wrong is the user's to mend, and said to the user.
//! Whatever is changed is told. Text of files stands between fences, never among our own words.

mod answer;
pub mod change;
mod clients;
pub mod event;
pub mod files;
mod input;
pub mod judge;
mod lisp;
pub mod patch;
mod quoted;
mod respond;
mod simulate;
pub mod stats;
mod wording;
mod worse;

pub use answer::HookAnswer;
pub use change::Change;
pub use clients::HookClient;
pub use files::{Files, Found};
pub use judge::{Doubts, Verdict};
pub use respond::{Judged, Response, respond};

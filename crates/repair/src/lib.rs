//! Repairs Lisp that does not balance if the evidence leaves one answer, and says where the fault is otherwise.
//!
//! A missing parenthesis is easy to supply and easy to supply in the wrong place: code that balances and means
//! something else is worse than code that is refused. So text that balances is never touched; only the broken top-level
//! form is changed; and a change is made only when it is much likelier than every other.
//!
//! The crate has five parts: [`text`] reads the texts, [`witnesses`] collect the evidence for and against a change,
//! [`proposals`] find the answers and weigh them as probabilities, [`doubts`] are the reasons to refuse a likely
//! answer, and [`policy`] decides.
//!
//! Start reading at [`repair`]. No I/O; nothing recurses on input depth; no input makes it panic.

mod case;
mod doubts;
mod examined;
mod outcome;
mod policy;
mod proposals;
mod renested;
mod report;
mod text;
mod whole;
mod witnesses;

pub use doubts::Doubt;
pub use outcome::{Candidate, Evidence, FaultSite, Outcome, Reason, Repair, TextEdit, TouchedForm, Unrepaired};
pub use renested::{Renested, renested, renested_plain, renested_since};
pub use text::conflict::first_conflict;
pub use text::edit::{apply, moved_into};
pub use text::line_change::{LineChange, line_changes};
pub use text::plain::Plain;
pub use whole::{Earlier, repair, repair_plain, repair_without};

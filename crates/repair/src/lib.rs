//! Repairs Lisp that does not balance, when what is known leaves one answer, and says where the fault is when it does not.
//!
//! A missing parenthesis is easy to supply and easy to supply in the wrong place: code that balances and means something
//! else is worse than code that is refused. So text that balances is never touched; only the broken top-level form is
//! changed; and a change is made only when it is much likelier than every other. What counts for and against a change are
//! its witnesses: the earlier text ([`align`]), the columns of the lines under the habits of the file ([`habits`]), the
//! shapes of the forms around it. [`search`] weighs them as probabilities.
//!
//! [`repair`] is the way in. No I/O; nothing recurses on input depth; no input makes it panic.

mod align;
mod beam;
mod case;
mod code;
mod conflict;
mod decide;
mod doubts;
mod earlier;
mod edit;
mod foreign;
mod glued;
mod guard;
mod habits;
mod heard;
mod learn;
mod line_change;
mod marks;
mod nesting;
mod operators;
mod outcome;
mod plain;
mod question;
mod quotes;
mod rank;
mod renested;
mod report;
mod scope;
mod search;
mod shape;
mod steps;
mod whole;
mod window;

pub use conflict::first_conflict;
pub use doubts::Doubt;
pub use edit::{apply, moved_into};
pub use line_change::{LineChange, line_changes};
pub use outcome::{Candidate, Diagnosis, Edit, Evidence, Outcome, Reason, Refusal, Repair, TouchedForm};
pub use plain::Plain;
pub use renested::{Renested, renested, renested_plain, renested_since};
pub use whole::{Earlier, repair, repair_plain, repair_without};

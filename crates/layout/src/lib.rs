//! Where the lines of Lisp source begin: a text with the indentation that its project would give it.
//!
//! Every project lays its code out a little differently, and an indenter that knows only the rules of a language moves a
//! fifth of the lines of a healthy file. So the rules are one witness among others: what the macros of the project
//! declare, and how lines in the same situation begin in the same file and in those beside it.
//!
//! Read [`Layout`] first; `walk.rs` finds the lines and their situations, `habits.rs` counts and answers, `rule.rs` knows
//! the rules of the dialects from the tables of `syntax`.
//!
//! **Invariants.** Only white space changes: the tokens and comments are the same in the same order, which is checked
//! before the result is given. Strings, block comments and line breaks keep their bytes. A text that was laid out stays
//! as it is when it is laid out again. Nothing recurses on input depth.

mod clauses;
mod declared;
mod habits;
mod laid;
mod proof;
mod role;
mod rule;
mod tidy;
mod walk;

pub use laid::{Layout, Lines, Style};
pub use proof::NotLaidOut;

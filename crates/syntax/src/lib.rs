//! Lossless, tolerant reading of Lisp source: text in, tokens, tree and forms out, for any bytes.
//!
//! A Lisp image reads source in order to run it: it interns symbols, runs `#.`, drops comments and whatever its
//! features exclude, and stops at the first fault. A tool that edits source must do none of that. [`read`] never fails,
//! evaluates nothing, keeps every byte, and reports faults in [`Tree::diagnostics`].
//!
//! Read [`tree`] first (how a text becomes flat arrays, and how to walk them), then [`form`] (definitions and their
//! names). Each dialect is one file in [`dialects`] with everything that is special about it.
//!
//! **Invariants.** The tokens joined are the input, byte for byte. Every token boundary in valid UTF-8 is a character
//! boundary. Nothing recurses on input depth. There is no I/O here and no dependency on the rest of the workspace.

pub mod address;
mod again;
pub mod alphabet;
mod at_exp;
mod blocks;
mod build;
mod compare;
pub mod datum;
pub mod definer;
mod definers;
pub mod diagnostic;
pub mod dialects;
mod dots;
pub mod dump;
#[cfg(debug_assertions)]
pub mod effort;
mod fence;
mod fields;
mod flaw;
pub mod form;
mod heads;
pub mod language;
mod left_out;
mod lexer;
mod macros;
pub mod name;
mod near;
mod notation;
mod operators;
mod pieces;
mod quoted;
mod read;
mod readtable;
mod recover;
pub mod same;
mod shapes;
pub mod span;
pub mod special;
pub(crate) mod spelling;
mod standard;
mod stated;
pub mod token;
pub mod tree;
mod unsettled;
mod visible;

pub use address::Address;
pub use at_exp::without_prose;
pub use blocks::{LispBlock, lisp_blocks};
pub use datum::{Data, Datum, Element, Elements};
pub use diagnostic::{Delimiter, Diagnostic, DiagnosticKind, MAX_DEPTH};
pub use dialects::Dialect;
pub use dots::{stray_dots, stray_dots_since};
pub use fence::{around, fenced, head};
pub use flaw::{Flaw, flaws, flaws_since};
pub use form::{Form, FormId, FormKind, Forms, Selection, Slot, SlotStyle, Slots};
pub use heads::{Head, Indent};
pub use language::Language;
pub use left_out::{Placeholder, ShownBy, left_out, placeholders, placeholders_since};
pub use near::{edit_distance, nearest};
pub use notation::{UnknownNotation, unknown_notation, unknown_readtable};
pub use operators::{Implementations, OperatorKind, StandardOperator};
pub use quoted::unquoted;
pub use read::{MAX_LEN, is_sound_again, read, read_again, read_by_columns, read_plain, read_plain_again};
pub use same::{same_back, same_front};
pub use span::{LineColumn, LineIndex, Places, Span, count_line_ends, whole_lines};
pub use special::SpecialForm;
pub use token::{TokenId, TokenKind};
pub use tree::{List, ListId, Tree};
pub use visible::{escaped, in_a_line, visible};

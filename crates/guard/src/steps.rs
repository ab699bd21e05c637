//! The two moves on a stack of delimiters, and the reasons for refusing one.

use lispwright_syntax::Delimiter;

use crate::delimiters::type_name;
use crate::failure::{Code, Failure};
use crate::limits::MAX_DEPTH;

/// One step on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// An opener.
    Push(Delimiter),
    /// A closer.
    Pop(Delimiter),
}

impl Move {
    /// The character that makes this step in a text.
    pub const fn character(self) -> char {
        match self {
            Self::Push(delimiter) => delimiter.open(),
            Self::Pop(delimiter) => delimiter.close(),
        }
    }

    /// Takes the step. The top of the stack is its last element; a refused step leaves the stack as it was.
    pub fn apply(self, stack: &mut Vec<Delimiter>) -> Result<(), Failure> {
        match self {
            Self::Push(_) if stack.len() >= MAX_DEPTH => Err(Failure::input(format!(
                "The stack may hold at most {MAX_DEPTH} open delimiters. Close some, or check the text in parts."
            ))),
            Self::Push(delimiter) => {
                stack.push(delimiter);
                Ok(())
            }
            Self::Pop(found) => {
                refuse_pop(stack.last().copied(), found)?;
                stack.pop();
                Ok(())
            }
        }
    }
}

/// Checks that a closer can come when `top` is the innermost open delimiter.
pub(crate) fn refuse_pop(top: Option<Delimiter>, found: Delimiter) -> Result<(), Failure> {
    match top {
        Some(expected) if expected == found => Ok(()),
        Some(expected) => Err(Failure {
            code: Code::Mismatch,
            message: format!(
                "`{}` ({}) comes where `{}` ({}) is due. Write `{}` first, and pop {}.",
                found.close(),
                type_name(found),
                expected.close(),
                type_name(expected),
                expected.close(),
                type_name(expected)
            ),
            expected: Some(expected),
            found: Some(found),
            op: None,
        }),
        None => Err(Failure {
            code: Code::Underflow,
            message: format!(
                "`{}` ({}) closes nothing: the stack is empty. Leave it out, or push the opener it belongs to first.",
                found.close(),
                type_name(found)
            ),
            expected: None,
            found: Some(found),
            op: None,
        }),
    }
}

/// The text that closes the whole stack, innermost first.
pub fn closers(stack: &[Delimiter]) -> String {
    stack.iter().rev().map(|delimiter| delimiter.close()).collect()
}

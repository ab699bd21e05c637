//! The two moves on a stack of delimiters, and the reasons for refusing one.

use schemars::JsonSchema;

use crate::delimiters::DelimiterType;
use crate::failure::{Code, Failure};
use crate::limits::MAX_DEPTH;

/// The two moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "lowercase")]
pub enum Op {
    /// An opener comes.
    Push,
    /// A closer comes.
    Pop,
}

/// One step on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(description = "")]
pub struct Step {
    /// Op
    pub op: Op,
    /// Type
    #[schemars(rename = "type")]
    pub delimiter: DelimiterType,
}

impl Step {
    /// The character that makes this step in a text.
    pub const fn character(self) -> char {
        match self.op {
            Op::Push => self.delimiter.open(),
            Op::Pop => self.delimiter.close(),
        }
    }

    /// The type, when the step is an `op`.
    pub(crate) fn of(self, op: Op) -> Result<DelimiterType, Failure> {
        let (takes, does) = match self.op {
            found if found == op => return Ok(self.delimiter),
            Op::Push => ("closers", "opens"),
            Op::Pop => ("openers", "closes"),
        };
        Err(Failure::input(format!(
            "`{}` {does}, and this call takes {takes} only. A batch takes text that does both.",
            self.character()
        )))
    }

    /// Takes the step. The top of the stack is its last element; a refused step leaves the stack as it was.
    pub fn apply(self, stack: &mut Vec<DelimiterType>) -> Result<(), Failure> {
        match self.op {
            Op::Push if stack.len() >= MAX_DEPTH => Err(Failure::input(format!(
                "The stack may hold at most {MAX_DEPTH} open delimiters. Close some, or check the text in parts."
            ))),
            Op::Push => {
                stack.push(self.delimiter);
                Ok(())
            }
            Op::Pop => {
                refuse_pop(stack.last().copied(), self.delimiter)?;
                stack.pop();
                Ok(())
            }
        }
    }
}

/// Checks that a closer can come when `top` is the innermost open delimiter.
pub(crate) fn refuse_pop(top: Option<DelimiterType>, found: DelimiterType) -> Result<(), Failure> {
    let closer = format!("`{}` ({})", found.close(), found.name());
    let (code, message) = match top {
        Some(expected) if expected == found => return Ok(()),
        Some(expected) => {
            let (due, name) = (expected.close(), expected.name());
            let message = format!("{closer} comes where `{due}` ({name}) is due. Write `{due}` first, and pop {name}.");
            (Code::Mismatch, message)
        }
        None => {
            let advice = "Leave it out, or push the opener it belongs to first.";
            (Code::Underflow, format!("{closer} closes nothing: the stack is empty. {advice}"))
        }
    };
    Err(Failure { expected: top, found: Some(found), ..Failure::new(code, message) })
}

/// The text that closes the whole stack, innermost first.
pub fn closers(stack: &[DelimiterType]) -> String {
    stack.iter().rev().map(|delimiter| delimiter.close()).collect()
}

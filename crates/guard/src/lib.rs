//! The stateless delimiter protocol: a model that writes Lisp keeps a stack of what it has opened, and asks before it
//! closes.
//!
//! A language model has no stack of its own, so it guesses closing brackets. Here it sends the stack along with each
//! step and gets the next one back, or an error that names the expected delimiter. [`answer`] is the whole interface:
//! from an [`Operation`] and a request, both as the client sent them, to an [`Answer`]. Read [`operations`] next for
//! the seven that work on a stack, and [`scan`] for the one that reads text in pieces.
//!
//! **Invariants.** Every answer is a function of the request alone. No request panics. A refused request comes back
//! with the stack that it had. `lispwright-syntax` decides what is a delimiter in a text.

pub mod delimiters;
mod edn;
pub mod failure;
pub mod hash;
pub mod limits;
pub mod operations;
mod request;
pub mod scan;
mod slice;
pub mod steps;

use serde_json::{Map, Value, json};

pub use delimiters::type_name;
pub use failure::{Code, Failure};
use request::Request;
use steps::Move;

/// The calls of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Pushes one opener.
    PushDelimiter,
    /// Pops one closer, checked against the top of the stack.
    PopDelimiter,
    /// Marks the position where writing continues.
    SetSentinel,
    /// Checks that the stack is empty, and otherwise returns the closers that would empty it.
    BalanceAndResume,
    /// Pushes a run of openers.
    PushMany,
    /// Pops a run of closers, innermost first.
    PopMany,
    /// Openers and closers in any order.
    Batch,
    /// Reads a piece of text, from the state after the piece before it.
    Scan,
}

impl Operation {
    /// Every operation, in the order in which they are listed to people.
    pub const ALL: [Self; 8] = [
        Self::PushDelimiter,
        Self::PopDelimiter,
        Self::SetSentinel,
        Self::BalanceAndResume,
        Self::PushMany,
        Self::PopMany,
        Self::Batch,
        Self::Scan,
    ];

    /// The name as a tool: `sexp_guard_push_delimiter`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PushDelimiter => "sexp_guard_push_delimiter",
            Self::PopDelimiter => "sexp_guard_pop_delimiter",
            Self::SetSentinel => "sexp_guard_set_sentinel",
            Self::BalanceAndResume => "sexp_guard_balance_and_resume",
            Self::PushMany => "sexp_guard_push_many",
            Self::PopMany => "sexp_guard_pop_many",
            Self::Batch => "sexp_guard_batch",
            Self::Scan => "sexp_guard_scan",
        }
    }

    /// The name in the protocol's own namespace: `sexp.guard.pushDelimiter`.
    pub const fn dotted_name(self) -> &'static str {
        match self {
            Self::PushDelimiter => "sexp.guard.pushDelimiter",
            Self::PopDelimiter => "sexp.guard.popDelimiter",
            Self::SetSentinel => "sexp.guard.setSentinel",
            Self::BalanceAndResume => "sexp.guard.balanceAndResume",
            Self::PushMany => "sexp.guard.pushMany",
            Self::PopMany => "sexp.guard.popMany",
            Self::Batch => "sexp.guard.batch",
            Self::Scan => "sexp.guard.scan",
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The step is correct. Equals the field `ok`.
    pub ok: bool,
    /// The answer, with the field names of the protocol.
    pub fields: Map<String, Value>,
    /// The same as one line of JSON, or of EDN when the request has `"format": "edn"`.
    pub text: String,
}

/// Answers one request. Unknown fields are ignored.
///
/// Field names are also accepted with a leading colon, a trailing question mark, in kebab-case and in snake_case; values
/// of enumerations with a leading colon.
pub fn answer(operation: Operation, request: &Map<String, Value>) -> Answer {
    let request = Request::new(request);
    let format = request.format();
    let answered = match &format {
        Ok(_) => run(operation, &request),
        Err(failure) => Err(failure.clone()),
    };
    let fields = answered.unwrap_or_else(|failure| {
        let mut fields = Map::new();
        fields.insert("ok".into(), false.into());
        fields.insert("error".into(), failure.to_json(request.stack_as_sent()));
        fields
    });
    let ok = fields.get("ok") == Some(&json!(true));
    let text = match format {
        Ok(request::Format::Edn) => edn::render(&fields),
        _ => Value::Object(fields.clone()).to_string(),
    };
    Answer { ok, fields, text }
}

fn run(operation: Operation, request: &Request<'_>) -> Result<Map<String, Value>, Failure> {
    match operation {
        Operation::PushDelimiter => operations::one(request, Move::Push),
        Operation::PopDelimiter => operations::one(request, Move::Pop),
        Operation::SetSentinel => operations::set_sentinel(request),
        Operation::BalanceAndResume => operations::balance_and_resume(request),
        Operation::PushMany => operations::run_of(request, Move::Push),
        Operation::PopMany => operations::run_of(request, Move::Pop),
        Operation::Batch => operations::batch(request),
        Operation::Scan => scan::run(request),
    }
}

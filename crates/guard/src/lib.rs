//! The stateless delimiter protocol: a model that writes Lisp keeps a stack of what it has opened, and asks before it
//! closes.
//!
//! A language model has no stack of its own, so it guesses closing brackets. Here it sends the stack along with each
//! step and gets the next one back, or an error that names the expected delimiter. [`answer()`] is the whole interface:
//! from an [`Operation`] and a request, both as the client sent them, to a [`GuardAnswer`]. Read [`operations`] next for
//! the seven that work on a stack, and [`scan`] for the one that reads text in pieces.
//!
//! **Invariants.** Every answer is a function of the request alone. No request panics. A refused request comes back
//! with the stack that it had. `lispwright-syntax` decides what is a delimiter in a text.

pub mod answer;
pub mod delimiters;
mod edn;
pub mod failure;
mod fields;
pub mod hash;
pub mod limits;
pub mod operations;
pub mod request;
pub mod scan;
mod slice;
pub mod steps;

use serde_json::{Map, Value};

pub use answer::{Body, GuardAnswer};
pub use delimiters::DelimiterType;
pub use failure::{Code, Failure};
use fields::Fields;
use request::{AnswerFormat, BalanceRequest, BatchRequest, RunRequest, ScanRequest, SentinelRequest, StepRequest};
use steps::Op;

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

/// Answers one request. Unknown fields are ignored.
///
/// Field names are also accepted with a leading colon, a trailing question mark, in kebab-case and in snake_case; values
/// of enumerations with a leading colon.
pub fn answer(operation: Operation, request: &Map<String, Value>) -> GuardAnswer {
    let sent = Fields::new(request);
    let (format, answered) = match AnswerFormat::read(&sent) {
        Ok(format) => (format, run(operation, &sent)),
        Err(failure) => (AnswerFormat::Json, Err(failure)),
    };
    match answered {
        Ok((body, error)) => GuardAnswer { ok: error.is_none(), error, body: Some(body), format },
        Err(failure) => {
            let error = Some(Failure { stack: sent.stack_as_sent(), ..failure });
            GuardAnswer { ok: false, error, body: None, format }
        }
    }
}

/// Reads the request of an operation and carries it out. A scan has found something when it finds a mistake, too.
fn run(operation: Operation, sent: &Fields<'_>) -> Result<(Body, Option<Failure>), Failure> {
    let body = match operation {
        Operation::PushDelimiter => Body::Stack(operations::one(StepRequest::read(sent)?, Op::Push)?),
        Operation::PopDelimiter => Body::Stack(operations::one(StepRequest::read(sent)?, Op::Pop)?),
        Operation::SetSentinel => Body::Sentinel(operations::set_sentinel(SentinelRequest::read(sent)?)?),
        Operation::BalanceAndResume => Body::Balance(operations::balance_and_resume(BalanceRequest::read(sent)?)?),
        Operation::PushMany => Body::Stack(operations::run_of(RunRequest::read(sent, Op::Push)?, Op::Push)?),
        Operation::PopMany => Body::Stack(operations::run_of(RunRequest::read(sent, Op::Pop)?, Op::Pop)?),
        Operation::Batch => Body::Stack(operations::batch(BatchRequest::read(sent)?)?),
        Operation::Scan => {
            let (answer, fault) = scan::run(ScanRequest::read(sent)?)?;
            return Ok((Body::Scan(Box::new(answer)), fault));
        }
    };
    Ok((body, None))
}

//! `scan`: reads a text in pieces, each at the cost of the piece.
//!
//! The client sends the next piece and the `state` of the last answer; it may cut anywhere. The answer is the same as
//! if all pieces had come as one. [`scanner`] explains how that is done.

mod head;
pub mod position;
pub mod scanner;
mod state;
mod tail;
mod token;

use lispwright_syntax::Dialect;

use crate::answer::{ClosingEdit, ScanAnswer};
use crate::failure::{Code, Failure, FailurePlace};
use crate::hash;
use crate::limits::MAX_CURSOR;
use crate::request::{CodePointEdit, Hashes, ScanMode, ScanRequest};
use crate::steps::refuse_pop;
use position::code_points;
pub use position::{Fault, Open, Position};
pub use scanner::{OpenToken, Scanner};
use state::State;

/// The dialect of requests that name none: the one that has all three delimiters.
pub const DEFAULT_DIALECT: Dialect = Dialect::Clojure;

/// The number of open delimiters that an answer describes; those in the middle of a deeper stack are left out.
const MOST_SHOWN: usize = 64;

/// Reads one piece. The mistake in the text, if there is one, comes beside the answer.
pub(crate) fn run(request: ScanRequest) -> Result<(ScanAnswer, Option<Failure>), Failure> {
    let State { mut scanner, doc_hash } = resume(&request)?;
    let begins = scanner.end().offset;
    let ends = begins + code_points(&request.text);
    if ends > MAX_CURSOR {
        return Err(Failure::cursor(format!("The text ends past the highest cursor, {MAX_CURSOR}.")));
    }
    let doc_hash = doc_hash.map(|previous| hash::advance(&previous, begins, ends, &request.text));
    check_expected(&request.hashes, doc_hash.as_deref())?;
    scanner.feed(&request.text, &mut |_| {})?;
    Ok(report(State { scanner, doc_hash }, request.mode))
}

/// Checks `docHashAfter`, if the client sends it.
pub(crate) fn check_expected(hashes: &Hashes, after: Option<&str>) -> Result<(), Failure> {
    match (&hashes.doc_hash_after, after) {
        (None, _) => Ok(()),
        (Some(_), None) => Err(Failure::input(
            "`docHashAfter` can be checked only along with `docHash`, the hash before this text. Send both.",
        )),
        (Some(expected), Some(after)) if expected == after => Ok(()),
        (Some(expected), Some(after)) => Err(hash::drift("`docHashAfter`", after, expected)),
    }
}

/// The scan so far, from `state`, or a new one.
fn resume(request: &ScanRequest) -> Result<State, Failure> {
    let ScanRequest { dialect, stack, start, .. } = request;
    let doc_hash = &request.hashes.doc_hash;
    let Some(state) = &request.state else {
        let stack = stack.as_deref().unwrap_or_default();
        let scanner = Scanner::new(dialect.unwrap_or(DEFAULT_DIALECT), stack, start.unwrap_or_default());
        return Ok(State { scanner, doc_hash: doc_hash.clone() });
    };
    let state = State::decode(state)?;
    let scanner = &state.scanner;
    if let Some(dialect) = dialect.filter(|&dialect| dialect != scanner.dialect()) {
        return Err(Failure::input(format!(
            "`state` belongs to a scan of {}, not {}. Leave `dialect` out, or begin a new scan without `state`.",
            scanner.dialect().name(),
            dialect.name()
        )));
    }
    if let Some(start) = start.filter(|&start| start != scanner.end().offset) {
        return Err(Failure::cursor(format!(
            "`start` is {start}, but the text before this piece ends at {}. Send the text from there on.",
            scanner.end().offset
        )));
    }
    if stack.as_ref().is_some_and(|stack| *stack != scanner.stack()) {
        return Err(Failure::input(format!(
            "`stack` is not the one that `state` holds ({} open): the two have drifted. Leave `stack` out, or begin a \
             new scan with it and without `state`.",
            scanner.open().len()
        )));
    }
    match (doc_hash, &state.doc_hash) {
        (Some(_), None) => {
            Err(Failure::input("`state` holds no docHash: send one with the first piece of a scan, or leave it out."))
        }
        (Some(sent), Some(held)) if sent != held => Err(hash::drift("`docHash`", held, sent)),
        _ => Ok(state),
    }
}

/// The full report on the text so far.
fn report(state: State, mode: ScanMode) -> (ScanAnswer, Option<Failure>) {
    let scanner = &state.scanner;
    let balanced = scanner.is_balanced();
    let closers = scanner.closers();
    let refused = || (mode == ScanMode::AssertEmpty && !balanced).then(|| unfinished(scanner, closers.is_some()));
    let failure = scanner.first_fault().map(refused_closer).or_else(refused);
    let stack = scanner.stack();
    let failure = failure
        .map(|failure| Failure { stack: stack.iter().map(|delimiter| delimiter.name().into()).collect(), ..failure });
    let fix = (mode == ScanMode::SuggestFix).then(|| {
        let text = closers.as_ref().filter(|closers| !closers.is_empty());
        let edits = text.map(|text| CodePointEdit::insertion(scanner.end().offset, text.clone())).into_iter().collect();
        // Without a text that closes it, there is no edit and the stack stays.
        ClosingEdit { edits, new_stack: if closers.is_some() { Vec::new() } else { stack.clone() }, doc_hash: None }
    });
    let (open, omitted) = shown(scanner.open());
    let answer = ScanAnswer {
        balanced,
        depth: scanner.open().len(),
        stack,
        open,
        open_omitted: (omitted > 0).then_some(omitted),
        inside: scanner.inside(),
        error_count: Some(scanner.fault_count()).filter(|&count| count > 0),
        closers,
        fix,
        end: scanner.end(),
        state: state.encode(),
        doc_hash: state.doc_hash,
    };
    (answer, failure)
}

/// The first refused closer, with its position and the open delimiter.
fn refused_closer(fault: &Fault) -> Failure {
    let mut failure = match refuse_pop(fault.open.map(|open| open.delimiter), fault.found) {
        Err(failure) => failure,
        // A forged state may contain a fault that is none.
        Ok(()) => Failure::input("`state` names an error that is none. Begin a new scan."),
    };
    failure.message = format!("Line {}, column {}: {}", fault.at.line, fault.at.column, failure.message);
    let opened_at = fault.open.and_then(|open| open.at);
    if let (Some(open), Some(at)) = (fault.open, opened_at) {
        let place = format!(" `{}` is open since line {}, column {}.", open.delimiter.open(), at.line, at.column);
        failure.message.push_str(&place);
    }
    Failure { place: Some(Box::new(FailurePlace { position: fault.at, opened_at })), ..failure }
}

/// The reason why the text cannot end here.
fn unfinished(scanner: &Scanner, can_close: bool) -> Failure {
    let mut message = match scanner.open().last() {
        Some(open) => {
            let place = open.at.map_or_else(
                || "open since before the scan began".to_owned(),
                |at| format!("open since line {}, column {}", at.line, at.column),
            );
            format!("{} unclosed, the innermost `{}`, {place}.", scanner.open().len(), open.delimiter.open())
        }
        None => "No delimiter is open.".to_owned(),
    };
    if let Some(inside) = scanner.inside().filter(|inside| inside.kind.is_unterminated()) {
        let (kind, since) = (inside.kind.name(), inside.since);
        message += &format!(" The text ends inside a {kind} begun at line {}, column {}.", since.line, since.column);
    }
    message += if can_close { " Write `closers` to close it." } else { " Send the rest of it." };
    let expected = scanner.open().last().map(|open| open.delimiter);
    Failure { expected, ..Failure::new(Code::Mismatch, message) }
}

/// The outermost and the innermost open delimiters, and the number of those between.
fn shown(open: &[Open]) -> (Vec<Open>, usize) {
    if open.len() <= MOST_SHOWN {
        return (open.to_vec(), 0);
    }
    let half = MOST_SHOWN / 2;
    ([&open[..half], &open[open.len() - half..]].concat(), open.len() - MOST_SHOWN)
}

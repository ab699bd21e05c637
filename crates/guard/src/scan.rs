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
use serde_json::{Map, Value, json};

use crate::delimiters::type_name;
use crate::failure::{Code, Failure};
use crate::hash;
use crate::limits::{MAX_CURSOR, MAX_PIECE};
use crate::request::{Mode, Request, shortened};
use crate::steps::refuse_pop;
use position::code_points;
pub use position::{Fault, Open, Position};
pub use scanner::{Inside, Scanner};
use state::State;

/// The dialect of requests that name none: the one that has all three delimiters.
pub const DEFAULT_DIALECT: Dialect = Dialect::Clojure;

/// The number of open delimiters that an answer describes; those in the middle of a deeper stack are left out.
const MOST_SHOWN: usize = 64;

/// Reads one piece.
pub(crate) fn run(request: &Request<'_>) -> Result<Map<String, Value>, Failure> {
    let mode = scan_mode(request)?;
    let Some(text) = request.text("text")? else {
        return Err(Failure::input("`text` is missing. Send the next piece of the text."));
    };
    if text.len() > MAX_PIECE {
        return Err(Failure::input(format!(
            "`text` has {} bytes; one piece may have {MAX_PIECE}. Send it in pieces, each with the `state` of the one \
             before.",
            text.len()
        )));
    }
    let State { mut scanner, doc_hash } = resume(request)?;
    let begins = scanner.end().offset;
    let ends = begins + code_points(text);
    if ends > MAX_CURSOR {
        return Err(Failure::cursor(format!("The text ends past the highest cursor, {MAX_CURSOR}.")));
    }
    let doc_hash = doc_hash.map(|previous| hash::advance(&previous, begins, ends, text));
    check_expected(request, doc_hash.as_deref())?;
    scanner.feed(text, &mut |_| {})?;
    Ok(report(State { scanner, doc_hash }, mode))
}

/// Checks `docHashAfter`, if the client sends it.
pub(crate) fn check_expected(request: &Request<'_>, after: Option<&str>) -> Result<(), Failure> {
    match (request.hash("docHashAfter")?, after) {
        (None, _) => Ok(()),
        (Some(_), None) => Err(Failure::input(
            "`docHashAfter` can be checked only along with `docHash`, the hash before this text. Send both.",
        )),
        (Some(expected), Some(after)) if expected == after => Ok(()),
        (Some(expected), Some(after)) => Err(hash::drift("`docHashAfter`", after, &expected)),
    }
}

/// The report that a scan is asked for about the end of the text.
fn scan_mode(request: &Request<'_>) -> Result<Option<Mode>, Failure> {
    match request.word("mode")? {
        None | Some("report") => Ok(None),
        Some("assert-empty") => Ok(Some(Mode::AssertEmpty)),
        Some("suggest-fix") => Ok(Some(Mode::SuggestFix)),
        Some(other) => Err(Failure::input(format!(
            "`mode` must be report, assert-empty or suggest-fix, not \"{}\".",
            shortened(other)
        ))),
    }
}

/// The scan so far, from `state`, or a new one.
fn resume(request: &Request<'_>) -> Result<State, Failure> {
    let dialect = request.dialect()?;
    let stack = request.optional_stack()?;
    let start = request.cursor("start")?;
    let doc_hash = request.hash("docHash")?;
    let Some(state) = request.text("state")?.filter(|state| !state.is_empty()) else {
        let scanner =
            Scanner::new(dialect.unwrap_or(DEFAULT_DIALECT), &stack.unwrap_or_default(), start.unwrap_or_default());
        return Ok(State { scanner, doc_hash });
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
    if stack.is_some_and(|stack| stack != scanner.stack()) {
        let held: Vec<&str> = scanner.open().iter().map(|open| type_name(open.delimiter)).collect();
        return Err(Failure::input(format!(
            "`stack` is not the one that `state` holds ({} open): the two have drifted. Leave `stack` out, or begin a \
             new scan with it and without `state`.",
            held.len()
        )));
    }
    match (doc_hash, &state.doc_hash) {
        (Some(_), None) => {
            Err(Failure::input("`state` holds no docHash: send one with the first piece of a scan, or leave it out."))
        }
        (Some(sent), Some(held)) if sent != *held => Err(hash::drift("`docHash`", held, &sent)),
        _ => Ok(state),
    }
}

/// The full report on the text so far.
fn report(state: State, mode: Option<Mode>) -> Map<String, Value> {
    let scanner = &state.scanner;
    let balanced = scanner.is_balanced();
    let closers = scanner.closers();
    let error = scanner.first_fault().map(|fault| fault_json(fault, scanner)).or_else(|| {
        let refused = mode == Some(Mode::AssertEmpty) && !balanced;
        refused.then(|| unfinished_json(scanner, closers.is_some()))
    });
    let stack: Value = scanner.stack().into_iter().map(type_name).collect();
    let mut fields = Map::new();
    fields.insert("ok".into(), error.is_none().into());
    if let Some(error) = error {
        fields.insert("error".into(), error);
    }
    fields.insert("balanced".into(), balanced.into());
    fields.insert("depth".into(), scanner.open().len().into());
    fields.insert("stack".into(), stack);
    let (open, omitted) = open_json(scanner.open());
    fields.insert("open".into(), open);
    if omitted > 0 {
        fields.insert("openOmitted".into(), omitted.into());
    }
    if let Some((inside, since)) = scanner.inside() {
        fields.insert("inside".into(), json!({ "kind": inside.name(), "since": since.to_json() }));
    }
    if scanner.fault_count() > 0 {
        fields.insert("errorCount".into(), scanner.fault_count().into());
    }
    if let Some(closers) = &closers {
        fields.insert("closers".into(), closers.clone().into());
    }
    if mode == Some(Mode::SuggestFix) {
        let end = scanner.end().offset;
        let edits: Vec<Value> = closers
            .iter()
            .filter(|closers| !closers.is_empty())
            .map(|closers| json!({ "start": end, "end": end, "text": closers }))
            .collect();
        // Without a text that closes it, there is no edit and the stack stays.
        let new_stack = if closers.is_some() { json!([]) } else { fields["stack"].clone() };
        fields.insert("fix".into(), json!({ "edits": edits, "newStack": new_stack }));
    }
    fields.insert("end".into(), scanner.end().to_json());
    if let Some(doc_hash) = &state.doc_hash {
        fields.insert("docHash".into(), doc_hash.clone().into());
    }
    fields.insert("state".into(), state.encode().into());
    fields
}

/// The first refused closer as the `error` of an answer, with its position and the open delimiter.
fn fault_json(fault: &Fault, scanner: &Scanner) -> Value {
    let open = fault.open.as_ref();
    let mut failure = match refuse_pop(open.map(|open| open.delimiter), fault.found) {
        Err(failure) => failure,
        // A forged state may contain a fault that is none.
        Ok(()) => Failure::input("`state` names an error that is none. Begin a new scan."),
    };
    failure.message = format!("Line {}, column {}: {}", fault.at.line, fault.at.column, failure.message);
    let opened = open.and_then(|open| open.at);
    if let (Some(open), Some(at)) = (open, opened) {
        let place = format!(" `{}` is open since line {}, column {}.", open.delimiter.open(), at.line, at.column);
        failure.message.push_str(&place);
    }
    let mut error = failure.to_json(scanner.stack().into_iter().map(type_name).collect());
    error["position"] = fault.at.to_json();
    if let Some(at) = opened {
        error["openedAt"] = at.to_json();
    }
    error
}

/// The reason why the text cannot end here.
fn unfinished_json(scanner: &Scanner, can_close: bool) -> Value {
    let mut failure = match scanner.open().last() {
        Some(open) => {
            let place = open.at.map_or_else(
                || "open since before the scan began".to_owned(),
                |at| format!("open since line {}, column {}", at.line, at.column),
            );
            Failure {
                expected: Some(open.delimiter),
                ..Failure::new(
                    Code::Mismatch,
                    format!("{} unclosed, the innermost `{}`, {place}.", scanner.open().len(), open.delimiter.open()),
                )
            }
        }
        None => Failure::new(Code::Mismatch, "No delimiter is open."),
    };
    if let Some((inside, since)) = scanner.inside().filter(|(inside, _)| inside.is_unterminated()) {
        let place =
            format!(" The text ends inside a {} begun at line {}, column {}.", inside.name(), since.line, since.column);
        failure.message.push_str(&place);
    }
    failure.message.push_str(if can_close { " Write `closers` to close it." } else { " Send the rest of it." });
    failure.to_json(scanner.stack().into_iter().map(type_name).collect())
}

/// The outermost and the innermost open delimiters, and the number of those between.
fn open_json(open: &[Open]) -> (Value, usize) {
    let describe = |open: &Open| {
        let mut fields = Map::new();
        fields.insert("type".into(), type_name(open.delimiter).into());
        if let Some(at) = open.at {
            fields.insert("offset".into(), at.offset.into());
            fields.insert("line".into(), at.line.into());
            fields.insert("column".into(), at.column.into());
        }
        Value::Object(fields)
    };
    if open.len() <= MOST_SHOWN {
        return (open.iter().map(describe).collect(), 0);
    }
    let half = MOST_SHOWN / 2;
    let shown = open[..half].iter().chain(&open[open.len() - half..]);
    (shown.map(describe).collect(), open.len() - MOST_SHOWN)
}

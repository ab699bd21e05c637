//! The operations on a stack: each checks its request, takes the steps on a copy, and returns the copy.

use lispwright_syntax::Delimiter;
use serde_json::{Map, Value, json};

use crate::delimiters::type_name;
use crate::failure::{Code, Failure};
use crate::limits::MAX_OPS;
use crate::request::{Mode, Request, delimiter, kind, missing_type, shortened};
use crate::slice::{Slice, advanced_hash};
use crate::steps::{Move, closers, refuse_pop};
use crate::{hash, scan};

fn stack_json(stack: &[Delimiter]) -> Value {
    stack.iter().copied().map(type_name).collect()
}

/// `{ok, stack}`, and the document's hash when the client keeps one.
fn success(stack: &[Delimiter], doc_hash: Option<String>) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("ok".into(), true.into());
    fields.insert("stack".into(), stack_json(stack));
    if let Some(doc_hash) = doc_hash {
        fields.insert("docHash".into(), doc_hash.into());
    }
    fields
}

/// One opener or one closer.
pub(crate) fn one(request: &Request<'_>, to_move: fn(Delimiter) -> Move) -> Result<Map<String, Value>, Failure> {
    let mut stack = request.stack()?;
    let named = request.delimiter("type")?.map(to_move);
    let cursor = request.cursor("cursor")?;
    let written = Slice::written(request)?;
    let mut step = named;
    if let Some(slice) = &written {
        slice.check_cursor("cursor", cursor)?;
        let moves = slice.moves(request)?;
        let &[found] = moves.as_slice() else {
            if moves.is_empty() {
                return Err(Failure::input(format!(
                    "`docSlice` holds nothing that {} reads as a delimiter. Send the text of this step and its dialect, \
                     or leave docSlice out.",
                    request.dialect()?.unwrap_or(scan::DEFAULT_DIALECT).name()
                )));
            }
            return Err(Failure::input(format!(
                "`docSlice` holds {} delimiters; this call takes one step. Use sexp_guard_batch for several.",
                moves.len()
            )));
        };
        check_direction(found, to_move)?;
        agree(0, *step.get_or_insert(found), found)?;
    }
    let step = step.ok_or_else(|| missing_type("type"))?;
    step.apply(&mut stack)?;
    Ok(success(&stack, advanced_hash(request, written.as_ref())?))
}

/// A step found in a text has the direction of the call.
fn check_direction(found: Move, to_move: fn(Delimiter) -> Move) -> Result<(), Failure> {
    let pushes = |step: Move| matches!(step, Move::Push(_));
    if pushes(found) == pushes(to_move(Delimiter::Paren)) {
        return Ok(());
    }
    let (want, got) = if pushes(found) { ("closers", "opens") } else { ("openers", "closes") };
    Err(Failure::input(format!(
        "`{}` {got}, and this call takes {want} only. Use sexp_guard_batch for text that does both.",
        found.character()
    )))
}

/// The named step equals the written one.
fn agree(index: usize, named: Move, written: Move) -> Result<(), Failure> {
    if named == written {
        return Ok(());
    }
    Err(Failure::input(format!(
        "Step {index} (from 0) is `{}`, but the slice has `{}` there. Send the slice that belongs to the steps, or \
         only one of the two.",
        named.character(),
        written.character()
    )))
}

pub(crate) fn set_sentinel(request: &Request<'_>) -> Result<Map<String, Value>, Failure> {
    let Some(cursor) = request.cursor("cursor")? else {
        return Err(Failure::cursor("`cursor` is missing. Send the place where writing goes on, in code points."));
    };
    let mut fields = Map::new();
    fields.insert("ok".into(), true.into());
    fields.insert("sentinel".into(), cursor.into());
    if let Some(doc_hash) = advanced_hash(request, None)? {
        fields.insert("docHash".into(), doc_hash.into());
    }
    Ok(fields)
}

pub(crate) fn balance_and_resume(request: &Request<'_>) -> Result<Map<String, Value>, Failure> {
    let stack = request.stack()?;
    let Some(sentinel) = request.cursor("sentinel")? else {
        return Err(Failure::cursor("`sentinel` is missing. Send the cursor at which writing stopped."));
    };
    let mode = match request.word("mode")? {
        None | Some("assert-empty") => Mode::AssertEmpty,
        Some("suggest-fix") => Mode::SuggestFix,
        Some(other) => {
            return Err(Failure::input(format!(
                "`mode` must be assert-empty or suggest-fix, not \"{}\".",
                shortened(other)
            )));
        }
    };
    let in_comment = match Slice::of(request)? {
        Some(slice) => check_evidence(request, &slice, sentinel, &stack)?,
        None => false,
    };
    // A line comment has to end before the delimiters can be closed.
    let before = if in_comment && !stack.is_empty() { "\n" } else { "" };
    // The slice is text that is already on the stack: it does not advance the hash a second time.
    let doc_hash = advanced_hash(request, None)?;
    let mut fields = Map::new();
    match mode {
        Mode::AssertEmpty => {
            if let Some(&top) = stack.last() {
                return Err(Failure {
                    expected: Some(top),
                    ..Failure::new(
                        Code::Mismatch,
                        format!(
                            "{} unclosed at {sentinel}. Write `{}` there{}, or call again with mode suggest-fix.",
                            stack.len(),
                            closers(&stack),
                            if in_comment { " on a new line, after the comment" } else { "" }
                        ),
                    )
                });
            }
            fields.insert("ok".into(), true.into());
            fields.insert("balanced".into(), true.into());
            fields.insert("stack".into(), json!([]));
        }
        Mode::SuggestFix => {
            let text = before.to_owned() + &closers(&stack);
            let mut fix = Map::new();
            let edit = json!({ "start": sentinel, "end": sentinel, "text": text });
            fix.insert("edits".into(), if stack.is_empty() { json!([]) } else { json!([edit]) });
            fix.insert("newStack".into(), json!([]));
            if let Some(doc_hash) = doc_hash.as_deref().filter(|_| !stack.is_empty()) {
                let end = sentinel + scan::position::code_points(&text);
                fix.insert("docHash".into(), hash::advance(doc_hash, sentinel, end, &text).into());
            }
            fields.insert("ok".into(), true.into());
            fields.insert("balanced".into(), stack.is_empty().into());
            fields.insert("fix".into(), fix.into());
        }
    }
    if let Some(doc_hash) = doc_hash {
        fields.insert("docHash".into(), doc_hash.into());
    }
    Ok(fields)
}

/// Checks that the text before the sentinel fits the stack: it closes in order what it opens, and the openers that
/// remain open are on top.
///
/// The text may be an excerpt, shorter than its span, as in the protocol's own example; it may not be longer. Returns
/// whether the sentinel is in a line comment.
fn check_evidence(
    request: &Request<'_>,
    slice: &Slice<'_>,
    sentinel: u64,
    stack: &[Delimiter],
) -> Result<bool, Failure> {
    slice.check_cursor("sentinel", Some(sentinel))?;
    if let Some((start, end)) = slice.span
        && scan::position::code_points(&slice.text) > end - start
    {
        slice.check_length()?;
    }
    let mut left_open: Vec<Delimiter> = Vec::new();
    let (moves, ends_in_comment) = slice.read(request)?;
    for step in moves {
        match step {
            // It closes an opener from before the slice.
            Move::Pop(_) if left_open.is_empty() => {}
            step => step.apply(&mut left_open)?,
        }
    }
    for (index, &opened) in left_open.iter().rev().enumerate() {
        let on_stack = stack.len().checked_sub(index + 1).map(|at| stack[at]);
        if let Err(failure) = refuse_pop(on_stack, opened) {
            let message = format!(
                "`docSlice` leaves `{}` open, but the stack {}. Send the stack that the text before the sentinel \
                 leaves.",
                closers(&left_open).chars().rev().map(opener).collect::<String>(),
                if on_stack.is_none() { "is not that deep" } else { "has another delimiter there" }
            );
            return Err(Failure { message, ..failure });
        }
    }
    Ok(ends_in_comment && slice.span.is_none_or(|(_, end)| end == sentinel))
}

fn opener(closer: char) -> char {
    match closer {
        ')' => '(',
        ']' => '[',
        _ => '{',
    }
}

/// A run of openers or of closers: `types`, a slice, or both. The list has other names, too; lists under two of them
/// must agree.
pub(crate) fn run_of(request: &Request<'_>, to_move: fn(Delimiter) -> Move) -> Result<Map<String, Value>, Failure> {
    // A run of closers may also be named by the expected types.
    let names: &[&str] = if to_move(Delimiter::Paren) == Move::Pop(Delimiter::Paren) {
        &["types", "expected", "ops"]
    } else {
        &["types", "ops"]
    };
    let mut listed: Option<(&str, Vec<Move>)> = None;
    for &name in names {
        let Some(elements) = request.list(name)? else { continue };
        let steps = elements.iter().enumerate().map(|(index, element)| match element {
            Value::Object(fields) => {
                let step = Request::new(fields);
                match step.get("op") {
                    Some(_) => step.step().and_then(|found| check_direction(found, to_move).map(|()| found)),
                    None => step.delimiter("type")?.map(to_move).ok_or_else(|| missing_type("type")),
                }
                .map_err(|failure| failure.at_op(index))
            }
            element => delimiter(&format!("{name}[{index}]"), element).map(to_move),
        });
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        match &listed {
            None => listed = Some((name, steps)),
            Some((first, others)) if *others != steps => {
                return Err(Failure::input(format!(
                    "`{first}` and `{name}` differ. Send the steps once, or twice the same."
                )));
            }
            Some(_) => {}
        }
    }
    steps(request, listed.map(|(_, steps)| steps), Some(to_move), "types")
}

/// Openers and closers in any order: `ops`, a slice, or both.
pub(crate) fn batch(request: &Request<'_>) -> Result<Map<String, Value>, Failure> {
    let listed = request.list("ops")?.map(|ops| {
        let step = |(index, op): (usize, &Value)| match op {
            Value::Object(fields) => Request::new(fields).step().map_err(|failure| failure.at_op(index)),
            other => {
                Err(Failure::input(format!("`ops[{index}]` must be an object {{op, type}}, not {}.", kind(other))))
            }
        };
        ops.iter().enumerate().map(step).collect::<Result<Vec<_>, _>>()
    });
    steps(request, listed.transpose()?, None, "ops")
}

/// Takes a list of steps, all or none.
fn steps(
    request: &Request<'_>,
    listed: Option<Vec<Move>>,
    direction: Option<fn(Delimiter) -> Move>,
    list_name: &str,
) -> Result<Map<String, Value>, Failure> {
    let mut stack = request.stack()?;
    let cursor = request.cursor("cursor")?;
    let written = Slice::written(request)?;
    let found = match &written {
        None => None,
        Some(slice) => {
            slice.check_cursor("cursor", cursor)?;
            let found = slice.moves(request)?;
            for &step in &found {
                direction.map_or(Ok(()), |to_move| check_direction(step, to_move))?;
            }
            Some(found)
        }
    };
    if let (Some(listed), Some(found)) = (&listed, &found) {
        if listed.len() != found.len() {
            return Err(Failure::input(format!(
                "`{list_name}` has {} steps, but the slice has {} delimiters. Send the slice that belongs to the \
                 steps, or only one of the two.",
                listed.len(),
                found.len()
            )));
        }
        for (index, (&named, &written)) in listed.iter().zip(found).enumerate() {
            agree(index, named, written)?;
        }
    }
    let is_listed_only = found.is_none();
    let Some(taken) = listed.or(found) else {
        return Err(Failure::input(format!(
            "`{list_name}` is missing. Send at most {MAX_OPS} steps, or the text that takes them as docSlice."
        )));
    };
    for (index, step) in taken.iter().enumerate() {
        step.apply(&mut stack).map_err(|failure| failure.at_op(index))?;
    }
    let mut fields = success(&stack, advanced_hash(request, written.as_ref())?);
    if let Some(cursor) = cursor.filter(|_| is_listed_only && !taken.is_empty()) {
        let text: String = taken.iter().map(|step| step.character()).collect();
        fields.insert("edits".into(), json!([{ "start": cursor, "end": cursor, "text": text }]));
    }
    Ok(fields)
}

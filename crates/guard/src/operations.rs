//! The operations on a stack: each takes the steps on a copy of the stack of its request, and returns the copy.

use crate::answer::{BalanceAnswer, ClosingEdit, SentinelAnswer, StackAnswer};
use crate::delimiters::DelimiterType;
use crate::failure::{Code, Failure};
use crate::fields::missing_type;
use crate::limits::MAX_OPS;
use crate::request::{
    BalanceRequest, BatchRequest, CodePointEdit, RunRequest, SentinelRequest, StackMode, StepRequest, WrittenSteps,
};
use crate::slice::{Slice, advanced_hash};
use crate::steps::{Op, Step, closers, refuse_pop};
use crate::{hash, scan};

/// One opener or one closer.
pub(crate) fn one(request: StepRequest, op: Op) -> Result<StackAnswer, Failure> {
    let StepRequest { mut stack, delimiter, written } = request;
    let slice = Slice::written(&written)?;
    let mut delimiter = delimiter;
    if let Some(slice) = &slice {
        let steps = slice.steps()?;
        let &[found] = steps.as_slice() else {
            if steps.is_empty() {
                return Err(Failure::input(format!(
                    "`docSlice` holds nothing that {} reads as a delimiter. Send the text of this step and its dialect, \
                     or leave docSlice out.",
                    slice.dialect.name()
                )));
            }
            return Err(Failure::input(format!(
                "`docSlice` holds {} delimiters; this call takes one step. A batch takes several.",
                steps.len()
            )));
        };
        let written = found.of(op)?;
        agree(0, Step { op, delimiter: *delimiter.get_or_insert(written) }, found)?;
    }
    let delimiter = delimiter.ok_or_else(|| missing_type("type"))?;
    Step { op, delimiter }.apply(&mut stack)?;
    Ok(StackAnswer { stack, doc_hash: advanced_hash(&written.hashes, slice.as_ref())?, edits: None })
}

/// The named step equals the written one.
fn agree(index: usize, named: Step, written: Step) -> Result<(), Failure> {
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

pub(crate) fn set_sentinel(request: SentinelRequest) -> Result<SentinelAnswer, Failure> {
    Ok(SentinelAnswer { sentinel: request.cursor, doc_hash: advanced_hash(&request.hashes, None)? })
}

pub(crate) fn balance_and_resume(request: BalanceRequest) -> Result<BalanceAnswer, Failure> {
    let BalanceRequest { stack, sentinel, mode, doc_slice, dialect, hashes, .. } = request;
    let in_comment = match &doc_slice {
        Some(sent) => check_evidence(&Slice::of(sent, dialect)?, sentinel, &stack)?,
        None => false,
    };
    // The slice is text that is already on the stack: it does not advance the hash a second time.
    let doc_hash = advanced_hash(&hashes, None)?;
    let balanced = stack.is_empty();
    match (mode, stack.last()) {
        (StackMode::AssertEmpty, Some(&top)) => {
            let message = format!(
                "{} unclosed at {sentinel}. Write `{}` there{}, or call again with mode suggest-fix.",
                stack.len(),
                closers(&stack),
                if in_comment { " on a new line, after the comment" } else { "" }
            );
            Err(Failure { expected: Some(top), ..Failure::new(Code::Mismatch, message) })
        }
        (StackMode::AssertEmpty, None) => Ok(BalanceAnswer { balanced, stack: Some(stack), fix: None, doc_hash }),
        (StackMode::SuggestFix, None) => {
            let fix = ClosingEdit { edits: Vec::new(), new_stack: stack, doc_hash: None };
            Ok(BalanceAnswer { balanced, stack: None, fix: Some(fix), doc_hash })
        }
        (StackMode::SuggestFix, Some(_)) => {
            // A line comment has to end before the delimiters can be closed.
            let text = if in_comment { "\n" } else { "" }.to_owned() + &closers(&stack);
            let end = sentinel + scan::position::code_points(&text);
            let after = doc_hash.as_deref().map(|before| hash::advance(before, sentinel, end, &text));
            let edits = vec![CodePointEdit::insertion(sentinel, text)];
            let fix = ClosingEdit { edits, new_stack: Vec::new(), doc_hash: after };
            Ok(BalanceAnswer { balanced, stack: None, fix: Some(fix), doc_hash })
        }
    }
}

/// Checks that the text before the sentinel fits the stack: it closes in order what it opens, and the openers that
/// remain open are on top.
///
/// The text may be an excerpt, shorter than its span, as in the protocol's own example; it may not be longer. Returns
/// whether the sentinel is in a line comment.
fn check_evidence(slice: &Slice<'_>, sentinel: u64, stack: &[DelimiterType]) -> Result<bool, Failure> {
    slice.check_cursor("sentinel", Some(sentinel))?;
    if let Some((start, end)) = slice.span
        && scan::position::code_points(&slice.text) > end - start
    {
        slice.check_length()?;
    }
    let mut left_open: Vec<DelimiterType> = Vec::new();
    let (steps, ends_in_comment) = slice.read()?;
    for step in steps {
        // A closer with nothing open closes an opener from before the slice.
        if step.op == Op::Push || !left_open.is_empty() {
            step.apply(&mut left_open)?;
        }
    }
    for (index, &opened) in left_open.iter().rev().enumerate() {
        let on_stack = stack.len().checked_sub(index + 1).map(|at| stack[at]);
        if let Err(failure) = refuse_pop(on_stack, opened) {
            let message = format!(
                "`docSlice` leaves `{}` open, but the stack {}. Send the stack that the text before the sentinel \
                 leaves.",
                left_open.iter().map(|opened| opened.open()).collect::<String>(),
                if on_stack.is_none() { "is not that deep" } else { "has another delimiter there" }
            );
            return Err(Failure { message, ..failure });
        }
    }
    Ok(ends_in_comment && slice.span.is_none_or(|(_, end)| end == sentinel))
}

/// A run of openers or of closers: `types`, a slice, or both.
pub(crate) fn run_of(request: RunRequest, op: Op) -> Result<StackAnswer, Failure> {
    let listed = request.types.map(|types| types.into_iter().map(|delimiter| Step { op, delimiter }).collect());
    take(request.stack, listed, &request.written, Some(op), "types")
}

/// Openers and closers in any order: `ops`, a slice, or both.
pub(crate) fn batch(request: BatchRequest) -> Result<StackAnswer, Failure> {
    take(request.stack, request.ops, &request.written, None, "ops")
}

/// Takes a list of steps, all or none.
fn take(
    mut stack: Vec<DelimiterType>,
    listed: Option<Vec<Step>>,
    written: &WrittenSteps,
    op: Option<Op>,
    list_name: &str,
) -> Result<StackAnswer, Failure> {
    let slice = Slice::written(written)?;
    let found = slice.as_ref().map(Slice::steps).transpose()?;
    if let Some(op) = op {
        found.iter().flatten().try_for_each(|step| step.of(op).map(|_| ()))?;
    }
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
    let Some(steps) = listed.or(found) else {
        return Err(Failure::input(format!(
            "`{list_name}` is missing. Send at most {MAX_OPS} steps, or the text that takes them as docSlice."
        )));
    };
    for (index, step) in steps.iter().enumerate() {
        step.apply(&mut stack).map_err(|failure| failure.at_op(index))?;
    }
    let doc_hash = advanced_hash(&written.hashes, slice.as_ref())?;
    let place = written.cursor.filter(|_| slice.is_none() && !steps.is_empty());
    let text = || steps.iter().map(|step| step.character()).collect();
    Ok(StackAnswer { stack, doc_hash, edits: place.map(|place| vec![CodePointEdit::insertion(place, text())]) })
}

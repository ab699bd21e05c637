//! `docSlice` and `edits`: the written text, as evidence of the steps.

use std::borrow::Cow;

use serde_json::Value;

use crate::failure::Failure;
use crate::hash;
use crate::limits::{MAX_CURSOR, MAX_OPS, MAX_SLICE};
use crate::request::{Request, kind};
use crate::scan::position::code_points;
use crate::scan::{DEFAULT_DIALECT, Scanner, check_expected};
use crate::steps::Move;

/// Some text of the document, and its span in code points if the client sends it.
pub(crate) struct Slice<'r> {
    pub(crate) text: Cow<'r, str>,
    pub(crate) span: Option<(u64, u64)>,
}

impl<'r> Slice<'r> {
    /// `docSlice`, in the middle of a document unless the request says otherwise.
    pub(crate) fn of(request: &Request<'r>) -> Result<Option<Self>, Failure> {
        let Some(slice) = request.object("docSlice")? else { return Ok(None) };
        let Some(text) = slice.text("text")? else {
            return Err(Failure::input("`docSlice.text` is missing. Send the text, or leave docSlice out."));
        };
        check_size("docSlice.text", text)?;
        let length = code_points(text);
        let place = |name: &str| slice.cursor(name).map_err(|failure| Failure { ..rename(failure, name) });
        let span = match (place("start")?, place("end")?) {
            (None, None) => None,
            (Some(start), None) => Some((start, start + length)),
            (None, Some(end)) => Some((
                end.checked_sub(length).ok_or_else(|| {
                    Failure::cursor(format!("`docSlice.end` is {end}, but its text has {length} code points."))
                })?,
                end,
            )),
            (Some(start), Some(end)) if start > end => {
                return Err(Failure::cursor(format!("`docSlice.start` ({start}) lies after `docSlice.end` ({end}).")));
            }
            (Some(start), Some(end)) => Some((start, end)),
        };
        Ok(Some(Self { text: text.into(), span }))
    }

    /// The written text: `docSlice`, or `edits` that insert text, each where the one before ends.
    pub(crate) fn written(request: &Request<'r>) -> Result<Option<Self>, Failure> {
        let slice = Self::of(request)?;
        let Some(edits) = request.list("edits")? else {
            if let Some(slice) = &slice {
                slice.check_length()?;
            }
            return Ok(slice);
        };
        if slice.is_some() {
            return Err(Failure::input("`docSlice` and `edits` both say what was written. Send one of them."));
        }
        join(edits).map(Some)
    }

    /// Checks that the length of the text equals that of the span.
    pub(crate) fn check_length(&self) -> Result<(), Failure> {
        let length = code_points(&self.text);
        match self.span {
            Some((start, end)) if end - start != length => Err(Failure::cursor(format!(
                "`docSlice` spans {start} to {end}, which is {} code points, but its text has {length}. Send the text \
                 that stands there.",
                end - start
            ))),
            _ => Ok(()),
        }
    }

    /// Checks that `cursor` is in the slice or at one of its ends.
    pub(crate) fn check_cursor(&self, name: &str, cursor: Option<u64>) -> Result<(), Failure> {
        match (self.span, cursor) {
            (Some((start, end)), Some(cursor)) if cursor < start || cursor > end => Err(Failure::cursor(format!(
                "`{name}` is {cursor}, but the slice spans {start} to {end}. Send the slice around the {name}."
            ))),
            _ => Ok(()),
        }
    }

    /// The delimiters of the text, found by the reader of its dialect: none in strings, comments and character
    /// literals.
    pub(crate) fn moves(&self, request: &Request<'_>) -> Result<Vec<Move>, Failure> {
        self.read(request).map(|(moves, _)| moves)
    }

    /// The delimiters of the text, and whether it ends in a line comment.
    pub(crate) fn read(&self, request: &Request<'_>) -> Result<(Vec<Move>, bool), Failure> {
        let dialect = request.dialect()?.unwrap_or(DEFAULT_DIALECT);
        // A slice without a position counts as the middle of a document.
        let mut scanner = Scanner::new(dialect, &[], self.span.map_or(1, |(start, _)| start));
        let mut moves = Vec::new();
        scanner.feed(&self.text, &mut |step| moves.push(step))?;
        if moves.len() > MAX_OPS {
            return Err(Failure::input(format!(
                "The slice holds {} delimiters; at most {MAX_OPS} fit one request. Send it in parts, or scan it.",
                moves.len()
            )));
        }
        let ends_in_line_comment =
            scanner.inside().is_some_and(|(inside, _)| inside == crate::scan::Inside::LineComment);
        if !ends_in_line_comment && !scanner.takes_delimiters() {
            return Err(Failure::input(
                "The slice ends where a bracket would not count: inside a string, a comment or a character literal. \
                 Send it with the end of that, or use sexp_guard_scan, which resumes there.",
            ));
        }
        Ok((moves, ends_in_line_comment))
    }

    /// The document's hash once this text is in it.
    pub(crate) fn advanced(&self, previous: &str) -> Result<String, Failure> {
        match self.span {
            _ if self.text.is_empty() => Ok(previous.to_owned()),
            Some((start, end)) => Ok(hash::advance(previous, start, end, &self.text)),
            None => {
                Err(Failure::input("`docHash` takes in where the text stands. Send `start` and `end` of the slice."))
            }
        }
    }
}

/// `docHash` of a request, advanced by the written text and compared with `docHashAfter`.
pub(crate) fn advanced_hash(request: &Request<'_>, written: Option<&Slice<'_>>) -> Result<Option<String>, Failure> {
    let after = match (request.hash("docHash")?, written) {
        (Some(previous), Some(slice)) => Some(slice.advanced(&previous)?),
        (previous, _) => previous,
    };
    check_expected(request, after.as_deref())?;
    Ok(after)
}

fn rename(failure: Failure, name: &str) -> Failure {
    Failure { message: failure.message.replacen(&format!("`{name}`"), &format!("`docSlice.{name}`"), 1), ..failure }
}

fn check_size(name: &str, text: &str) -> Result<(), Failure> {
    if text.len() <= MAX_SLICE {
        return Ok(());
    }
    Err(Failure::input(format!(
        "`{name}` has {} bytes; a slice may have {MAX_SLICE}. Send only the text near the cursor, or use \
         sexp_guard_scan for long texts.",
        text.len()
    )))
}

/// Adjacent insertions, as one slice.
fn join<'r>(edits: &'r [Value]) -> Result<Slice<'r>, Failure> {
    let mut text = String::new();
    let mut span: Option<(u64, u64)> = None;
    for (index, edit) in edits.iter().enumerate() {
        let Value::Object(fields) = edit else {
            return Err(Failure::input(format!("`edits[{index}]` must be an object, not {}.", kind(edit))));
        };
        let edit = Request::new(fields);
        let (start, end, inserted) = (edit.cursor("start")?, edit.cursor("end")?, edit.text("text")?);
        let (Some(start), Some(end), Some(inserted)) = (start, end, inserted) else {
            return Err(Failure::input(format!("`edits[{index}]` must have start, end and text.")));
        };
        if start != end {
            return Err(Failure::input(format!(
                "`edits[{index}]` replaces text that the guard has not seen. Send insertions, with start equal to end."
            )));
        }
        let (from, reached) = span.unwrap_or((start, start));
        if start != reached {
            return Err(Failure::cursor(format!(
                "`edits[{index}]` begins at {start}, but the text before it ends at {reached}. Send edits that follow \
                 each other."
            )));
        }
        text.push_str(inserted);
        check_size("edits", &text)?;
        span = Some((from, (reached + code_points(inserted)).min(MAX_CURSOR)));
    }
    Ok(Slice { text: text.into(), span })
}

//! `docSlice` and `edits`: the written text, as evidence of the steps.

use std::borrow::Cow;

use lispwright_syntax::Dialect;

use crate::failure::Failure;
use crate::hash;
use crate::limits::{MAX_CURSOR, MAX_OPS};
use crate::request::{CodePointEdit, DocSlice, Hashes, WrittenSteps, check_size};
use crate::scan::position::code_points;
use crate::scan::{DEFAULT_DIALECT, OpenToken, Scanner, check_expected};
use crate::steps::Step;

/// Some text of the document, and its span in code points if the client sends it.
pub(crate) struct Slice<'r> {
    pub(crate) text: Cow<'r, str>,
    pub(crate) span: Option<(u64, u64)>,
    /// The reader that finds its delimiters.
    pub(crate) dialect: Dialect,
}

impl<'r> Slice<'r> {
    /// `docSlice`, in the middle of a document unless the request says otherwise.
    pub(crate) fn of(sent: &'r DocSlice, dialect: Option<Dialect>) -> Result<Self, Failure> {
        let length = code_points(&sent.text);
        let span = match (sent.start, sent.end) {
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
        Ok(Self { text: sent.text.as_str().into(), span, dialect: dialect.unwrap_or(DEFAULT_DIALECT) })
    }

    /// The written text: `docSlice`, or `edits` that insert text, each where the one before ends.
    pub(crate) fn written(sent: &'r WrittenSteps) -> Result<Option<Self>, Failure> {
        let slice = sent.doc_slice.as_ref().map(|slice| Self::of(slice, sent.dialect)).transpose()?;
        let slice = match (slice, &sent.edits) {
            (Some(_), Some(_)) => {
                return Err(Failure::input("`docSlice` and `edits` both say what was written. Send one of them."));
            }
            (None, Some(edits)) => Some(Self::joined(edits, sent.dialect)?),
            (Some(slice), None) => {
                slice.check_length()?;
                Some(slice)
            }
            (None, None) => None,
        };
        if let Some(slice) = &slice {
            slice.check_cursor("cursor", sent.cursor)?;
        }
        Ok(slice)
    }

    /// Adjacent insertions, as one slice.
    fn joined(edits: &[CodePointEdit], dialect: Option<Dialect>) -> Result<Self, Failure> {
        let mut text = String::new();
        let mut span: Option<(u64, u64)> = None;
        for (index, &CodePointEdit { start, end, text: ref inserted }) in edits.iter().enumerate() {
            if start != end {
                return Err(Failure::input(format!(
                    "`edits[{index}]` replaces text that the guard has not seen. Send insertions, with start equal to \
                     end."
                )));
            }
            let (from, reached) = span.unwrap_or((start, start));
            if start != reached {
                return Err(Failure::cursor(format!(
                    "`edits[{index}]` begins at {start}, but the text before it ends at {reached}. Send edits that \
                     follow each other."
                )));
            }
            text.push_str(inserted);
            check_size("edits", &text)?;
            span = Some((from, (reached + code_points(inserted)).min(MAX_CURSOR)));
        }
        Ok(Self { text: text.into(), span, dialect: dialect.unwrap_or(DEFAULT_DIALECT) })
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
    pub(crate) fn steps(&self) -> Result<Vec<Step>, Failure> {
        self.read().map(|(steps, _)| steps)
    }

    /// The delimiters of the text, and whether it ends in a line comment.
    pub(crate) fn read(&self) -> Result<(Vec<Step>, bool), Failure> {
        // A slice without a position counts as the middle of a document.
        let mut scanner = Scanner::new(self.dialect, &[], self.span.map_or(1, |(start, _)| start));
        let mut steps = Vec::new();
        scanner.feed(&self.text, &mut |step| steps.push(step))?;
        if steps.len() > MAX_OPS {
            return Err(Failure::input(format!(
                "The slice holds {} delimiters; at most {MAX_OPS} fit one request. Send it in parts, or scan it.",
                steps.len()
            )));
        }
        let ends_in_line_comment = scanner.inside().is_some_and(|inside| inside.kind == OpenToken::LineComment);
        if !ends_in_line_comment && !scanner.takes_delimiters() {
            return Err(Failure::input(
                "The slice ends where a bracket would not count: inside a string, a comment or a character literal. \
                 Send it with the end of that, or use a scan, which resumes there.",
            ));
        }
        Ok((steps, ends_in_line_comment))
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
pub(crate) fn advanced_hash(hashes: &Hashes, written: Option<&Slice<'_>>) -> Result<Option<String>, Failure> {
    let after = match (&hashes.doc_hash, written) {
        (Some(previous), Some(slice)) => Some(slice.advanced(previous)?),
        (previous, _) => previous.clone(),
    };
    check_expected(hashes, after.as_deref())?;
    Ok(after)
}

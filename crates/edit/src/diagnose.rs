//! The diagnosis of a text that does not balance: the mistake, its place, and fixes.
//!
//! A reader reports a missing closer at the end of the text, which is rarely the place where it is missing.
//! [`diagnose`] joins two findings: the reader's, about open lists and unmatched closers, and the repairer's, about the
//! line to change (`mend.rs`). Every check, view and refusal uses [`Diagnosis`], so that all of them name the same
//! line.

use std::fmt;

use lispwright_repair::Outcome;
use lispwright_syntax::{
    Diagnostic, DiagnosticKind, Flaw, Span, Tree, UnknownNotation, flaws, unknown_notation, unknown_readtable,
};

use crate::fix::Fix;
use crate::form_line::shortened;
use crate::mend::{Setting, Verdict, judge, verdict};
use crate::source::{Place, line_around, line_at, place_in};

/// The first mistake in a text, with its likeliest fixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// The kind of mistake.
    pub kind: DiagnosticKind,
    /// The place to look at first: that of the likeliest change, else the opener or the mistake itself.
    pub likely_at: Place,
    /// The place where the mistake shows: the closer that does not fit, or the place where the reader gave up an open
    /// list or string.
    pub position: Place,
    /// The unmatched opener, or the start of the open string, comment or symbol.
    pub opened_at: Option<Place>,
    /// The text of the opener's line, shortened; that of the mistake's line when there is no opener.
    pub source_line: String,
    /// The expected delimiter.
    pub expected: Option<String>,
    /// The delimiter found instead.
    pub found: Option<String>,
    /// The line of the first sound form after the mistake.
    pub next_form_line: Option<u32>,
    /// The number of places with mistakes in the text.
    pub count: usize,
    /// Changes that would make the text balance, likeliest first.
    pub fixes: Vec<Fix>,
    /// The text with the first fix applied, when that fix is certain.
    pub repaired: Option<String>,
    /// The reason why no fix is certain; empty when one is.
    pub doubt: String,
}

/// Longest source line shown, in scalar values.
const WIDTH: usize = 100;

/// The line of `text` around a byte, shortened.
pub(crate) fn source_line(text: &str, at: u32) -> String {
    shortened(line_around(text, at).trim(), WIDTH)
}

/// The first mistake in `text`, from which `tree` was read, with its fixes; `None` when there is none.
#[must_use]
pub fn diagnose(text: &str, tree: &Tree) -> Option<Diagnosis> {
    diagnose_in(text, tree, None)
}

/// [`diagnose`] for a text that will be put into a file.
pub(crate) fn diagnose_in(text: &str, tree: &Tree, setting: Option<&Setting>) -> Option<Diagnosis> {
    // Beside sound text, a readtable was no hindrance before.
    let declared = || unknown_readtable(tree, text).filter(|_| setting.is_none_or(|setting| !setting.is_sound()));
    let unknown = unknown_notation(tree, text).or_else(declared);
    explained(text, tree, || match unknown {
        Some(notation) => Verdict { doubt: notation.to_string(), ..Verdict::default() },
        None => judge(text, tree.language(), setting),
    })
}

/// The diagnosis of a text that its readers may take, for the reason that its notation is not known here. It has no
/// fixes.
#[must_use]
pub fn diagnose_notation(text: &str, tree: &Tree, notation: &UnknownNotation) -> Option<Diagnosis> {
    explained(text, tree, || Verdict { doubt: notation.to_string(), ..Verdict::default() })
}

/// [`diagnose`] with a given answer of the repairer about `text`.
#[must_use]
pub fn explain(text: &str, tree: &Tree, outcome: Outcome) -> Option<Diagnosis> {
    explained(text, tree, || verdict(outcome, text))
}

fn explained(text: &str, tree: &Tree, verdict: impl FnOnce() -> Verdict) -> Option<Diagnosis> {
    let flaw = || flaws(tree, text).first().map(|(flaw, span)| flawed(*flaw, *span));
    let first = &tree.main_mistake().copied().or_else(flaw)?;
    Some(diagnosis_of(first, text, tree, verdict))
}

fn diagnosis_of(first: &Diagnostic, text: &str, tree: &Tree, verdict: impl FnOnce() -> Verdict) -> Diagnosis {
    let gave_up = first.gave_up_at.map(|at| end_of_code(text, first.span.start, at));
    let (position, opened_at) = match first.kind {
        DiagnosticKind::ExtraClose(_)
        | DiagnosticKind::TooDeep
        | DiagnosticKind::DanglingPrefix
        | DiagnosticKind::Flawed(_) => (first.span.start, None),
        DiagnosticKind::Mismatch { .. } => (first.span.start, first.opened_at.map(|at| at.start)),
        DiagnosticKind::Unclosed(_)
        | DiagnosticKind::UnclosedString
        | DiagnosticKind::UnclosedComment
        | DiagnosticKind::UnclosedSymbol => (gave_up.unwrap_or(first.span.end), Some(first.span.start)),
    };
    let (expected, found) = match first.kind {
        DiagnosticKind::ExtraClose(found) => (None, Some(found.close().to_string())),
        DiagnosticKind::Mismatch { expected, found } => {
            (Some(expected.close().to_string()), Some(found.close().to_string()))
        }
        DiagnosticKind::Unclosed(open) => (Some(open.close().to_string()), None),
        DiagnosticKind::UnclosedString => (Some("\"".to_owned()), None),
        DiagnosticKind::UnclosedComment => (Some("|#".to_owned()), None),
        DiagnosticKind::UnclosedSymbol => (Some("|".to_owned()), None),
        DiagnosticKind::DanglingPrefix | DiagnosticKind::TooDeep | DiagnosticKind::Flawed(_) => (None, None),
    };
    let source_line = source_line(text, opened_at.unwrap_or(position));
    let place = |offset| place_in(text, offset);
    let (position, opened_at) = (place(position), opened_at.map(place));
    let after = first.gave_up_at.unwrap_or(first.span.end);
    let Verdict { line, at, fixes, repaired, doubt } = verdict();
    let on_line = |place: &Place| Some(place.line) == line;
    let likely_at = match (at, line) {
        (Some(at), _) => place(at),
        (None, Some(line)) => opened_at.filter(on_line).or(Some(position).filter(on_line)).unwrap_or_else(|| {
            let mut lines = text.split_inclusive('\n');
            let start: usize = lines.by_ref().take(line as usize - 1).map(str::len).sum();
            place((start + lines.next().unwrap_or_default().trim_end().len()) as u32)
        }),
        (None, None) => opened_at.unwrap_or(position),
    };
    Diagnosis {
        kind: first.kind,
        likely_at,
        position,
        opened_at,
        source_line,
        expected,
        found,
        next_form_line: next_healthy(tree, after).map(|at| line_at(text, at)),
        count: tree.mistakes().max(1),
        fixes,
        repaired,
        doubt,
    }
}

/// A flaw of a text that balances, as a mistake.
fn flawed(flaw: Flaw, span: Span) -> Diagnostic {
    Diagnostic { kind: DiagnosticKind::Flawed(flaw), span, opened_at: None, gave_up_at: None }
}

/// The diagnosis of a flaw of `text`, which balances.
#[must_use]
pub fn explain_flaw(text: &str, tree: &Tree, (flaw, span): (Flaw, Span)) -> Diagnosis {
    diagnosis_of(&flawed(flaw, span), text, tree, Verdict::default)
}

/// `at` without the white space before it.
fn end_of_code(text: &str, from: u32, at: u32) -> u32 {
    let inside = &text[from as usize..at as usize];
    from + inside.trim_end().len() as u32
}

/// The start of the first list at top level, at or after `after`, with nothing wrong inside.
fn next_healthy(tree: &Tree, after: u32) -> Option<u32> {
    let diagnostics = tree.diagnostics();
    tree.top_level().filter(|datum| datum.list().is_some()).map(|datum| tree.datum_span(datum)).find_map(|span| {
        if span.start < after {
            return None;
        }
        // Diagnostics are in source order.
        let next = diagnostics.partition_point(|diagnostic| diagnostic.span.start < span.start);
        let healthy = diagnostics.get(next).is_none_or(|diagnostic| diagnostic.span.start >= span.end);
        healthy.then_some(span.start)
    })
}

impl Diagnosis {
    /// The diagnosis of the part `span` of `text`, with places in the whole text. The edits of its fixes still count
    /// from the start of the part.
    #[must_use]
    pub fn of_part(self, text: &str, span: Span) -> Self {
        let base = place_in(text, span.start);
        let lead = text[..span.start as usize].rsplit('\n').next().unwrap_or_default();
        let tail = text[span.end as usize..].split(['\n', '\r']).next().unwrap_or_default();
        let last = text[span.range()].matches('\n').count() as u32 + 1;
        self.within(base, lead, last, tail)
    }

    /// The diagnosis with places in a larger text, in which the diagnosed text begins at `base`.
    ///
    /// `lead` is the text before it on its first line there, `tail` the text after it on its last line; `last` is the
    /// number of its lines.
    #[must_use]
    pub(crate) fn within(mut self, base: Place, lead: &str, last: u32, tail: &str) -> Self {
        let shift = |place: Place| Place {
            offset: place.offset + base.offset,
            line: place.line + base.line - 1,
            column: if place.line == 1 { place.column + base.column - 1 } else { place.column },
        };
        self.likely_at = shift(self.likely_at);
        self.position = shift(self.position);
        self.opened_at = self.opened_at.map(shift);
        self.next_form_line = self.next_form_line.map(|line| line + base.line - 1);
        for fix in &mut self.fixes {
            fix.shift(base.line - 1, lead, last, tail);
        }
        self
    }

    /// A string, symbol or block comment is open: the text after it was read as a part of it.
    #[must_use]
    pub const fn is_open_text(&self) -> bool {
        matches!(
            self.kind,
            DiagnosticKind::UnclosedString | DiagnosticKind::UnclosedComment | DiagnosticKind::UnclosedSymbol
        )
    }

    /// The mistake and its places in words, without the source line.
    #[must_use]
    pub fn mistake(&self) -> String {
        let at = |place: Place| format!("{}:{}", place.line, place.column);
        let here = at(self.position);
        match (self.kind, self.opened_at.map(at)) {
            (DiagnosticKind::Mismatch { expected, found }, Some(opener)) => {
                let (found, due, open) = (found.close(), expected.close(), expected.open());
                format!("`{found}` at {here} where `{due}` is due for the `{open}` of {opener}")
            }
            (DiagnosticKind::Unclosed(open), Some(opener)) => {
                format!("`{}` of {opener} is never closed, `{}` is due", open.open(), open.close())
            }
            (DiagnosticKind::ExtraClose(close), _) => format!("`{}` at {here} closes nothing", close.close()),
            (kind, opener) => format!("at {}, {kind}", opener.unwrap_or(here)),
        }
    }

    /// The line to look at first, if [`Self::mistake`] does not name it.
    #[must_use]
    pub fn likely_elsewhere(&self) -> Option<u32> {
        let names_position = self.opened_at.is_none() || matches!(self.kind, DiagnosticKind::Mismatch { .. });
        let named = [self.opened_at, Some(self.position).filter(|_| names_position)];
        let line = self.likely_at.line;
        (!named.into_iter().flatten().any(|place| place.line == line)).then_some(line)
    }

    /// The first fix is certain.
    #[must_use]
    pub const fn is_certain(&self) -> bool {
        self.repaired.is_some()
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.mistake(), self.source_line)
    }
}

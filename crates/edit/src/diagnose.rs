//! What is wrong with a text that does not balance, and which line to change.
//!
//! A reader reports a missing closer where the text ends, which is rarely where it is missing. [`diagnose`] puts the
//! reader's finding into places and source lines; [`candidates`] proposes changes of one line each. Candidates are found
//! by indentation alone, and only those with which the broken part balances are offered.
//!
//! The boundary to the rest of the crate is these two functions.

use std::fmt;

use lispwright_syntax::read_plain;
use lispwright_syntax::{
    Delimiter, Diagnostic, DiagnosticKind, Element, Language, LineIndex, Span, TokenKind, Tree, read,
};

use crate::form_line::shortened;
use crate::source::{Place, place_in};

/// The first thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// Which mistake.
    pub kind: DiagnosticKind,
    /// Where it shows: the closer that does not fit, or where reading gave up on what is never closed.
    pub position: Place,
    /// The opener that is still open there, or the start of the string, comment or prefix.
    pub opened_at: Option<Place>,
    /// The line of the opener, shortened; the line of the mistake when there is no opener.
    pub source_line: String,
    /// The delimiter that is due.
    pub expected: Option<String>,
    /// What stands there instead.
    pub found: Option<String>,
    /// The first line after the mistake on which a form begins that reads well.
    pub next_form_line: Option<u32>,
    /// How many mistakes the text has in all.
    pub count: usize,
}

/// A change of one line that would make the broken part of a text balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The line to change, from 1.
    pub line: u32,
    /// The line as it is.
    pub original: String,
    /// The line as it would be.
    pub repaired: String,
    /// Delimiters that are added.
    pub add: String,
    /// Delimiters that are removed.
    pub remove: String,
    /// The reason, in a few words.
    pub why: String,
}

/// Longest source line shown, in scalar values.
const WIDTH: usize = 100;

/// At most so many candidates are offered.
const MOST_CANDIDATES: usize = 5;

/// At most so many lines are tried as the place of a missing or extra closer.
const MOST_LINES_TRIED: usize = 12;

/// A broken part longer than this, in bytes, is diagnosed without candidates.
const MOST_BYTES: usize = 256 * 1024;

/// The first mistake in `text`, which `tree` was read from; `None` when there is none.
#[must_use]
pub fn diagnose(text: &str, tree: &Tree) -> Option<Diagnosis> {
    let first = primary(tree)?;
    let lines = LineIndex::new(text.as_bytes());
    let place = |offset| place_in(text, &lines, offset);
    let gave_up = first.gave_up_at.map(|at| end_of_code(text, first.span.start, at));
    let (position, opened_at) = match first.kind {
        DiagnosticKind::ExtraClose(_) | DiagnosticKind::TooDeep | DiagnosticKind::DanglingPrefix => {
            (place(first.span.start), None)
        }
        DiagnosticKind::Mismatch { .. } => (place(first.span.start), first.opened_at.map(|at| place(at.start))),
        DiagnosticKind::Unclosed(_)
        | DiagnosticKind::UnclosedString
        | DiagnosticKind::UnclosedComment
        | DiagnosticKind::UnclosedSymbol => (place(gave_up.unwrap_or(first.span.end)), Some(place(first.span.start))),
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
        DiagnosticKind::DanglingPrefix | DiagnosticKind::TooDeep => (None, None),
    };
    let shown = opened_at.unwrap_or(position).line;
    let after = first.gave_up_at.unwrap_or(first.span.end);
    Some(Diagnosis {
        kind: first.kind,
        position,
        opened_at,
        source_line: line_text(text, &lines, shown),
        expected,
        found,
        next_form_line: next_healthy(tree, after).map(|at| lines.line(at)),
        count: tree.diagnostics().len(),
    })
}

/// The mistake to speak of: the first, unless that is a list left open, and something inside it already goes wrong.
fn primary(tree: &Tree) -> Option<&Diagnostic> {
    let first = tree.diagnostics().first()?;
    let DiagnosticKind::Unclosed(_) = first.kind else { return Some(first) };
    let inside = |other: &&Diagnostic| first.gave_up_at.is_none_or(|end| other.span.start < end);
    let goes_wrong = |kind| {
        use DiagnosticKind::{Mismatch, UnclosedComment, UnclosedString, UnclosedSymbol};
        matches!(kind, Mismatch { .. } | UnclosedString | UnclosedComment | UnclosedSymbol)
    };
    Some(tree.diagnostics().iter().take_while(inside).find(|other| goes_wrong(other.kind)).unwrap_or(first))
}

/// `at` without the white space before it.
fn end_of_code(text: &str, from: u32, at: u32) -> u32 {
    let inside = &text[from as usize..at as usize];
    from + inside.trim_end().len() as u32
}

fn line_text(text: &str, lines: &LineIndex, line: u32) -> String {
    let span = lines.line_span(line).unwrap_or_default();
    shortened(text[span.range()].trim(), WIDTH)
}

/// The start of the first list at top level, at or after `after`, with nothing wrong inside.
fn next_healthy(tree: &Tree, after: u32) -> Option<u32> {
    let diagnostics = tree.diagnostics();
    tree.top_level().filter(|datum| datum.list().is_some()).map(|datum| tree.datum_span(datum)).find_map(|span| {
        if span.start < after {
            return None;
        }
        // Diagnostics stand in source order.
        let next = diagnostics.partition_point(|diagnostic| diagnostic.span.start < span.start);
        let healthy = diagnostics.get(next).is_none_or(|diagnostic| diagnostic.span.start >= span.end);
        healthy.then_some(span.start)
    })
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column, .. } = self.position;
        let source = &self.source_line;
        match (self.kind, self.opened_at) {
            (DiagnosticKind::Mismatch { expected, found }, Some(opener)) => write!(
                f,
                "line {line}, column {column}: `{}` where `{}` is due for the `{}` of line {}, column {}: {source}",
                found.close(),
                expected.close(),
                expected.open(),
                opener.line,
                opener.column,
            ),
            (DiagnosticKind::Unclosed(open), Some(opener)) => write!(
                f,
                "line {}, column {}: this `{}` is never closed: {source}\nA `{}` is due by line {line}, column {column}, where \
                 the form ends.",
                opener.line,
                opener.column,
                open.open(),
                open.close(),
            ),
            (kind, Some(opener)) => {
                write!(f, "line {}, column {}: {kind}: {source}", opener.line, opener.column)
            }
            (kind, None) => write!(f, "line {line}, column {column}: {kind}: {source}"),
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = match (self.add.as_str(), self.remove.as_str()) {
            ("", remove) => format!("remove `{remove}`"),
            (add, "") => format!("add `{add}`"),
            (add, remove) => format!("`{add}` for `{remove}`"),
        };
        write!(f, "line {}: {change} ({}): {}", self.line, self.why, shortened(self.repaired.trim(), WIDTH))
    }
}

/// Changes of one line each with which the first broken part of `text` balances, likeliest first.
///
/// Empty for a text that balances, and when no change of one line is enough.
#[must_use]
pub fn candidates(text: &str, language: impl Into<Language>) -> Vec<Candidate> {
    let language = language.into();
    let tree = read(text, &language);
    let Some(first) = primary(&tree) else { return Vec::new() };
    let part = broken_part(text, &tree, first.span, first.gave_up_at);
    if part.len() as usize > MOST_BYTES {
        return Vec::new();
    }
    let mut search = Search {
        text,
        part,
        lines: LineIndex::new(text.as_bytes()),
        layout: Layout::new(text, part, &language),
        language,
        found: Vec::new(),
    };
    match first.kind {
        DiagnosticKind::Unclosed(_) => search.missing_closers(),
        DiagnosticKind::ExtraClose(_) => search.extra_closer(first.span),
        DiagnosticKind::Mismatch { expected, found } => search.mismatch(first.span, expected, found),
        DiagnosticKind::UnclosedString => search.missing_quote(first.span),
        DiagnosticKind::UnclosedComment => search.end_with("|#", "ends the comment with the text"),
        DiagnosticKind::UnclosedSymbol | DiagnosticKind::DanglingPrefix | DiagnosticKind::TooDeep => {}
    }
    search.found
}

/// The part of the text that has to balance by itself: the form with the mistake, and what belongs to it by layout.
fn broken_part(text: &str, tree: &Tree, at: Span, gave_up: Option<u32>) -> Span {
    let mut start = 0;
    let mut end = text.len() as u32;
    let mut seen = false;
    for element in tree.top_elements() {
        let (span, is_list) = match element {
            Element::Datum(datum) | Element::Discarded(datum) => (tree.datum_span(datum), datum.list().is_some()),
            Element::Stray(token) => (tree.token_span(token), false),
            Element::Trivia(_) => continue,
        };
        let in_column_0 = span.start == 0 || text.as_bytes()[span.start as usize - 1] == b'\n';
        if seen && in_column_0 && is_list {
            end = span.start;
            break;
        }
        if span.start <= at.start && is_list && in_column_0 {
            start = span.start;
        }
        seen |= span.start <= at.start && at.start < span.end;
    }
    Span::new(start, gave_up.map_or(end, |at| at.min(end)).max(at.end))
}

/// A line of code in the broken part.
struct CodeLine {
    /// Column of the first token, from 0, in bytes.
    column: u32,
    /// The first token closes a list.
    begins_with_closer: bool,
    /// Lists that are open where the line begins, outermost first: the column of each opener, and its kind.
    open: Vec<(u32, Delimiter)>,
    /// Where the code of the line before it ends.
    previous_end: u32,
    /// Openers that have not been matched on the way here are known to be wrong when a closer was missing before.
    starved: bool,
}

/// The lines of the broken part with what is open at each.
struct Layout {
    lines: Vec<CodeLine>,
    /// Left open at the end.
    open: Vec<(u32, Delimiter)>,
    /// Where the code ends.
    end: u32,
}

impl Layout {
    fn new(text: &str, part: Span, language: &Language) -> Self {
        let slice = &text[part.range()];
        let tree = read_plain(slice, language);
        let mut layout = Self { lines: Vec::new(), open: Vec::new(), end: part.start };
        let (mut fresh, mut starved) = (true, false);
        for (kind, span) in tree.tokens() {
            let span = Span::new(span.start + part.start, span.end + part.start);
            if kind == TokenKind::Blank {
                fresh |= text[span.range()].contains('\n');
                continue;
            }
            if kind.is_trivia() {
                continue;
            }
            let line_start = text[..span.start as usize].rfind('\n').map_or(0, |at| at as u32 + 1);
            let column = span.start - line_start;
            if fresh && layout.lines.len() < MOST_CODE_LINES && layout.open.len() < MOST_OPEN {
                layout.lines.push(CodeLine {
                    column,
                    begins_with_closer: kind.is_close(),
                    open: layout.open.clone(),
                    previous_end: layout.end,
                    starved,
                });
            }
            fresh = false;
            if kind.is_open() {
                layout.open.push((column, Delimiter::of(kind).expect("openers are delimiters")));
            } else if kind.is_close() {
                starved |= layout.open.pop().is_none();
            }
            layout.end = span.end;
        }
        layout
    }
}

/// Beyond so many lines of code the layout is not followed.
const MOST_CODE_LINES: usize = 2_000;

/// Lines inside more lists than this say nothing by their indentation.
const MOST_OPEN: usize = 200;

struct Search<'t> {
    text: &'t str,
    part: Span,
    lines: LineIndex,
    layout: Layout,
    language: Language,
    found: Vec<Candidate>,
}

fn closers(open: &[(u32, Delimiter)]) -> String {
    open.iter().rev().map(|(_, delimiter)| delimiter.close()).collect()
}

impl Search<'_> {
    /// A line that stands further left than what is open says that something should have been closed before it.
    fn missing_closers(&mut self) {
        self.closers_before_outdents();
        let add = closers(&self.layout.open);
        let end = self.layout.end;
        self.offer(Span::new(end, end), &add, "the form ends here");
    }

    fn closers_before_outdents(&mut self) {
        let mut tries = Vec::new();
        for line in self.layout.lines.iter().skip(1) {
            let due = line.open.partition_point(|&(column, _)| column < line.column);
            if !line.begins_with_closer && due < line.open.len() {
                tries.push((line.previous_end, closers(&line.open[due..])));
            }
        }
        for (at, add) in tries.into_iter().take(MOST_LINES_TRIED) {
            self.offer(Span::new(at, at), &add, "the next line is indented as if it were closed here");
        }
    }

    /// A line that is indented although nothing is open says that too much was closed before it.
    fn extra_closer(&mut self, at: Span) {
        let base = self.layout.lines.first().map_or(0, |line| line.column);
        let tries: Vec<u32> = self
            .layout
            .lines
            .iter()
            .skip(1)
            .filter(|line| !line.starved && line.open.is_empty() && line.column > base)
            .map(|line| line.previous_end)
            .collect();
        for end in tries.into_iter().take(MOST_LINES_TRIED) {
            let run = self.text[..end as usize].bytes().rev().take_while(|&byte| byte == b')').count() as u32;
            for count in 1..=run.min(4) {
                self.offer(Span::new(end - count, end), "", "the next line is indented as if it were still inside");
            }
        }
        self.offer(at, "", "it closes nothing");
    }

    fn mismatch(&mut self, at: Span, expected: Delimiter, found: Delimiter) {
        self.closers_before_outdents();
        self.offer(at, &expected.close().to_string(), "it closes the list that is open");
        let due: Vec<(u32, Delimiter)> = {
            let open_before = self.open_at(at.start);
            let matching = open_before.iter().rposition(|&(_, delimiter)| delimiter == found);
            matching.map_or(Vec::new(), |index| open_before[index + 1..].to_vec())
        };
        if !due.is_empty() {
            self.offer(Span::new(at.start, at.start), &closers(&due), "closes what is open inside first");
        }
        self.offer(at, "", "nothing of its kind is open");
    }

    /// What is open just before an offset.
    fn open_at(&self, offset: u32) -> Vec<(u32, Delimiter)> {
        Layout::new(self.text, Span::new(self.part.start, offset), &self.language).open
    }

    fn missing_quote(&mut self, at: Span) {
        let line_end = self.text[at.start as usize..].find('\n').map_or(self.text.len(), |end| at.start as usize + end);
        let body = self.text[..line_end].trim_end();
        let closing = body.bytes().rev().take_while(|&byte| byte == b')').count();
        let before_closers = (body.len() - closing) as u32;
        if before_closers > at.start {
            self.offer(Span::new(before_closers, before_closers), "\"", "the string ends on its first line");
        }
        let end = body.len() as u32;
        self.offer(Span::new(end, end), "\"", "the string ends on its first line");
        self.end_with("\"", "the string ends with the text");
    }

    fn end_with(&mut self, add: &str, why: &str) {
        let end = self.part.start + self.text[self.part.range()].trim_end().len() as u32;
        self.offer(Span::new(end, end), add, why);
    }

    /// Offers to replace `span` by `add`, if the broken part then balances.
    fn offer(&mut self, span: Span, add: &str, why: &str) {
        if self.found.len() >= MOST_CANDIDATES || span.start < self.part.start || span.end > self.part.end {
            return;
        }
        let (before, after) = (
            &self.text[self.part.start as usize..span.start as usize],
            &self.text[span.end as usize..self.part.end as usize],
        );
        let repaired = format!("{before}{add}{after}");
        if !read_plain(&repaired, &self.language).diagnostics().is_empty() {
            return;
        }
        let line = self.lines.line(span.start);
        let whole = self.lines.line_span(line).expect("the line of an offset exists");
        let original = self.text[whole.range()].trim_end_matches(['\n', '\r']);
        let (left, right) =
            (&self.text[whole.start as usize..span.start as usize], &self.text[span.end as usize..whole.end as usize]);
        let candidate = Candidate {
            line,
            original: original.to_owned(),
            repaired: format!("{left}{add}{right}").trim_end_matches(['\n', '\r']).to_owned(),
            add: add.to_owned(),
            remove: self.text[span.range()].to_owned(),
            why: why.to_owned(),
        };
        let known = |other: &Candidate| (other.line, &other.repaired) == (candidate.line, &candidate.repaired);
        if !self.found.iter().any(known) {
            self.found.push(candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    /// What [`candidates`] offers for `text`: line and repaired line of each.
    #[track_caller]
    fn check(dialect: Dialect, text: &str, expected: &[(u32, &str)]) {
        let found = candidates(text, dialect);
        let found: Vec<(u32, &str)> = found.iter().map(|found| (found.line, found.repaired.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_missing_closer_is_found_by_the_indentation_after_it() {
        let text = "(defun f (x)\n  (let ((y (g x))\n    (h y))\n  (k x))\n";
        check(Dialect::CommonLisp, text, &[(2, "  (let ((y (g x)))"), (3, "    (h y)))"), (4, "  (k x)))")]);
        check(Dialect::CommonLisp, "(defun f (x)\n  (g x)\n", &[(2, "  (g x))")]);
        check(Dialect::CommonLisp, "(defun f (x)\n  (g x) ; (\n\n(defun h ())\n", &[(2, "  (g x)) ; (")]);
        check(Dialect::Clojure, "(defn f [x]\n  {:a (g x\n   :b 2})\n", &[(2, "  {:a (g x)"), (3, "   :b 2)})")]);
        check(Dialect::Clojure, "(let [a (f 1\n      b 2]\n  a)\n", &[(1, "(let [a (f 1)"), (2, "      b 2)]")]);
    }

    #[test]
    fn an_extra_closer_is_found_by_the_indentation_after_it() {
        check(Dialect::CommonLisp, "(defun f (x)\n  (g x)))\n", &[(2, "  (g x))")]);
        check(
            Dialect::CommonLisp,
            "(defun f (x)\n  (g x))\n  (h x))\n\n(defun k ())\n",
            &[(2, "  (g x)"), (3, "  (h x)")],
        );
    }

    #[test]
    fn a_mismatch_is_replaced_or_completed() {
        check(Dialect::Clojure, "(foo [1 2)\n", &[(1, "(foo [1 2])")]);
        check(Dialect::Clojure, "(foo [1 2))\n", &[(1, "(foo [1 2])")]);
    }

    #[test]
    fn a_missing_quote() {
        check(Dialect::CommonLisp, "(defun f ()\n  (print \"abc))\n", &[(2, "  (print \"abc\"))")]);
    }

    #[test]
    fn a_balanced_text_needs_nothing() {
        check(Dialect::CommonLisp, "(defun f () #\\( \")\" |(| ; (\n  #|(|#)\n", &[]);
    }
}

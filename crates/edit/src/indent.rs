//! Moves new source to its column in the file.
//!
//! The source of a nested form can be written in three ways: as it is in the file, with only the indentation of its
//! first line missing; as if it began in column 0; or as a block in some other column. The column of its other forms or
//! of its first line tells which. Otherwise the present lines of the file decide: a line that occurs there at the same
//! column was copied from there, and a line further left than all of them was not.

use std::collections::{HashMap, HashSet};

use lispwright_syntax::{Form, Language, Span, TokenKind, Tree, read};

use crate::source::{Source, whole_span};

/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// The column, from 0, after `before` on a line.
pub fn column(before: &str) -> usize {
    before.chars().fold(0, |column, character| match character {
        '\t' => (column / TAB + 1) * TAB,
        '\x0c' => 0,
        _ => column + 1,
    })
}

/// White space that ends in `column`.
pub fn blank(column: usize, tabs: bool) -> String {
    if tabs { "\t".repeat(column / TAB) + &" ".repeat(column % TAB) } else { " ".repeat(column) }
}

/// The destination of new source, and the lines that are there now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Destination {
    /// The column of the first line.
    column: usize,
    /// The lines there are indented with tabs.
    tabs: bool,
    /// The columns of each line text there, the first line excepted.
    lines: HashMap<String, Vec<usize>>,
    /// The columns of those lines.
    columns: HashSet<usize>,
}

impl Destination {
    /// The destination of source that replaces a form, header comment included.
    pub(crate) fn of(source: &Source<'_>, form: &Form) -> Self {
        Self::at(source, Span::new(source.row_start(form.outer.start), form.outer.start), whole_span(form))
    }

    /// The destination of source beside a form.
    pub(crate) fn beside(source: &Source<'_>, form: &Form) -> Self {
        let at = form.outer.start;
        let row = Span::new(source.row_start(at), at);
        let solid = source.slice(row).trim_start_matches([' ', '\t', '\x0c']).len() as u32;
        Self::at(source, Span::new(row.start, row.end - solid), Span::new(at, at))
    }

    /// The destination of source that replaces `span`, after `before` on its line.
    pub(crate) fn at(source: &Source<'_>, before: Span, span: Span) -> Self {
        let before = source.slice(before);
        let mut destination = Self { column: column(before), tabs: before.contains('\t'), ..Self::default() };
        for line in lines(source.text, &source.tree, span) {
            destination.tabs |= line.blank.contains('\t');
            destination.columns.insert(line.column);
            destination.lines.entry(line.text.to_owned()).or_default().push(line.column);
        }
        destination
    }

    /// The white space before the first line.
    pub(crate) fn blank(&self) -> String {
        blank(self.column, self.tabs)
    }

    /// The number of `lines` that are here now when moved right by `columns`. Lines of closers alone are not counted,
    /// since they occur anywhere.
    fn known(&self, lines: &[Line<'_>], columns: usize) -> usize {
        let tells = |line: &&Line<'_>| line.text.contains(|c: char| !")]}".contains(c));
        let known =
            |line: &&Line<'_>| self.lines.get(line.text).is_some_and(|found| found.contains(&(line.column + columns)));
        lines.iter().filter(tells).filter(known).count()
    }

    /// The number of columns by which `lines` have to be moved right. They follow a line that began in column `given`;
    /// `own` is the column in which further forms of the source begin.
    fn distance(&self, given: usize, own: Option<usize>, lines: &[Line<'_>]) -> isize {
        let from = |column: usize| self.column as isize - column as isize;
        let is_block = given > 0 && lines.iter().all(|line| line.column >= given);
        if let Some(base) = own.or(is_block.then_some(given)) {
            return from(base);
        }
        let strays = |line: &Line<'_>| line.column <= self.column && !self.columns.contains(&line.column);
        if lines.iter().any(|line| line.column > 0 && strays(line)) {
            return from(0);
        }
        match (self.known(lines, 0), self.known(lines, self.column)) {
            (as_it_is, moved) if moved > as_it_is => from(0),
            (0, _) if lines.iter().any(strays) => from(0),
            _ => 0,
        }
    }
}

/// A line that may be moved: it is not blank and does not begin inside a token.
struct Line<'t> {
    start: u32,
    blank: &'t str,
    column: usize,
    /// The text after the blank.
    text: &'t str,
}

/// The lines of a span that may be moved: all but the first, and none that begins inside a string or comment.
fn lines<'t>(text: &'t str, tree: &Tree, span: Span) -> Vec<Line<'t>> {
    let begins_token_or_blank = |offset: u32| {
        tree.token_at(offset)
            .is_none_or(|token| tree.token_span(token).start == offset || tree.kind(token) == TokenKind::Blank)
    };
    let starts = text[span.range()].match_indices('\n').map(|(at, _)| span.start + at as u32 + 1);
    starts
        .filter(|&start| begins_token_or_blank(start))
        .filter_map(|start| {
            let line = text[start as usize..span.end as usize].lines().next()?;
            let solid = line.trim_start_matches([' ', '\t', '\x0c']);
            let blank = &line[..line.len() - solid.len()];
            let text = solid.trim_end();
            (!text.is_empty()).then(|| Line { start, blank, column: column(blank), text })
        })
        .collect()
}

/// Source in `language` with all lines but the first moved right by `columns`; lines inside of strings and block comments
/// stay.
pub fn moved_by(text: &str, language: impl Into<Language>, columns: isize) -> String {
    if columns == 0 || !text.contains('\n') {
        return text.to_owned();
    }
    let tree = read(text, language);
    let mut moved = String::with_capacity(text.len());
    let mut copied = 0;
    for line in lines(text, &tree, Span::new(0, text.len() as u32)) {
        moved.push_str(&text[copied..line.start as usize]);
        moved.push_str(&blank(line.column.saturating_add_signed(columns), line.blank.contains('\t')));
        copied = line.start as usize + line.blank.len();
    }
    moved.push_str(&text[copied..]);
    moved
}

/// Source with all lines but the first moved.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moved {
    pub(crate) text: String,
    /// The number of columns by which the lines have moved right.
    pub(crate) columns: isize,
    /// The start of the source in the text that it was taken from.
    start: u32,
    lines: Vec<MovedLine>,
}

/// The old and the new place of the indentation of a line.
#[derive(Clone, Copy, Debug)]
struct MovedLine {
    was: Span,
    is: Span,
}

impl Moved {
    /// `text` unchanged.
    pub(crate) fn unmoved(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// `text` from `start` on, which began in column `given` of its line, moved to `destination`.
    pub(crate) fn new(text: &str, tree: &Tree, start: u32, given: usize, destination: &Destination) -> Self {
        let lines = lines(text, tree, Span::new(start, text.len() as u32));
        let distance = destination.distance(given, further_forms(tree, &lines), &lines);
        if distance == 0 {
            return Self { text: text[start as usize..].to_owned(), start, ..Self::default() };
        }
        let tabs = destination.tabs || lines.iter().any(|line| line.blank.contains('\t'));
        let columns = if lines.is_empty() { 0 } else { distance };
        let (room, lines_of) = (String::with_capacity(text.len()), Vec::with_capacity(lines.len()));
        let mut moved = Self { text: room, columns, start, lines: lines_of };
        let mut copied = start;
        for line in lines {
            let was = Span::new(line.start, line.start + line.blank.len() as u32);
            moved.text.push_str(&text[copied as usize..was.start as usize]);
            let start = moved.text.len() as u32;
            moved.text.push_str(&blank(line.column.saturating_add_signed(distance), tabs));
            moved.lines.push(MovedLine { was, is: Span::new(start, moved.text.len() as u32) });
            copied = was.end;
        }
        moved.text.push_str(&text[copied as usize..]);
        moved
    }

    /// The place of byte `at` of the source in the moved text.
    pub(crate) fn place(&self, at: u32) -> u32 {
        let before = self.lines.partition_point(|line| line.was.start <= at);
        self.lines[..before].last().map_or(at - self.start, |line| across(line.was, line.is, at))
    }

    /// The place of byte `at` of the moved text in the source.
    pub(crate) fn origin(&self, at: u32) -> u32 {
        let before = self.lines.partition_point(|line| line.is.start <= at);
        self.lines[..before].last().map_or(at + self.start, |line| across(line.is, line.was, at))
    }
}

/// The place that corresponds to `at` when `from` has become `to`.
fn across(from: Span, to: Span, at: u32) -> u32 {
    if at < from.end { (to.start + at - from.start).min(to.end) } else { to.end + at - from.end }
}

/// The leftmost column in which a form begins a line after the first; `None` for a text that does not balance.
fn further_forms(tree: &Tree, lines: &[Line<'_>]) -> Option<usize> {
    let begins = |start: u32| {
        let after = lines.partition_point(|line| line.start <= start);
        let line = lines[..after].last()?;
        (line.start + line.blank.len() as u32 == start).then_some(line.column)
    };
    let data = tree.top_level().filter(|_| tree.is_balanced());
    data.filter_map(|datum| begins(tree.datum_span(datum).start)).min()
}

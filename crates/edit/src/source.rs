//! A text that has been read once: its tree, forms and lines, for views and edits.

use lispwright_syntax::{Address, Dialect, Form, FormId, Forms, Language, LineIndex, Selection, Span, Tree};
use lispwright_syntax::{count_line_ends, read, span::scalars, whole_lines};
use sha2::{Digest, Sha256};

/// A text with its tree, its forms and its lines.
#[derive(Clone, Debug)]
pub struct Source<'t> {
    /// The text itself, without a byte order mark.
    pub text: &'t str,
    /// Its tree.
    pub tree: Tree,
    /// Its forms.
    pub forms: Forms,
    /// Its lines.
    pub lines: LineIndex,
}

/// A place in a text, for people and for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Unicode scalar values before it, from 0.
    pub offset: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in scalar values.
    pub column: u32,
}

/// A form in its file, with its header comment and its condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormText<'t> {
    /// The exact source, header comment included.
    pub content: &'t str,
    /// Its place, in bytes.
    pub span: Span,
    /// Its first line, from 1: the first line of the header comment when there is one.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The [`digest_of`] its content.
    pub digest: String,
}

/// The first 16 hexadecimal digits of the SHA-256 (FIPS 180-4) of `text`.
#[must_use]
pub fn digest_of(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl<'t> Source<'t> {
    /// Reads `text` in a dialect, or in a language that a project has extended.
    #[must_use]
    pub fn read(text: &'t str, language: impl Into<Language>) -> Self {
        let tree = read(text, language).learning(text);
        let forms = Forms::new(&tree, text);
        Self { text, forms, tree, lines: LineIndex::new(text.as_bytes()) }
    }

    /// The language in which names and new source for this text are read, after any marks in the text that change it.
    pub(crate) fn language_of_pieces(&self) -> Language {
        self.tree.language_at(u32::MAX)
    }

    /// Its dialect.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.tree.dialect()
    }

    /// The text of a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &'t str {
        &self.text[span.range()]
    }

    /// The place of a byte offset.
    #[must_use]
    pub fn place(&self, offset: u32) -> Place {
        let offset = offset.min(self.text.len() as u32);
        let at = self.lines.line_column(self.text.as_bytes(), offset);
        Place { offset: scalars(&self.text.as_bytes()[..offset as usize]), line: at.line, column: at.column }
    }

    /// A line, from 1, without its line end; empty past the last one.
    #[must_use]
    pub fn line_text(&self, line: u32) -> &'t str {
        self.lines.line_span(line).map_or("", |span| self.slice(span).trim_end_matches(['\n', '\r']))
    }

    /// The forms that an address fits best.
    pub(crate) fn find(&self, address: &Address, selection: Selection<'_>) -> Vec<FormId> {
        self.forms.find(&self.tree, self.text, address, selection, &self.lines)
    }

    /// A form with its header comment and conditions.
    #[must_use]
    pub fn form_text(&self, id: FormId) -> FormText<'t> {
        let span = whole_span(self.forms.get(id));
        let content = self.slice(span);
        FormText {
            content,
            span,
            start_line: self.lines.line(span.start),
            end_line: self.lines.line(span.end.saturating_sub(1)),
            digest: digest_of(content),
        }
    }

    /// The line ending of most lines, `\n` when there are none.
    #[must_use]
    pub fn line_ending(&self) -> &'static str {
        if !self.text.contains('\r') {
            return "\n";
        }
        let pairs = self.text.matches("\r\n").count();
        let feeds = self.text.bytes().filter(|&byte| byte == b'\n').count();
        if pairs > 0 && pairs * 2 >= feeds { "\r\n" } else { "\n" }
    }
}

/// A form from the start of its header comment to its end.
pub(crate) fn whole_span(form: &Form) -> Span {
    Span::new(form.header.map_or(form.outer.start, |header| header.start), form.outer.end)
}

/// The line of a byte of `text`, from 1. For many bytes of one text, its [`LineIndex`] is faster.
pub(crate) fn line_at(text: &str, at: u32) -> u32 {
    count_line_ends(&text.as_bytes()[..text.len().min(at as usize)]) + 1
}

/// The line of a byte of `text`, without its line end.
pub(crate) fn line_around(text: &str, at: u32) -> &str {
    let at = text.len().min(at as usize);
    text[whole_lines(text, at..at)].trim_end_matches('\r')
}

/// The place of byte `offset` in a text. For many places of one text, [`Source::place`] is faster.
pub(crate) fn place_in(text: &str, offset: u32) -> Place {
    let before = &text.as_bytes()[..text.len().min(offset as usize)];
    let start = whole_lines(before, before.len()..before.len()).start;
    Place { offset: scalars(before), line: line_at(text, offset), column: scalars(&before[start..]) + 1 }
}

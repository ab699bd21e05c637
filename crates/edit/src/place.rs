//! The lines around a form: the start of its line, the rest of its line, the blank lines between it and others.

use lispwright_syntax::{Element, Form, ListId, Span, TokenKind, count_line_ends};

use crate::source::Source;

/// The rest of a line after a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// At most white space.
    Nothing,
    /// Only a comment, which ends at this offset.
    Comment(u32),
    /// Code: a sibling, or the closer of a list around.
    Code,
}

impl Source<'_> {
    /// The first byte of the line that holds `offset`.
    pub(crate) fn row_start(&self, offset: u32) -> u32 {
        self.text[..offset as usize].rfind('\n').map_or(0, |newline| newline as u32 + 1)
    }

    /// The start of the line that holds `offset`, after the page break at its beginning if there is one.
    pub(crate) fn line_start(&self, offset: u32) -> u32 {
        let row = self.row_start(offset);
        let before = self.slice(Span::new(row, offset));
        let blank = &before[..before.len() - before.trim_start_matches([' ', '\t', '\x0c']).len()];
        row + blank.rfind('\x0c').map_or(0, |at| at as u32 + 1)
    }

    /// The end of the line that holds `offset`, before its line ending.
    pub(crate) fn line_end(&self, offset: u32) -> u32 {
        let end = self.next_line(offset) as usize;
        let line = &self.text[offset as usize..end];
        offset + line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line)).len() as u32
    }

    /// The start of the line after the one that holds `offset`, or the end of the text.
    pub(crate) fn next_line(&self, offset: u32) -> u32 {
        self.text[offset as usize..].find('\n').map_or(self.text.len() as u32, |at| offset + at as u32 + 1)
    }

    /// The white space before `offset` on its line, if there is nothing else.
    pub(crate) fn indentation(&self, offset: u32) -> Option<&str> {
        let before = self.slice(Span::new(self.line_start(offset), offset));
        before.bytes().all(|byte| matches!(byte, b' ' | b'\t')).then_some(before)
    }

    /// The rest of the line after `end`, the end of a form.
    pub(crate) fn rest_of_line(&self, end: u32) -> Rest {
        let Some(mut token) = self.tree.token_at(end).filter(|_| end < self.tree.len()) else { return Rest::Nothing };
        let mut found = Rest::Nothing;
        while token < self.tree.token_count() {
            let span = self.tree.token_span(token);
            let has_newline = self.slice(span).contains('\n');
            match self.tree.kind(token) {
                TokenKind::Blank if has_newline => return found,
                TokenKind::Blank => {}
                TokenKind::LineComment => return Rest::Comment(self.line_end(span.start)),
                TokenKind::BlockComment if !has_newline => found = Rest::Comment(span.end),
                _ => return Rest::Code,
            }
            token += 1;
        }
        found
    }

    /// The end of the comment after `end`, the end of a form, if only that follows on its line; else `end`.
    pub(crate) fn end_of_comment(&self, end: u32) -> u32 {
        if let Rest::Comment(comment) = self.rest_of_line(end) { comment } else { end }
    }

    /// The list around a form.
    pub(crate) fn list_around(&self, form: &Form) -> Option<ListId> {
        match form.datum.list() {
            Some(list) => self.tree.list(list).parent(),
            None => self.tree.list_around(form.datum.first),
        }
    }

    /// The end of a form together with the closers after it on its last line that have no opener.
    pub(crate) fn end_with_strays(&self, form: &Form) -> u32 {
        let mut end = form.outer.end;
        if self.tree.diagnostics().is_empty() || self.list_around(form).is_some() {
            return end;
        }
        let mut token = self.tree.token_at(end).filter(|_| end < self.tree.len()).unwrap_or(self.tree.token_count());
        while token < self.tree.token_count() {
            let span = self.tree.token_span(token);
            match self.tree.kind(token) {
                TokenKind::Blank if !self.slice(span).contains('\n') => {}
                kind if kind.is_close() => end = span.end,
                _ => break,
            }
            token += 1;
        }
        end
    }

    /// The end and the kind of the last token before `offset` that is not white space.
    pub(crate) fn end_before(&self, offset: u32) -> (u32, TokenKind) {
        let mut token = match self.tree.token_at(offset) {
            Some(token) if self.tree.token_span(token).start >= offset => token,
            Some(token) => token + 1,
            None => return (0, TokenKind::Blank),
        };
        while token > 0 {
            token -= 1;
            let kind = self.tree.kind(token);
            if kind != TokenKind::Blank {
                return (self.tree.token_span(token).end, kind);
            }
        }
        (0, TokenKind::Blank)
    }

    /// The start of the next datum or comment after `offset`, if it is on the same line and in the same list.
    pub(crate) fn sibling_on_line(&self, offset: u32) -> Option<u32> {
        let mut token = self.tree.token_at(offset).filter(|_| offset < self.tree.len())?;
        if self.tree.token_span(token).start < offset {
            token += 1;
        }
        while token < self.tree.token_count() {
            let span = self.tree.token_span(token);
            match self.tree.kind(token) {
                TokenKind::Blank if self.slice(span).contains('\n') => return None,
                TokenKind::Blank => token += 1,
                kind if kind.is_close() => return None,
                _ => return Some(span.start),
            }
        }
        None
    }

    /// The start of the run of blank lines that ends where the line at `line_start` begins.
    pub(crate) fn blank_lines_before(&self, line_start: u32) -> u32 {
        let mut start = line_start;
        while start > 0 {
            let line = self.row_start(start - 1);
            if !is_blank(self.slice(Span::new(line, start))) {
                break;
            }
            start = line;
        }
        start
    }

    /// The end of the run of blank lines that begins at `line_start`.
    pub(crate) fn blank_lines_after(&self, line_start: u32) -> u32 {
        let mut end = line_start;
        while (end as usize) < self.text.len() {
            let next = self.next_line(end);
            if !is_blank(self.slice(Span::new(end, next))) {
                break;
            }
            end = next;
        }
        end
    }

    /// The end of the last token that is not white space to the dialect's reader, or of a page break after it; 0 when
    /// there is neither.
    pub(crate) fn solid_end(&self) -> u32 {
        let tokens = (0..self.tree.token_count()).rev();
        let last = tokens.into_iter().find(|&token| self.tree.kind(token) != TokenKind::Blank);
        let solid = last.map_or(0, |token| self.tree.token_span(token).end);
        self.text[solid as usize..].rfind('\x0c').map_or(solid, |at| solid + at as u32 + 1)
    }

    /// Lines that end inside a span.
    pub(crate) fn newlines(&self, span: Span) -> u32 {
        count_line_ends(self.slice(span))
    }

    /// The list around a form, if it is a reader conditional `#?(...)`, of which the form is a branch.
    pub(crate) fn conditional_around(&self, form: &Form) -> Option<ListId> {
        let list = self.list_around(form)?;
        let opener = self.slice(self.tree.token_span(self.tree.list(list).open()));
        opener.starts_with("#?").then_some(list)
    }

    /// A branch of a reader conditional with its feature key, up to the next key when there is one.
    pub(crate) fn branch(&self, list: ListId, form: &Form) -> Option<Branch> {
        let data: Vec<_> = self
            .tree
            .elements(list)
            .filter_map(|element| if let Element::Datum(datum) = element { Some(datum) } else { None })
            .collect();
        let at = data.iter().position(|datum| *datum == form.datum)?;
        let key = data.get(at.checked_sub(1)?)?;
        let next = data.get(at + 1).map(|next| self.tree.datum_span(*next).start);
        Some(Branch { start: self.tree.datum_span(*key).start, next, only: data.len() <= 2 })
    }
}

/// The line is white space to every dialect's reader, without a page break. Most read a no-break space as a symbol.
fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

/// A key and a form of a reader conditional.
pub(crate) struct Branch {
    /// The start of the key.
    pub(crate) start: u32,
    /// The start of the next key.
    pub(crate) next: Option<u32>,
    /// There is no other branch.
    pub(crate) only: bool,
}

//! Removes a form on lines of its own, beside others, or in a reader conditional.
//!
//! A page break, the form feed between sections of a file, belongs to the file and always stays.

use lispwright_syntax::{Form, ListId, Span, TokenKind};

use crate::place::Rest;
use crate::source::{Source, whole_span};
use crate::splice::Splice;

/// Removes a form with its header comment, its condition and its trailing comment, and the smaller of the gaps around
/// it.
pub(crate) fn delete(source: &Source<'_>, form: &Form) -> Splice {
    if let Some(list) = source.conditional_around(form) {
        return delete_branch(source, list, form);
    }
    let end = source.end_with_strays(form);
    let removed = |start, end| Splice { span: Span::new(start, end), removed: 1, text: String::new(), data: 0 };
    let rest = source.rest_of_line(end);
    if source.indentation(form.outer.start).is_some() && rest != Rest::Code {
        let start = whole_span(form).start.min(source.line_start(form.outer.start));
        return delete_lines(source, start, end);
    }
    if let Some(next) = source.sibling_on_line(end).filter(|_| rest == Rest::Code) {
        let blank = source.slice(Span::new(end, next));
        return removed(form.outer.start, if blank.contains('\x0c') { end } else { next });
    }
    // The form shares its line with something before it, or with a closer after it.
    let start = if source.indentation(form.outer.start).is_some() { whole_span(form).start } else { form.outer.start };
    let (before, kind) = blank_before(source, start);
    if kind == TokenKind::LineComment {
        let line = source.slice(Span::new(source.line_start(form.outer.start), form.outer.start));
        let blank = &line[..line.len() - line.trim_start().len()];
        return Splice {
            span: Span::new(before, end),
            removed: 1,
            text: format!("{}{blank}", source.line_ending()),
            data: 0,
        };
    }
    removed(before, end)
}

/// The start of the white space before `start`, at most back to a page break, and the kind of the token before it.
fn blank_before(source: &Source<'_>, start: u32) -> (u32, TokenKind) {
    let (before, kind) = source.end_before(start);
    match source.slice(Span::new(before, start)).rfind('\x0c') {
        Some(at) => (before + at as u32 + 1, TokenKind::Blank),
        None => (before, kind),
    }
}

/// Removes the lines from the one that begins at `start` to the one that holds `end`, and the smaller of the two runs of
/// blank lines around them.
fn delete_lines(source: &Source<'_>, start: u32, end: u32) -> Splice {
    let removed = |start, end| Splice { span: Span::new(start, end), removed: 1, text: String::new(), data: 0 };
    let len = source.text.len() as u32;
    let next = source.next_line(end);
    let breaks_after = source.slice(Span::new(source.end_of_comment(end), next)).contains('\x0c');
    if breaks_after || start > source.row_start(start) {
        // A page break shares a line with the form, and keeps it.
        return removed(start, source.end_of_comment(end));
    }
    let (above, below) = (source.blank_lines_before(start), source.blank_lines_after(next));
    let front = source.text[..above as usize].trim_end_matches(['\r', '\n']);
    let (is_first, is_last) = (above == 0 || front.ends_with('\x0c'), below == len);
    if is_last {
        let has_final_ending = source.text.ends_with('\n');
        if above == 0 {
            return removed(0, len);
        }
        // Without a final line end, the line before loses its own.
        let from = if has_final_ending { above } else { source.line_end(source.line_start(above - 1)) };
        return removed(from, if has_final_ending { next } else { len });
    }
    if is_first || source.newlines(Span::new(above, start)) > source.newlines(Span::new(next, below)) {
        removed(start, below)
    } else {
        removed(above, next)
    }
}

/// Removes a branch of a reader conditional, or the whole of it with its last branch.
fn delete_branch(source: &Source<'_>, list: ListId, form: &Form) -> Splice {
    let span = source.tree.list_span(list);
    let around = form.parent.map(|parent| source.forms.get(parent)).filter(|parent| parent.datum.list() == Some(list));
    let branch = source.branch(list, form);
    let (start, end, removed) = match (&branch, around) {
        (Some(branch), Some(around)) if branch.only => {
            let whole = whole_span(around);
            if source.indentation(around.outer.start).is_some() && source.rest_of_line(around.outer.end) != Rest::Code {
                return delete_lines(source, whole.start.min(source.line_start(around.outer.start)), around.outer.end);
            }
            (around.outer.start, around.outer.end, 1)
        }
        (Some(branch), None) if branch.only => (span.start, span.end, 1),
        (Some(branch), _) => match branch.next {
            Some(next) => (branch.start, next, 2),
            None => (blank_before(source, branch.start).0, form.outer.end, 2),
        },
        (None, _) => (form.outer.start, form.outer.end, 1),
    };
    Splice { span: Span::new(start, end), removed, text: String::new(), data: 0 }
}

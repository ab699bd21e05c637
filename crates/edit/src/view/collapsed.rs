//! The collapsed view: one line for each form, short forms whole, matching forms verbatim.
//!
//! A view that begins inside a form shows its lines below its head, and a pattern shows the lines around its matches in a
//! long form. A file of usual size that does not fit is shown by the heads of its forms alone, on one page.

use lispwright_syntax::{Form, FormId, Span};

use super::one_line::on_one_line;
use super::{AROUND, LONGEST, LineView, Patterns, View, ViewOptions};
use crate::form_line::shortened;
use crate::source::{Source, whole_span};

/// Longest line of a collapsed form, in scalar values.
const WIDTH: usize = 160;

/// Bytes of a signature after which the rest is left out: some characters have four.
const MOST: usize = 4 * WIDTH;

/// The same in an outline of heads; the second, if these do not fit with the first.
const HEAD_WIDTHS: [usize; 2] = [72, 40];

/// The most lines of a file whose outline is one page.
const ONE_PAGE: u32 = 3_000;

/// The most lines of a form that is shown whole because a pattern matches inside it.
const MOST_WHOLE: u32 = 60;

/// Scalar values shown of the first data of a form without parameters.
const FIRST_DATA: usize = 72;

/// The way in which a form is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    /// Whole, header comment included, because it matches a pattern.
    Verbatim,
    /// The lines around the matches of a pattern inside it, because it is long.
    Around,
    /// Whole, because it is short.
    Whole,
    /// Its signature, followed by the forms inside.
    Signature,
}

/// Fills `view` with the forms that begin in the lines asked for.
pub(super) fn show(source: &Source<'_>, options: &ViewOptions<'_>, patterns: &Patterns, view: &mut View) {
    let has_pattern = patterns.name.is_some() || patterns.content.is_some();
    let end_line = options.limit.map_or(u32::MAX, |limit| options.offset.saturating_add(limit));
    if has_pattern {
        view.matching_forms = matching(source, options, end_line, patterns);
    }
    let is_whole_file = !has_pattern && options.offset == 0 && options.limit.is_none();
    // With a pattern, the other forms are shown only when everything fits, so that they do not crowd out matches.
    for only_matching in [false, true] {
        let mut lines = LineView::new(view.total_lines, options);
        let outcome = fill(source, options, end_line, patterns, only_matching, &mut lines);
        let all_fits = outcome.stopped_at.is_none() && lines.cut.is_empty();
        if has_pattern && !only_matching && !all_fits {
            continue;
        }
        if is_whole_file && outcome.stopped_at.is_some() && view.total_lines <= ONE_PAGE {
            for width in HEAD_WIDTHS {
                let options = ViewOptions { budget: options.heads, ..options.clone() };
                let mut heads = LineView::new(view.total_lines, &options);
                if source.forms.iter().all(|(_, form)| head(source, form, width, &mut heads)) {
                    view.content = heads.content;
                    view.is_of_heads = true;
                    return;
                }
            }
        }
        view.expanded_forms = outcome.expanded;
        view.next_offset =
            outcome.stopped_at.map(|line| line - 1).or((end_line < view.total_lines).then_some(end_line));
        view.last_line = view.next_offset.unwrap_or(view.total_lines);
        view.content = lines.content;
        view.cut_lines = lines.cut;
        view.long_forms = outcome.collapsed;
        return;
    }
}

/// The number of matching forms that begin in those lines; forms inside a match are not counted.
fn matching(source: &Source<'_>, options: &ViewOptions<'_>, end_line: u32, patterns: &Patterns) -> usize {
    let mut counted_to = 0;
    let mut count = 0;
    for (id, form) in source.forms.iter() {
        let line = source.lines.line(form.outer.start);
        let is_new = line > options.offset && line <= end_line && form.outer.end > counted_to;
        let shown = how(source, id, patterns, options.whole);
        if is_new && matches!(shown, Shown::Verbatim | Shown::Around) {
            (count, counted_to) = (count + 1, form.outer.end);
        }
    }
    count
}

/// Adds the head of a form, unless the form is on the line of the last one; false if it does not fit.
fn head(source: &Source<'_>, form: &Form, width: usize, lines: &mut LineView) -> bool {
    let line = source.lines.line(form.outer.start);
    let known = lines.content.lines().next_back().and_then(|last| last.trim_start().split('|').next());
    if known.is_some_and(|known| known == line.to_string()) {
        return true;
    }
    let is_short = source.newlines(form.outer) == 0;
    let head = if is_short { on_one_line(source, form.outer, &[], MOST) } else { signature(source, form) };
    lines.line(line, &shortened(&indented(form, &head), width))
}

/// Shows the lines of a form in which the view begins, below its head, and gives the last of them; 0 if it begins beside
/// all forms. The error is the first line that does not fit.
fn middle(source: &Source<'_>, options: &ViewOptions<'_>, end_line: u32, lines: &mut LineView) -> Result<u32, u32> {
    let first = options.offset.saturating_add(1);
    let line = |at: u32| source.lines.line(at);
    let begins = |form: &Form| line(whole_span(form).start);
    let holds = |form: &Form| begins(form) < first && line(form.outer.end.saturating_sub(1)) >= first;
    let innermost = source.forms.iter().rfind(|(_, form)| holds(form));
    let Some((id, form)) = innermost.filter(|_| options.offset > 0) else { return Ok(0) };
    let next = inner_forms(source, id).map(begins).find(|begins| *begins >= first).unwrap_or(u32::MAX);
    let last = line(form.outer.end.saturating_sub(1)).min(end_line).min(next.saturating_sub(1));
    if last < first {
        return Ok(0);
    }
    let head = line(form.span.start);
    if head < first && !(lines.line(head, &indented(form, &signature(source, form))) && lines.note("…")) {
        return Err(first);
    }
    for number in first..=last {
        if !lines.line(number, source.line_text(number)) {
            return Err(number);
        }
    }
    Ok(last)
}

/// Shows the head of a form and the lines around the matches inside it; false if they do not fit.
fn around(source: &Source<'_>, form: &Form, patterns: &Patterns, lines: &mut LineView) -> bool {
    let Some(pattern) = &patterns.content else { return false };
    let span = whole_span(form);
    let line = |at: u32| source.lines.line(at);
    let (first, last) = (line(span.start), line(span.end.saturating_sub(1)));
    let mut wanted: Vec<(u32, u32)> = Vec::new();
    for found in pattern.find_iter(source.slice(span)) {
        let begin = line(span.start + found.start() as u32).saturating_sub(AROUND).max(first);
        let end = (line(span.start + (found.end() as u32).max(1) - 1) + AROUND).min(last);
        match wanted.last_mut() {
            Some((_, reached)) if begin <= *reached + 1 => *reached = end.max(*reached),
            _ => wanted.push((begin, end)),
        }
    }
    let (left, length) = (lines.left, lines.content.len());
    let head = line(form.span.start);
    let mut fits = wanted.first().is_some_and(|(begin, _)| *begin <= head)
        || lines.line(head, &indented(form, &signature(source, form)));
    let mut shown_to = head;
    for (begin, end) in wanted {
        fits = fits && (begin <= shown_to + 1 || lines.note("…"));
        fits = fits && (begin..=end).all(|number| lines.line(number, source.line_text(number)));
        shown_to = end;
    }
    fits = fits && (shown_to >= last || lines.note("…"));
    if !fits {
        lines.left = left;
        lines.content.truncate(length);
    }
    fits
}

struct Outcome {
    expanded: usize,
    /// The lines of forms that should be shown whole but are too long.
    collapsed: Vec<u32>,
    /// The line of the first form that did not fit.
    stopped_at: Option<u32>,
}

fn fill(
    source: &Source<'_>,
    options: &ViewOptions<'_>,
    end_line: u32,
    patterns: &Patterns,
    only_matching: bool,
    lines: &mut LineView,
) -> Outcome {
    let mut expanded = 0;
    let mut too_long = Vec::new();
    // Forms up to `shown_to` have been shown as part of the form around them, lines up to `shown_line` whole.
    let (mut shown_to, mut shown_line) = (0, 0);
    let mut left_out = 0;
    if patterns.name.is_none() && patterns.content.is_none() {
        match middle(source, options, end_line, lines) {
            Ok(last) => shown_line = last,
            Err(line) => return Outcome { expanded, collapsed: too_long, stopped_at: Some(line) },
        }
    }
    for (id, form) in source.forms.iter() {
        let line = source.lines.line(form.outer.start);
        if line <= options.offset || form.outer.end <= shown_to {
            continue;
        }
        if line > end_line {
            break;
        }
        let shown = how(source, id, patterns, options.whole);
        if only_matching && !matches!(shown, Shown::Verbatim | Shown::Around) {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            left_out = 0;
            if !lines.note("…") {
                return Outcome { expanded, collapsed: too_long, stopped_at: Some(line) };
            }
        }
        let fits = match shown {
            // A long line is cut when it is shown, so this part of it may be missing.
            Shown::Verbatim if is_long(source, line) => verbatim(source, whole_span(form), 0, true, lines),
            Shown::Verbatim => verbatim(source, whole_span(form), shown_line, false, lines),
            Shown::Around => around(source, form, patterns, lines),
            Shown::Whole => verbatim(source, form.outer, shown_line, false, lines),
            Shown::Signature => line <= shown_line || lines.line(line, &indented(form, &signature(source, form))),
        };
        if !fits {
            // A form that alone is larger than the budget would stop every view: it is collapsed instead.
            let alone = lines.content.is_empty();
            too_long.extend(alone.then_some(line));
            if !alone || !collapsed(source, form, lines) {
                return Outcome { expanded, collapsed: too_long, stopped_at: Some(line) };
            }
        }
        if shown != Shown::Signature {
            shown_to = form.outer.end;
            shown_line = if fits { source.lines.line(form.outer.end.saturating_sub(1)) } else { line };
        }
        expanded += usize::from(shown == Shown::Verbatim && fits);
    }
    Outcome { expanded, collapsed: too_long, stopped_at: None }
}

fn how(source: &Source<'_>, id: FormId, patterns: &Patterns, whole: u32) -> Shown {
    let form = source.forms.get(id);
    if patterns.name.is_some() || patterns.content.is_some() {
        let name_fits = patterns.name.as_ref().is_some_and(|pattern| {
            form.name.as_deref().is_some_and(|name| pattern.is_match(name))
                || pattern.is_match(&form.label(source.text))
        });
        let fits = |pattern: &regex::Regex, form: &Form| pattern.is_match(source.slice(whole_span(form)));
        let text_fits = patterns.content.as_ref().is_some_and(|pattern| {
            // A form around matching definitions is not shown whole; the definitions are.
            fits(pattern, form) && !inner_forms(source, id).any(|inner| fits(pattern, inner))
        });
        if name_fits || text_fits && source.newlines(form.outer) < MOST_WHOLE {
            return Shown::Verbatim;
        }
        if text_fits {
            return Shown::Around;
        }
    }
    if source.newlines(form.outer) < whole { Shown::Whole } else { Shown::Signature }
}

/// The definitions directly or indirectly inside a form.
fn inner_forms<'s>(source: &'s Source<'_>, id: FormId) -> impl Iterator<Item = &'s Form> {
    let end = source.forms.get(id).outer.end;
    (id + 1..source.forms.len() as FormId)
        .map(|inner| source.forms.get(inner))
        .take_while(move |inner| inner.outer.start < end)
}

/// Shows the signature of a form that is too long for any view, and says so.
fn collapsed(source: &Source<'_>, form: &Form, lines: &mut LineView) -> bool {
    let count = source.slice(form.outer).chars().count();
    let line = source.lines.line(form.outer.start);
    lines.line(line, &indented(form, &signature(source, form)))
        && lines.note(&format!("[this form has {count} characters, too many for this view]"))
}

/// The line is cut when it is shown.
fn is_long(source: &Source<'_>, line: u32) -> bool {
    let text = source.line_text(line);
    text.len() > LONGEST && text.chars().nth(LONGEST).is_some()
}

/// Adds the lines of a span after `shown_line`, whole or clipped to the span; if they do not fit, returns false and
/// adds nothing.
fn verbatim(source: &Source<'_>, span: Span, shown_line: u32, clipped: bool, lines: &mut LineView) -> bool {
    let (left, length) = (lines.left, lines.content.len());
    let first = source.lines.line(span.start).max(shown_line + 1);
    let last = source.lines.line(span.end.saturating_sub(1));
    for number in first..=last {
        let whole = source.line_text(number);
        let shown = if clipped && is_long(source, number) { clip(source, number, span) } else { whole.to_owned() };
        if !lines.line(number, &shown) {
            lines.left = left;
            lines.content.truncate(length);
            return false;
        }
    }
    true
}

/// The part of a line in `span`, with an ellipsis in place of the rest.
fn clip(source: &Source<'_>, number: u32, span: Span) -> String {
    let line = source.lines.line_span(number).unwrap_or_default();
    let line = Span::new(line.start, line.start + source.line_text(number).len() as u32);
    let part = Span::new(line.start.max(span.start), line.end.min(span.end).max(span.start));
    let (front, back) = (if part.start > line.start { "…" } else { "" }, if part.end < line.end { "…" } else { "" });
    format!("{front}{}{back}", source.slice(part))
}

fn indented(form: &Form, text: &str) -> String {
    format!("{:width$}{text}", "", width = 2 * form.depth as usize)
}

/// The source of a form up to its parameters, with white space collapsed.
fn signature(source: &Source<'_>, form: &Form) -> String {
    let Some(list) = form.datum.list() else {
        return format!("{} ...", shortened(&on_one_line(source, form.outer, &[], MOST), WIDTH));
    };
    let opener = source.tree.token_span(source.tree.list(list).open());
    let prefix = on_one_line(source, Span::new(form.outer.start, form.span.start), &[], MOST);
    let prefix =
        if prefix.is_empty() || prefix.ends_with(['\'', '`', ',', '@']) { prefix } else { format!("{prefix} ") };
    let without_docstring = form.docstring.as_slice();
    let inside = match form.signature.as_slice() {
        [] => first_data(source, form),
        [only] => on_one_line(source, Span::new(opener.end, only.end), without_docstring, MOST),
        [first, ..] => {
            // The bodies are between the parameter lists.
            let name_end = form.name_span.map_or(first.start, |name| name.end);
            let mut inside = on_one_line(source, Span::new(opener.end, name_end), without_docstring, MOST);
            for arity in &form.signature {
                inside.push_str(&format!(" ({} ...)", on_one_line(source, *arity, &[], MOST)));
            }
            inside
        }
    };
    format!("{prefix}{}{}{}", source.slice(opener), shortened(&inside, WIDTH), closing(source, form))
}

/// ` ...)`, without the closer if the form has none.
fn closing(source: &Source<'_>, form: &Form) -> String {
    let close = form.datum.list().and_then(|list| source.tree.list(list).close());
    format!(" ...{}", close.map_or("", |close| source.slice(source.tree.token_span(close))))
}

/// The first few data of a form without parameters.
fn first_data(source: &Source<'_>, form: &Form) -> String {
    let Some(list) = form.datum.list() else { return String::new() };
    let mut inside = String::new();
    for (index, datum) in source.tree.data(list).take(4).enumerate() {
        let span = source.tree.datum_span(datum);
        if form.docstring == Some(span) {
            continue;
        }
        let text = on_one_line(source, span, &[], MOST);
        let room = FIRST_DATA.saturating_sub(inside.chars().count());
        let fits = text.chars().count() <= room;
        if index > 1 && (!fits || source.slice(span).contains('\n')) {
            break;
        }
        if !inside.is_empty() {
            inside.push(' ');
        }
        if index > 0 && !fits {
            inside.push_str(&shortened(&text, room));
            break;
        }
        inside.push_str(&text);
    }
    inside
}

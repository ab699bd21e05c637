//! Replaces a form, and keeps its comments and prefixes if the new source has none.

use lispwright_syntax::{Form, FormId, Forms, Span, TokenKind, Tree, read};

use crate::content::Content;
use crate::note::Note;
use crate::place::Rest;
use crate::source::{Source, line_at, whole_span};
use crate::splice::Splice;

/// Puts the one form of `content` in the place of a form.
///
/// The header comment stays unless the content begins with a comment, the prefixes (such as `#+sbcl`) unless the
/// content's form has some, and the trailing comment unless the content has one.
pub(crate) fn replace(source: &Source<'_>, id: FormId, content: &Content, notes: &mut Vec<Note>) -> Splice {
    let form = source.forms.get(id);
    let datum = content.data[0];
    let (outer, core) = (content.tree.datum_span(datum), content.tree.core_span(datum));
    let end = source.end_with_strays(form);
    let as_lf = |text: &str| text.trim().replace("\r\n", "\n");
    let same_as = |span| as_lf(&content.text) == as_lf(source.slice(span));
    if same_as(whole_span(form)) || same_as(form.outer) {
        return Splice {
            span: Span::new(form.outer.start, end),
            removed: 1,
            text: source.slice(form.outer).to_owned(),
            data: 1,
        };
    }
    compare_heads(source, form, content, notes);
    notes.extend(Note::moved(content.moved.columns));

    let kept = source.slice(Span::new(form.outer.start, form.span.start));
    let brought = content.slice(Span::new(outer.start, core.start));
    match (kept.trim(), brought.trim()) {
        ("", _) => {}
        (old, "") => notes.push(Note::PrefixKept(old.to_owned())),
        (old, new) if old == new => {}
        (old, new) => notes.push(Note::PrefixReplaced { before: old.to_owned(), after: new.to_owned() }),
    }
    let indentation = source.indentation(form.outer.start);
    let (front, body) = content.moved.text.split_at(content.moved.place(outer.start) as usize);
    let (start, mut text) = lead(source, form, front, indentation);
    if brought.is_empty() {
        text.push_str(kept);
    }
    text.push_str(body);

    let mut span = Span::new(start, end);
    let after = &content.text[core.end as usize..];
    let has_trailing_comment = !after.is_empty() && !after.contains('\n');
    match source.rest_of_line(end) {
        Rest::Comment(comment) if has_trailing_comment => span.end = comment,
        Rest::Nothing => {}
        _ if content.ends_in_comment() => {
            text.push_str(source.line_ending());
            text.push_str(indentation.unwrap_or(""));
            // The code after it begins the new line.
            let rest = &source.text[end as usize..];
            span.end = end + (rest.len() - rest.trim_start_matches([' ', '\t']).len()) as u32;
        }
        _ => {}
    }
    Splice { span, removed: 1, text, data: 1 }
}

/// The start of the replaced part, and the beginning of the new text, for content that begins with the comments `lead`.
fn lead(source: &Source<'_>, form: &Form, lead: &str, indentation: Option<&str>) -> (u32, String) {
    if lead.is_empty() {
        return (form.outer.start, String::new());
    }
    let Some(blank) = indentation else {
        // The form is not the first on its line, and the comment is only about the form.
        return (form.outer.start, format!("{}{lead}", source.line_ending()));
    };
    let start = whole_span(form).start.min(source.line_start(form.outer.start));
    let old = parts_of_header(&source.tree, source.text, Span::new(start, form.outer.start));
    let tree = read(lead, source.tree.language());
    let [comments, hints] = parts_of_header(&tree, lead, Span::new(0, tree.len()));
    let keeps = |new: &str, old: &str| new.trim().is_empty() && !old.trim().is_empty();
    if keeps(&comments, &old[0]) || keeps(&hints, &old[1]) {
        // The content has comments and no hints, or hints and no comments: those of the form stay.
        let part = |new: &str, old: &str| {
            let kept = if new.trim().is_empty() { old } else { new };
            kept.lines().filter(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
        };
        let lines = [part(&comments, &old[0]), part(&hints, &old[1])].concat();
        let ending = source.line_ending();
        return (start, lines.iter().map(|line| format!("{blank}{line}{ending}")).collect::<String>() + blank);
    }
    // An unchanged comment stays in its column.
    let first = source.slice(Span::new(start, source.line_end(start)));
    let known = first.trim() == lead.lines().next().unwrap_or_default().trim();
    let blank = if known { &first[..first.len() - first.trim_start().len()] } else { blank };
    (start, format!("{blank}{lead}"))
}

/// The comments and the hints in the header of a form, each with the white space behind them.
fn parts_of_header(tree: &Tree, text: &str, header: Span) -> [String; 2] {
    let mut parts = [String::new(), String::new()];
    let mut current = 0;
    for (kind, span) in tree.tokens().filter(|(_, span)| header.encloses(*span)) {
        current = match kind {
            TokenKind::LineComment | TokenKind::BlockComment => 0,
            TokenKind::Blank => current,
            _ => 1,
        };
        parts[current].push_str(&text[span.range()]);
    }
    parts
}

/// Adds a note if the new form has another name or head.
fn compare_heads(source: &Source<'_>, form: &Form, content: &Content, notes: &mut Vec<Note>) {
    let forms = Forms::new(&content.tree, &content.text);
    let Some((_, new)) = forms.iter().next() else { return };
    if form.head_name != new.head_name || form.name != new.name {
        let line = source.lines.line(form.span.start) + line_at(&content.text, new.span.start) - 1;
        notes.push(Note::renamed((form, source.text), (new, &content.text), line));
    }
}

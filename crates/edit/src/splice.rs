//! Makes one contiguous change of a text, reads the result, and compares it with the old reading.

use lispwright_repair::{Plain, renested_plain};
use lispwright_syntax::{
    Form, FormId, Forms, Span, Tree, count_line_ends, read_again, read_by_columns, stray_dots_since,
};

use crate::diff::unified;
use crate::edited::Edited;
use crate::form_line::shortened;
use crate::note::Note;
use crate::refusal::EditRefusal;
use crate::source::{Source, digest_of, line_around, line_at, whole_span};
use crate::unexpected::{Unexpected, besides, unexpected_since};
use crate::verify::{Count, Difference, verify};

/// One contiguous change.
pub(crate) struct Splice {
    /// The removed bytes.
    pub(crate) span: Span,
    /// The number of data that may be removed.
    pub(crate) removed: usize,
    /// The new text.
    pub(crate) text: String,
    /// The number of data in `text`.
    pub(crate) data: usize,
}

/// The most forms that are noted because they contradict their indentation.
const MOST_NOTED: usize = 3;

/// Puts `splice` into the text, reads the result and compares.
pub(crate) fn apply(
    source: &Source<'_>,
    splice: Splice,
    target: Option<FormId>,
    mut notes: Vec<Note>,
) -> Result<Edited, EditRefusal> {
    let Splice { span, removed, text: new_part, data } = splice;
    let mut text = String::with_capacity(source.text.len() + new_part.len());
    text.push_str(&source.text[..span.start as usize]);
    text.push_str(&new_part);
    text.push_str(&source.text[span.end as usize..]);
    let tree = read_again(&source.tree, source.text, &text, source.tree.language());
    if text != source.text {
        let count = Count { removed, data };
        let compared = |tree: &Tree| verify(&source.tree, tree, span, new_part.len() as u32, count);
        // Mistakes that cancel each other out balance once a third one is mended. The earlier text was read by columns;
        // then this one is compared in a reading by columns, too.
        let by_columns = |difference| {
            let columns = Some(()).filter(|()| !source.tree.is_balanced() && tree.is_balanced());
            let columns = columns.map(|()| read_by_columns(&text, source.tree.language()));
            let Some(columns) = columns.filter(|columns| compared(columns).is_ok()) else { return Err(difference) };
            notes.extend(columns.diagnostics().first().map(|first| {
                let line = line_at(&text, first.span.start);
                Note::BalancedByChance { line, kind: first.kind }
            }));
            Ok(())
        };
        compared(&tree).or_else(by_columns).map_err(|difference| match difference {
            Difference::Outside { at } => would_break(&text, at),
            // A mistake before the place swallows the new source.
            Difference::Data { found } if found < data && !source.tree.diagnostics().is_empty() => {
                would_break(&text, span.start + new_part.len() as u32 - new_part.trim_start().len() as u32)
            }
            Difference::Data { found } => EditRefusal::WouldSplit { found, expected: data },
            Difference::Removed { found } => EditRefusal::WouldRemove { found, expected: removed },
        })?;
    }
    if tree.diagnostics().len() > source.tree.diagnostics().len() {
        let (known, mut found) = (source.tree.diagnostics().iter(), tree.diagnostics().iter());
        let at = known.zip(&mut found).find(|(old, new)| old.kind != new.kind).map(|(_, new)| new.span.start);
        return Err(would_break(&text, at.or(found.next().map(|new| new.span.start)).unwrap_or(span.start)));
    }
    if let Some(first) = tree.diagnostics().first() {
        let line = line_at(&text, first.span.start);
        notes.push(Note::BrokenElsewhere { line, kind: first.kind });
    }
    let (was, is) = (Plain { text: source.text, tree: &source.tree }, Plain { text: &text, tree: &tree });
    let renested = renested_plain(was, is);
    let unexpected = besides(unexpected_since((&source.tree, source.text), (&tree, &text)), &renested);
    notes.extend(renested.into_iter().take(MOST_NOTED).map(|form| Note::Renested(form.message)));
    let dots = stray_dots_since(&source.tree, source.text.as_bytes(), &tree, text.as_bytes());
    notes.extend(dots.first().map(|&line| Note::StrayDot { line }));
    let new_end = span.start + new_part.len() as u32;
    let has =
        |notes: &[Note], kind| notes.iter().any(|note| matches!(note, Note::Unexpected(one) if one.kind() == kind));
    for one in unexpected {
        // That a form lost its name is noted where it is replaced.
        if !matches!(one, Unexpected::Undefined { .. }) || !has(&notes, one.kind()) {
            notes.push(Note::Unexpected(one));
        }
    }
    let forms = Forms::within(&tree, &text, Span::new(span.start, new_end));
    let inside = |form: &Form| form.outer.start >= span.start && form.outer.end <= new_end;
    let edited = forms.iter().find(|(_, form)| inside(form)).map(|(_, form)| form);
    let solid_end = span.start + new_part.trim_end().len() as u32;
    let solid_start = span.start + (new_part.len() - new_part.trim_start().len()) as u32;
    // Lines before the change are those of the old text.
    let line_of = |at: u32| {
        let after = text.as_bytes().get(span.start as usize..at as usize).unwrap_or_default();
        source.lines.line(span.start.min(at)) + count_line_ends(after)
    };
    let asked = target.map(|id| (source.forms.get(id), source.text));
    let named = asked.or(edited.map(|form| (form, text.as_str())));
    let whole = edited.map(whole_span);
    Ok(Edited {
        changed: text != source.text,
        form_type: named
            .and_then(|(form, text)| form.head.map(|head| text[head.range()].to_owned()))
            .unwrap_or_default(),
        form_name: named.and_then(|(form, _)| form.name.clone()).unwrap_or_default(),
        label: named.map(|(form, text)| form.label(text)).unwrap_or_default(),
        lines: (data > 0).then(|| (line_of(solid_start), line_of(solid_end.max(1) - 1))),
        digest: whole.filter(|_| data > 0).map(|span| digest_of(&text[span.range()])),
        diff: unified(source.text, &text, span, new_part.len()),
        before: asked.map(|(form, text)| text[whole_span(form).range()].to_owned()).unwrap_or_default(),
        after: whole.filter(|_| data > 0).map(|span| text[span.range()].to_owned()).unwrap_or_default(),
        delta: new_part.chars().count() as i64 - source.slice(span).chars().count() as i64,
        repair: None,
        notes,
        text,
    })
}

/// The refusal of a change after which `text` would break at byte `at`.
pub(crate) fn would_break(text: &str, at: u32) -> EditRefusal {
    EditRefusal::WouldBreak { line: line_at(text, at), text: shortened(line_around(text, at).trim(), 100) }
}

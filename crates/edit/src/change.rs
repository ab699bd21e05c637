//! Replacing, inserting, appending and deleting whole forms.
//!
//! What an operation does to the lines around the form:
//!
//! - **replace** puts the content where the form stood. The header comment stays unless the content brings one of its
//!   own, a condition such as `#+sbcl` stays unless the content brings a prefix, a trailing comment stays unless the
//!   content brings one.
//! - **insert_before** goes above the header comment, **insert_after** below the line of the form with its trailing
//!   comment. As many blank lines separate old and new as separate the form from its neighbour, and at least one where
//!   either has several lines and both stand at top level.
//! - **append** goes to the end of the file.
//! - **delete** takes header comment, condition and trailing comment along, and leaves the larger of the two gaps.
//!
//! New lines end as the lines of the file do; whether the file ends in a line end stays. Content whose later lines stand
//! too far left for a nested place is moved right as a whole, strings excepted. Every edit is one [`Splice`]; the whole
//! text is read again, and anything that would read differently elsewhere is refused (`verify.rs`).

use lispwright_syntax::{Form, FormId, Forms, Span, read};

use crate::content::Content;
use crate::diff::unified;
use crate::locate::{Target, locate, shortened};
use crate::place::Rest;
use crate::refusal::Refusal;
use crate::source::{FormText, Source, digest_of, whole_span};
use crate::verify::{Difference, verify};

/// What to do with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Put exactly one form in its place.
    Replace,
    /// Put one or more forms before it.
    InsertBefore,
    /// Put one or more forms behind it.
    InsertAfter,
    /// Put one or more forms at the end of the text; needs no target.
    Append,
    /// Remove it.
    Delete,
}

impl Operation {
    /// The name used in arguments and answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::InsertBefore => "insert_before",
            Self::InsertAfter => "insert_after",
            Self::Append => "append",
            Self::Delete => "delete",
        }
    }
}

/// A request to change a text by form.
#[derive(Clone, Copy, Debug)]
pub struct Edit<'a> {
    /// What to do.
    pub operation: Operation,
    /// With which form; not used by [`Operation::Append`].
    pub target: Target<'a>,
    /// New source; not used by [`Operation::Delete`].
    pub content: Option<&'a str>,
    /// [`FormText::digest`] of the target as the caller knows it.
    pub digest: Option<&'a str>,
}

/// The text after an edit, and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole new text.
    pub text: String,
    /// It differs from the old one.
    pub changed: bool,
    /// Head of the form the edit was about, as written.
    pub form_type: String,
    /// Its name, as written; empty when it has none.
    pub form_name: String,
    /// Lines the new source takes in the new text, from 1; `None` after a deletion.
    pub lines: Option<(u32, u32)>,
    /// Digest of the edited form, of the first inserted form, of nothing after a deletion.
    pub digest: Option<String>,
    /// Unified diff, without file names.
    pub diff: String,
    /// Scalar values added, less those removed.
    pub delta: i64,
    /// Things the caller may not expect, a sentence each.
    pub notes: Vec<String>,
}

/// One contiguous change.
pub(crate) struct Splice {
    /// The bytes that go.
    pub(crate) span: Span,
    /// What comes instead.
    pub(crate) text: String,
    /// How many data `text` holds.
    pub(crate) data: usize,
}

/// Carries out `edit` on `source`.
///
/// Errors: every [`Refusal`] but those of a patch. Nothing is returned that reads differently outside the edited form.
pub fn edit(source: &Source<'_>, edit: &Edit<'_>) -> Result<Edited, Refusal> {
    let needs_content = edit.operation != Operation::Delete;
    if edit.operation == Operation::Append {
        let content = Content::new(edit.content.ok_or(Refusal::ContentMissing)?, source, false)?;
        let splice = append(source, &content);
        return apply(source, splice, None, Vec::new());
    }
    let id = locate(source, &edit.target)?;
    check_digest(source, id, edit.digest)?;
    let form = source.forms.get(id);
    if !needs_content {
        let splice = delete(source, form)?;
        return apply(source, splice, Some(id), stray_note(source, form));
    }
    let single = edit.operation == Operation::Replace;
    let content = Content::new(edit.content.ok_or(Refusal::ContentMissing)?, source, single)?;
    let mut notes = Vec::new();
    let splice = match edit.operation {
        Operation::Replace => {
            notes = stray_note(source, form);
            replace(source, id, &content, &mut notes)
        }
        Operation::InsertBefore => insert_before(source, neighbour(source, id, &mut notes)?, &content),
        _ => insert_after(source, neighbour(source, id, &mut notes)?, &content),
    };
    apply(source, splice, Some(id), notes)
}

/// Refuses when `given` is not the digest of the form.
pub(crate) fn check_digest(source: &Source<'_>, id: FormId, given: Option<&str>) -> Result<(), Refusal> {
    let Some(given) = given.map(str::trim) else { return Ok(()) };
    let FormText { content, digest, start_line, .. } = source.form_text(id);
    if given == digest {
        return Ok(());
    }
    Err(Refusal::Stale { given: given.to_owned(), digest, present: content.to_owned(), line: start_line })
}

/// Puts `splice` into the text, reads the result and compares.
pub(crate) fn apply(
    source: &Source<'_>,
    splice: Splice,
    target: Option<FormId>,
    mut notes: Vec<String>,
) -> Result<Edited, Refusal> {
    let Splice { span, text: new_part, data } = splice;
    let mut text = String::with_capacity(source.text.len() + new_part.len());
    text.push_str(&source.text[..span.start as usize]);
    text.push_str(&new_part);
    text.push_str(&source.text[span.end as usize..]);
    let tree = read(&text, source.tree.language());
    if text != source.text {
        verify(&source.tree, &tree, span, new_part.len() as u32, data).map_err(|difference| match difference {
            Difference::Outside { at } => would_break(&text, at),
            Difference::Data { found } => Refusal::WouldSplit { found, expected: data },
        })?;
    }
    if tree.diagnostics().len() > source.tree.diagnostics().len() {
        let (known, mut found) = (source.tree.diagnostics().iter(), tree.diagnostics().iter());
        let at = known.zip(&mut found).find(|(old, new)| old.kind != new.kind).map(|(_, new)| new.span.start);
        return Err(would_break(&text, at.or(found.next().map(|new| new.span.start)).unwrap_or(span.start)));
    }
    if let Some(first) = tree.diagnostics().first() {
        let lines = lispwright_syntax::LineIndex::new(text.as_bytes());
        let line = lines.line(first.span.start);
        notes.push(format!(
            "The file does not balance elsewhere: line {line}, {}. lisp_check_parens shows likely fixes.",
            first.kind
        ));
    }
    let forms = Forms::new(&tree, &text);
    let new_end = span.start + new_part.len() as u32;
    let inside = |form: &Form| form.outer.start >= span.start && form.outer.end <= new_end;
    let edited = forms.iter().find(|(_, form)| inside(form)).map(|(_, form)| form);
    let lines = lispwright_syntax::LineIndex::new(text.as_bytes());
    let solid_end = span.start + new_part.trim_end().len() as u32;
    let solid_start = span.start + (new_part.len() - new_part.trim_start().len()) as u32;
    let asked = target.map(|id| (source.forms.get(id), source.text));
    let named = asked.or(edited.map(|form| (form, text.as_str())));
    let whole = edited.map(whole_span);
    Ok(Edited {
        changed: text != source.text,
        form_type: named
            .and_then(|(form, text)| form.head.map(|head| text[head.range()].to_owned()))
            .unwrap_or_default(),
        form_name: named.and_then(|(form, _)| form.name.clone()).unwrap_or_default(),
        lines: (data > 0).then(|| (lines.line(solid_start), lines.line(solid_end.max(1) - 1))),
        digest: whole.filter(|_| data > 0).map(|span| digest_of(&text[span.range()])),
        diff: unified(source.text, &text, span, new_part.len()),
        delta: new_part.chars().count() as i64 - source.slice(span).chars().count() as i64,
        notes,
        text,
    })
}

fn would_break(text: &str, at: u32) -> Refusal {
    let lines = lispwright_syntax::LineIndex::new(text.as_bytes());
    let line = lines.line(at.min(text.len() as u32));
    let span = lines.line_span(line).unwrap_or_default();
    Refusal::WouldBreak { line, text: shortened(text[span.range()].trim(), 100) }
}

fn stray_note(source: &Source<'_>, form: &Form) -> Vec<String> {
    let strays = source.slice(Span::new(form.outer.end, source.end_with_strays(form)));
    if strays.is_empty() {
        return Vec::new();
    }
    vec![format!("`{}` behind the form closed nothing and went with it.", strays.trim())]
}

fn replace(source: &Source<'_>, id: FormId, content: &Content, notes: &mut Vec<String>) -> Splice {
    let form = source.forms.get(id);
    let datum = content.data[0];
    let (outer, core) = (content.tree.datum_span(datum), content.tree.core_span(datum));
    let whole = whole_span(form);
    let end = source.end_with_strays(form);
    let as_lf = |text: &str| text.trim().replace("\r\n", "\n");
    let same_as = |span| as_lf(&content.text) == as_lf(source.slice(span));
    if same_as(whole) || same_as(form.outer) {
        return Splice { span: Span::new(form.outer.start, end), text: source.slice(form.outer).to_owned(), data: 1 };
    }
    compare_heads(source, form, content, notes);

    let kept_prefix = source.slice(Span::new(form.outer.start, form.span.start));
    let prefix = if outer.start == core.start { kept_prefix } else { "" };
    if !kept_prefix.is_empty() {
        let kept = kept_prefix.trim();
        notes.push(if prefix.is_empty() {
            format!(
                "`{kept}` in front of the form was replaced by `{}`.",
                content.slice(Span::new(outer.start, core.start)).trim()
            )
        } else {
            format!("`{kept}` in front of the form was kept.")
        });
    }
    let indentation = source.indentation(form.outer.start).map(str::to_owned);
    let columns = indentation.as_deref().map_or(0, |blank| blank.chars().count());
    let body = content.moved(outer.start, columns);
    let (own_end, trailing) = trailing_comment(content, core.end);

    let mut text = String::new();
    let mut start = form.outer.start;
    let lead = content.slice(Span::new(0, outer.start));
    if !lead.is_empty() {
        match &indentation {
            Some(blank) => {
                start = whole.start.min(source.line_start(form.outer.start));
                text.push_str(blank);
                text.push_str(lead.trim_end_matches([' ', '\t']));
                if lead.contains('\n') {
                    text.push_str(blank);
                } else {
                    text.push(' ');
                }
            }
            None => {
                text.push_str(source.line_ending());
                text.push_str(lead);
            }
        }
    }
    text.push_str(prefix);
    text.push_str(&body);

    let mut span = Span::new(start, end);
    match source.rest_of_line(end) {
        Rest::Comment(comment) if trailing && own_end => span.end = comment,
        Rest::Nothing => {}
        _ if content.ends_in_comment() => {
            text.push_str(source.line_ending());
            text.push_str(indentation.as_deref().unwrap_or(""));
        }
        _ => {}
    }
    Splice { span, text, data: 1 }
}

/// Whether the content ends in a comment on the last line of its form, and whether any comment follows the form.
fn trailing_comment(content: &Content, form_end: u32) -> (bool, bool) {
    let behind = &content.text[form_end as usize..];
    (!behind.contains('\n'), !behind.trim().is_empty())
}

/// Says so when the new form defines something else.
fn compare_heads(source: &Source<'_>, form: &Form, content: &Content, notes: &mut Vec<String>) {
    let forms = Forms::new(&content.tree, &content.text);
    let Some((_, new)) = forms.iter().next() else { return };
    let (old_label, new_label) = (form.label(source.text), new.label(&content.text));
    if form.head_name != new.head_name || form.name != new.name {
        notes.push(format!("The form was `{old_label}` and is now `{new_label}`."));
    }
}

/// The form beside which something can be inserted: the reader conditional around, for one of its branches.
fn neighbour<'s>(source: &'s Source<'_>, id: FormId, notes: &mut Vec<String>) -> Result<&'s Form, Refusal> {
    let form = source.forms.get(id);
    let Some(list) = source.conditional_around(form) else { return Ok(form) };
    let opener = source.slice(source.tree.token_span(source.tree.list(list).open()));
    let around = form.parent.map(|parent| source.forms.get(parent)).filter(|parent| parent.datum.list() == Some(list));
    let Some(around) = around else {
        return Err(Refusal::InsideConditional { line: source.lines.line(form.outer.start) });
    };
    notes.push(format!("The form is a branch of {opener}...), so the new source stands beside the whole conditional."));
    Ok(around)
}

/// Blank lines between a form and what is inserted beside it: as many as separate it from its neighbour on that side,
/// else on the other.
fn gap(source: &Source<'_>, form: &Form, content: &Content, before: bool) -> u32 {
    let whole = whole_span(form);
    let first_line = source.line_start(whole.start);
    let blank_before = source.blank_lines_before(first_line);
    let next_line = source.next_line(form.outer.end);
    let blank_after = source.blank_lines_after(next_line);
    let nested = source.list_around(form).is_some();
    let above = (blank_before > 0).then(|| source.newlines(Span::new(blank_before, first_line)));
    let below =
        ((blank_after as usize) < source.text.len()).then(|| source.newlines(Span::new(next_line, blank_after)));
    let (near, far) = if before { (above, below) } else { (below, above) };
    let several_lines = content.has_lines() || source.newlines(form.outer) > 0;
    let least = u32::from(!nested && several_lines);
    let found = near.or(far).unwrap_or(u32::from(!nested));
    found.clamp(least, 3)
}

fn insert_before(source: &Source<'_>, form: &Form, content: &Content) -> Splice {
    let ending = source.line_ending();
    let data = content.data.len();
    let Some(indentation) = source.indentation(form.outer.start) else {
        let at = form.outer.start;
        let mut text = content.text.clone();
        text.push_str(if content.has_lines() || content.ends_in_comment() { ending } else { " " });
        return Splice { span: Span::new(at, at), text, data };
    };
    let gap = gap(source, form, content, true);
    let at = whole_span(form).start.min(source.line_start(form.outer.start));
    let mut text = String::new();
    let above = source.blank_lines_before(at);
    if source.list_around(form).is_none() && above > 0 {
        let missing = gap.saturating_sub(source.newlines(Span::new(above, at)));
        text.push_str(&ending.repeat(missing as usize));
    }
    text.push_str(indentation);
    text.push_str(&content.moved(0, indentation.chars().count()));
    text.push_str(&ending.repeat(gap as usize + 1));
    Splice { span: Span::new(at, at), text, data }
}

fn insert_after(source: &Source<'_>, form: &Form, content: &Content) -> Splice {
    let ending = source.line_ending();
    let data = content.data.len();
    let end = source.end_with_strays(form);
    let line = source.slice(Span::new(source.line_start(form.outer.start), form.outer.start));
    let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let body = content.moved(0, indentation.chars().count());
    let gap = gap(source, form, content, false);
    let at = match source.rest_of_line(end) {
        Rest::Nothing => end,
        Rest::Comment(comment) => comment,
        Rest::Code => {
            let mut text = String::new();
            let next = source.sibling_on_line(end);
            if next.is_some() && !content.has_lines() && !content.ends_in_comment() {
                text.push(' ');
                text.push_str(&content.text);
                return Splice { span: Span::new(end, end), text, data };
            }
            text.push_str(&ending.repeat(if next.is_some() { 1 } else { gap as usize + 1 }));
            text.push_str(indentation);
            text.push_str(&body);
            if next.is_some() || content.ends_in_comment() {
                text.push_str(ending);
                text.push_str(indentation);
            }
            return Splice { span: Span::new(end, next.unwrap_or(end)), text, data };
        }
    };
    let mut text = ending.repeat(gap as usize + 1);
    text.push_str(indentation);
    text.push_str(&body);
    let next_line = source.next_line(at);
    let blank_end = source.blank_lines_after(next_line);
    if (blank_end as usize) < source.text.len() && source.list_around(form).is_none() {
        let missing = gap.saturating_sub(source.newlines(Span::new(next_line, blank_end)));
        text.push_str(&ending.repeat(missing as usize));
    }
    Splice { span: Span::new(at, at), text, data }
}

fn append(source: &Source<'_>, content: &Content) -> Splice {
    let ending = source.line_ending();
    let data = content.data.len();
    let len = source.text.len() as u32;
    let solid = source.text.trim_end().len() as u32;
    if solid == 0 {
        return Splice { span: Span::new(0, len), text: format!("{}{ending}", content.text), data };
    }
    // The last line end stays where it is, so that the file goes on ending as it did.
    let at = if source.rest_of_line(solid) == Rest::Nothing { source.line_end(solid) } else { solid };
    let last = source.forms.top_level().next_back().map(|(_, form)| form);
    let last = last.filter(|form| source.line_end(form.outer.end) >= at);
    let gap = last.map_or(1, |form| gap(source, form, content, false));
    Splice { span: Span::new(at, at), text: format!("{}{}", ending.repeat(gap as usize + 1), content.text), data }
}

fn delete(source: &Source<'_>, form: &Form) -> Result<Splice, Refusal> {
    if let Some(list) = source.conditional_around(form) {
        return Ok(delete_branch(source, list, form));
    }
    let end = source.end_with_strays(form);
    let removed = |start, end| Splice { span: Span::new(start, end), text: String::new(), data: 0 };
    let rest = source.rest_of_line(end);
    if source.indentation(form.outer.start).is_some() && rest != Rest::Code {
        let start = whole_span(form).start.min(source.line_start(form.outer.start));
        return Ok(delete_lines(source, start, end));
    }
    if let Some(next) = source.sibling_on_line(end).filter(|_| rest == Rest::Code) {
        return Ok(removed(form.outer.start, next));
    }
    // The form is the last on its line and something stands before it there, or a closer behind it.
    let start = if source.indentation(form.outer.start).is_some() { whole_span(form).start } else { form.outer.start };
    let (before, kind) = source.end_before(start);
    if kind == lispwright_syntax::TokenKind::LineComment {
        let line = source.slice(Span::new(source.line_start(form.outer.start), form.outer.start));
        let blank = &line[..line.len() - line.trim_start().len()];
        return Ok(Splice { span: Span::new(before, end), text: format!("{}{blank}", source.line_ending()), data: 0 });
    }
    Ok(removed(before, end))
}

/// Removes the lines from the one that begins at `start` to the one that holds `end`, and the smaller of the two runs of
/// blank lines around them.
fn delete_lines(source: &Source<'_>, start: u32, end: u32) -> Splice {
    let removed = |start, end| Splice { span: Span::new(start, end), text: String::new(), data: 0 };
    let len = source.text.len() as u32;
    let next = source.next_line(end);
    let (above, below) = (source.blank_lines_before(start), source.blank_lines_after(next));
    let (is_first, is_last) = (above == 0, below == len);
    if is_last {
        let has_final_ending = source.text.ends_with('\n');
        if is_first {
            return removed(0, len);
        }
        // Without a final line end, the line before loses its own.
        let from = if has_final_ending { above } else { source.line_end(source.line_start(above - 1)) };
        return removed(from, if has_final_ending { next } else { len });
    }
    if is_first || source.newlines(Span::new(above, start)) >= source.newlines(Span::new(next, below)) {
        removed(start, below)
    } else {
        removed(above, next)
    }
}

/// Removes a branch of a reader conditional, or the whole of it with its last branch.
fn delete_branch(source: &Source<'_>, list: lispwright_syntax::ListId, form: &Form) -> Splice {
    let span = source.tree.list_span(list);
    let around = form.parent.map(|parent| source.forms.get(parent)).filter(|parent| parent.datum.list() == Some(list));
    let branch = source.branch(list, form);
    let (start, end) = match (&branch, around) {
        (Some(branch), Some(around)) if branch.only => {
            let whole = whole_span(around);
            if source.indentation(around.outer.start).is_some() && source.rest_of_line(around.outer.end) != Rest::Code {
                return delete_lines(source, whole.start.min(source.line_start(around.outer.start)), around.outer.end);
            }
            (around.outer.start, around.outer.end)
        }
        (Some(branch), None) if branch.only => (span.start, span.end),
        (Some(branch), _) => match branch.next {
            Some(next) => (branch.start, next),
            None => (source.end_before(branch.start).0, form.outer.end),
        },
        (None, _) => (form.outer.start, form.outer.end),
    };
    Splice { span: Span::new(start, end), text: String::new(), data: 0 }
}

//! Replacing, inserting, appending and deleting whole forms.
//!
//! Each operation treats the lines around the form in its own way:
//!
//! - **replace** puts the content in the place of the form. Of several forms the one that defines the same is put there,
//!   and the others before and after it. The header comment stays unless the content has one of its
//!   own, a condition such as `#+sbcl` stays unless the content has a prefix, a trailing comment stays unless the
//!   content has one.
//! - **insert_before** goes above the header comment, **insert_after** below the line of the form with its trailing
//!   comment. As many blank lines separate old and new as separate the form from its neighbour on that side; at the
//!   ends of the file and before a form at least one if both are at top level and either has several lines. If
//!   insert_after adds lines of their own, delete removes exactly those bytes again.
//! - **append** goes to the end of the file, in Emacs Lisp before the line `;;; FILE ends here`.
//! - **delete** takes header comment, condition and trailing comment along, and leaves the larger of the two gaps. Page
//!   breaks do not count as gaps and stay.
//!
//! New lines use the line ending of the file; a final line end is neither added nor removed. Content that was written
//! for another column is moved as a whole, except inside strings (`indent.rs`). Every edit is one [`Splice`]; the whole
//! text is read again, and anything that would read differently elsewhere is refused (`verify.rs`).

use std::borrow::Cow;

use lispwright_syntax::{Form, FormId, Forms, Span, TokenKind, read};

use crate::content::{Content, Position, Wanted};
use crate::delete::delete;
use crate::diff::unified;
use crate::edited::Edited;
use crate::escapes::unescape;
use crate::fix::Mended;
use crate::indent::Destination;
use crate::locate::{Target, check_named, locate};
use crate::note::Note;
use crate::place::Rest;
use crate::refusal::EditRefusal;
use crate::replace::replace;
use crate::source::{FormText, Source, whole_span};
use crate::splice::{Splice, apply};

/// What to do with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormOperation {
    /// Put one form in its place, with others that it needs before and after it.
    Replace,
    /// Put one or more forms before it.
    InsertBefore,
    /// Put one or more forms after it.
    InsertAfter,
    /// Put one or more forms at the end of the text; needs no target.
    Append,
    /// Remove it.
    Delete,
}

impl FormOperation {
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
    pub operation: FormOperation,
    /// The form it is about; not used by [`FormOperation::Append`].
    pub target: Target<'a>,
    /// New source; not used by [`FormOperation::Delete`].
    pub content: Option<&'a str>,
    /// [`FormText::digest`] of the target as the caller knows it.
    pub digest: Option<&'a str>,
    /// Content that does not balance is repaired when the repair is certain, and refused otherwise.
    pub repair: bool,
}

/// Carries out `edit` on `source`.
///
/// Errors: every [`EditRefusal`] except those of a patch. The result never reads differently outside the edited form.
pub fn edit(source: &Source<'_>, edit: &Edit<'_>) -> Result<Edited, EditRefusal> {
    let form = locate(source, &edit.target).ok().filter(|_| edit.operation == FormOperation::Replace);
    let meant = form.zip(edit.content).map(|(id, content)| unescape(content, source.form_text(id).content));
    let Some(Cow::Owned(meant)) = meant else { return carry_out(source, edit) };
    let mut edited = carry_out(source, &Edit { content: Some(&meant), ..*edit })?;
    edited.notes.push(Note::Unescaped);
    Ok(edited)
}

fn carry_out(source: &Source<'_>, edit: &Edit<'_>) -> Result<Edited, EditRefusal> {
    let repair = edit.repair;
    let content = |position, destination| {
        Content::new(edit.content.ok_or(EditRefusal::ContentMissing)?, source, Wanted { position, destination, repair })
    };
    if edit.operation == FormOperation::Append {
        let content = content(Position::Beside(source.text.len() as u32), Destination::default())?;
        let mut notes = Vec::new();
        let splice = append(source, &content, &mut notes);
        notes.extend(Note::moved(content.moved.columns));
        return apply(source, splice, None, notes).map(|edited| Edited { repair: content.mended, ..edited });
    }
    let id = locate(source, &edit.target)?;
    check_digest(source, id, edit.digest)?;
    let form = source.forms.get(id);
    let mut notes = Vec::new();
    let (splice, mended) = match edit.operation {
        FormOperation::Replace => {
            if let Some(refusal) = cut_off(source, id, edit.content) {
                return Err(refusal);
            }
            let position = Position::InPlaceOf(earlier(source, id, edit.content), id);
            let content = content(position, Destination::of(source, form))?;
            if content.data.len() > 1 {
                return replace_with_others(source, id, edit, content);
            }
            if edit.digest.is_none() {
                let forms = Forms::new(&content.tree, &content.text);
                check_named(source, id, &edit.target, forms.top_level().next().map(|(_, form)| form))?;
            }
            notes.extend(stray_note(source, form));
            (replace(source, id, &content, &mut notes), content.mended)
        }
        FormOperation::Delete => {
            if edit.digest.is_none() {
                check_named(source, id, &edit.target, None)?;
            }
            notes.extend(stray_note(source, form));
            (delete(source, form), None)
        }
        operation => inserted(source, id, operation, &mut notes, content)?,
    };
    apply(source, splice, Some(id), notes).map(|edited| Edited { repair: mended, ..edited })
}

/// Puts the form of `content` that defines the same in the place of a form, and the others before and after it.
fn replace_with_others(
    source: &Source<'_>,
    id: FormId,
    edit: &Edit<'_>,
    content: Content,
) -> Result<Edited, EditRefusal> {
    let Parts { before, main, after } = Parts::of(&content);
    let mut edited = carry_out(source, &Edit { content: Some(&main), repair: false, ..*edit })?;
    let (mut text, mut lines) = (edited.text, edited.lines);
    let old = source.forms.get(id);
    let start = whole_span(old).start;
    for (operation, part) in [(FormOperation::InsertAfter, after), (FormOperation::InsertBefore, before)] {
        if part.trim().is_empty() {
            continue;
        }
        let now = Source::read(&text, source.tree.language());
        let is_main = |form: &Form| form.outer.start >= start && form.depth == old.depth && form.name == old.name;
        let Some((id, _)) = now.forms.iter().find(|(_, form)| is_main(form)) else {
            return Err(EditRefusal::WouldSplit { found: 0, expected: 1 });
        };
        let height = text.lines().count() as u32;
        let (splice, _) = inserted(&now, id, operation, &mut edited.notes, |position, destination| {
            Content::new(&part, &now, Wanted { position, destination, repair: false })
        })?;
        let done = apply(&now, splice, Some(id), Vec::new())?;
        let added = done.text.lines().count() as u32 - height;
        lines = match (operation, lines, done.lines) {
            (FormOperation::InsertAfter, Some((first, _)), Some((_, last))) => Some((first, last)),
            (_, Some((_, last)), Some((first, _))) => Some((first, last + added)),
            (_, lines, _) => lines,
        };
        edited.notes.extend(done.notes.into_iter().filter(|note| !edited.notes.contains(note)).collect::<Vec<_>>());
        edited.delta += done.delta;
        text = done.text;
    }
    let (old_span, new_len) = difference(source.text, &text);
    let diff = unified(source.text, &text, old_span, new_len);
    Ok(Edited { changed: text != source.text, diff, text, lines, repair: content.mended, ..edited })
}

/// Content of several forms, as it was sent: that which takes the place of a form, and what stands around it.
struct Parts {
    before: String,
    main: String,
    after: String,
}

impl Parts {
    fn of(content: &Content) -> Self {
        let forms = Forms::new(&content.tree, &content.text);
        let all: Vec<&Form> = forms.top_level().map(|(_, form)| form).collect();
        let text = content.text.as_str();
        let main = all[content.main];
        let line_end = |at: u32| text[at as usize..].find('\n').map_or(text.len() as u32, |line| at + line as u32 + 1);
        // A comment behind a form belongs to it.
        let end_of = |at: usize| match all.get(at + 1) {
            Some(next) if next.outer.start < line_end(all[at].outer.end) => all[at].outer.end,
            _ => line_end(all[at].outer.end),
        };
        let start = content.main.checked_sub(1).map_or(0, end_of);
        let start = start.max(whole_span(main).start.min(line_start(text, main.outer.start)));
        let lead = " ".repeat(content.column);
        let (before, rest) = text.split_at(start as usize);
        let (main, after) = rest.split_at((end_of(content.main) - start) as usize);
        let first = |part: &str| if part.is_empty() { String::new() } else { format!("{lead}{part}") };
        let main = if before.is_empty() { first(main) } else { main.to_owned() };
        Self { before: first(before), main, after: after.to_owned() }
    }
}

fn line_start(text: &str, at: u32) -> u32 {
    text[..at as usize].rfind('\n').map_or(0, |line| line as u32 + 1)
}

/// The part of `old` that differs from `new`, in whole lines, and the length of what is there in `new`.
fn difference(old: &str, new: &str) -> (Span, usize) {
    let lines = |text: &str| text.split_inclusive('\n').map(str::len).collect::<Vec<_>>();
    let same = old.split_inclusive('\n').zip(new.split_inclusive('\n')).take_while(|(old, new)| old == new).count();
    let (old_lines, new_lines) = (lines(old), lines(new));
    let rest = old_lines.len().min(new_lines.len()) - same;
    let back = old.split_inclusive('\n').rev().zip(new.split_inclusive('\n').rev());
    let same_back = back.take(rest).take_while(|(old, new)| old == new).count();
    let start: usize = old_lines[..same].iter().sum();
    let tail: usize = old_lines[old_lines.len() - same_back..].iter().sum();
    (Span::new(start as u32, (old.len() - tail) as u32), new.len() - tail - start)
}

/// The change that inserts content beside a form, with the repair of the content.
fn inserted(
    source: &Source<'_>,
    id: FormId,
    operation: FormOperation,
    notes: &mut Vec<Note>,
    content: impl FnOnce(Position, Destination) -> Result<Content, EditRefusal>,
) -> Result<(Splice, Option<Mended>), EditRefusal> {
    let form = source.forms.get(id);
    let destination = Destination::beside(source, form);
    Ok(match operation {
        FormOperation::InsertBefore => {
            let content = content(Position::Beside(whole_span(form).start), destination)?;
            notes.extend(Note::moved(content.moved.columns));
            (insert_before(source, neighbour(source, id, notes)?, &content), content.mended)
        }
        _ => {
            let content = content(Position::Beside(form.outer.end), destination)?;
            notes.extend(Note::moved(content.moved.columns));
            (insert_after(source, neighbour(source, id, notes)?, &content), content.mended)
        }
    })
}

/// The part of a form that `content` replaces: without the header comment or the prefixes that the content does not
/// have.
fn earlier(source: &Source<'_>, id: FormId, content: Option<&str>) -> Span {
    let form = source.forms.get(id);
    let content = content.unwrap_or_default().trim_start();
    let brings_prefix = content.starts_with(['#', '\'', '`', '^', '@']);
    if content.starts_with(source.dialect().comment()) || content.starts_with("#|") {
        whole_span(form)
    } else if brings_prefix {
        form.outer
    } else {
        form.span
    }
}

/// Refuses when `given` is not the digest of the form.
pub(crate) fn check_digest(source: &Source<'_>, id: FormId, given: Option<&str>) -> Result<(), EditRefusal> {
    let Some(given) = given.map(str::trim) else { return Ok(()) };
    let FormText { content, digest, start_line, .. } = source.form_text(id);
    if given == digest {
        return Ok(());
    }
    Err(EditRefusal::Stale { given: given.to_owned(), digest, present: content.to_owned(), line: start_line })
}

/// Content shorter than this, in bytes, was not cut by the limit of a view.
const SHORTEST_CUT: usize = 500;

/// The refusal of content that does not balance because it is only the beginning of the form it replaces: closing its
/// open lists would lose the rest.
fn cut_off(source: &Source<'_>, id: FormId, content: Option<&str>) -> Option<EditRefusal> {
    let unix = |text: &str| text.replace("\r\n", "\n");
    let given = unix(content.unwrap_or_default().trim());
    if given.len() < SHORTEST_CUT {
        return None;
    }
    let form = source.forms.get(id);
    let readings = [source.form_text(id).content, source.slice(form.outer), source.slice(form.span)].map(unix);
    let loses_code = |whole: &&String| {
        whole.strip_prefix(&*given).is_some_and(|rest| rest.chars().any(|c| !c.is_whitespace() && !")]}".contains(c)))
    };
    let whole = readings.iter().find(loses_code)?;
    if read(&given, source.tree.language_at(form.span.start)).is_balanced() {
        return None;
    }
    Some(EditRefusal::CutOff { given: given.chars().count(), whole: whole.chars().count() })
}

/// The note that closers without an opener after the form are removed with it.
fn stray_note(source: &Source<'_>, form: &Form) -> Option<Note> {
    let strays = source.slice(Span::new(form.outer.end, source.end_with_strays(form)));
    (!strays.is_empty()).then(|| Note::StraysRemoved(strays.trim().to_owned()))
}

/// The form beside which source can be inserted: for a branch of a reader conditional, the whole conditional.
fn neighbour<'s>(source: &'s Source<'_>, id: FormId, notes: &mut Vec<Note>) -> Result<&'s Form, EditRefusal> {
    let form = source.forms.get(id);
    let Some(list) = source.conditional_around(form) else { return Ok(form) };
    let opener = source.slice(source.tree.token_span(source.tree.list(list).open()));
    let around = form.parent.map(|parent| source.forms.get(parent)).filter(|parent| parent.datum.list() == Some(list));
    let Some(around) = around else {
        return Err(EditRefusal::InsideConditional { line: source.lines.line(form.outer.start) });
    };
    notes.push(Note::BesideConditional(opener.to_owned()));
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
    let several_lines = content.has_lines() || source.newlines(form.outer) > 0;
    let least = u32::from(!nested && several_lines);
    let usual = |found: Option<u32>| found.unwrap_or(u32::from(!nested)).clamp(least, MOST_BLANK);
    match (before, below) {
        (true, _) => usual(above.or(below)),
        // The gap below is used on both sides of the new source: deleting it then restores the file.
        (false, Some(found)) => found.min(MOST_BLANK),
        (false, None) => usual(above),
    }
}

/// The most blank lines that are copied.
const MOST_BLANK: u32 = 3;

fn insert_before(source: &Source<'_>, form: &Form, content: &Content) -> Splice {
    let ending = source.line_ending();
    let data = content.data.len();
    let Some(indentation) = source.indentation(form.outer.start) else {
        let at = form.outer.start;
        let mut text = content.moved.text.clone();
        text.push_str(if content.has_lines() || content.ends_in_comment() { ending } else { " " });
        return Splice { span: Span::new(at, at), removed: 0, text, data };
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
    text.push_str(&content.moved.text);
    text.push_str(&ending.repeat(gap as usize + 1));
    Splice { span: Span::new(at, at), removed: 0, text, data }
}

fn insert_after(source: &Source<'_>, form: &Form, content: &Content) -> Splice {
    let ending = source.line_ending();
    let data = content.data.len();
    let end = source.end_with_strays(form);
    let line = source.slice(Span::new(source.line_start(form.outer.start), form.outer.start));
    let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let body = &content.moved.text;
    let gap = gap(source, form, content, false);
    let at = match source.rest_of_line(end) {
        Rest::Nothing => end,
        Rest::Comment(comment) => comment,
        Rest::Code => {
            let mut text = String::new();
            let next = source.sibling_on_line(end);
            if next.is_some() && !content.has_lines() && !content.ends_in_comment() {
                text.push(' ');
                text.push_str(body);
                return Splice { span: Span::new(end, end), removed: 0, text, data };
            }
            text.push_str(&ending.repeat(if next.is_some() { 1 } else { gap as usize + 1 }));
            text.push_str(indentation);
            text.push_str(body);
            if next.is_some() || content.ends_in_comment() {
                text.push_str(ending);
                text.push_str(indentation);
            }
            return Splice { span: Span::new(end, next.unwrap_or(end)), removed: 0, text, data };
        }
    };
    // Whole lines are inserted, so that every existing line keeps its own line end.
    let next = source.next_line(at);
    let has_ending = source.text[..next as usize].ends_with('\n') && next > at;
    let (place, front, back) = if has_ending { (next, gap, ending) } else { (at, gap + 1, "") };
    let text = format!("{}{indentation}{body}{back}", ending.repeat(front as usize));
    Splice { span: Span::new(place, place), removed: 0, text, data }
}

/// Puts the content after the last form, and before the line that says where the file ends.
fn append(source: &Source<'_>, content: &Content, notes: &mut Vec<Note>) -> Splice {
    let ending = source.line_ending();
    let data = content.data.len();
    let len = source.text.len() as u32;
    let solid = source.solid_end();
    if solid == 0 {
        return Splice { span: Span::new(0, len), removed: 0, text: format!("{}{ending}", content.moved.text), data };
    }
    let last = source.forms.top_level().next_back().map(|(_, form)| form);
    let convention = source.dialect().table().ending;
    if let Some(form) = last.filter(|form| convention.is_some_and(|ending| form.head_name == ending.head)) {
        let line = source.lines.line(form.span.start);
        notes.push(Note::AfterProvide { form: source.slice(form.span).to_owned(), line });
    }
    if let Some(footer) = footer(source) {
        return match last.filter(|form| form.outer.end <= footer) {
            Some(form) => insert_after(source, form, content),
            None => {
                let text = format!("{}{}", content.moved.text, ending.repeat(2));
                Splice { span: Span::new(footer, footer), removed: 0, text, data }
            }
        };
    }
    // The last line end stays at the end, so that the file ends as before.
    let at = if source.rest_of_line(solid) == Rest::Nothing { source.line_end(solid) } else { solid };
    let last = last.filter(|form| source.line_end(form.outer.end) >= at);
    let gap = last.map_or(1, |form| gap(source, form, content, false));
    Splice {
        span: Span::new(at, at),
        removed: 0,
        text: format!("{}{}", ending.repeat(gap as usize + 1), content.moved.text),
        data,
    }
}

/// The start of a last line such as `;;; FILE ends here`, which has to stay last.
fn footer(source: &Source<'_>) -> Option<u32> {
    let solid = source.text.trim_end();
    let start = solid.rfind('\n').map_or(0, |newline| newline + 1);
    let line = &solid[start..];
    let is_comment = source.tree.token_at(start as u32).is_some_and(|token| {
        source.tree.kind(token) == TokenKind::LineComment && source.tree.token_span(token).start == start as u32
    });
    let ending = source.dialect().table().ending;
    let says_so = ending.is_some_and(|ending| line.ends_with(ending.line));
    (is_comment && says_so).then_some(start as u32)
}

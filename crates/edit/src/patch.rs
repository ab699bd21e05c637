//! Changes text inside one form.
//!
//! The old text has to occur exactly once in the form or its header comment, byte for byte or else with other white
//! space between its tokens, so that a patch cannot hit the wrong place. The form has to balance afterwards as well as
//! before.

use std::borrow::Cow;

use lispwright_repair::moved_into;
use lispwright_syntax::{FormId, Span, TokenKind, Tree, read};

use crate::artefact;
use crate::change::check_digest;
use crate::characters;
use crate::content::{is_numbered, with_line_ending, wrapping};
use crate::diagnose::diagnose_in;
use crate::diff::unified;
use crate::edited::Edited;
use crate::escapes::unescape;
use crate::fix::{Fix, Mended};
use crate::flaw;
use crate::form_line::shortened;
use crate::indent::{Destination, Moved, column};
use crate::locate::{Target, lines_of, locate};
use crate::mend::Setting;
use crate::note::Note;
use crate::occurrence::{by_tokens, exact, near};
use crate::refusal::EditRefusal;
use crate::source::{Source, line_at, whole_span};
use crate::splice::{Splice, apply};

/// A request to change text inside a form.
#[derive(Clone, Copy, Debug)]
pub struct FormPatch<'a> {
    /// The form.
    pub target: Target<'a>,
    /// The present text; its line ends may be written as `\n` in any file.
    pub old_text: &'a str,
    /// The new text.
    pub new_text: &'a str,
    /// Change every occurrence; otherwise there has to be exactly one.
    pub replace_all: bool,
    /// [`crate::FormText::digest`] of the form as the caller knows it.
    pub digest: Option<&'a str>,
    /// If the form does not balance afterwards, the new text is repaired when the repair is certain.
    pub repair: bool,
}

/// Carries out `patch` on `source`.
///
/// Without an address, the form is meant that alone in the file contains the old text.
///
/// Errors: those of an address, [`EditRefusal::TextInForms`], [`EditRefusal::TextNotFound`], [`EditRefusal::TextAmbiguous`],
/// [`EditRefusal::PatchUnbalanced`], [`EditRefusal::WouldBreak`], [`EditRefusal::WouldSplit`], [`EditRefusal::Stale`].
pub fn patch(source: &Source<'_>, patch: &FormPatch<'_>) -> Result<Edited, EditRefusal> {
    if patch.old_text.is_empty() {
        return Err(EditRefusal::EmptyOldText);
    }
    let id = match locate(source, &patch.target) {
        Err(EditRefusal::NoAddress) => holder(source, patch)?,
        located => located?,
    };
    check_digest(source, id, patch.digest)?;
    let form = source.forms.get(id);
    let region = Span::new(whole_span(form).start, source.end_with_strays(form));
    let body = source.slice(region);
    let ending = source.line_ending();
    let (old, new) = (unescape(patch.old_text, body), unescape(patch.new_text, body));
    let has_unescape = [&old, &new].into_iter().any(|text| matches!(text, Cow::Owned(_)));
    let old_text = as_in_file(source, body, &old);
    let new_text = if ending == "\n" { new.into_owned() } else { with_line_ending(&new, ending) };
    let (found, loosely) = occurrences(source, region, &old_text);
    match found.len() {
        0 => return Err(slip(patch, &old_text).unwrap_or_else(|| not_found(source, id, region, &old_text))),
        1 => {}
        _ if patch.replace_all => {}
        _ => {
            return Err(EditRefusal::TextAmbiguous { label: form.label(source.text), lines: lines_at(source, &found) });
        }
    }
    let mut new_body = String::with_capacity(body.len() + new_text.len());
    let mut copied = region.start;
    let mut written: Vec<Span> = Vec::with_capacity(found.len());
    let mut notes = Vec::new();
    for &place in &found {
        new_body.push_str(source.slice(Span::new(copied, place.start)));
        let start = new_body.len() as u32;
        if loosely {
            let moved = moved_to(source, place, &old_text, &new_text);
            new_body.push_str(&moved.text);
            notes.extend(Note::moved(moved.columns).filter(|note| !notes.contains(note)));
        } else {
            new_body.push_str(&new_text);
        }
        written.push(Span::new(start, new_body.len() as u32));
        copied = place.end;
    }
    new_body.push_str(source.slice(Span::new(copied, region.end)));
    let touched = Span::new(found[0].start, found[found.len() - 1].end);
    let language = source.tree.language_at(region.start);
    let mut new_tree = read(&new_body, &language);
    check_new_text(source, &new_body, &new_tree, written[0])?;

    let mut mended = None;
    if let Some((repaired, how)) = balanced(source, region, (&new_body, &new_tree), &written, patch.repair)? {
        new_tree = read(&repaired, &language);
        new_body = repaired;
        mended = Some(how);
    }
    let new_touched = new_body.len() as u32 - (region.len() - touched.len());
    let splice = Splice { span: region, removed: 1, text: new_body.clone(), data: 1 };
    let mut edited = apply(source, splice, Some(id), Vec::new())?;
    // The splice covers the form; the diff shows only the changed part.
    edited.diff = unified(source.text, &edited.text, touched, new_touched as usize);
    let line = |at| line_at(&edited.text, at);
    edited.lines = Some((line(touched.start), line((touched.start + new_touched).max(1) - 1)));
    note_new_name(source, id, &new_body, &new_tree, &mut edited);
    edited.notes.extend(has_unescape.then_some(Note::Unescaped));
    if loosely {
        let line = source.lines.line(touched.start);
        edited.notes.push(Note::Loosely { line });
    }
    edited.notes.extend(notes);
    edited.notes.extend((found.len() > 1).then_some(Note::Occurrences { count: found.len() }));
    edited.repair = mended;
    Ok(edited)
}

/// A text with the line ends that it has in `body`, a part of the file. In a file with both kinds it may have either.
fn as_in_file(source: &Source<'_>, body: &str, text: &str) -> String {
    if body.contains(text) || !text.contains('\n') {
        return text.to_owned();
    }
    with_line_ending(text, source.line_ending())
}

/// Where a text is in a region, and whether only its tokens are there, with other white space.
fn occurrences(source: &Source<'_>, region: Span, text: &str) -> (Vec<Span>, bool) {
    let found = exact(source, region, text);
    if found.is_empty() { (by_tokens(source, region, text), true) } else { (found, false) }
}

/// What is wrong with an old text that no form can have.
fn slip(patch: &FormPatch<'_>, old_text: &str) -> Option<EditRefusal> {
    if old_text.trim_start().starts_with("```") {
        return Some(EditRefusal::Fenced { line: 1 }.within("old_text"));
    }
    is_numbered(patch.old_text).then(|| EditRefusal::Numbered.within("old_text"))
}

/// The form with the old text of a patch that names none: the only one in the file.
fn holder(source: &Source<'_>, patch: &FormPatch<'_>) -> Result<FormId, EditRefusal> {
    let whole = Span::new(0, source.text.len() as u32);
    let old_text = as_in_file(source, source.text, &unescape(patch.old_text, source.text));
    let mut forms = Vec::new();
    for place in occurrences(source, whole, &old_text).0 {
        let line = Some(source.lines.line(place.start));
        let id = locate(source, &Target { line, ..Target::default() })?;
        if !forms.contains(&id) {
            forms.push(id);
        }
    }
    match forms.as_slice() {
        [] => Err(slip(patch, &old_text).unwrap_or_else(|| EditRefusal::TextNotFound {
            label: "the file".to_owned(),
            lines: (1, source.lines.line(whole.end)),
            near: near(source, whole, &old_text),
            elsewhere: Vec::new(),
        })),
        [only] => Ok(*only),
        several => Err(EditRefusal::TextInForms { forms: lines_of(source, several) }),
    }
}

/// `new_text` moved to the column of `place`, which differs from `old_text` in white space.
fn moved_to(source: &Source<'_>, place: Span, old_text: &str, new_text: &str) -> Moved {
    let outer = |text: &str| (text.len() - text.trim_start().len(), text.trim_end().len());
    let ((old_start, old_end), (new_start, new_end)) = (outer(old_text), outer(new_text));
    let start = if old_start > 0 { new_start } else { 0 };
    let end = if old_end < old_text.len() { new_end.max(start) } else { new_text.len() };
    let given = column(new_text[..new_start].rsplit('\n').next().unwrap_or_default());
    let before = Span::new(source.row_start(place.start), place.start);
    let text = &new_text[..end];
    let tree = read(text, source.language_of_pieces());
    Moved::new(text, &tree, start as u32, given, &Destination::at(source, before, place))
}

/// Refuses new text that is code in `new_body` and has artefacts of copying.
fn check_new_text(source: &Source<'_>, new_body: &str, tree: &Tree, written: Span) -> Result<(), EditRefusal> {
    let begins_token = tree
        .token_at(written.start)
        .is_none_or(|token| tree.token_span(token).start == written.start || tree.kind(token) == TokenKind::Blank);
    if !begins_token {
        return Ok(());
    }
    let wrapped = wrapping(new_body, tree, written).map_or(Ok(()), Err);
    let checked = wrapped.and_then(|()| artefact::check(new_body, tree, written));
    checked
        .and_then(|()| characters::check(new_body, tree, written, source))
        .and_then(|()| flaw::check(new_body, tree, written, source))
        .map_err(|refusal| refusal.within("new_text"))
}

/// Adds a note if the form has another name now.
fn note_new_name(source: &Source<'_>, id: FormId, new_body: &str, tree: &Tree, edited: &mut Edited) {
    let old = source.forms.get(id);
    let forms = lispwright_syntax::Forms::new(tree, new_body);
    let Some((_, new)) = forms.iter().next() else { return };
    if new.name != old.name || new.head_name != old.head_name {
        let line = source.lines.line(old.span.start);
        edited.notes.push(Note::renamed((old, source.text), (new, new_body), line));
    }
}

fn lines_at(source: &Source<'_>, places: &[Span]) -> Vec<(u32, String)> {
    let lines = places.iter().map(|place| source.lines.line(place.start));
    lines.map(|line| (line, shortened(source.line_text(line).trim(), 100))).collect()
}

fn not_found(source: &Source<'_>, id: FormId, region: Span, old_text: &str) -> EditRefusal {
    let elsewhere = source.text.match_indices(old_text).map(|(at, _)| source.lines.line(at as u32)).take(10).collect();
    EditRefusal::TextNotFound {
        label: source.forms.get(id).label(source.text),
        lines: (source.lines.line(region.start), source.lines.line(region.end.saturating_sub(1))),
        near: near(source, region, old_text),
        elsewhere,
    }
}

/// Refuses a patch after which the form has more mistakes than before. If a repair is allowed and certain, returns the
/// repaired body and the repair instead. `written` are the places of the new text in `new_body`.
fn balanced(
    source: &Source<'_>,
    region: Span,
    (new_body, new_tree): (&str, &Tree),
    written: &[Span],
    repair: bool,
) -> Result<Option<(String, Mended)>, EditRefusal> {
    if new_tree.diagnostics().is_empty() {
        return Ok(None);
    }
    let old_tree = read(source.slice(region), source.tree.language_at(region.start));
    if new_tree.diagnostics().len() <= old_tree.diagnostics().len() {
        return Ok(None);
    }
    let (first, last) = (written[0], written[written.len() - 1]);
    let setting = Setting::patched(source, region, Span::new(first.start, last.end));
    let Some(diagnosis) = diagnose_in(new_body, new_tree, Some(&setting)) else { return Ok(None) };
    let lead = source.slice(Span::new(source.line_start(region.start), region.start));
    let tail = source.slice(Span::new(region.end, source.line_end(region.end)));
    let last_line = new_body.matches('\n').count() as u32 + 1;
    let diagnosis = diagnosis.within(source.place(region.start), lead, last_line, tail);

    let places: Vec<_> = written.iter().map(|span| span.range()).collect();
    let reaches = |fix: &&Fix| diagnosis.is_certain() && moved_into(new_body, &fix.edits, &places).is_some();
    let fix = diagnosis.fixes.first().filter(reaches);
    let mut corrected = None;
    // Nobody asks for a patch in order to have the text that was there.
    let is_undone = |repaired: &String| repaired == source.slice(region);
    if let (Some(fix), Some(repaired)) = (fix, diagnosis.repaired.as_ref().filter(|text| !is_undone(text))) {
        if repair {
            return Ok(Some((repaired.clone(), Mended::from(fix))));
        }
        if written.len() == 1 {
            let end = repaired.len() - (new_body.len() - first.end as usize);
            corrected = Some(repaired[first.start as usize..end].to_owned());
        }
    }
    let (add, remove) = lacking(&old_tree, new_tree);
    let first_line = source.lines.line(region.start) + new_body[..first.start as usize].matches('\n').count() as u32;
    let new_text = new_body[first.range()].trim_end_matches(['\n', '\r']);
    let patched = (first_line, first_line + new_text.matches('\n').count() as u32);
    let forms = Box::new((source.slice(region).to_owned(), new_body.to_owned()));
    Err(EditRefusal::PatchUnbalanced { diagnosis: Box::new(diagnosis), add, remove, patched, corrected, forms })
}

/// The closers that the new tree lacks and those that it has too many, net.
fn lacking(old: &Tree, new: &Tree) -> (String, String) {
    let balance = |tree: &Tree| {
        tree.tokens().fold([0i64; 3], |mut sums, (kind, _)| {
            match kind {
                TokenKind::OpenParen => sums[0] += 1,
                TokenKind::CloseParen => sums[0] -= 1,
                TokenKind::OpenBracket => sums[1] += 1,
                TokenKind::CloseBracket => sums[1] -= 1,
                TokenKind::OpenBrace => sums[2] += 1,
                TokenKind::CloseBrace => sums[2] -= 1,
                _ => {}
            }
            sums
        })
    };
    let (before, after) = (balance(old), balance(new));
    let (mut add, mut remove) = (String::new(), String::new());
    for (index, closer) in [")", "]", "}"].iter().enumerate() {
        let open = after[index] - before[index];
        let side = if open > 0 { &mut add } else { &mut remove };
        side.push_str(&closer.repeat(open.unsigned_abs() as usize));
    }
    (add, remove)
}

//! Changing text inside one form.
//!
//! The old text has to occur exactly once in the form or its header comment, so that a patch cannot hit the wrong place,
//! and the form has to balance afterwards as well as it did before.

use std::borrow::Cow;

use lispwright_repair::moved_into;
use lispwright_syntax::{FormId, Span, TokenKind, Tree, read};

use crate::change::check_digest;
use crate::content::{is_numbered, with_line_ending};
use crate::diagnose::diagnose_in;
use crate::diff::unified;
use crate::edited::Edited;
use crate::fix::{Fix, Mended};
use crate::form_line::shortened;
use crate::locate::{Target, locate};
use crate::mend::Setting;
use crate::refusal::Refusal;
use crate::seen::{PUT_BACK, put_back};
use crate::source::{Source, whole_span};
use crate::splice::{Splice, apply};

/// A request to change text inside a form.
#[derive(Clone, Copy, Debug)]
pub struct Patch<'a> {
    /// The form.
    pub target: Target<'a>,
    /// What stands there; line ends may be written as `\n` whatever the file has.
    pub old_text: &'a str,
    /// What shall stand there.
    pub new_text: &'a str,
    /// Change every occurrence, where one alone is allowed otherwise.
    pub replace_all: bool,
    /// [`crate::FormText::digest`] of the form as the caller knows it.
    pub digest: Option<&'a str>,
    /// When the form does not balance afterwards, new text is repaired if that is certain.
    pub repair: bool,
}

/// Carries out `patch` on `source`.
///
/// Errors: those of an address, [`Refusal::TextNotFound`], [`Refusal::TextAmbiguous`], [`Refusal::PatchUnbalanced`],
/// [`Refusal::WouldBreak`], [`Refusal::WouldSplit`], [`Refusal::Stale`].
pub fn patch(source: &Source<'_>, patch: &Patch<'_>) -> Result<Edited, Refusal> {
    if patch.old_text.is_empty() {
        return Err(Refusal::EmptyOldText);
    }
    let id = locate(source, &patch.target)?;
    check_digest(source, id, patch.digest)?;
    let form = source.forms.get(id);
    let region = Span::new(whole_span(form).start, source.end_with_strays(form));
    let body = source.slice(region);
    let ending = source.line_ending();
    let as_in_file = |text: &str| {
        // In a file with both kinds of line end the exact text may have either.
        if body.contains(text) || !text.contains('\n') { text.to_owned() } else { with_line_ending(text, ending) }
    };
    let (old, new) = (put_back(patch.old_text, body), put_back(patch.new_text, body));
    let has_put_back = [&old, &new].into_iter().any(|text| matches!(text, Cow::Owned(_)));
    let old_text = as_in_file(&old);
    let new_text = if ending == "\n" { new.into_owned() } else { with_line_ending(&new, ending) };
    let found: Vec<u32> = body.match_indices(&old_text).map(|(at, _)| region.start + at as u32).collect();
    match found.len() {
        0 if is_numbered(patch.old_text) => return Err(Refusal::Numbered),
        0 => return Err(not_found(source, id, region, &old_text)),
        1 => {}
        _ if patch.replace_all => {}
        _ => return Err(Refusal::TextAmbiguous { label: form.label(source.text), lines: lines_at(source, &found) }),
    }
    let mut new_body = String::with_capacity(body.len() + new_text.len());
    let mut copied = region.start;
    let mut written: Vec<Span> = Vec::with_capacity(found.len());
    for &at in &found {
        new_body.push_str(source.slice(Span::new(copied, at)));
        let start = new_body.len() as u32;
        new_body.push_str(&new_text);
        written.push(Span::new(start, new_body.len() as u32));
        copied = at + old_text.len() as u32;
    }
    new_body.push_str(source.slice(Span::new(copied, region.end)));
    let touched = Span::new(found[0], found[found.len() - 1] + old_text.len() as u32);

    let mut mended = None;
    if let Some((repaired, how)) = balanced(source, region, &new_body, &written, patch.repair)? {
        new_body = repaired;
        mended = Some(how);
    }
    let new_touched = new_body.len() as u32 - (region.len() - touched.len());
    let splice = Splice { span: region, removed: 1, text: new_body.clone(), data: 1 };
    let mut edited = apply(source, splice, Some(id), Vec::new())?;
    // The splice covers the form; what is shown is what changed in it.
    edited.diff = unified(source.text, &edited.text, touched, new_touched as usize);
    let lines = lispwright_syntax::LineIndex::new(edited.text.as_bytes());
    edited.lines = Some((lines.line(touched.start), lines.line((touched.start + new_touched).max(1) - 1)));
    note_new_name(source, id, &new_body, &mut edited);
    edited.notes.extend(has_put_back.then(|| PUT_BACK.to_owned()));
    edited.repair = mended;
    Ok(edited)
}

/// Says so when the form is called something else now.
fn note_new_name(source: &Source<'_>, id: FormId, new_body: &str, edited: &mut Edited) {
    let old = source.forms.get(id);
    let tree = read(new_body, source.tree.language());
    let forms = lispwright_syntax::Forms::new(&tree, new_body);
    let Some((_, new)) = forms.iter().next() else { return };
    if new.name != old.name || new.head_name != old.head_name {
        let (before, after) = (old.label(source.text), new.label(new_body));
        edited.notes.push(format!("The form was `{before}` and is now `{after}`."));
    }
}

fn lines_at(source: &Source<'_>, offsets: &[u32]) -> Vec<(u32, String)> {
    offsets
        .iter()
        .map(|&at| {
            let line = source.lines.line(at);
            (line, shortened(source.line_text(line).trim(), 100))
        })
        .collect()
}

fn not_found(source: &Source<'_>, id: FormId, region: Span, old_text: &str) -> Refusal {
    let elsewhere = source.text.match_indices(old_text).map(|(at, _)| source.lines.line(at as u32)).take(10).collect();
    Refusal::TextNotFound {
        label: source.forms.get(id).label(source.text),
        lines: (source.lines.line(region.start), source.lines.line(region.end.saturating_sub(1))),
        near: near_match(source, region, old_text),
        elsewhere,
    }
}

/// Longest near match that is quoted, in bytes.
const MOST_QUOTED: usize = 2_000;

/// Near matches are looked for with at most so many comparisons.
const MOST_COMPARISONS: usize = 50_000_000;

/// The first part of the region that is `old_text` but for white space and case, with its line.
fn near_match(source: &Source<'_>, region: Span, old_text: &str) -> Option<(u32, String)> {
    let wanted: Vec<char> = old_text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    let solid: Vec<(usize, char)> = source
        .slice(region)
        .char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .flat_map(|(at, c)| c.to_lowercase().map(move |lower| (at, lower)))
        .collect();
    let too_much_work = wanted.len().saturating_mul(solid.len()) > MOST_COMPARISONS;
    if wanted.is_empty() || wanted.len() > solid.len() || too_much_work {
        return None;
    }
    let start = solid
        .windows(wanted.len())
        .position(|window| window.iter().zip(&wanted).all(|((_, found), wanted)| found == wanted))?;
    let (first, last) = (solid[start].0, solid[start + wanted.len() - 1].0);
    let body = source.slice(region);
    let end = last + body[last..].chars().next().map_or(0, char::len_utf8);
    let text = &body[first..end];
    (text.len() <= MOST_QUOTED).then(|| (source.lines.line(region.start + first as u32), text.to_owned()))
}

/// Refuses a patch after which the form balances worse than before, unless it may be repaired and that is certain: then
/// the repaired body, with what was done to it. `written` is where the new text stands in `new_body`.
fn balanced(
    source: &Source<'_>,
    region: Span,
    new_body: &str,
    written: &[Span],
    repair: bool,
) -> Result<Option<(String, Mended)>, Refusal> {
    let old_body = source.slice(region);
    let language = source.tree.language();
    let (old_tree, new_tree) = (read(old_body, language), read(new_body, language));
    if new_tree.diagnostics().len() <= old_tree.diagnostics().len() {
        return Ok(None);
    }
    let (first, last) = (written[0], written[written.len() - 1]);
    let setting = Setting::patched(source, region, Span::new(first.start, last.end));
    let Some(diagnosis) = diagnose_in(new_body, &new_tree, Some(&setting)) else { return Ok(None) };
    let lead = source.slice(Span::new(source.line_start(region.start), region.start));
    let tail = source.slice(Span::new(region.end, source.line_end(region.end)));
    let last_line = new_body.matches('\n').count() as u32 + 1;
    let diagnosis = diagnosis.within(source.place(region.start), lead, last_line, tail);

    let places: Vec<_> = written.iter().map(|span| span.range()).collect();
    let reaches = |fix: &&Fix| diagnosis.is_certain() && moved_into(new_body, &fix.edits, &places).is_some();
    let fix = diagnosis.fixes.first().filter(reaches);
    let mut corrected = None;
    if let (Some(fix), Some(repaired)) = (fix, &diagnosis.repaired) {
        if repair {
            return Ok(Some((repaired.clone(), Mended::from(fix))));
        }
        if written.len() == 1 {
            let end = repaired.len() - (new_body.len() - first.end as usize);
            corrected = Some(repaired[first.start as usize..end].to_owned());
        }
    }
    let (add, remove) = lacking(&old_tree, &new_tree);
    let first_line = source.lines.line(region.start) + new_body[..first.start as usize].matches('\n').count() as u32;
    let new_text = new_body[first.range()].trim_end_matches(['\n', '\r']);
    let patched = (first_line, first_line + new_text.matches('\n').count() as u32);
    Err(Refusal::PatchUnbalanced { diagnosis: Box::new(diagnosis), add, remove, patched, corrected })
}

/// The closers that the new tree lacks and those it has too many, net.
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

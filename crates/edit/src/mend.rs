//! Asks the repairer about new source, and maps its answer to lines of that source.
//!
//! The repairer is given the whole file as it was and as it would be, and the range of its new bytes ([`Setting`]): it
//! learns the layout from the rest of the file, and compares with the old text. Its edits are mapped back into the new
//! source; a repair that would change other text is not used.

use lispwright_repair::{Candidate, Earlier, Outcome, Reason, TextEdit, apply, moved_into, repair};
use lispwright_syntax::{Language, Span, count_line_ends, read, read_plain};

use crate::fix::Fix;
use crate::indent::{Destination, Moved, column};
use crate::readtables;
use crate::source::{Source, line_at};

/// The answer of the repairer.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The line to look at, from 1.
    pub(crate) line: Option<u32>,
    /// The byte to look at.
    pub(crate) at: Option<u32>,
    pub(crate) fixes: Vec<Fix>,
    /// The text with the first fix applied, when it is certain.
    pub(crate) repaired: Option<String>,
    /// The reason why no fix is certain.
    pub(crate) doubt: String,
}

/// The longest text that is diagnosed with fixes, in bytes.
const LONGEST: usize = 2 << 20;

/// The file around new source, as the repairer is given it.
#[derive(Debug, Default)]
pub(crate) struct Setting {
    /// The text before it.
    front: String,
    /// The text that it replaces; `None` if that was broken.
    old: Option<String>,
    /// The text after it.
    back: String,
    /// Its column and the present lines there; `None` for source that is not moved.
    destination: Option<Destination>,
    /// The bytes of the source that are new; all of them when `None`.
    written: Option<Span>,
}

impl Setting {
    /// New source in the place of `span`.
    pub(crate) fn in_place_of(source: &Source<'_>, span: Span, destination: &Destination) -> Self {
        Self { destination: Some(destination.clone()), ..Self::at(source, span) }
    }

    /// A changed form in the place of `span`, as it will be written; `written` is the part that differs.
    pub(crate) fn patched(source: &Source<'_>, span: Span, written: Span) -> Self {
        Self { written: Some(written), ..Self::at(source, span) }
    }

    /// New source on lines of its own at byte `at`.
    pub(crate) fn beside(source: &Source<'_>, at: u32, destination: &Destination) -> Self {
        let mut setting = Self::at(source, Span::new(at, at));
        let destination = if setting.old.is_some() { destination.clone() } else { Destination::default() };
        let blank = destination.blank();
        setting.destination = Some(destination);
        let gap = if blank.is_empty() { "\n\n".to_owned() } else { format!("\n{blank}") };
        setting.front.push_str(&gap);
        setting.back.insert_str(0, &gap);
        setting
    }

    /// The text that it replaces was sound.
    pub(crate) const fn is_sound(&self) -> bool {
        self.old.is_some()
    }

    /// The text around `span`. Of a file that does not balance, only the sound forms are used.
    fn at(source: &Source<'_>, span: Span) -> Self {
        let around = |from: u32, to: u32| source.slice(Span::new(from, to)).to_owned();
        let end = source.text.len() as u32;
        let old = Some(source.slice(span).to_owned());
        if source.tree.diagnostics().is_empty() {
            return Self { front: around(0, span.start), old, back: around(span.end, end), ..Self::default() };
        }
        let sound = |from: u32, to: u32| -> String {
            let forms = source.forms.top_level().map(|(_, form)| form);
            forms
                .filter(|form| !form.broken && from <= form.outer.start && form.outer.end <= to)
                .filter(|form| form.datum.list().is_some() && source.indentation(form.outer.start) == Some(""))
                .map(|form| format!("{}\n\n", source.slice(form.outer)))
                .collect()
        };
        let holds = |outer: Span| outer.start <= span.start && span.end <= outer.end;
        match source.forms.top_level().map(|(_, form)| form).find(|form| holds(form.outer)) {
            Some(form) if !form.broken => Self {
                front: sound(0, form.outer.start) + &around(form.outer.start, span.start),
                old,
                back: format!("{}\n\n{}", around(span.end, form.outer.end), sound(form.outer.end, end)),
                ..Self::default()
            },
            _ => Self { front: sound(0, span.start), back: format!("\n\n{}", sound(span.end, end)), ..Self::default() },
        }
    }

    /// The changes of `text` that make it balance in its place.
    fn judge(&self, text: &str, language: &Language) -> Verdict {
        let unix = |part: &str| if text.contains('\r') { part.to_owned() } else { part.replace("\r\n", "\n") };
        let shown = shown(text, self.destination.as_ref(), language);
        let (front, back) = (unix(&self.front), unix(&self.back));
        let before = [&*front, &unix(self.old.as_deref().unwrap_or_default()), &back].concat();
        let after = [&*front, &shown.text, &back].concat();
        let base = front.len() as u32;
        let whole = Span::new(0, shown.text.len() as u32);
        let written = self.written.filter(|_| self.old.is_some()).unwrap_or(whole);
        let edited = Some(base + written.start..base + written.end);
        let outcome = repair(&after, language, &Earlier { text: Some(&before), edited: edited.clone() });
        let own = |edits: &[TextEdit]| -> Option<Vec<TextEdit>> {
            let span = base as usize..front.len() + shown.text.len();
            moved_into(&after, edits, &[span])?.iter().map(|edit| unmoved(edit, &shown, base, text)).collect()
        };
        let lines_cut = count_line_ends(&text[..shown.origin(0) as usize]);
        let above = count_line_ends(&front);
        let last_line = line_at(text, text.strip_suffix('\n').unwrap_or(text).len() as u32);
        let line = |line: u32| (line.saturating_sub(above) + lines_cut).clamp(1, last_line);
        let verdict = |outcome: Outcome| match outcome {
            Outcome::Balanced => uncertain(text, language, "it balances only with the text around it"),
            Outcome::Repaired(done) => {
                let applied = own(&done.edits).map(|edits| (apply(text, &edits), edits));
                match applied.filter(|(repaired, _)| read_plain(repaired, language).diagnostics().is_empty()) {
                    Some((repaired, edits)) => certain(edits, repaired, done.why(), text),
                    None => uncertain(text, language, "the likeliest repair is outside of it"),
                }
            }
            Outcome::Refused(refusal) => {
                let candidates = refusal.candidates.into_iter();
                let fixes = candidates.filter_map(|Candidate { edits, why, .. }| Some((own(&edits)?, why)));
                refused(line(refusal.diagnosis.line), fixes.collect(), refusal.reason.to_string(), text)
            }
        };
        let is_ambiguous =
            |outcome: &Outcome| matches!(outcome, Outcome::Refused(refusal) if refusal.reason == Reason::Ambiguous);
        let Some(old) = self.old.as_deref().map(unix).filter(|_| self.written.is_some()) else {
            return verdict(outcome);
        };
        let only_rival = is_ambiguous(&outcome);
        let first = verdict(outcome);
        let is_undone = first.repaired.as_ref() == Some(&old);
        let offers_undo = || first.fixes.iter().any(|fix| apply(text, &fix.edits) == old);
        let may_undo = is_undone || (first.repaired.is_none() && only_rival && offers_undo());
        if !may_undo {
            return without_undo(first, text, &old, only_rival);
        }
        // The earlier text would undo the patch, or may. What does the layout alone say?
        let outcome = repair(&after, language, &Earlier { text: None, edited });
        let is_last_word = is_undone || matches!(outcome, Outcome::Repaired(_));
        match is_last_word {
            true => without_undo(verdict(outcome.clone()), text, &old, is_ambiguous(&outcome)),
            false => without_undo(first, text, &old, only_rival),
        }
    }
}

/// The verdict on a patched form without the fix that gives `old` back, the form as it was: nobody asks for a patch in
/// order to have the text that was there. If that was the only rival of another fix, this one is certain.
fn without_undo(verdict: Verdict, text: &str, old: &str, is_ambiguous: bool) -> Verdict {
    let Verdict { line, at, fixes, repaired, doubt } = verdict;
    let repaired = repaired.filter(|repaired| repaired != old);
    let known = fixes.len();
    let mut fixes: Vec<Fix> = fixes.into_iter().filter(|fix| apply(text, &fix.edits) != old).collect();
    match fixes.as_mut_slice() {
        [only] if known == 2 && is_ambiguous => {
            only.why.push_str(", and the other change would undo the patch");
            let (edits, why) = (only.edits.clone(), only.why.clone());
            let repaired = apply(text, &edits);
            certain(edits, repaired, why, text)
        }
        [] if known > 0 => {
            let doubt = "the only change that was found would undo the patch".to_owned();
            Verdict { line, at, fixes, repaired: None, doubt }
        }
        _ => Verdict { line, at, fixes, repaired, doubt },
    }
}

/// New source as it would be in the file.
fn shown(text: &str, destination: Option<&Destination>, language: &Language) -> Moved {
    let Some(destination) = destination else { return Moved::unmoved(text) };
    let (before, _) = text.split_at(text.len() - text.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}']).len());
    let given = column(before.rsplit('\n').next().unwrap_or_default());
    Moved::new(text, &read(text, language), before.len() as u32, given, destination)
}

/// Maps an edit of the file, in which `shown` is at `base`, to an edit of `text`, from which `shown` was made.
fn unmoved(edit: &TextEdit, shown: &Moved, base: u32, text: &str) -> Option<TextEdit> {
    let edit = TextEdit { at: shown.origin(edit.at - base), ..edit.clone() };
    text.get(edit.range()).is_some_and(|there| there == edit.removed).then_some(edit)
}

/// The changes of `text` that make it balance in `setting`, or by itself.
pub(crate) fn judge(text: &str, language: &Language, setting: Option<&Setting>) -> Verdict {
    if text.len() > LONGEST {
        return Verdict { doubt: format!("texts over {LONGEST} bytes are not repaired"), ..Verdict::default() };
    }
    let front = setting.map_or("", |setting| setting.front.as_str());
    if let Some(doubt) = readtables::doubt([front, text], language) {
        return Verdict { doubt, ..Verdict::default() };
    }
    match setting {
        Some(setting) => setting.judge(text, language),
        None => alone(text, language),
    }
}

/// The verdict on the text alone.
fn alone(text: &str, language: &Language) -> Verdict {
    verdict(repair(text, language, &Earlier::default()), text)
}

/// The verdict of an answer about the whole of `text`.
pub(crate) fn verdict(outcome: Outcome, text: &str) -> Verdict {
    match outcome {
        Outcome::Balanced => Verdict::default(),
        Outcome::Repaired(done) => {
            let why = done.why();
            certain(done.edits, done.text, why, text)
        }
        Outcome::Refused(refusal) => {
            let candidates = refusal.candidates.into_iter();
            let fixes = candidates.map(|Candidate { edits, why, .. }| (edits, why)).collect();
            refused(refusal.diagnosis.line, fixes, refusal.reason.to_string(), text)
        }
    }
}

/// The verdict on the text alone, without a certain fix because of `doubt`.
fn uncertain(text: &str, language: &Language, doubt: &str) -> Verdict {
    Verdict { repaired: None, doubt: doubt.to_owned(), ..alone(text, language) }
}

/// The verdict that `edits` of `text` are certain, which give the text `repaired`.
fn certain(edits: Vec<TextEdit>, repaired: String, why: String, text: &str) -> Verdict {
    let at = edits.first().map(|edit| edit.at);
    let fixes = vec![Fix::new(edits, why, text)];
    Verdict { line: at.map(|at| line_at(text, at)), at, fixes, repaired: Some(repaired), doubt: String::new() }
}

fn refused(line: u32, fixes: Vec<(Vec<TextEdit>, String)>, doubt: String, text: &str) -> Verdict {
    let fixes = fixes.into_iter().filter(|(edits, _)| !edits.is_empty());
    let fixes: Vec<Fix> = fixes.map(|(edits, why)| Fix::new(edits, why, text)).collect();
    let at = fixes.first().map(|fix| fix.edits[0].at).filter(|&at| line_at(text, at) == line);
    Verdict { line: Some(line), at, fixes, repaired: None, doubt }
}

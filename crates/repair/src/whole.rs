//! From a text to its broken parts, and from their outcomes to one.
//!
//! An earlier text narrows the work twice: to the forms around the change ([`crate::text::window`]), and within them to
//! the parts between forms that are in both texts ([`crate::text::align::parts`]). Each broken part is a [`Case`].

use std::ops::Range;

use lispwright_syntax::{DiagnosticKind, Language, Tree, count_line_ends, read_plain, same_front};

use crate::case::{Case, Context};
use crate::doubts::{Doubt, Doubts};
use crate::outcome::{Candidate, Outcome, Reason, Unrepaired};
use crate::proposals::Answer;
use crate::proposals::delimiters::MOST_WRAPPED;
use crate::report::MOST_CANDIDATES;
use crate::text::align::parts;
use crate::text::conflict::first_conflict;
use crate::text::edit::{TextEdit, apply, normalise};
use crate::text::marks;
use crate::text::pieces::changed_piece;
use crate::text::plain::Plain;
use crate::text::window::{Window, differing, widened};

/// If more parts than this are broken, only faults whose repair the earlier text makes certain are repaired.
const MOST_PARTS: usize = 48;
/// If more parts than this are broken, nothing is repaired.
const MOST_CERTAIN_PARTS: usize = 5_000;

/// The number of bytes read to check that candidates balance, at most, unless that leaves fewer than
/// [`FEWEST_CANDIDATES`].
const READING_BUDGET: usize = 1 << 20;
/// This many candidates are offered for a text of any size.
const FEWEST_CANDIDATES: usize = 2;

/// What is known of the text before the change that broke it.
#[derive(Clone, Debug, Default)]
pub struct Earlier<'a> {
    /// The earlier text of the same file or form. Ignored unless it balances.
    pub text: Option<&'a str>,
    /// The bytes of the given text that the change wrote. Nothing is repaired outside them if the earlier text differs
    /// nowhere else.
    pub edited: Option<Range<u32>>,
}

/// Repairs `text`, or says why not.
///
/// Text that balances for the dialect's reader gives [`Outcome::Balanced`]. Otherwise the text of an
/// [`Outcome::Repaired`] balances and differs from `text` only in its edits, which are inside the forms it lists. With
/// an earlier text that balances, they are inside the forms that differ from it; with `edited` too, inside those bytes.
pub fn repair(text: &str, language: impl Into<Language>, earlier: &Earlier<'_>) -> Outcome {
    read(text, &language.into(), earlier, Doubts::default())
}

/// [`repair`] without some doubts, to measure how many wrong and right answers they prevent.
pub fn repair_without(doubts: &[Doubt], text: &str, language: impl Into<Language>, earlier: &Earlier<'_>) -> Outcome {
    read(text, &language.into(), earlier, doubts.iter().copied().collect())
}

fn read(text: &str, language: &Language, earlier: &Earlier<'_>, without: Doubts) -> Outcome {
    let tree = read_plain(text, language);
    let old_tree = earlier.text.map(|before| read_plain(before, language));
    let before = earlier.text.zip(old_tree.as_ref()).map(|(text, tree)| Plain { text, tree });
    Task { text: Plain { text, tree: &tree }, before, edited: earlier.edited.clone(), without }.outcome()
}

/// [`repair`] for texts that have been read: `before` is the earlier text, `edited` as in [`Earlier`].
pub fn repair_plain(text: Plain<'_>, before: Option<Plain<'_>>, edited: Option<Range<u32>>) -> Outcome {
    Task { text, before, edited, without: Doubts::default() }.outcome()
}

/// A text to repair, with what is known besides.
struct Task<'a> {
    text: Plain<'a>,
    before: Option<Plain<'a>>,
    edited: Option<Range<u32>>,
    /// The doubts to ignore.
    without: Doubts,
}

impl<'a> Task<'a> {
    /// The whole text as one case.
    fn whole(&self) -> Case<'a> {
        Case::new(self.text, self.without)
    }

    fn outcome(self) -> Outcome {
        let Plain { text, tree } = self.text;
        if self.text.is_balanced() {
            return Outcome::Balanced;
        }
        let mut outcome = match first_conflict(text) {
            Some(mark) => {
                let mut refusal = self.whole().refusal(Reason::Conflict, Vec::new());
                refusal.diagnosis.line = count_line_ends(&text[..mark]) + 1;
                return Outcome::Refused(refusal);
            }
            None => self.answered(),
        };
        if let Outcome::Refused(refusal) = &mut outcome {
            self.look_at_the_changed_piece(refusal);
            let most = (READING_BUDGET / text.len().max(1)).max(FEWEST_CANDIDATES);
            refusal.candidates.truncate(most);
            // The edited text is nearer to a text that balances than to this one.
            let sound = self.before.filter(Plain::is_balanced).unwrap_or(self.text);
            let balances = |edits: &[TextEdit]| sound.balances_as(&apply(text, edits), tree.language());
            // A candidate whose lines show no change is of no use to a reader.
            let shows = |candidate: &Candidate| candidate.before != candidate.after;
            refusal.candidates.retain(|candidate| shows(candidate) && balances(&candidate.edits));
        }
        outcome
    }

    /// The outcome for a text that does not balance. It is not checked yet that its candidates balance.
    fn answered(&self) -> Outcome {
        let (text, mut whole) = (self.text, self.whole());
        let Some(before) = self.before.filter(Plain::is_balanced) else {
            let edited = self.edited.as_ref().map(|edited| edited.start as usize..edited.end as usize);
            whole.free = edited.filter(|free| free.start <= free.end && text.text.get(free.clone()).is_some());
            return whole.outcome();
        };
        if stops_inside(text, before) {
            return whole.refused(Reason::CutShort, Vec::new());
        }
        let outcome = match self.by_parts(&whole, before) {
            // A token may run from one part into the next.
            Some(Outcome::Repaired(repair)) if !before.balances_as(&repair.text, text.tree.language()) => None,
            outcome => outcome,
        };
        whole.before = Some(before.text);
        match outcome.unwrap_or_else(|| whole.examined()) {
            Outcome::Repaired(repair)
                if whole.considers(Doubt::NewComment) && marks::are_new(text.text, text.tree, before.text) =>
            {
                let why = "the delimiters balance with it, but a datum is newly commented out";
                whole.refused(Doubt::NewComment, vec![Answer::new(repair.edits, why)])
            }
            outcome => outcome,
        }
    }

    /// The outcome of the broken parts around the change, each repaired by itself; `None` if each part balances by
    /// itself.
    fn by_parts(&self, whole: &Case<'_>, before: Plain<'_>) -> Option<Outcome> {
        let Plain { text, tree } = self.text;
        let language = tree.language();
        let window = Window::between(before, text, self.edited.as_ref());
        let strict = self.edited.is_some() && window.as_told;
        let (own, old) = (&text[window.new.clone()], &before.text[window.old.clone()]);
        let old_tree = read_plain(old, language);
        let starts: Vec<usize> = old_tree.top_level().map(|datum| old_tree.datum_span(datum).range().start).collect();
        let mut parts = parts(old, own, &starts);
        let mut broken: Vec<(usize, Tree)> = Vec::new();
        let mut index = 0;
        while index < parts.len() && broken.len() <= MOST_CERTAIN_PARTS {
            let tree = read_plain(&own[parts[index].1.clone()], language);
            // A condition belongs to the form that follows it, though that is an old one.
            if let Some((old_next, next)) = parts.get(index + 1).cloned()
                && tree.diagnostics().iter().any(|fault| fault.kind == DiagnosticKind::DanglingPrefix)
            {
                (parts[index].0.end, parts[index].1.end) = (old_next.end, next.end);
                parts.remove(index + 1);
                continue;
            }
            if !tree.diagnostics().is_empty() {
                broken.push((index, tree));
            }
            index += 1;
        }
        if broken.len() > MOST_CERTAIN_PARTS {
            return Some(whole.refused(Reason::Entangled, Vec::new()));
        }
        let around: Vec<&str> = window.pieces.iter().map(|range| &text[range.clone()]).collect();
        let old_parts: Vec<&str> = parts.iter().map(|(part, _)| &old[part.clone()]).collect();
        let end = text.trim_end().len();
        let mut found = Vec::with_capacity(broken.len());
        for (index, own_tree) in &broken {
            let (old_part, new_part) = &parts[*index];
            let mut case = Case::new(Plain { text: &own[new_part.clone()], tree: own_tree }, self.without);
            case.before = Some(&old[old_part.clone()]);
            let changed = |at: usize| (at.max(window.new.start) - window.new.start).clamp(new_part.start, new_part.end);
            case.free =
                Some(changed(window.changed.start) - new_part.start..changed(window.changed.end) - new_part.start);
            if parts.len() > 1 && !strict {
                case.free = Some(differing(&old[old_part.clone()], case.text));
            }
            case.strict = strict;
            case.known = true;
            case.certain_only = broken.len() > MOST_PARTS;
            case.context = Context { parts: &old_parts, own: *index, around: &around, whole: Some(text) };
            let at = window.new.start + new_part.start;
            case.at_end = at + new_part.len() >= end;
            let mut outcome = widened(case.examined(), text, whole.lines(), at);
            if let Outcome::Refused(refusal) = &mut outcome {
                let around = self.around_the_next(whole, own_tree, at + new_part.len());
                refusal.candidates.splice(0..0, around);
                refusal.candidates.truncate(MOST_CANDIDATES);
            }
            match outcome {
                // With so many broken parts, no candidate for one of them would make the text balance.
                Outcome::Refused(refusal) if case.certain_only => {
                    return Some(Outcome::Refused(Unrepaired { candidates: Vec::new(), ..refusal }));
                }
                outcome => found.push(outcome),
            }
        }
        merged(found, text)
    }
}

impl Task<'_> {
    /// Offers first what mends the only changed piece between lines in column 0, and says that the fault is
    /// there, if the refusal leads to another place.
    fn look_at_the_changed_piece(&self, refusal: &mut Unrepaired) {
        let Plain { text, tree } = self.text;
        // Where the edit is known, the place that is offered may be outside of it on purpose.
        let only_parts = self.edited.is_some();
        let before = self.before.filter(Plain::is_balanced);
        let piece = before.and_then(|before| changed_piece(text, before, only_parts));
        let Some(piece) = piece else { return };
        let whole = self.whole();
        let lines = whole.lines();
        let inside = lines.line(piece.start as u32)..=lines.line(piece.end as u32 - 1);
        if inside.contains(&refusal.diagnosis.line) {
            return;
        }
        let own = read_plain(&text[piece.clone()], tree.language());
        let task = Task {
            text: Plain { text: &text[piece.clone()], tree: &own },
            before: None,
            edited: None,
            without: self.without,
        };
        let (line, candidates) = match widened(task.whole().outcome(), text, lines, piece.start) {
            Outcome::Balanced => return,
            Outcome::Refused(found) => (found.diagnosis.line, found.candidates),
            Outcome::Repaired(repair) => {
                let answer = Answer::new(repair.edits, "the only form in column 0 that has changed balances with it");
                let found = whole.refusal(Reason::Ambiguous, vec![answer]);
                (found.diagnosis.line, found.candidates)
            }
        };
        refusal.diagnosis.line = line;
        refusal.candidates.splice(0..0, candidates);
        refusal.candidates.truncate(MOST_CANDIDATES);
    }
}

/// The reason to end a list after the form that follows.
const WRAPS_THE_NEXT: &str = "the list may have been put around the forms that follow, outside the edit";

impl Task<'_> {
    /// For a part whose last lines open lists right before the form at byte `end`: the closers at the end of that form,
    /// and of those after it.
    fn around_the_next(&self, whole: &Case<'_>, part: &Tree, end: usize) -> Vec<Candidate> {
        let Plain { text, tree } = self.text;
        let language = tree.language();
        let mut closers = String::new();
        for fault in part.diagnostics() {
            match fault.kind {
                DiagnosticKind::Unclosed(open) => closers.insert(0, open.close()),
                _ => return Vec::new(),
            }
        }
        let rest = text.get(end..).unwrap_or_default();
        let blank = rest.len() - rest.trim_start().len();
        let line_ends =
            text[..end + blank].bytes().rev().take_while(u8::is_ascii_whitespace).filter(|b| *b == b'\n').count();
        if closers.is_empty() || line_ends != 1 {
            return Vec::new();
        }
        let following = read_plain(rest, language);
        let ends = following.top_level().take(MOST_WRAPPED).map(|datum| following.datum_span(datum).range().end);
        let answer = |form_end: usize| {
            let edit = TextEdit { at: (end + form_end) as u32, removed: String::new(), inserted: closers.clone() };
            Answer::new(vec![edit], WRAPS_THE_NEXT)
        };
        whole.refusal(Reason::Ambiguous, ends.map(answer).collect()).candidates
    }
}

/// The text is the beginning of the earlier one, whose form goes on with more than closers where this text stops. Not
/// for an earlier text of a single form, which may have been shortened on purpose.
fn stops_inside(text: Plain<'_>, before: Plain<'_>) -> bool {
    let end = text.text.trim_end().len();
    if same_front(text.text.as_bytes(), before.text.as_bytes()) < end {
        return false;
    }
    let mut forms = before.tree.top_level().map(|datum| before.tree.datum_span(datum).range());
    let more = |c: char| !c.is_whitespace() && !matches!(c, ')' | ']' | '}');
    let inside = |form: &Range<usize>| form.start < end && end < form.end && before.text[end..form.end].contains(more);
    before.tree.top_level().count() > 1 && forms.any(|form| inside(&form))
}

/// The outcomes of the broken parts of `text` as one.
fn merged(mut found: Vec<Outcome>, text: &str) -> Option<Outcome> {
    let refused = found.iter().position(|outcome| matches!(outcome, Outcome::Refused(_)));
    if let Some(index) = refused {
        let Outcome::Refused(mut refusal) = found.swap_remove(index) else { return None };
        let best = |outcome: Outcome| match outcome {
            Outcome::Balanced => Some(Vec::new()),
            Outcome::Repaired(repair) => Some(repair.edits),
            Outcome::Refused(refusal) => refusal.candidates.into_iter().next().map(|candidate| candidate.edits),
        };
        // A candidate makes the whole text balance: it includes the likeliest answers to the other parts.
        match found.into_iter().map(best).collect::<Option<Vec<Vec<TextEdit>>>>() {
            None => refusal.candidates.clear(),
            Some(others) if others.is_empty() => {}
            Some(others) => {
                let others: Vec<&TextEdit> = others.iter().flatten().collect();
                // One that closes a list after the forms that follow may meet the answer to a part there.
                refusal.candidates.retain(|candidate| candidate.is_apart_from(&others));
                refusal.candidates.iter_mut().for_each(|candidate| candidate.add(&others));
            }
        }
        return Some(Outcome::Refused(refusal));
    }
    let repairs = found.into_iter().filter_map(|outcome| match outcome {
        Outcome::Repaired(repair) => Some(repair),
        _ => None,
    });
    let mut all = repairs.reduce(|mut all, repair| {
        all.edits.extend(repair.edits);
        all.forms.extend(repair.forms);
        all.margin = all.margin.min(repair.margin);
        all.evidence.extend(repair.evidence);
        all
    })?;
    let mut seen = rustc_hash::FxHashSet::default();
    all.evidence.retain(|sentence| seen.insert((sentence.form_line, sentence.why.clone())));
    all.edits = normalise(all.edits);
    all.text = apply(text, &all.edits);
    Some(Outcome::Repaired(all))
}

//! The policy: the verdict on a change, from the text before and after it.
//!
//! | before | after | verdict |
//! | --- | --- | --- |
//! | any | balanced | pass |
//! | balanced | balanced, but the indentation of the changed lines contradicts their nesting | renested |
//! | any | broken, and with an unknown reader macro taken for one it balances | unknown |
//! | any | balanced, but since the change no reader takes it, or `...` is in the place of code | denied |
//! | balanced, or no file | broken, one repair is certain and inside the text that the call wrote | repaired |
//! | balanced, or no file | broken otherwise | denied |
//! | broken | broken, but no worse | noted |
//! | broken | worse | denied |

use std::ops::Range;

use lispwright_edit::{
    Diagnosis, Fix, Unexpected, besides, diagnose_notation, explain, explain_flaw, unexpected_since,
};
use lispwright_repair::{Outcome, Plain, Renested, TextEdit, apply, renested_plain, repair_plain};
use lispwright_syntax::{
    DiagnosticKind, Language, Tree, flaws_since, read, read_plain, read_plain_again, unknown_notation,
    unknown_readtable,
};

use crate::change::{ChangedFile, Rewritten};
use crate::worse::made_worse;

/// The verdict on a change.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeVerdict {
    /// Let it through in silence.
    Pass,
    /// Let it through, and report the lines that contradict its delimiters since the change.
    /// Also what else is seldom meant.
    Renested(Vec<Renested>, Vec<Unexpected>),
    /// Let it through, and report what balances and is seldom meant.
    Unexpected(Vec<Unexpected>),
    /// Let it through, and report the fault of the file.
    Noted(Diagnosis),
    /// Let it through, and report that its notation is not known.
    Unknown(Diagnosis),
    /// Change the call.
    Repaired(Repaired),
    /// Refuse the call.
    Denied {
        /// Its fault.
        found: Diagnosis,
        /// The certain repair would restore the text from before the call.
        undoes: bool,
    },
}

/// A change that balances after a repair of the texts of the call.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The fault.
    pub found: Diagnosis,
    /// The edits of [`ChangedFile::after`].
    pub edits: Vec<TextEdit>,
    /// The repaired texts of the call.
    pub texts: Vec<Rewritten>,
}

impl Repaired {
    /// [`ChangedFile::after`] with the edits applied.
    pub fn applied(&self, after: &str) -> String {
        apply(after, &self.edits)
    }
}

impl ChangeVerdict {
    /// The name used in statistics.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Renested(..) => "renested",
            Self::Unexpected(_) => "unexpected",
            Self::Noted(_) => "noted",
            Self::Unknown(_) => "unknown",
            Self::Repaired(_) => "repaired",
            Self::Denied { .. } => "denied",
        }
    }

    /// The fault of the text, if it has one.
    pub const fn diagnosis(&self) -> Option<&Diagnosis> {
        match self {
            Self::Pass | Self::Renested(..) | Self::Unexpected(_) => None,
            Self::Noted(found) | Self::Unknown(found) | Self::Denied { found, .. } => Some(found),
            Self::Repaired(repaired) => Some(&repaired.found),
        }
    }
}

/// The plain readings of a file before and after a change; a missing file reads as an empty one.
pub(crate) struct Trees {
    before: Tree,
    pub(crate) after: Tree,
}

impl Trees {
    pub(crate) fn of(change: &ChangedFile, language: &Language) -> Self {
        let text = change.before.as_deref().unwrap_or_default();
        let before = read_plain(text, language);
        Self { after: read_plain_again(&before, text, &change.after, language), before }
    }

    /// The file was broken before the change.
    pub(crate) fn were_broken(&self) -> bool {
        is_broken(&self.before)
    }
}

/// Judges a change before the call.
pub fn judge(change: &ChangedFile, language: &Language) -> ChangeVerdict {
    judge_read(change, &Trees::of(change, language))
}

/// Judges a change that has been read.
pub(crate) fn judge_read(change: &ChangedFile, trees: &Trees) -> ChangeVerdict {
    let after = Plain { text: &change.after, tree: &trees.after };
    let before = Plain { text: change.before.as_deref().unwrap_or_default(), tree: &trees.before };
    if !is_broken(after.tree) {
        if let Some(flaw) = flaws_since(before.text, after.tree, after.text).first() {
            return ChangeVerdict::Denied { found: explain_flaw(after.text, after.tree, *flaw), undoes: false };
        }
        let forms = if before.text.trim().is_empty() { Vec::new() } else { renested_plain(before, after) };
        // In a file that did not balance, nothing is known of its forms.
        let unexpected = match trees.were_broken() {
            true => Vec::new(),
            false => unexpected_since((before.tree, before.text), (after.tree, after.text)),
        };
        return match (forms.is_empty(), unexpected.is_empty()) {
            (false, _) => {
                let others = besides(unexpected, &forms);
                ChangeVerdict::Renested(forms, others)
            }
            (true, false) => ChangeVerdict::Unexpected(unexpected),
            (true, true) => ChangeVerdict::Pass,
        };
    }
    if let Some(found) = unknown(after, change.before.is_none() || trees.were_broken()) {
        return ChangeVerdict::Unknown(found);
    }
    if trees.were_broken() {
        return judge_broken(change, before.text, after);
    }
    // A repair may restore a file that is written whole. It may not undo an edit: clients refuse an edit without
    // effect.
    let whole = change.written.iter().any(|written| written.span == (0..change.after.len()));
    let (_, region) = change.region();
    let spans = || change.written.iter().map(|written| &written.span).chain([&region]);
    let hull = spans().map(|span| span.start).min().zip(spans().map(|span| span.end).max());
    let edited = hull.filter(|_| !whole).map(|(start, end)| start as u32..end as u32);
    let outcome = repair_plain(after, change.before.is_some().then_some(before), edited.clone());
    let edits = match &outcome {
        Outcome::Repaired(done) => change.within_reach(&done.edits),
        _ => None,
    };
    let Some(found) = explained(after, outcome) else { return ChangeVerdict::Pass };
    let mut undoes = false;
    if let Some(edits) = edits
        && !removes_an_opener(&edits)
    {
        undoes = !whole && change.before.is_some() && gives(&change.after, &edits, before.text);
        if !undoes && let Some(texts) = change.rewritten(&edits) {
            return ChangeVerdict::Repaired(Repaired { found, edits, texts });
        }
    }
    // A certain repair that cannot be applied has no other candidates, but the layout alone may have some.
    if found.is_certain()
        && !undoes
        && let Some(alone) = diagnosis(after, None, edited)
    {
        let rewritten = |edits: &[TextEdit]| change.rewritten(&change.within_reach(edits)?);
        let good = |fix: &Fix| !removes_an_opener(&fix.edits) && rewritten(&fix.edits).is_some();
        return ChangeVerdict::Denied { found: with_fixes_of(found, alone, good), undoes };
    }
    ChangeVerdict::Denied { found, undoes }
}

/// The fault of a text; `None` when it balances.
fn diagnosis(text: Plain<'_>, before: Option<Plain<'_>>, edited: Option<Range<u32>>) -> Option<Diagnosis> {
    explained(text, repair_plain(text, before, edited))
}

/// The diagnosis of a text whose first mistake stands behind notation that is not known; where `declared` counts, also
/// of one that declares an unknown readtable.
fn unknown(text: Plain<'_>, declared: bool) -> Option<Diagnosis> {
    let declares = || unknown_readtable(text.tree, text.text).filter(|_| declared);
    let notation = unknown_notation(text.tree, text.text).or_else(declares)?;
    diagnose_notation(text.text, text.tree, &notation)
}

/// The diagnosis of a text from the repairer's answer.
fn explained(text: Plain<'_>, outcome: Outcome) -> Option<Diagnosis> {
    let found = (outcome != Outcome::Balanced).then(|| explain(text.text, text.tree, outcome))?;
    found.filter(|found| found.kind != DiagnosticKind::TooDeep)
}

/// `found` with the fixes of another diagnosis of the same text before its own, and the `good` ones first. None of them
/// is certain.
fn with_fixes_of(found: Diagnosis, other: Diagnosis, good: impl Fn(&Fix) -> bool) -> Diagnosis {
    let mut fixes = other.fixes;
    for fix in found.fixes {
        if !fixes.iter().any(|known| known.edits == fix.edits) {
            fixes.push(fix);
        }
    }
    fixes.sort_by_key(|fix| !good(fix));
    Diagnosis { likely_at: other.likely_at, fixes, repaired: None, ..found }
}

/// `text` after `edits` is `other`.
fn gives(text: &str, edits: &[TextEdit], other: &str) -> bool {
    let (added, removed) =
        edits.iter().fold((0, 0), |(added, removed), edit| (added + edit.inserted.len(), removed + edit.removed.len()));
    text.len() + added == other.len() + removed && apply(text, edits) == other
}

/// The edits remove an opener. Its author meant a list, and the text without it has another meaning.
fn removes_an_opener(edits: &[TextEdit]) -> bool {
    edits.iter().any(|edit| {
        let openers = |side: &str| side.matches(['(', '[', '{']).count();
        openers(&edit.removed) > openers(&edit.inserted)
    })
}

/// Judges a change of a broken file. It is refused only for a form that the change breaks, not for older faults.
fn judge_broken(change: &ChangedFile, before: &str, after: Plain<'_>) -> ChangeVerdict {
    let language = after.tree.language();
    let Some(worse) = made_worse(change, before, &read(after.text, language), language) else {
        return diagnosis(after, None, None).map_or(ChangeVerdict::Pass, ChangeVerdict::Noted);
    };
    let form = &after.text[worse.range()];
    let own = read_plain(form, after.tree.language_at(worse.start));
    let alone = diagnosis(Plain { text: form, tree: &own }, None, None).map(|found| found.of_part(after.text, worse));
    let found = alone.or_else(|| diagnosis(after, None, None));
    found.map_or(ChangeVerdict::Pass, |found| ChangeVerdict::Denied { found, undoes: false })
}

/// Judges a file after a call: its fault is noted, unless the file was broken before.
pub fn judge_after(before: Option<&str>, after: &str, language: &Language) -> ChangeVerdict {
    let tree = read_plain(after, language);
    if !is_broken(&tree) {
        return ChangeVerdict::Pass;
    }
    let old_tree = read_plain(before.unwrap_or_default(), language);
    if is_broken(&old_tree) {
        return ChangeVerdict::Pass;
    }
    let before = before.map(|text| Plain { text, tree: &old_tree });
    // It was told before the call.
    if unknown(Plain { text: after, tree: &tree }, before.is_none()).is_some() {
        return ChangeVerdict::Pass;
    }
    diagnosis(Plain { text: after, tree: &tree }, before, None).map_or(ChangeVerdict::Pass, ChangeVerdict::Noted)
}

/// The text has a fault. Nesting beyond the limits of readers does not count as one.
pub(crate) fn is_broken(tree: &Tree) -> bool {
    tree.diagnostics().iter().any(|diagnostic| diagnostic.kind != DiagnosticKind::TooDeep)
}

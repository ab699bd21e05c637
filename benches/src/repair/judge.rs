//! The value of an answer, and the sums of answers.

use std::collections::HashSet;

use lispwright_repair::{Candidate, Doubt, Earlier, Outcome, Unrepaired, renested, repair_without};
use lispwright_syntax::LineIndex;

use super::case::{Case, View};
use super::sample::{is_sound, same_meaning, top_level};

/// A reported line at most this many lines from the fault leads to it.
const NEAR: u32 = 3;
/// The number of candidates that a person looks at.
const SHOWN: usize = 3;

/// The result for a damaged text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The bytes of the original.
    Exact,
    /// Other white space or comments, the same tree.
    Same,
    /// Nothing was changed, and the answer reports a place.
    Refused {
        /// One of the first candidates is the original, or the reported line is near a fault.
        located: bool,
        /// The first candidate is the original.
        first: bool,
    },
    /// The text balances and means something else.
    Wrong {
        /// Every form that was not damaged is unchanged.
        neighbours: bool,
    },
    /// The damage balances, and the text stays as it is.
    Untouched {
        /// The answer reports its indentation, near the form.
        reported: bool,
    },
}

/// The sum of verdicts. Damage that balances is counted separately.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cases: f64,
    pub(crate) exact: f64,
    pub(crate) same: f64,
    pub(crate) refused: f64,
    pub(crate) located: f64,
    pub(crate) first: f64,
    pub(crate) wrong: f64,
    pub(crate) neighbours: f64,
    /// Damage that balances.
    pub(crate) hidden: f64,
    /// … and was left alone.
    pub(crate) untouched: f64,
    /// … and reported.
    pub(crate) reported: f64,
    /// … and put right.
    pub(crate) restored: f64,
}

impl Tally {
    /// Adds a verdict on damage that does not balance.
    pub(crate) fn count(&mut self, verdict: Verdict) {
        self.cases += 1.0;
        match verdict {
            Verdict::Exact => {
                self.exact += 1.0;
                self.same += 1.0;
            }
            Verdict::Same => self.same += 1.0,
            Verdict::Refused { located, first } => {
                self.refused += 1.0;
                self.located += f64::from(u8::from(located));
                self.first += f64::from(u8::from(first));
            }
            Verdict::Wrong { .. } | Verdict::Untouched { .. } => self.wrong += 1.0,
        }
        self.neighbours += f64::from(u8::from(!matches!(verdict, Verdict::Wrong { neighbours: false })));
    }

    /// Adds a verdict on damage that balances.
    pub(crate) fn count_hidden(&mut self, verdict: Verdict) {
        self.hidden += 1.0;
        match verdict {
            Verdict::Exact | Verdict::Same => self.restored += 1.0,
            Verdict::Untouched { reported } => {
                self.untouched += 1.0;
                self.reported += f64::from(u8::from(reported));
            }
            Verdict::Refused { .. } => self.reported += 1.0,
            Verdict::Wrong { .. } => {}
        }
    }

    /// Adds another tally as if it had `weight` cases.
    pub(crate) fn add(&mut self, other: &Self, weight: f64) {
        if other.cases > 0.0 {
            let scale = weight / other.cases;
            self.cases += weight;
            self.exact += other.exact * scale;
            self.same += other.same * scale;
            self.refused += other.refused * scale;
            self.located += other.located * scale;
            self.first += other.first * scale;
            self.wrong += other.wrong * scale;
            self.neighbours += other.neighbours * scale;
        }
        self.hidden += other.hidden;
        self.untouched += other.untouched;
        self.reported += other.reported;
        self.restored += other.restored;
    }

    /// Adds another tally case by case.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.add(other, other.cases);
    }
}

/// The repairer's answer to a case, with a verdict.
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// Its answer in words.
    pub(crate) answer: String,
    /// The doubt about its likeliest answer.
    pub(crate) doubt: Option<Doubt>,
    /// How many times likelier than the next its repair is by its own account, as a natural logarithm.
    pub(crate) margin: Option<f32>,
}

/// The repairer's answer to a case with the context `view`, without the doubts `without`.
pub(crate) fn judge(case: &Case, view: &View, without: &[Doubt]) -> Judged {
    let earlier = Earlier { text: view.earlier.as_deref(), edited: view.edited.clone() };
    let (verdict, answer, doubt, margin) = match repair_without(without, &case.damaged, case.dialect, &earlier) {
        Outcome::Balanced => (Verdict::Untouched { reported: is_reported(case) }, String::new(), None, None),
        Outcome::Repaired(repair) => (compare(case, &repair.text), repair.text, None, Some(repair.margin)),
        Outcome::Refused(refusal) => (located(case, &refusal), described(case, &refusal), refusal.doubt, None),
    };
    Judged { verdict, answer, doubt, margin }
}

fn located(case: &Case, refusal: &Unrepaired) -> Verdict {
    let lines = LineIndex::new(case.damaged.as_bytes());
    let near = case.at.iter().any(|&at| refusal.diagnosis.line.abs_diff(lines.line(at as u32)) <= NEAR);
    let right = |candidate: &Candidate| {
        let mut text = case.damaged.clone();
        for edit in candidate.edits.iter().rev() {
            text.replace_range(edit.range(), &edit.inserted);
        }
        text == case.truth || same_meaning(&text, &case.truth, case.dialect)
    };
    let place = refusal.candidates.iter().take(SHOWN).position(right);
    Verdict::Refused { located: near || place.is_some(), first: place == Some(0) }
}

fn is_reported(case: &Case) -> bool {
    let lines = LineIndex::new(case.damaged.as_bytes());
    let found = renested(&case.damaged, case.dialect);
    case.at.iter().any(|&at| {
        let fault = lines.line(at as u32);
        found.iter().any(|form| form.form_line <= fault + NEAR && fault <= form.line + NEAR)
    })
}

fn described(case: &Case, refusal: &Unrepaired) -> String {
    let lines = LineIndex::new(case.damaged.as_bytes());
    let faults: Vec<u32> = case.at.iter().map(|&at| lines.line(at as u32)).collect();
    let candidates: Vec<String> = refusal
        .candidates
        .iter()
        .map(|candidate| {
            let Candidate { line, after, added, removed, .. } = candidate;
            format!("\n    line {line} +{added} -{removed}: {}", after.trim())
        })
        .collect();
    format!("{} line {} (faults {faults:?}){}", refusal.reason, refusal.diagnosis.line, candidates.concat())
}

/// The verdict on another method's answer; `None` means that it gave up.
pub(crate) fn judge_other(case: &Case, answer: Option<&str>) -> Verdict {
    match answer {
        None => Verdict::Refused { located: false, first: false },
        Some(text) if case.balances && same_meaning(text, &case.damaged, case.dialect) => {
            Verdict::Untouched { reported: false }
        }
        Some(text) => compare(case, text),
    }
}

/// The verdict on a balanced text, by comparison with the truth.
fn compare(case: &Case, answer: &str) -> Verdict {
    if answer == case.truth {
        return Verdict::Exact;
    }
    if is_sound(answer, case.dialect) && same_meaning(answer, &case.truth, case.dialect) {
        return Verdict::Same;
    }
    let forms = top_level(answer, case.dialect).unwrap_or_default();
    let kept: HashSet<&str> = forms.into_iter().map(|form| &answer[form]).collect();
    let neighbours = case.neighbours.iter().all(|form| kept.contains(&case.truth[form.clone()]));
    Verdict::Wrong { neighbours }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use lispwright_syntax::Dialect;

    use super::*;

    fn case(truth: &str, damaged: &str) -> Case {
        let dialect = Dialect::CommonLisp;
        let mut neighbours = top_level(truth, dialect).unwrap();
        neighbours.remove(0);
        let balances = is_sound(damaged, dialect);
        let (truth, damaged, file) = (truth.to_owned(), damaged.to_owned(), PathBuf::new());
        Case { dialect, file, truth, damaged, balances, at: vec![5], outside: false, neighbours, views: Vec::new() }
    }

    #[test]
    fn another_tree_is_wrong_even_if_it_balances() {
        let case = case("(a (b) c)\n(d)\n", "(a (b c)\n(d)\n");
        assert_eq!(compare(&case, "(a (b) c)\n(d)\n"), Verdict::Exact);
        assert_eq!(compare(&case, "(a (b) ; x\n   c)\n(d)\n"), Verdict::Same);
        assert_eq!(compare(&case, "(a (b c))\n(d)\n"), Verdict::Wrong { neighbours: true });
        assert_eq!(compare(&case, "(a (b) c\n(d))\n"), Verdict::Wrong { neighbours: false });
        assert_eq!(judge_other(&case, None), Verdict::Refused { located: false, first: false });
    }

    #[test]
    fn damage_that_balances_is_counted_apart() {
        let case = case("(a (b) c)\n(d)\n", "(a (b c))\n(d)\n");
        assert!(case.balances);
        let mut tally = Tally::default();
        tally.count_hidden(judge_other(&case, Some("(a (b  c))\n(d)\n")));
        tally.count_hidden(judge_other(&case, Some("(a (b) c)\n(d)\n")));
        tally.count_hidden(judge_other(&case, Some("(a b c)\n(d)\n")));
        assert_eq!((tally.hidden, tally.untouched, tally.restored, tally.cases), (3.0, 1.0, 1.0, 0.0));
    }

    #[test]
    fn a_share_weighs_a_tally_whatever_its_size() {
        let (mut many, mut few, mut all) = (Tally::default(), Tally::default(), Tally::default());
        (0..90).for_each(|_| many.count(Verdict::Exact));
        few.count(Verdict::Wrong { neighbours: true });
        all.add(&many, 3.0);
        all.add(&few, 1.0);
        assert_eq!((all.cases, all.exact, all.wrong, all.neighbours), (4.0, 3.0, 1.0, 4.0));
    }
}

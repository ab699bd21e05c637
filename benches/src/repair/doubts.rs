//! The value of the repairer's doubts: the verdicts on the cases that each of them refuses, without the doubt.

use std::fmt::Write as _;

use lispwright_repair::Doubt;

use super::Results;
use super::judge::Verdict;

/// The doubts that `LISPWRIGHT_REPAIR_WITHOUT` names.
pub(crate) fn left_out() -> Vec<Doubt> {
    let names = std::env::var("LISPWRIGHT_REPAIR_WITHOUT").unwrap_or_default();
    let named = |name: &str| Doubt::ALL.iter().copied().find(|doubt| doubt.name() == name);
    let known = || Doubt::ALL.iter().map(|doubt| doubt.name()).collect::<Vec<_>>().join(", ");
    let doubts = names.split(',').filter(|name| !name.is_empty());
    doubts
        .map(|name| {
            named(name).unwrap_or_else(|| {
                eprintln!("there is no doubt {name}; the doubts are {}", known());
                std::process::exit(2)
            })
        })
        .collect()
}

/// The refusals with a doubt as their reason, and their verdicts without it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Worth {
    refused: u32,
    wrong: u32,
    right: u32,
}

impl Worth {
    /// Counts a refusal; `without` is the verdict without the doubt.
    pub(crate) fn count(&mut self, without: Verdict) {
        self.refused += 1;
        match without {
            Verdict::Exact | Verdict::Same => self.right += 1,
            Verdict::Wrong { .. } => self.wrong += 1,
            Verdict::Refused { .. } | Verdict::Untouched { .. } => {}
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.refused += other.refused;
        self.wrong += other.wrong;
        self.right += other.right;
    }
}

/// A row for every doubt.
pub(crate) fn render(results: &Results) -> String {
    let mut out = String::from(
        "| doubt | what it sees | refused for it | … wrong without it | … right without it |\n\
         | --- | --- | ---: | ---: | ---: |\n",
    );
    for doubt in Doubt::ALL {
        let Worth { refused, wrong, right } = results.doubts.get(doubt).copied().unwrap_or_default();
        let _ = writeln!(out, "| {} | {} | {refused} | {wrong} | {right} |", doubt.name(), doubt.about());
    }
    let (texts, wanted) = (results.texts, results.wanted);
    let _ = writeln!(out, "\n{texts} damaged texts; up to {wanted} of each class, corpus and situation.");
    out
}

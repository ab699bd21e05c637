//! Whether the repairer's confidence is justified: the share of right answers by the confidence that it states.

use std::fmt::Write as _;

use super::Results;
use super::judge::Verdict;

/// The ranges of confidence, each from its first number on, in percent.
const RANGES: [(f32, &str); 4] = [(0.0, "under 95"), (95.0, "95 to 99"), (99.0, "99 to 99.9"), (99.9, "over 99.9")];

/// A range of confidence, by its index in [`RANGES`], and whether the earlier text was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Range {
    known: bool,
    at: usize,
}

impl Range {
    /// The range of a repair that is `margin` times likelier than the next answer, as a natural logarithm.
    pub(crate) fn of(margin: f32, known: bool) -> Self {
        let stated = 100.0 / (1.0 + (-margin).exp());
        Self { known, at: RANGES.iter().rposition(|(least, _)| *least <= stated).unwrap_or(0) }
    }
}

/// The repairs of a range: their number, and their weights by the shares of their causes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stated {
    repairs: u32,
    all: f64,
    right: f64,
}

impl Stated {
    /// Counts a repair whose cause has this share.
    pub(crate) fn count(&mut self, verdict: Verdict, share: f64) {
        self.repairs += 1;
        self.all += share;
        self.right += if matches!(verdict, Verdict::Exact | Verdict::Same) { share } else { 0.0 };
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.repairs += other.repairs;
        self.all += other.all;
        self.right += other.right;
    }
}

/// A row for every range, without the earlier text and with it.
pub(crate) fn render(results: &Results) -> String {
    let mut out = String::from(
        "| confidence % | repairs without the earlier text | … right % | repairs with it | … right % |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for (at, (_, name)) in RANGES.iter().enumerate() {
        let cells = |known: bool| {
            let Stated { repairs, all, right } = results.stated.get(&Range { known, at }).copied().unwrap_or_default();
            let share = if repairs > 0 { format!("{:.1}", 100.0 * right / all) } else { "-".to_owned() };
            format!("{repairs} | {share}")
        };
        let _ = writeln!(out, "| {name} | {} | {} |", cells(false), cells(true));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_a_confidence() {
        let at = |margin| Range::of(margin, true).at;
        assert_eq!([at(0.0), at(2.9), at(3.0), at(4.7), at(24.0)], [0, 0, 1, 2, 3]);
    }
}

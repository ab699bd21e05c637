//! The problems that a project knows and does not want to be told: how many there are of each file, rule and message.
//!
//! A line has the number, the file, the rule and the message, apart by tabs. Lines of source are not in it, so that it
//! stays as it is when they move.

use std::collections::BTreeMap;

use lispwright_lint::lasting;

use crate::problems::Problem;

/// The first line.
const HEAD: &str = "# Problems that `lispwright lint` does not tell; `lispwright lint --write-baseline` writes them.\n";

/// How many problems are known, by file, rule and message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Baseline(BTreeMap<(String, String, String), usize>);

fn key(problem: &Problem) -> (String, String, String) {
    let message = lasting(&problem.message).replace(['\t', '\n', '\r'], " ");
    (problem.path.clone(), problem.code.to_owned(), message)
}

impl Baseline {
    /// The baseline that knows some problems.
    pub(crate) fn of(problems: &[Problem]) -> Self {
        let mut known = Self::default();
        for problem in problems {
            *known.0.entry(key(problem)).or_default() += 1;
        }
        known
    }

    /// Its text; lines that say nothing are passed over.
    pub(crate) fn read(text: &str) -> Self {
        let line = |line: &str| {
            let mut parts = line.splitn(4, '\t');
            let count: usize = parts.next()?.parse().ok()?;
            let mut next = || parts.next().map(str::to_owned);
            Some(((next()?, next()?, lasting(&next()?)), count))
        };
        let mut known = Self::default();
        for (key, count) in text.lines().filter_map(line) {
            *known.0.entry(key).or_default() += count;
        }
        known
    }

    /// Its text, in order.
    pub(crate) fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for ((path, rule, message), count) in &self.0 {
            text.push_str(&format!("{count}\t{path}\t{rule}\t{message}\n"));
        }
        text
    }

    /// Takes out the problems that it knows, as many as it counts, and gives the number of them.
    pub(crate) fn take_out(&self, problems: &mut Vec<Problem>) -> usize {
        let (mut left, all) = (self.0.clone(), problems.len());
        problems.retain(|problem| match left.get_mut(&key(problem)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        all - problems.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: u32, message: &str) -> Problem {
        Problem { code: "some-rule", path: "a.lisp".into(), line, message: message.into(), ..Problem::default() }
    }

    #[test]
    fn what_is_known_is_counted() {
        let known = [problem(3, "see line 9"), problem(4, "see line 9"), problem(5, "a\tb")];
        let baseline = Baseline::read(&Baseline::of(&known).text());
        assert_eq!(baseline, Baseline::of(&known));
        let mut now = vec![problem(13, "see line 19"), problem(14, "see line 19"), problem(15, "see line 19")];
        assert_eq!(baseline.take_out(&mut now), 2);
        assert_eq!(now.iter().map(|one| one.line).collect::<Vec<_>>(), [15]);
    }
}

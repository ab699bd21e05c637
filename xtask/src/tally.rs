//! Counts the results of all tests.

use crate::step::{Failure, Step, say};

/// The results so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    passed: u32,
    failed: u32,
    skipped: u32,
    failures: Vec<String>,
}

/// The numbers of passed, failed and skipped tests in one line of a test runner's output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    passed: u32,
    failed: u32,
    skipped: u32,
}

impl Tally {
    /// A single check: it counts as one test.
    pub(crate) fn check(&mut self, name: &str, step: &mut Step) {
        say(name);
        match step.run() {
            Ok(()) => self.passed += 1,
            Err(failure) => {
                println!("{failure}");
                self.failed += 1;
                self.failures.push(name.to_owned());
            }
        }
    }

    /// A check that has been made. `why` is shown if it has failed.
    pub(crate) fn note(&mut self, name: &str, passed: bool, why: &str) {
        if passed {
            self.passed += 1;
        } else {
            println!("{name}: {why}");
            self.failed += 1;
            self.failures.push(name.to_owned());
        }
    }

    /// A check that cannot be made here.
    pub(crate) fn skip(&mut self) {
        self.skipped += 1;
    }

    /// A script that passes when it succeeds and has printed a line that `is_last_word` accepts: some Lisps exit with 0
    /// after an error.
    pub(crate) fn check_said(
        &mut self,
        name: &str,
        step: &mut Step,
        is_last_word: impl Fn(&str) -> bool,
    ) -> Result<(), Failure> {
        say(name);
        let mut said = false;
        if step.watch(|line| said |= is_last_word(line))? && said {
            self.passed += 1;
        } else {
            self.failed += 1;
            self.failures.push(name.to_owned());
        }
        Ok(())
    }

    /// A test runner, whose output is counted.
    pub(crate) fn watch(
        &mut self,
        name: &str,
        step: &mut Step,
        count: impl Fn(&str) -> Option<Counts>,
    ) -> Result<(), Failure> {
        let mut failed = 0;
        let ended_well = step.watch(|line| {
            if let Some(counts) = count(line) {
                self.passed += counts.passed;
                self.skipped += counts.skipped;
                failed += counts.failed;
            }
        })?;
        // A runner that fails without a failed test has not run the tests.
        if !ended_well && failed == 0 {
            failed = 1;
        }
        if failed > 0 {
            self.failures.push(format!("{name} ({failed})"));
        }
        self.failed += failed;
        Ok(())
    }

    /// Prints the summary, which is the last line. Fails if any test failed.
    pub(crate) fn report(self) -> Result<(), Failure> {
        if !self.failures.is_empty() {
            println!("failed: {}", self.failures.join(", "));
        }
        println!("test: {} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped);
        if self.failed > 0 {
            std::process::exit(1);
        }
        Ok(())
    }
}

/// Reads nextest's `Summary [ 1.2s] 5 tests run: 3 passed (1 slow, 1 flaky), 1 failed, 1 timed out, 2 skipped`.
pub(crate) fn nextest_line(line: &str) -> Option<Counts> {
    let counted = line.trim_start().strip_prefix("Summary [")?.split_once(" run: ")?.1;
    let mut counts = Counts::default();
    // What is in parentheses is counted before them too.
    let outside = counted.split('(').enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once(')').map_or("", |(_, after)| after),
    });
    for part in outside.flat_map(|part| part.split(',')).map(str::trim).filter(|part| !part.is_empty()) {
        let (number, what) = part.split_once(' ')?;
        let number: u32 = number.parse().ok()?;
        match what {
            "passed" => counts.passed += number,
            "skipped" => counts.skipped += number,
            _ => counts.failed += number,
        }
    }
    Some(counts)
}

/// Reads cargo's `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`.
pub(crate) fn cargo_test_line(line: &str) -> Option<Counts> {
    let counted = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let mut counts = Counts::default();
    for part in counted.split(';') {
        let Some((number, what)) = part.trim().split_once(' ') else { continue };
        let Ok(number) = number.parse::<u32>() else { continue };
        match what {
            "passed" => counts.passed += number,
            "failed" => counts.failed += number,
            "ignored" => counts.skipped += number,
            _ => {}
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn nextest_summaries_are_counted() {
        let line = "     Summary [   1.234s] 9 tests run: 5 passed (1 slow, 1 flaky), 1 failed, 1 exec failed, 2 timed out, \
                    3 skipped";
        assert_eq!(nextest_line(line).unwrap(), Counts { passed: 5, failed: 4, skipped: 3 });
        let line = "     Summary [   0.005s] 1 test run: 1 passed, 0 skipped";
        assert_eq!(nextest_line(line).unwrap(), Counts { passed: 1, failed: 0, skipped: 0 });
        assert_eq!(nextest_line("        PASS [   0.005s] crate name"), None);
    }

    #[test]
    fn cargo_summaries_are_counted() {
        let line = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.01s";
        assert_eq!(cargo_test_line(line).unwrap(), Counts { passed: 3, failed: 2, skipped: 1 });
        assert_eq!(cargo_test_line("test some::test ... ok"), None);
    }
}

//! Test programs without a framework: a file that is run counts as one test, by its exit code and by the lines that it prints.

use lispwright_runtime::{Ending, EvalReport, FailedTest, Tally};

use crate::run_tests::Asked;
use crate::test_summary::Summary;

/// The name of the way in which they are counted.
pub const SCRIPT: &str = "script";

/// The exit status of a test program that skips itself, in the test drivers of Automake and Meson.
const SKIPPED: i64 = 77;

/// The results of a file in which no framework saw a test: of one test, if the file ended with an exit code or printed a line
/// that sums up tests; otherwise as they are.
pub(crate) fn counted(tally: Tally, report: &EvalReport, asked: &Asked) -> Tally {
    let is_script = tally.total() == 0
        && tally.running.is_none()
        && tally.others.is_empty()
        && asked.tests.is_empty()
        && asked.framework.is_none()
        && !asked.is_system
        && report.ending == Ending::Tested;
    if !is_script {
        return tally;
    }
    let printed = [&report.stdout, &report.stderr].map(|printed| [printed.head.as_str(), printed.tail.as_str()]);
    let lines = printed.iter().flatten().flat_map(|text| text.lines());
    let summed: Vec<(&str, Summary)> = lines.filter_map(|line| Some((line, Summary::of(line)?))).collect();
    let line_of = |wanted| summed.iter().filter(move |(_, summary)| *summary == wanted).map(|(line, _)| line.trim());
    let failed: Vec<&str> = line_of(Summary::Failed).collect();
    let bad_exit = tally.exit_status.filter(|status| *status != 0);
    let names = vec![asked.name.clone()];
    let tally = Tally { framework: SCRIPT.to_owned(), name_count: 1, names, ..tally };
    if bad_exit == Some(SKIPPED) && failed.is_empty() {
        return Tally { pending: 1, exit_status: None, ..tally };
    }
    if bad_exit.is_some() || !failed.is_empty() {
        let exit = bad_exit.map(|status| format!("It ended with exit code {status}."));
        let said = failed.first().map(|line| format!("It printed: {line}"));
        let last = failed.last().filter(|_| failed.len() > 1).map(|line| format!("and at last: {line}"));
        let reason = exit.into_iter().chain(said).chain(last).collect::<Vec<_>>().join("\n");
        let test = FailedTest {
            name: asked.name.clone(),
            description: String::new(),
            reason,
            form: None,
            values: Vec::new(),
            file: None,
            line: None,
            frames: Vec::new(),
        };
        return Tally { failed: 1, failed_tests: vec![test], ..tally };
    }
    match line_of(Summary::Passed).next_back() {
        Some(line) => {
            let told = vec![(asked.name.clone(), line.to_owned())];
            Tally { passed: 1, told, ..tally }
        }
        None => Tally { framework: "none".to_owned(), ..tally },
    }
}

//! The results of tests, in terms that all test frameworks share.

use crate::eval::{Frame, frames};
use crate::wire::Value;
use crate::work::count;

/// A test that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTest {
    /// Its name; may be empty.
    pub name: String,
    /// The groups it is in, or its own description.
    pub description: String,
    /// The reason of the failure.
    pub reason: String,
    /// The form that was tested.
    pub form: Option<String>,
    /// The values of interest, as (name, value).
    pub values: Vec<(String, String)>,
    /// The file it is in, absolute.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The innermost frames of the project when its error was signalled, at most 3.
    pub frames: Vec<Frame>,
}

/// The results of a test run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The framework that ran them; several names are joined with commas.
    pub framework: String,
    /// Frameworks that also have tests there, which were not asked for.
    pub others: Vec<String>,
    /// The number of tests that passed.
    pub passed: u32,
    /// The number of tests that failed.
    pub failed: u32,
    /// The number of tests that were skipped or failed as expected.
    pub pending: u32,
    /// The failed tests in their order, at most 100.
    pub failed_tests: Vec<FailedTest>,
    /// The names of all tests, at most 200.
    pub names: Vec<String>,
    /// The number of all tests.
    pub name_count: u32,
    /// The names of their groups, at most 200.
    pub groups: Vec<String>,
    /// Systems whose own test run gave nothing to judge it by, with its result: `returned NIL`.
    pub unknown: Vec<(String, String)>,
    /// Systems whose own test run is judged by a line that it printed, with that line.
    pub told: Vec<(String, String)>,
    /// Names of tests that the project's own run leaves out, at most 200.
    pub left_out: Vec<String>,
    /// The number of tests that it leaves out.
    pub left_out_count: u32,
    /// The system and the framework of the first of them.
    pub left_out_of: (String, String),
    /// Systems whose tests were run one by one because their own run showed none.
    pub run_for: Vec<String>,
    /// Systems whose own test run ended in an error after tests had failed in it, with the reason.
    pub ended_early: Vec<(String, String)>,
    /// Frameworks of a system without a test run of its own whose tests cannot be run one by one.
    pub only_observed: Vec<String>,
    /// Names that were asked for and belong to no test or group.
    pub unmatched: Vec<String>,
    /// The tests ended with an exit of this status.
    pub exit_status: Option<i64>,
    /// The test that ran when the run was ended.
    pub running: Option<String>,
    /// Sentences about the tests: a wrong plan, a test that passed and was expected to fail.
    pub notes: Vec<String>,
    /// The number of lines that were printed outside of tests and are left out: the framework's own report.
    pub muted: u32,
    /// The files of the tests, absolute, at most 200.
    pub files: Vec<String>,
}

impl Tally {
    /// The number of all tests, where each of [`Self::unknown`] counts as one.
    pub fn total(&self) -> u32 {
        self.passed + self.failed + self.pending + self.unknown.len() as u32
    }

    /// Reads an answer that has the results of tests.
    pub(crate) fn read(answer: &Value) -> Option<Self> {
        let texts = |name| -> Vec<String> {
            answer.get_list(name).iter().filter_map(Value::as_text).map(str::to_owned).collect()
        };
        let pairs = |name| answer.get_list(name).iter().map(Value::text_pair).collect();
        Some(Self {
            framework: answer.get_text("FRAMEWORK")?.to_owned(),
            passed: count(answer, "PASSED").unwrap_or(0),
            failed: count(answer, "FAILED").unwrap_or(0),
            pending: count(answer, "SKIPPED").unwrap_or(0),
            failed_tests: answer.get_list("FAILED-TESTS").iter().map(FailedTest::read).collect(),
            names: texts("NAMES"),
            name_count: count(answer, "NAME-COUNT").unwrap_or(texts("NAMES").len() as u32),
            groups: texts("GROUPS"),
            unknown: pairs("UNKNOWN"),
            told: pairs("TOLD"),
            left_out: texts("LEFT-OUT"),
            left_out_count: count(answer, "LEFT-OUT-COUNT").unwrap_or(0),
            left_out_of: answer.get("LEFT-OUT-OF").map(Value::text_pair).unwrap_or_default(),
            run_for: texts("RUN-FOR"),
            ended_early: pairs("ENDED-EARLY"),
            only_observed: texts("ONLY-OBSERVED"),
            others: texts("OTHERS"),
            unmatched: texts("UNMATCHED"),
            exit_status: answer.get_integer("EXIT-STATUS"),
            running: answer.get_text("RUNNING").map(str::to_owned),
            notes: texts("NOTES"),
            muted: count(answer, "MUTED").unwrap_or(0),
            files: texts("FILES"),
        })
    }
}

impl FailedTest {
    fn read(value: &Value) -> Self {
        let text = |name| value.get_text(name).unwrap_or_default().to_owned();
        Self {
            name: text("NAME"),
            description: text("DESCRIPTION"),
            reason: text("REASON"),
            form: value.get_text("FORM").map(str::to_owned),
            values: value.get_list("VALUES").iter().map(Value::text_pair).collect(),
            file: value.get_text("FILE").map(str::to_owned),
            line: count(value, "LINE"),
            frames: frames(value),
        }
    }
}

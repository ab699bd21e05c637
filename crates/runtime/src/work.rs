//! Loading and testing: the targets, and the results of compilers and test frameworks in common terms.

use crate::renewal::Renewal;
use crate::wire::{Value, keyed};

/// The target of a load or a test run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadTarget {
    /// A file, by its absolute path.
    Path(String),
    /// A system, module or namespace, by its name.
    System(String),
}

impl LoadTarget {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        match self {
            Self::Path(path) => keyed([("PATH", Value::text(path))]),
            Self::System(name) => keyed([("SYSTEM", Value::text(name))]),
        }
    }
}

/// The parts of the project that an image needs in order to find its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Its directories, absolute.
    pub roots: Vec<String>,
    /// Its files that define systems (`.asd`), absolute, those nearest to a root first: [`crate::definition_files`].
    pub definitions: Vec<String>,
    /// What has to be loaded anew before the target.
    pub renewal: Renewal,
}

impl Project {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        let mut arguments = self.place();
        arguments.extend(self.renewal.arguments());
        arguments
    }

    /// Where it is, as arguments.
    pub(crate) fn place(&self) -> Vec<Value> {
        let roots = self.roots.iter().map(|root| Value::text(format!("{}/", root.trim_end_matches('/')))).collect();
        let definitions = self.definitions.iter().map(Value::text).collect();
        keyed([("ROOTS", Value::List(roots)), ("DEFINITIONS", Value::List(definitions))])
    }
}

/// A message of a compiler or loader about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerDiagnostic {
    /// `error`, `warning`, `style-warning` or `note`.
    pub severity: String,
    /// The runtime's name for the mistake.
    pub type_name: String,
    /// The message.
    pub message: String,
    /// The file, absolute.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The definition it is in, such as `DEFUN FOO`.
    pub form: Option<String>,
}

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
        }
    }
}

impl CompilerDiagnostic {
    pub(crate) fn read(value: &Value) -> Self {
        let text = |name| value.get_text(name).unwrap_or_default().to_owned();
        Self {
            severity: text("SEVERITY"),
            type_name: text("TYPE"),
            message: text("MESSAGE"),
            file: value.get_text("FILE").map(str::to_owned),
            line: count(value, "LINE"),
            column: count(value, "COLUMN"),
            form: value.get_text("FORM").map(str::to_owned),
        }
    }
}

fn count(value: &Value, name: &str) -> Option<u32> {
    value.get_integer(name).and_then(|number| u32::try_from(number).ok())
}

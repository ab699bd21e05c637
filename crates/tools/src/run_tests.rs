//! `run_tests`: runs the tests of a file, module or system in a live image and reports the failures.

use std::path::Path;
use std::time::Duration;

use lispwright_index::Index;
use lispwright_runtime::{
    Ending, EvalReport, FailedTest, Frame, LoadTarget, Notice, Project, Request, Runtime, Tally, TimeLimit,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes::ImageChanges;
use crate::confirm::{Compared, Outcome, Run};
use crate::eval_answer::EvalAnswer;
use crate::live_fault::LiveFault;
use crate::refusal::Refusal;
use crate::repl_eval::{Visiting, seconds, time_limit_or};
use crate::repl_work::{
    DiagnosticFacts, Done, Work, WorkFailure, diagnostics_of, leave_out_loaders, other_ending, relative,
};
use crate::test_goals::Goal;
use crate::test_script;
use crate::test_several::{GoalFacts, Several, TestSelection};
use crate::test_twins::{TestTwins, twins};
use crate::tool::CallContext;
use crate::unbound::Unbound;
use crate::workshop::Workshop;

/// The default time limit of tests.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The longest time for which the answer waits for a fresh image when tests fail that did not fail before.
const LONGEST_DOUBT: Duration = Duration::from_secs(20);

/// Arguments of `run_tests`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTests {
    /// System or module; default: all
    #[serde(default)]
    pub system: Option<String>,
    /// File or directory
    #[serde(default)]
    pub path: Option<String>,
    /// fiveam, rt, asdf, ert, ...
    #[serde(default)]
    pub framework: Option<String>,
    /// Name, group, prefix*
    #[serde(default)]
    pub test: Option<String>,
    /// Tests
    #[serde(default)]
    pub tests: Option<Vec<String>>,
    /// Failed
    #[serde(default)]
    pub failed: bool,
    /// By changes
    #[serde(default)]
    pub affected: bool,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// In a fresh image, too
    #[serde(default)]
    pub fresh: bool,
    /// Default 300
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

/// The results of tests.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TestAnswer {
    /// The ending of the call, if it is neither of the tests nor an error in them.
    #[serde(flatten)]
    #[schemars(skip)]
    pub otherwise: Option<EvalAnswer>,
    /// What was chosen, if the call named neither a system nor a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<TestSelection>,
    /// The systems and files that were run for such a call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<GoalFacts>,
    /// There was no green run to compare with, so all were run.
    #[serde(skip)]
    pub is_first: bool,
    /// The number of passed tests.
    pub passed: u32,
    /// The number of failed tests.
    pub failed: u32,
    /// The number of tests that were skipped or are expected to fail.
    pub pending: u32,
    /// The number of tests with an unknown result.
    pub unknown: usize,
    /// The number of all tests.
    pub total: u32,
    /// Their framework.
    pub framework: String,
    /// Requested names that no test has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// Tests that exist and did not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The test that was running at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// The session.
    pub session: String,
    /// Its duration.
    pub duration_ms: f64,
    /// The failed tests.
    pub failed_tests: Vec<FailedTestFacts>,
    /// Tests of one name, of which only the last one ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<TestTwins>,
    /// Diagnostics of the compiler and the loader.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<DiagnosticFacts>,
    /// The failure.
    #[serde(flatten)]
    pub failure: WorkFailure,
    /// What it has changed in the image besides.
    #[serde(skip_serializing_if = "ImageChanges::is_empty")]
    pub changes: ImageChanges,
    /// The names that it says are not bound, with what the files know of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unbound: Vec<Unbound>,
    /// They have other results in a fresh image.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub differs_in_fresh: bool,
    /// The verdict on all of them together; `None` if the call ended otherwise.
    #[serde(skip)]
    pub verdict: Option<Verdict>,
    /// The request.
    #[serde(skip)]
    pub asked: Asked,
    /// The results from the frameworks.
    #[serde(skip)]
    pub tally: Tally,
    /// The full answer of the image.
    #[serde(skip)]
    pub report: EvalReport,
}

/// A test that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedTestFacts {
    /// Its name.
    pub test_name: String,
    /// Its groups, or its description.
    pub description: String,
    /// The form that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Expected and actual values.
    pub values: Vec<TestValue>,
    /// The reason of its failure.
    pub reason: String,
    /// Its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<TestSource>,
    /// The innermost frames of the project at its error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<TestFrame>,
}

/// A call on the stack of a test's error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestFrame {
    /// The call, with its arguments as far as they are known.
    pub call: String,
    /// The file, as calls name it.
    pub path: String,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// A value in the report of a failed test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestValue {
    /// Its role.
    pub name: String,
    /// Its printed form.
    pub value: String,
}

/// The place of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestSource {
    /// The file, as calls name it.
    pub path: String,
    /// The line, from 1.
    pub line: Option<u32>,
}

/// The verdict on a run of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// One of them ended the process.
    LeftEarly,
    /// An error prevented their load.
    NotLoaded,
    /// An error ended them.
    Broken,
    /// None ran.
    None,
    /// None failed, and the process ended with this exit code.
    BadExit(i64),
    /// Some have an unknown result.
    Unknown,
    /// They are counted.
    Counted,
    /// No test had to be run.
    Needless,
}

/// The requested tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The system, module or file of the call.
    pub name: String,
    /// It is a system or module.
    pub is_system: bool,
    /// Only those of this framework.
    pub framework: Option<String>,
    /// Only those of these names, if there are any.
    pub tests: Vec<String>,
}

impl RunTests {
    /// The names of the tests that are asked for.
    pub(crate) fn wanted(&self) -> Vec<String> {
        self.tests.iter().flatten().chain(&self.test).cloned().collect()
    }
}

impl TestAnswer {
    /// The answer with the result in a fresh image, which is waited for at most for `limit`.
    async fn compared(mut self, workshop: &Workshop, session: &str, limit: Duration, context: &CallContext) -> Self {
        let compared = tokio::select! {
            biased;
            () = context.cancel.cancelled() => Compared::NotYet,
            compared = workshop.confirmations.wait(session, limit) => compared,
        };
        if compared == Compared::NotYet {
            self.report.notices.push(Notice::Comparing);
        }
        self.report.notices.extend(workshop.sessions.take_notices(session));
        self.differs_in_fresh = compared == Compared::Differs;
        self
    }

    /// The answer when none was run.
    pub(crate) fn of_nothing(asked: Asked, report: EvalReport) -> Self {
        Self {
            otherwise: None,
            selection: None,
            goals: Vec::new(),
            is_first: false,
            passed: 0,
            failed: 0,
            pending: 0,
            unknown: 0,
            total: 0,
            framework: String::new(),
            unmatched: Vec::new(),
            left_out: Vec::new(),
            running: None,
            session: report.session.clone(),
            duration_ms: 0.0,
            failed_tests: Vec::new(),
            twins: Vec::new(),
            unbound: Vec::new(),
            diagnostics: Vec::new(),
            failure: WorkFailure { code: None, retryable: None, activity: None },
            changes: ImageChanges::default(),
            differs_in_fresh: false,
            verdict: None,
            asked,
            tally: Tally::default(),
            report,
        }
    }

    /// The answer with this verdict.
    pub(crate) fn judged(self, verdict: Verdict) -> Self {
        let failure = WorkFailure::new(verdict.code(), &self.report, None);
        Self { verdict: Some(verdict), failure, ..self }
    }

    /// No test ran, or an unexpected ending. Failed tests are an answer.
    pub fn is_error(&self) -> bool {
        self.failure.code.is_some()
            || self.differs_in_fresh
            || self.otherwise.as_ref().is_some_and(EvalAnswer::is_error)
    }

    /// The exit status for scripts: a success needs a test that passed.
    pub fn is_success(&self) -> bool {
        let has_passed = self.passed > 0 && self.failed == 0 && self.unknown == 0 && self.unmatched.is_empty();
        !self.is_error() && (has_passed || self.verdict == Some(Verdict::Needless))
    }

    /// Whether the tests were searched and run; otherwise their results are unknown.
    pub fn has_run(&self) -> bool {
        self.total > 0
            || matches!(self.verdict, Some(Verdict::None | Verdict::Unknown | Verdict::Counted | Verdict::Needless))
    }
}

impl Verdict {
    fn of(report: &EvalReport, tally: &Tally) -> Self {
        let has_ended = !matches!(report.ending, Ending::Error { .. });
        match tally.exit_status {
            _ if has_ended && tally.running.is_some() => Self::LeftEarly,
            _ if !has_ended && tally.total() == 0 && tally.running.is_none() => Self::NotLoaded,
            _ if !has_ended => Self::Broken,
            _ if tally.total() == 0 => Self::None,
            Some(status) if tally.failed == 0 && status != 0 => Self::BadExit(status),
            _ if !tally.unknown.is_empty() => Self::Unknown,
            _ => Self::Counted,
        }
    }

    fn code(self) -> Option<&'static str> {
        match self {
            Self::LeftEarly | Self::NotLoaded | Self::Broken | Self::BadExit(_) => Some("LISP_ERROR"),
            Self::None => Some("BAD_ARGUMENT"),
            Self::Unknown | Self::Counted | Self::Needless => None,
        }
    }
}

/// Loads the tests afresh and runs them: those of a system or file, or of all of a directory or the project. Cancelling the
/// context interrupts them.
pub async fn run_tests(workshop: &Workshop, args: RunTests, context: &CallContext) -> Result<TestAnswer, Refusal> {
    let timeout = time_limit_or(args.timeout_seconds, TIMEOUT)?;
    let limit = seconds(args.timeout_seconds)?.unwrap_or(TIMEOUT);
    let is_fresh_asked = args.fresh;
    let is_directory = |path: &String| workshop.workspace.absolute(path).is_dir();
    let is_one = args.system.is_some() || args.path.as_ref().is_some_and(|path| !is_directory(path));
    let (answer, again) = if is_one && !args.failed && !args.affected {
        let Tested { answer, again } = run_goal(workshop, args, timeout, context).await?;
        (answer, again.into_iter().collect())
    } else {
        Several::of(workshop, &args, context).await?.run(workshop, &args, timeout, context).await?
    };
    let news: Vec<String> = again.iter().filter(|again| again.is_news).map(|again| again.session.clone()).collect();
    let mut sessions: Vec<(String, Vec<Run>, Index)> = Vec::new();
    for Again { session, run, files, .. } in again.into_iter().filter(|again| again.is_due) {
        match sessions.iter_mut().find(|known| known.0 == session) {
            // The files are those of the last run: if they changed since the first one, it says nothing.
            Some(known) => {
                known.1.push(run);
                known.2 = files;
            }
            None => sessions.push((session, vec![run], files)),
        }
    }
    let mut answer = answer;
    for (session, runs, files) in sessions {
        workshop.confirmations.begin(workshop, &session, runs, files, is_fresh_asked);
        // What earlier runs have left in the image can fail a test, too.
        let limit = if is_fresh_asked { limit } else { limit.min(LONGEST_DOUBT) };
        if is_fresh_asked || news.contains(&session) {
            answer = answer.compared(workshop, &session, limit, context).await;
        }
    }
    Ok(answer)
}

/// A run of the tests of one goal.
pub(crate) struct Tested {
    pub(crate) answer: TestAnswer,
    /// How to run them again; `None` if they did not come to a verdict.
    pub(crate) again: Option<Again>,
}

/// What it takes to run tests again in a fresh image.
pub(crate) struct Again {
    pub(crate) session: String,
    run: Run,
    /// The files that they ran with.
    files: Index,
    /// The image was not a fresh one.
    pub(crate) is_due: bool,
    /// A test failed that did not fail before in this image.
    is_news: bool,
}

/// Runs the tests of a system, module or file.
pub(crate) async fn run_goal(
    workshop: &Workshop,
    args: RunTests,
    timeout: TimeLimit,
    context: &CallContext,
) -> Result<Tested, Refusal> {
    let (system, path) = (args.system.as_deref(), args.path.as_deref());
    let work = Work::find(workshop, "run_tests", system, path, args.session.as_deref(), args.runtime.as_deref())?;
    let tests = args.wanted();
    let framework = framework(workshop.sessions.runtime_of(&work.session), args.framework)?;
    let is_system = matches!(work.target, LoadTarget::System(_));
    let goal = match &work.target {
        LoadTarget::System(_) => Goal::System(work.name.clone()),
        LoadTarget::Path(path) => Goal::File(relative(path, workshop.roots.primary())),
    };
    let asked = Asked { name: work.name.clone(), is_system, framework, tests };
    let was_used = workshop.ledger.knows(&work.session) || workshop.sessions.evaluations(&work.session) > 0;
    let (again, session) = (work.clone(), work.session.clone());
    let request = requesting(&asked, timeout);
    let done = work.done(workshop, request, context).await?;
    let files = done.files.clone();
    let answer = answer(workshop, asked.clone(), done)?;
    let is_news = workshop.history.note(&goal, &answer);
    let is_fresh = answer.report.notices.iter().any(|notice| matches!(notice, Notice::Renewed { .. }));
    let again = answer.verdict.is_some().then(|| {
        let kept = Outcome::of(&answer);
        let run = Run { work: again, framework: asked.framework, tests: asked.tests, kept };
        Again { session, run, files, is_due: was_used && !is_fresh, is_news }
    });
    Ok(Tested { answer, again })
}

/// Runs all tests of a goal in an image that is visited.
pub(crate) async fn run_in(
    workshop: &Workshop,
    visit: &mut Visiting<'_>,
    work: Work,
    context: &CallContext,
) -> Result<TestAnswer, Refusal> {
    run_again(workshop, visit, work, None, Vec::new(), context).await
}

/// Runs tests in an image that is visited.
pub(crate) async fn run_again(
    workshop: &Workshop,
    visit: &mut Visiting<'_>,
    work: Work,
    framework: Option<String>,
    tests: Vec<String>,
    context: &CallContext,
) -> Result<TestAnswer, Refusal> {
    let is_system = matches!(work.target, LoadTarget::System(_));
    let asked = Asked { name: work.name.clone(), is_system, framework, tests };
    let request = requesting(&asked, TIMEOUT.into());
    let done = work.done_here(visit, workshop, &request, context).await?;
    answer(workshop, asked, done)
}

/// The request for the tests that were asked for.
fn requesting(asked: &Asked, timeout: TimeLimit) -> impl Fn(LoadTarget, Project) -> Request + use<> {
    let (framework, tests) = (asked.framework.clone(), asked.tests.clone());
    move |target, project| {
        let (framework, tests) = (framework.clone(), tests.clone());
        Request::RunTests { target, project, framework, tests, timeout }
    }
}

/// The requested framework, if the runtime can run it.
fn framework(runtime: Runtime, asked: Option<String>) -> Result<Option<String>, Refusal> {
    let Some(name) = asked.map(|name| name.to_lowercase()).filter(|name| name != "auto") else { return Ok(None) };
    if runtime.frameworks.contains(&name.as_str()) {
        return Ok(Some(name));
    }
    Err(LiveFault::NoFramework { name, runtime }.into())
}

fn answer(workshop: &Workshop, asked: Asked, done: Done) -> Result<TestAnswer, Refusal> {
    let Done { mut report, changes, unbound, files } = done;
    let otherwise = other_ending(&report)?;
    let diagnostics = diagnostics_of(workshop, &report);
    leave_out_loaders(&mut report, &diagnostics);
    let tally = test_script::counted(report.tests.clone().unwrap_or_default(), &report, &asked);
    let verdict = otherwise.is_none().then(|| Verdict::of(&report, &tally));
    let code = verdict.and_then(Verdict::code);
    let root = workshop.roots.primary();
    if let Some(verdict) = verdict
        && asked.framework.is_none()
        && asked.tests.is_empty()
    {
        let failed = tally.failed_tests.iter().map(|test| test.name.clone()).collect();
        workshop.memory.note(&report.session, &asked.name, files, failed, verdict == Verdict::Counted);
    }
    Ok(TestAnswer {
        selection: None,
        goals: Vec::new(),
        is_first: false,
        passed: tally.passed,
        failed: tally.failed,
        pending: tally.pending,
        unknown: tally.unknown.len(),
        total: tally.total(),
        framework: tally.framework.clone(),
        unmatched: tally.unmatched.clone(),
        left_out: tally.left_out.clone(),
        running: tally.running.clone(),
        session: report.session.clone(),
        duration_ms: report.duration.as_secs_f64() * 1000.0,
        failed_tests: tally.failed_tests.iter().map(|test| failed(test, root)).collect(),
        twins: twins(workshop, &tally),
        diagnostics,
        failure: WorkFailure::new(code, &report, otherwise.as_ref()),
        changes,
        unbound,
        otherwise,
        differs_in_fresh: false,
        verdict,
        asked,
        tally,
        report,
    })
}

fn failed(test: &FailedTest, root: &Path) -> FailedTestFacts {
    let value = |(name, value): &(String, String)| TestValue { name: name.clone(), value: value.clone() };
    let frame = |frame: &Frame| {
        let path = relative(frame.file.as_ref()?, root);
        Some(TestFrame { call: frame.call.clone(), path, line: frame.line })
    };
    FailedTestFacts {
        test_name: test.name.clone(),
        description: test.description.clone(),
        form: test.form.clone(),
        values: test.values.iter().map(value).collect(),
        reason: test.reason.clone(),
        source: test.file.as_ref().map(|file| TestSource { path: relative(file, root), line: test.line }),
        frames: test.frames.iter().filter_map(frame).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_runtime_has_its_own_frameworks() {
        let of = |runtime, name: &str| {
            framework(Runtime::named(runtime).unwrap(), Some(name.to_owned())).map_err(|error| error.code())
        };
        assert_eq!(of("clojure", "clojure.test"), Ok(Some("clojure.test".to_owned())));
        assert_eq!(of("clojure", "fiveam"), Err("UNSUPPORTED"));
        assert_eq!(of("guile", "SRFI-64"), Ok(Some("srfi-64".to_owned())));
        assert_eq!(of("sbcl", "auto"), Ok(None));
        assert_eq!(of("swank", "clojure.test"), Err("UNSUPPORTED"));
    }
}

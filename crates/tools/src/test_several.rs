//! Tests of several goals, each by a request of its own, as one answer: those of a directory or of the whole project, those that
//! failed, those that reach what has changed. One that does not load or never ends costs itself alone.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lispwright_runtime::{EvalReport, Runtime, Tally, TimeLimit};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::refusal::Refusal;
use crate::repl_work::DiagnosticFacts;
use crate::run_tests::{Again, Asked, FailedTestFacts, RunTests, TestAnswer, TestSource, Tested, Verdict, run_goal};
use crate::test_goals::{Goal, Goals, goals};
use crate::test_history::{Chosen, now};
use crate::test_script::SCRIPT;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The share of the time left that one goal among others may take.
const SHARE: u32 = 2;

/// The least time for a goal.
const LEAST: Duration = Duration::from_millis(100);

/// What was chosen to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestSelection {
    /// All tests of the project, or below a directory.
    All,
    /// Those that failed in their last run.
    Failed,
    /// Those that reach what has changed since all passed.
    Affected,
}

/// The run of one goal among several.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GoalFacts {
    /// The system or file.
    pub name: String,
    /// It is a file.
    #[serde(skip)]
    pub is_file: bool,
    /// Passed tests.
    pub passed: u32,
    /// Failed tests, or 1 if it ended otherwise.
    pub failed: u32,
    /// The reason why no test ran in it, if none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub not_run: Option<NotRun>,
}

/// The reason why no test of a goal ran.
#[derive(Clone, Debug)]
pub enum NotRun {
    /// It has none.
    NoTests,
    /// The time of the call was up.
    TimeUp,
    /// The call was withdrawn.
    Withdrawn,
    /// It was refused.
    Refused(Arc<Refusal>),
}

impl NotRun {
    /// Its stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoTests => "NO_TESTS",
            Self::TimeUp => "TIMEOUT",
            Self::Withdrawn => "INTERRUPTED",
            Self::Refused(refusal) => refusal.code(),
        }
    }
}

impl PartialEq for NotRun {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
    }
}

impl Serialize for NotRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// The goals of a call.
pub(crate) struct Several {
    selection: TestSelection,
    /// Without an earlier green run all are run.
    is_first: bool,
    chosen: Vec<Chosen>,
    /// The files with tests that the project leaves out of its runs.
    omitted: Vec<String>,
}

impl Several {
    /// What `args` ask for.
    ///
    /// Errors: those of the index; that no tests were run, of which some could have failed.
    pub(crate) async fn of(workshop: &Workshop, args: &RunTests, context: &CallContext) -> Result<Self, Refusal> {
        if args.failed {
            let Some(mut chosen) = workshop.history.failed(args.session.as_deref()) else {
                return Err(Refusal::Misfit {
                    why: "no tests have been run yet, so none is known to have failed".to_owned(),
                });
            };
            let exists = |goal: &Goal| match goal {
                Goal::File(path) => workshop.workspace.absolute(path).is_file(),
                Goal::System(_) => true,
            };
            chosen.retain(|Chosen { goal, .. }| {
                is_below(workshop, args, goal) && fits(workshop, args, goal) && exists(goal)
            });
            return Ok(Self { selection: TestSelection::Failed, is_first: false, chosen, omitted: Vec::new() });
        }
        let one = |goal| Goals { goals: vec![goal], omitted: Vec::new() };
        let Goals { goals: mut all, omitted } = match (&args.system, &args.path) {
            (Some(system), _) => one(Goal::System(system.clone())),
            (None, Some(path)) if workshop.workspace.absolute(path).is_file() => one(Goal::File(path.clone())),
            (None, path) => goals(workshop, context, path.as_deref()).await?,
        };
        all.retain(|goal| fits(workshop, args, goal));
        let whole = |all: Vec<Goal>| all.into_iter().map(Chosen::all_of).collect();
        if !args.affected {
            return Ok(Self { selection: TestSelection::All, is_first: false, chosen: whole(all), omitted });
        }
        let affected = workshop.history.affected(workshop, context, all.clone()).await?;
        let is_first = affected.is_none();
        let chosen = affected.unwrap_or_else(|| whole(all));
        Ok(Self { selection: TestSelection::Affected, is_first, chosen, omitted: Vec::new() })
    }

    /// Runs them; `args` has what they share. With the answer comes how to run them again.
    ///
    /// Errors: the first refusal, if none of them could be run.
    pub(crate) async fn run(
        self,
        workshop: &Workshop,
        args: &RunTests,
        timeout: TimeLimit,
        context: &CallContext,
    ) -> Result<(TestAnswer, Vec<Again>), Refusal> {
        let Self { selection, is_first, chosen, omitted } = self;
        let before = now(workshop, context).await?;
        let began = Instant::now();
        let mut runs =
            Runs { workshop, args, context, deadline: began + timeout.time, start: timeout.start, done: Vec::new() };
        let count = chosen.len();
        for (at, one) in chosen.iter().enumerate() {
            let done = runs.run(one, at + 1 == count).await;
            runs.done.push(done);
        }
        if selection != TestSelection::All {
            runs.widen(&chosen).await;
        }
        let done = runs.done;
        if done.iter().all(|done| matches!(done, Err(NotRun::Refused(_))))
            && let Some(Err(NotRun::Refused(refusal))) = done.first()
        {
            return Err(Refusal::clone(refusal));
        }
        let mut merged = Merged::new(workshop, args, selection, is_first);
        let mut again: Vec<Again> = Vec::new();
        for (one, done) in chosen.iter().zip(done) {
            match done {
                Ok(done) => {
                    merged.add(&one.goal, done.answer);
                    again.extend(done.again);
                }
                Err(reason) => merged.leave(&one.goal, reason),
            }
        }
        let mut answer = merged.answer(began.elapsed());
        if !omitted.is_empty() {
            answer.tally.notes.push(format!("test-omit-paths in info.rkt leaves out {}.", omitted.join(", ")));
        }
        let is_whole =
            args.system.is_none() && args.path.is_none() && args.wanted().is_empty() && args.framework.is_none();
        if is_whole && selection != TestSelection::Failed && answer.is_success() {
            workshop.history.passed(before);
        }
        // An image that began with this call is a fresh one for all of it.
        let fresh: Vec<String> = again.iter().filter(|one| !one.is_due).map(|one| one.session.clone()).collect();
        again.retain(|one| !fresh.contains(&one.session));
        Ok((answer, again))
    }
}

/// Whether the goal is what `args` name, or below a directory that they name.
fn is_below(workshop: &Workshop, args: &RunTests, goal: &Goal) -> bool {
    let file = |path: &str| workshop.workspace.absolute(path);
    match (goal, &args.system, &args.path) {
        (_, None, None) => true,
        (Goal::System(name), Some(system), _) => name == system,
        (Goal::File(path), _, Some(asked)) => file(path).starts_with(file(asked)),
        _ => false,
    }
}

/// Whether the session, runtime and framework that `args` name, if any, are for files of the goal's dialect.
fn fits(workshop: &Workshop, args: &RunTests, goal: &Goal) -> bool {
    let Some(dialect) = goal.dialect() else { return true };
    let runtime = match (&args.session, &args.runtime) {
        (Some(session), _) => Some(workshop.sessions.runtime_of(session)),
        (None, Some(name)) => Runtime::named(name),
        (None, None) => None,
    };
    let own = runtime.or_else(|| Runtime::for_dialect(dialect));
    let framework = args.framework.as_ref().map(|name| name.to_lowercase()).filter(|name| name != "auto");
    runtime.is_none_or(|runtime| runtime.dialect == dialect)
        && framework.is_none_or(|name| own.is_none_or(|own| own.frameworks.contains(&name.as_str())))
}

/// The runs of the goals.
struct Runs<'r> {
    workshop: &'r Workshop,
    args: &'r RunTests,
    context: &'r CallContext,
    deadline: Instant,
    /// The time for the start of an image.
    start: Duration,
    done: Vec<Result<Tested, NotRun>>,
}

impl Runs<'_> {
    /// Runs the tests of a goal.
    async fn run(&self, chosen: &Chosen, is_last: bool) -> Result<Tested, NotRun> {
        if self.context.cancel.is_cancelled() {
            return Err(NotRun::Withdrawn);
        }
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left < LEAST {
            return Err(NotRun::TimeUp);
        }
        let time = if is_last { left } else { left / SHARE };
        let (system, path) = chosen.goal.arguments();
        let tests = if chosen.tests.is_empty() { self.args.wanted() } else { chosen.tests.clone() };
        let session = self.args.session.clone().or_else(|| chosen.session.clone());
        let one = RunTests {
            system,
            path,
            tests: Some(tests),
            test: None,
            failed: false,
            affected: false,
            fresh: false,
            runtime: self.args.runtime.clone().filter(|_| session.is_none()),
            session,
            ..self.args.clone()
        };
        let limit = TimeLimit { time: time.max(LEAST), start: self.start };
        run_goal(self.workshop, one, limit, self.context).await.map_err(|refusal| NotRun::Refused(Arc::new(refusal)))
    }

    /// Runs all tests of the goals of which tests were chosen by names that no goal has.
    async fn widen(&mut self, chosen: &[Chosen]) {
        let is_known = |name: &String| {
            chosen.iter().zip(&self.done).any(|(one, done)| {
                let is_missing = |answer: &TestAnswer| answer.total == 0 || answer.unmatched.contains(name);
                one.tests.contains(name) && done.as_ref().is_ok_and(|done| !is_missing(&done.answer))
            })
        };
        let wide: Vec<usize> = (0..chosen.len()).filter(|at| !chosen[*at].tests.iter().all(is_known)).collect();
        for at in wide {
            let all = Chosen { tests: Vec::new(), ..chosen[at].clone() };
            self.done[at] = self.run(&all, true).await;
        }
        for done in self.done.iter_mut().flatten() {
            // A name that another goal has.
            done.answer.unmatched.clear();
        }
    }
}

fn facts(goal: &Goal, [passed, failed]: [u32; 2], not_run: Option<NotRun>) -> GoalFacts {
    GoalFacts { name: goal.name().to_owned(), is_file: matches!(goal, Goal::File(_)), passed, failed, not_run }
}

/// The answers so far, as one.
struct Merged {
    answer: TestAnswer,
}

impl Merged {
    fn new(workshop: &Workshop, args: &RunTests, selection: TestSelection, is_first: bool) -> Self {
        let name = args.system.clone().or_else(|| args.path.clone()).unwrap_or_else(|| "the project".to_owned());
        let session = args.session.clone().unwrap_or_default();
        let asked = Asked { name, is_system: false, framework: args.framework.clone(), tests: args.wanted() };
        let report = EvalReport::of_no_tests(&session, workshop.sessions.runtime_of(&session));
        let mut answer = TestAnswer::of_nothing(asked, report);
        answer.selection = Some(selection);
        answer.is_first = is_first;
        answer.unmatched = args.wanted();
        Self { answer }
    }

    /// A goal in which nothing ran.
    fn leave(&mut self, goal: &Goal, why: NotRun) {
        self.answer.goals.push(facts(goal, [0, 0], Some(why)));
    }

    fn add(&mut self, goal: &Goal, one: TestAnswer) {
        let all = &mut self.answer;
        let ended = ending(&one);
        let is_empty = one.total == 0 && ended.is_none();
        let failed = one.failed + u32::from(ended.is_some());
        if let Some(reason) = ended {
            let first = one.diagnostics.iter().find(|said| said.severity == "error");
            let source = first.and_then(|said| Some(TestSource { path: said.path.clone()?, line: said.line }));
            all.failed_tests.push(FailedTestFacts {
                test_name: goal.name().to_owned(),
                description: String::new(),
                form: None,
                values: Vec::new(),
                reason: first.map(|said| format!("{reason}\n{}", said.message)).unwrap_or(reason),
                source,
                frames: Vec::new(),
            });
        }
        let not_run = is_empty.then_some(NotRun::NoTests);
        all.goals.push(facts(goal, [one.passed, failed], not_run));
        all.passed += one.passed;
        all.failed += failed;
        all.pending += one.pending;
        all.unknown += one.unknown;
        for framework in one.framework.split(", ").filter(|name| !is_empty && !name.is_empty()) {
            if all.framework.is_empty() {
                all.framework = framework.to_owned();
            } else if !all.framework.split(", ").any(|known| known == framework) {
                all.framework = format!("{}, {framework}", all.framework);
            }
        }
        if all.session.is_empty() {
            all.session = one.session;
        }
        // A name that is asked for may belong to any of them.
        all.unmatched.retain(|name| one.total == 0 || one.unmatched.contains(name));
        all.failed_tests.extend(one.failed_tests);
        all.left_out.extend(one.left_out);
        all.twins.extend(one.twins.into_iter().filter(|twins| !all.twins.contains(twins)).collect::<Vec<_>>());
        for unbound in one.unbound {
            if !all.unbound.iter().any(|known| known.name == unbound.name) {
                all.unbound.push(unbound);
            }
        }
        all.diagnostics.extend(causes(one.diagnostics));
        all.changes.add(one.changes);
        all.report.notices.extend(one.report.notices);
        let Tally { framework, names, name_count, groups, unknown, told, notes, muted, .. } = one.tally;
        let tally = &mut all.tally;
        tally.names.extend(names);
        tally.name_count += name_count;
        tally.groups.extend(groups);
        tally.unknown.extend(unknown);
        // How each of many scripts passed is not news.
        tally.told.extend(told.into_iter().filter(|_| framework != SCRIPT));
        tally.notes.extend(notes.into_iter().map(|note| format!("{}: {note}", goal.name())));
        tally.muted += muted;
    }

    fn answer(self, took: Duration) -> TestAnswer {
        let mut answer = self.answer;
        answer.total = answer.passed + answer.failed + answer.pending + answer.unknown as u32;
        answer.duration_ms = took.as_secs_f64() * 1000.0;
        answer.report.session.clone_from(&answer.session);
        let tally = &mut answer.tally;
        (tally.passed, tally.failed, tally.pending) = (answer.passed, answer.failed, answer.pending);
        tally.framework.clone_from(&answer.framework);
        tally.unmatched.clone_from(&answer.unmatched);
        let verdict = match answer.total {
            0 if answer.goals.is_empty() && answer.selection != Some(TestSelection::All) && !answer.is_first => {
                Verdict::Needless
            }
            0 => Verdict::None,
            _ if answer.unknown > 0 => Verdict::Unknown,
            _ => Verdict::Counted,
        };
        answer.judged(verdict)
    }
}

/// The errors among `diagnostics`, with the warnings of their files: a system refuses a file that compiles with one.
fn causes(diagnostics: Vec<DiagnosticFacts>) -> impl Iterator<Item = DiagnosticFacts> {
    let is_error = |said: &DiagnosticFacts| said.severity == "error";
    let in_error: HashSet<_> =
        diagnostics.iter().filter(|said| is_error(said)).filter_map(|said| said.path.clone()).collect();
    diagnostics.into_iter().filter(move |said| {
        let is_cause = || said.severity == "warning" && said.path.as_ref().is_some_and(|path| in_error.contains(path));
        is_error(said) || is_cause()
    })
}

/// The reason for which a goal failed besides its tests.
fn ending(answer: &TestAnswer) -> Option<String> {
    let running = answer.running.as_deref();
    match answer.verdict {
        None => Some(match running {
            Some(running) => {
                format!("It was ended while it was testing {running}: its time was up, or its image is gone.")
            }
            None => "It was ended: its time was up, or its image is gone.".to_owned(),
        }),
        Some(Verdict::NotLoaded) => Some("It did not load.".to_owned()),
        Some(Verdict::Broken) => Some("It ended in an error.".to_owned()),
        Some(Verdict::LeftEarly) => {
            Some(format!("It called exit in {}; the rest did not run.", running.unwrap_or_default()))
        }
        Some(Verdict::BadExit(status)) => Some(format!("It ended with exit code {status}.")),
        Some(Verdict::Unknown | Verdict::None | Verdict::Counted | Verdict::Needless) => None,
    }
}

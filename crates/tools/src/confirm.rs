//! Green twice: what tests say in an image that was kept is compared with a fresh image while the answer is being read.
//!
//! The fresh image runs the same tests from the files, with the least priority. The next answer of the session says that
//! they also pass there, or what differs. A call that loads or tests something in the session ends a comparison that is
//! under way; so does a change of the files, since its result would be about files that are not there any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lispwright_index::Index;
use lispwright_runtime::{LoadTarget, Notice};
use tokio::sync::{Semaphore, watch};
use tokio::task::AbortHandle;

use crate::fresh::Afresh;
use crate::given::Given;
use crate::image_text::one_line;
use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::repl_work::Work;
use crate::run_tests::{TestAnswer, run_again};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Failed tests that are named.
const MOST_NAMED: usize = 5;

/// Characters of the reason why tests did not run.
const REASON: usize = 300;

/// The comparisons of all sessions. Clones share them.
#[derive(Clone, Debug)]
pub struct Confirmations(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// They happen, one at a time.
    one: Semaphore,
    by_session: Mutex<HashMap<String, Confirming>>,
    /// Without it, there are none.
    is_on: bool,
}

/// A comparison, under way or over.
#[derive(Debug)]
struct Confirming {
    task: AbortHandle,
    result: watch::Receiver<Compared>,
}

/// The result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// It is under way.
    NotYet,
    /// The results are the same.
    Same,
    /// They are not.
    Differs,
    /// The files have changed meanwhile, or there was no fresh image.
    Unknown,
}

/// Tests that were run, so that they can be run again.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) work: Work,
    pub(crate) framework: Option<String>,
    pub(crate) tests: Vec<String>,
    pub(crate) kept: Outcome,
}

/// What tests say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    passed: u32,
    failed: Vec<String>,
    /// The reason why they did not run to their end.
    ended: Option<String>,
}

impl Outcome {
    /// The results of tests.
    pub(crate) fn of(answer: &TestAnswer) -> Self {
        let mut failed: Vec<String> = answer.failed_tests.iter().map(|test| test.test_name.clone()).collect();
        failed.sort();
        let error = answer.diagnostics.iter().find(|one| one.severity == "error").map(|one| one.message.clone());
        let ended =
            (answer.is_error() && answer.failed == 0).then(|| error.unwrap_or_else(|| "no test ran".to_owned()));
        Self { passed: answer.passed, failed, ended }
    }

    fn is_green(&self) -> bool {
        self.failed.is_empty() && self.ended.is_none()
    }

    fn in_words(&self) -> String {
        if let Some(ended) = &self.ended {
            return one_line(ended, REASON);
        }
        let counts = format!("{} passed, {} failed", self.passed, self.failed.len());
        let names: Vec<String> = self.failed.iter().take(MOST_NAMED).map(|name| one_line(name, 80)).collect();
        let more = self.failed.len().saturating_sub(MOST_NAMED);
        match (names.is_empty(), more) {
            (true, _) => format!("{counts}."),
            (false, 0) => format!("{counts}: {}.", names.join(", ")),
            (false, more) => format!("{counts}: {} and {more} more.", names.join(", ")),
        }
    }
}

impl Default for Confirmations {
    fn default() -> Self {
        Self::new(false)
    }
}

impl Confirmations {
    /// Comparisons that happen, or never do.
    pub fn new(is_on: bool) -> Self {
        Self(Arc::new(Inner { one: Semaphore::new(1), by_session: Mutex::default(), is_on }))
    }

    fn by_session(&self) -> MutexGuard<'_, HashMap<String, Confirming>> {
        self.0.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the comparison of a session that is under way.
    pub(crate) fn give_up(&self, session: &str) {
        if let Some(confirming) = self.by_session().remove(session) {
            confirming.task.abort();
        }
    }

    /// Waits for the comparison of a session, at most for `limit`. Its result is unknown if there is none.
    pub(crate) async fn wait(&self, session: &str, limit: Duration) -> Compared {
        let result = self.by_session().get(session).map(|confirming| confirming.result.clone());
        let Some(mut result) = result else { return Compared::Unknown };
        // A task that was given up drops its end of the channel.
        match tokio::time::timeout(limit, result.wait_for(|result| *result != Compared::NotYet)).await {
            Ok(result) => result.map_or(Compared::Unknown, |result| *result),
            Err(_) => Compared::NotYet,
        }
    }

    /// Begins to compare what tests in the image of `session` said with what they say in a fresh image. `files` are the
    /// files that they ran with. Without `is_asked`, only if comparisons happen here.
    pub(crate) fn begin(&self, workshop: &Workshop, session: &str, runs: Vec<Run>, files: Index, is_asked: bool) {
        if !(self.0.is_on || is_asked) || runs.is_empty() {
            return;
        }
        self.give_up(session);
        let (ended, result) = watch::channel(Compared::NotYet);
        let (inner, workshop, name) = (Arc::clone(&self.0), workshop.clone(), session.to_owned());
        let task = tokio::spawn(async move {
            let mut outcome = Compared::Unknown;
            if let Ok(_one) = inner.one.acquire().await
                && let Ok((result, notice)) = compared(&workshop, &name, runs, &files).await
            {
                outcome = result;
                notice.into_iter().for_each(|notice| workshop.sessions.tell(&name, notice));
            }
            let _ = ended.send(outcome);
        });
        self.by_session().insert(session.to_owned(), Confirming { task: task.abort_handle(), result });
    }
}

/// Tests with their results in the image that was kept and in a fresh one.
struct Twice {
    name: String,
    target: LoadTarget,
    kept: Outcome,
    fresh: Outcome,
}

/// The result of the comparison, and what the session is to be told of it. A file may need what was loaded before it, and
/// not say so: where the results differ, another fresh image loads that first.
async fn compared(
    workshop: &Workshop,
    session: &str,
    runs: Vec<Run>,
    files: &Index,
) -> Result<(Compared, Option<Notice>), Refusal> {
    let began = Instant::now();
    let targets: Vec<&LoadTarget> = runs.iter().map(|run| &run.work.target).collect();
    let given = workshop.ledger.given(session, &targets);
    let Some(mut twice) = run_twice(workshop, session, &runs, &[]).await? else { return Ok((Compared::Unknown, None)) };
    let mut after = String::new();
    // A system says what it needs, but not where that is found.
    let says_all = |one: &Twice| matches!(one.target, LoadTarget::System(_));
    let are_loaded = given.iter().all(|one| matches!(one, Given::Target(_)));
    let lacks = |one: &Twice| one.fresh != one.kept && !(says_all(one) && are_loaded);
    if !given.is_empty() && twice.iter().any(lacks) {
        let Some(again) = run_twice(workshop, session, &runs, &given).await? else {
            return Ok((Compared::Unknown, None));
        };
        twice = again;
        let names = given.iter().map(|one| one.in_words(workshop.roots.primary()));
        after = one_line(&names.collect::<Vec<_>>().join(", "), REASON);
    }
    let then = files.clone();
    let are_same = indexed(workshop, &CallContext::default(), move |now, _| then.is_same_as(now)).await?;
    if !are_same {
        return Ok((Compared::Unknown, None));
    }
    let tests = one_line(&twice.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", "), REASON);
    let is_green = twice.iter().all(|one| one.fresh.is_green());
    twice.retain(|one| one.fresh != one.kept);
    if twice.is_empty() {
        let notice = is_green.then(|| Notice::AlsoGreen { tests, took: began.elapsed(), after });
        return Ok((Compared::Same, notice));
    }
    let words = |of: fn(&Twice) -> &Outcome| {
        let all = twice.iter().map(|one| match twice.len() {
            1 => of(one).in_words(),
            _ => format!("{}: {}", one.name, of(one).in_words()),
        });
        all.collect::<Vec<_>>().join(" ")
    };
    let (kept, fresh) = (words(|one| &one.kept), words(|one| &one.fresh));
    Ok((Compared::Differs, Some(Notice::Differs { tests, kept, fresh, after })))
}

/// Runs tests in a fresh image that was given what is `given`; `None` if there can be none.
async fn run_twice(
    workshop: &Workshop,
    session: &str,
    runs: &[Run],
    given: &[Given],
) -> Result<Option<Vec<Twice>>, Refusal> {
    let context = CallContext::default();
    let Some(mut other) = Afresh::new(workshop, session, &context).await? else { return Ok(None) };
    other.image.give_way();
    if let Some(run) = runs.first() {
        other.is_given(given, &run.work, &context).await?;
    }
    let mut twice = Vec::new();
    for run in runs {
        let Run { work, framework, tests, kept } = run.clone();
        let (name, target) = (work.name.clone(), work.target.clone());
        let answer = run_again(&other.workshop, &mut other.visit, work, framework, tests, &context).await?;
        twice.push(Twice { name, target, kept, fresh: Outcome::of(&answer) });
    }
    let Afresh { image, visit, .. } = other;
    drop(visit);
    image.end().await;
    Ok(Some(twice))
}

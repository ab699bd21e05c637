//! Green twice: what tests say in an image that was kept is compared with a fresh image while the answer is being read.
//!
//! The fresh image runs the same tests from the files, with the least priority. The next answer of the session says that
//! they also pass there, or what differs. A call that loads or tests something in the session ends a comparison that is
//! under way; so does a change of the files, since its result would be about files that are not there any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lispwright_index::Index;
use lispwright_runtime::{Notice, Request};
use tokio::sync::{Semaphore, watch};
use tokio::task::AbortHandle;

use crate::image_text::one_line;
use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::renewal::ImageLedger;
use crate::repl_eval::Visiting;
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

/// The result of the comparison, and what the session is to be told of it.
async fn compared(
    workshop: &Workshop,
    session: &str,
    runs: Vec<Run>,
    files: &Index,
) -> Result<(Compared, Option<Notice>), Refusal> {
    let (began, context) = (Instant::now(), CallContext::default());
    let Ok(fresh) = workshop.sessions.fresh(session) else { return Ok((Compared::Unknown, None)) };
    fresh.give_way();
    let apart = Workshop { ledger: ImageLedger::default(), ..workshop.clone() };
    let mut visit = Visiting::in_fresh(&fresh, &Request::Held(lispwright_runtime::ListHeld), &context).await?;
    let mut names = Vec::new();
    let mut differences = Vec::new();
    let mut is_green = true;
    for run in runs {
        let name = run.work.name.clone();
        let answer = run_again(&apart, &mut visit, run.work, run.framework, run.tests, &context).await?;
        let outcome = Outcome::of(&answer);
        is_green &= outcome.is_green();
        if outcome != run.kept {
            differences.push((name.clone(), run.kept, outcome));
        }
        names.push(name);
    }
    drop(visit);
    fresh.end().await;
    let then = files.clone();
    let are_same = indexed(workshop, &context, move |now, _| then.is_same_as(now)).await?;
    if !are_same {
        return Ok((Compared::Unknown, None));
    }
    let tests = one_line(&names.join(", "), REASON);
    if differences.is_empty() {
        let notice = is_green.then(|| Notice::AlsoGreen { tests, took: began.elapsed() });
        return Ok((Compared::Same, notice));
    }
    let words = |of: fn(&(String, Outcome, Outcome)) -> &Outcome| {
        let all = differences.iter().map(|one| match differences.len() {
            1 => of(one).in_words(),
            _ => format!("{}: {}", one.0, of(one).in_words()),
        });
        all.collect::<Vec<_>>().join(" ")
    };
    let (kept, fresh) = (words(|one| &one.1), words(|one| &one.2));
    Ok((Compared::Differs, Some(Notice::Differs { tests, kept, fresh })))
}

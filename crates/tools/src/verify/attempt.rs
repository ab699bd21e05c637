//! One attempt of a verification: what is loaded and tested in an image, and what speaks against the change there.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lispwright_runtime::{Ending, Fresh, Notice, Renewed, Request, Runtime};

use super::goals::{Goal, Plan};
use super::{Verify, VerifyStep, Wish};
use crate::fresh::{Afresh, is_of_reading, kept_aside};
use crate::image_text::one_line;
use crate::load_system::{self, LoadAnswer, LoadStatus};
use crate::refusal::Refusal;
use crate::renewal::Account;
use crate::repl_eval::{Visiting, visit};
use crate::repl_work::{DiagnosticFacts, Work};
use crate::run_tests::{self, TestAnswer, Verdict};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The name of the checkpoint before a verification.
const CHECKPOINT: &str = "before-verify";

/// Characters of a message in a list.
const SHORT: usize = 160;

/// What was loaded and tested in an image.
#[derive(Debug, Default)]
pub(crate) struct Attempt {
    pub(crate) steps: Vec<VerifyStep>,
    /// What speaks against the change.
    pub(crate) complaints: Vec<Complaint>,
    /// The files that were compiled or loaded, or are known to be a part of what was.
    pub(crate) seen: HashSet<PathBuf>,
    /// It was stopped, or its image was lost.
    pub(crate) was_stopped: bool,
    /// A changed file did not load with this goal, and nothing after it was tried.
    pub(crate) ended_at: Option<Goal>,
}

/// Something that speaks against a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Complaint {
    /// A message of a compiler or loader.
    Message {
        /// The file, as calls name it.
        path: Option<String>,
        /// The type of its condition.
        type_name: String,
        /// What it says.
        message: String,
    },
    /// A test failed.
    Test {
        /// The goal of the run.
        goal: Goal,
        /// The test.
        name: String,
    },
    /// What should have been loaded or tested was not, or not all of it.
    NotDone {
        /// The goal.
        goal: Goal,
        /// The reason.
        why: String,
    },
}

impl Complaint {
    /// It is that a text does not read, which no image changes.
    pub(crate) fn is_of_reading(&self) -> bool {
        matches!(self, Self::Message { type_name, .. } if is_of_reading(type_name))
    }

    /// It, on one line.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Message { path: Some(path), message, .. } => one_line(&format!("{path}: {message}"), SHORT),
            Self::Message { path: None, message, .. } => one_line(message, SHORT),
            Self::Test { name, .. } => one_line(name, SHORT),
            Self::NotDone { goal, why } => one_line(&format!("{}: {why}", goal.name()), SHORT),
        }
    }
}

impl VerifyStep {
    /// What the step says against the change.
    pub(crate) fn complaints(&self, goal: &Goal, wish: &Wish) -> Vec<Complaint> {
        let mut found = Vec::new();
        if let Some(load) = &self.load {
            of_load(load, goal, wish, &mut found);
        }
        if let Some(tests) = &self.tests {
            of_tests(tests, goal, wish, &mut found);
        }
        found
    }

    /// Keeps what the step says of the compiler as told.
    pub(crate) fn keep_told(&self, workshop: &Workshop) {
        let load = self.load.iter().map(|load| (&load.session, &load.diagnostics));
        let tests = self.tests.iter().map(|tests| (&tests.session, &tests.diagnostics));
        load.chain(tests).for_each(|(session, said)| workshop.told.keep(session, said));
    }

    /// It has one of these complaints.
    pub(crate) fn has_one_of(&self, complaints: &[Complaint]) -> bool {
        let name = self.load.as_ref().map(|load| &load.system).or(self.tests.as_ref().map(|tests| &tests.asked.name));
        complaints.iter().any(|one| match one {
            Complaint::Message { message, .. } => {
                let load = self.load.iter().flat_map(|load| &load.diagnostics);
                let tests = self.tests.iter().flat_map(|tests| &tests.diagnostics);
                load.chain(tests).any(|said| said.message == *message)
                    || self.load.as_ref().is_some_and(|load| load.status == LoadStatus::Failed)
            }
            Complaint::Test { name: test, .. } => {
                self.tests.iter().flat_map(|tests| &tests.failed_tests).any(|failed| failed.test_name == *test)
            }
            Complaint::NotDone { goal, .. } => name.is_some_and(|name| name == goal.name()),
        })
    }
}

/// The messages that speak against a change: errors and, where a compiler that warns has failed (CLHS 3.2.5), warnings; those
/// of style do not.
fn of_messages(messages: &[DiagnosticFacts], runtime: Runtime, wish: &Wish, found: &mut Vec<Complaint>) {
    let warnings_fail = wish.verify != Verify::None && runtime.warnings_fail;
    for one in messages {
        if one.severity == "error" || (one.severity == "warning" && warnings_fail) {
            let (path, type_name, message) = (one.path.clone(), one.type_name.clone(), one.message.clone());
            found.push(Complaint::Message { path, type_name, message });
        }
    }
}

fn of_load(load: &LoadAnswer, goal: &Goal, wish: &Wish, found: &mut Vec<Complaint>) {
    let before = found.len();
    of_messages(&load.diagnostics, load.report.runtime, wish, found);
    let not_done = |why: String| Complaint::NotDone { goal: goal.clone(), why };
    match (&load.otherwise, &load.report.ending) {
        (Some(_), _) => found.push(not_done("it was not loaded to its end".to_owned())),
        (None, Ending::Error { error, .. }) if found.len() == before => found.push(Complaint::Message {
            path: None,
            type_name: error.type_name.clone(),
            message: error.message.clone(),
        }),
        (None, Ending::Loaded { exit: Some(code @ (..=-1 | 1..)), .. }) if found.len() == before => {
            found.push(not_done(format!("it ended with exit code {code}")));
        }
        (None, _) if load.status == LoadStatus::Failed && found.len() == before => {
            found.push(not_done("it did not load".to_owned()));
        }
        _ => {}
    }
}

fn of_tests(tests: &TestAnswer, goal: &Goal, wish: &Wish, found: &mut Vec<Complaint>) {
    let before = found.len();
    of_messages(&tests.diagnostics, tests.report.runtime, wish, found);
    let test = |name: &String| Complaint::Test { goal: goal.clone(), name: name.clone() };
    found.extend(tests.failed_tests.iter().map(|failed| test(&failed.test_name)));
    let are_all_told = tests.failed as usize == tests.failed_tests.len() && found.len() > before;
    if !tests.is_success() && !are_all_told {
        let why = match tests.total {
            0 => "no test ran".to_owned(),
            _ => format!("{} passed, {} failed, {} unknown", tests.passed, tests.failed, tests.unknown),
        };
        found.push(Complaint::NotDone { goal: goal.clone(), why });
    }
}

/// The images of a verification.
#[derive(Default)]
pub(crate) struct Images<'h> {
    /// Those of sessions.
    kept: Vec<Room<'h>>,
    /// Fresh ones beside them, in the same order.
    fresh: Vec<Room<'h>>,
}

/// An image that a verification has for itself.
struct Room<'h> {
    session: String,
    /// Where the image's files are accounted for.
    workshop: Workshop,
    visit: Visiting<'h>,
    /// The account from before, if all happens in a copy.
    copied_from: Option<Account>,
    /// The account of the session before the verification.
    before: Account,
    /// The image had loaded or evaluated something before, or says itself that it is no judge.
    was_used: bool,
    fresh: Option<Fresh>,
}

impl<'h> Images<'h> {
    /// What the images of sessions say.
    pub(crate) async fn attempt(
        &mut self,
        workshop: &Workshop,
        plan: &Plan,
        wish: &Wish,
        extent: Extent,
        context: &'h CallContext,
    ) -> Result<Attempt, Refusal> {
        if self.kept.is_empty() {
            for work in works(workshop, plan, wish)? {
                let room = Room::enter(workshop, work, context).await?;
                self.kept.push(room);
            }
        }
        tried(&mut self.kept, workshop, plan, wish, extent, context).await
    }

    /// What fresh images say; `None` if there can be none, or if those of the sessions were as good as fresh.
    pub(crate) async fn attempt_afresh(
        &mut self,
        workshop: &Workshop,
        plan: &Plan,
        wish: &Wish,
        extent: Extent,
        context: &'h CallContext,
    ) -> Result<Option<Attempt>, Refusal> {
        if !self.kept.iter().any(|room| room.was_used) {
            return Ok(None);
        }
        if self.fresh.is_empty() {
            for work in works(workshop, plan, wish)? {
                let Some(fresh) = Room::beside(workshop, work, plan, wish, context).await? else { return Ok(None) };
                self.fresh.push(fresh);
            }
        }
        tried(&mut self.fresh, workshop, plan, wish, extent, context).await.map(Some)
    }

    /// What fresh images say that nobody keeps.
    pub(crate) async fn apart(
        workshop: &Workshop,
        plan: &Plan,
        wish: &Wish,
        context: &'h CallContext,
    ) -> Result<Option<Attempt>, Refusal> {
        let mut rooms: Vec<Room<'h>> = Vec::new();
        for work in works(workshop, plan, wish)? {
            let Some(room) = Room::beside(workshop, work, plan, wish, context).await? else { return Ok(None) };
            rooms.push(room);
        }
        let attempt = tried(&mut rooms, workshop, plan, wish, Extent::Whole, context).await?;
        for room in rooms {
            room.end().await;
        }
        Ok(Some(attempt))
    }

    /// All of it happens in copies.
    pub(crate) fn are_copies(&self) -> bool {
        !self.kept.is_empty() && self.kept.iter().all(|room| room.copied_from.is_some())
    }

    /// The messages about a file when it was last loaded in one of the images, before the verification.
    pub(crate) fn said_before(&self, file: &Path) -> Option<&[String]> {
        self.kept.iter().find_map(|room| room.before.said_of(file))
    }

    /// Lets the sessions go on in the images of the last attempt. Returns what they are to be told.
    pub(crate) async fn stay(&mut self, workshop: &Workshop, in_fresh: Option<&str>) -> Vec<(String, Notice)> {
        let Some(reason) = in_fresh else { return Vec::new() };
        let mut told = Vec::new();
        for (room, mut fresh) in self.kept.iter_mut().zip(self.fresh.drain(..)) {
            let evaluations = workshop.sessions.evaluations(&room.session);
            room.visit.exchange(&mut fresh.visit);
            workshop.ledger.take_over(&fresh.workshop.ledger, &room.session, room.visit.pid());
            drop(fresh.visit);
            let earlier = match fresh.fresh {
                Some(image) => kept_aside(workshop, image, &room.session, evaluations).await,
                None => None,
            };
            let notice = Notice::Renewed { reason: reason.to_owned(), evaluations, earlier };
            told.push((room.session.clone(), notice));
        }
        told
    }

    /// Lets the sessions go back to what they were, where all happened in copies.
    pub(crate) async fn leave_copies(&mut self) {
        for room in &mut self.kept {
            room.leave_copy().await;
        }
    }

    /// Lets the sessions have the old files, which are in place again.
    pub(crate) async fn go_back(&mut self, workshop: &Workshop, plan: &Plan, wish: &Wish, context: &CallContext) {
        self.leave_copies().await;
        let mut in_place: Vec<&mut Room<'h>> = Vec::new();
        in_place.extend(self.kept.iter_mut().filter(|room| room.copied_from.is_none() && room.was_used));
        for (goal, _) in &plan.loads {
            let Ok(work) = find(workshop, goal, wish) else { continue };
            let Some(room) = in_place.iter_mut().find(|room| room.session == work.session) else { continue };
            // What the old files do is what they did before.
            let _ = room.load(work, goal, context).await;
        }
    }
}

/// The work that a goal means.
pub(super) fn find(workshop: &Workshop, goal: &Goal, wish: &Wish) -> Result<Work, Refusal> {
    let (system, path) = goal.arguments();
    Work::find(workshop, "load_system", system, path, wish.session.as_deref(), wish.runtime.as_deref())
}

/// A goal of each session, in the order of the sessions' names, so that two verifications do not wait for each other.
fn works(workshop: &Workshop, plan: &Plan, wish: &Wish) -> Result<Vec<Work>, Refusal> {
    let mut works = Vec::new();
    for goal in plan.loads.iter().map(|(goal, _)| goal).chain(&plan.tests) {
        let work = find(workshop, goal, wish)?;
        if !works.iter().any(|known: &Work| known.session == work.session) {
            works.push(work);
        }
    }
    works.sort_by(|a, b| a.session.cmp(&b.session));
    Ok(works)
}

/// How much of a plan is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All tests, whatever one of them says.
    Whole,
    /// No test after one with which a changed file does not load: the others need it, too.
    UntilBroken,
}

/// Whether a changed file does not load with the tests.
fn is_broken(tests: &TestAnswer, workshop: &Workshop, plan: &Plan) -> bool {
    let is_changed =
        |path: &String| workshop.roots.absolute(Path::new(path)).is_ok_and(|path| plan.files.contains(&path));
    let mut errors = tests.diagnostics.iter().filter(|said| said.severity == "error");
    tests.verdict == Some(Verdict::NotLoaded) && errors.any(|said| said.path.as_ref().is_some_and(is_changed))
}

/// Tests, which load what they need in the order of a fresh process, and loads what they have not. Ends with what does not
/// load.
async fn tried(
    rooms: &mut [Room<'_>],
    workshop: &Workshop,
    plan: &Plan,
    wish: &Wish,
    extent: Extent,
    context: &CallContext,
) -> Result<Attempt, Refusal> {
    let mut attempt = Attempt::default();
    for goal in &plan.tests {
        let work = find(workshop, goal, wish)?;
        let Some(room) = rooms.iter_mut().find(|room| room.session == work.session) else { continue };
        let tests = room.test(work, context).await?;
        attempt.sees(&tests.report.renewed);
        attempt.was_stopped |= tests.otherwise.is_some();
        // A file of tests that has run was loaded, also where it has ended itself.
        if let (Goal::File(path), true) = (goal, tests.total > 0) {
            attempt.seen.extend(workshop.roots.absolute(Path::new(path)).ok());
        }
        let is_broken = is_broken(&tests, workshop, plan);
        attempt.add(VerifyStep { load: None, tests: Some(Arc::new(tests)) }, goal, wish);
        if is_broken && extent == Extent::UntilBroken {
            attempt.ended_at = Some(goal.clone());
            break;
        }
    }
    if attempt.complaints.iter().any(|one| !matches!(one, Complaint::Test { .. })) {
        return Ok(attempt);
    }
    for (goal, file) in &plan.loads {
        // It may be a part of what was loaded before.
        if file.as_ref().is_some_and(|file| attempt.seen.contains(file)) {
            continue;
        }
        let work = find(workshop, goal, wish)?;
        let Some(room) = rooms.iter_mut().find(|room| room.session == work.session) else { continue };
        let load = room.load(work, goal, context).await?;
        attempt.sees(&load.report.renewed);
        let has_failed = load.status == LoadStatus::Failed || load.otherwise.is_some();
        if !has_failed && load.report.renewed.systems.is_empty() {
            attempt.seen.extend(file.clone());
        }
        attempt.was_stopped |= load.otherwise.is_some();
        attempt.add(VerifyStep { load: Some(Arc::new(load)), tests: None }, goal, wish);
        if has_failed {
            break;
        }
    }
    Ok(attempt)
}

impl Attempt {
    fn sees(&mut self, renewed: &Renewed) {
        self.seen.extend(renewed.loaded.iter().chain(&renewed.files).map(PathBuf::from));
    }

    /// It has loaded and run whatever the complaints are about.
    pub(crate) fn came_to(&self, complaints: &[Complaint]) -> bool {
        let has_run = |one: &VerifyStep| match (&one.load, &one.tests) {
            (Some(load), _) => load.status != LoadStatus::Failed,
            (None, Some(tests)) => tests.total > 0,
            (None, None) => true,
        };
        complaints.is_empty() || self.steps.iter().all(has_run)
    }

    fn add(&mut self, step: VerifyStep, goal: &Goal, wish: &Wish) {
        self.complaints.extend(step.complaints(goal, wish));
        self.steps.push(step);
    }
}

impl<'h> Room<'h> {
    /// Waits for the image of a session, and makes a copy where its runtime can.
    async fn enter(workshop: &Workshop, work: Work, context: &'h CallContext) -> Result<Self, Refusal> {
        let session = work.session.clone();
        workshop.confirmations.give_up(&session);
        let was_used = workshop.ledger.knows(&session) || workshop.sessions.evaluations(&session) > 0;
        let asked = Request::Checkpoint(CHECKPOINT.to_owned());
        let first = load_system::request(false, false)(work.target, work.project);
        let mut visit = visit(&workshop.sessions, &session, &first, context).await?;
        let before = workshop.ledger.of(&session, visit.pid());
        let copied = match visit.ask(asked).await {
            Ok(report) => matches!(report.ending, Ending::Checkpointed(_)),
            Err(Refusal::Session(_) | Refusal::Image { .. } | Refusal::NotOffered { .. }) => false,
            Err(refusal) => return Err(refusal),
        };
        if copied {
            workshop.ledger.put(&session, before.clone().moved_to(visit.pid()));
        }
        let copied_from = copied.then(|| before.clone());
        let workshop = Workshop { told: workshop.told.apart(), ..workshop.clone() };
        Ok(Self { session, workshop, visit, copied_from, before, was_used, fresh: None })
    }

    /// A fresh image beside that of a session, which has loaded what that was given besides the tests; `None` if there can
    /// be none.
    async fn beside(
        workshop: &Workshop,
        work: Work,
        plan: &Plan,
        wish: &Wish,
        context: &'h CallContext,
    ) -> Result<Option<Self>, Refusal> {
        let Some(mut other) = Afresh::new(workshop, &work.session, context).await? else { return Ok(None) };
        let tests = plan.tests.iter().map(|goal| find(workshop, goal, wish).map(|test| test.target));
        let tests = tests.collect::<Result<Vec<_>, _>>()?;
        let given = workshop.ledger.given(&work.session, &tests.iter().collect::<Vec<_>>());
        other.is_given(&given, &work, context).await?;
        let Afresh { image, visit, workshop } = other;
        Ok(Some(Self {
            session: work.session,
            workshop: Workshop { told: workshop.told.apart(), ..workshop },
            visit,
            copied_from: None,
            before: Account::default(),
            was_used: false,
            fresh: Some(image),
        }))
    }

    async fn load(&mut self, work: Work, goal: &Goal, context: &CallContext) -> Result<LoadAnswer, Refusal> {
        let name = work.name.clone();
        let request = load_system::request(matches!(goal, Goal::File(_)), matches!(goal, Goal::Containing(_)));
        let done = work.done_here(&mut self.visit, &self.workshop, &request, context).await?;
        self.was_used |= done.report.renewed.needs_fresh.is_some();
        let mut load = load_system::answer(&self.workshop, name, done)?;
        if self.copied_from.is_some() {
            load.changes.keep_what_outlasts_a_copy();
        }
        Ok(load)
    }

    async fn test(&mut self, work: Work, context: &CallContext) -> Result<TestAnswer, Refusal> {
        let mut tests = run_tests::run_in(&self.workshop, &mut self.visit, work, context).await?;
        self.was_used |= tests.report.renewed.needs_fresh.is_some();
        if self.copied_from.is_some() {
            tests.changes.keep_what_outlasts_a_copy();
        }
        Ok(tests)
    }

    async fn leave_copy(&mut self) {
        let Some(account) = self.copied_from.take() else { return };
        // A session that is gone has nothing to go back to, and says so itself at the next call.
        let _ = self.visit.ask(Request::Rollback(Some(CHECKPOINT.to_owned()))).await;
        self.workshop.ledger.put(&self.session, account.moved_to(self.visit.pid()));
        self.copied_from = Some(Account::default());
    }

    async fn end(self) {
        let Self { visit, fresh, .. } = self;
        drop(visit);
        if let Some(fresh) = fresh {
            fresh.end().await;
        }
    }
}

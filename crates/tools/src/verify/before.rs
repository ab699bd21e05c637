//! What had failed before a change: a verification judges the change, and not the state of the project.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lispwright_index::Index;
use lispwright_project::Trial;

use super::Wish;
use super::attempt::{Attempt, Complaint, Images, find};
use super::goals::{Goal, Plan};
use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// What was wrong before.
#[derive(Debug, Default)]
pub(crate) struct Before {
    messages: HashSet<(Option<String>, String)>,
    tests: HashSet<(Goal, String)>,
    not_done: HashSet<Goal>,
}

/// The tests that failed when they were last run, by their session and goal. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct TestMemory(Arc<Mutex<HashMap<(String, String), Remembered>>>);

/// A run of tests.
#[derive(Clone, Debug)]
struct Remembered {
    /// The files as they were.
    files: Index,
    failed: Vec<String>,
    has_run: bool,
}

impl TestMemory {
    fn runs(&self) -> MutexGuard<'_, HashMap<(String, String), Remembered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a run of all tests of a goal.
    pub(crate) fn note(&self, session: &str, goal: &str, files: Index, failed: Vec<String>, has_run: bool) {
        self.runs().insert((session.to_owned(), goal.to_owned()), Remembered { files, failed, has_run });
    }

    fn get(&self, session: &str, goal: &str) -> Option<Remembered> {
        self.runs().get(&(session.to_owned(), goal.to_owned())).cloned()
    }
}

impl Before {
    /// The complaint is an old one.
    pub(crate) fn had(&self, complaint: &Complaint) -> bool {
        match complaint {
            Complaint::Message { path, message, .. } => self.messages.contains(&(path.clone(), message.clone())),
            Complaint::Test { goal, name } => self.tests.contains(&(goal.clone(), name.clone())),
            Complaint::NotDone { goal, .. } => self.not_done.contains(goal),
        }
    }

    fn add(&mut self, complaint: Complaint) {
        match complaint {
            Complaint::Message { path, message, .. } => drop(self.messages.insert((path, message))),
            Complaint::Test { goal, name } => drop(self.tests.insert((goal, name))),
            Complaint::NotDone { goal, .. } => drop(self.not_done.insert(goal)),
        }
    }

    /// What earlier loads and runs of tests with the old files tell; `None` if they do not tell all that is to be known of
    /// the complaints of an attempt.
    pub(crate) async fn known(
        workshop: &Workshop,
        images: &Images<'_>,
        attempt: &Attempt,
        wish: &Wish,
        trial: &Trial,
        context: &CallContext,
    ) -> Result<Option<Self>, Refusal> {
        let mut known = Self::default();
        let mut goals: Vec<&Goal> = Vec::new();
        for complaint in &attempt.complaints {
            match complaint {
                Complaint::Message { path: Some(path), .. } => {
                    let Ok(file) = workshop.roots.absolute(Path::new(path)) else { return Ok(None) };
                    let Some(said) = images.said_before(&file) else { return Ok(None) };
                    known.messages.extend(said.iter().map(|message| (Some(path.clone()), message.clone())));
                }
                Complaint::Message { path: None, .. } => return Ok(None),
                Complaint::Test { goal, .. } | Complaint::NotDone { goal, .. } => {
                    if !goals.contains(&goal) {
                        goals.push(goal);
                    }
                }
            }
        }
        for goal in goals {
            let session = find(workshop, goal, wish)?.session;
            let Some(run) = workshop.memory.get(&session, goal.name()) else { return Ok(None) };
            let old = old_texts(workshop, trial, &run.files);
            let files = run.files.clone();
            let is_same = indexed(workshop, context, move |now, _| same(&files, now, &old)).await?;
            if !is_same {
                return Ok(None);
            }
            known.tests.extend(run.failed.into_iter().map(|name| (goal.clone(), name)));
            if !run.has_run {
                known.not_done.insert(goal.clone());
            }
        }
        Ok(Some(known))
    }

    /// What the old files say in a fresh image.
    ///
    /// Errors: a file was changed by somebody else meanwhile.
    pub(crate) async fn found_out(
        workshop: &Workshop,
        plan: &Plan,
        wish: &Wish,
        trial: &mut Trial,
        context: &CallContext,
    ) -> Result<Self, Refusal> {
        let changed = |left: lispwright_project::NotPutBack| Refusal::ChangedMeanwhile { path: left.path };
        if trial.show_old().is_err() {
            // All that fails counts as new.
            return Ok(Self::default());
        }
        let there = |goal: &Goal| match goal {
            Goal::System(_) => true,
            Goal::File(path) | Goal::Containing(path) => workshop.roots.read(Path::new(path)).is_ok(),
        };
        let old = Plan {
            loads: plan.loads.iter().filter(|(goal, _)| there(goal)).cloned().collect(),
            tests: plan.tests.iter().filter(|goal| there(goal)).cloned().collect(),
            tests_left_out: plan.tests_left_out,
            files: plan.files.clone(),
        };
        let attempt = Images::apart(workshop, &old, wish, context).await;
        trial.show_new().map_err(changed)?;
        let mut before = Self::default();
        for complaint in attempt?.map(|attempt| attempt.complaints).unwrap_or_default() {
            before.add(complaint);
        }
        Ok(before)
    }
}

/// The old texts of the files that a trial changes, by their absolute paths.
fn old_texts(workshop: &Workshop, trial: &Trial, files: &Index) -> HashMap<PathBuf, Vec<u8>> {
    let mut old = HashMap::new();
    let names = trial.written().iter().map(|one| one.path.clone());
    for name in names {
        if let (Ok(path), Some(bytes)) = (workshop.roots.absolute(Path::new(&name)), trial.old_bytes(&name)) {
            // A file that was created was not there.
            if !(bytes.is_empty() && files.document(&path).is_none()) {
                old.insert(path, bytes.to_vec());
            }
        }
    }
    old
}

/// The files were `then` what they are `now`, except those with `old` texts, which had these.
fn same(then: &Index, now: &Index, old: &HashMap<PathBuf, Vec<u8>>) -> bool {
    then.documents().filter(|document| !document.is_data()).all(|document| {
        let text = old.get(&document.path).map(Vec::as_slice);
        let text = text.or_else(|| now.document(&document.path).map(|now| now.text.as_bytes()));
        text == Some(document.text.as_bytes())
    })
}

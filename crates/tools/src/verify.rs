//! Verified changes: files that are in place are compiled or tested, and the old texts come back if that fails.
//!
//! A verification judges the change: what failed before it, too, is no reason to refuse it, and what the session's image
//! refuses because of what it has seen before is tried in a fresh one ([`attempt`]). Where the runtime can fork, all of it
//! happens after a checkpoint of the session's image, to which the image goes back afterwards: the session has not seen
//! what failed, nor, unless it was asked to load it, what passed. Elsewhere the old files are loaded again.

mod attempt;
mod before;
mod goals;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lispwright_project::{Trial, Written};
use lispwright_runtime::Notice;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load_system::LoadAnswer;
use crate::refusal::Refusal;
use crate::run_tests::TestAnswer;
use crate::several::{FileDiff, shown};
use crate::tool::CallContext;
use crate::workshop::Workshop;
use attempt::{Attempt, Complaint, Extent, Images};
use before::Before;
use goals::{Goal, Plan};

pub use before::TestMemory;

/// How a change is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verify {
    /// Not at all.
    #[default]
    None,
    /// It compiles without an error.
    Compile,
    /// The tests pass.
    Tests,
}

/// The verification of a change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Verification {
    /// Nothing has failed that did not fail before.
    pub passed: bool,
    /// What was asked for.
    pub verify: Verify,
    /// It happened in a copy of the session's image.
    pub in_copy: bool,
    /// It happened in a fresh image, in which the session goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_fresh: bool,
    /// What the sessions that go on in fresh images are told.
    #[serde(skip)]
    pub notices: Vec<(String, Notice)>,
    /// The session has the new code.
    pub loaded: bool,
    /// The changed files, as calls name them.
    #[serde(skip)]
    pub files: Vec<String>,
    /// Changed files that nothing has compiled or loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_seen: Vec<String>,
    /// The number of files with tests that were not run, since they use no changed file.
    #[serde(skip_serializing_if = "crate::changes::is_zero")]
    pub tests_left_out: usize,
    /// What failed, and had failed before the change, too: names of tests, and messages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_before: Vec<String>,
    /// The loads and tests, in their order; the last one has failed if any has.
    pub steps: Vec<VerifyStep>,
}

/// A step of a verification: a load, or a run of tests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct VerifyStep {
    /// Code was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Arc<LoadAnswer>>,
    /// Tests were run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Arc<TestAnswer>>,
}

/// What is asked for beyond a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) verify: Verify,
    /// The system, module or test file that is loaded or tested; without it the one of the changed files.
    pub(crate) system: Option<String>,
    /// The session gets the new code.
    pub(crate) load: bool,
    pub(crate) session: Option<String>,
    pub(crate) runtime: Option<String>,
}

impl Wish {
    /// There is something to do after the change.
    pub(crate) fn is_any(&self) -> bool {
        self.load || self.verify != Verify::None
    }
}

/// Lets changed files stay: at once, or after the verification that is wished for.
///
/// Errors: those of [`verified`].
pub(crate) async fn settled(
    workshop: &Workshop,
    trial: Trial,
    files: &mut [FileDiff],
    wish: &Wish,
    context: &CallContext,
) -> Result<Option<Box<Verification>>, Refusal> {
    let (written, verification) = if wish.is_any() && !files.is_empty() {
        let absolute = |file: &FileDiff| workshop.roots.absolute(Path::new(&file.path)).ok();
        let paths: Vec<PathBuf> = files.iter().filter_map(absolute).collect();
        let (written, verification) = verified(workshop, trial, &paths, wish, context).await?;
        (written, Some(Box::new(verification)))
    } else {
        (trial.keep(), None)
    };
    for file in files {
        file.has_other_names = written.iter().any(|one| one.path == file.path && one.other_names > 0);
    }
    Ok(verification)
}

/// Verifies changed files, which are absolute, and lets them stay if that succeeds.
///
/// Errors: [`Refusal::NotVerified`], or what prevented the verification; the old texts are back in place.
async fn verified(
    workshop: &Workshop,
    mut trial: Trial,
    files: &[PathBuf],
    wish: &Wish,
    context: &CallContext,
) -> Result<(Vec<Written>, Verification), Refusal> {
    trial.takes_long();
    let plan = match Plan::of(workshop, files, wish, context).await {
        Ok(plan) => plan,
        Err(refusal) => {
            trial.put_back();
            return Err(refusal);
        }
    };
    let mut hearing = Hearing { workshop, context, wish, plan, images: Images::default() };
    let judged = hearing.judge(&mut trial).await;
    let Judged { attempt, new, failed_before, in_fresh } = match judged {
        Ok(judged) => judged,
        Err(refusal) => {
            let left = trial.put_back();
            hearing.images.go_back(workshop, &hearing.plan, wish, context).await;
            drop(left);
            return Err(refusal);
        }
    };
    let passed = new.is_empty();
    let mut verification = Verification {
        passed,
        verify: wish.verify,
        in_copy: hearing.images.are_copies(),
        in_fresh: in_fresh.is_some(),
        notices: Vec::new(),
        loaded: false,
        files: files.iter().map(|file| shown(workshop, file)).collect(),
        not_seen: hearing.plan.not_seen(&attempt).iter().map(|file| shown(workshop, file)).collect(),
        tests_left_out: hearing.plan.tests_left_out,
        failed_before,
        steps: attempt.steps,
    };
    // A load that was not to verify anything leaves the files, whatever it finds.
    if passed || wish.verify == Verify::None {
        verification.steps.iter().for_each(|step| step.keep_told(workshop));
        let keeps = in_fresh.is_some() || (wish.load && passed);
        verification.loaded = keeps || (!verification.in_copy && !verification.steps.is_empty());
        if keeps {
            verification.notices = hearing.images.stay(workshop, in_fresh.as_deref()).await;
        } else {
            hearing.images.leave_copies().await;
        }
        return Ok((trial.keep(), verification));
    }
    let left = trial.put_back().into_iter().map(|one| one.path).collect();
    hearing.images.go_back(workshop, &hearing.plan, wish, context).await;
    verification.steps.retain(|step| step.has_one_of(&new));
    Err(Refusal::NotVerified { verification: Box::new(verification), left, repaired: Vec::new() })
}

/// The verification of one change.
struct Hearing<'h> {
    workshop: &'h Workshop,
    context: &'h CallContext,
    wish: &'h Wish,
    plan: Plan,
    images: Images<'h>,
}

/// What was found.
struct Judged {
    attempt: Attempt,
    /// What speaks against the change.
    new: Vec<Complaint>,
    /// What had failed before, in words.
    failed_before: Vec<String>,
    /// A fresh image was the judge, for this reason.
    in_fresh: Option<String>,
}

impl Judged {
    fn of(attempt: Attempt, before: &Before, in_fresh: Option<String>) -> Self {
        let (old, new): (Vec<Complaint>, Vec<Complaint>) =
            attempt.complaints.iter().cloned().partition(|one| before.had(one));
        let mut failed_before: Vec<String> = Vec::new();
        let mut files: HashSet<&str> = HashSet::new();
        for one in &old {
            // The first message of a file speaks for it.
            let is_next = matches!(one, Complaint::Message { path: Some(path), .. } if !files.insert(path));
            let words = one.in_words().trim_end_matches('.').to_owned();
            if !is_next && !failed_before.contains(&words) {
                failed_before.push(words);
            }
        }
        Self { attempt, new, failed_before, in_fresh }
    }
}

impl Hearing<'_> {
    /// What speaks against the change.
    async fn judge(&mut self, trial: &mut Trial) -> Result<Judged, Refusal> {
        let judged = self.judge_in(Extent::UntilBroken, trial).await?;
        // What does not load now did not load before: the rest of the tests is the judge.
        match judged.attempt.ended_at.is_some() && judged.new.is_empty() {
            true => self.judge_in(Extent::Whole, trial).await,
            false => Ok(judged),
        }
    }

    /// Tries the change in the session's image; what fails there, in a fresh one; what fails there, too, with the old files.
    async fn judge_in(&mut self, extent: Extent, trial: &mut Trial) -> Result<Judged, Refusal> {
        let Self { workshop, context, wish, plan, images } = self;
        let kept = images.attempt(workshop, plan, wish, extent, context).await?;
        if kept.complaints.is_empty() || kept.was_stopped {
            return Ok(Judged::of(kept, &Before::default(), None));
        }
        let known = Before::known(workshop, images, &kept, wish, trial, context).await?;
        let judged = Judged::of(kept, known.as_ref().unwrap_or(&Before::default()), None);
        if judged.new.is_empty() || judged.new.iter().all(Complaint::is_of_reading) {
            return Ok(judged);
        }
        let reason = judged.new.first().map(Complaint::in_words);
        let fresh = match images.attempt_afresh(workshop, plan, wish, extent, context).await? {
            Some(fresh) if fresh.complaints.is_empty() => return Ok(Judged::of(fresh, &Before::default(), reason)),
            _ if wish.verify == Verify::None => return Ok(judged),
            fresh => fresh.filter(|fresh| !fresh.was_stopped),
        };
        let before = match known {
            Some(known) => known,
            None => {
                let attempts = [Some(&judged.attempt), fresh.as_ref()];
                let ends: Option<Vec<&Goal>> =
                    attempts.into_iter().flatten().map(|attempt| attempt.ended_at.as_ref()).collect();
                let plan = plan.until(&ends.unwrap_or_default());
                Before::found_out(workshop, &plan, wish, trial, context).await?
            }
        };
        let kept = Judged::of(judged.attempt, &before, None);
        let Some(fresh) = fresh.map(|fresh| Judged::of(fresh, &before, None)) else { return Ok(kept) };
        if !fresh.new.is_empty() {
            return Ok(fresh);
        }
        // What failed before, too, is no reason to leave the session's image, nor is a fresh one a judge of what it does not
        // come to.
        if !fresh.attempt.came_to(&kept.new) {
            return Ok(kept);
        }
        match kept.new.first().map(Complaint::in_words) {
            Some(reason) => Ok(Judged { in_fresh: Some(reason), ..fresh }),
            None => Ok(kept),
        }
    }
}

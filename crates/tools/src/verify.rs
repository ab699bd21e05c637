//! Verified changes: files that are in place are compiled or tested, and the old texts come back if that fails.
//!
//! Where the runtime can fork, all of it happens after a checkpoint of the session's image, to which the image goes back
//! afterwards: the session has not seen what failed, nor, unless it was asked to load it, what passed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lispwright_index::FormRow;
use lispwright_project::{Trial, Written};
use lispwright_runtime::{Ending, Request, definition_files};
use lispwright_syntax::{Dialect, FormKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::indexed::indexed;
use crate::load_system::{LoadAnswer, LoadStatus, LoadSystem, load_system};
use crate::refusal::Refusal;
use crate::repl_eval::ask;
use crate::repl_work::Work;
use crate::run_tests::{RunTests, TestAnswer, run_tests};
use crate::several::{FileDiff, shown};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The name of the checkpoint before a verification.
const CHECKPOINT: &str = "before-verify";

/// Files with tests that are run when no system has them.
const MOST_TEST_FILES: usize = 20;

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
    /// Nothing has failed.
    pub passed: bool,
    /// What was asked for.
    pub verify: Verify,
    /// It happened in a copy of the session's image.
    pub in_copy: bool,
    /// The session has the new code.
    pub loaded: bool,
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
    /// A warning is a failure of the compiler (CLHS 3.2.5); one of style is not.
    #[serde(skip)]
    pub warnings_fail: bool,
}

impl VerifyStep {
    fn has_passed(&self) -> bool {
        let is_failure = |severity: &str| severity == "error" || (severity == "warning" && self.warnings_fail);
        let compiles = |load: &Arc<LoadAnswer>| {
            let has_error = load.diagnostics.iter().any(|one| is_failure(&one.severity));
            load.status != LoadStatus::Failed && load.otherwise.is_none() && !has_error
        };
        self.load.as_ref().is_none_or(compiles) && self.tests.as_ref().is_none_or(|tests| tests.is_success())
    }
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
}

impl Wish {
    /// There is something to do after the change.
    pub(crate) fn is_any(&self) -> bool {
        self.load || self.verify != Verify::None
    }
}

/// Something that is loaded or tested.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Goal {
    System(String),
    File(String),
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
    trial: Trial,
    files: &[PathBuf],
    wish: &Wish,
    context: &CallContext,
) -> Result<(Vec<Written>, Verification), Refusal> {
    trial.takes_long();
    let definitions = workshop.roots.writable().flat_map(definition_files).collect();
    let mut run =
        Run { workshop, context, wish, definitions, checkpointed: Vec::new(), in_copy: true, steps: Vec::new() };
    let outcome = run.steps(files).await;
    let passed = outcome.is_ok() && run.steps.iter().all(VerifyStep::has_passed);
    // A load that was not to verify anything leaves the files, whatever it finds.
    let stays = passed || wish.verify == Verify::None;
    let is_kept = wish.load && passed;
    if !is_kept {
        run.go_back().await;
    }
    let verification = Verification {
        passed,
        verify: wish.verify,
        in_copy: run.in_copy && !run.checkpointed.is_empty(),
        loaded: is_kept || (run.checkpointed.is_empty() && !run.steps.is_empty()),
        steps: run.steps,
    };
    if stays {
        let written = trial.keep();
        outcome?;
        return Ok((written, verification));
    }
    let left = trial.put_back();
    outcome?;
    let left = left.into_iter().map(|one| one.path).collect();
    Err(Refusal::NotVerified { verification: Box::new(verification), left })
}

struct Run<'r> {
    workshop: &'r Workshop,
    context: &'r CallContext,
    wish: &'r Wish,
    /// The files of the project that define systems.
    definitions: Vec<PathBuf>,
    /// The sessions that have a checkpoint from before.
    checkpointed: Vec<String>,
    in_copy: bool,
    steps: Vec<VerifyStep>,
}

impl Run<'_> {
    /// Loads and tests until something fails.
    async fn steps(&mut self, files: &[PathBuf]) -> Result<(), Refusal> {
        let goals = self.goals(files).await?;
        for goal in &goals {
            self.load(goal, files).await?;
            if !self.steps.iter().all(VerifyStep::has_passed) {
                return Ok(());
            }
        }
        if self.wish.verify == Verify::Tests {
            let tests = self.tests(files).await?;
            if tests.is_empty() {
                return Err(Refusal::Misfit {
                    why: "no tests were found for the changed files; name their system or file with `system`"
                        .to_owned(),
                });
            }
            for goal in tests {
                self.test(&goal).await?;
                if !self.steps.iter().all(VerifyStep::has_passed) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What is loaded: the named system, else the systems of the files, else the files.
    async fn goals(&self, files: &[PathBuf]) -> Result<Vec<Goal>, Refusal> {
        if let Some(system) = self.wish.system.as_ref().filter(|_| self.wish.verify != Verify::Tests) {
            return Ok(vec![self.named(system)]);
        }
        let mut goals = Vec::new();
        for file in files.iter().filter(|file| is_code(file)) {
            let goal = match self.system_of(file) {
                Some(system) => Goal::System(system),
                None => Goal::File(shown(self.workshop, file)),
            };
            if !goals.contains(&goal) {
                goals.push(goal);
            }
        }
        Ok(goals)
    }

    /// A system, or a file, by the name that a caller has given.
    fn named(&self, name: &str) -> Goal {
        match self.workshop.roots.read(Path::new(name)) {
            Ok(file) => Goal::File(file.path),
            Err(_) => Goal::System(name.to_owned()),
        }
    }

    /// The tests: the named ones, else the test systems beside the files, else the files with tests of the same dialects.
    async fn tests(&self, files: &[PathBuf]) -> Result<Vec<Goal>, Refusal> {
        if let Some(system) = &self.wish.system {
            return Ok(vec![self.named(system)]);
        }
        let mut definitions: Vec<PathBuf> = Vec::new();
        for path in files.iter().flat_map(|file| self.definitions_of(file)) {
            if !definitions.contains(path) {
                definitions.push(path.clone());
            }
        }
        let dialects: Vec<Dialect> =
            files.iter().filter_map(|file| Dialect::detect(&file.to_string_lossy(), b"")).collect();
        let (systems, files) = indexed(self.workshop, self.context, move |index, _| {
            let forms = definitions.iter().filter_map(|path| index.document(path)).flat_map(|one| &one.facts.forms);
            let names = forms.filter(|form| form.kind == FormKind::System).map(FormRow::designated);
            let systems = names.filter(|name| name.to_lowercase().contains("test")).map(str::to_owned);
            let with_tests = index.documents().filter(|document| {
                dialects.contains(&document.dialect)
                    && document.facts.forms.iter().any(|form| form.kind == FormKind::Test)
            });
            let files = with_tests.map(|document| document.path.clone()).take(MOST_TEST_FILES);
            (systems.collect::<Vec<String>>(), files.collect::<Vec<PathBuf>>())
        })
        .await?;
        if !systems.is_empty() {
            return Ok(systems.into_iter().map(Goal::System).collect());
        }
        Ok(files.iter().map(|path| Goal::File(shown(self.workshop, path))).collect())
    }

    /// The definition files of systems in the nearest directory around a file of Common Lisp that has any.
    fn definitions_of(&self, file: &Path) -> Vec<&PathBuf> {
        if Dialect::detect(&file.to_string_lossy(), b"") != Some(Dialect::CommonLisp) {
            return Vec::new();
        }
        let is_around = |one: &&PathBuf| one.parent().is_some_and(|directory| file.starts_with(directory));
        let mut around: Vec<&PathBuf> = self.definitions.iter().filter(is_around).collect();
        let depth = |path: &PathBuf| path.components().count();
        let nearest = around.iter().map(|path| depth(path)).max().unwrap_or(0);
        around.retain(|path| depth(path) == nearest);
        around.sort();
        around
    }

    /// The main system around a file of Common Lisp.
    fn system_of(&self, file: &Path) -> Option<String> {
        let shortest = self.definitions_of(file).into_iter().min_by_key(|path| path.as_os_str().len())?;
        Some(shortest.file_stem()?.to_string_lossy().into_owned())
    }

    async fn load(&mut self, goal: &Goal, files: &[PathBuf]) -> Result<(), Refusal> {
        let (system, path) = goal.arguments();
        self.checkpoint("load_system", goal).await?;
        // A system is loaded as far as it has changed, which includes whatever depends on the changed files.
        let force = path.is_some();
        let session = self.wish.session.clone();
        let args = LoadSystem { system, path, session, force: Some(force), ..LoadSystem::default() };
        let answer = load_system(self.workshop, args, self.context).await?;
        let is_unchanged = answer.status == LoadStatus::Unchanged;
        self.take_load(goal, answer);
        // The files are no part of that system.
        if let (Goal::System(_), true, None) = (goal, is_unchanged, &self.wish.system) {
            for file in files.iter().filter(|file| is_code(file)) {
                let path = Some(shown(self.workshop, file));
                let args = LoadSystem { path, session: self.wish.session.clone(), ..LoadSystem::default() };
                let answer = load_system(self.workshop, args, self.context).await?;
                self.take_load(goal, answer);
            }
        }
        Ok(())
    }

    /// Adds a load to the steps. One that verifies nothing fails only with what could not be loaded.
    fn take_load(&mut self, goal: &Goal, load: LoadAnswer) {
        let is_lisp = |path: &str| Dialect::detect(path, b"") == Some(Dialect::CommonLisp);
        let is_checked = match goal {
            Goal::System(_) => load.diagnostics.iter().filter_map(|one| one.path.as_deref()).all(is_lisp),
            Goal::File(path) => is_lisp(path),
        };
        let warnings_fail = is_checked && self.wish.verify != Verify::None;
        self.steps.push(VerifyStep { load: Some(Arc::new(load)), tests: None, warnings_fail });
    }

    async fn test(&mut self, goal: &Goal) -> Result<(), Refusal> {
        let (system, path) = goal.arguments();
        self.checkpoint("run_tests", goal).await?;
        let args = RunTests { system, path, session: self.wish.session.clone(), ..RunTests::default() };
        let answer = run_tests(self.workshop, args, self.context).await?;
        self.steps.push(VerifyStep { tests: Some(Arc::new(answer)), ..VerifyStep::default() });
        Ok(())
    }

    /// Keeps the image of a session as it is before the first step in it, where the runtime can.
    async fn checkpoint(&mut self, tool: &'static str, goal: &Goal) -> Result<(), Refusal> {
        let (system, path) = goal.arguments();
        let session = self.wish.session.as_deref();
        let work = Work::find(self.workshop, tool, system.as_deref(), path.as_deref(), session, None)?;
        if self.checkpointed.contains(&work.session) || !self.in_copy {
            return Ok(());
        }
        let asked = Request::Checkpoint(CHECKPOINT.to_owned());
        let kept = match ask(&self.workshop.sessions, &work.session, asked, self.context).await {
            Ok(report) => matches!(report.ending, Ending::Checkpointed(_)),
            Err(Refusal::Session(_) | Refusal::Image { .. } | Refusal::NotOffered { .. }) => false,
            Err(refusal) => return Err(refusal),
        };
        match kept {
            true => self.checkpointed.push(work.session),
            false => self.in_copy = false,
        }
        Ok(())
    }

    /// Lets the images go back to what they were.
    async fn go_back(&self) {
        for session in &self.checkpointed {
            let asked = Request::Rollback(Some(CHECKPOINT.to_owned()));
            // A session that is gone has nothing to go back to, and says so itself at the next call.
            let _ = ask(&self.workshop.sessions, session, asked, self.context).await;
        }
    }
}

impl Goal {
    /// The arguments of a tool: a system, or a path.
    fn arguments(&self) -> (Option<String>, Option<String>) {
        match self {
            Self::System(system) => (Some(system.clone()), None),
            Self::File(path) => (None, Some(path.clone())),
        }
    }
}

/// The file has code that can be loaded.
fn is_code(file: &Path) -> bool {
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    Dialect::detect(&file.to_string_lossy(), b"").is_some() && !matches!(&*extension, "asd" | "edn")
}

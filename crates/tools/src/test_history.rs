//! What earlier runs of tests have shown: which tests failed, so that they can be run again, and how the files were when all tests of
//! the project passed, so that only those are run that reach what has changed since.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lispwright_index::{Document, Index, Symbol};
use lispwright_syntax::{Dialect, FormKind};

use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::run_tests::{TestAnswer, Verdict};
use crate::test_goals::Goal;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The runs of one workshop. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct TestHistory(Arc<Mutex<Memory>>);

#[derive(Debug, Default)]
struct Memory {
    /// The sessions that have run tests, with their goals.
    ran: BTreeSet<(String, Goal)>,
    /// The goals whose last run failed, in the order of the runs.
    failed: Vec<Chosen>,
    /// The files when the tests of the whole project last passed.
    green: Option<Green>,
}

/// Tests of a goal that are to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub(crate) goal: Goal,
    /// The session that runs them, if it is known.
    pub(crate) session: Option<String>,
    /// Their names; none for all.
    pub(crate) tests: Vec<String>,
}

/// The state of all files: the digest of each form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Green(HashMap<PathBuf, Vec<Part>>);

/// A form at top level.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    digest: u64,
    /// What it defines; nothing for other forms.
    symbols: Vec<Symbol>,
}

impl Chosen {
    /// All tests of a goal.
    pub(crate) fn all_of(goal: Goal) -> Self {
        Self { goal, session: None, tests: Vec::new() }
    }
}

impl TestHistory {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a run of a goal, or of some tests of it. Returns whether a test failed that did not fail at the last run in the
    /// same session.
    pub(crate) fn note(&self, goal: &Goal, answer: &TestAnswer) -> bool {
        let (mut memory, wanted) = (self.memory(), &answer.asked.tests);
        let has_run = !memory.ran.insert((answer.session.clone(), goal.clone()));
        let session = Some(answer.session.clone());
        let before = memory.failed.iter().position(|one| one.goal == *goal && one.session == session);
        let before = before.map(|at| memory.failed.remove(at).tests);
        let is_new = |test: &String| before.as_ref().is_none_or(|before| !before.is_empty() && !before.contains(test));
        let is_news = has_run && answer.failed_tests.iter().any(|test| is_new(&test.test_name));
        let mut tests = before.unwrap_or_default();
        tests.retain(|test| !wanted.is_empty() && !wanted.contains(test));
        let has_ended = matches!(answer.verdict, Some(Verdict::Counted | Verdict::Unknown | Verdict::None));
        let has_failed = answer.failed > 0 || answer.unknown > 0 || !has_ended;
        if has_ended {
            tests.extend(answer.failed_tests.iter().map(|test| test.test_name.clone()));
        }
        if has_failed || !tests.is_empty() {
            // A name that is missing, or one of many that are not told, leaves only all of them.
            let is_known = has_ended && answer.unknown == 0 && answer.failed_tests.len() >= answer.failed as usize;
            if !is_known || tests.iter().any(String::is_empty) {
                tests.clear();
            }
            memory.failed.push(Chosen { goal: goal.clone(), session, tests });
        }
        is_news
    }

    /// The goals whose last run failed, of one session or of all; `None` if no tests were run.
    pub(crate) fn failed(&self, session: Option<&str>) -> Option<Vec<Chosen>> {
        let memory = self.memory();
        let is_asked = |name: &str| session.is_none_or(|session| session == name);
        let failed = memory.failed.iter().filter(|one| one.session.as_deref().is_some_and(is_asked));
        memory.ran.iter().any(|(name, _)| is_asked(name)).then(|| failed.cloned().collect())
    }

    /// Records that all tests of the project passed when its files were as in `green`.
    pub(crate) fn passed(&self, green: Green) {
        self.memory().green = Some(green);
    }

    /// The tests of `goals` that reach what has changed since all passed; `None` if that is not known to have happened.
    ///
    /// Errors: those of the index.
    pub(crate) async fn affected(
        &self,
        workshop: &Workshop,
        context: &CallContext,
        goals: Vec<Goal>,
    ) -> Result<Option<Vec<Chosen>>, Refusal> {
        let Some(green) = self.memory().green.clone() else { return Ok(None) };
        let root = workshop.roots.primary().to_owned();
        indexed(workshop, context, move |index, _| Some(green.reaching(index, &root, &goals))).await
    }
}

/// The files as they are now.
///
/// Errors: those of the index.
pub(crate) async fn now(workshop: &Workshop, context: &CallContext) -> Result<Green, Refusal> {
    indexed(workshop, context, |index, _| Green::of(index)).await
}

impl Green {
    fn of(index: &Index) -> Self {
        Self(index.documents().map(|document| (document.path.clone(), parts(document))).collect())
    }

    /// The tests of `goals` that reach what differs from the files in `index`.
    fn reaching(&self, index: &Index, root: &Path, goals: &[Goal]) -> Vec<Chosen> {
        let mut changed: HashMap<Dialect, Vec<Symbol>> = HashMap::new();
        let mut choice = Choice { root, goals, chosen: Vec::new() };
        for document in index.documents() {
            let (before, now) = (self.0.get(&document.path).map_or(&[][..], Vec::as_slice), parts(document));
            let differing = differing(before, &now);
            if differing.is_empty() {
                continue;
            }
            if document.facts.forms.iter().any(|form| form.kind == FormKind::Test) {
                // Of a file with tests all are run: what is between them may be for any.
                choice.add(document, None);
            } else if differing.iter().any(|part| part.symbols.is_empty()) {
                // What defines a package or has an effect may be for all.
                choice.add_all(document.dialect);
            }
            changed.entry(document.dialect).or_default().extend(symbols(&differing));
        }
        for (path, parts) in self.0.iter().filter(|(path, _)| index.document(path).is_none()) {
            if let Some(dialect) = Dialect::detect(&path.to_string_lossy(), b"") {
                changed.entry(dialect).or_default().extend(symbols(&parts.iter().collect::<Vec<_>>()));
            }
        }
        for (dialect, symbols) in changed.into_iter().filter(|(_, symbols)| !symbols.is_empty()) {
            let question = index.question(dialect);
            let symbols: Vec<Symbol> = symbols.iter().map(|symbol| question.proper(symbol)).collect();
            for hit in question.tests_reaching(&symbols) {
                let name = hit.form().filter(|form| form.has_name()).map(|form| form.designated().to_owned());
                choice.add(hit.document, name);
            }
        }
        let mut chosen = choice.chosen;
        chosen.sort_by_key(|one| goals.iter().position(|goal| *goal == one.goal));
        chosen
    }
}

/// What is chosen among goals.
struct Choice<'c> {
    root: &'c Path,
    goals: &'c [Goal],
    chosen: Vec<Chosen>,
}

impl Choice<'_> {
    /// Adds a test of a file, or all for `None`.
    fn add(&mut self, document: &Document, test: Option<String>) {
        let file = Goal::File(relative(&document.path.to_string_lossy(), self.root));
        let goals: Vec<Goal> = match self.goals.contains(&file) {
            true => vec![file],
            false => {
                let is_of = |goal: &&Goal| matches!(goal, Goal::System(_)) && goal.dialect() == Some(document.dialect);
                self.goals.iter().filter(is_of).cloned().collect()
            }
        };
        for goal in goals {
            self.add_of(goal, test.clone());
        }
    }

    fn add_all(&mut self, dialect: Dialect) {
        for goal in self.goals.iter().filter(|goal| goal.dialect() == Some(dialect)) {
            self.add_of(goal.clone(), None);
        }
    }

    fn add_of(&mut self, goal: Goal, test: Option<String>) {
        let known = self.chosen.iter().position(|one| one.goal == goal);
        match (known, test) {
            (Some(at), Some(name)) => {
                let tests = &mut self.chosen[at].tests;
                if !tests.is_empty() && !tests.contains(&name) {
                    tests.push(name);
                }
            }
            (Some(at), None) => self.chosen[at].tests.clear(),
            (None, name) => {
                self.chosen.push(Chosen { tests: name.into_iter().collect(), ..Chosen::all_of(goal) });
            }
        }
    }
}

/// The forms that are only in one of two states of a file.
fn differing<'p>(before: &'p [Part], now: &'p [Part]) -> Vec<&'p Part> {
    let missing = |one: &'p [Part], other: &'p [Part]| {
        one.iter().filter(|part| other.iter().all(|known| known.digest != part.digest)).collect::<Vec<_>>()
    };
    [missing(now, before), missing(before, now)].concat()
}

fn symbols(parts: &[&Part]) -> Vec<Symbol> {
    parts.iter().flat_map(|part| part.symbols.iter().cloned()).collect()
}

fn parts(document: &Document) -> Vec<Part> {
    let (forms, definitions) = (&document.facts.forms, &document.facts.definitions);
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(form) = forms.get(at) {
        // Forms inside of another one are part of it.
        let inner = forms[at + 1..].iter().take_while(|other| other.span.start < form.span.end).count();
        let next = at + 1 + inner;
        let mut hasher = DefaultHasher::new();
        document.text[form.span.range()].hash(&mut hasher);
        let from = definitions.partition_point(|one| (one.form as usize) < at);
        let own = definitions[from..].iter().take_while(|one| (one.form as usize) < next);
        parts.push(Part { digest: hasher.finish(), symbols: own.map(|one| one.symbol()).collect() });
        at = next;
    }
    parts
}

//! The image of a session beside the files of the project: before code is judged, the image is brought to their state.
//!
//! The image tells which files it has loaded and which of them have changed since. The index tells what those changes
//! concern: macros that were expanded, accessors that were built in, values that were computed, modules that were
//! imported. Together they are the files that the image loads anew, each after those that it uses, and before the target
//! of the call. [`ImageLedger`] remembers the files as images have loaded them, so that what a change has taken away is known.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lispwright_index::{Document, FileOrder, Index, RevisedFile};
use lispwright_runtime::{
    Ending, EvalReport, FileState, ListLoaded, LoadTarget, LoadedFile, Project, Renewal, Request, StaleFile,
};
use lispwright_syntax::Dialect;

use crate::by_hand::{ByHand, HandBook};
use crate::evaluated::Evaluated;
use crate::fresh::has_loaded;
use crate::given::Given;
use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::repl_eval::Visiting;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The files as the images of sessions have loaded them. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct ImageLedger(Arc<Mutex<HashMap<String, Account>>>);

/// The files as one image has loaded them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// The process of the image.
    pid: Option<i32>,
    documents: HashMap<PathBuf, Arc<Document>>,
    /// What compilers have said about each file when it was loaded.
    messages: HashMap<PathBuf, Vec<String>>,
    /// What was defined by hand.
    by_hand: HandBook,
    /// Variables that keep a value which is not that of their definition.
    kept: BTreeSet<String>,
    /// Variables that are to get new values from files whose load has failed: the old ones came back.
    unset: HashMap<String, Vec<(String, String)>>,
    /// What it was given, in the order in which it first was.
    given: Vec<Given>,
}

impl Account {
    /// The same for another process, which has the same files.
    pub(crate) fn moved_to(self, pid: Option<i32>) -> Self {
        Self { pid, ..self }
    }

    fn give(&mut self, given: Given) {
        if !self.given.contains(&given) {
            self.given.push(given);
        }
    }

    /// What was said about a file when it was loaded; `None` if it was not.
    pub(crate) fn said_of(&self, file: &Path) -> Option<&[String]> {
        self.documents.get(file)?;
        Some(self.messages.get(file).map_or(&[], Vec::as_slice))
    }
}

impl ImageLedger {
    fn accounts(&self) -> MutexGuard<'_, HashMap<String, Account>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The account of the process that a session has now; an empty one for a process that is not known.
    pub(crate) fn of(&self, session: &str, pid: Option<i32>) -> Account {
        self.accounts().get(session).filter(|account| account.pid == pid).cloned().unwrap_or_default()
    }

    /// An image of the session has loaded files.
    pub(crate) fn knows(&self, session: &str) -> bool {
        self.accounts().get(session).is_some_and(|account| !account.documents.is_empty())
    }

    /// The files that the image of a session has loaded.
    pub(crate) fn files_of(&self, session: &str) -> HashSet<PathBuf> {
        self.accounts().get(session).map(|account| account.documents.keys().cloned().collect()).unwrap_or_default()
    }

    /// What the image of a session was given besides `targets`, in this order.
    pub(crate) fn given(&self, session: &str, targets: &[&LoadTarget]) -> Vec<Given> {
        let given = self.accounts().get(session).map(|account| account.given.clone()).unwrap_or_default();
        let is_target = |one: &Given| matches!(one, Given::Target(target) if targets.contains(&target));
        given.into_iter().filter(|one| !is_target(one)).collect()
    }

    /// Enters the definitions and the loads in code that the present image of a session has evaluated.
    pub(crate) fn enter(&self, code: &str, named: Option<&str>, report: &EvalReport, pid: Option<i32>) {
        let mut account = self.of(&report.session, pid);
        account.pid = pid;
        let evaluated = Evaluated::of(code, report);
        account.by_hand.enter(&evaluated, named.or(report.package.as_deref()).unwrap_or_default());
        Given::forms(&evaluated, named).into_iter().for_each(|form| account.give(form));
        self.put(&report.session, account);
    }

    /// Records that a session has these files in its present process.
    pub(crate) fn put(&self, session: &str, account: Account) {
        self.accounts().insert(session.to_owned(), account);
    }

    /// Takes the account of a session from another ledger, for the process that the session has now.
    pub(crate) fn take_over(&self, other: &Self, session: &str, pid: Option<i32>) {
        let account = other.accounts().remove(session).unwrap_or_default();
        self.put(session, account.moved_to(pid));
    }
}

/// A call that is about to load code, with the files as they are before.
pub(crate) struct Prepared {
    /// The present files.
    files: Index,
    before: Account,
    by_hand: Vec<ByHand>,
    /// Stale files with the variables that they are to give new values.
    unset: HashMap<String, Vec<(String, String)>>,
}

/// An image beside the files.
pub(crate) struct Beside {
    /// The number of files of the project that it has loaded.
    pub(crate) loaded: usize,
    /// Those that have changed since, that are gone, and that were made with what has changed; absolute.
    pub(crate) changed: Vec<String>,
    pub(crate) gone: Vec<String>,
    pub(crate) stale: Vec<String>,
    /// Variables whose value is not that of their definition.
    pub(crate) values: Vec<String>,
    pub(crate) by_hand: Vec<ByHand>,
}

/// The image that is visited beside the files.
pub(crate) async fn beside(
    workshop: &Workshop,
    visit: &mut Visiting<'_>,
    project: &Project,
    context: &CallContext,
) -> Result<Beside, Refusal> {
    let session = visit.session().to_owned();
    let known = workshop.ledger.of(&session, visit.pid());
    let loaded = loaded_files(visit, project).await?;
    let (dialect, root) = (workshop.sessions.runtime_of(&session).dialect, workshop.roots.primary().to_owned());
    indexed(workshop, context, move |index, _| {
        let by_hand = known.by_hand.beside(index, dialect, &root);
        let state = State { loaded: &loaded, known: &known, by_hand: &by_hand };
        let renewal = state.renewal(index, dialect, None);
        let of = |wanted: FileState| {
            let files = loaded.iter().filter(move |file| file.state == wanted);
            files.map(|file| file.path.clone()).collect::<Vec<_>>()
        };
        let changed = of(FileState::Changed);
        let mut values: Vec<String> = known.kept.iter().cloned().collect();
        values.extend(renewal.stale.iter().flat_map(|file| &file.variables).map(|(_, name)| name.clone()));
        values.sort();
        values.dedup();
        Beside {
            loaded: loaded.len(),
            gone: of(FileState::Gone),
            stale: renewal
                .stale
                .into_iter()
                .map(|file| file.path)
                .filter(|path| !changed.contains(path) && !state.is_overridden(Path::new(path)))
                .collect(),
            changed,
            values,
            by_hand,
        }
    })
    .await
}

/// Completes the project of a call with what the image that it visits has to load before `target`.
pub(crate) async fn prepare(
    workshop: &Workshop,
    visit: &mut Visiting<'_>,
    target: &LoadTarget,
    project: &mut Project,
    context: &CallContext,
) -> Result<Prepared, Refusal> {
    let session = visit.session().to_owned();
    let before = workshop.ledger.of(&session, visit.pid());
    let loaded = loaded_files(visit, project).await?;
    let dialect = workshop.sessions.runtime_of(&session).dialect;
    let (target, root) = (target.clone(), workshop.roots.primary().to_owned());
    let (files, before, renewal, by_hand) = indexed(workshop, context, move |index, _| {
        let by_hand = before.by_hand.beside(index, dialect, &root);
        let state = State { loaded: &loaded, known: &before, by_hand: &by_hand };
        let renewal = state.renewal(index, dialect, Some(&target));
        let mut known = before.clone();
        // Code may have loaded them, without anybody to note it.
        let same = loaded.iter().filter(|file| file.state == FileState::Same).map(|file| Path::new(&file.path));
        let unnoted = same.filter(|path| !known.documents.contains_key(*path)).map(Path::to_owned);
        let unnoted: Vec<PathBuf> = unnoted.collect();
        if !unnoted.is_empty() {
            for path in index.file_order(dialect).ordered(&unnoted) {
                if let Some(document) = index.shared(&path).filter(|document| document.is_current()) {
                    known.give(Given::Target(LoadTarget::Path(path.display().to_string())));
                    known.documents.insert(path, document);
                }
            }
        }
        (index.clone(), known, renewal, by_hand)
    })
    .await?;
    let unset = renewal.stale.iter().filter(|file| !file.variables.is_empty());
    let unset = unset.map(|file| (file.path.clone(), file.variables.clone())).collect();
    project.renewal = renewal;
    Ok(Prepared { files, before, by_hand, unset })
}

/// The files of the project that the image has loaded; none where there is no image, or it does not know.
pub(crate) async fn loaded_files(visit: &mut Visiting<'_>, project: &Project) -> Result<Vec<LoadedFile>, Refusal> {
    if !visit.has_image() {
        return Ok(Vec::new());
    }
    let report = visit.ask(Request::LoadedFiles(ListLoaded { project: project.clone() })).await?;
    Ok(match report.ending {
        Ending::LoadedFiles(files) => files,
        // What has happened to the image is told by the call itself.
        _ => Vec::new(),
    })
}

impl Prepared {
    /// Records what the image of the call's session, the process `pid`, has loaded for `target`. Returns the files and the
    /// definitions by hand as they were before.
    pub(crate) fn note(
        self,
        workshop: &Workshop,
        target: LoadTarget,
        report: &EvalReport,
        pid: Option<i32>,
    ) -> (Index, Vec<ByHand>) {
        let Self { files, mut before, by_hand, unset } = self;
        before.pid = pid;
        if has_loaded(report) == Some(true) {
            before.give(Given::Target(target));
        }
        before.unset = unset;
        before.unset.retain(|path, _| !report.renewed.loaded.contains(path));
        before.kept.extend(report.renewed.kept.iter().cloned());
        report.renewed.reset.iter().for_each(|name| {
            before.kept.remove(name);
        });
        // What is gone from the files stays known until the image has done without it.
        if matches!(report.ending, Ending::Loaded { .. } | Ending::Tested) {
            before.documents.retain(|path, _| files.document(path).is_some());
        }
        let parts = files.file_parts(report.runtime.dialect);
        for path in parts.used_by(report.renewed.loaded.iter().map(Path::new)) {
            if let Some(document) = files.shared(&path).filter(|document| document.is_current()) {
                before.by_hand.loaded(&document);
                before.documents.insert(path, document);
            }
        }
        for path in &report.renewed.loaded {
            let said = report.diagnostics.iter().filter(|one| one.file.as_ref() == Some(path));
            let messages: Vec<String> = said.map(|one| one.message.clone()).collect();
            let path = Path::new(path);
            before.messages.insert(path.to_owned(), messages);
            // A file that has changed since may have been loaded in either state.
            if files.shared(path).is_none_or(|document| !document.is_current()) {
                before.documents.remove(path);
            }
        }
        workshop.ledger.put(&report.session, before);
        (files, by_hand)
    }
}

/// What is known of an image.
struct State<'a> {
    loaded: &'a [LoadedFile],
    known: &'a Account,
    by_hand: &'a [ByHand],
}

impl State<'_> {
    /// The image has another definition than the file, by hand.
    fn is_overridden(&self, file: &Path) -> bool {
        self.by_hand.iter().any(|one| one.file.as_deref() == Some(file))
    }

    fn is_changed(&self, file: &LoadedFile) -> bool {
        file.state != FileState::Same || self.is_overridden(Path::new(&file.path))
    }

    /// The files that were loaded as parts of others, and have changed since.
    fn changed_parts<'i>(&'i self, index: &'i Index) -> impl Iterator<Item = RevisedFile<'i>> {
        let loaded: HashSet<&Path> = self.loaded.iter().map(|file| Path::new(&file.path)).collect();
        let parts = self.known.documents.iter().filter(move |(path, _)| !loaded.contains(path.as_path()));
        parts.filter_map(|(path, before)| {
            let now = index.document(path);
            let is_same = now.is_some_and(|now| now.text == before.text);
            (!is_same).then_some(RevisedFile { now, before: Some(before) })
        })
    }

    /// A file with the state in which the image has loaded it, if that is known.
    fn change<'i>(&'i self, index: &'i Index, path: &Path) -> RevisedFile<'i> {
        let before = self.known.documents.get(path).filter(|_| !self.is_overridden(path));
        RevisedFile { now: index.document(path), before: before.map(|document| &**document) }
    }

    /// Adds which of the files that the image was given, and the target, use what earlier ones define: they may not say that
    /// they need them.
    fn add_given(&self, order: &mut FileOrder, index: &Index, dialect: Dialect, target: Option<&LoadTarget>) {
        let targets = self.known.given.iter().filter_map(|given| match given {
            Given::Target(target) => Some(target),
            _ => None,
        });
        let mut before: Vec<&Path> = Vec::new();
        for target in targets.chain(target) {
            let LoadTarget::Path(path) = target else { continue };
            let path = Path::new(path);
            if before.contains(&path) {
                continue;
            }
            if !before.is_empty() {
                index.named_by(dialect, path, &before).iter().for_each(|used| order.add(path, used));
            }
            before.push(path);
        }
    }

    /// What the image has to load anew before `target`, or at all.
    fn renewal(&self, index: &Index, dialect: Dialect, target: Option<&LoadTarget>) -> Renewal {
        let changed = self.loaded.iter().filter(|file| self.is_changed(file));
        let changes = changed.map(|file| self.change(index, Path::new(&file.path)));
        let changes: Vec<RevisedFile<'_>> = changes.chain(self.changed_parts(index)).collect();
        if changes.is_empty() {
            return Renewal::default();
        }
        let mut order = index.file_order(dialect);
        for file in self.loaded {
            file.uses.iter().for_each(|used| order.add(Path::new(&file.path), Path::new(used)));
        }
        self.add_given(&mut order, index, dialect, target);
        let concerned = index.concerned(dialect, &order, &changes);
        let there = self.loaded.iter().filter(|file| file.state != FileState::Gone);
        let stale: Vec<PathBuf> =
            there.map(|file| PathBuf::from(&file.path)).filter(|path| concerned.files.contains(path)).collect();
        let needed = target.and_then(|target| needed(index, dialect, &order, target));
        let uses = stale.iter().map(|path| {
            let users = order.users_of([path.as_path()]);
            let used = order.used_by([path.as_path()]);
            let before = self.loaded.iter().map(|file| &file.path);
            let before = before.filter(|file| used.contains(Path::new(file)) && !users.contains(Path::new(file)));
            (path.display().to_string(), before.cloned().collect::<Vec<String>>())
        });
        let uses = uses.filter(|(_, used)| !used.is_empty()).collect();
        let stale = order.ordered(&stale).into_iter().map(|path| {
            let needed = needed.as_ref().is_none_or(|needed| needed.contains(&path));
            let mut variables = concerned.variables.get(&path).cloned().unwrap_or_default();
            let path = path.display().to_string();
            let unset = self.known.unset.get(&path).into_iter().flatten();
            unset.for_each(|one| {
                if !variables.contains(one) {
                    variables.push(one.clone());
                }
            });
            StaleFile { path, needed, variables }
        });
        let gone = self.loaded.iter().filter(|file| file.state == FileState::Gone).map(|file| file.path.clone());
        let keeps = matches!(target, Some(LoadTarget::Path(path)) if !concerned.made.contains(Path::new(path)));
        Renewal { stale: stale.collect(), gone: gone.collect(), uses, keeps }
    }
}

/// The files that the target consists of and uses; `None` if that cannot be told from the files.
fn needed(index: &Index, dialect: Dialect, order: &FileOrder, target: &LoadTarget) -> Option<HashSet<PathBuf>> {
    match target {
        LoadTarget::Path(path) => Some(index.needed_by(dialect, order, Path::new(path))),
        LoadTarget::System(name) => {
            let spaces = index.spaces(name).into_iter().map(|(document, _)| document.path.clone());
            let files: Vec<PathBuf> = spaces.chain(index.files_of_feature(dialect, name)).collect();
            (!files.is_empty()).then(|| order.used_by(files.iter().map(PathBuf::as_path)))
        }
    }
}

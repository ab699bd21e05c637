//! The image of a session beside the files of the project: before code is judged, the image is brought to their state.
//!
//! The image tells which files it has loaded and which of them have changed since. The index tells what those changes
//! concern: macros that were expanded, accessors that were built in, values that were computed, modules that were
//! imported. Together they are the files that the image loads anew, each after those that it uses, and before the target
//! of the call. [`Ledger`] remembers the files as images have loaded them, so that what a change has taken away is known.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lispwright_index::{ChangedFile, Document, FileOrder, Index};
use lispwright_runtime::{
    Ending, EvalReport, FileState, ListLoaded, LoadTarget, LoadedFile, Project, Renewal, Request, StaleFile,
};
use lispwright_syntax::Dialect;

use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::repl_eval::Visiting;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The files as the images of sessions have loaded them. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Ledger(Arc<Mutex<HashMap<String, Account>>>);

/// The files as one image has loaded them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// The process of the image.
    pid: Option<i32>,
    documents: HashMap<PathBuf, Arc<Document>>,
    /// What compilers have said about each file when it was loaded.
    messages: HashMap<PathBuf, Vec<String>>,
}

impl Account {
    /// The same for another process, which has the same files.
    pub(crate) fn moved_to(self, pid: Option<i32>) -> Self {
        Self { pid, ..self }
    }

    /// What was said about a file when it was loaded; `None` if it was not.
    pub(crate) fn said_of(&self, file: &Path) -> Option<&[String]> {
        self.documents.get(file)?;
        Some(self.messages.get(file).map_or(&[], Vec::as_slice))
    }
}

impl Ledger {
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
    let target = target.clone();
    let (files, before, renewal) = indexed(workshop, context, move |index, _| {
        let is_changed = loaded.iter().any(|file| file.state != FileState::Same);
        let renewal = if is_changed { renewal(index, dialect, &loaded, &target, &before) } else { Renewal::default() };
        let mut known = before.clone();
        // Code may have loaded them, without anybody to note it.
        for path in loaded.iter().filter(|file| file.state == FileState::Same).map(|file| Path::new(&file.path)) {
            if !known.documents.contains_key(path)
                && let Some(document) = index.shared(path).filter(|document| document.is_current())
            {
                known.documents.insert(path.to_owned(), document);
            }
        }
        (index.clone(), known, renewal)
    })
    .await?;
    project.renewal = renewal;
    Ok(Prepared { files, before })
}

/// The files of the project that the image has loaded; none where there is no image, or it does not know.
async fn loaded_files(visit: &mut Visiting<'_>, project: &Project) -> Result<Vec<LoadedFile>, Refusal> {
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
    /// The files before a call in a fresh image.
    pub(crate) async fn for_fresh(workshop: &Workshop, context: &CallContext) -> Result<Self, Refusal> {
        let files = indexed(workshop, context, |index, _| index.clone()).await?;
        Ok(Self { files, before: Account::default() })
    }

    /// Records what the image of the call's session, the process `pid`, has loaded. Returns the files as they were before.
    pub(crate) fn note(self, workshop: &Workshop, report: &EvalReport, pid: Option<i32>) -> Index {
        let Self { files, mut before } = self;
        before.pid = pid;
        for path in &report.renewed.loaded {
            let said = report.diagnostics.iter().filter(|one| one.file.as_ref() == Some(path));
            let messages: Vec<String> = said.map(|one| one.message.clone()).collect();
            let path = Path::new(path);
            before.messages.insert(path.to_owned(), messages);
            // A file that has changed since may have been loaded in either state.
            match files.shared(path).filter(|document| document.is_current()) {
                Some(document) => before.documents.insert(path.to_owned(), document),
                None => before.documents.remove(path),
            };
        }
        workshop.ledger.put(&report.session, before);
        files
    }
}

/// What an image with these `loaded` files has to load anew before `target`.
fn renewal(index: &Index, dialect: Dialect, loaded: &[LoadedFile], target: &LoadTarget, known: &Account) -> Renewal {
    let mut order = index.file_order(dialect);
    for file in loaded {
        file.uses.iter().for_each(|used| order.add(Path::new(&file.path), Path::new(used)));
    }
    let change = |path: &Path| ChangedFile {
        now: index.document(path),
        before: known.documents.get(path).map(|document| &**document),
    };
    let changed = loaded.iter().filter(|file| file.state != FileState::Same);
    let changes: Vec<ChangedFile<'_>> = changed.map(|file| change(Path::new(&file.path))).collect();
    let concerned = index.concerned(dialect, &order, &changes);
    let there = loaded.iter().filter(|file| file.state != FileState::Gone).map(|file| PathBuf::from(&file.path));
    let stale: Vec<PathBuf> = there.filter(|path| concerned.files.contains(path)).collect();
    let needed = needed(index, dialect, &order, target);
    let uses = stale.iter().map(|path| {
        let users = order.users_of([path.as_path()]);
        let used = order.used_by([path.as_path()]);
        let before = loaded.iter().map(|file| &file.path);
        let before = before.filter(|file| used.contains(Path::new(file)) && !users.contains(Path::new(file)));
        (path.display().to_string(), before.cloned().collect::<Vec<String>>())
    });
    let uses = uses.filter(|(_, used)| !used.is_empty()).collect();
    let stale = order.ordered(&stale).into_iter().map(|path| StaleFile {
        needed: needed.as_ref().is_none_or(|needed| needed.contains(&path)),
        variables: concerned.variables.get(&path).cloned().unwrap_or_default(),
        path: path.display().to_string(),
    });
    let gone = loaded.iter().filter(|file| file.state == FileState::Gone).map(|file| file.path.clone());
    Renewal { stale: stale.collect(), gone: gone.collect(), uses }
}

/// The files that the target consists of and uses; `None` if that cannot be told from the files.
fn needed(index: &Index, dialect: Dialect, order: &FileOrder, target: &LoadTarget) -> Option<HashSet<PathBuf>> {
    match target {
        LoadTarget::Path(path) => Some(index.needed_by(dialect, order, Path::new(path))),
        LoadTarget::System(name) => {
            let spaces = index.spaces(name).into_iter().map(|(document, _)| document.path.clone());
            let files: Vec<PathBuf> = spaces.chain(index.files_of_feature(name)).collect();
            (!files.is_empty()).then(|| order.used_by(files.iter().map(PathBuf::as_path)))
        }
    }
}

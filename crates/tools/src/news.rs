//! What an edit has broken: the problems that are there after it and were not before, in the changed files and in those
//! that use what they define.
//!
//! An edit has no time to ask the whole project. A thread keeps the question about its files as it was last asked, and
//! looks with it at the old and the new text of a changed file. Mostly nothing is new there, and what the file defines
//! stays as it was: that is the answer. Otherwise the files are looked at afresh, and what is told is told of them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use lispwright_index::{Document, Index, Space, UseIndex};
use lispwright_lint::{Chosen, Finding, new_since};
use lispwright_syntax::{Dialect, FormKind, Language};

use crate::code_describe::arglist;
use crate::indexed::language_of;
use crate::lint_table::linting;
use crate::problems::Problem;
use crate::workshop::Workshop;
use crate::workspace::Workspace;

/// How long an edit waits for the answer, at most: the first looks at all files.
const PATIENCE: Duration = Duration::from_secs(2);

/// After this time without an edit the question is forgotten.
const IDLE: Duration = Duration::from_secs(600);

/// Texts of files that are looked at before the question is asked afresh.
const MOST_TEXTS: usize = 64;

/// Files that use what has changed and are looked at.
const MOST_USERS: usize = 40;

/// A file that has another text, or would have.
#[derive(Clone, Debug)]
pub(crate) struct Rewritten {
    /// The file, as the project calls it.
    pub(crate) path: String,
    /// Its text before; empty if it is new.
    pub(crate) before: String,
    /// Its text now.
    pub(crate) after: String,
}

/// Who is asked what is new. Clones ask the same.
#[derive(Clone, Debug, Default)]
pub struct News(Arc<Desk>);

#[derive(Debug)]
struct Desk {
    patience: Duration,
    asks: Mutex<Option<Sender<Ask>>>,
    /// Somebody has stopped waiting for an answer that is still looked for.
    is_late: Arc<AtomicBool>,
}

impl Default for Desk {
    fn default() -> Self {
        Self { patience: PATIENCE, asks: Mutex::default(), is_late: Arc::default() }
    }
}

/// A question.
struct Ask {
    changed: Vec<Change>,
    chosen: Chosen,
    reply: Sender<Vec<Problem>>,
}

#[derive(Debug)]
struct Change {
    path: PathBuf,
    before: String,
    after: String,
    language: Language,
}

/// The problems that are new by an edit; none if that cannot be told soon.
pub(crate) fn news(workshop: &Workshop, rewritten: Vec<Rewritten>) -> Vec<Problem> {
    let change = |one: Rewritten| {
        let path = workshop.roots.absolute(Path::new(&one.path)).ok()?;
        let language = language_of(&workshop.workspace, &path, &one.after)?;
        let is_code = language.dialect().has_special_forms() && one.before != one.after;
        is_code.then_some(Change { path, before: one.before, after: one.after, language })
    };
    let changed: Vec<Change> = rewritten.into_iter().filter_map(change).collect();
    let linting = linting(workshop);
    if changed.is_empty() || linting.is_silent_on_edits {
        return Vec::new();
    }
    workshop.news.ask(workshop, changed, linting.chosen()).unwrap_or_default()
}

/// The problems of a file of the project, as it is now.
pub(crate) fn problems_of(workshop: &Workshop, path: &str) -> Vec<Problem> {
    let Ok(path) = workshop.roots.absolute(Path::new(path)) else { return Vec::new() };
    let files = Files::of(workshop);
    let index = files.fresh();
    let Some(document) = index.document(&path).filter(|one| one.dialect.has_special_forms()) else { return Vec::new() };
    let found = linting(workshop).chosen().findings(&index.question(document.dialect), document);
    found.iter().map(|finding| Problem::of(document, finding, &files.primary)).collect()
}

impl News {
    /// One whose answers are waited for as long as `patience`.
    #[must_use]
    pub fn waiting(patience: Duration) -> Self {
        Self(Arc::new(Desk { patience, ..Desk::default() }))
    }

    fn ask(&self, workshop: &Workshop, changed: Vec<Change>, chosen: Chosen) -> Option<Vec<Problem>> {
        let desk = &*self.0;
        if desk.is_late.load(Ordering::Acquire) {
            return None;
        }
        let (reply, answer) = channel();
        {
            let mut asks = desk.asks.lock().unwrap_or_else(PoisonError::into_inner);
            let mut ask = Ask { changed, chosen, reply };
            if let Some(known) = asks.as_ref() {
                match known.send(ask) {
                    Ok(()) => return self.wait(&answer),
                    Err(unsent) => ask = unsent.0,
                }
            }
            let (sender, receiver) = channel();
            let files = Files::of(workshop);
            let is_late = desk.is_late.clone();
            let work = move || serve(&receiver, &files, &is_late);
            thread::Builder::new().name("lint".to_owned()).spawn(work).ok()?;
            sender.send(ask).ok()?;
            *asks = Some(sender);
        }
        self.wait(&answer)
    }

    fn wait(&self, answer: &Receiver<Vec<Problem>>) -> Option<Vec<Problem>> {
        match answer.recv_timeout(self.0.patience) {
            Ok(problems) => Some(problems),
            Err(RecvTimeoutError::Timeout) => {
                self.0.is_late.store(true, Ordering::Release);
                None
            }
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }
}

/// The files of the project.
struct Files {
    roots: Vec<PathBuf>,
    primary: PathBuf,
    workspace: Workspace,
    index: Arc<Mutex<Index>>,
}

impl Files {
    fn of(workshop: &Workshop) -> Self {
        Self {
            roots: workshop.roots.writable().map(Path::to_owned).collect(),
            primary: workshop.roots.primary().to_owned(),
            workspace: workshop.workspace.clone(),
            index: workshop.index.clone(),
        }
    }

    /// The index, which has seen every change of the files.
    fn fresh(&self) -> Index {
        let language = |path: &Path, text: &str| language_of(&self.workspace, path, text);
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        index.refresh(self.roots.iter().map(PathBuf::as_path), &language);
        index.clone()
    }
}

/// Answers until nobody is left who asks.
fn serve(asks: &Receiver<Ask>, files: &Files, is_late: &AtomicBool) {
    let Ok(mut ask) = asks.recv() else { return };
    loop {
        let then = files.fresh();
        let texts = |text: fn(&Change) -> &str| {
            let changed = ask.changed.iter().filter(move |one| !text(one).is_empty());
            changed.map(move |one| (one.path.clone(), text(one).to_owned(), one.language.clone()))
        };
        let is_new = |path: &Path| ask.changed.iter().any(|one| one.path == path && one.before.is_empty());
        let before = then.without(is_new).with(texts(|one| &one.before));
        let now = then.with(texts(|one| &one.after));
        drop(then);
        // What is read later lives as long as the question that it is read with.
        let slots: Vec<OnceCell<Document>> = (0..MOST_TEXTS).map(|_| OnceCell::new()).collect();
        let mut desk = Snapshot { now: &now, questions: BTreeMap::new(), slots: &slots, used: 0 };
        let problems = desk.afresh(&before, &ask, &files.primary);
        drop(before);
        let mut reply = ask.reply;
        let mut answer = problems;
        ask = loop {
            let _ = reply.send(answer);
            is_late.store(false, Ordering::Release);
            match asks.recv_timeout(IDLE) {
                Ok(next) if desk.nothing_new(&next) => (reply, answer) = (next.reply, Vec::new()),
                Ok(next) => break next,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    drop(desk);
                    drop(slots);
                    drop(now);
                    match asks.recv() {
                        Ok(next) => break next,
                        Err(_) => return,
                    }
                }
            }
        };
    }
}

/// The files at some time, and the questions about them.
struct Snapshot<'i> {
    now: &'i Index,
    questions: BTreeMap<&'static str, UseIndex<'i>>,
    slots: &'i [OnceCell<Document>],
    used: usize,
}

impl<'i> Snapshot<'i> {
    /// The problems of the files as they are now that were not there `before`.
    fn afresh(&mut self, before: &Index, ask: &Ask, root: &Path) -> Vec<Problem> {
        let Ask { changed, chosen, .. } = ask;
        let mut problems = Vec::new();
        let dialects: BTreeMap<&str, Dialect> =
            changed.iter().map(|one| (one.language.dialect().name(), one.language.dialect())).collect();
        for (name, dialect) in dialects {
            let then = before.question(dialect);
            let now = self.questions.entry(name).or_insert_with(|| self.now.question(dialect));
            let own = changed.iter().filter(|one| one.language.dialect() == dialect);
            let mut paths: Vec<PathBuf> = own.map(|one| one.path.clone()).collect();
            let users = users(before, &then, self.now, now, &paths).into_iter();
            let users: Vec<PathBuf> = users.filter(|path| !paths.contains(path)).take(MOST_USERS).collect();
            paths.extend(users);
            for path in &paths {
                let Some(document) = self.now.document(path) else { continue };
                let findings = chosen.findings(now, document);
                if findings.is_empty() {
                    continue;
                }
                let known = before.document(path).map_or_else(Vec::new, |document| chosen.findings(&then, document));
                let new = new_since(&known, &findings);
                problems.extend(new.into_iter().map(|finding| Problem::of(document, finding, root)));
            }
        }
        problems
    }

    /// The files define what they did, and nothing is found in their new text that was not found in the old one.
    fn nothing_new(&mut self, ask: &Ask) -> bool {
        ask.changed.iter().all(|one| self.is_nothing_new(one, &ask.chosen).unwrap_or(false))
    }

    fn is_nothing_new(&mut self, change: &Change, chosen: &Chosen) -> Option<bool> {
        let document = self.now.document(&change.path)?;
        let dialect = change.language.dialect();
        if document.dialect != dialect || change.before.is_empty() {
            return None;
        }
        if !self.questions.contains_key(dialect.name()) {
            self.questions.insert(dialect.name(), self.now.question(dialect));
        }
        let before = if document.text == change.before { document } else { self.read(document, &change.before)? };
        let after = self.read(document, &change.after)?;
        if !after.is_balanced || !is_kept(before, after) {
            return None;
        }
        let question = self.questions.get(dialect.name())?;
        let findings: Vec<Finding> = chosen.findings(question, after);
        Some(findings.is_empty() || new_since(&chosen.findings(question, before), &findings).is_empty())
    }

    /// A file with another text; `None` when there is no place left for it.
    fn read(&mut self, document: &Document, text: &str) -> Option<&'i Document> {
        let slot = self.slots.get(self.used)?;
        self.used += 1;
        let question = self.questions.get(document.dialect.name())?;
        Some(slot.get_or_init(|| question.retold(document, text.to_owned())))
    }
}

/// What other files know of a definition: its kind, and its parameters or, of a macro or type, its text.
type Outside = (FormKind, String);

/// What a file defines, by space, name, and whether another definition makes it.
fn defined(document: &Document) -> BTreeMap<(&str, &str, bool), Vec<Outside>> {
    let mut defined: BTreeMap<_, Vec<Outside>> = BTreeMap::new();
    for one in &document.facts.definitions {
        let text = || document.text[document.facts.forms[one.form as usize].span.range()].to_owned();
        let known = match one.kind {
            FormKind::Function | FormKind::Method => arglist(document, one).unwrap_or_default(),
            FormKind::Variable | FormKind::Test => String::new(),
            _ if one.made => String::new(),
            _ => text(),
        };
        defined.entry((one.space.as_str(), one.name.as_str(), one.made)).or_default().push((one.kind, known));
    }
    defined
}

/// What the file defined, it defines still, as it did; and it declares the same spaces.
fn is_kept(before: &Document, after: &Document) -> bool {
    let spaces = |document: &Document| -> Vec<Space> {
        document.facts.spaces.iter().map(|space| Space { at: 0, ..space.clone() }).collect()
    };
    let (then, now) = (defined(before), defined(after));
    spaces(before) == spaces(after) && then.iter().all(|(name, known)| now.get(name) == Some(known))
}

/// The files that use a name whose definition in one of the changed files is another one now, or gone.
fn users(
    before: &Index,
    then: &UseIndex<'_>,
    after: &Index,
    now: &UseIndex<'_>,
    changed: &[PathBuf],
) -> BTreeSet<PathBuf> {
    let mut paths = BTreeSet::new();
    for path in changed {
        let Some(old) = before.document(path).map(defined) else { continue };
        let new = after.document(path).map(defined).unwrap_or_default();
        let differing = old.iter().filter(|(name, known)| new.get(*name) != Some(known));
        for ((_, name, _), _) in differing {
            let hits = then.named(name).into_iter().chain(now.named(name));
            paths.extend(hits.map(|hit| hit.document.path.clone()));
        }
    }
    paths
}

//! What an edit has broken: the problems that are there after it and were not before, in the changed files and in those
//! that use what they define.
//!
//! An edit has no time to read the whole project. A thread keeps the question about its files, lays the old and the new
//! text of a changed file over it, and judges that file and those that use what it defines otherwise now. What is told is
//! told of the files as they are: where somebody else has changed one meanwhile, all are looked at again. So they are
//! when that is seen while nobody asks.

#[cfg(test)]
mod random_edits;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lispwright_index::{Definition, Document, Index, Reading, UseIndex};
use lispwright_lint::{Chosen, Finding, JudgedPart, Rule, new_since, rules};
use lispwright_platform::{Here, System as _};
use lispwright_syntax::{Dialect, FormKind, Language};

use crate::code_describe::arglist;
use crate::indexed::language_of;
use crate::lint_table::linting;
use crate::problems::Problem;
use crate::several::NewFile;
use crate::workshop::Workshop;
use crate::workspace::Workspace;

/// How long an edit waits for the answer, at most: the first looks at all files.
const PATIENCE: Duration = Duration::from_secs(2);

/// After this time without an edit the question is forgotten.
const IDLE: Duration = Duration::from_secs(600);

/// After this time without an edit, it is seen whether somebody else has changed a file.
const QUIET: Duration = Duration::from_millis(200);

/// Texts of files that are read before all files are looked at again.
const MOST_TEXTS: usize = 64;

/// So many bytes of texts that files had for a while are kept in any project.
const LITTLE: usize = 64 << 10;

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

impl From<&NewFile> for Rewritten {
    fn from(file: &NewFile) -> Self {
        let path = file.path.to_string_lossy().into_owned();
        Self { path, before: file.old_text.clone(), after: file.new_text.clone() }
    }
}

/// Who is asked what is new. Clones ask the same.
#[derive(Clone, Debug, Default)]
pub struct News(Arc<Desk>);

#[derive(Debug)]
struct Desk {
    patience: Duration,
    /// The files are looked at as soon as one is read.
    looks_ahead: bool,
    jobs: Mutex<Option<Sender<Job>>>,
    /// Somebody has stopped waiting for an answer that is still looked for.
    is_late: Arc<AtomicBool>,
}

impl Default for Desk {
    fn default() -> Self {
        Self { patience: PATIENCE, looks_ahead: false, jobs: Mutex::default(), is_late: Arc::default() }
    }
}

enum Job {
    /// Somebody waits for an answer.
    Answer(Ask),
    /// There may be a question about files in the dialect.
    Prepare(Dialect),
}

/// A question.
struct Ask {
    changed: Vec<Change>,
    chosen: Chosen,
    reply: Sender<Vec<Problem>>,
    /// Nobody waits for the answer any longer then.
    until: Instant,
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
    asked(workshop, rewritten).answer()
}

/// What has been asked and is looked for while the edit is written.
#[derive(Default)]
pub(crate) struct Asking(Option<(News, Receiver<Vec<Problem>>)>);

impl Asking {
    /// The problems that are new; none if that cannot be told soon.
    pub(crate) fn answer(self) -> Vec<Problem> {
        self.0.and_then(|(news, answer)| news.wait(&answer)).unwrap_or_default()
    }
}

/// Asks for the problems that are new by an edit, which need not be written yet.
pub(crate) fn asked(workshop: &Workshop, rewritten: Vec<Rewritten>) -> Asking {
    let change = |one: Rewritten| {
        let path = workshop.roots.absolute(Path::new(&one.path)).ok()?;
        let language = language_of(&workshop.workspace, &path, &one.after)?;
        let is_code = language.dialect().has_special_forms() && !language.has_at_forms() && one.before != one.after;
        is_code.then_some(Change { path, before: one.before, after: one.after, language })
    };
    let changed: Vec<Change> = rewritten.into_iter().filter_map(change).collect();
    let linting = linting(workshop);
    if changed.is_empty() || linting.is_silent_on_edits {
        return Asking::default();
    }
    Asking(workshop.news.ask(workshop, changed, linting.chosen()))
}

/// A file has been read, and may be edited next.
pub(crate) fn prepare(workshop: &Workshop, language: &Language) {
    let dialect = language.dialect();
    if workshop.news.0.looks_ahead && dialect.has_special_forms() && !linting(workshop).is_silent_on_edits {
        workshop.news.send(workshop, Job::Prepare(dialect));
    }
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

    /// One that looks at the files of the project when the first of them is read, for somebody who stays.
    #[must_use]
    pub fn ahead() -> Self {
        Self(Arc::new(Desk { looks_ahead: true, ..Desk::default() }))
    }

    fn ask(&self, workshop: &Workshop, changed: Vec<Change>, chosen: Chosen) -> Option<(Self, Receiver<Vec<Problem>>)> {
        if self.0.is_late.load(Ordering::Acquire) {
            return None;
        }
        let (reply, answer) = channel();
        let until = Instant::now() + self.0.patience;
        self.send(workshop, Job::Answer(Ask { changed, chosen, reply, until }))?;
        Some((self.clone(), answer))
    }

    /// Hands a job to the thread, and starts that if there is none.
    fn send(&self, workshop: &Workshop, job: Job) -> Option<()> {
        let mut jobs = self.0.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let mut job = job;
        if let Some(known) = jobs.as_ref() {
            match known.send(job) {
                Ok(()) => return Some(()),
                Err(unsent) => job = unsent.0,
            }
        }
        let (sender, receiver) = channel();
        let files = Files::of(workshop);
        let is_late = self.0.is_late.clone();
        let work = move || serve(&receiver, &files, &is_late);
        thread::Builder::new().name("lint".to_owned()).spawn(work).ok()?;
        sender.send(job).ok()?;
        *jobs = Some(sender);
        Some(())
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

/// What is to be done next.
enum Next {
    /// A question needs a look at all files.
    Ask(Ask),
    /// Files have changed: the next question would need one.
    Prepare(Vec<Dialect>),
}

/// Answers until nobody is left who asks.
fn serve(jobs: &Receiver<Job>, files: &Files, is_late: &AtomicBool) {
    let mut next = jobs.recv().ok().map(Next::of);
    while let Some(now) = next {
        next = match now {
            Next::Ask(ask) => look(ask, jobs, files, is_late),
            Next::Prepare(dialects) => {
                let (index, slots) = (files.fresh(), slots());
                let mut snapshot = Snapshot::of(&index, &slots);
                for dialect in dialects {
                    snapshot.question(dialect);
                }
                snapshot.serve(jobs, files, is_late)
            }
        };
    }
}

impl Next {
    fn of(job: Job) -> Self {
        match job {
            Job::Answer(ask) => Self::Ask(ask),
            Job::Prepare(dialect) => Self::Prepare(vec![dialect]),
        }
    }
}

/// Looks at the files as they are, and answers from that as long as it holds.
fn look(ask: Ask, jobs: &Receiver<Job>, files: &Files, is_late: &AtomicBool) -> Option<Next> {
    let texts = |text: fn(&Change) -> &str| {
        let changed = ask.changed.iter().filter(move |one| !text(one).is_empty());
        changed.map(move |one| (one.path.clone(), text(one).to_owned(), one.language.clone()))
    };
    let is_new = |path: &Path| ask.changed.iter().any(|one| one.path == path && one.before.is_empty());
    let before = {
        let fresh = files.fresh();
        let has = |path: &Path, text: &str| fresh.document(path).is_some_and(|known| known.text == text);
        let others = texts(|one| &one.before).filter(|(path, text, _)| !has(path, text));
        fresh.without(is_new).with(others)
    };
    let early = slots();
    let mut snapshot = Snapshot::of(&before, &early);
    if let Some(problems) = snapshot.news(&ask, &files.primary) {
        ask.answer(problems, is_late);
        return snapshot.serve(jobs, files, is_late);
    }
    let after = before.with(texts(|one| &one.after));
    let late = slots();
    let mut now = Snapshot::of(&after, &late);
    drop(snapshot);
    let mut problems = Vec::new();
    for dialect in ask.dialects() {
        let then = Asked { question: &before.question(dialect), readings: &[] };
        let now = Asked { question: now.question(dialect), readings: &[] };
        problems.extend(differences(&then, &now, &ask, &files.primary));
    }
    drop((before, early));
    ask.answer(problems, is_late);
    now.serve(jobs, files, is_late)
}

/// Places for what is read later, which lives as long as the question that it is read with.
fn slots() -> Vec<OnceCell<Reading>> {
    (0..MOST_TEXTS).map(|_| OnceCell::new()).collect()
}

impl Ask {
    fn answer(self, problems: Vec<Problem>, is_late: &AtomicBool) {
        let _ = self.reply.send(problems);
        is_late.store(false, Ordering::Release);
    }

    fn dialects(&self) -> Vec<Dialect> {
        let mut dialects: Vec<Dialect> = self.changed.iter().map(|one| one.language.dialect()).collect();
        dialects.sort_by_key(|dialect| dialect.name());
        dialects.dedup();
        dialects
    }
}

/// The files at some time, and the questions about them.
struct Snapshot<'i> {
    index: &'i Index,
    /// By dialect; each file that has been changed since is there as it is now.
    questions: BTreeMap<&'static str, UseIndex<'i>>,
    slots: &'i [OnceCell<Reading>],
    used: usize,
}

impl<'i> Snapshot<'i> {
    fn of(index: &'i Index, slots: &'i [OnceCell<Reading>]) -> Self {
        Self { index, questions: BTreeMap::new(), slots, used: 0 }
    }

    /// Answers as long as the files are known.
    fn serve(mut self, jobs: &Receiver<Job>, files: &Files, is_late: &AtomicBool) -> Option<Next> {
        let mut is_checked = false;
        loop {
            match jobs.recv_timeout(if is_checked { IDLE } else { QUIET }) {
                Ok(Job::Prepare(dialect)) => {
                    self.question(dialect);
                }
                Ok(Job::Answer(ask)) if ask.until < Instant::now() => is_late.store(false, Ordering::Release),
                Ok(Job::Answer(ask)) => {
                    let Some(problems) = self.news(&ask, &files.primary) else { return Some(Next::Ask(ask)) };
                    // Another file matters where something is told of it, or could be.
                    let is_alone = problems.is_empty() && !self.has_redefined(&ask);
                    if !is_alone && !self.is_current(&ask.changed) {
                        return Some(Next::Ask(ask));
                    }
                    ask.answer(problems, is_late);
                    is_checked = false;
                }
                Err(RecvTimeoutError::Timeout) if !is_checked => {
                    let is_full = self.used * 2 > self.slots.len() || self.kept() > self.most_kept();
                    if is_full || !self.is_current(&[]) {
                        return Some(Next::Prepare(self.questions.values().map(UseIndex::dialect).collect()));
                    }
                    is_checked = true;
                    Here::return_free_memory();
                }
                Err(RecvTimeoutError::Timeout) => {
                    drop(self);
                    return jobs.recv().ok().map(Next::of);
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    fn question(&mut self, dialect: Dialect) -> &UseIndex<'i> {
        self.questions.entry(dialect.name()).or_insert_with(|| self.index.question(dialect))
    }

    /// One of the changed files does not define any longer what it defined, as it did.
    fn has_redefined(&self, ask: &Ask) -> bool {
        ask.changed.iter().any(|change| {
            let own = self.earlier(&change.path);
            let with = |text: &str| own.iter().copied().find(|document| document.text == text);
            let (before, after) = (with(&change.before), with(&change.after));
            before.zip(after).is_none_or(|(before, after)| !is_kept(before, after))
        })
    }

    /// The files are as they are known here, but for the changed ones.
    fn is_current(&self, changed: &[Change]) -> bool {
        let read = self.slots[..self.used].iter().filter_map(OnceCell::get);
        let read: BTreeSet<&Path> = read.map(|one| one.document.path.as_path()).collect();
        let later = |path: &Path| -> Option<Option<&str>> {
            if changed.iter().any(|change| change.path == path) {
                return Some(None);
            }
            if !read.contains(path) {
                return None;
            }
            let document = self.questions.values().find_map(|question| question.document(path))?;
            let is_as_read = self.index.document(path).is_some_and(|known| std::ptr::eq(known, document));
            (!is_as_read).then_some(Some(document.text.as_str()))
        };
        self.index.is_current(later)
    }

    /// What is new by a change; `None` where that needs a look at all files.
    fn news(&mut self, ask: &Ask, root: &Path) -> Option<Vec<Problem>> {
        for change in &ask.changed {
            self.take(change, &change.before)?;
        }
        let then = self.questions.clone();
        for change in &ask.changed {
            self.take(change, &change.after)?;
        }
        let slots = self.slots;
        let mut problems = Vec::new();
        for dialect in ask.dialects() {
            let before = Asked { question: then.get(dialect.name())?, readings: slots };
            let after = Asked { question: self.question(dialect), readings: slots };
            problems.extend(differences(&before, &after, ask, root));
        }
        Some(problems)
    }

    /// Takes note that a file has this text.
    fn take(&mut self, change: &Change, text: &str) -> Option<()> {
        let dialect = change.language.dialect();
        let known = self.question(dialect).document(&change.path).filter(|known| known.dialect == dialect)?;
        if known.text == text {
            return Some(());
        }
        // It may have had this text before, as after a dry run.
        let earlier = self.earlier(&change.path).into_iter().find(|document| document.text == text);
        let document = match earlier {
            Some(document) => document,
            None if self.kept() + text.len() > self.most_kept() * 8 => return None,
            None => {
                let slot = self.slots.get(self.used)?;
                self.used += 1;
                let question = self.question(dialect);
                &slot.get_or_init(|| question.retold(known, text.to_owned())).document
            }
        };
        let revised = self.question(dialect).revised(document).filter(|_| document.is_balanced)?;
        self.questions.insert(dialect.name(), revised);
        Some(())
    }

    /// The file as it has been read, the last time first.
    fn earlier(&self, path: &Path) -> Vec<&'i Document> {
        let readings = self.slots[..self.used].iter().rev().filter_map(OnceCell::get).map(|one| &one.document);
        readings.filter(|document| document.path == path).chain(self.index.document(path)).collect()
    }

    /// The bytes of source that are kept besides the files.
    fn kept(&self) -> usize {
        self.slots[..self.used].iter().filter_map(OnceCell::get).map(|one| one.document.text.len()).sum()
    }

    /// So many of them are little, beside what is kept of the files.
    fn most_kept(&self) -> usize {
        let all: usize = self.index.documents().map(|one| one.text.len()).sum();
        (all / 32).max(LITTLE)
    }
}

/// A question, with the files that have been read for it.
struct Asked<'q, 'i> {
    question: &'q UseIndex<'i>,
    readings: &'i [OnceCell<Reading>],
}

impl<'i> Asked<'_, 'i> {
    fn findings(&self, chosen: &Chosen, document: &'i Document, part: &JudgedPart) -> Vec<Finding> {
        let mut readings = self.readings.iter().filter_map(OnceCell::get);
        match readings.find(|one| std::ptr::eq(&raw const one.document, document)) {
            Some(reading) => chosen.findings_read(self.question, document, &reading.tree, part),
            None => chosen.findings_in(self.question, document, part),
        }
    }
}

/// The problems that were not there before, in what has changed and in the forms that use what is defined otherwise now.
fn differences(before: &Asked<'_, '_>, after: &Asked<'_, '_>, ask: &Ask, root: &Path) -> Vec<Problem> {
    let (then, now) = (before.question, after.question);
    let own = ask.changed.iter().filter(|one| one.language.dialect() == now.dialect());
    let own: Vec<&Path> = own.map(|one| one.path.as_path()).collect();
    let names = redefined(then, now, &own);
    let mut uses = [places(then, &names, &own), places(now, &names, &own)];
    let users = uses.iter().flat_map(BTreeMap::keys).filter(|path| !own.contains(&path.as_path()));
    let inside = inside_redeclared(then, now, &own);
    let users: BTreeSet<PathBuf> = users.cloned().chain(inside.iter().cloned()).collect();
    let mut problems = Vec::new();
    for path in own.iter().copied().chain(users.iter().take(MOST_USERS).map(PathBuf::as_path)) {
        let Some(document) = now.document(path) else { continue };
        let earlier = then.document(path);
        let [part_then, part_now] = match earlier {
            Some(earlier) if inside.contains(path) => [earlier, document].map(JudgedPart::whole),
            Some(earlier) if earlier.text == document.text => [JudgedPart::none(), JudgedPart::none()],
            Some(earlier) => JudgedPart::changed_both(earlier, document),
            None => [JudgedPart::none(), JudgedPart::whole(document)],
        };
        let [used_then, used_now] = uses.each_mut().map(|uses| uses.remove(path).unwrap_or_default());
        let found = after.findings(&ask.chosen, document, &part_now.with(document, used_now));
        if found.is_empty() {
            continue;
        }
        let known = earlier.map_or_else(Vec::new, |earlier| {
            before.findings(&ask.chosen, earlier, &part_then.with(earlier, used_then))
        });
        let new = new_since(&known, &found).into_iter().filter(|one| !is_unfinished(document, earlier, one));
        problems.extend(new.into_iter().map(|finding| Problem::of(document, finding, root)));
    }
    problems
}

/// Nothing uses yet what has just been written: the next edit may use it.
fn is_unfinished(document: &Document, earlier: Option<&Document>, finding: &Finding) -> bool {
    let name = &document.text[finding.span.range()];
    let stood_before = |earlier: &Document| {
        let same = earlier.facts.forms.iter().filter(|form| form.label == finding.form);
        same.map(|form| &earlier.text[form.span.range()]).any(|text| text.contains(name))
    };
    rules::with_code(finding.rule).is_some_and(Rule::needs_file) && !earlier.is_some_and(stood_before)
}

/// What a file defines, by space, name, and whether another definition makes it.
struct Defined<'d> {
    document: &'d Document,
    by_name: HashMap<(&'d str, &'d str, bool), Vec<&'d Definition>>,
}

impl<'d> Defined<'d> {
    fn of(document: &'d Document) -> Self {
        let mut by_name: HashMap<_, Vec<&Definition>> = HashMap::new();
        for one in &document.facts.definitions {
            by_name.entry((one.space.as_str(), one.name.as_str(), one.made)).or_default().push(one);
        }
        Self { document, by_name }
    }

    /// Other files know the definitions of the name here as they know those of the other text.
    fn is_alike(&self, other: &Self, name: &(&str, &str, bool)) -> bool {
        let (Some(here), Some(there)) = (self.by_name.get(name), other.by_name.get(name)) else { return false };
        let is_same = |(one, another): (&&Definition, &&Definition)| {
            one.kind == another.kind
                && (self.text(one) == other.text(another)
                    || outside(self.document, one) == outside(other.document, another))
        };
        here.len() == there.len() && here.iter().zip(there).all(is_same)
    }

    fn text(&self, one: &Definition) -> &'d str {
        form_text(self.document, one)
    }
}

fn form_text<'d>(document: &'d Document, one: &Definition) -> &'d str {
    &document.text[document.facts.forms[one.form as usize].span.range()]
}

/// What other files know of a definition beside its kind: its parameters or, of a macro or type, its text.
fn outside(document: &Document, one: &Definition) -> String {
    match one.kind {
        FormKind::Function | FormKind::Method => arglist(document, one).unwrap_or_default(),
        FormKind::Variable | FormKind::Test => String::new(),
        _ if one.made => String::new(),
        _ => form_text(document, one).to_owned(),
    }
}

/// What the file defined, it defines still, as it did.
fn is_kept(before: &Document, after: &Document) -> bool {
    let (then, now) = (Defined::of(before), Defined::of(after));
    then.by_name.keys().all(|name| then.is_alike(&now, name))
}

/// The other files with code in packages, modules or namespaces that one of the changed files declares otherwise now.
fn inside_redeclared(then: &UseIndex<'_>, now: &UseIndex<'_>, changed: &[&Path]) -> BTreeSet<PathBuf> {
    let mut inside = BTreeSet::new();
    for path in changed {
        let (Some(old), Some(new)) = (then.document(path), now.document(path)) else { continue };
        if old.is_alike(new) {
            continue;
        }
        let names: BTreeSet<&str> =
            [old, new].iter().flat_map(|one| &one.facts.spaces).map(|one| one.name.as_str()).collect();
        let documents = names.into_iter().flat_map(|name| now.documents_in(name));
        inside.extend(documents.map(|one| one.path.clone()).filter(|one| !changed.contains(&one.as_path())));
    }
    inside
}

/// The names whose definitions in one of the changed files are others now, or gone, or new; true for one that is new.
fn redefined(then: &UseIndex<'_>, now: &UseIndex<'_>, changed: &[&Path]) -> BTreeMap<String, bool> {
    let mut names = BTreeMap::new();
    for path in changed {
        let (old, new) = (then.document(path).map(Defined::of), now.document(path).map(Defined::of));
        let is_in =
            |other: &Option<Defined<'_>>, name| other.as_ref().is_some_and(|other| other.by_name.contains_key(name));
        for name in new.iter().flat_map(|new| new.by_name.keys()).filter(|name| !is_in(&old, name)) {
            names.insert(name.1.to_owned(), true);
        }
        let is_kept = |here: &Defined<'_>, name| new.as_ref().is_some_and(|new| here.is_alike(new, name));
        if let Some(old) = &old {
            names.extend(old.by_name.keys().filter(|name| !is_kept(old, name)).map(|name| (name.1.to_owned(), false)));
        }
    }
    names
}

/// The places where the names are used, by file, in bytes; of a new name only those in its own files, which had no other
/// meaning for it.
fn places(question: &UseIndex<'_>, names: &BTreeMap<String, bool>, own: &[&Path]) -> BTreeMap<PathBuf, Vec<u32>> {
    let mut places: BTreeMap<PathBuf, Vec<u32>> = BTreeMap::new();
    for (name, is_new) in names {
        for hit in question.named(name) {
            let path = hit.document.path.as_path();
            if !is_new || own.contains(&path) {
                places.entry(path.to_owned()).or_default().push(hit.used.start);
            }
        }
    }
    places
}

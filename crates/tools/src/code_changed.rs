//! `code_map` with `changed`: what has changed since a revision of git, form by form, who uses it, and which tests reach it.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use lispwright_index::{Document, FormRow, Hit, Index, Symbol, UseIndex, UseKind, is_indexed};
use lispwright_project::{Revision, SourceFile};
use lispwright_syntax::FormKind;
use schemars::JsonSchema;
use serde::Serialize;

use crate::code_describe::arglist;
use crate::code_find_references::PlaceThere;
use crate::code_map::MapPlace;
use crate::image_text::one_line;
use crate::indexed::indexed_with;
use crate::references::{Known, in_other_texts};
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// Users of a form that are named.
const MOST_USERS: usize = 3;

/// Tests of a form that are named.
const MOST_TESTS: usize = 2;

/// Places in documents that are told.
const MOST_DOCUMENTS: usize = 8;

/// The shortest name that is looked for in documents: a shorter one may be any word.
const SHORTEST: usize = 4;

/// What `changed` is when it stands for the last commit.
const HEAD: [&str; 2] = ["true", "HEAD"];

/// What has changed since a revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    /// The revision, as it was asked for.
    pub since: String,
    /// The first characters of its hash.
    pub commit: String,
    /// The changed files, in order.
    pub files: Vec<FileSince>,
    /// The number of changed forms.
    pub form_count: usize,
    /// The number of tests that reach what has changed.
    pub test_count: usize,
    /// The files of these tests, most first.
    pub test_files: Vec<String>,
    /// Places in files that are no Lisp that name what users see and has changed.
    pub documents: Vec<PlaceThere>,
    /// The number of all such places.
    pub document_count: usize,
}

/// A file that is not as the revision has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileSince {
    /// Its name, as calls take it.
    pub path: String,
    /// The revision does not have it.
    pub is_new: bool,
    /// It is not there any more.
    pub is_gone: bool,
    /// Its delimiters balance.
    pub is_balanced: bool,
    /// Its changed forms, those that are gone last.
    pub forms: Vec<FormSince>,
}

/// How a form differs from the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormChange {
    /// It is new.
    Added,
    /// It has another text.
    Changed,
    /// It is gone.
    Removed,
    /// It has come from another file as it was.
    Moved,
}

/// A form that is not as the revision has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormSince {
    /// Its head and name, as edits take it.
    pub name: String,
    /// How it differs.
    pub change: FormChange,
    /// Its line, from 1; that of the revision if it is gone.
    pub line: u32,
    /// The file that it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its parameters before and now, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<(String, String)>,
    /// A package, module or namespace exports it.
    pub is_exported: bool,
    /// It is a test.
    pub is_test: bool,
    /// The number of its uses outside of itself.
    pub use_count: usize,
    /// The first forms that use it.
    pub used_by: Vec<MapPlace>,
    /// The number of tests that reach it.
    pub test_count: usize,
    /// The nearest of them.
    pub tests: Vec<MapPlace>,
}

/// What differs from the revision called `name`, of the files that are wanted.
///
/// Errors: there is no such revision, or git does not answer.
pub(crate) async fn changed(
    workshop: &Workshop,
    name: &str,
    is_wanted: impl Fn(&str) -> bool + Clone + Send + 'static,
    context: &CallContext,
) -> Result<Changed, Refusal> {
    let name = if HEAD.contains(&name) { "HEAD" } else { name }.to_owned();
    let (reading, wanted) = (workshop.clone(), is_wanted.clone());
    let old = context.on_files(move || Old::read(&reading, &name, &wanted)).await?;
    let root = workshop.roots.primary().to_owned();
    let roots: Vec<PathBuf> = workshop.roots.writable().map(Path::to_owned).collect();
    indexed_with(workshop, context, move |now, _, language_of| {
        let texts = old.differing.iter().filter_map(|(path, text)| {
            let language = language_of(path, text)?;
            Some((path.clone(), text.clone(), language))
        });
        let then = Index::default().with(texts);
        let is_new = |document: &&Document| !document.is_data() && !old.names.contains(&document.path);
        let new = now.documents().filter(|document| is_wanted(&document.path.to_string_lossy())).filter(is_new);
        let mut paths: Vec<PathBuf> = new.map(|document| document.path.clone()).collect();
        paths.extend(then.documents().map(|document| document.path.clone()));
        paths.sort();
        let dialects = paths.iter().filter_map(|path| Some(now.document(path).or(then.document(path))?.dialect));
        let questions = dialects.map(|dialect| (dialect.name(), dialect)).collect::<BTreeMap<_, _>>();
        let questions = questions.into_iter().map(|(name, dialect)| (name, now.question(dialect))).collect();
        let comparison = Comparison { then: &then, now, questions, root: &root };
        let mut found = comparison.of(&paths);
        found.since = old.name;
        found.commit = old.commit;
        comparison.add_documents(&mut found, &roots);
        found
    })
    .await
}

/// What a revision has.
pub(crate) struct Old {
    name: String,
    commit: String,
    /// The names of its files of Lisp.
    pub(crate) names: HashSet<PathBuf>,
    /// The texts of those that are another one now, or gone.
    pub(crate) differing: BTreeMap<PathBuf, String>,
}

impl Old {
    pub(crate) fn read(workshop: &Workshop, name: &str, is_wanted: &dyn Fn(&str) -> bool) -> Result<Self, Refusal> {
        let misfit = |error: lispwright_project::RevisionError| Refusal::Misfit { why: error.to_string() };
        let root = workshop.roots.primary();
        let revision = Revision::open(root, name).map_err(misfit)?;
        let below = revision.paths().filter(|path| path.starts_with(root) && is_indexed(path));
        let paths: Vec<&Path> = below.filter(|path| is_wanted(&path.to_string_lossy())).collect();
        let mut differing = BTreeMap::new();
        let see = |path: &Path, bytes: Vec<u8>| {
            let Ok(old) = SourceFile::decode(&path.to_string_lossy(), bytes) else { return };
            let is_same = match workshop.roots.read(path) {
                Ok(now) => same_lines(&now.text, &old.text),
                Err(_) => false,
            };
            if !is_same {
                differing.insert(path.to_owned(), old.text);
            }
        };
        revision.each(&paths, see).map_err(misfit)?;
        let names = paths.into_iter().map(Path::to_owned).collect();
        Ok(Self { name: name.to_owned(), commit: revision.short().to_owned(), names, differing })
    }
}

/// The texts are the same but for the ends of their lines.
fn same_lines(one: &str, other: &str) -> bool {
    one.lines().eq(other.lines())
}

struct Comparison<'c> {
    then: &'c Index,
    now: &'c Index,
    /// Who uses what now, in each dialect.
    questions: BTreeMap<&'static str, UseIndex<'c>>,
    root: &'c Path,
}

/// A form at the top, or in a form that only holds others, such as a module.
#[derive(Clone, Copy)]
struct Part<'i> {
    document: &'i Document,
    at: usize,
}

/// A form as it was and as it is.
type Pair<'i> = (Option<Part<'i>>, Option<Part<'i>>);

impl<'i> Part<'i> {
    fn form(self) -> &'i FormRow {
        &self.document.facts.forms[self.at]
    }

    /// Its text; of a form that holds others, what is before the first of them.
    fn text(self) -> &'i str {
        let (forms, span) = (&self.document.facts.forms, self.form().span);
        let end = match forms.get(self.at + 1) {
            Some(inner) if inner.span.start < span.end && holds_forms(forms, self.at) => inner.span.start,
            _ => span.end,
        };
        &self.document.text[span.start as usize..end as usize]
    }

    /// The symbols that it defines.
    fn symbols(self) -> Vec<Symbol> {
        let (forms, definitions) = (&self.document.facts.forms, &self.document.facts.definitions);
        let end = self.form().span.end;
        let inner = forms[self.at + 1..].iter().take_while(|other| other.span.start < end).count();
        let last = if holds_forms(forms, self.at) { self.at } else { self.at + inner };
        let own = |form: u32| (self.at..=last).contains(&(form as usize));
        definitions.iter().filter(|one| own(one.form)).map(|one| one.symbol()).collect()
    }

    fn parameters(self) -> Option<String> {
        let own = self.document.facts.definitions.iter().find(|one| one.form as usize == self.at && !one.made)?;
        arglist(self.document, own)
    }

    fn line(self) -> u32 {
        self.document.line(self.form().span.start)
    }
}

/// The form holds definitions and is none of a function, variable or type itself: `library`, `module`, `progn`.
fn holds_forms(forms: &[FormRow], at: usize) -> bool {
    let form = &forms[at];
    let is_holder = form.kind == FormKind::Package || !form.kind.defines();
    let mut inner = forms[at + 1..].iter().take_while(|other| other.span.start < form.span.end);
    is_holder && inner.any(|other| other.kind.defines())
}

fn parts(document: &Document) -> Vec<Part<'_>> {
    let forms = &document.facts.forms;
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(form) = forms.get(at) {
        parts.push(Part { document, at });
        let inner = forms[at + 1..].iter().take_while(|other| other.span.start < form.span.end).count();
        at += if holds_forms(forms, at) { 1 } else { 1 + inner };
    }
    parts
}

/// The parts of a file by their labels.
fn labelled(document: Option<&Document>) -> BTreeMap<&str, Vec<Part<'_>>> {
    let mut labelled: BTreeMap<&str, Vec<Part<'_>>> = BTreeMap::new();
    for part in document.map(parts).unwrap_or_default() {
        labelled.entry(part.form().label.as_str()).or_default().push(part);
    }
    labelled
}

impl<'c> Comparison<'c> {
    fn of(&self, paths: &[PathBuf]) -> Changed {
        let mut pairs: Vec<(&PathBuf, Vec<Pair<'c>>)> = paths.iter().map(|path| (path, self.differing(path))).collect();
        let moved = take_moved(&mut pairs);
        let mut found = Changed::default();
        let mut tests: BTreeMap<String, HashSet<u32>> = BTreeMap::new();
        for (path, pairs) in pairs {
            let mut forms: Vec<FormSince> =
                pairs.into_iter().filter_map(|(then, now)| self.changed(then, now, &mut tests)).collect();
            forms.extend(moved.iter().filter(|(_, now)| now.document.path == *path).filter_map(|(then, now)| {
                let from = self.shown(&then.document.path);
                let form = self.changed(None, Some(*now), &mut tests)?;
                Some(FormSince { change: FormChange::Moved, from: Some(from), ..form })
            }));
            forms.sort_by_key(|form| (form.change == FormChange::Removed, form.line));
            let (then, now) = (self.then.document(path), self.now.document(path));
            let is_only_elsewhere = forms.is_empty() && then.is_some() && now.is_some_and(|now| now.is_balanced);
            if is_only_elsewhere && moved.iter().any(|(then, _)| then.document.path == *path) {
                continue;
            }
            found.form_count += forms.len();
            found.files.push(FileSince {
                path: self.shown(path),
                is_new: then.is_none(),
                is_gone: now.is_none(),
                is_balanced: now.is_none_or(|now| now.is_balanced),
                forms,
            });
        }
        found.test_count = tests.values().map(HashSet::len).sum();
        let mut files: Vec<(String, HashSet<u32>)> = tests.into_iter().collect();
        files.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
        found.test_files = files.into_iter().map(|(path, _)| path).collect();
        found
    }

    fn shown(&self, path: &Path) -> String {
        relative(&path.to_string_lossy(), self.root)
    }

    /// The forms of a file that differ, each as it was and as it is.
    fn differing(&self, path: &Path) -> Vec<Pair<'c>> {
        let (mut then, now) = (labelled(self.then.document(path)), labelled(self.now.document(path)));
        let mut pairs = Vec::new();
        for (label, now) in now {
            let mut old = then.remove(label).unwrap_or_default();
            let mut new = Vec::new();
            for part in now {
                match old.iter().position(|old| same_lines(old.text(), part.text())) {
                    Some(at) => drop(old.remove(at)),
                    None => new.push(part),
                }
            }
            let mut old = old.into_iter();
            pairs.extend(new.into_iter().map(|part| (old.next(), Some(part))));
            pairs.extend(old.map(|part| (Some(part), None)));
        }
        pairs.extend(then.into_values().flatten().map(|part| (Some(part), None)));
        pairs
    }

    /// What is to be known of a form that was `then` and is `now`; `None` for one without a name, which defines nothing.
    fn changed(
        &self,
        then: Option<Part<'c>>,
        now: Option<Part<'c>>,
        tests: &mut BTreeMap<String, HashSet<u32>>,
    ) -> Option<FormSince> {
        let part = now.or(then)?;
        let form = part.form();
        let question = self.questions.get(part.document.dialect.name())?;
        let symbols: Vec<Symbol> = part.symbols().iter().map(|symbol| question.proper(symbol)).collect();
        let hits: Vec<Hit<'_>> = symbols.iter().flat_map(|symbol| question.uses(symbol).hits).collect();
        let is_own = |hit: &Hit<'_>| {
            now.is_some() && hit.document.path == part.document.path && form.span.contains(hit.used.start)
        };
        let is_export = |hit: &Hit<'_>| hit.used.kind == UseKind::Export;
        let uses: Vec<&Hit<'_>> =
            hits.iter().filter(|hit| hit.is_reference() && !is_export(hit) && !is_own(hit)).collect();
        let mut used_by: Vec<MapPlace> = Vec::new();
        for hit in uses.iter().filter(|hit| !hit.is_test()) {
            let place = self.place(hit);
            if used_by.len() < MOST_USERS && !used_by.contains(&place) {
                used_by.push(place);
            }
        }
        let reaching = question.tests_reaching(&symbols);
        for hit in &reaching {
            let start = hit.form().map_or(hit.used.start, |form| form.span.start);
            tests.entry(self.shown(&hit.document.path)).or_default().insert(start);
        }
        let is_test = form.kind == FormKind::Test;
        if is_test && now.is_some() {
            tests.entry(self.shown(&part.document.path)).or_default().insert(form.span.start);
        }
        let (before, after) = (then.and_then(Part::parameters), now.and_then(Part::parameters));
        let is_exported = hits.iter().any(is_export)
            || symbols.iter().any(|symbol| {
                let exported = question.exported(&symbol.space).unwrap_or_default();
                exported.iter().any(|(_, known)| known == symbol)
            });
        Some(FormSince {
            name: one_line(&form.label, 120),
            change: match (then, now) {
                (Some(_), Some(_)) => FormChange::Changed,
                (None, _) => FormChange::Added,
                (Some(_), None) => FormChange::Removed,
            },
            line: part.line(),
            from: None,
            parameters: before.zip(after).filter(|(before, after)| before != after),
            is_exported,
            is_test,
            use_count: uses.len(),
            used_by,
            test_count: reaching.len(),
            tests: reaching.iter().take(MOST_TESTS).map(|hit| self.place(hit)).collect(),
        })
    }

    /// The form around a use.
    fn place(&self, hit: &Hit<'_>) -> MapPlace {
        let start = hit.form().map_or(hit.used.start, |form| form.span.start);
        MapPlace {
            name: one_line(hit.form().map_or("", |form| &form.label), 120),
            path: self.shown(&hit.document.path),
            line: hit.document.line(start),
            ..MapPlace::default()
        }
    }

    /// Adds the places in documents that name what users see.
    fn add_documents(&self, found: &mut Changed, roots: &[PathBuf]) {
        let seen = found.files.iter().flat_map(|file| &file.forms).filter(|form| form.is_exported && !form.is_test);
        let mut names: Vec<String> = seen
            .filter_map(|form| form.name.split_whitespace().nth(1))
            .filter(|name| name.chars().count() >= SHORTEST)
            .map(str::to_owned)
            .collect();
        names.sort();
        names.dedup();
        let mut known = Known { names, ..Known::default() };
        let shown = |path: &str| relative(path, self.root);
        in_other_texts(self.now, roots, &mut known, &|_| true, &shown);
        found.document_count = known.words.len();
        known.words.truncate(MOST_DOCUMENTS);
        found.documents = known.words;
    }
}

/// Takes the forms that are in another file as they were out of the pairs: as they were, and as they are.
fn take_moved<'i>(pairs: &mut [(&PathBuf, Vec<Pair<'i>>)]) -> Vec<(Part<'i>, Part<'i>)> {
    let all = || pairs.iter().flat_map(|(_, pairs)| pairs.iter());
    let gone: Vec<Part<'i>> = all().filter(|(_, now)| now.is_none()).filter_map(|(then, _)| *then).collect();
    let mut added: Vec<Part<'i>> = all().filter(|(then, _)| then.is_none()).filter_map(|(_, now)| *now).collect();
    let mut moved = Vec::new();
    for then in gone.into_iter().filter(|part| part.form().has_name()) {
        let is_same = |now: &Part<'i>| now.form().label == then.form().label && same_lines(now.text(), then.text());
        if let Some(at) = added.iter().position(is_same) {
            moved.push((then, added.remove(at)));
        }
    }
    let is_at = |part: Option<Part<'i>>, other: Part<'i>| {
        part.is_some_and(|part| std::ptr::eq(part.document, other.document) && part.at == other.at)
    };
    for (_, pairs) in pairs.iter_mut() {
        pairs.retain(|(then, now)| {
            let is_moved = |(old, new): &(Part<'i>, Part<'i>)| {
                (now.is_none() && is_at(*then, *old)) || (then.is_none() && is_at(*now, *new))
            };
            !moved.iter().any(is_moved)
        });
    }
    moved
}

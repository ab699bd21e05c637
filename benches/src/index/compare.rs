//! Compares the index with what a language says about the same files.
//!
//! The unit is a name in a top-level form: the language says that the form uses it, or defines it, and so does the index.
//! Files that the language cannot load count only up to the form at which it stopped.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use lispwright_index::{Document, Index, Symbol, UseIndex, UseKind};
use lispwright_syntax::name::{canonical_head, canonical_symbol};
use lispwright_syntax::{Datum, Dialect, FormKind, LineIndex, TokenKind, Tree, read};

use super::answers::{Answers, Name, Seen, SeenFile};
use super::conditions::left_out;

/// How many of the expected, or of the told, are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) right: usize,
    pub(crate) all: usize,
}

impl Share {
    fn count(&mut self, is_right: bool) {
        self.all += 1;
        self.right += usize::from(is_right);
    }

    /// From 0 to 1; 1 of nothing.
    pub(crate) fn rate(self) -> f64 {
        if self.all == 0 { 1.0 } else { self.right as f64 / self.all as f64 }
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accuracy {
    pub(crate) files: usize,
    /// Files that the language did not see to their end.
    pub(crate) partial: usize,
    /// Uses that the language sees, by its kinds: how many of them the index tells.
    pub(crate) recall: BTreeMap<String, Share>,
    /// Uses that the index tells, by its kinds: how many of them the language sees.
    pub(crate) precision: BTreeMap<&'static str, Share>,
    /// Definitions that the language sees: how many of them the index tells.
    pub(crate) definitions: Share,
    /// Definitions that the index tells: how many of them the language sees.
    pub(crate) told_definitions: Share,
    /// Uses that the language sees, of names that the form does not contain: macros make them. The index tells some.
    pub(crate) expanded: Share,
    /// Definitions of names that the form does not contain. The index tells some.
    pub(crate) expanded_definitions: Share,
    /// Uses that the index tells of kinds that are no use of the form itself: templates, data, exports.
    pub(crate) apart: BTreeMap<&'static str, usize>,
    /// Uses whose meaning the index does not tell.
    pub(crate) unresolved: usize,
    /// Every difference, in a line.
    pub(crate) differences: Vec<String>,
}

impl Accuracy {
    pub(crate) fn all_recall(&self) -> Share {
        sum(self.recall.values())
    }

    pub(crate) fn all_precision(&self) -> Share {
        sum(self.precision.values())
    }
}

fn sum<'s>(shares: impl Iterator<Item = &'s Share>) -> Share {
    shares.fold(Share::default(), |sum, one| Share { right: sum.right + one.right, all: sum.all + one.all })
}

/// A form at top level, as the index sees it.
#[derive(Default)]
struct Told {
    /// Its first and last line.
    lines: (u32, u32),
    definitions: BTreeSet<Name>,
    uses: BTreeMap<Name, BTreeSet<UseKind>>,
    /// Names whose meaning is not told.
    unresolved: BTreeSet<String>,
    /// Names of which it defines methods.
    methods: BTreeSet<Name>,
    /// The names of all atoms in it.
    atoms: HashSet<String>,
    /// The first names of lists in a list, in a form whose head is a macro of the project: they look like slots.
    slots: HashSet<String>,
}

/// Compares the files below some folders of `corpus` with what the language says of them.
pub(crate) fn compare(corpus: &Path, folders: &[PathBuf], dialect: Dialect, answers: &Answers) -> Accuracy {
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh(folders.iter().map(PathBuf::as_path), &language);
    let question = index.question(dialect);
    let documents: HashMap<&Path, &Document> = index
        .documents()
        .map(|document| (document.path.strip_prefix(corpus).unwrap_or(&document.path), document))
        .collect();

    let mut accuracy = Accuracy::default();
    let told: Vec<(&SeenFile, Vec<Told>)> = answers
        .files
        .iter()
        .filter(|file| !file.forms.is_empty())
        .filter_map(|file| Some((file, told(&question, documents.get(Path::new(&file.path))?, answers, corpus))))
        .collect();
    let defined: HashSet<&Name> =
        told.iter().flat_map(|(file, _)| &file.forms).flat_map(|form| &form.definitions).collect();
    let mut known: HashSet<Name> = HashSet::new();
    for document in index.documents() {
        let defining = document.facts.definitions.iter().filter(|one| one.kind != FormKind::Addition);
        known.extend(defining.map(|one| named(question.proper(&one.symbol()), corpus)));
    }
    for (file, forms) in &told {
        accuracy.files += 1;
        accuracy.partial += usize::from(!file.is_whole);
        for (seen, told) in pairs(file, forms) {
            accuracy.add(&file.path, &seen, told, &defined, &known);
        }
    }
    accuracy
}

/// The forms of both sides that are at the same place. Forms that share a line are taken together.
fn pairs<'t>(file: &SeenFile, told: &'t [Told]) -> Vec<(Seen, &'t Told)> {
    let mut joined: BTreeMap<usize, Seen> = BTreeMap::new();
    let mut last = 0;
    for form in &file.forms {
        let at = told.partition_point(|one| one.lines.1 < form.line);
        let Some(_) = told.get(at) else { continue };
        let seen = joined.entry(at).or_insert_with(|| Seen { line: form.line, ..Seen::default() });
        seen.definitions.extend(form.definitions.iter().cloned());
        for (name, kinds) in &form.uses {
            seen.uses.entry(name.clone()).or_default().extend(kinds.iter().cloned());
        }
        seen.mentions.extend(form.mentions.iter().cloned());
        seen.made.extend(form.made.iter().cloned());
        seen.is_unseen |= form.is_unseen;
        last = last.max(at);
    }
    let every = told.iter().enumerate().filter(|(at, _)| file.is_whole || *at < last);
    every.map(|(at, told)| (joined.remove(&at).unwrap_or_default(), told)).collect()
}

impl Accuracy {
    fn add(&mut self, path: &str, seen: &Seen, told: &Told, defined: &HashSet<&Name>, known: &HashSet<Name>) {
        let place = format!("{path}:{}", told.lines.0);
        // A method of GOOPS makes a variable of the module where it is, if its generic function is another's.
        let methods_define = path.starts_with("guile/");
        let is_method =
            |name: &Name| told.methods.iter().any(|one| one == name || methods_define && one.name == name.name);
        for name in &seen.definitions {
            let is_told = told.definitions.contains(name) || is_method(name);
            // A macro makes an accessor of the name of a slot, and only the macro knows when.
            let is_only_slot = told.slots.contains(&name.name);
            if (!told.atoms.contains(&name.name) || is_only_slot) && !is_told {
                self.expanded_definitions.count(false);
            } else {
                self.definitions.count(is_told);
                if !is_told {
                    self.differ("definition missed", &place, "", name);
                }
            }
        }
        for name in told.definitions.iter().filter(|_| !seen.is_unseen) {
            let is_seen = seen.definitions.contains(name);
            self.told_definitions.count(is_seen);
            if !is_seen {
                self.differ("definition surplus", &place, "", name);
            }
        }
        if seen.is_unseen {
            return;
        }
        for (name, kinds) in seen.uses.iter().filter(|(name, _)| defined.contains(name) || known.contains(name)) {
            let is_told = told.uses.contains_key(name);
            if !is_told && !told.atoms.contains(&name.name) {
                self.expanded.count(false);
                continue;
            }
            let is_unresolved = told.unresolved.contains(&name.name);
            for kind in kinds {
                self.recall.entry(kind.clone()).or_default().count(is_told);
                if !is_told {
                    self.differ(if is_unresolved { "use unresolved" } else { "use missed" }, &place, kind, name);
                }
            }
        }
        for _ in seen.made.iter().filter(|name| !seen.uses.contains_key(name) && !told.uses.contains_key(name)) {
            self.expanded.count(false);
        }
        self.unresolved += told.unresolved.len();
        // No witness knows the methods of types in Clojure: they have no names that are variables.
        let is_witness = |kind: UseKind| kind != UseKind::Method || !path.starts_with("clojure/");
        for (name, kinds) in &told.uses {
            // The language's own names are no news to it.
            if !known.contains(name) || name.space == "common-lisp" {
                continue;
            }
            // A form can use a name of another package instead, if the language has that package and not the project.
            let is_like = |other: &Name| other.name == name.name && !known.contains(other);
            if seen.uses.keys().chain(&seen.made).any(is_like) && !seen.uses.contains_key(name) {
                continue;
            }
            let is_seen = seen.uses.contains_key(name) || seen.mentions.contains(name) || seen.made.contains(name);
            for kind in kinds.iter().filter(|kind| is_witness(**kind)) {
                match kind {
                    UseKind::Definition => {}
                    UseKind::Template | UseKind::Quoted | UseKind::Export => {
                        *self.apart.entry(kind.name()).or_default() += 1;
                    }
                    UseKind::Call | UseKind::Value | UseKind::Binding | UseKind::Assignment | UseKind::Method => {
                        self.precision.entry(kind.name()).or_default().count(is_seen);
                        if !is_seen {
                            self.differ("use surplus", &place, kind.name(), name);
                        }
                    }
                }
            }
        }
    }

    fn differ(&mut self, what: &str, place: &str, kind: &str, name: &Name) {
        self.differences.push(format!("{what}\t{kind}\t{}\t{}\t{place}", name.space, name.name));
    }
}

/// A symbol as languages write it: a space that is a file has its path in the corpus.
fn named(symbol: Symbol, corpus: &Path) -> Name {
    let Symbol { space, name } = symbol;
    let path = space.strip_prefix("file:").and_then(|path| Path::new(path).strip_prefix(corpus).ok());
    Name { space: path.map_or_else(|| space.clone(), |path| format!("file:{}", path.display())), name }
}

/// The top-level forms of a document, with the definitions and uses in them.
fn told<'i>(question: &UseIndex<'i>, document: &'i Document, answers: &Answers, corpus: &Path) -> Vec<Told> {
    let named = |symbol| named(symbol, corpus);
    let tree = read(&document.text, document.dialect);
    let unread = left_out(&tree, &document.text, &answers.features);
    let is_unread = |offset: u32| unread.iter().any(|span| span.contains(offset));
    let lines = LineIndex::new(document.text.as_bytes());
    let mut forms: Vec<(u32, u32, Told)> = Vec::new();
    let mut rows = Vec::new();
    for form in &document.facts.forms {
        if forms.last().is_none_or(|(_, end, _)| form.span.start >= *end) {
            let lines = (lines.line(form.span.start), lines.line(form.span.end.saturating_sub(1)));
            forms.push((form.span.start, form.span.end, Told { lines, ..Told::default() }));
        }
        rows.push(forms.len() - 1);
    }
    for one in &document.facts.definitions {
        if is_unread(document.facts.forms[one.form as usize].name.start) {
            continue;
        }
        let form = &mut forms[rows[one.form as usize]].2;
        if matches!(one.kind, FormKind::Method | FormKind::Test) {
            form.methods.insert(named(question.proper(&one.symbol())));
        }
        let is_other = matches!(one.kind, FormKind::Package | FormKind::System | FormKind::Method | FormKind::Test);
        if !is_other && one.kind != FormKind::Addition {
            form.definitions.insert(named(question.proper(&one.symbol())));
        }
    }
    let at = |forms: &[(u32, u32, Told)], offset: u32| {
        let at = forms.partition_point(|(start, ..)| *start <= offset).checked_sub(1)?;
        (offset < forms[at].1).then_some(at)
    };
    for (used, symbol) in question.resolved(document) {
        let Some(at) = at(&forms, used.start).filter(|_| !is_unread(used.start)) else { continue };
        let form = &mut forms[at].2;
        match symbol {
            Some(symbol) => {
                let name = named(symbol);
                if !answers.language.contains(&name) {
                    form.uses.entry(name).or_default().insert(used.kind);
                }
            }
            None => {
                let text = &document.text[used.span().range()];
                form.unresolved.insert(canonical_symbol(document.dialect, text));
            }
        }
    }
    for (kind, span) in tree.tokens() {
        if kind == TokenKind::Atom
            && let Some(at) = at(&forms, span.start)
        {
            let name = canonical_symbol(document.dialect, &document.text[span.range()]);
            forms[at].2.atoms.insert(name);
        }
    }
    for datum in tree.top_level().filter(|_| document.dialect == Dialect::CommonLisp) {
        if let Some(at) = at(&forms, tree.core_span(datum).start) {
            forms[at].2.slots = slots(&tree, &document.text, datum);
        }
    }
    forms.into_iter().map(|(_, _, told)| told).collect()
}

/// The names that look like those of slots in a form whose head is not one of the language.
fn slots(tree: &Tree, text: &str, form: Datum) -> HashSet<String> {
    let dialect = tree.dialect();
    let name = |datum: Datum| canonical_symbol(dialect, &text[tree.core_span(datum).range()]);
    let inside = |datum: Datum| datum.list().into_iter().flat_map(|list| tree.data(list));
    let head = inside(form).next().map_or("", |head| &text[tree.core_span(head).range()]);
    if dialect.special_form(&canonical_head(dialect, head)).is_some() {
        return HashSet::new();
    }
    let slots = inside(form).flat_map(inside).filter_map(|slot| inside(slot).next());
    slots.filter(|name| name.list().is_none()).map(name).collect()
}

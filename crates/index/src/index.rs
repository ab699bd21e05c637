//! The facts of all files of a project. They are updated before every question.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use lispwright_project::{Access, Census, Links, Version, open_regular, survey};
use lispwright_syntax::{Dialect, Language, LineIndex, Tree, nearest, read};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::rules;
use crate::each::{each, each_owned};
use crate::facts::{Definition, FILE_SPACE, Facts};
use crate::lessons::Lessons;
use crate::libraries::Libraries;
use crate::macros::Macros;
use crate::resolve::{Referent, Spaces, Written};
use crate::signatures::Signatures;
use crate::space::Space;

/// How much of a script is read to know its language, in bytes.
const FIRST_LINES: usize = 512;

/// The size of the largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// One file of the project.
#[derive(Debug)]
pub struct Document {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// Its dialect.
    pub dialect: Dialect,
    /// The language that it is read in.
    pub language: Language,
    /// Its definitions and uses.
    pub facts: Facts,
    /// Its delimiters balance.
    pub is_balanced: bool,
    version: Option<Version>,
    lines: OnceLock<LineIndex>,
    pub(crate) signatures: OnceLock<Signatures>,
}

impl Document {
    /// It is data, and no code, by its dialect or its name.
    pub fn is_data(&self) -> bool {
        let named = || self.path.to_str().is_some_and(|path| self.dialect.is_of_data(path));
        crate::dialects::rules(self.dialect).is_data || named()
    }

    /// It has `@`-forms: what its code means is known, and its forms are edited as plain text.
    pub const fn has_at_forms(&self) -> bool {
        self.language.has_at_forms()
    }

    /// A file with this text, whether or not it is on the disk, without its uses.
    fn outlined(path: &Path, text: String, language: Language) -> (Self, Tree) {
        let tree = read(&text, language.clone()).learning(&text);
        let is_space = rules(tree.dialect()).files_are_spaces;
        let file = if is_space { format!("{FILE_SPACE}{}", path.display()) } else { String::new() };
        let facts = Facts::outline(&tree, &text, &file);
        let (dialect, is_balanced) = (tree.dialect(), tree.is_balanced());
        let path = path.to_owned();
        (
            Self {
                path,
                text,
                dialect,
                language,
                facts,
                is_balanced,
                version: None,
                lines: OnceLock::new(),
                signatures: OnceLock::new(),
            },
            tree,
        )
    }

    /// The same file with another text. Its macros are treated as they were, in their order.
    pub(crate) fn retold(&self, text: String, macros: &Macros<'_>) -> Reading {
        let (mut document, tree) = Self::outlined(&self.path, text, self.language.clone());
        if document.facts.macros.len() == self.facts.macros.len() {
            for (learned, known) in document.facts.macros.iter_mut().zip(&self.facts.macros) {
                learned.treatment = known.treatment.clone();
            }
        }
        let found = document.facts.uses_in(&tree, &document.text, Some(macros), true);
        document.facts = document.facts.walked(found, &document.text, document.dialect);
        Reading { document, tree }
    }

    /// Its text, read again.
    pub fn tree(&self) -> Tree {
        read(&self.text, self.language.clone()).learning(&self.text)
    }

    /// The qualifiers of names in its code, each once.
    pub(crate) fn qualifiers(&self) -> FxHashSet<String> {
        let mut found = FxHashSet::default();
        for used in &self.facts.uses {
            let text = &self.text[used.span().range()];
            if text.contains([':', '/'])
                && let Some(qualifier) = Written::of(self.dialect, text).qualifier
                && !found.contains(&*qualifier)
            {
                found.insert(qualifier.into_owned());
            }
        }
        found
    }

    fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.facts.definitions.iter()
    }

    /// The file on the disk has not changed since this was read from it.
    pub fn is_current(&self) -> bool {
        self.version.is_some() && self.version == Version::at(&self.path).ok()
    }

    /// The line of a byte, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.lines().line(offset)
    }

    /// Its lines.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.text.as_bytes()))
    }
}

/// A file with what it has been read as.
#[derive(Debug)]
pub struct Reading {
    /// The file, its facts with [`Facts::marks`].
    pub document: Document,
    /// Its text as a tree.
    pub tree: Tree,
}

/// The result of an update of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refreshed {
    /// The number of files that were read.
    pub read: usize,
    /// Files that are left out because they are too large or not text.
    pub left_out: Vec<PathBuf>,
    /// Files and directories that are left out because of ignore files.
    pub ignored: Vec<PathBuf>,
}

/// Finds the language of a file.
pub type LanguageOf<'a> = &'a (dyn Fn(&Path, &str) -> Option<Language> + Sync);

/// The facts of the files below some directories.
#[derive(Clone, Debug, Default)]
pub struct Index {
    documents: FxHashMap<PathBuf, Arc<Document>>,
    /// Files that the last update left out.
    left_out: Arc<FxHashSet<PathBuf>>,
    /// The libraries that its questions know.
    pub(crate) libraries: Arc<Libraries>,
    /// The directories of the files, as the last update saw them.
    census: Arc<Census>,
}

impl Index {
    /// An index without files, whose questions know installed libraries.
    pub fn with_libraries(libraries: Libraries) -> Self {
        Self { libraries: Arc::new(libraries), ..Self::default() }
    }

    /// Checks all files below `roots`, and reads those that have changed.
    pub fn refresh<'r>(&mut self, roots: impl IntoIterator<Item = &'r Path>, language_of: LanguageOf<'_>) -> Refreshed {
        let mut refreshed = Refreshed::default();
        let (mut files, mut census) = (Vec::new(), Census::default());
        for root in roots {
            let found = survey(root, true, is_indexed);
            refreshed.ignored.extend(found.ignored);
            files.extend(found.files);
            census.extend(found.census);
        }
        let mut known = FxHashMap::default();
        let mut stale = Vec::new();
        for path in files {
            let version = Version::at(&path).ok();
            match self.documents.remove(&path) {
                Some(document) if version.is_some() && document.version == version => {
                    known.insert(path, document);
                }
                _ => stale.push((path, version)),
            }
        }
        refreshed.read = stale.len();
        let mut outlined = Vec::new();
        for result in each(&stale, |(path, version)| outline(path, *version, language_of)) {
            match result {
                Ok(found) => outlined.push(found),
                Err(path) => refreshed.left_out.push(path),
            }
        }
        self.documents = known;
        self.census = Arc::new(census);
        self.left_out = Arc::new(refreshed.left_out.iter().cloned().collect());
        self.add(outlined, false);
        refreshed
    }

    /// The files are those that the last update saw. The text of each is the one it has here, or what `later` says: `None`
    /// in it for a text that does not matter.
    pub fn is_current<'t>(&self, later: impl Fn(&Path) -> Option<Option<&'t str>>) -> bool {
        let is_known = |(path, known): (&PathBuf, &Arc<Document>)| {
            let text = match later(path) {
                Some(None) => return true,
                Some(Some(text)) => text,
                None if known.is_current() => return true,
                None => &known.text,
            };
            lispwright_project::read_anywhere(path).is_ok_and(|file| file.text == text)
        };
        self.census.holds() && self.documents.iter().all(is_known)
    }

    /// An index of one file, whether or not it is on the disk, its facts with [`Facts::marks`]; and its text as a tree.
    pub fn alone(path: &Path, text: String, language: Language) -> (Self, Tree) {
        let (document, tree) = Document::outlined(path, text, language);
        let mut index = Self::default();
        index.add(vec![(document, tree.clone())], true);
        (index, tree)
    }

    /// The index as it would be if files had other texts, each given with its language.
    #[must_use]
    pub fn with(&self, changed: impl IntoIterator<Item = (PathBuf, String, Language)>) -> Self {
        let read = |(path, text, language): (PathBuf, String, Language)| Document::outlined(&path, text, language);
        let outlined: Vec<(Document, Tree)> = changed.into_iter().map(read).collect();
        let mut index = self.clone();
        for (document, _) in &outlined {
            index.documents.remove(&document.path);
        }
        index.add(outlined, false);
        index
    }

    /// The index without the files whose absolute paths are left out.
    #[must_use]
    pub fn without(&self, is_left_out: impl Fn(&Path) -> bool) -> Self {
        let kept = self.documents.iter().filter(|(path, _)| !is_left_out(path));
        let documents = kept.map(|(path, document)| (path.clone(), document.clone())).collect();
        let (libraries, census) = (self.libraries.clone(), self.census.clone());
        Self { documents, left_out: self.left_out.clone(), libraries, census }
    }

    /// It has the same files with the same texts as the other.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let is_same = |(path, document): (&PathBuf, &Arc<Document>)| {
            let others = other.documents.get(path);
            others.is_some_and(|one| Arc::ptr_eq(one, document) || one.text == document.text)
        };
        self.documents.len() == other.documents.len() && self.documents.iter().all(is_same)
    }

    /// The file with an absolute path, to be kept.
    pub fn shared(&self, path: &Path) -> Option<Arc<Document>> {
        self.documents.get(path).cloned()
    }

    /// The file with an absolute path.
    pub fn document(&self, path: &Path) -> Option<&Document> {
        self.documents.get(path).map(|document| &**document)
    }

    /// Adds outlined files, with what is known of the macros of all files, and with [`Facts::marks`] if they are wanted.
    fn add(&mut self, mut outlined: Vec<(Document, Tree)>, marks: bool) {
        if outlined.is_empty() {
            return;
        }
        let known: Vec<&Document> = self.documents().collect();
        let lessons = Lessons::of(&known, &outlined);
        let found = each(&outlined, |(document, tree)| {
            document.facts.uses_in(tree, &document.text, lessons.macros(document.dialect), marks)
        });
        let learned = lessons.learned(outlined.len());
        for ((document, _), treatments) in outlined.iter_mut().zip(learned) {
            for (learned, treatment) in document.facts.macros.iter_mut().zip(treatments) {
                learned.treatment = treatment;
            }
        }
        let walked = outlined.into_iter().zip(found).collect();
        let complete = |((mut document, _tree), found): ((Document, Tree), Facts)| {
            document.facts = document.facts.walked(found, &document.text, document.dialect);
            document
        };
        for document in each_owned(walked, complete) {
            self.documents.insert(document.path.clone(), Arc::new(document));
        }
    }

    /// The files, in no particular order.
    pub fn documents(&self) -> impl Iterator<Item = &Document> {
        self.documents.values().map(|document| &**document)
    }

    /// The definitions of `name`, which can be qualified; with `space`, only those in that package, module or
    /// namespace.
    pub fn definitions(&self, name: &str, space: Option<&str>) -> Vec<(&Document, &Definition)> {
        let (mut found, mut declared) = (Vec::new(), Vec::new());
        let mut names: FxHashMap<Dialect, (Written<'_>, Vec<String>)> = FxHashMap::default();
        for document in self.documents() {
            let (wanted, spaces) = names.entry(document.dialect).or_insert_with(|| {
                let wanted = Written::of(document.dialect, name);
                let spaces = space.or(wanted.qualifier.as_deref()).map_or_else(Vec::new, |name| self.space_names(name));
                (wanted, spaces)
            });
            let is_in = |one: &Definition| spaces.iter().any(|space| one.space.eq_ignore_ascii_case(space));
            let fits = |one: &&Definition| one.name == wanted.name && (spaces.is_empty() || is_in(one));
            found.extend(document.facts.definitions.iter().filter(fits).map(|one| (document, one)));
            declared.extend(document.facts.own_declared().filter(fits).map(|one| (document, one)));
        }
        // What no file gives a value is defined where it is declared.
        if found.is_empty() {
            found = declared;
        }
        if found.is_empty() {
            found = self.given(name, space);
        }
        found.sort_by(|(a, one), (b, other)| (&a.path, one.form).cmp(&(&b.path, other.form)));
        found
    }

    /// The definitions of a name that a space has from another: it imports it, and perhaps gives it out.
    fn given(&self, name: &str, space: Option<&str>) -> Vec<(&Document, &Definition)> {
        let mut found = Vec::new();
        let mut dialects: Vec<Dialect> = self.documents().map(|document| document.dialect).collect();
        dialects.sort_by_key(|dialect| dialect.name());
        dialects.dedup();
        for dialect in dialects {
            let written = Written::of(dialect, name);
            let Some(home) = space.or(written.qualifier.as_deref()) else { continue };
            let documents: Vec<&Document> = self.documents().filter(|one| one.dialect == dialect).collect();
            let spaces = Spaces::of(&documents);
            let plain = Written::plain(written.name.clone());
            for home in self.space_names(home) {
                let (Referent::Is(symbol) | Referent::Unknown(symbol)) = spaces.meaning(&home, &plain);
                let own = |document| Document::definitions(document).map(move |one| (document, one));
                let all = documents.iter().copied().flat_map(own);
                found.extend(all.filter(|(_, one)| {
                    one.name == symbol.name && spaces.proper(&one.space) == symbol.space && symbol.space != home
                }));
            }
        }
        found.sort_by_key(|(document, one)| (&document.path, one.form));
        found.dedup_by_key(|(document, one)| (&document.path, one.form));
        found
    }

    /// All names of the space that is called `name`: its own and its nicknames. If there is none, but spaces that are
    /// imported under this name, theirs.
    pub(crate) fn space_names(&self, name: &str) -> Vec<String> {
        let mut names = vec![name.to_owned()];
        let mut found = self.spaces(name);
        if found.is_empty() {
            let spaces = self.documents().flat_map(|document| &document.facts.spaces);
            let aliases = spaces.flat_map(|space| &space.imports);
            let meant = aliases.filter(|import| import.alias.as_deref().is_some_and(|a| a.eq_ignore_ascii_case(name)));
            let from: FxHashSet<&str> = meant.map(|import| import.from.as_str()).collect();
            for from in from {
                names.push(from.to_owned());
                found.extend(self.spaces(from));
            }
        }
        for (_, space) in found {
            names.extend(std::iter::once(&space.name).chain(&space.nicknames).cloned());
        }
        names
    }

    /// The packages, modules and namespaces that are called so, each with the file that declares it.
    pub fn spaces(&self, name: &str) -> Vec<(&Document, &Space)> {
        let fits = |document: &Document, space: &Space| {
            space.name.eq_ignore_ascii_case(name)
                || space.nicknames.iter().any(|other| other.eq_ignore_ascii_case(name))
                || (space.name == document.facts.file && rules(document.dialect).files_are_modules)
                    && is_module(&document.path, name)
        };
        let mut found: Vec<_> = self
            .documents()
            .flat_map(|document| document.facts.spaces.iter().map(move |space| (document, space)))
            .filter(|(document, space)| fits(document, space))
            .collect();
        found.sort_by(|(a, one), (b, other)| (&a.path, one.at).cmp(&(&b.path, other.at)));
        found
    }

    /// At most `most` defined names with a spelling similar to `name`, best first.
    pub fn nearest(&self, name: &str, most: usize) -> Vec<String> {
        let wanted = name.rsplit([':', '/']).next().unwrap_or(name);
        let names = self.documents().flat_map(|document| &document.facts.definitions).map(|one| &*one.name);
        let mut near = nearest(wanted, names, most);
        near.iter_mut().for_each(|name| *name = name.to_lowercase());
        near.dedup();
        near
    }

    /// Bytes held in memory, texts included.
    pub fn heap_size(&self) -> usize {
        self.documents().map(|document| document.text.len() + document.facts.heap_size()).sum()
    }
}

/// The file is Lisp: its name says so, or the first lines of a script without an extension.
pub fn is_lisp(path: &Path) -> bool {
    let name = path.to_string_lossy();
    if Dialect::detect(&name, b"").is_some() {
        return true;
    }
    if path.extension().is_some() {
        return false;
    }
    let mut head = [0; FIRST_LINES];
    let read = open_regular(path, Access::Read, Links::Followed).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    let head = &head[..read];
    let is_said = head.starts_with(b"#!") || memchr::memmem::find(head, b"-*-").is_some();
    is_said && Dialect::detect(&name, head).is_some()
}

/// The file is Lisp, or prose with code of a Lisp in it.
pub fn is_indexed(path: &Path) -> bool {
    Dialect::is_prose_name(&path.to_string_lossy()) || is_lisp(path)
}

/// The module of a file is called so: by the end of its path, with or without its extension.
fn is_module(path: &Path, name: &str) -> bool {
    let name = name.trim_matches('"');
    path.ends_with(name) || (name.contains('/') && path.with_extension("").ends_with(name))
}

/// Reads one file, without its uses.
fn outline(path: &Path, version: Option<Version>, language_of: LanguageOf<'_>) -> Result<(Document, Tree), PathBuf> {
    let left_out = || path.to_owned();
    let size = path.metadata().map_err(|_| left_out())?.len();
    if size > LARGEST {
        return Err(left_out());
    }
    let text = lispwright_project::read_anywhere(path).map_err(|_| left_out())?.text;
    let language = language_of(path, &text).ok_or_else(left_out)?;
    let (document, tree) = Document::outlined(path, text, language);
    Ok((Document { version, ..document }, tree))
}

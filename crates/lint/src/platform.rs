//! The implementation that code is for, as far as its file says it.
//!
//! The tables of [`lispwright_syntax::StandardOperator`] are made from one implementation of each language. What they say of a name holds for
//! code of that implementation, not for another host of the language, another version, or a branch of a conditional.

use std::path::{Path, PathBuf};

use lispwright_syntax::{Implementations, ListId, Span, StandardOperator};

use crate::dialects::call_words;
use crate::file::File;

/// The implementation of a file, and what its code asks before it calls something.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Platform {
    /// Of the names of the table, those that have this origin mean what the table says; none without.
    pub(crate) origin: Option<Implementations>,
    /// The file may be for a later version, in which functions take more arguments.
    pub(crate) is_later: bool,
}

/// A form around code asks for the version of what runs it, or is a branch for another one.
type IsBranch = fn(&File<'_, '_>, ListId) -> bool;

/// How the files of a dialect say what they are for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlatformWords {
    /// The implementation of a file.
    pub(crate) of_file: fn(&File<'_, '_>) -> Platform,
    /// A list around code is for an implementation of its own.
    pub(crate) is_branch: IsBranch,
}

impl PlatformWords {
    /// All files are for the implementation of the table, or for one that agrees with it.
    pub(crate) const ONE: Self =
        Self { of_file: |_| Platform { origin: Some(Implementations::ALL), is_later: false }, is_branch: |_, _| false };
    pub(crate) const CLOJURE: Self = Self { of_file: host, is_branch: is_reader_branch };
    pub(crate) const SCHEME: Self = Self { of_file: scheme, is_branch: |file, list| head(file, list) == "cond-expand" };
    pub(crate) const RACKET: Self = Self { of_file: module_language, ..Self::ONE };
    pub(crate) const EMACS_LISP: Self = Self { of_file: emacs, is_branch: asks_version };
}

impl File<'_, '_> {
    /// The table says what a name of the language means at this place.
    pub(crate) fn has_table(&self, at: Span, operator: &StandardOperator) -> bool {
        self.platform().origin.is_some_and(|origin| operator.origin.has(origin)) && !self.is_branch(at)
    }

    /// The names of the language are those of the table at this place.
    pub(crate) fn is_of_platform(&self, at: Span) -> bool {
        self.platform().origin.is_some() && !self.is_branch(at)
    }

    fn is_branch(&self, at: Span) -> bool {
        let is_branch = call_words(self.dialect()).platform.is_branch;
        let mut next = self.list_of(at);
        while let Some(list) = next {
            next = self.tree.list(list).parent();
            if is_branch(self, list) {
                return true;
            }
        }
        false
    }
}

impl File<'_, '_> {
    /// The place is in a branch for another implementation.
    pub(crate) fn is_in_branch(&self, at: Span) -> bool {
        let file = self;
        let Some(list) = file.list_of(at) else { return false };
        let mut around = std::iter::successors(Some(list), |list| file.tree.list(*list).parent());
        let is_conditional = |list: ListId| {
            let source = file.source(file.tree.list_span(list));
            let mut beside = file.tree.list(list).parent().into_iter().flat_map(|around| file.tree.data(around));
            source.starts_with("#?")
                || source.starts_with("(cond-expand")
                || beside.any(|one| one.list() == Some(list) && !one.is_bare() && !file.is_plain(one))
        };
        around.any(is_conditional) || self.is_under_condition(at)
    }

    /// A condition of the reader, or a discard, stands before a form around the place.
    fn is_under_condition(&self, at: Span) -> bool {
        let form = self.forms.around(at.start).map(|id| self.forms.get(id));
        let line = self.text()[..at.start as usize].rsplit('\n').next().unwrap_or_default();
        form.is_some_and(|form| !form.conditions.is_empty()) || line.contains("#+") || line.contains("#-")
    }
}

/// The symbol at the head of a list.
fn head<'i>(file: &File<'_, 'i>, list: ListId) -> &'i str {
    let head = file.tree.data(list).next().filter(|head| head.list().is_none());
    head.map_or("", |head| file.core(head))
}

/// Hosts of Clojure besides the JVM, by the endings of their files.
const OTHER_HOSTS: &[&str] = &["cljs", "cljd", "cljr", "lpy", "phel"];

/// Whether a file of Clojure says by its ending that it is for another host than the JVM.
pub fn is_of_another_host(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    OTHER_HOSTS.iter().any(|host| ending.eq_ignore_ascii_case(host))
}

/// A file of Clojure says by its ending that it is for all hosts.
pub(crate) fn is_for_all_hosts(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("cljc"))
}

/// Files of one host say it by their ending.
fn host(file: &File<'_, '_>) -> Platform {
    let is_other = is_of_another_host(&file.document.path);
    Platform { origin: (!is_other).then_some(Implementations::ALL), is_later: false }
}

/// A reader conditional: its branches are for hosts of their own. One for the JVM alone counts like code outside of it.
fn is_reader_branch(file: &File<'_, '_>, list: ListId) -> bool {
    let opener = file.source(file.tree.token_span(file.tree.list(list).open()));
    if !opener.starts_with("#?") {
        return false;
    }
    let mut features = file.tree.data(list).step_by(2);
    !features.all(|feature| file.core(feature) == ":clj")
}

/// Libraries that only one implementation of Scheme has, or its forms at top level.
const SCHEMES: &[(&str, Option<Implementations>)] = &[
    ("(define-module", Some(Implementations::FIRST)),
    ("(use-modules", Some(Implementations::FIRST)),
    ("(ice-9 ", Some(Implementations::FIRST)),
    ("(guile)", Some(Implementations::FIRST)),
    ("(system foreign)", Some(Implementations::FIRST)),
    ("(chezscheme", Some(Implementations::SECOND)),
    ("(chez ", Some(Implementations::SECOND)),
    ("(gauche", None),
    ("(chicken", None),
    ("(kawa", None),
    ("(gambit", None),
    ("(mit ", None),
    ("(loko", None),
    ("(ikarus", None),
    ("(mosh", None),
    ("(larceny", None),
    ("(sagittarius", None),
    ("(stklos", None),
    ("(chibi", None),
    ("(cyclone", None),
    ("(bigloo", None),
    ("(module ", None),
    ("(declare (unit", None),
    ("(declare (uses", None),
    ("(use ", None),
    ("(require-extension", None),
    ("##", None),
    ("#lang", None),
];

/// A file of Scheme names its implementation by what it imports; one that names several has only what all have.
fn scheme(file: &File<'_, '_>) -> Platform {
    let mut said: Option<Option<Implementations>> = None;
    for top in file.tree.top_level() {
        let source = file.source(file.tree.datum_span(top));
        let head = top.list().map_or("", |list| head(file, list));
        let is_begin = matches!(head, "define-module" | "use-modules" | "library" | "define-library" | "import")
            || matches!(head, "module" | "declare" | "use" | "require-extension");
        if !is_begin && !source.starts_with("##") && !source.starts_with("#lang") {
            continue;
        }
        // The imports come first.
        let begin = &source[..source.char_indices().nth(MOST_OF_IMPORTS).map_or(source.len(), |(at, _)| at)];
        for (_, known) in SCHEMES.iter().filter(|(word, _)| begin.contains(word)) {
            said = Some(said.map_or(*known, |said| said.zip(*known).map(|(one, other)| one.and(other))));
        }
    }
    Platform { origin: said.unwrap_or(Some(Implementations::ALL)), is_later: false }
}

/// So many characters of a library are searched for its imports.
const MOST_OF_IMPORTS: usize = 4_000;

/// The names of a module of Racket are those of its language.
fn module_language(file: &File<'_, '_>) -> Platform {
    Platform { origin: file.has_known_language().then_some(Implementations::ALL), is_later: false }
}

/// A package of Emacs says which version it needs at least, in the file that is called like it.
fn emacs(file: &File<'_, '_>) -> Platform {
    let needed = needed_emacs(file.text()).or_else(|| {
        let (directory, stem) = (file.document.path.parent()?, file.document.path.file_stem()?.to_str()?);
        let ends = stem.match_indices('-').map(|(at, _)| at).rev();
        let mains: Vec<PathBuf> = ends
            .flat_map(|end| [directory, directory.parent().unwrap_or(directory)].map(|at| (end, at)))
            .map(|(end, at)| at.join(format!("{}.el", &stem[..end])))
            .collect();
        let documents = file.question.documents().iter().filter(|_| !mains.is_empty());
        documents.filter(|one| mains.contains(&one.path)).filter_map(|one| needed_emacs(&one.text)).max()
    });
    Platform { origin: Some(Implementations::ALL), is_later: needed.is_some_and(|needed| needed > EMACS) }
}

/// The version of Emacs that the head of a package asks for: `;; Package-Requires: ((emacs "29.1"))`.
fn needed_emacs(text: &str) -> Option<u32> {
    let begin = &text[..text.find(";;; Code:").unwrap_or(text.len().min(text.find("\n(").unwrap_or(text.len())))];
    let version = begin.find("(emacs \"").and_then(|at| begin[at + 8..].split(['.', '"']).next());
    version.and_then(|version| version.parse().ok())
}

/// The version of Emacs of the table.
const EMACS: u32 = 28;

/// What code says that asks for the version of Emacs.
const VERSION_WORDS: &[&str] =
    &["emacs-major-version", "emacs-version", "version<", "func-arity", "featurep 'xemacs", "(featurep 'emacs"];

/// A conditional whose test asks for the version of Emacs, or a form that catches what another version tells.
fn asks_version(file: &File<'_, '_>, list: ListId) -> bool {
    let head = head(file, list);
    if !matches!(head, "if" | "when" | "unless" | "cond" | "static-if" | "condition-case" | "ignore-errors" | "and") {
        return false;
    }
    let source = file.source(file.tree.list_span(list));
    if head == "condition-case" {
        return source.contains("wrong-number-of-arguments");
    }
    let tests = match head {
        "cond" | "and" => file.data(list),
        _ => file.tree.data(list).skip(1).take(1).collect(),
    };
    let asks = |source: &str| VERSION_WORDS.iter().any(|word| source.contains(word));
    head == "ignore-errors" || tests.into_iter().any(|test| asks(file.source(file.tree.datum_span(test))))
}

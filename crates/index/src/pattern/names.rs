//! The symbols that names mean, for patterns: two heads are the same if they mean the same symbol, however they are
//! written, and a local name is no use of a symbol.
//!
//! What the index does not know is left to the names as they are written.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lispwright_syntax::{Dialect, Span, TokenKind, Tree};
use rustc_hash::FxHashMap;

use super::BadPattern;
use crate::facts::{Facts, MarkRole, UseKind};
use crate::index::{Document, Index};
use crate::question::UseIndex;
use crate::resolve::{Referent, Symbol, Written};

/// Names that are offered instead of one that is not defined.
const MOST_NEAREST: usize = 5;

/// The meanings of the names in the files of an index. What they take to know is found when it is first asked for.
#[derive(Debug)]
pub struct Meanings<'i> {
    index: &'i Index,
    names: [OnceLock<Names<'i>>; Dialect::ALL.len()],
}

impl<'i> Meanings<'i> {
    /// Those of an index.
    pub fn new(index: &'i Index) -> Self {
        Self { index, names: [const { OnceLock::new() }; Dialect::ALL.len()] }
    }

    /// The file with an absolute path, if the index has it with this text.
    pub fn of(&self, path: &Path, text: &str) -> Option<Known<'_, 'i>> {
        let document = self.index.document(path).filter(|document| document.text == text)?;
        let dialect = document.dialect;
        let names = self.names[dialect as usize].get_or_init(|| Names {
            index: self.index,
            question: self.index.question(dialect),
            called: Mutex::default(),
        });
        Some(Known { names, document })
    }

    /// The uses of what the head of a pattern means, in the files that have been asked about: each path with the start of
    /// a use that is neither a definition nor an export.
    pub fn uses(&self, head: &str) -> Vec<(&'i Path, u32)> {
        let mut found = Vec::new();
        for names in self.names.iter().filter_map(OnceLock::get) {
            let called = names.called(head);
            for hit in called.symbols.iter().flat_map(|symbol| names.question.uses(symbol).hits) {
                if !matches!(hit.used.kind, UseKind::Definition | UseKind::Export | UseKind::Method) {
                    found.push((hit.document.path.as_path(), hit.used.start));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The line of a byte in a file, from 1.
    pub fn line(&self, path: &Path, offset: u32) -> Option<u32> {
        self.index.document(path).map(|document| document.line(offset))
    }

    /// Checks the name in a condition.
    ///
    /// Errors: no file defines it, and it is neither one of a library nor one of the language; the nearest names are told.
    pub fn check(&self, name: &str) -> Result<(), BadPattern> {
        let is_foreign = |dialect: Dialect| {
            let written = Written::of(dialect, name);
            written.qualifier.is_some() || dialect.is_standard(&written.name)
        };
        if !self.index.definitions(name, None).is_empty() || Dialect::ALL.into_iter().any(is_foreign) {
            return Ok(());
        }
        let why = match self.index.nearest(name, MOST_NEAREST) {
            nearest if nearest.is_empty() => format!("no file defines {name}"),
            nearest => format!("no file defines {name}; the nearest names are {}", nearest.join(", ")),
        };
        Err(BadPattern { why, column: None })
    }
}

/// The names of one dialect.
#[derive(Debug)]
struct Names<'i> {
    index: &'i Index,
    question: UseIndex<'i>,
    called: Mutex<FxHashMap<String, Arc<Called>>>,
}

/// What a name of a pattern can mean.
#[derive(Debug)]
struct Called {
    symbols: Vec<Symbol>,
    /// The names that the symbols have in some file, imports included.
    spellings: Vec<String>,
    /// The name says its package.
    is_qualified: bool,
    /// Code uses the name, which nobody in the project defines, as no local one.
    is_of_library: bool,
}

impl Names<'_> {
    fn called(&self, written: &str) -> Arc<Called> {
        // Each change of the map is one call, so a panic elsewhere leaves it whole.
        let known = || self.called.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(called) = known().get(written) {
            return called.clone();
        }
        let called = Arc::new(self.find(written));
        known().insert(written.to_owned(), called.clone());
        called
    }

    fn find(&self, written: &str) -> Called {
        let dialect = self.question.dialect();
        let Written { qualifier, name } = Written::of(dialect, written);
        let defined = self.index.definitions(written, None).into_iter();
        let own = defined.filter(|(document, _)| document.dialect == dialect);
        let mut symbols: Vec<Symbol> = own.map(|(_, one)| self.proper(&one.symbol())).collect();
        match &qualifier {
            Some(qualifier) => {
                let spaces = self.index.space_names(qualifier).into_iter();
                symbols.extend(spaces.map(|space| self.proper(&Symbol { space, name: name.clone() })));
            }
            None if dialect.is_standard(&name) => {
                symbols.push(Symbol { space: LANGUAGE.to_owned(), name: name.clone() });
            }
            None => {}
        }
        symbols.sort_unstable();
        symbols.dedup();
        let mut spellings: Vec<String> = symbols.iter().flat_map(|symbol| self.question.names(symbol)).collect();
        spellings.push(name);
        spellings.sort_unstable();
        spellings.dedup();
        let is_of_library = symbols.is_empty() && self.question.named(&spellings[0]).next().is_some();
        Called { symbols, spellings, is_qualified: qualifier.is_some(), is_of_library }
    }

    fn proper(&self, symbol: &Symbol) -> Symbol {
        of_language(self.question.proper(symbol))
    }
}

/// The package of the standard, whose names the implementations and programs also get by a shorter name.
const LANGUAGE: &str = "common-lisp";

fn of_language(symbol: Symbol) -> Symbol {
    if symbol.space == "cl" { Symbol { space: LANGUAGE.to_owned(), ..symbol } } else { symbol }
}

/// A file whose names the index knows.
#[derive(Clone, Copy, Debug)]
pub struct Known<'m, 'i> {
    names: &'m Names<'i>,
    document: &'i Document,
}

impl<'m, 'i> Known<'m, 'i> {
    /// The same with the tree of the file.
    pub fn read_as(self, tree: &'m Tree) -> NamesInTree<'m, 'i> {
        NamesInTree { known: self, tree, facts: OnceCell::new() }
    }

    /// The names that a name of a pattern can have in the files.
    pub(super) fn spellings(self, written: &str) -> Vec<String> {
        self.names.called(written).spellings.clone()
    }
}

/// What a symbol in a text means.
enum Meant {
    /// This symbol.
    Is(Symbol),
    /// A local name, a slot or a block.
    Other,
    Unknown,
}

/// A file with its tree, in which symbols are asked for what they mean.
#[derive(Debug)]
pub struct NamesInTree<'m, 'i> {
    known: Known<'m, 'i>,
    tree: &'m Tree,
    facts: OnceCell<Facts>,
}

/// Tells what the symbols of a text mean.
pub trait Tells {
    /// The symbol at `token` is what `written` means; `None` if only their names can tell.
    fn is_called(&self, token: Span, written: &str) -> Option<bool>;

    /// A fast check: false only if the symbol that is written `source` is not what `written` means.
    fn may_be(&self, source: &str, written: &str) -> bool;

    /// What a list is besides a form.
    fn standing(&self, list: Span) -> Standing;

    /// A datum is a symbol, perhaps with a prefix such as `#'`, that is known to mean what `written` means.
    fn refers(&self, value: Span, written: &str) -> bool;
}

/// What a list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A form, as far as is known.
    Form,
    /// Parameters, a binding, a clause, the header of a definition.
    NoForm,
    /// Names or values, of which the first is not called: exports, superclasses, a vector.
    Names,
    /// The definition of a function or method, which begins with its name.
    Definition,
    /// A step of a threading form, which has one argument more than is written.
    Step,
    /// An argument of a macro whose definition does not show what becomes of it, such as a threading form of the project.
    Unclear,
}

impl Tells for NamesInTree<'_, '_> {
    fn standing(&self, list: Span) -> Standing {
        let facts = self.facts();
        if facts.no_forms.binary_search(&list.start).is_ok() {
            return Standing::NoForm;
        }
        let head = self.tree.tokens_within(list).filter(|(kind, _)| !kind.is_trivia()).nth(1);
        let start = head.map_or(list.start, |(_, head)| head.start);
        let used = facts.uses.binary_search_by_key(&start, |used| used.start).ok();
        let is_type = || {
            let first = facts.marks.partition_point(|mark| mark.span.start < start);
            let marks = facts.marks[first..].iter().take_while(|mark| mark.span.start == start);
            marks.into_iter().any(|mark| mark.role == MarkRole::Type)
        };
        match used.map(|used| facts.uses[used].kind) {
            // `(integer 0 ?n)`
            Some(UseKind::Value) if is_type() => Standing::Form,
            Some(UseKind::Value | UseKind::Binding | UseKind::Export) => Standing::Names,
            Some(UseKind::Definition | UseKind::Method) => Standing::Definition,
            _ if facts.steps.binary_search(&list.start).is_ok() => Standing::Step,
            _ if facts.unclear.binary_search(&list.start).is_ok() => Standing::Unclear,
            _ => Standing::Form,
        }
    }

    fn is_called(&self, token: Span, written: &str) -> Option<bool> {
        let called = self.known.names.called(written);
        match self.meant(token) {
            Meant::Is(symbol) if called.symbols.contains(&symbol) => Some(true),
            // Nothing says in which package the code is.
            Meant::Is(symbol) if called.is_qualified && !symbol.space.is_empty() => Some(false),
            Meant::Other if !called.symbols.is_empty() || called.is_of_library => Some(false),
            _ => None,
        }
    }

    fn may_be(&self, source: &str, written: &str) -> bool {
        let name = Written::of(self.tree.dialect(), source).name;
        self.known.names.called(written).spellings.contains(&name)
    }

    fn refers(&self, value: Span, written: &str) -> bool {
        let mut tokens = self.tree.tokens_within(value).filter(|(kind, _)| !kind.is_trivia() && !kind.is_prefix());
        match (tokens.next(), tokens.next()) {
            (Some((TokenKind::Atom, token)), None) => self.is_called(token, written) == Some(true),
            _ => false,
        }
    }
}

impl NamesInTree<'_, '_> {
    fn facts(&self) -> &Facts {
        let Known { names, document } = self.known;
        self.facts.get_or_init(|| names.question.facts_with_marks(document, self.tree))
    }

    fn meant(&self, token: Span) -> Meant {
        let Known { names: Names { question, .. }, document } = self.known;
        let facts = self.facts();
        let first = facts.uses.partition_point(|used| used.start < token.start);
        let mut uses = facts.uses[first..].iter().take_while(|used| used.start < token.end);
        if let Some(used) = uses.next() {
            return match question.meaning(document, *used) {
                _ if !question.counts(document, *used) => Meant::Other,
                Referent::Is(symbol) => Meant::Is(of_language(symbol)),
                Referent::Unknown(_) => Meant::Unknown,
            };
        }
        let first = facts.marks.partition_point(|mark| mark.span.start < token.start);
        let mark = facts.marks[first..].first().filter(|mark| token.encloses(mark.span));
        let is_other =
            |role| matches!(role, MarkRole::Local | MarkRole::LocalFunction | MarkRole::Slot | MarkRole::Label);
        if mark.is_some_and(|mark| is_other(mark.role)) { Meant::Other } else { Meant::Unknown }
    }
}

//! The ledger of a name: what each token of the project is that is spelled so.
//!
//! "Nothing uses it" can be said only when no token is unaccounted for. So every token that has the name is entered once:
//! as a use, as something else that is known (a local name, a name of another package, a word of syntax), as a mention in
//! text or data, or as *possible*, when it may be a use and nobody can tell.

use std::ops::AddAssign;

use lispwright_syntax::{FormKind, Span, TokenKind, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::account::{Holds, NamePlace};
use crate::facts::{MarkRole, UseKind};
use crate::index::Document;
use crate::links::{Thing, Tie};
use crate::mention::{MentionKind, holds, words};
use crate::question::{Hit, UseIndex};
use crate::resolve::{Referent, Symbol, Written};

/// Why a place may be a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The form around it is not understood.
    NotUnderstood,
    /// The name may come from a package that no file declares.
    Undeclared,
    /// A macro may bind the name there.
    MayBeLocal,
    /// No file that is known to be loaded there defines the name.
    Free,
    /// It is declared to be dynamic there.
    Special,
    /// Code looks it up by its name.
    ByName,
}

impl Reason {
    /// The name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotUnderstood => "form not understood",
            Self::Undeclared => "package not declared",
            Self::MayBeLocal => "a macro may bind it",
            Self::Free => "loaded in a way that is not known",
            Self::Special => "declared special",
            Self::ByName => "looked up by name",
        }
    }
}

/// A place that may be a use.
#[derive(Clone, Copy, Debug)]
pub struct Possible<'i> {
    /// The file.
    pub document: &'i Document,
    /// The symbol or string.
    pub span: Span,
    /// Why it may be one.
    pub reason: Reason,
}

/// A word in text, or a symbol in data, that is the name.
#[derive(Clone, Copy, Debug)]
pub struct Mentioned<'i> {
    /// The file.
    pub document: &'i Document,
    /// The word.
    pub span: Span,
    /// What it is in.
    pub kind: MentionKind,
}

/// How many tokens are what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All symbols that are spelled so, and strings that are uses.
    pub tokens: usize,
    /// Uses and definitions.
    pub uses: usize,
    /// Possible uses.
    pub possible: usize,
    /// Keywords, symbols in data and code that is switched off.
    pub mentions: usize,
    /// Local names, words of syntax, slots, names of other spaces.
    pub others: usize,
}

impl Tally {
    /// Every token is entered once.
    pub const fn closes(self) -> bool {
        self.tokens == self.uses + self.possible + self.mentions + self.others
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.uses += other.uses;
        self.possible += other.possible;
        self.mentions += other.mentions;
        self.others += other.others;
    }
}

/// What the tokens are that have a name.
#[derive(Clone, Debug, Default)]
pub struct Ledger<'i> {
    /// The uses and definitions, in the order of files and places, each place once.
    pub uses: Vec<Hit<'i>>,
    /// The places that may be uses, in the same order.
    pub possible: Vec<Possible<'i>>,
    /// The mentions, in the same order. Those in a definition of the name or right above it are left out.
    pub mentions: Vec<Mentioned<'i>>,
    /// The number of tokens, by what they are. Words in comments and strings do not count.
    pub tally: Tally,
    /// The number of files whose text has the name.
    pub files: usize,
}

/// What a token is entered as.
enum Entry {
    Use,
    Possible(Reason),
    Mention(MentionKind),
    Other,
}

impl<'i> UseIndex<'i> {
    /// The ledger of the name that some symbols have.
    pub fn ledger(&self, symbols: &[Symbol]) -> Ledger<'i> {
        let mut symbols: Vec<Symbol> = symbols.iter().map(|symbol| self.proper(symbol)).collect();
        symbols.sort();
        symbols.dedup();
        let mut ledger = Ledger::default();
        for symbol in &symbols {
            ledger.uses.extend(self.uses(symbol).hits);
        }
        ledger.uses.sort_by(|a, b| (&a.document.path, a.used.start).cmp(&(&b.document.path, b.used.start)));
        ledger.uses.dedup_by_key(|hit| (&hit.document.path, hit.used.start));
        let names: FxHashSet<String> = symbols.iter().flat_map(|symbol| self.names(symbol)).collect();
        let own = self.own_parts(&symbols);
        let folds = self.dialect().folds_case();
        for &document in self.documents() {
            if names.iter().any(|name| holds(&document.text, name, folds)) {
                self.enter(document, &symbols, &names, own.get(&(document as *const Document)), &mut ledger);
            }
        }
        ledger
    }

    /// The parts of files in which the symbols are defined, with the comments right above.
    fn own_parts(&self, symbols: &[Symbol]) -> FxHashMap<*const Document, Vec<Span>> {
        let mut parts: FxHashMap<*const Document, Vec<Span>> = FxHashMap::default();
        for (document, one) in symbols.iter().flat_map(|symbol| self.definitions(symbol)) {
            let span = document.facts.forms[one.form as usize].span;
            let start = above(&document.text, span.start);
            parts.entry(document as *const Document).or_default().push(Span::new(start, span.end));
        }
        parts
    }

    /// Enters the tokens of a file.
    fn enter(
        &self,
        document: &'i Document,
        symbols: &[Symbol],
        names: &FxHashSet<String>,
        own: Option<&Vec<Span>>,
        ledger: &mut Ledger<'i>,
    ) {
        let tree = document.tree();
        let is_own = |span: Span| own.is_some_and(|own| own.iter().any(|part| part.encloses(span)));
        let before = (ledger.tally.tokens, ledger.mentions.len());
        if !self.enter_uses(document, &tree, symbols, names, ledger) {
            let facts = self.facts_with_marks(document, &tree);
            for place in self.places(document, &tree, &facts, names) {
                ledger.tally.tokens += 1;
                match self.entry(document, symbols, &place) {
                    Entry::Use => ledger.tally.uses += 1,
                    Entry::Other => ledger.tally.others += 1,
                    Entry::Possible(reason) => {
                        ledger.tally.possible += 1;
                        ledger.possible.push(Possible { document, span: place.written, reason });
                    }
                    Entry::Mention(kind) => {
                        ledger.tally.mentions += 1;
                        if !is_own(place.written) {
                            ledger.mentions.push(Mentioned { document, span: place.span, kind });
                        }
                    }
                }
            }
        }
        self.enter_words(document, &tree, names, is_own, ledger);
        ledger.files += usize::from((ledger.tally.tokens, ledger.mentions.len()) != before);
    }

    /// Enters the tokens of a file in which all of them are uses, which is the most frequent case and needs no walk.
    /// False if there are others.
    fn enter_uses(
        &self,
        document: &Document,
        tree: &Tree,
        symbols: &[Symbol],
        names: &FxHashSet<String>,
        ledger: &mut Ledger<'i>,
    ) -> bool {
        let uses = &document.facts.uses;
        let mut tally = Tally::default();
        for (kind, token) in tree.tokens() {
            if kind != TokenKind::Atom {
                continue;
            }
            let text = &document.text[token.range()];
            if !names.contains(&Written::of(self.dialect(), text).name) {
                continue;
            }
            let at = uses.partition_point(|used| used.start < token.start);
            let Some(used) = uses.get(at).filter(|used| used.span() == token && self.counts(document, **used)) else {
                return false;
            };
            tally.tokens += 1;
            match self.meaning(document, *used) {
                Referent::Is(meant) if symbols.contains(&meant) => tally.uses += 1,
                Referent::Is(meant) if self.defines(&meant) => tally.others += 1,
                Referent::Is(_) | Referent::Unknown(_) => return false,
            }
        }
        // Strings can be uses, too.
        let strings = uses.iter().filter(|used| document.text[used.start as usize..].starts_with('"'));
        for used in strings {
            if names.contains(&Written::of(self.dialect(), &document.text[used.span().range()]).name) {
                return false;
            }
        }
        ledger.tally += tally;
        true
    }

    /// What a place is for the symbols.
    fn entry(&self, document: &Document, symbols: &[Symbol], place: &NamePlace) -> Entry {
        let may_be = self.may_mean(document, symbols, place);
        match (place.holds, may_be) {
            (Holds::Use(_), May::Is) => Entry::Use,
            (Holds::Use(_), May::Be(reason)) => Entry::Possible(reason),
            (Holds::Use(_), May::Not) => Entry::Other,
            (Holds::Role(MarkRole::Data), _) => Entry::Mention(MentionKind::Quoted),
            (Holds::Role(MarkRole::Special), May::Is) => Entry::Possible(Reason::Special),
            (Holds::Role(MarkRole::Perhaps), May::Is | May::Be(_)) => Entry::Possible(Reason::MayBeLocal),
            (Holds::Role(_), _) => Entry::Other,
            (Holds::Keyword, _) => Entry::Mention(MentionKind::Keyword),
            (Holds::Discarded, _) => Entry::Mention(MentionKind::Disabled),
            (Holds::Declaration, May::Is) if is_of_system(document, place.written) => {
                Entry::Possible(Reason::NotUnderstood)
            }
            (Holds::Declaration, _) => Entry::Other,
            (Holds::Unknown, May::Is) => Entry::Possible(Reason::NotUnderstood),
            (Holds::Unknown, May::Be(reason)) => Entry::Possible(reason),
            (Holds::Unknown, May::Not) => Entry::Other,
        }
    }

    /// Whether a name means one of the symbols.
    fn may_mean(&self, document: &Document, symbols: &[Symbol], place: &NamePlace) -> May {
        let (meant, is_unknown) = match &place.meaning {
            Referent::Is(meant) => (meant, false),
            Referent::Unknown(meant) => (meant, true),
        };
        if symbols.contains(meant) {
            return if is_unknown { May::Be(Reason::Undeclared) } else { May::Is };
        }
        if symbols.iter().all(|symbol| symbol.name != meant.name) || self.defines(meant) {
            return May::Not;
        }
        // Code of files without a module is in one space when another file loads them.
        let is_file = |space: &str| space.starts_with(crate::facts::FILE_SPACE);
        if is_file(&meant.space)
            && !self.dialect().is_standard(&meant.name)
            && symbols.iter().any(|one| is_file(&one.space))
        {
            return May::Be(Reason::Free);
        }
        let space = document.facts.space_at(place.written.start);
        let is_qualified = meant.space != self.proper_space(space);
        let may_come_from = |from: &str| !self.declares(from) && !self.is_of_library(from);
        let is_open = match (is_qualified, is_unknown) {
            (true, _) => self.dialect().folds_case() && may_come_from(&meant.space),
            (false, true) => self.outside(space).iter().any(|from| may_come_from(from)),
            (false, false) => false,
        };
        if is_open { May::Be(Reason::Undeclared) } else { May::Not }
    }

    /// The package is that of a library: one of the language, or one that is called like a system that the project depends
    /// on and does not define.
    pub fn is_of_library(&self, package: &str) -> bool {
        if crate::space::common_lisp::is_of_language(package) || !self.dialect().folds_case() {
            return true;
        }
        let stem = |name: &str| name.split(['/', '.']).next().unwrap_or(name).trim_start_matches("cl-").to_owned();
        let name = stem(package);
        let links = || self.documents().iter().flat_map(|document| &document.facts.links);
        let systems = |tie: Tie| {
            links().filter(move |link| link.thing == Thing::System && link.tie == tie).map(|link| link.name.as_str())
        };
        systems(Tie::Depends).any(|system| stem(system) == name && systems(Tie::Declares).all(|own| own != system))
    }

    /// Enters the words of comments and strings.
    fn enter_words(
        &self,
        document: &'i Document,
        tree: &Tree,
        names: &FxHashSet<String>,
        is_own: impl Fn(Span) -> bool,
        ledger: &mut Ledger<'i>,
    ) {
        let folds = self.dialect().folds_case();
        let docstrings: FxHashSet<u32> =
            document.facts.forms.iter().filter_map(|form| form.docstring).map(|span| span.start).collect();
        let is_use = |token: Span| document.facts.uses.binary_search_by_key(&token.start, |used| used.start).is_ok();
        for (kind, token) in tree.tokens() {
            let is_comment = kind.is_trivia() && kind != TokenKind::Blank;
            if !is_comment && (kind != TokenKind::String || is_use(token)) {
                continue;
            }
            let text = &document.text[token.range()];
            let kind = match is_comment {
                true => MentionKind::Comment,
                false if docstrings.contains(&token.start) => MentionKind::Docstring,
                false => MentionKind::String,
            };
            let mut found: Vec<Span> = names
                .iter()
                .flat_map(|name| words(text, name, folds))
                .map(|word| Span::new(token.start + word.start as u32, token.start + word.end as u32))
                .filter(|span| !is_own(*span))
                .collect();
            found.sort_by_key(|span| (span.start, span.end));
            found.dedup_by_key(|span| span.start);
            ledger.mentions.extend(found.into_iter().map(|span| Mentioned { document, span, kind }));
        }
    }

    /// The uses of a symbol are only in definitions of it.
    pub fn is_in_own_definition(&self, hit: &Hit<'i>, symbols: &[Symbol]) -> bool {
        hit.used.kind == UseKind::Definition || self.defined_around(hit).iter().any(|around| symbols.contains(around))
    }
}

/// Whether a place means a symbol.
enum May {
    Is,
    Be(Reason),
    Not,
}

/// The place is in the definition of a system.
fn is_of_system(document: &Document, place: Span) -> bool {
    let form = document.facts.form_at(place.start).map(|form| &document.facts.forms[form as usize]);
    form.is_some_and(|form| form.kind == FormKind::System && !form.name.encloses(place))
}

/// The start of the comment lines right above a byte.
fn above(text: &str, start: u32) -> u32 {
    let mut start = start as usize;
    while let Some(line_end) = text[..start].trim_end_matches([' ', '\t', '(']).strip_suffix('\n') {
        let line = line_end.rfind('\n').map_or(0, |at| at + 1);
        if !line_end[line..].trim_start().starts_with(';') {
            break;
        }
        start = line;
    }
    start as u32
}

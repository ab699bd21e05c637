//! The ledger of a name: what each token of the project is that is spelled so.
//!
//! "Nothing uses it" can be said only when no token is unaccounted for. So every token that has the name is entered once:
//! as a use, as something else that is known (a local name, a name of another package, a word of syntax), as a mention in
//! text or data, or as *possible*, when it may be a use and nobody can tell.

use std::ops::Range;

use lispwright_syntax::{FormKind, Span, TokenKind, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::account::{Holds, NamePlace};
use crate::facts::{MarkRole, UseKind};
use crate::index::Document;
use crate::links::{Thing, Tie};
use crate::mention::{MentionKind, each_word, holds, is_word, words};
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
}

/// A ledger that is being kept.
struct Book<'i> {
    symbols: Vec<Symbol>,
    /// The parts of files in which the symbols are defined, with the comments right above.
    own: Vec<(&'i Document, Span)>,
    ledger: Ledger<'i>,
}

impl<'i> Book<'i> {
    fn is_own(&self, document: &Document, span: Span) -> bool {
        self.own.iter().any(|(other, part)| std::ptr::eq(*other, document) && part.encloses(span))
    }

    fn enter(&mut self, document: &'i Document, place: &NamePlace, entry: Entry) {
        let is_own = self.is_own(document, place.written);
        let ledger = &mut self.ledger;
        ledger.tally.tokens += 1;
        match entry {
            Entry::Use => ledger.tally.uses += 1,
            Entry::Other => ledger.tally.others += 1,
            Entry::Possible(reason) => {
                ledger.tally.possible += 1;
                ledger.possible.push(Possible { document, span: place.written, reason });
            }
            Entry::Mention(kind) => {
                ledger.tally.mentions += 1;
                if !is_own {
                    ledger.mentions.push(Mentioned { document, span: place.span, kind });
                }
            }
        }
    }
}

/// What a token is entered as.
enum Entry {
    Use,
    Possible(Reason),
    Mention(MentionKind),
    Other,
}

/// The names whose ledgers are kept, each with the numbers of the ledgers.
struct Names {
    numbers: FxHashMap<String, Vec<u32>>,
    /// For words of text: those that are words, spelled as they are compared.
    words: FxHashMap<String, Vec<u32>>,
    /// Those that are no words: `a/b`.
    others: Vec<(String, u32)>,
    folds_case: bool,
}

impl Names {
    fn add(&mut self, name: &str, number: u32) {
        self.numbers.entry(name.to_owned()).or_default().push(number);
        if is_word(name) {
            let word = if self.folds_case { name.to_lowercase() } else { name.to_owned() };
            self.words.entry(word).or_default().push(number);
        } else {
            self.others.push((name.to_owned(), number));
        }
    }

    /// The ledgers of a name; none if nobody asks for it.
    fn of(&self, name: &str) -> &[u32] {
        self.numbers.get(name).map_or(&[], Vec::as_slice)
    }

    /// The text may hold one of the names.
    fn may_be_in(&self, text: &str) -> bool {
        self.numbers.len() > MOST_SEARCHED || self.numbers.keys().any(|name| holds(text, name, self.folds_case))
    }

    /// The places of the names as words in a text, each with a ledger.
    fn words_in(&self, text: &str) -> Vec<(Range<usize>, u32)> {
        let mut found = Vec::new();
        let mut folded = String::new();
        for word in each_word(text).filter(|_| !self.words.is_empty()) {
            let part = &text[word.clone()];
            let numbers = if self.folds_case {
                folded.clear();
                folded.extend(part.chars().flat_map(char::to_lowercase));
                self.words.get(folded.as_str())
            } else {
                self.words.get(part)
            };
            found.extend(numbers.into_iter().flatten().map(|number| (word.clone(), *number)));
        }
        for (name, number) in &self.others {
            found.extend(words(text, name, self.folds_case).into_iter().map(|word| (word, *number)));
        }
        found
    }
}

/// So many names are searched for in the text of a file before it is read.
const MOST_SEARCHED: usize = 16;

impl<'i> UseIndex<'i> {
    /// The ledger of the name that some symbols have.
    pub fn ledger(&self, symbols: &[Symbol]) -> Ledger<'i> {
        self.ledgers(&[symbols.to_vec()]).pop().unwrap_or_default()
    }

    /// The ledgers of several names, each of which some symbols have. The files are looked at once.
    pub fn ledgers(&self, all: &[Vec<Symbol>]) -> Vec<Ledger<'i>> {
        let mut books: Vec<Book<'i>> = all.iter().map(|symbols| self.book(symbols)).collect();
        let mut names = Names {
            numbers: FxHashMap::default(),
            words: FxHashMap::default(),
            others: Vec::new(),
            folds_case: self.dialect().folds_case(),
        };
        for (number, book) in books.iter().enumerate() {
            let mut own: Vec<String> = book.symbols.iter().flat_map(|symbol| self.names(symbol)).collect();
            own.sort_unstable();
            own.dedup();
            own.iter().for_each(|name| names.add(name, number as u32));
        }
        for &document in self.documents().iter().filter(|document| names.may_be_in(&document.text)) {
            self.enter(document, &names, &mut books);
        }
        books.into_iter().map(|book| book.ledger).collect()
    }

    /// The book of a name before the files are looked at.
    fn book(&self, symbols: &[Symbol]) -> Book<'i> {
        let mut symbols: Vec<Symbol> = symbols.iter().map(|symbol| self.proper(symbol)).collect();
        symbols.sort();
        symbols.dedup();
        let mut uses: Vec<Hit<'i>> = symbols.iter().flat_map(|symbol| self.uses(symbol).hits).collect();
        uses.sort_by(|a, b| (&a.document.path, a.used.start).cmp(&(&b.document.path, b.used.start)));
        uses.dedup_by_key(|hit| (&hit.document.path, hit.used.start));
        let mut own: Vec<(&'i Document, Span)> = Vec::new();
        for (document, one) in symbols.iter().flat_map(|symbol| self.definitions(symbol)) {
            let span = document.facts.forms[one.form as usize].span;
            own.push((document, Span::new(above(&document.text, span.start), span.end)));
        }
        Book { symbols, own, ledger: Ledger { uses, ..Ledger::default() } }
    }

    /// Enters the tokens of a file.
    fn enter(&self, document: &'i Document, names: &Names, books: &mut [Book<'i>]) {
        let tree = document.tree();
        if !self.enter_uses(document, &tree, names, books) {
            let facts = self.facts_with_marks(document, &tree);
            let is_wanted = |name: &str| !names.of(name).is_empty();
            for place in self.places_of(document, &tree, &facts, is_wanted) {
                let of_part = Written::of(self.dialect(), &document.text[place.span.range()]).name;
                let numbers = match names.of(&of_part) {
                    [] => names.of(&Written::of(self.dialect(), &document.text[place.written.range()]).name),
                    numbers => numbers,
                };
                for &number in numbers {
                    let book = &mut books[number as usize];
                    let entry = self.entry(document, &book.symbols, &place);
                    book.enter(document, &place, entry);
                }
            }
        }
        self.enter_words(document, &tree, names, books);
    }

    /// Enters the tokens of a file in which all of them are uses, which is the most frequent case and needs no walk.
    /// False if there are others.
    fn enter_uses(&self, document: &Document, tree: &Tree, names: &Names, books: &mut [Book<'i>]) -> bool {
        let uses = &document.facts.uses;
        let mut tallies: Vec<(u32, bool)> = Vec::new();
        for (kind, token) in tree.tokens() {
            if kind != TokenKind::Atom {
                continue;
            }
            let text = &document.text[token.range()];
            let numbers = names.of(&Written::of(self.dialect(), text).name);
            if numbers.is_empty() {
                continue;
            }
            let at = uses.partition_point(|used| used.start < token.start);
            let Some(used) = uses.get(at).filter(|used| used.span() == token && self.counts(document, **used)) else {
                return false;
            };
            let meaning = self.meaning(document, *used);
            for &number in numbers {
                match &meaning {
                    Referent::Is(meant) if books[number as usize].symbols.contains(meant) => {
                        tallies.push((number, true))
                    }
                    Referent::Is(meant) if self.defines(meant) => tallies.push((number, false)),
                    Referent::Is(_) | Referent::Unknown(_) => return false,
                }
            }
        }
        // Strings can be uses, too.
        let strings = uses.iter().filter(|used| document.text[used.start as usize..].starts_with('"'));
        let is_wanted = |text: &str| !names.of(&Written::of(self.dialect(), text).name).is_empty();
        if strings.into_iter().any(|used| is_wanted(&document.text[used.span().range()])) {
            return false;
        }
        for (number, is_use) in tallies {
            let tally = &mut books[number as usize].ledger.tally;
            tally.tokens += 1;
            *(if is_use { &mut tally.uses } else { &mut tally.others }) += 1;
        }
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
    fn enter_words(&self, document: &'i Document, tree: &Tree, names: &Names, books: &mut [Book<'i>]) {
        let docstrings: FxHashSet<u32> =
            document.facts.forms.iter().filter_map(|form| form.docstring).map(|span| span.start).collect();
        let is_use = |token: Span| document.facts.uses.binary_search_by_key(&token.start, |used| used.start).is_ok();
        for (kind, token) in tree.tokens() {
            let is_comment = kind.is_trivia() && kind != TokenKind::Blank;
            if !is_comment && (kind != TokenKind::String || is_use(token)) {
                continue;
            }
            let kind = match is_comment {
                true => MentionKind::Comment,
                false if docstrings.contains(&token.start) => MentionKind::Docstring,
                false => MentionKind::String,
            };
            let mut found = names.words_in(&document.text[token.range()]);
            found.sort_by_key(|(word, number)| (*number, word.start));
            found.dedup_by_key(|(word, number)| (*number, word.start));
            for (word, number) in found {
                let span = Span::new(token.start + word.start as u32, token.start + word.end as u32);
                let book = &mut books[number as usize];
                if !book.is_own(document, span) {
                    book.ledger.mentions.push(Mentioned { document, span, kind });
                }
            }
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

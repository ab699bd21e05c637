//! The ledger of a name: what each token of the project is that is spelled so.
//!
//! "Nothing uses it" can be said only when no token is unaccounted for. So every token that has the name is entered once:
//! as a use, as something else that is known (a local name, a name of another package, a word of syntax), as a mention in
//! text or data, or as *possible*, when it may be a use and nobody can tell.

use std::cell::OnceCell;
use std::ops::Range;

use lispwright_syntax::{FormKind, Span, SpecialForm, TokenKind, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::account::{Holds, NamePlace};
use crate::computed::Computed;
use crate::derived::Maker;
use crate::dialects::rules;
use crate::facts::{Definition, MarkRole, UseKind};
use crate::index::Document;
use crate::mention::{MentionKind, each_word, holds, is_constituent};
use crate::notes::is_symbol;
use crate::question::{Hit, UseIndex};
use crate::resolve::{Referent, Symbol, Written};

/// Why a place may be a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PossibleReason {
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
    /// Objects have a member of the name.
    OfObject,
    /// Code makes names from parts, and it may be one of them.
    Computed,
    /// The object may be of another class, which has a slot of that name.
    OtherSlot,
    /// Code exports names that it computes: the package may have the name from another.
    Opened,
    /// The file of its definition is a part of this module, too.
    Included,
    /// Its file is a part of several modules, and not in all of them means the name the same.
    InSeveral,
    /// A file that is not there, or that is not read, is a part of its module.
    Unread,
    /// It is a part of a longer name, whose first part is a value or module.
    Member,
    /// A form that would define the name takes what is defined: a mode its keymap.
    Taken,
    /// A name that nobody defines has it as a part, and only the macro of its definition knows what it makes.
    MayBeMade,
    /// The macro of its definition makes names from parts.
    MakesNames,
    /// The macro of its definition exports the name, or keeps it as data for those who look it up.
    Kept,
    /// Its definition is a form of which nobody knows what it does with the name.
    UnknownDefiner,
    /// Nobody defines it there, and a macro at top level takes the name from where it is defined.
    GivenOn,
}

impl PossibleReason {
    /// The name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotUnderstood => "form not understood",
            Self::Undeclared => "package not declared",
            Self::MayBeLocal => "a macro may bind it",
            Self::Free => "loaded in a way that is not known",
            Self::Special => "declared special",
            Self::ByName => "looked up by name",
            Self::OfObject => "a member of an object",
            Self::Computed => "code makes such names",
            Self::OtherSlot => "another class has such a slot",
            Self::Opened => "code exports names that it computes",
            Self::Included => "its file is included here, too",
            Self::InSeveral => "its file is a part of several modules",
            Self::Unread => "includes a file that was not read",
            Self::Member => "part of a longer name",
            Self::Taken => "the form takes it by its name",
            Self::MayBeMade => "its definition may make this name",
            Self::MakesNames => "the macro of its definition makes names",
            Self::Kept => "the macro of its definition keeps the name",
            Self::UnknownDefiner => "its definer is not known",
            Self::GivenOn => "a macro may give the name on",
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
    pub reason: PossibleReason,
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
pub struct TokenTally {
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

impl TokenTally {
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
    pub tally: TokenTally,
}

/// Symbols that are asked about, with what their definitions say of every place that has their name.
#[derive(Clone, Debug)]
pub struct AskedSymbols<'i> {
    symbols: Vec<Symbol>,
    /// They are names of members of classes, which objects look up.
    are_members: bool,
    /// The files with their definitions that are parts of several modules.
    parts: Vec<&'i str>,
    /// The spaces in which a macro at top level takes one of them, and may define the name there.
    given_on: OnceCell<Vec<String>>,
}

/// A ledger that is being kept.
struct Book<'i> {
    asked: AskedSymbols<'i>,
    /// Their names, in lower case where case does not count.
    folded: Vec<String>,
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
    Possible(PossibleReason),
    Mention(MentionKind),
    Other,
}

/// The names whose ledgers are kept, each with the numbers of the ledgers.
struct Names {
    numbers: FxHashMap<String, Vec<u32>>,
    /// For words of text: those that are words, spelled as they are compared.
    words: FxHashMap<String, Vec<u32>>,
    /// Those that are no words, as `a/b`: by their first word, with the bytes before it.
    others: FxHashMap<String, Vec<(usize, String, u32)>>,
    /// The last parts of those that have several, in a dialect that has them.
    parts: FxHashMap<String, Vec<u32>>,
    separators: &'static [char],
    folds_case: bool,
}

impl Names {
    fn add(&mut self, name: &str, number: u32) {
        self.numbers.entry(name.to_owned()).or_default().push(number);
        let fold = |word: &str| if self.folds_case { word.to_lowercase() } else { word.to_owned() };
        if let Some((_, part)) = name.rsplit_once(self.separators) {
            let numbers = self.parts.entry(part.to_owned()).or_default();
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        // A name without letters is no word of a text.
        let Some(first) = each_word(name).next() else { return };
        if first == (0..name.len()) {
            self.words.entry(fold(name)).or_default().push(number);
        } else {
            let start = first.start;
            self.others.entry(fold(&name[first])).or_default().push((start, fold(name), number));
        }
    }

    /// The ledgers of a name; none if nobody asks for it.
    fn of(&self, name: &str) -> &[u32] {
        self.numbers.get(name).map_or(&[], Vec::as_slice)
    }

    /// The text may hold one of the names.
    fn may_be_in(&self, text: &str) -> bool {
        let mut all = self.numbers.keys().chain(self.parts.keys());
        self.numbers.len() > MOST_SEARCHED || all.any(|name| holds(text, name, self.folds_case))
    }

    /// The places of the names as words in a text, each with a ledger.
    fn words_in(&self, text: &str) -> Vec<(Range<usize>, u32)> {
        let mut found = Vec::new();
        let mut folded = String::new();
        for word in each_word(text) {
            let mut part = &text[word.clone()];
            if self.folds_case {
                folded.clear();
                folded.extend(part.chars().flat_map(char::to_lowercase));
                part = folded.as_str();
            }
            let numbers = self.words.get(part).into_iter().flatten();
            found.extend(numbers.map(|number| (word.clone(), *number)));
            for (before, name, number) in self.others.get(part).into_iter().flatten() {
                let Some(start) = word.start.checked_sub(*before) else { continue };
                let whole = start..start + name.len();
                let is_it = text.get(whole.clone()).is_some_and(|whole| {
                    if self.folds_case { whole.eq_ignore_ascii_case(name) } else { whole == name }
                });
                if is_it && !text[whole.end..].chars().next().is_some_and(is_constituent) {
                    found.push((whole, *number));
                }
            }
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
            others: FxHashMap::default(),
            parts: FxHashMap::default(),
            separators: rules(self.dialect()).member_separators,
            folds_case: self.dialect().folds_case(),
        };
        for (number, book) in books.iter().enumerate() {
            let mut own: Vec<String> = book.asked.symbols.iter().flat_map(|symbol| self.names(symbol)).collect();
            own.sort_unstable();
            own.dedup();
            own.iter().for_each(|name| names.add(name, number as u32));
        }
        for &document in self.documents() {
            if names.may_be_in(&document.text) {
                self.enter(document, &names, &mut books);
                self.enter_members(document, &names, &mut books);
            }
            for one in &document.facts.computed {
                self.enter_computed(document, one, &mut books);
            }
        }
        self.enter_made(&mut books);
        for book in &mut books {
            let made = book.folded.iter().flat_map(|name| self.affixed().parts_of(name));
            let others = made.filter(|one| !book.is_own(one.document, one.span)).collect::<Vec<_>>();
            book.ledger.possible.extend(others);
            let parts = book.asked.symbols.iter().flat_map(|symbol| self.parts_of_patterns(symbol));
            book.ledger.possible.extend(parts);
            let unread = book.asked.symbols.iter().flat_map(|symbol| self.unread_parts(symbol));
            book.ledger.possible.extend(unread);
        }
        books.into_iter().map(|book| book.ledger).collect()
    }

    /// Enters the names that nobody defines and that macros may make of the names.
    fn enter_made(&self, books: &mut [Book<'i>]) {
        let mut makers: Vec<Maker> = Vec::new();
        let mut numbers: Vec<usize> = Vec::new();
        for (number, book) in books.iter_mut().enumerate() {
            let made: Vec<&Symbol> = book.asked.symbols.iter().filter(|symbol| self.is_made_by_macro(symbol)).collect();
            if made.is_empty() {
                continue;
            }
            makers.extend(made.iter().map(|symbol| self.maker(symbol, Vec::new())));
            numbers.resize(makers.len(), number);
            // Where it is used, it is of no account what else may use it.
            let is_use = |hit: &Hit<'i>| hit.is_reference() && !self.is_in_own_definition(hit, &book.asked.symbols);
            if !book.ledger.uses.iter().any(is_use) {
                book.ledger.possible.extend(made.into_iter().flat_map(|symbol| self.doubts_of_definers(symbol)));
            }
        }
        for (hits, number) in self.perhaps_made(&makers).into_iter().zip(numbers) {
            let book = &mut books[number];
            for hit in hits {
                let (document, span) = (hit.document, hit.used.span());
                if !book.is_own(document, span) {
                    let reason = PossibleReason::MayBeMade;
                    book.ledger.possible.push(Possible { document, span, reason });
                }
            }
        }
    }

    /// Enters the names of which a part is one of the names, and the last parts of the names by themselves.
    fn enter_members(&self, document: &'i Document, names: &Names, books: &mut [Book<'i>]) {
        if names.separators.is_empty() {
            return;
        }
        for (_, token) in document.tree().tokens().filter(|(kind, _)| *kind == TokenKind::Atom) {
            let text = &document.text[token.range()];
            let whole = names.of(text);
            let mut at = token.start;
            for part in text.split_inclusive(names.separators) {
                let start = at;
                at += part.len() as u32;
                let part = part.trim_end_matches(names.separators);
                let alone = if part.len() < text.len() { names.of(part) } else { &[] };
                let last = names.parts.get(part).map_or(&[][..], Vec::as_slice);
                let last = last.iter().filter(|number| !alone.contains(number));
                for number in alone.iter().chain(last).filter(|number| !whole.contains(number)) {
                    let span = Span::new(start, start + part.len() as u32);
                    let book = &mut books[*number as usize];
                    book.ledger.tally.tokens += 1;
                    book.ledger.tally.possible += 1;
                    book.ledger.possible.push(Possible { document, span, reason: PossibleReason::Member });
                }
            }
        }
    }

    /// Enters the names that code makes from parts.
    fn enter_computed(&self, document: &'i Document, computed: &Computed, books: &mut [Book<'i>]) {
        for book in books {
            let is_of = |space: &String| book.asked.symbols.iter().any(|symbol| symbol.space == *space);
            let is_it =
                computed.of_space.as_ref().is_none_or(is_of) && book.folded.iter().any(|name| computed.fits(name));
            if is_it && !book.is_own(document, computed.span) {
                book.ledger.possible.push(Possible { document, span: computed.span, reason: PossibleReason::Computed });
            }
        }
    }

    /// The book of a name before the files are looked at.
    fn book(&self, symbols: &[Symbol]) -> Book<'i> {
        let mut symbols: Vec<Symbol> = symbols.iter().map(|symbol| self.proper(symbol)).collect();
        symbols.sort();
        symbols.dedup();
        let mut uses: Vec<Hit<'i>> = symbols.iter().flat_map(|symbol| self.uses(symbol).hits).collect();
        uses.sort_by_key(Hit::place);
        uses.dedup_by_key(|hit| (&hit.document.path, hit.used.start));
        let mut own: Vec<(&'i Document, Span)> = Vec::new();
        let mut possible: Vec<Possible<'i>> = Vec::new();
        for symbol in &symbols {
            for (document, one) in self.definitions(symbol) {
                let row = &document.facts.forms[one.form as usize];
                if self.takes(symbol, one) {
                    possible.push(Possible { document, span: row.name, reason: PossibleReason::Taken });
                } else {
                    own.push((document, Span::new(above(document, row.span.start), row.span.end)));
                }
            }
        }
        let fold = |name: &str| if self.dialect().folds_case() { name.to_lowercase() } else { name.to_owned() };
        let folded = symbols.iter().map(|symbol| fold(&symbol.name)).collect();
        let asked = self.asked(symbols);
        Book { asked, folded, own, ledger: Ledger { uses, possible, ..Ledger::default() } }
    }

    /// What the definitions of some symbols say of the places that have their name.
    pub fn asked(&self, symbols: Vec<Symbol>) -> AskedSymbols<'i> {
        let definitions: Vec<_> = symbols.iter().flat_map(|symbol| self.definitions(symbol)).collect();
        // `define-local-member-name`, or a method in a form that makes a class and is not understood.
        let are_members = definitions.iter().any(|(document, one)| {
            let head = &document.facts.forms[one.form as usize].head;
            // `define/provide-local-member-name` is a macro of a project.
            document.dialect.special_form(head) == Some(SpecialForm::DefineNames)
                || head.ends_with("-member-name")
                || rules(document.dialect).members.contains(&head.as_str())
        });
        let files = definitions.iter().map(|(document, _)| document.facts.file.as_str());
        let parts = files.filter(|file| !self.spaces.further_of(file).is_empty()).collect();
        AskedSymbols { symbols, are_members, parts, given_on: OnceCell::new() }
    }

    /// The place has the name of a member, whatever it means as a name of the module.
    pub fn may_be_member(&self, asked: &AskedSymbols<'_>, place: &NamePlace) -> bool {
        let (Referent::Is(meant) | Referent::Unknown(meant)) = &place.meaning;
        let is_role = matches!(place.holds, Holds::Role(role) if role != MarkRole::Data);
        let is_free = || matches!(place.holds, Holds::Use(_) | Holds::Unknown) && !self.defines(meant);
        asked.are_members && asked.symbols.iter().any(|symbol| symbol.name == meant.name) && (is_role || is_free())
    }

    /// The form that makes a definition of a symbol would define it, but takes what another form defines: a mode of Emacs
    /// takes the keymap and the hook that are there.
    pub(crate) fn takes(&self, symbol: &Symbol, one: &Definition) -> bool {
        one.made
            && rules(self.dialect()).variables_are_dynamic
            && self.definitions(symbol).iter().any(|(_, other)| !other.made)
    }

    /// Enters the tokens of a file.
    fn enter(&self, document: &'i Document, names: &Names, books: &mut [Book<'i>]) {
        let tree = document.tree();
        if !self.enter_uses(document, &tree, names, books) {
            let facts = self.facts_with_marks(document, &tree);
            let is_wanted = |name: &str| !names.of(name).is_empty();
            for place in self.places_of(document, &tree, &facts, is_wanted) {
                let of_part = Written::of(self.dialect(), &document.text[place.span.range()]).name;
                let of_all = Written::of(self.dialect(), &document.text[place.written.range()]).name;
                let all = if of_all == of_part { &[] } else { names.of(&of_all) };
                for &number in names.of(&of_part).iter().chain(all) {
                    let book = &mut books[number as usize];
                    let entry = self.entry(document, &book.asked, &place);
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
                    Referent::Is(meant) if books[number as usize].asked.symbols.contains(meant) => {
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
    fn entry(&self, document: &Document, asked: &AskedSymbols<'_>, place: &NamePlace) -> Entry {
        let may_be = self.may_mean(document, asked, place);
        match (place.holds, may_be) {
            (Holds::Use(_), Meant::Is) => Entry::Use,
            (Holds::Use(_), Meant::May(reason)) => Entry::Possible(reason),
            _ if self.may_be_member(asked, place) => Entry::Possible(PossibleReason::OfObject),
            // Where a symbol belongs to no package, one in data may be meant wherever it is.
            (Holds::Use(UseKind::Quoted), Meant::Not) if self.is_bare_symbol(asked, place) => {
                Entry::Mention(MentionKind::Quoted)
            }
            (Holds::Use(_), Meant::Not) => Entry::Other,
            (Holds::Role(MarkRole::Data), _) => Entry::Mention(MentionKind::Quoted),
            (Holds::Role(MarkRole::Special), Meant::Is) => Entry::Possible(PossibleReason::Special),
            (Holds::Role(MarkRole::Perhaps), Meant::Is | Meant::May(_)) => Entry::Possible(PossibleReason::MayBeLocal),
            (Holds::Role(_), _) => Entry::Other,
            (Holds::Keyword, _) => Entry::Mention(MentionKind::Keyword),
            (Holds::Discarded, _) => Entry::Mention(MentionKind::Disabled),
            (Holds::Declaration, Meant::Is) if is_of_system(document, place.written) => {
                Entry::Possible(PossibleReason::NotUnderstood)
            }
            (Holds::Declaration, _) => Entry::Other,
            (Holds::Unknown, _) if !is_symbol(self.dialect(), &document.text[place.written.range()]) => Entry::Other,
            (Holds::Unknown, Meant::Is) => Entry::Possible(PossibleReason::NotUnderstood),
            (Holds::Unknown, Meant::May(reason)) => Entry::Possible(reason),
            (Holds::Unknown, Meant::Not) => Entry::Other,
        }
    }

    /// The place has the name of one of the symbols, nothing is defined there that is called so, and symbols are in no
    /// package.
    pub fn is_bare_symbol(&self, asked: &AskedSymbols<'_>, place: &NamePlace) -> bool {
        let (Referent::Is(meant) | Referent::Unknown(meant)) = &place.meaning;
        !self.spaces.imports_first
            && !self.defines(meant)
            && asked.symbols.iter().any(|symbol| symbol.name == meant.name)
    }

    /// Whether the name at a place means one of the symbols.
    pub fn may_mean(&self, document: &Document, asked: &AskedSymbols<'_>, place: &NamePlace) -> Meant {
        let symbols = &asked.symbols;
        let (meant, is_unknown) = match &place.meaning {
            Referent::Is(meant) => (meant, false),
            Referent::Unknown(meant) => (meant, true),
        };
        if symbols.contains(meant) {
            return if is_unknown { Meant::May(PossibleReason::Undeclared) } else { Meant::Is };
        }
        if self.means_in_others(document, place.written).any(|meant| symbols.contains(&meant)) {
            return Meant::May(PossibleReason::InSeveral);
        }
        if symbols.iter().all(|symbol| symbol.name != meant.name) {
            return Meant::Not;
        }
        if self.defines(meant) {
            // A test can be called like the function that it tests.
            let is_opened = self.is_opened(&meant.space) && self.is_test_alone(meant);
            return if is_opened { Meant::May(PossibleReason::Opened) } else { Meant::Not };
        }
        if asked.parts.iter().any(|file| self.spaces.is_part_of_further(file, &meant.space)) {
            return Meant::May(PossibleReason::Included);
        }
        if asked.given_on.get_or_init(|| self.given_on(symbols)).contains(&meant.space) {
            return Meant::May(PossibleReason::GivenOn);
        }
        // Code of files without a module is in one space when another file loads them.
        let is_file = |space: &str| space.starts_with(crate::facts::FILE_SPACE);
        if is_file(&meant.space)
            && !self.dialect().is_standard(&meant.name)
            && symbols.iter().any(|one| is_file(&one.space))
        {
            return Meant::May(PossibleReason::Free);
        }
        let space = document.facts.space_at(place.written.start);
        let is_qualified = meant.space != self.proper_space(space);
        // A package of which the project shows nothing may have the symbol under a name that no file says.
        let is_hidden = symbols.iter().any(|symbol| !symbol.space.is_empty() && !self.declares(&symbol.space));
        let may_come_from =
            |from: &str| !self.declares(from) && !self.is_of_library(from) && (is_hidden || self.is_made_here(from));
        // Two packages of which the project shows nothing may be one.
        if is_hidden && self.dialect().folds_case() && !space.is_empty() && may_come_from(space) {
            return Meant::May(PossibleReason::Undeclared);
        }
        let is_open = match (is_qualified, is_unknown) {
            (true, _) => self.dialect().folds_case() && may_come_from(&meant.space),
            (false, true) => self.outside(space).iter().any(|from| may_come_from(from)),
            (false, false) if self.is_opened(space) => return Meant::May(PossibleReason::Opened),
            (false, false) => {
                self.may_import_more(space) && symbols.iter().any(|one| self.spaces.exports(&one.space, &one.name))
            }
        };
        if is_open { Meant::May(PossibleReason::Undeclared) } else { Meant::Not }
    }

    /// What the name at a place means in the further modules of which its file is a part.
    pub fn means_in_others(&self, document: &Document, written: Span) -> impl Iterator<Item = Symbol> {
        let spaces = self.spaces.further_of(&document.facts.file);
        spaces.iter().map(move |space| {
            let name = Written::of(self.dialect(), &document.text[written.range()]);
            let (Referent::Is(meant) | Referent::Unknown(meant)) = self.spaces.meaning(space, &name);
            meant
        })
    }

    /// Only tests define the symbol.
    fn is_test_alone(&self, symbol: &Symbol) -> bool {
        self.definitions(symbol).iter().all(|(_, one)| one.kind == FormKind::Test)
    }

    /// Enters the words of comments and strings.
    fn enter_words(&self, document: &'i Document, tree: &Tree, names: &Names, books: &mut [Book<'i>]) {
        // The docstring of a hydra contains code.
        let documented = document.facts.forms.iter().filter(|form| !form.head.contains("hydra"));
        let docstrings: FxHashSet<u32> = documented.filter_map(|form| form.docstring).map(|span| span.start).collect();
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

    /// The use is in a definition of one of the symbols. A definition inside of another one, in its code, is used there by the
    /// outer one.
    pub fn is_in_own_definition(&self, hit: &Hit<'i>, symbols: &[Symbol]) -> bool {
        hit.used.kind == UseKind::Definition || self.own_around(hit).iter().any(|around| symbols.contains(around))
    }
}

/// Whether a place means a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meant {
    /// It does, if it is a use.
    Is,
    /// It may.
    May(PossibleReason),
    /// It means something else.
    Not,
}

/// The place is in the definition of a system.
fn is_of_system(document: &Document, place: Span) -> bool {
    let form = document.facts.form_at(place.start).map(|form| &document.facts.forms[form as usize]);
    form.is_some_and(|form| form.kind == FormKind::System && !form.name.encloses(place))
}

/// The start of the comment lines right above a byte.
fn above(document: &Document, start: u32) -> u32 {
    let (text, comment) = (&document.text, document.dialect.comment());
    let mut start = start as usize;
    while let Some(line_end) = text[..start].trim_end_matches([' ', '\t', '(']).strip_suffix('\n') {
        let line = line_end.rfind('\n').map_or(0, |at| at + 1);
        if !line_end[line..].trim_start().starts_with(comment) {
            break;
        }
        start = line;
    }
    start as u32
}

//! Names that code makes while it runs or is expanded: `(intern (format nil "HANDLE-~A" kind))`. What they mean is not
//! known; that a name may be one of them is.

use lispwright_syntax::{Data, Datum, ListId, Span, TokenKind};

use crate::data::Prefix;
use crate::dialects::rules;
use crate::walk::Walk;

/// Functions that make a symbol from text, or find one.
pub(crate) const MAKERS: &[&str] = &[
    "intern",
    "intern*",
    "intern-soft",
    "find-symbol",
    "find-symbol*",
    "symbolicate",
    "format-symbol",
    "ensure-symbol",
    "symbol",
    "symb",
    "make-symbol",
    "string->symbol",
    "symbol-append",
    "format-id",
    "resolve",
    "ns-resolve",
    "requiring-resolve",
    "read-from-string",
    "funcall-by-name",
    "ns-publics",
    "ns-interns",
    "ns-map",
];

/// Functions that read a text, in which there may be a name, or find what a symbol names.
const FINDERS: &[&str] = &["find-var", "read", "read-string"];

/// Functions that go through all symbols there are, of which a test in them says which are meant.
const SEARCHES: &[&str] = &["mapatoms", "apropos-internal", "all-completions"];

/// How the arguments of a function spell the text that it makes.
#[derive(Clone, Copy, PartialEq)]
enum Spelling {
    /// One after the other.
    All,
    /// So; a keyword with its colon.
    Printed,
    /// So; a keyword without its colon.
    Named,
    /// The elements of a list, with a text between them. `maps`: the first argument makes a text of each.
    Joined { list: usize, between: usize, maps: bool },
    /// The first is replaced in a text.
    Replaced { pattern: usize, with: usize, text: usize },
    /// The first from a place on.
    Tail,
    /// Those of another function, of which the last is a list.
    Applied,
}

/// Functions that make a text of their arguments.
const TEXTS: &[(&str, Spelling)] = &[
    ("concat", Spelling::All),
    ("concatenate", Spelling::All),
    ("str", Spelling::Printed),
    ("format", Spelling::All),
    ("string-append", Spelling::All),
    ("string", Spelling::All),
    ("strcat", Spelling::All),
    ("quote", Spelling::All),
    ("name", Spelling::Named),
    ("symbol-name", Spelling::All),
    ("upcase", Spelling::All),
    ("downcase", Spelling::All),
    ("string-upcase", Spelling::All),
    ("string-downcase", Spelling::All),
    ("upper-case", Spelling::All),
    ("lower-case", Spelling::All),
    ("join", Spelling::Joined { list: 1, between: 0, maps: false }),
    ("string-join", Spelling::Joined { list: 0, between: 1, maps: false }),
    ("mapconcat", Spelling::Joined { list: 1, between: 2, maps: true }),
    ("replace", Spelling::Replaced { pattern: 1, with: 2, text: 0 }),
    ("replace-first", Spelling::Replaced { pattern: 1, with: 2, text: 0 }),
    ("replace-regexp-in-string", Spelling::Replaced { pattern: 0, with: 1, text: 2 }),
    ("regexp-replace", Spelling::Replaced { pattern: 0, with: 2, text: 1 }),
    ("subs", Spelling::Tail),
    ("substring", Spelling::Tail),
    ("apply", Spelling::Applied),
];

/// Functions that give the text of what they get.
const SAME: &[&str] = &["identity", "symbol-name", "name", "str"];

/// Functions that make a list of their arguments.
const LISTS: &[&str] = &["list", "vector"];

/// Patterns that fit the begin of a text, and those that fit its end.
const BEGINS: &[&str] = &["^", r"\\`", r"\A"];
const ENDS: &[&str] = &["$", r"\\'", r"\z"];

/// Tests of names: that a text begins or ends with one, or fits a pattern.
const BEGIN_TESTS: &[&str] = &["string-prefix-p"];
const END_TESTS: &[&str] = &["string-suffix-p"];
const PATTERN_TESTS: &[&str] = &["string-match", "string-match-p"];

/// The head of a call calls a function that makes names, finds them by a text, or goes through them.
pub(crate) fn is_maker(head: &str) -> bool {
    MAKERS.contains(&head) || FINDERS.contains(&head) || SEARCHES.contains(&head) || is_thread(head)
}

/// How the function with this name, perhaps qualified, spells a text.
fn spelling_of(head: &str) -> Option<(&str, Spelling)> {
    let plain = head.rsplit([':', '/']).next().unwrap_or(head);
    TEXTS.iter().find(|(name, _)| *name == plain).map(|(_, spelling)| (plain, *spelling))
}

/// Where a threading form puts what the step before gives.
#[derive(Clone, Copy)]
enum Place {
    First,
    Last,
}

/// Threading forms.
const THREADS: &[(&str, Place)] = &[
    ("->", Place::First),
    ("->>", Place::Last),
    ("some->", Place::First),
    ("some->>", Place::Last),
    ("thread-first", Place::First),
    ("thread-last", Place::Last),
    ("~>", Place::First),
    ("~>>", Place::Last),
];

/// Forms with this head put the value of each step into the next one.
pub(crate) fn is_thread(head: &str) -> bool {
    THREADS.iter().any(|(name, _)| *name == head)
}

/// A part of a text.
enum Part {
    /// This one spells it; its directives are formatted or not.
    Datum(Datum, bool),
    /// It is this.
    Text(String),
    /// So many letters of what follows are left out.
    Skip(usize),
    /// One argument that these spell.
    Group(Vec<Part>),
    Unknown,
}

impl Part {
    fn datum(&self) -> Option<Datum> {
        match self {
            Self::Datum(datum, _) => Some(*datum),
            _ => None,
        }
    }
}

/// So many variables are followed to what they hold, for one name.
const MOST_FOLLOWED: usize = 8;

/// Functions of Clojure that give the names of a namespace.
const READERS: &[&str] = &["ns-publics", "ns-interns", "ns-map"];

/// Letters that the known parts of a computed name have at least, unless both ends or the name of a package are known:
/// `~A-~A` may be anything.
const FEWEST: usize = 3;

/// A text calls a function that makes a symbol.
pub(crate) fn makes_names(text: &str) -> bool {
    MAKERS.iter().any(|maker| {
        text.match_indices(maker).any(|(at, _)| {
            let after = text[at + maker.len()..].chars().next();
            text[..at].ends_with('(') && after.is_none_or(|after| after.is_whitespace() || after == ')')
        })
    })
}

/// A name of which only parts are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The call that makes it.
    pub span: Span,
    /// The known parts in their order; empty parts at the ends stand for what is not known there.
    pub parts: Vec<String>,
    /// The parts are too few letters to tell a name by them, and nothing is known at one end.
    pub is_short: bool,
    /// The namespace whose names it reads, all of them: `(ns-publics *ns*)`.
    pub of_space: Option<String>,
}

impl Computed {
    /// A name of a space may be this one.
    pub fn may_be(&self, name: &str, space: &str, folds_case: bool) -> bool {
        if self.of_space.as_deref().is_some_and(|of| of != space) {
            return false;
        }
        if folds_case { self.fits(&name.to_lowercase()) } else { self.fits(name) }
    }

    /// The same for a name in lower case, where case does not count.
    pub(crate) fn fits(&self, name: &str) -> bool {
        if self.is_short {
            return false;
        }
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some(mut left) = name.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
        for part in middle {
            let Some(at) = left.find(part.as_str()) else { return false };
            left = &left[at + part.len()..];
        }
        left.ends_with(last.as_str())
    }
}

impl<'t> Walk<'t> {
    /// Notes the name that a call makes from text, if parts of it are written there.
    pub(crate) fn note_computed(&mut self, call: Datum, arguments: Data<'t>) {
        if self.learning.is_some() {
            return;
        }
        let head = call.list().and_then(|list| self.data(list).next()).map(|head| self.source(head));
        if head.is_some_and(|head| READERS.contains(&head)) {
            return self.note_read(call, arguments);
        }
        if head.is_some_and(|head| SEARCHES.contains(&head)) {
            return self.note_search(call, arguments);
        }
        let folds = self.dialect.folds_case();
        let directive = rules(self.dialect).directive;
        // Literal strings and quoted symbols, in the order in which they are written; `None` for what is computed.
        let mut pieces: Vec<Option<String>> = Vec::new();
        let head = head.map_or("", |head| head.rsplit([':', '/']).next().unwrap_or(head));
        let joins_symbols = ["symbol-append", "symbolicate", "symb"].contains(&head);
        let parts = match THREADS.iter().find(|(name, _)| *name == head) {
            Some((_, place)) => match self.threaded_text(arguments.collect(), *place) {
                Some(parts) => parts,
                None => return,
            },
            None => self.spelling(head, arguments.map(|datum| Part::Datum(datum, false)).collect()),
        };
        let (mut followed, mut skipped) = (0, 0);
        let mut waiting = parts;
        waiting.reverse();
        while let Some(part) = waiting.pop() {
            let (datum, is_formatted) = match part {
                Part::Datum(datum, is_formatted) => (datum, is_formatted),
                Part::Group(parts) => {
                    waiting.extend(parts.into_iter().rev());
                    continue;
                }
                Part::Skip(letters) => {
                    skipped = letters;
                    continue;
                }
                Part::Text(text) => {
                    pieces.push(Some(text.chars().skip(std::mem::take(&mut skipped)).collect()));
                    continue;
                }
                Part::Unknown => {
                    skipped = 0;
                    pieces.push(None);
                    continue;
                }
            };
            let text = self.source(datum);
            let before = self.symbol(datum).filter(|_| datum.list().is_none());
            match (datum.list(), self.tree.kind(datum.core)) {
                (Some(list), _) => {
                    let mut inner = self.data(list);
                    let head = inner.next().map_or("", |head| self.source(head));
                    match spelling_of(head) {
                        Some((head, spelling)) => {
                            let inner = inner.map(|datum| Part::Datum(datum, false)).collect();
                            waiting.extend(self.spelled(head, spelling, inner).into_iter().rev());
                        }
                        None => waiting.push(Part::Unknown),
                    }
                }
                (None, TokenKind::String) => {
                    let mut rest = text.trim_matches('"');
                    let skipped = std::mem::take(&mut skipped);
                    rest = rest.char_indices().nth(skipped).map_or("", |(at, _)| &rest[at..]);
                    while let Some(at) = rest.find(directive).filter(|_| is_formatted) {
                        pieces.push(Some(rest[..at].to_owned()));
                        pieces.push(None);
                        rest = rest.get(at + 2..).unwrap_or_default();
                    }
                    pieces.push(Some(rest.to_owned()));
                }
                (None, _) if !datum.is_bare() && before.is_some() && (pieces.is_empty() || joins_symbols) => {
                    // `(concatenate 'string …)` says only what is made.
                    if !["string", "simple-string"].contains(&text) {
                        waiting.push(Part::Text(text.to_owned()));
                    }
                }
                (None, _) if joins_symbols && text.starts_with(':') => pieces.push(Some(text[1..].to_owned())),
                (None, _) if text.starts_with([':', '#']) || ["nil", "t"].contains(&text) => {}
                // `(let ((name (concat "shop-" kind))) (intern name))`
                (None, _) => {
                    match before.filter(|_| followed < MOST_FOLLOWED).and_then(|name| self.text_in(name, call)) {
                        Some(value) => {
                            followed += 1;
                            waiting.push(Part::Datum(value, false));
                        }
                        None => waiting.push(Part::Unknown),
                    }
                }
            }
        }
        if self.rules.data_names_are_qualified {
            unqualify(&mut pieces);
        }
        if !pieces.iter().any(Option::is_none) {
            // A whole name that is written in one is a name in a text.
            let is_joined = pieces.iter().flatten().filter(|piece| !piece.is_empty()).count() > 1;
            let name: String = pieces.into_iter().flatten().collect();
            let parts = vec![if folds { name.to_lowercase() } else { name }];
            let one = Computed { span: self.tree.core_span(call), parts, is_short: false, of_space: None };
            self.facts.computed.extend(is_joined.then_some(one));
            return;
        }
        // What is known on both sides of a place is one part.
        pieces.dedup_by(|next, known| match (known, next) {
            (Some(known), Some(next)) => {
                known.push_str(next);
                true
            }
            _ => false,
        });
        let fold = |piece: &str| if folds { piece.to_lowercase() } else { piece.to_owned() };
        let mut parts: Vec<String> =
            pieces.iter().flatten().filter(|piece| !piece.is_empty()).map(|one| fold(one)).collect();
        if pieces.first().is_none_or(|first| first.as_ref().is_none_or(String::is_empty)) {
            parts.insert(0, String::new());
        }
        if pieces.last().is_none_or(|last| last.as_ref().is_none_or(String::is_empty)) {
            parts.push(String::new());
        }
        let letters: usize = parts.iter().map(|part| part.chars().filter(|c| c.is_alphabetic()).count()).sum();
        // `*~A*` is a special variable.
        let has_ends =
            parts.len() > 1 && parts.first().zip(parts.last()).is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
        // `s-~A` is a name of the package `s`.
        let begins_package = parts.first().is_some_and(|first| first.len() > 1 && first.ends_with(['-', '/', ':']));
        let is_short = letters < FEWEST && !has_ends && !begins_package;
        if !is_short || parts.len() == 2 && parts.iter().any(|part| !part.is_empty()) {
            self.facts.computed.push(Computed { span: self.tree.core_span(call), parts, is_short, of_space: None });
        }
    }

    /// The arguments of a function that spell what it makes: not the package, nor what a control string formats.
    /// Each is with whether directives in it are formatted.
    fn spelling(&self, head: &str, mut arguments: Vec<Part>) -> Vec<Part> {
        let directive = rules(self.dialect).directive;
        let has_directives = |part: &Part| {
            part.datum().is_some_and(|datum| {
                self.tree.kind(datum.core) == TokenKind::String && self.source(datum).contains(directive)
            })
        };
        let most = match head {
            "intern" | "intern*" | "intern-soft" | "find-symbol" | "find-symbol*" => Some(1),
            head if head.starts_with("format") => arguments.iter().position(has_directives).map(|at| at + 1),
            _ => None,
        };
        arguments.truncate(most.unwrap_or(arguments.len()));
        // `(symbol "shop.core" name)`, `(ns-resolve 'shop.core name)`: the namespace is no part of the name.
        if ["symbol", "ns-resolve"].contains(&head) && arguments.len() > 1 {
            arguments.drain(..arguments.len() - 1);
        }
        let is_formatted = head.starts_with("format");
        let formatted = |part| match part {
            Part::Datum(datum, _) => Part::Datum(datum, is_formatted),
            part => part,
        };
        arguments.into_iter().map(formatted).collect()
    }

    /// What spells the text that a function makes of these arguments.
    fn spelled(&self, head: &str, spelling: Spelling, arguments: Vec<Part>) -> Vec<Part> {
        let datum = |at: usize| arguments.get(at).and_then(Part::datum);
        let part = |at: usize| datum(at).map_or(Part::Unknown, |datum| Part::Datum(datum, false));
        match spelling {
            Spelling::All => self.spelling(head, arguments),
            Spelling::Printed | Spelling::Named => {
                let keyword = |part: &Part| {
                    let datum = part.datum().filter(|datum| datum.list().is_none())?;
                    let text = self.source(datum);
                    let name = text.strip_prefix(':')?;
                    Some(Part::Text(if spelling == Spelling::Named { name } else { text }.to_owned()))
                };
                arguments.into_iter().map(|part| keyword(&part).unwrap_or(part)).collect()
            }
            Spelling::Joined { list, between, maps } => {
                // `(join parts)`
                let (list, between) = if arguments.len() == 1 { (0, 1) } else { (list, between) };
                let Some(elements) = datum(list).and_then(|list| self.elements_of(list)) else {
                    return vec![Part::Unknown];
                };
                let is_same = !maps || datum(0).is_some_and(|function| SAME.contains(&self.source(function)));
                let mut parts = Vec::new();
                for (at, element) in elements.into_iter().enumerate() {
                    if at > 0 && arguments.len() > 1 {
                        parts.push(part(between));
                    }
                    parts.push(if is_same { element } else { Part::Unknown });
                }
                parts
            }
            Spelling::Replaced { pattern, with, text } => {
                let pattern = datum(pattern).map_or("", |pattern| {
                    let written = &self.text[self.tree.datum_span(pattern).range()];
                    written.split_once('"').map_or("", |(_, pattern)| pattern.trim_end_matches('"'))
                });
                let with = part(with);
                let mut arguments = arguments;
                let text = if text < arguments.len() { arguments.swap_remove(text) } else { Part::Unknown };
                match pattern {
                    pattern if BEGINS.contains(&pattern) => vec![with, text],
                    pattern if ENDS.contains(&pattern) => vec![text, with],
                    _ => vec![Part::Unknown],
                }
            }
            Spelling::Tail => {
                let letters = datum(1).and_then(|number| self.source(number).parse().ok());
                let has_end = arguments.len() > 2;
                match (letters, arguments.into_iter().next()) {
                    (Some(letters), Some(text)) => {
                        let end = has_end.then_some(Part::Unknown);
                        [Part::Skip(letters), text].into_iter().chain(end).collect()
                    }
                    _ => vec![Part::Unknown],
                }
            }
            Spelling::Applied => {
                let function = datum(0).map_or("", |function| self.source(function));
                let Some((head, spelling)) = spelling_of(function).filter(|(_, one)| *one != Spelling::Applied) else {
                    return vec![Part::Unknown];
                };
                let list = arguments.last().and_then(Part::datum).and_then(|list| self.elements_of(list));
                let mut arguments: Vec<Part> = arguments.into_iter().skip(1).collect();
                arguments.pop();
                arguments.extend(list.unwrap_or_else(|| vec![Part::Unknown]));
                self.spelled(head, spelling, arguments)
            }
        }
    }

    /// The elements of a list that is written: `["a" b]`, `'("a" "b")`, `(list "a" b)`.
    fn elements_of(&self, datum: Datum) -> Option<Vec<Part>> {
        let list = datum.list()?;
        let all = self.data(list).map(|datum| Part::Datum(datum, false));
        let is_data = self.opener(datum) == "[" || self.is_prefixed(datum, Prefix::Quote);
        let head = self.data(list).next().filter(|head| head.list().is_none()).map(|head| self.source(head));
        match head {
            _ if is_data => Some(all.collect()),
            Some(head) if LISTS.contains(&head) => Some(all.skip(1).collect()),
            Some("cons") => Some(all.skip(1).take(1).chain([Part::Unknown]).collect()),
            _ => None,
        }
    }

    /// What spells the text of which a step of a threading form makes a symbol: `(-> (str "shop-" kind) symbol resolve)`.
    fn threaded_text(&self, steps: Vec<Datum>, place: Place) -> Option<Vec<Part>> {
        let called = |step: Datum| match step.list() {
            Some(list) => self.data(list).next().map(|head| self.source(head)),
            None => Some(self.source(step)),
        };
        let makes = |step: &Datum| called(*step).is_some_and(|head| MAKERS.contains(&head) || FINDERS.contains(&head));
        let (&first, steps) = steps.split_first()?;
        let until = steps.iter().position(makes)?;
        let mut text = vec![Part::Datum(first, false)];
        for step in &steps[..until] {
            let Some((head, spelling)) = called(*step).and_then(spelling_of) else {
                text = vec![Part::Unknown];
                continue;
            };
            let inner = step.list().map(|list| self.data(list).skipping(1));
            let mut arguments: Vec<Part> = inner.into_iter().flatten().map(|one| Part::Datum(one, false)).collect();
            let at = match place {
                Place::First => 0,
                Place::Last => arguments.len(),
            };
            arguments.insert(at, Part::Group(text));
            text = self.spelled(head, spelling, arguments);
        }
        Some(text)
    }

    /// The text that a variable holds at a call, as far as it is written there: a form around the call binds or sets it,
    /// or the file defines it.
    fn text_in(&self, name: &str, call: Datum) -> Option<Datum> {
        let at = self.tree.core_span(call).start;
        let is_text = |value: &Datum| match value.list() {
            Some(list) => self.data(list).next().is_some_and(|head| spelling_of(self.source(head)).is_some()),
            None => self.tree.kind(value.core) == TokenKind::String,
        };
        let after = |list: ListId| {
            let data: Vec<Datum> = self.data(list).collect();
            let is_it = |one: &Datum| one.list().is_none() && one.is_bare() && self.source(*one) == name;
            data.windows(2).rev().find(|pair| is_it(&pair[0]) && is_text(&pair[1])).map(|pair| pair[1])
        };
        let top = self.tree.top_level().find(|datum| self.tree.datum_span(*datum).end > at)?.list()?;
        let inside = (top..self.tree.lists().len() as ListId).take_while(|list| self.tree.list_span(*list).start < at);
        let bound = inside.filter_map(after).last();
        bound.or_else(|| {
            let defines =
                |list: &ListId| self.data(*list).next().is_some_and(|head| self.source(head).starts_with("def"));
            self.tree.top_level().filter_map(Datum::list).filter(defines).find_map(|list| {
                let second = self.data(list).nth(1)?;
                (second.list().is_none() && self.source(second) == name).then(|| after(list)).flatten()
            })
        })
    }

    /// Notes the names that a search through all symbols is for, as far as a test in it says which.
    fn note_search(&mut self, call: Datum, arguments: Data<'t>) {
        let text = |datum: Option<Datum>| {
            let datum = datum.filter(|datum| self.tree.kind(datum.core) == TokenKind::String)?;
            Some(self.source(datum).trim_matches('"'))
        };
        let head = call.list().and_then(|list| self.data(list).next()).map_or("", |head| self.source(head));
        let mut found: Vec<Vec<&str>> = Vec::new();
        let own = text(arguments.clone().next());
        match head {
            "all-completions" => found.extend(own.map(|begin| vec![begin, ""])),
            _ => found.extend(own.and_then(begin_of).map(|begin| vec![begin, ""])),
        }
        let mut waiting: Vec<Datum> = arguments.collect();
        while let Some(datum) = waiting.pop() {
            let Some(list) = datum.list() else { continue };
            let mut data = self.data(list);
            waiting.extend(data.clone());
            let head = data.next().filter(|head| head.list().is_none()).map_or("", |head| self.source(head));
            let Some(known) = text(data.next()) else { continue };
            match head {
                head if BEGIN_TESTS.contains(&head) => found.push(vec![known, ""]),
                head if END_TESTS.contains(&head) => found.push(vec!["", known]),
                head if PATTERN_TESTS.contains(&head) => found.extend(begin_of(known).map(|begin| vec![begin, ""])),
                _ => {}
            }
        }
        let span = self.tree.core_span(call);
        for parts in found.into_iter().filter(|parts| parts.iter().any(|part| !part.is_empty())) {
            let parts = parts.into_iter().map(str::to_owned).collect();
            self.facts.computed.push(Computed { span, parts, is_short: false, of_space: None });
        }
    }

    /// Notes that a call reads the names of a namespace that is written there: `*ns*` or `'shop.core`.
    fn note_read(&mut self, call: Datum, mut arguments: Data<'t>) {
        let Some(datum) = arguments.next().filter(|datum| datum.list().is_none()) else { return };
        let span = self.tree.core_span(call);
        let name = self.source(datum);
        let of_space = match name {
            "*ns*" => self.facts.space_at(span.start).to_owned(),
            name if !datum.is_bare() => name.to_owned(),
            _ => return,
        };
        let parts = vec![String::new(); 2];
        self.facts.computed.push(Computed { span, parts, is_short: false, of_space: Some(of_space) });
    }
}

/// Leaves out the namespace before the name: `shop.core/`.
fn unqualify(pieces: &mut Vec<Option<String>>) {
    let slash = |piece: &Option<String>| piece.as_ref().and_then(|text| text.find('/'));
    if let Some((at, cut)) = pieces.iter().enumerate().find_map(|(at, piece)| Some((at, slash(piece)?))) {
        pieces.drain(..at);
        if let Some(Some(first)) = pieces.first_mut() {
            first.drain(..=cut);
        }
    }
}

/// The letters with which each text begins that a regular expression of Emacs fits, if it says so.
fn begin_of(pattern: &str) -> Option<&str> {
    let rest = BEGINS.iter().find_map(|begin| pattern.strip_prefix(begin))?;
    let end = rest.find(['.', '*', '+', '?', '[', '^', '$', '\\']).unwrap_or(rest.len());
    let is_repeated = rest[end..].starts_with(['*', '+', '?']);
    // What may be repeated may be absent.
    let known = rest[..end].chars().count() - usize::from(is_repeated && end > 0);
    rest.char_indices().nth(known).map_or(Some(&rest[..end]), |(at, _)| Some(&rest[..at]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_parts_are_in_their_order() {
        let check = |parts: &[&str], name: &str, expected: bool| {
            let parts = parts.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(
                Computed { span: Span::new(0, 0), parts, is_short: false, of_space: None }.may_be(name, "", true),
                expected,
                "{name}"
            );
        };
        check(&["handle-", ""], "HANDLE-CLICK", true);
        check(&["handle-", ""], "rehandle-click", false);
        check(&["", "-mode"], "text-mode", true);
        check(&["", "-mode"], "text-modes", false);
        check(&["evil-", "-state"], "evil-normal-state", true);
        check(&["evil-", "-state", ""], "evil-normal-state-map", true);
        check(&["evil-", "-state"], "evil-normal-states", false);
    }
}

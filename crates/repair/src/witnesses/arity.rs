//! How many arguments the heads of a broken form take: by the definitions of the file, by the language, and by what the
//! file shows.
//!
//! A closer that is lost in the middle of a line looks like one that is lost at its end: `(if (null x y))`. What tells
//! them apart is that `null` takes one argument. So a list that ends after a number of arguments which its head does not
//! take costs as much as such lists are rare in the corpora.

use lispwright_syntax::dialects::Square;
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Language, TokenKind};
use memchr::memmem;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::text::code::{Token, name_of, spelling, tokens};
use crate::witnesses::habits::Habits;
use crate::witnesses::question::{MOST_ARGUMENTS, argument};

/// Index of a row of [`Arities`]; 0 for a head of which nothing is known.
pub(crate) type ArityId = u16;

/// Any number of arguments.
const ANY: u32 = u32::MAX;

/// How many arguments a head takes, and what other numbers cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arity {
    fewest: u32,
    most: u32,
    /// The cost of fewer and of more.
    few: f32,
    many: f32,
    /// The numbers that the file shows, as bits; all from [`MOST_ARGUMENTS`] on are one.
    seen: u32,
    /// The cost of another number that is allowed.
    unseen: f32,
    /// After so many, the arguments come in pairs.
    pairs: Option<u32>,
}

/// Nothing is known, and nothing costs anything.
const UNKNOWN: Arity = Arity { fewest: 0, most: ANY, few: 0.0, many: 0.0, seen: 0, unseen: 0.0, pairs: None };

/// The cost of a number of arguments that the definition forbids, as `-ln` of its share in the corpora: of 1,000 such calls
/// between one and ten differ, nearly all of them words of other languages inside Lisp.
const FORBIDDEN: f32 = 6.5;
/// The same if the file shows that number.
const FORBIDDEN_SEEN: f32 = 0.5;
/// After `n` calls with one number of arguments, the next has another in this share of `n`; with several, in so many times it.
const ANOTHER: f32 = 0.15;
const ANOTHER_ALLOWED: f32 = 0.3;
/// What is observed is one of several costs that depend on each other.
const TRUST: f32 = 0.8;
/// Names of functions that begin lists which are no calls as often.
const UNCLEAR: [&str; 2] = ["eql", "function"];

impl Arity {
    fn of(head: u64, limits: Option<Limits>, pairs: Option<u32>, habits: &Habits) -> Self {
        let (mut seen, mut total, mut distinct) = (0u32, 0.0, 0);
        for count in 0..=MOST_ARGUMENTS {
            let [_, times] = habits.ends(argument(head, count));
            if times > 0.0 {
                (seen, total, distinct) = (seen | 1 << count, total + times, distinct + 1);
            }
        }
        let (fewest, most) = limits.unwrap_or((0, ANY));
        let odd = |count: u32| pairs.is_some_and(|from| count > from && (count - from) % 2 == 1);
        let breaks = |count: u32| {
            let forbidden = count < fewest || (most != ANY && count > most) || (count < MOST_ARGUMENTS && odd(count));
            seen >> count & 1 == 1 && forbidden
        };
        let forbidden = match (0..=MOST_ARGUMENTS).any(breaks) {
            true => FORBIDDEN_SEEN,
            false => FORBIDDEN,
        };
        let share = if limits.is_some() { ANOTHER_ALLOWED } else { ANOTHER } * distinct as f32;
        let another = (share / (total + 0.5)).min(1.0);
        let unseen = if fewest == most { 0.0 } else { -TRUST * another.ln() };
        Self { fewest, most, few: forbidden, many: forbidden, seen, unseen, pairs }
    }

    /// The cost of one argument more, after which there are `count`.
    pub(crate) fn goes_on(&self, count: u32) -> f32 {
        if self.most != ANY && count == self.most + 1 { self.many } else { 0.0 }
    }

    /// The cost of an end after `count` arguments.
    pub(crate) fn ends(&self, count: u32) -> f32 {
        if count < self.fewest || self.is_odd(count) {
            self.few
        } else if count <= self.most && self.seen != 0 && self.seen >> count.min(MOST_ARGUMENTS) & 1 == 0 {
            self.unseen
        } else {
            0.0
        }
    }

    /// The head does not take so many arguments.
    pub(crate) fn forbids(&self, count: u32) -> bool {
        self.few > FORBIDDEN_SEEN && (count < self.fewest || count > self.most || self.is_odd(count))
    }

    /// The last argument lacks its pair.
    fn is_odd(&self, count: u32) -> bool {
        self.pairs.is_some_and(|from| count > from && (count - from) % 2 == 1)
    }
}

/// What is known of the heads of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arities {
    ids: FxHashMap<u64, ArityId>,
    rows: Vec<Arity>,
}

impl Arities {
    pub(crate) fn id(&self, head: u64) -> ArityId {
        if self.ids.is_empty() { 0 } else { self.ids.get(&head).copied().unwrap_or(0) }
    }

    pub(crate) fn row(&self, id: ArityId) -> &Arity {
        self.rows.get(id as usize).unwrap_or(&UNKNOWN)
    }

    /// What is known of the heads of `forms`, which are tokens of `text`; `habits` are those of the file, and `whole` is all
    /// of it.
    pub(crate) fn of<'a>(
        (text, whole): (&str, &str),
        forms: impl Iterator<Item = &'a [Token]> + Clone,
        habits: &Habits,
        language: &Language,
    ) -> Self {
        let mut found = Self::default();
        if language.dialect().table().shapes.functions.is_empty() {
            return found;
        }
        let mut heads: FxHashMap<u64, &Token> = FxHashMap::default();
        for form in forms.clone() {
            let begins = |pair: &&[Token]| pair[0].kind == TokenKind::OpenParen && pair[1].head != 0;
            heads.extend(form.windows(2).filter(begins).map(|pair| (pair[1].head, &pair[1])));
        }
        let mut definitions = Definitions::new(language);
        definitions.look_in(whole, |name| heads.contains_key(&name));
        for form in forms {
            definitions.forget(form);
        }
        let table = language.dialect().table();
        // A keyword that is called looks itself up.
        let keys = table.square == Square::Bindings;
        let pairs = table.shapes.even.split_whitespace().filter_map(|row| {
            let (head, from) = row.split_once(':')?;
            Some((name_of(head.as_bytes()), from.parse::<u32>().ok()?))
        });
        let pairs: FxHashMap<u64, u32> = pairs.collect();
        let unclear: FxHashSet<u64> = UNCLEAR.iter().map(|name| name_of(name.as_bytes())).collect();
        for (head, token) in heads {
            let source = &text[token.start as usize..token.end as usize];
            let limits = match definitions.found.get(&head) {
                _ if definitions.obscure.contains(&head) => None,
                Some(limits) => Some(*limits),
                None if unclear.contains(&head) => None,
                None if !token.is_symbol() => keys.then_some((1, 2)),
                None => of_language(language.known_head(source).unwrap_or(source), language),
            };
            let is_defined = definitions.found.contains_key(&head) || definitions.obscure.contains(&head);
            let pairs = pairs.get(&head).copied().filter(|_| !is_defined);
            found.add(head, Arity::of(head, limits, pairs, habits));
        }
        found
    }

    fn add(&mut self, head: u64, row: Arity) {
        if self.rows.is_empty() {
            self.rows.push(UNKNOWN);
        }
        if let Ok(id) = ArityId::try_from(self.rows.len()) {
            self.rows.push(row);
            self.ids.insert(head, id);
        }
    }
}

/// The fewest and the most arguments of what is defined.
type Limits = (u32, u32);

/// In bytes: the beginning of a definition that is read.
const BEGINNING: usize = 800;

/// The definitions of a text, by the names that they give: what calls of them pass.
struct Definitions<'l> {
    language: &'l Language,
    /// The heads of definitions, and which argument has the parameters.
    heads: FxHashMap<u64, u32>,
    lambdas: FxHashSet<u64>,
    found: FxHashMap<u64, Limits>,
    /// Defined in a way that does not show what calls pass.
    obscure: FxHashSet<u64>,
}

impl<'l> Definitions<'l> {
    fn new(language: &'l Language) -> Self {
        let rows = language.dialect().table().shapes.functions.split_whitespace();
        let heads = rows.filter_map(|row| {
            let (head, at) = row.split_once(':')?;
            Some((name_of(head.as_bytes()), at.parse().ok()?))
        });
        let lambdas = ["lambda", "lambda*", "λ"].iter().map(|head| name_of(head.as_bytes())).collect();
        Self { language, heads: heads.collect(), lambdas, found: FxHashMap::default(), obscure: FxHashSet::default() }
    }

    /// Looks for the definitions in `text`, at whatever depth, of names that are `wanted`.
    fn look_in(&mut self, text: &str, wanted: impl Fn(u64) -> bool) {
        let comment = self.language.dialect().comment();
        let ends_name = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"') || c == comment;
        for at in memmem::find_iter(text.as_bytes(), "def") {
            let Some(open) = text[..at].rfind(ends_name).filter(|open| text.as_bytes()[*open] == b'(') else {
                continue;
            };
            let head = &text[open + 1..];
            let head = &head[..head.find(ends_name).unwrap_or(head.len())];
            let Some(&place) = self.heads.get(&name_of(head.as_bytes())) else { continue };
            let rest = text[open + 1 + head.len()..].trim_start();
            let name = if place == 1 { rest.trim_start_matches('(') } else { rest };
            let name = &name[..name.find(ends_name).unwrap_or(name.len())];
            if name.is_empty() || !wanted(name_of(name.as_bytes())) {
                continue;
            }
            let most = (open + BEGINNING).min(text.len());
            let end = (open..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
            let beginning = &text[open..end];
            let tokens = tokens(beginning, self.language);
            self.take(beginning, &tokens, 1);
        }
    }

    /// Takes the definition whose head is token `at`.
    fn take(&mut self, text: &str, tokens: &[Token], at: usize) {
        let Some(&place) = tokens.get(at).and_then(|head| self.heads.get(&head.name)) else { return };
        let named = at + 1 + usize::from(place == 1 && tokens.get(at + 1).is_some_and(|next| next.kind.is_open()));
        let Some(name) = tokens.get(named).filter(|name| name.is_symbol()) else { return };
        let limits = match (place, named - at) {
            (1, 2) => self.parameters(text, tokens, named),
            (1, _) => self.of_lambda(text, tokens, named + 1),
            _ => self.after_name(text, tokens, named + 1),
        };
        match limits {
            Some(limits) => self.add(name.head, limits),
            None => drop(self.obscure.insert(name.head)),
        }
    }

    /// Takes for obscure what a broken form defines.
    fn forget(&mut self, form: &[Token]) {
        let defines =
            |at: &usize| form[*at - 1].kind == TokenKind::OpenParen && self.heads.contains_key(&form[*at].name);
        let names = (1..form.len())
            .filter(defines)
            .filter_map(|at| form[at + 1..].iter().find(|token| !token.kind.is_open()).filter(|name| name.is_symbol()));
        let names: Vec<u64> = names.map(|name| name.head).collect();
        self.obscure.extend(names);
    }

    fn add(&mut self, name: u64, (fewest, most): Limits) {
        let known = self.found.entry(name).or_insert((fewest, most));
        *known = (known.0.min(fewest), known.1.max(most));
    }

    /// The limits of the function at token `at`, if that is a function.
    fn of_lambda(&self, text: &str, tokens: &[Token], at: usize) -> Option<Limits> {
        let head = tokens.get(at + 1).filter(|head| self.lambdas.contains(&head.name));
        head?;
        let list = tokens.get(at + 2)?;
        list.kind.is_open().then(|| self.parameters(text, tokens, at + 2))?
    }

    /// The limits by the first list of parameters after the name, or by all of several.
    fn after_name(&self, text: &str, tokens: &[Token], mut at: usize) -> Option<Limits> {
        let vectors = self.language.dialect().table().square == Square::Bindings;
        let mut all: Option<Limits> = None;
        while let Some(token) = tokens.get(at) {
            match token.kind {
                kind if kind.is_close() => break,
                TokenKind::OpenBracket if vectors && all.is_none() => return self.parameters(text, tokens, at),
                TokenKind::OpenParen if !vectors => return self.parameters(text, tokens, at),
                TokenKind::OpenParen if tokens.get(at + 1)?.kind == TokenKind::OpenBracket => {
                    let (fewest, most) = self.parameters(text, tokens, at + 1)?;
                    let (low, high) = all.unwrap_or((fewest, most));
                    all = Some((low.min(fewest), high.max(most)));
                }
                TokenKind::OpenParen => return all,
                _ => {}
            }
            at = past(tokens, at)?;
        }
        all
    }

    /// The limits by the list of parameters that token `open` begins, or by a list that begins with the name `open`.
    fn parameters(&self, text: &str, tokens: &[Token], open: usize) -> Option<Limits> {
        let optional_in_brackets = self.language.dialect().table().square == Square::Lists;
        let (mut fewest, mut most, mut optional) = (0, 0, false);
        let mut at = open + 1;
        loop {
            let token = tokens.get(at)?;
            let source = &text[token.start as usize..token.end as usize];
            match token.kind {
                kind if kind.is_close() => return Some((fewest, most)),
                _ if token.aside || token.kind.is_prefix() => {}
                TokenKind::Atom => match source.to_ascii_lowercase().as_str() {
                    "&optional" | "#:optional" | "#!optional" => optional = true,
                    "&rest" | "&body" | "&key" | "&" | "." | "#:key" | "#:rest" | "#!rest" | "#!key" => {
                        return Some((fewest, ANY));
                    }
                    "&aux" => return Some((fewest, most)),
                    "&environment" | "&whole" => at = past(tokens, at)?,
                    "&context" => return None,
                    other if other.starts_with([':', '#', '&', '"']) => return None,
                    _ => {
                        fewest += u32::from(!optional);
                        most += 1;
                    }
                },
                TokenKind::OpenBracket if optional_in_brackets => most += 1,
                kind if kind.is_open() => {
                    fewest += u32::from(!optional);
                    most += 1;
                }
                _ => return None,
            }
            at = past(tokens, at)?;
        }
    }
}

/// The index of the token after the datum that begins at token `at`.
fn past(tokens: &[Token], at: usize) -> Option<usize> {
    let mut depth = 0i32;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        depth += i32::from(token.kind.is_open()) - i32::from(token.kind.is_close());
        if depth < 0 {
            return None;
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// What the language says of a symbol.
fn of_language(symbol: &str, language: &Language) -> Option<Limits> {
    let dialect = language.dialect();
    if let Some(rows) = language.rows(&canonical_head(dialect, symbol)) {
        let limits = rows.iter().map(|row| row.arguments());
        let fewest = limits.clone().map(|(fewest, _)| fewest as u32).min()?;
        return Some((fewest, limits.map(|(_, most)| most.map_or(ANY, |most| most as u32)).max()?));
    }
    let name = spelling(symbol);
    let operator = match dialect.folds_case() {
        true => dialect.standard_operator(&name.to_ascii_lowercase()),
        false => dialect.standard_operator(name),
    }?;
    Some((operator.fewest as u32, operator.most.map_or(ANY, |most| most as u32)))
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    /// What the definitions of a text take, as `name fewest most`; `any` for any number.
    fn defined(dialect: Dialect, text: &str) -> Vec<String> {
        let language = dialect.into();
        let mut definitions = Definitions::new(&language);
        definitions.look_in(text, |_| true);
        let names = tokens(text, &language);
        let mut shown: Vec<String> = names
            .iter()
            .filter_map(|token| {
                let name = &text[token.start as usize..token.end as usize];
                let (fewest, most) = definitions.found.get(&token.head)?;
                let most = if *most == ANY { "any".to_owned() } else { most.to_string() };
                Some(format!("{name} {fewest} {most}"))
            })
            .collect();
        shown.sort();
        shown.dedup();
        shown
    }

    #[test]
    fn definitions_tell_how_many_arguments_their_calls_have() {
        let lisp = "(defun f (a &optional b) a)\n(defmacro g ((a b) &body body) a)\n(defmethod h :after ((a k) b) a)\n\
                    (defun i (a &key b) a)\n(defun (setf j) (a b) a)\n(defun k () 1)\n";
        assert_eq!(defined(Dialect::CommonLisp, lisp), ["f 1 2", "g 1 any", "h 2 2", "i 1 any", "k 0 0"]);
        let scheme = "(define (f a . rest) a)\n(define* (g a #:optional (b 1)) a)\n(define h (lambda (a b) a))\n(define i (make))\n";
        assert_eq!(defined(Dialect::Scheme, scheme), ["f 1 any", "g 1 2", "h 2 2"]);
        let clojure =
            "(defn f \"Doc.\" [a {:keys [b]}] a)\n(defn- g ([a] a) ([a b & more] a))\n(defmacro h [^String a] a)\n";
        assert_eq!(defined(Dialect::Clojure, clojure), ["f 2 2", "g 1 any", "h 1 1"]);
        assert_eq!(
            defined(Dialect::EmacsLisp, "(cl-defmethod f ((a k) b) a)\n(defsubst g (a) a)\n"),
            ["f 2 2", "g 1 1"]
        );
        assert_eq!(defined(Dialect::Racket, "(define (f a [b 1] #:c [c 2]) a)\n(define-inline (g a) a)\n"), ["g 1 1"]);
    }

    #[test]
    fn other_numbers_cost_unless_the_file_shows_them() {
        let language = Dialect::CommonLisp.into();
        let habits = Habits::knowing(&Dialect::CommonLisp.into());
        let text = "(f (null a b) (setq c 1 d) (list) (own a))";
        let read = tokens(text, &language);
        let whole = "(defun own (a b) a)\n(f (null a b) (setq c 1 d) (list) (own a))";
        let arities = Arities::of((text, whole), std::iter::once(&read[..]), &habits, &language);
        let row = |name: &str| arities.row(arities.id(name_of(name.as_bytes())));
        assert!(row("null").forbids(2) && row("null").goes_on(2) > 5.0 && !row("null").forbids(1));
        assert!(row("setq").forbids(3) && row("setq").ends(3) > 5.0 && !row("setq").forbids(4));
        assert!(row("own").forbids(1) && !row("own").forbids(2));
        assert!(!row("list").forbids(0) && !row("f").forbids(9));
    }
}

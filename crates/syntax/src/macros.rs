//! Finds the macros of a text that define something, and the shape of their calls.
//!
//! The template of a macro shows it: ``(defmacro define-widget (name &body body) `(progn (defclass ,name () ,@body)))``
//! uses its first argument as the name of a class, so `(define-widget button ...)` defines the class `button`. Nothing
//! is expanded or guessed: the head in the template has to be a known definer, and the name an unchanged argument of
//! the macro. A macro without a visible template, or with a computed name, is ignored.

mod pattern;
mod template;

use crate::datum::Datum;
use crate::definer::{Place, Shape, Wrapper, wrapper};
use crate::definers::{Definer, Definers};
use crate::language::Language;
use crate::name::canonical_head;
use crate::token::TokenKind;
use crate::tree::{ListId, Tree};
use pattern::Pattern;
use template::Notation;

/// At most so many data of a list are examined.
const MOST_DATA: usize = 128;

/// The definers among the macros of `text`, from which `tree` was read.
pub(crate) fn definers(tree: &Tree, text: &[u8]) -> Definers {
    let mut reading = Reading { tree, text, language: tree.language().clone() };
    let mut found = Definers::default();
    let mut open = vec![tree.top_level()];
    while let Some(data) = open.last_mut() {
        let Some(datum) = data.next() else {
            open.pop();
            continue;
        };
        let Some(list) = datum.list().filter(|_| tree.kind(datum.first) != TokenKind::Prefix) else { continue };
        let Some(head) = reading.head(list) else { continue };
        let known = tree.dialect().head(&head);
        if let Some(shape) = known.defines_macro {
            let own = reading.learn(list, shape);
            reading.language = reading.language.with(&own);
            found.extend(&own);
        } else if let Some(Wrapper::Body(skip)) = known.wrapper {
            open.push(tree.data(list).skipping(skip + 1));
        }
    }
    found
}

/// A text whose macros are examined.
struct Reading<'t> {
    tree: &'t Tree,
    text: &'t [u8],
    /// The language with the definers found so far.
    language: Language,
}

/// A definition in a template: the definer that the macro becomes by it, and the place of the name in its calls.
struct Found {
    name: Place,
    definer: Definer,
}

impl<'t> Reading<'t> {
    /// The definer that `list`, the definition of a macro, in a form of this shape, makes of the macro.
    fn learn(&self, list: ListId, shape: Shape) -> Definers {
        let mut own = Definers::default();
        let data: Vec<Datum> = self.data(list).skip(1).collect();
        let Some(name) = data.first().and_then(|&first| self.atom(self.first_of(first).unwrap_or(first))) else {
            return own;
        };
        let head = canonical_head(self.tree.dialect(), name);
        if self.language.is_settled(&head) || wrapper(self.tree.dialect(), &head).is_some() {
            return own;
        }
        let found: Vec<Found> = match shape {
            Shape::Define => self.in_rules(name, &data),
            Shape::ClojureFunction => self.in_arities(&data[1..]),
            _ => data.get(1).and_then(|&list| self.in_body(&self.lambda_list(list)?, &data[2..])).into_iter().collect(),
        };
        if let Some(first) = found.first()
            && found.iter().all(|other| other.name.at == first.name.at)
        {
            own.add(head.into_owned(), first.definer.clone());
        }
        own
    }

    /// Clojure: a vector of parameters with its body, or several such pairs, each in a list.
    fn in_arities(&self, data: &[Datum]) -> Vec<Found> {
        let is_vector = |datum: Datum| self.tree.kind(datum.core) == TokenKind::OpenBracket;
        if let Some(at) = data.iter().take(3).position(|&datum| is_vector(datum)) {
            let found = self.lambda_list(data[at]).and_then(|pattern| self.in_body(&pattern, &data[at + 1..]));
            return found.into_iter().collect();
        }
        let arities = data.iter().filter_map(|datum| datum.list()).map(|list| self.data(list).collect::<Vec<_>>());
        let arities = arities.filter(|arity| arity.first().is_some_and(|&first| is_vector(first)));
        arities.filter_map(|arity| self.in_body(&self.lambda_list(arity[0])?, &arity[1..])).collect()
    }

    /// Scheme: a pattern with the name inside, followed by a template or a body, or clauses of a pattern and a
    /// template.
    fn in_rules(&self, name: &str, data: &[Datum]) -> Vec<Found> {
        let mut found = Vec::new();
        if let Some(header) = data[0].list() {
            let pattern = self.pattern(self.data(header).skip(1));
            found.extend(self.in_rule(&pattern, &data[1..]).or_else(|| self.in_body(&pattern, &data[1..])));
        }
        let mut open: Vec<ListId> = data[1..].iter().rev().filter_map(|datum| datum.list()).collect();
        while let Some(list) = open.pop() {
            let clause: Vec<Datum> = self.data(list).collect();
            let head = clause.first().and_then(|&pattern| self.atom(self.first_of(pattern)?));
            let pattern = clause.first().and_then(|datum| datum.list());
            if let Some(pattern) = pattern.filter(|_| head == Some("_") || head == Some(name)) {
                let pattern = self.pattern(self.data(pattern).skip(1));
                // A rule whose pattern begins with a string is only for calls by other rules.
                let is_inner = |datum: &Datum| self.tree.kind(datum.core) == TokenKind::String;
                found.extend(
                    self.in_rule(&pattern, &clause[1..]).filter(|_| !pattern.data.first().is_some_and(is_inner)),
                );
            } else {
                open.extend(clause.iter().rev().filter_map(|datum| datum.list()));
            }
        }
        found
    }

    /// A definition in the body of a rule, which is a template or contains `#'(...)`.
    fn in_rule(&self, pattern: &Pattern<'t>, body: &[Datum]) -> Option<Found> {
        let template = body.last().filter(|last| last.is_bare()).and_then(|last| last.list());
        let found = template.and_then(|template| self.definition(template, Notation::Bare, pattern));
        found.or_else(|| self.in_templates(pattern, body, Notation::Bare))
    }

    /// A definition in the body of a macro, which is code that contains templates.
    fn in_body(&self, pattern: &Pattern<'t>, body: &[Datum]) -> Option<Found> {
        self.in_templates(pattern, body, Notation::Unquoted)
    }

    fn data(&self, list: ListId) -> impl Iterator<Item = Datum> + use<'t> {
        self.tree.data(list).take(MOST_DATA)
    }

    fn first_of(&self, datum: Datum) -> Option<Datum> {
        self.tree.data(datum.list()?).next()
    }

    fn source(&self, datum: Datum) -> &'t str {
        std::str::from_utf8(&self.text[self.tree.core_span(datum).range()]).unwrap_or_default()
    }

    /// The source of an atom without prefixes.
    fn atom(&self, datum: Datum) -> Option<&'t str> {
        (datum.is_bare() && self.tree.kind(datum.core) == TokenKind::Atom).then(|| self.source(datum))
    }

    /// The canonical head of a list that begins with a symbol.
    fn head(&self, list: ListId) -> Option<std::borrow::Cow<'t, str>> {
        Some(canonical_head(self.tree.dialect(), self.atom(self.tree.data(list).next()?)?))
    }
}

//! Finds definitions in the templates of a macro.

use super::pattern::{Parameter, Pattern};
use super::{Found, Reading};
use crate::datum::Datum;
use crate::definer::{FormKind, Place, Placed, Shape, Wrapper, wrapper};
use crate::definers::Definer;
use crate::form::{LAMBDAS, SETTERS};
use crate::readtable::Start;
use crate::token::TokenKind;
use crate::tree::ListId;

/// The usual names of macro parameters for the parameters and the docstring of a definition. They count even if the
/// template does not pass them to the definition.
const PARAMETERS: [&str; 5] = ["args", "arglist", "lambda-list", "parameters", "params"];
const DOCSTRINGS: [&str; 5] = ["doc", "docs", "docstring", "doc-string", "documentation"];

/// The notation for parameters in a template.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// In a quasiquotation, after an unquote.
    Unquoted,
    /// Without any mark.
    Bare,
}

/// A datum of a template; a `spliced` one becomes any number of data.
#[derive(Clone, Copy)]
struct Item {
    datum: Datum,
    spliced: bool,
}

/// A definition in a template.
struct Filled<'r, 't> {
    reading: &'r Reading<'t>,
    notation: Notation,
    pattern: &'r Pattern<'t>,
    items: Vec<Item>,
}

impl<'t> Reading<'t> {
    /// The definition in the templates of `body`, if the code around them does not bind or set its name.
    pub(super) fn in_templates(&self, pattern: &Pattern<'t>, body: &[Datum], notation: Notation) -> Option<Found> {
        let (mut templates, mut bound) = (Vec::new(), Vec::new());
        let mut open: Vec<(Datum, bool)> = body.iter().rev().map(|&datum| (datum, false)).collect();
        while let Some((datum, mut inside)) = open.pop() {
            for prefix in self.tree.prefixes(datum).filter(|prefix| prefix.kind == TokenKind::Prefix) {
                let begins = match notation {
                    Notation::Unquoted => "`",
                    Notation::Bare => "#'",
                };
                let token = self.token(prefix.token);
                if token == begins && !inside {
                    templates.extend(datum.list());
                }
                inside = (inside || token == begins) && !self.is_unquote(token);
            }
            let Some(list) = datum.list() else { continue };
            let data: Vec<Datum> = self.data(list).collect();
            let head = self.head(list).unwrap_or_default();
            if inside {
                open.extend(data.iter().rev().map(|&datum| (datum, true)));
                continue;
            }
            let declares = self.tree.dialect().table().shapes.declarations.split_whitespace().any(|word| word == head);
            if !declares {
                let binds = self.tree.kind(datum.core) == TokenKind::OpenBracket;
                let sets = SETTERS.contains(&&*head);
                let from = data.iter().skip(usize::from(sets));
                let names = from.step_by(if binds || sets { 2 } else { usize::MAX });
                bound.extend(names.filter_map(|&datum| self.atom(datum)));
                open.extend(data.iter().rev().map(|&datum| (datum, false)));
            }
        }
        let free = |parameter: &&Parameter<'t>| !bound.iter().any(|name| self.same(name, parameter.name));
        let parameters = pattern.parameters.iter().filter(free).copied().collect();
        let pattern = Pattern { parameters, data: pattern.data.clone() };
        templates
            .into_iter()
            .filter_map(|template| self.definition(template, notation, &pattern))
            .min_by_key(|found| found.name.at)
    }

    /// The definition in a template: the template itself, or a form in it if it only wraps others. Of several, the one
    /// whose name is the earliest argument.
    pub(super) fn definition(&self, template: ListId, notation: Notation, pattern: &Pattern<'t>) -> Option<Found> {
        let mut found = Vec::new();
        let mut open = vec![template];
        while let Some(list) = open.pop() {
            let Some(head) = self.head(list) else { continue };
            if let Some((kind, shape)) = self.language.known_definer(&head) {
                let filled = Filled { reading: self, notation, pattern, items: self.items(list, notation) };
                found.extend(filled.found(&head, kind, shape).filter(|_| kind.defines()));
            } else if let Some(Wrapper::Body(skip)) = wrapper(self.tree.dialect(), &head) {
                let inner: Vec<Datum> = self.data(list).skip(usize::from(skip) + 1).collect();
                open.extend(inner.iter().rev().filter(|datum| datum.is_bare()).filter_map(|datum| datum.list()));
            }
        }
        found.into_iter().min_by_key(|found| found.name.at)
    }

    /// The data of a list after its head.
    fn items(&self, list: ListId, notation: Notation) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut dotted = false;
        for datum in self.data(list).skip(1) {
            match self.atom(datum) {
                Some(".") => dotted = true,
                Some("...") if notation == Notation::Bare => {
                    if let Some(last) = items.last_mut() {
                        last.spliced = true;
                    }
                }
                _ => {
                    let mark = self.tree.kind(datum.first) == TokenKind::Prefix && self.token(datum.first).len() > 1;
                    let spliced =
                        dotted || (notation == Notation::Unquoted && mark && self.is_unquote(self.token(datum.first)));
                    items.push(Item { datum, spliced });
                }
            }
        }
        items
    }

    fn token(&self, token: u32) -> &'t str {
        std::str::from_utf8(&self.text[self.tree.token_span(token).range()]).unwrap_or_default()
    }

    fn is_unquote(&self, token: &str) -> bool {
        let starts = &self.tree.dialect().table().readtable.start;
        token.trim_start_matches('#').bytes().next().is_some_and(|first| starts[usize::from(first)] == Start::Unquote)
    }

    fn same(&self, one: &str, other: &str) -> bool {
        if self.tree.dialect().folds_case() { one.eq_ignore_ascii_case(other) } else { one == other }
    }
}

impl<'t> Filled<'_, 't> {
    /// The definer that the macro becomes by this definition, if the name is an argument of the macro.
    fn found(&self, head: &str, kind: FormKind, shape: Shape) -> Option<Found> {
        let (at, parameters, docstring) = parts(shape)?;
        let direct = self.origin(at);
        let listed = || self.inside(*self.items.get(usize::from(at))?, has_list(shape));
        let name = direct.or_else(listed)?;
        let own = self.reading.language.known_head(head).unwrap_or(head).to_owned();
        let definer = |kind, shape, like| Some(Found { name, definer: Definer { kind, shape, like, stated: false } });
        if self.is_whole() {
            return definer(kind, shape, Some(own));
        }
        let same = self.is_same(0);
        match shape {
            Shape::Define if same && direct.is_none() => return definer(kind, shape, None),
            Shape::Titled(_)
            | Shape::Module
            | Shape::System
            | Shape::ClojureFunction
            | Shape::ClojureRecord
            | Shape::ClojureType
            | Shape::ClojureProtocol
                if same && !self.has_vector() =>
            {
                return definer(kind, shape, None);
            }
            Shape::Titled(_) => return None,
            _ => {}
        }
        let is_value = shape == Shape::Define && kind == FormKind::Function && direct.is_some() && !self.has_lambda();
        let kind = if is_value { FormKind::Variable } else { kind };
        let parameters = match shape {
            Shape::Define => self.items.first().and_then(|item| self.behind_name(*item)),
            _ => parameters.and_then(|at| self.origin(at)),
        };
        let parameters = parameters.or_else(|| self.named(&PARAMETERS).filter(|_| kind.has_parameters()));
        // A string that ends a body is its value.
        let is_body = |at: u8| shape != Shape::Callable || self.items.len() > usize::from(at) + 1;
        let docstring = docstring.filter(|&at| is_body(at)).and_then(|at| self.origin(at));
        let docstring = self.named(&DOCSTRINGS).or(docstring);
        definer(kind, Shape::Placed(Placed { name, parameters, docstring }), None)
    }

    /// The parameter that a datum is, with or without quotes.
    fn parameter(&self, datum: Datum) -> Option<&Parameter<'t>> {
        let reading = self.reading;
        if datum.list().is_some() || reading.tree.kind(datum.core) != TokenKind::Atom {
            return None;
        }
        let mut marks = reading
            .tree
            .prefixes(datum)
            .filter(|prefix| prefix.kind == TokenKind::Prefix)
            .map(|it| reading.token(it.token));
        let mark = marks.find(|&mark| mark != "'");
        let fits = match self.notation {
            Notation::Unquoted => mark.is_some_and(|mark| reading.is_unquote(mark)) && marks.next().is_none(),
            Notation::Bare => mark.is_none(),
        };
        let name = reading.source(datum);
        let is_named = |parameter: &&Parameter<'_>| {
            // Racket's patterns give the syntax class of a variable: `name:id`.
            let plain = parameter.name.split_once(':').filter(|_| self.notation == Notation::Bare);
            reading.same(parameter.name, name) || plain.is_some_and(|(plain, _)| plain == name)
        };
        self.pattern.parameters.iter().filter(|_| fits).find(is_named)
    }

    /// The place of the argument that becomes datum `index` of the definition.
    fn origin(&self, index: u8) -> Option<Place> {
        for (at, item) in (0..=index).zip(&self.items) {
            let parameter = self.parameter(item.datum);
            if item.spliced {
                let Place { at: first, within } = parameter.filter(|parameter| parameter.rest)?.place;
                return Some(Place { at: first + (index - at), within });
            }
            if at == index {
                return parameter.filter(|parameter| !parameter.rest).map(|parameter| parameter.place);
            }
        }
        None
    }

    /// The place of the argument that becomes this item, or, if `listed`, the first datum of it at any depth.
    fn inside(&self, item: Item, listed: bool) -> Option<Place> {
        let mut datum = item.datum;
        while let Some(inner) = self.reading.first_of(datum).filter(|_| listed && datum.is_bare()) {
            datum = inner;
        }
        self.parameter(datum).filter(|parameter| !parameter.rest).map(|parameter| parameter.place)
    }

    /// The place of the argument that becomes the rest of a list after the name: `(name . parameters)`.
    fn behind_name(&self, item: Item) -> Option<Place> {
        let reading = self.reading;
        let mut after = reading.data(item.datum.list()?).skip(1).filter(|&datum| reading.atom(datum) != Some("."));
        let only = after.next().filter(|_| after.next().is_none())?;
        self.parameter(only).filter(|parameter| !parameter.rest).map(|parameter| parameter.place)
    }

    /// The place of the argument whose parameter has one of these names.
    fn named(&self, names: &[&str]) -> Option<Place> {
        let is_named = |parameter: &&Parameter<'_>| names.iter().any(|name| self.reading.same(name, parameter.name));
        let parameter = self.pattern.parameters.iter().filter(|parameter| !parameter.rest).find(is_named)?;
        Some(parameter.place)
    }

    /// The macro passes on exactly its arguments, in the same order.
    fn is_whole(&self) -> bool {
        self.items.len() == self.pattern.data.len() && (0..self.items.len()).all(|at| self.is_same(at))
    }

    /// Datum `at` of the definition is argument `at` of the macro.
    fn is_same(&self, at: usize) -> bool {
        let (Some(item), Some(&own)) = (self.items.get(at), self.pattern.data.get(at)) else { return false };
        let alike = || self.notation == Notation::Bare && self.reading.source(item.datum) == self.reading.source(own);
        match self.parameter(item.datum) {
            Some(parameter) => {
                parameter.place == Place { at: at as u8, within: None } && parameter.rest == item.spliced
            }
            None => own.list().is_some() && alike(),
        }
    }

    /// The template contains the parameters of the function.
    fn has_vector(&self) -> bool {
        self.items.iter().any(|item| self.reading.tree.kind(item.datum.core) == TokenKind::OpenBracket)
    }

    /// The defined value is a lambda expression in the template.
    fn has_lambda(&self) -> bool {
        let value = self.items.get(1).and_then(|item| self.reading.head(item.datum.list()?));
        value.is_some_and(|head| LAMBDAS.contains(&&*head))
    }
}

/// The indices of name, parameters and docstring in the data of a definition after its head; `None` if such a
/// definition cannot be used as the template of another.
fn parts(shape: Shape) -> Option<(u8, Option<u8>, Option<u8>)> {
    Some(match shape {
        Shape::Callable => (0, Some(1), Some(2)),
        Shape::Class => (0, Some(1), None),
        Shape::Variable | Shape::Special | Shape::Quoted => (0, None, Some(2)),
        Shape::Structure | Shape::ClojureFunction | Shape::ClojureProtocol => (0, None, Some(1)),
        Shape::Placed(Placed { name, parameters, docstring }) => {
            (name.at, parameters.map(|place| place.at), docstring.map(|place| place.at))
        }
        Shape::DefineValues | Shape::Unnamed => return None,
        _ => (0, None, None),
    })
}

/// The name can be the first datum of a list.
fn has_list(shape: Shape) -> bool {
    match shape {
        Shape::Structure | Shape::Struct | Shape::Record | Shape::Named | Shape::Define | Shape::DefineMethod => true,
        Shape::Placed(placed) => placed.name.within == Some(0),
        _ => false,
    }
}

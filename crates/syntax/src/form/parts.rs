//! Finds name, parameters and docstring of a definition from its shape.

use super::{Form, FormKind};
use crate::address::{MethodKey, canonical_datum, specializers};
use crate::datum::Datum;
use crate::definer::{Place, Placed, Shape};
use crate::name::canonical_designator;
use crate::span::Span;
use crate::token::TokenKind;
use crate::tree::{ListId, Tree};

/// Heads of functions without a name of their own.
pub(crate) const LAMBDAS: &[&str] = &["lambda", "λ", "lambda*", "named-lambda", "case-lambda", "case-lambda*"];

/// At most so many data of a form are examined: names and docstrings are among the first, and lists of data can be
/// huge.
const MOST_DATA: usize = 256;

pub(super) fn fill(form: &mut Form, tree: &Tree, text: &str, list: ListId, shape: Shape) {
    let data: Vec<Datum> = tree.data(list).skip(1).take(MOST_DATA).collect();
    let parts = Parts { tree, text, data: &data };
    let Some(&first) = data.first() else { return };
    match shape {
        Shape::Callable => {
            parts.name(form, first);
            form.signature.extend(parts.list_span(1));
            form.docstring = parts.string(2).or_else(|| parts.option(2, ":documentation"));
        }
        Shape::Method => parts.method(form, first),
        Shape::Variable | Shape::Special => {
            if shape == Shape::Special && data.len() == 1 {
                form.kind = FormKind::Addition;
            }
            parts.name(form, first);
            form.docstring = parts.string(2);
        }
        Shape::Class => {
            parts.name(form, first);
            form.signature.extend(parts.list_span(1));
            form.docstring = parts.option(3, ":documentation");
        }
        Shape::Structure | Shape::Struct => {
            parts.name(form, parts.first_of(first).unwrap_or(first));
            form.docstring = parts.string(1);
        }
        Shape::Fields => parts.fields(form, first),
        Shape::Named | Shape::Generics => parts.named(form, first),
        Shape::Unnamed => {}
        Shape::Titled(others) if parts.string(0).is_some() && data.len() > usize::from(others) => {
            parts.name(form, first);
        }
        Shape::Titled(_) => {}
        Shape::Module => {
            parts.whole_name(form, first);
            form.docstring = parts.option(1, ":documentation");
        }
        Shape::System => {
            parts.whole_name(form, first);
            form.docstring = parts.keyword_value(1, ":description");
        }
        Shape::Define => parts.define(form, first),
        Shape::DefineMethod => parts.define_method(form, first),
        Shape::DefineValues => parts.define_values(form, first),
        Shape::Record => {
            parts.name(form, parts.first_of(first).unwrap_or(first));
        }
        Shape::ClojureFunction | Shape::ClojureRecord | Shape::ClojureType | Shape::ClojureProtocol => {
            parts.clojure_function(form, first);
        }
        Shape::MaybeNamed if parts.is_vector(first) => form.signature.push(tree.core_span(first)),
        Shape::MaybeNamed => parts.parameters_first(form, first),
        Shape::Decorated => {
            let name = data.iter().position(|&datum| !parts.is_vector(datum) && !parts.is_option(datum));
            let Some(at) = name else { return };
            Parts { data: &data[at..], ..parts }.parameters_first(form, data[at]);
        }
        Shape::ClojureMethod => {
            parts.name(form, first);
            let dispatch = data.get(1).map(|&value| canonical_datum(tree, text, value));
            form.method = Some(MethodKey { dispatch, ..MethodKey::default() });
            form.signature
                .extend(data.iter().skip(2).find(|&&datum| parts.is_vector(datum)).map(|&d| tree.core_span(d)));
        }
        Shape::ClojureVariable => {
            if !parts.is_pattern(first) {
                parts.name(form, first);
            }
            form.docstring = parts.string(1).filter(|_| data.len() > 2 || form.kind == FormKind::Package);
        }
        Shape::Quoted => {
            parts.name(form, first);
            form.docstring = parts.string(2);
        }
        Shape::Placed(placed) => parts.placed(form, placed),
    }
}

/// Qualifiers and specializers of a method. `data` begins with the first qualifier.
pub(super) fn method_key(tree: &Tree, text: &str, data: &[Datum]) -> MethodKey {
    let qualifiers: Vec<String> = data
        .iter()
        .take_while(|datum| datum.list().is_none() && tree.kind(datum.core) == TokenKind::Atom)
        .map(|&datum| canonical_datum(tree, text, datum))
        .collect();
    let parameters = data.get(qualifiers.len()).and_then(|datum| datum.list());
    let specializers = parameters.map(|list| specializers(tree, text, tree.data(list), false)).unwrap_or_default();
    MethodKey { qualifiers, specializers, dispatch: None, folds: tree.dialect().folds_case() }
}

/// The data of a form after its head.
struct Parts<'t> {
    tree: &'t Tree,
    text: &'t str,
    data: &'t [Datum],
}

impl Parts<'_> {
    fn source(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// `datum` is the name: a symbol, a string, or a list such as `(setf foo)`.
    fn name(&self, form: &mut Form, datum: Datum) {
        let datum = self.first_branch(datum).unwrap_or(datum);
        if datum.list().is_none() && !matches!(self.tree.kind(datum.core), TokenKind::Atom | TokenKind::String) {
            return;
        }
        let core = self.tree.core_span(datum);
        // What code gives while it is read is called by that code: `(defmethod #.*name* …)`.
        let mut prefixes = self.tree.prefixes(datum).map(|prefix| self.tree.token_span(prefix.token));
        let code = prefixes.find(|prefix| self.source(*prefix) == "#.");
        let span = code.map_or(core, |prefix| Span::new(prefix.start, core.end));
        let source = self.source(span);
        form.name = Some(match source.bytes().any(|byte| byte.is_ascii_whitespace()) {
            true => source.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
            false => source.to_owned(),
        });
        form.name_span = Some(span);
        form.key = canonical_datum(self.tree, self.text, datum);
        if code.is_some() {
            form.key.insert_str(0, "#.");
        }
    }

    /// The name that the first branch of a reader conditional gives: `#?(:clj name …)`, `#?@(:clj [^Type name] …)`.
    fn first_branch(&self, datum: Datum) -> Option<Datum> {
        let list = datum.list()?;
        let opener = self.source(self.tree.token_span(datum.core)).strip_prefix("#?")?;
        let branch = self.tree.data(list).nth(1)?;
        let name = if opener.starts_with('@') { self.tree.data(branch.list()?).next()? } else { branch };
        name.list().is_none().then_some(name)
    }

    /// `datum` is the name of a package, system or module: a string designator, or a list.
    fn whole_name(&self, form: &mut Form, datum: Datum) {
        self.name(form, datum);
        if datum.list().is_none() {
            form.key = canonical_designator(self.tree.dialect(), self.source(self.tree.core_span(datum)));
        }
    }

    /// The name, which some definers put into a list with options: `(name option*)`.
    fn named(&self, form: &mut Form, first: Datum) {
        let inner = self.first_of(first).filter(|_| !self.is_setf(first));
        self.name(form, inner.unwrap_or(first));
        let parameters = self.data.get(1).filter(|datum| datum.list().is_some() && form.kind == FormKind::Definition);
        form.signature.extend(parameters.map(|&datum| self.tree.core_span(datum)));
        form.docstring = (1..4).find_map(|index| self.string(index)).filter(|_| self.data.len() > 2);
    }

    /// The name of a structure of Racket: `name`, `(name above)`, or behind the variables of its type, `(type*) name`.
    fn fields(&self, form: &mut Form, first: Datum) {
        let is_in_list = form.head_name.starts_with("define-");
        let name = if is_in_list { self.first_of(first) } else { first.list().and(self.data.get(1).copied()) };
        self.name(form, name.unwrap_or(first));
    }

    /// The parts at the places from which a macro takes them.
    fn placed(&self, form: &mut Form, placed: Placed) {
        let Some(name) = self.at(placed.name) else { return };
        self.name(form, self.first_of(name).filter(|_| !self.is_setf(name)).unwrap_or(name));
        let parameters = placed.parameters.and_then(|place| self.at(place)).filter(|datum| datum.list().is_some());
        form.signature.extend(parameters.map(|datum| self.tree.core_span(datum)));
        let given = placed.docstring.and_then(|place| self.string(usize::from(place.at)));
        let after = usize::from(placed.name.at) + 1..self.data.len().saturating_sub(1);
        form.docstring = given.or_else(|| after.take(3).find_map(|at| self.string(at)));
    }

    /// The datum at a place. If the place is the first of a list, but there is an atom instead of the list, the atom.
    fn at(&self, place: Place) -> Option<Datum> {
        let datum = *self.data.get(usize::from(place.at))?;
        match (place.within, datum.list()) {
            (Some(within), Some(list)) => self.tree.data(list).nth(usize::from(within)),
            (Some(1..), None) => None,
            _ => Some(datum),
        }
    }

    fn is_setf(&self, datum: Datum) -> bool {
        let head = self.first_of(datum).map(|head| self.source(self.tree.core_span(head)).to_lowercase());
        matches!(head.as_deref(), Some("setf" | "cl:setf" | "cas" | "sb-ext:cas"))
    }

    fn method(&self, form: &mut Form, first: Datum) {
        self.name(form, first);
        let key = method_key(self.tree, self.text, &self.data[1..]);
        let at = key.qualifiers.len() + 1;
        form.signature.extend(self.list_span(at));
        form.docstring = self.string(at + 1);
        form.method = Some(key);
    }

    /// Scheme's `define` and its relatives, curried or not.
    fn define(&self, form: &mut Form, first: Datum) {
        let Some(_) = first.list() else {
            self.name(form, first);
            let value = self.data.get(1).copied();
            let lambda =
                value.and_then(|datum| self.first_of(datum)).map(|head| self.source(self.tree.core_span(head)));
            match lambda {
                Some(head) if LAMBDAS.contains(&head) => {
                    let mut data =
                        value.and_then(|datum| datum.list()).into_iter().flat_map(|list| self.tree.data(list));
                    data.next();
                    let parameters: Vec<Datum> = match head.starts_with("case-") {
                        true => data.filter_map(|clause| self.first_of(clause)).collect(),
                        false => data.take(1).collect(),
                    };
                    form.signature.extend(parameters.into_iter().map(|datum| self.tree.core_span(datum)));
                }
                _ if form.kind == FormKind::Function => form.kind = FormKind::Variable,
                _ => {}
            }
            return;
        };
        let mut target = first;
        while let Some(inner) = self.first_of(target) {
            target = inner;
        }
        self.name(form, target);
        form.signature.push(self.tree.core_span(first));
        form.docstring = self.string(1);
    }

    fn define_method(&self, form: &mut Form, first: Datum) {
        let Some(list) = first.list() else { return self.name(form, first) };
        let mut data = self.tree.data(list);
        let Some(name) = data.next() else { return };
        self.name(form, name);
        form.signature.push(self.tree.core_span(first));
        form.docstring = self.string(1);
        let specializers = specializers(self.tree, self.text, data, false);
        form.method = Some(MethodKey { specializers, ..MethodKey::default() });
    }

    fn define_values(&self, form: &mut Form, first: Datum) {
        let Some(list) = first.list() else { return self.name(form, first) };
        let mut names = self.tree.data(list).filter(|&datum| self.source(self.tree.core_span(datum)) != ".");
        let Some(name) = names.next() else { return };
        self.name(form, name);
        form.signature.push(self.tree.core_span(first));
    }

    fn clojure_function(&self, form: &mut Form, first: Datum) {
        self.name(form, first);
        form.docstring = self.string(1).filter(|_| self.data.len() > 2);
        if let Some(&parameters) = self.data.iter().skip(1).take(3).find(|&&datum| self.is_vector(datum)) {
            form.signature.push(self.tree.core_span(parameters));
            return;
        }
        let arities = self.data.iter().filter_map(|&datum| self.first_of(datum)).filter(|&datum| self.is_vector(datum));
        form.signature.extend(arities.map(|datum| self.tree.core_span(datum)));
    }

    /// A function whose docstring is after its parameters.
    fn parameters_first(&self, form: &mut Form, first: Datum) {
        self.clojure_function(form, first);
        form.docstring = self.string(2).filter(|_| self.data.len() > 3);
    }

    /// `:async` and the like before a name.
    fn is_option(&self, datum: Datum) -> bool {
        datum.list().is_none() && self.source(self.tree.core_span(datum)).starts_with(':')
    }

    /// A vector or table of names, each of which gets a part of a value.
    fn is_pattern(&self, datum: Datum) -> bool {
        self.is_vector(datum) || self.tree.kind(datum.core) == TokenKind::OpenBrace
    }

    fn is_vector(&self, datum: Datum) -> bool {
        self.tree.kind(datum.core) == TokenKind::OpenBracket
    }

    /// The first datum inside a list.
    fn first_of(&self, datum: Datum) -> Option<Datum> {
        self.tree.data(datum.list()?).next()
    }

    fn list_span(&self, index: usize) -> Option<Span> {
        let datum = *self.data.get(index)?;
        let is_nil = || self.source(self.tree.core_span(datum)).eq_ignore_ascii_case("nil");
        (datum.list().is_some() || is_nil()).then(|| self.tree.core_span(datum))
    }

    /// The datum at `index`, if it is a string.
    fn string(&self, index: usize) -> Option<Span> {
        let datum = *self.data.get(index)?;
        (self.tree.kind(datum.core) == TokenKind::String).then(|| self.tree.core_span(datum))
    }

    /// The string in an option list such as `(:documentation "...")`, from `index` on.
    fn option(&self, index: usize, keyword: &str) -> Option<Span> {
        self.data.iter().skip(index).find_map(|datum| {
            let mut data = self.tree.data(datum.list()?);
            let head = self.tree.core_span(data.next()?);
            let value = data.next()?;
            let fits =
                self.source(head).eq_ignore_ascii_case(keyword) && self.tree.kind(value.core) == TokenKind::String;
            fits.then(|| self.tree.core_span(value))
        })
    }

    /// The string after a keyword, as in `:description "..."`.
    fn keyword_value(&self, index: usize, keyword: &str) -> Option<Span> {
        let at = self.data.iter().skip(index).position(|&datum| {
            datum.list().is_none() && self.source(self.tree.core_span(datum)).eq_ignore_ascii_case(keyword)
        })?;
        self.string(index + at + 1)
    }
}

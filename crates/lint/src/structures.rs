//! What the functions take that the definition of a structure or record makes: constructors, predicates, accessors.

use lispwright_index::{Definition, Document, Signature};
use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Dialect, Span, TokenKind, Tree, read};

/// What a function takes that the form of a definition makes, in each way to call it; `None` if the form does not show it.
pub(crate) fn made(document: &Document, one: &Definition) -> Option<Vec<Signature>> {
    let row = &document.facts.forms[one.form as usize];
    let text = &document.text[row.span.range()];
    let tree = read(text, document.language.clone());
    let list = tree.top_level().next().and_then(Datum::list)?;
    let data: Vec<Datum> = tree.data(list).collect();
    let structure = Structure { tree: &tree, text, dialect: document.dialect, name: &one.name };
    let is_changed = |(kind, span): (TokenKind, Span)| {
        let is_text = matches!(kind, TokenKind::String | TokenKind::LineComment | TokenKind::BlockComment);
        let token = &text[span.range()];
        !is_text && ["#+", "#-", "#?", "#.", ",", "`"].iter().any(|word| token.starts_with(word))
    };
    if tree.tokens().any(is_changed) {
        return None;
    }
    let made = match row.head.as_str() {
        "defprotocol" => return structure.protocol(&data),
        "defstruct" | "cl-defstruct" => structure.keywords(&data),
        "defclass" | "define-condition" => structure.class(&data),
        "defrecord" | "deftype" if text.contains('[') => structure.clojure(&data),
        "define-record-type" => structure.record(&data),
        "struct" => structure.racket(&data),
        _ => None,
    };
    made.map(|made| vec![made])
}

/// A definition of a structure, and the name of a function that it makes.
struct Structure<'t> {
    tree: &'t Tree,
    text: &'t str,
    dialect: Dialect,
    name: &'t str,
}

impl<'t> Structure<'t> {
    fn source(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.core_span(datum).range()]
    }

    fn inside(&self, datum: Datum) -> Vec<Datum> {
        datum.list().into_iter().flat_map(|list| self.tree.data(list)).collect()
    }

    /// The name of a slot, which stands alone or before its options.
    fn slot(&self, datum: Datum) -> Option<&'t str> {
        let name = if datum.list().is_some() { *self.inside(datum).first()? } else { datum };
        (name.list().is_none() && name.is_bare()).then(|| self.source(name))
    }

    fn is_it(&self, name: &str) -> bool {
        canonical_symbol(self.dialect, name) == self.name
    }

    fn takes(&self, names: &[&str]) -> Option<Signature> {
        Some(Signature::fixed(names.len(), names.join(" ")))
    }

    /// `(defclass name (class…) (slot…) option…)`, whose slots name the functions that read and write them.
    fn class(&self, data: &[Datum]) -> Option<Signature> {
        let slots = self.inside(*data.get(3)?);
        let options = slots.into_iter().flat_map(|slot| self.options(slot));
        let of_slot = options.filter(|(_, name)| self.is_it(name));
        let takes = |(option, _): (String, &str)| match option.as_str() {
            ":reader" | ":accessor" => self.takes(&["object"]),
            ":writer" => self.takes(&["value", "object"]),
            _ => None,
        };
        of_slot.filter_map(takes).next()
    }

    /// The options of a slot that have a name for a value.
    fn options(&self, slot: Datum) -> Vec<(String, &'t str)> {
        let data = self.inside(slot);
        let pairs = data.get(1..).unwrap_or_default().chunks(2);
        let named = pairs.filter_map(|pair| match pair {
            [option, name] if name.list().is_none() => {
                Some((self.source(*option).to_ascii_lowercase(), self.source(*name)))
            }
            _ => None,
        });
        named.collect()
    }

    /// The options of a structure, each as its word and its values: `:named` and `(:copier nil)`.
    fn structure_options(&self, options: &[Datum]) -> Vec<(String, Vec<Datum>)> {
        let parts = |option: &Datum| if option.list().is_some() { self.inside(*option) } else { vec![*option] };
        let named = options.iter().map(parts).filter_map(|parts| {
            let (word, values) = parts.split_first()?;
            Some((self.source(*word).to_ascii_lowercase(), values.to_vec()))
        });
        named.collect()
    }

    /// `(defstruct name slot…)`, whose constructor takes keywords unless it has a list of parameters.
    fn keywords(&self, data: &[Datum]) -> Option<Signature> {
        let header = *data.get(1)?;
        let parts = self.inside(header);
        let name = self.source(parts.first().copied().unwrap_or(header));
        let options = self.structure_options(parts.get(1..).unwrap_or_default());
        let values = |word: &'static str| {
            options.iter().filter(move |(one, _)| one == word).map(|(_, values)| values.as_slice())
        };
        let named = |word: &'static str, own: String| match values(word).next() {
            Some([value, ..]) => self.source(*value).to_owned(),
            _ => own,
        };
        let slots = data[2..].iter().filter(|slot| !self.source(**slot).starts_with('"'));
        let slots: Vec<&str> = slots.map(|slot| self.slot(*slot)).collect::<Option<_>>()?;
        let is_open = options.iter().any(|(word, _)| matches!(word.as_str(), ":type" | ":noinline"));
        let own = format!("make-{name}");
        let with_parameters = values(":constructor").find_map(|values| match values {
            [made, parameters] if self.is_it(self.source(*made)) => Some(*parameters),
            _ => None,
        });
        if let Some(parameters) = with_parameters {
            return Signature::of_datum(self.tree, self.text, parameters);
        }
        let mut constructors = values(":constructor").map(|values| match values {
            [made] => self.is_it(self.source(*made)),
            [] => self.is_it(&own),
            _ => false,
        });
        let has_constructors = values(":constructor").next().is_some();
        if constructors.any(|is_it| is_it) || (!has_constructors && self.is_it(&own)) {
            let keys = slots.iter().map(|slot| (format!(":{}", slot.to_ascii_lowercase()), false)).collect();
            let takes_other_keys = values(":include").next().is_some();
            let takes = Signature { has_keys: true, keys, takes_other_keys, ..Signature::fixed(0, String::new()) };
            return (!is_open).then_some(takes);
        }
        let prefix = match values(":conc-name").next() {
            Some([prefix]) if self.source(*prefix).eq_ignore_ascii_case("nil") => String::new(),
            Some([prefix]) => self.source(*prefix).trim_start_matches("#:").trim_start_matches(':').to_owned(),
            Some(_) => String::new(),
            None => format!("{name}-"),
        };
        let is_one = slots.iter().any(|slot| self.is_it(&format!("{prefix}{slot}")))
            || self.is_it(&named(":predicate", format!("{name}-p")))
            || self.is_it(&named(":copier", format!("copy-{name}")));
        is_one.then(|| Signature::fixed(1, name.to_lowercase()))
    }

    /// `(defrecord Name [field…] …)`
    fn clojure(&self, data: &[Datum]) -> Option<Signature> {
        let name = self.source(*data.get(1)?);
        let fields: Vec<&str> = self.inside(*data.get(2)?).into_iter().map(|field| self.source(field)).collect();
        match self.name {
            made if made == format!("->{name}") => self.takes(&fields),
            made if made == format!("map->{name}") => self.takes(&["map"]),
            _ => None,
        }
    }

    /// `(defprotocol Name (method [parameter…]… docstring)…)`
    fn protocol(&self, data: &[Datum]) -> Option<Vec<Signature>> {
        let methods = data.iter().map(|one| self.inside(*one));
        let method = methods.filter_map(|parts| {
            let (name, rest) = parts.split_first()?;
            (name.list().is_none() && self.is_it(self.source(*name))).then(|| rest.to_vec())
        });
        let vectors = method.flatten().filter(|one| one.list().is_some() && self.source(*one).starts_with('['));
        let takes = |vector: Datum| {
            let names: Vec<&str> = self.inside(vector).into_iter().map(|name| self.source(name)).collect();
            self.takes(&names)
        };
        let signatures: Vec<Signature> = vectors.filter_map(takes).collect();
        (!signatures.is_empty()).then_some(signatures)
    }

    /// `(define-record-type name (constructor field…) predicate (field accessor modifier)…)` of SRFI 9.
    fn record(&self, data: &[Datum]) -> Option<Signature> {
        let (constructor, predicate) = (*data.get(2)?, *data.get(3)?);
        if predicate.list().is_some() {
            return None;
        }
        if self.is_it(self.source(predicate)) {
            return self.takes(&["object"]);
        }
        let parts = self.inside(constructor);
        if parts.first().is_some_and(|name| name.list().is_none() && self.is_it(self.source(*name))) {
            let fields: Vec<&str> = parts[1..].iter().map(|field| self.source(*field)).collect();
            return self.takes(&fields);
        }
        data[4..].iter().find_map(|field| match self.inside(*field).as_slice() {
            [_, accessor, ..] if self.is_it(self.source(*accessor)) => self.takes(&["object"]),
            [_, _, modifier, ..] if self.is_it(self.source(*modifier)) => self.takes(&["object", "value"]),
            _ => None,
        })
    }

    /// `(struct name (field…) option…)`
    fn racket(&self, data: &[Datum]) -> Option<Signature> {
        let (name, fields) = (*data.get(1)?, *data.get(2)?);
        let changes = ["#:auto", "constructor-name", "#:name", "#:super", "#:property", "#:methods"];
        if name.list().is_some() || fields.list().is_none() || changes.iter().any(|word| self.text.contains(word)) {
            return None;
        }
        let name = self.source(name);
        let fields: Vec<&str> = self.inside(fields).into_iter().map(|field| self.slot(field)).collect::<Option<_>>()?;
        if self.is_it(name) {
            return self.takes(&fields);
        }
        let is_one =
            self.is_it(&format!("{name}?")) || fields.iter().any(|field| self.is_it(&format!("{name}-{field}")));
        if is_one {
            return self.takes(&[name]);
        }
        let is_two = fields.iter().any(|field| self.is_it(&format!("set-{name}-{field}!")));
        if is_two { self.takes(&[name, "value"]) } else { None }
    }
}

//! What the functions take that the definition of a structure or record makes: constructors, predicates, accessors.

use lispwright_index::{Definition, Document, Signature};
use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Dialect, Tree, read};

/// What a function takes that the form of a definition makes; `None` if the form does not show it.
pub(crate) fn made(document: &Document, one: &Definition) -> Option<Signature> {
    let row = &document.facts.forms[one.form as usize];
    let text = &document.text[row.span.range()];
    let tree = read(text, document.language.clone());
    let list = tree.top_level().next().and_then(Datum::list)?;
    let data: Vec<Datum> = tree.data(list).collect();
    let structure = Structure { tree: &tree, text, dialect: document.dialect, name: &one.name };
    let is_plain = ["#+", "#-", "#?", "#.", ",", "`"].iter().all(|word| !text.contains(word));
    if !is_plain {
        return None;
    }
    match row.head.as_str() {
        "defstruct" | "cl-defstruct" => structure.keywords(&data),
        "defrecord" | "deftype" if text.contains('[') => structure.clojure(&data),
        "define-record-type" => structure.record(&data),
        "struct" => structure.racket(&data),
        _ => None,
    }
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

    /// `(defstruct name slot…)`, whose constructor takes keywords.
    fn keywords(&self, data: &[Datum]) -> Option<Signature> {
        let header = *data.get(1)?;
        let options = self.inside(header);
        let name = self.source(options.first().copied().unwrap_or(header));
        let word = |option: &Datum| {
            self.inside(*option)
                .first()
                .map_or_else(|| self.source(*option), |word| self.source(*word))
                .to_ascii_lowercase()
        };
        let words: Vec<String> = options.iter().skip(1).map(word).collect();
        let slots = data[2..].iter().filter(|slot| !self.source(**slot).starts_with('"'));
        let slots: Vec<&str> = slots.map(|slot| self.slot(*slot)).collect::<Option<_>>()?;
        if self.is_it(&format!("make-{name}")) {
            let is_own = |word: &String| matches!(word.as_str(), ":include" | ":constructor" | ":type" | ":noinline");
            if words.iter().any(is_own) {
                return None;
            }
            let keys = slots.iter().map(|slot| (format!(":{}", slot.to_ascii_lowercase()), false)).collect();
            return Some(Signature { has_keys: true, keys, ..Signature::fixed(0, String::new()) });
        }
        let prefix = match words.iter().any(|word| word == ":conc-name") {
            true => return None,
            false => format!("{name}-"),
        };
        slots
            .iter()
            .any(|slot| self.is_it(&format!("{prefix}{slot}")))
            .then(|| Signature::fixed(1, name.to_lowercase()))
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

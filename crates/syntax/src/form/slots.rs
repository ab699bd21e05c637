//! The slots of a class, and the fields of a structure or record, where its definition writes them.

use super::Form;
use crate::address::canonical_datum;
use crate::datum::Datum;
use crate::definer::{FormKind, Shape};
use crate::name::canonical_symbol;
use crate::span::Span;
use crate::special::SpecialForm;
use crate::token::TokenKind;
use crate::tree::{ListId, Tree};

/// How code gets at the slots of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotStyle {
    /// By their names, `(slot-value x 'slot)`, and by accessors that the definition writes out.
    Class,
    /// By accessors that are made from their names, and by keywords of constructors: `defstruct`.
    Structure,
    /// By accessors, written out or made from their names, and by place in constructors.
    Record,
    /// By keywords, and as members: `defrecord`.
    Keyed,
    /// As members: `deftype`.
    Member,
}

/// The slots of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slots {
    /// How code gets at them.
    pub style: SlotStyle,
    /// The names of the classes or structures above.
    pub above: Vec<Span>,
    /// The structure above that has fields of its own, also where they are called like those below.
    pub parent: Option<Span>,
    /// What the names of accessors begin with, canonical, if they are made from those of the slots.
    pub prefix: Option<String>,
    /// The functions that take the slots as keywords, canonical.
    pub constructors: Vec<String>,
    /// The slots that it writes.
    pub slots: Vec<Slot>,
    /// The parts of the definition in which names of slots are parameters: those of constructors, or all of it.
    pub parameters: Vec<Span>,
}

/// One slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name.
    pub name: Span,
    /// The keywords by which a constructor takes its value, where they are written.
    pub initargs: Vec<Span>,
    /// The names of its accessors, where they are written.
    pub accessors: Vec<Span>,
    /// Those of them that only write it.
    pub writers: Vec<Span>,
}

/// Options of slots whose values are names of functions.
const ACCESSORS: &[&str] = &["accessor", "reader", "writer", "getter", "setter"];

/// Options of slots whose values are keywords for constructors.
const INITARGS: &[&str] = &["initarg", "init-keyword"];

impl Form {
    /// Its slots, if it defines a class, structure or record.
    pub fn slots(&self, tree: &Tree, text: &str) -> Option<Slots> {
        let list = self.datum.list()?;
        let (kind, shape) = tree.language().definer(&self.head_name)?;
        let data: Vec<Datum> = tree.data(list).skip(1).collect();
        let reading = Reading { tree, text, name: &self.key, data: &data };
        match shape {
            Shape::Class => {
                let is_flat = tree.dialect().special_form(&self.head_name) == Some(SpecialForm::ClassOfSlots);
                Some(reading.class(!is_flat))
            }
            Shape::Structure => Some(reading.structure()),
            Shape::Record if kind != FormKind::Condition => reading.record(),
            Shape::Struct => reading.fields(true),
            Shape::Fields => reading.fields(false),
            Shape::ClojureRecord => reading.clojure(SlotStyle::Keyed, self.span),
            Shape::ClojureType => reading.clojure(SlotStyle::Member, self.span),
            _ => None,
        }
    }
}

struct Reading<'t> {
    tree: &'t Tree,
    text: &'t str,
    name: &'t str,
    data: &'t [Datum],
}

impl<'t> Reading<'t> {
    fn span(&self, datum: Datum) -> Span {
        self.tree.core_span(datum)
    }

    fn source(&self, datum: Datum) -> &'t str {
        &self.text[self.span(datum).range()]
    }

    fn inside(&self, list: Option<ListId>) -> Vec<Datum> {
        list.into_iter().flat_map(|list| self.tree.data(list)).collect()
    }

    fn is_symbol(&self, datum: Datum) -> bool {
        self.tree.kind(datum.core) == TokenKind::Atom && !self.source(datum).starts_with([':', '#'])
    }

    fn plain(&self, name: Datum) -> Slot {
        Slot { name: self.span(name), initargs: Vec::new(), accessors: Vec::new(), writers: Vec::new() }
    }

    fn empty(&self, style: SlotStyle) -> Slots {
        Slots {
            style,
            above: Vec::new(),
            parent: None,
            prefix: None,
            constructors: Vec::new(),
            slots: Vec::new(),
            parameters: Vec::new(),
        }
    }

    /// `name (superclass*) (slot*) option*`, or the slots without a list around them.
    fn class(&self, is_nested: bool) -> Slots {
        let above = self.inside(self.data.get(1).and_then(|above| above.list()));
        let third = self.data.get(2).and_then(|slots| slots.list());
        let folds = self.tree.dialect().folds_case();
        let slots: Vec<Datum> = match is_nested {
            true => self.inside(third),
            false => {
                let options = self.data.iter().skip(2).position(|datum| self.source(*datum).starts_with(['#', ':']));
                self.data.iter().skip(2).take(options.unwrap_or(usize::MAX)).copied().collect()
            }
        };
        let slot = |datum: Datum| {
            let parts = self.inside(datum.list());
            let name = parts.first().copied().unwrap_or(datum);
            let mut slot = self.is_symbol(name).then(|| self.plain(name))?;
            for pair in parts.get(1..).unwrap_or_default().chunks(2) {
                let &[option, value] = pair else { continue };
                let option = self.source(option).trim_start_matches(['#', ':']);
                let is = |known: &&str| if folds { known.eq_ignore_ascii_case(option) } else { *known == option };
                if ACCESSORS.iter().any(is) {
                    // `(setf name)`
                    let inner = self.inside(value.list()).get(1).copied();
                    let name = self.span(inner.unwrap_or(value));
                    slot.accessors.push(name);
                    slot.writers.extend(option.to_lowercase().ends_with("ter").then_some(name));
                } else if INITARGS.iter().any(is) {
                    slot.initargs.push(self.span(value));
                }
            }
            Some(slot)
        };
        Slots {
            above: above.into_iter().filter(|above| self.is_symbol(*above)).map(|above| self.span(above)).collect(),
            slots: slots.into_iter().filter_map(slot).collect(),
            ..self.empty(SlotStyle::Class)
        }
    }

    /// `name-or-(name option*) [docstring] slot*` (CLHS defstruct).
    fn structure(&self) -> Slots {
        let spelled = |part: &str| canonical_symbol(self.tree.dialect(), part);
        let mut found = self.empty(SlotStyle::Structure);
        let mut prefix = format!("{}-", self.name);
        let mut is_default = true;
        for option in self.inside(self.data.first().and_then(|name| name.list())).into_iter().skip(1) {
            let parts = self.inside(option.list());
            let word = parts.first().map_or_else(|| self.source(option), |word| self.source(*word)).to_lowercase();
            let value = parts.get(1).copied();
            match (&*word, value) {
                (":conc-name", value) => {
                    let given = value.map(|value| self.source(value)).filter(|text| !text.eq_ignore_ascii_case("nil"));
                    prefix = given.map_or_else(String::new, |given| {
                        spelled(given.trim_start_matches("#:").trim_start_matches(':').trim_matches('"'))
                    });
                }
                (":include", Some(above)) => {
                    found.above.push(self.span(above));
                    // Slots that are written again have other values by default.
                    found.slots.extend(parts.iter().skip(2).filter_map(|slot| self.slot_of(*slot)));
                }
                (":constructor", Some(name)) => {
                    is_default = false;
                    match parts.get(2).filter(|parameters| parameters.list().is_some()) {
                        Some(parameters) => {
                            let has_keys = self.source(*parameters).to_lowercase().contains("&key");
                            let name = has_keys.then(|| canonical_datum(self.tree, self.text, name));
                            found.constructors.extend(name);
                            found.parameters.push(self.span(*parameters));
                        }
                        None => found.constructors.push(canonical_datum(self.tree, self.text, name)),
                    }
                }
                _ => {}
            }
        }
        if is_default {
            found.constructors.push(format!("{}{}", spelled("make-"), self.name));
        }
        found.prefix = Some(prefix);
        found.slots.extend(self.data.iter().skip(1).filter_map(|slot| self.slot_of(*slot)));
        found
    }

    fn slot_of(&self, datum: Datum) -> Option<Slot> {
        let name = self.inside(datum.list()).first().copied().unwrap_or(datum);
        self.is_symbol(name).then(|| self.plain(name))
    }

    /// `name constructor predicate field*`, or `name clause*`.
    fn record(&self) -> Option<Slots> {
        let mut found = self.empty(SlotStyle::Record);
        let head = |list: ListId| self.inside(Some(list)).first().map_or("", |head| self.source(*head));
        let clauses: Vec<ListId> = self.data.iter().skip(1).filter_map(|datum| datum.list()).collect();
        if let Some(&fields) = clauses.iter().find(|list| head(**list) == "fields") {
            for field in self.inside(Some(fields)).into_iter().skip(1) {
                let parts = self.inside(field.list());
                let name = parts.get(1).copied().unwrap_or(field);
                if !self.is_symbol(name) {
                    continue;
                }
                let mut slot = self.plain(name);
                slot.accessors.extend(parts.iter().skip(2).map(|name| self.span(*name)));
                slot.writers.extend(slot.accessors.get(1).copied());
                found.slots.push(slot);
            }
            found.prefix = Some(format!("{}-", self.name));
            return Some(found);
        }
        let fields = self.data.iter().skip(1).enumerate();
        for (at, datum) in fields {
            let parts = self.inside(datum.list());
            let Some((&first, rest)) = parts.split_first() else { continue };
            if at == 0 {
                // The constructor with its parameters, which are names of fields.
                found.parameters.extend(rest.iter().map(|parameter| self.span(*parameter)));
            } else if self.is_symbol(first) {
                let mut slot = self.plain(first);
                slot.accessors.extend(rest.iter().map(|name| self.span(*name)));
                slot.writers.extend(slot.accessors.get(1).copied());
                found.slots.push(slot);
            }
        }
        (!found.slots.is_empty()).then_some(found)
    }

    /// `name [above] (field*) option*`: a structure of Racket or, with classes of fields, a record of Chez Scheme.
    fn fields(&self, has_classes: bool) -> Option<Slots> {
        let mut found = self.empty(SlotStyle::Record);
        let at = self.data.iter().skip(1).position(|datum| datum.list().is_some())? + 1;
        for &field in &self.inside(self.data.get(at).and_then(|fields| fields.list())) {
            let parts = self.inside(field.list());
            let class = parts.first().map_or("", |class| self.source(*class));
            let place = usize::from(has_classes && parts.len() > 1 && class.contains("mutable"));
            let name = parts.get(place).copied().unwrap_or(field);
            found.slots.extend(self.is_symbol(name).then(|| self.plain(name)));
        }
        let inside = self.inside(self.data.first().and_then(|name| name.list()));
        let parent = inside.get(1).or(self.data.get(1).filter(|_| at > 1)).filter(|parent| self.is_symbol(**parent));
        found.parent = parent.map(|parent| self.span(*parent));
        found.prefix = Some(format!("{}-", self.name));
        Some(found)
    }

    /// `name [field*] (protocol | method)*`: the fields are local names in the methods.
    fn clojure(&self, style: SlotStyle, whole: Span) -> Option<Slots> {
        let mut found = self.empty(style);
        let fields = self.inside(self.data.get(1).and_then(|fields| fields.list()));
        found.slots =
            fields.into_iter().filter(|field| self.is_symbol(*field)).map(|field| self.plain(field)).collect();
        found.parameters.push(whole);
        Some(found)
    }
}

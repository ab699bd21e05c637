//! Questions about slots of classes and fields of structures and records: where they are declared, read, written, bound
//! and given.
//!
//! A slot has no name of its own that code could look up: `(slot-value x 'balance)` names a slot of whatever `x` is. So a
//! place is one of the slot if the class of the object is known to have it, or if no other class has a slot of that name.
//! Every other symbol of that name is entered as what it is, or as possible.

mod search;

use lispwright_syntax::{Dialect, FormKind, SlotStyle, Span};

use crate::account::symbol_name;
use crate::dialects::rules;
use crate::index::{Document, Index};
use crate::ledger::{Mentioned, Possible};
use crate::owners::{Owners, has_slots, owner_and_slot};
use crate::question::UseIndex;
use crate::resolve::Symbol;
use search::Search;

/// What a place does with a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlotUse {
    /// It reads the slot, or asks about it.
    Reads,
    /// It writes it.
    Writes,
    /// It makes a variable of the slot, which is called like it: `(with-slots (balance) …)`.
    Binds,
    /// It is a parameter of a constructor, or a name for the field in methods inside of the definition.
    Parameter,
    /// It is the keyword with which a constructor takes it, because of the slot's name.
    Key,
    /// It is the keyword with which a constructor takes it, because the definition says so.
    Initarg,
}

impl SlotUse {
    /// The name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "value",
            Self::Writes => "assignment",
            Self::Binds => "binding",
            Self::Parameter => "parameter",
            Self::Key | Self::Initarg => "keyword",
        }
    }
}

/// A place of a slot.
#[derive(Clone, Copy, Debug)]
pub struct SlotPlace<'i> {
    /// The file.
    pub document: &'i Document,
    /// The name, without a colon or dot before it.
    pub span: Span,
    /// What it does.
    pub does: SlotUse,
}

/// A slot with its places.
#[derive(Clone, Debug)]
pub struct Members<'i> {
    /// The dialect.
    pub dialect: Dialect,
    /// How code gets at it.
    pub style: SlotStyle,
    /// The class that was asked about.
    pub owner: Symbol,
    /// The name of the slot, canonical.
    pub name: String,
    /// Where it is declared, in its class, those above and those below.
    pub declared: Vec<(&'i Document, Span)>,
    /// The definitions that declare it.
    pub definitions: Vec<(&'i Document, Span)>,
    /// Where it is used, in the order of files and places.
    pub places: Vec<SlotPlace<'i>>,
    /// The places that may be its uses.
    pub possible: Vec<Possible<'i>>,
    /// Keywords, disabled code and words of text that have the name.
    pub mentions: Vec<Mentioned<'i>>,
    /// The names of functions that are made from that of the slot.
    pub derived: Vec<Symbol>,
    /// The names of its accessors that are written out.
    pub written: Vec<Symbol>,
    /// Those of its accessors that only write it.
    pub writers: Vec<Symbol>,
    /// The functions that take it by keyword.
    pub constructors: Vec<Symbol>,
    /// Parameters of methods that initialize instances, which take it by keyword.
    pub keys: Vec<(&'i Document, Span)>,
    /// Where the variable is assigned that `with-slots` makes of it.
    pub assigned: Vec<(&'i Document, Span)>,
    /// Symbols of that name that are known to be something else.
    pub others: usize,
    /// All symbols of that name.
    pub tokens: usize,
}

impl Index {
    /// The slots that `class.slot` may mean, one for each class that is called so and has such a slot.
    pub fn members(&self, written: &str, package: Option<&str>) -> Vec<Members<'_>> {
        let Some((class, slot)) = owner_and_slot(written) else { return Vec::new() };
        let found = self.definitions(class, package);
        let mut dialects: Vec<Dialect> = found.iter().map(|(document, _)| document.dialect).collect();
        dialects.sort_by_key(|dialect| dialect.name());
        dialects.dedup();
        let mut all = Vec::new();
        for dialect in dialects.into_iter().filter(|dialect| has_slots(*dialect)) {
            let question = self.question(dialect);
            let mut symbols: Vec<Symbol> = found
                .iter()
                .filter(|(document, _)| document.dialect == dialect)
                .map(|(_, one)| question.proper(&one.symbol()))
                .collect();
            symbols.sort();
            symbols.dedup();
            let owners = Owners::of(&question);
            let slot = symbol_name(dialect, slot);
            for symbol in symbols {
                all.extend(Search::new(&question, &owners, &symbol, &slot).and_then(Search::run));
            }
        }
        all
    }
}

impl Index {
    /// The fields of records that have a name and that keywords get at.
    pub fn keyed_fields(&self, name: &str) -> Vec<(&Document, Span)> {
        let mut found = Vec::new();
        for dialect in Dialect::ALL.into_iter().filter(|dialect| rules(*dialect).keywords_are_qualified) {
            let question = self.question(dialect);
            let owners = Owners::of(&question);
            let keyed = owners.all.iter().filter(|owner| owner.slots.style == SlotStyle::Keyed);
            found.extend(keyed.flat_map(|owner| owner.named(name).map(|slot| (owner.document, slot.name))));
        }
        found
    }
}

impl<'i> UseIndex<'i> {
    /// The slots of which some symbols are accessors.
    pub fn slots_of(&self, symbols: &[Symbol]) -> Vec<Members<'i>> {
        let made = |symbol: &Symbol| {
            self.definitions(symbol).iter().any(|(document, one)| {
                let kind = document.facts.forms[one.form as usize].kind;
                matches!(kind, FormKind::Class | FormKind::Structure | FormKind::Condition | FormKind::Type)
            })
        };
        if !symbols.iter().any(made) {
            return Vec::new();
        }
        let owners = Owners::of(self);
        let mut found: Vec<Members<'i>> = Vec::new();
        for owner in &owners.all {
            for slot in &owner.slots.slots {
                let document = owner.document;
                let name = symbol_name(self.dialect(), &document.text[slot.name.range()]);
                let is_known = |known: &Members<'_>| {
                    known.name == name
                        && known
                            .definitions
                            .iter()
                            .any(|(other, form)| (&other.path, *form) == (&document.path, owner.form))
                };
                if found.iter().any(is_known) {
                    continue;
                }
                let Some(search) = Search::new(self, &owners, &owner.symbol, &name) else { continue };
                let accessors = search.found.derived.iter().chain(&search.found.written).chain(&search.found.writers);
                if accessors.into_iter().any(|accessor| symbols.contains(accessor)) {
                    found.extend(search.run());
                }
            }
        }
        found
    }
}

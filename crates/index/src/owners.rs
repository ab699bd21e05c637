//! The classes, structures and records of a project with their slots, and which of them share a slot by inheritance.

use lispwright_syntax::{Dialect, FormKind, Forms, SlotStyle, Slots, Span, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::account::symbol_name;
use crate::facts::FormRow;
use crate::index::Document;
use crate::question::UseIndex;
use crate::resolve::{MOST_STEPS, Referent, Symbol};

/// A definition with slots.
pub(crate) struct SlotOwner<'i> {
    pub(crate) document: &'i Document,
    /// The class.
    pub(crate) symbol: Symbol,
    /// The classes above.
    pub(crate) above: Vec<Symbol>,
    /// The structure above, which has fields of its own.
    pub(crate) parent: Option<Symbol>,
    pub(crate) slots: Slots,
    /// The form.
    pub(crate) form: Span,
}

impl SlotOwner<'_> {
    /// The slots that it writes under a name, canonical.
    pub(crate) fn named<'o>(&'o self, name: &'o str) -> impl Iterator<Item = &'o lispwright_syntax::Slot> {
        let text = &self.document.text;
        let dialect = self.document.dialect;
        self.slots.slots.iter().filter(move |slot| symbol_name(dialect, &text[slot.name.range()]) == name)
    }

    /// The name of the accessor that is made for a slot; `None` if accessors are written out.
    pub(crate) fn accessor(&self, slot: &str) -> Option<String> {
        self.slots.prefix.as_ref().map(|prefix| format!("{prefix}{slot}"))
    }
}

/// All definitions with slots in one dialect.
pub(crate) struct Owners<'i> {
    pub(crate) all: Vec<SlotOwner<'i>>,
    by_symbol: FxHashMap<Symbol, Vec<usize>>,
}

impl<'i> Owners<'i> {
    pub(crate) fn of(question: &UseIndex<'i>) -> Self {
        let mut all = Vec::new();
        for &document in question.documents() {
            let may = |form: &FormRow| {
                matches!(form.kind, FormKind::Class | FormKind::Structure | FormKind::Condition | FormKind::Type)
            };
            if document.is_data() || !document.facts.forms.iter().any(may) {
                continue;
            }
            let tree = document.tree();
            all.extend(owners_in(question, document, &tree));
        }
        let mut by_symbol: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
        for (at, owner) in all.iter().enumerate() {
            by_symbol.entry(owner.symbol.clone()).or_default().push(at);
        }
        Self { all, by_symbol }
    }

    pub(crate) fn get(&self, symbol: &Symbol) -> impl Iterator<Item = &SlotOwner<'i>> {
        self.by_symbol.get(symbol).into_iter().flatten().map(|at| &self.all[*at])
    }

    /// The class and all above it, as far as the project defines them.
    pub(crate) fn with_above(&self, symbol: &Symbol) -> Vec<Symbol> {
        let mut found = vec![symbol.clone()];
        let mut next = 0;
        while let Some(one) = found.get(next).cloned() {
            next += 1;
            let above: Vec<Symbol> = self.get(&one).flat_map(|owner| owner.above.iter().cloned()).collect();
            for other in above {
                if !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found
    }

    /// The structure that has the field which is the last but so many of all fields of a structure, whose own come last.
    pub(crate) fn of_field(&self, structure: &Symbol, mut from_end: usize) -> Option<&Symbol> {
        let mut owner = self.get(structure).next()?;
        for _ in 0..MOST_STEPS {
            let own = owner.slots.slots.len();
            if from_end < own {
                return Some(&owner.symbol);
            }
            from_end -= own;
            owner = self.get(owner.parent.as_ref()?).next()?;
        }
        None
    }

    fn declares(&self, symbol: &Symbol, slot: &str) -> bool {
        self.get(symbol).any(|owner| owner.named(slot).next().is_some())
    }

    /// The classes that have the slot of a class, because they declare it or inherit it from one that does; none if
    /// neither the class nor one above it has it.
    pub(crate) fn family(&self, symbol: &Symbol, slot: &str) -> FxHashSet<Symbol> {
        let mut family = FxHashSet::default();
        let tops = |of: &Symbol| -> Vec<Symbol> {
            let all = self.with_above(of).into_iter();
            all.filter(|one| self.declares(one, slot)).collect()
        };
        let mut waiting = tops(symbol);
        while let Some(top) = waiting.pop() {
            if !family.insert(top.clone()) {
                continue;
            }
            for below in self.by_symbol.keys() {
                if !family.contains(below) && self.with_above(below).contains(&top) {
                    waiting.extend(tops(below));
                    // It has the slot, whether it declares it or not.
                    if !self.declares(below, slot) {
                        family.insert(below.clone());
                    }
                }
            }
        }
        family
    }

    /// A class outside of the family declares a slot of that name.
    pub(crate) fn have_others(&self, family: &FxHashSet<Symbol>, slot: &str) -> bool {
        let by_name = |style| !matches!(style, SlotStyle::Record);
        let mut others = self.all.iter().filter(|owner| !family.contains(&owner.symbol) && by_name(owner.slots.style));
        others.any(|owner| owner.named(slot).next().is_some())
    }
}

fn owners_in<'i>(question: &UseIndex<'i>, document: &'i Document, tree: &Tree) -> Vec<SlotOwner<'i>> {
    let forms = Forms::new(tree, &document.text);
    let meant = |span: Span| match question.meaning_at(document, span) {
        Referent::Is(symbol) | Referent::Unknown(symbol) => symbol,
    };
    let owner = |form: &lispwright_syntax::Form| {
        let slots = form.slots(tree, &document.text)?;
        let name = form.name_span?;
        let above = slots.above.iter().map(|above| meant(*above)).collect();
        let parent = slots.parent.map(meant);
        Some(SlotOwner { document, symbol: meant(name), above, parent, slots, form: form.span })
    };
    forms.iter().filter_map(|(_, form)| owner(form)).collect()
}

/// The name of a class and that of its slot, as they are written together: `account.balance`.
pub fn owner_and_slot(written: &str) -> Option<(&str, &str)> {
    let (owner, slot) = written.trim().rsplit_once('.')?;
    let is_name = |part: &str| !part.is_empty() && !part.contains(['"', '(', ' ']);
    (is_name(owner) && is_name(slot) && !slot.contains(['/', ':'])).then_some((owner, slot))
}

/// A dialect with classes, structures or records.
pub(crate) fn has_slots(dialect: Dialect) -> bool {
    dialect.has_special_forms() && !crate::dialects::rules(dialect).is_data
}

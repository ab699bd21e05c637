//! What the files of the project say of a slot, field or keyword: who declares, reads, writes, binds and gives a slot, by its
//! name and through its accessors; who writes a keyword.

use lispwright_index::{Hit, Members, SlotStyle, SlotUse, Symbol, UseIndex, UseKind};

use crate::code_find_references::ThingThere;
use crate::references::{Known, Looking, singular};

impl<'q> Looking<'q> {
    /// Adds what uses the slot that `class.slot` means. False if no class of the project has it.
    pub(crate) fn slots(&self, known: &mut Known, written: &str, package: Option<&str>) -> bool {
        let found = self.index.members(written, package);
        let mut thing = ThingThere::default();
        for slot in &found {
            let kind = match slot.style {
                SlotStyle::Class | SlotStyle::Structure => "slot",
                SlotStyle::Record | SlotStyle::Keyed | SlotStyle::Member => "field",
            };
            if !thing.kinds.iter().any(|known| known == kind) {
                thing.kinds.push(kind.to_owned());
            }
            let declared = slot.declared.iter().map(|(document, span)| self.place(document, *span, "declaration"));
            thing.declared.extend(declared);
            self.slot(known, slot);
        }
        if found.is_empty() {
            return false;
        }
        known.thing = Some(thing);
        true
    }

    /// Adds the places of the keyword that is written so. False if no file has it.
    pub(crate) fn keyword(&self, known: &mut Known, written: &str, package: Option<&str>) -> bool {
        let keyword = self.index.keyword(written, package);
        let Some(found) = keyword.and_then(|keyword| self.index.keywords(&keyword, true)) else { return false };
        let declared = found.places.iter().filter(|place| place.declares);
        let declared = declared.map(|place| self.place(place.document, place.span, "declaration")).collect();
        known.thing = Some(ThingThere { kinds: vec!["keyword".to_owned()], declared });
        let places = found
            .places
            .iter()
            .filter(|place| !place.declares)
            .map(|place| (place.document, place.span, if place.binds.is_some() { "binding" } else { "value" }));
        self.add_places(known, places, None);
        known.possible.extend(found.possible.iter().map(|one| self.place(one.document, one.span, one.reason.name())));
        if self.filter.kinds.is_empty() && !self.filter.tests_only {
            let words = found.mentions.iter().map(|one| self.place(one.document, one.span, singular(one.kind)));
            known.words.extend(words);
        }
        true
    }

    fn slot(&self, known: &mut Known, slot: &Members<'q>) {
        let places = slot.places.iter().map(|place| (place.document, place.span, place.does.name()));
        let assigned = slot.assigned.iter().map(|(document, span)| (*document, *span, "assignment"));
        self.add_places(known, places.chain(assigned), None);
        let question = self.index.question(slot.dialect);
        let mut accessors: Vec<&Symbol> = slot.written.iter().chain(&slot.derived).chain(&slot.writers).collect();
        accessors.sort();
        accessors.dedup();
        for accessor in accessors {
            self.through(known, &question, accessor, slot, true);
        }
        known.others += slot.others;
        known.possible.extend(slot.possible.iter().map(|one| self.place(one.document, one.span, one.reason.name())));
        if self.filter.kinds.is_empty() && !self.filter.tests_only {
            let words = slot.mentions.iter().map(|one| self.place(one.document, one.span, singular(one.kind)));
            known.words.extend(words);
        }
    }

    /// Adds the uses of an accessor: calls of one that only writes the slot assign it.
    fn through(
        &self,
        known: &mut Known,
        question: &UseIndex<'q>,
        accessor: &Symbol,
        slot: &Members<'q>,
        is_other: bool,
    ) {
        let is_reference = |hit: &Hit<'_>| !matches!(hit.used.kind, UseKind::Definition | UseKind::Export);
        let hits = question.uses(accessor).hits.into_iter().filter(is_reference);
        let writes = slot.writers.contains(accessor);
        let places = hits.map(|hit| {
            let kind = match hit.used.kind {
                UseKind::Call if writes => UseKind::Assignment,
                kind => kind,
            };
            (hit.document, hit.used.span(), kind.name())
        });
        let name = question.spelled(&accessor.name);
        self.add_places(known, places, is_other.then_some(&*name));
    }

    /// Adds the places that write the slots of which the symbols are accessors: by the name of the slot, or through other
    /// accessors.
    pub(crate) fn slot_writes(&self, known: &mut Known, question: &UseIndex<'q>, symbols: &[Symbol]) {
        for slot in question.slots_of(symbols) {
            let name = question.spelled(&slot.name);
            let writes = slot.places.iter().filter(|place| place.does == SlotUse::Writes);
            let writes = writes.map(|place| (place.document, place.span, "assignment"));
            let assigned = slot.assigned.iter().map(|(document, span)| (*document, *span, "assignment"));
            self.add_places(known, writes.chain(assigned), Some(&name));
            for writer in &slot.writers {
                self.through(known, question, writer, &slot, !symbols.contains(writer));
            }
        }
    }
}

//! A rename of a slot of a class, or of a field of a structure or record, in all files of a project.
//!
//! A slot is declared in its class and perhaps again in classes below; code gets at it by its name, by keywords, and by
//! accessors. Those that are made from its name get new names with it, by the same steps as any other name
//! ([`crate::rename`]); those that are written out stay, and so do the keywords that the definition writes out. The result
//! is proved by asking the project anew: the slot of the new name has the places that the old one had, and nothing else
//! means anything else.

use lispwright_edit::{Change, Changes, Source};
use lispwright_index::{
    Document, Index, Members, MentionKind, PossibleReason, SlotPlace, SlotStyle, SlotUse, Symbol, UseIndex, UseKind,
    spelled,
};
use lispwright_syntax::Span;

use crate::collect::{Collected, Collector, Planned};
use crate::mention::NameMention;
use crate::new_name::NewName;
use crate::proof;
use crate::refusal::{Doubt, Namesake, RenameRefusal, Spot, Untold};
use crate::rename::{Named, Rename, RenameRequest, computed, is_free, remade};
use crate::target::Target;

/// Plans the rename of a slot or field, which the request calls `class.slot`.
///
/// Errors: [`RenameRefusal::NotDefined`] if no class of that name has such a slot, and every other [`RenameRefusal`].
pub fn rename_slot(index: &Index, request: &RenameRequest<'_>) -> Result<Rename, RenameRefusal> {
    let mut found = index.members(request.symbol, request.package);
    found.retain(|slot| slot.definitions.iter().any(|(document, _)| (request.is_here)(&document.path)));
    if found.len() > 1 {
        let candidate = |slot: &Members<'_>| {
            let (document, form) = slot.definitions[0];
            Namesake { symbol: slot.owner.clone(), spot: Spot::of(document, form.start), label: label(document, form) }
        };
        return Err(RenameRefusal::Ambiguous(found.iter().map(candidate).collect()));
    }
    let Some(slot) = found.pop() else { return Err(RenameRefusal::NotDefined { nearest: Vec::new() }) };
    let question = index.question(slot.dialect);
    let home = slot.definitions[0].0;
    let language = (request.language_of)(&home.path, &home.text).unwrap_or_else(|| slot.dialect.into());
    let new = NewName::new(request.new_name, &language)?;
    if new.canonical == slot.name {
        return Err(RenameRefusal::SameName);
    }
    let renaming = Renaming { question: &question, slot: &slot, new: &new, request };
    renaming.is_free(index)?;
    renaming.is_told()?;
    let named = renaming.derived()?;
    for one in &named {
        is_free(&question, one)?;
    }
    let mut collected = Collected { planned: Vec::new(), left: Vec::new(), strangers: Vec::new() };
    if let Some(first) = named.first() {
        let target = Target { dialect: slot.dialect, symbol: first.old.clone(), definitions: Vec::new() };
        collected = Collector::new(&question, &target, &named, request).collect()?;
    }
    let Collected { mut planned, mut left, strangers } = collected;
    renaming.plan(&mut planned, &mut left)?;
    planned.sort_by(|a, b| a.document.path.cmp(&b.document.path));
    let mut files = Vec::new();
    for one in &planned {
        files.push(remade(one.document, &one.source, &one.changes, &one.uses, one.mentions)?);
    }
    let maps: Vec<proof::Moved<'_>> =
        planned.iter().map(|one| proof::Moved::new(&question, one.document, &one.source.tree, &one.changes)).collect();
    proof::check(index, &question, &named, &maps, &files, request.language_of).map_err(|refusal| match refusal {
        RenameRefusal::Captured { spot, .. } => RenameRefusal::Captured { name: new.written.clone(), spot },
        refusal => refusal,
    })?;
    let texts = files.iter().filter_map(|file| {
        Some((file.path.clone(), file.new_text.clone(), (request.language_of)(&file.path, &file.new_text)?))
    });
    renaming.closes(&index.with(texts.collect::<Vec<_>>()))?;
    let (document, form) = slot.definitions[0];
    let name = spelled(slot.dialect, &slot.name);
    let pair = (name.clone(), new.written.clone());
    let derived = named.iter().map(|one| (spelled(slot.dialect, &one.old.name), one.new.written.clone()));
    Ok(Rename {
        dialect: slot.dialect,
        label: label(document, form),
        names: std::iter::once(pair).chain(derived).collect(),
        definitions: slot.declared.len(),
        possible: computed(&question, &named),
        symbol: Symbol { space: slot.owner.space.clone(), name },
        kept: slot.written.iter().map(|accessor| spelled(slot.dialect, &accessor.name)).collect(),
        files,
        left,
        moves: Vec::new(),
        strangers,
    })
}

/// Plans the rename of the slot from whose name that of the request's accessor is made, so that the accessor gets its new
/// name.
///
/// Errors: `refusal`, if the accessor is made from no slot; with `class.slot` as what it is made from, if its new name is not
/// made so from another name of the slot; and every [`RenameRefusal`].
pub(crate) fn rename_slot_of(
    index: &Index,
    request: &RenameRequest<'_>,
    mut refusal: RenameRefusal,
) -> Result<Rename, RenameRefusal> {
    let found = index.definitions(request.symbol, request.package);
    let Some((document, accessor)) = found.iter().find(|(document, _)| (request.is_here)(&document.path)) else {
        return Err(refusal);
    };
    let question = index.question(document.dialect);
    let accessor = question.proper(&accessor.symbol());
    let mut slots = question.slots_of(std::slice::from_ref(&accessor));
    slots.retain(|slot| !slot.written.contains(&accessor));
    let [slot] = &slots[..] else { return Err(refusal) };
    let name = format!("{}.{}", spelled(slot.dialect, &slot.owner.name), spelled(slot.dialect, &slot.name));
    let package = Some(slot.owner.space.as_str()).filter(|space| !space.is_empty()).or(request.package);
    let around =
        accessor.name.match_indices(slot.name.as_str()).map(|(at, part)| (at, accessor.name.len() - at - part.len()));
    for (before, after) in around.collect::<Vec<_>>().into_iter().rev() {
        let end = request.new_name.len().saturating_sub(after);
        let Some(new_name) = request.new_name.get(before..end).filter(|name| !name.is_empty()) else { continue };
        let renamed = rename_slot(index, &RenameRequest { symbol: &name, package, new_name, ..*request })?;
        let (old, new) = (spelled(slot.dialect, &accessor.name), request.new_name);
        if renamed.names.iter().any(|names| (names.0.as_str(), names.1.as_str()) == (old.as_str(), new)) {
            return Ok(renamed);
        }
    }
    if let RenameRefusal::Derived { from, .. } = &mut refusal {
        *from = name;
    }
    Err(refusal)
}

fn label(document: &Document, form: Span) -> String {
    let at = document.facts.form_at(form.start);
    at.map_or_else(String::new, |form| document.facts.forms[form as usize].label.clone())
}

struct Renaming<'r, 'i> {
    question: &'r UseIndex<'i>,
    slot: &'r Members<'i>,
    new: &'r NewName,
    request: &'r RenameRequest<'r>,
}

impl<'i> Renaming<'_, 'i> {
    fn symbol(&self) -> Symbol {
        Symbol { space: self.slot.owner.space.clone(), name: self.slot.name.clone() }
    }

    /// `class.slot` with another slot.
    fn written(&self, slot: &str) -> String {
        let class = self.request.symbol.rsplit_once('.').map_or("", |(class, _)| class);
        format!("{class}.{slot}")
    }

    /// No class that has the slot has one of the new name.
    fn is_free(&self, index: &Index) -> Result<(), RenameRefusal> {
        let taken = index.members(&self.written(self.request.new_name), self.request.package);
        match taken.iter().find(|taken| taken.owner == self.slot.owner).and_then(|taken| taken.declared.first()) {
            None => Ok(()),
            Some((document, span)) => Err(RenameRefusal::Collides {
                name: self.new.written.clone(),
                spot: Box::new(Spot::of(document, span.start)),
                symbol: Symbol { name: self.new.canonical.clone(), ..self.symbol() },
            }),
        }
    }

    fn changes_mention(&self, kind: MentionKind) -> bool {
        self.request.also.contains(&kind)
    }

    /// Every place of the slot's name is known to be one of the slot or none.
    fn is_told(&self) -> Result<(), RenameRefusal> {
        let slot = self.slot;
        let quoted = self.changes_mention(MentionKind::Quoted);
        let mut open = slot
            .possible
            .iter()
            .filter(|one| !(quoted && one.reason == PossibleReason::ByName))
            .map(|one| (Spot::of(one.document, one.span.start), Doubt::MayMean { reason: one.reason }));
        let mut doubts: Vec<(Spot, Doubt)> = open.by_ref().collect();
        if !self.changes_mention(MentionKind::Keyword) && self.keywords_are_open() {
            let keywords = slot.mentions.iter().filter(|one| one.kind == MentionKind::Keyword);
            doubts.extend(keywords.map(|one| (Spot::of(one.document, one.span.start), Doubt::Keyword)));
        }
        if self.changes_mention(MentionKind::Keyword) {
            doubts.extend(slot.keys.iter().map(|(document, span)| (Spot::of(document, span.start), Doubt::Keyword)));
        }
        let mut doubts = doubts.into_iter();
        match doubts.next() {
            None => Ok(()),
            Some((spot, why)) => {
                let others = doubts.map(|(spot, _)| spot).collect();
                let more = Box::new(Untold { others, asks: Vec::new(), symbol: self.symbol() });
                Err(RenameRefusal::CannotTell { spot, why, more })
            }
        }
    }

    /// Keywords that stand elsewhere than in calls of constructors can come to a constructor.
    fn keywords_are_open(&self) -> bool {
        match self.slot.style {
            SlotStyle::Keyed => true,
            SlotStyle::Structure => self.slot.constructors.iter().any(|constructor| {
                let uses = self.question.uses(constructor).hits;
                uses.iter().any(|hit| matches!(hit.used.kind, UseKind::Value | UseKind::Quoted | UseKind::Template))
            }),
            SlotStyle::Class | SlotStyle::Record | SlotStyle::Member => false,
        }
    }

    /// The names that are made from that of the slot.
    fn derived(&self) -> Result<Vec<Named>, RenameRefusal> {
        let mut named: Vec<Named> = Vec::new();
        let mut add = |old: Symbol, new: String| {
            if named.iter().all(|known| known.old != old) {
                named.push(Named { old, new: NewName::derived(new, self.new) });
            }
        };
        for &(document, form) in &self.slot.definitions {
            let Some(language) = (self.request.language_of)(&document.path, &document.text) else { continue };
            let mut text = document.text.clone();
            let inside =
                self.slot.declared.iter().filter(|(other, span)| other.path == document.path && form.encloses(*span));
            let mut spans: Vec<Span> = inside.map(|(_, span)| *span).collect();
            spans.sort_by_key(|span| std::cmp::Reverse(span.start));
            for span in spans {
                text.replace_range(span.range(), &self.new.instead_of(&document.text[span.range()]));
            }
            let names = |text: &str| {
                let source = Source::read(text, language.clone());
                let found = source.forms.iter().find(|(_, one)| one.span.start == form.start);
                found.map_or_else(Vec::new, |(_, one)| one.defined_names(&source.tree, text))
            };
            let (before, after) = (names(&document.text), names(&text));
            if before.len() == after.len() {
                for (before, after) in before.into_iter().zip(after).filter(|(before, after)| before != after) {
                    let space = document.facts.space_at(form.start);
                    add(self.question.proper(&Symbol { space: space.to_owned(), name: before }), after);
                }
            }
        }
        // Accessors of structures below are made from the slots that they inherit.
        for accessor in &self.slot.derived {
            if let Some(prefix) = accessor.name.strip_suffix(self.slot.name.as_str()) {
                add(self.question.proper(accessor), format!("{prefix}{}", self.new.canonical));
            }
        }
        Ok(named)
    }

    /// Adds the places of the slot itself.
    fn plan(&self, planned: &mut Vec<Planned<'i>>, left: &mut Vec<NameMention>) -> Result<(), RenameRefusal> {
        let slot = self.slot;
        let keywords = self.changes_mention(MentionKind::Keyword);
        for &(document, span) in &slot.declared {
            self.change(planned, document, span, UseKind::Definition)?;
        }
        for place in &slot.places {
            let SlotPlace { document, span, does } = *place;
            let kind = match does {
                SlotUse::Reads => UseKind::Value,
                SlotUse::Writes => UseKind::Assignment,
                SlotUse::Binds | SlotUse::Parameter => UseKind::Binding,
                SlotUse::Key | SlotUse::Initarg => UseKind::Value,
            };
            // A keyword that the definition writes out is a name of its own.
            let is_own_name =
                matches!(does, SlotUse::Initarg) || (does == SlotUse::Key && slot.style == SlotStyle::Class);
            if is_own_name && !keywords {
                left.push(mention(document, span, MentionKind::Keyword));
            } else if does == SlotUse::Binds {
                let file = self.file(planned, document)?;
                let old = &document.text[span.range()];
                let text = format!("({old} {})", self.new.instead_of(old));
                add_change(file, Change { span, text, changes: Changes::Datum }, kind);
            } else {
                self.change(planned, document, span, kind)?;
            }
        }
        for one in &slot.possible {
            self.change(planned, one.document, one.span, UseKind::Quoted)?;
        }
        for one in &slot.mentions {
            if self.changes_mention(one.kind) {
                let file = self.file(planned, one.document)?;
                let text = self.new.instead_of(&one.document.text[one.span.range()]);
                file.changes.push(Change { span: one.span, text, changes: Changes::Name });
                file.mentions += 1;
            } else {
                left.push(mention(one.document, one.span, one.kind));
            }
        }
        for file in planned.iter_mut() {
            file.changes.sort_by_key(|change| change.span.start);
            file.changes.dedup_by_key(|change| change.span.start);
            file.uses.sort_unstable();
        }
        left.sort_by(|a, b| (a.kind, &a.path, a.line, a.column).cmp(&(b.kind, &b.path, b.line, b.column)));
        left.dedup();
        Ok(())
    }

    fn change(
        &self,
        planned: &mut Vec<Planned<'i>>,
        document: &'i Document,
        span: Span,
        kind: UseKind,
    ) -> Result<(), RenameRefusal> {
        let file = self.file(planned, document)?;
        let text = self.new.instead_of(&document.text[span.range()]);
        add_change(file, Change { span, text, changes: Changes::Name }, kind);
        Ok(())
    }

    fn file<'p>(
        &self,
        planned: &'p mut Vec<Planned<'i>>,
        document: &'i Document,
    ) -> Result<&'p mut Planned<'i>, RenameRefusal> {
        if !document.is_balanced {
            return Err(RenameRefusal::Unbalanced { path: document.path.clone() });
        }
        let at = match planned.iter().position(|one| one.document.path == document.path) {
            Some(at) => at,
            None => {
                let source = Source::read(&document.text, document.language.clone());
                planned.push(Planned { document, source, changes: Vec::new(), uses: Vec::new(), mentions: 0 });
                planned.len() - 1
            }
        };
        Ok(&mut planned[at])
    }

    /// The slot of the new name has the places that the old one had, and that is gone.
    fn closes(&self, after: &Index) -> Result<(), RenameRefusal> {
        let (document, span) = self.slot.declared[0];
        let here = |slot: &&Members<'_>| slot.owner == self.slot.owner;
        let new = after.members(&self.written(self.request.new_name), self.request.package);
        let new = new.iter().find(here);
        let count = |slot: &Members<'_>| (slot.declared.len(), slot.places.len());
        let expected = {
            let (declared, mut places) = count(self.slot);
            let is_kept = |place: &&SlotPlace<'_>| {
                let own = matches!(place.does, SlotUse::Initarg)
                    || (place.does == SlotUse::Key && self.slot.style == SlotStyle::Class);
                own && !self.changes_mention(MentionKind::Keyword)
            };
            places -= self.slot.places.iter().filter(is_kept).count();
            (declared, places)
        };
        let old = after.members(&self.written(&spelled(self.slot.dialect, &self.slot.name)), self.request.package);
        if new.map(count) != Some(expected) || old.iter().any(|old| here(&old)) {
            let spot = Spot::of(document, span.start);
            let why = Doubt::MayMean { reason: PossibleReason::NotUnderstood };
            let more = Box::new(Untold { others: Vec::new(), asks: Vec::new(), symbol: self.symbol() });
            return Err(RenameRefusal::CannotTell { spot, why, more });
        }
        Ok(())
    }
}

fn add_change(file: &mut Planned<'_>, change: Change, kind: UseKind) {
    file.changes.push(change);
    match file.uses.iter_mut().find(|(known, _)| *known == kind) {
        Some((_, count)) => *count += 1,
        None => file.uses.push((kind, 1)),
    }
}

fn mention(document: &Document, span: Span, kind: MentionKind) -> NameMention {
    let Spot { path, line, column, text } = Spot::of(document, span.start);
    NameMention { path, line, column, kind, text }
}

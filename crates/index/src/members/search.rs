//! The search for the places of one slot: every symbol of its name is looked at once.

use lispwright_syntax::{Datum, Dialect, ListId, SlotStyle, Span, SpecialForm, TokenId, TokenKind};
use rustc_hash::FxHashSet;

use super::{Members, SlotPlace, SlotUse};
use crate::account::{discarded, name_in, symbol_name};
use crate::facts::{MarkRole, Use, UseKind};
use crate::forms::racket::CONTRACTS;
use crate::ledger::{Mentioned, Possible, PossibleReason};
use crate::mention::{MentionKind, holds};
use crate::owners::{Owners, SlotOwner};
use crate::page::Page;
use crate::question::UseIndex;
use crate::resolve::{Referent, Symbol};

/// Functions that name a slot with a quoted symbol, each with the number of that argument and that of the object, from 0;
/// the second is a class if it is quoted.
const BY_QUOTE: &[(&str, usize, usize)] = &[
    ("slot-ref", 1, 0),
    ("slot-set!", 1, 0),
    ("slot-bound?", 1, 0),
    ("slot-exists?", 1, 0),
    ("cl-struct-slot-value", 1, 0),
    ("cl-struct-slot-offset", 1, 0),
    ("slot-value", 1, 0),
    ("slot-boundp", 1, 0),
];

/// Functions and forms that write the slot that they name.
const WRITERS: &[&str] =
    &["slot-set!", "oset", "oset-default", "set-slot-value", "slot-makunbound", "slot-makeunbound"];

/// Functions that take a class and then its slots by keyword.
const MAKERS: &[&str] =
    &["make-instance", "make", "reinitialize-instance", "make-condition", "error", "signal", "warn"];

/// Functions whose methods take the keywords of slots.
const INITIALIZERS: &[&str] = &["initialize-instance", "shared-initialize", "reinitialize-instance", "make-instance"];

/// A search for the places of one slot.
pub(super) struct Search<'s, 'i> {
    question: &'s UseIndex<'i>,
    owners: &'s Owners<'i>,
    family: FxHashSet<Symbol>,
    /// No other class has a slot of that name.
    is_unique: bool,
    pub(super) found: Members<'i>,
}

/// Whether an object has the slot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Has {
    Yes,
    No,
    /// Nothing is known of its class.
    Unknown,
    /// Its class is known, and its slots are not.
    Perhaps,
}

impl<'s, 'i> Search<'s, 'i> {
    /// `None` if neither the class nor one above it has such a slot.
    pub(super) fn new(question: &'s UseIndex<'i>, owners: &'s Owners<'i>, class: &Symbol, slot: &str) -> Option<Self> {
        let family = owners.family(class, slot);
        let mut definitions: Vec<&SlotOwner<'i>> = family.iter().flat_map(|one| owners.get(one)).collect();
        definitions.sort_by(|a, b| (&a.document.path, a.form.start).cmp(&(&b.document.path, b.form.start)));
        let style = definitions.iter().find(|owner| owner.named(slot).next().is_some())?.slots.style;
        let symbol = |space: &str, name: String| Symbol { space: space.to_owned(), name };
        let mut found = Members {
            dialect: question.dialect(),
            style,
            owner: class.clone(),
            name: slot.to_owned(),
            declared: Vec::new(),
            definitions: Vec::new(),
            places: Vec::new(),
            possible: Vec::new(),
            mentions: Vec::new(),
            derived: Vec::new(),
            written: Vec::new(),
            writers: Vec::new(),
            constructors: Vec::new(),
            keys: Vec::new(),
            assigned: Vec::new(),
            others: 0,
            tokens: 0,
        };
        for owner in definitions {
            let space = owner.symbol.space.as_str();
            found.constructors.extend(owner.slots.constructors.iter().map(|name| symbol(space, name.clone())));
            let is_inherited = style == SlotStyle::Structure;
            for slot in owner.named(slot) {
                found.definitions.push((owner.document, owner.form));
                let meant = |name: &Span| match question.meaning_at(owner.document, *name) {
                    Referent::Is(symbol) | Referent::Unknown(symbol) => symbol,
                };
                found.written.extend(slot.accessors.iter().map(meant));
                found.writers.extend(slot.writers.iter().map(meant));
            }
            let declares = owner.named(slot).next().is_some();
            let own = owner.named(slot).all(|slot| slot.accessors.is_empty());
            if let Some(name) = owner.accessor(slot).filter(|_| own && (declares || is_inherited)) {
                let writers = [format!("set-{name}!"), format!("{name}-set!")].map(|name| symbol(space, name));
                found.writers.extend(writers.into_iter().filter(|writer| question.defines(writer)));
                found.derived.push(symbol(space, name));
            }
        }
        found.definitions.dedup_by_key(|(document, form)| (document.path.as_path(), form.start));
        found.derived.sort();
        found.derived.dedup();
        found.written.sort();
        found.written.dedup();
        let is_unique = !owners.have_others(&family, slot);
        Some(Self { question, owners, family, is_unique, found })
    }

    pub(super) fn run(mut self) -> Option<Members<'i>> {
        for &document in self.question.documents() {
            let folds = document.dialect.folds_case();
            if holds(&document.text, &self.found.name, folds) {
                let tree = document.tree();
                let facts = self.question.facts_with_marks(document, &tree);
                self.page(&Page { document, tree: &tree, facts: &facts });
            }
        }
        (!self.found.declared.is_empty()).then_some(self.found)
    }

    fn page(&mut self, page: &Page<'_, 'i>) {
        let document = page.document;
        let discarded = discarded(page.tree);
        for (at, (kind, token)) in page.tree.tokens().enumerate() {
            let text = &document.text[token.range()];
            // Words of text are not about a slot because they are called like it; a string that is the name may be.
            if kind == TokenKind::String && symbol_name(document.dialect, text.trim_matches('"')) == self.found.name {
                let span = Span::new(token.start + 1, token.end - 1);
                self.found.mentions.push(Mentioned { document, span, kind: MentionKind::String });
            }
            if kind != TokenKind::Atom {
                continue;
            }
            let sign = self.sign(text);
            if symbol_name(document.dialect, &text[sign..]) != self.found.name {
                continue;
            }
            self.found.tokens += 1;
            let plain = &text[sign..];
            let start = sign + plain.len() - name_len(document.dialect, plain);
            let span = Span::new(token.start + start as u32, token.end);
            let entry = match discarded.iter().any(|span| span.encloses(token)) {
                true => Entry::Mention(MentionKind::Disabled),
                false => self.entry(page, at as TokenId, token, &text[..sign]),
            };
            match entry {
                Entry::Declared => self.found.declared.push((document, span)),
                Entry::Place(does) => {
                    if matches!(does, SlotUse::Reads | SlotUse::Binds) {
                        self.note_assigned(page, at as TokenId, does);
                    }
                    self.found.places.push(SlotPlace { document, span, does });
                }
                Entry::Possible(reason) => self.found.possible.push(Possible { document, span, reason }),
                Entry::Mention(kind) => self.found.mentions.push(Mentioned { document, span, kind }),
                Entry::Key => {
                    self.found.others += 1;
                    self.found.keys.push((document, span));
                }
                Entry::Other => self.found.others += 1,
            }
        }
    }

    /// The length of what stands before the name in a symbol: a colon, or the dot of a member.
    fn sign(&self, text: &str) -> usize {
        let signs: &[&str] = match self.found.style {
            SlotStyle::Keyed | SlotStyle::Member => &[".-", ".", "-", ":"],
            _ => &["#:", ":"],
        };
        let sign = signs.iter().find(|sign| text.starts_with(**sign) && text.len() > sign.len());
        sign.map_or(0, |sign| sign.len())
    }

    fn entry(&self, page: &Page<'_, 'i>, token: TokenId, span: Span, sign: &str) -> Entry {
        if let Some(entry) = self.in_definition(page, span, sign) {
            return entry;
        }
        let list = page.tree.list_around(token);
        let entry = match self.found.style {
            SlotStyle::Keyed | SlotStyle::Member => list.and_then(|list| self.member(page, list, span, sign)),
            SlotStyle::Record => list.and_then(|list| self.in_record(page, list, span)),
            SlotStyle::Class | SlotStyle::Structure => list.and_then(|list| self.in_class(page, list, span, sign)),
        };
        if let Some(entry) = entry {
            return entry;
        }
        if !sign.is_empty() {
            return if sign.starts_with('.') || sign == "-" {
                Entry::Other
            } else {
                Entry::Mention(MentionKind::Keyword)
            };
        }
        let mark = page.mark(span);
        let is_quoted = page.is_after_quote(span);
        match (page.used(span), mark) {
            // Data can be names of slots.
            (Some(used), _) if used.kind == UseKind::Quoted || (is_quoted && used.kind == UseKind::Value) => {
                self.data(page, used)
            }
            (Some(_), _) => Entry::Other,
            (None, Some(mark)) if mark.role == MarkRole::Data && self.found.style == SlotStyle::Class => {
                Entry::Possible(PossibleReason::ByName)
            }
            (None, Some(_)) if self.found.style == SlotStyle::Keyed && page.is_destructured(span) => {
                Entry::Possible(PossibleReason::NotUnderstood)
            }
            (None, Some(_)) if self.found.style == SlotStyle::Class && self.is_key(page, token) => Entry::Key,
            (None, Some(_)) => Entry::Other,
            (None, None) if is_quoted => Entry::Possible(PossibleReason::ByName),
            (None, None) if self.found.style == SlotStyle::Record => Entry::Other,
            (None, None) => Entry::Possible(PossibleReason::NotUnderstood),
        }
    }

    /// The parameter of a method that initializes instances takes the keyword.
    fn is_key(&self, page: &Page<'_, 'i>, token: TokenId) -> bool {
        let Some(list) = page.tree.list_around(token) else { return false };
        page.around(list).take(3).any(|parameters| {
            let method = page.tree.list(parameters).parent();
            method.filter(|method| page.special(*method) == Some(SpecialForm::Method)).is_some_and(|method| {
                let data = page.data(method);
                let name = data.get(1).map_or("", |name| page.source(*name));
                let is_first = data.iter().skip(2).find_map(|datum| datum.list()) == Some(parameters);
                is_first && INITIALIZERS.iter().any(|known| known.eq_ignore_ascii_case(name))
            })
        })
    }

    /// A symbol in data is that of a function or variable that the project defines, or may name a slot.
    fn data(&self, page: &Page<'_, 'i>, used: Use) -> Entry {
        let is_by_name = matches!(self.found.style, SlotStyle::Class | SlotStyle::Structure);
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = self.question.meaning(page.document, used);
        match is_by_name && !self.question.defines(&symbol) {
            true => Entry::Possible(PossibleReason::ByName),
            false => Entry::Other,
        }
    }

    /// A place in a definition with slots.
    fn in_definition(&self, page: &Page<'_, 'i>, span: Span, sign: &str) -> Option<Entry> {
        let mut around = self
            .owners
            .all
            .iter()
            .filter(|owner| owner.document.path == page.document.path && owner.form.encloses(span));
        let owner = around.next()?;
        let is_own = self.family.contains(&owner.symbol);
        for slot in &owner.slots.slots {
            if slot.name == span {
                return Some(if is_own { Entry::Declared } else { Entry::Other });
            }
            if slot.initargs.contains(&span) {
                return Some(if is_own { Entry::Place(SlotUse::Initarg) } else { Entry::Other });
            }
        }
        let is_parameter = owner.slots.parameters.iter().any(|part| part.encloses(span)) && sign.is_empty();
        if is_parameter {
            let is_local = matches!(page.mark(span).map(|mark| mark.role), Some(MarkRole::Local | MarkRole::Perhaps));
            return match owner.slots.style {
                SlotStyle::Keyed | SlotStyle::Member if !is_local => None,
                SlotStyle::Keyed | SlotStyle::Member if is_own && page.is_destructured(span) => {
                    Some(Entry::Possible(PossibleReason::NotUnderstood))
                }
                _ if !is_own => Some(Entry::Other),
                _ if page.is_assigned(span) => Some(Entry::Place(SlotUse::Writes)),
                _ => Some(Entry::Place(SlotUse::Parameter)),
            };
        }
        None
    }

    fn in_class(&self, page: &Page<'_, 'i>, list: ListId, span: Span, sign: &str) -> Option<Entry> {
        let data = page.data(list);
        let at = page.position(&data, span.start)?;
        let head = page.head(list);
        let special = page.document.dialect.special_form(&head);
        // `(slot-value x 'balance)`, `(oref x balance)`
        let by_form = matches!(special, Some(SpecialForm::SlotOf | SpecialForm::BareSlotOf)) && at == 2;
        let by_quote = BY_QUOTE.iter().find(|(known, slot, _)| *known == head && slot + 1 == at);
        if by_form || (by_quote.is_some() && page.quoted(data[at]).is_some()) {
            let object = *data.get(by_quote.map_or(1, |(_, _, object)| object + 1))?;
            let is_class = head.starts_with("cl-struct-");
            let has = if is_class { self.class_has(page, object) } else { self.has(page, list, object) };
            let writes = WRITERS.contains(&&*head) || page.is_place(list);
            return Some(self.place(has, if writes { SlotUse::Writes } else { SlotUse::Reads }));
        }
        if !sign.is_empty() {
            // `#S(account :balance 1)` makes one as the constructor does (CLHS 2.4.8.13).
            let opener = page.tree.token_span(page.tree.list(list).open());
            let is_literal = page.document.text[opener.range()].eq_ignore_ascii_case("#s(");
            if is_literal && data.first().is_some_and(|class| matches!(self.class_has(page, *class), Has::Yes)) {
                return (!at.is_multiple_of(2)).then_some(Entry::Place(SlotUse::Key));
            }
            return self.keyword(page, &data, at, &head);
        }
        // `(with-slots (balance (b balance)) x …)`
        let outer = page.tree.list(list).parent()?;
        let (form, is_renamed) = match page.special(outer) {
            Some(SpecialForm::Slots) => (outer, false),
            _ => (page.tree.list(outer).parent()?, true),
        };
        if page.special(form) != Some(SpecialForm::Slots) {
            return None;
        }
        let parts = page.data(form);
        if page.position(&parts, span.start) != Some(1) || (is_renamed && at != 1) {
            return None;
        }
        let has = self.has(page, form, *parts.get(2)?);
        Some(self.place(has, if is_renamed { SlotUse::Reads } else { SlotUse::Binds }))
    }

    /// Notes the places where the variable is assigned that an entry of `with-slots` makes of the slot.
    fn note_assigned(&mut self, page: &Page<'_, 'i>, token: TokenId, does: SlotUse) {
        let Some(entry) = page.tree.list_around(token) else { return };
        let is_renamed = does == SlotUse::Reads;
        let up = |list: ListId| page.tree.list(list).parent();
        let Some(form) = up(entry).and_then(|outer| if is_renamed { up(outer) } else { Some(outer) }) else { return };
        if page.special(form) == Some(SpecialForm::Slots) {
            let variable = page.tree.data(entry).next().filter(|_| is_renamed);
            let variable = variable.map_or_else(
                || page.document.text[page.tree.token_span(token).range()].to_owned(),
                |one| page.source(one).to_owned(),
            );
            let assigned = page.assigned_in(form, &variable).into_iter().map(|span| (page.document, span));
            self.found.assigned.extend(assigned);
        }
    }

    /// The keyword is one of a constructor or of a function that makes an instance of a class.
    fn keyword(&self, page: &Page<'_, 'i>, data: &[Datum], at: usize, head: &str) -> Option<Entry> {
        let is_constructor = |datum: &Datum| {
            let (Referent::Is(symbol) | Referent::Unknown(symbol)) =
                self.question.meaning_at(page.document, page.tree.core_span(*datum));
            datum.list().is_none() && self.found.constructors.contains(&symbol)
        };
        let is_key = |from: usize| at >= from && (at - from).is_multiple_of(2);
        // `(make-account :balance 1)`, `(apply #'make-account :balance 1 more)`
        let is_applied = matches!(head, "apply" | "funcall");
        let is_made = data.first().is_some_and(is_constructor) && is_key(1);
        if is_made || (is_applied && data.get(1).is_some_and(is_constructor) && is_key(2)) {
            return Some(Entry::Place(SlotUse::Key));
        }
        let class = data.get(1).filter(|_| MAKERS.contains(&head) && is_key(2))?;
        match self.class_has(page, *class) {
            Has::Yes => Some(Entry::Place(SlotUse::Key)),
            Has::No => Some(Entry::Other),
            Has::Unknown | Has::Perhaps => None,
        }
    }

    /// Fields of records are named where they are copied or matched, or get contracts.
    fn in_record(&self, page: &Page<'_, 'i>, list: ListId, span: Span) -> Option<Entry> {
        let outer = page.tree.list(list).parent()?;
        let first = page.data(list).first().is_some_and(|first| page.tree.core_span(*first) == span);
        let heads = |list: ListId| page.head(list);
        let (form, is_it) = match &*heads(outer) {
            "struct-copy" => (outer, true),
            _ => {
                let form = page.tree.list(outer).parent()?;
                // `(contract-out (struct name ([field contract] …)))`
                let has_contracts = || {
                    let around = page.tree.list(form).parent();
                    around.is_some_and(|around| CONTRACTS.contains(&&*heads(around)))
                };
                (form, heads(form) == "struct*" || (heads(form) == "struct" && has_contracts()))
            }
        };
        if !first || !is_it {
            return None;
        }
        let class = page.data(form).get(1).copied()?;
        if heads(form) == "struct" {
            return Some(self.in_contract(page, class, outer, list));
        }
        match self.class_has(page, class) {
            Has::Yes => Some(Entry::Place(if heads(form) == "struct*" { SlotUse::Reads } else { SlotUse::Writes })),
            Has::No => Some(Entry::Other),
            Has::Unknown | Has::Perhaps => Some(Entry::Possible(PossibleReason::NotUnderstood)),
        }
    }

    /// A field with its contract, among those of all fields of a structure, whose own come last.
    fn in_contract(&self, page: &Page<'_, 'i>, class: Datum, fields: ListId, field: ListId) -> Entry {
        // `(struct (name parent) …)`
        let class = class.list().and_then(|list| page.data(list).first().copied()).unwrap_or(class);
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) =
            self.question.meaning_at(page.document, page.tree.core_span(class));
        let after = page.data(fields).iter().rev().position(|one| one.list() == Some(field));
        let owner = after.and_then(|after| self.owners.of_field(&symbol, after));
        match owner {
            Some(owner) if self.family.contains(owner) => Entry::Place(SlotUse::Reads),
            Some(_) => Entry::Other,
            // What a macro of the project defines can have the field.
            None if self.question.defines(&symbol) => Entry::Possible(PossibleReason::NotUnderstood),
            None => Entry::Other,
        }
    }

    /// `(.-balance x)`, `(. x -balance)`, `(map->Account {:balance 1})`
    fn member(&self, page: &Page<'_, 'i>, list: ListId, span: Span, sign: &str) -> Option<Entry> {
        let data = page.data(list);
        let at = page.position(&data, span.start)?;
        match sign {
            ".-" | "." if at == 0 => {
                let has = self.hinted(page, *data.get(1)?);
                let has = if sign == "." && has == Has::Unknown && data.len() > 2 { Has::No } else { has };
                let writes = page.is_place(list);
                Some(self.place(has, if writes { SlotUse::Writes } else { SlotUse::Reads }))
            }
            "-" if at == 2 && page.source(data[0]) == "." => {
                let has = self.hinted(page, data[1]);
                Some(self.place(has, if page.is_place(list) { SlotUse::Writes } else { SlotUse::Reads }))
            }
            ":" if self.found.style == SlotStyle::Keyed => {
                let outer = page.tree.list(list).parent()?;
                let call = page.data(outer);
                let class = page.source(*call.first()?).rsplit('/').next()?.strip_prefix("map->")?;
                let is_key = at.is_multiple_of(2) && call.len() == 2;
                (is_key && self.is_called(class)).then_some(Entry::Place(SlotUse::Key))
            }
            _ => None,
        }
    }

    /// A class of the family is called so.
    fn is_called(&self, class: &str) -> bool {
        self.family.iter().any(|symbol| symbol.name == class)
    }

    /// Whether the class that an object is said to be of has the slot.
    fn hinted(&self, page: &Page<'_, 'i>, object: Datum) -> Has {
        let whole = page.tree.datum_span(object);
        let hint = &page.document.text[whole.start as usize..page.tree.core_span(object).start as usize];
        match hint.trim().strip_prefix('^').map(|hint| hint.rsplit(['.', '/']).next().unwrap_or(hint)) {
            Some(class) if self.is_called(class) => Has::Yes,
            Some(_) => Has::No,
            None => Has::Unknown,
        }
    }

    fn place(&self, has: Has, does: SlotUse) -> Entry {
        match has {
            Has::Yes => Entry::Place(does),
            Has::No => Entry::Other,
            Has::Unknown if self.is_unique => Entry::Place(does),
            Has::Unknown => Entry::Possible(PossibleReason::OtherSlot),
            Has::Perhaps => Entry::Possible(PossibleReason::NotUnderstood),
        }
    }

    /// Whether the object of an access has the slot, as far as the code around it tells its class.
    fn has(&self, page: &Page<'_, 'i>, form: ListId, object: Datum) -> Has {
        if let Some(list) = object.list() {
            let is_maker = MAKERS.contains(&&*page.head(list));
            return match page.data(list).get(1).filter(|_| is_maker) {
                Some(class) => self.class_has(page, *class),
                None => Has::Unknown,
            };
        }
        let name = page.source(object);
        for list in page.around(form) {
            let parameters = match page.special(list) {
                Some(SpecialForm::Method) => {
                    page.data(list).into_iter().skip(2).find_map(Datum::list).map(|list| page.data(list))
                }
                Some(SpecialForm::DefineMethod) => {
                    page.data(list).get(1).and_then(|header| header.list()).map(|list| page.data(list))
                }
                _ => continue,
            };
            for parameter in parameters.into_iter().flatten().filter_map(Datum::list) {
                let parts = page.data(parameter);
                if let [variable, class] = parts[..]
                    && page.source(variable) == name
                {
                    return self.class_has(page, class);
                }
            }
        }
        // `(:report (lambda (condition stream) …))`
        let start = page.tree.list_span(form).start;
        let around = self
            .owners
            .all
            .iter()
            .find(|owner| owner.document.path == page.document.path && owner.form.contains(start));
        match around {
            Some(owner) if self.family.contains(&owner.symbol) => Has::Yes,
            Some(_) => Has::No,
            None => Has::Unknown,
        }
    }

    /// Whether a class has the slot, which is written as it is, or quoted.
    fn class_has(&self, page: &Page<'_, 'i>, class: Datum) -> Has {
        let span = page.quoted(class).unwrap_or(page.tree.core_span(class));
        if page.document.text[span.range()].starts_with('(') {
            return Has::Unknown;
        }
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = self.question.meaning_at(page.document, span);
        if self.family.contains(&symbol) {
            return Has::Yes;
        }
        let is_class = self.owners.get(&symbol).next().is_some();
        // The object may be of a class below.
        let is_above = self.family.iter().any(|one| self.owners.with_above(one).contains(&symbol));
        let is_root = self.question.dialect().is_standard(&symbol.name);
        match () {
            () if is_above || is_root => Has::Unknown,
            () if is_class || !self.question.defines(&symbol) => Has::No,
            // A class that a macro of the project defines can be below.
            () => Has::Perhaps,
        }
    }
}

/// What a symbol is entered as.
enum Entry {
    Declared,
    Place(SlotUse),
    Possible(PossibleReason),
    Mention(MentionKind),
    Key,
    Other,
}

/// The length of the name in a symbol without its qualifier.
fn name_len(dialect: Dialect, written: &str) -> usize {
    let name = name_in(dialect, written);
    name.end - name.start
}

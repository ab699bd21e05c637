//! A rename of a keyword in all files of a project.
//!
//! One with a namespace means the same wherever it is written. One without may be a word of anything, so it is renamed only
//! when that is asked for by name. A variable that is taken out of a map by the keyword's name keeps its own:
//! `{:keys [shop/id]}` becomes `{:keys [] id :shop/number}`.

use std::collections::BTreeMap;
use std::path::Path;

use lispwright_edit::{Change, Changes, Source};
use lispwright_index::{Document, Index, Keyword, Keywords, MentionKind, PossibleReason, Symbol, Use, UseKind};
use lispwright_syntax::Span;

use crate::mention::NameMention;
use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::rename::{Rename, RenameRequest, remade};

/// Plans the rename of the keyword that the request writes: `:shop.core/id`, `::id`, `:id`.
///
/// Errors: [`RenameRefusal::NotDefined`] if no file writes it, and every other [`RenameRefusal`].
pub fn rename_keyword(index: &Index, request: &RenameRequest<'_>) -> Result<Rename, RenameRefusal> {
    let missing = || RenameRefusal::NotDefined { nearest: Vec::new() };
    let keyword = index.keyword(request.symbol, request.package).ok_or_else(missing)?;
    let found = index.keywords(&keyword, false).ok_or_else(missing)?;
    if !found.places.iter().any(|place| (request.is_here)(&place.document.path)) {
        return Err(missing());
    }
    let new = name_of(request.new_name, &keyword)?;
    // A namespace with a dot is one of code; if the project does not declare it, a library knows the keyword.
    let is_foreign = |namespace: &String| namespace.contains('.') && index.spaces(namespace).is_empty();
    if keyword.namespace.as_ref().is_some_and(is_foreign) {
        let first = &found.places[0];
        return Err(RenameRefusal::OfLibrary { spot: Spot::of(first.document, first.span.start) });
    }
    let symbol = Symbol { space: keyword.namespace.clone().unwrap_or_default(), name: written(&keyword) };
    let renamed = Keyword { name: new.clone(), ..keyword.clone() };
    if let Some(place) = index.keywords(&renamed, false).as_ref().and_then(|taken| taken.places.first()) {
        let spot = Box::new(Spot::of(place.document, place.span.start));
        return Err(RenameRefusal::Collides { name: written(&renamed), spot, symbol: symbol.clone() });
    }
    let mut doubts: Vec<(Spot, Doubt)> = Vec::new();
    if keyword.namespace.is_none() && !request.also.contains(&MentionKind::Keyword) {
        doubts.extend(found.places.iter().map(|one| (Spot::of(one.document, one.span.start), Doubt::Keyword)));
    }
    let why = |reason| Doubt::MayMean { reason };
    if keyword.namespace.is_none() {
        // The keyword gets at the field of that name.
        let fields = index.keyed_fields(&keyword.name);
        doubts.extend(
            fields.into_iter().map(|(document, span)| (Spot::of(document, span.start), why(PossibleReason::OtherSlot))),
        );
    }
    let strings = request.also.contains(&MentionKind::String);
    let possible = found.possible.iter().filter(|one| !(strings && one.reason == PossibleReason::ByName));
    doubts.extend(possible.map(|one| (Spot::of(one.document, one.span.start), why(one.reason))));
    let mut doubts = doubts.into_iter();
    if let Some((spot, why)) = doubts.next() {
        let others = doubts.map(|(spot, _)| spot).collect();
        let more = Box::new(Untold { others, asks: Vec::new(), symbol });
        return Err(RenameRefusal::CannotTell { spot, why, more });
    }
    let mut left = Vec::new();
    let mut files = Vec::new();
    for (path, edits) in edits(&found, &new, request.also, &mut left) {
        let Some(document) = index.document(path) else { continue };
        if !document.is_balanced {
            return Err(RenameRefusal::Unbalanced { path: document.path.clone() });
        }
        let source = Source::read(&document.text, document.language.clone());
        let uses: Vec<(UseKind, usize)> = [UseKind::Value, UseKind::Binding]
            .into_iter()
            .map(|kind| (kind, edits.uses.iter().filter(|known| **known == kind).count()))
            .filter(|(_, count)| *count > 0)
            .collect();
        files.push(remade(document, &source, &edits.changes(document), &uses, edits.mentions)?);
    }
    let texts = files.iter().filter_map(|file| {
        Some((file.path.clone(), file.new_text.clone(), (request.language_of)(&file.path, &file.new_text)?))
    });
    let after = index.with(texts.collect::<Vec<_>>());
    let is_same = after.keywords(&renamed, false).is_some_and(|now| now.places.len() == found.places.len());
    let changed = files.iter().find(|file| !means_the_same(index, &after, &file.path));
    let first = &found.places[0];
    if !is_same || changed.is_some() || after.keywords(&keyword, false).is_some() {
        let spot = Spot::of(first.document, first.span.start);
        let more = Box::new(Untold { others: Vec::new(), asks: Vec::new(), symbol });
        return Err(RenameRefusal::CannotTell { spot, why: why(PossibleReason::NotUnderstood), more });
    }
    let pair = (written(&keyword), written(&renamed));
    Ok(Rename {
        dialect: first.document.dialect,
        label: String::new(),
        names: vec![pair],
        definitions: found.places.iter().filter(|place| place.declares).count(),
        symbol: Symbol { space: String::new(), ..symbol },
        files,
        left,
        kept: Vec::new(),
        possible: Vec::new(),
        moves: Vec::new(),
        strangers: Vec::new(),
    })
}

fn written(keyword: &Keyword) -> String {
    match &keyword.namespace {
        Some(namespace) => format!(":{namespace}/{}", keyword.name),
        None => format!(":{}", keyword.name),
    }
}

/// The new name, without the namespace that stays.
fn name_of(new: &str, keyword: &Keyword) -> Result<String, RenameRefusal> {
    let inner = new.trim().trim_start_matches("#:").trim_start_matches(':');
    let inner = match inner.rsplit_once('/') {
        Some((namespace, name)) if keyword.namespace.as_deref() == Some(namespace) => name,
        Some(_) => return Err(RenameRefusal::BadName { why: "the namespace of a keyword stays its own" }),
        None => inner,
    };
    if inner == keyword.name {
        return Err(RenameRefusal::SameName);
    }
    let is_plain = |c: char| !c.is_whitespace() && !"()[]{}\"';`,|\\:@^~".contains(c);
    if inner.is_empty() || !inner.chars().all(is_plain) || inner.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(RenameRefusal::BadName { why: "it does not read as the name of a keyword" });
    }
    Ok(inner.to_owned())
}

/// The uses and definitions of a file are as before.
fn means_the_same(before: &Index, after: &Index, path: &Path) -> bool {
    let counts = |index: &Index| {
        index.document(path).filter(|document| !document.is_data()).map(|document| {
            // Keywords in data are noted, too.
            let is_name = |used: &&Use| !document.text[used.span().range()].starts_with(':');
            let named = document.facts.uses.iter().filter(is_name);
            let mut uses: Vec<(UseKind, String)> =
                named.map(|used| (used.kind, document.text[used.span().range()].to_owned())).collect();
            uses.sort();
            let definitions = document.facts.definitions.iter().filter(|one| !one.name.starts_with(':'));
            (uses, definitions.map(|one| one.name.clone()).collect::<Vec<_>>())
        })
    };
    counts(before) == counts(after)
}

/// The edits of a file.
#[derive(Default)]
struct Edits {
    /// What replaces which bytes; an empty span is an insertion.
    parts: Vec<(Span, String)>,
    /// The maps whose parts change together.
    maps: Vec<Span>,
    uses: Vec<UseKind>,
    mentions: usize,
}

impl Edits {
    /// The changes in source order. What is in one map is one change.
    fn changes(&self, document: &Document) -> Vec<Change> {
        let outermost = |map: &&Span| !self.maps.iter().any(|other| other != *map && other.encloses(**map));
        let mut maps: Vec<Span> = self.maps.iter().filter(outermost).copied().collect();
        maps.sort_by_key(|map| map.start);
        maps.dedup();
        let is_outside = |span: &Span| !maps.iter().any(|map| map.encloses(*span));
        let single = self.parts.iter().filter(|(span, _)| is_outside(span));
        let mut changes: Vec<Change> =
            single.map(|(span, text)| Change { span: *span, text: text.clone(), changes: Changes::Name }).collect();
        for map in maps {
            let mut text = document.text[map.range()].to_owned();
            let mut inside: Vec<&(Span, String)> = self.parts.iter().filter(|(span, _)| map.encloses(*span)).collect();
            inside.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
            for (span, new) in inside {
                text.replace_range((span.start - map.start) as usize..(span.end - map.start) as usize, new);
            }
            changes.push(Change { span: map, text, changes: Changes::Datum });
        }
        changes.sort_by_key(|change| change.span.start);
        changes
    }
}

/// The edits of each file, and the mentions that stay.
fn edits<'i>(
    found: &Keywords<'i>,
    new: &str,
    also: &[MentionKind],
    left: &mut Vec<NameMention>,
) -> BTreeMap<&'i Path, Edits> {
    let mut files: BTreeMap<&'i Path, Edits> = BTreeMap::new();
    for place in &found.places {
        let document = place.document;
        let file = files.entry(document.path.as_path()).or_default();
        file.uses.push(if place.binds.is_some() { UseKind::Binding } else { UseKind::Value });
        let Some(binds) = &place.binds else {
            file.parts.push((place.span, new.to_owned()));
            continue;
        };
        // The variable gets a pair of its own at the end of the map.
        let bytes = document.text.as_bytes();
        let mut element = binds.element;
        let is_blank = |at: u32| bytes.get(at as usize).is_some_and(u8::is_ascii_whitespace);
        if is_blank(element.start - 1) {
            element = Span::new(element.start - 1, element.end);
        } else if is_blank(element.end) {
            element = Span::new(element.start, element.end + 1);
        }
        file.parts.push((element, String::new()));
        let end = Span::new(binds.map.end - 1, binds.map.end - 1);
        file.parts.push((end, format!(" {} {}{new}", binds.variable, binds.before)));
        file.maps.push(binds.map);
    }
    let strings = found.possible.iter().map(|one| (one.document, one.span, MentionKind::String));
    for (document, span, kind) in found.mentions.iter().map(|one| (one.document, one.span, one.kind)).chain(strings) {
        if also.contains(&kind) {
            let file = files.entry(document.path.as_path()).or_default();
            file.parts.push((span, new.to_owned()));
            file.mentions += 1;
        } else {
            let Spot { path, line, column, text } = Spot::of(document, span.start);
            left.push(NameMention { path, line, column, kind, text });
        }
    }
    left.sort_by(|a, b| (a.kind, &a.path, a.line, a.column).cmp(&(b.kind, &b.path, b.line, b.column)));
    files
}

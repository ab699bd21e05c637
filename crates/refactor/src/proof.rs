//! Proves a rename: the project is asked about all names in question before and after, and every place must mean what
//! it meant.
//!
//! In the changed files everything that the walk over the code finds must be found again, at the place where it is now:
//! a local binding of the new name would take a use away, or bring one. In all files a use of the old or the new name
//! must mean the same symbol as before, the renamed one under its new name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lispwright_edit::{Change, Changes};
use lispwright_index::{
    Definition, Document, Facts, Hit, Index, LanguageOf, Mark, MarkRole, PossibleReason, Referent, Symbol, Use,
    UseIndex, UseKind, symbol_name,
};
use lispwright_syntax::{LineIndex, Tree, read};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::rename::{Named, RemadeFile};

/// The places of a changed file, before and after.
pub(crate) struct Moved<'p> {
    document: &'p Document,
    facts: Facts,
    changes: &'p [Change],
}

impl<'p> Moved<'p> {
    pub(crate) fn new(question: &UseIndex<'_>, document: &'p Document, tree: &Tree, changes: &'p [Change]) -> Self {
        Self { document, facts: question.facts_with_marks(document, tree), changes }
    }

    /// The place in the new text of a byte of the old one: of the start of a change, the start of the new text.
    fn at(&self, offset: u32) -> u32 {
        let before = self.changes.partition_point(|change| change.span.end <= offset);
        let shift: i64 =
            self.changes[..before].iter().map(|change| change.text.len() as i64 - i64::from(change.span.len())).sum();
        // A name that becomes a list is its first element: `balance` in `(balance amount)`.
        let inside = self.changes.get(before).is_some_and(|change| {
            change.span.start == offset && change.changes == Changes::Datum && change.text.starts_with('(')
        });
        u32::try_from(i64::from(offset) + shift + i64::from(inside)).unwrap_or(0)
    }
}

/// Compares the answers about the project before and after the change.
pub(crate) fn check(
    index: &Index,
    before: &UseIndex<'_>,
    named: &[Named],
    moved: &[Moved<'_>],
    files: &[RemadeFile],
    language_of: LanguageOf<'_>,
) -> Result<(), RenameRefusal> {
    let languages = files.iter().map(|file| language_of(&file.path, &file.new_text));
    let changed: Vec<_> =
        files.iter().zip(moved).zip(languages).filter_map(|(one, found)| Some((one, found?))).collect();
    let texts =
        changed.iter().map(|((file, _), language)| (file.path.clone(), file.new_text.clone(), language.clone()));
    let new_index = index.with(texts);
    let after = new_index.question(before.dialect());
    for ((file, moved), language) in changed {
        let Some(document) = new_index.document(&file.path) else { continue };
        let tree = read(&file.new_text, language).learning(&file.new_text);
        same_finds(moved, document, &after.facts_with_marks(document, &tree), named)?;
    }
    let moved: FxHashMap<&Path, &Moved<'_>> = moved.iter().map(|one| (one.document.path.as_path(), one)).collect();
    same_meanings(before, &after, named, &moved)
}

/// What the walk finds in a changed file is what it found before.
fn same_finds(moved: &Moved<'_>, document: &Document, facts: &Facts, named: &[Named]) -> Result<(), RenameRefusal> {
    let captured = |at: u32| {
        let name = named.first().map(|one| one.new.written.clone()).unwrap_or_default();
        let lines = LineIndex::new(document.text.as_bytes());
        let spot = Spot::within(&document.path, &document.text, &lines, at);
        Err(RenameRefusal::Captured { name, spot })
    };
    // Whether a function changes what it is given is guessed from its name, which may have changed.
    let kind = |used: &Use| match used.kind {
        UseKind::Assignment => UseKind::Value,
        kind => kind,
    };
    let use_of = |used: &Use| (moved.at(used.start), kind(used), used.hidden);
    let old: Vec<_> = moved.facts.uses.iter().map(use_of).collect();
    let new: Vec<_> = facts.uses.iter().map(|used| (used.start, kind(used), used.hidden)).collect();
    if let Some(at) = first_difference(&old, &new, |one| one.0) {
        return captured(at);
    }
    // Slots are counted apart; a binding may have to write them now.
    let is_counted = |mark: &&Mark| mark.role != MarkRole::Slot;
    let mark = |mark: &Mark| (moved.at(mark.span.start), mark.role);
    let old: Vec<_> = moved.facts.marks.iter().filter(is_counted).map(mark).collect();
    let new: Vec<_> = facts.marks.iter().filter(is_counted).map(|mark| (mark.span.start, mark.role)).collect();
    if let Some(at) = first_difference(&old, &new, |one| one.0) {
        return captured(at);
    }
    let names: FxHashMap<&str, &str> =
        named.iter().map(|one| (one.old.name.as_str(), one.new.canonical.as_str())).collect();
    let is_same = |(old, new): (&Definition, &Definition)| {
        let is_renamed = names.get(old.name.as_str()) == Some(&new.name.as_str());
        (old.form, old.kind, old.made) == (new.form, new.kind, new.made) && (old.name == new.name || is_renamed)
    };
    let (old, new) = (&moved.facts.definitions, &facts.definitions);
    let differs = old.iter().zip(new).position(|pair| !is_same(pair));
    if let Some(at) = differs.or((old.len() != new.len()).then_some(old.len().min(new.len()))) {
        let form = new.get(at).and_then(|one| facts.forms.get(one.form as usize));
        return captured(form.map_or(0, |form| form.span.start));
    }
    Ok(())
}

fn first_difference<T: PartialEq>(old: &[T], new: &[T], place: impl Fn(&T) -> u32) -> Option<u32> {
    let at = old.iter().zip(new).position(|(old, new)| old != new);
    let at = at.or((old.len() != new.len()).then_some(old.len().min(new.len())))?;
    [old.get(at), new.get(at)].into_iter().flatten().map(place).min()
}

/// A use of a name in question: file, place, meaning.
type Found = BTreeMap<(PathBuf, u32), Referent>;

/// In all files the uses of the names mean what they meant.
fn same_meanings(
    before: &UseIndex<'_>,
    after: &UseIndex<'_>,
    named: &[Named],
    moved: &FxHashMap<&Path, &Moved<'_>>,
) -> Result<(), RenameRefusal> {
    let renamed = |symbol: &Symbol| named.iter().find(|one| one.old == *symbol).map(Named::new_symbol);
    // Somebody else knows that a changed place means one of the names, whatever the files say.
    let respelled = |symbol: Symbol| match named.iter().find(|one| one.old.name == symbol.name) {
        Some(one) => Symbol { name: one.new.canonical.clone(), ..symbol },
        None => symbol,
    };
    let mut names: FxHashSet<String> = FxHashSet::default();
    for one in named {
        names.extend(before.names(&one.old));
        names.extend(after.names(&one.new_symbol()));
    }
    let new: FxHashSet<Symbol> = named.iter().map(Named::new_symbol).collect();
    let mut expected = Found::new();
    let mut origins: FxHashMap<(PathBuf, u32), (&Document, u32)> = FxHashMap::default();
    for hit in names.iter().flat_map(|name| before.named(name)) {
        let moved = moved.get(hit.document.path.as_path()).copied();
        let at = moved.map_or(hit.used.start, |moved| moved.at(hit.used.start));
        let meaning = before.meaning(hit.document, hit.used);
        if let Referent::Is(symbol) | Referent::Unknown(symbol) = &meaning
            && new.contains(symbol)
        {
            // Somebody means the new name already, and nobody in the project defines it.
            let spot = Box::new(Spot::of(hit.document, hit.used.start));
            let name = hit.document.text[hit.used.span().range()].to_owned();
            return Err(RenameRefusal::Collides { name, spot, symbol: symbol.clone() });
        }
        let place = (hit.document.path.clone(), at);
        let meaning = match meaning {
            // A place that writes the old name and is left means the old symbol, such as data that are no names.
            Referent::Is(symbol) if is_left(before, &hit, &symbol, moved) => Referent::Is(symbol),
            Referent::Is(symbol) => Referent::Is(renamed(&symbol).unwrap_or_else(|| respelled(symbol))),
            Referent::Unknown(symbol) if is_left(before, &hit, &symbol, moved) => Referent::Unknown(symbol),
            Referent::Unknown(symbol) => Referent::Unknown(respelled(symbol)),
        };
        origins.insert(place.clone(), (hit.document, hit.used.start));
        expected.insert(place, meaning);
    }
    let mut actual = Found::new();
    for hit in names.iter().flat_map(|name| after.named(name)) {
        actual.insert((hit.document.path.clone(), hit.used.start), after.meaning(hit.document, hit.used));
    }
    if let Some((place, meaning)) = expected.iter().find(|(place, meaning)| actual.get(place) != Some(meaning)) {
        return Err(refusal(after, place, actual.get(place).unwrap_or(meaning), named, origins.remove(place)));
    }
    for (place, meaning) in &actual {
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) = meaning;
        if !expected.contains_key(place) && new.contains(symbol) {
            return Err(refusal(after, place, meaning, named, None));
        }
    }
    Ok(())
}

/// The place writes the name of the symbol itself, and was not changed.
fn is_left(before: &UseIndex<'_>, hit: &Hit<'_>, symbol: &Symbol, moved: Option<&Moved<'_>>) -> bool {
    let span = hit.used.span();
    let is_changed = moved.is_some_and(|moved| {
        let first = moved.changes.partition_point(|change| change.span.start < span.start);
        moved.changes.get(first).is_some_and(|change| span.encloses(change.span))
    });
    symbol_name(before.dialect(), &hit.document.text[span.range()]) == symbol.name && !is_changed
}

/// Why a place forbids the change: it writes a new name that means something else there, or it keeps its name and would
/// mean something else. `origin` is where it is before the change.
fn refusal(
    after: &UseIndex<'_>,
    (path, at): &(PathBuf, u32),
    meaning: &Referent,
    named: &[Named],
    origin: Option<(&Document, u32)>,
) -> RenameRefusal {
    let (Referent::Is(symbol) | Referent::Unknown(symbol)) = meaning;
    let document = after.documents().iter().find(|document| document.path == *path);
    let used = document.and_then(|document| {
        let first = document.facts.uses.partition_point(|used| used.start < *at);
        document.facts.uses.get(first).filter(|used| used.start == *at).map(|used| (document, used))
    });
    if let (Some((document, used)), Some((before, start))) = (used, origin) {
        // Behind a prefix, too.
        let written = symbol_name(after.dialect(), &document.text[used.span().range()]);
        let is_new = |one: &Named| written.ends_with(&one.new.canonical) || symbol.name == one.new.canonical;
        if !named.iter().any(is_new) {
            let is_data = used.kind == UseKind::Quoted;
            let reason = if is_data { PossibleReason::ByName } else { PossibleReason::NotUnderstood };
            let symbol = named.first().map(|one| one.old.clone()).unwrap_or_default();
            let more = Box::new(Untold { symbol, ..Untold::default() });
            return RenameRefusal::CannotTell { spot: Spot::of(before, start), why: Doubt::MayMean { reason }, more };
        }
    }
    let name = named.first().map(|one| one.new.written.clone()).unwrap_or_default();
    let spot = document.map(|document| Spot::of(document, *at));
    let spot = spot.unwrap_or(Spot { path: path.clone(), line: 1, column: 1, text: String::new() });
    RenameRefusal::Collides { name, spot: Box::new(spot), symbol: symbol.clone() }
}

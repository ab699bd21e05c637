//! A rename of what has a name and is no symbol: a package, namespace, module, system or feature, with the files that are
//! named after it.
//!
//! Its name is written where it is declared, where others import, enter, require or depend on it, and before the symbols
//! of it. Every other symbol of that spelling forbids the rename, since nobody knows what it is. The result is proved by
//! asking the project anew: nothing has the old name, and the new one has as many places.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lispwright_edit::{Change, Changes, Source};
use lispwright_index::{
    Document, Index, PossibleReason, Symbol, Thing, Things, Tie, keywords_are_qualified, space_file, thing_name,
};
use lispwright_syntax::{Language, Span, TokenKind};

use crate::mention::{MentionKind, NameMention};
use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::rename::{Rename, RenameRequest, remade};

/// The changes of each file, by its path.
type Planned<'i> = BTreeMap<&'i Path, (&'i Document, Vec<Change>)>;

/// Plans the rename of a package, namespace, module, system or feature.
///
/// Errors: [`RenameRefusal::NotDefined`] if no file declares such a thing, and every other [`RenameRefusal`].
pub fn rename_thing(index: &Index, request: &RenameRequest<'_>) -> Result<Rename, RenameRefusal> {
    let old = thing_name(request.symbol);
    let new = thing_name(request.new_name);
    let nearest = || RenameRefusal::NotDefined { nearest: index.nearest(old, 5) };
    let things = index.things(old, |_| true).ok_or_else(nearest)?;
    let (first, place) = *things.declared.first().ok_or_else(nearest)?;
    if things.kinds == [Thing::File] {
        return Err(nearest());
    }
    check_name(old, new, first)?;
    if let Some(taken) = index.things(new, |_| true).filter(|taken| !taken.declared.is_empty()) {
        let (document, span) = taken.declared[0];
        let symbol = Symbol { space: new.to_owned(), name: String::new() };
        let spot = Box::new(Spot::of(document, span.start));
        return Err(RenameRefusal::Collides { name: new.to_owned(), spot, symbol });
    }
    let symbol = Symbol { space: old.to_owned(), name: String::new() };
    let mut plan = Plan { old, new, request, planned: BTreeMap::new(), left: Vec::new() };
    plan.take(&things)?;
    plan.belonging(index, &things);
    let moves = moves(&things, old, new);
    for (from, to) in &moves {
        plan.follow(index, from, to)?;
    }
    let unbalanced = plan.planned.values().find(|(document, _)| !document.is_balanced);
    if let Some((document, _)) = unbalanced {
        return Err(RenameRefusal::Unbalanced { path: document.path.clone() });
    }
    let mut files = Vec::new();
    for (document, changes) in plan.planned.values_mut() {
        changes.sort_by_key(|change| change.span.start);
        changes.dedup_by_key(|change| change.span.start);
        let language = (request.language_of)(&document.path, &document.text).unwrap_or_else(|| document.dialect.into());
        let source = Source::read(&document.text, language);
        files.push(remade(document, &source, changes, &[], 0)?);
    }
    let texts = files.iter().filter_map(|file| {
        Some((file.path.clone(), file.new_text.clone(), (request.language_of)(&file.path, &file.new_text)?))
    });
    let texts: Vec<(PathBuf, String, Language)> = texts.collect();
    let after = index.with(texts);
    let placed = |things: &Things<'_>| things.declared.len() + things.links.len() + things.qualified.len();
    let missing = after.things(new, |_| true).is_none_or(|found| placed(&found) != placed(&things));
    if missing {
        return Err(cannot_tell(Spot::of(first, place.start), not_understood(), Vec::new(), symbol));
    }
    if let Some(rest) = after.things(old, |_| true).filter(|rest| has_places(rest, old)) {
        let place = rest.declared.first().map(|(document, span)| Spot::of(document, span.start));
        let place = place.or(rest.links.first().map(|(document, link)| Spot::of(document, link.span.start)));
        let place = place.or(rest.possible.first().map(|(document, span)| Spot::of(document, span.start)));
        return Err(cannot_tell(place.unwrap_or_else(|| Spot::of(first, 0)), not_understood(), Vec::new(), symbol));
    }
    let form = first.facts.form_at(place.start).map(|form| first.facts.forms[form as usize].label.clone());
    Ok(Rename {
        dialect: first.dialect,
        label: form.unwrap_or_default(),
        names: vec![(old.to_owned(), new.to_owned())],
        definitions: things.declared.iter().filter(|(document, span)| writes(document, *span, old)).count(),
        symbol: Symbol { space: String::new(), name: old.to_owned() },
        files,
        left: plan.left,
        possible: Vec::new(),
        strangers: Vec::new(),
        kept: Vec::new(),
        moves,
    })
}

/// The new name can stand where the old one does.
fn check_name(old: &str, new: &str, document: &Document) -> Result<(), RenameRefusal> {
    let bad = |why| Err(RenameRefusal::BadName { why });
    if old == new {
        return Err(RenameRefusal::SameName);
    }
    if old.starts_with('(') != new.starts_with('(') {
        return bad("a module has a list for its name, and nothing else has one");
    }
    let is_plain = |c: char| !c.is_whitespace() && !"()[]{}\"';`,|\\".contains(c);
    let inner = new.trim_start_matches('(').trim_end_matches(')');
    let is_list = new.starts_with('(');
    if inner.is_empty() || !inner.chars().all(|c| is_plain(c) || (is_list && c == ' ')) {
        return bad("it does not read as one name");
    }
    if keywords_are_qualified(document.dialect) && !new.chars().next().is_some_and(char::is_alphabetic) {
        return bad("a namespace begins with a letter");
    }
    Ok(())
}

fn writes(document: &Document, span: Span, name: &str) -> bool {
    document.text[span.range()].to_lowercase().contains(&name.to_lowercase())
}

/// What is left of a name after a rename, besides words.
fn has_places(things: &Things<'_>, old: &str) -> bool {
    !things.declared.is_empty()
        || !things.links.is_empty()
        || !things.possible.is_empty()
        || things.qualified.iter().any(|(document, used)| writes(document, used.span(), old))
}

fn not_understood() -> Doubt {
    Doubt::MayMean { reason: PossibleReason::NotUnderstood }
}

fn cannot_tell(spot: Spot, why: Doubt, others: Vec<Spot>, symbol: Symbol) -> RenameRefusal {
    let more = Box::new(Untold { others, asks: Vec::new(), symbol });
    RenameRefusal::CannotTell { spot, why, more }
}

struct Plan<'p, 'i> {
    old: &'p str,
    new: &'p str,
    request: &'p RenameRequest<'p>,
    planned: Planned<'i>,
    left: Vec<NameMention>,
}

impl<'i> Plan<'_, 'i> {
    fn symbol(&self) -> Symbol {
        Symbol { space: self.old.to_owned(), name: String::new() }
    }

    fn change(&mut self, document: &'i Document, span: Span, text: String) {
        let changes = if document.text[span.range()].starts_with('(') { Changes::Datum } else { Changes::Name };
        let entry = self.planned.entry(document.path.as_path()).or_insert_with(|| (document, Vec::new()));
        entry.1.push(Change { span, text, changes });
    }

    /// The old name in `written`, which is a designator, with the new one in its place.
    fn instead_of(&self, document: &Document, written: &str) -> Option<String> {
        let folds = document.dialect.folds_case();
        let start = written.len() - written.trim_start_matches(['#', ':', '\'', '"']).len();
        let inner = written[start..].trim_end_matches('"');
        let rest = match () {
            () if inner == self.old || (folds && inner.eq_ignore_ascii_case(self.old)) => "",
            () => {
                let part = inner
                    .get(..self.old.len())
                    .filter(|part| *part == self.old || (folds && part.eq_ignore_ascii_case(self.old)))?;
                inner[part.len()..].starts_with('/').then_some(&inner[part.len()..])?
            }
        };
        let is_loud = folds && inner == inner.to_uppercase() && inner != inner.to_lowercase();
        let new = if is_loud { self.new.to_uppercase() } else { self.new.to_owned() };
        let end = written.len() - written[start..].len() + inner.len();
        Some(format!("{}{new}{rest}{}", &written[..start], &written[end..]))
    }

    fn take(&mut self, things: &Things<'i>) -> Result<(), RenameRefusal> {
        let links = things.links.iter().map(|(document, link)| (*document, link.span));
        for (document, span) in things.declared.iter().copied().chain(links) {
            let written = &document.text[span.range()];
            if written.starts_with('(') {
                self.change(document, span, self.new.to_owned());
            } else if let Some(text) = self.instead_of(document, written) {
                self.change(document, span, text);
            }
        }
        for (document, used) in &things.qualified {
            self.qualified(document, used.span());
        }
        let (mut unknown, mut words) = (Vec::new(), Vec::new());
        for (document, span) in &things.possible {
            let written = &document.text[span.range()];
            // A keyword may be a word of anything; `:main shop.core` and the files of a build tool name it.
            let names_it = match written.starts_with([':', '#']) {
                true => self.request.also.contains(&MentionKind::Keyword),
                false => document.facts.links.is_empty() || is_after_keyword(document, *span),
            };
            match self.instead_of(document, written).filter(|_| names_it) {
                Some(text) => self.change(document, *span, text),
                None if written.starts_with([':', '#']) => words.push(Spot::of(document, span.start)),
                None => unknown.push(Spot::of(document, span.start)),
            }
        }
        self.keywords(things)?;
        for (document, span, kind) in &things.mentions {
            if self.request.also.contains(kind) {
                self.change(document, *span, self.new.to_owned());
            } else {
                let Spot { path, line, column, text } = Spot::of(document, span.start);
                self.left.push(NameMention { path, line, column, kind: *kind, text });
            }
        }
        let why = if unknown.is_empty() { Doubt::Keyword } else { not_understood() };
        let mut untold = unknown.into_iter().chain(words);
        match untold.next() {
            Some(spot) => Err(cannot_tell(spot, why, untold.collect(), self.symbol())),
            None => Ok(()),
        }
    }

    /// The systems that belong to a system, and are found in its file: `shop/tests` of `shop`.
    fn belonging(&mut self, index: &'i Index, things: &Things<'_>) {
        if !things.kinds.contains(&Thing::System) {
            return;
        }
        let prefix = format!("{}/", self.old);
        for document in index.documents() {
            let links = document.facts.links.iter();
            for link in links.filter(|link| link.thing == Thing::System && link.name.starts_with(&prefix)) {
                if let Some(text) = self.instead_of(document, &document.text[link.span.range()]) {
                    self.change(document, link.span, text);
                }
            }
        }
    }

    /// The qualifier of a symbol, if it is the name itself and no alias.
    fn qualified(&mut self, document: &'i Document, span: Span) {
        let written = &document.text[span.range()];
        let Some(end) = written.rfind([':', '/', '.']) else { return };
        let qualifier = written[..end].trim_end_matches(':');
        let folds = document.dialect.folds_case();
        if qualifier == self.old || (folds && qualifier.eq_ignore_ascii_case(self.old)) {
            let part = Span::new(span.start, span.start + qualifier.len() as u32);
            if let Some(text) = self.instead_of(document, qualifier) {
                self.change(document, part, text);
            }
        }
    }

    /// The places that name a file by its path, which moves: `(load "shop/core")`.
    fn follow(&mut self, index: &'i Index, from: &Path, to: &Path) -> Result<(), RenameRefusal> {
        for (document, link) in index.file_links(from) {
            let written = &document.text[link.span.range()];
            match moved_path(written, from, to) {
                Some(text) => self.change(document, link.span, text),
                None => {
                    let spot = Spot::of(document, link.span.start);
                    return Err(cannot_tell(spot, not_understood(), Vec::new(), self.symbol()));
                }
            }
        }
        Ok(())
    }

    /// The keywords of a namespace that write its name: `:shop.core/id`.
    fn keywords(&mut self, things: &Things<'i>) -> Result<(), RenameRefusal> {
        let prefix = format!(":{}/", self.old);
        let mut documents: Vec<&'i Document> = Vec::new();
        documents.extend(things.declared.iter().map(|(document, _)| *document));
        documents.extend(things.links.iter().map(|(document, _)| *document));
        documents.extend(things.qualified.iter().map(|(document, _)| *document));
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        documents.dedup_by(|a, b| a.path == b.path);
        for document in
            documents.into_iter().filter(|one| keywords_are_qualified(one.dialect) && one.text.contains(&prefix))
        {
            for (_, token) in document.tree().tokens().filter(|(kind, _)| *kind == TokenKind::Atom) {
                if document.text[token.range()].starts_with(&prefix) {
                    let part = Span::new(token.start + 1, token.start + prefix.len() as u32 - 1);
                    self.change(document, part, self.new.to_owned());
                }
            }
        }
        Ok(())
    }
}

/// The symbol is the value of a keyword: `:main shop.core`.
fn is_after_keyword(document: &Document, span: Span) -> bool {
    let before = document.text[..span.start as usize].trim_end();
    let start = before.rfind(|c: char| c.is_whitespace() || "([{".contains(c)).map_or(0, |at| at + 1);
    before[start..].starts_with(':')
}

/// A path as code writes it, in quotes, of a file that moves. `None` if it does not write all that changes.
fn moved_path(written: &str, from: &Path, to: &Path) -> Option<String> {
    let same = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let changed = |path: &Path| path.components().skip(same).collect::<PathBuf>().to_str().map(str::to_owned);
    let (from, to) = (changed(from)?, changed(to)?);
    let without = |path: &str| Path::new(path).with_extension("").to_str().map(str::to_owned);
    let plain = written.trim_end_matches('"');
    let end = &written[plain.len()..];
    let instead = |from: &str, to: &str| {
        let rest = plain.strip_suffix(from).filter(|rest| rest.is_empty() || rest.ends_with(['/', '"']))?;
        Some(format!("{rest}{to}{end}"))
    };
    instead(&from, &to).or_else(|| instead(&without(&from)?, &without(&to)?))
}

/// The files that are named after the thing, with their new places.
fn moves(things: &Things<'_>, old: &str, new: &str) -> Vec<(PathBuf, PathBuf)> {
    let mut moves = Vec::new();
    for (document, _) in &things.declared {
        let parts = |name: &str| space_file(document.dialect, name);
        let (from, to) = (parts(old), parts(new));
        let Some(extension) = document.path.extension().map(|one| one.to_string_lossy().into_owned()) else { continue };
        let stem = document.path.with_extension("");
        let declares = |link: &&lispwright_index::Link| {
            matches!(link.tie, Tie::Declares | Tie::Provides) && link.name.eq_ignore_ascii_case(old)
        };
        // A package of Common Lisp has no file of its own; its system has.
        let has_file = document
            .facts
            .links
            .iter()
            .filter(declares)
            .any(|link| link.thing != Thing::Space || !document.dialect.folds_case());
        if has_file && stem.ends_with(&from) {
            let root: PathBuf = {
                let count = Path::new(&from).components().count();
                stem.ancestors().nth(count).unwrap_or(Path::new("")).to_owned()
            };
            moves.push((document.path.clone(), root.join(format!("{to}.{extension}"))));
        }
    }
    moves.sort();
    moves.dedup();
    moves
}

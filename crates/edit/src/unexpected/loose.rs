//! Forms at top level that look like a part of a form which has lost its beginning.

use std::borrow::Cow;

use lispwright_syntax::{Datum, Dialect, TokenKind, name::canonical_head};
use rustc_hash::FxHashSet;

use super::{MOST_FOUND, Part, Unexpected};

/// A form at top level that is seldom meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loose {
    /// A string before what no definition begins with.
    Docstring,
    /// An atom.
    Atom,
    /// A form that is indented, directly below another one.
    Tail,
    /// A list that is no call: its first datum is a list or a string, or it is a vector.
    NoCall,
}

impl Loose {
    pub(super) const fn kind(self) -> &'static str {
        match self {
            Self::Docstring => "loose-docstring",
            Self::Atom => "loose-atom",
            Self::Tail => "loose-tail",
            Self::NoCall => "loose-list",
        }
    }

    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::Docstring => {
                "this string is in no form. If it is a docstring, the beginning of its definition is missing."
            }
            Self::Atom => {
                "this word is in no form, and has no effect. If it belongs to a form, that has ended too early."
            }
            Self::Tail => {
                "this form is indented, but in no form. If it belongs to the one before it, that has ended too early."
            }
            Self::NoCall => {
                "this list is in no form, and is no call. If it is the rest of a form, the beginning of that is \
                 missing."
            }
        }
    }
}

/// Dialects that print the values of what stands at top level.
const PRINTING: &[Dialect] = &[Dialect::Racket];

/// The loose forms of a text, as far as they are certain without an earlier one.
pub(super) fn alone(part: Part<'_>) -> Vec<Unexpected> {
    let mut found = loose(part);
    if found.is_empty() || !is_code(part) {
        return Vec::new();
    }
    let prints = PRINTING.contains(&part.tree.dialect());
    let has_style = found.iter().any(|(what, _)| *what == Loose::Tail) && is_indented(part);
    found.retain(|(what, _)| match what {
        Loose::Atom => !prints,
        Loose::Tail => !has_style,
        Loose::Docstring | Loose::NoCall => true,
    });
    found.into_iter().take(MOST_FOUND).map(|(what, at)| Unexpected::Loose { what, line: part.line(at) }).collect()
}

/// The first loose form of a part, unless the old text has such forms as well.
pub(super) fn since(old: Part<'_>, part: Part<'_>) -> Option<Unexpected> {
    let found = loose(part);
    if found.is_empty() || !is_code(part) {
        return None;
    }
    let known = loose(Part::whole(old.tree, old.text));
    let known: FxHashSet<Loose> = known.into_iter().map(|(what, _)| what).collect();
    let (what, at) = found.into_iter().find(|(what, _)| !known.contains(what))?;
    Some(Unexpected::Loose { what, line: part.line(at) })
}

/// The text defines something at top level.
fn is_code(part: Part<'_>) -> bool {
    let language = part.tree.language();
    part.tree.top_level().any(|datum| head_of(part, datum).is_some_and(|head| language.is_definer(&head)))
}

/// The datum is a list that defines something, adds to a definition, or says how the file is read.
fn states(part: Part<'_>, datum: Datum) -> bool {
    head_of(part, datum).is_some_and(|head| part.tree.language().states(&head))
}

/// The head of a datum that is a list, canonical.
fn head_of<'t>(part: Part<'t>, datum: Datum) -> Option<Cow<'t, str>> {
    let Part { tree, text, .. } = part;
    let list = datum.list().filter(|list| tree.kind(tree.list(*list).open()) == TokenKind::OpenParen)?;
    let head = tree.data(list).next().filter(|head| head.is_bare())?;
    Some(canonical_head(tree.dialect(), &text[tree.core_span(head).range()]))
}

/// A form at top level that states something is indented: so may all others be.
fn is_indented(part: Part<'_>) -> bool {
    let Part { tree, .. } = part;
    let indented = |datum: &Datum| part.indent(tree.datum_span(*datum).start).is_some_and(|column| column > 0);
    tree.top_level().filter(indented).any(|datum| states(part, datum))
}

/// The loose forms that begin in a part, with their places. Of those that follow each other, the first stands for all.
fn loose(part: Part<'_>) -> Vec<(Loose, u32)> {
    let Part { tree, span, .. } = part;
    let mut found = Vec::new();
    let (mut before, mut after_loose) = (None, false);
    let mut data = tree.top_level().peekable();
    while let Some(datum) = data.next() {
        let place = tree.datum_span(datum);
        if place.start >= span.end {
            break;
        }
        if place.start >= span.start
            && datum.is_bare()
            && let Some(indent) = part.indent(place.start)
        {
            let what = match datum.list() {
                None => loose_atom(part, datum, indent, data.peek().copied()),
                Some(_) => loose_list(part, before, datum, indent),
            };
            found.extend(what.filter(|_| !after_loose).map(|what| (what, place.start)));
            after_loose = what.is_some();
        } else {
            after_loose = false;
        }
        before = Some(datum);
    }
    found
}

/// The beginning of a script that a shell reads first.
const SHELL: &str = "\":\"";

/// A string before what no definition begins with, or a word.
fn loose_atom(part: Part<'_>, datum: Datum, indent: u32, next: Option<Datum>) -> Option<Loose> {
    let Part { tree, text, .. } = part;
    let place = tree.datum_span(datum);
    let own = &text[place.range()];
    match tree.kind(datum.core) {
        TokenKind::String => {
            let next = next.filter(|_| own.starts_with('"') && own != SHELL)?;
            let is_inner = part.indent(tree.datum_span(next).start).is_some_and(|column| column > 0);
            let is_part = indent > 0 || is_inner || is_no_call(part, next) || !states(part, next);
            is_part.then_some(Loose::Docstring)
        }
        // `package::` before a form, and marks of the reader.
        TokenKind::Atom if own.starts_with(['#', ':']) || own.ends_with("::") => None,
        TokenKind::Atom | TokenKind::Character => Some(Loose::Atom),
        _ => None,
    }
}

/// A list that is no call, or that is indented directly below another form.
fn loose_list(part: Part<'_>, before: Option<Datum>, datum: Datum, indent: u32) -> Option<Loose> {
    let Part { tree, text, .. } = part;
    if is_no_call(part, datum) {
        return Some(Loose::NoCall);
    }
    let end = tree.datum_span(before?).end as usize;
    let follows = text[end..tree.datum_span(datum).start as usize].matches('\n').count() >= 1;
    (indent > 0 && follows).then_some(Loose::Tail)
}

/// Dialects in which all brackets are alike.
const SQUARE_CALLS: &[Dialect] = &[Dialect::Scheme, Dialect::Racket];

/// A list that begins with no symbol, a vector or a map, or no list at all. Where functions have no names of their own,
/// a list may stand in the place of one.
fn is_no_call(part: Part<'_>, datum: Datum) -> bool {
    let Part { tree, .. } = part;
    let Some(list) = datum.list() else { return true };
    if tree.kind(tree.list(list).open()) != TokenKind::OpenParen && !SQUARE_CALLS.contains(&tree.dialect()) {
        return datum.is_bare();
    }
    let Some(head) = tree.data(list).next() else { return false };
    match tree.kind(head.core) {
        TokenKind::String | TokenKind::Character => true,
        kind if kind.is_open() => head.is_bare() && tree.dialect().folds_case(),
        _ => false,
    }
}

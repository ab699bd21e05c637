//! Effects that balance and are seldom meant: a name defined twice, a body in the place of its definition, quotes inside
//! a string.

use std::ops::Range;

use lispwright_syntax::{Form, FormKind, Forms, Span, TokenKind, Tree, same_back, same_front, whole_lines};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::line_at;

/// An effect of a change that its author seldom means. Lines count from 1 and are those of the new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unexpected {
    /// A form of the same kind defines the name as well.
    DefinedTwice {
        /// The label of the new form.
        label: String,
        /// Its line.
        line: u32,
        /// The line of the other one.
        other: u32,
    },
    /// A definition was replaced by a form that defines nothing.
    Undefined {
        /// The label of the definition.
        before: String,
        /// The label of the new form.
        after: String,
    },
    /// A string touches a word that touches another string.
    GluedQuotes {
        /// Its line.
        line: u32,
    },
}

impl Unexpected {
    /// What has happened, and what to do, with the names of the forms.
    pub fn sentence(&self) -> String {
        self.say(|label, _| format!("`{label}`"))
    }

    /// The same without source, for messages where source may only stand in fences.
    pub fn without_source(&self) -> String {
        self.say(|_, instead| instead.to_owned())
    }

    fn say(&self, name: impl Fn(&str, &str) -> String) -> String {
        match self {
            Self::DefinedTwice { label, line, other } => format!(
                "Line {other} defines {} as well: the later one takes effect. Remove the one that is not meant.",
                name(label, &format!("the name of line {line}"))
            ),
            Self::Undefined { before, after } => format!(
                "{} was replaced by {}, which defines nothing. Send the whole definition if it is to stay.",
                name(before, "A definition"),
                name(after, "a form")
            ),
            Self::GluedQuotes { line } => format!(
                "A string touches a word on line {line}: if its quotes are inside a string, write them as \\\"."
            ),
        }
    }

    /// The definition `old` became `new`, which defines nothing. A form about the same name may define it in its own
    /// way.
    pub(crate) fn undefined((old, old_text): (&Form, &str), (new, new_text): (&Form, &str)) -> Option<Self> {
        let name = old.name.as_deref().filter(|_| old.kind.is_definition() && !new.kind.is_definition())?;
        let (before, after) = (old.label(old_text), new.label(new_text));
        let about = after.split_once(' ').map(|(_, about)| about);
        (about != Some(name)).then_some(Self::Undefined { before, after })
    }
}

/// The unexpected effects of the new part of a text. `before` are the forms of the old text, where `old_part` was in its
/// place; the rest of the text is the same.
pub(crate) fn of_part(
    (before, old_part): (&Forms, Span),
    (tree, text): (&Tree, &str),
    new_part: Span,
) -> Vec<Unexpected> {
    let inside = |form: &Form| new_part.start <= form.outer.start && form.outer.end <= new_part.end;
    let own = Forms::within(tree, text, new_part);
    let own: Vec<&Form> = own.iter().map(|(_, form)| form).filter(|form| inside(form)).collect();
    let mut keys: FxHashSet<Key<'_>> = FxHashSet::default();
    let twice = own.iter().filter_map(|form| defined_once(form)).filter(|key| !keys.insert(*key)).count() > 0;
    let stays = |form: &Form| form.outer.end <= old_part.start || old_part.end <= form.outer.start;
    let known = |(_, form): (_, &Form)| stays(form) && defined_once(form).is_some_and(|key| keys.contains(&key));
    // All forms are looked at only if one of them may be the second.
    let again = match twice || (!keys.is_empty() && before.iter().any(known)) {
        true => defined_again(|| Definitions::of(before), (tree, text), own.into_iter()),
        false => None,
    };
    let glued = glued_quotes(tree, new_part).next().map(|at| Unexpected::GluedQuotes { line: line_at(text, at) });
    again.into_iter().chain(glued).collect()
}

/// The unexpected effects of a change of a text, each with the lines of the new text that show it. Both texts balance.
///
/// All forms are looked at only if the beginning of a definition has changed.
pub fn unexpected_since((old_tree, old): (&Tree, &str), (tree, text): (&Tree, &str)) -> Vec<(Unexpected, Vec<u32>)> {
    let front = same_front(old.as_bytes(), text.as_bytes());
    let back = same_back(&old.as_bytes()[front..], &text.as_bytes()[front..]);
    let (was, is) = (front..old.len() - back, front..text.len() - back);
    let (old_own, own) = (Forms::within(old_tree, old, span(&was)), Forms::within(tree, text, span(&is)));
    let begins_anew = |form: &Form| {
        let named = form.name_span.map_or(form.outer.start, |name| name.end);
        form.outer.start as usize <= is.end && is.start <= named as usize
    };
    let new = own.iter().map(|(_, form)| form).filter(|form| begins_anew(form));
    let again = defined_again(|| Definitions::of(&Forms::new(old_tree, old)), (tree, text), new);
    let mut found: Vec<(Unexpected, Vec<u32>)> = Vec::new();
    if let Some(Unexpected::DefinedTwice { line, other, .. }) = again {
        let mut shown = vec![line, other];
        shown.sort_unstable();
        found.extend(again.map(|again| (again, shown)));
    }
    if old_own.top_level().count() == own.top_level().count() {
        let stays = |old: &Form| own.iter().any(|(_, new)| new.name == old.name && new.kind.is_definition());
        let pairs = old_own.top_level().zip(own.top_level()).map(|((_, old), (_, new))| (old, new));
        found.extend(pairs.filter(|(form, _)| !stays(form)).find_map(|(form, new)| {
            let undefined = Unexpected::undefined((form, old), (new, text))?;
            Some((undefined, vec![line_at(text, new.span.start)]))
        }));
    }
    let glued = |tree, text, changed| glued_quotes(tree, span(&whole_lines(text, changed)));
    if let Some(at) = glued(tree, text, is.clone()).next()
        && glued(tree, text, is).count() > glued(old_tree, old, was).count()
    {
        let line = line_at(text, at);
        found.push((Unexpected::GluedQuotes { line }, vec![line]));
    }
    found
}

fn span(bytes: &Range<usize>) -> Span {
    Span::new(bytes.start as u32, bytes.end as u32)
}

/// How often a text defines each name.
struct Definitions(FxHashMap<(String, String), usize>);

impl Definitions {
    fn of(forms: &Forms) -> Self {
        let mut counts = FxHashMap::default();
        for key in forms.iter().filter_map(|(_, form)| defined_once(form)) {
            *counts.entry((key.0.to_owned(), key.1.to_owned())).or_default() += 1;
        }
        Self(counts)
    }
}

/// The first of the forms `own` that defines a name which another form of the same kind defines as well. The old text
/// had fewer forms like it.
fn defined_again<'f>(
    known: impl FnOnce() -> Definitions,
    (tree, text): (&Tree, &str),
    own: impl Iterator<Item = &'f Form>,
) -> Option<Unexpected> {
    let own: Vec<(&Form, Key<'_>)> = own.filter_map(|form| Some((form, defined_once(form)?))).collect();
    if own.is_empty() {
        return None;
    }
    let all = Forms::new(tree, text);
    // In another package, the same name is another one.
    if all.iter().filter(|(_, form)| form.kind == FormKind::Package || form.head_name.starts_with("in-")).count() > 1 {
        return None;
    }
    let wanted: FxHashSet<Key<'_>> = own.iter().map(|(_, key)| *key).collect();
    let mut places: FxHashMap<Key<'_>, Vec<Span>> = FxHashMap::default();
    for (_, form) in all.iter() {
        if let Some(key) = defined_once(form).filter(|key| wanted.contains(key)) {
            places.entry(key).or_default().push(form.outer);
        }
    }
    places.retain(|_, places| places.len() > 1);
    if places.is_empty() {
        return None;
    }
    let known = known().0;
    own.iter().find_map(|(form, key)| {
        let places = places.get(key)?;
        let before = known.get(&(key.0.to_owned(), key.1.to_owned())).copied().unwrap_or_default();
        let other = places.iter().find(|place| place.start != form.outer.start)?;
        let (line, other) = (line_at(text, form.span.start), line_at(text, other.start));
        (places.len() > before).then(|| Unexpected::DefinedTwice { label: form.label(text), line, other })
    })
}

/// The head and the name of a definition.
type Key<'f> = (&'f str, &'f str);

/// What a form defines, if a second form like it in the same file would take its place.
fn defined_once(form: &Form) -> Option<Key<'_>> {
    use FormKind::{Class, Condition, Function, Macro, Structure, Test, Type, Variable};
    let kind = matches!(form.kind, Function | Macro | Variable | Class | Structure | Type | Condition | Test);
    let once = kind && form.conditions.is_empty() && form.parent.is_none() && !form.broken;
    Some((form.head_name.as_str(), form.name.as_deref().filter(|_| once)?))
}

/// The places at which a string touches a word that touches another string: `"Sum the "prices" of X."`.
fn glued_quotes(tree: &Tree, part: Span) -> impl Iterator<Item = u32> {
    const GLUED: [TokenKind; 3] = [TokenKind::String, TokenKind::Atom, TokenKind::String];
    let mut last = [TokenKind::Blank; 3];
    let mut word = 0;
    tree.tokens_within(part).filter_map(move |(kind, place)| {
        last = [last[1], last[2], kind];
        let at = std::mem::replace(&mut word, place.start);
        (last == GLUED).then_some(at)
    })
}

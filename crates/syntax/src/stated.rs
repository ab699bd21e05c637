//! Forms of a head as a project states them in its configuration: `"((name value?)*) body+"`.
//!
//! A row is what stands after the head. Its words are the [`PartMeaning`]s; `'else` and `:on` stand for themselves; lists
//! and vectors stand in their brackets; `?` is none or one, `*` any number, `+` at least one. A list has at most one
//! part of any number, and none that may be missing after it, so a use fits in one way.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::definer::{FormKind, Place, Placed, Shape};
use crate::definers::Definer;

/// What a datum of a form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartMeaning {
    /// A name, or a pattern of names, that the code after it sees.
    Name,
    /// Names with their values, written as the dialect's `let` writes them.
    Bindings,
    /// A list of parameters.
    Parameters,
    /// Code.
    Value,
    /// Code, laid out as a body.
    Body,
    /// Data that is not evaluated.
    Data,
    /// A docstring.
    Docstring,
    /// The name of a definition.
    Defines(FormKind),
}

/// How often a part stands in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Once.
    One,
    /// Once or not at all.
    Optional,
    /// Any number of times.
    Many,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A datum with this meaning.
    Is(PartMeaning),
    /// This word itself.
    Word(String),
    /// A list or vector of these parts.
    List(Vec<RowPart>),
}

/// A part of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowPart {
    /// What it is.
    pub what: What,
    /// How often it stands there.
    pub count: Count,
}

/// What stands after a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    parts: Vec<RowPart>,
}

/// The reason why a row is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowError {
    /// Nothing is in it.
    Empty,
    /// A word that it cannot have.
    Word(String),
    /// A bracket without its partner.
    Bracket(char),
    /// `?`, `*` or `+` without a part before it.
    Count(char),
    /// Lists are in lists too deep.
    Deep,
    /// After a part of any number, another such part, or one that may be missing.
    Ambiguous,
}

impl std::fmt::Display for RowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "nothing stands in the row"),
            Self::Word(word) => {
                write!(f, "`{word}` is neither a known head nor a word of a row: use ")?;
                let words = MEANINGS.iter().map(|(word, _)| *word).chain(KINDS.iter().map(|(word, _)| *word));
                f.write_str(&words.collect::<Vec<_>>().join(", "))?;
                f.write_str(", or 'word for the word itself")
            }
            Self::Bracket(bracket) => write!(f, "`{bracket}` has no partner"),
            Self::Count(count) => write!(f, "`{count}` has no part before it"),
            Self::Deep => write!(f, "lists are more than {DEEPEST} deep"),
            Self::Ambiguous => write!(f, "after a part with `*` or `+`, no other part of its list can have a count"),
        }
    }
}

/// Lists of a row are read up to this depth.
const DEEPEST: usize = 8;

/// The words of a row.
const MEANINGS: &[(&str, PartMeaning)] = &[
    ("name", PartMeaning::Name),
    ("bindings", PartMeaning::Bindings),
    ("params", PartMeaning::Parameters),
    ("value", PartMeaning::Value),
    ("body", PartMeaning::Body),
    ("data", PartMeaning::Data),
    ("doc", PartMeaning::Docstring),
];

/// The words for names that are defined.
const KINDS: &[(&str, FormKind)] = &[
    ("function", FormKind::Function),
    ("macro", FormKind::Macro),
    ("variable", FormKind::Variable),
    ("class", FormKind::Class),
    ("structure", FormKind::Structure),
    ("type", FormKind::Type),
    ("condition", FormKind::Condition),
    ("test", FormKind::Test),
    ("definition", FormKind::Definition),
];

impl Row {
    /// Reads a row.
    pub fn parse(text: &str) -> Result<Self, RowError> {
        let mut open: Vec<(char, Vec<RowPart>)> = Vec::new();
        let mut parts: Vec<RowPart> = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let mut length = first.len_utf8();
            match first {
                '(' | '[' if open.len() >= DEEPEST => return Err(RowError::Deep),
                '(' | '[' => {
                    let close = if first == '(' { ')' } else { ']' };
                    open.push((close, std::mem::take(&mut parts)));
                }
                ')' | ']' => match open.pop() {
                    Some((close, around)) if close == first => {
                        let inside = std::mem::replace(&mut parts, around);
                        parts.push(RowPart { what: What::List(checked(inside)?), count: Count::One });
                    }
                    _ => return Err(RowError::Bracket(first)),
                },
                '?' | '*' | '+' => count(&mut parts, first)?,
                _ => {
                    // A word that stands for itself may end as a count does.
                    let is_literal = matches!(first, '\'' | ':' | '&' | '#');
                    let ends = |c: char| c.is_whitespace() || "()[]".contains(c) || !is_literal && "?*+".contains(c);
                    length = rest.find(ends).unwrap_or(rest.len());
                    parts.push(RowPart { what: word(&rest[..length])?, count: Count::One });
                }
            }
            rest = rest[length..].trim_start();
        }
        if let Some((close, _)) = open.first() {
            return Err(RowError::Bracket(if *close == ')' { '(' } else { '[' }));
        }
        if parts.is_empty() {
            return Err(RowError::Empty);
        }
        Ok(Self { parts: checked(parts)? })
    }

    /// What stands after the head.
    pub fn parts(&self) -> &[RowPart] {
        &self.parts
    }

    /// So many arguments, counted from 1, are apart from a body.
    pub fn before_body(&self) -> Option<u8> {
        let at = self.parts.iter().position(|part| part.what == What::Is(PartMeaning::Body))?;
        let is_fixed = self.parts[..at].iter().all(|part| part.count != Count::Many);
        u8::try_from(at).ok().filter(|_| is_fixed)
    }

    /// The fewest and the most arguments; without `most`, any number.
    pub fn arguments(&self) -> (usize, Option<usize>) {
        let fewest = self.parts.iter().filter(|part| part.count == Count::One).count();
        let is_open = self.parts.iter().any(|part| part.count == Count::Many);
        (fewest, (!is_open).then_some(self.parts.len()))
    }

    /// The definer that a head with this row is.
    pub(crate) fn definer(&self) -> Option<Definer> {
        let is = |meaning: fn(PartMeaning) -> bool| move |what: &What| matches!(what, What::Is(one) if meaning(*one));
        let name = self.place(is(|one| matches!(one, PartMeaning::Defines(_))))?;
        let What::Is(PartMeaning::Defines(kind)) = self.at(name)? else { return None };
        let parameters = self.place(is(|one| one == PartMeaning::Parameters)).filter(|_| kind.has_parameters());
        let docstring = self.place(is(|one| one == PartMeaning::Docstring));
        let shape = Shape::Placed(Placed { name, parameters, docstring });
        Some(Definer { kind: *kind, shape, like: None, stated: true })
    }

    fn at(&self, place: Place) -> Option<&What> {
        let what = &self.parts.get(usize::from(place.at))?.what;
        match (place.within, what) {
            (Some(within), What::List(parts)) => Some(&parts.get(usize::from(within))?.what),
            _ => Some(what),
        }
    }

    /// The first part, or part of a list, that fulfils the condition.
    fn place(&self, is: impl Fn(&What) -> bool) -> Option<Place> {
        self.parts.iter().enumerate().find_map(|(at, part)| {
            let at = u8::try_from(at).ok()?;
            match &part.what {
                What::List(parts) => {
                    let within = parts.iter().position(|part| is(&part.what))?;
                    Some(Place { at, within: Some(u8::try_from(within).ok()?) })
                }
                what => is(what).then_some(Place { at, within: None }),
            }
        })
    }
}

/// Gives the last part a count.
fn count(parts: &mut Vec<RowPart>, sign: char) -> Result<(), RowError> {
    let last = parts.last_mut().filter(|last| last.count == Count::One).ok_or(RowError::Count(sign))?;
    match sign {
        '?' => last.count = Count::Optional,
        '*' => last.count = Count::Many,
        _ => {
            let more = RowPart { what: last.what.clone(), count: Count::Many };
            parts.push(more);
        }
    }
    Ok(())
}

fn word(word: &str) -> Result<What, RowError> {
    if let Some(literal) = word.strip_prefix('\'').filter(|literal| !literal.is_empty()) {
        return Ok(What::Word(literal.to_owned()));
    }
    if word.len() > 1 && word.starts_with([':', '&', '#']) {
        return Ok(What::Word(word.to_owned()));
    }
    let meaning = MEANINGS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    let kind = || KINDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| PartMeaning::Defines(*kind));
    meaning.or_else(kind).map(What::Is).ok_or_else(|| RowError::Word(word.to_owned()))
}

/// The parts of a list, which a use can fit in one way only.
fn checked(parts: Vec<RowPart>) -> Result<Vec<RowPart>, RowError> {
    let many = parts.iter().position(|part| part.count == Count::Many);
    let after = many.map_or(&[][..], |at| &parts[at + 1..]);
    if after.iter().any(|part| part.count != Count::One) {
        return Err(RowError::Ambiguous);
    }
    Ok(parts)
}

/// What a project states of a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stated {
    /// Its forms are like those of this head, canonical.
    Like(String),
    /// The first of these rows that a use fits is its form.
    Rows(Arc<[Row]>),
}

impl Stated {
    /// The head, canonical, that its forms are like.
    pub(crate) fn like(&self) -> Option<&str> {
        match self {
            Self::Like(like) => Some(like),
            Self::Rows(_) => None,
        }
    }

    /// The rows of its forms.
    pub(crate) fn rows(&self) -> Option<&Arc<[Row]>> {
        match self {
            Self::Rows(rows) => Some(rows),
            Self::Like(_) => None,
        }
    }
}

/// What a project states, by canonical head.
pub(crate) type StatedForms = BTreeMap<String, Stated>;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn rows_say_where_the_body_begins_and_how_many_arguments_there_are() {
        for (text, before, arguments) in [
            ("((name value?)*) body+", Some(1), (2, None)),
            ("bindings body*", Some(1), (1, None)),
            ("value :on value", None, (3, Some(3))),
            ("value value?", None, (1, Some(2))),
            ("value* body", None, (1, None)),
            ("function params doc? body*", Some(3), (2, None)),
            ("body+", Some(0), (1, None)),
        ] {
            let row = Row::parse(text).unwrap();
            assert_eq!((row.before_body(), row.arguments()), (before, arguments), "{text}");
        }
    }

    #[test]
    fn wrong_rows_are_refused() {
        let refused = |text: &str| Row::parse(text).unwrap_err();
        assert_eq!(refused("  "), RowError::Empty);
        assert_eq!(refused("name bdy"), RowError::Word("bdy".to_owned()));
        assert_eq!(refused("(name"), RowError::Bracket('('));
        assert_eq!(refused("(name]"), RowError::Bracket(']'));
        assert_eq!(refused("name)"), RowError::Bracket(')'));
        assert_eq!(refused("* body"), RowError::Count('*'));
        assert_eq!(refused("body*?"), RowError::Count('?'));
        assert_eq!(refused("value* body*"), RowError::Ambiguous);
        assert_eq!(refused("value* doc?"), RowError::Ambiguous);
        assert_eq!(refused(&"(".repeat(20)), RowError::Deep);
        assert_eq!(refused("'"), RowError::Word("'".to_owned()));
    }

    #[test]
    fn any_text_is_read_or_refused() {
        for text in ["é*", "(é)", "\u{3000}name", "name\u{3000}?", "'é?", "?'"] {
            let _ = Row::parse(text);
        }
    }
}

//! The expression of one token: the part of regular expressions that both notations have.

use crate::chars::Chars;

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expr {
    /// One character of a set.
    Chars(Chars),
    /// These characters.
    Text(String),
    /// One after another.
    Sequence(Vec<Expr>),
    /// Any one of these.
    Choice(Vec<Expr>),
    /// Any number of times.
    Many(Box<Expr>),
    /// Once or more.
    Some(Box<Expr>),
    /// Once or not at all.
    Maybe(Box<Expr>),
}

impl Expr {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn one_of(list: &str) -> Self {
        Self::Chars(Chars::of(list))
    }

    pub(crate) fn many(self) -> Self {
        Self::Many(Box::new(self))
    }

    pub(crate) fn some(self) -> Self {
        Self::Some(Box::new(self))
    }

    pub(crate) fn maybe(self) -> Self {
        Self::Maybe(Box::new(self))
    }

    /// Up to `most` times.
    pub(crate) fn up_to(self, most: usize) -> Self {
        let once = self.clone();
        (1..most).fold(self.maybe(), |more, _| Self::Sequence(vec![once.clone(), more]).maybe())
    }

    /// A text from `open` to the next `close` that no backslash escapes.
    pub(crate) fn quoted(open: &str, close: char) -> Self {
        let inside = Self::Choice(vec![
            Self::Chars(Chars::except(&format!("{close}\\"))),
            Self::Sequence(vec![Self::text("\\"), Self::Chars(Chars::all())]),
        ]);
        Self::Sequence(vec![Self::text(open), inside.many(), Self::text(close)])
    }

    /// A match can begin with a character of `set`.
    pub(crate) fn can_begin_with(&self, set: &Chars) -> bool {
        match self {
            Self::Chars(chars) => chars.meets(set),
            Self::Text(text) => {
                text.chars().next().is_some_and(|first| Chars::of(first.encode_utf8(&mut [0; 4])).meets(set))
            }
            Self::Sequence(parts) => {
                let empty = parts.iter().take_while(|part| part.can_be_empty()).count();
                parts.iter().take(empty + 1).any(|part| part.can_begin_with(set))
            }
            Self::Choice(parts) => parts.iter().any(|part| part.can_begin_with(set)),
            Self::Many(part) | Self::Some(part) | Self::Maybe(part) => part.can_begin_with(set),
        }
    }

    fn can_be_empty(&self) -> bool {
        match self {
            Self::Chars(_) => false,
            Self::Text(text) => text.is_empty(),
            Self::Sequence(parts) => parts.iter().all(Self::can_be_empty),
            Self::Choice(parts) => parts.iter().any(Self::can_be_empty),
            Self::Some(part) => part.can_be_empty(),
            Self::Many(_) | Self::Maybe(_) => true,
        }
    }
}

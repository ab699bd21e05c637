//! The mistakes that a text can have, one documented variant each. Their wording is in `Display`.

use std::fmt;

use crate::{Flaw, Span, TokenKind, Tree};

/// Lists nested more deeply than this are read, too, but with a diagnostic.
pub const MAX_DEPTH: u32 = 10_000;

/// One of the three bracket pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delimiter {
    /// `(` and `)`
    Paren,
    /// `[` and `]`
    Bracket,
    /// `{` and `}`
    Brace,
}

impl Delimiter {
    /// The pair an opening or closing token belongs to.
    pub const fn of(kind: TokenKind) -> Option<Self> {
        match kind {
            TokenKind::OpenParen | TokenKind::CloseParen => Some(Self::Paren),
            TokenKind::OpenBracket | TokenKind::CloseBracket => Some(Self::Bracket),
            TokenKind::OpenBrace | TokenKind::CloseBrace => Some(Self::Brace),
            _ => None,
        }
    }

    /// The character that opens it.
    pub const fn open(self) -> char {
        match self {
            Self::Paren => '(',
            Self::Bracket => '[',
            Self::Brace => '{',
        }
    }

    /// The character that closes it.
    pub const fn close(self) -> char {
        match self {
            Self::Paren => ')',
            Self::Bracket => ']',
            Self::Brace => '}',
        }
    }
}

/// A mistake. [`DiagnosticKind::code`] is stable; wording is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiagnosticKind {
    /// A closer without an open list.
    ExtraClose(Delimiter),
    /// A closer of one kind where another is expected.
    Mismatch {
        /// The delimiter of the open list.
        expected: Delimiter,
        /// The delimiter of the closer.
        found: Delimiter,
    },
    /// A list that nothing closes.
    Unclosed(Delimiter),
    /// A string without its closing quote.
    UnclosedString,
    /// A block comment without its end.
    UnclosedComment,
    /// A symbol in bars (or in `#{ }#`) without its end.
    UnclosedSymbol,
    /// A quote, a reader conditional, a discard or the like with no datum after it.
    DanglingPrefix,
    /// Lists nested more deeply than [`MAX_DEPTH`]; the dialects' own readers give up near that depth.
    TooDeep,
    /// The text balances, and no reader takes it. A tree has no such diagnostics: [`crate::flaws`] finds them.
    Flawed(Flaw),
}

impl DiagnosticKind {
    /// The stable name of the mistake.
    pub const fn code(self) -> &'static str {
        match self {
            Self::ExtraClose(_) => "extra-close",
            Self::Mismatch { .. } => "mismatch",
            Self::Unclosed(_) => "unclosed",
            Self::UnclosedString => "unclosed-string",
            Self::UnclosedComment => "unclosed-block-comment",
            Self::UnclosedSymbol => "unclosed-symbol",
            Self::DanglingPrefix => "dangling-prefix",
            Self::TooDeep => "too-large",
            Self::Flawed(_) => "unreadable",
        }
    }
}

impl fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExtraClose(found) => write!(f, "`{}` closes nothing", found.close()),
            Self::Mismatch { expected, found } => {
                write!(f, "`{}` where `{}` is due", found.close(), expected.close())
            }
            Self::Unclosed(open) => write!(f, "`{}` is never closed", open.open()),
            Self::UnclosedString => f.write_str("this string is never closed"),
            Self::UnclosedComment => f.write_str("this block comment is never closed"),
            Self::UnclosedSymbol => f.write_str("this symbol is never closed"),
            Self::DanglingPrefix => f.write_str("nothing follows this prefix"),
            Self::TooDeep => write!(f, "nested more than {} levels deep", MAX_DEPTH),
            Self::Flawed(flaw) => write!(f, "{flaw}"),
        }
    }
}

/// A mistake and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The mistake.
    pub kind: DiagnosticKind,
    /// The token that shows it: the superfluous closer, or the opener of a list that is not closed.
    pub span: Span,
    /// For a mismatch: the opener that is still open.
    pub opened_at: Option<Span>,
    /// For something that is not closed: the offset at which it was given up, which is the end of the text or the start
    /// of the next healthy form.
    pub gave_up_at: Option<u32>,
}

impl Tree {
    /// The mistake to report first. It is the first in the text, unless that is a list that is not closed and contains
    /// another mistake: then it is that one. Too deep nesting is only reported if there is no other mistake.
    pub fn main_mistake(&self) -> Option<&Diagnostic> {
        use DiagnosticKind::{Mismatch, TooDeep, Unclosed, UnclosedComment, UnclosedString, UnclosedSymbol};
        let mut mistakes = self.diagnostics().iter().filter(|mistake| mistake.kind != TooDeep);
        let Some(first) = mistakes.next() else { return self.diagnostics().first() };
        let Unclosed(_) = first.kind else { return Some(first) };
        let inside = |other: &&Diagnostic| first.gave_up_at.is_none_or(|end| other.span.start < end);
        let goes_wrong = |kind| matches!(kind, Mismatch { .. } | UnclosedString | UnclosedComment | UnclosedSymbol);
        Some(mistakes.take_while(inside).find(|other| goes_wrong(other.kind)).unwrap_or(first))
    }

    /// The number of places with mistakes: lists that are given up at the same offset count as one.
    pub fn mistakes(&self) -> usize {
        let mut places: Vec<u32> =
            self.diagnostics().iter().map(|mistake| mistake.gave_up_at.unwrap_or(mistake.span.start)).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    }
}

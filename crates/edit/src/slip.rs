//! What is no source in a text that should be source: traces of where it was copied from.
//!
//! Such a text can balance, and then nothing but these checks tells that it is not what was meant: a line end that was
//! escaped twice reads as a symbol, an entity as a comment, both sides of a merge as code.

use std::cell::LazyCell;
use std::fmt;

use lispwright_repair::first_conflict;
use lispwright_syntax::{TokenKind, Tree};

/// A trace of where a text was copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// Both sides of a merge stand between the marks of a version control system.
    Conflict,
    /// `\n` in the place of a line end.
    EscapedLineEnd,
    /// A character written as HTML writes it: `&lt;`.
    Entity(&'static str),
    /// A character that looks like a blank or like nothing, and is part of a symbol.
    Invisible(char),
}

const ENTITIES: [&str; 5] = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;"];

/// The first slip in `text`, as it was read, and where it is. Characters of `known` are meant where they stand.
pub(crate) fn find(text: &str, tree: &Tree, known: impl FnOnce() -> Vec<char>) -> Option<(Slip, u32)> {
    if let Some(at) = first_conflict(text) {
        return Some((Slip::Conflict, at as u32));
    }
    let known = LazyCell::new(known);
    let mut before: Option<TokenKind> = None;
    let mut tokens = tree.tokens().peekable();
    while let Some((kind, span)) = tokens.next() {
        let previous = before.replace(kind);
        if !matches!(kind, TokenKind::Atom | TokenKind::Character) {
            continue;
        }
        let token = &text[span.range()];
        let behind_datum = previous.is_some_and(|kind| kind.is_close() || kind == TokenKind::String);
        if behind_datum && token.replace("\\r", "").replace("\\n", "").is_empty() {
            return Some((Slip::EscapedLineEnd, span.start));
        }
        let comment_follows = tokens.peek().is_some_and(|(kind, _)| *kind == TokenKind::LineComment);
        if let Some(entity) = ENTITIES.iter().find(|entity| comment_follows && entity.trim_end_matches(';') == token) {
            return Some((Slip::Entity(entity), span.start));
        }
        if kind != TokenKind::Atom || token.is_ascii() || token.contains(['|', '\\']) || token.starts_with("#{") {
            continue;
        }
        if let Some((at, c)) = token.char_indices().find(|(_, c)| is_invisible(*c))
            && !known.contains(&c)
        {
            return Some((Slip::Invisible(c), span.start + at as u32));
        }
    }
    None
}

/// Blanks that no Lisp's reader takes for one when it meets them in a symbol, and characters without width.
fn is_invisible(c: char) -> bool {
    (c.is_whitespace() && !c.is_ascii()) || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

impl fmt::Display for Slip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict => {
                f.write_str("the marks of a merge conflict. Keep one of the two sides, and take out the marks")
            }
            Self::EscapedLineEnd => {
                f.write_str("`\\n` in the place of a line end: the text was escaped twice. Send line ends as they are")
            }
            Self::Entity(entity) => {
                write!(
                    f,
                    "`{entity}` in the place of code, where `;` begins a comment. Write the character that it stands for"
                )
            }
            Self::Invisible(c) => {
                write!(
                    f,
                    "U+{:04X} in a symbol, which looks like a blank or like nothing. Write a space, or leave it out",
                    u32::from(*c)
                )
            }
        }
    }
}

//! What is no source in a text that should be source: traces of where it was copied from.
//!
//! Such a text can balance, and then nothing but these checks tells that it is not what was meant: a line end that was
//! escaped twice reads as a symbol, an entity as a comment, both sides of a merge as code.

use std::fmt;

use lispwright_repair::first_conflict;
use lispwright_syntax::{LineIndex, TokenKind, Tree};

use crate::refusal::Refusal;
use crate::source::place_in;

/// A trace of where a text was copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// Both sides of a merge stand between the marks of a version control system.
    Conflict,
    /// `\n` in the place of a line end.
    EscapedLineEnd,
    /// A character written as HTML writes it: `&lt;`.
    Entity(&'static str),
}

const ENTITIES: [&str; 5] = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;"];

/// Refuses a text, as it was read, with a slip in it.
pub(crate) fn check(text: &str, tree: &Tree) -> Result<(), Refusal> {
    let Some((slip, at)) = find(text, tree) else { return Ok(()) };
    Err(Refusal::Slip { slip, at: place_in(text, &LineIndex::new(text.as_bytes()), at) })
}

fn find(text: &str, tree: &Tree) -> Option<(Slip, u32)> {
    if let Some(at) = first_conflict(text) {
        return Some((Slip::Conflict, at as u32));
    }
    let mut before: Option<TokenKind> = None;
    let mut tokens = tree.tokens().peekable();
    while let Some((kind, span)) = tokens.next() {
        let previous = before.replace(kind);
        if !matches!(kind, TokenKind::Atom | TokenKind::Character) {
            continue;
        }
        let token = &text[span.range()];
        let behind_datum = previous.is_some_and(|kind| kind.is_close() || kind == TokenKind::String);
        if behind_datum && is_escaped_line_end(token) {
            return Some((Slip::EscapedLineEnd, span.start));
        }
        let comment_follows = tokens.peek().is_some_and(|(kind, _)| *kind == TokenKind::LineComment);
        if let Some(entity) = ENTITIES.iter().find(|entity| comment_follows && entity.trim_end_matches(';') == token) {
            return Some((Slip::Entity(entity), span.start));
        }
    }
    None
}

/// It consists of `\n` and `\r`.
fn is_escaped_line_end(mut token: &str) -> bool {
    while let Some(rest) = token.strip_prefix("\\n").or_else(|| token.strip_prefix("\\r")) {
        token = rest;
    }
    token.is_empty()
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
        }
    }
}

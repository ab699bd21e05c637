//! Artefacts of copying in text that should be source.
//!
//! A text with artefacts can balance, and then only these checks find them: a line end that was escaped twice reads as
//! a symbol, an entity as a comment, both sides of a merge as code.

use lispwright_repair::first_conflict;
use lispwright_syntax::{Span, TokenKind, Tree};

use crate::refusal::EditRefusal;
use crate::source::place_in;

/// An artefact of copying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Artefact {
    /// The lines begin with the marks of a diff.
    DiffMarks,
    /// Both sides of a merge are between the marks of a version control system.
    Conflict,
    /// `\n` in the place of a line end.
    EscapedLineEnd,
    /// A character as an HTML entity: `&lt;`.
    Entity(&'static str),
}

const ENTITIES: [&str; 5] = ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;"];

/// Refuses an artefact in the part `own` of a text. Its place counts from the start of that part.
pub(crate) fn check(text: &str, tree: &Tree, own: Span) -> Result<(), EditRefusal> {
    let part = &text[own.range()];
    let conflict = first_conflict(part).map(|at| (Artefact::Conflict, at as u32));
    let Some((artefact, at)) = conflict.or_else(|| find(text, tree, own)) else { return Ok(()) };
    Err(EditRefusal::Artefact { artefact, at: place_in(part, at) })
}

/// Refuses whole source whose lines begin with the marks of a diff: no form begins with `+` or `-`.
pub(crate) fn check_diff_marks(text: &str) -> Result<(), EditRefusal> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let marked = text.trim_start().starts_with(['+', '-']) && lines.clone().any(|line| line.contains(['(', '[']));
    if !marked || !lines.all(|line| line.starts_with(['+', '-', ' '])) {
        return Ok(());
    }
    let at = (text.len() - text.trim_start().len()) as u32;
    Err(EditRefusal::Artefact { artefact: Artefact::DiffMarks, at: place_in(text, at) })
}

fn find(text: &str, tree: &Tree, own: Span) -> Option<(Artefact, u32)> {
    let mut before: Option<TokenKind> = None;
    let mut tokens = tree.tokens_within(own).peekable();
    while let Some((kind, span)) = tokens.next() {
        let previous = before.replace(kind);
        if !matches!(kind, TokenKind::Atom | TokenKind::Character) {
            continue;
        }
        let token = &text[span.range()];
        let after_datum = previous.is_some_and(|kind| kind.is_close() || kind == TokenKind::String);
        if after_datum && is_escaped_line_end(token) {
            return Some((Artefact::EscapedLineEnd, span.start - own.start));
        }
        let comment_follows = tokens.peek().is_some_and(|(kind, _)| *kind == TokenKind::LineComment);
        if let Some(entity) = ENTITIES.iter().find(|entity| comment_follows && entity.trim_end_matches(';') == token) {
            return Some((Artefact::Entity(entity), span.start - own.start));
        }
    }
    None
}

/// The token consists of `\n` and `\r`.
fn is_escaped_line_end(mut token: &str) -> bool {
    while let Some(rest) = token.strip_prefix("\\n").or_else(|| token.strip_prefix("\\r")) {
        token = rest;
    }
    token.is_empty()
}

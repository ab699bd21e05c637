//! Characters that are ordinary constituents of symbols to the reader, and hardly meant to be: brackets of other dialects,
//! typographic quotation marks, and what looks like a blank or like nothing.

use std::cell::LazyCell;

use lispwright_syntax::{LineIndex, Span, TokenKind, Tree};

use crate::form_line::shortened;
use crate::refusal::EditRefusal;
use crate::source::{Source, place_in};

const QUOTES: [char; 6] = ['“', '”', '„', '‘', '’', '‚'];

/// Refuses the first character in the part `own` of a text that is hardly meant to be part of a symbol, unless symbols of
/// the file have it. Its place is one in that part.
pub(crate) fn check(text: &str, tree: &Tree, own: Span, source: &Source<'_>) -> Result<(), EditRefusal> {
    let (square, curly) = source.dialect().has_brackets();
    let foreign = |c: char| (!square && matches!(c, '[' | ']')) || (!curly && matches!(c, '{' | '}'));
    let known = LazyCell::new(|| characters_in_atoms(source));
    let odd = |c: char| (foreign(c) || QUOTES.contains(&c) || is_invisible(c)) && !known.contains(&c);
    let part = &text[own.range()];
    for (kind, span) in tree.tokens_within(own) {
        if kind != TokenKind::Atom {
            continue;
        }
        let atom = &text[span.range()];
        if is_escaped(atom) {
            continue;
        }
        let Some((at, c)) = atom.char_indices().find(|(_, c)| odd(*c)) else { continue };
        let place = place_in(part, &LineIndex::new(part.as_bytes()), span.start - own.start + at as u32);
        return Err(if QUOTES.contains(&c) {
            EditRefusal::SmartQuote { quote: c, at: place }
        } else if is_invisible(c) {
            EditRefusal::Invisible { character: c, at: place }
        } else {
            let (symbol, dialect) = (shortened(atom, 40), source.dialect().name());
            EditRefusal::ForeignBracket { bracket: c, at: place, symbol, dialect }
        });
    }
    Ok(())
}

/// Blanks that no Lisp's reader takes for one when it meets them in a symbol, and characters without width.
fn is_invisible(c: char) -> bool {
    (c.is_whitespace() && !c.is_ascii()) || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// The author has marked the odd characters of this symbol as meant, or it is syntax of its own.
fn is_escaped(atom: &str) -> bool {
    atom.contains(['|', '\\']) || (atom.starts_with("#{") && atom.ends_with("}#"))
}

/// The brackets and characters beyond ASCII that occur in symbols of the file.
fn characters_in_atoms(source: &Source<'_>) -> Vec<char> {
    let mut found: Vec<char> = Vec::new();
    for (kind, span) in source.tree.tokens() {
        let atom = source.slice(span);
        if kind == TokenKind::Atom && !is_escaped(atom) {
            for c in atom.chars().filter(|c| matches!(c, '[' | ']' | '{' | '}') || !c.is_ascii()) {
                if !found.contains(&c) {
                    found.push(c);
                }
            }
        }
    }
    found
}

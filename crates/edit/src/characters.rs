//! Characters that the reader takes as parts of symbols, although the author hardly meant them so: brackets of other
//! dialects, typographic quotation marks, blanks other than ASCII, and characters without width.

use std::cell::LazyCell;

use lispwright_syntax::{Span, TokenKind, Tree};

use crate::form_line::shortened;
use crate::refusal::EditRefusal;
use crate::source::{Source, place_in};

const QUOTES: [char; 6] = ['“', '”', '„', '‘', '’', '‚'];

/// Refuses the first such character in the part `own` of a text, unless symbols of the file contain it. The place in
/// the refusal counts from the start of that part.
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
        let place = place_in(part, span.start - own.start + at as u32);
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

/// Blanks that every reader takes as parts of a symbol, and characters without width.
fn is_invisible(c: char) -> bool {
    (c.is_whitespace() && !c.is_ascii()) || matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// The symbol quotes its characters, or has a syntax of its own, so its odd characters are meant.
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

//! Tokens of Common Lisp: CLHS 2.3 and 2.4.8, with the names of characters of SBCL and of other implementations.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{Misspelt, Spelt, divides_by_zero, is_wrong_in_base, whole};
use crate::flaw::Flaw;
use crate::token::TokenKind;

/// The names of characters that are one word of ASCII letters, in lower case, without hexadecimal codes.
static NAMES: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("character_names.txt").split_ascii_whitespace().collect());

pub(crate) fn misspelt(token: Spelt<'_>) -> Misspelt {
    let own = token.own;
    match token.kind {
        TokenKind::Character => {
            let name = own.trim_start_matches(|c: char| c == '#' || c.is_ascii_digit()).strip_prefix('\\')?;
            if is_character(name) { None } else { whole(own, Flaw::CharacterName) }
        }
        TokenKind::Atom if own.starts_with('#') => {
            if is_wrong_in_base(own) {
                whole(own, Flaw::Number)
            } else {
                None
            }
        }
        TokenKind::Atom if divides_by_zero(own) => whole(own, Flaw::Number),
        TokenKind::Atom if own.len() > 1 && own.bytes().all(|byte| byte == b'.') => whole(own, Flaw::Symbol),
        TokenKind::Atom if own.contains(':') && has_wrong_colons(own, token.after) => whole(own, Flaw::Symbol),
        _ => None,
    }
}

/// Names of several words, and those with digits, are many: only what is a single word can be known to be none.
fn is_character(name: &str) -> bool {
    if name.chars().count() <= 1 || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return true;
    }
    let name = name.to_ascii_lowercase();
    let is_code = name.strip_prefix('u').is_some_and(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_code || NAMES.contains(name.as_str())
}

/// The colons of `own` are no single package marker: `a:b:c`, `a:::b`, `a:` (CLHS 2.3.5).
fn has_wrong_colons(own: &str, after: &str) -> bool {
    if own.contains(['\\', '|']) {
        return false;
    }
    let first = own.find(':').unwrap_or_default();
    let rest = own[first..].trim_start_matches(':');
    let markers = own.len() - first - rest.len();
    // SBCL reads the form after `package::` in that package.
    let before_form = rest.is_empty() && (markers == 2 || after.is_empty()) && !after.trim_start().starts_with(')');
    markers > 2 || rest.contains(':') || (rest.is_empty() && first > 0 && !before_form)
}

//! The addresses by which people ask for a form, and what tells the methods of one generic function apart.
//!
//! An address is read by the dialect's own reader and compared as data, so that white space, comments, case and package
//! prefixes count exactly as much as they do to the language.

use crate::datum::Datum;
use crate::dialect::Dialect;
use crate::name::{canonical_designator, canonical_symbol};
use crate::read::read;
use crate::token::{TokenId, TokenKind};
use crate::tree::Tree;

/// The tokens from `first` to `last` in the one spelling that all equal spellings share.
pub fn canonical_tokens(tree: &Tree, text: &str, first: TokenId, last: TokenId) -> String {
    if first == last && first < tree.token_count() && tree.kind(first) == TokenKind::Atom {
        return canonical_symbol(tree.dialect(), &text[tree.token_span(first).range()]);
    }
    let mut out = String::new();
    let mut space = false;
    for token in first..=last.min(tree.token_count().saturating_sub(1)) {
        let kind = tree.kind(token);
        if kind.is_trivia() {
            continue;
        }
        let source = &text[tree.token_span(token).range()];
        if space && !kind.is_close() {
            out.push(' ');
        }
        match kind {
            TokenKind::Atom => out.push_str(&canonical_symbol(tree.dialect(), source)),
            _ => out.push_str(source),
        }
        space = !kind.is_open() && !kind.is_prefix();
    }
    out
}

/// A datum without its prefixes in canonical spelling.
pub(crate) fn canonical_datum(tree: &Tree, text: &str, datum: Datum) -> String {
    canonical_tokens(tree, text, datum.core, datum.last)
}

/// What tells the methods of one generic function apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodKey {
    /// `:before`, `:around`, ... in order, canonical.
    pub qualifiers: Vec<String>,
    /// The specializer of each required parameter, canonical; the dialect's top type where there is none.
    pub specializers: Vec<String>,
    /// Clojure's dispatch value, canonical.
    pub dispatch: Option<String>,
    /// The specializers are in the upper case that the dialect folds to.
    pub folds: bool,
}

/// The specializers of a method's lambda list, or of a list of specializers alone when `bare`.
pub(crate) fn specializers(
    tree: &Tree,
    text: &str,
    parameters: impl Iterator<Item = Datum>,
    bare: bool,
) -> Vec<String> {
    let top = match tree.dialect() {
        Dialect::CommonLisp => "T",
        Dialect::Scheme => "<top>",
        _ => "t",
    };
    let mut found = Vec::new();
    for parameter in parameters {
        let source = &text[tree.core_span(parameter).range()];
        if source.starts_with('&') || source.starts_with("#:") || source == "." {
            break;
        }
        let specializer = match parameter.list() {
            Some(list) if !bare => tree.data(list).nth(1).map(|datum| canonical_datum(tree, text, datum)),
            None if !bare => None,
            _ => Some(canonical_datum(tree, text, parameter)),
        };
        found.push(specializer.unwrap_or_else(|| top.to_owned()));
    }
    found
}

/// How a caller names a form: `foo`, `(setf foo)`, `print-object (widget t)`, `area :around (circle)`, `name[2]`.
#[derive(Clone, Debug)]
pub struct Address {
    /// The name alone, canonical.
    pub(crate) name: String,
    /// The name alone, as a string designator.
    pub(crate) designator: String,
    /// What follows the name: how it reads as a lambda list, and as bare specializers.
    pub(crate) method: Option<(MethodKey, MethodKey)>,
    /// The whole text, canonical, for names that are not symbols.
    pub(crate) whole: String,
    /// Which of several matches, from 1.
    pub index: Option<u32>,
}

impl Address {
    /// Understands an address. Never fails: text that is no name matches nothing.
    pub fn parse(dialect: Dialect, address: &str) -> Self {
        let (text, index) = split_index(address.trim_ascii());
        let tree = read(text, dialect);
        let data: Vec<Datum> = tree.top_level().collect();
        let whole = canonical_tokens(&tree, text, 0, tree.token_count().saturating_sub(1));
        let Some((&first, rest)) = data.split_first() else {
            return Self { name: String::new(), designator: String::new(), method: None, whole, index };
        };
        let name = canonical_datum(&tree, text, first);
        let designator = canonical_designator(dialect, &text[tree.core_span(first).range()]);
        let method = (!rest.is_empty()).then(|| {
            let qualifiers: Vec<String> = rest
                .iter()
                .take_while(|datum| datum.list().is_none())
                .map(|&d| canonical_datum(&tree, text, d))
                .collect();
            let list = rest.iter().find_map(|datum| datum.list());
            let dispatch = Some(rest.iter().map(|&d| canonical_datum(&tree, text, d)).collect::<Vec<_>>().join(" "));
            let key = |bare| MethodKey {
                qualifiers: qualifiers.clone(),
                specializers: list.map(|list| specializers(&tree, text, tree.data(list), bare)).unwrap_or_default(),
                dispatch: dispatch.clone(),
                folds: dialect.folds_case(),
            };
            (key(false), key(true))
        });
        Self { name, designator, method, whole, index }
    }
}

/// `name[2]` is the second `name`. The bracket stands right behind the name, so that a Clojure dispatch value that is a
/// vector is not taken for an index.
fn split_index(address: &str) -> (&str, Option<u32>) {
    let split = address.strip_suffix(']').and_then(|rest| {
        let (name, digits) = rest.rsplit_once('[')?;
        let index = digits.parse::<u32>().ok().filter(|&index| index > 0)?;
        (!name.is_empty() && !name.ends_with(|c: char| c.is_ascii_whitespace())).then_some((name, index))
    });
    split.map_or((address, None), |(name, index)| (name, Some(index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_stands_right_behind_the_name() {
        assert_eq!(split_index("foo[2]"), ("foo", Some(2)));
        assert_eq!(split_index("area [1 2]"), ("area [1 2]", None));
        assert_eq!(split_index("area [1]"), ("area [1]", None));
        assert_eq!(split_index("foo[0]"), ("foo[0]", None));
        assert_eq!(split_index("[3]"), ("[3]", None));
    }
}

//! Names as each dialect's reader would compare them, and the addresses by which people ask for a form.
//!
//! Two spellings name the same thing when their canonical texts are equal: Common Lisp folds case outside `|...|` and
//! does not count a package prefix, Clojure does not count a namespace, white space and comments never count.

use crate::datum::Datum;
use crate::dialect::Dialect;
use crate::token::{TokenId, TokenKind};
use crate::tree::{Tree, read};

/// The symbol a head names, for look-up in the definer tables: without package or namespace, lower case where the
/// dialect folds case.
pub fn canonical_head(dialect: Dialect, head: &str) -> String {
    match dialect {
        Dialect::CommonLisp => head.rsplit(':').next().unwrap_or(head).to_lowercase(),
        _ => canonical_symbol(dialect, head),
    }
}

/// The name of a symbol as its reader would intern it, without package or namespace.
///
/// Common Lisp: CLHS 2.3.4 and 2.3.5 under the standard readtable case. `#:x` and `:x` count as `x`.
pub fn canonical_symbol(dialect: Dialect, symbol: &str) -> String {
    match dialect {
        Dialect::CommonLisp => common_lisp_symbol(symbol),
        Dialect::Clojure | Dialect::Edn => {
            let cut = symbol.rfind('/').filter(|&at| at > 0 && at + 1 < symbol.len() && !symbol.starts_with(':'));
            cut.map_or(symbol, |at| &symbol[at + 1..]).to_owned()
        }
        Dialect::EmacsLisp => unescape(symbol),
        Dialect::Scheme => {
            let bars = symbol.len() > 1 && symbol.starts_with('|') && symbol.ends_with('|');
            let braces = symbol.starts_with("#{") && symbol.ends_with("}#");
            if bars {
                symbol[1..symbol.len() - 1].to_owned()
            } else if braces {
                unescape(&symbol[2..symbol.len() - 2])
            } else {
                symbol.to_owned()
            }
        }
    }
}

fn unescape(symbol: &str) -> String {
    let mut escaped = false;
    symbol
        .chars()
        .filter(|&c| {
            let drop = c == '\\' && !escaped;
            escaped = drop;
            !drop
        })
        .collect()
}

fn common_lisp_symbol(symbol: &str) -> String {
    let symbol = symbol.strip_prefix('#').filter(|rest| rest.starts_with(':')).unwrap_or(symbol);
    let mut name = String::with_capacity(symbol.len());
    let (mut escaped, mut quoted) = (false, false);
    for c in symbol.chars() {
        match c {
            _ if escaped => {
                name.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '|' => quoted = !quoted,
            // Everything up to the last package marker is the package.
            ':' if !quoted => name.clear(),
            _ if quoted => name.push(c),
            _ => name.extend(c.to_uppercase()),
        }
    }
    name
}

/// The tokens from `first` to `last` in the one spelling that all equal spellings share.
pub fn canonical_tokens(tree: &Tree, text: &str, first: TokenId, last: TokenId) -> String {
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

/// The names of packages, systems and the like are string designators: `:x`, `#:x`, `"x"` and `x` are one name.
pub(crate) fn canonical_designator(dialect: Dialect, name: &str) -> String {
    let bare = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(name);
    if dialect == Dialect::CommonLisp { common_lisp_symbol(bare).to_lowercase() } else { bare.to_owned() }
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

    fn check(dialect: Dialect, symbol: &str, expected: &str) {
        assert_eq!(canonical_symbol(dialect, symbol), expected);
    }

    #[test]
    fn symbols_compare_as_their_reader_interns_them() {
        check(Dialect::CommonLisp, "foo", "FOO");
        check(Dialect::CommonLisp, "|Foo|", "Foo");
        check(Dialect::CommonLisp, "Fo\\o", "FOo");
        check(Dialect::CommonLisp, "cl-user::foo", "FOO");
        check(Dialect::CommonLisp, "#:foo", "FOO");
        check(Dialect::CommonLisp, ":foo", "FOO");
        check(Dialect::CommonLisp, "a|b:c|", "Ab:c");
        check(Dialect::Clojure, "my.ns/foo", "foo");
        check(Dialect::Clojure, "/", "/");
        check(Dialect::Clojure, ":a/b", ":a/b");
        check(Dialect::Scheme, "Foo", "Foo");
        check(Dialect::Scheme, "#{a b}#", "a b");
        check(Dialect::EmacsLisp, "a\\ b", "a b");
    }

    #[test]
    fn an_index_stands_right_behind_the_name() {
        assert_eq!(split_index("foo[2]"), ("foo", Some(2)));
        assert_eq!(split_index("area [1 2]"), ("area [1 2]", None));
        assert_eq!(split_index("area [1]"), ("area [1]", None));
        assert_eq!(split_index("foo[0]"), ("foo[0]", None));
        assert_eq!(split_index("[3]"), ("[3]", None));
    }
}

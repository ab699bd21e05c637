//! Compares names as the dialect's own reader does.
//!
//! Two spellings are the same name if their canonical texts are equal: Common Lisp folds case outside `|...|`. Package
//! prefixes, Clojure's namespaces, white space and comments do not count.

use std::borrow::Cow;

use crate::dialects::Dialect;

/// A head as the definer tables spell it: without package or namespace, in lower case if the dialect folds case.
pub fn canonical_head(dialect: Dialect, head: &str) -> Cow<'_, str> {
    if head
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'*' | b'!' | b'?' | b'+' | b'<' | b'=' | b'>'))
    {
        return head.into();
    }
    if !dialect.folds_case() {
        return canonical_symbol(dialect, head).into();
    }
    let symbol = head.rsplit(':').next().unwrap_or(head);
    if symbol.is_ascii() { symbol.to_ascii_lowercase() } else { symbol.to_lowercase() }.into()
}

/// The name of a symbol as the dialect's reader interns it, without package or namespace.
pub fn canonical_symbol(dialect: Dialect, symbol: &str) -> String {
    (dialect.table().intern)(symbol)
}

/// A word of a list of parameters without its package: `cl:&rest` is `&rest`.
pub fn parameter_word(word: &str) -> &str {
    match word.rsplit_once(':') {
        Some((_, plain)) if plain.starts_with('&') => plain,
        _ => word,
    }
}

/// A symbol without the backslashes that quote its characters.
pub(crate) fn unescape(symbol: &str) -> String {
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

/// The package prefix of a symbol, as [`canonical_designator`] spells it.
pub(crate) fn package_of(dialect: Dialect, symbol: &str) -> Option<String> {
    let has_one = dialect.table().packages && !symbol.starts_with(['"', '(', '|']);
    let marker = symbol.find(':').filter(|_| has_one)?;
    let package = canonical_designator(dialect, &symbol[..marker]);
    (marker > 0 && package != "#").then_some(package)
}

/// The canonical name of a package, system or the like. These are string designators: `:x`, `#:x`, `"x"` and `x` are
/// one name.
pub fn canonical_designator(dialect: Dialect, name: &str) -> String {
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => canonical_title(dialect, text),
        None if dialect.folds_case() => canonical_symbol(dialect, name).to_lowercase(),
        None => name.to_owned(),
    }
}

/// The canonical form of a name that is the content of a string, or written without the quotes in an address.
pub(crate) fn canonical_title(dialect: Dialect, text: &str) -> String {
    if dialect.folds_case() { text.to_lowercase() } else { text.to_owned() }
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
}

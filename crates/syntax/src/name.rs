//! Names as each dialect's reader would compare them.
//!
//! Two spellings name the same thing when their canonical texts are equal: Common Lisp folds case outside `|...|` and
//! does not count a package prefix, Clojure does not count a namespace, white space and comments never count.

use std::borrow::Cow;

use crate::dialects::Dialect;

/// The symbol a head names, for look-up in the definer tables: without package or namespace, lower case where the
/// dialect folds case.
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

/// The name of a symbol as its reader would intern it, without package or namespace.
pub fn canonical_symbol(dialect: Dialect, symbol: &str) -> String {
    (dialect.table().intern)(symbol)
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

/// The package that a symbol names in front of it, as [`canonical_designator`] spells it.
pub(crate) fn package_of(dialect: Dialect, symbol: &str) -> Option<String> {
    let has_one = dialect.table().packages && !symbol.starts_with(['"', '(', '|']);
    let marker = symbol.find(':').filter(|_| has_one)?;
    let package = canonical_designator(dialect, &symbol[..marker]);
    (marker > 0 && package != "#").then_some(package)
}

/// The names of packages, systems and the like are string designators: `:x`, `#:x`, `"x"` and `x` are one name.
pub fn canonical_designator(dialect: Dialect, name: &str) -> String {
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => canonical_title(dialect, text),
        None if dialect.folds_case() => canonical_symbol(dialect, name).to_lowercase(),
        None => name.to_owned(),
    }
}

/// What stands in a string that is a name, or in an address without the quotes.
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

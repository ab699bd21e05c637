//! Names as each dialect's reader would compare them.
//!
//! Two spellings name the same thing when their canonical texts are equal: Common Lisp folds case outside `|...|` and
//! does not count a package prefix, Clojure does not count a namespace, white space and comments never count.

use crate::dialect::Dialect;

/// The symbol a head names, for look-up in the definer tables: without package or namespace, lower case where the
/// dialect folds case.
pub fn canonical_head(dialect: Dialect, head: &str) -> String {
    match dialect {
        Dialect::CommonLisp => {
            let symbol = head.rsplit(':').next().unwrap_or(head);
            if symbol.is_ascii() { symbol.to_ascii_lowercase() } else { symbol.to_lowercase() }
        }
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
    if symbol.bytes().all(|byte| byte.is_ascii() && !b"\\|:#".contains(&byte)) {
        return symbol.to_ascii_uppercase();
    }
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

/// The package that a symbol of Common Lisp names in front of it, as [`canonical_designator`] spells it.
pub(crate) fn package_of(dialect: Dialect, symbol: &str) -> Option<String> {
    let marker = symbol.find(':').filter(|_| dialect == Dialect::CommonLisp && !symbol.starts_with(['"', '(', '|']))?;
    let package = canonical_designator(dialect, &symbol[..marker]);
    (marker > 0 && package != "#").then_some(package)
}

/// The names of packages, systems and the like are string designators: `:x`, `#:x`, `"x"` and `x` are one name.
pub(crate) fn canonical_designator(dialect: Dialect, name: &str) -> String {
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => canonical_title(dialect, text),
        None if dialect == Dialect::CommonLisp => common_lisp_symbol(name).to_lowercase(),
        None => name.to_owned(),
    }
}

/// What stands in a string that is a name, or in an address without the quotes.
pub(crate) fn canonical_title(dialect: Dialect, text: &str) -> String {
    if dialect == Dialect::CommonLisp { text.to_lowercase() } else { text.to_owned() }
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

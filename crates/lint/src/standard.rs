//! What the languages themselves define: the operators of each, with how many arguments they take.
//!
//! The tables are made from what is installed, by the scripts of `xtask/standard`; the first line of each says by which.

use std::sync::OnceLock;

use lispwright_syntax::Dialect;
use rustc_hash::FxHashMap;

use crate::dialects::call_words;

/// What an operator of a language is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperatorKind {
    /// Its arguments are evaluated.
    Function,
    /// It is a macro or special form.
    Syntax,
}

/// An operator of a language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandardOperator {
    pub(crate) kind: OperatorKind,
    /// The fewest arguments that it takes.
    pub(crate) fewest: usize,
    /// The most; `None` for any number.
    pub(crate) most: Option<usize>,
}

type Operators = FxHashMap<&'static str, StandardOperator>;

/// The operator of a row: `name kind fewest most`.
fn row(line: &'static str) -> Option<(&'static str, StandardOperator)> {
    let mut parts = line.split(' ');
    let (name, kind, fewest, most) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let kind = if kind == "f" { OperatorKind::Function } else { OperatorKind::Syntax };
    Some((name, StandardOperator { kind, fewest: fewest.parse().ok()?, most: most.parse().ok() }))
}

/// The operators of a dialect by their names; one outside of the namespace of the language has its own before it:
/// `clojure.string/join`.
pub(crate) fn operators(dialect: Dialect) -> &'static Operators {
    static KNOWN: [OnceLock<Operators>; Dialect::ALL.len()] = [const { OnceLock::new() }; Dialect::ALL.len()];
    KNOWN[dialect as usize].get_or_init(|| {
        call_words(dialect).standard.lines().filter(|line| !line.starts_with("# ")).filter_map(row).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_read() {
        for dialect in Dialect::ALL {
            let rows = call_words(dialect).standard.lines().filter(|line| !line.starts_with("# ")).count();
            assert_eq!(operators(dialect).len(), rows, "{}", dialect.name());
        }
    }

    #[test]
    fn operators_take_what_their_language_says() {
        let takes = |dialect, name| operators(dialect).get(name).map(|one| (one.kind, one.fewest, one.most));
        assert_eq!(takes(Dialect::CommonLisp, "car"), Some((OperatorKind::Function, 1, Some(1))));
        assert_eq!(takes(Dialect::CommonLisp, "if"), Some((OperatorKind::Syntax, 2, Some(3))));
        assert_eq!(takes(Dialect::Clojure, "nth"), Some((OperatorKind::Function, 2, Some(3))));
        assert_eq!(takes(Dialect::Clojure, "clojure.string/join"), Some((OperatorKind::Function, 1, Some(2))));
        assert_eq!(takes(Dialect::Scheme, "vector-ref"), Some((OperatorKind::Function, 2, Some(2))));
        assert_eq!(takes(Dialect::Racket, "hash-ref"), Some((OperatorKind::Function, 2, Some(3))));
        assert_eq!(takes(Dialect::EmacsLisp, "mapcar"), Some((OperatorKind::Function, 2, Some(2))));
    }
}

//! The operators that the languages themselves define, with how many arguments each takes.
//!
//! The tables are made from what is installed, by the scripts of `xtask/standard`; the first line of each says by which.
//! A row is read where it is asked for: callers ask for a few of thousands.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use crate::dialects::Dialect;
use crate::heads::Words;

/// What an operator of a language is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperatorKind {
    /// Its arguments are evaluated.
    Function,
    /// It is a macro or special form.
    Syntax,
}

/// An operator of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandardOperator {
    /// Whether its arguments are evaluated.
    pub kind: OperatorKind,
    /// The fewest arguments that it takes.
    pub fewest: usize,
    /// The most; `None` for any number.
    pub most: Option<usize>,
    /// The implementations that have it.
    pub origin: Implementations,
}

/// Of the implementations that a table was made from, some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Implementations(u8);

impl Implementations {
    /// The first one, or the only one.
    pub const FIRST: Self = Self(1);
    /// The second one.
    pub const SECOND: Self = Self(2);
    /// All of them.
    pub const ALL: Self = Self(3);

    /// It has all that `other` has.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those of either.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The operator of a row: `name kind fewest most`, and `1` or `2` if only one of two implementations has it.
fn row(line: &str) -> Option<(&str, StandardOperator)> {
    let mut parts = line.split(' ');
    let (name, kind, fewest, most) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let kind = if kind == "f" { OperatorKind::Function } else { OperatorKind::Syntax };
    let origin = match parts.next() {
        Some("1") => Implementations::FIRST,
        Some("2") => Implementations::SECOND,
        _ => Implementations::ALL,
    };
    Some((name, StandardOperator { kind, fewest: fewest.parse().ok()?, most: most.parse().ok(), origin }))
}

/// The rows of a table, without the comment on its first line.
fn rows(table: &str) -> &str {
    match table.starts_with("# ") {
        true => table.split_once('\n').map_or("", |(_, rows)| rows),
        false => table,
    }
}

impl Dialect {
    /// The names of the operators of the language, as [`Dialect::standard_operator`] takes them.
    pub fn standard_operators(self) -> impl Iterator<Item = &'static str> {
        rows(self.table().operators).lines().filter_map(|line| line.split(' ').next())
    }

    /// The operator of the language with this name, as the language spells it; one outside of the namespace of the
    /// language has its own before it: `clojure.string/join`.
    pub fn standard_operator(self, name: &str) -> Option<StandardOperator> {
        // Each is made on first use, because a hook reads one file.
        static ROWS: [OnceLock<Rows>; Dialect::ALL.len()] = [const { OnceLock::new() }; Dialect::ALL.len()];
        let rows = ROWS[self as usize].get_or_init(|| {
            let lines = rows(self.table().operators).lines();
            lines.filter_map(|line| Some((line.split(' ').next()?, line))).collect()
        });
        rows.get(name).and_then(|line| row(line)).map(|(_, operator)| operator)
    }
}

/// The rows of a table by their names.
type Rows = HashMap<&'static str, &'static str, BuildHasherDefault<Words>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_found() {
        let has_table = |dialect: &Dialect| !dialect.table().operators.is_empty();
        assert_eq!(Dialect::ALL.iter().filter(|dialect| has_table(dialect)).count(), 5);
        for dialect in Dialect::ALL.into_iter().filter(has_table) {
            let all: Vec<&str> = rows(dialect.table().operators).lines().collect();
            assert!(all.len() > 500, "{}", dialect.name());
            for line in all {
                let (name, operator) = row(line).expect("a row has four parts");
                assert_eq!(dialect.standard_operator(name), Some(operator), "{} {name}", dialect.name());
            }
            for absent in ["", " ", "#", "no-operator-has-this-name", "~~~~"] {
                assert_eq!(dialect.standard_operator(absent), None);
            }
        }
    }

    #[test]
    fn operators_take_what_their_language_says() {
        let takes = |dialect: Dialect, name| {
            dialect.standard_operator(name).map(|operator| (operator.kind, operator.fewest, operator.most))
        };
        assert_eq!(takes(Dialect::CommonLisp, "car"), Some((OperatorKind::Function, 1, Some(1))));
        assert_eq!(takes(Dialect::CommonLisp, "if"), Some((OperatorKind::Syntax, 2, Some(3))));
        assert_eq!(takes(Dialect::Clojure, "nth"), Some((OperatorKind::Function, 2, Some(3))));
        assert_eq!(takes(Dialect::Clojure, "clojure.string/join"), Some((OperatorKind::Function, 1, Some(2))));
        assert_eq!(takes(Dialect::Scheme, "vector-ref"), Some((OperatorKind::Function, 2, Some(2))));
        assert_eq!(takes(Dialect::Racket, "hash-ref"), Some((OperatorKind::Function, 2, Some(3))));
        assert_eq!(takes(Dialect::EmacsLisp, "mapcar"), Some((OperatorKind::Function, 2, Some(2))));
    }
}

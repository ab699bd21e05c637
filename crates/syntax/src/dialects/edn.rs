//! EDN, Clojure's data notation: it is read like Clojure, but nothing in it is code.

use super::{Square, Table, clojure};
use crate::shapes::Shapes;

pub(super) static TABLE: Table = Table {
    names: &["edn"],
    endings: &["edn"],
    file_names: &[],
    square: Square::Vectors,
    definers: &[],
    guess: None,
    wrappers: &[],
    shapes: &Shapes::NONE,
    special_forms: &[],
    takes_functions: &[],
    standard: "",
    operators: "",
    threads: false,
    ..clojure::TABLE
};

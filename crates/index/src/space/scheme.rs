//! Modules of Guile (`define-module`, `use-modules`), libraries of R7RS (`define-library`) and R6RS (`library`).

use lispwright_syntax::{Datum, ListId};

use super::Declared;
use crate::walk::Walk;

/// What a form declares.
pub(super) fn read(_walk: &Walk<'_>, _head: &str, _datum: Datum, _list: ListId) -> Option<Declared> {
    None
}

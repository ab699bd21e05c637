//! Modules of Guile (`define-module`, `use-modules`), libraries of R7RS (`define-library`) and R6RS (`library`).

use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Dialect, ListId};

use super::Declared;
use crate::resolve::Written;
use crate::walk::Walk;

/// Reads a symbol, which has no qualifier.
pub(crate) fn written(text: &str) -> Written<'_> {
    Written::plain(canonical_symbol(Dialect::Scheme, text))
}

/// The declaration in a form. Modules are not read yet.
pub(crate) fn read(_walk: &Walk<'_>, _head: &str, _datum: Datum, _list: ListId) -> Option<Declared> {
    None
}

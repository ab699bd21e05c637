//! Emacs Lisp: there is one namespace for all names, so there are no imports and exports.

use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Dialect, ListId};

use super::Declared;
use crate::resolve::Written;
use crate::walk::Walk;

/// Reads a symbol, which has no qualifier.
pub(crate) fn written(text: &str) -> Written<'_> {
    Written::plain(canonical_symbol(Dialect::EmacsLisp, text))
}

/// The declaration in a form: there are none.
pub(crate) fn read(_walk: &Walk<'_>, _head: &str, _datum: Datum, _list: ListId) -> Option<Declared> {
    None
}

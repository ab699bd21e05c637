//! Features of Emacs Lisp: there is one namespace for all names, so nothing is brought in and nothing given out.

use lispwright_syntax::{Datum, ListId};

use super::Declared;
use crate::walk::Walk;

/// What a form declares.
pub(super) fn read(_walk: &Walk<'_>, _head: &str, _datum: Datum, _list: ListId) -> Option<Declared> {
    None
}

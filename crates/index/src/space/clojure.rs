//! Namespaces: `ns`, `in-ns`, and `require`, `use`, `refer` and `alias` outside of it.

use lispwright_syntax::{Datum, ListId};

use super::Declared;
use crate::walk::Walk;

/// What a form declares.
pub(super) fn read(_walk: &Walk<'_>, _head: &str, _datum: Datum, _list: ListId) -> Option<Declared> {
    None
}

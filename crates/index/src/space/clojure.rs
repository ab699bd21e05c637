//! Namespaces: `ns`, `in-ns`, and `require`, `use`, `refer` and `alias` outside of it.

use lispwright_syntax::{Datum, ListId};

use super::Declared;
use crate::resolve::Written;
use crate::walk::Walk;

/// Takes apart a symbol, `space/name`.
pub(crate) fn written(text: &str) -> Written<'_> {
    let at = text.find('/').filter(|&at| at > 0 && at + 1 < text.len());
    let name = at.map_or(text, |at| &text[at + 1..]);
    Written { qualifier: at.map(|at| text[..at].into()), name: name.to_owned() }
}

/// What a form declares.
pub(crate) fn read(_walk: &Walk<'_>, _head: &str, _datum: Datum, _list: ListId) -> Option<Declared> {
    None
}

//! A rename of whatever a name means: a symbol, a slot or field, a keyword, a package, system or feature.

use lispwright_index::{Index, owner_and_slot, thing_name};

use crate::keyword::rename_keyword;
use crate::refusal::RenameRefusal;
use crate::rename::{Rename, RenameRequest, rename};
use crate::slot::{rename_slot, rename_slot_of};
use crate::thing::rename_thing;

/// Plans the rename of what the request names: a keyword with a namespace, the symbol that a file defines, or the slot from
/// whose name that is made, else the slot `class.slot`, else the package, module, namespace, system or feature, else the keyword without a namespace.
///
/// Errors: every [`RenameRefusal`].
pub fn rename_any(index: &Index, request: &RenameRequest<'_>) -> Result<Rename, RenameRefusal> {
    let keyword = index.keyword(request.symbol, request.package);
    let is_keyword = || keyword.as_ref().is_some_and(|keyword| index.keywords(keyword, false).is_some());
    let is_qualified = keyword.as_ref().is_some_and(|keyword| keyword.namespace.is_some());
    if is_qualified && is_keyword() {
        return rename_keyword(index, request);
    }
    let planned = match rename(index, request) {
        Err(refusal @ RenameRefusal::Derived { .. }) => return rename_slot_of(index, request, refusal),
        planned => planned,
    };
    let is_no_symbol = matches!(
        planned,
        Err(RenameRefusal::IsSpace(_) | RenameRefusal::NotDefined { .. } | RenameRefusal::Elsewhere(_))
    );
    if !is_no_symbol {
        return planned;
    }
    if owner_and_slot(request.symbol).is_some() && !index.members(request.symbol, request.package).is_empty() {
        return rename_slot(index, request);
    }
    if index.names_thing(thing_name(request.symbol)) {
        return rename_thing(index, request);
    }
    if is_keyword() {
        return rename_keyword(index, request);
    }
    planned
}

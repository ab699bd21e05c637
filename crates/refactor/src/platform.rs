//! Names that a file defines for one platform alone: `#?(:cljs (defn format …))`.
//!
//! Code outside of such a condition that uses the name means something else on the other platforms, such as a name of
//! the language; a rename would take it away there.

use lispwright_index::Document;
use lispwright_syntax::{FormKind, Tree};

use crate::collect::Planned;
use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::target::Target;

/// The opener of a reader conditional.
const CONDITIONAL: &str = "#?";

/// Refuses if the only definition is for one platform, and a place that changes is for all.
pub(crate) fn check(target: &Target<'_>, planned: &[Planned<'_>]) -> Result<(), RenameRefusal> {
    let [(document, one)] = target.definitions.as_slice() else { return Ok(()) };
    // What a macro expands on one platform may be for another.
    if one.kind == FormKind::Macro || !document.text.contains(CONDITIONAL) {
        return Ok(());
    }
    let written = target.written_in(document, one);
    if !written.is_some_and(|span| is_conditional(document, &document.tree(), span.start)) {
        return Ok(());
    }
    for file in planned.iter().filter(|file| file.document.text.contains(CONDITIONAL)) {
        let is_for_all = |at: &u32| !is_conditional(file.document, &file.source.tree, *at);
        if let Some(at) = file.changes.iter().map(|change| change.span.start).find(is_for_all) {
            let more = Box::new(Untold { symbol: target.symbol.clone(), ..Untold::default() });
            let spot = Spot::of(file.document, at);
            return Err(RenameRefusal::CannotTell { spot, why: Doubt::OnePlatform, more });
        }
    }
    Ok(())
}

/// The place is in a reader conditional.
fn is_conditional(document: &Document, tree: &Tree, at: u32) -> bool {
    let mut list = tree.token_at(at).and_then(|token| tree.list_around(token));
    while let Some(inner) = list {
        if document.text[tree.list_span(inner).range()].starts_with(CONDITIONAL) {
            return true;
        }
        list = tree.list(inner).parent();
    }
    false
}

//! Names that a file defines for one platform alone, `#?(:cljs (defn format …))`, or where the language lacks them,
//! `(unless (fboundp 'string-join) (defun string-join …))`.
//!
//! Code outside of such a condition that uses the name means something else elsewhere, such as a name of the language; a
//! rename would take it away there.

use lispwright_index::Document;
use lispwright_syntax::{FormKind, ListId, Span, Tree};

use crate::collect::Planned;
use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::target::Target;

/// The opener of a reader conditional.
const CONDITIONAL: &str = "#?";

/// Refuses if the only definition is for one platform, and a place that changes is for all.
pub(crate) fn check(target: &Target<'_>, planned: &[Planned<'_>]) -> Result<(), RenameRefusal> {
    let [(document, one)] = target.definitions.as_slice() else { return Ok(()) };
    if target.dialect.standard_operator(&target.symbol.name).is_some()
        && let Some(written) = target.written_in(document, one)
        && let Some(condition) = condition(document, &document.tree(), written.start)
    {
        let is_outside = |file: &Planned<'_>, at: u32| file.document.path != document.path || !condition.contains(at);
        let outside = planned.iter().find_map(|file| {
            let mut places = file.changes.iter().map(|change| change.span.start);
            places.find(|at| is_outside(file, *at)).map(|at| Spot::of(file.document, at))
        });
        if let Some(spot) = outside {
            let more = Box::new(Untold { symbol: target.symbol.clone(), ..Untold::default() });
            return Err(RenameRefusal::CannotTell { spot, why: Doubt::UnderCondition, more });
        }
    }
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

/// The outermost form around the place that evaluates code only where a condition holds, as its name says.
fn condition(document: &Document, tree: &Tree, at: u32) -> Option<Span> {
    let innermost = tree.token_at(at).and_then(|token| tree.list_around(token));
    let lists = std::iter::successors(innermost, |list| tree.list(*list).parent());
    let is_condition = |list: &ListId| {
        let head = tree.data(*list).next().map(|head| &document.text[tree.core_span(head).range()]);
        head.is_some_and(|head| head.split('-').any(|word| matches!(word, "when" | "unless" | "if" | "cond")))
    };
    lists.skip(1).filter(is_condition).last().map(|list| tree.list_span(list))
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

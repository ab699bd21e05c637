//! Names that a file defines for one platform alone, `#?(:cljs (defn format …))`, or where the language lacks them,
//! `(unless (fboundp 'string-join) (defun string-join …))`.
//!
//! Code outside of such a condition that uses the name means something else elsewhere, such as a name of the language; a
//! rename would take it away there, and other arguments would reach what is called there.

use lispwright_index::Document;
use lispwright_syntax::{FormKind, ListId, Span, Tree};

use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::target::Target;

/// The opener of a reader conditional.
const CONDITIONAL: &str = "#?";

/// The places in a file that change.
pub(crate) struct Places<'p> {
    pub(crate) document: &'p Document,
    pub(crate) tree: &'p Tree,
    /// Where each begins.
    pub(crate) starts: Vec<u32>,
}

/// Refuses if the only definition is for one platform, or for where the language lacks the name, and a place that changes
/// is for all.
pub(crate) fn check(target: &Target<'_>, files: &[Places<'_>]) -> Result<(), RenameRefusal> {
    let [(document, one)] = target.definitions.as_slice() else { return Ok(()) };
    let Some(written) = target.written_in(document, one) else { return Ok(()) };
    if target.dialect.standard_operator(&target.symbol.name).is_some()
        && let Some(condition) = condition(document, &document.tree(), written.start)
    {
        let is_outside = |file: &Places<'_>, at: u32| file.document.path != document.path || !condition.contains(at);
        refuse_first(target, files.iter(), is_outside, Doubt::UnderCondition)?;
    }
    let has_conditions = |document: &Document| document.text.contains(CONDITIONAL);
    // What a macro expands on one platform may be for another.
    if one.kind == FormKind::Macro
        || !has_conditions(document)
        || !is_conditional(document, &document.tree(), written.start)
    {
        return Ok(());
    }
    let is_for_all = |file: &Places<'_>, at: u32| !is_conditional(file.document, file.tree, at);
    let files = files.iter().filter(|file| has_conditions(file.document));
    refuse_first(target, files, is_for_all, Doubt::OnePlatform)
}

/// Refuses for the first of the places that change which `is_elsewhere`.
fn refuse_first<'p>(
    target: &Target<'_>,
    files: impl Iterator<Item = &'p Places<'p>>,
    is_elsewhere: impl Fn(&Places<'p>, u32) -> bool,
    why: Doubt,
) -> Result<(), RenameRefusal> {
    for file in files {
        if let Some(at) = file.starts.iter().copied().find(|at| is_elsewhere(file, *at)) {
            let more = Box::new(Untold { symbol: target.symbol.clone(), ..Untold::default() });
            return Err(RenameRefusal::CannotTell { spot: Spot::of(file.document, at), why, more });
        }
    }
    Ok(())
}

/// The outermost form around the place that evaluates code only where a condition holds, as its name says.
fn condition(document: &Document, tree: &Tree, at: u32) -> Option<Span> {
    let is_condition = |list: &ListId| {
        let head = tree.data(*list).next().map(|head| &document.text[tree.core_span(head).range()]);
        head.is_some_and(|head| head.split('-').any(|word| matches!(word, "when" | "unless" | "if" | "cond")))
    };
    tree.lists_around(at).skip(1).filter(is_condition).last().map(|list| tree.list_span(list))
}

/// The place is in a reader conditional.
fn is_conditional(document: &Document, tree: &Tree, at: u32) -> bool {
    tree.lists_around(at).any(|list| document.text[tree.list_span(list).range()].starts_with(CONDITIONAL))
}

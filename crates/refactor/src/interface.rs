//! Protocols that code names as what they are for the host: `shop.core.Area`, `(:import [shop.core Area])`.
//!
//! Other types have the name that is written there, too. That of a protocol's interface has letters, digits, `_` and `$` alone.

use lispwright_index::{Definition, Document};
use lispwright_syntax::SpecialForm;
use lispwright_syntax::name::canonical_head;

use crate::collect::Planned;
use crate::dialects::notation;
use crate::refusal::{RenameRefusal, Spot};
use crate::rename::Named;
use crate::target::Target;

/// Refuses if a place that changes names the interface of a protocol, which cannot have the new name.
pub(crate) fn check(target: &Target<'_>, named: &Named, planned: &[Planned<'_>]) -> Result<(), RenameRefusal> {
    let importers = notation(target.dialect).imports_classes;
    let can_be = |name: &str| name.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '$'));
    let head = |(document, one): &(&Document, &Definition)| document.facts.forms[one.form as usize].head.clone();
    let special = |head: String| target.dialect.special_form(&canonical_head(target.dialect, &head));
    let is_protocol = target.definitions.iter().map(head).any(|head| special(head) == Some(SpecialForm::Protocol));
    if can_be(&named.new.canonical) || importers.is_empty() || !is_protocol {
        return Ok(());
    }
    for one in planned {
        let (text, tree) = (&one.document.text, &one.source.tree);
        for change in &one.changes {
            let is_imported = || {
                let mut heads = tree.lists_around(change.span.start).filter_map(|list| tree.data(list).next());
                heads.any(|head| importers.contains(&&text[tree.core_span(head).range()]))
            };
            let is_dotted = text[..change.span.end as usize].trim_end_matches(&named.old.name).ends_with('.');
            if is_dotted || is_imported() {
                return Err(RenameRefusal::NoClass { spot: Box::new(Spot::of(one.document, change.span.start)) });
            }
        }
    }
    Ok(())
}

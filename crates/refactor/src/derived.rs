//! The names that a definition derives from its own: the accessors of a structure, the constructors of a record, the
//! keymap of a mode.
//!
//! Which names a form defines is known from the form. So the form is read once more with the new name in it: the names
//! that it defines then, in the same order, are the new ones.

use lispwright_edit::Source;
use lispwright_index::{LanguageOf, Symbol, UseIndex, name_in};
use lispwright_syntax::{FormKind, Span};

use crate::new_name::NewName;
use crate::refusal::{Doubt, RenameRefusal, Spot, Untold};
use crate::rename::Named;
use crate::target::Target;

/// The other names that change with the name of the target.
pub(crate) fn derived(
    target: &Target<'_>,
    new: &NewName,
    language_of: LanguageOf<'_>,
) -> Result<Vec<Named>, RenameRefusal> {
    let mut named: Vec<Named> = Vec::new();
    for (document, one) in &target.definitions {
        let Some(language) = language_of(&document.path, &document.text) else { continue };
        let Some(written) = target.written_in(document, one) else { continue };
        let part = name_in(target.dialect, &document.text[written.range()]);
        let span = Span::new(written.start + part.start as u32, written.start + part.end as u32);
        let mut text = document.text.clone();
        text.replace_range(span.range(), &new.instead_of(&document.text[span.range()]));
        let names = |text: &str| {
            let source = Source::read(text, language.clone());
            let form = source.forms.iter().nth(one.form as usize).map(|(_, form)| form.clone());
            form.map_or_else(Vec::new, |form| form.defined_names(&source.tree, text))
        };
        let (before, after) = (names(&document.text), names(&text));
        let is_same_form = before.len() == after.len();
        let pairs = before.into_iter().zip(after).filter(|(before, after)| before != after);
        for (before, after) in pairs.filter(|_| is_same_form) {
            let old = Symbol { space: target.symbol.space.clone(), name: before };
            if old.name != target.symbol.name && named.iter().all(|known| known.old != old) {
                named.push(Named { old, new: NewName::derived(after, new) });
            }
        }
    }
    Ok(named)
}

/// Refuses if the project uses a name that nobody defines and that a definition of the target may derive, in a way that
/// only its macro knows.
pub(crate) fn may_be_derived(
    question: &UseIndex<'_>,
    target: &Target<'_>,
    named: &[Named],
) -> Result<(), RenameRefusal> {
    let derives = target.definitions.iter().any(|(document, one)| {
        let head = &document.facts.forms[one.form as usize].head;
        one.kind == FormKind::Structure || one.kind == FormKind::Definition || !target.dialect.knows_definer(head)
    });
    if !derives {
        return Ok(());
    }
    let known = named.iter().map(|one| one.old.name.clone()).collect();
    let made = question.perhaps_made(&[question.maker(&target.symbol, known)]).pop().unwrap_or_default();
    let parts = question.parts_of_patterns(&target.symbol);
    let part = || parts.first().map(|part| (part.document, part.span));
    let Some((document, span)) = made.first().map(|hit| (hit.document, hit.used.span())).or_else(part) else {
        return Ok(());
    };
    let spot = Spot::of(document, span.start);
    let tree = document.tree();
    let whole = tree.token_at(span.start).map_or(span, |token| tree.token_span(token));
    let name = document.text[whole.range()].to_owned();
    let more = Box::new(Untold { symbol: target.symbol.clone(), ..Untold::default() });
    Err(RenameRefusal::CannotTell { spot, why: Doubt::MayBeDerived { name }, more })
}

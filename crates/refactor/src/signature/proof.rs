//! Reads the changed files again: in each definition, as many places must mean each parameter as before.

use lispwright_index::{Index, ParameterList, UseIndex, symbol_name};
use lispwright_syntax::{Forms, Span, TokenKind};

use super::Changed;
use super::define::{File, Place};
use super::refusal::SignatureRefusal;
use super::wanted::Plan;
use crate::refusal::Spot;
use crate::rename::RemadeFile;

/// Compares the definitions before and after. The new list of the first of them is the answer; `None` if no file changes.
pub(crate) fn check(
    index: &Index,
    question: &UseIndex<'_>,
    files: &[File<'_>],
    places: &[Place],
    lists: &[Changed<'_>],
    first: usize,
    done: &[(usize, RemadeFile)],
) -> Result<Option<String>, SignatureRefusal> {
    let texts = done
        .iter()
        .map(|(number, file)| (file.path.clone(), file.new_text.clone(), files[*number].document.language.clone()));
    let new_index = index.with(texts);
    let after = new_index.question(question.dialect());
    let mut new_list = None;
    for (number, remade) in done {
        let old = &files[*number];
        let Some(document) = new_index.document(&remade.path) else { continue };
        let tree = document.tree();
        let facts = after.facts_with_marks(document, &tree);
        let forms = Forms::new(&tree, &document.text);
        let new = File { document, tree, facts, forms };
        // The lists of the old and the new file are the same ones, in their order.
        let (before, now) = (all_lists(old), all_lists(&new));
        for Changed { at, plan, .. } in lists.iter().filter(|one| one.file == *number) {
            let place = &places[*at];
            let found = before.iter().position(|list| list.span == place.list.span).and_then(|at| now.get(at));
            let Some(found) = found.filter(|_| before.len() == now.len()) else {
                return Err(SignatureRefusal::WouldBreak { spot: old.spot(place.list.span.start) });
            };
            same_names(plan, question, old, place, &new, found)?;
            if *at == first {
                new_list = Some(found.shown(&document.text));
            }
        }
    }
    Ok(new_list)
}

/// The lists of parameters of all definitions of a file.
fn all_lists(file: &File<'_>) -> Vec<ParameterList> {
    let uses = file.facts.uses.iter().filter(|used| super::is_definition(used.kind));
    uses.flat_map(|used| file.places(0, used.span())).map(|place| place.list).collect()
}

/// Each parameter is meant by as many places as before; a new one by none that meant something else.
fn same_names(
    plan: &Plan,
    question: &UseIndex<'_>,
    old: &File<'_>,
    place: &Place,
    new: &File<'_>,
    found: &ParameterList,
) -> Result<(), SignatureRefusal> {
    let count = |file: &File<'_>, name: Option<Span>| name.map_or(0, |name| file.occurrences(name).len());
    for parameter in &found.parameters {
        let Some(name) = &parameter.name else { continue };
        let planned = plan.new.iter().find(|one| one.name.as_ref() == Some(name));
        // The parameter under its old name, or a new one.
        let before = match planned.map(|one| one.from) {
            Some(Some(at)) => plan.in_list(at, &place.list),
            Some(None) => None,
            None => place.list.parameters.iter().position(|one| one.name.as_ref() == Some(name)),
        };
        let taken = || {
            let name =
                parameter.name_span.map_or_else(|| name.clone(), |span| new.document.text[span.range()].to_owned());
            SignatureRefusal::Taken { spot: other_of(old, place, &name), name }
        };
        let after = count(new, parameter.name_span);
        let Some(before) = before else {
            let space = old.facts.space_at(place.list.span.start);
            let is_known = question.defined_in(space, name).is_some() || question.dialect().is_standard(name);
            if after > 0 && is_known {
                return Err(taken());
            }
            continue;
        };
        // Places in default values that the request replaces, and in declarations that go, may be fewer.
        let own = place.list.parameters[before].name_span;
        let inside = |file: &File<'_>, list: &ParameterList, name: Option<Span>| {
            let all = name.map_or_else(Vec::new, |name| file.occurrences(name));
            all.into_iter().filter(|span| list.span.encloses(*span)).count()
        };
        let was = count(old, own) - inside(old, &place.list, own);
        if after - inside(new, found, parameter.name_span) != was {
            return Err(taken());
        }
    }
    Ok(())
}

/// The first place in a definition that has a name already.
fn other_of(file: &File<'_>, place: &Place, name: &str) -> Spot {
    let canonical = |text: &str| symbol_name(file.dialect(), text);
    let atoms = file.tree.tokens_within(place.form).filter(|(kind, _)| *kind == TokenKind::Atom);
    let is_it = |span: &Span| canonical(&file.document.text[span.range()]) == canonical(name);
    let found = atoms.map(|(_, span)| span).find(is_it);
    file.spot(found.unwrap_or(place.list.span).start)
}

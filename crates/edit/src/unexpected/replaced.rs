//! A body in the place of a definition, and a definition that has lost its body.

use lispwright_syntax::{Form, FormKind, Forms, Tree};

use super::Unexpected;
use crate::source::line_at;

/// The definition `old` became `new`, which defines nothing. A form about the same name may define it in its own way.
pub(super) fn undefined(
    (old, old_text): (&Form, &str),
    (new, new_text): (&Form, &str),
    line: u32,
) -> Option<Unexpected> {
    let name = old.name.as_deref().filter(|_| old.kind.is_definition() && !new.kind.is_definition())?;
    let (before, after) = (old.label(old_text), new.label(new_text));
    let about = after.split_once(' ').map(|(_, about)| about);
    (about != Some(name)).then_some(Unexpected::Undefined { before, after, line })
}

/// The first of the old forms that a form without a definition replaces.
pub(super) fn since((old_own, old): (&Forms, &str), (own, text): (&Forms, &str)) -> Option<Unexpected> {
    if old_own.top_level().count() != own.top_level().count() {
        return None;
    }
    let stays = |old: &Form| own.iter().any(|(_, new)| new.name == old.name && new.kind.is_definition());
    let pairs = old_own.top_level().zip(own.top_level()).map(|((_, old), (_, new))| (old, new));
    pairs
        .filter(|(form, _)| !stays(form))
        .find_map(|(form, new)| undefined((form, old), (new, text), line_at(text, new.span.start)))
}

/// The first definition of a function that had a body and has none now.
pub(super) fn emptied(
    (old_own, old_tree, old): (&Forms, &Tree, &str),
    (own, tree, text): (&Forms, &Tree, &str),
) -> Option<Unexpected> {
    let has_body = |form: &Form, tree: &Tree| {
        let parts = form.signature.iter().chain(&form.docstring).map(|part| part.end).max();
        let list = form.datum.list();
        list.is_none_or(|list| tree.data(list).any(|datum| Some(tree.datum_span(datum).start) >= parts))
    };
    // Those of a function that is the value of a variable are deeper inside.
    let has_own_parameters = |form: &Form, tree: &Tree| match (form.signature.as_slice(), form.datum.list()) {
        ([own], Some(list)) => tree.data(list).any(|datum| tree.datum_span(datum) == *own),
        _ => false,
    };
    let is_whole = |form: &Form, tree: &Tree| {
        let kind = matches!(form.kind, FormKind::Function | FormKind::Macro | FormKind::Method);
        kind && (form.signature.is_empty() || has_body(form, tree))
    };
    let empty = own.iter().map(|(_, form)| form).filter(|form| {
        matches!(form.kind, FormKind::Function | FormKind::Macro | FormKind::Method)
            && has_own_parameters(form, tree)
            && !has_body(form, tree)
    });
    // A new string may be the value.
    let docstring = |form: &Form, text: &str| form.docstring.map(|doc| text[doc.range()].to_owned());
    let was_whole = |form: &Form| {
        let label = form.label(text);
        old_own.iter().any(|(_, before)| {
            let is_same = form.docstring.is_none() || docstring(form, text) == docstring(before, old);
            before.label(old) == label && is_same && is_whole(before, old_tree)
        })
    };
    let mut empty = empty.filter(|form| was_whole(form));
    empty.next().map(|form| Unexpected::Emptied { label: form.label(text), line: line_at(text, form.span.start) })
}

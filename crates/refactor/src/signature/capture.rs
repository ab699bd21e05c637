//! Macros that make code with the name of a parameter: they use the variable of the code around, and no place says so.

use std::collections::HashSet;

use lispwright_index::{Document, FormRow, Referent, Symbol, UseIndex, UseKind, symbol_name};
use lispwright_syntax::{FormKind, Span};

use super::define::{Definer, File};
use super::refusal::{OpenPlace, OpenReason};
use crate::dialects::notation;

/// At most so many macros are looked at for one definition.
const MOST_MACROS: usize = 500;

/// The uses of macros in a definition that may mean a parameter of it whose name changes, or that goes.
pub(crate) fn capturing(question: &UseIndex<'_>, file: &File<'_>, definer: &Definer<'_, '_>) -> Vec<OpenPlace> {
    let names = definer.changing();
    if names.is_empty() || !notation(file.dialect()).macros_capture || definer.place.is_macro {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (symbol, at) in called(question, file.document, definer.place.form, UseKind::Call) {
        if let Some(name) = names.iter().find(|name| makes(question, &symbol, name)) {
            let why = OpenReason::Captured(lispwright_index::spelled(file.dialect(), name));
            found.push(OpenPlace { spot: file.spot(at), why });
        }
    }
    found
}

/// What the uses of a kind in a part of a file mean, each symbol once.
fn called(question: &UseIndex<'_>, document: &Document, part: Span, kind: UseKind) -> Vec<(Symbol, u32)> {
    let uses = &document.facts.uses;
    let from = uses.partition_point(|used| used.start < part.start);
    let inside = uses[from..].iter().take_while(|used| used.start < part.end).filter(|used| used.kind == kind);
    let mut found: Vec<(Symbol, u32)> = Vec::new();
    for used in inside {
        if let Referent::Is(symbol) = question.meaning(document, *used)
            && found.iter().all(|(known, _)| *known != symbol)
        {
            found.push((symbol, used.start));
        }
    }
    found
}

/// The macro has the name in its template, or uses one there that has it.
fn makes(question: &UseIndex<'_>, symbol: &Symbol, name: &str) -> bool {
    let mut seen: HashSet<Symbol> = HashSet::from([symbol.clone()]);
    let mut waiting = vec![symbol.clone()];
    while let Some(symbol) = waiting.pop().filter(|_| seen.len() < MOST_MACROS) {
        for (document, one) in question.definitions(&symbol) {
            let form: &FormRow = &document.facts.forms[one.form as usize];
            if one.kind != FormKind::Macro {
                continue;
            }
            let uses = &document.facts.uses;
            let from = uses.partition_point(|used| used.start < form.span.start);
            let inside = uses[from..].iter().take_while(|used| used.start < form.span.end);
            let mut templates = inside.filter(|used| used.kind == UseKind::Template);
            let text = |span: Span| &document.text[span.range()];
            let is_variable = |at: u32| {
                let before = &document.text[..at as usize];
                !before.ends_with(['(', ':']) && !before.ends_with("#'")
            };
            let mut templates = templates.by_ref().filter(|used| is_variable(used.start));
            if templates.any(|used| symbol_name(document.dialect, text(used.span())) == name) {
                return true;
            }
            let others = called(question, document, form.span, UseKind::Template).into_iter();
            waiting.extend(others.map(|(symbol, _)| symbol).filter(|symbol| seen.insert(symbol.clone())));
        }
    }
    false
}

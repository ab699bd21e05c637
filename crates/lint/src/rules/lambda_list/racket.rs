//! The parameter lists of `lambda` and `define` of Racket (reference, 4.4 and 4.5).

use lispwright_index::ImportKind;
use lispwright_syntax::{Datum, ListId, SpecialForm};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::Findings;
use crate::modules::may_define;

/// The languages whose `lambda` and `define` these are.
const LANGUAGES: &[&str] = &["racket", "racket/base", "racket/gui", "racket/gui/base"];

/// Tells what is wrong with the parameter lists of a form.
pub(super) fn check(file: &File<'_, '_>, form: &CodeForm<'_>, findings: &mut Findings) {
    let Some(first) = form.arguments.first().copied().filter(|first| first.is_bare()) else { return };
    let lists = match (file.dialect().special_form(&form.name), &*form.name) {
        (Some(SpecialForm::Procedure), "lambda" | "λ") => {
            if is_literal(file.core(first)) && is_judged(file, form) {
                let message = format!("`{}` is no name for a parameter", file.core(first));
                findings.add(file.tree.datum_span(first), message);
            }
            first.list().map(|list| (list, 0)).into_iter().collect()
        }
        (Some(SpecialForm::Define), "define") => headers(file, first),
        _ => return,
    };
    for (list, skipped) in lists {
        let parameters = file.data(list);
        let found = flaw(file, parameters.get(skipped..).unwrap_or_default());
        if let Some((datum, message)) = found.filter(|_| is_judged(file, form)) {
            findings.add(file.tree.datum_span(datum), message);
        }
    }
}

/// The lists of a header with the names before their parameters: `((name parameter…) parameter…)` has two.
fn headers(file: &File<'_, '_>, header: Datum) -> Vec<(ListId, usize)> {
    let inner = |list: &ListId| file.tree.data(*list).next().filter(|one| one.is_bare()).and_then(Datum::list);
    std::iter::successors(header.list(), inner).map(|list| (list, 1)).collect()
}

/// The form is the one of the language, and is no template, whose parts stand for others.
fn is_judged(file: &File<'_, '_>, form: &CodeForm<'_>) -> bool {
    let imports = file.document.facts.spaces.iter().flat_map(|space| &space.imports);
    let may_give = |import: &lispwright_index::Import| {
        let theirs = import.theirs(&form.name).filter(|_| import.kind == ImportKind::Asked);
        theirs.is_some_and(|theirs| may_define(file.question, &import.from, theirs))
    };
    let is_template = |list: ListId| {
        let head = file.head_of(list).unwrap_or_default();
        let is_other_module = head == "module" || head == "module*";
        file.is_prefixed(list) || is_other_module || head.contains("syntax") || head.contains("macro")
    };
    let is_file = file.module_language().is_some_and(|language| LANGUAGES.contains(&language));
    let mut lists = file.lists_around(file.tree.core_span(form.head));
    is_file && !lists.any(is_template) && !imports.into_iter().any(may_give)
}

/// What is wrong with parameters, and where.
fn flaw(file: &File<'_, '_>, parameters: &[Datum]) -> Option<(Datum, String)> {
    let is_plain = |one: &Datum| one.is_bare() && file.is_plain(*one);
    let mut has_optional = false;
    let mut rest = parameters.iter();
    while let Some(one) = rest.next() {
        let text = file.core(*one);
        // What is after a dot gets the other arguments; dots in a template stand for others.
        if !is_plain(one) || matches!(text, "." | "...") {
            return None;
        }
        let is_key = text.starts_with("#:") && one.list().is_none();
        let parameter = match rest.clone().next() {
            Some(next) if is_key && !is_plain(next) => return None,
            Some(next) if is_key && !file.core(*next).starts_with("#:") => {
                rest.next();
                next
            }
            _ if is_key => return Some((*one, format!("`{text}` has no parameter after it"))),
            _ => one,
        };
        let name = match parameter.list().map(|list| file.data(list)) {
            None => *parameter,
            Some(parts) if !parts.iter().all(is_plain) || parts.iter().any(|one| file.core(*one) == ".") => {
                return None;
            }
            Some(parts) => match parts.as_slice() {
                [name, _] if name.list().is_none() => *name,
                _ => {
                    let message = format!("`{}` is no name with its default value", file.core(*parameter));
                    return Some((*parameter, message));
                }
            },
        };
        let written = file.core(name);
        if is_literal(written) {
            return Some((name, format!("`{written}` is no name for a parameter")));
        }
        if has_optional && parameter.list().is_none() && !is_key {
            let message = format!("`{written}` needs a default value, as a parameter before it has one");
            return Some((name, message));
        }
        has_optional |= parameter.list().is_some() && !is_key;
    }
    None
}

/// The atom is a number, a text, a character, a truth value or a keyword.
fn is_literal(text: &str) -> bool {
    let is_number = text.starts_with(|first: char| first.is_ascii_digit()) && text.parse::<f64>().is_ok();
    is_number
        || text.starts_with(['"'])
        || ["#\\", "#:"].iter().any(|begins| text.starts_with(begins))
        || matches!(text, "#t" | "#f" | "#true" | "#false")
}

//! `#:select`, `only` and `#:autoload` of Scheme, and `only-in` of Racket.

use lispwright_syntax::{Datum, ListId};

use super::{Imported, ImportedKind, Imports};
use crate::file::File;

/// Names that the reader or the expander uses where nobody writes them.
const IMPLICIT: &[&str] = &[
    "else",
    "=>",
    "_",
    "...",
    "quote",
    "quasiquote",
    "unquote",
    "unquote-splicing",
    "syntax",
    "quasisyntax",
    "unsyntax",
    "unsyntax-splicing",
];

/// Heads of the forms around a declaration that counts.
const AROUND: &[&str] = &["library", "define-library", "module", "module*", "module+", "begin"];

/// Heads of the specifications around a list of names that leave the names what they are.
const PLAIN_SPECS: &[&str] = &["for", "for-syntax", "for-template", "for-meta", "combine-in", "import", "require"];

/// The declaration at top level that a list is in, or is.
fn declaration(file: &File<'_, '_>, list: ListId, declares: &[&str], specs: &[&str]) -> Option<ListId> {
    let mut declaration = None;
    let mut next = Some(list);
    while let Some(list) = next {
        next = file.tree.list(list).parent();
        let head = file.head_of(list)?;
        if file.is_prefixed(list) {
            return None;
        }
        match declaration {
            None if declares.contains(&head) => declaration = Some(list),
            None if specs.contains(&head) => {}
            Some(_) if AROUND.contains(&head) => {}
            _ => return None,
        }
    }
    declaration
}

/// The names that the modules of Scheme in a file ask for.
pub(crate) fn scheme<'i>(file: &File<'_, 'i>) -> Imports<'i> {
    let mut imports = Imports::default();
    for list in 0..file.tree.lists().len() as ListId {
        let Some(head) = file.head_of(list) else { continue };
        match head {
            "define-module" | "use-modules" if file.tree.list(list).parent().is_none() && !file.is_prefixed(list) => {
                guile(file, list, &mut imports);
            }
            "only" => {
                let Some(parent) = file.tree.list(list).parent() else { continue };
                let Some(declaration) = declaration(file, parent, &["import"], PLAIN_SPECS) else { continue };
                let data = file.data(list);
                if data.get(1).is_some_and(|module| module.list().is_some()) && !file.is_prefixed(list) {
                    self::names(file, list, data[2..].to_vec(), &mut imports);
                    imports.clauses.push(file.tree.list_span(declaration));
                }
            }
            _ => {}
        }
    }
    imports
}

/// `((module) #:select (name (theirs . ours)))`, and `#:autoload (module) (name …)`.
fn guile<'i>(file: &File<'_, 'i>, list: ListId, imports: &mut Imports<'i>) {
    let data = file.data(list);
    let is_module = file.head_of(list) == Some("define-module");
    for (at, datum) in data.iter().enumerate().skip(1) {
        let before =
            data.get(at.wrapping_sub(1)).map_or("", |before| file.core(*before)).trim_start_matches(['#', ':']);
        let Some(inner) = datum.list().filter(|_| datum.is_bare()) else { continue };
        if is_module && before == "autoload" {
            if let Some(names) = data.get(at + 1).and_then(|names| names.list()) {
                self::names(file, names, file.data(names), imports);
                imports.clauses.push(file.tree.list_span(names));
            }
            continue;
        }
        if is_module && !matches!(before, "use-module") {
            continue;
        }
        let spec = file.data(inner);
        let option = |wanted: &str| {
            let mut pairs = spec.get(1..).unwrap_or_default().chunks_exact(2);
            pairs.find(|pair| file.core(pair[0]).trim_start_matches(['#', ':']) == wanted).map(|pair| pair[1])
        };
        let is_plain = option("prefix").is_none() && option("renamer").is_none();
        let names = option("select").and_then(Datum::list).filter(|_| is_plain);
        if let Some(names) = names {
            self::names(file, names, file.data(names), imports);
        }
        imports.clauses.push(file.tree.list_span(inner));
    }
}

/// Single names, or pairs of theirs and ours.
fn names<'i>(file: &File<'_, 'i>, list: ListId, data: Vec<Datum>, imports: &mut Imports<'i>) {
    let is_one = data.len() == 1;
    for datum in data {
        let parts = datum.list().map_or_else(|| vec![datum], |list| file.data(list));
        let Some(ours) = parts.last().copied().filter(|ours| ours.list().is_none()) else { continue };
        let name = file.core(ours);
        if !file.is_plain(datum) || !datum.is_bare() || IMPLICIT.contains(&name) || name.starts_with(['#', '|']) {
            continue;
        }
        let remedy = (!is_one).then(|| file.without(list, datum));
        imports.names.push(Imported { at: file.tree.core_span(ours), name, kind: ImportedKind::Name, remedy });
    }
}

/// The names that the modules of Racket in a file ask for.
pub(crate) fn racket<'i>(file: &File<'_, 'i>) -> Imports<'i> {
    let mut imports = Imports::default();
    // What is imported is given on.
    if !file.has_known_language() || file.text().contains("all-from") {
        return imports;
    }
    for list in 0..file.tree.lists().len() as ListId {
        if file.head_of(list) != Some("only-in") || file.is_prefixed(list) {
            continue;
        }
        let Some(parent) = file.tree.list(list).parent() else { continue };
        let Some(declaration) = declaration(file, parent, &["require"], PLAIN_SPECS) else { continue };
        let names = file.tree.data(list).skip(2).collect();
        self::names(file, list, names, &mut imports);
        imports.clauses.push(file.tree.list_span(declaration));
    }
    imports
}

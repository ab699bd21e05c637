//! `:import-from` in `defpackage`.

use lispwright_index::words;
use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Span};

use super::{Imported, ImportedKind, Imports};
use crate::file::File;

/// The names that the packages of a file import one by one, and that no file of the package mentions.
///
/// All files of a package use what it imports, so they are read as texts: a macro may make symbols of strings.
pub(crate) fn common_lisp<'i>(file: &File<'_, 'i>) -> Imports<'i> {
    let mut imports = Imports::default();
    for list in file.tree.top_level().filter(|form| form.is_bare()).filter_map(Datum::list) {
        let Some(head) = file.head_of(list) else { continue };
        let head = head.rsplit(':').next().unwrap_or(head);
        if !["defpackage", "define-package"].iter().any(|one| head.eq_ignore_ascii_case(one)) {
            continue;
        }
        let span = file.tree.list_span(list);
        let Some(space) = file.document.facts.spaces.iter().find(|space| span.contains(space.at)) else { continue };
        let documents = file.question.documents_in(&space.name);
        let is_computed = |text: &str| text.contains("#.") || text.contains("in-readtable") || text.contains("(load ");
        if documents.is_empty() || documents.iter().any(|one| is_computed(&one.text)) {
            continue;
        }
        let options: Vec<Datum> = file.tree.data(list).skip(2).collect();
        let imported = |option: &Datum| {
            let inner = option.list().filter(|_| option.is_bare())?;
            let word = file.head_of(inner)?;
            word.eq_ignore_ascii_case(":import-from").then_some(inner)
        };
        let clauses: Vec<Span> = options.iter().filter_map(imported).map(|list| file.tree.list_span(list)).collect();
        for inner in options.iter().filter_map(imported) {
            let data: Vec<Datum> = file.tree.data(inner).skip(2).collect();
            let is_one = data.len() == 1;
            for datum in data {
                let text = file.core(datum);
                let plain = text.trim_start_matches("#:").trim_start_matches(':').trim_matches('"');
                if datum.list().is_some() || !file.is_plain(datum) || plain.contains([':', '|', '\\']) {
                    continue;
                }
                let is_used = documents.iter().any(|other| {
                    let is_here = std::ptr::eq(*other, file.document);
                    let places = words(&other.text, plain, true);
                    let is_clause = |at: usize| is_here && clauses.iter().any(|clause| clause.contains(at as u32));
                    places.into_iter().any(|place| !is_clause(place.start))
                }) || file.is_used_elsewhere(space.name.as_str(), text, span);
                if !is_used {
                    let remedy = (!is_one).then(|| file.without(inner, datum));
                    let at = file.tree.core_span(datum);
                    imports.names.push(Imported { at, name: plain, kind: ImportedKind::Name, remedy });
                }
            }
        }
        imports.clauses.extend(clauses);
    }
    imports
}

impl File<'_, '_> {
    /// Another file has the symbol from the package, or this one outside of the declaration.
    fn is_used_elsewhere(&self, space: &str, written: &str, declaration: Span) -> bool {
        let name = canonical_symbol(self.dialect(), written.trim_matches('"'));
        let declared = self.text()[declaration.range()].to_ascii_lowercase();
        let clauses = declared.split("(:import-from");
        let export = name.to_ascii_lowercase();
        // The package exports or shadows it, too.
        let mut clauses = clauses.enumerate();
        let is_named = clauses.any(|(at, clause)| {
            let clause = if at == 0 { clause } else { clause.split_once(')').map_or("", |(_, rest)| rest) };
            !words(clause, &export, true).is_empty()
        });
        let is_qualified = |hit: &lispwright_index::Hit<'_>| {
            hit.document.text[hit.used.span().range()]
                .to_ascii_lowercase()
                .strip_suffix(&export)
                .is_some_and(|before| before.trim_end_matches(':') == space)
        };
        is_named || self.question.named(&name).any(|hit| is_qualified(&hit))
    }
}

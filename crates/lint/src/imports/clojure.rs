//! `:as`, `:refer` and `:import` in `ns`.

use lispwright_syntax::{Datum, ListId, Span};

use super::{Imported, ImportedKind, Imports};
use crate::file::File;
use crate::finding::Remedy;

/// What the `ns` forms of a file ask for.
pub(crate) fn clojure<'i>(file: &File<'_, 'i>) -> Imports<'i> {
    let mut imports = Imports::default();
    // What a file for the prompt imports is used there.
    if file.document.path.file_stem().is_some_and(|stem| stem == "user") {
        return imports;
    }
    let forms = file.tree.top_level().filter_map(Datum::list).filter(|list| file.head_of(*list) == Some("ns"));
    for list in forms {
        for clause in spread(file, file.tree.data(list).skip(2)) {
            let Some(inner) = clause.list() else { continue };
            let Some(word) = file.head_of(inner) else { continue };
            let parts = file.tree.data(inner).skip(1);
            match word {
                ":require" | ":use" | ":require-macros" | ":use-macros" => {
                    let libraries = spread(file, parts);
                    libraries.into_iter().for_each(|library| self::library(file, library, &mut imports));
                }
                ":import" => {
                    let classes = spread(file, parts);
                    classes.into_iter().for_each(|one| self::classes(file, one, &mut imports));
                }
                ":refer-clojure" => {}
                _ => continue,
            }
            imports.clauses.push(file.tree.datum_span(clause));
        }
    }
    imports
}

/// The data, with those in the branches of reader conditionals in place of these.
fn spread(file: &File<'_, '_>, data: impl Iterator<Item = Datum>) -> Vec<Datum> {
    let mut found = Vec::new();
    for datum in data {
        let opener = file.source(file.tree.token_span(datum.core));
        match datum.list().filter(|_| opener.starts_with("#?")) {
            Some(list) => {
                let branches: Vec<Datum> = file.tree.data(list).skip(1).step_by(2).collect();
                if opener.starts_with("#?@") {
                    found.extend(branches.into_iter().filter_map(Datum::list).flat_map(|list| file.tree.data(list)));
                } else {
                    found.extend(branches);
                }
            }
            None => found.push(datum),
        }
    }
    found
}

/// `[name option value …]`, or `(prefix library…)`.
fn library<'i>(file: &File<'_, 'i>, library: Datum, imports: &mut Imports<'i>) {
    let mut waiting = vec![library];
    while let Some(library) = waiting.pop() {
        let Some(list) = library.list() else { continue };
        let data = file.data(list);
        let Some((_, options)) = data.split_first() else { continue };
        let is_option = |datum: &Datum| datum.list().is_none() && file.core(*datum).starts_with(':');
        if options.first().is_some_and(|first| !is_option(first)) {
            waiting.extend(options.iter().filter(|one| one.list().is_some() && file.is_plain(**one)));
            continue;
        }
        let pairs: Vec<(Datum, Datum)> = options.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        // With a condition among the options, they are no pairs.
        if pairs.len() * 2 != options.len() || !pairs.iter().all(|(option, _)| is_option(option)) {
            continue;
        }
        // A name that is loaded is left.
        let whole = |option: Datum, value: Datum| {
            let text = file.text();
            let before = text[..file.tree.datum_span(option).start as usize].trim_end_matches([' ', '\n', '\t', ',']);
            let span = Span::new(before.len() as u32, file.tree.datum_span(value).end);
            let is_commented = file.source(span).contains(';') || before.rsplit('\n').next()?.contains(';');
            (!is_commented).then(|| Remedy { span, text: String::new() })
        };
        let renamed = pairs.iter().find(|(option, _)| file.core(*option) == ":rename").map(|(_, value)| *value);
        for (option, value) in pairs.iter().copied() {
            match (file.core(option), value.list()) {
                (":as" | ":as-alias", None) => imports.names.push(Imported {
                    at: file.tree.datum_span(value),
                    name: file.core(value),
                    kind: ImportedKind::Alias,
                    remedy: whole(option, value),
                }),
                (":refer" | ":only" | ":refer-macros", Some(names)) if renamed.is_none() => {
                    let is_use = file.core(option) == ":only";
                    let remedy = if is_use { None } else { whole(option, value) };
                    self::names(file, names, ImportedKind::Name, remedy, 0, imports);
                }
                _ => {}
            }
        }
    }
}

/// `(package Name …)`
fn classes<'i>(file: &File<'_, 'i>, classes: Datum, imports: &mut Imports<'i>) {
    if let Some(list) = classes.list() {
        names(file, list, ImportedKind::Class, None, 1, imports);
        return;
    }
    let text = file.core(classes);
    if let Some((_, name)) = text.rsplit_once('.').filter(|_| classes.is_bare()) {
        let at = file.tree.datum_span(classes);
        imports.names.push(Imported { at, name, kind: ImportedKind::Class, remedy: None });
    }
}

/// The names in a list after the first `skipped`. The change that leaves none of them is `all`.
fn names<'i>(
    file: &File<'_, 'i>,
    list: ListId,
    kind: ImportedKind,
    all: Option<Remedy>,
    skipped: usize,
    imports: &mut Imports<'i>,
) {
    let data: Vec<Datum> = file.tree.data(list).skip(skipped).collect();
    let is_one = data.len() == 1;
    for datum in data {
        if datum.list().is_some() || !file.is_plain(datum) {
            continue;
        }
        let remedy = if is_one { all.clone() } else { Some(file.without(list, datum)) };
        let name = file.core(datum);
        let name = if kind == ImportedKind::Class { name.rsplit('.').next().unwrap_or(name) } else { name };
        imports.names.push(Imported { at: file.tree.core_span(datum), name, kind, remedy });
    }
}

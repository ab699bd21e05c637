//! The ledger of a name in a project of some small files, a line for each place that is no definition:
//! `path:line:column: what in form`.

use std::fs;
use std::path::Path;

use lispwright_index::{Index, Symbol};
use lispwright_syntax::Dialect;

/// The ledger of the names called `name`, each of which can have a package before it.
pub(crate) fn ledger(files: &[(&str, &str)], name: &str) -> String {
    let top = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = top.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([top.path()], &language);
    let definitions = index.definitions(name, None);
    let Some((first, _)) = definitions.first() else { return "not defined".to_owned() };
    let dialect = first.dialect;
    let own = definitions.iter().filter(|(document, _)| document.dialect == dialect);
    let symbols: Vec<Symbol> = own.map(|(_, one)| one.symbol()).collect();
    let question = index.question(dialect);
    let ledger = question.ledger(&symbols);
    assert!(ledger.tally.closes(), "{:?}", ledger.tally);
    let place = |document: &lispwright_index::Document, start: u32| {
        let at = document.lines().line_column(document.text.as_bytes(), start);
        let form = document.facts.form_at(start).map_or("top level", |form| &document.facts.forms[form as usize].label);
        let path = document.path.strip_prefix(top.path()).unwrap();
        (format!("{}:{}:{}", path.display(), at.line, at.column), form.to_owned())
    };
    let mut lines = Vec::new();
    for hit in ledger.uses.iter().filter(|hit| hit.is_reference()) {
        let (at, form) = place(hit.document, hit.used.start);
        lines.push(format!("{at}: {} in {form}", hit.used.kind.name()));
    }
    for one in &ledger.possible {
        let (at, form) = place(one.document, one.span.start);
        lines.push(format!("{at}: possible, {} in {form}", one.reason.name()));
    }
    for one in &ledger.mentions {
        let (at, form) = place(one.document, one.span.start);
        lines.push(format!("{at}: mention, {} in {form}", one.kind.name()));
    }
    lines.join("\n")
}

/// Compares the ledger of a name with the expected one, whose lines may be indented.
#[track_caller]
pub(crate) fn check(files: &[(&str, &str)], name: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(ledger(files, name), expected.join("\n"), "{name}");
}

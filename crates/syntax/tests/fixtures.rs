//! Each fixture is a source file; the folder is the verdict (`ok` has no diagnostics, `err` has some), and the dump
//! beside it is the expected tree. `UPDATE_FIXTURES=1` writes the dumps anew.

use std::fs;
use std::path::{Path, PathBuf};

use lispwright_syntax::dump::dump;
use lispwright_syntax::{Dialect, read};

fn sources(verdict: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(verdict);
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the folder is part of the repository")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension != "dump"))
        .collect();
    found.sort();
    assert!(!found.is_empty());
    found
}

fn check(path: &Path, healthy: bool) {
    let bytes = fs::read(path).expect("a fixture can be read");
    let text = String::from_utf8(bytes).expect("fixtures are UTF-8");
    let name = path.to_str().expect("fixture names are ASCII");
    let dialect = Dialect::detect(name, text.as_bytes()).expect("fixture names tell the dialect");
    let tree = read(&text, dialect).learning(&text);
    let joined: String = tree.tokens().map(|(_, span)| &text[span.range()]).collect();
    assert_eq!(joined, text, "{name}: tokens joined give the text");
    assert_eq!(tree.diagnostics().is_empty(), healthy, "{name}: the folder is the verdict\n{}", dump(&tree, &text));
    let expected_path =
        path.with_extension(format!("{}.dump", path.extension().and_then(|e| e.to_str()).unwrap_or("")));
    let actual = dump(&tree, &text);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(&expected_path, &actual).expect("a dump can be written");
    }
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    assert_eq!(actual, expected, "{name}: UPDATE_FIXTURES=1 accepts a change that is meant");
}

#[test]
fn healthy_sources_read_without_diagnostics() {
    sources("ok").iter().for_each(|path| check(path, true));
}

#[test]
fn broken_sources_read_with_located_diagnostics() {
    sources("err").iter().for_each(|path| check(path, false));
}

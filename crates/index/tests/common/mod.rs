//! Projects of some small files, and the uses of a name in them: `path:line: kind in form`, and `? number` for
//! unresolved uses.

use std::fs;
use std::path::Path;

use lispwright_index::Index;
use lispwright_syntax::{Dialect, Language};

/// The directory of the files, and the index of it.
pub(crate) fn indexed(files: &[(&str, &str)]) -> (tempfile::TempDir, Index) {
    let top = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = top.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut index = Index::default();
    let language = |path: &Path, text: &str| {
        let path = path.to_string_lossy();
        let plain = Dialect::detect(&path, text.as_bytes()).map(Language::from);
        plain.or_else(|| Language::of_at_forms(&path, text))
    };
    index.refresh([top.path()], &language);
    (top, index)
}

/// The uses of the names called `name` in the files, without their definitions.
pub(crate) fn uses(files: &[(&str, &str)], name: &str, space: Option<&str>) -> String {
    let (top, index) = indexed(files);
    let mut lines = Vec::new();
    for (document, one) in index.definitions(name, space) {
        let question = index.question(document.dialect);
        let uses = question.uses(&one.symbol());
        let (hits, unresolved) = (uses.hits, uses.unresolved.len());
        for hit in hits.iter().filter(|hit| hit.is_reference()) {
            let path = hit.document.path.strip_prefix(top.path()).unwrap().display();
            let form = hit.form().map_or("top level", |form| &form.label);
            let (line, kind) = (hit.document.line(hit.used.start), hit.used.kind.name());
            lines.push(format!("{path}:{line}: {kind} in {form}"));
        }
        lines.extend((unresolved > 0).then(|| format!("? {unresolved}")));
    }
    lines.join("\n")
}

/// Compares the uses of a name with the expected ones.
#[track_caller]
pub(crate) fn check(files: &[(&str, &str)], name: &str, expected: &str) {
    assert_eq!(uses(files, name, None), expected);
}

//! A project of one file.

use std::path::Path;

use lispwright_index::Index;
use lispwright_lint::{Finding, Rule, lint};
use lispwright_syntax::{Dialect, Language};

/// What the rules find in `text`, the one file of a project.
#[allow(dead_code, reason = "some tests name the file")]
pub(crate) fn found(dialect: Dialect, text: &str, rules: &[&dyn Rule]) -> Vec<Finding> {
    let ending = dialect.table().endings.first().expect("an ending");
    found_in(dialect, &format!("example.{ending}"), text, rules)
}

/// The same in a file of this name.
#[allow(dead_code, reason = "some tests name no file")]
pub(crate) fn found_in(dialect: Dialect, name: &str, text: &str, rules: &[&dyn Rule]) -> Vec<Finding> {
    found_beside(&[], dialect, name, text, rules)
}

/// The same beside other files, each a name and a text.
pub(crate) fn found_beside(
    others: &[(&str, &str)],
    dialect: Dialect,
    name: &str,
    text: &str,
    rules: &[&dyn Rule],
) -> Vec<Finding> {
    let root = tempfile::tempdir().expect("a directory");
    for (name, text) in others.iter().chain([&(name, text)]) {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
    let mut index = Index::default();
    index.refresh([root.path()], &|_: &Path, _: &str| Some(Language::from(dialect)));
    let question = index.question(dialect);
    let document = index.document(&root.path().join(name)).expect("the file");
    lint(&question, document, rules)
}

//! Tests of one name: where a second definition replaces the first, only the last one runs, and nothing else says so.

use std::collections::HashMap;

use lispwright_edit::Source;
use lispwright_runtime::Tally;
use lispwright_syntax::{Form, FormKind, TokenKind};

use schemars::JsonSchema;
use serde::Serialize;

use crate::repl_work::relative;
use crate::run_tests::TestSource;
use crate::workshop::Workshop;

/// The most files that are read for it.
const MOST_FILES: usize = 200;

/// The most names that are told.
const MOST_TOLD: usize = 10;

/// Definitions of tests that have one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TestTwins {
    /// The name.
    pub name: String,
    /// Where it is defined, in the order of the files; the last definition counts.
    pub places: Vec<TestSource>,
}

/// The tests that the files of a run define more than once in one package or file.
pub(crate) fn twins(workshop: &Workshop, tally: &Tally) -> Vec<TestTwins> {
    let mut order: Vec<(String, String, String)> = Vec::new();
    let mut places: HashMap<(String, String, String), Vec<TestSource>> = HashMap::default();
    for path in tally.files.iter().take(MOST_FILES) {
        let Ok((file, language)) = workshop.workspace.open_lisp(path) else { continue };
        let source = Source::read(&file.text, language);
        let shown = relative(path, workshop.roots.primary());
        // Tests of a file without a package of its own are its own.
        let mut package = shown.clone();
        for (_, form) in source.forms.top_level() {
            if form.head_name == "in-package" {
                package = form.label(source.text).to_lowercase();
            }
            let is_definition = form.kind == FormKind::Test && form.conditions.is_empty() && !form.broken;
            let Some(name) = form.name.as_deref().filter(|_| is_definition) else { continue };
            if !is_name(&source, form, name, tally) {
                continue;
            }
            let key = (package.clone(), form.head_name.clone(), name.to_owned());
            let line = Some(source.lines.line(form.span.start));
            let known = places.entry(key.clone()).or_insert_with(|| {
                order.push(key);
                Vec::new()
            });
            known.push(TestSource { path: shown.clone(), line });
        }
    }
    let told = order.into_iter().filter_map(|key| {
        let places = places.remove(&key).filter(|places| places.len() > 1)?;
        Some(TestTwins { name: key.2, places })
    });
    told.take(MOST_TOLD).collect()
}

/// `name` in the second place of `form` is the name of a test that a second definition replaces.
fn is_name(source: &Source<'_>, form: &Form, name: &str, tally: &Tally) -> bool {
    // A test whose name is a string is a call, and all of them run.
    if name.starts_with('"') {
        return false;
    }
    // The run names tests with their packages.
    let bare = |name: &str| name.rsplit([':', '/']).next().unwrap_or_default().to_lowercase();
    let is_told = tally.names.iter().any(|told| bare(told) == bare(name));
    // In `(deftest :unit "adds" ...)` it may be that of a group, and the string that of the test.
    let tree = &source.tree;
    let next = form.datum.list().and_then(|list| tree.data(list).nth(2));
    let is_group = name.starts_with(':') || next.is_some_and(|next| tree.kind(next.core) == TokenKind::String);
    is_told || !is_group
}

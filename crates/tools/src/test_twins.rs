//! Tests of one name: where a second definition replaces the first, only the last one runs, and nothing else says so.

use std::collections::HashMap;

use lispwright_edit::Source;
use lispwright_syntax::FormKind;

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

/// The tests that the files, absolute paths, define more than once in one package or file.
pub(crate) fn twins(workshop: &Workshop, files: &[String]) -> Vec<TestTwins> {
    let mut order: Vec<(String, String, String)> = Vec::new();
    let mut places: HashMap<(String, String, String), Vec<TestSource>> = HashMap::default();
    for path in files.iter().take(MOST_FILES) {
        let Ok((file, language)) = workshop.workspace.open_lisp(path) else { continue };
        let source = Source::read(&file.text, language);
        let shown = relative(path, workshop.roots.primary());
        // Tests of a file without a package of its own are its own.
        let mut package = shown.clone();
        for (_, form) in source.forms.top_level() {
            if form.head_name == "in-package" {
                package = form.label(source.text).to_lowercase();
            }
            // A test whose name is a string is a call, and all of them run.
            let is_symbol = form.name_span.is_some_and(|name| !source.text[name.range()].starts_with('"'));
            let is_definition = form.kind == FormKind::Test && form.conditions.is_empty() && !form.broken && is_symbol;
            let Some(name) = form.name.as_deref().filter(|_| is_definition) else { continue };
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

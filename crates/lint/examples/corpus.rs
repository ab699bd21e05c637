//! What the rules find in the files below a directory, as one project: `cargo run -p lispwright-lint --example corpus --
//! [--each] DIRECTORY [CODE…]`. With `--each`, each directory in it is a project, to which the others are libraries. With
//! codes, only those rules are asked. The last lines count findings and lines by dialect.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use lispwright_index::{Index, Libraries};
use lispwright_lint::{Rule, lint, rules};
use lispwright_syntax::{Dialect, Language};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    let is_each = arguments.next_if(|one| one == "--each").is_some();
    let root = arguments.next().unwrap_or_else(|| ".".to_owned());
    let codes: Vec<String> = arguments.collect();
    let is_asked = |rule: &&dyn Rule| codes.is_empty() || codes.iter().any(|code| code == rule.about().code);
    let asked: Vec<&dyn Rule> = rules::ALL.iter().copied().filter(is_asked).collect();
    let language =
        |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Language::from);
    let mut projects = vec![PathBuf::from(&root)];
    if is_each {
        let entries = std::fs::read_dir(&root)?.flatten();
        projects = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        projects.sort();
    }
    let mut out = std::io::stdout().lock();
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    let indexed = projects.iter().map(|project| {
        let places = is_each.then(|| Dialect::ALL.map(|dialect| (dialect, PathBuf::from(&root))));
        let mut index = Index::with_libraries(Libraries::new(places.into_iter().flatten()));
        index.refresh([project.as_path()], &language);
        index
    });
    for (index, dialect) in indexed.flat_map(|index| Dialect::ALL.map(|dialect| (index.clone(), dialect))) {
        let question = index.question(dialect);
        for &document in question.documents().iter().filter(|one| one.dialect == dialect) {
            *lines.entry(dialect.name()).or_default() += document.text.lines().count();
            for one in lint(&question, document, &asked) {
                *counts.entry((dialect.name(), one.rule)).or_default() += 1;
                let line = document.line(one.span.start);
                let source = document.text.lines().nth(line as usize - 1).unwrap_or_default().trim();
                writeln!(out, "{}:{line}: {}: {} | {source}", document.path.display(), one.rule, one.message)?;
            }
        }
    }
    for (dialect, lines) in &lines {
        writeln!(out, "# {dialect}: {lines} lines")?;
    }
    for ((dialect, rule), count) in &counts {
        writeln!(out, "# {dialect}: {rule} {count}")?;
    }
    Ok(())
}

//! Accounts for every symbol of the files in a directory: `tokens DIRECTORY [NUMBER]`, with so many places of each
//! dialect that the walk does not reach.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;

use lispwright_index::{Holds, Index, Referent, is_name, symbol_name};
use lispwright_syntax::{Dialect, TokenKind, read};
use rustc_hash::FxHashSet;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, root, rest @ ..] = &arguments[..] else { return };
    let shown: usize = rest.first().and_then(|number| number.parse().ok()).unwrap_or(0);
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([Path::new(root)], &language);
    let defined: FxHashSet<(Dialect, &str)> = index
        .documents()
        .flat_map(|one| one.facts.definitions.iter().map(|definition| (one.dialect, definition.name.as_str())))
        .collect();
    for dialect in Dialect::ALL.into_iter().filter(|dialect| dialect.has_special_forms()) {
        let question = index.question(dialect);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut unreached = Vec::new();
        for &document in question.documents().iter().filter(|one| one.dialect == dialect) {
            let tree = read(&document.text, dialect).learning(&document.text);
            let facts = question.facts_with_marks(document, &tree);
            let atoms = tree.tokens().filter(|(kind, _)| *kind == TokenKind::Atom).map(|(_, span)| span);
            let names: FxHashSet<String> = atoms
                .map(|span| &document.text[span.range()])
                .filter(|text| is_name(dialect, text))
                .map(|text| symbol_name(dialect, text))
                .collect();
            for place in question.places(document, &tree, &facts, &names) {
                let text = &document.text[place.written.range()];
                if !is_name(dialect, text) {
                    continue;
                }
                let is_defined = defined.contains(&(dialect, &*symbol_name(dialect, text)));
                let mine = match &place.meaning {
                    Referent::Is(symbol) => question.defines(symbol),
                    Referent::Unknown(symbol) => question.defines(symbol),
                };
                let class = match place.holds {
                    Holds::Use(kind) => format!("use {}", kind.name()),
                    Holds::Role(role) => format!("role {role:?}"),
                    other => format!("{other:?}"),
                };
                let whose = if mine {
                    "own"
                } else if is_defined {
                    "namesake"
                } else {
                    "other"
                };
                *counts.entry(format!("{class} {whose}")).or_default() += 1;
                if place.holds == Holds::Unknown && mine {
                    let line = document.line(place.written.start);
                    let text = document.lines().line_span(line).map_or("", |span| &document.text[span.range()]);
                    unreached.push(format!(
                        "{}:{line}: {} | {}",
                        document.path.display(),
                        &document.text[place.written.range()],
                        text.trim()
                    ));
                }
            }
        }
        if counts.is_empty() {
            continue;
        }
        println!("{dialect:?}");
        for (class, count) in counts {
            println!("  {count:>8} {class}");
        }
        let step = (unreached.len() / shown.max(1)).max(1);
        for line in unreached.iter().step_by(step).take(shown) {
            println!("  {}", &line.chars().take(220).collect::<String>());
        }
    }
}

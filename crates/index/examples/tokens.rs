//! Accounts for every symbol of the files in a directory: `tokens DIRECTORY [NUMBER]`, with so many possible uses of each
//! dialect, each with its reason.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::Path;

use lispwright_index::{Index, Symbol};
use lispwright_syntax::Dialect;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, root, rest @ ..] = &arguments[..] else { return };
    let shown: usize = rest.first().and_then(|number| number.parse().ok()).unwrap_or(0);
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([Path::new(root)], &language);
    for dialect in Dialect::ALL.into_iter().filter(|dialect| dialect.has_special_forms()) {
        let question = index.question(dialect);
        let definitions = question.documents().iter().flat_map(|document| &document.facts.definitions);
        let mut symbols: Vec<Symbol> = definitions.map(|one| question.proper(&one.symbol())).collect();
        symbols.sort();
        symbols.dedup();
        let groups: Vec<Vec<Symbol>> = symbols.iter().map(|symbol| vec![symbol.clone()]).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut lines = Vec::new();
        for ledger in question.ledgers(&groups) {
            *counts.entry("tokens").or_default() += ledger.tally.tokens;
            *counts.entry("uses").or_default() += ledger.tally.uses;
            *counts.entry("mentions").or_default() += ledger.tally.mentions;
            *counts.entry("others").or_default() += ledger.tally.others;
            for one in &ledger.possible {
                *counts.entry(one.reason.name()).or_default() += 1;
                let line = one.document.line(one.span.start);
                let text = one.document.lines().line_span(line).map_or("", |span| &one.document.text[span.range()]);
                let name = &one.document.text[one.span.range()];
                let name = name.lines().next().unwrap_or_default();
                let path = one.document.path.strip_prefix(root).unwrap_or(&one.document.path).display();
                lines.push(format!("{path}:{line}: {}: {name} | {}", one.reason.name(), text.trim()));
            }
        }
        if symbols.is_empty() {
            continue;
        }
        println!("{dialect:?}: {} names", symbols.len());
        counts.iter().for_each(|(what, count)| println!("  {count:>8} {what}"));
        let step = (lines.len() / shown.max(1)).max(1);
        for line in lines.iter().step_by(step).take(shown) {
            println!("  {}", &line.chars().take(200).collect::<String>());
        }
    }
}

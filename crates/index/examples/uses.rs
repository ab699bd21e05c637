//! Lists the uses of a name in a directory: `uses DIRECTORY [NAME [SPACE]]`. Without a name, prints only counts and
//! times.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use lispwright_index::Index;
use lispwright_syntax::Dialect;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, root, rest @ ..] = &arguments[..] else { return };
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    let start = Instant::now();
    let refreshed = index.refresh([Path::new(root)], &language);
    let (documents, uses) = index.documents().fold((0, 0), |(n, m), one| (n + 1, m + one.facts.uses.len()));
    println!("{documents} files, {uses} uses, {} left out, {:?}", refreshed.left_out.len(), start.elapsed());
    let bytes: usize = index.documents().map(|one| one.text.len()).sum();
    println!("text {bytes}, held {}", index.heap_size());
    let start = Instant::now();
    index.refresh([Path::new(root)], &language);
    println!("again {:?}", start.elapsed());
    let Some(name) = rest.first() else { return };
    let start = Instant::now();
    let definitions = index.definitions(name, rest.get(1).map(String::as_str));
    for (document, one) in &definitions {
        let form = &document.facts.forms[one.form as usize];
        println!("{}:{}: {:?} {}", document.path.display(), document.line(form.span.start), one.kind, form.label);
        let question = index.question(document.dialect);
        let uses = question.uses(&one.symbol());
        let (hits, unresolved) = (uses.hits, uses.unresolved.len());
        for hit in hits {
            let line = hit.document.line(hit.used.start);
            let form = hit.form().map_or("", |form| &form.label);
            println!("  {}:{line}: {} in {form}", hit.document.path.display(), hit.used.kind.name());
        }
        println!("  {unresolved} unresolved");
    }
    println!("{:?}", start.elapsed());
}

//! A generated project in Racket's modules.

use crate::stories;
use crate::walk::project::{Item, Kind, Module, Project};
use crate::walk::writing::Writing;

pub(crate) const WRITING: Writing = Writing {
    name: "racket",
    runtime: "racket",
    tests: "tests.rkt",
    path: |name| format!("p/{name}.rkt"),
    module,
    define,
    field: |name| format!("({name}-a ({name} 1 2))"),
    raise: "(error \"never\")",
    around,
    fresh: stories::racket::LANGUAGE.fresh,
};

fn provided(item: &Item) -> String {
    match item.kind {
        Kind::Record => format!("(struct-out {})", item.name),
        _ => item.name.clone(),
    }
}

fn module(module: &Module, imports: &[&Module], body: &str) -> String {
    let imports: String = imports.iter().map(|one| format!(" \"{}.rkt\"", one.name)).collect();
    let provided: Vec<String> = module.items.iter().map(provided).collect();
    format!(
        "#lang racket/base\n(require racket/performance-hint (for-syntax racket/base){imports})\n(provide {})\n{body}",
        provided.join(" ")
    )
}

fn define(item: &Item, body: &str) -> String {
    let name = &item.name;
    let is_odd = item.constant % 2 == 1;
    match item.kind {
        Kind::Function => format!("(define ({name}) {body})"),
        Kind::Macro => format!("(define-syntax-rule ({name}) {body})"),
        Kind::Inline => format!("(define-inline ({name}) {body})"),
        Kind::Constant => format!("(define {name} {body})"),
        // It is assigned to, so that its value is not known at compile time.
        Kind::Variable => format!("(define {name} 0)\n(set! {name} {body})"),
        Kind::Record => format!("(struct {name} ({}))", if is_odd { "b a" } else { "a b" }),
        Kind::Generic => {
            let more = format!("[(integer? x) (+ 100 {body})] ");
            format!("(define ({name} x)\n  (cond {}[else {body}]))", if is_odd { &more } else { "" })
        }
    }
}

fn around(project: &Project, tests: &[(String, String, i64)]) -> Vec<(String, String)> {
    let imports: String = project.modules.iter().map(|module| format!(" \"p/{}.rkt\"", module.name)).collect();
    let tests: String = tests
        .iter()
        .map(|(name, code, value)| format!("  (test-case \"{name}\" (check-equal? {code} {value}))\n"))
        .collect();
    let text = format!("#lang racket/base\n(module+ test\n  (require rackunit{imports})\n{tests})\n");
    vec![("tests.rkt".to_owned(), text)]
}

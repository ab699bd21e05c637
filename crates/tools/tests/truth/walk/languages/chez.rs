//! A generated project in libraries of Chez Scheme.

use crate::stories;
use crate::walk::project::{Item, Kind, Module, Project};
use crate::walk::writing::Writing;

pub(crate) const WRITING: Writing = Writing {
    name: "chez",
    runtime: "chez",
    tests: "tests.ss",
    path: |name| format!("p/{name}.sls"),
    module,
    define,
    field: |name| format!("({name}-a (make-{name} 1 2))"),
    raise: "(define never (error 'never \"never\"))",
    around,
    fresh: stories::chez::LANGUAGE.fresh,
};

fn exports(item: &Item) -> String {
    match item.kind {
        Kind::Record => format!("make-{0} {0}-a", item.name),
        _ => item.name.clone(),
    }
}

fn module(module: &Module, imports: &[&Module], body: &str) -> String {
    let imports: String = imports.iter().map(|one| format!(" (p {})", one.name)).collect();
    let exports: Vec<String> = module.items.iter().map(exports).collect();
    format!("(library (p {})\n(export {})\n(import (chezscheme){imports})\n{body})\n", module.name, exports.join(" "))
}

fn define(item: &Item, body: &str) -> String {
    let name = &item.name;
    let is_odd = item.constant % 2 == 1;
    match item.kind {
        // A small function goes into its callers by itself.
        Kind::Function | Kind::Inline => format!("(define ({name}) {body})"),
        Kind::Macro => format!("(define-syntax {name} (syntax-rules () [(_) {body}]))"),
        Kind::Constant | Kind::Variable => format!("(define {name} {body})"),
        Kind::Record => format!("(define-record-type {name} (fields {}))", if is_odd { "b a" } else { "a b" }),
        Kind::Generic => {
            let more = format!("[(integer? x) (+ 100 {body})] ");
            format!("(define ({name} x) (cond {}[else {body}]))", if is_odd { &more } else { "" })
        }
    }
}

fn around(project: &Project, tests: &[(String, String, i64)]) -> Vec<(String, String)> {
    let imports: String = project.modules.iter().map(|module| format!(" (p {})", module.name)).collect();
    let tests: String =
        tests.iter().map(|(name, code, value)| format!("(test-equal \"{name}\" {value} {code})\n")).collect();
    let text =
        format!("(import (chezscheme) (srfi srfi-64){imports})\n(test-begin \"walk\")\n{tests}(test-end \"walk\")\n");
    vec![("tests.ss".to_owned(), text), ("srfi/srfi-64.sls".to_owned(), stories::chez::SRFI_64.to_owned())]
}

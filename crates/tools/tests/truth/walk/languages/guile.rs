//! A generated project in Guile's modules.

use crate::stories;
use crate::walk::project::{Item, Kind, Module, Project};
use crate::walk::writing::Writing;

pub(crate) const WRITING: Writing = Writing {
    name: "guile",
    runtime: "guile",
    tests: "tests.scm",
    path: |name| format!("p/{name}.scm"),
    module,
    define,
    field: |name| format!("({name}-a (make-{name} 1 2))"),
    raise: "(error \"never\")",
    around,
    fresh: stories::guile::LANGUAGE.fresh,
};

fn exports(item: &Item) -> String {
    match item.kind {
        Kind::Record => format!("make-{0} {0}-a", item.name),
        _ => item.name.clone(),
    }
}

fn module(module: &Module, imports: &[&Module], body: &str) -> String {
    let imports: String = imports.iter().map(|one| format!("\n  #:use-module (p {})", one.name)).collect();
    let exports: Vec<String> = module.items.iter().map(exports).collect();
    format!(
        "(define-module (p {}){imports}\n  #:use-module (srfi srfi-9)\n  #:use-module (oop goops)\n  #:export ({}))\n{body}",
        module.name,
        exports.join(" ")
    )
}

fn define(item: &Item, body: &str) -> String {
    let name = &item.name;
    let is_odd = item.constant % 2 == 1;
    match item.kind {
        Kind::Function => format!("(define ({name}) {body})"),
        Kind::Macro => format!("(define-syntax-rule ({name}) {body})"),
        Kind::Inline => format!("(define-inlinable ({name}) {body})"),
        Kind::Constant => format!("(define {name} {body})"),
        Kind::Variable => format!("(define-once {name} {body})"),
        Kind::Record => {
            let fields = if is_odd { "(b get-b) (a {}-a)" } else { "(a {}-a) (b get-b)" }.replace("{}", name);
            let made = if is_odd { "b a" } else { "a b" };
            format!("(define-record-type <{name}> (make-{name} {made}) {name}? {fields})")
        }
        Kind::Generic => {
            let more = format!("\n(define-method ({name} (x <integer>)) (+ 100 {body}))");
            format!(
                "(define-generic {name})\n(define-method ({name} (x <number>)) {body}){}",
                if is_odd { &more } else { "" }
            )
        }
    }
}

fn around(project: &Project, tests: &[(String, String, i64)]) -> Vec<(String, String)> {
    let imports: String = project.modules.iter().map(|module| format!(" (p {})", module.name)).collect();
    let tests: String =
        tests.iter().map(|(name, code, value)| format!("(test-equal \"{name}\" {value} {code})\n")).collect();
    let text = format!("(use-modules (srfi srfi-64){imports})\n(test-begin \"walk\")\n{tests}(test-end \"walk\")\n");
    vec![("tests.scm".to_owned(), text)]
}

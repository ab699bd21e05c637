//! A generated project in features of Emacs Lisp.

use crate::stories;
use crate::walk::project::{Item, Kind, Module, Project};
use crate::walk::writing::Writing;

pub(crate) const WRITING: Writing = Writing {
    name: "emacs",
    runtime: "emacs",
    tests: "shop-tests.el",
    path: |name| format!("shop-{name}.el"),
    module,
    define,
    field: |name| format!("({name}-a (make-{name} 1 2))"),
    raise: "(error \"Never\")",
    around,
    fresh: stories::emacs::LANGUAGE.fresh,
};

fn module(module: &Module, imports: &[&Module], body: &str) -> String {
    let imports: String = imports.iter().map(|one| format!("(require 'shop-{})\n", one.name)).collect();
    let name = &module.name;
    format!(
        ";;; -*- lexical-binding: t; -*-\n(require 'cl-lib)\n(require 'cl-generic)\n{imports}{body}\n(provide 'shop-{name})\n"
    )
}

fn define(item: &Item, body: &str) -> String {
    let name = &item.name;
    let is_odd = item.constant % 2 == 1;
    match item.kind {
        Kind::Function => format!("(defun {name} () {body})"),
        Kind::Macro => format!("(defmacro {name} () '{body})"),
        Kind::Inline => format!("(defsubst {name} () {body})"),
        Kind::Constant => format!("(defconst {name} {body})"),
        Kind::Variable => format!("(defvar {name} {body})"),
        Kind::Record => {
            let fields = if is_odd { "b a" } else { "a b" };
            format!("(cl-defstruct ({name} (:constructor make-{name} ({fields}))) {fields})")
        }
        Kind::Generic => {
            let more = format!("\n(cl-defmethod {name} ((x integer)) (ignore x) (+ 100 {body}))");
            format!(
                "(cl-defgeneric {name} (x))\n(cl-defmethod {name} ((x number)) (ignore x) {body}){}",
                if is_odd { &more } else { "" }
            )
        }
    }
}

fn around(project: &Project, tests: &[(String, String, i64)]) -> Vec<(String, String)> {
    let imports: String = project.modules.iter().map(|module| format!("(require 'shop-{})\n", module.name)).collect();
    let tests: String = tests
        .iter()
        .map(|(name, code, value)| format!("(ert-deftest {name} () (should (equal {value} {code})))\n"))
        .collect();
    vec![("shop-tests.el".to_owned(), format!(";;; -*- lexical-binding: t; -*-\n(require 'ert)\n{imports}{tests}"))]
}

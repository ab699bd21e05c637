//! A generated project in packages and a system of Common Lisp.

use std::path::Path;

use crate::stories::{self, Verdict, common_lisp};
use crate::walk::project::{Item, Kind, Module, Project};
use crate::walk::writing::{Files, Test, Writing};

pub(crate) const SBCL: Writing = in_implementation("sbcl", stories::sbcl_serial::LANGUAGE.fresh);
pub(crate) const CLISP: Writing = in_implementation("clisp", stories::clisp_serial::LANGUAGE.fresh);
pub(crate) const ECL: Writing = in_implementation("ecl", stories::ecl_loose::LANGUAGE.fresh);

const fn in_implementation(name: &'static str, fresh: fn(&Path) -> Verdict) -> Writing {
    Writing { name, runtime: name, fresh, ..WRITING }
}

const WRITING: Writing = Writing {
    name: "",
    runtime: "",
    tests: "shop/tests",
    path: |name| format!("{name}.lisp"),
    module,
    define,
    field: |name| format!("({name}-a (make-{name} 1 2))"),
    raise: "(error \"Never\")",
    around,
    fresh: stories::sbcl_serial::LANGUAGE.fresh,
};

fn exports(item: &Item) -> String {
    match item.kind {
        Kind::Record => format!("#:{0} #:make-{0} #:{0}-a", item.name),
        _ => format!("#:{}", item.name),
    }
}

fn uses<'m>(modules: impl IntoIterator<Item = &'m Module>) -> String {
    modules.into_iter().map(|module| format!(" :shop.{}", module.name)).collect()
}

fn module(module: &Module, imports: &[&Module], body: &str) -> String {
    let exports: Vec<String> = module.items.iter().map(exports).collect();
    let (name, imports) = (&module.name, uses(imports.iter().copied()));
    format!(
        "(defpackage :shop.{name} (:use :cl{imports})\n  (:export {}))\n(in-package :shop.{name})\n{body}",
        exports.join(" ")
    )
}

fn define(item: &Item, body: &str) -> String {
    let name = &item.name;
    let is_odd = item.constant % 2 == 1;
    match item.kind {
        Kind::Function => format!("(defun {name} () {body})"),
        Kind::Macro => format!("(defmacro {name} () '{body})"),
        Kind::Inline => format!("(declaim (inline {name}))\n(defun {name} () {body})"),
        // The value of a constant is computed while its file is compiled, when the functions of the file are not there.
        Kind::Constant if item.uses.is_empty() => format!("(defconstant {name} {body})"),
        Kind::Constant => format!("(defparameter {name} {body})"),
        Kind::Variable => format!("(defvar {name} {body})"),
        Kind::Record => {
            let fields = if is_odd { "b a" } else { "a b" };
            format!("(defstruct ({name} (:constructor make-{name} ({fields}))) {fields})")
        }
        Kind::Generic => {
            let more = format!("\n(defmethod {name} ((x integer)) (+ 100 {body}))");
            format!(
                "(defgeneric {name} (x))\n(defmethod {name} ((x number)) {body}){}",
                if is_odd { &more } else { "" }
            )
        }
    }
}

fn around(project: &Project, tests: &[Test]) -> Files {
    let files: String = project.modules.iter().map(|module| format!(" (:file \"{}\")", module.name)).collect();
    let definition = format!(
        "(defsystem \"shop\" :serial t :components ({files}))\n\
         (defsystem \"shop/tests\" :depends-on (\"shop\" \"rt\") :components ((:file \"tests\")))\n"
    );
    let tests: String = tests.iter().map(|(name, code, value)| format!("(deftest {name} {code} {value})\n")).collect();
    let packages = uses(&project.modules);
    let tests = format!("(defpackage :shop.tests (:use :cl :rt{packages}))\n(in-package :shop.tests)\n{tests}");
    let fresh = common_lisp::FRESH.replace("{{LOAD}}", "(asdf:load-system \"shop/tests\")");
    vec![("shop.asd".to_owned(), definition), ("tests.lisp".to_owned(), tests), ("fresh.txt".to_owned(), fresh)]
}

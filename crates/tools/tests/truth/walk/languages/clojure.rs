//! A generated project in namespaces of Clojure.

use crate::stories;
use crate::walk::project::{Item, Kind, Module, Project};
use crate::walk::writing::Writing;

pub(crate) const WRITING: Writing = Writing {
    name: "clojure",
    runtime: "clojure",
    tests: "test/shop/tests.clj",
    path: |name| format!("src/p/{name}.clj"),
    module,
    define,
    field: |name| format!("(:a (->R{name} 1 2))"),
    raise: "(throw (ex-info \"Never\" {}))",
    around,
    fresh: stories::clojure::LANGUAGE.fresh,
};

fn required(modules: &mut dyn Iterator<Item = &Module>) -> String {
    modules.map(|one| format!("\n    [p.{} :refer :all]", one.name)).collect()
}

fn module(module: &Module, imports: &[&Module], body: &str) -> String {
    format!("(ns p.{}\n  (:require [clojure.string]{}))\n{body}", module.name, required(&mut imports.iter().copied()))
}

fn define(item: &Item, body: &str) -> String {
    let name = &item.name;
    let is_odd = item.constant % 2 == 1;
    match item.kind {
        Kind::Function => format!("(defn {name} [] {body})"),
        Kind::Macro => format!("(defmacro {name} [] `{body})"),
        Kind::Inline => format!("(defn {name} {{:inline (fn [] `{body})}} [] {body})"),
        Kind::Constant => format!("(def ^:const {name} {body})"),
        Kind::Variable => format!("(defonce {name} {body})"),
        Kind::Record => format!("(defrecord R{name} [{}])", if is_odd { "b a" } else { "a b" }),
        Kind::Generic => {
            let more = format!("\n(defmethod {name} Long [_] (+ 100 {body}))");
            format!("(defmulti {name} class)\n(defmethod {name} Number [_] {body}){}", if is_odd { &more } else { "" })
        }
    }
}

fn around(project: &Project, tests: &[(String, String, i64)]) -> Vec<(String, String)> {
    let required = required(&mut project.modules.iter());
    let tests: String =
        tests.iter().map(|(name, code, value)| format!("(deftest {name} (is (= {value} {code})))\n")).collect();
    let text = format!("(ns shop.tests\n  (:require [clojure.test :refer [deftest is]]{required}))\n{tests}");
    vec![("test/shop/tests.clj".to_owned(), text), ("deps.edn".to_owned(), "{:paths [\"src\" \"test\"]}\n".to_owned())]
}

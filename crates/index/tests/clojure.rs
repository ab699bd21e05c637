//! Uses in Clojure.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, uses};

/// Uses of `area` in one file that defines it in line 2.
#[track_caller]
fn check_in(code: &str, expected: &str) {
    check(&[("a.clj", &format!("(ns a)\n(defn area [x] x)\n{code}"))], "area", expected);
}

#[test]
fn calls_values_and_steps_count() {
    check_in(
        "(defn f [y]\n  (area y)\n  (map area y)\n  #(area %)\n  (-> y area (area 2))\n  (cond-> y true area)\n  #'area\n  {:a area}\n  #{area}\n  (doto y area))",
        "a.clj:4: call in defn f\na.clj:5: value in defn f\na.clj:6: call in defn f\na.clj:7: call in defn f\n\
         a.clj:7: call in defn f\na.clj:8: call in defn f\na.clj:9: value in defn f\na.clj:10: value in defn f\n\
         a.clj:11: value in defn f\na.clj:12: call in defn f",
    );
}

#[test]
fn local_names_hide_global_ones() {
    check_in(
        "(defn f [area] (area 1))\n(defn g ([area] area) ([{:keys [area]} & more] area))\n(let [{area :a} 1] area)\n\
         (for [area [1] :let [b area]] area)\n(fn area [] (area))\n(letfn [(area [x] (area x))] (area 1))\n\
         (as-> 1 area (inc area))\n(try 1 (catch Exception area area))\n(loop [area 1] (recur area))\n\
         (fn [& {:keys [shapes/area] :or {area 2}}] area)\n(defn h [[[area]]] area)\n(.area x)\n(area/b)\n(x/area)\n:area\n'area\n\
         (defrecord R [area] P (m [_] area))\n(-> 1 (as-> area (inc area)))\n#?(:clj (let [#?@(:clj [area 1])] area))",
        "",
    );
    check_in("(if-let [area nil]\n  area\n  (area 1))", "a.clj:5: call in if-let [area nil]");
    check_in("(defn f [x :- area] x)", "a.clj:3: value in defn f");
    check_in("(let [area 1] #'area)", "a.clj:3: value in let [area 1]");
}

#[test]
fn variables_are_bound_and_set() {
    check_in(
        "(binding [area 1] 2)\n(with-redefs [area inc] 2)\n(set! area 3)\n(declare area)",
        "a.clj:3: binding in binding [area 1]\na.clj:4: binding in with-redefs [area inc]\na.clj:5: assignment in set! area\n\
         a.clj:6: export in declare area",
    );
}

#[test]
fn templates_and_qualified_data_have_kinds_of_their_own() {
    check_in(
        "(defmacro m [x] `(area ~x ~(area x) ~'area area#))\n(def names '[a/area area])\n(comment (area 1))",
        "a.clj:3: template in defmacro m\na.clj:3: call in defmacro m\na.clj:4: quoted in def names\n\
         a.clj:5: call in comment (area 1)",
    );
    let files = [("a.clj", "(ns my.a)\n(defn area [x] x)"), ("c.edn", "{:handler my.a/area :area area}")];
    check(&files, "area", "c.edn:1: quoted in :handler my.a/area");
}

#[test]
fn case_member_and_table_forms_have_arguments_of_their_own() {
    check_in(
        "(case x area 1 (area b) (area 2))\n(. x area)\n(.. x area (area 1))\n(are [area y] (= area y) 1 area)",
        "a.clj:3: call in case x\na.clj:6: value in are [area y]",
    );
}

#[test]
fn namespaces_are_resolved() {
    let a = ("a.clj", "(ns my.a \"Shapes.\")\n(defn area [x] x)\n(defn- own [] 1)");
    let user = |requires: &str, code: &str| {
        let text = format!("(ns b {requires})\n{code}");
        uses(&[a, ("b.clj", &text)], "area", None)
    };
    let call = "b.clj:2: call in area 1";
    assert_eq!(user("(:require [my.a :as s])", "(s/area 1)"), "b.clj:2: call in s/area 1");
    assert_eq!(user("(:require (my [a :as s]))", "(s/area 1)"), "b.clj:2: call in s/area 1");
    assert_eq!(user("(:require my.a)", "(my.a/area 1)\n(area 2)"), "b.clj:2: call in my.a/area 1");
    assert_eq!(user("(:require [my.a :refer [area]])", "(area 1)"), format!("b.clj:1: export in ns b\n{call}"));
    assert_eq!(user("(:require [my.a :refer :all])", "(area 1)"), call);
    assert_eq!(user("(:use my.a)", "(area 1)"), call);
    assert_eq!(user("(:use [my.a :only [own]])", "(area 1)"), "");
    assert_eq!(user("(:require #?(:clj [my.a :as s]))", "(s/area 1)"), "b.clj:2: call in s/area 1");
    assert_eq!(user("(:require [my.a :refer :all :exclude [area]])", "(area 1)"), "");
    let renamed = user("(:require [my.a :refer [area] :rename {area size}])", "(size 1)");
    assert_eq!(renamed, "b.clj:1: export in ns b\nb.clj:1: export in ns b\nb.clj:2: call in size 1");
    assert_eq!(user("", "(require '[my.a :as s])\n(s/area 1)"), "b.clj:3: call in s/area 1");
    assert_eq!(user("", "(in-ns 'my.a)\n(area 1)"), "b.clj:3: call in area 1");
    assert_eq!(user("(:use other.library)", "(area 1)"), "? 1");
    assert_eq!(user("", "(area 1)"), "", "what the language brings in is not the project's");
}

#[test]
fn protocols_and_multimethods_have_methods() {
    let a = ("a.clj", "(ns my.a)\n(defprotocol Shape (area [this]))\n(defmulti grow class)");
    let b = "(ns b (:require [my.a :as s] [my.a :refer [Shape]]))\n(defrecord Square [n]\n  s/Shape (area [_] n)\n  \
        Object (toString [_] \"\"))\n(extend-type String\n  Shape\n  (area [s] (count s)))\n(reify s/Shape (area [_] 1))\n\
        (extend-protocol Shape Long\n  (area [_] (s/area 1)))\n(defmethod s/grow :a [x] x)";
    let files = [a, ("b.clj", b)];
    let expected = "b.clj:3: method in defrecord Square\nb.clj:7: method in extend-type String\n\
        b.clj:8: method in reify s/Shape\nb.clj:10: method in extend-protocol Shape\nb.clj:10: call in extend-protocol Shape";
    check(&files, "area", expected);
    check(&files, "grow", "b.clj:11: method in defmethod s/grow :a");
}

#[test]
fn records_have_constructors() {
    let a = ("a.clj", "(ns my.a-b)\n(defrecord Square [n])\n(->Square 1)\n(Square. 2)\n(map->Square {})");
    let b =
        ("b.clj", "(ns b (:import [my.a_b Square]))\n(instance? Square 1)\n(my.a_b.Square. 1)\n(defn f [^Square s] s)");
    let expected = "a.clj:4: call in Square. 2\nb.clj:1: export in ns b\nb.clj:2: value in instance? Square\n\
        b.clj:3: call in my.a_b.Square. 1\nb.clj:4: value in defn f";
    check(&[a, b], "Square", expected);
    check(&[a, b], "->Square", "a.clj:3: call in ->Square 1");
}

#[test]
fn definers_of_the_project_make_definitions() {
    check_in(
        "(defwidget button [area] (area 1))\n(defthing other (area 2))\n(button)",
        "a.clj:4: call in defthing other",
    );
    check(&[("a.clj", "(ns a)\n(defwidget button [x] x)\n(button)")], "button", "a.clj:3: call in (button)");
}

#[test]
fn a_namespace_that_a_function_enters_is_not_that_of_the_code_after_it() {
    let text = "(ns a)\n(defn area [x] x)\n(defn start [] (in-ns 'user))\n(defn f [] (area 1))\n(defn size [] 1)\n(defn g [] (size))\n";
    assert_eq!(uses(&[("a.clj", text)], "area", Some("a")), "a.clj:4: call in defn f");
    assert_eq!(uses(&[("a.clj", text)], "size", Some("a")), "a.clj:6: call in defn g");
}

#[test]
fn a_file_that_is_loaded_is_a_part_of_the_namespace() {
    let part = ("src/a/part.clj", "(defn f [] (area 1))");
    let other = ("src/a/deep/other.clj", "(defn g [] (area 2))");
    let core = ("src/a/core.clj", "(ns a.core)\n(defn area [x] x)\n(load \"part\")\n(load \"/a/deep/other\")");
    let script = ("script.clj", "(defn h [] (area 3))");
    check(
        &[core, other, part, script],
        "area",
        "src/a/deep/other.clj:1: call in defn g\nsrc/a/part.clj:1: call in defn f",
    );
}

#[test]
fn rows_of_a_table_are_data_where_the_template_quotes_them() {
    for template in ["'q", "(quote q)", "(eval '(do q))"] {
        check_in(
            &format!("(are [q r] (= r {template})\n  (area 1) (area 2)\n  (area 3) (area 4))"),
            "a.clj:4: call in are [q r]\na.clj:5: call in are [q r]",
        );
    }
    check_in("(are [q r] (= 'q (f q r))\n  (area 1) 2)", "a.clj:4: call in are [q r]");
    check_in("(are [q r] (= r 'q)\n  a/area 2)", "a.clj:4: quoted in are [q r]");
}

#[test]
fn the_steps_before_a_form_that_binds_names_see_them() {
    check_in("(->> (area 1)\n  (let [area 2]))", "");
    check_in(
        "(->> (area 1)\n  inc\n  (area)\n  (for [area (area 2)])\n  (area))",
        "a.clj:6: call in ->> (area 1)\na.clj:7: call in ->> (area 1)",
    );
    check_in("(->> (area 1)\n  (fn [area])\n  (let [x 1])\n  (area))", "a.clj:6: call in ->> (area 1)");
    check_in(
        "(->> (area 1)\n  (if-let [area 2]))\n(->> (area 1)\n  (if-let [area 2] area))",
        "a.clj:5: call in ->> (area 1)",
    );
    // Other threading forms evaluate the value first.
    check_in("(some->> (area 1)\n  (let [area 2]))", "a.clj:3: call in some->> (area 1)");
    check_in("(-> (area 1)\n  (let [area 2]))\n(area 3)", "a.clj:3: call in -> (area 1)\na.clj:5: call in area 3");
}

#[test]
fn what_a_pattern_asks_of_a_value_is_code() {
    check_in(
        "(match [x]\n  [b :guard area] 1\n  [([p :guard area q] :seq)] (f p q)\n  [(r :when [area])] r\n  [area :guard odd?] area)",
        "a.clj:4: value in match [x]\na.clj:5: value in match [x]\na.clj:6: value in match [x]",
    );
}

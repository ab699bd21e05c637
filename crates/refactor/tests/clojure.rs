//! Renames in Clojure.
#![allow(clippy::unwrap_used)]

mod common;

use common::{check, check_also, left, refused};
use lispwright_refactor::MentionKind;

#[test]
fn definition_uses_and_references_change() {
    check(
        "== src/shop/core.clj
(ns shop.core
  (:require [clojure.string :as str]))
(declare «total»)
(defn «total»
  \"The total.\"
  ([xs] («total» xs 0))
  ([xs start] (reduce + start xs)))
(defn f [total] (total 1))
(defn g [xs] (let [total («total» xs)] (str/join total) (map total xs)))
(defn h [xs] (-> xs «total» («total» 1)) (->> xs (map «total»)) #'«total» #(«total» %) (var «total»))
(defmacro m [x] `(«total» ~x total# ~'total))
(defn k [{:keys [total] :as all}] [total (:total all) {:total ::total} (.total all) (.-total all)])
== src/shop/app.clj
(ns shop.app
  (:require [shop.core :as core :refer [«total» f]]
            [shop.core :as c2]))
(defn a [x] (core/«total» x) («total» x) (shop.core/«total» x) (f core/«total»))
(with-redefs [«total» inc core/«total» dec] 1)
== src/shop/own.clj
(ns shop.own (:require [shop.core :as core :refer [«total»] :rename {«total» sum}]))
(defn b [x] (sum x))
(defn total [x] x)
(defn d [x] (total (core/«total» x)))
== src/shop/all.clj
(ns shop.all (:use shop.core))
(defn e [x] («total» x))
== src/shop/some.clj
(ns shop.some (:use [shop.core :only («total»)]))
(defn e [x] («total» x))
== deps.edn
{:aliases {:run {:exec-fn shop.core/«total» :ns shop.core}} :total total}
",
        "shop.core/total",
        "grand-total",
    );
}

#[test]
fn methods_of_classes_and_interfaces_are_no_functions() {
    let project = "== a.clj
(ns a (:import (java.util Iterator)))
(definterface Stepper (^Object run [o]) (^void join [^Stepper other]))
(defn run [x] x)
(deftype Walker [n]
  Stepper (run [this o] o) (join [this other] nil)
  Object (toString [this] (run n)))
(reify Runnable (run [this] (run 1)))
(reify Iterator (next [this] (instance? Stepper 1)))
(defn toString [x] x)
";
    let functions =
        project.replace("(defn run", "(defn «run»").replace("(run n)", "(«run» n)").replace("(run 1)", "(«run» 1)");
    check(&functions, "run", "start");
    check(&project.replace("(defn toString", "(defn «toString»"), "toString", "text");
    check(&project.replace("Stepper", "«Stepper»"), "Stepper", "Mover");
}

#[test]
fn a_qualified_name_is_a_use_whatever_a_macro_makes_of_it() {
    let project = "== a.clj
(ns a)
(defn «parser» [x] x)
(defmacro defparser [name grammar & {:as options}] `(def ~name ~(first [grammar options])))
== b.clj
(ns b (:require [a :as i]))
(i/defparser own \"s\" :space (i/«parser» 1))
";
    check(project, "a/parser", "reader");
}

#[test]
fn records_and_protocols_change() {
    check(
        "== a.clj
(ns a (:import [java.util Date]))
(defprotocol Shape («area» [this] [this scale]) (name-of [this]))
(defrecord Square [area side] Shape («area» [this] (* side side)) (name-of [_] area))
(extend-protocol Shape String («area» [s] (count s)))
(extend-type Long Shape («area» [l] l))
(defn f [s] (map «area» [s]) (reify Shape («area» [_] 1)) (.area s))
== b.clj
(ns b (:require [a]))
(deftype T [] a/Shape («area» [_] 2))
(defn area [x] (a/«area» x))
",
        "a/area",
        "surface",
    );
    let project = "== src/my_app/core.clj
(ns my-app.core)
(defrecord Point [x y])
(defn f [] [(->Point 1 2) (map->Point {:x 1}) (Point. 1 2) (instance? Point 1) ^Point 'a])
== src/my_app/b.clj
(ns my-app.b (:require [my-app.core :as c]) (:import (my_app.core Point)))
(defn g [^Point p] [(c/->Point 1 2) (Point. 1 2) (my_app.core.Point. 1 2)])
";
    let (_, found) = common::renamed(project, "Point", "Place", &[]);
    assert_eq!(found, project.replace("Point", "Place"));
    refused(project, "->Point", "make-point", "derived from Point by defrecord Point src/my_app/core.clj:2:1");
}

#[test]
fn a_class_that_is_imported_with_its_whole_name_changes() {
    check(
        "== src/my_app/core.clj
(ns my-app.core)
(deftype «Point» [x])
(defn point [x] («Point». x))
== src/my_app/core.cljs
(ns my-app.core)
(deftype «Point» [x])
(defn point [x] («Point». x))
== test/my_app/a_test.cljc
(ns my-app.a-test (:require [my-app.core :refer [#?(:cljs «Point») point]])
  #?(:clj (:import my_app.core.«Point»)))
(defn t [] (instance? «Point» (point 1)))
== test/my_app/b_test.clj
(ns my-app.b-test (:import my_app.core.«Point» java.util.Date))
(defn t [x] (instance? «Point» x))
== test/my_app/c_test.clj
(ns my-app.c-test)
(import 'my_app.core.«Point»)
(defn t [x] (instance? «Point» x))
",
        "my-app.core/Point",
        "Place",
    );
}

#[test]
fn what_data_of_a_macro_bind_stays() {
    let project = "== a.clj
(ns a)
(def «env» {})
(defn analyze [form] form)
(defmacro ast [form] `(analyze '~form))
(defn f [] (list (ast (let [env 1] env)) (ast (try 0 (catch Exception env env))) (ast (list «env»))))
";
    check(project, "env", "scope");
    let around = project.replace("(defn f []", "(defn f [env]").replace("«", "").replace("»", "");
    let (error, _) = common::renamed(&around, "env", "scope", &[]);
    assert!(format!("{error:?}").contains("MayBeLocal"), "{error:?}");
}

#[test]
fn multimethods_change() {
    check(
        "== a.clj
(ns a)
(defmulti ^:private «area» \"Doc\" :kind)
(defmethod «area» :square [s] («area» s))
== b.clj
(ns b (:require [a :refer [«area»]]))
(defmethod «area» :circle [s] s)
(defmethod a/«area» :line [s] s)
(defmethod print-method Object [o w] o)
",
        "area",
        "surface",
    );
    refused(
        "== b.clj\n(ns b)\n(defmethod print-method Object [o w] o)\n",
        "print-method",
        "p",
        "of a library b.clj:2:1",
    );
}

#[test]
fn collisions_are_refused() {
    let project = "== a.clj
(ns a)
(defn total [x] x)
(defn f [x] (let [sum 1] (total sum)))
(defn g [x] (map inc x))
(defn h [{:keys [other]}] (fn [& rest] (total other)))
== b.clj
(ns b (:require [a :refer [total]]))
(defn mine [x] (total x))
";
    refused(project, "total", "sum", "sum captured a.clj:3:27");
    refused(project, "total", "other", "other captured a.clj:5:41");
    refused(project, "total", "map", "map collides a.clj:4:14: a/map");
    refused(project, "total", "mine", "b has mine as b/mine");
    refused(project, "total", "g", "g collides a.clj:4:1: a/g");
    for name in ["a/b", "x#", ".x", ":x", "x.", "java.util.Date", "%", "nil", "let"] {
        let (_, found) = common::renamed(project, "total", name, &[]);
        assert!(found.starts_with("bad name: "), "{name}: {found}");
    }
}

#[test]
fn the_same_name_in_several_namespaces_is_ambiguous() {
    let project = "== a.clj\n(ns a)\n(defn f [])\n== b.clj\n(ns b)\n(defn f [])\n";
    refused(project, "f", "g", "ambiguous: a a.clj:2:1, b b.clj:2:1");
    check("== a.clj\n(ns a)\n(defn «f» [])\n== b.clj\n(ns b)\n(defn f [])\n", "a/f", "g");
}

#[test]
fn data_and_texts_are_mentions() {
    let project = "== a.clj
(ns a)
(defn «total» \"total\" [x] #_(total x) 'total)
(comment («total» 1)) ; total
";
    left(project, "total", "sum", &["a.clj:3 comments", "a.clj:2 docstrings", "a.clj:2 quoted", "a.clj:2 disabled"]);
    check_also(
        "== a.clj
(ns a)
(defn «total» \"«total»\" [x] #_(«total» x) '«total»)
(comment («total» 1)) ; «total»
",
        "total",
        "sum",
        &MentionKind::ALL,
    );
}

#[test]
fn names_that_code_reads_are_refused() {
    let project = "== a.clj
(ns shop.a)
(defn total [x] x)
(defn- own [x] x)
(assert (= 1 (count (keys (ns-publics *ns*)))))
== b.clj
(ns shop.b (:require [shop.a :as a]))
(defn sum [x] (a/total x))
(defn all [ns] (ns-publics ns))
";
    refused(project, "total", "sum-up", "cannot tell a.clj:4:27: read");
    refused(&project.replace("*ns*", "'shop.b"), "shop.b/sum", "all-of-it", "cannot tell a.clj:4:27: read");
    // Private names are not read, nor are those of other namespaces.
    check(&project.replace("own", "«own»"), "own", "mine");
    check(&project.replace("sum", "«sum»"), "sum", "add");
}

#[test]
fn a_definition_for_one_platform_hides_another_name() {
    let project = "== a.cljc
(ns shop.a)
#?(:cljs (defn format [x & xs] x))
(defn f [x] (format \"%s\" x))
";
    refused(project, "format", "fmt", "cannot tell a.cljc:3:14: one platform");
    let project = "== a.cljc
(ns shop.a)
#?(:cljs (defn «form» [x & xs] x) :clj (defn «form» [x & xs] x))
#?(:clj (defn «one» [x] x))
(defn f [x] («form» \"%s\" x))
#?(:clj (defn g [x] («one» x)))
== b.clj
(ns shop.b (:require [shop.a :as a]))
(defn f [x] (a/«one» x))
";
    check(&project.replace("«one»", "one"), "form", "formed");
    check(&project.replace("«form»", "form"), "one", "first-of");
}

#[test]
fn definitions_inside_of_any_form_are_known() {
    check(
        "== a_test.clj
(ns shop.a-test (:require [clojure.test :refer [deftest is testing]]))
(testing \"all\"
  (testing \"more\"
    (deftest «adds» (is (= 1 1)))))
",
        "adds",
        "sums",
    );
}

#[test]
fn a_function_called_like_a_special_operator() {
    check(
        "== a.clj
(ns shop.a)
(defn «var» [x] x)
== b.clj
(ns shop.b (:require [shop.a :as a]))
(defn f [port] (a/«var» 'port) (var f) (a/«var» port))
",
        "var",
        "variable",
    );
}

#[test]
fn types_of_fields_are_code() {
    check(
        "== a.clj
(ns shop.a (:require [schema.core :as s]))
(def «Amount» s/Int)
(s/defrecord Bar [foo :- [«Amount»] bar :- (s/maybe {«Amount» s/Str})] P (f [this] (+ foo bar)))
",
        "Amount",
        "Sum",
    );
}

#[test]
fn what_a_file_means_in_several_namespaces_is_not_renamed_in_one() {
    let project = "== a.clj
(ns a (:refer-clojure :exclude [pay]) (:require [one :refer [pay]]))
(load \"shared\")
== b.clj
(ns b (:require [two :refer [pay]]))
(load \"shared\")
== one.clj
(ns one)
(defn pay [x] x)
== shared.clj
(defn f [] (pay 1))
== two.clj
(ns two)
(defn pay [x] x)
";
    refused(project, "one/pay", "spend", "cannot tell shared.clj:1:13: its file is a part of several modules");
    refused(project, "two/pay", "spend", "cannot tell shared.clj:1:13: its file is a part of several modules");
}

#[test]
fn a_protocol_is_called_as_its_interface_can_be() {
    let project = "== a.clj
(ns shop.a)
(defprotocol Area (area [x]))
(defprotocol Priced (price [x]))
(defn f [x] (list (instance? shop.a.Area x) (satisfies? Priced x)))
== b.clj
(ns shop.b (:import [shop.a Priced]))
(defn f [x] (instance? Priced x))
";
    refused(project, "shop.a/Area", "area-of-x", "no class a.clj:4:37");
    refused(project, "shop.a/Priced", "has-price?", "no class b.clj:1:29");
    check(
        "== a.clj
(ns shop.a)
(defprotocol «Priced» (price [x]))
(defrecord Item [a] «Priced» (price [x] 1))
(defn f [x] (satisfies? «Priced» x))
(extend-protocol «Priced» String (price [x] 1))
",
        "Priced",
        "has-price?",
    );
    check(
        "== a.clj
(ns shop.a)
(defrecord «Item» [a])
(defn f [x] (list (instance? shop.a.«Item» x) («Item». 1)))
== b.clj
(ns shop.b (:import [shop.a «Item»]))
(defn f [x] (instance? «Item» x))
",
        "Item",
        "Shop-Item",
    );
}

#[test]
fn what_a_macro_may_give_on_is_not_changed() {
    let project = "== util.clj
(ns shop.util)
(defmacro give [& names] (cons 'do (for [n names] `(def ~(symbol (name n)) ~n))))
== impl.clj
(ns shop.impl)
(defn area [r] (* r r))
(defn side [r] r)
== core.clj
(ns shop.core (:require [shop.impl :as impl] [shop.util :refer [give]]))
(give impl/area)
(def sides (map impl/side [1]))
== test.clj
(ns shop.test (:require [shop.core :as core :refer [area]]))
(def found [(area 2) (core/side 2)])
";
    refused(
        project,
        "shop.impl/area",
        "surface",
        "cannot tell test.clj:1:53, test.clj:2:14: a macro may give the name on",
    );
    let renamed = project.replace("shop.core :as core :refer [area]", "shop.util :as core").replace("(area 2)", "1");
    check(&renamed.replace("defn side", "defn «side»").replace("impl/side", "impl/«side»"), "shop.impl/side", "edge");
}

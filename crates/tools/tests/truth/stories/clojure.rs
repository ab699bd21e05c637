//! Stories in namespaces of Clojure.

use std::path::Path;
use std::process::Command;

use super::{Language, Story, Verdict, Verifies};

pub(crate) const LANGUAGE: Language = Language {
    runtime: "clojure",
    tests: "test/shop/tests.clj",
    single_files: &[],
    distances: 3,
    base: "src/shop/base.clj",
    around,
    fresh,
    verifies: Verifies::InTurn,
    keeps_its_image: true,
    stories: STORIES,
};

/// The head of a user of the base.
const HEAD: &str = "(ns shop.user (:require [shop.base :as b]))";

fn around(distance: usize, story: &Story) -> Vec<(String, String)> {
    let Story { uses, values: [old, new], .. } = story;
    // The namespace that the tests use, and the call in them.
    let (space, code) = match distance {
        0 => ("shop.user", "(used/use-it)"),
        1 => ("shop.middle", "(used/middle)"),
        _ => ("shop.top", "(used/top)"),
    };
    let tests = format!(
        "(ns shop.tests (:require [clojure.test :refer [deftest is]] [{space} :as used]))\n\
         (deftest old (is (= {old} {code})))\n(deftest new (is (= {new} {code})))\n"
    );
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let head = story.heads.map_or(HEAD, |_| "HEAD");
    vec![
        file("deps.edn", "{:paths [\"src\" \"test\"]}\n"),
        file("src/shop/user.clj", &format!("{head}\n(defn use-it [] {uses})\n")),
        file("src/shop/middle.clj", "(ns shop.middle (:require [shop.user :as u]))\n(defn middle [] (u/use-it))\n"),
        file("src/shop/top.clj", "(ns shop.top (:require [shop.middle :as m]))\n(defn top [] (m/middle))\n"),
        file("test/shop/tests.clj", &tests),
    ]
}

/// Runs the tests, a line for each assertion.
const RUN: &str = "(require 'clojure.test 'shop.tests)
(binding [clojure.test/report
          (fn [{:keys [type]}]
            (case type
              :pass (println :pass)
              (:fail :error) (println :failed (:name (meta (first clojure.test/*testing-vars*))))
              nil))]
  (clojure.test/run-tests 'shop.tests))
(println :done)";

fn fresh(root: &Path) -> Verdict {
    let jars = ["clojure", "spec.alpha", "core.specs.alpha"].map(|jar| format!("/usr/share/java/{jar}.jar")).join(":");
    let output = Command::new("java")
        .args([
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            &format!("{jars}:src:test"),
            "clojure.main",
            "-e",
            RUN,
        ])
        .current_dir(root)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find(|line| *line == ":done")?;
    let passed = text.lines().filter(|line| *line == ":pass").count() as u32;
    Some((passed, text.lines().filter_map(|line| Some(line.strip_prefix(":failed ")?.to_owned())).collect()))
}

/// The namespace `shop.base`.
macro_rules! base {
    ($body:literal) => {
        Some(concat!("(ns shop.base)\n", $body, "\n"))
    };
}

// Each story is told at one distance, in turn: a virtual machine takes seconds to start.
const NEAR: Story = Story { distances: &[0], ..Story::NONE };
const NEXT: Story = Story { distances: &[1], ..Story::NONE };
const FAR: Story = Story { distances: &[2], ..Story::NONE };

/// The head of a user of the base that needs what `shop.more` adds to it.
const MORE: &str = "(ns shop.user (:require [shop.base :as b] shop.more))";

const STORIES: &[Story] = &[
    Story { name: "changed_function", base: [base!("(defn f [] 1)"), base!("(defn f [] 2)")], uses: "(b/f)", ..NEAR },
    Story {
        name: "changed_macro",
        base: [base!("(defmacro twice [x] `(* 2 ~x))"), base!("(defmacro twice [x] `(* 5 ~x))")],
        uses: "(b/twice 3)",
        values: ["6", "15"],
        ..NEXT
    },
    Story {
        name: "function_of_macro",
        base: [
            base!("(defn factor [] 2)\n(defmacro times [x] `(* ~(factor) ~x))"),
            base!("(defn factor [] 5)\n(defmacro times [x] `(* ~(factor) ~x))"),
        ],
        uses: "(b/times 3)",
        values: ["6", "15"],
        ..FAR
    },
    Story {
        name: "macro_becomes_function",
        base: [base!("(defmacro f [] 1)"), base!("(defn f [] 2)")],
        uses: "(b/f)",
        ..NEAR
    },
    Story {
        name: "inline_function",
        base: [
            base!("(defn f {:inline (fn [x] `(+ ~x 1))} [x] (+ x 1))"),
            base!("(defn f {:inline (fn [x] `(+ ~x 2))} [x] (+ x 2))"),
        ],
        uses: "(b/f 0)",
        ..NEXT
    },
    Story { name: "constant", base: [base!("(def ^:const k 1)"), base!("(def ^:const k 2)")], uses: "b/k", ..FAR },
    Story {
        name: "record_field",
        base: [
            base!("(defrecord Grain [weight kind])\n(defn rye [] (->Grain 5 1))"),
            base!("(defrecord Grain [colour weight kind])\n(defn rye [] (->Grain 7 5 2))"),
        ],
        heads: Some(["(ns shop.user (:require [shop.base :as b]) (:import shop.base.Grain))"; 2]),
        uses: "(let [grain (b/rye)] (if (instance? Grain grain) (.-kind ^Grain grain) 0))",
        ..NEAR
    },
    Story {
        name: "removed_field",
        base: [base!("(defrecord Grain [weight kind])"), base!("(defrecord Grain [weight])")],
        uses: "(:kind (b/->Grain 1 1))",
        ..NEXT
    },
    Story {
        name: "removed_type",
        base: [base!("(deftype Grain [kind])"), base!("")],
        heads: Some(["(ns shop.user (:require [shop.base :as b]) (:import shop.base.Grain))"; 2]),
        uses: "(.-kind (Grain. 1))",
        ..FAR
    },
    Story {
        name: "protocol_of_records_elsewhere",
        base: [
            base!("(defprotocol Area (area [x]))\n(defn scale [] 1)"),
            base!("(defprotocol Area (area [x]) (edge [x]))\n(defn scale [] 2)"),
        ],
        others: &[(
            "src/shop/more.clj",
            [Some("(ns shop.more (:require [shop.base :as b]))\n(defrecord Square [] b/Area (area [_] (b/scale)))\n");
                2],
        )],
        heads: Some(["(ns shop.user (:require [shop.base :as b] [shop.more :as m]))"; 2]),
        uses: "(if (satisfies? b/Area (m/->Square)) (b/area (m/->Square)) 0)",
        ..NEAR
    },
    Story {
        name: "renamed_protocol_method",
        base: [base!("(defprotocol Area (area [x]))"), base!("(defprotocol Area (surface [x]))")],
        others: &[(
            "src/shop/more.clj",
            [Some(
                "(ns shop.more (:require [shop.base :as b]))\n(defn of-zero [] (try (b/area 0) (catch IllegalArgumentException _ 1)))\n",
            ); 2],
        )],
        heads: Some(["(ns shop.user (:require [shop.more :as m]))"; 2]),
        uses: "(m/of-zero)",
        ..NEXT
    },
    Story {
        name: "extension_elsewhere",
        base: [
            base!("(defprotocol Area (area [x]))\n(defn scale [] 1)"),
            base!("(defprotocol Area (area [x]))\n(defn scale [] 2)"),
        ],
        others: &[(
            "src/shop/more.clj",
            [Some(
                "(ns shop.more (:require [shop.base :as b]))\n(extend-protocol b/Area Long (area [x] (* x (b/scale))))\n",
            ); 2],
        )],
        heads: Some([MORE; 2]),
        uses: "(b/area 1)",
        ..FAR
    },
    Story {
        name: "removed_extension",
        base: [base!("(defprotocol Area (area [x]))"); 2],
        others: &[(
            "src/shop/more.clj",
            [
                Some(
                    "(ns shop.more (:require [shop.base :as b]))\n(extend-protocol b/Area Long (area [x] 1) String (area [x] 1))\n",
                ),
                Some("(ns shop.more (:require [shop.base :as b]))\n(extend-protocol b/Area Long (area [x] 1))\n"),
            ],
        )],
        heads: Some([MORE; 2]),
        uses: "[(b/area 1) (try (b/area \"x\") (catch IllegalArgumentException _ 2))]",
        values: ["[1 1]", "[1 2]"],
        ..NEAR
    },
    Story {
        name: "interface_elsewhere",
        base: [
            base!("(definterface Shape (area []))\n(defn scale [] 1)"),
            base!("(definterface Shape (area []))\n(defn scale [] 2)"),
        ],
        others: &[(
            "src/shop/more.clj",
            [Some(
                "(ns shop.more (:require [shop.base :as b]) (:import shop.base.Shape))\n\
                 (deftype Square [] Shape (area [_] (b/scale)))\n",
            ); 2],
        )],
        heads: Some(["(ns shop.user (:require [shop.base :as b] [shop.more :as m]) (:import shop.base.Shape))"; 2]),
        uses: "(.area ^Shape (m/->Square))",
        ..NEXT
    },
    Story { name: "renamed_function", base: [base!("(defn f [] 1)"), base!("(defn g [] 1)")], uses: "(b/f)", ..FAR },
    Story {
        name: "removed_definition",
        base: [base!("(defn helper [] 1)\n(defn f [] (helper))"), base!("(defn f [] (helper))")],
        uses: "(b/f)",
        ..NEAR
    },
    Story {
        name: "definition_after_its_use",
        base: [base!("(defn helper [] 1)\n(defn f [] (helper))"), base!("(defn f [] (helper))\n(defn helper [] 1)")],
        uses: "(b/f)",
        ..NEXT
    },
    Story { name: "made_private", base: [base!("(defn f [] 1)"), base!("(defn- f [] 1)")], uses: "(b/f)", ..FAR },
    Story {
        name: "removed_method",
        base: [
            base!("(defmulti area class)\n(defmethod area Number [_] 2)\n(defmethod area Long [_] 1)"),
            base!("(defmulti area class)\n(defmethod area Number [_] 2)"),
        ],
        uses: "(b/area 7)",
        ..NEAR
    },
    Story {
        name: "method_elsewhere",
        base: [base!("(defmulti area class)\n(defn scale [] 1)"), base!("(defmulti area class)\n(defn scale [] 2)")],
        others: &[(
            "src/shop/more.clj",
            [
                Some(
                    "(ns shop.more (:require [shop.base :as b]))\n(defmethod b/area Long [x] (* x (b/scale)))\n\
                     (defmethod b/area String [_] 1)\n",
                ),
                Some("(ns shop.more (:require [shop.base :as b]))\n(defmethod b/area Long [x] (* x (b/scale)))\n"),
            ],
        )],
        heads: Some([MORE; 2]),
        uses: "[(b/area 1) (try (b/area \"x\") (catch IllegalArgumentException _ 0))]",
        values: ["[1 1]", "[2 0]"],
        ..NEXT
    },
    Story {
        name: "removed_method_of_a_library",
        base: [base!("(defmethod print-method ::x [_ writer] (.write writer \"x\"))"), base!("")],
        uses: "(if (contains? (methods print-method) :shop.base/x) 1 2)",
        ..FAR
    },
    Story {
        name: "changed_dispatch",
        base: [
            base!("(defmulti kind :a)\n(defmethod kind 1 [_] 1)\n(defmethod kind 2 [_] 2)"),
            base!("(defmulti kind :b)\n(defmethod kind 1 [_] 1)\n(defmethod kind 2 [_] 2)"),
        ],
        uses: "(b/kind {:a 1 :b 2})",
        ..NEAR
    },
    Story { name: "changed_variable", base: [base!("(def v 1)"), base!("(def v 2)")], uses: "b/v", ..NEXT },
    Story {
        name: "kept_variable",
        base: [base!("(defonce v (atom 1))"), base!("(defonce v (atom 2))")],
        uses: "@b/v",
        ..FAR
    },
    Story {
        name: "computed_variable",
        base: [base!("(defn f [] 1)"), base!("(defn f [] 2)")],
        heads: Some(["(ns shop.user (:require [shop.base :as b]))\n(defonce steps [(b/f)])"; 2]),
        uses: "(first steps)",
        ..NEAR
    },
    Story {
        name: "failing_variable",
        base: [base!("(defn f [] 1)"), base!("(defn f [] (throw (ex-info \"Never\" {})))")],
        heads: Some(["(ns shop.user (:require [shop.base :as b]))\n(defonce steps [(b/f)])"; 2]),
        uses: "(first steps)",
        ..NEAR
    },
    Story {
        name: "removed_variable",
        base: [base!("(def v 1)"), base!("")],
        uses: "(if (resolve 'shop.base/v) 1 2)",
        ..NEXT
    },
    Story {
        name: "dynamic_variable",
        base: [base!("(def ^:dynamic *v* 1)"), base!("(def *v* 1)")],
        uses: "(try (binding [b/*v* 5] 1) (catch IllegalStateException _ 2))",
        ..FAR
    },
    Story {
        name: "removed_registration",
        base: [base!("(defonce table (atom {}))\n(defn register [key] (swap! table assoc key true))"); 2],
        others: &[
            (
                "src/shop/more.clj",
                [
                    Some("(ns shop.more (:require [shop.base :as b]))\n(b/register :a)\n(b/register :b)\n"),
                    Some("(ns shop.more (:require [shop.base :as b]))\n(b/register :b)\n"),
                ],
            ),
            ("src/shop/others.clj", [Some("(ns shop.others (:require [shop.base :as b]))\n(b/register :c)\n"); 2]),
        ],
        heads: Some(["(ns shop.user (:require [shop.base :as b] shop.more shop.others))"; 2]),
        uses: "(map @b/table [:a :b :c])",
        values: ["[true true true]", "[nil true true]"],
        ..NEAR
    },
    Story {
        name: "removed_relation",
        base: [base!("(derive ::rye ::grain)"), base!("")],
        uses: "(if (isa? :shop.base/rye :shop.base/grain) 1 2)",
        ..NEXT
    },
    Story {
        name: "removed_spec",
        base: [
            Some("(ns shop.base (:require [clojure.spec.alpha :as s]))\n(s/def ::x int?)\n"),
            Some("(ns shop.base (:require [clojure.spec.alpha :as s]))\n"),
        ],
        uses: "(if (clojure.spec.alpha/get-spec :shop.base/x) 1 2)",
        ..FAR
    },
    Story {
        name: "removed_alias",
        base: [base!("(defn f [] 1)"); 2],
        heads: Some([
            "(ns shop.user (:require [shop.base :as b] [clojure.string :as s]))",
            "(ns shop.user (:require [shop.base :as b]))",
        ]),
        uses: "(if (s/blank? \"\") (b/f) 0)",
        ..NEAR
    },
    Story {
        name: "referred_function",
        base: [base!("(defn f [] 1)"), base!("(defn g [] 1)")],
        heads: Some(["(ns shop.user (:require [shop.base :refer :all]))"; 2]),
        uses: "(f)",
        ..NEXT
    },
    Story {
        name: "shadowed_function",
        base: [
            Some("(ns shop.base (:refer-clojure :exclude [inc]))\n(defn inc [x] x)\n(defn f [] (inc 1))\n"),
            Some("(ns shop.base)\n(defn f [] (inc 1))\n"),
        ],
        uses: "(b/f)",
        ..FAR
    },
    Story {
        name: "loaded_file",
        base: [base!("(load \"parts\")"); 2],
        others: &[(
            "src/shop/parts.clj",
            [Some("(in-ns 'shop.base)\n(defn f [] 1)\n"), Some("(in-ns 'shop.base)\n(defn f [] 2)\n")],
        )],
        uses: "(b/f)",
        ..NEAR
    },
    Story {
        name: "required_while_it_runs",
        base: [base!("(defn f [] 1)"), base!("(defn f [] 2)")],
        heads: Some(["(ns shop.user)"; 2]),
        uses: "((requiring-resolve 'shop.base/f))",
        ..NEXT
    },
    Story {
        name: "loaded_by_itself",
        base: [base!("(defmacro twice [x] `(* 2 ~x))"), base!("(defmacro twice [x] `(* 5 ~x))")],
        uses: "(b/twice 3)",
        values: ["6", "15"],
        loads: &["src/shop/base.clj"],
        ..FAR
    },
    Story {
        name: "moved_definition",
        base: [base!("(defn f [] 1)"), None],
        others: &[("src/shop/other.clj", [None, Some("(ns shop.other)\n(defn f [] 2)\n")])],
        heads: Some([HEAD, "(ns shop.user (:require [shop.other :as b]))"]),
        uses: "(b/f)",
        ..NEAR
    },
    Story {
        name: "new_dependency",
        base: [
            base!("(defn f [] 1)"),
            Some("(ns shop.base (:require [shop.other :as other]))\n(defn f [] (other/two))\n"),
        ],
        others: &[("src/shop/other.clj", [None, Some("(ns shop.other)\n(defn two [] 2)\n")])],
        uses: "(b/f)",
        ..NEXT
    },
    Story {
        name: "removed_dependency",
        base: [Some("(ns shop.base (:require shop.other))\n(defn f [] 1)\n"), base!("(defn f [] 1)")],
        others: &[("src/shop/other.clj", [Some("(ns shop.other)\n(defn one [] 1)\n"); 2])],
        uses: "(* (b/f) (shop.other/one))",
        ..FAR
    },
    Story { name: "broken_dependency", base: [base!("(defn f [] 1)"), base!("(defn f [] 1")], uses: "(b/f)", ..NEAR },
    Story {
        name: "failing_dependency",
        base: [base!("(defn f [] 1)"), base!("(defn f [] 1)\n(throw (ex-info \"no grain\" {}))")],
        uses: "(b/f)",
        ..NEXT
    },
    Story { name: "missing_namespace", base: [base!("(defn f [] 1)"), None], uses: "(b/f)", ..FAR },
    Story {
        name: "circular_namespaces",
        base: [Some("(ns shop.base (:require [shop.other :as other]))\n(defn f [] (other/one))\n"); 2],
        others: &[(
            "src/shop/other.clj",
            [
                Some("(ns shop.other)\n(defn one [] 1)\n"),
                Some("(ns shop.other (:require shop.base))\n(defn one [] 1)\n"),
            ],
        )],
        uses: "(b/f)",
        ..NEAR
    },
    Story { name: "added_function", base: [base!(""), base!("(defn f [] 2)")], uses: "(b/f)", ..NEXT },
    Story {
        name: "removed_test",
        base: [base!("(defn f [] 1)"); 2],
        uses: "(b/f)",
        more_tests: ["(deftest gone (is true))\n", ""],
        ..FAR
    },
];

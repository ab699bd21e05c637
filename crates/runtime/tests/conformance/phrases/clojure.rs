//! Clojure.

use super::{Failure, Mill, Package, Phrases, Tests};

pub(crate) const CLOJURE: Phrases = Phrases {
    values: ("1 [:a \"b\\\"\" \\c]", &["[:a \"b\\\"\" \\c]"]),
    comments: "; nothing\n #_(at all)",
    printing: "(print \"out\") (binding [*out* *err*] (print \"err\")) (print \"put\") nil",
    define_here: "(def here 42) here",
    here: "here",
    change_here: "(def here 43)",
    define_both: "(defn both [x] [x x])",
    both_here: ("(both here)", "[42 42]"),
    package: Package {
        enter: "(ns my.shop) (def stock 7)",
        name: "my.shop",
        stock: "stock",
        misspelled: "my.shpo",
        leave: "(in-ns 'user)",
        usual: "user",
    },
    elements: ("[1 \"λ 𝄞\" :k]", "[1 \"λ 𝄞\" :k]"),
    long: "(range 10000)",
    read_time: "#=(+ 1 2)",
    input: ("(read-line)", "nil"),
    warned: ("(defn odd [] (no-such-function))", "no-such-function"),
    failure: Failure {
        code: "(defn inner [x]\n  [(list x) (+ 1 (first x)) x])\n(defn outer [y] [(inner y)])\n(outer 3)",
        type_name: "IllegalArgumentException",
        message: "ISeq",
        frames: ["inner", "outer"],
        variable: "x",
    },
    endless: &["(while true (Thread/sleep 5))"],
    chatter: "(while true (print \"all work and no play \"))",
    deep: "(defn down [n] (inc (down (inc n)))) (down 1)",
    greedy: "(loop [all []] (recur (conj all (long-array 1000000))))",
    exit: "(System/exit 3)",
    restart: ("(throw (ex-info \"no\" {}))", "USE-VALUE", "5"),
    mill: Mill {
        file: "src/mill.clj",
        text: "(ns mill)\n(set! *warn-on-reflection* true)\n\n\n(defn grind [x]\n  (.length x))\n\n(defn turn [] (grind \"1\"))\n",
        package: "mill",
        grind: "mill/grind",
        broken: "(ns broken)\n\n(throw (ex-info \"sand\" {}))\n",
    },
    tests: Tests {
        definition: None,
        file: "test/mill_test.clj",
        text: "(ns mill-test (:require [clojure.test :refer [deftest is]]))\n\n(deftest fine (is (= 3 (+ 1 2))))\n\
               (deftest off (is (= 4 (+ 1 2))))\n",
        system: None,
        line: 4,
        fine: "fine",
        none: "(ns none)\n",
    },
    expansion: ("(when a b)", "(if a "),
    object: ("[1 [2 \"b\"] :c]", "[2 \"b\"]"),
};

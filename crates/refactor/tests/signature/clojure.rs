//! Clojure.

use super::{changed, check, check_all};

#[track_caller]
fn clj(before: &str, request: &str, after: &str) {
    check("a.clj", before, request, after);
}

#[test]
fn threading_passes_an_argument() {
    clj(
        "(ns a)
(defn pay [account amount] [account amount])
(defn f [x]
  (-> x (pay 1) (pay 2))
  (->> x (pay 1))
  (-> x pay)
  (doto x (pay 3))
  (cond-> x true (pay 4))
  (map #(pay % 5) x)
  (map (partial pay x) x)
  (apply pay x [1]))
",
        "pay [account amount note] ; note = nil",
        "(ns a)
(defn pay [account amount note] [account amount])
(defn f [x]
  (-> x (pay 1 nil) (pay 2 nil))
  (->> x (pay 1))
  (-> x pay)
  (doto x (pay 3 nil))
  (cond-> x true (pay 4 nil))
  (map #(pay % 5 nil) x)
  (map (partial pay x) x)
  (apply pay x [1]))
-- 1 definitions, 0 methods, 5 calls
open 5: threaded
open 6: few
open 10: tail
open 11: tail
",
    );
    clj(
        "(ns a)\n(defn pay [account] account)\n(-> 1 pay)\n(->> 1 (pay))\n(-> 1 (pay))\n(some-> 1 pay)\n",
        "pay [account note] ; note = nil",
        "(ns a)\n(defn pay [account note] account)\n(-> 1 (pay nil))\n(->> 1 (pay))\n(-> 1 (pay nil))\n(some-> 1 (pay nil))\n\
         -- 1 definitions, 0 methods, 3 calls\nopen 4: threaded\n",
    );
    clj(
        "(ns a)\n(defn pay [account amount note] [account amount note])\n(-> 1 (pay 2 3))\n(map (partial pay 1 2) [3])\n",
        "pay [amount account note]",
        "(ns a)\n(defn pay [amount account note] [account amount note])\n(-> 1 (pay 2 3))\n(map (partial pay 2 1) [3])\n\
         -- 1 definitions, 0 methods, 1 calls\nopen 3: threaded\n",
    );
}

#[test]
fn one_of_several_lists_changes() {
    let source = "(ns a)
(defn pay
  \"Pays.\"
  ([account] (pay account 1))
  ([account amount] [account amount])
  ([account amount & more] [account amount more]))
(pay 1)
(pay 1 2)
(pay 1 2 3)
";
    clj(
        source,
        "pay [amount account]",
        "refused: several: [account] 1, [account amount] 2, [account amount & more] 2\n",
    );
    clj(
        source,
        "pay [amount account] ; arity = 2",
        "(ns a)
(defn pay
  \"Pays.\"
  ([account] (pay 1 account))
  ([amount account] [account amount])
  ([account amount & more] [account amount more]))
(pay 1)
(pay 2 1)
(pay 1 2 3)
-- 1 definitions, 0 methods, 2 calls
",
    );
}

#[test]
fn destructuring_and_hints_stay() {
    clj(
        "(ns a)
(defn pay [^String account {:keys [amount] :or {amount 1}} & [note]] [account amount note])
(pay \"a\" {:amount 2})
(pay \"a\" {:amount 2} 3)
",
        "pay [{:keys [amount] :or {amount 1}} who & [note]] ; account > who",
        "(ns a)
(defn pay [{:keys [amount] :or {amount 1}} ^String who & [note]] [who amount note])
(pay {:amount 2} \"a\")
(pay {:amount 2} \"a\" 3)
-- 1 definitions, 0 methods, 2 calls
",
    );
    clj(
        "(ns a)\n(defn f [x] (let [y x x 2] [x y]) (fn [x] x) {:x x})\n",
        "f ; x > z",
        "(ns a)\n(defn f [z] (let [y z x 2] [x y]) (fn [x] x) {:x z})\n-- 1 definitions, 0 methods, 0 calls\n",
    );
    // Functions and variables share their names.
    clj("(ns a)\n(defn g [] 1)\n(defn f [x] (g) x)\n", "f ; x > g", "refused: g taken in 3\n");
    clj("(ns a)\n(defn g [] 1)\n(defn f [x] (g) x)\n", "f [x g] ; g = 1", "refused: g taken in 3\n");
}

#[test]
fn protocols_change_with_their_implementations() {
    check_all(
        "== a.clj
(ns a)
(defprotocol Shape (area [this scale] \"The area.\") (name-of [this]))
(defrecord Square [side] Shape (area [_ scale] (* scale side side)) (name-of [_] 1))
(extend-protocol Shape String (area [s factor] (* factor (count s))) (name-of [s] s))
(extend-type Long Shape (area [l _] l))
(defn f [s] (map #(area % 1) [s]) (reify Shape (area [this scale] scale)))
== b.clj
(ns b (:require [a]))
(deftype T [] a/Shape (area [_ x] x))
(defn area [x] (a/area x 2))
",
        "a/area [this unit scale] ; unit = :m",
        "== a.clj
(ns a)
(defprotocol Shape (area [this unit scale] \"The area.\") (name-of [this]))
(defrecord Square [side] Shape (area [_ unit scale] (* scale side side)) (name-of [_] 1))
(extend-protocol Shape String (area [s unit factor] (* factor (count s))) (name-of [s] s))
(extend-type Long Shape (area [l unit _] l))
(defn f [s] (map #(area % :m 1) [s]) (reify Shape (area [this unit scale] scale)))
== b.clj
(ns b (:require [a]))
(deftype T [] a/Shape (area [_ unit x] x))
(defn area [x] (a/area x :m 2))
-- 1 definitions, 5 methods, 2 calls
",
    );
}

#[test]
fn multimethods_change_with_what_chooses() {
    clj(
        "(ns a)
(defmulti area (fn [shape scale] (:kind shape)))
(defmethod area :square [shape scale] (* scale (:side shape)))
(defmethod area :default [s _] s)
(area {:kind :square} 2)
",
        "area [scale shape]",
        "(ns a)
(defmulti area (fn [scale shape] (:kind shape)))
(defmethod area :square [scale shape] (* scale (:side shape)))
(defmethod area :default [_ s] s)
(area 2 {:kind :square})
-- 1 definitions, 2 methods, 1 calls
",
    );
    clj(
        "(ns a)\n(defmulti area :kind)\n(defmethod area :square [shape] shape)\n(area {:kind :square})\n",
        "area [shape unit] ; unit = 1",
        "(ns a)\n(defmulti area :kind)\n(defmethod area :square [shape unit] shape)\n(area {:kind :square} 1)\n\
         -- 0 definitions, 1 methods, 1 calls\nlook at 2: chooser\n",
    );
}

#[test]
fn a_value_is_a_function() {
    clj(
        "(ns a)\n(def pay (fn [account amount] [account amount]))\n(pay 1 2)\n(def other pay)\n",
        "pay [amount account]",
        "(ns a)\n(def pay (fn [amount account] [account amount]))\n(pay 2 1)\n(def other pay)\n\
         -- 1 definitions, 0 methods, 1 calls\nopen 4: value\n",
    );
    clj("(ns a)\n(def x 1)\n", "x [a]", "refused: no parameters in 2\n");
}

#[test]
fn recursion_without_the_name_follows() {
    clj(
        "(ns a)
(defn pay
  ([n sum] (if (zero? n) sum (recur (dec n) (+ sum n))))
  ([n sum more] (loop [x n sum sum] (recur x sum)) (map #(recur % 1) n) (recur n sum more)))
(defn down [n & more] (recur n more))
",
        "pay [sum n] ; arity = 2",
        "(ns a)
(defn pay
  ([sum n] (if (zero? n) sum (recur (+ sum n) (dec n))))
  ([n sum more] (loop [x n sum sum] (recur x sum)) (map #(recur % 1) n) (recur n sum more)))
(defn down [n & more] (recur n more))
-- 1 definitions, 0 methods, 1 calls
reordered 3
",
    );
    clj(
        "(ns a)\n(defn down [n & more] (recur n more))\n(down 1 2)\n",
        "down [n note & more] ; note = nil",
        "(ns a)\n(defn down [n note & more] (recur n more))\n(down 1 nil 2)\n\
         -- 1 definitions, 0 methods, 1 calls\nopen 2: tail\n",
    );
}

#[test]
fn a_name_changes_in_all_lists_that_have_it() {
    clj(
        "(ns a)
(defn pay
  ([account] (pay account 1))
  ([account amount] [account amount])
  ([a b c] [a b c]))
",
        "pay ; account > who",
        "(ns a)
(defn pay
  ([who] (pay who 1))
  ([who amount] [who amount])
  ([a b c] [a b c]))
-- 2 definitions, 0 methods, 0 calls
",
    );
}

#[test]
fn templates_of_macros_with_several_arities_are_followed() {
    clj(
        "(ns a)\n(defn pay [a b] [a b])\n(defmacro m ([a b] `(pay ~a ~b)) ([a b & r] `(pay ~a (m ~b ~@r))))\n",
        "pay [b a]",
        "(ns a)\n(defn pay [b a] [a b])\n(defmacro m ([a b] `(pay ~b ~a)) ([a b & r] `(pay (m ~b ~@r) ~a)))\n\
         -- 1 definitions, 0 methods, 2 calls\n",
    );
}

#[test]
fn calls_that_may_mean_a_name_of_the_language_are_refused() {
    let project = |definition: &str| {
        format!(
            "(ns a)\n(defmacro compile-when [c & b] (when (eval c) `(do ~@b)))\n{definition}\n(defn f [] (tagged-literal 'a 1))\n"
        )
    };
    let definition = "(defn tagged-literal [tag form] [tag form])";
    let conditional = format!("(compile-when (not (resolve 'clojure.core/tagged-literal)) {definition})");
    let refused = |path: &str, text: &str, request: &str, line: usize, why: &str| {
        let told = changed(&format!("== {path}\n{text}"), request);
        assert!(
            told.contains("CannotTell") && told.contains(&format!("line: {line},")) && told.contains(why),
            "{told}"
        );
    };
    refused("a.clj", &project(&conditional), "tagged-literal [form tag]", 4, "UnderCondition");
    let platform = "(ns a)\n#?(:cljs (defn format [s x] [s x]))\n(defn f [x] (format \"%s\" x))\n";
    refused("a.cljc", platform, "format [x s]", 3, "OnePlatform");
    // The parameters of what is defined anyhow, their names alone, and calls under the same condition.
    clj(
        &project(definition),
        "tagged-literal [form tag]",
        &format!(
            "{}-- 1 definitions, 0 methods, 1 calls\n",
            project("(defn tagged-literal [form tag] [tag form])").replace("'a 1", "1 'a")
        ),
    );
    clj(
        &project(&conditional),
        "tagged-literal ; tag > name",
        &format!(
            "{}-- 1 definitions, 0 methods, 0 calls\n",
            project(&conditional.replace("[tag form] [tag form]", "[name form] [name form]"))
        ),
    );
    let inside = |list: &str, call: &str| {
        format!(
            "(ns a)\n(when-not (resolve 'update-vals) (defn update-vals [{list}] [m f]) (defn g [] (update-vals {call})))\n"
        )
    };
    clj(
        &inside("m f", "1 2"),
        "update-vals [f m]",
        &format!("{}-- 1 definitions, 0 methods, 1 calls\n", inside("f m", "2 1")),
    );
}

#[test]
fn calls_in_a_file_of_several_namespaces_are_open() {
    check_all(
        "== shared.clj
(defn f [x] (pay x 1))
== one.clj
(ns one)
(defn pay [a b] [a b])
(load \"shared\")
(pay 1 2)
== two.clj
(ns two)
(defn pay [a b] [b a])
(load \"shared\")
",
        "one/pay [b a]",
        "== shared.clj
(defn f [x] (pay x 1))
== one.clj
(ns one)
(defn pay [b a] [a b])
(load \"shared\")
(pay 2 1)
== two.clj
(ns two)
(defn pay [a b] [b a])
(load \"shared\")
-- 1 definitions, 0 methods, 1 calls
open 1: its file is a part of several modules
",
    );
}

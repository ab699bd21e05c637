//! What Clojure's compiler tells of code is told of it without one.

mod common;

use common::found_in;
use lispwright_lint::rules;
use lispwright_syntax::Dialect;

/// The namespace in which the code of a test stands.
const NAMESPACE: &str = "(ns shop.core
  (:require [clojure.string :as str]
            [other.lib :as lib])
  (:import (java.io File StringWriter)
           (java.util regex.Pattern)))
(defprotocol Priced (price [item] [item unit]))
(defrecord Item [label cost])
";

/// What is told of code after the namespace, each as its rule and message.
fn told(code: &str) -> Vec<String> {
    let text = format!("{NAMESPACE}{code}\n");
    let first = NAMESPACE.len() as u32;
    let found = found_in(Dialect::Clojure, "core.clj", &text, &rules::defaults());
    let own = found.into_iter().filter(|one| one.span.start >= first);
    own.map(|one| format!("{}: {}", one.rule, one.message)).collect()
}

#[test]
fn a_name_that_nobody_defines_is_told_wherever_code_is_evaluated() {
    for code in [
        "(defn f [x] (throw (ex-infoo \"a\" {:x x})))",
        "(defn f [x] (if (ex-infoo x) 1 2))",
        "(defn f [x] (File/createTempFile \"a\" (ex-infoo x)))",
        "(defn f [x] (.foo x (ex-infoo x)))",
        "(defn f [x] (java.util.Date. (ex-infoo x)))",
        "(defn f [x] (new File (ex-infoo x)))",
        "(defn f [x] [(ex-infoo x) {:a (inc x)}])",
        "(defn f [x] {:a ex-infoo :b x})",
        "(defn f [x] #{ex-infoo x})",
        "(defn f [x] (case x :a (ex-infoo x) 2))",
        "(defn f [x] (reify Priced (price [_] (ex-infoo x))))",
        "(defrecord Box [label] Priced (price [_ on-match] (ex-infoo label on-match)))",
        "(defn f [x] (-> x (ex-infoo 1) inc))",
        "(defn f [x] (map #(ex-infoo %) x))",
    ] {
        let [message] = &told(code)[..] else { panic!("{code}: {:?}", told(code)) };
        assert!(message.starts_with("undefined-name: nobody defines `ex-infoo`"), "{code}: {message}");
    }
}

#[test]
fn what_a_form_binds_without_writing_it_is_bound() {
    for code in [
        "(defn f [x] (proxy [java.io.Reader] [] (read [] (inc this)) (close [] (.close this))))",
        "(defn f [x] (try (inc x) (catch Exception e (str e)) (finally (println x))))",
        "(deftype Part #?(:clj [^String label cost] :cljs [label cost]) Priced (price [_] (str label cost)))",
        "(defn f [x] (->> total (map inc) (for [total x])))",
        "(defn f [x] (instance? Pattern x))",
        "(defmacro f [x] (list &form &env x))",
        "(defn f [x] (print-method x *out*) (print-dup x *out*))",
        "(lib/defn g :- [lib/Int] \"Its parts.\" [x :- lib/Int, y] (str x y))",
    ] {
        assert_eq!(told(code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn a_slip_is_told_in_what_may_be_data_of_a_macro() {
    let one = |code: &str| told(code).join("\n");
    assert_eq!(
        one("(defn f [context] (when context (lib/get-in contxet :a)))"),
        "undefined-name: nobody defines `contxet`; near it: `context`"
    );
    assert_eq!(
        one("(defn f [x] (lib/emit (cntains? x :a)))"),
        "undefined-name: nobody defines `cntains?`; near it: `contains?`"
    );
    // A name that is no slip, one that is written twice, and one that a macro may bind.
    for code in [
        "(defn f [context] (when context (lib/get-in other :a)))",
        "(defn f [context] (when context (lib/bound [contxet 1] contxet)))",
        "(defn f [context] (when context (lib/with-part contxet)))",
    ] {
        assert_eq!(one(code), "", "{code}");
    }
}

#[test]
fn other_hosts_have_names_of_their_own() {
    let told = |code: &str| -> Vec<String> {
        let text = format!("(ns shop.core)\n{code}\n");
        let found = found_in(Dialect::Clojure, "core.cljs", &text, &rules::defaults());
        found.into_iter().map(|one| format!("{}: {}", one.rule, one.message)).collect()
    };
    assert_eq!(
        told("(defn f [x] (when (cntains? x :a) x))"),
        ["undefined-name: nobody defines `cntains?`; near it: `contains?`"]
    );
    assert_eq!(told("(defn f [x] (js->clj (array-seq x)) (undefined? x) (js/alert x))"), Vec::<String>::new());
    assert_eq!(told("(extend-type js/Date IIterable (-iterator [x] x))"), Vec::<String>::new());
}

#[test]
fn what_a_branch_defines_is_not_that_of_another_branch() {
    let defined = "#?(:cljs (defn expand [env form] [env form]))\n(defn f [x] #?(:clj (expand x) :cljs (expand x x)))";
    assert_eq!(told(defined), Vec::<String>::new());
}

#[test]
fn a_class_is_imported_or_a_part_of_the_language() {
    let class = |name: &str, near: &str| format!("unknown-class: no class `{name}` is imported; near it: `{near}`");
    assert_eq!(told("(defn f [x] (Tread. x))"), [class("Tread", "Thread")]);
    assert_eq!(told("(defn f [x] (Fil/createTempFile x nil))"), [class("Fil", "File")]);
    assert_eq!(told("(defn f [^Strin x] x)"), [class("Strin", "String")]);
    for code in [
        "(defn f [^File x ^long n ^longs all] (File. (str x n all)))",
        "(defn f [x] (Pattern/compile x))",
        "(defn f [^Item x] (Item. x 1))",
        "(defn f [x] (java.util.Date. x))",
        "(defmacro f [x] `(Unknown. ~x))",
        "#?(:cljs (defn f [x] (Unknown. x)))",
    ] {
        assert_eq!(told(code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn parameters_and_bindings_are_in_vectors() {
    for (code, expected) in [
        ("(defn f \"doc\")", "lambda-list: `defn` has no vector of parameters"),
        ("(defn f (x) x)", "lambda-list: an arity of `defn` begins with its vector of parameters"),
        ("(defn f ([x] x) ([y] y))", "lambda-list: an arity with 1 parameters is there already"),
        ("(defn f ([& x] x) ([& y] y))", "lambda-list: two arities take any number of arguments"),
        (
            "(defn f ([& x] x) ([y z] y z))",
            "lambda-list: an arity with 2 parameters is there beside one that takes any number",
        ),
        ("(defn \"f\" [x] x)", "lambda-list: `defn` needs a name here"),
        ("(defprotocol P (m))", "lambda-list: a method of a protocol has its parameters in a vector"),
        ("(defprotocol P (m []))", "lambda-list: a method takes the object that it is called for, at least"),
        ("(deftype T label)", "lambda-list: the fields of `deftype` are in a vector"),
        (
            "(def r (reify Priced (price [] 1)))",
            "lambda-list: a method takes the object that it is called for, at least",
        ),
        ("(defn f [x] (let (a 1) x))", "malformed-binding: the bindings of `let` are in a vector"),
        ("(defn f [x] (for x x))", "malformed-binding: the bindings of `for` are in a vector"),
        ("(defn f [x] (let [:a 1] x))", "malformed-binding: `:a` is no name that can be bound"),
        ("(defn f [x] (let [(a b) x] x))", "malformed-binding: a list is no name that can be bound"),
        ("(defn f [x] (if-let [a x b 2] a))", "malformed-binding: `if-let` binds one name"),
        (
            "(defn f [x] (letfn [g [a] a] x))",
            "malformed-binding: a binding of `letfn` is a list: `(name [parameters] …)`",
        ),
        ("(defn f [x] (let [{:keys a} x] x))", "malformed-binding: `:keys` takes a vector of names"),
        ("(defn f [x] (for [a x :whlie a] a))", "malformed-binding: `for` has no word `:whlie`; near it: `:while`"),
        ("(defn f [x] (try x (catch e 2)))", "malformed-binding: `catch` has a class and then a name"),
        ("(def f {:a 1 :b})", "odd-pairs: this key of a map has no value"),
        ("(defn f [x] (price x 1 2))", "wrong-argument-count: `price` takes 1 or 2 arguments, and gets 3"),
        ("(defn f [x] (Item. x))", "wrong-argument-count: `Item.` takes 2 arguments (label cost), and gets 1"),
    ] {
        assert!(told(code).iter().any(|one| one == expected), "{code}: {:?}", told(code));
    }
    for code in [
        "(defn f \"doc\" {:private true} ([x] x) ([x & more] (list x more)))",
        "(def f (fn named ([x] x) ([x y] (list x y))))",
        "(defn f [[a & more :as all] {:keys [b] ::keys [c] :strs [d] :or {b 1} e :e}] (list a more all b c d e))",
        "(defn f [x] (for [a x :let [b a] :when b :while a] b))",
        "(defn f [x] (binding [*out* x] (with-redefs [inc dec] x)))",
        "(defn f [x] (letfn [(g [a] a)] (g x)))",
        "(defmacro f [& all] `(let [~@all] {~@all}))",
        "(defn f [x] (list (Item. x 1) (Item. x 1 nil nil) (-> x (Item. 1)) (price x 1)))",
        "(definterface Shape (area []))",
        "(extend-type String Priced (price ([x] x) ([x unit] (str x unit))))",
    ] {
        assert_eq!(told(code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn what_a_file_loads_itself_has_its_aliases() {
    assert_eq!(told("(require '[clojure.set :as set])\n(defn f [load x] (load (set/union x)))"), Vec::<String>::new());
    assert_eq!(
        told("(require '[clojure.set :as set])\n(defn f [x] (json/read x))"),
        ["unknown-alias: no alias `json` is declared"]
    );
    assert_eq!(told("(alias 'json 'other.json)\n(defn f [x] (json/read x))"), Vec::<String>::new());
}

#[test]
fn local_variables_in_rows_steps_and_patterns_are_used() {
    for code in [
        "(clojure.test/deftest t (clojure.test/are [q n] (= n (count (quote q))) (not [1] [2]) 3 (inc 1 2 3) 4))",
        "(defn g [n] (->> (inc x) (let [x n])))",
        "(defn g [e] (let [op? even? od odd?] (match [e] [([p :guard op? x] :seq)] [p x] [a :guard od] a :else nil)))",
    ] {
        assert_eq!(told(code), [""; 0], "{code}");
    }
    assert_eq!(told("(defn g [n] (->> (inc 1) (let [x n])))").len(), 1);
}

#[test]
fn a_class_of_a_package_that_is_called_like_the_namespace_is_none_of_the_namespace() {
    let text = "(ns my.pkg (:import [my.pkg Prioritized]))\n(defn f [] (reify Prioritized (getPriority [_] 1)))\n";
    let told = |text: &str| {
        let found = found_in(Dialect::Clojure, "pkg.clj", text, &rules::defaults());
        found.into_iter().filter(|one| one.rule == "undefined-name").count()
    };
    assert_eq!(told(text), 0);
    assert_eq!(told(&text.replace("reify Prioritized", "reify Priority")), 1);
}

#[test]
fn a_name_that_is_qualified_with_its_own_namespace_is_told() {
    let message = "undefined-name: namespace `shop.core` defines no `totl`; near it: `total`";
    for code in ["(shop.core/totl 1)", "(list shop.core/totl)", "(map #'shop.core/totl x)"] {
        assert_eq!(told(&format!("(defn total [x] x)\n(defn f [x] x {code})")), [message], "{code}");
    }
    for code in [
        "(declare later)\n(defn f [] (shop.core/later 1))",
        "(defn total [x] x)\n(defn f [] (shop.core/total 1) (shop.core/->Item 1 2) (shop.core/price 1))",
        "(defmacro defown [n] (list 'def (symbol (str n \"-own\")) 1))\n(defown it)\n(defn f [] shop.core/it-own)",
        "(def kind ::shop.core/other)\n(defmacro m [] `(shop.core/other 1))\n(def names '[shop.core/other])",
    ] {
        assert_eq!(told(code), [""; 0], "{code}");
    }
}

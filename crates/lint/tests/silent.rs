//! What looks like a mistake and is none.

mod common;

use common::{found, found_beside, found_in};
use lispwright_lint::rules;
use lispwright_syntax::Dialect;

/// The errors in a text, each as its rule and message.
fn errors(dialect: Dialect, text: &str) -> Vec<String> {
    shown(found(dialect, text, &rules::defaults()))
}

fn shown(found: Vec<lispwright_lint::Finding>) -> Vec<String> {
    let errors = found.into_iter().filter(|one| !one.rule.starts_with("unused-"));
    errors.map(|one| format!("{}: {}", one.rule, one.message)).collect()
}

#[track_caller]
fn is_silent(dialect: Dialect, text: &str) {
    assert_eq!(errors(dialect, text), [""; 0], "{text}");
}

#[test]
fn functions_called_like_special_operators_are_functions() {
    let text = "(ns shop.core (:refer-clojure :exclude [loop]) (:require [other.lib :as d]))\n\
        (defn catch ([x f] (catch x nil f)) ([x class f] (list x class f)))\n\
        (defn f [x] (d/catch (inc x) (constantly 1)))\n\
        (defn g [x] (d/loop [i 0] (d/chain x (fn [y] (when y (d/recur 1 2 3))))))\n";
    is_silent(Dialect::Clojure, text);
    let told = errors(Dialect::Clojure, "(ns shop.core)\n(defn f [x] (try x (catch Exception (g x))))\n");
    assert!(told.contains(&"malformed-binding: `catch` has a class and then a name".to_owned()), "{told:?}");
}

#[test]
fn a_comment_is_not_compiled_and_uses_names() {
    let text = "(ns shop.core (:require [clojure.string :as str]))\n(comment\n  (t/run-tests)\n  (inc)\n  \
        (let [x] (str/join x)))\n";
    assert_eq!(found(Dialect::Clojure, text, &rules::defaults()).len(), 0);
}

#[test]
fn a_clause_of_loop_starts_from_what_is_around_it() {
    let used = |text: &str| assert_eq!(found(Dialect::CommonLisp, text, &rules::defaults()).len(), 0, "{text}");
    used("(defun f (x) (let ((h (map 'vector #'1+ x))) (loop for h across h collect h)))");
    used("(defun f (x) (let ((n (* 2 x))) (loop with n = n repeat 3 collect (incf n))))");
    used("(defun f (s) (symbol-macrolet ((top (car s)) (node (car top))) node))");
    let told =
        found(Dialect::CommonLisp, "(defun f () (let ((n 1)) (loop for n = n then 2 collect n)))", &rules::defaults());
    assert_eq!(told.iter().map(|one| one.rule).collect::<Vec<_>>(), ["unused-binding"]);
}

#[test]
fn arrays_of_primitives_are_no_names_of_a_namespace() {
    is_silent(Dialect::Clojure, "(ns shop.core)\n(defn f [x] (instance? long/1 (list x (int/parse \"1\"))))\n");
}

#[test]
fn what_the_project_quotes_may_be_a_part_of_what_a_macro_takes() {
    let makes = "(ns shop.make)\n(defn- getter [x] `(defn ~'get-all [] ~x))\n(defmacro def-api [{:keys [x]}] (getter x))\n\
        (defmethod clojure.test/assert-expr 'thrown-msg? [msg form] (list msg form))\n";
    let api = "(ns shop.api (:require [shop.make :as make]))\n(make/def-api {:x 1})\n";
    let uses = "(ns shop.use (:require [shop.api :as api] [clojure.test :refer [are]]))\n(defn f [] (api/get-all))\n\
        (are [x msg] (thrown-msg? msg (f x)) 1 \"a\")\n";
    let others = [("make.clj", makes), ("api.clj", api)];
    let told = found_beside(&others, Dialect::Clojure, "use.clj", uses, &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
}

#[test]
fn a_macro_around_one_that_is_not_understood_is_not_understood() {
    let text = "(ns shop.core (:refer-clojure :exclude [cond]))\n(defmacro -cond [throw? & clauses]\n  \
        (if-let [[c1 c2 & more] (seq clauses)]\n    (case c1\n      :do `(do ~c2 (-cond ~throw? ~@more))\n      \
        :let `(let ~c2 (-cond ~throw? ~@more))\n      `(if ~c1 ~c2 (-cond ~throw? ~@more)))))\n\
        (defmacro cond [& clauses] `(-cond false ~@clauses))\n\
        (defn f [x]\n  (cond\n    (nil? x) 1\n    :let [above (inc x)]\n    (pos? above) above))\n";
    is_silent(Dialect::Clojure, text);
}

#[test]
fn a_package_without_the_language_has_other_forms() {
    let text = "(defpackage :shop (:use :coalton :coalton-prelude))\n(in-package :shop)\n\
        (define-test a () (let b = (f 1)) (map f))\n(let c = 1)\n";
    is_silent(Dialect::CommonLisp, text);
    let told = errors(Dialect::CommonLisp, &text.replace(":coalton-prelude", ":cl"));
    assert!(told.iter().any(|one| one.contains("needs a list of bindings")), "{told:?}");
    // What gives on the language is known by its name, or is of the project.
    let facade = "(uiop:define-package :base (:use-reexport :cl))\n(defpackage :shop (:use :base))\n(in-package :shop)\n(let c = 1)\n";
    assert!(!errors(Dialect::CommonLisp, facade).is_empty());
    is_silent(Dialect::CommonLisp, &facade.replace("-reexport :cl", " :cl"));
}

#[test]
fn a_step_gets_what_the_steps_before_give() {
    let text = ";;; a.el -*- lexical-binding: t -*-\n(defun a-put (p)\n  (thread-first p (process-plist) (plist-put 'a 1)\n    \
        (thread-last (set-process-plist p))))\n(provide 'a)\n";
    is_silent(Dialect::EmacsLisp, text);
}

#[test]
fn patterns_bind_the_names_of_their_keys() {
    let text = ";;; a.el -*- lexical-binding: t -*-\n(require 'map)\n(pcase-defmacro a-part (name &rest keys) (list name keys))\n\
        (defun a-f (x)\n  (pcase x\n    ((map :items 'other ('third it) :last) (list items other it last))\n    \
        ((a-part thing :alpha) (list alpha thing))))\n(provide 'a)\n";
    is_silent(Dialect::EmacsLisp, text);
}

#[test]
fn what_loads_a_test_may_have_loaded_its_language() {
    let text =
        ";;; steps.el -*- lexical-binding: t -*-\n(Given \"^a$\" (lambda () 1))\n(describe \"a\" (lambda () 1))\n";
    is_silent(Dialect::EmacsLisp, text);
    assert_eq!(errors(Dialect::EmacsLisp, &format!("{text}(provide 'steps)\n")).len(), 2);
    // A file of the project loads a feature that is not known.
    let others = [("shop-help.el", ";;; shop-help.el\n(require 'elsewhere)\n(provide 'shop-help)\n")];
    let text =
        ";;; steps.el -*- lexical-binding: t -*-\n(require 'shop-help)\n(defun f () (describe 1))\n(provide 'steps)\n";
    let told = found_beside(&others, Dialect::EmacsLisp, "steps.el", text, &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
}

#[test]
fn text_in_data_of_a_macro_is_no_control_string() {
    let text = ";;; a.el -*- lexical-binding: t -*-\n(defmacro a-define (name &rest parts) (a-made name parts))\n\
        (a-define go :patterns ((error line-start (message \"can't load \" (one-or-more digit)) line-end)))\n(provide 'a)\n";
    is_silent(Dialect::EmacsLisp, text);
}

#[test]
fn a_library_with_a_file_for_each_implementation_gives_out_what_one_of_them_does() {
    let others = [
        ("compat.guile.sls", "(library (shop compat) (export chmod) (import (rnrs) (guile)))\n"),
        ("compat.loko.sls", "(library (shop compat) (export (rename (set-file-mode chmod))) (import (rnrs) (loko)))\n"),
    ];
    let text = "(library (shop use) (export f)\n  (import (rnrs) (only (shop compat) chmod))\n  \
        (define (f x) (chmod x (buffer-mode block) (endianness little))))\n";
    let told = found_beside(&others, Dialect::Scheme, "use.sls", text, &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
}

#[test]
fn a_name_in_a_branch_of_the_reader_is_defined() {
    let text = "(ns shop.core (:refer-clojure :exclude [seqable?]))\n\
        (defn #?@(:clj [^Boolean seqable?] :cljs [^boolean seqable?]) [x] (coll? x))\n(defn f [x] (seqable? x))\n";
    let others = [("core.cljc", text)];
    let uses = "(ns shop.use (:require [shop.core :as core]))\n(defn f [x] (core/seqable? x))\n";
    let told = found_beside(&others, Dialect::Clojure, "use.cljc", uses, &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
    assert_eq!(shown(found_in(Dialect::Clojure, "core.cljc", text, &rules::defaults())), [""; 0]);
}

#[test]
fn a_step_on_one_platform_gets_the_value() {
    let text = "(ns shop.core)\n(defmacro traced [on? body] (list 'when on? body))\n\
        (defn f [x on?] (->> (inc x) #?(:clj (traced on?)) #?@(:cljs [(traced on?)])))\n";
    assert_eq!(shown(found_in(Dialect::Clojure, "core.cljc", text, &rules::defaults())), [""; 0]);
}

#[test]
fn a_value_that_goes_to_an_unknown_step_may_be_data() {
    let text = "(ns shop.core (:require [other.lib :refer [->session]]))\n\
        (def session (-> {:get (fn [] (let [entity 1 :accumulator (all)] entity))} ->session))\n";
    is_silent(Dialect::Clojure, text);
}

#[test]
fn code_under_a_condition_that_never_holds_is_not_compiled() {
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun sell (x) x)\n\
        (defun f (x) (list x #+(or) (sell 1 2) #+ (or) (progn (sell))))\n#+nil\n(defun g () (sell))\n";
    is_silent(Dialect::CommonLisp, text);
    assert_eq!(errors(Dialect::CommonLisp, &text.replace("#+nil", "#+sbcl")).len(), 1);
}

#[test]
fn clauses_of_a_macro_are_no_calls() {
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defmacro define-frame (name &rest clauses)\n  \
        `(progn ,name ,@(mapcar #'second clauses)))\n(defun display (a b) (list a b))\n\
        (define-frame shop (:panes (display :application :width 1)) (:top-level (display)))\n";
    is_silent(Dialect::CommonLisp, text);
}

#[test]
fn a_form_in_a_body_is_no_binding() {
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun parsed (args) args)\n\
        (defmacro define-way (name &rest args)\n  (multiple-value-bind (parameters body) (parsed args)\n    \
        (let ((all `(,@(copy-list parameters)))) `(defmethod ,name ,all ,@(cdr body)))))\n\
        (define-way f ((x integer) y)\n  (multiple-value-bind (length rest) (g x)\n    (let (pathname) (list length rest y pathname))))\n";
    is_silent(Dialect::CommonLisp, text);
}

#[test]
fn a_package_before_a_form_is_that_of_its_names() {
    let others = [("wm.lisp", "(defpackage :wm (:use :cl))\n(in-package :wm)\n(defun window-at (x) x)\n")];
    let text = "(defpackage :spy (:use :cl))\n(in-package :spy)\n(defun f (x) (list wm::(window-at 1) x))\n";
    let told = found_beside(&others, Dialect::CommonLisp, "spy.lisp", text, &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
}

#[test]
fn functions_of_other_places_have_blocks_and_uses() {
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n\
        (defun (cas cell) (old new cell) (when old (return-from cell new)) cell)\n\
        (defun f (at) (labels (((setf word-at) (value at) (list value at)) (fill-it () (setf (word-at at) 1))) (fill-it)))\n";
    is_silent(Dialect::CommonLisp, text);
}

#[test]
fn procedures_of_guile_with_clauses_take_what_each_of_them_takes() {
    let text = "(define-module (shop) #:use-module (scheme base))\n(define (f x)\n  (debug-options (debug-options))\n  (list (string->vector x 0 3) (dup 1 2)))\n";
    is_silent(Dialect::Scheme, text);
}

#[test]
fn a_package_with_several_declarations_is_one_of_them() {
    let one = "(defpackage :env (:use :cl) (:export #:fetch))\n(in-package :env)\n(defun fetch (name) name)\n";
    let others = [("one.lisp", one), ("two.lisp", "(defpackage :env (:use :cl :other) (:export #:fetch))\n")];
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun f (x) (env:fetch 1 2 x))\n";
    let rules = rules::defaults();
    assert_eq!(shown(found_beside(&others, Dialect::CommonLisp, "shop.lisp", text, &rules)), [""; 0]);
    assert_eq!(shown(found_beside(&others[..1], Dialect::CommonLisp, "shop.lisp", text, &rules)).len(), 1);
}

#[test]
fn lists_in_a_lambda_list_of_a_macro_are_patterns() {
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n\
        (defmacro early (&whole whole name (&rest supers) (&rest slots) &rest options &environment env)\n  \
        (list whole name supers slots options env))\n\
        (defmacro both (name &rest (first &optional (second first))) (list name first second))\n";
    is_silent(Dialect::CommonLisp, text);
}

#[test]
fn definers_make_names_from_short_ones_and_from_files() {
    let types = "(ns shop.types)\n(defmacro def-type [name fields] (made name fields))\n(def-type F [scope])\n(def-type c [x])\n";
    let sql = "(ns shop.sql (:require [hugsql.core :as hugsql]))\n(hugsql/def-db-fns \"shop.sql\")\n(defn f [db] (table-keys db))\n";
    let text =
        "(ns shop.use (:require [shop.types :as r]))\n(defn f [x] (list (r/F? x) (r/F-maker x) (r/c-maker x)))\n";
    let others = [("types.clj", types), ("sql.clj", sql)];
    assert_eq!(shown(found_beside(&others, Dialect::Clojure, "use.clj", text, &rules::defaults())), [""; 0]);
    assert_eq!(shown(found_in(Dialect::Clojure, "sql.clj", sql, &rules::defaults())), [""; 0]);
}

#[test]
fn a_pair_on_one_platform_is_a_test_and_its_step() {
    let text = "(ns shop.core)\n(defn f [x tag] (cond-> x #?@(:clj [tag (with-meta {:tag tag})]) true (assoc :a 1)))\n";
    assert_eq!(shown(found_in(Dialect::Clojure, "core.cljc", text, &rules::defaults())), [""; 0]);
}

#[test]
fn a_file_about_a_library_does_not_own_its_names() {
    let text =
        ";;; eshell.el -*- lexical-binding: t -*-\n;;;###autoload\n(defun eshell-more () (eshell-life-is-too-much))\n";
    let told = found_in(Dialect::EmacsLisp, "eshell.el", text, &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
    let printed = ";;; a.el -*- lexical-binding: t -*-\n(defmacro a-print (form &rest args) (a-made form args))\n\
        (defun a-f (x) (a-print (error \"No %s\") x))\n(provide 'a)\n";
    is_silent(Dialect::EmacsLisp, printed);
}

#[test]
fn a_macro_may_bind_the_function_that_it_is_not_given() {
    let text = |default: &str| {
        format!(
            "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun finish (cart) cart)\n\
             (defmacro with-cart ((add &key (end {default})) &body body) `(labels ((,add (x) x) (,end () 1)) ,@body))\n\
             (defun f () (with-cart (add) (add 1) (finish)))\n"
        )
    };
    is_silent(Dialect::CommonLisp, &text("'finish"));
    assert_eq!(errors(Dialect::CommonLisp, &text("'other")).len(), 1);
}

#[test]
fn all_symbols_are_in_a_variable() {
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun f () (do-all-symbols (one) (print one)))\n";
    is_silent(Dialect::CommonLisp, text);
}

#[test]
fn a_test_expects_the_error_of_its_call() {
    let text = "#lang racket/base\n(require rackunit)\n(define (price #:of item) item)\n\
        (check-exn exn:fail:contract? (lambda () (price)))\n";
    is_silent(Dialect::Racket, text);
}

#[test]
fn a_library_may_say_what_an_assertion_means() {
    let text = |needs: &str| {
        format!(
            "(ns shop.core-test (:require [clojure.test :refer [deftest is]] {needs}))\n\
             (deftest a (is (match? {{:a 1}} {{:a 1 :b 2}})))\n"
        )
    };
    is_silent(Dialect::Clojure, &text("[matcher-combinators.test]"));
    assert_eq!(errors(Dialect::Clojure, &text("[clojure.string :as str]")).len(), 1);
}

#[test]
fn a_slot_of_an_unknown_definer_can_be_called_like_a_function() {
    let text = "(defpackage :shop (:use :cl :other))\n(in-package :shop)\n(defmethod items ((shop null)) shop)\n\
        (define-class shop ()\n  ((items (make-hash-table) :documentation \"All items.\")))\n";
    is_silent(Dialect::CommonLisp, text);
}

#[test]
fn a_class_may_export_its_accessors() {
    let theme = |option: &str| {
        format!(
            "(defpackage :theme (:use :cl) (:import-from :other #:define-class))\n(in-package :theme)\n\
             (define-class theme () ((color-of \"red\" :type string)) ({option} t))\n"
        )
    };
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun f (x) (theme:color-of x))\n";
    let told = |option: &str| {
        let others = [("theme.lisp", theme(option))];
        let others: Vec<(&str, &str)> = others.iter().map(|(name, text)| (*name, text.as_str())).collect();
        shown(found_beside(&others, Dialect::CommonLisp, "shop.lisp", text, &rules::defaults()))
    };
    assert_eq!(told(":export-accessor-names-p"), [""; 0]);
    assert_eq!(told(":some-option").len(), 1);
}

#[test]
fn a_definer_may_export_what_it_defines() {
    let define = "(defpackage :base (:use :cl) (:export #:define-mode))\n(in-package :base)\n\
        (defmacro define-mode (name slots) `(progn (export ',(mapcar #'car slots)) (defstruct ,name ,@slots)))\n";
    let mode = "(defpackage :mode (:use :cl :base))\n(in-package :mode)\n(define-mode repeat ((interval 1)))\n";
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun f (x) (mode:interval x))\n";
    let others = [("base.lisp", define), ("mode.lisp", mode)];
    assert_eq!(shown(found_beside(&others, Dialect::CommonLisp, "shop.lisp", text, &rules::defaults())), [""; 0]);
    let silent = define.replace("(export ',(mapcar #'car slots))", "nil");
    let others = [("base.lisp", silent.as_str()), ("mode.lisp", mode)];
    assert_eq!(shown(found_beside(&others, Dialect::CommonLisp, "shop.lisp", text, &rules::defaults())).len(), 1);
}

#[test]
fn what_the_reader_makes_is_no_list_of_parameters() {
    let text = "(defpackage :shop (:use :cl))\n(in-package :shop)\n(defun ask #.(append '(&rest args) '(&key a b))\n  (list args a b))\n\
        (defun f () (ask :a 1 :b 2 :c 3))\n";
    is_silent(Dialect::CommonLisp, text);
}

#[test]
fn a_field_of_an_object_is_set_with_its_name_before_the_value() {
    let text = "(ns shop.view)\n(defn f [socket g] (set! socket -onopen g))\n";
    assert_eq!(shown(found_in(Dialect::Clojure, "view.cljs", text, &rules::defaults())), [""; 0]);
    let text = text.replace("-onopen", "onopen");
    assert!(!shown(found_in(Dialect::Clojure, "view.cljs", &text, &rules::defaults())).is_empty());
}

#[test]
fn a_namespace_has_a_type_of_its_own_on_each_host() {
    let script = "(ns shop.writer)\n(deftype Writer [text limit])\n";
    let text = "(ns shop.writer (:import [shop.made Writer]))\n(defn f [limit] (Writer. limit))\n";
    let others = [("writer.cljs", script)];
    assert_eq!(shown(found_beside(&others, Dialect::Clojure, "writer.clj", text, &rules::defaults())), [""; 0]);
}

#[test]
fn an_arity_may_have_other_parameters_on_each_host() {
    let text = "(ns shop.core)\n(defn pay\n  ([x] (pay x 1))\n  (#?(:clj [^long x y] :cljs [x y]) (list x y)))\n(defn f [] (pay 1 2))\n\
        (def both (fn ([x] x) (#?(:clj [^long x y] :cljs [x y]) (list x y))))\n(defn g [] (both 1 2))\n";
    assert_eq!(shown(found_in(Dialect::Clojure, "shop.cljc", text, &rules::defaults())), [""; 0]);
    let plain = text.replace("#?(:clj [^long x y] :cljs [x y])", "[x y z]");
    assert_eq!(shown(found_in(Dialect::Clojure, "shop.cljc", &plain, &rules::defaults())).len(), 3);
}

#[test]
fn a_name_of_a_module_that_is_not_required_is_no_slip() {
    let text =
        "#lang racket/base\n(require racket/list (except-in other-library flatten))\n(define (f s) (reset (rest s)))\n";
    is_silent(Dialect::Racket, text);
    assert_eq!(errors(Dialect::Racket, &text.replace("reset", "filtr-map")).len(), 1);
    is_silent(
        Dialect::Scheme,
        "(define-module (shop) #:use-module (other))\n(define (f s) (resets (reset s)))\n(define (resets x) x)\n",
    );
}

#[test]
fn each_file_of_a_namespace_of_one_name_has_what_it_asks_for() {
    let node = "(ns shop.runner)\n(defn run-tests [] 1)\n(run-tests)\n";
    let browser =
        "(ns shop.runner (:require [cljs.test :refer-macros [run-tests]]))\n(run-tests 'shop.core 'shop.till)\n";
    let others = [("node.cljs", node)];
    assert_eq!(shown(found_beside(&others, Dialect::Clojure, "runner.cljs", browser, &rules::defaults())), [""; 0]);
    let own = "(ns shop.runner)\n(defn run-tests [] 1)\n(run-tests 1)\n";
    assert_eq!(shown(found_in(Dialect::Clojure, "runner.cljs", own, &rules::defaults())).len(), 1);
}

#[test]
fn data_files_have_no_calls() {
    let told = found_in(Dialect::Racket, "words.rktd", "(abs and vector-ref)\n", &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
    assert!(!errors(Dialect::Racket, "#lang racket/base\n(abs 1 2)\n").is_empty());
}

#[test]
fn a_binding_of_several_values_binds_all_its_names() {
    let guile = "(define-module (a) #:use-module (srfi srfi-71) #:export (f))\n(define (f x)\n  \
                 (let ((lo len (values x 1)) ((values a . more) (values 1 2)))\n    (list lo len a more)))\n";
    let racket =
        "#lang racket/base\n(require srfi/71)\n(define (f x) (let ([lo len (values x 1)]) (list lo len)))\n(f 1)\n";
    for (dialect, text) in [(Dialect::Scheme, guile), (Dialect::Racket, racket)] {
        // A value of several cannot be left out.
        for text in [text.to_owned(), text.replace("list lo len", "list lo")] {
            assert_eq!(found(dialect, &text, &rules::defaults()).len(), 0, "{text}");
        }
        let one = text.replace("lo len (values x 1)", "len x").replace("list lo len", "list x");
        let told = found(dialect, &one, &rules::defaults());
        assert!(matches!(&told[..], [one] if one.message.contains("`len`")), "{told:?}");
    }
}

#[test]
fn a_name_of_another_space_of_bindings_is_no_name_of_code() {
    let forms = "#lang racket/base\n(provide (for-space deep (rename-out [thread chain])))\n(define (thread x) x)\n";
    let macros = "#lang racket/base\n(provide (rename-out [chain* chain]))\n(define (chain* x y z) (list x y z))\n";
    let both = "#lang racket/base\n(require \"forms.rkt\" \"macros.rkt\")\n\
                (provide (all-from-out \"forms.rkt\" \"macros.rkt\"))\n";
    let others = [("forms.rkt", forms), ("macros.rkt", macros), ("both.rkt", both)];
    let told = |text: &str| shown(found_beside(&others, Dialect::Racket, "shop.rkt", text, &rules::defaults()));
    assert_eq!(told("#lang racket/base\n(require \"both.rkt\")\n(chain 1 2 3)\n"), [""; 0]);
    assert_eq!(told("#lang racket/base\n(require \"both.rkt\")\n(chain 1)\n").len(), 1);
}

#[test]
fn what_makes_names_of_those_that_it_gives_out_may_give_out_any() {
    let plain =
        "#lang racket/base\n(provide (matching-identifiers-out #rx\"^@\" (combine-out @area)))\n(define (@area x) x)\n";
    let made = "#lang racket/base\n(require racket/provide (for-syntax racket/base))\n\
        (provide (filtered-out (lambda (name) (regexp-replace #rx\"^@\" name \"\")) (combine-out @area)))\n\
        (define (@area x) x)\n";
    let on = "#lang racket/base\n(require \"made.rkt\")\n(provide (all-from-out \"made.rkt\"))\n";
    let others = [("plain.rkt", plain), ("made.rkt", made), ("on.rkt", on)];
    let told = |module: &str| {
        let text = format!("#lang racket/base\n(require (only-in \"{module}\" area))\n(area 1)\n");
        shown(found_beside(&others, Dialect::Racket, "shop.rkt", &text, &rules::defaults()))
    };
    assert_eq!(told("made.rkt"), [""; 0]);
    assert_eq!(told("on.rkt"), [""; 0]);
    assert_eq!(told("plain.rkt"), ["undefined-name: module `plain.rkt` does not export `area`"]);
    let taken = "#lang racket/base\n(require racket/require (for-syntax racket/base)\n  \
        (filtered-in (lambda (name) (string-append name \"-of\")) \"parts.rkt\"))\n(list (area-of 1) (volume 2))\n";
    let parts = ("parts.rkt", "#lang racket/base\n(provide area)\n(define (area x) x)\n");
    assert_eq!(shown(found_beside(&[parts], Dialect::Racket, "shop.rkt", taken, &rules::defaults())), [""; 0]);
}

#[test]
fn a_word_of_clauses_may_be_exported() {
    let words = "#lang racket/base\n(provide => else _ (rename-out [else otherwise]))\n\
        (define => 1)\n(define else 2)\n(define _ 3)\n";
    let all = "#lang racket/base\n(provide (all-defined-out))\n(define => 1)\n(define else 2)\n(define _ 3)\n";
    for module in [words, all] {
        let text = "#lang racket/base\n(require (only-in \"words.rkt\" => else _)\n  \
            (rename-in \"words.rkt\" [=> implies]))\n(list => else implies)\n";
        let told = found_beside(&[("words.rkt", module)], Dialect::Racket, "shop.rkt", text, &rules::defaults());
        assert_eq!(shown(told), [""; 0]);
    }
    let words = "(define-module (words) #:export (=> else))\n(define => 1)\n(define else 2)\n";
    let text = "(define-module (shop) #:use-module ((words) #:select (=> else)))\n(define all (list => else))\n";
    let told = found_beside(&[("words.scm", words)], Dialect::Scheme, "shop.scm", text, &rules::defaults());
    assert_eq!(shown(told), [""; 0]);
}

#[test]
fn a_directory_called_like_a_collection_of_the_distribution_is_none() {
    let own = ("racket/syntax.rkt", "#lang racket/base\n(provide area)\n(define (area x) x)\n");
    let text = "#lang racket/base\n(require (only-in racket/syntax format-id) (only-in \"racket/syntax.rkt\" area))\n\
        (area format-id)\n";
    assert_eq!(shown(found_beside(&[own], Dialect::Racket, "shop.rkt", text, &rules::defaults())), [""; 0]);
    let info = ("info.rkt", "#lang info\n(define collection 'multi)\n");
    let told = found_beside(&[own, info], Dialect::Racket, "shop.rkt", text, &rules::defaults());
    assert_eq!(shown(told), ["undefined-name: module `racket/syntax` does not export `format-id`"]);
}

#[test]
fn a_check_has_a_pattern_after_its_value() {
    let text = "#lang racket\n(require rackunit)\n(define (parts x) x)\n\
        (check-match (parts '(1 2)) (list-rest first-part others) (= first-part 1))\n\
        (check-match (parts '(1 2)) (list-no-order 2 first-part))\n\
        (check-match (hash 'a 1) (hash-table ['a first-part]))\n";
    is_silent(Dialect::Racket, text);
}

#[test]
fn a_let_of_typed_racket_may_have_variables_of_types() {
    let text = "#lang typed/racket\n(define (f) (let #:forall (B) ([x : Integer 0]) x))\n\
        (define (g) (let loop #:forall (B) ([x : Integer 0]) : Integer (if (> x 3) x (loop (add1 x)))))\n";
    is_silent(Dialect::Racket, text);
}

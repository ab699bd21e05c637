//! The ways in which people and agents address a form, and the form that each address means.
#![allow(clippy::unwrap_used, missing_docs)]

mod words;

use lispwright_edit::{Edit, EditRefusal, FormOperation, Source, Target, edit, locate};
use lispwright_syntax::{Dialect, FormId};
use words::said;

fn find(source: &Source<'_>, name: &str) -> Result<FormId, EditRefusal> {
    locate(source, &Target { name: Some(name), ..Target::default() })
}

/// Each address of `table` means the form that begins with the text beside it; the label of every form is an address of
/// it.
#[track_caller]
fn check(dialect: Dialect, text: &str, table: &[(&str, &str)]) {
    let source = Source::read(text, dialect);
    assert_eq!(source.tree.diagnostics(), [], "the text balances");
    let begins = |id: FormId| &text[source.forms.get(id).span.start as usize..];
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(name, expected)| match find(&source, name) {
            Ok(id) if begins(id).starts_with(expected) => None,
            Ok(id) => Some(format!("{name}: {}", begins(id).lines().next().unwrap())),
            Err(refusal) => Some(format!("{name}: {refusal:?}")),
        })
        .collect();
    assert_eq!(wrong, [""; 0], "wrong: {} of {}", wrong.len(), table.len());
    for (id, form) in source.forms.iter() {
        let label = form.label(text);
        let found = match find(&source, &label) {
            Ok(found) => vec![found],
            Err(_) => (1..20).filter_map(|n| find(&source, &format!("{label}[{n}]")).ok()).collect(),
        };
        assert!(found.contains(&id), "{label} does not lead to {}", begins(id).lines().next().unwrap());
    }
}

/// The address means no form, and the refusal contains `says`.
#[track_caller]
fn refused(dialect: Dialect, text: &str, name: &str, says: &[&str]) {
    let answer = said(&find(&Source::read(text, dialect), name).expect_err(name));
    for part in says {
        assert!(answer.contains(part), "{name}: {answer}");
    }
}

const COMMON_LISP: &str = r#"
(defpackage #:bank (:use #:cl) (:nicknames #:bk) (:export #:account))
(in-package #:bank)
(declaim (optimize (speed 3)))
(declaim (ftype (function (t) t) balance))
(defvar *rate* 1)
(setf *rate* 2)
(setf (gethash :a *table*) 1 (gethash :b *table*) 2)
(setq *alpha* 1
      *beta* 2)
(defstruct point x (y 0))
(defstruct (vec (:conc-name v-) (:constructor mk-vec (x y)) (:copier nil) (:predicate vec?)) "Doc." x y)
(defclass account ()
  ((balance :initarg :balance :accessor balance)
   (owner :reader account-owner :writer set-owner)))
(define-condition broke (error) ((by :reader broke-by)))
(defgeneric area (shape)
  (:documentation "Area.")
  (:method ((s circle)) 1)
  (:method :around ((s square)) 2))
(defmethod print-object ((a account) stream) 1)
(defmethod print-object :after ((a account) stream) 2)
(defmethod print-object ((v vec) stream) 3)
(defun (setf limit) (new x) new)
(defun limit (x &key (by 1)) x)
(defun foo (x) x)
(declaim (inline foo))
(export 'foo)
(defun bar () 1)
(export '(bar baz))
(proclaim '(special *gamma*))
(define-alien-routine ("getpid" %getpid) int)
(defmacro with-foo ((x) &body body) body)
(deftype index () 'fixnum)
(defparameter *table* (make-hash-table))
(defsystem "bank/tests" :depends-on ())
(deftest "string test" (ok t))
(deftest adds (ok t))
(subtest "a suite" (ok t))
(eval-when (:compile-toplevel)
  (defun inner () 1)
  (setf *gamma* 1))
(let ((counter 0))
  (defun next () (incf counter)))
(add-hook 'start-hook #'foo)
(cffi:use-foreign-library libssl)
(push :bank *features*)
(define-modify-macro appendf (&rest args) append)
(defun |Mixed Case| () 1)
(defun util::helper () 1)
(provide :bank)
"#;

#[test]
fn common_lisp() {
    check(
        Dialect::CommonLisp,
        COMMON_LISP,
        &[
            ("bank", "(defpackage #:bank"),
            (":bank", "(defpackage #:bank"),
            ("\"BANK\"", "(defpackage #:bank"),
            ("bk", "(defpackage #:bank"),
            ("defpackage #:bank", "(defpackage #:bank"),
            ("defpackage bank", "(defpackage #:bank"),
            ("in-package :bank", "(in-package"),
            ("in-package bank", "(in-package"),
            ("in-package", "(in-package"),
            ("(in-package #:bank)", "(in-package"),
            ("declaim (optimize (speed 3))", "(declaim (optimize"),
            ("(declaim (inline foo))", "(declaim (inline"),
            ("*rate*", "(defvar *rate*"),
            ("defvar *rate*", "(defvar *rate*"),
            ("setf *rate*", "(setf *rate*"),
            ("(setf *rate* 2)", "(setf *rate*"),
            ("(setf *rate*", "(setf *rate*"),
            ("setf (gethash :a *table*)", "(setf (gethash"),
            ("(gethash :b *table*)", "(setf (gethash"),
            ("*alpha*", "(setq *alpha*"),
            ("*beta*", "(setq *alpha*"),
            ("setq *beta*", "(setq *alpha*"),
            ("setq", "(setq *alpha*"),
            ("point", "(defstruct point"),
            ("make-point", "(defstruct point"),
            ("copy-point", "(defstruct point"),
            ("point-p", "(defstruct point"),
            ("point-x", "(defstruct point"),
            ("point-y", "(defstruct point"),
            ("POINT-Y", "(defstruct point"),
            ("defstruct point", "(defstruct point"),
            ("(defstruct point x (y 0))", "(defstruct point"),
            ("vec", "(defstruct (vec"),
            ("mk-vec", "(defstruct (vec"),
            ("vec?", "(defstruct (vec"),
            ("v-x", "(defstruct (vec"),
            ("defstruct vec", "(defstruct (vec"),
            ("defstruct (vec", "(defstruct (vec"),
            ("(defstruct (vec ...) ...)", "(defstruct (vec"),
            ("account", "(defclass account"),
            ("balance", "(defclass account"),
            ("account-owner", "(defclass account"),
            ("set-owner", "(defclass account"),
            ("(defclass account ()", "(defclass account"),
            ("broke", "(define-condition"),
            ("broke-by", "(define-condition"),
            ("area", "(defgeneric area"),
            ("area (circle)", "(defgeneric area"),
            ("area :around (square)", "(defgeneric area"),
            ("area ((s circle))", "(defgeneric area"),
            ("print-object (account t)", "(defmethod print-object ((a account)"),
            ("defmethod print-object (account t)", "(defmethod print-object ((a account)"),
            ("defmethod print-object :after (account t)", "(defmethod print-object :after"),
            ("print-object :after", "(defmethod print-object :after"),
            ("(defmethod print-object :after ((a account) stream)", "(defmethod print-object :after"),
            ("(defmethod print-object ((v vec) stream) ...)", "(defmethod print-object ((v vec)"),
            ("cl:print-object (vec t)", "(defmethod print-object ((v vec)"),
            ("(setf limit)", "(defun (setf limit)"),
            ("setf limit", "(defun (setf limit)"),
            ("defun (setf limit)", "(defun (setf limit)"),
            ("#'(setf limit)", "(defun (setf limit)"),
            ("limit", "(defun limit"),
            ("(defun limit (x &key (by 1))", "(defun limit"),
            ("limit (x &key (by 1))", "(defun limit"),
            ("(defun limit (x &key by) x)", "(defun limit"),
            ("foo", "(defun foo"),
            ("FOO", "(defun foo"),
            ("defun foo", "(defun foo"),
            ("(defun foo (x)", "(defun foo"),
            ("(defun foo (x) ...)", "(defun foo"),
            ("#'foo", "(defun foo"),
            ("'foo", "(defun foo"),
            ("bank::foo", "(defun foo"),
            ("bank:foo", "(defun foo"),
            ("bk::foo", "(defun foo"),
            ("export 'foo", "(export 'foo"),
            ("export foo", "(export 'foo"),
            ("export '(bar baz)", "(export '(bar"),
            ("bar", "(defun bar"),
            ("proclaim '(special *gamma*)", "(proclaim"),
            ("getpid", "(define-alien-routine"),
            ("%getpid", "(define-alien-routine"),
            ("\"getpid\"", "(define-alien-routine"),
            ("with-foo", "(defmacro with-foo"),
            ("(defmacro with-foo ((x) &body body)", "(defmacro with-foo"),
            ("index", "(deftype index"),
            ("*table*", "(defparameter *table*"),
            ("bank/tests", "(defsystem"),
            ("defsystem bank/tests", "(defsystem"),
            ("string test", "(deftest \"string"),
            ("\"string test\"", "(deftest \"string"),
            ("deftest \"string test\"", "(deftest \"string"),
            ("deftest string test", "(deftest \"string"),
            ("adds", "(deftest adds"),
            ("a suite", "(subtest"),
            ("subtest \"a suite\"", "(subtest"),
            ("eval-when", "(eval-when"),
            ("eval-when (:compile-toplevel)", "(eval-when"),
            ("inner", "(defun inner"),
            ("let", "(let ((counter"),
            ("let ((counter 0))", "(let ((counter"),
            ("next", "(defun next"),
            ("add-hook 'start-hook", "(add-hook"),
            ("add-hook start-hook", "(add-hook"),
            ("use-foreign-library libssl", "(cffi:use-foreign-library"),
            ("cffi:use-foreign-library libssl", "(cffi:use-foreign-library"),
            ("push :bank", "(push :bank"),
            ("appendf", "(define-modify-macro"),
            ("|Mixed Case|", "(defun |Mixed"),
            ("defun |Mixed Case|", "(defun |Mixed"),
            ("util::helper", "(defun util::helper"),
            ("helper", "(defun util::helper"),
            ("provide :bank", "(provide"),
        ],
    );
}

#[test]
fn a_missing_form_is_refused_with_similar_ones() {
    let lisp = |name: &str, says: &[&str]| refused(Dialect::CommonLisp, COMMON_LISP, name, says);
    lisp("cl-user::foo", &["Forms of that name", "(defun foo (x) x)"]);
    lisp("print-object (stream t)", &["(defmethod print-object ((v vec) stream) 3)"]);
    lisp("print-objekt (account t)", &["print-object (account t)", "print-object :after (account t)"]);
    lisp("defmethod print-object", &["3 forms fit"]);
    lisp("fooo", &["foo", "setq foo", "`line`"]);
    lisp("ad-hook 'start-hook", &["add-hook 'start-hook"]);
    lisp("*gamma", &["`line`"]);
    lisp("defmacro foo", &["no form"]);
}

const SCHEME: &str = r#"
(define-module (my mod) #:export (pub))
(use-modules (ice-9 match))
(define-record-type <account> (make-account owner) account? (owner account-owner set-account-owner!))
(define-public (pub x) x)
(define (area r) r)
(define ((adder a) b) b)
(define pi 3)
(set! pi 4)
(define-values (one two) (values 1 2))
(define-class <shape> () (color #:accessor shape-color) (size #:getter shape-size #:setter set-shape-size!))
(define-method (area (c <circle>)) 1)
(define-method (draw (c <circle>) port) 1)
(define-syntax-rule (swap! a b) a)
(define-syntax while (syntax-rules ()))
(test-begin "suite")
(test-equal "adds" 3 (+ 1 2))
(test-group "more"
  (test-equal "inner" 3 4)
  (test-equal "six" (f 6))
  (test-assert #t))
(test-end "suite")
(let loop ((i 0)) (loop (+ i 1)))
(define |a b| 1)
(display "hello")
(hash-set! table 'x 1)
(for-each display '(1 2))
(export one)
"#;

#[test]
fn scheme() {
    check(
        Dialect::Scheme,
        SCHEME,
        &[
            ("(my mod)", "(define-module"),
            ("my mod", "(define-module"),
            ("define-module (my mod)", "(define-module"),
            ("use-modules (ice-9 match)", "(use-modules"),
            ("<account>", "(define-record-type"),
            ("make-account", "(define-record-type"),
            ("account?", "(define-record-type"),
            ("account-owner", "(define-record-type"),
            ("set-account-owner!", "(define-record-type"),
            ("define-record-type <account>", "(define-record-type"),
            ("pub", "(define-public"),
            ("define-public pub", "(define-public"),
            ("define pub", "(define-public"),
            ("(define-public (pub x)", "(define-public"),
            ("(define (pub x)", "(define-public"),
            ("(define (area r)", "(define (area"),
            ("define area", "(define (area"),
            ("define (area r)", "(define (area"),
            ("(area r)", "(define (area"),
            ("adder", "(define ((adder"),
            ("(define ((adder a) b)", "(define ((adder"),
            ("pi", "(define pi"),
            ("define pi", "(define pi"),
            ("set! pi", "(set! pi"),
            ("(set! pi 4)", "(set! pi"),
            ("one", "(define-values"),
            ("two", "(define-values"),
            ("define-values (one two)", "(define-values"),
            ("<shape>", "(define-class"),
            ("shape-color", "(define-class"),
            ("shape-size", "(define-class"),
            ("set-shape-size!", "(define-class"),
            ("area (<circle>)", "(define-method (area"),
            ("define-method area (<circle>)", "(define-method (area"),
            ("define-method (area (c <circle>))", "(define-method (area"),
            ("(define-method (area (c <circle>)) 1)", "(define-method (area"),
            ("draw", "(define-method (draw"),
            ("draw (<circle> <top>)", "(define-method (draw"),
            ("swap!", "(define-syntax-rule"),
            ("(define-syntax-rule (swap! a b)", "(define-syntax-rule"),
            ("while", "(define-syntax while"),
            ("test-equal \"adds\"", "(test-equal \"adds\""),
            ("adds", "(test-equal \"adds\""),
            ("\"adds\"", "(test-equal \"adds\""),
            ("more", "(test-group"),
            ("inner", "(test-equal \"inner\""),
            ("test-equal \"six\"", "(test-equal \"six\""),
            ("test-assert", "(test-assert"),
            ("test-begin \"suite\"", "(test-begin"),
            ("test-end suite", "(test-end"),
            ("let loop", "(let loop"),
            ("let", "(let loop"),
            ("display \"hello\"", "(display"),
            ("hash-set! table", "(hash-set!"),
            ("hash-set! table 'x", "(hash-set!"),
            ("for-each", "(for-each"),
            ("export one", "(export"),
        ],
    );
    let structures = "(define-record-type point (fields x (mutable y) (immutable z point-zed)))\n\
                      (define-record-type (line mk-line line-p) (fields a))\n(struct shape (color [size #:mutable]))\n";
    check(
        Dialect::Scheme,
        structures,
        &[
            ("point-x", "(define-record-type point"),
            ("make-point", "(define-record-type point"),
            ("point?", "(define-record-type point"),
            ("point-y-set!", "(define-record-type point"),
            ("point-zed", "(define-record-type point"),
            ("line", "(define-record-type (line"),
            ("mk-line", "(define-record-type (line"),
            ("line-a", "(define-record-type (line"),
            ("shape-color", "(struct"),
            ("set-shape-size!", "(struct"),
            ("shape?", "(struct"),
        ],
    );
}

#[test]
fn scheme_whose_bars_quote() {
    for head in ["#lang racket\n", "#!r7rs\n", "(import (chezscheme))\n"] {
        let text = format!("{head}(define |a b| 1)\n(define (|x(y| z) z)\n");
        let expected =
            [("|a b|", "(define |a"), ("a b", "(define |a"), ("|x(y|", "(define (|x("), ("define |a b|", "(define |a")];
        check(Dialect::Scheme, &text, &expected);
    }
    let library = "(define-library (lib)\n  (begin\n    (define |a b| 1)))\n";
    check(
        Dialect::Scheme,
        library,
        &[("|a b|", "(define |a"), ("lib", "(define-library"), ("(lib)", "(define-library")],
    );
}

const CLOJURE: &str = r#"
(ns my.app (:require [clojure.string :as str]))
(declare total)
(s/fdef total :args any?)
(defn total "Sum." [xs] (reduce + xs))
(defn- hidden ([x] x) ([x y] y))
(def ^:private rate 1)
(defonce state (atom {}))
(defmulti area :kind)
(defmethod area :circle [c] 1)
(defmethod area [:a 1] [c] 2)
(defmethod area :default [c] 3)
(defprotocol Shape (perimeter [this]) (edges [this]))
(defrecord Circle [r] Drawable (draw [this] 1))
(defrecord Square [a] Drawable (render [this] 2))
(extend-protocol Shape Circle (edges [c] 0))
(extend-type Square Shape (edges [s] 4))
(deftype Box [x])
(rf/reg-event-db :add (fn [db] db))
(rf/reg-sub :items (fn [db] db))
(deftest adds (is (= 1 1)))
(describe "maths"
  (it "adds" 1))
(comment (total [1]))
(set! *warn-on-reflection* true)
(alter-var-root #'rate inc)
(s/def ::name string?)
(println "hello")
(let [x 1] (defn inside [] x))
#?(:clj (defn jvm [] 1) :cljs (defn js [] 2))
"#;

#[test]
fn clojure() {
    check(
        Dialect::Clojure,
        CLOJURE,
        &[
            ("my.app", "(ns"),
            ("ns my.app", "(ns"),
            ("total", "(defn total"),
            ("my.app/total", "(defn total"),
            ("#'total", "(defn total"),
            ("defn total", "(defn total"),
            ("(defn total [xs]", "(defn total"),
            ("(defn total \"Sum.\" [xs] ...)", "(defn total"),
            ("declare total", "(declare"),
            ("s/fdef total", "(s/fdef"),
            ("fdef total", "(s/fdef"),
            ("hidden", "(defn- hidden"),
            ("defn- hidden", "(defn- hidden"),
            ("defn hidden", "(defn- hidden"),
            ("rate", "(def ^:private rate"),
            ("def rate", "(def ^:private rate"),
            ("state", "(defonce"),
            ("defmulti area", "(defmulti"),
            ("area :circle", "(defmethod area :circle"),
            ("defmethod area :circle", "(defmethod area :circle"),
            ("area [:a 1]", "(defmethod area [:a"),
            ("(defmethod area [:a 1] [c] 2)", "(defmethod area [:a"),
            ("(defmethod area :default [c] ...)", "(defmethod area :default"),
            ("Shape", "(defprotocol"),
            ("defprotocol Shape", "(defprotocol"),
            ("perimeter", "(defprotocol"),
            ("edges", "(defprotocol"),
            ("Circle", "(defrecord Circle"),
            ("->Circle", "(defrecord Circle"),
            ("map->Circle", "(defrecord Circle"),
            ("draw", "(defrecord Circle"),
            ("defrecord Square", "(defrecord Square"),
            ("extend-protocol Shape", "(extend-protocol"),
            ("extend-type Square", "(extend-type"),
            ("extend-type Square Shape", "(extend-type"),
            ("->Box", "(deftype"),
            ("rf/reg-event-db :add", "(rf/reg-event-db"),
            ("reg-event-db :add", "(rf/reg-event-db"),
            (":items", "(rf/reg-sub"),
            ("(rf/reg-sub :items", "(rf/reg-sub"),
            ("deftest adds", "(deftest adds"),
            ("describe \"maths\"", "(describe"),
            ("maths", "(describe"),
            ("it \"adds\"", "(it \"adds\""),
            ("comment", "(comment"),
            ("set! *warn-on-reflection*", "(set!"),
            ("*warn-on-reflection*", "(set!"),
            ("alter-var-root #'rate", "(alter-var-root"),
            ("alter-var-root rate", "(alter-var-root"),
            ("::name", "(s/def"),
            ("s/def ::name", "(s/def"),
            ("println \"hello\"", "(println"),
            ("inside", "(defn inside"),
            ("jvm", "(defn jvm"),
            ("js", "(defn js"),
        ],
    );
    refused(Dialect::Clojure, CLOJURE, "area", &["4 forms fit"]);
    refused(Dialect::Clojure, CLOJURE, "area :square", &["(defmethod area :circle [c] 1)"]);
}

const EMACS_LISP: &str = r#"
(require 'cl-lib)
(defvar other)
(defgroup foo nil "Foo." :group 'tools)
(defcustom foo-width 80 "Width." :type 'integer)
(defvar foo-map (make-sparse-keymap))
(define-key foo-map (kbd "C-c a") #'foo-add)
(define-key foo-map (kbd "C-c b") #'foo-bar)
(evil-define-key 'normal foo-map "q" #'quit)
(define-minor-mode foo-mode "Doc." :lighter " F")
(define-derived-mode bar-mode prog-mode "Bar" "Doc.")
(put 'foo-mode 'safe t)
(put 'foo-add 'interactive-only t)
(defun foo-add () (interactive) 1)
(declare-function foo-bar "bar" ())
(autoload 'foo-later "later")
(defun foo-bar () 2)
(cl-defstruct foo-point x (y 0))
(cl-defstruct (foo-vec (:conc-name foo-v-) (:constructor foo-mk)) x)
(defclass foo-thing () ((name :initarg :name :accessor foo-thing-name)))
(cl-defmethod foo-draw ((x foo-point) port) 1)
(cl-defmethod foo-draw :around ((x foo-point) port) 2)
(setq foo-a 1
      foo-b 2)
(setq-default indent-tabs-mode nil)
(add-hook 'foo-hook #'foo-add)
(add-to-list 'load-path "x")
(global-set-key (kbd "C-c f") #'foo-add)
(use-package magit :ensure t)
(with-eval-after-load 'org
  (defun foo-org () 1))
(defhydra hydra-zoom (global-map "<f2>") "zoom")
(ert-deftest foo-adds () (should t))
(describe "A suite"
  (it "adds" (expect 1)))
(defalias 'foo-alias #'foo-add)
(eval-after-load "x" '(message "y"))
(defadvice foo-add (around a) 1)
(custom-set-variables '(a 1))
(provide 'foo)
"#;

#[test]
fn emacs_lisp() {
    check(
        Dialect::EmacsLisp,
        EMACS_LISP,
        &[
            ("require 'cl-lib", "(require"),
            ("require cl-lib", "(require"),
            ("cl-lib", "(require"),
            ("other", "(defvar other"),
            ("foo", "(defgroup foo"),
            ("foo-width", "(defcustom"),
            ("defcustom foo-width", "(defcustom"),
            ("foo-map", "(defvar foo-map"),
            ("define-key foo-map (kbd \"C-c a\")", "(define-key foo-map (kbd \"C-c a"),
            ("(define-key foo-map (kbd \"C-c b\") #'foo-bar)", "(define-key foo-map (kbd \"C-c b"),
            ("evil-define-key 'normal", "(evil-define-key"),
            ("evil-define-key", "(evil-define-key"),
            ("foo-mode", "(define-minor-mode"),
            ("foo-mode-hook", "(define-minor-mode"),
            ("bar-mode", "(define-derived-mode"),
            ("bar-mode-map", "(define-derived-mode"),
            ("bar-mode-syntax-table", "(define-derived-mode"),
            ("put 'foo-mode", "(put 'foo-mode"),
            ("put 'foo-mode 'safe", "(put 'foo-mode"),
            ("declare-function foo-bar", "(declare-function"),
            ("autoload 'foo-later", "(autoload"),
            ("foo-later", "(autoload"),
            ("foo-bar", "(defun foo-bar"),
            ("foo-point", "(cl-defstruct foo-point"),
            ("make-foo-point", "(cl-defstruct foo-point"),
            ("foo-point-x", "(cl-defstruct foo-point"),
            ("foo-point-p", "(cl-defstruct foo-point"),
            ("copy-foo-point", "(cl-defstruct foo-point"),
            ("foo-mk", "(cl-defstruct (foo-vec"),
            ("foo-v-x", "(cl-defstruct (foo-vec"),
            ("foo-thing-name", "(defclass"),
            ("foo-draw (foo-point t)", "(cl-defmethod foo-draw ((x"),
            ("cl-defmethod foo-draw :around (foo-point t)", "(cl-defmethod foo-draw :around"),
            ("(cl-defmethod foo-draw :around ((x foo-point) port)", "(cl-defmethod foo-draw :around"),
            ("foo-a", "(setq foo-a"),
            ("foo-b", "(setq foo-a"),
            ("setq foo-a", "(setq foo-a"),
            ("setq foo-b", "(setq foo-a"),
            ("setq-default indent-tabs-mode", "(setq-default"),
            ("add-hook 'foo-hook", "(add-hook"),
            ("add-hook foo-hook", "(add-hook"),
            ("(add-hook 'foo-hook", "(add-hook"),
            ("add-to-list 'load-path", "(add-to-list"),
            ("global-set-key (kbd \"C-c f\")", "(global-set-key"),
            ("magit", "(use-package"),
            ("use-package magit", "(use-package"),
            ("with-eval-after-load 'org", "(with-eval-after-load"),
            ("foo-org", "(defun foo-org"),
            ("hydra-zoom/body", "(defhydra"),
            ("foo-adds", "(ert-deftest"),
            ("A suite", "(describe"),
            ("describe \"A suite\"", "(describe"),
            ("it \"adds\"", "(it \"adds\""),
            ("adds", "(it \"adds\""),
            ("foo-alias", "(defalias"),
            ("defalias 'foo-alias", "(defalias"),
            ("eval-after-load \"x\"", "(eval-after-load"),
            ("custom-set-variables", "(custom-set-variables"),
            ("provide 'foo", "(provide"),
            ("(provide 'foo)", "(provide"),
        ],
    );
    refused(Dialect::EmacsLisp, EMACS_LISP, "foo-draw", &["2 forms fit"]);
    refused(Dialect::EmacsLisp, EMACS_LISP, "foo-add", &["2 forms fit", "defadvice"]);
}

#[test]
fn a_form_that_only_makes_or_mentions_a_name_is_not_replaced() {
    let text = "(defstruct point x y)\n(export 'area)\n(setq width 1)\n";
    let source = Source::read(text, Dialect::CommonLisp);
    let change = |operation, name, content| {
        let target = Target { name: Some(name), ..Target::default() };
        edit(&source, &Edit { operation, target, content, digest: None, repair: false }).map(|edited| edited.text)
    };
    for (name, content) in
        [("point-x", "(defun point-x (p) p)"), ("area", "(defun area (r) r)"), ("width", "(defvar width 2)")]
    {
        let refusal = change(FormOperation::Replace, name, Some(content)).unwrap_err();
        assert!(matches!(&refusal, EditRefusal::OnlyMentioned { .. }), "{refusal:?}");
        assert!(matches!(change(FormOperation::Delete, name, None), Err(EditRefusal::OnlyMentioned { .. })));
    }
    assert!(
        change(FormOperation::Replace, "point-x", Some("(defstruct point x)"))
            .unwrap()
            .starts_with("(defstruct point x)\n")
    );
    assert!(
        change(FormOperation::Replace, "setq width", Some("(defvar width 2)")).unwrap().ends_with("(defvar width 2)\n")
    );
    assert_eq!(change(FormOperation::Delete, "export area", None).unwrap(), "(defstruct point x y)\n(setq width 1)\n");
}

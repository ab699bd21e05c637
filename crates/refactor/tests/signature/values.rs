//! Calls in the places of values of every form that binds names, or has clauses: all of them follow.

use super::changed;

const COMMON_LISP: &str = r#"(defun pay (s) s)
(defun run (s)
  (dolist (x (pay s)) (print x))
  (dotimes (x (pay s) (pay s)) (print x))
  (do ((i (pay s) (pay i))) ((pay i) (pay s)) (pay i))
  (with-open-file (f (pay s)) f)
  (destructuring-bind (a) (pay s) a)
  (multiple-value-bind (a) (pay s) a)
  (prog ((x (pay s))) (pay x))
  (with-slots (a) (pay s) a)
  (handler-case (pay s) (error () (pay s)))
  (handler-bind ((error (pay s))) (pay s))
  (print-unreadable-object (s (pay s)) (pay s))
  (with-output-to-string (o (pay s)) (pay s))
  (cond ((pay s) (pay s)) ((pay s)))
  (let ((x (pay s)) (y)) (pay x))
  (let* ((x (pay s))) (pay x))
  (flet ((f (&optional (a (pay s))) (pay a))) (f))
  (lambda (&key (a (pay s))) (pay a))
  (loop for x in (pay s) collect (pay x))
  (with-hash-table-iterator (n (pay s)) (n))
  (do-symbols (x (pay s)) x)
  (multiple-value-setq (a b) (pay s))
  (setf (car (pay s)) (pay s))
  (symbol-macrolet ((z (pay s))) z)
  (typecase (pay s) (list (pay s)))
  (restart-case (pay s) (go-on () (pay s)))
  (unwind-protect (pay s) (pay s))
  (progv (pay s) (pay s) (pay s))
  (with-accessors ((a b)) (pay s) a)
  (defstruct foo (bar (pay s)))
  (defclass foo2 () ((bar :initform (pay s))))
  (the list (pay s)) (check-type s list) (assert (pay s) (s) "x" (pay s))
  (when-let (x (pay s)) x) (when-let ((x (pay s))) x))
"#;

const EMACS_LISP: &str = r#";;; -*- lexical-binding: t -*-
(defun pay (s) s)
(defun run (s)
  (dolist (x (pay s)) (print x))
  (dotimes (x (pay s) (pay s)) (print x))
  (let ((x (pay s)) (y)) (pay x))
  (let* ((x (pay s))) (pay x))
  (if-let (x (pay s)) (pay x) (pay s))
  (if-let ((x (pay s)) ((pay s))) (pay x) (pay s))
  (when-let* ((x (pay s)) (y (pay x))) (pay x))
  (while-let ((x (pay s))) (pay x))
  (pcase-let ((`(,a) (pay s))) a)
  (pcase-let* ((`(,a) (pay s))) a)
  (pcase-dolist (`(,a) (pay s)) a)
  (pcase-setq `(,a) (pay s))
  (cl-loop for x in (pay s) collect (pay x))
  (cl-flet ((f (a) (pay a)) (g (pay s))) (f 1))
  (cl-labels ((f (a) (pay a))) (f 1))
  (cl-letf (((car (pay s)) (pay s))) (pay s))
  (cl-destructuring-bind (a) (pay s) a)
  (seq-let (a) (pay s) a)
  (condition-case e (pay s) (error (pay s)))
  (cond ((pay s) (pay s)) ((pay s)))
  (named-let lp ((x (pay s))) (pay x))
  (cl-do ((i (pay s) (pay i))) ((pay i) (pay s)) (pay i))
  (macroexp-let2 nil x (pay s) (pay x))
  (dlet ((x (pay s))) (pay x))
  (letrec ((x (pay s))) (pay x))
  (map-let (a) (pay s) a)
  (setf (car (pay s)) (pay s))
  (cl-incf (car (pay s)) (pay s))
  (push (pay s) (car (pay s)))
  (save-excursion (pay s)) (with-current-buffer (pay s) (pay s))
  (dolist-with-progress-reporter (x (pay s)) "x" (pay x)))
"#;

const CLOJURE: &str = r#"(ns a)
(defn pay [s] s)
(defn run [s]
  (let [x (pay s) y (pay x)] (pay y))
  (loop [x (pay s)] (pay x))
  (doseq [x (pay s) :let [y (pay x)] :when (pay y)] (pay x))
  (for [x (pay s) :let [y (pay x)] :while (pay y)] (pay x))
  (if-let [x (pay s)] (pay x) (pay s))
  (when-let [x (pay s)] (pay x))
  (if-some [x (pay s)] (pay x))
  (when-first [x (pay s)] (pay x))
  (dotimes [i (pay s)] (pay i))
  (binding [*out* (pay s)] (pay s))
  (with-open [x (pay s)] (pay x))
  (with-redefs [inc (pay s)] (pay s))
  (cond (pay s) (pay s) :else (pay s))
  (condp = (pay s) (pay s) (pay s))
  (try (pay s) (catch Exception e (pay s)) (finally (pay s)))
  (fn [{:keys [a] :or {a (pay s)}}] (pay a))
  (letfn [(f [x] (pay x))] (pay s))
  (as-> (pay s) x (pay x))
  (reify Object (toString [_] (pay s)))
  (when-some [x (pay s)] (pay x))
  (locking (pay s) (pay s))
  #(pay %) @(pay s) [(pay s)] {(pay s) (pay s)} #{(pay s)}
  (set! *warn-on-reflection* (pay s)) (.foo (pay s) (pay s)) (Foo. (pay s))
  (doto (pay s) (prn (pay s))))
"#;

const SCHEME: &str = r#"(define-module (a))
(define (pay s) s)
(define (run s)
  (let loop ((x (pay s))) (pay x))
  (let ((x (pay s))) (pay x))
  (let* ((x (pay s)) (y (pay x))) (pay x))
  (letrec ((x (pay s))) (pay x))
  (let-values (((a b) (pay s))) (pay a))
  (let*-values (((a b) (pay s))) (pay a))
  (receive (a b) (pay s) (pay a))
  (do ((i (pay s) (pay i))) ((pay i) (pay s)) (pay i))
  (cond ((pay s) => (lambda (x) (pay x))) ((pay s)) (else (pay s)))
  (match-let (((a b) (pay s))) (pay a))
  (parameterize ((p (pay s))) (pay s))
  (guard (e ((pay e) (pay s))) (pay s))
  (and-let* ((x (pay s)) ((pay x))) (pay x))
  (define-values (a b) (pay s))
  (call-with-values (lambda () (pay s)) (lambda (a) (pay a)))
  (lambda* (a #:optional (b (pay s))) (pay b))
  (when (pay s) (pay s)) (unless (pay s) (pay s))
  (with-fluids ((f (pay s))) (pay s))
  (set! x (pay s)) `(a ,(pay s) ,@(pay s)) (delay (pay s)))
"#;

const RACKET: &str = r#"#lang racket
(define (pay s) s)
(define (run s)
  (let loop ([x (pay s)]) (pay x))
  (for ([x (pay s)] [y (pay s)] #:when (pay s)) (pay x))
  (for/list ([(a b) (pay s)]) (pay a))
  (for/fold ([acc (pay s)]) ([x (pay s)]) (pay x))
  (for*/hash ([x (pay s)]) (values (pay x) (pay s)))
  (let-values ([(a b) (pay s)]) (pay a))
  (let*-values ([(a b) (pay s)]) (pay a))
  (define-values (a b) (pay s))
  (match-let ([(list a b) (pay s)]) (pay a))
  (match-define (list a b) (pay s))
  (with-handlers ([exn? (lambda (e) (pay e))]) (pay s))
  (parameterize ([p (pay s)]) (pay s))
  (cond [(pay s) => (lambda (x) (pay x))] [(pay s)] [else (pay s)])
  (do ([i (pay s) (pay i)]) ((pay i) (pay s)) (pay i))
  (lambda (a [b (pay s)] #:k [c (pay s)]) (pay b))
  (let/ec k (pay s)) (begin0 (pay s) (pay s))
  (define/contract (f x) (-> any/c any/c) (pay x))
  (for/vector #:length (pay s) ([i (in-range (pay s))]) (pay i))
  (local [(define z (pay s))] (pay z))
  (if (pay s) (pay s) (pay s)) (set! s (pay s)))
"#;

/// All calls of `pay` get a second argument, and no place is left.
#[track_caller]
fn follows(path: &str, text: &str) {
    let list = if path.ends_with(".clj") { "[s n]" } else { "(s n)" };
    let found = changed(&format!("== {path}\n{text}"), &format!("pay {list} ; n=1"));
    let calls = text.matches("(pay ").count() - usize::from(text.contains("(define (pay "));
    assert!(found.ends_with(&format!("-- 1 definitions, 0 methods, {calls} calls\n")), "{calls}: {found}");
}

#[test]
fn every_value_is_a_call() {
    follows("a.lisp", COMMON_LISP);
    follows("a.el", EMACS_LISP);
    follows("a.clj", CLOJURE);
    follows("a.scm", SCHEME);
    follows("a.rkt", RACKET);
}

//! Renames of slots and fields. Each place that must change is marked as `«old»`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{refused, renamed};
use lispwright_refactor::MentionKind;

/// Renames the slot `class.balance` to `amount`; the marked places change.
#[track_caller]
fn check(project: &str, class: &str) {
    check_with(project, class, &[]);
}

/// The project without its marks, and with the marked places changed.
fn marked(project: &str) -> (String, String) {
    let changed = project
        .split(['«', '»'])
        .enumerate()
        .map(|(at, part)| if at % 2 == 1 { part.replace("balance", "amount") } else { part.to_owned() })
        .collect();
    (plain(project), changed)
}

/// The project without its marks.
fn plain(project: &str) -> String {
    project.replace(['«', '»'], "")
}

#[track_caller]
fn check_with(project: &str, class: &str, also: &[MentionKind]) {
    let (plain, expected) = marked(project);
    let (done, found) = renamed(&plain, &format!("{class}.balance"), "amount", also);
    assert_eq!(found, expected, "{done:?}");
}

const BANK: &str = "== bank.lisp
(defpackage :bank (:use :cl) (:export #:account #:account-balance))
(in-package :bank)
(defclass account () ((«balance» :initarg :balance :accessor account-balance) (owner :initform nil)))
(defclass savings (account) ((«balance» :initform 0) rate))
(defmethod pay ((a account) n) (incf (slot-value a '«balance») n))
(defmethod pay :after ((s savings) n) (setf (slot-value s '«balance») (round (slot-value s '«balance»))))
(defun balance (x) x)
(defun make (n) (let ((balance n)) (make-instance 'account :balance (balance balance))))
(defun total (l) (loop for a in l sum (account-balance a)))
";

/// `#S(account :balance 1)` is read as the constructor makes one.
#[test]
fn a_literal_of_a_structure_names_its_slots() {
    let code = "== a.lisp\n(defstruct account «balance» owner)\n(defstruct other balance)\n\
        (defun f () (list #S(account :«balance» 1 :owner :balance) #s(other :balance 2)))\n";
    check(code, "account");
}

#[test]
fn a_slot_of_clos_changes_in_its_classes_and_where_it_is_named() {
    check(BANK, "account");
    check(BANK, "bank:savings");
    let with_keywords = BANK.replace(":balance", ":«balance»");
    check_with(&with_keywords, "account", &[MentionKind::Keyword]);
    let (done, _) = renamed(&BANK.replace(['«', '»'], ""), "account.balance", "amount", &[]);
    assert_eq!(done.unwrap().kept, ["account-balance"]);
}

#[test]
fn with_slots_keeps_its_variable() {
    let project = "== a.lisp
(defclass account () (balance (owner)))
(defun f (a) (with-slots (balance (o owner)) a (setf balance (1+ balance)) o))
(defun g (a) (with-slots ((b balance)) a b))
";
    let expected = "== a.lisp
(defclass account () (amount (owner)))
(defun f (a) (with-slots ((balance amount) (o owner)) a (setf balance (1+ balance)) o))
(defun g (a) (with-slots ((b amount)) a b))
";
    let (done, found) = renamed(project, "account.balance", "amount", &[]);
    assert_eq!(found, expected, "{done:?}");
}

#[test]
fn slots_of_one_name_in_two_classes_are_told_apart_or_refused() {
    let project = "== a.lisp
(defclass account () («balance»))
(defclass scale () (balance))
(defmethod f ((a account)) (slot-value a '«balance»))
(defmethod f ((a scale)) (slot-value a 'balance))
(defmethod g ((l list)) (slot-value (make-instance 'account) '«balance»))
";
    check(project, "account");
    let project = "== a.lisp
(defclass account () (balance))
(defclass scale () (balance))
(defun f (a) (slot-value a 'balance))
(defun g (a) (mapcar (lambda (s) (slot-value a s)) '(balance owner)))
";
    refused(
        project,
        "account.balance",
        "amount",
        "cannot tell a.lisp:3:29, a.lisp:4:54: another class has such a slot",
    );
}

#[test]
fn reports_of_conditions_are_about_the_condition() {
    check(
        "== a.lisp
(define-condition account () ((«balance» :initarg :balance))
  (:report (lambda (c stream) (format stream \"~a\" (slot-value c '«balance»)))))
(define-condition scale () ((balance :initarg :balance))
  (:report (lambda (c stream) (format stream \"~a\" (slot-value c 'balance)))))
",
        "account",
    );
}

#[test]
fn data_that_may_name_the_slot_are_refused_or_changed() {
    let project = "== a.lisp
(defclass account () («balance»))
(defun g (a) (mapcar (lambda (s) (slot-value a s)) '(«balance» owner)))
";
    let plain = plain(project);
    refused(&plain, "account.balance", "amount", "cannot tell a.lisp:2:54: looked up by name");
    check_with(project, "account", &[MentionKind::Quoted]);
}

#[test]
fn a_new_name_that_a_class_of_the_family_has_is_refused() {
    refused(
        "== a.lisp
(defclass account () (balance))
(defclass savings (account) (amount))
",
        "savings.balance",
        "amount",
        "amount collides a.lisp:2:30: /AMOUNT",
    );
}

#[test]
fn a_slot_of_a_structure_changes_with_its_accessors_and_keywords() {
    check(
        "== a.lisp
(defpackage :bank (:use :cl) (:export #:account-«balance»))
(in-package :bank)
(defstruct (account (:constructor make-account) (:constructor new («balance» &optional owner)))
  («balance» 0 :type integer) owner)
(defstruct (savings (:include account («balance» 1)) (:conc-name s-)) rate)
(defun f (a s) (setf (account-«balance» a) (s-«balance» s)) (slot-value a '«balance»))
(defun g (balance) (list (make-account :«balance» balance) (make-savings :«balance» 1) (new balance)))
(defun h (plist) (getf plist :balance))
== b.lisp
(in-package :cl-user)
(mapcar #'bank:account-«balance» nil)
",
        "account",
    );
    refused(
        "== a.lisp
(defstruct account balance)
(defun f (&rest all) (apply #'make-account all))
(f :balance 1)
",
        "account.balance",
        "amount",
        "cannot tell a.lisp:3:5: keyword",
    );
}

#[test]
fn slots_of_emacs_lisp_change() {
    check(
        "== a.el
;; -*- lexical-binding: t -*-
(cl-defstruct account «balance» owner)
(defclass shop () ((balance :initarg :balance)))
(defun f (a) (cl-incf (account-«balance» a)) (cl-struct-slot-value 'account '«balance» a))
(defun g (a) (make-account :«balance» 1))
(cl-defmethod h ((s shop)) (oref s balance))
",
        "account",
    );
    check(
        "== a.el
;; -*- lexical-binding: t -*-
(defclass account () ((«balance» :initarg :balance :accessor account-balance)))
(defclass savings (account) ((«balance» :initform 3)))
(cl-defmethod f ((a account) n) (oset a «balance» (+ n (oref a «balance»))))
(cl-defmethod f ((a savings) n) (setf (slot-value a '«balance») n) (account-balance a))
(defun g () (account :balance 1))
",
        "account",
    );
}

#[test]
fn fields_of_records_of_scheme_change() {
    check(
        "== a.scm
(define-module (bank))
(define-record-type account
  (make-account «balance» owner) account?
  («balance» account-balance set-account-balance!) (owner account-owner))
(define (f balance) (make-account balance 1))
",
        "account",
    );
    check(
        "== a.scm
(define-module (bank) #:use-module (oop goops))
(define-class <account> () («balance» #:init-keyword #:balance #:accessor account-balance))
(define-method (pay (a <account>) n) (slot-set! a '«balance» (+ n (slot-ref a '«balance»))))
(define (f) (make <account> #:balance 1))
",
        "<account>",
    );
    check(
        "== a.sls
(library (bank) (export account-«balance») (import (rnrs))
  (define-record-type account (fields (mutable «balance»)) )
  (define (f a) (account-«balance»-set! a (account-«balance» a)) (make-account 1)))
",
        "account",
    );
}

#[test]
fn fields_of_structures_of_racket_change() {
    check(
        "== a.rkt
#lang racket/base
(require racket/match)
(provide (struct-out account))
(struct account («balance» [owner #:mutable]))
(define (f a) (struct-copy account a [«balance» (add1 (account-«balance» a))]))
(define (g a) (match a [(struct* account ([«balance» b])) b] [(account balance o) balance]))
",
        "account",
    );
}

#[test]
fn fields_of_structures_with_contracts_change() {
    check(
        "== a.rkt
#lang racket/base
(require racket/contract)
(provide (contract-out [struct account ([«balance» number?] [owner string?])]
                       [struct (saving account) ([«balance» number?] [owner string?] [rate number?])]
                       [struct twice ([«balance» number?] [owner string?] [balance number?])]
                       [struct other ([balance number?])]))
(provide/contract [struct account ([«balance» number?] [owner string?])])
(struct account («balance» owner))
(struct saving account (rate))
(define-struct (twice account) (balance))
(struct other (balance))
(define (f a) (list (account-«balance» a) (other-balance a)))
",
        "account",
    );
}

#[test]
fn fields_of_types_of_clojure_change() {
    check(
        "== a.clj
(ns bank)
(defprotocol P (pay [this n]))
(deftype Account [^:unsynchronized-mutable «balance» owner]
  P (pay [this n] (set! «balance» (+ n «balance»))))
(defn f [^Account a balance] (+ balance (.-«balance» a)))
(defn g [m] (:balance m))
",
        "Account",
    );
    refused(
        "== a.clj
(ns bank)
(defrecord Account [balance])
(defn g [m] (:balance m))
",
        "Account.balance",
        "amount",
        "cannot tell a.clj:3:15: keyword",
    );
}

#[test]
fn keywords_that_methods_take_and_maps_that_are_taken_apart_are_refused() {
    let project = "== a.lisp
(defclass account () ((balance :initarg :balance)))
(defmethod initialize-instance :after ((a account) &key (balance 1)) (print balance))
";
    let (_, found) = renamed(project, "account.balance", "amount", &[MentionKind::Keyword]);
    assert_eq!(found, "cannot tell a.lisp:2:58: keyword");
    let project = "== a.clj
(ns a)
(defrecord Account [balance])
(defn f [{:keys [balance]}] balance)
";
    let (_, found) = renamed(project, "Account.balance", "amount", &[MentionKind::Keyword]);
    assert_eq!(found, "cannot tell a.clj:3:18: form not understood");
    let (_, found) = renamed(project, ":balance", "amount", &[MentionKind::Keyword]);
    assert_eq!(found, "cannot tell a.clj:2:21: another class has such a slot");
}

/// Gives an accessor that is made from the name of a slot a new name; the marked places are the slot and its accessors.
#[track_caller]
fn check_accessor(project: &str, accessor: &str, new_name: &str) {
    let (plain, expected) = marked(project);
    let (done, found) = renamed(&plain, accessor, new_name, &[]);
    assert_eq!(found, expected, "{done:?}");
}

#[test]
fn an_accessor_changes_with_the_slot_that_makes_it() {
    let project = "== a.lisp
(defpackage :bank (:use :cl))
(in-package :bank)
(defstruct account «balance» owner)
(defun pay (a n) (incf («account-balance» a) n) (list #'«account-balance» (make-account :«balance» n)))
(defun balance (x) x)
";
    check_accessor(project, "account-balance", "account-amount");
    check_accessor(project, "bank:account-balance", "account-amount");
    refused(
        &plain(project),
        "account-balance",
        "amount",
        "derived from account.balance by defstruct account a.lisp:3:1",
    );
    refused(&plain(project), "make-account", "new-account", "derived from account by defstruct account a.lisp:3:1");
    let conc = "== a.lisp
(defstruct (account (:conc-name acc.)) «balance» owner)
(defun pay (a n) (setf («acc.balance» a) n))
";
    check_accessor(conc, "acc.balance", "acc.amount");
    let racket = "== a.rkt
#lang racket/base
(struct account (owner [«balance» #:mutable]))
(define (pay a n) («set-account-balance!» a (+ n («account-balance» a))))
";
    check_accessor(racket, "account-balance", "account-amount");
    check_accessor(racket, "set-account-balance!", "set-account-amount!");
    let emacs = "== a.el
(cl-defstruct account «balance» owner)
(defun pay (a n) (setf («account-balance» a) n))
";
    check_accessor(emacs, "account-balance", "account-amount");
}

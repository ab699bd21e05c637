//! Names in packages, modules and namespaces that are declared in unusual ways: every use is told, or may be one.
#![allow(clippy::unwrap_used)]

#[path = "common/ledger.rs"]
mod common;

use common::check;

#[test]
fn a_definer_that_takes_a_list_defines_its_first_name() {
    let text = "(defpackage :s (:use :cl :alexandria))
(in-package :s)
(defmacro defcmd (name args &body b)
  (let ((name (if (atom name) name (first name))))
    `(defun ,name ,args ,@b)))
(defcmd (split tile) (n) n)
(defun f () (split 2))
";
    check(&[("a.lisp", text)], "split", "a.lisp:7:14: call in defun f");
}

#[test]
fn an_imported_symbol_can_be_defined_where_it_is_imported() {
    let files = [
        (
            "core.lisp",
            "(uiop:define-package :shop/core (:use :cl :alexandria))\n(in-package :shop/core)\n(defun go () (price-key 1))\n",
        ),
        (
            "shop.lisp",
            "(uiop:define-package :shop (:use :cl) (:import-from :shop/core #:price-key))\n(in-package :shop)\n(defun price-key (k) k)\n(defun f () (price-key 2))\n",
        ),
    ];
    check(
        &files,
        "price-key",
        "core.lisp:3:15: call in defun go
         shop.lisp:1:64: export in uiop:define-package :shop
         shop.lisp:4:14: call in defun f",
    );
}

#[test]
fn a_package_that_a_macro_makes_may_have_other_names() {
    let files = [
        (
            "package.lisp",
            "(macrolet ((d () `(defpackage :lib-impl (:nicknames :lib) (:use :cl) (:export ,@'(#:hook))))) (d))\n",
        ),
        ("lib.lisp", "(in-package :lib)\n(defun hook (a b) (list a b))\n"),
        (
            "use.lisp",
            "(defpackage :lib-use (:use :cl :lib-impl))\n(in-package :lib-use)\n(defun twice (x) (list (hook x 1) (hook x 2)))\n",
        ),
    ];
    check(
        &files,
        "hook",
        "use.lisp:3:25: call in defun twice
         use.lisp:3:36: call in defun twice
         package.lisp:1:85: mention, keywords in (macrolet ...)",
    );
    // A package that nobody declares, by name or by nickname.
    let files = [
        ("lib.lisp", "(in-package :lib)\n(defun hook (a b) (list a b))\n"),
        (
            "use.lisp",
            "(defpackage :lib-use (:use :cl :lib-impl))\n(in-package :lib-use)\n(defun twice (x) (list (hook x 1) (lib-impl:hook x 2)))\n",
        ),
    ];
    check(
        &files,
        "hook",
        "use.lisp:3:25: possible, package not declared in defun twice
         use.lisp:3:36: possible, package not declared in defun twice",
    );
    // A library has its own names.
    let system = ("lib.asd", "(defsystem \"lib\" :depends-on (\"lib-impl\") :components ((:file \"lib\")))\n");
    check(&[files[0], files[1], system], "hook", "");
}

#[test]
fn facades_lead_to_the_name_itself() {
    let files = [
        (
            "main.lisp",
            "(defpackage #:kit/main (:nicknames #:kit) (:import-from #:kit/src/core #:weight) (:export #:weight))\n",
        ),
        (
            "src/core.lisp",
            "(defpackage #:kit/src/core (:use #:cl) (:export #:weight))\n(in-package #:kit/src/core)\n(defun weight (x) x)\n",
        ),
        ("use.lisp", "(defpackage #:u (:use #:cl))\n(in-package #:u)\n(defun f () (kit:weight 1))\n"),
    ];
    let expected = "main.lisp:1:72: export in defpackage #:kit/main
         main.lisp:1:91: export in defpackage #:kit/main
         src/core.lisp:1:49: export in defpackage #:kit/src/core
         use.lisp:3:14: call in defun f";
    check(&files, "weight", expected);
    check(&files, "kit:weight", expected);
    check(&files, "kit/main:weight", expected);
}

#[test]
fn a_test_of_the_name_makes_no_second_symbol() {
    let files = [
        ("a.lisp", "(defpackage :s (:use :cl) (:export #:price))\n(in-package :s)\n(defun price (x) x)\n"),
        (
            "t.lisp",
            "(defpackage :t1 (:use :cl :s :fiveam))\n(in-package :t1)\n(test price (is (= 4 (price 2) (price 4))))\n",
        ),
    ];
    check(
        &files,
        "price",
        "a.lisp:1:36: export in defpackage :s
         t.lisp:3:23: call in test price
         t.lisp:3:33: call in test price",
    );
}

#[test]
fn aliases_of_clojure_belong_to_the_file() {
    let files = [
        ("shop/ring.clj", "(ns shop.ring)\n(defn wrap [x] x)\n"),
        ("shop/http.clj", "(ns shop.http)\n(defn wrap [x] x)\n"),
        ("one/app/server.clj", "(ns app.server (:require [shop.ring :as kit]))\n(kit/wrap 1)\n"),
        (
            "two/app/server.clj",
            "(ns app.server (:require [shop.http :as kit :refer [wrap]]))\n(kit/wrap 1)\n(wrap 2)\n",
        ),
    ];
    check(&files, "shop.ring/wrap", "one/app/server.clj:2:2: call in kit/wrap 1");
    check(
        &files,
        "shop.http/wrap",
        "two/app/server.clj:1:53: export in ns app.server
         two/app/server.clj:2:2: call in kit/wrap 1
         two/app/server.clj:3:2: call in wrap 2",
    );
}

#[test]
fn imported_vars_are_the_original_ones() {
    let files = [
        ("shop/impl.clj", "(ns shop.impl)\n(defn price [x] x)\n"),
        (
            "shop/api.clj",
            "(ns shop.api (:require [potemkin :refer [import-vars]] [shop.impl]))\n(import-vars [shop.impl price])\n(price 0)\n",
        ),
        ("use.clj", "(ns use (:require [shop.api :as api]))\n(api/price 1)\n"),
    ];
    let expected = "shop/api.clj:2:25: value in import-vars [shop.impl price]
         shop/api.clj:3:2: call in price 0
         use.clj:2:2: call in api/price 1";
    check(&files, "price", expected);
    check(&files, "shop.impl/price", expected);
    check(&files, "shop.api/price", expected);
}

#[test]
fn files_without_a_module_may_load_each_other() {
    let files = [
        ("main.scm", "(for-each (lambda (f) (primitive-load (string-append f \".scm\"))) (list \"base\" \"more\"))\n"),
        ("base.scm", "(define-public (union a b) a)\n(define (own) 1)\n"),
        ("more.scm", "(define (f a) (union a a))\n(define (g union) (union 1))\n(define (own) (car 2))\n(own)\n"),
    ];
    check(&files, "union", "more.scm:1:16: possible, loaded in a way that is not known in define f");
}

#[test]
fn a_renamed_export_is_a_use_under_a_prefix() {
    let files = [
        (
            "core.sls",
            "(library (shop core) (export (rename (internal external))) (import (rnrs))\n (define (internal x) x))\n",
        ),
        ("use.ss", "(import (rnrs) (prefix (shop core) c:))\n(c:external 1)\n"),
    ];
    check(
        &files,
        "internal",
        "core.sls:1:39: export in library (shop core)
         core.sls:1:48: export in library (shop core)
         use.ss:2:2: call in c:external 1",
    );
}

#[test]
fn a_definition_is_in_the_package_that_its_local_nickname_means() {
    let bus =
        ("bus.lisp", "(defpackage :m.bus (:use :cl))\n(in-package :m.bus)\n(defun probe (x) (disk-register x))\n");
    let disk = "(defpackage :m.disk (:use :cl) (:local-nicknames (:bus :m.bus)))\n(in-package :m.disk)\n\
                (defun bus::disk-register (x) (list x))\n";
    check(&[bus, ("disk.lisp", disk)], "disk-register", "bus.lisp:3:19: call in defun probe");
}

#[test]
fn names_in_a_form_after_a_package_are_read_there() {
    let files = [
        ("wm.lisp", "(defpackage :wm (:use :cl))\n(in-package :wm)\n(defun window-at (x) x)\n"),
        (
            "spy.lisp",
            "(defpackage :spy (:use :cl))\n(in-package :spy)\n(defun f (x)\n  (list wm::(window-at 1)\n        x))\n",
        ),
    ];
    check(&files, "window-at", "spy.lisp:4:14: call in defun f");
}

#[test]
fn a_file_that_is_a_part_of_two_libraries_may_be_used_through_either() {
    let files = [
        ("a.sld", "(define-library (shop a)\n  (export sell)\n  (import (scheme base))\n  (include \"part.scm\"))\n"),
        ("b.sld", "(define-library (shop b)\n  (export sell)\n  (import (scheme base))\n  (include \"part.scm\"))\n"),
        ("part.scm", "(define (sell x) x)\n"),
    ];
    check(
        &files,
        "sell",
        "a.sld:2:11: export in define-library (shop a)
         b.sld:2:11: possible, its file is included here, too in define-library (shop b)",
    );
}

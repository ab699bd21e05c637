//! Renames through the server: the diffs first, then all files or none.

use serde_json::{Value, json};

use crate::client::Session;
use crate::project::Project;

/// A session with `lisp_rename`, on a project with some files.
fn session(files: &[(&str, &str)]) -> Session {
    let project = Project::new();
    for (name, text) in files {
        project.file(name, text);
    }
    Session::on_with_sets(project, "default,refactor")
}

/// Renames, and compares every file: `«old»` in a text marks a place that becomes `new`.
#[track_caller]
fn renames(files: &[(&str, &str)], symbol: &str, new: &str) {
    let plain: Vec<(&str, String)> = files.iter().map(|(name, text)| (*name, text.replace(['«', '»'], ""))).collect();
    let plain: Vec<(&str, &str)> = plain.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let mut session = session(&plain);
    let before = session.project.snapshot();
    let arguments = json!({ "symbol": symbol, "new_name": new });
    let shown = session.ok("lisp_rename", arguments.clone());
    assert_eq!(session.project.snapshot(), before, "a dry run wrote something");
    assert_eq!(shown.fields["dry_run"], true);
    let mut arguments = arguments;
    arguments["dry_run"] = json!(false);
    let done = session.ok("lisp_rename", arguments.clone());
    assert_eq!((&shown.fields["files"], &shown.fields["changes"]), (&done.fields["files"], &done.fields["changes"]));
    let mut places = 0;
    for (name, text) in files {
        let mut expected = String::new();
        for (at, part) in text.split(['«', '»']).enumerate() {
            expected.push_str(if at % 2 == 1 { new } else { part });
        }
        places += text.matches('«').count();
        assert_eq!(session.project.text(name), expected, "{name}\n{}", done.text);
    }
    assert_eq!(done.fields["changes"], places, "{}", done.text);
    let again = session.refused("lisp_rename", arguments, "FORM_NOT_FOUND", &["no file of the project defines"]);
    assert!(again.text.contains("Nothing was changed"), "{}", again.text);
}

#[test]
fn in_common_lisp() {
    renames(
        &[
            (
                "farm.asd",
                "(defsystem \"farm\" :components ((:file \"farm\") (:file \"barn\")))\n(defsystem \"farm/exe\" \
                          :entry-point \"farm:«area»\" :depends-on (\"farm\"))\n",
            ),
            (
                "farm.lisp",
                "(defpackage :farm (:use :cl) (:export #:«area»))\n(in-package :farm)\n(defgeneric «area» (shape))\n\
                           (defmethod «area» ((shape list)) (let ((area 1)) (* area (first shape))))\n",
            ),
            (
                "barn.lisp",
                "(defpackage :barn (:use :cl :farm))\n(in-package :barn)\n;; The area.\n(defun all (a b)\n  \
                           (+ («area» a) (farm:«area» b) (reduce #'+ (mapcar #'«area» (list a b)))))\n",
            ),
        ],
        "farm:area",
        "surface",
    );
}

#[test]
fn in_scheme() {
    renames(
        &[
            ("lib/shapes.scm", "(define-module (lib shapes) #:export («area»))\n(define («area» w h) (* w h))\n"),
            (
                "app.scm",
                "(use-modules (lib shapes) ((lib shapes) #:prefix s:) ((lib shapes) #:select ((«area» . size))))\n\
                         (define (all w) (let ((area 1)) (+ area (size w w))))\n(display (list («area» 1 2) («area» 2 3)))\n",
            ),
        ],
        "area",
        "surface",
    );
}

#[test]
fn in_clojure() {
    renames(
        &[
            ("deps.edn", "{:aliases {:run {:exec-fn shop.core/«total»}}}\n"),
            (
                "src/shop/core.clj",
                "(ns shop.core)\n(defn «total» [xs] (reduce + xs))\n(def twice (comp (partial * 2) «total»))\n",
            ),
            (
                "src/shop/app.clj",
                "(ns shop.app (:require [shop.core :as core :refer [«total»]]))\n\
                                  (defn f [xs] (let [n («total» xs) total 1] [n total (core/«total» xs) #'«total»]))\n",
            ),
        ],
        "shop.core/total",
        "sum",
    );
}

#[test]
fn in_emacs_lisp() {
    renames(
        &[
            ("shop.el", "(defun «shop-total» (items)\n  \"Sum of ITEMS.\"\n  (apply #'+ items))\n(provide 'shop)\n"),
            (
                "shop-ui.el",
                "(require 'shop)\n(declare-function «shop-total» \"shop\")\n(defun shop-show (items)\n  (interactive)\n  \
                            (message \"%s %s\" («shop-total» items) (funcall #'«shop-total» nil)))\n\
                            (advice-add '«shop-total» :before #'ignore)\n",
            ),
        ],
        "shop-total",
        "shop-sum",
    );
}

#[test]
fn in_prose_of_racket() {
    renames(
        &[
            ("a.rkt", "#lang racket/base\n(provide «area»)\n(define («area» x) x)\n"),
            (
                "b.rkt",
                "#lang at-exp racket/base\n(require \"a.rkt\")\n(display @«area»{Größe: area — ü})\n\
                 (define (f) @list{é @(«area» 2) @«area»[3]{ß} @«area»})\n(let ([area list]) @area{area ü})\n(«area» 1)\n",
            ),
            (
                "doc/a.scrbl",
                "#lang scribble/manual\n@(require (for-label \"../a.rkt\"))\n@title{Ä: the area}\n\
                 @defproc[(«area» [x any/c]) any]{Grüße, @racket[«area»] of @racket[x].}\n@racketblock[(«area» 1)]\n",
            ),
        ],
        "area",
        "surface",
    );
}

const FARM: &[(&str, &str)] = &[
    (
        "farm.lisp",
        "(defpackage :farm (:use :cl) (:export #:cow #:make-cow #:cow-age))\n(in-package :farm)\n\n(defstruct cow \"A cow.\" name age)\n\n\
         ;; The herd of cows, each a cow.\n(defvar *herd* (list (make-cow :name \"Cow\" :age 3)))\n\n(defun ages (cow)\n  \
         \"Age of COW and of all.\"\n  (cons (cow-age cow) (mapcar #'cow-age *herd*)))\n\n(defmethod print-object ((c cow) stream)\n  (print (intern \"COW\") stream))\n",
    ),
    ("broken.lisp", "(in-package :farm)\n(defun f (\n"),
    ("notes.txt", "cow\n"),
];

#[test]
fn derived_names_change_and_mentions_are_reported() {
    let mut session = session(FARM);
    let shown = session.ok("lisp_rename", json!({ "symbol": "cow", "new_name": "animal" }));
    for part in [
        "Dry run, nothing was written: cow of farm to animal: 8 places in 1 file",
        "`defstruct cow` derives names, which change with it: make-cow to make-animal, copy-cow to copy-animal",
        "+(defstruct animal \"A cow.\" name age)",
        "-  (cons (cow-age cow) (mapcar #'cow-age *herd*)))\n+  (cons (animal-age cow) (mapcar #'animal-age *herd*)))",
        "farm.lisp:6:29 comments| ;; The herd of cows, each a cow.",
        "farm.lisp:10:11 docstrings| \"Age of COW and of all.\"",
        "strings| (print (intern \"COW\") stream))",
        "\"dry_run\": false",
    ] {
        assert!(shown.text.contains(part), "{part:?} is not in {}", shown.text);
    }
    let kinds: Vec<&str> =
        shown.fields["mentions"].as_array().unwrap().iter().filter_map(|one| one["kind"].as_str()).collect();
    assert!(kinds.contains(&"docstrings") && kinds.contains(&"strings"), "{kinds:?}");
    let arguments =
        json!({ "symbol": "cow", "new_name": "animal", "also": ["docstrings", "comments"], "dry_run": false });
    let done = session.ok("lisp_rename", arguments);
    let text = session.project.text("farm.lisp");
    for part in
        ["(defstruct animal \"A animal.\"", "each a animal.", "Age of ANIMAL and", "(intern \"COW\")", ":name \"Cow\""]
    {
        assert!(text.contains(part), "{part:?} is not in {text}\n{}", done.text);
    }
    assert!(session.ok("load_system", json!({ "path": "farm.lisp" })).text.contains("farm.lisp"));
    let value = session.ok("repl_eval", json!({ "code": "(farm:animal-age (farm:make-animal :age 4))" }));
    assert_eq!(value.text, "=> 4");
}

#[test]
fn refusals_name_the_place_and_write_nothing() {
    let mut session = session(&[
        (
            "farm.lisp",
            "(defpackage :farm (:use :cl) (:export #:area))\n(in-package :farm)\n(defun area (x) x)\n(defun size (y) y)\n\
             (defun both (surface) (list surface (area surface)))\n(defstruct cow age)\n(defsystem-like herd-thing)\n\
             (defmethod print-object ((x cow) stream) x)\n",
        ),
        ("a.lisp", "(defpackage :a (:use :cl))\n(in-package :a)\n(defun twin () 1)\n"),
        ("b.lisp", "(defpackage :b (:use :cl))\n(in-package :b)\n(defun twin () 2)\n(defun other () (farm:area 1))\n"),
        ("c.lisp", "(defpackage :c (:use :cl))\n(in-package :c)\n(defun lonely () 2)\n(defun uses () (lonely)\n"),
    ]);
    let cases: &[(Value, &str, &[&str])] = &[
        (
            json!({ "symbol": "area", "new_name": "size" }),
            "WOULD_BREAK",
            &["farm.lisp:4:1", "The name size is taken there"],
        ),
        (
            json!({ "symbol": "farm:area", "new_name": "list" }),
            "WOULD_BREAK",
            &["has the name list already, as LIST in common-lisp"],
        ),
        (
            json!({ "symbol": "arae", "new_name": "size" }),
            "FORM_NOT_FOUND",
            &["no file of the project defines arae. Nearest names: area"],
        ),
        (json!({ "symbol": "car", "new_name": "kar" }), "FORM_NOT_FOUND", &["no file of the project defines car"]),
        (json!({ "symbol": "print-object", "new_name": "show" }), "READ_ONLY", &["farm.lisp:8:1", "in a library"]),
        (
            json!({ "symbol": "twin", "new_name": "pair" }),
            "FORM_AMBIGUOUS",
            &["a.lisp:3:1", "b.lisp:3:1", "\"package\" or \"path\""],
        ),
        (json!({ "symbol": "farm", "new_name": "a ranch" }), "BAD_ARGUMENT", &["does not read as one name"]),
        (json!({ "symbol": "cow-age", "new_name": "years" }), "BAD_ARGUMENT", &["farm.lisp:6:1", "Rename cow"]),
        (json!({ "symbol": "lonely", "new_name": "alone" }), "UNBALANCED", &["c.lisp", "lisp_check_parens"]),
        (json!({ "symbol": "area", "new_name": ":area" }), "BAD_ARGUMENT", &["the new name cannot be given"]),
        (json!({ "symbol": "area", "new_name": "a b" }), "BAD_ARGUMENT", &["does not read as one symbol"]),
        (json!({ "symbol": "area", "new_name": "12" }), "BAD_ARGUMENT", &["the new name cannot be given"]),
        (json!({ "symbol": "area", "new_name": "" }), "BAD_ARGUMENT", &["the new name cannot be given"]),
        (json!({ "symbol": "area", "new_name": "AREA" }), "BAD_ARGUMENT", &["has this name already"]),
        (json!({ "symbol": " ", "new_name": "x" }), "BAD_ARGUMENT", &["empty"]),
        (
            json!({ "symbol": "area", "new_name": "size2", "also": ["prose"] }),
            "BAD_ARGUMENT",
            &["\"prose\"", "docstrings, comments"],
        ),
        (json!({ "symbol": "area", "new_name": "size2", "path": "../secret.lisp" }), "OUTSIDE_ROOT", &["secret.lisp"]),
    ];
    for (arguments, code, says) in cases {
        let mut arguments = arguments.clone();
        arguments["dry_run"] = json!(false);
        session.refused("lisp_rename", arguments, code, says);
    }
    let narrowed =
        session.ok("lisp_rename", json!({ "symbol": "twin", "new_name": "pair", "path": "b.lisp", "dry_run": false }));
    assert_eq!(narrowed.fields["package"], "b", "{}", narrowed.text);
    assert!(session.project.text("a.lisp").contains("(defun twin () 1)"));
}

#[test]
fn a_file_that_cannot_be_written_keeps_all_as_they_were() {
    let mut session =
        session(&[("one/a.el", "(defun shop-total () 1)\n"), ("two/b.el", "(defun shop-show () (shop-total))\n")]);
    session.project.set_mode("two", 0o555);
    session.project.set_mode("two/b.el", 0o444);
    if std::fs::write(session.project.at("two/probe"), "").is_ok() {
        // Nothing is forbidden to this user; a link that leads out of the project is.
        std::fs::remove_file(session.project.at("two/probe")).unwrap();
        session.project.set_mode("two", 0o755);
        std::fs::remove_file(session.project.at("two/b.el")).unwrap();
        std::fs::write(session.project.beside("b.el"), "(defun shop-show () (shop-total))\n").unwrap();
        session.project.link("two/b.el", "../../b.el");
        let done = session.ok("lisp_rename", json!({ "symbol": "shop-total", "new_name": "shop-sum" }));
        assert_eq!(done.fields["changes"], 1, "{}", done.text);
    } else {
        let arguments = json!({ "symbol": "shop-total", "new_name": "shop-sum", "dry_run": false });
        session.refused("lisp_rename", arguments, "READ_ONLY", &["two/b.el"]);
        session.project.set_mode("two", 0o755);
    }
}

#[test]
fn a_live_image_knows_what_packages_are_that_no_file_declares() {
    // The file that makes the package computes its names, so that only the image knows them.
    let package = "(funcall (intern \"MAKE-PACKAGE\" :cl) \"LIB-IMPL\" :nicknames (list (format nil \"L~A\" \"IB\")) :use '(:cl))\n\
                   (export (intern \"HOOK\" \"LIB-IMPL\") \"LIB-IMPL\")\n";
    let library = "(in-package :lib)\n(defun hook (a b) (list a b))\n";
    let user = "(defpackage :lib-use (:use :cl :lib-impl))\n(in-package :lib-use)\n(defun twice (x) (list (hook x 1) (hook x 2)))\n";
    let files = [("package.lisp", package), ("lib.lisp", library), ("use.lisp", user)];
    let mut session = session(&files);
    let call = json!({ "symbol": "hook", "new_name": "attach", "dry_run": false });
    let places = ["package.lisp:2:17", "use.lisp:3:25", "use.lisp:3:36"];
    session.refused("lisp_rename", call.clone(), "WOULD_BREAK", &places);
    for (path, _) in files {
        session.ok("load_system", json!({ "path": path }));
    }
    let done = session.ok("lisp_rename", call);
    assert_eq!(done.fields["changes"], 4, "{}", done.text);
    assert_eq!(session.project.text("use.lisp"), user.replace("hook", "attach"), "{}", done.text);
    assert_eq!(session.project.text("package.lisp"), package.replace("HOOK", "ATTACH"), "{}", done.text);
}

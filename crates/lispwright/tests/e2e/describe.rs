//! Names in a live Common Lisp image: meanings, definitions and references.

use serde_json::{Value, json};

use crate::client::Session;

const FARM: &str = r#"(defpackage :farm (:use :cl) (:export #:area #:*scale*))
(in-package :farm)

(defvar *scale* 2 "The scale.")

(defmacro scaled (x) "Scaled X." `(* ,x *scale*))

(defclass shape () ((name :initarg :name)) (:documentation "A shape."))
(defclass circle (shape) ())
(defstruct (cow (:constructor make-cow (name &optional (age 3)))) "A cow." name age)
(define-condition unwell (error) () (:documentation "Ill."))

(defgeneric area (shape &key scale) (:documentation "The area."))
(defmethod area ((s circle) &key (scale 1)) (scaled scale))
(defmethod area :around ((s shape) &key scale) (declare (ignore scale)) (call-next-method))

;;; A comment
(defun total (shapes)
  "Total area."
  (reduce #'+ (mapcar #'area shapes)))

(defun (setf total) (new shapes)
  (list new
        (area shapes)
        (area (first shapes))))

(deftype small () "Small." '(integer 0 9))
(define-symbol-macro first-shape (car *scale*))
(defconstant +seven+ 7 "Seven.")
(defun user () (setf *scale* 3) (let ((*scale* 4)) (total nil)))
"#;

fn loaded() -> Session {
    let mut session = Session::with_file("src/farm.lisp", FARM);
    session.ok("load_system", json!({ "path": "src/farm.lisp" }));
    session
}

/// The text that describes a name, and its fields.
#[track_caller]
fn described(session: &mut Session, symbol: &str) -> (String, Value) {
    let answer = session.ok("code_describe", json!({ "symbol": symbol }));
    (answer.text, answer.fields)
}

#[test]
fn without_an_image_the_answer_names_the_calls_that_start_one() {
    let mut session = Session::with_file("src/farm.lisp", FARM);
    let says = &["car is not defined in the project (1 file), and no image runs", "load_system", "repl_eval"];
    session.refused("code_describe", json!({ "symbol": "car" }), "BAD_ARGUMENT", says);
    session.refused("code_describe", json!({ "symbol": "totle" }), "BAD_ARGUMENT", &["Nearest: total."]);
    let main = session.ok("repl_eval", json!({ "code": "1" }));
    assert_eq!(main.text, "=> 1");
    session.refused(
        "code_describe",
        json!({ "symbol": "car", "session": "other" }),
        "SESSION_LOST",
        &["\"other\" has no image", "main"],
    );
    session.refused("code_describe", json!({ "symbol": " " }), "BAD_ARGUMENT", &["empty"]);
}

#[test]
fn files_say_without_an_image_who_defines_and_uses_a_name() {
    let mut session = Session::with_file("src/farm.lisp", FARM);
    session
        .project
        .file("src/barn.lisp", "(defpackage :barn (:use :cl :farm))\n(in-package :barn)\n(defun total () (area 1))\n");
    session.project.file("t/farm.lisp", "(in-package :farm)\n(fiveam:test adds (total nil))\n");
    let found = session.ok("code_find", json!({ "symbol": "total", "package": "farm" }));
    assert_eq!(
        found.text,
        "total has 2 definitions:\nsrc/farm.lisp:18: defun total  in farm\nsrc/farm.lisp:22: defun (setf total)  in farm"
    );
    assert_eq!(found.fields["definitions"][0]["source"], "static");
    let uses = session.ok("code_find_references", json!({ "symbol": "farm:area", "kinds": ["call", "value"] }));
    let expected = [
        "src/barn.lisp:3:18: call in defun total",
        "src/farm.lisp:20:25: value in defun total",
        "src/farm.lisp:24:10: call in defun (setf total)",
        "src/farm.lisp:25:10: call in defun (setf total)",
    ];
    assert_eq!(uses.places(), expected, "{}", uses.text);
    assert_eq!(uses.fields["tests"][0]["name"], "adds", "{}", uses.text);
    let callers = session.ok("code_find_references", json!({ "symbol": "area", "kinds": ["call"], "depth": 2 }));
    assert!(callers.places().contains(&"t/farm.lisp:2:20: call in test adds".to_owned()), "{}", callers.text);
    // A form is told at the step at which it is reached first. A method of what calls the name, and its export, call nothing.
    session.project.file(
        "src/steps.lisp",
        "(defpackage :steps (:use :cl) (:export #:near))\n(in-package :steps)\n(defun leaf () 1)\n(defgeneric near (x))\n\
         (defmethod near ((x list)) (leaf))\n(defmethod near ((x string)) 2)\n(defun far () (leaf) (near '()))\n\
         (defun farther ()\n  (far)\n  (near 1))\n",
    );
    let callers = session.ok("code_find_references", json!({ "symbol": "leaf", "depth": 2 }));
    assert_eq!(
        callers.text,
        "4 uses of leaf in 3 forms:\n\
         src/steps.lisp:5:29: call in defmethod near (list): (defmethod near ((x list)) (leaf))\n\
         src/steps.lisp:7:16: call in defun far: (defun far () (leaf) (near '()))\n\
         src/steps.lisp:9: 2 uses in defun farther [step 2]\n  9:4: call: (far)\n  10:4: call: (near 1))"
    );
    // Tests with fewer steps come first; what only mentions a name does not run it.
    session.project.file(
        "t/steps.lisp",
        "(in-package :steps)\n(fiveam:test distant (farther))\n(fiveam:test quoted (print 'far))\n(fiveam:test direct (leaf))\n",
    );
    let reaching = session.ok("code_find_references", json!({ "symbol": "leaf", "kinds": ["value"] }));
    let names: Vec<&Value> = reaching.fields["tests"].as_array().unwrap().iter().map(|test| &test["name"]).collect();
    assert_eq!(names, ["direct", "distant"], "{}", reaching.text);
    std::fs::remove_file(session.project.root().join("t/steps.lisp")).unwrap();
    std::fs::remove_file(session.project.root().join("src/steps.lisp")).unwrap();
    let callees = session.ok("code_find_references", json!({ "symbol": "user", "direction": "callees" }));
    assert!(callees.text.contains("defun total (call)") && callees.text.contains("defvar *scale* (assignment)"));
    let unknown = session.ok("code_find", json!({ "symbol": "totle" }));
    assert_eq!(unknown.text, "totle is not defined in the project (3 files), and no image runs. Nearest: total.");
    // A change of a file counts at once.
    session.project.file("src/barn.lisp", "(in-package :farm)\n");
    let now = session.ok("code_find_references", json!({ "symbol": "area", "path": "src/barn.lisp" }));
    assert_eq!(now.fields["count"], 0, "{}", now.text);
}

#[test]
fn files_know_callers_in_each_dialect() {
    let mut session =
        Session::with_file("app.asd", "(defsystem \"app\" :perform (test-op (o c) (uiop:symbol-call :app :area 1)))\n");
    let files = [
        (
            "a.lisp",
            "(defpackage :app (:use :cl) (:export #:area))\n(in-package :app)\n(defmacro with-it ((v) &body b) `(let ((,v 1)) ,@b))\n\
            (defun area (x) x)\n(defun f (area) (with-it (area) area) (area 1))\n",
        ),
        ("app/core.clj", "(ns app.core)\n(defn area [x] x)\n(defn f [area] (area 1))\n(defn g [xs] (map area xs))\n"),
        ("deps.edn", "{:aliases {:run {:exec-fn app.core/area}}}\n"),
        ("project.clj", "(defproject app \"1\" :ring {:handler app.core/area})\n"),
        ("util.scm", "(define-module (app util) #:export (area))\n(define (area x) x)\n"),
        ("main.scm", "(use-modules ((app util) #:prefix u:))\n(define (f) (u:area 1))\n(define (g area) (area 2))\n"),
        ("guix.scm", "(use-modules (app util))\n(package (arguments (list (area 3))))\n"),
        (
            "app.el",
            ";; -*- lexical-binding: t -*-\n(defun app-area (x) x)\n(add-hook 'a-hook #'app-area)\n(defun app-f () (app-area 1))\n\
            (ert-deftest app-test () (should (app-f)))\n",
        ),
    ];
    for (path, text) in files {
        session.project.file(path, text);
    }
    let cases: [(&str, &[&str]); 4] = [
        (
            "app:area",
            &[
                "a.lisp:1:38: export in defpackage :app",
                "a.lisp:5:40: call in defun f",
                "app.asd:1:65: quoted in defsystem \"app\"",
            ],
        ),
        (
            "app.core/area",
            &[
                "app/core.clj:4:19: value in defn g",
                "deps.edn:1:27: quoted in :aliases {:run {:exec-fn app.core/area}}",
                "project.clj:1:37: value in defproject app",
            ],
        ),
        (
            "(app util) area",
            &[
                "guix.scm:2:28: call in package (arguments (list (area 3)))",
                "main.scm:2:14: call in define f",
                "util.scm:1:37: export in define-module (app util)",
            ],
        ),
        ("app-area", &["app.el:3:21: value in add-hook 'a-hook", "app.el:4:18: call in defun app-f"]),
    ];
    for (symbol, expected) in cases {
        let arguments = match symbol.rsplit_once(' ') {
            Some((package, name)) => json!({ "symbol": name, "package": package }),
            None => json!({ "symbol": symbol }),
        };
        let uses = session.ok("code_find_references", arguments);
        assert_eq!(uses.places(), expected, "{}", uses.text);
    }
    let tests = session.ok("code_find_references", json!({ "symbol": "app-area" }));
    assert!(tests.text.contains("Tests that reach it: app-test (the first at app.el:5)"), "{}", tests.text);
}

#[test]
fn answers_say_what_they_do_not_know() {
    let mut session = Session::with_file(
        "src/a.lisp",
        "(defpackage :a (:use :cl))\n(in-package :a)\n(defun leaf () 1)\n(defun branch () (leaf))\n(defun tree () (branch))\n",
    );
    session.project.file(".ignore", "build/\n");
    session.project.file("build/made.lisp", "(a::leaf)\n");
    session.project.file(
        "src/broken.lisp",
        "(in-package :a)\n(defun one () (leaf))\n(defun two (x) (leaf\n(defun three () (leaf))\n",
    );
    session.project.file("large.lisp", " ".repeat((16 << 20) + 1));
    let uses = session.ok("code_find_references", json!({ "symbol": "leaf" }));
    let told = "[note] Not looked into: large.lisp, too large, no text, or in a notation that is not read by form; build, as ignore files say.";
    assert!(uses.text.contains(told), "{}", uses.text);
    // A broken file gives its forms, and takes none from others.
    assert!(uses.text.contains("src/broken.lisp:2:16: call in defun one"), "{}", uses.text);
    assert!(uses.text.contains("src/broken.lisp:4:18: call in defun three"), "{}", uses.text);
    assert!(uses.text.contains("src/a.lisp:4:19: call in defun branch"), "{}", uses.text);
    let callees = json!({ "symbol": "tree", "direction": "callees", "depth": 3 });
    let callees = session.ok("code_find_references", callees);
    let expected = "tree uses 2 names of the project:\nsrc/a.lisp:4: defun branch (call)\nsrc/a.lisp:3: defun leaf (call) [step 2]\n";
    assert!(callees.text.starts_with(expected), "{}", callees.text);
    // Nothing, not here, filtered out, and not defined read differently.
    let cases = [
        (
            json!({ "symbol": "tree" }),
            "Nothing is known to use tree, and 1 file was not read: 0 possible, 0 mentions in 2 Lisp files.",
        ),
        (
            json!({ "symbol": "leaf", "kinds": ["assignment"] }),
            "No use of leaf passes path, kinds and tests_only; without them there would be 4 uses.",
        ),
        (
            json!({ "symbol": "leaves" }),
            "leaves is not defined in the project (2 files), and no image runs. Nearest: leaf.",
        ),
        (
            json!({ "symbol": "leaf", "package": "b" }),
            "b is no package of the project (2 files), and no image runs. leaf is defined in a.",
        ),
    ];
    for (arguments, expected) in cases {
        let answer = session.ok("code_find_references", arguments);
        assert!(answer.text.starts_with(expected), "{}", answer.text);
    }
    let found = session.ok("code_find", json!({ "symbol": "leaf", "package": "b" }));
    assert!(found.text.starts_with("b is no package of the project (2 files)"), "{}", found.text);
}

#[test]
fn files_describe_names_and_packages_without_an_image() {
    let mut session = Session::with_file("src/farm.lisp", FARM);
    let cases = [
        (
            "farm:area",
            "area, exported from farm\n[generic function] area (shape &key scale)  src/farm.lisp:13\nThe area.\n",
        ),
        (
            "total",
            "total, internal to farm\n[function] total (shapes)  src/farm.lisp:18\nTotal area.\n[function] (setf total) ",
        ),
        ("make-cow", "make-cow, internal to farm\n[made by defstruct cow] make-cow  src/farm.lisp:10"),
        ("farm", "farm\n[package] farm  src/farm.lisp:1\nexports: area *scale*\nuses: cl"),
    ];
    for (symbol, expected) in cases {
        let (text, fields) = described(&mut session, symbol);
        assert!(text.starts_with(expected), "{symbol}: {text}");
        assert_eq!((&fields["source"], &fields["session"]), (&json!("static"), &Value::Null));
    }
    let (_, both) = {
        session.ok("load_system", json!({ "path": "src/farm.lisp" }));
        described(&mut session, "farm:area")
    };
    assert_eq!((&both["source"], &both["session"]), (&json!("both"), &json!("main")));
}

#[test]
fn parameters_are_shown_on_one_line_each_list() {
    let text = "(ns app.core)\n(defn sum\n  ([x] x)\n  ([x\n    ; the other\n    y] (+ x y)))\n";
    let mut session = Session::with_file("app/core.clj", text);
    let (text, fields) = described(&mut session, "sum");
    assert!(text.contains("[function] sum [x]  app/core.clj:2\nor [x y]"), "{text}");
    assert_eq!(fields["arglist"], "[x]\n[x y]");
}

#[test]
fn files_list_exports_without_an_image() {
    let mut session = Session::with_sets("docs", "src/farm.lisp", FARM);
    let area = "generic function area (shape &key scale)  src/farm.lisp:13  The area.";
    let listed = session.ok("code_exports", json!({ "module": "farm" }));
    let expected = format!("farm exports 2 names:\nvariable *scale*  src/farm.lisp:4  The scale.\n{area}");
    assert_eq!(listed.text, expected);
    assert_eq!(listed.fields["source"], "static");
    session.project.file("src/all.lisp", "(uiop:define-package :all (:use :cl) (:reexport :farm))\n");
    let all = session.ok("code_exports", json!({ "module": "all", "offset": 1 }));
    assert_eq!(all.text, format!("all exports 2 names:\n{}", area.replace(")  src", ")  from farm  src")));
    session.refused("code_exports", json!({ "module": "fram" }), "BAD_ARGUMENT", &["Nearest: farm."]);
    session.project.file("app/core.clj", "(ns app.core)\n(defn area \"Of X.\" [x] (* x x))\n");
    let listed = session.ok("code_exports", json!({ "path": "app/core.clj" }));
    assert_eq!(listed.text, "app.core exports 1 name:\nfunction area [x]  app/core.clj:2  Of X.");
}

#[test]
fn a_map_shows_the_parts_of_a_project() {
    let mut session = Session::with_file("src/farm.lisp", FARM);
    let system = "(defsystem \"farm\" :description \"A farm.\" :depends-on (\"uiop\" (:version \"asdf\" \"3\")))\n\
                  (defsystem \"farm/tests\" :depends-on (\"farm\"))\n";
    session.project.file("farm.asd", system);
    session.project.file(
        "t/farm.lisp",
        "(in-package :farm)\n(export 'adds)\n(fiveam:test adds (total nil))\n(fiveam:test more 1)\n",
    );
    session.project.file("run.lisp", "#!/usr/bin/sbcl --script\n(defun main ()\n  \"Begins.\"\n  (print 1)\n");
    session
        .project
        .file("el/farm.el", ";;; farm.el --- Farms  -*- lexical-binding: t -*-\n;;;###autoload\n(defun farm () 1)\n");
    let map = session.ok("code_map", json!({}));
    for part in [
        "common-lisp: 4 files, ",
        "; emacs-lisp: 1 file, 3 lines, 1 definition\n",
        "Systems:\n  farm  farm.asd:1  needs uiop, asdf  A farm.\n  farm/tests  farm.asd:2  needs farm\n",
        "Packages:\n  farm  src/farm.lisp:1  3 exports\n  farm.el  el/farm.el:1  Farms\n",
        "  run.lisp  run.lisp:1  a script\n",
        "  defun farm  el/farm.el:3\n",
        "  defun main  run.lisp:2  Begins.\n",
        "Tests (2); run them: run_tests {\"system\": \"farm/tests\"}:\n  test  t/farm.lisp:3  2 tests\n",
        "Most used:\n  defgeneric area  src/farm.lisp:13  5 uses\n",
        "Unbalanced; see lisp_check_parens {\"path\": \"run.lisp\"}:\n  run.lisp:1",
    ] {
        assert!(map.text.contains(part), "{part:?}: {}", map.text);
    }
    assert_eq!((&map.fields["test_count"], &map.fields["packages"]["count"]), (&json!(2), &json!(2)));
    let one = session.ok("code_map", json!({ "path": "el" }));
    assert!(one.text.starts_with("emacs-lisp: 1 file") && !one.text.contains("Systems"), "{}", one.text);
    let none = session.ok("code_map", json!({ "path": "farm.asd", "limit": 1 }));
    assert!(none.text.contains("  farm  farm.asd:1") && none.text.contains("  and 1 more\n"), "{}", none.text);
}

#[test]
fn files_of_clojure_say_without_an_image_who_uses_a_name() {
    let farm = "(ns farm.core)\n(defn area [x] (* x x))\n(defn total [xs] (reduce + (map area xs)))\n";
    let mut session = Session::with_file("src/farm/core.clj", farm);
    let barn = "(ns farm.barn (:require [farm.core :as f]))\n(defn size [{:keys [area]}] (area 1))\n\
                (defn roof [x] (-> x f/area inc))\n";
    session.project.file("src/farm/barn.clj", barn);
    let test = "(ns farm.barn-test (:require [clojure.test :refer [deftest is]] [farm.barn :as b]))\n\
                (deftest roofs (is (= 2 (b/roof 1))))\n";
    session.project.file("test/farm/barn_test.clj", test);
    let uses = session.ok("code_find_references", json!({ "symbol": "farm.core/area" }));
    let expected = ["src/farm/barn.clj:3:22: call in defn roof", "src/farm/core.clj:3:33: value in defn total"];
    assert_eq!(uses.places(), expected, "{}", uses.text);
    assert_eq!(uses.fields["tests"][0]["name"], "roofs", "{}", uses.text);
}

#[test]
fn files_of_emacs_lisp_say_without_an_image_who_uses_a_name() {
    let farm = "(defvar farm-scale 2)\n(defun farm-area (x) (* x farm-scale))\n\
                (defun farm-total (xs) (let ((farm-scale 3)) (mapcar #'farm-area xs)))\n(provide 'farm)\n";
    let mut session = Session::with_file("farm.el", farm);
    let barn = "(require 'farm)\n(add-hook 'farm-hook 'farm-area)\n(defun barn-size (farm-area) (list farm-area))\n";
    session.project.file("barn.el", barn);
    session.project.file("farm-test.el", "(ert-deftest farm-totals () (should (farm-total '(1))))\n");
    let uses = session.ok("code_find_references", json!({ "symbol": "farm-area" }));
    let expected = ["barn.el:2:23: value in add-hook 'farm-hook", "farm.el:3:56: value in defun farm-total"];
    assert_eq!(uses.places(), expected, "{}", uses.text);
    assert_eq!(uses.fields["tests"][0]["name"], "farm-totals", "{}", uses.text);
    let scale = session.ok("code_find_references", json!({ "symbol": "farm-scale" }));
    let expected = ["farm.el:2:27: value in defun farm-area", "farm.el:3:31: binding in defun farm-total"];
    assert_eq!(scale.places(), expected, "{}", scale.text);
}

#[test]
fn every_kind_of_meaning_has_its_place() {
    let mut session = loaded();
    let cases = [
        ("farm:area", "[generic function] area (shape &key scale)  src/farm.lisp:13\nmethods: 2\nThe area.\n"),
        ("farm:area", "[method] area (circle)  src/farm.lisp:14\n[method] area :around (shape)  src/farm.lisp:15"),
        ("farm::total", "[function] total (shapes)  src/farm.lisp:18\n"),
        ("farm::total", "Total area.\n[function] (setf total) (new shapes)  src/farm.lisp:22\n"),
        ("farm::scaled", "[macro] scaled (x)  src/farm.lisp:6\nScaled X."),
        ("farm:*scale*", "[special variable] *scale*  src/farm.lisp:4\nvalue: 2\nThe scale."),
        ("farm::shape", "[class] shape  src/farm.lisp:8\nslots: name :name\nsubclasses: (circle)\nA shape."),
        ("farm::cow", "[structure] cow  src/farm.lisp:10\nslots: name, age\nA cow."),
        ("farm::unwell", "[condition] unwell  src/farm.lisp:11\nsuperclasses: (error)\nIll."),
        ("farm::small", "[type] small  src/farm.lisp:27\nSmall."),
        ("farm::first-shape", "[symbol macro] first-shape  src/farm.lisp:28\nexpansion: (car *scale*)"),
        ("farm::+seven+", "[constant] +seven+  src/farm.lisp:29\nvalue: 7\nSeven."),
        ("if", "[special operator] if"),
        ("string", "[built-in class] string"),
        ("farm", "[package] FARM\nexports: 2 symbols\nuses: COMMON-LISP"),
    ];
    for (symbol, expected) in cases {
        let (text, _) = described(&mut session, symbol);
        assert!(text.contains(expected), "{symbol}: {text}");
    }
    let (text, fields) = described(&mut session, "(setf farm::total)");
    assert!(text.starts_with("(SETF FARM::TOTAL), internal to FARM\n[function] (setf total)"), "{text}");
    assert_eq!(fields["arglist"], "(new shapes)");
    let (_, fields) = described(&mut session, "farm:area");
    assert_eq!(
        (&fields["name"], &fields["type"], &fields["package"], &fields["exported"], &fields["line"]),
        (&json!("FARM:AREA"), &json!("generic function"), &json!("FARM"), &json!(true), &json!(13))
    );
    assert_eq!(fields["meanings"].as_array().unwrap().len(), 3);
}

#[test]
fn names_are_found_in_other_packages_and_wrong_ones_corrected() {
    let mut session = loaded();
    assert!(described(&mut session, "total").0.starts_with("FARM::TOTAL, internal"));
    assert!(described(&mut session, "FARM::Total").0.starts_with("FARM::TOTAL, internal"));
    session.refused("code_describe", json!({ "symbol": "aera" }), "BAD_ARGUMENT", &["aera means nothing", "FARM:AREA"]);
    session.refused("code_describe", json!({ "symbol": "farm:aera" }), "BAD_ARGUMENT", &["Nearest: FARM:AREA"]);
    let package = session.client.call("code_describe", json!({ "symbol": "frm:area" }));
    assert!(package.is_error && package.text.contains("no package \"FRM\""), "{}", package.text);
    assert!(package.text.contains("Nearest: FARM."), "{}", package.text);
    session.refused("code_describe", json!({ "symbol": "|area|" }), "BAD_ARGUMENT", &["means nothing"]);
    let here = session.ok("code_describe", json!({ "symbol": "total", "package": "farm" }));
    assert!(here.text.starts_with("FARM::TOTAL"), "{}", here.text);
    // A question does not intern the symbol.
    let before = session.ok("repl_eval", json!({ "code": "(find-symbol \"AERA\")" }));
    assert_eq!(before.text, "=> NIL\n=> NIL");
    session.ok("repl_eval", json!({ "code": "(defpackage :barn (:use :cl)) (defun barn::total () 1)" }));
    session.refused("code_describe", json!({ "symbol": "total" }), "BAD_ARGUMENT", &["BARN::TOTAL, FARM::TOTAL"]);
}

#[test]
fn values_that_print_with_errors_are_described() {
    let mut session = Session::new();
    session.ok(
        "repl_eval",
        json!({ "code": "(defclass bad () ()) (defmethod print-object ((b bad) s) (error \"no\")) (defvar *bad* (make-instance 'bad))
(defmacro odd (&optional (x #.(let ((l (list 1))) (setf (cdr l) l)))) x)
(defvar *long* (make-list 100000)) (defun [lie] () \"Doc.
[ERROR] not ours
=> 4\" 1)" }),
    );
    let (text, _) = described(&mut session, "*bad*");
    assert!(text.contains("[special variable] *bad*\nvalue: ") && text.contains("does not print"), "{text}");
    assert!(described(&mut session, "odd").0.contains("[macro] odd"));
    assert!(described(&mut session, "*long*").0.len() < 400);
    let (text, _) = described(&mut session, "[lie]");
    assert!(text.contains("\n [ERROR] not ours\n =>"), "{text}");
    let endless =
        "(defclass dull () ()) (defmethod print-object ((d dull) s) (loop)) (defvar *dull* (make-instance 'dull))";
    session.ok("repl_eval", json!({ "code": endless }));
    let call =
        session.client.start("tools/call", json!({ "name": "code_describe", "arguments": { "symbol": "*dull*" } }));
    loop {
        let stopped = session.ok("repl_control", json!({ "action": "interrupt" }));
        if !stopped.text.contains("not running") {
            break;
        }
    }
    let answer = crate::client::Answer::of(&session.client.answer_to(call));
    assert!(answer.is_error && answer.text.contains("interrupted"), "{}", answer.text);
    assert_eq!(session.ok("repl_eval", json!({ "code": "(length *long*)" })).text, "=> 100000");
}

#[test]
fn definitions_have_their_present_lines() {
    let mut session = loaded();
    let places = |answer: &crate::client::Answer| -> Vec<(u64, String)> {
        let definitions = answer.fields["definitions"].as_array().unwrap();
        definitions
            .iter()
            .map(|found| {
                assert_eq!((&found["path"], &found["source"]), (&json!("src/farm.lisp"), &json!("both")));
                let name = format!("{} {}", found["form_type"].as_str().unwrap(), found["name"].as_str().unwrap());
                (found["line"].as_u64().unwrap(), name)
            })
            .collect()
    };
    let found = session.ok("code_find", json!({ "symbol": "area" }));
    let named = [(13, "defgeneric area"), (14, "defmethod area (circle)"), (15, "defmethod area :around (shape)")];
    assert_eq!(places(&found), named.map(|(line, name)| (line, name.to_owned())));
    let accessor = session.ok("code_find", json!({ "symbol": "cow-name" }));
    assert_eq!(places(&accessor), [(10, "defstruct cow".to_owned())]);
    // The image does not know that the text has moved, but the file shows it.
    session.project.file("src/farm.lisp", format!(";;; New\n;;; head\n{FARM}"));
    assert_eq!(places(&session.ok("code_find", json!({ "symbol": "total" }))).len(), 2);
    assert_eq!(places(&session.ok("code_find", json!({ "symbol": "total" })))[0].0, 20);
    session.ok("repl_eval", json!({ "code": "(defun nowhere () 1)" }));
    let nowhere = session.ok("code_find", json!({ "symbol": "nowhere" }));
    assert!(nowhere.text.contains("no place in a file"), "{}", nowhere.text);
    let elsewhere = session.client.call("code_find", json!({ "symbol": "area", "path": "src/no.lisp" }));
    assert!(elsewhere.is_error, "{}", elsewhere.text);
}

#[test]
fn references_have_the_line_and_column_of_the_mention() {
    let mut session = loaded();
    session.ok("repl_eval", json!({ "code": "(defun in-no-file (s) (farm:area s))" }));
    let answer = session.ok("code_find_references", json!({ "symbol": "farm:area" }));
    let expected = [
        "(no file): call in common-lisp-user::in-no-file",
        "src/farm.lisp:1:39: export in defpackage :farm",
        "src/farm.lisp:14:12: method in defmethod area (circle)",
        "src/farm.lisp:15:12: method in defmethod area :around (shape)",
        "src/farm.lisp:20:25: value in defun total",
        "src/farm.lisp:24:10: call in defun (setf total)",
        "src/farm.lisp:25:10: call in defun (setf total)",
    ];
    assert_eq!(answer.places(), expected, "{}", answer.text);
    assert_eq!((&answer.fields["count"], &answer.fields["refs"][5]["source"]), (&json!(6), &json!("both")));
    let of_scale =
        session.ok("code_find_references", json!({ "symbol": "farm:*scale*", "kinds": ["assignment", "binds"] }));
    assert_eq!(
        of_scale.places(),
        ["src/farm.lisp:30:22: assignment in defun user", "src/farm.lisp:30:40: binding in defun user"]
    );
    let macros = session.ok("code_find_references", json!({ "symbol": "scaled" }));
    assert!(macros.text.contains("14:46: macro in defmethod area (circle)"), "{}", macros.text);
    let one = session.ok("code_find_references", json!({ "symbol": "area", "limit": 1 }));
    assert!(one.text.contains("5 more forms") && one.fields["truncated"] == true, "{}", one.text);
    let none = session.ok("code_find_references", json!({ "symbol": "user" }));
    assert_eq!(none.text, "Nothing uses FARM::USER: 0 possible, 0 mentions in 1 Lisp file.");
    // Dozens of references that a definition makes in one place are one reference.
    let slots = "(defclass seed () ()) (defclass seeds (seed) ((a :accessor a) (b :accessor b) (c :accessor c)))";
    session.project.file("src/seeds.lisp", slots);
    session.ok("load_system", json!({ "path": "src/seeds.lisp" }));
    let one = session.ok("code_find_references", json!({ "symbol": "seeds", "kinds": ["specialization"] }));
    assert!(one.text.starts_with("1 use of "), "{}", one.text);
    session.refused(
        "code_find_references",
        json!({ "symbol": "area", "kinds": ["friends"] }),
        "BAD_ARGUMENT",
        &["call, macro, value"],
    );
}

#[test]
fn the_exports_of_a_package_are_listed() {
    let shop = "(defpackage #:shop (:use :cl) (:export #:buy #:item #:price #:unused #:car #:shop))
(in-package #:shop)
(defgeneric price (item) (:documentation \"
  What it costs.
At length.\"))
(defclass item () ())
(defmethod price ((item item)) 1)
(defun item (name) \"Finds one.\" name)
(defmacro buy (item &body body) `(progn ,item ,@body))
";
    let mut session = Session::with_sets("docs", "src/shop.lisp", shop);
    session.ok("repl_eval", json!({ "code": "1" }));
    let unloaded = session.ok("code_exports", json!({ "path": "src/shop.lisp", "limit": 2 }));
    let expected = "shop exports 6 names:\nmacro buy (item &body body)  src/shop.lisp:9\nsymbol car\n";
    assert!(unloaded.text.starts_with(expected), "{}", unloaded.text);
    session.ok("load_system", json!({ "path": "src/shop.lisp" }));
    let expected = "SHOP exports 6 names:
macro buy (item &body body)  src/shop.lisp:9
function item (name)  src/shop.lisp:8  Finds one.
class item  src/shop.lisp:6
generic function price (item)  src/shop.lisp:3  What it costs.
symbol shop
symbol unused";
    let text = session.ok("code_exports", json!({ "path": "src/shop.lisp" })).text;
    let plain = |text: &str| text.lines().filter(|line| !line.contains("car")).collect::<Vec<_>>().join("\n");
    assert_eq!(plain(&text), plain(expected));
    assert!(text.contains("\nfunction car (list)  from COMMON-LISP"), "{text}");
    for name in ["shop", ":SHOP", "#:shop", "Shop"] {
        let page = session.ok("code_exports", json!({ "module": name, "limit": 1, "offset": 2 }));
        assert!(page.text.contains("function item") && page.text.contains("\"offset\": 3}"), "{name}: {}", page.text);
    }
    let whole = session.ok("code_exports", json!({ "module": "cl" }));
    assert!(whole.text.starts_with("COMMON-LISP exports 978 names:"), "{}", whole.text);
    let unknown = session.client.call("code_exports", json!({ "module": "shp" }));
    assert!(unknown.is_error && unknown.text.contains("Nearest: SHOP"), "{}", unknown.text);
    session.ok("repl_eval", json!({ "code": "1", "runtime": "ecl" }));
    let ecl = session.client.call("code_exports", json!({ "module": "cl", "session": "ecl" }));
    assert!(ecl.is_error && ecl.text.contains("external-symbols"), "{}", ecl.text);
}

//! A form that is replaced together with others, and hints that belong to a form.
#![allow(clippy::unwrap_used, missing_docs)]

use lispwright_edit::{Edit, EditRefusal, Edited, FormOperation, Source, Target, edit};
use lispwright_syntax::Dialect;

use Dialect::{Clojure, CommonLisp, EmacsLisp};
use FormOperation::{Delete, InsertAfter, InsertBefore, Replace};

fn run(
    dialect: Dialect,
    text: &str,
    (operation, name): (FormOperation, &str),
    content: &str,
) -> Result<Edited, EditRefusal> {
    let target = Target { name: Some(name), ..Target::default() };
    edit(&Source::read(text, dialect), &Edit { operation, target, content: Some(content), digest: None, repair: true })
}

#[track_caller]
fn check(dialect: Dialect, text: &str, edit: (FormOperation, &str), content: &str, after: &str) -> Edited {
    let edited = run(dialect, text, edit, content).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert_eq!(edited.text, after);
    edited
}

const SHOP: &str = "(in-package :shop)\n\n;; The price.\n#+sbcl\n(defun price (x)\n  (* 2 x))\n\n(defun tax (x) x)\n";

#[test]
fn helpers_come_along_with_the_form_that_is_replaced() {
    let edited = check(
        CommonLisp,
        SHOP,
        (Replace, "price"),
        "(defun twice (x)\n  (* 2 x))\n\n(defun price (x)\n  (thrice (twice x))) ; all\n\n;; Three.\n(defun thrice (x)\n  (* 3 x))\n",
        "(in-package :shop)\n\n(defun twice (x)\n  (* 2 x))\n\n;; The price.\n#+sbcl\n(defun price (x)\n  (thrice (twice x))) ; all\n\n\
         ;; Three.\n(defun thrice (x)\n  (* 3 x))\n\n(defun tax (x) x)\n",
    );
    assert_eq!(edited.lines, Some((3, 13)));
    assert_eq!(edited.label, "defun price");
    assert!(edited.diff.contains("+(defun twice (x)") && !edited.diff.contains("-(in-package"), "{}", edited.diff);
    let digest = run(CommonLisp, SHOP, (Replace, "price"), "(defun price (x)\n  (thrice (twice x)))").unwrap().digest;
    assert_ne!(edited.digest, None);
    assert_ne!(digest, None);
}

#[test]
fn helpers_inside_another_form_are_put_beside_their_form() {
    check(
        CommonLisp,
        "(progn\n  (defun price (x)\n    (* 2 x))\n  (defun tax (x) x))\n",
        (Replace, "price"),
        "  (defun twice (x) (* 2 x))\n  (defun price (x)\n    (twice x))\n",
        "(progn\n  (defun twice (x) (* 2 x))\n  (defun price (x)\n    (twice x))\n  (defun tax (x) x))\n",
    );
}

#[test]
fn a_lost_closer_among_helpers_is_repaired() {
    let edited = check(
        CommonLisp,
        "(defun price (x)\n  (let ((y 1))\n    (list x y)))\n",
        (Replace, "price"),
        "(defun twice (x)\n  (* 2 x))\n\n(defun price (x)\n  (let ((y 1))\n    (list (twice x) y))\n",
        "(defun twice (x)\n  (* 2 x))\n\n(defun price (x)\n  (let ((y 1))\n    (list (twice x) y)))\n",
    );
    assert_eq!(edited.repair.unwrap().lines[0].line, 6);
}

#[test]
fn without_exactly_one_form_of_the_name_several_are_refused() {
    for content in
        ["(defun one () 1)\n(defun two () 2)", "(defun price (x) x)\n(defun price (y) y)", "(defun price (x) x) junk"]
    {
        let refusal = run(CommonLisp, SHOP, (Replace, "price"), content).unwrap_err();
        assert!(
            matches!(&refusal, EditRefusal::SeveralForms { name: Some(name), .. } if name == "price"),
            "{refusal:?}"
        );
    }
    // A method among others of its name is known by its key.
    let methods = "(defmethod area ((x circle)) 1)\n";
    let content = "(defmethod area ((x square)) 2)\n(defmethod area ((x circle)) (* pi 1))";
    let edited = run(CommonLisp, methods, (Replace, "area"), content).unwrap();
    assert_eq!(edited.text, "(defmethod area ((x square)) 2)\n\n(defmethod area ((x circle)) (* pi 1))\n");
}

const HINTS: &str = "(ns a)\n\n(defn one [x] x)\n\n;; About two.\n#_{:clj-kondo/ignore [:unused]}\n(defn two [x] 1)\n\n\
                     #_:clj-kondo/ignore\n;; About three.\n(defn three [x] 1)\n";

#[test]
fn a_hint_goes_with_its_form() {
    check(
        Clojure,
        HINTS,
        (Delete, "two"),
        "",
        "(ns a)\n\n(defn one [x] x)\n\n#_:clj-kondo/ignore\n;; About three.\n(defn three [x] 1)\n",
    );
    check(Clojure, HINTS, (Delete, "three"), "", &HINTS[..HINTS.find("\n#_:clj").unwrap()]);
    let new = "(defn new [] 1)";
    let before = HINTS.replace(";; About two.", "(defn new [] 1)\n\n;; About two.");
    check(Clojure, HINTS, (InsertBefore, "two"), new, &before);
    check(Clojure, HINTS, (InsertAfter, "one"), new, &before);
    // Code that was taken out is no hint.
    let code = "#_(defn old [] 1)\n(defn two [x] 1)\n\n(defn three [] 3)\n";
    check(Clojure, code, (Delete, "two"), "", "#_(defn old [] 1)\n\n(defn three [] 3)\n");
}

#[test]
fn a_hint_stays_unless_the_content_has_one() {
    check(Clojure, HINTS, (Replace, "two"), "(defn two [] 2)", &HINTS.replace("(defn two [x] 1)", "(defn two [] 2)"));
    check(
        Clojure,
        HINTS,
        (Replace, "two"),
        "#_{:clj-kondo/ignore [:other]}\n(defn two [] 2)",
        &HINTS.replace("[:unused]", "[:other]").replace("(defn two [x] 1)", "(defn two [] 2)"),
    );
    check(
        Clojure,
        HINTS,
        (Replace, "two"),
        ";; More.\n(defn two [] 2)",
        &HINTS.replace(";; About two.", ";; More.").replace("(defn two [x] 1)", "(defn two [] 2)"),
    );
}

#[test]
fn a_cookie_and_a_condition_go_with_their_form() {
    let el = "(defun one () 1)\n\n;;;###autoload\n(defun two () 2)\n";
    check(EmacsLisp, el, (Delete, "two"), "", "(defun one () 1)\n");
    check(EmacsLisp, el, (Replace, "two"), "(defun two () 3)", &el.replace("() 2)", "() 3)"));
    let inserted = el.replace(";;;###", "(defun new () 1)\n\n;;;###");
    check(EmacsLisp, el, (InsertBefore, "two"), "(defun new () 1)", &inserted);
    check(EmacsLisp, el, (InsertAfter, "one"), "(defun new () 1)", &inserted);
    check(CommonLisp, SHOP, (Delete, "price"), "", "(in-package :shop)\n\n(defun tax (x) x)\n");
    let meta = "(def a 1)\n\n^:private\n(defn two [] 2)\n";
    check(Clojure, meta, (Delete, "two"), "", "(def a 1)\n");
    check(Clojure, meta, (InsertBefore, "two"), "(def b 2)", "(def a 1)\n\n(def b 2)\n\n^:private\n(defn two [] 2)\n");
}

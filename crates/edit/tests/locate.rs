//! Addresses: exactly one form, or a refusal that leads to it. `▸` marks the form that is meant.
#![allow(clippy::unwrap_used, missing_docs)]

mod words;

use lispwright_edit::{EditRefusal, Source, Target, locate};
use lispwright_syntax::Dialect;
use words::said;

use Dialect::{Clojure, CommonLisp, EmacsLisp, Scheme};

const NONE: Target<'static> = Target { name: None, form_type: None, index: None, line: None };

#[track_caller]
fn check(dialect: Dialect, marked: &str, target: &Target<'_>) {
    let text = marked.replace('▸', "");
    let source = Source::read(&text, dialect);
    let id = locate(&source, target).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert_eq!(source.forms.get(id).outer.start as usize, marked.find('▸').unwrap());
}

fn named(name: &str) -> Target<'_> {
    Target { name: Some(name), ..NONE }
}

#[track_caller]
fn refused(text: &str, target: &Target<'_>) -> EditRefusal {
    locate(&Source::read(text, CommonLisp), target).expect_err("no form should fit")
}

const THREE: &str = "(defun f (a) a)\n#+x\n(defun f (b) b)\n(defmacro f (c) c)\n";

#[test]
fn type_index_or_line_select_one_of_three() {
    let marked = "(defun f (a) a)\n#+x\n(defun f (b) b)\n▸(defmacro f (c) c)\n";
    check(CommonLisp, marked, &Target { form_type: Some("defmacro"), ..named("f") });
    check(CommonLisp, marked, &Target { index: Some(3), ..named("f") });
    check(CommonLisp, marked, &Target { line: Some(4), ..named("F") });
    check(CommonLisp, marked, &named("f[3]"));
    check(
        CommonLisp,
        "(defun f (a) a)\n▸#+x\n(defun f (b) b)\n(defmacro f (c) c)\n",
        &Target { line: Some(3), ..named("f") },
    );
    match refused(THREE, &named("f")) {
        EditRefusal::FormAmbiguous { candidates, .. } => {
            let found: Vec<(u32, &str)> = candidates.iter().map(|form| (form.line, form.text.as_str())).collect();
            assert_eq!(found, [(1, "(defun f (a) a)"), (2, "#+x (defun f (b) b)"), (4, "(defmacro f (c) c)")]);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_address_that_does_not_fit_lists_similar_forms() {
    for target in [
        Target { form_type: Some("defvar"), ..named("f") },
        Target { index: Some(4), ..named("f") },
        Target { line: Some(9), ..named("f") },
        named("f[4]"),
    ] {
        let refusal = refused(THREE, &target);
        assert!(matches!(&refusal, EditRefusal::FormNotFound { others, .. } if others.len() == 3), "{refusal:?}");
        assert!(said(&refusal).contains("line 4: (defmacro f (c) c)"), "{refusal:?}");
    }
    let refusal = refused("(defun compute-area ())\n", &named("compute-aera"));
    assert!(said(&refusal).contains("Nearest names: compute-area"), "{refusal:?}");
    assert!(said(&refused("", &named("f"))).contains("None of the 0 definitions"));
}

#[test]
fn counts_begin_with_one_and_an_address_is_needed() {
    assert_eq!(refused(THREE, &NONE), EditRefusal::NoAddress);
    assert_eq!(refused(THREE, &named("  ")), EditRefusal::NoAddress);
    assert_eq!(refused(THREE, &Target { index: Some(0), ..named("f") }), EditRefusal::CountsFromOne);
    assert_eq!(refused(THREE, &Target { line: Some(0), ..named("f") }), EditRefusal::CountsFromOne);
}

#[test]
fn forms_without_a_name_have_a_line_or_a_head() {
    let marked = "(in-package :x)\n▸(setf (get 'a 'b)\n      1)\n(defun f ())\n";
    check(CommonLisp, marked, &Target { line: Some(3), ..NONE });
    check(CommonLisp, marked, &Target { form_type: Some("SETF"), ..NONE });
    check(CommonLisp, "(progn\n  ▸(defun f ())\n  (defun g ()))\n", &Target { line: Some(2), ..NONE });
}

#[test]
fn methods_are_told_apart_by_qualifiers_and_specializers() {
    let text = "(defmethod area ((c circle)) 1)\n(defmethod area :around ((c circle)\n                         &key verbose) 2)\n\
                ▸(defmethod area ((s square)\n                 (unit (eql :cm))) 3)\n";
    for name in ["area (square (eql :cm))", "area ((s square) (unit (eql :cm)))", "area ((x square)  (y (eql :cm)))"] {
        check(CommonLisp, text, &named(name));
    }
    let around = text.replace('▸', "").replace("(defmethod area :around", "▸(defmethod area :around");
    check(CommonLisp, &around, &named("area :around (circle)"));
    check(CommonLisp, &around, &named("area :around"));
    check(Clojure, "(defmethod area :circle [c] 1)\n▸(defmethod area [:a 1] [c] 2)\n", &named("area [:a 1]"));
}

#[test]
fn names_compare_as_the_dialect_reads_them() {
    check(CommonLisp, "(defun |Foo| ())\n▸(defun foo ())\n", &named("FOO"));
    check(CommonLisp, "▸(defun |Foo| ())\n(defun foo ())\n", &named("|Foo|"));
    check(CommonLisp, "(defun width (x) x)\n▸(defun (setf width) (v x) v)\n", &named("(SETF  width)"));
    check(CommonLisp, "▸(asdf:defsystem \"shapes\"\n  :components ())\n", &named("shapes"));
    check(
        CommonLisp,
        "(eval-when (:execute)\n  #-sbcl\n  (progn\n    ▸#.(x) (defun f ())))\n".replace("#.(x) ", "").as_str(),
        &named("f"),
    );
    check(Clojure, "(ns a)\n▸(defn ^{:private true} f \"doc\" ([x] x) ([x y] y))\n", &named("f"));
    check(Scheme, "▸(define ((adder a) b) (+ a b))\n", &named("adder"));
    check(EmacsLisp, ";;;###autoload\n▸(defun f ())\n", &named("f"));
}

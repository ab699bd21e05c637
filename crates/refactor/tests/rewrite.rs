//! Rewrites of forms, before and after.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use lispwright_index::pattern::guard::{DatumSort, GuardSource};
use lispwright_refactor::{Loss, RewriteRefusal, RewriteRequest, RewrittenText, rewrite};
use lispwright_syntax::Dialect;

fn done(
    dialect: Dialect,
    text: &str,
    shape: &str,
    template: &str,
    guards: &[GuardSource],
) -> Result<RewrittenText, RewriteRefusal> {
    let request = RewriteRequest { shape, template, guards, in_data: false, skips: false };
    rewrite(Path::new("a"), text, &dialect.into(), &request, None)
}

#[track_caller]
fn becomes(dialect: Dialect, text: &str, shape: &str, template: &str, expected: &str) {
    let found = done(dialect, text, shape, template, &[]).unwrap();
    assert_eq!(if found.count == 0 { text } else { &found.text }, expected);
}

#[track_caller]
fn loses(text: &str, shape: &str, template: &str, what: Loss, line: u32) {
    match done(Dialect::CommonLisp, text, shape, template, &[]) {
        Err(RewriteRefusal::Loss { spot, what: found, .. }) => assert_eq!((found, spot.line), (what, line)),
        found => panic!("{found:?}"),
    }
}

const CL: Dialect = Dialect::CommonLisp;

#[test]
fn values_keep_their_bytes() {
    becomes(CL, "(defun f (x) (equal x NIL))\n", "(equal ?x nil)", "(null ?x)", "(defun f (x) (null x))\n");
    becomes(
        CL,
        "(list (if (P  x #|y|#) (progn a b) nil))",
        "(if ?c (progn ?*b) nil)",
        "(when ?c ?*b)",
        "(list (when (P  x #|y|#) a b))",
    );
    becomes(CL, "(setq x (1+ x)) (setq y (1+ x))", "(setq ?x (1+ ?x))", "(incf ?x)", "(incf x) (setq y (1+ x))");
    becomes(CL, "(f) '(f) `(f ,(f)) (f 1)", "(f)", "(g)", "(g) '(f) `(f ,(g)) (f 1)");
    becomes(CL, "#+sbcl (f 1) #'(lambda () (f 2))", "(f ?x)", "(g ?x)", "#+sbcl (g 1) #'(lambda () (g 2))");
}

#[test]
fn the_function_of_the_shape_is_written_as_the_match_writes_it() {
    let text = "(EQUAL a b)";
    becomes(CL, text, "(equal ?x ?y)", "(equal ?y ?x)", "(EQUAL b a)");
    becomes(CL, text, "(equal ?x ?y)", "(not (equal ?x ?y))", "(not (EQUAL a b))");
    becomes(CL, text, "(equal ?x ?y)", "(apply #'equal ?x 'equal ?y)", "(apply #'EQUAL a 'EQUAL b)");
    becomes(CL, text, "(equal ?x ?y)", "(f equal \"equal\" ?x ?y)", "(f equal \"equal\" a b)");
    becomes(Dialect::Clojure, "(map #(f %) xs)", "(f ?x)", "(do (f ?x))", "(map #(do (f %)) xs)");
}

#[test]
fn quoted_data_stay_unless_they_are_asked_for() {
    let text = "(f 1) '(f 2) (quote (f 3))";
    let found = done(CL, text, "(f ?x)", "(g ?x)", &[]).unwrap();
    assert_eq!((found.text.as_str(), found.count, found.in_data), ("(g 1) '(f 2) (quote (f 3))", 1, 2));
    let request = RewriteRequest { shape: "(f ?x)", template: "(g ?x)", guards: &[], in_data: true, skips: false };
    let found = rewrite(Path::new("a"), text, &CL.into(), &request, None).unwrap();
    assert_eq!((found.text.as_str(), found.count), ("(g 1) '(g 2) (quote (g 3))", 3));
    let found = done(Dialect::EmacsLisp, "(f 1)\n'(f 2)", "(f ,x)", "(g ,x)", &[]).unwrap();
    assert_eq!((found.text.as_str(), found.in_data), ("(g 1)\n'(f 2)", 1));
}

#[test]
fn templates_are_code_in_macros_and_data_elsewhere() {
    let text = "(defmacro m (x) `(f ,x))\n(defun g (x) (macrolet ((k () `(f 1))) (k)))\n";
    becomes(CL, text, "(f ?x)", "(h ?x)", &text.replace("(f ", "(h "));
    let text = "(defvar table `((f 1) ,(f 2) ,@(list `(f ,(f 3)))))\n";
    let found = done(CL, text, "(f ?x)", "(h ?x)", &[]).unwrap();
    assert_eq!((found.text.as_str(), found.in_data), ("(defvar table `((f 1) ,(h 2) ,@(list `(f ,(h 3)))))\n", 2));
    becomes(Dialect::Clojure, "(defn g [x] `(f ~(f x)))", "(f ?x)", "(h ?x)", "(defn g [x] `(f ~(h x)))");
    let text = "(defconst keys\n  `((f (1 face)) ; a\n    ,(f (2))))\n";
    let found = done(Dialect::EmacsLisp, "(defvar k `((a-macro 1)))", "(a-macro ,x)", "(h ,x)", &[]).unwrap();
    assert_eq!((found.count, found.in_data), (0, 1));
    becomes(Dialect::EmacsLisp, text, "(f ,x)", "(h ,x)", &text.replace(",(f ", ",(h "));
}

#[test]
fn lines_are_indented_for_their_new_place() {
    becomes(
        CL,
        "(defun f (x)\n  (if (p x)\n      (progn\n        (a \"1\n2\"\n           b)\n        ;; Why.\n        (c))\n      nil))\n",
        "(if ?c (progn ?*body) nil)",
        "(when ?c ?*body)",
        "(defun f (x)\n  (when (p x)\n    (a \"1\n2\"\n       b)\n    ;; Why.\n    (c)))\n",
    );
    becomes(
        CL,
        "(list (my-and (a b)\n              (c\n               d)))",
        "(my-and ?*x)",
        "(and ?*x)",
        "(list (and (a b)\n           (c\n            d)))",
    );
    becomes(CL, "  (f a\n     b)\n", "(f ?x ?y)", "(combine ?x ?y)", "  (combine a\n           b)\n");
    becomes(CL, "  (f a)\n", "(f ?x)", "(let ((y ?x))\n  (g y))", "  (let ((y a))\n    (g y))\n");
    becomes(CL, "(f a)\r\n(b)\r\n", "(f ?x)", "(let ((y ?x))\n  (g y))", "(let ((y a))\r\n  (g y))\r\n(b)\r\n");
}

#[test]
fn an_empty_value_leaves_no_space() {
    becomes(CL, "(f) (f 1)", "(f ?*x)", "(g a ?*x)", "(g a) (g a 1)");
    becomes(CL, "(f)", "(f ?*x)", "(g ?*x b)", "(g b)");
    becomes(CL, "(f)", "(f ?*x)", "(?*x b)", "(b)");
    becomes(CL, "(f)", "(f ?*x)", "(?*x)", "()");
}

#[test]
fn inner_matches_are_rewritten_with_the_outer_ones() {
    becomes(CL, "(f (f (f 1)))", "(f ?x)", "(g ?x 0)", "(g (g (g 1 0) 0) 0)");
    becomes(CL, "(f (h (f 1)) (f 2))", "(f ?*x)", "(g ?*x)", "(g (h (g 1)) (g 2))");
    let overlap = done(CL, "(f (f (f 1)))", "(f (f ?x))", "(g ?x)", &[]);
    assert!(matches!(overlap, Err(RewriteRefusal::Loss { what: Loss::Overlap, .. })), "{overlap:?}");
}

#[test]
fn nothing_is_lost() {
    loses("(if a\n b\n ; why\n nil)", "(if ?a ?b nil)", "(when ?a ?b)", Loss::Comment, 3);
    becomes(
        CL,
        "(if a\n    (progn\n      ; Why.\n\n      ;; Because.\n      (b)\n      c)\n    nil)",
        "(if ?a (progn ?*b) nil)",
        "(when ?a ?*b)",
        "(when a\n  ; Why.\n\n  ;; Because.\n  (b)\n  c)",
    );
    loses("(if a #| why |# b nil)", "(if ?a ?b nil)", "(when ?a ?b)", Loss::Comment, 1);
    loses("(f (g ; why\n a))", "(f ?x)", "(h)", Loss::Comment, 1);
    loses("(if a #+sbcl b c)", "(if ?a ?b ?c)", "(cond (?a ?b) (t ?c))", Loss::Condition, 1);
    becomes(CL, "(if a (b #+sbcl c ; why\n) nil)", "(if ?a ?b nil)", "(when ?a ?b)", "(when a (b #+sbcl c ; why\n  ))");
    becomes(CL, "(f a #+sbcl b)", "(f ?*x)", "(g ?*x)", "(g a #+sbcl b)");
    let dropped = done(Dialect::Clojure, "(f #_(g) 1)", "(f ?x)", "(h ?x)", &[]);
    assert!(matches!(dropped, Err(RewriteRefusal::Loss { what: Loss::Dropped, .. })), "{dropped:?}");
    let branch = done(Dialect::Clojure, "(f #?(:clj 1))", "(f ?x)", "(h ?x)", &[]);
    assert!(matches!(branch, Err(RewriteRefusal::Loss { what: Loss::Condition, .. })), "{branch:?}");
    let broken = done(CL, "(f 1)\n(g", "(f ?x)", "(h ?x)", &[]);
    assert!(matches!(broken, Err(RewriteRefusal::Unbalanced { .. })), "{broken:?}");
}

#[test]
fn conditions_narrow_the_matches() {
    let text = "(f 1) (f a) (f \"s\") (with-x (f b))";
    let with = |guard: GuardSource| done(CL, text, "(f ?x)", "(g ?x)", &[guard]).unwrap().text;
    let x = || Some("?x".to_owned());
    let of = |kind| GuardSource { variable: x(), kind: Some(kind), ..GuardSource::default() };
    assert_eq!(with(of(DatumSort::Number)), "(g 1) (f a) (f \"s\") (with-x (f b))");
    assert_eq!(with(of(DatumSort::Symbol)), "(f 1) (g a) (f \"s\") (with-x (g b))");
    let inside = |inside: &str| Some(inside.to_owned());
    assert_eq!(
        with(GuardSource { inside: inside("(with-x ?*_)"), ..GuardSource::default() }),
        "(f 1) (f a) (f \"s\") (with-x (g b))"
    );
    assert_eq!(
        with(GuardSource { not_inside: inside("(with-x ?*_)"), ..GuardSource::default() }),
        "(g 1) (g a) (g \"s\") (with-x (f b))"
    );
    assert_eq!(
        with(GuardSource { variable: x(), text: inside("^[ab]$"), ..GuardSource::default() }),
        "(f 1) (g a) (f \"s\") (with-x (g b))"
    );
    let wrong = done(CL, text, "(f ?x)", "(g ?x)", &[GuardSource { variable: inside("y"), ..GuardSource::default() }]);
    assert!(matches!(wrong, Err(RewriteRefusal::Guard(_))), "{wrong:?}");
}

#[test]
fn each_dialect_has_its_notation() {
    becomes(
        Dialect::Clojure,
        "(defn f [x]\n  (if-not (nil? x)\n    (do\n      (a x)\n      (b x))))",
        "(if-not (nil? ?x) (do ?*b))",
        "(when (some? ?x) ?*b)",
        "(defn f [x]\n  (when (some? x)\n    (a x)\n    (b x)))",
    );
    becomes(
        Dialect::EmacsLisp,
        "(setq a (+ a 1))\n(if ?a (progn (b)))",
        "(setq ,x (+ ,x 1))",
        "(cl-incf ,x)",
        "(cl-incf a)\n(if ?a (progn (b)))",
    );
    becomes(Dialect::Scheme, "(if [not x] 1 2)", "(if (not ?x) ?a ?b)", "(if ?x ?b ?a)", "(if x 2 1)");
    becomes(Dialect::Clojure, "(f {:a 1} #{2})", "(f ?m ?s)", "[?s @(g ?m)]", "[#{2} @(g {:a 1})]");
}

#[test]
fn a_template_that_is_no_form_is_refused() {
    for (template, column) in [("(g ?x", Some(1)), ("(g ?y)", Some(4)), ("?x ?x", None), ("", None)] {
        match done(CL, "(f 1)", "(f ?x)", template, &[]) {
            Err(RewriteRefusal::Template(bad)) => assert_eq!(bad.column, column, "{template}: {bad:?}"),
            found => panic!("{template}: {found:?}"),
        }
    }
    let swallows = done(CL, "(f 1)", "(f ?*x)", "'?*x", &[]);
    assert!(swallows.is_ok(), "{swallows:?}");
    let two = done(CL, "(f 1 2)", "(f ?*x)", "?*x", &[]);
    assert!(matches!(two, Err(RewriteRefusal::WouldBreak { .. })), "{two:?}");
}

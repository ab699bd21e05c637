//! A special form or definition with too few or too many parts, or parts of another kind.

use std::sync::{Arc, OnceLock};

use lispwright_syntax::Dialect;
use rustc_hash::FxHashMap;

use crate::code::sets_field;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};
use crate::shape::Shape;

/// A special form or definition with too few or too many parts.
pub(crate) struct MalformedForm;

static ABOUT: About = About {
    code: "malformed-form",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A special form or definition has fewer or more parts than the language allows, or a list or a name in it is none.",
    why: "The compiler refuses the form; often a closer stands in the wrong place.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun sign (n)\n  (if (< n 0) -1 0 1))\n",
            right: "(defun sign (n)\n  (if (< n 0) -1 1))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun show (list)\n  (dolist (one list nil 1)\n    (print one)))\n",
            right: "(defun show (list)\n  (dolist (one list nil)\n    (print one))\n  (do ((n 0 (1+ n)) rest) ((> n 9) rest)\n    (print n)))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun show (one)\n  (print-unreadable-object (one *standard-output* :typ t)\n    (prin1 1)))\n",
            right: "(defun show (one)\n  (print-unreadable-object (one *standard-output* :type t)\n    (handler-case (prin1 1)\n      (error () 2)\n      (:no-error (a &rest more) (list a more)))))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  (parameterize ((current-output-port)) (display r)))\n",
            right: "(define (area r)\n  (parameterize () (set! (car r) 1)))\n(define-values (a . b) (values 1 2))\n(define-values c (values 1 2))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun show (all)\n  (dolist (one)\n    (print (list one all))))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun show (all)\n  (dolist (one all)\n    (pcase one (`(,a . ,_) (print a)))\n    (pcase-let ((`(,a) one)) (print a))))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn sign [n] (if (neg? n)))\n",
            right: "(ns example)\n(defn sign [n] (if (neg? n) -1 #?(:clj 1)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (sign n) (if (< n 0) -1))\n",
            right: "#lang racket\n(define (sign n) (if (< n 0) -1 1))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun sign (n)\n  (if (< n 0)))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun sign (n)\n  (if (< n 0) -1 (message \"big\") 1))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (rest list)\n  (set! list (cdr list) list))\n",
            right: "(define (rest list)\n  (set! list (cdr list)) list)\n",
        },
    ],
};

/// The shapes of the forms of a dialect, each after its heads: CLHS; Emacs Lisp manual; R7RS, SRFI 1 to 9 and the manual of
/// Guile; the Racket reference; clojure.core.
const SHAPES: &[(Dialect, &str)] = &[
    (Dialect::CommonLisp, include_str!("malformed_form/common_lisp.shapes")),
    (Dialect::EmacsLisp, include_str!("malformed_form/emacs_lisp.shapes")),
    (Dialect::Clojure, include_str!("malformed_form/clojure.shapes")),
    (Dialect::Scheme, include_str!("malformed_form/scheme.shapes")),
    (Dialect::Racket, include_str!("malformed_form/racket.shapes")),
];

/// Shapes by their heads.
type Shapes = FxHashMap<&'static str, Arc<Shape>>;

/// The shapes of a dialect by their heads.
fn shapes(dialect: Dialect) -> Option<&'static Shapes> {
    static READ: OnceLock<Vec<(Dialect, Shapes)>> = OnceLock::new();
    let read = |source: &'static str| {
        let mut found = FxHashMap::default();
        for (heads, shape) in source.lines().filter_map(|line| line.split_once(' ')) {
            let shape = Arc::new(Shape::read(shape));
            found.extend(heads.split(',').map(|head| (head, shape.clone())));
        }
        found
    };
    let all = READ.get_or_init(|| SHAPES.iter().map(|(dialect, source)| (*dialect, read(source))).collect());
    all.iter().find(|(of, _)| *of == dialect).map(|(_, shapes)| shapes)
}

/// What is said of a form with so few parts.
fn parts(count: usize) -> String {
    match count {
        1 => "1 part".to_owned(),
        count => format!("{count} parts"),
    }
}

impl Rule for MalformedForm {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let Some(shapes) = shapes(file.dialect()) else { return };
        for form in file.code().certain().filter(|form| form.is_whole) {
            let Some(shape) = shapes.get(&*form.name) else { continue };
            let head = &*form.name;
            let (fewest, most) = shape.counts();
            let count = form.arguments.len();
            let head_span = file.tree.core_span(form.head);
            let is_language = || file.is_of_language(head_span);
            if count >= fewest && most.is_none_or(|most| count <= most) || sets_field(file, form) {
                if let Some(fault) = shape.fault(file, head, &form.arguments).filter(|_| is_language()) {
                    findings.add(fault.span, fault.wanted);
                }
                continue;
            }
            if !is_language() {
                continue;
            }
            let (span, wanted) = match most.and_then(|most| form.arguments.get(most)) {
                Some(first) if Some(fewest) == most => (file.tree.datum_span(*first), parts(fewest)),
                Some(first) => {
                    (file.tree.datum_span(*first), format!("at most {}", parts(count.min(most.unwrap_or(count)))))
                }
                None if Some(fewest) == most => (head_span, parts(fewest)),
                None => (head_span, format!("at least {}", parts(fewest))),
            };
            findings.add(span, format!("`{head}` takes {wanted}, and gets {count}"));
        }
    }
}

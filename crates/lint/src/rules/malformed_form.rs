//! A special form or definition with too few or too many parts.

use lispwright_syntax::Dialect;

use crate::code::sets_field;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A special form or definition with too few or too many parts.
pub(crate) struct MalformedForm;

static ABOUT: About = About {
    code: "malformed-form",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A special form or definition has fewer or more parts than the language allows.",
    why: "The compiler refuses the form; often a closer stands in the wrong place.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun sign (n)\n  (if (< n 0) -1 0 1))\n",
            right: "(defun sign (n)\n  (if (< n 0) -1 1))\n",
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

/// How many parts the forms of a dialect may have, as `head:fewest:most`; without `most`, any number.
const COUNTS: &[(Dialect, &str)] = &[
    (
        Dialect::CommonLisp,
        "if:2:3 quote:1:1 function:1:1 the:2:2 defvar:1:3 defparameter:2:3 defconstant:2:3 return-from:1:2 throw:2:2 \
         go:1:1 block:1 eval-when:1 catch:1 unwind-protect:1 progv:2 let:1 let*:1 flet:1 labels:1 macrolet:1 \
         symbol-macrolet:1 lambda:1 defun:2 defmacro:2 defgeneric:2 defmethod:2 deftype:2 destructuring-bind:2 \
         multiple-value-bind:2 multiple-value-setq:2:2 handler-case:1 handler-bind:1 restart-case:1 when:1 unless:1 \
         dolist:1 dotimes:1 do:2 do*:2 case:1 ecase:1 ccase:1 typecase:1 etypecase:1 defclass:3 define-condition:3 \
         defstruct:1 in-package:1:1 defpackage:1 return:0:1 nth-value:2:2 multiple-value-call:1 \
         multiple-value-prog1:1 prog1:1 prog2:2 push:2:2 pop:1:1 incf:1:2 decf:1:2 check-type:2:3 with-slots:2 \
         with-accessors:2 with-open-file:1 define-symbol-macro:2:2",
    ),
    (
        Dialect::EmacsLisp,
        "if:2 quote:1:1 let:1 let*:1 defun:2 defmacro:2 defvar:1:3 defconst:2:3 defcustom:2 lambda:1 while:1 catch:1 \
         condition-case:2 unwind-protect:1 when:1 unless:1 dolist:1 dotimes:1 prog1:1 prog2:2 push:2:2 pop:1:1 \
         cl-incf:1:2 cl-decf:1:2 cl-defun:2 cl-defmethod:2 pcase:1 pcase-let:1 cl-case:1 with-current-buffer:1 \
         define-derived-mode:3 cl-flet:1 cl-labels:1 cl-letf:1",
    ),
    (
        Dialect::Clojure,
        "if:2:3 if-not:2:3 if-let:2:3 if-some:2:3 when:1 when-not:1 when-let:1 when-some:1 let:1 loop:1 def:1:3 \
         defonce:2:2 throw:1:1 set!:2:2 defn:2 defmacro:2 defmulti:2 defmethod:3 doseq:1 for:2:2 binding:1 \
         defrecord:2 deftype:2 defprotocol:1 ns:1 while:1 dotimes:1 case:1 condp:2 var:1:1 letfn:1 catch:2 as->:2 \
         monitor-enter:1:1 monitor-exit:1:1",
    ),
    (
        Dialect::Scheme,
        "if:2:3 quote:1:1 set!:2:2 define:1 let:2 let*:2 letrec:2 letrec*:2 lambda:2 do:2 define-syntax:2:2 \
         let-values:2 let*-values:2 delay:1:1 case:1 define-values:2 receive:2 parameterize:2 quasiquote:1:1 \
         syntax-rules:1 let-syntax:1 letrec-syntax:1 define-record-type:1",
    ),
    (
        Dialect::Racket,
        "if:3:3 quote:1:1 set!:2:2 define:2 lambda:2 λ:2 let:2 let*:2 letrec:2 when:2 unless:2 case:1 \
         define-values:2:2 let-values:2 let*-values:2 letrec-values:2 struct:1 with-handlers:2 parameterize:2 do:2 \
         for:2 for/list:2 for/fold:2 for/and:2 for/or:2 for/vector:2 for*:2 for*/list:2 begin0:1 syntax-case:2 \
         define-syntax:2 define-syntax-rule:2:2 set!-values:2:2 quasiquote:1:1 let/ec:2 let/cc:2",
    ),
];

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
        let row = COUNTS.iter().find(|(dialect, _)| *dialect == file.dialect());
        let counts: Vec<(&str, usize, Option<usize>)> = row
            .into_iter()
            .flat_map(|(_, counts)| counts.split_whitespace())
            .filter_map(|count| {
                let mut count = count.split(':');
                let (head, fewest) = (count.next()?, count.next()?.parse().ok()?);
                Some((head, fewest, count.next().and_then(|most| most.parse().ok())))
            })
            .collect();
        for form in file.code().certain().filter(|form| form.is_whole) {
            let Some((head, fewest, most)) = counts.iter().find(|(head, ..)| *head == form.name) else { continue };
            let count = form.arguments.len();
            let head_span = file.tree.core_span(form.head);
            let fits = (count >= *fewest && most.is_none_or(|most| count <= most)) || sets_field(file, form);
            if fits || !file.is_of_language(head_span) {
                continue;
            }
            let (span, wanted) = match most.and_then(|most| form.arguments.get(most)) {
                Some(first) if Some(*fewest) == *most => (file.tree.datum_span(*first), parts(*fewest)),
                Some(first) => {
                    (file.tree.datum_span(*first), format!("at most {}", parts(count.min(most.unwrap_or(count)))))
                }
                None if Some(*fewest) == *most => (head_span, parts(*fewest)),
                None => (head_span, format!("at least {}", parts(*fewest))),
            };
            findings.add(span, format!("`{head}` takes {wanted}, and gets {count}"));
        }
    }
}

//! The shapes of forms everyone writes: which argument is a list, and which list holds lists.
//!
//! `(defun f x ...)` and `(let (a 1) ...)` balance and are not what anybody means. Where a repair would leave such a
//! form, this speaks against it. Heads that a project defines itself are learnt from the file instead
//! ([`crate::habits`]).

use std::sync::OnceLock;

use lispwright_syntax::Dialect;
use rustc_hash::FxHashMap;

use crate::code::name_of;
use crate::question::{Question, argument};

/// `head:argument` for arguments that are lists.
const COMMON_LISP_LISTS: &str = "defun:2 defmacro:2 defgeneric:2 deftype:2 lambda:1 let:1 let*:1 flet:1 labels:1 macrolet:1 \
symbol-macrolet:1 destructuring-bind:1 multiple-value-bind:1 dolist:1 dotimes:1 do:1 do:2 do*:1 do*:2 prog:1 prog*:1 \
with-open-file:1 with-slots:1 with-accessors:1 handler-bind:1 defclass:2 define-condition:2 defclass:3 eval-when:1 \
with-output-to-string:1 define-compiler-macro:2 defsetf:2 restart-bind:1 print-unreadable-object:1 cond:1 cond:2 cond:3 \
cond:4 case:2 case:3 case:4 ecase:2 ecase:3 ecase:4 typecase:2 typecase:3 etypecase:2 etypecase:3 declare:1 handler-case:2";
const COMMON_LISP_ATOMS: &str = "defmacro:1 defgeneric:1 deftype:1 defvar:1 defparameter:1 defconstant:1 defclass:1 \
define-condition:1 block:1 return-from:1 in-package:1 defpackage:1";
const COMMON_LISP_NESTED: &str = "let:1 let*:1 flet:1 labels:1 macrolet:1 symbol-macrolet:1 do:1 do*:1 handler-bind:1";

const SCHEME_LISTS: &str = "let*:1 letrec:1 letrec*:1 let-values:1 let*-values:1 do:1 do:2 parameterize:1 syntax-rules:1 \
let-syntax:1 letrec-syntax:1 cond:1 cond:2 cond:3 cond:4 case:2 case:3 case:4 match:2 match:3 match:4 with-fluids:1 \
define-method:1 define-inlinable:1 define-syntax-rule:1 receive:1 define-module:1 syntax-rules:2";
const SCHEME_ATOMS: &str = "define-syntax:1 set!:1 define-record-type:1";
const SCHEME_NESTED: &str =
    "let:1 let*:1 letrec:1 letrec*:1 let-values:1 let*-values:1 do:1 parameterize:1 with-fluids:1";

const CLOJURE_LISTS: &str = "let:1 loop:1 binding:1 for:1 doseq:1 dotimes:1 if-let:1 when-let:1 when-some:1 if-some:1 \
with-open:1 with-redefs:1 letfn:1 ns:2 ns:3";
const CLOJURE_ATOMS: &str = "ns:1 defn:1 defn-:1 defmacro:1 defmulti:1 defmethod:1 defprotocol:1 deftest:1 set!:1";
const CLOJURE_NESTED: &str = "letfn:1";

const EMACS_LISP_LISTS: &str = "defun:2 defmacro:2 defsubst:2 cl-defun:2 cl-defmacro:2 defadvice:2 lambda:1 let:1 let*:1 \
cl-flet:1 cl-labels:1 cl-letf:1 dolist:1 dotimes:1 cl-destructuring-bind:1 cl-multiple-value-bind:1 pcase-let:1 \
pcase-let*:1 when-let:1 if-let:1 when-let*:1 cond:1 cond:2 cond:3 cond:4 pcase:2 pcase:3 pcase:4 cl-case:2 cl-case:3 \
condition-case:3 declare:1 letf:1 letrec:1";
const EMACS_LISP_ATOMS: &str = "defun:1 defmacro:1 defsubst:1 defvar:1 defconst:1 defcustom:1 defgroup:1 defface:1 \
condition-case:1 cl-defun:1 defvar-local:1 define-minor-mode:1 define-derived-mode:1";
const EMACS_LISP_NESTED: &str = "cl-flet:1 cl-labels:1 cl-letf:1 pcase-let:1 pcase-let*:1";

/// How sure the shapes are: some heads mean something else in other places.
const SURE: f32 = 0.985;
const NESTED: f32 = 0.9;

/// Probabilities of the answer yes, for the questions that a dialect's own forms decide.
pub(crate) fn shapes(dialect: Dialect) -> &'static FxHashMap<(u64, u8), f32> {
    static TABLES: OnceLock<[FxHashMap<(u64, u8), f32>; 4]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        [
            table(COMMON_LISP_LISTS, COMMON_LISP_ATOMS, COMMON_LISP_NESTED),
            table(SCHEME_LISTS, SCHEME_ATOMS, SCHEME_NESTED),
            table(CLOJURE_LISTS, CLOJURE_ATOMS, CLOJURE_NESTED),
            table(EMACS_LISP_LISTS, EMACS_LISP_ATOMS, EMACS_LISP_NESTED),
        ]
    });
    match dialect {
        Dialect::CommonLisp => &tables[0],
        Dialect::Scheme => &tables[1],
        Dialect::Clojure | Dialect::Edn => &tables[2],
        Dialect::EmacsLisp => &tables[3],
    }
}

fn table(lists: &'static str, atoms: &'static str, nested: &'static str) -> FxHashMap<(u64, u8), f32> {
    let rows = |text: &'static str, question: Question, p: f32| {
        text.split_whitespace().filter_map(move |row| {
            let (head, index) = row.rsplit_once(':')?;
            Some(((argument(name_of(head.as_bytes()), index.parse().ok()?), question as u8), p))
        })
    };
    rows(lists, Question::IsList, SURE)
        .chain(rows(atoms, Question::IsList, 1.0 - SURE))
        .chain(rows(nested, Question::ListFirst, NESTED))
        .collect()
}

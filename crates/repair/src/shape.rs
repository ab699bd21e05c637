//! The shapes of forms everyone writes: which argument is a list, and which list holds lists.
//!
//! `(defun f x ...)` and `(let (a 1) ...)` balance and are not what anybody means. Where a repair would leave such a
//! form, this speaks against it. Heads that a project defines itself are learnt from the file instead
//! ([`crate::habits`]).

use std::sync::OnceLock;

use lispwright_syntax::Dialect;
use rustc_hash::FxHashMap;

use crate::code::name_of;
use crate::operators::row;
use crate::question::{MAP, MOST_ARGUMENTS, Question, argument, part_of, with_atom};

/// `head:argument` for arguments that are lists; with an `@` behind the head, when its first argument is an atom.
const COMMON_LISP_LISTS: &str = "defun:2 defmacro:2 defgeneric:2 deftype:2 lambda:1 let:1 let*:1 flet:1 labels:1 macrolet:1 \
symbol-macrolet:1 destructuring-bind:1 multiple-value-bind:1 dolist:1 dotimes:1 do:1 do:2 do*:1 do*:2 prog:1 prog*:1 \
with-open-file:1 with-slots:1 with-accessors:1 handler-bind:1 defclass:2 define-condition:2 defclass:3 eval-when:1 \
with-output-to-string:1 define-compiler-macro:2 defsetf:2 restart-bind:1 print-unreadable-object:1 cond:1 cond:2 cond:3 \
cond:4 case:2 case:3 case:4 ecase:2 ecase:3 ecase:4 typecase:2 typecase:3 etypecase:2 etypecase:3 declare:1 handler-case:2 \
defgeneric:3 defgeneric:4 defclass:4 define-condition:4 defpackage:2 defpackage:3 defpackage:4";
const COMMON_LISP_ATOMS: &str = "defmacro:1 defgeneric:1 deftype:1 defvar:1 defparameter:1 defconstant:1 defclass:1 \
define-condition:1 block:1 return-from:1 in-package:1 defpackage:1";
const COMMON_LISP_NESTED: &str = "let:1 let*:1 flet:1 labels:1 macrolet:1 symbol-macrolet:1 do:1 do*:1 handler-bind:1 \
defclass:3 define-condition:3 cond:1 cond:2 cond:3 cond:4 restart-bind:1 with-accessors:1 defmethod:2";
const COMMON_LISP_EITHER: &str = "do:2 do*:2 case:2 case:3 case:4 ecase:2 ecase:3 ecase:4 typecase:2 typecase:3 typecase:4 \
etypecase:2 etypecase:3 etypecase:4 defmacro:2 defmethod:3 with-slots:1 if-let:1 when-let:1 when-let*:1 \
destructuring-bind:1";

const SCHEME_LISTS: &str = "let*:1 letrec:1 letrec*:1 let-values:1 let*-values:1 do:1 do:2 parameterize:1 syntax-rules:1 \
let-syntax:1 letrec-syntax:1 cond:1 cond:2 cond:3 cond:4 case:2 case:3 case:4 match:2 match:3 match:4 with-fluids:1 \
define-method:1 define-inlinable:1 define-syntax-rule:1 receive:1 define-module:1 syntax-rules:2 let@:2";
const SCHEME_ATOMS: &str = "define-syntax:1 set!:1 define-record-type:1";
const SCHEME_NESTED: &str = "let:1 let*:1 letrec:1 letrec*:1 let-values:1 let*-values:1 do:1 parameterize:1 with-fluids:1 \
let@:2 cond:1 cond:2 cond:3 cond:4 case:2 case:3 case:4 case-lambda:1 case-lambda:2 case-lambda:3 case-lambda:4 \
case-lambda*:1 case-lambda*:2 match-lambda:1 match-lambda:2 match-lambda:3 match-lambda:4 let-syntax:1 letrec-syntax:1 \
with-syntax:1 and-let*:1 syntax-rules:2 syntax-rules:3 syntax-rules:4 define-method:1";
const SCHEME_EITHER: &str = "match:2 match:3 match:4 syntax-case:3 syntax-case:4 do:2 define-syntax-rule:1 lambda:1";

const CLOJURE_LISTS: &str = "let:1 loop:1 binding:1 for:1 doseq:1 dotimes:1 if-let:1 when-let:1 when-some:1 if-some:1 \
with-open:1 with-redefs:1 letfn:1 ns:3";
const CLOJURE_ATOMS: &str = "ns:1 defn:1 defn-:1 defmacro:1 defmulti:1 defmethod:1 defprotocol:1 deftest:1 set!:1";
const CLOJURE_NESTED: &str = "letfn:1";
const CLOJURE_EITHER: &str = "case:2 case:4";

const EMACS_LISP_LISTS: &str = "defun:2 defmacro:2 defsubst:2 cl-defun:2 cl-defmacro:2 defadvice:2 lambda:1 let:1 let*:1 \
cl-flet:1 cl-labels:1 cl-letf:1 dolist:1 dotimes:1 cl-destructuring-bind:1 cl-multiple-value-bind:1 pcase-let:1 \
pcase-let*:1 when-let:1 if-let:1 when-let*:1 cond:1 cond:2 cond:3 cond:4 pcase:2 pcase:3 pcase:4 cl-case:2 cl-case:3 \
condition-case:3 declare:1 letf:1 letrec:1";
const EMACS_LISP_ATOMS: &str = "defun:1 defmacro:1 defsubst:1 defvar:1 defconst:1 defcustom:1 defgroup:1 defface:1 \
condition-case:1 cl-defun:1 defvar-local:1 define-minor-mode:1 define-derived-mode:1";
const EMACS_LISP_NESTED: &str = "let:1 let*:1 cl-flet:1 cl-labels:1 cl-letf:1 pcase-let:1 pcase-let*:1 cond:1 cond:2 cond:3 \
cond:4 cl-letf*:1 cl-flet*:1 cl-macrolet:1 letrec:1 dlet:1 if-let*:1 when-let*:1 and-let*:1 cl-symbol-macrolet:1 \
cl-defmethod:2";
const EMACS_LISP_EITHER: &str = "if-let:1 when-let:1 pcase:2 pcase:3 pcase:4 cl-case:2 cl-case:3 cl-case:4 cl-do:2 \
with-slots:1 with-suppressed-warnings:1 cl-defmethod:3 letf:1";

/// `head:fewest:most` arguments; a head without a most takes any number. A head with an `@` is meant when its first argument
/// is an atom.
const COMMON_LISP_COUNTS: &str = "progn:1 eval-when:2 let:2 let*:2 macrolet:2 symbol-macrolet:2 flet:2 labels:2 when:2 \
unless:2 if:2:3 defun:3 defmacro:3 defmethod:3 lambda:2 dolist:2 dotimes:2 multiple-value-bind:3 destructuring-bind:3 \
unwind-protect:2 case:2 ecase:2 typecase:2 etypecase:2 handler-case:2 handler-bind:2 with-slots:3 with-open-file:2 \
defvar:1:3 defparameter:2:3 defconstant:2:3 setf:2 setq:2 car:1:1 cdr:1:1 cons:2:2 not:1:1 null:1:1 eq:2:2 eql:2:2 equal:2:2 \
1+:1:1 1-:1:1 aref:2 gethash:2:3 push:2:2 pop:1:1 first:1:1 second:1:1 rest:1:1 nth:2:2 elt:2:2 mapcar:2 apply:2 funcall:1 \
return-from:1:2 throw:2:2 catch:2 block:2 coerce:2:2 typep:2:3 length:1:1 consp:1:1 listp:1:1 stringp:1:1 symbolp:1:1 \
incf:1:2 decf:1:2 the:2:2 cond:1 assert:1 member:2 assoc:2 in-package:1:1 make-instance:1 slot-value:2:2 find:2 position:2 remove:2 mapc:2 mapcan:2 reduce:2 sort:2 with-output-to-string:2 print-unreadable-object:2 restart-case:2 defclass:3 and:2 or:2";
const SCHEME_COUNTS: &str = "begin:1 define:2 define*:2 define@:2:2 define-public@:2:2 let@:3 let:2 let*:2 letrec:2 letrec*:2 lambda:2 when:2 unless:2 if:2:3 \
define-syntax:2:2 let-values:2 let*-values:2 receive:3 parameterize:2 with-fluids:2 do:2 case:2 match:2 syntax-rules:2 \
set!:2:2 car:1:1 cdr:1:1 cadr:1:1 cons:2:2 not:1:1 null?:1:1 pair?:1:1 eq?:2:2 eqv?:2:2 equal?:2:2 1+:1:1 1-:1:1 length:1:1 \
vector-ref:2:2 vector-set!:3:3 string-ref:2:2 set-car!:2:2 set-cdr!:2:2 zero?:1:1 reverse:1:1 call-with-values:2:2 \
dynamic-wind:3:3 for-each:2 map:2 apply:2 and:2 or:2 cond:1 define-module:1 use-modules:1 hashq-ref:2:3 hashq-set!:3:3";
const CLOJURE_COUNTS: &str = "do:1 let:2 loop:2 when:2 when-not:2 if:2:3 if-let:2:3 when-let:2 if-not:2:3 if-some:2:3 defn:2 \
defn-:2 defmacro:2 fn:2 def:1:3 for:2 doseq:2 dotimes:2 binding:2 with-redefs:2 with-open:2 case:2 try:1 catch:2 deftest:1 \
testing:2 is:1:2 inc:1:1 dec:1:1 not:1:1 nil?:1:1 first:1:1 rest:1:1 next:1:1 count:1:1 seq:1:1 set!:2:2 instance?:2:2 \
throw:1:1 assoc:3 conj:2 map:1 apply:2 update:3 get:2:3 get-in:2:3 cond:2 defmethod:3 defmulti:2 ->:2 ->>:2 swap!:2 reset!:2:2";
const EMACS_LISP_COUNTS: &str = "progn:1 let:2 let*:2 when:2 unless:2 if:2 defun:2 defmacro:2 lambda:2 while:1 dolist:2 \
dotimes:2 save-excursion:1 save-restriction:1 with-current-buffer:2 with-temp-buffer:1 condition-case:2 unwind-protect:2 \
defvar:1:3 defconst:2:3 defcustom:3 setq:2 car:1:1 cdr:1:1 cadr:1:1 cons:2:2 not:1:1 null:1:1 eq:2:2 eql:2:2 equal:2:2 1+:1:1 \
1-:1:1 aref:2:2 nth:2:2 push:2:2 pop:1:1 length:1:1 stringp:1:1 consp:1:1 listp:1:1 symbolp:1:1 numberp:1:1 memq:2:2 assq:2:3 \
member:2:2 mapcar:2:2 mapc:2:2 funcall:1 apply:2 string=:2:2 goto-char:1:1 insert:1 nreverse:1:1 add-hook:2:4 provide:1:2 \
require:1:3 mapconcat:2:3 with-eval-after-load:2 cl-loop:2 setcar:2:2 setcdr:2:2 and:2 or:2 cond:1 pcase:2 cl-case:2 define-key:3:4 declare-function:1 defgroup:3";

/// `head:argument` from which on lists are clauses, whose first datum is not called.
const CLAUSES: &str = "case:2 ecase:2 ccase:2 typecase:2 etypecase:2 handler-case:2 restart-case:3 match:2 pcase:2 cl-case:2 \
cl-ecase:2 cl-typecase:2 condition-case:3 define-record-type:3 defstruct:2 syntax-rules:2 defprotocol:1 define-condition:4 \
defclass:4 defpackage:2 define-module:2 cond:1 case-lambda:1 match-lambda:1 cond-expand:1";
/// `head:argument` of clauses: a list of parameters, which are not called either. Those of the second row may be no list.
const CLAUSE_PARAMETERS: &str = "handler-case:1 restart-case:1 flet:1 labels:1 macrolet:1 cl-labels:1 cl-macrolet:1";
const CLAUSE_NAMES: &str = "cl-flet:1";

/// `head:fewest:most` arguments of a binding or clause, the first datum not counted.
const PARTS: &str = "let:0:1 let@:1:1 let*:0:1 letrec:1:1 letrec*:1:1 parameterize:1:1 symbol-macrolet:1:1 flet:2 labels:2 macrolet:2 \
cl-flet:2 cl-labels:2 handler-bind:1:1 with-fluids:1:1 let-values:1:1 let*-values:1:1 pcase-let:1:1 do:0:2 case:1 ecase:1 match:1 \
typecase:1 handler-case:1 pcase:1 define-record-type:1:2";

/// `head:argument` from which on a symbol does not stand on the line of the head when the body has lines of its own.
const BODIES: [&str; 4] = [
    "defun:3 defmacro:3 when:2 unless:2 let:2 let*:2 flet:2 labels:2 macrolet:2 dolist:2 dotimes:2 do:3 do*:3 lambda:2 \
     destructuring-bind:3 multiple-value-bind:3 with-open-file:2 with-slots:3 with-accessors:3 case:2 ecase:2 typecase:2 \
     etypecase:2 with-output-to-string:2 unwind-protect:2 handler-case:2 handler-bind:2 symbol-macrolet:2 defmethod:3",
    "when:2 unless:2 let:2 let@:3 let*:2 letrec:2 letrec*:2 lambda:2 do:3 case:2 match:2 parameterize:2 let-values:2 \
     let*-values:2 with-fluids:2 receive:3 define-record-type:3",
    "when:2 when-not:2 let:2 loop:2 doseq:2 for:2 dotimes:2 binding:2 when-let:2 when-some:2 if-let:2 if-some:2 with-open:2 \
     with-redefs:2 testing:2",
    "defun:3 defmacro:3 defsubst:3 while:2 when:2 unless:2 let:2 let*:2 dolist:2 dotimes:2 lambda:2 with-current-buffer:2 \
     condition-case:3 unwind-protect:2 pcase:2 cl-case:2 cl-flet:2 cl-labels:2 when-let:2 if-let:2 when-let*:2 if-let*:2 \
     pcase-let:2 pcase-let*:2 cl-defun:3 cl-defmacro:3 cl-defmethod:3 save-excursion:1 save-restriction:1 with-temp-buffer:1",
];

/// `head:argument` of docstrings that a body has to follow; a head may take it in other places in another dialect.
const DOCSTRINGS: [&str; 4] = [
    "defun:3 defmacro:3 deftype:3 define-compiler-macro:3",
    "",
    "defn:2 defn-:2 defmacro:2",
    "defun:3 defmacro:3 defsubst:3 cl-defun:3 cl-defmacro:3 cl-defsubst:3 define-inline:3 ert-deftest:3",
];

/// Heads in whose bindings a name comes first, and in whose bindings a list does.
const NAME_FIRST: &str = "let let@ let* letrec letrec* parameterize symbol-macrolet macrolet do do* prog handler-bind restart-bind \
with-fluids cl-flet cl-labels cl-macrolet pcase-let pcase-let* let-syntax letrec-syntax defclass define-condition \
dlet with-accessors";
const LIST_FIRST: &str = "let-values let*-values with-syntax cl-letf cl-letf*";

/// Heads whose vector argument holds pairs, `head:argument`.
const CLOJURE_PAIRS: &str =
    "let:1 loop:1 binding:1 for:1 doseq:1 with-redefs:1 with-open:1 if-let:1 when-let:1 dotimes:1";

/// How sure the shapes are: some heads mean something else in other places.
const SURE: f32 = 0.985;
const NESTED: f32 = 0.9;
const EITHER: f32 = 0.4;
const PAIRED: f32 = 0.95;

/// What is known of the forms of one dialect; each row as the constants above say it.
struct Known {
    lists: &'static str,
    atoms: &'static str,
    nested: &'static str,
    either: &'static str,
    counts: &'static str,
    pairs: &'static str,
    docstrings: &'static str,
    bodies: &'static str,
}

const KNOWN: [Known; 4] = [
    Known {
        lists: COMMON_LISP_LISTS,
        atoms: COMMON_LISP_ATOMS,
        nested: COMMON_LISP_NESTED,
        either: COMMON_LISP_EITHER,
        counts: COMMON_LISP_COUNTS,
        pairs: "",
        docstrings: DOCSTRINGS[0],
        bodies: BODIES[0],
    },
    Known {
        lists: SCHEME_LISTS,
        atoms: SCHEME_ATOMS,
        nested: SCHEME_NESTED,
        either: SCHEME_EITHER,
        counts: SCHEME_COUNTS,
        pairs: "",
        docstrings: DOCSTRINGS[1],
        bodies: BODIES[1],
    },
    Known {
        lists: CLOJURE_LISTS,
        atoms: CLOJURE_ATOMS,
        nested: CLOJURE_NESTED,
        either: CLOJURE_EITHER,
        counts: CLOJURE_COUNTS,
        pairs: CLOJURE_PAIRS,
        docstrings: DOCSTRINGS[2],
        bodies: BODIES[2],
    },
    Known {
        lists: EMACS_LISP_LISTS,
        atoms: EMACS_LISP_ATOMS,
        nested: EMACS_LISP_NESTED,
        either: EMACS_LISP_EITHER,
        counts: EMACS_LISP_COUNTS,
        pairs: "",
        docstrings: DOCSTRINGS[3],
        bodies: BODIES[3],
    },
];

/// Probabilities of the answer yes, for the questions that a dialect's own forms decide.
pub(crate) fn shapes(dialect: Dialect) -> &'static FxHashMap<(u64, u8), f32> {
    // Each is made when it is asked for: a hook looks at one file.
    static TABLES: [OnceLock<FxHashMap<(u64, u8), f32>>; 4] = [const { OnceLock::new() }; 4];
    let at = row(dialect);
    TABLES[at].get_or_init(|| table(&KNOWN[at]))
}

fn table(known: &Known) -> FxHashMap<(u64, u8), f32> {
    let rows = |text: &'static str, question: Question, p: f32| {
        text.split_whitespace().filter_map(move |row| {
            let (head, index) = row.rsplit_once(':')?;
            Some(((argument(head_of(head), index.parse().ok()?), question as u8), p))
        })
    };
    rows(known.lists, Question::IsList, SURE)
        .chain(rows(known.atoms, Question::IsList, 1.0 - SURE))
        .chain(rows(known.nested, Question::ListFirst, NESTED))
        .chain(rows(known.either, Question::ListFirst, EITHER))
        .chain(
            known
                .bodies
                .split_whitespace()
                .flat_map(|row| from_on(row, |key| (key, Question::Crowded as u8), 1.0 - SURE)),
        )
        .chain(rows(known.docstrings, Question::Docstring, 1.0))
        .chain(rows(known.pairs, Question::Pairs, SURE))
        .chain(std::iter::once(((MAP, Question::Pairs as u8), PAIRED)))
        .chain(known.counts.split_whitespace().flat_map(|row| count_rows(row, head_of)))
        .chain(PARTS.split_whitespace().flat_map(|row| count_rows(row, |head| part_of(head_of(head)))))
        .chain(binding_rows(NAME_FIRST, 1.0 - SURE))
        .chain(binding_rows(LIST_FIRST, NESTED))
        .chain(CLAUSES.split_whitespace().flat_map(clause_rows))
        .chain(CLAUSE_PARAMETERS.split_whitespace().filter_map(clause_argument).flat_map(|key| {
            [(part_of(key), Question::Ends), (key, Question::IsList)].map(|(key, asked)| ((key, asked as u8), SURE))
        }))
        .chain(
            CLAUSE_NAMES
                .split_whitespace()
                .filter_map(clause_argument)
                .map(|key| ((part_of(key), Question::Ends as u8), SURE)),
        )
        .collect()
}

/// The key of an argument of a clause, from `head:argument`.
fn clause_argument(row: &'static str) -> Option<u64> {
    let (head, index) = row.rsplit_once(':')?;
    Some(argument(part_of(head_of(head)), index.parse().ok()?))
}

/// The key of a head, which may be followed by an `@`.
fn head_of(head: &str) -> u64 {
    match head.strip_suffix('@') {
        Some(plain) => with_atom(name_of(plain.as_bytes())),
        None => name_of(head.as_bytes()),
    }
}

/// Whether a list ends after so many arguments, from `head:fewest:most`.
fn count_rows(row: &'static str, key: fn(&str) -> u64) -> Vec<((u64, u8), f32)> {
    let mut parts = row.split(':');
    let head = key(parts.next().unwrap_or_default());
    let mut number = || parts.next().and_then(|number| number.parse::<u32>().ok());
    let (fewest, most) = (number().unwrap_or(0), number());
    let too_few = (0..fewest).map(|count| (count, 1.0 - SURE));
    let enough = most.filter(|most| *most < MOST_ARGUMENTS).map(|most| (most, SURE));
    too_few.chain(enough).map(|(count, p)| ((argument(head, count), Question::Ends as u8), p)).collect()
}

/// Whether the bindings of heads begin with lists.
fn binding_rows(heads: &'static str, p: f32) -> impl Iterator<Item = ((u64, u8), f32)> {
    let key = |head| argument(part_of(head_of(head)), 0);
    heads.split_whitespace().map(move |head| ((key(head), Question::ListFirst as u8), p))
}

/// Which arguments of a head are clauses, from `head:first`.
fn clause_rows(row: &'static str) -> Vec<((u64, u8), f32)> {
    from_on(row, |key| (part_of(key), Question::Ends as u8), SURE)
}

/// Every argument from the one that `head:first` names on.
fn from_on(row: &'static str, key: fn(u64) -> (u64, u8), p: f32) -> Vec<((u64, u8), f32)> {
    let Some((head, first)) = row.rsplit_once(':') else { return Vec::new() };
    let (head, first) = (head_of(head), first.parse().unwrap_or(MOST_ARGUMENTS));
    (first..=MOST_ARGUMENTS).map(|index| (key(argument(head, index)), p)).collect()
}

//! A call that passes fewer or more arguments than its function takes.

use std::borrow::Cow;

use lispwright_index::{Signature, Symbol, Use, parameter_notation};
use lispwright_syntax::{Dialect, OperatorKind};

use crate::calls::{Call, is_rebound, may_be_slot};
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::operators::{Operator, OwnOperator};
use crate::platform::is_of_another_host;
use crate::rule::{About, Example, Rule};

/// A call that passes fewer or more arguments than its function takes.
pub(crate) struct WrongArgumentCount;

static ABOUT: About = About {
    code: "wrong-argument-count",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A call passes fewer or more arguments than the function or macro takes.",
    why: "It fails when it runs; a macro fails when it is expanded. Functions and macros of the project and of the language \
          are judged, functions of installed libraries, and local functions, where the arguments can be counted.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r)\n  (flet ((twice (x) (* 2 x)))\n    (twice r r)))\n",
            right: "(defun area (r)\n  ((lambda (x &rest more) (list x more)) r r)\n  (labels ((twice (x &optional y) (if y (twice x) (* 2 x))))\n    (twice r r)))\n\
                    (macrolet ((twice (x &rest more) (list* x more))) (twice 1 2))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  (let loop ((n r) (all '()))\n    (if (null? n) all (loop (cdr n)))))\n",
            right: "(define (area r)\n  (define (twice x) (* 2 x))\n  (define half (lambda (x) (/ x 2)))\n  (set! half list)\n\
                      (let loop ((n r) (all '()))\n    (if (null? n) all (loop (cdr n) (half (twice 1) 2)))))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  (let ((twice (case-lambda ((x) (* 2 x)) ((x y) y))))\n    (twice r r r)))\n",
            right: "(define (area r)\n  (let ((twice (case-lambda ((x) (* 2 x)) ((x . more) more))))\n    (twice r r r)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  ((lambda (x y) (* x y)) r))\n",
            right: "(define (area r)\n  ((lambda (x . more) (list x more)) r r))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (area r)\n  (let ([half (case-lambda [(x) x] [(x y) y])])\n    (half r r r)))\n",
            right: "#lang racket\n(define (area r)\n  (let ([half (λ (x [y 2] #:z [z 1]) (list x y z))])\n    (half r r #:z r)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-syntax-rule (twice x) (* 2 x))\n(define (area r) (twice r r))\n",
            right: "(define-syntax-rule (twice x . more) (list x . more))\n(define (area r) (twice r r r))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define-syntax both (syntax-rules () [(_ a b) (list a b)] [(_ a b c d ...) (list a b c d ...)]))\n\
                    (define (area r) (both r))\n",
            right: "#lang racket\n(define-syntax both (syntax-rules () [(_ a) a] [(_ a b c d ...) (list a b c d ...)]))\n\
                    (define (area r) (list (both r) (both r r r) (both r r r r r)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defn area [r]\n  (letfn [(twice [x] (* 2 x))]\n    (twice r r)))\n",
            right: "(ns shop.core)\n(defn area [r]\n  (let [half (fn ([x] (/ x 2)) ([x & more] more))]\n    (-> r (half 1))))\n\
                    (defn size [r]\n  (letfn [(twice ([x] (twice x 1)) ([x y] (* 2 x y)))]\n    (twice r)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defrecord Item [name price])\n(def apple (->Item \"apple\"))\n",
            right: "(ns shop.core)\n(defrecord Item [name price])\n(def apple [(->Item \"apple\" 1) (map->Item {})])\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define-record-type item (make-item name price) item? (name item-name) (price item-price))\n\
                    (make-item 'apple)\n",
            right: "(define-record-type item (make-item name price) item? (name item-name) (price item-price set-price!))\n\
                    (set-price! (make-item 'apple 1) (item-price (make-item 'pear 2)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(struct item (name price))\n(item 'apple)\n",
            right: "#lang racket\n(struct item (name [price #:mutable]))\n(set-item-price! (item 'apple 1) 2)\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun net-worth (account) (car account))\n(fiveam:test worth (fiveam:is (net-worth 1 2)))\n",
            right: "(defun net-worth (account &key year) (cons year account))\n(print (net-worth 1 :year 2))\n\
                    (fiveam:test (net-worth :suite all) (fiveam:signals error (net-worth)))\n\
                    (defgeneric worth (one)\n  (:method ((one (eql :all))) 1))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun worth (x)\n  (macrolet ((twice (form) `(* 2 ,form)))\n    (twice x x)))\n",
            right: "(defun worth (x)\n  (macrolet ((twice (form &optional (n 2) &rest more) `(* ,n ,form ,@more)))\n    (twice x 2 3)))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defmethod part ((x vector) &key (end (length)))\n  (subseq x 0 end))\n",
            right: "(defmethod part ((x vector) (y (eql 1)) &key (end (length x)))\n  (subseq x y end))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r) (* 3 r r))\n(display (area 1 2))\n",
            right: "(define (area r . more) (apply * 3 r more))\n(display (area 1 2))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core (:require [clojure.test :refer :all]))\n(defn area ([r] (* 3 r)) ([a b] (* a b)))\n\
                    (deftest area-test (is (= 6 (-> 1 (area 2 3)))))\n",
            right: "(ns shop.core)\n(defn area ([r] (* 3 r)) ([a b] (* a b)))\n(-> 1 (area 2))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defprotocol Shape (area [shape] [shape unit]))\n(defn f [x] (area x 1 2))\n",
            right: "(ns shop.core)\n(defprotocol Shape (area [shape] [shape unit]))\n(defn f [x] (list (area x) (area x 1)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns shop.core)\n(defrecord Square [side unit])\n(defn f [x] (Square. x))\n",
            right: "(ns shop.core)\n(defrecord Square [side unit])\n(defn f [x] (list (Square. x 1) (-> x (Square. 1)) (Thread. x)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: "(defun shop-area (r &optional s) (list r s))\n(shop-area)\n",
            right: "(defun shop-area (r &optional s) (list r s))\n(shop-area 1)\n(= 1 2 3)\n\
                    (defmacro shop-op (op n) `(put ',(car op) 'n ,n))\n(shop-op (car x y) 2)\n\
                    (defun shop-late () (defun shop-area () 1) (shop-area))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (area r [s 1] #:unit [u 2]) (* r s u))\n(area 1 2 3 #:unit 4)\n",
            right: "#lang racket\n(define (area r [s 1] #:unit [u 2]) (* r s u))\n(area 1 2 #:unit 4)\n",
        },
    ],
};

impl Rule for WrongArgumentCount {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for call in file.calls() {
            let Some(count) = call.count().filter(|_| !is_type(file, call)) else { continue };
            let takes = match &call.operator {
                Operator::Own(_) if may_be_slot(file, call) => None,
                Operator::Own(own) => own_complaint(file, call, count, own),
                Operator::Standard(standard) => {
                    // Later versions take more arguments, and the last one that was needed may be needed no more.
                    let is_later = file.platform().is_later;
                    let spared = usize::from(is_later && standard.fewest > 1);
                    let fits =
                        count + spared >= standard.fewest && standard.most.is_none_or(|most| is_later || count <= most);
                    // Special forms and macros have rules of their own.
                    let is_known = standard.kind == OperatorKind::Function && !has_keyword(file, call);
                    (!fits && is_known).then(|| range(standard.fewest, standard.most))
                }
                Operator::Obscure(_) | Operator::Unknown => None,
            };
            if let Some(takes) = takes.filter(|_| !is_rebound(file, call.name)) {
                findings.add(call.name, complaint(file.source(call.name), &takes, count));
            }
        }
        for used in &file.values().classes {
            if let Some((takes, count)) = constructor_complaint(file, *used) {
                findings.add(used.span(), complaint(&format!("{}.", file.source(used.span())), &takes, count));
            }
        }
    }
}

/// What is said of a call that passes `count` arguments to what takes others.
fn complaint(name: &str, takes: &str, count: usize) -> String {
    let gets = if count == 0 { "none".to_owned() } else { count.to_string() };
    format!("`{name}` takes {takes}, and gets {gets}")
}

/// What the constructor of a type or record of this namespace takes, and what it gets, if that is something else:
/// `(Name. field…)`.
fn constructor_complaint(file: &File<'_, '_>, used: Use) -> Option<(String, usize)> {
    let list = file.list_of(used.span())?;
    let data = file.data(list);
    let (head, arguments) = data.split_first()?;
    let name = file.core(*head).strip_suffix('.').filter(|name| *name == file.source(used.span()))?;
    let is_step = file.facts.steps.binary_search(&file.tree.list_span(list).start).is_ok();
    if is_step || file.tree.core_span(*head).start != used.start || !arguments.iter().all(|one| file.is_plain(*one)) {
        return None;
    }
    let space = file.document.facts.space_at(used.start).to_owned();
    let made = Symbol { space, name: format!("->{name}") };
    let [(document, one)] = file.question.definitions(&made)[..] else { return None };
    // A namespace can have a file of each host, with a type of its own.
    if is_of_another_host(&document.path) != is_of_another_host(&file.document.path) {
        return None;
    }
    // That of a library has types among its fields: `(s/defrecord Name [field :- Type])`.
    let row = &document.facts.forms[one.form as usize];
    if !document.text[row.span.range()].starts_with(&format!("({} ", row.head)) {
        return None;
    }
    let signatures = crate::structures::made(document, one)?;
    let [takes] = signatures.as_slice() else { return None };
    let count = arguments.len();
    // A record takes its metadata and further keys, too, and two numbers more.
    let is_record = row.head == "defrecord";
    let fits = count == takes.required || (is_record && [2, 4].contains(&count.saturating_sub(takes.required)));
    let shown = format!("{} ({})", range(takes.required, Some(takes.required)), short(&takes.shown));
    (!fits && !takes.shown.contains(":-")).then_some((shown, count))
}

/// The list is a type, not a call: `(member :a)`, `(eql :a)`.
fn is_type(file: &File<'_, '_>, call: &Call) -> bool {
    let is_keyword = |one: &lispwright_syntax::Datum| file.core(*one).starts_with(':');
    let names = ["member", "eql"];
    let is_named = names.iter().any(|name| file.source(call.name).eq_ignore_ascii_case(name));
    is_named && !call.arguments.is_empty() && call.arguments.iter().all(is_keyword)
}

/// What a function of the project takes, if the call passes something else.
fn own_complaint(file: &File<'_, '_>, call: &Call, count: usize, own: &OwnOperator) -> Option<String> {
    if own.signatures.iter().any(|one| fits(file, call, count, one)) {
        return None;
    }
    let mut counts: Vec<(usize, Option<usize>)> = own.signatures.iter().map(limits).collect();
    counts.sort_unstable();
    counts.dedup();
    // From the least number without a limit on, all others are in that.
    let open = counts.iter().filter(|(_, most)| most.is_none()).map(|(fewest, _)| *fewest).min();
    counts.retain(|(fewest, most)| open.is_none_or(|open| *fewest < open || (*fewest == open && most.is_none())));
    let fewest = counts.iter().map(|(fewest, _)| *fewest).min()?;
    let most = counts.iter().map(|(_, most)| *most).try_fold(0, |a, b| b.map(|b| a.max(b)));
    let shown = &own.signatures.first()?.shown;
    let is_one = own.signatures.iter().all(|one| one.shown == *shown);
    // A gap between the arities is told as the list of them.
    let range = match counts.as_slice() {
        [_] => range(fewest, most),
        _ => {
            let each: Vec<String> = counts.iter().map(|(fewest, most)| amount(*fewest, *most)).collect();
            let (last, others) = each.split_last()?;
            format!("{} or {last} arguments", others.join(", "))
        }
    };
    Some(if is_one && !shown.is_empty() { format!("{range} ({})", short(shown)) } else { range })
}

/// At most so many characters of parameters are told.
const MOST_SHOWN: usize = 100;

/// The first parameters.
fn short(shown: &str) -> Cow<'_, str> {
    let Some((end, _)) = shown.char_indices().nth(MOST_SHOWN) else { return shown.into() };
    let end = shown[..end].rfind(' ').unwrap_or(end);
    format!("{} …", &shown[..end]).into()
}

/// The fewest and most arguments; `None` for any number.
fn limits(one: &Signature) -> (usize, Option<usize>) {
    let most = (!one.has_rest && !one.has_keys).then_some(one.required + one.optional);
    (one.required, most)
}

fn amount(fewest: usize, most: Option<usize>) -> String {
    match most {
        Some(most) if most == fewest => fewest.to_string(),
        Some(most) => format!("{fewest} to {most}"),
        None => format!("at least {fewest}"),
    }
}

fn range(fewest: usize, most: Option<usize>) -> String {
    match (fewest, most) {
        (0, Some(0)) => "no arguments".to_owned(),
        (1, Some(1)) => "1 argument".to_owned(),
        (fewest, Some(most)) if most == fewest + 1 => format!("{fewest} or {most} arguments"),
        (1, None) => "at least 1 argument".to_owned(),
        _ => format!("{} arguments", amount(fewest, most)),
    }
}

/// The call passes something by keyword, which the language's functions of some dialects take anywhere.
fn has_keyword(file: &File<'_, '_>, call: &Call) -> bool {
    let notation = parameter_notation(file.dialect());
    notation.keyword == "#:" && call.arguments.iter().any(|datum| file.core(*datum).starts_with(notation.keyword))
}

/// The call fits a list of parameters.
fn fits(file: &File<'_, '_>, call: &Call, count: usize, one: &Signature) -> bool {
    let notation = parameter_notation(file.dialect());
    let is_keyword = |datum: &lispwright_syntax::Datum| {
        datum.list().is_none() && datum.is_bare() && file.core(*datum).starts_with(notation.keyword)
    };
    let most = one.required + one.optional;
    if notation.keyword == "#:" {
        if !one.has_keys && notation.keys_anywhere && call.arguments.iter().any(is_keyword) {
            // What is wrong with it is the keyword.
            return true;
        }
        // Values after keywords, and those, are not passed by their places.
        let keys = if one.has_keys { call.arguments.iter().filter(|datum| is_keyword(datum)).count() } else { 0 };
        let placed = count.saturating_sub(2 * keys);
        return placed >= one.required && (one.has_rest || placed <= most);
    }
    if count < one.required {
        return false;
    }
    one.has_rest || one.has_keys || count <= most
}

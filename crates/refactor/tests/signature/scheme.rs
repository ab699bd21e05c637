//! Scheme and Racket.

use super::check;

#[track_caller]
fn scm(before: &str, request: &str, after: &str) {
    check("a.scm", before, request, after);
}

#[track_caller]
fn rkt(before: &str, request: &str, after: &str) {
    check("a.rkt", before, request, after);
}

#[test]
fn headers_change_with_their_calls() {
    scm(
        "(define (pay account amount . more)
  (list account amount more))
(define (f x)
  (pay x 1)
  (apply pay x 2 x)
  (map pay x x)
  (pay x (car x) 3))
",
        "pay (amount account note . more) ; note = #f",
        "(define (pay amount account note . more)
  (list account amount more))
(define (f x)
  (pay 1 x #f)
  (apply pay 2 x #f x)
  (map pay x x)
  (pay (car x) x #f 3))
-- 1 definitions, 0 methods, 3 calls
open 6: value
",
    );
    scm(
        "(define pay (lambda (account amount) (list account amount)))\n(define all (lambda args args))\n(pay 1 2)\n(all 1 2)\n",
        "pay (amount account)",
        "(define pay (lambda (amount account) (list account amount)))\n(define all (lambda args args))\n(pay 2 1)\n(all 1 2)\n\
         -- 1 definitions, 0 methods, 1 calls\n",
    );
    scm(
        "(define all (lambda args args))\n(all 1 2)\n(all)\n",
        "all (first . args) ; first = 0",
        "(define all (lambda (first . args) args))\n(all 0 1 2)\n(all 0)\n-- 1 definitions, 0 methods, 2 calls\n",
    );
    scm("(define ((pay a) b) (list a b))\n((pay 1) 2)\n", "pay (b a)", "refused: no parameters in 1\n");
}

#[test]
fn a_function_of_another_module_is_called() {
    scm(
        "(define-module (shop) #:export (pay))
(define (pay account amount) (list account amount))
(define (f x) ((@ (shop) pay) x 1))
",
        "pay (amount account)",
        "(define-module (shop) #:export (pay))
(define (pay amount account) (list account amount))
(define (f x) ((@ (shop) pay) 1 x))
-- 1 definitions, 0 methods, 1 calls
",
    );
}

#[test]
fn one_of_several_clauses_changes() {
    scm(
        "(define pay (case-lambda ((a) (pay a 1)) ((a b) (list a b))))\n(pay 1)\n(pay 1 2)\n",
        "pay (b a) ; arity = 2",
        "(define pay (case-lambda ((a) (pay 1 a)) ((b a) (list a b))))\n(pay 1)\n(pay 2 1)\n\
         -- 1 definitions, 0 methods, 2 calls\n",
    );
}

#[test]
fn keywords_of_guile_follow() {
    scm(
        "(define* (pay account #:optional (amount 1) #:key note (loud #f)) (list account amount note loud))
(pay 1)
(pay 1 2 #:note 3)
",
        "pay (account #:optional amount #:key remark loud) ; note > remark",
        "(define* (pay account #:optional (amount 1) #:key remark (loud #f)) (list account amount remark loud))
(pay 1)
(pay 1 2 #:remark 3)
-- 1 definitions, 0 methods, 1 calls
",
    );
}

#[test]
fn keywords_before_a_list_of_arguments_are_open() {
    rkt(
        "#lang racket\n(define (pay a b #:note n) (list a b n))\n(apply pay #:note 1 2 '(3))\n(apply pay 1 2 '())\n",
        "pay (b a #:note n)",
        "#lang racket\n(define (pay b a #:note n) (list a b n))\n(apply pay #:note 1 2 '(3))\n(apply pay 2 1 '())\n\
         -- 1 definitions, 0 methods, 1 calls\nopen 3: tail\n",
    );
}

#[test]
fn keywords_of_racket_follow() {
    rkt(
        "#lang racket
(provide pay)
(define (pay account [amount 1] #:note note #:loud [loud #f]) (list account amount note loud))
(pay #:note 1 2)
(pay 2 3 #:loud #t #:note 1)
(pay 2 #:note 4 3)
",
        "pay (account [amount 1] #:remark remark #:loud [loud #f]) ; note > remark",
        "#lang racket
(provide pay)
(define (pay account [amount 1] #:remark remark #:loud [loud #f]) (list account amount remark loud))
(pay #:remark 1 2)
(pay 2 3 #:loud #t #:remark 1)
(pay 2 #:remark 4 3)
-- 1 definitions, 0 methods, 3 calls
",
    );
    rkt(
        "#lang racket
(provide (contract-out [pay (-> integer? integer? any)]))
(define (pay account amount) (list account amount))
(pay 1 2)
(map (curry pay 1) '(2))
",
        "pay (account note amount #:loud [loud #f]) ; note = 0",
        "#lang racket
(provide (contract-out [pay (-> integer? integer? any)]))
(define (pay account note amount #:loud [loud #f]) (list account amount))
(pay 1 0 2)
(map (curry pay 1 0) '(2))
-- 1 definitions, 0 methods, 2 calls
look at 2: declares
",
    );
}

#[test]
fn symbols_in_data_are_no_calls() {
    rkt(
        "#lang racket
(define (pay a b) (when (null? a) (error 'pay \"bad\")) (raise-argument-error 'pay \"a\" b))
(define (f x) (case x [(pay) 1] [(a pay) 2]))
(define t `((pay . 1) (pay ,f) (pay 1 2 3)))
(eval '(pay 1 2) ns)
`(pay ,f 2)
(dynamic-require \"a.rkt\" 'pay)
(define-syntax (m stx) #'(pay 1 2))
(define-syntax (n stx) (list #'pay 1))
(datum->syntax stx 'pay)
",
        "pay (b a)",
        "#lang racket
(define (pay b a) (when (null? a) (error 'pay \"bad\")) (raise-argument-error 'pay \"a\" b))
(define (f x) (case x [(pay) 1] [(a pay) 2]))
(define t `((pay . 1) (pay ,f) (pay 1 2 3)))
(eval '(pay 1 2) ns)
`(pay ,f 2)
(dynamic-require \"a.rkt\" 'pay)
(define-syntax (m stx) #'(pay 2 1))
(define-syntax (n stx) (list #'pay 1))
(datum->syntax stx 'pay)
-- 1 definitions, 0 methods, 1 calls
open 5: data\nopen 6: data\nopen 7: data\nopen 9: value\nopen 10: data
symbol 2\nsymbol 2\nsymbol 3\nsymbol 3\nsymbol 4\nsymbol 4\nsymbol 4
",
    );
    scm(
        "(define-module (shop))
(define (pay a b) (throw 'pay 1))
(module-ref (resolve-module '(shop)) 'pay)
(define t '((pay . 1)))
(eval '(list pay) (current-module))
",
        "pay (b a)",
        "(define-module (shop))
(define (pay b a) (throw 'pay 1))
(module-ref (resolve-module '(shop)) 'pay)
(define t '((pay . 1)))
(eval '(list pay) (current-module))
-- 1 definitions, 0 methods, 0 calls
open 3: data\nopen 5: data\nsymbol 2\nsymbol 4
",
    );
}

#[test]
fn templates_of_clauses_are_followed() {
    scm(
        "(define (pay a b) (list a b))
(define-syntax m
  (syntax-rules ()
    ((_ a body ...) (pay a (lambda () body ...)))
    ((_ a) (let ((pay 1) (b (pay 1 2))) b))))
",
        "pay (b a)",
        "(define (pay b a) (list a b))
(define-syntax m
  (syntax-rules ()
    ((_ a body ...) (pay (lambda () body ...) a))
    ((_ a) (let ((pay 1) (b (pay 2 1))) b))))
-- 1 definitions, 0 methods, 2 calls
",
    );
}

#[test]
fn what_looks_like_a_threading_form_is_not_followed() {
    rkt(
        "#lang racket/base\n(require threading)\n(define (pay a b) (list a b))\n(~> 1 (pay 2))\n(pay 1 2)\n",
        "pay (b a)",
        "#lang racket/base\n(require threading)\n(define (pay b a) (list a b))\n(~> 1 (pay 2))\n(pay 2 1)\n\
         -- 1 definitions, 0 methods, 1 calls\nopen 4: threaded\n",
    );
}

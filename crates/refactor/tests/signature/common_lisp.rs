//! Common Lisp.

use super::{check, check_all};

#[track_caller]
fn cl(before: &str, request: &str, after: &str) {
    check("a.lisp", before, request, after);
}

#[test]
fn a_new_parameter_gets_a_value_in_calls() {
    cl(
        "(defun pay (account amount)
  \"Pays AMOUNT from ACCOUNT.\"
  (list account amount))
(defun f (x) (pay x 1) (mapcar (lambda (y) (pay y 2)) x))
(defun g (x)
  (pay x
       (pay x 3))
  (funcall #'pay x 4) (funcall 'pay x 5) (apply #'pay x 6 nil) (apply 'pay x '(7)))
(defmacro m (a &rest more) `(pay ,a 8))
",
        "pay (account currency amount) ; currency = :usd",
        "(defun pay (account currency amount)
  \"Pays AMOUNT from ACCOUNT.\"
  (list account amount))
(defun f (x) (pay x :usd 1) (mapcar (lambda (y) (pay y :usd 2)) x))
(defun g (x)
  (pay x
       :usd
       (pay x :usd 3))
  (funcall #'pay x :usd 4) (funcall 'pay x :usd 5) (apply #'pay x :usd 6 nil) (apply 'pay x :usd '(7)))
(defmacro m (a &rest more) `(pay ,a :usd 8))
-- 1 definitions, 0 methods, 9 calls
",
    );
}

#[test]
fn parameters_change_their_places() {
    cl(
        "(defun pay (account amount &optional (note \"\") time)
  (declare (type fixnum amount) (ignorable time))
  (list account amount note))
(defun f (x)
  (pay x 1)
  (pay (first x) (pop x) \"n\")
  (pay (pay 1 2) ; the account
       (progn
         3)))
",
        "pay (amount account &optional note time)",
        "(defun pay (amount account &optional (note \"\") time)
  (declare (type fixnum amount) (ignorable time))
  (list account amount note))
(defun f (x)
  (pay 1 x)
  (pay (pop x) (first x) \"n\")
  (pay (progn
         3) ; the account
       (pay 2 1)))
-- 1 definitions, 0 methods, 4 calls
reordered 6
reordered 7
",
    );
}

#[test]
fn lines_move_with_what_they_are_in() {
    let one = "(defun pay (account amount) (list account amount))
(pay account (progn
               (list
                1)))
";
    let other = "(defun pay (amount account) (list account amount))
(pay (progn
       (list
        1)) account)
";
    let counts = "-- 1 definitions, 0 methods, 1 calls\n";
    cl(one, "pay (amount account)", &format!("{other}{counts}"));
    cl(other, "pay (account amount)", &format!("{one}{counts}"));
}

#[test]
fn a_parameter_goes_with_its_declarations() {
    cl(
        "(defun pay (account amount time)
  (declare (ignore time) (type fixnum amount))
  (list account amount))
(defun f (x) (pay x 1 2)
  (pay x
       1
       (incf x)))
",
        "pay (account amount)",
        "(defun pay (account amount)
  (declare (type fixnum amount))
  (list account amount))
(defun f (x) (pay x 1)
  (pay x
       1))
-- 1 definitions, 0 methods, 2 calls
dropped 5
",
    );
    cl(
        "(defun pay (account time amount)\n  (declare (ignore time))\n  (list account amount))\n(pay 1 2 3)\n",
        "pay (account amount)",
        "(defun pay (account amount)\n  (list account amount))\n(pay 1 3)\n-- 1 definitions, 0 methods, 1 calls\n",
    );
    cl(
        "(defun pay (account time)\n  (let ((time 1)) time)\n  (print\n   time)\n  account)\n(pay 1 2)\n",
        "pay (account)",
        "refused: time still used in 4\n",
    );
}

#[test]
fn a_parameter_gets_another_name() {
    cl(
        "(defun pay (account amount)
  \"Pays AMOUNT, an amount.\"
  (declare (type fixnum amount))
  (let ((double (* 2 amount)) (amount 3))
    (list amount double 'amount #'amount (amount account) :amount)))
(pay 1 2)
",
        "pay ; amount > sum",
        "(defun pay (account sum)
  \"Pays SUM, an amount.\"
  (declare (type fixnum sum))
  (let ((double (* 2 sum)) (amount 3))
    (list amount double 'amount #'amount (amount account) :amount)))
(pay 1 2)
-- 1 definitions, 0 methods, 0 calls
",
    );
    cl(
        "(defun pay (account amount)\n  (let ((sum 1))\n    (+ sum amount)))\n",
        "pay ; amount > sum",
        "refused: sum taken in 2\n",
    );
    cl("(defun pay (a) a)\n", "pay ; b > c", "refused: no b in a\n");
}

#[test]
fn keywords_follow() {
    cl(
        "(defun pay (account &key (amount 1) note) (list account amount note))
(defun f (x more)
  (pay x :amount 1) (pay x) (pay x :note 1 :amount 2)
  (apply #'pay x :amount 1 more))
",
        "pay (account &key sum note) ; amount > sum",
        "(defun pay (account &key (sum 1) note) (list account sum note))
(defun f (x more)
  (pay x :sum 1) (pay x) (pay x :note 1 :sum 2)
  (apply #'pay x :amount 1 more))
-- 1 definitions, 0 methods, 2 calls
open 4: tail
",
    );
    // From a place to a keyword, and back.
    cl(
        "(defun pay (account amount) (list account amount))\n(pay 1 2)\n(pay 1 (f 2))\n",
        "pay (account &key amount)",
        "(defun pay (account &key amount) (list account amount))\n(pay 1 :amount 2)\n(pay 1 :amount (f 2))\n\
         -- 1 definitions, 0 methods, 2 calls\n",
    );
    cl(
        "(defun pay (account &key amount (note 1)) (list account amount note))\n(pay 1 :note 3 :amount 2)\n(pay 1)\n",
        "pay (account amount &key note) ; amount = nil",
        "(defun pay (account amount &key (note 1)) (list account amount note))\n(pay 1 2 :note 3)\n(pay 1 nil)\n\
         -- 1 definitions, 0 methods, 2 calls\n",
    );
}

#[test]
fn default_values_follow() {
    let after = "(defun pay (sum &key (start 0) (end (length sum))) (list sum start end))\n\
                 -- 1 definitions, 0 methods, 0 calls\n";
    let before = "(defun pay (data &key (start 0) (end (length data))) (list data start end))\n";
    cl(before, "pay ; data > sum", after);
    cl(before, "pay (sum &key start (end (length data))) ; data > sum", after);
    cl(before, "pay (sum &key (start 0) end) ; data > sum", after);
}

#[test]
fn an_optional_parameter_changes_no_calls() {
    cl(
        "(defun pay (account) account)\n(pay 1)\n(mapcar #'pay '(1))\n",
        "pay (account &optional (note 1) &key loud)",
        "(defun pay (account &optional (note 1) &key loud) account)\n(pay 1)\n(mapcar #'pay '(1))\n\
         -- 1 definitions, 0 methods, 0 calls\n",
    );
}

#[test]
fn what_cannot_be_followed_is_open() {
    cl(
        "(declaim (ftype (function (t t) t) pay) (inline pay))
(defun pay (account amount) (list account amount))
(defun f (x rest)
  (mapcar #'pay x x)
  (apply #'pay rest)
  (pay x)
  (pay x 1 2)
  (pay x #+sbcl 1 #-sbcl 2)
  (list 'pay) (error 'my-error :operation 'pay))
(defmacro m (&rest all) `(pay ,@all))
",
        "pay (amount account)",
        "(declaim (ftype (function (t t) t) pay) (inline pay))
(defun pay (amount account) (list account amount))
(defun f (x rest)
  (mapcar #'pay x x)
  (apply #'pay rest)
  (pay x)
  (pay x 1 2)
  (pay x #+sbcl 1 #-sbcl 2)
  (list 'pay) (error 'my-error :operation 'pay))
(defmacro m (&rest all) `(pay ,@all))
-- 1 definitions, 0 methods, 0 calls
open 4: value
open 5: tail
open 6: few
open 7: many
open 8: condition
open 9: data
open 10: tail
",
    );
}

#[test]
fn generic_functions_change_with_their_methods() {
    check_all(
        "== p.lisp
(defpackage :shop (:use :cl) (:export #:area))
(in-package :shop)
(defgeneric area (shape scale)
  (:documentation \"Of SHAPE.\")
  (:method ((shape null) scale) scale))
== m.lisp
(in-package :shop)
(defclass circle () ())
(defmethod area ((self circle) factor) (* factor 2))
(defmethod area :around ((self circle) factor)
  (declare (ignore factor))
  (call-next-method))
(defun f (x) (area x 2))
== u.lisp
(defpackage :user (:use :cl))
(in-package :user)
(defun g (x) (shop:area x (f 3)))
",
        "area (scale shape unit) ; unit = :m",
        "== p.lisp
(defpackage :shop (:use :cl) (:export #:area))
(in-package :shop)
(defgeneric area (scale shape unit)
  (:documentation \"Of SHAPE.\")
  (:method (scale (shape null) unit) scale))
== m.lisp
(in-package :shop)
(defclass circle () ())
(defmethod area (factor (self circle) unit) (* factor 2))
(defmethod area :around (factor (self circle) unit)
  (declare (ignore factor))
  (call-next-method))
(defun f (x) (area 2 x :m))
== u.lisp
(defpackage :user (:use :cl))
(in-package :user)
(defun g (x) (shop:area (f 3) x :m))
-- 1 definitions, 3 methods, 2 calls
",
    );
}

#[test]
fn requests_are_checked() {
    let source = "(defun pay (account amount) (list account amount))\n(pay 1 2)\n";
    cl(source, "pay (account amount time)", "refused: time needs a value\n");
    cl(source, "pay account amount time", "refused: time needs a value\n");
    cl(source, "pay (account amount)", "refused: same (account amount)\n");
    cl(source, "pay (account amount ", "refused: `(account amount` is no list of parameters\n");
    cl(source, "pay (account 1)", "refused: `1` is no list of parameters\n");
    cl(source, "pay (account amount) ; x = 1", "refused: no x in account amount\n");
    cl(
        "(defun pay (account &optional (amount account)) (list account amount))\n",
        "pay (&optional amount account)",
        "refused: account too late in 1\n",
    );
}

#[test]
fn macros_that_take_a_variable_of_the_code_around_are_open() {
    cl(
        "(defmacro inner () `(print amount))
(defmacro outer (&body body) `(progn (inner) ,@body))
(defmacro other (x) `(let ((amount ,x)) amount))
(defun pay (account amount)
  (outer account)
  (macrolet ((twice () `(* 2 amount)))
    (twice)))
",
        "pay ; amount > sum",
        "(defmacro inner () `(print amount))
(defmacro outer (&body body) `(progn (inner) ,@body))
(defmacro other (x) `(let ((amount ,x)) amount))
(defun pay (account sum)
  (outer account)
  (macrolet ((twice () `(* 2 amount)))
    (twice)))
-- 1 definitions, 0 methods, 0 calls
open 5: captured(\"amount\")
open 6: parameter(\"amount\")
",
    );
}

#[test]
fn other_definitions_of_the_name_follow_if_they_can() {
    cl(
        "(defun pay (account amount &key note) (list account amount note))
(define-compiler-macro pay (&whole form account amount &rest more) (list* account amount form more))
(pay 1 2)
",
        "pay (amount account &key note)",
        "(defun pay (amount account &key note) (list account amount note))
(define-compiler-macro pay (&whole form amount account &rest more) (list* account amount form more))
(pay 2 1)
-- 2 definitions, 0 methods, 1 calls
",
    );
    cl(
        "#+a (defun pay (account amount &key note) (list account amount note))
#-a (defun pay (account amount &key (loud account) note) (list account amount note loud))
(pay 1 2)
(defun f () (block pay (return-from pay 1)))
",
        "pay (amount account &key note)",
        "#+a (defun pay (amount account &key note) (list account amount note))
#-a (defun pay (amount account &key (loud account) note) (list account amount note loud))
(pay 2 1)
(defun f () (block pay (return-from pay 1)))
-- 2 definitions, 0 methods, 1 calls
",
    );
}

#[test]
fn comments_in_a_list_stay() {
    let source = "(defun pay (account ; who
            amount ; how much
            note)
  (list account amount))
(pay 1 2 3)
";
    cl(
        source,
        "pay (amount account note)",
        "(defun pay (amount ; who
            account ; how much
            note)
  (list account amount))
(pay 2 1 3)
-- 1 definitions, 0 methods, 1 calls
",
    );
    cl(source, "pay (account amount)", "refused: comment in 2\n");
    cl("(defun pay (a #+x b) a)\n", "pay (a)", "refused: no parameters in 1\n");
}

#[test]
fn declared_types_follow() {
    cl(
        "(declaim (ftype (function (symbol (integer 0 9) &optional t &key (:note string)) t) pay))
(defun pay (account amount &optional more &key note) (list account amount more note))
(pay 'a 2)
",
        "pay (amount unit account &optional more &key note loud) ; unit = :m",
        "(declaim (ftype (function ((integer 0 9) t symbol &optional t &key (:note string) (:loud t)) t) pay))
(defun pay (amount unit account &optional more &key note loud) (list account amount more note))
(pay 2 :m 'a)
-- 1 definitions, 0 methods, 1 calls
",
    );
}

#[test]
fn writers_are_open_in_templates_too() {
    cl(
        "(defun pay (account) account)
(defun (setf pay) (value account) (list value account))
(defmacro m (x) `(setf (pay ,x) (pay 1)))
",
        "pay (unit account) ; unit = 1",
        "(defun pay (unit account) account)
(defun (setf pay) (value account) (list value account))
(defmacro m (x) `(setf (pay ,x) (pay 1 1)))
-- 1 definitions, 0 methods, 1 calls
open 3: assigned
look at 2: writer
",
    );
}

/// Calls pass what a parameter takes apart, and their parts are not followed.
#[test]
fn a_parameter_that_is_taken_apart_stays_as_it_is() {
    let code = "(defmacro with-pay ((a b) &body body) `(let ((r (pay ,a ,b))) ,@body r))\n(print (with-pay (1 2) 3))\n";
    let told = |new: &str| {
        format!(
            "refused: `(a b)` takes apart what calls pass, which is not followed into `{new}`. \
             Change this list and its calls by hand\n"
        )
    };
    cl(code, "with-pay ((b a) &body body)", &told("(b a)"));
    cl(code, "with-pay ((a b c) &body body)", &told("(a b c)"));
    cl(code, "with-pay ((a c) &body body)", "refused: b still used in 1\n");
    check("a.clj", "(defn f [{:keys [x y]}] x)\n", "f [{:keys [y]}]", "refused: x still used in 1\n");
    check(
        "a.clj",
        "(defn f [{:keys [x y]}] x)\n",
        "f [{:keys [x z]}]",
        "(defn f [{:keys [x z]}] x)\n-- 1 definitions, 0 methods, 0 calls\n",
    );
}

#[test]
fn the_order_of_precedence_names_all_required_parameters() {
    let code = "(defgeneric dep (acct sum) (:argument-precedence-order sum acct))\n\
        (defmethod dep ((x integer) (s integer)) (list x s))\n(print (dep 1 2))\n";
    cl(
        code,
        "dep (acct sum extra) ; extra = 7",
        "(defgeneric dep (acct sum extra) (:argument-precedence-order sum acct extra))\n\
            (defmethod dep ((x integer) (s integer) extra) (list x s))\n(print (dep 1 2 7))\n\
            -- 1 definitions, 1 methods, 1 calls\n",
    );
    cl(
        code,
        "dep (acct amount) ; sum > amount",
        "(defgeneric dep (acct amount) (:argument-precedence-order amount acct))\n\
            (defmethod dep ((x integer) (s integer)) (list x s))\n(print (dep 1 2))\n\
            -- 1 definitions, 1 methods, 0 calls\n",
    );
}

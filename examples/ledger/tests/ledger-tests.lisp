(defpackage :ledger/tests
  (:use :common-lisp :ledger :ledger/check)
  (:documentation "What a user of the ledger relies on."))

(in-package :ledger/tests)

(deftransaction earn (date amount) (date "Salary")
  (debit :bank amount)
  (credit :salary amount))

(deftransaction pay-rent (date amount) (date "Rent")
  (debit :rent amount)
  (credit :bank amount))

(defmacro with-household (&body body)
  `(with-ledger ((:bank asset) (:card liability) (:salary income) (:rent expense))
     ,@body))

(deftest money-has-a-printed-form
  (is string= "1,234.50" (format-money (cents 1234 50)))
  (is string= "-0.05" (format-money -5))
  (is = (cents -12 50) (parse-money "-12.50"))
  (is = (cents 1234) (parse-money "1,234"))
  (signals malformed-money (parse-money "12.5"))
  (signals malformed-money (parse-money "")))

(deftest an-account-grows-on-its-normal-side
  (with-household
    (earn "2026-03-01" (cents 2500))
    (is eq :debit (normal-side (find-account :bank)))
    (is eq :credit (normal-side (find-account :salary)))
    (is = (cents 2500) (balance (find-account :bank)))
    (is = (cents 2500) (balance (find-account :salary)))))

(deftest a-transaction-balances
  (with-household
    (signals unbalanced-transaction
      (record "2026-03-01" "Typing error" (debit :bank 100) (credit :salary 10)))
    (is equal '() (transactions *ledger*))
    (is = 0 (balance (find-account :bank)))))

(deftest the-difference-can-go-to-suspense
  (with-household
    (handler-bind ((unbalanced-transaction (lambda (condition) (post-to-suspense condition))))
      (record "2026-03-01" "Typing error" (debit :bank 100) (credit :salary 10)))
    (is = -90 (balance (find-account :suspense)))
    (is = 2 (length (rest (postings (first (transactions *ledger*))))))))

(deftest an-unknown-account-can-be-opened
  (with-household
    (signals unknown-account (find-account :books))
    (handler-bind ((unknown-account (lambda (condition) (open-account 'expense condition))))
      (is eq :books (name (find-account :books))))
    (signals duplicate-account (add-account :books 'expense))))

(deftest reports-add-up
  (with-household
    (earn "2026-03-01" (cents 2500))
    (pay-rent "2026-03-02" (cents 900))
    (is equal (list (cents 3400) (cents 3400)) (multiple-value-list (trial-balance)))
    (is = (cents 1600) (net-worth))
    (is equal `((:bank asset ,(cents 1600)) (:rent expense ,(cents 900)) (:salary income ,(cents 2500)))
        (statement))
    (is search "net worth" (with-output-to-string (out) (print-statement out)))))

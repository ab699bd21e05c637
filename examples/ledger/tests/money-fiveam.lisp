(defpackage :ledger/fiveam
  (:use :common-lisp :ledger)
  (:import-from :fiveam #:def-suite #:in-suite #:test #:is #:signals #:for-all #:gen-integer)
  (:documentation "What holds for every amount of money."))

(in-package :ledger/fiveam)

(def-suite money :description "Amounts and how they are written.")
(in-suite money)

(test what-is-written-reads-back
  "Writing an amount and reading it gives the amount."
  (for-all ((amount (gen-integer :min -1000000 :max 1000000)))
    (is (= amount (parse-money (format-money amount))))))

(test cents-carry-the-sign
  (is (= -1250 (cents -12 50)))
  (is (= 1250 (cents 12 50))))

(test half-an-amount-is-malformed
  (signals malformed-money (parse-money "12.5"))
  (signals malformed-money (parse-money "")))

;;;; The package of the ledger, by the file that provides each name.

(defpackage :ledger
  (:use :common-lisp)
  (:documentation "Double-entry bookkeeping: accounts, transactions that balance, reports.")
  (:export
   ;; money.lisp
   #:money #:cents #:format-money #:parse-money
   ;; conditions.lisp
   #:ledger-error #:unbalanced-transaction #:unbalanced-by #:unknown-account #:account-name
   #:duplicate-account #:malformed-money
   #:use-account #:open-account #:post-to-suspense
   ;; account.lisp
   #:account #:asset #:liability #:equity #:income #:expense
   #:name #:balance #:entries #:normal-side #:post
   ;; journal.lisp
   #:ledger #:make-ledger #:*ledger* #:with-ledger #:add-account #:find-account #:accounts #:transactions
   #:transaction #:date #:memo #:postings #:posting #:posting-account #:posting-amount
   #:debit #:credit #:record #:deftransaction
   ;; report.lisp
   #:trial-balance #:statement #:print-statement #:net-worth))

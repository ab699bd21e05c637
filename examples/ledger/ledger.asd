;;;; Double-entry bookkeeping in plain Common Lisp: no dependencies.

(defsystem "ledger"
  :description "A small double-entry ledger with a transaction language."
  :license "MIT OR Apache-2.0"
  :version "0.1.0"
  :pathname "src/"
  :serial t
  :components ((:file "packages")
               (:file "money")
               (:file "conditions")
               (:file "account")
               (:file "journal")
               (:file "report"))
  :in-order-to ((test-op (test-op "ledger/tests"))))

(defsystem "ledger/fiveam"
  :description "The arithmetic of money, tested with FiveAM."
  :license "MIT OR Apache-2.0"
  :depends-on ("ledger" "fiveam")
  :pathname "tests/"
  :components ((:file "money-fiveam"))
  :perform (test-op (operation component)
             (declare (ignore operation component))
             (unless (symbol-call :fiveam :run! (find-symbol* :money :ledger/fiveam))
               (error "The tests of money failed."))))

(defsystem "ledger/tests"
  :description "The tests of the ledger, on a test language of thirty lines."
  :license "MIT OR Apache-2.0"
  :depends-on ("ledger")
  :pathname "tests/"
  :serial t
  :components ((:file "check")
               (:file "ledger-tests"))
  :perform (test-op (operation component)
             (declare (ignore operation component))
             (unless (symbol-call :ledger/check :run-all)
               (error "The ledger's tests failed."))))

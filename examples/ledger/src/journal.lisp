;;;; Ledgers, transactions, and the language that transactions are written in.

(in-package :ledger)

(defstruct (posting (:constructor make-posting (account amount)))
  "One line of a transaction: the name of an account, and a debit (positive) or credit."
  (account nil :type symbol :read-only t)
  (amount 0 :type integer :read-only t))

(defun debit (account amount)
  "A posting that debits AMOUNT to the account named ACCOUNT."
  (make-posting account amount))

(defun credit (account amount)
  "A posting that credits AMOUNT to the account named ACCOUNT."
  (make-posting account (- amount)))

(defclass transaction ()
  ((date :initarg :date :reader date :documentation "A string such as \"2026-03-01\".")
   (memo :initarg :memo :reader memo)
   (postings :initarg :postings :reader postings))
  (:documentation "Postings that sum to zero."))

(defclass ledger ()
  ((accounts :initform (make-hash-table) :reader account-table)
   (transactions :initform '() :accessor transactions :documentation "Newest first."))
  (:documentation "Accounts and everything that was booked on them."))

(defvar *ledger* nil
  "The ledger that RECORD, FIND-ACCOUNT and the reports use.")

(defun make-ledger (&rest accounts)
  "A ledger with the given accounts, each a list of a name and a class."
  (let ((*ledger* (make-instance 'ledger)))
    (loop for (name class) in accounts
          do (add-account name class))
    *ledger*))

(defmacro with-ledger ((&rest accounts) &body body)
  "Run BODY with *LEDGER* bound to a new ledger. ACCOUNTS are lists of a name and a class, unevaluated."
  `(let ((*ledger* (make-ledger ,@(loop for (name class) in accounts
                                        collect `(list ,name ',class)))))
     ,@body))

(defun add-account (name class)
  "Open an account in *LEDGER*. Signals DUPLICATE-ACCOUNT when the name is taken."
  (let ((table (account-table *ledger*)))
    (when (gethash name table)
      (error 'duplicate-account :name name))
    (setf (gethash name table) (make-instance class :name name))))

(defun find-account (name)
  "The account called NAME in *LEDGER*.
Signals UNKNOWN-ACCOUNT when there is none, with restarts to name another one or to open it."
  (or (gethash name (account-table *ledger*))
      (restart-case (error 'unknown-account :name name)
        (use-account (other)
          :report "Use another account."
          (find-account other))
        (open-account (class)
          :report "Open the account."
          (add-account name class)))))

(defun accounts ()
  "The accounts of *LEDGER*, by name."
  (sort (loop for account being the hash-values of (account-table *ledger*)
              collect account)
        #'string< :key #'name))

(defun imbalance (postings)
  "By how much the debits of POSTINGS exceed the credits."
  (reduce #'+ postings :key #'posting-amount))

(defun settle (memo postings)
  "POSTINGS, which must balance; else signal UNBALANCED-TRANSACTION."
  (let ((difference (imbalance postings)))
    (if (zerop difference)
        postings
        (restart-case (error 'unbalanced-transaction :memo memo :difference difference)
          (post-to-suspense ()
            :report "Book the difference on the account :SUSPENSE."
            (unless (gethash :suspense (account-table *ledger*))
              (add-account :suspense 'asset))
            (append postings (list (make-posting :suspense (- difference)))))))))

(defun record (date memo &rest postings)
  "Check and book a transaction; each of POSTINGS is a POSTING. All of them are booked, or none."
  (let* ((settled (settle memo postings))
         (accounts (mapcar (lambda (posting) (find-account (posting-account posting))) settled))
         (transaction (make-instance 'transaction :date date :memo memo :postings settled)))
    (loop for account in accounts
          for posting in settled
          do (post account (posting-amount posting)))
    (push transaction (transactions *ledger*))
    transaction))

(defmacro deftransaction (name (&rest parameters) (date memo) &body postings)
  "Define NAME as a function that books one kind of transaction.

  (deftransaction pay-rent (date amount) (date \"Rent\")
    (debit :rent amount)
    (credit :bank amount))"
  `(defun ,name ,parameters
     ,(format nil "Book ~(~{~{~a ~s~}~^, ~}~)."
              (loop for (side account) in postings
                    collect (list side account)))
     (record ,date ,memo ,@postings)))

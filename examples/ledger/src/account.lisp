;;;; Accounts. The class of an account decides which side increases it.

(in-package :ledger)

(defclass account ()
  ((name :initarg :name :reader name :type symbol
         :documentation "A keyword.")
   (entries :initform '() :accessor entries
            :documentation "The amounts posted, newest first; debits are positive."))
  (:documentation "Something that amounts are posted to."))

(defclass debit-account (account) ()
  (:documentation "An account that debits increase."))

(defclass credit-account (account) ()
  (:documentation "An account that credits increase."))

(defclass asset (debit-account) ())
(defclass expense (debit-account) ())
(defclass liability (credit-account) ())
(defclass equity (credit-account) ())
(defclass income (credit-account) ())

(defgeneric normal-side (account)
  (:documentation "The side, :DEBIT or :CREDIT, on which ACCOUNT grows.")
  (:method ((account debit-account)) :debit)
  (:method ((account credit-account)) :credit))

(defgeneric balance (account)
  (:documentation "What stands on ACCOUNT, positive on its normal side."))

(defmethod balance ((account account))
  (reduce #'+ (entries account)))

(defmethod balance :around ((account credit-account))
  "Credits are stored as negative amounts."
  (- (call-next-method)))

(defgeneric post (account amount)
  (:documentation "Book AMOUNT on ACCOUNT: a debit when positive, else a credit."))

(defmethod post ((account account) (amount integer))
  (push amount (entries account))
  amount)

(defmethod print-object ((account account) stream)
  (print-unreadable-object (account stream :type t)
    (format stream "~a ~a" (name account) (format-money (balance account)))))

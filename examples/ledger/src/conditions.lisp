;;;; Conditions of the ledger, and their restarts.

(in-package :ledger)

(define-condition ledger-error (error)
  ()
  (:documentation "Anything that the ledger refuses to do."))

(define-condition malformed-money (ledger-error)
  ((text :initarg :text :reader malformed-text))
  (:report (lambda (condition stream)
             (format stream "~s is not an amount of money." (malformed-text condition)))))

(define-condition unknown-account (ledger-error)
  ((name :initarg :name :reader account-name))
  (:report (lambda (condition stream)
             (format stream "There is no account named ~a." (account-name condition))))
  (:documentation "Signalled with the restarts USE-ACCOUNT and OPEN-ACCOUNT."))

(define-condition duplicate-account (ledger-error)
  ((name :initarg :name :reader account-name))
  (:report (lambda (condition stream)
             (format stream "An account named ~a is open already." (account-name condition)))))

(define-condition unbalanced-transaction (ledger-error)
  ((memo :initarg :memo :reader unbalanced-memo)
   (difference :initarg :difference :reader unbalanced-by))
  (:report (lambda (condition stream)
             (format stream "The transaction ~s is out of balance by ~a."
                     (unbalanced-memo condition)
                     (format-money (unbalanced-by condition)))))
  (:documentation "Debits and credits differ. Signalled with the restart POST-TO-SUSPENSE."))

(defmacro define-restart-function (name (&rest parameters) documentation)
  "Define NAME as a function that invokes the restart of that name, if it is active."
  `(defun ,name (,@parameters &optional condition)
     ,documentation
     (let ((restart (find-restart ',name condition)))
       (when restart
         (invoke-restart restart ,@parameters)))))

(define-restart-function use-account (name)
  "Go on with the account called NAME instead of the unknown one.")

(define-restart-function open-account (class)
  "Open the unknown account as an instance of CLASS and go on with it.")

(define-restart-function post-to-suspense ()
  "Book the difference of an unbalanced transaction on the suspense account.")

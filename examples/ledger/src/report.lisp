;;;; Reports of a ledger.

(in-package :ledger)

(defun trial-balance ()
  "The sums of all debits and of all credits in *LEDGER*, as two values. They are equal."
  (loop for account in (accounts)
        for amounts = (entries account)
        sum (reduce #'+ (remove-if #'minusp amounts)) into debits
        sum (- (reduce #'+ (remove-if #'plusp amounts))) into credits
        finally (return (values debits credits))))

(defun total (class)
  "The sum of the balances of the accounts of CLASS."
  (loop for account in (accounts)
        when (typep account class)
          sum (balance account)))

(defun net-worth ()
  "What is owned, less what is owed."
  (- (total 'asset) (total 'liability)))

(defun statement ()
  "A list of (name class balance) for each account with a balance other than zero."
  (loop for account in (accounts)
        for balance = (balance account)
        unless (zerop balance)
          collect (list (name account) (class-name (class-of account)) balance)))

(defun print-statement (&optional (stream *standard-output*))
  "Write the statement as a table to STREAM."
  (format stream "~&~24a ~10a ~14@a~%" "account" "class" "balance")
  (loop for (name class balance) in (statement)
        do (format stream "~(~24a ~10a~) ~14@a~%" name class (format-money balance)))
  (format stream "~35a ~14@a~%" "net worth" (format-money (net-worth))))

(defpackage #:shop
  (:use #:cl
        #:alexandria)
  (:export #:price
           #:total))

(defclass item ()
  ((name :initarg :name
         :accessor name)
   (price :initform 0))
  (:default-initargs :name
                     "x"))

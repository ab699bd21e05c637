;;;; Objects by number: the parts of a value, a few at a time.
;;;;
;;;; The parent shows the user a number for a compound value and may ask about it later. README.md describes the nodes.
;;;; Everything about an object is found under the same guard as an evaluation: printing it may run code of the user,
;;;; which may fail or never end.

(in-package "LISPWRIGHT.AGENT")

;;; The table

(defconstant +most-objects+ 1000)
(defconstant +preview-parts+ 8)
(defconstant +short-string+ 200)
(defconstant +most-counted+ 1000000)

(defvar *objects* (make-hash-table) "From numbers to objects.")
(defvar *object-numbers* (make-hash-table :test #'eq) "From objects to their numbers.")
(defvar *object-ring* (make-array +most-objects+ :initial-element nil) "The numbers in the table.")
(defvar *object-ring-end* 0 "The place of the oldest number in the ring, which the next one replaces.")

(defun object-number (object)
  "The number of OBJECT; a new one, instead of the oldest, when it has none."
  (or (gethash object *object-numbers*)
      (let ((number *next-object*)
            (oldest (aref *object-ring* *object-ring-end*)))
        (when oldest
          (remhash (gethash oldest *objects*) *object-numbers*)
          (remhash oldest *objects*))
        (setf (aref *object-ring* *object-ring-end*) number
              *object-ring-end* (mod (1+ *object-ring-end*) +most-objects+)
              *next-object* (1+ number)
              (gethash number *objects*) object
              (gethash object *object-numbers*) number))))

(defun forget-objects ()
  "Empties the table; numbers start at 1 again."
  (clrhash *objects*)
  (clrhash *object-numbers*)
  (fill *object-ring* nil)
  (setf *object-ring-end* 0
        *next-object* 1))

;;; Kinds

(defun kind (object)
  "The word for the kind of OBJECT; \"atom\" when it has no parts to inspect."
  (typecase object
    ((or number character) "atom")
    (symbol (if (symbol-with-parts-p object) "symbol" "atom"))
    (cons "list")
    (string (if (> (length object) +short-string+) "string" "atom"))
    (array "array")
    (hash-table "hash-table")
    (function "function")
    (package "package")
    (pathname "pathname")
    (stream "stream")
    (condition "condition")
    (structure-object "structure")
    (standard-object "instance")
    (t "other")))

(defun symbol-with-parts-p (symbol)
  "True when SYMBOL has more than a name, and is not of the language itself."
  (and (not (keywordp symbol))
       (not (eq (symbol-package symbol) (load-time-value (find-package "COMMON-LISP"))))
       (or (boundp symbol) (fboundp symbol) (symbol-plist symbol) (find-class symbol nil))
       t))

;;; Parts: (label value) with a string, or NIL, as the label; (:ENTRY key value); (label) for an unbound slot

(defun list-shape (list)
  "The number of conses of LIST and its end: NIL, an atom, :CIRCULAR, or :LONG when they were not all counted."
  (let ((count 0)
        (slow list)
        (fast list))
    (loop
      (unless (consp fast)
        (return (values count fast)))
      (setf fast (cdr fast))
      (incf count)
      (when (evenp count)
        (setf slow (cdr slow)))
      (when (and (eq fast slow) (consp fast))
        (return (values (circle-length list) :circular)))
      (when (>= count +most-counted+)
        (return (values count :long))))))

(defun circle-length (list)
  "The number of conses of the circular LIST."
  (let ((seen (make-hash-table :test #'eq)))
    (loop for cons = list then (cdr cons)
          until (gethash cons seen)
          do (setf (gethash cons seen) t)
          count t)))

(defun list-parts (list offset count)
  (multiple-value-bind (length end) (list-shape list)
    (let* ((tail (if (< offset length) (nthcdr offset list) '()))
           (shown (min count (max 0 (- length offset))))
           (parts (loop repeat shown
                        for rest = tail then (cdr rest)
                        collect (list nil (car rest))
                        finally (setf tail (if (plusp shown) (cdr rest) tail)))))
      (values (append parts
                      (and (>= (+ offset shown) length)
                           (not (member end '(nil :long)))
                           (list (list "tail" tail))))
              (case end
                (:circular '(("shape" "circular")))
                (:long '())
                ((nil) '())
                (t '(("shape" "dotted"))))
              (if (eq end :long) nil length)))))

(defun array-parts (array offset count)
  (let ((total (if (vectorp array) (length array) (array-total-size array))))
    (values (loop for index from offset below (min total (+ offset count))
                  collect (list (if (vectorp array) nil (subscripts array index)) (row-major-aref array index)))
            `(("dimensions" ,(short-text (array-dimensions array)))
              ("element type" ,(short-text (array-element-type array)))
              ,@(and (array-has-fill-pointer-p array) (list (list "fill pointer" (short-text (fill-pointer array)))))
              ,@(and (array-displacement array) '(("displaced" "yes"))))
            total)))

(defun subscripts (array index)
  "The subscripts of the element of ARRAY with this row-major INDEX, as text."
  (let ((subscripts '()))
    (dolist (dimension (reverse (array-dimensions array)) (short-text subscripts))
      (multiple-value-bind (rest subscript) (floor index dimension)
        (push subscript subscripts)
        (setf index rest)))))

(defun hash-table-parts (table offset count)
  (values (let ((index 0)
                (parts '()))
            (block entries
              (maphash (lambda (key value)
                         (when (>= index (+ offset count))
                           (return-from entries))
                         (when (>= index offset)
                           (push (list :entry key value) parts))
                         (incf index))
                       table))
            (nreverse parts))
          `(("test" ,(short-text (hash-table-test table))))
          (hash-table-count table)))

(defun window (parts offset count)
  "COUNT of PARTS from OFFSET, no facts, and their total number."
  (values (loop for part in (nthcdr offset parts)
                repeat count
                collect part)
          '()
          (length parts)))

(defun package-parts (package offset count)
  (let ((external '())
        (internal 0))
    (do-external-symbols (symbol package)
      (push symbol external))
    (do-symbols (symbol package)
      (when (eq (symbol-package symbol) package)
        (incf internal)))
    (multiple-value-bind (parts facts total)
        (window (mapcar (lambda (symbol) (list nil symbol)) (sort external #'string< :key #'symbol-name)) offset count)
      (declare (ignore facts))
      (flet ((names (packages)
               (short-text (mapcar #'package-name packages))))
        (values parts
                `(("parts" "external symbols")
                  ("own symbols" ,(short-text internal))
                  ("uses" ,(names (package-use-list package)))
                  ("used by" ,(names (package-used-by-list package)))
                  ,@(and (package-nicknames package)
                         (list (list "nicknames" (short-text (package-nicknames package)))))
                  ,@(documentation-facts package t))
                total)))))

(defun symbol-parts (symbol)
  (values `(,@(and (boundp symbol) (list (list "value" (symbol-value symbol))))
            ,@(and (fboundp symbol)
                   (list (list (cond ((special-operator-p symbol) "special operator")
                                     ((macro-function symbol) "macro")
                                     (t "function"))
                               (or (macro-function symbol) (fdefinition symbol)))))
            ,@(and (find-class symbol nil) (list (list "class" (find-class symbol))))
            ,@(and (symbol-plist symbol) (list (list "property list" (symbol-plist symbol)))))
          `(("package" ,(if (symbol-package symbol) (package-name (symbol-package symbol)) "none"))
            ,@(documentation-facts symbol 'variable)
            ,@(documentation-facts symbol 'function))))

(defun documentation-facts (object type)
  (let ((text (ignore-errors (documentation object type))))
    (and (stringp text) (list (list "documentation" (subseq text 0 (min (length text) 1000)))))))

(defun function-facts (function)
  `(("name" ,(short-text (function-name function)))
    ("lambda list" ,(short-text (function-lambda-list function)))
    ,@(function-source-facts function)
    ,@(or (documentation-facts function t)
          (and (symbolp (function-name function))
               (documentation-facts (function-name function) 'function)))))

(defun pathname-parts (pathname)
  (values (loop for (name reader) in '(("host" pathname-host) ("device" pathname-device)
                                       ("directory" pathname-directory) ("name" pathname-name)
                                       ("type" pathname-type) ("version" pathname-version))
                collect (list name (funcall reader pathname)))
          (let ((there (ignore-errors (probe-file pathname))))
            `(("names" ,(cond ((wild-pathname-p pathname) "a pattern")
                              (there (short-text there))
                              (t "nothing that exists")))))))

(defun stream-facts (stream)
  `(("open" ,(if (open-stream-p stream) "yes" "no"))
    ("direction" ,(format nil "~:[~;input ~]~:[~;output~]" (input-stream-p stream) (output-stream-p stream)))
    ("element type" ,(short-text (stream-element-type stream)))))

(defun slot-facts (object)
  (list (list "class" (short-text (class-name (class-of object))))))

(defun parts (object offset count)
  "Up to COUNT parts of OBJECT from the one at OFFSET; second value: facts about it; third: their total number, if
known."
  (flet ((windowed (parts facts)
           (multiple-value-bind (shown none total) (window parts offset count)
             (declare (ignore none))
             (values shown facts total))))
    (typecase object
      (cons (list-parts object offset count))
      (array (array-parts object offset count))
      (hash-table (hash-table-parts object offset count))
      (package (package-parts object offset count))
      (symbol (multiple-value-call #'windowed (symbol-parts object)))
      (pathname (multiple-value-call #'windowed (pathname-parts object)))
      (function (windowed (function-parts object) (function-facts object)))
      ((or condition structure-object standard-object)
       (windowed (slot-parts object)
                 (if (streamp object) (append (slot-facts object) (stream-facts object)) (slot-facts object))))
      (stream (windowed '() (stream-facts object)))
      (t (windowed '() '())))))

;;; Nodes

(defun node (object depth count offset limit path)
  "OBJECT with DEPTH levels of its parts; PATH are the objects that contain it."
  (let ((kind (kind object)))
    (cond ((string= kind "atom")
           (list :kind kind :text (short-text object)))
          ((member object path :test #'eq)
           (list :kind kind :id (object-number object) :seen t))
          (t
           (append (list :kind kind :id (object-number object) :type (type-text object) :text (short-text object))
                   (cond ((not (plusp depth)) '())
                         ((stringp object) (string-fields object offset limit))
                         (t (part-fields object depth count offset limit path))))))))

(defun string-fields (string offset limit)
  (let ((end (min (length string) (+ offset limit))))
    (list :total (length string) :offset offset
          :parts (and (< offset end)
                      (list (list nil (list :kind "text" :text (subseq string offset end))))))))

(defun part-fields (object depth count offset limit path)
  (handler-case
      (multiple-value-bind (parts facts total) (parts object offset count)
        (let ((path (cons object path)))
          (flet ((inner (value)
                   (node value (1- depth) count 0 limit path)))
            (list :facts facts :total total :offset offset
                  :parts (loop for part in parts
                               collect (cond ((eq (first part) :entry)
                                              (list (inner (second part)) (inner (third part))))
                                             ((null (rest part))
                                              (list (first part) (list :kind "unbound")))
                                             (t (list (first part) (inner (second part))))))))))
    (error (failure)
      (list :facts (list (list "cannot be looked into"
                               (format nil "~A: ~A" (type-text failure) (condition-text failure 500))))))))

(defun inspect-value (object depth count offset limit)
  (let ((*boundary* t))
    (list (node object depth count offset limit '()))))

(defun answer-inspect (&key object (depth 1) (count 50) (offset 0) (limit 2000) &allow-other-keys)
  "Describes the object with the number OBJECT; returns the fields of the answer."
  (multiple-value-bind (value found) (gethash object *objects*)
    (if found
        (call-evaluating (lambda (evaluation)
                           (setf (evaluation-phase evaluation) :print)
                           (list :outcome :inspected
                                 :object (first (inspect-value value (min depth 8) count offset limit)))))
        (list :outcome :refused :no-object object))))

(defun preview-fields (values)
  "(:OBJECT node) for the first of VALUES when it is compound, as far as that can be found out. The slots of classes and
methods are those of the implementation: inspecting shows them."
  (when (and values (not (symbolp (first values))) (string/= (kind (first values)) "atom"))
    (let ((node (catch 'preview
                  (let ((*previewing* t))
                    (handler-case (first (inspect-value (first values) 1
                                                          (if (typep (first values) '(or class method)) 0 +preview-parts+)
                                                          0 +short-string+))
                      (serious-condition () nil))))))
      (and node (list :object node)))))

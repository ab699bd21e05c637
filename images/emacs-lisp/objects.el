;;; objects.el --- objects by number, and their parts  -*- lexical-binding: t; -*-

;; images/README.md describes the nodes.

(defconst lispwright--most-objects 1000 "The number of objects that are kept by their number.")
(defconst lispwright--preview-parts 8 "The default number of parts of a value that are shown.")
(defconst lispwright--short-string 200 "Longer strings, in characters, are objects of their own.")

(defvar lispwright--objects (make-hash-table)
  "Objects by their numbers.")

(defvar lispwright--object-numbers (make-hash-table :test #'eq :weakness 'key)
  "Numbers by the objects.")

(defvar lispwright--next-object 1
  "A number above all used in this session; the parent keeps count.")

(defun lispwright--object-number (object)
  "The number of OBJECT; a new one, instead of the oldest, when it has none."
  (or (gethash object lispwright--object-numbers)
      (let* ((number lispwright--next-object)
             (old (gethash (- number lispwright--most-objects) lispwright--objects)))
        (setq lispwright--next-object (1+ number))
        (when old
          (remhash old lispwright--object-numbers)
          (remhash (- number lispwright--most-objects) lispwright--objects))
        (puthash number object lispwright--objects)
        (puthash object number lispwright--object-numbers))))

(defun lispwright--kind (object)
  "The word for the kind of OBJECT; \"atom\" when it has no parts to inspect."
  (cond ((consp object) (if (functionp object) "function" "list"))
        ((stringp object) (if (> (length object) lispwright--short-string) "string" "atom"))
        ((and (functionp object) (not (symbolp object))) "function")
        ((recordp object) (if (lispwright--instance-p object) "instance" "structure"))
        ((or (vectorp object) (bool-vector-p object) (char-table-p object)) "array")
        ((hash-table-p object) "hash-table")
        ((bufferp object) "buffer")
        ((processp object) "process")
        ((overlayp object) "overlay")
        (t "atom")))

(defun lispwright--instance-p (record)
  "Non-nil when RECORD is an instance of an EIEIO class."
  (and (fboundp 'eieio-object-p) (eieio-object-p record)))

(defun lispwright--list-shape (list)
  "The number of conses of LIST and its end, as a cons: nil, another object, or `circular'."
  (let ((seen (make-hash-table :test #'eq)) (count 0))
    (while (and (consp list) (not (gethash list seen)))
      (puthash list t seen)
      (setq count (1+ count))
      (setq list (cdr list)))
    (cons count (if (consp list) 'circular list))))

(defun lispwright--unlabelled (values)
  "VALUES as parts without names."
  (mapcar (lambda (value) (list nil value)) values))

(defun lispwright--parts (object offset count)
  "Parts, facts and the number of parts of OBJECT: up to COUNT parts from the one at OFFSET, each (LABEL VALUE), where LABEL is
a string or nil, or (entry KEY VALUE)."
  (let ((windowed (lambda (all facts)
                    (list (lispwright--first count (nthcdr offset all)) facts (length all)))))
    (pcase (lispwright--kind object)
      ("list"
       (let* ((shape (lispwright--list-shape object))
              (total (car shape))
              (end (cdr shape))
              (rest (nthcdr (min offset total) object))
              (left (min count (- total (min offset total))))
              (shown nil))
         (while (> left 0)
           (push (list nil (pop rest)) shown)
           (setq left (1- left)))
         (list (append (nreverse shown)
                       (and end (not (eq end 'circular)) (<= total (+ offset count)) (list (list "tail" end))))
               (and end (list (list "shape" (if (eq end 'circular) "circular" "dotted"))))
               total)))
      ("array"
       (let ((total (if (char-table-p object) 0 (length object))) (shown nil))
         (dotimes (index (max 0 (min count (- total offset))))
           (push (aref object (+ offset index)) shown))
         (list (lispwright--unlabelled (nreverse shown))
               (list (list "type" (format "%s" (type-of object))))
               total)))
      ("hash-table"
       (let ((entries nil))
         (maphash (lambda (key value) (push (list 'entry key value) entries)) object)
         (funcall windowed (nreverse entries)
                  (list (list "test" (format "%s" (hash-table-test object)))
                        (list "weakness" (format "%s" (hash-table-weakness object)))))))
      ((or "structure" "instance") (funcall windowed (lispwright--slots object) nil))
      ("function" (funcall windowed (lispwright--captured object) (lispwright--function-facts object)))
      ("buffer"
       (funcall windowed nil
                (if (buffer-live-p object)
                    (with-current-buffer object
                      (list (list "size" (format "%d characters" (buffer-size)))
                            (list "point" (format "%d" (point)))
                            (list "major mode" (format "%s" major-mode))
                            (list "file" (format "%s" (or buffer-file-name "none")))
                            (list "modified" (if (buffer-modified-p) "yes" "no"))
                            (list "begins" (lispwright--cut (save-restriction
                                                              (widen)
                                                              (buffer-substring (point-min) (min (point-max) 500)))
                                                            500))))
                  '(("live" "no")))))
      ("process"
       (funcall windowed (list (list "plist" (process-plist object)))
                (list (list "status" (format "%s" (process-status object)))
                      (list "command" (lispwright--short-text (process-command object)))
                      (list "buffer" (lispwright--short-text (process-buffer object))))))
      ("overlay"
       (funcall windowed (list (list "properties" (overlay-properties object)))
                (list (list "from" (format "%s" (overlay-start object)))
                      (list "to" (format "%s" (overlay-end object)))
                      (list "buffer" (format "%s" (overlay-buffer object))))))
      (_ (funcall windowed nil nil)))))

(defun lispwright--slots (record)
  "The slots of RECORD with their names."
  (let* ((type (aref record 0))
         (class (if (symbolp type) (get type 'cl--class) type))
         (slots (and (recordp class) (fboundp 'cl--class-slots) (cl--class-slots class)))
         (parts nil))
    (dotimes (index (1- (length record)))
      (let ((slot (and slots (< index (length slots)) (aref slots index)))
            (value (aref record (1+ index))))
        (push (cons (if slot (symbol-name (cl--slot-descriptor-name slot)) (number-to-string index))
                    (and (not (and (boundp 'eieio--unbound) (eq value (symbol-value 'eieio--unbound)))) (list value)))
              parts)))
    (nreverse parts)))

(defun lispwright--captured (function)
  "The variables that FUNCTION, when it is an interpreted closure, has captured."
  (and (eq (car-safe function) 'closure)
       (delq nil (mapcar (lambda (binding) (and (consp binding) (list (symbol-name (car binding)) (cdr binding))))
                         (nth 1 function)))))

(defun lispwright--function-facts (function)
  "The facts about FUNCTION itself."
  (append (list (list "kind" (cond ((subrp function) "primitive")
                                   ((consp function) "interpreted")
                                   (t "compiled")))
                (list "arguments" (format "%s" (or (help-function-arglist function t) "()"))))
          (let ((documentation (condition-case nil (documentation function t) (error nil))))
            (and (stringp documentation) (list (list "documentation" (lispwright--cut documentation 1000)))))))

(defun lispwright--node (object depth count offset limit &optional path)
  "OBJECT as a node, with DEPTH levels of COUNT parts each, those of OBJECT itself from OFFSET on.  Of a long string
LIMIT characters are shown.  PATH are the objects that contain it."
  (let ((kind (lispwright--kind object)))
    (cond ((equal kind "atom") (list :kind kind :text (lispwright--short-text object)))
          ((memq object path) (list :kind kind :id (lispwright--object-number object) :seen t))
          (t (append (list :kind kind :id (lispwright--object-number object) :type (format "%s" (type-of object))
                           :text (lispwright--short-text object))
                     (cond ((<= depth 0) nil)
                           ((stringp object) (lispwright--string-fields object offset limit))
                           (t (lispwright--part-fields object depth count offset limit path))))))))

(defun lispwright--string-fields (string offset limit)
  "The description of STRING: LIMIT characters from OFFSET on."
  (let ((end (min (length string) (+ offset limit))))
    (append (list :total (length string) :offset offset)
            (and (< offset end)
                 (list :parts (list (list nil (list :kind "text" :text (substring-no-properties string offset end)))))))))

(defun lispwright--part-fields (object depth count offset limit path)
  "The parts of OBJECT as nodes; see `lispwright--node'."
  (let* ((parts (lispwright--parts object offset count))
         (path (cons object path))
         (inner (lambda (value) (lispwright--node value (1- depth) count 0 limit path))))
    (list :facts (nth 1 parts) :total (nth 2 parts) :offset offset
          :parts (mapcar (lambda (part)
                           (cond ((eq (car part) 'entry) (list (funcall inner (nth 1 part)) (funcall inner (nth 2 part))))
                                 ((cdr part) (list (car part) (funcall inner (cadr part))))
                                 (t (list (car part) (list :kind "unbound")))))
                         (nth 0 parts)))))

(defun lispwright--answer-inspect (request)
  "Describe the object whose number is in REQUEST."
  (let* ((number (lispwright--argument request :OBJECT))
         (none (list nil))
         (object (gethash number lispwright--objects none)))
    (if (eq object none)
        (list :outcome :refused :no-object number)
      (list :outcome :inspected
            :object (lispwright--node object (min 8 (lispwright--argument request :DEPTH))
                                      (lispwright--argument request :COUNT) (lispwright--argument request :OFFSET)
                                      (lispwright--argument request :LIMIT))))))

(defun lispwright--preview (values)
  "The node of the first of VALUES, if it has parts to inspect."
  (and values
       (not (equal (lispwright--kind (car values)) "atom"))
       (list :object (lispwright--node (car values) 1 lispwright--preview-parts 0 lispwright--short-string))))

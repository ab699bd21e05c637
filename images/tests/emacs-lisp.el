;;; emacs-lisp.el --- tests of the agent for Emacs Lisp in one image  -*- lexical-binding: t; -*-

;; emacs -Q --batch -l images/tests/emacs-lisp.el

(require 'ert)

(let ((images (expand-file-name "../emacs-lisp/" (file-name-directory load-file-name))))
  (dolist (part '("lists" "wire" "print" "journal" "places" "stack" "agent" "held" "objects" "look" "describe" "renewal" "work" "customs" "tests"))
    (load (concat images part ".el") nil t t)))

(defvar agent-test-sent nil "What the agent has sent, the last message first.")

(defun agent-test-ask (&rest request)
  "The answer to REQUEST, without what it is sent with."
  (let ((agent-test-sent nil))
    (cl-letf (((symbol-function 'lispwright--send) (lambda (message) (push message agent-test-sent))))
      (setq lispwright--id 7)
      (lispwright--answer request)
      (cdr (car agent-test-sent)))))

(defun agent-test-values (code)
  "The printed values of CODE."
  (mapcar #'car (plist-get (agent-test-ask :EVAL :CODE code) :values)))

(defun agent-test-error (code)
  "What is sent of the error of CODE."
  (plist-get (agent-test-ask :EVAL :CODE code) :error))

(ert-deftest agent-frames-are-read-however-they-come ()
  (let ((lispwright--requests nil)
        (bytes (encode-coding-string "000012(:EVAL :CODE \"λ\")00000b(:PING NIL)" 'utf-8)))
    (mapc (lambda (byte) (lispwright--arrived nil (unibyte-string byte))) bytes)
    (should (equal lispwright--requests '((:EVAL :CODE "λ") (:PING nil))))))

(ert-deftest agent-messages-are-lists-of-the-wire ()
  (should (equal (lispwright--encode '(:done :id 1 :text "a\"\\b" :no nil :yes t)) "(:DONE :ID 1 :TEXT \"a\\\"\\\\b\" :NO NIL :YES T)")))

(ert-deftest agent-evaluates-forms-in-their-order ()
  (should (equal (agent-test-values "1 ; one\n (defmacro agent-test-m () ''two) (progn (agent-test-m))") '("two")))
  (should (equal (agent-test-values "") nil)))

(ert-deftest agent-printing-ends ()
  (should (equal (agent-test-values "(let ((list (list 1))) (setcdr list list))") '("(1 . #0)")))
  (should (equal (car (lispwright--value-text (make-list 1000 1) 5)) "(1 1 "))
  (let ((deep nil))
    (dotimes (_ 10000) (setq deep (list deep)))
    (should (string-match-p "\\.\\.\\." (car (lispwright--value-text deep 10000))))))

(ert-deftest agent-errors-have-frames-and-variables ()
  (agent-test-values "(defun agent-test-f (x) (let ((y (* 2 x))) (car y)))")
  (let* ((told (agent-test-error "(agent-test-f 3)"))
         (frame (nth 1 (plist-get told :frames))))
    (should (equal (plist-get told :type) "wrong-type-argument"))
    (should (equal (plist-get frame :call) "(agent-test-f 3)"))
    (should (equal (plist-get frame :locals) '(("x" "3") ("y" "6"))))))

(ert-deftest agent-calls-that-repeat-are-folded ()
  (let* ((told (agent-test-error "(defun agent-test-deep (n) (1+ (agent-test-deep n))) (agent-test-deep 1)"))
         (frame (car (plist-get told :frames))))
    (should (= (plist-get frame :period) 1))
    (should (> (plist-get frame :repeated) 50))))

(ert-deftest agent-errors-of-reading-have-their-place ()
  (let ((place (plist-get (agent-test-ask :EVAL :CODE "1\n (list 1") :place)))
    (should (eq (plist-get place :phase) :read))
    (should (equal (list (plist-get place :line) (plist-get place :column)) '(2 2))))
  (should (plist-get (agent-test-error "(list 1") :unclosed))
  (should-not (plist-get (agent-test-error "(list 1))") :unclosed)))

(ert-deftest agent-knows-who-refers ()
  (should (equal (lispwright--references-in '(defun f (x) (car (mapcar #'car (list x '(car))))) 'car) '("call" "reference"))))

(ert-deftest agent-objects-have-parts ()
  (let ((node (lispwright--node (list 1 "a" (vector 2)) 2 10 0 100)))
    (should (equal (plist-get node :kind) "list"))
    (should (= (plist-get node :total) 3))
    (should (equal (plist-get (cadr (nth 2 (plist-get node :parts))) :kind) "array"))))

(defmacro agent-test-with-files (&rest body)
  "Evaluate BODY with a project in the directory ROOT, in which `(write FILE TEXT)' writes a file and `(load-it &rest ...)'
asks for a load."
  `(let* ((root (file-name-as-directory (make-temp-file "agent-test" t))) (load-path (cons root load-path))
          (load-read-function #'lispwright--read) (after-load-functions '(lispwright--note-loaded)))
     (add-variable-watcher 'load-file-name #'lispwright--note-start)
     (unwind-protect
         (cl-flet ((write (file text)
                     (with-temp-file (expand-file-name file root) (insert ";;; -*- lexical-binding: t; -*-\n" text)))
                   (path (file) (expand-file-name file root))
                   (load-it (file &rest more)
                     (apply #'agent-test-ask :LOAD :PATH (expand-file-name file root) :ROOTS (list root) more)))
           ,@body)
       (remove-variable-watcher 'load-file-name #'lispwright--note-start)
       (delete-directory root t))))

(ert-deftest agent-what-left-a-file-leaves-the-image ()
  (agent-test-with-files
   (write "at-shop.el" "(defun at-one () 1)\n(defun at-two () 2)\n(defvar at-v (list 1))\n(provide 'at-shop)\n")
   (should (eq (plist-get (load-it "at-shop.el") :outcome) :loaded))
   (agent-test-values "(defun at-mine () (at-two))")
   (write "at-shop.el" "(defun at-one () 1)\n(defvar at-v (list 2))\n(provide 'at-shop)\n")
   (let ((told (load-it "at-shop.el" :STALE (list (list (path "at-shop.el") t '(("" "at-v")))))))
     (should (equal (plist-get told :removed) (list (list "function" "at-two" (path "at-shop.el")))))
     (should (equal (plist-get told :reset) '("at-v"))))
   (should-not (fboundp 'at-two))
   (should (fboundp 'at-mine))
   (should (equal (symbol-value 'at-v) '(2)))))

;; Natively compiled libraries are not read when they are loaded.
(ert-deftest agent-what-a-library-defines-stays-when-it-is-required-elsewhere ()
  (agent-test-with-files
   (write "at-lib.el" "(require 'ucs-normalize)\n(defun at-chars () ucs-normalize-combining-chars)\n")
   (load-it "at-lib.el")
   (write "at-lib.el" "(defun at-chars () (require 'ucs-normalize) ucs-normalize-combining-chars)\n")
   (load-it "at-lib.el" :STALE (list (list (path "at-lib.el") t nil)))
   (should (boundp 'ucs-normalize-combining-chars))
   (should (consp (funcall 'at-chars)))))

(ert-deftest agent-a-value-of-the-user-is-kept-and-told ()
  (agent-test-with-files
   (write "at-kept.el" "(defvar at-kept 1)\n")
   (load-it "at-kept.el")
   (agent-test-values "(setq at-kept 5)")
   (write "at-kept.el" "(defvar at-kept 2)\n")
   (let ((told (load-it "at-kept.el" :STALE (list (list (path "at-kept.el") t '(("" "at-kept")))))))
     (should (equal (plist-get told :keeps) '("at-kept"))))
   (should (equal (symbol-value 'at-kept) 5))))

(ert-deftest agent-a-load-that-fails-leaves-what-was-there ()
  (agent-test-with-files
   (write "at-fails.el" "(defun at-fine () 1)\n(provide 'at-fails)\n")
   (load-it "at-fails.el")
   (write "at-fails.el" "(defun at-fine () 2)\n(defun at-half () 1)\n(error \"No\")\n(provide 'at-fails)\n")
   (dotimes (_ 2)
     (should (plist-get (load-it "at-fails.el" :STALE (list (list (path "at-fails.el") t nil))) :error))
     (should (equal (funcall 'at-fine) 1))
     (should-not (fboundp 'at-half)))
   (should (equal (mapcar #'cadr (plist-get (agent-test-ask :LOADED-FILES :ROOTS (list root)) :files)) '(:changed)))))

(ert-deftest agent-what-fails-whenever-it-is-reached-is-an-error ()
  (cl-flet ((told (text)
              (agent-test-with-files
               (write "at-odd.el" (concat "(defun at-one (a) a)\n" text "\n(provide 'at-odd)\n"))
               (mapcar (lambda (one) (plist-get one :severity)) (plist-get (load-it "at-odd.el") :diagnostics)))))
    (dolist (form '("(let ((x 1 2)) x)" "(setq at-x 1 at-y)" "(quote a b)" "(at-one)" "(at-one 1 2)" "(let ((:k 1)) 2)"))
      (should (member "error" (told (format "(defvar at-x nil)\n(defvar at-y nil)\n(defun at-odd () %s)" form)))))
    (should (equal (told "(defun at-odd (a) 1)") '("warning")))
    (should (equal (told "(defun at-odd () (at-nowhere))") '("warning")))
    (should (equal (told "(defun at-odd () (at-one 1))") nil))))

;; A test may leave what another one needs.
(ert-deftest agent-ert-tests-run-in-the-order-of-ert ()
  (agent-test-with-files
   (write "at-order.el" (concat "(require 'ert)\n(defvar at-state nil)\n(ert-deftest at-order-b () (should at-state))\n"
                                "(ert-deftest at-order-a () (setq at-state t))\n"))
   (let ((told (agent-test-ask :RUN-TESTS :PATH (path "at-order.el") :ROOTS (list root))))
     (should (equal (plist-get told :names) '("at-order-a" "at-order-b")))
     (should (equal (list (plist-get told :passed) (plist-get told :failed)) '(2 0))))))

(let ((stats (ert-run-tests-batch "^agent-")))
  (if (zerop (ert-stats-completed-unexpected stats))
      (princ "all passed\n")
    (kill-emacs 1)))

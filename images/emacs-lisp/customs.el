;;; customs.el --- what the tests of a project take for granted  -*- lexical-binding: t; -*-

;; A runner of tests puts directories on `load-path' and loads a helper first.  Which ones, the project says in the files of
;; that runner: Eask, Eldev, ert-runner, make.  They are read as data, and nothing in them is run.

(defun lispwright--lines-of (file)
  "The text of FILE, or an empty one."
  (if (and (file-regular-p file) (file-readable-p file))
      (with-temp-buffer
        (insert-file-contents file nil 0 200000)
        (buffer-string))
    ""))

(defun lispwright--matches (pattern text)
  "What the first group of PATTERN matches in TEXT, in order."
  (let ((start 0) (found nil))
    (while (string-match pattern text start)
      (push (match-string 1 text) found)
      (setq start (match-end 0)))
    (nreverse found)))

(defun lispwright--forms-of (file)
  "The forms of FILE, as far as they can be read."
  (let ((forms nil))
    (with-temp-buffer
      (insert (lispwright--lines-of file))
      (goto-char (point-min))
      (condition-case nil
          (while t (push (read (current-buffer)) forms))
        (error nil)))
    (nreverse forms)))

(defun lispwright--strings-in (heads forms)
  "The strings in those of FORMS that have one of HEADS as their head, also inside of other forms."
  (let ((found nil) (agenda (list forms)))
    (while agenda
      (let ((form (pop agenda)))
        (while (consp form)
          (let ((part (pop form)))
            (when (consp part)
              (when (and (memq (car part) heads) (proper-list-p part))
                (setq found (append found (lispwright--keep-if #'stringp part))))
              (push part agenda))))))
    found))

(defconst lispwright--runner-files '(".ert-runner" "Makefile" "GNUmakefile" "makefile" "Eldev")
  "The files with options of Emacs for the tests.")

(defun lispwright--options (root letter names)
  "What follows the option LETTER of Emacs in the files NAMES of runners below ROOT."
  (let ((pattern (format "\\(?:^\\|[ \t\"'=]\\)-%s[ \t]*[\"']?\\([^ \t\n\"';\\\\]+\\)" letter))
        (case-fold-search nil))
    (apply #'append
           (mapcar (lambda (name)
                     (mapcar (lambda (word)
                               (replace-regexp-in-string "\\`\\$[({]?\\(?:CURDIR\\|PWD\\|ROOT\\|TOP\\)[)}]?/?" "" word))
                             (lispwright--matches pattern (lispwright--lines-of (concat root name)))))
                   names))))

(defun lispwright--test-directories (roots files)
  "The directories that are on `load-path' while the tests of FILES run, in a project with ROOTS."
  (let ((directories (mapcar #'file-name-directory files)))
    (dolist (root roots)
      (setq directories
            (append directories
                    (mapcar (lambda (name) (expand-file-name name root))
                            (append '("test" "tests")
                                    (lispwright--options root "L" lispwright--runner-files)
                                    (lispwright--strings-in '(load-paths) (lispwright--forms-of (concat root "Eask")))
                                    (lispwright--strings-in '(eldev-add-loading-roots)
                                                            (lispwright--forms-of (concat root "Eldev"))))))))
    (delete-dups (mapcar #'directory-file-name (lispwright--keep-if #'file-directory-p directories)))))

(defun lispwright--test-scripts (root)
  "The names of the scripts in ROOT that run the tests of ERT."
  (lispwright--keep-if (lambda (name) (string-match-p "ert-run-tests" (lispwright--lines-of (concat root name))))
                       (directory-files root nil "\\.sh\\'")))

(defun lispwright--test-helpers (roots files)
  "The files that a runner loads before FILES, the tests of a project with ROOTS."
  (let ((named nil)
        (beside (mapcar (lambda (file) (concat (file-name-directory file) "test-helper.el")) files)))
    (dolist (root roots)
      (let ((of-make (lispwright--options root "l" (cdr lispwright--runner-files)))
            ;; A copy of what Emacs has would replace it.
            (of-scripts (lispwright--drop-if (lambda (name) (featurep (intern (file-name-base name))))
                                             (lispwright--options root "l" (lispwright--test-scripts root)))))
        (setq named (append named
                            (mapcar (lambda (name) (expand-file-name name root))
                                    (append (lispwright--options root "l" '(".ert-runner"))
                                            ;; make names the tests, too.
                                            (lispwright--keep-if (lambda (name) (string-match-p "helper[^/]*\\.el\\'" name)) of-make)
                                            of-scripts
                                            '("test/test-helper.el" "tests/test-helper.el")))))))
    (lispwright--keep-if (lambda (file) (and (file-regular-p file) (not (member file files))))
                         (delete-dups (append named beside)))))

(defun lispwright--own-selectors (text)
  "The selectors with which TEXT, a file of a runner, runs the tests of ERT in batch mode: t where it runs all, or what it
computes."
  (let ((start 0) (found nil))
    (while (string-match "ert-run-tests-batch\\(?:-and-exit\\)?\\_>" text start)
      (setq start (match-end 0))
      (push (or (and (eq (string-match "[ \t]+'\\((\\)" text start) start)
                     (ignore-errors (car (read-from-string text (match-beginning 1)))))
                t)
            found))
    found))

(defun lispwright--own-selector (roots)
  "The selector with which every runner of the project with ROOTS runs the tests of ERT in batch mode; nil when there is none."
  (let ((found nil))
    (dolist (root roots)
      (dolist (name (append lispwright--runner-files '("Eask") (directory-files root nil "\\.sh\\'")))
        (setq found (append (lispwright--own-selectors (lispwright--lines-of (concat root name))) found))))
    (let ((selectors (delete-dups found)))
      (and selectors (not (cdr selectors)) (consp (car selectors)) (car selectors)))))

(defun lispwright--selected (names selector)
  "Those of the ERT tests NAMES that SELECTOR selects."
  ;; ERT asserts that a selector is one, and `cl-assert' calls the debugger itself, past all handlers.
  (let ((debug-on-error nil))
    (mapcar #'ert-test-name (ert-select-tests `(and (member ,@names) ,selector) t))))

(defun lispwright--left-out (names selector)
  "Those of the ERT tests NAMES that SELECTOR leaves out; none when it is no selector, as with a variable of make in it."
  (condition-case nil
      (let ((selected (lispwright--selected names selector)))
        (lispwright--drop-if (lambda (name) (memq name selected)) names))
    (error nil)))

(defun lispwright--load-helpers (helpers)
  "Load those of HELPERS, source files, that have changed since they were loaded."
  (dolist (helper helpers)
    (lispwright--want helper)
    (when (lispwright--changed-p helper)
      (lispwright--progress (format "loading %s" helper))
      (lispwright--activate-packages)
      (lispwright--forget-source helper)
      (load helper nil t t))))

(defun lispwright--call-with-directories (directories function)
  "Call FUNCTION with DIRECTORIES on `load-path'.  What else is put there meanwhile stays."
  (let ((added (lispwright--drop-if (lambda (directory) (member directory load-path)) directories)))
    (setq load-path (append added load-path))
    (unwind-protect
        (funcall function)
      (setq load-path (lispwright--drop-if (lambda (directory) (memq directory added)) load-path)))))

(defun lispwright--name-fits-p (pattern name)
  "Non-nil when PATTERN, as a caller writes it, means the test called NAME: the name, its beginning and a star, or a regular
expression between slashes."
  (cond ((equal pattern name))
        ((string-match "\\`/\\(.+\\)/\\'" pattern) (string-match-p (match-string 1 pattern) name))
        ((string-suffix-p "*" pattern) (string-prefix-p (substring pattern 0 -1) name))))

(defun lispwright--ert-fits-p (pattern name)
  "The same for the ERT test NAME, a symbol; PATTERN may be a selector of ERT's, such as (tag fast) or :failed."
  (if (string-match-p "\\`\\((\\|:\\)" pattern)
      (let ((selector (ignore-errors (car (read-from-string pattern)))))
        (and selector
             (memq name (lispwright--selected (list name) selector))))
    (lispwright--name-fits-p pattern (symbol-name name))))

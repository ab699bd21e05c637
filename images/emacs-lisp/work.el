;;; work.el --- loading files and features  -*- lexical-binding: t; -*-

;; A file is compiled for the compiler's messages, into a temporary place, and then its source is loaded: functions from
;; source have variables that frames can show.  Nothing is written beside it.

(defvar lispwright--diagnostics nil "The messages of the compiler and the loader, the last one first.")

(defvar lispwright--checked (make-hash-table :test #'equal)
  "For each file that the compiler has seen, a list: the digest of its content, the number of files that were loaded before,
and the messages.")

(defvar lispwright--packages-activated nil "Non-nil when the installed packages are on `load-path'.")

;;; Messages about a file

(defun lispwright--progress (text)
  "Report the activity of the current request to the parent."
  (unless lispwright--joined
    (lispwright--send (list :progress :id lispwright--id :text text))))

(defun lispwright--diagnose (severity type message file line column form)
  "Record a diagnostic: SEVERITY, TYPE, MESSAGE, and its place: FILE, LINE, COLUMN, the name of the FORM."
  (push (list :severity severity :type type :message message :file file :line line :column column :form form)
        lispwright--diagnostics))

(defconst lispwright--fatal-warnings
  "alformed \\|attempt to let-bind \\|called with [[:digit:]]+ arguments?, but "
  "Matches the warnings about code that fails whenever it is reached.")

(defun lispwright--compiler-says (message &optional position _fill level)
  "Record the compiler's MESSAGE about POSITION in the file that it compiles; LEVEL is `:warning' or `:error'.
What fails whenever it is reached is an error, whatever the compiler calls it."
  (let* ((buffer (and (buffer-live-p byte-compile-current-buffer) byte-compile-current-buffer))
         (position (and buffer (integerp position) position))
         (line (and position (with-current-buffer buffer (line-number-at-pos position t))))
         (column (and position (with-current-buffer buffer
                                 (save-excursion
                                   (goto-char position)
                                   (1+ (- (point) (line-beginning-position)))))))
         (form byte-compile-current-form))
    (lispwright--diagnose (if (or (eq level :error) (string-match-p lispwright--fatal-warnings message)) "error" "warning")
                          "byte-compile" (string-trim message)
                          byte-compile-current-file line column
                          (cond ((stringp form) form)
                                ((and form (symbolp form) (not (keywordp form))) (symbol-name form))))))

(defun lispwright--check (file)
  "Compile FILE, which is loaded, and record the compiler's messages.  What compiling it evaluates is undone."
  (require 'bytecomp)
  (lispwright--progress (format "compiling %s" file))
  (let* ((compiled (let ((temporary-file-directory (or (getenv "LISPWRIGHT_TMPDIR") temporary-file-directory)))
                     (make-temp-file "lispwright" nil ".elc")))
         (byte-compile-dest-file-function (lambda (_) compiled))
         (byte-compile-log-warning-function #'lispwright--compiler-says)
         (byte-compile-verbose nil)
         (byte-compile-warnings t)
         (byte-compile-error-on-warn nil)
         (byte-compile-generate-call-tree nil)
         (inhibit-message t)
         (message-log-max nil)
         (debug-on-error nil))
    (unwind-protect
        (condition-case condition
            (lispwright--call-without-changes file (lambda () (byte-compile-file file)))
          (error (lispwright--diagnose "error" (lispwright--condition-type condition) (lispwright--condition-text condition)
                                       file nil nil nil)))
      (delete-file compiled))))

(defun lispwright--check-again (file always)
  "Have the compiler look at FILE if its content is another than the last time; if ALWAYS is non-nil, record the messages
of that time otherwise, or look again if anything was loaded since."
  (let ((known (gethash file lispwright--checked))
        (digest (alist-get file lispwright--loaded nil nil #'equal)))
    (cond ((not digest))
          ((and known (equal (nth 0 known) digest) (or (not always) (= (nth 1 known) lispwright--load-count)))
           (when always
             (setq lispwright--diagnostics (append (nth 2 known) lispwright--diagnostics))))
          (t
           (let ((before lispwright--diagnostics))
             (lispwright--check file)
             (puthash file
                      (list digest lispwright--load-count
                            (lispwright--first (- (length lispwright--diagnostics) (length before)) lispwright--diagnostics))
                      lispwright--checked))))))

;;; Finding the target

(defun lispwright--use-roots (roots)
  "Make Emacs look for libraries in the directories of the project: ROOTS and the usual ones below them."
  (dolist (root roots)
    (dolist (directory (list root (concat root "lisp/") (concat root "src/")))
      (let ((directory (directory-file-name directory)))
        (when (and (file-directory-p directory) (not (member directory load-path)))
          (push directory load-path))))))

(defconst lispwright--look-for-packages
  '(progn
     (package-activate-all)
     (prin1 (list load-path
                  (let ((files nil))
                    (dolist (loaded load-history files)
                      (when (string-match-p "\\(-autoloads\\|package-quickstart\\)\\.elc?\\'" (or (car loaded) ""))
                        (push (car loaded) files)))))))
  "Code that prints the directories of a new Emacs with installed packages, and the files that it has loaded for them.")

(defun lispwright--installed-packages ()
  "The list that a child process prints about installed packages; nil when it fails.  It does not get the pipe."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix))
      (call-process "/bin/sh" nil '(t nil) nil "-c" "exec \"$0\" \"$@\" 8<&- 9>&-"
                    (expand-file-name invocation-name invocation-directory)
                    "--no-init-file" "--no-site-file" "--batch" "--eval" (prin1-to-string lispwright--look-for-packages)))
    (goto-char (point-min))
    (condition-case nil
        (read (current-buffer))
      (error nil))))

(defun lispwright--activate-packages ()
  "Put the installed packages on `load-path', once.
The library that does it brings thirty others; code that calls their functions would work here and not in a fresh Emacs."
  (unless lispwright--packages-activated
    (setq lispwright--packages-activated t)
    (let ((inhibit-message t))
      (if (or lispwright--joined (featurep 'package))
          (package-activate-all)
        (pcase (lispwright--installed-packages)
          (`(,directories ,files)
           (setq load-path (append (lispwright--drop-if (lambda (directory) (member directory load-path)) directories)
                                   load-path))
           (dolist (file files)
             (load file t t t))))))))

(defun lispwright--library (name)
  "The source file of the feature or library NAME, or nil."
  (lispwright--source-of (or (locate-library name)
                             (progn
                               (lispwright--activate-packages)
                               (locate-library name)))))

(defun lispwright--libraries (roots)
  "The names of libraries below ROOTS."
  (let ((names nil))
    (dolist (root roots names)
      (dolist (directory (list root (concat root "lisp/") (concat root "src/")))
        (when (file-directory-p directory)
          (dolist (file (directory-files directory nil "\\`[^.].*\\.el\\'"))
            (push (file-name-sans-extension file) names)))))))

;;; Loading

(defun lispwright--load-source (file)
  "Load the source FILE."
  (when (with-temp-buffer
          (insert-file-contents file nil 0 5000)
          (re-search-forward "^;;+ *Package-Requires:\\|(require '\\(ert\\|buttercup\\)\\_>" nil t))
    (lispwright--activate-packages))
  (lispwright--progress (format "loading %s" file))
  (load file nil t t))

(defun lispwright--load-targets (request files target &optional prepare)
  "Load FILES for REQUEST, after what is stale, and have the compiler look at what has changed; TARGET is the file that is
looked at in any case, or nil.  PREPARE is called right before."
  (if lispwright--joined
      (lispwright--reload (lispwright--argument request :ROOTS) files prepare)
    (lispwright--call-renewing request files
                               (lambda ()
                                 (when prepare
                                   (funcall prepare))
                                 (mapc #'lispwright--load-source files)))
    (dolist (file (reverse lispwright--renewed))
      (lispwright--check-again file (equal file target)))))

(defun lispwright--reload (roots files prepare)
  "Load the changed ones of the loaded files below ROOTS again, and then FILES, before which PREPARE is called.  The
definitions of an owner's Emacs stay."
  (dolist (file (reverse (mapcar #'car lispwright--loaded)))
    (when (and (not (member file files)) (file-readable-p file) (lispwright--changed-p file) (lispwright--below-p file roots))
      (lispwright--load-again file)))
  (when prepare
    (funcall prepare))
  (mapc #'lispwright--load-again files))

(defun lispwright--load-again (file)
  "Load the source FILE over what it has defined."
  (lispwright--forget-source file)
  (lispwright--load-source file)
  (lispwright--note-tests file)
  (lispwright--check file)
  (push file lispwright--renewed))

(defun lispwright--note-loading-error (condition)
  "Record CONDITION, which has ended the loading, with its place."
  (let* ((file (and load-file-name (expand-file-name load-file-name)))
         (in-hand (gethash file lispwright--in-hand)))
    ;; The compiler may have reported the same error.
    (setq lispwright--diagnostics
          (lispwright--drop-if (lambda (said)
                                 (and (equal (plist-get said :severity) "error") (equal (plist-get said :file) file)
                                      (equal (plist-get said :line) (nth 0 in-hand))))
                               lispwright--diagnostics))
    (lispwright--diagnose "error" (lispwright--condition-type condition) (lispwright--condition-text condition)
                          file (nth 0 in-hand) (nth 1 in-hand) (nth 2 in-hand))))

(defun lispwright--with-work (request kind function)
  "The answer of FUNCTION for REQUEST, as work of that KIND, with the messages about files."
  (let ((lispwright--diagnostics nil)
        (lispwright--code "") (lispwright--keep nil)
        (lispwright--index 0) (lispwright--start 0) (lispwright--end 0) (lispwright--phase :eval)
        (lispwright--kind kind))
    (lispwright--use-roots (lispwright--argument request :ROOTS))
    (setq lispwright--roots (lispwright--argument request :ROOTS))
    (setq lispwright--renewed nil lispwright--removed nil lispwright--reset nil lispwright--kept nil
          lispwright--left nil lispwright--restored nil lispwright--targets nil)
    (let ((answer (lispwright--run function)))
      (append answer (lispwright--renewal-facts) (list :diagnostics (reverse lispwright--diagnostics))))))

(defun lispwright--target (request)
  "The file of REQUEST: the PATH in it, or the library of that name; nil when there is none."
  (or (lispwright--argument request :PATH)
      (lispwright--library (lispwright--argument request :SYSTEM))))

(defun lispwright--answer-load (request)
  "Load a file or a feature."
  (lispwright--with-work
   request 'load
   (lambda ()
     (let ((file (lispwright--target request)))
       (if (not file)
           (list :outcome :refused :no-system (lispwright--argument request :SYSTEM)
                 :systems (lispwright--libraries (lispwright--argument request :ROOTS)))
         (setq lispwright--targets (list file))
         (lispwright--load-targets request
                                   (and (or (lispwright--argument request :FORCE) (lispwright--changed-p file)) (list file))
                                   file)
         (list :outcome :loaded :unchanged (not lispwright--renewed)))))))

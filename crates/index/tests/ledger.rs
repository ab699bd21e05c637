//! What every token of a name is: a use, possible, a mention, or something else.
#![allow(clippy::unwrap_used)]

#[path = "common/ledger.rs"]
mod common;

use common::check;

#[test]
fn a_macro_that_quotes_its_argument_uses_it() {
    let clojure = "(ns a)\n(defmacro reg [k body] `(swap! tab assoc ~k '~body))\n(defn span [] 1)\n(reg :r (span))\n";
    check(&[("a.clj", clojure)], "span", "a.clj:4:10: quoted in reg :r");
    let clojure = clojure.replace("'~body", "(quote ~body)");
    check(&[("a.clj", &clojure)], "span", "a.clj:4:10: quoted in reg :r");
    let clojure = clojure.replace("[k body]", "[k & body]").replace("(quote ~body)", "'(do ~@body)");
    check(&[("a.clj", &clojure)], "span", "a.clj:4:10: quoted in reg :r");
}

/// What is bound in there is that in any reading, and a name that is bound around it may be that.
#[test]
fn data_of_a_macro_bind_names_of_their_own() {
    let text = "(ns a)
(def env {})
(defn analyze [form] form)
(defmacro ast [form] `(analyze '~form))
(defn f []
  (ast (let [env 1] env))
  (ast (fn [env] env))
  (ast (try 0 (catch Exception env (ast (loop [x env] x)))))
  (ast (list env 'env)))
(defn g [env] (ast (list env)))
";
    check(
        &[("a.clj", text)],
        "env",
        "a.clj:9:14: quoted in defn f
        a.clj:9:19: quoted in defn f
        a.clj:10:26: possible, a macro may bind it in defn g
        a.clj:6:14: mention, quoted in defn f
        a.clj:6:21: mention, quoted in defn f
        a.clj:7:13: mention, quoted in defn f
        a.clj:7:18: mention, quoted in defn f
        a.clj:8:32: mention, quoted in defn f
        a.clj:8:50: mention, quoted in defn f",
    );
}

#[test]
fn what_is_taken_off_a_body_is_not_the_body() {
    for taken in [
        "(let ((args (pop body))) `(push (cons ,k (lambda ,args ,@body)) tab))",
        "`(push (cons ,k (lambda ,(pop body) ,@body)) tab)",
    ] {
        let text = format!(
            ";; -*- lexical-binding: t -*-\n(defmacro reg (k &rest body) {taken})\n(defun shop-a () 1)\n(defvar x 2)\n(reg \"a\" (x) (shop-a) x)\n"
        );
        check(&[("a.el", &text)], "shop-a", "a.el:5:15: call in reg \"a\"");
        check(&[("a.el", &text)], "x", "");
    }
}

#[test]
fn each_of_any_number_of_bindings_is_one() {
    let macros = "(defmacro several-let ((&rest bindings) &body body)
  (if (every #'simple-p bindings)
      `(let* ,bindings ,@body)
      `(multiple-value-bind ,(butlast (first bindings)) ,(car (last (first bindings)))
         (several-let ,(rest bindings) ,@body))))
(defmacro define-checked (name parameters options &body body)
  (destructuring-bind (&key error (default (gensym))) options
    `(defmacro ,name ,parameters (call (lambda (,default) ,@body) :error ',error))))
";
    let uses = "(defun pair (x) (values x x))
(defun one (x) x)
(defun failure (x) x)
(defun user (y) (several-let ((a b (pair y)) (c (one a))) (list a b c)))
(define-checked checked (x) (:error failure) x)
";
    let text = format!("{macros}{uses}");
    check(&[("a.lisp", &text)], "pair", "a.lisp:12:37: call in defun user");
    check(&[("a.lisp", &text)], "one", "a.lisp:12:50: call in defun user");
    check(&[("a.lisp", &text)], "failure", "a.lisp:13:37: possible, a macro may bind it in define-checked checked");
}

#[test]
fn a_name_of_digits_with_a_letter_that_is_no_exponent_is_a_name() {
    let text = "#lang racket/base\n(define 0.5b0 1)\n(define x (+ 0.5b0 1e0))\n";
    check(&[("a.rkt", text)], "0.5b0", "a.rkt:3:14: value in define x");
    check(&[("a.rkt", text)], "1e0", "not defined");
}

#[test]
fn parameters_that_are_computed_while_reading_are_code() {
    let text = "(wrapped (defvar names '(a)))\n(defun start #.(append '(&rest options) names) options)\n";
    check(&[("a.lisp", text)], "names", "a.lisp:2:41: value in defun start");
}

#[test]
fn mentions_in_the_definition_do_not_count() {
    let text = ";; area of x\n;; and y\n(defun area (x)\n  \"The AREA.\"\n  x)\n\n(defun other () \"See area.\" :area \"area-x\" '(area))\n; area\n";
    check(
        &[("a.lisp", text)],
        "area",
        "a.lisp:7:46: quoted in defun other
         a.lisp:7:30: mention, keywords in defun other
         a.lisp:7:22: mention, docstrings in defun other
         a.lisp:8:3: mention, comments in top level",
    );
}

#[test]
fn every_binder_of_emacs_lisp_binds_special_variables() {
    let text = "(defvar vex 1)
(defun a () (let ((vex 2)) vex))
(defun b () (cl-loop for vex in (c) collect vex))
(defun c () (dolist (vex (d)) vex))
(defun d () (pcase-let ((`(,vex) (e))) vex))
(defun e () (cl-multiple-value-bind (vex y) (f) vex))
(defun f () (seq-let (vex) (g) vex))
";
    let kinds = |line| format!("a.el:{line}");
    let found = common::ledger(&[("a.el", text)], "vex");
    for line in 2..=7 {
        let here: Vec<&str> = found.lines().filter(|one| one.starts_with(&kinds(line))).collect();
        assert_eq!(here.len(), 2, "{found}");
        assert!(here[0].contains(": binding in") && here[1].contains(": value in"), "{found}");
    }
}

#[test]
fn binding_lists_that_fit_one_branch_lose_nothing() {
    let text = "(defpackage :s (:use :cl))
(in-package :s)
(defmacro bindall (bs &body b) (if (every #'simple bs) `(let* ,bs ,@b) `(progn ,@(mapcar #'car bs) ,@b)))
(defun split2 (x) x)
(defun go2 (x) (bindall ((a b (split2 x)) (c 1)) (list a b c)))
";
    check(&[("a.lisp", text)], "split2", "a.lisp:5:32: call in defun go2");
}

#[test]
fn a_macro_can_take_one_binding_or_several() {
    let text = "(defpackage :a (:use :cl))\n(in-package :a)\n(defmacro if-let (bindings &body body)\n  \
                (let ((all (if (symbolp (car bindings)) (list bindings) bindings)))\n    \
                `(let ,all (if (and ,@(mapcar #'car all)) ,@body))))\n(defun form (x) x)\n\
                (defun f (x)\n  (if-let (one (form x)) (list one) nil))\n";
    check(&[("a.lisp", text)], "form", "a.lisp:8:17: possible, a macro may bind it in defun f");
}

#[test]
fn a_form_that_may_be_a_binding_may_be_a_use() {
    let text = "(defpackage :s (:use :cl))
(in-package :s)
(defmacro either (x &body body)
  (if x `(let ,(mapcar #'first body) ,@body) `(progn ,@body)))
(defun one () 1)
(defun two () (either 1 (one)))
";
    check(&[("a.lisp", text)], "one", "a.lisp:6:26: possible, a macro may bind it in defun two");
}

#[test]
fn names_that_code_makes_may_be_it() {
    let text = "(defun handle-click () 1)
(defun run (kind) (funcall (intern (format nil \"HANDLE-~A\" kind))))
(defun other (kind) (funcall (intern (format nil \"~A-~A\" kind kind))))
";
    check(&[("a.lisp", text)], "handle-click", "a.lisp:2:28: possible, code makes such names in defun run");
    let text = "(defun my-text-mode () 1)\n(defun run (kind) (funcall (intern (concat kind \"-mode\"))))\n";
    check(&[("a.el", text)], "my-text-mode", "a.el:2:28: possible, code makes such names in defun run");
    let text = "(ns a)\n(defn key-up [] 1)\n(defn run [kind] ((resolve (symbol (str \"key-\" kind)))))\n(defn no [x] (symbol x))\n";
    check(&[("a.clj", text)], "key-up", "a.clj:3:28: possible, code makes such names in defn run");
}

/// A text that a variable holds, or that a threading form makes, is followed to the symbol.
#[test]
fn a_name_is_made_of_a_text_that_is_written_elsewhere() {
    let emacs = |body: &str| {
        let text = format!("(defun shop-cmd-x () 1)\n(defconst shop-pre \"shop-cmd-\")\n(defun run (op) {body})\n");
        let found = common::ledger(&[("a.el", &text)], "shop-cmd-x");
        assert!(found.contains("possible, code makes such names in defun run"), "{body}: {found}");
    };
    emacs("(let* ((h (concat \"shop-cmd-\" op)) (s (intern h))) (funcall s))");
    emacs("(let ((h (format \"shop-cmd-%s\" op))) (funcall (intern-soft h)))");
    emacs("(let (h) (setq h (concat \"shop-cmd-\" op)) (funcall (intern h)))");
    emacs("(funcall (intern (concat shop-pre op)))");
    emacs("(funcall (thread-last op (concat \"shop-cmd-\") intern))");
    let clojure = |body: &str| {
        let text = format!("(ns a)\n(defn- h-two [x] x)\n(def pre \"h-\")\n(defn run [k x] {body})\n");
        let found = common::ledger(&[("a.clj", &text)], "h-two");
        assert!(found.contains("possible, code makes such names in defn run"), "{body}: {found}");
    };
    clojure("((ns-resolve 'a (symbol (str \"h-\" (name k)))) x)");
    clojure("((->> (name k) (str \"h-\") symbol (ns-resolve 'a)) x)");
    clojure("((-> (str \"h-\" (name k)) symbol resolve) x)");
    clojure("(let [s (format \"h-%s\" (name k))] (@(resolve (symbol \"a\" s)) x))");
    clojure("((ns-resolve 'a (symbol (str pre (name k)))) x)");
    clojure("(@(find-var (symbol (format \"a/h-%s\" k))) x)");
    clojure("((resolve (read-string (str \"a/h-\" k))) x)");
    clojure("((resolve (symbol \"a\" (str/join \"-\" [\"h\" k]))) x)");
    clojure("((ns-resolve 'a (-> k name (str/replace #\"^\" \"h-\") symbol)) x)");
    clojure("((ns-resolve 'a (symbol (str/replace k #\"^\" \"h-\"))) x)");
    clojure("((ns-resolve 'a (symbol (subs (str :h- k) 1))) x)");
    let text = "(ns a)\n(defn- h-two [x] x)\n(defn run [k] (let [s (str \"g-\" k)] (resolve (symbol s))))\n\
                (defn ran [k] (resolve (read-string (str \"a/g-\" k))))\n(defn row [k] (symbol (str/join \"-\" [\"h\" \"one\"])))\n";
    check(&[("a.clj", text)], "h-two", "");
    emacs("(funcall (intern-soft (mapconcat #'identity (list \"shop\" \"cmd\" op) \"-\")))");
    emacs("(funcall (intern (string-join (list \"shop-cmd\" op) \"-\")))");
    emacs("(funcall (intern (replace-regexp-in-string \"^\" \"shop-cmd-\" op)))");
    emacs("(funcall (intern (replace-regexp-in-string \"\\\\`\" \"shop-cmd-\" op)))");
    emacs("(funcall (intern (apply #'concat '(\"shop-\" \"cmd-x\"))))");
    emacs("(funcall (read (concat \"shop-cmd-\" op)))");
    emacs("(mapatoms (lambda (s) (when (string-prefix-p \"shop-cmd-\" (symbol-name s)) (funcall s))))");
    emacs("(mapatoms (lambda (s) (when (string-match \"^shop-cmd-\\\\(.*\\\\)\" (symbol-name s)) (funcall s))))");
    emacs("(mapc #'funcall (apropos-internal \"\\\\`shop-cmd-\"))");
    let text = "(defun shop-cmd-x () 1)\n(defun run (s) (mapatoms (lambda (s) (string-match \"^shop-a\" (symbol-name s)))))\n\
                (defun ran () (read (current-buffer)))\n(defun row (s) (mapatoms (lambda (s) (string-match \"shop\" s))))\n";
    check(&[("a.el", text)], "shop-cmd-x", "");
}

#[test]
fn what_a_control_string_formats_is_inside_of_the_name() {
    let special = "(defvar *shop-basic* 1)
(defun look (kind) (symbol-value (intern (format nil \"*~A*\" (string-upcase kind)) (find-package :shop))))
";
    check(&[("a.lisp", special)], "*shop-basic*", "a.lisp:2:34: possible, code makes such names in defun look");
    // A package is no part of the name.
    let text = "(defun run-item () 1)\n(defun run (kind) (funcall (find-symbol (format nil \"RUN-~A\" kind) :shop)))\n\
                (defun ran (kind) (funcall (find-symbol (format nil \"~A-ITEM\" kind) :shop)))\n\
                (defun other (kind) (funcall (find-symbol (format nil \"RUN-~A-ITEM\" kind) :shop)))\n";
    let may = "a.lisp:2:28: possible, code makes such names in defun run\n\
               a.lisp:3:28: possible, code makes such names in defun ran";
    check(&[("a.lisp", text)], "run-item", may);
}

#[test]
fn a_short_affix_tells_a_name_where_a_call_has_the_rest() {
    let text = "(defmacro op (name) `(list (,(intern (format nil \"%~A\" name)))))
(defun %area () 1)
(defun %size () 1)
(op area)
";
    check(&[("a.lisp", text)], "%area", "a.lisp:4:5: possible, code makes such names in op area");
    check(&[("a.lisp", text)], "%size", "");
    // The macro may call a function for it, and `~` in a string is a letter.
    let text = "#lang racket/base
(require (for-syntax racket/base))
(define-for-syntax (lazy-name id) (datum->syntax id (string->symbol (string-append \"~\" (symbol->string (syntax-e id))))))
(define-syntax (out stx) (syntax-case stx () [(_ id) #`(list #,(lazy-name #'id))]))
(define ~area 1)
(define ~size 1)
(out area)
";
    check(&[("a.rkt", text)], "~area", "a.rkt:7:6: possible, code makes such names in out area");
    check(&[("a.rkt", text)], "~size", "");
    let text = "(define-macro (test? name) `(list (,(symbol-append name '?) 1)))
(define (area? x) x)
(define (size? x) x)
(test? area)
";
    check(&[("a.scm", text)], "area?", "a.scm:4:8: possible, code makes such names in test? area");
    check(&[("a.scm", text)], "size?", "");
}

#[test]
fn a_file_that_was_not_read_may_use_the_names_of_its_module() {
    let module = "(define-module (a))
(define (area) 1)
(include-from-path \"a/macros.ss\")
";
    let other = ("b.scm", "(define-module (b))\n(define (size) 1)\n(load \"late.scm\")\n");
    let may = "a.scm:3:1: possible, includes a file that was not read in include-from-path \"a/macros.ss\"";
    check(&[("a.scm", module), other], "area", may);
    check(&[("a.scm", module), other], "size", "");
    check(&[("a.scm", module), ("a/macros.ss", "(define (f) (area))")], "area", "a/macros.ss:1:14: call in define f");
    let racket = "#lang racket/base\n(require racket/include)\n(define (area) 1)\n(include \"rest.rktl\")\n";
    check(
        &[("a.rkt", racket)],
        "area",
        "a.rkt:4:1: possible, includes a file that was not read in include \"rest.rktl\"",
    );
}

#[test]
fn a_mode_of_emacs_takes_its_keymap_by_its_name() {
    let text = "(defvar a-mode-map (make-sparse-keymap))
(define-derived-mode a-mode prog-mode \"A\" \"\\\\{a-mode-map}\" (define-key a-mode-map \"a\" 'b))
(defvar b-mode-map (make-sparse-keymap))
(define-minor-mode b-mode \"B.\" :lighter \" b\" nil)
(define-derived-mode c-mode prog-mode \"C\" \"C.\" (setq x c-mode-map))
";
    check(
        &[("a.el", text)],
        "a-mode-map",
        "a.el:2:72: value in define-derived-mode a-mode
         a.el:2:22: possible, the form takes it by its name in define-derived-mode a-mode
         a.el:2:47: mention, docstrings in define-derived-mode a-mode",
    );
    check(
        &[("a.el", text)],
        "b-mode-map",
        "a.el:4:20: possible, the form takes it by its name in define-minor-mode b-mode",
    );
    check(&[("a.el", text)], "c-mode-map", "a.el:5:56: value in define-derived-mode c-mode");
}

#[test]
fn the_docstring_of_a_hydra_has_code_in_it() {
    let text = "(defun desc () 1)\n(defhydra h () \"Is %s(desc).\")\n(defun f () \"Like (desc).\")\n";
    check(
        &[("a.el", text)],
        "desc",
        "a.el:2:23: mention, strings in defhydra h
         a.el:3:20: mention, docstrings in defun f",
    );
}

#[test]
fn objects_of_racket_look_up_local_names_of_members() {
    let text = "#lang racket
(define-local-member-name jump-to)
(define d% (class object% (super-new) (define/public (jump-to) 1)))
(define (go d) (send d jump-to))
";
    check(
        &[("a.rkt", text)],
        "jump-to",
        "a.rkt:3:55: possible, a member of an object in define d%
         a.rkt:4:24: possible, a member of an object in define go",
    );
    // The form around a method makes a class in a way that is not understood.
    let files = [
        (
            "a.rkt",
            "#lang racket/base\n(require lib/class)\n(defclass d% object% (define/public (jump-to) 1) (super-new))\n",
        ),
        ("b.rkt", "#lang racket\n(require \"a.rkt\")\n(define (go d) (send d jump-to))\n"),
    ];
    check(&files, "jump-to", "b.rkt:3:24: possible, a member of an object in define go");
    check_unused(files[0].1, &[]);
}

/// What may be deleted of a file of Racket.
#[track_caller]
fn check_unused(text: &str, expected: &[&str]) {
    check_unused_in(lispwright_syntax::Dialect::Racket, text, expected);
}

/// What may be deleted of a file.
#[track_caller]
fn check_unused_in(dialect: lispwright_syntax::Dialect, text: &str, expected: &[&str]) {
    let mut index = lispwright_index::Index::default();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.lisp"), text).unwrap();
    index.refresh([directory.path()], &|_, _| Some(dialect.into()));
    let unused = index.question(dialect).unused(|_| true);
    let safe = unused.iter().filter(|one| one.evidence.verdict() == lispwright_index::UseVerdict::Safe);
    let names: Vec<_> = safe.map(|one| one.definition.name.as_str()).collect();
    assert_eq!(names, expected);
}

#[test]
fn what_a_module_of_racket_gives_out_is_not_safe_to_delete() {
    check_unused("#lang racket/base\n(define (allow) 1)\n", &["allow"]);
    check_unused("#lang racket/unit\n(import)\n(export get^)\n(define (allow) 1)\n", &[]);
    check_unused("#lang info\n(define collection \"shop\")\n", &[]);
    check_unused("#lang racket/base\n(define key 1)\n(define-values/invoke-unit/infer shop@)\n", &[]);
    check_unused(
        "#lang racket/base\n(define-unit a@ (import) (export))\n(define-values/invoke-unit a@ (import) (export))\n",
        &[],
    );
    let typed = "#lang typed/racket/base\n(require/typed/provide racket/date [find-seconds (-> Integer Integer)])\n";
    check_unused(typed, &[]);
    check_unused("#lang racket/base\n(provide (all-defined-out))\n(define (sell) 1)\n", &[]);
    // Forms of the project read the specifications.
    let macros = "#lang racket/base\n(provide (typed-out [sell : (-> Any)] refund))\n(require (shop-in shop))\n\
         (define (sell) 1)\n(define (refund) 1)\n(define-syntax shop-in transformer)\n(define (hidden) 1)\n";
    check_unused(macros, &["hidden"]);
    let guile = "(define-module (shop))\n(define-public (sell) 1)\n(define (hidden) 1)\n";
    check_unused_in(lispwright_syntax::Dialect::Scheme, guile, &["hidden"]);
    let logger = "#lang racket/base\n(define-logger shop)\n";
    check_unused(logger, &["shop"]);
    check_unused(&format!("{logger}(log-shop-info \"a\")\n"), &[]);
}

#[test]
fn what_a_macro_makes_of_a_name_keeps_its_definition() {
    use lispwright_syntax::Dialect::{CommonLisp, EmacsLisp};
    // Only its macro knows that this defines `make-datum`.
    let slots = "(defpackage :a (:use :cl))\n(in-package :a)\n(defmacro defslots (name &rest slots) (expanded name slots))\n\
         (defslots datum x)\n(defslots other x)\n";
    check_unused_in(CommonLisp, slots, &["DATUM", "OTHER"]);
    check_unused_in(CommonLisp, &format!("{slots}(print (make-datum :x 1))\n"), &["OTHER"]);
    let wrapper = "#lang racket/base\n(require (for-syntax racket/base))\n(define-syntax (define-wrapper stx)\n  \
         (syntax-case stx () [(_ id) (datum->syntax stx (string->symbol (shorter #'id)))]))\n(define-wrapper list->bytes)\n";
    check_unused(wrapper, &[]);
    // Another macro has made the definer.
    let forms = "#lang racket/base\n(define-syntax-rule (define-class name #:form form) (define-syntax form (forms name)))\n(define-class prop \
         #:form define-prop)\n(define-prop true)\n";
    check_unused(forms, &[]);
    // It quotes the name, or nobody knows what it does.
    let page = "(defpackage :a (:use :cl))\n(in-package :a)\n(defmacro defpage (name &body body) `(push (list ',name ,@body) *pages*))\n(defpage \
         home 1)\n(lib:defwidget list-1 2)\n";
    check_unused_in(CommonLisp, page, &[]);
    check_unused_in(CommonLisp, &page.replace("(list ',name ,@body) *pages*", "(defun ,name () ,@body)"), &["HOME"]);
    // It is kept as a text.
    check_unused_in(CommonLisp, &page.replace("',name", ",(string name)").replace("(lib:defwidget list-1 2)", ""), &[]);
    // What it makes is exported.
    let structure =
        "(defpackage :a (:use :cl) (:export #:make-cow))\n(in-package :a)\n(defstruct cow a)\n(defstruct hen)\n";
    check_unused_in(CommonLisp, structure, &["HEN"]);
    // An advice changes another function, and others may have the name that is obsolete.
    let advice = "(defadvice a--insert (around x activate) ad-do-it)\n(define-obsolete-function-alias 'a--old 'car \"1\")\n\
         (defun a--none () 1)\n";
    check_unused_in(EmacsLisp, advice, &["a--none"]);
}

#[test]
fn patterns_name_classes_of_syntax_as_parts() {
    let classes = "#lang racket/base\n(require syntax/parse)\n(define-syntax-class spare)\n(define-syntax-class test)\n\
                   (define-syntax-class export)\n(define-syntax-class unless)\n";
    check_unused(classes, &["spare", "test", "export", "unless"]);
    let rules = "(define-rewriting-rule one\n  (provide spec:export ...)\n  (if one:test :unless))\n";
    check_unused(&format!("{classes}{rules}"), &["spare"]);
}

#[test]
fn the_value_of_a_keyword_defines_nothing() {
    let rules = "#lang racket/base\n(define (one) 1)\n(define (two) 2)\n(define (three) 3)\n\
                 (define-suite all #:rules (define-it two three))\n";
    check_unused(rules, &["one"]);
}

#[test]
fn a_test_uses_what_is_defined_in_it() {
    let test =
        "#lang racket/base\n(require rackunit)\n(test-case \"a\" (define (halve x) x) (check-equal? (halve 1) 1))\n";
    check_unused(test, &[]);
    check_unused(&test.replace("(halve 1)", "1"), &["halve"]);
    // So does a function whose code defines another one.
    let inner = "(defun a--f () (defun a--g () 1) (a--g))\n(a--f)\n";
    check_unused_in(lispwright_syntax::Dialect::EmacsLisp, inner, &[]);
    let tests = "(sp-ert-deftest a--first (should t))\n(deftest-async a--second (should t))\n(defun a--third () t)\n";
    check_unused_in(lispwright_syntax::Dialect::EmacsLisp, tests, &["a--third"]);
}

#[test]
fn names_that_code_reads_may_be_used() {
    let text = "(ns a)\n(defn total [] 1)\n(def all (keys (ns-publics *ns*)))\n";
    check(&[("a.clj", text)], "total", "a.clj:3:16: possible, code makes such names in def all");
    let other = "(ns b)\n(def all (keys (ns-publics 'c)))\n";
    check(&[("a.clj", "(ns a)\n(defn total [] 1)\n"), ("b.clj", other)], "total", "");
}

#[test]
fn the_description_of_a_project_defines_nothing() {
    let mut index = lispwright_index::Index::default();
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("project.clj"), "(defproject shop \"1.0\")\n").unwrap();
    std::fs::write(directory.path().join("a.clj"), "(ns a)\n(defn- total [] 1)\n").unwrap();
    let language = |path: &std::path::Path, text: &str| {
        lispwright_syntax::Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into)
    };
    index.refresh([directory.path()], &language);
    let unused = index.question(lispwright_syntax::Dialect::Clojure).unused(|_| true);
    let names: Vec<_> = unused.iter().map(|one| one.definition.name.as_str()).collect();
    assert_eq!(names, ["total"]);
}

#[test]
fn a_symbol_in_data_may_be_a_name_where_it_is_in_no_package() {
    use lispwright_syntax::Dialect::{CommonLisp, Scheme};
    let modules = "(define-module (shop))\n(define (sell x) x)\n(define (hidden x) x)\n\
        (define-module (till) #:export (f))\n(define (f x) (list `(call (@@ ,x sell))))\n";
    check_unused_in(Scheme, modules, &["hidden"]);
    // `&optional-after-&key` is no word of a list of parameters.
    let conditions = "(defpackage :a (:use :cl) (:export #:f))\n(in-package :a)\n(define-condition &key-after-&rest (error) ())\n\
        (defun f (x) (if x (error '&key-after-&rest) (make-condition '&key-after-&rest)))\n";
    check_unused_in(CommonLisp, conditions, &[]);
}

#[test]
fn what_a_form_around_it_uses_is_used() {
    use lispwright_syntax::Dialect::{CommonLisp, EmacsLisp};
    let config = ";;; config.el -*- lexical-binding: t -*-\n(when (featurep 'mail)\n  (after! mail\n    (defun my--mark (x) x)\n    \
        (defun my--other (x) (my--other x))\n    (setq mail-marks (list :action #'my--mark))))\n";
    check_unused_in(EmacsLisp, config, &[]);
    // The reader calls them.
    let conditions = "(defpackage :a (:use :cl))\n(in-package :a)\n(eval-when (:compile-toplevel :load-toplevel :execute)\n  \
        (defun has-it-p () '(:and))\n  (defun hidden () 1))\n(defun f () (list #+#.(a::has-it-p) 1))\n";
    check_unused_in(CommonLisp, conditions, &["HIDDEN", "F"]);
}

#[test]
fn a_package_that_only_code_exports_from_is_not_declared() {
    let exports = "(in-package :cmp)\n(export '(emit other))\n";
    let defines = "(in-package :compiler)\n(defun emit (x) x)\n(defun third (x) x)\n";
    let uses = "(defpackage :pad (:use :cl))\n(in-package :pad)\n(defun f (x) (cmp:emit x))\n";
    check(
        &[("exports.lisp", exports), ("defines.lisp", defines), ("uses.lisp", uses)],
        "emit",
        "exports.lisp:2:11: possible, package not declared in export '(emit other)
         uses.lisp:3:15: possible, package not declared in defun f",
    );
}

#[test]
fn code_in_a_package_that_nothing_declares_may_use_what_others_export() {
    let shop = "(defpackage :shop (:use :cl) (:export #:total))\n(in-package :shop)\n(defun total (x) x)\n(defun part (x) x)\n";
    let tests =
        "(make-package :shop-tests :use '(:cl :shop))\n(in-package :shop-tests)\n(defun f (x) (total x) (part x))\n";
    let possible = "shop.lisp:1:39: export in defpackage :shop
         tests.lisp:3:15: possible, package not declared in defun f";
    check(&[("shop.lisp", shop), ("tests.lisp", tests)], "total", possible);
    check(&[("shop.lisp", shop), ("tests.lisp", tests)], "part", "");
    // A macro of a library declares it, with what it writes and perhaps more.
    let tests =
        tests.replace("(make-package :shop-tests :use '(:cl :shop))", "(define-test-package :shop-tests (:use :cl))");
    check(&[("shop.lisp", shop), ("tests.lisp", &tests)], "total", possible);
    let tests = tests.replace("(:use :cl)", "(:use :cl :shop)");
    let used = possible.replace("possible, package not declared", "call");
    check(&[("shop.lisp", shop), ("tests.lisp", &tests)], "total", &used);
}

#[test]
fn what_a_macro_gives_to_a_type_are_methods() {
    let macros = "(ns a)
(defmacro defthing [n & args] `(do (clojure.core/defrecord ~n ~@args) ~n))
(defmacro defother [n fields & args] `(deftype ~n ~fields ~@args))
(defmacro made [& body] `(reify ~@body))
";
    let uses = "(ns b (:require [a :refer [defthing defother made]]))
(defn check [s] s)
(defthing One [x] Spec (check [this p] (check x)) Other (rest [this check] (check x)))
(defother Two [check] Spec (check [this p] (check p)))
(defn f [x] (made Spec (check [this p] p)) check)
";
    let expected = "b.clj:3:41: call in defthing One
         b.clj:5:44: value in defn f";
    check(&[("a.clj", macros), ("b.clj", uses)], "check", expected);
}

#[test]
fn types_in_signatures_of_a_protocol_are_used() {
    let text = "(ns a (:require [schema.core :as s]))\n(def Unit s/Str)\n\
        (s/defprotocol Area (area :- Unit [this unit :- Unit]) (other [this Unit]))\n";
    check(
        &[("a.clj", text)],
        "Unit",
        "a.clj:3:30: value in s/defprotocol Area\n a.clj:3:49: value in s/defprotocol Area",
    );
}

#[test]
fn what_is_bound_for_no_body_is_no_name() {
    let text = "(defmacro check-it (form)
  (multiple-value-bind (bindings test) (taken-apart form) `(let ,bindings (assert ,test))))
(defmacro when-it (binding &body body) `(let (,(read-binding binding)) (when ,(first binding) ,@body)))
(defun total (x) x)
(defun f () (check-it (total 1)) (when-it (total 1) (g)))
";
    let expected = "a.lisp:5:24: call in defun f\n a.lisp:5:44: possible, a macro may bind it in defun f";
    check(&[("a.lisp", text)], "total", expected);
}

#[test]
fn a_definer_that_says_so_gives_out_what_it_defines() {
    let defines = "#lang racket/base\n(require sugar/define)\n(define+provide (total x) x)\n(define+provide/contract limit any/c 3)\n";
    let uses = "#lang racket/base\n(require \"a.rkt\")\n(list (total limit))\n";
    check(&[("a.rkt", defines), ("b.rkt", uses)], "total", "b.rkt:3:8: call in list (total limit)");
    check(&[("a.rkt", defines), ("b.rkt", uses)], "limit", "b.rkt:3:14: value in list (total limit)");
}

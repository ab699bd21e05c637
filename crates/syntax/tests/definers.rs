//! The definers found in a project's own macros.

use lispwright_syntax::language::Definers;
use lispwright_syntax::{Dialect, Forms, Language, Tree, read};

/// The forms of `text` that are not macros: kind, name, parameters, and `says` if there is a docstring.
fn defined(tree: &Tree, text: &str) -> String {
    let forms = Forms::new(tree, text);
    let shown =
        forms.iter().filter(|(_, form)| !form.head_name.contains("macro") && !form.head_name.contains("syntax"));
    let shown = shown.map(|(_, form)| {
        let signature = form.signature.iter().map(|span| format!(" {}", &text[span.range()])).collect::<String>();
        let name = form.name.as_deref().unwrap_or("-");
        format!("{:?} {name}{signature}{}", form.kind, if form.docstring.is_some() { " says" } else { "" })
    });
    shown.collect::<Vec<_>>().join("; ")
}

#[track_caller]
fn check(dialect: Dialect, text: &str, expected: &str) {
    assert_eq!(defined(&read(text, dialect).learning(text), text), expected);
}

#[track_caller]
fn check_lisp(text: &str, expected: &str) {
    check(Dialect::CommonLisp, text, expected);
}

#[test]
fn a_template_shows_the_definitions_of_its_macro() {
    let widget =
        "(defmacro widget (name &body body)\n  `(progn (declaim (notinline ,name)) (defclass ,name () ,@body)))\n";
    check_lisp(&format!("{widget}(widget button (label))"), "Class button");
    check_lisp(
        &format!("(eval-when (:compile-toplevel)\n{widget})\n(let () (widget button))"),
        "Expression -; Expression -; Class button",
    );
    check_lisp("(DEFMACRO ROUTE (PATH NAME) `(defun ,name () ,path))\n(app:route \"/\" home)", "Function home");
    check_lisp(
        "(defmacro route ((name &key path) args) `(defun ,name ,args ,path))\n(route (home :path 1) (x) 2)",
        "Function home (x)",
    );
    check_lisp("(defmacro both (var name) `(progn (defun ,name ()) (defvar ,var)))\n(both *a* b)", "Variable *a*");
}

#[test]
fn arguments_passed_on_unchanged_keep_all_parts() {
    let inline = "(defmacro defun-inline (name &rest all) `(progn (declaim (inline ,name)) (defun ,name ,@all)))\n";
    check_lisp(&format!("{inline}(defun-inline f (x) \"Doc.\" x)"), "Function f (x) says");
    check_lisp("(defmacro my-defun (&rest all) `(defun ,@all))\n(my-defun f (x) \"Doc.\" x)", "Function f (x) says");
    check_lisp(
        "(defmacro op (code name &rest all) `(defun ,name ,@all))\n(op 7 f (x) \"Doc.\" x)",
        "Function f (x) says",
    );
    check_lisp(
        "(defmacro command (name args doc &body body) `(cl:defun ,name ,args ,@body))\n(command f (x) \"Doc.\" x)",
        "Function f (x) says",
    );
}

#[test]
fn a_macro_can_define_through_another_macro() {
    let text =
        "(defmacro widget (name) `(defclass ,name () ()))\n(defmacro big (size name) `(widget ,name))\n(big 3 panel)";
    check_lisp(text, "Class panel");
    check_lisp("(defmacro maker (name) `(defmacro ,name (x) `(defun ,x ())))\n(maker make-it)", "Macro make-it");
}

#[test]
fn a_computed_name_is_not_taken_for_the_argument() {
    for macro_definition in [
        "(defmacro reader (name) `(defun ,(symb 'read- name) ()))",
        "(defmacro reader (name) (let ((name (symb 'read- name))) `(defun ,name ())))",
        "(defmacro reader (name) (setq name (symb name)) `(defun ,name ()))",
        "(defmacro reader (name) `(progn ,@(loop for n in name collect `(defun ,n ()))))",
        "(defmacro reader (name) `(flet ((defun ,name)) ,name))",
        "(defmacro reader (name) `(list '(defun ,name ())))",
        "(defmacro reader (name) `(with-lock (,name) (defvar ,name)))",
        "(defmacro reader (name) '(defun name ()))",
        "(defmacro reader (&key name) `(defun ,name ()))",
        "'(defmacro reader (name) `(defun ,name ()))",
    ] {
        let text = format!("{macro_definition}\n(reader thing)");
        let tree = read(&text, Dialect::CommonLisp).learning(&text);
        let forms = Forms::new(&tree, &text);
        let last = forms.iter().last().expect("there are two forms").1;
        assert_eq!((last.kind.is_definition(), &last.name), (false, &None), "{text}");
    }
}

#[test]
fn the_table_of_the_dialect_overrides_macros() {
    check_lisp("(defmacro deftest (suite name) `(defun ,name () ,suite))\n(deftest a b)", "Test a");
}

#[test]
fn macros_of_every_dialect_are_understood() {
    let elisp = |text, expected| check(Dialect::EmacsLisp, text, expected);
    elisp("(defmacro my-face (face doc) `(defface ,face nil ,doc))\n(my-face warn \"Warns.\")", "Definition warn says");
    elisp("(cl-defmacro my-alias (name &key to) `(defalias ',name ,to))\n(my-alias new :to 'old)", "Definition new");
    let clojure = |text, expected| check(Dialect::Clojure, text, expected);
    clojure(
        "(defmacro handler [path name & more] `(do (defn ~name ~@more) ~path))\n(handler \"/\" home [req] req)",
        "Function home",
    );
    clojure(
        "(defmacro handler\n  \"Doc.\"\n  [name & more]\n  `(defn ~name ~@more))\n(handler home [req] req)",
        "Function home [req]",
    );
    clojure("(defmacro handler ([n] `(handler ~n nil)) ([n x] `(def ~n ~x)))\n(handler home 1)", "Variable home");
    clojure("(defmacro handler [n] (let [n (symbol (str n \"!\"))] `(def ~n 1)))\n(handler home)", "Expression -");
    let scheme = |text, expected| check(Dialect::Scheme, text, expected);
    scheme(
        "(define-syntax-rule (command (name . args) e ...) (define (name . args) e ...))\n(command (f x) x)",
        "Function f (f x)",
    );
    scheme(
        "(define-syntax-rule (command name args e) (begin (define (name . args) e)))\n(command f (x) x)",
        "Function f (x)",
    );
    scheme("(define-syntax const (syntax-rules () ((_ name v) (define name v))))\n(const a 1)", "Variable a");
    scheme(
        "(define-syntax const (lambda (x) (syntax-case x () ((_ v name) #'(define name v)))))\n(const 1 a)",
        "Variable a",
    );
    scheme("(define-macro (const v name) `(define ,name ,v))\n(const 1 a)", "Variable a");
    scheme(
        "(define-syntax test (syntax-rules () ((_ \"one\" (k v)) (define v 1)) ((_ a) (test \"one\" a))))\n(test (a b))",
        "Expression -",
    );
    let racket = |text, expected| check(Dialect::Racket, text, expected);
    racket("(define-simple-macro (const name:id v) (define name v))\n(const a 1)", "Variable a");
    racket(
        "(define-syntax (record stx) (syntax-parse stx [(_ f name:id) #'(struct name f)]))\n(record (x) point)",
        "Structure point",
    );
}

#[test]
fn macros_of_another_text_count() {
    let other = "(defmacro widget (name) `(defclass ,name () ()))";
    let definers = Definers::of(&read(other, Dialect::CommonLisp), other);
    assert_eq!(definers.heads().collect::<Vec<_>>(), ["widget"]);
    let language = Language::from(Dialect::CommonLisp).with(&definers);
    let text = "(widget button)";
    assert_eq!(defined(&read(text, &language), text), "Class button");
    let own = "(defmacro widget (size name) `(defun ,name () ,size))\n(widget 3 button)";
    assert_eq!(defined(&read(own, &language).learning(own), own), "Function button", "its own macro is nearer");
}

#[test]
fn an_unclosed_form_ends_before_a_form_with_a_definer_of_the_project() {
    let text = "(defmacro route (name) `(defun ,name ()))\n\n(route home\n  (list 1)\n\n(route about\n  (list 2))\n";
    let tree = read(text, Dialect::CommonLisp);
    assert_eq!(defined(&tree, text), "Function home; Function about");
}

#[test]
fn what_is_only_called_like_a_definer_may_wrap_definitions() {
    check(
        Dialect::Clojure,
        "(macros/deftime\n(defn area [x] x)\n(defmacro sized [x] x))",
        "Expression -; Function area [x]",
    );
    check(Dialect::Clojure, "(defroutes home (defn area [x] x))", "Definition home");
    check(Dialect::Scheme, "(define-shape (area x) (define y x))", "Definition area (area x)");
}

//! What installed libraries export counts for names that nobody else defines.

use std::fs;
use std::path::Path;

use lispwright_index::{Index, Libraries};
use lispwright_lint::{lint, rules};
use lispwright_syntax::{Dialect, Language};

/// The messages of `undefined-name` in a project of one file, beside libraries of these files.
fn told(dialect: Dialect, libraries: &[(&str, &str)], name: &str, text: &str) -> Vec<String> {
    told_by("undefined-name", dialect, libraries, name, text)
}

/// The same of another rule.
fn told_by(rule: &str, dialect: Dialect, libraries: &[(&str, &str)], name: &str, text: &str) -> Vec<String> {
    let place = tempfile::tempdir().expect("a directory");
    for (path, text) in libraries {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    let root = tempfile::tempdir().expect("a directory");
    fs::write(root.path().join(name), text).expect("a file");
    let mut index = Index::with_libraries(Libraries::new([(dialect, place.path().to_owned())]));
    index.refresh([root.path()], &|_: &Path, _: &str| Some(Language::from(dialect)));
    let question = index.question(dialect);
    let document = index.documents().next().expect("the file");
    let rule = rules::with_code(rule).expect("the rule");
    lint(&question, document, &[rule]).into_iter().map(|one| one.message).collect()
}

/// The messages of `undefined-name` in a file of Racket, beside one that is required, where Racket tells what these export.
fn told_in_racket(exports: &[(&'static str, &'static str)], text: &str, parts: &str) -> Vec<String> {
    told_in_racket_by("undefined-name", exports, text, parts)
}

/// The same of a rule.
fn told_in_racket_by(rule: &str, exports: &[(&'static str, &'static str)], text: &str, parts: &str) -> Vec<String> {
    let root = tempfile::tempdir().expect("a directory");
    fs::write(root.path().join("shop.rkt"), text).expect("a file");
    fs::write(root.path().join("parts.rkt"), parts).expect("a file");
    let exports: Vec<(&str, &str)> = exports.to_vec();
    let asker = move |_: Dialect, modules: &[String]| {
        let names = |module: &String| exports.iter().find(|(name, _)| name == module).map(|(_, names)| *names);
        let words = |names: &str| names.split_whitespace().map(str::to_owned).collect();
        let told = modules.iter().map(|module| names(module).map(words)).collect();
        Some(told).filter(|_| !exports.is_empty())
    };
    let mut index = Index::with_libraries(Libraries::default().asking(Box::new(asker)));
    index.refresh([root.path()], &|_: &Path, _: &str| Some(Language::from(Dialect::Racket)));
    let question = index.question(Dialect::Racket);
    let document = index.documents().find(|one| one.path.ends_with("shop.rkt")).expect("the file");
    let rule = rules::with_code(rule).expect("the rule");
    lint(&question, document, &[rule]).into_iter().map(|one| one.message).collect()
}

const RACKET: &[(&str, &str)] = &[
    (
        "racket/base.rkt",
        "define module+ require provide lambda + * apply map list car display quote let cond else => or",
    ),
    ("racket/list.rkt", "first rest last"),
    ("racket/class.rkt", "class init"),
    ("syntax/parse.rkt", "syntax-parser"),
    ("rackunit/main.rkt", "check-equal? test-case"),
    (
        "data/order.rkt",
        "define-record with-order within-class inherit from-above match unsafe! interface define-tokens define-cpointer-type bounce all-of define-and-provide",
    ),
];

#[test]
fn an_invented_name_of_racket_is_told_where_all_that_a_module_has_is_known() {
    let parts = "#lang racket/base\n(provide total (struct-out order))\n(define (total x) x)\n(define (hidden x) x)\n\
                 (struct order (items rate))\n";
    let text = "#lang racket/base\n(require racket/list \"parts.rkt\")\n\
                (define (f o) (first (list-sum o)))\n(define (g o) (order-tax (car (list (order-items o)))))\n\
                (define (h o) (total (hidden o)))\n\
                (module+ test (require rackunit) (check-equal? (total-of 1) (last '(1))))\n";
    let expected = [
        "nobody defines `list-sum`",
        "nobody defines `order-tax`",
        "nobody defines `hidden` here; module `parts.rkt` does",
        "nobody defines `total-of`",
    ];
    assert_eq!(told_in_racket(RACKET, text, parts), expected);
    let near = "#lang racket/base\n(require racket/list \"parts.rkt\")\n(define (f o) (firsts o))\n(define (g o) (totall o))\n\
                (define (h o) (string-joins o))\n(define (i o) (cpointer-tag o))\n";
    let expected = [
        "nobody defines `firsts`; near it: `first`",
        "nobody defines `totall`; near it: `total`",
        "nobody defines `string-joins`; near it: `string-join` of module `racket/string`",
        "nobody defines `cpointer-tag` here; module `ffi/unsafe` does",
    ];
    assert_eq!(told_in_racket(RACKET, near, parts), expected);
    // What another module is asked for under another name is there.
    let renamed = "#lang racket/base\n(require (only-in \"parts.rkt\" [total sum]))\n(define (f o) (sum o))\n";
    assert_eq!(told_in_racket(RACKET, renamed, parts), [""; 0]);
    // Without Racket nothing is known of a library, and a module of another language may define what it likes.
    assert_eq!(told_in_racket(&[], text, parts), [""; 0]);
    assert_eq!(told_in_racket(RACKET, &text.replace("racket/list", "other/list"), parts), [""; 0]);
    assert_eq!(told_in_racket(RACKET, text, &parts.replace("racket/base", "other")), [""; 0]);
    assert_eq!(told_in_racket(RACKET, &text.replace("#lang racket/base", "#lang other"), parts), [""; 0]);
}

#[test]
fn a_module_of_racket_may_have_a_function_that_is_called_like_one_of_the_language() {
    let told = |exports: &[(&'static str, &'static str)], required: &str| {
        let text =
            format!("#lang racket/base\n(require {required})\n(define (f x) (list (partition x) (build-vector x)))\n");
        let parts = "#lang racket/base\n(require data/sets)\n(provide (all-from-out data/sets))\n";
        told_in_racket_by("wrong-argument-count", exports, &text, parts)
    };
    let [partition, build_vector] = ["partition", "build-vector"].map(|name| {
        let about = move |message: &String| message.contains(&format!("`{name}`"));
        move |told: &[String]| told.iter().any(about)
    });
    let both = told(&[], "racket/list");
    assert!(both.len() == 2 && partition(&both) && build_vector(&both), "{both:?}");
    let sets = [("data/sets.rkt", "partition union"), ("racket/list.rkt", "first")];
    for required in ["data/sets", "\"parts.rkt\"", "racket/list data/sets"] {
        let one = told(&sets, required);
        assert!(one.len() == 1 && build_vector(&one), "{required}: {one:?}");
        // Without Racket it is not known what the module has.
        assert_eq!(told(&[], required), [""; 0], "{required}");
    }
    assert_eq!(told(&sets, "racket/list (only-in data/sets union)").len(), 2);
    assert_eq!(told(&sets, "racket/list (prefix-in s: data/sets)").len(), 2);
}

#[test]
fn a_name_of_another_space_of_bindings_can_be_asked_for() {
    let text = "#lang racket/base\n(require (only-in \"parts.rkt\" total))\n(define (f x) x)\n";
    let parts = "#lang racket/base\n(provide (for-space deep total))\n(define (total x) x)\n";
    assert_eq!(told_in_racket(RACKET, text, parts), [""; 0]);
    assert_eq!(told_in_racket(RACKET, text, &parts.replace("deep total", "#f f")).len(), 1);
}

#[test]
fn names_that_a_module_keeps_are_exposed_to_its_tests() {
    let parts = "#lang racket/base\n(provide total)\n(define (total x) (kept x))\n(define (kept x) x)\n";
    let text = |names: &str| {
        format!(
            "#lang racket/base\n(require rackunit \"parts.rkt\")\n(require/expose \"parts.rkt\" ({names}))\n\
             (check-equal? (kept (total 1)) 1)\n"
        )
    };
    let exports =
        [("racket/base.rkt", "define require + display"), ("rackunit/main.rkt", "check-equal? require/expose")];
    assert_eq!(told_in_racket(&exports, &text("kept"), parts), [""; 0]);
    assert_eq!(told_in_racket(&exports, &text(""), parts).len(), 1);
}

#[test]
fn an_invented_name_in_a_part_of_a_form_of_racket_is_told() {
    let parts = "#lang racket/base\n(provide total)\n(define (total x) x)\n";
    let text = |form: &str| {
        format!("#lang racket/base\n(require racket/class syntax/parse \"parts.rkt\")\n(define (f o decode) {form})\n")
    };
    for form in [
        "(let ([sum (list-sum o)]) sum)",
        "(let loop ([rest o] [all (list-sum o)]) (loop rest all))",
        "(cond [(list-sum o) => list] [else o])",
        "(list (decode (list-sum o)))",
        "(or (list-sum o) (total o))",
    ] {
        let told = told_in_racket(RACKET, &text(form), parts);
        assert_eq!(told, ["nobody defines `list-sum`"], "{form}");
    }
    for form in
        ["(class o (init [(canvas-parent parent)]) parent)", "(syntax-parser [(_ (~seq #:items items)) (list items)])"]
    {
        assert_eq!(told_in_racket(RACKET, &text(form), parts), [""; 0], "{form}");
    }
}

#[test]
fn macros_of_racket_define_bind_and_give_out_what_is_not_read() {
    let parts = "#lang racket/base\n(provide total)\n(define (total x) x)\n";
    let text = |form: &str| format!("#lang racket/base\n(require data/order \"parts.rkt\")\n{form}\n");
    for form in [
        "(define-logger shop)\n(define (f) (log-shop-debug 1))",
        "(define (f) (define-record order (items)) (order-items 1))",
        "(define (f) (struct order (items)) (order-items 1))",
        "(define (f shop) (define-record shop order) (order-items 1))",
        "(define (f) (with-order (items rate) (list items)))",
        "(define (f) (within-class (inherit items) (items 1)) (list items))",
        "(require (from-above \"parts\"))\n(define (f) (list-sum 1))",
        "(unsafe!)\n(define (f) (list-sum 1))",
        "(define (f) (lambda pattern:id 1))",
        "(define (f o) (struct-copy order o (items 1)))",
        "(define (f o) (match o [#`(order ,items) (list items)]))",
        "(define shop<%> (interface () (get-items (list 1))))",
        "(define-tokens values (ID))\n(define (f o) (token-ID o))",
        "(define-cpointer-type _order)\n(define (f o) (order? o))",
    ] {
        assert_eq!(told_in_racket(RACKET, &text(form), parts), [""; 0], "{form}");
    }
    for parts in [
        "#lang racket/base\n(require \"base.rkt\")\n(bounce \"core.rkt\")\n",
        "#lang racket/base\n(provide total (all-of order))\n(define (total x) x)\n",
        "#lang racket/base\n(provide total (struct-out order))\n(define (total x) x)\n",
        "#lang racket/base\n(provide total)\n(define (total x) x)\n(define-and-provide (f) 1)\n",
        "#lang racket/base\n(require \"base.rkt\")\n(provide total (struct-out order))\n(define (total x) x)\n\
         (define-struct/made order (items))\n",
        "#lang racket/base\n(provide total (struct-out $order))\n(define (total x) x)\n(struct order (items) #:name $order)\n",
        "#lang racket/base\n(define-syntax-rule (out x) (begin\n  (provide x)))\n(provide total)\n(define (total x) x)\n(out order)\n",
        "#lang racket/base\n(provide total (all-from-out other/list))\n(define (total x) x)\n",
    ] {
        assert_eq!(told_in_racket(RACKET, &text("(define (f) (order-items 1))"), parts), [""; 0], "{parts}");
    }
}

#[test]
fn a_name_that_a_module_of_racket_does_not_export_is_told_where_it_is_asked_for() {
    let parts = "#lang racket/base\n(provide total)\n(define (total x) x)\n(define (hidden x) x)\n";
    let text = "#lang racket/base\n(require (only-in racket/list first frist) (only-in \"parts.rkt\" total hidden))\n\
                (define (f x) (list (first x) (frist x) (total x) (hidden x)))\n";
    let hidden = "module `parts.rkt` does not export `hidden`";
    let told = told_in_racket(RACKET, text, parts);
    assert_eq!(told, ["module `racket/list` does not export `frist`; near it: `first`", hidden]);
    // What a macro of `require` takes out is not asked for.
    let other =
        text.replace("(only-in racket/list first frist)", "(subtract-in racket/list frist)").replace("(frist x)", "1");
    assert_eq!(told_in_racket(RACKET, &other, parts), [hidden]);
}

const SHOP: &[(&str, &str)] = &[
    ("source/shop/shop.asd", "(defsystem :shop :depends-on (:base) :components ((:file \"shop\")))\n"),
    (
        "source/shop/shop.lisp",
        "(eval-when (:execute)\n  (defpackage :shop (:nicknames :sh) (:use :cl :base) (:export #:total)))\n",
    ),
    ("source/base/base.asd", "(defsystem :base :components ((:file \"base\")))\n"),
    (
        "source/base/base.lisp",
        "(defpackage :base (:use :cl) (:export #:sum))\n(in-package :base)\n(defun sum (all) all)\n",
    ),
    ("source/open/open.asd", "(defsystem :open :components ((:file \"open\")))\n"),
    ("source/open/open.lisp", "(defpackage :open (:use :cl) (:export . #.(names)))\n"),
];

#[test]
fn a_package_that_uses_a_library_is_judged() {
    let text = "(defsystem :app :depends-on (:shop))\n(defpackage :app (:use :cl :sh :base))\n(in-package :app)\n\
                (defun f (x) (totl (total (sum x))))\n";
    assert_eq!(told(Dialect::CommonLisp, SHOP, "app.lisp", text), ["nobody defines `totl`"]);
    // What is not all known is not judged.
    for other in ["open", "nowhere"] {
        let text = text.replace(":base))", &format!(":base :{other}))"));
        assert_eq!(told(Dialect::CommonLisp, SHOP, "app.lisp", &text), [""; 0], "{other}");
    }
}

#[test]
fn a_name_that_a_library_does_not_export_is_told() {
    let text = "(defsystem :app :depends-on (:shop))\n(defpackage :app (:use :cl))\n(in-package :app)\n\
                (defun f (x) (sh:totl (sh:total (sh::inner x) (open:more x))))\n";
    let message = "package `shop` does not export `totl`; near it: `total`";
    assert_eq!(told(Dialect::CommonLisp, SHOP, "app.lisp", &text.replace("sh:", "shop:")), [message]);
}

#[test]
fn a_module_of_guile_is_found_by_its_path() {
    let libraries =
        [("site/3.0/shop/base.scm", "(define-module (shop base) #:export (total))\n(define (total x) x)\n")];
    let text = "(define-module (app) #:use-module (shop base))\n(define-public (f x) (totl (total x)))\n";
    assert_eq!(told(Dialect::Scheme, &libraries, "app.scm", text), ["nobody defines `totl`"]);
    assert_eq!(told(Dialect::Scheme, &[], "app.scm", text), [""; 0]);
}

#[test]
fn a_module_of_guile_exports_what_it_says_whatever_it_includes() {
    let base = "(define-module (shop base) #:export (total))\n(include-from-path \"shop/parts.scm\")\n";
    let text = "(define-module (app) #:use-module (shop base))\n(define-public (f x) (totl (total x)))\n";
    let told = |base: &str, parts: &[(&str, &str)]| {
        let libraries = [&[("site/3.0/shop/base.scm", base)], parts].concat();
        told(Dialect::Scheme, &libraries, "app.scm", text)
    };
    let parts = |text| [("site/3.0/shop/parts.scm", text)];
    let known = ["nobody defines `totl`"];
    assert_eq!(told(base, &parts("(define (total x) x)\n")), known);
    assert_eq!(told(&base.replace("-from-path \"shop/", " \""), &parts("(define (total x) x)\n")), known);
    // The file is not there, or may export.
    assert_eq!(told(base, &[]), [""; 0]);
    assert_eq!(told(base, &parts("(define-public (totl x) x)\n")), [""; 0]);
    assert_eq!(told(base, &parts("(include \"more.scm\")\n")), [""; 0]);
    assert_eq!(told(&format!("{base}(if (f) (include \"parts.scm\"))\n"), &parts("1\n")), [""; 0]);
}

#[test]
fn a_call_of_a_function_of_a_library_is_judged() {
    let text = "(defsystem :app :depends-on (:shop))\n(defpackage :app (:use :cl :base))\n(in-package :app)\n\
                (defun f (x) (sum x x) (base:sum) (sum (car x x)))\n";
    let told = told_by("wrong-argument-count", Dialect::CommonLisp, SHOP, "app.lisp", text);
    assert_eq!(
        told,
        [
            "`sum` takes 1 argument (all), and gets 2",
            "`base:sum` takes 1 argument (all), and gets none",
            "`car` takes 1 argument, and gets 2",
        ]
    );
    let text = "(define-module (app) #:use-module (shop base))\n(define-public (f x) (total x 1))\n";
    let files = [("site/3.0/shop/base.scm", "(define-module (shop base) #:export (total))\n(define (total x) x)\n")];
    let told = told_by("wrong-argument-count", Dialect::Scheme, &files, "app.scm", text);
    assert_eq!(told, ["`total` takes 1 argument (x), and gets 2"]);
}

/// A library of macros: one that binds what its uses name, one that binds a name of its own, one that is computed.
const FORMS: &[(&str, &str)] = &[
    ("source/forms/forms.asd", "(defsystem :forms :components ((:file \"forms\")))\n"),
    (
        "source/forms/forms.lisp",
        "(defpackage :forms (:use :cl) (:export #:with-item #:awhen #:odd))\n(in-package :forms)\n\
         (defmacro with-item ((name value) &body body) `(let ((,name ,value)) ,@body))\n\
         (defmacro awhen (test &body body) `(let ((it ,test)) (when it ,@body)))\n\
         (defmacro odd (&rest all) (compute all))\n",
    ),
];

#[test]
fn code_in_macros_of_libraries_is_judged_if_their_definitions_show_what_they_do() {
    let text = "(defsystem :app :depends-on (:forms))\n(defpackage :app (:use :cl :forms))\n(in-package :app)\n\
                (defun f (x)\n  (with-item (one (car x x))\n    (cdr one one) (list onee))\n\
                  (awhen (car x) (list it))\n  (odd (car x x) onee))\n";
    let told = told_by("wrong-argument-count", Dialect::CommonLisp, FORMS, "app.lisp", text);
    let message = |name: &str| format!("`{name}` takes 1 argument, and gets 2");
    assert_eq!(told, [message("car"), message("cdr")]);
    assert_eq!(self::told(Dialect::CommonLisp, FORMS, "app.lisp", text), ["nobody defines `onee`"]);
}

#[test]
fn a_slip_is_told_beside_a_library_that_is_not_known() {
    let text = |code: &str| {
        format!("(defpackage :app (:use :cl :nowhere))\n(in-package :app)\n(defun statement (x) x)\n{code}\n")
    };
    let told = |code: &str| told(Dialect::CommonLisp, SHOP, "app.lisp", &text(code));
    assert_eq!(told("(defun f (x) (statment x))"), ["nobody defines `statment`; near it: `statement`"]);
    assert_eq!(told("(defun f (x) (STATMENT x))"), ["nobody defines `STATMENT`; near it: `statement`"]);
    assert_eq!(told("(defun f (items) (list itmes))"), ["nobody defines `itmes`; near it: `items`"]);
    assert_eq!(told("(defun f (item) (list itme))"), ["nobody defines `itme`; near it: `item`"]);
    for code in [
        "(defun f (x) (receipt x))",
        "(defun f (x) (statment x))\n(defun g (x) (statment x))",
        "(defun f (item) (itme item))",
    ] {
        assert_eq!(told(code), [""; 0], "{code}");
    }
}

/// Packages of Emacs: one whose features share a directory, one of which two versions are there.
const PACKAGES: &[(&str, &str)] = &[
    ("elpa/till-1.2/till.el", "(defun till-open (owner &optional coins) owner)\n(provide 'till)\n"),
    (
        "elpa/till-1.2/till-coins.el",
        "(require 'cl-lib)\n(defun till-coin (value) value)\n(cl-defun till-pay (value &key late) value)\n\
         (defmacro till-with (name &rest body) `(let ((,name 1)) ,@body))\n(provide 'till-coins)\n",
    ),
    ("elpa/till-1.2/till-autoloads.el", "(autoload 'till-open \"till\")\n"),
    ("elpa/shelf-1.0/shelf.el", "(defun shelf-put (thing) thing)\n(provide 'shelf)\n"),
    ("elpa/shelf-2.0/shelf.el", "(defun shelf-put (thing place) thing)\n(provide 'shelf)\n"),
];

/// A file of Emacs Lisp with this code.
fn emacs_file(code: &str) -> String {
    format!(
        ";;; app.el --- App -*- lexical-binding: t -*-\n(require 'till)\n(require 'shelf)\n{code}\n(provide 'app)\n"
    )
}

#[test]
fn calls_of_installed_packages_of_emacs_are_judged() {
    let told = |code: &str| told_by("wrong-argument-count", Dialect::EmacsLisp, PACKAGES, "app.el", &emacs_file(code));
    assert_eq!(
        told("(defun app-run (x)\n  (till-open)\n  (till-coin x x)\n  (till-with y (car y y))\n  (till-open x y))"),
        [
            "`till-open` takes 1 or 2 arguments (owner &optional coins), and gets none",
            "`till-coin` takes 1 argument (value), and gets 2",
            "`car` takes 1 argument, and gets 2",
        ]
    );
    // What definers of libraries take is not known, nor which of two versions is loaded.
    assert_eq!(told("(defun app-run (x) (till-pay) (shelf-put) (till-other))"), [""; 0]);
    // The project has another version.
    assert_eq!(told("(defun app-run (x) (till-open))\n(provide 'till-coins)"), [""; 0]);
    assert_eq!(told("(defun till-open () 1)\n(defun app-run (x) (till-open))"), [""; 0]);
}

#[test]
fn a_slip_of_a_name_of_an_installed_package_of_emacs_is_told() {
    let told = |code: &str| told(Dialect::EmacsLisp, PACKAGES, "app.el", &emacs_file(code));
    assert_eq!(told("(defun app-run (x) (till-cion x))"), ["nobody defines `till-cion`; near it: `till-coin`"]);
    for code in [
        "(defun app-run (x) (till-count x))",
        "(defun app-run (x) (shelf-ptu x))",
        "(defun app-run (x) (till-cion x) (till-cion 2))",
        "(defun app-run (x) (till-cion x))\n(provide 'till)",
    ] {
        assert_eq!(told(code), [""; 0], "{code}");
    }
}

#[test]
fn a_file_that_a_module_of_racket_requires_is_there() {
    let root = tempfile::tempdir().expect("a directory");
    let text = "#lang racket/base\n(require \"parts.rkt\" \"made/table.rkt\" \"prts.rkt\" \"other.rkt\" (for-label \"doc.rkt\"))\n\
                (define-syntax-rule (m) (require \"theirs.rkt\"))\n(require (from-above \"parts\" \"else.rkt\"))\n\
                (module+ test (require (only-in \"lost.rkt\" area)))\n";
    for (name, text) in
        [("shop.rkt", text), ("parts.rkt", "#lang racket/base\n"), ("made/table.rkt", ""), (".gitignore", "made\n")]
    {
        fs::create_dir_all(root.path().join("made")).expect("a directory");
        fs::write(root.path().join(name), text).expect("a file");
    }
    let mut index = Index::default();
    index.refresh([root.path()], &|_: &Path, _: &str| Some(Language::from(Dialect::Racket)));
    let question = index.question(Dialect::Racket);
    let document = index.documents().find(|one| one.path.ends_with("shop.rkt")).expect("the file");
    let rule = rules::with_code("unknown-module").expect("the rule");
    let told: Vec<String> = lint(&question, document, &[rule]).into_iter().map(|one| one.message).collect();
    assert_eq!(
        told,
        [
            "no module `prts.rkt` is there; near it: `parts.rkt`",
            "no file `other.rkt` is there",
            "no file `lost.rkt` is there"
        ]
    );
}

#[test]
fn a_name_that_a_module_of_racket_provides_is_there() {
    let parts = "#lang racket/base\n(provide total)\n(define (total x) x)\n";
    let text = "#lang racket/base\n(require racket/list \"parts.rkt\")\n\
                (provide area first total (rename-out [volume size]) costs (struct-out order))\n\
                (define-syntax-rule (giving name) (begin (provide name) (provide other-name)))\n\
                (define area 1)\n(struct order (price))\n";
    assert_eq!(told_in_racket(RACKET, text, parts), ["nobody defines `volume`", "nobody defines `costs`"]);
    assert_eq!(told_in_racket(RACKET, &text.replace("racket/list", "other/list"), parts), [""; 0]);
    let made = text.replace("(define area 1)", "(define-record volume)\n(define-record costs)\n(define area 1)");
    let made = made.replace("racket/list", "racket/list data/order");
    assert_eq!(told_in_racket(RACKET, &made, parts), [""; 0]);
}

#[test]
fn a_name_in_an_attribute_of_an_argument_is_defined() {
    let parts = "#lang racket/base\n(require (for-syntax racket/base syntax/parse))\n(provide fields)\n\
                 (begin-for-syntax\n  (define-syntax-class one\n    (pattern name:id #:attr value #'1 #:attr decl #'[name])))\n\
                 (define-syntax (fields stx)\n  (syntax-parse stx\n    [(_ fld:one ...)\n     \
                 #'(begin (init fld.decl ...) (define fld.name fld.value) ...)]))\n";
    let text = "#lang racket/base\n(require racket/class \"parts.rkt\")\n\
                (define a (class object% (fields action label) (define (f) (list label (action)))))\n\
                (define (g) (list wholesale))\n";
    assert_eq!(told_in_racket(RACKET, text, parts), ["nobody defines `wholesale`"]);
}

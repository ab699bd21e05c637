//! What the rules of calls and names know of each dialect, a row for each.

use std::sync::LazyLock;

use lispwright_syntax::Dialect;

use crate::imports::{Imports, ReadImports, clojure, common_lisp, racket, scheme};
use crate::modules::{self, Modules};
use crate::platform::PlatformWords;
use crate::word_table::WordTable;

/// The words of a dialect that decide how calls are judged.
#[derive(Debug)]
pub(crate) struct CallWords {
    /// The heads of definitions whose lists of parameters are those of the calls.
    pub(crate) definers: &'static [&'static str],
    /// How files say for which implementation they are.
    pub(crate) platform: PlatformWords,
    /// What decides whether a name is defined.
    pub(crate) names: NameWords,
    /// Projects can have a configuration of clj-kondo.
    pub(crate) has_kondo: bool,
    /// Code calls methods and constructors of a host; vectors, maps and sets are evaluated.
    pub(crate) is_hosted: bool,
    /// What a module is required for hides what the language of the file has.
    pub(crate) modules_hide: bool,
    /// The methods of a function need not take what it takes.
    pub(crate) methods_can_differ: bool,
    /// Macros of test frameworks that run their arguments, but for what names a test.
    pub(crate) asserts: &'static [&'static str],
    /// Those of them that take forms of which libraries say what they mean: `(is (match? ...))`.
    pub(crate) open_asserts: &'static [&'static str],
    /// Macros of the language that give nothing of their arguments to the compiler.
    pub(crate) ignores: &'static [&'static str],
    /// Conditions of the reader that never hold, without blanks.
    pub(crate) never: &'static [&'static str],
    /// Reads the names that a file asks for one by one.
    pub(crate) imports: ReadImports,
    /// The functions of the language that take arguments by keyword, a line each: how many they take by place before them, and
    /// the keywords.
    pub(crate) keywords: WordTable,
    /// Text in files of which other files are parts.
    pub(crate) includes: &'static [&'static str],
}

/// What decides in a dialect whether somebody defines a name.
#[derive(Debug)]
pub(crate) struct NameWords {
    /// What stands between a space and a name.
    pub(crate) separator: Option<&'static str>,
    /// Only what a space exports can be had from it.
    pub(crate) has_exports: bool,
    /// The names of a file begin with its own; there are no spaces.
    pub(crate) by_prefix: bool,
    /// Where a name is written with a quote that nothing defines, and that code may have nevertheless.
    pub(crate) quoted: Quoted,
    /// A file has one of these texts, or it may be a part of another that has more names. Empty: it is none.
    pub(crate) entries: &'static [&'static str],
    /// The forms of the dialect and of its libraries show which names are variables that are evaluated.
    pub(crate) judges_variables: bool,
    /// Modules are written in others, and macros define, bind and give out what is not read: what a module has from
    /// elsewhere its implementation says, and without that only slips of names are told.
    pub(crate) by_macros: bool,
    /// The names that modules of the language have: one of them is no slip of another name, whatever a file requires.
    pub(crate) modules: Option<&'static LazyLock<Modules>>,
    /// What a space is called.
    pub(crate) space_word: &'static str,
    /// Names of the language that are no operators of its table; where functions have a namespace of their own, its variables.
    pub(crate) others: WordTable,
    /// Heads of definitions that define no variable, where functions have a namespace of their own.
    pub(crate) no_variables: &'static [&'static str],
    /// Heads of definitions that define no class, where a method names the classes that it is for.
    pub(crate) no_classes: &'static [&'static str],
    /// Heads of structures and classes whose forms show all functions that they make.
    pub(crate) shown: &'static [&'static str],
    /// The functions and macros of one word that libraries of the language define, where the table has only what is there
    /// when it starts.
    pub(crate) words: WordTable,
    /// The functions that the language loads when they are called; the table does not have them.
    pub(crate) autoloads: WordTable,
    /// What can be required without a package, where names are told only if they are misspelt.
    pub(crate) features: WordTable,
    /// Words in the names of files that are for other implementations than the one of the table.
    pub(crate) hosts: &'static [&'static str],
    /// The libraries whose names are in the table of the language, a line each.
    pub(crate) libraries: &'static str,
    /// The spaces of the language of which the table has all functions and macros, whatever its version.
    pub(crate) closed: &'static [&'static str],
    /// Text in files that make names in ways that are not read.
    pub(crate) conjures: &'static [&'static str],
    /// Text in files that export names in ways that are not read.
    pub(crate) computed_exports: &'static [&'static str],
    /// The function that exports names, as the index spells it.
    pub(crate) export_function: Option<&'static str>,
    /// What exports names, and is not read where it is not at top level.
    pub(crate) exporter: Option<&'static str>,
    /// Heads of forms at top level, besides those of the language, that define no more than they show.
    pub(crate) clear: &'static str,
}

/// Where a quoted name says that there may be something of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    Nowhere,
    InFile,
    InProject,
}

const COMMON_LISP_NAMES: NameWords = NameWords {
    separator: Some(":"),
    has_exports: true,
    by_prefix: false,
    quoted: Quoted::Nowhere,
    judges_variables: true,
    by_macros: false,
    modules: None,
    space_word: "package",
    others: WordTable(include_str!("known-lisp-variables.txt")),
    no_variables: &[
        "defun",
        "defmacro",
        "defgeneric",
        "defmethod",
        "defclass",
        "defstruct",
        "define-condition",
        "deftype",
    ],
    no_classes: &["defun", "defmacro", "defgeneric", "defmethod", "defvar", "defparameter", "defconstant"],
    shown: &["defstruct", "defclass", "define-condition"],
    entries: &[],
    words: WordTable(""),
    autoloads: WordTable(""),
    features: WordTable(""),
    hosts: &[
        "abcl",
        "acl",
        "allegro",
        "ccl",
        "clasp",
        "clisp",
        "clozure",
        "cmu",
        "cmucl",
        "corman",
        "ecl",
        "gcl",
        "genera",
        "lispworks",
        "lw",
        "mcl",
        "mezzano",
        "mkcl",
        "openmcl",
        "scl",
    ],
    libraries: "common-lisp\ncl",
    closed: &[],
    conjures: &["(setf (fdefinition", "(setf (symbol-function", "(eval ", "(load "],
    computed_exports: &[
        "(export ",
        "do-symbols",
        "do-all-symbols",
        "in-readtable",
        ":export-accessor-name",
        ":export-slot-name",
    ],
    export_function: Some("EXPORT"),
    exporter: None,
    clear: "in-package defpackage declaim deftest def-suite in-suite def-suite* test defsystem eval-when",
};

const SCHEME_NAMES: NameWords = NameWords {
    separator: None,
    no_variables: &[],
    no_classes: &[],
    shown: &[],
    others: WordTable(include_str!("known-variables.txt")),
    entries: &["(define-module", "(library", "(define-library", "#!/"],
    space_word: "module",
    modules: Some(&modules::MODULES),
    libraries: include_str!("known-modules.txt"),
    conjures: &[
        "(load ",
        "load-extension",
        "(eval ",
        "(include",
        "module-define!",
        "primitive-load",
        "cond-expand",
        "(meta define",
        "module-use!",
        "module-autoload!",
        "#:autoload",
    ],
    computed_exports: &[
        "module-export!",
        "module-add!",
        "export-all",
        "module-use",
        "(include",
        "cond-expand",
        "(load-extension",
    ],
    export_function: None,
    exporter: Some("(export "),
    clear: "define-module use-modules library define-library import export test-begin test-end test-assert test-equal test-eq \
            test-eqv test-error test-group test-runner-current define-record-type",
    ..COMMON_LISP_NAMES
};

const RACKET_NAMES: NameWords = NameWords {
    by_macros: true,
    modules: Some(&modules::RACKET_MODULES),
    shown: &["struct"],
    libraries: "",
    entries: &["#lang", "(module"],
    exporter: Some("(provide"),
    clear: "module module* module+ #lang provide/contract",
    // What a unit imports by a signature is not read.
    conjures: &["(eval ", "(load ", "(include", "(unit", "-unit", "namespace-require", "(unsafe!"],
    ..SCHEME_NAMES
};

const CLOJURE_NAMES: NameWords = NameWords {
    quoted: Quoted::InProject,
    separator: Some("/"),
    has_exports: false,
    judges_variables: true,
    space_word: "namespace",
    no_variables: &[],
    no_classes: &[],
    shown: &[],
    others: WordTable(include_str!("known-clojure-names.txt")),
    libraries: "clojure.core",
    closed: &["clojure.edn", "clojure.java.io", "clojure.set", "clojure.string", "clojure.walk", "clojure.zip"],
    conjures: &[
        "(intern ",
        "(eval ",
        "load-string",
        "load-file",
        "(load ",
        "import-vars",
        "import-fn",
        "import-macro",
        "import-def",
    ],
    export_function: None,
    exporter: None,
    clear: "deftest testing use-fixtures comment fdef is are run-tests declare gen-class set! alter-meta! prefer-method \
            extend-type extend-protocol extend",
    ..COMMON_LISP_NAMES
};

const EMACS_LISP_NAMES: NameWords = NameWords {
    separator: None,
    has_exports: false,
    by_prefix: true,
    quoted: Quoted::InFile,
    space_word: "feature",
    no_variables: &[
        "defun",
        "defmacro",
        "defsubst",
        "define-inline",
        "cl-defun",
        "cl-defmacro",
        "cl-defsubst",
        "cl-defgeneric",
        "cl-defmethod",
        "cl-defstruct",
    ],
    no_classes: &[],
    shown: &["cl-defstruct"],
    others: WordTable(include_str!("known-emacs-variables.txt")),
    words: WordTable(include_str!("known-emacs-words.txt")),
    autoloads: WordTable(include_str!("known-emacs-autoloads.txt")),
    features: WordTable(include_str!("known-emacs-features.txt")),
    libraries: "",
    conjures: &["(defalias (", "(fset (", "(eval (", "(load ", "(defalias ("],
    clear: "provide require",
    ..COMMON_LISP_NAMES
};

const COMMON_LISP: CallWords = CallWords {
    keywords: WordTable(include_str!("known-keywords.txt")),
    imports: common_lisp,
    includes: &[],
    definers: &["defun", "defmacro", "defgeneric", "defmethod"],
    platform: PlatformWords::ONE,
    names: COMMON_LISP_NAMES,
    has_kondo: false,
    is_hosted: false,
    modules_hide: false,
    methods_can_differ: false,
    open_asserts: &[],
    asserts: &[
        "is",
        "is-true",
        "is-false",
        "is-every",
        "true",
        "false",
        "ok",
        "ng",
        "finishes",
        "testing",
        "subtest",
        "test",
        "deftest",
        "def-test",
        "define-test",
        "assert-true",
        "assert-false",
        "assert-equal",
        "assert-eq",
        "assert-eql",
        "assert-equalp",
        "ensure",
        "ensure-same",
    ],
    ignores: &[],
    never: &["#+(or)", "#+nil", "#-(and)", "#+ignore", "#+never"],
};

const EMACS_LISP: CallWords = CallWords {
    keywords: WordTable(""),
    imports: |_| Imports::default(),
    includes: &[],
    definers: &[
        "defun",
        "defmacro",
        "defsubst",
        "define-inline",
        "cl-defun",
        "cl-defmacro",
        "cl-defsubst",
        "cl-defgeneric",
        "cl-defmethod",
        "iter-defun",
        "cl-iter-defun",
    ],
    platform: PlatformWords::EMACS_LISP,
    names: EMACS_LISP_NAMES,
    has_kondo: false,
    is_hosted: false,
    modules_hide: false,
    methods_can_differ: true,
    open_asserts: &[],
    asserts: &["should", "should-not", "ert-deftest"],
    ignores: &[],
    never: &[],
};

const SCHEME: CallWords = CallWords {
    keywords: WordTable(include_str!("known-guile-keywords.txt")),
    imports: scheme,
    includes: &["(include", "(load"],
    definers: &[
        "define",
        "define*",
        "define-public",
        "define*-public",
        "define-macro",
        "defmacro",
        "define-inlinable",
        "define-integrable",
    ],
    platform: PlatformWords::SCHEME,
    names: SCHEME_NAMES,
    asserts: &["test-equal", "test-assert", "test-eq", "test-eqv", "test-approximate", "test-group"],
    ignores: &[],
    never: &[],
    ..COMMON_LISP
};

const RACKET: CallWords = CallWords {
    modules_hide: true,
    keywords: WordTable(""),
    imports: racket,
    includes: &["(include"],
    definers: &["define", "define/contract", "define-inline"],
    platform: PlatformWords::RACKET,
    names: RACKET_NAMES,
    asserts: &[
        "check",
        "check-=",
        "check-eq?",
        "check-eqv?",
        "check-equal?",
        "check-not-eq?",
        "check-not-eqv?",
        "check-not-equal?",
        "check-exn",
        "check-not-exn",
        "check-true",
        "check-false",
        "check-not-false",
        "check-pred",
        "check-regexp-match",
        "check-within",
        "test-=",
        "test-begin",
        "test-case",
        "test-check",
        "test-eq?",
        "test-eqv?",
        "test-equal?",
        "test-exn",
        "test-not-exn",
        "test-true",
        "test-false",
        "test-not-false",
        "test-pred",
        "test-suite",
        "test-within",
    ],
    ignores: &[],
    never: &[],
    ..COMMON_LISP
};

const CLOJURE: CallWords = CallWords {
    keywords: WordTable(""),
    imports: clojure,
    includes: &["(load ", "(load-file "],
    definers: &["defn", "defn-", "defmacro", "defmulti", "def", "defonce"],
    platform: PlatformWords::CLOJURE,
    names: CLOJURE_NAMES,
    asserts: &["is", "are", "testing", "deftest", "deftest-"],
    open_asserts: &["is"],
    ignores: &["comment"],
    never: &[],
    has_kondo: true,
    is_hosted: true,
    modules_hide: false,
    methods_can_differ: true,
};

/// No rule of calls or names is for these dialects.
const UNKNOWN: CallWords = CallWords { definers: &[], asserts: &[], open_asserts: &[], has_kondo: false, ..CLOJURE };

/// The row of a dialect.
pub(crate) fn call_words(dialect: Dialect) -> &'static CallWords {
    match dialect {
        Dialect::CommonLisp => &COMMON_LISP,
        Dialect::Scheme => &SCHEME,
        Dialect::Racket => &RACKET,
        Dialect::Clojure | Dialect::Edn => &CLOJURE,
        Dialect::EmacsLisp => &EMACS_LISP,
        Dialect::Fennel | Dialect::Janet | Dialect::Hy => &UNKNOWN,
    }
}

//! What the rules of calls and names know of each dialect, a row for each.

use lispwright_syntax::Dialect;

use crate::platform::PlatformWords;

/// The words of a dialect that decide how calls are judged.
#[derive(Debug)]
pub(crate) struct CallWords {
    /// The heads of definitions whose lists of parameters are those of the calls.
    pub(crate) definers: &'static [&'static str],
    /// How files say for which implementation they are.
    pub(crate) platform: PlatformWords,
    /// Projects can have a configuration of clj-kondo.
    pub(crate) has_kondo: bool,
    /// The methods of a function need not take what it takes.
    pub(crate) methods_can_differ: bool,
}

const COMMON_LISP: CallWords = CallWords {
    definers: &["defun", "defmacro", "defgeneric", "defmethod"],
    platform: PlatformWords::ONE,
    has_kondo: false,
    methods_can_differ: false,
};

const EMACS_LISP: CallWords = CallWords {
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
    has_kondo: false,
    methods_can_differ: true,
};

const SCHEME: CallWords = CallWords {
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
    ..COMMON_LISP
};

const RACKET: CallWords = CallWords {
    definers: &["define", "define/contract", "define-inline"],
    platform: PlatformWords::RACKET,
    ..COMMON_LISP
};

const CLOJURE: CallWords = CallWords {
    definers: &["defn", "defn-", "defmacro", "defmulti", "def", "defonce"],
    platform: PlatformWords::CLOJURE,
    has_kondo: true,
    methods_can_differ: true,
};

/// The row of a dialect.
pub(crate) fn call_words(dialect: Dialect) -> &'static CallWords {
    match dialect {
        Dialect::CommonLisp => &COMMON_LISP,
        Dialect::Scheme => &SCHEME,
        Dialect::Racket => &RACKET,
        Dialect::Clojure | Dialect::Edn => &CLOJURE,
        Dialect::EmacsLisp => &EMACS_LISP,
    }
}

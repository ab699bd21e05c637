//! The notations of parameters and calls, a row for each dialect.

use lispwright_syntax::Dialect;

/// How a dialect writes parameters, and how it calls functions without their name at the head of a form.
#[derive(Debug)]
pub(crate) struct Notation {
    /// A function can have several lists of parameters.
    pub(crate) has_arities: bool,
    /// Docstrings write the names of parameters in capitals.
    pub(crate) capitals: bool,
    /// `function argument…`: a call.
    pub(crate) calls: &'static [&'static str],
    /// `function argument… list`: a call with further arguments in a list.
    pub(crate) spreads: &'static [&'static str],
    /// `function argument…`: a function that takes the further arguments.
    pub(crate) partial: &'static [&'static str],
    /// Calls of the next method, with all arguments of it.
    pub(crate) next_method: &'static [&'static str],
    /// Calls of the function around, and the forms inside of which they mean another one.
    pub(crate) again: (&'static [&'static str], &'static [&'static str]),
    /// A macro can use a variable of the code around its call, which it does not get from it.
    pub(crate) macros_capture: bool,
    /// Functions and variables have separate namespaces.
    pub(crate) two_namespaces: bool,
    /// Forms to which the parameters do not matter.
    pub(crate) neutral: &'static [&'static str],
    /// Where functions and variables are one: functions that look one up by a symbol, or evaluate it. Other symbols in data
    /// are no functions.
    pub(crate) looks_up: &'static [&'static str],
    /// Heads of imports of classes of the host.
    pub(crate) imports_classes: &'static [&'static str],
    /// Forms that say of which types the parameters are, or repeat them for a tool.
    pub(crate) declares: &'static [&'static str],
}

const COMMON_LISP: Notation = Notation {
    has_arities: false,
    capitals: true,
    calls: &["funcall"],
    spreads: &["apply"],
    partial: &["curry"],
    next_method: &["call-next-method"],
    again: (&[], &[]),
    macros_capture: true,
    two_namespaces: true,
    neutral: &[
        "inline",
        "notinline",
        "export",
        "import",
        "trace",
        "untrace",
        "fboundp",
        "fmakunbound",
        "documentation",
        "disassemble",
        "compile",
        "maybe-inline",
        "ensure-function",
        "block",
        "return-from",
        "error",
        "warn",
        "cerror",
        "format",
    ],
    looks_up: &[],
    imports_classes: &[],
    declares: &["ftype", "->", "sb-ext:defknown", "defknown", "define-compiler-macro", "deftransform"],
};

const EMACS_LISP: Notation = Notation {
    partial: &["apply-partially"],
    next_method: &["cl-call-next-method"],
    neutral: &[
        "fboundp",
        "fmakunbound",
        "autoload",
        "call-interactively",
        "command-execute",
        "define-key",
        "keymap-set",
        "global-set-key",
        "keymap-global-set",
        "local-set-key",
        "keymap-local-set",
        "function-get",
        "function-put",
        "documentation",
        "put",
        "commandp",
        "cl-block",
        "cl-return-from",
        "error",
        "warn",
        "user-error",
        "message",
        "format",
    ],
    declares: &["declare-function", "advertised-calling-convention", "set-advertised-calling-convention"],
    ..COMMON_LISP
};

const SCHEME: Notation = Notation {
    has_arities: true,
    capitals: false,
    calls: &[],
    two_namespaces: false,
    partial: &["cut", "cute"],
    macros_capture: false,
    neutral: &["export", "re-export", "procedure?"],
    looks_up: &[
        "eval",
        "primitive-eval",
        "compile",
        "interpret",
        "expand",
        "module-ref",
        "module-variable",
        "module-ref-submodule",
        "module-local-variable",
        "module-symbol-binding",
        "@",
        "@@",
        "top-level-value",
        "define-top-level-value",
        "set-top-level-value!",
        "datum->syntax",
    ],
    declares: &[":", "->"],
    ..COMMON_LISP
};

const RACKET: Notation = Notation {
    partial: &["curry"],
    neutral: &["provide", "procedure?", "all-defined-out"],
    looks_up: &[
        "eval",
        "expand",
        "compile",
        "dynamic-require",
        "namespace-variable-value",
        "namespace-variable-binding",
        "namespace-set-variable-value!",
        "module->namespace",
        "datum->syntax",
        "format-id",
    ],
    declares: &[":", "->", "->*", "->i", "contract-out", "provide/contract", "define/contract"],
    ..SCHEME
};

const CLOJURE: Notation = Notation {
    has_arities: true,
    capitals: false,
    macros_capture: false,
    two_namespaces: false,
    calls: &[],
    partial: &["partial"],
    next_method: &[],
    again: (&["recur"], &["loop", "fn", "fn*", "letfn", "bound-fn", "reify", "proxy", "go-loop"]),
    imports_classes: &[":import", "import"],
    looks_up: &["eval", "resolve", "ns-resolve", "requiring-resolve", "find-var", "intern"],
    neutral: &["declare", "instrument", "unstrument", "with-meta", "doc", "find-doc", "source", "alter-meta!"],
    declares: &["fdef", "s/fdef", "=>", "m/=>"],
    ..COMMON_LISP
};

const MEMBERS: Notation =
    Notation { has_arities: false, again: (&[], &[]), neutral: &["doc", "export"], declares: &[], ..CLOJURE };

/// The row of a dialect.
pub(crate) fn notation(dialect: Dialect) -> &'static Notation {
    match dialect {
        Dialect::CommonLisp => &COMMON_LISP,
        Dialect::Scheme => &SCHEME,
        Dialect::Racket => &RACKET,
        Dialect::Clojure | Dialect::Edn => &CLOJURE,
        Dialect::EmacsLisp => &EMACS_LISP,
        Dialect::Fennel | Dialect::Janet | Dialect::Hy => &MEMBERS,
    }
}

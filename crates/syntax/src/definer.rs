//! Which heads define something, and where in such a form its name, parameters and docstring stand.
//!
//! A row names heads, the kind of thing they define, and the [`Shape`] of the form. Heads that no row knows but that
//! begin like definers (`def...`, `define-...`) are taken for definers of the plainest shape, because projects write
//! their own.

use crate::dialect::Dialect;

/// What a form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormKind {
    /// An ordinary function.
    Function,
    /// A macro or syntax definition.
    Macro,
    /// A generic function or multimethod.
    GenericFunction,
    /// One method of a generic function.
    Method,
    /// A variable or constant.
    Variable,
    /// A class, record or protocol.
    Class,
    /// A structure or record type.
    Structure,
    /// A type.
    Type,
    /// A condition type.
    Condition,
    /// A package, namespace, module or library.
    Package,
    /// A system, as a build tool sees it.
    System,
    /// A test or test suite.
    Test,
    /// A definition of some other or unknown sort.
    Definition,
    /// Says more about what another form defines: a declaration, a specification, the methods of another protocol.
    Addition,
    /// Says how the file is to be read: `in-package`, `declaim`, `require`.
    Directive,
    /// Any other form or atom.
    Expression,
}

impl FormKind {
    /// It defines something that has a name, or adds to such a definition.
    pub const fn is_definition(self) -> bool {
        !matches!(self, Self::Directive | Self::Expression)
    }

    /// It defines something itself.
    pub const fn defines(self) -> bool {
        self.is_definition() && !matches!(self, Self::Addition)
    }
}

/// Where the parts of a definition stand, counted in data after the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `name parameters [docstring] body`
    Callable,
    /// `name qualifier* parameters [docstring] body`
    Method,
    /// `name [value [docstring]]`
    Variable,
    /// `name superclasses slots option*`
    Class,
    /// `name-or-(name option*) [docstring] slot*`
    Structure,
    /// `name` and whatever else; a string early on is the docstring
    Named,
    /// `name-in-one-datum option*`, also when the name is a list: `(ice-9 match)`
    Module,
    /// `name value`, `(name . parameters) body`, curried to any depth
    Define,
    /// `(name . parameters) body`, where the parameters carry specializers
    DefineMethod,
    /// `(name*) expression`
    DefineValues,
    /// `name constructor predicate field*`, each of which defines names
    Record,
    /// `name [docstring] [attributes] [parameters] body` or clauses that begin with parameters
    ClojureFunction,
    /// `name dispatch-value [parameters] body`
    ClojureMethod,
    /// `name [docstring] [value]`
    ClojureVariable,
    /// `'name` and whatever else
    Quoted,
    /// `"name"` and whatever else, or no name
    Titled,
    /// No datum is a name
    Unnamed,
}

struct Row {
    heads: &'static [&'static str],
    kind: FormKind,
    shape: Shape,
}

const fn row(kind: FormKind, shape: Shape, heads: &'static [&'static str]) -> Row {
    Row { heads, kind, shape }
}

use FormKind as K;
use Shape as S;

const COMMON_LISP: &[Row] = &[
    row(K::Function, S::Callable, &["defun", "defsubst", "define-inline", "defun*", "define-vop", "deftransform"]),
    row(K::Macro, S::Callable, &["defmacro", "define-compiler-macro", "defmacro*", "defmacro!"]),
    row(K::GenericFunction, S::Callable, &["defgeneric"]),
    row(K::Method, S::Method, &["defmethod"]),
    row(K::Variable, S::Variable, &["defvar", "defparameter", "defconstant", "defglobal", "define-constant"]),
    row(K::Variable, S::Named, &["define-symbol-macro"]),
    row(K::Class, S::Class, &["defclass"]),
    row(K::Condition, S::Class, &["define-condition"]),
    row(K::Structure, S::Structure, &["defstruct"]),
    row(K::Type, S::Callable, &["deftype"]),
    row(K::Package, S::Module, &["defpackage", "define-package", "uiop:define-package", "defpackage*"]),
    row(K::System, S::Module, &["defsystem"]),
    row(K::Test, S::Named, &["deftest", "test", "def-test", "define-test", "def-suite", "def-suite*", "deftestsuite"]),
    row(
        K::Definition,
        S::Named,
        &["defsetf", "define-setf-expander", "define-modify-macro", "define-method-combination"],
    ),
    row(K::Directive, S::Module, &["in-package", "in-readtable", "use-package", "require", "provide", "in-suite"]),
    row(
        K::Directive,
        S::Unnamed,
        &["declaim", "proclaim", "export", "import", "shadow", "declaration", "enable-interpol-syntax"],
    ),
];

const SCHEME: &[Row] = &[
    row(
        K::Function,
        S::Define,
        &[
            "define",
            "define*",
            "define-public",
            "define*-public",
            "define-inlinable",
            "define-integrable",
            "define/contract",
            "define-constant",
            "define-parameter",
            "define-private",
            "define-checked",
        ],
    ),
    row(
        K::Macro,
        S::Define,
        &[
            "define-syntax",
            "define-syntax-rule",
            "define-macro",
            "defmacro",
            "defmacro-public",
            "define-syntax-parameter",
        ],
    ),
    row(K::Macro, S::Define, &["define-syntax-public", "define-syntax-rule-public", "define-for-syntax"]),
    row(K::GenericFunction, S::Named, &["define-generic", "define-accessor"]),
    row(K::Method, S::DefineMethod, &["define-method", "define-method*"]),
    row(K::Class, S::Class, &["define-class", "define-class-public", "define-syntax-class"]),
    row(K::Variable, S::DefineValues, &["define-values"]),
    row(
        K::Structure,
        S::Record,
        &[
            "define-record-type",
            "define-immutable-record-type",
            "define-record-type*",
            "define-structure",
            "define-struct",
        ],
    ),
    row(K::Structure, S::Structure, &["define-record", "struct"]),
    row(K::Condition, S::Record, &["define-condition-type", "define-exception-type"]),
    row(K::Package, S::Module, &["define-module", "define-library", "library", "module", "define-language"]),
    row(K::Test, S::Named, &["test-group", "test-begin"]),
    row(
        K::Test,
        S::Titled,
        &["test-equal", "test-eqv", "test-eq", "test-assert", "test-error", "test-approximate", "test-case"],
    ),
    row(
        K::Directive,
        S::Module,
        &["use-modules", "import", "export", "re-export", "provide", "require", "include", "test-end"],
    ),
];

const CLOJURE: &[Row] = &[
    row(K::Function, S::ClojureFunction, &["defn", "defn-", "defnc", "defui", "definline"]),
    row(K::Macro, S::ClojureFunction, &["defmacro", "defmacro-"]),
    row(K::GenericFunction, S::ClojureVariable, &["defmulti"]),
    row(K::Method, S::ClojureMethod, &["defmethod"]),
    row(K::Variable, S::ClojureVariable, &["def", "defonce", "def-"]),
    row(K::Class, S::ClojureFunction, &["defrecord", "deftype", "defprotocol", "definterface", "gen-class"]),
    row(K::Addition, S::Named, &["extend-type", "extend-protocol", "extend", "declare", "fdef"]),
    row(K::Test, S::Titled, &["describe", "it"]),
    row(K::Test, S::ClojureFunction, &["deftest", "deftest-", "defspec", "deftest-async"]),
    row(K::Package, S::ClojureVariable, &["ns"]),
    row(K::Directive, S::Module, &["in-ns", "require", "use", "import", "refer", "refer-clojure", "load"]),
];

const EMACS_LISP: &[Row] = &[
    row(
        K::Function,
        S::Callable,
        &["defun", "defsubst", "define-inline", "cl-defun", "cl-defsubst", "defun*", "cl-iter-defun", "iter-defun"],
    ),
    row(K::Macro, S::Callable, &["defmacro", "cl-defmacro", "defmacro*"]),
    row(K::GenericFunction, S::Callable, &["cl-defgeneric", "defgeneric"]),
    row(K::Method, S::Method, &["cl-defmethod", "defmethod"]),
    row(K::Variable, S::Variable, &["defvar", "defconst", "defcustom", "defvar-local", "defface", "defgroup"]),
    row(K::Class, S::Class, &["defclass"]),
    row(K::Structure, S::Structure, &["cl-defstruct", "defstruct"]),
    row(K::Type, S::Callable, &["cl-deftype", "deftype"]),
    row(K::Test, S::Callable, &["ert-deftest"]),
    row(K::Test, S::Titled, &["describe", "it"]),
    row(K::Definition, S::Quoted, &["defalias", "defvaralias", "define-obsolete-function-alias"]),
    row(K::Definition, S::Quoted, &["define-obsolete-variable-alias", "define-error", "define-button-type"]),
    row(
        K::Definition,
        S::Named,
        &["define-minor-mode", "define-globalized-minor-mode", "define-derived-mode", "use-package", "defhydra"],
    ),
    row(K::Directive, S::Quoted, &["require", "provide", "declare-function", "autoload", "put"]),
];

/// A row of the dialect's table has this head.
pub(crate) fn is_known(dialect: Dialect, head: &str) -> bool {
    rows(dialect).iter().any(|row| row.heads.contains(&head))
}

fn rows(dialect: Dialect) -> &'static [Row] {
    match dialect {
        Dialect::CommonLisp => COMMON_LISP,
        Dialect::Scheme => SCHEME,
        Dialect::Clojure => CLOJURE,
        Dialect::EmacsLisp => EMACS_LISP,
        Dialect::Edn => &[],
    }
}

/// Kind and shape of a form with this head, in the canonical spelling of [`crate::name::canonical_head`].
pub(crate) fn definer(dialect: Dialect, head: &str) -> Option<(FormKind, Shape)> {
    if let Some(row) = rows(dialect).iter().find(|row| row.heads.contains(&head)) {
        return Some((row.kind, row.shape));
    }
    let (begins, shape) = match dialect {
        Dialect::CommonLisp | Dialect::EmacsLisp => ("def", Shape::Named),
        Dialect::Scheme => ("define", Shape::Define),
        Dialect::Clojure => ("def", Shape::ClojureFunction),
        Dialect::Edn => return None,
    };
    let looks_like_one = head.starts_with(begins)
        && !["default", "defer", "defined", "define-key"].iter().any(|no| head.starts_with(no));
    let emacs_style = dialect == Dialect::EmacsLisp
        && head.contains("-def")
        && !["-default", "-define-key"].iter().any(|no| head.contains(no))
        && !["-def", "-defkey", "-key"].iter().any(|no| head.ends_with(no));
    (looks_like_one || emacs_style).then_some((FormKind::Definition, shape))
}

/// How definitions inside a form that is not one itself are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// Its data after the first `skip` are forms.
    Body { skip: u8 },
    /// Its data after the first `skip` are clauses, each a condition followed by forms.
    Clauses { skip: u8 },
}

const BODIES: &[(&[&str], u8)] = &[
    (
        &[
            "progn",
            "begin",
            "do",
            "comment",
            "locally",
            "eval-and-compile",
            "eval-when-compile",
            "prog1",
            "unwind-protect",
        ],
        0,
    ),
    (
        &[
            "eval-when",
            "describe",
            "context",
            "test-group",
            "let",
            "let*",
            "flet",
            "labels",
            "macrolet",
            "symbol-macrolet",
            "letrec",
            "letrec*",
            "let-values",
            "when",
            "unless",
            "if",
            "if-let",
            "when-let",
            "with-eval-after-load",
            "let-syntax",
            "letrec-syntax",
            "cl-flet",
            "cl-labels",
            "cl-macrolet",
            "cl-letf",
            "handler-bind",
            "with-compilation-unit",
            "binding",
            "compiler-let",
            "parameterize",
            "begin0",
            "condition-case",
            "dolist",
            "with-no-warnings",
            "define-library",
            "module",
            "library",
        ],
        1,
    ),
];

pub(crate) fn wrapper(dialect: Dialect, head: &str) -> Option<Wrapper> {
    if dialect == Dialect::Edn {
        return None;
    }
    match head {
        "cond-expand" => return Some(Wrapper::Clauses { skip: 0 }),
        "cond" => return Some(Wrapper::Clauses { skip: 0 }),
        "module" if dialect == Dialect::Scheme => return Some(Wrapper::Body { skip: 2 }),
        _ => {}
    }
    BODIES.iter().find(|(heads, _)| heads.contains(&head)).map(|&(_, skip)| Wrapper::Body { skip })
}

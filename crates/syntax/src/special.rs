//! How forms with a known head treat their arguments: which are code, which are data, which names they bind and where.
//!
//! A walk over code needs this to tell a call from a datum and a global name from a local one. Arguments are counted
//! from 1. Heads that no row has are called: all their arguments are code.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::dialects::Dialect;

/// How a form treats its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialForm {
    /// All arguments are data: `(quote x)`, `(declare …)`.
    Data,
    /// The first so many arguments are data, the others are code: `(eval-when (…) code…)`, `(block name code…)`.
    Body(u8),
    /// The argument names a function, or is a lambda expression: `(function f)`.
    FunctionName,
    /// The argument is a template: `(quasiquote x)`.
    Template,
    /// The arguments of this one inside a template are code again: `(unquote x)`.
    Unquote,
    /// `((name value)… ) code…`; with a symbol first, that names the loop. Each value is evaluated outside.
    Let,
    /// The same; each value sees the names before it.
    LetStar,
    /// The same; each value sees all names.
    LetRec,
    /// `[name value …] code…`; each value sees the names before it.
    LetVector,
    /// `[name value …] code…`, where keywords are modifiers: `for`, `doseq`.
    Comprehension,
    /// `parameters code…`
    Lambda,
    /// `name? parameters code…`, or clauses of these.
    Fn,
    /// `(parameters code…)…`
    CaseLambda,
    /// `((name parameters code…)…) code…`; the functions do not see each other.
    Functions,
    /// The same; the functions see each other.
    FunctionsRec,
    /// The same for local macros, whose bodies are code of their own.
    Macros,
    /// `((name expansion)…) code…`
    SymbolMacros,
    /// `(name value…) code…`: `dolist`, `with-open-file`.
    Each,
    /// `((name value step)…) (end result…) code…`, values evaluated outside.
    Do,
    /// The same; each value sees the names before it.
    DoStar,
    /// `pattern value code…`: `multiple-value-bind`, `receive`, `destructuring-bind`.
    Bind,
    /// `((pattern value)…) code…`: `let-values`.
    LetValues,
    /// `(code…)…`: `cond`.
    Cond,
    /// `value (data code…)…`: `case`.
    Case,
    /// `value (pattern code…)…`: `match`.
    Match,
    /// `code (type (name) code…)…`: `handler-case`.
    Handlers,
    /// `((type code)…) code…`: `handler-bind`.
    HandlerBind,
    /// `name code (types code…)…`: `condition-case`.
    ConditionCase,
    /// `(name-or-(name slot)…) value code…`: `with-slots`; the slots are data.
    Slots,
    /// `((name accessor)…) value code…`: `with-accessors`; the accessors are called.
    Accessors,
    /// The `loop` macro with its clauses.
    Loop,
    /// `name value …`: assignments of variables.
    Setq,
    /// `place value …`: assignments of places.
    Setf,
    /// `value step…`: each step is a form whose first or last argument is the value before it.
    Threading,
    /// `name parameters code…`: a definition of a function.
    Function,
    /// The same of a macro: templates in it are what its calls become.
    Macro,
    /// `name qualifier… parameters code…`
    Method,
    /// `name parameters option…`, where `(:method …)` is a method: a generic function.
    Generic,
    /// `name value docstring`: a definition of a variable.
    Variable,
    /// `name (superclass…) (slot…) option…`
    Class,
    /// `name-or-(name option…) docstring slot…`
    Structure,
    /// `name option…`: a package, module, namespace or system, whose options are read by themselves.
    Space,
    /// `(name . parameters) code…` or `name value`.
    Define,
    /// `(name . parameters) code…` with specializers among the parameters.
    DefineMethod,
    /// `pattern value`: `define-values`.
    DefineValues,
    /// `name constructor predicate field…`
    Record,
    /// `name transformer`: `define-syntax`.
    Syntax,
    /// `(literal…) (pattern template)…`: `syntax-rules`.
    SyntaxRules,
    /// `name dispatch parameters code…`
    Multimethod,
    /// `name [field…] (protocol | (method parameters code…))…`: `defrecord`, `deftype`.
    Methods,
    /// `name (method parameters…)…`
    Protocol,
    /// `name code…`, `(name option…) code…` or `"name" code…`: tests.
    Test,

    // Clojure.
    /// `[name value] then else…`; only `then` sees the name: `if-let`.
    LetThen,
    /// `[place value …] code…`: variables get other values for a while: `binding`.
    Rebinding,
    /// `value name code…`: `as->`.
    Naming,
    /// `value (data code)… code`, without parentheses: `case`.
    CasePairs,
    /// `value (pattern code)…`, without parentheses: `match`.
    MatchPairs,
    /// `value step…`: each step is a form whose first argument is the value before it, and stands before it: `->`.
    ThreadingFirst,
    /// `value (test step)…`, without parentheses: `cond->`. The value becomes the first argument, or else the last.
    ThreadingIf {
        /// The value becomes the first argument.
        first: bool,
    },
    /// `object member argument…`, where the member may stand in a list with its arguments.
    Member,
    /// `object member…`, each of which may stand in a list with its arguments.
    Members,
    /// `type name code…`: `catch`.
    Catch,
    /// `parameters code argument…`; only the code sees the parameters: `are`.
    Tabled,
    /// `name…`: `declare`.
    Declarations,
    /// So many codes, and `(protocol | (method parameters code…))…`: `reify`, `extend-type`.
    Implementation(u8),
    /// `protocol (type | (method parameters code…))…`
    ExtendProtocol,
    /// `[class…] [argument…] (method parameters code…)…`
    Proxy,

    // Emacs Lisp.
    /// `name value docstring`: a definition of a variable; without a value, it is defined elsewhere.
    Special,
    /// `((name parameters code…) | (name function) …) code…`; the functions do not see each other: `cl-flet`.
    LocalFunctions,
    /// `((name value) | (test) | variable …) code…`, or `(name value) code…`: `when-let`.
    Conditions,
    /// `name ((variable value)…) code…`, where `name` is a function.
    NamedLet,
    /// `((pattern value)…) code…`, with the patterns of `pcase`.
    PatternLet,
    /// `(pattern value) code…`: `pcase-dolist`.
    PatternBind,
    /// `(pattern…) code…`: `pcase-lambda`.
    PatternLambda,
    /// `value (pattern code…)…`: `pcase`.
    Patterns,
    /// `((place value)…) code…`: places have other values for a while.
    Places,
    /// `test name value code…`: `macroexp-let2`.
    MacroLet,
    /// `value place`: `push`.
    Push,
    /// `'name value…`: the variable is assigned that the argument evaluates to.
    SetQuoted,
    /// `'name 'other code…`: another name for what `other` names.
    Alias,
    /// `name …` or `'name …`: it is defined elsewhere.
    Declaration,
    /// `name function… code…`: the definition of a mode, with the names of so many functions after its own.
    Mode(u8),
    /// `name (how parameters…) code…`: advice for a function.
    Advice,
    /// `name parameters code…`, where `(:method …)` is a method: a generic function with a default body.
    GenericBody,
    /// `name :keyword code-or-names…`: `use-package`.
    Sections,
}

/// Rows of a dialect: how forms with these heads treat their arguments.
pub type SpecialForms = &'static [(SpecialForm, &'static [&'static str])];

static BY_HEAD: LazyLock<Vec<HashMap<&'static str, SpecialForm>>> = LazyLock::new(|| {
    let rows = |dialect: &Dialect| dialect.table().special_forms.iter();
    let heads = |dialect| rows(dialect).flat_map(|(form, heads)| heads.iter().map(|head| (*head, *form))).collect();
    Dialect::ALL.iter().map(heads).collect()
});

impl Dialect {
    /// The table says how forms treat their arguments, so that uses of names can be told from other symbols.
    pub fn has_special_forms(self) -> bool {
        !self.table().special_forms.is_empty()
    }

    /// How forms with this head, canonical, treat their arguments.
    pub fn special_form(self, head: &str) -> Option<SpecialForm> {
        BY_HEAD[self as usize].get(head).copied()
    }
}

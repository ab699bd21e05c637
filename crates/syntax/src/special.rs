//! The treatment of arguments in forms with a known head: which are code, which are data, which names they bind and
//! where.
//!
//! A walk over code needs this to distinguish calls from data and global names from local ones. Arguments are counted
//! from 1. A form whose head is in no row is a call: all its arguments are code.

use crate::definer::known_definer;
use crate::dialects::Dialect;

/// How a form treats its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialForm {
    /// All arguments are data: `(quote x)`, `(declare …)`.
    Data,
    /// This many arguments are data, all others are code: `(eval-when (…) code…)`, `(block name code…)`.
    Body(u8),
    /// `name code…`, where the name is that of a package, feature or the like: `(in-package name)`.
    Named,
    /// `type code`: a type, which is data, and code: `(the type value)`.
    Typed,
    /// `(code…) code…`: `(print-unreadable-object (object stream) …)`.
    Listed,
    /// `code (code…) code…`: `assert`.
    ListedSecond,
    /// `code type code…`: `check-type`.
    TypedPlace,
    /// `(name…) code…`: an assignment of several variables.
    SetValues,
    /// `name function` or `name parameters (name…) code…`: `defsetf`.
    SetfDefinition,
    /// `name parameters function`: `define-modify-macro`.
    ModifyMacro,
    /// `name :word value…` or `name parameters ((name qualifiers… :word value…)…) code…`: `define-method-combination`.
    MethodCombination,
    /// `specifier…`: what is declared about names: `(declare …)`.
    Declare,
    /// `name code…`: the name is that of a block.
    Block,
    /// `name code…`: the name is that of the block to leave, which can be the one of a function.
    ReturnFrom,
    /// `code 'name code…`: the name is that of a slot: `slot-value`.
    SlotOf,
    /// `code name code…`: the same without the quote: `oref`.
    BareSlotOf,
    /// The argument is the name of a function, or a lambda expression: `(function f)`.
    FunctionName,
    /// The argument is a template: `(quasiquote x)`.
    Template,
    /// Inside a template, the arguments of this form are code again: `(unquote x)`.
    Unquote,
    /// `((name value)… ) code…`; a symbol before the bindings names the loop. No value sees the names.
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
    /// The same for local macros, whose parameters can be nested.
    Macros,
    /// `((name expansion)…) code…`
    SymbolMacros,
    /// `(name value…) code…`: `dolist`, `with-open-file`.
    Each,
    /// The same, where the name is that of a local function: `with-hash-table-iterator`.
    Iterator,
    /// `((name value step)…) (end result…) code…`; no value sees the names.
    Do,
    /// The same; each value sees the names before it.
    DoStar,
    /// `pattern value code…`: `multiple-value-bind`, `receive`, `destructuring-bind`.
    Bind,
    /// `((pattern value)…) code…`, no value sees the names: `let-values`.
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
    /// `place code…`: an assignment of one place: `incf`, `pop`.
    Update,
    /// `function place code…`: an assignment of the place with what the function makes of it: `cl-callf`.
    CallUpdate,
    /// `place…`: an assignment of each: `rotatef`.
    Rotate,
    /// `value step…`: each step is a form whose first or last argument is the value before it.
    Threading,
    /// `name parameters code…`: a definition of a function.
    Function,
    /// The same for a macro: templates in it are code of its calls.
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
    /// `name option…`: a package, module, namespace or system, whose options have rules of their own.
    Space,
    /// `name dispatch parameters code…`
    Multimethod,
    /// `name [field…] (protocol | (method parameters code…))…`: `defrecord`, `deftype`.
    Methods,
    /// `name (method parameters…)…`
    Protocol,
    /// `name (method [parameters])…`: the methods are those of a class of the platform, and no functions.
    Interface,
    /// `name code…`, `(name option…) code…` or `"name" code…`: tests.
    Test,

    // Clojure.
    /// `[name value] then else…`; only `then` sees the name: `if-let`.
    LetThen,
    /// `[place value …] code…`: variables have other values during the code: `binding`.
    Rebinding,
    /// `value name code…`: `as->`.
    Naming,
    /// `value (data code)… code`, without parentheses: `case`.
    CasePairs,
    /// `value (pattern code)…`, without parentheses: `match`.
    MatchPairs,
    /// `value step…`: each step is a form that gets the value of the one before it as its first argument: `->`.
    ThreadingFirst,
    /// `value (test step)…`, without parentheses: `cond->`. The value becomes the first argument or the last.
    ThreadingIf {
        /// The value becomes the first argument.
        first: bool,
    },
    /// `object member argument…`, where the member can be in a list with its arguments.
    Member,
    /// `object member…`, where each member can be in a list with its arguments.
    Members,
    /// `type name code…`: `catch`.
    Catch,
    /// `parameters code argument…`; only the code sees the parameters: `are`.
    Tabled,
    /// `name…`: `declare`.
    Declarations,
    /// This many forms of code, then `(protocol | (method parameters code…))…`: `reify`, `extend-type`.
    Implementation(u8),
    /// `protocol (type | (method parameters code…))…`
    ExtendProtocol,
    /// `[class…] [argument…] (method parameters code…)…`
    Proxy,

    // Scheme.
    /// `(name . parameters) code…` or `name value`.
    Define,
    /// `(name . parameters) code…` with specializers among the parameters.
    DefineMethod,
    /// `pattern value`: `define-values`.
    DefineValues,
    /// `name constructor predicate field…`, or `name clause…`: `define-record-type`.
    Record,
    /// `name parent constructor predicate field…`: `define-condition-type`.
    Condition,
    /// `name (superclass…) slot…`, where each slot is a name or `(name :option value …)`.
    ClassOfSlots,
    /// `name transformer`: `define-syntax`.
    Syntax,
    /// `(name . pattern) template`: `define-syntax-rule`.
    SyntaxRule,
    /// `ellipsis? (literal…) (pattern template)…`: `syntax-rules`.
    SyntaxRules,
    /// `template`, or `(name template) ((set! name value) template)`: `identifier-syntax`.
    IdentifierSyntax,
    /// `code (literal…) (pattern fender? code)…`: `syntax-case`.
    SyntaxCase,
    /// `((pattern code)…) code…`: `with-syntax`.
    WithSyntax,
    /// The argument is a template of code: `(syntax x)`.
    SyntaxTemplate,
    /// `((pattern value)…) code…`, each value sees the names before it: `let*-values`.
    LetValuesStar,
    /// `code code? (name-or-(name value)…) code…`: `let-optional`.
    LetOptionals,
    /// `((variable value)…) code…`: variables have other values during the code: `parameterize`.
    Parameterize,
    /// `name code…`, or `(name . parameters) code…`: the code sees the name: `let/ec`, `rec`.
    NameThen,
    /// `(name [parameter contract]…) result text…`: a function is documented, and the text sees its parameters.
    DescribedFunction,
    /// The same with `([(name [parameter contract]…) result]…)`.
    DescribedFunctions,
    /// `code…` that documentation shows, perhaps with its results: its definitions are its own.
    ShownCode,
    /// `(name grammar…) text…`: a form is documented.
    DescribedForm,
    /// `(requirement code…)…`: `cond-expand`.
    CondExpand,
    /// `(pattern code…)…`: `match-lambda`.
    MatchLambda,
    /// `((pattern value)…) code…`, perhaps with a name before: `match-let`.
    MatchLet,
    /// `(name (test code…)…) code…`: `guard`.
    Guard,
    /// A declaration of a module or library, or a part of one.
    Module,
    /// `module name`: a name of another module: `@`.
    Elsewhere,

    /// `name clause…`: a language of the nanopass framework, whose clauses are data: `define-language`.
    Language,
    /// `name : language parameters -> language results definitions? processor… code…`: `define-pass`.
    Pass,
    /// `(language name) value (pattern code…)…`: `nanopass-case`.
    PassCase,
    /// `(language name) code…`: `with-output-language`.
    InLanguage,

    // Racket.
    /// `parameters code…`, where a parameter can be `(name default)`, in typed code `(name : type default)`.
    Procedure,
    /// `(parameters code…)…` with such parameters.
    CaseProcedure,
    /// `option… results? (clause…) code…`: a loop. A clause is `(name-or-names sequence)`, or a keyword with code.
    Iteration {
        /// Each sequence sees the names of the clauses before it: `for*`.
        in_turn: bool,
        /// A list of names, each perhaps with its first value, is before the clauses: `for/fold`.
        results: bool,
    },
    /// `((pattern value)…) code…`, each value sees all names: `letrec-values`.
    LetRecValues,
    /// `((name syntax)…) ((names value)…) code…`: `letrec-syntaxes+values`.
    LetSyntaxesValues,
    /// `code code…`: the code after the first is a body: `when`.
    Conditional,
    /// `((code…)…) code…`: `with-handlers`.
    ListsOfCode,
    /// `(definition…) code…`: `local`.
    LocalDefinitions,
    /// `code template`: `syntax/loc`.
    PlacedTemplate,
    /// `(value…) ((pattern…) code…)…`: `match*`.
    MatchMany,
    /// `((pattern…) code…)…`: `match-lambda**`.
    MatchManyLambda,
    /// `(name . parameters) ((pattern…) code…)…`: `define/match`.
    MatchFunction,
    /// `pattern code`: a definition of the names in the pattern: `match-define`.
    MatchDefine,
    /// `(pattern…) code`: the same for several values.
    MatchDefineValues,
    /// `code pattern code…`, where the names of the pattern are those of the code after it: `check-match`.
    MatchCheck,
    /// `(((pattern…) value)…) code…`: `match-let-values`.
    MatchLetValues,
    /// `code option… (pattern directive… code…)…`: `syntax-parse`.
    SyntaxParse,
    /// The same without the code: `syntax-parser`.
    SyntaxParser,
    /// `name option… (pattern directive… code…)…`: `define-syntax-parser`.
    SyntaxParserDefinition,
    /// `(name . pattern) directive… template`: `define-syntax-parse-rule`.
    SyntaxParseRule,
    /// `name-or-(name . parameters) option… (pattern syntax directive…)…`: `define-syntax-class`.
    SyntaxClass,
    /// `pattern directive… code`: the names in the pattern are bound from here on: `define/with-syntax`.
    SyntaxDefine,
    /// `name…`, all of which are defined: `define-local-member-name`.
    DefineNames,
    /// `name library option…`: the definition of a definer of foreign functions: `define-ffi-definer`.
    ForeignDefiner,
    /// `name super? (field…) option…`, `(name super) (field…) option…`: `struct`.
    Fields,
    /// `name option… (method . parameters)…`: `define-generics`.
    Generics,
    /// This many forms of code, then the body of a class.
    ClassBody(u8),
    /// `object name code…`: the name is that of a method: `send`.
    Send,
    /// `object (name code…)…`: `send*`.
    SendMany,
    /// `name code…`: the name is that of a method or field: `super`, `get-field`.
    MemberName,
    /// `class (name code)…`: `new`.
    New,
    /// The same without the class: `super-new`.
    SuperNew,
    /// `class (code…) (name code)…`: `instantiate`.
    Instantiate,
    /// `name? clause… code…`, where clauses import and export signatures: `unit`, `define-unit`.
    Unit {
        /// A name comes first.
        named: bool,
    },
    /// `name super? (element…)`: `define-signature`.
    Signature,
    /// A module inside of another, with this many data between its name and its code.
    Submodule(u8),
    /// `specification…`: what a module exports; contracts are code.
    Provide,
    /// `module clause…`: names of untyped modules with their types: `require/typed`.
    TypedRequire,
    /// `option… clause…`: `command-line`.
    CommandLine,
    /// Contracts whose parts have names: `->i`.
    DependentContract,
    /// `(name…) type`: `All`.
    ForAll,

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
    /// `((place value)…) code…`: places have other values during the code.
    Places,
    /// `test name value code…`: `macroexp-let2`.
    MacroLet,
    /// `value place`: `push`.
    Push,
    /// `'name value…`: the first argument evaluates to the variable that is assigned.
    SetQuoted,
    /// `'name 'other code…`: `name` becomes another name of `other`.
    Alias,
    /// `name …` or `'name …`: the name is defined elsewhere.
    Declaration,
    /// `name function… code…`: the definition of a mode, with the names of this many functions after its own.
    Mode(u8),
    /// `name (how parameters…) code…`: advice for a function.
    Advice,
    /// `name parameters code…`, where `(:method …)` is a method: a generic function with a default body.
    GenericBody,
    /// `name :keyword code-or-names…`: `use-package`.
    Sections,
}

/// Rows of a dialect: the treatment of arguments, and the heads of forms with it.
pub type SpecialForms = &'static [(SpecialForm, &'static [&'static str])];

impl Dialect {
    /// The dialect has a table of special forms, so uses of names can be distinguished from other symbols.
    pub fn has_special_forms(self) -> bool {
        !self.table().special_forms.is_empty()
    }

    /// Forms with this head, canonical, are known to define something or to direct the reader, without guessing.
    pub fn knows_definer(self, head: &str) -> bool {
        known_definer(self, head).is_some()
    }

    /// The treatment of arguments in forms with this head, canonical; `None` for a call.
    pub fn special_form(self, head: &str) -> Option<SpecialForm> {
        self.head(head).special
    }
}

#[cfg(test)]
mod tests {
    use super::SpecialForm as F;
    use super::*;

    /// They make or use more names from the one that they have, or set what another file defines.
    const EXCEPTIONS: [&str; 4] =
        ["define-compilation-mode", "define-custom-hash-types", "define-custom-set-types", "fset"];

    /// What the walk takes for a definition of a name, the outline does, too.
    #[test]
    fn every_form_that_defines_is_a_definition_in_the_outline() {
        let defines = |form| {
            matches!(
                form,
                F::Function
                    | F::Macro
                    | F::Generic
                    | F::GenericBody
                    | F::Variable
                    | F::Special
                    | F::Class
                    | F::Structure
                    | F::Methods
                    | F::Protocol
                    | F::Interface
                    | F::Define
                    | F::DefineMethod
                    | F::DefineValues
                    | F::Record
                    | F::Condition
                    | F::ClassOfSlots
                    | F::Syntax
                    | F::SyntaxRule
                    | F::Mode(_)
                    | F::Fields
                    | F::Generics
                    | F::MatchFunction
                    | F::MatchDefine
                    | F::SyntaxParserDefinition
                    | F::SyntaxParseRule
                    | F::SyntaxClass
                    | F::ForeignDefiner
                    | F::Alias
            )
        };
        for dialect in Dialect::ALL {
            let rows = dialect.table().special_forms.iter().filter(|(form, _)| defines(*form));
            let heads = rows.flat_map(|(_, heads)| *heads);
            let unknown: Vec<_> =
                heads.filter(|head| !dialect.knows_definer(head) && !EXCEPTIONS.contains(head)).collect();
            assert!(unknown.is_empty(), "{dialect:?}: {unknown:?}");
        }
    }
}

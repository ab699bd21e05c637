//! The differences between the dialects for the index, one row for each.

use lispwright_syntax::name::parameter_word;
use lispwright_syntax::{Datum, Dialect, Language, ListId, SpecialForm};

use crate::bind::Pattern;
use crate::libraries::LibraryLayout;
use crate::parameters::ParameterNotation;
use crate::resolve::Written;
use crate::space::{self, Declared, Space};
use crate::walk::Walk;

/// The rules of one dialect.
pub(crate) struct Rules {
    /// Reads the declaration of a package, module or namespace in a form. The head is canonical.
    pub(crate) declares: fn(&Walk<'_>, &str, Datum, ListId) -> Option<Declared>,
    /// Reads the declaration that a file itself is.
    pub(crate) begins: fn(&Walk<'_>) -> Option<Space>,
    /// Splits a name into qualifier and name, as the dialect's reader does.
    pub(crate) written: fn(&str) -> Written<'_>,
    /// Functions and variables have separate namespaces.
    pub(crate) two_namespaces: bool,
    /// The symbol is a constant or part of the syntax, so it has no definition.
    pub(crate) is_constant: fn(&str) -> bool,
    /// A form with this head is an operator of the language, whatever functions and macros are called so.
    pub(crate) is_operator: fn(&str) -> bool,
    /// By convention, the name is that of a dynamic variable, so a local binding does not hide it.
    pub(crate) is_dynamic: fn(&str) -> bool,
    /// A `let` can bind any variable dynamically, whatever its name.
    pub(crate) binds_dynamically: bool,
    /// A binding of a variable is dynamic if any file defines the variable.
    pub(crate) variables_are_dynamic: bool,
    /// A variable that a file defines is dynamic wherever it is bound.
    pub(crate) variables_are_special: bool,
    /// Quoted symbols are names of functions and variables, or may be.
    pub(crate) data_are_names: bool,
    /// `#'` makes a syntax object; in other dialects it names a function.
    pub(crate) has_syntax_objects: bool,
    /// A body can contain definitions, which are local to it.
    pub(crate) has_inner_definitions: bool,
    /// The code in a clause of a conditional is a body, too.
    pub(crate) clauses_are_bodies: bool,
    /// Code outside of packages and modules is in a space of its file; otherwise, all files share one.
    pub(crate) files_are_spaces: bool,
    /// A file is a module by itself, which is called by its path.
    pub(crate) files_are_modules: bool,
    /// A function can have several lists of parameters, which are vectors.
    pub(crate) has_arities: bool,
    /// A symbol can begin with a digit.
    pub(crate) has_potential_numbers: bool,
    /// A definition of a name that the space imports is one of the imported name; otherwise, of a name of its own.
    pub(crate) imports_come_first: bool,
    /// What a declaration imports counts for the names of its file alone, also if other files declare the same space.
    pub(crate) imports_are_of_files: bool,
    /// A file with one of these texts gives out what it defines without naming it.
    pub(crate) giving_out: &'static [&'static str],
    /// Heads of definitions that others use by rule: the compiler, users of older versions.
    pub(crate) for_others: &'static [&'static str],
    /// Heads of definitions of members of a class, whatever form the class is made by.
    pub(crate) members: &'static [&'static str],
    /// What a space is called.
    pub(crate) space_word: &'static str,
    /// The file that is named after a space or feature, below a directory of sources, without its extension.
    pub(crate) space_file: fn(&str) -> String,
    /// A keyword can have a namespace: `:shop.core/id`.
    pub(crate) keywords_are_qualified: bool,
    /// The notation in which a macro gets names to bind: a name, or a list of parameters or bindings.
    pub(crate) binds: Pattern,
    /// The opener of a function that is written as its body: `#(f % 1)`.
    pub(crate) function_opener: Option<&'static str>,
    /// Walks over a pattern of `match`.
    pub(crate) match_pattern: for<'t> fn(&mut Walk<'t>, Datum),
    /// A symbol that begins with a colon is a keyword.
    pub(crate) has_colon_keywords: bool,
    /// A variable in a pattern of syntax can have its class after a colon: `name:class`.
    pub(crate) has_syntax_classes: bool,
    /// How forms treat their arguments whose head, canonical, is in no table.
    pub(crate) guess: fn(&str) -> Option<SpecialForm>,
    /// The openers of lists that are calls.
    pub(crate) calls: &'static [&'static str],
    /// Walks a list that is code.
    pub(crate) code: for<'t> fn(&mut Walk<'t>, Datum, ListId),
    /// Files contain only data.
    pub(crate) is_data: bool,
    /// A symbol in data is only a use if it is qualified.
    pub(crate) data_names_are_qualified: bool,
    /// Returns the part of a symbol in code that is a name.
    pub(crate) name_in: fn(&str) -> &str,
    /// A backquote makes data; templates of code have a notation of their own.
    pub(crate) templates_are_data: bool,
    /// The reader replaces the symbol in a template by a new one.
    pub(crate) is_made_up: fn(&str) -> bool,
    /// A package whose name is written in the template of a macro is one of the project.
    pub(crate) templates_declare: bool,
    /// The names that a definition makes besides its own are written in it, whatever else the macro does.
    pub(crate) accessors_are_written: bool,
    /// Files provide features that are called like them.
    pub(crate) files_are_features: bool,
    /// What divides a name whose first parts name a value or module, of which no file says where it is defined. The other
    /// parts can be anybody's names.
    pub(crate) member_separators: &'static [char],
    /// With what a directive of a control string begins.
    pub(crate) directive: char,
    /// A file says which others it uses; otherwise, names find what is loaded, whatever file has it.
    pub(crate) files_name_others: bool,
    /// How installed libraries lie.
    pub(crate) libraries: LibraryLayout,
    /// How a file writes that it imports SRFI 71, whose `let` gives several names their values in one binding.
    pub(crate) let_of_values: &'static [&'static str],
}

const COMMON_LISP: Rules = Rules {
    declares: space::common_lisp::read,
    begins: |_| None,
    written: space::common_lisp::written,
    two_namespaces: true,
    is_constant: |text| {
        // `&optional-after-&key` is the name of a condition.
        let word = parameter_word(text);
        let is_word = word.starts_with('&') && (!word.contains('-') || word.eq_ignore_ascii_case("&allow-other-keys"));
        text.eq_ignore_ascii_case("nil") || text.eq_ignore_ascii_case("t") || is_word
    },
    is_operator: |_| false,
    is_dynamic: |name| {
        let name = name.rsplit(':').next().unwrap_or(name);
        name.starts_with('*') && name.ends_with('*') && name.len() > 2
    },
    binds_dynamically: false,
    variables_are_dynamic: false,
    variables_are_special: true,
    data_are_names: true,
    has_syntax_objects: false,
    has_inner_definitions: false,
    clauses_are_bodies: false,
    files_are_spaces: false,
    files_are_modules: false,
    binds: Pattern::GUESSED,
    has_arities: false,
    imports_come_first: true,
    imports_are_of_files: false,
    files_are_features: false,
    giving_out: &[],
    for_others: &["define-vop", "deftransform", "define-assembly-routine", "defsetf", "define-setf-expander"],
    members: &[],
    space_word: "package",
    space_file: str::to_owned,
    keywords_are_qualified: false,
    has_potential_numbers: true,
    function_opener: None,
    match_pattern: |walk, datum| walk.match_pattern(datum),
    has_colon_keywords: true,
    has_syntax_classes: false,
    guess: |head| {
        let is_package = head.starts_with("def") && Language::from(Dialect::CommonLisp).declares_package(head);
        is_package.then_some(SpecialForm::Space)
    },
    calls: &["("],
    code: |walk, datum, list| walk.call_or_data(datum, list),
    is_data: false,
    data_names_are_qualified: false,
    templates_are_data: false,
    name_in: |text| text,
    is_made_up: |_| false,
    templates_declare: true,
    accessors_are_written: true,
    files_name_others: false,
    member_separators: &[],
    directive: '~',
    libraries: LibraryLayout::Systems,
    let_of_values: &[],
};

const SCHEME: Rules = Rules {
    has_colon_keywords: false,
    declares: space::scheme::read,
    written: space::scheme::written,
    two_namespaces: false,
    is_constant: |text| matches!(text, "." | "..." | "_" | "=>" | "else"),
    is_dynamic: |_| false,
    variables_are_special: false,
    data_are_names: false,
    has_syntax_objects: true,
    has_inner_definitions: true,
    files_are_spaces: true,
    imports_come_first: false,
    imports_are_of_files: true,
    space_word: "module",
    space_file: |name| name.trim_start_matches('(').trim_end_matches(')').replace(' ', "/"),
    templates_are_data: true,
    templates_declare: false,
    accessors_are_written: false,
    files_name_others: true,
    calls: &["(", "["],
    libraries: LibraryLayout::Modules,
    let_of_values: &["srfi-71", "srfi 71", "srfi :71", "srfi/71"],
    ..COMMON_LISP
};

const RACKET: Rules = Rules {
    // A unit exports what the names of its signatures are, and is invoked with the definitions around it; of a package's
    // description all definitions are read.
    giving_out: &[
        "#lang racket/unit",
        "#lang scheme/unit",
        "invoke-unit/infer",
        "#lang info",
        "#lang setup/infotab",
        "setup/infotab",
    ],
    members: &[
        "define/public",
        "define/private",
        "define/override",
        "define/augment",
        "define/augride",
        "define/overment",
        "define/pubment",
        "define/public-final",
        "define/override-final",
        "define/augment-final",
    ],
    libraries: LibraryLayout::Asked,
    declares: space::racket::read,
    begins: space::racket::begins,
    written: space::racket::written,
    is_constant: |text| matches!(text, "." | "..." | "...+" | "_" | "=>" | "else" | ":" | "#lang"),
    match_pattern: |walk, datum| walk.racket_pattern(datum),
    has_syntax_classes: true,
    files_are_modules: true,
    clauses_are_bodies: true,
    guess: |head| {
        let in_turn = head.starts_with("for*/");
        (in_turn || head.starts_with("for/")).then_some(SpecialForm::Iteration { in_turn, results: false })
    },
    calls: &["(", "[", "{"],
    ..SCHEME
};

const CLOJURE: Rules = Rules {
    directive: '%',
    libraries: LibraryLayout::Unknown,
    declares: space::clojure::read,
    written: space::clojure::written,
    two_namespaces: false,
    // `.name` is a member of an object.
    is_constant: |text| {
        matches!(text, "nil" | "true" | "false" | "&") || (text.starts_with(['%', '.']) && text != "..")
    },
    // "Special Forms" of the reference.
    is_operator: |head| {
        matches!(head, "def" | "if" | "do" | "let*" | "quote" | "var" | "fn*" | "loop*" | "recur" | "throw" | "try")
            || matches!(head, "catch" | "finally" | "set!" | "new" | "." | "monitor-enter" | "monitor-exit")
    },
    is_dynamic: |_| false,
    binds_dynamically: true,
    variables_are_special: false,
    function_opener: Some("#("),
    files_are_spaces: true,
    code: |walk, datum, list| walk.clojure_code(datum, list, false),
    binds: Pattern::Destructuring,
    has_arities: true,
    imports_come_first: false,
    imports_are_of_files: true,
    space_word: "namespace",
    space_file: |name| name.replace('-', "_").replace('.', "/"),
    keywords_are_qualified: true,
    has_potential_numbers: false,
    data_names_are_qualified: true,
    // `Name.` is the constructor of `Name`.
    name_in: |text| text.strip_suffix('.').filter(|name| !name.is_empty() && *name != ".").unwrap_or(text),
    is_made_up: |text| text.ends_with('#'),
    templates_declare: false,
    accessors_are_written: false,
    files_name_others: true,
    ..COMMON_LISP
};

const EDN: Rules = Rules { is_data: true, ..CLOJURE };

const EMACS_LISP: Rules = Rules {
    directive: '%',
    libraries: LibraryLayout::Features,
    declares: space::emacs_lisp::read,
    written: space::emacs_lisp::written,
    is_constant: |text| matches!(text, "nil" | "t") || text.starts_with('&'),
    is_operator: |head| head == "declare",
    is_dynamic: |_| false,
    binds_dynamically: true,
    variables_are_dynamic: true,
    variables_are_special: false,
    templates_declare: false,
    accessors_are_written: false,
    files_are_features: true,
    for_others: &["define-obsolete-function-alias", "define-obsolete-variable-alias", "define-obsolete-face-alias"],
    ..COMMON_LISP
};

/// Bindings are in brackets as in Clojure. Which file a module is, no file says.
const FENNEL: Rules = Rules {
    declares: |_, _, _, _| None,
    written: |text| Written::plain(text.to_owned()),
    member_separators: &['.', ':'],
    files_are_spaces: true,
    imports_are_of_files: false,
    is_constant: |text| matches!(text, "nil" | "true" | "false" | "&" | "&as" | "_" | "..." | ":" | "#" | "$" | "$..."),
    is_operator: |_| false,
    binds_dynamically: false,
    function_opener: None,
    space_word: "module",
    has_inner_definitions: true,
    space_file: |name| name.replace('.', "/"),
    keywords_are_qualified: false,
    data_names_are_qualified: false,
    name_in: |text| text,
    files_name_others: false,
    ..CLOJURE
};

const JANET: Rules = Rules {
    member_separators: &['/'],
    is_constant: |text| matches!(text, "nil" | "true" | "false" | "&" | "&opt" | "&keys" | "&named" | "_" | "$"),
    space_file: str::to_owned,
    ..FENNEL
};

const HY: Rules = Rules {
    member_separators: &['.'],
    is_constant: |text| matches!(text, "None" | "True" | "False" | "/" | "_" | "..."),
    is_made_up: |_| false,
    ..FENNEL
};

/// Files do not say which file a name comes from, so names of the same spelling cannot be told apart.
pub fn spelling_is_all(dialect: Dialect) -> bool {
    !rules(dialect).member_separators.is_empty()
}

/// A file is a module by itself, which is called by its path.
pub fn files_are_modules(dialect: Dialect) -> bool {
    rules(dialect).files_are_modules
}

/// A file says which others it uses: what another one defines is imported, and not only loaded.
pub fn files_name_others(dialect: Dialect) -> bool {
    rules(dialect).files_name_others
}

/// A `let` of a file with this text may give several names their values in one binding: `(let ((a b (values 1 2))) …)`.
pub fn let_takes_values(dialect: Dialect, text: &str) -> bool {
    rules(dialect).let_of_values.iter().any(|name| text.contains(name))
}

/// The row of a dialect.
pub(crate) fn rules(dialect: Dialect) -> &'static Rules {
    match dialect {
        Dialect::CommonLisp => &COMMON_LISP,
        Dialect::Scheme => &SCHEME,
        Dialect::Racket => &RACKET,
        Dialect::Clojure => &CLOJURE,
        Dialect::Edn => &EDN,
        Dialect::EmacsLisp => &EMACS_LISP,
        Dialect::Fennel => &FENNEL,
        Dialect::Janet => &JANET,
        Dialect::Hy => &HY,
    }
}

const COMMON_LISP_PARAMETERS: ParameterNotation = ParameterNotation {
    optional: &["&optional"],
    rest: &["&rest", "&body"],
    key: &["&key"],
    // What comes after `&context` in Emacs Lisp is no argument.
    aux: &["&aux", "&context"],
    hidden: &["&whole", "&environment"],
    open_keys: &["&allow-other-keys"],
    keyword: ":",
    keys_anywhere: false,
    lists_are_optional: false,
    in_vector: false,
    names: |text| !parameter_word(text).starts_with('&'),
};

const SCHEME_PARAMETERS: ParameterNotation = ParameterNotation {
    optional: &["#:optional", "#!optional"],
    rest: &[".", "#:rest", "#!rest"],
    key: &["#:key", "#!key"],
    aux: &[],
    hidden: &[],
    open_keys: &["#:allow-other-keys"],
    keyword: "#:",
    names: |text| !text.starts_with("#:") && !text.starts_with("#!") && text != ".",
    ..COMMON_LISP_PARAMETERS
};

const RACKET_PARAMETERS: ParameterNotation = ParameterNotation {
    optional: &[],
    rest: &["."],
    key: &[],
    open_keys: &[],
    keys_anywhere: true,
    lists_are_optional: true,
    ..SCHEME_PARAMETERS
};

const CLOJURE_PARAMETERS: ParameterNotation = ParameterNotation {
    optional: &[],
    rest: &["&"],
    key: &[],
    aux: &[],
    hidden: &[],
    open_keys: &[],
    in_vector: true,
    names: |text| text != "&",
    ..COMMON_LISP_PARAMETERS
};

const JANET_PARAMETERS: ParameterNotation = ParameterNotation {
    optional: &["&opt"],
    key: &["&keys", "&named"],
    names: |text| !text.starts_with('&'),
    ..CLOJURE_PARAMETERS
};

/// Python's parameters: a list is a name with its default, `#*` takes all others.
const HY_PARAMETERS: ParameterNotation = ParameterNotation {
    rest: &["#*"],
    keys_anywhere: true,
    lists_are_optional: true,
    names: |text| !text.starts_with('#') && text != "/" && text != "*",
    ..CLOJURE_PARAMETERS
};

/// How a dialect writes parameters.
pub fn parameter_notation(dialect: Dialect) -> &'static ParameterNotation {
    match dialect {
        Dialect::CommonLisp | Dialect::EmacsLisp => &COMMON_LISP_PARAMETERS,
        Dialect::Scheme => &SCHEME_PARAMETERS,
        Dialect::Racket => &RACKET_PARAMETERS,
        Dialect::Clojure | Dialect::Edn | Dialect::Fennel => &CLOJURE_PARAMETERS,
        Dialect::Janet => &JANET_PARAMETERS,
        Dialect::Hy => &HY_PARAMETERS,
    }
}

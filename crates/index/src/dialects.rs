//! What sets the dialects apart for the index: a row for each.

use lispwright_syntax::{Datum, Dialect, ListId};

use crate::bind::Pattern;
use crate::resolve::Written;
use crate::space::{self, Declared};
use crate::walk::Walk;

/// The rules of one dialect.
pub(crate) struct Rules {
    /// Reads what a form declares about packages, modules or namespaces. The head is canonical.
    pub(crate) declares: fn(&Walk<'_>, &str, Datum, ListId) -> Option<Declared>,
    /// Takes a name apart as the reader of the dialect does.
    pub(crate) written: fn(&str) -> Written<'_>,
    /// Functions and variables have names of their own kind.
    pub(crate) two_namespaces: bool,
    /// The symbol is a constant or a mark of the syntax, which nobody defines.
    pub(crate) is_constant: fn(&str) -> bool,
    /// The name is that of a dynamic variable, by convention: a binding of it hides nothing.
    pub(crate) is_dynamic: fn(&str) -> bool,
    /// A `let` may bind any variable dynamically, whatever its name is.
    pub(crate) binds_dynamically: bool,
    /// `#'` makes a syntax object; in other dialects it names a function.
    pub(crate) has_syntax_objects: bool,
    /// What opens a list that is a call.
    pub(crate) calls: &'static [&'static str],
    /// Lists that are no calls are evaluated; in other dialects they are data.
    pub(crate) evaluates_collections: bool,
    /// The form of the parameters of a lambda expression.
    pub(crate) parameters: Pattern,
}

const COMMON_LISP: Rules = Rules {
    declares: space::common_lisp::read,
    written: space::common_lisp::written,
    two_namespaces: true,
    is_constant: |text| text.eq_ignore_ascii_case("nil") || text.eq_ignore_ascii_case("t") || text.starts_with('&'),
    is_dynamic: |name| name.starts_with('*') && name.ends_with('*') && name.len() > 2,
    binds_dynamically: false,
    has_syntax_objects: false,
    calls: &["("],
    evaluates_collections: false,
    parameters: Pattern::Parameters,
};

const SCHEME: Rules = Rules {
    declares: space::scheme::read,
    written: space::scheme::written,
    two_namespaces: false,
    is_constant: |text| matches!(text, "." | "..." | "_" | "=>" | "else"),
    is_dynamic: |_| false,
    has_syntax_objects: true,
    calls: &["(", "["],
    ..COMMON_LISP
};

const CLOJURE: Rules = Rules {
    declares: space::clojure::read,
    written: space::clojure::written,
    two_namespaces: false,
    is_constant: |text| matches!(text, "nil" | "true" | "false" | "&") || text.starts_with('%'),
    is_dynamic: |_| false,
    calls: &["(", "#("],
    evaluates_collections: true,
    parameters: Pattern::Destructuring,
    ..COMMON_LISP
};

const EMACS_LISP: Rules = Rules {
    declares: space::emacs_lisp::read,
    written: space::emacs_lisp::written,
    is_constant: |text| matches!(text, "nil" | "t") || text.starts_with('&'),
    is_dynamic: |_| false,
    binds_dynamically: true,
    ..COMMON_LISP
};

/// The row of a dialect.
pub(crate) fn rules(dialect: Dialect) -> &'static Rules {
    match dialect {
        Dialect::CommonLisp => &COMMON_LISP,
        Dialect::Scheme | Dialect::Racket => &SCHEME,
        Dialect::Clojure | Dialect::Edn => &CLOJURE,
        Dialect::EmacsLisp => &EMACS_LISP,
    }
}

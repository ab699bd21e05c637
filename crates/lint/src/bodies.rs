//! Where the bodies of forms begin: what may stand there first are declarations and a docstring.

use lispwright_syntax::{Datum, Dialect, ListId};

use crate::code::CodeForm;
use crate::file::File;

/// A body of code.
pub(crate) struct Body {
    /// Its forms, in their order.
    pub(crate) forms: Vec<Datum>,
    /// What may stand before its code.
    pub(crate) opening: Opening,
}

/// What may stand before the code of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Nothing.
    Code,
    /// Declarations.
    Declarations,
    /// Declarations and a docstring: it is that of a function.
    Function,
    /// The name and parameters of local functions, each with a body of its own; then declarations.
    Functions,
    /// The same of macros and functions that are methods: their bodies begin after the first list.
    Method,
}

use Opening as O;

/// The bodies of a dialect: the head of the form, the number of arguments before its body, and what it opens with.
type Rows = &'static [(&'static str, usize, Opening)];

const COMMON_LISP: Rows = &[
    ("defun", 2, O::Function),
    ("defmacro", 2, O::Function),
    ("deftype", 2, O::Function),
    ("define-compiler-macro", 2, O::Function),
    ("defmethod", 1, O::Method),
    ("lambda", 1, O::Function),
    ("flet", 1, O::Functions),
    ("labels", 1, O::Functions),
    ("macrolet", 1, O::Functions),
    ("let", 1, O::Declarations),
    ("let*", 1, O::Declarations),
    ("symbol-macrolet", 1, O::Declarations),
    ("locally", 0, O::Declarations),
    ("multiple-value-bind", 2, O::Declarations),
    ("destructuring-bind", 2, O::Declarations),
    ("dolist", 1, O::Declarations),
    ("dotimes", 1, O::Declarations),
    ("do", 2, O::Declarations),
    ("do*", 2, O::Declarations),
    ("do-symbols", 1, O::Declarations),
    ("do-external-symbols", 1, O::Declarations),
    ("do-all-symbols", 1, O::Declarations),
    ("prog", 1, O::Declarations),
    ("prog*", 1, O::Declarations),
    ("with-slots", 2, O::Declarations),
    ("with-accessors", 2, O::Declarations),
    ("with-open-file", 1, O::Declarations),
    ("with-open-stream", 1, O::Declarations),
    ("with-input-from-string", 1, O::Declarations),
    ("with-output-to-string", 1, O::Declarations),
    ("with-hash-table-iterator", 1, O::Declarations),
    ("pprint-logical-block", 2, O::Declarations),
    ("progn", 0, O::Code),
    ("when", 1, O::Code),
    ("unless", 1, O::Code),
    ("if", 1, O::Code),
    ("block", 1, O::Code),
    ("catch", 1, O::Code),
    ("prog1", 0, O::Code),
    ("unwind-protect", 0, O::Code),
    ("handler-bind", 1, O::Code),
    ("eval-when", 1, O::Code),
];

const EMACS_LISP: Rows = &[
    ("defun", 2, O::Function),
    ("defsubst", 2, O::Function),
    ("defmacro", 2, O::Function),
    ("cl-defun", 2, O::Function),
    ("cl-defsubst", 2, O::Function),
    ("cl-defmacro", 2, O::Function),
    ("lambda", 1, O::Function),
];

const SCHEME: Rows = &[
    ("define", 1, O::Function),
    ("define*", 1, O::Function),
    ("define-public", 1, O::Function),
    ("define*-public", 1, O::Function),
    ("lambda", 1, O::Function),
    ("lambda*", 1, O::Function),
];

const BODIES: &[(Dialect, Rows)] =
    &[(Dialect::CommonLisp, COMMON_LISP), (Dialect::EmacsLisp, EMACS_LISP), (Dialect::Scheme, SCHEME)];

impl File<'_, '_> {
    /// The bodies of a form of the language, as far as they are known.
    pub(crate) fn bodies(&self, form: &CodeForm<'_>) -> Vec<Body> {
        let rows = self.row(BODIES);
        let Some((_, from, opening)) = rows.iter().find(|(head, ..)| *head == form.name) else { return Vec::new() };
        if !self.is_of_language(self.tree.core_span(form.head)) {
            return Vec::new();
        }
        let after = |from: usize| form.arguments.get(from..).unwrap_or_default().to_vec();
        match opening {
            O::Method => {
                let list = form.arguments.iter().skip(*from).position(|one| one.list().is_some() && one.is_bare());
                let forms = list.map_or_else(Vec::new, |list| after(from + list + 1));
                vec![Body { forms, opening: O::Function }]
            }
            O::Functions => {
                let functions = form.arguments.first().filter(|first| first.is_bare()).and_then(|first| first.list());
                let local = |list: ListId| Body { forms: self.tree.data(list).skip(2).collect(), opening: O::Function };
                let functions = functions.into_iter().flat_map(|list| self.tree.data(list));
                let functions = functions.filter(|one| self.is_plain(*one)).filter_map(Datum::list);
                let mut bodies: Vec<Body> = functions.map(local).collect();
                bodies.push(Body { forms: after(*from), opening: O::Declarations });
                bodies
            }
            opening => vec![Body { forms: after(*from), opening: *opening }],
        }
    }

    /// The head of a datum that is a list and stands for itself.
    pub(crate) fn head_of_datum(&self, datum: Datum) -> Option<&str> {
        let list = datum.list().filter(|_| datum.is_bare())?;
        self.head_of(list)
    }
}

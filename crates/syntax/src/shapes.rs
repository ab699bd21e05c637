//! What the forms of a dialect look like, as far as everyone knows: which argument is a list, where a body begins, what is
//! called.
//!
//! The heads stand with their roles, as rows of `head:argument` with blanks between; arguments are counted from 1, and a head
//! with an `@` is meant when its first argument is an atom. Heads that a project defines itself are learnt from its files, or
//! said to be like one of these in its configuration.

/// The forms of one dialect, or of all.
#[derive(Debug)]
pub struct Shapes {
    /// Arguments that are lists.
    pub lists: &'static str,
    /// Arguments that are atoms.
    pub atoms: &'static str,
    /// Arguments that are lists which begin with a list.
    pub nested: &'static str,
    /// Arguments that are lists which may begin with a list.
    pub either: &'static str,
    /// Arguments that are vectors of pairs.
    pub pairs: &'static str,
    /// Arguments that are docstrings when they are strings and a body follows.
    pub docstrings: &'static str,
    /// Arguments that are vectors of parameters.
    pub parameters: &'static str,
    /// Arguments from which on a symbol does not stand on the line of the head when the body has lines of its own.
    pub bodies: &'static str,
    /// How many arguments there are, as `head:fewest:most`; without a most, any number.
    pub counts: &'static str,
    /// Arguments from which on lists are clauses, whose first datum is not called.
    pub clauses: &'static str,
    /// `head:argument` of bindings and clauses: a list of parameters, which are not called either.
    pub clause_parameters: &'static str,
    /// The same of what may be no list.
    pub clause_names: &'static str,
    /// `head:fewest:most` of bindings and clauses, their first datum not counted.
    pub parts: &'static str,
    /// Heads in whose bindings a name comes first.
    pub name_first: &'static str,
    /// Heads in whose bindings a list comes first.
    pub list_first: &'static str,
    /// Heads of which an argument behind the first stands on lines of its own, with what follows two columns right of the
    /// opener.
    pub hanging: &'static str,
    /// Heads of what says something about a body before it begins.
    pub declarations: &'static str,
    /// Heads that hand the value of one argument to the calls that are the arguments after it.
    pub threading: &'static str,
    /// Symbols that nine times in ten stand first in a list, the most frequent ones of public code.
    pub operators: &'static str,
    /// What marks the last clause of a conditional, or is a truth value: nobody calls it.
    pub constants: &'static str,
}

impl Shapes {
    /// Nothing is known.
    pub(crate) const NONE: Self = Self {
        lists: "",
        atoms: "",
        nested: "",
        either: "",
        pairs: "",
        docstrings: "",
        parameters: "",
        bodies: "",
        counts: "",
        clauses: "",
        clause_parameters: "",
        clause_names: "",
        parts: "",
        name_first: "",
        list_first: "",
        hanging: "",
        declarations: "",
        threading: "",
        operators: "",
        constants: "",
    };

    /// What heads mean wherever a dialect or a library has them.
    pub const EVERYWHERE: Self = Self {
        clauses: "case:2 ecase:2 ccase:2 typecase:2 etypecase:2 handler-case:2 restart-case:3 match:2 pcase:2 cl-case:2 \
            cl-ecase:2 cl-typecase:2 condition-case:3 define-record-type:3 defstruct:2 syntax-rules:2 defprotocol:1 \
            define-condition:4 defclass:4 defpackage:2 define-module:2 cond:1 case-lambda:1 match-lambda:1 \
            cond-expand:1",
        clause_parameters: "handler-case:1 restart-case:1 flet:1 labels:1 macrolet:1 cl-labels:1 cl-macrolet:1",
        clause_names: "cl-flet:1",
        parts: "let:0:1 let@:1:1 let*:0:1 letrec:1:1 letrec*:1:1 parameterize:1:1 symbol-macrolet:1:1 flet:2 labels:2 \
            macrolet:2 cl-flet:2 cl-labels:2 handler-bind:1:1 with-fluids:1:1 let-values:1:1 let*-values:1:1 \
            pcase-let:1:1 do:0:2 case:1 ecase:1 match:1 typecase:1 handler-case:1 pcase:1 define-record-type:1:2",
        name_first: "let let@ let* letrec letrec* parameterize symbol-macrolet macrolet do do* prog handler-bind restart-bind \
            with-fluids cl-flet cl-labels cl-macrolet pcase-let pcase-let* let-syntax letrec-syntax defclass \
            define-condition dlet with-accessors",
        list_first: "let-values let*-values with-syntax cl-letf cl-letf*",
        threading: "-> ->> some-> some->> doto cond-> cond->> -<> ~> ~>> thread-first thread-last",
        ..Self::NONE
    };
}

/// How a form is known to stand at top level although what is before it was never closed.
#[derive(Clone, Copy, Debug)]
pub struct Openers {
    /// What heads of definitions begin with, in lower case.
    pub beginnings: &'static [&'static str],
    /// Further heads with a body.
    pub heads: &'static [&'static str],
    /// Heads of forms without a body that open or close a file.
    pub headers: &'static [&'static str],
}

/// What the head of a form at top level says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {
    /// It has a body.
    Definition,
    /// It has none.
    Header,
}

impl Openers {
    /// What this head opens, if forms with it stand at top level. Case does not count.
    #[inline]
    pub(crate) fn find(&self, head: &[u8]) -> Option<Opener> {
        let among = |known: &[&str]| known.iter().any(|known| head.eq_ignore_ascii_case(known.as_bytes()));
        if self.begin(head) || among(self.heads) {
            return Some(Opener::Definition);
        }
        among(self.headers).then_some(Opener::Header)
    }

    /// A text that stands behind an opener begins as definitions do.
    #[inline]
    pub(crate) fn begin(&self, text: &[u8]) -> bool {
        let begins =
            |known: &&str| text.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()));
        self.beginnings.iter().any(begins)
    }
}

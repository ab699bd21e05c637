//! The shapes of a dialect's common forms: which argument is a list, where a body begins, which data are calls.
//!
//! The tables are rows of `head:argument`, separated by blanks. Arguments are counted from 1. A head with an `@` is for
//! forms whose first argument is an atom. The heads that a project defines are learnt from its files, or declared in
//! its configuration to have the shape of one of these.

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
    /// Definitions of what is called, and the argument that has the parameters of the calls: with 1, a list that begins
    /// with the name.
    pub functions: &'static str,
    /// The first argument of a body: from it on, no symbol is on the line of the head if the body has lines of its own.
    pub bodies: &'static str,
    /// How the mode of the dialect in Emacs indents: `head:N` for forms whose first N arguments are apart from a body,
    /// `head:d` for definitions. `def*` stands for every other head that begins like a definition.
    pub indents: &'static str,
    /// That mode knows the parts of forms, such as bindings and clauses; other modes take every list that begins with a
    /// symbol for a call.
    pub indents_parts: bool,
    /// The number of arguments, as `head:fewest:most`; without `most`, any number.
    pub counts: &'static str,
    /// Calls whose arguments come in pairs, as `head:N`: after the first N.
    pub even: &'static str,
    /// The first argument that is a clause: from it on, lists are clauses, whose first datum is not a head that is
    /// called.
    pub clauses: &'static str,
    /// The same inside bindings and clauses: an argument that is a list of parameters, which is not a call either.
    pub clause_parameters: &'static str,
    /// The same for an argument that is not always a list.
    pub clause_names: &'static str,
    /// The length of bindings and clauses, as `head:fewest:most`, without their first datum.
    pub parts: &'static str,
    /// Heads whose bindings begin with a name.
    pub name_first: &'static str,
    /// Heads whose bindings begin with a list.
    pub list_first: &'static str,
    /// Heads with an argument, after the first, that is on lines of its own, while the arguments after it are two
    /// columns right of the opener.
    pub hanging: &'static str,
    /// Heads of declarations at the start of a body.
    pub declarations: &'static str,
    /// Heads that pass the value of one argument to the calls in the arguments after it.
    pub threading: &'static str,
    /// Heads of calls that take any number of arguments: how many a file shows says nothing of the next.
    pub variadic: &'static str,
    /// The most frequent symbols in public code that are the first datum of a list nine times in ten.
    pub operators: &'static str,
    /// Symbols that mark the last clause of a conditional or are truth values: they are never called.
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
        functions: "",
        bodies: "",
        indents: "",
        indents_parts: false,
        counts: "",
        even: "",
        clauses: "",
        clause_parameters: "",
        clause_names: "",
        parts: "",
        name_first: "",
        list_first: "",
        hanging: "",
        declarations: "",
        threading: "",
        variadic: "",
        operators: "",
        constants: "",
    };

    /// Shapes of heads that have the same meaning in every dialect and library that has them.
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
        variadic: "list list* cons* vector append nconc concat concatenate string-append str values + - * / = < > <= >= max \
            min and or format message error warn print println apply funcall map mapcar partial comp merge hash-map \
            conj logior logand logxor",
        ..Self::NONE
    };
}

/// How a form is recognised as top-level although a form before it is not closed.
#[derive(Clone, Copy, Debug)]
pub struct Openers {
    /// The beginnings of heads of definitions, in lower case.
    pub beginnings: &'static [&'static str],
    /// Further heads of forms with a body.
    pub heads: &'static [&'static str],
    /// Heads of forms without a body that open or close a file.
    pub headers: &'static [&'static str],
}

/// The kind of a top-level form, by its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {
    /// It has a body.
    Definition,
    /// It has none.
    Header,
}

impl Openers {
    /// The kind of forms with this head, if they are usually at top level. Case does not count.
    #[inline]
    pub(crate) fn find(&self, head: &[u8]) -> Option<Opener> {
        let among = |known: &[&str]| known.iter().any(|known| head.eq_ignore_ascii_case(known.as_bytes()));
        if self.begin(head) || among(self.heads) {
            return Some(Opener::Definition);
        }
        among(self.headers).then_some(Opener::Header)
    }

    /// `text`, which follows an opener, begins with the head of a definition.
    #[inline]
    pub(crate) fn begin(&self, text: &[u8]) -> bool {
        let begins =
            |known: &&str| text.get(..known.len()).is_some_and(|start| start.eq_ignore_ascii_case(known.as_bytes()));
        self.beginnings.iter().any(begins)
    }
}

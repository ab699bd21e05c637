//! A local variable or function that nothing uses.

use lispwright_index::{Document, Hit, UseKind};
use lispwright_syntax::name::{canonical_head, canonical_symbol};
use lispwright_syntax::{Dialect, FormKind, ListId, Span, SpecialForm, TokenKind};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::local::{UnusedLocal, unused};
use crate::misspelt::is_slip;
use crate::rule::{About, Example, Rule};

/// A local variable or function that nothing uses.
pub(crate) struct UnusedBinding;

static ABOUT: About = About {
    code: "unused-binding",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A local variable or function is bound, and nothing uses it; or nothing uses a parameter, and a slip of it is used.",
    why: "Its value is computed for nothing, or another name was meant. A name that begins with `_`, and one that is \
          declared to be ignored, is not told.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r)\n  (let ((size (* r r)))\n    (* 3 r)))\n",
            right: "(defun area (r)\n  (let ((size (* r r)) (depth (read)))\n    (declare (ignore depth))\n    (* 3 size)))\n\
                    (defun shown (r)\n  (let ((size (* r r)))\n    #?\"${size} wide\"))\n\
                    (defmacro with-it (x) `(list it ,x))\n(defun both (r) (let ((it r)) (with-it 2)))\n\
                    (defun spliced (r)\n  (let ((all (list r)))\n    `(list ,.all)))\n\
                    (defun wide (r)\n  (macrolet ((shown () '(list size)))\n    (let ((size (* r r)))\n      (shown))))\n\
                    (defvar unit 1)\n(declaim (special scale))\n\
                    (defun scaled (f)\n  (let ((unit 2) (scale 3))\n    (funcall f)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area [r]\n  (let [size (* r r)]\n    (* 3 r)))\n",
            right: "(ns example)\n(defn area [r]\n  (let [size (* r r) _ (prn r)]\n    (* 3 size)))\n\
                    (defn text [r]\n  (let [#?(:clj ^String text :cljs text) (str r)]\n    (count text)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun area (r)\n  (let ((size (* r r)))\n    (* 3 r)))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun area (r)\n  (let ((size (* r r)) (_rest 1))\n    (* 3 size)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  (let ((size (* r r)))\n    (* 3 r)))\n",
            right: "(define (area r)\n  (let ((size (* r r)) (_ 1))\n    (* 3 size)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (area r)\n  (let ([size (* r r)])\n    (* 3 r)))\n",
            right: "#lang racket\n(define (area r)\n  (let ([size (* r r)])\n    (* 3 size)))\n",
        },
    ],
};

impl Rule for UnusedBinding {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        use SpecialForm as F;
        if !file.has_known_language() {
            return;
        }
        for one in unused(file) {
            let is_binding = |at: usize| {
                let place = one.form.arguments.get(at).map(|bindings| file.tree.datum_span(*bindings));
                place.is_some_and(|place| place.encloses(one.name))
            };
            if let Some(meant) = file.misspelt_parameter(&one) {
                // It is told where it is used, if nothing defines it.
                if !findings.has(meant) {
                    let (name, meant) = (file.source(one.name), file.source(meant));
                    let message =
                        format!("nothing uses the parameter `{name}`; `{meant}` is used, and is no parameter");
                    findings.add(one.name, message);
                }
                continue;
            }
            if !(is_binding(0) || is_binding(1) && one.form.arguments[0].list().is_none()) {
                continue;
            }
            let is_told = match file.dialect().special_form(&one.form.name) {
                Some(F::Let | F::LetStar | F::LetRec | F::LetVector | F::LetThen) => {
                    !matches!(&*one.form.name, "dotimes" | "dlet")
                }
                Some(F::Functions | F::FunctionsRec | F::LocalFunctions) => one.is_function,
                _ => false,
            };
            let name = file.source(one.name);
            if is_told
                && !is_one_of_several(file, one.name)
                && file.is_of_language(file.tree.core_span(one.form.head))
                && !file.interpolates(one.form)
                && !file.may_be_used(&one)
                && !file.is_bound_for_a_host(one.name, one.form)
                && !file.may_be_dynamic(name, one.form)
                && !file.is_implicit(name, one.form)
                && file.is_idle(one.name)
            {
                let what = if one.is_function { "function" } else { "variable" };
                findings.add(one.name, format!("nothing uses the local {what} `{name}`"));
            }
        }
    }
}

/// A binding gives it one of several values, so it cannot be left out.
fn is_one_of_several(file: &File<'_, '_>, name: Span) -> bool {
    let list = file.lists_around(name).next();
    let is_several = |list: ListId| file.data(list).len() > 2 || file.head_of(list) == Some("values");
    lispwright_index::let_takes_values(file.dialect(), file.text()) && list.is_some_and(is_several)
}

/// Dialects in which a variable that looks like any other may be dynamic, so code elsewhere uses what is bound here.
const DYNAMIC: &[Dialect] = &[Dialect::EmacsLisp];

/// Dynamic variables of Emacs whose names are one word.
const WORDS: &[&str] = &["noninteractive", "obarray", "debugger", "features", "values", "load"];

/// Dialects whose compilers do not tell of unused variables, so a value may be bound for its effect, with a name that
/// says what it is.
const NAMED_EFFECTS: &[Dialect] = &[Dialect::Scheme, Dialect::Racket];

impl File<'_, '_> {
    /// The name that is used in a function in the place of its parameter, which nothing uses and which is a slip of it.
    fn misspelt_parameter(&self, local: &UnusedLocal<'_, '_>) -> Option<Span> {
        let name = self.source(local.name).to_ascii_lowercase();
        let mut lists = self.lists_around(local.name).take(3);
        let function = lists.find(|list| self.is_function(*list, local.name))?;
        let scope = self.tree.list_span(function);
        let is_meant = |(kind, span): &(TokenKind, Span)| {
            *kind == TokenKind::Atom
                && is_slip(&name, &self.source(*span).to_ascii_lowercase())
                && self.is_free(*span, scope)
        };
        let meant = self.tree.tokens_within(scope).find(is_meant).map(|(_, span)| span)?;
        let is_sure = self.is_of_language(self.tree.core_span(local.form.head))
            && !self.interpolates(local.form)
            && !self.may_be_used(local);
        is_sure.then_some(meant)
    }

    /// The list is a function, or its definition, and has the parameter in its list of them.
    fn is_function(&self, list: ListId, parameter: Span) -> bool {
        let mut data = self.tree.data(list);
        let Some(head) = data.next().filter(|head| head.list().is_none()) else { return false };
        let parameters = data.take(4).find(|datum| self.tree.datum_span(*datum).encloses(parameter));
        let Some(parameters) = parameters.filter(|one| one.list().is_some()) else { return false };
        let word = canonical_head(self.dialect(), self.core(head));
        let is_local = || {
            let around = self.tree.list(list).parent().and_then(|bindings| self.tree.list(bindings).parent());
            let around = around.and_then(|around| self.head_of(around));
            around.is_some_and(|word| matches!(word, "flet" | "labels" | "cl-flet" | "cl-labels"))
        };
        let is_definition = || {
            let form = self.forms.around(parameter.start).map(|id| self.forms.get(id));
            form.is_some_and(|form| form.signature.iter().any(|span| *span == self.tree.core_span(parameters)))
        };
        matches!(&*word, "lambda" | "fn" | "λ") || is_local() || is_definition()
    }

    /// The name is not bound within the place; where compilers do not tell of unused variables, it is not bound at all.
    fn is_free(&self, name: Span, place: Span) -> bool {
        let known = self.facts.bound.binary_search_by_key(&name.start, |(at, _)| *at);
        let binder = known.ok().map(|at| self.facts.bound[at].1);
        binder.is_none_or(|binder| !NAMED_EFFECTS.contains(&self.dialect()) && !place.contains(binder))
    }

    /// Code elsewhere may use the variable while it is bound.
    fn may_be_dynamic(&self, name: &str, form: &CodeForm<'_>) -> bool {
        let is_variable = |hit: &Hit<'_>| hit.form().is_some_and(|form| form.kind == FormKind::Variable);
        let is_definition = |hit: &Hit<'_>| hit.used.kind == UseKind::Definition && is_variable(hit);
        let canonical = canonical_symbol(self.dialect(), name);
        let is_declared = |document: &Document| {
            let mut specials = document.text.match_indices("(special ").map(|(at, _)| &document.text[at + 9..]);
            specials.any(|rest| {
                let names = rest.split(')').next().unwrap_or_default();
                names.split_whitespace().any(|one| canonical_symbol(self.dialect(), one) == canonical)
            })
        };
        if self.question.named(&canonical).any(|hit| is_definition(&hit))
            || self.dialect().folds_case() && self.question.documents().iter().any(|one| is_declared(one))
            || self.dialect().is_standard(&name.to_ascii_uppercase())
        {
            return true;
        }
        if !DYNAMIC.contains(&self.dialect()) {
            return false;
        }
        let text = self.text();
        let is_declared = text.match_indices("(defvar ").any(|(at, opener)| {
            let rest = &text[at + opener.len()..];
            rest.strip_prefix(name).is_some_and(|rest| rest.starts_with([')', ' ', '\n']))
        });
        let is_evaluated = self.source(self.tree.list_span(form.list)).contains("(eval ");
        is_declared
            || is_evaluated
            || name.contains(['-', '/'])
            || WORDS.contains(&name)
            || !text.contains("lexical-binding: t")
    }

    /// A conditional of the reader in the bindings has the name: on another host, another branch binds it.
    fn is_bound_for_a_host(&self, name: Span, form: &CodeForm<'_>) -> bool {
        let mut inside = self.lists_around(name).take_while(|list| *list != form.list);
        inside.any(|list| self.source(self.tree.list_span(list)).starts_with("#?"))
    }

    /// A form in it uses the name without writing it.
    fn is_implicit(&self, name: &str, form: &CodeForm<'_>) -> bool {
        name == "this" && self.source(self.tree.list_span(form.list)).contains("(proxy-super ")
    }

    /// A string in the form has code inside, as some libraries for Common Lisp read it.
    fn interpolates(&self, form: &CodeForm<'_>) -> bool {
        let source = self.source(self.tree.list_span(form.list));
        ["#?\"", "#?/", "#?r"].iter().any(|begins| source.contains(begins))
    }

    /// What is bound to the name has no effect of its own.
    fn is_idle(&self, name: Span) -> bool {
        if !NAMED_EFFECTS.contains(&self.dialect()) {
            return true;
        }
        let Some(list) = self.list_of(name) else { return false };
        let Some(value) = self.tree.data(list).nth(1) else { return false };
        let mut waiting = vec![value];
        while let Some(datum) = waiting.pop() {
            let Some(list) = datum.list().filter(|_| datum.is_bare()) else { continue };
            let Some(form) = self.code().form(list) else { return false };
            if matches!(&*form.name, "lambda" | "λ" | "quote" | "case-lambda") {
                continue;
            }
            let mut idle = IDLE.split_whitespace();
            if !(form.name.ends_with('?') || idle.any(|head| head == form.name)) {
                return false;
            }
            waiting.extend(form.arguments.iter().copied());
        }
        true
    }
}

/// Functions and forms without an effect.
const IDLE: &str = "car cdr cadr cddr caar cdar caddr cons list append length reverse vector-ref vector-length string-ref \
    string-length + - * / quotient remainder modulo = < > <= >= not eq? if and or cond list-ref list-tail add1 sub1 first \
    second third rest string-append symbol->string string->symbol number->string syntax->datum syntax-e assq assoc memq \
    hash-ref map filter substring vector max min abs floor round";

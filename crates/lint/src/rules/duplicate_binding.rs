//! A parameter or a variable of `let` that is bound twice by one form.

use lispwright_index::{ParameterReader, ParameterRole};
use lispwright_syntax::{Datum, Dialect, Span, SpecialForm};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A parameter or a variable of `let` that is bound twice by one form.
pub(crate) struct DuplicateBinding;

static ABOUT: About = About {
    code: "duplicate-binding",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A list of parameters, or a `let` that binds all at once, has a name twice.",
    why: "The compiler refuses it, or one of the two values is lost; one of the names is misspelt.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r depth &optional r)\n  (list r depth))\n",
            right: "(defun area (r depth &optional s &aux (depth (or depth 1)))\n  (let* ((r (* 2 r)) (r (1+ r)))\n    (list r depth s)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  (map (lambda (size size) (* r size)) '(1) '(2)))\n",
            right: "(define (area r . rest)\n  (let ((size 1) (depth 2))\n    (list r rest size depth)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area [r depth r]\n  [r depth])\n",
            right: "(ns example)\n(defn area [r _ _]\n  (let [r (inc r) r (dec r)]\n    r))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define (area r [r 1]) r)\n(area 1)\n",
            right: "#lang racket\n(define (area r #:s [s 1]) (list r s))\n(area 1)\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang racket\n(define areas\n  (map (λ (r r) (* r r)) '(1) '(2)))\n",
            right: "#lang racket\n(define areas\n  (map (λ (r s) (* r s)) '(1) '(2)))\n(case-lambda [(r) r] [(r s) s])\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define area\n  (case-lambda ((r) r) ((size size) (* size size))))\n",
            right: "(define area\n  (case-lambda ((r) r) ((size depth) (* size depth)) (all all)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun area (r r)\n  (list r))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun area (_r _r s)\n  (list s))\n",
        },
    ],
};

impl Rule for DuplicateBinding {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        if !file.has_known_language() {
            return;
        }
        for form in file.code().certain().filter(|form| form.is_whole) {
            let names = bindings(file, form).into_iter().chain(parameters(file, form));
            let names: Vec<Vec<Span>> = names.filter(|names| names.len() > 1).collect();
            for names in names {
                let twice = names.iter().enumerate().find(|(at, name)| {
                    let is_same = |other: &&Span| same(file, file.source(**name), file.source(**other));
                    names[..*at].iter().any(|other| is_same(&other))
                });
                if let Some((_, name)) = twice
                    && file.is_of_language(file.tree.core_span(form.head))
                {
                    findings.add(*name, format!("`{}` is bound twice here", file.source(*name)));
                }
            }
        }
    }
}

/// Both are the same name, and none that stands for nothing.
fn same(file: &File<'_, '_>, one: &str, other: &str) -> bool {
    let is_same = if file.dialect().folds_case() { one.eq_ignore_ascii_case(other) } else { one == other };
    let is_name = one.starts_with(|first: char| first.is_alphabetic() || "*+-<>/".contains(first));
    is_same && is_name && one != "..."
}

/// The names that a `let` binds at once.
fn bindings(file: &File<'_, '_>, form: &CodeForm<'_>) -> Option<Vec<Span>> {
    let special = file.dialect().special_form(&form.name)?;
    if !matches!(special, SpecialForm::Let | SpecialForm::LetRec)
        || !matches!(&*form.name, "let" | "letrec" | "letrec*")
    {
        return None;
    }
    let mut arguments = form.arguments.iter();
    let mut bindings = *arguments.next()?;
    // The name of a loop.
    if bindings.list().is_none() {
        bindings = *arguments.next()?;
    }
    let list = bindings.list().filter(|_| bindings.is_bare() && file.is_plain(bindings))?;
    let data = file.data(list);
    if !data.iter().all(|one| file.is_plain(*one) && one.is_bare()) {
        return None;
    }
    let name = |one: &Datum| match one.list() {
        Some(list) => file.tree.data(list).next().filter(|name| name.list().is_none() && name.is_bare()),
        None => Some(*one),
    };
    Some(data.iter().filter_map(name).map(|name| file.tree.core_span(name)).collect())
}

/// The names of each of the lists of parameters of a form.
fn parameters(file: &File<'_, '_>, form: &CodeForm<'_>) -> Vec<Vec<Span>> {
    use SpecialForm as F;
    let at = |at: usize| form.arguments.get(at).copied();
    let reader = ParameterReader { tree: &file.tree, text: file.text(), dialect: file.dialect() };
    let read = |datum: Datum, skipped: usize, is_method: bool| {
        let list = datum.list().filter(|_| datum.is_bare())?;
        // `.` stands before the last one.
        if !file.tree.data(list).all(|one| file.is_plain(one) || file.core(one) == ".") {
            return None;
        }
        let list = reader.read(datum, skipped, is_method).ok()?;
        // `&aux` binds in turn, so it can give a parameter another value.
        let bound_at_once = list.parameters.iter().filter(|one| one.role != ParameterRole::Aux);
        Some(bound_at_once.filter_map(|one| one.name_span).collect::<Vec<Span>>())
    };
    let found = match (file.dialect().special_form(&form.name), &*form.name) {
        (Some(F::Function), "defun" | "cl-defun" | "defsubst" | "cl-defsubst") => {
            vec![at(1).and_then(|d| read(d, 0, false))]
        }
        (Some(F::Lambda | F::Procedure), "lambda" | "λ") => vec![at(0).and_then(|d| read(d, 0, false))],
        (Some(F::CaseLambda | F::CaseProcedure), "case-lambda") => {
            let clauses = form.arguments.iter().filter_map(|clause| file.tree.data(clause.list()?).next());
            clauses.map(|first| read(first, 0, false)).collect()
        }
        (Some(F::Method), "defmethod" | "cl-defmethod") => {
            vec![form.arguments.iter().skip(1).copied().find(|d| d.list().is_some()).and_then(|d| read(d, 0, true))]
        }
        (Some(F::Define), "define") => vec![at(0).filter(|d| is_header(file, *d)).and_then(|d| read(d, 1, false))],
        _ if file.dialect().special_form("fn") == Some(F::Fn) => {
            let is_function = matches!(&*form.name, "fn" | "defn" | "defn-" | "defmacro");
            let vectors = if is_function { super::lambda_list::vectors(file, form) } else { Vec::new() };
            vectors.into_iter().map(|vector| read(vector, 0, false)).collect()
        }
        _ => Vec::new(),
    };
    found.into_iter().flatten().collect()
}

/// `(name . parameters)`, and not the header of a curried function.
fn is_header(file: &File<'_, '_>, datum: Datum) -> bool {
    let first = datum.list().and_then(|list| file.tree.data(list).next());
    first.is_some_and(|first| first.list().is_none() && first.is_bare())
}

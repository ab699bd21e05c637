//! A docstring where it is none.

use lispwright_syntax::{Datum, Dialect, TokenKind};

use crate::bodies::{Body, Opening};
use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};
use crate::rules::lambda_list::vectors;

/// A docstring where it is none.
pub(crate) struct MisplacedDocstring;

static ABOUT: About = About {
    code: "misplaced-docstring",
    severity: Severity::Warning,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp],
    what: "A string stands where a docstring is expected by its looks, but is none: after code, after another one, after the \
           parameters in Clojure, or after the value of `def`.",
    why: "The string does nothing, and the definition has no documentation.",
    examples: &[
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area [r]\n  \"The area.\"\n  (* 3 r))\n",
            right: "(ns example)\n(defn area\n  \"The area.\"\n  [r]\n  (* 3 r))\n(defn unit [] \"m\")\n(def rate \"The rate.\" 2)\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(def rate 2 \"The rate.\")\n",
            right: "(ns example)\n(def rate \"The rate.\" 2)\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r)\n  (check-type r number)\n  \"The area.\"\n  (* 3 r))\n",
            right: "(defun area (r)\n  (declare (type number r))\n  \"The area.\"\n  (check-type r number)\n  (* 3 r))\n\
                    (defun unit () (print 1) \"m\")\n(defun text (x)\n  \"\"\"In \"quotes\".\"\"\"\n  x)\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  (define pi 3)\n  \"The area.\"\n  (* pi r))\n",
            right: "(define (area r)\n  \"The area.\"\n  (define pi 3)\n  (* pi r))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun greet ()\n  (interactive)\n  \"Greet.\"\n  (message \"hello\"))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun greet ()\n  \"Greet.\"\n  (interactive)\n  (message \"hello\"))\n",
        },
    ],
};

/// Heads of what may stand before a docstring.
const BEFORE: &[&str] = &["declare"];

impl Rule for MisplacedDocstring {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for form in file.code().certain() {
            for body in file.bodies(form).iter().filter(|body| body.opening == Opening::Function) {
                if let Some((text, why)) = misplaced(file, body) {
                    findings.add(file.tree.datum_span(text), format!("this string is no docstring: {why}"));
                }
            }
            if let Some((text, why)) = after_vector(file, form).or_else(|| after_value(file, form)) {
                findings.add(file.tree.datum_span(text), format!("this string is no docstring: {why}"));
            }
        }
    }
}

fn is_text(file: &File<'_, '_>, datum: Datum) -> bool {
    file.tree.kind(datum.core) == TokenKind::String && datum.is_bare() && file.is_plain(datum)
}

/// A string in the body of a function that is neither its docstring nor its value.
fn misplaced(file: &File<'_, '_>, body: &Body) -> Option<(Datum, &'static str)> {
    let (_, before) = body.forms.split_last()?;
    let mut is_after_code = false;
    let mut is_documented = false;
    for form in before {
        let start = file.tree.datum_span(*form).start as usize;
        // What the reader puts there may be nothing, and some libraries read strings in three quotes.
        if !file.is_plain(*form) || !form.is_bare() || file.text()[..start].ends_with('"') {
            return None;
        }
        match is_text(file, *form) {
            true if is_after_code => return Some((*form, "it stands after code")),
            true if is_documented => return Some((*form, "there is one before it")),
            true => is_documented = true,
            false => {
                let head = file.head_of_datum(*form);
                is_after_code |= !head.is_some_and(|head| BEFORE.iter().any(|one| head.eq_ignore_ascii_case(one)));
            }
        }
    }
    None
}

/// A string after the parameters of a function that are in a vector, with code after it.
fn after_vector(file: &File<'_, '_>, form: &CodeForm<'_>) -> Option<(Datum, &'static str)> {
    if !matches!(&*form.name, "defn" | "defn-" | "defmacro") {
        return None;
    }
    let text = vectors(file, form).into_iter().find_map(|vector| {
        let list = file.tree.list(vector.list()?).parent()?;
        let mut after = file.tree.data(list).skip_while(|one| *one != vector).skip(1);
        let text = after.next().filter(|first| is_text(file, *first))?;
        after.next().is_some().then_some(text)
    })?;
    file.is_of_language(file.tree.core_span(form.head)).then_some((text, "it stands after the parameters"))
}

/// A string after the value of `def`.
fn after_value(file: &File<'_, '_>, form: &CodeForm<'_>) -> Option<(Datum, &'static str)> {
    let has_vectors = file.dialect().special_form("fn").is_some();
    let &[_, value, text] = form.arguments.as_slice() else { return None };
    let is_it = has_vectors && form.name == "def" && form.is_whole && is_text(file, text) && !is_text(file, value);
    (is_it && file.is_of_language(file.tree.core_span(form.head))).then_some((text, "it stands after the value"))
}

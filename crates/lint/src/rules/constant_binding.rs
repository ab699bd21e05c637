//! A constant of the language that is bound or assigned.

use lispwright_syntax::{Datum, Dialect, Span, SpecialForm};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A constant of the language that is bound or assigned.
pub(crate) struct ConstantBinding;

static ABOUT: About = About {
    code: "constant-binding",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::EmacsLisp],
    what: "A constant, such as `t`, `nil` or a keyword, is the name of a parameter or variable, or is assigned.",
    why: "The compiler refuses it, or it fails when it runs.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun mix (s t)\n  (list s))\n",
            right: "(defun mix (s u)\n  (let ((x t) (y nil))\n    (setf (car s) t y pi)\n    (list x y u)))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r)\n  (let* ((pi (* 2 r)))\n    (dolist (x pi) (print x))))\n",
            right: "(defun area (r)\n  (let* ((size (* pi r)))\n    (dolist (x size) (print x))))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun total (list)\n  (do ((sum 0 (+ sum (pop list))) nil) ((null list) sum)))\n",
            right: "(defun total (list)\n  (do ((sum 0 (+ sum (pop list))) last) ((null list) (cons sum last))\n    \
                    (setf last nil)))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun mix (s)\n  (setq t s))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun mix (s)\n  (setq s t)\n  (let ((pi 3)) (list s pi)))\n",
        },
    ],
};

/// The constants of each dialect that are no keywords.
const CONSTANTS: &[(Dialect, &[&str])] =
    &[(Dialect::CommonLisp, &["t", "nil", "pi"]), (Dialect::EmacsLisp, &["t", "nil"])];

impl Rule for ConstantBinding {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let constants = file.row(CONSTANTS);
        let is_constant = |name: &Span| {
            let text = file.source(*name);
            let is_word = constants.iter().any(|one| match file.dialect().folds_case() {
                true => one.eq_ignore_ascii_case(text),
                false => *one == text,
            });
            let is_keyword = text.starts_with(':') && text.len() > 1 && !text[1..].contains(':');
            is_keyword || (is_word && file.is_of_language(*name))
        };
        for form in file.code().certain() {
            let names = bound(file, form).into_iter();
            let names: Vec<Span> = names.filter(is_constant).collect();
            if !names.is_empty() && file.is_of_language(file.tree.core_span(form.head)) {
                for name in names {
                    findings.add(name, format!("`{}` is a constant", file.source(name)));
                }
            }
        }
    }
}

/// The names that a form binds or assigns.
fn bound(file: &File<'_, '_>, form: &CodeForm<'_>) -> Vec<Span> {
    use SpecialForm as F;
    let is_name = |datum: &Datum| datum.list().is_none() && datum.is_bare() && file.is_plain(*datum);
    let inside = |datum: Option<&Datum>| -> Vec<Datum> {
        let list = datum.filter(|datum| datum.is_bare() && file.is_plain(**datum)).and_then(|datum| datum.list());
        list.map_or_else(Vec::new, |list| file.data(list))
    };
    // Each stands alone, or at the beginning of a list.
    let names_in = |data: Vec<Datum>| -> Vec<Datum> {
        let name = |one: &Datum| match one.list() {
            Some(_) => inside(Some(one)).first().copied(),
            None => Some(*one),
        };
        data.iter().filter_map(name).collect()
    };
    let names: Vec<Datum> = match (file.dialect().special_form(&form.name), &*form.name) {
        (Some(F::Let | F::LetStar), "let" | "let*") | (_, "do" | "do*" | "prog" | "prog*") => {
            names_in(inside(form.arguments.first()))
        }
        (_, "dolist" | "dotimes") => inside(form.arguments.first()).into_iter().take(1).collect(),
        (Some(F::Function), "defun" | "cl-defun" | "defsubst") => names_in(inside(form.arguments.get(1))),
        (Some(F::Generic | F::GenericBody), "defgeneric") => names_in(inside(form.arguments.get(1))),
        (Some(F::Lambda), "lambda") => names_in(inside(form.arguments.first())),
        (Some(F::Method), "defmethod" | "cl-defmethod") => {
            names_in(inside(form.arguments.iter().skip(1).find(|one| one.list().is_some())))
        }
        (_, "multiple-value-bind") => inside(form.arguments.first()),
        (Some(F::Setq | F::Setf), "setq" | "setf") if form.is_whole => {
            form.arguments.iter().step_by(2).copied().collect()
        }
        _ => Vec::new(),
    };
    names.iter().filter(|name| is_name(name)).map(|name| file.tree.core_span(*name)).collect()
}

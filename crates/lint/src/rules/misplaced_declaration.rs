//! A declaration after code, or where none may stand.

use lispwright_syntax::{Datum, Dialect, TokenKind};

use crate::bodies::{Body, Opening};
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};

/// A declaration after code, or where none may stand.
pub(crate) struct MisplacedDeclaration;

static ABOUT: About = About {
    code: "misplaced-declaration",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::EmacsLisp],
    what: "A `declare` or `interactive` stands after code, or in a form that takes no declarations.",
    why: "It is evaluated there: a compiler of Common Lisp refuses it, and in Emacs Lisp it does nothing, so that a command is \
          none.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r)\n  (print r)\n  (declare (type fixnum r))\n  (* 3 r))\n",
            right: "(defun area (r)\n  \"The area.\"\n  (declare (type fixnum r))\n  (print r)\n\
                    \x20 (flet ((twice (x) (declare (type fixnum x)) (* 2 x)))\n    (declare (inline twice))\n    (twice r)))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r)\n  (when r\n    (declare (type fixnum r))\n    (* 3 r)))\n",
            right: "(defun area (r)\n  (when r\n    (locally (declare (type fixnum r))\n      (* 3 r))))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun greet ()\n  (message \"hello\")\n  (interactive)\n  (beep))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun greet ()\n  \"Greet.\"\n  (declare (side-effect-free t))\n  (interactive)\n\
                    \x20 (message \"hello\"))\n",
        },
    ],
};

/// The heads of declarations by dialect.
const DECLARATIONS: &[(Dialect, &[&str])] =
    &[(Dialect::CommonLisp, &["declare"]), (Dialect::EmacsLisp, &["declare", "interactive"])];

impl Rule for MisplacedDeclaration {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        let heads = file.row(DECLARATIONS);
        if !heads.iter().any(|head| file.text().contains(head)) {
            return;
        }
        for form in file.code().certain() {
            for body in file.bodies(form) {
                if let Some((declaration, head)) = misplaced(file, &body, heads) {
                    let message = match body.opening {
                        Opening::Code => format!("`{}` takes no `{head}`", form.name),
                        _ => format!("`{head}` stands after code in the body of `{}`", form.name),
                    };
                    findings.add(file.tree.datum_span(declaration), message);
                }
            }
        }
    }
}

/// The first declaration of a body that stands where none may stand, and its head.
fn misplaced<'f>(file: &'f File<'_, '_>, body: &Body, heads: &[&str]) -> Option<(Datum, &'f str)> {
    let mut is_open = body.opening != Opening::Code;
    for form in &body.forms {
        let head = file.head_of_datum(*form).filter(|head| heads.iter().any(|one| head.eq_ignore_ascii_case(one)));
        let may_be_either = !file.is_plain(*form) || !form.is_bare();
        match head {
            Some(head) if !is_open && !may_be_either => return Some((*form, head)),
            Some(_) => {}
            // What the reader puts there may be nothing.
            None if may_be_either => return None,
            None => is_open &= body.opening == Opening::Function && may_be_docstring(file, *form),
        }
    }
    None
}

/// A docstring, or a form that gives one.
fn may_be_docstring(file: &File<'_, '_>, form: Datum) -> bool {
    file.tree.kind(form.core) == TokenKind::String
        || file.head_of_datum(form).is_some_and(|head| head == ":documentation")
}

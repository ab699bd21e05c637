//! A jump to a block or tag that no form around it has.

use lispwright_syntax::{Datum, Dialect, ListId};

use crate::code::CodeForm;
use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::identity::nearest_of;
use crate::rule::{About, Example, Rule};

/// A jump to a block or tag that no form around it has.
pub(crate) struct UnknownBlock;

static ABOUT: About = About {
    code: "unknown-block",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::EmacsLisp],
    what: "`return-from` names a block, or `go` a tag, that no form around it has.",
    why: "The compiler refuses it, or it fails when it runs: functions are blocks of their names, in Emacs Lisp only those \
          of `cl-defun` and the like.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun find-item (items)\n  (dolist (item items)\n    (when item (return-from finditem item))))\n",
            right: "(defun (setf find-item) (items)\n  (dolist (item items)\n    (when item (return-from find-item item)))\n  \
                    (flet ((one () (mapc #'(lambda (x) (return-from one x)) items))) (one))\n  (loop named all do (return-from all 2)))\n\
                    (defmacro leave (block) `(return-from ,block))\n",
        },
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun wait (n)\n  (prog ()\n   again\n     (when (plusp (decf n)) (go agian))))\n",
            right: "(defun wait (n)\n  (prog ()\n   again\n     (when (plusp (decf n)) (go again))))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; example.el -*- lexical-binding: t -*-\n(defun example-find (items)\n  (dolist (item items)\n    \
                    (when item (cl-return-from example-find item))))\n",
            right: ";;; example.el -*- lexical-binding: t -*-\n(cl-defun example-find (items)\n  (dolist (item items)\n    \
                    (when item (cl-return-from example-find item))))\n",
        },
    ],
};

/// The forms of each dialect that jump, each with what it jumps to.
const JUMPS: &[(Dialect, &[(&str, &str)])] = &[
    (Dialect::CommonLisp, &[("return-from", "block"), ("go", "tag")]),
    (Dialect::EmacsLisp, &[("cl-return-from", "block")]),
];

/// The definers whose functions are no blocks.
const NO_BLOCKS: &[(Dialect, &[&str])] = &[(Dialect::EmacsLisp, &["defun", "defmacro", "defsubst"])];

impl Rule for UnknownBlock {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        for form in file.code().certain().filter(|form| form.is_whole) {
            let jump = file.row(JUMPS).iter().find(|(name, _)| form.name == *name);
            let Some((_, what)) = jump else { continue };
            let target = form.arguments.first().filter(|one| one.list().is_none() && one.is_bare());
            let Some(target) = target.filter(|_| file.is_of_language(file.tree.core_span(form.head))) else { continue };
            let name = file.core(*target);
            let begins = |first: char| first.is_alphabetic() || first == '%';
            if !name.starts_with(begins) || name.contains([':', '|', '\\']) || name.eq_ignore_ascii_case("nil") {
                continue;
            }
            if let Some(complaint) = complaint(file, form, name, what) {
                findings.add(file.tree.core_span(*target), complaint);
            }
        }
    }
}

/// What is wrong with a jump to `name`.
fn complaint(file: &File<'_, '_>, form: &CodeForm<'_>, name: &str, what: &str) -> Option<String> {
    let mut names = Vec::new();
    let mut definer = None;
    for list in std::iter::successors(file.tree.list(form.list).parent(), |list| file.tree.list(*list).parent()) {
        // `,form` and what a condition of the reader may leave out can be anything; `#'` stands before a function.
        let before = &file.text()[..file.tree.list_span(list).start as usize];
        if file.is_prefixed(list) && !before.ends_with("#'") {
            return None;
        }
        let data = file.data(list);
        let is_named = data.get(1).is_some_and(|one| is_writer(file, *one, name));
        if is_named || data.iter().any(|one| has_name(file, *one, name)) {
            let head = file.head_of(list).unwrap_or_default();
            if !file.row(NO_BLOCKS).contains(&head) {
                return None;
            }
            definer = Some(head);
        }
        names.extend(data.iter().take(2).filter(|one| one.list().is_none()).map(|one| file.core(*one)));
    }
    if let Some(definer) = definer {
        return Some(format!("`{definer}` makes no block `{name}`: `cl-{definer}` does"));
    }
    let near = nearest_of(name, names);
    Some(format!("no {what} `{name}` is around this{near}"))
}

/// The datum is the name, or `(setf name)` in a list of local functions.
fn has_name(file: &File<'_, '_>, datum: Datum, name: &str) -> bool {
    let is_setter = |list: ListId| file.head_of(list).is_some_and(|head| head.eq_ignore_ascii_case("setf"));
    is_it(file, datum, name) || (datum.list().is_some_and(is_setter) && is_writer(file, datum, name))
}

/// The datum names a function as `(setf name)` does; implementations have more words than `setf`.
fn is_writer(file: &File<'_, '_>, datum: Datum, name: &str) -> bool {
    let data = datum.list().map(|list| file.data(list));
    matches!(data.as_deref(), Some([_, second]) if is_it(file, *second, name))
}

fn is_it(file: &File<'_, '_>, datum: Datum, name: &str) -> bool {
    datum.list().is_none() && file.core(datum).eq_ignore_ascii_case(name)
}

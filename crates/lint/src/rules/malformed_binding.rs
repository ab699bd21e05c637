//! A binding that is no name with its value.

use lispwright_syntax::{Datum, Dialect, SpecialForm};

use crate::file::File;
use crate::finding::{Findings, Severity};
use crate::rule::{About, Example, Rule};
use crate::shape::is_name;

mod clojure;

/// A binding that is no name with its value.
pub(crate) struct MalformedBinding;

static ABOUT: About = About {
    code: "malformed-binding",
    severity: Severity::Error,
    is_default: true,
    dialects: &[Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket],
    what: "A binding of `let` or the like is not a name with its value.",
    why: "The compiler refuses the form; often a closer stands in the wrong place.",
    examples: &[
        Example {
            dialect: Dialect::CommonLisp,
            wrong: "(defun area (r)\n  (let ((pi2 2 r))\n    (* pi2 r)))\n",
            right: "(defun area (r)\n  (let ((pi2 2) size (depth))\n    (list pi2 size depth r)))\n",
        },
        Example {
            dialect: Dialect::Scheme,
            wrong: "(define (area r)\n  (let (two 2) (* two r)))\n",
            right: "(define (area r)\n  (let loop ((two 2)) (if (> two r) two (loop (* two r)))))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area [r] (let (two 2) (* two r)))\n",
            right: "(ns example)\n(defn area [r] (let [two 2 [a & more :as all] r {:keys [b] :or {b 1} c :c} a] (list two more all b c)))\n",
        },
        Example {
            dialect: Dialect::Clojure,
            wrong: "(ns example)\n(defn area [r] (let [{:key [a]} r] a))\n",
            right: "(ns example)\n(defn area [r] (for [{:shop/keys [a] ::keys [b]} r :let [c 1] :when a] [a b c]))\n",
        },
        Example {
            dialect: Dialect::EmacsLisp,
            wrong: ";;; -*- lexical-binding: t -*-\n(defun area (r)\n  (let ((two 2 (* r 2)))\n    (* two r)))\n",
            right: ";;; -*- lexical-binding: t -*-\n(defun area (r)\n  (let* ((two 2) (four (* r two)))\n    (* four r)))\n",
        },
        Example {
            dialect: Dialect::Racket,
            wrong: "#lang typed/racket\n(define (area r)\n  (let ([two 2 3]) (* two r)))\n",
            right: "#lang typed/racket\n(define (area r)\n  (let lp : Real ([two : Real 2]) (if (> two r) two (lp (* two r)))))\n",
        },
    ],
};

/// Heads whose bindings each have exactly a name and a value where names alone are no bindings.
const HEADS: &[&str] = &["let", "let*", "letrec", "letrec*", "prog", "prog*"];

impl Rule for MalformedBinding {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn check(&self, file: &File<'_, '_>, findings: &mut Findings) {
        use SpecialForm as F;
        if file.dialect().special_form("fn") == Some(F::Fn) {
            return clojure::check(file, findings);
        }
        let takes_names = variables_may_lack_values(file.dialect());
        // A library of Scheme gives several names their values in one binding.
        if lispwright_index::let_takes_values(file.dialect(), file.text()) {
            return;
        }
        for form in file.code().certain().filter(|form| HEADS.contains(&&*form.name)) {
            if !matches!(file.dialect().special_form(&form.name), Some(F::Let | F::LetStar | F::LetRec)) {
                continue;
            }
            let mut arguments = form.arguments.iter().copied();
            let Some(mut bindings) = arguments.next() else { continue };
            // Typed Racket: `(let #:forall (T) ([name : T value]) …)`, `(let loop #:forall (T) …)`
            if form.arguments.iter().take(2).any(|one| matches!(file.core(*one), "#:forall" | "#:∀")) {
                continue;
            }
            // The name of a loop.
            if bindings.list().is_none() && !takes_names {
                let Some(mut second) = arguments.next() else { continue };
                // Typed Racket: `(let loop : Type ([name : Type value]) …)`
                if file.core(second) == ":" {
                    let Some(third) = arguments.nth(1) else { continue };
                    second = third;
                }
                bindings = second;
            }
            let is_language = || file.is_of_language(file.tree.core_span(form.head));
            if !file.is_plain(bindings) || !bindings.is_bare() {
                continue;
            }
            let Some(list) = bindings.list() else {
                let is_nil = file.core(bindings).eq_ignore_ascii_case("nil") && takes_names;
                let starts_with_dot = file.core(bindings).starts_with(['.', '#', ',']);
                if !is_nil && !starts_with_dot && form.is_whole && is_language() {
                    findings
                        .add(file.tree.datum_span(bindings), format!("`{}` needs a list of bindings here", form.name));
                }
                continue;
            };
            for binding in file.data(list) {
                if !file.is_plain(binding) || !binding.is_bare() {
                    continue;
                }
                let parts = binding.list().map(|list| file.data(list));
                let text = file.core(binding);
                let is_sound = match &parts {
                    None => takes_names && is_name(text) || text.starts_with([',', '#']),
                    Some(parts) if parts.iter().any(|part| !file.is_plain(*part)) => true,
                    Some(parts) if parts.get(1).is_some_and(|part| file.core(*part) == ":") => true,
                    Some(parts) if parts.len() == 2 || takes_names && parts.len() == 1 => can_be_name(file, parts[0]),
                    Some(_) => false,
                };
                if !is_sound && is_language() {
                    let count = parts.map_or(0, |parts| parts.len());
                    let message = match count {
                        1 | 2 if takes_names || count == 2 => {
                            format!("a binding of `{}` begins with a name", form.name)
                        }
                        0 => format!("a binding of `{}` is a list of a name and its value", form.name),
                        _ => format!("a binding of `{}` has a name and one value, not {count} parts", form.name),
                    };
                    findings.add(file.tree.datum_span(binding), message);
                }
            }
        }
    }
}

/// The part of a binding may be a name, as far as is known.
fn can_be_name(file: &File<'_, '_>, datum: Datum) -> bool {
    let text = file.core(datum);
    let is_known = datum.is_bare() && !text.starts_with([',', '#', '`', '@']);
    !is_known || datum.list().is_none() && is_name(text)
}

/// In the dialect, a variable may be bound without a value.
fn variables_may_lack_values(dialect: Dialect) -> bool {
    [Dialect::CommonLisp, Dialect::EmacsLisp].contains(&dialect)
}

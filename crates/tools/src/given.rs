//! What the image of a session was given beside the files that its calls are about: a fresh one may need the same.

use std::path::Path;

use lispwright_index::Tie;
use lispwright_runtime::LoadTarget;
use lispwright_syntax::Span;

use crate::evaluated::Evaluated;
use crate::image_text::one_line;
use crate::repl_work::relative;

/// Characters of code in a list.
const SHORT: usize = 80;

/// What says where systems, modules and libraries are looked for, by its name in code; and Clojure's loader of files, which
/// names no namespace.
const PLACES: [&str; 9] = [
    "*central-registry*",
    "*local-project-directories*",
    "initialize-source-registry",
    "load-asd",
    "add-to-load-path",
    "%load-path",
    "load-path",
    "add-classpath",
    "load-file",
];

/// Something that an image was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// The target of a call, or a file that evaluated code has loaded.
    Target(LoadTarget),
    /// A form that was evaluated, whose operator loads or imports something.
    Form {
        text: String,
        /// The package, module or namespace of the call, if it named one.
        package: Option<String>,
    },
}

impl Given {
    /// The forms that were evaluated to load something, with the package that the call `named`.
    pub(crate) fn forms(evaluated: &Evaluated<'_>, named: Option<&str>) -> Vec<Self> {
        let forms = loading(evaluated);
        forms.into_iter().map(|text| Self::Form { text, package: named.map(str::to_owned) }).collect()
    }

    /// It, in a few words.
    pub(crate) fn in_words(&self, root: &Path) -> String {
        match self {
            Self::Target(LoadTarget::System(name)) => name.clone(),
            Self::Target(LoadTarget::Path(path)) => relative(path, root),
            Self::Form { text, .. } => one_line(text, SHORT),
        }
    }
}

/// Those of the forms whose operators load or import what their arguments name, or which change where that is looked for.
fn loading(evaluated: &Evaluated<'_>) -> Vec<String> {
    let Evaluated { code, facts, .. } = evaluated;
    let loads = |form: Span| {
        let links = facts.links.iter().filter(|link| matches!(link.tie, Tie::Loads | Tie::Imports | Tie::Depends));
        let mut links = links.filter(|link| form.contains(link.span.start));
        links.any(|link| is_argument(&code[form.start as usize..link.span.start as usize]))
    };
    let places = |form: Span| {
        let mut words = code[form.range()].split(|c: char| c.is_whitespace() || "()':".contains(c));
        words.any(|word| PLACES.contains(&word))
    };
    evaluated.forms().filter(|form| loads(*form) || places(*form)).map(|form| code[form.range()].to_owned()).collect()
}

/// The text from the beginning of a form to a name has no operator but the first: what is between is data.
fn is_argument(before: &str) -> bool {
    let before = before.strip_prefix('(').unwrap_or(before);
    before.match_indices('(').all(|(at, _)| before[..at].ends_with('\''))
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    #[test]
    fn forms_that_load_are_those_whose_operators_do() {
        let loading = |code: &str, dialect| loading(&Evaluated::new(code, dialect, usize::MAX)).join(" ");
        let alike = |code: &str, dialect| assert_eq!(loading(code, dialect), code);
        alike(
            "(asdf:load-system \"rt\") (ql:quickload :fiveam) (ql:quickload '(:a :b)) (require :sb-posix)",
            Dialect::CommonLisp,
        );
        alike(
            "(push #p\"/a/\" asdf:*central-registry*) (asdf:load-asd \"/a/b.asd\") (load \"a.lisp\")",
            Dialect::CommonLisp,
        );
        alike("(use-modules (srfi srfi-1) (a b)) (load \"a.scm\") (add-to-load-path \"/a\")", Dialect::Scheme);
        alike("(require 'ert) (load \"a\") (add-to-list 'load-path \"/a\")", Dialect::EmacsLisp);
        alike("(require '[clojure.string :as s]) (use 'a.b) (load-file \"a.clj\")", Dialect::Clojure);
        alike("(require racket/list \"a.rkt\")", Dialect::Racket);
        for (code, dialect) in [
            ("(f 1) (defun g () (asdf:load-system \"a\")) (in-package :a)", Dialect::CommonLisp),
            ("(progn (delete-file \"a\") (require 'a))", Dialect::EmacsLisp),
            ("(define x 1) (f '(use-modules (a)))", Dialect::Scheme),
        ] {
            assert_eq!(loading(code, dialect), "", "{code}");
        }
        let two = Evaluated::new("(require 'a) (f) (require 'b)", Dialect::EmacsLisp, 2);
        assert_eq!(super::loading(&two), ["(require 'a)"]);
    }
}

//! Lisps that no session runs: by which names they are asked for, what their files look like, and what is there instead.

use crate::refusal::Refusal;

const SCHEMES: &[&str] = &[
    "bigloo",
    "chez",
    "chezscheme",
    "chibi",
    "chicken",
    "csi",
    "gambit",
    "gauche",
    "gerbil",
    "gosh",
    "gsi",
    "kawa",
    "mit",
    "mit-scheme",
    "petite",
    "racket",
    "sagittarius",
    "scheme",
    "stklos",
];
const COMMON_LISPS: &[&str] = &["abcl", "acl", "allegro", "ccl", "clozure", "cmucl", "lisp", "lispworks", "mkcl"];
const CLOJURES: &[&str] = &["babashka", "basilisp", "bb", "clj", "clojurescript", "cljs", "lein", "nbb", "nrepl"];

/// What to say to somebody who asks for a session of `name`, if that is known to be a Lisp.
pub(crate) fn instead_of(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let among = |names: &[&str]| names.contains(&name.as_str());
    if among(SCHEMES) {
        Some(
            "Of the Schemes, Guile runs here: runtime \"guile\", which also loads portable libraries of R6RS and R7RS. Files \
             of the others can be read, searched, checked and edited by form; run them with their own program.",
        )
    } else if among(COMMON_LISPS) {
        Some(
            "Runtime \"common-lisp\" is the preferred one that is installed. Any other that runs Swank or Slynk can be joined: \
             repl_control {\"action\": \"attach\", \"address\": \"127.0.0.1:4005\"}.",
        )
    } else if among(CLOJURES) {
        Some(
            "Runtime \"clojure\" starts what is installed; a server that speaks nREPL can be joined: repl_control {\"action\": \
             \"attach\", \"runtime\": \"clojure\", \"address\": \"127.0.0.1:PORT\"}.",
        )
    } else if among(&["elisp", "emacs", "emacs-lisp"]) {
        Some("Runtime \"emacs\" runs Emacs Lisp.")
    } else {
        None
    }
}

/// Refuses a file that is in a language of Racket's, which Guile could not so much as read.
pub(crate) fn refuse_racket(path: &str, text: &str) -> Result<(), Refusal> {
    let is_racket = path.ends_with(".rkt") || text.lines().take(20).any(|line| line.starts_with("#lang "));
    if !is_racket {
        return Ok(());
    }
    Err(Refusal::worded(
        "UNSUPPORTED",
        format!(
            "{path} is Racket, which no session runs: run it with its own program, such as racket or raco test. It can be read, \
             searched, checked and edited by form. To have Guile read it nevertheless, give runtime \"guile\"."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_another_lisp_is_told_what_there_is() {
        assert!(instead_of("Chez").is_some_and(|text| text.contains("\"guile\"")));
        assert!(instead_of("ccl").is_some_and(|text| text.contains("attach")));
        assert!(instead_of("clj").is_some_and(|text| text.contains("\"clojure\"")));
        assert_eq!(instead_of("python"), None);
    }

    #[test]
    fn racket_is_known_by_its_files() {
        for (path, text) in [("a.rkt", "(define x 1)"), ("a.scm", "; c\n#lang racket/base\n")] {
            assert_eq!(refuse_racket(path, text).map_err(|error| error.code()), Err("UNSUPPORTED"), "{path}");
        }
        assert_eq!(refuse_racket("a.scm", "(define lang '|#lang x|)").map_err(|error| error.code()), Ok(()));
    }
}

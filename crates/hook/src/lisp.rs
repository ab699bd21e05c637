//! Detects whether a file is Lisp, and its dialect.
//!
//! Some file name endings are also used by others: `.cl` by OpenCL, `.l` by lex, `.bb` by BitBake, `.sch` by KiCad. A
//! hook that refuses edits of such files would be worse than none, so the text has to look like Lisp, too.

use lispwright_syntax::Dialect;

/// Endings that other languages use, too.
const SHARED: [&str; 13] = ["cl", "l", "lsp", "sc", "ss", "sch", "bb", "egg", "ros", "asd", "sls", "sps", "sexp"];

/// The dialect of `text` at `path`; `None` when it is not known to be Lisp.
pub(crate) fn dialect(path: &str, text: &str) -> Option<Dialect> {
    let dialect = Dialect::detect(path, text.as_bytes())?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let shared = extension(name).is_some_and(|ending| SHARED.contains(&ending.as_str()));
    (!shared || begins_as_lisp(text)).then_some(dialect)
}

/// The text after the last dot of a file name, in lower case.
pub(crate) fn extension(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| ending.to_ascii_lowercase())
}

/// The first words of a Gerbil module.
const MODULE_HEADERS: [&str; 3] = ["prelude:", "package:", "namespace:"];

/// The text begins, comments and the header of a module aside, with a list, a quoted or a conditional form.
fn begins_as_lisp(text: &str) -> bool {
    let lines = text.trim_start_matches('\u{FEFF}').lines().map(str::trim_start);
    let says_something = |line: &&str| {
        !line.is_empty() && ![";", "#!"].iter().chain(&MODULE_HEADERS).any(|start| line.starts_with(start))
    };
    let first = lines.take(10_000).find(says_something);
    let Some(line) = first else { return true };
    if is_script_of_another(text) {
        // It is Lisp nevertheless if the part of the other program is a comment in Lisp.
        return line.starts_with("#|");
    }
    ["(", "#|", "#+", "#-", "#;", "#_", "#lang", "'", "`"].iter().any(|start| line.starts_with(start))
}

/// The first line calls a program that is not known as a Lisp.
fn is_script_of_another(text: &str) -> bool {
    let first = text.trim_start_matches('\u{FEFF}').lines().next().unwrap_or_default();
    first.starts_with("#!") && Dialect::detect("", first.as_bytes()).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_endings_need_a_text_that_looks_like_lisp() {
        assert_eq!(dialect("a.cl", ";; x\n(defun f ())\n"), Some(Dialect::CommonLisp));
        assert_eq!(dialect("a.cl", "__kernel void f(int i) { if (i) { x; } }\n"), None);
        assert_eq!(dialect("a.bb", "SUMMARY = \"x\"\ndo_install() {\n}\n"), None);
        assert_eq!(dialect("a.bb", "#!/usr/bin/env bb\n(println 1)\n"), Some(Dialect::Clojure));
        for path in ["a.bb", "a.cl", "a.l"] {
            assert_eq!(dialect(path, "#!/bin/sh\n(((\n"), None, "{path}");
        }
        assert_eq!(dialect("a.ros", "#!/bin/sh\n#|\nexec ros $0\n|#\n(a)"), Some(Dialect::CommonLisp));
        assert_eq!(dialect("a.l", "%{\n#include <stdio.h>\n%}\n"), None);
        assert_eq!(dialect("a.lisp", "x"), Some(Dialect::CommonLisp));
        assert_eq!(dialect("notes.txt", "(a)"), None);
        let gerbil = ";;; -*- Gerbil -*-\nprelude: :gerbil/core\npackage: shop\n\n(import :std/sugar)\n";
        assert_eq!(dialect("a.ss", gerbil), Some(Dialect::Scheme));
        assert_eq!(dialect("a.ss", "package: shop\nname: <%t SHOP %>\n"), None);
        assert_eq!(dialect("a.cl", ""), Some(Dialect::CommonLisp));
    }

    #[test]
    fn an_extension_begins_after_the_last_dot() {
        assert_eq!(extension("a.b/c.TAR.Lisp").as_deref(), Some("lisp"));
        assert_eq!(extension("a.b/c"), None);
        assert_eq!(extension(".emacs"), None);
    }
}

//! Lisps that no session runs, by the names that callers use for them.

const SCHEMES: &[&str] = &[
    "bigloo",
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
    "sagittarius",
    "scheme",
    "stklos",
];
const COMMON_LISPS: &[&str] = &["abcl", "acl", "allegro", "ccl", "clozure", "cmucl", "lisp", "lispworks", "mkcl"];
const EMACSES: &[&str] = &["elisp", "emacs", "emacs-lisp"];
const CLOJURES: &[&str] = &["babashka", "basilisp", "bb", "clj", "clojurescript", "cljs", "lein", "nbb", "nrepl"];

/// A family of Lisps without a runtime of the requested name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherLisp {
    /// A Scheme without a runtime.
    Scheme,
    /// A Common Lisp without a runtime.
    CommonLisp,
    /// A Clojure by another name.
    Clojure,
    /// Emacs.
    EmacsLisp,
}

impl OtherLisp {
    /// The family of the Lisp with this name, if it is known.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let families = [
            (SCHEMES, Self::Scheme),
            (COMMON_LISPS, Self::CommonLisp),
            (CLOJURES, Self::Clojure),
            (EMACSES, Self::EmacsLisp),
        ];
        families.into_iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, family)| family)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lisps_are_known_by_name() {
        let families = ["Gambit", "ccl", "clj", "elisp", "python"].map(OtherLisp::named);
        let [scheme, common_lisp, clojure, emacs, none] = families;
        assert_eq!((scheme, common_lisp), (Some(OtherLisp::Scheme), Some(OtherLisp::CommonLisp)));
        assert_eq!((clojure, emacs, none), (Some(OtherLisp::Clojure), Some(OtherLisp::EmacsLisp), None));
    }
}

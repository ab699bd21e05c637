//! What clj-kondo calls the things that rules are about.

/// Its linters, each with the codes of the rules that tell the same.
const LINTERS: &[(&str, &[&str])] = &[
    ("invalid-arity", &["wrong-argument-count"]),
    ("redefined-var", &["duplicate-definition"]),
    ("format", &["format-directive", "format-too-few", "format-too-many"]),
    ("format-string", &["format-directive", "format-too-few", "format-too-many"]),
    ("syntax", &["lambda-list", "malformed-binding", "malformed-clause", "malformed-form", "odd-pairs"]),
    ("unreachable-code", &["unreachable-clause"]),
    ("unused-binding", &["unused-binding"]),
];

/// The codes of the rules that tell what a linter of clj-kondo tells.
pub fn codes(linter: &str) -> &'static [&'static str] {
    LINTERS.iter().find(|(name, _)| *name == linter).map_or(&[], |(_, codes)| codes)
}

//! What clj-kondo calls the things that rules are about, and what a project says of them in `.clj-kondo/config.edn`.
//!
//! A project that has switched a linter off, or excludes a name from it, is not told the same by a rule of ours.

use lispwright_index::Document;
use lispwright_syntax::{Datum, Dialect, ListId, Tree, read};

use crate::dialects::call_words;
use crate::finding::{Finding, Severity};

/// Its linters, each with the codes of the rules that tell the same.
const LINTERS: &[(&str, &[&str])] = &[
    ("invalid-arity", &["wrong-argument-count"]),
    ("redefined-var", &["duplicate-definition"]),
    ("format", &["format-directive", "format-too-few", "format-too-many"]),
    ("syntax", &["lambda-list", "malformed-binding", "malformed-clause", "malformed-form", "odd-pairs"]),
    ("unreachable-code", &["unreachable-clause"]),
    ("unresolved-symbol", &["undefined-name"]),
    ("unresolved-var", &["undefined-name"]),
    ("unresolved-namespace", &["unknown-alias"]),
    ("misplaced-docstring", &["misplaced-docstring"]),
    ("duplicate-map-key", &["duplicate-key"]),
    ("duplicate-set-key", &["duplicate-key"]),
    ("duplicate-case-test-constant", &["duplicate-key"]),
    ("unknown-require-option", &["unknown-option"]),
    ("unknown-ns-option", &["unknown-option"]),
    ("recur-argument-count", &["misplaced-recur"]),
    ("shadowed-fn-param", &["duplicate-binding"]),
    ("unused-binding", &["unused-binding"]),
    ("unused-namespace", &["unused-import"]),
    ("unused-referred-var", &["unused-import"]),
    ("unused-private-var", &["unused-private"]),
];

/// The codes of the rules that tell what a linter of clj-kondo tells.
pub fn codes(linter: &str) -> &'static [&'static str] {
    LINTERS.iter().find(|(name, _)| *name == linter).map_or(&[], |(_, codes)| codes)
}

/// What a `config.edn` says of rules of ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KondoConfig {
    everywhere: Vec<Linter>,
    /// What counts in some namespaces: the name of a namespace or group, and the linters.
    in_spaces: Vec<(String, Vec<Linter>)>,
    /// The patterns of groups of namespaces, each with the name of the group.
    groups: Vec<(String, String)>,
    /// Macros, each with the one whose forms its own are like.
    alike: Vec<(String, String)>,
}

/// What is said of one linter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Linter {
    /// The rules that tell the same.
    codes: &'static [&'static str],
    /// Its level, if one is said; `None` in it is off.
    level: Option<Option<Severity>>,
    /// What it does not tell: names, without their namespaces too, and namespaces.
    excluded: Vec<String>,
}

impl KondoConfig {
    /// What a text says. What is not understood says nothing.
    pub fn read(text: &str) -> Self {
        let source = Source { tree: read(text, Dialect::Edn), text };
        let mut config = Self::default();
        let Some(top) = source.tree.top_level().find_map(Datum::list) else { return config };
        for (key, value) in source.pairs(top) {
            match (source.word(key), value.list()) {
                (":linters", Some(linters)) => config.everywhere = source.linters(linters),
                (":config-in-ns", Some(spaces)) => {
                    for (space, value) in source.pairs(spaces) {
                        let inside = value.list().and_then(|value| source.value(value, ":linters")?.list());
                        let linters = inside.map_or_else(Vec::new, |linters| source.linters(linters));
                        config.in_spaces.push((source.word(space).to_owned(), linters));
                    }
                }
                (":lint-as", Some(alike)) => {
                    let names = |(one, other)| (source.word(one).to_owned(), source.word(other).to_owned());
                    config.alike = source.pairs(alike).into_iter().map(names).collect();
                }
                (":ns-groups", Some(groups)) => {
                    let group = |datum: Datum| {
                        let list = datum.list()?;
                        let pattern = source.word(source.value(list, ":pattern")?).trim_matches('"').to_owned();
                        Some((pattern, source.word(source.value(list, ":name")?).to_owned()))
                    };
                    config.groups = source.tree.data(groups).filter_map(group).collect();
                }
                _ => {}
            }
        }
        config
    }

    /// The dialects that clj-kondo reads.
    pub fn dialects() -> impl Iterator<Item = Dialect> {
        Dialect::ALL.into_iter().filter(|dialect| call_words(*dialect).has_kondo)
    }

    /// The macros of `:lint-as`, each with the head whose forms its own are like, or the row of its form.
    pub fn alike(&self) -> impl Iterator<Item = (&str, &str)> {
        self.alike.iter().map(|(one, other)| match other.as_str() {
            "clj-kondo.lint-as/def-catch-all" => (one.as_str(), "definition data*"),
            other => (one.as_str(), other),
        })
    }

    /// Takes out what is not to be told of a file, and gives the others the levels that they have there.
    pub(crate) fn apply(&self, document: &Document, findings: &mut Vec<Finding>, is_own: impl Fn(&str) -> bool) {
        findings.retain_mut(|finding| {
            if is_own(finding.rule) {
                return true;
            }
            let space = document.facts.space_at(finding.span.start);
            let is_of_group = |name: &str| {
                self.groups.iter().any(|(pattern, group)| group == name && matches_pattern(pattern, space))
            };
            let here = self.in_spaces.iter().filter(|(name, _)| name == space || is_of_group(name));
            let all = self.everywhere.iter().chain(here.flat_map(|(_, linters)| linters));
            let all: Vec<&Linter> = all.filter(|linter| linter.codes.contains(&finding.rule)).collect();
            let name = &document.text[finding.span.range()];
            let plain = name.rsplit('/').next().unwrap_or(name);
            if all.iter().any(|linter| linter.excluded.iter().any(|one| one == name || one == plain)) {
                return false;
            }
            // A rule that tells what several linters tell is off when all of them are.
            let kinds = LINTERS.iter().filter(|(_, codes)| codes.contains(&finding.rule)).count();
            let off = all.iter().filter(|linter| linter.level == Some(None)).count();
            let is_off_here = all.last().is_some_and(|linter| linter.level == Some(None));
            if off >= kinds || (is_off_here && kinds == 1) {
                return false;
            }
            if let Some(level) = all.iter().rev().find_map(|linter| linter.level.flatten()) {
                finding.severity = level;
            }
            true
        });
    }
}

/// A pattern of names: a regular expression of which only `.`, `.*`, `^`, `$` and backslashes are understood.
fn matches_pattern(pattern: &str, name: &str) -> bool {
    let plain = pattern.trim_start_matches('^').trim_end_matches('$').replace('\\', "");
    let parts: Vec<&str> = plain.split(".*").collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if parts.len() == 1 {
        return *first == name;
    }
    let mut rest = match name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) {
        Some(rest) => rest,
        None => return false,
    };
    parts[1..parts.len() - 1].iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

/// A configuration as data.
struct Source<'t> {
    tree: Tree,
    text: &'t str,
}

impl<'t> Source<'t> {
    fn word(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.core_span(datum).range()]
    }

    /// The keys and values of a map.
    fn pairs(&self, map: ListId) -> Vec<(Datum, Datum)> {
        let data: Vec<Datum> = self.tree.data(map).collect();
        data.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    }

    fn value(&self, map: ListId, key: &str) -> Option<Datum> {
        self.pairs(map).into_iter().find(|(one, _)| self.word(*one) == key).map(|(_, value)| value)
    }

    /// The linters of a map of them.
    fn linters(&self, map: ListId) -> Vec<Linter> {
        let one = |(name, value): (Datum, Datum)| {
            let codes = codes(self.word(name).trim_start_matches(':'));
            let options = value.list().filter(|_| !codes.is_empty())?;
            let level = self.value(options, ":level").map(|level| match self.word(level) {
                ":off" => None,
                ":error" => Some(Severity::Error),
                ":info" => Some(Severity::Hint),
                _ => Some(Severity::Warning),
            });
            let excluded = self.value(options, ":exclude").and_then(Datum::list);
            let excluded = excluded.map_or_else(Vec::new, |excluded| self.names(excluded));
            Some(Linter { codes, level, excluded })
        };
        self.pairs(map).into_iter().filter_map(one).collect()
    }

    /// All symbols in a list: `[a (b.c [d])]`.
    fn names(&self, list: ListId) -> Vec<String> {
        let span = self.tree.list_span(list);
        let atoms = self.tree.tokens_within(span).filter(|(kind, _)| *kind == lispwright_syntax::TokenKind::Atom);
        atoms.map(|(_, span)| self.text[span.range()].to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read() {
        let config = KondoConfig::read(
            "{:lint-as {a/b clojure.core/let}\n :linters {:unused-binding {:level :off}\n  :invalid-arity {:exclude [f (a.b [g])]}\n\
             :type-mismatch {:level :error}}\n :ns-groups [{:pattern \".*-test\" :name tests}]\n\
             :config-in-ns {tests {:linters {:redefined-var {:level :info}}}}}",
        );
        assert_eq!(config.everywhere.len(), 2);
        assert_eq!(config.everywhere[0].level, Some(None));
        assert_eq!(config.everywhere[1].excluded, ["f", "a.b", "g"]);
        assert_eq!(config.in_spaces[0].1[0].level, Some(Some(Severity::Hint)));
        assert_eq!(KondoConfig::read("{:linters"), KondoConfig::default());
    }

    #[test]
    fn patterns_of_namespaces_match() {
        for (pattern, name, expected) in [
            (".*-test", "a.b-test", true),
            (".*-test", "a.b", false),
            ("^a\\\\.b.*$", "a.b.c", true),
            ("a.b", "a.b", true),
            ("a.*b.*c", "axbyc", true),
            ("a.*b.*c", "ac", false),
        ] {
            assert_eq!(matches_pattern(pattern, name), expected, "{pattern} {name}");
        }
    }
}

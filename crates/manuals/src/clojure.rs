//! Docstrings of Clojure: the sources of `clojure.core` and its neighbours in the jar that an installed Clojure has.

use std::path::PathBuf;

use lispwright_syntax::{Dialect, Form, FormKind, Forms, LineIndex, nearest, read, unquoted};

use crate::packed::{Jar, Member};
use crate::shelves::Shelves;
use crate::{Article, Look, MOST_NEAREST, bare};

/// The namespace whose names are known everywhere.
const CORE: &str = "clojure.core";

/// The file with the documentation of special forms, which have no definitions.
const SPECIAL: &str = "clojure/repl.clj";

/// The entries for a name, or a name in a namespace: `map`, `clojure.string/join`, `str/join`.
pub(crate) fn look(query: &str, shelves: &Shelves) -> Look {
    let opened = shelves.jars.iter().find_map(|path| Some((path, Jar::open(path).ok()?)));
    let Some((path, jar)) = opened else { return Look::missing() };
    let query = bare(query);
    let (space, name) = query.split_once('/').filter(|(space, _)| !space.is_empty()).unwrap_or(("", query));
    let name = if name.is_empty() { query } else { name };
    let members = jar.members();
    let mut entries = Vec::new();
    let mut names = Vec::new();
    for files in in_order(&members, space) {
        for (member, text) in files.iter().filter_map(|member| Some((member, jar.text(member)?))) {
            let source = Source::read(member, &text);
            let found = source.entry(name).or_else(|| source.special(name));
            // As Clojure itself names a source in a jar.
            let place = PathBuf::from(format!("{}!/{}", path.display(), member.name));
            entries.extend(found.map(|entry| Article { path: Some(place), ..entry }));
            names.extend(source.names());
        }
        if !entries.is_empty() {
            return Look { entries, ..Look::default() };
        }
    }
    Look { nearest: nearest(name, names.iter().map(String::as_str), MOST_NEAREST), ..Look::default() }
}

/// The sources that may have the name, those first that are asked first. An alias is taken for the beginning of the
/// last part of a namespace.
fn in_order<'m>(members: &'m [Member], space: &str) -> Vec<Vec<&'m Member>> {
    let is_source = |member: &&Member| member.name.starts_with("clojure/") && member.name.ends_with(".clj");
    let sources: Vec<&Member> = members.iter().filter(is_source).collect();
    let pick = |is_meant: &dyn Fn(&str) -> bool| -> Vec<&Member> {
        sources.iter().copied().filter(|member| is_meant(&namespace(&member.name))).collect()
    };
    if space.is_empty() {
        let special: Vec<&Member> = sources.iter().copied().filter(|member| member.name == SPECIAL).collect();
        return vec![pick(&|known| known == CORE), special, pick(&|known| known != CORE)];
    }
    let is_alias = |known: &str| known.rsplit('.').next().is_some_and(|last| last.starts_with(space));
    vec![pick(&|known| known == space), pick(&is_alias)]
}

/// The namespace of a source file. Those of `clojure.core` beside `core.clj` have names like `core_print.clj`.
fn namespace(file: &str) -> String {
    let name = file.trim_end_matches(".clj").replace('/', ".").replace('_', "-");
    if name.starts_with("clojure.core-") || name == "clojure.genclass" || name == "clojure.gvec" {
        CORE.to_owned()
    } else {
        name
    }
}

struct Source<'t> {
    file: &'t str,
    text: &'t str,
    forms: Forms,
}

impl<'t> Source<'t> {
    fn read(member: &'t Member, text: &'t str) -> Self {
        let forms = Forms::new(&read(text, Dialect::Clojure), text);
        Self { file: &member.name, text, forms }
    }

    /// The definitions that others may use.
    fn definitions(&self) -> impl Iterator<Item = (&str, &Form)> {
        let is_private = |form: &Form| form.head_name == "defn-" || form.head_name == "defmethod";
        let defining = self.forms.definitions().map(|(_, form)| form).filter(move |form| !is_private(form));
        defining.filter_map(|form| Some((form.name.as_deref()?, form)))
    }

    fn names(&self) -> Vec<String> {
        self.definitions().map(|(name, _)| name.to_owned()).collect()
    }

    /// The definition of a name that has the most documentation: some are bootstrapped without.
    fn entry(&self, name: &str) -> Option<Article> {
        let named = self.definitions().filter(|(known, _)| *known == name);
        let (form, docstring) = named
            .map(|(_, form)| (form, self.docstring(form)))
            .max_by_key(|(_, docstring)| docstring.as_ref().map_or(0, String::len))?;
        let space = namespace(self.file);
        let parameters = self.parameters(form).map(|lists| format!("({name} {lists})")).unwrap_or_default();
        let kind = match form.kind {
            FormKind::Macro => "macro",
            FormKind::Function => "function",
            _ => &*form.head_name,
        };
        let entry = Article {
            name: format!("{space}/{name}"),
            title: Some(kind.to_owned()),
            line: Some(LineIndex::new(self.text.as_bytes()).line(form.span.start)),
            ..Article::default()
        };
        Some(entry.saying(&parameters, &docstring.unwrap_or_default()))
    }

    /// What stands between the head of a definition and its name: metadata.
    fn metadata(&self, form: &Form) -> &str {
        let end = form.name_span.map_or(form.span.start, |span| span.start);
        self.text.get(form.span.start as usize..end as usize).unwrap_or_default()
    }

    fn docstring(&self, form: &Form) -> Option<String> {
        let written = form.docstring.map(|span| &self.text[span.range()]);
        let text = written.or_else(|| string_behind(self.metadata(form), ":doc"))?;
        Some(undented(&unquoted(text)))
    }

    /// The parameters, one list behind the other: those of the metadata, else those that are written.
    fn parameters(&self, form: &Form) -> Option<String> {
        let whole = &self.text[form.span.range()];
        let stated = whole.split_once(":arglists").and_then(|(_, rest)| {
            let rest = rest.trim_start().trim_start_matches('\'');
            let tree = read(rest, Dialect::Clojure);
            let list = tree.data(tree.top_level().next()?.list()?);
            Some(list.map(|datum| rest[tree.datum_span(datum).range()].to_owned()).collect::<Vec<_>>())
        });
        let lists = stated
            .filter(|lists| !lists.is_empty())
            .unwrap_or_else(|| form.signature.iter().map(|span| self.text[span.range()].to_owned()).collect());
        let joined = lists.iter().map(|list| list.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
        (!joined.is_empty()).then(|| joined.join(" | "))
    }

    /// A special form in the table of the file that has one: `if {:forms [(if test then else?)] :doc "..."}`.
    fn special(&self, name: &str) -> Option<Article> {
        let (before, table) = self.text.split_once("special-doc-map").filter(|_| self.file == SPECIAL)?;
        for (at, _) in table.match_indices(name) {
            let is_start = table[..at].ends_with(|c: char| c.is_whitespace() || c == '{');
            let rest = table[at + name.len()..].trim_start();
            if !is_start || !rest.starts_with('{') {
                continue;
            }
            let tree = read(rest, Dialect::Clojure);
            let span = tree.datum_span(tree.top_level().next()?);
            let map = &rest[span.range()];
            let docstring = string_behind(map, ":doc").map(unquoted)?;
            let forms = map.split_once(":forms").and_then(|(_, forms)| {
                let tree = read(forms, Dialect::Clojure);
                let list = tree.data(tree.top_level().next()?.list()?);
                Some(list.map(|datum| forms[tree.datum_span(datum).range()].to_owned()).collect::<Vec<_>>().join("\n"))
            });
            let line = LineIndex::new(self.text.as_bytes())
                .line(u32::try_from(before.len() + "special-doc-map".len() + at).ok()?);
            let entry = Article {
                name: name.to_owned(),
                title: Some("special form".to_owned()),
                line: Some(line),
                ..Article::default()
            };
            return Some(entry.saying(&forms.unwrap_or_default(), &undented(&docstring)));
        }
        None
    }
}

/// The string that follows a key, with its quotes.
fn string_behind<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let rest = text.split_once(key)?.1.trim_start().strip_prefix('"')?;
    let mut is_escaped = false;
    let end = rest.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })?;
    Some(&rest[..end])
}

/// A docstring without the indentation of its lines in the source.
fn undented(text: &str) -> String {
    let margin = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len());
    let margin = margin.min().unwrap_or(0);
    let lines = text
        .lines()
        .enumerate()
        .map(|(number, line)| if number == 0 { line } else { line.get(margin..).unwrap_or("") });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;
    use crate::packed::tests::zip;

    const CORE_CLJ: &str = "(ns clojure.core)\n(def ^{:arglists '([x] [x & more])\n   :doc \"Joins \\\"x\\\".\n    Twice.\"}\n  join (fn join [x] x))\n\
        (defn shout\n  \"Shouts.\n\n   At length.\"\n  {:added \"1.0\"}\n  ([x] x)\n  ([x y] y))\n(defmacro unless [c & body] 1)\n(defn- hidden [] 1)\n";

    const REPL_CLJ: &str = "(ns clojure.repl)\n(def ^:private special-doc-map\n  '{. {:forms [(.x y)] :doc \"Dot.\"}\n    if {:forms [(if a b)\n (if a)]\n :doc \"Tests\n  a.\"}})\n";

    fn asked(query: &str) -> Look {
        let temp = tempfile::tempdir().unwrap();
        let jar = temp.path().join("clojure.jar");
        let string = "(ns clojure.string)\n(defn join \"Of strings.\" [xs] 1)\n(defn trim \"Trims.\" [s] s)\n";
        let members = [
            ("clojure/repl.clj", REPL_CLJ),
            ("clojure/core.clj", CORE_CLJ),
            ("clojure/string.clj", string),
            ("clojure/core.class", "x"),
        ];
        fs::write(&jar, zip(&members)).unwrap();
        look(query, &Shelves { jars: vec![temp.path().join("none.jar"), jar], ..Shelves::default() })
    }

    #[test]
    fn names_have_their_docstrings_and_parameters() {
        for (query, name, text) in [
            ("join", "clojure.core/join", "(join [x] | [x & more])\n\nJoins \"x\".\nTwice."),
            ("#'shout", "clojure.core/shout", "(shout [x] | [x y])\n\nShouts.\n\nAt length."),
            ("unless", "clojure.core/unless", "(unless [c & body])"),
            ("clojure.string/join", "clojure.string/join", "(join [xs])\n\nOf strings."),
            ("str/join", "clojure.string/join", "(join [xs])\n\nOf strings."),
            ("trim", "clojure.string/trim", "(trim [s])\n\nTrims."),
            ("if", "if", "(if a b)\n(if a)\n\nTests\na."),
            (".", ".", "(.x y)\n\nDot."),
        ] {
            let found = asked(query).entries;
            let [entry] = &found[..] else { panic!("{query}: {found:?}") };
            assert_eq!((&*entry.name, entry.text.as_deref()), (name, Some(text)), "{query}");
            assert!(entry.line > Some(1));
        }
    }

    #[test]
    fn what_is_not_there_has_near_names() {
        assert_eq!(asked("shuot").nearest[0], "shout");
        for query in ["hidden", "other/join", "/", "clojure.string/", "\"", "{"] {
            assert!(asked(query).entries.is_empty(), "{query}");
        }
        assert!(look("map", &Shelves::default()).is_missing);
    }
}

//! Addresses, by which people name a form, and the keys that distinguish the methods of one generic function.
//!
//! An address is read by the dialect's own reader and compared as data, so white space, comments, case and package
//! prefixes matter exactly as much as in the language.

use crate::datum::{Data, Datum};
use crate::language::Language;
use crate::name::{canonical_designator, canonical_head, canonical_symbol, canonical_title, package_of};
use crate::read::read;
use crate::span::Span;
use crate::token::{TokenId, TokenKind};
use crate::tree::Tree;

/// The tokens from `first` to `last` in canonical spelling: equal data have the same one.
pub fn canonical_tokens(tree: &Tree, text: &str, first: TokenId, last: TokenId) -> String {
    if first == last && first < tree.token_count() && tree.kind(first) == TokenKind::Atom {
        return canonical_symbol(tree.dialect(), &text[tree.token_span(first).range()]);
    }
    let mut out = String::new();
    let mut space = false;
    for token in first..=last.min(tree.token_count().saturating_sub(1)) {
        let kind = tree.kind(token);
        if kind.is_trivia() {
            continue;
        }
        let source = &text[tree.token_span(token).range()];
        if space && !kind.is_close() {
            out.push(' ');
        }
        match kind {
            TokenKind::Atom => out.push_str(&canonical_symbol(tree.dialect(), source)),
            _ => out.push_str(source),
        }
        space = !kind.is_open() && !kind.is_prefix();
    }
    out
}

/// A datum without its prefixes in canonical spelling.
pub(crate) fn canonical_datum(tree: &Tree, text: &str, datum: Datum) -> String {
    canonical_tokens(tree, text, datum.core, datum.last)
}

/// The qualifiers and specializers that distinguish the methods of one generic function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodKey {
    /// `:before`, `:around`, ... in order, canonical.
    pub qualifiers: Vec<String>,
    /// The specializer of each required parameter, canonical; the dialect's top class for a parameter without one.
    pub specializers: Vec<String>,
    /// Clojure's dispatch value, canonical.
    pub dispatch: Option<String>,
    /// The specializers are in upper case, because the dialect folds case.
    pub folds: bool,
}

impl MethodKey {
    /// The specializers as they are usually written: in lower case if the dialect folds case.
    pub fn shown_specializers(&self) -> Vec<String> {
        let shown = |name: &String| if self.folds { name.to_lowercase() } else { name.clone() };
        self.specializers.iter().map(shown).collect()
    }
}

/// The specializers in a method's lambda list, or, if `bare`, in a list that contains only specializers.
pub(crate) fn specializers(
    tree: &Tree,
    text: &str,
    parameters: impl Iterator<Item = Datum>,
    bare: bool,
) -> Vec<String> {
    let top = tree.dialect().table().top_class;
    let mut found = Vec::new();
    for parameter in parameters {
        let source = &text[tree.core_span(parameter).range()];
        if source.starts_with('&') || source.starts_with("#:") || source == "." {
            break;
        }
        let specializer = match parameter.list() {
            Some(list) if !bare => tree.data(list).nth(1).map(|datum| canonical_datum(tree, text, datum)),
            None if !bare => None,
            _ => Some(canonical_datum(tree, text, parameter)),
        };
        found.push(specializer.unwrap_or_else(|| top.to_owned()));
    }
    found
}

/// The way in which a caller names a form: `foo`, `(setf foo)`, `print-object (widget t)`, `area :around (circle)`,
/// `name[2]`; with the head first: `defun foo`, `setq foo`; or by its source: `(defun foo (x)`.
#[derive(Clone, Debug)]
pub struct Address {
    /// The text read as a name, followed by the key of a method.
    pub(crate) plain: Reading,
    /// The text read as a head, followed by other data.
    pub(crate) headed: Option<(String, Reading)>,
    /// The package prefix of the name.
    pub(crate) package: Option<String>,
    /// The number of the match that is meant, from 1.
    pub index: Option<u32>,
}

/// Data read as a name, followed by other data.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// The first datum, canonical.
    pub(crate) name: String,
    /// The whole text as a string designator.
    pub(crate) designator: String,
    /// The whole text, canonical, for names that are not symbols.
    pub(crate) whole: String,
    /// Each datum.
    pub(crate) data: Vec<Given>,
    /// The data after the name, read as a lambda list, and as bare specializers.
    pub(crate) method: Option<(MethodKey, MethodKey)>,
}

/// A datum of an address.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    /// Canonical, without prefixes.
    canonical: String,
    /// Only the beginning of a list is given: its closer is missing, or `...` is before the closer.
    is_beginning: bool,
}

impl Given {
    fn new(tree: &Tree, text: &str, datum: Datum) -> Self {
        let canonical = canonical_datum(tree, text, datum);
        let is_open = datum.list().is_some_and(|list| tree.list(list).close().is_none());
        match canonical.strip_suffix(" ...)").or_else(|| canonical.strip_suffix(" …)")) {
            Some(beginning) => Self { canonical: beginning.to_owned(), is_beginning: true },
            None => Self { canonical, is_beginning: is_open },
        }
    }

    /// `datum`, in canonical spelling, matches the given one.
    pub(crate) fn is(&self, datum: &str) -> bool {
        match datum.strip_prefix(&*self.canonical) {
            Some(rest) if self.is_beginning => rest.is_empty() || rest.starts_with([' ', ')', ']']),
            Some(rest) => rest.is_empty(),
            None => false,
        }
    }
}

impl Reading {
    fn new(tree: &Tree, text: &str, data: &[Datum]) -> Self {
        let (Some((first, rest)), Some(last)) = (data.split_first(), data.last()) else { return Self::default() };
        let canonical: Vec<String> = data.iter().map(|&datum| canonical_datum(tree, text, datum)).collect();
        let source = &text[Span::new(tree.core_span(*first).start, tree.core_span(*last).end).range()];
        let designator = if rest.is_empty() { canonical_designator } else { canonical_title };
        let method = (!rest.is_empty()).then(|| {
            let qualifiers: Vec<String> = rest
                .iter()
                .zip(&canonical[1..])
                .take_while(|(datum, _)| datum.list().is_none())
                .map(|(_, canonical)| canonical.clone())
                .collect();
            let list = rest.iter().find_map(|datum| datum.list());
            let key = |bare| MethodKey {
                qualifiers: qualifiers.clone(),
                specializers: list.map(|list| specializers(tree, text, tree.data(list), bare)).unwrap_or_default(),
                dispatch: Some(canonical[1..].join(" ")),
                folds: tree.dialect().folds_case(),
            };
            (key(false), key(true))
        });
        Self {
            name: canonical[0].clone(),
            designator: designator(tree.dialect(), source),
            whole: canonical_tokens(tree, text, first.core, last.last),
            data: data.iter().map(|&datum| Given::new(tree, text, datum)).collect(),
            method,
        }
    }
}

impl Address {
    /// Parses an address in the language of the text in which it is looked up. Never fails: an address that is not a
    /// name matches nothing.
    pub fn parse(language: impl Into<Language>, address: &str) -> Self {
        let (text, index) = split_index(address.trim_ascii());
        let tree = read(text, language);
        let data = without_ellipsis(&tree, text, tree.top_level());
        let package = data.first().and_then(|name| package_of(tree.dialect(), &text[tree.core_span(*name).range()]));
        let inner = match data.as_slice() {
            [only] => only.list().filter(|_| only.is_bare()).map(|list| without_ellipsis(&tree, text, tree.data(list))),
            _ => None,
        };
        let source = inner.as_ref().unwrap_or(&data);
        let headed = source.split_first().filter(|(head, rest)| {
            head.is_bare() && tree.kind(head.core) == TokenKind::Atom && (inner.is_some() || !rest.is_empty())
        });
        Self {
            headed: headed.map(|(head, rest)| {
                let head = canonical_head(tree.dialect(), &text[tree.core_span(*head).range()]).into_owned();
                (head, Reading::new(&tree, text, rest))
            }),
            plain: Reading::new(&tree, text, &data),
            package,
            index,
        }
    }

    /// The address without its package.
    #[must_use]
    pub fn in_any_package(self) -> Self {
        Self { package: None, ..self }
    }

    /// The address without its index.
    #[must_use]
    pub fn without_index(self) -> Self {
        Self { index: None, ..self }
    }

    /// The name alone, without method key, package and index.
    #[must_use]
    pub fn of_any_method(mut self) -> Self {
        self.plain.method = None;
        self.plain.data.truncate(1);
        if let Some((_, reading)) = &mut self.headed {
            reading.method = None;
            reading.data.truncate(1);
        }
        self.in_any_package().without_index()
    }
}

/// The data without a final `...`, by which a view shows that it omits something.
fn without_ellipsis(tree: &Tree, text: &str, data: Data<'_>) -> Vec<Datum> {
    let mut data: Vec<Datum> = data.collect();
    if data.len() > 1 && data.last().is_some_and(|&last| matches!(&text[tree.core_span(last).range()], "..." | "…")) {
        data.pop();
    }
    data
}

/// `name[2]` is the second `name`. There is no space before the bracket, so a Clojure dispatch value that is a vector
/// is not mistaken for an index.
fn split_index(address: &str) -> (&str, Option<u32>) {
    let split = address.strip_suffix(']').and_then(|rest| {
        let (name, digits) = rest.rsplit_once('[')?;
        let index = digits.parse::<u32>().ok().filter(|&index| index > 0)?;
        (!name.is_empty() && !name.ends_with(|c: char| c.is_ascii_whitespace())).then_some((name, index))
    });
    split.map_or((address, None), |(name, index)| (name, Some(index)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_directly_after_the_name() {
        assert_eq!(split_index("foo[2]"), ("foo", Some(2)));
        assert_eq!(split_index("area [1 2]"), ("area [1 2]", None));
        assert_eq!(split_index("area [1]"), ("area [1]", None));
        assert_eq!(split_index("foo[0]"), ("foo[0]", None));
        assert_eq!(split_index("[3]"), ("[3]", None));
    }
}

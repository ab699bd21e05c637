//! Names that tests found unbound, and where the project defines them: a helper that was not loaded, a name that was not imported.

use lispwright_syntax::Dialect;
use schemars::JsonSchema;
use serde::Serialize;

use crate::indexed::indexed;
use crate::refusal::Refusal;
use crate::repl_work::relative;
use crate::run_tests::TestSource;
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// The most names that are looked up.
const MOST_NAMES: usize = 5;

/// The most places that are told of one.
const MOST_PLACES: usize = 3;

/// A name that was not bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnboundName {
    /// The name.
    pub name: String,
    /// The number of failures and errors that say so.
    pub count: usize,
    /// Where the project defines it.
    pub places: Vec<TestSource>,
}

/// The beginnings and ends of what the languages say of an unbound name, which stands between.
const SAID: [(&str, &str); 12] = [
    ("void-function: ", "\n"),
    ("void-variable: ", "\n"),
    ("function definition is void: ", "\n"),
    ("value as variable is void: ", "\n"),
    ("The function ", " is undefined."),
    ("The variable ", " is unbound."),
    ("Unbound variable: ", "\n"),
    ("variable ", " is not bound"),
    ("Unable to resolve symbol: ", " in this context"),
    ("No such var: ", "\n"),
    ("", ": undefined;"),
    ("", ": unbound identifier"),
];

/// The name that `text` calls unbound.
fn unbound_in(text: &str) -> Option<&str> {
    SAID.iter().find_map(|(begin, end)| {
        let after = if begin.is_empty() { text.rsplit_once(end)?.0 } else { text.split_once(begin)?.1 };
        let name = if begin.is_empty() {
            after.rsplit(char::is_whitespace).next()?
        } else {
            match after.split_once(end) {
                Some((name, _)) => name,
                None if *end == "\n" => after,
                None => return None,
            }
        };
        let name = name.trim().trim_end_matches(['.', ']']);
        (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
    })
}

/// The names that the `texts` call unbound and that files of the project define.
///
/// Errors: those of the index.
pub(crate) async fn unbound_names(
    workshop: &Workshop,
    context: &CallContext,
    dialect: Dialect,
    texts: impl Iterator<Item = &str>,
) -> Result<Vec<UnboundName>, Refusal> {
    let mut names: Vec<(String, usize)> = Vec::new();
    for name in texts.filter_map(unbound_in) {
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => names.push((name.to_owned(), 1)),
        }
    }
    names.truncate(MOST_NAMES);
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let root = workshop.roots.primary().to_owned();
    indexed(workshop, context, move |index, _| {
        let found = names.into_iter().map(|(name, count)| {
            let plain = plain(&name);
            let definitions = index.definitions(&plain, None);
            let own = definitions.iter().filter(|(document, _)| document.dialect == dialect);
            let places = own.take(MOST_PLACES).map(|(document, definition)| TestSource {
                path: relative(&document.path.to_string_lossy(), &root),
                line: Some(document.line(document.facts.forms[definition.form as usize].span.start)),
            });
            UnboundName { name, count, places: places.collect() }
        });
        found.filter(|unbound| !unbound.places.is_empty()).collect()
    })
    .await
}

/// A name without its package or namespace, as files write it.
fn plain(name: &str) -> String {
    let bare = name.rsplit(':').next().unwrap_or(name);
    let bare =
        bare.split_once('/').map_or(bare, |(space, var)| if space.is_empty() || var.is_empty() { bare } else { var });
    if bare.chars().any(char::is_lowercase) { bare.to_owned() } else { bare.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_found_in_what_each_language_says() {
        for (text, name) in [
            ("void-function: with-playground", "with-playground"),
            ("Symbol's function definition is void: f", "f"),
            ("UNDEFINED-FUNCTION: The function SHOP::HELPER is undefined.", "SHOP::HELPER"),
            ("UNBOUND-VARIABLE: The variable *X* is unbound.", "*X*"),
            ("unbound-variable: Unbound variable: grain-weight", "grain-weight"),
            ("variable old-name is not bound", "old-name"),
            ("error: Unable to resolve symbol: grind in this context", "grind"),
            ("exn:fail:contract:variable: grind: undefined;\n cannot reference an identifier", "grind"),
        ] {
            assert_eq!(unbound_in(text), Some(name), "{text}");
        }
        assert_eq!(unbound_in("The variable is a list and the function is undefined here"), None);
        assert_eq!(unbound_in("It does not hold."), None);
        assert_eq!((plain("SHOP::HELPER"), plain("a.b/c"), plain("/")), ("helper".into(), "c".into(), "/".into()));
    }
}

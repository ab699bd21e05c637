//! The parts of a text that a language does not read or evaluate, so that it says nothing of the names in them.

use std::collections::HashSet;

use lispwright_syntax::datum::Prefixed;
use lispwright_syntax::{Data, Datum, Dialect, Span, TokenKind, Tree, read};

/// The parts of `text` that conditionals of the reader leave out, and those that are only comments of the language.
pub(crate) fn left_out(tree: &Tree, text: &str, features: &HashSet<String>) -> Vec<Span> {
    let lists = (0..tree.lists().len() as u32).map(|list| tree.data(list));
    let mut found = Vec::new();
    for data in std::iter::once(tree.top_level()).chain(lists) {
        for datum in data {
            found.extend(conditional(tree, text, datum, features));
            if let (Dialect::Clojure, Some(list)) = (tree.dialect(), datum.list()) {
                let opener = &text[tree.token_span(datum.core).range()];
                if opener.starts_with("#?") {
                    found.extend(other_platforms(tree, text, tree.data(list)));
                } else if let Some(head) = tree.data(list).next().filter(|head| source(tree, text, *head) == "comment")
                {
                    found.push(Span::new(tree.core_span(head).end, tree.core_span(datum).end));
                }
            }
        }
    }
    found.sort_by_key(|span| span.start);
    found
}

fn source<'t>(tree: &Tree, text: &'t str, datum: Datum) -> &'t str {
    &text[tree.core_span(datum).range()]
}

/// A datum after `#+` or `#-` that is left out.
fn conditional(tree: &Tree, text: &str, datum: Datum, features: &HashSet<String>) -> Option<Span> {
    if datum.is_bare() || tree.dialect() != Dialect::CommonLisp {
        return None;
    }
    let is_left_out = |prefix: Prefixed| {
        let token = &text[tree.token_span(prefix.token).range()];
        let wanted = match token {
            "#+" => true,
            "#-" => false,
            _ => return false,
        };
        let operand = prefix.operand.map_or("", |operand| &text[tree.datum_span(operand).range()]);
        prefix.kind == TokenKind::Annotation && holds(operand, features) != wanted
    };
    tree.prefixes(datum).any(is_left_out).then(|| tree.datum_span(datum))
}

/// A feature expression holds (CLHS 24.1.2.1).
fn holds(expression: &str, features: &HashSet<String>) -> bool {
    let tree = read(expression, Dialect::CommonLisp);
    let Some(datum) = tree.top_level().next() else { return false };
    let Some(list) = datum.list() else {
        let name = source(&tree, expression, datum).trim_start_matches(':').to_uppercase();
        return features.contains(&name);
    };
    let mut data = tree.data(list);
    let word = data.next().map_or(String::new(), |word| source(&tree, expression, word).to_lowercase());
    // Real expressions have three levels.
    let mut parts = data.map(|part| holds(&expression[tree.datum_span(part).range()], features));
    match word.trim_start_matches(':') {
        "and" => parts.all(|part| part),
        "or" => parts.any(|part| part),
        "not" => !parts.any(|part| part),
        _ => false,
    }
}

/// The forms of a reader conditional of Clojure that are not for the JVM.
fn other_platforms(tree: &Tree, text: &str, data: Data<'_>) -> Vec<Span> {
    let data: Vec<Datum> = data.collect();
    let other = data.chunks_exact(2).filter(|pair| !matches!(source(tree, text, pair[0]), ":clj" | ":default"));
    other.map(|pair| tree.datum_span(pair[1])).collect()
}

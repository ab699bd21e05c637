//! Definitions inside of a definition that should end before them.
//!
//! A closer that is missing at the end of a form and surplus at the end of a later one balances: what is between them
//! is then inside the first.

use lispwright_syntax::{Dialect, FormKind, Forms, ListId, TokenKind, Tree, name::canonical_head};
use rustc_hash::FxHashSet;

use super::{MOST_FOUND, Part, Unexpected};

/// Dialects in which no function is defined inside of another one, but by other forms: `flet`, `letfn`.
const FLAT: &[Dialect] = &[Dialect::CommonLisp, Dialect::EmacsLisp, Dialect::Clojure];

/// Heads of values whose bodies are definitions, often in column 0, and of templates.
const BODIES: &[&str] = &[
    "unit",
    "unit/sig",
    "define-unit",
    "define-unit/contract",
    "class",
    "class*",
    "mixin",
    "local",
    "syntax-rules",
    "syntax-case",
    "syntax-parser",
    "with-syntax",
    "syntax",
    "quasisyntax",
];

/// The definitions of a part inside of another one that begin in column 0, or where no definition stands.
pub(super) fn alone(part: Part<'_>) -> Vec<Unexpected> {
    let lists = lists_of(part).filter(|&list| is_misplaced(part, list));
    lists.filter_map(|list| swallowed(part, list)).take(MOST_FOUND).collect()
}

/// The same, of those that were not so before; and the definitions that were at top level before, and are inside of
/// another one now.
pub(super) fn since(old_own: &Forms, own: &Forms, old: Part<'_>, part: Part<'_>) -> Vec<Unexpected> {
    let mut gone: FxHashSet<(&str, &str)> = FxHashSet::default();
    for (_, form) in old_own.top_level().filter(|(_, form)| form.kind.defines()) {
        gone.extend(form.name.as_deref().map(|name| (form.head_name.as_str(), name)));
    }
    for (_, form) in own.top_level() {
        if let Some(name) = form.name.as_deref() {
            gone.remove(&(form.head_name.as_str(), name));
        }
    }
    let begins_inside = |list: ListId| {
        let is_inner = part.tree.list(list).parent().is_some();
        is_inner && part.indent(start_of(part.tree, list)).is_some()
    };
    let was_outside = |list: ListId| {
        let head = head_of(part, list).map(|head| canonical_head(part.tree.dialect(), head));
        let name = name_of(part, list);
        head.zip(name).is_some_and(|(head, name)| gone.contains(&(&*head, name)))
    };
    let lists = lists_of(part)
        .filter(|&list| is_misplaced(part, list) || (!gone.is_empty() && begins_inside(list) && was_outside(list)));
    let mut found: Vec<Unexpected> = lists.filter_map(|list| swallowed(part, list)).take(MOST_FOUND).collect();
    if !found.is_empty() {
        let label = |one: &Unexpected| match one {
            Unexpected::Swallowed { label, .. } => label.clone(),
            _ => String::new(),
        };
        let known: Vec<String> = alone(old).iter().map(label).collect();
        found.retain(|one| !known.contains(&label(one)));
    }
    found
}

/// The list is in another one and begins a line in column 0, or it is a function, class or the like where those are not
/// defined inside of others.
fn is_misplaced(part: Part<'_>, list: ListId) -> bool {
    let Part { tree, text, .. } = part;
    if tree.list(list).parent().is_none() {
        return false;
    }
    let start = start_of(tree, list) as usize;
    let bytes = text.as_bytes();
    // What a definition begins with shows in the first bytes of nearly all.
    let begins = || tree.language().begins_definition(&bytes[start + 1..]);
    bytes[..start].ends_with(b"\n")
        || (FLAT.contains(&tree.dialect())
            && begins()
            && part.indent(start as u32).is_some()
            && kind_of(part, list).is_some_and(is_code))
}

/// What is defined at top level only, and holds code.
const fn is_code(kind: FormKind) -> bool {
    use FormKind::{Class, Condition, Function, GenericFunction, Macro, Method, Structure};
    matches!(kind, Class | Condition | Function | GenericFunction | Macro | Method | Structure)
}

/// The lists that open in a part.
fn lists_of(part: Part<'_>) -> impl Iterator<Item = ListId> {
    let Part { tree, span, .. } = part;
    let lists = tree.lists();
    let from = lists.partition_point(|list| tree.token_span(list.open()).start < span.start);
    (from..lists.len()).map(|list| list as ListId).take_while(move |&list| start_of(tree, list) < span.end)
}

fn start_of(tree: &Tree, list: ListId) -> u32 {
    tree.token_span(tree.list(list).open()).start
}

/// The list is a definition inside of another one, and neither is data.
fn swallowed(part: Part<'_>, list: ListId) -> Option<Unexpected> {
    let Part { tree, .. } = part;
    kind_of(part, list)?;
    let label = label(part, list)?;
    if is_quoted(part, list) {
        return None;
    }
    let first = tree.list(list).parent();
    let around = std::iter::successors(first, |outer| tree.list(*outer).parent());
    for outer in around.take(MOST_AROUND) {
        let head = head_of(part, outer);
        if is_quoted(part, outer) || head.is_some_and(|head| head.eq_ignore_ascii_case("quote")) {
            return None;
        }
        if head.is_some_and(|head| BODIES.contains(&head)) {
            return None;
        }
        if let (Some(kind), Some(by)) = (kind_of(part, outer), self::label(part, outer)) {
            // A value may well hold something like a definition.
            let is_value = kind == FormKind::Variable && part.indent(start_of(tree, list)) != Some(0);
            let line = |list| part.line(start_of(tree, list));
            return (!is_value).then(|| Unexpected::Swallowed { label, line: line(list), by, by_line: line(outer) });
        }
    }
    None
}

/// The head of a list, if that is a symbol.
fn head_of<'t>(part: Part<'t>, list: ListId) -> Option<&'t str> {
    let head = part.tree.data(list).next().filter(|head| head.is_bare())?;
    (part.tree.kind(head.core) == TokenKind::Atom).then(|| &part.text[part.tree.core_span(head).range()])
}

/// What a list is known to define, if it is no module.
fn kind_of(part: Part<'_>, list: ListId) -> Option<FormKind> {
    let language = part.tree.language();
    let head = canonical_head(language.dialect(), head_of(part, list)?);
    let kind = language.kind_of(&head).filter(|_| !language.wraps(&head));
    kind.filter(|kind| !matches!(kind, FormKind::Package | FormKind::System))
}

/// The head and the name of a definition, as written.
fn label(part: Part<'_>, list: ListId) -> Option<String> {
    Some(format!("{} {}", head_of(part, list)?, name_of(part, list)?))
}

/// The name in a definition: the datum after its head, or the first in that. A string is none.
fn name_of<'t>(part: Part<'t>, list: ListId) -> Option<&'t str> {
    let Part { tree, text, .. } = part;
    let mut name = tree.data(list).nth(1)?;
    let mut depth = 0;
    while let Some(inner) = name.list() {
        // The name of a function that returns functions is deeper inside.
        if depth == MOST_CURRIED {
            return None;
        }
        depth += 1;
        name = tree.data(inner).next()?;
    }
    (tree.kind(name.core) == TokenKind::Atom).then(|| &text[tree.core_span(name).range()])
}

/// The most lists around a definition that are looked at.
const MOST_AROUND: usize = 100;

/// The most lists around a name.
const MOST_CURRIED: usize = 4;

/// A prefix stands before the list: a quote, a backquote, a mark of a comment.
fn is_quoted(part: Part<'_>, list: ListId) -> bool {
    let mut before = (0..part.tree.list(list).open()).rev();
    before.find(|&token| !part.tree.kind(token).is_trivia()).is_some_and(|token| part.tree.kind(token).is_prefix())
}

//! Systems of ASDF: what a `defsystem` depends on and consists of, and the calls that load systems and files.

use lispwright_syntax::name::canonical_designator;
use lispwright_syntax::{Datum, Dialect, ListId, TokenKind};

use crate::links::{Link, Thing, Tie};
use crate::walk::Walk;

/// Options of a system or component whose values are systems.
const NEEDS: &[&str] = &[":depends-on", ":defsystem-depends-on", ":weakly-depends-on"];

/// Functions that load the system that their first argument names.
const LOADERS: &[&str] =
    &["load-system", "test-system", "compile-system", "make", "require", "quickload", "find-system", "require-system"];

/// The name of a system: `:x`, `#:x`, `"x"`.
fn system(walk: &Walk<'_>, datum: Datum) -> Option<Link> {
    let text = walk.source(datum);
    let is_designator = datum.list().is_none() && (text.starts_with([':', '#', '"']) || walk.symbol(datum).is_some());
    let name = canonical_designator(Dialect::CommonLisp, text.trim_start_matches("#:").trim_start_matches(':'));
    let link = Link { span: walk.tree.core_span(datum), thing: Thing::System, tie: Tie::Depends, name };
    (is_designator && !link.name.is_empty()).then_some(link)
}

/// The links of a call that loads a system or a file.
pub(super) fn loaded(walk: &Walk<'_>, head: &str, list: ListId) -> Vec<Link> {
    let mut data = walk.data(list).skipping(1);
    let Some(first) = data.next() else { return Vec::new() };
    let text = walk.source(first);
    if head == "load" {
        return file(walk, first, "", Tie::Loads).into_iter().collect();
    }
    let is_literal = text.starts_with([':', '#', '"']) || !first.is_bare();
    let names: Vec<Datum> = match first.list() {
        Some(list) if !first.is_bare() => walk.data(list).collect(),
        Some(_) => Vec::new(),
        None => vec![first],
    };
    let is_loader = LOADERS.contains(&head) && is_literal;
    let links = names.into_iter().filter(|_| is_loader).filter_map(|name| system(walk, name));
    links.map(|link| Link { tie: Tie::Loads, ..link }).collect()
}

fn file(walk: &Walk<'_>, datum: Datum, directory: &str, tie: Tie) -> Option<Link> {
    let is_string = walk.tree.kind(datum.core) == TokenKind::String;
    let text = walk.source(datum).trim_matches('"');
    let name = if directory.is_empty() { text.to_owned() } else { format!("{directory}/{text}") };
    let link = Link { span: walk.tree.core_span(datum), thing: Thing::File, tie, name };
    (is_string && !text.is_empty()).then_some(link)
}

/// The links of a `defsystem`.
pub(super) fn defined(walk: &Walk<'_>, list: ListId) -> Vec<Link> {
    let mut links = Vec::new();
    let mut data = walk.data(list).skipping(1);
    if let Some(name) = data.next().and_then(|name| system(walk, name)) {
        links.push(Link { tie: Tie::Declares, ..name });
    }
    // Options, and the directories in which their components are.
    let mut waiting: Vec<(Vec<Datum>, String, bool)> = vec![(data.collect(), String::new(), true)];
    while let Some((options, directory, is_system)) = waiting.pop() {
        let option = |word: &str| {
            let at = options.iter().position(|datum| walk.source(*datum).eq_ignore_ascii_case(word))?;
            options.get(at + 1).copied()
        };
        let path = option(":pathname").filter(|path| walk.tree.kind(path.core) == TokenKind::String);
        let path = path.map(|path| walk.source(path).trim_matches('"').trim_end_matches('/').to_owned());
        let directory = match path {
            Some(path) if directory.is_empty() => path,
            Some(path) => format!("{directory}/{path}"),
            None => directory,
        };
        // Those of a component are other components.
        for needs in NEEDS.iter().filter(|_| is_system).filter_map(|word| option(word)) {
            needed(walk, needs, &mut links);
        }
        if let Some(orders) = option(":in-order-to") {
            ordered(walk, orders, &mut links);
        }
        for component in option(":components").and_then(Datum::list).into_iter().flat_map(|list| walk.data(list)) {
            let parts: Vec<Datum> = component.list().into_iter().flat_map(|list| walk.data(list)).collect();
            let [word, name, rest @ ..] = parts.as_slice() else { continue };
            let word = walk.source(*word).to_ascii_lowercase();
            let text = walk.source(*name).trim_matches('"').trim_start_matches("#:").trim_start_matches(':');
            if word == ":module" {
                let has_path = rest.iter().any(|datum| walk.source(*datum).eq_ignore_ascii_case(":pathname"));
                let inner = match (has_path, directory.is_empty()) {
                    (true, _) => directory.clone(),
                    (false, true) => text.to_owned(),
                    (false, false) => format!("{directory}/{text}"),
                };
                waiting.push((rest.to_vec(), inner, false));
            } else {
                let named = Link {
                    span: walk.tree.core_span(*name),
                    thing: Thing::File,
                    tie: Tie::Includes,
                    name: if directory.is_empty() { text.to_owned() } else { format!("{directory}/{text}") },
                };
                links.extend((name.list().is_none() && !text.is_empty()).then_some(named));
            }
        }
    }
    links
}

/// The systems in the value of `:depends-on`: names, `(:version name …)`, `(:feature condition name)`, `(:require name)`.
fn needed(walk: &Walk<'_>, needs: Datum, links: &mut Vec<Link>) {
    let mut waiting: Vec<Datum> = needs.list().into_iter().flat_map(|list| walk.data(list)).collect();
    while let Some(datum) = waiting.pop() {
        let Some(list) = datum.list() else {
            links.extend(system(walk, datum));
            continue;
        };
        let mut parts = walk.data(list);
        let word = parts.next().map(|word| walk.source(word).to_ascii_lowercase()).unwrap_or_default();
        match word.as_str() {
            ":version" | ":require" => waiting.extend(parts.next()),
            ":feature" => waiting.extend(parts.nth(1)),
            _ => {}
        }
    }
}

/// The systems in the value of `:in-order-to`: `((test-op (test-op "x/tests")))`.
fn ordered(walk: &Walk<'_>, orders: Datum, links: &mut Vec<Link>) {
    for order in orders.list().into_iter().flat_map(|list| walk.data(list)).filter_map(Datum::list) {
        for operation in walk.data(order).skip(1).filter_map(Datum::list) {
            links.extend(walk.data(operation).skip(1).filter_map(|name| system(walk, name)));
        }
    }
}

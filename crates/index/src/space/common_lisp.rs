//! Packages of Common Lisp: `defpackage`, `uiop:define-package`, `in-package`, package-inferred systems, and calls of
//! `export` and the like.

use lispwright_syntax::name::{canonical_designator, canonical_head, canonical_symbol};
use lispwright_syntax::{Data, Datum, Dialect, ListId};

use super::{Declared, Exports, Import, Space, systems};
use crate::data::Prefix;
use crate::links::{Link, Thing, Tie};
use crate::resolve::Written;
use crate::walk::Walk;

/// Splits a symbol, `package:name`, or a string or keyword that names a symbol.
pub(crate) fn written(text: &str) -> Written<'_> {
    if let Some(string) = text.strip_prefix('"') {
        return Written::plain(string.trim_end_matches('"').to_owned());
    }
    let plain = text.trim_start_matches("#:").trim_start_matches(':');
    let qualifier = plain.find(':').filter(|_| !plain.starts_with('|')).map(|at| &plain[..at]);
    Written {
        qualifier: qualifier.map(|name| canonical_designator(Dialect::CommonLisp, name).into()),
        name: canonical_symbol(Dialect::CommonLisp, text),
    }
}

/// The declaration in a form.
pub(crate) fn read(walk: &Walk<'_>, head: &str, datum: Datum, list: ListId) -> Option<Declared> {
    let mut data = walk.data(list).skipping(1);
    match head {
        "in-package" => {
            let name = data.next()?;
            let links = vec![link(walk, name, Tie::Enters)];
            Some(Declared { current: Some(package(walk, name)), links, ..Declared::default() })
        }
        "defsystem" => Some(Declared { links: systems::defined(walk, list), ..Declared::default() }),
        "load" | "load-system" | "test-system" | "compile-system" | "make" | "require" | "quickload"
        | "find-system" | "require-system" => {
            Some(Declared { links: systems::loaded(walk, head, list), ..Declared::default() })
        }
        "find-package" | "ensure-package" | "delete-package" | "do-external-symbols" | "rename-package" => {
            let name = data.next().filter(|name| is_designator(walk, *name))?;
            Some(Declared { links: vec![link(walk, name, Tie::Looks)], ..Declared::default() })
        }
        "defpackage" | "define-package" => declaration(walk, datum, data),
        // `(uiop:symbol-call :package :name …)`, `(uiop:find-symbol* :name :package)`
        "symbol-call" | "find-symbol*" | "find-symbol" | "intern" | "intern*" => {
            // `'pack::name` is the symbol itself, which its reader has found.
            let is_plain = |datum: &Datum| is_designator(walk, *datum) || !walk.source(*datum).contains(':');
            let mut designators = data
                .by_ref()
                .take(2)
                .map(|one| named_by(walk, one))
                .filter(|one| is_named(walk, *one) && is_plain(one));
            let (first, second) = (designators.next()?, designators.next()?);
            let (space, name) = if head == "symbol-call" { (first, second) } else { (second, first) };
            let looked_up = vec![(walk.tree.core_span(name), package(walk, space))];
            Some(Declared { looked_up, links: vec![link(walk, space, Tie::Looks)], ..Declared::default() })
        }
        "export" | "import" | "shadow" | "use-package" | "shadowing-import" => {
            let (start, first) = (walk.tree.core_span(datum).start, data.next()?);
            // `(export ',name)` in the template of a macro.
            if walk.learning.is_some() && head == "export" {
                let inside = first.list().map(|list| walk.data(list).collect());
                let names = inside.unwrap_or_else(|| vec![first]).into_iter().filter(|one| one.list().is_none());
                let exports = Exports::Names(names.map(|name| symbol(walk, name)).collect());
                let space = Space { exports, ..Space::new(walk.current(start).to_owned(), start) };
                return Some(Declared { space: Some(space), ..Declared::default() });
            }
            let opens = head != "shadow";
            let current = walk.current(start);
            // Another package than the current one can be meant.
            let other = data.next().filter(|other| !walk.source(*other).eq_ignore_ascii_case("*package*"));
            let home = match other {
                Some(other) if is_named(walk, other) => package(walk, other),
                Some(_) => return Some(Declared { opens, ..Declared::default() }),
                None => current.to_owned(),
            };
            let mut space = Space { adds: true, ..Space::new(home, start) };
            let Some(names) = designators(walk, first) else { return Some(Declared { opens, ..Declared::default() }) };
            if walk.local_count() > 0 || head == "shadowing-import" {
                return None;
            }
            let used = names.iter().filter(|_| head == "use-package");
            let links = used.map(|name| link(walk, *name, Tie::Imports)).collect();
            named(walk, head, names, &mut space);
            let is_conditional = walk.is_conditional(datum) || walk.is_in_conditional(start);
            space.imports.iter_mut().for_each(|import| import.is_conditional = is_conditional);
            Some(Declared { space: Some(space), links, ..Declared::default() })
        }
        // `(fiasco:define-test-package :shop-tests (:use :cl :shop))`: the macro may import more. In a function, such a
        // name is that of a predicate or constructor: `(defpackage-form-p form)`.
        _ if head.starts_with("def") && walk.is_outside(list) && walk.tree.language().declares_package(head) => {
            let mut declared = declaration(walk, datum, data)?;
            declared.space.iter_mut().for_each(|space| space.imports_more = true);
            Some(declared)
        }
        _ => None,
    }
}

/// The declaration of a package with a name and options.
fn declaration(walk: &Walk<'_>, datum: Datum, mut data: Data<'_>) -> Option<Declared> {
    let name = data.next().filter(|name| name.list().is_none() && !walk.is_prefixed(*name, Prefix::Unquote))?;
    let mut space = Space::new(package(walk, name), walk.tree.core_span(datum).start);
    let mut declared = Declared { links: vec![link(walk, name, Tie::Declares)], ..Declared::default() };
    for option in data.filter_map(|datum| Some((datum, datum.list()?))) {
        let (datum, option) = option;
        let mut option = walk.data(option);
        let Some(word) = option.next().map(|word| walk.source(word).to_ascii_lowercase()) else { continue };
        let before = space.imports.len();
        self::option(walk, &word, option.collect(), &mut space, &mut declared);
        let is_conditional = walk.is_conditional(datum);
        space.imports[before..].iter_mut().for_each(|import| import.is_conditional |= is_conditional);
    }
    declared.space = Some(space);
    Some(declared)
}

/// The datum is a string, a keyword or a symbol without a package.
fn is_designator(walk: &Walk<'_>, datum: Datum) -> bool {
    datum.list().is_none() && walk.source(datum).starts_with([':', '#', '"'])
}

/// The same, or a quoted symbol, or a call that finds the package of a designator.
fn is_named(walk: &Walk<'_>, datum: Datum) -> bool {
    is_designator(walk, datum) || (datum.list().is_none() && walk.is_prefixed(datum, Prefix::Quote))
}

/// The designator of what a call gives: `(string :name)`, `(symbol-name '#:name)`, `(find-package :shapes)`.
fn named_by(walk: &Walk<'_>, datum: Datum) -> Datum {
    let mut inside = datum.list().map(|list| walk.data(list)).into_iter().flatten();
    let gives = |head: Datum| {
        head.list().is_none()
            && matches!(&*canonical_head(walk.dialect, walk.source(head)), "string" | "symbol-name" | "find-package")
    };
    match (inside.next(), inside.next(), inside.next()) {
        (Some(head), Some(named), None) if gives(head) => named,
        _ => datum,
    }
}

/// The link to a package that a designator names.
fn link(walk: &Walk<'_>, datum: Datum, tie: Tie) -> Link {
    Link { span: walk.tree.core_span(datum), thing: Thing::Space, tie, name: package(walk, datum) }
}

/// What a call of `export`, `import`, `shadow` or `use-package` adds to the current package.
fn named(walk: &Walk<'_>, head: &str, names: Vec<Datum>, space: &mut Space) {
    match head {
        "export" => space.exports = Exports::Names(names.iter().map(|&name| symbol(walk, name)).collect()),
        "shadow" => space.shadows.extend(names.iter().map(|&name| symbol(walk, name))),
        "use-package" => space.imports.extend(names.iter().map(|&name| Import::all(package(walk, name)))),
        _ => {
            for name in names.iter().map(|&name| written(walk.source(name))) {
                let Some(from) = name.qualifier else { continue };
                let only = Some(vec![(name.name.clone(), name.name)]);
                space.imports.push(Import { only, ..Import::all(from.into_owned()) });
            }
        }
    }
}

/// The designators in `'a`, `'(a b)`, `:a`; `None` for what is computed.
fn designators(walk: &Walk<'_>, datum: Datum) -> Option<Vec<Datum>> {
    let is_quoted = !datum.is_bare() && !walk.is_prefixed(datum, Prefix::Unquote);
    match datum.list() {
        Some(list) => is_quoted.then(|| walk.data(list).filter(|one| one.list().is_none()).collect()),
        None => (is_quoted || walk.source(datum).starts_with([':', '#', '"'])).then(|| vec![datum]),
    }
}

/// Packages of the language and of implementations export no names of a project.
pub(crate) fn is_of_language(package: &str) -> bool {
    const LANGUAGE: &[&str] =
        &["common-lisp", "cl", "keyword", "common-lisp-user", "cl-user", "lisp", "user", "asdf", "uiop"];
    const IMPLEMENTATIONS: &[&str] =
        &["sb-", "ccl", "ext", "excl", "clos", "mp", "si", "system", "gray", "hcl", "lw", "sequence"];
    LANGUAGE.contains(&package)
        || IMPLEMENTATIONS.iter().any(|name| package == *name || (name.ends_with('-') && package.starts_with(name)))
}

/// The canonical name of a package.
fn package(walk: &Walk<'_>, datum: Datum) -> String {
    let name = walk.source(datum);
    canonical_designator(Dialect::CommonLisp, name.trim_start_matches("#:").trim_start_matches(':'))
}

/// The name of a symbol that a designator gives: `#:x`, `:x`, `"X"`.
fn symbol(walk: &Walk<'_>, datum: Datum) -> String {
    let name = walk.source(datum);
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => text.to_owned(),
        None => canonical_symbol(Dialect::CommonLisp, name),
    }
}

fn option(walk: &Walk<'_>, word: &str, mut rest: Vec<Datum>, space: &mut Space, declared: &mut Declared) {
    // What the reader or a macro computes is not known: `#.(names)`, `,@names`, `#1#`.
    if word != ":local-nicknames" {
        let is_label = |datum: Datum| walk.source(datum).ends_with('#') && walk.source(datum).starts_with('#');
        let is_computed =
            |datum: Datum| datum.list().is_some() || walk.is_prefixed(datum, Prefix::Unquote) || is_label(datum);
        let is_any_computed = rest.iter().any(|datum| is_computed(*datum));
        space.exports_more |= word == ":export" && is_any_computed;
        let imports = [":shadow", ":import-from", ":shadowing-import-from"].contains(&word);
        space.imports_more |= imports && is_any_computed;
        rest.retain(|datum| !is_computed(*datum) && walk.source(*datum) != ".");
    }
    let spans = |data: &[Datum]| data.iter().map(|&datum| walk.tree.core_span(datum)).collect::<Vec<_>>();
    let linked = match word {
        ":nicknames" => Some((Tie::Names, rest.len())),
        ":use" | ":mix" | ":use-reexport" | ":mix-reexport" | ":reexport" => Some((Tie::Imports, rest.len())),
        ":import-from" | ":shadowing-import-from" => Some((Tie::Imports, 1)),
        _ => None,
    };
    if let Some((tie, count)) = linked {
        declared.links.extend(rest.iter().take(count).map(|&datum| link(walk, datum, tie)));
    }
    match word {
        ":nicknames" => space.nicknames.extend(rest.iter().map(|&datum| package(walk, datum))),
        ":use" => space.imports.extend(rest.iter().map(|&datum| {
            let from = package(walk, datum);
            let is_conditional = walk.is_conditional(datum);
            Import { is_of_language: is_of_language(&from), is_conditional, ..Import::all(from) }
        })),
        ":mix" | ":use-reexport" | ":mix-reexport" | ":reexport" => {
            let reexports = word != ":mix";
            let all = rest.iter().map(|&datum| Import { reexports, ..Import::all(package(walk, datum)) });
            space.imports.extend(all);
        }
        ":import-from" | ":shadowing-import-from" => {
            let Some((&from, names)) = rest.split_first() else { return };
            let only = names.iter().map(|&datum| (symbol(walk, datum), symbol(walk, datum))).collect();
            let is_conditional = walk.is_conditional(from);
            space.imports.push(Import { only: Some(only), is_conditional, ..Import::all(package(walk, from)) });
            declared.exported.extend(spans(names));
        }
        ":shadow" => {
            space.shadows.extend(rest.iter().map(|&datum| symbol(walk, datum)));
            declared.exported.extend(spans(&rest));
        }
        ":export" | ":intern" => {
            if let Exports::Names(names) = &mut space.exports {
                names.extend(rest.iter().map(|&datum| symbol(walk, datum)));
            }
            declared.exported.extend(spans(&rest));
        }
        ":local-nicknames" => {
            for pair in rest.iter().filter_map(|datum| datum.list()) {
                let mut pair = walk.data(pair);
                if let (Some(alias), Some(from)) = (pair.next(), pair.next()) {
                    declared.links.push(link(walk, from, Tie::Imports));
                    let alias = Some(package(walk, alias));
                    space.imports.push(Import { alias, only: Some(Vec::new()), ..Import::all(package(walk, from)) });
                }
            }
        }
        ":documentation" => {
            space.docstring = rest.first().map(|&text| walk.source(text).trim_matches('"').to_owned());
        }
        _ => {}
    }
}

//! Emacs Lisp: there is one namespace for all names, so there are no imports and exports; there are features that files
//! provide and require.

use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Datum, Dialect, ListId};

use super::Declared;
use crate::data::Prefix;
use crate::links::{Link, Thing, Tie};
use crate::resolve::Written;
use crate::walk::Walk;

/// Reads a symbol, which has no qualifier.
pub(crate) fn written(text: &str) -> Written<'_> {
    Written::plain(canonical_symbol(Dialect::EmacsLisp, text))
}

/// The features and files that a form names.
pub(crate) fn read(walk: &Walk<'_>, head: &str, _datum: Datum, list: ListId) -> Option<Declared> {
    let tie = match head {
        "provide" | "provide-me" => Tie::Provides,
        "require" | "autoload" | "load" | "load-library" | "load-file" | "use-package" | "require-theme" => Tie::Loads,
        "featurep" | "eval-after-load" | "with-eval-after-load" | "unload-feature" | "declare-function" => Tie::Looks,
        _ => return None,
    };
    let data = walk.data(list).skipping(1);
    let names: Vec<Datum> = match head {
        // `(autoload 'function "file")`, `(declare-function function "file")`
        "autoload" | "declare-function" => data.skip(1).take(1).collect(),
        _ => data.take(1).collect(),
    };
    let link = |name: Datum| {
        let (span, text) = (walk.tree.core_span(name), walk.source(name));
        let is_symbol = walk.symbol(name).is_some() && (head == "use-package" || walk.is_prefixed(name, Prefix::Quote));
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(file) if !file.is_empty() => Some(Link { span, thing: Thing::File, tie, name: file.to_owned() }),
            None if is_symbol => {
                let name = canonical_symbol(Dialect::EmacsLisp, text);
                Some(Link { span, thing: Thing::Feature, tie, name })
            }
            _ => None,
        }
    };
    Some(Declared { links: names.into_iter().filter_map(link).collect(), ..Declared::default() })
}

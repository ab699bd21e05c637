//! Symbols that are nearly always the first of a list: the operators of the language.
//!
//! A lost or extra opener moves a symbol out of the first place of a list or into it. In a file that is too short to
//! show which of its symbols are operators, those in the table of its dialect are known anyway.

use std::sync::OnceLock;

use lispwright_syntax::Dialect;
use lispwright_syntax::dialects::Shapes;
use rustc_hash::FxHashSet;

use crate::text::code::name_of;

/// Hashes of names. Each set is made on first use, because a hook reads one file.
type Sets = [OnceLock<FxHashSet<u64>>; Dialect::ALL.len()];

/// The calls in a list with this head have one argument more than is written.
pub(crate) fn is_threading(head: u64) -> bool {
    static SET: OnceLock<FxHashSet<u64>> = OnceLock::new();
    SET.get_or_init(|| names(Shapes::EVERYWHERE.threading)).contains(&head)
}

/// A list with this head has conditions between the calls to which it passes a value.
pub(crate) fn is_conditional(head: u64) -> bool {
    static SET: OnceLock<FxHashSet<u64>> = OnceLock::new();
    SET.get_or_init(|| names("cond-> cond->>")).contains(&head)
}

/// Nothing in a list with this head is called: declarations, imports.
pub(crate) fn is_of_data(head: u64) -> bool {
    static SET: OnceLock<FxHashSet<u64>> = OnceLock::new();
    SET.get_or_init(|| {
        names("quote declare declaim proclaim import export only prefix rename use-modules define-module")
    })
    .contains(&head)
}

/// A list with this head holds the rest of its file.
pub(crate) fn is_library(head: u64) -> bool {
    static SET: OnceLock<FxHashSet<u64>> = OnceLock::new();
    SET.get_or_init(|| names("library define-library module module+ module*")).contains(&head)
}

/// A list with this head holds forms that are otherwise at top level, and that may begin in column 0.
pub(crate) fn holds_forms(head: u64) -> bool {
    static SET: OnceLock<FxHashSet<u64>> = OnceLock::new();
    let own = || {
        names(
            "begin begin-for-syntax progn eval-when eval-when-compile eval-and-compile comment locally \
         with-eval-after-load",
        )
    };
    is_library(head) || SET.get_or_init(own).contains(&head)
}

/// A call with this head takes any number of arguments.
pub(crate) fn is_variadic(head: u64) -> bool {
    static SET: OnceLock<FxHashSet<u64>> = OnceLock::new();
    SET.get_or_init(|| names(Shapes::EVERYWHERE.variadic)).contains(&head)
}

/// The operators of a dialect, as hashes of their names.
pub(crate) fn operators(dialect: Dialect) -> &'static FxHashSet<u64> {
    static SETS: Sets = [const { OnceLock::new() }; Dialect::ALL.len()];
    SETS[dialect as usize].get_or_init(|| names(dialect.table().shapes.operators))
}

/// The symbols of a dialect that are never called, as hashes of their names.
pub(crate) fn constants(dialect: Dialect) -> &'static FxHashSet<u64> {
    static SETS: Sets = [const { OnceLock::new() }; Dialect::ALL.len()];
    SETS[dialect as usize].get_or_init(|| names(dialect.table().shapes.constants))
}

/// The heads of declarations of a dialect, as hashes of their names.
pub(crate) fn declarations(dialect: Dialect) -> &'static FxHashSet<u64> {
    static SETS: Sets = [const { OnceLock::new() }; Dialect::ALL.len()];
    SETS[dialect as usize].get_or_init(|| names(dialect.table().shapes.declarations))
}

fn names(text: &str) -> FxHashSet<u64> {
    text.split_whitespace().map(|name| name_of(name.as_bytes())).collect()
}

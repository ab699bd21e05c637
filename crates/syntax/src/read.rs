//! Reads a text: by plain matching of delimiters, and, only if it does not balance, with the column-0 rule.
//!
//! [`read`] is for tools: a broken form does not swallow the healthy ones after it. [`read_plain`] works like the
//! dialect's own reader.

use crate::again::{self, build_again};
use crate::build::{Cuts, build};
use crate::diagnostic::DiagnosticKind;
use crate::language::Language;
use crate::recover::find_cuts;
use crate::tree::Tree;

/// The longest text that can be read, in bytes: offsets are 32 bits wide.
pub const MAX_LEN: usize = u32::MAX as usize - 1;

/// Reads `text` in a dialect, or in a [`Language`] that a project has extended. Never fails: faults are reported in
/// [`Tree::diagnostics`].
///
/// Takes time and memory linear in the text. Bytes beyond [`MAX_LEN`] are left out of the tree; callers should refuse
/// longer texts.
pub fn read(text: impl AsRef<[u8]>, language: impl Into<Language>) -> Tree {
    let language = language.into();
    let text = &*language.code(text.as_ref());
    recovered(text, learned(text, build(text, &language, &Cuts::default())))
}

/// Adds the text's own definers to the language of a tree that does not balance: they show where definitions begin.
fn learned(text: &[u8], tree: Tree) -> Tree {
    if tree.diagnostics.is_empty() { tree } else { tree.learning(text) }
}

/// The tree of `text` by the column-0 rule, if the delimiters of `plain`, its tree by plain matching, do not balance;
/// otherwise `plain`.
fn recovered(text: &[u8], plain: Tree) -> Tree {
    let is_balanced = |kind| matches!(kind, DiagnosticKind::TooDeep | DiagnosticKind::DanglingPrefix);
    if plain.diagnostics.iter().all(|diagnostic| is_balanced(diagnostic.kind)) {
        return plain;
    }
    let cuts = find_cuts(text, &plain);
    if cuts.is_empty() {
        return Tree { recovered: true, ..plain };
    }
    Tree { recovered: true, ..build(text, &plain.language, &cuts).learning(text) }
}

/// Reads `text` as [`read`] does with broken text: forms in column 0 can be at top level although plain matching nests
/// them.
pub fn read_by_columns(text: impl AsRef<[u8]>, language: impl Into<Language>) -> Tree {
    let language = language.into();
    let text = &*language.code(text.as_ref());
    let plain = build(text, &language, &Cuts::default()).learning(text);
    let cuts = find_cuts(text, &plain);
    Tree { recovered: true, ..build(text, &plain.language, &cuts).learning(text) }
}

/// The same as [`read`], but usually much faster for a text that differs little from `old`, the text of `before`: the
/// common parts at both ends are read again only as far as their tree may differ.
pub fn read_again(before: &Tree, old: impl AsRef<[u8]>, text: impl AsRef<[u8]>, language: impl Into<Language>) -> Tree {
    let language = language.into();
    let (old, text) = (&*language.code(old.as_ref()), &*language.code(text.as_ref()));
    recovered(text, learned(text, build_again(before, old, text, &language)))
}

/// Reads `text` only by plain matching: the first fault may swallow everything after it, exactly as in the dialect's
/// own reader. For comparison with that reader; tools use [`read`].
pub fn read_plain(text: impl AsRef<[u8]>, language: impl Into<Language>) -> Tree {
    let language = language.into();
    let text = &*language.code(text.as_ref());
    learned(text, build(text, &language, &Cuts::default()))
}

/// The same as [`read_plain`], as fast as [`read_again`].
pub fn read_plain_again(
    before: &Tree,
    old: impl AsRef<[u8]>,
    text: impl AsRef<[u8]>,
    language: impl Into<Language>,
) -> Tree {
    let language = language.into();
    let (old, text) = (&*language.code(old.as_ref()), &*language.code(text.as_ref()));
    learned(text, build_again(before, old, text, &language))
}

/// [`read_plain_again`] would find no fault. This does not build the tree.
pub fn is_sound_again(
    before: &Tree,
    old: impl AsRef<[u8]>,
    text: impl AsRef<[u8]>,
    language: impl Into<Language>,
) -> bool {
    let language = language.into();
    let (old, text) = (&*language.code(old.as_ref()), &*language.code(text.as_ref()));
    again::is_sound_again(before, old, text, &language)
}

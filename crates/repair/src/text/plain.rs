//! A text that has been read.

use lispwright_syntax::{Language, Tree, is_sound_again};

/// A text with its tree from [`read_plain`](lispwright_syntax::read_plain), for callers that have read it already. If
/// the text balances, the tree of any other reader function is the same.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    /// The text.
    pub text: &'a str,
    /// Its tree.
    pub tree: &'a Tree,
}

impl Plain<'_> {
    pub(crate) fn is_balanced(&self) -> bool {
        self.tree.is_balanced()
    }

    /// `changed`, most of which is the same as this text, balances.
    pub(crate) fn balances_as(&self, changed: &str, language: &Language) -> bool {
        is_sound_again(self.tree, self.text, changed, language)
    }
}

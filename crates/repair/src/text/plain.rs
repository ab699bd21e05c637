//! A text that has been read.

use lispwright_syntax::{Language, Tree, is_sound_again};

/// A text with the tree that [`read_plain`](lispwright_syntax::read_plain) makes of it, for callers who have read it already.
/// Of a text that balances, every reading is that.
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

    /// `changed`, which mostly is this text, balances.
    pub(crate) fn balances_as(&self, changed: &str, language: &Language) -> bool {
        is_sound_again(self.tree, self.text, changed, language)
    }
}

//! Expansions of macros.

use lispwright_syntax::{fenced, visible};
use lispwright_tools::macroexpand::ExpandAnswer;

use crate::Skin;
use crate::aside::notes;

/// The expansion, and reasons why it may be unexpected.
pub(crate) fn text(answer: &ExpandAnswer, skin: Skin) -> String {
    let mut text = fenced(&visible(&answer.expansion));
    text.push('\n');
    if !answer.changed {
        text.push_str(
            "[note] Unchanged: the form is no macro call in this image. If it is one, load the definition of the macro first.\n",
        );
    }
    if answer.truncated {
        text.push_str("[note] The expansion goes on; ask for level once, or for a part of the form.\n");
    }
    text + &notes(&answer.aside, skin)
}

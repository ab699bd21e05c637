//! The sentences of refusals.

use lispwright_edit::EditRefusal;
use lispwright_words::{Rendering, Skin, render};

/// The refusal as a client of the server reads it. The one for a shell has no names of tools.
#[track_caller]
pub(crate) fn said(refusal: &EditRefusal) -> String {
    let rendered = |skin| render(Err(lispwright_tools::Refusal::text("a.lisp", refusal.clone())), skin);
    let Rendering { text, fields, .. } = rendered(Skin::Shell);
    for word in ["lisp_", "old_text", "new_text", "`name`", "`line`", "`index`", "=true"] {
        assert!(!text.contains(word), "a shell knows no {word}: {text}");
    }
    assert!(fields.get("next").is_none_or(|next| next.as_str().is_some_and(|next| next.starts_with("lispwright "))));
    rendered(Skin::Client).text
}

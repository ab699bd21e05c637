//! One form, as it is in its file.

use lispwright_syntax::{fenced, in_a_line};
use lispwright_tools::lisp_read_form::FormAnswer;

use crate::Skin;
use crate::call::spoken;
use crate::terms::Terms;

/// The place of the form, its source between fences, and notes.
pub(crate) fn text(form: &FormAnswer, skin: Skin) -> String {
    let FormAnswer { start_line: start, end_line: end, label, digest, content, left, .. } = form;
    let lines = if start == end { start.to_string() } else { format!("{start}-{end}") };
    let part = form.around.map(|(first, last)| format!(", lines {first}-{last} of it")).unwrap_or_default();
    let mut text = format!("{}:{lines} {label}, digest {digest}{part}\n{}", in_a_line(&form.path), fenced(content));
    if !form.balanced {
        text.push_str(&format!("\nThis form does not balance. {} shows likely fixes.", Terms::of(skin).check));
    }
    if form.truncated && form.around.is_none() {
        let next_line = start + content.matches('\n').count() as u32;
        let total = content.chars().count() + left;
        text.push_str(&format!("\n[{left} of {total} characters are left, from line {next_line} on."));
        if let Some((next, call)) = form.next.as_ref().and_then(|next| Some((next, spoken(next, skin)?))) {
            let does = if next.tool == "lisp_read_form" { "shows all of it" } else { "goes on" };
            text.push_str(&format!(" {call} {does}."));
        }
        text.push(']');
    }
    text
}

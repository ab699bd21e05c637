//! Objects of an image.

use lispwright_tools::NextCall;
use lispwright_tools::inspect_object::InspectAnswer;
use lispwright_tools::repl_node::node_text;
use lispwright_tools::repl_report::{notes, output_limit};

use crate::Skin;
use crate::call::{of_session, spoken};

/// An object with its parts, and how to see those that come next.
pub(crate) fn text(answer: &InspectAnswer, skin: Skin) -> String {
    let node = &answer.node;
    let (mut text, shown) = node_text(node, output_limit(Some(u32::MAX)));
    let next = node.offset + shown.unwrap_or_else(|| node.shown());
    match shown {
        Some(0) => text.push_str(
            "[note] The first part alone is too long for one answer; ask for fewer levels, or for it by its number.\n",
        ),
        None if !node.has_more() => {}
        _ => {
            let of = node.total.map(|total| format!(" of {total}")).unwrap_or_default();
            let call = NextCall::to("inspect_object").with("id", node.id.unwrap_or_default()).with("offset", next);
            let call = spoken(&of_session(call, &answer.aside.session), skin);
            let call = call.map(|call| format!("; the next: {call}")).unwrap_or_default();
            text.push_str(&format!("[note] Shown are {} to {}{of}{call}\n", node.offset, next.saturating_sub(1)));
        }
    }
    text + &notes(&answer.aside)
}

//! Held errors, their frames and variables.

use lispwright_tools::NextCall;
use lispwright_tools::eval_answer::output_limit;
use lispwright_tools::image_text::{fence, one_line, start_of_fenced};
use lispwright_tools::repl_held::{FramesAnswer, LevelsAnswer, LocalsAnswer};

use crate::Skin;
use crate::aside::notes;
use crate::call::{control, of_session, spoken, template};
use crate::object::node_line;
use crate::stack::{frame_line, restarts_text};

/// The held errors, innermost first, and the calls that leave them.
pub(crate) fn levels(answer: &LevelsAnswer, skin: Skin) -> String {
    let mut text = String::new();
    for (depth, error) in answer.errors.iter().enumerate() {
        let level = answer.errors.len() - depth;
        text.push_str(&format!("[level {level}] {}\n{}\n", one_line(&error.type_name, 200), fence(&error.message)));
        if depth == 0 {
            text.push_str(&restarts_text(&error.restarts, true));
        }
    }
    let restart = "\"action\": \"restart\", \"restart\": NAME, \"code\": ITS VALUES IF IT NEEDS ANY";
    let restart = template("repl_control", restart, &answer.session, skin);
    if let (Some(restart), Some(abort)) = (restart, control(&answer.session, "abort", skin)) {
        text.push_str(&format!("[note] Take one: {restart}; give up: {abort}.\n"));
    }
    start_of_fenced(&text, output_limit(None)).0 + &notes(&answer.aside, skin)
}

/// Frames, and the call that shows the next ones.
pub(crate) fn frames(answer: &FramesAnswer, skin: Skin) -> String {
    let mut text: String = answer.stack.iter().map(frame_line).collect();
    let next = answer.stack.last().map_or(0, |frame| frame.number + 1);
    if next < answer.total {
        let call = NextCall::to("repl_control").with("action", "frames").with("frame", next);
        let call = spoken(&of_session(call, &answer.session), skin);
        let call = call.map(|call| format!("; the next: {call}")).unwrap_or_default();
        text.push_str(&format!("[note] {} of {} frames{call}\n", answer.stack.len(), answer.total));
    }
    if answer.total == 0 {
        text.push_str("[note] The held stack has no frames of evaluated code.\n");
    }
    text + &notes(&answer.aside, skin)
}

/// A frame and its variables.
pub(crate) fn locals(answer: &LocalsAnswer, skin: Skin) -> String {
    let mut text = frame_line(&answer.in_stack);
    for (name, node) in &answer.nodes {
        text.push_str(&format!("  {} = {}\n", one_line(name, 60), node_line(node)));
    }
    if answer.nodes.is_empty() {
        let note = "[note] No variables are known: there are none, or the compiler did not keep them.";
        text.push_str(format!("{note} {}", answer.aside.runtime.words.keeps_variables).trim_end());
        text.push('\n');
    }
    start_of_fenced(&text, output_limit(None)).0 + &notes(&answer.aside, skin)
}

//! How an image differs from the files.

use lispwright_tools::by_hand::ByHand;
use lispwright_tools::drift::DriftAnswer;
use lispwright_tools::image_text::one_line;

use crate::Skin;
use crate::call::control;
use crate::changes::{defined_by_hand, relied_on};
use crate::rendering::first_names;

/// Names in a list.
const NAMED: usize = 12;

/// Definitions by hand that are told one by one.
const MOST: usize = 20;

/// The differences, a line each, and how to end them.
pub(crate) fn text(answer: &DriftAnswer, skin: Skin) -> String {
    let session = &answer.session;
    if !answer.has_image {
        return format!("Session {session:?} has no image: its next call begins with the files as they are.");
    }
    let files = match answer.loaded {
        1 => "1 loaded file".to_owned(),
        count => format!("{count} loaded files"),
    };
    if answer.is_none() {
        return format!("The image of session {session:?} ({}) is in the state of its {files}.", answer.runtime);
    }
    let mut text = format!("The image of session {session:?} ({}) differs from its {files}:\n", answer.runtime);
    for (names, what) in [
        (&answer.changed, "changed since it was loaded"),
        (&answer.gone, "loaded, and gone from the files"),
        (&answer.stale, "made with what has changed"),
        (&answer.values, "keeps a value that is not of its definition"),
    ] {
        if !names.is_empty() {
            text.push_str(&format!("  {}: {what}\n", first_names(names, NAMED)));
        }
    }
    for one in answer.by_hand.iter().take(MOST) {
        text.push_str(&format!("  {}\n", by_hand(one)));
    }
    if answer.by_hand.len() > MOST {
        text.push_str(&format!("  {} more by hand\n", answer.by_hand.len() - MOST));
    }
    text.push_str("Loads and tests bring what they use to the state of the files first");
    match control(session, "reset", skin) {
        Some(call) => text + &format!("; definitions by hand and values leave with {call}."),
        None => text + ".",
    }
}

fn by_hand(one: &ByHand) -> String {
    let name = defined_by_hand(one);
    match (&one.path, one.line) {
        (Some(path), Some(line)) => format!("{name}: by hand; {}:{line} has another", one_line(path, 200)),
        _ if one.used.is_empty() => format!("{name}: by hand, in no file"),
        _ => format!("{name}: by hand, in no file; {}", relied_on(one)),
    }
}

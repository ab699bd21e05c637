//! Answers in detail: for a reader who asked for all that is known, or does not pay by the word.

use std::sync::Arc;

use lispwright_tools::{Answer, LiveAnswer};

/// Has the answer say all that is known, also what its reader has sent or seen.
pub(crate) fn add(answer: &mut Answer) {
    let files = match answer {
        Answer::Noted(noted) => return add(&mut noted.answer),
        Answer::Edited(edited) => {
            edited.shows_diff = true;
            return;
        }
        Answer::Live(LiveAnswer::Status(status)) => {
            Arc::make_mut(status).shows_all = true;
            return;
        }
        Answer::Batched(batched) => {
            batched.shows_diff = true;
            &mut batched.files
        }
        Answer::Renamed(renamed) => &mut renamed.files,
        Answer::Rewritten(rewritten) => &mut rewritten.files,
        Answer::Resigned(resigned) => &mut resigned.files,
        _ => return,
    };
    files.iter_mut().for_each(|file| file.was_shown = false);
}

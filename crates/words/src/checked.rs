//! Whether a text balances.

use lispwright_syntax::in_a_line;
use lispwright_tools::lisp_check_parens::CheckAnswer;

use crate::diagnosis::{candidates, certain, head, next_form, sentence};
use crate::linted;
use crate::rendering::counted;

/// Notes, and problems, that are told after the verdict.
const MOST_PROBLEMS: usize = 8;

/// The verdict, what is seldom meant, and what a compiler would say besides.
pub(crate) fn text(checked: &CheckAnswer) -> String {
    let mut text = verdict(checked);
    for one in checked.unexpected.iter().take(MOST_PROBLEMS) {
        text.push_str(&format!("\n[note] {}", one.message));
    }
    if checked.unexpected.len() > MOST_PROBLEMS {
        text.push_str(&format!("\n[{} more notes]", checked.unexpected.len() - MOST_PROBLEMS));
    }
    for problem in checked.problems.iter().take(MOST_PROBLEMS) {
        text.push_str(&format!("\n{}", linted::line(problem)));
    }
    if checked.problems.len() > MOST_PROBLEMS {
        let more = checked.problems.len() - MOST_PROBLEMS;
        text.push_str(&format!("\n[{more} more problems; correct these and check again]"));
    }
    text
}

/// The verdict; for a text that does not balance: the place, the mistake, and the fixes.
fn verdict(checked: &CheckAnswer) -> String {
    let CheckAnswer { path, dialect, .. } = checked;
    let Some(found) = &checked.diagnosis else {
        let (forms, lines) = (counted(checked.forms, "form"), counted(checked.lines as usize, "line"));
        return format!("{}: balanced ({forms}, {lines}, {dialect}).", in_a_line(path));
    };
    let found = &found.whole;
    let mut text = format!("{} (read as {dialect})\n{}", head(path, found), sentence(found));
    text.push_str(&match (found.fixes.is_empty(), found.is_certain()) {
        (true, _) if found.doubt.is_empty() => {
            "\nNo delimiter is missing or extra: correct the text at that place.".to_owned()
        }
        (true, _) => format!("\nNo fix is known: {}.", found.doubt),
        (false, true) => certain(found),
        (false, false) => {
            format!("\nCandidates, likeliest first; none is certain: {}.{}", found.doubt, candidates(found))
        }
    });
    text.push_str(&next_form(found));
    if found.count > 1 && !found.is_certain() {
        text.push_str(&format!("\n{} mistakes in all; correct this one and check again.", found.count));
    }
    text
}

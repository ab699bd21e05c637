//! Bounds an answer to about as many tokens as its reader wants.
//!
//! An answer leads with what matters, so its end is cut, at a line; values and notes at its very end stay. A refusal is
//! never cut: it says what to correct.

use lispwright_runtime::MAIN;
use lispwright_tools::{Answer, LiveAnswer, NextCall, Reply};

use crate::call::{of_session, spoken};
use crate::rendering::counted;
use crate::{Rendering, Skin};

/// Bytes of a token. In answers of an everyday session it is 2.6 with the vocabulary o200k; English alone has 4.
const BYTES: usize = 3;

/// Lines at the end that stay, values and notes.
const MOST_LAST: usize = 3;

/// The longest of them, in bytes.
const LONGEST_LAST: usize = 160;

/// The number of tokens that a text of so many bytes costs, about: a third of them.
pub(crate) fn tokens_of(bytes: usize) -> usize {
    bytes.div_ceil(BYTES)
}

/// The rendering of `reply` in about so many tokens.
pub(crate) fn bounded(rendering: Rendering, reply: Option<&Answer>, most: Option<usize>, skin: Skin) -> Rendering {
    let (Some(answer), Some(most)) = (reply, most) else { return rendering };
    let is_whole = rendering.text.len() <= most.saturating_mul(BYTES);
    if is_whole || matches!(answer, Answer::Protocol(_)) {
        return rendering;
    }
    let session = rendering.fields.get("session").and_then(|session| session.as_str()).unwrap_or(MAIN);
    let all = tokens_of(rendering.text.len());
    let how = how_to_see(answer, session, all, skin);
    Rendering { text: cut(&rendering.text, most, &how), ..rendering }
}

/// The answer of a call that is kept, to be cut after its rendering.
pub(crate) fn kept(reply: &Reply, most: Option<usize>) -> Option<Answer> {
    most.and_then(|_| reply.as_ref().ok().cloned())
}

/// How to see all of the answer, which has about so many tokens.
fn how_to_see(answer: &Answer, session: &str, all: usize, skin: Skin) -> String {
    let again = format!("call again with \"max_tokens\": {all}");
    match answer {
        Answer::Noted(noted) => how_to_see(&noted.answer, session, all, skin),
        Answer::Live(
            LiveAnswer::Evaluated(_) | LiveAnswer::Loaded(_) | LiveAnswer::Tested(_) | LiveAnswer::Covered(_),
        ) => {
            // It is not done twice.
            let wait = NextCall::to("repl_control").with("action", "wait").with("max_tokens", all);
            spoken(&of_session(wait, session), skin).map_or(again, |call| format!("{call} shows all"))
        }
        Answer::Edited(done) if !done.dry_run => "it is written; the files show it".to_owned(),
        Answer::Batched(done) if !done.dry_run => "it is written; the files show it".to_owned(),
        Answer::Renamed(done) if !done.dry_run => "it is written; the files show it".to_owned(),
        Answer::Rewritten(done) if !done.dry_run => "it is written; the files show it".to_owned(),
        Answer::Resigned(done) if !done.dry_run => "it is written; the files show it".to_owned(),
        _ => again,
    }
}

/// The beginning and the last words of a text, in about `most` tokens.
fn cut(text: &str, most: usize, how: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let is_last = |line: &&&str| line.len() <= LONGEST_LAST && (line.starts_with('[') || line.starts_with("=> "));
    let last = lines.iter().rev().take(MOST_LAST).take_while(is_last).count();
    let (body, last) = lines.split_at(lines.len() - last);
    let note = |left: usize, bytes: usize| {
        format!("[{}, about {} tokens: {how}]", counted(left, "more line"), tokens_of(bytes))
    };
    let after: usize = last.iter().map(|line| line.len() + 1).sum::<usize>() + note(lines.len(), text.len()).len() + 1;
    let room = most.saturating_mul(BYTES).saturating_sub(after);
    let mut kept = 0;
    let mut used = 0;
    while let Some(line) = body.get(kept).filter(|line| used + line.len() < room) {
        used += line.len() + 1;
        kept += 1;
    }
    let mut cut: Vec<String> = body[..kept].iter().map(|line| (*line).to_owned()).collect();
    if kept == 0
        && let Some(first) = body.first()
    {
        // The first line is the answer; a part of it says more than nothing.
        let mut end = room.max(BYTES * 10).min(first.len());
        while !first.is_char_boundary(end) {
            end -= 1;
        }
        cut.push(format!("{}…", &first[..end]));
        kept = 1;
    }
    cut.extend(open_fence(&cut));
    let left: usize = body[kept..].iter().map(|line| line.len() + 1).sum();
    cut.push(note(body.len() - kept, left));
    cut.extend(last.iter().map(|line| (*line).to_owned()));
    cut.join("\n")
}

/// The fence that is open at the end of some lines.
fn open_fence(lines: &[String]) -> Option<String> {
    let mut open: Option<&str> = None;
    for line in lines {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            None if ticks.len() >= 3 => open = Some(ticks),
            Some(fence) if line.as_str() == fence => open = None,
            _ => {}
        }
    }
    open.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_stays_and_what_says_how_to_go_on() {
        let text: String = (1..=100).map(|number| format!("line {number} of the answer\n")).collect();
        let shown = cut(&format!("{text}[More: lisp_search {{\"offset\": 100}}]\n"), 60, "call again");
        assert!(shown.starts_with("line 1 of the answer\nline 2 of the answer\n"), "{shown}");
        assert!(shown.contains(" of the answer\n[9") && shown.contains(" more lines, about "), "{shown}");
        assert!(shown.ends_with("\n[More: lisp_search {\"offset\": 100}]"), "{shown}");
        assert!(tokens_of(shown.len()) <= 60, "{shown}");
    }

    #[test]
    fn the_value_after_long_output_stays() {
        let text = format!("[stdout]\n{}=> 7\n[note] The list is long.\n", "printed\n".repeat(100));
        let shown = cut(&text, 60, "call again");
        assert!(shown.starts_with("[stdout]\nprinted\n"), "{shown}");
        assert!(shown.ends_with(": call again]\n=> 7\n[note] The list is long."), "{shown}");
    }

    #[test]
    fn a_fence_that_is_cut_is_closed() {
        let text = format!("a.lisp:1 defun f\n````\n{}````\n", "(list 1 2 3)\n".repeat(80));
        let shown = cut(&text, 50, "call again");
        assert!(shown.contains("(list 1 2 3)\n````\n[7"), "{shown}");
        assert!(tokens_of(shown.len()) <= 52, "{shown}");
    }

    #[test]
    fn a_long_first_line_is_cut_in_itself() {
        let shown = cut(&"ä".repeat(4000), 20, "call again");
        assert!(shown.starts_with("ää") && shown.contains('…') && shown.ends_with("call again]"), "{shown}");
        assert!(tokens_of(shown.len()) < 45, "{shown}");
    }
}

//! Text that balances although its indentation contradicts its nesting.
//!
//! A closer on the wrong line gives a text that every reader accepts and that means something else. Such a text is
//! never changed, because columns prove nothing. It is reported, so that the author of the last edit can look at it.

use std::ops::{Range, RangeInclusive};

use lispwright_syntax::{Language, count_line_ends, read_plain};

use crate::proposals::search::{Action, Limits, costs_as_it_is, search};
use crate::text::code::{Token, tokens, tokens_within};
use crate::text::plain::Plain;
use crate::text::scope::{chunks, defines};
use crate::text::window::Window;
use crate::witnesses::guard::Guard;
use crate::witnesses::learn::learn;

/// How much likelier another nesting has to be than the text as it is, as a natural logarithm.
const MARGIN: f32 = 11.0;
/// The same if the earlier text is known, and the margin at which the earlier text itself counts as contradictory.
const MARGIN_SINCE: f32 = 3.0;
const MARGIN_BEFORE: f32 = 0.0;
/// A closer on the wrong line is one fault, but takes two edits to undo: by how much that makes them likelier.
const ONE_FAULT: f32 = 9.0;
/// Only forms with a line at least this unlikely are searched.
const UNLIKELY: f32 = 1.2;
/// The number of forms that are searched, at most.
const MOST_LOOKS: u32 = 64;
/// The indentation of a file is learnt from the code within this many bytes of a change.
const NEAR: usize = 12_000;
/// In tokens: larger forms are left out.
const LARGEST: usize = 4_000;

/// A form whose indentation contradicts its delimiters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renested {
    /// First line of the form, from 1.
    pub form_line: u32,
    /// The first line on which a closer seems to be missing or extra, from 1.
    pub line: u32,
    /// The contradiction in words, for the author of the text.
    pub message: String,
}

/// The forms of a balanced `text` whose indentation says that a delimiter is on the wrong line. Empty for text that
/// does not balance: [`crate::repair`] is for that.
///
/// Columns alone are weak evidence, so a form is only reported if another nesting is much likelier, and many a wrong
/// nesting is missed. If the earlier text is known, [`renested_since`] finds more.
pub fn renested(text: &str, language: impl Into<Language>) -> Vec<Renested> {
    let language = language.into();
    if !read_plain(text, &language).diagnostics().is_empty() {
        return Vec::new();
    }
    worded(found(text, &tokens(text, &language), &language, MARGIN, 1..=u32::MAX), 0)
}

/// The forms whose nesting contradicts their indentation since the change from `before` to `text`, with a smaller
/// margin than in [`renested`]. Empty unless both texts balance. Forms that did not change are never reported, and
/// nothing is if the changed lines contradicted their nesting in as many places before.
pub fn renested_since(before: &str, text: &str, language: impl Into<Language>) -> Vec<Renested> {
    let language = language.into();
    let (old_tree, tree) = (read_plain(before, &language), read_plain(text, &language));
    renested_plain(Plain { text: before, tree: &old_tree }, Plain { text, tree: &tree })
}

/// [`renested_since`] for texts that have been read.
pub fn renested_plain(before: Plain<'_>, text: Plain<'_>) -> Vec<Renested> {
    if before.text == text.text || !before.is_balanced() || !text.is_balanced() {
        return Vec::new();
    }
    let language = text.tree.language();
    let window = Window::with_context(before, text.text, None, NEAR);
    let (old_tree, new_tree) = (before.tree, text.tree);
    let (before, text) = (before.text, text.text);
    let [front, back] = &window.around;
    let near = front.start..back.end;
    let old_near = front.start..before.len() - (text.len() - back.end);
    let (text_near, before_near) = (&text[near.clone()], &before[old_near.clone()]);
    let now: Vec<Renested> = {
        let (first, last) = lines_of(text_near, &window.new, front.start);
        let tokens = tokens_within(text, new_tree, near);
        let found = found(text_near, &tokens, language, MARGIN_SINCE, first..=last);
        found.into_iter().filter(|form| first <= form.line && form.line <= last).collect()
    };
    if now.is_empty() {
        return now;
    }
    let (first, last) = lines_of(before_near, &window.old, front.start);
    let old_tokens = tokens_within(before, old_tree, old_near);
    let then = found(before_near, &old_tokens, language, MARGIN_BEFORE, first..=last);
    let doubtful = then.iter().filter(|form| first <= form.line).count();
    if doubtful >= now.len() { Vec::new() } else { worded(now, line_of(text, front.start) - 1) }
}

/// The first and last line of `range` within `near`, which begins at byte `start` of the text.
fn lines_of(near: &str, range: &Range<usize>, start: usize) -> (u32, u32) {
    (line_of(near, range.start - start), line_of(near, range.end - start))
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> u32 {
    count_line_ends(&text.as_bytes()[..at]) + 1
}

/// The `forms` of a part that begins after `lines` lines, as forms of the whole text.
fn worded(mut forms: Vec<Renested>, lines: u32) -> Vec<Renested> {
    for form in &mut forms {
        form.form_line += lines;
        form.line += lines;
        form.message = format!("line {}: {}", form.line, form.message);
    }
    forms
}

/// The forms of `text`, cut into `tokens`, that share a line with `lines`; their messages lack the line.
fn found(text: &str, tokens: &[Token], language: &Language, margin: f32, lines: RangeInclusive<u32>) -> Vec<Renested> {
    let chunks = chunks(tokens);
    let overall = learn(text, (tokens, &chunks), chunks.len(), [], language).habits;
    let mut looks = MOST_LOOKS;
    let mut found = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let own = &tokens[chunk.tokens.clone()];
        if own[0].line + 1 > *lines.end() || own[own.len() - 1].line + 1 < *lines.start() {
            continue;
        }
        if !chunk.healthy && chunk.net > 0 && defines(tokens, chunk) {
            let (form_line, line) = (own[0].line + 1, own[own.len() - 1].line + 1);
            let message = "the next definition is read as part of this form".to_owned();
            found.push(Renested { form_line, line, message });
        }
        if !chunk.healthy || own.len() > LARGEST {
            continue;
        }
        let unlikely =
            |costs: &Vec<f32>| own.iter().zip(costs).any(|(token, &cost)| token.opens_line && cost > UNLIKELY);
        if looks == 0 || !costs_as_it_is(own, &overall, false).as_ref().is_some_and(unlikely) {
            continue;
        }
        // The form itself does not count as evidence of its layout.
        looks -= 1;
        let habits = learn(text, (tokens, &chunks), index, [], language).habits;
        let Some(costs) = costs_as_it_is(own, &habits, false) else { continue };
        let as_it_is: f32 = costs.iter().sum();
        let limits = Limits { guard: &Guard::none(own.len()), beam: 64, everywhere: false, brackets: &[] };
        let readings = search(own, &habits, limits, 12);
        let Some(best) = readings.iter().find(|reading| !reading.actions.is_empty()) else { continue };
        if best.cost - ONE_FAULT + margin < as_it_is {
            found.push(describe(own, best.actions[0]));
        }
    }
    found
}

fn describe(own: &[Token], first: Action) -> Renested {
    let (at, what) = match first {
        Action::Close { at, .. } => (at, "the next lines are indented as if a list that is still open were closed"),
        Action::Drop { at } | Action::Change { at, .. } => {
            (at, "the next lines are indented as if a list that is closed there were still open")
        }
        Action::Open { at, .. } => (at, "its lines are indented as if they were in a list that has no opener"),
    };
    let line = own[at as usize].line + 1;
    Renested { form_line: own[0].line + 1, line, message: what.to_owned() }
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    const NEIGHBOUR: &str = "(defun g (x)\n  (let ((y x))\n    (print y)\n    (list x y)))\n\n";

    fn lines(form: &str) -> Vec<(u32, u32)> {
        let text = format!("{}{form}", NEIGHBOUR.repeat(8));
        let language = Dialect::CommonLisp.into();
        found(&text, &tokens(&text, &language), &language, MARGIN_SINCE, 1..=u32::MAX)
            .iter()
            .map(|form| (form.form_line, form.line))
            .collect()
    }

    #[test]
    fn a_closer_on_the_wrong_line_is_reported() {
        assert_eq!(lines("(defun f (x)\n  (when x\n    (print x))\n  (print 2)\n  (list x))\n"), []);
        assert_eq!(lines("(defun f (x)\n  (when x\n    (print x)\n  (print 2))\n  (list x))\n"), [(41, 43)]);
    }

    #[test]
    fn a_swallowed_definition_is_reported() {
        assert_eq!(lines("(defun f (x)\n  (list x)\n\n(defun h (x)\n  (list x)))\n"), [(41, 42)]);
    }
}

//! Text that balances, though its lines say that it was nested otherwise.
//!
//! A closer that slipped to another line leaves a text that every reader accepts and that means something else. Such a
//! text is never changed, because columns prove nothing. It is reported, so that the author of the last edit can look
//! at it.

use std::ops::{Range, RangeInclusive};

use lispwright_syntax::{Language, count_line_ends, read_plain};

use crate::proposals::search::{Action, Limits, costs_as_it_is, search};
use crate::text::code::{Token, tokens, tokens_within};
use crate::text::plain::Plain;
use crate::text::scope::{chunks, defines};
use crate::text::window::Window;
use crate::witnesses::guard::Guard;
use crate::witnesses::learn::learn;

/// How much likelier than the text as it is another nesting has to be, as a natural logarithm.
const MARGIN: f32 = 11.0;
/// The same where the earlier text is known, and by how much the earlier text itself must have been likelier as it was.
const MARGIN_SINCE: f32 = 3.0;
const MARGIN_BEFORE: f32 = 0.0;
/// A closer that slipped is one fault, though it takes two edits to undo: by how much that makes them likelier.
const ONE_FAULT: f32 = 9.0;
/// Only forms with a line at least this unlikely are looked at closely.
const UNLIKELY: f32 = 1.2;
/// At most so many forms are looked at closely.
const MOST_LOOKS: u32 = 64;
/// The code within so many bytes of a change shows how the file is laid out.
const NEAR: usize = 12_000;
/// Larger forms are left out, in tokens.
const LARGEST: usize = 4_000;

/// A form whose lines contradict its delimiters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renested {
    /// First line of the form, from 1.
    pub form_line: u32,
    /// The line on which a closer seems to be missing or extra first, from 1.
    pub line: u32,
    /// In words, for the author of the text.
    pub message: String,
}

/// The forms of a balanced `text` whose indentation says that a delimiter is on the wrong line. Empty for text that
/// does not balance: [`crate::repair`] is for that.
///
/// Columns alone are weak evidence, so only what is much likelier than the text as it is gets reported, and many a
/// wrong nesting is missed. Where the earlier text is known, [`renested_since`] sees more.
pub fn renested(text: &str, language: impl Into<Language>) -> Vec<Renested> {
    let language = language.into();
    if !read_plain(text, &language).diagnostics().is_empty() {
        return Vec::new();
    }
    worded(found(text, &tokens(text, &language), &language, MARGIN, 1..=u32::MAX), 0)
}

/// What [`renested`] finds in `text` with a lower bar, and does not find in `before`: forms in which the change between
/// the two contradicts the indentation. Both texts have to balance. Forms that did not change are never reported, nor
/// is a form that contradicted its indentation in as many places before.
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

/// The first and last line of `range`, as lines of `near`, which begins at byte `start` of the text.
fn lines_of(near: &str, range: &Range<usize>, start: usize) -> (u32, u32) {
    (line_of(near, range.start - start), line_of(near, range.end - start))
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> u32 {
    count_line_ends(&text.as_bytes()[..at]) + 1
}

/// The `forms` of a part that begins `lines` lines down, as forms of the whole text.
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
    let overall = learn(text, (tokens, &chunks), chunks.len(), [], language);
    let mut looks = MOST_LOOKS;
    let mut found = Vec::new();
    for (index, chunk) in chunks.iter().enumerate() {
        let own = &tokens[chunk.tokens.clone()];
        if own[0].line + 1 > *lines.end() || own[own.len() - 1].line + 1 < *lines.start() {
            continue;
        }
        if !chunk.healthy && chunk.net > 0 && defines(tokens, chunk) {
            let (form_line, line) = (own[0].line + 1, own[own.len() - 1].line + 1);
            let message = "the definition after it stands inside this form".to_owned();
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
        // The layout of the form is not learnt from the form itself.
        looks -= 1;
        let habits = learn(text, (tokens, &chunks), index, [], language);
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
        Action::Close { at, .. } => (at, "the lines after it stand outside a list that is still open there"),
        Action::Drop { at } | Action::Change { at, .. } => {
            (at, "the lines after it stand inside a list that is closed there")
        }
        Action::Open { at, .. } => (at, "its lines stand inside a list that begins nowhere"),
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

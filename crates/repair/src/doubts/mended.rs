//! A broken form after an answer, and whether people would write it like that.

use std::ops::Range;

use lispwright_syntax::TokenKind;

use super::{Considered, Sight};
use crate::case::Case;
use crate::proposals::quotes::touches_a_word;
use crate::proposals::search::costs_as_it_is;
use crate::text::code::{Token, tokens};
use crate::text::edit::{TextEdit, apply};
use crate::text::scope::chunks;
use crate::witnesses::habits::Habits;
use crate::witnesses::learn::learn;
use crate::witnesses::pairs::{places, settle};

/// A repair is doubtful if a token near it costs more than this, as a natural logarithm.
const ODD: f32 = 4.8;
/// The limit for the beginning of a line if no other lines show the layout.
const ODD_ALONE: f32 = 3.4;
/// The limit for an atom that ends a body: few lines begin with atoms, but this is a usual one.
const ODD_VALUE: f32 = 6.2;
/// A line that costs more than this is in a column that nothing explains.
const STRAY: f32 = 4.0;
/// A token that costs more than this is another fault.
const BROKEN: f32 = 8.6;
/// An operator as an argument costs more than this.
const OPERATOR_PASSED: f32 = 1.6;

/// A form after an answer.
pub(crate) struct Mended {
    /// The text of the form.
    pub(crate) text: String,
    /// The tokens of the form, with the lines and offsets that they have in `text`.
    pub(crate) tokens: Vec<Token>,
    /// The runs of closers in `text` in which the answer adds or changes some.
    pub(crate) supplied: Vec<Range<u32>>,
    /// The first bytes of the openers in `text` that the answer adds.
    pub(crate) opened: Vec<u32>,
    /// The lines in it from which the answer removes closers.
    pub(crate) taken: Vec<u32>,
    /// The cost of each token; `None` when the form does not balance.
    pub(crate) costs: Option<Vec<f32>>,
}

impl Case<'_> {
    /// After `edits`, the form that they change has lines in odd columns, an unusual shape or strings that touch words.
    pub(crate) fn is_odd_with(&self, edits: &[TextEdit]) -> bool {
        let text = apply(self.text, edits);
        let tokens = tokens(&text, self.language);
        let chunks = chunks(&tokens);
        let at = edits.first().map_or(0, |edit| edit.at);
        let Some(around) = chunks.iter().rposition(|chunk| tokens[chunk.tokens.start].start <= at) else { return true };
        let habits = learn(&text, (&tokens, &chunks), around, self.context.iter(), self.language).habits;
        let own = tokens[chunks[around].tokens.clone()].to_vec();
        let mended = Mended::of(text, own, &habits);
        let sight = if self.known { Sight::Known } else { Sight::All };
        touches_a_word(&mended.tokens)
            || mended.holds_prose()
            || mended.is_ragged()
            || !mended.shapes(sight, self.language.dialect(), &habits).without(self.without).is_empty()
    }

    /// The form of the tokens `own` after `edits`.
    pub(crate) fn mended(&self, own: &[Token], edits: &[TextEdit], habits: &Habits) -> Mended {
        let (start, end) = (own[0].start, own[own.len() - 1].end);
        let local: Vec<TextEdit> = edits.iter().map(|edit| TextEdit { at: edit.at - start, ..edit.clone() }).collect();
        let text = apply(&self.text[start as usize..end as usize], &local);
        let line = |edit: &&TextEdit| self.lines().line(edit.at) - 1 - own[0].line;
        let taken =
            edits.iter().filter(|edit| edit.removed.contains([')', ']', '}'])).map(|edit| line(&edit)).collect();
        let (mut tokens, supplied) = (tokens(&text, self.language), supplied(&text, &local));
        if own.iter().any(|token| token.settled) {
            settle(&mut tokens, own.iter().filter(|token| token.settled).map(|token| token.start - start), &local);
        }
        if own.iter().any(|token| token.old) {
            let lines = own.iter().filter(|token| token.old).map(|token| token.start - start);
            for index in places(&tokens, lines, &local) {
                tokens[index].old = true;
            }
        }
        let opened = opened(&local);
        Mended { supplied, opened, taken, ..Mended::of(text, tokens, habits) }
    }
}

/// The runs of closers in `text` that contain closers that `edits` have added.
fn supplied(text: &str, edits: &[TextEdit]) -> Vec<Range<u32>> {
    let closer = |byte: &u8| matches!(byte, b')' | b']' | b'}');
    let mut moved = 0;
    let mut runs = Vec::new();
    for edit in edits {
        let at = (edit.at as usize).saturating_add_signed(moved).min(text.len());
        moved += edit.inserted.len() as isize - edit.removed.len() as isize;
        if edit.inserted.bytes().any(|byte| closer(&byte)) {
            let before = text.as_bytes()[..at].iter().rev().take_while(|byte| closer(byte)).count();
            let after = text.as_bytes()[at..].iter().take_while(|byte| closer(byte)).count();
            runs.push((at - before) as u32..(at + after) as u32);
        }
    }
    runs
}

/// The places of the openers that `edits` add where nothing is removed, in the text after them.
fn opened(edits: &[TextEdit]) -> Vec<u32> {
    let mut moved = 0i64;
    let mut found = Vec::new();
    for edit in edits {
        let at = i64::from(edit.at) + moved;
        if edit.removed.is_empty() {
            let openers = edit.inserted.bytes().enumerate().filter(|(_, byte)| b"([{".contains(byte));
            found.extend(openers.filter_map(|(index, _)| u32::try_from(at + index as i64).ok()));
        }
        moved += edit.inserted.len() as i64 - edit.removed.len() as i64;
    }
    found
}

impl Mended {
    /// The form of these `tokens` of `text`, as it is.
    pub(crate) fn of(text: String, tokens: Vec<Token>, habits: &Habits) -> Self {
        let costs = costs_as_it_is(&tokens, habits, true);
        Self { text, tokens, supplied: Vec::new(), opened: Vec::new(), taken: Vec::new(), costs }
    }

    /// The tokens with their costs; none when the form does not balance.
    pub(super) fn costly(&self) -> impl Iterator<Item = (&Token, f32)> {
        self.tokens.iter().zip(self.costs.iter().flatten().copied())
    }

    /// Many lines of the form are in odd columns: its columns are no evidence.
    pub(crate) fn is_ragged(&self) -> bool {
        let lines = self.costly().skip(1).filter(|(token, _)| token.opens_line);
        let (count, odd) = lines.fold((0, 0), |(count, odd), (_, cost)| (count + 1, odd + u32::from(cost > STRAY)));
        self.is_broken() || (odd > 1 && odd * 4 > count)
    }

    /// The form has another fault.
    pub(crate) fn is_broken(&self) -> bool {
        self.costs.is_none() || self.costly().any(|(_, cost)| cost > BROKEN)
    }

    /// The costs of the tokens on `lines` and on the lines after them.
    fn near(&self, lines: &[u32]) -> impl Iterator<Item = (&Token, f32)> {
        let near = move |token: &Token| lines.iter().any(|&line| (line..=line + 1).contains(&token.line));
        self.costly().filter(move |(token, _)| near(token))
    }

    /// A token on `lines` or the lines after them is odd; if the form is `alone`, an unusual column is odd as well.
    pub(crate) fn is_odd_near(&self, lines: &[u32], alone: bool) -> bool {
        let odd = |(token, cost): (&Token, f32)| match self.is_value(token) {
            true => cost > ODD_VALUE,
            false => cost > ODD || (alone && token.opens_line && cost > ODD_ALONE),
        };
        self.costs.is_none() || self.near(lines).any(odd)
    }

    /// The token is an atom alone on the last line of its list: the value of a body, though few lines begin with atoms.
    pub(super) fn is_value(&self, token: &Token) -> bool {
        let next = self.tokens.partition_point(|other| other.start <= token.start);
        let ends = self.tokens.get(next).is_none_or(|next| next.kind.is_close() && next.line == token.line);
        token.kind == TokenKind::Atom && token.opens_line && token.trailing && ends
    }

    /// There is another fault on `lines` or the lines after them.
    pub(crate) fn is_broken_near(&self, lines: &[u32]) -> bool {
        self.costs.is_none() || self.near(lines).any(|(_, cost)| cost > BROKEN)
    }

    /// A symbol on `line` that is nearly always called is used as an argument.
    fn passes_an_operator(&self, line: u32, habits: &Habits) -> bool {
        self.tokens.windows(2).any(|pair| {
            let symbol = pair[1].line == line && pair[1].kind == TokenKind::Atom;
            let inside = !pair[0].kind.is_open() && !pair[0].kind.is_prefix();
            symbol && inside && habits.name(pair[1].name, false) > OPERATOR_PASSED
        })
    }
}

impl Considered<'_> {
    pub(super) fn passes_an_operator(&self) -> bool {
        let (mended, habits) = (self.mended(), self.form.habits);
        let mut taken = self.edits().iter().zip(&self.lines).filter(|(edit, _)| !edit.removed.is_empty());
        !self.is_far_ahead() && taken.any(|(_, line)| mended.passes_an_operator(*line, habits))
    }
}

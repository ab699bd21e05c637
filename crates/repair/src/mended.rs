//! A broken form as an answer would leave it, and whether anybody writes such a form.

use lispwright_syntax::TokenKind;

use crate::case::Case;
use crate::code::{Token, tokens};
use crate::edit::{Edit, apply};
use crate::habits::Habits;
use crate::search::costs_as_it_is;

/// Something as unlikely as this next to a repair, as a natural logarithm, makes the repair doubtful.
const ODD: f32 = 4.8;
/// A line as unlikely as this stands where nothing puts it.
const STRAY: f32 = 4.0;
/// Anything as unlikely as this is another fault.
const BROKEN: f32 = 8.6;
/// A symbol is called so regularly that passing it is this unlikely.
const OPERATOR_PASSED: f32 = 1.6;

/// A form with an answer carried out.
pub(crate) struct Mended {
    /// Lines are counted from its first.
    pub(crate) tokens: Vec<Token>,
    /// What each token costs; `None` when the form does not balance.
    pub(crate) costs: Option<Vec<f32>>,
}

impl Case<'_> {
    /// The form of the tokens `own` with `edits` made.
    pub(crate) fn mended(&self, own: &[Token], edits: &[Edit], habits: &Habits) -> Mended {
        let (start, end) = (own[0].start, own[own.len() - 1].end);
        let local: Vec<Edit> = edits.iter().map(|edit| Edit { at: edit.at - start, ..edit.clone() }).collect();
        let tokens = tokens(&apply(&self.text[start as usize..end as usize], &local), &self.language);
        let costs = costs_as_it_is(&tokens, habits, true);
        Mended { tokens, costs }
    }
}

impl Mended {
    /// The tokens with what each costs; none when the form does not balance.
    fn costly(&self) -> impl Iterator<Item = (&Token, f32)> {
        self.tokens.iter().zip(self.costs.iter().flatten().copied())
    }

    /// Many lines of the form stand where nothing puts them: its columns are no witness.
    pub(crate) fn is_ragged(&self) -> bool {
        let lines = self.costly().skip(1).filter(|(token, _)| token.opens_line);
        let (count, odd) = lines.fold((0, 0), |(count, odd), (_, cost)| (count + 1, odd + u32::from(cost > STRAY)));
        let broken = self.costly().any(|(_, cost)| cost > BROKEN);
        self.costs.is_none() || broken || (odd > 1 && odd * 4 > count)
    }

    /// The unlikeliest thing on `lines` and on the ones after them.
    fn worst_near(&self, lines: &[u32]) -> f32 {
        if self.costs.is_none() {
            return f32::MAX;
        }
        let near = |token: &Token| lines.iter().any(|&line| (line..=line + 1).contains(&token.line));
        self.costly().filter(|(token, _)| near(token)).map(|(_, cost)| cost).fold(0.0, f32::max)
    }

    /// What stands on `lines` or the ones after them is odd.
    pub(crate) fn is_odd_near(&self, lines: &[u32]) -> bool {
        self.worst_near(lines) > ODD
    }

    /// What stands there is another fault.
    pub(crate) fn is_broken_near(&self, lines: &[u32]) -> bool {
        self.worst_near(lines) > BROKEN
    }

    /// A symbol on `line` that is nearly always called stands in the middle of a list: a closer that was taken away there
    /// had lost its opener instead.
    pub(crate) fn passes_an_operator(&self, line: u32, habits: &Habits) -> bool {
        self.tokens.windows(2).any(|pair| {
            let symbol = pair[1].line == line && pair[1].kind == TokenKind::Atom;
            let inside = !pair[0].kind.is_open() && !pair[0].kind.is_prefix();
            symbol && inside && habits.name(pair[1].name, false) > OPERATOR_PASSED
        })
    }
}

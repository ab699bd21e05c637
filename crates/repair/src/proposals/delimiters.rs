//! Delimiters that could be meant: the readings of a broken form as edits of its text.

use lispwright_syntax::Delimiter;

use crate::case::{Answer, Case};
use crate::doubts::{Broken, Doubt};
use crate::proposals::search::{Action, Limits, Reading, search};
use crate::text::code::Token;
use crate::text::edit::{Edit, apply, normalise, replace};
use crate::witnesses::guard::{Guard, slide};

impl Case<'_> {
    /// What could be meant by one broken form, likeliest first, and what speaks against taking the first.
    pub(crate) fn likeliest(&self, form: Broken<'_>, guard: &Guard) -> (Vec<Answer>, Option<Doubt>) {
        let blind = form.flush.then(|| without_column_0(form.own));
        let own = blind.as_deref().unwrap_or(form.own);
        let brackets: &[Delimiter] = match self.language.dialect().has_brackets() {
            (true, true) => &[Delimiter::Paren, Delimiter::Bracket, Delimiter::Brace],
            _ => &[Delimiter::Paren],
        };
        let beam = match own.len() {
            20_001.. => 8,
            4_001.. => 32,
            _ => 192,
        };
        let limits = Limits { guard, beam, everywhere: own.len() <= 20_000, brackets };
        let readings = search(own, form.habits, limits, 24);
        let mut answers = self.answers(own, &readings);
        let form = Broken { own, ..form };
        let doubt = self.doubt(&form, &readings, &answers);
        if doubt.is_some() {
            self.rank(&form, readings.first(), &mut answers);
        }
        (answers, doubt)
    }

    /// Readings as edits of the text, without those that come to the same code.
    fn answers(&self, own: &[Token], readings: &[Reading]) -> Vec<Answer> {
        let edited: Vec<Vec<Edit>> = readings.iter().map(|reading| self.edits(own, reading)).collect();
        // They differ only between their first edits and their last ones.
        let start = edited.iter().flatten().map(|edit| edit.at as usize).min().unwrap_or(0);
        let end = edited.iter().flatten().map(|edit| edit.range().end).max().unwrap_or(start);
        let mut answers: Vec<Answer> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for (reading, edits) in readings.iter().zip(edited) {
            let local: Vec<Edit> =
                edits.iter().map(|edit| Edit { at: edit.at - start as u32, ..edit.clone() }).collect();
            let code: String = apply(&self.text[start..end], &local).chars().filter(|c| !c.is_whitespace()).collect();
            if !seen.contains(&code) {
                seen.push(code);
                let why = why(&reading.actions, own);
                answers.push(Answer { edits, cost: reading.cost, why });
            }
        }
        answers
    }

    /// A reading as edits of the text, inside the bytes that were changed where the same comes out.
    fn edits(&self, own: &[Token], reading: &Reading) -> Vec<Edit> {
        let edits = normalise(reading.actions.iter().map(|action| self.edit(own, *action)).collect());
        let Some(free) = &self.free else { return edits };
        let mut slid = edits.clone();
        slid.iter_mut().for_each(|edit| slide(self.text, edit, free));
        let slid = normalise(slid);
        // Two closers that slide may come to lie on each other.
        if slid.windows(2).all(|pair| pair[0].range().end <= pair[1].at as usize) { slid } else { edits }
    }

    pub(crate) fn edit(&self, own: &[Token], action: Action) -> Edit {
        let token = |at: u32| &own[at as usize];
        match action {
            Action::Close { at, with } => {
                let end = token(at).end as usize;
                replace(self.text, end..end, with.close().encode_utf8(&mut [0; 4]))
            }
            Action::Open { at, with } => {
                let start = token(at).start as usize;
                replace(self.text, start..start, with.open().encode_utf8(&mut [0; 4]))
            }
            Action::Drop { at } => replace(self.text, token(at).start as usize..token(at).end as usize, ""),
            Action::Change { at, to } => replace(
                self.text,
                token(at).start as usize..token(at).end as usize,
                to.close().encode_utf8(&mut [0; 4]),
            ),
        }
    }
}

/// The tokens, those in column 0 but the first without a word on where they stand.
fn without_column_0(tokens: &[Token]) -> Vec<Token> {
    let blind = |token: &Token| match token.column {
        0 => Token { opens_line: false, ..*token },
        _ => *token,
    };
    tokens[..1].iter().copied().chain(tokens[1..].iter().map(blind)).collect()
}

/// What speaks for a reading, in words.
fn why(actions: &[Action], own: &[Token]) -> &'static str {
    let last = own.len() - 1;
    let has_lines = own[last].line > own[0].line;
    let lines_follow = |at: u32| own[last].line > own[at as usize].line;
    match actions {
        [Action::Close { at, .. }, ..] if *at as usize == last && has_lines => {
            "it matches the indentation, with the closers at the end"
        }
        [Action::Close { at, .. }, ..] if lines_follow(*at) => {
            "the next line stands outside the list that is left open"
        }
        [Action::Close { .. }, ..] if has_lines => "it matches the indentation, with the closers here",
        [Action::Close { .. }, ..] => "the form balances when the list ends here",
        [Action::Drop { at }, ..] if lines_follow(*at) => "the lines after it stand inside the list that it closes",
        [Action::Drop { .. }, ..] if has_lines => "it matches the indentation without it",
        [Action::Drop { .. }, ..] => "the form balances without it",
        [Action::Change { .. }, ..] => "it closes the innermost list, which is of another kind",
        [Action::Open { .. }, ..] => "a list that ends here begins nowhere else",
        [] => "it balances",
    }
}

//! What speaks against taking the likeliest answer to a broken form.
//!
//! [`crate::search`] says how much likelier one answer is than the next; that is worth as much as the columns and the
//! answers that it compared. A doubt is a reason of another sort: a line that the answer leaves where nothing puts it, a
//! delimiter taken away where its counterpart may have been lost, a text that stops. One is enough to refuse.

use lispwright_syntax::TokenKind;
use lispwright_syntax::dialects::CharacterLiteral;

use crate::beside::{begins_with_a_word, is_below_a_list};
use crate::case::{Answer, Case};
use crate::code::{LITERAL, Token};
use crate::edit::{Edit, normalise};
use crate::guard::is_inside;
use crate::habits::Habits;
use crate::marks::is_stray;
use crate::outcome::Reason;
use crate::search::{Action, Reading};
use crate::unusual::{lacks_a_body, stops_before_its_body};

/// How much likelier than the next an answer has to be, as a natural logarithm.
pub(crate) const MARGIN: f32 = 2.0;
/// The same, for a supplied opener, and for changes of several lines.
const OPENER_MARGIN: f32 = 3.5;
const SEVERAL_MARGIN: f32 = 6.5;
const SEVERAL_MARGIN_KNOWN: f32 = 4.5;
/// The same, against an answer that supplies the counterpart on the line from which the best one takes a delimiter: which of
/// the two it is is seen only by what the line says, and that is one witness, not several.
const RIVAL_MARGIN: f32 = 4.4;
const KIND_RIVAL_MARGIN: f32 = 3.4;
const RIVAL_MARGIN_KNOWN: f32 = 2.5;
const OPENER_RIVAL_MARGIN: f32 = 6.0;
/// The same, against an opener at the beginning of a line that begins with a word and goes on.
const LINE_RIVAL_MARGIN: f32 = 9.0;
const LINE_RIVAL_MARGIN_KNOWN: f32 = 4.5;
/// The same, where lines stand in places that nothing puts them in, or what is said is odd.
pub(crate) const CLEAR_MARGIN: f32 = 7.0;
const CLEAR_MARGIN_KNOWN: f32 = 4.0;
/// A list as unlikely to end as this has not ended.
const NO_END: f32 = 1.6;
/// Who is so far ahead may take a closer from an operator that then stands in the middle of a list.
const PASSED_MARGIN: f32 = 7.0;
/// How far behind an answer has to be that undoes two faults more.
const FULLER_MARGIN: f32 = 7.5;
const FULLER_MARGIN_KNOWN: f32 = 5.0;

/// A broken form and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Broken<'a> {
    pub(crate) own: &'a [Token],
    pub(crate) habits: &'a Habits,
    /// Its columns say nothing.
    pub(crate) flush: bool,
    /// Nothing follows it in the text.
    pub(crate) ends_text: bool,
    /// The text ends with the words that the earlier text ends with.
    pub(crate) ends_alike: bool,
    /// It is not the only form of the text.
    pub(crate) among_others: bool,
    /// By how much further ahead its first answer has to be.
    pub(crate) several: f32,
    /// The earlier text has some of what it says.
    pub(crate) known: bool,
}

impl Case<'_> {
    /// Why not to take the first of the answers, which are the readings as edits, likeliest first; if there is a reason.
    pub(crate) fn doubt(&self, form: &Broken<'_>, readings: &[Reading], answers: &[Answer]) -> Option<Reason> {
        let Broken { own, habits, .. } = *form;
        let Some((best, reading)) = answers.first().zip(readings.first()) else { return Some(Reason::NoCandidate) };
        let ends_here = form.ends_text || (self.free.is_some() && self.writes_to(own[own.len() - 1].end as usize));
        if ends_here && !form.ends_alike && self.is_cut_short(own, reading, form.among_others, habits) {
            return Some(Reason::CutShort);
        }
        let lead = lead(answers);
        let clear = lead >= if form.known { CLEAR_MARGIN_KNOWN } else { CLEAR_MARGIN };
        let is_doubtful = form.flush
            // A head that stands alone has lost its body, not its closer.
            || (own.len() == 2 && own[0].kind.is_open())
            || lead < self.margin_due(&best.edits, form.known) + form.several
            || self.has_rival(form, answers)
            || has_fuller_rival(answers, if form.known { FULLER_MARGIN_KNOWN } else { FULLER_MARGIN })
            || self.leaves_the_edit(&best.edits)
            || self.bares_a_character(own)
            || takes_a_lone_closer(own, &best.edits)
            || self.closes_before_code(&best.edits)
            || self.glues_words(&best.edits)
            || self.leaves_a_closer_in_a_comment(own, &best.edits)
            || self.breaks_a_row(own, &best.edits)
            || (!form.known && self.closes_behind_a_seam(own, &best.edits))
            || (!form.known && own.iter().any(|token| token.kind == TokenKind::Discard))
            || self.leaves_it_odd(form, &best.edits, lead, clear);
        is_doubtful.then_some(Reason::Ambiguous)
    }

    /// What the answer makes of the form is not what anybody writes.
    fn leaves_it_odd(&self, form: &Broken<'_>, edits: &[Edit], lead: f32, clear: bool) -> bool {
        let mended = self.mended(form.own, edits, form.habits);
        let alone = !form.known && form.habits.lines == 0;
        let lines: Vec<u32> = edits.iter().map(|edit| self.lines.line(edit.at) - 1 - form.own[0].line).collect();
        let passes =
            |line: &u32, edit: &Edit| !edit.removed.is_empty() && mended.passes_an_operator(*line, form.habits);
        mended.is_broken_near(&lines)
            || mended.is_unusual(form.known, self.language.dialect(), form.habits)
            || mended.falls_apart()
            || mended.doubles_an_opener(form.habits)
            || (lead < if form.known { CLEAR_MARGIN_KNOWN } else { PASSED_MARGIN }
                && lines.iter().zip(edits).any(|(line, edit)| passes(line, edit)))
            || (!clear && (mended.is_ragged() || mended.is_odd_near(&lines, alone)))
    }

    /// How far ahead the best answer has to be: several faults in one form can be read in many ways, and where a list
    /// begins shows in no column.
    fn margin_due(&self, edits: &[Edit], known: bool) -> f32 {
        let opener = |edit: &Edit| edit.inserted.contains(['(', '[', '{']);
        let lines = edits.iter().map(|edit| self.lines.line(edit.at));
        match edits {
            [edit] if opener(edit) => OPENER_MARGIN,
            [first, ..] if edits.iter().any(opener) || lines.clone().any(|line| line != self.lines.line(first.at)) => {
                if known {
                    SEVERAL_MARGIN_KNOWN
                } else {
                    SEVERAL_MARGIN
                }
            }
            _ => MARGIN,
        }
    }

    /// The best answer takes a delimiter away, and another supplies its counterpart on the same line.
    fn has_rival(&self, form: &Broken<'_>, answers: &[Answer]) -> bool {
        let Broken { own, habits, known, .. } = *form;
        let Some((best, others)) = answers.split_first() else { return false };
        let [edit] = &best.edits[..] else { return false };
        let line = self.lines.line(edit.at);
        // A symbol alone on its line is seldom a call.
        let code = self.text[self.lines.line_span(line).unwrap_or_default().range()].trim();
        if !code.contains([' ', '\t']) {
            return false;
        }
        let (rivals, margin): (&[char], f32) = match edit.removed.starts_with(['(', '[', '{']) {
            true if known => (&[')', ']', '}'], RIVAL_MARGIN_KNOWN),
            true => (&[')', ']', '}'], OPENER_RIVAL_MARGIN),
            // Where the earlier text is known, a lost opener shows in it.
            false if edit.removed.starts_with(')') && !known => (&['(', '[', '{'], RIVAL_MARGIN),
            false if known => (&['(', '[', '{'], RIVAL_MARGIN_KNOWN),
            false => (&['(', '[', '{'], KIND_RIVAL_MARGIN),
        };
        let rival = |other: &&Answer| match &other.edits[..] {
            [only] => {
                let margin = match (begins_with_a_word(own, only), known) {
                    (true, true) => LINE_RIVAL_MARGIN_KNOWN,
                    (true, false) => LINE_RIVAL_MARGIN,
                    (false, _) => margin,
                };
                only.inserted.starts_with(rivals)
                    && self.lines.line(only.at) == line
                    && other.cost - best.cost < margin
                    && (is_below_a_list(own, only) || !self.calls_a_plain_word(own, habits, other))
            }
            _ => false,
        };
        !edit.removed.is_empty() && edit.inserted.is_empty() && others.iter().any(|other| rival(&other))
    }

    /// The edits change what was right before.
    pub(crate) fn leaves_the_edit(&self, edits: &[Edit]) -> bool {
        let free = self.free.as_ref().filter(|_| self.strict);
        free.is_some_and(|free| !edits.iter().all(|edit| is_inside(edit, free)))
    }

    /// The end of a block comment stands where none is open, or one atom is commented out: a slip, or an edit that is not
    /// finished. Who does that more often does it on purpose.
    pub(crate) fn has_stray_mark(&self, own: &[Token]) -> bool {
        let stray = |token: &Token| is_stray(self.text, token.start as usize..token.end as usize);
        let discards = own.windows(2).filter(|pair| pair[0].kind == TokenKind::Discard && !pair[1].kind.is_open());
        discards.count() == 1 || own.iter().any(|token| token.kind == TokenKind::Atom && stray(token))
    }

    /// The rival opens a list at a word that is nowhere called: nothing but the count of delimiters speaks for it.
    fn calls_a_plain_word(&self, own: &[Token], habits: &Habits, rival: &Answer) -> bool {
        let [edit] = &rival.edits[..] else { return false };
        let Some(at) = own.iter().position(|token| token.start == edit.at) else { return false };
        let word = &own[at];
        if word.kind != TokenKind::Atom || word.name == LITERAL || edit.inserted != "(" {
            return false;
        }
        let called = own.windows(2).any(|pair| pair[0].kind.is_open() && pair[1].name == word.name);
        let elsewhere = own.iter().filter(|token| token.name == word.name).count() > 1;
        elsewhere && !called && !habits.is_operator(word.name) && !habits.is_called(word.name)
    }

    /// A bracket stands as if a character literal had lost its backslash: behind a `#`, or alone where that needs none.
    fn bares_a_character(&self, own: &[Token]) -> bool {
        let bytes = self.text.as_bytes();
        let blank = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        let literal = self.language.dialect().table().character;
        let bare = |token: &Token| {
            let (start, end) = (token.start as usize, token.end as usize);
            match literal {
                CharacterLiteral::Backslash => {
                    let apart = !token.first && !token.last && blank(start - 1) && blank(end);
                    token.delimiter().is_some() && apart
                }
                _ => {
                    bytes[start] == b'#'
                        && token.kind != TokenKind::String
                        && match bytes.get(start + 1) {
                            Some(b')' | b']') => true,
                            Some(b'[') => literal != CharacterLiteral::Question || blank(start + 2),
                            Some(b'(' | b';' | b'"') => blank(start + 2),
                            _ => end == start + 1 && blank(end),
                        }
                }
            }
        };
        own.iter().any(bare)
    }

    /// What may be changed reaches to byte `end`, or to closers before it: those may be the same as before by chance.
    fn writes_to(&self, end: usize) -> bool {
        self.free.as_ref().is_none_or(|free| {
            let rest = self.text.get(free.end.min(end)..end).unwrap_or_default();
            free.end <= end && rest.chars().all(|c| matches!(c, ')' | ']' | '}'))
        })
    }

    /// The text ends here and looks as if more was to come. Who forgets a closer has written the others: one is missing, or
    /// two behind two that are there. Who was cut off has several lists open, or one that nobody would end there.
    fn is_cut_short(&self, own: &[Token], best: &Reading, among_others: bool, habits: &Habits) -> bool {
        let last = own[own.len() - 1];
        if !self.writes_to(last.end as usize) {
            return false;
        }
        let head = own.len() < 2 || (own[own.len() - 2].kind.is_open() && last.kind == TokenKind::Atom);
        if last.kind.is_open() || last.kind.is_prefix() || head {
            return true;
        }
        let at_end = |action: &&Action| matches!(action, Action::Close { at, .. } if *at as usize + 1 == own.len());
        let missing = best.actions.iter().filter(at_end).count();
        if missing == 0 {
            return false;
        }
        let there = own.iter().rev().take_while(|token| token.kind.is_close()).count();
        // A file ends with a line end.
        let stops = self.at_end && among_others && !self.text.ends_with('\n');
        let keyword = self.text[last.start as usize..last.end as usize].starts_with([':', '#']);
        // Whoever leaves a line empty, or comments on what is to come, goes on.
        let rest = &self.text[last.end as usize..];
        let remarks =
            rest.lines().skip(1).any(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with(';'));
        let goes_on = self.at_end && among_others && (remarks || (missing > 1 && rest.matches('\n').count() > 1));
        if goes_on || missing > 2 || (stops && (missing > 1 || there < 2)) || keyword {
            return true;
        }
        let edits = normalise(best.actions.iter().map(|action| self.edit(own, *action)).collect());
        let mended = self.mended(own, &edits, habits);
        let Some(costs) = &mended.costs else { return true };
        if lacks_a_body(&mended.tokens, self.language.dialect(), habits)
            || (among_others && stops_before_its_body(&mended.tokens, self.language.dialect(), habits))
        {
            return true;
        }
        let ends = &costs[costs.len() - missing..];
        ends.iter().any(|&cost| cost > NO_END) || (there == 0 && ends.iter().sum::<f32>() > NO_END)
    }
}

/// A closer that stands first on its line goes: whoever wrote it there meant to end a list of many lines.
fn takes_a_lone_closer(own: &[Token], edits: &[Edit]) -> bool {
    let lone = |edit: &Edit| own.iter().any(|token| token.start == edit.at && token.first && token.kind.is_close());
    edits.iter().any(|edit| !edit.removed.is_empty() && lone(edit))
}

/// Another answer undoes two faults more, and that explains the lines so much better that it nearly pays for them.
fn has_fuller_rival(answers: &[Answer], margin: f32) -> bool {
    let Some((best, others)) = answers.split_first() else { return false };
    let delimiters = |answer: &Answer| -> usize {
        let of = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        answer.edits.iter().map(|edit| of(&edit.inserted).max(of(&edit.removed))).sum()
    };
    let due = delimiters(best) + 2;
    others.iter().any(|other| {
        other.cost - best.cost < margin && other.edits.len() > best.edits.len() && delimiters(other) >= due
    })
}

/// How much likelier the first answer is than all others together, as a natural logarithm.
pub(crate) fn lead(answers: &[Answer]) -> f32 {
    let Some((best, others)) = answers.split_first() else { return 0.0 };
    let together: f32 = others.iter().map(|other| (best.cost - other.cost).exp()).sum();
    (-together.ln()).min(24.0)
}

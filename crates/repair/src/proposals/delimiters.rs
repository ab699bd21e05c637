//! Delimiters that were lost, added or mistaken: each broken form is searched for its likeliest readings.

use lispwright_syntax::Delimiter;

use super::search::{Action, Limits, Reading, search};
use super::{Answer, Proposal, Sort, quotes};
use crate::case::Case;
use crate::doubts::{Broken, CLEAR_MARGIN, Doubt, MARGIN, lead};
use crate::outcome::{Evidence, Reason};
use crate::text::code::Token;
use crate::text::edit::{CLOSERS, TextEdit, apply, normalise, replace, solid};
use crate::text::plain::Plain;
use crate::text::scope::{Chunk, defines};
use crate::text::wrappers::begins_library;
use crate::witnesses::guard::{Guard, slide};

/// By how much the lead of each answer has to be larger if several forms are broken.
const AMONG_BROKEN: f32 = 2.0;
/// An earlier text that shares fewer of its words, from 0 to 1, is no evidence.
const SOME_WORDS: f32 = 0.02;
/// More broken forms than this are not repaired in one go.
const MOST_BROKEN: usize = 12;
/// In tokens: larger forms are not searched.
const LARGEST: usize = 150_000;
/// The number of readings of a form.
const READINGS: usize = 24;

/// A list may have been put around this many of the forms that follow it.
pub(crate) const MOST_WRAPPED: usize = 3;
const WRAPPED: &str = "the list may have been put around the forms that follow";
/// The number of answers to each of several forms that are tried alone, and of all that are tried.
const BEST_ALONE: usize = 2;
const MOST_ALONE: usize = 8;

pub(crate) struct Delimiters;

impl Sort for Delimiters {
    fn propose(&self, case: &Case<'_>) -> Option<Proposal> {
        (!case.has_open_text()).then(|| case.delimiters())
    }
}

/// The answers to one broken form, likeliest first, and the doubt about the first.
struct Considered {
    answers: Vec<Answer>,
    doubt: Option<Doubt>,
    /// The line on which the form begins, from 0.
    line: u32,
    /// Its openers minus its closers.
    net: i64,
    /// It begins like a definition.
    defines: bool,
}

impl Case<'_> {
    /// The answers from the layout, and from the earlier text if `known`.
    pub(crate) fn by_delimiters(&self, known: bool) -> Proposal {
        let (tokens, chunks) = self.cut();
        if self.considers(Doubt::InsideOut) && quotes::are_doubtful(self.text, self.language, tokens, chunks) {
            return Proposal::open(Doubt::InsideOut, self.quotes_put_back());
        }
        let broken: Vec<&Chunk> = chunks.iter().filter(|chunk| !chunk.healthy).collect();
        if broken.len() > MOST_BROKEN || broken.is_empty() {
            return Proposal::open(Reason::Entangled, Vec::new());
        }
        if broken.iter().any(|chunk| chunk.tokens.len() > LARGEST) {
            return Proposal::open(Reason::NoCandidate, Vec::new());
        }
        if let Some(proposal) = self.end_of_library(&broken) {
            return proposal;
        }
        let habits = self.habits();
        let entangled = self.entangled(habits);
        let pairs = self.pairs().filter(|_| known);
        let guard = Guard::of(self.text, tokens, self.version().zip(pairs), self.free.as_ref());
        let settled = pairs.map(|pairs| pairs.settled(tokens));
        let tokens = settled.as_ref().unwrap_or(tokens);
        let known = known && self.known && self.alignment().is_some_and(|alignment| alignment.common > SOME_WORDS);
        let hanging = match &broken[..] {
            [only] => self.around_the_next(only),
            _ => Vec::new(),
        };
        let consider = |chunk: &&Chunk| {
            let own = &tokens[chunk.tokens.clone()];
            let ends_text = chunk.tokens.end == tokens.len();
            let form = Broken {
                own,
                habits,
                flush: chunk.flush,
                ends_text,
                ends_alike: ends_text && self.version().is_some_and(|alignment| alignment.ends_alike),
                among_others: chunks.len() > 1,
                several: if broken.len() > 1 { AMONG_BROKEN } else { 0.0 },
                known,
            };
            let (answers, doubt) = self.likeliest(form, &guard.part(chunk.tokens.clone()));
            let doubt = doubt.filter(|doubt| *doubt == Doubt::StopsShort).or(entangled).or(doubt);
            Considered { answers, doubt, line: own[0].line, net: chunk.net, defines: defines(tokens, chunk) }
        };
        let mut forms: Vec<Considered> = broken.iter().map(consider).collect();
        if self.has_one_slip(&forms) {
            forms.iter_mut().for_each(|form| form.doubt = None);
        }
        let alone = match entangled {
            Some(Doubt::Cancelling) => self.each_alone(&forms),
            _ => Vec::new(),
        };
        match self.joined(forms) {
            Proposal::Open { objection, answers } if !(hanging.is_empty() && alone.is_empty()) => {
                let wraps = objection.doubt.is_some_and(Doubt::may_hide_a_wrap);
                let hanging = if wraps { hanging } else { Vec::new() };
                let first = usize::from(objection.doubt == Some(Doubt::Flush)).min(answers.len());
                let (before, after) = answers.split_at(first);
                let after = after.iter().filter(|other| alone.iter().all(|answer| answer.edits != other.edits));
                let first = Proposal::open(objection, [before, &alone, &hanging].concat());
                Proposal::Open { objection, answers: first.answers_and(after.cloned()) }
            }
            proposal => proposal,
        }
    }

    /// The forms have the same slip on lines that are alike, and each answer would be taken if the others did not count
    /// against it: who slips in one of several parallel lines slips in all.
    fn has_one_slip(&self, forms: &[Considered]) -> bool {
        let tokens = &self.cut().0;
        let slip = |form: &Considered| {
            let [edit] = &form.answers.first()?.edits[..] else { return None };
            let certain = match form.doubt {
                None => true,
                Some(Doubt::CloseCall) => lead(&form.answers) >= MARGIN && edit.adds(CLOSERS),
                Some(_) => false,
            };
            let line = self.lines().line(edit.at) - 1;
            let outline = self.rows().outline(self.text, tokens, line, std::slice::from_ref(edit));
            certain.then(|| (edit.inserted.clone(), edit.removed.clone(), outline))
        };
        let mut slips = forms.iter().map(slip);
        let first = slips.next().flatten();
        forms.len() > 1 && first.is_some() && slips.all(|slip| slip == first)
    }

    /// If the only broken form is the beginning of a library whose body begins in column 0, the closers that are missing at
    /// the end of the text: a library is not empty.
    fn end_of_library(&self, broken: &[&Chunk]) -> Option<Proposal> {
        let (tokens, chunks) = self.cut();
        let [only] = broken else { return None };
        let own = &tokens[only.tokens.clone()];
        let is_last = chunks.last().is_some_and(|last| last.tokens.end == only.tokens.end);
        // A library after other forms may end before others.
        let is_first = chunks
            .iter()
            .take_while(|chunk| chunk.tokens.end <= only.tokens.start)
            .all(|chunk| chunk.tokens.len() == 1);
        let known = self.before.is_some() || self.free.is_some() || !self.at_end;
        if !begins_library(own) || !is_first || is_last || known || only.low < 0 || !self.text.ends_with('\n') {
            return None;
        }
        let closers: String = own
            .iter()
            .try_fold(Vec::new(), |mut open, token| {
                match token.delimiter() {
                    Some(delimiter) if token.kind.is_open() => open.push(delimiter),
                    Some(delimiter) => drop(open.pop().filter(|own| *own == delimiter)?),
                    None => {}
                }
                Some(open)
            })?
            .into_iter()
            .rev()
            .map(Delimiter::close)
            .collect();
        let end = tokens.last()?.end as usize;
        let why = "the library holds the forms after it, up to the end of the file";
        Some(self.sure(vec![replace(self.text, end..end, &closers)], why, CLEAR_MARGIN))
    }

    /// If the lists that a broken form leaves open may have been put around the forms after it: their closers at the
    /// end of each of those.
    fn around_the_next(&self, broken: &Chunk) -> Vec<Answer> {
        let (tokens, chunks) = self.cut();
        let own = &tokens[broken.tokens.clone()];
        if broken.net <= 0 || broken.low < 0 || defines(tokens, broken) {
            return Vec::new();
        }
        let mut open: Vec<Delimiter> = Vec::new();
        for token in own {
            match token.delimiter() {
                Some(delimiter) if token.kind.is_open() => open.push(delimiter),
                Some(_) => drop(open.pop()),
                None => {}
            }
        }
        let closers: String = open.iter().rev().map(|delimiter| delimiter.close()).collect();
        let next = chunks.iter().skip_while(|chunk| chunk.tokens.start < broken.tokens.end);
        let sound = next.take_while(|chunk| chunk.healthy && tokens[chunk.tokens.start].kind.is_open());
        let ends = sound.take(MOST_WRAPPED).map(|chunk| tokens[chunk.tokens.end - 1].end);
        let answer = |end: u32| Answer::new(vec![replace(self.text, end as usize..end as usize, &closers)], WRAPPED);
        ends.map(answer).collect()
    }

    /// For forms of which one has a closer too many and another one too few, because a list around them was not
    /// recognised: the answers to one of them after which the text balances.
    fn each_alone(&self, forms: &[Considered]) -> Vec<Answer> {
        let all: i64 = forms.iter().map(|form| form.net).sum();
        let read = Plain { text: self.text, tree: self.tree };
        let mut fitting: Vec<&Considered> = forms.iter().filter(|form| form.net.signum() == all.signum()).collect();
        fitting.sort_by_key(|form| !form.defines);
        let ranks = (0..BEST_ALONE).flat_map(|rank| fitting.iter().filter_map(move |form| form.answers.get(rank)));
        let alone = ranks.map(|answer| Answer { beside: Vec::new(), ..answer.clone() });
        let balances = |answer: &Answer| read.balances_as(&apply(self.text, &answer.edits), self.language);
        alone.take(MOST_ALONE).filter(balances).collect()
    }

    /// The answers to several forms as one proposal; if a form cannot be decided, the answers to that form.
    fn joined(&self, mut forms: Vec<Considered>) -> Proposal {
        let stops = forms.iter().position(|form| form.doubt == Some(Doubt::StopsShort));
        let open = || forms.iter().position(|form| form.doubt.is_some() || form.answers.is_empty());
        if let Some(index) = stops.or_else(open) {
            let Considered { mut answers, doubt, .. } = forms.remove(index);
            // An answer makes the whole text balance: it includes the likeliest answers to the other forms.
            match forms.iter().map(|form| Some(form.answers.first()?.edits.as_slice())).collect::<Option<Vec<_>>>() {
                Some(others) => answers.iter_mut().for_each(|answer| answer.beside = others.concat()),
                None => answers.clear(),
            }
            return match doubt {
                Some(doubt) => Proposal::open(doubt, answers),
                None => Proposal::open(Reason::NoCandidate, answers),
            };
        }
        let margin = forms.iter().map(|form| lead(&form.answers)).fold(f32::MAX, f32::min);
        let best = || forms.iter().filter_map(|form| Some((form.answers.first()?, form.line)));
        let said = |(best, line): (&Answer, u32)| Evidence { form_line: Some(line + 1), why: best.why.to_owned() };
        let edits = normalise(best().flat_map(|(best, _)| best.edits.clone()).collect());
        let why = best().next().map_or("", |(best, _)| best.why);
        self.certain(Answer::new(edits, why), best().map(said).collect(), margin)
    }

    /// The answers to one broken form, likeliest first, and the doubt about the first.
    fn likeliest(&self, form: Broken<'_>, guard: &Guard) -> (Vec<Answer>, Option<Doubt>) {
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
        let mut readings = search(own, form.habits, limits, READINGS);
        let mut answers = self.answers(own, &readings);
        let form = Broken { own, ..form };
        self.weigh_by_rows(&form, &mut readings, &mut answers);
        self.discount(&form, &mut answers);
        let best =
            readings.iter().find(|reading| answers.first().is_some_and(|best| self.edits(own, reading) == best.edits));
        let doubt = best.and_then(|best| self.doubt(&form, guard, best, &answers));
        if doubt.is_some() {
            self.rank(&form, best, &mut answers);
        }
        (answers, doubt)
    }

    /// The readings as edits of the text; of several that give the same code, the first.
    fn answers(&self, own: &[Token], readings: &[Reading]) -> Vec<Answer> {
        let edited: Vec<Vec<TextEdit>> = readings.iter().map(|reading| self.edits(own, reading)).collect();
        // They differ only between their first edits and their last ones.
        let start = edited.iter().flatten().map(|edit| edit.at as usize).min().unwrap_or(0);
        let end = edited.iter().flatten().map(|edit| edit.range().end).max().unwrap_or(start);
        let mut answers: Vec<Answer> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        for (reading, edits) in readings.iter().zip(edited) {
            let local: Vec<TextEdit> =
                edits.iter().map(|edit| TextEdit { at: edit.at - start as u32, ..edit.clone() }).collect();
            let code: String = solid(&apply(&self.text[start..end], &local)).collect();
            if !seen.contains(&code) {
                seen.push(code);
                answers.push(Answer { cost: reading.cost, ..Answer::new(edits, why(&reading.actions, own)) });
            }
        }
        answers
    }

    /// A reading as edits of the text, moved into the changed bytes if that gives the same text.
    fn edits(&self, own: &[Token], reading: &Reading) -> Vec<TextEdit> {
        let edits = normalise(reading.actions.iter().map(|action| self.edit(own, *action)).collect());
        let Some(free) = &self.free else { return edits };
        let mut slid = edits.clone();
        slid.iter_mut().for_each(|edit| slide(self.text, edit, free));
        let slid = normalise(slid);
        // Two moved closers may overlap.
        if slid.windows(2).all(|pair| pair[0].range().end <= pair[1].at as usize) { slid } else { edits }
    }

    pub(crate) fn edit(&self, own: &[Token], action: Action) -> TextEdit {
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

/// The tokens; those in column 0, except the first, do not count as the beginnings of lines.
fn without_column_0(tokens: &[Token]) -> Vec<Token> {
    let blind = |token: &Token| match token.column {
        0 => Token { opens_line: false, ..*token },
        _ => *token,
    };
    tokens[..1].iter().copied().chain(tokens[1..].iter().map(blind)).collect()
}

/// The reason for a reading, in words.
fn why(actions: &[Action], own: &[Token]) -> &'static str {
    let last = own.len() - 1;
    let has_lines = own[last].line > own[0].line;
    let lines_follow = |at: u32| own[last].line > own[at as usize].line;
    match actions {
        [Action::Close { at, .. }, ..] if *at as usize == last && has_lines => {
            "it matches the indentation, with the closers at the end"
        }
        [Action::Close { at, .. }, ..] if lines_follow(*at) => "the next line is indented as if the list were closed",
        [Action::Close { .. }, ..] if has_lines => "it matches the indentation, with the closers here",
        [Action::Close { .. }, ..] => "the form balances when the list ends here",
        [Action::Drop { at }, ..] if lines_follow(*at) && own[*at as usize].kind.is_close() => {
            "the next lines are indented as if the list were still open"
        }
        [Action::Drop { .. }, ..] if has_lines => "it matches the indentation without it",
        [Action::Drop { .. }, ..] => "the form balances without it",
        [Action::Change { .. }, ..] => "the innermost open list begins with another kind of bracket",
        [Action::Open { .. }, ..] => "without it, a later closer has no opener",
        [] => "it balances",
    }
}

//! From witnesses to an answer: repair what is certain, refuse the rest with its likeliest readings.

use std::ops::Range;

use lispwright_syntax::{Delimiter, DiagnosticKind, Language, TokenKind, Tree, read_plain};

use crate::align::{Alignment, align};
use crate::case::{Answer, Case};
use crate::code::{Token, tokens};
use crate::edit::{Edit, apply, normalise, replace};
use crate::guard::{Guard, is_inside, slid};
use crate::habits::Habits;
use crate::learn::learn;
use crate::outcome::{Evidence, Outcome, Reason};
use crate::quotes;
use crate::scope::{Chunk, chunks};
use crate::search::{Action, Limits, Reading, costs_as_it_is, search};
use crate::window::{Window, widened};

/// How much likelier than the next an answer has to be, as a natural logarithm.
const MARGIN: f32 = 2.5;
/// The same, against an answer that supplies the counterpart on the line from which the best one takes a delimiter: which of
/// the two it is is seen only by what the line says, and that is one witness, not several.
const RIVAL_MARGIN: f32 = 3.4;
const OPENER_RIVAL_MARGIN: f32 = 6.0;
/// Something as unlikely as this next to a repair, as a natural logarithm, makes the repair doubtful.
const ODD: f32 = 4.8;
/// A line as unlikely as this stands where nothing puts it.
const STRAY: f32 = 4.0;
/// A list as unlikely to end as this has not ended.
const NO_END: f32 = 1.6;
/// A symbol is called so regularly that passing it is this unlikely.
const OPERATOR_PASSED: f32 = 1.6;
/// More broken forms than this are not repaired in one go.
const MOST_BROKEN: usize = 12;
/// Larger texts are not repaired, in bytes, when no earlier text shows which part of them is broken.
const LARGEST_TEXT: usize = 3 << 20;
/// Larger forms are not looked at more closely than plain matching does, in tokens.
const LARGEST: usize = 150_000;
/// Bytes read at most in trying combinations of gaps.
const READING_BUDGET: usize = 24 << 20;

/// What is known besides the text.
#[derive(Clone, Debug, Default)]
pub struct Earlier<'a> {
    /// The text before the change that broke it: of the same file or form. Ignored unless it balances.
    pub text: Option<&'a str>,
    /// The bytes of the given text that the change wrote. With it, nothing is repaired outside them as long as the earlier
    /// text differs nowhere else.
    pub edited: Option<Range<u32>>,
}

/// Repairs `text`, or says why not.
///
/// Text that the dialect's reader would balance comes back as [`Outcome::Balanced`]. Otherwise the result of an
/// [`Outcome::Repaired`] balances, differs from `text` only in its edits, and those lie inside the forms it lists. With an
/// earlier text that balances, they lie inside the forms that differ from it; with `edited` as well, inside those bytes.
pub fn repair(text: &str, language: impl Into<Language>, earlier: &Earlier<'_>) -> Outcome {
    let language = language.into();
    let tree = read_plain(text, &language);
    if tree.diagnostics().is_empty() {
        return Outcome::Balanced;
    }
    let before = earlier.text.filter(|before| read_plain(before, &language).diagnostics().is_empty());
    let Some(before) = before else {
        let edited = earlier.edited.as_ref().map(|edited| edited.start as usize..edited.end as usize);
        let free = edited.filter(|free| free.start <= free.end && text.get(free.clone()).is_some());
        return Case::new(text, language, free).outcome(&tree, None);
    };
    let window = Window::between(before, text, earlier.edited.as_ref(), &language);
    let (own, old) = (&text[window.new.clone()], &before[window.old.clone()]);
    let whole_tree = tree;
    let tree = read_plain(own, &language);
    let whole = |language: Language| Case::new(text, language, None).outcome(&whole_tree, Some(before));
    if tree.diagnostics().is_empty() {
        return whole(language);
    }
    let lines = text[..window.new.start].bytes().filter(|byte| *byte == b'\n').count() as u32;
    let free = window.changed.start - window.new.start..window.changed.end - window.new.start;
    let mut case = Case::new(own, language, Some(free));
    case.strict = earlier.edited.is_some();
    case.context = window.around.iter().map(|range| &text[range.clone()]).collect();
    case.at_end = text[window.new.end..].trim().is_empty();
    let outcome = widened(case.outcome(&tree, Some(old)), text, window.new.start, lines);
    match &outcome {
        // A token may run from the window into what follows.
        Outcome::Repaired(repair) if !read_plain(&repair.text, &case.language).diagnostics().is_empty() => {
            whole(case.language)
        }
        _ => outcome,
    }
}

fn is_delimiter_fault(kind: DiagnosticKind) -> bool {
    !matches!(kind, DiagnosticKind::TooDeep | DiagnosticKind::DanglingPrefix)
}

impl<'a> Case<'a> {
    fn outcome(&self, tree: &Tree, before: Option<&'a str>) -> Outcome {
        if !tree.diagnostics().iter().any(|diagnostic| is_delimiter_fault(diagnostic.kind)) {
            return self.refuse(tree, Reason::NotDelimiters, Vec::new());
        }
        if self.text.len() > LARGEST_TEXT {
            return self.refuse(tree, Reason::NoCandidate, Vec::new());
        }
        let alignment = before.map(|before| align(before, self.text));
        if alignment.as_ref().is_some_and(|alignment| alignment.kept > 0.6 && self.is_cut_off(tree, alignment)) {
            return self.refuse(tree, Reason::CutShort, Vec::new());
        }
        let alignment = alignment.filter(|alignment| alignment.common > 0.3);
        if let Some(alignment) = &alignment
            && let Some(outcome) = self.by_earlier_text(tree, alignment)
        {
            return outcome;
        }
        self.by_likelihood(tree, before, alignment.as_ref())
    }

    /// The text is still open at its end, and the earlier text goes on there.
    fn is_cut_off(&self, tree: &Tree, alignment: &Alignment) -> bool {
        let open = tree.diagnostics().iter().any(|diagnostic| diagnostic.gave_up_at == Some(tree.len()));
        open && (alignment.cut_off > 0 || (self.at_end && alignment.stops))
    }

    /// Puts delimiters back where the earlier text had them.
    fn by_earlier_text(&self, tree: &Tree, alignment: &Alignment) -> Option<Outcome> {
        let gaps = &alignment.differing;
        let most = (READING_BUDGET / self.text.len().max(1)).clamp(4, 1024);
        let mut minimal: Vec<u64> = Vec::new();
        let mut answers: Vec<Answer> = Vec::new();
        for set in combinations(gaps.len(), most) {
            let whole = set == all_gaps(gaps.len());
            if !whole && minimal.iter().any(|smaller| smaller & !set == 0) {
                continue;
            }
            let edits: Vec<Edit> = gaps
                .iter()
                .enumerate()
                .filter(|(at, _)| *at >= 64 || set >> at & 1 == 1)
                .map(|(_, edit)| edit.clone())
                .collect();
            let tried = apply(self.text, &edits);
            if read_plain(&tried, &self.language).diagnostics().is_empty() {
                minimal.push(set);
                answers.push(Answer { edits, cost: 0.0, why: "the earlier text has them there" });
            }
        }
        if answers.is_empty() {
            return None;
        }
        if answers.len() > 1 {
            for answer in &mut answers {
                answer.cost = self.cost_after(&answer.edits);
            }
            // Everything as it was is what an edit that was about something else has left; a mere subset has to look
            // clearly better.
            if let Some(whole) = answers.iter_mut().find(|answer| answer.edits.len() == gaps.len()) {
                whole.cost -= 2.0 * MARGIN;
            }
            answers.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        }
        Some(self.decide(tree, answers, vec!["the delimiters stand again where the earlier text has them".into()]))
    }

    /// What the forms that `edits` change cost afterwards.
    fn cost_after(&self, edits: &[Edit]) -> f32 {
        let tried = apply(self.text, edits);
        let tokens = tokens(&tried, &self.language);
        let chunks = chunks(&tokens);
        let touched = |chunk: &Chunk| edits.iter().any(|edit| tokens[chunk.tokens.end - 1].end >= edit.at);
        let around = chunks.iter().position(touched).unwrap_or(0);
        let habits = learn(&tokens, &chunks, around, &self.context, &self.language);
        let spans: Vec<Range<u32>> = edits.iter().map(|edit| edit.at.saturating_sub(64)..edit.at + 64).collect();
        chunks
            .iter()
            .filter(|chunk| {
                let own = &tokens[chunk.tokens.clone()];
                let (start, end) = (own[0].start, own[own.len() - 1].end);
                spans.iter().any(|span| span.start <= end && start <= span.end)
            })
            .map(|chunk| {
                costs_as_it_is(&tokens[chunk.tokens.clone()], &habits).map_or(50.0, |costs| costs.iter().sum())
            })
            .sum()
    }

    fn by_likelihood(&self, tree: &Tree, before: Option<&'a str>, alignment: Option<&Alignment>) -> Outcome {
        let open_text = |kind| {
            use DiagnosticKind::{UnclosedComment, UnclosedString, UnclosedSymbol};
            matches!(kind, UnclosedString | UnclosedComment | UnclosedSymbol)
        };
        if tree.diagnostics().iter().any(|diagnostic| open_text(diagnostic.kind)) {
            return self.by_quotes(tree);
        }
        let tokens = tokens(self.text, &self.language);
        let chunks = chunks(&tokens);
        if quotes::are_doubtful(self.text, &tokens, &chunks) {
            return self.refuse(tree, Reason::OpenText, Vec::new());
        }
        let around = chunks.iter().position(|chunk| !chunk.healthy).unwrap_or(0);
        let context: Vec<&str> = self.context.iter().copied().chain(before).collect();
        let habits = learn(&tokens, &chunks, around, &context, &self.language);
        let broken: Vec<&Chunk> = chunks.iter().filter(|chunk| !chunk.healthy).collect();
        let nets: Vec<i64> = broken.iter().map(|chunk| chunk.net).collect();
        let cancel = nets.iter().any(|&net| net > 0) && nets.iter().any(|&net| net < 0);
        if broken.len() > MOST_BROKEN || broken.is_empty() {
            return self.refuse(tree, Reason::Entangled, Vec::new());
        }
        if broken.iter().any(|chunk| chunk.tokens.len() > LARGEST) {
            return self.refuse(tree, Reason::NoCandidate, Vec::new());
        }
        let guard = Guard::of(self.text, &tokens, alignment, self.free.as_ref());
        let brackets: &[Delimiter] = match self.language.dialect().has_brackets() {
            (true, true) => &[Delimiter::Paren, Delimiter::Bracket, Delimiter::Brace],
            _ => &[Delimiter::Paren],
        };
        let mut edits = Vec::new();
        let mut evidence = Vec::new();
        let mut margin = f32::MAX;
        for chunk in chunks.iter().filter(|chunk| !chunk.healthy) {
            let blind = chunk.flush.then(|| without_column_0(&tokens[chunk.tokens.clone()]));
            let own = blind.as_deref().unwrap_or(&tokens[chunk.tokens.clone()]);
            let guard = guard.part(chunk.tokens.clone());
            let limits = Limits {
                guard: &guard,
                beam: if own.len() > 20_000 {
                    8
                } else if own.len() > 4_000 {
                    32
                } else {
                    192
                },
                everywhere: own.len() <= 20_000,
                brackets,
            };
            let readings = search(own, &habits, limits, 24);
            let answers = self.answers(own, &readings);
            let Some(best) = answers.first() else {
                return self.refuse(tree, Reason::NoCandidate, Vec::new());
            };
            let ahead = lead(&answers);
            let ends_here = chunk.tokens.end == tokens.len()
                || self.free.as_ref().is_some_and(|free| free.end == own[own.len() - 1].end as usize);
            if ends_here && self.is_cut_short(own, &readings[0], chunks.len() > 1, &habits) {
                return self.refuse(tree, Reason::CutShort, answers);
            }
            if cancel {
                return self.refuse(tree, Reason::Entangled, answers);
            }
            if chunk.flush {
                return self.refuse(tree, Reason::Ambiguous, answers);
            }
            if ahead < MARGIN || self.has_rival(&answers) || self.leaves_the_edit(&best.edits) {
                return self.refuse(tree, Reason::Ambiguous, answers);
            }
            if self.is_ragged(own, &best.edits, &habits)
                || self.oddness(&best.edits, &habits) > ODD
                || self.bares_a_character(own)
            {
                return self.refuse(tree, Reason::Ambiguous, answers);
            }
            margin = margin.min(ahead);
            edits.extend(best.edits.iter().cloned());
            evidence.push(Evidence { form_line: Some(own[0].line + 1), why: best.why.to_owned() });
        }
        self.accept(tree, normalise(edits), evidence, margin)
    }

    /// The best answer takes a delimiter away, and another supplies its counterpart on the same line.
    fn has_rival(&self, answers: &[Answer]) -> bool {
        let Some((best, others)) = answers.split_first() else { return false };
        let [edit] = &best.edits[..] else { return false };
        let line = self.lines.line(edit.at);
        // A symbol alone on its line is seldom a call.
        let code = self.text[self.lines.line_span(line).unwrap_or_default().range()].trim();
        if !code.contains([' ', '\t']) {
            return false;
        }
        let (rivals, margin): (&[char], f32) = match edit.removed.starts_with(['(', '[', '{']) {
            true => (&[')', ']', '}'], OPENER_RIVAL_MARGIN),
            false => (&['(', '[', '{'], RIVAL_MARGIN),
        };
        let rival = |other: &&Answer| match &other.edits[..] {
            [only] => only.inserted.starts_with(rivals) && self.lines.line(only.at) == line,
            _ => false,
        };
        !edit.removed.is_empty()
            && edit.inserted.is_empty()
            && others.iter().find(rival).is_some_and(|other| other.cost - best.cost < margin)
    }

    /// The edits change what was right before.
    fn leaves_the_edit(&self, edits: &[Edit]) -> bool {
        let free = self.free.as_ref().filter(|_| self.strict);
        free.is_some_and(|free| !edits.iter().all(|edit| is_inside(edit, free)))
    }

    /// A `#` stands before a bracket as if a character literal had lost its backslash.
    fn bares_a_character(&self, own: &[Token]) -> bool {
        let code = &self.text[own[0].start as usize..own[own.len() - 1].end as usize];
        !self.language.dialect().has_brackets().1
            && code.match_indices('#').filter(|(at, _)| !code[..*at].ends_with('|')).any(|(at, _)| {
                let after = &code.as_bytes()[at + 1..];
                let alone = |byte: Option<&u8>| byte.is_none_or(|byte| byte.is_ascii_whitespace());
                match after.first() {
                    Some(b')' | b']') => true,
                    Some(b'(' | b'[' | b';' | b'"') => alone(after.get(1)),
                    other => alone(other),
                }
            })
    }

    /// The text ends here and looks as if more was to come. Who forgets a closer has written the others: one is missing, or
    /// two behind two that are there. Who was cut off has several lists open, or one that nobody would end there.
    fn is_cut_short(&self, own: &[Token], best: &Reading, among_others: bool, habits: &Habits) -> bool {
        let last = own[own.len() - 1];
        if self.free.as_ref().is_some_and(|free| free.end < last.end as usize) {
            return false;
        }
        let at_end = |action: &&Action| matches!(action, Action::Close { at, .. } if *at as usize + 1 == own.len());
        let missing = best.actions.iter().filter(at_end).count();
        if missing == 0 {
            return false;
        }
        let there = own.iter().rev().take_while(|token| token.kind.is_close()).count();
        let stops = self.at_end && among_others && !self.text.ends_with('\n');
        if last.kind.is_open()
            || last.kind.is_prefix()
            || missing > 2
            || missing > there.max(1)
            || (stops && there == 0)
        {
            return true;
        }
        let edits = normalise(best.actions.iter().map(|action| self.edit(own, *action)).collect());
        let tokens = self.tokens_with(own, &edits);
        costs_as_it_is(&tokens, habits)
            .is_none_or(|costs| costs[costs.len() - missing..].iter().any(|&cost| cost > NO_END))
    }

    /// The tokens of a form with `edits` made.
    fn tokens_with(&self, own: &[Token], edits: &[Edit]) -> Vec<Token> {
        let (start, end) = (own[0].start, own[own.len() - 1].end);
        let local: Vec<Edit> = edits.iter().map(|edit| Edit { at: edit.at - start, ..edit.clone() }).collect();
        tokens(&apply(&self.text[start as usize..end as usize], &local), &self.language)
    }

    /// With `edits` made, many lines of the form still stand where nothing puts them: its columns are no witness.
    fn is_ragged(&self, own: &[Token], edits: &[Edit], habits: &Habits) -> bool {
        let tokens = self.tokens_with(own, edits);
        let Some(costs) = costs_as_it_is(&tokens, habits) else { return true };
        let lines = tokens.iter().zip(&costs).skip(1).filter(|(token, _)| token.opens_line);
        let (count, odd) = lines.fold((0, 0), |(count, odd), (_, &cost)| (count + 1, odd + u32::from(cost > STRAY)));
        odd > 1 && odd * 4 > count
    }

    /// The unlikeliest thing on the lines that `edits` change and on the ones after, once the edits are made.
    fn oddness(&self, edits: &[Edit], habits: &Habits) -> f32 {
        let tried = apply(self.text, edits);
        let tokens = tokens(&tried, &self.language);
        let chunks = chunks(&tokens);
        let mut worst = 0.0f32;
        for edit in edits {
            let index = chunks.partition_point(|chunk| tokens[chunk.tokens.start].start <= edit.at).saturating_sub(1);
            let Some(chunk) = chunks.get(index) else { continue };
            let own = &tokens[chunk.tokens.clone()];
            let Some(costs) = costs_as_it_is(own, habits) else { return f32::MAX };
            let line = self.lines.line(edit.at) - 1;
            let near = own.iter().zip(&costs).filter(|(token, _)| (line..=line + 1).contains(&token.line));
            worst = near.map(|(_, &cost)| cost).fold(worst, f32::max);
            // A closer that is taken away from a symbol that is nearly always called has lost its opener instead.
            let passed = |pair: &[Token]| {
                let symbol = pair[1].line == line && pair[1].kind == TokenKind::Atom;
                let inside = !pair[0].kind.is_open() && !pair[0].kind.is_prefix();
                symbol && inside && habits.name(pair[1].name, false) > OPERATOR_PASSED
            };
            if !edit.removed.is_empty() && own.windows(2).any(passed) {
                return f32::MAX;
            }
        }
        worst
    }

    /// A lost or stray quote.
    fn by_quotes(&self, tree: &Tree) -> Outcome {
        let closings = quotes::closings(self.text, &self.language);
        let usual: Vec<_> = closings.iter().filter(|closing| closing.usual).collect();
        if let [only] = usual[..] {
            let evidence =
                vec!["the docstring ends where the body begins, and nowhere else would the form balance".into()];
            return self.accept(tree, only.edits.clone(), evidence, MARGIN);
        }
        let answers = closings
            .into_iter()
            .map(|closing| Answer { edits: closing.edits, cost: 0.0, why: "the form balances with the quote there" })
            .collect();
        self.refuse(tree, Reason::OpenText, answers)
    }

    /// Readings as edits of the text, without those that come to the same code.
    fn answers(&self, own: &[Token], readings: &[Reading]) -> Vec<Answer> {
        let mut answers: Vec<Answer> = Vec::new();
        let mut seen: Vec<String> = Vec::new();
        let (start, end) = (own[0].start as usize, own[own.len() - 1].end as usize);
        for reading in readings {
            let mut edits = normalise(reading.actions.iter().map(|action| self.edit(own, *action)).collect());
            if let Some(free) = &self.free {
                edits = slid(self.text, edits, free);
            }
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

    fn edit(&self, own: &[Token], action: Action) -> Edit {
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

    /// Takes the first answer when it is far enough ahead of the second.
    fn decide(&self, tree: &Tree, answers: Vec<Answer>, evidence: Vec<Evidence>) -> Outcome {
        let margin = lead(&answers);
        if margin < MARGIN {
            return self.refuse(tree, Reason::Ambiguous, answers);
        }
        let edits = answers.into_iter().next().map(|answer| answer.edits).unwrap_or_default();
        self.accept(tree, edits, evidence, margin)
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

/// How much likelier the first answer is than all others together, as a natural logarithm.
fn lead(answers: &[Answer]) -> f32 {
    let Some((best, others)) = answers.split_first() else { return 0.0 };
    let together: f32 = others.iter().map(|other| (best.cost - other.cost).exp()).sum();
    (-together.ln()).min(24.0)
}

/// What speaks for a reading, in words.
fn why(actions: &[Action], own: &[Token]) -> &'static str {
    let last = own.len() as u32 - 1;
    match actions {
        [Action::Close { at, .. }, ..] if *at == last => {
            "every line stands where its list puts it when the closers are added at the end"
        }
        [Action::Close { .. }, ..] => "the next line stands outside the list that is left open",
        [Action::Drop { .. }, ..] => "the lines after it stand inside the list that it closes",
        [Action::Change { .. }, ..] => "it closes the innermost list, which is of another kind",
        [Action::Open { .. }, ..] => "a list that ends here begins nowhere else",
        [] => "it balances",
    }
}

/// The set of all of `count` gaps; gaps from the 65th on belong to every set.
fn all_gaps(count: usize) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Sets of gaps to put back, small ones first, then all of them; at most `most`.
fn combinations(count: usize, most: usize) -> Vec<u64> {
    if count == 0 {
        return Vec::new();
    }
    let all = all_gaps(count);
    let mut sets: Vec<u64> =
        if count <= 12 { (1..=all).collect() } else { (0..count.min(64)).map(|at| 1 << at).chain([all]).collect() };
    sets.sort_by_key(|set| set.count_ones());
    if sets.len() > most {
        sets.truncate(most);
        sets.push(all);
    }
    sets
}

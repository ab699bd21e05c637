//! From witnesses to an answer: repair what is certain, refuse the rest with its likeliest readings.

use lispwright_syntax::{Delimiter, DiagnosticKind, Dialect, TokenKind, Tree, read_plain};

use crate::align::{Alignment, align};
use crate::case::{Answer, Case};
use crate::code::{Token, tokens};
use crate::edit::{Edit, apply, moved_into, normalise, replace};
use crate::guard::{Guard, is_inside, slide};
use crate::habits::Habits;
use crate::learn::learn;
use crate::outcome::{Evidence, Outcome, Reason};
use crate::quotes;
use crate::report::MOST_CANDIDATES;
use crate::scope::Chunk;
use crate::search::{Action, Limits, Reading, costs_as_it_is, search};

/// How much likelier than the next an answer has to be, as a natural logarithm.
const MARGIN: f32 = 2.0;
/// The same, for a supplied opener, and for changes of several lines.
const OPENER_MARGIN: f32 = 3.5;
const SEVERAL_MARGIN: f32 = 4.5;
/// The same, against an answer that supplies the counterpart on the line from which the best one takes a delimiter: which of
/// the two it is is seen only by what the line says, and that is one witness, not several.
const RIVAL_MARGIN: f32 = 4.4;
const KIND_RIVAL_MARGIN: f32 = 3.4;
const OPENER_RIVAL_MARGIN: f32 = 6.0;
/// The same, for closers at line ends, when the earlier text has another proposal in lines that were written anew.
const CONTRADICTED_MARGIN: f32 = 3.0;
/// The same, where lines stand in places that nothing puts them in, or what is said is odd.
const CLEAR_MARGIN: f32 = 7.0;
const CLEAR_MARGIN_KNOWN: f32 = 4.0;
/// Something as unlikely as this next to a repair, as a natural logarithm, makes the repair doubtful.
const ODD: f32 = 4.8;
/// A line as unlikely as this stands where nothing puts it.
const STRAY: f32 = 4.0;
/// Anything as unlikely as this is another fault.
const BROKEN: f32 = 8.6;
/// A list as unlikely to end as this has not ended.
const NO_END: f32 = 1.6;
/// How far behind an answer has to be that undoes two faults more.
const FULLER_MARGIN: f32 = 7.5;
const FULLER_MARGIN_KNOWN: f32 = 5.0;
/// By how much further ahead each answer has to be where several forms are broken.
const AMONG_BROKEN: f32 = 2.0;
/// Lines that fit another answer by so much better contradict the earlier text.
const CONTRADICTION: f32 = 5.0;
/// A symbol is called so regularly that passing it is this unlikely; who is so far ahead may pass it all the same.
const OPERATOR_PASSED: f32 = 1.6;
const PASSED_MARGIN: f32 = 7.0;
/// More broken forms than this are not repaired in one go.
const MOST_BROKEN: usize = 12;
/// Larger texts are not repaired, in bytes, when no earlier text shows which part of them is broken.
const LARGEST_TEXT: usize = 3 << 20;
/// Larger forms are not looked at more closely than plain matching does, in tokens.
const LARGEST: usize = 150_000;

fn is_delimiter_fault(kind: DiagnosticKind) -> bool {
    !matches!(kind, DiagnosticKind::TooDeep | DiagnosticKind::DanglingPrefix)
}

fn is_open_text(kind: DiagnosticKind) -> bool {
    use DiagnosticKind::{UnclosedComment, UnclosedString, UnclosedSymbol};
    matches!(kind, UnclosedString | UnclosedComment | UnclosedSymbol)
}

/// Equal but for white space.
fn same_code(one: &str, other: &str) -> bool {
    let solid = |text: &'_ str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    solid(one) == solid(other)
}

impl<'a> Case<'a> {
    /// The answer to a text that does not balance: `tree` is how it reads, `before` an earlier text that balances.
    pub(crate) fn outcome(&self, tree: &Tree, before: Option<&'a str>) -> Outcome {
        if !tree.diagnostics().iter().any(|diagnostic| is_delimiter_fault(diagnostic.kind)) {
            return self.refuse(tree, Reason::NotDelimiters, Vec::new());
        }
        if self.text.len() > LARGEST_TEXT {
            return self.refuse(tree, Reason::NoCandidate, Vec::new());
        }
        if self.text.trim_end().ends_with(['(', '[', '{'])
            && self.cut(tree).0.last().is_some_and(|last| last.kind.is_open())
        {
            return self.refuse(tree, Reason::CutShort, Vec::new());
        }
        let alignment = before.map(|before| align(before, self.text));
        if alignment.as_ref().is_some_and(|alignment| {
            alignment.kept > 0.6 && self.is_cut_off(tree, before.unwrap_or_default(), alignment)
        }) {
            return self.refuse(tree, Reason::CutShort, Vec::new());
        }
        match (before, alignment.filter(|alignment| alignment.common > 0.3)) {
            (Some(before), Some(alignment)) => self.agreed(tree, before, &alignment),
            _ if self.certain_only => self.refuse(tree, Reason::Entangled, Vec::new()),
            _ => self.by_likelihood(tree, before, None),
        }
    }

    /// Weighs what the earlier text says against what the layout says.
    ///
    /// In lines that were written anew the earlier text is a poor witness: its words meet others by chance. So it decides
    /// alone only about lines that say what they said before, and elsewhere needs the layout's consent. The layout decides
    /// alone where the earlier text is silent, and about closers only: where a list begins shows in no column.
    fn agreed(&self, tree: &Tree, before: &'a str, alignment: &Alignment) -> Outcome {
        let (mut answers, sure) = self.by_earlier_text(alignment);
        if let Some(free) = self.free.as_ref().filter(|_| self.strict) {
            for answer in &mut answers {
                if let Some(moved) = moved_into(self.text, &answer.edits, std::slice::from_ref(free)) {
                    answer.edits = moved;
                }
            }
        }
        let sure = sure.then(|| answers.first().cloned()).flatten();
        if let Some(answer) = &sure
            && !self.is_allowed(tree, &answer.edits)
        {
            if alignment.same_words {
                return self.refuse(tree, Reason::Ambiguous, answers);
            }
            answers.clear();
        }
        let sure = sure.filter(|_| !answers.is_empty());
        let restored = |edits: Vec<Edit>| {
            let evidence = vec!["the delimiters stand again where the earlier text has them".into()];
            self.accept(tree, edits, evidence, 2.0 * MARGIN)
        };
        if let Some(answer) = sure.as_ref().filter(|_| alignment.same_words || self.certain_only) {
            return restored(answer.edits.clone());
        }
        if self.certain_only {
            return self.refuse(tree, Reason::Entangled, Vec::new());
        }
        let by_layout = self.by_likelihood(tree, Some(before), Some(alignment));
        // Delimiters of lines that say what they said may differ on purpose when other lines were changed: then the lines
        // have to stand where those put them.
        if let Some(answer) = sure {
            let rival = match &by_layout {
                Outcome::Repaired(repair) => Some(&repair.edits),
                Outcome::Refused(refusal) => refusal.candidates.first().map(|candidate| &candidate.edits),
                Outcome::Balanced => None,
            };
            let same = |edits: &Vec<Edit>| same_code(&apply(self.text, &answer.edits), &apply(self.text, edits));
            let takes = answer.edits.iter().any(|edit| edit.removed.contains(['(', '[', '{']));
            let agrees = match (&by_layout, rival.filter(|edits| !same(edits))) {
                (Outcome::Repaired(_), other) => other.is_none(),
                _ if takes => false,
                (_, None) => true,
                (_, Some(edits)) => self.cost_after(&answer.edits) < self.cost_after(edits) + CONTRADICTION,
            };
            if agrees {
                return restored(answer.edits);
            }
        }
        match by_layout {
            Outcome::Repaired(repair) => {
                let consents = answers.is_empty()
                    || answers.iter().any(|answer| same_code(&apply(self.text, &answer.edits), &repair.text));
                let openers = |side: &str| side.contains(['(', '[', '{']);
                let takes = repair.edits.iter().any(|edit| openers(&edit.removed));
                let gives = repair.edits.iter().any(|edit| openers(&edit.inserted));
                let spoken = !answers.is_empty();
                let outvoted = repair.margin > CONTRADICTED_MARGIN && self.are_at_line_ends(&repair.edits);
                if (consents || outvoted) && !takes && (spoken || !gives) && self.is_allowed(tree, &repair.edits) {
                    return Outcome::Repaired(repair);
                }
                let own = Answer { edits: repair.edits, cost: 0.0, why: "the lines stand where their lists put them" };
                self.refuse(tree, Reason::Ambiguous, std::iter::once(own).chain(answers).collect())
            }
            Outcome::Refused(mut refusal) => {
                if refusal.reason != Reason::CutShort {
                    refusal.candidates.extend(self.candidates(answers));
                    refusal.candidates.truncate(MOST_CANDIDATES);
                }
                Outcome::Refused(refusal)
            }
            Outcome::Balanced => Outcome::Balanced,
        }
    }

    /// Closers that end lines, which is where hands and columns meet.
    fn are_at_line_ends(&self, edits: &[Edit]) -> bool {
        let closers = |side: &str| side.chars().all(|c| matches!(c, ')' | ']' | '}') || c.is_whitespace());
        edits.iter().all(|edit| {
            let rest = self.text[edit.range().end..].lines().next().unwrap_or_default();
            let ends = rest.trim_start_matches(|c: char| matches!(c, ')' | ']' | '}') || c.is_whitespace());
            closers(&edit.removed) && closers(&edit.inserted) && (ends.is_empty() || ends.starts_with(';'))
        })
    }

    /// Nobody who changed some lines took a delimiter inside a string for code, or opened a list for nothing.
    fn is_allowed(&self, tree: &Tree, edits: &[Edit]) -> bool {
        let count = |side: &str| side.matches(['(', '[', '{']).count();
        let takes_opener = || edits.iter().any(|edit| count(&edit.removed) > count(&edit.inserted));
        !(self.strict && (takes_opener() || self.leaves_the_edit(edits))) && !self.changes_a_literal(tree, edits)
    }

    /// A delimiter inside of a string, a character or a comment is none, whatever stood there before.
    fn changes_a_literal(&self, tree: &Tree, edits: &[Edit]) -> bool {
        if tree.diagnostics().iter().any(|diagnostic| is_open_text(diagnostic.kind)) {
            return false;
        }
        edits.iter().any(|edit| {
            let Some(token) = tree.token_at(edit.at) else { return false };
            let (kind, span) = (tree.kind(token), tree.token_span(token));
            let inside = edit.at > span.start || !edit.removed.is_empty();
            inside && edit.at < span.end && kind != TokenKind::Blank && Delimiter::of(kind).is_none()
        })
    }

    /// The text is still open at its end, and the earlier text goes on there in the same form. At the end of a line with one
    /// list open it may as well have lost what followed on purpose, and a closer by mistake.
    fn is_cut_off(&self, tree: &Tree, before: &str, alignment: &Alignment) -> bool {
        let open = tree.diagnostics().iter().filter(|diagnostic| diagnostic.gave_up_at == Some(tree.len())).count();
        let goes_on = || {
            let Some(gap) = &alignment.went_on else { return false };
            let old = read_plain(before, &self.language);
            (open > 1 || !before[gap.clone()].contains('\n'))
                && old.top_level().any(|datum| {
                    let form = old.datum_span(datum).range();
                    form.start < gap.start && gap.end < form.end
                })
        };
        open > 0 && alignment.is_version && (goes_on() || (self.at_end && alignment.stops))
    }

    fn by_likelihood(&self, tree: &Tree, before: Option<&'a str>, alignment: Option<&Alignment>) -> Outcome {
        if tree.diagnostics().iter().any(|diagnostic| is_open_text(diagnostic.kind)) {
            return self.by_quotes(tree);
        }
        let (tokens, chunks) = self.cut(tree);
        if quotes::are_doubtful(self.text, tokens, chunks) {
            return self.refuse(tree, Reason::OpenText, Vec::new());
        }
        let around = chunks.iter().position(|chunk| !chunk.healthy).unwrap_or(0);
        let habits = learn(tokens, chunks, around, self.context.iter().chain(before), &self.language);
        let broken: Vec<&Chunk> = chunks.iter().filter(|chunk| !chunk.healthy).collect();
        let nets: Vec<i64> = broken.iter().map(|chunk| chunk.net).collect();
        let cancel = nets.iter().any(|&net| net > 0) && nets.iter().any(|&net| net < 0);
        if broken.len() > MOST_BROKEN || broken.is_empty() {
            return self.refuse(tree, Reason::Entangled, Vec::new());
        }
        if broken.iter().any(|chunk| chunk.tokens.len() > LARGEST) {
            return self.refuse(tree, Reason::NoCandidate, Vec::new());
        }
        let stray = self.has_stray_mark(tokens);
        let several = if broken.len() > 1 { AMONG_BROKEN } else { 0.0 };
        let guard = Guard::of(self.text, tokens, alignment, self.free.as_ref());
        let mut decided = Vec::new();
        for chunk in chunks.iter().filter(|chunk| !chunk.healthy) {
            let own = &tokens[chunk.tokens.clone()];
            let ends_text = chunk.tokens.end == tokens.len();
            let guard = guard.part(chunk.tokens.clone());
            let (answers, doubt) =
                self.likeliest(own, chunk.flush, (ends_text, chunks.len() > 1), several, &guard, &habits);
            let doubt =
                if (cancel || stray) && doubt != Some(Reason::CutShort) { Some(Reason::Entangled) } else { doubt };
            decided.push((answers, doubt, own[0].line));
        }
        let doubtful = decided.iter().position(|(_, doubt, _)| *doubt == Some(Reason::CutShort));
        let Some(index) = doubtful.or_else(|| decided.iter().position(|(_, doubt, _)| doubt.is_some())) else {
            return self.decided(tree, decided);
        };
        let (answers, doubt, _) = decided.swap_remove(index);
        let others: Option<Vec<Vec<Edit>>> =
            decided.iter().map(|(answers, ..)| answers.first().map(|best| best.edits.clone())).collect();
        // A candidate makes the whole text balance, with what is likeliest in the other forms.
        let others: Option<Vec<Edit>> = others.map(|edits| edits.into_iter().flatten().collect());
        let reason = doubt.unwrap_or(Reason::Ambiguous);
        let Outcome::Refused(mut refusal) = self.refuse(tree, reason, answers) else { return Outcome::Balanced };
        match others {
            None => refusal.candidates.clear(),
            Some(others) => {
                let others: Vec<&Edit> = others.iter().collect();
                refusal.candidates.iter_mut().for_each(|candidate| candidate.add(&others));
            }
        }
        Outcome::Refused(refusal)
    }

    fn decided(&self, tree: &Tree, decided: Vec<(Vec<Answer>, Option<Reason>, u32)>) -> Outcome {
        let (mut edits, mut evidence, mut margin) = (Vec::new(), Vec::new(), f32::MAX);
        for (answers, _, line) in decided {
            margin = margin.min(lead(&answers));
            let Some(best) = answers.into_iter().next() else { continue };
            edits.extend(best.edits);
            evidence.push(Evidence { form_line: Some(line + 1), why: best.why.to_owned() });
        }
        self.accept(tree, normalise(edits), evidence, margin)
    }

    /// What could be meant by one broken form, likeliest first, and what speaks against taking the first.
    fn likeliest(
        &self,
        tokens: &[Token],
        flush: bool,
        (ends_text, among_others): (bool, bool),
        several: f32,
        guard: &Guard,
        habits: &Habits,
    ) -> (Vec<Answer>, Option<Reason>) {
        let blind = flush.then(|| without_column_0(tokens));
        let own = blind.as_deref().unwrap_or(tokens);
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
        let readings = search(own, habits, limits, 24);
        let answers = self.answers(own, &readings);
        let Some(best) = answers.first() else { return (answers, Some(Reason::NoCandidate)) };
        let ends_here = ends_text || (self.free.is_some() && self.writes_to(own[own.len() - 1].end as usize));
        let clear = if self.known { CLEAR_MARGIN_KNOWN } else { CLEAR_MARGIN };
        let doubts: [(&str, &dyn Fn() -> bool); 9] = [
            ("flush", &|| flush),
            // A head that stands alone has lost its body, not its closer.
            ("head", &|| own.len() == 2 && own[0].kind.is_open()),
            ("lead", &|| lead(&answers) < self.margin_due(&best.edits) + several),
            ("rival", &|| self.has_rival(&answers)),
            ("more", &|| has_fuller_rival(&answers, if self.known { FULLER_MARGIN_KNOWN } else { FULLER_MARGIN })),
            ("leaves", &|| self.leaves_the_edit(&best.edits)),
            ("ragged", &|| lead(&answers) < clear && self.is_ragged(own, &best.edits, habits)),
            ("odd", &|| {
                let odd = self.oddness(own, &best.edits, habits, lead(&answers));
                odd > BROKEN || (odd > ODD && lead(&answers) < clear)
            }),
            ("bares", &|| self.bares_a_character(own)),
        ];
        let doubt = if ends_here && self.is_cut_short(own, &readings[0], among_others, habits) {
            Some(Reason::CutShort)
        } else if doubts.iter().any(|(_, doubts)| doubts()) {
            Some(Reason::Ambiguous)
        } else {
            None
        };
        (answers, doubt)
    }

    /// How far ahead the best answer has to be: several faults in one form can be read in many ways, and where a list
    /// begins shows in no column.
    fn margin_due(&self, edits: &[Edit]) -> f32 {
        let opener = |edit: &Edit| edit.inserted.contains(['(', '[', '{']);
        let lines = edits.iter().map(|edit| self.lines.line(edit.at));
        match edits {
            [edit] if opener(edit) => OPENER_MARGIN,
            [first, ..] if edits.iter().any(opener) || lines.clone().any(|line| line != self.lines.line(first.at)) => {
                SEVERAL_MARGIN
            }
            _ => MARGIN,
        }
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
            // Where the earlier text is known, a lost opener shows in it.
            false if edit.removed.starts_with(')') && !self.known => (&['(', '[', '{'], RIVAL_MARGIN),
            false => (&['(', '[', '{'], KIND_RIVAL_MARGIN),
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

    /// The end of a block comment stands where none is open.
    fn has_stray_mark(&self, own: &[Token]) -> bool {
        let text = |token: &Token| &self.text[token.start as usize..token.end as usize];
        own.iter().any(|token| token.kind == TokenKind::Atom && text(token).contains("|#"))
    }

    /// A bracket stands as if a character literal had lost its backslash: behind a `#`, or in Clojure alone.
    fn bares_a_character(&self, own: &[Token]) -> bool {
        let bytes = self.text.as_bytes();
        let blank = |at: usize| bytes.get(at).is_none_or(u8::is_ascii_whitespace);
        let dialect = self.language.dialect();
        let bare = |token: &Token| {
            let (start, end) = (token.start as usize, token.end as usize);
            match dialect {
                Dialect::Clojure | Dialect::Edn => {
                    let apart = !token.first && !token.last && blank(start - 1) && blank(end);
                    token.delimiter().is_some() && apart
                }
                _ => {
                    bytes[start] == b'#'
                        && token.kind != TokenKind::String
                        && match bytes.get(start + 1) {
                            Some(b')' | b']') => true,
                            Some(b'[') => dialect != Dialect::EmacsLisp || blank(start + 2),
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
        if missing > 2 || (stops && (missing > 1 || there < 2)) || keyword {
            return true;
        }
        let edits = normalise(best.actions.iter().map(|action| self.edit(own, *action)).collect());
        let tokens = self.tokens_with(own, &edits);
        let Some(costs) = costs_as_it_is(&tokens, habits, true) else { return true };
        let ends = &costs[costs.len() - missing..];
        ends.iter().any(|&cost| cost > NO_END) || (there == 0 && ends.iter().sum::<f32>() > NO_END)
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
        let Some(costs) = costs_as_it_is(&tokens, habits, true) else { return true };
        let lines = tokens.iter().zip(&costs).skip(1).filter(|(token, _)| token.opens_line);
        let (count, odd) = lines.fold((0, 0), |(count, odd), (_, &cost)| (count + 1, odd + u32::from(cost > STRAY)));
        let broken = costs.iter().any(|&cost| cost > BROKEN);
        broken || (odd > 1 && odd * 4 > count)
    }

    /// The unlikeliest thing on the lines that `edits` change and on the ones after, once the edits are made.
    fn oddness(&self, form: &[Token], edits: &[Edit], habits: &Habits, lead: f32) -> f32 {
        let own = self.tokens_with(form, edits);
        let Some(costs) = costs_as_it_is(&own, habits, true) else { return f32::MAX };
        let mut worst = 0.0f32;
        for edit in edits {
            let line = self.lines.line(edit.at) - 1 - form[0].line;
            let near = own.iter().zip(&costs).filter(|(token, _)| (line..=line + 1).contains(&token.line));
            worst = near.map(|(_, &cost)| cost).fold(worst, f32::max);
            // A closer that is taken away from a symbol that is nearly always called has lost its opener instead.
            let passed = |pair: &[Token]| {
                let symbol = pair[1].line == line && pair[1].kind == TokenKind::Atom;
                let inside = !pair[0].kind.is_open() && !pair[0].kind.is_prefix();
                symbol && inside && habits.name(pair[1].name, false) > OPERATOR_PASSED
            };
            if !edit.removed.is_empty() && lead < PASSED_MARGIN && own.windows(2).any(passed) {
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
                let mut slid = edits.clone();
                slid.iter_mut().for_each(|edit| slide(self.text, edit, free));
                let slid = normalise(slid);
                // Two closers that slide may come to lie on each other.
                if slid.windows(2).all(|pair| pair[0].range().end <= pair[1].at as usize) {
                    edits = slid;
                }
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
}

/// The tokens, those in column 0 but the first without a word on where they stand.
fn without_column_0(tokens: &[Token]) -> Vec<Token> {
    let blind = |token: &Token| match token.column {
        0 => Token { opens_line: false, ..*token },
        _ => *token,
    };
    tokens[..1].iter().copied().chain(tokens[1..].iter().map(blind)).collect()
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

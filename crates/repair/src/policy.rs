//! From witnesses to an answer: repair what is certain, refuse the rest with its likeliest readings.

use lispwright_syntax::{DiagnosticKind, Tree};

use crate::case::{Answer, Case};
use crate::doubts::{Broken, CLEAR_MARGIN, Doubt, MARGIN, is_open_text, lacks_a_body, lead};
use crate::outcome::{Evidence, Outcome, Reason};
use crate::proposals::quotes;
use crate::report::MOST_CANDIDATES;
use crate::text::align::{Alignment, align};
use crate::text::edit::{Edit, apply, moved_into, normalise};
use crate::text::scope::Chunk;
use crate::witnesses::guard::Guard;
use crate::witnesses::learn::learn;

/// How much likelier than the next an answer by columns has to be, as a natural logarithm, to outvote what the earlier text
/// proposes in lines that were written anew; for closers at line ends.
const CONTRADICTED_MARGIN: f32 = 3.0;
/// By how much further ahead each answer has to be where several forms are broken.
const AMONG_BROKEN: f32 = 2.0;
/// Lines that fit another answer by so much better contradict the earlier text.
const CONTRADICTION: f32 = 5.0;
/// An earlier text that shares fewer of its words, from 0 to 1, says nothing of this one.
const SOME_WORDS: f32 = 0.02;
/// More broken forms than this are not repaired in one go.
const MOST_BROKEN: usize = 12;
/// Larger texts are not repaired, in bytes, when no earlier text shows which part of them is broken.
const LARGEST_TEXT: usize = 3 << 20;
/// Larger forms are not looked at more closely than plain matching does, in tokens.
const LARGEST: usize = 150_000;

fn is_delimiter_fault(kind: DiagnosticKind) -> bool {
    !matches!(kind, DiagnosticKind::TooDeep | DiagnosticKind::DanglingPrefix)
}

/// Equal but for white space.
fn same_code(one: &str, other: &str) -> bool {
    let solid = |text: &'_ str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    solid(one) == solid(other)
}

impl<'a> Case<'a> {
    /// The answer to a text that does not balance: `tree` is how it reads, `before` an earlier text that balances.
    pub(crate) fn outcome(&self, tree: &Tree, before: Option<&'a str>) -> Outcome {
        let outcome = self.weighed(tree, before);
        self.with_quotes(tree, before, outcome)
    }

    fn weighed(&self, tree: &Tree, before: Option<&'a str>) -> Outcome {
        if !tree.diagnostics().iter().any(|diagnostic| is_delimiter_fault(diagnostic.kind)) {
            return self.refuse(tree, Reason::NotDelimiters, Vec::new());
        }
        if self.text.len() > LARGEST_TEXT {
            return self.refuse(tree, Reason::NoCandidate, Vec::new());
        }
        if let Some(outcome) = self.without_foreign_closers(tree, before) {
            return outcome;
        }
        if self.text.trim_end().ends_with(['(', '[', '{'])
            && self.cut(tree).0.last().is_some_and(|last| last.kind.is_open())
        {
            return self.refuse(tree, Reason::CutShort, Vec::new());
        }
        let alignment = before.map(|before| align(before, self.text));
        let known = self.known && alignment.as_ref().is_some_and(|alignment| alignment.common > SOME_WORDS);
        if alignment.as_ref().is_some_and(|alignment| {
            alignment.kept > 0.6 && self.is_cut_off(tree, before.unwrap_or_default(), alignment)
        }) {
            return self.refuse(tree, Reason::CutShort, Vec::new());
        }
        match (before, alignment.filter(|alignment| alignment.common > 0.3)) {
            (Some(before), Some(alignment)) => self.agreed(tree, before, &alignment),
            _ if self.certain_only => self.refuse(tree, Reason::Entangled, Vec::new()),
            _ => self.by_likelihood(tree, before, None, known),
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
            && self.minds(Doubt::Forbidden)
            && !self.is_allowed(tree, &answer.edits)
        {
            if alignment.same_words {
                return self.doubted(tree, Doubt::Forbidden, answers);
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
        let by_layout = self.by_likelihood(tree, Some(before), Some(alignment), self.known);
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
                // Only delimiters were changed, some on purpose perhaps: putting back some of them cannot say which. Nobody
                // exchanges one for another by mistake at both ends of a list.
                let exchanges = |answer: &Answer| {
                    answer.edits.iter().any(|edit| !edit.removed.is_empty() && !edit.inserted.is_empty())
                };
                let slips = answers.iter().filter(|answer| !exchanges(answer)).count();
                if consents && alignment.same_words && slips > 1 && self.minds(Doubt::OnPurpose) {
                    return self.doubted(tree, Doubt::OnPurpose, answers);
                }
                let openers = |side: &str| side.contains(['(', '[', '{']);
                let takes = repair.edits.iter().any(|edit| openers(&edit.removed));
                let gives = repair.edits.iter().any(|edit| openers(&edit.inserted));
                let spoken = !answers.is_empty();
                let outvoted = repair.margin > CONTRADICTED_MARGIN && self.are_at_line_ends(&repair.edits);
                let clear = repair.margin > CLEAR_MARGIN;
                let agreed = (consents || outvoted)
                    && (!takes || clear)
                    && (spoken || !gives || clear)
                    && self.is_allowed(tree, &repair.edits);
                if agreed || !self.minds(Doubt::EarlierDisagrees) {
                    return Outcome::Repaired(repair);
                }
                let own = Answer { edits: repair.edits, cost: 0.0, why: "the lines stand where their lists put them" };
                self.doubted(tree, Doubt::EarlierDisagrees, std::iter::once(own).chain(answers).collect())
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

    /// `known` says whether the earlier text has some of what this one says.
    fn by_likelihood(
        &self,
        tree: &Tree,
        before: Option<&'a str>,
        alignment: Option<&Alignment>,
        known: bool,
    ) -> Outcome {
        if tree.diagnostics().iter().any(|diagnostic| is_open_text(diagnostic.kind)) {
            return self.by_quotes(tree);
        }
        let (tokens, chunks) = self.cut(tree);
        if self.minds(Doubt::InsideOut) && quotes::are_doubtful(self.text, &self.language, tokens, chunks) {
            return self.doubted(tree, Doubt::InsideOut, Vec::new());
        }
        let around = chunks.iter().position(|chunk| !chunk.healthy).unwrap_or(0);
        let context = self.context.iter().chain(before);
        let habits = learn(self.text, (tokens, chunks), around, context, &self.language);
        let broken: Vec<&Chunk> = chunks.iter().filter(|chunk| !chunk.healthy).collect();
        let nets: Vec<i64> = broken.iter().map(|chunk| chunk.net).collect();
        let cancel = nets.iter().any(|&net| net > 0) && nets.iter().any(|&net| net < 0);
        if broken.len() > MOST_BROKEN || broken.is_empty() {
            return self.refuse(tree, Reason::Entangled, Vec::new());
        }
        if broken.iter().any(|chunk| chunk.tokens.len() > LARGEST) {
            return self.refuse(tree, Reason::NoCandidate, Vec::new());
        }
        // A definition that has lost its opener is read as a row of atoms and lists; what it closes, another form lacks.
        let bare = |chunk: &Chunk| chunk.healthy && tokens[chunk.tokens.start].definer;
        // A form without the body that it takes was closed too early, and the closer that is missing here is left over there.
        let headless = |index: usize, chunk: &Chunk| {
            let beside = chunks.get(index + 1).is_some_and(|next| !next.healthy) || nets.iter().sum::<i64>() < 0;
            chunk.healthy && beside && lacks_a_body(&tokens[chunk.tokens.clone()], self.language.dialect(), &habits)
        };
        let doubts = [
            (Doubt::Cancelling, cancel),
            (Doubt::StrayMark, self.has_stray_mark(tokens)),
            (Doubt::BareDefinition, chunks.iter().any(bare)),
            (Doubt::BodilessNeighbour, chunks.iter().enumerate().any(|(index, chunk)| headless(index, chunk))),
        ];
        let entangled = doubts.into_iter().find(|(doubt, holds)| *holds && self.minds(*doubt)).map(|(doubt, _)| doubt);
        let several = if broken.len() > 1 { AMONG_BROKEN } else { 0.0 };
        let guard = Guard::of(self.text, tokens, alignment, self.free.as_ref());
        let mut decided = Vec::new();
        for chunk in chunks.iter().filter(|chunk| !chunk.healthy) {
            let own = &tokens[chunk.tokens.clone()];
            let ends_text = chunk.tokens.end == tokens.len();
            let guard = guard.part(chunk.tokens.clone());
            let ends_alike = ends_text && alignment.is_some_and(|alignment| alignment.ends_alike);
            let among_others = chunks.len() > 1;
            let form = Broken {
                own,
                habits: &habits,
                flush: chunk.flush,
                ends_text,
                ends_alike,
                among_others,
                several,
                known,
            };
            let (answers, doubt) = self.likeliest(form, &guard);
            let doubt = doubt.filter(|doubt| *doubt == Doubt::StopsShort).or(entangled).or(doubt);
            decided.push((answers, doubt, own[0].line));
        }
        let stops = decided.iter().position(|(_, doubt, _)| *doubt == Some(Doubt::StopsShort));
        let open = || decided.iter().position(|(answers, doubt, _)| doubt.is_some() || answers.is_empty());
        let Some(index) = stops.or_else(open) else {
            return self.decided(tree, decided);
        };
        let (answers, doubt, _) = decided.swap_remove(index);
        let others: Option<Vec<Vec<Edit>>> =
            decided.iter().map(|(answers, ..)| answers.first().map(|best| best.edits.clone())).collect();
        // A candidate makes the whole text balance, with what is likeliest in the other forms.
        let others: Option<Vec<Edit>> = others.map(|edits| edits.into_iter().flatten().collect());
        let mut refusal = self.refusal(tree, doubt.map_or(Reason::NoCandidate, Doubt::reason), doubt, answers);
        match others {
            None => refusal.candidates.clear(),
            Some(others) => {
                let others: Vec<&Edit> = others.iter().collect();
                refusal.candidates.iter_mut().for_each(|candidate| candidate.add(&others));
            }
        }
        Outcome::Refused(refusal)
    }

    fn decided(&self, tree: &Tree, decided: Vec<(Vec<Answer>, Option<Doubt>, u32)>) -> Outcome {
        let (mut edits, mut evidence, mut margin) = (Vec::new(), Vec::new(), f32::MAX);
        for (answers, _, line) in decided {
            margin = margin.min(lead(&answers));
            let Some(best) = answers.into_iter().next() else { continue };
            edits.extend(best.edits);
            evidence.push(Evidence { form_line: Some(line + 1), why: best.why.to_owned() });
        }
        self.accept(tree, normalise(edits), evidence, margin)
    }
}

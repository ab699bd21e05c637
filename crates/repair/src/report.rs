//! From an answer to an outcome: the repair, or the refusal with what is known of the fault.

use lispwright_syntax::{DiagnosticKind, Span, Tree, read_plain};

use crate::case::{Answer, Case};
use crate::edit::{Edit, apply};
use crate::outcome::{Candidate, Diagnosis, Evidence, Outcome, Reason, Refusal, Repair, TouchedForm};
use crate::quotes;

/// Candidates shown.
pub(crate) const MOST_CANDIDATES: usize = 5;

impl Case<'_> {
    /// The repair, if the text then reads without a fault.
    pub(crate) fn accept(&self, tree: &Tree, edits: Vec<Edit>, evidence: Vec<Evidence>, margin: f32) -> Outcome {
        let text = apply(self.text, &edits);
        if !read_plain(&text, &self.language).diagnostics().is_empty() {
            return self.refuse(tree, Reason::NoCandidate, Vec::new());
        }
        let forms = self.touched(tree, &edits);
        Outcome::Repaired(Repair { edits, text, evidence, forms, margin })
    }

    fn touched(&self, tree: &Tree, edits: &[Edit]) -> Vec<TouchedForm> {
        let (tokens, chunks) = self.cut(tree);
        let mut forms: Vec<TouchedForm> = Vec::new();
        for edit in edits {
            let after = chunks.partition_point(|chunk| tokens[chunk.tokens.start].start <= edit.at);
            // What stands before the first form is shown by its own line.
            let line = match after.checked_sub(1) {
                Some(index) => tokens[chunks[index].tokens.start].line + 1,
                None => self.line_of(edit.at),
            };
            if forms.last().is_none_or(|last| last.line != line) {
                forms.push(TouchedForm { line, first_line: self.first_line(line) });
            }
        }
        forms
    }

    /// The line of a byte, from 1; behind a final line end that is the line which it ends.
    fn line_of(&self, at: u32) -> u32 {
        self.lines.line(at).min(self.lines.line_count()).max(1)
    }

    /// The text of a line, from 1, shortened.
    fn first_line(&self, line: u32) -> String {
        let span = self.lines.line_span(line).unwrap_or_default();
        let text = &self.text[span.range()];
        let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        text.chars().take(160).collect()
    }

    pub(crate) fn refuse(&self, tree: &Tree, reason: Reason, answers: Vec<Answer>) -> Outcome {
        let candidates = self.candidates(answers);
        let diagnosis = self.diagnosis(tree, reason, candidates.first());
        Outcome::Refused(Refusal { reason, diagnosis, candidates })
    }

    pub(crate) fn candidates(&self, answers: Vec<Answer>) -> Vec<Candidate> {
        answers.into_iter().take(MOST_CANDIDATES).map(|answer| self.candidate(answer)).collect()
    }

    fn candidate(&self, answer: Answer) -> Candidate {
        let (line, last) =
            answer.edits.first().map_or((1, 1), |edit| (self.line_of(edit.at), self.line_of(edit.range().end as u32)));
        let (first, last) = (self.lines.line_span(line).unwrap_or_default(), self.lines.line_span(last));
        let span = Span::new(first.start, last.map_or(first.end, |last| last.end.max(first.end)));
        let own: Vec<Edit> = answer
            .edits
            .iter()
            .filter(|edit| span.start <= edit.at && edit.range().end <= span.end as usize)
            .map(|edit| Edit { at: edit.at - span.start, ..edit.clone() })
            .collect();
        let before = self.text[span.range()].trim_end_matches(['\n', '\r']).to_owned();
        let after = apply(&self.text[span.range()], &own).trim_end_matches(['\n', '\r']).to_owned();
        Candidate {
            line,
            before,
            after,
            added: answer.edits.iter().map(|edit| edit.inserted.chars().filter(|c| !c.is_whitespace()).count()).sum(),
            removed: answer.edits.iter().map(|edit| edit.removed.chars().filter(|c| !c.is_whitespace()).count()).sum(),
            why: answer.why.to_owned(),
            edits: answer.edits,
        }
    }

    fn diagnosis(&self, tree: &Tree, reason: Reason, best: Option<&Candidate>) -> Diagnosis {
        let first = tree.diagnostics()[0];
        let opener = match first.kind {
            DiagnosticKind::Unclosed(_)
            | DiagnosticKind::UnclosedString
            | DiagnosticKind::UnclosedComment
            | DiagnosticKind::UnclosedSymbol => Some(first.span.start),
            _ => first.opened_at.map(|span| span.start),
        };
        let suspect = match reason {
            Reason::OpenText => quotes::suspect(self.text, &self.language),
            _ => None,
        };
        let opener = suspect.map(|suspect| suspect.start).or(opener);
        let expected = match first.kind {
            DiagnosticKind::Unclosed(open) => Some(open.close()),
            DiagnosticKind::Mismatch { expected, .. } => Some(expected.close()),
            DiagnosticKind::UnclosedString => Some('"'),
            _ => None,
        };
        let last_line = self.line_of(self.text.trim_end().len() as u32);
        let stops = first.gave_up_at == Some(tree.len()) && !self.text.ends_with('\n');
        let line = match (best, reason, suspect) {
            (_, Reason::CutShort, _) => last_line,
            (.., Some(suspect)) => self.line_of(suspect.end),
            (Some(best), ..) => best.line,
            (None, Reason::NoCandidate, _) if stops => last_line,
            _ => self.line_of(first.span.start),
        };
        let message = format!("{}: {reason}", first.kind);
        Diagnosis { line, opener, opener_line: opener.map(|at| self.line_of(at)), expected, message }
    }
}

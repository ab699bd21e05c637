//! From an answer to an outcome: the repair, or the refusal with a diagnosis.

use lispwright_syntax::{DiagnosticKind, LineIndex, Span};

use crate::case::Case;
use crate::outcome::{Candidate, Evidence, FaultSite, Outcome, Reason, Repair, TouchedForm, Unrepaired};
use crate::proposals::{Answer, Objection, quotes};
use crate::text::edit::{TextEdit, apply, counted};

/// The number of candidates in a refusal, at most.
pub(crate) const MOST_CANDIDATES: usize = 5;

/// The line of a byte, from 1; after a final line end, the last line.
fn line_of(lines: &LineIndex, at: u32) -> u32 {
    lines.line(at).min(lines.line_count()).max(1)
}

/// The text of a line, from 1, shortened.
pub(crate) fn first_line(text: &str, lines: &LineIndex, line: u32) -> String {
    let line = &text[lines.line_span(line).unwrap_or_default().range()];
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line)).chars().take(160).collect()
}

/// A line before and after `edits`, with the further lines that its first edit reaches.
pub(crate) fn shown(text: &str, lines: &LineIndex, line: u32, edits: &[TextEdit]) -> (String, String) {
    let first = lines.line_span(line).unwrap_or_default();
    let reached =
        edits.iter().find(|edit| part_behind(edit, first.start).is_some()).map_or(0, |edit| edit.range().end as u32);
    let last = lines.line_span(line_of(lines, reached)).unwrap_or_default();
    let span = Span::new(first.start, last.end.max(first.end));
    let within = edits.iter().filter(|edit| edit.range().end <= span.end as usize);
    let own: Vec<TextEdit> = within.filter_map(|edit| part_behind(edit, span.start)).collect();
    let solid = |lines: &str| lines.trim_end_matches(['\n', '\r']).to_owned();
    (solid(&text[span.range()]), solid(&apply(&text[span.range()], &own)))
}

/// The part of an edit after byte `start`, as an edit of the text from there on. White space that is removed with a
/// delimiter may begin on the line before.
fn part_behind(edit: &TextEdit, start: u32) -> Option<TextEdit> {
    if start <= edit.at {
        return Some(TextEdit { at: edit.at - start, ..edit.clone() });
    }
    let removed = edit.removed.get((start - edit.at) as usize..).filter(|removed| !removed.is_empty())?;
    Some(TextEdit { at: 0, removed: removed.to_owned(), inserted: String::new() })
}

impl Case<'_> {
    /// The repair by `edits`, after which the text balances.
    pub(crate) fn repaired(&self, edits: Vec<TextEdit>, evidence: Vec<Evidence>, margin: f32) -> Outcome {
        let (text, forms) = (apply(self.text, &edits), self.touched(&edits));
        Outcome::Repaired(Repair { edits, text, evidence, forms, margin })
    }

    /// The forms that the edits change.
    pub(crate) fn touched(&self, edits: &[TextEdit]) -> Vec<TouchedForm> {
        let (tokens, chunks) = self.cut();
        let mut forms: Vec<TouchedForm> = Vec::new();
        for edit in edits {
            let after = chunks.partition_point(|chunk| tokens[chunk.tokens.start].start <= edit.at);
            // An edit before the first form is shown by its own line.
            let line = match after.checked_sub(1) {
                Some(index) => tokens[chunks[index].tokens.start].line + 1,
                None => line_of(self.lines(), edit.at),
            };
            if forms.last().is_none_or(|last| last.line != line) {
                forms.push(TouchedForm { line, first_line: first_line(self.text, self.lines(), line) });
            }
        }
        forms
    }

    pub(crate) fn refused(&self, objection: impl Into<Objection>, answers: Vec<Answer>) -> Outcome {
        Outcome::Refused(self.refusal(objection, answers))
    }

    pub(crate) fn refusal(&self, objection: impl Into<Objection>, answers: Vec<Answer>) -> Unrepaired {
        let Objection { reason, doubt } = objection.into();
        let candidates: Vec<Candidate> =
            answers.into_iter().take(MOST_CANDIDATES).map(|answer| self.candidate(answer)).collect();
        let diagnosis = self.diagnosis(reason, candidates.first());
        Unrepaired { reason, doubt, diagnosis, candidates }
    }

    fn candidate(&self, answer: Answer) -> Candidate {
        // White space that is removed with a delimiter may begin on the line before.
        let solid = |edit: &&TextEdit| !edit.removed.trim().is_empty() || !edit.inserted.trim().is_empty();
        let first = answer.edits.iter().find(solid).or(answer.edits.first());
        let line = first.map_or(1, |edit| {
            let blank = edit.removed.len() - edit.removed.trim_start().len();
            line_of(self.lines(), edit.at + if edit.inserted.trim().is_empty() { blank as u32 } else { 0 })
        });
        let (before, after) = shown(self.text, self.lines(), line, &answer.edits);
        let edits = answer.whole();
        let (added, removed) = counted(&edits);
        Candidate { line, before, after, added, removed, why: answer.why.to_owned(), edits }
    }

    fn diagnosis(&self, reason: Reason, best: Option<&Candidate>) -> FaultSite {
        let first = self.tree.diagnostics()[0];
        let opener = match first.kind {
            DiagnosticKind::Unclosed(_)
            | DiagnosticKind::UnclosedString
            | DiagnosticKind::UnclosedComment
            | DiagnosticKind::UnclosedSymbol => Some(first.span.start),
            _ => first.opened_at.map(|span| span.start),
        };
        let suspect = match reason {
            Reason::OpenText => quotes::suspect(self.text, self.language),
            _ => None,
        };
        let opener = suspect.map(|suspect| suspect.start).or(opener);
        let expected = match first.kind {
            DiagnosticKind::Unclosed(open) => Some(open.close()),
            DiagnosticKind::Mismatch { expected, .. } => Some(expected.close()),
            DiagnosticKind::UnclosedString => Some('"'),
            _ => None,
        };
        let last_line = line_of(self.lines(), self.text.trim_end().len() as u32);
        let stops = first.gave_up_at == Some(self.tree.len()) && !self.text.ends_with('\n');
        let line = match (best, reason, suspect) {
            (_, Reason::CutShort, _) => last_line,
            (.., Some(suspect)) => line_of(self.lines(), suspect.end),
            (Some(best), ..) => best.line,
            (None, Reason::NoCandidate, _) if stops => last_line,
            _ => line_of(self.lines(), first.span.start),
        };
        let message = format!("{}: {reason}", first.kind);
        FaultSite { line, opener, opener_line: opener.map(|at| line_of(self.lines(), at)), expected, message }
    }
}

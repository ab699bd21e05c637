//! What is wrong with a text: the kind of fault, its place, and what could be meant.

use std::ops::Range;

use lispwright_repair::{Edit, Outcome, Plain, Reason, repair_plain};
use lispwright_syntax::{Delimiter, DiagnosticKind, TokenKind, Tree, count_line_ends};

/// What is wrong with a text that does not balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The mistake to speak of.
    pub kind: DiagnosticKind,
    /// In how many places something is wrong.
    pub count: usize,
    /// The line where something is most likely wrong, from 1.
    pub line: u32,
    /// The line of the opener or quote that is left open, from 1.
    pub opener_line: Option<u32>,
    /// Why no answer was picked; `None` when one is certain.
    pub reason: Option<Reason>,
    /// The certain answer makes the text what it was before the call.
    pub undoes: bool,
    /// What could be meant, likeliest first.
    pub fixes: Vec<Fix>,
    /// For each kind of delimiter that does not add up: how many closers are missing, or, when negative, too many.
    pub missing: Vec<(Delimiter, i64)>,
}

/// One way to make a text balance.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// Its edits of the text.
    pub edits: Vec<Edit>,
    /// What speaks for it.
    pub why: String,
}

impl Fault {
    /// What is wrong with `text`, whether or not it could be repaired. `None` when it balances.
    pub(crate) fn find(text: Plain<'_>, before: Option<Plain<'_>>, edited: Option<Range<u32>>) -> Option<Self> {
        Self::of(text, repair_plain(text, before, edited))
    }

    /// The fault behind the answer of the repairer to `text`.
    pub(crate) fn of(text: Plain<'_>, outcome: Outcome) -> Option<Self> {
        let Plain { text, tree } = text;
        let first = tree.main_mistake().filter(|found| found.kind != DiagnosticKind::TooDeep)?;
        let line_of = |at: u32| count_line_ends(&text.as_bytes()[..at as usize]) + 1;
        let (line, opener_line, reason, fixes) = match outcome {
            Outcome::Balanced => return None,
            Outcome::Refused(refusal) => {
                let fixes =
                    refusal.candidates.into_iter().map(|candidate| Fix { edits: candidate.edits, why: candidate.why });
                (refusal.diagnosis.line, refusal.diagnosis.opener_line, Some(refusal.reason), fixes.collect())
            }
            Outcome::Repaired(done) => {
                let why = done.why();
                let line = done.edits.first().map_or(1, |edit| line_of(edit.at));
                let opener = first.opened_at.map(|span| line_of(span.start));
                (line, opener, None, vec![Fix { edits: done.edits, why }])
            }
        };
        let count = tree.mistakes();
        Some(Self { kind: first.kind, count, line, opener_line, reason, undoes: false, fixes, missing: missing(tree) })
    }

    /// The same fault in a text in which this one's begins at byte `start`, behind `lines` line ends.
    pub(crate) fn moved(mut self, start: u32, lines: u32) -> Self {
        self.line += lines;
        self.opener_line = self.opener_line.map(|line| line + lines);
        self.fixes.iter_mut().flat_map(|fix| &mut fix.edits).for_each(|edit| edit.at += start);
        self
    }

    /// Takes up the fixes of another opinion on the same text, before its own, and puts those first that are `good`.
    pub(crate) fn prefer(&mut self, other: Self, good: impl Fn(&Fix) -> bool) {
        let own = std::mem::replace(&mut self.fixes, other.fixes);
        for fix in own {
            if !self.fixes.iter().any(|known| known.edits == fix.edits) {
                self.fixes.push(fix);
            }
        }
        self.fixes.sort_by_key(|fix| !good(fix));
        self.line = if self.fixes.is_empty() { self.line } else { other.line };
    }
}

/// Openers without closers, kind by kind. Says nothing of a text whose strings or comments are open.
fn missing(tree: &Tree) -> Vec<(Delimiter, i64)> {
    use DiagnosticKind::{UnclosedComment, UnclosedString, UnclosedSymbol};
    if tree.diagnostics().iter().any(|found| matches!(found.kind, UnclosedString | UnclosedComment | UnclosedSymbol)) {
        return Vec::new();
    }
    let mut seen = [0i64; 1 << u8::BITS];
    tree.tokens().for_each(|(token, _)| seen[usize::from(token as u8)] += 1);
    let kinds = [
        (Delimiter::Paren, TokenKind::OpenParen, TokenKind::CloseParen),
        (Delimiter::Bracket, TokenKind::OpenBracket, TokenKind::CloseBracket),
        (Delimiter::Brace, TokenKind::OpenBrace, TokenKind::CloseBrace),
    ];
    let counts = kinds.map(|(kind, open, close)| (kind, seen[open as usize] - seen[close as usize]));
    counts.into_iter().filter(|(_, count)| *count != 0).collect()
}

//! Closers of another kind of text: `env}` where `env)` was meant in a dialect that has no braces, or a full-width `）`.
//!
//! To the reader they are constituents of symbols, so nothing ends there. At the end of a symbol that nobody uses they were
//! meant to end a list.

use lispwright_syntax::{Dialect, TokenKind, Tree};

use super::{Answer, Proposal, Sort};
use crate::case::Case;
use crate::doubts::{Doubt, MARGIN};
use crate::outcome::{Evidence, TouchedForm};
use crate::text::edit::{TextEdit, apply, replace};

/// A text with more of them has them in its symbols on purpose.
const MOST: usize = 4;
const WHY: &str = "what stands there closes nothing in this dialect, and a closer there makes the form balance";

pub(crate) struct ForeignClosers;

impl Sort for ForeignClosers {
    /// Proper closers in their places, if that is all that is wrong.
    fn propose(&self, case: &Case<'_>) -> Option<Proposal> {
        let edits = meant_closers(case.text, case.tree, case.before.unwrap_or_default())?;
        let restores = case.before.is_some_and(|before| apply(case.text, &edits) == before);
        let doubtful = case.leaves_the_edit(&edits) || (!restores && case.is_odd_with(&edits));
        let answer = Answer::new(edits, WHY);
        if !doubtful || !case.minds(Doubt::ForeignCloser) {
            let said = |form: TouchedForm| Evidence { form_line: Some(form.line), why: WHY.to_owned() };
            let evidence = case.touched(&answer.edits).into_iter().map(said).collect();
            let proposal = case.certain(answer.clone(), evidence, MARGIN);
            if matches!(proposal, Proposal::Certain { .. }) {
                return Some(proposal);
            }
        }
        Some(Proposal::open(Doubt::ForeignCloser, vec![answer]))
    }
}

/// The edits that put a closer in the place of every foreign one at the end of an atom; `None` when there are none, or when
/// the text has reasons of its own for them.
fn meant_closers(text: &str, tree: &Tree, before: &str) -> Option<Vec<TextEdit>> {
    let dialect = tree.language().dialect();
    let mut edits = Vec::new();
    for (kind, span) in tree.tokens() {
        let atom = &text[span.range()];
        let is_foreign = |c: char| meant(c, dialect).is_some();
        if kind != TokenKind::Atom || !atom.ends_with(is_foreign) || before.contains(atom) {
            continue;
        }
        let name = atom.trim_end_matches(is_foreign);
        if name.contains(['|', '\\', '[', '{', '（', '［', '｛']) || name.ends_with('-') {
            return None;
        }
        let start = span.start as usize + name.len();
        let closers: String = atom[name.len()..].chars().filter_map(|c| meant(c, dialect)).collect();
        edits.push(replace(text, start..span.end as usize, &closers));
    }
    (!edits.is_empty() && edits.len() <= MOST).then_some(edits)
}

/// The closer that is meant by one that closes nothing in the dialect.
fn meant(c: char, dialect: Dialect) -> Option<char> {
    let (square, curly) = dialect.has_brackets();
    match c {
        '）' => Some(')'),
        '］' if square => Some(']'),
        '｝' if curly => Some('}'),
        ']' | '］' if !square => Some(')'),
        '}' | '｝' if !curly => Some(')'),
        _ => None,
    }
}

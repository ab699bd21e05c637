//! Closers that the dialect does not have: `env}` for `env)` in a dialect without braces, or a full-width `）`.
//!
//! To the reader they are constituents of symbols, so they close nothing. At the end of a symbol that nobody uses they
//! were meant to end a list.

use lispwright_syntax::{Dialect, TokenKind, Tree};

use super::{Answer, Proposal, Sort};
use crate::case::Case;
use crate::doubts::{Doubt, MARGIN};
use crate::outcome::{Evidence, TouchedForm};
use crate::text::edit::{TextEdit, apply, replace};

/// In a text with more of them, they are parts of symbols on purpose.
const MOST: usize = 4;
const WHY: &str = "that bracket closes no list in this dialect, and with a closer in its place the form balances";

pub(crate) struct ForeignClosers;

impl Sort for ForeignClosers {
    /// Closers of the dialect in their places, if nothing else is wrong.
    fn propose(&self, case: &Case<'_>) -> Option<Proposal> {
        let edits = meant_closers(case.text, case.tree, case.before.unwrap_or_default())?;
        let restores = case.before.is_some_and(|before| apply(case.text, &edits) == before);
        let doubtful = case.leaves_the_edit(&edits) || (!restores && case.is_odd_with(&edits));
        let answer = Answer::new(edits, WHY);
        if !doubtful || !case.considers(Doubt::ForeignCloser) {
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

/// The edits that put a closer in the place of every foreign one at the end of an atom; `None` if there are none, or if
/// the text seems to have them on purpose.
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

/// The dialect's closer that a foreign closer stands for; `None` for any other character.
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

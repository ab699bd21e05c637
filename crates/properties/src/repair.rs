//! Repair keeps balanced text, its results balance, and its report has exactly its changes.

use std::ops::Range;

use lispwright_repair::{Earlier, Outcome, Repair, TextEdit, Unrepaired, renested, repair};
use lispwright_syntax::{Dialect, LineIndex, read_plain};

use crate::input::{Input, boundary};

/// The text before the change is known.
const EARLIER: u8 = 1;
/// The place of the change is known.
const EDITED: u8 = 2;
/// The text is the earlier one with a few bytes replaced.
const DERIVED: u8 = 4;

/// A dialect, flags, two numbers, then one or two texts.
pub fn holds(data: &[u8]) {
    let mut input = Input(data);
    let (dialect, flags, from, len) = (input.dialect(), input.byte(), input.number(), input.number());
    let first = input.text();
    let second = input.text();
    if flags & DERIVED == 0 {
        let earlier = (flags & EARLIER != 0).then_some(&*second);
        let edited = (flags & EDITED != 0).then_some(from as u32..from as u32 + len as u32);
        check(&first, dialect, earlier, edited);
        return;
    }
    let start = boundary(&first, from % (first.len() + 1));
    let end = boundary(&first, start + len % 64).max(start);
    let piece: String = second.chars().take(64).collect();
    let text = format!("{}{piece}{}", &first[..start], &first[end..]);
    let edited = start as u32..(start + piece.len()) as u32;
    check(&text, dialect, (flags & EARLIER != 0).then_some(&*first), (flags & EDITED != 0).then_some(edited));
}

fn check(text: &str, dialect: Dialect, before: Option<&str>, edited: Option<Range<u32>>) {
    let earlier = Earlier { text: before, edited };
    let outcome = repair(text, dialect, &earlier);
    assert_eq!(outcome, repair(text, dialect, &earlier), "two answers to one question");
    let balanced = read_plain(text, dialect).is_balanced();
    assert_eq!(balanced, outcome == Outcome::Balanced);
    match &outcome {
        Outcome::Balanced => {}
        Outcome::Repaired(repair) => repaired(text, dialect, repair),
        Outcome::Refused(refusal) => refused(text, dialect, refusal),
    }
    let found = renested(text, dialect);
    assert!(balanced || found.is_empty());
    let lines = LineIndex::new(text.as_bytes()).line_count();
    for form in found {
        assert!((1..=lines).contains(&form.form_line) && (1..=lines).contains(&form.line));
    }
}

fn repaired(text: &str, dialect: Dialect, repair: &Repair) {
    assert!(!repair.edits.is_empty() && !repair.evidence.is_empty());
    assert!(!repair.forms.is_empty(), "it changes no form");
    assert_eq!(applied(text, &repair.edits), repair.text, "the edits are not the difference");
    assert!(read_plain(&repair.text, dialect).is_balanced(), "{:?} does not balance", repair.text);
    let lines = LineIndex::new(text.as_bytes());
    for form in &repair.forms {
        let own = text.lines().nth(form.line as usize - 1).unwrap_or_default();
        assert!(own.starts_with(&form.first_line), "line {} is not {:?}", form.line, form.first_line);
    }
    for edit in &repair.edits {
        assert_ne!(edit.removed, edit.inserted);
        let words = |side: &str| side.contains(char::is_alphanumeric);
        assert!(!words(&edit.removed) && !words(&edit.inserted), "{edit:?} changes more than delimiters");
        let line = lines.line(edit.at).min(lines.line_count());
        let listed = repair.forms.iter().any(|form| form.line <= line);
        assert!(listed, "line {line} is in no form of the report");
    }
}

fn refused(text: &str, dialect: Dialect, refusal: &Unrepaired) {
    let lines = LineIndex::new(text.as_bytes());
    let count = lines.line_count().max(1);
    let diagnosis = &refusal.diagnosis;
    assert!((1..=count).contains(&diagnosis.line), "line {} of {count}", diagnosis.line);
    assert_eq!(diagnosis.opener.map(|at| lines.line(at)), diagnosis.opener_line);
    if let Some(opener) = diagnosis.opener {
        assert!((opener as usize) < text.len() && text.is_char_boundary(opener as usize));
    }
    assert!(!diagnosis.message.is_empty() && refusal.candidates.len() <= 5);
    for candidate in &refusal.candidates {
        let changed = applied(text, &candidate.edits);
        assert_ne!(changed, text);
        assert!(read_plain(&changed, dialect).is_balanced(), "a candidate leaves {changed:?}, which does not balance");
        assert!((1..=count).contains(&candidate.line), "line {} of {count}", candidate.line);
        let own = lines.line_span(candidate.line).expect("the line is in range");
        let line = text[own.range()].trim_end_matches(['\n', '\r']);
        assert!(candidate.before.starts_with(line) && text[own.range().start..].starts_with(&candidate.before));
        assert_ne!(candidate.before, candidate.after, "a candidate that shows no change");
    }
}

/// `text` with the edits, which must be sorted, separate, and correct about the removed text.
fn applied(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, edit) in edits.iter().enumerate() {
        let range = edit.range();
        assert!(range.start >= from && (at == 0 || range.start > from), "edits overlap or touch");
        assert_eq!(text.get(range.clone()), Some(&*edit.removed), "an edit removes other text than is there");
        out.push_str(&text[from..range.start]);
        out.push_str(&edit.inserted);
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}

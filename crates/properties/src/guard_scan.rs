//! A scan in pieces equals a scan of the whole and agrees with the reader, and requests may be anything.

use lispwright_guard::scan::Scanner;
use lispwright_guard::{Body, GuardAnswer, Operation, answer};
use lispwright_syntax::{Dialect, read_plain};
use serde_json::Map;

use crate::input::Input;

/// A dialect, two numbers for the cuts, then the text, and a forged state.
pub fn holds(data: &[u8]) {
    let mut input = Input(data);
    let (dialect, cut, first) = (input.dialect(), input.number(), input.number());
    let (text, state) = (input.text(), input.text());
    let whole = scanned([&*text], dialect);
    let pieces = pieces(&text, cut % 97 + 1, first);
    let split = scanned(pieces.iter().copied(), dialect);
    if let (Some(whole), Some(split)) = (&whole, &split) {
        assert_eq!(whole, split, "{text:?} in {} pieces", pieces.len());
    }
    if let Some(scanner) = &whole {
        assert_eq!(scanner.is_balanced(), read_is_balanced(&text, dialect), "{text:?}");
    }
    requests(&text, &pieces, dialect, &state);
}

/// The reader finds every delimiter matched. The guard does not check its other mistakes.
fn read_is_balanced(text: &str, dialect: Dialect) -> bool {
    use lispwright_syntax::DiagnosticKind::{DanglingPrefix, TooDeep};
    let tree = read_plain(text, dialect);
    tree.diagnostics().iter().all(|diagnostic| matches!(diagnostic.kind, DanglingPrefix | TooDeep))
}

/// Cuts `text` before every `every`-th character, beginning with some character.
fn pieces(text: &str, every: usize, first: usize) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    for (index, (at, _)) in text.char_indices().enumerate() {
        if index > 0 && index % every == first % every {
            found.push(&text[from..at]);
            from = at;
        }
    }
    found.push(&text[from..]);
    found
}

/// The scan; `None` if a limit ends it.
fn scanned<'t>(pieces: impl IntoIterator<Item = &'t str>, dialect: Dialect) -> Option<Scanner> {
    let mut scanner = Scanner::new(dialect, &[], 0);
    for piece in pieces {
        scanner.feed(piece, &mut |_| {}).ok()?;
    }
    Some(scanner)
}

/// The same through requests, and with the forged state.
fn requests(text: &str, pieces: &[&str], dialect: Dialect, forged: &str) {
    let request = |text: &str, state: Option<&str>| {
        let mut fields = Map::new();
        fields.insert("text".to_owned(), text.into());
        fields.insert("dialect".to_owned(), dialect.name().into());
        fields.extend(state.map(|state| ("state".to_owned(), state.into())));
        answer(Operation::Scan, &fields)
    };
    let whole = request(text, None);
    let mut last = None;
    for piece in pieces.iter().take(64) {
        let state = last.as_ref().and_then(state_of);
        let next = request(piece, state);
        if next.body.is_none() {
            return;
        }
        last = Some(next);
    }
    if pieces.len() <= 64 && whole.body.is_some() {
        assert_eq!(last, Some(whole), "{text:?} in pieces {pieces:?}");
    }
    let forged = request(text, Some(forged));
    assert_eq!(forged.ok, forged.error.is_none());
}

fn state_of(answer: &GuardAnswer) -> Option<&str> {
    match &answer.body {
        Some(Body::Scan(scanned)) => Some(&scanned.state),
        _ => None,
    }
}

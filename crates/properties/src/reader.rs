//! The reader keeps every byte, gives a tree for any bytes, and gives consistent answers.

use lispwright_syntax::{Datum, Element, Forms, LineIndex, Tree, dump, read, read_plain};

use crate::input::Input;

/// A dialect byte, then any bytes.
pub fn holds(data: &[u8]) {
    let mut input = Input(data);
    let dialect = input.dialect();
    let bytes = input.0;
    let tree = read(bytes, dialect);
    let plain = read_plain(bytes, dialect);
    assert_eq!(tree.is_balanced(), tree.diagnostics().is_empty());
    assert_eq!(tree.is_balanced(), plain.is_balanced(), "recovery is only for broken texts");
    for tree in [&tree, &plain] {
        tokens_tile(tree, bytes);
        lists_nest(tree);
        elements_tile(tree);
        for diagnostic in tree.diagnostics() {
            assert!(diagnostic.span.range().end <= bytes.len());
            assert!(diagnostic.opened_at.is_none_or(|span| span.range().end <= bytes.len()));
            assert!(!diagnostic.kind.to_string().is_empty());
        }
    }
    let lines = LineIndex::new(bytes);
    for (_, span) in tree.tokens() {
        let line = lines.line(span.start);
        let around = lines.line_span(line).expect("a token stands in a line");
        assert!(around.start <= span.start && span.start <= around.end);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        for (_, span) in tree.tokens() {
            assert!(text.is_char_boundary(span.range().start), "a token begins inside a character");
        }
        for (_, form) in Forms::new(&tree, text).iter() {
            assert!(form.outer.range().end <= text.len());
            let _ = form.label(text);
        }
        let _ = dump::dump(&tree, text);
    }
}

/// The joined tokens are the bytes.
fn tokens_tile(tree: &Tree, bytes: &[u8]) {
    let mut at = 0;
    for (_, span) in tree.tokens() {
        assert_eq!(span.range().start, at, "tokens leave a gap or overlap");
        assert!(!span.is_empty(), "an empty token");
        at = span.range().end;
    }
    assert_eq!(at, bytes.len());
    assert_eq!(tree.len() as usize, bytes.len());
}

fn lists_nest(tree: &Tree) {
    let mut last = None;
    for (at, list) in tree.lists().iter().enumerate() {
        assert!(last < Some(list.open()), "lists come in the order of their openers");
        last = Some(list.open());
        assert!(tree.kind(list.open()).is_open());
        assert!(list.open() < list.end() && list.content_end() <= list.end());
        if let Some(close) = list.close() {
            assert!(tree.kind(close).is_close() && list.open() < close);
        }
        if let Some(parent) = list.parent() {
            assert!((parent as usize) < at, "a list is before its parent");
            assert!(tree.list(parent).open() < list.open() && list.end() <= tree.list(parent).end());
        }
    }
}

fn elements_tile(tree: &Tree) {
    let tile = |elements: &mut dyn Iterator<Item = Element>, first: u32, end: u32| {
        let mut next = first;
        for element in elements {
            let (first, last) = match element {
                Element::Trivia(token) | Element::Stray(token) => (token, token),
                Element::Datum(Datum { first, last, .. }) | Element::Discarded(Datum { first, last, .. }) => {
                    (first, last)
                }
            };
            assert!(first == next && first <= last, "elements leave a gap");
            next = last + 1;
        }
        assert_eq!(next, end, "elements end too early");
    };
    tile(&mut tree.top_elements(), 0, tree.token_count());
    for (id, list) in tree.lists().iter().enumerate() {
        tile(&mut tree.elements(id as u32), list.open() + 1, list.content_end());
    }
}

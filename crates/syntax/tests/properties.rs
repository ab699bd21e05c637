//! Properties of the tree of any text, healthy or broken, in every dialect.

use lispwright_syntax::{Address, Dialect, Element, Forms, LineIndex, Selection, Span, TokenKind, Tree, read};
use proptest::prelude::*;

/// Texts made of pieces that are difficult for readers.
fn lispy() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "\\",
        "|",
        "#",
        ";",
        "'",
        "`",
        ",",
        ",@",
        "~",
        "@",
        "^",
        "#\\",
        "#|",
        "|#",
        "#;",
        "#_",
        "#+",
        "#-",
        "#?(",
        "#?@(",
        "#(",
        "#{",
        "}#",
        "#!",
        "!#",
        "?\\",
        "?",
        "\\C-",
        "#1=",
        "#1#",
        "#2A(",
        "#\"",
        "##",
        "#:",
        "#.",
        "#'",
        "#<<",
        " ",
        "\n",
        "\r\n",
        "\t",
        "a",
        "foo",
        "defun f",
        "define",
        "defn",
        "1",
        "λ",
        "é",
        "\u{a0}",
        "\u{2003}",
        "\u{feff}",
        "\n(defun g ",
        "\n(",
        "nil",
        "#~",
        "#$@",
        "#u8(",
        ":a",
        "eql",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn dialects() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

/// Checks that tokens cover the text without gaps, that lists nest, and that walks cover the tokens without gaps.
fn assert_whole(tree: &Tree, len: usize) {
    let mut at = 0;
    for (_, span) in tree.tokens() {
        assert_eq!(span.start, at, "a token starts where the one before ends");
        assert!(span.end > span.start, "every token makes progress");
        at = span.end;
    }
    assert_eq!(at as usize, len);
    for (id, list) in tree.lists().iter().enumerate() {
        assert!(tree.kind(list.open()).is_open());
        assert!(list.close().is_none_or(|close| tree.kind(close).is_close() && close > list.open()));
        if let Some(parent) = list.parent() {
            assert!(tree.list_span(parent).encloses(tree.list_span(id as u32)));
        }
        assert_tiles(tree, tree.elements(id as u32), list.open() + 1, list.content_end());
    }
    assert_tiles(tree, tree.top_elements(), 0, tree.token_count());
}

fn assert_tiles(tree: &Tree, elements: impl Iterator<Item = Element>, start: u32, end: u32) {
    let mut next = start;
    for element in elements {
        let (first, last) = match element {
            Element::Trivia(token) | Element::Stray(token) => (token, token),
            Element::Datum(datum) | Element::Discarded(datum) => {
                assert!(datum.first <= datum.core && datum.core <= datum.last);
                assert!(tree.datum_span(datum).encloses(tree.core_span(datum)));
                (datum.first, datum.last)
            }
        };
        assert_eq!(first, next, "elements leave nothing out");
        next = last + 1;
    }
    assert_eq!(next, end, "elements go to the end of their list");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_make_a_tree(bytes in prop::collection::vec(any::<u8>(), 0..200), dialect in dialects()) {
        assert_whole(&read(&bytes, dialect), bytes.len());
    }

    #[test]
    fn texts_are_cut_at_characters(text in lispy(), dialect in dialects()) {
        let tree = read(&text, dialect);
        assert_whole(&tree, text.len());
        for (_, span) in tree.tokens() {
            prop_assert!(text.is_char_boundary(span.start as usize));
        }
        for diagnostic in tree.diagnostics() {
            prop_assert!((diagnostic.span.end as usize) <= text.len());
        }
    }

    #[test]
    fn forms_are_in_order_and_are_found_by_their_own_name(text in lispy(), dialect in dialects()) {
        let tree = read(&text, dialect);
        let forms = Forms::new(&tree, &text);
        let lines = LineIndex::new(text.as_bytes());
        for (id, form) in forms.iter() {
            prop_assert!(form.outer.encloses(form.span));
            if let Some(parent) = form.parent {
                prop_assert!(parent < id && forms.get(parent).outer.encloses(form.outer));
            }
            let Some(name) = &form.name else { continue };
            // Names with quoting cannot be found by the form's name, in which white space has been normalised.
            let plain = name.chars().all(|c| c.is_alphanumeric() || "() :*".contains(c));
            let name_tree = read(name, dialect);
            if plain && name_tree.is_balanced() && name_tree.top_level().count() == 1 {
                let found = forms.find(&tree, &text, &Address::parse(tree.language(), name), Selection::default(), &lines);
                prop_assert!(found.contains(&id), "{name:?} in {text:?}");
            }
        }
    }

    #[test]
    fn closing_what_is_open_balances(text in lispy(), dialect in dialects()) {
        // An atom at the end, so that no unfinished token continues in the appended closers.
        let text = text + " a";
        let tree = read(&text, dialect);
        let only_unclosed = tree.diagnostics().iter().all(|d| d.kind.code() == "unclosed");
        let open_to_the_end = tree.diagnostics().iter().all(|d| d.gave_up_at == Some(text.len() as u32));
        if tree.is_balanced() || !only_unclosed || !open_to_the_end {
            return Ok(());
        }
        let mut closed = format!("{text}\n");
        for list in tree.lists().iter().rev().filter(|list| list.close().is_none()) {
            closed.push(match tree.kind(list.open()) {
                TokenKind::OpenParen => ')',
                TokenKind::OpenBracket => ']',
                _ => '}',
            });
        }
        prop_assert!(read(&closed, dialect).is_balanced(), "{closed:?}");
    }
}

#[test]
fn a_million_nested_lists_are_read_with_a_diagnostic() {
    for text in [
        "(".repeat(1_000_000) + &")".repeat(1_000_000),
        "(".repeat(1_000_000),
        ")".repeat(1_000_000),
        "[(".repeat(500_000),
    ] {
        for dialect in Dialect::ALL {
            let tree = read(&text, dialect);
            assert!(!tree.diagnostics().is_empty());
            assert!(tree.diagnostics().len() <= 10_000);
            assert!(!Forms::new(&tree, &text).is_empty() || text.starts_with(')'));
        }
    }
}

#[test]
fn long_rows_of_prefixes_are_read() {
    for prefix in ["'", "#_", "#;", "^", "#+", "`(,@"] {
        for dialect in Dialect::ALL {
            let text = prefix.repeat(200_000) + "x";
            let tree = read(&text, dialect);
            assert_eq!(tree.len() as usize, text.len());
            assert!(Forms::new(&tree, &text).iter().all(|(_, form)| form.outer.end <= tree.len()));
        }
    }
}

#[test]
fn a_span_encloses_itself_but_not_what_begins_before_it() {
    assert!(Span::new(2, 5).encloses(Span::new(2, 5)));
    assert!(!Span::new(2, 5).encloses(Span::new(1, 3)));
}

#[test]
fn an_annotation_at_the_end_of_a_list_that_does_not_end_has_no_operand() {
    for text in ["^#_|#[^ ", "^#_a(^ ", "^#_a(#_\n"] {
        let tree = read(text, Dialect::Clojure);
        assert!(Forms::new(&tree, text).iter().all(|(_, form)| form.outer.end <= tree.len()));
    }
}

//! Properties of repair for any text and any earlier text.

#![allow(clippy::unwrap_used)]

use lispwright_repair::{Earlier, Outcome, renested, repair};
use lispwright_syntax::{Dialect, read_plain};
use proptest::prelude::*;

fn dialect() -> impl Strategy<Value = Dialect> {
    proptest::sample::select(Dialect::ALL.to_vec())
}

/// Text that is rich in what matters to nesting.
fn lisp() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "\\",
        "|",
        "#|",
        "|#",
        ";",
        "#\\(",
        "?(",
        "'",
        "`",
        ",@",
        "#'",
        "#_",
        "#;",
        "a",
        "foo",
        "defun",
        "let",
        " ",
        " ",
        "\n",
        "\n  ",
        "\n    ",
        "\t",
        "\r\n",
        "é",
        "\u{3000}",
        "\n(defun f (x)\n  (g x))\n",
        "#+x",
        "12",
    ]);
    proptest::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat())
}

fn holds(text: &str, dialect: Dialect, earlier: Option<&str>, edited: Option<std::ops::Range<u32>>) {
    let balanced = read_plain(text, dialect).diagnostics().is_empty();
    match repair(text, dialect, &Earlier { text: earlier, edited }) {
        Outcome::Balanced => assert!(balanced),
        Outcome::Repaired(repair) => {
            assert!(!balanced);
            assert!(read_plain(&repair.text, dialect).diagnostics().is_empty(), "{:?}", repair.text);
            // The edits are sorted, do not touch, and are exactly the difference.
            let mut rebuilt = String::new();
            let mut from = 0;
            for edit in &repair.edits {
                let range = edit.range();
                assert!(range.start >= from);
                assert_eq!(&text[range.clone()], edit.removed);
                assert_ne!(edit.removed, edit.inserted);
                rebuilt.push_str(&text[from..range.start]);
                rebuilt.push_str(&edit.inserted);
                from = range.end;
            }
            rebuilt.push_str(&text[from..]);
            assert_eq!(rebuilt, repair.text);
            assert!(!repair.edits.is_empty());
        }
        Outcome::Refused(refusal) => {
            assert!(!balanced);
            assert!(refusal.diagnosis.line >= 1);
            assert!(refusal.candidates.len() <= 5);
            for candidate in &refusal.candidates {
                for edit in &candidate.edits {
                    assert_eq!(&text[edit.range()], edit.removed);
                }
            }
        }
    }
    if balanced {
        renested(text, dialect);
    } else {
        assert!(renested(text, dialect).is_empty());
    }
}

/// Forms with many empty lists, which balance.
fn forms() -> impl Strategy<Value = String> {
    let piece = (0usize..12, proptest::sample::select(vec![" ", " ", "\n  ", "\n      "]));
    proptest::collection::vec(proptest::collection::vec(piece, 1..24), 1..4).prop_map(|forms| {
        let mut text = String::new();
        for pieces in forms {
            let mut open = vec![')'];
            text.push_str("(f");
            for (piece, blank) in pieces {
                match piece {
                    0..3 if open.len() > 1 => text.extend(open.pop()),
                    3 => text.extend([blank, "()"]),
                    4 => text.extend([blank, "'()"]),
                    5 => {
                        text.extend([blank, "("]);
                        open.push(')');
                    }
                    6 => {
                        text.extend([blank, "(g"]);
                        open.push(')');
                    }
                    7 => text.extend([blank, "\"s\""]),
                    8 => text.extend([blank, "1"]),
                    _ => text.extend([blank, "a"]),
                }
            }
            text.extend(open.into_iter().rev());
            text.push('\n');
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300), dialect in dialect()) {
        holds(&String::from_utf8_lossy(&bytes), dialect, None, None);
    }

    #[test]
    fn any_lisp(text in lisp(), earlier in lisp(), dialect in dialect(), from in 0u32..400, len in 0u32..100) {
        holds(&text, dialect, None, None);
        holds(&text, dialect, Some(&earlier), Some(from..from + len));
    }

    #[test]
    fn any_edit(text in lisp(), at in 0usize..400, len in 0usize..6, piece in lisp(), dialect in dialect()) {
        let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let (from, to) = (boundary(at), boundary(at + len));
        let piece: String = piece.chars().take(4).collect();
        let changed = format!("{}{piece}{}", &text[..from], &text[to..]);
        holds(&changed, dialect, Some(&text), None);
    }

    #[test]
    fn a_lost_delimiter_is_put_back_where_it_was_or_nowhere(sound in forms(), at in 0usize..400, dialect in dialect()) {
        let delimiters: Vec<usize> = sound.match_indices(['(', ')']).map(|(at, _)| at).collect();
        let at = delimiters[at % delimiters.len()];
        let broken = format!("{}{}", &sound[..at], &sound[at + 1..]);
        let earlier = Earlier { text: Some(&sound), edited: None };
        if let Outcome::Repaired(repair) = repair(&broken, dialect, &earlier) {
            assert_eq!(repair.text, sound, "{broken}");
        }
    }
}

//! Random strings of difficult pieces: what a decoder accepts, the reader finds sound.

use lispwright_grammar::Start;
use lispwright_syntax::Dialect;

use crate::{decoders, is_sound};

const PIECES: &[&str] = &[
    "(", ")", "(", ")", "(", ")", "[", "]", "{", "}", "#(", "#", "\"", "\\", "|", "#|", "|#", ";", "\n", "\n", " ",
    " ", " ", "a", "foo", "'", "`", ",", ",@", "~", "@", "^", "#'", "#+", "#;", "#_", "#\\", "#\\(", "?", "?(", "?\\(",
    "?\\C-", "\\)", "#!", "!#", "#{", "}#", "12", "#1=", "#1#", "x#", "#x", "::", "&", "-", "=", "\u{e9}",
];

#[test]
fn what_the_grammars_accept_is_sound() {
    for dialect in [Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp] {
        let mut decoders = decoders(dialect, Start::File);
        let (mut state, mut accepted) = (0x9e37_79b9_7f4a_7c15_u64, 0);
        let mut wrong = Vec::new();
        for _ in 0..5_000 {
            let mut text = String::new();
            for _ in 0..=next(&mut state) % 9 {
                text.push_str(PIECES[usize::try_from(next(&mut state) % PIECES.len() as u64).unwrap()]);
            }
            for (name, decoder) in &mut decoders {
                if decoder.accepts(&text) {
                    accepted += 1;
                    if !is_sound(&text, dialect) {
                        wrong.push(format!("{name}: {text:?}"));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}: {}\n{}", dialect.name(), wrong.len(), wrong.join("\n"));
        assert!(accepted > 1_000, "{}: {accepted} accepted", dialect.name());
    }
}

/// Xorshift.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 16
}

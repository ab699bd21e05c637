//! Random strings of difficult pieces: the reader finds every string sound that a decoder accepts.

use lispwright_grammar::Start;
use lispwright_syntax::Dialect;

use crate::{decoders, is_sound};

const PIECES: &[&str] = &[
    "(", ")", "(", ")", "(", ")", "[", "]", "{", "}", "#(", "#", "\"", "\\", "|", "#|", "|#", ";", "\n", "\n", " ",
    " ", " ", "a", "foo", "'", "`", ",", ",@", "~", "@", "^", "#'", "#+", "#;", "#_", "#\\", "#\\(", "?", "?(", "?\\(",
    "?\\C-", "\\)", "#!", "!#", "#{", "}#", "12", "#1=", "#1#", "x#", "#x", "::", "&", "-", "=", "\u{e9}",
];

#[track_caller]
fn check(dialect: Dialect) {
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
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(accepted > 1_000, "{accepted} accepted");
}

#[test]
fn what_is_accepted_of_common_lisp_is_sound() {
    check(Dialect::CommonLisp);
}

#[test]
fn what_is_accepted_of_scheme_is_sound() {
    check(Dialect::Scheme);
}

#[test]
fn what_is_accepted_of_clojure_is_sound() {
    check(Dialect::Clojure);
}

#[test]
fn what_is_accepted_of_emacs_lisp_is_sound() {
    check(Dialect::EmacsLisp);
}

#[test]
fn what_is_accepted_of_racket_is_sound() {
    check(Dialect::Racket);
}

#[test]
fn what_is_accepted_of_fennel_is_sound() {
    check(Dialect::Fennel);
}

#[test]
fn what_is_accepted_of_janet_is_sound() {
    check(Dialect::Janet);
}

#[test]
fn what_is_accepted_of_hy_is_sound() {
    check(Dialect::Hy);
}

/// Xorshift.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 16
}

//! Every character after `#`, and after the beginning of a character literal.

use lispwright_grammar::Start;
use lispwright_syntax::Dialect;

use crate::{decoders, is_sound};

const TAILS: &[&str] = &[
    "",
    " ",
    "x",
    "xy",
    "-x",
    " x",
    "(x)",
    "x(y)",
    "x)",
    "1",
    "1(x)",
    "1=x",
    "1#",
    "[x]",
    "(x]",
    "{x}",
    "\"x\"",
    "x\"(\"",
    "'x",
    "x'y",
    ",@x",
    ";)",
    "|x|",
    "|(|",
    "|(|#",
    "\\(",
    "\\) x",
    " x y",
    "'x #;y z",
    "#x",
    "#(x)",
    "#|(|# x",
    "~(x)",
    "@x",
    "C-x",
    "\\C-(",
    "\\C-\\M-)",
    "{)}#",
    "!#",
    " ) !#",
    "<x>",
];

/// Texts that the reader tolerates and no language reads: `#` before nothing, before a character without a meaning
/// there, or before a number alone; a symbol directly after a character's code. And white space outside ASCII directly
/// after a symbol: llguidance sees bytes, and the first ones could continue the symbol.
const LEFT_OUT: &[(Dialect, &[&str])] = &[
    (Dialect::CommonLisp, &["# ", "#)", "#;", "##", "#=", "#|(|#", "#0|", "#0 ", "#01 ", "#7 ", "#71 "]),
    (Dialect::Scheme, &["# ", "#)", "#<", "#=", "#]"]),
    (Dialect::Clojure, &["# ", "#,", "#@", "#\\", "#`", "#~", "#;", "#)", "\u{2028}", "#]", "#}", "#:", "#<", "##"]),
    (Dialect::EmacsLisp, &["# ", "#)", "#;", "#]", "#\"", "#`", "#,", "#^", "#@", "#\\", "#0", "#7", "?\\1=", "?\\xy"]),
    // `@` and `~` are no symbols of Fennel but `~=`.
    (Dialect::Fennel, &["# ", "#)", "#]", "#}", "@", "~"]),
    // Longer rows of backquotes, empty strings in them, and `@` alone.
    (Dialect::Janet, &["````", "``", "\\", "@ ", "@)", "@;", "@~", "@'", "@,", "@|"]),
    (Dialect::Hy, &["# ", "#)", "#]", "#}", "#[(", "#_", "#^", "#'", "#`", "#~", "#;", "#\""]),
    (Dialect::Racket, &["# ", "#)", "#<", "#=", "#]", "#}", "#\\1=", "#\\C-", "\u{2028}"]),
];

#[track_caller]
fn check(dialect: Dialect) {
    let (_, left_out) = LEFT_OUT.iter().find(|(known, _)| *known == dialect).unwrap();
    let mut wrong = Vec::new();
    let mut decoders = decoders(dialect, Start::File);
    let (mut accepted, mut rejected) = (0, 0);
    let leads = if dialect.comment() == '#' { ["@", "`", "a@", "@`"] } else { ["#", "?", "\\", "a#"] };
    for lead in leads {
        for c in (' '..='~').filter(|c| !c.is_ascii_alphanumeric()).chain("07CNrstux\u{3bb}\u{2028}".chars()) {
            for tail in TAILS {
                let text = format!("(a {lead}{c}{tail} b)\n");
                let sound = is_sound(&text, dialect);
                for (name, decoder) in &mut decoders {
                    match (decoder.accepts(&text), sound) {
                        (true, true) => accepted += 1,
                        (false, false) => rejected += 1,
                        (true, false) => wrong.push(format!("{name} accepts {text:?}")),
                        (false, true) if left_out.iter().any(|part| text.contains(part)) => {}
                        (false, true) => wrong.push(format!("{name} rejects {text:?}")),
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(accepted > 3_000 && rejected > 2_000, "{accepted} accepted, {rejected} rejected");
}

#[test]
fn what_fennel_dispatches() {
    check(Dialect::Fennel);
}

#[test]
fn what_janet_dispatches() {
    check(Dialect::Janet);
}

#[test]
fn what_hy_dispatches() {
    check(Dialect::Hy);
}

#[test]
fn what_common_lisp_dispatches() {
    check(Dialect::CommonLisp);
}

#[test]
fn what_scheme_dispatches() {
    check(Dialect::Scheme);
}

#[test]
fn what_clojure_dispatches() {
    check(Dialect::Clojure);
}

#[test]
fn what_emacs_lisp_dispatches() {
    check(Dialect::EmacsLisp);
}

#[test]
fn what_racket_dispatches() {
    check(Dialect::Racket);
}

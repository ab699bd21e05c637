//! Mutated tokens, as the languages' own readers judge them: what a reader takes is never called misspelt, and most of
//! what it refuses is.
//!
//! `tests/tokens/DIALECT.txt` has a line for each token, with `+` or `-` before it as the language's own reader takes
//! it or not. `UPDATE_TOKENS=1` makes the tokens anew and asks the readers, by the scripts in `corpus/oracles/tokens`.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lispwright_syntax::{Dialect, flaws, read};

/// How tokens of a dialect are made and judged.
struct Judged {
    dialect: Dialect,
    /// The program that reads, and its arguments before the script.
    call: &'static [&'static str],
    script: &'static str,
    /// Sound tokens, of which each is mutated.
    seeds: &'static [&'static str],
    /// The characters that mutations put in.
    letters: &'static str,
    /// Of the tokens that the reader refuses, so many in a hundred are told.
    told: usize,
}

const MOST: usize = 1_500;

#[test]
fn clojure() {
    check(&Judged {
        dialect: Dialect::Clojure,
        call: &["clojure"],
        script: "clojure.clj",
        seeds: &[
            r#""a\tb\u00e9""#,
            r#""\101 x""#,
            r#""\\d\n""#,
            "\\newline",
            "\\u00e9",
            "\\o101",
            "\\a",
            "017",
            "0x1F",
            "36rZZ",
            "1/2",
            "1.5e10",
            "12N",
            "1.5M",
            ":a/b",
            "::ab",
            "a.b/c",
            "foo'",
            "a:b",
            "-1",
            "##Inf",
            "#(f %1)",
            "+",
            "a/b/c",
        ],
        letters: r"0189xurNM/:.\'de[#-",
        told: 93,
    });
}

#[test]
fn common_lisp() {
    check(&Judged {
        dialect: Dialect::CommonLisp,
        call: &["sbcl", "--script"],
        script: "common-lisp.lisp",
        seeds: &[
            "#\\Space",
            "#\\newline",
            "#\\x",
            "#x1F",
            "#b101",
            "#o17",
            "1/2",
            "a:b",
            "cl:car",
            ":key",
            "a.b",
            "a::b",
            "1.5d0",
        ],
        letters: r"0129xgz/:.ae-",
        told: 40,
    });
}

#[test]
fn emacs_lisp() {
    check(&Judged {
        dialect: Dialect::EmacsLisp,
        call: &["emacs", "--batch", "-Q", "-l"],
        script: "emacs-lisp.el",
        seeds: &[
            "?a",
            "?\\n",
            "?\\C-a",
            "?\\M-x",
            "?\\u00e9",
            "?\\x41",
            "?\\101",
            r#""\u00e9 x""#,
            r#""\\sw\n""#,
            r#""\C-a""#,
            r#""\U000000e9""#,
            "#x1F",
            "#b101",
            "#24r1k",
            "#:a",
            "#'car",
            "##",
            "[1 2]",
            "(a . b)",
            "a?b",
        ],
        letters: r"0189xuUNMSC\-.#ag",
        told: 95,
    });
}

#[test]
fn racket() {
    check(&Judged {
        dialect: Dialect::Racket,
        call: &["racket"],
        script: "racket.rkt",
        seeds: &[
            r#""a\tb\u00e9""#,
            r#""\101x""#,
            r#""\x41\e""#,
            r##"#"a\n""##,
            r##"#px"\\d+""##,
            "#\\space",
            "#\\a",
            "#\\u00e9",
            "#\\101",
            "#x1F",
            "#b101",
            "1/2",
            "#t",
            "#true",
            "#:key",
            "a.b",
            "#\\newline",
        ],
        letters: r"0129xuUdgz\/-af",
        told: 74,
    });
}

#[test]
fn scheme() {
    check(&Judged {
        dialect: Dialect::Scheme,
        call: &["guile", "--no-auto-compile"],
        script: "scheme.scm",
        seeds: &[
            r#""a\tb\x41;""#,
            r#""\u00e9 x""#,
            r#""\\d\n""#,
            "#\\space",
            "#\\newline",
            "#\\a",
            "#\\x41",
            "#\\101",
            "#x1F",
            "#b101",
            "#o17",
            "1/2",
            "a.b",
            "#t",
            "#:key",
        ],
        letters: r"0129xuUdgz\-af",
        told: 65,
    });
}

fn file(dialect: Dialect) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tokens").join(format!("{}.txt", dialect.name()))
}

#[track_caller]
fn check(judged: &Judged) {
    if std::env::var_os("UPDATE_TOKENS").is_some() {
        std::fs::write(file(judged.dialect), ask(judged)).unwrap();
    }
    let answers = std::fs::read_to_string(file(judged.dialect)).unwrap();
    let (mut false_alarms, mut silent, mut refused) = (Vec::new(), Vec::new(), 0);
    for line in answers.lines() {
        let (verdict, token) = line.split_once(' ').unwrap();
        let tree = read(token, judged.dialect);
        let told = !tree.is_balanced() || !tree.diagnostics().is_empty() || !flaws(&tree, token).is_empty();
        refused += usize::from(verdict == "-");
        match (verdict, told) {
            ("+", true) => false_alarms.push(token),
            ("-", false) => silent.push(token),
            _ => {}
        }
    }
    let count = answers.lines().count();
    assert!(count >= 500 && refused >= 50, "{count} tokens, of which {refused} are refused, show nothing");
    assert!(false_alarms.is_empty(), "told, though the reader takes them:\n{}", false_alarms.join("\n"));
    let told = (refused - silent.len()) * 100 / refused;
    assert!(told >= judged.told, "{told} % of {refused} are told; not told:\n{}", silent.join("\n"));
}

/// The tokens, each after the verdict of the language's own reader.
fn ask(judged: &Judged) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/oracles/tokens").join(judged.script);
    let mut child = Command::new(judged.call[0])
        .args(&judged.call[1..])
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let tokens = tokens(judged).join("\n") + "\n";
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(tokens.as_bytes()));
    let answers = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    String::from_utf8(answers.stdout).unwrap()
}

/// The seeds, and what a change of one character makes of them, thinned evenly.
fn tokens(judged: &Judged) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for seed in judged.seeds {
        all.push((*seed).to_owned());
        for (at, c) in seed.char_indices() {
            let (before, after) = (&seed[..at], &seed[at + c.len_utf8()..]);
            all.push(format!("{before}{after}"));
            all.push(format!("{before}{c}{c}{after}"));
            for letter in judged.letters.chars() {
                all.push(format!("{before}{letter}{after}"));
                all.push(format!("{before}{letter}{c}{after}"));
            }
        }
        all.extend(judged.letters.chars().map(|letter| format!("{seed}{letter}")));
    }
    all.retain(|token| !token.trim().is_empty());
    all.sort();
    all.dedup();
    let step = all.len().div_ceil(MOST).max(1);
    all.into_iter().step_by(step).collect()
}

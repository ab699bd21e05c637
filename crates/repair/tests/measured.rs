//! Repair measured on real forms: a fixed, small part of what `cargo xtask bench repair` measures.
//!
//! Forms of the reader's fixtures and of the corpus in `target/corpus` (or `LISPWRIGHT_CORPUS`), which `cargo xtask
//! corpus` fetches, lose or gain a closer at a line end. The shares of right and wrong answers have to keep the
//! promises of the project.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use lispwright_repair::{Earlier, Outcome, repair};
use lispwright_syntax::{Dialect, TokenKind, read_plain};

/// Forms of this many files of each corpus are damaged.
const FILES: usize = 16;
/// This many forms of each file are damaged.
const FORMS: usize = 3;
/// In bytes: larger files are left out.
const LARGEST: usize = 60_000;

#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    exact: usize,
    wrong: usize,
}

impl Tally {
    fn count(&mut self, outcome: Outcome, truth: &str, dialect: Dialect) {
        self.cases += 1;
        if let Outcome::Repaired(repair) = outcome {
            self.exact += usize::from(repair.text == truth);
            self.wrong += usize::from(meaning(&repair.text, dialect) != meaning(truth, dialect));
        }
    }
}

/// The tokens that the reader of the language would see.
fn meaning(text: &str, dialect: Dialect) -> Vec<&str> {
    let tree = read_plain(text, dialect);
    tree.tokens().filter(|(kind, _)| !kind.is_trivia()).map(|(_, span)| &text[span.range()]).collect()
}

fn corpus() -> PathBuf {
    std::env::var_os("LISPWRIGHT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"), PathBuf::from)
}

/// The readable sound files below `folder` in one dialect, at most [`FILES`] of them, spread evenly.
fn texts(folder: &Path, dialect: Dialect) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    paths.sort();
    let step = (paths.len() / (FILES * 2)).max(1);
    paths
        .iter()
        .step_by(step)
        .filter(|path| Dialect::detect(&path.to_string_lossy(), b"") == Some(dialect))
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .filter(|text| text.len() < LARGEST && read_plain(text, dialect).diagnostics().is_empty())
        .take(FILES)
        .collect()
}

/// The text with one closer lost or one too many at the end of a line of a form, in each of the ways there are.
fn damaged(text: &str, dialect: Dialect) -> Vec<String> {
    let tree = read_plain(text, dialect);
    let forms: Vec<_> = tree.top_level().map(|datum| tree.datum_span(datum)).collect();
    let long: Vec<_> = forms.iter().filter(|span| text[span.range()].lines().count() > 3).collect();
    let mut out = Vec::new();
    for form in long.iter().step_by((long.len() / FORMS).max(1)).take(FORMS) {
        let closers: Vec<usize> = tree
            .tokens()
            .filter(|(kind, span)| form.encloses(*span) && matches!(kind, TokenKind::CloseParen))
            .map(|(_, span)| span.range().end)
            .filter(|&end| text[end..].starts_with(['\n', '\r']) || end == text.len())
            .collect();
        let Some((&last, inner)) = closers.split_last() else { continue };
        for &at in [last].iter().chain(inner.get(inner.len() / 2)) {
            out.push(format!("{}{}", &text[..at - 1], &text[at..]));
            out.push(format!("{}){}", &text[..at], &text[at..]));
        }
    }
    out
}

fn measure(folder: &Path, dialect: Dialect) -> (Tally, Tally) {
    let (mut alone, mut against) = (Tally::default(), Tally::default());
    for text in texts(folder, dialect) {
        for broken in damaged(&text, dialect) {
            alone.count(repair(&broken, dialect, &Earlier::default()), &text, dialect);
            against.count(repair(&broken, dialect, &Earlier { text: Some(&text), edited: None }), &text, dialect);
        }
    }
    (alone, against)
}

#[track_caller]
fn check(section: &str, dialect: Dialect) {
    let folder = corpus().join(section);
    assert!(folder.is_dir(), "there is no {section} corpus: run `cargo xtask corpus`");
    let (alone, against) = measure(&folder, dialect);
    assert!(alone.cases > 60, "{section}: {alone:?}");
    assert!(200 * alone.wrong <= 3 * alone.cases, "{section}, alone: {alone:?}");
    assert!(100 * alone.exact >= 83 * alone.cases, "{section}, alone: {alone:?}");
    assert_eq!(against.wrong, 0, "{section}, with the earlier text: {against:?}");
    // An earlier text whose own columns contradict it may balance by accident, so it is not always restored.
    assert!(100 * against.exact >= 95 * against.cases, "{section}, with the earlier text: {against:?}");
}

#[test]
fn common_lisp_libraries() {
    check("common-lisp", Dialect::CommonLisp);
}

#[test]
fn sbcl() {
    check("sbcl", Dialect::CommonLisp);
}

#[test]
fn guile() {
    check("guile", Dialect::Scheme);
}

#[test]
fn clojure() {
    check("clojure", Dialect::Clojure);
}

#[test]
fn emacs_lisp() {
    check("emacs-lisp", Dialect::EmacsLisp);
}

#[test]
fn fixtures_come_back_with_their_earlier_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/tests/fixtures/ok");
    let mut cases = 0;
    for dialect in [Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp] {
        let (_, against) = measure(&folder, dialect);
        cases += against.cases;
        assert_eq!(against.wrong, 0, "{dialect:?}");
        assert_eq!(against.exact, against.cases, "{dialect:?}");
    }
    assert!(cases >= 10, "the fixtures hold forms of several lines: {cases}");
}

//! `read_again` gives the same tree of a changed text as `read`, for random texts, and for files of the corpus in
//! `target/corpus` (or in `LISPWRIGHT_CORPUS`), which `cargo xtask corpus` fetches.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};

use lispwright_syntax::{Dialect, Tree, is_sound_again, read, read_again, read_plain, read_plain_again};
use proptest::prelude::*;

/// Pieces of texts that balance.
const SOUND: [&str; 40] = [
    "(a)",
    "(defun f (x)\n  (list x \"y)\"))",
    "(b (c [d] {e f}))",
    "\n",
    "\n\n",
    " ",
    "\r\n",
    "; (c\n",
    ";;; head\n",
    "#| (c \" |#",
    "#+sbcl ",
    "#+(or a b) ",
    "#-x\n",
    "#_",
    "#;",
    "'",
    "`(a ,@b ,c)",
    "#'",
    "#(1 2)",
    "#2A((1) (2))",
    "#\\(",
    "\\(",
    "?\\(",
    "|a (b|",
    "\"s ( \\\" s\"",
    "#:ns ",
    "#?(:clj a :cljs b)",
    "#?@",
    "^:k ",
    "p::",
    "#1=",
    "#!eof ",
    "#!x (!#",
    "#!r7rs ",
    "#lang ",
    "#@2 ab",
    "λ",
    "\u{a0}",
    "\u{2003}",
    "x",
];

/// Further pieces that changes insert.
const ODD: [&str; 16] = ["(", ")", "[", "]", "\"", "|", "\\", "#|", "|#", "#", "{", "!#", ";", "\u{feff}", "@", "#!"];

fn pieces(all: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(all), 0..most).prop_map(|pieces| pieces.concat())
}

#[track_caller]
fn assert_same(again: &Tree, whole: &Tree, old: &str, new: &str) {
    assert!(again.tokens().eq(whole.tokens()), "other tokens: {old:?} -> {new:?}");
    assert_eq!(again.lists(), whole.lists(), "{old:?} -> {new:?}");
    assert_eq!(again.diagnostics(), whole.diagnostics(), "{old:?} -> {new:?}");
    assert_eq!(again.is_balanced(), whole.is_balanced(), "{old:?} -> {new:?}");
}

#[track_caller]
fn check(old: &str, new: &str, dialect: Dialect) {
    let tree = read(old, dialect);
    assert_same(&read_again(&tree, old, new, dialect), &read(new, dialect), old, new);
    let part = tree.language();
    assert_same(&read_again(&tree, old, new, part), &read(new, part), old, new);
    let plain = read_plain(old, dialect);
    let new_plain = read_plain(new, dialect);
    assert_same(&read_plain_again(&plain, old, new, dialect), &new_plain, old, new);
    let is_sound = new_plain.diagnostics().is_empty();
    assert_eq!(is_sound_again(&plain, old, new, dialect), is_sound, "{old:?} -> {new:?}");
    // The earlier text may have been read as another dialect.
    assert_same(&read_again(&plain, old, new, Dialect::Scheme), &read(new, Dialect::Scheme), old, new);
}

/// The character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn changed(old: &str, from: usize, len: usize, by: &str) -> String {
    let (from, to) = (boundary(old, from), boundary(old, from.saturating_add(len)));
    format!("{}{by}{}", &old[..from], &old[to.max(from)..])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_random_texts_read_the_same(
        old in pieces(&SOUND, 30),
        (at, len) in (0.0..1.0, 0usize..12),
        sound in pieces(&SOUND, 3),
        odd in pieces(&ODD, 2),
        dialect in prop::sample::select(Dialect::ALL.to_vec()),
    ) {
        let new = changed(&old, (at * old.len() as f64) as usize, len, &format!("{sound}{odd}"));
        check(&old, &new, dialect);
        check(&new, &old, dialect);
    }

    #[test]
    fn changed_bytes_read_the_same(
        old in prop::collection::vec(any::<u8>(), 0..60),
        new in prop::collection::vec(any::<u8>(), 0..60),
        dialect in prop::sample::select(Dialect::ALL.to_vec()),
    ) {
        let both = [&old[..], &b" (a)\n"[..], &new[..]].concat();
        let tree = read(&old, dialect);
        let again = read_again(&tree, &old, &both, dialect);
        let whole = read(&both, dialect);
        prop_assert!(again.tokens().eq(whole.tokens()));
        prop_assert_eq!(again.lists(), whole.lists());
    }
}

/// The number of files of each section, and the number of changes of each file.
const FILES: usize = 60;
const CHANGES: usize = 24;
/// The longest file, in bytes: longer ones take more time and test nothing else.
const LARGEST: usize = 120_000;

fn files(section: &str) -> Vec<String> {
    let root = std::env::var_os("LISPWRIGHT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"), PathBuf::from);
    let (mut folders, mut paths) = (vec![root.join(section)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    paths.sort();
    let step = (paths.len() / FILES).max(1);
    let texts = paths.iter().step_by(step).filter_map(|path| std::fs::read_to_string(path).ok());
    texts.filter(|text| (200..LARGEST).contains(&text.len())).collect()
}

#[test]
fn changed_files_of_the_corpus_read_the_same() {
    let sections = [
        ("common-lisp", Dialect::CommonLisp),
        ("sbcl", Dialect::CommonLisp),
        ("guile", Dialect::Scheme),
        ("clojure", Dialect::Clojure),
        ("emacs-lisp", Dialect::EmacsLisp),
    ];
    for (section, dialect) in sections {
        let files = files(section);
        assert!(files.len() >= FILES / 3, "the {section} corpus is too small: run `cargo xtask corpus`");
        for (number, old) in files.iter().enumerate() {
            for change in 0..CHANGES {
                // Pseudo-random places and lengths.
                let hash = (number * CHANGES + change + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let (at, len) = ((hash >> 20) % old.len(), (hash >> 50) % 40);
                let piece = match change % 3 {
                    0 => SOUND[hash % SOUND.len()],
                    1 => ODD[hash % ODD.len()],
                    _ => "",
                };
                let new = changed(old, at, len, piece);
                check(old, &new, dialect);
            }
        }
    }
}

#[test]
fn a_prefix_before_nothing_does_not_make_columns_count() {
    let text = "(a\n(b)\n c)\n'";
    let tree = read(text, Dialect::CommonLisp);
    let first = tree.top_level().next().unwrap();
    assert_eq!(&text[tree.datum_span(first).range()], "(a\n(b)\n c)");
}

//! Reads every file of the corpus and compares what it finds with each language's own reader.
//!
//! The corpus is real Lisp from distribution packages in `target/corpus` (or in `LISPWRIGHT_CORPUS`); `cargo xtask
//! corpus` fetches it and asks SBCL, Guile, Clojure and Emacs where the top-level data of each file are. For every file
//!
//! - the tokens joined are the bytes of the file, tokens end on character boundaries, and lists nest ([`shape`]);
//! - the reader reports a fault or a flaw only where the language's own reader does ([`Kind::Diagnostic`]);
//! - the top-level data are where the language's own reader sees them, up to its first error ([`Kind::Data`]);
//! - in Scheme and Emacs Lisp, each of them contains as many atoms as the language's own reader finds
//!   ([`Kind::Atoms`]).
//!
//! `corpus/exceptions.txt` lists the files for which one of the last three does not hold, with the reason. An exception
//! that is no longer needed is a failure.

#![allow(clippy::unwrap_used, missing_docs)]

mod exceptions;
mod oracle;
mod shape;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lispwright_syntax::{Dialect, Flaw, LineIndex, Tree, flaws, left_out, read, read_plain};

use exceptions::Exceptions;
use oracle::{Answer, Answers};

#[test]
fn common_lisp_libraries() {
    check("common-lisp", Dialect::CommonLisp, 2_000);
}

#[test]
fn sbcl() {
    check("sbcl", Dialect::CommonLisp, 800);
}

#[test]
fn guile() {
    check("guile", Dialect::Scheme, 300);
}

#[test]
fn clojure() {
    check("clojure", Dialect::Clojure, 600);
}

#[test]
fn emacs_lisp() {
    check("emacs-lisp", Dialect::EmacsLisp, 1_200);
}

/// How a reading can differ from that of the language's own reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    /// A fault is reported where the language's own reader sees none.
    Diagnostic,
    /// The top-level data are at other places.
    Data,
    /// A top-level datum contains more or fewer atoms.
    Atoms,
}

/// One difference, in words.
struct Difference {
    file: String,
    kind: Kind,
    text: String,
}

fn corpus() -> PathBuf {
    std::env::var_os("LISPWRIGHT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"), PathBuf::from)
}

fn check(section: &str, dialect: Dialect, at_least: usize) {
    let root = corpus();
    let answers = Answers::load(&root.join("oracle").join(format!("{section}.txt")));
    assert!(
        answers.files.len() >= at_least,
        "the {section} corpus has {} files, not {at_least}: run `cargo xtask corpus`",
        answers.files.len()
    );

    let found = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(answer) = answers.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let differences = compare(&root, answer, dialect);
                    found.lock().unwrap().extend(differences);
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by(|a, b| (&a.file, a.kind).cmp(&(&b.file, b.kind)));

    let exceptions = Exceptions::load();
    let present: Vec<&str> = answers.files.iter().map(|answer| answer.file.as_str()).collect();
    let unneeded = exceptions.unneeded(section, &present, |file, kind| {
        found.iter().any(|difference| difference.file == file && difference.kind == kind)
    });
    found.retain(|difference| !exceptions.cover(&difference.file, difference.kind));

    let mut report = String::new();
    for difference in found.iter().take(40) {
        writeln!(report, "{}: {:?}: {}", difference.file, difference.kind, difference.text).unwrap();
    }
    for exception in &unneeded {
        writeln!(report, "{exception}: listed in corpus/exceptions.txt, but there is no such difference").unwrap();
    }
    assert!(report.is_empty(), "{} differences in {} files:\n{report}", found.len(), answers.files.len());
}

fn compare(root: &Path, answer: &Answer, dialect: Dialect) -> Vec<Difference> {
    let path = root.join(&answer.file);
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let tree = read(&text, dialect);
    if let Err(fault) = shape::check(&tree, &text) {
        panic!("{}: {fault}", answer.file);
    }
    let lines = LineIndex::new(&text);
    let mut differences = Vec::new();
    let mut differ = |kind, text| differences.push(Difference { file: answer.file.clone(), kind, text });

    if let (None, Some(first)) = (&answer.error, tree.diagnostics().first()) {
        let at = lines.line_column(&text, first.span.start);
        differ(
            Kind::Diagnostic,
            format!("{} at {}:{}, the first of {}", first.kind, at.line, at.column, tree.diagnostics().len()),
        );
    }
    if answer.error.is_none()
        && let Ok(text) = std::str::from_utf8(&text)
        && let Some((flaw, span)) = flaws(&tree, text).first()
    {
        differ(Kind::Diagnostic, format!("line {}: {flaw}", lines.line(span.start)));
    }
    if let Ok(text) = std::str::from_utf8(&text)
        && let Some(mark) = left_out(&tree, text).first()
    {
        differ(Kind::Diagnostic, format!("line {}: {}", lines.line(mark.start), Flaw::LeftOut));
    }
    // Of broken text, only plain matching gives the same data as the language's own reader.
    let tree = if tree.is_balanced() { tree } else { read_plain(&text, dialect) };
    if let Some((start, what)) = different_place(&tree, answer, &text) {
        differ(Kind::Data, format!("line {}: {what}", lines.line(start)));
    } else if let Some((start, what)) = different_leaves(&tree, answer, &text) {
        differ(Kind::Atoms, format!("line {}: {what}", lines.line(start)));
    }
    differences
}

/// The first datum that is at another place than for the language's own reader: its offset, and both places.
fn different_place(tree: &Tree, answer: &Answer, text: &[u8]) -> Option<(u32, String)> {
    let mut ours = tree.top_level().map(|datum| tree.datum_span(datum)).map(|span| (span.start, span.end));
    let mut theirs = answer.data.iter().copied();
    loop {
        let (mine, other) = match (ours.next(), theirs.next()) {
            (None, None) => return None,
            // The other reader stops at its first error.
            (Some(_), None) if answer.error.is_some() => return None,
            (mine, other) if mine == other => continue,
            pair => pair,
        };
        let start = mine.into_iter().chain(other).map(|(start, _)| start).min()?;
        let shown = |range: Option<(u32, u32)>| match range {
            Some((start, end)) => format!("{start}..{end} {}", beginning(&text[start as usize..end as usize])),
            None => "nothing".to_owned(),
        };
        return Some((start, format!("here {}, its own reader {}", shown(mine), shown(other))));
    }
}

/// The first datum with another number of atoms than for the language's own reader: its offset, and both numbers.
fn different_leaves(tree: &Tree, answer: &Answer, text: &[u8]) -> Option<(u32, String)> {
    tree.top_level().zip(&answer.leaves).find_map(|(datum, &theirs)| {
        let (ours, theirs) = (shape::leaves(tree, datum, text)?, theirs?);
        let span = tree.datum_span(datum);
        (ours != theirs).then(|| {
            let datum = beginning(&text[span.start as usize..span.end as usize]);
            (span.start, format!("{ours} atoms here, {theirs} in its own reader: {datum}"))
        })
    })
}

fn beginning(datum: &[u8]) -> String {
    let datum = String::from_utf8_lossy(datum);
    format!("{:?}", datum.chars().take(60).collect::<String>())
}

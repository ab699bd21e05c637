//! Real files: accepted as they are, rejected with one delimiter removed or added.
//!
//! With the whole corpus, each fault is printed to standard error at once.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use lispwright_grammar::Start;
use lispwright_syntax::{Dialect, TokenKind, read_plain};

use crate::{decoders, is_sound};

/// One of this many files is tested, and none longer than this, unless the whole corpus is asked for.
const ONE_OF: u64 = 40;
const LARGEST: u64 = 60_000;

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

/// The totals over all files.
#[derive(Default)]
struct Tally {
    files: AtomicUsize,
    bytes: AtomicUsize,
    damaged: AtomicUsize,
    /// Files that are not UTF-8, or in which the reader itself finds a fault.
    unsound: AtomicUsize,
}

fn check(section: &str, dialect: Dialect, at_least: usize) {
    let root = std::env::var_os("LISPWRIGHT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"), PathBuf::from);
    let mut all = Vec::new();
    collect(&root.join(section), &mut all);
    assert!(all.len() >= at_least, "the {section} corpus has {} files: run `cargo xtask corpus`", all.len());
    let whole = std::env::var_os("LISPWRIGHT_WHOLE_CORPUS").is_some();
    let exceptions = exceptions();
    let excepted = |name: &str| exceptions.iter().any(|listed| listed == name);
    let mut files: Vec<(u64, u64, String)> = all
        .iter()
        .map(|file| {
            let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            (std::fs::metadata(file).unwrap().len(), number(name.as_bytes()), name)
        })
        .filter(|(len, key, name)| whole || excepted(name) || (key % ONE_OF == 0 && *len <= LARGEST))
        .collect();
    // The longest first, so that no thread begins one when the others are done.
    files.sort_by(|a, b| b.cmp(a));

    let (next, tally, wrong) = (AtomicUsize::new(0), Tally::default(), Mutex::new(Vec::new()));
    let report = |what: String| {
        if whole {
            // Not by a macro, whose output the test harness would keep to the end.
            let _ = writeln!(std::io::stderr(), "{what}");
        }
        wrong.lock().unwrap().push(what);
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut decoders = decoders(dialect, Start::File);
                while let Some((_, key, file)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let bytes = std::fs::read(root.join(file)).unwrap();
                    let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| is_sound(text, dialect)) else {
                        tally.unsound.fetch_add(1, Ordering::Relaxed);
                        continue;
                    };
                    tally.files.fetch_add(1, Ordering::Relaxed);
                    tally.bytes.fetch_add(text.len(), Ordering::Relaxed);
                    let damaged = damages(text, dialect, *key);
                    tally.damaged.fetch_add(damaged.len(), Ordering::Relaxed);
                    for (name, decoder) in &mut decoders {
                        let accepts = decoder.accepts(text);
                        if accepts == excepted(file) {
                            let what = if accepts { "accepts, against the exceptions," } else { "rejects" };
                            report(format!("{name} {what} {file}"));
                        }
                        for (what, text) in &damaged {
                            if decoder.accepts(text) {
                                report(format!("{name} accepts {file} with {what}"));
                            }
                        }
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let [files, bytes, damaged, unsound] =
        [tally.files, tally.bytes, tally.damaged, tally.unsound].map(AtomicUsize::into_inner);
    assert!(files * 10 >= at_least * 5 / if whole { 1 } else { usize::try_from(ONE_OF).unwrap() }, "{files} files");
    assert!(damaged * 10 >= files * 18, "{damaged} damaged texts of {files} files");
    println!(
        "{section}: {files} files, {bytes} bytes accepted; {damaged} damaged texts rejected; {unsound} not judged"
    );
}

/// The files listed in `corpus/grammar-exceptions.txt`; each has a reason there.
fn exceptions() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/grammar-exceptions.txt");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let entry = |line: &str| {
        let (file, reason) = line.split_once(' ').unwrap_or_else(|| panic!("no reason in {line:?}"));
        assert!(reason.len() > 10, "no reason in {line:?}");
        file.to_owned()
    };
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(entry).collect()
}

/// The text with one delimiter removed, and with one added, at places that depend on `key`.
fn damages(text: &str, dialect: Dialect, key: u64) -> Vec<(String, String)> {
    let tree = read_plain(text, dialect);
    let plain = |(kind, span): &(TokenKind, lispwright_syntax::Span)| {
        (kind.is_open() || kind.is_close()) && span.range().len() == 1
    };
    let delimiters: Vec<_> = tree.tokens().filter(plain).map(|(_, span)| span.range()).collect();
    if delimiters.is_empty() {
        return Vec::new();
    }
    let choose = |key: u64| delimiters[usize::try_from(key % delimiters.len() as u64).unwrap()].clone();
    let (removed, doubled) = (choose(key >> 4), choose(key >> 24));
    let without = format!("{}{}", &text[..removed.start], &text[removed.end..]);
    let with = format!("{}{}", &text[..doubled.end], &text[doubled.start..]);
    assert!(!is_sound(&without, dialect) && !is_sound(&with, dialect));
    vec![
        (format!("the delimiter at byte {} removed", removed.start), without),
        (format!("the delimiter at byte {} doubled", doubled.start), with),
    ]
}

/// A number for a file that is the same on every machine: FNV-1a, with its upper bits mixed once more.
fn number(name: &[u8]) -> u64 {
    let hash = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    hash ^ (hash >> 29)
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
    files.sort();
}

//! What each language says of some small libraries, which `cargo xtask test` has asked it for, and the index beside it.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::SECTIONS;
use super::answers::{self, Answers};
use super::compare::compare;

/// What has to be found and right of so few names, of which one is up to one in a hundred. The promises are about whole
/// corpora.
const FOUND: f64 = 0.98;
/// In Racket, what stands in macros of modules outside of the libraries that are asked about is left open.
const FOUND_IN_RACKET: f64 = 0.9;
const RIGHT: f64 = 0.95;

/// The definitions and uses that each language tells at least, so that an empty answer proves nothing.
const LEAST: [(&str, usize, usize); 5] = [
    ("common-lisp", 300, 350),
    ("guile", 70, 80),
    ("clojure", 120, 220),
    ("emacs-lisp", 900, 2000),
    ("racket", 1000, 1500),
];

fn corpus() -> PathBuf {
    std::env::var_os("LISPWRIGHT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/corpus"), PathBuf::from)
}

/// The folders of the files, without those inside of others.
fn folders(corpus: &Path, seen: &Answers) -> Vec<PathBuf> {
    let all: BTreeSet<PathBuf> =
        seen.files.iter().filter_map(|file| corpus.join(&file.path).parent().map(Path::to_owned)).collect();
    let is_inside = |one: &PathBuf| one.ancestors().skip(1).any(|around| all.contains(around));
    all.iter().filter(|one| !is_inside(one)).cloned().collect()
}

#[test]
fn the_index_tells_of_some_libraries_what_their_languages_tell() {
    let corpus = corpus();
    let mut absent = Vec::new();
    for (section, dialect, witness) in SECTIONS {
        let Ok(seen) = answers::read(&corpus.join("oracle").join(format!("part-{section}.txt"))) else {
            absent.push(witness);
            continue;
        };
        let found = compare(&corpus, &folders(&corpus, &seen), dialect, &seen);
        let (recall, precision) = (found.all_recall(), found.all_precision());
        let numbers = format!(
            "{witness} on {section}: definitions {:?}, uses found {recall:?}, uses right {precision:?}\n{}",
            found.definitions,
            found.differences.join("\n")
        );
        println!("{numbers}");
        let (_, definitions, uses) = LEAST.into_iter().find(|(name, ..)| *name == section).unwrap();
        assert!(found.definitions.all >= definitions && recall.all >= uses, "{numbers}");
        let wanted = if section == "racket" { FOUND_IN_RACKET } else { FOUND };
        assert!(found.definitions.rate() > FOUND && recall.rate() > wanted && precision.rate() > RIGHT, "{numbers}");
    }
    println!("not asked, because they are absent: {absent:?}");
    assert!(absent.len() < SECTIONS.len(), "nobody was asked: run `cargo xtask test`, which asks the languages");
}

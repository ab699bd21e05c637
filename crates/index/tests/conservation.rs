//! Every symbol of every file of the corpus is accounted for: for each name that a file defines, the uses, the possible
//! uses, the mentions and what is known to be something else are together the tokens that are spelled so, as a count of
//! tokens that knows no meanings finds them.
//!
//! The corpus is real Lisp from distribution packages in `target/corpus` (or in `LISPWRIGHT_CORPUS`), which `cargo xtask
//! corpus` fetches.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};

use lispwright_index::{Index, Symbol, TokenTally, symbol_name};
use lispwright_syntax::{Dialect, TokenKind};
use rustc_hash::FxHashMap;

#[test]
fn common_lisp() {
    check("common-lisp", Dialect::CommonLisp, 20_000);
}

#[test]
fn guile() {
    check("guile", Dialect::Scheme, 5_000);
}

#[test]
fn clojure() {
    check("clojure", Dialect::Clojure, 8_000);
}

#[test]
fn emacs_lisp() {
    check("emacs-lisp", Dialect::EmacsLisp, 60_000);
}

#[test]
fn racket() {
    check("racket", Dialect::Racket, 10_000);
}

/// Checks a section of the corpus, in which at least `least` names are defined.
fn check(section: &str, dialect: Dialect, least: usize) {
    let corpus = std::env::var_os("LISPWRIGHT_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpus"), PathBuf::from);
    let root = corpus.join(section);
    assert!(root.is_dir(), "{} is not there: run `cargo xtask corpus`", root.display());
    let mut index = Index::default();
    let language = |path: &Path, text: &str| Dialect::detect(&path.to_string_lossy(), text.as_bytes()).map(Into::into);
    index.refresh([root.as_path()], &language);
    let question = index.question(dialect);
    // Symbols, and strings that are uses.
    let mut counted: FxHashMap<String, usize> = FxHashMap::default();
    let mut inside: FxHashMap<String, usize> = FxHashMap::default();
    for document in question.documents() {
        let uses = &document.facts.uses;
        for (kind, token) in document.tree().tokens() {
            let is_use = || uses.binary_search_by_key(&token.start, |used| used.start).is_ok();
            if kind == TokenKind::Atom || (kind == TokenKind::String && is_use()) {
                let written = &document.text[token.range()];
                let name = symbol_name(dialect, written);
                // `Name.` is the constructor of `Name`, and `:name` in a list of keys binds `name`.
                let inner = name.strip_suffix('.').filter(|name| !name.is_empty() && dialect == Dialect::Clojure);
                let inner =
                    inner.or(name.strip_prefix(':')).map(|name| symbol_name(dialect, name.trim_start_matches(':')));
                if let Some(inner) = inner {
                    *inside.entry(inner).or_default() += 1;
                }
                // `name:class` in a pattern binds `name`, and uses the class.
                for (at, _) in name.match_indices(':').filter(|_| dialect == Dialect::Racket) {
                    for part in [&name[..at], &name[at + 1..]] {
                        *inside.entry(part.to_owned()).or_default() += 1;
                    }
                }
                *counted.entry(name).or_default() += 1;
            }
        }
    }
    let definitions = question.documents().iter().flat_map(|document| &document.facts.definitions);
    let mut symbols: Vec<Symbol> = definitions.map(|one| question.proper(&one.symbol())).collect();
    symbols.sort();
    symbols.dedup();
    assert!(symbols.len() >= least, "{} names in {section}", symbols.len());
    let groups: Vec<Vec<Symbol>> = symbols.iter().map(|symbol| vec![symbol.clone()]).collect();
    let mut sum = TokenTally::default();
    let mut faults = Vec::new();
    for (symbol, ledger) in symbols.iter().zip(question.ledgers(&groups)) {
        let tally = ledger.tally;
        let expected: usize = question.names(symbol).iter().filter_map(|name| counted.get(name)).sum();
        let more: usize = question.names(symbol).iter().filter_map(|name| inside.get(name)).sum();
        if !tally.closes() || !(expected..=expected + more).contains(&tally.tokens) {
            faults.push(format!("{symbol:?}: {tally:?}, {expected} tokens and {more} that have it inside"));
        }
        sum.tokens += tally.tokens;
        sum.uses += tally.uses;
        sum.possible += tally.possible;
        sum.mentions += tally.mentions;
        sum.others += tally.others;
    }
    println!("{section}: {} names, {sum:?}", symbols.len());
    assert!(
        faults.is_empty(),
        "{} of {} names:\n{}",
        faults.len(),
        symbols.len(),
        faults[..faults.len().min(20)].join("\n")
    );
}

//! Every property, on the committed seeds and on text that a generator with a fixed seed makes.
//!
//! Each run without a fuzzer checks the same inputs; the fuzzer finds new ones.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use lispwright_properties::TARGETS;
use lispwright_properties::mutate::{Mutator, PIECES};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

/// The number of inputs made from the seeds of each target.
const MUTATED: usize = 3_000;

/// The same for targets that connect to a server, which takes longer than reading a text.
const SENT: usize = 300;

/// The longest of them, in bytes.
const LONGEST: usize = 2_000;

fn holds(data: &[u8]) {
    for (_, property) in TARGETS {
        property(data);
    }
}

/// The committed inputs of a target: source files, and inputs that once broke the property.
fn committed(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{name} has no seeds");
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn seeds() {
    for (name, property) in TARGETS {
        committed(name).iter().for_each(|input| property(input));
    }
}

#[test]
fn mutations_of_the_seeds() {
    for (name, property) in TARGETS {
        let inputs = committed(name);
        let mut mutator = Mutator::new(7);
        let count = if ["lines", "http"].contains(&name) { SENT } else { MUTATED };
        for _ in 0..count {
            property(&mutator.mutated(&inputs, LONGEST));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::with_cases(600)
    })]

    #[test]
    fn bytes(data in prop::collection::vec(any::<u8>(), 0..200)) {
        holds(&data);
    }

    #[test]
    fn lisp(head in prop::collection::vec(any::<u8>(), 6), pieces in prop::collection::vec(select(&PIECES[..]), 0..60)) {
        holds(&[head, pieces.concat()].concat());
    }
}

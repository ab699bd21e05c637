//! `cargo run --release -p lispwright-properties --example hunt TARGET SECONDS [SEED]`: looks for inputs that break a
//! property, without a fuzzer. Inputs that break it or take longer than two seconds are written to the working
//! directory.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use lispwright_properties::TARGETS;
use lispwright_properties::mutate::Mutator;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, property) = TARGETS.into_iter().find(|(name, _)| *name == words[0]).expect("a target");
    let until = Instant::now() + Duration::from_secs(words[1].parse().expect("seconds"));
    let seed: u64 = words.get(2).map_or(1, |word| word.parse().expect("a number"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let inputs: Vec<Vec<u8>> =
        std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect();
    let mut mutator = Mutator::new(seed);
    let (mut tried, mut broken) = (0u64, 0);
    while Instant::now() < until && broken < 5 {
        let input = mutator.mutated(&inputs, 4096);
        let started = Instant::now();
        let held = catch_unwind(AssertUnwindSafe(|| property(&input))).is_ok();
        if !held || started.elapsed() > Duration::from_secs(2) {
            broken += 1;
            std::fs::write(format!("{name}-{seed}-{tried}"), &input).unwrap();
        }
        tried += 1;
    }
    println!("{name}: {tried} inputs, {broken} broke it");
}

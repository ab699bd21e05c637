//! Measures the reader: `rate DIALECT PATH...` reads every file once into memory and then, nine times over, into
//! trees, and prints the bytes, the seconds of the best round, and the bytes that the trees take.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use lispwright_syntax::{Dialect, read};

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "a measuring program prints what it measures")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(dialect) = arguments.next().and_then(|name| Dialect::from_name(&name)) else {
        eprintln!("usage: rate DIALECT PATH...");
        return ExitCode::FAILURE;
    };
    let mut texts = Vec::new();
    for path in arguments {
        match std::fs::read(&path) {
            Ok(text) => texts.push(text),
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let memory: usize = texts.iter().map(|text| read(text, dialect).heap_size()).sum();
    let best = (0..9)
        .map(|_| {
            let started = Instant::now();
            for text in &texts {
                black_box(read(black_box(text), dialect));
            }
            started.elapsed()
        })
        .min()
        .unwrap_or_default();
    println!("{bytes} {} {memory}", best.as_secs_f64());
    ExitCode::SUCCESS
}

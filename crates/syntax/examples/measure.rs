//! Reads files and prints how fast, how large, and what was found: `measure [--diagnostics] FILE...`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::{Duration, Instant};

use lispwright_syntax::{Dialect, LineIndex, read};

fn main() {
    let (flags, paths): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let show = flags.iter().any(|flag| flag == "--diagnostics");
    let (mut bytes, mut heap, mut best, mut flagged) = (0usize, 0usize, Duration::ZERO, 0usize);
    let mut files = 0;
    for path in paths {
        let text = std::fs::read(&path).unwrap();
        let Some(dialect) = Dialect::detect(&path, &text) else { continue };
        let mut fastest = Duration::MAX;
        for _ in 0..5 {
            let begin = Instant::now();
            std::hint::black_box(read(&text, dialect));
            fastest = fastest.min(begin.elapsed());
        }
        let tree = read(&text, dialect);
        bytes += text.len();
        heap += tree.heap_size();
        best += fastest;
        files += 1;
        if !tree.diagnostics().is_empty() {
            flagged += 1;
            if show {
                let lines = LineIndex::new(&text);
                let first = tree.diagnostics()[0];
                let place = lines.line_column(&text, first.span.start);
                println!(
                    "{path}:{}:{}: {} ({} in all)",
                    place.line,
                    place.column,
                    first.kind,
                    tree.diagnostics().len()
                );
            }
        }
    }
    println!(
        "{files} files, {:.1} MB, {:.0} MB/s, memory {:.2} x, {flagged} with diagnostics",
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / best.as_secs_f64(),
        heap as f64 / bytes as f64,
    );
}

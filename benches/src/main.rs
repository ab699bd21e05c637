//! The numbers the project promises, each beside a baseline that runs on the same machine in the same minute.
//!
//! Absolute times depend on the machine; the ratio to the baseline says more. `cargo xtask bench` runs it: it builds
//! the release binary first and can write the table to `docs/benchmarks.md`. The tests compare only the names of some libraries with the languages.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod client;
mod copies;
mod endurance;
mod eval;
mod index;
mod layout;
mod lint;
mod memory;
mod network;
mod peers;
mod reader;
mod refactor;
mod repair;
mod server;
mod table;
mod tests;

use std::path::PathBuf;

use table::Row;

/// The paths from the command line: `lispwright-bench BINARY CORPUS SCRATCH [NAME...]`.
pub(crate) struct Setting {
    /// The release binary of lispwright.
    pub(crate) binary: PathBuf,
    /// The folder that `cargo xtask corpus` fills.
    pub(crate) corpus: PathBuf,
    /// A folder for files that the benchmarks fetch and leave.
    pub(crate) scratch: PathBuf,
}

type Bench = fn(&Setting) -> Vec<Row>;

/// The groups of rows, by the name that selects them.
const BENCHES: [(&str, Bench); 13] = [
    ("reader", reader::rows),
    ("server", server::rows),
    ("network", network::rows),
    ("eval", eval::rows),
    ("copies", copies::rows),
    ("memory", memory::rows),
    ("endurance", endurance::rows),
    ("tests", tests::rows),
    ("index", index::rows),
    ("repair", repair::rows),
    ("fmt", layout::rows),
    ("lint", lint::rows),
    ("refactor", refactor::rows),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(binary), Some(corpus), Some(scratch)) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!(
            "usage: lispwright-bench BINARY CORPUS SCRATCH [reader|server|network|eval|copies|memory|endurance|tests|index|repair|fmt|lint|refactor]..."
        );
        std::process::exit(2);
    };
    let names: Vec<String> = arguments.collect();
    let setting = Setting { binary: binary.into(), corpus: corpus.into(), scratch: scratch.into() };
    if let Err(error) = std::fs::create_dir_all(&setting.scratch) {
        eprintln!("{}: {error}", setting.scratch.display());
        std::process::exit(2);
    }
    let mut rows = Vec::new();
    for (name, bench) in BENCHES {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            eprintln!("measuring {name} ...");
            rows.extend(bench(&setting));
        }
    }
    print!("{}", table::render(&rows));
}

//! The repository's own commands: test, demo, corpus and benchmarks, from a machine with nothing but a Rust toolchain.
//!
//! Every command says what it does before it does it, installs what it lacks from the distribution unless told not to,
//! and remembers finished work under `target/`, so that a second run is quick. Read [`mod@test`] for what is checked,
//! [`corpus`] for where the Lisp that the reader is tested on comes from.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool speaks on its terminal")]

mod apt;
mod bench;
mod client;
mod corpus;
mod demo;
mod files;
mod oracle;
mod packages;
mod step;
mod tally;
mod test;

use std::process::ExitCode;

use step::{Failure, Step};

const USAGE: &str = "\
Usage: cargo xtask COMMAND [OPTIONS]

  test [--no-install] [FILTER]   run every check and test, or only the tests whose name contains FILTER
  corpus [--no-install]          fetch the Lisp sources that the reader is tested on, and ask each language's reader
  demo [--no-install]            watch a coding agent's day on a real Common Lisp project
  bench [--write] [NAME]         measure, or only the rows that contain NAME; --write puts the table into
                                 docs/benchmarks.md

  --no-install   never call apt-get: fail and list what is missing instead
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), Failure> {
    let Some((command, rest)) = arguments.split_first() else {
        print!("{USAGE}");
        return Ok(());
    };
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    match command.as_str() {
        "test" => {
            let options = Options::parse(rest, &["--no-install"])?;
            test::run(options.install(), options.word()?)
        }
        "corpus" => {
            let options = Options::parse(rest, &["--no-install"])?;
            options.no_word()?;
            corpus::prepare(options.install())?;
            oracle::consult(options.install())
        }
        "demo" => {
            let options = Options::parse(rest, &["--no-install"])?;
            options.no_word()?;
            demo::run(options.install())
        }
        "bench" => {
            let options = Options::parse(rest, &["--no-install", "--write"])?;
            bench::run(options.install(), options.word()?, options.has("--write"))
        }
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => Err(Failure::new(format!("there is no command {other}; `cargo xtask help` lists them"))),
    }
}

/// The switches and words after a command.
struct Options<'a> {
    switches: Vec<&'a str>,
    words: Vec<&'a str>,
}

impl<'a> Options<'a> {
    fn parse(arguments: &'a [String], known: &[&str]) -> Result<Self, Failure> {
        let (switches, words): (Vec<&str>, Vec<&str>) =
            arguments.iter().map(String::as_str).partition(|word| word.starts_with('-'));
        match switches.iter().find(|switch| !known.contains(switch)) {
            Some(switch) => {
                Err(Failure::new(format!("unknown switch {switch}; this command takes {}", known.join(" "))))
            }
            None => Ok(Self { switches, words }),
        }
    }

    fn has(&self, switch: &str) -> bool {
        self.switches.contains(&switch)
    }

    fn install(&self) -> apt::Install {
        if self.has("--no-install") { apt::Install::Never } else { apt::Install::Missing }
    }

    fn word(&self) -> Result<Option<&'a str>, Failure> {
        match self.words.as_slice() {
            [] => Ok(None),
            [word] => Ok(Some(word)),
            [_, extra, ..] => Err(Failure::new(format!("one word too many: {extra}"))),
        }
    }

    fn no_word(&self) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(extra) => Err(Failure::new(format!("one word too many: {extra}"))),
        }
    }
}

/// The directory that holds the workspace.
fn workspace() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies directly below the workspace")
}

/// Where cargo puts what it builds.
fn target() -> std::path::PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), Into::into)
}

/// `cargo`, the one that runs this.
fn cargo() -> Step {
    let mut cargo = Step::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.inside(workspace());
    cargo
}

//! The repository's own commands: test, demo, corpus and benchmarks, from a machine with nothing but a Rust toolchain.
//!
//! Every command announces its work, installs missing programs from the distribution unless that is forbidden, and
//! remembers finished work under `target/`, so that a second run is quick. Read [`mod@test`] for the checks, [`corpus`]
//! for the source of the Lisp that the reader is tested on.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool speaks on its terminal")]

mod apt;
mod bench;
#[cfg(test)]
mod book;
mod client;
mod clients;
mod conformance;
mod corpus;
mod demo;
mod dist;
mod files;
mod fuzz;
mod names;
mod npm;
mod oracle;
mod packages;
mod soak;
mod step;
mod systems;
mod tally;
mod test;

use std::process::ExitCode;

use step::{Failure, Step};

const USAGE: &str = "\
Usage: cargo xtask COMMAND [OPTIONS]

  test [--no-install] [FILTER]   run every check and test, or only the tests whose name contains FILTER
  test --quick [FILTER]          format, and the tests that start no Lisp and read no corpus: some two minutes after a build
  corpus [--no-install]          fetch the Lisp sources that the reader is tested on, and ask each language's reader
  demo [--write] [--no-install]  watch a coding agent's day on a real Common Lisp project; --write makes docs/demo.svg of it
  clients [NAME]                 the real coding agents from npm against a scripted model; some 1.5 GB
  conformance                    MCP's conformance suite, the Inspector and the TypeScript clients from npm; part of test
  bench [--write] [GROUP]        measure the promised numbers, or only those of reader, server, network, eval, copies,
                                 memory, endurance, tests, index, repair, fmt, lint or refactor (about ten minutes on two quiet cores);
                                 --write puts the tables into docs/benchmarks.md and the pages of what is measured
  bench repair --without DOUBTS  what is repaired, and how wrongly, without some doubts of the repairer
  soak [--write] [--seconds N]   a crowd of clients through all trouble, for ten minutes or N seconds; --write puts the
                                 report into docs/soak.md
  soak drift [--steps N] [--seed N]
                                 500 or N edits of a generated project in each language, each followed by its tests in a
                                 kept image and in a fresh process
  dist [--target TRIPLE]... [--only PACKAGER]... [--no-cross] [--no-install]
                                 everything that a release consists of, in target/dist, each installed from its file and run;
                                 --no-cross fetches no compiler for other systems
  fuzz TARGET [--seconds N]      throw random bytes at reader, repair, edit, guard_scan, lines or http, for a minute or N
                                 seconds

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
            let options = Options::parse(rest, &["--no-install", "--quick"])?;
            match options.has("--quick") {
                true => test::quick(options.word()?),
                false => test::run(options.install(), options.word()?),
            }
        }
        "corpus" => {
            let options = Options::parse(rest, &["--no-install"])?;
            options.no_word()?;
            corpus::prepare(options.install())?;
            oracle::consult(options.install())
        }
        "demo" => {
            let options = Options::parse(rest, &["--no-install", "--write"])?;
            options.no_word()?;
            demo::run(options.install(), options.has("--write"))
        }
        "clients" => {
            let options = Options::parse(rest, &[])?;
            clients::run(options.word()?)
        }
        "conformance" => {
            Options::parse(rest, &[])?.no_word()?;
            conformance::run()
        }
        "bench" => {
            let options = Options::parse(rest, &["--no-install", "--write", "--without="])?;
            bench::run(options.install(), options.word()?, options.has("--write"), options.value("--without"))
        }
        "soak" => {
            let options = Options::parse(rest, &["--no-install", "--write", "--seconds=", "--steps=", "--seed="])?;
            if options.word()? == Some("drift") {
                let steps = options.number("--steps")?.unwrap_or(soak::STEPS);
                return soak::drift(options.install(), steps, options.number("--seed")?);
            }
            options.no_word()?;
            soak::run(options.install(), options.number("--seconds")?.unwrap_or(soak::SECONDS), options.has("--write"))
        }
        "dist" => {
            let options = Options::parse(rest, &["--no-install", "--no-cross", "--target=", "--only="])?;
            options.no_word()?;
            dist::run(&dist::Order {
                targets: options.every("--target"),
                only: options.every("--only"),
                may_fetch: !options.has("--no-cross"),
                install: options.install(),
            })
        }
        "fuzz" => {
            let options = Options::parse(rest, &["--no-install", "--seconds="])?;
            fuzz::run(options.install(), options.word()?, options.number("--seconds")?.unwrap_or(fuzz::SECONDS))
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
    values: Vec<(&'a str, &'a str)>,
    words: Vec<&'a str>,
}

impl<'a> Options<'a> {
    /// Sorts the arguments. A known switch that ends in `=` takes a value, after a `=` or as the next argument.
    fn parse(arguments: &'a [String], known: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { switches: Vec::new(), values: Vec::new(), words: Vec::new() };
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            let (name, value) = argument.split_once('=').map_or((argument, None), |(name, value)| (name, Some(value)));
            if !argument.starts_with('-') {
                options.words.push(argument);
            } else if known.contains(&argument) {
                options.switches.push(argument);
            } else if known.iter().any(|known| known.strip_suffix('=') == Some(name)) {
                let value = value.or_else(|| rest.next());
                options.values.push((name, value.ok_or_else(|| Failure::new(format!("{name} needs a value")))?));
            } else {
                let known: Vec<&str> = known.iter().map(|switch| switch.trim_end_matches('=')).collect();
                return Err(Failure::new(format!("unknown switch {argument}; this command takes {}", known.join(" "))));
            }
        }
        Ok(options)
    }

    fn has(&self, switch: &str) -> bool {
        self.switches.contains(&switch)
    }

    fn value(&self, switch: &str) -> Option<&'a str> {
        self.values.iter().rev().find(|(name, _)| *name == switch).map(|(_, value)| *value)
    }

    /// The values of a switch that may be given more than once.
    fn every(&self, switch: &str) -> Vec<&'a str> {
        self.values.iter().filter(|(name, _)| *name == switch).map(|(_, value)| *value).collect()
    }

    /// The value of a switch as a number.
    fn number(&self, switch: &str) -> Result<Option<u32>, Failure> {
        let Some(value) = self.value(switch) else { return Ok(None) };
        let number = value.parse().map_err(|_| Failure::new(format!("{switch} wants a number, not {value}")))?;
        Ok(Some(number))
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

/// The directory of cargo's build output.
fn target() -> std::path::PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), Into::into)
}

/// The `cargo` that runs this program.
fn cargo() -> Step {
    let mut cargo = Step::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.inside(workspace());
    cargo
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_switch_takes_its_value_either_way() {
        for arguments in [&["x", "--seconds", "7"][..], &["--seconds=7", "x"]] {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            let options = Options::parse(&arguments, &["--no-install", "--seconds="]).unwrap();
            assert_eq!(options.number("--seconds").unwrap(), Some(7));
            assert_eq!(options.word().unwrap(), Some("x"));
            assert!(!options.has("--no-install"));
        }
        for arguments in [&["--seconds"][..], &["--second=7"], &["--no-install=7"]] {
            let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
            assert!(Options::parse(&arguments, &["--no-install", "--seconds="]).is_err(), "{arguments:?}");
        }
        let wrong = ["--seconds=x".to_owned()];
        assert!(Options::parse(&wrong, &["--seconds="]).unwrap().number("--seconds").is_err());
    }
}

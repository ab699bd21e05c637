//! `cargo xtask test`: all checks in one run, with one line at the end that gives the result.
//!
//! Format, lints, all Rust tests (unit, fixture, property, corpus, end to end), examples in the documentation, the
//! documentation itself, the tests of the Lisp that runs inside images, and those of the example project. A failure
//! does not stop the rest. Slow preparations are done once: the corpus and the oracles' answers stay below `target/`
//! until their sources change.

use std::fs;
use std::path::PathBuf;

use crate::apt::{self, Install};
use crate::step::{About, Failure, Step, say};
use crate::tally::{Tally, cargo_test_line, nextest_line};
use crate::{cargo, conformance, corpus, names, npm, oracle, systems, target, workspace};

const NEEDS: &[apt::Need] = &[
    apt::SBCL,
    apt::ALEXANDRIA,
    apt::FIVEAM,
    apt::RT,
    apt::FIASCO,
    apt::ECL,
    apt::CLISP,
    apt::GUILE,
    apt::GUILE_DOC,
    apt::CHEZ,
    apt::CLOJURE,
    apt::NREPL,
    apt::SWANK,
    apt::BUBBLEWRAP,
    apt::NODE,
    apt::NPM,
    apt::EMACS,
    apt::BUTTERCUP,
    apt::RACKET,
    apt::UNZIP,
    apt::PROCPS,
    apt::PYTHON,
    apt::SSHD,
];

/// The version of nbb that the tests of Clojure run against.
const NBB: &str = include_str!("../../crates/runtime/tests/nrepl/nbb.version");

/// Runs everything, or only the Rust tests whose name contains `filter`.
pub(crate) fn run(install: Install, filter: Option<&str>) -> Result<(), Failure> {
    apt::ensure(NEEDS, install)?;
    corpus::prepare(install)?;
    oracle::consult(install)?;
    names::consult_parts(install)?;
    // Installed where the tests look for it; they would fetch it themselves, within their time limit.
    npm::ensure(&target().join("tmp/nbb"), "nbb", NBB.trim())?;

    let mut tally = Tally::default();
    if filter.is_none() {
        tally.check("format", cargo().args(["fmt", "--all", "--check"]));
        tally.check("lints", cargo().args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]));
        systems::check_others(&mut tally);
        // Before the others: the last build is the one that people find below `target`.
        systems::test_portable(&mut tally)?;
    }
    rust_tests(&mut tally, filter)?;
    if filter.is_none() {
        // The first page of a crate names the modules to read, also private ones.
        let strict = "-D warnings -A rustdoc::private_intra_doc_links";
        tally.check("documentation", cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", strict));
        lisp_tests(&mut tally)?;
        conformance::check(&mut tally)?;
        tally.check("example project", &mut example_tests());
    }
    tally.report()
}

/// The tests that start no Lisp and read no corpus, as a filter of nextest.
const QUICK: &str = "not package(lispwright-runtime) and not package(lispwright-bench) and not binary(e2e) \
    and not binary(corpus) and not binary(again) and not binary(measured) and not binary(truth) and not binary(fresh) \
    and not binary(conservation) and not binary(console) and not test(every_symbol_of_the_language_has_a_page) \
    and not (package(lispwright-tools) and (binary(repl) or binary(whole_project)))";

/// Runs a contributor's loop: nothing is installed or fetched, and no Lisp is started.
pub(crate) fn quick(filter: Option<&str>) -> Result<(), Failure> {
    if !cargo().args(["nextest", "--version"]).succeeds() {
        return Err(Failure::new("--quick needs cargo-nextest: cargo install cargo-nextest --locked".to_owned()));
    }
    let mut tally = Tally::default();
    tally.check("format", cargo().args(["fmt", "--all", "--check"]));
    say("Rust tests that start no Lisp");
    let mut step = cargo();
    step.args(["nextest", "run", "--workspace", "--no-fail-fast", "-E", QUICK]).args(filter);
    tally.watch("Rust tests", &mut step, nextest_line)?;
    tally.report()
}

/// The Rust tests and the examples in the documentation.
fn rust_tests(tally: &mut Tally, filter: Option<&str>) -> Result<(), Failure> {
    say("Rust tests");
    let mut step = cargo();
    if !cargo().args(["nextest", "--version"]).succeeds() {
        // Building nextest takes longer than it saves on a machine that runs the tests once.
        if filter.is_some() {
            // Given a filter, `cargo test` does not build the examples that some tests start.
            cargo().args(["build", "--workspace", "--examples"]).run()?;
        }
        step.args(["test", "--workspace", "--no-fail-fast"]).args(filter);
        return tally.watch("Rust tests", &mut step, cargo_test_line);
    }
    step.args(["nextest", "run", "--workspace", "--no-fail-fast"]).args(filter);
    tally.watch("Rust tests", &mut step, nextest_line)?;
    if filter.is_some() {
        return Ok(());
    }
    say("examples in the documentation");
    let mut step = cargo();
    step.args(["test", "--workspace", "--doc"]);
    tally.watch("documentation examples", &mut step, cargo_test_line)
}

/// Runs each file of `images/tests` in the images its extension names; a file passes by its exit code and its last words.
fn lisp_tests(tally: &mut Tally) -> Result<(), Failure> {
    let directory = workspace().join("images/tests");
    let mut files: Vec<PathBuf> = fs::read_dir(&directory)
        .about(&directory)?
        .map(|entry| entry.about(&directory).map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.sort();
    for file in files {
        let calls: &[&[&str]] = match file.extension().and_then(|extension| extension.to_str()) {
            Some("lisp") => &[
                &["sbcl", "--script"],
                &["ecl", "--norc", "--shell"],
                &["clisp", "-norc", "-q", "-q", "-ansi", "-on-error", "debug"],
            ],
            Some("ss") => &[&["scheme", "--script"]],
            Some("scm") => &[&["guile", "--no-auto-compile"]],
            Some("clj") => &[&["clojure"]],
            Some("rkt") => &[&["racket"]],
            Some("el") => &[&["emacs", "-Q", "--batch", "-l"]],
            _ => continue,
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for call in calls {
            let name = format!("{name} in {}", call[0]);
            let mut step = Step::new(call[0]);
            step.args(&call[1..]).arg(&file).inside(workspace());
            tally.check_said(&name, &mut step, |line| {
                line == "all passed" || line.starts_with("# of expected passes")
            })?;
        }
    }
    Ok(())
}

/// The tests of the example project, with its compiled files below `target/`.
fn example_tests() -> Step {
    let mut step = Step::new("sbcl");
    step.inside(&workspace().join("examples/ledger"))
        .env("XDG_CACHE_HOME", workspace().join("target/cache"))
        .args(["--noinform", "--non-interactive", "--no-userinit", "--eval", "(require :asdf)"])
        .args(["--eval", "(asdf:load-asd (truename \"ledger.asd\"))"])
        .args(["--eval", "(let ((*compile-verbose* nil)) (asdf:test-system \"ledger\"))"]);
    step
}

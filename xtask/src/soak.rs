//! `cargo xtask soak`: a crowd of clients for ten minutes, through all trouble, on a release build. `cargo xtask soak drift`:
//! kept images beside fresh processes over hundreds of edits.
//!
//! The tests are `crowd` among the end-to-end tests and the walks among those of the truth, which the suite runs for some
//! seconds; this gives them their time, and puts the crowd's report into `docs/soak.md`.

use std::fs;

use crate::apt::{self, Install};
use crate::bench::{machine, put};
use crate::step::{About, Failure, say};
use crate::{cargo, target, workspace};

/// The duration, in seconds.
pub(crate) const SECONDS: u32 = 600;

/// The edits of a walk.
pub(crate) const STEPS: u32 = 500;

/// Walks so many edits in each language, after each of which the tests say the same in an image that was kept and in a fresh
/// process. A seed says which way.
pub(crate) fn drift(install: Install, steps: u32, seed: Option<u32>) -> Result<(), Failure> {
    apt::ensure(&[apt::SBCL, apt::GUILE, apt::CLOJURE, apt::EMACS, apt::RACKET, apt::CHEZ], install)?;
    say(format_args!("{steps} edits in each language"));
    let mut step = cargo();
    step.env("LISPWRIGHT_WALK_STEPS", steps.to_string());
    if let Some(seed) = seed {
        step.env("LISPWRIGHT_WALK_SEED", seed.to_string());
    }
    step.args(["test", "--package", "lispwright-tools", "--test", "truth", "walks::"]);
    step.args(["--", "--nocapture", "--test-threads", "2"]);
    step.run()
}

/// Runs it for so many seconds, and keeps the report when it is asked to.
pub(crate) fn run(install: Install, seconds: u32, write: bool) -> Result<(), Failure> {
    apt::ensure(&[apt::SBCL, apt::GUILE], install)?;
    let report = target().join("soak.md");
    say(format_args!("{seconds} s with a crowd of clients"));
    let mut step = cargo();
    step.env("LISPWRIGHT_CROWD_SECONDS", seconds.to_string()).env("LISPWRIGHT_CROWD_REPORT", &report);
    step.args(["test", "--release", "--package", "lispwright", "--test", "e2e", "crowd::", "--", "--nocapture"]);
    step.run()?;
    if write {
        let text = fs::read_to_string(&report).about(&report)?;
        let text = format!("{}\n\n{text}", machine());
        put(&workspace().join("docs/soak.md"), "report", "soak", &text)?;
    }
    Ok(())
}

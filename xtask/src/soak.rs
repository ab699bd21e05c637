//! `cargo xtask soak`: a crowd of clients for ten minutes, through all trouble, on a release build.
//!
//! The test is `crowd` among the end-to-end tests, which the suite runs for some seconds; this gives it its time, and puts
//! its report into `docs/soak.md`.

use std::fs;

use crate::apt::{self, Install};
use crate::bench::{machine, put};
use crate::step::{About, Failure, say};
use crate::{cargo, target, workspace};

/// The duration, in seconds.
pub(crate) const SECONDS: u32 = 600;

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

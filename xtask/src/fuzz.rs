//! `cargo xtask fuzz TARGET`: random bytes against a property of `crates/properties`, guided by coverage.
//!
//! Runs cargo-fuzz on the workspace in `fuzz/`, from the committed seeds and those of earlier runs below `target/fuzz`.
//! An input that breaks the property, or takes longer than five seconds, ends the run and is kept.

use std::fs;

use crate::apt::Install;
use crate::step::{About, Failure, Step, say};
use crate::{cargo, target, workspace};

/// The targets, in the order in which they are listed.
pub(crate) const TARGETS: [&str; 6] = ["reader", "repair", "edit", "guard_scan", "lines", "http"];
/// The default duration of a run, in seconds.
pub(crate) const SECONDS: u32 = 60;
/// An input that takes longer counts as a hang, in seconds.
const HANG: u32 = 5;
/// The longest input tried, in bytes.
const LONGEST: u32 = 4096;

/// Fuzzes one target for this many seconds.
pub(crate) fn run(install: Install, name: Option<&str>, seconds: u32) -> Result<(), Failure> {
    let Some(name) = name.filter(|name| TARGETS.contains(name)) else {
        return Err(Failure::new(format!("fuzz what? The targets are {}", TARGETS.join(", "))));
    };
    ensure_cargo_fuzz(install)?;
    let work = target().join("fuzz");
    let (found, artifacts) = (work.join("corpus").join(name), work.join("artifacts").join(name));
    for folder in [&found, &artifacts] {
        fs::create_dir_all(folder).about(folder)?;
    }
    say(format_args!("fuzzing {name} for {seconds} s"));
    let mut step = cargo();
    // The sanitizers' compiler flags are unstable; this makes a stable compiler accept them.
    step.env("RUSTC_BOOTSTRAP", "1").args(["fuzz", "run", "--fuzz-dir", "fuzz", "--target-dir"]);
    step.arg(work.join("build")).arg(name).arg(&found).arg(workspace().join("fuzz/seeds").join(name)).arg("--");
    step.args([format!("-max_total_time={seconds}"), format!("-timeout={HANG}"), format!("-max_len={LONGEST}")]);
    step.arg(format!("-artifact_prefix={}/", artifacts.display())).arg("-print_final_stats=1");
    step.run().map_err(|failure| {
        Failure::new(format!(
            "{failure}\nThe input is in {}; give it to a test of crates/properties",
            artifacts.display()
        ))
    })
}

/// Makes sure that `cargo fuzz` is installed.
fn ensure_cargo_fuzz(install: Install) -> Result<(), Failure> {
    if cargo().args(["fuzz", "--version"]).succeeds() {
        return Ok(());
    }
    if install == Install::Never {
        return Err(Failure::new(
            "cargo-fuzz is missing, and not installed for you: cargo install --locked cargo-fuzz",
        ));
    }
    say("installing cargo-fuzz (--no-install forbids it)");
    Step::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["install", "--locked", "cargo-fuzz"])
        .run()
}

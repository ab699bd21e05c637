//! How the binary is linked, and what it says of its origin.
//!
//! A hook is a process of its own for each edit that an agent makes, so its start counts. A position-independent binary
//! begins by correcting some 20,000 addresses in a hundred pages; one that is linked to a fixed address does not.

//! `cargo xtask dist` names the commit in `LISPWRIGHT_COMMIT`. Another release build asks Git for it; one for development
//! asks nobody, so that a commit alone makes nothing anew.

// What cargo is told goes to standard output.
#![allow(clippy::print_stdout)]

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
    println!("cargo::rustc-env=LISPWRIGHT_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=LISPWRIGHT_ORIGIN={}", origin());
}

/// The commit that the binary is made from, or why there is none.
fn origin() -> String {
    println!("cargo::rerun-if-env-changed=LISPWRIGHT_COMMIT");
    if let Ok(commit) = env::var("LISPWRIGHT_COMMIT") {
        return commit;
    }
    if env::var("PROFILE").is_ok_and(|profile| profile != "release") {
        return "development build".into();
    }
    // What is unpacked into somebody else's repository is not that repository's commit.
    if git(&["ls-files", "--error-unmatch", "build.rs"]).is_none() {
        return "not built from a commit".into();
    }
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "not built from a commit".into())
}

/// The line that Git answers with, if it succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

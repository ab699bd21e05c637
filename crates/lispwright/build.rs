//! How the binary is linked.
//!
//! A hook is a process of its own for each edit that an agent makes, so its start counts. A position-independent binary
//! begins by correcting some 20,000 addresses in a hundred pages; one that is linked to a fixed address does not.

// What cargo is told goes to standard output.
#![allow(clippy::print_stdout)]

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

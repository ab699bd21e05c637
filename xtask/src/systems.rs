//! Other systems than Linux: a Mac by type-check, and plain Unix by running the tests of images on its implementation.

use crate::step::{Failure, Step, say};
use crate::tally::{Tally, cargo_test_line, nextest_line};
use crate::{apt, cargo, target, workspace};

/// A compiler with the source of its library, which is type-checked for the other system.
const MAC: [apt::Need; 3] = [apt::RUSTC_WEB, apt::CARGO_WEB, apt::RUST_WEB_SRC];

const MAC_TARGET: &str = "aarch64-apple-darwin";

/// The end-to-end tests that are run on plain Unix: starting, ending, interrupting and copying images.
const MODULES: [&str; 4] = ["copies", "evaluation", "orphans", "workers"];

/// The tests of those modules that need more than plain Unix, with the missing feature; see `Lack` in
/// `crates/platform`.
const EXCEPTIONS: [(&str, &str); 9] = [
    ("copies::a_trial_leaves_no_trace", DESCENT),
    ("copies::copies_end_with_a_server_that_is_killed", DESCENT),
    ("copies::a_rollback_leaves_no_process_behind", DESCENT),
    ("evaluation::an_image_that_cannot_read_any_more_names_the_call_that_helps", "limits of another process"),
    ("orphans::a_guard_that_was_killed_is_replaced", DESCENT),
    ("orphans::images_end_with_a_server_that_is_told_to_end", DESCENT),
    ("orphans::images_on_clojure_end_with_a_killed_server", DESCENT),
    ("orphans::images_on_guile_end_with_a_killed_server", DESCENT),
    ("orphans::images_on_sbcl_end_with_a_killed_server", DESCENT),
];

/// Finding the process groups that code has started, as SBCL does for each process.
const DESCENT: &str = "descent";

/// Type-checks the workspace for a Mac, if the compiler for it is installed.
pub(crate) fn check_mac(tally: &mut Tally) {
    let missing = apt::missing(&MAC);
    if missing.is_empty() {
        let mut step = Step::new("/usr/bin/cargo");
        step.inside(workspace()).env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
        step.args([
            "check",
            "--workspace",
            "--exclude",
            "xtask",
            "-Zbuild-std=std,panic_abort",
            "--target",
            MAC_TARGET,
        ]);
        step.arg("--target-dir").arg(target().join("mac"));
        tally.check("types on a Mac", &mut step);
    } else {
        say(format_args!("types on a Mac: not checked; for that, apt-get install {}", missing.join(" ")));
    }
}

/// Runs the tests of images with plain Unix instead of Linux.
pub(crate) fn test_portable(tally: &mut Tally) -> Result<(), Failure> {
    say("images on a plain Unix");
    let mut step = cargo();
    step.env("RUSTC_WORKSPACE_WRAPPER", workspace().join("xtask/portable-rustc"));
    let end_to_end = ["--package", "lispwright", "--test", "e2e"];
    if cargo().args(["nextest", "--version"]).succeeds() {
        let modules = format!("test(/^({})::/)", MODULES.join("|"));
        let exceptions = EXCEPTIONS.map(|(name, lack)| {
            println!("  without {name}, which asks for {lack}");
            format!(" - test(={name})")
        });
        step.args(["nextest", "run", "--no-fail-fast"])
            .args(end_to_end)
            .args(["-E", &(modules + &exceptions.concat())]);
        return tally.watch("images on a plain Unix", &mut step, nextest_line);
    }
    step.args(["test", "--no-fail-fast"]).args(end_to_end).arg("--").args(MODULES.map(|module| format!("{module}::")));
    step.args(EXCEPTIONS.iter().flat_map(|(name, _)| ["--skip", name]));
    tally.watch("images on a plain Unix", &mut step, cargo_test_line)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_exception_is_a_test_of_the_modules() {
        for (name, _) in EXCEPTIONS {
            let (module, test) = name.split_once("::").unwrap();
            assert!(MODULES.contains(&module), "{name}");
            let file = workspace().join(format!("crates/lispwright/tests/e2e/{module}.rs"));
            assert!(std::fs::read_to_string(file).unwrap().contains(&format!("fn {test}()")), "{name}");
        }
    }
}

//! Other systems than Linux: a Mac and Windows by type-check, and plain Unix by running the tests of images on its implementation.

use crate::step::{Failure, Step, say};
use crate::tally::{Tally, cargo_test_line, nextest_line};
use crate::{apt, cargo, target, workspace};

/// A compiler with the source of its library, which is type-checked for the other system.
const COMPILER: [apt::Need; 3] = [apt::RUSTC_WEB, apt::CARGO_WEB, apt::RUST_WEB_SRC];

const MAC_TARGET: &str = "aarch64-apple-darwin";

/// Needs no tool beside the compiler for the libraries of Windows.
const WINDOWS_TARGET: &str = "x86_64-pc-windows-msvc";

/// The crates that know no system: texts in, texts out. Files and images are of Unix.
const ANYWHERE: [&str; 8] = ["syntax", "edit", "repair", "layout", "grammar", "guard", "setup", "hook"];

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

/// Type-checks the workspace for a Mac, and what knows no system for Windows, if the compiler for it is installed.
pub(crate) fn check_others(tally: &mut Tally) {
    let missing = apt::missing(&COMPILER);
    if !missing.is_empty() {
        say(format_args!("types on a Mac and Windows: not checked; for that, apt-get install {}", missing.join(" ")));
        return;
    }
    tally.check("types on a Mac", &mut check(MAC_TARGET, "mac", &["--workspace", "--exclude", "xtask"]));
    let crates: Vec<String> = ANYWHERE.iter().map(|name| format!("--package=lispwright-{name}")).collect();
    let crates: Vec<&str> = crates.iter().map(String::as_str).collect();
    tally.check("types on Windows", &mut check(WINDOWS_TARGET, "windows", &crates));
}

/// The check of some crates for a target, with results in a directory of its own.
fn check(triple: &str, directory: &str, crates: &[&str]) -> Step {
    let mut step = Step::new("/usr/bin/cargo");
    step.inside(workspace()).env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
    step.args(["check", "-Zbuild-std=std,panic_abort", "--target", triple]).args(crates);
    step.arg("--target-dir").arg(target().join(directory));
    step
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
    fn what_is_checked_for_windows_is_there_and_knows_no_system() {
        for name in ANYWHERE {
            let manifest = std::fs::read_to_string(workspace().join(format!("crates/{name}/Cargo.toml"))).unwrap();
            let normal = manifest.split("[dev-dependencies]").next().unwrap();
            for system in ["lispwright-platform", "lispwright-project", "rustix", "libc"] {
                assert!(!normal.contains(system), "{name}: {system}");
            }
        }
    }

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

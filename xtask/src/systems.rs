//! Other systems than Linux: a Mac, by type-check.

use crate::step::{Step, say};
use crate::tally::Tally;
use crate::{apt, target, workspace};

/// A compiler with the source of its library, from which the library of another system is made.
const MAC: [apt::Need; 3] = [apt::RUSTC_WEB, apt::CARGO_WEB, apt::RUST_WEB_SRC];

const MAC_TARGET: &str = "aarch64-apple-darwin";

/// Type-checks the workspace for a Mac, where the compiler for it is installed.
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

//! Sessions on a real Guile: every way in which evaluated code can misbehave, and the answers to the caller.
#![allow(clippy::unwrap_used)]

mod death;
mod errors;
mod held;
mod image;
#[allow(dead_code, reason = "what only the tests on SBCL use")]
#[path = "../sbcl/lab.rs"]
mod lab;
mod limits;
mod values;

use lispwright_runtime::{Config, Runtime};

use lab::{Lab, lab_with};

/// Sessions that run Guile.
fn guile() -> Lab {
    guile_with(|_| {})
}

fn guile_with(change: impl FnOnce(&mut Config)) -> Lab {
    assert!(lispwright_runtime::find_program("guile").is_some(), "these tests need guile: apt-get install guile-3.0");
    lab_with(|config| {
        config.runtime = Runtime::named("guile");
        change(config);
    })
}

/// Runs the tests of the agent's parts that are written in Scheme.
#[test]
fn the_agent_passes_its_own_tests() {
    let images = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../images/tests/guile.scm");
    let run = std::process::Command::new("guile").arg("--no-auto-compile").arg(images).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    let passed = said.lines().find_map(|line| line.strip_prefix("# of expected passes")?.trim().parse::<u32>().ok());
    assert!(passed.is_some_and(|passed| passed > 50), "{said}");
}

impl Lab {
    async fn define_here(&self) {
        self.report("(define here 42)").await;
    }

    /// The session still answers, from the image that knows `here`.
    async fn assert_here(&self) {
        assert_eq!(self.values("here").await, "42");
    }
}

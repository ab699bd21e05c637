//! Sessions on a real Guile: every way in which evaluated code can misbehave, and what the caller is told.
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
        config.runtime = Some(Runtime::Guile);
        change(config);
    })
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

//! Clojure over nREPL: a real server on the JVM, one that is attached to, a second implementation, and servers that
//! misbehave.
#![allow(clippy::unwrap_used)]

mod fake;
mod jvm;
#[allow(dead_code, reason = "what only the tests on SBCL use")]
#[path = "../sbcl/lab.rs"]
mod lab;
mod nbb;
mod nbb_install;
mod strange;

use lispwright_runtime::{Config, Runtime};

use lab::{Lab, lab_with};

/// Sessions that run Clojure.
fn clojure() -> Lab {
    clojure_with(|_| {})
}

fn clojure_with(change: impl FnOnce(&mut Config)) -> Lab {
    lab_with(|config| {
        config.runtime = Runtime::named("clojure");
        change(config);
    })
}

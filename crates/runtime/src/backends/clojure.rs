//! Clojure, over nREPL: servers that are started here and those that somebody else runs (`nrepl`).

use lispwright_syntax::Dialect;

use super::{Backend, Capability, Loading, Words};
use crate::probe::{Probe, ProbeCodes};
use crate::remote::Protocol;

pub(super) static BACKEND: Backend = Backend {
    name: "clojure",
    program: "clojure",
    package: "clojure libnrepl-clojure",
    packages: &[
        ("dnf", "clojure"),
        ("pacman", "clojure"),
        ("brew", "clojure/tools/clojure"),
        ("nix", "nixpkgs#clojure"),
        ("guix", "clojure-tools"),
    ],
    tried: "1.11.1 with nREPL 1.0.0",
    has: &[Capability::Eval, Capability::Interrupt, Capability::Attach],
    dialect: Dialect::Clojure,
    extensions: &["clj", "cljc", "cljs", "bb"],
    project_files: &["deps.edn", "project.clj", "bb.edn", "nbb.edn", "shadow-cljs.edn", "build.boot", ".nrepl-port"],
    frameworks: &["clojure.test"],
    probes: ProbeCodes {
        codes: &[
            (Probe::Trace, include_str!("../../../../images/clojure/probes/trace.clj")),
            (Probe::Sample, include_str!("../../../../images/clojure/probes/sample.clj")),
            (Probe::Count, include_str!("../../../../images/clojure/probes/count.clj")),
        ],
    },
    words: Words {
        package: "namespace",
        input: "(with-in-str \"...\" ...)",
        // A namespace has the name of its file or library.
        loading: Some(Loading::ByName("it when it is a file's")),
        ..Words::NOTHING
    },
    protocol: Some(Protocol::Nrepl),
    ..Backend::NOTHING
};

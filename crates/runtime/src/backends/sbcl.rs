//! Steel Bank Common Lisp. Its workers start from a core with the agent in it.

mod self_report;

use std::ffi::OsString;

use super::common_lisp::{
    AGENT, ASDF, BOUNDED, FIRST, FRAMEWORKS, LIBRARIES, LOAD, MAIN, NAMES, SYSTEMS, TESTS, WORDS, parts, save, text,
};
use super::{Backend, Capability};
use crate::agent::{Agent, Saved, Start, quoted_path};
use crate::probe::{Probe, ProbeCodes};

pub(super) static BACKEND: Backend = Backend {
    name: "sbcl",
    program: "sbcl",
    package: "sbcl",
    packages: &[
        ("dnf", "sbcl"),
        ("zypper", "sbcl"),
        ("pacman", "sbcl"),
        ("apk", "sbcl"),
        ("brew", "sbcl"),
        ("nix", "nixpkgs#sbcl"),
        ("guix", "sbcl"),
    ],
    tried: "2.2.9",
    has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Checkpoint],
    extensions: &["lisp", "lsp", "cl", "asd"],
    warnings_fail: true,
    frameworks: FRAMEWORKS,
    libraries: LIBRARIES,
    probes: ProbeCodes {
        codes: &[
            (Probe::Trace, include_str!("../../../../images/common-lisp/probes/trace.lisp")),
            (Probe::Sample, include_str!("../../../../images/common-lisp/probes/sbcl-sample.lisp")),
            (Probe::Count, include_str!("../../../../images/common-lisp/probes/sbcl-count.lisp")),
            (Probe::Cover, include_str!("../../../../images/common-lisp/probes/sbcl-cover.lisp")),
            (Probe::Disassemble, include_str!("../../../../images/common-lisp/probes/disassemble.lisp")),
        ],
    },
    words: WORDS,
    agent: Some(Agent {
        text: || {
            let own = parts!["sbcl.lisp"];
            let (copies, compiler) = (parts!["copies.lisp"], parts!["sbcl-compiler.lisp", "sbcl-definitions.lisp"]);
            let own_names = parts!["sbcl-describe.lisp"];
            let coverage = parts!["sbcl-coverage.lisp"];
            text(&[FIRST, own, BOUNDED, AGENT, copies, compiler, ASDF, SYSTEMS, TESTS, coverage, NAMES, own_names], &[])
        },
        start: |start, heap, _| {
            let mut arguments: Vec<OsString> = Vec::new();
            if let Start::Saved(core) = start {
                arguments.extend(["--core".into(), core.into()]);
            }
            let heap = format!("{heap}MB");
            arguments.extend(
                ["--noinform", "--disable-ldb", "--no-merge-core-pages", "--dynamic-space-size", &heap]
                    .map(OsString::from),
            );
            if let Start::Plain(_) = start {
                arguments.extend(
                    ["--no-sysinit", "--no-userinit", "--disable-debugger", "--eval", LOAD, "--eval", MAIN]
                        .map(OsString::from),
                );
            }
            arguments
        },
        saved: Saved::Image {
            extension: "core",
            arguments: |path| {
                ["--noinform", "--disable-ldb", "--no-sysinit", "--no-userinit", "--disable-debugger", "--eval"]
                    .into_iter()
                    .chain([LOAD, "--eval", &save(&quoted_path(path))])
                    .map(OsString::from)
                    .collect()
            },
        },
    }),
    without_own_reports: self_report::without_self_reports,
    ..Backend::NOTHING
};

//! Embeddable Common Lisp. It saves no images, so its agent is small at first and reads the rest when needed.

use std::ffi::OsString;

use super::common_lisp::{
    AGENT, ASDF, BOUNDED, FIRST, FRAMEWORKS, LIBC, LIBRARIES, LOAD, MAIN, PERFORMING, SYSTEMS, TESTS, WORDS, parts,
    text,
};
use super::{Backend, Capability};
use crate::agent::{Agent, Saved};
use crate::probe::{Probe, ProbeCodes};

/// The size of the frame stack: large enough that the C stack, whose exhaustion ECL survives, is exhausted first.
const FRAMES: &str = "131072";

pub(super) static BACKEND: Backend = Backend {
    name: "ecl",
    program: "ecl",
    package: "ecl",
    packages: &[("dnf", "ecl"), ("pacman", "ecl"), ("brew", "ecl"), ("nix", "nixpkgs#ecl"), ("guix", "ecl")],
    tried: "21.2.1",
    has: &[Capability::Eval, Capability::Interrupt, Capability::Hold],
    warnings_fail: true,
    frameworks: FRAMEWORKS,
    libraries: LIBRARIES,
    probes: ProbeCodes {
        codes: &[
            (Probe::Trace, include_str!("../../../../images/common-lisp/probes/trace.lisp")),
            (Probe::Disassemble, include_str!("../../../../images/common-lisp/probes/disassemble.lisp")),
        ],
    },
    words: WORDS,
    agent: Some(Agent {
        text: || {
            let (own, signals) = (parts!["ecl.lisp"], parts!["ecl-signals.lisp"]);
            let compiler = parts!["ecl-compiler.lisp", "ecl-definitions.lisp"];
            text(&[FIRST, own, LIBC, signals, BOUNDED, AGENT], &[ASDF, PERFORMING, compiler, SYSTEMS, TESTS])
        },
        start: |_, heap, _| {
            let heap = (u64::from(heap) << 20).to_string();
            ["--norc", "--heap-size", &heap, "--frame-stack", FRAMES, "--eval", LOAD, "--eval", MAIN]
                .map(OsString::from)
                .into()
        },
        saved: Saved::Never("ECL saves no images; the agent loads in a moment"),
    }),
    ..Backend::NOTHING
};

//! GNU CLISP. Its workers start from a memory image with the agent in it.

use std::ffi::OsString;

use super::common_lisp::{
    AGENT, ASDF, BOUNDED, FIRST, FRAMEWORKS, LIBC, LIBRARIES, PERFORMING, SYSTEMS, TESTS, WORDS, parts, save, text,
};
use super::{Backend, Capability};
use crate::agent::{Agent, Saved, Start, quoted_path};
use crate::probe::{Probe, ProbeCodes};

/// Reads the agent's forms from standard input up to `:END`. The forms are compiled, because evaluating a definition
/// does not compile it. Warnings would go to standard output.
const LOAD: &str = "(let ((*error-output* (make-broadcast-stream))) \
    (loop with text = (ext:make-stream :input :external-format charset:utf-8) \
    for form = (read text) until (eq form :end) do (funcall (compile nil (list 'lambda nil form)))))";

const QUIET: [&str; 4] = ["-norc", "-q", "-q", "-ansi"];

pub(super) static BACKEND: Backend = Backend {
    name: "clisp",
    program: "clisp",
    package: "clisp",
    packages: &[("dnf", "clisp"), ("zypper", "clisp"), ("brew", "clisp"), ("nix", "nixpkgs#clisp"), ("guix", "clisp")],
    tried: "2.49.93",
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
            let (own, compiler) = (parts!["clisp.lisp"], parts!["clisp-compiler.lisp", "clisp-definitions.lisp"]);
            text(&[FIRST, own, LIBC, BOUNDED, AGENT], &[ASDF, PERFORMING, compiler, SYSTEMS, TESTS])
        },
        start: |start, heap, _| {
            let mut arguments: Vec<OsString> = QUIET.map(OsString::from).into();
            // The agent reads this option too and sets the limit: for CLISP it is only the initial size.
            arguments.extend(["-m".into(), format!("{heap}MB").into()]);
            match start {
                Start::Saved(image) => arguments.extend(["-M".into(), image.into()]),
                Start::Plain(_) => {
                    let drive = format!(
                        "(progn {LOAD} (sys::driver (symbol-function (intern \"DRIVE\" \"LISPWRIGHT.AGENT\"))))"
                    );
                    arguments.extend(["-on-error", "debug", "-x", &drive].map(OsString::from));
                }
            }
            arguments
        },
        saved: Saved::Image {
            extension: "mem",
            arguments: |path| {
                let save = save(&quoted_path(path));
                let load = ["-on-error", "exit", "-x", LOAD, "-x", &save];
                QUIET.into_iter().chain(load).map(OsString::from).collect()
            },
        },
    }),
    ..Backend::NOTHING
};

//! GNU Guile. Its workers load the agent as one compiled file.

use std::ffi::OsString;

use lispwright_syntax::Dialect;

use super::{Backend, Capability, Prompt, Words};
use crate::agent::{Agent, Saved, Start, quoted_path};
use crate::probe::{Probe, ProbeCodes};

/// Embeds files of `images/guile`, in the order in which they are read.
macro_rules! parts {
    ($($file:literal),* $(,)?) => {
        [$(include_str!(concat!("../../../../images/guile/", $file))),*]
    };
}

pub(super) static BACKEND: Backend = Backend {
    name: "guile",
    program: "guile",
    package: "guile-3.0",
    packages: &[
        ("dnf", "guile30"),
        ("zypper", "guile"),
        ("pacman", "guile"),
        ("apk", "guile"),
        ("brew", "guile"),
        ("nix", "nixpkgs#guile"),
        ("guix", "guile"),
    ],
    tried: "3.0.8",
    has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Checkpoint],
    dialect: Dialect::Scheme,
    extensions: &["scm", "sld", "sls", "ss"],
    frameworks: &["srfi-64", "srfi64"],
    libraries: &["/usr/share/guile", "/usr/local/share/guile"],
    probes: ProbeCodes {
        codes: &[
            (Probe::Trace, include_str!("../../../../images/guile/probes/trace.scm")),
            (Probe::Sample, include_str!("../../../../images/guile/probes/sample.scm")),
            (Probe::Count, include_str!("../../../../images/guile/probes/count.scm")),
            (Probe::Cover, include_str!("../../../../images/guile/probes/cover.scm")),
            (Probe::Disassemble, include_str!("../../../../images/guile/probes/disassemble.scm")),
        ],
    },
    words: Words {
        package: "module",
        input: "(with-input-from-string \"...\" (lambda () ...))",
        not_looked_at: "files that are not loaded in this image, and names in data",
        keeps_variables: "Code that is evaluated keeps more of them than a compiled file.",
        prompt: Some(Prompt {
            mark: ",",
            in_code: "Commands with a comma are those of Guile's own prompt. In code: ,time is (use-modules (statprof)) and \
             (statprof (lambda () EXPR)); ,trace is ((@ (system vm vm) call-with-vm) (lambda () ((@ (system vm trace) \
             call-with-trace) (lambda () EXPR))))",
            expand: ",expand",
            describe: ",describe",
        }),
        ..Words::NOTHING
    },
    agent: Some(Agent {
        text,
        start: |start, heap, compiled| {
            let (load, beside) = match start {
                Start::Saved(image) => (format!("(load-compiled {})", quoted_path(image)), image.parent()),
                Start::Plain(_) => {
                    (format!("(((@ (system vm loader) load-thunk-from-memory) {}))", compiling("'()")), None)
                }
            };
            let cache = compiled.or(beside).map_or_else(|| "#f".into(), quoted_path);
            evaluating(&format!("{load} ((@ (lispwright agent) main) {cache} {heap})"))
        },
        saved: Saved::Image {
            extension: "go",
            arguments: |path| {
                // An image that is mapped from a file has to be aligned to pages.
                evaluating(&format!(
                    "(call-with-output-file {} (lambda (port) ((@ (ice-9 binary-ports) put-bytevector) port {})) \
                     #:binary #t)",
                    quoted_path(path),
                    compiling("'(#:to-file? #t)")
                ))
            },
        },
    }),
    ..Backend::NOTHING
};

fn text() -> String {
    parts![
        "system.scm",
        "directories.scm",
        "roots.scm",
        "print.scm",
        "stack.scm",
        "agent.scm",
        "warnings.scm",
        "renewal.scm",
        "work.scm",
        "tests.scm",
        "coverage.scm",
        "look.scm",
        "describe.scm",
        "references.scm",
        "held.scm",
        "copies.scm",
    ]
    .join("\n")
}

/// The expression that reads the agent from standard input, and no byte more, and compiles it. Optimization level 2
/// takes eight times as long, and saves only some milliseconds on long answers.
fn compiling(options: &str) -> String {
    format!(
        "(let ((input (current-input-port))) (setvbuf input 'none) ((@ (system base compile) read-and-compile) \
         (open-input-string ((@ (rnrs bytevectors) utf8->string) ((@ (ice-9 binary-ports) get-bytevector-n) input {}))) \
         #:from 'scheme #:to 'bytecode #:optimization-level 1 #:warning-level 0 #:opts {options}))",
        text().len()
    )
}

fn evaluating(code: &str) -> Vec<OsString> {
    ["--no-auto-compile", "-q", "-c", code].map(OsString::from).into()
}

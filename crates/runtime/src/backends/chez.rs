//! Chez Scheme. Its workers load the agent as one compiled file.
//!
//! Chez takes no code on its command line, and loads every word there that is no option. So the argument of the agent,
//! the size of the heap or the path of the image to save, is passed as the first directory of libraries.

use std::ffi::OsString;
use std::path::Path;

use lispwright_syntax::Dialect;

use super::{Backend, Capability, Loading, Words};
use crate::agent::{Agent, Saved, Start};

/// Embeds files of `images/chez`, in the order in which they are read.
macro_rules! parts {
    ($($file:literal),* $(,)?) => {
        [$(include_str!(concat!("../../../../images/chez/", $file))),*]
    };
}

pub(super) static BACKEND: Backend = Backend {
    name: "chez",
    program: "scheme",
    // It reports the number alone; other Schemes by the name `scheme` begin with their own.
    is_version: |_, reported| reported.starts_with(|character: char| character.is_ascii_digit()),
    package: "chezscheme",
    packages: &[("pacman", "chez-scheme"), ("brew", "chezscheme"), ("nix", "nixpkgs#chez"), ("guix", "chez-scheme")],
    tried: "9.5.8",
    has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Checkpoint],
    dialect: Dialect::Scheme,
    marks: &["(chezscheme)", "(chezscheme ", "#!chezscheme"],
    frameworks: &["srfi-64", "srfi64"],
    words: Words {
        package: "library",
        input: "(parameterize ([current-input-port (open-input-string \"...\")]) ...)",
        not_looked_at: "code of calls, files that are not loaded in this image or were loaded compiled, uses of macros, \
                        and names in data",
        keeps_variables: "Chez keeps a variable for as long as the code after the call needs it.",
        loading: Some(Loading::ByFile("the file of a library")),
        ..Words::NOTHING
    },
    agent: Some(Agent {
        text,
        start: |start, heap, _| {
            let mut arguments = told(heap.to_string().into());
            if let Start::Saved(image) = start {
                arguments.extend(["--script".into(), image.into()]);
            }
            arguments
        },
        saved: Saved::Image { extension: "so", arguments: |path: &Path| told(path.into()) },
    }),
    ..Backend::NOTHING
};

/// The agent as one form: it is evaluated, or compiled into the image if the argument is a path.
fn text() -> String {
    let parts = parts![
        "wire.ss",
        "print.ss",
        "stack.ss",
        "agent.ss",
        "held.ss",
        "look.ss",
        "describe.ss",
        "work.ss",
        "renewal.ss",
        "tests.ss",
        "references.ss",
        "copies.ss"
    ];
    format!(
        "((lambda (agent told) \
           (if (string->number told) \
               (for-each eval agent) \
               (let ((image (open-file-output-port told (file-options no-fail)))) \
                 (compile-to-port agent image) \
                 (close-port image) \
                 (exit 0)))) \
          '((library (lispwright agent) (export main) (import (chezscheme)) {}) \
            (let () (import (lispwright agent)) (main (string->number (caar (library-directories)))))) \
          (caar (library-directories)))\n",
        parts.join("\n")
    )
}

/// The options that pass `argument` to the agent, before the directories that Chez knows.
fn told(mut argument: OsString) -> Vec<OsString> {
    argument.push(":");
    ["-q".into(), "--libdirs".into(), argument].into()
}

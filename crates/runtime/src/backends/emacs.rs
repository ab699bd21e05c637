//! GNU Emacs without a display, for Emacs Lisp. Its workers load the agent as one compiled file.

use std::ffi::OsString;

use lispwright_syntax::Dialect;
use rustix::process::Signal;

use super::{Backend, Capability, Loading, PROTOCOL_APART, Words};
use crate::agent::{Agent, Saved, Start, quoted_path};
use crate::probe::{Probe, ProbeCodes};
use crate::remote::Protocol;

/// Embeds files of `images/emacs-lisp`, in the order in which they are read.
macro_rules! parts {
    ($($file:literal),* $(,)?) => {
        [$(include_str!(concat!("../../../../images/emacs-lisp/", $file))),*]
    };
}

pub(super) static BACKEND: Backend = Backend {
    name: "emacs",
    program: "emacs",
    package: "emacs-nox",
    packages: &[
        ("dnf", "emacs-nox"),
        ("zypper", "emacs-nox"),
        ("pacman", "emacs-nox"),
        ("apk", "emacs-nox"),
        ("brew", "emacs"),
        ("nix", "nixpkgs#emacs-nox"),
        ("guix", "emacs-no-x"),
    ],
    tried: "28.2",
    has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Attach],
    dialect: Dialect::EmacsLisp,
    extensions: &["el"],
    project_files: &["Cask", "Eask", "Eldev"],
    frameworks: &["ert", "buttercup"],
    libraries: &["/usr/share/emacs", "/usr/local/share/emacs", "~/.emacs.d/elpa"],
    probes: ProbeCodes {
        codes: &[
            (Probe::Trace, include_str!("../../../../images/emacs-lisp/probes/trace.el")),
            (Probe::Sample, include_str!("../../../../images/emacs-lisp/probes/sample.el")),
            (Probe::Count, include_str!("../../../../images/emacs-lisp/probes/count.el")),
            (Probe::Disassemble, include_str!("../../../../images/emacs-lisp/probes/disassemble.el")),
        ],
    },
    words: Words {
        package: "package",
        input: "(require 'cl-lib) (cl-letf (((symbol-function 'read-string) (lambda (&rest _) \"...\"))) ...)",
        not_looked_at: "files that were not loaded from source in this image, what comes with Emacs, and names in data",
        keeps_variables: "Code that is loaded from source keeps them; compiled functions keep their arguments.",
        missing_package: "Emacs Lisp has no packages: names are global.",
        loading: Some(Loading::ByName("a feature")),
        server: ("emacs://server", "In Emacs, M-x server-start starts one."),
        attached: |_| {
            "It does one thing at a time, and its owner waits meanwhile: code that waits is stopped when its time is up, a \
             busy loop only by the owner's C-g. It cannot be reset or killed, and holds no errors."
        },
        ..Words::NOTHING
    },
    agent: Some(Agent {
        text,
        start: |start, _, _| {
            let load = match start {
                Start::Saved(image) => format!("(load {} nil t t)", quoted_path(image)),
                // The parent sends nothing more before the greeting, so nothing else can be read with it.
                Start::Plain(_) => format!(
                    "(with-temp-buffer (let ((coding-system-for-read 'utf-8-unix)) (call-process \"/bin/sh\" nil t nil \
                     \"-c\" \"exec head -c {} <&8 9>&-\")) (eval-buffer))",
                    text().len()
                ),
            };
            evaluating(&format!("(progn {load} (lispwright-main))"))
        },
        saved: Saved::Image {
            extension: "elc",
            arguments: |path| {
                evaluating(&format!(
                    "(progn (require 'bytecomp) (let ((source (make-temp-file \"lispwright\" nil \".el\")) (byte-compile-warnings nil) \
                     (coding-system-for-read 'utf-8-unix) (coding-system-for-write 'utf-8-unix) \
                     (byte-compile-dest-file-function (lambda (_) {}))) \
                     (unwind-protect (progn (with-temp-file source (insert-file-contents \"/dev/stdin\")) \
                     (unless (byte-compile-file source) (kill-emacs 1))) (delete-file source))))",
                    quoted_path(path)
                ))
            },
        },
    }),
    shell: Some(PROTOCOL_APART),
    protocol: Some(Protocol::Emacs),
    // The signal of `debug-on-event`; any other would end it.
    signals: &[Signal::USR2],
    reads_when_signalled: true,
    ..Backend::NOTHING
};

/// The agent for somebody else's Emacs.
pub(crate) fn joined_text() -> String {
    format!("{}\n{}", text(), parts!["joined.el"].concat())
}

fn text() -> String {
    parts![
        "lists.el",
        "wire.el",
        "print.el",
        "journal.el",
        "places.el",
        "stack.el",
        "agent.el",
        "held.el",
        "objects.el",
        "look.el",
        "describe.el",
        "renewal.el",
        "work.el",
        "customs.el",
        "tests.el",
    ]
    .join("\n")
}

fn evaluating(code: &str) -> Vec<OsString> {
    ["--no-init-file", "--no-site-file", "--batch", "--eval", code].map(OsString::from).into()
}

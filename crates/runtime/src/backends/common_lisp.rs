//! The shared parts of the Common Lisp implementations: files of the agent, the forms that load it, and sentences.

use super::Words;
use crate::agent::quoted;

/// Embeds files of `images/common-lisp`, in the order in which they are read.
macro_rules! parts {
    ($($file:literal),* $(,)?) => {
        &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../images/common-lisp/", $file))),*]
    };
}
pub(crate) use parts;

/// Files that are read in this order.
pub(crate) type Parts = &'static [&'static str];

/// The package of the agent, and the pipe to the parent. It comes first.
pub(super) const FIRST: Parts = parts!["descriptors.lisp"];

/// Printing with bounded length, where the implementation has nothing of its own for it.
pub(super) const BOUNDED: Parts = parts!["bounded.lisp"];

/// The answers to most requests.
pub(crate) const AGENT: Parts = parts!["wire.lisp", "agent.lisp", "objects.lisp", "expand.lisp", "held.lisp"];

/// ASDF itself.
pub(super) const ASDF: Parts = parts!["asdf.lisp"];

/// Observing the files that ASDF loads, where functions cannot be encapsulated.
pub(super) const PERFORMING: Parts = parts!["performing.lisp"];

/// Loading files and systems, and bringing what is loaded to the state of the files.
pub(super) const SYSTEMS: Parts = parts![
    "definitions.lisp",
    "packages.lisp",
    "noting.lisp",
    "concealing.lisp",
    "settings.lisp",
    "renewal.lisp",
    "libraries.lisp",
    "systems.lisp",
    "plans.lisp",
    "containing.lisp",
    "gone-tests.lisp",
    "explanations.lisp"
];

/// Running tests.
pub(crate) const TESTS: Parts = parts![
    "frameworks.lisp",
    "tally.lisp",
    "summaries.lisp",
    "observing.lisp",
    "frameworks/fiveam.lisp",
    "frameworks/rt.lisp",
    "frameworks/parachute.lisp",
    "frameworks/rove.lisp",
    "frameworks/fiasco.lisp",
    "frameworks/lisp-unit.lisp",
    "frameworks/1am.lisp",
    "frameworks/lift.lisp",
    "frameworks/prove.lisp",
    "frameworks/try.lisp",
    "test-op.lisp",
    "tests.lisp"
];

/// The meanings of names, and the references to them.
pub(crate) const NAMES: Parts = parts!["describe.lisp"];

/// Descriptors and streams through the C library: ECL, CLISP.
pub(super) const LIBC: Parts = parts!["libc.lisp"];

/// Reads the agent's forms from standard input up to `:END`.
pub(super) const LOAD: &str = "(with-compilation-unit () (loop for form = (read) until (eq form :end) do (eval form)))";

/// Starts the loop that serves requests.
pub(super) const MAIN: &str = "(funcall (intern \"MAIN\" \"LISPWRIGHT.AGENT\"))";

/// Writes the image to `path`, a string.
pub(super) fn save(path: &str) -> String {
    format!("(funcall (intern \"SAVE\" \"LISPWRIGHT.AGENT\") {path})")
}

/// The text of an agent: the files that it consists of, and those that it reads by itself when they are needed.
pub(super) fn text(parts: &[Parts], late_parts: &[Parts]) -> String {
    let mut text = parts.concat().join("\n");
    if !late_parts.is_empty() {
        text.push_str(&format!("\n(setf *late-parts* {})\n", quoted(&late_parts.concat().join("\n"))));
    }
    text.push_str("\n:end\n");
    text
}

/// The frameworks whose tests are run one by one, and ASDF's own operation.
pub(super) const FRAMEWORKS: &[&str] =
    &["fiveam", "rove", "parachute", "rt", "fiasco", "stefil", "lisp-unit2", "1am", "lift", "asdf"];

/// Libraries of the distribution, SBCL's own source, and what Quicklisp has downloaded, also for Roswell.
pub(super) const LIBRARIES: &[&str] = &[
    "/usr/share/common-lisp",
    "/usr/local/share/common-lisp",
    "/usr/share/sbcl-source",
    "~/quicklisp/dists",
    "~/.quicklisp/dists",
    "~/.roswell/lisp/quicklisp/dists",
];

/// The sentences for every implementation.
pub(super) const WORDS: Words = Words {
    last_value: Some(("*", "(subseq (prin1-to-string *) 10000 20000)")),
    not_looked_at: "top-level forms (a deftest is one), files that are not loaded in this image, inlined calls, names in data",
    keeps_variables: "Code compiled with (declaim (optimize (debug 2))) or more keeps them.",
    ..Words::NOTHING
};

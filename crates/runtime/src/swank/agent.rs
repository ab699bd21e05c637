//! The Lisp that an attached image is given: the portable agent of workers, between what Swank offers and what a session
//! there needs.
//!
//! It lives in a package of its own, whose name has the version of its text in it: another version of this program brings
//! its own package, and one that comes back finds its agent there.

use std::sync::OnceLock;

use super::message::literal;
use crate::backends::common_lisp::{AGENT, NAMES, Parts, TESTS, parts};
use crate::image::hash;

/// Its parts, in the order in which they are read.
const PARTS: [Parts; 4] =
    [parts!["swank.lisp"], AGENT, NAMES, parts!["swank-describe.lisp", "swank-load.lisp", "swank-calls.lisp"]];

/// What it reads besides when tests are run, which needs ASDF.
const TEST_PARTS: [Parts; 3] = [parts!["swank-tests.lisp"], parts!["plans.lisp"], TESTS];

/// The package in the text, which gets another name for each version.
const PACKAGE: &str = "LISPWRIGHT.AGENT";

/// The package of the agent in an image that is reached through `server`, the name of the server's package.
pub(crate) fn package(server: &str) -> String {
    static VERSION: OnceLock<u64> = OnceLock::new();
    let version =
        VERSION.get_or_init(|| hash(PARTS.iter().chain(&TEST_PARTS).copied().flatten().flat_map(|part| part.bytes())));
    format!("{PACKAGE}.{server}.{version:016X}")
}

/// The form that is true when the image has the agent `package`, all of it.
pub(crate) fn is_there(package: &str) -> String {
    let package = literal(package);
    // The function is the last that is defined.
    format!(
        "(cl:and (cl:find-package {package}) (cl:find-symbol \"GREET\" {package}) \
         (cl:fboundp (cl:find-symbol \"GREET\" {package})) cl:t)"
    )
}

/// The form that defines the agent `package`; its value is `NIL`, or in words why that failed.
pub(crate) fn definition(package: &str) -> String {
    reading(package, &PARTS)
}

/// The form that lets the agent `package` run tests, unless it can: its value is `T`, `NIL` where there is no ASDF, or in words
/// why that failed.
pub(crate) fn tests(package: &str) -> String {
    format!(
        "(cl:cond ((cl:not (cl:find-package \"ASDF\")) cl:nil) ((cl:fboundp (cl:intern \"ANSWER-RUN-TESTS\" {})) cl:t) \
         (cl:t (cl:or {} cl:t)))",
        literal(package),
        reading(package, &TEST_PARTS)
    )
}

/// The form that evaluates what `parts` hold, in `package`.
fn reading(package: &str, parts: &[Parts]) -> String {
    let text = parts.concat().join("\n").replace(PACKAGE, package);
    format!(
        "(cl:handler-case (cl:with-standard-io-syntax (cl:let ((cl:*print-readably* cl:nil) \
         (cl:*error-output* (cl:make-broadcast-stream))) (cl:handler-bind ((cl:warning (cl:lambda (warning) \
         (cl:when (cl:find-restart 'cl:muffle-warning warning) (cl:muffle-warning warning))))) \
         (cl:with-compilation-unit (:override cl:t) (cl:with-input-from-string (text {}) \
         (cl:loop :for form := (cl:read text cl:nil text) :until (cl:eq form text) :do (cl:eval form)))) cl:nil))) \
         (cl:error (failure) (cl:princ-to-string failure)))",
        literal(&text)
    )
}

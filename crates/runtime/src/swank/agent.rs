//! The Lisp for an attached image: the portable agent of workers, on top of Swank's functions.
//!
//! It has a package of its own, whose name contains the version of its text: another version of this program brings its
//! own package, and a program that reconnects finds its agent there.

use std::sync::OnceLock;

use super::message::literal;
use crate::backends::common_lisp::{AGENT, NAMES, Parts, TESTS, parts};
use crate::image::hash;

/// Its parts, in the order in which they are read.
const PARTS: [Parts; 4] =
    [parts!["swank.lisp"], AGENT, NAMES, parts!["swank-describe.lisp", "swank-load.lisp", "swank-calls.lisp"]];

/// The additional parts for running tests, which need ASDF.
const TEST_PARTS: [Parts; 3] = [parts!["swank-tests.lisp"], parts!["plans.lisp"], TESTS];

/// The package in the text, which is renamed for each version.
const PACKAGE: &str = "LISPWRIGHT.AGENT";

/// The package of the agent in an image that is reached through `server`, the name of the server's package.
pub(crate) fn package(server: &str) -> String {
    static VERSION: OnceLock<u64> = OnceLock::new();
    let version =
        VERSION.get_or_init(|| hash(PARTS.iter().chain(&TEST_PARTS).copied().flatten().flat_map(|part| part.bytes())));
    format!("{PACKAGE}.{server}.{version:016X}")
}

/// The form that is true when the image has the whole agent `package`.
pub(crate) fn is_there(package: &str) -> String {
    let package = literal(package);
    // The function is the last definition.
    format!(
        "(cl:and (cl:find-package {package}) (cl:find-symbol \"GREET\" {package}) \
         (cl:fboundp (cl:find-symbol \"GREET\" {package})) cl:t)"
    )
}

/// The form that defines the agent `package`; its value is `NIL`, or the reason of a failure in words.
pub(crate) fn definition(package: &str) -> String {
    reading(package, &PARTS)
}

/// The form that adds tests to the agent `package`, if it has none: its value is `T`, `NIL` without ASDF, or the reason
/// of a failure in words.
pub(crate) fn tests(package: &str) -> String {
    format!(
        "(cl:cond ((cl:not (cl:find-package \"ASDF\")) cl:nil) ((cl:fboundp (cl:intern \"ANSWER-RUN-TESTS\" {})) cl:t) \
         (cl:t (cl:or {} cl:t)))",
        literal(package),
        reading(package, &TEST_PARTS)
    )
}

/// The form that evaluates the content of `parts` in `package`.
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

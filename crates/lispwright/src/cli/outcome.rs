//! How a command shows what an operation answered.

use std::io::Write as _;
use std::process::ExitCode;

use lispwright_tools::{Outcome, ToolError};
use serde_json::Value;

use super::paint::painted;
use super::text::{print, print_json};

/// The exit code of a command that could not begin, or whose output could not be written.
pub(crate) const OUTPUT_FAILED: i32 = 2;

/// Prints the text, or with `json` the fields as one document, and gives the exit code: 0, or 1 when the requested
/// thing did not happen.
pub(crate) fn show(outcome: Outcome, json: bool) -> ExitCode {
    match (json, outcome.is_error) {
        (true, _) => print_json(&Value::Object(outcome.fields)),
        (false, true) => complain(&outcome.text),
        (false, false) => print(&painted(&outcome.text)),
    }
    if outcome.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Says something on standard error on behalf of `command`.
pub(crate) fn say(command: &str, what: &dyn std::fmt::Display) {
    complain(&format!("lispwright {command}: {what}"));
}

/// Says on standard error why `command` could not begin; exit code 2.
pub(crate) fn could_not(command: &str, why: &dyn std::fmt::Display) -> ExitCode {
    say(command, why);
    ExitCode::from(2)
}

/// Says why `command` could not do what it was asked: on standard error, or with `json` as the document that was asked for.
pub(crate) fn failed(command: &str, json: bool, error: ToolError) -> ExitCode {
    if json {
        print_json(&Value::Object(Outcome::from(error).fields));
    } else {
        say(command, &error.message);
    }
    ExitCode::from(2)
}

/// With standard error closed, the exit code has to do.
fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

//! How a command shows what an operation answered.

use std::io::Write as _;
use std::process::ExitCode;

use lispwright_tools::Outcome;
use serde_json::Value;

/// Writes the text, or with `json` the fields as one document, and gives the exit code: 0, or 1 when the requested
/// thing did not happen. A reader that has gone away is no fault.
pub(crate) fn show(outcome: Outcome, json: bool) -> ExitCode {
    let failed = outcome.is_error;
    let text = if json { format!("{:#}", Value::Object(outcome.fields)) } else { outcome.text };
    if failed && !json {
        let _ = writeln!(std::io::stderr(), "{text}");
    } else {
        let _ = writeln!(std::io::stdout(), "{text}");
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Says something on standard error on behalf of `command`.
pub(crate) fn say(command: &str, what: &dyn std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "lispwright {command}: {what}");
}

/// Says on standard error why `command` could not begin; exit code 2.
pub(crate) fn could_not(command: &str, why: &dyn std::fmt::Display) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "lispwright {command}: {why}");
    ExitCode::from(2)
}

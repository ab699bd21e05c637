//! Printing the answers of operations.

use std::io::Write as _;
use std::process::ExitCode;

use lispwright_tools::{Answer, Reply};
use lispwright_words::{Rendering, Skin, render};
use serde_json::{Value, json};

use super::complaint::Complaint;
use super::paint::painted;
use super::text::{print, print_json};

/// The exit code of a command that could not begin, or whose output could not be written.
pub(crate) const OUTPUT_FAILED: i32 = 2;

/// Prints the text, or with `json` the fields as one document, and gives the exit code: 0, or 1 if the requested
/// thing did not happen.
pub(crate) fn show(reply: Reply, json: bool) -> ExitCode {
    print_rendering(render(reply, Skin::Shell), json)
}

/// The rendering of an answer for a shell.
pub(crate) fn in_words(answer: impl Into<Answer>) -> Rendering {
    render(Ok(answer.into()), Skin::Shell)
}

/// The same for a rendered answer.
pub(crate) fn print_rendering(outcome: Rendering, json: bool) -> ExitCode {
    match (json, outcome.is_error) {
        (true, _) => print_json(&Value::Object(outcome.fields)),
        (false, true) => complain(&outcome.text),
        (false, false) => print(&painted(&outcome.text)),
    }
    if outcome.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Prints a message of `command` on standard error.
pub(crate) fn say(command: &str, what: &dyn std::fmt::Display) {
    complain(&format!("lispwright {command}: {what}"));
}

/// Prints on standard error why `command` could not begin; exit code 2.
pub(crate) fn could_not(command: &str, why: &dyn std::fmt::Display) -> ExitCode {
    say(command, why);
    ExitCode::from(2)
}

/// Prints why `command` failed: on standard error, or with `json` as the requested document.
pub(crate) fn failed(command: &str, json: bool, why: impl Into<Complaint>) -> ExitCode {
    let Complaint(Rendering { text, fields, .. }) = why.into();
    if json {
        print_json(&Value::Object(fields));
    } else {
        say(command, &text);
    }
    ExitCode::from(2)
}

/// Prints why one of several files could not be read, and returns that as its document.
pub(crate) fn unreadable(command: &str, path: &str, Complaint(why): Complaint) -> Value {
    say(command, &why.text);
    json!({"path": path, "error": why.text, "code": why.fields["code"]})
}

/// Prints a line on standard error; if that is closed, the exit code remains.
fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

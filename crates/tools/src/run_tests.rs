//! `run_tests`: run the tests of a file, module or system in a live image and say which failed, and why.

use std::path::Path;
use std::time::Duration;

use lispwright_runtime::{Ending, EvalReport, FailedTest, Request, Runtime, Tally, Target};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer::Reply;
use crate::aside::Aside;
use crate::image_text::{fence, one_line};
use crate::outcome::Outcome;
use crate::refusal::Refusal;
use crate::repl_eval::{ask, seconds_or};
use crate::repl_report::notes;
use crate::repl_work::{
    Work, diagnostics_fields, diagnostics_of, diagnostics_text, other_ending, place_text, printed_text, relative,
    reset_text, told_error_text,
};
use crate::tool::CallContext;
use crate::workshop::Workshop;

/// How long tests may take when nothing else is asked for.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Failed tests shown in words; the fields have all that are known.
const MOST_SHOWN: usize = 30;

/// Arguments of `run_tests`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTests {
    /// System or module with the tests, or one that has some; or give path
    #[serde(default)]
    pub system: Option<String>,
    /// File with the tests
    #[serde(default)]
    pub path: Option<String>,
    /// fiveam, rove, parachute, rt, asdf or srfi-64
    #[serde(default)]
    pub framework: Option<String>,
    /// Only this or group
    #[serde(default)]
    pub test: Option<String>,
    /// Only these
    #[serde(default)]
    pub tests: Option<Vec<String>>,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Runtime
    #[serde(default)]
    pub runtime: Option<String>,
    /// Default 300
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
}

/// Loads the tests afresh and runs them. Cancelling the context interrupts them.
pub async fn run_tests(workshop: &Workshop, args: RunTests, context: &CallContext) -> Reply {
    match run(workshop, args, context).await {
        Ok((asked, report)) => outcome(workshop, &asked, &report).into(),
        Err(refusal) => Err(refusal),
    }
}

/// Which tests are to run.
struct Asked {
    work: Work,
    /// Only those of this framework.
    framework: Option<String>,
    /// Only those of these names, unless there are none.
    tests: Vec<String>,
}

impl Asked {
    /// The call that runs the tests of `framework`.
    fn call_with(&self, framework: &str) -> String {
        let key = if matches!(self.work.target, Target::System(_)) { "system" } else { "path" };
        format!("run_tests {}", json!({ key: self.work.name, "framework": framework }))
    }
}

async fn run(workshop: &Workshop, args: RunTests, context: &CallContext) -> Result<(Asked, EvalReport), Refusal> {
    let timeout = seconds_or(args.timeout_seconds, TIMEOUT)?;
    let (system, path) = (args.system.as_deref(), args.path.as_deref());
    let work = Work::find(workshop, "run_tests", system, path, args.session.as_deref(), args.runtime.as_deref())?;
    let framework = framework(workshop.sessions.runtime_of(&work.session), args.framework)?;
    let tests: Vec<String> = args.tests.into_iter().flatten().chain(args.test).collect();
    let request = Request::RunTests {
        target: work.target.clone(),
        project: work.project.clone(),
        framework: framework.clone(),
        tests: tests.clone(),
        timeout,
    };
    let report = ask(&workshop.sessions, &work.session, request, context).await?;
    Ok((Asked { work, framework, tests }, report))
}

/// The framework asked for, when it can be run.
fn framework(runtime: Runtime, asked: Option<String>) -> Result<Option<String>, Refusal> {
    let Some(name) = asked.map(|name| name.to_lowercase()).filter(|name| name != "auto") else { return Ok(None) };
    if runtime.frameworks.contains(&name.as_str()) {
        return Ok(Some(name));
    }
    Err(Refusal::worded(
        "UNSUPPORTED",
        format!(
            "Tests of {name:?} cannot be run in {runtime}; {} can. Leave framework out, or use repl_eval.",
            runtime.frameworks.join(", ")
        ),
    ))
}

fn outcome(workshop: &Workshop, asked: &Asked, report: &EvalReport) -> Outcome {
    let root = workshop.roots.primary();
    let report = &EvalReport { diagnostics: diagnostics_of(workshop, report), ..report.clone() };
    let tally = report.tests.clone().unwrap_or_default();
    let mut outcome = other_ending(report).unwrap_or_else(|| tested(root, asked, report, &tally));
    if !matches!(report.ending, Ending::Tested | Ending::Error { .. }) && tally.total() > 0 {
        outcome.text.push_str(&format!(
            "\n[note] Before that {} passed, {} failed, {} pending.\n",
            tally.passed, tally.failed, tally.pending
        ));
        let failures: String = tally.failed_tests.iter().take(MOST_SHOWN).map(|test| failed_text(test, root)).collect();
        outcome.text.push_str(failures.trim_end());
    }
    let fields = &mut outcome.fields;
    fields.insert("passed".into(), tally.passed.into());
    fields.insert("failed".into(), tally.failed.into());
    fields.insert("pending".into(), tally.pending.into());
    fields.insert("unknown".into(), tally.unknown.len().into());
    fields.insert("total".into(), tally.total().into());
    fields.insert("framework".into(), tally.framework.clone().into());
    if !tally.unmatched.is_empty() {
        fields.insert("unmatched".into(), tally.unmatched.clone().into());
    }
    if !tally.left_out.is_empty() {
        fields.insert("left_out".into(), tally.left_out.clone().into());
    }
    if let Some(running) = &tally.running {
        fields.insert("running".into(), running.clone().into());
    }
    fields.insert("session".into(), report.session.clone().into());
    fields.insert("duration_ms".into(), (report.duration.as_secs_f64() * 1000.0).into());
    fields.insert("failed_tests".into(), tally.failed_tests.iter().map(|test| failed_fields(test, root)).collect());
    if !report.diagnostics.is_empty() {
        fields.insert("diagnostics".into(), diagnostics_fields(&report.diagnostics, root));
    }
    outcome
}

fn tested(root: &Path, asked: &Asked, report: &EvalReport, tally: &Tally) -> Outcome {
    let name = &asked.work.name;
    let milliseconds = report.duration.as_secs_f64() * 1000.0;
    let unknown = match tally.unknown.len() {
        0 => String::new(),
        count => format!(", {count} unknown"),
    };
    let counts = format!(
        "{} passed, {} failed, {} pending{unknown} of {} ({}, {milliseconds:.0} ms)",
        tally.passed,
        tally.failed,
        tally.pending,
        tally.total(),
        tally.framework
    );
    let error = if let Ending::Error { error, .. } = &report.ending { Some(error) } else { None };
    let (headline, code) = match error {
        None if tally.running.is_some() => (left_early(tally, &counts), "LISP_ERROR"),
        Some(_) if tally.total() == 0 && tally.running.is_none() => {
            (format!("The tests of {name} did not load."), "LISP_ERROR")
        }
        Some(_) => (format!("The tests of {name} ended in an error after {counts}."), "LISP_ERROR"),
        None if tally.total() == 0 => (no_tests(asked, tally), "BAD_ARGUMENT"),
        None if tally.failed == 0 && tally.exit_status.is_some_and(|status| status != 0) => {
            let status = tally.exit_status.unwrap_or_default();
            (format!("Though none of its tests failed, {name} ended with exit code {status}: {counts}."), "LISP_ERROR")
        }
        None if !tally.unknown.is_empty() => (format!("It is unknown how tests went: {counts}."), ""),
        None => (format!("{counts}."), ""),
    };
    let mut text = if code.is_empty() { format!("{headline}\n") } else { format!("[ERROR] {code}\n{headline}\n") };
    if tally.total() > 0 && !tally.unmatched.is_empty() {
        text.push_str(&format!("[note] {}\n", none_called(&tally.unmatched, tally)));
    }
    if tally.total() > 0 && asked.framework.is_none() {
        for other in &tally.others {
            text.push_str(&format!("[note] Its tests of {other} did not run: {} does.\n", asked.call_with(other)));
        }
    }
    text.push_str(&test_op_notes(tally));
    for test in tally.failed_tests.iter().take(MOST_SHOWN) {
        text.push_str(&failed_text(test, root));
    }
    let shown = tally.failed_tests.len().min(MOST_SHOWN);
    if tally.failed as usize > shown {
        text.push_str(&format!(
            "[note] {} more failed; run_tests with \"tests\": [NAME, ...] shows some.\n",
            tally.failed as usize - shown
        ));
    }
    text.push_str(&loading_text(report, tally, root));
    if let Some(error) = error.filter(|error| !error.frames.is_empty()) {
        text.push_str(&told_error_text(error, &report.diagnostics));
    }
    text.push_str(&reset_text(report));
    text.push_str(&printed_text(report));
    text.push_str(&notes(&Aside::from(report)));
    let mut fields = Map::new();
    fields.insert("message".into(), headline.into());
    if !code.is_empty() {
        fields.insert("code".into(), code.into());
        fields.insert("retryable".into(), false.into());
    }
    Outcome { text: text.trim_end().to_owned(), fields, is_error: !code.is_empty() }
}

/// What the compiler had to say. Matters of style are only counted when nothing failed that they could explain.
fn loading_text(report: &EvalReport, tally: &Tally, root: &Path) -> String {
    let all_passed =
        matches!(report.ending, Ending::Tested) && tally.failed == 0 && tally.passed > 0 && tally.unknown.is_empty();
    let (style, told): (Vec<_>, Vec<_>) = report
        .diagnostics
        .iter()
        .cloned()
        .partition(|diagnostic| all_passed && matches!(diagnostic.severity.as_str(), "style-warning" | "note"));
    let counted = match style.len() {
        0 => String::new(),
        1 => "[note] 1 style-warning; load_system shows it.\n".to_owned(),
        count => format!("[note] {count} style-warnings; load_system shows them.\n"),
    };
    diagnostics_text(&told, root) + &counted
}

/// What is said of tests that an exit has ended, so that the rest did not run.
fn left_early(tally: &Tally, counts: &str) -> String {
    let status = tally.exit_status.map(|status| format!(" with code {status}")).unwrap_or_default();
    let running = tally.running.as_deref().unwrap_or_default();
    let what = if running.starts_with("test-op of ") { "The" } else { "The test" };
    format!("{what} {} called exit{status}; the rest did not run. So far: {counts}.", name_text(running, 200))
}

/// Why it is no success that nothing failed.
fn no_tests(asked: &Asked, tally: &Tally) -> String {
    if !asked.tests.is_empty() && !tally.names.is_empty() {
        return none_called(&asked.tests, tally);
    }
    let kind = asked.framework.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    let exit = tally.exit_status.map(|status| format!(" It ended with exit code {status}.")).unwrap_or_default();
    let instead = match tally.others.as_slice() {
        [] => "Are the tests somewhere else? Give their \"system\" or \"path\".".to_owned(),
        [one] if one == "asdf" => format!("There is a test-op: {} performs it.", asked.call_with(one)),
        others => format!("There are tests of {}: {} runs them.", others.join(", "), asked.call_with(&others[0])),
    };
    format!("No test{kind} ran in {}, which is no success.{exit} {instead}", asked.work.name)
}

/// What the tests that a test-op ran, or did not, have to say beside their counts.
fn test_op_notes(tally: &Tally) -> String {
    let mut text = String::new();
    for (system, what) in &tally.unknown {
        text.push_str(&format!(
            "[note] The test-op of {system} {what}. No test of a framework was seen to run in it, and no line that it printed \
             sums up tests, so this is no success. What it printed may tell more. To have it known, let it print such a \
             line (\"5 of 5 tests passed\") and signal an error when one failed; or give the system or file that has the \
             tests.\n"
        ));
    }
    for (system, line) in &tally.told {
        text.push_str(&format!(
            "[note] The test-op of {system} counts as one test, which passed by what it printed: {}\n",
            one_line(line, 200)
        ));
    }
    for system in &tally.run_for {
        text.push_str(&format!(
            "[note] The test-op of {system} shows no results, so the tests of {system} were run one by one.\n"
        ));
    }
    if tally.left_out_count > 0 {
        let (count, verb) = (tally.left_out_count, if tally.left_out_count == 1 { "is" } else { "are" });
        let (system, framework) = &tally.left_out_of;
        text.push_str(&format!(
            "[note] {count} of the tests {verb} not part of the test-op and did not run: {}. To run all: run_tests {}.\n",
            some_names(&tally.left_out, count),
            json!({ "system": system, "framework": framework })
        ));
    }
    text
}

/// That there are no tests of the names `wanted`, and which there are.
fn none_called(wanted: &[String], tally: &Tally) -> String {
    let names = some_names(&tally.names, tally.name_count);
    let groups = match tally.groups.len() {
        0 => String::new(),
        count => format!(" Groups: {}.", some_names(&tally.groups, count as u32)),
    };
    format!("No test or group is called {}. There are: {names}.{groups}", some_names(wanted, wanted.len() as u32))
}

/// The first of `names`, of which there are `count`, and how many more there are.
fn some_names(names: &[String], count: u32) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST_SHOWN).map(|name| name_text(name, 80)).collect();
    let more = (count as usize).saturating_sub(shown.len());
    // Tests may well share a name, or have none.
    shown.dedup();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The name of a test, in quotes where it would not be seen.
fn name_text(name: &str, limit: usize) -> String {
    if name.trim().is_empty() { format!("{name:?}") } else { one_line(name, limit) }
}

fn failed_text(test: &FailedTest, root: &Path) -> String {
    let name = if test.name.is_empty() { "a test without a name".to_owned() } else { one_line(&test.name, 200) };
    let group =
        if test.description.is_empty() { String::new() } else { format!(" ({})", one_line(&test.description, 200)) };
    let place = place_text(test.file.as_deref(), test.line, None, root);
    let reason = fence(&test.reason);
    let reason: Vec<&str> = reason.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut text = format!("FAILED {place}{name}{group}\n  {}\n", reason.join("\n  "));
    if let Some(form) = &test.form {
        text.push_str(&format!("  {}\n", one_line(form, 200)));
    }
    for (what, value) in &test.values {
        text.push_str(&format!("  {}: {}\n", one_line(what, 40).replace('-', " "), one_line(value, 200)));
    }
    text
}

fn failed_fields(test: &FailedTest, root: &Path) -> Value {
    let values = test.values.iter().map(|(what, value)| json!({"name": what, "value": value}));
    let mut fields = Map::new();
    fields.insert("test_name".into(), test.name.clone().into());
    fields.insert("description".into(), test.description.clone().into());
    if let Some(form) = &test.form {
        fields.insert("form".into(), form.clone().into());
    }
    fields.insert("values".into(), values.collect());
    fields.insert("reason".into(), test.reason.clone().into());
    if let Some(file) = &test.file {
        fields.insert("source".into(), json!({"path": relative(file, root), "line": test.line}));
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runtime_has_its_own_frameworks() {
        let of = |runtime, name: &str| {
            framework(Runtime::named(runtime).unwrap(), Some(name.to_owned())).map_err(|error| error.code())
        };
        assert_eq!(of("clojure", "clojure.test"), Ok(Some("clojure.test".to_owned())));
        assert_eq!(of("clojure", "fiveam"), Err("UNSUPPORTED"));
        assert_eq!(of("guile", "SRFI-64"), Ok(Some("srfi-64".to_owned())));
        assert_eq!(of("sbcl", "auto"), Ok(None));
        assert_eq!(of("swank", "clojure.test"), Err("UNSUPPORTED"));
    }

    #[test]
    fn a_failure_says_where_what_and_why() {
        let test = FailedTest {
            name: "adds".into(),
            description: "suite / inner".into(),
            reason: "The actual value is not the expected one.".into(),
            form: Some("(test-equal 1 2)".into()),
            values: vec![("expected-value".into(), "1".into())],
            file: Some("/p/t.scm".into()),
            line: Some(4),
        };
        assert_eq!(
            failed_text(&test, Path::new("/p")),
            "FAILED t.scm:4: adds (suite / inner)\n  The actual value is not the expected one.\n  (test-equal 1 2)\n  \
             expected value: 1\n"
        );
    }
}

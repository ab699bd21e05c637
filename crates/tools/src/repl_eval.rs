//! `repl_eval`: evaluate code in a session's live image.

use std::time::{Duration, Instant};

use lispwright_runtime::{
    Capability, Ending, EvalReport, EvalRequest, Frame, LispError, MAIN, Phase, Place, Printed, Runtime, SessionError,
    Sessions, StopReason,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::repl_text::{Fenced, ends_of, fence, head, one_line, shares, start_of};
use crate::tool::{CallContext, Outcome, ToolError};

/// Characters of an answer when none are asked for.
const DEFAULT_OUTPUT: usize = 10_000;

/// Characters of an answer at most.
const MOST_OUTPUT: usize = 40_000;

/// The longest a call may be allowed to take, in seconds.
const LONGEST: f64 = 86_400.0;

/// What to do when the code ends in an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// Unwind the stack and answer.
    #[default]
    Unwind,
    /// Keep the stack for `repl_control`.
    Hold,
}

/// Arguments of `repl_eval`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplEval {
    /// Forms to evaluate, one after the other
    pub code: String,
    /// Session to run in; made on first use (default "main")
    #[serde(default)]
    pub session: Option<String>,
    /// Lisp of a new session (default "sbcl")
    #[serde(default)]
    pub runtime: Option<String>,
    /// Package for this call; default: the session's own, which in-package changes
    #[serde(default)]
    pub package: Option<String>,
    /// Seconds until the code is interrupted, its state kept (default 30)
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// Characters in the answer (default 10000, at most 40000)
    #[serde(default)]
    pub max_output_length: Option<u32>,
    /// *print-level* for the values
    #[serde(default)]
    pub print_level: Option<u32>,
    /// *print-length* for the values
    #[serde(default)]
    pub print_length: Option<u32>,
    /// Forbid #. in the code
    #[serde(default)]
    pub safe_read: bool,
    /// After an error: unwind, or hold the stack for repl_control
    #[serde(default)]
    pub on_error: OnError,
    /// Evaluate in a copy of the image that is thrown away
    #[serde(default)]
    pub trial: bool,
}

/// Evaluates and words the answer. Cancelling the context interrupts the code and keeps the session's state.
pub async fn repl_eval(sessions: &Sessions, args: ReplEval, context: &CallContext) -> Outcome {
    let limit = (args.max_output_length.map_or(DEFAULT_OUTPUT, |limit| limit as usize)).clamp(200, MOST_OUTPUT);
    let request = match request(&args, limit) {
        Ok(request) => request,
        Err(error) => return error.with("execution_status", "not-executed").into(),
    };
    let session = args.session.as_deref().unwrap_or(MAIN);
    let evaluation = sessions.eval(session, request, &context.cancel);
    tokio::pin!(evaluation);
    let began = Instant::now();
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    tick.reset();
    let result = loop {
        tokio::select! {
            result = &mut evaluation => break result,
            _ = tick.tick(), if context.progress.is_some() => {
                if let Some(progress) = &context.progress {
                    progress(began.elapsed().as_secs_f64(), &format!("evaluating in session {session}"));
                }
            }
        }
    };
    match result {
        Ok(report) => answer(&report, limit),
        Err(error) => session_error(error).with("execution_status", "not-executed").into(),
    }
}

fn request(args: &ReplEval, limit: usize) -> Result<EvalRequest, ToolError> {
    check_runtime(args.runtime.as_deref())?;
    if args.on_error == OnError::Hold {
        return Err(unsupported(
            Capability::Hold,
            "Leave on_error out: the answer to an error already has its restarts, frames and locals",
        ));
    }
    if args.trial {
        return Err(unsupported(
            Capability::Checkpoint,
            "Leave trial out and evaluate in a session of its own, such as session \"trial\", then end it with \
             repl_control {\"action\": \"kill\", \"session\": \"trial\"}",
        ));
    }
    let seconds = args.timeout_seconds.unwrap_or(30.0);
    if !(seconds > 0.0 && seconds <= LONGEST) {
        return Err(ToolError::new(
            "BAD_ARGUMENT",
            format!("timeout_seconds is {seconds}; it must be more than 0 and at most {LONGEST}."),
        ));
    }
    Ok(EvalRequest {
        package: args.package.clone(),
        safe_read: args.safe_read,
        print_level: args.print_level,
        print_length: args.print_length,
        value_limit: limit,
        timeout: Duration::from_secs_f64(seconds),
        ..EvalRequest::new(args.code.clone())
    })
}

/// Refuses a runtime that no session can have.
pub(crate) fn check_runtime(name: Option<&str>) -> Result<Runtime, ToolError> {
    let Some(name) = name else { return Ok(Runtime::Sbcl) };
    let available = || lispwright_runtime::BACKENDS.iter().filter(|backend| backend.can(Capability::Eval));
    let names: Vec<&str> = available().map(|backend| backend.name).collect();
    match Runtime::named(name) {
        Some(runtime) if runtime.backend().can(Capability::Eval) => Ok(runtime),
        Some(runtime) => Err(session_error(SessionError::Unsupported(runtime)).with("candidates", names)),
        None => Err(ToolError::new(
            "BAD_ARGUMENT",
            format!("There is no runtime {name:?}. Sessions can run: {}.", names.join(", ")),
        )
        .with("candidates", names)),
    }
}

/// An answer for what the runtime does not do.
pub(crate) fn unsupported(capability: Capability, instead: &str) -> ToolError {
    let backend = Runtime::Sbcl.backend();
    let can: Vec<&str> = backend.has.iter().map(|capability| capability.as_str()).collect();
    ToolError::new(
        "UNSUPPORTED",
        format!(
            "{} sessions cannot do this here: {} is not among what they offer ({}). {instead}.",
            backend.name,
            capability.as_str(),
            can.join(", ")
        ),
    )
}

/// The words for a session that could not do what was asked.
pub(crate) fn session_error(error: SessionError) -> ToolError {
    let what = format!("{error}.");
    match error {
        SessionError::Busy { session, .. } => {
            let next = format!("repl_control {{\"action\": \"interrupt\", \"session\": \"{session}\"}}");
            let mut busy = ToolError::new(
                "SESSION_BUSY",
                format!("{what} Calls are not queued: wait for it, use another session, or stop it with {next}."),
            )
            .with("next", next);
            busy.retryable = true;
            busy
        }
        SessionError::Stopped { session, .. } => {
            let next = format!("repl_control {{\"action\": \"reset\", \"session\": \"{session}\"}}");
            ToolError::new("SESSION_LOST", format!("{what} To go on with a fresh image, call {next}."))
                .with("next", next)
        }
        SessionError::TooMany(_) => ToolError::new(
            "LIMIT",
            format!(
                "{what} Use one of them, or end one with repl_control {{\"action\": \"kill\", \"session\": NAME}}."
            ),
        )
        .with("next", "repl_control {\"action\": \"status\"}"),
        SessionError::Missing(runtime) => {
            let package = runtime.backend().package;
            ToolError::new(
                "RUNTIME_MISSING",
                format!("{what} Install it, on Debian or Ubuntu with: apt-get install {package}"),
            )
            .with("next", format!("apt-get install {package}"))
        }
        SessionError::Unsupported(_) => {
            ToolError::new("UNSUPPORTED", format!("{what} Sessions run Common Lisp on sbcl: leave runtime out."))
        }
        SessionError::Start(_) => ToolError::new(
            "RUNTIME_MISSING",
            format!("{what} See repl_control {{\"action\": \"status\"}} and whether the program runs by itself."),
        ),
        SessionError::Unknown(_) => ToolError::new(
            "BAD_ARGUMENT",
            format!("{what} repl_control {{\"action\": \"status\"}} lists the sessions there are."),
        ),
    }
}

/// The answer to an evaluation, at most about `limit` characters of it.
fn answer(report: &EvalReport, limit: usize) -> Outcome {
    let ending = ending_text(report);
    let notes = notes(report);
    let warnings: String = report
        .warnings
        .iter()
        .map(|warning| format!("{}: {}\n", one_line(&warning.type_name, 100), fence(warning.message.trim_end())))
        .collect();
    let values: Vec<String> = match &report.ending {
        Ending::Values(values) => values.iter().map(|value| fence(&value.text)).collect(),
        _ => Vec::new(),
    };

    let fixed = 300 + [&ending, &notes].map(|text| text.chars().count()).iter().sum::<usize>();
    let printed = |output: &Printed| {
        if output.dropped > 0 { usize::MAX / 8 } else { fence(&output.head).chars().count() }
    };
    let value_length = values.iter().map(|value| value.chars().count() + 8).sum();
    let lengths = [printed(&report.stdout), printed(&report.stderr), warnings.chars().count(), value_length];
    let room = shares(&lengths, limit.saturating_sub(fixed).max(limit / 4));

    let stdout = ends_of(&report.stdout, room[0]);
    let stderr = ends_of(&report.stderr, room[1]);
    let warnings = start_of(&warnings, room[2]);
    let (values, values_left_out) = value_texts(&values, room[3]);

    let mut text = String::new();
    block(&mut text, "[stdout]", &stdout);
    block(&mut text, "[stderr]", &stderr);
    block(&mut text, "[warnings]", &warnings);
    for value in &values {
        text.push_str("=> ");
        text.push_str(value);
        text.push('\n');
    }
    if matches!(&report.ending, Ending::Values(none) if none.is_empty()) {
        text.push_str("[no values]\n");
    }
    text.push_str(&ending);
    text.push_str(&notes);
    let left_out = stdout.left_out + stderr.left_out + warnings.left_out + values_left_out;
    let cut = matches!(&report.ending, Ending::Values(values) if values.iter().any(|value| value.cut));
    if left_out > 0 || cut {
        text.push_str(&left_out_text(left_out, values_left_out > 0 || cut, cut, limit));
    }
    let fields = fields(report, &values, &stdout, &stderr, left_out);
    let is_error = !matches!(report.ending, Ending::Values(_));
    Outcome { text: text.trim_end().to_owned(), fields, is_error }
}

fn left_out_text(left_out: u64, of_values: bool, endless: bool, limit: usize) -> String {
    let how_much = match (left_out, endless) {
        (0, _) => "The printed values go on".to_owned(),
        (_, true) => format!("{left_out} characters are left out, and the printed values go on"),
        (_, false) => format!("{left_out} characters are left out"),
    };
    let more = if limit < MOST_OUTPUT { format!("max_output_length up to {MOST_OUTPUT}, ") } else { String::new() };
    let how = if of_values {
        "the value is in *, so a part of it: repl_eval {\"code\": \"(subseq (prin1-to-string *) 10000 20000)\"}"
    } else {
        "or print less, or to a file"
    };
    format!("[note] {how_much}; for more: {more}{how}.\n")
}

/// Fenced values cut to `room` characters in all, and how many characters that left out.
fn value_texts(values: &[String], room: usize) -> (Vec<String>, u64) {
    let lengths: Vec<usize> = values.iter().map(|value| value.chars().count()).collect();
    let room = shares(&lengths, room);
    let left_out = lengths.iter().zip(&room).map(|(length, share)| (length - share) as u64).sum();
    (values.iter().zip(&room).map(|(value, share)| head(value, *share).to_owned()).collect(), left_out)
}

fn block(text: &mut String, title: &str, body: &Fenced) {
    if !body.text.is_empty() {
        text.push_str(title);
        text.push('\n');
        text.push_str(body.text.trim_end_matches('\n'));
        text.push('\n');
    }
}

/// What went wrong, in words; nothing when nothing did.
fn ending_text(report: &EvalReport) -> String {
    match &report.ending {
        Ending::Values(_) => String::new(),
        Ending::Error { error, place } => {
            let mut text = error_text("[ERROR]", error);
            text.push_str(&place_text(place, error));
            text
        }
        Ending::Stopped { reason, frames, place } => {
            format!("[ERROR] {}\n{}{}", code(&report.ending), stop_text(*reason, report), frames_text(frames))
                + &form_text(place)
        }
        Ending::Died { death, reason } => {
            let why = match reason {
                Some(StopReason::Killed) => "it was killed by repl_control".to_owned(),
                Some(_) if death.killed => {
                    format!("{}it did not listen to an interrupt and was killed", stop_text_short(*reason, report))
                }
                _ if death.exited => format!("the code ended it: {}", death.status),
                _ => death.status.clone(),
            };
            let next = if report.stopped {
                "Too many images were lost within five minutes, so the session is stopped: repl_control {\"action\": \
                 \"reset\"} starts it again."
            } else {
                "The next call starts a fresh image."
            };
            format!(
                "[ERROR] SESSION_LOST\nThe image of session {:?} is gone ({why}), and its definitions and state with it. \
                 {next}\n",
                report.session
            )
        }
        Ending::NoPackage { name, nearest } => {
            let near = if nearest.is_empty() { String::new() } else { format!(" Nearest: {}.", nearest.join(", ")) };
            format!("[ERROR] BAD_ARGUMENT\nThere is no package {name:?} in this image.{near} Nothing was evaluated.\n")
        }
        Ending::AgentFault(message) => format!(
            "[ERROR] INTERNAL\nThe agent in the image failed: {}\n[note] repl_control {{\"action\": \"reset\"}} gives a \
             fresh image.\n",
            one_line(message, 500)
        ),
    }
}

fn stop_text_short(reason: Option<StopReason>, report: &EvalReport) -> String {
    match reason {
        Some(StopReason::Timeout) => format!("after {:.1} s ", report.duration.as_secs_f64()),
        Some(StopReason::Output) => "after endless output ".to_owned(),
        _ => String::new(),
    }
}

fn stop_text(reason: StopReason, report: &EvalReport) -> String {
    let after = format!("after {:.1} s", report.duration.as_secs_f64());
    let why = match reason {
        StopReason::Timeout => format!("Its time was up {after}; allow more with timeout_seconds"),
        StopReason::Output => "It printed too much; print less, or to a file".to_owned(),
        StopReason::Cancelled => format!("The call was withdrawn {after}"),
        StopReason::Interrupted | StopReason::Killed => format!("It was interrupted by repl_control {after}"),
    };
    format!("The code was interrupted and the session's state is kept. {why}.\n")
}

fn error_text(title: &str, error: &LispError) -> String {
    let mut text = format!("{title} {}\n{}\n", one_line(&error.type_name, 200), fence(&error.message));
    if !error.restarts.is_empty() {
        text.push_str("[Restarts]\n");
        for (name, description) in &error.restarts {
            text.push_str(&format!("{}: {}\n", one_line(name, 60), one_line(description, 200)));
        }
    }
    text.push_str(&frames_text(&error.frames));
    text
}

fn frames_text(frames: &[Frame]) -> String {
    if frames.is_empty() {
        return String::new();
    }
    let mut text = "[Backtrace]\n".to_owned();
    for (number, frame) in frames.iter().enumerate() {
        text.push_str(&format!("{number}: {}", one_line(&frame.call, 220)));
        if let Some(file) = &frame.file {
            let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
            text.push_str(&format!("  {}{line}", one_line(file, 200)));
        }
        text.push('\n');
        for (name, value) in &frame.locals {
            text.push_str(&format!("     {} = {}\n", one_line(name, 60), one_line(value, 160)));
        }
    }
    text
}

fn place_text(place: &Place, error: &LispError) -> String {
    let mut text = String::new();
    if place.phase == Phase::Read {
        let (line, column) = place.start;
        let at = place.at.map(|(line, column)| format!("line {line}, column {column}")).unwrap_or_default();
        let before = match place.index {
            1 => "Nothing was evaluated.".to_owned(),
            2 => "The form before it was evaluated.".to_owned(),
            index => format!("The {} forms before it were evaluated.", index - 1),
        };
        text = if error.unclosed {
            format!(
                "[note] The code ends inside form {}, which starts at line {line}, column {column}: a closing \
                 delimiter is missing. {before}\n",
                place.index
            )
        } else {
            format!("[note] Reading form {} failed at {at} of the code. {before}\n", place.index)
        };
    } else if place.total != Some(1) {
        text.push_str(&form_text(place));
    } else if place.phase == Phase::Print {
        text.push_str("[note] The code ran; printing its values failed.\n");
    }
    if !error.packages.is_empty() {
        text.push_str(&format!("[note] Nearest package: {}.\n", error.packages.join(", ")));
    }
    if error.stdin {
        text.push_str(
            "[note] The standard input of a session is empty; give the code a string to read with \
             (with-input-from-string (*standard-input* \"...\") ...).\n",
        );
    }
    text
}

fn form_text(place: &Place) -> String {
    let total = place.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let (line, _) = place.start;
    let doing = match place.phase {
        Phase::Read => "Reading",
        Phase::Eval => "In",
        Phase::Print => "Printing the values of",
    };
    let text = one_line(&place.text, 120);
    let text = if text.is_empty() { String::new() } else { format!(": {text}") };
    format!("[note] {doing} form {}{total}, line {line}{text}\n", place.index)
}

/// What the caller has to know besides.
fn notes(report: &EvalReport) -> String {
    let mut text = String::new();
    for error in &report.background {
        let thread = one_line(error.thread.as_deref().unwrap_or("unnamed"), 60);
        text.push_str(&error_text(&format!("[thread {thread:?}] ended by an error:"), error));
    }
    for notice in &report.notices {
        text.push_str(&format!("[note] {}\n", one_line(notice, 1000)));
    }
    text
}

/// The stable code of an ending that is not a value.
fn code(ending: &Ending) -> &'static str {
    match ending {
        Ending::Values(_) => "",
        Ending::Error { .. } => "LISP_ERROR",
        Ending::Stopped { reason, .. } => match reason {
            StopReason::Timeout => "TIMEOUT",
            StopReason::Output => "LIMIT",
            StopReason::Cancelled | StopReason::Interrupted | StopReason::Killed => "CANCELLED",
        },
        Ending::Died { .. } => "SESSION_LOST",
        Ending::NoPackage { .. } => "BAD_ARGUMENT",
        Ending::AgentFault(_) => "INTERNAL",
    }
}

fn fields(
    report: &EvalReport,
    values: &[String],
    stdout: &Fenced,
    stderr: &Fenced,
    left_out: u64,
) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("session".into(), report.session.clone().into());
    fields.insert("values".into(), values.into());
    fields.insert("stdout".into(), stdout.text.clone().into());
    fields.insert("stderr".into(), stderr.text.clone().into());
    let warnings = report.warnings.iter().map(|warning| json!({"type": warning.type_name, "message": warning.message}));
    fields.insert("warnings".into(), warnings.collect());
    if let Some(package) = &report.package {
        fields.insert("package".into(), package.clone().into());
    }
    if !matches!(report.ending, Ending::Values(_)) {
        fields.insert("code".into(), code(&report.ending).into());
        fields.insert("message".into(), message(report).into());
        fields.insert("retryable".into(), false.into());
        fields.insert("error".into(), error_fields(report));
    }
    if !report.background.is_empty() {
        let errors = report.background.iter().map(|error| condition_fields(error).into());
        fields.insert("background_errors".into(), Value::Array(errors.collect()));
    }
    if !report.notices.is_empty() {
        fields.insert("notices".into(), report.notices.clone().into());
    }
    if left_out > 0 {
        fields.insert("left_out".into(), left_out.into());
    }
    fields.insert("duration_ms".into(), (report.duration.as_secs_f64() * 1000.0).into());
    fields.insert("execution_status".into(), report.ending.status().as_str().into());
    fields
}

fn message(report: &EvalReport) -> String {
    match &report.ending {
        Ending::Error { error, .. } => error.message.clone(),
        Ending::Stopped { reason, .. } => stop_text(*reason, report).trim_end().to_owned(),
        _ => ending_text(report).lines().skip(1).collect::<Vec<_>>().join("\n"),
    }
}

fn condition_fields(error: &LispError) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("type".into(), error.type_name.clone().into());
    fields.insert("message".into(), error.message.clone().into());
    if let Some(thread) = &error.thread {
        fields.insert("thread".into(), thread.clone().into());
    }
    let restarts = error.restarts.iter().map(|(name, description)| json!({"name": name, "description": description}));
    fields.insert("restarts".into(), restarts.collect());
    fields.insert("frames".into(), frames_fields(&error.frames));
    if !error.packages.is_empty() {
        fields.insert("candidates".into(), error.packages.clone().into());
    }
    fields
}

fn frames_fields(frames: &[Frame]) -> Value {
    let frame = |frame: &Frame| {
        let mut fields = Map::new();
        fields.insert("function".into(), frame.call.clone().into());
        if let Some(file) = &frame.file {
            fields.insert("path".into(), file.clone().into());
        }
        if let Some(line) = frame.line {
            fields.insert("line".into(), line.into());
        }
        if !frame.locals.is_empty() {
            let locals = frame.locals.iter().map(|(name, value)| json!({"name": name, "value": value}));
            fields.insert("locals".into(), locals.collect());
        }
        Value::Object(fields)
    };
    frames.iter().map(frame).collect()
}

fn error_fields(report: &EvalReport) -> Value {
    let (mut fields, place) = match &report.ending {
        Ending::Error { error, place } => (condition_fields(error), Some(place)),
        Ending::Stopped { frames, place, .. } => {
            let mut fields = Map::new();
            fields.insert("type".into(), code(&report.ending).into());
            fields.insert("message".into(), message(report).into());
            fields.insert("frames".into(), frames_fields(frames));
            (fields, Some(place))
        }
        ending => {
            let mut fields = Map::new();
            fields.insert("type".into(), code(ending).into());
            fields.insert("message".into(), message(report).into());
            (fields, None)
        }
    };
    if let Some(place) = place {
        let phase = match place.phase {
            Phase::Read => "read",
            Phase::Eval => "eval",
            Phase::Print => "print",
        };
        let (line, column) = place.at.unwrap_or(place.start);
        fields.insert("phase".into(), phase.into());
        fields.insert("form_index".into(), place.index.into());
        if let Some(total) = place.total {
            fields.insert("form_total".into(), total.into());
        }
        fields.insert("form".into(), place.text.clone().into());
        fields.insert("position".into(), json!({"line": line, "column": column}));
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_runtime_names_the_package_to_install() {
        let error = session_error(SessionError::Missing(Runtime::Sbcl));
        assert_eq!(error.code, "RUNTIME_MISSING");
        assert!(error.message.ends_with("apt-get install sbcl"), "{}", error.message);
    }

    #[test]
    fn a_busy_session_says_how_to_stop_it() {
        let busy = SessionError::Busy { session: "main".into(), running_for: Duration::from_secs(7) };
        let error = session_error(busy);
        assert!(error.retryable);
        assert_eq!(error.fields["next"], "repl_control {\"action\": \"interrupt\", \"session\": \"main\"}");
        assert!(error.message.contains("7 s"), "{}", error.message);
    }
}

//! The words and fields for what an image answered.

use lispwright_runtime::{
    Ending, EvalReport, Frame, LispError, Phase, Place, Printed, Repetition, Return, Runtime, StopReason,
};
use serde_json::{Map, Value, json};

use crate::aside::Aside;
use crate::image_text::{
    Fenced, each_once, ends_of, fence, fence_inside, fence_printed, head, listed, one_line, shares, start_of,
};
use crate::outcome::{Outcome, ToolError};
use crate::refusal::Refusal;
use crate::repl_node::{node_fields, preview_text};
use crate::repl_refused::{not_offered, refusal_error, session_argument};

/// Characters of an answer when none are asked for.
const DEFAULT_OUTPUT: usize = 10_000;

/// Characters of an answer at most.
const MOST_OUTPUT: usize = 40_000;

/// How long an answer may be, in characters.
pub fn output_limit(asked: Option<u32>) -> usize {
    asked.map_or(DEFAULT_OUTPUT, |limit| limit as usize).clamp(200, MOST_OUTPUT)
}

/// A call that ended otherwise than with what it was made for.
pub(crate) fn ended(report: &EvalReport) -> Refusal {
    let Outcome { text, fields, .. } = answer(report, output_limit(None));
    ToolError { code: code(&report.ending), message: text, retryable: false, fields }.into()
}

/// The answer to a call, at most about `limit` characters of it.
pub(crate) fn answer(report: &EvalReport, limit: usize) -> Outcome {
    if let Ending::Refused(refusal) = &report.ending {
        return refusal_error(refusal, &report.session).with("execution_status", "not-executed").into();
    }
    if let Ending::NotOffered { operation } = &report.ending {
        return not_offered(report.runtime, operation).with("execution_status", "not-executed").into();
    }
    let ending = ending_text(report);
    let notes = notes(&Aside::from(report));
    let earlier = earlier_text(report, limit / 4);
    let warnings = each_once(
        report
            .warnings
            .iter()
            .map(|warning| format!("{}: {}", one_line(&warning.type_name, 100), fence(warning.message.trim_end()))),
    );
    let values: Vec<String> = match &report.ending {
        Ending::Values(values) => values.iter().map(|value| fence_inside(&value.text)).collect(),
        _ => Vec::new(),
    };

    let fixed = 600 + [&ending, &notes, &earlier].map(|text| text.chars().count()).iter().sum::<usize>();
    let printed = |output: &Printed| {
        if output.dropped > 0 { usize::MAX / 8 } else { fence_printed(&output.head).chars().count() }
    };
    let value_length = values.iter().map(|value| value.chars().count() + 8).sum();
    let lengths = [printed(&report.stdout), printed(&report.stderr), warnings.chars().count(), value_length];
    let room = shares(&lengths, limit.saturating_sub(fixed).max(limit / 4));

    let stdout = ends_of(&report.stdout, room[0]);
    let stderr = ends_of(&report.stderr, room[1]);
    let warnings = start_of(&warnings, room[2]);
    let (values, values_left_out) = value_texts(&values, room[3]);

    let mut text = still_held_text(report);
    block(&mut text, "[stdout]", &stdout);
    block(&mut text, "[stderr]", &stderr);
    block(&mut text, "[warnings]", &warnings);
    text.push_str(&earlier);
    for value in &values {
        text.push_str("=> ");
        text.push_str(value);
        text.push('\n');
    }
    if matches!(&report.ending, Ending::Values(none) if none.is_empty()) {
        text.push_str("[no values]\n");
    }
    if let Some(object) = &report.object {
        text.push_str(&preview_text(object));
    }
    text.push_str(&ending);
    text.push_str(&notes);
    text.push_str(&kept_text(report));
    let left_out = stdout.left_out + stderr.left_out + warnings.left_out + values_left_out;
    let cut = matches!(&report.ending, Ending::Values(values) if values.iter().any(|value| value.cut));
    if left_out > 0 || cut {
        text.push_str(&left_out_text(report.runtime, left_out, values_left_out > 0 || cut, cut, limit));
    }
    let fields = fields(report, &values, &stdout, &stderr, left_out);
    let is_error = !code(&report.ending).is_empty();
    Outcome { text: text.trim_end().to_owned(), fields, is_error }
}

/// The values of the forms before the last, a line each, at most about `limit` characters.
fn earlier_text(report: &EvalReport, limit: usize) -> String {
    let mut text = String::new();
    let width = (limit / report.earlier.len().max(1)).clamp(40, 500);
    for (index, value) in &report.earlier {
        if text.len() > limit {
            text.push_str("[note] Values of further forms are left out.\n");
            break;
        }
        text.push_str(&format!("[form {index}] => {}\n", one_line(&value.text, width)));
    }
    text
}

fn left_out_text(runtime: Runtime, left_out: u64, of_values: bool, endless: bool, limit: usize) -> String {
    let how_much = match (left_out, endless) {
        (0, _) => "The printed values go on".to_owned(),
        (_, true) => format!("{left_out} characters are left out, and the printed values go on"),
        (_, false) => format!("{left_out} characters are left out"),
    };
    let how = if of_values { runtime.words.part_of_value } else { "Print less, or to a file" };
    let more = if limit < MOST_OUTPUT {
        format!(", or call with max_output_length up to {MOST_OUTPUT}")
    } else {
        String::new()
    };
    format!("[note] {how_much}. {how}{more}.\n")
}

/// Fenced values cut to `room` characters in all, and how many characters that left out.
fn value_texts(values: &[String], room: usize) -> (Vec<String>, u64) {
    let lengths: Vec<usize> = values.iter().map(|value| value.chars().count()).collect();
    let room = shares(&lengths, room);
    let left_out = lengths.iter().zip(&room).map(|(length, share)| (length - share) as u64).sum();
    (values.iter().zip(&room).map(|(value, share)| head(value, *share).to_owned()).collect(), left_out)
}

pub(crate) fn block(text: &mut String, title: &str, body: &Fenced) {
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
            text.push_str(&unreadable_text(error, report));
            text.push_str(&command_text(place, report.runtime));
            text
        }
        Ending::Stopped { reason, frames, place, .. } => {
            format!("[ERROR] {}\n{}{}", code(&report.ending), stop_text(*reason, report), frames_text(frames))
                + &form_text(place)
        }
        Ending::Died { death, reason } if report.theirs => {
            let after = stop_text_short(*reason, report);
            format!(
                "[ERROR] SESSION_LOST\nThe session's connection to the image is gone ({after}{}). What the image has defined it \
                 keeps, if it lives; the session's package, objects and held errors are lost. The next call joins it again.\n",
                death.status
            )
        }
        Ending::Died { death, reason } => {
            let why = match reason {
                Some(StopReason::Killed) => "it was killed by repl_control".to_owned(),
                Some(reason) if reason.is_excess() => format!("{}, so it was killed", death.status),
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
        Ending::Inspected(_)
        | Ending::Expanded { .. }
        | Ending::Described(_)
        | Ending::References(_)
        | Ending::Exports(_)
        | Ending::Held(_)
        | Ending::Loaded { .. }
        | Ending::Tested
        | Ending::Frames { .. }
        | Ending::Locals { .. } => String::new(),
        Ending::Aborted(place) => format!(
            "The held error is given up; its evaluation ended there{}, and the session's state is kept.\n",
            not_run_text(place)
        ),
        Ending::Checkpointed(name) => {
            let argument = session_argument(&report.session);
            format!(
                "The image is kept as checkpoint {name:?}. To go back: repl_control {{\"action\": \"rollback\", \"name\": \
                 \"{name}\"{argument}}}. Files, connections and what other processes did are not kept.\n"
            )
        }
        Ending::Returned { back, asked: true, .. } => format!(
            "Session {:?} is back at checkpoint {:?}, which stays. What was done in the image since is gone; files are as \
             they are.\n",
            report.session, back.name
        ),
        Ending::Returned { back, reason, .. } => format!(
            "[ERROR] SESSION_LOST\nThe image of session {:?} is gone ({}{}). The session is back at checkpoint {:?}; what was \
             done since is lost.\n",
            report.session,
            stop_text_short(*reason, report),
            one_line(&back.status, 200),
            back.name
        ),
        Ending::TrialDied { status, reason } => format!(
            "[ERROR] SESSION_LOST\nThe copy of the image that the trial ran in is gone ({}{}). The session is as it was \
             before.\n",
            stop_text_short(*reason, report),
            one_line(status, 200)
        ),
        Ending::Refused(refusal) => refusal_error(refusal, &report.session).message + "\n",
        Ending::NotOffered { operation } => not_offered(report.runtime, operation).message + "\n",
        Ending::NoPackage { name, nearest } => {
            let near = if nearest.is_empty() { String::new() } else { format!(" Nearest: {}.", listed(nearest)) };
            let next = report.runtime.words.missing_package.replace("NAME", &format!("{name:?}"));
            let said = format!("There is no package {name:?} in this image.{near} Nothing was evaluated. {next}");
            format!("[ERROR] BAD_ARGUMENT\n{}\n", said.trim_end())
        }
        Ending::AgentFault(message) => format!(
            "[ERROR] INTERNAL\nThe agent in the image failed: {}\n[note] repl_control {{\"action\": {}}} gives a \
             fresh {}.\n",
            one_line(message, 500),
            if report.theirs { "\"attach\", \"address\": ..." } else { "\"reset\"" },
            if report.theirs { "session" } else { "image" }
        ),
    }
}

/// Which forms of the code come after the one that was given up.
fn not_run_text(place: &Place) -> String {
    let next = place.index + 1;
    match place.total {
        Some(total) if total == next => {
            format!(" in form {} of {total}, so that form {total} did not run", place.index)
        }
        Some(total) if total > next => {
            format!(" in form {} of {total}, so that forms {next} to {total} did not run", place.index)
        }
        _ => String::new(),
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
        StopReason::Memory => "It took too much memory".to_owned(),
        StopReason::Processes => "It was too many processes".to_owned(),
        StopReason::Cancelled => format!("The call was withdrawn {after}"),
        StopReason::Signal => "It was sent SIGINT, by its own code or another process".to_owned(),
        StopReason::Interrupted | StopReason::Killed => format!("It was interrupted by repl_control {after}"),
    };
    let became = if report.runs_on { "was told to stop and goes on;" } else { "was interrupted and" };
    format!("The code {became} the session's state is kept. {why}.\n")
}

pub(crate) fn error_text(title: &str, error: &LispError) -> String {
    let mut text = format!("{title} {}\n{}\n", one_line(&error.type_name, 200), fence(&error.message));
    text.push_str(&restarts_text(&error.restarts, error.kept));
    text.push_str(&frames_text(&error.frames));
    text
}

/// Restarts with what they do; with their numbers when they can be taken.
pub(crate) fn restarts_text(restarts: &[(String, String)], numbered: bool) -> String {
    let mut text = String::new();
    if !restarts.is_empty() {
        text.push_str("[Restarts]\n");
    }
    for (number, (name, description)) in restarts.iter().enumerate() {
        let number = if numbered { format!("{number}: ") } else { String::new() };
        text.push_str(&format!("{number}{}: {}\n", one_line(name, 60), one_line(description, 200)));
    }
    text
}

/// How many errors, in words.
pub(crate) fn errors_text(count: u32) -> String {
    if count == 1 { "1 error".to_owned() } else { format!("{count} errors") }
}

/// The stack of this very answer is held.
fn is_kept(report: &EvalReport) -> bool {
    match &report.ending {
        Ending::Error { error, .. } => error.kept,
        Ending::Stopped { kept, .. } => *kept,
        _ => false,
    }
}

/// What stands first when something that was held before is held still.
fn still_held_text(report: &EvalReport) -> String {
    let below = report.held - u32::from(is_kept(report) && report.held > 0);
    if below == 0 {
        return String::new();
    }
    let argument = session_argument(&report.session);
    format!(
        "[held] {} held beneath this; it ran on top. To leave: repl_control {{\"action\": \"abort\"{argument}}}, or take one of its \
         restarts.\n",
        if below == 1 { "1 error is".to_owned() } else { format!("{below} errors are") }
    )
}

/// What can be done with a stack that is held now.
fn kept_text(report: &EvalReport) -> String {
    if !is_kept(report) {
        return String::new();
    }
    let argument = session_argument(&report.session);
    format!(
        "[held] The stack is kept (level {}). repl_control {{\"action\": A{argument}}} with A = frames, locals or eval_in_frame \
         (\"frame\": N) to look, restart (\"restart\": NAME, \"code\": its values) to go on, abort to give up.\n",
        report.held
    )
}

/// The frames, innermost first.
pub(crate) fn frames_text(frames: &[Frame]) -> String {
    if frames.is_empty() {
        return String::new();
    }
    let mut text = "[Backtrace]\n".to_owned();
    for frame in frames {
        text.push_str(&frame_line(frame));
        for (name, value) in &frame.locals {
            text.push_str(&format!("     {} = {}\n", one_line(name, 60), one_line(value, 160)));
        }
        if let Some(repeated) = frame.repeated {
            text.push_str(&repeated_line(repeated));
        }
    }
    text
}

/// What is said of the frames that are left out after one.
fn repeated_line(repeated: Repetition) -> String {
    let at_least = if repeated.at_least { "at least " } else { "" };
    let times = thousands(repeated.times);
    match repeated.frames {
        1 => format!("   ... {at_least}{times} more like it\n"),
        frames => format!("   ... {at_least}{times} more times these {frames}\n"),
    }
}

/// A number with a comma after each three digits.
fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// A frame's number, call and source on one line.
pub(crate) fn frame_line(frame: &Frame) -> String {
    let mut line = format!("{}: {}", frame.number, one_line(&frame.call, 220));
    if let Some(file) = &frame.file {
        let at: String = [frame.line, frame.column].iter().flatten().map(|number| format!(":{number}")).collect();
        line.push_str(&format!("  {}{at}", one_line(file, 200)));
    }
    line + "\n"
}

fn place_text(place: &Place, error: &LispError) -> String {
    let mut text = String::new();
    if place.phase == Phase::Read {
        let (line, column) = place.start;
        let at = place.at.map(|(line, column)| format!("line {line}, column {column}")).unwrap_or_default();
        let before = match place.index {
            0 | 1 => "Nothing was evaluated.".to_owned(),
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
            let macros = if error.frames.is_empty() || error.unreadable {
                ""
            } else {
                "[note] It failed in a reader macro of this session's. When nothing can be read any more, repl_control {\"action\": \
                 \"reset\"} gives a fresh image.\n"
            };
            format!("[note] Reading form {} failed at {at} of the code. {before}\n{macros}", place.index)
        };
    } else if place.total != Some(1) {
        text.push_str(&form_text(place));
    } else if place.phase == Phase::Print {
        text.push_str("[note] The code ran; printing its values failed.\n");
    }
    if !error.packages.is_empty() {
        text.push_str(&format!("[note] Nearest package: {}.\n", listed(&error.packages)));
    }
    if let Some(digits) = digits_unbound(error) {
        text.push_str(&format!(
            "[note] {digits} is read as a symbol, since *read-base* was changed in this session: (setf *read-base* #10r10) makes \
             it a number again.\n"
        ));
    }
    if error.stdin {
        text.push_str(
            "[note] The standard input of a session is empty; give the code a string to read with \
             (with-input-from-string (*standard-input* \"...\") ...).\n",
        );
    }
    text
}

/// How to go on where no code can be read any more.
fn unreadable_text(error: &LispError, report: &EvalReport) -> String {
    if !error.unreadable {
        return String::new();
    }
    let argument = session_argument(&report.session);
    let next = match report.theirs {
        true => format!("detach and attach again gives a fresh one: repl_control {{\"action\": \"detach\"{argument}}}"),
        false => format!("a fresh image has a good one: repl_control {{\"action\": \"reset\"{argument}}}"),
    };
    format!("[note] Code has changed the session's readtable, which reads no lists any more; {next}.\n")
}

/// What stands for a command of the prompt that people know the runtime by, such as `,time (f)` of Guile's.
fn command_text(place: &Place, runtime: Runtime) -> String {
    let command = runtime.words.prompt_command.filter(|(beginning, _)| place.text.starts_with(beginning));
    command.map(|(_, instead)| format!("[note] {instead}\n")).unwrap_or_default()
}

/// The digits that Common Lisp took for the name of a variable.
fn digits_unbound(error: &LispError) -> Option<&str> {
    let (_, rest) = error.message.split_once('|').filter(|_| error.type_name.ends_with("UNBOUND-VARIABLE"))?;
    let (name, _) = rest.split_once('|')?;
    (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

fn form_text(place: &Place) -> String {
    if place.index == 0 {
        // What ran was no code of the call.
        return String::new();
    }
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
pub fn notes(aside: &Aside) -> String {
    let mut text = String::new();
    for error in &aside.background {
        let thread = one_line(error.thread.as_deref().unwrap_or("unnamed"), 60);
        let became =
            if aside.theirs { "waits in the debugger of the image with an error" } else { "ended by an error" };
        text.push_str(&error_text(&format!("[thread {thread:?}] {became}:"), error));
    }
    if aside.runs_on {
        let argument = session_argument(&aside.session);
        let last = match aside.theirs {
            true => "only its owner can".to_owned(),
            false => format!("a fresh image does: repl_control {{\"action\": \"reset\"{argument}}}"),
        };
        text.push_str(&format!(
            "[note] Interrupted code still runs in the image. nREPL ends it by force within five seconds, unless it catches \
             that, too; then {last}.\n"
        ));
    }
    for notice in &aside.notices {
        text.push_str(&format!("[note] {}\n", one_line(notice, 1000)));
    }
    text
}

/// The stable code of an ending that is not a value.
fn code(ending: &Ending) -> &'static str {
    match ending {
        Ending::Values(_)
        | Ending::Inspected(_)
        | Ending::Expanded { .. }
        | Ending::Described(_)
        | Ending::References(_)
        | Ending::Exports(_)
        | Ending::Held(_)
        | Ending::Loaded { .. }
        | Ending::Tested
        | Ending::Frames { .. }
        | Ending::Locals { .. }
        | Ending::Aborted(_) => "",
        Ending::Error { .. } => "LISP_ERROR",
        Ending::Stopped { reason, .. } => match reason {
            StopReason::Timeout => "TIMEOUT",
            StopReason::Output => "LIMIT",
            StopReason::Memory | StopReason::Processes => "LIMIT",
            StopReason::Cancelled | StopReason::Interrupted | StopReason::Signal | StopReason::Killed => "CANCELLED",
        },
        Ending::Checkpointed(_) | Ending::Returned { asked: true, .. } => "",
        Ending::Died { .. } | Ending::Returned { .. } | Ending::TrialDied { .. } => "SESSION_LOST",
        Ending::Refused(refusal) => refusal_error(refusal, "").code,
        Ending::NotOffered { .. } => "UNSUPPORTED",
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
    if let Some(object) = &report.object {
        fields.insert("result_object_id".into(), object.id.into());
        fields.insert("result_preview".into(), Value::Object(node_fields(object)));
    }
    if let Some(package) = &report.package {
        fields.insert("package".into(), package.clone().into());
    }
    if !code(&report.ending).is_empty() {
        fields.insert("code".into(), code(&report.ending).into());
        fields.insert("message".into(), message(report).into());
        fields.insert("retryable".into(), false.into());
        fields.insert("error".into(), error_fields(report));
    }
    if !report.earlier.is_empty() {
        let earlier = report.earlier.iter().map(|(index, value)| json!({"form": index, "value": value.text}));
        fields.insert("earlier_values".into(), earlier.collect());
    }
    if !report.background.is_empty() {
        let errors = report.background.iter().map(|error| condition_fields(error).into());
        fields.insert("background_errors".into(), Value::Array(errors.collect()));
    }
    if !report.notices.is_empty() {
        fields.insert("notices".into(), report.notices.clone().into());
    }
    if let Ending::Checkpointed(name) | Ending::Returned { back: Return { name, .. }, .. } = &report.ending {
        fields.insert("checkpoint".into(), name.clone().into());
    }
    if report.held > 0 {
        fields.insert("held".into(), report.held.into());
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
    fields.insert("restarts".into(), restarts_fields(&error.restarts));
    fields.insert("frames".into(), frames_fields(&error.frames));
    if !error.packages.is_empty() {
        fields.insert("candidates".into(), error.packages.clone().into());
    }
    fields
}

/// Restarts as fields.
pub(crate) fn restarts_fields(restarts: &[(String, String)]) -> Value {
    restarts.iter().map(|(name, description)| json!({"name": name, "description": description})).collect()
}

fn frames_fields(frames: &[Frame]) -> Value {
    frames.iter().map(frame_fields).collect()
}

/// A frame as fields.
pub(crate) fn frame_fields(frame: &Frame) -> Value {
    let mut fields = Map::new();
    fields.insert("index".into(), frame.number.into());
    fields.insert("function".into(), frame.call.clone().into());
    if let Some(file) = &frame.file {
        fields.insert("path".into(), file.clone().into());
    }
    if let Some(line) = frame.line {
        fields.insert("line".into(), line.into());
    }
    if let Some(column) = frame.column {
        fields.insert("column".into(), column.into());
    }
    if !frame.locals.is_empty() {
        let locals = frame.locals.iter().map(|(name, value)| json!({"name": name, "value": value}));
        fields.insert("locals".into(), locals.collect());
    }
    if let Some(repeated) = frame.repeated {
        let times = json!({"frames": repeated.frames, "times": repeated.times, "at_least": repeated.at_least});
        fields.insert("repeated".into(), times);
    }
    Value::Object(fields)
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

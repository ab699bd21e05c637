//! Evaluations that end without values: errors, interrupts, images that died.

use lispwright_runtime::{CurrentForm, Ending, EvalReport, LispError, Loading, MAIN, Phase, Runtime, StopReason};
use lispwright_tools::image_text::{listed, one_line};

use crate::Skin;
use crate::call::{control, template};
use crate::stack::{error_text, frames_text};

/// The stable code of the failure and a description of it; empty if the answer is a value.
pub(crate) fn text(report: &EvalReport, code: Option<&str>, skin: Skin) -> String {
    let session = &report.session;
    let said = match &report.ending {
        Ending::Error { error, place } => {
            return error_text("[ERROR]", error)
                + &place_text(place, error, report, skin)
                + &unreadable_text(error, report, skin)
                + &command_text(place, report.runtime, skin);
        }
        Ending::Stopped { frames, place, .. } => {
            stopped(report, skin) + "\n" + &frames_text(frames) + &form_text(place)
        }
        Ending::Died { death, reason } if report.theirs => {
            let after = after(*reason, report);
            format!(
                "The session's connection to the image is gone ({after}{}). What the image has defined it keeps, if it lives; \
                 the session's package, objects and held errors are lost. The next call joins it again.\n",
                death.status
            )
        }
        Ending::Died { death, reason } => {
            let why = match reason {
                Some(StopReason::Killed) if skin == Skin::Client => "it was killed by repl_control".to_owned(),
                Some(reason) if reason.is_excess() => format!("{}, so it was killed", death.status),
                Some(_) if death.killed => {
                    format!("{}it did not listen to an interrupt and was killed", after(*reason, report))
                }
                _ if death.exited => format!("the code ended it: {}", death.status),
                _ => death.status.clone(),
            };
            let next = match control(session, "reset", skin) {
                None => String::new(),
                Some(reset) if report.stopped => format!(
                    " Too many images were lost within five minutes, so the session is stopped: {reset} starts it again."
                ),
                Some(_) => " The next call starts a fresh image.".to_owned(),
            };
            format!("The image of session {session:?} is gone ({why}), and its definitions and state with it.{next}\n")
        }
        Ending::Aborted(place) => format!(
            "The held error is given up; its evaluation ended there{}, and the session's state is kept.\n",
            not_run_text(place)
        ),
        Ending::Checkpointed(name) => {
            let arguments = format!("\"action\": \"rollback\", \"name\": \"{name}\"");
            let back = template("repl_control", &arguments, session, skin);
            let back = back.map(|call| format!(" To go back: {call}.")).unwrap_or_default();
            format!(
                "The image is kept as checkpoint {name:?}.{back} Files, connections and what other processes did are not \
                 kept.\n"
            )
        }
        Ending::Returned { back, asked: true, .. } => format!(
            "Session {session:?} is back at checkpoint {:?}, which stays. What was done in the image since is gone; files are \
             as they are.\n",
            back.name
        ),
        Ending::Returned { back, reason, .. } => format!(
            "The image of session {session:?} is gone ({}{}). The session is back at checkpoint {:?}; what was done since is \
             lost.\n",
            after(*reason, report),
            one_line(&back.status, 200),
            back.name
        ),
        Ending::TrialDied { status, reason } => format!(
            "The copy of the image that the trial ran in is gone ({}{}). The session is as it was before.\n",
            after(*reason, report),
            one_line(status, 200)
        ),
        Ending::NoPackage { name, nearest } => {
            let near = if nearest.is_empty() { String::new() } else { format!(" Nearest: {}.", listed(nearest)) };
            let words = &report.runtime.words;
            let load = words.loading.as_ref().and_then(|loading| {
                let (arguments, what) = match loading {
                    Loading::ByName(what) => (format!("\"system\": {name:?}"), what),
                    Loading::ByFile(what) => ("\"path\": FILE".to_owned(), what),
                };
                let call = template("load_system", &arguments, MAIN, skin)?;
                Some(format!("{call} loads {what}."))
            });
            let load = load.unwrap_or_default();
            let said = format!("There is no {} {name:?} in this image.{near} Nothing was evaluated.", words.package);
            let said = [&said, words.missing_package, &load].into_iter().filter(|part| !part.is_empty());
            format!("{}\n", said.collect::<Vec<_>>().join(" "))
        }
        Ending::AgentFault(message) => {
            let (action, what) = match report.theirs {
                true => ("\"action\": \"attach\", \"address\": ...", "session"),
                false => ("\"action\": \"reset\"", "image"),
            };
            let next = template("repl_control", action, session, skin);
            let next = next.map(|call| format!("[note] {call} gives a fresh {what}.\n")).unwrap_or_default();
            format!("The agent in the image failed: {}\n{next}", one_line(message, 500))
        }
        _ => return String::new(),
    };
    code_line(code) + &said
}

/// The first line of a failure.
pub(crate) fn code_line(code: Option<&str>) -> String {
    code.map(|code| format!("[ERROR] {code}\n")).unwrap_or_default()
}

/// The failure in one message, without its code.
pub(crate) fn message(report: &EvalReport, skin: Skin) -> String {
    match &report.ending {
        Ending::Error { error, .. } => error.message.clone(),
        Ending::Stopped { .. } => stopped(report, skin),
        _ => text(report, None, skin).trim_end().to_owned(),
    }
}

/// The forms of the code that did not run, after the one that was given up.
fn not_run_text(place: &CurrentForm) -> String {
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

/// The time, or the event, after which something ended.
fn after(reason: Option<StopReason>, report: &EvalReport) -> String {
    match reason {
        Some(StopReason::Timeout) => format!("after {:.1} s ", report.duration.as_secs_f64()),
        Some(StopReason::Output) => "after endless output ".to_owned(),
        _ => String::new(),
    }
}

/// The reason for which running code was stopped.
fn stopped(report: &EvalReport, skin: Skin) -> String {
    let Ending::Stopped { reason, .. } = &report.ending else { return String::new() };
    let after = format!("after {:.1} s", report.duration.as_secs_f64());
    let why = match (reason, skin) {
        (StopReason::Timeout, Skin::Client | Skin::Surface(_)) => {
            format!("Its time was up {after}; allow more with timeout_seconds")
        }
        (StopReason::Timeout, Skin::Shell) => format!("Its time was up {after}; allow more with --timeout"),
        (StopReason::Output, _) => "It printed too much; print less, or to a file".to_owned(),
        (StopReason::Memory, _) => "It took too much memory".to_owned(),
        (StopReason::Processes, _) => "It had too many processes".to_owned(),
        (StopReason::Cancelled, _) => format!("The call was withdrawn {after}"),
        (StopReason::Signal, _) => "It was sent SIGINT, by its own code or another process".to_owned(),
        (StopReason::Interrupted | StopReason::Killed, Skin::Client) => {
            format!("It was interrupted by repl_control {after}")
        }
        (StopReason::Interrupted | StopReason::Killed, Skin::Shell | Skin::Surface(_)) => {
            format!("It was interrupted {after}")
        }
    };
    let became = if report.runs_on { "was asked to stop and goes on;" } else { "was interrupted and" };
    format!("The code {became} the session's state is kept. {why}.")
}

/// The place of an error in the code, and the hints that belong to its kind.
fn place_text(place: &CurrentForm, error: &LispError, report: &EvalReport, skin: Skin) -> String {
    let (session, runtime) = (&report.session, report.runtime);
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
            let reset = control(session, "reset", skin);
            let reset = reset.map(|call| format!(" When nothing can be read any more, {call} gives a fresh image."));
            let macros = if error.frames.is_empty() || error.unreadable {
                String::new()
            } else {
                format!("[note] It failed in a reader macro of this session.{}\n", reset.unwrap_or_default())
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
        text.push_str(&format!(
            "[note] The standard input of a session is empty; give the code a string to read with {}.\n",
            runtime.words.input
        ));
    }
    text
}

/// The call that helps when the session can read no code any more.
fn unreadable_text(error: &LispError, report: &EvalReport, skin: Skin) -> String {
    if !error.unreadable {
        return String::new();
    }
    let action = if report.theirs { "detach" } else { "reset" };
    let next = match (control(&report.session, action, skin), report.theirs) {
        (None, _) => String::new(),
        (Some(call), true) => format!("; detach and attach again gives a fresh one: {call}"),
        (Some(call), false) => format!("; a fresh image has a good one: {call}"),
    };
    format!("[note] Code has changed the session's readtable, and code can no longer be read as usual{next}.\n")
}

/// The equivalent of a command of the runtime's own prompt, such as Guile's `,time (f)`.
fn command_text(place: &CurrentForm, runtime: Runtime, skin: Skin) -> String {
    let Some(prompt) = runtime.words.prompt.as_ref().filter(|prompt| place.text.starts_with(prompt.mark)) else {
        return String::new();
    };
    let tools = match skin {
        Skin::Client => format!("; {} and {} are macroexpand and code_describe", prompt.expand, prompt.describe),
        Skin::Shell | Skin::Surface(_) => String::new(),
    };
    format!("[note] {}{tools}.\n", prompt.in_code)
}

/// The digits that Common Lisp took for the name of a variable.
fn digits_unbound(error: &LispError) -> Option<&str> {
    let (_, rest) = error.message.split_once('|').filter(|_| error.type_name.ends_with("UNBOUND-VARIABLE"))?;
    let (name, _) = rest.split_once('|')?;
    (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

fn form_text(place: &CurrentForm) -> String {
    if place.index == 0 {
        // The error is not in code of the call.
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

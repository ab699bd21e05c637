//! A transcript: every evaluation with its answer, every edit of a file, and every action on a session, appended to a
//! file that a person can read, and a Lisp as well.
//!
//! An entry is a line of `;;;` with the time, the caller, and the session and its runtime, or the file; the code; the
//! answer in lines of `;`; and a line of `;;;` with the result. Each call of a client has a line with what it cost (`cost.rs`). So the file, read as source, is the code alone. Code
//! that does not balance, or that did not run in the session's own image (a trial, a frame of a held error), is
//! commented out with `;|`.
//!
//! A thread of its own writes the entries in their order: no call waits for the disk, and a disk that fails costs only
//! entries.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lispwright_edit::check;
use lispwright_project::AppendFile;
use lispwright_runtime::{Ending, EvalReport, LoadTarget, Request, RestartName, Runtime};
use lispwright_syntax::{Dialect, head};
use lispwright_tools::arguments::AnswerWish;
use lispwright_tools::eval_answer::EvalAnswer;
use lispwright_tools::fs_write_file::WriteAnswer;
use lispwright_tools::image_text::one_line;
use lispwright_tools::lisp_edit_form::EditAnswer;
use lispwright_tools::{Answer, Event, Observer, Refusal, Reply, SessionAct};

use crate::cost::call_line;
use crate::{Skin, evaluated, render, render_as};

/// Characters of an answer that are kept.
const ANSWER: usize = 8_000;

/// Characters of code that are kept.
const CODE: usize = 64 * 1024;

/// Entries that may wait for the disk.
const MOST_WAITING: usize = 1_000;

/// Adds entries to a file. Clones add to the same file.
#[derive(Clone, Debug)]
pub struct Transcript {
    writer: Arc<Writer>,
    /// The reader for whom answers are worded.
    skin: Skin,
}

#[derive(Debug)]
struct Writer {
    /// `None` after [`Transcript::finish`].
    entries: Mutex<Option<SyncSender<String>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Transcript {
    /// Opens the file, and creates it if it is missing. Answers are worded for `skin`.
    pub fn open(path: &Path, skin: Skin) -> Result<Self, lispwright_project::Error> {
        let file = AppendFile::open(path)?;
        let (sender, entries) = sync_channel(MOST_WAITING);
        let shown = path.display().to_string();
        let thread = std::thread::spawn(move || write(&file, &entries, &shown));
        let writer = Writer { entries: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) };
        Ok(Self { writer: Arc::new(writer), skin })
    }

    /// Waits until every entry is written; later ones are dropped.
    pub fn finish(&self) {
        drop(self.writer.entries.lock().unwrap_or_else(PoisonError::into_inner).take());
        if let Some(thread) = self.writer.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join();
        }
    }

    fn add(&self, entry: String) {
        if let Some(entries) = &*self.writer.entries.lock().unwrap_or_else(PoisonError::into_inner)
            && let Err(TrySendError::Full(_)) = entries.try_send(entry)
        {
            tracing::warn!("an entry of the transcript is lost: the file takes them too slowly");
        }
    }
}

impl Observer for Transcript {
    /// Requests are recorded once they are answered; of those that only look, the cost alone.
    fn observe(&self, caller: Option<&str>, event: &Event<'_>) {
        let caller = line_of(caller.unwrap_or("unknown client"));
        let (session, began, what, code, outcome) = match event {
            Event::Asked { .. } => return,
            Event::Called { tool, client, arguments, received, began } => {
                let took = began.elapsed().unwrap_or_default().as_secs_f64() * 1000.0;
                self.add(call_line(tool, *client, arguments, *received, took));
                return;
            }
            Event::Answered { session, request, began, answered: result } => {
                let Some((what, code)) = asked(request) else { return };
                (*session, *began, what, code, answered(*result, self.skin))
            }
            Event::SessionChanged { session, act, began, reply } => {
                let outcome = replied((*reply).clone(), *began, self.skin);
                (*session, *began, format!(", {}", act_text(*act)), None, outcome)
            }
            Event::FilesChanged { began, what, answer } => {
                let outcome = replied(Ok(Answer::clone(answer)), *began, self.skin);
                ("the project", *began, format!(", {what}"), None, outcome)
            }
            Event::FileChanged { began, answer } => {
                let outcome = replied(Ok(EditAnswer::clone(answer).into()), *began, self.skin);
                (answer.path.as_str(), *began, ", edit".to_owned(), None, outcome)
            }
            Event::FileWritten { began, answer } => {
                let outcome = replied(Ok(WriteAnswer::clone(answer).into()), *began, self.skin);
                (answer.path.as_str(), *began, ", written as a whole".to_owned(), None, outcome)
            }
        };
        let runtime = outcome.runtime.map(|runtime| format!(" ({runtime})")).unwrap_or_default();
        let mut text = format!("\n;;; {}  {caller}  {}{runtime}{what}\n", timestamp(began), line_of(session));
        if let Some((code, is_plain)) = code {
            push_code(&mut text, code, is_plain, outcome.runtime);
        }
        push_lines(&mut text, ";", &outcome.answer);
        text.push_str(&format!(";;; {}\n", outcome.status));
        self.add(text);
    }
}

/// The result of something.
struct Recorded {
    /// The answer to the caller.
    answer: String,
    /// The last line of the entry.
    status: String,
    /// The runtime of the session, if it is known.
    runtime: Option<Runtime>,
}

fn answered(answered: Result<&EvalReport, &Refusal>, skin: Skin) -> Recorded {
    match answered {
        Ok(report) => {
            let status = match &report.ending {
                Ending::Error { .. } => "error",
                ending => ending.status().as_str(),
            };
            let package = report.package.as_ref().map(|package| format!(", now in {}", line_of(package)));
            let status = format!("{status}, {}{}", milliseconds(report.duration), package.unwrap_or_default());
            Recorded { answer: answer_text(report, skin), status, runtime: Some(report.runtime) }
        }
        Err(refusal) => {
            let answer = render(Err(refusal.clone()), skin).text;
            Recorded { answer, status: "not-executed".to_owned(), runtime: None }
        }
    }
}

/// The result of something that no image was asked to do.
fn replied(reply: Reply, began: SystemTime, skin: Skin) -> Recorded {
    let status = if reply.is_ok() { "completed" } else { "not-executed" };
    let status = format!("{status}, {}", milliseconds(began.elapsed().unwrap_or_default()));
    // Its reader has not sent the text.
    let answer = render_as(reply, skin, AnswerWish { detail: true, ..AnswerWish::default() }).text;
    Recorded { answer: head(&answer, ANSWER).0.to_owned(), status, runtime: None }
}

/// An action on a session.
fn act_text(act: SessionAct<'_>) -> String {
    match act {
        SessionAct::Start => "start".to_owned(),
        SessionAct::Interrupt => "interrupt".to_owned(),
        SessionAct::Kill => "kill".to_owned(),
        SessionAct::Reset => "reset".to_owned(),
        SessionAct::Attach(Some(address)) => format!("attach to {}", line_of(address)),
        SessionAct::Attach(None) => "attach".to_owned(),
        SessionAct::Detach => "detach".to_owned(),
    }
}

/// Writes entries until the last sender is gone; logs the first failure only.
fn write(file: &AppendFile, entries: &Receiver<String>, path: &str) {
    let mut complained = false;
    for entry in entries {
        if let Err(error) = file.append(&entry)
            && !std::mem::replace(&mut complained, true)
        {
            tracing::error!("the transcript {path} cannot be written: {error}");
        }
    }
}

/// The request in words for the first line, and its code with whether it runs in the session's own image.
fn asked(request: &Request) -> Option<(String, Option<(&str, bool)>)> {
    let target = |target: &LoadTarget| match target {
        LoadTarget::Path(path) => line_of(path),
        LoadTarget::System(name) => line_of(name),
    };
    Some(match request {
        Request::Eval(eval) => {
            let package = eval.package.as_ref().map(|package| format!(", in {}", line_of(package)));
            let trial = if eval.trial { ", a trial" } else { "" };
            (format!("{}{trial}", package.unwrap_or_default()), Some((eval.code.as_str(), !eval.trial)))
        }
        Request::EvalInFrame { frame, code } => {
            (format!(", in frame {frame} of the held error"), Some((code.code.as_str(), false)))
        }
        Request::Restart { restart, values, .. } => {
            let name = match restart {
                RestartName::Number(number) => number.to_string(),
                RestartName::Name(name) => line_of(name),
            };
            (format!(", restart {name}"), values.as_deref().map(|values| (values, false)))
        }
        Request::Load { target: what, .. } => (format!(", load {}", target(what)), None),
        Request::RunTests { target: what, .. } => (format!(", run the tests of {}", target(what)), None),
        Request::Checkpoint(name) => (format!(", checkpoint {}", line_of(name)), None),
        Request::Rollback(name) => (format!(", roll back to {}", line_of(name.as_deref().unwrap_or("the last"))), None),
        Request::Abort => (", abort the held error".to_owned(), None),
        _ => return None,
    })
}

/// Adds the code; as comments if it would not read as the code that ran.
fn push_code(text: &mut String, code: &str, is_plain: bool, runtime: Option<Runtime>) {
    let (code, left) = head(code, CODE);
    let is_whole = left == 0;
    let dialect = runtime.map_or(Dialect::CommonLisp, |runtime| runtime.dialect);
    if is_plain && is_whole && runtime.is_some() && check(code, dialect).diagnosis.is_none() {
        text.push_str(code.trim_end());
        text.push('\n');
    } else {
        push_lines(text, ";|", code.trim_end());
    }
    if !is_whole {
        text.push_str(";| ... and more\n");
    }
}

fn push_lines(text: &mut String, mark: &str, lines: &str) {
    for line in lines.lines().map(str::trim_end) {
        let blank = if line.is_empty() { "" } else { " " };
        text.push_str(&format!("{mark}{blank}{line}\n"));
    }
}

/// The answer of the image, as a caller gets it.
fn answer_text(report: &EvalReport, skin: Skin) -> String {
    let mut text = match EvalAnswer::of(report.clone(), ANSWER) {
        Ok(answer) => evaluated::text(&answer, skin).trim_end().to_owned(),
        Err(refusal) => render(Err(refusal), skin).text,
    };
    let mut say = |line: String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    };
    match &report.ending {
        Ending::Loaded { unchanged: true, .. } => say("unchanged since it was loaded".to_owned()),
        Ending::Loaded { unchanged: false, .. } => say("loaded".to_owned()),
        _ => {}
    }
    if let Some(tests) = &report.tests {
        say(format!("{} passed, {} failed, {} pending", tests.passed, tests.failed, tests.pending));
        for failed in tests.failed_tests.iter().take(20) {
            say(format!("failed: {}: {}", line_of(&failed.name), line_of(&failed.reason)));
        }
    }
    for diagnostic in report.diagnostics.iter().take(20) {
        let file = diagnostic.file.as_deref().unwrap_or("");
        let line = diagnostic.line.map(|line| format!(":{line}")).unwrap_or_default();
        say(format!("{file}{line}: {}: {}", diagnostic.severity, line_of(&diagnostic.message)));
    }
    text
}

/// A text on one line, at most 200 characters of it.
fn line_of(text: &str) -> String {
    one_line(text, 200)
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.1} ms", duration.as_secs_f64() * 1000.0)
}

/// A time in UTC in the form of RFC 3339, to the millisecond.
pub fn timestamp(moment: SystemTime) -> String {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs();
    // Days are counted in eras of 400 years that begin in March, so that a leap day is the last day of its year.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", since.subsec_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        let at = |seconds: u64| timestamp(UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7));
        assert_eq!(at(0), "1970-01-01T00:00:00.007Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.007Z");
        assert_eq!(at(1_709_251_199), "2024-02-29T23:59:59.007Z");
        assert_eq!(at(1_735_689_599), "2024-12-31T23:59:59.007Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.007Z");
    }

    #[test]
    fn only_code_that_reads_as_it_ran_is_not_commented_out() {
        let pushed = |code: &str, is_plain, runtime| {
            let mut text = String::new();
            push_code(&mut text, code, is_plain, runtime);
            text
        };
        assert_eq!(pushed("(f)\n(g)\n", true, Runtime::named("sbcl")), "(f)\n(g)\n");
        assert_eq!(pushed("(f\n(g)", true, Runtime::named("sbcl")), ";| (f\n;| (g)\n");
        assert_eq!(pushed("[1 2}", true, Runtime::named("clojure")), ";| [1 2}\n");
        assert_eq!(pushed("(f)", false, Runtime::named("guile")), ";| (f)\n");
        assert_eq!(pushed("(f)", true, None), ";| (f)\n");
        let long = format!("(list {})", "a ".repeat(CODE));
        let kept = pushed(&long, true, Runtime::named("sbcl"));
        assert!(kept.starts_with(";| (list a") && kept.ends_with(";| ... and more\n") && kept.len() < CODE + 100);
    }
}

//! The result of a call that ran code in an image: values and output, or the failure.
//!
//! An answer has a limited size. [`EvalAnswer::of`] shares it among the parts that can be long and counts the omitted
//! part.

use std::sync::Arc;

use lispwright_runtime::{CurrentForm, Ending, EvalReport, Frame, LispError, Phase, Printed, Repetition, Return};
use lispwright_syntax::head;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::fields;
use crate::codes;
use crate::image_text::{Fenced, each_once, ends_of, fence, fence_inside, fence_printed, one_line, shares};
use crate::object::Object;
use crate::refusal::Refusal;
use crate::unbound::Unbound;

/// Characters of an answer by default.
const DEFAULT_OUTPUT: usize = 10_000;

/// Characters of an answer at most.
pub const MOST_OUTPUT: usize = 40_000;

/// Characters of the sentences about an ending, without text of the image.
const SENTENCES: usize = 600;

/// Characters of a notice, about.
const NOTICE: usize = 300;

/// The size limit of an answer, in characters.
pub fn output_limit(asked: Option<u32>) -> usize {
    asked.map_or(DEFAULT_OUTPUT, |limit| limit as usize).clamp(200, MOST_OUTPUT)
}

/// The result of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvalAnswer {
    /// The session.
    pub session: String,
    /// The values of the last form, cut to the room for them.
    pub values: Vec<String>,
    /// Printed text on standard output.
    pub stdout: String,
    /// Printed text on standard error.
    pub stderr: String,
    /// Warnings of the compiler and of the code.
    pub warnings: Vec<WarningFacts>,
    /// The number of the first value, if it has parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_object_id: Option<i64>,
    /// A preview of that value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_preview: Option<Object>,
    /// The session's package after the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The stable code of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// After a failure: the same call can succeed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// The failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorFacts>,
    /// Values of the forms before the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier_values: Vec<EarlierValue>,
    /// Errors of other threads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub background_errors: Vec<ErrorFacts>,
    /// Events of the session, in the words of the skin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The checkpoint that was made, or to which the session has returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// The number of held stacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<u32>,
    /// The number of omitted characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
    /// Its duration.
    pub duration_ms: f64,
    /// The status of the code.
    pub execution_status: &'static str,
    /// Names that the error says are not bound and that a file defines which is not loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unbound: Vec<Unbound>,
    /// The full answer of the image.
    #[serde(skip)]
    pub report: EvalReport,
    /// The warnings, each once, cut to the room for them.
    #[serde(skip)]
    pub told_warnings: String,
    /// The size limit of the answer, in characters.
    #[serde(skip)]
    pub limit: usize,
    /// The values are incomplete.
    #[serde(skip)]
    pub are_values_cut: bool,
    /// The number of elements that are printed by default; absent if the call has its own.
    #[serde(skip)]
    pub print_length: Option<u32>,
    /// The stack of the error is not held, although the call asked for it.
    #[serde(skip)]
    pub is_not_held: bool,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarningFacts {
    /// The type of its condition.
    #[serde(rename = "type")]
    pub type_name: String,
    /// Its message.
    pub message: String,
}

/// A value of a form before the last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EarlierValue {
    /// The form, from 1.
    pub form: u32,
    /// Its first value.
    pub value: String,
}

/// A failure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorFacts {
    /// The type of the condition; the stable code if there is none.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The message of the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The thread, if it is not that of the evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Its restarts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<Vec<RestartFacts>>,
    /// Its frames, innermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<Vec<FrameFacts>>,
    /// Packages with similar names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The phase of the form: `read`, `eval` or `print`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<&'static str>,
    /// The number of the form, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_index: Option<u32>,
    /// The number of forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_total: Option<u32>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Its place in the code, or the place where reading failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<CodePosition>,
}

/// A place in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CodePosition {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A restart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RestartFacts {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
}

/// A frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FrameFacts {
    /// Its number, from 0, the innermost.
    pub index: u32,
    /// The call.
    pub function: String,
    /// The file of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column there, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Its variables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locals: Vec<LocalFacts>,
    /// The similar frames after it that are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<RepeatFacts>,
}

/// A variable of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LocalFacts {
    /// Its name.
    pub name: String,
    /// Its printed value.
    pub value: String,
}

/// Repeated frames of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepeatFacts {
    /// The number of frames in one repetition.
    pub frames: u32,
    /// The number of repetitions.
    pub times: u32,
    /// There may be more.
    pub at_least: bool,
}

impl EvalAnswer {
    /// The answer, with about `limit` characters at most; a refusal if the image did not carry out the request.
    pub fn of(report: EvalReport, limit: usize) -> Result<Self, Refusal> {
        match report.ending {
            Ending::Refused(refusal) => Err(Refusal::Image { refusal, session: report.session }),
            Ending::NotOffered { operation } => Err(Refusal::NotOffered { runtime: report.runtime, operation }),
            _ => Ok(Self::within(report, limit)),
        }
    }

    /// The fields that the contract names.
    pub fn document(&self) -> Map<String, Value> {
        fields(self)
    }

    /// The request was not carried out.
    pub fn is_error(&self) -> bool {
        self.code.is_some()
    }

    fn within(report: EvalReport, limit: usize) -> Self {
        let warnings = each_once(
            report
                .warnings
                .iter()
                .map(|one| format!("{}: {}", one_line(&one.type_name, 100), fence(one.message.trim_end()))),
        );
        let values: Vec<String> = match &report.ending {
            Ending::Values(values) => values.iter().map(|value| fence_inside(&value.text)).collect(),
            _ => Vec::new(),
        };
        let goes_on = matches!(&report.ending, Ending::Values(values) if values.iter().any(|value| value.cut));
        let value_length = values.iter().map(|value| value.chars().count() + 8).sum();
        let lengths = [printed(&report.stdout), printed(&report.stderr), warnings.chars().count(), value_length];
        let room = shares(&lengths, limit.saturating_sub(SENTENCES + uncut(&report, limit)).max(limit / 4));
        let stdout = ends_of(&report.stdout, room[0]);
        let stderr = ends_of(&report.stderr, room[1]);
        let warnings = start_of_lines(&warnings, room[2]);
        let (values, values_left_out) = within_room(&values, room[3]);
        let left_out = stdout.left_out + stderr.left_out + warnings.left_out + values_left_out;
        let code = codes::of_ending(&report.ending);
        let checkpoint = match &report.ending {
            Ending::Checkpointed(name) | Ending::Returned { back: Return { name, .. }, .. } => Some(name.clone()),
            _ => None,
        };
        let warning = |one: &lispwright_runtime::Warning| WarningFacts {
            type_name: one.type_name.clone(),
            message: one.message.clone(),
        };
        Self {
            session: report.session.clone(),
            values,
            stdout: stdout.text,
            stderr: stderr.text,
            warnings: report.warnings.iter().map(warning).collect(),
            result_object_id: report.object.as_ref().and_then(|object| object.id),
            result_preview: report.object.as_ref().map(Object::from),
            package: report.package.clone(),
            code,
            retryable: code.map(|_| false),
            error: code.map(|code| error(&report.ending, code)),
            earlier_values: report
                .earlier
                .iter()
                .map(|(form, value)| EarlierValue { form: *form, value: value.text.clone() })
                .collect(),
            background_errors: report.background.iter().map(ErrorFacts::from).collect(),
            notices: Vec::new(),
            checkpoint,
            held: Some(report.held).filter(|held| *held > 0),
            left_out: Some(left_out).filter(|count| *count > 0),
            duration_ms: report.duration.as_secs_f64() * 1000.0,
            execution_status: report.ending.status().as_str(),
            told_warnings: warnings.text,
            limit,
            are_values_cut: values_left_out > 0 || goes_on,
            unbound: Vec::new(),
            print_length: None,
            is_not_held: false,
            report,
        }
    }
}

/// A call that did not end with its answer.
pub(crate) fn ended(report: EvalReport) -> Refusal {
    EvalAnswer::of(report, output_limit(None))
        .map_or_else(|refusal| refusal, |answer| Refusal::Unanswered(Arc::new(answer)))
}

/// Characters of output; more than any answer has room for if some of it was dropped.
fn printed(output: &Printed) -> usize {
    if output.dropped > 0 { usize::MAX / 8 } else { fence_printed(&output.head).chars().count() }
}

/// The approximate size of the conditions, stacks, notices and earlier values, in characters: they are not cut.
fn uncut(report: &EvalReport, limit: usize) -> usize {
    let length = |text: &str, most: usize| text.chars().count().min(most);
    let stack = |frames: &[Frame]| -> usize {
        let frame = |frame: &Frame| {
            let locals = frame.locals.iter().map(|(name, value)| 10 + length(name, 60) + length(value, 160));
            24 + length(&frame.call, 220)
                + frame.file.as_ref().map_or(0, |file| length(file, 200))
                + locals.sum::<usize>()
        };
        frames.iter().map(frame).sum()
    };
    let condition = |error: &LispError| -> usize {
        let restarts = error.restarts.iter().map(|(name, what)| 8 + length(name, 60) + length(what, 200));
        60 + length(&error.type_name, 200)
            + fence(&error.message).chars().count()
            + restarts.sum::<usize>()
            + stack(&error.frames)
    };
    let ending = match &report.ending {
        Ending::Error { error, .. } => condition(error),
        Ending::Stopped { frames, .. } => stack(frames),
        _ => 0,
    };
    let background: usize = report.background.iter().map(condition).sum();
    let notices = report.notices.len() * NOTICE;
    let earlier: usize = report.earlier.iter().map(|(_, value)| 16 + length(&value.text, 500)).sum();
    ending + background + notices + earlier.min(limit / 4 + 500)
}

/// Lines of warnings cut to `limit` characters.
fn start_of_lines(lines: &str, limit: usize) -> Fenced {
    let (kept, left_out) = head(lines, limit);
    Fenced { text: kept.to_owned(), left_out: left_out as u64 }
}

/// Fenced values cut to `room` characters in all, and the number of omitted characters.
fn within_room(values: &[String], room: usize) -> (Vec<String>, u64) {
    let lengths: Vec<usize> = values.iter().map(|value| value.chars().count()).collect();
    let room = shares(&lengths, room);
    let left_out = lengths.iter().zip(&room).map(|(length, share)| (length - share) as u64).sum();
    (values.iter().zip(&room).map(|(value, share)| head(value, *share).0.to_owned()).collect(), left_out)
}

/// The failure of an ending whose code is `code`.
fn error(ending: &Ending, code: &'static str) -> ErrorFacts {
    let plain = || ErrorFacts { type_name: code.to_owned(), ..ErrorFacts::default() };
    match ending {
        Ending::Error { error, place } => ErrorFacts::from(error).at(place),
        Ending::Stopped { frames, place, .. } => ErrorFacts { frames: Some(facts_of(frames)), ..plain() }.at(place),
        _ => plain(),
    }
}

impl ErrorFacts {
    /// The same with the form at `place`.
    fn at(self, place: &CurrentForm) -> Self {
        let phase = match place.phase {
            Phase::Read => "read",
            Phase::Eval => "eval",
            Phase::Print => "print",
        };
        let (line, column) = place.at.unwrap_or(place.start);
        Self {
            phase: Some(phase),
            form_index: Some(place.index),
            form_total: place.total,
            form: Some(place.text.clone()),
            position: Some(CodePosition { line, column }),
            ..self
        }
    }
}

impl From<&LispError> for ErrorFacts {
    fn from(error: &LispError) -> Self {
        Self {
            type_name: error.type_name.clone(),
            message: Some(error.message.clone()),
            thread: error.thread.clone(),
            restarts: Some(restarts_of(&error.restarts)),
            frames: Some(facts_of(&error.frames)),
            candidates: error.packages.clone(),
            ..Self::default()
        }
    }
}

/// Restarts as facts.
pub(crate) fn restarts_of(restarts: &[(String, String)]) -> Vec<RestartFacts> {
    let restart =
        |(name, description): &(String, String)| RestartFacts { name: name.clone(), description: description.clone() };
    restarts.iter().map(restart).collect()
}

/// Frames as facts.
pub(crate) fn facts_of(frames: &[Frame]) -> Vec<FrameFacts> {
    frames.iter().map(FrameFacts::from).collect()
}

impl From<&Frame> for FrameFacts {
    fn from(frame: &Frame) -> Self {
        let local = |(name, value): &(String, String)| LocalFacts { name: name.clone(), value: value.clone() };
        let repeat = |Repetition { frames, times, at_least }| RepeatFacts { frames, times, at_least };
        Self {
            index: frame.number,
            function: frame.call.clone(),
            path: frame.file.clone(),
            line: frame.line,
            column: frame.column,
            locals: frame.locals.iter().map(local).collect(),
            repeated: frame.repeated.map(repeat),
        }
    }
}

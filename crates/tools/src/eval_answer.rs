//! What became of a call that ran code in an image: values, what was printed, or how it ended instead.
//!
//! An answer has a size. [`EvalAnswer::of`] shares it among the parts that can be long, and takes note of what is left out.

use std::sync::Arc;

use lispwright_runtime::{Ending, EvalReport, Frame, LispError, Phase, Place, Printed, Repetition, Return};
use lispwright_syntax::head;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::fields;
use crate::codes;
use crate::image_text::{Fenced, each_once, ends_of, fence, fence_inside, fence_printed, one_line, shares};
use crate::object::Object;
use crate::refusal::Refusal;

/// Characters of an answer when none are asked for.
const DEFAULT_OUTPUT: usize = 10_000;

/// Characters of an answer at most.
pub const MOST_OUTPUT: usize = 40_000;

/// Characters that sentences about an ending take, beside what the image says.
const SENTENCES: usize = 600;

/// How long an answer may be, in characters.
pub fn output_limit(asked: Option<u32>) -> usize {
    asked.map_or(DEFAULT_OUTPUT, |limit| limit as usize).clamp(200, MOST_OUTPUT)
}

/// How an evaluation ended, and what it left.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvalAnswer {
    /// The session.
    pub session: String,
    /// The values of the last form, as far as there is room.
    pub values: Vec<String>,
    /// What was printed to standard output.
    pub stdout: String,
    /// What was printed to error output.
    pub stderr: String,
    /// Warnings of the compiler and of the code.
    pub warnings: Vec<WarningFacts>,
    /// The number of the first value, when there is something inside to look at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_object_id: Option<i64>,
    /// That value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_preview: Option<Object>,
    /// The session's package after the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The stable code of what went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The same call can succeed later, when something went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorFacts>,
    /// Values of the forms before the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier_values: Vec<EarlierValue>,
    /// Errors of other threads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub background_errors: Vec<ErrorFacts>,
    /// What the caller has to know about the session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The checkpoint that was made, or that the session is back at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// How many stacks are held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held: Option<u32>,
    /// Characters that are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u64>,
    /// How long it took.
    pub duration_ms: f64,
    /// What became of the code.
    pub execution_status: &'static str,
    /// What the image answered, in full.
    #[serde(skip)]
    pub report: EvalReport,
    /// The warnings, each once, as far as there is room.
    #[serde(skip)]
    pub told_warnings: String,
    /// How long the answer may be, in characters.
    #[serde(skip)]
    pub limit: usize,
    /// The values are not all there.
    #[serde(skip)]
    pub are_values_cut: bool,
    /// How many elements of a value are printed, where the caller has not said how many.
    #[serde(skip)]
    pub print_length: Option<u32>,
    /// The stack of the error was to be held, and is not.
    #[serde(skip)]
    pub is_not_held: bool,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WarningFacts {
    /// The type of its condition.
    #[serde(rename = "type")]
    pub type_name: String,
    /// What it says.
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

/// What went wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorFacts {
    /// The type of the condition; of what is no condition, the stable code.
    #[serde(rename = "type")]
    pub type_name: String,
    /// What the condition says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The thread, when it was another than that of the evaluation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<Vec<RestartFacts>>,
    /// Where it was, innermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<Vec<FrameFacts>>,
    /// Packages that may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// `read`, `eval` or `print`: what was being done with the form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<&'static str>,
    /// The form in hand, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_index: Option<u32>,
    /// How many forms there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_total: Option<u32>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Where it is in the code, or where reading failed.
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
    /// What it does.
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
    /// Frames like it that come next and are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<RepeatFacts>,
}

/// A variable of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LocalFacts {
    /// Its name.
    pub name: String,
    /// Its value, as printed.
    pub value: String,
}

/// Calls that come again and again on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepeatFacts {
    /// How many frames come again together.
    pub frames: u32,
    /// How many times they do.
    pub times: u32,
    /// There may be more.
    pub at_least: bool,
}

impl EvalAnswer {
    /// The answer, at most about `limit` characters of it; a refusal where the image did not do what was asked.
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

    /// What was asked for did not happen.
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
        let room = shares(&lengths, limit.saturating_sub(SENTENCES + told(&report, limit)).max(limit / 4));
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
            notices: report.notices.clone(),
            checkpoint,
            held: Some(report.held).filter(|held| *held > 0),
            left_out: Some(left_out).filter(|count| *count > 0),
            duration_ms: report.duration.as_secs_f64() * 1000.0,
            execution_status: report.ending.status().as_str(),
            told_warnings: warnings.text,
            limit,
            are_values_cut: values_left_out > 0 || goes_on,
            print_length: None,
            is_not_held: false,
            report,
        }
    }
}

/// A call that ended otherwise than with what it was made for.
pub(crate) fn ended(report: EvalReport) -> Refusal {
    EvalAnswer::of(report, output_limit(None))
        .map_or_else(|refusal| refusal, |answer| Refusal::Unanswered(Arc::new(answer)))
}

/// Characters of output, which is more than any answer has where some of it was not kept.
fn printed(output: &Printed) -> usize {
    if output.dropped > 0 { usize::MAX / 8 } else { fence_printed(&output.head).chars().count() }
}

/// About how many characters the conditions, stacks, notices and earlier values take, which are told whole.
fn told(report: &EvalReport, limit: usize) -> usize {
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
    let notices: usize = report.notices.iter().map(|notice| 8 + length(notice, 1000)).sum();
    let earlier: usize = report.earlier.iter().map(|(_, value)| 16 + length(&value.text, 500)).sum();
    ending + background + notices + earlier.min(limit / 4 + 500)
}

/// Lines of warnings cut to `limit` characters.
fn start_of_lines(lines: &str, limit: usize) -> Fenced {
    let (kept, left_out) = head(lines, limit);
    Fenced { text: kept.to_owned(), left_out: left_out as u64 }
}

/// Fenced values cut to `room` characters in all, and how many characters that left out.
fn within_room(values: &[String], room: usize) -> (Vec<String>, u64) {
    let lengths: Vec<usize> = values.iter().map(|value| value.chars().count()).collect();
    let room = shares(&lengths, room);
    let left_out = lengths.iter().zip(&room).map(|(length, share)| (length - share) as u64).sum();
    (values.iter().zip(&room).map(|(value, share)| head(value, *share).0.to_owned()).collect(), left_out)
}

/// What went wrong in an ending whose code is `code`.
fn error(ending: &Ending, code: &'static str) -> ErrorFacts {
    let plain = || ErrorFacts { type_name: code.to_owned(), ..ErrorFacts::default() };
    match ending {
        Ending::Error { error, place } => ErrorFacts::from(error).at(place),
        Ending::Stopped { frames, place, .. } => ErrorFacts { frames: Some(facts_of(frames)), ..plain() }.at(place),
        _ => plain(),
    }
}

impl ErrorFacts {
    /// The same with the form in hand.
    fn at(self, place: &Place) -> Self {
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

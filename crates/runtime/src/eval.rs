//! The answer to an evaluation, in the session's own terms.

use std::path::Path;
use std::time::Duration;

use crate::backends::Runtime;
use crate::capture::Printed;
use crate::copies::{self, Return};
use crate::naming::{Description, ImageExports, References};
use crate::nearest::nearest;
use crate::node::Node;
use crate::notice::Notice;
use crate::operation::ImageOperation;
use crate::refusal::ImageRefusal;
use crate::renewal::{LoadedFile, Renewed};
use crate::stop::{Death, StopReason};
use crate::tally::Tally;
use crate::wire::Value;
use crate::work::CompilerDiagnostic;

/// The outcome for the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecutionStatus {
    /// It ran to its end, with a value or an error.
    Completed,
    /// It was stopped before its end.
    Interrupted,
    /// It never started.
    NotExecuted,
    /// The image died while it ran.
    Unknown,
}

impl ExecutionStatus {
    /// The contract's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
            Self::NotExecuted => "not-executed",
            Self::Unknown => "unknown",
        }
    }
}

/// The answer of a session to one evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalReport {
    /// The session.
    pub session: String,
    /// Its runtime.
    pub runtime: Runtime,
    /// How it ended.
    pub ending: Ending,
    /// The values of forms before the last, with their numbers from 1, if the runtime reports them.
    pub earlier: Vec<(u32, Printout)>,
    /// All output to standard output since the last answer.
    pub stdout: Printed,
    /// All output to error output.
    pub stderr: Printed,
    /// Warnings of the compiler and of the code.
    pub warnings: Vec<Warning>,
    /// Messages of the compiler and loader about a file or system.
    pub diagnostics: Vec<CompilerDiagnostic>,
    /// The test results so far.
    pub tests: Option<Tally>,
    /// What a load has changed in the image besides its target.
    pub renewed: Renewed,
    /// The last activity that the image reported, such as `compiling PATH` or `testing NAME`.
    pub activity: Option<String>,
    /// The first value, if it has parts to inspect.
    pub object: Option<Node>,
    /// The number of stacks that are held in the image now.
    pub held: u32,
    /// The session's package after the call; `None` when the image is gone.
    pub package: Option<String>,
    /// Errors of other threads since the last answer.
    pub background: Vec<LispError>,
    /// Events of the session, oldest first.
    pub notices: Vec<Notice>,
    /// The resources whose limits code has set to 0 for its own image, of which an error does not speak.
    pub used_up: Vec<&'static str>,
    /// The image belongs to somebody else: it goes on after any ending.
    pub theirs: bool,
    /// Too many images were lost: the session runs nothing until it is reset.
    pub stopped: bool,
    /// Code that was interrupted, by this call or an earlier one, did not end and still runs in the image.
    pub runs_on: bool,
    /// The time from the request to the answer, the start of an image included.
    pub duration: Duration,
}

impl EvalReport {
    /// A report of tests of which none was run, for a session that may not exist.
    pub fn of_no_tests(session: &str, runtime: Runtime) -> Self {
        Self {
            session: session.to_owned(),
            runtime,
            ending: Ending::Tested,
            earlier: Vec::new(),
            stdout: Printed::default(),
            stderr: Printed::default(),
            warnings: Vec::new(),
            diagnostics: Vec::new(),
            tests: None,
            renewed: Renewed::default(),
            activity: None,
            object: None,
            held: 0,
            package: None,
            background: Vec::new(),
            notices: Vec::new(),
            used_up: Vec::new(),
            theirs: false,
            stopped: false,
            runs_on: false,
            duration: Duration::ZERO,
        }
    }
}

/// The ending of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// The values of the last form.
    Values(Vec<Printout>),
    /// A condition that nobody handled.
    Error {
        /// The condition.
        error: LispError,
        /// The current form.
        place: CurrentForm,
    },
    /// Stopped before its end; the state is kept.
    Stopped {
        /// The reason.
        reason: StopReason,
        /// The stack at that moment, innermost first.
        frames: Vec<Frame>,
        /// The current form.
        place: CurrentForm,
        /// The stack is held.
        kept: bool,
    },
    /// The image died, and the state with it.
    Died {
        /// Its end.
        death: Death,
        /// The reason of an earlier request to stop, if there was one.
        reason: Option<StopReason>,
    },
    /// An object with its description.
    Inspected(Node),
    /// A form with its macros expanded.
    Expanded {
        /// The new form.
        expansion: Printout,
        /// The form differs from the original.
        changed: bool,
    },
    /// A name with its description.
    Described(Description),
    /// The references to a name.
    References(References),
    /// The exports of a package, module or namespace.
    Exports(ImageExports),
    /// The loaded files of the project.
    LoadedFiles(Vec<LoadedFile>),
    /// The held errors, innermost first, without frames.
    Held(Vec<LispError>),
    /// Frames of the innermost held stack.
    Frames {
        /// Some of them.
        frames: Vec<Frame>,
        /// The number of all frames.
        total: u32,
    },
    /// The variables of a frame of the innermost held stack.
    Locals {
        /// The frame.
        frame: Frame,
        /// Its variables.
        locals: Vec<(String, Node)>,
    },
    /// A file or system was loaded.
    Loaded {
        /// It has not changed since the last time, so nothing was done.
        unchanged: bool,
        /// The code asked for the end of the process, with this exit code: the rest was not evaluated. The image goes on.
        exit: Option<i64>,
    },
    /// Tests ran to their end.
    Tested,
    /// The agent does not know the request.
    NotOffered {
        /// The kind of the request, or what it needs.
        operation: ImageOperation,
    },
    /// A held stack was given up, with the rest of its code from this form.
    Aborted(CurrentForm),
    /// A checkpoint of the image was made, with this name.
    Checkpointed(String),
    /// The session has returned to a checkpoint: by a rollback, or because the image died.
    Returned {
        /// The checkpoint, and the end of the image.
        back: Return,
        /// The reason of an earlier request to stop, if there was one.
        reason: Option<StopReason>,
        /// A rollback asked for it.
        asked: bool,
    },
    /// The copy that a trial ran in died; the image is as it was before.
    TrialDied {
        /// Its end.
        status: String,
        /// The reason of an earlier request to stop, if there was one.
        reason: Option<StopReason>,
    },
    /// Something that the request names does not exist.
    Refused(ImageRefusal),
    /// The requested package does not exist.
    NoPackage {
        /// The name.
        name: String,
        /// Existing ones, nearest first.
        nearest: Vec<String>,
    },
    /// The agent failed, or does not know the request.
    AgentFault(String),
}

impl Ending {
    /// The outcome for the code.
    pub fn status(&self) -> ExecutionStatus {
        match self {
            Self::Values(_)
            | Self::Error { .. }
            | Self::Inspected(_)
            | Self::Expanded { .. }
            | Self::Described(_)
            | Self::References(_)
            | Self::Exports(_)
            | Self::LoadedFiles(_)
            | Self::Checkpointed(_)
            | Self::Returned { asked: true, .. }
            | Self::Held(_)
            | Self::Loaded { .. }
            | Self::Tested
            | Self::Frames { .. }
            | Self::Locals { .. } => ExecutionStatus::Completed,
            Self::Stopped { .. } | Self::Aborted(_) => ExecutionStatus::Interrupted,
            Self::Died { .. } | Self::Returned { .. } | Self::TrialDied { .. } | Self::AgentFault(_) => {
                ExecutionStatus::Unknown
            }
            Self::NoPackage { .. } | Self::Refused(_) | Self::NotOffered { .. } => ExecutionStatus::NotExecuted,
        }
    }
}

/// A value as the image prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printout {
    /// The text.
    pub text: String,
    /// The text is cut at the limit.
    pub cut: bool,
}

/// A warning that was signalled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The condition's type.
    pub type_name: String,
    /// Its report.
    pub message: String,
}

/// A condition that nobody handled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LispError {
    /// The condition's type.
    pub type_name: String,
    /// Its report.
    pub message: String,
    /// The thread, when it was not the evaluating one.
    pub thread: Option<String>,
    /// Restarts as (name, description).
    pub restarts: Vec<(String, String)>,
    /// Frames of evaluated code, innermost first.
    pub frames: Vec<Frame>,
    /// The code ended in the middle of a form.
    pub unclosed: bool,
    /// Code tried to read from standard input.
    pub stdin: bool,
    /// The session's readtable no longer reads lists.
    pub unreadable: bool,
    /// Its stack is held.
    pub kept: bool,
    /// Package names similar to the one that does not exist, if that was the mistake.
    pub packages: Vec<String>,
}

impl LispError {
    /// Gives a loader's message about this error, if it lacks a place, the place of the innermost frame that has one.
    fn place(&self, diagnostic: &mut CompilerDiagnostic) {
        let is_absolute = |frame: &Frame| frame.file.as_ref().is_some_and(|file| Path::new(file).is_absolute());
        let is_this = diagnostic.file.is_none() && diagnostic.severity == "error" && diagnostic.message == self.message;
        if let Some(frame) = self.frames.iter().find(|frame| is_this && is_absolute(frame)) {
            diagnostic.file.clone_from(&frame.file);
            diagnostic.line = frame.line;
        }
    }
}

/// A frame of the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its number, from 0 for the innermost.
    pub number: u32,
    /// The call, with its arguments as far as they are known.
    pub call: String,
    /// The file that the function was compiled from.
    pub file: Option<String>,
    /// The line, from 1: that of the current call if the runtime knows it, else that of the definition.
    pub line: Option<u32>,
    /// The column, from 1, if the runtime knows it.
    pub column: Option<u32>,
    /// Variables as (name, value), of the innermost frame.
    pub locals: Vec<(String, String)>,
    /// Repetitions of this frame and those before it, which follow and are left out.
    pub repeated: Option<Repetition>,
}

/// Calls that repeat on a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The number of frames in each repetition; this frame is the last of them.
    pub frames: u32,
    /// The number of repetitions that are left out.
    pub times: u32,
    /// The stack is longer than the part that was examined.
    pub at_least: bool,
}

/// The work of an image on a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Reading it.
    Read,
    /// Evaluating it.
    Eval,
    /// Printing its values.
    Print,
}

/// A form of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentForm {
    /// The work on it.
    pub phase: Phase,
    /// Its number, from 1.
    pub index: u32,
    /// The number of forms, if the rest can be read.
    pub total: Option<u32>,
    /// Its start: line and column, from 1.
    pub start: (u32, u32),
    /// The place where reading stopped, if it did: line and column, from 1.
    pub at: Option<(u32, u32)>,
    /// Its text, at most 300 characters.
    pub text: String,
}

/// An answer as its fields are read.
pub(crate) struct Answer {
    pub(crate) ending: Ending,
    pub(crate) object: Option<Node>,
    pub(crate) diagnostics: Vec<CompilerDiagnostic>,
    pub(crate) tests: Option<Tally>,
    pub(crate) renewed: Renewed,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) package: Option<String>,
    pub(crate) background: Vec<LispError>,
    /// The number of held stacks.
    pub(crate) held: u32,
    /// The names of the checkpoints, oldest first.
    pub(crate) checkpoints: Vec<String>,
    /// The number of the image's next object.
    pub(crate) next_object: i64,
    /// Interrupted code still runs.
    pub(crate) runs_on: bool,
}

impl Answer {
    /// The answer when the image has ended instead of answering.
    pub(crate) fn without_image(ending: Ending) -> Self {
        Self {
            ending,
            object: None,
            diagnostics: Vec::new(),
            tests: None,
            renewed: Renewed::default(),
            warnings: Vec::new(),
            package: None,
            background: Vec::new(),
            held: 0,
            checkpoints: Vec::new(),
            next_object: 0,
            runs_on: false,
        }
    }

    /// Reads the agent's answer to a request that was asked to stop because of `reason`.
    pub(crate) fn read(answer: &Value, reason: Option<StopReason>) -> Self {
        let ending = match answer.get("OUTCOME").and_then(Value::as_keyword) {
            Some("COMPLETED") => Ending::Values(answer.get_list("VALUES").iter().map(printout).collect()),
            Some("ERROR") => Ending::Error {
                error: LispError {
                    kept: answer.get_truth("KEPT"),
                    ..answer.get("ERROR").map(lisp_error).unwrap_or_default()
                },
                place: place(answer.get("PLACE")),
            },
            Some("INTERRUPTED") => Ending::Stopped {
                reason: reason.unwrap_or(StopReason::Signal),
                frames: frames(answer),
                place: place(answer.get("PLACE")),
                kept: answer.get_truth("KEPT"),
            },
            Some("INSPECTED") => Ending::Inspected(answer.get("OBJECT").map(Node::read).unwrap_or_default()),
            Some("EXPANDED") => Ending::Expanded {
                expansion: Printout {
                    text: answer.get_text("TEXT").unwrap_or_default().to_owned(),
                    cut: answer.get_truth("CUT"),
                },
                changed: answer.get_truth("CHANGED"),
            },
            Some("DESCRIBED") => Ending::Described(Description::read(answer)),
            Some("REFERENCES") => Ending::References(References::read(answer)),
            Some("EXPORTS") => Ending::Exports(ImageExports::read(answer)),
            Some("LOADED-FILES") => Ending::LoadedFiles(LoadedFile::read_all(answer)),
            Some("HELD") => Ending::Held(answer.get_list("LEVELS").iter().map(lisp_error).collect()),
            Some("FRAMES") => Ending::Frames { frames: frames(answer), total: count(answer, "TOTAL").unwrap_or(0) },
            Some("LOCALS") => Ending::Locals {
                frame: answer.get("FRAME").map(|value| frame(value, 0)).unwrap_or_default(),
                locals: answer.get_list("LOCALS").iter().filter_map(local).collect(),
            },
            Some("ABORTED") => Ending::Aborted(place(answer.get("PLACE"))),
            Some("LOADED") => {
                Ending::Loaded { unchanged: answer.get_truth("UNCHANGED"), exit: answer.get_integer("EXIT-STATUS") }
            }
            Some("TESTED") => Ending::Tested,
            Some("DIED") => {
                Ending::TrialDied { status: answer.get_text("STATUS").unwrap_or_default().to_owned(), reason }
            }
            Some("CHECKPOINT") => Ending::Checkpointed(copies::names(answer).pop().unwrap_or_default()),
            Some("REFUSED") => refusal(answer),
            outcome => match (outcome, answer.get_text("OPERATION").and_then(ImageOperation::named)) {
                (None, Some(operation)) => Ending::NotOffered { operation },
                _ => {
                    Ending::AgentFault(answer.get_text("MESSAGE").unwrap_or("an answer it should not give").to_owned())
                }
            },
        };
        let mut diagnostics: Vec<CompilerDiagnostic> =
            answer.get_list("DIAGNOSTICS").iter().map(CompilerDiagnostic::read).collect();
        if let Ending::Error { error, .. } = &ending {
            diagnostics.iter_mut().for_each(|diagnostic| error.place(diagnostic));
        }
        Self {
            object: answer.get("OBJECT").map(Node::read),
            diagnostics,
            tests: Tally::read(answer),
            renewed: Renewed::read(answer),
            ending,
            held: count(answer, "HELD").unwrap_or(0),
            checkpoints: copies::names(answer),
            next_object: answer.get_integer("NEXT-OBJECT").unwrap_or(0),
            runs_on: false,
            warnings: answer.get_list("WARNINGS").iter().map(warning).collect(),
            package: answer.get_text("PACKAGE").map(str::to_owned),
            background: answer.get_list("BACKGROUND").iter().map(lisp_error).collect(),
        }
    }
}

/// The reason why the image did nothing.
fn refusal(answer: &Value) -> Ending {
    if let Some(refusal) = ImageRefusal::read(answer) {
        return Ending::Refused(refusal);
    }
    let name = answer.get_text("NO-PACKAGE").unwrap_or_default().to_owned();
    Ending::NoPackage { nearest: nearest(&name, answer.get_list("PACKAGES")), name }
}

fn printout(value: &Value) -> Printout {
    let cut = value.as_list().and_then(|items| items.get(1)).is_some_and(Value::is_true);
    Printout { text: value.text_pair().0, cut }
}

fn warning(value: &Value) -> Warning {
    let (type_name, message) = value.text_pair();
    Warning { type_name, message }
}

fn pairs(values: &[Value]) -> Vec<(String, String)> {
    values.iter().map(Value::text_pair).collect()
}

fn count(value: &Value, name: &str) -> Option<u32> {
    value.get_integer(name).and_then(|number| u32::try_from(number).ok())
}

pub(crate) fn frames(value: &Value) -> Vec<Frame> {
    (0..).zip(value.get_list("FRAMES")).map(|(position, value)| frame(value, position)).collect()
}

/// A frame. `position` is its number if it has none of its own.
fn frame(value: &Value, position: u32) -> Frame {
    Frame {
        number: count(value, "NUMBER").unwrap_or(position),
        call: value.get_text("CALL").unwrap_or_default().to_owned(),
        file: value.get_text("FILE").map(str::to_owned),
        line: count(value, "LINE"),
        column: count(value, "COLUMN"),
        locals: pairs(value.get_list("LOCALS")),
        repeated: count(value, "REPEATED").map(|times| Repetition {
            frames: count(value, "PERIOD").unwrap_or(1),
            times,
            at_least: value.get_truth("AT-LEAST"),
        }),
    }
}

fn local(value: &Value) -> Option<(String, Node)> {
    let [name, node] = value.as_list()? else { return None };
    Some((name.as_text()?.to_owned(), Node::read(node)))
}

/// An error as an agent describes it.
pub(crate) fn lisp_error(value: &Value) -> LispError {
    let packages = value.get_text("PACKAGE").map(|name| nearest(name, value.get_list("PACKAGES")));
    LispError {
        type_name: value.get_text("TYPE").unwrap_or_default().to_owned(),
        message: value.get_text("MESSAGE").unwrap_or_default().trim_end().to_owned(),
        thread: value.get_text("THREAD").map(str::to_owned),
        restarts: pairs(value.get_list("RESTARTS")),
        frames: frames(value),
        unclosed: value.get_truth("UNCLOSED"),
        stdin: value.get_truth("STDIN"),
        unreadable: value.get_truth("UNREADABLE"),
        kept: false,
        packages: packages.unwrap_or_default(),
    }
}

fn place(value: Option<&Value>) -> CurrentForm {
    let nothing = Value::List(Vec::new());
    let value = value.unwrap_or(&nothing);
    CurrentForm {
        phase: match value.get("PHASE").and_then(Value::as_keyword) {
            Some("READ") => Phase::Read,
            Some("PRINT") => Phase::Print,
            _ => Phase::Eval,
        },
        index: count(value, "INDEX").unwrap_or(1),
        total: count(value, "TOTAL"),
        start: (count(value, "LINE").unwrap_or(1), count(value, "COLUMN").unwrap_or(1)),
        at: count(value, "AT-LINE").zip(count(value, "AT-COLUMN")),
        text: value.get_text("TEXT").unwrap_or_default().trim_end().to_owned(),
    }
}

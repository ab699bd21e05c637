//! The requests to a session, other than starting and ending it.

use std::time::Duration;

use crate::backends::Capability;
use crate::operation::ImageOperation;
use crate::question::{
    Describe, Expand, Inspect, ListExports, ListFrames, ListHeld, ListLoaded, ListLocals, ListReferences,
};
use crate::time_limit::TimeLimit;
use crate::wire::{Value, keyed};
use crate::work::{LoadTarget, Project};

/// The time for a request about the image that runs no code of the user.
const LOOK_LIMIT: Duration = Duration::from_secs(30);

/// The number of characters of code in the description of a call.
const WORDS: usize = 60;

/// One evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalRequest {
    /// The forms, as text.
    pub code: String,
    /// The package for this call; `None` means the session's own.
    pub package: Option<String>,
    /// Forbid evaluation at read time (`#.`).
    pub safe_read: bool,
    /// `*print-level*` for the values.
    pub print_level: Option<u32>,
    /// `*print-length*` for the values.
    pub print_length: Option<u32>,
    /// The number of characters of printed values that the answer may have in all.
    pub value_limit: usize,
    /// The time after which it is interrupted.
    pub timeout: TimeLimit,
    /// Keep the stack of an error, or of the interrupt at the time limit.
    pub hold: bool,
    /// Evaluate in a copy of the image that is discarded.
    pub trial: bool,
}

impl EvalRequest {
    /// A request with the defaults: 30 seconds, 10,000 characters of values, the session's package.
    pub fn new(code: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            package: None,
            safe_read: false,
            print_level: None,
            print_length: None,
            value_limit: 10_000,
            timeout: Duration::from_secs(30).into(),
            hold: false,
            trial: false,
        }
    }

    pub(crate) fn arguments(&self) -> Vec<Value> {
        let number = |limit: Option<u32>| Value::optional(limit.map(i64::from));
        keyed([
            ("CODE", Value::text(&self.code)),
            ("PACKAGE", Value::optional_text(self.package.as_deref())),
            ("SAFE-READ", Value::truth(self.safe_read)),
            ("PRINT-LEVEL", number(self.print_level)),
            ("PRINT-LENGTH", number(self.print_length)),
            ("LIMIT", Value::count(self.value_limit as u64)),
            ("HOLD", Value::truth(self.hold)),
        ])
    }
}

/// One request to an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Evaluate code.
    Eval(EvalRequest),
    /// Describe an object.
    Inspect(Inspect),
    /// Expand the macros of a form.
    Macroexpand(Expand),
    /// Describe the meanings of a name.
    Describe(Describe),
    /// List the references to a name.
    References(ListReferences),
    /// List the exports of a package, module or namespace.
    Exports(ListExports),
    /// List the loaded files of the project.
    LoadedFiles(ListLoaded),
    /// Load a file or a system, and report its compiler's messages.
    Load {
        /// The target.
        target: LoadTarget,
        /// The project that contains it.
        project: Project,
        /// Load it even if it has not changed since the last time.
        force: bool,
        /// Compile all of it, even what is compiled already.
        clear: bool,
        /// The target is a file that is loaded with the systems that contain it, if there are any.
        in_system: bool,
        /// The time after which it is interrupted.
        timeout: TimeLimit,
    },
    /// Load tests again and run them.
    RunTests {
        /// The target.
        target: LoadTarget,
        /// The project that contains it.
        project: Project,
        /// The framework; `None` means the one that the tests use.
        framework: Option<String>,
        /// The names of the tests or groups to run; empty for all.
        tests: Vec<String>,
        /// The time after which they are interrupted.
        timeout: TimeLimit,
    },
    /// List the held errors.
    Held(ListHeld),
    /// List frames of the innermost held stack.
    Frames(ListFrames),
    /// Show the variables of a frame of the innermost held stack.
    Locals(ListLocals),
    /// Evaluate where the variables of a frame of the innermost held stack are visible.
    EvalInFrame {
        /// The frame's number, from 0.
        frame: u32,
        /// The code.
        code: EvalRequest,
    },
    /// Invoke a restart of the innermost held stack. The answer is that of the evaluation that continues.
    Restart {
        /// The restart.
        restart: RestartName,
        /// Code whose values are the restart's arguments; without it the restart's own default is used.
        values: Option<String>,
        /// The time after which the evaluation is interrupted.
        timeout: TimeLimit,
    },
    /// Give up the innermost held stack.
    Abort,
    /// Keep the image as a checkpoint of this name, which replaces an earlier one of the same name.
    Checkpoint(String),
    /// Return to a checkpoint, which stays; `None` means the last one.
    Rollback(Option<String>),
}

/// The designator of a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestartName {
    /// Its index in the list, from 0.
    Number(u32),
    /// Its name; the innermost restart of that name.
    Name(String),
}

impl Request {
    /// A description of the request in a few words.
    pub(crate) fn words(&self) -> String {
        let named = |doing: &str, name: &str| format!("{doing} {}", beginning(name));
        let target = |doing: &str, target: &LoadTarget| match target {
            LoadTarget::Path(name) | LoadTarget::System(name) => named(doing, name),
        };
        match self {
            Self::Eval(request) if request.trial => named("trying", &request.code),
            Self::Eval(request) => named("evaluating", &request.code),
            Self::Inspect(question) => format!("inspecting object {}", question.object),
            Self::Macroexpand(question) => named("expanding", &question.code),
            Self::Describe(question) => named("describing", &question.name),
            Self::References(question) => named("finding references to", &question.name),
            Self::Exports(question) => named("listing the exports of", &question.name),
            Self::LoadedFiles(_) => "comparing the image with the files".to_owned(),
            Self::Load { target: what, .. } => target("loading", what),
            Self::RunTests { target: what, .. } => target("running the tests of", what),
            Self::Held(_) | Self::Frames(_) | Self::Locals(_) => "looking at the held error".to_owned(),
            Self::EvalInFrame { code, .. } => named("evaluating in a frame", &code.code),
            Self::Restart { .. } => "taking a restart".to_owned(),
            Self::Abort => "giving up the held error".to_owned(),
            Self::Checkpoint(name) => named("making the checkpoint", name),
            Self::Rollback(_) => "going back to a checkpoint".to_owned(),
        }
    }

    /// Its kind.
    pub(crate) fn operation(&self) -> ImageOperation {
        match self {
            Self::Eval(_) => ImageOperation::Eval,
            Self::Inspect(_) => ImageOperation::Inspect,
            Self::Macroexpand(_) => ImageOperation::Macroexpand,
            Self::Describe(_) => ImageOperation::Describe,
            Self::References(_) => ImageOperation::References,
            Self::Exports(_) => ImageOperation::Exports,
            Self::LoadedFiles(_) => ImageOperation::LoadedFiles,
            Self::Load { .. } => ImageOperation::Load,
            Self::RunTests { .. } => ImageOperation::RunTests,
            Self::Held(_) => ImageOperation::Held,
            Self::Frames(_) => ImageOperation::Frames,
            Self::Locals(_) => ImageOperation::Locals,
            Self::EvalInFrame { .. } => ImageOperation::EvalInFrame,
            Self::Restart { .. } => ImageOperation::Restart,
            Self::Abort => ImageOperation::Abort,
            Self::Checkpoint(_) => ImageOperation::Checkpoint,
            Self::Rollback(_) => ImageOperation::Rollback,
        }
    }

    /// The arguments after the operation on the wire.
    pub(crate) fn arguments(&self) -> Vec<Value> {
        match self {
            Self::Eval(request) => request.arguments(),
            Self::Inspect(question) => question.arguments(),
            Self::Macroexpand(question) => question.arguments(),
            Self::Describe(question) => question.arguments(),
            Self::References(question) => question.arguments(),
            Self::Exports(question) => question.arguments(),
            Self::LoadedFiles(question) => question.arguments(),
            Self::Held(question) => question.arguments(),
            Self::Frames(question) => question.arguments(),
            Self::Locals(question) => question.arguments(),
            Self::Load { target, project, force, clear, in_system, .. } => {
                let mut arguments = target.arguments();
                arguments.extend(project.arguments());
                arguments.extend(keyed([
                    ("FORCE", Value::truth(*force)),
                    ("CLEAR", Value::truth(*clear)),
                    ("IN-SYSTEM", Value::truth(*in_system)),
                ]));
                arguments
            }
            Self::RunTests { target, project, framework, tests, .. } => {
                let mut arguments = target.arguments();
                arguments.extend(project.arguments());
                arguments.extend(keyed([
                    ("FRAMEWORK", Value::optional_text(framework.as_deref())),
                    ("TESTS", Value::List(tests.iter().map(Value::text).collect())),
                ]));
                arguments
            }
            Self::Abort => Vec::new(),
            Self::Checkpoint(name) => keyed([("NAME", Value::text(name))]),
            Self::Rollback(name) => keyed([("NAME", Value::optional_text(name.as_deref()))]),
            Self::EvalInFrame { frame, code } => {
                let mut arguments = keyed([("FRAME", Value::count(*frame))]);
                arguments.extend(code.arguments());
                arguments
            }
            Self::Restart { restart, values, .. } => keyed([
                (
                    "RESTART",
                    match restart {
                        RestartName::Number(number) => Value::count(*number),
                        RestartName::Name(name) => Value::text(name),
                    },
                ),
                ("CODE", Value::optional_text(values.as_deref())),
            ]),
        }
    }

    /// The time after which it is interrupted.
    pub(crate) fn timeout(&self) -> Duration {
        self.limit().time
    }

    /// The time for it and for the start of its image.
    pub(crate) fn limit(&self) -> TimeLimit {
        match self {
            Self::Eval(request) => request.timeout,
            Self::EvalInFrame { code, .. } => code.timeout,
            Self::Macroexpand(question) => question.timeout,
            Self::Restart { timeout, .. } | Self::Load { timeout, .. } | Self::RunTests { timeout, .. } => *timeout,
            _ => LOOK_LIMIT.into(),
        }
    }

    /// The key for the mark of the process copy, if the request makes one.
    pub(crate) fn branch_key(&self) -> Option<&'static str> {
        match self {
            Self::Eval(request) if request.trial => Some("TRIAL"),
            Self::Checkpoint(_) => Some("BRANCH"),
            _ => None,
        }
    }

    /// The capability that a runtime needs for it.
    pub(crate) fn needs(&self) -> Capability {
        match self {
            Self::Eval(request) | Self::EvalInFrame { code: request, .. } if request.hold => Capability::Hold,
            Self::Eval(request) if request.trial => Capability::Checkpoint,
            Self::Held(_)
            | Self::Frames(_)
            | Self::Locals(_)
            | Self::EvalInFrame { .. }
            | Self::Restart { .. }
            | Self::Abort => Capability::Hold,
            Self::Checkpoint(_) | Self::Rollback(_) => Capability::Checkpoint,
            _ => Capability::Eval,
        }
    }

    /// It is asked for the sake of another request: what was printed and happened meanwhile waits for the answer to that.
    pub(crate) fn is_aside(&self) -> bool {
        matches!(self, Self::LoadedFiles(_))
    }

    /// It is about an object, a stack or a checkpoint in the present image; a new image could not answer.
    pub(crate) fn is_about_present_image(&self) -> bool {
        !matches!(
            self,
            Self::Eval(_) | Self::Macroexpand(_) | Self::Load { .. } | Self::RunTests { .. } | Self::Checkpoint(_)
        )
    }
}

/// The beginning of `text`, on one line.
fn beginning(text: &str) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}...", &flat[..end]),
        None => flat,
    }
}

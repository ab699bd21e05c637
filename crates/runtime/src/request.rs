//! The requests to a session, other than starting and ending it.

use std::time::Duration;

use crate::backends::Capability;
use crate::wire::{Value, keyed};
use crate::work::{Project, Target};

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
    pub timeout: Duration,
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
            timeout: Duration::from_secs(30),
            hold: false,
            trial: false,
        }
    }

    pub(crate) fn arguments(&self) -> Vec<Value> {
        let number = |limit: Option<u32>| Value::optional(limit.map(i64::from));
        keyed([
            ("CODE", Value::text(&self.code)),
            ("PACKAGE", self.package.as_ref().map_or(Value::List(Vec::new()), Value::text)),
            ("SAFE-READ", Value::truth(self.safe_read)),
            ("PRINT-LEVEL", number(self.print_level)),
            ("PRINT-LENGTH", number(self.print_length)),
            ("LIMIT", Value::Integer(i64::try_from(self.value_limit).unwrap_or(i64::MAX))),
            ("HOLD", Value::truth(self.hold)),
        ])
    }
}

/// One request to an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Evaluate code.
    Eval(EvalRequest),
    /// Describe an object by its number.
    Inspect {
        /// The number.
        object: i64,
        /// The levels of parts, at most 8.
        depth: u32,
        /// The number of parts of each object.
        count: u32,
        /// The number of parts of the outermost object to skip.
        offset: u64,
        /// The number of characters of a long string.
        limit: u32,
    },
    /// Expand the macros of a form.
    Macroexpand {
        /// The form.
        code: String,
        /// The package; `None` means the session's own.
        package: Option<String>,
        /// The extent of the expansion.
        level: ExpansionLevel,
        /// The number of characters of the expansion.
        limit: usize,
        /// The time after which the macros are interrupted.
        timeout: Duration,
    },
    /// Describe the meanings of a name.
    Describe {
        /// The name, with its package or without.
        name: String,
        /// The package or module to search; `None` means the session's own.
        package: Option<String>,
        /// The number of characters of each documentation string.
        limit: usize,
    },
    /// List the references to a name.
    References {
        /// The name, with its package or without.
        name: String,
        /// The package or module to search; `None` means the session's own.
        package: Option<String>,
    },
    /// List the exports of a package, module or namespace.
    Exports {
        /// Its name.
        name: String,
        /// The number of names to skip.
        offset: u32,
        /// The number of names to list.
        count: u32,
    },
    /// Load a file or a system, and report its compiler's messages.
    Load {
        /// The target.
        target: Target,
        /// The project that contains it.
        project: Project,
        /// Load it even if it has not changed since the last time.
        force: bool,
        /// Compile all of it, even what is compiled already.
        clear: bool,
        /// The time after which it is interrupted.
        timeout: Duration,
    },
    /// Load tests anew and run them.
    RunTests {
        /// The target.
        target: Target,
        /// The project that contains it.
        project: Project,
        /// The framework; `None` means the one that the tests use.
        framework: Option<String>,
        /// The names of the tests or groups to run; empty for all.
        tests: Vec<String>,
        /// The time after which they are interrupted.
        timeout: Duration,
    },
    /// List the held errors.
    Held,
    /// List frames of the innermost held stack.
    Frames {
        /// The number of frames to skip.
        offset: u32,
        /// The number of frames to list.
        count: u32,
    },
    /// Show the variables of a frame of the innermost held stack.
    Locals {
        /// The frame's number, from 0.
        frame: u32,
    },
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
        timeout: Duration,
    },
    /// Give up the innermost held stack.
    Abort,
    /// Keep the image as a checkpoint of this name, which replaces an earlier one of the same name.
    Checkpoint(String),
    /// Return to a checkpoint, which stays; `None` means the last one.
    Rollback(Option<String>),
}

/// The extent of macro expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpansionLevel {
    /// One step.
    Once,
    /// Until the form is no macro call.
    Full,
    /// Subforms too.
    All,
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
        let target = |doing: &str, target: &Target| match target {
            Target::Path(name) | Target::System(name) => named(doing, name),
        };
        match self {
            Self::Eval(request) if request.trial => named("trying", &request.code),
            Self::Eval(request) => named("evaluating", &request.code),
            Self::Inspect { object, .. } => format!("inspecting object {object}"),
            Self::Macroexpand { code, .. } => named("expanding", code),
            Self::Describe { name, .. } => named("describing", name),
            Self::References { name, .. } => named("finding references to", name),
            Self::Exports { name, .. } => named("listing the exports of", name),
            Self::Load { target: what, .. } => target("loading", what),
            Self::RunTests { target: what, .. } => target("running the tests of", what),
            Self::Held | Self::Frames { .. } | Self::Locals { .. } => "looking at the held error".to_owned(),
            Self::EvalInFrame { code, .. } => named("evaluating in a frame", &code.code),
            Self::Restart { .. } => "taking a restart".to_owned(),
            Self::Abort => "giving up the held error".to_owned(),
            Self::Checkpoint(name) => named("making the checkpoint", name),
            Self::Rollback(_) => "going back to a checkpoint".to_owned(),
        }
    }

    /// The wire's name for it.
    pub(crate) fn operation(&self) -> &'static str {
        match self {
            Self::Eval(_) => "EVAL",
            Self::Inspect { .. } => "INSPECT",
            Self::Macroexpand { .. } => "MACROEXPAND",
            Self::Describe { .. } => "DESCRIBE",
            Self::References { .. } => "REFERENCES",
            Self::Exports { .. } => "EXPORTS",
            Self::Load { .. } => "LOAD",
            Self::RunTests { .. } => "RUN-TESTS",
            Self::Held => "HELD",
            Self::Frames { .. } => "FRAMES",
            Self::Locals { .. } => "LOCALS",
            Self::EvalInFrame { .. } => "EVAL-IN-FRAME",
            Self::Restart { .. } => "RESTART",
            Self::Abort => "ABORT",
            Self::Checkpoint(_) => "CHECKPOINT",
            Self::Rollback(_) => "ROLLBACK",
        }
    }

    /// The arguments after the operation on the wire.
    pub(crate) fn arguments(&self) -> Vec<Value> {
        let integer = |number: u64| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        match self {
            Self::Eval(request) => request.arguments(),
            Self::Inspect { object, depth, count, offset, limit } => keyed([
                ("OBJECT", Value::Integer(*object)),
                ("DEPTH", integer((*depth).into())),
                ("COUNT", integer((*count).into())),
                ("OFFSET", integer(*offset)),
                ("LIMIT", integer((*limit).into())),
            ]),
            Self::Macroexpand { code, package, level, limit, .. } => keyed([
                ("CODE", Value::text(code)),
                ("PACKAGE", package.as_ref().map_or(Value::List(Vec::new()), Value::text)),
                (
                    "LEVEL",
                    Value::keyword(match level {
                        ExpansionLevel::Once => "ONCE",
                        ExpansionLevel::Full => "FULL",
                        ExpansionLevel::All => "ALL",
                    }),
                ),
                ("LIMIT", integer(*limit as u64)),
            ]),
            Self::Describe { name, package, limit } => keyed([
                ("NAME", Value::text(name)),
                ("PACKAGE", package.as_ref().map_or(Value::List(Vec::new()), Value::text)),
                ("LIMIT", integer(*limit as u64)),
            ]),
            Self::References { name, package } => keyed([
                ("NAME", Value::text(name)),
                ("PACKAGE", package.as_ref().map_or(Value::List(Vec::new()), Value::text)),
            ]),
            Self::Exports { name, offset, count } => keyed([
                ("NAME", Value::text(name)),
                ("OFFSET", integer((*offset).into())),
                ("COUNT", integer((*count).into())),
            ]),
            Self::Load { target, project, force, clear, .. } => {
                let mut arguments = target.arguments();
                arguments.extend(project.arguments());
                arguments.extend(keyed([("FORCE", Value::truth(*force)), ("CLEAR", Value::truth(*clear))]));
                arguments
            }
            Self::RunTests { target, project, framework, tests, .. } => {
                let mut arguments = target.arguments();
                arguments.extend(project.arguments());
                arguments.extend(keyed([
                    ("FRAMEWORK", framework.as_ref().map_or(Value::List(Vec::new()), Value::text)),
                    ("TESTS", Value::List(tests.iter().map(Value::text).collect())),
                ]));
                arguments
            }
            Self::Held | Self::Abort => Vec::new(),
            Self::Checkpoint(name) => keyed([("NAME", Value::text(name))]),
            Self::Rollback(name) => keyed([("NAME", name.as_ref().map_or(Value::List(Vec::new()), Value::text))]),
            Self::Frames { offset, count } => {
                keyed([("OFFSET", integer((*offset).into())), ("COUNT", integer((*count).into()))])
            }
            Self::Locals { frame } => keyed([("FRAME", integer((*frame).into()))]),
            Self::EvalInFrame { frame, code } => {
                let mut arguments = keyed([("FRAME", integer((*frame).into()))]);
                arguments.extend(code.arguments());
                arguments
            }
            Self::Restart { restart, values, .. } => keyed([
                (
                    "RESTART",
                    match restart {
                        RestartName::Number(number) => integer((*number).into()),
                        RestartName::Name(name) => Value::text(name),
                    },
                ),
                ("CODE", values.as_ref().map_or(Value::List(Vec::new()), Value::text)),
            ]),
        }
    }

    /// The time after which it is interrupted.
    pub(crate) fn timeout(&self) -> Duration {
        match self {
            Self::Eval(request) => request.timeout,
            Self::EvalInFrame { code, .. } => code.timeout,
            Self::Restart { timeout, .. }
            | Self::Macroexpand { timeout, .. }
            | Self::Load { timeout, .. }
            | Self::RunTests { timeout, .. } => *timeout,
            _ => LOOK_LIMIT,
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
            Self::Held
            | Self::Frames { .. }
            | Self::Locals { .. }
            | Self::EvalInFrame { .. }
            | Self::Restart { .. }
            | Self::Abort => Capability::Hold,
            Self::Checkpoint(_) | Self::Rollback(_) => Capability::Checkpoint,
            _ => Capability::Eval,
        }
    }

    /// It is about an object, a stack or a checkpoint in the present image; a new image could not answer.
    pub(crate) fn is_about_present_image(&self) -> bool {
        !matches!(
            self,
            Self::Eval(_) | Self::Macroexpand { .. } | Self::Load { .. } | Self::RunTests { .. } | Self::Checkpoint(_)
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

//! Questions about an image, each with an answer of its own type.
//!
//! A question is a struct: its fields are what is asked, and [`Question`] says which [`Ending`] answers it.
//! Running code can end in any way an evaluation can; a [`Request`] for it has no answer of its own.

use crate::eval::{Ending, Frame, LispError, Printout};
use crate::naming::{Description, ImageExports, References};
use crate::node::Node;
use crate::renewal::LoadedFile;
use crate::request::Request;
use crate::time_limit::TimeLimit;
use crate::wire::{Value, keyed};
use crate::work::Project;

/// A question whose answer has a type of its own.
pub trait Question: Into<Request> {
    /// The answer of an image that can give one.
    type Answer;

    /// The answer in `ending`; the ending itself when the image was stopped, refused or lost.
    fn answer(ending: Ending) -> Result<Self::Answer, Box<Ending>>;
}

/// Makes structs questions: the variant of [`Request`], the type and the pattern of the answer.
macro_rules! questions {
    ($($question:ident: $variant:ident, $answer:ty, $ending:pat => $value:expr;)*) => {
        $(
            impl From<$question> for Request {
                fn from(question: $question) -> Self {
                    Self::$variant(question)
                }
            }

            impl Question for $question {
                type Answer = $answer;

                fn answer(ending: Ending) -> Result<Self::Answer, Box<Ending>> {
                    match ending {
                        $ending => Ok($value),
                        other => Err(Box::new(other)),
                    }
                }
            }
        )*
    };
}

questions! {
    Inspect: Inspect, Node, Ending::Inspected(node) => node;
    Expand: Macroexpand, Expansion,
        Ending::Expanded { expansion, changed } => Expansion { form: expansion, changed };
    Describe: Describe, Description, Ending::Described(description) => description;
    ListReferences: References, References, Ending::References(references) => references;
    ListExports: Exports, ImageExports, Ending::Exports(exports) => exports;
    ListLoaded: LoadedFiles, Vec<LoadedFile>, Ending::LoadedFiles(files) => files;
    ListHeld: Held, Vec<LispError>, Ending::Held(errors) => errors;
    ListFrames: Frames, Frames, Ending::Frames { frames, total } => Frames { frames, total };
    ListLocals: Locals, Locals, Ending::Locals { frame, locals } => Locals { frame, locals };
}

/// Describe an object by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspect {
    /// The number.
    pub object: i64,
    /// The levels of parts, at most 8.
    pub depth: u32,
    /// The number of parts of each object.
    pub count: u32,
    /// The number of parts of the outermost object to skip.
    pub offset: u64,
    /// The number of characters of a long string.
    pub limit: u32,
}

/// Expand the macros of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expand {
    /// The form.
    pub code: String,
    /// The package; `None` means the session's own.
    pub package: Option<String>,
    /// The extent of the expansion.
    pub level: ExpansionLevel,
    /// The number of characters of the expansion.
    pub limit: usize,
    /// The time after which the macros are interrupted.
    pub timeout: TimeLimit,
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

/// A form with its macros expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// The new form.
    pub form: Printout,
    /// It is another form than the one given.
    pub changed: bool,
}

/// Describe the meanings of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Describe {
    /// The name, with its package or without.
    pub name: String,
    /// The package or module to search; `None` means the session's own.
    pub package: Option<String>,
    /// The number of characters of each documentation string.
    pub limit: usize,
}

/// List the references to a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListReferences {
    /// The name, with its package or without.
    pub name: String,
    /// The package or module to search; `None` means the session's own.
    pub package: Option<String>,
}

/// List the exports of a package, module or namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListExports {
    /// Its name.
    pub name: String,
    /// The number of names to skip.
    pub offset: u32,
    /// The number of names to list.
    pub count: u32,
}

/// List the loaded files of the project, in the order in which they were loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListLoaded {
    /// The project.
    pub project: Project,
}

/// List the held errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListHeld;

/// List frames of the innermost held stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListFrames {
    /// The number of frames to skip.
    pub offset: u32,
    /// The number of frames to list.
    pub count: u32,
}

/// Frames of the innermost held stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Some of them.
    pub frames: Vec<Frame>,
    /// The number of all.
    pub total: u32,
}

/// Show the variables of a frame of the innermost held stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLocals {
    /// The frame's number, from 0.
    pub frame: u32,
}

/// The variables of a frame of the innermost held stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Locals {
    /// The frame.
    pub frame: Frame,
    /// Its variables.
    pub locals: Vec<(String, Node)>,
}

impl Inspect {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        keyed([
            ("OBJECT", Value::Integer(self.object)),
            ("DEPTH", Value::count(self.depth)),
            ("COUNT", Value::count(self.count)),
            ("OFFSET", Value::count(self.offset)),
            ("LIMIT", Value::count(self.limit)),
        ])
    }
}

impl Expand {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        let level = match self.level {
            ExpansionLevel::Once => "ONCE",
            ExpansionLevel::Full => "FULL",
            ExpansionLevel::All => "ALL",
        };
        keyed([
            ("CODE", Value::text(&self.code)),
            ("PACKAGE", Value::optional_text(self.package.as_deref())),
            ("LEVEL", Value::keyword(level)),
            ("LIMIT", Value::count(self.limit as u64)),
        ])
    }
}

impl Describe {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        keyed([
            ("NAME", Value::text(&self.name)),
            ("PACKAGE", Value::optional_text(self.package.as_deref())),
            ("LIMIT", Value::count(self.limit as u64)),
        ])
    }
}

impl ListReferences {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        keyed([("NAME", Value::text(&self.name)), ("PACKAGE", Value::optional_text(self.package.as_deref()))])
    }
}

impl ListExports {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        keyed([
            ("NAME", Value::text(&self.name)),
            ("OFFSET", Value::count(self.offset)),
            ("COUNT", Value::count(self.count)),
        ])
    }
}

impl ListLoaded {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        self.project.place()
    }
}

impl ListHeld {
    pub(crate) fn arguments(self) -> Vec<Value> {
        Vec::new()
    }
}

impl ListFrames {
    pub(crate) fn arguments(self) -> Vec<Value> {
        keyed([("OFFSET", Value::count(self.offset)), ("COUNT", Value::count(self.count))])
    }
}

impl ListLocals {
    pub(crate) fn arguments(self) -> Vec<Value> {
        keyed([("FRAME", Value::count(self.frame))])
    }
}

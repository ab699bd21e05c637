//! Loading and testing: the targets, and the messages of compilers in common terms.

use crate::renewal::Renewal;
use crate::wire::{Value, keyed};

/// The target of a load or a test run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadTarget {
    /// A file, by its absolute path.
    Path(String),
    /// A system, module or namespace, by its name.
    System(String),
}

impl LoadTarget {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        match self {
            Self::Path(path) => keyed([("PATH", Value::text(path))]),
            Self::System(name) => keyed([("SYSTEM", Value::text(name))]),
        }
    }
}

/// The parts of the project that an image needs in order to find its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// Its directories, absolute.
    pub roots: Vec<String>,
    /// Its files that define systems (`.asd`), absolute, those nearest to a root first: [`crate::definition_files`].
    pub definitions: Vec<String>,
    /// What has to be loaded anew before the target.
    pub renewal: Renewal,
}

impl Project {
    pub(crate) fn arguments(&self) -> Vec<Value> {
        let mut arguments = self.place();
        arguments.extend(self.renewal.arguments());
        arguments
    }

    /// Where it is, as arguments.
    pub(crate) fn place(&self) -> Vec<Value> {
        let roots = self.roots.iter().map(|root| Value::text(format!("{}/", root.trim_end_matches('/')))).collect();
        let definitions = self.definitions.iter().map(Value::text).collect();
        keyed([("ROOTS", Value::List(roots)), ("DEFINITIONS", Value::List(definitions))])
    }
}

/// A message of a compiler or loader about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerDiagnostic {
    /// `error`, `warning`, `style-warning` or `note`.
    pub severity: String,
    /// The runtime's name for the mistake.
    pub type_name: String,
    /// The message.
    pub message: String,
    /// The file, absolute.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
    /// The definition it is in, such as `DEFUN FOO`.
    pub form: Option<String>,
}

impl CompilerDiagnostic {
    pub(crate) fn read(value: &Value) -> Self {
        let text = |name| value.get_text(name).unwrap_or_default().to_owned();
        Self {
            severity: text("SEVERITY"),
            type_name: text("TYPE"),
            message: text("MESSAGE"),
            file: value.get_text("FILE").map(str::to_owned),
            line: count(value, "LINE"),
            column: count(value, "COLUMN"),
            form: value.get_text("FORM").map(str::to_owned),
        }
    }
}

pub(crate) fn count(value: &Value, name: &str) -> Option<u32> {
    value.get_integer(name).and_then(|number| u32::try_from(number).ok())
}

//! Faults of calls on live images that are found before an image is asked.

use lispwright_runtime::{Probe, Runtime};

use crate::main_system::LoadCandidate;
use crate::repl_action::ReplAction;

/// The reason why an image was not asked, one variant for each kind; the sentences are in `lispwright-words`.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveFault {
    /// The name in the call is empty.
    NoSymbol,
    /// No image runs.
    NoImage {
        /// The requested Lisp, by the name of its runtime or its dialect.
        of: Option<&'static str>,
    },
    /// The session has no image, though others have one.
    NoImageOfSession {
        /// The session.
        session: String,
        /// The sessions that have an image.
        living: Vec<String>,
    },
    /// More than one session has an image, and none was named.
    SeveralImages(Vec<String>),
    /// Neither a file of the project nor an image knows the name.
    Undefined {
        /// The name.
        name: String,
        /// It was taken for that of a package, module or namespace.
        is_module: bool,
        /// How many files were looked into.
        files: usize,
        /// Names of the project like it.
        nearest: Vec<String>,
    },
    /// An unknown kind of references.
    NoKind {
        /// The requested kind.
        asked: String,
        /// The known kinds.
        kinds: &'static [&'static str],
    },
    /// Both code and a form of a file were given for expansion, or neither.
    CodeOrPlace,
    /// The form at a place does not balance.
    Unbalanced {
        /// Its file.
        path: String,
    },
    /// The form at a place defines a macro, so its expansion does not show what the macro does.
    DefinesMacro {
        /// Its file.
        path: String,
        /// Its line, from 1.
        line: u32,
        /// The macro.
        name: String,
    },
    /// Both a file and a name of a module were given, or neither.
    PathOrModule,
    /// No form of the file names its module.
    NoModule {
        /// The file.
        path: String,
    },
    /// No function was named whose calls are to be looked at.
    NoFunctions,
    /// The runtime has no such probe.
    NoProbe {
        /// The probe.
        kind: Probe,
        /// The runtime.
        runtime: Runtime,
    },
    /// Neither a system nor a path was given, or both.
    SystemOrPath {
        /// The tool.
        tool: &'static str,
    },
    /// A load names nothing, and the project is not one system or file.
    NothingToLoad {
        /// What could be loaded.
        candidates: Vec<LoadCandidate>,
    },
    /// Tests of that framework do not run in that runtime.
    NoFramework {
        /// The framework.
        name: String,
        /// The runtime.
        runtime: Runtime,
    },
    /// No runtime has that name.
    NoRuntime(String),
    /// The time limit of a call is not valid.
    BadTimeout {
        /// The given limit, in seconds.
        seconds: f64,
        /// The longest limit, in seconds.
        longest: f64,
    },
    /// The call asks to hold the stack of a trial.
    TrialHeld,
    /// An action on a held error lacks an argument.
    Missing {
        /// The action.
        action: ReplAction,
        /// The argument.
        argument: &'static str,
        /// The session.
        session: String,
    },
    /// The call has no address of a server.
    NoAddress,
    /// The address of a server is wrong, for this reason.
    BadAddress(String),
    /// The address of a server has another runtime than the call.
    TwoRuntimes {
        /// The runtime of the call.
        asked: Runtime,
        /// The runtime of the address.
        said: Runtime,
    },
    /// Sessions on that runtime join no servers.
    JoinsNone(Runtime),
    /// The caller withdrew its wait for another call.
    WaitWithdrawn,
    /// The module of a file is not loaded in the image.
    NotLoaded {
        /// The file.
        path: String,
        /// The module.
        module: String,
        /// The session that was asked.
        session: String,
    },
}

impl LiveFault {
    /// The stable code that clients see.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSymbol
            | Self::SeveralImages(_)
            | Self::Undefined { .. }
            | Self::NoKind { .. }
            | Self::CodeOrPlace
            | Self::DefinesMacro { .. }
            | Self::PathOrModule
            | Self::NoModule { .. }
            | Self::NotLoaded { .. }
            | Self::SystemOrPath { .. }
            | Self::NothingToLoad { .. }
            | Self::NoRuntime(_)
            | Self::BadTimeout { .. }
            | Self::TrialHeld
            | Self::NoFunctions
            | Self::Missing { .. }
            | Self::NoAddress
            | Self::BadAddress(_)
            | Self::TwoRuntimes { .. }
            | Self::JoinsNone(_) => "BAD_ARGUMENT",
            Self::NoFramework { .. } | Self::NoProbe { .. } => "UNSUPPORTED",
            Self::WaitWithdrawn => "CANCELLED",
            Self::NoImage { .. } | Self::NoImageOfSession { .. } => "SESSION_LOST",
            Self::Unbalanced { .. } => "UNBALANCED",
        }
    }
}

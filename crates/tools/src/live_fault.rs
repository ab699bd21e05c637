//! What is wrong with a call that is about live images, found before any of them was asked.

use lispwright_runtime::Runtime;

use crate::repl_action::ReplAction;

/// Why an image was not asked. One variant for each kind; the sentences are in `lispwright-words`.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveFault {
    /// The name that a call asks about is empty.
    NoSymbol,
    /// No image runs.
    NoImage {
        /// The Lisp that it was to run, by the name of its runtime or its dialect.
        of: Option<&'static str>,
    },
    /// The session has no image, though others have one.
    NoImageOfSession {
        /// The session.
        session: String,
        /// Those that have an image.
        living: Vec<String>,
    },
    /// More than one session has an image, and none was named.
    SeveralImages(Vec<String>),
    /// References of a kind that there is not.
    NoKind {
        /// As it was asked for.
        asked: String,
        /// Those that there are.
        kinds: &'static [&'static str],
    },
    /// Both code and a place in a file were given to be expanded, or neither.
    CodeOrPlace,
    /// The form at a place does not balance.
    Unbalanced {
        /// Its file.
        path: String,
    },
    /// The form at a place defines a macro, and expands to nothing that the macro would.
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
    /// No form of the file says which module it is.
    NoModule {
        /// The file.
        path: String,
    },
    /// Neither a system nor a path was given, or both.
    SystemOrPath {
        /// The tool that wants one of them.
        tool: &'static str,
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
    /// The time that a call may take is not one.
    BadTimeout {
        /// As it was given, in seconds.
        seconds: f64,
        /// The longest there is.
        longest: f64,
    },
    /// A trial's stack was to be held.
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
    /// Nothing says which server is to be joined.
    NoAddress,
    /// What is wrong with the address of a server.
    BadAddress(String),
    /// The address of a server says another runtime than the call.
    TwoRuntimes {
        /// What the call says.
        asked: Runtime,
        /// What the address says.
        said: Runtime,
    },
    /// Sessions on that runtime join no servers.
    JoinsNone(Runtime),
    /// Waiting for another call was given up.
    WaitWithdrawn,
    /// The module of a file is not there in the image.
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
            | Self::NoKind { .. }
            | Self::CodeOrPlace
            | Self::DefinesMacro { .. }
            | Self::PathOrModule
            | Self::NoModule { .. }
            | Self::NotLoaded { .. }
            | Self::SystemOrPath { .. }
            | Self::NoRuntime(_)
            | Self::BadTimeout { .. }
            | Self::TrialHeld
            | Self::Missing { .. }
            | Self::NoAddress
            | Self::BadAddress(_)
            | Self::TwoRuntimes { .. }
            | Self::JoinsNone(_) => "BAD_ARGUMENT",
            Self::NoFramework { .. } => "UNSUPPORTED",
            Self::WaitWithdrawn => "CANCELLED",
            Self::NoImage { .. } | Self::NoImageOfSession { .. } => "SESSION_LOST",
            Self::Unbalanced { .. } => "UNBALANCED",
        }
    }
}

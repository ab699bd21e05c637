//! What is wrong with a call that is about live images, found before any of them was asked.

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
            | Self::NotLoaded { .. } => "BAD_ARGUMENT",
            Self::NoImage { .. } | Self::NoImageOfSession { .. } => "SESSION_LOST",
            Self::Unbalanced { .. } => "UNBALANCED",
        }
    }
}

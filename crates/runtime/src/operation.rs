//! The kinds of requests, by their names on the wire.

/// Lists the kinds with their names.
macro_rules! operations {
    ($($(#[$about:meta])* $kind:ident = $name:literal,)*) => {
        /// A kind of request, or a part of an image that some requests need.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ImageOperation {
            $($(#[$about])* $kind,)*
        }

        impl ImageOperation {
            /// The name on the wire.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The kind of that name, in either case.
            pub(crate) fn named(name: &str) -> Option<Self> {
                [$(Self::$kind),*].into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
            }
        }
    };
}

operations! {
    /// Evaluate code.
    Eval = "EVAL",
    /// Describe an object.
    Inspect = "INSPECT",
    /// Expand the macros of a form.
    Macroexpand = "MACROEXPAND",
    /// Say what a name means.
    Describe = "DESCRIBE",
    /// Say who refers to a name.
    References = "REFERENCES",
    /// List what a package, module or namespace offers.
    Exports = "EXPORTS",
    /// List the loaded files of the project.
    LoadedFiles = "LOADED-FILES",
    /// Load a file or a system.
    Load = "LOAD",
    /// Run tests.
    RunTests = "RUN-TESTS",
    /// List the held errors.
    Held = "HELD",
    /// List the frames of a held stack.
    Frames = "FRAMES",
    /// Show the variables of a frame.
    Locals = "LOCALS",
    /// Evaluate in a frame.
    EvalInFrame = "EVAL-IN-FRAME",
    /// Take a restart.
    Restart = "RESTART",
    /// Give up a held stack.
    Abort = "ABORT",
    /// Keep the image under a name.
    Checkpoint = "CHECKPOINT",
    /// Return to a checkpoint.
    Rollback = "ROLLBACK",
    /// ASDF, which loads systems. No request is called so.
    Asdf = "ASDF",
}

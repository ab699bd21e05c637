//! Which Lisps there are, what each can do here, and how to get one that is missing. Data, not code.

use std::fmt;
use std::path::PathBuf;

use crate::environment::find_program;

/// A Lisp implementation by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// Steel Bank Common Lisp.
    Sbcl,
    /// Embeddable Common Lisp.
    Ecl,
    /// GNU CLISP.
    Clisp,
    /// GNU Guile.
    Guile,
    /// Clojure, over nREPL.
    Clojure,
    /// Whatever Common Lisp a Swank or Slynk server runs in that somebody else has started.
    Swank,
}

/// Something a runtime may be able to do for a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// Evaluate code in a worker of its own.
    Eval,
    /// Stop an evaluation and keep the state.
    Interrupt,
    /// Keep the stack of an error for inspection and restarts.
    Hold,
    /// Copy itself, to be returned to later.
    Checkpoint,
    /// Join an image that somebody else started.
    Attach,
}

impl Capability {
    /// The word used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Eval => "eval",
            Self::Interrupt => "interrupt",
            Self::Hold => "hold",
            Self::Checkpoint => "checkpoint",
            Self::Attach => "attach",
        }
    }
}

/// What is known about a runtime.
#[derive(Debug)]
pub struct Backend {
    /// Which one.
    pub runtime: Runtime,
    /// The name in arguments and answers.
    pub name: &'static str,
    /// The program that runs it.
    pub program: &'static str,
    /// The argument that makes it say its version.
    pub version_argument: &'static str,
    /// The distribution package (Debian, Ubuntu) that has it.
    pub package: &'static str,
    /// The version that its images are tried with; empty for what is only joined.
    pub tried: &'static str,
    /// What works.
    pub has: &'static [Capability],
}

impl Backend {
    /// Whether the runtime can do it here.
    pub fn can(&self, capability: Capability) -> bool {
        self.has.contains(&capability)
    }

    /// Where the program is, if it is installed. There is none for [`Runtime::Swank`], which is joined and never started.
    pub fn find(&self) -> Option<PathBuf> {
        match self.runtime {
            Runtime::Clojure => crate::nrepl::program(),
            Runtime::Swank => None,
            _ => find_program(self.program),
        }
    }
}

/// Every runtime that has a name here, those that evaluate first.
pub const BACKENDS: &[Backend] = &[
    Backend {
        runtime: Runtime::Sbcl,
        name: "sbcl",
        program: "sbcl",
        version_argument: "--version",
        package: "sbcl",
        tried: "2.2.9",
        has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Checkpoint],
    },
    Backend {
        runtime: Runtime::Guile,
        name: "guile",
        program: "guile",
        version_argument: "--version",
        package: "guile-3.0",
        tried: "3.0.8",
        has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Checkpoint],
    },
    Backend {
        runtime: Runtime::Ecl,
        name: "ecl",
        program: "ecl",
        version_argument: "--version",
        package: "ecl",
        tried: "21.2.1",
        has: &[Capability::Eval, Capability::Interrupt, Capability::Hold],
    },
    Backend {
        runtime: Runtime::Clisp,
        name: "clisp",
        program: "clisp",
        version_argument: "--version",
        package: "clisp",
        tried: "2.49.93",
        has: &[Capability::Eval, Capability::Interrupt, Capability::Hold],
    },
    Backend {
        runtime: Runtime::Clojure,
        name: "clojure",
        program: "clojure",
        version_argument: "--version",
        package: "clojure libnrepl-clojure",
        tried: "1.11.1 with nREPL 1.0.0",
        has: &[Capability::Eval, Capability::Interrupt, Capability::Attach],
    },
    Backend {
        runtime: Runtime::Swank,
        name: "swank",
        program: "",
        version_argument: "",
        package: "cl-swank",
        tried: "",
        has: &[Capability::Eval, Capability::Interrupt, Capability::Hold, Capability::Attach],
    },
];

impl Runtime {
    /// What is known about it.
    pub fn backend(self) -> &'static Backend {
        BACKENDS.iter().find(|backend| backend.runtime == self).expect("every runtime has its row in the table")
    }

    /// The implementations of Common Lisp, the one to prefer first.
    pub const COMMON_LISPS: [Self; 3] = [Self::Sbcl, Self::Ecl, Self::Clisp];

    /// The preferred Common Lisp among those that are installed; SBCL when none is, so that this one is asked for.
    pub fn common_lisp() -> Self {
        let installed = Self::COMMON_LISPS.into_iter().find(|runtime| runtime.backend().find().is_some());
        installed.unwrap_or(Self::Sbcl)
    }

    /// The runtime called `name`; "common-lisp" is the preferred one.
    pub fn named(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("common-lisp") {
            return Some(Self::common_lisp());
        }
        BACKENDS.iter().find(|backend| backend.name.eq_ignore_ascii_case(name)).map(|backend| backend.runtime)
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.backend().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runtime_has_one_row() {
        for runtime in [Runtime::Sbcl, Runtime::Ecl, Runtime::Clisp, Runtime::Guile, Runtime::Clojure, Runtime::Swank] {
            assert_eq!(Runtime::named(runtime.backend().name), Some(runtime));
        }
    }
}

//! Which Lisps there are: one file here for each, with all that is its own.
//!
//! A [`Backend`] is the row of a Lisp: its name and program, what it can do, which files it is for, what its workers are
//! started with ([`crate::agent`]), which servers of others its sessions join, and words about it. A [`Runtime`] is a
//! handle to a row. Nothing elsewhere asks which Lisp it deals with, but what the row says. `docs/adding-a-runtime.md` is
//! the way to another one.

mod clisp;
mod clojure;
pub(crate) mod common_lisp;
mod ecl;
pub(crate) mod emacs;
mod guile;
mod sbcl;
mod swank;

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;

use lispwright_syntax::Dialect;
use rustix::process::Signal;

use crate::agent::Agent;
use crate::capture::Printed;
use crate::environment::find_program;
use crate::remote::Protocol;

/// Every row, those first that are preferred among those of one dialect.
static BACKENDS: &[&Backend] = &[
    &sbcl::BACKEND,
    &guile::BACKEND,
    &ecl::BACKEND,
    &clisp::BACKEND,
    &clojure::BACKEND,
    &emacs::BACKEND,
    &swank::BACKEND,
];

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

/// What is known about a Lisp.
#[derive(Debug)]
pub struct Backend {
    /// The name in arguments and answers; a version that the program says of itself contains it.
    pub name: &'static str,
    /// The program that runs it; empty for what is only joined.
    pub program: &'static str,
    /// The argument that makes it say its version.
    pub version_argument: &'static str,
    /// The distribution package (Debian, Ubuntu) that has it.
    pub package: &'static str,
    /// The version that its images are tried with; empty for what is only joined.
    pub tried: &'static str,
    /// What works.
    pub has: &'static [Capability],
    /// The dialect that it evaluates.
    pub dialect: Dialect,
    /// What files end in that speak for it when a project is looked at; only the first of a dialect has any.
    pub extensions: &'static [&'static str],
    /// Files at the root that speak for it where a project has no source yet.
    pub project_files: &'static [&'static str],
    /// The names of the test frameworks that it runs.
    pub frameworks: &'static [&'static str],
    /// What answers say of it and of no other.
    pub words: Words,
    /// What its workers are started with; absent when sessions only reach it through a socket.
    pub(crate) agent: Option<Agent>,
    /// What a shell does before it becomes the program, where that cannot move the descriptors of the protocol itself.
    pub(crate) shell: Option<&'static str>,
    /// What a worker on this machine is sent when it does not hear by itself that it is to stop. One that waits for a child
    /// of its own, as C's `system` does, ignores SIGINT; SIGURG does nothing to those that do not ask for it.
    pub(crate) signals: &'static [Signal],
    /// What servers speak that its sessions join.
    pub(crate) protocol: Option<Protocol>,
    /// Takes from what was printed the reports of the implementation on itself.
    pub(crate) without_own_reports: fn(Printed) -> Printed,
}

/// What answers say of one Lisp: sentences that end with a full stop, empty where there is nothing to say.
#[derive(Debug)]
pub struct Words {
    /// How to see the rest of a value that is cut.
    pub part_of_value: &'static str,
    /// What the image keeps no record of when it is asked for references, and how else to look.
    pub not_looked_at: &'static str,
    /// Which code keeps the variables of its frames.
    pub keeps_variables: &'static str,
    /// What to do about the commands of its own prompt, for code that begins with this.
    pub prompt_command: Option<(&'static str, &'static str)>,
    /// How the package, module or namespace `NAME` comes into the image.
    pub missing_package: &'static str,
    /// Why it makes no checkpoints and trials, and what does, when there is more to say than that it does not.
    pub no_copies: &'static str,
    /// The address at which servers of others are usually joined, and how one is started.
    pub server: (&'static str, &'static str),
    /// What does not work in a server of somebody else's, by what that says of its version.
    pub attached: fn(version: &str) -> &'static str,
}

impl Backend {
    /// A row that says nothing, for what the others leave out.
    const NOTHING: Self = Self {
        name: "",
        program: "",
        version_argument: "--version",
        package: "",
        tried: "",
        has: &[],
        dialect: Dialect::CommonLisp,
        extensions: &[],
        project_files: &[],
        frameworks: &[],
        words: Words::NOTHING,
        agent: None,
        shell: None,
        signals: &[Signal::INT, Signal::URG],
        protocol: None,
        without_own_reports: |printed| printed,
    };

    /// Whether the runtime can do it here.
    pub fn can(&self, capability: Capability) -> bool {
        self.has.contains(&capability)
    }

    /// Whether sessions can only join it where somebody else runs it.
    pub fn is_only_joined(&self) -> bool {
        self.program.is_empty()
    }

    /// Where the program is, if it is installed. There is none for what is only joined.
    pub fn find(&self) -> Option<PathBuf> {
        match self.protocol {
            Some(Protocol::Nrepl) => crate::nrepl::program(),
            _ => find_program(self.program),
        }
    }
}

impl Words {
    const NOTHING: Self = Self {
        part_of_value: "Give the value a name and look at a part of it",
        not_looked_at: "",
        keeps_variables: "",
        prompt_command: None,
        missing_package: "",
        no_copies: "",
        server: ("", ""),
        attached: |_| "",
    };
}

/// A Lisp by its row.
#[derive(Clone, Copy)]
pub struct Runtime(&'static Backend);

impl Runtime {
    /// Every runtime, those first that are preferred among those of one dialect.
    pub fn all() -> impl Iterator<Item = Self> {
        BACKENDS.iter().copied().map(Self)
    }

    /// Those that evaluate code of `dialect` in images of their own, the one to prefer first.
    fn starting(dialect: Dialect) -> impl Iterator<Item = Self> {
        Self::all().filter(move |runtime| runtime.dialect == dialect && !runtime.is_only_joined())
    }

    /// The runtime for files of `dialect`: the first that `is_there`, else the first of all, so that this one is asked for.
    pub(crate) fn preferred(dialect: Dialect, is_there: impl Fn(Self) -> bool) -> Option<Self> {
        Self::starting(dialect).find(|runtime| is_there(*runtime)).or_else(|| Self::starting(dialect).next())
    }

    /// The preferred runtime for files of `dialect` among those that are installed; the one to install when none is, if
    /// any evaluates it.
    pub fn for_dialect(dialect: Dialect) -> Option<Self> {
        Self::preferred(dialect, |runtime| runtime.find().is_some())
    }

    /// The runtime called `name`; "common-lisp" is the preferred one.
    pub fn named(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case(Dialect::CommonLisp.name()) {
            return Self::for_dialect(Dialect::CommonLisp);
        }
        Self::all().find(|runtime| runtime.name.eq_ignore_ascii_case(name))
    }

    /// What its workers are started with, if it has any.
    pub(crate) fn agent(self) -> Option<&'static Agent> {
        self.0.agent.as_ref()
    }

    /// The runtime of sessions that join servers which speak `protocol`.
    pub(crate) fn speaking(protocol: Protocol) -> Self {
        Self::all().find(|runtime| runtime.protocol == Some(protocol)).expect("each protocol is that of a row")
    }
}

impl Deref for Runtime {
    type Target = Backend;

    fn deref(&self) -> &Backend {
        self.0
    }
}

impl PartialEq for Runtime {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Runtime {}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_name_and_says_what_is_needed() {
        for runtime in Runtime::all() {
            assert_eq!(Runtime::named(runtime.name), Some(runtime));
            assert!(runtime.agent.is_some() || runtime.protocol.is_some(), "{runtime} cannot be reached");
            assert!(runtime.is_only_joined() || !runtime.tried.is_empty(), "{runtime} was tried with no version");
            assert!(!runtime.package.is_empty() && !runtime.frameworks.is_empty(), "{runtime}");
        }
    }

    #[test]
    fn the_first_of_a_dialect_that_is_there_is_preferred() {
        let preferred = |there: &[&str]| {
            Runtime::preferred(Dialect::CommonLisp, |runtime| there.contains(&runtime.name)).map(|runtime| runtime.name)
        };
        assert_eq!(preferred(&["guile", "clisp", "ecl", "swank"]), Some("ecl"));
        assert_eq!(preferred(&["swank"]), Some("sbcl"));
        assert_eq!(Runtime::for_dialect(Dialect::Edn), None);
    }
}

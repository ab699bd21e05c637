//! The Lisps: one file here for each, with everything that is particular to it.
//!
//! A [`Backend`] is the row of a Lisp: its name and program, its capabilities, the files it is for, the agent of its
//! workers ([`crate::agent`]), the protocol of servers that its sessions attach to, and sentences about it. A
//! [`Runtime`] is a handle to a row. Code elsewhere never asks which Lisp it has, it asks the row.
//! `docs/adding-a-runtime.md` tells how to add one.

mod chez;
mod clisp;
mod clojure;
pub(crate) mod common_lisp;
mod ecl;
pub(crate) mod emacs;
mod guile;
mod racket;
mod sbcl;
mod swank;

use std::ffi::OsString;
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use lispwright_syntax::Dialect;
use rustix::process::Signal;

use crate::agent::Agent;
use crate::capture::Printed;
use crate::environment::find_program;
use crate::probe::ProbeCodes;
use crate::remote::Protocol;

/// The command of a shell for programs that cannot move descriptors: it moves the protocol to 8 and 9, and the output
/// of code to the capture.
const PROTOCOL_APART: &str = "exec 8<&0 9>&1 </dev/null; \
    if [ \"$LISPWRIGHT_CAPTURE\" ]; then exec >/dev/fd/$LISPWRIGHT_CAPTURE; else exec >&2; fi; exec \"$0\" \"$@\"";

/// Every row. Of one dialect, the preferred ones come first.
static BACKENDS: &[&Backend] = &[
    &sbcl::BACKEND,
    &guile::BACKEND,
    &chez::BACKEND,
    &ecl::BACKEND,
    &clisp::BACKEND,
    &clojure::BACKEND,
    &emacs::BACKEND,
    &racket::BACKEND,
    &swank::BACKEND,
];

/// An ability of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// Evaluate code in a worker of its own.
    Eval,
    /// Stop an evaluation and keep the state.
    Interrupt,
    /// Keep the stack of an error for inspection and restarts.
    Hold,
    /// Copy itself, so that the session can return to the copy.
    Checkpoint,
    /// Attach to an image that somebody else started.
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

/// The properties of a Lisp.
#[derive(Debug)]
pub struct Backend {
    /// The name in arguments and answers.
    pub name: &'static str,
    /// The program that runs it; empty for one that sessions only attach to.
    pub program: &'static str,
    /// The argument that makes it print its version.
    pub version_argument: &'static str,
    /// Whether a reported version can be that of the Lisp with this name: it contains the name.
    pub(crate) is_version: fn(name: &str, reported: &str) -> bool,
    /// The distribution package (Debian, Ubuntu) that contains it.
    pub package: &'static str,
    /// The packages of other managers that contain it, each with the manager's name in `managers.rs`.
    pub packages: &'static [(&'static str, &'static str)],
    /// The version that its images are tested with; empty for one that sessions only attach to.
    pub tried: &'static str,
    /// Its capabilities.
    pub has: &'static [Capability],
    /// The dialect that it evaluates.
    pub dialect: Dialect,
    /// The extensions of files that indicate it when a project is surveyed; only the first runtime of a dialect has
    /// any.
    pub extensions: &'static [&'static str],
    /// Texts of a file that only it evaluates, among the runtimes of its dialect.
    pub marks: &'static [&'static str],
    /// Files that begin a project for it, and that its build tools read; they indicate it in a project without source
    /// files.
    pub project_files: &'static [&'static str],
    /// A file whose compilation warns, of more than style, has failed to compile (CLHS 3.2.5).
    pub warnings_fail: bool,
    /// The names of the test frameworks that it runs.
    pub frameworks: &'static [&'static str],
    /// The directories where its libraries are installed with their sources, `~/` for those in the home directory. Not
    /// those where people keep work of their own.
    pub libraries: &'static [&'static str],
    /// The arguments with which its program tells what modules of libraries export, by the protocol of
    /// `images/racket/exports.rkt`, of the installation alone or of the user's, too; `None` where their sources say it.
    pub(crate) exports: Option<fn(of_user: bool) -> Vec<OsString>>,
    /// The looks at running code that it has.
    pub probes: ProbeCodes,
    /// The sentences of answers about it.
    pub words: Words,
    /// The agent of its workers; `None` when sessions only reach it through a socket.
    pub(crate) agent: Option<Agent>,
    /// The commands of a shell before it becomes the program, if that cannot move the descriptors of the protocol
    /// itself.
    pub(crate) shell: Option<&'static str>,
    /// The signals for a worker on this machine that does not read a request to stop. A worker that waits for a child,
    /// as C's `system` does, ignores SIGINT; SIGURG has no effect on processes without a handler for it.
    pub(crate) signals: &'static [Signal],
    /// While code runs, a worker reads a frame only after one of these signals.
    pub(crate) reads_when_signalled: bool,
    /// The protocol of the servers that its sessions attach to.
    pub(crate) protocol: Option<Protocol>,
    /// Removes the implementation's own reports from the output.
    pub(crate) without_own_reports: fn(Printed) -> Printed,
}

/// The sentences of answers about one Lisp: each ends with a full stop, and is empty where there is nothing to say.
#[derive(Debug)]
pub struct Words {
    /// The variable of the last value, and code for a part of its text.
    pub last_value: Option<(&'static str, &'static str)>,
    /// A list of the places whose references the image does not record.
    pub not_looked_at: &'static str,
    /// The code whose frames keep their variables.
    pub keeps_variables: &'static str,
    /// The commands of its own prompt, which are no code.
    pub prompt: Option<Prompt>,
    /// What to know about packages, modules or namespaces when one is missing.
    pub missing_package: &'static str,
    /// What its dialect calls them.
    pub package: &'static str,
    /// Code that gives other code a text to read, where standard input is empty.
    pub input: &'static str,
    /// How a missing one may be loaded.
    pub loading: Option<Loading>,
    /// The reason why its images are not copied, without the full stop.
    pub no_copies: &'static str,
    /// The usual address of servers of others, and the way to start one.
    pub server: (&'static str, &'static str),
    /// The missing features of a server of somebody else's, by its version.
    pub attached: fn(version: &str) -> &'static str,
}

/// A way to load a package, module or namespace, and what it loads, as the end of a sentence without its full stop.
#[derive(Debug)]
pub enum Loading {
    /// By its name.
    ByName(&'static str),
    /// By its file.
    ByFile(&'static str),
}

/// Commands of a prompt, and what to do instead.
#[derive(Debug)]
pub struct Prompt {
    /// Their beginning.
    pub mark: &'static str,
    /// What they are, and the code for some, without the full stop.
    pub in_code: &'static str,
    /// The one that expands macros.
    pub expand: &'static str,
    /// The one that describes a name.
    pub describe: &'static str,
}

impl Backend {
    /// The default for fields that a row leaves out.
    const NOTHING: Self = Self {
        name: "",
        program: "",
        version_argument: "--version",
        is_version: |name, reported| reported.to_ascii_lowercase().contains(name),
        package: "",
        packages: &[],
        tried: "",
        has: &[],
        dialect: Dialect::CommonLisp,
        extensions: &[],
        marks: &[],
        project_files: &[],
        warnings_fail: false,
        frameworks: &[],
        libraries: &[],
        exports: None,
        probes: ProbeCodes::NONE,
        words: Words::NOTHING,
        agent: None,
        shell: None,
        signals: &[Signal::INT, Signal::URG],
        reads_when_signalled: false,
        protocol: None,
        without_own_reports: |printed| printed,
    };

    /// Whether the runtime has this capability here.
    pub fn can(&self, capability: Capability) -> bool {
        self.has.contains(&capability)
    }

    /// Whether sessions can only attach to images that somebody else runs.
    pub fn is_only_joined(&self) -> bool {
        self.program.is_empty()
    }

    /// The path of the program, if it is installed. `None` for a runtime that sessions only attach to.
    pub fn find(&self) -> Option<PathBuf> {
        match self.protocol {
            Some(Protocol::Nrepl) => crate::nrepl::program(),
            _ => find_program(self.program),
        }
    }
}

impl Words {
    const NOTHING: Self = Self {
        last_value: None,
        not_looked_at: "",
        keeps_variables: "",
        prompt: None,
        missing_package: "",
        package: "package",
        input: "(with-input-from-string (*standard-input* \"...\") ...)",
        loading: None,
        no_copies: "",
        server: ("", ""),
        attached: |_| "",
    };
}

/// A handle to the row of a Lisp.
#[derive(Clone, Copy)]
pub struct Runtime(&'static Backend);

impl Runtime {
    /// Every runtime. Of one dialect, the preferred ones come first.
    pub fn all() -> impl Iterator<Item = Self> {
        BACKENDS.iter().copied().map(Self)
    }

    /// The runtimes that evaluate code of `dialect` in images of their own, the preferred one first.
    fn starting(dialect: Dialect) -> impl Iterator<Item = Self> {
        Self::all().filter(move |runtime| runtime.dialect == dialect && !runtime.is_only_joined())
    }

    /// The runtime for files of `dialect`: the first that `is_there`, else the first of all, so that an answer can ask
    /// for its installation.
    pub(crate) fn preferred(dialect: Dialect, is_there: impl Fn(Self) -> bool) -> Option<Self> {
        Self::starting(dialect).find(|runtime| is_there(*runtime)).or_else(|| Self::starting(dialect).next())
    }

    /// The preferred installed runtime for files of `dialect`; the one to install when none is installed, if any
    /// evaluates it.
    pub fn for_dialect(dialect: Dialect) -> Option<Self> {
        Self::preferred(dialect, |runtime| runtime.find().is_some())
    }

    /// The runtime for a file of `dialect` with this text: the one whose marks it has, else the one for all such files.
    pub fn for_text(dialect: Dialect, text: &str) -> Option<Self> {
        let has_mark = |runtime: &Self| runtime.marks.iter().any(|mark| text.contains(mark));
        Self::starting(dialect).find(has_mark).or_else(|| Self::for_dialect(dialect))
    }

    /// The runtime whose build tools read a file with this name; no runtime loads it.
    pub fn of_project_file(name: &Path) -> Option<Self> {
        let name = name.file_name()?;
        Self::all().find(|runtime| runtime.project_files.iter().any(|one| name == *one))
    }

    /// The runtime called `name`; "common-lisp" is the preferred one.
    pub fn named(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case(Dialect::CommonLisp.name()) {
            return Self::for_dialect(Dialect::CommonLisp);
        }
        Self::all().find(|runtime| runtime.name.eq_ignore_ascii_case(name))
    }

    /// The agent of its workers, if it has any.
    pub(crate) fn agent(self) -> Option<&'static Agent> {
        self.0.agent.as_ref()
    }

    /// The runtime of sessions that attach to servers of `protocol`.
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
    fn every_row_is_found_by_its_name_and_is_complete() {
        for runtime in Runtime::all() {
            assert_eq!(Runtime::named(runtime.name), Some(runtime));
            assert!(runtime.agent.is_some() || runtime.protocol.is_some(), "{runtime} cannot be reached");
            assert!(runtime.is_only_joined() || !runtime.tried.is_empty(), "{runtime} was tried with no version");
            assert!(!runtime.package.is_empty() && !runtime.frameworks.is_empty(), "{runtime}");
        }
    }

    #[test]
    fn the_first_installed_runtime_of_a_dialect_is_preferred() {
        let preferred = |there: &[&str]| {
            Runtime::preferred(Dialect::CommonLisp, |runtime| there.contains(&runtime.name)).map(|runtime| runtime.name)
        };
        assert_eq!(preferred(&["guile", "clisp", "ecl", "swank"]), Some("ecl"));
        assert_eq!(preferred(&["swank"]), Some("sbcl"));
        assert_eq!(Runtime::for_dialect(Dialect::Edn), None);
    }

    #[test]
    fn a_file_that_only_one_runtime_evaluates_goes_to_that() {
        let of = |text: &str| Runtime::for_text(Dialect::Scheme, text).map(|runtime| runtime.name);
        for text in ["(import (chezscheme))", "#!chezscheme\n(library (a))", "(import (chezscheme csv7))"] {
            assert_eq!(of(text), Some("chez"), "{text}");
        }
        for text in ["(define-module (a))", "(import (rnrs))", "; chezscheme"] {
            assert_eq!(of(text), Runtime::for_dialect(Dialect::Scheme).map(|runtime| runtime.name), "{text}");
        }
    }
}

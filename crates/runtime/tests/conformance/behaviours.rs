//! The behaviours of a runtime, independent of its language. Each uses a session in an unknown state, and leaves it
//! usable.

mod code;
mod copies;
mod errors;
mod limits;
mod probes;
mod project;

use std::pin::Pin;
use std::sync::Arc;

use crate::bench::Bench;

/// A running behaviour.
type Holding = Pin<Box<dyn Future<Output = ()>>>;

/// A behaviour of a runtime.
pub(crate) struct Behaviour {
    pub(crate) name: &'static str,
    /// Panics unless it holds.
    pub(crate) holds: fn(Arc<Bench>) -> Holding,
}

macro_rules! behaviours {
    ($($group:ident: $($name:literal $function:path;)*)*) => {
        $(pub(crate) const $group: &[Behaviour] =
            &[$(Behaviour { name: $name, holds: |bench| Box::pin($function(bench)) }),*];)*

        /// Every one of them.
        pub(crate) const ALL: &[&[Behaviour]] = &[$($group),*];
    };
}

behaviours! {
    CODE:
    "values" code::values;
    "output" code::output;
    "definitions" code::definitions;
    "packages" code::packages;
    "packages of one call" code::packages_of_one_call;
    "all of Unicode" code::all_of_unicode;
    "long values" code::long_values;
    "reading without evaluation" code::reading_without_evaluation;
    "an empty input" code::an_empty_input;
    "programs" code::programs;
    "closed streams" code::closed_streams;
    "warnings" code::warnings;
    "expansions" code::expansions;
    "objects" code::objects;

    ERRORS:
    "errors" errors::errors;
    "unclosed code" errors::unclosed_code;
    "held errors" errors::held_errors;
    "variables of frames" errors::variables_of_frames;
    "restarts" errors::restarts;

    LIMITS:
    "endless code" limits::endless_code;
    "withdrawn calls" limits::withdrawn_calls;
    "endless output" limits::endless_output;
    "an exhausted stack" limits::an_exhausted_stack;
    "a full heap" limits::a_full_heap;
    "an exit" limits::an_exit;

    PROJECT:
    "loading" project::loading;
    "warnings of files" project::warnings_of_files;
    "loading what fails" project::loading_what_fails;
    "loading what is not there" project::loading_what_is_not_there;
    "loading what ends itself" project::loading_what_ends_itself;
    "tests" project::tests;
    "tests that hang" project::tests_that_hang;
    "no tests" project::no_tests;
    "descriptions" project::descriptions;
    "exports" project::exports;
    "references" project::references;

    COPIES:
    "trials" copies::trials;
    "checkpoints" copies::checkpoints;

    PROBES:
    "traces" probes::traces;
    "statistical profiles" probes::statistical_profiles;
    "deterministic profiles" probes::deterministic_profiles;
    "coverage" probes::coverage;
    "disassembly" probes::disassembly;
}

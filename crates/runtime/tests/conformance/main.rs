//! The behaviours of every runtime, tested on each that is installed.
//!
//! `behaviours` holds the behaviours, independent of language; `phrases` has the code for them in each language;
//! [`BACKENDS`] is the table of runtimes, each with the behaviours that it is known to lack. A runtime that lacks more
//! fails its test, and so does one that lacks less: the table must promise what works.
#![allow(clippy::unwrap_used)]

mod behaviours;
mod bench;
#[allow(dead_code, reason = "what only the tests on SBCL use")]
#[path = "../sbcl/lab.rs"]
mod lab;
#[allow(dead_code, reason = "what only the tests on Swank use")]
#[path = "../swank/server.rs"]
mod owner;
mod phrases;

use bench::Backend;

const BACKENDS: &[Backend] = &[
    Backend { name: "sbcl", phrases: &phrases::common_lisp::SBCL, lacks: &[] },
    Backend {
        name: "ecl",
        phrases: &phrases::common_lisp::ECL,
        lacks: &[
            ("statistical profiles", "ECL's profiler is a module that is not always built"),
            ("deterministic profiles", "ECL has none"),
            ("coverage", "ECL has none"),
            ("trials", "ECL serves its threads with signals, and a copy has one thread"),
            ("checkpoints", "as trials"),
            ("descriptions", "not yet"),
            ("references", "not yet"),
            ("exports", "not yet"),
        ],
    },
    Backend {
        name: "clisp",
        phrases: &phrases::common_lisp::CLISP,
        lacks: &[
            ("statistical profiles", "CLISP has none"),
            ("deterministic profiles", "CLISP has none"),
            ("coverage", "CLISP has none"),
            ("variables of frames", "CLISP tells the names of those of compiled functions, and evaluates in none"),
            ("trials", "CLISP has no call to copy its process"),
            ("checkpoints", "as trials"),
            ("descriptions", "not yet"),
            ("references", "not yet"),
            ("exports", "not yet"),
        ],
    },
    Backend { name: "guile", phrases: &phrases::guile::GUILE, lacks: &[] },
    Backend {
        name: "chez",
        phrases: &phrases::chez::CHEZ,
        lacks: &[
            ("traces", "not yet"),
            ("statistical profiles", "Chez has none"),
            ("deterministic profiles", "Chez counts in code that was compiled for it"),
            ("coverage", "as deterministic profiles"),
            ("disassembly", "Chez shows instructions only while it compiles"),
            ("packages", "environments of Chez have no names that a session could stay in"),
        ],
    },
    Backend {
        name: "clojure",
        phrases: &phrases::clojure::CLOJURE,
        lacks: &[
            ("disassembly", "the JVM shows the instructions of classes in files only"),
            ("coverage", "Clojure has none, and a JVM cannot be copied for it"),
            ("warnings", "the compiler knows none but those of reflection, which are diagnostics"),
            ("held errors", "the JVM unwinds the stack before anybody is asked"),
            ("variables of frames", "as held errors"),
            ("restarts", "as held errors"),
            ("trials", "a JVM cannot be copied"),
            ("checkpoints", "as trials"),
            ("references", "Clojure keeps no record of callers"),
            ("objects", "values are not kept by number"),
        ],
    },
    Backend {
        name: "emacs",
        phrases: &phrases::emacs_lisp::EMACS,
        lacks: &[
            ("packages", "names of Emacs Lisp are global"),
            ("packages of one call", "as packages"),
            ("warnings", "code that is evaluated is not compiled"),
            ("restarts", "Emacs lets the stack of an error only be left"),
            ("coverage", "testcover instruments definitions in place, and Emacs has no call to copy its process"),
            ("trials", "Emacs has no call to copy its process"),
            ("checkpoints", "as trials"),
        ],
    },
    Backend {
        name: "racket",
        phrases: &phrases::racket::RACKET,
        lacks: &[
            ("traces", "a module's functions cannot be replaced"),
            ("statistical profiles", "not yet"),
            ("deterministic profiles", "as traces"),
            ("coverage", "it would be a package of its own, and Racket has no call to copy its process"),
            ("disassembly", "not yet"),
            ("warnings", "the compiler knows none: what is not bound in a module is an error"),
            ("warnings of files", "as warnings"),
            ("held errors", "frames keep only arguments, which the error tells"),
            ("variables of frames", "as held errors"),
            ("restarts", "as held errors"),
            ("trials", "Racket has no call to copy its process"),
            ("checkpoints", "as trials"),
        ],
    },
    Backend {
        name: "swank",
        phrases: &phrases::common_lisp::SWANK,
        lacks: &[
            ("statistical profiles", "portable Common Lisp has none"),
            ("tests that hang", "the owner's server has one interrupt, which ends the run"),
            ("deterministic profiles", "as statistical profiles"),
            ("coverage", "as statistical profiles"),
            ("an exit", "it ends the owner's image"),
            ("loading what ends itself", "as an exit"),
            ("trials", "the owner's image is not copied"),
            ("checkpoints", "the owner's image is not copied"),
        ],
    },
];

/// The tests of each runtime, by its name.
macro_rules! conforms {
    ($($name:ident)*) => {
        $(mod $name {
            use crate::{behaviours, bench};

            #[tokio::test]
            async fn code() {
                bench::conforms(stringify!($name), behaviours::CODE).await;
            }

            #[tokio::test]
            async fn errors() {
                bench::conforms(stringify!($name), behaviours::ERRORS).await;
            }

            #[tokio::test]
            async fn limits() {
                bench::conforms(stringify!($name), behaviours::LIMITS).await;
            }

            #[tokio::test]
            async fn project() {
                bench::conforms(stringify!($name), behaviours::PROJECT).await;
            }

            #[tokio::test]
            async fn copies() {
                bench::conforms(stringify!($name), behaviours::COPIES).await;
            }

            #[tokio::test]
            async fn probes() {
                bench::conforms(stringify!($name), behaviours::PROBES).await;
            }
        })*

        #[test]
        fn every_runtime_has_a_row_and_a_test() {
            let tests = [$(stringify!($name)),*];
            for runtime in lispwright_runtime::Runtime::all() {
                assert!(tests.contains(&runtime.name), "{runtime} has no test");
                assert!(BACKENDS.iter().any(|row| row.name == runtime.name), "{runtime} has no row");
            }
            for (lacked, _) in BACKENDS.iter().flat_map(|row| row.lacks) {
                let is_one = behaviours::ALL.iter().copied().flatten().any(|behaviour| behaviour.name == *lacked);
                assert!(is_one, "{lacked} is no behaviour");
            }
        }
    };
}

conforms! { sbcl ecl clisp guile chez clojure emacs racket swank }

//! The stories of each language: files before a change and after it.

pub(crate) mod chez;
pub(crate) mod clojure;
pub(crate) mod common_lisp;
pub(crate) mod emacs;
pub(crate) mod guile;
pub(crate) mod racket;

pub(crate) use common_lisp::{clisp_files, clisp_serial, ecl_files, ecl_loose, sbcl_files, sbcl_loose, sbcl_serial};

use std::path::Path;

/// A language, with its stories.
pub(crate) struct Language {
    /// The name of its runtime.
    pub(crate) runtime: &'static str,
    /// The file with the tests, or the system.
    pub(crate) tests: &'static str,
    /// Files that a session loads by themselves before the tests, in this order, as far as they are there.
    pub(crate) single_files: &'static [&'static str],
    /// At how many distances a story is told; one if its tests have all of them.
    pub(crate) distances: usize,
    /// The files around the base: the users, each at its distance, and the tests. `uses` is code that uses what the base
    /// defines, `old` its value before the change, `new` the value after it. `FILES` in a text stands for the names of the
    /// base and the other files that are there.
    pub(crate) around: fn(distance: usize, story: &Story) -> Vec<(String, String)>,
    /// The file of the base.
    pub(crate) base: &'static str,
    /// Runs the tests in a fresh process of the language, without any help.
    pub(crate) fresh: fn(root: &Path) -> Verdict,
    /// Whether the change is also made by an edit that the tests verify.
    pub(crate) verifies: Verifies,
    /// Its image says the truth without a fresh one beside it.
    pub(crate) keeps_its_image: bool,
    pub(crate) stories: &'static [Story],
}

/// Edits that the tests verify, each of which is on a line of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verifies {
    /// With the test that the change breaks or the one that it mends, from story to story and from distance to distance.
    InTurn,
    Nothing,
}

/// How many tests passed, and the names of those that failed; `None` if they do not load.
pub(crate) type Verdict = Option<(u32, Vec<String>)>;

/// A change of a base that others use.
pub(crate) struct Story {
    pub(crate) name: &'static str,
    /// The base before, and after; without a text, the file is not there.
    pub(crate) base: [Option<&'static str>; 2],
    /// Other files, before and after.
    pub(crate) others: &'static [(&'static str, [Option<&'static str>; 2])],
    /// What the user of the base needs at its head, before and after, if it is not the usual.
    pub(crate) heads: Option<[&'static str; 2]>,
    /// Further text of the tests, before and after.
    pub(crate) more_tests: [&'static str; 2],
    /// Code of the user.
    pub(crate) uses: &'static str,
    /// The value of that code before and after.
    pub(crate) values: [&'static str; 2],
    /// Files that are loaded by themselves after the change.
    pub(crate) loads: &'static [&'static str],
    /// How many files may be between the user of the base and the tests.
    pub(crate) distances: &'static [usize],
}

impl Story {
    /// A story about nothing, to be completed.
    pub(crate) const NONE: Self = Self {
        name: "",
        base: [None, None],
        others: &[],
        heads: None,
        more_tests: ["", ""],
        uses: "",
        values: ["1", "2"],
        loads: &[],
        distances: &[0, 1, 2],
    };
}

//! What a rule is.

use lispwright_syntax::Dialect;

use crate::file::File;
use crate::finding::{Findings, Severity};

/// A rule and its documentation, from which the page of rules is made.
pub trait Rule: Sync {
    /// What it is about.
    fn about(&self) -> &'static About;

    /// What it finds in a file depends on all other files of the project.
    fn needs_project(&self) -> bool {
        false
    }

    /// What it finds in a form depends on the uses of its names in other forms. Where only a part of the file is judged,
    /// what it finds in the others counts, too.
    fn needs_file(&self) -> bool {
        false
    }

    /// Adds what it finds in `file`.
    fn check(&self, file: &File<'_, '_>, findings: &mut Findings);
}

/// The documentation of a rule.
#[derive(Debug)]
pub struct About {
    /// Its name, in words joined by hyphens, which never changes.
    pub code: &'static str,
    /// The level of what it finds.
    pub severity: Severity,
    /// It is on unless a project says otherwise: it cannot be wrong.
    pub is_default: bool,
    /// The dialects that have what it is about.
    pub dialects: &'static [Dialect],
    /// What it finds, in a sentence.
    pub what: &'static str,
    /// Why that is wrong, in a sentence or two.
    pub why: &'static str,
    /// Examples, which the tests run: at least one.
    pub examples: &'static [Example],
}

/// Code that is wrong, and the same made right.
#[derive(Debug)]
pub struct Example {
    /// The dialect of both.
    pub dialect: Dialect,
    /// A file in which the rule finds something, and nothing else.
    pub wrong: &'static str,
    /// The same in which no rule finds anything.
    pub right: &'static str,
}

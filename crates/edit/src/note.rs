//! Effects of an edit that its author may not expect.

use lispwright_syntax::{DiagnosticKind, Form};

use crate::unexpected::Unexpected;

/// An effect. Lines count from 1 and are those of the new text unless a field says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Escapes in the new source were replaced by the invisible characters of the form.
    Unescaped,
    /// The form has another name now.
    Renamed {
        /// Its label before.
        before: String,
        /// Its label now.
        after: String,
    },
    /// The prefix of the form, such as a condition, was kept.
    PrefixKept(String),
    /// The prefix was replaced.
    PrefixReplaced {
        /// The old prefix.
        before: String,
        /// The new prefix.
        after: String,
    },
    /// Closers without an opener after the form were removed with it.
    StraysRemoved(String),
    /// The form is a branch of a reader conditional with this opener; the new source is beside the whole conditional.
    BesideConditional(String),
    /// The new source is after the form that declares the feature of the file.
    AfterProvide {
        /// The source of that form.
        form: String,
        /// Its line in the old text.
        line: u32,
    },
    /// The old text was found with other white space.
    Loosely {
        /// Its line.
        line: u32,
    },
    /// Several occurrences were changed.
    Occurrences {
        /// Their number.
        count: usize,
    },
    /// The lines of the new source after its first have another indentation than as they were sent.
    Moved {
        /// The number of columns by which they moved right.
        columns: isize,
    },
    /// The file does not balance elsewhere.
    BrokenElsewhere {
        /// Its line.
        line: u32,
        /// The mistake.
        kind: DiagnosticKind,
    },
    /// The file balances, but only because its mistakes cancel each other out.
    BalancedByChance {
        /// The line of one of them, judged by columns.
        line: u32,
        /// The mistake.
        kind: DiagnosticKind,
    },
    /// The file balances, but a form contradicts its indentation: the sentence that says which.
    Renested(String),
    /// An effect that is seldom meant.
    Unexpected(Unexpected),
    /// The file balances, but a dot is followed by no datum or by several.
    StrayDot {
        /// Its line.
        line: u32,
    },
}

impl Note {
    /// The note that lines moved right by so many columns, if they moved.
    pub(crate) fn moved(columns: isize) -> Option<Self> {
        (columns != 0).then_some(Self::Moved { columns })
    }

    /// The note that a form with its text has become another one, which begins on `line`.
    pub(crate) fn renamed((old, old_text): (&Form, &str), (new, new_text): (&Form, &str), line: u32) -> Self {
        let renamed = || Self::Renamed { before: old.label(old_text), after: new.label(new_text) };
        Unexpected::undefined((old, old_text), (new, new_text), line).map_or_else(renamed, Self::Unexpected)
    }
}

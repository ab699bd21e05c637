//! What the author of an edit may not expect of it.

use lispwright_syntax::DiagnosticKind;

/// One such thing. Lines count from 1 and are those of the new text where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Escapes in the new source were taken for the unseen characters that the form has.
    PutBack,
    /// The form is called something else now.
    Renamed {
        /// How it was spoken of.
        before: String,
        /// How it is.
        after: String,
    },
    /// What is in front of the form, such as a condition, was kept.
    PrefixKept(String),
    /// It was replaced.
    PrefixReplaced {
        /// What there was.
        before: String,
        /// What there is.
        after: String,
    },
    /// Closers after the form closed nothing and went with it.
    StraysRemoved(String),
    /// The form is a branch of a reader conditional, which begins so; the new source is beside all of it.
    BesideConditional(String),
    /// The new source is after the form that says what a file provides.
    AfterProvide {
        /// That form.
        form: String,
        /// Its line in the old text.
        line: u32,
    },
    /// The old text was found with other white space.
    Loosely {
        /// Where.
        line: u32,
    },
    /// The file does not balance elsewhere.
    BrokenElsewhere {
        /// Where.
        line: u32,
        /// The mistake.
        kind: DiagnosticKind,
    },
    /// The file balances, and only because its mistakes make up for each other.
    BalancedByChance {
        /// Where one of them is, as the columns say.
        line: u32,
        /// The mistake.
        kind: DiagnosticKind,
    },
    /// The file balances, and its indentation says otherwise: where and how.
    Renested(String),
    /// The file balances, and there is not just one datum after a dot.
    StrayDot {
        /// Where.
        line: u32,
    },
}

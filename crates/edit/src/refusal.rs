//! Every way in which a request about a text can be wrong, one variant each; the sentences are in `lispwright-words`.
//!
//! Positions in content are lines of the content; all others are lines of the file, whose path this crate does not know.

use crate::diagnose::Diagnosis;
use crate::form_line::FormLine;
use crate::occurrence::Near;
use crate::slip::Slip;
use crate::source::Place;

/// Why a request was not carried out. Nothing has been changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditRefusal {
    /// Neither a name nor a type nor a line was given.
    NoAddress,
    /// `line` and `index` count from 1, and one of them is 0.
    CountsFromOne,
    /// No form fits the address.
    FormNotFound {
        /// The address in words.
        asked: String,
        /// Forms of that name which the rest of the address excludes.
        others: Vec<FormLine>,
        /// Names that look alike, best first.
        nearest: Vec<String>,
        /// How many definitions the file has.
        definitions: usize,
    },
    /// Several forms fit the address.
    FormAmbiguous {
        /// The address in words.
        asked: String,
        /// All of them, in source order.
        candidates: Vec<FormLine>,
    },
    /// The address is a name that another form brings along or speaks of, and that form would be lost.
    OnlyMentioned {
        /// The address in words.
        asked: String,
        /// The form that it leads to.
        form: FormLine,
    },
    /// The digest does not belong to the form as it is now.
    Stale {
        /// What was given.
        given: String,
        /// The digest of the form now.
        digest: String,
        /// The form now, header comment included.
        present: String,
        /// Its first line.
        line: u32,
    },
    /// The operation needs content.
    ContentMissing,
    /// The content holds no form.
    NoForm,
    /// The content holds several forms where one is needed.
    SeveralForms {
        /// The line and the first line of each.
        forms: Vec<(u32, String)>,
    },
    /// The content is wrapped in a Markdown fence.
    Fenced {
        /// Line of the content.
        line: u32,
    },
    /// The lines of the content begin with line numbers.
    Numbered,
    /// Brackets that are no brackets in this dialect, in a file that does not use them.
    ForeignBracket {
        /// The bracket.
        bracket: char,
        /// Place in the content.
        at: Place,
        /// The symbol it would become part of.
        symbol: String,
        /// Name of the dialect.
        dialect: &'static str,
    },
    /// Typographic quotation marks where code has to stand.
    SmartQuote {
        /// The mark.
        quote: char,
        /// Place in the content.
        at: Place,
    },
    /// A character that looks like a blank or like nothing is part of a symbol.
    Invisible {
        /// Which.
        character: char,
        /// Place in the content.
        at: Place,
    },
    /// The content is no source as it stands: it carries a trace of where it was copied from.
    Slip {
        /// Which.
        slip: Slip,
        /// Place in the content.
        at: Place,
    },
    /// The content is where the form begins, and stops before its end.
    CutOff {
        /// Characters of the content.
        given: usize,
        /// Characters of the form.
        whole: usize,
    },
    /// The content does not balance.
    Unbalanced {
        /// What is wrong and what could be changed, in lines of the content.
        diagnosis: Box<Diagnosis>,
        /// A certain repair would have been made.
        allowed: bool,
    },
    /// After the patch the form does not balance.
    PatchUnbalanced {
        /// What is wrong and what could be changed, in lines of the file as it would be.
        diagnosis: Box<Diagnosis>,
        /// Delimiters that `new_text` lacks, net.
        add: String,
        /// Delimiters that `new_text` has too many, net.
        remove: String,
        /// First and last line of the patched text in the file as it would be.
        patched: (u32, u32),
        /// `new_text` as the certain fix would have it, when that lies inside.
        corrected: Option<String>,
    },
    /// Another form would read differently.
    WouldBreak {
        /// The line of the changed file from which on it does.
        line: u32,
        /// That line.
        text: String,
    },
    /// The edited place would hold another number of forms.
    WouldSplit {
        /// How many.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// The place of the edit holds other forms than the one that is meant, or a part of one: they would go with it.
    WouldRemove {
        /// How many the place holds, parts of forms included.
        found: usize,
        /// How many may go.
        expected: usize,
    },
    /// What is wrong with a text of a patch, in terms of that text.
    In {
        /// The argument.
        argument: &'static str,
        /// What would be wrong with content.
        refusal: Box<EditRefusal>,
    },
    /// `old_text` is empty.
    EmptyOldText,
    /// `old_text` does not occur in the form.
    TextNotFound {
        /// The form.
        label: String,
        /// Its lines.
        lines: (u32, u32),
        /// The part of the form that is nearest to it.
        near: Option<Near>,
        /// Lines elsewhere in the file on which it begins.
        elsewhere: Vec<u32>,
    },
    /// `old_text` occurs several times in the form.
    TextAmbiguous {
        /// The form.
        label: String,
        /// The lines on which it begins, and each such line.
        lines: Vec<(u32, String)>,
    },
    /// The form is a branch of a reader conditional and cannot have neighbours there.
    InsideConditional {
        /// The line of the form.
        line: u32,
    },
    /// A pattern is not a regular expression.
    BadPattern {
        /// The argument.
        argument: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

impl EditRefusal {
    /// The stable code that clients see.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::In { refusal, .. } => refusal.code(),
            Self::FormNotFound { .. } | Self::OnlyMentioned { .. } => "FORM_NOT_FOUND",
            Self::FormAmbiguous { .. } => "FORM_AMBIGUOUS",
            Self::Stale { .. } => "STALE",
            Self::CutOff { .. } | Self::Unbalanced { .. } | Self::PatchUnbalanced { .. } => "UNBALANCED",
            Self::WouldBreak { .. } | Self::WouldSplit { .. } | Self::WouldRemove { .. } => "WOULD_BREAK",
            Self::TextNotFound { .. } => "TEXT_NOT_FOUND",
            Self::TextAmbiguous { .. } => "TEXT_AMBIGUOUS",
            Self::NoAddress
            | Self::CountsFromOne
            | Self::ContentMissing
            | Self::NoForm
            | Self::SeveralForms { .. }
            | Self::Fenced { .. }
            | Self::Numbered
            | Self::ForeignBracket { .. }
            | Self::SmartQuote { .. }
            | Self::Invisible { .. }
            | Self::Slip { .. }
            | Self::EmptyOldText
            | Self::InsideConditional { .. }
            | Self::BadPattern { .. } => "BAD_ARGUMENT",
        }
    }

    /// The argument that the positions of this refusal are positions in; the file when `None`.
    #[must_use]
    pub fn argument(&self) -> Option<&'static str> {
        match self {
            Self::In { argument, .. } => Some(argument),
            Self::Fenced { .. }
            | Self::Numbered
            | Self::ForeignBracket { .. }
            | Self::SmartQuote { .. }
            | Self::Invisible { .. }
            | Self::Slip { .. }
            | Self::CutOff { .. }
            | Self::Unbalanced { .. }
            | Self::NoForm
            | Self::SeveralForms { .. } => Some("content"),
            _ => None,
        }
    }

    /// The same about the text that a patch has in `argument`.
    pub(crate) fn within(self, argument: &'static str) -> Self {
        Self::In { argument, refusal: Box::new(self) }
    }

    /// What is wrong, whatever text it is wrong with.
    #[must_use]
    pub fn fault(&self) -> &Self {
        if let Self::In { refusal, .. } = self { refusal } else { self }
    }

    /// The line it is about and, where that is known, the column: in the argument that [`EditRefusal::argument`] names
    /// or in the file. For a refused patch or edit, in the file as it would be.
    #[must_use]
    pub fn place(&self) -> Option<(u32, Option<u32>)> {
        let whole = |place: Place| Some((place.line, Some(place.column)));
        match self {
            Self::In { refusal, .. } => refusal.place(),
            Self::Unbalanced { diagnosis, .. } | Self::PatchUnbalanced { diagnosis, .. } => whole(diagnosis.likely_at),
            Self::ForeignBracket { at, .. }
            | Self::SmartQuote { at, .. }
            | Self::Invisible { at, .. }
            | Self::Slip { at, .. } => whole(*at),
            Self::Fenced { line } => Some((*line, Some(1))),
            Self::Stale { line, .. } | Self::InsideConditional { line } | Self::WouldBreak { line, .. } => {
                Some((*line, None))
            }
            Self::TextNotFound { lines, .. } => Some((lines.0, None)),
            Self::TextAmbiguous { lines, .. } => lines.first().map(|(line, _)| (*line, None)),
            Self::OnlyMentioned { form, .. } => Some((form.line, None)),
            Self::FormAmbiguous { candidates, .. } => candidates.first().map(|form| (form.line, None)),
            Self::SeveralForms { forms } => forms.get(1).map(|(line, _)| (*line, None)),
            _ => None,
        }
    }
}

//! The ways in which a request about a text can be wrong, one variant each; the sentences are in `lispwright-words`.
//!
//! Positions in content are lines of the content; all others are lines of the file, whose path this crate does not know.

use lispwright_repair::apply;
use lispwright_syntax::Flaw;

use crate::apart::Rest;
use crate::artefact::Artefact;
use crate::diagnose::Diagnosis;
use crate::fix::{Corrected, Fix};
use crate::form_line::FormLine;
use crate::occurrence::Near;
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
        /// Forms of that name that the rest of the address excludes.
        others: Vec<FormLine>,
        /// Similar names, best first.
        nearest: Vec<String>,
        /// The number of definitions in the file.
        definitions: usize,
    },
    /// Several forms fit the address.
    FormAmbiguous {
        /// The address in words.
        asked: String,
        /// All of them, in source order.
        candidates: Vec<FormLine>,
    },
    /// The address is a name that a form defines or mentions inside, and that form would be lost.
    OnlyMentioned {
        /// The address in words.
        asked: String,
        /// The form that it leads to.
        form: FormLine,
    },
    /// The digest is not that of the present form.
    Stale {
        /// The given digest.
        given: String,
        /// The digest of the present form.
        digest: String,
        /// The present form, header comment included.
        present: String,
        /// Its first line.
        line: u32,
    },
    /// The operation needs content.
    ContentMissing,
    /// The content has no form.
    NoForm,
    /// The content has several forms where one is needed.
    SeveralForms {
        /// The number and the text of each form's first line.
        forms: Vec<(u32, String)>,
        /// What the replaced form defines.
        name: Option<String>,
    },
    /// The content is wrapped in a Markdown fence.
    Fenced {
        /// Line of the content.
        line: u32,
    },
    /// The lines of the content begin with line numbers.
    Numbered,
    /// A bracket that is part of a symbol in this dialect, in a file whose symbols do not use it.
    ForeignBracket {
        /// The bracket.
        bracket: char,
        /// Its place in the content.
        at: Place,
        /// The symbol it would become part of.
        symbol: String,
        /// Name of the dialect.
        dialect: &'static str,
    },
    /// A typographic quotation mark in code.
    SmartQuote {
        /// The mark.
        quote: char,
        /// Its place in the content.
        at: Place,
    },
    /// A symbol contains a character that looks like a blank or is invisible.
    Invisible {
        /// Its kind.
        character: char,
        /// Its place in the content.
        at: Place,
    },
    /// The content has an artefact of copying.
    Artefact {
        /// Its kind.
        artefact: Artefact,
        /// Its place in the content.
        at: Place,
    },
    /// The content balances, and is no source.
    Flawed {
        /// Its flaw.
        flaw: Flaw,
        /// Its place in the content.
        at: Place,
        /// The text there.
        text: String,
    },
    /// The content is only the beginning of the form.
    CutOff {
        /// Characters of the content.
        given: usize,
        /// Characters of the form.
        whole: usize,
    },
    /// The content does not balance.
    Unbalanced {
        /// The mistake and its fixes, in lines of the content.
        diagnosis: Box<Diagnosis>,
        /// A certain repair would have been made.
        allowed: bool,
        /// The content, to which the edits of the fixes belong.
        sent: String,
        /// Of several forms, those that can be written without the doubtful ones.
        rest: Option<Box<Rest>>,
    },
    /// After the patch the form does not balance.
    PatchUnbalanced {
        /// The mistake and its fixes, in lines of the file as it would be.
        diagnosis: Box<Diagnosis>,
        /// Delimiters that `new_text` lacks, net.
        add: String,
        /// Delimiters that `new_text` has too many, net.
        remove: String,
        /// First and last line of the patched text in the file as it would be.
        patched: (u32, u32),
        /// `new_text` with the certain fix applied, if that is inside it.
        corrected: Option<String>,
        /// The form as it is, and with the patch; the edits of the fixes belong to the second.
        forms: Box<(String, String)>,
    },
    /// Another form would read differently.
    WouldBreak {
        /// The first line of the changed file that does.
        line: u32,
        /// The text of that line.
        text: String,
    },
    /// The edited place would hold another number of forms.
    WouldSplit {
        /// The number found.
        found: usize,
        /// The expected number.
        expected: usize,
    },
    /// The place of the edit has other forms besides the named one, or a part of one: they would be lost.
    WouldRemove {
        /// The number of forms there, parts of forms included.
        found: usize,
        /// The number of forms that may be removed.
        expected: usize,
    },
    /// A mistake in a text of a patch, with places in that text.
    In {
        /// The argument.
        argument: &'static str,
        /// The refusal that content with this mistake would get.
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
    /// No form is named, and `old_text` occurs in several.
    TextInForms {
        /// The forms.
        forms: Vec<FormLine>,
    },
    /// `old_text` occurs several times in the form.
    TextAmbiguous {
        /// The form.
        label: String,
        /// The number and the text of each line on which it begins.
        lines: Vec<(u32, String)>,
    },
    /// The form is a branch of a reader conditional and cannot have neighbours there.
    InsideConditional {
        /// The line of the form.
        line: u32,
    },
    /// A pattern is not a valid regular expression.
    BadPattern {
        /// The argument.
        argument: &'static str,
        /// The error.
        why: String,
    },
}

impl EditRefusal {
    /// The source with each of the fixes of a text that does not balance, in their order; empty for other refusals.
    #[must_use]
    pub fn corrected(&self) -> Vec<Corrected> {
        match self {
            Self::Unbalanced { diagnosis, sent, .. } => {
                diagnosis.fixes.iter().map(|fix| Corrected::Content(apply(sent, &fix.edits))).collect()
            }
            Self::PatchUnbalanced { diagnosis, forms, .. } => {
                let (old, new) = &**forms;
                let with = |fix: &Fix| Corrected::Patch { old_text: old.clone(), new_text: apply(new, &fix.edits) };
                diagnosis.fixes.iter().map(with).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The fixes of a text that does not balance; empty for other refusals.
    pub fn fixes_mut(&mut self) -> &mut [Fix] {
        match self {
            Self::Unbalanced { diagnosis, .. } | Self::PatchUnbalanced { diagnosis, .. } => &mut diagnosis.fixes,
            _ => &mut [],
        }
    }

    /// It is about new source that does not balance, with or without candidates.
    #[must_use]
    pub const fn is_unbalanced(&self) -> bool {
        matches!(self, Self::Unbalanced { .. } | Self::PatchUnbalanced { .. })
    }

    /// The forms of content that does not balance which can be written without the doubtful ones.
    #[must_use]
    pub fn rest(&self) -> Option<&Rest> {
        match self {
            Self::Unbalanced { rest, .. } => rest.as_deref(),
            _ => None,
        }
    }

    /// [`Self::rest`], to name it.
    pub fn rest_mut(&mut self) -> Option<&mut Rest> {
        match self {
            Self::Unbalanced { rest, .. } => rest.as_deref_mut(),
            _ => None,
        }
    }

    /// The stable code that clients see.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::In { refusal, .. } => refusal.code(),
            Self::FormNotFound { .. } | Self::OnlyMentioned { .. } => "FORM_NOT_FOUND",
            Self::FormAmbiguous { .. } => "FORM_AMBIGUOUS",
            Self::Stale { .. } => "STALE",
            Self::Flawed { flaw: Flaw::LeftOut, .. } => "BAD_ARGUMENT",
            Self::CutOff { .. } | Self::Unbalanced { .. } | Self::PatchUnbalanced { .. } | Self::Flawed { .. } => {
                "UNBALANCED"
            }
            Self::WouldBreak { .. } | Self::WouldSplit { .. } | Self::WouldRemove { .. } => "WOULD_BREAK",
            Self::TextNotFound { .. } => "TEXT_NOT_FOUND",
            Self::TextAmbiguous { .. } | Self::TextInForms { .. } => "TEXT_AMBIGUOUS",
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
            | Self::Artefact { .. }
            | Self::EmptyOldText
            | Self::InsideConditional { .. }
            | Self::BadPattern { .. } => "BAD_ARGUMENT",
        }
    }

    /// The argument to which the positions of this refusal refer; the file when `None`.
    #[must_use]
    pub fn argument(&self) -> Option<&'static str> {
        match self {
            Self::In { argument, .. } => Some(argument),
            Self::Fenced { .. }
            | Self::Numbered
            | Self::ForeignBracket { .. }
            | Self::SmartQuote { .. }
            | Self::Invisible { .. }
            | Self::Artefact { .. }
            | Self::Flawed { .. }
            | Self::CutOff { .. }
            | Self::Unbalanced { .. }
            | Self::NoForm
            | Self::SeveralForms { .. } => Some("content"),
            _ => None,
        }
    }

    /// The same refusal for the text `argument` of a patch.
    pub(crate) fn within(self, argument: &'static str) -> Self {
        Self::In { argument, refusal: Box::new(self) }
    }

    /// The refusal itself, without the argument of a patch.
    #[must_use]
    pub fn fault(&self) -> &Self {
        if let Self::In { refusal, .. } = self { refusal } else { self }
    }

    /// The line it is about and, if known, the column: in the argument that [`EditRefusal::argument`] names or in the
    /// file. For a refused patch or edit, in the file as it would be.
    #[must_use]
    pub fn place(&self) -> Option<(u32, Option<u32>)> {
        let whole = |place: Place| Some((place.line, Some(place.column)));
        match self {
            Self::In { refusal, .. } => refusal.place(),
            Self::Unbalanced { diagnosis, .. } | Self::PatchUnbalanced { diagnosis, .. } => whole(diagnosis.likely_at),
            Self::ForeignBracket { at, .. }
            | Self::SmartQuote { at, .. }
            | Self::Invisible { at, .. }
            | Self::Artefact { at, .. }
            | Self::Flawed { at, .. } => whole(*at),
            Self::Fenced { line } => Some((*line, Some(1))),
            Self::Stale { line, .. } | Self::InsideConditional { line } | Self::WouldBreak { line, .. } => {
                Some((*line, None))
            }
            Self::TextNotFound { lines, .. } => Some((lines.0, None)),
            Self::TextAmbiguous { lines, .. } => lines.first().map(|(line, _)| (*line, None)),
            Self::OnlyMentioned { form, .. } => Some((form.line, None)),
            Self::FormAmbiguous { candidates, .. } | Self::TextInForms { forms: candidates } => {
                candidates.first().map(|form| (form.line, None))
            }
            Self::SeveralForms { forms, .. } => forms.get(1).map(|(line, _)| (*line, None)),
            _ => None,
        }
    }
}

//! Every way in which a request about a text can be wrong. One variant each; wording only in `Display`.
//!
//! A text names the place and the reason and ends with what to do next. Positions in content are lines of the content;
//! all others are lines of the file, whose path this crate does not know.

use std::fmt;

use crate::diagnose::Diagnosis;
use crate::fix::MOST_SHOWN;
use crate::form_line::FormLine;
use crate::occurrence::Near;
use crate::slip::Slip;
use crate::source::Place;
use crate::words::Words;

/// A refusal in the words of its reader.
#[derive(Clone, Copy, Debug)]
pub struct Worded<'a> {
    refusal: &'a Refusal,
    words: &'static Words,
}

impl fmt::Display for Worded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.refusal.write(f, self.words)
    }
}

/// Why a request was not carried out. Nothing has been changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
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
        refusal: Box<Refusal>,
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

impl Refusal {
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

    /// The line it is about and, where that is known, the column: in the argument that [`Refusal::argument`] names or in the
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

/// How forms are addressed that have no name, and where all of them are listed.
fn how_to_name(f: &mut fmt::Formatter<'_>, words: &Words) -> fmt::Result {
    let Words { line, outline, .. } = words;
    write!(
        f,
        "A form without a name is addressed by head and first argument (setq foo) or by {line}; {outline} lists all forms"
    )
}

fn list(f: &mut fmt::Formatter<'_>, forms: &[FormLine]) -> fmt::Result {
    const MOST: usize = 20;
    for (index, form) in forms.iter().take(MOST).enumerate() {
        write!(f, "\n  {}. line {}: {}", index + 1, form.line, form.text)?;
    }
    if forms.len() > MOST { write!(f, "\n  … and {} more", forms.len() - MOST) } else { Ok(()) }
}

/// What could be changed, and how sure that is.
fn fixes(f: &mut fmt::Formatter<'_>, diagnosis: &Diagnosis) -> fmt::Result {
    match (diagnosis.fixes.as_slice(), diagnosis.is_certain()) {
        ([], _) if diagnosis.doubt.is_empty() => Ok(()),
        ([], _) => write!(f, "\nNo repair: {}.", diagnosis.doubt),
        ([fix, ..], true) => write!(f, "\nCertain fix ({}):{}", fix.why, fix.diff()),
        (several, false) => {
            write!(f, "\nNot certain: {}. Candidates, likeliest first:", diagnosis.doubt)?;
            several.iter().take(MOST_SHOWN).try_for_each(|fix| write!(f, "\n  {fix}"))
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &Words::TOOLS)
    }
}

impl Refusal {
    /// The refusal in the words of its reader.
    #[must_use]
    pub fn worded(&self, words: &'static Words) -> Worded<'_> {
        Worded { refusal: self, words }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, words: &Words) -> fmt::Result {
        let Words { name, line: by_line, index: by_index, content, old_text, new_text, .. } = words;
        match self {
            Self::In { refusal, .. } => refusal.write(f, words),
            Self::NoAddress => write!(
                f,
                "no form is named. Pass {name} (what the form defines, such as foo or (setf foo)), or {by_line} for a form \
                 without a name"
            ),
            Self::CountsFromOne => {
                write!(f, "{by_line} and {by_index} count from 1, not from 0. Call again with a number above 0")
            }
            Self::FormNotFound { asked, others, nearest, definitions } => {
                write!(f, "no form {asked} here.")?;
                if !others.is_empty() {
                    f.write_str(" Forms of that name:")?;
                    list(f, others)?;
                    write!(f, "\nCall again with one of these lines as {by_line}, and without what does not fit")
                } else if nearest.is_empty() {
                    write!(f, " None of the {definitions} definitions has a name like it. ")?;
                    how_to_name(f, words)
                } else {
                    write!(f, " Nearest names: {}. ", nearest.join(", "))?;
                    how_to_name(f, words)
                }
            }
            Self::OnlyMentioned { asked, form } => write!(
                f,
                "no form {asked} stands by itself here: it is part of `{}` on line {}; nothing was written. Name that form as \
                 here, or by {by_line}, if all of it is meant; put a form beside it with {}",
                form.label, form.line, words.insert
            ),
            Self::FormAmbiguous { asked, candidates } => {
                write!(f, "{} forms fit {asked}:", candidates.len())?;
                list(f, candidates)?;
                write!(f, "\nCall again with {by_index} (the number above) or {by_line}")
            }
            Self::Stale { given, digest, line, .. } => write!(
                f,
                "the form on line {line} has changed since digest {given} was taken; nothing was written. It is now as \
                 follows, digest {digest}. Decide on the present text and call again with the present digest"
            ),
            Self::ContentMissing => {
                write!(f, "this operation needs {content}, the source to put there. Call again with it")
            }
            Self::NoForm => write!(
                f,
                "{content} holds no form, only white space or comments. Pass the whole form; to remove one use {}, to change a \
                 comment use {}",
                words.delete, words.patch
            ),
            Self::SeveralForms { forms } => {
                write!(f, "{content} holds {} forms, and replace takes exactly one:", forms.len())?;
                for (line, text) in forms.iter().take(10) {
                    write!(f, "\n  line {line} of content: {text}")?;
                }
                write!(f, "\nReplace with the one form, and pass the others with {}", words.insert)
            }
            Self::Fenced { .. } => {
                f.write_str("a Markdown fence. Pass the source alone, without the lines of backquotes")
            }
            Self::Numbered => f.write_str(
                "the lines of the text begin with line numbers. Pass the source alone, without `12| ` in front",
            ),
            Self::ForeignBracket { bracket, symbol, dialect, .. } => write!(
                f,
                "`{bracket}` is no bracket in {dialect}, it would become part of the symbol `{symbol}`, and nothing else in \
                 the file uses it. Write parentheses, or |{symbol}| if the symbol is meant"
            ),
            Self::SmartQuote { quote, .. } => {
                write!(f, "`{quote}` is a typographic quotation mark in the place of code. Write \" or '")
            }
            Self::Invisible { character, .. } => write!(
                f,
                "U+{:04X} in a symbol, which looks like a blank or like nothing. Write a space, or leave it out",
                u32::from(*character)
            ),
            Self::Slip { slip, .. } => write!(f, "{slip}"),
            Self::CutOff { given, whole } => write!(
                f,
                "{content} is only the first {given} of the form's {whole} characters, as if it had been cut when it was \
                 read; nothing was written. Read the form with {}: {whole}, or change a part of it with {}",
                words.read_all, words.patch
            ),
            Self::Unbalanced { diagnosis, allowed } => {
                write!(f, "{}; nothing was written.\nIn content, {diagnosis}", diagnosis.kind.code())?;
                fixes(f, diagnosis)?;
                match (diagnosis.is_certain(), allowed) {
                    (true, false) => write!(f, "\nCall again with that content, or {}", words.repair_edit),
                    _ => write!(
                        f,
                        "\nCorrect line {} of content and call again with all of it",
                        diagnosis.likely_at.line
                    ),
                }
            }
            Self::PatchUnbalanced { diagnosis, add, remove, patched: (first, last), corrected } => {
                writeln!(f, "{} with this patch; nothing was written.", diagnosis.kind.code())?;
                let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
                let open = diagnosis.expected.as_deref().filter(|_| diagnosis.is_open_text());
                match (add.as_str(), remove.as_str()) {
                    // What is open hides the delimiters behind it.
                    _ if open.is_some() && diagnosis.is_certain() => {}
                    _ if open.is_some() => write!(f, "Add `{}` to {new_text} ({lines}). ", open.unwrap_or_default())?,
                    ("", "") => write!(f, "The delimiters of {new_text} stand in the wrong order. ")?,
                    (add, "") => write!(f, "Add {} to {new_text} ({lines}): `{add}`. ", counted(add))?,
                    ("", remove) => write!(f, "Remove {} from {new_text} ({lines}): `{remove}`. ", counted(remove))?,
                    (add, remove) => write!(f, "In {new_text} ({lines}) add `{add}` and remove `{remove}`. ")?,
                }
                write!(f, "With the patch, {diagnosis}")?;
                fixes(f, diagnosis)?;
                match (diagnosis.is_certain(), corrected) {
                    (_, Some(_)) => write!(f, "\nCall again {}, or with this {new_text}", words.repair_patch),
                    (true, None) => {
                        write!(f, "\nThat is outside {new_text}: pass an {old_text} that holds those lines as well")
                    }
                    _ => write!(
                        f,
                        "\nCorrect {new_text} and call again; {old_text} has to hold the delimiters that {new_text} replaces"
                    ),
                }
            }
            Self::WouldBreak { line, text } => write!(
                f,
                "other forms would read differently with this edit, from line {line} of the changed file on: {text}\nNothing \
                 was written. Look for an unfinished comment or string, or a prefix such as #; or #+x at the end of the new text"
            ),
            Self::WouldSplit { found, expected } => write!(
                f,
                "with this edit the place would hold {found} forms and not {expected}; nothing was written. Keep the form one \
                 form: check where its list is closed"
            ),
            Self::WouldRemove { found, expected } => write!(
                f,
                "the place of the edit holds {found} forms and not {expected}, which would go with it; nothing was written. \
                 Mend the file there first: {} shows what is wrong",
                words.check
            ),
            Self::EmptyOldText => {
                write!(f, "`{old_text}` is empty. Pass the exact text to replace, as {} shows it", words.read)
            }
            Self::TextNotFound { label, lines: (first, last), near, elsewhere } => {
                write!(f, "{old_text} does not occur in {label} (lines {first}-{last}).")?;
                match near {
                    Some(Near { line, text, diff: None }) => write!(
                        f,
                        " The nearest text differs in white space or case; line {line} has:\n{text}\nCopy it exactly and call \
                         again"
                    ),
                    _ if !elsewhere.is_empty() => {
                        let lines: Vec<String> = elsewhere.iter().take(10).map(u32::to_string).collect();
                        write!(
                            f,
                            " Outside this form it begins on line {}; name the form that holds it",
                            lines.join(", ")
                        )
                    }
                    Some(Near { line, diff: Some(diff), .. }) => write!(
                        f,
                        " The nearest text begins on line {line} (- {old_text}, + the file):{diff}\nCorrect {old_text} and call \
                         again"
                    ),
                    None => write!(f, " {} shows the exact text; copy from it and call again", words.read),
                }
            }
            Self::TextAmbiguous { label, lines } => {
                write!(f, "{old_text} occurs {} times in {label}:", lines.len())?;
                for (line, text) in lines.iter().take(20) {
                    write!(f, "\n  line {line}: {text}")?;
                }
                let all = words.replace_all;
                write!(f, "\nPass more of the text around the one that is meant, or {all} for all of them")
            }
            Self::InsideConditional { line } => write!(
                f,
                "the form on line {line} is a branch of a reader conditional, which takes one form for each feature. Replace \
                 the branch, or insert beside the form around it (address it by its line)"
            ),
            Self::BadPattern { argument, why } => {
                write!(
                    f,
                    "`{argument}` is not a regular expression: {why}. Escape ( ) [ ] {{ }} . * + ? ^ $ | \\ with \\"
                )
            }
        }
    }
}

fn counted(delimiters: &str) -> String {
    match delimiters.chars().count() {
        1 => "1 delimiter".to_owned(),
        count => format!("{count} delimiters"),
    }
}

impl std::error::Error for Refusal {}

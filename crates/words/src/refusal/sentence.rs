//! Refusals of requests about a text, in a sentence: the reason, and the next step.

use std::fmt::{self, Write as _};

use lispwright_edit::{Artefact, Diagnosis, EditRefusal, FormLine, Near};
use lispwright_syntax::{Flaw, in_a_line};

use crate::diagnosis;
use crate::terms::Terms;

/// The sentence, without the place and without a full stop at its end.
pub(crate) fn sentence(refusal: &EditRefusal, words: &Terms) -> String {
    let mut text = String::new();
    write(&mut text, refusal, words).expect("a string takes any text");
    text
}

fn write(f: &mut String, refusal: &EditRefusal, words: &Terms) -> fmt::Result {
    let Terms { name, line: by_line, index: by_index, content, old_text, new_text, .. } = words;
    match refusal {
        EditRefusal::In { refusal, .. } => write(f, refusal, words),
        EditRefusal::NoAddress => write!(
            f,
            "no form is named. Pass {name} (what the form defines, such as foo or (setf foo)), or {by_line} for a form \
             without a name"
        ),
        EditRefusal::CountsFromOne => {
            write!(f, "{by_line} and {by_index} count from 1, not from 0. Call again with a number above 0")
        }
        EditRefusal::FormNotFound { asked, others, nearest, definitions } => {
            write!(f, "no form {asked} here.")?;
            if !others.is_empty() {
                f.write_str(" Forms of that name:")?;
                list(f, others)?;
                write!(f, "\nCall again with one of these lines as {by_line}, and without what does not fit")
            } else if nearest.is_empty() {
                match definitions {
                    1 => f.write_str(" The one definition has another name. ")?,
                    _ => write!(f, " None of the {definitions} definitions has a name like it. ")?,
                }
                how_to_name(f, words)
            } else {
                write!(f, " Nearest names: {}. ", nearest.join(", "))?;
                how_to_name(f, words)
            }
        }
        EditRefusal::OnlyMentioned { asked, form } => write!(
            f,
            "no form {asked} is by itself here: it is part of `{}` on line {}; nothing was written. Name that form as \
             here, or by {by_line}, if all of it is meant; put a form beside it with {}",
            form.label, form.line, words.insert
        ),
        EditRefusal::FormAmbiguous { asked, candidates } => {
            write!(f, "{} forms fit {asked}:", candidates.len())?;
            list(f, candidates)?;
            write!(f, "\nCall again with {by_index} (the number above) or {by_line}")
        }
        EditRefusal::Stale { given, digest, line, .. } => write!(
            f,
            "the form on line {line} has changed since digest {given} was taken; nothing was written. It is now as \
             follows, digest {digest}. Decide on the present text and call again with the present digest"
        ),
        EditRefusal::ContentMissing => {
            write!(f, "this operation needs {content}, the source to put there. Call again with it")
        }
        EditRefusal::NoForm => write!(
            f,
            "{content} holds no form, only white space or comments. Pass the whole form; to remove one use {}, to change a \
             comment use {}",
            words.delete, words.patch
        ),
        EditRefusal::SeveralForms { forms, name } => {
            let needed = name.as_ref().map_or_else(
                || "replace takes exactly one".to_owned(),
                |name| format!("exactly one of them has to define {name}"),
            );
            write!(f, "{content} holds {} forms, and {needed}:", forms.len())?;
            for (line, text) in forms.iter().take(10) {
                write!(f, "\n  line {line} of content: {text}")?;
            }
            write!(f, "\nReplace with the one form and those that it needs, or pass the others with {}", words.insert)
        }
        EditRefusal::Fenced { .. } => {
            f.write_str("a Markdown fence. Pass the source alone, without the lines of backquotes")
        }
        EditRefusal::Numbered => {
            f.write_str("the lines of the text begin with line numbers. Pass the source alone, without `12| ` in front")
        }
        EditRefusal::ForeignBracket { bracket, symbol, dialect, .. } => write!(
            f,
            "`{bracket}` is no bracket in {dialect}, it would become part of the symbol `{symbol}`, and nothing else in \
             the file uses it. Write parentheses, or |{symbol}| if the symbol is meant"
        ),
        EditRefusal::SmartQuote { quote, .. } => {
            write!(f, "`{quote}` is a typographic quotation mark in the place of code. Write \" or '")
        }
        EditRefusal::Invisible { character, .. } => write!(
            f,
            "U+{:04X} in a symbol, which looks like a space or is invisible. Write a space, or leave it out",
            u32::from(*character)
        ),
        EditRefusal::Artefact { artefact, .. } => f.write_str(&copied(artefact)),
        EditRefusal::Flawed { flaw, text, .. } => write!(f, "`{}`: {flaw}. {}", in_a_line(text), instead(*flaw)),
        EditRefusal::CutOff { given, whole } => write!(
            f,
            "{content} is only the first {given} of the form's {whole} characters, as if it had been cut when it was \
             read; nothing was written. Read the form with {}: {whole}, or change a part of it with {}",
            words.read_all, words.patch
        ),
        EditRefusal::Unbalanced { diagnosis, allowed, .. } => {
            let (kind, found) = (diagnosis.kind.code(), diagnosis::sentence(diagnosis));
            // A shell reads it from standard input, and calls it content, too.
            let what = if words.content.starts_with('`') { words.content.trim_matches('`') } else { "content" };
            write!(f, "{kind}; nothing was written.\nIn {what}, {found}")?;
            f.push_str(&fixes(diagnosis));
            match (diagnosis.is_certain(), allowed) {
                (true, false) => write!(f, "\nCall again with that content, or {}", words.repair_edit),
                _ => write!(f, "\nCorrect line {} of {what} and call again with all of it", diagnosis.likely_at.line),
            }
        }
        EditRefusal::PatchUnbalanced { diagnosis, add, remove, patched: (first, last), corrected, .. } => {
            writeln!(f, "{} with this patch; nothing was written.", diagnosis.kind.code())?;
            let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
            let open = diagnosis.expected.as_deref().filter(|_| diagnosis.is_open_text());
            match (add.as_str(), remove.as_str()) {
                // Open text hides the delimiters after it.
                _ if open.is_some() && diagnosis.is_certain() => {}
                _ if open.is_some() => write!(f, "Add `{}` to {new_text} ({lines}). ", open.unwrap_or_default())?,
                ("", "") => write!(f, "The delimiters of {new_text} are in the wrong order. ")?,
                (add, "") => write!(f, "Add {} to {new_text} ({lines}): `{add}`. ", counted(add))?,
                ("", remove) => write!(f, "Remove {} from {new_text} ({lines}): `{remove}`. ", counted(remove))?,
                (add, remove) => write!(f, "In {new_text} ({lines}) add `{add}` and remove `{remove}`. ")?,
            }
            write!(f, "With the patch, {}", diagnosis::sentence(diagnosis))?;
            f.push_str(&fixes(diagnosis));
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
        EditRefusal::WouldBreak { line, text } => write!(
            f,
            "other forms would read differently with this edit, from line {line} of the changed file on: {text}\nNothing \
             was written. Look for an unfinished comment or string, or a prefix such as #; or #+x at the end of the new text"
        ),
        EditRefusal::WouldSplit { found, expected } => write!(
            f,
            "with this edit the place would hold {found} forms and not {expected}; nothing was written. Keep the form one \
             form: check where its list is closed"
        ),
        EditRefusal::WouldRemove { found, expected } => write!(
            f,
            "the place of the edit holds {found} forms and not {expected}, and the edit would remove them; nothing was written. \
             Mend the file there first: {} shows what is wrong",
            words.check
        ),
        EditRefusal::EmptyOldText => {
            write!(f, "`{old_text}` is empty. Pass the exact text to replace, as {} shows it", words.read)
        }
        EditRefusal::TextNotFound { label, lines: (first, last), near, elsewhere } => {
            write!(f, "{old_text} does not occur in {label} (lines {first}-{last}).")?;
            match near {
                Some(Near { line, text, diff: None }) => write!(
                    f,
                    " The nearest text differs in white space or case; line {line} has:\n{text}\nCopy it exactly and call \
                     again"
                ),
                _ if !elsewhere.is_empty() => {
                    let lines: Vec<String> = elsewhere.iter().take(10).map(u32::to_string).collect();
                    write!(f, " Outside this form it begins on line {}; name the form that holds it", lines.join(", "))
                }
                Some(Near { line, diff: Some(diff), .. }) => write!(
                    f,
                    " The nearest text begins on line {line} (- {old_text}, + the file):{diff}\nCorrect {old_text} and call \
                     again"
                ),
                None => write!(f, " {} shows the exact text; copy from it and call again", words.read),
            }
        }
        EditRefusal::TextInForms { forms } => {
            write!(f, "{old_text} occurs in {} forms of the file:", forms.len())?;
            list(f, forms)?;
            write!(f, "\nCall again with {name} or {by_line} of the one that is meant")
        }
        EditRefusal::TextAmbiguous { label, lines } => {
            write!(f, "{old_text} occurs {} times in {label}:", lines.len())?;
            for (line, text) in lines.iter().take(20) {
                write!(f, "\n  line {line}: {text}")?;
            }
            let all = words.replace_all;
            write!(f, "\nPass more of the text around the one that is meant, or {all} for all of them")
        }
        EditRefusal::InsideConditional { line } => write!(
            f,
            "the form on line {line} is a branch of a reader conditional, which takes one form for each feature. Replace \
             the branch, or insert beside the form around it (address it by its line)"
        ),
        EditRefusal::BadPattern { argument, why } => {
            write!(f, "`{argument}` is not a regular expression: {why}. Escape ( ) [ ] {{ }} . * + ? ^ $ | \\ with \\")
        }
    }
}

/// The address of a form without a name, and the call that lists all forms.
fn how_to_name(f: &mut String, words: &Terms) -> fmt::Result {
    let Terms { line, outline, .. } = words;
    write!(
        f,
        "A form without a name is addressed by head and first argument (setq foo) or by {line}; {outline} lists all forms"
    )
}

fn list(f: &mut String, forms: &[FormLine]) -> fmt::Result {
    const MOST: usize = 20;
    for (index, form) in forms.iter().take(MOST).enumerate() {
        write!(f, "\n  {}. line {}: {}", index + 1, form.line, form.text)?;
    }
    if forms.len() > MOST { write!(f, "\n  … and {} more", forms.len() - MOST) } else { Ok(()) }
}

/// The fixes, and whether they are certain.
fn fixes(diagnosis: &Diagnosis) -> String {
    match (diagnosis.fixes.as_slice(), diagnosis.is_certain()) {
        ([], _) if diagnosis.doubt.is_empty() => String::new(),
        ([], _) => format!("\nNo repair: {}.", diagnosis.doubt),
        (_, true) => diagnosis::certain(diagnosis),
        (_, false) => {
            format!(
                "\nNot certain: {}. Candidates, likeliest first:{}",
                diagnosis.doubt,
                diagnosis::candidates(diagnosis)
            )
        }
    }
}

/// An artefact of copying, with what to send instead.
fn copied(artefact: &Artefact) -> String {
    match artefact {
        Artefact::DiffMarks => {
            "the lines begin with the marks of a diff. Send the new lines alone, without + and - in front".to_owned()
        }
        Artefact::Conflict => {
            "the marks of a merge conflict. Keep one of the two sides, and take out the marks".to_owned()
        }
        Artefact::EscapedLineEnd => {
            "`\\n` in the place of a line end: the text was escaped twice. Send line ends as they are".to_owned()
        }
        Artefact::Entity(entity) => {
            format!(
                "`{entity}` in the place of code, where `;` begins a comment. Write the character that it stands for"
            )
        }
    }
}

/// What to send instead of a text with this flaw.
fn instead(flaw: Flaw) -> &'static str {
    match flaw {
        Flaw::StrayDot => "Write one datum after the dot, or none of both",
        Flaw::OddMap => "Give it a value, or take it out",
        Flaw::Duplicate => "Take one of the two out",
        Flaw::Unreadable => "Write code that makes such an object",
        Flaw::DatumComment => "Write #| and |# around it, or ; before its lines",
        Flaw::FinalBackslash => "Take it out, or write what it escapes",
        Flaw::Escape => "Write `\\\\` where a backslash is meant; Clojure has #\"...\" for regular expressions",
        Flaw::CharacterName => "Write the character itself, or a name that the language knows",
        Flaw::CharacterEnd => "Write one character, then a blank or a bracket; a string for several",
        Flaw::Number => "Write a number that the language reads",
        Flaw::Symbol => "Write one name, with at most one prefix before it",
        Flaw::Hash => "Write what this language has for it",
        Flaw::Regex => "Write `\\[` for a bracket that is meant as itself",
        Flaw::NestedFunction => "Write (fn [x] ...) for one of the two",
        Flaw::LeftOut => "Send the code itself: what is not sent is lost. A patch needs only the lines that change",
    }
}

fn counted(delimiters: &str) -> String {
    match delimiters.chars().count() {
        1 => "1 delimiter".to_owned(),
        count => format!("{count} delimiters"),
    }
}

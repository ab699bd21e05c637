//! Notes on edits: effects that their authors may not expect.

use lispwright_edit::Note;

use crate::rendering::counted;
use crate::terms::Terms;

/// The note, in a sentence or two.
pub(crate) fn sentence(note: &Note, terms: &Terms) -> String {
    match note {
        Note::Unescaped => {
            "Escapes such as \\x1b, which stand for the form's invisible characters, were read as these \
                          characters, so that they stay. To write such an escape itself, change the character and the \
                          text around it in two steps: remove, then insert."
                .to_owned()
        }
        Note::Renamed { before, after } => format!("The form was `{before}` and is now `{after}`."),
        Note::PrefixKept(prefix) => format!("`{prefix}` in front of the form was kept."),
        Note::PrefixReplaced { before, after } => {
            format!("`{before}` in front of the form was replaced by `{after}`.")
        }
        Note::StraysRemoved(closers) => format!("`{closers}` after the form closed nothing and was removed with it."),
        Note::BesideConditional(opener) => {
            format!("The form is a branch of {opener}...), so the new source was put beside the whole conditional.")
        }
        Note::AfterProvide { form, line } => {
            let insert = terms.insert_before;
            format!("The new source is after `{form}` on line {line}; {insert} with that line puts it before.")
        }
        Note::Loosely { line } => {
            format!("{} was found on line {line} with different white space between its tokens.", terms.old_text)
        }
        Note::Occurrences { count } => format!("{count} occurrences were changed."),
        Note::Moved { columns } => {
            let (by, side) = (columns.unsigned_abs(), if *columns < 0 { "left" } else { "right" });
            format!("Its lines were moved {} to the {side}.", counted(by, "column"))
        }
        Note::BrokenElsewhere { line, kind } => {
            format!("The file does not balance elsewhere: line {line}, {kind}. {} shows likely fixes.", terms.check)
        }
        Note::BalancedByChance { line, kind } => format!(
            "The file balances only because other faults cancel each other out: by its columns, line {line}, {kind}. \
             Mend that as well."
        ),
        Note::Renested(how) => {
            format!("It balances, but its indentation says otherwise at {how}. Check that this is meant.")
        }
        Note::Unexpected(found) => found.sentence(),
        Note::StrayDot { line } => format!(
            "It balances, but no Lisp reads it: the dot in line {line} is not followed by exactly one datum. Mend it."
        ),
    }
}

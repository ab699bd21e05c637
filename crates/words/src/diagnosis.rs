//! What is wrong with a text, and what would mend it: one wording, wherever it is told.

use lispwright_edit::{Diagnosis, MOST_SHOWN};
use lispwright_syntax::in_a_line;
use lispwright_tools::facts;

/// The mistake in a sentence.
pub(crate) fn sentence(diagnosis: &Diagnosis) -> String {
    diagnosis.to_string()
}

/// The same facts with the sentence among them.
pub(crate) fn with_sentence(diagnosis: &mut facts::Diagnosis) {
    diagnosis.message = sentence(&diagnosis.whole);
}

/// Where to look in the file at `path`, and the kind of the mistake.
pub(crate) fn head(path: &str, diagnosis: &Diagnosis) -> String {
    let at = diagnosis.likely_at;
    format!("{}:{}:{}: {}", in_a_line(path), at.line, at.column, diagnosis.kind.code())
}

/// The line from which on forms read well again, as a line of its own after others.
pub(crate) fn next_form(diagnosis: &Diagnosis) -> String {
    diagnosis.next_form_line.map_or(String::new(), |line| format!("\nForms read well again from line {line} on."))
}

/// The fixes worth showing, after a line that says how sure they are.
pub(crate) fn fixes(diagnosis: &Diagnosis) -> String {
    match (diagnosis.fixes.as_slice(), diagnosis.is_certain()) {
        ([], _) => format!("\nNo fix is known: {}.", diagnosis.doubt),
        ([fix, ..], true) => format!("\nCertain fix ({}):{}", fix.why, fix.diff()),
        (candidates, false) => {
            let mut text = format!("\nCandidates, likeliest first; none is certain: {}.", diagnosis.doubt);
            for candidate in candidates.iter().take(MOST_SHOWN) {
                text.push_str(&format!("\n  {candidate}"));
            }
            text
        }
    }
}

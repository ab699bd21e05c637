//! What is wrong with a text, and what would mend it: one wording, wherever it is told.

use lispwright_edit::Diagnosis;
use lispwright_syntax::in_a_line;
use lispwright_tools::facts;

use crate::fix;

/// So many of the fixes that are not certain are worth a reader's time; the true one is hardly ever further down.
pub(crate) const MOST_SHOWN: usize = 3;

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

/// The fix that is certain, as lines of their own after others; empty when none is.
pub(crate) fn certain(diagnosis: &Diagnosis) -> String {
    let found = diagnosis.fixes.first().filter(|_| diagnosis.is_certain());
    found.map_or(String::new(), |found| {
        let lines = found.lines.iter().map(|change| (change.line, change.before.as_str(), change.after.as_str()));
        format!("\nCertain fix ({}):{}", found.why, fix::diff(lines))
    })
}

/// The likeliest fixes, each on a line of its own after others.
pub(crate) fn candidates(diagnosis: &Diagnosis) -> String {
    diagnosis.fixes.iter().take(MOST_SHOWN).map(|found| format!("\n  {}", fix::sentence(found))).collect()
}

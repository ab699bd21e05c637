//! The mistake of a text and its fixes, in one wording for all answers.

use lispwright_edit::Diagnosis;
use lispwright_syntax::in_a_line;
use lispwright_tools::facts;

use crate::fix;

/// Uncertain fixes that are shown; the true one is hardly ever further down.
pub(crate) const MOST_SHOWN: usize = 3;

/// The mistake in a sentence.
pub(crate) fn sentence(diagnosis: &Diagnosis) -> String {
    diagnosis.to_string()
}

/// The same facts with the sentence among them.
pub(crate) fn with_sentence(diagnosis: &mut facts::DiagnosisFacts) {
    diagnosis.message = sentence(&diagnosis.whole);
}

/// The likely place in the file at `path`, and the kind of the mistake.
pub(crate) fn head(path: &str, diagnosis: &Diagnosis) -> String {
    let at = diagnosis.likely_at;
    format!("{}:{}:{}: {}", in_a_line(path), at.line, at.column, diagnosis.kind.code())
}

/// The line from which forms read well again, as a line that follows others.
pub(crate) fn next_form(diagnosis: &Diagnosis) -> String {
    diagnosis.next_form_line.map_or(String::new(), |line| format!("\nForms read well again from line {line} on."))
}

/// The certain fix, as lines that follow others; empty if no fix is certain.
pub(crate) fn certain(diagnosis: &Diagnosis) -> String {
    let found = diagnosis.fixes.first().filter(|_| diagnosis.is_certain());
    found.map_or(String::new(), |found| {
        let lines = found.lines.iter().map(|change| (change.line, change.before.as_str(), change.after.as_str()));
        format!("\nCertain fix ({}{}):{}", fix::offer(found), found.why, fix::diff(lines))
    })
}

/// The likeliest fixes, as lines that follow others.
pub(crate) fn candidates(diagnosis: &Diagnosis) -> String {
    let line = |found| format!("\n  {}{}", fix::offer(found), fix::sentence(found));
    diagnosis.fixes.iter().take(MOST_SHOWN).map(line).collect()
}

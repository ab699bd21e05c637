//! Which findings are the same when lines have moved.

use std::collections::hash_map::Entry;

use lispwright_syntax::nearest;
use rustc_hash::FxHashMap;

use crate::finding::Finding;

/// What stays of a finding when code around it changes: the rule, the form around it and what lasts of the message.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// The code of the rule.
    pub rule: &'static str,
    /// The label of the form around it.
    pub form: String,
    /// The message, as [`lasting`] gives it.
    pub message: String,
}

impl Identity {
    /// The identity of a finding.
    pub fn of(finding: &Finding) -> Self {
        Self { rule: finding.rule, form: finding.form.clone(), message: lasting(&finding.message) }
    }
}

/// What comes before a name that may be meant.
const NEAR: &str = "; near it: ";

/// What a message says of a name that may be meant.
pub(crate) fn near_it(name: &str) -> String {
    format!("{NEAR}`{name}`")
}

/// The same of the nearest of some names; nothing if none is near.
pub(crate) fn nearest_of<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(wanted, names, 1).first().map_or_else(String::new, |near| near_it(near))
}

/// The message as it stays when other code changes: with `N` for each number after the word `line` or `lines`, and without
/// the name that is near the one that it tells of.
pub fn lasting(message: &str) -> String {
    let message = message.split(NEAR).next().unwrap_or(message);
    let mut words = Vec::new();
    let mut is_line = false;
    for word in message.split(' ') {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let is_number = is_line && digits > 0;
        words.push(if is_number { format!("N{}", &word[digits..]) } else { word.to_owned() });
        is_line = matches!(word, "line" | "lines") || is_number || is_line && word == "and";
    }
    words.join(" ")
}

/// Of `after`, what `before` has not: of findings with the same identity, as many as there are more of, the last ones.
pub fn new_since<'f>(before: &[Finding], after: &'f [Finding]) -> Vec<&'f Finding> {
    let mut known: FxHashMap<Identity, usize> = FxHashMap::default();
    for one in before {
        *known.entry(Identity::of(one)).or_default() += 1;
    }
    after
        .iter()
        .filter(|one| match known.entry(Identity::of(one)) {
            Entry::Occupied(mut count) if *count.get() > 0 => {
                *count.get_mut() -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Span;

    use super::*;
    use crate::finding::Severity;

    fn finding(form: &str, message: &str, at: u32) -> Finding {
        Finding {
            rule: "some-rule",
            severity: Severity::Warning,
            span: Span::new(at, at + 1),
            message: message.to_owned(),
            form: form.to_owned(),
            remedy: None,
        }
    }

    #[test]
    fn a_finding_is_the_same_where_lines_have_moved() {
        let before = [finding("defun f", "`f` is defined on line 3 already", 10), finding("defun g", "too many", 40)];
        let after = [
            finding("defun f", "`f` is defined on line 12 already", 110),
            finding("defun g", "too many", 140),
            finding("defun g", "too many", 150),
            finding("defun h", "too many", 180),
        ];
        let new: Vec<u32> = new_since(&before, &after).iter().map(|one| one.span.start).collect();
        assert_eq!(new, [150, 180]);
        assert!(new_since(&after, &before).is_empty());
    }

    #[test]
    fn numbers_that_are_no_lines_are_kept() {
        assert_eq!(lasting("`f` takes 2 arguments and gets 3"), "`f` takes 2 arguments and gets 3");
        assert_eq!(lasting("see lines 3 and 14, column 5"), "see lines N and N, column 5");
    }

    #[test]
    fn a_finding_is_the_same_where_another_name_is_near() {
        let before = [finding("defun f", "nobody defines `totl`; near it: `total`", 10)];
        let after = [finding("defun f", "nobody defines `totl`", 10), finding("defun f", "nobody defines `itms`", 20)];
        let new: Vec<u32> = new_since(&before, &after).iter().map(|one| one.span.start).collect();
        assert_eq!(new, [20]);
    }
}

//! Decides whether a change makes a broken file worse.
//!
//! A broken file is mended in steps, and a step must not be refused for a fault that was there before. A change makes
//! the file worse if it has more faults afterwards, or if a form is broken that was not.

use std::ops::Range;

use lispwright_syntax::{Language, Span, Tree, read};

use crate::change::ChangedFile;

/// The form that a change breaks. If there are only more faults than before, it is the first form that is broken
/// afterwards. `None` when the change makes nothing worse. `after` is the reading of the text afterwards.
pub(crate) fn made_worse(change: &ChangedFile, before: &str, after: &Tree, language: &Language) -> Option<Span> {
    let earlier = read(before, language);
    let (old_region, new_region) = change.region();
    let touches =
        |span: &Span, region: &Range<usize>| span.start as usize <= region.end && region.start <= span.end as usize;
    let old_broken = broken(&earlier);
    let broken_there: Vec<&Span> = old_broken.iter().filter(|span| touches(span, &old_region)).collect();
    let newly = |span: &Span| {
        if !touches(span, &new_region) {
            let shift = old_region.end as i64 - new_region.end as i64;
            let start = i64::from(span.start) + if span.start as usize >= new_region.end { shift } else { 0 };
            return !old_broken.iter().any(|old| i64::from(old.start) == start);
        }
        let title = title(&change.after, *span);
        let named_so = |old: Span| title == self::title(before, old);
        if broken_there.iter().any(|old| named_so(**old)) {
            return false;
        }
        // The form was whole there before, or nothing was broken there.
        let forms = earlier.top_level().map(|datum| earlier.datum_span(datum));
        broken_there.is_empty() || forms.filter(|form| touches(form, &old_region)).any(named_so)
    };
    let found = broken(after);
    let more = || after.diagnostics().len() > earlier.diagnostics().len();
    let left = || found.iter().find(|span| touches(span, &new_region)).or(found.first()).filter(|_| more());
    found.iter().find(|span| newly(span)).or_else(left).copied()
}

/// The part by which a form is recognised: its first line, without the closers at its end.
fn title(text: &str, span: Span) -> &str {
    let first = text[span.range()].lines().next().unwrap_or_default();
    first.trim_end_matches([')', ']', '}', ' ', '\t', '\r'])
}

/// The top-level forms with a mistake inside. A surplus closer belongs to the form before it.
fn broken(tree: &Tree) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let mut previous = None;
    let mut forms = tree.top_level().map(|datum| tree.datum_span(datum)).peekable();
    for diagnostic in tree.diagnostics() {
        let at = diagnostic.span;
        while let Some(form) = forms.next_if(|form| form.end <= at.start) {
            previous = Some(form);
        }
        let span = match forms.peek() {
            Some(form) if form.start <= at.start => *form,
            _ => previous.unwrap_or(at),
        };
        if found.last() != Some(&span) {
            found.push(span);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, worse: bool) {
        let change = ChangedFile {
            path: "a.lisp".to_owned(),
            before: Some(before.to_owned()),
            after: after.to_owned(),
            written: Vec::new(),
            by_line: false,
        };
        let language = Language::from(Dialect::CommonLisp);
        let found = made_worse(&change, before, &read(after, &language), &language);
        assert_eq!(found.is_some(), worse, "{before:?} -> {after:?}");
    }

    #[test]
    fn a_step_that_leaves_the_fault_is_not_worse() {
        check("(a\n\n(b)\n", "(a\n\n(b c)\n", false);
        check("(a\n\n(b)\n", "(a x\n\n(b)\n", false);
        check("(a (b\n\n(c)\n", "(a (b)\n\n(c)\n", false);
        check("(b)\n\n(a\n", "(c)\n\n(b)\n\n(a\n", false);
    }

    #[test]
    fn another_fault_is_worse() {
        check("(a\n\n(b)\n", "(a (c\n\n(b)\n", true);
        check("(a\n\n(b)\n", "(a)\n\n(b\n", true);
        check("(a\n\n(b)\n\n(c)\n", "(a)\n\n(d\n\n(c)\n", false);
        check("(a\n\n(b)\n\n(c)\n", "(a)\n\n(b)\n\n(c))\n", true);
    }
}

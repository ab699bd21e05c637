//! The part of a file that is judged: after an edit, what has changed and what uses what is defined otherwise now.

use lispwright_index::Document;
use lispwright_syntax::Span;

/// Some of the top-level forms of a file, with what stands between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgedPart {
    /// In their order; none of them overlaps another.
    spans: Vec<Span>,
}

impl JudgedPart {
    /// Nothing of the file.
    pub fn none() -> Self {
        Self::default()
    }

    /// All of the file.
    pub fn whole(document: &Document) -> Self {
        Self { spans: vec![Span::new(0, document.text.len() as u32)] }
    }

    /// What of `document` is not as it is in `other`, the same file with another text: the forms that have changed, and
    /// those beside it where something between forms has.
    pub fn changed(document: &Document, other: &str) -> Self {
        let (before, after) = unchanged(document, other);
        Self::but(document, before, after)
    }

    /// The same of a file before and after a change: what is judged in one of them is judged in the other, and all of
    /// both where the file declares something else now.
    pub fn changed_both(before: &Document, after: &Document) -> [Self; 2] {
        if !before.is_alike(after) {
            return [before, after].map(Self::whole);
        }
        let (then, now) = (unchanged(before, &after.text), unchanged(after, &before.text));
        let (start, end) = (then.0.min(now.0), then.1.min(now.1));
        [before, after].map(|document| Self::but(document, start, end))
    }

    /// All but so many bytes at the start and the end.
    fn but(document: &Document, start: u32, end: u32) -> Self {
        Self { spans: vec![Span::new(start, (document.text.len() as u32 - end).max(start))] }
    }

    /// The same with the forms around some places of `document`; all of it where there is no form around one.
    #[must_use]
    pub fn with(mut self, document: &Document, places: impl IntoIterator<Item = u32>) -> Self {
        let forms: Vec<Span> = document.facts.outermost().collect();
        for place in places {
            let at = forms.partition_point(|form| form.end <= place);
            match forms.get(at).filter(|form| form.start <= place) {
                Some(form) => self.spans.push(*form),
                None => return Self::whole(document),
            }
        }
        self.spans.sort_unstable_by_key(|span| (span.start, span.end));
        let mut spans: Vec<Span> = Vec::new();
        for span in self.spans {
            match spans.last_mut().filter(|last| span.start < last.end) {
                Some(last) => last.end = last.end.max(span.end),
                None => spans.push(span),
            }
        }
        Self { spans }
    }

    /// Some of these bytes are in it.
    pub fn meets(&self, span: Span) -> bool {
        let at = self.spans.partition_point(|one| one.end <= span.start);
        self.spans.get(at).is_some_and(|one| one.start < span.end)
    }

    /// The byte is in it.
    pub fn contains(&self, offset: u32) -> bool {
        let at = self.spans.partition_point(|span| span.end <= offset);
        self.spans.get(at).is_some_and(|span| span.start <= offset)
    }
}

/// The bytes of whole forms at the start and at the end of a document that are the same in its other text.
fn unchanged(document: &Document, other: &str) -> (u32, u32) {
    let text = document.text.as_str();
    let common = |(a, b): &(u8, u8)| a == b;
    let start = text.bytes().zip(other.bytes()).take_while(common).count();
    let most = text.len().min(other.len()) - start;
    let ends = text.bytes().rev().zip(other.bytes().rev());
    let end = text.len() - ends.take(most).take_while(common).count();
    let (mut from, mut to) = (0, text.len() as u32);
    for form in document.facts.outermost() {
        if form.start as usize <= start {
            from = form.start;
        }
        if form.end as usize >= end {
            to = form.end;
            break;
        }
    }
    (from, text.len() as u32 - to)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lispwright_index::Index;
    use lispwright_syntax::Dialect;

    use super::*;

    fn parts(text: &str, made: impl FnOnce(&Document) -> JudgedPart) -> Vec<String> {
        let language = Dialect::CommonLisp.into();
        let index = Index::default().with([("a.lisp".into(), text.to_owned(), language)]);
        let document = index.document(Path::new("a.lisp")).expect("the file is in the index");
        made(document).spans.iter().map(|span| text[span.range()].to_owned()).collect()
    }

    const FILE: &str = "(defun a () 1)\n\n;; b\n(defun b () 2)\n(defun c () 3) ; c\n";

    #[test]
    fn a_change_in_a_form_is_that_form() {
        let changed = |other: &str| parts(FILE, |document| JudgedPart::changed(document, other));
        assert_eq!(changed(&FILE.replace('2', "(+ 1 2)")), ["(defun b () 2)"]);
        assert_eq!(changed(&FILE.replace('1', "2")), ["(defun a () 1)"]);
        assert_eq!(changed(&FILE.replace("(defun b () 2)\n", "")), ["(defun b () 2)\n(defun c () 3)"]);
    }

    #[test]
    fn a_change_between_forms_is_of_the_forms_beside_it() {
        let changed = |other: &str| parts(FILE, |document| JudgedPart::changed(document, other));
        assert_eq!(changed(&FILE.replace("; b", "; d")), ["(defun a () 1)\n\n;; b\n(defun b () 2)"]);
        assert_eq!(changed(&FILE.replace("; c", "; d")), ["(defun c () 3) ; c\n"]);
        assert_eq!(changed(&format!(";; new\n{FILE}")), ["(defun a () 1)"]);
    }

    #[test]
    fn places_bring_their_forms() {
        let with = |places: &[u32]| parts(FILE, |document| JudgedPart::none().with(document, places.iter().copied()));
        assert_eq!(with(&[30, 3, 28]), ["(defun a () 1)", "(defun b () 2)"]);
        assert_eq!(with(&[]), [""; 0]);
        assert_eq!(with(&[15]), [FILE]);
        let part = parts(FILE, |document| {
            let part = JudgedPart::none().with(document, [30]);
            assert!(part.contains(21) && part.contains(34) && !part.contains(20) && !part.contains(35));
            part
        });
        assert_eq!(part, ["(defun b () 2)"]);
    }
}

//! A file in which places are looked at, with its tree and what the walk over its code has found.

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, ListId, Span, SpecialForm, TokenKind, Tree};

use crate::facts::{Facts, Mark, Use};
use crate::index::Document;
use crate::places::writes;

/// A file that is being looked at.
pub(crate) struct Page<'p, 'i> {
    pub(crate) document: &'i Document,
    pub(crate) tree: &'p Tree,
    pub(crate) facts: &'p Facts,
}

impl<'i> Page<'_, 'i> {
    pub(crate) fn source(&self, datum: Datum) -> &'i str {
        &self.document.text[self.tree.core_span(datum).range()]
    }

    pub(crate) fn data(&self, list: ListId) -> Vec<Datum> {
        self.tree.data(list).collect()
    }

    pub(crate) fn head(&self, list: ListId) -> String {
        let head = self.tree.data(list).next().filter(|head| head.list().is_none());
        head.map_or_else(String::new, |head| canonical_head(self.document.dialect, self.source(head)).into_owned())
    }

    pub(crate) fn special(&self, list: ListId) -> Option<SpecialForm> {
        self.document.dialect.special_form(&self.head(list))
    }

    pub(crate) fn mark(&self, span: Span) -> Option<Mark> {
        let first = self.facts.marks.partition_point(|mark| mark.span.start < span.start);
        self.facts.marks.get(first).filter(|mark| mark.span.start < span.end).copied()
    }

    pub(crate) fn used(&self, span: Span) -> Option<Use> {
        let at = self.facts.uses.partition_point(|used| used.start < span.start);
        self.facts.uses.get(at).filter(|used| used.start == span.start).copied()
    }

    /// The number of the datum of a list that has a byte.
    pub(crate) fn position(&self, data: &[Datum], offset: u32) -> Option<usize> {
        data.iter().position(|datum| self.tree.datum_span(*datum).contains(offset))
    }

    /// The lists around a list, innermost first, itself included.
    pub(crate) fn around(&self, list: ListId) -> impl Iterator<Item = ListId> {
        std::iter::successors(Some(list), |list| self.tree.list(*list).parent())
    }

    /// The symbol after a quote, or as the argument of `quote`.
    pub(crate) fn quoted(&self, datum: Datum) -> Option<Span> {
        if let Some(list) = datum.list() {
            let data = self.data(list);
            let is_quote = data.len() == 2 && self.source(data[0]).eq_ignore_ascii_case("quote");
            return is_quote.then(|| self.tree.core_span(data[1]));
        }
        let before = &self.document.text[..self.tree.core_span(datum).start as usize];
        before.ends_with('\'').then(|| self.tree.core_span(datum))
    }

    /// The symbol is taken out of a map: `{:keys [balance]}`.
    pub(crate) fn is_destructured(&self, span: Span) -> bool {
        let before = &self.document.text[..span.start as usize];
        let opener = before.rfind(['[', ']']).filter(|at| before[*at..].starts_with('['));
        opener.is_some_and(|at| before[..at].trim_end().ends_with("keys"))
    }

    /// The list is a place that is assigned: `(setf (slot-value x 'balance) 1)`.
    pub(crate) fn is_place(&self, list: ListId) -> bool {
        let Some(outer) = self.tree.list(list).parent() else { return false };
        let data = self.data(outer);
        let Some(at) = self.position(&data, self.tree.list_span(list).start) else { return false };
        self.assigns(outer, at)
    }

    /// The datum with this number in a form is a place that the form assigns.
    fn assigns(&self, form: ListId, at: usize) -> bool {
        writes(self.special(form), &self.head(form), at)
    }

    /// The symbol stands after a quote.
    pub(crate) fn is_after_quote(&self, span: Span) -> bool {
        self.document.text[..span.start as usize].ends_with('\'')
    }

    /// The symbol is a place that the form around it assigns.
    pub(crate) fn is_assigned(&self, span: Span) -> bool {
        let list = self.tree.token_at(span.start).and_then(|token| self.tree.list_around(token));
        list.is_some_and(|list| {
            let data = self.data(list);
            self.position(&data, span.start).is_some_and(|at| self.assigns(list, at))
        })
    }

    /// The places in a form at which a local name is assigned.
    pub(crate) fn assigned_in(&self, form: ListId, name: &str) -> Vec<Span> {
        let folds = self.document.dialect.folds_case();
        let is_it = |text: &str| if folds { text.eq_ignore_ascii_case(name) } else { text == name };
        let mut found = Vec::new();
        for (kind, span) in self.tree.tokens_within(self.tree.list_span(form)) {
            if kind != TokenKind::Atom || !is_it(&self.document.text[span.range()]) {
                continue;
            }
            if self.is_assigned(span) {
                found.push(span);
            }
        }
        found
    }
}

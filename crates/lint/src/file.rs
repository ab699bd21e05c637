//! One file as the rules see it.

use std::borrow::Cow;
use std::cell::OnceCell;

use lispwright_index::{Document, Facts, Reading, UseIndex};
use lispwright_syntax::{Datum, Dialect, Forms, ListId, Span, Tree};

use crate::calls::{Call, calls};
use crate::code::CodeForms;
use crate::dialects::call_words;
use crate::platform::Platform;

/// A file with what is known of it and of its project.
pub struct File<'q, 'i> {
    /// The definitions and uses of the project's files of this dialect.
    pub question: &'q UseIndex<'i>,
    /// The file in the index.
    pub document: &'i Document,
    /// Its text as a tree.
    pub tree: Cow<'i, Tree>,
    /// Its top-level forms and definitions.
    pub forms: Forms,
    /// Its uses of names, and the symbols that are none, each with its role.
    pub facts: Cow<'i, Facts>,
    code: OnceCell<CodeForms<'i>>,
    calls: OnceCell<Vec<Call>>,
    platform: OnceCell<Platform>,
}

impl<'q, 'i> File<'q, 'i> {
    /// Reads a file of the index again.
    pub(crate) fn new(question: &'q UseIndex<'i>, document: &'i Document) -> Self {
        let tree = document.tree();
        let facts = question.facts_with_marks(document, &tree);
        Self::of(question, document, Cow::Owned(tree), Cow::Owned(facts))
    }

    /// A file that has been read.
    pub(crate) fn read(question: &'q UseIndex<'i>, reading: &'i Reading) -> Self {
        let Reading { document, tree } = reading;
        Self::of(question, document, Cow::Borrowed(tree), Cow::Borrowed(&document.facts))
    }

    fn of(question: &'q UseIndex<'i>, document: &'i Document, tree: Cow<'i, Tree>, facts: Cow<'i, Facts>) -> Self {
        let forms = Forms::new(&tree, &document.text);
        let (code, calls, platform) = Default::default();
        Self { question, document, tree, forms, facts, code, calls, platform }
    }

    /// Its forms that are code for certain.
    pub fn code(&self) -> &CodeForms<'i> {
        self.code.get_or_init(|| CodeForms::of(self))
    }

    /// The implementation that it is for.
    pub(crate) fn platform(&self) -> Platform {
        *self.platform.get_or_init(|| (call_words(self.dialect()).platform.of_file)(self))
    }

    /// Its dialect.
    pub fn dialect(&self) -> Dialect {
        self.document.dialect
    }

    /// Its text.
    pub fn text(&self) -> &'i str {
        &self.document.text
    }

    /// The source of some bytes.
    pub fn source(&self, span: Span) -> &'i str {
        &self.document.text[span.range()]
    }

    /// The source of a datum without its prefixes.
    pub fn core(&self, datum: Datum) -> &'i str {
        self.source(self.tree.core_span(datum))
    }

    /// The data of a list.
    pub fn data(&self, list: ListId) -> Vec<Datum> {
        self.tree.data(list).collect()
    }

    /// The calls of functions and macros whose names mean what is known, in code that is certain to be code.
    pub(crate) fn calls(&self) -> &[Call] {
        self.calls.get_or_init(|| calls(self))
    }

    /// The bytes are in a form that does not balance.
    pub(crate) fn is_broken(&self, span: Span) -> bool {
        if self.document.is_balanced {
            return false;
        }
        self.forms.top_level().any(|(_, form)| form.broken && form.outer.contains(span.start))
    }
}

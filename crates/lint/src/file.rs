//! One file as the rules see it.

use std::borrow::Cow;
use std::cell::OnceCell;

use lispwright_index::{Document, Facts, Use, UseIndex};
use lispwright_syntax::{Datum, Dialect, Forms, ListId, Span, Tree};
use rustc_hash::FxHashSet;

use crate::calls::{Call, Values, calls, values};
use crate::code::CodeForms;
use crate::dialects::call_words;
use crate::misspelt::unknown_features;
use crate::names::Names;
use crate::part::JudgedPart;
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
    /// The part that is judged, if it is not all.
    pub(crate) part: Option<JudgedPart>,
    code: OnceCell<CodeForms<'i>>,
    calls: OnceCell<Vec<Call>>,
    values: OnceCell<Values>,
    unknown_features: OnceCell<Vec<String>>,
    platform: OnceCell<Platform>,
    pub(crate) names: Names<'i>,
    pub(crate) other_locals: OnceCell<FxHashSet<&'i str>>,
    /// It has nothing of the modules of Racket but what it requires.
    pub(crate) needs_modules: OnceCell<bool>,
}

impl<'q, 'i> File<'q, 'i> {
    /// Reads a file of the index again.
    pub(crate) fn new(question: &'q UseIndex<'i>, document: &'i Document) -> Self {
        let tree = document.tree();
        let forms = Forms::new(&tree, &document.text);
        document.take_signatures(&tree, &forms);
        let facts = question.facts_with_forms(document, &tree, &forms);
        Self::of(question, document, Cow::Owned(tree), forms, Cow::Owned(facts))
    }

    /// A file whose text has been read as `tree`, and whose facts have marks.
    pub(crate) fn read(question: &'q UseIndex<'i>, document: &'i Document, tree: &'i Tree) -> Self {
        let forms = Forms::new(tree, &document.text);
        Self::of(question, document, Cow::Borrowed(tree), forms, Cow::Borrowed(&document.facts))
    }

    fn of(
        question: &'q UseIndex<'i>,
        document: &'i Document,
        tree: Cow<'i, Tree>,
        forms: Forms,
        facts: Cow<'i, Facts>,
    ) -> Self {
        let (code, calls, values, unknown_features, platform, names, other_locals, needs_modules) = Default::default();
        Self {
            question,
            document,
            tree,
            forms,
            facts,
            part: None,
            code,
            calls,
            values,
            unknown_features,
            platform,
            names,
            other_locals,
            needs_modules,
        }
    }

    /// Only this part of it is to be judged.
    pub(crate) fn in_part(mut self, part: &JudgedPart) -> Self {
        self.part = Some(part.clone());
        self
    }

    /// What is wrong at the byte is to be told.
    pub fn is_judged(&self, offset: u32) -> bool {
        self.part.as_ref().is_none_or(|part| part.contains(offset))
    }

    /// The uses of names in what is judged.
    pub fn uses(&self) -> impl Iterator<Item = &Use> {
        self.facts.uses.iter().filter(|used| self.is_judged(used.start))
    }

    /// The lists at top level of which something is judged, with those in them.
    pub(crate) fn judged_lists(&self) -> impl Iterator<Item = ListId> {
        let lists = self.tree.lists();
        let after = |list: ListId| lists.get(list as usize).map(|one| one.after());
        let next = move |list: &ListId| after(*list).filter(|next| (*next as usize) < lists.len());
        let top = std::iter::successors((!lists.is_empty()).then_some(0), next);
        let is_judged = |list: &ListId| self.part.as_ref().is_none_or(|part| part.meets(self.tree.list_span(*list)));
        top.filter(is_judged).flat_map(move |list| list..after(list).unwrap_or(list))
    }

    /// Its forms that are code for certain, in what is judged.
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

    /// The calls of functions and macros whose names mean what is known, in code that is certain to be code and is judged.
    pub(crate) fn calls(&self) -> &[Call] {
        self.calls.get_or_init(|| calls(self))
    }

    /// The variables whose values are asked for or assigned, in code that is certain to be code and is judged, but for those
    /// that are bound around it; the functions at the heads of places, and those that are values.
    pub(crate) fn values(&self) -> &Values {
        self.values.get_or_init(|| values(self))
    }

    /// The features that it loads and that neither the language nor the project has.
    pub(crate) fn unknown_features(&self) -> &[String] {
        self.unknown_features.get_or_init(|| unknown_features(self))
    }

    /// What a table has for the dialect of the file.
    pub(crate) fn row<T>(&self, table: &[(Dialect, &'static [T])]) -> &'static [T] {
        table.iter().find(|(dialect, _)| *dialect == self.dialect()).map_or(&[], |(_, row)| *row)
    }

    /// The bytes are in a form that does not balance.
    pub(crate) fn is_broken(&self, span: Span) -> bool {
        if self.document.is_balanced {
            return false;
        }
        self.forms.top_level().any(|(_, form)| form.broken && form.outer.contains(span.start))
    }
}

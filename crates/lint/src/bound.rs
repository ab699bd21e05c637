//! Variables that a macro around them may bind, although nothing shows it.

use lispwright_index::{Document, Hit, Link, Mark, MarkRole, Thing, Tie, UseKind};
use lispwright_syntax::{FormKind, ListId, Span};
use rustc_hash::FxHashSet;

use crate::dialects::call_words;
use crate::file::File;

/// Forms whose bodies have tags, with the first argument that is of the body. CLHS 5.3, `tagbody`.
const TAGGED: &[(&str, usize)] = &[
    ("tagbody", 1),
    ("prog", 2),
    ("prog*", 2),
    ("dolist", 2),
    ("dotimes", 2),
    ("do-symbols", 2),
    ("do-external-symbols", 2),
    ("do-all-symbols", 2),
    ("do", 3),
    ("do*", 3),
];

impl<'i> File<'_, 'i> {
    /// The symbol is a tag: a macro can write the `go` to it.
    fn is_tag(&self, at: Span) -> bool {
        let place = || {
            let mut data = self.tree.data(self.list_of(at)?);
            let head = self.source(self.tree.core_span(data.next()?)).to_ascii_lowercase();
            let (_, body) = TAGGED.iter().find(|(tagged, _)| *tagged == head)?;
            Some(data.position(|datum| self.tree.core_span(datum) == at)? + 1 >= *body)
        };
        place().unwrap_or(false)
    }

    /// A macro of the project around the place, or one that it uses, may bind the variable: its definition has the name in
    /// it, or makes names. Or it stands in the parameters of a macro.
    pub(crate) fn may_be_bound(&self, at: Span) -> bool {
        let (file, question) = (self, self.question);
        let lists = file.lists_around(at);
        let head = |list: ListId| {
            let head = file.tree.data(list).next().filter(|head| head.list().is_none())?;
            Some(file.tree.core_span(head))
        };
        let form = file.forms.around(at.start).map(|id| file.forms.get(id)).filter(|form| form.kind == FormKind::Macro);
        let is_parameter = form.is_some_and(|form| form.signature.iter().any(|signature| signature.encloses(at)));
        if is_parameter || self.is_tag(at) || self.other_locals().contains(file.source(at)) {
            return true;
        }
        let name = file.name(at);
        let symbol = &name.symbol;
        let is_template =
            |hit: &Hit<'_>| matches!(hit.used.kind, UseKind::Template | UseKind::Quoted | UseKind::Binding);
        let is_in_template = || question.named(&symbol.name).any(|hit| is_template(&hit));
        let makes_names = |(document, one): &(&Document, &lispwright_index::Definition)| {
            let text = &document.text[document.facts.forms[one.form as usize].span.range()];
            ["intern", "symbol", "datum->syntax"].iter().any(|word| text.contains(word)) || is_in_template()
        };
        // The same of the macros of libraries.
        let binds = |head: Span| {
            let head = file.name(head);
            let operator = (!file.is_of_project(&head)).then(|| question.library_operator(&head.symbol)).flatten();
            operator.is_some_and(|operator| operator.may_bind(&symbol.name))
        };
        lists.filter_map(head).any(|head| binds(head) || file.macros(head).iter().any(makes_names))
    }

    /// The name is the head of a form in an assertion, and the file asks for a library that may say what such a form means.
    pub(crate) fn may_be_assertion(&self, at: Span) -> bool {
        let around = self.list_of(at).and_then(|list| self.tree.list(list).parent());
        let word = around.and_then(|list| self.head_of(list)?.rsplit('/').next());
        let is_strange = |link: &Link| {
            link.thing == Thing::Space
                && link.tie == Tie::Imports
                && !self.question.has_space(&link.name)
                && !link.name.starts_with("clojure.")
        };
        word.is_some_and(|word| call_words(self.dialect()).open_asserts.contains(&word))
            && self.facts.links.iter().any(is_strange)
    }

    /// The names of its local functions, which a macro can take for a variable, and those that it declares special.
    fn other_locals(&self) -> &FxHashSet<&'i str> {
        self.other_locals.get_or_init(|| {
            let is_other = |mark: &&Mark| matches!(mark.role, MarkRole::LocalFunction | MarkRole::Special);
            self.facts.marks.iter().filter(is_other).map(|mark| self.source(mark.span)).collect()
        })
    }

    /// It says that local variables are seen only by the code inside of them.
    pub(crate) fn has_lexical_variables(&self) -> bool {
        let first = self.text().lines().next().unwrap_or_default();
        first.contains("lexical-binding: t") || first.contains("lexical-binding:t")
    }
}

//! The heads of forms: what the language and the macros of the project know of them, found once for each spelling.

use std::borrow::Cow;
use std::rc::Rc;

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{FormKind, ListId, Span, SpecialForm};

use crate::computed::is_maker;
use crate::macros::{Called, Operator};
use crate::places::mutated;
use crate::treatment::Treatment;
use crate::walk::{Task, Walk};

/// What is known of the head of a form, as it is written.
pub(crate) struct Head<'t> {
    /// Without package or namespace.
    pub(crate) canonical: Cow<'t, str>,
    /// The treatment of arguments by the language, or by the definer of the language that it is like.
    pub(crate) special: Option<SpecialForm>,
    /// That is known because it is like a definer of the language.
    pub(crate) is_alike: bool,
    /// What the project states of its arguments.
    pub(crate) stated: Option<Rc<Treatment>>,
    /// It takes names of functions.
    pub(crate) takes_functions: bool,
    /// It changes what this argument holds.
    pub(crate) mutates: Option<usize>,
    /// It makes symbols from text.
    pub(crate) makes_names: bool,
    /// What its forms define.
    pub(crate) defines: Option<FormKind>,
    /// What the macros of the project know of the name.
    pub(crate) called: Called,
    /// The language treats its arguments, and the project has an operator of the same name.
    pub(crate) has_namesake: bool,
}

impl<'t> Walk<'t> {
    /// Notes that a form uses a macro whose treatment of arguments is known.
    pub(crate) fn note_treated(&mut self, list: ListId) {
        self.facts.treated.push(self.tree.list_span(list).start);
    }

    /// What is known of a head.
    pub(crate) fn head(&mut self, name: &'t str) -> Rc<Head<'t>> {
        let head = match self.heads.get(name) {
            Some(known) => known.clone(),
            None => self.new_head(name),
        };
        if self.learning.is_some() && head.called != Called::Nothing {
            self.asked.push(name);
        }
        head
    }

    pub(crate) fn new_head(&mut self, name: &'t str) -> Rc<Head<'t>> {
        let language = self.tree.language();
        let canonical = canonical_head(self.dialect, name);
        // A special operator has no namespace: `x/var` is a function of `x`.
        let is_other = *canonical != *name && (self.rules.is_operator)(&canonical);
        let is_stated = language.is_stated(&canonical);
        let known = if is_other && !is_stated { Default::default() } else { language.head(&canonical) };
        let alike = || self.dialect.special_form(language.known_head(&canonical)?);
        let special = known.special.or_else(alike);
        let defines = language.kind_of(&canonical);
        let has_namesake = special.is_some()
            && matches!(defines, None | Some(FormKind::Test))
            && !(self.rules.is_operator)(&canonical)
            && self.macros.is_some_and(|macros| macros.called_in_project(name) == Called::Treated);
        let head = Rc::new(Head {
            special,
            has_namesake,
            is_alike: known.special.is_none(),
            stated: language.rows(&canonical).map(|rows| Rc::new(Treatment::stated(rows, self.rules.binds))),
            takes_functions: known.takes_functions,
            mutates: mutated(&canonical),
            makes_names: is_maker(&canonical),
            defines,
            called: self.macros.map_or(Called::Nothing, |macros| macros.called(name)),
            canonical,
        });
        self.heads.insert(name, head.clone());
        head
    }

    /// The heads of the definition of a macro that macros of the project have: of each, one place.
    pub(crate) fn asked(&mut self) -> Vec<Span> {
        let mut asked = std::mem::take(&mut self.asked);
        asked.sort_unstable();
        asked.dedup();
        asked.into_iter().map(|name| self.place(name)).collect()
    }

    /// Knows what another walk over the same text and in the same space has met.
    pub(crate) fn take_heads(&mut self, other: Self) {
        self.heads = other.heads;
        // Nothing in the other definition has changed the space.
        if other.facts.current.len() <= 1 {
            self.operators = other.operators;
        }
    }

    /// Walks over a use of a macro that is like a definer of the language, and exports what it defines.
    pub(crate) fn is_exporter(&mut self, name: &'t str, head: &Head<'t>, list: ListId) -> bool {
        if !head.is_alike {
            return false;
        }
        match self.operator(name, head, list) {
            Some(Operator::Macro(treatment)) if treatment.exports() => self.treated(&treatment, list),
            _ => false,
        }
    }

    /// Walks over a form whose head is spelled like one of the language and means an operator of a space that has it
    /// instead: `(:shadow #:if)`.
    pub(crate) fn is_namesake(&mut self, name: &'t str, head: &Head<'t>, list: ListId) -> bool {
        let Some(macros) = self.macros.filter(|_| head.has_namesake && head.stated.is_none()) else { return false };
        // What defines tests is of a library; a macro of the project that is called like it defines them, too.
        let is_test = head.defines == Some(FormKind::Test);
        if !is_test && !macros.hides_language(self.facts.space_at(self.tree.list_span(list).start), name) {
            return false;
        }
        match self.operator(name, head, list) {
            Some(Operator::Macro(treatment)) if !is_test => self.treated(&treatment, list),
            Some(Operator::Function) => {
                self.definer = None;
                self.facts.no_tests.push(self.tree.list_span(list).start);
                self.call_form(list);
                self.tasks.push(Task::Codes(self.data(list).skipping(1)));
                true
            }
            Some(Operator::Macro(_) | Operator::Unknown) | None => false,
        }
    }

    /// What the head of a form is in the project, if something is known of that.
    fn operator(&mut self, name: &'t str, head: &Head<'t>, list: ListId) -> Option<Operator> {
        let macros = self.macros.filter(|_| head.called == Called::Treated)?;
        if let Some(known) = self.operators.get(name) {
            return Some(known.clone());
        }
        let space = self.facts.space_at(self.tree.list_span(list).start);
        let found = macros.operator(space, name);
        self.operators.insert(name, found.clone());
        Some(found)
    }

    /// Walks over a use of one of the project's macros, if its treatment of arguments is known.
    pub(crate) fn is_treated(&mut self, name: &'t str, head: &Head<'t>, list: ListId) -> bool {
        if let Some(stated) = &head.stated {
            return self.treated(stated, list);
        }
        let Some(operator) = self.operator(name, head, list) else { return false };
        match operator {
            Operator::Macro(treatment) => self.treated(&treatment, list),
            Operator::Function => {
                // The head looks like that of a definition, but its arguments are evaluated.
                self.note_treated(list);
                false
            }
            Operator::Unknown => false,
        }
    }
}

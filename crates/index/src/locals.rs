//! Local names: which there are at a place of the walk, and what they hide.

use lispwright_syntax::{Datum, ListId, TokenKind};

use crate::facts::{MarkRole, UseKind};
use crate::walk::Walk;

/// A name that a form binds for the code inside.
#[derive(Clone, Copy)]
pub(crate) struct Local<'t> {
    pub(crate) name: &'t str,
    /// Its number, if it is a variable of a macro that is learned, or computed from one.
    pub(crate) variable: Option<u16>,
    /// It is computed.
    pub(crate) is_computed: bool,
    /// It is computed, namely as an element of the list of arguments that the variable gets.
    pub(crate) is_element: bool,
    /// A macro may bind it, or do something else with the name.
    pub(crate) is_doubtful: bool,
    pub(crate) is_function: bool,
    /// It names a block, and neither a function nor a variable.
    pub(crate) is_label: bool,
    /// It may be a dynamic variable, if a file defines it.
    pub(crate) may_be_dynamic: bool,
    /// The number of arguments of calls around its binding.
    pub(crate) depth: usize,
}

impl<'t> Local<'t> {
    /// A local variable.
    const fn called(name: &'t str) -> Self {
        Self {
            name,
            variable: None,
            is_computed: false,
            is_element: false,
            is_doubtful: false,
            is_function: false,
            is_label: false,
            may_be_dynamic: false,
            depth: 0,
        }
    }
}

impl<'t> Walk<'t> {
    pub(crate) fn bind_name(&mut self, datum: Datum, is_function: bool) {
        self.bind_local(datum, is_function, self.rules.variables_are_dynamic && !is_function);
    }

    /// Binds a parameter, which is lexical in a file with lexical binding even if there is a dynamic variable with its
    /// name.
    pub(crate) fn bind_parameter(&mut self, datum: Datum) {
        self.bind_local(datum, false, self.rules.variables_are_dynamic && !Self::is_lexical(self.text));
    }

    pub(crate) fn bind_local(&mut self, datum: Datum, is_function: bool, may_be_dynamic: bool) {
        let Some(name) = self.symbol(datum) else { return };
        if self.is_special(name) && !is_function {
            self.use_of(datum, UseKind::Binding);
        } else {
            self.bind_text(name, is_function);
            if let Some(local) = self.locals.last_mut() {
                local.may_be_dynamic = may_be_dynamic;
            }
            if may_be_dynamic && self.learning.is_none() {
                self.note_use(self.tree.core_span(datum), UseKind::Binding, true);
            }
        }
    }

    /// Binds a name that is only a part of a datum.
    pub(crate) fn bind_text(&mut self, name: &'t str, is_function: bool) {
        let depth = self.around.len();
        self.locals.push(Local { is_function, depth, ..Local::called(name) });
        self.mark_local(name, is_function);
    }

    /// Binds a name that a macro may bind.
    pub(crate) fn bind_doubtful(&mut self, datum: Datum) {
        if let Some(name) = self.symbol(datum) {
            let depth = self.around.len();
            self.locals.push(Local { is_doubtful: true, depth, ..Local::called(name) });
            self.mark_local(name, false);
        }
    }

    /// Binds a name that a form binds without writing it; its first use in the lists stands for that.
    pub(crate) fn bind_unwritten(&mut self, name: &str, lists: &[ListId]) {
        let tokens = lists.iter().flat_map(|list| self.tree.tokens_within(self.tree.list_span(*list)));
        let mut atoms = tokens.filter(|(kind, _)| *kind == TokenKind::Atom).map(|(_, span)| &self.text[span.range()]);
        if let Some(name) = atoms.find(|atom| *atom == name) {
            let depth = self.around.len();
            self.locals.push(Local { is_doubtful: true, depth, ..Local::called(name) });
        }
    }

    /// Binds a variable of a macro that is learned, or one that the macro computes from it.
    pub(crate) fn bind_variable(&mut self, name: &'t str, number: u16, is_computed: bool) {
        self.bind_text(name, false);
        if let Some(local) = self.locals.last_mut() {
            (local.variable, local.is_computed) = (Some(number), is_computed);
        }
    }

    /// Binds a name to an element of the list of arguments that a variable of a macro gets.
    pub(crate) fn bind_element(&mut self, name: &'t str, number: u16) {
        self.bind_variable(name, number, true);
        if let Some(local) = self.locals.last_mut() {
            local.is_element = true;
        }
    }

    /// The variable of a macro of whose arguments a name means one.
    pub(crate) fn element_called(&self, name: &str) -> Option<u16> {
        self.local(name, false).filter(|local| local.is_element).and_then(|local| local.variable)
    }

    /// The variable of a macro that a name means, and whether it is only computed from it.
    pub(crate) fn variable_called(&self, name: &str) -> Option<(u16, bool)> {
        let Some(local) = self.local(name, false) else { return Some((self.variable_with_attribute(name)?, true)) };
        Some((local.variable?, local.is_computed))
    }

    /// The variable of a macro whose attribute a name means: `field.name`, of which the class of syntax of `field` says
    /// what it is.
    fn variable_with_attribute(&self, name: &str) -> Option<u16> {
        let has_attributes = self.rules.has_syntax_classes && self.is_in_template();
        let mut ends = name.match_indices('.').map(|(at, _)| at).filter(|at| has_attributes && *at > 0);
        ends.find_map(|end| self.local(&name[..end], false)?.variable)
    }

    /// A variable of a macro is known here.
    pub(crate) fn has_variables(&self) -> bool {
        self.locals.iter().any(|local| local.variable.is_some())
    }

    pub(crate) fn unbind(&mut self, count: usize) {
        self.locals.truncate(count);
    }

    /// Binds the name of a block.
    pub(crate) fn bind_label(&mut self, datum: Datum) {
        if let Some(name) = self.symbol(datum) {
            let depth = self.around.len();
            self.locals.push(Local { is_label: true, depth, ..Local::called(name) });
        }
    }

    /// Notes that a part of the text is a local name.
    pub(crate) fn mark_local(&mut self, name: &'t str, is_function: bool) {
        if !self.marks {
            return;
        }
        let is_apart = is_function && self.rules.two_namespaces;
        let local = self.local(name, is_function).map(|local| (local.is_doubtful, self.place(local.name).start));
        let is_doubtful = local.is_some_and(|(is_doubtful, _)| is_doubtful);
        if let Some((_, binder)) = local {
            self.facts.bound.push((self.place(name).start, binder));
        }
        self.mark(
            name,
            match (is_doubtful, is_apart) {
                (true, _) => MarkRole::Perhaps,
                (false, true) => MarkRole::LocalFunction,
                (false, false) => MarkRole::Local,
            },
        );
    }

    /// By convention, the name is that of a dynamic variable, so a local binding does not hide it.
    pub(crate) fn is_special(&self, name: &str) -> bool {
        (self.rules.is_dynamic)(name)
    }

    pub(crate) fn local_count(&self) -> usize {
        self.locals.len()
    }

    pub(crate) fn is_local(&self, name: &str, is_function: bool) -> bool {
        self.local(name, is_function).is_some()
    }

    pub(crate) fn local(&self, name: &str, is_function: bool) -> Option<&Local<'t>> {
        let folds = self.dialect.folds_case();
        let spaces = self.rules.two_namespaces;
        self.locals.iter().rev().filter(|local| !local.is_label).find(|local| {
            (!spaces || local.is_function == is_function)
                && if folds { local.name.eq_ignore_ascii_case(name) } else { local.name == name }
        })
    }

    /// A block of that name is around the place, other than the block of a function that is defined at top level.
    pub(crate) fn is_block(&self, name: &str) -> bool {
        let folds = self.dialect.folds_case();
        let is_same =
            |local: &Local<'_>| if folds { local.name.eq_ignore_ascii_case(name) } else { local.name == name };
        self.locals.iter().any(|local| local.is_label && is_same(local))
    }
}

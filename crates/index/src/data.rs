//! Quoted data and templates, and the prefixes that begin them.

use lispwright_syntax::datum::{Prefixed, Prefixes};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, ListId, Span, SpecialForm, TokenKind};

use crate::facts::{Mark, MarkRole, UseKind};
use crate::walk::{Task, Walk};

/// The effect of a prefix on its datum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    Quote,
    Template,
    /// It begins a template of syntax, which is code.
    Syntax,
    Unquote,
    Function,
    /// What follows is evaluated when it is read.
    Evaluated,
    Other,
}

impl<'t> Walk<'t> {
    pub(crate) fn prefixes(&self, datum: Datum) -> Prefixes<'t> {
        self.tree.prefixes(datum)
    }

    /// A condition of the reader is before the datum: `#+sbcl`.
    pub(crate) fn is_conditional(&self, datum: Datum) -> bool {
        let is_condition = |prefix: Prefixed| {
            let token = &self.text[self.tree.token_span(prefix.token).range()];
            prefix.kind == TokenKind::Annotation && matches!(token, "#+" | "#-")
        };
        self.prefixes(datum).any(is_condition)
    }

    /// A condition of the reader is before the form at top level around a place, in bytes.
    pub(crate) fn is_in_conditional(&self, at: u32) -> bool {
        let around = self.tree.top_level().find(|datum| self.tree.datum_span(*datum).end > at);
        around.is_some_and(|datum| self.is_conditional(datum))
    }

    /// One of the prefixes of the datum has this meaning.
    pub(crate) fn is_prefixed(&self, datum: Datum, prefix: Prefix) -> bool {
        self.prefixes(datum).any(|one| self.meaning(one) == prefix)
    }

    pub(crate) fn meaning(&self, prefix: Prefixed) -> Prefix {
        let mut span = self.tree.token_span(prefix.token);
        if self.tree.language().has_at_forms() && self.text[span.range()].starts_with('@') {
            // The prefix of a command is read before its `@`: `@'f{more}`.
            span = Span::new(span.start + 1, span.end + 1);
        }
        let text = self.text.get(span.range()).unwrap_or_default();
        match (prefix.kind, text) {
            (TokenKind::Prefix, "'") => Prefix::Quote,
            (TokenKind::Prefix, "#'" | "#`" | "#~") if self.rules.has_syntax_objects => Prefix::Syntax,
            (TokenKind::Prefix, "`" | "#`") => Prefix::Template,
            (TokenKind::Prefix, "," | ",@" | ",." | "~" | "~@" | "#," | "#,@" | "#$" | "#$@" | "#+" | "#+@") => {
                Prefix::Unquote
            }
            (TokenKind::Prefix, "#'") => Prefix::Function,
            (TokenKind::Prefix, "#.") => Prefix::Evaluated,
            _ => Prefix::Other,
        }
    }

    /// The opener of a list; the source of any other datum.
    pub(crate) fn opener(&self, datum: Datum) -> &'t str {
        let opener = &self.text[self.tree.token_span(datum.core).range()];
        // The first byte of a command stands for the parenthesis: `@f{more}`.
        let is_command =
            self.tree.language().has_at_forms() && datum.list().is_some() && !opener.ends_with(['(', '[', '{']);
        if is_command { "(" } else { opener }
    }

    /// Walks over data without code.
    pub(crate) fn quoted(&mut self, datum: Datum) {
        if self.learns(datum, |role| role.is_data = true) {
            return;
        }
        match datum.list() {
            Some(list) => {
                self.look_up_in_data(datum, list);
                self.tasks.push(Task::Quoteds(self.data(list)));
            }
            None if self.is_name_in_data(datum) => self.use_of(datum, UseKind::Quoted),
            None => self.mark_all(datum, MarkRole::Data),
        }
    }

    /// Walks over data in which symbols are names, as a macro quotes its argument: whether it is code in the end is not
    /// known. What the data bind themselves is a local name if it is, and a symbol otherwise.
    pub(crate) fn names_in_data(&mut self, datum: Datum) {
        let locals = self.locals_in_data(datum);
        for atom in self.atoms(datum) {
            let start = self.tree.core_span(atom).start;
            let role = locals.binary_search_by_key(&start, |mark| mark.span.start).ok().map(|at| locals[at].role);
            // A name that a form around the data binds is that one only if they are code.
            let may_be_local = |walk: &Self| {
                let name = walk.symbol(atom).filter(|_| !walk.rules.two_namespaces && walk.learning.is_none());
                name.is_some_and(|name| walk.is_local(name, true))
            };
            match role {
                Some(MarkRole::Local | MarkRole::LocalFunction) => self.mark_all(atom, MarkRole::Data),
                Some(MarkRole::Perhaps) => self.mark_all(atom, MarkRole::Perhaps),
                _ if may_be_local(self) => self.mark_all(atom, MarkRole::Perhaps),
                _ => self.use_of(atom, UseKind::Quoted),
            }
        }
    }

    /// The marks of the data as code that is not in any form, in their order. The macro that is learned takes them apart
    /// elsewhere.
    fn locals_in_data(&self, datum: Datum) -> Vec<Mark> {
        if self.learning.is_some() || datum.list().is_none() {
            return Vec::new();
        }
        let mut inner = Walk::new(self.tree, self.text, "");
        inner.facts.file.clone_from(&self.facts.file);
        inner.facts.current.clone_from(&self.facts.current);
        (inner.marks, inner.asks_locals, inner.macros) = (true, true, self.macros);
        inner.tasks.push(Task::Code(datum));
        inner.work();
        inner.finish().marks
    }

    /// Notes the names that code in data looks up, as that of the operations of a system: `(symbol-call :package :name)`.
    pub(crate) fn look_up_in_data(&mut self, datum: Datum, list: ListId) {
        let head = self.data(list).next().filter(|_| self.rules.templates_declare);
        if let Some(head) = head.and_then(|head| self.symbol(head)) {
            let head = canonical_head(self.dialect, head);
            let declared = (self.rules.declares)(self, &head, datum, list);
            for (span, space) in declared.map_or_else(Vec::new, |declared| declared.looked_up) {
                self.note_of(span, UseKind::Quoted, space, true);
            }
        }
    }

    /// Walks over a part of a template, at this depth of backquotes.
    pub(crate) fn template(&mut self, datum: Datum, mut depth: u32) {
        let mut prefixes = self.prefixes(datum);
        while let Some(prefix) = prefixes.next() {
            match self.meaning(prefix) {
                Prefix::Template => depth += 1,
                Prefix::Unquote if depth <= 1 => return self.prefixed(datum, prefixes),
                Prefix::Unquote => depth -= 1,
                _ => {}
            }
        }
        self.template_core(datum, depth);
    }

    /// Walks over a part of a template without its prefixes.
    pub(crate) fn template_core(&mut self, datum: Datum, depth: u32) {
        let Some(list) = datum.list() else { return self.use_in_template(datum) };
        let mut data = self.data(list);
        let head = data.clone().next().and_then(|head| self.symbol(head));
        match head.and_then(|head| self.dialect.special_form(&canonical_head(self.dialect, head))) {
            Some(SpecialForm::Unquote) if depth <= 1 => {
                data.next();
                self.tasks.push(Task::Codes(data));
            }
            Some(SpecialForm::Unquote) => self.tasks.push(Task::Templates(data, depth - 1)),
            Some(SpecialForm::Template) => self.tasks.push(Task::Templates(data, depth + 1)),
            _ => {
                if let Some(head) = head.filter(|_| self.rules.templates_declare) {
                    self.declare_in_template(&canonical_head(self.dialect, head), datum, list);
                }
                self.tasks.push(Task::Templates(data, depth));
            }
        }
    }

    /// Notes a package with a written name that a macro declares.
    pub(crate) fn declare_in_template(&mut self, head: &str, datum: Datum, list: ListId) {
        let declared = (self.rules.declares)(self, head, datum, list).filter(|declared| declared.current.is_none());
        if let Some(space) = declared.and_then(|declared| declared.space) {
            self.take_space(space);
        }
    }

    /// The walk is in a template of syntax.
    pub(crate) fn is_in_template(&self) -> bool {
        self.in_template
    }

    pub(crate) fn enter_template(&mut self, is_inside: bool) {
        self.in_template = is_inside;
        self.base = if is_inside && self.learning.is_some() { self.bodies } else { 0 };
        self.note_template(is_inside);
    }

    pub(crate) fn enter_level(&mut self, level: u32) {
        self.base = if level > 0 { self.bodies } else { 0 };
        self.level = level;
        self.note_template(level > 0);
    }

    /// Nothing is around the list but forms that wrap others: `(eval-when (…) (list …))`.
    pub(crate) fn is_outside(&self, list: ListId) -> bool {
        let mut around =
            std::iter::successors(self.tree.list(list).parent(), |around| self.tree.list(*around).parent());
        let wraps = |list: ListId| {
            let head = self.tree.data(list).next().and_then(|head| self.symbol(head));
            head.is_some_and(|head| self.tree.language().wraps(&canonical_head(self.dialect, head)))
        };
        around.all(wraps)
    }

    /// A definition here is not local.
    pub(crate) fn is_at_top(&self) -> bool {
        self.bodies == self.base
    }
}

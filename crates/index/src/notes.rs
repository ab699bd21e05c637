//! What a walk notes: uses of names, definitions, declarations of packages and modules, and symbols that are no uses.

use lispwright_syntax::name::canonical_symbol;
use lispwright_syntax::{Data, Datum, Dialect, FormKind, ListId, Span, TokenKind};

use crate::data::Prefix;
use crate::dialects::rules;
use crate::facts::{Doubtful, Mark, MarkRole, Owner, Use, UseKind};
use crate::locals::Local;
use crate::space::{Exports, Space};
use crate::walk::Walk;

impl<'t> Walk<'t> {
    /// The name, if the datum is a symbol that can be one: not a number, keyword or boolean.
    pub(crate) fn symbol(&self, datum: Datum) -> Option<&'t str> {
        if datum.list().is_some() || self.tree.kind(datum.core) != TokenKind::Atom {
            return None;
        }
        let text = self.source(datum);
        is_symbol(self.dialect, text).then_some(text)
    }

    /// Notes that a part of the text is no use.
    pub(crate) fn mark(&mut self, part: &'t str, role: MarkRole) {
        if self.marks {
            self.facts.marks.push(Mark { span: self.place(part), role });
        }
    }

    /// The place of a part of the text, of which it is a slice.
    pub(crate) fn place(&self, part: &'t str) -> Span {
        let start = (part.as_ptr() as usize - self.text.as_ptr() as usize) as u32;
        Span::new(start, start + part.len() as u32)
    }

    pub(crate) fn mark_words(&mut self, data: Data<'t>) {
        data.for_each(|datum| self.mark_all(datum, MarkRole::Word));
    }

    /// Marks the symbols in a datum.
    pub(crate) fn mark_all(&mut self, datum: Datum, role: MarkRole) {
        let mut waiting = vec![datum];
        while let Some(datum) = waiting.pop().filter(|_| self.marks) {
            match datum.list() {
                Some(list) => waiting.extend(self.data(list)),
                None => {
                    if let Some(name) = self.symbol(datum) {
                        self.mark(name, role);
                    }
                }
            }
        }
    }

    /// Notes a use, unless the name is local.
    pub(crate) fn use_of(&mut self, datum: Datum, kind: UseKind) {
        if self.learning.is_some() && self.learns_use(datum, kind) {
            return;
        }
        // `(defmethod #.*name* …)`: the name is the value of code.
        let is_name = matches!(kind, UseKind::Definition | UseKind::Method);
        if is_name && self.is_prefixed(datum, Prefix::Evaluated) {
            return self.core_code(datum);
        }
        // `(setf name)` is the name of a function, too. Other lists are no names.
        let setter = datum.list().filter(|_| matches!(kind, UseKind::Definition | UseKind::Method));
        let datum = match setter.map(|list| self.data(list)) {
            None => datum,
            Some(mut data) => {
                let is_setter = data.next().is_some_and(|head| self.source(head).eq_ignore_ascii_case("setf"));
                let Some(name) = data.next().filter(|_| is_setter) else { return };
                name
            }
        };
        let Some(name) = self.symbol(datum) else { return };
        let takes_function = kind == UseKind::Call;
        let may_be_local = matches!(kind, UseKind::Call | UseKind::Value | UseKind::Assignment);
        let local = self.local(name, takes_function).filter(|_| may_be_local);
        let (is_local, is_hidden) = (local.is_some(), local.is_some_and(|local| !local.may_be_dynamic));
        if is_local {
            self.mark_local(name, takes_function);
        }
        if !is_hidden {
            let hidden = is_local || (kind == UseKind::Binding && self.rules.variables_are_dynamic);
            if kind == UseKind::Definition && !self.in_template {
                let kind = self.definer.unwrap_or(FormKind::Definition);
                self.facts.defined.push((self.name_in(datum), kind));
            }
            self.note_use(self.name_in(datum), kind, hidden);
        }
    }

    /// Notes that the name at `span` is defined here.
    pub(crate) fn note_defined(&mut self, span: Span) {
        if !self.in_template && self.learning.is_none() {
            self.facts.defined.push((span, FormKind::Definition));
        }
    }

    /// Notes that an argument of a macro is used.
    pub(crate) fn learns_use(&mut self, datum: Datum, kind: UseKind) -> bool {
        let definer = self.definer;
        self.learns(datum, |role| match kind {
            UseKind::Definition => role.defines = definer.or(Some(FormKind::Definition)),
            UseKind::Quoted | UseKind::Export => role.is_data = true,
            UseKind::Method => role.is_function = true,
            _ => role.is_code = true,
        })
    }

    /// Notes a use of a method whose space is that of `owner`.
    pub(crate) fn note_method(&mut self, span: Span, owner: Span) {
        self.note(span, UseKind::Method);
        self.facts.owners.push((span.start, Owner::Name(owner)));
    }

    /// The space that is current at a byte.
    pub(crate) fn current(&self, offset: u32) -> &str {
        self.facts.space_at(offset)
    }

    /// Notes a use of the name at `span`.
    pub(crate) fn note(&mut self, span: Span, kind: UseKind) {
        self.note_use(span, kind, false);
    }

    /// Notes a use of a name of another space; `is_exported`: by the name under which that space exports it.
    pub(crate) fn note_of(&mut self, span: Span, kind: UseKind, space: String, is_exported: bool) {
        self.note(span, kind);
        self.facts.owners.push((span.start, Owner::Space { name: space, is_exported }));
    }

    pub(crate) fn note_use(&mut self, span: Span, kind: UseKind, hidden: bool) {
        let is_written = !self.assigned.is_empty() && self.is_assigned(span.start);
        let kind = match kind {
            UseKind::Call | UseKind::Value if is_written => UseKind::Assignment,
            kind => kind,
        };
        let is_code = !matches!(kind, UseKind::Quoted | UseKind::Export);
        let kind = if self.in_template && is_code { UseKind::Template } else { kind };
        if self.marks && self.rules.two_namespaces {
            self.note_doubt(span);
        }
        if let Ok(len) = u16::try_from(span.len()) {
            self.facts.uses.push(Use { start: span.start, len, kind, hidden });
        }
    }

    /// Notes that a use has the name of a local name, and in which arguments it is.
    pub(crate) fn note_doubt(&mut self, span: Span) {
        let folds = self.dialect.folds_case();
        let text = &self.text[span.range()];
        let is_it = |local: &&Local<'_>| {
            !local.is_label && if folds { local.name.eq_ignore_ascii_case(text) } else { local.name == text }
        };
        let Some(local) = self.locals.iter().rev().find(is_it) else { return };
        let around = self.around[local.depth.min(self.around.len())..].to_vec();
        if !around.is_empty() {
            self.facts.doubtful.push(Doubtful { start: span.start, around });
        }
    }

    /// Notes the names of types in a type, which no variable hides.
    pub(crate) fn type_names(&mut self, datum: Datum) {
        for atom in self.atoms(datum) {
            if let Some(name) = self.symbol(atom) {
                self.note(self.tree.core_span(atom), UseKind::Value);
                self.mark(name, MarkRole::Type);
            }
        }
    }

    /// Notes the package or module that a form declares or makes current.
    pub(crate) fn declare(&mut self, head: &str, datum: Datum, list: ListId) {
        let Some(declared) = (self.rules.declares)(self, head, datum, list) else { return };
        if self.learning.is_some() {
            if let Some(Exports::Names(names)) = declared.space.map(|space| space.exports) {
                names.iter().for_each(|name| self.learns_export(name));
            }
            return;
        }
        let span = self.tree.core_span(datum);
        match (declared.current, &declared.space) {
            (Some(current), _) => {
                self.operators.clear();
                self.facts.current.push((span.start, current));
            }
            // Names in a declaration belong to the space that it declares.
            (None, Some(space)) if space.name != self.facts.space_at(span.start) => {
                let around = self.facts.space_at(span.start).to_owned();
                // Inside of another one, it ends before that.
                let at = self.facts.current.partition_point(|(from, _)| *from <= span.start);
                let inside = [(span.start, space.name.clone()), (span.end, around)];
                self.facts.current.splice(at..at, inside);
            }
            (None, _) => {}
        }
        if let Some(space) = declared.space {
            self.take_space(space);
        }
        for span in declared.exported {
            self.note(span, UseKind::Export);
        }
        self.facts.links.extend(declared.links);
        self.facts.opens |= declared.opens;
        self.facts.included.extend(declared.included.into_iter().map(|file| (span.start, file)));
        declared.lists.into_iter().for_each(|list| self.no_form(list));
        for span in declared.called {
            self.note(span, UseKind::Call);
        }
        for (span, space) in declared.looked_up {
            self.note_of(span, UseKind::Quoted, space, true);
        }
        for (span, space) in declared.elsewhere {
            self.note_of(span, UseKind::Export, space, true);
        }
        for (span, space) in declared.within {
            self.note_of(span, UseKind::Export, space, false);
        }
    }

    /// Notes that the space exports a name, because a macro does so with it.
    pub(crate) fn export(&mut self, name: Datum) {
        let Some(text) = self.symbol(name) else { return };
        if self.learning.is_some() {
            return self.learns_export(text);
        }
        let at = self.tree.core_span(name).start;
        let mut space = Space::new(self.current(at).to_owned(), at);
        space.exports = Exports::Names(vec![canonical_symbol(self.dialect, text)]);
        // It may be that no file declares the package.
        space.adds = self.rules.imports_come_first;
        self.take_space(space);
    }

    pub(crate) fn take_space(&mut self, space: Space) {
        match self.facts.spaces.iter_mut().rfind(|known| known.name == space.name) {
            Some(known) => known.extend(space),
            None => self.facts.spaces.push(space),
        }
    }
}

/// The atom is a number, as far as its first characters and its letters say.
fn is_number(dialect: Dialect, atom: &[u8]) -> bool {
    let digits = atom.strip_prefix(b"+").or(atom.strip_prefix(b"-")).unwrap_or(atom);
    let digits = digits.strip_prefix(b".").unwrap_or(digits);
    if !digits.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    if !(rules(dialect).has_potential_numbers) {
        return true;
    }
    // `1+`, `88->h8` and `0.5b0` are symbols, `1.5e-3` and `2/3` are not.
    let mut exponents = 0;
    let mut before = b'0';
    digits.iter().all(|&byte| {
        let is_marker = matches!(byte.to_ascii_lowercase(), b'e' | b's' | b'f' | b'd' | b'l' | b't');
        let is_exponent = is_marker && before.is_ascii_digit();
        exponents += u32::from(is_exponent);
        let is_sign = matches!(byte, b'+' | b'-') && before.is_ascii_alphabetic();
        before = byte;
        byte.is_ascii_digit() || matches!(byte, b'.' | b'/') || is_sign || (is_exponent && exponents < 2)
    }) && before != b'/'
        && !before.is_ascii_alphabetic()
}

/// The atom is a symbol that can be a name.
pub(crate) fn is_symbol(dialect: Dialect, atom: &str) -> bool {
    let bytes = atom.as_bytes();
    let Some(&first) = bytes.first() else { return false };
    if first.is_ascii_alphabetic() {
        return !(rules(dialect).is_constant)(atom);
    }
    let is_keyword = match first {
        b':' => rules(dialect).has_colon_keywords,
        b'#' => !["#{", "#_", "#%"].iter().any(|begins| atom.starts_with(begins)),
        _ => false,
    };
    !is_number(dialect, bytes) && !is_keyword && !(rules(dialect).is_constant)(atom) && atom != "."
}

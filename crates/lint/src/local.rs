//! The local names of a file that nothing uses.

use lispwright_index::MarkRole;
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{ListId, Span, SpecialForm, TokenKind};
use rustc_hash::FxHashSet;

use crate::code::CodeForm;
use crate::file::File;

/// A local name that nothing uses, with the form that binds it.
pub(crate) struct UnusedLocal<'f, 'i> {
    /// The name where it is bound.
    pub(crate) name: Span,
    /// The form that binds it.
    pub(crate) form: &'f CodeForm<'i>,
    /// It is a function where functions have a namespace of their own.
    pub(crate) is_function: bool,
}

/// The local names that nothing uses as far as scopes show, and that are not said to be ignored; see [`File::may_be_used`].
pub(crate) fn unused<'f, 'i>(file: &'f File<'_, 'i>) -> Vec<UnusedLocal<'f, 'i>> {
    let bound = &file.facts.bound;
    let used: FxHashSet<u32> =
        bound.iter().filter(|(place, binder)| place != binder).map(|(_, binder)| *binder).collect();
    let own = bound.iter().filter(|(place, _)| file.is_judged(*place));
    let own = own.filter(|(place, binder)| place == binder && !used.contains(binder));
    own.filter_map(|(start, _)| {
        let at = file.facts.marks.partition_point(|mark| mark.span.start < *start);
        let mark = file.facts.marks.get(at).filter(|mark| mark.span.start == *start)?;
        if !matches!(mark.role, MarkRole::Local | MarkRole::LocalFunction) || file.is_ignored(mark.span) {
            return None;
        }
        // In `#{name : Type}`, the type is none.
        let list = file.list_of(mark.span)?;
        let mut around = std::iter::successors(Some(list), |list| file.tree.list(*list).parent());
        if around.any(|list| file.source(file.tree.list_span(list)).starts_with("#{")) {
            return None;
        }
        let form = file.form_around(list)?;
        let is_function = mark.role == MarkRole::LocalFunction;
        (!form.is_doubtful).then_some(UnusedLocal { name: mark.span, form, is_function })
    })
    .collect()
}

impl<'i> File<'_, 'i> {
    /// Something may use a local name although no scope shows it.
    ///
    /// So it is if any other symbol in the form that binds it has the same spelling, and no other binding of the name
    /// accounts for that symbol: a declaration, a template, data, or the argument of an unknown macro may use it.
    pub(crate) fn may_be_used(&self, local: &UnusedLocal<'_, '_>) -> bool {
        self.is_mentioned(local.name, local.form)
            || self.is_captured(local.name, local.form)
            || self.is_in_local_macro(local.name, local.form)
    }

    /// A local macro around the form has the name in its template: `(macrolet ((run () '(f lim))) (let ((lim 3)) (run)))`.
    fn is_in_local_macro(&self, name: Span, form: &CodeForm<'_>) -> bool {
        let macros = |list: &ListId| {
            let head = self.head_of(*list).map(|head| canonical_head(self.dialect(), head));
            head.and_then(|head| self.dialect().special_form(&head)) == Some(SpecialForm::Macros)
        };
        self.lists_around(self.tree.list_span(form.list)).filter(macros).any(|list| {
            let Some(definitions) = self.tree.data(list).nth(1) else { return false };
            let mut tokens = self.tree.tokens_within(self.tree.datum_span(definitions));
            tokens.any(|(kind, span)| kind == TokenKind::Atom && self.is_same_name(span, name))
        })
    }

    /// Two places have one name, without its package.
    fn is_same_name(&self, one: Span, other: Span) -> bool {
        let (one, other) = (canonical_end(self.source(one)), self.source(other));
        if self.dialect().folds_case() { one.eq_ignore_ascii_case(other) } else { one == other }
    }

    /// The innermost list around a place.
    pub(crate) fn list_of(&self, at: Span) -> Option<ListId> {
        self.lists_around(at).next()
    }

    /// The lists around a place, the innermost first.
    pub(crate) fn lists_around(&self, at: Span) -> impl Iterator<Item = ListId> {
        self.tree.lists_around(at.start)
    }

    /// The innermost form that a list is, or is in.
    pub(crate) fn form_around(&self, list: ListId) -> Option<&CodeForm<'i>> {
        let lists = std::iter::successors(Some(list), |list| self.tree.list(*list).parent());
        lists.into_iter().find_map(|list| self.code().form(list))
    }

    /// By custom, the name is that of a variable that nothing uses.
    fn is_ignored(&self, name: Span) -> bool {
        let text = self.source(name).to_ascii_lowercase();
        text.starts_with(['_', '%', '#'])
            || text.contains(':')
            || !text.contains(char::is_alphanumeric)
            || text.ends_with('_')
            || ["ignore", "unused", "dummy", "..."].iter().any(|part| text.contains(part))
    }

    /// A symbol in the form may mean the local name that is bound at this place.
    fn is_mentioned(&self, name: Span, form: &CodeForm<'_>) -> bool {
        let around = self.tree.list_span(form.list);
        self.tree.tokens_within(around).any(|(kind, span)| match kind {
            TokenKind::Atom if span.start != name.start && self.is_same_name(span, name) => {
                let from = self.facts.bound.partition_point(|(place, _)| *place < span.start);
                let is_here = |(place, binder): &&(u32, u32)| *place == span.start && *binder != name.start;
                let other = self.facts.bound.get(from).filter(is_here);
                // What a macro binds, it may use, too.
                other.is_none_or(|(place, binder)| place == binder && !self.is_bound_by_table(span))
            }
            _ => false,
        })
    }

    /// A form of the tables binds the name at the place, not a macro.
    fn is_bound_by_table(&self, name: Span) -> bool {
        let is_prefixed = self
            .tree
            .token_at(name.start)
            .and_then(|token| token.checked_sub(1))
            .is_some_and(|before| self.tree.kind(before) == TokenKind::Prefix);
        let form = self.list_of(name).and_then(|list| self.form_around(list));
        !is_prefixed && form.is_some_and(|form| self.dialect().special_form(&form.name).is_some())
    }

    /// A macro of the project that is used in the form mentions the name in its own definition.
    fn is_captured(&self, name: Span, form: &CodeForm<'_>) -> bool {
        let text = self.source(name);
        let around = self.tree.list_span(form.list);
        let all = self.code().forms();
        let from = all.partition_point(|one| one.list <= form.list);
        let inside = all[from..].iter().take_while(|one| self.tree.list_span(one.list).start < around.end);
        let mut heads: Vec<Span> = inside.map(|one| self.tree.core_span(one.head)).collect();
        heads.sort_unstable_by_key(|head| self.source(*head));
        heads.dedup_by_key(|head| self.source(*head));
        let folds = self.dialect().folds_case();
        let has_name = |definition: &str| match folds {
            true => definition.to_ascii_lowercase().contains(&text.to_ascii_lowercase()),
            false => definition.contains(text),
        };
        heads
            .into_iter()
            .flat_map(|head| self.macros(head))
            .any(|(document, one)| has_name(&document.text[document.facts.forms[one.form as usize].span.range()]))
    }
}

/// A symbol without its package.
fn canonical_end(symbol: &str) -> &str {
    symbol.rsplit(':').next().filter(|end| !end.is_empty()).unwrap_or(symbol)
}

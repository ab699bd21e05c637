//! The forms of a file that are code for certain, with their heads and arguments.

use std::borrow::Cow;

use lispwright_index::{Use, UseKind, files_are_modules};
use lispwright_syntax::name::{canonical_head, canonical_symbol};
use lispwright_syntax::{
    Datum, Dialect, FormKind, ListId, OperatorKind, Span, SpecialForm, StandardOperator, TokenKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialects::call_words;
use crate::file::File;
use crate::names::Name;
use crate::operators::is_of_language;

/// A list that is evaluated, whose head is a name that nothing local hides.
#[derive(Clone, Debug)]
pub struct CodeForm<'i> {
    /// The list.
    pub list: ListId,
    /// Its head.
    pub head: Datum,
    /// The head as the tables spell it, without package or namespace.
    pub name: Cow<'i, str>,
    /// The data after the head.
    pub arguments: Vec<Datum>,
    /// Its arguments are all that are written: no condition of the reader, no splice and no dot is among them, and it is
    /// no step of a threading form, which gets a further one.
    pub is_whole: bool,
    /// The form around it, as its index.
    pub around: Option<usize>,
    /// It may be data of a macro around it, of whose arguments nothing is known.
    pub is_doubtful: bool,
}

/// The forms of a file that are code, in the order of their openers.
#[derive(Debug, Default)]
pub struct CodeForms<'i> {
    forms: Vec<CodeForm<'i>>,
    by_list: FxHashMap<ListId, usize>,
}

/// The form is `(set! object -field value)`, as ClojureScript has it.
pub(crate) fn sets_field(file: &File<'_, '_>, form: &CodeForm<'_>) -> bool {
    let is_field = |datum: &Datum| file.core(*datum).strip_prefix('-').is_some_and(|rest| !rest.is_empty());
    call_words(file.dialect()).is_hosted
        && form.name == "set!"
        && matches!(form.arguments.as_slice(), [_, field, _] if is_field(field))
}

impl<'i> CodeForms<'i> {
    /// The forms of `file`.
    pub(crate) fn of(file: &File<'_, 'i>) -> Self {
        let is_call = |one: &&Use| one.kind == UseKind::Call && !one.hidden;
        let calls: Vec<u32> = file.uses().filter(is_call).map(|one| one.start).collect();
        let mut opaque: FxHashSet<ListId> = FxHashSet::default();
        let mut code = Self::default();
        for list in file.judged_lists() {
            let mut data = file.tree.data(list);
            let Some(head) = data.next().filter(|head| head.list().is_none() && head.is_bare()) else { continue };
            let span = file.tree.core_span(head);
            if calls.binary_search(&span.start).is_err() && !file.is_operator(span) {
                if file.is_local_macro(span) {
                    opaque.insert(list);
                }
                continue;
            }
            let name = canonical_head(file.dialect(), file.source(span));
            let like = file.tree.language().stated_like(&name).map(|like| Cow::Owned(like.to_owned()));
            let name = like.unwrap_or(name);
            let arguments: Vec<Datum> = data.collect();
            let start = file.tree.list_span(list).start;
            let mut above = file.tree.list(list).parent();
            let mut is_in_macro = false;
            let around = std::iter::from_fn(|| {
                let this = above?;
                above = file.tree.list(this).parent();
                is_in_macro |= opaque.contains(&this);
                Some(this)
            })
            .find_map(|list| code.by_list.get(&list).copied());
            let is_doubtful = is_in_macro
                || around.is_some_and(|around: usize| {
                    let around: &CodeForm<'i> = &code.forms[around];
                    around.is_doubtful || file.is_unknown_operator(&around.name, file.tree.core_span(around.head))
                });
            let is_threaded = around.is_some_and(|around: usize| is_threading(&code.forms[around].name));
            let is_doubtful =
                is_doubtful || around.is_some_and(|around: usize| file.goes_to_unknown(code.forms[around].list, start));
            let is_step = is_threaded || file.facts.steps.binary_search(&start).is_ok();
            let is_whole = !is_step && arguments.iter().all(|one| file.is_plain(*one));
            code.by_list.insert(list, code.forms.len());
            code.forms.push(CodeForm { list, head, name, arguments, is_whole, around, is_doubtful });
        }
        code
    }

    /// The forms, each after the one around it.
    pub fn forms(&self) -> &[CodeForm<'i>] {
        &self.forms
    }

    /// Those that are in no macro of which nothing is known.
    pub fn certain(&self) -> impl Iterator<Item = &CodeForm<'i>> {
        self.forms.iter().filter(|form| !form.is_doubtful)
    }

    /// The form that a list is.
    pub fn form(&self, list: ListId) -> Option<&CodeForm<'i>> {
        self.by_list.get(&list).map(|&at| &self.forms[at])
    }
}

/// The name looks like that of a macro that gives its arguments further ones.
fn is_threading(name: &str) -> bool {
    let ends = ["->", "->>", "~>", "~>>", "<>", "<>>"].iter().any(|end| name.ends_with(end));
    ends || name.starts_with("->") || name.starts_with("line-up") || name.starts_with("thread-")
}

/// The module languages of Racket in which the names of the language are those of `racket`.
pub(crate) const RACKETS: &[&str] = &[
    "racket",
    "racket/base",
    "racket/gui",
    "racket/gui/base",
    "racket/load",
    "typed/racket",
    "typed/racket/base",
    "scheme",
    "scheme/base",
    "scheme/gui",
];

/// Functions of several dialects that code calls often.
const OTHER_FUNCTIONS: &str = "list vector append cons concat str print println display format message error max min not \
    equal eq = < > <= >= + - * / apply funcall map mapcar filter reduce";

/// Special operators that are no names of functions or macros.
const OPERATORS: &[(Dialect, &[&str])] = &[(
    Dialect::Clojure,
    &["def", "if", "do", "recur", "throw", "try", "catch", "finally", "set!", "quote", "var", "new"],
)];

impl<'i> File<'_, 'i> {
    /// The datum is there whatever the reader's features are, and stands for itself alone.
    pub fn is_plain(&self, datum: Datum) -> bool {
        let is_splice =
            |token: &str| matches!(token, "#." | ",@" | ",." | "~@" | "#,@" | "#+@" | "#$@") || token.starts_with("#?");
        let text = self.core(datum);
        let is_changed = self.tree.prefixes(datum).any(|prefix| {
            let token = self.source(self.tree.token_span(prefix.token));
            (prefix.kind == TokenKind::Annotation && matches!(token, "#+" | "#-" | "#!+" | "#!-")) || is_splice(token)
        });
        // `_N"text"`: a reader macro of which nothing is known.
        let before = &self.text()[..self.tree.core_span(datum).start as usize];
        let is_joined = self.tree.kind(datum.core) == TokenKind::String
            && datum.is_bare()
            && before.ends_with(|last: char| last.is_alphanumeric());
        !is_changed && !is_joined && text != "." && text != "..." && !text.starts_with("#?")
    }

    /// The name at a place is that of the language, or stated to be like one, as far as the project says.
    pub fn is_of_language(&self, at: Span) -> bool {
        let name = self.name(at);
        *name.is_of_language.get_or_init(|| self.find_of_language(&name, self.source(at)))
    }

    fn find_of_language(&self, name: &Name<'i>, text: &str) -> bool {
        let dialect = self.dialect();
        if self.tree.language().stated_like(&canonical_head(dialect, text)).is_some() {
            return true;
        }
        if OPERATORS.iter().any(|(of, names)| *of == dialect && names.contains(&text)) {
            return true;
        }
        let qualifier = text.rsplit_once([':', '/']).map(|(before, _)| before.trim_end_matches(':'));
        if let Some(qualifier) = qualifier.filter(|_| text.len() > 1) {
            return ["cl", "common-lisp", "clojure.core"].iter().any(|one| one.eq_ignore_ascii_case(qualifier));
        }
        !name.is_defined
            && is_of_language(self.question, self.document, &name.symbol, text)
            && self.has_known_language()
    }

    /// The place is in a form of which the compiler sees nothing: `(comment …)`, `#+(or) …`.
    pub(crate) fn is_not_compiled(&self, at: Span) -> bool {
        let words = call_words(self.dialect());
        let is_ignored = |list: ListId| {
            let head = self.head_of(list).filter(|head| words.ignores.contains(head));
            let head = head.and_then(|_| self.tree.data(list).next());
            head.is_some_and(|head| self.is_of_language(self.tree.core_span(head)))
        };
        let is_left_out = |list: ListId| {
            let around = self.tree.list(list).parent();
            let mut data = around.map_or_else(|| self.tree.top_level(), |around| self.tree.data(around));
            let datum = data.find(|one| one.list() == Some(list));
            datum.into_iter().flat_map(|datum| self.tree.prefixes(datum)).any(|prefix| {
                let token = self.tree.token_span(prefix.token);
                let end = prefix.operand.map_or(token.end, |operand| self.tree.datum_span(operand).end);
                let condition: String = self.source(Span::new(token.start, end)).split_whitespace().collect();
                words.never.iter().any(|never| never.eq_ignore_ascii_case(&condition))
            })
        };
        let is_it = |list| is_ignored(list) || (!words.never.is_empty() && is_left_out(list));
        self.lists_around(at).any(is_it)
    }

    /// The names of the language are not those of a module language of which nothing is known.
    pub(crate) fn has_known_language(&self) -> bool {
        if !files_are_modules(self.dialect()) {
            return true;
        }
        match self.module_language() {
            Some(language) => RACKETS.contains(&language),
            None => !self.text().contains("#reader") && !self.text().trim_start().starts_with("#!"),
        }
    }

    /// The language of a module: `#lang racket`, or `(module name racket …)`.
    pub(crate) fn module_language(&self) -> Option<&'i str> {
        let mut solid = self.tree.tokens().filter(|(kind, _)| !kind.is_trivia()).map(|(_, span)| self.source(span));
        let (first, second) = (solid.next().unwrap_or_default(), solid.next().unwrap_or_default());
        match (first.strip_prefix("#lang"), first, second) {
            (Some(""), _, language) => Some(language),
            (Some(language), ..) => Some(language.trim_start()),
            (None, "(", "module") => Some(solid.nth(1).unwrap_or_default()),
            _ => None,
        }
    }

    /// A special operator is called at a place that the index notes as no use of a name.
    pub(crate) fn is_operator(&self, at: Span) -> bool {
        let facts = &self.facts;
        OPERATORS.iter().any(|(dialect, names)| *dialect == self.dialect() && names.contains(&self.source(at)))
            && facts.uses.binary_search_by_key(&at.start, |one| one.start).is_err()
            && facts.marks.binary_search_by_key(&at.start, |one| one.span.start).is_err()
    }

    /// A form around the place binds the name as a macro.
    fn is_local_macro(&self, at: Span) -> bool {
        let from = self.facts.bound.partition_point(|(place, _)| *place < at.start);
        let Some((_, binder)) = self.facts.bound.get(from).filter(|(place, _)| *place == at.start) else {
            return false;
        };
        let definition = self.tree.token_at(*binder).and_then(|token| self.tree.list_around(token));
        let binder =
            definition.and_then(|list| self.tree.list(list).parent()).and_then(|list| self.tree.list(list).parent());
        let head = binder.and_then(|list| self.tree.data(list).next()).filter(|head| head.list().is_none());
        head.is_some_and(|head| {
            let name = canonical_head(self.dialect(), self.core(head));
            matches!(self.dialect().special_form(&name), Some(SpecialForm::Macros)) || name.ends_with("-syntax")
        })
    }

    /// What stands at a byte of a form is the value that a threading form gives to a step of which nothing is known:
    /// `(-> {…} ->session)`.
    pub(crate) fn goes_to_unknown(&self, form: ListId, at: u32) -> bool {
        if !self.head_of(form).is_some_and(is_threading) {
            return false;
        }
        let is_before = |one: &Datum| self.tree.datum_span(*one).end <= at;
        let Some(step) = self.tree.data(form).skip_while(is_before).nth(1) else { return false };
        if step.list().is_some() { self.is_of_unknown(step) } else { self.is_unknown_name(step) }
    }

    /// The datum is a list with a head that nothing is known of.
    pub(crate) fn is_of_unknown(&self, datum: Datum) -> bool {
        let head = datum.list().and_then(|list| self.tree.data(list).next()).filter(|head| head.list().is_none());
        head.is_some_and(|head| self.is_unknown_name(head))
    }

    fn is_unknown_name(&self, name: Datum) -> bool {
        self.is_unknown_operator(&canonical_head(self.dialect(), self.core(name)), self.tree.core_span(name))
    }

    /// Nothing tells what the operator does with its arguments: it may be a macro that takes data.
    fn is_unknown_operator(&self, name: &str, at: Span) -> bool {
        let known = self.name(at);
        *known.may_take_data.get_or_init(|| self.find_unknown_operator(&known, name, self.source(at)))
    }

    fn find_unknown_operator(&self, known: &Name<'i>, name: &str, written: &str) -> bool {
        let dialect = self.dialect();
        if self.tree.language().rows(name).is_some() {
            return false;
        }
        if dialect.special_form(name).is_some() || dialect.is_standard(&canonical_symbol(dialect, name)) {
            return false;
        }
        let is_function = |one: &StandardOperator| one.kind == OperatorKind::Function;
        if dialect.standard_operator(name).filter(is_function).is_some() && !known.is_defined {
            return false;
        }
        let definitions = self.definitions(known);
        if !definitions.is_empty() {
            return definitions.iter().any(|(_, one)| one.kind == FormKind::Macro);
        }
        let shapes = dialect.table().shapes;
        let counts = shapes.counts.split_whitespace().filter_map(|count| count.split(':').next());
        let mut functions = counts.chain(shapes.variadic.split_whitespace()).chain(OTHER_FUNCTIONS.split_whitespace());
        if name.ends_with('?') || functions.any(|known| known == name) {
            return false;
        }
        let is_value = |hit: &lispwright_index::Hit<'_>| hit.used.kind == UseKind::Value;
        !self.question.named(written).any(|hit| is_value(&hit))
    }
}

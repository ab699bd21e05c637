//! The names whose values are asked for or assigned, and the classes that are named, in code that is certain to be code or
//! likely to be.

use lispwright_index::{Mark, MarkRole, Use, UseKind};
use lispwright_syntax::name::{canonical_head, canonical_symbol};
use lispwright_syntax::{Datum, ListId};

use super::Search;
use crate::file::File;
use crate::operators::Operator;

/// Words in the names of macros that bind names, or take clauses.
const OF_MACROS: &[&str] = &[
    "with", "let", "let*", "case", "cond", "match", "loop", "for", "do", "each", "test", "fn", "lambda", "if", "when",
    "bind",
];

/// The names of a file whose values are asked for or assigned.
#[derive(Debug)]
pub(crate) struct Values {
    /// Those of variables.
    pub(crate) variables: Vec<Use>,
    /// Those of functions at the heads of places.
    pub(crate) places: Vec<Use>,
    /// Those of functions that are named by `#'`.
    pub(crate) functions: Vec<Use>,
    /// Those of classes of the host.
    pub(crate) classes: Vec<Use>,
    /// Those of functions that are called and of variables, in code that is code if what nothing is known of are functions.
    pub(crate) likely: Vec<Use>,
}

/// The uses of variables in a file, those of functions at the heads of places that are assigned: `(setf (f x) y)`, and
/// those of functions as values: `#'f`.
pub(crate) fn values(file: &File<'_, '_>) -> Values {
    let mut search = Search::of(file);
    // What names its module is judged by that.
    let is_here = |used: &Use| !used.hidden && file.facts.owner_of(*used).is_none();
    let is_value = |used: &&Use| matches!(used.kind, UseKind::Value | UseKind::Assignment) && is_here(used);
    let used: Vec<Use> = file.uses().filter(is_value).copied().collect();
    let variables = used.iter().copied().filter(|used| search.is_value(*used, Datum::is_bare)).collect();
    let is_function = |used: &&Use| {
        let is_quoted = || file.text()[..used.start as usize].ends_with("#'");
        matches!(used.kind, UseKind::Value | UseKind::Call) && !used.hidden && is_quoted()
    };
    let named: Vec<Use> = file.uses().filter(is_function).copied().collect();
    let is_alone = |datum: Datum| file.tree.prefixes(datum).count() == 1;
    let functions = named.into_iter().filter(|used| search.is_value(*used, is_alone)).collect();
    let places =
        used.iter().copied().filter(|used| used.kind == UseKind::Assignment && search.is_place(*used)).collect();
    // Only a host has classes that are named like this.
    let named: Vec<Use> = file.uses().filter(|used| file.names_class(used)).copied().collect();
    let classes = named.into_iter().filter(|used| search.is_code_at(*used)).collect();
    let is_unsure = |used: &&Use| matches!(used.kind, UseKind::Value | UseKind::Call) && !used.hidden;
    let unsure: Vec<Use> = file.uses().filter(is_unsure).copied().collect();
    let is_unjudged = |used: &Use| {
        let used = *used;
        let is_call = used.kind == UseKind::Call;
        let is_likely = match is_call {
            true => search.is_likely_call(used),
            false => search.is_value_in(used, Datum::is_bare, Search::is_likely),
        };
        let is_certain = |search: &mut Search<'_, '_, '_>| {
            file.list_of(used.span())
                .is_some_and(|list| if is_call { search.is_code(list) } else { search.has_code(list) })
        };
        is_likely && !is_certain(&mut search)
    };
    let likely = unsure.into_iter().filter(is_unjudged).collect();
    Values { variables, places, functions, classes, likely }
}

impl Search<'_, '_, '_> {
    /// What stands at the place, as a datum that `is_such`, is evaluated, whatever macros are around it.
    fn is_value(&mut self, used: Use, is_such: impl Fn(Datum) -> bool) -> bool {
        self.is_value_in(used, is_such, Self::has_code)
    }

    /// The same in lists whose data are code as `is_code` says.
    fn is_value_in(
        &mut self,
        used: Use,
        is_such: impl Fn(Datum) -> bool,
        is_code: fn(&mut Self, ListId) -> bool,
    ) -> bool {
        let file = self.file;
        let Some(token) = file.tree.token_at(used.start) else { return false };
        let Some(list) = file.tree.list_around(token) else { return false };
        let Some(datum) = file.tree.data(list).find(|datum| datum.core == token) else { return false };
        let is_no_value = |mark: &Mark| {
            mark.span == used.span() && matches!(mark.role, MarkRole::Type | MarkRole::Word | MarkRole::Function)
        };
        let at = file.facts.marks.partition_point(|mark| mark.span.start < used.start);
        if file.facts.marks[at..].iter().take_while(|mark| mark.span.start == used.start).any(is_no_value) {
            return false;
        }
        // Neither a clause nor a call begins with it: it names something, as that of a restart.
        let opener = file.source(file.tree.token_span(file.tree.list(list).open()));
        let has_head = !file.is_hosted() || matches!(opener, "(" | "#(");
        let is_first = has_head && file.tree.data(list).next().is_some_and(|first| first.core == token);
        if is_first && file.facts.no_forms.binary_search(&file.tree.list_span(list).start).is_err() {
            return false;
        }
        // The name of a function or class in an option: `(:report show)`.
        let is_option = lispwright_index::has_function_namespace(file.dialect())
            && file.head_of(list).is_some_and(|head| head.starts_with(':'));
        (opener == "(" || file.is_hosted())
            && !is_option
            && is_such(datum)
            && file.facts.unclear.binary_search(&used.start).is_err()
            && is_code(self, list)
            && !self.is_specializer(list, used.span())
            && self.are_established(list)
    }

    /// The use calls something in code that is code if what nothing is known of are functions.
    fn is_likely_call(&mut self, used: Use) -> bool {
        let file = self.file;
        let Some(list) = file.list_of(used.span()) else { return false };
        let start = file.tree.list_span(list).start;
        let is_among = |starts: &[u32]| starts.binary_search(&start).is_ok();
        let is_head = file.tree.data(list).next().is_some_and(|head| file.tree.core_span(head) == used.span());
        let around = file.tree.list(list).parent();
        is_head
            && !is_among(&file.facts.no_forms)
            && !is_among(&file.facts.unclear)
            && !file.is_prefixed(list)
            && !self.is_clause(list)
            && !self.is_binding(list)
            && !self.is_method_like(list)
            && around.is_some_and(|around| self.is_likely(around) && self.are_established(around))
    }

    /// A list takes its data as code if what nothing is known of are functions, and so do all forms around it.
    fn is_likely(&mut self, list: ListId) -> bool {
        self.all_around(
            list,
            |search| &mut search.likely,
            |search, list| search.passes(list) || search.calls_unknown(list),
        )
    }

    /// The list calls something of which nothing is known.
    fn calls_unknown(&self, list: ListId) -> bool {
        let file = self.file;
        let start = file.tree.list_span(list).start;
        let head = file.tree.data(list).next().filter(|head| head.list().is_none() && head.is_bare());
        let used = head.and_then(|head| self.uses.get(&file.tree.core_span(head).start));
        used.is_some_and(|used| {
            let word = file.source(used.span()).to_ascii_lowercase();
            let mut parts = word.rsplit([':', '/']).next().unwrap_or_default().split('-');
            file.facts.unclear.binary_search(&start).is_err()
                && file.facts.calls.binary_search(&start).is_ok()
                && !self.expects(&word)
                && !parts.any(|part| part.contains("def") || OF_MACROS.contains(&part))
                && matches!(file.operator(*used), Operator::Unknown)
        })
    }

    /// The use is at the head of a place, in code that is certain to be code.
    fn is_place(&mut self, used: Use) -> bool {
        let file = self.file;
        let Some(list) = file.tree.token_at(used.start).and_then(|token| file.tree.list_around(token)) else {
            return false;
        };
        let is_head = |head: Datum| head.is_bare() && head.list().is_none() && file.tree.core_span(head) == used.span();
        file.tree.data(list).next().is_some_and(is_head)
            && !file.is_prefixed(list)
            && file.facts.unclear.binary_search(&used.start).is_err()
            && self.is_code(list)
            && self.are_established(list)
    }

    /// The use is in code that is certain to be code.
    fn is_code_at(&mut self, used: Use) -> bool {
        let file = self.file;
        let list = file.tree.token_at(used.start).and_then(|token| file.tree.list_around(token));
        let is_unclear = file.facts.unclear.binary_search(&used.start).is_ok();
        list.is_some_and(|list| !is_unclear && self.has_code(list) && self.are_established(list))
    }

    /// The list and those around it are no special forms that only custom knows.
    fn are_established(&mut self, list: ListId) -> bool {
        self.all_around(list, |search| &mut search.established, |search, list| search.is_established(list))
    }

    /// The list is no special form that only custom knows: a library can give the name to another one.
    fn is_established(&self, list: ListId) -> bool {
        let file = self.file;
        let Some(head) = file.tree.data(list).next().filter(|head| head.list().is_none()) else { return true };
        let span = file.tree.core_span(head);
        let name = canonical_head(file.dialect(), file.source(span));
        if file.dialect().special_form(&name).is_none()
            || file.dialect().is_standard(&canonical_symbol(file.dialect(), &name))
        {
            return true;
        }
        match file.dialect().standard_operator(&name) {
            Some(standard) => file.has_table(span, &standard),
            None => {
                let known = file.name(span);
                !file.definitions(&known).is_empty() || file.question.library_operator(&known.symbol).is_some()
            }
        }
    }
}

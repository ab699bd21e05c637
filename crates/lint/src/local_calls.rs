//! Calls of local functions and macros, each with the parameters that its definition shows.

use std::rc::Rc;

use lispwright_index::{MarkRole, Signature, files_are_modules};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, ListId, OperatorKind, Span, SpecialForm};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::{Call, Search};
use crate::file::File;
use crate::operators::{Operator, OwnOperator};

/// The calls of local functions and macros of a file, in code that is certain to be code.
pub(crate) fn local_calls(search: &mut Search<'_, '_, '_>) -> Vec<Call> {
    let file = search.file;
    let mut known: FxHashMap<u32, Option<Rc<OwnOperator>>> = FxHashMap::default();
    let mut found = Vec::new();
    let assigned = assigned(file);
    for (place, binder) in file.facts.bound.iter().filter(|(place, binder)| place != binder) {
        let Some((list, name)) = called(file, *place) else { continue };
        let operator = known.entry(*binder).or_insert_with(|| {
            let is_kept = !assigned.contains(binder);
            is_kept.then(|| operator(file, *binder)).flatten()
        });
        if let Some(own) = operator.clone()
            && let Some(call) = search.local_call(list, name, Operator::Own(own))
        {
            found.push(call);
        }
    }
    found.extend(calls_at_once(search));
    found
}

/// The calls of functions without a name: `((lambda (x) x) 1)`.
fn calls_at_once(search: &mut Search<'_, '_, '_>) -> Vec<Call> {
    let file = search.file;
    let lists: Vec<ListId> = file.judged_lists().collect();
    let calls = lists.into_iter().filter_map(|list| {
        let callee = file.tree.data(list).next()?;
        let head = file.tree.data(callee.list()?).next().filter(|head| head.list().is_none())?;
        if !matches!(file.core(head), "lambda" | "λ" | "case-lambda" | "fn") {
            return None;
        }
        let signatures = function(file, callee).filter(|all| !all.is_empty())?;
        let own = OwnOperator { kind: OperatorKind::Function, signatures, is_made: false };
        search.local_call(list, file.tree.core_span(head), Operator::Own(Rc::new(own)))
    });
    calls.collect()
}

/// The list whose head is the local name at a place, with that.
fn called(file: &File<'_, '_>, place: u32) -> Option<(ListId, Span)> {
    let list = file.tree.token_at(place).and_then(|token| file.tree.list_around(token))?;
    let head = file.tree.data(list).next().filter(|head| head.is_bare() && head.list().is_none())?;
    let name = file.tree.core_span(head);
    (name.start == place && is_name(file, name)).then_some((list, name))
}

/// The mark at a place is that of a local name, which nothing but its form can have bound.
fn is_name(file: &File<'_, '_>, name: Span) -> bool {
    let at = file.facts.marks.partition_point(|mark| mark.span.start < name.start);
    let mark = file.facts.marks.get(at).filter(|mark| mark.span == name);
    mark.is_some_and(|mark| matches!(mark.role, MarkRole::Local | MarkRole::LocalFunction))
}

/// The function or macro that is bound at a place.
fn operator(file: &File<'_, '_>, binder: u32) -> Option<Rc<OwnOperator>> {
    let token = file.tree.token_at(binder)?;
    let list = file.tree.list_around(token)?;
    let data = file.data(list);
    let at = data.iter().position(|one| file.tree.core_span(*one).start == binder)?;
    if !data[at].is_bare() || data[at].list().is_some() || !is_name(file, file.tree.core_span(data[at])) {
        return None;
    }
    let around = file.tree.list(list).parent();
    let of_function = |signatures| (OperatorKind::Function, signatures);
    let (kind, signatures) = in_functions(file, list, &data, at, around).or_else(|| {
        in_definition(file, list, around)
            .filter(|_| at == 0)
            .or_else(|| in_loop(file, list, &data, at))
            .or_else(|| in_binding(file, &data, at, list, around))
            .map(of_function)
    })?;
    if signatures.is_empty() {
        return None;
    }
    Some(Rc::new(OwnOperator { kind, signatures, is_made: false }))
}

/// The form of the language that a list is.
fn special(file: &File<'_, '_>, list: ListId) -> Option<SpecialForm> {
    let head = file.tree.data(list).next().filter(|head| head.is_bare() && head.list().is_none())?;
    let span = file.tree.core_span(head);
    let word = canonical_head(file.dialect(), file.source(span));
    let special = file.dialect().special_form(&word)?;
    file.is_of_language(span).then_some(special)
}

/// `(flet ((name parameters …)) …)`, `(macrolet ((name parameters …)) …)`, `(letfn [(name [parameter…] …)] …)`
fn in_functions(
    file: &File<'_, '_>,
    list: ListId,
    data: &[Datum],
    at: usize,
    around: Option<ListId>,
) -> Option<(OperatorKind, Vec<Signature>)> {
    let bindings = around?;
    let form = file.tree.list(bindings).parent()?;
    let is_bindings = file.tree.data(form).nth(1).and_then(Datum::list) == Some(bindings);
    if at != 0 || !is_bindings || file.is_prefixed(list) || !data.iter().all(|one| file.is_plain(*one)) {
        return None;
    }
    use SpecialForm as F;
    let one = || Some(vec![signature(file, *data.get(1)?)?]);
    match special(file, form)? {
        F::Macros if lispwright_index::has_function_namespace(file.dialect()) => Some((OperatorKind::Syntax, one()?)),
        _ if file.dialect().special_form("fn") == Some(F::Fn) => {
            Some((OperatorKind::Function, arities(file, &data[1..])?))
        }
        F::Functions | F::FunctionsRec => Some((OperatorKind::Function, one()?)),
        _ => None,
    }
}

/// `(define (name . parameters) …)`
fn in_definition(file: &File<'_, '_>, list: ListId, around: Option<ListId>) -> Option<Vec<Signature>> {
    let form = around?;
    let is_target = file.tree.data(form).nth(1).and_then(Datum::list) == Some(list);
    let head = file.head_of(form)?;
    if !is_target || !matches!(head, "define" | "define*") || special(file, form)? != SpecialForm::Define {
        return None;
    }
    // `define*` is another one in each library.
    if head == "define*" && files_are_modules(file.dialect()) {
        return None;
    }
    Some(vec![Signature::of_parameters(&file.tree, file.text(), list, 1)?])
}

/// `(let name ((variable value)…) …)`
fn in_loop(file: &File<'_, '_>, list: ListId, data: &[Datum], at: usize) -> Option<Vec<Signature>> {
    if at != 1 || special(file, list)? != SpecialForm::Let || lispwright_index::data_are_names(file.dialect()) {
        return None;
    }
    let bindings = file.data(data.get(2)?.list()?);
    let is_binding = |one: &Datum| one.list().is_some_and(|list| file.tree.data(list).count() == 2);
    if !bindings.iter().all(|one| file.is_plain(*one) && one.is_bare() && is_binding(one)) {
        return None;
    }
    let names = bindings.iter().filter_map(|one| file.tree.data(one.list()?).next());
    let shown = names.map(|name| file.core(name)).collect::<Vec<_>>().join(" ");
    Some(vec![Signature::fixed(bindings.len(), shown)])
}

/// `(let ((name (lambda parameters …))) …)`, `(let [name (fn [parameter…] …)] …)`, `(fn name [parameter…] …)`
fn in_binding(
    file: &File<'_, '_>,
    data: &[Datum],
    at: usize,
    list: ListId,
    around: Option<ListId>,
) -> Option<Vec<Signature>> {
    use SpecialForm as F;
    let has_vectors = file.dialect().special_form("fn") == Some(F::Fn);
    if has_vectors && file.core_opener(list) == "[" {
        let form = around?;
        let is_bindings = file.tree.data(form).nth(1).and_then(Datum::list) == Some(list);
        let binds = is_bindings && matches!(file.head_of(form), Some("let")) && special(file, form).is_some();
        let value = data.get(at + 1).filter(|_| binds && at.is_multiple_of(2))?;
        return function(file, *value);
    }
    if at == 1 && file.head_of(list) == Some("fn") && file.is_of_language(file.tree.core_span(data[0])) {
        return arities(file, &data[2..]);
    }
    let bindings = around?;
    let form = file.tree.list(bindings).parent()?;
    let position = file.tree.data(form).position(|one| one.list() == Some(bindings))?;
    // What `let-syntax` binds is a macro.
    let is_let = matches!(file.head_of(form)?, "let" | "let*" | "letrec" | "letrec*");
    let binds = is_let && matches!(special(file, form)?, F::Let | F::LetStar | F::LetRec) && position <= 2;
    let is_scheme = !lispwright_index::has_function_namespace(file.dialect());
    (binds && is_scheme && at == 0 && data.len() == 2).then(|| function(file, data[1]))?
}

/// What a form that is a function takes.
fn function(file: &File<'_, '_>, value: Datum) -> Option<Vec<Signature>> {
    let list = value.list().filter(|_| value.is_bare())?;
    let data = file.data(list);
    if !data.iter().all(|one| file.is_plain(*one)) {
        return None;
    }
    let head = file.head_of(list)?;
    if !file.is_of_language(file.tree.core_span(data[0])) {
        return None;
    }
    use SpecialForm as F;
    match (head, special(file, list)?) {
        ("lambda" | "λ", F::Lambda | F::Procedure) => Some(vec![signature(file, *data.get(1)?)?]),
        ("case-lambda", F::CaseLambda | F::CaseProcedure) => {
            let clauses = data[1..].iter().map(|clause| file.tree.data(clause.list()?).next());
            clauses.map(|parameters| signature(file, parameters?)).collect()
        }
        ("fn", F::Fn) => {
            let named = data.get(1).is_some_and(|one| one.list().is_none());
            arities(file, &data[if named { 2 } else { 1 }..])
        }
        _ => None,
    }
}

/// `[parameter…] …`, or `([parameter…] …) …`
fn arities(file: &File<'_, '_>, data: &[Datum]) -> Option<Vec<Signature>> {
    let first = data.first()?;
    let opener = file.core_opener(first.list()?);
    if opener == "[" {
        return Some(vec![signature(file, *first)?]);
    }
    let each = data.iter().map(|one| {
        let list = one.list().filter(|list| file.core_opener(*list) == "(")?;
        signature(file, file.tree.data(list).next().filter(|one| file.core(*one).starts_with('['))?)
    });
    each.collect()
}

fn signature(file: &File<'_, '_>, parameters: Datum) -> Option<Signature> {
    let is_plain = |one: Datum| file.is_plain(one) || file.core(one) == ".";
    let is_all = parameters.list().is_none_or(|list| file.tree.data(list).all(is_plain));
    if !is_all || !parameters.is_bare() {
        return None;
    }
    Signature::of_datum(&file.tree, file.text(), parameters)
}

/// The places that bind local names to which something gives another value.
fn assigned(file: &File<'_, '_>) -> FxHashSet<u32> {
    let is_assigned = |place: u32| {
        let list = file.tree.token_at(place).and_then(|token| file.tree.list_around(token));
        list.and_then(|list| file.head_of(list)).is_some_and(|head| head.starts_with("set") || head == "define")
    };
    let uses = file.facts.bound.iter().filter(|(place, binder)| place != binder);
    uses.filter(|(place, _)| is_assigned(*place)).map(|(_, binder)| *binder).collect()
}

impl<'i> File<'_, 'i> {
    /// What opens a list.
    pub(crate) fn core_opener(&self, list: ListId) -> &'i str {
        self.source(self.tree.token_span(self.tree.list(list).open()))
    }
}

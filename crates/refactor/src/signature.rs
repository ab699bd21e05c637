//! A change of the parameters of a function: in its definition, in the methods and implementations of it, and in all calls.
//!
//! 1. Find the function, and the list of parameters that the request is about ([`wanted`] compares it with the new one).
//! 2. Change each definition: its list, and in its body the names that change ([`define`]).
//! 3. Look at every token that means the function. A call gets its arguments in the new order ([`follow`]); what cannot be
//!    followed is told as open, and nothing is guessed ([`calls`]).
//! 4. Change the files, and read them again: in each body, the same places must mean the same parameters ([`proof`]).

mod calls;
mod capture;
mod define;
mod edits;
mod follow;
mod proof;
mod refusal;
mod types;
mod wanted;

use std::collections::BTreeMap;
use std::path::Path;

use lispwright_edit::Source;
use lispwright_index::{
    Document, Hit, Index, LanguageOf, ParameterRole as Role, PossibleReason, Referent, Symbol, UseIndex, UseKind,
    symbol_name,
};
use lispwright_syntax::{FormKind, Forms, Span, SpecialForm};

use self::calls::Caller;
use self::define::{Definer, File, Place};
use self::edits::Edits;
pub use self::refusal::{OpenPlace, OpenReason, SignatureRefusal};
use self::types::Types;
use self::wanted::{Arity, Plan, Wanted, plan};
use crate::dialects::notation;
use crate::platform;
use crate::refusal::Spot;
use crate::rename::{RemadeFile, remade};
use crate::target;

/// Which parameters to change, and how.
pub struct SignatureRequest<'a> {
    /// The name, which can be qualified.
    pub symbol: &'a str,
    /// Its package, module or namespace.
    pub package: Option<&'a str>,
    /// The new list of parameters; `None`: the present one, with other names.
    pub parameters: Option<&'a str>,
    /// Parameters that get another name, each with the new one.
    pub rename: &'a BTreeMap<String, String>,
    /// What calls pass for parameters that they do not pass now.
    pub values: &'a BTreeMap<String, String>,
    /// Of several lists, the one with so many required parameters.
    pub arity: Option<usize>,
    /// A definition of the name is in a file that fits.
    pub is_here: &'a dyn Fn(&Path) -> bool,
    /// Finds the language of a file.
    pub language_of: LanguageOf<'a>,
}

/// A planned change of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureChange {
    /// The function.
    pub symbol: Symbol,
    /// The list of parameters as it is.
    pub old_list: String,
    /// The list as it becomes.
    pub new_list: String,
    /// The files that change, in the order of their paths.
    pub files: Vec<RemadeFile>,
    /// The number of calls that change.
    pub calls: usize,
    /// The number of files with such calls.
    pub files_of_calls: usize,
    /// The number of definitions that change, without methods.
    pub definitions: usize,
    /// The number of methods and implementations that change.
    pub methods: usize,
    /// Places that may depend on the parameters and stay.
    pub open: Vec<OpenPlace>,
    /// Places that somebody should look at.
    pub look_at: Vec<(Spot, LookReason)>,
    /// Calls whose arguments are evaluated in another order.
    pub reordered: Vec<Spot>,
    /// Calls that lose an argument that does something.
    pub dropped: Vec<Spot>,
    /// Symbols in data of the name, which are no functions.
    pub symbols: Vec<Spot>,
}

/// Why somebody should look at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LookReason {
    /// It says of which types the parameters are, or repeats them.
    Declares,
    /// The documentation mentions a parameter.
    Documentation(String),
    /// It says how a command gets its arguments.
    Interactive,
    /// Metadata repeat the parameters.
    Arglists,
    /// The function has a writer, which has parameters of its own.
    Writer,
    /// It chooses the method from the arguments.
    Chooser,
    /// It looks like a definition of the name, and what it does is not known.
    Unknown,
}

/// Plans a change of parameters. Nothing is written. Places that cannot be followed are in the plan.
///
/// Errors: every [`SignatureRefusal`] but [`SignatureRefusal::Open`].
pub fn change_signature(index: &Index, request: &SignatureRequest<'_>) -> Result<SignatureChange, SignatureRefusal> {
    let target =
        target::find(index, request.symbol, request.package, request.is_here).map_err(SignatureRefusal::Target)?;
    let question = index.question(target.dialect);
    let symbols = with_aliases(&question, &target.symbol);
    let ledger = question.ledger(&symbols);
    let files = files(&question, &ledger.uses)?;
    let number_of = |document: &Document| files.iter().position(|file| std::ptr::eq(file.document, document));
    let mut places: Vec<Place> = Vec::new();
    let mut open: Vec<OpenPlace> = Vec::new();
    let mut look_at: Vec<(Spot, LookReason)> = Vec::new();
    for hit in ledger.uses.iter().filter(|hit| is_definition(hit.used.kind)) {
        let Some(number) = number_of(hit.document) else { continue };
        if is_alias(hit) {
            continue;
        }
        let own = files[number].places(number, hit.used.span());
        if own.is_empty() {
            places_unknown(&files[number], hit, &mut open, &mut look_at);
        }
        places.extend(own);
    }
    let (home, form) = target.definitions[0];
    let first_form = home.facts.forms[form.form as usize].span;
    let is_home = |place: &Place| std::ptr::eq(files[place.file].document, home) && place.form == first_form;
    let first = places.iter().position(|place| place.is_generic);
    let first = first.or_else(|| places.iter().position(is_home)).or((!places.is_empty()).then_some(0));
    let Some(first) = first else {
        return Err(SignatureRefusal::NoParameters { spot: Spot::of(home, first_form.start) });
    };
    let all = chosen(&files, &places, first, request)?;
    let first = all[0].0;
    let file = &files[places[first].file];
    let mut plans: Vec<Plan> = Vec::new();
    for (at, arity) in all {
        let wanted = Wanted {
            parameters: request.parameters,
            rename: request.rename,
            values: request.values,
            language: &file.document.language,
            is_method: places[first].is_method && !places[first].is_generic,
            is_all: arity.is_all,
        };
        plans.push(Plan { arity: Some(arity), ..plan(&places[at].list, &file.document.text, &wanted)? });
    }
    let plan = &plans[0];
    if plan.keeps_calls() {
        open.clear();
        look_at.clear();
    }
    check_order(plan, file, &places[first])?;

    let mut edits: Vec<Edits<'_>> =
        files.iter().map(|file| Edits::new(&file.tree, &file.document.text, file.document.language.clone())).collect();
    let mut lists: Vec<Changed<'_>> = Vec::new();
    let mut counts = (0, 0);
    for (at, place) in places.iter().enumerate() {
        let of_arity = plans.iter().find(|plan| plan.arity.as_ref().is_none_or(|arity| arity.has(&place.list)));
        let (is_of_arity, plan) = (of_arity.is_some(), of_arity.unwrap_or(plan));
        let file = &files[place.file];
        let definer = Definer { plan, file, place, is_first: at == first };
        if !plan.fits(&place.list) {
            if !plan.only_renames() && !plan.arity.as_ref().is_some_and(|arity| arity.is_one_of_several) {
                open.push(OpenPlace { spot: file.spot(place.list.span.start), why: OpenReason::Definition });
            }
            continue;
        }
        if !is_of_arity {
            continue;
        }
        if file.has_at_form(place.list.span) {
            open.push(OpenPlace { spot: file.spot(place.list.span.start), why: OpenReason::AtForm });
            continue;
        }
        if let Some(why) = definer.dispatch() {
            open.push(OpenPlace { spot: file.spot(place.list.span.start), why });
            continue;
        }
        definer.body(&mut edits[place.file])?;
        open.extend(capture::capturing(&question, file, &definer));
        open.extend(definer.unknown().into_iter().map(|(span, why)| OpenPlace { spot: file.spot(span.start), why }));
        remarks(plan, file, &definer, &mut look_at);
        lists.push(Changed { file: place.file, at, plan });
        *(if place.is_method && !place.is_generic { &mut counts.1 } else { &mut counts.0 }) += 1;
    }

    let mut caller = Caller::new(&question, plan, &files);
    if !plan.keeps_calls() {
        for hit in ledger.uses.iter().filter(|hit| !is_definition(hit.used.kind) && !is_alias(hit)) {
            let Some(number) = number_of(hit.document) else { continue };
            // A file that is a part of several modules may call other functions in the further ones.
            let mut meant = question.means_in_others(hit.document, hit.used.span());
            if meant.any(|meant| !symbols.contains(&meant)) {
                let why = OpenReason::Possible(PossibleReason::InSeveral);
                open.push(OpenPlace { spot: files[number].spot(hit.used.start), why });
                continue;
            }
            caller.look(number, hit.used.span(), hit.used.kind);
        }
        lists.iter().for_each(|one| caller.look_inside(&places[one.at]));
        open.extend(ledger.possible.iter().map(|possible| OpenPlace {
            spot: Spot::of(possible.document, possible.span.start),
            why: OpenReason::Possible(possible.reason),
        }));
    }
    if let Some(name) = caller.missing.take() {
        return Err(SignatureRefusal::NeedsValue { name });
    }
    let calls_in = |number: usize| caller.calls.iter().filter(move |call| call.file == number);
    let called = files.iter().enumerate().map(|(number, file)| platform::Places {
        document: file.document,
        tree: &file.tree,
        starts: calls_in(number).map(|call| call.owner.start).collect(),
    });
    platform::check(&target, &called.collect::<Vec<_>>()).map_err(SignatureRefusal::Target)?;
    // What is inside comes before what is around it.
    enum Step<'s> {
        List(&'s Changed<'s>),
        Types(&'s Types),
        Call(&'s calls::Call),
    }
    let mut steps: Vec<(usize, u32, Step<'_>)> = Vec::new();
    steps.extend(lists.iter().map(|one| (one.file, places[one.at].list.span.start, Step::List(one))));
    steps.extend(caller.types.iter().map(|one| (one.file, one.list.span.start, Step::Types(one))));
    steps.extend(caller.calls.iter().map(|call| (call.file, call.owner.start, Step::Call(call))));
    steps.sort_by_key(|(file, start, _)| (*file, std::cmp::Reverse(*start)));
    for (file, _, step) in &steps {
        match step {
            Step::List(one) => {
                let (place, is_first) = (&places[one.at], one.at == first);
                Definer { plan: one.plan, file: &files[*file], place, is_first }.list(&mut edits[*file])?;
            }
            Step::Types(types) => types.change(plan, &mut edits[*file]),
            Step::Call(call) => call.change(&mut edits[*file]),
        }
    }
    let mut done = Vec::new();
    for (number, (file, edits)) in files.iter().zip(&edits).enumerate() {
        let changes = edits.changes();
        if edits.is_empty() || changes.is_empty() {
            continue;
        }
        let source = Source::read(&file.document.text, file.document.language.clone());
        let remade = remade(file.document, &source, &changes, &[], 0).map_err(|refusal| match refusal {
            crate::RenameRefusal::WouldBreak { spot } => SignatureRefusal::WouldBreak { spot },
            other => SignatureRefusal::Target(other),
        })?;
        done.push((number, remade));
    }
    let old_list = places[first].list.shown(&file.document.text);
    let Some(new_list) = proof::check(index, &question, &files, &places, &lists, first, &done)? else {
        return Err(SignatureRefusal::Same { list: old_list });
    };
    let mut with_calls: Vec<usize> = caller.calls.iter().map(|call| call.file).collect();
    with_calls.dedup();
    open.extend(caller.open);
    look_at.extend(caller.look_at);
    for list in [&mut caller.reordered, &mut caller.dropped, &mut caller.symbols] {
        list.sort_unstable();
    }
    open.sort();
    open.dedup();
    look_at.sort();
    look_at.dedup();
    Ok(SignatureChange {
        symbol: target.symbol,
        old_list,
        new_list,
        files: done.into_iter().map(|(_, file)| file).collect(),
        calls: caller.calls.len(),
        files_of_calls: with_calls.len(),
        definitions: counts.0,
        methods: counts.1,
        open,
        look_at,
        reordered: caller.reordered,
        dropped: caller.dropped,
        symbols: caller.symbols,
    })
}

/// The use is in a form that gives the function another name.
fn is_alias(hit: &Hit<'_>) -> bool {
    let dialect = hit.document.dialect;
    hit.form().is_some_and(|form| dialect.special_form(&form.head) == Some(SpecialForm::Alias))
}

/// The symbol, and those that forms such as `(defalias 'alias 'symbol)` make other names of it.
fn with_aliases(question: &UseIndex<'_>, symbol: &Symbol) -> Vec<Symbol> {
    let mut symbols = vec![symbol.clone()];
    let mut at = 0;
    while let Some(symbol) = symbols.get(at).cloned() {
        at += 1;
        for hit in question.uses(&symbol).hits {
            let Some(form) = hit.form().filter(|_| is_alias(&hit)) else { continue };
            let uses = &hit.document.facts.uses;
            let from = uses.partition_point(|used| used.start < form.span.start);
            let mut inside = uses[from..].iter().take_while(|used| used.start < form.span.end);
            let alias = inside.find(|used| used.kind == UseKind::Definition && used.start < hit.used.start);
            if let Some(Referent::Is(alias)) = alias.map(|used| question.meaning(hit.document, *used))
                && !symbols.contains(&alias)
            {
                symbols.push(alias);
            }
        }
    }
    symbols
}

/// A list of parameters that changes.
pub(crate) struct Changed<'p> {
    /// The number of its file.
    file: usize,
    /// Its number among the places.
    at: usize,
    plan: &'p Plan,
}

fn is_definition(kind: UseKind) -> bool {
    matches!(kind, UseKind::Definition | UseKind::Method)
}

/// The files that have uses, in the order of their paths.
fn files<'i>(question: &UseIndex<'i>, uses: &[Hit<'i>]) -> Result<Vec<File<'i>>, SignatureRefusal> {
    let mut documents: Vec<&'i Document> = uses.iter().map(|hit| hit.document).collect();
    documents.sort_by(|a, b| a.path.cmp(&b.path));
    documents.dedup_by(|a, b| std::ptr::eq(*a, *b));
    let read = |document: &'i Document| {
        if !document.is_balanced {
            return Err(SignatureRefusal::Unbalanced { path: document.path.clone() });
        }
        let tree = document.tree();
        let facts = question.facts_with_marks(document, &tree);
        let forms = Forms::new(&tree, &document.text);
        Ok(File { document, tree, facts, forms })
    };
    documents.into_iter().map(read).collect()
}

/// A definition of the name without parameters that are known.
fn places_unknown(file: &File<'_>, hit: &Hit<'_>, open: &mut Vec<OpenPlace>, look_at: &mut Vec<(Spot, LookReason)>) {
    let at = hit.used.start;
    let spot = file.spot(at);
    let form = file.forms.around(at).map(|id| file.forms.get(id));
    let is_writer = form.is_some_and(|form| form.name.as_ref().is_some_and(|name| name.starts_with('(')));
    if is_writer {
        return look_at.push((spot, LookReason::Writer));
    }
    match form.map(|form| form.kind) {
        // Other things may have the name, too.
        Some(
            FormKind::Class
            | FormKind::Structure
            | FormKind::Type
            | FormKind::Condition
            | FormKind::Package
            | FormKind::System
            | FormKind::Test
            | FormKind::Addition,
        ) if hit.used.kind == UseKind::Definition => {}
        // What looks like a definition may do something else with the name.
        Some(FormKind::Definition) if form.is_some_and(|form| !file.dialect().knows_definer(&form.head_name)) => {
            look_at.push((spot, LookReason::Unknown));
        }
        Some(FormKind::GenericFunction) => look_at.push((spot, LookReason::Chooser)),
        Some(FormKind::Variable) if notation(file.dialect()).capitals => {}
        _ => open.push(OpenPlace { spot, why: OpenReason::Definition }),
    }
}

/// The list that is meant where a definition has several; of a request that only gives other names, all that have one.
fn chosen(
    files: &[File<'_>],
    places: &[Place],
    first: usize,
    request: &SignatureRequest<'_>,
) -> Result<Vec<(usize, Arity)>, SignatureRefusal> {
    let has_arities = notation(files[places[first].file].dialect()).has_arities;
    let is_same = |place: &&Place| place.file == places[first].file && place.form == places[first].form;
    // Each implementation of a method with several lists is a form of its own.
    let own: Vec<usize> = (first..places.len())
        .filter(|at| is_same(&&places[*at]) && places[*at].is_generic == places[first].is_generic)
        .collect();
    let required = |at: usize| places[at].list.count(Role::Required);
    let is_variadic = |at: usize| places[at].list.count(Role::Rest) > 0;
    if own.len() < 2 || !has_arities {
        let arity = Arity { required: required(first), is_variadic: is_variadic(first), ..Arity::default() };
        return Ok(vec![(first, arity)]);
    }
    let several = || {
        let text = |at: &usize| files[places[*at].file].document.text[places[*at].list.span.range()].to_owned();
        SignatureRefusal::Several { lists: own.iter().map(|at| (text(at), required(*at))).collect() }
    };
    let arity = |at: usize, is_all: bool| {
        let others = own.iter().filter(|other| **other != at && !is_variadic(**other)).map(|other| required(*other));
        Arity {
            required: required(at),
            is_variadic: is_variadic(at),
            others: others.collect(),
            is_one_of_several: true,
            is_all,
        }
    };
    if request.arity.is_none() && request.parameters.is_none() {
        let dialect = files[places[first].file].dialect();
        let renamed: Vec<String> = request.rename.keys().map(|name| symbol_name(dialect, name.trim())).collect();
        let has = |at: &usize| {
            places[*at].list.parameters.iter().any(|one| one.name.as_ref().is_some_and(|name| renamed.contains(name)))
        };
        let all: Vec<(usize, Arity)> = own.iter().copied().filter(has).map(|at| (at, arity(at, true))).collect();
        return if all.is_empty() { Err(several()) } else { Ok(all) };
    }
    let asked = request.arity.ok_or_else(several)?;
    let at = own.iter().copied().find(|at| required(*at) == asked).ok_or_else(several)?;
    Ok(vec![(at, arity(at, false))])
}

/// Default values do not come before the parameters that they need.
fn check_order(plan: &Plan, file: &File<'_>, place: &Place) -> Result<(), SignatureRefusal> {
    let list = &place.list;
    let position = |own: usize| {
        let old = (0..plan.old.len()).find(|old| plan.in_list(*old, list) == Some(own))?;
        plan.new.iter().position(|new| new.from == Some(old) && !new.is_given)
    };
    for (own, parameter) in list.parameters.iter().enumerate() {
        let Some(name) = parameter.name_span else { continue };
        for used in file.occurrences(name).into_iter().filter(|span| list.span.encloses(*span)) {
            let by = list.parameters.iter().position(|one| one.span.encloses(used));
            let (Some(before), Some(after)) = (position(own), by.and_then(position)) else { continue };
            if before > after && Some(own) != by {
                let name = file.document.text[name.range()].to_owned();
                return Err(SignatureRefusal::TooLate { name, spot: file.spot(used.start) });
            }
        }
    }
    Ok(())
}

/// What somebody should look at in a definition.
fn remarks(plan: &Plan, file: &File<'_>, definer: &Definer<'_, '_>, look_at: &mut Vec<(Spot, LookReason)>) {
    let place = definer.place;
    for old in (0..plan.old.len()).filter(|old| plan.becomes(*old).is_none()) {
        let Some(name) = &plan.old[old].name else { continue };
        if let Some(span) = definer.mentions(name).first() {
            look_at.push((file.spot(span.start), LookReason::Documentation(plan.old[old].text.clone())));
        }
    }
    if plan.keeps_calls() {
        return;
    }
    let inside = |span: Span| place.form.encloses(span);
    for list in (0..file.tree.lists().len() as u32).filter(|list| inside(file.tree.list_span(*list))) {
        let data = file.data(list);
        let word = data.first().filter(|first| first.list().is_none()).map(|first| file.source(*first));
        let at = file.tree.list_span(list).start;
        match word {
            Some("interactive") if data.len() > 1 => look_at.push((file.spot(at), LookReason::Interactive)),
            Some("advertised-calling-convention") => look_at.push((file.spot(at), LookReason::Declares)),
            _ => {}
        }
        if let Some(word) = data.iter().find(|datum| file.source(**datum) == ":arglists") {
            let at = file.tree.core_span(*word).start;
            look_at.push((file.spot(at), LookReason::Arglists));
        }
    }
}

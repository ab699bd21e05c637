//! The places that use a function: calls of all kinds, and places that cannot be followed.

use lispwright_index::{ParameterRole as Role, Referent, UseIndex, UseKind, parameter_notation};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, FormKind, ListId, Span, SpecialForm, TokenKind};

use super::LookReason;
use super::define::{File, Place};
use super::edits::Edits;
use super::follow::{Argument, Piece, follow};
use super::refusal::{OpenPlace, OpenReason};
use super::types::Types;
use super::wanted::Plan;
use crate::dialects::notation;
use crate::refusal::Spot;

/// Heads of data that do nothing when they are evaluated.
const STILL: &[&str] = &["quote", "function", "lambda", "fn", "λ", "var", "#'"];

/// A call that changes.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The number of its file.
    pub(crate) file: usize,
    /// The list that becomes another.
    pub(crate) owner: Span,
    /// What is before the first argument.
    before: Span,
    /// The arguments as they are; `None` is the value of the step before.
    old: Vec<Option<Span>>,
    new: Vec<Piece>,
    /// A step that is only the name of the function.
    is_bare: bool,
}

impl Call {
    /// Changes the call.
    pub(crate) fn change(&self, edits: &mut Edits<'_>) {
        if !self.is_bare {
            return edits.arguments(self.owner, self.before, &self.old, &self.new);
        }
        let mut text = format!("({}", &edits.text[self.owner.range()]);
        for piece in &self.new {
            if let Piece::New(value) = piece {
                text.push(' ');
                text.push_str(value);
            }
        }
        text.push(')');
        edits.part(self.owner, self.owner, text);
    }
}

/// Where a threading form puts the value of the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Threaded {
    First,
    Last,
}

/// The search for calls.
pub(crate) struct Caller<'c, 'i> {
    question: &'c UseIndex<'i>,
    plan: &'c Plan,
    files: &'c [File<'i>],
    pub(crate) calls: Vec<Call>,
    pub(crate) types: Vec<Types>,
    pub(crate) open: Vec<OpenPlace>,
    pub(crate) look_at: Vec<(Spot, LookReason)>,
    pub(crate) reordered: Vec<Spot>,
    pub(crate) dropped: Vec<Spot>,
    /// The name in data that no function is looked up by.
    pub(crate) symbols: Vec<Spot>,
    /// A new parameter that calls have to pass, and of which nobody says what.
    pub(crate) missing: Option<String>,
}

impl<'c, 'i> Caller<'c, 'i> {
    pub(crate) fn new(question: &'c UseIndex<'i>, plan: &'c Plan, files: &'c [File<'i>]) -> Self {
        Self {
            question,
            plan,
            files,
            calls: Vec::new(),
            types: Vec::new(),
            open: Vec::new(),
            look_at: Vec::new(),
            reordered: Vec::new(),
            dropped: Vec::new(),
            symbols: Vec::new(),
            missing: None,
        }
    }

    /// Looks at a use of the function.
    pub(crate) fn look(&mut self, number: usize, name: Span, kind: UseKind) {
        let file = &self.files[number];
        if let Some(types) = Types::of(file, number, name) {
            if self.plan.fits(&types.list) {
                return self.types.push(types);
            }
            return self.look_at.push((file.spot(name.start), LookReason::Declares));
        }
        if self.is_declared(file, name) {
            return self.look_at.push((file.spot(name.start), LookReason::Declares));
        }
        if kind == UseKind::Export {
            return;
        }
        let outcome = match file.list_of(name.start) {
            Some(list) if file.has_at_form(file.tree.list_span(list)) => Err(OpenReason::AtForm),
            _ => self.outcome(number, name, kind),
        };
        if let Err(why) = outcome {
            if let OpenReason::Absent(name) = &why
                && self.plan.new.iter().any(|new| new.from.is_none() && new.written == *name)
            {
                self.missing.get_or_insert_with(|| name.clone());
            }
            self.open.push(OpenPlace { spot: file.spot(name.start), why });
        }
    }

    /// Looks at what calls a definition from inside of it without its name: `recur`, `call-next-method`.
    pub(crate) fn look_inside(&mut self, place: &Place) {
        let file = &self.files[place.file];
        let notation = notation(file.dialect());
        let (again, ends) = notation.again;
        // The clause that the list of parameters is in.
        let clause = file.tree.token_at(place.list.span.start).and_then(|token| file.tree.list_around(token));
        let clause = clause.and_then(|list| file.tree.list(list).parent()).map(|list| file.tree.list_span(list));
        let span = clause.unwrap_or(place.form);
        for list in 0..file.tree.lists().len() as u32 {
            let own = file.tree.list_span(list);
            if !span.encloses(own) {
                continue;
            }
            let Some(head) = file.head(list) else { continue };
            let is_next = place.is_method && notation.next_method.contains(&head.as_str());
            let is_again = again.contains(&head.as_str()) && !self.is_inside(file, list, span, ends);
            let given: Vec<Datum> = file.data(list).into_iter().skip(1).collect();
            // Without arguments, the next method gets those of this one.
            if (!is_next || given.is_empty()) && !is_again {
                continue;
            }
            let Some(name) = file.data(list).first().map(|head| file.tree.core_span(*head)) else { continue };
            // A method does not pass its object on, and what gets all further arguments is passed as one.
            let is_other = is_again && (place.is_method || self.plan.old.iter().any(|one| one.role == Role::Rest));
            let followed = match is_other {
                true => Err(OpenReason::Tail),
                false => self.arguments(place.file, list, name, &given, None, false),
            };
            if let Err(why) = followed {
                self.open.push(OpenPlace { spot: file.spot(name.start), why });
            }
        }
    }

    /// Between a list and the span around it is a form with one of these heads, or a function that is its body.
    fn is_inside(&self, file: &File<'_>, list: ListId, span: Span, heads: &[&str]) -> bool {
        let mut around = file.tree.list(list).parent();
        while let Some(outer) = around.filter(|outer| file.tree.list_span(*outer) != span) {
            let is_function = file.document.text[file.tree.list_span(outer).range()].starts_with("#(");
            if is_function || file.head(outer).is_some_and(|head| heads.contains(&head.as_str())) {
                return true;
            }
            around = file.tree.list(outer).parent();
        }
        false
    }

    fn outcome(&mut self, number: usize, name: Span, kind: UseKind) -> Result<(), OpenReason> {
        let file = &self.files[number];
        let mut span = name;
        let list = file.list_of(name.start).ok_or(OpenReason::Value)?;
        let mut list = list;
        // `(function f)`, `(quote f)`, `(var f)`
        let mut is_named = false;
        while let Some((1, _)) = file.datum_at(list, span)
            && file.data(list).len() == 2
            && file.head(list).is_some_and(|head| matches!(head.as_str(), "function" | "quote" | "var"))
        {
            let Some(around) = file.tree.list(list).parent() else { return Err(OpenReason::Value) };
            span = file.tree.list_span(list);
            list = around;
            is_named = true;
        }
        // `((@ (module) f) argument…)`
        let is_elsewhere = |list: ListId| {
            let form = file.head(list).and_then(|head| file.dialect().special_form(&head));
            form == Some(SpecialForm::Elsewhere)
        };
        if let Some(around) = file.tree.list(list).parent().filter(|_| is_elsewhere(list)) {
            span = file.tree.list_span(list);
            list = around;
        }
        let (at, datum) = file.datum_at(list, span).ok_or(OpenReason::Value)?;
        let head = file.head(list).unwrap_or_default();
        let notation = notation(file.dialect());
        let is = |words: &[&str]| words.contains(&head.as_str());
        if notation.two_namespaces && kind == UseKind::Binding {
            return Ok(());
        }
        if kind == UseKind::Quoted && !notation.two_namespaces && !self.is_meant(file, list, at, notation.looks_up) {
            self.symbols.push(file.spot(name.start));
            return Ok(());
        }
        if at == 0 && !is_named && datum.is_bare() {
            if kind == UseKind::Quoted {
                return Err(OpenReason::Data);
            }
            if matches!(kind, UseKind::Assignment | UseKind::Binding) {
                return Err(OpenReason::Assigned);
            }
            return self.call(number, list, span, kind);
        }
        if notation.two_namespaces && self.is_variable(file, datum, kind, is_named) {
            return Ok(());
        }
        if let Some(threaded) = self.bare_step(file, list, at, datum) {
            return self.bare(number, name, threaded);
        }
        if is(notation.neutral) || self.is_neutral(file, list) {
            return Ok(());
        }
        let arguments = |skipped: usize| file.data(list).into_iter().skip(skipped).collect::<Vec<_>>();
        if at == 1 && is(notation.calls) {
            return self.arguments(number, list, span, &arguments(2), None, false);
        }
        if at == 1 && is(notation.spreads) {
            let mut given = arguments(2);
            given.pop();
            return self.arguments(number, list, span, &given, None, true);
        }
        if at == 1 && is(notation.partial) {
            return self.arguments(number, list, span, &arguments(2), None, true);
        }
        Err(match kind {
            UseKind::Quoted => OpenReason::Data,
            UseKind::Assignment | UseKind::Binding => OpenReason::Assigned,
            _ => OpenReason::Value,
        })
    }

    /// A symbol in data can mean the function: something looks it up, or it is at the head of what can be a call.
    fn is_meant(&self, file: &File<'_>, list: ListId, at: usize, looks_up: &[&str]) -> bool {
        let looks = |list: ListId| file.head(list).is_some_and(|head| looks_up.contains(&head.as_str()));
        let arguments = file.data(list).into_iter().skip(1);
        let given: Vec<Argument> = arguments
            .map(|datum| if is_spliced(file, datum) { None } else { Some(Argument::default()) })
            .collect::<Option<_>>()
            .unwrap_or_default();
        let is_call = at == 0 && !given.is_empty() && follow(self.plan, &given, false, false).is_ok();
        is_call || std::iter::successors(Some(list), |list| file.tree.list(*list).parent()).any(looks)
    }

    /// The place means a variable of the name.
    fn is_variable(&self, file: &File<'_>, datum: Datum, kind: UseKind, is_named: bool) -> bool {
        let is_bare = datum.is_bare() && datum.list().is_none() && !is_named;
        match kind {
            UseKind::Assignment => is_bare,
            UseKind::Value | UseKind::Template => is_bare && self.has_variable(file, datum),
            _ => false,
        }
    }

    /// The project defines a variable of that name.
    fn has_variable(&self, file: &File<'_>, datum: Datum) -> bool {
        let (Referent::Is(symbol) | Referent::Unknown(symbol)) =
            self.question.meaning_at(file.document, file.tree.core_span(datum));
        self.question.definitions(&symbol).iter().any(|(_, one)| one.kind == FormKind::Variable)
    }

    /// A list with the name at its head.
    fn call(&mut self, number: usize, list: ListId, name: Span, kind: UseKind) -> Result<(), OpenReason> {
        let file = &self.files[number];
        let start = file.tree.list_span(list).start;
        if file.facts.no_forms.binary_search(&start).is_ok() {
            return Err(OpenReason::Data);
        }
        if kind == UseKind::Template && may_bind(file, list) {
            return Err(OpenReason::Data);
        }
        // In code, an assigned place says so itself.
        if kind == UseKind::Template
            && let Some(around) = file.tree.list(list).parent()
            && file.head(around).and_then(|head| file.dialect().special_form(&head)) == Some(SpecialForm::Setf)
            && file.datum_at(around, file.tree.list_span(list)).is_some_and(|(at, _)| at % 2 == 1)
        {
            return Err(OpenReason::Assigned);
        }
        let threaded = self.step(file, list)?;
        let given = file.data(list).into_iter().skip(1).collect::<Vec<_>>();
        self.arguments(number, list, name, &given, threaded, false)
    }

    /// The place of the value of the step before in a step of a threading form.
    fn step(&self, file: &File<'_>, list: ListId) -> Result<Option<Threaded>, OpenReason> {
        let start = file.tree.list_span(list).start;
        let around = file.tree.list(list).parent();
        if file.facts.steps.binary_search(&start).is_err() {
            return match around.is_some_and(|around| may_thread(file, around, list)) {
                true => Err(OpenReason::Threaded),
                false => Ok(None),
            };
        }
        let threaded = around.and_then(|around| self.threading(file, around));
        threaded.map(Some).ok_or(OpenReason::Threaded)
    }

    fn threading(&self, file: &File<'_>, list: ListId) -> Option<Threaded> {
        let head = file.head(list)?;
        match file.dialect().special_form(&head)? {
            SpecialForm::ThreadingFirst => Some(Threaded::First),
            SpecialForm::ThreadingIf { first } => Some(if first { Threaded::First } else { Threaded::Last }),
            SpecialForm::Threading if head.ends_with(">>") || head.ends_with("last") => Some(Threaded::Last),
            SpecialForm::Threading => Some(Threaded::First),
            _ => None,
        }
    }

    /// The name alone is a step of a threading form.
    fn bare_step(&self, file: &File<'_>, list: ListId, at: usize, datum: Datum) -> Option<Threaded> {
        let threaded = self.threading(file, list).filter(|_| at > 1 && datum.is_bare() && datum.list().is_none())?;
        let head = file.head(list)?;
        let is_test = matches!(file.dialect().special_form(&head), Some(SpecialForm::ThreadingIf { .. }));
        (!is_test || at % 2 == 1).then_some(threaded)
    }

    fn bare(&mut self, number: usize, name: Span, threaded: Threaded) -> Result<(), OpenReason> {
        if !self.plan.arity.as_ref().is_none_or(|arity| arity.is_meant(1)) {
            return Ok(());
        }
        let new = follow(self.plan, &[Argument::default()], false, false)?;
        let place = match threaded {
            Threaded::First => new.first(),
            Threaded::Last => new.last(),
        };
        if place != Some(&Piece::Old(0)) || new.iter().filter(|piece| matches!(piece, Piece::Old(_))).count() != 1 {
            return Err(OpenReason::Threaded);
        }
        if new.len() > 1 {
            let call = Call { file: number, owner: name, before: name, old: vec![None], new, is_bare: true };
            self.calls.push(call);
        }
        Ok(())
    }

    /// Follows the arguments that a list passes after the function, which is at `name`.
    fn arguments(
        &mut self,
        number: usize,
        list: ListId,
        name: Span,
        given: &[Datum],
        threaded: Option<Threaded>,
        has_tail: bool,
    ) -> Result<(), OpenReason> {
        let file = &self.files[number];
        // What is spliced in is not known, nor is what comes after it.
        let written = parameter_notation(file.dialect());
        let splice = given.iter().position(|datum| is_spliced(file, *datum));
        let has_tail = has_tail || splice.is_some();
        let given = &given[..splice.unwrap_or(given.len())];
        let argument = |datum: &Datum| {
            let source = file.source(*datum);
            let is_keyword = datum.list().is_none()
                && datum.is_bare()
                && source.starts_with(written.keyword)
                && source.len() > written.keyword.len();
            Argument { keyword: is_keyword.then(|| source.to_owned()), is_conditional: is_conditional(file, *datum) }
        };
        let mut arguments: Vec<Argument> = given.iter().map(argument).collect();
        let mut old: Vec<Option<Span>> = given.iter().map(|datum| Some(file.tree.datum_span(*datum))).collect();
        let mut data: Vec<Option<Datum>> = given.iter().copied().map(Some).collect();
        let passed = match threaded {
            Some(Threaded::First) => Some(0),
            Some(Threaded::Last) if has_tail => return Err(OpenReason::Tail),
            Some(Threaded::Last) => Some(old.len()),
            None => None,
        };
        if let Some(at) = passed {
            arguments.insert(at, Argument::default());
            old.insert(at, None);
            data.insert(at, None);
        }
        if let Some(arity) = &self.plan.arity {
            if has_tail && arity.is_one_of_several {
                return Err(OpenReason::Tail);
            }
            if !has_tail && arity.is_one_of_several && !arity.is_meant(arguments.len()) {
                return Ok(());
            }
        }
        let new = follow(self.plan, &arguments, has_tail, written.keys_anywhere)?;
        if let Some(at) = passed {
            let place = match threaded {
                Some(Threaded::Last) => new.last(),
                _ => new.first(),
            };
            if place != Some(&Piece::Old(at)) {
                return Err(OpenReason::Threaded);
            }
        }
        if new.len() == old.len() && new.iter().enumerate().all(|(at, piece)| *piece == Piece::Old(at)) {
            return Ok(());
        }
        self.warn(file, name, &data, &new);
        let owner = file.tree.list_span(list);
        self.calls.push(Call { file: number, owner, before: name, old, new, is_bare: false });
        Ok(())
    }

    /// Notes what the new order does to arguments that do something.
    fn warn(&mut self, file: &File<'_>, name: Span, data: &[Option<Datum>], new: &[Piece]) {
        let acts = |at: &usize| data[*at].is_some_and(|datum| acts(file, datum));
        let before: Vec<usize> = (0..data.len()).filter(acts).collect();
        let kept = |piece: &Piece| if let Piece::Old(at) = piece { Some(*at) } else { None };
        let after: Vec<usize> = new.iter().filter_map(kept).filter(acts).collect();
        let is_dropped = before.iter().any(|at| !after.contains(at));
        let stays: Vec<usize> = before.into_iter().filter(|at| after.contains(at)).collect();
        if is_dropped {
            self.dropped.push(file.spot(name.start));
        }
        if stays != after {
            self.reordered.push(file.spot(name.start));
        }
    }

    /// A form around says of which types the parameters are, or repeats them.
    fn is_declared(&self, file: &File<'_>, name: Span) -> bool {
        let words = notation(file.dialect()).declares;
        let mut list = file.list_of(name.start);
        let mut part = name;
        let mut steps = 0;
        let is_head = list.and_then(|list| file.datum_at(list, name)).is_some_and(|(at, _)| at == 0);
        while let Some(around) = list.filter(|_| steps < 6) {
            let at = file.datum_at(around, part).map(|(at, _)| at);
            let head = file.head(around).unwrap_or_default();
            // `(define/contract (name parameter) contract code…)`
            let is_body = head == "define/contract" && at.is_some_and(|at| at > 2);
            // `(-> value (name argument))` calls, where `(-> name parameters type)` declares.
            let is_step = head == "->" && steps == 1 && is_head && at.is_some_and(|at| at > 1);
            if at != Some(0) && !is_body && !is_step && words.contains(&head.as_str()) {
                return true;
            }
            part = file.tree.list_span(around);
            list = file.tree.list(around).parent();
            steps += 1;
        }
        false
    }

    /// A form around the list does not care about parameters: `(declaim (inline f))`.
    fn is_neutral(&self, file: &File<'_>, list: ListId) -> bool {
        let around = file.tree.list(list).parent().and_then(|around| file.head(around));
        around.is_some_and(|head| matches!(head.as_str(), "export" | "provide" | "trace"))
    }
}

/// The source of the prefixes of a datum, without what they take.
fn prefixes(file: &File<'_>, datum: Datum) -> Vec<String> {
    let text = |token| file.document.text[file.tree.token_span(token).range()].to_owned();
    file.tree.prefixes(datum).map(|prefix| text(prefix.token)).collect()
}

/// Inside of a template, `((name value) …)` can be bindings. The template itself is none, and that of a clause
/// `(pattern template)` has no prefix of its own.
fn may_bind(file: &File<'_>, list: ListId) -> bool {
    let Some(around) = file.tree.list(list).parent() else { return false };
    let begins_with_list = file.tree.data(around).next().is_some_and(|first| file.source(first).starts_with('('));
    let clauses = file.tree.list(around).parent().and_then(|rules| file.head(rules));
    let is_clause = clauses.and_then(|head| file.dialect().special_form(&head)) == Some(SpecialForm::SyntaxRules);
    let is_template = || {
        let datum = file.datum_at(around, file.tree.list_span(list)).map(|(_, datum)| datum);
        datum.is_some_and(|datum| !datum.is_bare())
    };
    begins_with_list && !is_clause && !is_template()
}

/// The form looks like one of a library that passes the value of a step to the list, which comes after its first
/// argument. Those like `-->` of Emacs say themselves where the value goes.
fn may_thread(file: &File<'_>, around: ListId, list: ListId) -> bool {
    let Some(head) = file.head(around).filter(|head| file.dialect().special_form(head).is_none()) else { return false };
    let is_arrow = ["->", "->>", "~>", "~>>"].iter().any(|arrow| head.ends_with(arrow)) && !head.contains("-->");
    is_arrow && file.datum_at(around, file.tree.list_span(list)).is_some_and(|(at, _)| at > 1)
}

fn is_spliced(file: &File<'_>, datum: Datum) -> bool {
    let spliced = |prefix: &String| matches!(prefix.as_str(), ",@" | ",." | "~@" | "#,@");
    let dots = file.source(datum) == "." || file.source(datum) == "...";
    dots || prefixes(file, datum).iter().any(spliced) || file.source(datum).starts_with("#?@")
}

fn is_conditional(file: &File<'_>, datum: Datum) -> bool {
    let is_condition = |prefix: &String| prefix.starts_with("#+") || prefix.starts_with("#-");
    prefixes(file, datum).iter().any(is_condition) || file.source(datum).starts_with("#?")
}

/// The evaluation of an argument may do something.
fn acts(file: &File<'_>, datum: Datum) -> bool {
    let Some(list) = datum.list() else { return false };
    let opener = &file.document.text[file.tree.token_span(datum.core).range()];
    let is_quoted = prefixes(file, datum).iter().any(|prefix| matches!(prefix.as_str(), "'" | "#'"));
    if is_quoted || opener == "#(" {
        return false;
    }
    if file.tree.kind(datum.core) == TokenKind::OpenParen {
        let head = file.tree.data(list).next().filter(|head| head.list().is_none());
        let head = head.map(|head| canonical_head(file.dialect(), file.source(head)).into_owned());
        return head.is_none_or(|head| !STILL.contains(&head.as_str()));
    }
    // A vector or map does what is in it.
    let span = file.tree.list_span(list);
    file.document.text[span.range()].contains('(')
}

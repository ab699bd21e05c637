//! Special forms that bind and define nothing: which of their arguments are code.

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Data, Datum, ListId, SpecialForm};

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::facts::{MarkRole, UseKind};
use crate::walk::{Task, Walk};

impl<'t> Walk<'t> {
    /// Walks over a special form.
    pub(crate) fn special(&mut self, form: SpecialForm, list: ListId) {
        self.special_with(form, list, self.data(list).skipping(1));
    }

    /// Walks over a list as a special form whose arguments are these data at its end.
    pub(crate) fn special_with(&mut self, form: SpecialForm, list: ListId, mut data: Data<'t>) {
        use SpecialForm as F;
        self.learns_form(form, data.clone());
        let count = self.local_count();
        match form {
            F::Data => self.tasks.push(Task::Quoteds(data)),
            F::Space => {
                let mut waiting: Vec<Datum> = data.collect();
                while let Some(datum) = waiting.pop() {
                    if let Some(list) = datum.list() {
                        self.look_up_in_data(datum, list);
                        waiting.extend(self.data(list));
                    }
                }
            }
            F::Body(skipped) => self.tasks.push(Task::Codes(data.skipping(skipped))),
            F::Named => {
                if let Some(name) = data.next() {
                    self.mark_all(name, MarkRole::Word);
                }
                self.tasks.push(Task::Codes(data));
            }
            F::Typed => {
                let kind = data.next().map(Task::Type);
                self.next(kind.into_iter().chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::Listed => {
                let inside = data.next().and_then(Datum::list).map(|list| Task::Codes(self.data(list)));
                self.next(inside.into_iter().chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::ListedSecond => {
                let first = data.next().map(Task::Code);
                let inside = data.next().and_then(Datum::list).map(|list| Task::Codes(self.data(list)));
                self.next(first.into_iter().chain(inside).chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::TypedPlace => {
                let place = data.next().map(Task::Code);
                let kind = data.next().map(Task::Type);
                self.next(place.into_iter().chain(kind).chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::SetValues => {
                let names = data.next().and_then(Datum::list).into_iter().flat_map(|list| self.data(list));
                let names: Vec<_> = names.map(|name| Task::Use(name, UseKind::Assignment)).collect();
                self.next(names.into_iter().chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::Declare => self.declare_form(data),
            F::Block => {
                let name = data.next();
                if let Some(name) = name {
                    self.mark_all(name, MarkRole::Word);
                }
                let tasks = name.map(Task::BindLabel).into_iter().chain([Task::Codes(data), Task::Unbind(count)]);
                self.next(tasks.collect::<Vec<_>>());
            }
            F::ReturnFrom => {
                if let Some(name) = data.next().and_then(|name| self.symbol(name)) {
                    self.mark(name, if self.is_block(name) { MarkRole::Word } else { MarkRole::Label });
                }
                self.tasks.push(Task::Codes(data));
            }
            F::SlotOf | F::BareSlotOf => {
                let object = data.next().map(Task::Code);
                let slot = data.next();
                let is_named = |slot: Datum| {
                    slot.list().is_none() && (form == F::BareSlotOf || self.is_prefixed(slot, Prefix::Quote))
                };
                let named = slot.filter(|slot| is_named(*slot));
                if let Some(slot) = named {
                    self.mark_all(slot, MarkRole::Slot);
                }
                let slot = slot.filter(|_| named.is_none()).map(Task::Code);
                let tasks: Vec<_> = object.into_iter().chain(slot).chain([Task::Codes(data)]).collect();
                self.next(tasks);
            }
            F::FunctionName => {
                if let Some(datum) = data.next() {
                    self.function_name(datum);
                }
            }
            F::Template => {
                if let Some(datum) = data.next() {
                    self.template(datum, 1);
                }
            }
            F::Unquote => self.tasks.push(Task::Codes(data)),
            F::Cond => {
                data.clone().for_each(|clause| self.no_form(clause));
                let clauses = data.filter_map(Datum::list).map(|list| self.data(list));
                let tasks: Vec<_> = clauses.flat_map(|clause| self.clause_code(clause, 1)).collect();
                self.next(tasks);
            }
            F::Case => {
                let mut tasks: Vec<Task<'t>> = data.next().map(Task::Code).into_iter().collect();
                data.clone().for_each(|clause| self.no_form(clause));
                for clause in data.filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    clause.clone().next().into_iter().for_each(|keys| self.no_form(keys));
                    tasks.extend(clause.next().map(Task::Quoted));
                    tasks.extend(self.clause_code(clause, 0));
                }
                self.next(tasks);
            }
            F::Handlers | F::ConditionCase => {
                if form == F::ConditionCase {
                    let name = data.next();
                    let value = data.next().map(Task::Code);
                    let mut tasks: Vec<Task<'t>> = value.into_iter().collect();
                    tasks.extend(name.map(|name| Task::Bind(name, Pattern::Name)));
                    data.clone().for_each(|clause| self.no_form(clause));
                    for clause in data.filter_map(Datum::list) {
                        let mut clause = self.data(clause);
                        clause.clone().next().into_iter().for_each(|conditions| self.no_form(conditions));
                        tasks.extend(clause.next().map(Task::Quoted));
                        tasks.push(Task::Codes(clause));
                    }
                    tasks.push(Task::Unbind(count));
                    return self.next(tasks);
                }
                let mut tasks: Vec<Task<'t>> = data.next().map(Task::Code).into_iter().collect();
                data.clone().for_each(|clause| self.no_form(clause));
                for clause in data.filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(Task::Type));
                    tasks.extend(clause.next().map(|names| Task::Bind(names, Pattern::Parameters)));
                    tasks.extend([Task::Codes(clause), Task::Unbind(count)]);
                }
                self.next(tasks);
            }
            F::HandlerBind => {
                let mut tasks = Vec::new();
                self.no_forms(data.clone().next());
                for handler in data.next().and_then(Datum::list).into_iter().flat_map(|list| self.data(list)) {
                    let Some(handler) = handler.list() else { continue };
                    let mut handler = self.data(handler);
                    tasks.extend(handler.next().map(Task::Type));
                    tasks.push(Task::Codes(handler));
                }
                tasks.push(Task::Codes(data));
                self.next(tasks);
            }
            F::Setq | F::Setf => self.assignments(data),
            F::Update => {
                let place = data.next().map(Task::Place);
                self.next(place.into_iter().chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::CallUpdate => {
                let function = data.next().map(|function| self.called(function));
                let place = data.next().map(Task::Place);
                self.next(function.into_iter().chain(place).chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::Rotate => self.next(data.map(Task::Place).collect::<Vec<_>>()),
            F::Threading => self.threaded(data),
            F::Loop => self.loop_clauses(data),
            _ if self.emacs_lisp(form, data.clone()) => {}
            _ if self.chez(form, data.clone()) => {}
            _ if self.racket(form, list, data.clone()) => {}
            _ if self.racket_syntax(form, data.clone()) => {}
            _ if self.racket_class(form, list, data.clone()) => {}
            _ if self.scheme(form, list, data.clone()) => {}
            _ if self.defining(form, data.clone()) => {}
            _ => self.binding(form, data),
        }
    }

    /// The code in a clause after this many tests.
    fn clause_code(&self, mut clause: Data<'t>, tests: usize) -> Vec<Task<'t>> {
        if !self.rules.clauses_are_bodies {
            return vec![Task::Codes(clause)];
        }
        let mut tasks: Vec<Task<'t>> = clause.by_ref().take(tests).map(Task::Code).collect();
        tasks.extend([Task::Body(clause), Task::Unbind(self.local_count())]);
        tasks
    }

    /// Walks over the specifiers of a `declare` expression; one after `#.` is computed by code.
    pub(crate) fn declare_form(&mut self, specifiers: Data<'t>) {
        specifiers.for_each(|specifier| match specifier.list().filter(|_| specifier.is_bare()) {
            Some(specifier) => self.declaration(specifier),
            None => self.tasks.push(Task::Code(specifier)),
        });
    }

    /// Walks over a specifier of `declare` (CLHS 3.3): its names are those of bindings around it, its types are data.
    pub(crate) fn declaration(&mut self, specifier: ListId) {
        let mut data = self.data(specifier);
        let Some(head) = data.next() else { return };
        let word = self.symbol(head).map(str::to_ascii_lowercase).unwrap_or_default();
        match word.as_str() {
            "optimize" => return self.mark_words(self.data(specifier)),
            "special" => {
                self.mark_all(head, MarkRole::Word);
                return data.for_each(|datum| self.mark_all(datum, MarkRole::Special));
            }
            "type" | "ftype" => {
                self.mark_all(head, MarkRole::Word);
                data.next().into_iter().for_each(|datum| self.type_names(datum));
            }
            "ignore" | "ignorable" | "dynamic-extent" | "inline" | "notinline" => self.mark_all(head, MarkRole::Word),
            // `(fixnum name…)` is short for `(type fixnum name…)`.
            _ => self.type_names(head),
        }
        for datum in data {
            let function = datum.list().and_then(|list| self.data(list).nth(1));
            let takes_function = function.is_some() || matches!(word.as_str(), "ftype" | "inline" | "notinline");
            let datum = function.unwrap_or(datum);
            match self.symbol(datum) {
                Some(name) if self.is_local(name, takes_function) => self.mark_local(name, takes_function),
                _ => self.quoted(datum),
            }
        }
    }

    /// `name value …`
    pub(crate) fn assignments(&mut self, data: Data<'t>) {
        let mut tasks = Vec::new();
        if self.learning.is_some() {
            let pairs: Vec<Datum> = data.clone().collect();
            for pair in pairs.chunks_exact(2) {
                tasks.extend(self.assigned(pair[0], pair[1]));
            }
        }
        let task = |index: usize| if index.is_multiple_of(2) { Task::Place } else { Task::Code };
        tasks.extend(data.enumerate().map(|(index, datum)| task(index)(datum)));
        self.next(tasks);
    }

    /// Walks over a threading form, in which each step is a call, also one without parentheses.
    pub(crate) fn threaded(&mut self, mut data: Data<'t>) {
        let mut tasks: Vec<Task<'t>> = data.next().map(Task::Code).into_iter().collect();
        for step in data.clone() {
            // A threading form that is a step gets what its own first step gets.
            let mut next = Some(step);
            while let Some(step) = next {
                self.step_form(step);
                next = self.first_step(step);
            }
        }
        let step =
            |datum: Datum| if datum.list().is_none() { Task::Use(datum, UseKind::Call) } else { Task::Code(datum) };
        tasks.extend(data.map(step));
        self.next(tasks);
    }

    /// The first step of a threading form.
    fn first_step(&self, datum: Datum) -> Option<Datum> {
        let mut data = self.data(datum.list()?);
        let head = canonical_head(self.dialect, self.symbol(data.next()?)?);
        (self.dialect.special_form(&head) == Some(SpecialForm::Threading)).then(|| data.next()).flatten()
    }
}

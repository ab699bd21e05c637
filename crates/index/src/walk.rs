//! Walks over the code of a text in the order of an evaluator, without evaluating, to find calls, data and local
//! bindings.
//!
//! The walk follows the dialect's table of [`lispwright_syntax::SpecialForm`]s, and treats the project's own definers like the known ones
//! that they resemble. The remaining work is on a stack of [`Task`]s, so there is no limit on the depth of nesting.

use std::rc::Rc;

use lispwright_syntax::datum::{Prefixed, Prefixes};
use lispwright_syntax::name::{canonical_designator, canonical_head};
use lispwright_syntax::{Data, Datum, Dialect, FormKind, ListId, Span, SpecialForm, Tree};
use rustc_hash::FxHashMap;

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::dialects::{Rules, rules};
use crate::facts::{Facts, MarkRole, UseKind};
use crate::heads::Head;
use crate::learn::Learning;
use crate::locals::Local;
use crate::macros::{Macros, Operator};

/// A remaining step of the walk.
#[derive(Clone)]
pub(crate) enum Task<'t> {
    /// Walk over it as code.
    Code(Datum),
    /// Walk over each as code.
    Codes(Data<'t>),
    /// Walk over it as data.
    Quoted(Datum),
    /// Walk over each as data.
    Quoteds(Data<'t>),
    /// Walk over it as data in which every symbol is a name.
    Names(Datum),
    /// Walk over it as a place that is assigned.
    Place(Datum),
    /// Walk over it as a type.
    Type(Datum),
    /// Walk over each as a part of a template, at this depth of backquotes.
    Templates(Data<'t>, u32),
    /// Walk over each as code in the body of a form, which can define names for all of it.
    Body(Data<'t>),
    /// What follows is in the body of a form, in which these data are code.
    EnterBody(Vec<Datum>),
    /// Bind the names in it, which a macro computes from its variable with this number.
    BindComputed(Datum, u16),
    /// Bind the names in it to an element of the list of arguments that the variable of a macro with this number gets.
    BindElement(Datum, u16),
    /// Bind the name to the arguments of the variable of a macro with this number, one after the other.
    BindEach(Datum, u16),
    /// The body ends.
    LeaveBody,
    /// Bind the names in it.
    Bind(Datum, Pattern),
    /// Bind a name that is a part of a symbol.
    BindPart(&'t str),
    /// Note that the space exports the name.
    Export(Datum),
    /// Note a use of a name that is a part of a symbol.
    UsePart(&'t str, UseKind),
    /// Bind the parameters of a function of Scheme.
    BindParameters(Data<'t>),
    /// Bind the name of a function.
    BindFunction(Datum),
    /// Bind the name of a block.
    BindLabel(Datum),
    /// Note a use of the name.
    Use(Datum, UseKind),
    /// Note a use of the name, which no local name hides: it is data, or the name of a class.
    Named(Datum, UseKind),
    /// Walk over it as a step of a threading form, which gets its first argument from the step before.
    Step(Datum),
    /// Walk over a form whose names are seen by what follows.
    Open(Datum),
    /// What follows is, or is not, in a template of syntax, where it is code of the uses of a macro.
    InTemplate(bool),
    /// What follows is in this many backquotes of a template that is walked over as code.
    Level(u32),
    /// Walk over the list as this special form, of which these data at its end are the arguments.
    Special(SpecialForm, ListId, Data<'t>),
    /// Walk over names of protocols or types, each followed by its methods.
    Methods(Vec<Datum>),
    /// Remember how many local names there are.
    Scope,
    /// Forget the local names since the last such mark.
    LeaveScope,
    /// Forget all local names but this many, the outermost ones.
    Unbind(usize),
    /// What follows is in the argument of this number of a call with this head.
    Enter(Span, usize),
    /// What follows is outside of the argument.
    Exit,
}

/// Heads of forms around declarations.
const WRAPPERS: &[&str] = &["progn", "eval-when", "begin", "do", "module", "module*", "module+", "#%module-begin"];

/// A walk over one text.
pub(crate) struct Walk<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) text: &'t str,
    pub(crate) dialect: Dialect,
    pub(crate) rules: &'static Rules,
    pub(crate) facts: Facts,
    pub(crate) tasks: Vec<Task<'t>>,
    pub(crate) locals: Vec<Local<'t>>,
    /// How many local names there were at the beginning of each scope.
    pub(crate) scopes: Vec<usize>,
    pub(crate) in_template: bool,
    /// Symbols that are no uses are noted, too.
    pub(crate) marks: bool,
    /// The arguments of calls around the place, outermost first; only with marks.
    pub(crate) around: Vec<(Span, usize)>,
    /// The macros of the project.
    pub(crate) macros: Option<&'t Macros<'t>>,
    /// What the walk knows of the heads that it has met.
    pub(crate) heads: FxHashMap<&'t str, Rc<Head<'t>>>,
    /// What those mean that are macros or functions of the project, in the space in which it met them.
    pub(crate) operators: FxHashMap<&'t str, Operator>,
    /// The heads in the definition of a macro that macros of the project have.
    pub(crate) asked: Vec<&'t str>,
    /// What is learned from the definition of a macro, if the walk is over one.
    pub(crate) learning: Option<Learning>,
    /// What the form that is walked over defines.
    pub(crate) definer: Option<FormKind>,
    /// The starts of names that are assigned where the walk comes to them.
    pub(crate) assigned: Vec<u32>,
    /// What the next form binds is seen by what follows it, too.
    pub(crate) is_open: bool,
    /// How many backquotes are around, in a template that is walked over as code.
    pub(crate) level: u32,
    /// How many bodies are around, in which definitions are local.
    pub(crate) bodies: usize,
    /// How many of them are around the template.
    pub(crate) base: usize,
    /// Data of macros are walked over as code: only which names are local in them is asked.
    pub(crate) asks_locals: bool,
}

impl<'t> Walk<'t> {
    /// A walk over a text, whose code outside of packages and modules is in the space `file`.
    pub(crate) fn new(tree: &'t Tree, text: &'t str, file: &str) -> Self {
        let dialect = tree.dialect();
        let current = (!file.is_empty()).then(|| (0, file.to_owned())).into_iter().collect();
        Self {
            tree,
            text,
            dialect,
            rules: rules(dialect),
            facts: Facts { current, ..Facts::default() },
            tasks: Vec::new(),
            locals: Vec::new(),
            scopes: Vec::new(),
            in_template: false,
            marks: false,
            around: Vec::new(),
            macros: None,
            heads: FxHashMap::default(),
            operators: FxHashMap::default(),
            asked: Vec::new(),
            learning: None,
            definer: None,
            assigned: Vec::new(),
            is_open: false,
            level: 0,
            bodies: 0,
            base: 0,
            asks_locals: false,
        }
    }

    /// The code is in this space.
    pub(crate) fn start_in(&mut self, space: &str) {
        self.facts.current = vec![(0, space.to_owned())];
    }

    /// The facts that the walk has found.
    pub(crate) fn finish(mut self) -> Facts {
        // They are nearly in order, which a stable sort makes use of.
        self.facts.uses.sort_by_key(|one| (one.start, one.kind));
        self.facts.uses.dedup();
        self.facts.uses.shrink_to_fit();
        self.facts.owners.sort_unstable_by_key(|(start, _)| *start);
        self.facts.links.sort_by_key(|link| (link.span.start, link.thing));
        self.facts.links.dedup();
        self.facts.marks.sort_unstable_by_key(|mark| mark.span.start);
        self.facts.bound.sort_unstable();
        self.facts.bound.dedup();
        self.facts.doubtful.sort_unstable_by_key(|one| one.start);
        self.facts.no_forms.sort_unstable();
        self.facts.steps.sort_unstable();
        self.facts.calls.sort_unstable();
        self.facts.unclear.sort_unstable();
        self.facts
    }

    pub(crate) fn run(&mut self) {
        let tree = self.tree;
        let is_data = self.rules.is_data || self.dialect.is_of_data(&self.facts.file);
        self.begin();
        self.tasks.push(if is_data { Task::Quoteds(tree.top_level()) } else { Task::Codes(tree.top_level()) });
        self.work();
    }

    /// Notes what the file declares as a whole.
    fn begin(&mut self) {
        if let Some(space) = (self.rules.begins)(self) {
            self.take_space(space);
        }
    }

    /// Does all tasks.
    pub(crate) fn work(&mut self) {
        while let Some(task) = self.tasks.pop() {
            self.step(task);
        }
    }

    /// Reads only the declarations of top-level forms.
    pub(crate) fn declarations(&mut self) {
        let tree = self.tree;
        self.begin();
        let mut waiting = vec![tree.top_level()];
        while let Some(data) = waiting.last_mut() {
            let Some(datum) = data.next() else {
                waiting.pop();
                continue;
            };
            let Some(list) = datum.list() else { continue };
            let Some(head) = tree.data(list).next().filter(|head| head.list().is_none()) else { continue };
            let head = canonical_head(self.dialect, self.source(head));
            self.declare(&head, datum, list);
            if WRAPPERS.contains(&&*head) {
                waiting.push(self.data(list).skipping(1));
            }
        }
    }

    /// Notes that a list is no form, whatever is in it.
    pub(crate) fn no_form(&mut self, datum: Datum) {
        if self.marks && datum.list().is_some() {
            self.facts.no_forms.push(self.tree.core_span(datum).start);
        }
    }

    /// Notes that the lists in a list are no forms, nor is the list; what follows a keyword of Racket is one.
    pub(crate) fn no_forms(&mut self, datum: Option<Datum>) {
        if !self.marks {
            return;
        }
        let mut is_value = false;
        for datum in datum.into_iter().chain(self.inside(datum)).collect::<Vec<_>>() {
            if !is_value {
                self.no_form(datum);
            }
            is_value = datum.list().is_none() && self.source(datum).starts_with("#:");
        }
    }

    /// Notes that the arguments of a form are taken as code, although its head is not known.
    pub(crate) fn call_form(&mut self, list: ListId) {
        if self.marks {
            self.facts.calls.push(self.tree.list_span(list).start);
        }
    }

    /// Notes that what a macro does with an argument is not known.
    pub(crate) fn unclear(&mut self, datum: Datum) {
        if self.marks {
            self.facts.unclear.push(self.tree.core_span(datum).start);
        }
    }

    /// Notes that a form gets an argument from the step before.
    pub(crate) fn step_form(&mut self, datum: Datum) {
        if self.marks && datum.list().is_some() {
            self.facts.steps.push(self.tree.core_span(datum).start);
        }
    }

    /// The source of a datum without its prefixes.
    pub(crate) fn source(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.core_span(datum).range()]
    }

    pub(crate) fn data(&self, list: ListId) -> Data<'t> {
        self.tree.data(list)
    }

    /// Puts tasks on the stack, to be done next in this order.
    pub(crate) fn next(&mut self, tasks: impl IntoIterator<Item = Task<'t>>) {
        let first = self.tasks.len();
        self.tasks.extend(tasks);
        self.tasks[first..].reverse();
    }

    fn step(&mut self, task: Task<'t>) {
        match task {
            Task::Code(datum) => self.code(datum),
            Task::Codes(mut data) => {
                if let Some(datum) = data.next() {
                    self.tasks.push(Task::Codes(data));
                    self.code(datum);
                }
            }
            Task::Quoted(datum) => self.quoted(datum),
            Task::Quoteds(mut data) => {
                if let Some(datum) = data.next() {
                    self.tasks.push(Task::Quoteds(data));
                    self.quoted(datum);
                }
            }
            Task::Names(datum) if self.asks_locals => self.code(datum),
            Task::Names(datum) => self.names_in_data(datum),
            Task::Place(datum) => match datum.list() {
                Some(_) => self.place_of(datum),
                None if datum.is_bare() => self.use_of(datum, UseKind::Assignment),
                None => self.code(datum),
            },
            Task::Type(datum) => self.type_names(datum),
            Task::Templates(mut data, depth) => {
                if let Some(datum) = data.next() {
                    self.tasks.push(Task::Templates(data, depth));
                    self.template(datum, depth);
                }
            }
            Task::Body(data) => {
                if self.rules.has_inner_definitions {
                    self.define_inside(data.clone().collect());
                    self.tasks.push(Task::LeaveBody);
                    self.bodies += 1;
                }
                self.tasks.push(Task::Codes(data));
            }
            Task::EnterBody(data) => {
                self.define_inside(data);
                self.bodies += 1;
            }
            Task::BindComputed(datum, number) => {
                for name in self.names(datum) {
                    // `(let ((name (if (consp name) (car name) name))) …)`
                    let is_itself = self.variable_called(self.source(name)) == Some((number, false));
                    self.bind_variable(self.source(name), number, !is_itself);
                }
            }
            Task::BindElement(datum, number) => {
                for name in self.names(datum) {
                    self.bind_element(self.source(name), number);
                }
            }
            Task::BindEach(datum, number) => match self.symbol(datum) {
                Some(name) => self.bind_variable(name, number, false),
                None => self.bind(datum, self.rules.binds),
            },
            Task::LeaveBody => self.bodies -= 1,
            Task::Bind(datum, pattern) => self.bind(datum, pattern),
            Task::BindPart(name) => self.bind_text(name, false),
            Task::Export(datum) => self.export(datum),
            Task::UsePart(name, kind) => self.use_part(name, kind),
            Task::BindParameters(parameters) => self.bind_parameters(parameters),
            Task::InTemplate(is_inside) => self.enter_template(is_inside),
            Task::Level(level) => self.enter_level(level),
            Task::BindFunction(datum) => {
                if !self.learns(datum, |role| role.binds_function = true) {
                    self.bind_name(datum, true);
                }
            }
            Task::BindLabel(datum) => self.bind_label(datum),
            Task::Use(datum, kind) => self.use_of(datum, kind),
            Task::Named(datum, kind) => {
                if let Some(name) = self.symbol(datum) {
                    self.note(self.name_in(datum), kind);
                    self.mark(name, MarkRole::Type);
                }
            }
            Task::Step(datum) => self.step_of_thread(datum),
            Task::Open(datum) => {
                self.is_open = true;
                self.code(datum);
                self.is_open = false;
            }
            Task::Special(form, list, data) => self.special_with(form, list, data),
            Task::Methods(members) => {
                let mut tasks = Vec::new();
                self.methods(&mut tasks, members.into_iter(), None);
                self.next(tasks);
            }
            Task::Scope => self.scopes.push(self.locals.len()),
            Task::LeaveScope => {
                let count = self.scopes.pop().unwrap_or(0);
                self.locals.truncate(count);
            }
            Task::Unbind(count) => self.locals.truncate(count),
            Task::Enter(head, argument) => self.around.push((head, argument)),
            Task::Exit => drop(self.around.pop()),
        }
    }

    fn code(&mut self, datum: Datum) {
        let is_taken = self.learning.is_some()
            && !self.is_prefixed(datum, Prefix::Quote)
            && !self.is_prefixed(datum, Prefix::Function)
            && self.learns_code(datum);
        if is_taken {
            // What is computed can have templates of its own.
            if datum.list().is_some() && self.level > 0 {
                self.tasks.push(Task::Level(self.level));
                self.enter_level(0);
                self.core_code(datum);
            }
            return;
        }
        self.prefixed(datum, self.prefixes(datum));
    }

    /// Walks over code with these prefixes.
    pub(crate) fn prefixed(&mut self, datum: Datum, prefixes: Prefixes<'t>) {
        for prefix in prefixes {
            self.hint(prefix);
            self.package_prefix(prefix, datum);
            match self.meaning(prefix) {
                Prefix::Quote => return self.quoted(datum),
                // The templates of a macro that is learned are code of its uses.
                Prefix::Template if self.learning.is_some() => {
                    self.tasks.push(Task::Level(self.level));
                    self.enter_level(self.level + 1);
                }
                Prefix::Template => return self.template_core(datum, 1),
                Prefix::Function => return self.function_name(datum),
                Prefix::Syntax | Prefix::Unquote if self.rules.has_syntax_objects => {
                    let is_inside = self.meaning(prefix) == Prefix::Syntax;
                    self.tasks.push(Task::InTemplate(self.in_template));
                    self.enter_template(is_inside);
                }
                Prefix::Syntax | Prefix::Unquote | Prefix::Evaluated | Prefix::Other => {}
            }
        }
        self.core_code(datum);
    }

    /// Notes the package in which a form is read: `package::(form)` (SBCL manual, "Extended Package Prefix Syntax").
    fn package_prefix(&mut self, prefix: Prefixed, datum: Datum) {
        let text = &self.text[self.tree.token_span(prefix.token).range()];
        let Some(package) = text.strip_suffix("::").filter(|_| self.learning.is_none()) else { return };
        let span = self.tree.core_span(datum);
        let around = self.current(span.start).to_owned();
        let package = canonical_designator(self.dialect, package);
        let at = self.facts.current.partition_point(|(from, _)| *from <= span.start);
        self.facts.current.splice(at..at, [(span.start, package), (span.end, around)]);
    }

    /// Walks over the argument of `#'` or `function`.
    pub(crate) fn function_name(&mut self, datum: Datum) {
        if self.learns(datum, |role| role.is_function = true) {
            return;
        }
        let Some(list) = datum.list() else {
            let is_hidden = |name| self.rules.two_namespaces && self.is_local(name, true);
            let Some(name) = self.symbol(datum) else { return };
            return if is_hidden(name) {
                self.mark_local(name, true);
            } else {
                self.note(self.tree.core_span(datum), UseKind::Value);
            };
        };
        let mut data = self.data(list);
        let head = data.next().map(|head| self.source(head));
        match (head, data.next()) {
            (Some(head), Some(name)) if head.eq_ignore_ascii_case("setf") => {
                self.tasks.push(Task::Named(name, UseKind::Value));
            }
            _ => self.core_code(datum),
        }
    }

    /// Walks over code without its prefixes.
    pub(crate) fn core_code(&mut self, datum: Datum) {
        match datum.list() {
            Some(list) => (self.rules.code)(self, datum, list),
            None => self.use_of(datum, UseKind::Value),
        }
    }

    /// Walks over a list: as a call if its opener is that of calls, otherwise as data.
    pub(crate) fn call_or_data(&mut self, datum: Datum, list: ListId) {
        let mut data = self.data(list);
        if !self.rules.calls.contains(&self.opener(datum)) {
            return self.tasks.push(Task::Quoteds(data));
        }
        let arguments = data.clone();
        let Some(head) = data.next() else { return };
        let Some(name) = self.symbol(head).filter(|_| head.is_bare()) else {
            // `((@ module name) argument…)`
            if let Some(list) = head.list().filter(|list| self.rules.has_syntax_objects && self.is_elsewhere(*list)) {
                self.elsewhere(list, UseKind::Call);
                return self.tasks.push(Task::Codes(data));
            }
            return self.tasks.push(Task::Codes(arguments));
        };
        if self.is_local(name, true) {
            self.learns(head, |role| role.is_code = true);
            self.mark_local(name, true);
            self.call_form(list);
            return self.tasks.push(Task::Codes(data));
        }
        let known = self.head(name);
        self.use_of(head, UseKind::Call);
        self.declare(&known.canonical, datum, list);
        self.definer = known.defines;
        if let Some(argument) = known.mutates {
            self.mutates(argument, data.clone());
        }
        if known.makes_names {
            self.note_computed(datum, data.clone());
        }
        match known.special {
            Some(_) if self.is_exporter(name, &known, list) || self.is_namesake(name, &known, list) => {}
            Some(form) => self.special(form, list),
            None if self.is_treated(name, &known, list) => {}
            None if self.is_guessed(&known.canonical, list) => {}
            None => self.call(head, &known, data, list),
        }
    }

    /// Walks over a form whose head says nothing of its arguments.
    fn call(&mut self, head: Datum, known: &Head<'t>, mut data: Data<'t>, list: ListId) {
        self.call_form(list);
        match () {
            () if self.takes_name(known, data.clone(), list) => {}
            () if self.learns_mapping(&known.canonical, data.clone()) => {}
            () if known.takes_functions => self.higher_order(data),
            () if self.learns_definer(&known.canonical, data.clone()) => {
                data.next();
                self.arguments(head, data);
            }
            () => self.arguments(head, data),
        }
    }

    /// Walks over a form whose head looks like those of certain forms.
    fn is_guessed(&mut self, head: &str, list: ListId) -> bool {
        let Some(form) = (self.rules.guess)(head) else { return false };
        if form == SpecialForm::Space && !self.is_outside(list) {
            return false;
        }
        self.special(form, list);
        true
    }

    /// Walks over a form whose head looks like that of a definition, and of which no more is known: it defines its first
    /// argument. False if it does not look so.
    fn takes_name(&mut self, head: &Head<'t>, mut data: Data<'t>, list: ListId) -> bool {
        let is_definer =
            self.rules.has_inner_definitions && self.tree.language().names_what_it_defines(&head.canonical);
        let is_function = self.facts.treated.last() == Some(&self.tree.list_span(list).start);
        if !is_definer || is_function || self.learning.is_some() || !self.is_at_top() || self.is_value_of_keyword(list)
        {
            return false;
        }
        let Some((name, parameters)) = data.next().map(|first| self.curried(first)) else { return false };
        if self.symbol(name).is_none_or(|text| self.is_local(text, false)) || !name.is_bare() {
            return false;
        }
        let count = self.local_count();
        let is_given = self.says_that_it_provides(&head.canonical);
        let parameters = parameters.into_iter().map(Task::BindParameters);
        let names = is_given.then_some(Task::Export(name)).into_iter().chain([Task::Use(name, UseKind::Definition)]);
        let tasks = names.chain(parameters).chain([Task::Body(data), Task::Unbind(count)]);
        self.next(tasks.collect::<Vec<_>>());
        true
    }

    /// The head of the definition says that the module gives out what it defines: `(define+provide name …)`.
    pub(crate) fn says_that_it_provides(&self, head: &str) -> bool {
        self.rules.files_are_modules && head.starts_with("define") && head.contains("provide")
    }

    /// The list stands after a keyword of the form around it: `#:rules (define-one define-other)`.
    pub(crate) fn is_value_of_keyword(&self, list: ListId) -> bool {
        let before = (0..self.tree.list(list).open()).rev().find(|token| !self.tree.kind(*token).is_trivia());
        before.is_some_and(|token| self.text[self.tree.token_span(token).range()].starts_with("#:"))
    }

    /// Walks over the arguments of a call.
    fn arguments(&mut self, head: Datum, data: Data<'t>) {
        if !self.marks {
            return self.tasks.push(Task::Codes(data));
        }
        let head = self.tree.core_span(head);
        let tasks = data.enumerate().flat_map(|(at, datum)| [Task::Enter(head, at), Task::Code(datum), Task::Exit]);
        self.next(tasks.collect::<Vec<_>>());
    }

    /// Walks over the arguments of a call that takes names of functions.
    fn higher_order(&mut self, data: Data<'t>) {
        let tasks: Vec<Task<'t>> = data
            .map(|datum| {
                let is_name = datum.list().is_none() && self.prefixes(datum).any(|p| self.meaning(p) == Prefix::Quote);
                if is_name { Task::Named(datum, UseKind::Value) } else { Task::Code(datum) }
            })
            .collect();
        self.next(tasks);
    }
}

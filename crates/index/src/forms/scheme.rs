//! Code of Scheme: definitions inside bodies, records, classes, patterns of `match`, and the templates of syntax.
//!
//! A body can define names anywhere in it, and all of it sees them. A template of syntax is code in which the variables
//! of the pattern are bound.

use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Data, Datum, ListId, SpecialForm};

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::facts::UseKind;
use crate::walk::{Task, Walk};

/// Options of a slot whose values are code.
const SLOT_CODE: &[&str] = &["init-value", "init-form", "init-thunk", "slot-ref", "slot-set!"];
/// Options of a slot whose values are names that the class defines.
const SLOT_NAMES: &[&str] = &["getter", "setter", "accessor"];

/// Clauses of a record of R6RS.
const RECORD_CLAUSES: &[&str] =
    &["fields", "parent", "protocol", "sealed", "opaque", "nongenerative", "parent-rtd", "generative"];

/// Declarations of a library that are not code.
const LIBRARY_CLAUSES: &[&str] = &["export", "import", "include-library-declarations"];

impl<'t> Walk<'t> {
    /// Walks over a form that only Scheme has. False if this is none of them.
    pub(crate) fn scheme(&mut self, form: SpecialForm, list: ListId, mut data: Data<'t>) -> bool {
        use SpecialForm as F;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match form {
            F::Define => {
                // `#:forall (type…)` in typed Racket
                while data.clone().next().is_some_and(|word| self.source(word).starts_with("#:")) {
                    data = data.skipping(2);
                }
                let Some(first) = data.next() else { return true };
                let (name, parameters) = self.curried(first);
                self.defined(&mut tasks, name);
                tasks.extend(parameters.into_iter().map(Task::BindParameters));
                tasks.push(Task::Body(data));
            }
            F::DefineMethod => {
                let Some(first) = data.next() else { return true };
                self.no_forms(Some(first));
                let mut parameters = first.list().map(|list| self.data(list));
                let name = parameters.as_mut().map_or(Some(first), Iterator::next);
                let setter = name.and_then(Datum::list).and_then(|list| self.data(list).nth(1));
                tasks.extend(setter.or(name).map(|name| Task::Use(name, UseKind::Method)));
                for parameter in parameters.into_iter().flatten() {
                    let mut parts = parameter.list().into_iter().flat_map(|list| self.data(list));
                    tasks.push(Task::Bind(parts.next().unwrap_or(parameter), Pattern::Name));
                    tasks.extend(parts.next().map(|class| Task::Use(class, UseKind::Method)));
                }
                tasks.push(Task::Body(data));
            }
            F::DefineValues => {
                let names = data.next().map_or_else(Vec::new, |names| self.names(names));
                names.into_iter().for_each(|name| self.defined(&mut tasks, name));
                tasks.push(Task::Codes(data));
            }
            F::Record | F::Condition => {
                data.clone().for_each(|part| self.no_form(part));
                for name in self.record_names(list) {
                    self.defined(&mut tasks, name);
                }
                if form == F::Condition {
                    tasks.extend(data.clone().nth(1).map(Task::Code));
                }
                self.record_code(&mut tasks, data);
            }
            F::ClassOfSlots => self.class(&mut tasks, data),
            F::Syntax => {
                let Some(first) = data.next() else { return true };
                // `(define-syntax (name . parameters) code…)`
                let (name, parameters) = self.curried(first);
                self.defined(&mut tasks, name);
                tasks.extend(parameters.into_iter().map(Task::BindParameters));
                tasks.push(Task::Body(data));
            }
            F::SyntaxRule => {
                self.no_forms(data.clone().next());
                let pattern = data.next().and_then(Datum::list).map(|list| self.data(list));
                let Some(mut pattern) = pattern else { return true };
                if let Some(name) = pattern.next() {
                    self.defined(&mut tasks, name);
                }
                tasks.extend(pattern.map(|part| Task::Bind(part, Pattern::Atoms)));
                if data.clone().nth(1).is_some() {
                    // A docstring.
                    data.next();
                }
                tasks.extend(self.templates(data));
            }
            F::SyntaxRules => {
                if data.clone().next().is_some_and(|first| first.list().is_none()) {
                    data.next();
                }
                data.clone().for_each(|part| self.no_form(part));
                self.note_literals(data.next());
                for clause in data.by_ref().filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(|pattern| Task::Bind(pattern, Pattern::Keyword)));
                    tasks.extend(self.templates(clause));
                    tasks.push(Task::Unbind(count));
                }
            }
            F::IdentifierSyntax => {
                if data.clone().nth(1).is_none() {
                    tasks.extend(self.templates(data));
                } else {
                    for clause in data.filter_map(Datum::list) {
                        let mut clause = self.data(clause);
                        tasks.extend(clause.next().map(|pattern| Task::Bind(pattern, Pattern::Atoms)));
                        tasks.extend(self.templates(clause));
                        tasks.push(Task::Unbind(count));
                    }
                }
            }
            F::SyntaxCase => {
                let subject = data.next();
                tasks.extend(subject.map(Task::Code));
                let pattern = if self.is_subject(subject) { Pattern::Syntax } else { Pattern::Atoms };
                let literals = data.next();
                if pattern == Pattern::Syntax {
                    self.note_literals(literals);
                }
                literals.into_iter().chain(data.clone()).for_each(|part| self.no_form(part));
                for clause in data.by_ref().filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(|datum| Task::Bind(datum, pattern)));
                    tasks.extend([Task::Codes(clause), Task::Unbind(count)]);
                }
            }
            F::WithSyntax => {
                let parts = self.bindings(data.next());
                let values = parts.iter().flat_map(|(_, values)| values.clone()).map(Task::Code);
                tasks.extend(values);
                tasks.extend(parts.iter().map(|(pattern, _)| Task::Bind(*pattern, Pattern::Atoms)));
                tasks.push(Task::Body(data));
            }
            F::SyntaxTemplate => tasks.extend(self.templates(data)),
            F::LetValuesStar => {
                for (names, values) in self.bindings(data.next()) {
                    tasks.extend(values.into_iter().map(Task::Code));
                    tasks.push(Task::Bind(names, Pattern::Nested));
                }
                tasks.push(Task::Body(data));
            }
            F::LetOptionals => {
                tasks.extend(data.next().map(Task::Code));
                if let Some(flag) = data.clone().next().filter(|flag| flag.list().is_none()) {
                    data.next();
                    tasks.push(Task::Code(flag));
                }
                for (name, values) in self.bindings(data.next()) {
                    tasks.extend(values.into_iter().map(Task::Code));
                    tasks.push(Task::Bind(name, Pattern::Name));
                }
                tasks.push(Task::Body(data));
            }
            F::Parameterize => {
                for (variable, values) in self.bindings(data.next()) {
                    tasks.push(match self.symbol(variable).filter(|name| !self.is_local(name, false)) {
                        Some(_) => Task::Use(variable, UseKind::Binding),
                        None => Task::Code(variable),
                    });
                    tasks.extend(values.into_iter().map(Task::Code));
                }
                tasks.push(Task::Body(data));
            }
            F::NameThen => {
                let Some(first) = data.next() else { return true };
                let (name, parameters) = self.curried(first);
                tasks.push(Task::Bind(name, Pattern::Name));
                tasks.extend(parameters.into_iter().map(Task::BindParameters));
                tasks.push(Task::Body(data));
            }
            F::CondExpand => {
                data.clone().for_each(|clause| self.no_form(clause));
                let clauses = data.filter_map(Datum::list);
                tasks.extend(clauses.map(|clause| Task::Codes(self.data(clause).skipping(1))));
                return self.then(tasks);
            }
            F::Match | F::MatchLambda => {
                if form == F::Match {
                    tasks.extend(data.next().map(Task::Code));
                }
                data.clone().for_each(|clause| self.no_form(clause));
                for clause in data.by_ref().filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(|pattern| Task::Bind(pattern, Pattern::Match)));
                    tasks.extend(self.escape(&mut clause));
                    tasks.extend([Task::Body(clause), Task::Unbind(count)]);
                }
            }
            F::MatchLet => {
                let mut first = data.next();
                if let Some(name) = first.filter(|name| self.symbol(*name).is_some()) {
                    first = data.next();
                    tasks.push(Task::Bind(name, Pattern::Name));
                }
                for (pattern, values) in self.bindings(first) {
                    tasks.extend(values.into_iter().map(Task::Code));
                    tasks.push(Task::Bind(pattern, Pattern::Match));
                }
                tasks.push(Task::Body(data));
            }
            F::Guard => {
                let clauses: Vec<Datum> = self.inside(data.next());
                clauses.iter().for_each(|clause| self.no_form(*clause));
                tasks.extend([Task::Body(data), Task::Unbind(count)]);
                let mut clauses = clauses.into_iter();
                tasks.extend(clauses.next().map(|name| Task::Bind(name, Pattern::Name)));
                tasks.extend(clauses.filter_map(Datum::list).map(|clause| Task::Codes(self.data(clause))));
            }
            F::Module => {
                let head = self.data(list).next().map_or("", |head| self.source(head));
                if matches!(head, "library" | "define-library") {
                    self.library(&mut tasks, data.skipping(1));
                }
            }
            F::Elsewhere => self.elsewhere(list, UseKind::Value),
            _ => return false,
        }
        tasks.push(Task::Unbind(count));
        self.then(tasks)
    }

    // Names of definitions.

    /// The name in `name`, `(name . parameters)` or `((name . parameters) . parameters)`, and the lists of parameters.
    pub(crate) fn curried(&mut self, first: Datum) -> (Datum, Vec<Data<'t>>) {
        let (mut target, mut parameters) = (first, Vec::new());
        while let Some(list) = target.list() {
            self.no_form(target);
            let mut inner = self.data(list);
            let Some(next) = inner.next() else { break };
            parameters.push(inner);
            target = next;
        }
        parameters.reverse();
        (target, parameters)
    }

    /// Notes the definition of a name at top level. A name that a body defines is bound by [`Self::define_inside`].
    pub(crate) fn defined(&self, tasks: &mut Vec<Task<'t>>, name: Datum) {
        if self.is_at_top() {
            tasks.push(Task::Use(name, UseKind::Definition));
        }
    }

    /// Binds the names that a body defines, for all of it.
    pub(crate) fn define_inside(&mut self, mut waiting: Vec<Datum>) {
        use SpecialForm as F;
        waiting.reverse();
        while let Some(datum) = waiting.pop() {
            let Some(list) = datum.list().filter(|_| datum.is_bare()) else { continue };
            let mut data = self.data(list);
            let Some(head) = data.next().and_then(|head| self.symbol(head)) else { continue };
            let head = canonical_head(self.dialect, head);
            if head == "begin" {
                let inner: Vec<Datum> = data.collect();
                waiting.extend(inner.into_iter().rev());
                continue;
            }
            let form = self.dialect.special_form(&head);
            let is_other = matches!(form, Some(F::Fields | F::MatchDefine | F::MatchDefineValues));
            let is_inner = matches!(form, Some(F::Variable | F::Function | F::Macro | F::Fn));
            let is_guessed = head.starts_with("def") && !(form.is_none() && self.is_value_of_keyword(list));
            if !is_guessed && !is_other && !is_inner {
                continue;
            }
            let mut data = data.skip_while(|datum| self.source(*datum).starts_with("#:")).peekable();
            let is_typed = form == Some(F::Fields) && !head.starts_with("def");
            data.next_if(|first| is_typed && first.list().is_some());
            let names = match (form, data.next()) {
                (Some(F::DefineValues), Some(names)) => self.names(names),
                (Some(F::Record | F::Condition), _) => self.record_names(list),
                (Some(F::DefineMethod | F::Module), _) | (_, None) => continue,
                (Some(F::MatchDefine), Some(pattern)) => self.pattern_names(pattern),
                (Some(F::MatchDefineValues), Some(patterns)) => {
                    self.inside(Some(patterns)).into_iter().flat_map(|pattern| self.pattern_names(pattern)).collect()
                }
                // Their names are bound where they stand.
                (Some(F::SyntaxDefine), _) => continue,
                (Some(F::Fn), Some(first)) if first.list().is_some() => continue,
                (Some(F::Variable), Some(first)) if first.list().is_some() => self.names(first),
                (_, Some(first)) => vec![self.curried(first).0],
            };
            for name in names {
                if !self.learns(name, |role| role.binds = true) {
                    self.bind_name(name, false);
                }
            }
        }
    }

    /// The symbols in a datum, at any depth.
    pub(crate) fn names(&self, datum: Datum) -> Vec<Datum> {
        let names = self.atoms(datum).into_iter();
        names.filter(|name| self.symbol(*name).is_some()).collect()
    }

    /// The names that the definition of a record writes: of the type, its constructor, predicate and accessors.
    fn record_names(&self, list: ListId) -> Vec<Datum> {
        let data: Vec<Datum> = self.data(list).skip(1).collect();
        let mut names: Vec<Datum> = data.first().map_or_else(Vec::new, |first| match first.list() {
            Some(list) => self.data(list).collect(),
            None => vec![*first],
        });
        if let Some(fields) = self.fields(&data) {
            for field in fields.filter_map(Datum::list) {
                names.extend(self.data(field).skip(2));
            }
            return names;
        }
        let head = self.data(list).next().map_or("", |head| self.source(head));
        let has_parent = self.dialect.special_form(head) == Some(SpecialForm::Condition);
        for (at, &datum) in data.iter().enumerate().skip(1) {
            match datum.list() {
                None if at == 1 && has_parent => {}
                None => names.push(datum),
                Some(list) if at == 1 => names.extend(self.data(list).next()),
                Some(list) => names.extend(self.data(list).skip(1).filter(|part| part.list().is_none())),
            }
        }
        names
    }

    /// The fields of a record of R6RS.
    fn fields(&self, data: &[Datum]) -> Option<Data<'t>> {
        let first = data.get(1)?.list()?;
        let word = self.data(first).next().map_or("", |head| self.source(head));
        if !RECORD_CLAUSES.contains(&word) {
            return None;
        }
        data.iter().filter_map(|datum| datum.list()).find_map(|list| {
            let mut inner = self.data(list);
            inner.next().is_some_and(|head| self.source(head) == "fields").then_some(inner)
        })
    }

    /// The code in the definition of a record: defaults of fields, the parent and the protocol.
    fn record_code(&self, tasks: &mut Vec<Task<'t>>, data: Data<'t>) {
        let data: Vec<Datum> = data.collect();
        let is_of_clauses = self.fields(&data).is_some();
        for list in data.iter().skip(1).filter_map(|datum| datum.list()) {
            let mut parts = self.data(list);
            let head = parts.next().map_or("", |head| self.source(head));
            if matches!(head, "parent" | "protocol" | "parent-rtd") {
                tasks.push(Task::Codes(parts));
            } else if !is_of_clauses {
                // `(field accessor (default value))`
                let options = parts.filter_map(Datum::list);
                tasks.extend(options.map(|option| Task::Codes(self.data(option).skipping(1))));
            }
        }
    }

    /// `name (superclass…) slot… option…`
    fn class(&mut self, tasks: &mut Vec<Task<'t>>, mut data: Data<'t>) {
        if let Some(name) = data.next() {
            self.defined(tasks, name);
        }
        tasks.extend(self.inside(data.next()).into_iter().map(|class| Task::Use(class, UseKind::Value)));
        let mut is_value = false;
        for slot in data {
            if is_value || slot.list().is_none() {
                // The options of the class are keywords with values.
                tasks.extend(is_value.then_some(Task::Code(slot)));
                is_value = !is_value && self.source(slot).starts_with(['#', ':']);
                continue;
            }
            self.no_form(slot);
            let parts = self.inside(Some(slot));
            for pair in parts.get(1..).unwrap_or_default().chunks(2) {
                let &[option, value] = pair else { continue };
                let option = self.source(option).trim_start_matches(['#', ':']);
                if SLOT_CODE.contains(&option) {
                    tasks.push(Task::Code(value));
                } else if SLOT_NAMES.contains(&option) {
                    self.defined(tasks, value);
                }
            }
        }
    }

    // Modules.

    /// The code in a library of R6RS or R7RS, after its name.
    fn library(&self, tasks: &mut Vec<Task<'t>>, data: Data<'t>) {
        let mut waiting: Vec<Datum> = data.collect();
        waiting.reverse();
        while let Some(datum) = waiting.pop() {
            let Some(list) = datum.list() else { continue };
            let mut inner = self.data(list);
            let head = inner.next().map_or("", |head| self.source(head));
            if LIBRARY_CLAUSES.contains(&head) {
            } else if head == "cond-expand" {
                let clauses: Vec<Datum> = inner.filter_map(Datum::list).flat_map(|c| self.data(c).skip(1)).collect();
                waiting.extend(clauses.into_iter().rev());
            } else {
                tasks.push(Task::Code(datum));
            }
        }
    }

    /// `(@ module name)`
    pub(crate) fn elsewhere(&mut self, list: ListId, kind: UseKind) {
        let mut data = self.data(list);
        let head = data.next().map_or("", |head| self.source(head));
        if let (Some(module), Some(name)) = (data.next(), data.next().filter(|name| self.symbol(*name).is_some())) {
            let module = crate::space::scheme::module(self, module);
            self.note_of(self.tree.core_span(name), kind, module, head == "@");
        }
    }

    /// The list is `(@ module name)`.
    pub(crate) fn is_elsewhere(&self, list: ListId) -> bool {
        let head = self.data(list).next().map_or("", |head| self.source(head));
        self.dialect.special_form(head) == Some(SpecialForm::Elsewhere)
    }

    // Patterns.

    /// The bindings in a list: each a name or pattern with its values.
    pub(crate) fn bindings(&mut self, list: Option<Datum>) -> Vec<(Datum, Vec<Datum>)> {
        self.no_forms(list);
        let parts = |binding: Datum| match binding.list() {
            Some(list) => {
                let mut parts = self.data(list);
                Some((parts.next()?, parts.collect()))
            }
            None => Some((binding, Vec::new())),
        };
        self.inside(list).into_iter().filter_map(parts).collect()
    }

    /// Walks over templates of syntax.
    pub(crate) fn templates(&self, data: Data<'t>) -> Vec<Task<'t>> {
        vec![Task::InTemplate(true), Task::Codes(data), Task::InTemplate(self.is_in_template())]
    }

    /// Binds the names in a pattern of `match` (Guile manual, "Pattern Matching"), and walks over the code in it.
    pub(crate) fn match_pattern(&mut self, datum: Datum) {
        if self.is_prefixed(datum, Prefix::Quote) {
            return self.next([Task::Quoted(datum)]);
        }
        if self.is_prefixed(datum, Prefix::Template) {
            return self.pattern_template(datum, Pattern::Match);
        }
        let Some(list) = datum.list() else {
            let name = self.source(datum);
            if name != "___" && !name.starts_with("..") {
                self.bind_name(datum, false);
            }
            return;
        };
        let mut data = self.data(list);
        let all = data.clone();
        let is_vector = self.opener(datum).starts_with('#');
        let head = data.next().filter(|head| head.list().is_none() && !is_vector).map_or("", |head| self.source(head));
        let pattern = |datum| Task::Bind(datum, Pattern::Match);
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match head {
            "quote" => tasks.push(Task::Quoteds(data)),
            "?" | "=" => {
                tasks.extend(data.next().map(|function| self.called(function)));
                tasks.extend(data.map(pattern));
            }
            "$" | "struct" => {
                tasks.extend(data.next().map(|class| Task::Use(class, UseKind::Value)));
                tasks.extend(data.map(pattern));
            }
            "@" | "object" => {
                tasks.extend(data.next().map(|class| Task::Use(class, UseKind::Value)));
                tasks.extend(data.filter_map(Datum::list).flat_map(|slot| self.data(slot).skip(1)).map(pattern));
            }
            "and" | "or" | "not" | "get!" | "set!" => tasks.extend(data.map(pattern)),
            "quasiquote" => {
                for datum in data {
                    self.pattern_template(datum, Pattern::Match);
                }
                return;
            }
            _ => tasks.extend(all.map(pattern)),
        }
        self.next(tasks);
    }

    /// Binds every symbol in a pattern of syntax, but not its keyword if `after_keyword`.
    pub(crate) fn bind_atoms(&mut self, datum: Datum, after_keyword: bool) {
        let inner = datum.list().filter(|_| after_keyword);
        let names = match inner {
            Some(list) => self.data(list).skip(1).flat_map(|part| self.names(part)).collect(),
            None => self.names(datum),
        };
        names.into_iter().for_each(|name| self.bind_name(name, false));
    }

    /// Binds the parameters of a function, with their default values.
    pub(crate) fn bind_parameters(&mut self, parameters: Data<'t>) {
        let mut tasks = Vec::new();
        for datum in parameters {
            let mut parts = datum.list().into_iter().flat_map(|list| self.data(list));
            let name = parts.next().unwrap_or(datum);
            tasks.extend(parts.map(Task::Code));
            tasks.push(Task::Bind(name, Pattern::Name));
        }
        self.next(tasks);
    }
}

//! Code of Clojure: reader conditionals, destructuring, functions of several arities, threading, methods of protocols.
//!
//! Functions, macros and local names share one namespace, brackets of every kind contain code, and `#?(…)` can be
//! anywhere.

use lispwright_syntax::datum::Prefixed;
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Data, Datum, ListId, Span, SpecialForm, TokenKind};

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::facts::{MarkRole, UseKind};
use crate::resolve::Written;
use crate::space::{Exports, Import, Space};
use crate::walk::{Task, Walk};

/// The macro of Potemkin that defines vars of other namespaces again.
const IMPORTER: &str = "import-vars";

/// Type hints that are no names of variables or classes.
const PRIMITIVES: &[&str] = &[
    "long", "double", "int", "float", "short", "byte", "char", "boolean", "void", "longs", "doubles", "ints", "floats",
    "shorts", "bytes", "chars", "booleans", "objects",
];

/// Words in a pattern before code: a type, or what a value is asked or given to.
const BEFORE_CODE: &[&str] = &[":-", ":guard", ":when", ":<<"];

/// The threading form in whose steps the code of the steps before stands last.
const NESTS_LAST: &str = "(->>";

impl<'t> Walk<'t> {
    // Notation.

    /// Walks over metadata, which are evaluated; a type hint is a use of a name. The words of a condition (`#+x`) are not.
    pub(crate) fn hint(&mut self, prefix: Prefixed) {
        let token = &self.text[self.tree.token_span(prefix.token).range()];
        match prefix.operand {
            Some(operand) if PRIMITIVES.contains(&self.source(operand)) => {}
            Some(operand) if matches!(token, "^" | "#^") => self.next([Task::Code(operand)]),
            // The reader evaluates the condition: `#+#.(package::has-it-p)`.
            Some(condition) if self.is_prefixed(condition, Prefix::Evaluated) => self.next([Task::Code(condition)]),
            Some(condition) => self.mark_all(condition, MarkRole::Word),
            None => {}
        }
    }

    fn hints(&mut self, datum: Datum) {
        for prefix in self.prefixes(datum) {
            self.hint(prefix);
        }
    }

    /// A symbol in data is a use of a name; in Clojure only if it has a namespace.
    pub(crate) fn is_name_in_data(&self, datum: Datum) -> bool {
        !self.rules.data_names_are_qualified || self.source(datum).contains('/')
    }

    /// Notes the use of a symbol in a template, unless it is like `name#`, for which the reader makes a new symbol.
    pub(crate) fn use_in_template(&mut self, datum: Datum) {
        let kind = if self.rules.templates_are_data { UseKind::Quoted } else { UseKind::Template };
        if !(self.rules.is_made_up)(self.source(datum)) {
            self.use_of(datum, kind);
        }
    }

    /// The name in a symbol: of a constructor `Name.` the class `Name`.
    pub(crate) fn name_in(&self, datum: Datum) -> Span {
        let span = self.tree.core_span(datum);
        let name = (self.rules.name_in)(self.source(datum));
        Span::new(span.start, span.start + u32::try_from(name.len()).unwrap_or(span.len()))
    }

    /// The data of a list, including those that `#?@(…)` splices on any platform.
    pub(crate) fn spread(&self, list: ListId) -> Vec<Datum> {
        self.spliced(self.data(list))
    }

    fn spliced(&self, data: Data<'t>) -> Vec<Datum> {
        let inside = |datum: Datum| match datum.list().filter(|_| self.opener(datum) == "#?@(") {
            Some(_) => {
                self.alternatives(datum).into_iter().filter_map(Datum::list).flat_map(|l| self.data(l)).collect()
            }
            None => vec![datum],
        };
        data.flat_map(inside).collect()
    }

    /// The forms of a datum on each platform.
    pub(crate) fn alternatives(&self, datum: Datum) -> Vec<Datum> {
        match datum.list().filter(|_| self.opener(datum).starts_with("#?")) {
            Some(list) => self.data(list).skip(1).step_by(2).collect(),
            None => vec![datum],
        }
    }

    pub(crate) fn is_vector(&self, datum: Datum) -> bool {
        self.alternatives(datum).iter().any(|&one| self.tree.kind(one.core) == TokenKind::OpenBracket)
    }

    fn pairs(&self, list: ListId) -> Vec<(Datum, Datum)> {
        self.spread(list).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    }

    // Calls.

    /// Walks over code in brackets of any kind. `is_step`: it gets its first argument from the step before it in a
    /// threading form.
    pub(crate) fn clojure_code(&mut self, datum: Datum, list: ListId, is_step: bool) {
        let mut data = self.data(list);
        let arguments = data.clone();
        let head = data.next().filter(|_| matches!(self.opener(datum), "(" | "#("));
        let Some(head) = head else { return self.next([Task::Codes(arguments)]) };
        if self.is_vector(head) {
            // One arity of a function, or a clause of a similar macro.
            let count = self.local_count();
            return self.next([Task::Bind(head, Pattern::Destructuring), Task::Codes(data), Task::Unbind(count)]);
        }
        let name = self.symbol(head).or_else(|| Some(self.source(head)).filter(|name| matches!(*name, "." | "..")));
        let Some(name) = name.filter(|_| head.is_bare()) else { return self.next([Task::Codes(arguments)]) };
        if self.is_local(name, true) {
            self.mark_local(name, true);
            self.call_form(list);
            return self.next([Task::Codes(data)]);
        }
        if !(self.rules.is_operator)(name) {
            self.use_of(head, UseKind::Call);
        }
        let known = self.head(name);
        self.declare(&known.canonical, datum, list);
        self.definer = known.defines;
        // A step gets its first argument from elsewhere.
        if let Some(argument) = known.mutates.and_then(|argument| argument.checked_sub(usize::from(is_step))) {
            self.mutates(argument, data.clone());
        }
        if known.makes_names {
            self.note_computed(datum, data.clone());
        }
        match known.special {
            Some(_) if !is_step && self.is_namesake(name, &known, list) => {}
            Some(form) => {
                if !self.clojure_form(form, data, is_step) {
                    self.special(form, list);
                }
            }
            None if !is_step && self.is_treated(name, &known, list) => {}
            None if self.learns_mapping(&known.canonical, data.clone()) => {}
            None if self.local_count() == 0 && self.tree.language().names_what_it_defines(&known.canonical) => {
                self.call_form(list);
                self.guessed(data);
            }
            None if name.rsplit('/').next() == Some(IMPORTER) => self.imported(data),
            None => {
                self.call_form(list);
                if self.learns_definer(&known.canonical, data.clone()) {
                    data.next();
                }
                self.next([Task::Codes(data)]);
            }
        }
    }

    /// Walks over a form with a guessed definer. A vector at its end is not a list of parameters.
    fn guessed(&mut self, mut data: Data<'t>) {
        let count = self.local_count();
        let name = data.clone().next().filter(|name| self.symbol(*name).is_some() && name.is_bare());
        if let Some(name) = name {
            data.next();
            self.use_of(name, UseKind::Definition);
        }
        let mut tasks = Vec::new();
        if data.clone().last().is_some_and(|last| self.is_vector(last)) {
            tasks.push(Task::Codes(data));
        } else {
            self.parts_of_guessed(&mut tasks, data);
        }
        tasks.push(Task::Unbind(count));
        self.next(tasks);
    }

    /// Walks over the arguments of `import-vars`: each is a name of another namespace that becomes one of this, or
    /// `[namespace name…]`.
    fn imported(&mut self, data: Data<'t>) {
        for datum in data {
            let list = datum.list().filter(|_| self.is_vector(datum));
            let mut names: Vec<Datum> = list.map_or(vec![datum], |list| self.data(list).collect());
            let space = names.first().filter(|_| list.is_some()).and_then(|space| self.symbol(*space));
            names.drain(..usize::from(list.is_some()).min(names.len()));
            names.retain(|name| self.symbol(*name).is_some());
            for name in names {
                let span = self.name_in(name);
                match space {
                    Some(space) => self.note_of(span, UseKind::Value, space.to_owned(), false),
                    None => self.use_of(name, UseKind::Value),
                }
                self.note_defined(span);
                let written = Written::of(self.dialect, self.source(name));
                let qualifier = written.qualifier.map(|space| self.aliased(&space, span.start));
                if let Some(from) = space.map(str::to_owned).or(qualifier) {
                    let only = Some(vec![(written.name.clone(), written.name)]);
                    let import = Import { only, reexports: true, ..Import::all(from) };
                    let own = Space::new(self.current(span.start).to_owned(), span.start);
                    self.take_space(Space { imports: vec![import], exports: Exports::All, ..own });
                }
            }
        }
    }

    /// The namespace that an alias means at a byte.
    fn aliased(&self, alias: &str, at: u32) -> String {
        let current = self.current(at);
        let own = self.facts.spaces.iter().filter(|space| space.name == current);
        let mut imports = own.flat_map(|space| &space.imports);
        let meant = imports.find(|import| import.alias.as_deref() == Some(alias));
        meant.map_or_else(|| alias.to_owned(), |import| import.from.clone())
    }

    /// `[parameters] code…` with code that can be a method: `(name [parameters] code…)`.
    fn parts_of_guessed(&self, tasks: &mut Vec<Task<'t>>, data: Data<'t>) {
        let mut is_bound = false;
        for datum in data {
            if !is_bound && self.is_vector(datum) {
                is_bound = true;
                tasks.push(Task::Bind(datum, Pattern::Destructuring));
                continue;
            }
            let mut inner = datum.list().filter(|_| self.opener(datum) == "(").map(|list| self.data(list));
            let name = inner.as_mut().and_then(Iterator::next).filter(|name| self.symbol(*name).is_some());
            let parameters = inner.as_mut().and_then(Iterator::next).filter(|vector| self.has_only_names(*vector));
            match (name, parameters, inner) {
                (Some(_), Some(parameters), Some(code)) if code.clone().next().is_some() => {
                    tasks.extend([Task::Scope, Task::Bind(parameters, Pattern::Destructuring)]);
                    tasks.extend([Task::Codes(code), Task::LeaveScope]);
                }
                _ => tasks.push(Task::Code(datum)),
            }
        }
    }

    /// The datum is a vector in which there are names and patterns for names.
    fn has_only_names(&self, datum: Datum) -> bool {
        let mut data = datum.list().filter(|_| self.is_vector(datum)).into_iter().flat_map(|list| self.data(list));
        datum.list().is_some()
            && self.is_vector(datum)
            && data.all(|one| match one.list() {
                Some(_) => self.opener(one) != "(",
                None => self.symbol(one).is_some() || self.source(one) == "&",
            })
    }

    /// Walks over a step of a threading form that passes the value as the first argument.
    pub(crate) fn step_of_thread(&mut self, datum: Datum) {
        match datum.list().filter(|_| datum.is_bare()) {
            Some(list) => self.clojure_code(datum, list, true),
            None => self.next([self.thread_step(datum, false)]),
        }
    }

    /// The steps of a threading form, on every platform.
    fn steps(&self, data: Data<'t>) -> Vec<Datum> {
        self.spliced(data).into_iter().flat_map(|step| self.alternatives(step)).collect()
    }

    fn thread_step(&self, datum: Datum, first: bool) -> Task<'t> {
        match datum.list() {
            None if datum.is_bare() => Task::Use(datum, UseKind::Call),
            Some(_) if first => Task::Step(datum),
            _ => Task::Code(datum),
        }
    }

    /// Walks over a special form of Clojure. False if it is the same in other dialects.
    fn clojure_form(&mut self, form: SpecialForm, mut data: Data<'t>, is_step: bool) -> bool {
        use SpecialForm as F;
        let tree = self.tree;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        let takes_value = matches!(
            form,
            F::Naming
                | F::CasePairs
                | F::MatchPairs
                | F::ThreadingFirst
                | F::Threading
                | F::ThreadingIf { .. }
                | F::Member
                | F::Members
        );
        let mut nests = false;
        if takes_value && !is_step {
            let value = data.next();
            if let Some(value) = value.filter(|_| form == F::Threading) {
                nests = self.text[..self.tree.datum_span(value).start as usize].trim_end().ends_with(NESTS_LAST);
            }
            if let Some(value) = value.filter(|_| form == F::ThreadingFirst) {
                // What `->` gives to its second step is another value.
                let before = &self.text[..self.tree.datum_span(value).start as usize];
                let steps = if before.trim_end().ends_with("doto") { usize::MAX } else { 1 };
                self.mutates_threaded(value, data.clone().take(steps));
            }
            tasks.extend(value.map(Task::Code));
        }
        match form {
            F::LetVector | F::LetThen | F::Comprehension => {
                let bindings = data.next();
                let mut arguments = self.inside(bindings);
                arguments.retain(|datum| self.is_spliced(*datum));
                arguments.extend(bindings.filter(|bindings| !bindings.is_bare()));
                for datum in arguments {
                    self.learns(datum, |role| role.binds_pairs = true);
                }
                let vectors = bindings.map_or_else(Vec::new, |bindings| self.alternatives(bindings));
                let pairs = vectors.into_iter().filter_map(Datum::list).flat_map(|list| self.pairs(list));
                for (name, value) in pairs.collect::<Vec<_>>() {
                    let inner = value.list().filter(|_| self.source(name) == ":let");
                    let pairs = inner.map_or_else(|| vec![(name, value)], |list| self.pairs(list));
                    for (name, value) in pairs {
                        let elements = self.elements(value).filter(|_| form == F::Comprehension);
                        let bind = elements.map(|number| Task::BindEach(name, number));
                        tasks.extend([Task::Code(value), bind.unwrap_or(Task::Bind(name, Pattern::Destructuring))]);
                    }
                }
                if form == F::LetThen
                    && let Some(then) = data.next()
                {
                    tasks.extend([Task::Code(then), Task::Unbind(count)]);
                }
                tasks.push(Task::Codes(data));
            }
            F::Rebinding => {
                for (place, value) in data.next().and_then(Datum::list).map_or_else(Vec::new, |list| self.pairs(list)) {
                    tasks.extend([Task::Use(place, UseKind::Binding), Task::Code(value)]);
                }
                tasks.push(Task::Codes(data));
            }
            F::Naming => {
                tasks.extend(data.next().map(|name| Task::Bind(name, Pattern::Destructuring)));
                tasks.push(Task::Codes(data));
            }
            F::CasePairs | F::MatchPairs => {
                let data: Vec<Datum> = data.collect();
                for pair in data.chunks(2) {
                    if let [keys, _] = *pair
                        && self.opener(keys) == "("
                    {
                        self.no_form(keys);
                    }
                    match *pair {
                        [key, value] if form == F::CasePairs => tasks.extend([Task::Quoted(key), Task::Code(value)]),
                        [pattern, value] => {
                            let bind = Task::Bind(pattern, Pattern::Destructuring);
                            tasks.extend([bind, Task::Code(value), Task::Unbind(count)]);
                        }
                        _ => tasks.extend(pair.iter().copied().map(Task::Code)),
                    }
                }
            }
            F::ThreadingFirst | F::Threading => {
                let steps = self.steps(data);
                steps.iter().for_each(|step| self.step_form(*step));
                let mut around = Vec::new();
                for step in steps {
                    // The steps before it are code in it, which sees what it binds.
                    if nests && self.binds_for_last(step) {
                        around.extend([Task::Open(step), Task::Scope]);
                        tasks.push(Task::LeaveScope);
                    } else {
                        tasks.push(self.thread_step(step, form == F::ThreadingFirst));
                    }
                }
                tasks.splice(..0, around.into_iter().rev());
            }
            F::ThreadingIf { first } => {
                for (at, datum) in self.spliced(data).into_iter().enumerate() {
                    if at % 2 == 0 {
                        tasks.push(Task::Code(datum));
                        continue;
                    }
                    for step in self.alternatives(datum) {
                        self.step_form(step);
                        tasks.push(self.thread_step(step, first));
                    }
                }
            }
            F::Member | F::Members => {
                let members = if form == F::Member { 1 } else { usize::MAX };
                for member in data.by_ref().take(members) {
                    self.no_form(member);
                    let mut parts = member.list().map(|list| self.data(list));
                    if let Some(name) = parts.as_mut().map_or(Some(member), Iterator::next) {
                        self.mark_all(name, MarkRole::Word);
                    }
                    tasks.extend(parts.map(Task::Codes));
                }
                tasks.push(Task::Codes(data));
            }
            F::Catch => {
                tasks.extend(data.next().map(Task::Code));
                tasks.extend(data.next().map(|name| Task::Bind(name, Pattern::Name)));
                tasks.push(Task::Codes(data));
            }
            F::Tabled => {
                let (parameters, template) = (data.next(), data.next());
                tasks.extend(parameters.map(|parameters| Task::Bind(parameters, Pattern::Destructuring)));
                tasks.extend(template.map(Task::Code));
                tasks.push(Task::Unbind(count));
                let names = self.inside(parameters);
                let are_quoted = names.iter().map(|name| self.is_quoted_in(self.source(*name), template));
                let are_quoted: Vec<bool> = are_quoted.collect();
                let columns = are_quoted.iter().copied().cycle();
                for (datum, is_quoted) in data.by_ref().zip(columns) {
                    if is_quoted {
                        self.no_form(datum);
                    }
                    tasks.push(if is_quoted { Task::Quoted(datum) } else { Task::Code(datum) });
                }
                tasks.push(Task::Codes(data));
            }
            F::Declarations => tasks.extend(data.map(|name| Task::Use(name, UseKind::Export))),
            F::Fn => {
                if let Some(name) = data.clone().next().filter(|name| self.symbol(*name).is_some()) {
                    data.next();
                    // At top level, a function of Fennel is a definition if it has a name.
                    match self.is_at_top() && self.dialect.knows_definer("fn") {
                        true => self.definition(Some(name)),
                        false => self.bind_name(name, false),
                    }
                }
                self.arities(&mut tasks, data);
            }
            F::FunctionsRec => {
                let functions = data.next().and_then(Datum::list).map_or_else(Vec::new, |list| self.spread(list));
                let functions: Vec<ListId> = functions.into_iter().filter_map(Datum::list).collect();
                for name in functions.iter().filter_map(|&list| tree.data(list).next()) {
                    self.bind_name(name, false);
                }
                let inner = self.local_count();
                for list in functions {
                    self.arities(&mut tasks, self.data(list).skipping(1));
                    tasks.push(Task::Unbind(inner));
                }
                tasks.push(Task::Codes(data));
            }
            F::Function | F::Macro => {
                let mut name = data.next();
                // Hy has `:async` and decorators before the name.
                while let Some(before) = name.filter(|one| self.source(*one).starts_with(['[', ':'])) {
                    tasks.push(Task::Code(before));
                    name = data.next();
                }
                self.definition(name);
                self.arities(&mut tasks, data);
            }
            F::Variable | F::Test => {
                self.definition(data.next());
                tasks.push(Task::Codes(data));
            }
            F::Multimethod => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Method)));
                tasks.extend(data.next().map(Task::Code));
                // The method's function can have a name of its own.
                if let Some(name) = data.clone().next().filter(|name| self.symbol(*name).is_some()) {
                    data.next();
                    self.bind_name(name, false);
                }
                self.arities(&mut tasks, data);
            }
            F::Protocol => {
                self.definition(data.next());
                for mut method in data.filter_map(Datum::list).map(|list| tree.data(list)) {
                    self.definition(method.next());
                    // `(area :- Num [this unit :- Unit])`
                    let mut is_type = false;
                    let parts = method.flat_map(|part| self.parameters_in(part)).collect::<Vec<_>>();
                    for part in parts {
                        match is_type {
                            true => tasks.push(Task::Code(part)),
                            false => self.mark_all(part, MarkRole::Local),
                        }
                        is_type = self.source(part) == ":-";
                    }
                }
            }
            F::Interface => {
                self.definition(data.next());
                for method in data.filter_map(Datum::list).flat_map(|list| tree.data(list)) {
                    let parameters = method.list().into_iter().flat_map(|list| tree.data(list));
                    for typed in parameters.chain([method]) {
                        self.hints(typed);
                        self.mark_all(typed, MarkRole::Local);
                    }
                }
            }
            F::Methods => {
                self.definition(data.next());
                let fields = data.next();
                if let Some(taken) = fields.filter(|fields| self.is_taken(*fields)) {
                    let is_all = self.is_spliced(taken);
                    self.learns(taken, |role| {
                        role.has_methods |= is_all;
                        role.first_binds |= is_all;
                        role.binds |= !is_all;
                    });
                }
                let fields = fields.map_or_else(Vec::new, |fields| self.alternatives(fields));
                let fields = fields.into_iter().filter_map(Datum::list).flat_map(|list| self.spread(list));
                let fields = fields.flat_map(|field| self.alternatives(field));
                let mut is_type = false;
                for field in fields.collect::<Vec<_>>() {
                    // `[name :- Type]`
                    if is_type {
                        tasks.push(Task::Code(field));
                    } else {
                        self.hints(field);
                        self.bind_name(field, false);
                    }
                    is_type = self.source(field) == ":-";
                }
                self.methods(&mut tasks, data, None);
            }
            F::Implementation(skipped) => {
                tasks.extend(data.by_ref().take(usize::from(skipped)).map(Task::Code));
                self.methods(&mut tasks, data, None);
            }
            F::ExtendProtocol => {
                let protocol = data.next();
                tasks.extend(protocol.map(Task::Code));
                self.methods(&mut tasks, data, protocol);
            }
            F::Proxy => {
                tasks.extend(data.by_ref().take(2).map(Task::Code));
                let methods: Vec<ListId> = data.filter_map(Datum::list).collect();
                self.bind_unwritten("this", &methods);
                let inner = self.local_count();
                for method in methods {
                    self.arities(&mut tasks, self.data(method).skipping(1));
                    tasks.push(Task::Unbind(inner));
                }
            }
            _ => return false,
        }
        if !std::mem::take(&mut self.is_open) {
            tasks.push(Task::Unbind(count));
        }
        self.next(tasks);
        true
    }

    /// The datum is a form that binds names for its last argument.
    fn binds_for_last(&self, datum: Datum) -> bool {
        use SpecialForm as F;
        let list = datum.list().filter(|_| datum.is_bare() && self.opener(datum) == "(");
        let name = list.and_then(|list| self.data(list).next()).and_then(|head| self.symbol(head));
        let Some(name) = name.filter(|name| !self.is_local(name, true)) else { return false };
        matches!(
            self.dialect.special_form(&canonical_head(self.dialect, name)),
            Some(F::LetVector | F::LetThen | F::Comprehension | F::Fn | F::FunctionsRec)
        )
    }

    /// The template has the name only in quoted data, which get what stands for it.
    fn is_quoted_in(&self, name: &str, template: Option<Datum>) -> bool {
        let mut is_quoted = false;
        let mut waiting: Vec<(Datum, bool)> = template.map(|template| (template, false)).into_iter().collect();
        while let Some((datum, is_inside)) = waiting.pop() {
            let is_inside = is_inside || self.is_prefixed(datum, Prefix::Quote);
            let Some(list) = datum.list() else {
                if self.source(datum) == name {
                    if !is_inside {
                        return false;
                    }
                    is_quoted = true;
                }
                continue;
            };
            let head = self.data(list).next().filter(|_| self.opener(datum) == "(");
            let is_inside = is_inside || head.is_some_and(|head| self.source(head) == "quote");
            waiting.extend(self.data(list).map(|inner| (inner, is_inside)));
        }
        is_quoted
    }

    // Definitions.

    /// Notes the definition of a name, and walks over its metadata.
    fn definition(&mut self, name: Option<Datum>) {
        if self.rules.has_inner_definitions && !self.is_at_top() {
            return name.into_iter().for_each(|name| self.bind(name, Pattern::Destructuring));
        }
        if let Some(pattern) = name.filter(|name| self.rules.has_inner_definitions && name.list().is_some()) {
            return self.names(pattern).into_iter().for_each(|name| self.use_of(name, UseKind::Definition));
        }
        let is_spliced = name.is_some_and(|name| self.opener(name) == "#?@(");
        for name in name.map_or_else(Vec::new, |name| self.alternatives(name)) {
            // `#?@(:clj [^Boolean name] :cljs [^boolean name])`
            let first = name.list().filter(|_| is_spliced).and_then(|list| self.data(list).next());
            let name = first.unwrap_or(name);
            self.hints(name);
            self.use_of(name, UseKind::Definition);
        }
    }

    /// `[parameters] code…`, or arities in lists; a docstring and a map can be before them.
    fn arities(&self, tasks: &mut Vec<Task<'t>>, mut data: Data<'t>) {
        let mut is_type = false;
        while let Some(datum) = data.next() {
            if self.is_vector(datum) && !is_type {
                tasks.extend([Task::Bind(datum, Pattern::Destructuring), Task::Body(data)]);
                break;
            }
            // `name :- Type [parameters]`
            is_type = self.source(datum) == ":-";
            tasks.push(Task::Code(datum));
        }
    }

    /// The data of a vector of parameters, or the datum, if it is none.
    fn parameters_in(&self, datum: Datum) -> Vec<Datum> {
        let list = datum.list().filter(|_| self.is_vector(datum));
        list.map_or_else(|| vec![datum], |list| self.data(list).collect())
    }

    /// Names of protocols or types, each followed by its methods. They belong to `protocol`, or without it to the name
    /// before them.
    pub(crate) fn methods(
        &mut self,
        tasks: &mut Vec<Task<'t>>,
        data: impl Iterator<Item = Datum>,
        protocol: Option<Datum>,
    ) {
        let inner = self.local_count();
        let mut owner = protocol;
        let mut waiting: Vec<Datum> = data.collect();
        waiting.reverse();
        while let Some(datum) = waiting.pop() {
            if self.opener(datum).starts_with("#?") {
                let alternatives = self.alternatives(datum).into_iter().rev();
                let is_spread = self.opener(datum) == "#?@(";
                for one in alternatives {
                    match one.list().filter(|_| is_spread) {
                        Some(list) => waiting.extend(self.data(list).collect::<Vec<_>>().into_iter().rev()),
                        None => waiting.push(one),
                    }
                }
                continue;
            }
            if self.is_spliced(datum) {
                self.learns(datum, |role| role.has_methods = true);
                continue;
            }
            let Some(list) = datum.list().filter(|_| self.opener(datum) == "(") else {
                owner = protocol.or(Some(datum));
                tasks.push(Task::Code(datum));
                continue;
            };
            let mut method = self.data(list);
            if let (Some(name), Some(owner)) = (method.next().filter(|name| self.symbol(*name).is_some()), owner) {
                self.note_method(self.tree.core_span(name), self.tree.core_span(owner));
            }
            self.arities(tasks, method);
            tasks.push(Task::Unbind(inner));
        }
    }

    // Destructuring.

    /// Binds the names in `[a & rest :as all]` and `{a :a :keys [b] :or {b default} :as all}`, at any depth.
    pub(crate) fn destructure(&mut self, datum: Datum) {
        self.hints(datum);
        let Some(list) = datum.list() else { return self.bind_name(datum, false) };
        let mut tasks = Vec::new();
        if self.opener(datum).starts_with("#?") {
            tasks.extend(self.alternatives(datum).into_iter().map(|one| Task::Bind(one, Pattern::Destructuring)));
        } else if self.tree.kind(datum.core) == TokenKind::OpenBrace {
            self.destructure_map(&mut tasks, list);
        } else {
            let mut is_code = false;
            for inner in self.spread(list) {
                // `[name :- Type]`, `[name :guard test]`
                tasks.push(if is_code { Task::Code(inner) } else { Task::Bind(inner, Pattern::Destructuring) });
                is_code = BEFORE_CODE.contains(&self.source(inner));
            }
        }
        self.next(tasks);
    }

    fn destructure_map(&mut self, tasks: &mut Vec<Task<'t>>, list: ListId) {
        let mut defaults = Vec::new();
        for (key, value) in self.pairs(list) {
            let word = self.source(key);
            match value.list().filter(|_| word.starts_with(':')) {
                Some(list) if word == ":or" => {
                    for (name, default) in self.pairs(list) {
                        self.mark_all(name, MarkRole::Local);
                        defaults.push(Task::Code(default));
                    }
                }
                // `:keys [a b/c :d]`
                Some(list) => {
                    for name in self.spread(list) {
                        let name = self.source(name).trim_start_matches(':');
                        self.bind_text(name.rsplit('/').next().unwrap_or(name), false);
                    }
                }
                None if word.starts_with(':') => tasks.push(Task::Bind(value, Pattern::Name)),
                None => tasks.extend([Task::Code(value), Task::Bind(key, Pattern::Destructuring)]),
            }
        }
        tasks.extend(defaults);
    }
}

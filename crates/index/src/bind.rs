//! Forms that bind names: which names they bind, and which code sees them.

use lispwright_syntax::name::{canonical_head, parameter_word};
use lispwright_syntax::{Data, Datum, SpecialForm};

use crate::data::Prefix;
use crate::dialects::let_takes_values;
use crate::facts::{MarkRole, UseKind};
use crate::walk::{Task, Walk};

/// The notation in which names are bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// A symbol.
    Name,
    /// An ordinary lambda list, with default values.
    Parameters,
    /// The same with specializers: `(name class)`.
    Specialized,
    /// The same with nested lists: of macros and `destructuring-bind`.
    Nested,
    /// Clojure's vectors and maps.
    Destructuring,
    /// A pattern of `match`.
    Match,
    /// Every symbol in it, at any depth.
    Atoms,
    /// The same, except for the first of a list: a pattern of `syntax-rules`.
    Keyword,
    /// Every symbol in a pattern of `syntax-case` for the macro that is learned.
    Syntax,
    /// A pattern of `pcase`.
    Pcase,
    /// A symbol that is a parameter.
    Parameter,
    /// What a macro of the project gets to bind: a name, a list of parameters, or a list of bindings.
    Guessed {
        /// It is one of the elements of such a list.
        is_part: bool,
        /// The macro may also do something else with it.
        is_doubtful: bool,
    },
}

impl Pattern {
    /// What a macro gets to bind, all of it.
    pub(crate) const GUESSED: Self = Self::Guessed { is_part: false, is_doubtful: false };

    /// The same, if the macro may also do something else with it.
    const DOUBTFUL: Self = Self::Guessed { is_part: false, is_doubtful: true };
}

impl<'t> Walk<'t> {
    /// Binds the names in a pattern, and evaluates the default values there.
    pub(crate) fn bind(&mut self, datum: Datum, pattern: Pattern) {
        if matches!(pattern, Pattern::Keyword | Pattern::Syntax) && self.learns_pattern() {
            return self.learn_syntax(datum);
        }
        if self.learning.is_some() && self.learns(datum, |role| role.binds = true) {
            return;
        }
        // `#.(append names others)`
        if self.is_prefixed(datum, Prefix::Evaluated) {
            return self.next([Task::Code(datum)]);
        }
        self.no_form(datum);
        match pattern {
            Pattern::Destructuring => return self.destructure(datum),
            Pattern::Pcase => return self.pcase(datum),
            Pattern::Match => return (self.rules.match_pattern)(self, datum),
            Pattern::Guessed { is_part, is_doubtful } => return self.bind_guessed(datum, is_part, is_doubtful),
            Pattern::Atoms | Pattern::Keyword | Pattern::Syntax => {
                return self.bind_atoms(datum, pattern == Pattern::Keyword);
            }
            _ => {}
        }
        let Some(list) = datum.list() else {
            return if pattern == Pattern::Parameter {
                self.bind_parameter(datum)
            } else {
                self.bind_name(datum, false)
            };
        };
        let data = self.data(list);
        let is_parameters = matches!(pattern, Pattern::Parameters | Pattern::Specialized);
        let inner_name = if is_parameters { Pattern::Parameter } else { Pattern::Name };
        match pattern {
            Pattern::Name | Pattern::Parameters | Pattern::Specialized | Pattern::Nested => {
                let mut tasks = Vec::new();
                let mut optional = false;
                for datum in data {
                    let Some(inner) = datum.list() else {
                        optional |= makes_optional(parameter_word(self.source(datum)));
                        tasks.push(Task::Bind(datum, inner_name));
                        continue;
                    };
                    self.no_form(datum);
                    let mut inner = self.data(inner);
                    match (pattern, optional) {
                        (Pattern::Specialized, false) => {
                            tasks.extend(inner.next().map(|name| Task::Bind(name, Pattern::Name)));
                            tasks.extend(inner.next().map(|class| match class.list() {
                                Some(_) => Task::Code(class),
                                None => Task::Use(class, UseKind::Method),
                            }));
                        }
                        (Pattern::Nested, false) => tasks.push(Task::Bind(datum, Pattern::Nested)),
                        _ => {
                            // `((:key name) default given)` and `(name default given)`
                            let name = inner.next();
                            name.into_iter().for_each(|name| self.no_form(name));
                            let inside = name.and_then(Datum::list).and_then(|list| self.data(list).nth(1)).or(name);
                            tasks.extend(inner.next().map(Task::Code));
                            tasks.extend(inside.map(|name| Task::Bind(name, pattern)));
                            tasks.extend(inner.next().map(|given| Task::Bind(given, Pattern::Name)));
                        }
                    }
                }
                self.next(tasks);
            }
            _ => {}
        }
    }

    /// Binds what a macro of the project gets to bind. What does not look like a list of parameters or bindings is code.
    fn bind_guessed(&mut self, datum: Datum, is_part: bool, is_doubtful: bool) {
        let Some(list) = datum.list() else {
            return if is_doubtful { self.bind_doubtful(datum) } else { self.bind_parameter(datum) };
        };
        let name = |name: Datum, is_doubtful: bool| match name.list() {
            _ if is_doubtful => Task::Bind(name, Pattern::DOUBTFUL),
            Some(_) => Task::Bind(name, Pattern::Nested),
            None => Task::Bind(name, Pattern::Name),
        };
        // `(name (call …))` is one binding, or a parameter and another with its default value.
        let parts: Vec<Datum> = if is_part { vec![datum] } else { self.data(list).collect() };
        let is_single = matches!(parts[..], [name, value] if name.list().is_none() && value.list().is_some());
        let mut tasks = Vec::new();
        let mut optional = false;
        for datum in parts {
            let Some(inner) = datum.list() else {
                optional |= makes_optional(parameter_word(self.source(datum)));
                tasks.push(Task::Bind(datum, if is_doubtful { Pattern::DOUBTFUL } else { Pattern::Parameter }));
                continue;
            };
            let is_doubtful = is_doubtful || (is_single && !optional);
            let parts: Vec<Datum> = self.data(inner).collect();
            let [first, rest @ ..] = parts.as_slice() else { continue };
            // `((:key name) default given)` and `(name default given)`
            let inside = first.list().filter(|_| optional).and_then(|list| self.data(list).nth(1)).unwrap_or(*first);
            match rest {
                [default, given] if optional => {
                    let names = [name(inside, is_doubtful), name(*given, is_doubtful)];
                    tasks.extend([Task::Code(*default)].into_iter().chain(names));
                }
                [] | [_] => {
                    tasks.extend(rest.iter().copied().map(Task::Code));
                    tasks.push(name(inside, is_doubtful));
                }
                // No binding: `(let (name) code…)`
                _ if self.is_special_form(*first) => tasks.push(Task::Code(datum)),
                // No known shape: lists are code, and symbols may be anything.
                _ => {
                    let (lists, symbols): (Vec<Datum>, Vec<Datum>) = rest.iter().partition(|one| one.list().is_some());
                    tasks.extend(lists.into_iter().map(Task::Code));
                    tasks.push(name(inside, is_doubtful));
                    tasks.extend(symbols.into_iter().map(|one| name(one, true)));
                }
            }
        }
        self.next(tasks);
    }

    /// The datum is the name of a special form.
    fn is_special_form(&self, datum: Datum) -> bool {
        let name = self.symbol(datum).filter(|_| datum.is_bare());
        name.is_some_and(|name| self.dialect.special_form(&canonical_head(self.dialect, name)).is_some())
    }

    /// Forms that bind names for their bodies.
    pub(crate) fn binding(&mut self, form: SpecialForm, mut data: Data<'t>) {
        use SpecialForm as F;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        let lists = |walk: &Self, datum: Option<Datum>| -> Vec<Datum> {
            datum.and_then(Datum::list).into_iter().flat_map(|list| walk.data(list)).collect()
        };
        match form {
            F::Let | F::LetStar | F::LetRec | F::SymbolMacros | F::LetValues => {
                let mut first = data.next();
                let is_argument =
                    first.is_some_and(|first| !first.is_bare() || self.is_binding_list(first, form, &data));
                if let Some(first) = first.filter(|_| is_argument) {
                    self.learns(first, |role| role.binds = true);
                }
                // A named let binds a function.
                if let Some(name) = first.filter(|name| !is_argument && self.symbol(*name).is_some()) {
                    first = data.next();
                    tasks.push(Task::Bind(name, Pattern::Name));
                }
                self.no_forms(first);
                let (made, bindings): (Vec<Datum>, Vec<Datum>) =
                    lists(self, first).into_iter().partition(|one| one.list().is_some() && self.is_taken(*one));
                // `(let (,(binding-of form)) …)`
                for &one in &made {
                    self.learns(one, |role| role.binds = true);
                }
                tasks.extend(made.into_iter().map(Task::Code));
                let parts: Vec<(Datum, Vec<Datum>)> = bindings
                    .into_iter()
                    .filter_map(|binding| {
                        let mut parts = lists(self, Some(binding)).into_iter();
                        let name = if binding.list().is_some() { parts.next()? } else { binding };
                        Some((name, parts.collect()))
                    })
                    .collect();
                let parts = if form == F::LetValues { parts } else { self.apart(parts) };
                let pattern = if form == F::LetValues { Pattern::Nested } else { Pattern::Name };
                let bind = |walk: &Self, name: Datum, values: &[Datum]| {
                    // `(and-let* ((test)) …)`, or what a macro of the project with the name of the form takes.
                    let is_code = pattern == Pattern::Name && name.list().is_some();
                    let plain = if is_code { Task::Code(name) } else { Task::Bind(name, pattern) };
                    walk.computed(name, values).unwrap_or(plain)
                };
                let names = || parts.iter().map(|(name, values)| bind(self, *name, values));
                let values = || parts.iter().flat_map(|(_, values)| values.iter().copied().map(Task::Code));
                match form {
                    F::LetStar => {
                        for (name, values) in &parts {
                            tasks.extend(values.iter().copied().map(Task::Code));
                            tasks.push(bind(self, *name, values));
                            tasks.extend(self.rebound(*name));
                        }
                    }
                    // An expansion stands in the body, where all of the names are symbol macros.
                    F::LetRec | F::SymbolMacros => tasks.extend(names().chain(values())),
                    _ => {
                        tasks.extend(values());
                        tasks.extend(names());
                    }
                }
                if form == F::Let {
                    tasks.extend(parts.iter().filter_map(|(name, _)| self.rebound(*name)));
                }
                tasks.push(Task::Body(data));
            }
            F::Lambda => {
                tasks.extend(data.next().map(|parameters| Task::Bind(parameters, Pattern::Parameters)));
                tasks.push(Task::Body(data));
            }
            F::CaseLambda => {
                for clause in data {
                    self.no_form(clause);
                    let Some(clause) = clause.list() else { continue };
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(|parameters| Task::Bind(parameters, Pattern::Parameters)));
                    tasks.extend([Task::Body(clause), Task::Unbind(count)]);
                }
            }
            F::Functions | F::FunctionsRec | F::Macros => {
                self.no_forms(data.clone().next());
                let functions: Vec<Vec<Datum>> =
                    lists(self, data.next()).into_iter().map(|one| lists(self, Some(one))).collect();
                let names = functions.iter().filter_map(|parts| parts.first().copied());
                let names: Vec<Task<'t>> = names.map(Task::BindFunction).collect();
                let outer = if form == F::FunctionsRec { count + names.len() } else { count };
                if form == F::FunctionsRec {
                    tasks.extend(names.clone());
                }
                for parts in &functions {
                    let pattern = if form == F::Macros { Pattern::Nested } else { Pattern::Parameters };
                    tasks.extend(parts.first().copied().map(Task::BindLabel));
                    tasks.extend(parts.get(1).map(|parameters| Task::Bind(*parameters, pattern)));
                    tasks.extend(parts.iter().skip(2).copied().map(Task::Code));
                    tasks.push(Task::Unbind(outer));
                }
                if form != F::FunctionsRec {
                    tasks.extend(names);
                }
                tasks.push(Task::Codes(data));
            }
            F::Each | F::Iterator => {
                data.clone().next().into_iter().for_each(|spec| self.no_form(spec));
                let mut parts = lists(self, data.next()).into_iter();
                let name = parts.next();
                name.into_iter().for_each(|name| self.no_form(name));
                let bound = name.map(|name| match form {
                    F::Iterator => Task::BindFunction(name),
                    _ => self.bind_elements(name, parts.as_slice().first().copied()),
                });
                tasks.extend(parts.map(Task::Code));
                tasks.extend(bound);
                tasks.push(Task::Codes(data));
            }
            F::Do | F::DoStar => {
                self.no_forms(data.clone().next());
                data.clone().nth(1).into_iter().for_each(|end| self.no_form(end));
                let parts: Vec<Vec<Datum>> = lists(self, data.next())
                    .into_iter()
                    .map(|one| if one.list().is_some() { lists(self, Some(one)) } else { vec![one] })
                    .collect();
                let names = parts.iter().filter_map(|part| part.first()).map(|name| Task::Bind(*name, Pattern::Name));
                let values = parts.iter().filter_map(|part| part.get(1).copied()).map(Task::Code);
                if form == F::Do {
                    tasks.extend(values.chain(names));
                } else {
                    for part in &parts {
                        tasks.extend(part.get(1).copied().map(Task::Code));
                        tasks.extend(part.first().map(|name| Task::Bind(*name, Pattern::Name)));
                    }
                }
                tasks.extend(parts.iter().filter_map(|part| part.get(2).copied()).map(Task::Code));
                tasks.extend(data.next().and_then(Datum::list).map(|end| Task::Codes(self.data(end))));
                tasks.push(Task::Codes(data));
            }
            F::Bind => {
                let names = data.next();
                let value = data.next();
                tasks.extend(value.map(Task::Code));
                let computed = names.and_then(|names| self.computed(names, value.as_slice()));
                tasks.extend(computed.or(names.map(|names| Task::Bind(names, Pattern::Nested))));
                tasks.push(Task::Body(data));
            }
            F::Slots | F::Accessors => {
                self.no_forms(data.clone().next());
                let slots = lists(self, data.next());
                tasks.extend(data.next().map(Task::Code));
                for slot in slots {
                    let parts = lists(self, Some(slot));
                    if let (F::Accessors, [name, accessor, ..]) = (form, &parts[..]) {
                        self.assigns_through(*name, *accessor, &data);
                    }
                    if form == F::Accessors {
                        if let Some(&accessor) = parts.get(1) {
                            self.mark_all(accessor, MarkRole::Function);
                        }
                        tasks.extend(parts.get(1).map(|accessor| Task::Use(*accessor, UseKind::Call)));
                    }
                    if let (F::Slots, Some(&slot)) = (form, parts.get(1)) {
                        self.mark_all(slot, MarkRole::Slot);
                    }
                    tasks.push(Task::Bind(parts.first().copied().unwrap_or(slot), Pattern::Name));
                }
                tasks.push(Task::Codes(data));
            }
            _ => tasks.push(Task::Codes(data)),
        }
        tasks.push(Task::Unbind(count));
        self.next(tasks);
    }

    /// Bindings of several names, as SRFI 71 has them, as one for each name: `(name… value)` and
    /// `((values name… . rest) value)`. The value comes first, beside the first name.
    fn apart(&mut self, bindings: Vec<(Datum, Vec<Datum>)>) -> Vec<(Datum, Vec<Datum>)> {
        let of_values = |walk: &Self, name: Datum| {
            let mut inner = name.list().filter(|_| name.is_bare()).map(|list| walk.data(list))?;
            (walk.source(inner.next()?) == "values").then(|| inner.collect::<Vec<Datum>>())
        };
        let is_several = |walk: &Self, name: Datum, values: &[Datum]| match values {
            [colon, _, ..] => name.list().is_none() && walk.source(*colon) != ":",
            values => !values.is_empty() && of_values(walk, name).is_some(),
        };
        if !bindings.iter().any(|(name, values)| is_several(self, *name, values))
            || !let_takes_values(self.dialect, self.text)
        {
            return bindings;
        }
        let mut found = Vec::new();
        for (name, mut values) in bindings {
            if !is_several(self, name, &values) {
                found.push((name, values));
                continue;
            }
            let names = match of_values(self, name) {
                Some(names) => {
                    self.no_form(name);
                    names.into_iter().filter(|name| self.source(*name) != ".").collect()
                }
                None => {
                    let value = values.split_off(values.len() - 1);
                    let names = std::mem::replace(&mut values, value);
                    [name].into_iter().chain(names).collect::<Vec<Datum>>()
                }
            };
            let mut values = Some(values);
            found.extend(names.into_iter().map(|name| (name, values.take().unwrap_or_default())));
        }
        found
    }

    /// A variable of a macro stands for the list of bindings, not for the name of a loop.
    fn is_binding_list(&self, first: Datum, form: SpecialForm, rest: &Data<'t>) -> bool {
        if first.list().is_some() || !self.is_taken(first) {
            return false;
        }
        let mut inner =
            rest.clone().next().and_then(Datum::list).into_iter().flat_map(|list| self.data(list)).peekable();
        let are_bindings = inner.peek().is_some_and(|binding| binding.list().is_some())
            && inner.all(|binding| binding.list().is_some() || self.source(binding) == "...");
        form != SpecialForm::Let || !are_bindings
    }

    /// Walks over `(name qualifiers… :order form …)`, a group of methods of a method combination: CLHS
    /// `define-method-combination`. A qualifier that is a symbol, other than `*`, is a predicate.
    fn method_group(&mut self, group: &[Datum], tasks: &mut Vec<Task<'t>>) {
        let Some((name, rest)) = group.split_first() else { return };
        tasks.push(Task::Bind(*name, Pattern::Name));
        let options = rest.iter().position(|one| self.source(*one).starts_with(':')).unwrap_or(rest.len());
        for qualifier in &rest[..options] {
            let is_predicate = qualifier.list().is_none() && self.source(*qualifier) != "*";
            match is_predicate {
                true => tasks.push(Task::Named(*qualifier, UseKind::Value)),
                false => self.mark_all(*qualifier, MarkRole::Word),
            }
        }
        tasks.extend(rest[options..].chunks(2).filter_map(|pair| pair.get(1)).map(|value| Task::Code(*value)));
    }

    /// Forms that define names. False if this form does not.
    pub(crate) fn defining(&mut self, form: SpecialForm, mut data: Data<'t>) -> bool {
        use SpecialForm as F;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        let lists = |walk: &Self, datum: Option<Datum>| -> Vec<Datum> {
            datum.and_then(Datum::list).into_iter().flat_map(|list| walk.data(list)).collect()
        };
        match form {
            F::Function | F::Macro => {
                let name = data.next();
                tasks.extend(name.map(|name| Task::Use(name, UseKind::Definition)));
                let pattern = if form == F::Macro { Pattern::Nested } else { Pattern::Parameters };
                tasks.extend(data.next().map(|parameters| Task::Bind(parameters, pattern)));
                tasks.push(Task::Codes(data));
            }
            F::SetfDefinition => {
                tasks.extend(data.next().map(|name| Task::Named(name, UseKind::Method)));
                match data.next() {
                    Some(parameters) if parameters.list().is_some() => {
                        tasks.push(Task::Bind(parameters, Pattern::Parameters));
                        tasks.extend(data.next().map(|stores| Task::Bind(stores, Pattern::Name)));
                        tasks.push(Task::Codes(data));
                    }
                    function => tasks.extend(function.map(|name| Task::Named(name, UseKind::Value))),
                }
            }
            F::ModifyMacro => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Definition)));
                tasks.extend(data.next().map(|parameters| Task::Bind(parameters, Pattern::Parameters)));
                tasks.extend(data.next().map(|name| Task::Named(name, UseKind::Call)));
            }
            F::MethodCombination => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Definition)));
                match data.clone().next().filter(|parameters| parameters.list().is_some()) {
                    Some(parameters) => {
                        data.next();
                        tasks.push(Task::Bind(parameters, Pattern::Parameters));
                        self.no_forms(data.clone().next());
                        for group in lists(self, data.next()) {
                            self.no_form(group);
                            self.method_group(&lists(self, Some(group)), &mut tasks);
                        }
                        let is_option = |datum: &Datum| {
                            lists(self, Some(*datum)).first().is_some_and(|word| self.source(*word).starts_with(':'))
                        };
                        let options: Vec<Datum> = data.clone().take_while(is_option).collect();
                        for option in options {
                            self.no_form(option);
                            data.next();
                            for name in lists(self, Some(option)).into_iter().skip(1) {
                                tasks.push(Task::Bind(name, Pattern::Name));
                            }
                        }
                        tasks.push(Task::Codes(data));
                    }
                    None => {
                        // `:operator name`, with words whose values are data
                        let words: Vec<Datum> = data.collect();
                        for pair in words.chunks(2).filter(|pair| pair.len() == 2) {
                            let is_operator = self.source(pair[0]).eq_ignore_ascii_case(":operator");
                            tasks.extend(is_operator.then_some(Task::Named(pair[1], UseKind::Value)));
                        }
                    }
                }
            }
            F::Method => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Method)));
                for datum in data.by_ref() {
                    if datum.list().is_some() {
                        tasks.push(Task::Bind(datum, Pattern::Specialized));
                        break;
                    }
                }
                tasks.push(Task::Codes(data));
            }
            F::Generic => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Definition)));
                self.no_forms(data.clone().next());
                data.next().into_iter().for_each(|parameters| self.mark_all(parameters, MarkRole::Local));
                for option in data.filter_map(Datum::list) {
                    let mut option = self.data(option);
                    let word = option.next().map(|word| self.source(word).to_ascii_lowercase()).unwrap_or_default();
                    match word.as_str() {
                        "declare" => self.declare_form(option.clone()),
                        ":generic-function-class" | ":method-class" => {
                            tasks.extend(option.clone().map(|class| Task::Named(class, UseKind::Value)));
                        }
                        _ => {}
                    }
                    let is_method = word == ":method";
                    let parameters = option.by_ref().filter(|_| is_method).find(|datum| datum.list().is_some());
                    tasks.extend(parameters.map(|parameters| Task::Bind(parameters, Pattern::Specialized)));
                    tasks.extend(parameters.map(|_| Task::Codes(option)));
                    tasks.push(Task::Unbind(count));
                }
            }
            F::Variable => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Definition)));
                tasks.push(Task::Codes(data));
            }
            F::Class => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Definition)));
                data.clone().next().into_iter().for_each(|above| self.no_form(above));
                let above = data.next().and_then(Datum::list).into_iter().flat_map(|list| self.data(list));
                tasks.extend(above.map(|class| Task::Named(class, UseKind::Value)));
                for slot in lists(self, data.next()) {
                    self.slot(&mut tasks, slot);
                }
                for option in data.filter_map(Datum::list) {
                    let mut option = self.data(option);
                    option.next();
                    tasks.push(Task::Codes(option.skipping(0)));
                }
            }
            F::Structure => {
                let name = data.next();
                name.into_iter().for_each(|header| self.no_form(header));
                let options: Vec<Datum> =
                    name.and_then(Datum::list).into_iter().flat_map(|list| self.data(list)).collect();
                tasks.extend(options.first().copied().or(name).map(|name| Task::Use(name, UseKind::Definition)));
                for option in options.iter().skip(1).filter_map(|option| option.list()) {
                    let mut option = self.data(option);
                    let word = option.next().map(|word| self.source(word).to_ascii_lowercase());
                    match (word.as_deref(), option.next()) {
                        (Some(":include"), Some(other)) => tasks.push(Task::Named(other, UseKind::Value)),
                        (Some(":constructor" | ":copier" | ":predicate"), Some(name)) => {
                            tasks.push(Task::Use(name, UseKind::Definition));
                            let parameters = option.map(|parameters| Task::Bind(parameters, Pattern::Parameters));
                            tasks.extend(parameters.chain([Task::Unbind(count)]));
                        }
                        (Some(":conc-name"), Some(prefix)) => self.mark_all(prefix, MarkRole::Word),
                        (Some(":print-function" | ":print-object"), Some(printer)) => tasks.push(Task::Code(printer)),
                        _ => {}
                    }
                }
                for slot in data {
                    let mut parts = slot.list().map(|list| self.data(list));
                    let name = parts.as_mut().map_or(Some(slot), Iterator::next);
                    if let Some(name) = name {
                        self.mark_all(name, MarkRole::Slot);
                    }
                    let Some(mut options) = parts else { continue };
                    tasks.extend(options.next().map(Task::Code));
                    let options: Vec<Datum> = options.collect();
                    let types =
                        options.chunks_exact(2).filter(|pair| self.source(pair[0]).eq_ignore_ascii_case(":type"));
                    tasks.extend(types.map(|pair| Task::Type(pair[1])));
                }
            }
            F::Test => {
                let name = data.next();
                let inner = name.and_then(Datum::list).and_then(|list| self.data(list).next());
                tasks.extend(inner.or(name).map(|name| Task::Use(name, UseKind::Definition)));
                tasks.push(Task::Codes(data));
            }
            _ => return false,
        }
        tasks.push(Task::Unbind(count));
        self.next(tasks);
        true
    }

    /// The binding of a variable that can be dynamic is a use of it.
    fn rebound(&self, name: Datum) -> Option<Task<'t>> {
        self.rules.binds_dynamically.then_some(Task::Use(name, UseKind::Binding))
    }

    /// A slot of a class with its options.
    fn slot(&mut self, tasks: &mut Vec<Task<'t>>, slot: Datum) {
        let Some(list) = slot.list() else { return self.mark_all(slot, MarkRole::Slot) };
        if let Some(name) = self.data(list).next() {
            self.mark_all(name, MarkRole::Slot);
        }
        let data: Vec<Datum> = self.data(list).skip(1).collect();
        for pair in data.chunks(2) {
            let &[option, value] = pair else { continue };
            match self.source(option).to_ascii_lowercase().as_str() {
                ":initform" | ":default" => tasks.push(Task::Code(value)),
                ":type" => tasks.push(Task::Type(value)),
                ":initarg" => self.mark_all(value, MarkRole::Slot),
                ":reader" | ":writer" | ":accessor" => tasks.push(Task::Use(value, UseKind::Definition)),
                _ => {}
            }
        }
    }
}

/// Lists after the word of a list of parameters have default values, and are no patterns.
fn makes_optional(word: &str) -> bool {
    let required = ["&whole", "&environment", "&rest", "&body"];
    word.starts_with(['&', '#']) && !required.iter().any(|known| word.eq_ignore_ascii_case(known))
}

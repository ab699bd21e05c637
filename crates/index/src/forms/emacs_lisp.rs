//! Forms of Emacs Lisp: conditions that bind, the patterns of `pcase`, places, aliases, modes, advice, declarations.

use lispwright_syntax::{Data, Datum, SpecialForm};

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::facts::{MarkRole, UseKind};
use crate::walk::{Task, Walk};

/// Keywords of `use-package` whose values are names of functions, keys and modes.
const NAME_SECTIONS: &[&str] = &[
    ":hook",
    ":bind",
    ":bind*",
    ":commands",
    ":mode",
    ":interpreter",
    ":magic",
    ":autoload",
    ":bind-keymap",
    ":bind-keymap*",
];

/// Keywords of `use-package` whose values are data.
const DATA_SECTIONS: &[&str] = &[":ensure", ":after", ":diminish", ":delight", ":pin", ":requires", ":functions"];

impl<'t> Walk<'t> {
    /// The first line of a file declares that variables and parameters are lexical.
    pub(crate) fn is_lexical(text: &str) -> bool {
        text.lines()
            .next()
            .is_some_and(|line| line.contains("lexical-binding: t") || line.contains("lexical-binding:t"))
    }

    /// Walks over a form that only Emacs Lisp has. False if this is none of them.
    pub(crate) fn emacs_lisp(&mut self, form: SpecialForm, mut data: Data<'t>) -> bool {
        use SpecialForm as F;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        let bound = |name| [Task::Use(name, UseKind::Binding), Task::Bind(name, Pattern::Name)];
        match form {
            F::Special => {
                let kind = if data.clone().nth(1).is_some() { UseKind::Definition } else { UseKind::Export };
                tasks.extend(data.next().map(|name| Task::Use(name, kind)));
            }
            F::LocalFunctions => {
                self.no_forms(data.clone().next());
                let functions: Vec<_> =
                    self.inside(data.next()).into_iter().map(|one| self.inside(Some(one))).collect();
                for parts in &functions {
                    match &parts[..] {
                        &[_, function] => tasks.push(Task::Code(function)),
                        [_, parameters, code @ ..] => {
                            tasks.push(Task::Bind(*parameters, Pattern::Parameters));
                            tasks.extend(code.iter().copied().map(Task::Code));
                            tasks.push(Task::Unbind(count));
                        }
                        _ => {}
                    }
                }
                tasks.extend(functions.iter().filter_map(|parts| parts.first().copied()).map(Task::BindFunction));
            }
            F::Conditions => {
                let first = data.next();
                first.into_iter().for_each(|list| self.no_form(list));
                let mut bindings = self.inside(first);
                if bindings.len() <= 2 && bindings.first().is_some_and(|one| one.list().is_none()) {
                    bindings = first.into_iter().collect();
                }
                bindings.iter().for_each(|binding| self.no_form(*binding));
                for binding in bindings {
                    match self.inside(Some(binding))[..] {
                        [] => tasks.push(Task::Code(binding)),
                        [test] => tasks.push(Task::Code(test)),
                        [name, value, ..] => {
                            tasks.push(Task::Code(value));
                            tasks.extend(bound(name));
                        }
                    }
                }
            }
            F::NamedLet => {
                let name = data.next();
                self.no_forms(data.clone().next());
                let bindings: Vec<_> = self.inside(data.next()).into_iter().map(|one| self.inside(Some(one))).collect();
                tasks.extend(bindings.iter().filter_map(|binding| binding.get(1).copied()).map(Task::Code));
                tasks.extend(name.map(Task::BindFunction));
                tasks.extend(bindings.iter().filter_map(|binding| binding.first().copied()).flat_map(bound));
            }
            F::PatternLet | F::PatternBind => {
                let first = data.next();
                first.into_iter().for_each(|list| self.no_form(list));
                let bindings = if form == F::PatternLet { self.inside(first) } else { first.into_iter().collect() };
                for binding in bindings {
                    self.no_form(binding);
                    let parts = self.inside(Some(binding));
                    parts.first().into_iter().for_each(|pattern| self.no_form(*pattern));
                    tasks.extend(parts.get(1).copied().map(Task::Code));
                    tasks.extend(parts.first().map(|pattern| Task::Bind(*pattern, Pattern::Pcase)));
                }
            }
            F::PatternLambda => {
                let parameters = self.inside(data.next());
                tasks.extend(parameters.into_iter().map(|pattern| Task::Bind(pattern, Pattern::Pcase)));
            }
            F::Patterns => {
                tasks.extend(data.next().map(Task::Code));
                data.clone().for_each(|clause| self.no_form(clause));
                for clause in data.by_ref().filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(|pattern| Task::Bind(pattern, Pattern::Pcase)));
                    tasks.extend([Task::Codes(clause), Task::Unbind(count)]);
                }
            }
            F::Places => {
                self.no_forms(data.clone().next());
                for binding in self.inside(data.next()) {
                    let parts = self.inside(Some(binding));
                    tasks.extend(parts.iter().skip(1).copied().map(Task::Code));
                    match parts.first() {
                        Some(&place) if place.list().is_none() => tasks.extend(bound(place)),
                        Some(&place) => tasks.push(Task::Code(place)),
                        None => {}
                    }
                }
            }
            F::MacroLet => {
                tasks.extend(data.next().map(|test| Task::Named(test, UseKind::Value)));
                let name = data.next();
                tasks.extend(data.next().map(Task::Code));
                tasks.extend(name.into_iter().flat_map(bound));
            }
            F::Push => {
                tasks.extend(data.next().map(Task::Code));
                tasks.extend(data.next().map(Task::Place));
            }
            F::SetQuoted => tasks.extend(data.next().map(|name| self.named(name, UseKind::Assignment))),
            F::Alias => {
                tasks.extend(data.next().map(|name| self.named(name, UseKind::Definition)));
                tasks.extend(data.next().map(|other| self.named(other, UseKind::Value)));
            }
            F::Declaration => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Export)));
                data.for_each(|datum| self.mark_all(datum, MarkRole::Local));
                return self.then(tasks);
            }
            F::Mode(functions) => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Definition)));
                let functions = data.by_ref().take(usize::from(functions));
                tasks.extend(functions.map(|name| match name.list() {
                    Some(_) => Task::Code(name),
                    None => Task::Use(name, UseKind::Call),
                }));
            }
            F::Advice => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Method)));
                let how = self.inside(data.next());
                tasks.extend(how.get(1).map(|parameters| Task::Bind(*parameters, Pattern::Parameters)));
            }
            F::GenericBody => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Definition)));
                tasks.extend(data.next().map(|parameters| Task::Bind(parameters, Pattern::Specialized)));
                for datum in data.by_ref() {
                    let parts = self.inside(Some(datum));
                    if parts.first().is_some_and(|word| self.source(*word) == ":method") {
                        let list = parts.iter().position(|part| part.list().is_some()).unwrap_or(0);
                        let inner = [Task::Bind(parts[list], Pattern::Specialized)];
                        tasks.extend(inner.into_iter().chain(parts[list + 1..].iter().copied().map(Task::Code)));
                    } else {
                        tasks.push(Task::Code(datum));
                    }
                }
            }
            F::Sections => {
                data.next();
                let mut section = "";
                for datum in data.by_ref() {
                    let word = self.source(datum);
                    if word.starts_with(':') {
                        section = word;
                    } else if NAME_SECTIONS.contains(&section) {
                        tasks.extend(self.atoms(datum).into_iter().map(|name| Task::Named(name, UseKind::Value)));
                    } else if section == ":custom" {
                        let parts = self.inside(Some(datum));
                        tasks.extend(parts.first().map(|name| Task::Use(*name, UseKind::Assignment)));
                        tasks.extend(parts.get(1).copied().map(Task::Code));
                    } else {
                        tasks.push(if DATA_SECTIONS.contains(&section) {
                            Task::Quoted(datum)
                        } else {
                            Task::Code(datum)
                        });
                    }
                }
            }
            _ => return false,
        }
        tasks.extend([Task::Codes(data), Task::Unbind(count)]);
        self.then(tasks)
    }

    pub(crate) fn then(&mut self, tasks: Vec<Task<'t>>) -> bool {
        self.next(tasks);
        true
    }

    /// The data in a list.
    pub(crate) fn inside(&self, datum: Option<Datum>) -> Vec<Datum> {
        datum.and_then(Datum::list).into_iter().flat_map(|list| self.data(list)).collect()
    }

    /// The atoms in a datum, at any depth.
    pub(crate) fn atoms(&self, datum: Datum) -> Vec<Datum> {
        let (mut atoms, mut waiting) = (Vec::new(), vec![datum]);
        while let Some(datum) = waiting.pop() {
            match datum.list() {
                Some(list) => waiting.extend(self.data(list)),
                None => atoms.push(datum),
            }
        }
        atoms
    }

    /// An argument that evaluates to a name: `'name` is a use, anything else is code.
    fn named(&self, datum: Datum, kind: UseKind) -> Task<'t> {
        if datum.list().is_none() && self.is_prefixed(datum, Prefix::Quote) {
            Task::Named(datum, kind)
        } else {
            Task::Code(datum)
        }
    }

    /// Binds the names in a pattern of `pcase` (Elisp manual, "pcase Macro"), and walks over the code in it.
    pub(crate) fn pcase(&mut self, datum: Datum) {
        if self.is_prefixed(datum, Prefix::Quote) {
            return self.next([Task::Quoted(datum)]);
        }
        if self.is_prefixed(datum, Prefix::Template) {
            return self.pattern_template(datum, Pattern::Pcase);
        }
        let Some(list) = datum.list() else {
            if self.source(datum) != "_" {
                self.bind_name(datum, false);
            }
            return;
        };
        let mut data = self.data(list);
        let pattern = |datum| Task::Bind(datum, Pattern::Pcase);
        let named = data.clone().next();
        let head = data.next().map_or("", |head| self.source(head));
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match head {
            "pred" => {
                let negated = data.clone().next().and_then(Datum::list).map(|list| self.data(list));
                match negated.filter(|inner| inner.clone().next().is_some_and(|head| self.source(head) == "not")) {
                    Some(inner) => tasks.extend(inner.skip(1).map(|function| self.called(function))),
                    None => tasks.extend(data.map(|function| self.called(function))),
                }
            }
            "guard" => tasks.push(Task::Codes(data)),
            "app" => {
                tasks.extend(data.next().map(|function| self.called(function)));
                tasks.extend(data.map(pattern));
            }
            "let" => {
                let inner = data.next().map(pattern);
                tasks.extend(data.map(Task::Code).chain(inner));
            }
            "cl-type" | "rx" | "literal" | "quote" => tasks.push(Task::Quoteds(data)),
            "map" => tasks.extend(data.map(|entry| match self.inside(Some(entry))[..] {
                [_, inner, ..] => pattern(inner),
                _ => self.binding_key(entry).unwrap_or_else(|| pattern(entry)),
            })),
            "cl-struct" | "eieio" => {
                // Only a structure has a name.
                let class = if head == "cl-struct" { data.next() } else { None };
                tasks.extend(class.map(|class| Task::Named(class, UseKind::Value)));
                for slot in data {
                    match self.inside(Some(slot))[..] {
                        [_, inner, ..] => tasks.push(pattern(inner)),
                        _ => tasks.push(pattern(slot)),
                    }
                }
            }
            "and" | "or" | "seq" => tasks.extend(data.map(pattern)),
            // A pattern that `pcase-defmacro` defines.
            _ => {
                tasks.extend(named.map(|head| Task::Named(head, UseKind::Value)));
                tasks.extend(data.map(|part| match self.source(part).starts_with(':') {
                    true => self.binding_key(part).unwrap_or_else(|| pattern(part)),
                    false => pattern(part),
                }));
            }
        }
        self.next(tasks);
    }

    /// A key that binds the variable of its name, as in a pattern of `map` (`map.el`): `:key` or `'key`.
    fn binding_key(&self, key: Datum) -> Option<Task<'t>> {
        let text = self.source(key);
        let name = text.strip_prefix(':').or_else(|| self.is_prefixed(key, Prefix::Quote).then_some(text));
        name.filter(|_| key.list().is_none()).map(Task::BindPart)
    }

    /// A function in a pattern: a name, a call without its last argument, or `#'name`.
    pub(crate) fn called(&self, function: Datum) -> Task<'t> {
        let is_name = function.list().is_none() && function.is_bare();
        if is_name { Task::Use(function, UseKind::Call) } else { Task::Code(function) }
    }

    /// Walks over a backquoted pattern, which is data except after a comma.
    pub(crate) fn pattern_template(&mut self, datum: Datum, pattern: Pattern) {
        let mut tasks = Vec::new();
        let mut waiting: Vec<Datum> = datum.list().into_iter().flat_map(|list| self.data(list)).collect();
        waiting.reverse();
        if datum.list().is_none() {
            tasks.push(Task::Quoted(datum));
        }
        while let Some(datum) = waiting.pop() {
            if self.is_prefixed(datum, Prefix::Unquote) {
                tasks.push(Task::Bind(datum, pattern));
            } else if let Some(list) = datum.list() {
                let inner: Vec<Datum> = self.data(list).collect();
                waiting.extend(inner.into_iter().rev());
            } else {
                tasks.push(Task::Quoted(datum));
            }
        }
        self.next(tasks);
    }
}

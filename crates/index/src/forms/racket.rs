//! Code of Racket: functions with keywords and types, loops, patterns of `match`, modules inside of others and what they
//! provide, the command line.

use lispwright_syntax::{Data, Datum, ListId, SpecialForm};

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::facts::{MarkRole, UseKind};
use crate::walk::{Task, Walk};

/// Clauses of a loop that take code.
const CODE_CLAUSES: &[&str] = &["#:when", "#:unless", "#:break", "#:final", "#:splice"];

/// Parts of patterns that are patterns again.
const PATTERNS: &[&str] =
    &["and", "or", "not", "list", "list*", "list-rest", "list-no-order", "vector", "cons", "mcons", "box", "var"];

/// Items of `provide` whose parts have contracts.
pub(crate) const CONTRACTS: &[&str] = &["contract-out", "provide/contract"];

impl<'t> Walk<'t> {
    /// Uses a documented function, and binds its parameters behind their contracts: `(name [parameter contract]…)`.
    fn described(&mut self, tasks: &mut Vec<Task<'t>>, header: Option<Datum>) {
        let mut parts = self.inside(header).into_iter();
        tasks.extend(parts.next().map(|name| Task::Use(name, UseKind::Value)));
        let parameters: Vec<Vec<Datum>> = parts.map(|part| self.inside(Some(part))).collect();
        // `[#:key parameter contract]`
        let is_name = |datum: &Datum| datum.list().is_none() && !self.source(*datum).starts_with("#:");
        let names: Vec<Datum> = parameters.iter().filter_map(|part| part.iter().copied().find(is_name)).collect();
        let contracts = parameters.iter().flatten().filter(|datum| !names.contains(datum));
        tasks.extend(contracts.map(|datum| Task::Code(*datum)));
        tasks.extend(names.iter().map(|name| Task::Bind(*name, Pattern::Name)));
    }

    /// Walks over a form that only Racket has. False if this is none of them.
    pub(crate) fn racket(&mut self, form: SpecialForm, list: ListId, mut data: Data<'t>) -> bool {
        use SpecialForm as F;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match form {
            F::Procedure => {
                // `(plambda: (type…) parameters code…)` has no other mark than a second list of names.
                tasks.extend(data.next().map(|parameters| self.formals(parameters)));
                tasks.push(Task::Body(data));
            }
            F::CaseProcedure => {
                data.clone().for_each(|clause| self.no_form(clause));
                for clause in data.filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(|parameters| self.formals(parameters)));
                    tasks.extend([Task::Body(clause), Task::Unbind(count)]);
                }
            }
            F::Iteration { in_turn, results } => self.iteration(&mut tasks, data, in_turn, results),
            F::LetRecValues | F::LetSyntaxesValues => {
                let lists = if form == F::LetRecValues { 1 } else { 2 };
                let bindings: Vec<_> = (0..lists).flat_map(|_| self.bindings(data.next())).collect();
                tasks.extend(bindings.iter().map(|(names, _)| Task::Bind(*names, Pattern::Nested)));
                tasks.extend(bindings.into_iter().flat_map(|(_, values)| values).map(Task::Code));
                tasks.push(Task::Body(data));
            }
            F::Conditional => {
                tasks.extend(data.next().map(Task::Code));
                tasks.push(Task::Body(data));
            }
            F::LocalDefinitions => {
                data.clone().next().into_iter().for_each(|list| self.no_form(list));
                let forms = self.inside(data.next());
                tasks.push(Task::EnterBody(forms.clone()));
                tasks.extend(forms.into_iter().map(Task::Code));
                tasks.extend([Task::Body(data), Task::LeaveBody]);
            }
            F::ListsOfCode => {
                self.no_forms(data.clone().next());
                let lists = self.inside(data.next()).into_iter().filter_map(Datum::list);
                tasks.extend(lists.map(|list| Task::Codes(self.data(list))));
                tasks.push(Task::Body(data));
            }
            F::MatchMany | F::MatchManyLambda | F::MatchFunction => {
                match form {
                    F::MatchMany => {
                        tasks.extend(data.next().and_then(Datum::list).map(|list| Task::Codes(self.data(list))))
                    }
                    F::MatchFunction => {
                        let Some(first) = data.next() else { return true };
                        let (name, parameters) = self.curried(first);
                        self.defined(&mut tasks, name);
                        tasks.extend(parameters.into_iter().map(Task::BindParameters));
                    }
                    _ => {}
                }
                data.clone().for_each(|clause| self.no_form(clause));
                for clause in data.by_ref().filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(self.inside(clause.next()).into_iter().map(|one| Task::Bind(one, Pattern::Match)));
                    tasks.extend(self.escape(&mut clause));
                    tasks.extend([Task::Body(clause), Task::Unbind(count)]);
                }
            }
            F::ShownCode => tasks.push(Task::Body(data)),
            F::DescribedFunction => {
                self.described(&mut tasks, data.next());
                tasks.push(Task::Codes(data));
            }
            F::DescribedFunctions => {
                for clause in self.inside(data.next()).into_iter().filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    self.described(&mut tasks, clause.next());
                    tasks.push(Task::Codes(clause));
                }
                tasks.push(Task::Codes(data));
            }
            F::DescribedForm => {
                let Some(header) = data.next() else { return true };
                let mut grammar = self.inside(Some(header)).into_iter();
                tasks.push(Task::Use(grammar.next().unwrap_or(header), UseKind::Value));
                tasks.extend(grammar.map(Task::Quoted));
                tasks.push(Task::Codes(data));
            }
            F::MatchDefine | F::MatchDefineValues => {
                let first = data.next();
                let patterns = if form == F::MatchDefine { first.into_iter().collect() } else { self.inside(first) };
                tasks.push(Task::Codes(data));
                if self.is_at_top() {
                    // The names are bound for a look at the pattern, and defined afterwards.
                    tasks.extend(patterns.iter().map(|pattern| Task::Bind(*pattern, Pattern::Match)));
                    tasks.push(Task::Unbind(count));
                    let names = patterns.iter().flat_map(|pattern| self.pattern_names(*pattern));
                    tasks.extend(names.map(|name| Task::Use(name, UseKind::Definition)));
                    return self.then(tasks);
                }
                // A body has bound the names already; the pattern has code as well.
                tasks.extend(patterns.into_iter().map(|pattern| Task::Bind(pattern, Pattern::Match)));
                return self.then(tasks);
            }
            F::MatchCheck => {
                tasks.extend(data.next().map(Task::Code));
                tasks.extend(data.next().map(|pattern| Task::Bind(pattern, Pattern::Match)));
                tasks.push(Task::Codes(data));
            }
            F::MatchLetValues => {
                for (patterns, values) in self.bindings(data.next()) {
                    tasks.extend(values.into_iter().map(Task::Code));
                    tasks.extend(self.inside(Some(patterns)).into_iter().map(|one| Task::Bind(one, Pattern::Match)));
                }
                tasks.push(Task::Body(data));
            }
            F::Submodule(skipped) => {
                if let Some(name) = data.next() {
                    self.mark_all(name, MarkRole::Word);
                }
                tasks.push(Task::Codes(data.skipping(skipped)));
            }
            F::Provide => {
                let is_contracts = |walk: &Self, data: &[Datum]| {
                    data.first().is_some_and(|head| CONTRACTS.contains(&walk.source(*head)))
                };
                let are_items = is_contracts(self, &self.data(list).collect::<Vec<_>>());
                let mut waiting: Vec<(Datum, bool)> = data.map(|datum| (datum, are_items)).collect();
                while let Some((datum, is_item)) = waiting.pop() {
                    let inner = self.inside(Some(datum));
                    if is_item {
                        tasks.extend(self.contract_code(&inner));
                    } else {
                        let is_contracts = is_contracts(self, &inner);
                        waiting.extend(inner.into_iter().skip(1).map(|datum| (datum, is_contracts)));
                    }
                }
            }
            F::TypedRequire => {
                data.next();
                for clause in data.filter_map(Datum::list) {
                    let parts: Vec<Datum> = self.data(clause).collect();
                    let Some(&first) = parts.first() else { continue };
                    // Other names are imported: `[name Type]`.
                    let is_defined = self.source(first).starts_with("#:");
                    let name = parts.get(1).copied().filter(|_| is_defined);
                    let name = name.map(|name| self.inside(Some(name)).last().copied().unwrap_or(name));
                    if let Some(name) = name {
                        self.defined(&mut tasks, name);
                    }
                    tasks.extend(parts.into_iter().skip(if is_defined { 2 } else { 1 }).map(Task::Code));
                }
            }
            F::CommandLine => self.command_line(&mut tasks, data),
            F::DependentContract => {
                for part in data {
                    let Some(list) = part.list() else {
                        tasks.push(Task::Code(part));
                        continue;
                    };
                    let parts: Vec<Datum> = self.data(list).collect();
                    // `(#:key [name contract] [name (other…) contract] …)`, or the result `[name contract]`
                    let is_result =
                        parts.first().is_some_and(|first| first.list().is_none() && self.symbol(*first).is_some());
                    if is_result && matches!(self.source(parts[0]), "values") {
                        tasks.extend(parts.into_iter().skip(1).flat_map(|one| self.dependent(one)));
                    } else if is_result {
                        tasks.extend(self.dependent(part));
                    } else {
                        tasks.extend(parts.into_iter().flat_map(|one| self.dependent(one)));
                    }
                }
            }
            F::ForAll => {
                tasks.extend(data.next().map(|names| Task::Bind(names, Pattern::Atoms)));
                tasks.push(Task::Codes(data));
            }
            _ => return false,
        }
        tasks.push(Task::Unbind(count));
        self.then(tasks)
    }

    /// Binds the parameters of a function: a list of them, or a name for all.
    fn formals(&mut self, parameters: Datum) -> Task<'t> {
        self.no_forms(Some(parameters));
        match parameters.list() {
            Some(list) => Task::BindParameters(self.data(list)),
            None => Task::Bind(parameters, Pattern::Name),
        }
    }

    /// `(pattern (=> name) code…)` binds the name of the way to the next clause.
    pub(crate) fn escape(&self, clause: &mut Data<'t>) -> Option<Task<'t>> {
        let mut escape = clause.clone().next().and_then(Datum::list).map(|list| self.data(list))?;
        if escape.next().is_none_or(|arrow| self.source(arrow) != "=>") {
            return None;
        }
        clause.next();
        escape.next().map(|name| Task::Bind(name, Pattern::Name))
    }

    /// A loop: options, names of results with their first values, clauses, code.
    fn iteration(&mut self, tasks: &mut Vec<Task<'t>>, data: Data<'t>, in_turn: bool, results: bool) {
        let data: Vec<Datum> = data.collect();
        let lists: Vec<Datum> = data.iter().copied().take(if results { 2 } else { 1 }).collect();
        lists.into_iter().for_each(|list| self.no_forms(Some(list)));
        let mut at = 0;
        // `#:length code`, in typed code `: type`
        let options = |walk: &Self, at: &mut usize, tasks: &mut Vec<Task<'t>>| {
            while let Some(word) = data.get(*at).filter(|word| word.list().is_none()) {
                if !walk.source(*word).starts_with("#:") && walk.source(*word) != ":" {
                    break;
                }
                tasks.extend(data.get(*at + 1).map(|value| Task::Code(*value)));
                *at += 2;
            }
        };
        options(self, &mut at, tasks);
        let mut result = None;
        if results {
            let names = self.inside(data.get(at).copied());
            at += 1;
            let mut names = names.into_iter();
            let mut bound = Vec::new();
            while let Some(one) = names.next() {
                if self.source(one).starts_with("#:") {
                    result = names.next();
                    continue;
                }
                let mut parts = self.inside(Some(one)).into_iter();
                bound.push(Task::Bind(parts.next().unwrap_or(one), Pattern::Name));
                tasks.extend(parts.map(Task::Code));
            }
            tasks.append(&mut bound);
            options(self, &mut at, tasks);
        }
        tasks.extend(result.map(Task::Code));
        let mut pending = Vec::new();
        let mut clauses = self.inside(data.get(at).copied()).into_iter();
        while let Some(clause) = clauses.next() {
            let word = self.source(clause);
            if clause.list().is_none() {
                tasks.append(&mut pending);
                let value = clauses.next();
                match word {
                    "#:do" => tasks.extend(value.and_then(Datum::list).map(|list| Task::Body(self.data(list)))),
                    word if CODE_CLAUSES.contains(&word) => tasks.extend(value.map(Task::Code)),
                    _ => {}
                }
                continue;
            }
            let parts = self.inside(Some(clause));
            let Some((names, values)) = parts.split_first() else { continue };
            tasks.extend(values.iter().map(|value| Task::Code(*value)));
            pending.push(Task::Bind(*names, Pattern::Nested));
            if in_turn {
                tasks.append(&mut pending);
            }
        }
        tasks.append(&mut pending);
        let rest: Vec<Datum> = data.get(at + 1..).unwrap_or_default().to_vec();
        tasks.push(Task::EnterBody(rest.clone()));
        tasks.extend(rest.into_iter().map(Task::Code));
        tasks.push(Task::LeaveBody);
    }

    /// The code in an item of `contract-out`.
    fn contract_code(&mut self, item: &[Datum]) -> Vec<Task<'t>> {
        match item.first().map_or("", |head| self.source(*head)) {
            "struct" => {
                let fields = item.iter().skip(2).flat_map(|datum| self.inside(Some(*datum)));
                let fields: Vec<Vec<Datum>> = fields.map(|field| self.inside(Some(field))).collect();
                for name in fields.iter().filter_map(|field| field.first()) {
                    self.mark_all(*name, MarkRole::Slot);
                }
                fields.into_iter().flat_map(|field| field.into_iter().skip(1)).map(Task::Code).collect()
            }
            "rename" => item.iter().skip(3).map(|datum| Task::Code(*datum)).collect(),
            _ => item.iter().skip(1).map(|datum| Task::Code(*datum)).collect(),
        }
    }

    /// `#:once-each [flags parameter… help code…] … #:args (parameter…) code…`
    fn command_line(&mut self, tasks: &mut Vec<Task<'t>>, data: Data<'t>) {
        let count = self.local_count();
        let mut data = data;
        while let Some(datum) = data.next() {
            match self.source(datum) {
                "#:program" | "#:argv" => tasks.extend(data.next().map(Task::Code)),
                "#:args" => {
                    tasks.extend(data.next().map(|parameters| self.formals(parameters)));
                    tasks.push(Task::Body(data.clone()));
                    tasks.push(Task::Unbind(count));
                    return;
                }
                "#:handlers" => return tasks.extend(data.map(Task::Code)),
                _ => {}
            }
            let parts = self.inside(Some(datum));
            let names = parts.iter().skip(1).take_while(|part| self.symbol(**part).is_some());
            let names: Vec<Datum> = names.copied().collect();
            let code = parts.iter().skip(1 + names.len());
            tasks.extend(names.iter().map(|name| Task::Bind(*name, Pattern::Name)));
            tasks.extend(code.map(|code| Task::Code(*code)));
            tasks.push(Task::Unbind(count));
        }
    }

    /// `[name contract]` or `[name (other…) contract]`: the names are those of values.
    fn dependent(&self, part: Datum) -> Vec<Task<'t>> {
        let parts = self.inside(Some(part));
        match parts[..] {
            [name, contract] => vec![Task::Bind(name, Pattern::Name), Task::Code(contract)],
            [name, others, contract] => {
                vec![Task::Bind(name, Pattern::Name), Task::Bind(others, Pattern::Nested), Task::Code(contract)]
            }
            [] => vec![Task::Code(part)],
            _ => parts.into_iter().map(Task::Code).collect(),
        }
    }

    // Patterns.

    /// Binds the names in a pattern of `racket/match`, and walks over the code in it.
    pub(crate) fn racket_pattern(&mut self, datum: Datum) {
        if self.is_prefixed(datum, Prefix::Quote) {
            return self.next([Task::Quoted(datum)]);
        }
        if self.is_prefixed(datum, Prefix::Template) {
            return self.pattern_template(datum, Pattern::Match);
        }
        let Some(list) = datum.list() else {
            if !is_ellipsis(self.source(datum)) {
                self.bind_name(datum, false);
            }
            return;
        };
        let mut data = self.data(list);
        let all = data.clone();
        let is_plain = !self.opener(datum).starts_with('#');
        let head = data.next().filter(|head| head.list().is_none() && is_plain);
        let pattern = |datum| Task::Bind(datum, Pattern::Match);
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match head.map_or("", |head| self.source(head)) {
            "quote" => tasks.push(Task::Quoteds(data)),
            "quasiquote" => {
                for datum in data {
                    self.pattern_template(datum, Pattern::Match);
                }
                return;
            }
            "?" => {
                tasks.extend(data.next().map(|function| self.called(function)));
                tasks.extend(data.map(pattern));
            }
            "app" => {
                tasks.extend(data.next().map(|function| self.called(function)));
                tasks.extend(data.map(pattern));
            }
            "regexp" | "pregexp" => {
                tasks.extend(data.next().map(Task::Code));
                tasks.extend(data.map(pattern));
            }
            "==" => tasks.push(Task::Codes(data)),
            "hash-table" => tasks.extend(
                data.flat_map(|pair| match pair.list() {
                    Some(list) => self.data(list).collect(),
                    None => vec![pair],
                })
                .map(pattern),
            ),
            "hash*" => {
                for pair in data.filter_map(Datum::list) {
                    let mut pair = self.data(pair);
                    tasks.extend(pair.next().map(Task::Code));
                    tasks.extend(pair.next().map(pattern));
                }
            }
            "struct" => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Value)));
                tasks.extend(data.flat_map(|fields| self.inside(Some(fields))).map(pattern));
            }
            "struct*" => {
                tasks.extend(data.next().map(|name| Task::Use(name, UseKind::Value)));
                let fields: Vec<Datum> = data.flat_map(|fields| self.inside(Some(fields))).collect();
                for field in fields {
                    let mut field = self.inside(Some(field)).into_iter();
                    if let Some(name) = field.next() {
                        self.mark_all(name, MarkRole::Slot);
                    }
                    tasks.extend(field.map(pattern));
                }
            }
            word if PATTERNS.contains(&word) => tasks.extend(data.map(pattern)),
            // A structure, or a macro of patterns.
            _ => match head {
                Some(head) => {
                    tasks.push(Task::Use(head, UseKind::Call));
                    tasks.extend(data.map(pattern));
                }
                None => tasks.extend(all.map(pattern)),
            },
        }
        self.next(tasks);
    }

    /// The names that a pattern of `racket/match` binds.
    pub(crate) fn pattern_names(&self, pattern: Datum) -> Vec<Datum> {
        let mut names = Vec::new();
        // What is waiting, and whether it is in a quasiquote.
        let mut waiting = vec![(pattern, false)];
        while let Some((datum, is_data)) = waiting.pop() {
            if self.is_prefixed(datum, Prefix::Quote) {
                continue;
            }
            let is_code = self.is_prefixed(datum, Prefix::Unquote);
            let is_data = (is_data || self.is_prefixed(datum, Prefix::Template)) && !is_code;
            let Some(list) = datum.list() else {
                if !is_data && self.symbol(datum).is_some() && !is_ellipsis(self.source(datum)) {
                    names.push(datum);
                }
                continue;
            };
            let inner: Vec<Datum> = self.data(list).collect();
            let head = inner.first().filter(|head| head.list().is_none()).map_or("", |head| self.source(*head));
            let skipped = match head {
                _ if is_data || self.opener(datum).starts_with('#') => 0,
                "" => 0,
                "quote" | "==" => continue,
                "?" | "app" | "regexp" | "pregexp" | "struct" => 2,
                _ => 1,
            };
            let inner = inner.into_iter().skip(skipped);
            match head {
                "struct" if skipped > 0 => {
                    waiting.extend(inner.flat_map(|fields| self.inside(Some(fields))).map(|field| (field, false)));
                }
                "struct*" if skipped > 0 => {
                    let fields = inner.skip(1).flat_map(|fields| self.inside(Some(fields)));
                    waiting.extend(fields.filter_map(|field| Some((*self.inside(Some(field)).get(1)?, false))));
                }
                "hash*" if skipped > 0 => {
                    waiting.extend(inner.filter_map(|pair| Some((*self.inside(Some(pair)).get(1)?, false))));
                }
                _ => waiting.extend(inner.map(|datum| (datum, is_data))),
            }
        }
        names
    }
}

/// `...`, `___`, `..2` and the like repeat what is before them.
fn is_ellipsis(name: &str) -> bool {
    let is_count = |rest: &str| rest == "." || rest == "_" || rest.bytes().all(|byte| byte.is_ascii_digit());
    name.strip_prefix("..").or_else(|| name.strip_prefix("__")).is_some_and(is_count)
}

//! Languages and passes of the nanopass framework, in which compilers for Chez Scheme are written: their forms bind names
//! in patterns, and have words and data of their own.

use lispwright_syntax::{Data, Datum, SpecialForm};

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::facts::{MarkRole, UseKind};
use crate::walk::{Task, Walk};

impl<'t> Walk<'t> {
    /// Walks over a form of the framework. False if this is none.
    pub(crate) fn chez(&mut self, form: SpecialForm, mut data: Data<'t>) -> bool {
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match form {
            SpecialForm::Language => {
                if let Some(name) = data.next() {
                    self.defined(&mut tasks, name);
                }
                for clause in data {
                    match self.inside(Some(clause))[..] {
                        [word, above] if self.source(word) == "extends" => {
                            tasks.push(Task::Use(above, UseKind::Value));
                        }
                        _ => self.mark_all(clause, MarkRole::Word),
                    }
                }
            }
            SpecialForm::Pass => {
                if let Some(name) = data.next() {
                    self.defined(&mut tasks, name);
                }
                self.transformer(&mut tasks, &mut data);
                let rest: Vec<Datum> = data.collect();
                let part = |datum: &Datum| self.inside(Some(*datum));
                let is_processor = |datum: &Datum| part(datum).get(1).is_some_and(|colon| self.source(*colon) == ":");
                let is_definitions =
                    |datum: &Datum| part(datum).first().is_some_and(|word| self.source(*word) == "definitions");
                let names =
                    rest.iter().filter(|datum| is_processor(datum)).filter_map(|datum| part(datum).first().copied());
                tasks.extend(names.map(|name| Task::Bind(name, Pattern::Name)));
                let definitions = rest.iter().filter(|datum| is_definitions(datum)).flat_map(part).collect();
                tasks.push(Task::EnterBody(definitions));
                for datum in &rest {
                    if is_definitions(datum) {
                        tasks.extend(part(datum).into_iter().skip(1).map(Task::Code));
                    } else if is_processor(datum) {
                        let Some(mut inner) = datum.list().map(|list| self.data(list).skipping(1)) else { continue };
                        tasks.push(Task::Scope);
                        self.transformer(&mut tasks, &mut inner);
                        self.productions(&mut tasks, inner);
                        tasks.push(Task::LeaveScope);
                    } else {
                        tasks.push(Task::Code(*datum));
                    }
                }
                tasks.push(Task::LeaveBody);
            }
            SpecialForm::PassCase => {
                let language = self.inside(data.next()).first().copied();
                tasks.extend(language.map(|language| Task::Use(language, UseKind::Value)));
                tasks.extend(data.next().map(Task::Code));
                self.productions(&mut tasks, data);
            }
            SpecialForm::InLanguage => {
                let language = data.next();
                let language = self.inside(language).first().copied().or(language);
                tasks.extend(language.map(|language| Task::Use(language, UseKind::Value)));
                tasks.push(Task::Body(data));
            }
            _ => return false,
        }
        tasks.push(Task::Unbind(count));
        self.then(tasks)
    }

    /// `: language (parameter…) -> language (result…)`
    fn transformer(&self, tasks: &mut Vec<Task<'t>>, data: &mut Data<'t>) {
        let mut is_parameters = true;
        while let Some(datum) = data.clone().next() {
            let word = self.source(datum);
            match datum.list() {
                None if matches!(word, ":" | "->" | "*") => {}
                None => tasks.push(Task::Use(datum, UseKind::Value)),
                Some(list) if is_parameters => {
                    tasks.push(Task::BindParameters(self.data(list)));
                    is_parameters = false;
                }
                // The last is the list of results.
                Some(list) => {
                    tasks.push(Task::Codes(self.data(list)));
                    data.next();
                    return;
                }
            }
            data.next();
        }
    }

    /// `[pattern code…]…`, or code
    fn productions(&self, tasks: &mut Vec<Task<'t>>, data: Data<'t>) {
        for clause in data {
            let parts = self.inside(Some(clause));
            let Some((pattern, code)) = parts.split_first().filter(|_| self.opener(clause) == "[") else {
                tasks.push(Task::Code(clause));
                continue;
            };
            tasks.push(Task::Scope);
            // What is unquoted in the pattern is bound: `(app ,e0 ,[e1] ...)`.
            let mut waiting = vec![(*pattern, false)];
            while let Some((datum, is_bound)) = waiting.pop() {
                let is_bound = is_bound || self.is_prefixed(datum, Prefix::Unquote);
                match datum.list() {
                    Some(list) => waiting.extend(self.data(list).map(|datum| (datum, is_bound))),
                    None if is_bound && !matches!(self.source(datum), "->" | ":") => {
                        tasks.push(Task::Bind(datum, Pattern::Name));
                    }
                    None => {}
                }
            }
            tasks.push(Task::EnterBody(code.to_vec()));
            tasks.extend(code.iter().map(|code| Task::Code(*code)));
            tasks.extend([Task::LeaveBody, Task::LeaveScope]);
        }
    }
}

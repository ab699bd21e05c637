//! Patterns of Racket's `syntax/parse`: the names that they bind, with the classes of syntax that stand behind a colon,
//! and the directives between a pattern and its template.

use lispwright_syntax::{Data, Datum, SpecialForm};

use crate::bind::Pattern;
use crate::facts::UseKind;
use crate::walk::{Task, Walk};

/// Options that have the words of patterns.
const LITERALS: &[&str] = &["#:literals", "#:datum-literals"];

/// Options without a value.
const FLAGS: &[&str] = &["#:disable-colon-notation", "#:track-literals", "#:opaque", "#:transparent", "#:commit"];

impl<'t> Walk<'t> {
    /// Walks over a form of `syntax/parse`. False if this is none.
    pub(crate) fn racket_syntax(&mut self, form: SpecialForm, mut data: Data<'t>) -> bool {
        use SpecialForm as F;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match form {
            F::PlacedTemplate => {
                tasks.extend(data.next().map(Task::Code));
                tasks.extend(self.templates(data));
            }
            F::SyntaxParse => {
                let subject = data.next();
                tasks.extend(subject.map(Task::Code));
                let is_of_macro = self.is_subject(subject);
                self.parsed(&mut tasks, data, is_of_macro);
            }
            F::SyntaxParser => self.parsed(&mut tasks, data, true),
            F::SyntaxParserDefinition => {
                if let Some(name) = data.next() {
                    self.defined(&mut tasks, name);
                }
                self.parsed(&mut tasks, data, true);
            }
            F::SyntaxParseRule => {
                let Some(mut pattern) = data.next().and_then(Datum::list).map(|list| self.data(list)) else {
                    return true;
                };
                if let Some(name) = pattern.next() {
                    self.defined(&mut tasks, name);
                }
                for part in pattern {
                    tasks.extend(self.syntax_pattern(part, &[]));
                }
                self.template_of_rule(&mut tasks, data);
            }
            F::SyntaxClass => {
                let Some(first) = data.next() else { return true };
                let (name, parameters) = self.curried(first);
                self.defined(&mut tasks, name);
                tasks.extend(parameters.into_iter().map(Task::BindParameters));
                let data: Vec<Datum> = data.collect();
                let (options, literals, at) = self.options(&data);
                tasks.extend(options);
                tasks.push(Task::Scope);
                for clause in &data[at..] {
                    let parts = self.inside(Some(*clause));
                    // `(pattern syntax directive…)`
                    let Some(pattern) = parts.get(1) else { continue };
                    tasks.extend(self.syntax_pattern(*pattern, &literals));
                    tasks.extend(self.directives(&parts[2..], &literals).0);
                    tasks.extend([Task::LeaveScope, Task::Scope]);
                }
                tasks.push(Task::LeaveScope);
            }
            F::SyntaxDefine => {
                let data: Vec<Datum> = data.collect();
                let Some((pattern, rest)) = data.split_first() else { return true };
                let (directives, at) = self.directives(rest, &[]);
                tasks.extend(rest[at..].iter().map(|code| Task::Code(*code)));
                tasks.extend(self.syntax_pattern(*pattern, &[]));
                tasks.extend(directives);
                // The names are bound for the code after it.
                return self.then(tasks);
            }
            _ => return false,
        }
        tasks.push(Task::Unbind(count));
        self.then(tasks)
    }

    /// The directives and the template of a rule, whose pattern is known.
    pub(crate) fn template_of_rule(&self, tasks: &mut Vec<Task<'t>>, data: Data<'t>) {
        let rest: Vec<Datum> = data.collect();
        let (directives, at) = self.directives(&rest, &[]);
        tasks.extend(directives);
        tasks.push(Task::InTemplate(true));
        tasks.extend(rest[at..].iter().map(|template| Task::Code(*template)));
        tasks.push(Task::InTemplate(self.is_in_template()));
    }

    /// `option… (pattern directive… code…)…`; `is_of_macro`: the patterns are those of the macro that is learned.
    pub(crate) fn parsed(&mut self, tasks: &mut Vec<Task<'t>>, data: Data<'t>, is_of_macro: bool) {
        let data: Vec<Datum> = data.collect();
        let (options, literals, at) = self.options(&data);
        tasks.extend(options);
        let is_learned = is_of_macro && self.learns_pattern();
        if is_learned {
            self.take_literals(&literals);
        }
        for clause in &data[at..] {
            let parts = self.inside(Some(*clause));
            let Some((pattern, rest)) = parts.split_first() else { continue };
            tasks.push(Task::Scope);
            if is_learned {
                tasks.push(Task::Bind(*pattern, Pattern::Syntax));
            } else {
                tasks.extend(self.syntax_pattern(*pattern, &literals));
            }
            let (directives, at) = self.directives(rest, &literals);
            tasks.extend(directives);
            let code: Vec<Datum> = rest[at..].to_vec();
            tasks.push(Task::EnterBody(code.clone()));
            tasks.extend(code.into_iter().map(Task::Code));
            tasks.extend([Task::LeaveBody, Task::LeaveScope]);
        }
    }

    /// The options before clauses: their code, the words of patterns, and the number of data that they are.
    fn options(&self, data: &[Datum]) -> (Vec<Task<'t>>, Vec<&'t str>, usize) {
        let (mut tasks, mut literals, mut at) = (Vec::new(), Vec::new(), 0);
        while let Some(option) = data.get(at).filter(|option| option.list().is_none()) {
            let word = self.source(*option);
            if FLAGS.contains(&word) || !word.starts_with("#:") {
                at += 1;
                continue;
            }
            let value = data.get(at + 1).copied();
            if LITERALS.contains(&word) {
                for name in self.inside(value) {
                    // `(name word)`
                    let name = self.inside(Some(name)).first().copied().unwrap_or(name);
                    literals.extend(self.symbol(name));
                    if word == "#:literals" {
                        tasks.push(Task::Use(name, UseKind::Value));
                    }
                }
            } else if !matches!(word, "#:attributes" | "#:conventions" | "#:local-conventions") {
                tasks.extend(value.map(Task::Code));
            }
            at += 2;
        }
        (tasks, literals, at)
    }

    /// What the directives after a pattern do, and the number of data that they are.
    fn directives(&self, data: &[Datum], literals: &[&'t str]) -> (Vec<Task<'t>>, usize) {
        let mut tasks = Vec::new();
        let mut at = 0;
        while let Some(word) = data.get(at).map(|word| self.source(*word)).filter(|word| word.starts_with("#:")) {
            let value = |number: usize| data.get(at + number).copied();
            at += match word {
                "#:with" => {
                    tasks.extend(value(2).map(Task::Code));
                    tasks.extend(value(1).into_iter().flat_map(|pattern| self.syntax_pattern(pattern, literals)));
                    3
                }
                "#:attr" => {
                    tasks.extend(value(2).map(Task::Code));
                    let name = value(1).map(|name| self.inside(Some(name)).first().copied().unwrap_or(name));
                    tasks.extend(name.map(|name| Task::Bind(name, Pattern::Name)));
                    3
                }
                "#:declare" => {
                    tasks.extend(value(2).map(Task::Code));
                    3
                }
                "#:fail-when" | "#:fail-unless" => {
                    tasks.extend(value(1).into_iter().chain(value(2)).map(Task::Code));
                    3
                }
                "#:and" | "#:post" => {
                    tasks.extend(value(1).into_iter().flat_map(|pattern| self.syntax_pattern(pattern, literals)));
                    2
                }
                "#:do" | "#:undo" => {
                    tasks.extend(value(1).and_then(Datum::list).map(|list| Task::Body(self.data(list))));
                    2
                }
                "#:cut" => 1,
                _ => {
                    tasks.extend(value(1).map(Task::Code));
                    2
                }
            };
        }
        (tasks, at.min(data.len()))
    }

    /// What a pattern of `syntax/parse` binds and uses.
    pub(crate) fn syntax_pattern(&self, pattern: Datum, literals: &[&'t str]) -> Vec<Task<'t>> {
        // No variable of the pattern hides a class.
        let mut classes = Vec::new();
        let mut tasks = Vec::new();
        let mut waiting = vec![pattern];
        while let Some(datum) = waiting.pop() {
            let Some(list) = datum.list() else {
                // `:class` has no variable of its own.
                let class = self.source(datum).strip_prefix(':').filter(|class| !class.is_empty() && datum.is_bare());
                if let Some(class) = class.filter(|class| !class.starts_with(':')) {
                    classes.push(Task::UsePart(class, UseKind::Value));
                    continue;
                }
                let Some(name) = self.symbol(datum).filter(|name| !literals.contains(name)) else { continue };
                let (name, class) = variable_of_pattern(name);
                classes.extend(class.map(|class| Task::UsePart(class, UseKind::Value)));
                tasks.extend((name != "_" && !name.is_empty()).then_some(Task::BindPart(name)));
                continue;
            };
            let data: Vec<Datum> = self.data(list).collect();
            let head = data.first().filter(|head| head.list().is_none()).map_or("", |head| self.source(*head));
            let rest = data.get(1..).unwrap_or_default();
            match (head, rest) {
                ("~var", [name, class @ ..]) => {
                    tasks.extend(class.first().map(|class| Task::Code(*class)));
                    tasks.push(Task::Bind(*name, Pattern::Name));
                }
                ("~literal", [name, ..]) => tasks.push(Task::Use(*name, UseKind::Value)),
                ("~datum", _) => {}
                ("~parse", [pattern, code]) => {
                    tasks.push(Task::Code(*code));
                    waiting.push(*pattern);
                }
                ("~bind", bindings) => bindings.iter().for_each(|one| tasks.extend(self.attribute(*one))),
                ("~fail", code) => tasks.extend(code.iter().map(|code| Task::Code(*code))),
                ("~do", code) => {
                    tasks.push(Task::EnterBody(code.to_vec()));
                    tasks.extend(code.iter().map(|code| Task::Code(*code)));
                    tasks.push(Task::LeaveBody);
                }
                ("~describe", [code @ .., pattern]) => {
                    tasks.extend(code.iter().map(|code| Task::Code(*code)));
                    waiting.push(*pattern);
                }
                (head, rest) if head.starts_with('~') => {
                    tasks.push(Task::Use(data[0], UseKind::Value));
                    let mut patterns = Vec::new();
                    let mut rest = rest.iter().copied();
                    while let Some(part) = rest.next() {
                        match self.source(part) {
                            "#:defaults" => {
                                for one in self.inside(rest.next()) {
                                    tasks.extend(self.attribute(one));
                                }
                            }
                            word if word.starts_with("#:") => tasks.extend(rest.next().map(Task::Code)),
                            _ => patterns.push(part),
                        }
                    }
                    waiting.extend(patterns.into_iter().rev());
                }
                _ => waiting.extend(data.into_iter().rev()),
            }
        }
        classes.extend(tasks);
        classes
    }

    /// `[name code]`
    fn attribute(&self, binding: Datum) -> Vec<Task<'t>> {
        let parts = self.inside(Some(binding));
        let Some((name, code)) = parts.split_first() else { return Vec::new() };
        // `[(name depth) code]`
        let name = self.inside(Some(*name)).first().copied().unwrap_or(*name);
        let code = code.iter().map(|code| Task::Code(*code));
        let name = self.symbol(name).map(|name| variable_of_pattern(name).0).filter(|name| !name.is_empty());
        code.chain(name.map(Task::BindPart)).collect()
    }

    /// Notes a use of a name that is a part of a symbol.
    pub(crate) fn use_part(&mut self, name: &'t str, kind: UseKind) {
        if self.is_local(name, false) {
            self.mark_local(name, false);
        } else {
            self.note(self.place(name), kind);
        }
    }
}

/// The variable in a symbol of a pattern, and the class of syntax: `name:class`.
pub(crate) fn variable_of_pattern(name: &str) -> (&str, Option<&str>) {
    match name.split_once(':') {
        Some((name, class)) if !class.is_empty() && !class.starts_with(':') => (name, Some(class)),
        _ => (name, None),
    }
}

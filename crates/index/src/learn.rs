//! Learns from the definition of a macro how it treats its arguments.
//!
//! The walk goes over the templates of the macro as over code. Where it meets a variable of the macro, it notes what the
//! argument would be there: code, data, a name that is bound or defined. What the macro computes is not understood.

use lispwright_syntax::name::{canonical_head, parameter_word};
use lispwright_syntax::{Data, Datum, FormKind, ListId, Span, SpecialForm, TokenId, TokenKind};

use crate::bind::Pattern;
use crate::data::Prefix;
use crate::facts::UseKind;
use crate::forms::variable_of_pattern;
use crate::macros::{Called, Operator};
use crate::treatment::{Clause, Count, Part, Role, Shape, Treatment};
use crate::walk::{Task, Walk};

/// Lists in the arguments of a macro are understood up to this depth.
const DEEPEST: usize = 8;

/// The most variables of a macro that are told apart.
const MOST_VARIABLES: usize = 256;

/// Functions that call a function with each element of a list.
const MAPPERS: &[&str] =
    &["map", "mapcat", "mapv", "run!", "mapcar", "mapcan", "mapc", "cl-mapcar", "cl-mapcan", "seq-map", "append-map"];

/// Functions that give the first element of a list.
const FIRSTS: &[&str] = &["pop", "car", "first", "cl-first", "car-safe"];

/// What is learned from one definition.
#[derive(Debug, Default)]
pub(crate) struct Learning {
    clauses: Vec<Clause>,
    /// The name that the transformer of syntax has for a use of the macro, by its token.
    subject: Option<TokenId>,
    /// Words of patterns of syntax.
    literals: Vec<String>,
}

/// What a datum in a template gets from the arguments.
pub(crate) enum Taken {
    /// Nothing: it is in the template.
    Nothing,
    /// It is the argument of this variable, or `spliced`, the data of which that argument is a list.
    Variable { number: u16, spliced: bool },
    /// It is one of the arguments of this variable, which gets any number of them.
    Element(u16),
    /// It is computed from the arguments of these variables.
    Computed(Vec<u16>),
}

impl<'t> Walk<'t> {
    /// How the macro that `list` defines treats its arguments, and the places that name macros of the project.
    pub(crate) fn learn(&mut self, list: ListId) -> (Treatment, Vec<Span>) {
        use SpecialForm as F;
        self.learning = Some(Learning::default());
        let mut data = self.data(list);
        let head = data.next().map_or("", |head| self.source(head));
        let head = canonical_head(self.dialect, head);
        let form = self.dialect.special_form(&head).or_else(|| {
            let known = self.tree.language().known_head(&head)?;
            self.dialect.special_form(known)
        });
        match form {
            Some(F::Macro | F::Function) if self.rules.has_arities => {
                data.next();
                self.learn_arities(data);
            }
            Some(F::Macro | F::Function) => {
                data.next();
                if let Some(parameters) = data.next() {
                    self.learn_function(parameters, 0, data);
                }
            }
            // `(define-macro (name . parameters) code…)`
            Some(F::Define) => {
                if let Some(first) = data.next() {
                    self.learn_function(first, 1, data);
                }
            }
            Some(F::Syntax) => {
                // `(name subject)`, or `name (lambda (subject) …)`
                let named = self.inside(data.next());
                let transformer = data.clone().next().and_then(Datum::list);
                let parameters =
                    transformer.and_then(|list| self.data(list).nth(1)).map(|list| self.inside(Some(list)));
                let subject = named.get(1).copied().or(match parameters.as_deref() {
                    Some([subject]) => Some(*subject),
                    _ => None,
                });
                if let (Some(learning), Some(subject)) = (&mut self.learning, subject) {
                    learning.subject = Some(subject.core);
                }
                self.tasks_of(data);
            }
            Some(F::SyntaxParserDefinition) => {
                data.next();
                let mut tasks = Vec::new();
                self.parsed(&mut tasks, data, true);
                self.next(tasks);
                self.work();
            }
            Some(F::SyntaxParseRule) => {
                if let Some(pattern) = data.next() {
                    self.learn_syntax(pattern);
                    let mut tasks = Vec::new();
                    self.template_of_rule(&mut tasks, data);
                    self.next(tasks);
                    self.work();
                }
            }
            Some(F::ForeignDefiner) => self.learn_foreign(data),
            Some(F::SyntaxRule) => {
                if let Some(pattern) = data.next() {
                    self.learn_syntax(pattern);
                    if data.clone().nth(1).is_some() {
                        data.next();
                    }
                    let templates = self.templates(data);
                    self.next(templates);
                    self.work();
                }
            }
            _ => {}
        }
        let learning = self.learning.take().unwrap_or_default();
        (Treatment { clauses: learning.clauses }, self.asked())
    }

    /// A definer of foreign functions, which take a name and a type.
    fn learn_foreign(&mut self, data: Data<'t>) {
        let exports = data.into_iter().any(|datum| self.source(datum) == "#:provide");
        let name = Role { defines: Some(FormKind::Variable), exports, ..Role::default() };
        let code = Role { is_code: true, ..Role::default() };
        let part = |number, count| Part { shape: Shape::Variable(number), count };
        let parts = vec![part(0, Count::One), part(1, Count::Many)];
        if let Some(learning) = &mut self.learning {
            learning.clauses.push(Clause { parts, roles: vec![name, code], has_template: true, form: None });
        }
    }

    fn tasks_of(&mut self, data: Data<'t>) {
        self.next([Task::Codes(data)]);
        self.work();
    }

    /// A macro of Clojure, with one list of parameters or several.
    fn learn_arities(&mut self, mut data: Data<'t>) {
        while let Some(datum) = data.next() {
            if self.is_vector(datum) {
                return self.learn_function(datum, 0, data);
            }
            let Some(mut arity) = datum.list().filter(|_| self.opener(datum) == "(").map(|list| self.data(list)) else {
                continue;
            };
            if let Some(parameters) = arity.next().filter(|first| self.is_vector(*first)) {
                self.learn_function(parameters, 0, arity);
            }
        }
    }

    /// A macro that is a function with a list of parameters, without the first `skipped` data of it.
    fn learn_function(&mut self, parameters: Datum, skipped: u8, code: Data<'t>) {
        let count = self.local_count();
        let mut clause = Clause::default();
        let list = parameters.list();
        clause.parts = match list {
            Some(list) => self.parameters(self.data(list).skipping(skipped), &mut clause.roles, 0),
            None if self.symbol(parameters).is_some() => vec![self.rest(parameters, &mut clause.roles)],
            None => Vec::new(),
        };
        self.clause(clause, code);
        self.unbind(count);
    }

    /// The pattern of a clause of `syntax-rules` or `syntax-case`, or of `define-syntax-rule`, which has the keyword of
    /// the macro in its first place. The templates are walked over after it.
    pub(crate) fn learn_syntax(&mut self, pattern: Datum) {
        let Some(list) = pattern.list() else { return };
        let literals = self.learning.as_ref().map_or_else(Vec::new, |learning| learning.literals.clone());
        let mut clause = Clause::default();
        clause.parts = self.syntax_parts(self.data(list).skipping(1), &literals, &mut clause.roles, 0);
        if let Some(learning) = &mut self.learning {
            learning.clauses.push(clause);
        }
    }

    /// Notes that the macro has a template.
    pub(crate) fn note_template(&mut self, is_inside: bool) {
        let clause = self.learning.as_mut().and_then(|learning| learning.clauses.last_mut());
        if let Some(clause) = clause.filter(|_| is_inside) {
            clause.has_template = true;
        }
    }

    /// A pattern of syntax is that of the macro, not of a part of its arguments.
    pub(crate) fn learns_pattern(&self) -> bool {
        self.learning.is_some() && !self.has_variables()
    }

    /// The datum is the name that the transformer of syntax has for a use of the macro.
    pub(crate) fn is_subject(&self, datum: Option<Datum>) -> bool {
        let subject = self.learning.as_ref().and_then(|learning| learning.subject);
        let name = subject.map(|token| &self.text[self.tree.token_span(token).range()]);
        name.is_some() && datum.and_then(|datum| self.symbol(datum)) == name
    }

    /// Notes the same words.
    pub(crate) fn take_literals(&mut self, literals: &[&'t str]) {
        if let Some(learning) = &mut self.learning {
            learning.literals = literals.iter().map(|word| (*word).to_owned()).collect();
        }
    }

    /// Notes that the argument of a variable is exported.
    pub(crate) fn learns_export(&mut self, name: &str) {
        let Some((number, false)) = self.variable_called(name) else { return };
        let clause = self.learning.as_mut().and_then(|learning| learning.clauses.last_mut());
        if let Some(role) = clause.and_then(|clause| clause.roles.get_mut(usize::from(number))) {
            role.exports = true;
        }
    }

    /// Notes that the data of a special form in a template are the arguments that a variable of the macro gets.
    pub(crate) fn learns_form(&mut self, form: SpecialForm, mut data: Data<'t>) {
        use SpecialForm as F;
        if self.learning.is_none() {
            return;
        }
        // Those that bind names for code, or take clauses with code.
        let is_such = matches!(
            form,
            F::Let
                | F::LetStar
                | F::LetRec
                | F::LetVector
                | F::LetValues
                | F::LetValuesStar
                | F::LetRecValues
                | F::LetOptionals
                | F::LetThen
                | F::Comprehension
                | F::Lambda
                | F::Fn
                | F::CaseLambda
                | F::Functions
                | F::FunctionsRec
                | F::SymbolMacros
                | F::Each
                | F::Iterator
                | F::Iteration { .. }
                | F::Do
                | F::DoStar
                | F::Bind
                | F::Slots
                | F::Accessors
                | F::Cond
                | F::Case
                | F::CasePairs
                | F::Match
                | F::MatchPairs
                | F::MatchLambda
                | F::MatchLet
                | F::Handlers
                | F::HandlerBind
                | F::ConditionCase
                | F::Guard
                | F::Loop
                | F::Parameterize
        );
        if !is_such {
            return;
        }
        // `,@body`, `body ...` or `. body`
        let (first, is_all) = match (data.next(), data.next(), data.next()) {
            (Some(first), None, _) => (first, self.is_spliced(first)),
            (Some(dot), Some(rest), None) if self.source(dot) == "." => (rest, true),
            (Some(first), Some(dots), None) => (first, self.source(dots) == "..."),
            _ => return,
        };
        let Taken::Variable { number, .. } = self.taken(first) else { return };
        let clause = self.learning.as_mut().and_then(|learning| learning.clauses.last_mut());
        if let Some(clause) = clause.filter(|clause| is_all && has_rest(&clause.parts, number)) {
            clause.form.get_or_insert((number, form));
        }
    }

    /// Notes the words that patterns of syntax have in them.
    pub(crate) fn note_literals(&mut self, literals: Option<Datum>) {
        if self.learning.is_some() {
            let words = self.inside(literals).into_iter().map(|word| self.source(word).to_owned()).collect();
            if let Some(learning) = &mut self.learning {
                learning.literals = words;
            }
        }
    }

    /// Walks over the code of a clause, which is the present one until the next begins.
    fn clause(&mut self, clause: Clause, code: Data<'t>) {
        if let Some(learning) = &mut self.learning {
            learning.clauses.push(clause);
        }
        self.tasks_of(code);
    }

    // Patterns.

    /// Binds a variable of the macro.
    fn variable(&mut self, datum: Datum, roles: &mut Vec<Role>) -> Shape {
        let Some(name) = self.symbol(datum).filter(|_| roles.len() < MOST_VARIABLES) else { return Shape::Any };
        let name = if self.rules.has_syntax_classes { variable_of_pattern(name).0 } else { name };
        roles.push(Role::default());
        let number = (roles.len() - 1) as u16;
        self.bind_variable(name, number, false);
        Shape::Variable(number)
    }

    fn rest(&mut self, datum: Datum, roles: &mut Vec<Role>) -> Part {
        Part { shape: self.variable(datum, roles), count: Count::Many }
    }

    /// The parts of a lambda list.
    fn parameters(&mut self, data: Data<'t>, roles: &mut Vec<Role>, depth: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut count = Count::One;
        let mut data = data.peekable();
        while let Some(datum) = data.next() {
            let word = self.source(datum);
            match parameter_word(word).to_ascii_lowercase().as_str() {
                "&optional" => count = Count::Optional,
                "&key" => count = Count::Keyword(String::new()),
                "&rest" | "&body" | "&" | "." => {
                    if let Some(datum) = data.next() {
                        parts.push(self.rest(datum, roles));
                    }
                }
                "&environment" | "&whole" | "&aux" | ":as" => {
                    data.next();
                }
                "&allow-other-keys" => {}
                _ => parts.push(self.parameter(datum, &count, roles, depth)),
            }
        }
        parts
    }

    fn parameter(&mut self, datum: Datum, count: &Count, roles: &mut Vec<Role>, depth: usize) -> Part {
        let Some(list) = datum.list() else {
            let count = match count {
                Count::Keyword(_) => Count::Keyword(self.source(datum).to_owned()),
                count => count.clone(),
            };
            return Part { shape: self.variable(datum, roles), count };
        };
        if depth >= DEEPEST || self.tree.kind(datum.core) == TokenKind::OpenBrace {
            return Part { shape: Shape::Any, count: count.clone() };
        }
        if *count == Count::One {
            let parts = self.parameters(self.data(list), roles, depth + 1);
            return Part { shape: Shape::List(parts), count: Count::One };
        }
        // `(name default given)`, `((:key name) default)`
        let first = self.data(list).next();
        let inner = first.and_then(Datum::list).map(|list| self.data(list).take(2).collect::<Vec<_>>());
        let (word, name) = match inner.as_deref() {
            Some(&[word, name]) => (Some(word), Some(name)),
            _ => (first, first),
        };
        let shape = name.map_or(Shape::Any, |name| self.variable(name, roles));
        let count = match (count, word) {
            (Count::Keyword(_), Some(word)) => Count::Keyword(self.source(word).trim_start_matches(':').to_owned()),
            _ => count.clone(),
        };
        Part { shape, count }
    }

    /// The parts of a pattern of `syntax-rules`.
    fn syntax_parts(&mut self, data: Data<'t>, literals: &[String], roles: &mut Vec<Role>, depth: usize) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut data = data;
        while let Some(datum) = data.next() {
            let source = self.source(datum);
            match source {
                "..." | "...+" => {
                    if let Some(last) = parts.last_mut() {
                        last.count = Count::Many;
                    }
                    continue;
                }
                "." => {
                    if let Some(rest) = data.next() {
                        parts.push(self.rest(rest, roles));
                    }
                    continue;
                }
                _ => {}
            }
            let action = self.action_of_pattern(datum);
            let shape = match datum.list() {
                Some(_) if action.is_some() => {
                    parts.extend(action.map(|action| self.action(action, datum, literals, roles, depth)));
                    continue;
                }
                Some(list) if depth < DEEPEST => {
                    Shape::List(self.syntax_parts(self.data(list), literals, roles, depth + 1))
                }
                Some(_) => Shape::Any,
                None if literals.iter().any(|word| word == source) => Shape::Word(source.to_owned()),
                None => self.variable(datum, roles),
            };
            parts.push(Part { shape, count: Count::One });
        }
        parts
    }

    /// The head of a part of a pattern of `syntax/parse` that is not a list of patterns: `~optional`.
    fn action_of_pattern(&self, datum: Datum) -> Option<&'t str> {
        let head = self.data(datum.list()?).next().filter(|_| self.rules.has_syntax_classes)?;
        Some(self.source(head)).filter(|head| head.starts_with('~'))
    }

    /// Such a part.
    fn action(&mut self, action: &str, datum: Datum, literals: &[String], roles: &mut Vec<Role>, depth: usize) -> Part {
        let inner: Vec<Datum> = self.inside(Some(datum)).into_iter().skip(1).collect();
        let count = if action == "~optional" { Count::Optional } else { Count::One };
        let Some(&first) = inner.first() else { return Part { shape: Shape::Any, count } };
        let shape = match (action, first.list()) {
            ("~literal" | "~datum", None) => Shape::Word(self.source(first).to_owned()),
            ("~var" | "~and" | "~optional" | "~once", None) => self.variable(first, roles),
            ("~and" | "~optional" | "~once", Some(list))
                if self.action_of_pattern(first).is_none() && depth < DEEPEST =>
            {
                Shape::List(self.syntax_parts(self.data(list), literals, roles, depth + 1))
            }
            ("~or" | "~or*" | "~alt" | "~describe", _) => Shape::Any,
            // Any number of data, in any order.
            _ => Shape::Unknown,
        };
        Part { shape, count }
    }

    // Templates.

    /// What a datum in a template gets from the arguments.
    pub(crate) fn taken(&self, datum: Datum) -> Taken {
        if self.learning.is_none() {
            return Taken::Nothing;
        }
        let unquote = self.prefixes(datum).find(|prefix| self.meaning(*prefix) == Prefix::Unquote);
        let Some(unquote) = unquote.filter(|_| self.level > 0) else {
            let is_bare = self.is_in_template();
            let name = self.symbol(datum).filter(|_| is_bare);
            if let Some(number) = name.and_then(|name| self.element_called(name)) {
                return Taken::Element(number);
            }
            return match name.and_then(|name| self.variable_called(name)) {
                None => Taken::Nothing,
                Some((number, false)) => Taken::Variable { number, spliced: false },
                Some((number, true)) => Taken::Computed(vec![number]),
            };
        };
        if datum.list().is_some() {
            let taken_off = self.taken_off_list(datum);
            return taken_off.map_or_else(|| Taken::Computed(self.variables_in(datum)), Taken::Element);
        }
        if let Some(number) = self.symbol(datum).and_then(|name| self.element_called(name)) {
            return Taken::Element(number);
        }
        match self.symbol(datum).and_then(|name| self.variable_called(name)) {
            Some((number, true)) => Taken::Computed(vec![number]),
            Some((number, false)) => {
                let mark = &self.text[self.tree.token_span(unquote.token).range()];
                Taken::Variable { number, spliced: mark.len() > 1 }
            }
            None => Taken::Computed(Vec::new()),
        }
    }

    /// It is a variable of the macro.
    pub(crate) fn is_taken(&self, datum: Datum) -> bool {
        !matches!(self.taken(datum), Taken::Nothing)
    }

    /// The variables of the macro that a datum mentions.
    fn variables_in(&self, datum: Datum) -> Vec<u16> {
        let names = self.atoms(datum).into_iter().filter_map(|atom| self.symbol(atom));
        names.filter_map(|name| self.variable_called(name)).map(|(number, _)| number).collect()
    }

    /// In the code of a macro: what binds the names in `datum` to values that are computed from one of its variables.
    pub(crate) fn computed(&self, datum: Datum, values: &[Datum]) -> Option<Task<'t>> {
        if self.learning.is_none() || self.level > 0 || self.is_in_template() {
            return None;
        }
        if let &[value] = values
            && let Some(number) = self.taken_off_list(value)
        {
            return Some(Task::BindElement(datum, number));
        }
        let number = values.iter().flat_map(|value| self.variables_in(*value)).next()?;
        Some(Task::BindComputed(datum, number))
    }

    /// The variable with any number of arguments from whose front the code takes one: `(pop body)`.
    fn taken_off_list(&self, datum: Datum) -> Option<u16> {
        let mut data = self.data(datum.list()?);
        let head = canonical_head(self.dialect, self.source(data.next()?));
        let number = data.next().and_then(|list| self.symbol(list)).and_then(|name| self.variable_called(name));
        let (number, _) = number.filter(|(_, is_computed)| !is_computed)?;
        (FIRSTS.contains(&&*head) && data.next().is_none() && self.is_rest(number)).then_some(number)
    }

    /// In the code of a macro: what binds a variable of it that gets what is taken off a list of arguments, `(setq args
    /// (pop body))`.
    pub(crate) fn assigned(&self, name: Datum, value: Datum) -> Option<Task<'t>> {
        if self.learning.is_none() || self.level > 0 || self.is_in_template() {
            return None;
        }
        self.taken_off_list(value).map(|number| Task::BindElement(name, number))
    }

    /// In the code of a macro: the variable whose arguments, of which there can be any number, are the elements of the
    /// value of `datum`.
    pub(crate) fn elements(&self, datum: Datum) -> Option<u16> {
        if self.learning.is_none() || self.level > 0 || self.is_in_template() || !datum.is_bare() {
            return None;
        }
        let (number, is_computed) = self.variable_called(self.symbol(datum)?)?;
        (!is_computed && self.is_rest(number)).then_some(number)
    }

    /// Binds a name to the elements of what `list` evaluates to, one after the other.
    pub(crate) fn bind_elements(&self, name: Datum, list: Option<Datum>) -> Task<'t> {
        match list.and_then(|list| self.elements(list)) {
            Some(number) => Task::BindEach(name, number),
            None => Task::Bind(name, Pattern::Nested),
        }
    }

    /// Walks over a call that maps a function over the arguments of a macro: `(map (fn [name] …) names)`. False if it is
    /// none.
    pub(crate) fn learns_mapping(&mut self, head: &str, mut data: Data<'t>) -> bool {
        if self.learning.is_none() || !MAPPERS.contains(&head) {
            return false;
        }
        let (Some(function), Some(list)) = (data.next(), data.next()) else { return false };
        let Some(number) = self.elements(list) else { return false };
        let is_plain = function.is_bare() || self.is_prefixed(function, Prefix::Function);
        let Some(mut code) = function.list().filter(|_| is_plain).map(|list| self.data(list)) else { return false };
        let word = code.next().and_then(|word| self.symbol(word)).map(|word| canonical_head(self.dialect, word));
        let is_function =
            |word: &str| matches!(self.dialect.special_form(word), Some(SpecialForm::Fn | SpecialForm::Lambda));
        if !word.is_some_and(|word| is_function(&word)) {
            return false;
        }
        let parameters = self.inside(code.next());
        let &[name] = parameters.as_slice() else { return false };
        let count = self.local_count();
        self.next([Task::BindEach(name, number), Task::Codes(code), Task::Unbind(count), Task::Codes(data)]);
        true
    }

    /// Notes what becomes of the argument that a datum gets. True if the datum is no part of the template.
    pub(crate) fn learns(&mut self, datum: Datum, is: impl Fn(&mut Role)) -> bool {
        let numbers = match self.taken(datum) {
            Taken::Nothing => return false,
            Taken::Variable { number, .. } => vec![(number, true)],
            Taken::Element(number) => return self.learns_of_element(number, is),
            Taken::Computed(numbers) => numbers.into_iter().map(|number| (number, false)).collect(),
        };
        let clause = self.learning.as_mut().and_then(|learning| learning.clauses.last_mut());
        let Some(clause) = clause else { return true };
        for (number, is_itself) in numbers {
            let Some(role) = clause.roles.get_mut(usize::from(number)) else { continue };
            let mut new = Role::default();
            is(&mut new);
            if is_itself {
                is(role);
            } else if new.is_code || new.is_codes {
                role.is_unclear = true;
            } else if new.binds {
                // The binding list is made from the argument: `(let ,(mapcar … names) …)`.
                role.binds = true;
            } else {
                role.is_part_of_name = true;
            }
        }
        true
    }

    /// Notes what becomes of one of the arguments that a variable gets.
    fn learns_of_element(&mut self, number: u16, is: impl Fn(&mut Role)) -> bool {
        let clause = self.learning.as_mut().and_then(|learning| learning.clauses.last_mut());
        if let Some(role) = clause.and_then(|clause| clause.roles.get_mut(usize::from(number))) {
            let mut new = Role::default();
            is(&mut new);
            role.first_binds |= new.binds;
            role.first_defines = role.first_defines.or(new.defines);
            role.is_code |= new.is_code || new.is_codes;
        }
        true
    }

    /// Notes that the first of the arguments is a name that is defined, because the head looks so: `(define-row ,name …)`.
    /// A list that is made of them counts as well: `(list 'define-row name …)`.
    pub(crate) fn learns_definer(&mut self, head: &str, mut arguments: Data<'t>) -> bool {
        if self.learning.is_none() {
            return false;
        }
        let Some(first) = arguments.next() else { return false };
        if matches!(self.taken(first), Taken::Variable { .. }) && self.tree.language().names_what_it_defines(head) {
            self.use_of(first, UseKind::Definition);
            return true;
        }
        let is_quoted = self.prefixes(first).any(|prefix| self.meaning(prefix) == Prefix::Quote);
        let made = self.symbol(first).filter(|_| is_quoted && head == "list" && self.level == 0);
        let (Some(made), Some(name)) = (made, arguments.next()) else { return false };
        let Some(kind) = self.made_by(made) else { return false };
        let Some((number, false)) = self.symbol(name).and_then(|name| self.variable_called(name)) else { return false };
        let clause = self.learning.as_mut().and_then(|learning| learning.clauses.last_mut());
        if let Some(clause) = clause
            && let Some(role) = clause.roles.get_mut(usize::from(number))
        {
            role.defines = Some(kind);
            clause.has_template = true;
        }
        false
    }

    /// What forms with this head define by the name after it, as the head looks or as a macro of the project.
    fn made_by(&mut self, head: &'t str) -> Option<FormKind> {
        let known = self.head(head);
        let language = self.tree.language();
        if language.names_what_it_defines(&known.canonical) {
            return Some(known.defines.unwrap_or(FormKind::Definition));
        }
        let macros = self.macros.filter(|_| known.called == Called::Treated)?;
        let Operator::Macro(treatment) = macros.operator(self.current(0), head) else { return None };
        let clause = treatment.clauses.first()?;
        let Shape::Variable(number) = clause.parts.first()?.shape else { return None };
        clause.roles.get(usize::from(number))?.defines
    }

    /// The data in a list that the datum gets are spliced there.
    pub(crate) fn is_spliced(&self, datum: Datum) -> bool {
        matches!(self.taken(datum), Taken::Variable { spliced: true, .. })
    }

    /// Notes that an argument is code.
    pub(crate) fn learns_code(&mut self, datum: Datum) -> bool {
        let is_list = match self.taken(datum) {
            Taken::Variable { number, spliced: true } => !self.is_rest(number),
            _ => false,
        };
        let is_body = self.bodies > self.base;
        self.learns(datum, |role| {
            role.is_codes |= is_list;
            role.is_code |= !is_list;
            role.is_body |= is_body;
        })
    }

    /// The variable gets any number of arguments.
    fn is_rest(&self, number: u16) -> bool {
        let clause = self.learning.as_ref().and_then(|learning| learning.clauses.last());
        clause.is_some_and(|clause| has_rest(&clause.parts, number))
    }
}

/// The variable gets any number of arguments.
pub(crate) fn has_rest(parts: &[Part], number: u16) -> bool {
    // Patterns are not deeper than `DEEPEST`.
    parts.iter().any(|part| match &part.shape {
        Shape::Variable(variable) => *variable == number && part.count == Count::Many,
        Shape::List(parts) => has_rest(parts, number),
        _ => false,
    })
}

//! How the macros of a project treat their arguments, as far as their definitions show it.
//!
//! `(with-row (row table) (use row))` binds `row` if the template of `with-row` does; without that knowledge, `row` would
//! be a use of a variable, and `(row table)` a call. [`crate::learn`] finds the treatment in the definition of a macro.

use lispwright_syntax::language::{self as stated, PartMeaning, Row, What};
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Datum, FormKind, ListId, SpecialForm};

use crate::bind::Pattern;
use crate::facts::UseKind;
use crate::learn::has_rest;
use crate::walk::{Task, Walk};

/// What becomes of an argument. An argument can be used in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Role {
    /// It is code.
    pub(crate) is_code: bool,
    /// It is code in a body, whose definitions are local.
    pub(crate) is_body: bool,
    /// It is a list of code.
    pub(crate) is_codes: bool,
    /// It is data.
    pub(crate) is_data: bool,
    /// A name is made from it.
    pub(crate) is_part_of_name: bool,
    /// The names in it are bound: a name, a list of parameters, a list of bindings.
    pub(crate) binds: bool,
    /// It is a list or vector in which names and their values take turns.
    pub(crate) binds_pairs: bool,
    /// The same for the name of a function.
    pub(crate) binds_function: bool,
    /// It is the name of a function.
    pub(crate) is_function: bool,
    /// It is the name of a definition.
    pub(crate) defines: Option<FormKind>,
    /// It is a name that the module exports.
    pub(crate) exports: bool,
    /// It is used in a way that is not understood.
    pub(crate) is_unclear: bool,
    /// Of any number of arguments, the names in the first that is neither an option nor a docstring are bound.
    pub(crate) first_binds: bool,
    /// The same argument is the name of a definition.
    pub(crate) first_defines: Option<FormKind>,
    /// Any number of arguments are names of protocols or types, each followed by its methods.
    pub(crate) has_methods: bool,
}

/// The shape of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The variable of the macro with this number is the argument.
    Variable(u16),
    /// This symbol.
    Word(String),
    /// A list of parts, or a vector.
    List(Vec<Part>),
    /// Any datum.
    Any,
    /// It is not understood, so that no use fits it.
    Unknown,
}

/// A part of a list of arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) shape: Shape,
    pub(crate) count: Count,
}

/// How many data a part takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    One,
    Optional,
    /// All data but those that the parts after it need.
    Many,
    /// The value after a keyword.
    Keyword(String),
}

/// The arguments of one use: the variables of the macro, each with a datum that it gets.
type Arguments = Vec<(u16, Datum)>;

/// The arguments that a macro takes in one way, and their roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clause {
    pub(crate) parts: Vec<Part>,
    /// By the number of the variable.
    pub(crate) roles: Vec<Role>,
    /// A template was found, from which the roles are known.
    pub(crate) has_template: bool,
    /// The arguments of the variable with this number, which gets all that are left, are those of this special form:
    /// `(let ,@body)`.
    pub(crate) form: Option<(u16, SpecialForm)>,
}

impl Clause {
    /// The special form whose arguments are the last ones, and how many stand before these.
    fn form(&self) -> Option<(SpecialForm, u8)> {
        let (number, form) = self.form?;
        let (last, before) = self.parts.split_last()?;
        let is_last = last.shape == Shape::Variable(number) && last.count == Count::Many;
        let is_plain = is_last && before.iter().all(|part| part.count == Count::One);
        Some((form, u8::try_from(before.len()).ok()?)).filter(|_| is_plain)
    }
}

/// How a macro treats its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Treatment {
    /// The first that fits a use counts.
    pub(crate) clauses: Vec<Clause>,
}

impl Treatment {
    /// What a project states of the arguments; names are `bound` in this notation.
    pub(crate) fn stated(rows: &[Row], bound: Pattern) -> Self {
        let clause = |row: &Row| {
            let mut clause = Clause { has_template: true, ..Clause::default() };
            clause.parts = stated_parts(row.parts(), &mut clause.roles, bound);
            clause
        };
        Self { clauses: rows.iter().map(clause).collect() }
    }

    /// It says something about the arguments.
    pub(crate) fn is_known(&self) -> bool {
        self.clauses.iter().any(|clause| clause.has_template)
    }

    /// It exports the names that some arguments are.
    pub(crate) fn exports(&self) -> bool {
        self.clauses.iter().flat_map(|clause| &clause.roles).any(|role| role.exports)
    }
}

/// The parts of a row, which is not deep; each word in it is a variable.
fn stated_parts(parts: &[stated::RowPart], roles: &mut Vec<Role>, bound: Pattern) -> Vec<Part> {
    let part = |part: &stated::RowPart| {
        let shape = match &part.what {
            What::Word(word) => Shape::Word(word.clone()),
            What::List(inside) => Shape::List(stated_parts(inside, roles, bound)),
            What::Is(meaning) => match u16::try_from(roles.len()) {
                Ok(number) => {
                    roles.push(stated_role(*meaning, bound));
                    Shape::Variable(number)
                }
                Err(_) => Shape::Any,
            },
        };
        let count = match part.count {
            stated::Count::One => Count::One,
            stated::Count::Optional => Count::Optional,
            stated::Count::Many => Count::Many,
        };
        Part { shape, count }
    };
    parts.iter().map(part).collect()
}

fn stated_role(meaning: PartMeaning, bound: Pattern) -> Role {
    let none = Role::default();
    match meaning {
        PartMeaning::Bindings if bound == Pattern::Destructuring => Role { binds_pairs: true, ..none },
        PartMeaning::Name | PartMeaning::Bindings | PartMeaning::Parameters => Role { binds: true, ..none },
        PartMeaning::Value => Role { is_code: true, ..none },
        PartMeaning::Body => Role { is_code: true, is_body: true, ..none },
        PartMeaning::Data | PartMeaning::Docstring => Role { is_data: true, ..none },
        PartMeaning::Defines(kind) => Role { defines: Some(kind), ..none },
    }
}

/// How far the arguments are from whose front a macro takes one.
#[derive(Default)]
struct TakenOff {
    variable: Option<u16>,
    /// The argument is found.
    is_found: bool,
    /// The next argument is the value of an option.
    is_value: bool,
}

impl<'t> Walk<'t> {
    /// The clause that a use fits, with its arguments.
    fn clause_of<'c>(&self, treatment: &'c Treatment, arguments: &[Datum]) -> Option<(&'c Clause, Arguments)> {
        treatment.clauses.iter().find_map(|clause| {
            let mut found = Vec::new();
            self.fits(&clause.parts, arguments, &mut found).then_some((clause, found))
        })
    }

    /// The data fit the parts.
    fn fits(&self, parts: &[Part], data: &[Datum], found: &mut Arguments) -> bool {
        // The depth of patterns is that of a definition, which the reader limits; real ones have three levels.
        let mut at = 0;
        let mut keywords: Vec<(&str, &Shape)> = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            match &part.count {
                Count::One | Count::Optional => match data.get(at) {
                    Some(&datum) => {
                        if !self.fits_one(&part.shape, datum, found) {
                            return false;
                        }
                        at += 1;
                    }
                    None if part.count == Count::Optional => {}
                    None => return false,
                },
                Count::Many => {
                    let needed = parts[number + 1..].iter().filter(|part| part.count == Count::One).count();
                    let end = data.len().saturating_sub(needed).max(at);
                    for &datum in &data[at.min(end)..end] {
                        if !self.fits_one(&part.shape, datum, found) {
                            return false;
                        }
                    }
                    at = end;
                }
                Count::Keyword(word) => keywords.push((word, &part.shape)),
            }
        }
        if keywords.is_empty() {
            return at == data.len();
        }
        for pair in data.get(at..).unwrap_or_default().chunks(2) {
            let &[word, value] = pair else { continue };
            let word = self.source(word).trim_start_matches(['#', ':']);
            let known = keywords.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
            if let Some((_, shape)) = known
                && !self.fits_one(shape, value, found)
            {
                return false;
            }
        }
        true
    }

    fn fits_one(&self, shape: &Shape, datum: Datum, found: &mut Arguments) -> bool {
        match shape {
            Shape::Any => true,
            Shape::Unknown => false,
            Shape::Variable(variable) => {
                found.push((*variable, datum));
                true
            }
            Shape::Word(word) => datum.list().is_none() && self.source(datum) == word,
            Shape::List(parts) => match datum.list() {
                Some(list) => self.fits(parts, &self.data(list).collect::<Vec<_>>(), found),
                None => false,
            },
        }
    }

    /// Walks over a use of a macro as its treatment says. False if the use does not fit it.
    pub(crate) fn treated(&mut self, treatment: &Treatment, list: ListId) -> bool {
        let mut arguments: Vec<Datum> = self.data(list).skip(1).collect();
        self.repeat_rest(&mut arguments);
        let Some((clause, mut found)) = self.clause_of(treatment, &arguments) else { return false };
        let form = clause.form();
        if let Some((_, before)) = form {
            arguments.truncate(usize::from(before));
            let end = arguments.last().map(|last| last.last);
            found.retain(|(_, datum)| end.is_some_and(|end| datum.core <= end));
        }
        found.sort_by_key(|(_, datum)| datum.core);
        let count = self.local_count();
        let is_at_top = self.is_at_top();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        let mut binders: Vec<Task<'t>> = Vec::new();
        let is_body = |(variable, _): &(u16, Datum)| clause.roles[usize::from(*variable)].is_body;
        let body: Vec<Datum> = found.iter().filter(|one| is_body(one)).map(|(_, datum)| *datum).collect();
        let is_in_body = self.rules.has_inner_definitions && !body.is_empty();
        let mut found = found.into_iter().peekable();
        let head = canonical_head(self.dialect, self.data(list).next().map_or("", |head| self.source(head)));
        let is_definer = self.definer.is_none() && self.tree.language().names_what_it_defines(&head);
        // `(define/checked (name parameter…) code…)`: what the macro computes from the parameters is not known.
        let header = arguments.first().copied().filter(|first| is_definer && first.list().is_some());
        let header = header.filter(|_| self.rules.has_inner_definitions);
        let mut is_first = true;
        let mut taken_off = TakenOff::default();
        let mut members = Vec::new();
        arguments.dedup();
        let is_code = |datum: &Datum| datum.list().is_some() || self.symbol(*datum).is_some();
        let is_alone = arguments.iter().filter(|one| is_code(one)).count() < 2;
        for argument in arguments {
            let mut is_known = false;
            while let Some((variable, datum)) = found.next_if(|(_, datum)| datum.core <= argument.last) {
                is_known = true;
                let mut role = clause.roles[usize::from(variable)];
                let is_clear = (role.is_code || role.is_data) && !role.is_unclear && !role.is_part_of_name;
                if std::mem::take(&mut is_first) && is_definer && !is_clear && !role.binds {
                    // What becomes of the name is not known; the head says that it is defined.
                    role.defines.get_or_insert(FormKind::Definition);
                    role.exports |= self.says_that_it_provides(&head);
                }
                let is_parameter = header.is_some_and(|header| datum.core <= header.last && role.defines.is_none());
                if is_parameter && (role.is_unclear || role.is_part_of_name || !is_clear) {
                    role = Role { binds: true, ..Role::default() };
                }
                // What is taken off the front is all that is bound.
                let is_part = role.binds && has_rest(&clause.parts, variable);
                if role.first_binds || role.first_defines.is_some() {
                    role = self.taken_off(role, datum, variable, &mut taken_off);
                }
                if role.has_methods {
                    members.push(datum);
                    continue;
                }
                // What the macro binds of its only argument is seen by that alone: `(let ,(values-of form) ,(test-of form))`.
                role.binds &= !(role.is_unclear && is_alone && self.is_call(datum));
                self.argument(role, datum, is_part, is_at_top, &mut tasks, &mut binders);
            }
            if !is_known && argument.list().is_none() {
                tasks.push(Task::Quoted(argument));
            }
            // What an argument binds, it does not see itself.
            tasks.append(&mut binders);
        }
        if !members.is_empty() {
            tasks.push(Task::Methods(members));
        }
        tasks.extend(form.map(|(form, before)| Task::Special(form, list, self.data(list).skipping(before + 1))));
        self.definer = clause.roles.iter().find_map(|role| role.defines.or(role.first_defines));
        if is_at_top {
            self.note_treated(list);
        }
        if is_in_body {
            tasks.insert(0, Task::EnterBody(body));
            tasks.push(Task::LeaveBody);
        }
        // A definition in a body is seen by the rest of the body.
        if is_at_top || !clause.roles.iter().any(|role| role.defines.is_some()) {
            tasks.push(Task::Unbind(count));
        }
        self.next(tasks);
        true
    }

    /// The datum is a list that begins with a symbol.
    fn is_call(&self, datum: Datum) -> bool {
        datum.list().and_then(|list| self.data(list).next()).is_some_and(|head| self.symbol(head).is_some())
    }

    /// The role of one of any number of arguments, from whose front the macro takes one.
    fn taken_off(&self, role: Role, datum: Datum, variable: u16, state: &mut TakenOff) -> Role {
        let rest = Role { first_binds: false, first_defines: None, ..role };
        if state.variable != Some(variable) {
            *state = TakenOff { variable: Some(variable), ..TakenOff::default() };
        }
        let is_option = std::mem::take(&mut state.is_value);
        let word = self.source(datum);
        if state.is_found || is_option {
            return rest;
        }
        if word.starts_with(':') {
            state.is_value = true;
            return rest;
        }
        let head = datum.list().and_then(|list| self.data(list).next()).map_or("", |head| self.source(head));
        if word.starts_with('"') || matches!(head, "declare" | "interactive") {
            return rest;
        }
        state.is_found = true;
        let (defines, binds) = (role.first_defines, role.first_binds);
        Role { is_code: false, is_body: false, has_methods: false, defines, binds, ..rest }
    }

    /// In the template of a macro, `. rest` stands for some arguments, which the parts of another macro may divide.
    fn repeat_rest(&self, arguments: &mut Vec<Datum>) {
        if let &[_, .., dot, rest] = arguments.as_slice()
            && self.source(dot) == "."
            && self.is_taken(rest)
        {
            let at = arguments.len() - 2;
            arguments[at] = rest;
        }
    }

    fn argument(
        &mut self,
        role: Role,
        datum: Datum,
        is_part: bool,
        is_at_top: bool,
        tasks: &mut Vec<Task<'t>>,
        binders: &mut Vec<Task<'t>>,
    ) {
        if role.exports && is_at_top {
            tasks.push(Task::Export(self.curried(datum).0));
        }
        if role.defines.is_some() && datum.list().is_some() && self.rules.has_inner_definitions {
            // `(name . parameters)`
            let (name, parameters) = self.curried(datum);
            tasks.extend(is_at_top.then_some(Task::Use(name, UseKind::Definition)));
            binders.extend((!is_at_top).then_some(Task::Bind(name, Pattern::Name)));
            binders.extend(parameters.into_iter().map(Task::BindParameters));
        } else if role.defines.is_some() {
            // `(define-command (name group) …)`
            let mut inside = datum.list().map(|list| self.data(list));
            let first = inside.as_mut().and_then(Iterator::next).filter(|first| self.symbol(*first).is_some());
            let first = first.filter(|first| !self.source(*first).eq_ignore_ascii_case("setf"));
            tasks.extend(first.and(inside).map(Task::Quoteds));
            let datum = first.unwrap_or(datum);
            if is_at_top {
                tasks.push(Task::Use(datum, UseKind::Definition));
            } else {
                binders.push(Task::Bind(datum, Pattern::Name));
            }
        } else if let Some(list) = datum.list().filter(|_| role.binds_pairs) {
            for pair in self.spread(list).chunks(2) {
                tasks.extend(pair.get(1).copied().map(Task::Code));
                tasks.push(Task::Bind(pair[0], self.rules.binds));
            }
        } else if role.binds {
            // Of several names in an argument, or of several arguments, some may be bound and others used.
            let is_several = is_part || datum.list().is_some();
            let is_unclear = role.is_unclear || role.is_data || role.is_part_of_name;
            let is_doubtful = role.is_code || role.is_codes || (is_several && is_unclear);
            binders.push(Task::Bind(
                datum,
                match self.rules.binds {
                    Pattern::Guessed { .. } => Pattern::Guessed { is_part, is_doubtful },
                    pattern => pattern,
                },
            ));
        } else if role.binds_function {
            binders.push(Task::BindFunction(datum));
        } else if role.is_codes {
            tasks.push(match datum.list() {
                Some(list) => Task::Codes(self.data(list)),
                None => Task::Code(datum),
            });
        } else if role.is_function {
            tasks.push(Task::Use(datum, UseKind::Value));
        } else if (role.is_data || role.is_part_of_name) && !role.is_code && !role.is_unclear {
            tasks.push(if role.is_data { Task::Names(datum) } else { Task::Quoted(datum) });
        } else {
            if role.is_unclear || !role.is_code {
                self.unclear(datum);
                // Nor is it known of a macro that gives this one what it gets.
                if self.learning.is_some() {
                    self.learns(datum, |role| role.is_unclear = true);
                }
            }
            tasks.push(Task::Code(datum));
        }
    }
}

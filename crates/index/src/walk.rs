//! Walks over the code of a text in the order of an evaluator, without evaluating, to find calls, data and local
//! bindings.
//!
//! The walk follows the dialect's table of [`SpecialForm`]s, and treats the project's own definers like the known ones
//! that they resemble. The remaining work is on a stack of [`Task`]s, so there is no limit on the depth of nesting.

use lispwright_syntax::datum::Prefixed;
use lispwright_syntax::name::canonical_head;
use lispwright_syntax::{Data, Datum, Dialect, FormKind, ListId, Span, SpecialForm, TokenKind, Tree};

use rustc_hash::FxHashMap;

use crate::bind::Pattern;
use crate::dialects::{Rules, rules};
use crate::facts::{Doubtful, Facts, Mark, MarkRole, Owner, Use, UseKind};
use crate::learn::Learning;
use crate::macros::Macros;
use crate::space::Space;
use crate::treatment::Treatment;

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
    /// The body ends.
    LeaveBody,
    /// Bind the names in it.
    Bind(Datum, Pattern),
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
    /// What follows is, or is not, in a template of syntax, where it is code of the uses of a macro.
    InTemplate(bool),
    /// What follows is in this many backquotes of a template that is walked over as code.
    Level(u32),
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

/// A name that a form binds for the code inside.
#[derive(Clone, Copy)]
struct Local<'t> {
    name: &'t str,
    /// Its number, if it is a variable of a macro that is learned, or computed from one.
    variable: Option<u16>,
    /// It is computed.
    is_computed: bool,
    is_function: bool,
    /// It names a block, and neither a function nor a variable.
    is_label: bool,
    /// It may be a dynamic variable, if a file defines it.
    may_be_dynamic: bool,
    /// The number of arguments of calls around its binding.
    depth: usize,
}

/// Heads of forms around declarations.
const WRAPPERS: &[&str] = &["progn", "eval-when", "begin", "do"];

/// A walk over one text.
pub(crate) struct Walk<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) text: &'t str,
    pub(crate) dialect: Dialect,
    pub(crate) rules: &'static Rules,
    facts: Facts,
    tasks: Vec<Task<'t>>,
    locals: Vec<Local<'t>>,
    /// How many local names there were at the beginning of each scope.
    scopes: Vec<usize>,
    in_template: bool,
    /// Symbols that are no uses are noted, too.
    pub(crate) marks: bool,
    /// The arguments of calls around the place, outermost first; only with marks.
    around: Vec<(Span, usize)>,
    /// The macros of the project.
    pub(crate) macros: Option<&'t Macros<'t>>,
    /// The treatments of the heads that the walk has met, in the space in which it met them.
    treatments: FxHashMap<&'t str, Option<&'t Treatment>>,
    /// What is learned from the definition of a macro, if the walk is over one.
    pub(crate) learning: Option<Learning>,
    /// What the form that is walked over defines.
    pub(crate) definer: Option<FormKind>,
    /// How many backquotes are around, in a template that is walked over as code.
    pub(crate) level: u32,
    /// How many bodies are around, in which definitions are local.
    pub(crate) bodies: usize,
    /// How many of them are around the template.
    pub(crate) base: usize,
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
            treatments: FxHashMap::default(),
            learning: None,
            definer: None,
            level: 0,
            bodies: 0,
            base: 0,
        }
    }

    /// The code is in this space.
    pub(crate) fn start_in(&mut self, space: &str) {
        self.facts.current = vec![(0, space.to_owned())];
    }

    /// The facts that the walk has found.
    pub(crate) fn finish(mut self) -> Facts {
        self.facts.uses.sort_unstable_by_key(|one| (one.start, one.kind));
        self.facts.uses.dedup();
        self.facts.uses.shrink_to_fit();
        self.facts.owners.sort_unstable_by_key(|(start, _)| *start);
        self.facts.marks.sort_unstable_by_key(|mark| mark.span.start);
        self.facts.doubtful.sort_unstable_by_key(|one| one.start);
        self.facts
    }

    pub(crate) fn run(&mut self) {
        let tree = self.tree;
        let is_data = self.rules.is_data;
        self.tasks.push(if is_data { Task::Quoteds(tree.top_level()) } else { Task::Codes(tree.top_level()) });
        self.work();
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

    /// The source of a datum without its prefixes.
    pub(crate) fn source(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.core_span(datum).range()]
    }

    pub(crate) fn data(&self, list: ListId) -> Data<'t> {
        self.tree.data(list)
    }

    /// Puts tasks on the stack, to be done next in this order.
    pub(crate) fn next(&mut self, tasks: impl IntoIterator<Item = Task<'t>, IntoIter: DoubleEndedIterator>) {
        self.tasks.extend(tasks.into_iter().rev());
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
            Task::LeaveBody => self.bodies -= 1,
            Task::Bind(datum, pattern) => self.bind(datum, pattern),
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

    // Names.

    /// The name, if the datum is a symbol that can be one: not a number, keyword or boolean.
    pub(crate) fn symbol(&self, datum: Datum) -> Option<&'t str> {
        if datum.list().is_some() || self.tree.kind(datum.core) != TokenKind::Atom {
            return None;
        }
        let text = self.source(datum);
        is_symbol(self.dialect, text).then_some(text)
    }

    pub(crate) fn bind_name(&mut self, datum: Datum, is_function: bool) {
        self.bind_local(datum, is_function, self.rules.variables_are_dynamic && !is_function);
    }

    /// Binds a parameter, which is lexical in a file with lexical binding even if there is a dynamic variable with its
    /// name.
    pub(crate) fn bind_parameter(&mut self, datum: Datum) {
        self.bind_local(datum, false, self.rules.variables_are_dynamic && !Self::is_lexical(self.text));
    }

    fn bind_local(&mut self, datum: Datum, is_function: bool, may_be_dynamic: bool) {
        let Some(name) = self.symbol(datum) else { return };
        if self.is_special(name) && !is_function {
            self.use_of(datum, UseKind::Binding);
        } else {
            self.bind_text(name, is_function);
            if let Some(local) = self.locals.last_mut() {
                local.may_be_dynamic = may_be_dynamic;
            }
        }
    }

    /// Binds a name that is only a part of a datum.
    pub(crate) fn bind_text(&mut self, name: &'t str, is_function: bool) {
        self.mark_local(name, is_function);
        let depth = self.around.len();
        self.locals.push(Local {
            name,
            variable: None,
            is_computed: false,
            is_function,
            is_label: false,
            may_be_dynamic: false,
            depth,
        });
    }

    /// Binds a variable of a macro that is learned, or one that the macro computes from it.
    pub(crate) fn bind_variable(&mut self, name: &'t str, number: u16, is_computed: bool) {
        self.bind_text(name, false);
        if let Some(local) = self.locals.last_mut() {
            (local.variable, local.is_computed) = (Some(number), is_computed);
        }
    }

    /// The variable of a macro that a name means, and whether it is only computed from it.
    pub(crate) fn variable_called(&self, name: &str) -> Option<(u16, bool)> {
        self.local(name, false).and_then(|local| Some((local.variable?, local.is_computed)))
    }

    /// A variable of a macro is known here.
    pub(crate) fn has_variables(&self) -> bool {
        self.locals.iter().any(|local| local.variable.is_some())
    }

    pub(crate) fn unbind(&mut self, count: usize) {
        self.locals.truncate(count);
    }

    /// A definition here is not local.
    pub(crate) fn is_at_top(&self) -> bool {
        self.bodies == self.base
    }

    fn enter_template(&mut self, is_inside: bool) {
        self.in_template = is_inside;
        self.base = if is_inside && self.learning.is_some() { self.bodies } else { 0 };
        self.note_template(is_inside);
    }

    fn enter_level(&mut self, level: u32) {
        self.base = if level > 0 { self.bodies } else { 0 };
        self.level = level;
        self.note_template(level > 0);
    }

    /// Binds the name of a block.
    fn bind_label(&mut self, datum: Datum) {
        if let Some(name) = self.symbol(datum) {
            let depth = self.around.len();
            let local = Local {
                name,
                variable: None,
                is_computed: false,
                is_function: false,
                is_label: true,
                may_be_dynamic: false,
                depth,
            };
            self.locals.push(local);
        }
    }

    /// Notes that a part of the text is a local name.
    pub(crate) fn mark_local(&mut self, name: &'t str, is_function: bool) {
        let is_apart = is_function && self.rules.two_namespaces;
        self.mark(name, if is_apart { MarkRole::LocalFunction } else { MarkRole::Local });
    }

    /// Notes that a part of the text is no use.
    pub(crate) fn mark(&mut self, part: &'t str, role: MarkRole) {
        if self.marks {
            // The part is a slice of the text.
            let start = (part.as_ptr() as usize - self.text.as_ptr() as usize) as u32;
            self.facts.marks.push(Mark { span: Span::new(start, start + part.len() as u32), role });
        }
    }

    /// By convention, the name is that of a dynamic variable, so a local binding does not hide it.
    pub(crate) fn is_special(&self, name: &str) -> bool {
        (self.rules.is_dynamic)(name)
    }

    pub(crate) fn local_count(&self) -> usize {
        self.locals.len()
    }

    pub(crate) fn is_local(&self, name: &str, is_function: bool) -> bool {
        self.local(name, is_function).is_some()
    }

    fn local(&self, name: &str, is_function: bool) -> Option<&Local<'t>> {
        let folds = self.dialect.folds_case();
        let spaces = self.rules.two_namespaces;
        self.locals.iter().rev().filter(|local| !local.is_label).find(|local| {
            (!spaces || local.is_function == is_function)
                && if folds { local.name.eq_ignore_ascii_case(name) } else { local.name == name }
        })
    }

    /// A block of that name is around the place, other than the block of a function that is defined at top level.
    fn is_block(&self, name: &str) -> bool {
        let folds = self.dialect.folds_case();
        let is_same =
            |local: &Local<'_>| if folds { local.name.eq_ignore_ascii_case(name) } else { local.name == name };
        self.locals.iter().any(|local| local.is_label && is_same(local))
    }

    fn mark_words(&mut self, data: Data<'t>) {
        data.for_each(|datum| self.mark_all(datum, MarkRole::Word));
    }

    /// Marks the symbols in a datum.
    pub(crate) fn mark_all(&mut self, datum: Datum, role: MarkRole) {
        let mut waiting = vec![datum];
        while let Some(datum) = waiting.pop().filter(|_| self.marks) {
            match datum.list() {
                Some(list) => waiting.extend(self.data(list)),
                None => {
                    if let Some(name) = self.symbol(datum) {
                        self.mark(name, role);
                    }
                }
            }
        }
    }

    /// Notes a use, unless the name is local.
    pub(crate) fn use_of(&mut self, datum: Datum, kind: UseKind) {
        if self.learning.is_some() && self.learns_use(datum, kind) {
            return;
        }
        // `(setf name)` is the name of a function, too. Other lists are no names.
        let setter = datum.list().filter(|_| matches!(kind, UseKind::Definition | UseKind::Method));
        let datum = match setter.map(|list| self.data(list)) {
            None => datum,
            Some(mut data) => {
                let is_setter = data.next().is_some_and(|head| self.source(head).eq_ignore_ascii_case("setf"));
                let Some(name) = data.next().filter(|_| is_setter) else { return };
                name
            }
        };
        let Some(name) = self.symbol(datum) else { return };
        let takes_function = kind == UseKind::Call;
        let may_be_local = matches!(kind, UseKind::Call | UseKind::Value | UseKind::Assignment);
        let local = self.local(name, takes_function).filter(|_| may_be_local);
        let (is_local, is_hidden) = (local.is_some(), local.is_some_and(|local| !local.may_be_dynamic));
        if is_local {
            self.mark_local(name, takes_function);
        }
        if !is_hidden {
            let hidden = is_local || (kind == UseKind::Binding && self.rules.variables_are_dynamic);
            if kind == UseKind::Definition && !self.in_template {
                let kind = self.definer.unwrap_or(FormKind::Definition);
                self.facts.defined.push((self.name_in(datum), kind));
            }
            self.note_use(self.name_in(datum), kind, hidden);
        }
    }

    /// Notes that the name at `span` is defined here.
    pub(crate) fn note_defined(&mut self, span: Span) {
        if !self.in_template && self.learning.is_none() {
            self.facts.defined.push((span, FormKind::Definition));
        }
    }

    /// Notes that an argument of a macro is used.
    fn learns_use(&mut self, datum: Datum, kind: UseKind) -> bool {
        let definer = self.definer;
        self.learns(datum, |role| match kind {
            UseKind::Definition => role.defines = definer.or(Some(FormKind::Definition)),
            UseKind::Quoted | UseKind::Export => role.is_data = true,
            UseKind::Method => role.is_function = true,
            _ => role.is_code = true,
        })
    }

    /// Notes a use of a method whose space is that of `owner`.
    pub(crate) fn note_method(&mut self, span: Span, owner: Span) {
        self.note(span, UseKind::Method);
        self.facts.owners.push((span.start, Owner::Name(owner)));
    }

    /// The space that is current at a byte.
    pub(crate) fn current(&self, offset: u32) -> &str {
        self.facts.space_at(offset)
    }

    /// Notes a use of the name at `span`.
    pub(crate) fn note(&mut self, span: Span, kind: UseKind) {
        self.note_use(span, kind, false);
    }

    /// Notes a use of a name of another space; `is_exported`: by the name under which that space exports it.
    pub(crate) fn note_of(&mut self, span: Span, kind: UseKind, space: String, is_exported: bool) {
        self.note(span, kind);
        self.facts.owners.push((span.start, Owner::Space { name: space, is_exported }));
    }

    /// The walk is in a template of syntax.
    pub(crate) fn is_in_template(&self) -> bool {
        self.in_template
    }

    fn note_use(&mut self, span: Span, kind: UseKind, hidden: bool) {
        let is_code = !matches!(kind, UseKind::Quoted | UseKind::Export);
        let kind = if self.in_template && is_code { UseKind::Template } else { kind };
        if self.marks && self.rules.two_namespaces {
            self.note_doubt(span);
        }
        if let Ok(len) = u16::try_from(span.len()) {
            self.facts.uses.push(Use { start: span.start, len, kind, hidden });
        }
    }

    /// Notes that a use has the name of a local name, and in which arguments it is.
    fn note_doubt(&mut self, span: Span) {
        let folds = self.dialect.folds_case();
        let text = &self.text[span.range()];
        let is_it = |local: &&Local<'_>| {
            !local.is_label && if folds { local.name.eq_ignore_ascii_case(text) } else { local.name == text }
        };
        let Some(local) = self.locals.iter().rev().find(is_it) else { return };
        let around = self.around[local.depth.min(self.around.len())..].to_vec();
        if !around.is_empty() {
            self.facts.doubtful.push(Doubtful { start: span.start, around });
        }
    }

    // Data.

    /// Walks over data without code.
    fn quoted(&mut self, datum: Datum) {
        if self.learns(datum, |role| role.is_data = true) {
            return;
        }
        match datum.list() {
            Some(list) => {
                self.look_up_in_data(datum, list);
                self.tasks.push(Task::Quoteds(self.data(list)));
            }
            None if self.is_name_in_data(datum) => self.use_of(datum, UseKind::Quoted),
            None => self.mark_all(datum, MarkRole::Data),
        }
    }

    /// Notes the names of types in a type, which no variable hides.
    fn type_names(&mut self, datum: Datum) {
        for atom in self.atoms(datum) {
            if let Some(name) = self.symbol(atom) {
                self.note(self.tree.core_span(atom), UseKind::Value);
                self.mark(name, MarkRole::Type);
            }
        }
    }

    /// Notes the names that code in data looks up, as that of the operations of a system: `(symbol-call :package :name)`.
    fn look_up_in_data(&mut self, datum: Datum, list: ListId) {
        let head = self.data(list).next().filter(|_| self.rules.templates_declare);
        if let Some(head) = head.and_then(|head| self.symbol(head)) {
            let head = canonical_head(self.dialect, head);
            let declared = (self.rules.declares)(self, &head, datum, list);
            for (span, space) in declared.map_or_else(Vec::new, |declared| declared.looked_up) {
                self.note_of(span, UseKind::Quoted, space, true);
            }
        }
    }

    /// Walks over a part of a template, at this depth of backquotes.
    fn template(&mut self, datum: Datum, mut depth: u32) {
        let prefixes = self.prefixes(datum);
        for (at, &prefix) in prefixes.iter().enumerate() {
            match self.meaning(prefix) {
                Prefix::Template => depth += 1,
                Prefix::Unquote if depth <= 1 => return self.prefixed(datum, &prefixes[at + 1..]),
                Prefix::Unquote => depth -= 1,
                _ => {}
            }
        }
        let Some(list) = datum.list() else { return self.use_in_template(datum) };
        let mut data = self.data(list);
        let head = data.clone().next().and_then(|head| self.symbol(head));
        match head.and_then(|head| self.dialect.special_form(&canonical_head(self.dialect, head))) {
            Some(SpecialForm::Unquote) if depth <= 1 => {
                data.next();
                self.tasks.push(Task::Codes(data));
            }
            Some(SpecialForm::Unquote) => self.tasks.push(Task::Templates(data, depth - 1)),
            Some(SpecialForm::Template) => self.tasks.push(Task::Templates(data, depth + 1)),
            _ => {
                if let Some(head) = head.filter(|_| self.rules.templates_declare) {
                    self.declare_in_template(&canonical_head(self.dialect, head), datum, list);
                }
                self.tasks.push(Task::Templates(data, depth));
            }
        }
    }

    /// Notes a package with a written name that a macro declares.
    fn declare_in_template(&mut self, head: &str, datum: Datum, list: ListId) {
        let declared = (self.rules.declares)(self, head, datum, list).filter(|declared| declared.current.is_none());
        if let Some(space) = declared.and_then(|declared| declared.space) {
            self.take_space(space);
        }
    }

    // Code.

    /// The opener of a list; the source of any other datum.
    pub(crate) fn opener(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.token_span(datum.core).range()]
    }

    pub(crate) fn prefixes(&self, datum: Datum) -> Vec<Prefixed> {
        if datum.is_bare() { Vec::new() } else { self.tree.prefixes(datum) }
    }

    /// A condition of the reader is before the datum: `#+sbcl`.
    pub(crate) fn is_conditional(&self, datum: Datum) -> bool {
        let is_condition = |prefix: &Prefixed| {
            let token = &self.text[self.tree.token_span(prefix.token).range()];
            prefix.kind == TokenKind::Annotation && matches!(token, "#+" | "#-")
        };
        self.prefixes(datum).iter().any(is_condition)
    }

    /// One of the prefixes of the datum has this meaning.
    pub(crate) fn is_prefixed(&self, datum: Datum, prefix: Prefix) -> bool {
        self.prefixes(datum).iter().any(|&one| self.meaning(one) == prefix)
    }

    pub(crate) fn meaning(&self, prefix: Prefixed) -> Prefix {
        let text = &self.text[self.tree.token_span(prefix.token).range()];
        match (prefix.kind, text) {
            (TokenKind::Prefix, "'") => Prefix::Quote,
            (TokenKind::Prefix, "#'" | "#`" | "#~") if self.rules.has_syntax_objects => Prefix::Syntax,
            (TokenKind::Prefix, "`" | "#`") => Prefix::Template,
            (TokenKind::Prefix, "," | ",@" | ",." | "~" | "~@" | "#," | "#,@" | "#$" | "#$@" | "#+" | "#+@") => {
                Prefix::Unquote
            }
            (TokenKind::Prefix, "#'") => Prefix::Function,
            _ => Prefix::Other,
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
        let prefixes = self.prefixes(datum);
        self.prefixed(datum, &prefixes);
    }

    /// Walks over code with these prefixes.
    fn prefixed(&mut self, datum: Datum, prefixes: &[Prefixed]) {
        for &prefix in prefixes {
            self.hint(prefix);
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
                Prefix::Syntax | Prefix::Unquote | Prefix::Other => {}
            }
        }
        self.core_code(datum);
    }

    /// Walks over the template after a backquote.
    fn template_core(&mut self, datum: Datum, depth: u32) {
        match datum.list() {
            Some(list) => self.tasks.push(Task::Templates(self.data(list), depth)),
            None => self.use_in_template(datum),
        }
    }

    /// Walks over the argument of `#'` or `function`.
    fn function_name(&mut self, datum: Datum) {
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
    fn core_code(&mut self, datum: Datum) {
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
            return self.tasks.push(Task::Codes(data));
        }
        let canonical = canonical_head(self.dialect, name);
        self.use_of(head, UseKind::Call);
        let form = self.dialect.special_form(&canonical).or_else(|| {
            let known = self.tree.language().known_head(&canonical)?;
            self.dialect.special_form(known)
        });
        self.declare(&canonical, datum, list);
        self.note_definer(&canonical);
        match form {
            Some(form) => self.special(form, list),
            None if self.is_treated(name, list) => {}
            None if self.dialect.table().takes_functions.contains(&&*canonical) => self.higher_order(data),
            None if self.learns_definer(&canonical, data.clone()) => {
                data.next();
                self.arguments(head, data);
            }
            None => self.arguments(head, data),
        }
    }

    /// Notes that a form uses a macro whose treatment of arguments is known.
    pub(crate) fn note_treated(&mut self, list: ListId) {
        self.facts.treated.push(self.tree.list_span(list).start);
    }

    /// Remembers what forms with this head define.
    pub(crate) fn note_definer(&mut self, head: &str) {
        self.definer = self.tree.language().kind_of(head);
    }

    /// Walks over a use of one of the project's macros, if its treatment of arguments is known.
    pub(crate) fn is_treated(&mut self, name: &'t str, list: ListId) -> bool {
        let Some(macros) = self.macros.filter(|macros| macros.is_called(self.dialect, name)) else { return false };
        let treatment = match self.treatments.get(name) {
            Some(known) => *known,
            None => {
                let offset = self.tree.list_span(list).start;
                let found = macros.treatment(self.facts.space_at(offset), name);
                self.treatments.insert(name, found);
                found
            }
        };
        match treatment {
            Some(treatment) => self.treated(treatment, list),
            None => {
                // The head looks like that of a definition, but its arguments are evaluated.
                let offset = self.tree.list_span(list).start;
                if macros.is_function(self.facts.space_at(offset), name) {
                    self.note_treated(list);
                }
                false
            }
        }
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
                let is_name =
                    datum.list().is_none() && self.prefixes(datum).iter().any(|&p| self.meaning(p) == Prefix::Quote);
                if is_name { Task::Named(datum, UseKind::Value) } else { Task::Code(datum) }
            })
            .collect();
        self.next(tasks);
    }

    /// Notes the package or module that a form declares or makes current.
    pub(crate) fn declare(&mut self, head: &str, datum: Datum, list: ListId) {
        let Some(declared) = (self.rules.declares)(self, head, datum, list) else { return };
        let span = self.tree.core_span(datum);
        match (declared.current, &declared.space) {
            (Some(current), _) => {
                self.treatments.clear();
                self.facts.current.push((span.start, current));
            }
            // Names in a declaration belong to the space that it declares.
            (None, Some(space)) if space.name != self.facts.space_at(span.start) => {
                let around = self.facts.space_at(span.start).to_owned();
                self.facts.current.extend([(span.start, space.name.clone()), (span.end, around)]);
            }
            (None, _) => {}
        }
        if let Some(space) = declared.space {
            self.take_space(space);
        }
        for span in declared.exported {
            self.note(span, UseKind::Export);
        }
        self.facts.included.extend(declared.included.into_iter().map(|file| (span.start, file)));
        for (span, space) in declared.looked_up {
            self.note_of(span, UseKind::Quoted, space, true);
        }
        for (span, space) in declared.elsewhere {
            self.note_of(span, UseKind::Export, space, true);
        }
    }

    fn take_space(&mut self, space: Space) {
        match self.facts.spaces.iter_mut().rfind(|known| known.name == space.name) {
            Some(known) => known.extend(space),
            None => self.facts.spaces.push(space),
        }
    }

    /// Walks over a special form.
    pub(crate) fn special(&mut self, form: SpecialForm, list: ListId) {
        use SpecialForm as F;
        let mut data = self.data(list);
        data.next();
        let count = self.local_count();
        match form {
            F::Data => self.tasks.push(Task::Quoteds(data)),
            F::Space => {
                let mut waiting: Vec<Datum> = data.collect();
                while let Some(datum) = waiting.pop() {
                    if let Some(list) = datum.list() {
                        self.look_up_in_data(datum, list);
                        waiting.extend(self.data(list));
                    }
                }
            }
            F::Body(skipped) => self.tasks.push(Task::Codes(data.skipping(skipped))),
            F::Named => {
                if let Some(name) = data.next() {
                    self.mark_all(name, MarkRole::Word);
                }
                self.tasks.push(Task::Codes(data));
            }
            F::Typed => {
                let kind = data.next().map(Task::Type);
                self.next(kind.into_iter().chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::Listed => {
                let inside = data.next().and_then(Datum::list).map(|list| Task::Codes(self.data(list)));
                self.next(inside.into_iter().chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::ListedSecond => {
                let first = data.next().map(Task::Code);
                let inside = data.next().and_then(Datum::list).map(|list| Task::Codes(self.data(list)));
                self.next(first.into_iter().chain(inside).chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::TypedPlace => {
                let place = data.next().map(Task::Code);
                let kind = data.next().map(Task::Type);
                self.next(place.into_iter().chain(kind).chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::SetValues => {
                let names = data.next().and_then(Datum::list).into_iter().flat_map(|list| self.data(list));
                let names: Vec<_> = names.map(|name| Task::Use(name, UseKind::Assignment)).collect();
                self.next(names.into_iter().chain([Task::Codes(data)]).collect::<Vec<_>>());
            }
            F::Declare => data.for_each(|specifier| match specifier.list().filter(|_| specifier.is_bare()) {
                Some(specifier) => self.declaration(specifier),
                None => self.tasks.push(Task::Code(specifier)),
            }),
            F::Block => {
                let name = data.next();
                if let Some(name) = name {
                    self.mark_all(name, MarkRole::Word);
                }
                let tasks = name.map(Task::BindLabel).into_iter().chain([Task::Codes(data), Task::Unbind(count)]);
                self.next(tasks.collect::<Vec<_>>());
            }
            F::ReturnFrom => {
                if let Some(name) = data.next().and_then(|name| self.symbol(name)) {
                    self.mark(name, if self.is_block(name) { MarkRole::Word } else { MarkRole::Label });
                }
                self.tasks.push(Task::Codes(data));
            }
            F::SlotOf | F::BareSlotOf => {
                let object = data.next().map(Task::Code);
                let slot = data.next();
                let is_named = |slot: Datum| {
                    slot.list().is_none() && (form == F::BareSlotOf || self.is_prefixed(slot, Prefix::Quote))
                };
                let named = slot.filter(|slot| is_named(*slot));
                if let Some(slot) = named {
                    self.mark_all(slot, MarkRole::Slot);
                }
                let slot = slot.filter(|_| named.is_none()).map(Task::Code);
                let tasks: Vec<_> = object.into_iter().chain(slot).chain([Task::Codes(data)]).collect();
                self.next(tasks);
            }
            F::FunctionName => {
                if let Some(datum) = data.next() {
                    self.function_name(datum);
                }
            }
            F::Template => {
                if let Some(datum) = data.next() {
                    self.template(datum, 1);
                }
            }
            F::Unquote => self.tasks.push(Task::Codes(data)),
            F::Cond => {
                let clauses: Vec<_> = data.filter_map(Datum::list).map(|list| Task::Codes(self.data(list))).collect();
                self.next(clauses);
            }
            F::Case => {
                let mut tasks: Vec<Task<'t>> = data.next().map(Task::Code).into_iter().collect();
                for clause in data.filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(Task::Quoted));
                    tasks.push(Task::Codes(clause));
                }
                self.next(tasks);
            }
            F::Handlers | F::ConditionCase => {
                if form == F::ConditionCase {
                    let name = data.next();
                    let value = data.next().map(Task::Code);
                    let mut tasks: Vec<Task<'t>> = value.into_iter().collect();
                    tasks.extend(name.map(|name| Task::Bind(name, Pattern::Name)));
                    for clause in data.filter_map(Datum::list) {
                        let mut clause = self.data(clause);
                        tasks.extend(clause.next().map(Task::Quoted));
                        tasks.push(Task::Codes(clause));
                    }
                    tasks.push(Task::Unbind(count));
                    return self.next(tasks);
                }
                let mut tasks: Vec<Task<'t>> = data.next().map(Task::Code).into_iter().collect();
                for clause in data.filter_map(Datum::list) {
                    let mut clause = self.data(clause);
                    tasks.extend(clause.next().map(Task::Type));
                    tasks.extend(clause.next().map(|names| Task::Bind(names, Pattern::Parameters)));
                    tasks.extend([Task::Codes(clause), Task::Unbind(count)]);
                }
                self.next(tasks);
            }
            F::HandlerBind => {
                let mut tasks = Vec::new();
                for handler in data.next().and_then(Datum::list).into_iter().flat_map(|list| self.data(list)) {
                    let Some(handler) = handler.list() else { continue };
                    let mut handler = self.data(handler);
                    tasks.extend(handler.next().map(Task::Type));
                    tasks.push(Task::Codes(handler));
                }
                tasks.push(Task::Codes(data));
                self.next(tasks);
            }
            F::Setq => self.assignments(data, false),
            F::Setf => self.assignments(data, true),
            F::Threading => self.threaded(data),
            F::Loop => self.loop_clauses(data),
            _ if self.emacs_lisp(form, data.clone()) => {}
            _ if self.scheme(form, list, data.clone()) => {}
            _ if self.defining(form, data.clone()) => {}
            _ => self.binding(form, data),
        }
    }

    /// Walks over a specifier of `declare` (CLHS 3.3): its names are those of bindings around it, its types are data.
    fn declaration(&mut self, specifier: ListId) {
        let mut data = self.data(specifier);
        let Some(head) = data.next() else { return };
        let word = self.symbol(head).map(str::to_ascii_lowercase).unwrap_or_default();
        match word.as_str() {
            "optimize" => return self.mark_words(self.data(specifier)),
            "special" => {
                self.mark_all(head, MarkRole::Word);
                return data.for_each(|datum| self.mark_all(datum, MarkRole::Special));
            }
            "type" | "ftype" => {
                self.mark_all(head, MarkRole::Word);
                data.next().into_iter().for_each(|datum| self.type_names(datum));
            }
            "ignore" | "ignorable" | "dynamic-extent" | "inline" | "notinline" => self.mark_all(head, MarkRole::Word),
            // `(fixnum name…)` is short for `(type fixnum name…)`.
            _ => self.type_names(head),
        }
        for datum in data {
            let function = datum.list().and_then(|list| self.data(list).nth(1));
            let takes_function = function.is_some() || matches!(word.as_str(), "ftype" | "inline" | "notinline");
            let datum = function.unwrap_or(datum);
            match self.symbol(datum) {
                Some(name) if self.is_local(name, takes_function) => self.mark_local(name, takes_function),
                _ => self.quoted(datum),
            }
        }
    }

    /// `name value …`
    fn assignments(&mut self, data: Data<'t>, places: bool) {
        let mut tasks = Vec::new();
        for (index, datum) in data.enumerate() {
            let is_place = datum.list().is_none() && datum.is_bare() && (places || index % 2 == 0);
            tasks.push(if is_place && index % 2 == 0 {
                Task::Use(datum, UseKind::Assignment)
            } else {
                Task::Code(datum)
            });
        }
        self.next(tasks);
    }

    /// Walks over a threading form, in which each step is a call, also one without parentheses.
    fn threaded(&mut self, mut data: Data<'t>) {
        let mut tasks: Vec<Task<'t>> = data.next().map(Task::Code).into_iter().collect();
        let step =
            |datum: Datum| if datum.list().is_none() { Task::Use(datum, UseKind::Call) } else { Task::Code(datum) };
        tasks.extend(data.map(step));
        self.next(tasks);
    }
}

/// The effect of a prefix on its datum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    Quote,
    Template,
    /// It begins a template of syntax, which is code.
    Syntax,
    Unquote,
    Function,
    Other,
}

/// The atom is a number, as far as its first characters and its letters say.
fn is_number(dialect: Dialect, atom: &[u8]) -> bool {
    let digits = atom.strip_prefix(b"+").or(atom.strip_prefix(b"-")).unwrap_or(atom);
    let digits = digits.strip_prefix(b".").unwrap_or(digits);
    if !digits.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    if !(rules(dialect).has_potential_numbers) {
        return true;
    }
    // `1+` and `88->h8` are symbols, `1.5e-3` and `2/3` are not.
    let mut exponents = 0;
    let mut before = b'0';
    digits.iter().all(|&byte| {
        let is_exponent = byte.is_ascii_alphabetic() && before.is_ascii_digit();
        exponents += u32::from(is_exponent);
        let is_sign = matches!(byte, b'+' | b'-') && before.is_ascii_alphabetic();
        before = byte;
        byte.is_ascii_digit() || matches!(byte, b'.' | b'/') || is_sign || (is_exponent && exponents < 2)
    }) && before != b'/'
        && !before.is_ascii_alphabetic()
}

/// The atom is a symbol that can be a name.
pub(crate) fn is_symbol(dialect: Dialect, atom: &str) -> bool {
    let bytes = atom.as_bytes();
    let Some(&first) = bytes.first() else { return false };
    let is_keyword = first == b':' || (first == b'#' && !atom.starts_with("#{") && !atom.starts_with("#_"));
    !is_number(dialect, bytes) && !is_keyword && !(rules(dialect).is_constant)(atom) && atom != "."
}

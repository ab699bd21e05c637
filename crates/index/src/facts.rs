//! The facts of one text: the names it defines, the names it uses, and the packages or modules it declares.

use std::sync::Arc;

use lispwright_syntax::{Dialect, FormKind, Forms, ListId, Span, SpecialForm, Tree};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::computed::Computed;
use crate::dialects::rules;
use crate::links::{Link, Thing, Tie};
use crate::macros::Macros;
use crate::notes::is_symbol;
use crate::resolve::{Symbol, Written};
use crate::space::Space;
use crate::treatment::Treatment;
use crate::walk::Walk;

/// The way in which a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum UseKind {
    /// It calls the function, or uses the macro.
    Call,
    /// It uses the function or variable as a value: `#'f`, `(mapcar 'f …)`, `x`.
    Value,
    /// It binds the variable dynamically.
    Binding,
    /// It assigns the variable or place.
    Assignment,
    /// It defines the name.
    Definition,
    /// It defines a method of the function, or a method for the class.
    Method,
    /// It mentions the symbol in data.
    Quoted,
    /// It exports, imports or declares the name.
    Export,
    /// It is in a template, so each use of the macro around it uses the name.
    Template,
}

impl UseKind {
    /// All kinds, in the order of answers.
    pub const ALL: [Self; 9] = [
        Self::Call,
        Self::Value,
        Self::Binding,
        Self::Assignment,
        Self::Definition,
        Self::Method,
        Self::Quoted,
        Self::Export,
        Self::Template,
    ];

    /// The name in arguments and answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Value => "value",
            Self::Binding => "binding",
            Self::Assignment => "assignment",
            Self::Definition => "definition",
            Self::Method => "method",
            Self::Quoted => "quoted",
            Self::Export => "export",
            Self::Template => "template",
        }
    }
}

/// A use of a name that no local binding hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The start of the name, in bytes.
    pub start: u32,
    /// The length of the name as written, in bytes.
    pub len: u16,
    /// The kind of use.
    pub kind: UseKind,
    /// A local binding hides the name, unless a file of the project defines it as a dynamic variable.
    pub hidden: bool,
}

impl Use {
    /// The name as written, with its qualifier.
    pub const fn span(self) -> Span {
        Span::new(self.start, self.start + self.len as u32)
    }
}

/// The space of a use, if it is not that of its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The space of another name: a method has the space of its protocol.
    Name(Span),
    /// The space itself.
    Space {
        /// Its name, canonical.
        name: String,
        /// The use has the name under which the space exports it.
        is_exported: bool,
    },
}

/// The beginning of the names of spaces that are files: their absolute paths come after it.
pub(crate) const FILE_SPACE: &str = "file:";

/// The part of a symbol that is no use of a name outside of the forms around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MarkRole {
    /// It binds a local name, or means one.
    Local,
    /// The same, if a macro binds it that may do something else with it.
    Perhaps,
    /// The same for a local function where functions have a namespace of their own.
    LocalFunction,
    /// It names a type, a class or a writer, which no variable hides; it is a use, too.
    Type,
    /// It names a function where neither a call nor `#'` says so, as an accessor does; it is a use, too.
    Function,
    /// It declares that the variable is dynamic, although no definition says so.
    Special,
    /// It names the block of the function that is defined around it.
    Label,
    /// It names a slot of a class or structure, or a parameter by which values are passed.
    Slot,
    /// It is a word of the syntax of the form, or a name of another kind, such as that of a package, feature or block.
    Word,
    /// It is data, in a dialect whose data are no names.
    Data,
}

/// A symbol, or a part of one, that is no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its bytes.
    pub span: Span,
    /// Its part.
    pub role: MarkRole,
}

/// A use of a name that is also a local name of another kind there: a function where a variable has its name. If the code
/// is the argument of a macro, it may be no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubtful {
    /// The start of the name.
    pub start: u32,
    /// The heads of the calls around it, as far as the local name is bound around them, with the number of the argument
    /// that it is in, from 0.
    pub around: Vec<(Span, usize)>,
}

/// A name that a form defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name as the reader interns it, without package or namespace.
    pub name: String,
    /// Its package, module or namespace; empty if the dialect or file has none.
    pub space: String,
    /// The index of the form in [`Facts::forms`].
    pub form: u32,
    /// What it is.
    pub kind: FormKind,
    /// The form makes it in addition to its own name: an accessor, a constructor.
    pub made: bool,
}

impl Definition {
    /// Its package, module or namespace, if it is in one that has a name.
    pub fn package(&self) -> Option<&str> {
        named(&self.space)
    }

    /// Its name begins, or goes on, as those of definers do.
    pub(crate) fn has_definers_name(&self) -> bool {
        self.name.as_bytes().windows(3).any(|part| part.eq_ignore_ascii_case(b"def"))
    }

    /// Code of its space can use the name: it is neither that of a method or addition nor of a module inside of a file.
    pub(crate) fn is_bound(&self) -> bool {
        let is_module = self.kind == FormKind::Package && self.space.starts_with(FILE_SPACE);
        !is_module && !matches!(self.kind, FormKind::Method | FormKind::Addition)
    }

    /// The symbol that it defines.
    pub fn symbol(&self) -> Symbol {
        Symbol { space: self.space.clone(), name: self.name.clone() }
    }
}

/// A space that has a name: neither that of a file, nor none.
pub(crate) fn named(space: &str) -> Option<&str> {
    let is_named = !space.is_empty() && !space.starts_with(FILE_SPACE);
    is_named.then_some(space)
}

/// A form at top level, or a definition inside one that wraps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormRow {
    /// The form without its prefixes.
    pub span: Span,
    /// The place of its name; the start of the form if it has none.
    pub name: Span,
    /// Its label in messages, which is also its address for edits: `defun area`.
    pub label: String,
    /// The head, canonical.
    pub head: String,
    /// What it is.
    pub kind: FormKind,
    /// Its docstring, with the quotes.
    pub docstring: Option<Span>,
    /// The innermost form around it, by its number.
    pub(crate) around: Option<u32>,
}

impl FormRow {
    /// It has a name of its own, unlike many assertions.
    pub fn has_name(&self) -> bool {
        self.name.start < self.name.end
    }

    /// The name of a system, package or module without the syntax of a designator: `foo` of `#:foo`, `:foo` and `"foo"`.
    pub fn designated(&self) -> &str {
        self.called().trim_start_matches("#:").trim_start_matches(':').trim_matches('"')
    }

    /// The label without the head.
    pub fn called(&self) -> &str {
        self.label.split_once(char::is_whitespace).map_or("", |(_, called)| called)
    }
}

/// A macro that a text defines.
#[derive(Clone, Debug)]
pub(crate) struct Learned {
    /// The index of the form that defines it.
    pub(crate) form: u32,
    /// That form in the tree.
    pub(crate) list: ListId,
    /// How it treats its arguments.
    pub(crate) treatment: Arc<Treatment>,
}

/// The facts of one text.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The package or module that is current from a byte on, ascending.
    pub current: Vec<(u32, String)>,
    /// The packages, modules and namespaces that it declares.
    pub spaces: Vec<Space>,
    /// The names that it defines.
    pub definitions: Vec<Definition>,
    /// The variables that it declares without a value: in this file, no local binding hides them.
    pub declared: Vec<Definition>,
    /// The uses of names, in source order.
    pub uses: Vec<Use>,
    /// Uses whose space is not that of their place, in source order: the start of each name, and its space.
    pub owners: Vec<(u32, Owner)>,
    /// The forms, in source order, nested ones after the form around them.
    pub forms: Vec<FormRow>,
    /// Files whose code becomes a part of this one, as they are written, with the start of the form that says so.
    pub included: Vec<(u32, String)>,
    /// Names that code makes while it runs, of which parts are written, in source order.
    pub computed: Vec<Computed>,
    /// The places that name packages, modules, systems, features and files, in source order.
    pub links: Vec<Link>,
    /// Its code exports or imports names that it computes: other spaces may have names that no declaration gives them.
    pub(crate) opens: bool,
    /// How the macros that it defines treat their arguments.
    pub(crate) macros: Vec<Learned>,
    /// The space of code outside of packages and modules.
    pub(crate) file: String,
    /// The starts of forms that use macros whose treatment of arguments is known.
    pub(crate) treated: Vec<u32>,
    /// The starts of forms that look like definitions of tests and are calls of functions of the project.
    pub(crate) no_tests: Vec<u32>,
    /// The places of names that the walk has seen defined, and what they are.
    pub(crate) defined: Vec<(Span, FormKind)>,
    /// The symbols that are no uses, in source order; only in the facts of [`Facts::with_marks`].
    pub marks: Vec<Mark>,
    /// The places of local names, each with the place that binds it, by their starts, ascending; likewise. A place that
    /// binds is bound by itself.
    pub bound: Vec<(u32, u32)>,
    /// The starts of lists that are no forms: parameters, bindings, clauses, headers of definitions; ascending, only in the
    /// same facts.
    pub no_forms: Vec<u32>,
    /// The starts of forms that get an argument from the step before in a threading form, likewise.
    pub steps: Vec<u32>,
    /// The starts of forms whose head says nothing of what it does with its arguments, which are taken as code, likewise.
    pub calls: Vec<u32>,
    /// The starts of arguments of macros whose definitions do not show what becomes of them, likewise.
    pub unclear: Vec<u32>,
    /// Uses of names that are local names, too, in source order; only in the same facts.
    pub doubtful: Vec<Doubtful>,
}

impl Facts {
    /// The facts of `text`, from which `tree` was read.
    pub fn of(tree: &Tree, text: &str) -> Self {
        Self::found(tree, text, false)
    }

    /// The same with [`Facts::marks`], which are as many as the uses.
    pub fn with_marks(tree: &Tree, text: &str) -> Self {
        Self::found(tree, text, true)
    }

    fn found(tree: &Tree, text: &str, marks: bool) -> Self {
        let mut facts = Self::outline(tree, text, "");
        let learned = facts.learned(tree, text, 0..facts.macros.len(), None);
        for (known, (treatment, _)) in facts.macros.iter_mut().zip(learned) {
            known.treatment = Arc::new(treatment);
        }
        let found = facts.uses_in(tree, text, None, marks);
        facts.walked(found, text, tree.dialect())
    }

    /// The same facts with [`Facts::marks`]; `macros` are those of the project.
    pub(crate) fn with_marks_of(&self, tree: &Tree, forms: &Forms, text: &str, macros: &Macros<'_>) -> Self {
        let mut facts = Self::outline_of(tree, forms, text, &self.file);
        facts.macros.clone_from(&self.macros);
        let found = facts.uses_in(tree, text, Some(macros), true);
        facts.walked(found, text, tree.dialect())
    }

    /// Only the packages, modules and namespaces that `text` declares and enters at top level.
    pub fn declared(tree: &Tree, text: &str) -> Self {
        let mut walk = Walk::new(tree, text, "");
        walk.declarations();
        walk.finish()
    }

    /// Everything but the uses. Code outside of packages and modules is in the space `file`.
    pub(crate) fn outline(tree: &Tree, text: &str, file: &str) -> Self {
        Self::outline_of(tree, &Forms::new(tree, text), text, file)
    }

    fn outline_of(tree: &Tree, forms: &Forms, text: &str, file: &str) -> Self {
        let mut walk = Walk::new(tree, text, file);
        walk.declarations();
        let mut facts = walk.finish();
        facts.file = file.to_owned();
        facts.take_forms(forms, tree, text);
        facts
    }

    /// How macros of an outline, given by their numbers in [`Self::macros`], treat their arguments, with what is known of
    /// other macros; and the places in the definition of each that name macros of the project.
    pub(crate) fn learned(
        &self,
        tree: &Tree,
        text: &str,
        numbers: impl IntoIterator<Item = usize>,
        others: Option<&Macros<'_>>,
    ) -> Vec<(Treatment, Vec<Span>)> {
        let mut last: Option<(&str, Walk<'_>)> = None;
        let learn = |number: usize| {
            let Learned { form, list, .. } = self.macros[number];
            let space = self.space_at(self.forms[form as usize].span.start);
            let mut walk = Walk::new(tree, text, &self.file);
            walk.start_in(space);
            walk.macros = others;
            if let Some((_, other)) = last.take().filter(|(known, _)| *known == space) {
                walk.take_heads(other);
            }
            let learned = walk.learn(list);
            last = Some((space, walk));
            learned
        };
        numbers.into_iter().map(learn).collect()
    }

    /// What a walk over the code of an outline finds.
    pub(crate) fn uses_in(&self, tree: &Tree, text: &str, macros: Option<&Macros<'_>>, marks: bool) -> Self {
        let mut walk = Walk::new(tree, text, &self.file);
        walk.marks = marks;
        walk.macros = macros;
        walk.run();
        walk.finish()
    }

    /// Adds what a walk has found to an outline.
    pub(crate) fn walked(self, found: Self, text: &str, dialect: Dialect) -> Self {
        let Self { forms, mut definitions, declared, macros, file, current, .. } = self;
        let current = Self { current, ..Self::default() };
        let space_before = |one: &Definition| current.space_at(forms[one.form as usize].span.start);
        for one in &mut definitions {
            // Others than those that say their package themselves.
            if one.space == space_before(one) {
                found.space_at(forms[one.form as usize].span.start).clone_into(&mut one.space);
            }
        }
        let mut facts = Self { forms, definitions, declared, macros, file, ..found };
        facts.take_treated(text, dialect);
        facts.shrink();
        facts
    }

    /// Gives back the memory that lists have got in advance: facts are kept, and do not grow.
    fn shrink(&mut self) {
        self.current.shrink_to_fit();
        self.spaces.shrink_to_fit();
        self.definitions.shrink_to_fit();
        self.declared.shrink_to_fit();
        self.uses.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.forms.shrink_to_fit();
        self.links.shrink_to_fit();
        self.macros.shrink_to_fit();
    }

    /// Takes what is known of definitions because the macros that make them are known.
    fn take_treated(&mut self, text: &str, dialect: Dialect) {
        // What looks like a definition can be a use of a macro that defines nothing of this name, or be local.
        let treated: FxHashSet<u32> = std::mem::take(&mut self.treated).into_iter().collect();
        let has_inner = rules(dialect).has_inner_definitions;
        let mut top = Span::new(0, 0);
        let is_inner: Vec<bool> = self
            .forms
            .iter()
            .map(|form| {
                let is_inner = top.encloses(form.span);
                top = if is_inner { top } else { form.span };
                is_inner && has_inner
            })
            .collect();
        let is_doubtful: Vec<bool> = std::iter::zip(&self.forms, &is_inner)
            .map(|(form, is_inner)| treated.contains(&form.span.start) || *is_inner)
            .collect();
        let is_no_name = |one: &Definition| {
            let written = &text[self.forms[one.form as usize].name.range()];
            one.kind == FormKind::Definition && !one.made && !written.starts_with('(') && !is_symbol(dialect, written)
        };
        // An accessor is named with its option, whatever else the macro does.
        let is_accessor = |one: &Definition| one.made && rules(dialect).accessors_are_written;
        let is_in_doubt = |one: &Definition| is_doubtful[one.form as usize] && !is_accessor(one);
        let is_doubtful: Vec<bool> = self.definitions.iter().map(|one| is_in_doubt(one) || is_no_name(one)).collect();
        for (one, _) in self.definitions.iter_mut().zip(is_doubtful).filter(|(_, is_doubtful)| *is_doubtful) {
            if !matches!(one.kind, FormKind::Package | FormKind::Method | FormKind::Test | FormKind::System) {
                one.kind = FormKind::Addition;
            }
        }
        let mut known: FxHashMap<(u32, String), usize> = FxHashMap::default();
        for (at, one) in self.definitions.iter().enumerate() {
            known.insert((one.form, one.name.clone()), at);
        }
        for (span, kind) in std::mem::take(&mut self.defined) {
            let Some(form) = self.form_at(span.start) else { continue };
            let name = Written::of(dialect, &text[span.range()]).name;
            match known.get(&(form, name.clone())) {
                Some(&at) if self.definitions[at].kind == FormKind::Addition => self.definitions[at].kind = kind,
                Some(_) => {}
                None => {
                    known.insert((form, name.clone()), self.definitions.len());
                    let space = self.space_at(span.start).to_owned();
                    self.definitions.push(Definition { name, space, form, kind, made: false });
                }
            }
        }
        // A place that uses no name binds one: the definition is that of a local name.
        let (forms, uses) = (&self.forms, &self.uses);
        let is_local = |one: &Definition| {
            is_inner[one.form as usize]
                && one.kind == FormKind::Addition
                && !one.made
                && uses.binary_search_by_key(&forms[one.form as usize].name.start, |used| used.start).is_err()
        };
        let no_tests: FxHashSet<u32> = std::mem::take(&mut self.no_tests).into_iter().collect();
        let is_call = |one: &Definition| no_tests.contains(&forms[one.form as usize].span.start);
        self.definitions.retain(|one| !is_local(one) && !is_call(one));
        self.definitions.sort_by_key(|one| one.form);
        self.define_made();
        self.define_accessors(text, dialect);
    }

    /// What a definition makes besides its own name is defined if that is.
    fn define_made(&mut self) {
        for of_form in self.definitions.chunk_by_mut(|one, other| one.form == other.form) {
            let is_own = |one: &&Definition| !one.made && one.kind == FormKind::Structure;
            let Some(space) = of_form.iter().find(is_own).map(|one| one.space.clone()) else { continue };
            for made in of_form.iter_mut().filter(|one| one.made && one.kind == FormKind::Addition) {
                made.kind = FormKind::Function;
                made.space.clone_from(&space);
            }
        }
    }

    /// The places of names that a definition makes besides its own are definitions.
    fn define_accessors(&mut self, text: &str, dialect: Dialect) {
        let is_written = |one: &&Definition| one.made && rules(dialect).accessors_are_written;
        for one in self.definitions.iter().filter(is_written) {
            let span = self.forms[one.form as usize].span;
            let from = self.uses.partition_point(|used| used.start < span.start);
            for used in self.uses[from..].iter_mut().take_while(|used| used.start < span.end) {
                let is_it =
                    used.kind == UseKind::Value && Written::of(dialect, &text[used.span().range()]).name == one.name;
                if is_it {
                    used.kind = UseKind::Definition;
                }
            }
        }
    }

    fn take_forms(&mut self, forms: &Forms, tree: &Tree, text: &str) {
        for (id, form) in forms.iter() {
            let at = form.name_span.unwrap_or(Span::new(form.span.start, form.span.start));
            let around = self.forms.len().checked_sub(1).and_then(|last| self.innermost(last, form.span.start));
            self.forms.push(FormRow {
                around,
                span: form.span,
                name: at,
                label: form.label(text),
                head: form.head_name.clone(),
                kind: form.kind,
                docstring: form.docstring,
            });
            let outer = || std::iter::successors(around, |row| self.forms[*row as usize].around);
            if form.kind == FormKind::Addition
                && outer().all(|row| !self.forms[row as usize].kind.defines())
                && tree.dialect().special_form(&form.head_name) == Some(SpecialForm::Special)
                && let Some(name) = form.defined_names(tree, text).into_iter().next()
            {
                let space = self.space_at(form.span.start).to_owned();
                self.declared.push(Definition { name, space, form: id, kind: FormKind::Variable, made: false });
            }
            if !form.kind.defines() || form.name.is_none() {
                continue;
            }
            // Definitions that documentation shows are its own.
            let is_shown = |row: &u32| {
                let head = &self.forms[*row as usize].head;
                tree.dialect().special_form(head) == Some(SpecialForm::ShownCode)
            };
            if tree.language().has_at_forms() && outer().any(|row| is_shown(&row)) {
                continue;
            }
            if form.kind == FormKind::Macro
                && let Some(list) = form.datum.list()
            {
                self.macros.push(Learned { form: id, list, treatment: Arc::default() });
            }
            let names = form.defined_names(tree, text);
            for (index, name) in names.into_iter().enumerate() {
                // `(defmethod #.*name* …)`
                if index == 0 && name.starts_with("#.") {
                    continue;
                }
                // The writer `(setf name)` is indexed under the name of its reader.
                let inner = name.strip_suffix(')').and_then(|name| name.split_once(' '));
                let name = match inner {
                    Some((setf, place)) if setf.eq_ignore_ascii_case("(setf") => place.to_owned(),
                    _ => name,
                };
                // `(defun other::name …)`
                let written = form.name.as_deref().map(|name| name.trim_start_matches("(setf "));
                let package = written.filter(|_| index == 0 && rules(tree.dialect()).imports_come_first);
                let package = package.and_then(|name| Written::of(tree.dialect(), name).qualifier);
                let space = package.map_or_else(|| self.space_at(form.span.start).to_owned(), |name| name.into_owned());
                let made = index > 0;
                let is_type = matches!(form.kind, FormKind::Structure | FormKind::Class | FormKind::Condition);
                // Accessors, constructors and predicates are functions.
                let kind = if made && is_type { FormKind::Function } else { form.kind };
                self.definitions.push(Definition { name, space, form: id, kind, made });
            }
        }
    }

    /// It declares that a name is that of a variable, without a value.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.declared.iter().any(|one| one.name == name)
    }

    /// The variables that it declares without a value and that are its own: their names begin with that of a feature that it
    /// provides, as the Emacs Lisp manual, "Coding Conventions", asks for.
    pub(crate) fn own_declared(&self) -> impl Iterator<Item = &Definition> {
        let provides = |link: &&Link| link.thing == Thing::Feature && link.tie == Tie::Provides;
        let features: Vec<&Link> = self.links.iter().filter(provides).collect();
        self.declared.iter().filter(move |one| {
            let is_of =
                |feature: &&Link| one.name.strip_prefix(&*feature.name).is_some_and(|rest| rest.starts_with('-'));
            features.iter().any(is_of)
        })
    }

    /// What a namespace that hides nothing gives out of `text`: all that is defined, but what says that it is private.
    pub fn public_definitions(&self, text: &str) -> impl Iterator<Item = &Definition> {
        let is_private = |one: &Definition| {
            let form = &self.forms[one.form as usize];
            form.head.ends_with('-')
                || text
                    .get(form.span.start as usize..form.name.start as usize)
                    .is_some_and(|head| head.contains(":private"))
        };
        let is_other = |kind| matches!(kind, FormKind::Package | FormKind::Method | FormKind::Test);
        self.definitions.iter().filter(move |one| !is_other(one.kind) && !is_private(one))
    }

    /// The package, module or namespace that is current at a byte; empty if there is none.
    pub fn space_at(&self, offset: u32) -> &str {
        let next = self.current.partition_point(|(from, _)| *from <= offset);
        next.checked_sub(1).map_or("", |at| &self.current[at].1)
    }

    /// The space of this use, if the use is in [`Facts::owners`].
    pub fn owner_of(&self, used: Use) -> Option<&Owner> {
        self.owner_at(used.start)
    }

    /// The same for the use that starts at a byte.
    pub fn owner_at(&self, start: u32) -> Option<&Owner> {
        let at = self.owners.binary_search_by_key(&start, |(start, _)| *start).ok()?;
        Some(&self.owners[at].1)
    }

    /// The forms that are in no other, in their order.
    pub fn outermost(&self) -> impl Iterator<Item = Span> + '_ {
        let mut end = 0;
        self.forms.iter().map(|form| form.span).filter(move |span| {
            let is_outermost = span.start >= end;
            end = end.max(span.end);
            is_outermost
        })
    }

    /// The innermost form around a byte.
    pub fn form_at(&self, offset: u32) -> Option<u32> {
        let before = self.forms.partition_point(|form| form.span.start <= offset);
        self.innermost(before.checked_sub(1)?, offset)
    }

    /// The first of a form and those around it that has a byte in it.
    fn innermost(&self, form: usize, offset: u32) -> Option<u32> {
        let mut forms = std::iter::successors(Some(form as u32), |form| self.forms[*form as usize].around);
        forms.find(|form| self.forms[*form as usize].span.contains(offset))
    }

    /// Bytes held in memory.
    pub fn heap_size(&self) -> usize {
        let forms: usize =
            self.forms.iter().map(|form| size_of::<FormRow>() + form.label.len() + form.head.len()).sum();
        let definitions: usize =
            self.definitions.iter().map(|one| size_of::<Definition>() + one.name.len() + one.space.len()).sum();
        self.uses.capacity() * size_of::<Use>() + self.owners.len() * size_of::<(u32, Owner)>() + forms + definitions
    }
}

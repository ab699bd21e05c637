//! Structures, generic interfaces, classes and units of Racket.

use lispwright_syntax::{Data, Datum, ListId, SpecialForm};

use crate::bind::Pattern;
use crate::facts::{MarkRole, UseKind};
use crate::walk::{Task, Walk};

/// Options of structures that are followed by code, and by how much.
const CODE_OPTIONS: &[(&str, usize)] = &[
    ("#:property", 2),
    ("#:guard", 1),
    ("#:inspector", 1),
    ("#:auto-value", 1),
    ("#:super", 1),
    ("#:reflection-name", 1),
    ("#:derive-property", 2),
    ("#:prop", 2),
];

/// Options that are followed by a name that is defined.
const NAME_OPTIONS: &[&str] = &[
    "#:constructor-name",
    "#:extra-constructor-name",
    "#:name",
    "#:extra-name",
    "#:type-name",
    "#:defined-predicate",
    "#:defined-table",
];

/// Forms in the body of a class that bind names there.
const CLASS_NAMES: &[&str] = &[
    "init",
    "init-field",
    "init-rest",
    "field",
    "inherit",
    "inherit-field",
    "inherit/super",
    "inherit/inner",
    "rename-super",
    "rename-inner",
    "public*",
    "private*",
    "override*",
    "augment*",
    "pubment*",
    "public-final*",
    "override-final*",
];

/// Other forms that only have a meaning there.
const CLASS_FORMS: &[&str] = &[
    "public",
    "private",
    "override",
    "augment",
    "augride",
    "overment",
    "pubment",
    "public-final",
    "override-final",
    "augment-final",
    "abstract",
    "inspect",
];

impl<'t> Walk<'t> {
    /// Walks over a form of structures, classes or units. False if this is none.
    pub(crate) fn racket_class(&mut self, form: SpecialForm, list: ListId, mut data: Data<'t>) -> bool {
        use SpecialForm as F;
        let count = self.local_count();
        let mut tasks: Vec<Task<'t>> = Vec::new();
        match form {
            F::Fields => self.structure(&mut tasks, list),
            F::DefineNames => data.for_each(|name| self.defined(&mut tasks, name)),
            F::ForeignDefiner => {
                if let Some(name) = data.next() {
                    self.defined(&mut tasks, name);
                }
                tasks.push(Task::Codes(data));
            }
            F::Generics => {
                if let Some(name) = data.next() {
                    self.defined(&mut tasks, name);
                }
                self.structure_options(&mut tasks, data.collect());
            }
            F::ClassBody(codes) => {
                tasks.extend(data.by_ref().take(usize::from(codes)).map(Task::Code));
                self.class_body(&mut tasks, data.collect());
            }
            F::Send | F::MemberName => {
                tasks.extend(if form == F::Send { data.next().map(Task::Code) } else { None });
                if let Some(name) = data.next() {
                    self.mark_all(name, MarkRole::Slot);
                }
                tasks.push(Task::Codes(data));
            }
            F::SendMany => {
                tasks.extend(data.next().map(Task::Code));
                for message in data.filter_map(Datum::list) {
                    let mut message = self.data(message);
                    if let Some(name) = message.next() {
                        self.mark_all(name, MarkRole::Slot);
                    }
                    tasks.push(Task::Codes(message));
                }
            }
            F::New | F::Instantiate | F::SuperNew => {
                tasks.extend(if form == F::SuperNew { None } else { data.next().map(Task::Code) });
                if form == F::Instantiate {
                    tasks.extend(data.next().and_then(Datum::list).map(|list| Task::Codes(self.data(list))));
                }
                for argument in data.filter_map(Datum::list) {
                    let mut argument = self.data(argument);
                    if let Some(name) = argument.next() {
                        self.mark_all(name, MarkRole::Slot);
                    }
                    tasks.push(Task::Codes(argument));
                }
            }
            F::Unit { named } => {
                if let Some(name) = if named { data.next() } else { None } {
                    self.defined(&mut tasks, name);
                }
                let mut rest = data.clone();
                while let Some(clause) = rest.next() {
                    let parts = self.inside(Some(clause));
                    let word = parts.first().map_or("", |word| self.source(*word));
                    if !matches!(word, "import" | "export" | "init-depend") {
                        break;
                    }
                    tasks.extend(parts.into_iter().skip(1).filter_map(|spec| self.signature(spec)));
                    data = rest.clone();
                }
                tasks.push(Task::Body(data));
            }
            F::Signature => {
                if let Some(name) = data.next() {
                    self.defined(&mut tasks, name);
                }
                for part in data {
                    match part.list() {
                        Some(list) => {
                            for element in self.data(list) {
                                self.signature_element(&mut tasks, element);
                            }
                        }
                        None if self.source(part) == "extends" => self.mark_all(part, MarkRole::Word),
                        None => tasks.push(Task::Use(part, UseKind::Value)),
                    }
                }
            }
            _ => return false,
        }
        tasks.push(Task::Unbind(count));
        self.then(tasks)
    }

    /// The signature that is meant: `sig^`, `(prefix word spec)`, `(tag word spec)`, `(only spec name…)`, `(except spec name…)`,
    /// `(rename spec (name name)…)`.
    fn signature(&self, mut spec: Datum) -> Option<Task<'t>> {
        while spec.list().is_some() {
            let inner = self.inside(Some(spec));
            let at = if matches!(self.source(*inner.first()?), "prefix" | "tag") { 2 } else { 1 };
            spec = *inner.get(at)?;
        }
        Some(Task::Use(spec, UseKind::Value))
    }

    /// An element of a signature: a name, `(open spec)`, `(contracted [name contract]…)`, `(struct name (field…))`,
    /// `(define-values (name…) code)`, or a form that the project or a library defines.
    fn signature_element(&mut self, tasks: &mut Vec<Task<'t>>, element: Datum) {
        let inner = self.inside(Some(element));
        let [head, rest @ ..] = inner.as_slice() else { return self.mark_all(element, MarkRole::Word) };
        match (self.source(*head), rest) {
            ("open", [spec]) => tasks.extend(self.signature(*spec)),
            ("contracted", contracts) => {
                for contract in contracts {
                    let mut parts = self.inside(Some(*contract)).into_iter();
                    parts.next().into_iter().for_each(|name| self.mark_all(name, MarkRole::Word));
                    tasks.extend(parts.map(Task::Code));
                }
            }
            ("define-values" | "define-syntaxes", [names, code @ ..]) => {
                self.mark_all(*names, MarkRole::Word);
                tasks.extend(code.iter().copied().map(Task::Code));
            }
            ("struct", rest) => rest.iter().for_each(|part| self.mark_all(*part, MarkRole::Word)),
            (_, rest) => {
                tasks.push(Task::Code(*head));
                tasks.extend(rest.iter().copied().map(Task::Quoted));
                return;
            }
        }
        self.mark_all(*head, MarkRole::Word);
    }

    /// `(struct name super? (field…) option…)`, `(define-struct (name super) (field…) option…)`
    fn structure(&mut self, tasks: &mut Vec<Task<'t>>, list: ListId) {
        let mut data: Vec<Datum> = self.data(list).collect();
        let is_named_in_list = self.source(data[0]).starts_with("define-");
        data.remove(0);
        // In typed code, the variables of its type come first.
        if !is_named_in_list && data.first().is_some_and(|first| first.list().is_some()) {
            data.remove(0);
        }
        let mut data = data.into_iter().peekable();
        let Some(first) = data.next() else { return };
        let named = self.inside(Some(first));
        self.defined(tasks, named.first().copied().unwrap_or(first));
        let above = named.get(1).copied().or_else(|| data.next_if(|next| self.symbol(*next).is_some()));
        tasks.extend(above.map(|above| Task::Use(above, UseKind::Value)));
        let fields = data.next_if(|next| next.list().is_some() || self.is_taken(*next));
        for field in self.inside(fields).into_iter().chain(fields.filter(|fields| fields.list().is_none())) {
            self.learns(field, |role| role.is_data = true);
            let mut parts = self.inside(Some(field)).into_iter();
            self.mark_all(parts.next().unwrap_or(field), MarkRole::Slot);
            // Types and contracts.
            tasks.extend(parts.map(Task::Code));
        }
        self.structure_options(tasks, data.collect());
    }

    /// The options of a structure, or of a generic interface with its methods.
    fn structure_options(&mut self, tasks: &mut Vec<Task<'t>>, data: Vec<Datum>) {
        let mut data = data.into_iter();
        while let Some(option) = data.next() {
            let word = self.source(option);
            if let Some(list) = option.list() {
                // A method of a generic interface with its parameters.
                if let Some(name) = self.data(list).next() {
                    self.defined(tasks, name);
                }
            } else if let Some((_, codes)) = CODE_OPTIONS.iter().find(|(option, _)| *option == word) {
                tasks.extend(data.by_ref().take(*codes).map(Task::Code));
            } else if NAME_OPTIONS.contains(&word) {
                if let Some(name) = data.next() {
                    self.defined(tasks, name);
                }
            } else if word == "#:methods" {
                tasks.extend(data.next().map(|interface| Task::Use(interface, UseKind::Value)));
                let methods = self.inside(data.next());
                self.interface_methods(tasks, methods);
            } else if matches!(word, "#:defaults" | "#:fast-defaults") {
                for default in self.inside(data.next()) {
                    let mut parts = self.inside(Some(default)).into_iter();
                    tasks.extend(parts.next().map(Task::Code));
                    self.interface_methods(tasks, parts.collect());
                }
            } else if word == "#:fallbacks" {
                let methods = self.inside(data.next());
                self.interface_methods(tasks, methods);
            } else if word == "#:requires" {
                data.next();
            }
        }
    }

    /// Definitions that are methods of generic functions.
    fn interface_methods(&mut self, tasks: &mut Vec<Task<'t>>, forms: Vec<Datum>) {
        tasks.push(Task::Scope);
        tasks.push(Task::EnterBody(forms.clone()));
        for form in forms {
            let mut parts = form.list().into_iter().flat_map(|list| self.data(list));
            let head = parts.next().and_then(|head| self.symbol(head)).unwrap_or_default();
            let first = parts.next();
            if self.dialect.special_form(head) == Some(SpecialForm::Define) {
                let name = first.map(|first| self.curried(first).0);
                tasks.extend(name.map(|name| Task::Use(name, UseKind::Method)));
            }
            tasks.push(Task::Code(form));
        }
        tasks.extend([Task::LeaveBody, Task::LeaveScope]);
    }

    fn class_body(&self, tasks: &mut Vec<Task<'t>>, forms: Vec<Datum>) {
        let parts = |form: &Datum| self.inside(Some(*form));
        let head = |form: &Datum| parts(form).first().map_or("", |head| self.source(*head));
        for form in forms.iter().filter(|form| CLASS_NAMES.contains(&head(form))) {
            for one in parts(form).into_iter().skip(1) {
                // `name`, `[name default]`, `[(name outer) default]`
                let first = parts(&one).first().copied().unwrap_or(one);
                let name = parts(&first).first().copied().unwrap_or(first);
                tasks.push(Task::Bind(name, Pattern::Name));
            }
        }
        tasks.push(Task::EnterBody(forms.clone()));
        for form in forms {
            let head = head(&form);
            match form.list() {
                Some(list) if CLASS_NAMES.contains(&head) || CLASS_FORMS.contains(&head) => {
                    tasks.push(Task::Codes(self.data(list).skipping(1)));
                }
                _ => tasks.push(Task::Code(form)),
            }
        }
        tasks.push(Task::LeaveBody);
    }
}

//! The names that a definition makes besides its own: the accessors of its slots, the constructor of a record, the
//! keymap of a mode, the methods inside a generic function.

use super::parts::method_key;
use super::{Form, FormKind};
use crate::address::{MethodKey, canonical_datum};
use crate::datum::{Data, Datum};
use crate::definer::Shape;
use crate::name::canonical_symbol;
use crate::token::TokenKind;
use crate::tree::{ListId, Tree};

/// Clauses of a record of R6RS.
const CLAUSES: &[&str] =
    &["fields", "parent", "protocol", "sealed", "opaque", "nongenerative", "parent-rtd", "generative"];

/// Options of slots whose values are names of functions.
const SLOT_NAMES: &[&str] = &["accessor", "reader", "writer", "getter", "setter"];

/// So many names come before the fields of a record.
const MOST_NAMES: usize = 6;

/// At most so many data of a form are examined.
const MOST_DATA: usize = 1_024;

/// The names that a definition makes besides its own, canonical.
pub(super) fn made(form: &Form, tree: &Tree, text: &str) -> Vec<String> {
    making(form, tree, text, |making, shape| match shape {
        Shape::DefineValues => making.names_in(making.data.first()).skip(1).collect(),
        Shape::Record => making.record(form.kind == FormKind::Condition),
        Shape::Struct => making.struct_names(),
        Shape::Generics => making.generics(),
        Shape::Fields => making.fields_names(&form.head_name),
        Shape::Structure => making.structure(),
        Shape::Class => making.accessors(false),
        Shape::ClojureRecord => making.constructors(&["->", "map->"]),
        Shape::ClojureType => making.constructors(&["->"]),
        Shape::ClojureProtocol => making.methods(),
        Shape::Module | Shape::System => making.nicknames(),
        Shape::Named | Shape::Placed(_) => {
            let mut names = making.named(&form.head_name);
            if !tree.language().is_known(&form.head_name) {
                // A definer of the project that is like `defclass`.
                names.extend(making.accessors(true));
            }
            names
        }
        _ => Vec::new(),
    })
}

/// The methods of protocols that a type implements inside its definition, canonical: the type does not define their names.
pub(super) fn implemented(form: &Form, tree: &Tree, text: &str) -> Vec<String> {
    making(form, tree, text, |making, shape| match shape {
        Shape::ClojureRecord | Shape::ClojureType => making.methods(),
        _ => Vec::new(),
    })
}

fn making(form: &Form, tree: &Tree, text: &str, names: impl FnOnce(Making<'_>, Shape) -> Vec<String>) -> Vec<String> {
    let Some(list) = form.datum.list() else { return Vec::new() };
    let Some((_, shape)) = tree.language().definer(&form.head_name) else { return Vec::new() };
    let data: Vec<Datum> = tree.data(list).skip(1).take(MOST_DATA).collect();
    names(Making { tree, text, data: &data, name: &form.key }, shape)
}

/// The generic function contains a method that `fits`.
pub(super) fn makes_method(form: &Form, tree: &Tree, text: &str, fits: impl Fn(&MethodKey) -> bool) -> bool {
    let options = form.datum.list().into_iter().flat_map(|list| tree.data(list).skip(1).take(MOST_DATA));
    options.filter_map(Datum::list).any(|option| {
        let data: Vec<Datum> = tree.data(option).take(MOST_DATA).collect();
        let is_method =
            data.first().is_some_and(|head| text[tree.core_span(*head).range()].eq_ignore_ascii_case(":method"));
        is_method && fits(&method_key(tree, text, &data[1..]))
    })
}

/// The data of a definition after its head.
struct Making<'t> {
    tree: &'t Tree,
    text: &'t str,
    data: &'t [Datum],
    /// The name it defines, canonical.
    name: &'t str,
}

impl<'t> Making<'t> {
    fn source(&self, datum: Datum) -> &'t str {
        &self.text[self.tree.core_span(datum).range()]
    }

    fn canonical(&self, datum: Datum) -> String {
        canonical_datum(self.tree, self.text, datum)
    }

    /// A part of a name in canonical spelling.
    fn spelled(&self, part: &str) -> String {
        canonical_symbol(self.tree.dialect(), part)
    }

    fn inside(&self, list: ListId) -> Data<'t> {
        self.tree.data(list)
    }

    /// The lists among the data.
    fn lists(&self) -> impl Iterator<Item = ListId> {
        self.data.iter().filter_map(|datum| datum.list())
    }

    fn head_of(&self, list: ListId) -> Option<Datum> {
        self.inside(list).next()
    }

    /// The symbols and strings in a list.
    fn names_in(&self, datum: Option<&Datum>) -> impl Iterator<Item = String> {
        let list = datum.and_then(|datum| datum.list());
        let data = list.into_iter().flat_map(|list| self.inside(list));
        data.filter(|datum| datum.list().is_none() && self.source(*datum) != ".").map(|datum| self.canonical(datum))
    }

    /// Constructor, predicate and accessors: R7RS and SRFI 9 always name them, R6RS derives the names that are not
    /// given.
    fn record(&self, has_parent: bool) -> Vec<String> {
        let head = |list: ListId| self.head_of(list).map_or("", |head| self.source(head));
        // A constructor or predicate comes first in records of R7RS, whose fields can have any name.
        let first = self.data.get(1).and_then(|datum| datum.list());
        let is_of_clauses = first.is_some_and(|first| CLAUSES.contains(&head(first)));
        let fields = self.lists().find(|&list| is_of_clauses && head(list) == "fields");
        // `(define-record-type point)` of R6RS has no fields.
        let fields = fields.map(Some).or((self.data.len() == 1).then_some(None));
        let Some(fields) = fields else { return self.spelled_out(has_parent) };
        let name = self.name;
        let mut names: Vec<String> = self.names_in(self.data.first()).collect();
        names.extend([format!("make-{name}"), format!("{name}?")]);
        for field in fields.into_iter().flat_map(|fields| self.inside(fields)).skip(1) {
            let parts: Vec<String> = self.names_in(Some(&field)).collect();
            let field = parts.get(1).cloned().unwrap_or_else(|| self.canonical(field));
            names.push(format!("{name}-{field}"));
            let is_mutable = parts.first().is_some_and(|word| word == "mutable");
            names.extend(is_mutable.then(|| format!("{name}-{field}-set!")));
            names.extend(parts.into_iter().skip(2));
        }
        names
    }

    /// The names of a record that has them all written out; the first after the name is that of the type above it if it
    /// `has_parent`.
    fn spelled_out(&self, has_parent: bool) -> Vec<String> {
        let mut names = Vec::new();
        // Behind the names of constructor and predicate, and before the fields, there can be some more.
        let fields = self.data.iter().skip(2).position(|datum| datum.list().is_some()).map_or(3, |at| at + 2);
        for (index, &datum) in self.data.iter().enumerate().skip(1) {
            match datum.list() {
                None if index >= fields.min(MOST_NAMES) => {}
                None if self.tree.kind(datum.core) == TokenKind::Atom && !(index == 1 && has_parent) => {
                    names.push(self.canonical(datum));
                }
                None => {}
                // A constructor is `(name field*)`, a field `(field accessor [modifier])`.
                Some(_) if index == 1 => names.extend(self.names_in(Some(&datum)).take(1)),
                Some(_) => names.extend(self.names_in(Some(&datum)).skip(1)),
            }
        }
        names.retain(|name| !name.starts_with('#'));
        names
    }

    /// Constructor, predicate, accessors and mutators of a record of Chez Scheme: `(define-record name [above] (field*))`.
    fn struct_names(&self) -> Vec<String> {
        let name = self.name;
        let mut names = vec![format!("make-{name}"), format!("{name}?")];
        let Some(fields) = self.data.iter().skip(1).find_map(|datum| datum.list()) else { return names };
        for field in self.inside(fields) {
            // `(immutable name)`, `((mutable type) name)`; elsewhere, `[name option*]`
            let parts: Vec<Datum> = field.list().into_iter().flat_map(|list| self.inside(list)).collect();
            let class = parts.first().map_or("", |class| self.source(*class));
            let is_fixed = class.contains("immutable");
            let place = usize::from(parts.len() > 1 && class.contains("mutable"));
            let field = self.canonical(parts.get(place).copied().unwrap_or(field));
            names.push(format!("{name}-{field}"));
            names.extend((!is_fixed).then(|| format!("set-{name}-{field}!")));
        }
        names
    }

    /// The names that a structure of Racket defines (reference, 5.1): `(struct name [above] (field*) option*)`.
    fn fields_names(&self, head: &str) -> Vec<String> {
        let name = self.name;
        if head == "define-cstruct" {
            return self.foreign_structure();
        }
        let has_option = |option: &str| self.data.iter().any(|datum| self.source(*datum) == option);
        let named = |option: &str| {
            let at = self.data.iter().position(|datum| self.source(*datum) == option)?;
            self.data.get(at + 1).map(|datum| self.canonical(*datum))
        };
        let mut names = vec![format!("{name}?"), format!("struct:{name}")];
        let constructor = ["#:constructor-name", "#:extra-constructor-name"].into_iter().find_map(named);
        let is_old = head.starts_with("define-") && constructor.is_none();
        names.extend(is_old.then(|| format!("make-{name}")));
        names.extend(constructor);
        names.extend(["#:name", "#:extra-name"].into_iter().filter_map(named));
        // In typed code, the variables of the type come before the name.
        let skipped = if self.data.first().is_some_and(|first| first.list().is_some()) { 2 } else { 1 };
        let skipped = if head.starts_with("define-") { 1 } else { skipped };
        let Some(fields) = self.data.iter().skip(skipped).find_map(|datum| datum.list()) else { return names };
        let are_mutable = has_option("#:mutable");
        for field in self.inside(fields) {
            let parts: Vec<Datum> = field.list().into_iter().flat_map(|list| self.inside(list)).collect();
            let is_mutable = are_mutable || parts.iter().any(|part| self.source(*part) == "#:mutable");
            let field = self.canonical(parts.first().copied().unwrap_or(field));
            names.push(format!("{name}-{field}"));
            names.extend(is_mutable.then(|| format!("set-{name}-{field}!")));
        }
        names
    }

    /// The names of a structure of C: `(define-cstruct _name ([field type]*) option*)`.
    fn foreign_structure(&self) -> Vec<String> {
        let Some(name) = self.name.strip_prefix('_') else { return Vec::new() };
        let mut names: Vec<String> = ["-pointer", "-pointer/null"].iter().map(|end| format!("_{name}{end}")).collect();
        names.extend([format!("make-{name}"), format!("{name}?"), format!("{name}-tag")]);
        for field in
            self.data.iter().skip(1).find_map(|datum| datum.list()).into_iter().flat_map(|list| self.inside(list))
        {
            let field = field.list().and_then(|list| self.head_of(list)).map(|field| self.canonical(field));
            let Some(field) = field else { continue };
            names.extend([format!("{name}-{field}"), format!("set-{name}-{field}!")]);
        }
        names.extend(["->list", "->list*"].iter().map(|end| format!("{name}{end}")));
        names.extend([format!("list->{name}"), format!("list*->{name}")]);
        names
    }

    /// The names of a generic interface of Racket and of its methods.
    fn generics(&self) -> Vec<String> {
        let name = self.name;
        let mut names =
            vec![format!("gen:{name}"), format!("{name}?"), format!("{name}/c"), format!("{name}-implements?")];
        let mut data = self.data.iter().skip(1);
        while let Some(datum) = data.next() {
            match datum.list() {
                Some(list) => names.extend(self.head_of(list).map(|method| self.canonical(method))),
                // An option with its value.
                None => drop(data.next()),
            }
        }
        names
    }

    /// Accessors, constructors, predicate and copier of a structure (CLHS defstruct).
    fn structure(&self) -> Vec<String> {
        let name = self.name;
        let (mut prefix, mut names) = (format!("{name}-"), Vec::new());
        let mut derived = vec![
            (":constructor", format!("{}{name}", self.spelled("make-"))),
            (":copier", format!("{}{name}", self.spelled("copy-"))),
            (":predicate", format!("{name}{}", self.spelled("-p"))),
        ];
        let options =
            self.data.first().and_then(|datum| datum.list()).into_iter().flat_map(|list| self.inside(list).skip(1));
        for option in options {
            let mut parts = option.list().into_iter().flat_map(|list| self.inside(list));
            let key = parts.next().map_or_else(|| self.source(option), |key| self.source(key)).to_lowercase();
            let value = parts.next();
            if key == ":conc-name" {
                let given = value.map(|value| self.source(value)).filter(|value| !value.eq_ignore_ascii_case("nil"));
                prefix = given.map_or_else(String::new, |given| self.spelled(given.trim_matches('"')));
            } else if let (Some(value), ":constructor" | ":copier" | ":predicate") = (value, &*key) {
                derived.retain(|(option, _)| *option != key);
                let is_none = self.source(value).eq_ignore_ascii_case("nil");
                names.extend(Some(value).filter(|_| !is_none).map(|value| self.canonical(value)));
            }
        }
        names.extend(derived.into_iter().map(|(_, name)| name));
        for &slot in self.data.iter().skip(1) {
            let slot = slot.list().and_then(|list| self.head_of(list)).unwrap_or(slot);
            if self.tree.kind(slot.core) == TokenKind::Atom {
                names.push(format!("{prefix}{}", self.canonical(slot)));
            }
        }
        names
    }

    /// The names that slots of a class give with `:accessor` and the like. In Common Lisp the slots are in a list, in
    /// GOOPS they are not, which cannot be if they are `nested`.
    fn accessors(&self, are_nested: bool) -> Vec<String> {
        let mut names = Vec::new();
        for list in self.lists() {
            let nested = self.head_of(list).is_some_and(|first| first.list().is_some());
            let slots: Vec<ListId> = match nested {
                true => self.inside(list).filter_map(Datum::list).collect(),
                false if are_nested => continue,
                false => vec![list],
            };
            for slot in slots {
                let mut options = self.inside(slot);
                while let Some(option) = options.next() {
                    let key = self.source(option).trim_start_matches(['#', ':']);
                    if SLOT_NAMES.iter().any(|known| key.eq_ignore_ascii_case(known)) {
                        names.extend(options.next().map(|value| self.canonical(value)));
                    }
                }
            }
        }
        names
    }

    /// The name with each of the prefixes.
    fn constructors(&self, prefixes: &[&str]) -> Vec<String> {
        prefixes.iter().map(|prefix| format!("{prefix}{}", self.name)).collect()
    }

    /// The methods in the lists of a protocol or type.
    fn methods(&self) -> Vec<String> {
        self.lists().filter_map(|list| self.head_of(list)).map(|method| self.canonical(method)).collect()
    }

    fn nicknames(&self) -> Vec<String> {
        let options = self.lists().filter(|&list| {
            self.head_of(list).is_some_and(|head| self.source(head).eq_ignore_ascii_case(":nicknames"))
        });
        let names = options.flat_map(|list| self.inside(list).skip(1));
        names.map(|name| self.spelled(self.source(name).trim_matches('"'))).collect()
    }

    /// The names that the dialect derives for the head, such as the variables of Emacs's modes, and the second name of
    /// a foreign function.
    fn named(&self, head: &str) -> Vec<String> {
        let makes = self.tree.dialect().table().makes.iter().find(|(part, _)| head.contains(part));
        let suffixes = makes.map_or(&[][..], |(_, suffixes)| suffixes);
        let made = |suffix: &&str| match suffix.split_once('*') {
            Some((before, after)) => format!("{before}{}{after}", self.name),
            None => format!("{}{suffix}", self.name),
        };
        let mut names: Vec<String> = suffixes.iter().map(made).collect();
        let is_foreign = self.name.starts_with('"');
        names.extend(self.names_in(self.data.first().filter(|_| is_foreign)).skip(1));
        names
    }
}

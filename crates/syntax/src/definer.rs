//! What heads define, and the places of name, parameters and docstring in such forms.
//!
//! A row in the table of a dialect has heads, the kind of their definitions, and the [`Shape`] of the forms. Heads that
//! are in no row but begin like definers (`def...`, `define-...`) are taken for definers of the simplest shape, because
//! projects write their own.

use crate::dialects::Dialect;

/// What a form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormKind {
    /// An ordinary function.
    Function,
    /// A macro or syntax definition.
    Macro,
    /// A generic function or multimethod.
    GenericFunction,
    /// One method of a generic function.
    Method,
    /// A variable or constant.
    Variable,
    /// A class, record or protocol.
    Class,
    /// A structure or record type.
    Structure,
    /// A type.
    Type,
    /// A condition type.
    Condition,
    /// A package, namespace, module or library.
    Package,
    /// A system, as a build tool sees it.
    System,
    /// A test or test suite.
    Test,
    /// A definition of another or unknown kind.
    Definition,
    /// Adds to the definition in another form: a declaration, a specification, the methods of another protocol.
    Addition,
    /// Determines how the file is read or compiled: `in-package`, `declaim`, `require`.
    Directive,
    /// Any other form or atom.
    Expression,
}

impl FormKind {
    /// It defines a name, or adds to such a definition.
    pub const fn is_definition(self) -> bool {
        !matches!(self, Self::Directive | Self::Expression)
    }

    /// What the form defines, in a word or two.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Macro => "macro",
            Self::GenericFunction => "generic function",
            Self::Method => "method",
            Self::Variable => "variable",
            Self::Class => "class",
            Self::Structure => "structure",
            Self::Type => "type",
            Self::Condition => "condition",
            Self::Package => "package",
            Self::System => "system",
            Self::Test => "test",
            Self::Definition => "definition",
            Self::Addition => "addition",
            Self::Directive => "directive",
            Self::Expression => "expression",
        }
    }

    /// It defines something that is called with arguments.
    pub const fn has_parameters(self) -> bool {
        matches!(self, Self::Function | Self::Macro | Self::GenericFunction | Self::Method)
    }

    /// It defines a name itself.
    pub const fn defines(self) -> bool {
        self.is_definition() && !matches!(self, Self::Addition)
    }
}

/// The places of the parts of a definition, in data after the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `name parameters [docstring] body`
    Callable,
    /// `name qualifier* parameters [docstring] body`
    Method,
    /// `name [value [docstring]]`
    Variable,
    /// `name value [docstring]`; without a value it declares a variable and defines none
    Special,
    /// `name superclasses slots option*`
    Class,
    /// `name-or-(name option*) [docstring] slot*`
    Structure,
    /// `name [super] (field*)`, where each field defines names that the dialect derives
    Struct,
    /// `name [super] (field*) option*` or `(name super) (field*) option*`: a structure of Racket
    Fields,
    /// `name option* (method . parameters)*`: a generic interface of Racket, which defines the methods
    Generics,
    /// `name` and any other data; a string among the first is the docstring
    Named,
    /// `name option*`, where the name can be a list: `(ice-9 match)`
    Module,
    /// The same for a system, with its docstring after `:description`
    System,
    /// `name value`, `(name . parameters) body`, curried to any depth
    Define,
    /// `(name . parameters) body`, where the parameters have specializers
    DefineMethod,
    /// `(name*) expression`
    DefineValues,
    /// `name constructor predicate field*`, all of which define names
    Record,
    /// `name [docstring] [attributes] [parameters] body` or clauses that begin with parameters
    ClojureFunction,
    /// `name [field*] (protocol | method)*`, which defines `->name` and `map->name`
    ClojureRecord,
    /// The same, but it defines only `->name`
    ClojureType,
    /// `name (method [parameters]*)*`, which defines the methods
    ClojureProtocol,
    /// `name dispatch-value [parameters] body`
    ClojureMethod,
    /// `name [docstring] [value]`
    ClojureVariable,
    /// `[decorator*] option* name [parameters] [docstring] body`: a definition of Hy
    Decorated,
    /// `[name] [parameters] [docstring] body`: a function of Fennel
    MaybeNamed,
    /// `'name` and any other data
    Quoted,
    /// `"name"` and at least so many other data, or no name
    Titled(u8),
    /// No datum is a name
    Unnamed,
    /// The parts are where the template of a macro takes them from
    Placed(Placed),
}

/// The places of the parts in the calls of a macro that defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) name: Place,
    pub(crate) parameters: Option<Place>,
    /// The argument that the macro uses as docstring; a string directly after the name is one, too.
    pub(crate) docstring: Option<Place>,
}

/// The place of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The index of a datum after the head, from 0.
    pub(crate) at: u8,
    /// If the part is inside a list there: its index in that list.
    pub(crate) within: Option<u8>,
}

/// Heads whose forms define the same kind of thing and have the same shape.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) heads: &'static [&'static str],
    pub(crate) kind: FormKind,
    pub(crate) shape: Shape,
}

/// Heads that define `kind` in forms of this shape.
pub(crate) const fn row(kind: FormKind, shape: Shape, heads: &'static [&'static str]) -> Row {
    Row { heads, kind, shape }
}

/// The spelling of heads that are taken for definers although they are in no row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    pub(crate) begins: &'static str,
    /// A head that contains this is taken for a definer, too: `my-package-def-thing`.
    pub(crate) contains: Option<&'static str>,
    pub(crate) shape: Shape,
    /// The shape of forms whose heads are those of definers of packages: `define-test-package`.
    pub(crate) package: Option<Shape>,
}

impl Guess {
    fn fits(self, head: &str) -> bool {
        let starts = head.starts_with(self.begins)
            && !["default", "defer", "defined", "define-key"].iter().any(|no| head.starts_with(no));
        let contains = self.contains.is_some_and(|part| head.contains(part))
            && !["-default", "-define-key"].iter().any(|no| head.contains(no))
            && !["-def", "-defkey", "-key"].iter().any(|no| head.ends_with(no));
        starts || contains
    }
}

/// Kind and shape of a form whose canonical head is in the dialect's table.
pub(crate) fn known_definer(dialect: Dialect, head: &str) -> Option<(FormKind, Shape)> {
    dialect.head(head).definer
}

/// Kind and shape of a form with this head, in the canonical spelling of [`crate::name::canonical_head`].
pub(crate) fn definer(dialect: Dialect, head: &str) -> Option<(FormKind, Shape)> {
    if let Some(known) = known_definer(dialect, head) {
        return Some(known);
    }
    let guess = dialect.table().guess.filter(|guess| guess.fits(head))?;
    if let Some(shape) = guess.package.filter(|_| is_called_package(head)) {
        return Some((FormKind::Package, shape));
    }
    let kind = if is_called_test(head) { FormKind::Test } else { FormKind::Definition };
    Some((kind, guess.shape))
}

/// Definers of this name define packages: `define-test-package`, `defpackage-plus-1`.
fn is_called_package(head: &str) -> bool {
    head.ends_with("package") || ["defpackage", "define-package"].iter().any(|begins| head.starts_with(begins))
}

/// Definers of this name define tests: `deftest-async`, `my-deftest`, `define-unit-test`.
fn is_called_test(head: &str) -> bool {
    let last = head.rsplit(['-', '/', ':']).next().unwrap_or(head);
    let is = |word: &str, name: &str| word.eq_ignore_ascii_case(name);
    is(last, "test") || is(last, "deftest") || head.split('-').next().is_some_and(|first| is(first, "deftest"))
}

/// The place of definitions inside a form that only wraps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// After so many data, all others are forms.
    Body(u8),
    /// The data are clauses, each a condition followed by forms.
    Clauses,
}

/// Heads that wrap definitions in the same way.
#[derive(Debug)]
pub(crate) struct Wraps {
    pub(crate) wrapper: Wrapper,
    pub(crate) heads: &'static [&'static str],
}

pub(crate) fn wrapper(dialect: Dialect, head: &str) -> Option<Wrapper> {
    dialect.head(head).wrapper
}

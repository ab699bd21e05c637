//! What heads may define, and where in such a form its name, parameters and docstring stand.
//!
//! A row in the table of a dialect names heads, the kind of thing they define, and the [`Shape`] of the form. Heads that no row knows but that
//! begin like definers (`def...`, `define-...`) are taken for definers of the plainest shape, because projects write
//! their own.

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
    /// A definition of some other or unknown sort.
    Definition,
    /// Says more about what another form defines: a declaration, a specification, the methods of another protocol.
    Addition,
    /// Says how the file is to be read: `in-package`, `declaim`, `require`.
    Directive,
    /// Any other form or atom.
    Expression,
}

impl FormKind {
    /// It defines something that has a name, or adds to such a definition.
    pub const fn is_definition(self) -> bool {
        !matches!(self, Self::Directive | Self::Expression)
    }

    /// What it defines is called with arguments.
    pub const fn has_parameters(self) -> bool {
        matches!(self, Self::Function | Self::Macro | Self::GenericFunction | Self::Method)
    }

    /// It defines something itself.
    pub const fn defines(self) -> bool {
        self.is_definition() && !matches!(self, Self::Addition)
    }
}

/// Where the parts of a definition stand, counted in data after the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `name parameters [docstring] body`
    Callable,
    /// `name qualifier* parameters [docstring] body`
    Method,
    /// `name [value [docstring]]`
    Variable,
    /// `name value [docstring]`; without a value it says something about a variable and defines none
    Special,
    /// `name superclasses slots option*`
    Class,
    /// `name-or-(name option*) [docstring] slot*`
    Structure,
    /// `name [super] (field*)`, each of which defines names as its dialect derives them
    Struct,
    /// `name` and whatever else; a string early on is the docstring
    Named,
    /// `name-in-one-datum option*`, also when the name is a list: `(ice-9 match)`
    Module,
    /// The same of a system, with its docstring behind `:description`
    System,
    /// `name value`, `(name . parameters) body`, curried to any depth
    Define,
    /// `(name . parameters) body`, where the parameters carry specializers
    DefineMethod,
    /// `(name*) expression`
    DefineValues,
    /// `name constructor predicate field*`, each of which defines names
    Record,
    /// `name [docstring] [attributes] [parameters] body` or clauses that begin with parameters
    ClojureFunction,
    /// `name [field*] (protocol | method)*`, which defines `->name` and `map->name`
    ClojureRecord,
    /// The same, which defines `->name` alone
    ClojureType,
    /// `name (method [parameters]*)*`, which defines the methods
    ClojureProtocol,
    /// `name dispatch-value [parameters] body`
    ClojureMethod,
    /// `name [docstring] [value]`
    ClojureVariable,
    /// `'name` and whatever else
    Quoted,
    /// `"name"` and whatever else, or no name
    Titled,
    /// No datum is a name
    Unnamed,
    /// The parts stand where a macro takes them from
    Placed(Placed),
}

/// Where the parts stand of the forms of a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) name: Place,
    pub(crate) parameters: Option<Place>,
    /// Where the macro hands it on; a string right behind the name is one, too.
    pub(crate) docstring: Option<Place>,
}

/// Where a part stands, counted in data after the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: u8,
    /// Which datum of the list there it is, when it is one.
    pub(crate) within: Option<u8>,
}

/// Heads that define the same kind of thing in the same way.
#[derive(Debug)]
pub(crate) struct Row {
    heads: &'static [&'static str],
    kind: FormKind,
    shape: Shape,
}

/// Heads that define `kind` in forms of this shape.
pub(crate) const fn row(kind: FormKind, shape: Shape, heads: &'static [&'static str]) -> Row {
    Row { heads, kind, shape }
}

/// How heads begin that are taken for definers, although no row knows them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guess {
    pub(crate) begins: &'static str,
    /// A head that has this somewhere in it is taken for one, too: `my-package-def-thing`.
    pub(crate) holds: Option<&'static str>,
    pub(crate) shape: Shape,
}

impl Guess {
    fn fits(self, head: &str) -> bool {
        let starts = head.starts_with(self.begins)
            && !["default", "defer", "defined", "define-key"].iter().any(|no| head.starts_with(no));
        let holds = self.holds.is_some_and(|part| head.contains(part))
            && !["-default", "-define-key"].iter().any(|no| head.contains(no))
            && !["-def", "-defkey", "-key"].iter().any(|no| head.ends_with(no));
        starts || holds
    }
}

fn known(dialect: Dialect, head: &str) -> Option<&'static Row> {
    dialect.table().definers.iter().find(|row| row.heads.contains(&head))
}

/// Kind and shape of a form whose head, canonical, a row of the dialect's table has.
pub(crate) fn known_definer(dialect: Dialect, head: &str) -> Option<(FormKind, Shape)> {
    known(dialect, head).map(|row| (row.kind, row.shape))
}

/// The shape of a form that defines a macro.
pub(crate) fn macro_definer(dialect: Dialect, head: &str) -> Option<Shape> {
    let mut rows = dialect.table().definers.iter().filter(|row| row.kind == FormKind::Macro);
    rows.find(|row| row.heads.contains(&head)).map(|row| row.shape)
}

/// Kind and shape of a form with this head, in the canonical spelling of [`crate::name::canonical_head`].
pub(crate) fn definer(dialect: Dialect, head: &str) -> Option<(FormKind, Shape)> {
    if let Some(known) = known_definer(dialect, head) {
        return Some(known);
    }
    let guess = dialect.table().guess.filter(|guess| guess.fits(head))?;
    Some((FormKind::Definition, guess.shape))
}

/// How definitions inside a form that is not one itself are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapper {
    /// Its data after the first so many are forms.
    Body(u8),
    /// Its data are clauses, each a condition followed by forms.
    Clauses,
}

/// Heads that wrap definitions in the same way.
#[derive(Debug)]
pub(crate) struct Wraps {
    pub(crate) wrapper: Wrapper,
    pub(crate) heads: &'static [&'static str],
}

pub(crate) fn wrapper(dialect: Dialect, head: &str) -> Option<Wrapper> {
    dialect.table().wrappers.iter().find(|row| row.heads.contains(&head)).map(|row| row.wrapper)
}

//! What is asked about the shape of lists, the same of every file and every dialect.

/// A question with two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Does a list begin with a list? By the head around it, and which of its arguments it is.
    ListFirst,
    /// A line begins in a list whose last line began with a list: does it begin with an atom?
    AtomAfterList,
    /// A list began a line: does anything of the same list follow it on its last line?
    Follows,
    /// The first line of a body: does it begin with an atom?
    AtomFirst,
    /// Is the argument a list? By the head, and which argument it is.
    IsList,
    /// Does the list end here? By the head, and how many arguments it has by now.
    Ends,
    /// Two lines or more have begun in a list, all with lists: does the next begin with an atom?
    AtomAfterLists,
    /// A symbol began a line and is not the head of a list: does more of the same list follow on the line?
    SymbolGoesOn,
    /// The same of a keyword, a number or a string.
    LiteralGoesOn,
    /// Does a vector or map that ends hold pairs? By the head around it, and which of its arguments it is.
    Pairs,
    /// The first line of a body begins: does a symbol stand beside what belongs on the line of the head? `(while f x` and a
    /// line of its own for the body. Asked of heads that are known to have such a line.
    Crowded,
    /// Is a string there the docstring? By the head, and which argument it is. Known, never counted.
    Docstring,
}

/// How many questions there are.
pub(crate) const QUESTIONS: usize = 12;

/// Marks maps, which hold pairs wherever they stand.
pub(crate) const MAP: u64 = 0x3C6E_F372_FE94_F82B;

/// Arguments from this one on are counted together.
pub(crate) const MOST_ARGUMENTS: u32 = 4;

/// What stands for the head of a list that another form gives its meaning: a binding of `let`, a clause of `case`.
pub(crate) fn part_of(head: u64) -> u64 {
    head.rotate_left(17) ^ 0x510E_527F_ADE6_82D1
}

/// What stands for the head of a list whose first argument is an atom, when the head means something else with it: `define`
/// of a variable, `let` with a name.
pub(crate) fn with_atom(head: u64) -> u64 {
    head.rotate_left(29) ^ 0x1F83_D9AB_FB41_BD6B
}

/// The key under which answers about argument `index` of `head` are counted.
pub(crate) fn argument(head: u64, index: u32) -> u64 {
    head.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(index.min(MOST_ARGUMENTS)))
}

//! The questions about the shape of lists, the same for every file and every dialect.

/// A question with the answers yes and no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Does a list begin with a list? By the head around it, and the index of the argument.
    ListFirst,
    /// A line begins in a list whose last line began with a list: does it begin with an atom?
    AtomAfterList,
    /// A list began a line: does another datum of the same list follow on its last line?
    Follows,
    /// The first line of a body: does it begin with an atom?
    AtomFirst,
    /// Is the argument a list? By the head, and the index of the argument.
    IsList,
    /// Does the list end here? By the head, and the number of arguments so far.
    Ends,
    /// Two lines or more have begun in a list, all with lists: does the next begin with an atom?
    AtomAfterLists,
    /// A symbol began a line and is not the head of a list: does more of the same list follow on the line?
    SymbolGoesOn,
    /// [`Question::SymbolGoesOn`] for a keyword, a number or a string.
    LiteralGoesOn,
    /// Does a vector or map contain pairs? Asked at its end, by the head around it and the index of the argument.
    Pairs,
    /// The first line of a body begins: is there a symbol too many on the line of the head, `(while f x`? Asked for
    /// heads whose body begins on a line of its own.
    Crowded,
    /// Is a string there the docstring? By the head, and the index of the argument. Known from tables, never counted.
    Docstring,
}

/// The number of questions.
pub(crate) const QUESTIONS: usize = 12;

/// The key of maps, which always contain pairs.
pub(crate) const MAP: u64 = 0x3C6E_F372_FE94_F82B;

/// Arguments with this index and later ones are counted together.
pub(crate) const MOST_ARGUMENTS: u32 = 4;

/// The key that replaces the head of a list that is a part of another form: a binding of `let`, a clause of `case`.
pub(crate) fn part_of(head: u64) -> u64 {
    head.rotate_left(17) ^ 0x510E_527F_ADE6_82D1
}

/// The key that replaces a head whose first argument is an atom, if it means something else then: `define` of a
/// variable, `let` with a name.
pub(crate) fn with_atom(head: u64) -> u64 {
    head.rotate_left(29) ^ 0x1F83_D9AB_FB41_BD6B
}

/// The key under which answers about argument `index` of `head` are counted.
pub(crate) fn argument(head: u64, index: u32) -> u64 {
    head.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(index.min(MOST_ARGUMENTS)))
}

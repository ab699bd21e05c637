//! What is said in each language to bring about the behaviours, and what it comes to there.

pub(crate) mod clojure;
pub(crate) mod common_lisp;
pub(crate) mod emacs_lisp;
pub(crate) mod guile;

/// The words of a language. What code comes to is as it is printed.
pub(crate) struct Phrases {
    /// Forms of which the last gives these values.
    pub(crate) values: (&'static str, &'static [&'static str]),
    /// Comments, and nothing else.
    pub(crate) comments: &'static str,
    /// Prints `out`, then `err` to error output, then `put`.
    pub(crate) printing: &'static str,
    /// Defines `here` as 42.
    pub(crate) define_here: &'static str,
    pub(crate) here: &'static str,
    /// Gives `here` the value 43.
    pub(crate) change_here: &'static str,
    /// Defines the function `both`, which makes a list of its argument twice.
    pub(crate) define_both: &'static str,
    /// Calls it with `here`.
    pub(crate) both_here: (&'static str, &'static str),
    pub(crate) package: Package,
    /// A list with a string that has λ and 𝄞 in it, and how it is printed.
    pub(crate) elements: (&'static str, &'static str),
    /// A list of ten thousand.
    pub(crate) long: &'static str,
    /// Evaluates at read time.
    pub(crate) read_time: &'static str,
    /// Reads from the standard input; what that gives at the end of it.
    pub(crate) input: (&'static str, &'static str),
    /// Is warned about; a part of the warning.
    pub(crate) warned: (&'static str, &'static str),
    pub(crate) failure: Failure,
    /// Never end: loops, waits, handlers around them.
    pub(crate) endless: &'static [&'static str],
    /// Prints without end.
    pub(crate) chatter: &'static str,
    /// Calls itself without end.
    pub(crate) deep: &'static str,
    /// Keeps ever more.
    pub(crate) greedy: &'static str,
    /// Ends the process with status 3.
    pub(crate) exit: &'static str,
    /// Raises what the restart of that name goes on from when it is given the code `(+ 2 3)`; what comes of it.
    pub(crate) restart: (&'static str, &'static str, &'static str),
    pub(crate) mill: Mill,
    pub(crate) tests: Tests,
    /// A macro call, and a part of its expansion.
    pub(crate) expansion: (&'static str, &'static str),
    /// An object that has parts, and what one of them is.
    pub(crate) object: (&'static str, &'static str),
}

/// A package, module or namespace that has `stock`, which is 7.
pub(crate) struct Package {
    /// Makes it the session's.
    pub(crate) enter: &'static str,
    pub(crate) name: &'static str,
    pub(crate) stock: &'static str,
    /// Its name with a slip in it.
    pub(crate) misspelled: &'static str,
    /// Makes the usual one the session's again.
    pub(crate) leave: &'static str,
    pub(crate) usual: &'static str,
}

/// Four lines: a function `inner` on two that fails with 3 in `x`, `outer` that calls it, and a call of that on the last.
pub(crate) struct Failure {
    pub(crate) code: &'static str,
    /// A part of the error's type.
    pub(crate) type_name: &'static str,
    /// A part of its message.
    pub(crate) message: &'static str,
    /// Parts of its first frames.
    pub(crate) frames: [&'static str; 2],
    pub(crate) variable: &'static str,
}

/// A file of the project.
pub(crate) struct Mill {
    pub(crate) file: &'static str,
    /// Exports the function `grind` on line 5, which the compiler warns about there or on line 6, and `turn`, which calls it.
    pub(crate) text: &'static str,
    pub(crate) package: &'static str,
    /// `grind` as it is named from anywhere, or in its package.
    pub(crate) grind: &'static str,
    /// A text that fails with `sand` in the error's message on line 3.
    pub(crate) broken: &'static str,
}

/// Tests of the project: one that passes, and `off`, which does not.
pub(crate) struct Tests {
    /// What defines them beside the file, if anything does.
    pub(crate) definition: Option<(&'static str, &'static str)>,
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
    /// The system that they are; the file is asked for when there is none.
    pub(crate) system: Option<&'static str>,
    /// The line of `off`.
    pub(crate) line: u32,
    /// The name of the one that passes.
    pub(crate) fine: &'static str,
    /// A file without any.
    pub(crate) none: &'static str,
}

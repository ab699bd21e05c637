//! The code in each language that brings about the behaviours, and its results there.

pub(crate) mod chez;
pub(crate) mod clojure;
pub(crate) mod common_lisp;
pub(crate) mod emacs_lisp;
pub(crate) mod guile;
pub(crate) mod racket;

/// The phrases of a language. Results are as they are printed.
pub(crate) struct Phrases {
    /// Forms, and the values of the last one.
    pub(crate) values: (&'static str, &'static [&'static str]),
    /// Comments only.
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
    /// A list with a string that contains λ and 𝄞, and its printed form.
    pub(crate) elements: (&'static str, &'static str),
    /// A list of ten thousand.
    pub(crate) long: &'static str,
    /// Evaluates at read time.
    pub(crate) read_time: &'static str,
    /// Reads from the standard input; its value at the end of input.
    pub(crate) input: (&'static str, &'static str),
    /// Code that closes the input or output that it is given.
    pub(crate) closing: &'static [&'static str],
    /// Code with a warning, and a part of the warning.
    pub(crate) warned: (&'static str, &'static str),
    pub(crate) failure: Failure,
    /// Endless code: loops, waits, handlers around them.
    pub(crate) endless: &'static [&'static str],
    /// Prints without end.
    pub(crate) chatter: &'static str,
    /// Calls itself without end.
    pub(crate) deep: &'static str,
    /// Allocates without end.
    pub(crate) greedy: &'static str,
    /// Ends the process with status 3.
    pub(crate) exit: &'static str,
    /// Signals an error; the name of a restart, and the result of invoking it with the code `(+ 2 3)`.
    pub(crate) restart: (&'static str, &'static str, &'static str),
    pub(crate) mill: Mill,
    pub(crate) tests: Tests,
    /// A macro call, and a part of its expansion.
    pub(crate) expansion: (&'static str, &'static str),
    /// An object that has parts, and one of the parts.
    pub(crate) object: (&'static str, &'static str),
    /// Runs a program that exits with status 3, and the value.
    pub(crate) program: (&'static str, &'static str),
}

/// A package, module or namespace that has `stock`, which is 7.
pub(crate) struct Package {
    /// Makes it the session's.
    pub(crate) enter: &'static str,
    pub(crate) name: &'static str,
    pub(crate) stock: &'static str,
    /// Its misspelled name.
    pub(crate) misspelled: &'static str,
    /// Makes the usual package the session's again.
    pub(crate) leave: &'static str,
    pub(crate) usual: &'static str,
}

/// Four lines: a function `inner` on two that fails with 3 in `x`, `outer` that calls it, and a call of that on the
/// last.
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
    /// The full name of `grind`, or its name in its package.
    pub(crate) grind: &'static str,
    /// A text that fails with `sand` in the error's message on line 3.
    pub(crate) broken: &'static str,
}

/// Tests of the project: one that passes, and `off`, which does not.
pub(crate) struct Tests {
    /// The file that defines their system, if there is one besides the test file.
    pub(crate) definition: Option<(&'static str, &'static str)>,
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
    /// Their system; without one the file is tested.
    pub(crate) system: Option<&'static str>,
    /// The line of `off`.
    pub(crate) line: u32,
    /// The name of the passing test.
    pub(crate) fine: &'static str,
    /// A test `hangs` that never ends, to be put before `off`.
    pub(crate) hanging: &'static str,
    /// A file without tests.
    pub(crate) none: &'static str,
}

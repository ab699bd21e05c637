//! The reasons why the parameters of a function are not changed, and the places that cannot be followed.

use std::path::PathBuf;

use lispwright_index::PossibleReason;

use crate::refusal::{RenameRefusal, Spot};

/// Why no change of parameters was planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureRefusal {
    /// The name does not mean one definition of the project.
    Target(RenameRefusal),
    /// No definition of the name has parameters that are known.
    NoParameters {
        /// The first definition.
        spot: Spot,
    },
    /// The function has several lists of parameters.
    Several {
        /// Each list, as it is written, with its number of required parameters.
        lists: Vec<(String, usize)>,
    },
    /// The new list is not understood.
    BadParameters {
        /// The reason.
        why: String,
    },
    /// There is no parameter of that name.
    NoParameter {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Calls have to pass a new parameter, and nobody says what.
    NeedsValue {
        /// The parameter.
        name: String,
    },
    /// Nothing would change.
    Same {
        /// The present list.
        list: String,
    },
    /// A parameter that is to go is used.
    StillUsed {
        /// Its name.
        name: String,
        /// The places.
        spots: Vec<Spot>,
    },
    /// The new name means something else there, or would.
    Taken {
        /// The name.
        name: String,
        /// The place.
        spot: Spot,
    },
    /// A default value needs a parameter that would come after it.
    TooLate {
        /// The parameter.
        name: String,
        /// The default value.
        spot: Spot,
    },
    /// A comment in the list of parameters would be lost.
    Comment {
        /// The comment.
        spot: Spot,
    },
    /// Places cannot be followed.
    Open(Vec<OpenPlace>),
    /// A file that has the name does not balance.
    Unbalanced {
        /// The file, absolute.
        path: PathBuf,
    },
    /// A file would read differently elsewhere.
    WouldBreak {
        /// The place in the file as it would be.
        spot: Spot,
    },
}

/// A place that may depend on the parameters and stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpenPlace {
    /// The place.
    pub spot: Spot,
    /// Why it is not changed.
    pub why: OpenReason,
}

/// Why a place is not changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpenReason {
    /// The function is a value, which may be called anywhere.
    Value,
    /// It is a symbol in data.
    Data,
    /// It is a call with fewer arguments than the function needs.
    Few,
    /// It is a call with more arguments than the function takes.
    Many,
    /// Some arguments are not known: they come from a list, or are not there yet.
    Tail,
    /// Some keywords are not written.
    Keys,
    /// Arguments are passed that belong to a parameter for all further ones.
    Rest,
    /// It does not pass the parameter that has to be passed.
    Absent(String),
    /// It passes an optional parameter after one that it does not pass.
    Gap(String),
    /// The value of the step before would have another place than its form gives it.
    Threaded,
    /// A condition of the reader decides whether an argument is there.
    Condition,
    /// It is assigned, or bound dynamically.
    Assigned,
    /// It is a definition with other parameters, or of a shape that is not understood.
    Definition,
    /// The method is chosen by the class of the parameter that goes.
    Dispatch(String),
    /// The name of the parameter is in a form that is not understood.
    Parameter(String),
    /// The macro, or one that its code uses, has the name of the parameter in its template.
    Captured(String),
    /// It is written with `@`-forms, whose arguments may be prose.
    AtForm,
    /// It may be a use of the function.
    Possible(PossibleReason),
}

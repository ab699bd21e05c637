//! The reasons why an image did nothing: something that the request names does not exist.

use crate::naming;
use crate::nearest::nearest;
use crate::wire::Value;

/// The thing that a request named and the image does not have. Nothing ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageRefusal {
    /// No object has that number.
    NoObject {
        /// The number.
        object: i64,
        /// An object once had this number, and the image no longer keeps it.
        given: bool,
    },
    /// No error is held.
    NotHeld,
    /// The held stack has no such frame.
    NoFrame {
        /// The requested number.
        frame: i64,
        /// The number of frames.
        total: u64,
    },
    /// The held error offers no such restart.
    NoRestart(String),
    /// The restart of that name needs a value, and none was given.
    NeedsValue(String),
    /// This number of forms was given where one is expected.
    NotOneForm(u64),
    /// There is no checkpoint of that name.
    NoCheckpoint {
        /// The requested name.
        name: String,
        /// The existing ones, oldest first.
        checkpoints: Vec<String>,
    },
    /// There is no system, module or namespace of that name.
    NoSystem {
        /// The requested name.
        name: String,
        /// Similar ones, nearest first.
        nearest: Vec<String>,
    },
    /// The name has no meaning.
    NoName {
        /// The requested name.
        name: String,
        /// The package, module or namespace that was searched.
        place: String,
        /// Names that may have been meant, likeliest first.
        candidates: Vec<String>,
    },
    /// The process cannot be copied while these threads run.
    Threads(Vec<String>),
    /// The number of checkpoints has reached this limit.
    Full(u64),
}

impl ImageRefusal {
    /// Reads an answer that names the reason.
    pub(crate) fn read(answer: &Value) -> Option<Self> {
        let texts = |name| answer.get_list(name).iter().filter_map(Value::as_text).map(str::to_owned).collect();
        let count = |name| answer.get_integer(name).and_then(|number| u64::try_from(number).ok()).unwrap_or(0);
        if let Some(object) = answer.get_integer("NO-OBJECT") {
            let next = answer.get_integer("NEXT-OBJECT").unwrap_or(0);
            return Some(Self::NoObject { object, given: (1..next).contains(&object) });
        }
        if let Some(frame) = answer.get_integer("NO-FRAME") {
            return Some(Self::NoFrame { frame, total: count("TOTAL") });
        }
        if let Some(name) = answer.get_text("NO-RESTART") {
            return Some(Self::NoRestart(name.to_owned()));
        }
        if let Some(name) = answer.get_text("NEEDS-VALUE") {
            return Some(Self::NeedsValue(name.to_owned()));
        }
        if let Some(name) = answer.get_text("NO-CHECKPOINT") {
            return Some(Self::NoCheckpoint { name: name.to_owned(), checkpoints: texts("CHECKPOINTS") });
        }
        if let Some(name) = answer.get_text("NO-SYSTEM") {
            return Some(Self::NoSystem { name: name.to_owned(), nearest: nearest(name, answer.get_list("SYSTEMS")) });
        }
        if let Some(name) = answer.get_text("NO-NAME") {
            return Some(Self::NoName {
                name: name.to_owned(),
                place: answer.get_text("IN").unwrap_or_default().to_owned(),
                candidates: naming::candidates(name, answer),
            });
        }
        if answer.get_truth("THREADS") {
            return Some(Self::Threads(texts("THREADS")));
        }
        if answer.get_truth("NOT-HELD") {
            return Some(Self::NotHeld);
        }
        if answer.get_truth("NOT-ONE-FORM") {
            return Some(Self::NotOneForm(count("NOT-ONE-FORM")));
        }
        answer.get_truth("FULL").then(|| Self::Full(count("FULL")))
    }
}

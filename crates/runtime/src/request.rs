//! What a session can be asked, beside being started and ended.

use std::time::Duration;

use crate::eval::EvalRequest;
use crate::wire::Value;

/// How long a question about the image may take that is not an evaluation.
const LOOK_LIMIT: Duration = Duration::from_secs(30);

/// One request to an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Evaluate code.
    Eval(EvalRequest),
    /// Describe an object by its number.
    Inspect {
        /// The number.
        object: i64,
        /// Levels of parts, at most 8.
        depth: u32,
        /// Parts of each object.
        count: u32,
        /// Parts of the outermost object that are skipped.
        offset: u64,
        /// Characters of a long string.
        limit: u32,
    },
}

impl Request {
    /// The wire's name for it.
    pub(crate) fn operation(&self) -> &'static str {
        match self {
            Self::Eval(_) => "EVAL",
            Self::Inspect { .. } => "INSPECT",
        }
    }

    /// What follows the operation on the wire.
    pub(crate) fn arguments(&self) -> Vec<Value> {
        let integer = |number: u64| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        match self {
            Self::Eval(request) => request.arguments(),
            Self::Inspect { object, depth, count, offset, limit } => keyed([
                ("OBJECT", Value::Integer(*object)),
                ("DEPTH", integer((*depth).into())),
                ("COUNT", integer((*count).into())),
                ("OFFSET", integer(*offset)),
                ("LIMIT", integer((*limit).into())),
            ]),
        }
    }

    /// How long it may take before it is interrupted.
    pub(crate) fn timeout(&self) -> Duration {
        match self {
            Self::Eval(request) => request.timeout,
            Self::Inspect { .. } => LOOK_LIMIT,
        }
    }

    /// It is about something in the image that the session has now; a fresh one could not answer.
    pub(crate) fn is_about_present_image(&self) -> bool {
        !matches!(self, Self::Eval(_))
    }
}

/// Keywords and values, one after the other.
pub(crate) fn keyed<const N: usize>(pairs: [(&str, Value); N]) -> Vec<Value> {
    pairs.into_iter().flat_map(|(key, value)| [Value::keyword(key), value]).collect()
}

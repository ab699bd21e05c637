//! The answers of a hook to a client.

use serde_json::{Map, Value};

/// The answer to a call. Silence, an empty output, is not one of them.
#[derive(Clone, Debug, PartialEq)]
pub enum HookAnswer {
    /// Before the call: carry it out with these arguments, and inform the model.
    Change {
        /// All arguments of the call.
        input: Map<String, Value>,
        /// The change, in words for the model.
        told: String,
    },
    /// Before the call: do not carry it out.
    Refuse {
        /// The reason and the next step, in words for the model.
        told: String,
    },
    /// Let the call be, and inform the model.
    Tell {
        /// The words for the model.
        told: String,
    },
}

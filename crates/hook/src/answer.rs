//! What a hook has to say to a client.

use serde_json::{Map, Value};

/// The answer to a call. Saying nothing is not among them: that is an empty output.
#[derive(Clone, Debug, PartialEq)]
pub enum HookAnswer {
    /// Before the call: carry it out with these arguments, and tell the model.
    Change {
        /// All arguments of the call.
        input: Map<String, Value>,
        /// What was changed, for the model.
        told: String,
    },
    /// Before the call: do not carry it out.
    Refuse {
        /// Why not and what to do, for the model.
        told: String,
    },
    /// Carry it out, or leave it as it is, and tell the model.
    Tell {
        /// For the model.
        told: String,
    },
}

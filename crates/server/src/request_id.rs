//! The identifiers of requests.

use rmcp::model::RequestId;
use serde_json::Value;

/// An id that JSON-RPC and MCP allow: a string or an integer.
pub(crate) fn request_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        Value::Number(_) => value.as_i64().map(RequestId::Number),
        _ => None,
    }
}

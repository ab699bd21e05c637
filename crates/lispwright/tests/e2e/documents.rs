//! The surfaces, played from the documents of the servers whose names they have: each example as it stands there, and
//! each field that is described there.
//!
//! A client of such a server sends lines, and reads the members of a result where that server puts them. So the requests
//! here are lines, and `fields` are the members of the result itself with those of its structured content.

mod cl_mcp;
mod evaluate_lisp;
mod guile;
mod sexp_guard;

use serde_json::{Map, Value};

use crate::client::{Client, binary, cache};
use crate::project::Project;

/// A server with a surface.
pub(crate) struct Played {
    pub(crate) project: Project,
    pub(crate) client: Client,
}

/// The result of a call.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) is_error: bool,
    /// The only text of the content.
    pub(crate) text: String,
    pub(crate) fields: Map<String, Value>,
}

impl Played {
    /// Starts a server on a project; nothing is sent.
    pub(crate) fn new(surface: &str, project: Project) -> Self {
        let mut command = std::process::Command::new(binary());
        command.args(["mcp", "--surface", surface, "--root"]).arg(project.root()).env("XDG_CACHE_HOME", cache());
        Self { project, client: Client::spawn(command) }
    }

    /// The answer to a line, which has this id.
    #[track_caller]
    pub(crate) fn line(&mut self, line: &str) -> Value {
        let id = serde_json::from_str::<Value>(line).unwrap()["id"].as_i64().unwrap();
        self.client.send_line(line.as_bytes());
        self.client.answer_to(id)
    }

    /// The answer to a request without the envelope, as some documents print them.
    #[track_caller]
    pub(crate) fn bare(&mut self, request: &str) -> Outcome {
        let request: Value = serde_json::from_str(request).unwrap();
        let answer = self.client.request(request["method"].as_str().unwrap(), request["params"].clone());
        Outcome::of(&answer)
    }

    /// The outcome of a call.
    #[track_caller]
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Outcome {
        Outcome::of(&self.client.request("tools/call", serde_json::json!({ "name": name, "arguments": arguments })))
    }

    /// The same, for a call that succeeds.
    #[track_caller]
    pub(crate) fn ok(&mut self, name: &str, arguments: Value) -> Outcome {
        let outcome = self.call(name, arguments);
        assert!(!outcome.is_error, "{name}: {}", outcome.text);
        outcome
    }
}

impl Outcome {
    #[track_caller]
    pub(crate) fn of(answer: &Value) -> Self {
        let Value::Object(mut fields) = answer["result"].clone() else { panic!("not a result: {answer}") };
        let is_error = fields.remove("isError").and_then(|flag| flag.as_bool()).unwrap_or(false);
        let content = fields.remove("content").unwrap_or_default();
        assert_eq!(content.as_array().map(Vec::len), Some(1), "{answer}");
        let text = content[0]["text"].as_str().unwrap().to_owned();
        if let Some(Value::Object(structured)) = fields.remove("structuredContent") {
            fields.extend(structured);
        }
        Self { is_error, text, fields }
    }

    /// Checks that the fields are there and of their types: `NAME:TYPE`, with `|` between several types.
    #[track_caller]
    pub(crate) fn has(&self, fields: &str) -> &Self {
        for field in fields.split_whitespace() {
            let (name, kinds) = field.split_once(':').unwrap();
            let value = self.fields.get(name);
            let fits = |kind: &str| match (kind, value) {
                ("absent", value) => value.is_none(),
                ("null", value) => value.is_none_or(Value::is_null),
                ("string", Some(value)) => value.is_string(),
                ("boolean", Some(value)) => value.is_boolean(),
                ("integer", Some(value)) => value.is_i64() || value.is_u64(),
                ("array", Some(value)) => value.is_array(),
                ("object", Some(value)) => value.is_object(),
                _ => false,
            };
            assert!(kinds.split('|').any(fits), "{field}: {value:?} in {:?}", self.fields);
        }
        self
    }
}

//! The `guard` tools: the stateless delimiter protocol of `lispwright-guard` as eight tools.
//!
//! The protocol has its own answers for requests that do not fit (`ok`, `error{code, ...}`), ignores fields that it
//! does not know, and never needs the workshop: these tools are the crate's functions with a schema. The schemas say
//! what to send; a skin hands the arguments over unchecked, so that a wrong type is the protocol's `INVALID_TYPE`.

use std::sync::Arc;

use futures::FutureExt;
use lispwright_guard::answer::{BalanceAnswer, ScanAnswer, SentinelAnswer, StackAnswer};
use lispwright_guard::request::{BalanceRequest, BatchRequest, RunRequest, ScanRequest, SentinelRequest, StepRequest};
use lispwright_guard::{GuardAnswer, Operation, answer};
use serde_json::{Map, Value};

use crate::answer::{Answer, ProtocolAnswer, fields, fields_schema};
use crate::arguments::schema_of;
use crate::tool::{Annotations, Schema, Tool, ToolSet};

/// The eight tools, in the protocol's order.
pub fn guard_tools() -> Vec<Tool> {
    Operation::ALL.into_iter().map(tool).collect()
}

fn tool(operation: Operation) -> Tool {
    Tool {
        name: operation.name(),
        title: title(operation),
        description: description(operation),
        set: ToolSet::Guard,
        annotations: Annotations::READS,
        input_schema: Schema::new(input_schema(operation)),
        output_schema: Schema::new(output_schema(operation)),
        run: Arc::new(move |arguments, _| async move { Ok(answered(operation, &arguments)) }.boxed()),
    }
}

fn answered(operation: Operation, arguments: &Map<String, Value>) -> Answer {
    let answer = answer(operation, arguments);
    Answer::Protocol(ProtocolAnswer { text: answer.text(), fields: fields(&answer), ok: answer.ok })
}

const fn title(operation: Operation) -> &'static str {
    match operation {
        Operation::PushDelimiter => "Push a delimiter",
        Operation::PopDelimiter => "Pop a delimiter",
        Operation::SetSentinel => "Set the sentinel",
        Operation::BalanceAndResume => "Balance and resume",
        Operation::PushMany => "Push delimiters",
        Operation::PopMany => "Pop delimiters",
        Operation::Batch => "Push and pop delimiters",
        Operation::Scan => "Scan a piece of text",
    }
}

const fn description(operation: Operation) -> &'static str {
    match operation {
        Operation::PushDelimiter => {
            "Push an opening delimiter onto the stack that you keep, and get the stack back. Nothing is stored here."
        }
        Operation::PopDelimiter => {
            "Close the innermost delimiter of your stack, checked: MISMATCH says which type is due, UNDERFLOW that none is."
        }
        Operation::SetSentinel => "Mark the cursor (in code points) at which writing goes on.",
        Operation::BalanceAndResume => {
            "At the sentinel: assert that nothing is open, or (suggest-fix) get the edit that closes what is."
        }
        Operation::PushMany => "Push a run of opening delimiters, outermost first, in one call.",
        Operation::PopMany => "Close a run of delimiters, innermost first, in one call.",
        Operation::Batch => {
            "Push and pop in any order in one call, all or none. Instead of ops, docSlice.text gives the text written: \
             its delimiters are found, those in strings, comments and character literals are not counted."
        }
        Operation::Scan => {
            "Check Lisp text as you write it, in pieces: send the next piece and the state of the last answer. Says what \
             is open and since where, the first error, and the closers to write. May stop inside a string or comment."
        }
    }
}

const fn input_schema(operation: Operation) -> fn() -> Map<String, Value> {
    match operation {
        Operation::PushDelimiter | Operation::PopDelimiter => schema_of::<StepRequest>,
        Operation::SetSentinel => schema_of::<SentinelRequest>,
        Operation::BalanceAndResume => schema_of::<BalanceRequest>,
        Operation::PushMany | Operation::PopMany => schema_of::<RunRequest>,
        Operation::Batch => schema_of::<BatchRequest>,
        Operation::Scan => schema_of::<ScanRequest>,
    }
}

const fn output_schema(operation: Operation) -> fn() -> Map<String, Value> {
    match operation {
        Operation::SetSentinel => fields_schema::<GuardAnswer<SentinelAnswer>>,
        Operation::BalanceAndResume => fields_schema::<GuardAnswer<BalanceAnswer>>,
        Operation::Scan => fields_schema::<GuardAnswer<ScanAnswer>>,
        _ => fields_schema::<GuardAnswer<StackAnswer>>,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_guard::limits::MAX_DEPTH;
    use serde_json::json;

    use super::*;
    use crate::arguments::check;
    use crate::tool::CallContext;

    fn call(name: &str, arguments: Value) -> ProtocolAnswer {
        let tool = guard_tools().into_iter().find(|tool| tool.name == name).unwrap();
        let Value::Object(arguments) = arguments else { panic!("not an object") };
        let reply = (tool.run)(arguments, CallContext::default()).now_or_never().unwrap();
        let Ok(Answer::Protocol(outcome)) = reply else { panic!("{reply:?}") };
        // What a tool answers is what its schema says: every field, and nothing else.
        assert_eq!(check(&tool.output_schema, &outcome.fields), Ok(()));
        for field in outcome.fields.keys() {
            assert!(tool.output_schema["properties"].get(field).is_some(), "{name} {field}");
        }
        outcome
    }

    #[test]
    fn tools_answer_as_the_protocol_says() {
        let pushed = call("sexp_guard_push_delimiter", json!({"stack": [], "type": "paren", "whatever": 1}));
        assert_eq!((pushed.text.as_str(), pushed.ok), (r#"{"ok":true,"stack":["paren"]}"#, true));
        let popped = call("sexp_guard_pop_delimiter", json!({"stack": ["paren"], "type": ":brace", "format": "edn"}));
        assert!(!popped.ok && popped.text.starts_with("{:ok false, :error {:code \"MISMATCH\""), "{popped:?}");
        assert_eq!(popped.fields["error"]["expected"], json!("paren"));
        assert!(call("sexp_guard_set_sentinel", json!({"cursor": 1})).ok);
        let balance = json!({"stack": ["paren"], "sentinel": 3, "mode": "suggest-fix"});
        assert_eq!(call("sexp_guard_balance_and_resume", balance).fields["fix"]["edits"][0]["text"], json!(")"));
        assert!(call("sexp_guard_push_many", json!({"stack": [], "types": ["paren"], "cursor": 1})).ok);
        assert!(!call("sexp_guard_pop_many", json!({"stack": [], "types": ["paren"]})).ok);
        assert!(call("sexp_guard_batch", json!({"stack": [], "docSlice": {"text": "(a"}})).ok);
        let first = call("sexp_guard_scan", json!({"text": "(defun f () \"(", "dialect": "cl", "mode": "suggest-fix"}));
        let second = call("sexp_guard_scan", json!({"text": "\") )", "state": first.fields["state"]}));
        assert_eq!(second.fields["error"]["code"], json!("UNDERFLOW"));
    }

    #[test]
    fn schemas_are_open_and_have_the_required_fields() {
        for tool in guard_tools() {
            assert_eq!(tool.input_schema["type"], json!("object"), "{}", tool.name);
            assert_eq!(tool.input_schema["additionalProperties"], json!(true), "{}", tool.name);
            for name in tool.input_schema["required"].as_array().unwrap() {
                assert!(tool.input_schema["properties"].get(name.as_str().unwrap()).is_some(), "{} {name}", tool.name);
            }
            assert!(tool.name.len() <= 40 && tool.set == ToolSet::Guard);
        }
    }

    #[test]
    fn schemas_take_what_the_protocol_declares() {
        let stack = json!({ "type": "array", "items": { "enum": ["paren", "bracket", "brace"] } });
        let kind = json!({ "enum": ["paren", "bracket", "brace"] });
        let integer = json!({ "type": "integer" });
        let mode = json!({ "enum": ["assert-empty", "suggest-fix"] });
        let slice = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string" }, "start": { "type": "integer" }, "end": { "type": "integer" }
            }
        });
        let step = json!({ "stack": stack, "type": kind, "cursor": integer, "docSlice": slice });
        let balance = json!({ "stack": stack, "sentinel": integer, "mode": mode, "docSlice": slice });
        for (name, required, properties) in [
            ("sexp_guard_push_delimiter", json!(["stack", "type"]), step.clone()),
            ("sexp_guard_pop_delimiter", json!(["stack", "type"]), step),
            ("sexp_guard_set_sentinel", json!(["cursor"]), json!({ "cursor": integer })),
            ("sexp_guard_balance_and_resume", json!(["stack", "sentinel", "mode"]), balance),
        ] {
            let tool = guard_tools().into_iter().find(|tool| tool.name == name).unwrap();
            assert_eq!(tool.input_schema["required"], required, "{name}");
            for (property, declared) in properties.as_object().unwrap() {
                assert_includes(&tool.input_schema["properties"][property], declared, &format!("{name} {property}"));
            }
        }
    }

    /// Everything in `declared` stands in `schema`.
    fn assert_includes(schema: &Value, declared: &Value, place: &str) {
        match declared {
            Value::Object(fields) => {
                for (name, field) in fields {
                    assert_includes(&schema[name], field, &format!("{place}.{name}"));
                }
            }
            other => assert_eq!(schema, other, "{place}"),
        }
    }

    #[test]
    fn long_answers_are_whole_and_the_same_twice() {
        let stack = vec!["bracket"; MAX_DEPTH];
        let popped = call("sexp_guard_pop_delimiter", json!({"stack": stack, "type": "bracket"}));
        assert_eq!(serde_json::from_str::<Map<String, Value>>(&popped.text).unwrap(), popped.fields);
        assert_eq!(popped.fields["stack"].as_array().unwrap().len(), MAX_DEPTH - 1);
        let refused = call("sexp_guard_pop_delimiter", json!({"stack": stack, "type": "paren"}));
        assert_eq!(serde_json::from_str::<Map<String, Value>>(&refused.text).unwrap(), refused.fields);
        assert_eq!(refused.fields["error"]["stack"], json!(stack));
        let hashed = call("sexp_guard_set_sentinel", json!({"cursor": 1, "docHash": lispwright_guard::hash::EMPTY}));
        assert_eq!(hashed.fields["docHash"], json!(lispwright_guard::hash::EMPTY));
    }

    #[test]
    fn a_wrong_type_is_the_protocols_own_error() {
        let refused = call("sexp_guard_push_delimiter", json!({"stack": [], "type": "angle"}));
        assert_eq!(refused.fields["error"]["code"], json!("INVALID_TYPE"));
        let refused = call("sexp_guard_set_sentinel", json!({"cursor": "3"}));
        assert_eq!(refused.fields["error"]["code"], json!("BAD_CURSOR"));
    }
}

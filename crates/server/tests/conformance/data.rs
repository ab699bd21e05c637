//! Tools, prompts and resources that are nothing but data.

use rmcp::model::{CallToolResult, Tool};
use serde_json::{Map, Value, json};

use super::{asking, of};

/// A picture of one red point (PNG).
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// No sound (WAV).
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// The tools beside those of the product's dispatcher.
pub(super) fn tools() -> Vec<Tool> {
    let names = [
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_tool_with_logging",
        "test_logging_tool",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
    ];
    let plain =
        names.into_iter().chain(asking::TOOLS.iter().copied()).map(|name| tool(name, json!({ "type": "object" })));
    plain.chain([tool("json_schema_2020_12_tool", schema_2020_12())]).collect()
}

fn tool(name: &str, schema: Value) -> Tool {
    of(json!({ "name": name, "description": "A tool that the conformance suite calls.", "inputSchema": schema }))
}

/// The schema whose keywords have to reach the client as they are.
fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

/// A result with one text.
pub(super) fn text(text: &str) -> CallToolResult {
    of(json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] }))
}

/// The result of a tool that always answers the same.
pub(super) fn result(tool: &str) -> Option<Value> {
    let picture = json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" });
    let content = match tool {
        "test_image_content" => json!([picture]),
        "test_audio_content" => json!([{ "type": "audio", "data": SOUND, "mimeType": "audio/wav" }]),
        "test_embedded_resource" => json!([{
            "type": "resource",
            "resource": {
                "uri": "test://embedded-resource", "mimeType": "text/plain",
                "text": "This is an embedded resource content."
            }
        }]),
        "test_multiple_content_types" => json!([
            { "type": "text", "text": "Multiple content types test:" },
            picture,
            {
                "type": "resource",
                "resource": {
                    "uri": "test://mixed-content-resource", "mimeType": "application/json",
                    "text": r#"{"test":"data","value":123}"#
                }
            }
        ]),
        "json_schema_2020_12_tool" => json!([{ "type": "text", "text": "valid" }]),
        _ => return None,
    };
    Some(json!({ "resultType": "complete", "content": content }))
}

/// `prompts/list`.
pub(super) fn prompts() -> Value {
    let argument = |name: &str| json!({ "name": name, "description": "An argument", "required": true });
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments: Vec<Value> = arguments.iter().map(|name| argument(name)).collect();
        json!({ "name": name, "description": "A prompt that the conformance suite gets.", "arguments": arguments })
    };
    json!({ "resultType": "complete", "ttlMs": 1000, "cacheScope": "public", "prompts": [
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
        prompt(asking::PROMPT, &[]),
    ] })
}

/// The result of `prompts/get`.
pub(super) fn prompt(name: &str, arguments: &Map<String, Value>) -> Option<Value> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let said = |text: &str| json!({ "type": "text", "text": text });
    let contents = match name {
        "test_simple_prompt" => vec![said("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            vec![said(&format!("Prompt with arguments: arg1='{}', arg2='{}'", given("arg1"), given("arg2")))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = json!({
                "uri": given("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing."
            });
            let content = json!({ "type": "resource", "resource": resource });
            vec![content, said("Please process the embedded resource above.")]
        }
        "test_prompt_with_image" => vec![
            json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" }),
            said("Please analyze the image above."),
        ],
        _ => return None,
    };
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    Some(json!({ "resultType": "complete", "messages": messages }))
}

/// `resources/list`.
pub(super) fn resources() -> Value {
    let resource = |name: &str, kind: &str| json!({ "uri": format!("test://{name}"), "name": name, "description": "A resource", "mimeType": kind });
    json!({ "resultType": "complete", "ttlMs": 1000, "cacheScope": "public", "resources": [
        resource("static-text", "text/plain"),
        resource("static-binary", "image/png"),
        resource("watched-resource", "text/plain"),
    ] })
}

/// `resources/templates/list`.
pub(super) fn templates() -> Value {
    json!({ "resultType": "complete", "ttlMs": 1000, "cacheScope": "public", "resourceTemplates": [{
        "uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data of an id",
        "mimeType": "application/json"
    }] })
}

/// The result of `resources/read`.
pub(super) fn resource(uri: &str) -> Option<Value> {
    let content = match uri {
        "test://static-text" => json!({
            "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."
        }),
        "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PICTURE }),
        "test://watched-resource" => json!({ "uri": uri, "mimeType": "text/plain", "text": "Watched" }),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() })
        }
    };
    Some(json!({ "resultType": "complete", "ttlMs": 1000, "cacheScope": "public", "contents": [content] }))
}

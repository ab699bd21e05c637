//! The reference of the tools, made from the list of tools itself, so that it cannot say anything else.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// The reference of a `tools` array as Markdown, a section for each tool in the order of the list.
#[must_use]
pub fn reference(tools: &Value) -> String {
    let mut text = String::from(
        "# Tools\n\nArguments with a star are required. What an answer says and costs, and the arguments of all tools for it, is in \
         [cost.md](cost.md).\n",
    );
    for tool in tools.as_array().into_iter().flatten() {
        let told = |key: &str| tool[key].as_str().unwrap_or_default();
        let _ =
            write!(text, "\n## `{}`\n\n{}\n\n{}\n", told("name"), told("description"), effects(&tool["annotations"]));
        let schema = &tool["inputSchema"];
        let Some(properties) = schema["properties"].as_object().filter(|all| !all.is_empty()) else { continue };
        let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        text.push_str("\n| argument | type | |\n| --- | --- | --- |\n");
        for (name, property) in properties {
            let star = if required(name) { "*" } else { "" };
            let _ = writeln!(text, "| `{name}`{star} | {} | {} |", kind(property), remark(property));
        }
    }
    text
}

/// What a call does, in a sentence.
fn effects(annotations: &Value) -> &'static str {
    let is = |hint: &str| annotations[hint].as_bool().unwrap_or(false);
    match (is("readOnlyHint"), is("openWorldHint"), is("destructiveHint")) {
        (true, ..) => "It changes nothing.",
        (_, true, _) => "It runs code.",
        (_, _, true) => "It writes files.",
        _ => "It writes no files.",
    }
}

/// The type of an argument.
fn kind(property: &Value) -> String {
    match &property["type"] {
        Value::String(kind) if kind == "array" => {
            let element = property["items"]["type"].as_str().unwrap_or("any");
            format!("array of {element}")
        }
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ if property["enum"].is_array() => "string".to_owned(),
        _ => "any".to_owned(),
    }
}

/// What else the schema says of an argument, for a cell of a table.
fn remark(property: &Value) -> String {
    let mut parts = Vec::new();
    parts.extend(property["description"].as_str().map(str::to_owned));
    if let Some(values) = property["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{}`", plain(value))).collect();
        parts.push(format!("one of {}", values.join(", ")));
    }
    let limits: Map<String, Value> = property.as_object().cloned().unwrap_or_default();
    for (key, words) in [("default", "default"), ("minimum", "at least"), ("maximum", "at most")] {
        parts.extend(limits.get(key).map(|value| format!("{words} `{}`", plain(value))));
    }
    parts.join("; ").replace('|', "\\|").replace('\n', " ")
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

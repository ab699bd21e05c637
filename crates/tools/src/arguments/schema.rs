//! The schema a tool publishes, from the struct that its arguments become.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The JSON Schema of an argument struct, in its smallest complete form.
///
/// The root is an object with `properties`, `required` if it is not empty, and `additionalProperties: false` unless the
/// type says otherwise. `$schema`, titles and number formats are left out; an optional type is the type itself; enums
/// are written in place. Doc comments become descriptions on one line unless they only repeat the argument's name.
/// Defaults other than `null`, `[]`, 0 and `none` are kept. The order of the fields is the order of the properties.
pub fn schema_of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    compact(&mut schema);
    let Value::Object(mut found) = schema else { return Map::new() };
    let mut root = Map::new();
    root.insert("type".into(), "object".into());
    root.insert("properties".into(), found.remove("properties").unwrap_or_else(|| json!({})));
    if let Some(required) = found.remove("required") {
        root.insert("required".into(), required);
    }
    root.insert("additionalProperties".into(), found.remove("additionalProperties").unwrap_or(Value::Bool(false)));
    root
}

/// Removes the parts of a schema that tell a reader nothing.
fn compact(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for noise in ["$schema", "title", "format", "$defs"] {
        map.remove(noise);
    }
    flatten_alternatives(map);
    if let Some(Value::Array(types)) = map.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            map.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = map.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if map.get("default").is_some_and(says_nothing) {
        map.remove("default");
    }
    if let Some(Value::String(text)) = map.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        for (name, property) in properties {
            compact(property);
            remove_echo(name, property);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = map.get_mut(key) {
            compact(inner);
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(inner)) = map.get_mut(key) {
            inner.iter_mut().for_each(compact);
        }
    }
    *map = in_order(std::mem::take(map));
}

/// A default that a reader expects.
fn says_nothing(default: &Value) -> bool {
    default.is_null() || *default == "none" || *default == 0 || default.as_array().is_some_and(Vec::is_empty)
}

/// Removes a description that only repeats the name of the argument.
fn remove_echo(name: &str, property: &mut Value) {
    let Value::Object(property) = property else { return };
    if property
        .get("description")
        .and_then(Value::as_str)
        .is_some_and(|text| text.to_lowercase().replace(' ', "_") == name)
    {
        property.remove("description");
    }
}

/// Puts the keywords of a schema in one order: type and description first, then bounds, then the rest as found.
fn in_order(map: Map<String, Value>) -> Map<String, Value> {
    const FIRST: &[&str] = &["type", "description", "enum", "items", "properties", "required", "minimum", "maximum"];
    let mut entries: Vec<(String, Value)> = map.into_iter().collect();
    entries.sort_by_key(|(key, _)| FIRST.iter().position(|first| first == key).unwrap_or(FIRST.len()));
    entries.into_iter().collect()
}

/// Turns a choice between one schema and `null` into that schema, and a choice between constants into one `enum`.
fn flatten_alternatives(map: &mut Map<String, Value>) {
    for key in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(branches)) = map.get(key) else { continue };
        let kept: Vec<&Value> = branches.iter().filter(|branch| branch["type"] != "null").collect();
        let constants: Vec<Value> = kept
            .iter()
            .flat_map(|branch| match (branch.get("const"), branch.get("enum")) {
                (Some(value), _) => vec![value.clone()],
                (None, Some(Value::Array(values))) => values.clone(),
                _ => Vec::new(),
            })
            .collect();
        let all_constant = kept.iter().all(|branch| branch.get("const").is_some() || branch.get("enum").is_some());
        if let [only] = kept.as_slice() {
            let Value::Object(inner) = (*only).clone() else { continue };
            map.remove(key);
            for (name, value) in inner {
                map.entry(name).or_insert(value);
            }
            // The branch may itself be a choice, such as an enum whose variants carry documentation.
            flatten_alternatives(map);
            return;
        }
        if key != "allOf" && !kept.is_empty() && all_constant {
            let kind = if constants.iter().all(Value::is_string) { Some("string") } else { None };
            map.remove(key);
            if let Some(kind) = kind {
                map.insert("type".into(), kind.into());
            }
            map.insert("enum".into(), Value::Array(constants));
        }
    }
}

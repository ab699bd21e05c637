//! Arguments in which values are sent as strings mean the same to every tool.
#![allow(clippy::unwrap_used, missing_docs)]

use lispwright_tools::arguments::prepare;
use lispwright_tools::tool::ToolSet;
use lispwright_tools::{Tool, Workshop, catalogue};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// All tools but those of the delimiter protocol, which has rules of its own about wrong types.
fn tools() -> Vec<Tool> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let _inside = runtime.enter();
    let root = tempfile::tempdir().unwrap();
    let mut tools = catalogue(&Workshop::open(&[root.path().to_owned()]).unwrap());
    tools.retain(|tool| tool.set != ToolSet::Guard);
    tools
}

/// A value of the schema, which `seed` chooses.
fn value(schema: &Value, seed: &mut u64) -> Value {
    // xorshift64
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    let drawn = *seed;
    let within = |low: f64, high: f64| {
        let limit = |key: &str, none: f64| schema.get(key).and_then(Value::as_f64).unwrap_or(none);
        let (low, high) = (limit("minimum", low), limit("maximum", high));
        low + (drawn % 1000) as f64 / 1000.0 * (high - low)
    };
    match schema["type"].as_str() {
        Some("boolean") => drawn.is_multiple_of(2).into(),
        Some("integer") => (within(1.0, 200.0) as i64).into(),
        // Quarters are exact in binary and in decimal.
        Some("number") => ((within(0.5, 90.0) * 4.0).floor() / 4.0).into(),
        Some("array") => (0..1 + drawn % 2).map(|_| value(&schema["items"], seed)).collect(),
        Some("object") => {
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            properties.iter().map(|(name, inner)| (name.clone(), value(inner, seed))).collect()
        }
        Some("string") => match schema["enum"].as_array() {
            Some(listed) => listed[drawn as usize % listed.len()].clone(),
            None => ["foo", "(setf foo)", "true", "5", "[1]", "a b"][drawn as usize % 6].into(),
        },
        _ => "anything".into(),
    }
}

/// The value with every part that is no string as a string.
fn spelled(schema: &Value, value: &Value, seed: u64) -> Value {
    match value {
        Value::String(_) => value.clone(),
        Value::Array(elements)
            if seed.is_multiple_of(2) && elements.len() == 1 && schema["items"]["type"] == "string" =>
        {
            elements[0].clone()
        }
        Value::Array(elements) if seed.is_multiple_of(3) => {
            elements.iter().map(|element| spelled(&schema["items"], element, seed)).collect()
        }
        other => other.to_string().into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_sent_as_strings_are_the_values(seed in 1_u64..) {
        let mut state = seed;
        for tool in tools() {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            let values: Map<String, Value> =
                properties.iter().map(|(name, schema)| (name.clone(), value(schema, &mut state))).collect();
            let strings: Map<String, Value> = values
                .iter()
                .map(|(name, value)| (name.clone(), spelled(&properties[name], value, state ^ seed)))
                .collect();
            let meant = prepare(tool.name, &tool.input_schema, values.clone()).unwrap();
            let taken = prepare(tool.name, &tool.input_schema, strings.clone());
            prop_assert_eq!(Some(&meant), taken.as_ref().ok(), "{} {}: {:?}", tool.name, Value::Object(strings), taken);
        }
    }

    #[test]
    fn strings_that_spell_nothing_stay_faults(word in "[a-z]{1,6} ?") {
        prop_assume!(serde_json::from_str::<Value>(&word).is_err());
        for tool in tools() {
            let properties = tool.input_schema["properties"].as_object().unwrap();
            for (name, schema) in properties {
                if ["boolean", "integer", "number", "object"].iter().any(|kind| schema["type"] == *kind) {
                    let refused = prepare(tool.name, &tool.input_schema, Map::from_iter([(name.clone(), json!(word))]));
                    let refused = format!("{:?}", refused.unwrap_err());
                    prop_assert!(refused.contains("WrongType"), "{} {name}: {refused}", tool.name);
                }
            }
        }
    }
}

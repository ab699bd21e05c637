//! An answer as EDN: objects become maps with keyword keys, everything else reads as the same value as in JSON.

use std::fmt::Write;

use serde_json::{Map, Value};

/// One line of EDN.
pub(crate) fn render(document: &Value) -> String {
    let mut text = String::new();
    value(document, &mut text);
    text
}

/// Recursion is bounded: answers nest at most five levels deep, for any request.
fn value(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("nil"),
        Value::Bool(_) | Value::Number(_) => {
            let _ = write!(text, "{value}");
        }
        Value::String(string) => quoted(string, text),
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    text.push(' ');
                }
                self::value(element, text);
            }
            text.push(']');
        }
        Value::Object(fields) => map(fields, text),
    }
}

fn map(fields: &Map<String, Value>, text: &mut String) {
    text.push('{');
    for (index, (key, field)) in fields.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push(':');
        text.push_str(key);
        text.push(' ');
        value(field, text);
    }
    text.push('}');
}

/// A string with the escapes that EDN and Clojure share.
fn quoted(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

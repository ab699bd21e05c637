//! Conditions of a match of a shape as they are written at a shell: `?x kind=number`, `inside=(test ?*_)`.

use lispwright_tools::lisp_rewrite::Where;
use serde_json::{Map, Value};

/// Reads a condition.
///
/// Errors: it is not written so.
pub(crate) fn condition(text: &str) -> Result<Where, String> {
    let (before, value) = text.split_once('=').ok_or("it has no `=`: write '?x kind=number'")?;
    let (variable, key) = before.trim().rsplit_once(char::is_whitespace).unwrap_or(("", before.trim()));
    let mut fields = Map::new();
    fields.insert(key.replace('-', "_"), value.trim().into());
    if !variable.is_empty() {
        fields.insert("variable".to_owned(), variable.trim().into());
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_condition_has_a_key_a_value_and_perhaps_a_variable() {
        let found = condition("?f refers=pkg:name").unwrap();
        assert_eq!((found.variable.as_deref(), found.refers.as_deref()), (Some("?f"), Some("pkg:name")));
        let found = condition("not-inside=(let ((?x =)) ?*_)").unwrap();
        assert_eq!((found.variable, found.not_inside.as_deref()), (None, Some("(let ((?x =)) ?*_)")));
        assert!(condition("?x number").unwrap_err().contains("no `=`"));
        assert!(condition("?x kin=number").unwrap_err().contains("kin"));
        assert!(condition("?x kind=numbr").unwrap_err().contains("numbr"));
    }
}

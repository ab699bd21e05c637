//! Faults of the arguments of a call.

use lispwright_tools::arguments::{ArgumentFault, Taken};

/// Every fault of the arguments of `tool`, and the arguments that it takes.
pub(crate) fn text(tool: &str, faults: &[ArgumentFault], takes: &[Taken]) -> String {
    let count = if faults.len() == 1 { "1 fault".to_owned() } else { format!("{} faults", faults.len()) };
    let mut text = format!("{tool} did not run: {count} in its arguments.\n");
    for found in faults {
        text.push_str(&format!("- {}\n", sentence(found)));
    }
    let names = takes.iter().map(|Taken { name, required }| format!("{name}{}", if *required { "*" } else { "" }));
    match names.collect::<Vec<_>>().as_slice() {
        [] => text.push_str("It takes no arguments. Call it again without them."),
        names => text.push_str(&format!("Call it again with: {} (* required).", names.join(", "))),
    }
    text
}

/// One fault.
pub(crate) fn sentence(fault: &ArgumentFault) -> String {
    match fault {
        ArgumentFault::Unknown { name, nearest: Some(nearest) } => {
            format!("unknown argument `{name}`; did you mean `{nearest}`?")
        }
        ArgumentFault::Unknown { name, nearest: None } => format!("unknown argument `{name}`"),
        ArgumentFault::Twice { name, own } => {
            format!("`{name}` means `{own}`, and both are given, with different values; pass one of them")
        }
        ArgumentFault::Missing { name, expected } => format!("missing required argument `{name}` ({expected})"),
        ArgumentFault::WrongType { place, expected, given } => format!("`{place}` must be {expected}, not {given}"),
        ArgumentFault::NotListed { place, allowed, given } => {
            format!("`{place}` must be one of {}, not {given}", allowed.join(", "))
        }
        ArgumentFault::OutOfRange { place, bound, given } => format!("`{place}` must be {bound}, not {given}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_tools::arguments::{check, prepare};
    use serde_json::{Map, Value, json};

    use crate::{Rendering, Skin, render};

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("not an object: {value}") };
        map
    }

    fn schema() -> Map<String, Value> {
        object(json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "operation": {"type": "string", "enum": ["replace", "delete"]},
                "name": {"type": "string"},
                "limit": {"type": "integer", "minimum": 0, "maximum": 2000},
                "form_types": {"type": "array", "items": {"type": "string"}},
                "collapsed": {"type": "boolean"},
                "ops": {"type": "array", "items": {"type": "object", "properties": {"line": {"type": "integer"}}}}
            },
            "required": ["path", "operation"],
            "additionalProperties": false
        }))
    }

    fn faults(arguments: Value) -> Vec<String> {
        check(&schema(), &object(arguments)).err().unwrap_or_default().iter().map(super::sentence).collect()
    }

    fn refused(arguments: Value) -> Rendering {
        render(Err(prepare("lisp_edit_form", &schema(), object(arguments)).unwrap_err()), Skin::Client)
    }

    #[test]
    fn every_fault_is_reported_at_once() {
        let found = faults(json!({
            "nmae": "f", "operation": "move", "limit": -1, "form_types": ["defun", 3], "collapsed": "yes", "zzz": 1
        }));
        assert_eq!(
            found,
            [
                "unknown argument `nmae`; did you mean `name`?",
                "`operation` must be one of replace, delete, not the string \"move\"",
                "`limit` must be at least 0, not -1",
                "`form_types[1]` must be a string, not 3",
                "`collapsed` must be a boolean, not the string \"yes\"",
                "unknown argument `zzz`",
                "missing required argument `path` (a string)",
            ]
        );
        let nested = faults(json!({"path": "a", "operation": "delete", "ops": [{"line": "x"}]}));
        assert_eq!(nested, ["`ops[0].line` must be an integer, not the string \"x\""]);
    }

    #[test]
    fn numbers_keep_to_their_kind_and_range() {
        let with = |limit: Value| faults(json!({"path": "a", "operation": "delete", "limit": limit}));
        assert_eq!(with(json!(2.5)), ["`limit` must be an integer, not 2.5"]);
        assert_eq!(with(json!("3")), ["`limit` must be an integer, not the string \"3\""]);
        assert_eq!(with(json!(5000)), ["`limit` must be at most 2000, not 5000"]);
        assert_eq!(with(json!([1])), ["`limit` must be an integer, not an array of 1"]);
        assert_eq!(with(json!(1e300)), ["`limit` must be an integer, not 1e+300"]);
        let schema = object(json!({"properties": {"index": {"type": "integer", "minimum": 0}}}));
        let below = check(&schema, &object(json!({"index": -1}))).unwrap_err();
        assert_eq!(super::sentence(&below[0]), "`index` must be at least 1, not -1");
    }

    #[test]
    fn a_refusal_says_what_to_send() {
        let refused = refused(json!({"operation": 1}));
        assert_eq!(
            refused.text,
            "lisp_edit_form did not run: 2 faults in its arguments.\n\
             - `operation` must be one of replace, delete, not 1\n\
             - missing required argument `path` (a string)\n\
             Call it again with: path*, operation*, name, limit, form_types, collapsed, ops (* required)."
        );
        assert_eq!(refused.fields["faults"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn an_alias_never_replaces_the_argument_itself() {
        let refused = refused(json!({"file_path": "b", "path": "a", "operation": "delete"}));
        assert_eq!(refused.fields["code"], "BAD_ARGUMENT");
        assert!(refused.text.contains("`file_path` means `path`, and both are given"), "{}", refused.text);
    }
}

//! Arguments as callers send them: JSON objects that must fit a tool's schema before anything runs.
//!
//! A model that misspells three arguments should get all three faults at once, with the right spellings.
//! [`schema_of`] turns an argument struct into the compact schema that a tool publishes, [`prepare`] accepts what is
//! unambiguous (other spellings of a name, `null` for an absent option, `3.0` or `"3"` for `3`) and reports every other
//! fault together, and [`parse`] gives the typed struct.
//!
//! The schemas come from Rust types, so their depth is fixed: functions here may recurse on a schema, never on a value
//! beyond what its schema describes.

mod schema;
mod spelling;
mod wish;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use schema::schema_of;
pub use spelling::{nearest, snake_case};
pub use wish::AnswerWish;

use crate::refusal::Refusal;

/// Spellings accepted everywhere beside a tool's own argument names, as `(accepted, own)`.
pub const ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("file", "path"),
    ("form_name", "name"),
    ("symbol", "name"),
    ("code", "content"),
    ("expr", "code"),
    ("expression", "code"),
    // What other tools call the texts of a replacement.
    ("old_string", "old_text"),
    ("new_string", "new_text"),
    ("old", "old_text"),
    ("new", "new_text"),
    ("pattern", "shape"),
    ("replacement", "template"),
    ("to", "new_name"),
    ("new", "new_name"),
];

/// The argument that accepts a candidate of a refused call, whose other arguments are known.
pub const ACCEPT: &str = "accept";

/// Arguments that are texts and may be sent as numbers, because their values can look like numbers.
const NUMBERED: &[&str] = &["name", "session", "restart", ACCEPT];

/// Arguments that are texts, for which `true` stands for the usual one.
const USUAL: &[&str] = &["changed"];

/// One thing wrong with the arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentFault {
    /// An argument the tool does not have.
    Unknown {
        /// The spelling of the caller.
        name: String,
        /// The argument it most resembles.
        nearest: Option<String>,
    },
    /// An argument that is given twice, with different values.
    Twice {
        /// The other spelling.
        name: String,
        /// The argument.
        own: String,
    },
    /// A required argument is absent or `null`.
    Missing {
        /// The argument.
        name: String,
        /// A description of its type.
        expected: String,
    },
    /// A value of another JSON type.
    WrongType {
        /// Its place: `limit`, `form_types[2]`.
        place: String,
        /// The type or types allowed.
        expected: String,
        /// The value that was given, shortened.
        given: String,
    },
    /// A value outside the list of allowed ones.
    NotListed {
        /// Its place.
        place: String,
        /// The allowed values, in order.
        allowed: Vec<String>,
        /// The value that was given, shortened.
        given: String,
    },
    /// A number, a length or a count outside its bounds.
    OutOfRange {
        /// Its place.
        place: String,
        /// The bound that is broken, such as `at least 1`.
        bound: String,
        /// The value that was given, shortened.
        given: String,
    },
}

/// An argument that a tool takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Its name.
    pub name: String,
    /// It has to be there.
    pub required: bool,
}

/// Checks arguments against a schema and reports every fault, in the order of the arguments, missing ones last.
///
/// `null` counts as absent. Integers may be written with a zero fraction (`3.0`). Unknown arguments are faults only when
/// the schema says `additionalProperties: false`.
pub fn check(schema: &Map<String, Value>, arguments: &Map<String, Value>) -> Result<(), Vec<ArgumentFault>> {
    let mut faults = Vec::new();
    check_object(schema, arguments, "", &mut faults);
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn check_object(
    schema: &Map<String, Value>,
    object: &Map<String, Value>,
    place: &str,
    faults: &mut Vec<ArgumentFault>,
) {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    for (name, value) in object {
        match properties.get(name) {
            Some(_) if value.is_null() => {}
            Some(property) => check_value(property, value, &inside(name), faults),
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                let free = properties.keys().map(String::as_str).filter(|known| !object.contains_key(*known));
                faults.push(ArgumentFault::Unknown {
                    name: inside(name),
                    nearest: nearest(name, free).map(str::to_owned),
                });
            }
            None => {}
        }
    }
    let accepts = place.is_empty() && properties.contains_key(ACCEPT) && object.contains_key(ACCEPT);
    let required = schema.get("required").and_then(Value::as_array).filter(|_| !accepts);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if object.get(name).is_none_or(Value::is_null) {
            let expected = properties.get(name).map_or_else(|| "any value".to_owned(), expectation);
            faults.push(ArgumentFault::Missing { name: inside(name), expected });
        }
    }
}

fn check_value(property: &Value, value: &Value, place: &str, faults: &mut Vec<ArgumentFault>) {
    let Value::Object(schema) = property else { return };
    if let Some(Value::Array(branches)) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
        let fits = branches.iter().any(|branch| {
            let mut found = Vec::new();
            check_value(branch, value, place, &mut found);
            found.is_empty()
        });
        if !fits {
            let expected = branches.iter().map(expectation).collect::<Vec<_>>().join(" or ");
            faults.push(ArgumentFault::WrongType { place: place.to_owned(), expected, given: shown(value) });
        }
        return;
    }
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|kind| has_type(value, kind)) {
        let expected = expectation(property);
        faults.push(ArgumentFault::WrongType { place: place.to_owned(), expected, given: shown(value) });
        return;
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let allowed = allowed.iter().map(bare).collect();
        faults.push(ArgumentFault::NotListed { place: place.to_owned(), allowed, given: shown(value) });
    }
    if let Some(bound) = broken_place(place, value).or_else(|| broken_bound(schema, value)) {
        faults.push(ArgumentFault::OutOfRange { place: place.to_owned(), bound, given: shown(value) });
    }
    match (value, schema.get("items")) {
        (Value::Array(elements), Some(items)) => {
            for (index, element) in elements.iter().enumerate() {
                check_value(items, element, &format!("{place}[{index}]"), faults);
            }
        }
        (Value::Object(object), _) if schema.contains_key("properties") => check_object(schema, object, place, faults),
        _ => {}
    }
}

fn has_type(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || whole(value).is_some(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

/// The integer of a number with a zero fraction.
fn whole(value: &Value) -> Option<i64> {
    // 2^53: beyond it a double no longer names one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_f64().filter(|_| value.is_f64())?;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// The bound for a negative `line` or `index`. Their schemas allow 0, for which the operation has a better refusal.
fn broken_place(name: &str, value: &Value) -> Option<String> {
    let is_negative = value.as_f64().is_some_and(|number| number < 0.0);
    (is_negative && matches!(name, "line" | "index")).then(|| "at least 1".to_owned())
}

/// The first bound of the schema that a value of the right type breaks.
fn broken_bound(schema: &Map<String, Value>, value: &Value) -> Option<String> {
    let limit = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(number) = value.as_f64() {
        return None
            .or(limit("minimum").filter(|min| number < *min).map(|min| format!("at least {min}")))
            .or(limit("maximum").filter(|max| number > *max).map(|max| format!("at most {max}")))
            .or(limit("exclusiveMinimum").filter(|min| number <= *min).map(|min| format!("more than {min}")))
            .or(limit("exclusiveMaximum").filter(|max| number >= *max).map(|max| format!("less than {max}")));
    }
    let (size, min, max, unit) = match value {
        Value::String(text) => (text.chars().count(), "minLength", "maxLength", "characters"),
        Value::Array(elements) => (elements.len(), "minItems", "maxItems", "elements"),
        _ => return None,
    };
    None.or(limit(min).filter(|min| (size as f64) < *min).map(|min| format!("at least {min} {unit} long"))).or(limit(
        max,
    )
    .filter(|max| (size as f64) > *max)
    .map(|max| format!("at most {max} {unit} long")))
}

/// A description of the values that a property takes: `a string`, `one of once, full, all`.
fn expectation(schema: &Value) -> String {
    if let Some(Value::Array(allowed)) = schema.get("enum") {
        return format!("one of {}", allowed.iter().map(bare).collect::<Vec<_>>().join(", "));
    }
    match schema.get("type") {
        Some(Value::String(kind)) => with_article(kind),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).map(with_article).collect::<Vec<_>>().join(" or ")
        }
        _ => "any value".to_owned(),
    }
}

fn with_article(kind: &str) -> String {
    let article = if matches!(kind, "integer" | "array" | "object") { "an" } else { "a" };
    format!("{article} {kind}")
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A value as it appears in a fault: its type for containers, itself for scalars, shortened.
fn shown(value: &Value) -> String {
    const WIDTH: usize = 60;
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(elements) => format!("an array of {}", elements.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > WIDTH => {
            let start: String = text.chars().take(WIDTH).collect();
            format!("the string {}", Value::String(start + "…"))
        }
        Value::String(_) => format!("the string {value}"),
        other => other.to_string(),
    }
}

/// Makes arguments ready for a tool: accepts other spellings of its argument names, drops `null`s, takes a string that
/// spells a value of the schema's type for that value (`"3"`, `"true"`, `"[\"a\"]"`), a lone string for a list of
/// strings, `3.0` for `3`, a number that is a name for its text and `true` for what follows `none`, and refuses
/// everything else that does not fit the schema with one `BAD_ARGUMENT` that lists all faults.
///
/// Spellings accepted: [`ALIASES`], and kebab-case or camel-case forms of the tool's own names and of the values that
/// it lists. An argument may be given in two spellings with the same value.
pub fn prepare(
    tool: &str,
    schema: &Map<String, Value>,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, Refusal> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let mut ready = Map::new();
    let mut respelled = Vec::new();
    for (name, value) in arguments {
        match properties.get(&name) {
            Some(_) if value.is_null() => {}
            Some(property) => {
                let value = named(&name, property, value);
                ready.insert(name, value);
            }
            None => respelled.push((name, value)),
        }
    }
    let mut faults = Vec::new();
    for (name, value) in respelled {
        let Some(own) = own_name(&name, properties) else {
            ready.insert(name, value);
            continue;
        };
        if value.is_null() {
            continue;
        }
        let value = named(own, &properties[own], value);
        match ready.get(own) {
            Some(known) if *known == value => {}
            Some(_) => faults.push(ArgumentFault::Twice { name, own: own.to_owned() }),
            None => {
                ready.insert(own.to_owned(), value);
            }
        }
    }
    faults.extend(check(schema, &ready).err().unwrap_or_default());
    if faults.is_empty() { Ok(ready) } else { Err(refusal(tool, schema, faults)) }
}

/// The tool's own name for an argument spelled in another way.
fn own_name<'a>(name: &str, properties: &'a Map<String, Value>) -> Option<&'a str> {
    let snake = snake_case(name);
    let aliases = ALIASES.iter().filter(|(accepted, _)| *accepted == snake).map(|(_, own)| *own);
    // Some tools have the other spelling, and so may a schema in another server's terms.
    let reverse = ALIASES.iter().filter(|(_, own)| *own == snake).map(|(accepted, _)| *accepted);
    std::iter::once(snake.as_str())
        .chain(aliases)
        .chain(reverse)
        .find_map(|candidate| properties.get_key_value(candidate).map(|(own, _)| own.as_str()))
}

/// The value of the argument `name` in the type of its schema.
fn named(name: &str, schema: &Value, value: Value) -> Value {
    match value {
        Value::Number(number) if NUMBERED.contains(&name) && schema["type"] == "string" => number.to_string().into(),
        Value::Bool(usual) if USUAL.contains(&name) && schema["type"] == "string" => usual.to_string().into(),
        // Of a list that begins with `none`, `true` is what comes next.
        Value::Bool(is_wanted) if schema["enum"][0] == "none" => schema["enum"][usize::from(is_wanted)].clone(),
        other => narrowed(schema, other),
    }
}

/// A value in which everything has the type of the schema that was sent as the same value in another type: `3.0` or
/// `"3"` for 3, `"true"` for true, the JSON text of a list or an object for it, a lone string for a list of strings.
fn narrowed(schema: &Value, value: Value) -> Value {
    match value {
        Value::Number(_) if schema["type"] == "integer" => whole(&value).map_or(value, Value::from),
        Value::String(text) if schema["type"] == "string" => {
            Value::String(listed(schema, &text).map_or(text, str::to_owned))
        }
        Value::String(text) => match meant(schema, &text) {
            Some(value) => narrowed(schema, value),
            None => Value::String(text),
        },
        Value::Array(elements) if schema.get("items").is_some() => {
            elements.into_iter().map(|element| narrowed(&schema["items"], element)).collect()
        }
        Value::Object(object) if schema.get("properties").is_some() => object
            .into_iter()
            .map(|(name, inner)| {
                let inner = narrowed(&schema["properties"][&name], inner);
                (name, inner)
            })
            .collect(),
        other => other,
    }
}

/// The value of the type of the schema, which is not `string`, that a string spells; `None` if it spells none.
fn meant(schema: &Value, text: &str) -> Option<Value> {
    let kind = schema["type"].as_str()?;
    let read = serde_json::from_str::<Value>(text).ok().filter(|value| has_type(value, kind));
    if kind != "array" {
        return read;
    }
    let of_strings = schema["items"]["type"] == "string";
    // A lone string can look like a list: `[1]` may be the text to look for.
    let fits = |value: &Value| !of_strings || value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    let lone = || (of_strings && !text.trim().is_empty()).then(|| Value::from(vec![text.to_owned()]));
    read.filter(fits).or_else(lone)
}

/// The value in the list of the schema that `text` spells in another way.
fn listed<'s>(schema: &'s Value, text: &str) -> Option<&'s str> {
    let mut values = schema.get("enum")?.as_array()?.iter().filter_map(Value::as_str);
    let spelled = snake_case(text);
    values.clone().all(|value| value != text).then(|| values.find(|value| snake_case(value) == spelled))?
}

fn refusal(tool: &str, schema: &Map<String, Value>, faults: Vec<ArgumentFault>) -> Refusal {
    let listed = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| listed.is_some_and(|names| names.iter().any(|required| required == name));
    let names = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let takes = names.map(|name| Taken { name: name.clone(), required: is_required(name) }).collect();
    Refusal::Arguments { tool: tool.to_owned(), faults, takes }
}

/// The typed arguments of a call that has passed [`prepare`].
///
/// A mismatch between the schema and the type is still a `BAD_ARGUMENT`.
pub fn parse<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, Refusal> {
    serde_json::from_value(Value::Object(arguments)).map_err(|error| Refusal::Misfit { why: error.to_string() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, dead_code)]

    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;

    /// What to do with a form.
    #[derive(Debug, PartialEq, serde::Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Operation {
        /// Put another form in its place.
        Replace,
        /// Take it out.
        Delete,
    }

    #[derive(Debug, PartialEq, serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        /// File below
        /// the root.
        path: String,
        operation: Operation,
        name: Option<String>,
        level: Option<Operation>,
        /// Lines to show.
        #[schemars(range(max = 2000))]
        limit: Option<u32>,
        #[serde(default)]
        form_types: Vec<String>,
        #[serde(default = "yes")]
        collapsed: bool,
        timeout: Option<f64>,
    }

    fn yes() -> bool {
        true
    }

    fn object(value: Value) -> Map<String, Value> {
        let Value::Object(map) = value else { panic!("not an object: {value}") };
        map
    }

    #[test]
    fn a_schema_is_compact_and_ordered() {
        let expected = concat!(
            r#"{"type":"object","properties":{"#,
            r#""path":{"type":"string","description":"File below the root."},"#,
            r#""operation":{"type":"string","description":"What to do with a form.","enum":["replace","delete"]},"#,
            r#""name":{"type":"string"},"#,
            r#""level":{"type":"string","description":"What to do with a form.","enum":["replace","delete"]},"#,
            r#""limit":{"type":"integer","description":"Lines to show.","minimum":0,"maximum":2000},"#,
            r#""form_types":{"type":"array","items":{"type":"string"}},"#,
            r#""collapsed":{"type":"boolean","default":true},"#,
            r#""timeout":{"type":"number"}},"#,
            r#""required":["path","operation"],"additionalProperties":false}"#,
        );
        assert_eq!(Value::Object(schema_of::<Arguments>()).to_string(), expected);
    }

    /// Which form.
    #[derive(Debug, PartialEq, serde::Deserialize, JsonSchema)]
    struct Address {
        /// What it defines.
        name: Option<String>,
        line: Option<u32>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize, JsonSchema)]
    struct Nested {
        path: String,
        #[serde(flatten)]
        address: Address,
        kinds: Option<Vec<Operation>>,
        ops: Vec<Address>,
    }

    #[derive(Debug, serde::Deserialize, JsonSchema)]
    struct Nothing {}

    #[test]
    fn shared_and_nested_parts_are_written_in_place() {
        let nothing = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
        assert_eq!(Value::Object(schema_of::<Nothing>()).to_string(), nothing);
        let schema = schema_of::<Nested>();
        let expected = concat!(
            r#"{"type":"object","properties":{"path":{"type":"string"},"#,
            r#""name":{"type":"string","description":"What it defines."},"line":{"type":"integer","minimum":0},"#,
            r#""kinds":{"type":"array","items":{"type":"string","description":"What to do with a form.","#,
            r#""enum":["replace","delete"]}},"#,
            r#""ops":{"type":"array","items":{"type":"object","description":"Which form.","#,
            r#""properties":{"name":{"type":"string","description":"What it defines."},"#,
            r#""line":{"type":"integer","minimum":0}}}}},"#,
            r#""required":["path","ops"],"additionalProperties":false}"#,
        );
        assert_eq!(Value::Object(schema.clone()).to_string(), expected);
        let given = json!({"path": "a", "line": 4.0, "kinds": ["delete"], "ops": [{"line": 2.0}]});
        let parsed: Nested = parse(prepare("t", &schema, object(given)).unwrap()).unwrap();
        assert_eq!((parsed.address.line, parsed.ops[0].line), (Some(4), Some(2)));
        let wrong = json!({"path": "a", "ops": [{"line": "2"}]});
        let faults = check(&schema, &object(wrong)).unwrap_err();
        assert!(matches!(&faults[..], [ArgumentFault::WrongType { place, .. }] if place == "ops[0].line"));
    }

    #[test]
    fn good_arguments_pass() {
        let schema = schema_of::<Arguments>();
        for good in [
            json!({"path": "a", "operation": "delete"}),
            json!({"path": "a", "operation": "delete", "limit": 3.0, "name": null}),
        ] {
            assert_eq!(check(&schema, &object(good)), Ok(()));
        }
    }

    #[test]
    fn the_same_value_may_be_given_in_two_spellings() {
        let schema = schema_of::<Arguments>();
        let same = json!({"file_path": "a", "path": "a", "operation": "delete"});
        assert_eq!(prepare("lisp_edit_form", &schema, object(same)).unwrap()["path"], "a");
    }

    #[test]
    fn prepared_arguments_parse() {
        let schema = schema_of::<Arguments>();
        let given = json!({"file_path": "a.lisp", "operation": "delete", "formTypes": ["defun"], "form-name": "f",
                           "limit": 3.0, "level": null, "timeout": 2});
        let spelled = json!({"path": "a", "operation": "delete", "limit": "12"});
        assert_eq!(prepare("lisp_edit_form", &schema, object(spelled)).unwrap()["limit"], 12);
        let ready = prepare("lisp_edit_form", &schema, object(given)).unwrap();
        let parsed: Arguments = parse(ready).unwrap();
        assert_eq!(
            parsed,
            Arguments {
                path: "a.lisp".into(),
                operation: Operation::Delete,
                name: Some("f".into()),
                level: None,
                limit: Some(3),
                form_types: vec!["defun".into()],
                collapsed: true,
                timeout: Some(2.0),
            }
        );
    }

    #[test]
    fn a_truth_value_is_one_of_a_list_that_begins_with_none() {
        let schema = json!({"properties": {"verify": {"type": "string", "enum": ["none", "compile", "tests"]}}});
        let verify = |sent: Value| prepare("t", &object(schema.clone()), object(json!({"verify": sent})));
        assert_eq!(verify(json!(true)).unwrap()["verify"], "compile");
        assert_eq!(verify(json!(false)).unwrap()["verify"], "none");
        let Err(Refusal::Arguments { faults, .. }) = verify(json!(3)) else { panic!("3 is none of them") };
        let [ArgumentFault::WrongType { expected, .. }] = faults.as_slice() else { panic!("{faults:?}") };
        assert_eq!(expected, "one of none, compile, tests");
    }

    #[test]
    fn strings_that_spell_another_type_are_taken_and_nothing_else() {
        let schema = schema_of::<Arguments>();
        let given = json!({"path": "a", "operation": "delete", "limit": "12", "collapsed": "false", "timeout": "2.5",
                           "form_types": "defun"});
        let ready = prepare("lisp_edit_form", &schema, object(given)).unwrap();
        assert_eq!(ready["limit"], 12);
        assert_eq!(ready["collapsed"], false);
        assert_eq!(ready["timeout"], 2.5);
        assert_eq!(ready["form_types"], json!(["defun"]));
        for (sent, taken) in [("[\"a\", \"b\"]", json!(["a", "b"])), ("[1]", json!(["[1]"])), ("[a", json!(["[a"]))] {
            let given = json!({"path": "a", "operation": "delete", "form_types": sent});
            assert_eq!(prepare("lisp_edit_form", &schema, object(given)).unwrap()["form_types"], taken);
        }
        for (name, wrong) in [
            ("collapsed", json!("yes")),
            ("collapsed", json!("1")),
            ("collapsed", json!(1)),
            ("limit", json!("many")),
            ("limit", json!("")),
            ("limit", json!("-1")),
            ("timeout", json!("1s")),
            ("form_types", json!("")),
            ("form_types", json!(7)),
            ("path", json!(7)),
        ] {
            let mut given = object(json!({"path": "a", "operation": "delete"}));
            given.insert(name.to_owned(), wrong.clone());
            assert!(prepare("lisp_edit_form", &schema, given).is_err(), "{name}: {wrong}");
        }
    }

    #[test]
    fn a_name_may_be_a_number() {
        let schema = schema_of::<Arguments>();
        let given = json!({"path": "a", "operation": "delete", "form_name": 12});
        assert_eq!(prepare("lisp_edit_form", &schema, object(given)).unwrap()["name"], "12");
        let given = json!({"path": 12, "operation": "delete"});
        assert!(prepare("lisp_edit_form", &schema, object(given)).is_err());
    }

    #[test]
    fn a_listed_value_may_be_spelled_as_on_the_command_line() {
        let schema =
            object(json!({"properties": {"operation": {"type": "string", "enum": ["insert_after", "delete"]}}}));
        for spelled in ["insert_after", "insert-after", "insertAfter", "INSERT-AFTER"] {
            let given = object(json!({"operation": spelled}));
            assert_eq!(prepare("lisp_edit_form", &schema, given).unwrap()["operation"], "insert_after");
        }
        let given = object(json!({"operation": "insert after all"}));
        assert!(prepare("lisp_edit_form", &schema, given).is_err());
    }

    #[test]
    fn unknown_fields_pass_where_the_schema_lets_them() {
        let schema = object(json!({"type": "object", "properties": {}, "additionalProperties": true}));
        assert_eq!(check(&schema, &object(json!({"anything": 1}))), Ok(()));
    }
}

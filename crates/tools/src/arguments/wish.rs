//! Arguments of every tool that are about its answer: how long it may be, and whether it says all that is known.
//!
//! They are no part of an operation, so no operation declares them, and the list of tools does not repeat them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{own_name, parse, prepare, schema_of, snake_case};
use crate::refusal::Refusal;
use crate::tool::Tool;

/// What the caller wants of the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerWish {
    /// About so many tokens of the answer, cut at a line
    #[serde(default)]
    #[schemars(range(min = 20))]
    pub max_tokens: Option<usize>,
    /// All that is known: the diff of what is written, the whole status, all frames
    #[serde(default)]
    pub detail: bool,
}

/// The names of the arguments.
const NAMES: [&str; 2] = ["max_tokens", "detail"];

impl AnswerWish {
    /// The arguments of [`prepare`], and what was wished of the answer. A tool that has an argument of such a name keeps
    /// it.
    pub fn of(tool: &Tool, arguments: Map<String, Value>) -> Result<(Map<String, Value>, Self), Refusal> {
        let none = Map::new();
        let own = tool.input_schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let is_common = |name: &str| NAMES.contains(&snake_case(name).as_str()) && own_name(name, own).is_none();
        if !arguments.keys().any(|name| is_common(name)) {
            return Ok((prepare(tool.name, &tool.input_schema, arguments)?, Self::default()));
        }
        let mut schema = Map::clone(&tool.input_schema);
        let common = schema_of::<Self>();
        if let (Some(Value::Object(all)), Some(Value::Object(common))) =
            (schema.get_mut("properties"), common.get("properties"))
        {
            all.extend(
                common.iter().filter(|(name, _)| is_common(name)).map(|(name, one)| (name.clone(), one.clone())),
            );
        }
        let mut ready = prepare(tool.name, &schema, arguments)?;
        let wished = NAMES.into_iter().filter(|name| is_common(name));
        let wished: Map<String, Value> =
            wished.filter_map(|name| ready.shift_remove(name).map(|value| (name.to_owned(), value))).collect();
        Ok((ready, parse(wished)?))
    }
}

//! `inspect_object`: shows the parts of an object of a live image, by its number.

use lispwright_runtime::{Inspect, MAIN, Node, Sessions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::aside::Aside;
use crate::object::Object;
use crate::refusal::Refusal;
use crate::repl_eval::{Told, ask_for};
use crate::tool::CallContext;

/// Levels of parts by default.
const DEFAULT_DEPTH: u32 = 1;

/// Parts of each object by default.
const DEFAULT_ELEMENTS: u32 = 50;

/// Parts of each object at most.
const MOST_ELEMENTS: u32 = 1000;

/// Characters of a long string in one answer.
const STRING: u32 = 8000;

/// Arguments of `inspect_object`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InspectObject {
    /// Id
    pub id: i64,
    /// Session
    #[serde(default)]
    pub session: Option<String>,
    /// Levels of parts, default 1
    #[serde(default)]
    pub max_depth: Option<u32>,
    /// Of each object, default 50
    #[serde(default)]
    pub max_elements: Option<u32>,
    /// Parts to skip; of a string, characters
    #[serde(default)]
    pub offset: Option<u64>,
}

/// An object and its parts.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct InspectAnswer {
    /// The object.
    #[serde(flatten)]
    pub object: Object,
    /// The description from the image.
    #[serde(skip)]
    pub node: Node,
    /// Notes of the session.
    #[serde(skip)]
    pub aside: Aside,
}

/// Describes the object. Printing its parts may run code of the user; cancelling the context interrupts that.
pub async fn inspect_object(
    sessions: &Sessions,
    args: InspectObject,
    context: &CallContext,
) -> Result<InspectAnswer, Refusal> {
    let session = args.session.as_deref().unwrap_or(MAIN);
    let question = Inspect {
        object: args.id,
        depth: args.max_depth.unwrap_or(DEFAULT_DEPTH).min(8),
        count: args.max_elements.unwrap_or(DEFAULT_ELEMENTS).min(MOST_ELEMENTS),
        offset: args.offset.unwrap_or(0),
        limit: STRING,
    };
    let Told { answer: node, aside, .. } = ask_for(sessions, session, question, context).await?;
    Ok(InspectAnswer { object: Object::from(&node), node, aside })
}

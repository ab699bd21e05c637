//! An object of an image as facts: its kind, its number, and its parts.

use std::collections::BTreeMap;

use lispwright_runtime::{Label, Node, ObjectPart};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// An object. Its parts are elements, entries of a table, or slots, with their own parts down to the requested depth.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Object {
    /// Its kind.
    pub kind: String,
    /// It is already shown further out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub circular: Option<bool>,
    /// Its printed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Its type in the image.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// Facts that belong to its kind, by name.
    #[serde(flatten)]
    #[schemars(skip)]
    pub facts: BTreeMap<String, String>,
    /// Parts in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Parts")]
    pub elements: Option<Vec<PartFacts>>,
    /// Parts with keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Parts")]
    pub entries: Option<Vec<PartFacts>>,
    /// Parts with names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Parts")]
    pub slots: Option<Vec<PartFacts>>,
    /// The extent of the parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Extent>,
}

/// The schema of parts. A schema that is written in place cannot refer to itself.
type Parts = Option<Vec<Map<String, Value>>>;

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PartFacts {
    /// A part by its position.
    Element(Object),
    /// A part by its name.
    Slot {
        /// The name.
        name: String,
        /// The part.
        value: Object,
    },
    /// A part by its key.
    Entry {
        /// The key.
        key: Box<Object>,
        /// The part.
        value: Object,
    },
}

/// The range of an object's parts that is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Extent {
    /// Some are left out.
    pub truncated: bool,
    /// The total number, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The number of parts before the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

impl From<&Node> for Object {
    /// The depth is that of the request, which has a limit.
    fn from(node: &Node) -> Self {
        let is_open = !node.parts.is_empty() || node.total.is_some();
        let parts = |kinds: &[&str]| {
            (is_open && kinds.contains(&node.kind.as_str())).then(|| node.parts.iter().map(PartFacts::from).collect())
        };
        let (entries, slots) = (parts(&["hash-table"]), parts(&SLOTTED));
        let is_plain = entries.is_none() && slots.is_none();
        Self {
            kind: node.kind.clone(),
            circular: node.seen.then_some(true),
            summary: (!node.seen && node.kind != "unbound").then(|| node.text.clone()),
            id: node.id,
            type_name: node.type_name.clone(),
            facts: node.facts.iter().map(|(name, fact)| (name.replace([' ', '-'], "_"), fact.clone())).collect(),
            elements: (is_open && is_plain).then(|| node.parts.iter().map(PartFacts::from).collect()),
            entries,
            slots,
            meta: is_open.then(|| Extent {
                truncated: node.has_more(),
                total: node.total,
                offset: (node.offset > 0).then_some(node.offset),
            }),
        }
    }
}

/// Kinds of things whose parts have names.
const SLOTTED: [&str; 5] = ["instance", "structure", "condition", "symbol", "pathname"];

impl From<&ObjectPart> for PartFacts {
    fn from(part: &ObjectPart) -> Self {
        let value = Object::from(&part.value);
        match &part.label {
            Label::Position => Self::Element(value),
            Label::Name(name) => Self::Slot { name: name.clone(), value },
            Label::Key(key) => Self::Entry { key: Box::new(key.into()), value },
        }
    }
}

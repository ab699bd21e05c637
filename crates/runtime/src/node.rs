//! Objects of an image as it describes them: what they are, their number, and a few levels of their parts.

use crate::wire::Value;

/// Levels of parts that are read of a description; an agent sends fewer.
const DEEPEST: usize = 16;

/// An object, described.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// What it is: `list`, `array`, `string`, `hash-table`, `structure`, `instance`, `condition`, `function`, `package`,
    /// `symbol`, `pathname`, `stream`, `atom`, `text`, `unbound`, or a word of the runtime's own.
    pub kind: String,
    /// The object on one line, at most 200 characters; for `text` the characters themselves.
    pub text: String,
    /// Its number in the session; absent when there is nothing to look at inside.
    pub id: Option<i64>,
    /// Its type or class.
    pub type_name: Option<String>,
    /// What else is known about it, as (name, text).
    pub facts: Vec<(String, String)>,
    /// How many parts there are, as far as they were counted.
    pub total: Option<u64>,
    /// How many parts come before the first of `parts`.
    pub offset: u64,
    /// Its parts; none at the deepest level that was asked for.
    pub parts: Vec<Part>,
    /// It is shown further out, with this number.
    pub seen: bool,
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What leads to it.
    pub label: Label,
    /// The part.
    pub value: Node,
}

/// What leads to a part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// Its position.
    Position,
    /// A name, such as that of a slot.
    Name(String),
    /// The key of an entry.
    Key(Node),
}

impl Node {
    pub(crate) fn read(value: &Value) -> Self {
        read(value, DEEPEST)
    }

    /// How many of its own parts are here; of a string, characters.
    pub fn shown(&self) -> u64 {
        match self.parts.as_slice() {
            [only] if only.value.kind == "text" => only.value.text.chars().count() as u64,
            // What ends a dotted or circular list is no element of its own.
            parts => parts.iter().filter(|part| part.label != Label::Name("tail".to_owned())).count() as u64,
        }
    }

    /// Whether there are parts after those that are here.
    pub fn has_more(&self) -> bool {
        !self.parts.is_empty() && self.total.is_none_or(|total| self.offset + self.shown() < total)
    }
}

fn read(value: &Value, levels: usize) -> Node {
    let text = |name| value.get_text(name).unwrap_or_default().to_owned();
    let number = |name| value.get_integer(name).and_then(|number| u64::try_from(number).ok());
    let parts = if levels == 0 { &[][..] } else { value.get_list("PARTS") };
    Node {
        kind: text("KIND"),
        text: text("TEXT"),
        id: value.get_integer("ID"),
        type_name: value.get_text("TYPE").map(str::to_owned),
        facts: value.get_list("FACTS").iter().map(Value::text_pair).collect(),
        total: number("TOTAL"),
        offset: number("OFFSET").unwrap_or(0),
        parts: parts.iter().filter_map(|part| read_part(part, levels - 1)).collect(),
        seen: value.get_truth("SEEN"),
    }
}

fn read_part(part: &Value, levels: usize) -> Option<Part> {
    let [label, value] = part.as_list()? else { return None };
    let label = match label {
        Value::Text(name) => Label::Name(name.clone()),
        Value::List(fields) if !fields.is_empty() => Label::Key(read(label, levels)),
        _ => Label::Position,
    };
    Some(Part { label, value: read(value, levels) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn parts_have_positions_names_or_keys() {
        let wire = br#"(:KIND "other" :ID 3 :TOTAL 9 :OFFSET 2 :FACTS (("test" "EQ")) :PARTS
            ((NIL (:KIND "atom" :TEXT "1")) ("X" (:KIND "unbound")) ((:KIND "atom" :TEXT ":A") (:KIND "list" :ID 4 :SEEN T))))"#;
        let node = Node::read(&Value::decode(wire).unwrap());
        assert_eq!((node.id, node.total, node.offset), (Some(3), Some(9), 2));
        assert_eq!(node.facts, [("test".to_owned(), "EQ".to_owned())]);
        assert_eq!(node.parts[0].label, Label::Position);
        assert_eq!(node.parts[1].label, Label::Name("X".to_owned()));
        assert!(matches!(&node.parts[2].label, Label::Key(key) if key.text == ":A"));
        assert!(node.parts[2].value.seen);
    }

    #[test]
    fn depth_has_a_limit() {
        let (open, close) = ("(:KIND \"list\" :PARTS ((NIL ", ")))");
        let wire = format!("{}(:KIND \"atom\"){}", open.repeat(40), close.repeat(40));
        let mut node = Node::read(&Value::decode(wire.as_bytes()).unwrap());
        let mut levels = 0;
        while let Some(part) = node.parts.pop() {
            node = part.value;
            levels += 1;
        }
        assert_eq!(levels, DEEPEST);
    }
}

//! Objects of an image as it describes them: kind, number, and a few levels of their parts.

use crate::wire::Value;

/// The levels of parts that are read of a description; agents send fewer.
const DEEPEST: usize = 16;

/// The description of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its kind: `list`, `array`, `string`, `hash-table`, `structure`, `instance`, `condition`, `function`, `package`,
    /// `symbol`, `pathname`, `stream`, `atom`, `text`, `unbound`, or a word of the runtime's own.
    pub kind: String,
    /// The object on one line, at most 200 characters; for `text` the characters themselves.
    pub text: String,
    /// Its number in the session; `None` when it has no parts to inspect.
    pub id: Option<i64>,
    /// Its type or class.
    pub type_name: Option<String>,
    /// Further facts, as (name, text).
    pub facts: Vec<(String, String)>,
    /// The number of its parts, as far as they were counted.
    pub total: Option<u64>,
    /// The number of parts before the first of `parts`.
    pub offset: u64,
    /// Its parts; empty at the deepest requested level.
    pub parts: Vec<ObjectPart>,
    /// The object is described at an outer level, with this number.
    pub seen: bool,
}

/// A part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectPart {
    /// The label of the part.
    pub label: Label,
    /// The part.
    pub value: Node,
}

/// The label of a part of an object.
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

    /// The number of parts that are present; of a string, characters.
    pub fn shown(&self) -> u64 {
        match self.parts.as_slice() {
            [only] if only.value.kind == "text" => only.value.text.chars().count() as u64,
            // The tail of a dotted or circular list is not an element.
            parts => parts.iter().filter(|part| part.label != Label::Name("tail".to_owned())).count() as u64,
        }
    }

    /// Whether there are parts after the present ones.
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

fn read_part(part: &Value, levels: usize) -> Option<ObjectPart> {
    let [label, value] = part.as_list()? else { return None };
    let label = match label {
        Value::Text(name) => Label::Name(name.clone()),
        Value::List(fields) if !fields.is_empty() => Label::Key(read(label, levels)),
        _ => Label::Position,
    };
    Some(ObjectPart { label, value: read(value, levels) })
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

//! Objects of an image.

use lispwright_runtime::{Label, Node, ObjectPart};
use lispwright_tools::NextCall;
use lispwright_tools::eval_answer::output_limit;
use lispwright_tools::image_text::{fence, one_line};
use lispwright_tools::inspect_object::InspectAnswer;

use crate::Skin;
use crate::aside::notes;
use crate::call::{of_session, spoken};
use crate::rendering::counted;

/// Characters of a part in a list of parts.
const PART: usize = 160;

/// Characters of a preview's parts, all together.
const PREVIEW: usize = 240;

/// An object with its parts, and the call that shows the next ones.
pub(crate) fn text(answer: &InspectAnswer, skin: Skin) -> String {
    let node = &answer.node;
    let (mut text, shown) = node_text(node, output_limit(Some(u32::MAX)));
    let next = node.offset + shown.unwrap_or_else(|| node.shown());
    match shown {
        Some(0) => text.push_str(
            "[note] The first part alone is too long for one answer; ask for fewer levels, or for it by its number.\n",
        ),
        None if !node.has_more() => {}
        _ => {
            let of = node.total.map(|total| format!(" of {total}")).unwrap_or_default();
            let call = NextCall::to("inspect_object").with("id", node.id.unwrap_or_default()).with("offset", next);
            let call = spoken(&of_session(call, &answer.aside.session), skin);
            let call = call.map(|call| format!("; the next: {call}")).unwrap_or_default();
            text.push_str(&format!("[note] Shown are {} to {}{of}{call}\n", node.offset, next.saturating_sub(1)));
        }
    }
    text + &notes(&answer.aside, skin)
}

/// One line about the value of an evaluation, with its number, and its first parts if the printed value does not show
/// them.
pub(crate) fn preview_text(node: &Node) -> String {
    let Some(id) = node.id else { return String::new() };
    let mut line = format!("[object {id}] {}", kind_text(node));
    // A list or vector has been printed with its elements, a string with its characters.
    if !matches!(node.kind.as_str(), "list" | "array" | "string") {
        let mut about: Vec<String> = Vec::new();
        if node.kind == "function" {
            about.extend(
                node.facts.iter().filter(|(name, _)| name == "lambda list").map(|(_, text)| one_line(text, PART)),
            );
        } else if node.kind != "package" {
            about.extend(node.parts.iter().map(part_line));
        }
        let mut left = PREVIEW;
        let shown = about.iter().take_while(|part| {
            left = left.saturating_sub(part.chars().count() + 2);
            left > 0
        });
        let shown: Vec<&str> = shown.map(String::as_str).collect();
        if !shown.is_empty() {
            let more = if shown.len() < about.len() || node.has_more() { ", ..." } else { "" };
            line.push_str(&format!(": {}{more}", shown.join(", ")));
        }
    }
    line + "\n"
}

/// The kind of an object and the number of its parts.
fn kind_text(node: &Node) -> String {
    let type_name = node.type_name.as_deref().unwrap_or_default();
    let own_type = matches!(node.kind.as_str(), "structure" | "instance" | "condition" | "other");
    let kind = if own_type { format!("{} {}", node.kind, one_line(type_name, 80)) } else { one_line(&node.kind, 40) };
    let facts: Vec<String> = node
        .facts
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "shape" | "test" | "dimensions"))
        .map(|(_, text)| one_line(text, 60))
        .collect();
    let facts = if facts.is_empty() { String::new() } else { format!(" ({})", facts.join(", ")) };
    let parts = match node.total {
        Some(total)
            if !matches!(node.kind.as_str(), "instance" | "structure" | "condition" | "function" | "package") =>
        {
            format!(", {}", counted(usize::try_from(total).unwrap_or(usize::MAX), part_word(&node.kind)))
        }
        _ => String::new(),
    };
    format!("{kind}{facts}{parts}")
}

fn part_word(kind: &str) -> &'static str {
    match kind {
        "hash-table" => "entry",
        "string" => "character",
        "list" | "array" => "element",
        "instance" | "structure" | "condition" => "slot",
        _ => "part",
    }
}

/// One part on one line, without its own parts.
fn part_line(part: &ObjectPart) -> String {
    let value = node_line(&part.value);
    match &part.label {
        Label::Position => value,
        Label::Name(name) => format!("{} = {value}", one_line(name, 60)),
        Label::Key(key) => format!("{} => {value}", node_line(key)),
    }
}

/// An object on one line, with its number.
pub(crate) fn node_line(node: &Node) -> String {
    match (node.kind.as_str(), node.id) {
        ("unbound", _) => "unbound".to_owned(),
        (_, Some(id)) if node.seen => format!("[{id}] again"),
        (_, Some(id)) => format!("{} [{id}]", one_line(&node.text, PART)),
        _ => one_line(&node.text, PART),
    }
}

/// All of `node`: its kind, its facts, and each part on a line, with the parts of parts indented; at most `limit`
/// characters of it. If that is not all, the number of the node's own parts that are shown whole as well.
fn node_text(node: &Node, limit: usize) -> (String, Option<u64>) {
    let id = node.id.map(|id| format!(" {id}")).unwrap_or_default();
    let mut text = format!("[object{id}] {}\n", kind_text(node));
    if node.kind != "string" {
        text.push_str(&format!("{}\n", fence(&node.text)));
    }
    for (name, fact) in &node.facts {
        if !matches!(name.as_str(), "shape" | "test" | "dimensions") {
            text.push_str(&format!("{}: {}\n", one_line(name, 60), one_line(fact, 1000)));
        }
    }
    // The parts that are not shown yet, the next one last, with the level and the position.
    let mut open: Vec<(usize, u64, &ObjectPart)> = Vec::new();
    push_parts(&mut open, node, 0);
    // The number of its own parts that have begun, and the start of the last one.
    let (mut begun, mut start) = (0, text.len());
    let mut room = limit.saturating_sub(text.chars().count());
    while let Some((level, position, part)) = open.pop() {
        if level == 0 {
            (begun, start) = (begun + 1, text.len());
        }
        let before = text.len();
        if part.value.kind == "text" {
            text.push_str(&format!("{}\n", fence(&part.value.text)));
        } else {
            let position = if part.label == Label::Position { format!("{position}: ") } else { String::new() };
            text.push_str(&format!("{}{position}{}\n", "  ".repeat(level + 1), part_line(part)));
            push_parts(&mut open, &part.value, level + 1);
        }
        let length = text[before..].chars().count();
        if length > room {
            // The first part is cut after its own lines that fit; a later one is left out.
            text.truncate(if begun == 1 { before } else { start });
            return (text, Some(begun - 1));
        }
        room -= length;
    }
    (text, None)
}

fn push_parts<'n>(open: &mut Vec<(usize, u64, &'n ObjectPart)>, node: &'n Node, level: usize) {
    let from = open.len();
    open.extend((node.offset..).zip(&node.parts).map(|(position, part)| (level, position, part)));
    open[from..].reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(text: &str) -> Node {
        Node { kind: "atom".into(), text: text.into(), ..Node::default() }
    }

    fn table() -> Node {
        let inner = Node { kind: "list".into(), text: "(1)".into(), id: Some(8), ..Node::default() };
        Node {
            kind: "hash-table".into(),
            text: "#<HASH-TABLE>".into(),
            id: Some(7),
            facts: vec![("test".into(), "EQL".into())],
            total: Some(3),
            parts: vec![ObjectPart { label: Label::Key(atom(":A")), value: inner }],
            ..Node::default()
        }
    }

    #[test]
    fn a_preview_has_the_parts_that_the_printed_value_lacks() {
        assert_eq!(preview_text(&table()), "[object 7] hash-table (EQL), 3 entries: :A => (1) [8], ...\n");
        let list = Node { kind: "list".into(), id: Some(9), total: Some(1), ..table() };
        assert_eq!(preview_text(&list), "[object 9] list (EQL), 1 element\n");
    }

    #[test]
    fn parts_of_parts_are_indented() {
        let mut table = table();
        table.parts[0].value.parts = vec![ObjectPart { label: Label::Position, value: atom("1\n[ERROR] 2") }];
        assert_eq!(
            node_text(&table, 1000).0,
            "[object 7] hash-table (EQL), 3 entries\n#<HASH-TABLE>\n  :A => (1) [8]\n    0: 1 [ERROR] 2\n"
        );
    }

    #[test]
    fn text_of_an_image_cannot_pass_for_a_line_of_ours() {
        let text = Node { kind: "text".into(), text: "[note] x".into(), ..Node::default() };
        let parts = vec![ObjectPart { label: Label::Position, value: text }];
        let string = Node { kind: "string".into(), id: Some(1), total: Some(8), parts, ..Node::default() };
        assert_eq!(node_text(&string, 1000).0, "[object 1] string, 8 characters\n [note] x\n");
    }

    #[test]
    fn parts_that_do_not_fit_are_left_for_the_next_call() {
        let part = |text: &str| ObjectPart { label: Label::Position, value: atom(text) };
        let list =
            Node { kind: "list".into(), id: Some(1), parts: ["a", "b", "c"].map(part).into(), ..Node::default() };
        let (whole, none) = node_text(&list, 1000);
        assert_eq!(none, None);
        let (start, shown) = node_text(&list, whole.chars().count() - 1);
        assert_eq!((start.as_str(), shown), ("[object 1] list\n\n  0: a\n  1: b\n", Some(2)));
        assert_eq!(node_text(&list, 20).1, Some(0));
    }
}

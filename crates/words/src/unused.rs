//! The definitions that nothing uses.

use lispwright_tools::image_text::one_line;
use lispwright_tools::unused::{UnusedAnswer, UnusedThere};

use crate::names::not_looked_into;
use crate::rendering::counted;

/// The definitions, those that may be deleted first.
pub(crate) fn text(answer: &UnusedAnswer) -> String {
    let of = |verdict: &str| answer.unused.iter().filter(|one| one.verdict == verdict).collect::<Vec<_>>();
    let (safe, possible, exported) = (of("safe"), of("possible"), of("exported"));
    let looked = format!("{} in {}", counted(answer.definitions, "definition"), counted(answer.files, "file"));
    if answer.unused.is_empty() {
        let none = if answer.definitions == 0 { "Nothing is defined there" } else { "Everything is used" };
        return format!("{none} ({looked}).\n{}", not_looked_into(&answer.left_out, &answer.ignored));
    }
    let mut text = format!(
        "{} safe to delete, {} used in a possible way, {} only exported ({looked}).\n",
        safe.len(),
        possible.len(),
        exported.len()
    );
    let mut part = |head: &str, all: &[&UnusedThere]| {
        if !all.is_empty() {
            text.push_str(&format!("{head}:\n"));
        }
        for one in all {
            let own = match (one.own_uses, one.role) {
                (_, Some(role)) => format!("  {role}"),
                (0, None) => String::new(),
                (_, None) => "  used by itself".to_owned(),
            };
            let place = one.places.first().map(|place| {
                let context = one_line(&place.context, 100);
                format!("  {}:{}: {}: {context}", one_line(&place.path, 200), place.line, place.kind)
            });
            let place = place.unwrap_or_default();
            let (path, label) = (one_line(&one.path, 200), one_line(&one.label, 200));
            text.push_str(&format!("{path}:{}: {label}{own}{place}\n", one.line));
        }
    };
    part("Safe", &safe);
    part("Possibly used", &possible);
    part("Exported, not used here", &exported);
    text + &not_looked_into(&answer.left_out, &answer.ignored)
}

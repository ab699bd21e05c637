//! What a load has changed in an image besides its target.

use lispwright_tools::by_hand::ByHand;
use lispwright_tools::changes::{Forgotten, ImageChanges, StillUsed};
use lispwright_tools::image_text::one_line;

use crate::rendering::first_names;

/// Forgotten definitions that are told one by one.
const MOST: usize = 8;

/// Names in a list.
const NAMED: usize = 12;

/// The notes, a line each.
pub(crate) fn text(changes: &ImageChanges) -> String {
    let mut text = String::new();
    // What is still used comes first.
    let (used, unused): (Vec<&Forgotten>, Vec<&Forgotten>) =
        changes.forgotten.iter().partition(|one| !one.still_used.is_empty());
    for one in used.iter().take(MOST) {
        let (users, verb) = users(&one.still_used, one.more);
        text.push_str(&format!("[note] {} is gone; {users} still {verb} it.\n", name(one)));
    }
    if used.len() > MOST {
        text.push_str(&format!("[note] {} more that are still used are gone.\n", used.len() - MOST));
    }
    if !unused.is_empty() {
        let names: Vec<String> = unused.iter().map(|one| name(one)).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        text.push_str(&format!(
            "[note] {} {verb} gone from the image, as from the files.\n",
            first_names(&names, NAMED)
        ));
    }
    if !changes.kept.is_empty() {
        let verb = if changes.kept.len() == 1 { "keeps a value" } else { "keep values" };
        text.push_str(&format!(
            "[note] {} {verb} that code has given since; the files now say another.\n",
            first_names(&changes.kept, NAMED)
        ));
    }
    for one in changes.by_hand.iter().take(MOST) {
        text.push_str(&format!(
            "[note] {} was defined by hand; no file has it, and {}.\n",
            defined_by_hand(one),
            relied_on(one)
        ));
    }
    if !changes.replaced.is_empty() {
        let names: Vec<String> = changes.replaced.iter().map(defined_by_hand).collect();
        let verb = if names.len() == 1 { "is as in its file" } else { "are as in their files" };
        text.push_str(&format!("[note] {} {verb} again; by hand it was other.\n", first_names(&names, NAMED)));
    }
    for one in &changes.left {
        text.push_str(&format!(
            "[note] {} has changed and does not load; nothing here uses it: {}\n",
            one_line(&one.path, 200),
            one_line(&one.reason, 300)
        ));
    }
    if !changes.restored.is_empty() {
        text.push_str(&format!("[note] Put back after it: {}.\n", changes.restored.join(", ")));
    }
    text
}

/// Who uses a name, and the verb for them.
fn users(used: &[StillUsed], more: usize) -> (String, &'static str) {
    let users: Vec<String> = used
        .iter()
        .map(|used| {
            let form = if used.form.is_empty() { "code" } else { &used.form };
            format!("{} ({}:{})", one_line(form, 80), one_line(&used.path, 200), used.line)
        })
        .collect();
    let verb = if users.len() + more == 1 { "uses" } else { "use" };
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (users.join(", ") + &more, verb)
}

/// The name of a definition by hand.
pub(crate) fn defined_by_hand(one: &ByHand) -> String {
    one_line(&one.name, 100)
}

/// Who relies on a definition by hand.
pub(crate) fn relied_on(one: &ByHand) -> String {
    let (users, verb) = users(&one.used, one.more);
    format!("{users} {verb} it")
}

/// Its kind and name.
fn name(one: &Forgotten) -> String {
    format!("{} {}", one_line(&one.kind, 40), one_line(&one.name, 100))
}

#[cfg(test)]
mod tests {
    use lispwright_tools::changes::StillUsed;

    use super::*;

    #[test]
    fn what_is_still_used_is_told_with_its_places() {
        let gone = |name: &str, still_used| Forgotten {
            kind: "function".into(),
            name: name.into(),
            path: Some("shop.lisp".into()),
            still_used,
            more: 0,
        };
        let used = StillUsed { form: "price".into(), path: "shop.lisp".into(), line: 12 };
        let changes =
            ImageChanges { forgotten: vec![gone("a", vec![]), gone("helper", vec![used])], ..ImageChanges::default() };
        assert_eq!(
            text(&changes),
            "[note] function helper is gone; price (shop.lisp:12) still uses it.\n\
             [note] function a is gone from the image, as from the files.\n"
        );
    }
}

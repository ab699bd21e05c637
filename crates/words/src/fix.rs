//! A change that would mend a text, as lines for readers.

use lispwright_edit::Fix;
use lispwright_syntax::around;

/// Longest line that is shown whole, in scalar values.
const WIDTH: usize = 100;

/// The change in one line, or in a heading and a line for each changed line.
pub(crate) fn sentence(fix: &Fix) -> String {
    let change = match (fix.add.as_str(), fix.remove.as_str()) {
        ("", remove) => format!("remove `{remove}`"),
        (add, "") => format!("add `{add}`"),
        (add, remove) => format!("`{add}` for `{remove}`"),
    };
    match fix.lines.as_slice() {
        [only] => format!("line {}: {change} ({}): {}", only.line, fix.why, shown(&only.before, &only.after).1),
        several => {
            let lines =
                several.iter().map(|each| format!("\n    line {}: {}", each.line, shown(&each.before, &each.after).1));
            format!("{change} in {} lines ({}):{}", several.len(), fix.why, lines.collect::<String>())
        }
    }
}

/// The name by which the change can be accepted, before its sentence; empty if it has none.
pub(crate) fn offer(fix: &Fix) -> String {
    fix.offer.as_ref().map(|name| format!("{name}: ")).unwrap_or_default()
}

/// Changed lines: each as its number and its text before, and its number and its text after.
pub(crate) fn diff<'t>(lines: impl Iterator<Item = (u32, &'t str, &'t str)>) -> String {
    lines
        .map(|(line, before, after)| {
            let (before, after) = shown(before, after);
            format!("\n  {line} - {before}\n  {line} + {after}")
        })
        .collect()
}

/// A line before and after a change, without the white space around; a long line is cut to the text around the change.
fn shown(before: &str, after: &str) -> (String, String) {
    let (before, after) = (before.trim(), after.trim());
    let same = before.chars().zip(after.chars()).take_while(|(before, after)| before == after).count();
    (around(before, same, WIDTH), around(after, same, WIDTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_change() {
        let before = format!("({}", "x ".repeat(200));
        let after = format!("{})", before.trim_end());
        let (old, new) = shown(&before, &after);
        assert!(old.starts_with('…') && old.ends_with("x x"), "{old}");
        assert!(new.starts_with('…') && new.ends_with("x x)"), "{new}");
        assert_eq!(new.chars().count(), WIDTH + 1);
    }
}

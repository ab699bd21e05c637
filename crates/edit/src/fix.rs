//! A change that would mend a text, as lines for people.

use std::fmt;

use lispwright_repair::{Edit, LineChange, line_changes};
use lispwright_syntax::LineIndex;

/// A change of some lines that would make a text balance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Every line it changes, in order; at least one.
    pub lines: Vec<LineChange>,
    /// Delimiters that are added.
    pub add: String,
    /// Delimiters that are removed.
    pub remove: String,
    /// The reason, in a few words.
    pub why: String,
    /// The bytes it changes.
    pub(crate) edits: Vec<Edit>,
}

/// What was done to new source before it was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The lines that were changed.
    pub lines: Vec<LineChange>,
    /// Why this and nothing else, a sentence each.
    pub evidence: Vec<String>,
}

/// A line before and after as an answer shows it, without the white space around; long lines are cut to the neighbourhood of
/// the change.
fn shown(before: &str, after: &str) -> (String, String) {
    let (before, after) = (before.trim(), after.trim());
    let same = before.chars().zip(after.chars()).take_while(|(before, after)| before == after).count();
    (around(before, same), around(after, same))
}

/// So many of the fixes that are not certain are worth a reader's time; the true one is hardly ever further down.
pub const MOST_SHOWN: usize = 3;

/// Longest line that is shown whole, in scalar values.
const WIDTH: usize = 100;

/// `line`, cut to the part around its `middle`th scalar value when it is long.
fn around(line: &str, middle: usize) -> String {
    let count = line.chars().count();
    if count <= WIDTH {
        return line.to_owned();
    }
    let start = middle.saturating_sub(WIDTH * 2 / 3).min(count - WIDTH);
    let part: String = line.chars().skip(start).take(WIDTH).collect();
    let (front, back) = (if start > 0 { "…" } else { "" }, if start + WIDTH < count { "…" } else { "" });
    format!("{front}{part}{back}")
}

impl Fix {
    /// A fix of `text`, whose lines are `lines`.
    pub(crate) fn new(edits: Vec<Edit>, why: String, text: &str, lines: &LineIndex) -> Self {
        let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        Self {
            lines: line_changes(text, lines, &edits),
            add: edits.iter().map(|edit| solid(&edit.inserted)).collect(),
            remove: edits.iter().map(|edit| solid(&edit.removed)).collect(),
            why,
            edits,
        }
    }

    /// The lines before and after, two lines of text for each.
    #[must_use]
    pub fn diff(&self) -> String {
        shown_changes(self.lines.iter().map(|change| (change.line, change.before.as_str(), change.after.as_str())))
    }

    /// Moves it `lines` down, with `lead` in front of the first line of the text and `tail` behind its last one.
    pub(crate) fn shift(&mut self, lines: u32, lead: &str, last: u32, tail: &str) {
        for change in &mut self.lines {
            if change.line == 1 {
                change.before.insert_str(0, lead);
                change.after.insert_str(0, lead);
            }
            if change.line == last {
                change.before.push_str(tail);
                change.after.push_str(tail);
            }
            change.line += lines;
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = match (self.add.as_str(), self.remove.as_str()) {
            ("", remove) => format!("remove `{remove}`"),
            (add, "") => format!("add `{add}`"),
            (add, remove) => format!("`{add}` for `{remove}`"),
        };
        match self.lines.as_slice() {
            [only] => write!(f, "line {}: {change} ({}): {}", only.line, self.why, shown(&only.before, &only.after).1),
            several => {
                write!(f, "{change} in {} lines ({}):", several.len(), self.why)?;
                several.iter().try_for_each(|change| {
                    write!(f, "\n    line {}: {}", change.line, shown(&change.before, &change.after).1)
                })
            }
        }
    }
}

/// Changed lines, each as its number, how it was and how it is, two lines of text for each.
#[must_use]
pub fn shown_changes<'t>(lines: impl Iterator<Item = (u32, &'t str, &'t str)>) -> String {
    let mut out = String::new();
    for (line, before, after) in lines {
        let (before, after) = shown(before, after);
        out.push_str(&format!("\n  {line} - {before}\n  {line} + {after}"));
    }
    out
}

impl From<&Fix> for Mended {
    fn from(fix: &Fix) -> Self {
        Self { lines: fix.lines.clone(), evidence: vec![fix.why.clone()] }
    }
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

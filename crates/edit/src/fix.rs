//! A change that would mend a text, as lines for people.

use std::fmt;

use lispwright_repair::Edit;
use lispwright_syntax::LineIndex;

/// A line, or several that belong together, before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The line, from 1.
    pub line: u32,
    /// How it is, without its line ending.
    pub before: String,
    /// How it would be.
    pub after: String,
}

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

impl LineChange {
    /// The line before and after as an answer shows them, without the white space around; long lines are cut to the
    /// neighbourhood of the change.
    #[must_use]
    pub fn shown(&self) -> (String, String) {
        let (before, after) = (self.before.trim(), self.after.trim());
        let same = before.chars().zip(after.chars()).take_while(|(before, after)| before == after).count();
        (around(before, same), around(after, same))
    }
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
        shown_changes(&self.lines)
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
            [only] => write!(f, "line {}: {change} ({}): {}", only.line, self.why, only.shown().1),
            several => {
                write!(f, "{change} in {} lines ({}):", several.len(), self.why)?;
                several.iter().try_for_each(|change| write!(f, "\n    line {}: {}", change.line, change.shown().1))
            }
        }
    }
}

impl Mended {
    /// The lines before and after, two lines of text for each.
    #[must_use]
    pub fn shown(&self) -> String {
        shown_changes(&self.lines)
    }
}

fn shown_changes(lines: &[LineChange]) -> String {
    let mut out = String::new();
    for change in lines {
        let (before, after) = change.shown();
        out.push_str(&format!("\n  {0} - {before}\n  {0} + {after}", change.line));
    }
    out
}

impl From<&Fix> for Mended {
    fn from(fix: &Fix) -> Self {
        Self { lines: fix.lines.clone(), evidence: vec![fix.why.clone()] }
    }
}

/// The lines that `edits` change, before and after. Edits are in order and do not overlap.
fn line_changes(text: &str, lines: &LineIndex, edits: &[Edit]) -> Vec<LineChange> {
    let mut changes = Vec::new();
    let mut rest = edits;
    while let Some(first) = rest.first() {
        let mut last = lines.line(first.at);
        let start = lines.line_span(last).unwrap_or_default().start as usize;
        let mut count = 0;
        let mut after = String::new();
        let mut copied = start;
        for edit in rest {
            let range = edit.range();
            if lines.line(edit.at) > last {
                break;
            }
            after.push_str(&text[copied..range.start]);
            after.push_str(&edit.inserted);
            copied = range.end;
            last = last.max(lines.line(range.end as u32));
            count += 1;
        }
        let end = lines.line_span(last).map_or(text.len(), |span| span.end as usize);
        after.push_str(&text[copied..end]);
        let without_ending = |text: &str| text.trim_end_matches(['\n', '\r']).to_owned();
        let before = without_ending(&text[start..end]);
        changes.push(LineChange { line: lines.line(start as u32), before, after: without_ending(&after) });
        rest = &rest[count..];
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(at: u32, removed: &str, inserted: &str) -> Edit {
        Edit { at, removed: removed.to_owned(), inserted: inserted.to_owned() }
    }

    #[test]
    fn edits_on_one_line_are_one_change() {
        let text = "(a b\n (c)\n d\n";
        let changes = |edits: &[Edit]| line_changes(text, &LineIndex::new(text.as_bytes()), edits);
        let of =
            |line, before: &str, after: &str| LineChange { line, before: before.to_owned(), after: after.to_owned() };
        let edits = [edit(6, "(", ""), edit(8, ")", ""), edit(12, "", ")")];
        assert_eq!(changes(&edits), [of(2, " (c)", " c"), of(3, " d", " d)")]);
        assert_eq!(changes(&[edit(4, "\n ", " ")]), [of(1, "(a b\n (c)", "(a b (c)")]);
        let (open, lines) = ("(a\n (b", LineIndex::new(b"(a\n (b"));
        let at_the_end = line_changes(open, &lines, &[edit(4, "(", ""), edit(6, "", ")")]);
        assert_eq!(at_the_end, [of(2, " (b", " b)")], "an edit behind the last byte belongs to the last line");
    }

    #[test]
    fn a_long_line_is_shown_around_its_change() {
        let before = format!("({}", "x ".repeat(200));
        let after = format!("{})", before.trim_end());
        let (old, new) = LineChange { line: 1, before, after }.shown();
        assert!(old.starts_with('…') && old.ends_with("x x"), "{old}");
        assert!(new.starts_with('…') && new.ends_with("x x)"), "{new}");
        assert_eq!(new.chars().count(), WIDTH + 1);
    }
}

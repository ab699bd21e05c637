//! Applies a patch to a file, or reverts it.

use super::{Action, Chunk, Line, Sign};
use crate::change::WrittenBytes;

/// The direction in which a patch is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchDirection {
    /// From the file before to the file after.
    Forward,
    /// From the file after to the file before.
    Backward,
}

/// A file after a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patched {
    /// Its text, with line feeds.
    pub text: String,
    /// The added lines. The source of a line is its start in the text of the patch.
    pub written: Vec<WrittenBytes>,
}

impl Action {
    /// Applies the action to a file with line feeds for line ends; `patch` is the text to which the spans of the lines
    /// refer. `None` if some lines are missing, or two chunks change the same ones.
    pub fn apply(&self, patch: &str, before: &str, direction: PatchDirection) -> Option<Patched> {
        let mut done = Patched::default();
        match self {
            Self::Add(lines) => lines.iter().for_each(|line| done.push(patch, line)),
            Self::Delete => return None,
            Self::Update { chunks, .. } => {
                let old: Vec<&str> = before.lines().collect();
                let mut runs = Vec::new();
                for (place, chunk) in places(patch, &old, chunks, direction)? {
                    place.runs(chunk, direction, &mut runs);
                }
                runs.sort_by_key(|run| run.start);
                let mut at = 0;
                for run in &runs {
                    old.get(at..run.start)?.iter().for_each(|line| done.keep(line));
                    run.added.iter().for_each(|line| done.push(patch, line));
                    at = run.start + run.removed;
                }
                old.get(at..)?.iter().for_each(|line| done.keep(line));
            }
        }
        Some(done)
    }
}

impl PatchDirection {
    fn of(self, sign: Sign) -> Sign {
        match (self, sign) {
            (Self::Forward, sign) | (_, sign @ Sign::Kept) => sign,
            (Self::Backward, Sign::Added) => Sign::Removed,
            (Self::Backward, Sign::Removed) => Sign::Added,
        }
    }
}

impl Patched {
    fn keep(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn push(&mut self, patch: &str, line: &Line) {
        let start = self.text.len();
        self.text.push_str(patch[line.span.clone()].trim_end_matches('\r'));
        if line.sign == Sign::Added {
            self.written.push(WrittenBytes { span: start..self.text.len(), source: line.span.start });
        }
        self.text.push('\n');
    }
}

/// The place of the old lines of a chunk.
struct Place {
    start: usize,
    length: usize,
    /// The number of lines of the chunk that count.
    lines: usize,
}

/// Adjacent lines of a file that are removed, and the lines in their place.
struct Run<'c> {
    start: usize,
    removed: usize,
    added: Vec<&'c Line>,
}

impl Place {
    /// Adds the changes of the chunk to `runs`. Lines that stay keep the text of the file, which may differ a little
    /// from that of the patch.
    fn runs<'c>(&self, chunk: &'c Chunk, direction: PatchDirection, runs: &mut Vec<Run<'c>>) {
        let (mut at, end) = (self.start, self.start + self.length);
        let mut run = Run { start: at, removed: 0, added: Vec::new() };
        for line in chunk.lines.iter().take(self.lines) {
            match direction.of(line.sign) {
                Sign::Removed if at < end => {
                    run.removed += 1;
                    at += 1;
                }
                Sign::Kept if at < end => {
                    at += 1;
                    runs.push(std::mem::replace(&mut run, Run { start: at, removed: 0, added: Vec::new() }));
                }
                // The empty line that only separates the chunk.
                Sign::Removed => {}
                Sign::Added | Sign::Kept => run.added.push(line),
            }
        }
        runs.push(run);
    }
}

/// The place of each chunk, in their order.
fn places<'c>(
    patch: &str,
    old: &[&str],
    chunks: &'c [Chunk],
    direction: PatchDirection,
) -> Option<Vec<(Place, &'c Chunk)>> {
    let mut found = Vec::new();
    let mut from = 0;
    for chunk in chunks {
        if let Some(below) = &chunk.below {
            from = seek(old, &[below], from, false)? + 1;
        }
        let mut gone: Vec<&str> = chunk
            .lines
            .iter()
            .filter(|line| direction.of(line.sign) != Sign::Added)
            .map(|line| &patch[line.span.clone()])
            .collect();
        let mut lines = chunk.lines.len();
        if gone.is_empty() {
            // A chunk of added lines only has no place: the lines go to the end. Backward they could be anywhere.
            if direction == PatchDirection::Backward {
                return None;
            }
            found.push((Place { start: old.len(), length: 0, lines }, chunk));
            continue;
        }
        let mut start = seek(old, &gone, from, chunk.at_end);
        if start.is_none() && gone.last() == Some(&"") {
            // An empty line at the end of the chunk may only separate it.
            gone.pop();
            lines -= usize::from(chunk.lines.last().is_some_and(|line| line.sign == Sign::Kept));
            start = seek(old, &gone, from, chunk.at_end);
        }
        let start = start?;
        found.push((Place { start, length: gone.len(), lines }, chunk));
        from = start + gone.len();
    }
    Some(found)
}

/// The comparisons of two lines, in order of tolerance.
const TOLERANCES: [fn(&str, &str) -> bool; 4] = [
    |a, b| a == b,
    |a, b| a.trim_end() == b.trim_end(),
    |a, b| a.trim() == b.trim(),
    |a, b| a.trim().chars().map(plain).eq(b.trim().chars().map(plain)),
];

/// The first line from `from` on at which `wanted` begins; with `at_end` only the one that reaches the end of the file.
fn seek(lines: &[&str], wanted: &[&str], from: usize, at_end: bool) -> Option<usize> {
    let last = lines.len().checked_sub(wanted.len())?;
    let from = if at_end && !wanted.is_empty() { last.max(from) } else { from };
    TOLERANCES.iter().find_map(|same| {
        (from..=last).find(|&at| lines[at..].iter().zip(wanted).all(|(line, wanted)| same(line, wanted)))
    })
}

/// Typographic dashes, quotes and spaces as the plain ones.
fn plain(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201B}' => '\'',
        '\u{201C}'..='\u{201F}' => '"',
        '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::Patch;
    use super::*;

    /// Applies the chunks of `body` to `before`, and reverts the result.
    #[track_caller]
    fn check(before: &str, body: &str, after: Option<&str>) {
        let patch = Patch::parse(&format!("*** Begin Patch\n*** Update File: a\n{body}*** End Patch"), "").unwrap();
        let action = &patch.files[0].action;
        let done = action.apply(&patch.text, before, PatchDirection::Forward);
        assert_eq!(done.as_ref().map(|done| &*done.text), after, "{body}");
        let Some(done) = done else { return };
        for written in &done.written {
            let shown = &done.text[written.span.clone()];
            assert!(patch.text[written.source..].starts_with(shown));
        }
        let back = action.apply(&patch.text, &done.text, PatchDirection::Backward).unwrap();
        assert_eq!(back.text, before, "backward: {body}");
    }

    #[test]
    fn chunks_find_their_lines() {
        check("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n", Some("a\nB\nc\n"));
        check("a\nb\nc\n", "-b\n c\n", Some("a\nc\n"));
        check("a\nx\nb\nx\n", "@@ b\n-x\n+y\n", Some("a\nx\nb\ny\n"));
        check("x\na\nx\n", "@@\n-x\n+y\n*** End of File\n", Some("x\na\ny\n"));
        check("a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-c\n+C\n+D\n", Some("A\nb\nC\nD\nd\n"));
        check("a\n", "@@\n+b\n", Some("a\nb\n"));
        check("a\nb\nc\n", "@@ b \n-c\n+d\n", Some("a\nb\nd\n"));
        check("a\n", "@@ a\n a\n+b\n*** End of File\n", None);
        check("a\n", "@@\n-c\n+d\n", None);
        check("a\n", "@@ q\n-a\n+d\n", None);
        check("a\n", "@@\n-a\n-b\n+d\n", None);
        check("a\n", "@@\n-a\n+b\n@@\n-a\n+c\n*** End of File\n", None);
    }

    #[test]
    fn white_space_and_typography_may_differ() {
        let done = |before: &str, body: &str| {
            let patch = Patch::parse(&format!("*** Begin Patch\n*** Update File: a\n{body}*** End Patch"), "").unwrap();
            patch.files[0].action.apply(&patch.text, before, PatchDirection::Forward).map(|done| done.text)
        };
        assert_eq!(done("  a  \nb\n", "@@\n   a\n-b\n+c\n").as_deref(), Some("  a  \nc\n"));
        assert_eq!(done("\ta\nb\n", "@@\n a\n-b\n+c\n").as_deref(), Some("\ta\nc\n"));
        assert_eq!(done("; x \u{2014} y\nb\n", "@@\n ; x - y\n-b\n+c\n").as_deref(), Some("; x \u{2014} y\nc\n"));
        assert_eq!(done("a\nb\n", "@@\n-b\n+c\n\n").as_deref(), Some("a\nc\n"));
        // Two chunks that add at the end do so in their order.
        assert_eq!(done("a\n", "@@\n+b\n@@\n a\n+c\n").as_deref(), Some("a\nb\nc\n"));
        assert_eq!(done("b\na\nb", "@@\n-b\n+c\n").as_deref(), Some("c\na\nb\n"));
    }
}

//! Unified diffs of an edit, with true line numbers.
//!
//! An edit knows which bytes it replaced, so only the lines around them are compared: the cost does not grow with the
//! file.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use lispwright_syntax::{Span, count_line_ends};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use crate::form_line::shortened;

/// Lines shown around a change.
const CONTEXT: usize = 2;

/// After this time a diff of two huge forms becomes coarser.
const PATIENCE: Duration = Duration::from_millis(200);

/// The unified diff between `old` and `new`, in which `span` of `old` has become `new_len` bytes.
///
/// Hunks only, without file names; empty when the texts are equal. A missing final newline is marked as `diff` does,
/// and long unchanged lines are shortened.
#[must_use]
pub fn unified(old: &str, new: &str, span: Span, new_len: usize) -> String {
    let start = window_start(old, span.start as usize);
    let old_end = window_end(old, span.end as usize);
    let new_end = window_end(new, span.start as usize + new_len);
    let first_line = count_line_ends(&old[..start]) as usize;
    let old_lines: Vec<&str> = old[start..old_end].split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new[start..new_end].split_inclusive('\n').collect();
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old_lines, &new_lines, Some(Instant::now() + PATIENCE));
    let mut out = String::new();
    for group in group_diff_ops(ops, CONTEXT) {
        hunk(&mut out, &group, &old_lines, &new_lines, first_line);
    }
    out
}

/// The lines of `new` that `old` has not in that place: ranges of their numbers, from 1, inclusive. Lines that are only
/// gone leave no range.
pub fn changed_lines(old: &str, new: &str) -> Vec<(u32, u32)> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new: Vec<&str> = new.split_inclusive('\n').collect();
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(Instant::now() + PATIENCE));
    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal).map(DiffOp::new_range);
    changed.filter(|range| !range.is_empty()).map(|range| (range.start as u32 + 1, range.end as u32)).collect()
}

fn hunk(out: &mut String, group: &[DiffOp], old: &[&str], new: &[&str], first_line: usize) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let header = |start: usize, end: usize| {
        let count = end - start;
        // A hunk with an empty side names the line before it.
        let line = first_line + start + usize::from(count > 0);
        if count == 1 { line.to_string() } else { format!("{line},{count}") }
    };
    let _ = writeln!(
        out,
        "@@ -{} +{} @@",
        header(first.old_range().start, last.old_range().end),
        header(first.new_range().start, last.new_range().end)
    );
    for op in group {
        let (old, new) = (&old[op.old_range()], &new[op.new_range()]);
        if op.tag() == DiffTag::Equal {
            old.iter().for_each(|line| push_line(out, ' ', line, &shortened(bare(line), WIDTH)));
            continue;
        }
        // Lines that replace each other are cut to their difference.
        let beside =
            |others: &[&str], at: usize, line: &str| changed(bare(line), others.get(at).map_or("", |line| bare(line)));
        old.iter().enumerate().for_each(|(at, line)| push_line(out, '-', line, &beside(new, at, line)));
        new.iter().enumerate().for_each(|(at, line)| push_line(out, '+', line, &beside(old, at, line)));
    }
}

/// Longest unchanged line that is shown whole, in scalar values.
const WIDTH: usize = 200;

/// Longest changed line that is shown whole, in scalar values.
const CHANGED_WIDTH: usize = 1_000;

/// Scalar values shown on either side of the difference in a longer line.
const AROUND: usize = 60;

fn bare(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

/// `line`, cut to the part that differs from `other` when it is long.
fn changed(line: &str, other: &str) -> String {
    let count = line.chars().count();
    if count <= CHANGED_WIDTH {
        return line.to_owned();
    }
    let front = line.chars().zip(other.chars()).take_while(|(own, other)| own == other).count();
    let most = count.min(other.chars().count()) - front;
    let back = line.chars().rev().zip(other.chars().rev()).take(most).take_while(|(own, other)| own == other).count();
    let (from, to) = (front.saturating_sub(AROUND), (count - back + AROUND).min(count));
    let part: String = line.chars().skip(from).take(to - from).collect();
    let (before, after) = (if from > 0 { "…" } else { "" }, if to < count { "…" } else { "" });
    format!("{before}{part}{after}")
}

/// Adds `line` in the form `shown`.
fn push_line(out: &mut String, sign: char, line: &str, shown: &str) {
    out.push(sign);
    out.push_str(shown);
    out.push('\n');
    if !line.ends_with('\n') {
        out.push_str("\\ No newline at end of file\n");
    }
}

/// The start of the line a few lines above the one that holds `offset`.
fn window_start(text: &str, offset: usize) -> usize {
    let mut start = offset;
    for _ in 0..=CONTEXT + 1 {
        match text[..start].rfind('\n') {
            Some(newline) => start = newline,
            None => return 0,
        }
    }
    start + 1
}

/// The end of the line a few lines below the one that holds `offset`.
fn window_end(text: &str, offset: usize) -> usize {
    let mut end = offset;
    for _ in 0..=CONTEXT + 1 {
        match text[end..].find('\n') {
            Some(newline) => end += newline + 1,
            None => return text.len(),
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, from: &str, to: &str, expected: &str) {
        let start = old.find(from).expect("the text to replace is there");
        let new = format!("{}{to}{}", &old[..start], &old[start + from.len()..]);
        let span = Span::new(start as u32, (start + from.len()) as u32);
        assert_eq!(unified(old, &new, span, to.len()), expected);
    }

    #[test]
    fn line_numbers_are_those_of_the_file() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        check(old, "6", "six\n6b", "@@ -4,5 +4,6 @@\n 4\n 5\n-6\n+six\n+6b\n 7\n 8\n");
        check(old, "1\n", "", "@@ -1,3 +1,2 @@\n-1\n 2\n 3\n");
        check(old, "9", "9", "");
    }

    #[test]
    fn a_missing_final_newline_is_marked() {
        check(
            "a\nb",
            "b",
            "c",
            "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
        );
    }

    #[test]
    fn a_long_line_is_cut_to_its_change() {
        let (front, back) = ("(a b) ".repeat(400), " (c d)".repeat(400));
        let old = format!("{front}here{back}\n");
        let shown = |word: &str| {
            let (front, back) = (&front[front.len() - AROUND..], &back[..AROUND]);
            format!("…{front}{word}{back}…")
        };
        check(&old, "here", "x", &format!("@@ -1 +1 @@\n-{}\n+{}\n", shown("here"), shown("x")));
    }

    #[test]
    fn carriage_returns_are_not_shown() {
        check("a\r\nb\r\n", "b", "c", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    }
}

//! The lists of a form, and edits of its lines.

use std::ops::Range;

use lispwright_syntax::{Dialect, TokenKind};

use super::sample::pieces;

/// A datum in a list, with its prefixes.
#[derive(Clone, Debug)]
pub(crate) struct Datum {
    pub(crate) range: Range<usize>,
    pub(crate) begins_line: bool,
    pub(crate) kind: TokenKind,
}

/// A list of a form.
#[derive(Clone, Debug)]
pub(crate) struct Inner {
    /// Its bytes, without prefixes.
    pub(crate) range: Range<usize>,
    pub(crate) begins_line: bool,
    /// The end of the token before it, unless that opens the list it is in.
    pub(crate) follows: Option<usize>,
    /// The number of lists around it.
    pub(crate) depth: usize,
    pub(crate) data: Vec<Datum>,
}

impl Inner {
    /// Where its last datum ends, if its closer follows at once.
    pub(crate) fn tail(&self) -> Option<usize> {
        let last = self.data.last()?.range.end;
        (last + 1 == self.range.end).then_some(last)
    }

    /// The index of the datum with which its body begins: from there on every datum begins a line.
    pub(crate) fn body(&self) -> Option<usize> {
        let body = self.data.iter().rposition(|datum| !datum.begins_line).map_or(0, |last| last + 1);
        (0 < body && body < self.data.len()).then_some(body)
    }

    /// It begins with a symbol.
    pub(crate) fn is_call(&self) -> bool {
        self.data.first().is_some_and(|head| head.kind == TokenKind::Atom)
    }
}

/// The lists of `text[range]`, which is sound; each comes after those in it.
pub(crate) fn lists(text: &str, range: Range<usize>, dialect: Dialect) -> Vec<Inner> {
    let own = pieces(text, range, dialect);
    let mut open: Vec<(usize, Vec<Datum>)> = Vec::new();
    let mut found = Vec::new();
    let mut prefix = None;
    for (at, piece) in own.iter().enumerate() {
        if piece.kind.is_prefix() {
            prefix = prefix.or(Some(at));
            continue;
        }
        let first = prefix.take().unwrap_or(at);
        let mut datum =
            Datum { range: own[first].start..piece.end, begins_line: own[first].begins_line, kind: piece.kind };
        if piece.kind.is_open() {
            if let Some((_, data)) = open.last_mut() {
                data.push(datum);
            }
            open.push((at, Vec::new()));
        } else if !piece.kind.is_close() {
            if let Some((_, data)) = open.last_mut() {
                data.push(datum);
            }
        } else if let Some((from, data)) = open.pop() {
            let before = from.checked_sub(1).map(|before| &own[before]);
            let follows = before.filter(|before| !before.kind.is_open() && !before.kind.is_prefix());
            let range = own[from].start..piece.end;
            let (begins_line, depth) = (own[from].begins_line, open.len());
            found.push(Inner { range, begins_line, follows: follows.map(|before| before.end), depth, data });
            if let Some((_, around)) = open.last_mut()
                && let Some(last) = around.last_mut()
            {
                datum = last.clone();
                datum.range.end = piece.end;
                *last = datum;
            }
        }
    }
    found
}

/// The lists inside the outermost list of `text[range]`.
pub(crate) fn inner_lists(text: &str, range: Range<usize>, dialect: Dialect) -> Vec<Inner> {
    let mut found = lists(text, range, dialect);
    found.retain(|list| list.depth > 0);
    found
}

/// The run of closers at byte `at`.
pub(crate) fn closers(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    &rest[..rest.len() - rest.trim_start_matches([')', ']', '}']).len()]
}

/// The column of a byte, in characters.
pub(crate) fn column(text: &str, at: usize) -> usize {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    text[start..at].chars().count()
}

/// `text` with the lines after its first moved by this many columns.
pub(crate) fn shifted(text: &str, by: isize) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            out.push('\n');
            let blank = line.len() - line.trim_start_matches(' ').len();
            let wanted = if line.is_empty() { 0 } else { blank.saturating_add_signed(by) };
            out.extend(std::iter::repeat_n(' ', wanted));
            out.push_str(&line[blank..]);
        } else {
            out.push_str(line);
        }
    }
    out
}

/// The lines of `new` that are not in `old`, by the longest common subsequence of lines, as runs of line numbers from
/// 0. A run is empty where lines were only removed.
pub(crate) fn hunks(old: &str, new: &str) -> Vec<Range<usize>> {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let front = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let most = a.len().min(b.len()) - front;
    let back = a.iter().rev().zip(b.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[front..a.len() - back], &b[front..b.len() - back]);
    // `longest[i][j]` is for the lines from `i` and `j` on.
    let width = b.len() + 1;
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            longest[i * width + j] = if a[i] == b[j] {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        if i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let takes_old = j == b.len() || (i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1]);
        let line = front + j;
        (i, j) = if takes_old { (i + 1, j) } else { (i, j + 1) };
        match found.last_mut() {
            Some(last) if last.end == line => last.end = front + j,
            _ => found.push(line..front + j),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_moves_as_a_whole() {
        assert_eq!(shifted("(a\n  b\n\n   c)", 2), "(a\n    b\n\n     c)");
        assert_eq!(shifted("(a\n  b\n c)", -2), "(a\nb\nc)");
    }

    #[test]
    fn lists_have_their_data_with_prefixes() {
        let text = "(defun f (x)\n  (g #'h\n     '(1 2)))";
        let found = lists(text, 0..text.len(), Dialect::CommonLisp);
        let shown: Vec<Vec<&str>> =
            found.iter().map(|list| list.data.iter().map(|datum| &text[datum.range.clone()]).collect()).collect();
        assert_eq!(shown[0], ["x"]);
        assert_eq!(shown[2], ["g", "#'h", "'(1 2)"]);
        assert_eq!(shown[3], ["defun", "f", "(x)", "(g #'h\n     '(1 2))"]);
        assert_eq!((found[3].body(), found[3].depth, found[2].depth), (Some(3), 0, 1));
        assert_eq!(found[2].tail().map(|at| closers(text, at)), Some("))"));
    }

    #[test]
    fn lines_that_differ_are_hunks() {
        assert_eq!(hunks("a\nb\nc\nd", "a\nx\nc\nd\ne"), [1..2, 4..5]);
        assert_eq!(hunks("a\nb\nc", "a\nc").first(), Some(&(1..1)));
        assert!(hunks("a", "a").is_empty());
    }
}

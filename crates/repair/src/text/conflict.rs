//! Texts with both sides of a merge.
//!
//! Between the marks of a merge conflict are two versions of the same lines, so delimiters are there twice. To make
//! such a text balance would hide that somebody has to choose.

use memchr::memmem;

/// The byte offset of the first conflict that a version control system has marked: a line that begins with seven `<`,
/// then one of seven `=` alone, then one that begins with seven `>`.
pub fn first_conflict(text: &str) -> Option<usize> {
    // A text without the first mark has no conflict, which is found out without splitting it into lines.
    let first = memmem::find(text.as_bytes(), b"<<<<<<<")?;
    let mut at = text[..first].rfind('\n').map_or(0, |before| before + 1);
    let (mut ours, mut theirs) = (None, false);
    for line in text[at..].split_inclusive('\n') {
        if is_mark(line, "<<<<<<<") {
            (ours, theirs) = (Some(at), false);
        } else if line.trim_end() == "=======" {
            theirs = ours.is_some();
        } else if theirs && is_mark(line, ">>>>>>>") {
            return ours;
        }
        at += line.len();
    }
    None
}

/// The line is the mark, alone or with the name of a side after it.
fn is_mark(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\r', '\n']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_marks_make_a_conflict() {
        let text = "(a)\n<<<<<<< HEAD\n(b\n=======\n(c\n>>>>>>> branch\n)\n";
        assert_eq!(first_conflict(text), Some(4));
        assert_eq!(first_conflict(&text.replace('\n', "\r\n")), Some(5));
        for mark in ["<<<<<<< HEAD", "=======", ">>>>>>> branch"] {
            assert_eq!(first_conflict(&text.replace(mark, "(d)")), None, "without {mark}");
        }
        assert_eq!(first_conflict(";; Title\n;; =======\n(a <<<<<<<<<)\n"), None);
    }
}

//! Forms with inner lines in column 0, whose columns do not show what belongs to them.
//!
//! Such a form is a row of pieces, each from one line in column 0 to the next, and many of them do not balance by
//! themselves: the opener of a wrapper, its closer. An edit seldom writes more than one of them. The earlier text shows
//! which of the pieces were as they are, and so where the fault is.

use std::collections::HashMap;
use std::ops::Range;

use lispwright_syntax::read_plain;

use super::plain::Plain;

/// The only piece of `text`, in bytes, that is not in `before` and does not balance; `None` if there are several. With
/// `only_parts`, it is part of a form that has other pieces, too.
pub(crate) fn changed_piece(text: &str, before: Plain<'_>, only_parts: bool) -> Option<Range<usize>> {
    let known: HashMap<&str, Range<usize>> =
        pieces(before.text).map(|piece| (before.text[piece.clone()].trim_end(), piece)).collect();
    let old = |piece: &Range<usize>| known.get(text[piece.clone()].trim_end());
    let all: Vec<Range<usize>> = pieces(text).collect();
    let language = before.tree.language();
    let broken = |piece: &Range<usize>| !read_plain(&text[piece.clone()], language).diagnostics().is_empty();
    let mut changed = (0..all.len()).filter(|&at| old(&all[at]).is_none()).filter(|&at| broken(&all[at]));
    let at = changed.next().filter(|_| changed.next().is_none())?;
    let spans = || before.tree.top_level().map(|datum| before.tree.datum_span(datum).range());
    let goes_on = |piece: &Range<usize>| spans().any(|form| form.start <= piece.start && piece.end < form.end);
    let began_before = |piece: &Range<usize>| spans().any(|form| form.start < piece.start && piece.start < form.end);
    let beside = |at: Option<usize>| at.and_then(|at| all.get(at)).and_then(old);
    let is_part =
        || beside(at.checked_sub(1)).is_some_and(goes_on) || beside(at.checked_add(1)).is_some_and(began_before);
    (!only_parts || is_part()).then(|| all[at].clone())
}

/// The pieces of a text. Each begins with a line that has a delimiter in column 0, perhaps behind a prefix.
fn pieces(text: &str) -> impl Iterator<Item = Range<usize>> {
    let begins = |line: &str| line.starts_with(['(', '[', '{', ')', ']', '}', '#', '\'', '`']);
    let starts = text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let starts: Vec<usize> = starts.filter(|(_, line)| begins(line)).map(|(start, _)| start).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(|(start, end)| start..end)
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;

    /// The changed piece of `after` is `expected`, which is empty if there is none; also as a part of a form.
    #[track_caller]
    fn check(before: &str, after: &str, expected: &str, is_part: bool) {
        let tree = read_plain(before, Dialect::CommonLisp);
        let found = |only_parts| {
            let before = Plain { text: before, tree: &tree };
            changed_piece(after, before, only_parts).map_or("", |piece| after[piece].trim_end())
        };
        assert_eq!(found(false), expected);
        assert_eq!(found(true), if is_part { expected } else { "" });
    }

    #[test]
    fn pieces_that_were_so_before_are_not_the_fault() {
        let before = "(progn\n(defun f (x)\n  (list x))\n\n(defun g (x)\n  (f x))\n)\n\n(defun h ())\n";
        let broken = before.replace("(list x))", "(list x)))");
        check(before, &broken, "(defun f (x)\n  (list x)))", true);
        check(before, &before.replace("(f x))\n)", "(f x))\n))"), "))", true);
        check(before, &before.replace("(f x))\n)", "(f x)"), "(defun g (x)\n  (f x)", true);
        check(before, &before.replace("(defun h ())", "(defun h ()"), "(defun h ()", false);
        check(before, &broken.replace("(f x))", "(f x)"), "", false);
    }

    #[test]
    fn lines_of_strings_and_comments_begin_no_piece() {
        let before = "(defun f (x)\n  \"A\ndocstring.\"\n; a remark\n  (list x))\n";
        check(
            before,
            &before.replace("(list x))", "(list x)"),
            before.replace("(list x))", "(list x)").trim_end(),
            false,
        );
    }
}

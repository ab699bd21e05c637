//! Dots that are not pair notation.
//!
//! A dot is not a delimiter. But if a closer of `((a . 1) (b . 2))` moves to another line, the text still balances, and
//! a dot is followed by more than one datum: no reader accepts that, whatever the indentation.

use std::collections::HashSet;
use std::ops::Range;

use crate::flaw::tokens_since;
use crate::span::{LineIndex, Span};
use crate::token::{TokenId, TokenKind};
use crate::tree::{ListId, Tree};

/// The dots in parenthesised lists that are not followed by exactly one datum, in source order. `tree` was read from
/// `text`.
///
/// Only dots that SBCL, Guile and Emacs all refuse are reported (CLHS 2.4.1; R7RS 7.1.2; "Dotted Pair Notation" in the
/// Emacs Lisp manual). Lists with a reader conditional after the dot are skipped. The result is empty for a text that
/// does not balance, and for a dialect in which a dot is a symbol.
pub fn stray_dots(tree: &Tree, text: &[u8]) -> Vec<Span> {
    stray_dots_in(tree, text, 0..tree.token_count())
}

/// [`stray_dots`] among `tokens`, of which the first is in no list.
pub(crate) fn stray_dots_in(tree: &Tree, text: &[u8], tokens: Range<TokenId>) -> Vec<Span> {
    if !tree.is_balanced() || !tree.dialect().table().pairs {
        return Vec::new();
    }
    let mut lists = Vec::new();
    // The lists around, each with whether it is known to have a dot.
    let mut around: Vec<(ListId, bool)> = Vec::new();
    let mut next = tree.first_list_from(tokens.start);
    for token in tokens {
        let (kind, span) = (tree.kind(token), tree.token_span(token));
        if kind.is_open() {
            around.push((next, false));
            next += 1;
        } else if kind.is_close() {
            around.pop();
        } else if is_dot(kind, span, text)
            && let Some((list, dotted)) = around.last_mut()
            && !std::mem::replace(dotted, true)
        {
            lists.push(*list);
        }
    }
    let mut found: Vec<Span> = lists.into_iter().filter_map(|list| stray_dot(tree, text, list)).collect();
    found.sort_unstable_by_key(|dot| dot.start);
    found
}

/// The lines of `text`, from 1, with [stray dots](stray_dots), without those that already had them in `before`.
pub fn stray_dots_since(before_tree: &Tree, before: &[u8], tree: &Tree, text: &[u8]) -> Vec<u32> {
    let found = stray_dots_in(tree, text, tokens_since(before, tree, text));
    if found.is_empty() {
        return Vec::new();
    }
    let (old, new) = (LineIndex::new(before), LineIndex::new(text));
    let range = |index: &LineIndex, line| index.line_span(line).unwrap_or_default().range();
    let known: HashSet<&[u8]> =
        stray_dots(before_tree, before).iter().map(|dot| &before[range(&old, old.line(dot.start))]).collect();
    let mut lines: Vec<u32> = found.iter().map(|dot| new.line(dot.start)).collect();
    lines.dedup();
    lines.retain(|&line| !known.contains(&text[range(&new, line)]));
    lines
}

fn is_dot(kind: TokenKind, span: Span, text: &[u8]) -> bool {
    kind == TokenKind::Atom && text[span.range()] == *b"."
}

/// The first dot of a list, unless one datum follows it.
fn stray_dot(tree: &Tree, text: &[u8], list: ListId) -> Option<Span> {
    if text[tree.token_span(tree.list(list).open()).range()] != *b"(" {
        return None;
    }
    let mut data = tree.data(list);
    let dot = data.find(|datum| datum.is_bare() && is_dot(tree.kind(datum.core), tree.core_span(*datum), text))?;
    let (mut following, mut last_is_dot) = (0, false);
    for datum in data {
        if tree.prefixes(datum).any(|prefix| prefix.kind == TokenKind::Annotation) {
            return None;
        }
        following += 1;
        last_is_dot = is_dot(tree.kind(datum.core), tree.core_span(datum), text);
    }
    (following != 1 || last_is_dot).then(|| tree.core_span(dot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, read};

    #[track_caller]
    fn check(dialect: Dialect, text: &str, wanted: &[u32]) {
        let found = stray_dots(&read(text, dialect), text.as_bytes());
        assert_eq!(found.iter().map(|dot| dot.start).collect::<Vec<_>>(), wanted, "{text}");
    }

    #[test]
    fn exactly_one_datum_follows_a_dot() {
        for dialect in [Dialect::CommonLisp, Dialect::Scheme, Dialect::EmacsLisp] {
            for text in [
                "(a . b)",
                "(a . (b c))",
                "'(a .\n ; x\n 'b)",
                "(. b)",
                "(a.b .c d. ... . ,@e)",
                "(f \".\" \"x\")",
                ". a",
            ] {
                check(dialect, text, &[]);
            }
            check(dialect, "((a . b)\n (c . d\n (e . f)))", &[13]);
            check(dialect, "(a . b . c)", &[3]);
            check(dialect, "(a . )", &[3]);
            check(dialect, "(a . .)", &[3]);
            check(dialect, "(x (a . (b . c d) e) . f g)", &[6, 11, 21]);
        }
    }

    #[test]
    fn doubtful_dots_are_not_reported() {
        check(Dialect::CommonLisp, "(a . #+sbcl b #-sbcl c)", &[]);
        check(Dialect::CommonLisp, "(a #+sbcl . b c) #(a . b c) (a \\. b c)", &[]);
        check(Dialect::Scheme, "(a . #;x b) #;(a . b) (a . #|x|# b)", &[]);
        check(Dialect::Clojure, "(. a b) (a . b c)", &[]);
        check(Dialect::Scheme, "(a . b c", &[]);
        check(Dialect::CommonLisp, "", &[]);
    }

    #[test]
    fn many_dots_are_walked_once() {
        let (deep, flat) = ("(".repeat(9_000), ")".repeat(9_000));
        let text = format!("({deep}{flat}{}{})", " .".repeat(100_000), " (a . b c)".repeat(20_000));
        assert_eq!(stray_dots(&read(&text, Dialect::Scheme), text.as_bytes()).len(), 20_001);
    }

    #[test]
    fn dots_that_were_there_before_are_not_reported() {
        let since = |before: &str, text: &str| {
            let read = |text| read(text, Dialect::EmacsLisp);
            stray_dots_since(&read(before), before.as_bytes(), &read(text), text.as_bytes())
        };
        let sound = "'((a . b)\n  (c . d)\n  (e . f))\n";
        let moved = "'((a . b)\n  (c . d\n  (e . f)))\n";
        assert_eq!(since(sound, moved), [2]);
        assert_eq!(since(sound, sound), []);
        assert_eq!(since(moved, &format!("(x)\n{moved}")), []);
        assert_eq!(since("(broken", moved), [2]);
        assert_eq!(since("", moved), [2]);
    }
}

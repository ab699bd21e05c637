//! What balances, but is no source: text that no reader of the dialect takes, and marks in the place of code.
//!
//! Delimiters do not show these flaws. They come from a closer that moved, from another dialect, from printed values
//! that were copied into code, and from models that write `...` instead of the code that they leave as it is.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use crate::dots::stray_dots_in;
use crate::same::{same_back, same_front};
use crate::span::{LineIndex, Span, whole_lines};
use crate::token::{TokenId, TokenKind};
use crate::tree::{ListId, Tree};

/// A flaw of a text that balances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A dot that is not followed by exactly one datum: `(a . b c)`, `(a . )`.
    StrayDot,
    /// A Clojure map in which a key has no value: `{:a 1 :b}`.
    OddMap,
    /// A key or an element that is twice in a Clojure map or set: `#{1 1}`.
    Duplicate,
    /// A printed object, which has no way back: `#<foo>`.
    Unreadable,
    /// `#;` in a dialect without datum comments.
    DatumComment,
    /// A backslash that ends the text, and escapes nothing.
    FinalBackslash,
    /// `...` in the place of code.
    LeftOut,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StrayDot => "no Lisp reads a dot that is not followed by exactly one datum",
            Self::OddMap => "the last key of this map has no value",
            Self::Duplicate => "this key or element is in its map or set already",
            Self::Unreadable => "`#<` begins a printed object, which no reader takes",
            Self::DatumComment => "`#;` comments out a datum only in Scheme",
            Self::FinalBackslash => "the backslash at the end of the text escapes nothing",
            Self::LeftOut => "this stands for code that was left out",
        })
    }
}

/// The flaws of `text`, from which `tree` was read, for which its reader would refuse it, in source order. Empty for a
/// text that does not balance. [`Flaw::LeftOut`] is not among them.
pub fn flaws(tree: &Tree, text: &str) -> Vec<(Flaw, Span)> {
    let mut found = flaws_among(tree, text, 0..tree.token_count());
    found.sort_by_key(|(_, span)| span.start);
    found
}

/// [`flaws`] that show among `tokens`, of which the first is in no list, in no order.
fn flaws_among(tree: &Tree, text: &str, tokens: Range<TokenId>) -> Vec<(Flaw, Span)> {
    if !tree.is_balanced() {
        return Vec::new();
    }
    let dots = stray_dots_in(tree, text.as_bytes(), tokens.clone());
    let mut found: Vec<(Flaw, Span)> = dots.into_iter().map(|dot| (Flaw::StrayDot, dot)).collect();
    for token in tokens.clone() {
        found.extend(flaw_of_token(tree, text, token).map(|flaw| (flaw, tree.token_span(token))));
    }
    if tree.dialect().table().maps {
        let lists = tree.first_list_from(tokens.start)..tree.first_list_from(tokens.end);
        lists.for_each(|list| flaws_of_braces(tree, text, list, &mut found));
    }
    found
}

fn flaw_of_token(tree: &Tree, text: &str, token: TokenId) -> Option<Flaw> {
    let own = &text[tree.token_span(token).range()];
    let next = |kind| token + 1 < tree.token_count() && tree.kind(token + 1) == kind;
    match tree.kind(token) {
        TokenKind::Atom | TokenKind::Character if token + 1 == tree.token_count() && ends_escaping(own) => {
            Some(Flaw::FinalBackslash)
        }
        // Where datum comments are read, this is one token.
        TokenKind::Atom if own == "#" && next(TokenKind::LineComment) => Some(Flaw::DatumComment),
        TokenKind::Atom | TokenKind::Prefix if is_printed(own) => Some(Flaw::Unreadable),
        _ => None,
    }
}

/// The token begins as printed objects do; `#<<` and `#<(` are syntax of some Schemes.
fn is_printed(token: &str) -> bool {
    token.strip_prefix("#<").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// The token ends with an odd number of backslashes, of which the last escapes what follows. A character begins with
/// one that does not.
fn ends_escaping(token: &str) -> bool {
    let count = token.len() - token.trim_end_matches('\\').len();
    count % 2 == 1 && !token.starts_with(['#', '?'])
}

/// What is wrong with the data of a map or set.
fn flaws_of_braces(tree: &Tree, text: &str, list: ListId, found: &mut Vec<(Flaw, Span)>) {
    let open = tree.list(list).open();
    let opener = &text[tree.token_span(open).range()];
    let is_map = opener == "{" || (opener.starts_with("#:") && opener.ends_with('{'));
    if !(is_map || opener == "#{") {
        return;
    }
    // What a reader conditional or a splice gives is not known.
    let unknown = |token: TokenId| {
        let own = &text[tree.token_span(token).range()];
        own.starts_with("#?") || own == "~@"
    };
    let data: Vec<_> = tree.data(list).collect();
    if data.iter().any(|datum| (datum.first..=datum.core).any(unknown)) {
        return;
    }
    if is_map && data.len() % 2 == 1 {
        found.push((Flaw::OddMap, tree.datum_span(data[data.len() - 1])));
        return;
    }
    let mut seen = HashSet::new();
    for datum in data.iter().step_by(if is_map { 2 } else { 1 }) {
        let simple = matches!(tree.kind(datum.core), TokenKind::Atom | TokenKind::Character | TokenKind::String);
        let own = &text[tree.datum_span(*datum).range()];
        if datum.is_bare() && simple && !own.starts_with('#') && !seen.insert(own) {
            found.push((Flaw::Duplicate, tree.datum_span(*datum)));
        }
    }
}

/// What follows the dots of a comment in the place of code.
const WHAT_STAYS: [&str; 10] = [
    "existing",
    "rest of",
    "the rest of",
    "remaining",
    "unchanged",
    "previous",
    "other",
    "omitted",
    "more code",
    "as before",
];
/// A comment in the place of code has no more words than this.
const MOST_WORDS: usize = 8;

/// The atoms `...` and `…` that begin a line or are directly in a form at top level, in dialects where no code has them
/// there, and comments such as `;; ... existing code ...`, in source order.
pub fn left_out(tree: &Tree, text: &str) -> Vec<Span> {
    left_out_among(tree, text, 0..tree.token_count())
}

/// [`left_out`] among `tokens`, of which the first is in no list.
fn left_out_among(tree: &Tree, text: &str, tokens: Range<TokenId>) -> Vec<Span> {
    let is_code = tree.dialect().table().ellipsis;
    let (mut found, mut depth, mut prefixed) = (Vec::new(), 0, false);
    for token in tokens {
        let (kind, span) = (tree.kind(token), tree.token_span(token));
        let own = || &text[span.range()];
        let begins_line = || text[..span.start as usize].rsplit('\n').next().is_none_or(|line| line.trim().is_empty());
        let stands_for_code = match kind {
            TokenKind::Atom if !is_code && !prefixed && (own() == "..." || own() == "…") => {
                depth == 1 || begins_line()
            }
            TokenKind::LineComment | TokenKind::BlockComment => is_placeholder(own()),
            _ => false,
        };
        found.extend(stands_for_code.then_some(span));
        depth += i32::from(kind.is_open()) - i32::from(kind.is_close());
        prefixed = kind.is_prefix() || (prefixed && kind.is_trivia());
    }
    found
}

/// The comment says between dots that code stays: `;; ... rest of the function ...`.
fn is_placeholder(comment: &str) -> bool {
    let words = comment.trim_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '#' | '|' | '(' | ')'));
    let (dots, ends) = (["...", "…"], words.ends_with("...") || words.ends_with('…'));
    let Some(said) = dots.iter().find_map(|dots| words.strip_prefix(dots)) else { return false };
    let said = said.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '…' | '(' | ')' | '[' | ']'));
    let said = said.to_ascii_lowercase();
    ends && said.split_whitespace().count() <= MOST_WORDS && WHAT_STAYS.iter().any(|what| said.starts_with(what))
}

/// The flaws of `text` and its marks in the place of code, without those on lines that `before` has as well.
pub fn flaws_since(before: &str, tree: &Tree, text: &str) -> Vec<(Flaw, Span)> {
    let tokens = tokens_since(before.as_bytes(), tree, text.as_bytes());
    let mut found = flaws_among(tree, text, tokens.clone());
    if tree.is_balanced() {
        found.extend(left_out_among(tree, text, tokens).into_iter().map(|span| (Flaw::LeftOut, span)));
    }
    if found.is_empty() {
        return found;
    }
    let lines = LineIndex::new(text.as_bytes());
    let known: HashSet<&str> = before.lines().map(str::trim).collect();
    let line = |at: u32| lines.line_span(lines.line(at)).map_or("", |line| text[line.range()].trim());
    found.retain(|(_, span)| !known.contains(line(span.start)));
    found.sort_by_key(|(_, span)| span.start);
    found
}

/// The tokens on the lines of `text` that differ from `before`, with the whole forms at top level around them.
pub(crate) fn tokens_since(before: &[u8], tree: &Tree, text: &[u8]) -> Range<TokenId> {
    let front = same_front(before, text);
    let changed = front..text.len() - same_back(&before[front..], &text[front..]);
    let Range { start, end } = whole_lines(text, changed);
    let (Some(mut first), Some(last)) = (tree.token_at(start as u32), tree.token_at(end as u32)) else { return 0..0 };
    let form_around = |token| std::iter::successors(tree.list_around(token), |list| tree.list(*list).parent()).last();
    first = form_around(first).map_or(first, |list| tree.list(list).open());
    let continues = |token: TokenId| tree.kind(token).is_prefix() || tree.kind(token).is_trivia();
    while first > 0 && continues(first - 1) {
        first -= 1;
    }
    first..form_around(last).map_or(last + 1, |list| tree.list(list).end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::Dialect;
    use crate::read;

    #[track_caller]
    fn check(dialect: Dialect, text: &str, expected: Option<(Flaw, &str)>) {
        let found = flaws(&read(text, dialect), text);
        let found: Vec<(Flaw, &str)> = found.iter().map(|(flaw, span)| (*flaw, &text[span.range()])).collect();
        assert_eq!(found, Vec::from_iter(expected), "{text}");
    }

    #[test]
    fn what_no_reader_takes_is_found() {
        use Dialect::{Clojure, CommonLisp, EmacsLisp, Scheme};
        for dialect in [CommonLisp, EmacsLisp, Scheme] {
            check(dialect, "(x . )", Some((Flaw::StrayDot, ".")));
            check(dialect, "'(a . b c)", Some((Flaw::StrayDot, ".")));
            check(dialect, "'(a . b)", None);
            check(dialect, "(f #<foo>)", Some((Flaw::Unreadable, "#<foo>")));
        }
        check(Clojure, "(. x y z)", None);
        check(Clojure, "{:a 1 :b}", Some((Flaw::OddMap, ":b")));
        check(Clojure, "{:a 1 #_:b}", None);
        check(Clojure, "{:a 1 #?@(:clj [:b 2])}", None);
        check(Clojure, "#:n{:a}", Some((Flaw::OddMap, ":a")));
        check(Clojure, "#{1 1}", Some((Flaw::Duplicate, "1")));
        check(Clojure, "{:a 1, :a 2}", Some((Flaw::Duplicate, ":a")));
        check(Clojure, "{:a 1, :b 1} #{:a 'a a} `{~a 1 ~a 2}", None);
        check(Clojure, "(f #<Object 1>)", Some((Flaw::Unreadable, "#<Object")));
        check(CommonLisp, "(f)\n#;(g)\n", Some((Flaw::DatumComment, "#")));
        check(EmacsLisp, "(f)\n#;(g)\n", Some((Flaw::DatumComment, "#")));
        check(Scheme, "(f)\n#;(g)\n", None);
        check(CommonLisp, "(f) a\\", Some((Flaw::FinalBackslash, "a\\")));
        check(CommonLisp, "(f #\\\\) #\\\\", None);
        check(CommonLisp, "(f \"#<a> . )\") ; #<b>\n", None);
    }

    #[track_caller]
    fn check_left_out(dialect: Dialect, text: &str, expected: usize) {
        assert_eq!(left_out(&read(text, dialect), text).len(), expected, "{text}");
    }

    #[test]
    fn marks_in_the_place_of_code_are_found() {
        for mark in
            ["...", "…", ";; ... existing code ...\n", "; … rest of the function …\n", "#| ... unchanged ... |#"]
        {
            check_left_out(Dialect::CommonLisp, &format!("(defun f (x)\n  {mark})"), 1);
        }
        check_left_out(Dialect::Scheme, "(define-syntax f (syntax-rules () ((_ x ...) (list x ...))))", 0);
        check_left_out(Dialect::Scheme, "(define (f)\n  ;; ... (unchanged) ...\n  )", 1);
        check_left_out(Dialect::Clojure, "(defn f [x] ...)\n...\n(g)", 2);
        check_left_out(Dialect::EmacsLisp, "(f (g ... x)\n '...)", 0);
        for comment in [";; ... and so on", ";; (f a b ...)", ";; ...", ";; Wait...", "\"...\""] {
            check_left_out(Dialect::Clojure, &format!("(f)\n{comment}\n"), 0);
        }
    }

    #[test]
    fn old_lines_may_keep_their_flaws() {
        let before = "(f #<a>)\n(g)\n";
        let text = "(f #<a>)\n(g)\n(h #<b>)\n";
        let found = flaws_since(before, &read(text, Dialect::CommonLisp), text);
        assert_eq!(found.len(), 1);
    }
}

//! Marks in the place of code: `...`, `;; ... existing code ...`, `;; rest of the function unchanged`.
//!
//! Models write them instead of the code that they leave as it is. Some are certain, since no code and no prose looks
//! like them. Others are words that a person may write as well: whether they stand for code shows in their place, or in
//! what an edit took away.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use crate::flaw::{is_conditional, not_on_lines_of, tokens_since};
use crate::span::Span;
use crate::token::{TokenId, TokenKind};
use crate::tree::Tree;

/// A mark that may stand in the place of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// Its place.
    pub span: Span,
    /// What shows that code was left out.
    pub shown: ShownBy,
}

/// What shows that a mark stands in the place of code, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShownBy {
    /// Its dots: `;; ... existing code ...`.
    Dots,
    /// Nothing follows it in its list or in the text, or it is no comment: `;; rest unchanged` before a closer.
    Place,
    /// Its words alone: `;; rest of the function unchanged` above code.
    Words,
}

/// The marks of `text` that certainly stand in the place of code, in source order.
pub fn left_out(tree: &Tree, text: &str) -> Vec<Span> {
    placeholders(tree, text).into_iter().filter(|mark| mark.shown == ShownBy::Dots).map(|mark| mark.span).collect()
}

/// All marks of `text`, in source order.
pub fn placeholders(tree: &Tree, text: &str) -> Vec<Placeholder> {
    placeholders_among(tree, text, 0..tree.token_count())
}

/// All marks of `text` in what differs from `before`, without those on lines that `before` has as well.
pub fn placeholders_since(before: &str, tree: &Tree, text: &str) -> Vec<Placeholder> {
    let mut found = placeholders_among(tree, text, tokens_since(before.as_bytes(), tree, text.as_bytes()));
    not_on_lines_of(before, text, &mut found, |mark| mark.span);
    found
}

/// The atoms `...` and `…` that begin a line or are directly in a form at top level, in dialects where no code has them
/// there, and the lines and comments that say that code stays, among `tokens`, of which the first is in no list.
pub(crate) fn placeholders_among(tree: &Tree, text: &str, tokens: Range<TokenId>) -> Vec<Placeholder> {
    let is_code = tree.dialect().table().ellipsis;
    let (mut found, mut depth, mut prefixed) = (Vec::new(), 0, false);
    let mut skipped = tokens.start;
    for token in tokens {
        let (kind, span) = (tree.kind(token), tree.token_span(token));
        if token < skipped {
            continue;
        }
        if is_skipped(tree, text, token) {
            skipped = tree.datum_at(token).last + 1;
            continue;
        }
        let own = || &text[span.range()];
        let mark = match kind {
            TokenKind::Atom if !prefixed => match bare_words(tree, text, token) {
                Some((mark, end)) => {
                    skipped = end;
                    Some(mark)
                }
                None => {
                    let dots =
                        !is_code && matches!(own(), "..." | "…") && (depth == 1 || begins_line(text, span.start));
                    dots.then_some(Placeholder { span, shown: ShownBy::Dots })
                }
            },
            TokenKind::LineComment | TokenKind::BlockComment => {
                shown_by_comment(tree, text, token).map(|shown| Placeholder { span, shown })
            }
            _ => None,
        };
        found.extend(mark);
        depth += i32::from(kind.is_open()) - i32::from(kind.is_close());
        prefixed = kind.is_prefix() || (prefixed && kind.is_trivia());
    }
    found
}

/// Only white space is before the byte on its line.
fn begins_line(text: &str, at: u32) -> bool {
    let before = text[..at as usize].trim_end_matches([' ', '\t', '\r', '\x0c']);
    before.is_empty() || before.ends_with('\n')
}

/// A line of bare words that say that code stays, with the token after them: `... rest of the code ...`.
fn bare_words(tree: &Tree, text: &str, token: TokenId) -> Option<(Placeholder, TokenId)> {
    let opens = token > 0 && tree.kind(token - 1).is_open();
    let gap = token.checked_sub(1 + TokenId::from(opens));
    let begins =
        gap.is_none_or(|gap| tree.kind(gap) == TokenKind::Blank && text[tree.token_span(gap).range()].contains('\n'));
    let first = tree.token_span(token);
    if !begins || first.len() > LONGEST_WORD {
        return None;
    }
    if !may_begin(&text[first.range()]) {
        return None;
    }
    let line = text[first.start as usize..].split('\n').next().unwrap_or_default();
    let words = line.trim_end().trim_end_matches([')', ']', '}']).trim_end();
    let span = Span::new(first.start, first.start + words.len() as u32);
    let mut end = token + 1;
    while end < tree.token_count() && tree.token_span(end).start < span.end {
        if !matches!(tree.kind(end), TokenKind::Atom | TokenKind::Blank) {
            return None;
        }
        end += 1;
    }
    let said = Said::of(words);
    let is_clear = said.says_stays || said.names_what || said.has_both_dots();
    if !said.says_so || !is_clear {
        return None;
    }
    let dots = said.dots_before || said.dots_after;
    let shown = if dots { ShownBy::Dots } else { ShownBy::Place };
    (dots || (said.count >= 2 && said.is_plain)).then_some((Placeholder { span, shown }, end))
}

/// What a comment shows about code in its place, if it says that code stays.
fn shown_by_comment(tree: &Tree, text: &str, token: TokenId) -> Option<ShownBy> {
    let span = tree.token_span(token);
    let own = &text[span.range()];
    if own.len() > LONGEST {
        return None;
    }
    if is_placeholder(own) {
        return Some(ShownBy::Dots);
    }
    if !may_begin(own) {
        return None;
    }
    let said = Said::of(own);
    // A line of a longer comment is prose.
    if !said.says_so || !begins_line(text, span.start) || has_neighbour(tree, text, token) {
        return None;
    }
    if said.dots_before || said.dots_after && said.says_stays {
        return Some(ShownBy::Dots);
    }
    let mut after = (token + 1..tree.token_count()).map(|next| tree.kind(next));
    let next = after.find(|kind| *kind != TokenKind::Blank);
    Some(if next.is_none_or(TokenKind::is_close) || said.dots_after { ShownBy::Place } else { ShownBy::Words })
}

/// A comment is on the line before or after this one.
fn has_neighbour(tree: &Tree, text: &str, token: TokenId) -> bool {
    let is_comment = |at: TokenId| matches!(tree.kind(at), TokenKind::LineComment | TokenKind::BlockComment);
    let is_line_end = |at: TokenId| {
        let gap = &text[tree.token_span(at).range()];
        tree.kind(at) == TokenKind::Blank && gap.matches('\n').count() == 1
    };
    let begins = |at: TokenId| begins_line(text, tree.token_span(at).start);
    let above = token >= 2 && is_line_end(token - 1) && is_comment(token - 2) && begins(token - 2);
    let below = token + 2 < tree.token_count() && is_line_end(token + 1) && is_comment(token + 2);
    above || below
}

/// The longest first word, in bytes.
const LONGEST_WORD: u32 = 16;
/// The longest comment, in bytes, that stands in the place of code.
const LONGEST: usize = 120;
/// What a comment in the place of code has around its words.
const MARKS: &str = ";#|/*-<>[]{}()=~'\"`!:,_…. \t\r\n";
/// A comment in the place of code has no more words than this.
const MOST_WORDS: usize = 10;

/// The words of a mark.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    /// Dots are before the first word.
    dots_before: bool,
    /// Dots are after the last.
    dots_after: bool,
    /// All words are known, and together they say that code stays, or that it is still to come.
    says_so: bool,
    /// They say that something stays as it is.
    says_stays: bool,
    /// They name code.
    names_code: bool,
    /// They say which code: `code`, `rest of`.
    names_what: bool,
    /// There is nothing but letters in them.
    is_plain: bool,
    /// Their number.
    count: usize,
}

/// What stays.
const WHICH: &[&str] = &["existing", "rest", "remaining", "remainder", "previous", "original", "other", "old"];
/// Names of code.
const CODE: &[&str] = &[
    "code",
    "function",
    "functions",
    "fn",
    "method",
    "methods",
    "macro",
    "macros",
    "body",
    "bodies",
    "implementation",
    "implementations",
    "definition",
    "definitions",
    "file",
    "module",
    "namespace",
    "form",
    "forms",
    "logic",
    "content",
    "contents",
    "cases",
    "clauses",
    "branches",
    "tests",
    "helpers",
    "imports",
    "exports",
    "bindings",
    "fields",
    "slots",
    "entries",
    "keys",
    "lines",
    "stuff",
];
/// It stays.
const STAYS: &[&str] = &["unchanged", "untouched", "unmodified", "omitted", "elided", "snipped", "intact"];
/// It stays, in several words.
const STAYS_SO: &[&str] = &["as is", "as before", "the same", "same as", "no change", "no changes", "not shown"];
/// It is still to come.
const TO_COME: &[&str] = &["goes here", "go here", "code here", "implementation here", "body here", "logic here"];
/// Words between them.
const BETWEEN: &[&str] = &[
    "a", "above", "add", "all", "an", "and", "any", "are", "as", "be", "before", "below", "brevity", "change",
    "changes", "current", "exactly", "for", "from", "go", "goes", "here", "in", "insert", "is", "it", "its", "keep",
    "kept", "leave", "left", "more", "my", "needed", "no", "not", "of", "place", "put", "remain", "remains", "same",
    "section", "part", "shown", "stay", "stays", "that", "the", "there", "this", "to", "todo", "with", "write", "your",
];

/// All of them.
static KNOWN: LazyLock<HashSet<&str>> =
    LazyLock::new(|| [WHICH, CODE, STAYS, BETWEEN].into_iter().flatten().copied().collect());

fn is_known(word: &str) -> bool {
    KNOWN.contains(word)
}

/// The first word may begin a mark, or there is none. Nearly no word does.
fn may_begin(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| MARKS.contains(c));
    let end = text.bytes().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(text.len());
    let word = &text[..end];
    text.is_empty() || is_known(word) || (word.starts_with(char::is_uppercase) && is_known(&word.to_ascii_lowercase()))
}

impl Said {
    fn of(mark: &str) -> Self {
        let is_mark = |c: char| MARKS.contains(c) && !".…".contains(c);
        let inner = mark.trim_matches(is_mark);
        let dots_before = inner.starts_with("...") || inner.starts_with('…');
        let dots_after = inner.ends_with("...") || inner.ends_with('…');
        let mut said = Self { dots_before, dots_after, is_plain: true, ..Self::default() };
        let inner = inner.trim_matches(|c: char| MARKS.contains(c)).to_ascii_lowercase();
        let mut unknown = 0;
        let mut words: Vec<&str> = Vec::new();
        for word in inner.split_whitespace() {
            let bare = word.trim_matches(|c: char| MARKS.contains(c));
            if bare.is_empty() {
                continue;
            }
            words.push(bare);
            unknown += usize::from(!is_known(bare));
            said.is_plain &= bare.bytes().all(|byte| byte.is_ascii_alphabetic());
            if words.len() > MOST_WORDS {
                return said;
            }
        }
        said.count = words.len();
        let joined = words.join(" ");
        let has = |phrases: &[&str]| phrases.iter().any(|phrase| joined.contains(phrase));
        said.says_stays = words.iter().any(|word| STAYS.contains(word)) || has(STAYS_SO);
        said.names_what = words.contains(&"code") || has(&["rest of"]);
        let lead = words.iter().find(|word| !BETWEEN.contains(word));
        let which = lead.is_some_and(|word| WHICH.contains(word));
        said.names_code = which && words.iter().any(|word| CODE.contains(word));
        // The name of what stays is not known: `rest of total-price unchanged`.
        let is_known = unknown == 0 || (unknown == 1 && which && said.says_stays);
        said.says_so = is_known && (said.says_stays || said.names_code || (has(TO_COME) && words[0] != "no"));
        said
    }

    fn has_both_dots(self) -> bool {
        self.dots_before && self.dots_after
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
/// A comment between dots has no more words than this.
const MOST_BETWEEN_DOTS: usize = 8;

/// The comment says between dots that code stays: `;; ... rest of the function ...`.
fn is_placeholder(comment: &str) -> bool {
    let words = comment.trim_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '#' | '|' | '(' | ')'));
    let (dots, ends) = (["...", "…"], words.ends_with("...") || words.ends_with('…'));
    if !ends {
        return false;
    }
    let Some(said) = dots.iter().find_map(|dots| words.strip_prefix(dots)) else { return false };
    let said = said.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '…' | '(' | ')' | '[' | ']'));
    let said = said.to_ascii_lowercase();
    said.split_whitespace().count() <= MOST_BETWEEN_DOTS && WHAT_STAYS.iter().any(|what| said.starts_with(what))
}

/// A reader skips the datum that begins with this token, on every machine: `#_`, `#;`, `#+nil`.
fn is_skipped(tree: &Tree, text: &str, token: TokenId) -> bool {
    match tree.kind(token) {
        TokenKind::Discard => true,
        TokenKind::Annotation if is_conditional(&text[tree.token_span(token).range()]) => {
            let Some(feature) = tree.prefixes(tree.datum_at(token)).find_map(|prefix| prefix.operand) else {
                return false;
            };
            let words = text[tree.datum_span(feature).range()].split(|c: char| c.is_whitespace() || "()".contains(c));
            let is_real = |word: &str| FEATURES.contains(&word.trim_start_matches(':').to_ascii_lowercase().as_str());
            !words.into_iter().any(is_real)
        }
        _ => false,
    }
}

/// Features that some machine has. What another feature guards is a sketch that no reader sees.
const FEATURES: [&str; 40] = [
    "abcl",
    "allegro",
    "and",
    "asdf",
    "asdf2",
    "asdf3",
    "bsd",
    "ccl",
    "clasp",
    "clisp",
    "clozure",
    "cmu",
    "cmucl",
    "darwin",
    "ecl",
    "excl",
    "gcl",
    "linux",
    "lispworks",
    "macos",
    "macosx",
    "mcl",
    "mezzano",
    "mkcl",
    "openmcl",
    "os-macosx",
    "os-unix",
    "os-windows",
    "quicklisp",
    "sb-thread",
    "sb-unicode",
    "sbcl",
    "scl",
    "swank",
    "slynk",
    "thread-support",
    "unix",
    "win32",
    "windows",
    "x86-64",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialects::Dialect;
    use crate::read;

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
        check_left_out(Dialect::CommonLisp, "#+nil (defun f (x) (loop ... x))\n#+(or) (g ...)\n#-(and) (h ...)", 1);
        check_left_out(Dialect::CommonLisp, "#+sbcl (defun f (x) ...)\n(defun g (x) #+nil ...)", 1);
        check_left_out(Dialect::Clojure, "#_(bar ...)\n(f #_ ... 1)", 0);
        for comment in [";; ... and so on", ";; (f a b ...)", ";; ...", ";; Wait...", "\"...\""] {
            check_left_out(Dialect::Clojure, &format!("(f)\n{comment}\n"), 0);
        }
    }

    #[track_caller]
    fn check_shown(dialect: Dialect, text: &str, expected: &[ShownBy]) {
        let found = placeholders(&read(text, dialect), text);
        assert_eq!(found.iter().map(|mark| mark.shown).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn what_shows_that_code_was_left_out() {
        use ShownBy::{Dots, Place, Words};
        for dialect in [Dialect::CommonLisp, Dialect::Scheme, Dialect::Clojure, Dialect::EmacsLisp, Dialect::Racket] {
            check_shown(dialect, "(f\n  ;; ... rest unchanged\n  x)\n", &[Dots]);
            check_shown(dialect, "(f\n  ... rest of the code ...\n  x)\n", &[Dots]);
            check_shown(dialect, "(f\n  // ... existing code ...\n  x)\n", &[Dots]);
            check_shown(dialect, "(f x\n  ;; rest unchanged\n  )\n", &[Place]);
            check_shown(dialect, "(f x)\n;; Remaining functions stay the same.\n", &[Place]);
            check_shown(dialect, "(f\n  existing code unchanged)\n", &[Place]);
            check_shown(dialect, "(f\n  ;; rest unchanged\n  x)\n", &[Words]);
            check_shown(dialect, "(f ; rest unchanged\n  x)\n", &[]);
            check_shown(dialect, "(f\n  ;; The argument:\n  ;; ... rest unchanged\n  x)\n", &[]);
            check_shown(dialect, "(f\n  rest body\n  (other forms)\n  existing)\n", &[]);
        }
    }
}

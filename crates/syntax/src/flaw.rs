//! What balances, but is no source: text that no reader of the dialect takes, and marks in the place of code.
//!
//! Delimiters do not show these flaws. They come from a closer that moved, from another dialect, from printed values
//! that were copied into code, and from models that write `...` instead of the code that they leave as it is.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use crate::dialects::{Braces, Square};
use crate::dots::stray_dots_in;
use crate::left_out::{ShownBy, placeholders_among};
use crate::readtable::{Start, Within};
use crate::same::{same_back, same_front};
use crate::span::{LineIndex, Span, whole_lines};
use crate::spelling::Spelt;
use crate::token::{TokenId, TokenKind};
use crate::tree::{ListId, Tree};

/// A flaw of a text that balances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A dot that is not followed by exactly one datum: `(a . b c)`, `(a . )`.
    StrayDot,
    /// A map of Clojure, a table of Fennel or Janet in which a key has no value: `{:a 1 :b}`.
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
    /// A backslash in a string with what no reader takes after it: Clojure's `"\d"`.
    Escape,
    /// A character literal of an unknown name: `#\foo`.
    CharacterName,
    /// A character literal of Emacs Lisp that goes on where a token has to end: `?ab`.
    CharacterEnd,
    /// A number with a digit that is none in its base, or divided by zero: `08`, `#b12`, `1/0`.
    Number,
    /// A symbol with colons, slashes or dots where none may be: `:a:`, `a/`, `a:b:c`.
    Symbol,
    /// `#` and what it does not begin: Emacs Lisp's `#t`.
    Hash,
    /// A regular expression with a character class that is never closed: `#"["`.
    Regex,
    /// `#(...)` within `#(...)` in Clojure.
    NestedFunction,
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
            Self::Escape => "no reader takes this escape in a string",
            Self::CharacterName => "no character has this name",
            Self::CharacterEnd => "this character literal goes on where it has to end",
            Self::Number => "no reader takes this number",
            Self::Symbol => "no reader takes this symbol: `:`, `/` or `.` stands where it may not",
            Self::Hash => "`#` begins nothing of this kind",
            Self::Regex => "the `[` in this regular expression is never closed",
            Self::NestedFunction => "`#(...)` may not stand within another one",
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
    let table = tree.dialect().table();
    let dots = stray_dots_in(tree, text.as_bytes(), tokens.clone());
    let mut found: Vec<(Flaw, Span)> = dots.into_iter().map(|dot| (Flaw::StrayDot, dot)).collect();
    for token in tokens.clone() {
        found.extend(flaw_of_token(tree, text, token).map(|flaw| (flaw, tree.token_span(token))));
    }
    let mut misspelt = Vec::new();
    misspelt_among(tree, text, tokens.clone(), &mut misspelt);
    if !misspelt.is_empty() && (table.own_tokens)(text.as_bytes()) {
        found.append(&mut misspelt);
    }
    if table.braces != Braces::Plain {
        let lists = tree.first_list_from(tokens.start)..tree.first_list_from(tokens.end);
        lists.for_each(|list| flaws_of_braces(tree, text, list, &mut found));
    }
    found
}

/// The tokens that no reader takes, outside of what a feature expression may hide from a reader.
fn misspelt_among(tree: &Tree, text: &str, tokens: Range<TokenId>, found: &mut Vec<(Flaw, Span)>) {
    let bytes = text.as_bytes();
    let tables = tree.language().readtables_with(tree.mark);
    let mut skipped = tokens.start;
    let kinds = &tree.kinds[tokens.start as usize..tokens.end as usize];
    let places = tree.starts[tokens.start as usize..=tokens.end as usize].windows(2);
    for (token, (&kind, place)) in tokens.zip(kinds.iter().zip(places)) {
        let asked = matches!(
            kind,
            TokenKind::Atom | TokenKind::String | TokenKind::Character | TokenKind::OpenParen | TokenKind::Annotation
        );
        if !asked || token < skipped {
            continue;
        }
        let span = Span::new(place[0], place[1]);
        let (start, first) = (place[0] as usize, bytes[place[0] as usize]);
        let table = if start < tables.from { tables.first } else { tables.then };
        // Nearly all tokens are sound, which mostly shows in their first byte.
        let suspect = match kind {
            TokenKind::Annotation => {
                if is_conditional(&text[span.range()]) {
                    skipped = tree.datum_at(token).last + 1;
                }
                false
            }
            TokenKind::Atom => {
                let own = || &bytes[span.range()];
                table.suspects.start[usize::from(first)]
                    || table
                        .suspects
                        .anywhere
                        .is_some_and(|[one, other]| own().contains(&one) || (one != other && own().contains(&other)))
            }
            TokenKind::String => first == b'#' || bytes[span.range()].contains(&b'\\'),
            TokenKind::OpenParen => first == b'#' && span.end > span.start + 1,
            TokenKind::Character => true,
            _ => false,
        };
        if !suspect {
            continue;
        }
        let own = &text[span.range()];
        if table.is_extra(own) {
            continue;
        }
        if let Some(flaw) = misplaced(tree, text, token) {
            found.push((flaw, span));
            continue;
        }
        let misspelt = (table.misspelt)(Spelt { kind, own, after: &text[span.end as usize..] });
        let within = |range: Range<usize>| Span::new(span.start + range.start as u32, span.start + range.end as u32);
        found.extend(misspelt.map(|(flaw, range)| (flaw, within(range))));
    }
}

/// `#+` or `#-`: what follows may be hidden from a reader.
pub(crate) fn is_conditional(own: &str) -> bool {
    own.starts_with("#+") || own.starts_with("#-") || own.starts_with("#!+") || own.starts_with("#!-")
}

/// A token stands where it may not: short functions of Clojure within one another, their arguments by other names, and
/// dots in vectors of Emacs Lisp.
fn misplaced(tree: &Tree, text: &str, token: TokenId) -> Option<Flaw> {
    let (table, span) = (tree.dialect().table(), tree.token_span(token));
    let own = &text[span.range()];
    let opener = |list: ListId| tree.list(list).open();
    if table.braces == Braces::Maps && (own == "#(" || is_wrong_argument(own)) {
        let around = |list: ListId| tree.list(list).parent();
        let own_list = tree.list_around(token);
        let first = if own == "#(" { own_list.and_then(around) } else { own_list };
        let mut lists = std::iter::successors(first, |list| around(*list)).take(MOST_AROUND);
        let within = lists.any(|list| &text[tree.token_span(opener(list)).range()] == "#(");
        return within.then_some(if own == "#(" { Flaw::NestedFunction } else { Flaw::Symbol });
    }
    let in_vector = own == "."
        && table.pairs
        && table.square == Square::Vectors
        && tree.list_around(token).is_some_and(|list| tree.kind(opener(list)) == TokenKind::OpenBracket)
        && text[span.end as usize..].starts_with(|next: char| next <= ' ' || "\"';([#?`,".contains(next));
    in_vector.then_some(Flaw::StrayDot)
}

/// The most lists around a token that are looked at.
const MOST_AROUND: usize = 100;

/// In `#(...)`, an argument is `%`, `%&` or `%` and a number.
fn is_wrong_argument(own: &str) -> bool {
    own.strip_prefix('%').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

fn flaw_of_token(tree: &Tree, text: &str, token: TokenId) -> Option<Flaw> {
    let own = &text[tree.token_span(token).range()];
    let next = |kind| token + 1 < tree.token_count() && tree.kind(token + 1) == kind;
    match tree.kind(token) {
        TokenKind::Atom | TokenKind::Character
            if token + 1 == tree.token_count() && ends_escaping(own) && escapes(tree) =>
        {
            Some(Flaw::FinalBackslash)
        }
        // Where datum comments are read, this is one token.
        TokenKind::Atom if own == "#" && next(TokenKind::LineComment) => Some(Flaw::DatumComment),
        TokenKind::Atom | TokenKind::Prefix if is_printed(own) => Some(Flaw::Unreadable),
        _ => None,
    }
}

/// A backslash escapes outside of strings.
fn escapes(tree: &Tree) -> bool {
    let readtable = tree.dialect().table().readtable;
    readtable.within[usize::from(b'\\')] == Within::Escape || readtable.start[usize::from(b'\\')] == Start::Character
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
    let braces = tree.dialect().table().braces;
    let is_map = matches!(opener, "{" | "@{") || (opener.starts_with("#:") && opener.ends_with('{'));
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
    if braces != Braces::Maps {
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

/// The flaws of `text` and its marks in the place of code, without those on lines that `before` has as well.
pub fn flaws_since(before: &str, tree: &Tree, text: &str) -> Vec<(Flaw, Span)> {
    let tokens = tokens_since(before.as_bytes(), tree, text.as_bytes());
    // What a mark in the place of code is besides does not matter.
    let mut found = Vec::new();
    if tree.is_balanced() {
        let marks = placeholders_among(tree, text, tokens.clone());
        let certain = marks.into_iter().filter(|mark| mark.shown == ShownBy::Dots);
        found.extend(certain.map(|mark| (Flaw::LeftOut, mark.span)));
    }
    found.extend(flaws_among(tree, text, tokens));
    not_on_lines_of(before, text, &mut found, |(_, span)| *span);
    found.sort_by_key(|(_, span)| span.start);
    found
}

/// Takes out what begins on a line of `text` that `before` has as well.
pub(crate) fn not_on_lines_of<T>(before: &str, text: &str, found: &mut Vec<T>, span: impl Fn(&T) -> Span) {
    if found.is_empty() {
        return;
    }
    let lines = LineIndex::new(text.as_bytes());
    let known: HashSet<&str> = before.lines().map(str::trim).collect();
    let line = |at: u32| lines.line_span(lines.line(at)).map_or("", |line| text[line.range()].trim());
    found.retain(|one| !known.contains(line(span(one).start)));
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
        check(Clojure, "(f #<Object a>)", Some((Flaw::Unreadable, "#<Object")));
        check(CommonLisp, "(f)\n#;(g)\n", Some((Flaw::DatumComment, "#")));
        check(EmacsLisp, "(f)\n#;(g)\n", Some((Flaw::DatumComment, "#")));
        check(Scheme, "(f)\n#;(g)\n", None);
        check(CommonLisp, "(f) a\\", Some((Flaw::FinalBackslash, "a\\")));
        check(CommonLisp, "(f #\\\\) #\\\\", None);
        check(CommonLisp, "(f \"#<a> . )\") ; #<b>\n", None);
    }

    #[test]
    fn tokens_that_no_reader_takes_are_found() {
        use Dialect::{Clojure, CommonLisp, EmacsLisp, Racket, Scheme};
        check(Clojure, r#"(re-pattern "a\d+")"#, Some((Flaw::Escape, r"\d")));
        check(Clojure, "(f #(g #(h %)) 1)", Some((Flaw::NestedFunction, "#(")));
        check(Clojure, "(f #(g %x))", Some((Flaw::Symbol, "%x")));
        check(Clojure, "[08 8 0x1F 1/2 2r10 %x #(g %2)]", Some((Flaw::Number, "08")));
        check(Clojure, "(f :a: ::b a/b)", Some((Flaw::Symbol, ":a:")));
        check(Clojure, r"(f \newline \foo)", Some((Flaw::CharacterName, r"\foo")));
        check(Clojure, r#"[#"[" #"[a\]]" #"\d"]"#, Some((Flaw::Regex, "[\"")));
        check(Clojure, "#_ (f 08)", Some((Flaw::Number, "08")));
        check(EmacsLisp, "(f ?a ?ab)", Some((Flaw::CharacterEnd, "?a")));
        check(EmacsLisp, "[1 . 2]", Some((Flaw::StrayDot, ".")));
        check(EmacsLisp, r#"(f "\d \Sw")"#, Some((Flaw::Escape, r"\S")));
        check(EmacsLisp, "(f #'g #t)", Some((Flaw::Hash, "#t")));
        check(Scheme, r#"(f "\n \d")"#, Some((Flaw::Escape, r"\d")));
        check(Scheme, r"(f #\space #\x41 #\foo)", Some((Flaw::CharacterName, r"#\foo")));
        check(Scheme, "#!r7rs (f |a b| #b12)", Some((Flaw::Number, "#b12")));
        check(Racket, r##"(f #px"\d" #"a")"##, Some((Flaw::Escape, r"\d")));
        check(Racket, "#lang other\n(f \"\\d\")", None);
        check(CommonLisp, "(f a:b:c)", Some((Flaw::Symbol, "a:b:c")));
        check(CommonLisp, "(f sb-c::\n(g) sb-c::(h))", None);
        check(CommonLisp, r"(f #\Space #\foobar #\Latin_Small_Letter_A)", Some((Flaw::CharacterName, r"#\foobar")));
        check(CommonLisp, r"#+clisp (f #\foobar) #-(or a b) #xZZ", None);
        check(CommonLisp, r"(in-readtable :other) (f #\foobar)", None);
    }

    #[test]
    fn old_lines_may_keep_their_flaws() {
        let before = "(f #<a>)\n(g)\n";
        let text = "(f #<a>)\n(g)\n(h #<b>)\n";
        let found = flaws_since(before, &read(text, Dialect::CommonLisp), text);
        assert_eq!(found.len(), 1);
    }
}

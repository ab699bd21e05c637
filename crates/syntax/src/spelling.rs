//! Tokens that delimiters do not show to be wrong and that no reader of the dialect takes: an escape that does not
//! exist, a digit that is none in its base, a character without such a name.
//!
//! Each dialect has its rules in a file of this folder, which its readtable names. They follow the language's own
//! reader, and where implementations differ, all of them: a token is misspelt when none of them reads it.

pub(crate) mod clojure;
pub(crate) mod common_lisp;
pub(crate) mod emacs_lisp;
pub(crate) mod fennel;
pub(crate) mod hy;
pub(crate) mod janet;
pub(crate) mod racket;
pub(crate) mod scheme;

use std::ops::Range;

use memchr::memchr;

use crate::flaw::Flaw;
use crate::token::TokenKind;

/// A token with the text around it that decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelt<'t> {
    /// The kind of the token.
    pub(crate) kind: TokenKind,
    /// Its own text.
    pub(crate) own: &'t str,
    /// The text after it.
    pub(crate) after: &'t str,
}

/// What is wrong with a token, and which of its bytes.
pub(crate) type Misspelt = Option<(Flaw, Range<usize>)>;

/// All of a token is wrong.
fn whole(own: &str, flaw: Flaw) -> Misspelt {
    Some((flaw, 0..own.len()))
}

/// What follows a backslash in a string.
enum Escape {
    /// An escape with this many bytes after the backslash.
    Takes(usize),
    /// No reader takes this many bytes after the backslash.
    Wrong(usize),
}

/// The first escape in a string that `judge` calls wrong, given the text after its backslash.
fn escapes(own: &str, judge: impl Fn(&str) -> Escape) -> Misspelt {
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &own.as_bytes()[at..]) {
        let start = at + found;
        let rest = &own[start + 1..];
        match judge(rest) {
            Escape::Takes(count) => at = start + 1 + count.min(rest.len()),
            Escape::Wrong(count) => return Some((Flaw::Escape, start..start + 1 + count.min(rest.len()))),
        }
        // Escapes are cut by bytes, the text after one in the middle of a character is not looked at before its end.
        while !own.is_char_boundary(at) {
            at += 1;
        }
    }
    None
}

/// The length of the first character of `text`, in bytes.
fn width(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// How many bytes `text` begins with that `accepts`, at most `most`.
fn run(text: &str, most: usize, accepts: impl Fn(u8) -> bool) -> usize {
    text.bytes().take(most).take_while(|byte| accepts(*byte)).count()
}

/// An escape of a letter and `count` hexadecimal digits.
fn fixed_hex(rest: &str, count: usize) -> Escape {
    let found = run(&rest[1..], count, |byte| byte.is_ascii_hexdigit());
    if found == count { Escape::Takes(1 + count) } else { Escape::Wrong(1 + found) }
}

/// `#b`, `#o` or `#x` with plain digits of which one is none in that base.
fn is_wrong_in_base(own: &str) -> bool {
    let Some(rest) = own.strip_prefix('#') else { return false };
    let radix = match rest.bytes().next() {
        Some(b'b' | b'B') => 2,
        Some(b'o' | b'O') => 8,
        Some(b'x' | b'X') => 16,
        _ => return false,
    };
    let digits = rest[1..].trim_start_matches(['+', '-']);
    let plain = digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain && !digits.is_empty() && digits.chars().any(|digit| !digit.is_digit(radix))
}

/// A ratio of plain digits with nothing but zeros below.
fn divides_by_zero(own: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    own.trim_start_matches(['+', '-'])
        .split_once('/')
        .is_some_and(|(above, below)| digits(above) && digits(below) && below.bytes().all(|byte| byte == b'0'))
}

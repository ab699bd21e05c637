//! The tokens of a text that matter to its nesting, each with its line and column.
//!
//! White space and comments are left out; each token has its column, and whether it is the first or the last on its
//! line. A tab goes to the next multiple of eight, as Emacs shows it.

use std::hash::Hasher;
use std::ops::Range;

use lispwright_syntax::dialects::Opener;
use lispwright_syntax::{Delimiter, Language, Span, TokenKind, Tree, read_plain};
use rustc_hash::FxHasher;

/// A token that is neither white space nor a comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
    /// Line it begins on, from 0.
    pub(crate) line: u32,
    /// Column it begins in, from 0.
    pub(crate) column: i32,
    /// Only white space is before it on its line.
    pub(crate) first: bool,
    /// The datum it belongs to begins its line: only white space and prefixes are before it.
    pub(crate) opens_line: bool,
    /// Column in which that datum begins, prefixes included.
    pub(crate) place: i32,
    /// Only closers and comments follow on the line it ends on.
    pub(crate) trailing: bool,
    /// No other token follows on the line it ends on.
    pub(crate) last: bool,
    /// An empty line is between it and the token before.
    pub(crate) apart: bool,
    /// For symbols, a hash of the text in lower case; for heads that a project declares to be like a known one, of the
    /// latter. For everything else, [`LITERAL`].
    pub(crate) name: u64,
    /// For symbols and keywords, the same hash, for lists of which they are the head. Otherwise 0.
    pub(crate) head: u64,
    /// For atoms: spelt like the head of a definition or of a file's header.
    pub(crate) definer: bool,
    /// For atoms: spelt like the head of a file's header, which has no body.
    pub(crate) header: bool,
    /// For prefixes: begins a template, or a gap in one.
    pub(crate) template: bool,
    /// It is after a quote: what it begins is data.
    pub(crate) quoted: bool,
    /// It stands for any number of data: a splice, an ellipsis, the dot before a tail, or it is read under a condition.
    pub(crate) several: bool,
    /// Belongs to an annotation of the next datum, or is commented out: `^{…}` metadata, the condition of `#+`, a datum
    /// after `#_`. It is no datum of the list that it is in.
    pub(crate) aside: bool,
    /// It begins a line that is as in the earlier text: its column shows where it belonged then.
    pub(crate) settled: bool,
    /// It begins a line that has the words of the earlier text, in whatever column.
    pub(crate) old: bool,
}

impl Token {
    pub(crate) fn delimiter(&self) -> Option<Delimiter> {
        Delimiter::of(self.kind)
    }

    pub(crate) fn is_symbol(&self) -> bool {
        self.kind == TokenKind::Atom && self.name != LITERAL
    }
}

/// The significant tokens of `text`, as [`read_plain`] sees strings and comments.
pub(crate) fn tokens(text: &str, language: &Language) -> Vec<Token> {
    tokens_of(text, &read_plain(text, language))
}

/// The significant tokens of `text`, whose tree is `tree`.
pub(crate) fn tokens_of(text: &str, tree: &Tree) -> Vec<Token> {
    let room = tree.token_count() as usize;
    collected(text, tree.language(), tree.tokens(), 0, Vec::with_capacity(room))
}

/// The significant tokens of the bytes `range` of `text`, with places relative to `range`; `tree` is of the whole text.
pub(crate) fn tokens_within(text: &str, tree: &Tree, range: Range<usize>) -> Vec<Token> {
    let span = Span::new(range.start as u32, range.end as u32);
    collected(&text[..range.end], tree.language(), tree.tokens_within(span), span.start, Vec::new())
}

/// The significant tokens of `found`, which cover `text` from byte `begin` on.
#[inline(always)]
fn collected(
    text: &str,
    language: &Language,
    found: impl Iterator<Item = (TokenKind, Span)>,
    begin: u32,
    mut tokens: Vec<Token>,
) -> Vec<Token> {
    let bytes = text.as_bytes();
    let (mut line, mut column, mut blank_so_far) = (0u32, 0i32, true);
    let (mut empty, mut apart) = (true, false);
    for (kind, span) in found {
        let body = &bytes[span.range()];
        if !kind.is_trivia() {
            if blank_so_far {
                end_line(&mut tokens);
            }
            let before = tokens.last().filter(|before| before.kind.is_prefix() && before.line == line);
            let aside = tokens.last().is_some_and(|before| match before.kind {
                TokenKind::Annotation | TokenKind::Discard => true,
                kind => kind == TokenKind::Prefix && before.aside,
            });
            let marks = tokens.last().filter(|before| before.kind.is_prefix() && before.end + begin == span.start);
            let mark =
                marks.map_or(&b""[..], |mark| &bytes[(mark.start + begin) as usize..(mark.end + begin) as usize]);
            let (opens_line, place) = before.map_or((blank_so_far, column), |before| (before.opens_line, before.place));
            let like = tokens.last().filter(|before| kind == TokenKind::Atom && before.kind.is_open());
            let like = like.and_then(|_| language.known_head(&text[span.range()]));
            let Spelt { name, head, opener } = match kind {
                TokenKind::Atom => Spelt::of(like.map_or(body, str::as_bytes), language),
                _ => Spelt::NOT,
            };
            tokens.push(Token {
                kind,
                start: span.start - begin,
                end: span.end - begin,
                line,
                column,
                first: blank_so_far,
                opens_line,
                place,
                trailing: false,
                last: false,
                apart,
                name,
                head,
                template: kind == TokenKind::Prefix && body.iter().any(|byte| b"`,~".contains(byte)),
                quoted: mark == b"'",
                several: aside
                    || kind == TokenKind::Discard
                    || matches!(mark, b",@" | b",." | b"~@" | b"#,@" | b"#?@")
                    || matches!(body, b"." | b"..." | b"<...>"),
                aside,
                definer: opener.is_some(),
                header: opener == Some(Opener::Header),
                settled: false,
                old: false,
            });
            (blank_so_far, empty, apart) = (false, false, false);
            // Most tokens are on one line, of characters that are one column wide.
            if body.len() == 1 || body.iter().all(u8::is_ascii_graphic) {
                column += body.len() as i32;
                continue;
            }
        } else if kind == TokenKind::Blank && body == b" " {
            column += 1;
            continue;
        } else if kind == TokenKind::LineComment {
            // The line ends here, or the text.
            empty = false;
            continue;
        }
        for &byte in body {
            match byte {
                b'\n' => {
                    apart |= empty;
                    empty = true;
                    line += 1;
                    column = 0;
                    blank_so_far = true;
                }
                b'\t' => column = (column / 8 + 1) * 8,
                byte if byte & 0xC0 == 0x80 || byte == b'\r' => {}
                byte => {
                    empty &= byte == b' ' || byte == 0x0C;
                    column += 1;
                }
            }
        }
        if !kind.is_trivia() {
            (blank_so_far, empty, apart) = (false, false, false);
        }
    }
    end_line(&mut tokens);
    tokens
}

/// Marks the last token as the last on its line, and marks the closers at the end with the token before them as
/// trailing.
fn end_line(tokens: &mut [Token]) {
    let Some(last) = tokens.last_mut() else { return };
    last.last = true;
    for token in tokens.iter_mut().rev() {
        if token.trailing {
            return;
        }
        token.trailing = true;
        if !token.kind.is_close() {
            return;
        }
    }
}

/// The name of tokens that are no symbols: numbers, strings, characters, keywords.
pub(crate) const LITERAL: u64 = 2;

fn is_literal(atom: &[u8]) -> bool {
    match atom {
        [b':' | b'#' | b'&', ..] => true,
        [b'+' | b'-' | b'.', next, ..] => next.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => true,
    }
}

/// The fields of [`Token`] that depend on the spelling of an atom.
struct Spelt {
    name: u64,
    head: u64,
    opener: Option<Opener>,
}

impl Spelt {
    /// For what is not an atom.
    const NOT: Self = Self { name: LITERAL, head: 0, opener: None };

    fn of(atom: &[u8], language: &Language) -> Self {
        let colon = last_colon(atom);
        let literal = is_literal(atom);
        let is_named = !literal || atom.starts_with(b":");
        let head = if is_named { hash_of(&atom[symbol_start(colon, atom.len())..]) } else { 0 };
        let opener = language.opener(&atom[colon.map_or(0, |at| at + 1)..]);
        Self { name: if literal { LITERAL } else { head }, head, opener }
    }
}

fn last_colon(atom: &[u8]) -> Option<usize> {
    atom.iter().rposition(|&byte| byte == b':')
}

/// The offset at which the name begins in a symbol of `len` bytes, after its package if it has one.
fn symbol_start(colon: Option<usize>, len: usize) -> usize {
    colon.filter(|&at| at > 0 && at + 1 < len).map_or(0, |at| at + 1)
}

/// A symbol as it is spelt, without a package before it.
pub(crate) fn spelling(symbol: &str) -> &str {
    &symbol[symbol_start(last_colon(symbol.as_bytes()), symbol.len())..]
}

/// The hash of a symbol in lower case, without a package before it.
pub(crate) fn name_of(symbol: &[u8]) -> u64 {
    hash_of(&symbol[symbol_start(last_colon(symbol), symbol.len())..])
}

/// The hash of a name in lower case.
fn hash_of(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    let mut words = name.chunks_exact(size_of::<u64>());
    for word in words.by_ref() {
        hasher.write_u64(lower_case(u64::from_be_bytes(word.try_into().expect("chunks are of eight bytes"))));
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        // The leading 1 bit makes words of different lengths differ.
        let word = rest.iter().fold(1, |word, byte| word << 8 | u64::from(*byte));
        hasher.write_u64(lower_case(word));
    }
    hasher.finish() | 1
}

/// Puts the ASCII letters among eight bytes in lower case at once.
fn lower_case(word: u64) -> u64 {
    const EACH: u64 = u64::MAX / 0xFF;
    let seven = word & (EACH * 0x7F);
    let from_a = seven + EACH * u64::from(0x80 - b'A');
    let past_z = seven + EACH * u64::from(0x7F - b'Z');
    let upper = from_a & !past_z & !word & (EACH * 0x80);
    word | upper >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_except_for_case_and_package() {
        assert_eq!(name_of(b"Multiple-Value-BIND"), name_of(b"cl:multiple-value-bind"));
        assert_eq!(name_of(b"A"), name_of(b"p::a"));
        assert_ne!(name_of(b"a"), name_of(b":a"));
        assert_ne!(name_of(b"a"), name_of(b"!"));
        assert_ne!(name_of(b"[x@y"), name_of(b"{x`y"));
        assert_ne!(name_of(b"12345678"), name_of(b"123456789"));
        assert_eq!((spelling("p:a"), spelling(":a"), spelling("a:")), ("a", ":a", "a:"));
    }

    #[test]
    fn eight_bytes_are_put_in_lower_case_as_one() {
        for byte in 0..=u8::MAX {
            let word = u64::from_be_bytes([byte, b'@', b'A', b'Z', b'[', 0x80 | byte, b'z', byte]);
            assert_eq!(lower_case(word).to_be_bytes(), word.to_be_bytes().map(|byte| byte.to_ascii_lowercase()));
        }
    }
}

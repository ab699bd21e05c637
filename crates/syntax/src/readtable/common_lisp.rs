//! Common Lisp: standard syntax (CLHS 2.1.4, 2.4.8), with room for the dispatch characters that libraries add.

use super::{Characters, Readtable};
use crate::lexer::Lexer;
use crate::token::TokenKind;

const CHARACTERS: Characters<'_> = Characters {
    blank: b" \t\n\r\x0c\x7f",
    brackets: b"()",
    prefixes: b"'`",
    unquote: b',',
    start: &[],
    terminators: b"\"'`,;",
    escape: true,
    bar: true,
};

pub(super) static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: |_| false,
    dispatch,
    character: |lexer| lexer.atom(),
    package_prefix: true,
    extra: [None; 128],
};

/// `#`, digits, and a sub-character (CLHS 2.4.8). A sub-character nobody defined keeps the shape of what follows it:
/// `#foo(` opens a list, `#x"` stands before a string, anything else is an atom.
fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    if lexer.at_start() && lexer.looking_at(b"#!") {
        return lexer.line_comment();
    }
    lexer.skip(1);
    let digits = lexer.skip_while(|byte| byte.is_ascii_digit());
    let Some(sub) = lexer.peek() else { return TokenKind::Atom };
    match sub {
        b'|' => lexer.nested_comment(b"#|", b"|#"),
        b'\\' => lexer.hash_character(),
        b'(' => lexer.open(TokenKind::OpenParen),
        b'+' | b'-' => lexer.take(1, TokenKind::Annotation),
        b'!' if matches!(lexer.peek_at(1), Some(b'+' | b'-')) => lexer.take(2, TokenKind::Annotation),
        b'\'' | b'.' | b',' | b'`' => lexer.take(1, TokenKind::Prefix),
        b'=' if digits > 0 => lexer.take(1, TokenKind::Prefix),
        b'#' if digits > 0 => lexer.take(1, TokenKind::Atom),
        b'"' => lexer.string(),
        b'*' | b':' => lexer.atom(),
        b';' | b')' | b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => TokenKind::Atom,
        b'@' | b'_' | b'?' | b'$' | b'%' | b'&' | b'^' | b'~' | b'/' | b'>' | b'!' | b'<' => {
            lexer.skip(1);
            prefixed(lexer)
        }
        _ => {
            lexer.skip_char();
            prefixed(lexer)
        }
    }
}

/// After `#` and a sub-character with no fixed shape.
fn prefixed(lexer: &mut Lexer<'_>) -> TokenKind {
    match lexer.peek() {
        Some(b'(') => lexer.open(TokenKind::OpenParen),
        Some(b'"' | b'\'' | b'`' | b',' | b'#') => TokenKind::Prefix,
        _ => lexer.atom_rest(),
    }
}

//! Emacs Lisp: `read0`/`read1` of Emacs's `lread.c`, as the Elisp manual describes them ("Basic Char Readtable" on).

use super::{Characters, Readtable, Start};
use crate::lexer::Lexer;
use crate::token::TokenKind;

const CHARACTERS: Characters<'_> = Characters {
    // Every control character is white space.
    blank: b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ",
    brackets: b"()[]",
    prefixes: b"'`",
    unquote: b',',
    start: &[(b'?', Start::Character)],
    terminators: b"\"';`,#",
    escape: true,
    bar: false,
};

pub(super) static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: |c| c == '\u{a0}',
    dispatch,
    character,
    package_prefix: false,
    extra: [None; 128],
};

/// `?x`, `?\x`, `?\C-\M-x`, `?\u1234`, `?\N{NAME}`.
fn character(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    loop {
        if lexer.peek() != Some(b'\\') {
            lexer.skip_char();
            return TokenKind::Character;
        }
        lexer.skip(1);
        match (lexer.peek(), lexer.peek_at(1)) {
            // A modifier: what it modifies follows, perhaps with a backslash of its own.
            (Some(b'C' | b'M' | b'S' | b'H' | b'A' | b's'), Some(b'-')) => lexer.skip(2),
            (Some(b'^'), Some(_)) => lexer.skip(1),
            (Some(b'x'), _) => {
                lexer.skip(1);
                lexer.skip_while(|byte| byte.is_ascii_hexdigit());
                return TokenKind::Character;
            }
            (Some(b'u'), _) => return digits(lexer, 4, |byte| byte.is_ascii_hexdigit()),
            (Some(b'U'), _) => return digits(lexer, 8, |byte| byte.is_ascii_hexdigit()),
            (Some(b'N'), Some(b'{')) => {
                lexer.skip_while(|byte| byte != b'}' && byte != b'\n');
                if lexer.peek() == Some(b'}') {
                    lexer.skip(1);
                }
                return TokenKind::Character;
            }
            (Some(b'0'..=b'7'), _) => {
                lexer.skip_at_most(3, |byte| matches!(byte, b'0'..=b'7'));
                return TokenKind::Character;
            }
            _ => {
                lexer.skip_char();
                return TokenKind::Character;
            }
        }
    }
}

fn digits(lexer: &mut Lexer<'_>, most: usize, accepts: fn(u8) -> bool) -> TokenKind {
    lexer.skip(1);
    lexer.skip_at_most(most, accepts);
    TokenKind::Character
}

fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    let Some(sub) = lexer.peek() else { return TokenKind::Atom };
    match sub {
        b'\'' => lexer.take(1, TokenKind::Prefix),
        b'(' => lexer.open(TokenKind::OpenParen),
        b'[' => lexer.open(TokenKind::OpenBracket),
        b'^' if lexer.looking_at(b"^^[") => {
            lexer.skip(2);
            lexer.open(TokenKind::OpenBracket)
        }
        b'^' if lexer.looking_at(b"^[") => {
            lexer.skip(1);
            lexer.open(TokenKind::OpenBracket)
        }
        b'!' => lexer.line_comment(),
        b'#' => lexer.take(1, TokenKind::Atom),
        b'@' => skipped_bytes(lexer),
        b'&' => {
            lexer.skip(1);
            lexer.skip_while(|byte| byte.is_ascii_digit());
            TokenKind::Prefix
        }
        b':' | b'_' | b'$' => {
            lexer.skip(1);
            lexer.atom_rest()
        }
        b'0'..=b'9' => {
            lexer.skip_while(|byte| byte.is_ascii_digit());
            match lexer.peek() {
                Some(b'=') => lexer.take(1, TokenKind::Prefix),
                Some(b'#') => lexer.take(1, TokenKind::Atom),
                _ => lexer.atom_rest(),
            }
        }
        _ => {
            lexer.atom_rest();
            if lexer.peek() == Some(b'(') { lexer.open(TokenKind::OpenParen) } else { TokenKind::Atom }
        }
    }
}

/// `#@N`: byte-compiled files skip N bytes; `#@00` skips the rest of the file.
fn skipped_bytes(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    lexer.skip_while(|byte| byte.is_ascii_digit());
    let digits = &lexer.token_bytes()[2..];
    let count =
        digits.iter().fold(0usize, |count, digit| count.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
    lexer.skip_bytes_to_boundary(if digits == b"00" { usize::MAX } else { count });
    TokenKind::BlockComment
}

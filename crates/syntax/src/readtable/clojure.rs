//! Clojure and EDN: the macro and dispatch tables of `clojure.lang.LispReader`.

use super::{Characters, Readtable, Start};
use crate::lexer::Lexer;
use crate::token::TokenKind;

const CHARACTERS: Characters<'_> = Characters {
    blank: b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f,",
    brackets: b"()[]{}",
    prefixes: b"'`@",
    unquote: b'~',
    start: &[(b'\\', Start::Character), (b'^', Start::Annotation)],
    // `'`, `#` and `%` are macro characters that do not end a symbol.
    terminators: b"\";@^`~\\",
    escape: false,
    bar: false,
};

pub(super) static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: is_java_whitespace,
    dispatch,
    character,
    package_prefix: false,
    extra: [None; 128],
};

/// `Character.isWhitespace` outside ASCII: Unicode separators, without the no-break ones.
fn is_java_whitespace(c: char) -> bool {
    matches!(c, '\u{1680}' | '\u{2000}'..='\u{2006}' | '\u{2008}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{205f}' | '\u{3000}')
}

/// `\x`: the first character whatever it is, then as far as a token goes.
fn character(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    lexer.skip_char();
    lexer.atom_rest();
    TokenKind::Character
}

fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    let Some(sub) = lexer.peek() else { return TokenKind::Atom };
    match sub {
        b'(' => lexer.open(TokenKind::OpenParen),
        b'{' => lexer.open(TokenKind::OpenBrace),
        b'[' => lexer.open(TokenKind::OpenBracket),
        b'"' => lexer.string(),
        b'_' => lexer.take(1, TokenKind::Discard),
        b'^' => lexer.take(1, TokenKind::Annotation),
        b'\'' | b'=' => lexer.take(1, TokenKind::Prefix),
        b'!' => lexer.line_comment(),
        b'?' => conditional(lexer),
        b'#' => {
            lexer.skip(1);
            lexer.atom_rest()
        }
        b':' => {
            lexer.atom_rest();
            // `#:ns{` and `#::{`; white space may stand before the brace.
            let blanks = lexer.blanks_ahead();
            if lexer.peek_at(blanks) == Some(b'{') {
                lexer.skip(blanks);
                return lexer.open(TokenKind::OpenBrace);
            }
            TokenKind::Atom
        }
        b'<' => lexer.atom_rest(),
        b')' | b']' | b'}' => TokenKind::Atom,
        _ => {
            // A tag. Blanks may stand between `#` and the tag's symbol.
            let blanks = lexer.blanks_ahead();
            lexer.skip(blanks);
            lexer.atom_rest();
            TokenKind::Prefix
        }
    }
}

/// `#?(` and `#?@(`; blanks may stand before the list.
fn conditional(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    if lexer.peek() == Some(b'@') {
        lexer.skip(1);
    }
    let blanks = lexer.blanks_ahead();
    if lexer.peek_at(blanks) == Some(b'(') {
        lexer.skip(blanks);
        return lexer.open(TokenKind::OpenParen);
    }
    TokenKind::Prefix
}

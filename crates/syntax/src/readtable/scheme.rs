//! Scheme: R7RS 7.1.1 with Guile's extensions (keywords, `#{...}#` symbols, `#!...!#` comments, G-expressions).

use memchr::memmem;

use super::{Characters, Readtable, Readtables};
use crate::lexer::Lexer;
use crate::token::TokenKind;

const GUILE: Characters<'_> = Characters {
    blank: b" \t\n\r\x0c",
    brackets: b"()[]",
    prefixes: b"'`",
    unquote: b',',
    start: &[],
    // A quote, quasiquote or comma does not end a symbol: `vars'` is one (R7RS 7.1.1, Guile's delimiters).
    terminators: b"\";",
    escape: false,
    bar: false,
};

/// R7RS and Racket quote symbols with `|`, Racket with `\` too, which R7RS has no use for; braces are Racket's lists and
/// reserved in R7RS. To Guile's reader all of these are constituents like any other.
const R7RS: Characters<'_> = Characters { bar: true, escape: true, brackets: b"()[]{}", ..GUILE };

/// What is one token after `#!`: Guile's, then the objects that MIT Scheme, Chez Scheme and Gambit write so. Anything else
/// there begins a block comment up to `!#`.
pub const DIRECTIVES: [&[u8]; 18] = [
    b"eof",
    b"default",
    b"optional",
    b"key",
    b"rest",
    b"fold-case",
    b"no-fold-case",
    b"curly-infix",
    b"curly-infix-and-bracket-lists",
    b"r6rs",
    b"r7rs",
    b"unspecific",
    b"aux",
    b"bwp",
    b"base-rtd",
    b"chezscheme",
    b"void",
    b"unbound",
];

static READTABLE: Readtable = syntax(&GUILE);

pub(super) static READTABLE_BEHIND_MARK: Readtable = syntax(&R7RS);

const fn syntax(characters: &Characters<'_>) -> Readtable {
    Readtable {
        start: characters.start_table(),
        within: characters.within_table(),
        wide_blank: |_| false,
        dispatch,
        character: |lexer| lexer.atom(),
        package_prefix: false,
        extra: [None; 128],
    }
}

/// What says that a text is not Guile's own Scheme: `|` quotes and braces are brackets in the tokens that begin behind it.
pub const MARKS: [&str; 3] = ["(define-library", "#!r7rs", "#lang "];

/// How far into a text a mark counts, in bytes.
pub const MARKS_REACH: usize = 16 * 1024;

/// The tables for a text: the first mark changes what follows it, so that nothing which is written later changes how
/// something reads.
pub(super) fn readtables_for(text: &[u8]) -> Readtables<'static> {
    let head = &text[..text.len().min(MARKS_REACH)];
    let ends = MARKS.iter().filter_map(|mark| memmem::find(head, mark.as_bytes()).map(|at| at + mark.len()));
    match ends.min() {
        Some(end) => Readtables { first: &READTABLE, then: &READTABLE_BEHIND_MARK, from: end },
        None => Readtables::one(&READTABLE),
    }
}

fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    let Some(sub) = lexer.peek() else { return TokenKind::Atom };
    match sub {
        b'|' => lexer.nested_comment(b"#|", b"|#"),
        b';' => lexer.take(1, TokenKind::Discard),
        b'\\' => lexer.hash_character(),
        b'(' => lexer.open(TokenKind::OpenParen),
        b'[' => lexer.open(TokenKind::OpenBracket),
        b'\'' | b'`' | b'~' => lexer.take(1, TokenKind::Prefix),
        b',' | b'$' | b'+' if matches!(lexer.peek_at(1), Some(b'@')) => lexer.take(2, TokenKind::Prefix),
        b',' | b'$' | b'+' => lexer.take(1, TokenKind::Prefix),
        b'!' => bang(lexer),
        b'{' if lexer.has_braces() => lexer.open(TokenKind::OpenBrace),
        b'{' => lexer.extended_symbol(),
        b'<' if lexer.looking_at(b"<<") => lexer.here_string(),
        b'"' => lexer.string(),
        _ => uniform_vector_or_atom(lexer),
    }
}

/// `#vu8(`, `#u8(`, `#2((`, Racket's `#hash{`: an opener; `#0=`: a label; all else is an atom: `#t`, `#:key`, `#x1F`.
fn uniform_vector_or_atom(lexer: &mut Lexer<'_>) -> TokenKind {
    let kind = lexer.atom_rest();
    if kind != TokenKind::Atom {
        return kind;
    }
    if lexer.token_bytes().ends_with(b"=") && lexer.token_bytes()[1..].iter().rev().skip(1).all(u8::is_ascii_digit) {
        return TokenKind::Prefix;
    }
    match lexer.peek() {
        Some(b'(') => lexer.open(TokenKind::OpenParen),
        Some(b'[') => lexer.open(TokenKind::OpenBracket),
        Some(b'{') => lexer.open(TokenKind::OpenBrace),
        Some(b'"') if is_string_prefix(lexer.token_bytes()) => TokenKind::Prefix,
        _ => kind,
    }
}

/// `#rx"..."`, `#px"..."`, `#u8"..."`: the string is part of the datum.
fn is_string_prefix(token: &[u8]) -> bool {
    matches!(token, b"#rx" | b"#px" | b"#rx#" | b"#px#" | b"#u8" | b"#vu8")
}

/// `#!`: a directive, a script header, or a block comment.
fn bang(lexer: &mut Lexer<'_>) -> TokenKind {
    let mut probe = lexer.clone();
    probe.skip(1);
    probe.atom_rest();
    let name = &probe.token_bytes()[2..];
    if DIRECTIVES.contains(&name) {
        *lexer = probe;
        return TokenKind::Atom;
    }
    let header = lexer.at_start();
    let mut comment = lexer.clone();
    comment.skip(1);
    match comment.flat_comment(b"!#") {
        // The first line of a script for a Scheme that does not close it with `!#`.
        TokenKind::UnterminatedComment if header => lexer.line_comment(),
        kind => {
            *lexer = comment;
            kind
        }
    }
}

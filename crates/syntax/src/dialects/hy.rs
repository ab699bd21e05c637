//! Hy: `hy_reader.py` and `reader.py` of its package, and its manual for the forms.

use super::{Bang, Braces, CharacterLiteral, Square, Table};
use crate::definer::{FormKind as K, Guess, Row, Shape as S, Wrapper, Wraps, row};
use crate::diagnostic::Delimiter;
use crate::fields;
use crate::lexer::Lexer;
use crate::pieces::{Piece, Role, piece};
use crate::readtable::{Characters, Readtable, Start, Suspects, Within};
use crate::shapes::{Openers, Shapes};
use crate::special::{SpecialForm as F, SpecialForms};
use crate::spelling;
use crate::token::TokenKind;
use crate::unsettled;

pub(super) static TABLE: Table = Table {
    names: &["hy", "hylang", "hy3"],
    endings: &["hy"],
    file_names: &[],
    first_line: None,
    prose_endings: &[],
    data_endings: &[],
    other_notations: &[],
    readtable: &READTABLE,
    comment: ';',
    marks: None,
    variants: &[],
    free_dispatch: |_| false,
    pieces: PIECES,
    fragments: &[],
    unsettled,
    nested_comments: false,
    bang: Bang::Header,
    square: Square::Bindings,
    character: CharacterLiteral::None,
    pairs: false,
    braces: Braces::Plain,
    own_tokens: |_| true,
    ellipsis: true,
    folds_case: false,
    packages: false,
    intern: str::to_owned,
    top_class: "t",
    definers: DEFINERS,
    guess: Some(Guess { begins: "def", contains: None, shape: S::ClojureFunction, package: None }),
    wrappers: WRAPPERS,
    makes: &[],
    openers: Openers { beginnings: &["def"], heads: &["setv"], headers: &["import", "require"] },
    shapes: &SHAPES,
    special_forms: SPECIAL_FORMS,
    takes_functions: &[],
    standard: "",
    operators: "",
    threads: true,
    titles: &['"', ':'],
    headings: &[";;;;", ";;;"],
    ending: None,
};

const CHARACTERS: Characters<'_> = Characters {
    blank: b" \t\n\r\x0b\x0c",
    brackets: b"()[]{}",
    comment: b';',
    prefixes: b"'`",
    unquote: Some(b'~'),
    start: &[(b'b', Start::Character), (b'f', Start::Character), (b'r', Start::Character), (b't', Start::Character)],
    terminators: b"\"';`~",
    escape: false,
    bar: false,
};

static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: |_| false,
    dispatch,
    character: word,
    splices: b"@",
    package_prefix: false,
    suspects: Suspects::new(b"#", None),
    misspelt: spelling::hy::misspelt,
    extra: [None; 128],
};

/// A symbol, or the letters before a string with the string.
fn word(lexer: &mut Lexer<'_>) -> TokenKind {
    let kind = lexer.atom_rest();
    let has_fields = fields::before_string(lexer.token_bytes()).filter(|_| lexer.peek() == Some(b'"'));
    match has_fields {
        Some(true) => {
            lexer.skip(1);
            lexer.string_with_fields(b"\"")
        }
        Some(false) => lexer.string(),
        None => kind,
    }
}

fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    if lexer.at_start() && lexer.looking_at(b"#!") {
        return lexer.line_comment();
    }
    lexer.skip(1);
    match lexer.peek() {
        Some(b'(') => lexer.open(TokenKind::OpenParen),
        Some(b'{') => lexer.open(TokenKind::OpenBrace),
        Some(b'[') => bracketed(lexer),
        Some(b'^') if lexer.peek_at(1).is_none_or(|next| !is_constituent(next)) => lexer.take(1, TokenKind::Annotation),
        Some(b'_') if lexer.peek_at(1).is_none_or(|next| !is_constituent(next)) => lexer.take(1, TokenKind::Discard),
        // A reader macro, which can read anything; most read one form.
        Some(byte) if is_constituent(byte) => {
            lexer.atom_rest();
            TokenKind::Prefix
        }
        Some(b';' | b'"' | b'\'' | b'`' | b'~') => lexer.take(1, TokenKind::Prefix),
        _ => TokenKind::Atom,
    }
}

fn is_constituent(byte: u8) -> bool {
    matches!(READTABLE.within[usize::from(byte)], Within::Constituent | Within::NonAscii)
}

/// `#[MARK[...]MARK]`, where nothing escapes.
fn bracketed(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    let Some(length) = lexer.rest().iter().position(|byte| b"[]".contains(byte)) else {
        return lexer.unterminated_string();
    };
    let mark = &lexer.rest()[..length];
    let is_closed = lexer.rest()[length] == b']';
    let close = [b"]", mark, b"]"].concat();
    lexer.skip(length + 1);
    if is_closed {
        TokenKind::String
    } else if fields::has_fields(mark) {
        lexer.string_with_fields(&close)
    } else {
        lexer.string_until(&close)
    }
}

const PIECES: &[Piece] = &[
    piece("word", Role::Symbol, r"[bfrt]<rest>"),
    piece("plain_string", Role::Datum, r"(b|r|rb|br)<string>"),
    piece("field_string", Role::Datum, r#"(f|t|rf|fr|rt|tr)"([^"\\{}]|\{\{|\}\})*""#),
    piece("tuple", Role::Open(Delimiter::Paren), r"#\("),
    piece("set", Role::Open(Delimiter::Brace), r"#\{"),
    piece("bracket_string", Role::Datum, r"#\[\[([^\]]|\][^\]])*\]\]"),
    piece("annotation", Role::Annotation, r"#^[ \t\n]"),
    piece("discard", Role::Discard, r"#_[ \t\n]"),
    piece("reader_macro", Role::PrefixSymbol, r"#(<constituent -_^[>)<rest>"),
];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    match kind {
        _ if !blank.is_empty() => None,
        TokenKind::UnterminatedString => {
            let letters = text.len() - text.trim_start_matches(['b', 'f', 'r', 't']).len();
            let (open, close) = match text[letters..].strip_prefix("#[") {
                Some(rest) => match rest.find('[') {
                    // The mark may go on.
                    None => return Some(text.to_owned()),
                    Some(length) => (length + 3, format!("]{}]", &rest[..length])),
                },
                None => (letters + 1, "\"".to_owned()),
            };
            let has_fields = match letters {
                0 => text.strip_prefix("#[").is_some_and(|rest| fields::has_fields(&rest.as_bytes()[..open - 3])),
                _ => text[..letters].contains(['f', 't']),
            };
            if has_fields {
                return match fields::end(text.as_bytes(), open, &text.as_bytes()[..open], close.as_bytes()) {
                    fields::End::Open(stopped) => Some(stopped.text(MOST_FIELDS)),
                    fields::End::At(_) => None,
                };
            }
            if letters == 0 && open > 1 {
                // The longest ending that may be the beginning of the end.
                let begins = |end: &usize| close.is_char_boundary(*end) && text[open..].ends_with(&close[..*end]);
                let ending = (0..close.len()).rev().find(begins).unwrap_or(0);
                return Some(format!("{}{}", &text[..open], &close[..ending]));
            }
            // Letters before a string do not change where it ends.
            None
        }
        TokenKind::Annotation | TokenKind::Discard => Some(text.to_owned()),
        TokenKind::Atom if text == "#" => Some(text.to_owned()),
        TokenKind::Atom if text.len() < 3 && text.bytes().all(|byte| fields::STRING_LETTERS.contains(&byte)) => {
            Some(text.to_owned())
        }
        TokenKind::Atom => Some("aaa".to_owned()),
        // `#` and a character that ends it at once.
        TokenKind::Prefix if matches!(text, "#;" | "#\"" | "#'" | "#`" | "#~") => None,
        TokenKind::Prefix if text.starts_with('#') => Some("#aa".to_owned()),
        TokenKind::Prefix => unsettled::unquote(text),
        _ => None,
    }
}

/// The brackets that are written of those that are open in a field.
const MOST_FIELDS: usize = 4096;

const DEFINERS: &[Row] = &[
    row(K::Function, S::Decorated, &["defn", "defn/a", "defmain"]),
    row(K::Macro, S::Decorated, &["defmacro", "defreader"]),
    row(K::Class, S::Decorated, &["defclass"]),
    row(K::Type, S::Named, &["deftype"]),
    row(K::Variable, S::Variable, &["setv", "setx"]),
    row(K::Directive, S::Unnamed, &["import", "require", "export", "pragma"]),
];

const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "import", "require", "export", "global", "nonlocal", "py", "pys", "pragma"]),
    (F::Template, &["quasiquote"]),
    (F::Unquote, &["unquote", "unquote-splice"]),
    (F::Fn, &["fn", "fn/a"]),
    (F::LetVector, &["let", "with", "with/a"]),
    (F::Comprehension, &["for"]),
    (F::MatchPairs, &["match"]),
    (F::ThreadingFirst, &["->", "doto"]),
    (F::Threading, &["->>"]),
    (F::Naming, &["as->"]),
    (F::Setq, &["setx"]),
    (F::Function, &["defn", "defn/a"]),
    (F::Macro, &["defmacro"]),
    (F::Member, &["."]),
];

const WRAPPERS: &[Wraps] = &[
    Wraps { wrapper: Wrapper::Body(0), heads: &["do", "eval-and-compile", "eval-when-compile"] },
    Wraps { wrapper: Wrapper::Body(1), heads: &["let", "when", "if"] },
    Wraps { wrapper: Wrapper::Body(2), heads: &["defclass"] },
];

const SHAPES: Shapes = Shapes {
    lists: "let:1 with:1 for:1 fn:1",
    atoms: "defmacro:1 setv:1",
    pairs: "let:1",
    docstrings: "defmacro:2",
    parameters: "defmacro:2 fn:1",
    functions: "defn:2 defmacro:2",
    bodies: "let:2 when:2 while:2 with:2 for:2",
    indents: "as->:a cond:0 defclass:d defmacro:d defn:d defreader:d do:0 else:0 except:1 finally:0 fn:d for:1 if:1 \
        let:1 match:1 try:0 when:1 while:1 with:1 eval-and-compile:0 ->:a ->>:a",
    counts: "let:2 when:2 while:2 with:2 if:3:3 setv:2 fn:1 not:1:1 len:1:1 return:0:1 raise:0:1 setx:2:2 get:2 \
        isinstance:2:2 range:1:3 cut:1:4",
    even: "cond:0 setv:0",
    operators: "defn defclass defmacro setv import require let if when unless cond for while do fn try except print \
        len str int get cut return raise with match lfor dfor sfor gfor isinstance is not in = != < > <= >= + - * / \
        and or",
    constants: "True False None",
    ..Shapes::NONE
};

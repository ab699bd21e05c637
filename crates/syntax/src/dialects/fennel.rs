//! Fennel: `parser.fnl` of its compiler, and its reference for the forms.

use super::{Bang, Braces, CharacterLiteral, Square, Table};
use crate::definer::{FormKind as K, Row, Shape as S, Wrapper, Wraps, row};
use crate::lexer::Lexer;
use crate::pieces::{Piece, Role, piece};
use crate::readtable::{Characters, Readtable, Start, Suspects};
use crate::shapes::{Openers, Shapes};
use crate::special::{SpecialForm as F, SpecialForms};
use crate::spelling;
use crate::token::TokenKind;

pub(super) static TABLE: Table = Table {
    names: &["fennel", "fnl"],
    endings: &["fnl", "fnlm"],
    file_names: &[".fennelrc"],
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
    braces: Braces::Pairs,
    own_tokens: |_| true,
    ellipsis: true,
    folds_case: false,
    packages: false,
    intern: str::to_owned,
    top_class: "t",
    definers: DEFINERS,
    guess: None,
    wrappers: WRAPPERS,
    makes: &[],
    openers: Openers { beginnings: &[], heads: &["fn", "macro", "macros", "local", "lambda", "λ"], headers: &[] },
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
    prefixes: b"'`,",
    unquote: None,
    // `~` begins one symbol, `~=`, and the others begin none.
    start: &[(b'~', Start::Character), (b'@', Start::Character), (0x7f, Start::Character)],
    terminators: b"\"';@`~,\x7f",
    escape: false,
    bar: false,
};

static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: |_| false,
    dispatch,
    character: |lexer| lexer.atom(),
    splices: b"@",
    package_prefix: false,
    suspects: Suspects::new(b"~@\x7f", None),
    misspelt: spelling::fennel::misspelt,
    extra: [None; 128],
};

/// `#` before a datum makes a function of it; alone it is a symbol.
fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    if lexer.at_start() && lexer.looking_at(b"#!") {
        return lexer.line_comment();
    }
    let is_alone = lexer.peek_at(1).is_none_or(|next| CHARACTERS.blank.contains(&next) || b")]}".contains(&next));
    lexer.take(1, if is_alone { TokenKind::Atom } else { TokenKind::Prefix })
}

const PIECES: &[Piece] = &[piece("not_equal", Role::Symbol, r"~=<rest>"), piece("function", Role::Prefix, r"#")];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    match kind {
        _ if !blank.is_empty() => None,
        TokenKind::Atom if text == "#" => Some(text.to_owned()),
        TokenKind::Atom => Some("a".to_owned()),
        _ => None,
    }
}

const DEFINERS: &[Row] = &[
    row(K::Function, S::MaybeNamed, &["fn", "lambda", "λ"]),
    row(K::Macro, S::MaybeNamed, &["macro"]),
    row(K::Macro, S::Unnamed, &["macros", "import-macros", "require-macros"]),
    row(K::Variable, S::ClojureVariable, &["local", "var", "global"]),
    row(K::Test, S::Titled(1), &["describe", "it"]),
];

const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "lua", "comment"]),
    (F::Fn, &["fn", "lambda", "λ"]),
    (F::LetVector, &["let", "with-open"]),
    (F::Comprehension, &["each", "for", "collect", "icollect", "fcollect", "accumulate", "faccumulate"]),
    (F::MatchPairs, &["match", "case"]),
    (F::ThreadingFirst, &["->", "-?>", "doto"]),
    (F::Threading, &["->>", "-?>>"]),
    (F::Setq, &["set", "set-forcibly!"]),
    (F::Variable, &["local", "var", "global"]),
    (F::Macro, &["macro"]),
];

const WRAPPERS: &[Wraps] = &[
    Wraps { wrapper: Wrapper::Body(0), heads: &["do", "eval-compiler"] },
    Wraps { wrapper: Wrapper::Body(1), heads: &["let", "when", "describe"] },
];

const SHAPES: Shapes = Shapes {
    lists: "let:1 each:1 for:1 collect:1 icollect:1 fcollect:1 accumulate:1 faccumulate:1 with-open:1",
    atoms: "macro:1 var:1 global:1",
    pairs: "let:1 with-open:1",
    docstrings: "lambda:3 macro:3",
    parameters: "macro:2",
    functions: "fn:2 lambda:2 λ:2 macro:2",
    bodies: "let:2 each:2 for:2 collect:2 icollect:2 accumulate:2 when:2 while:2 with-open:2",
    indents: "accumulate:1 case:1 case-try:0 collect:1 do:0 doto:1 each:1 faccumulate:1 fcollect:1 fn:d for:1 \
        icollect:1 lambda:d λ:d let:1 macro:d match:1 match-try:0 when:1 while:1 with-open:1 eval-compiler:0 ->:a ->>:a \
        -?>:a -?>>:a",
    counts: "let:2 when:2 while:2 if:2 local:2:2 var:2:2 global:2:2 set:2:2 tset:3 each:2 for:2 not:1:1 length:1:1 \
        not=:2 do:1 collect:2:3 icollect:2:2 accumulate:2 require:1 assert:1 match:2 case:2 pairs:1:1 ipairs:1:1 \
        tostring:1:1 type:1:1",
    operators: "fn local let var set tset when if do each for while case match icollect collect accumulate require \
        lambda λ macro import-macros values not length pairs ipairs table.insert string.format assert print pcall \
        tostring doto not= or and",
    constants: "true false nil",
    ..Shapes::NONE
};

//! Janet: `parse.c` of its runtime, and its manual for the forms.

use super::{Bang, Braces, CharacterLiteral, Square, Table};
use crate::definer::{FormKind as K, Guess, Row, Shape as S, Wrapper, Wraps, row};
use crate::diagnostic::Delimiter;
use crate::lexer::Lexer;
use crate::pieces::{Piece, Role, piece};
use crate::readtable::{Characters, Readtable, Start, Suspects};
use crate::shapes::{Openers, Shapes};
use crate::special::{SpecialForm as F, SpecialForms};
use crate::spelling;
use crate::token::TokenKind;

pub(super) static TABLE: Table = Table {
    names: &["janet"],
    endings: &["janet", "jdn"],
    file_names: &[],
    first_line: None,
    prose_endings: &[],
    data_endings: &["jdn"],
    other_notations: &[],
    readtable: &READTABLE,
    comment: '#',
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
    ellipsis: false,
    folds_case: false,
    packages: false,
    intern: str::to_owned,
    top_class: "t",
    definers: DEFINERS,
    guess: Some(Guess { begins: "def", contains: None, shape: S::ClojureFunction, package: None }),
    wrappers: WRAPPERS,
    makes: &[],
    openers: Openers { beginnings: &["def"], heads: &["var", "varfn"], headers: &["import", "use"] },
    shapes: &SHAPES,
    special_forms: SPECIAL_FORMS,
    takes_functions: &[],
    standard: "",
    operators: "",
    threads: true,
    titles: &['"', ':'],
    headings: &["###", "##"],
    ending: None,
};

const CHARACTERS: Characters<'_> = Characters {
    blank: b" \t\n\r\x0b\x0c\0",
    brackets: b"()[]{}",
    comment: b'#',
    prefixes: b"';~,|",
    unquote: None,
    // A backslash begins nothing.
    start: &[(b'`', Start::Character), (b'@', Start::Character), (b'\\', Start::Character)],
    terminators: b"\"'`;~,|#\\",
    escape: false,
    bar: false,
};

static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: |_| false,
    dispatch: |lexer| lexer.line_comment(),
    character: marked,
    splices: b"@",
    package_prefix: false,
    suspects: Suspects::new(b"\\", None),
    misspelt: spelling::janet::misspelt,
    extra: [None; 128],
};

/// `@` before a bracket or string, which can change then, and strings in backquotes.
fn marked(lexer: &mut Lexer<'_>) -> TokenKind {
    if lexer.peek() == Some(b'@') {
        lexer.skip(1);
        match lexer.peek() {
            Some(b'(') => return lexer.open(TokenKind::OpenParen),
            Some(b'[') => return lexer.open(TokenKind::OpenBracket),
            Some(b'{') => return lexer.open(TokenKind::OpenBrace),
            Some(b'"') => return lexer.string(),
            Some(b'`') => {}
            _ => return lexer.atom_rest(),
        }
    }
    if lexer.peek() == Some(b'`') { lexer.fenced_string(b'`') } else { lexer.atom() }
}

const PIECES: &[Piece] = &[
    piece("at_symbol", Role::Symbol, r"@<constituent><rest>"),
    piece("array", Role::Open(Delimiter::Paren), r"@\("),
    piece("bracket_array", Role::Open(Delimiter::Bracket), r"@\["),
    piece("table", Role::Open(Delimiter::Brace), r"@\{"),
    piece("buffer", Role::Datum, r"@<string>"),
    piece("long_string", Role::Datum, r"@?`[^`]+`"),
    piece("longer_string", Role::Datum, r"@?``[^`]([^`]|`[^`])*``"),
    piece("longest_string", Role::Datum, r"@?```[^`]([^`]|`[^`]|``[^`])*```"),
];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    match kind {
        _ if !blank.is_empty() => None,
        TokenKind::UnterminatedString => {
            let fenced = text.strip_prefix('@').unwrap_or(text);
            let inside = fenced.trim_start_matches('`');
            let fence = fenced.len() - inside.len();
            if fence == 0 {
                return None;
            }
            let ending = inside.len() - inside.trim_end_matches('`').len();
            let content = if inside.is_empty() { "" } else { "a" };
            Some(format!("{}{content}{}", "`".repeat(fence), "`".repeat(ending)))
        }
        TokenKind::Atom if text == "@" => Some(text.to_owned()),
        // A backslash is no symbol, and goes on like one all the same.
        TokenKind::Atom => Some("a".to_owned()),
        _ => None,
    }
}

const DEFINERS: &[Row] = &[
    row(K::Function, S::ClojureFunction, &["defn", "defn-", "varfn"]),
    row(K::Macro, S::ClojureFunction, &["defmacro", "defmacro-"]),
    row(K::Variable, S::ClojureVariable, &["def", "def-", "var", "var-", "defdyn", "defglobal", "varglobal"]),
    row(K::Test, S::ClojureFunction, &["deftest"]),
    row(K::Directive, S::Module, &["import", "import*", "use", "require", "declare-project"]),
];

const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "import", "use"]),
    (F::Template, &["quasiquote"]),
    (F::Unquote, &["unquote"]),
    (F::Fn, &["fn"]),
    (F::LetVector, &["let", "if-let", "when-let", "with"]),
    (F::Rebinding, &["with-dyns"]),
    (F::Naming, &["as->", "as?->"]),
    (F::MatchPairs, &["match"]),
    (F::ThreadingFirst, &["->", "-?>", "doto"]),
    (F::Threading, &["->>", "-?>>"]),
    (F::Setq, &["set"]),
    (F::Variable, &["def", "def-", "var", "var-", "defdyn"]),
    (F::Function, &["defn", "defn-", "varfn"]),
    (F::Macro, &["defmacro", "defmacro-"]),
];

const WRAPPERS: &[Wraps] = &[
    Wraps { wrapper: Wrapper::Body(0), heads: &["do", "upscope", "comment", "compif", "compwhen"] },
    Wraps { wrapper: Wrapper::Body(1), heads: &["let", "when"] },
];

const SHAPES: Shapes = Shapes {
    lists: "let:1 if-let:1 when-let:1 with:1 with-vars:1 with-dyns:1",
    atoms: "defn:1 defn-:1 defmacro:1 defmacro-:1 varfn:1 each:1 eachk:1 for:1",
    pairs: "let:1 if-let:1 when-let:1",
    docstrings: "defn:2 defn-:2 defmacro:2",
    parameters: "defn:2 defn-:2 defmacro:2",
    even: "struct:0 table:0",
    functions: "defn:2 defn-:2 defmacro:2 varfn:2",
    bodies: "let:2 when:2 unless:2 while:2 when-let:2 with:2 each:3 for:4",
    indents: "case:1 cond:0 coro:0 def:1 defer:1 defmacro:d defn:d defn-:d do:0 each:2 eachk:2 eachp:2 edefer:1 fn:d \
        for:3 forever:0 forv:3 generate:1 if:1 if-let:1 if-not:1 let:1 loop:1 match:1 prompt:1 repeat:1 seq:1 \
        tabseq:1 catseq:1 try:0 unless:1 upscope:0 var:1 when:1 when-let:1 while:1 with:1 with-dyns:1 with-syms:1 \
        with-vars:1 ->:a ->>:a",
    counts: "def:2 var:2 let:2 when:2 unless:2 while:2 if:2:3 each:3 for:4 set:2:2 put:3:3 get:2:3 in:2:3 not:1:1 \
        length:1:1 first:1:1 last:1:1 nil?:1:1 empty?:1:1 keys:1:1 values:1:1 inc:1:1 dec:1:1 ++:1:1 --:1:1 map:2 \
        filter:2:2 reduce:3:3 string?:1:1 number?:1:1 keyword?:1:1 try:1:2 defer:2 match:2 case:2",
    operators: "def defn defn- var set put get in let if when unless cond case match each for loop while do fn \
        defmacro import use string print printf not length first last map filter reduce array/push table/to-struct \
        string/format error try assert keys values nil? empty? = not= < > <= >= + - * / ++ -- += -=",
    constants: "true false nil",
    ..Shapes::NONE
};

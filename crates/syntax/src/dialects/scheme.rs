//! Scheme: R7RS 7.1.1 with Guile's extensions (keywords, `#{...}#` symbols, `#!...!#` comments, G-expressions).

use super::{Bang, Braces, CharacterLiteral, Square, Table};
use crate::definer::{FormKind as K, Guess, Row, Shape as S, Wrapper, Wraps, row};
use crate::diagnostic::Delimiter;
use crate::lexer::Lexer;
use crate::name::unescape;
use crate::pieces::{Piece, Role, piece};
use crate::readtable::{Characters, DispatchShape, Marks, Readtable, Suspects, Variant};
use crate::shapes::{Openers, Shapes};
use crate::special::{SpecialForm as F, SpecialForms};
use crate::spelling;
use crate::token::TokenKind;
use crate::unsettled;

pub(super) static TABLE: Table = Table {
    names: &["scheme", "guile", "chez", "chicken", "csi", "r7rs", "r6rs", "gauche", "gosh", "scm", "petite"],
    endings: &["scm", "ss", "sld", "sls", "sps", "sch", "scheme", "egg", "sc"],
    file_names: &[".guile"],
    first_line: None,
    prose_endings: &[],
    data_endings: &[],
    other_notations: &[],
    readtable: &READTABLE,
    comment: ';',
    marks: Some(&MARKS),
    variants: VARIANTS,
    free_dispatch: |byte| b"/?[^=->.@_{".contains(&byte),
    pieces: PIECES,
    fragments: FRAGMENTS,
    unsettled,
    nested_comments: true,
    bang: Bang::Block,
    square: Square::Lists,
    character: CharacterLiteral::Hash,
    pairs: true,
    braces: Braces::Plain,
    own_tokens: |_| true,
    ellipsis: true,
    folds_case: false,
    packages: false,
    intern,
    top_class: "<top>",
    definers: DEFINERS,
    guess: Some(Guess { begins: "define", contains: None, shape: S::Define, package: None }),
    wrappers: WRAPPERS,
    makes: &[],
    openers: Openers { beginnings: &["def"], heads: &["library"], headers: &["use-modules", "provide"] },
    shapes: &SHAPES,
    special_forms: SPECIAL_FORMS,
    takes_functions: &[],
    standard: "",
    operators: include_str!("../operators/scheme.txt"),
    threads: false,
    titles: &['"'],
    headings: &[";;;;"],
    ending: None,
};

/// R7RS 4, R6RS 11 and its libraries, the SRFIs, and Guile's own forms (manual, "Programming in Scheme").
const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "include", "include-ci", "include-from-path", "test-end"]),
    // R6RS library, 2 and 8.2: macros that take symbols.
    (F::Data, &["endianness", "buffer-mode", "eol-style", "error-handling-mode", "file-options"]),
    (F::Body(0), &["define-property"]),
    (F::Body(1), &["eval-when"]),
    (F::Template, &["quasiquote"]),
    (F::Unquote, &["unquote", "unquote-splicing", "ungexp", "ungexp-splicing", "unsyntax", "unsyntax-splicing"]),
    (F::SyntaxTemplate, &["syntax", "quasisyntax", "quote-syntax", "gexp"]),
    (F::Let, &["let", "let-syntax", "stream-let"]),
    (F::LetStar, &["let*", "and-let*"]),
    (F::LetRec, &["letrec", "letrec*", "letrec-syntax"]),
    (F::LetValues, &["let-values"]),
    (F::LetValuesStar, &["let*-values"]),
    (
        F::LetOptionals,
        &["let-optional", "let-optional*", "let-optionals", "let-optionals*", "let-keywords", "let-keywords*"],
    ),
    (F::Lambda, &["lambda", "lambda*", "λ", "stream-lambda"]),
    (F::CaseLambda, &["case-lambda", "case-lambda*"]),
    (F::NameThen, &["let/ec", "let/cc", "rec", "named-lambda"]),
    (F::Do, &["do"]),
    (F::Bind, &["receive"]),
    (F::Parameterize, &["parameterize", "with-fluids", "fluid-let", "syntax-parameterize"]),
    (F::Cond, &["cond"]),
    (F::CondExpand, &["cond-expand"]),
    (F::Case, &["case"]),
    (F::Match, &["match"]),
    (F::MatchLambda, &["match-lambda", "match-lambda*"]),
    (F::MatchLet, &["match-let", "match-let*", "match-letrec", "match-letrec*"]),
    (F::Guard, &["guard"]),
    (F::Setq, &["set!"]),
    (
        F::Define,
        &[
            "define",
            "define*",
            "define-public",
            "define*-public",
            "define-inlinable",
            "define-integrable",
            "define-private",
            "define-constant",
            "define-stream",
            "define-macro",
            "define-parameter",
            "define-syntax-parameter",
            "define-once",
        ],
    ),
    (F::Macro, &["defmacro", "defmacro-public"]),
    (F::Variable, &["define-generic", "define-accessor"]),
    (F::DefineValues, &["define-values"]),
    (F::DefineMethod, &["define-method", "define-method*"]),
    (F::Syntax, &["define-syntax", "define-syntax-public"]),
    (F::SyntaxRule, &["define-syntax-rule", "define-syntax-rule-public"]),
    (F::SyntaxRules, &["syntax-rules"]),
    (F::IdentifierSyntax, &["identifier-syntax"]),
    (F::SyntaxCase, &["syntax-case"]),
    (F::WithSyntax, &["with-syntax"]),
    (F::ClassOfSlots, &["define-class", "define-class-public"]),
    (F::Record, &["define-record-type", "define-immutable-record-type", "define-record-type*"]),
    (F::Condition, &["define-condition-type", "define-exception-type"]),
    (F::Test, &["test-group", "test-begin"]),
    (F::Module, &["define-module", "library", "define-library", "use-modules", "import", "export", "re-export"]),
    (F::Module, &["export!", "export-syntax", "re-export-syntax", "re-export-modules"]),
    (F::Elsewhere, &["@", "@@"]),
    (F::Language, &["define-language"]),
    (F::Pass, &["define-pass"]),
    (F::PassCase, &["nanopass-case"]),
    (F::InLanguage, &["with-output-language"]),
];

const GUILE: Characters<'_> = Characters {
    blank: b" \t\n\r\x0c",
    brackets: b"()[]",
    comment: b';',
    prefixes: b"'`",
    unquote: Some(b','),
    start: &[],
    // A quote, quasiquote or comma does not end a symbol: `vars'` is one (R7RS 7.1.1, Guile's delimiters).
    terminators: b"\";",
    escape: false,
    bar: false,
};

/// R7RS and Racket quote symbols with `|`, and Racket with `\`, which R7RS does not use; braces are brackets of lists
/// in Racket and reserved in R7RS. For Guile's reader all of these are ordinary constituents.
const R7RS: Characters<'_> = Characters { bar: true, escape: true, brackets: b"()[]{}", ..GUILE };

static READTABLE: Readtable = syntax(&GUILE);

static READTABLE_AFTER_MARK: Readtable = syntax(&R7RS);

const fn syntax(characters: &Characters<'_>) -> Readtable {
    Readtable {
        start: characters.start_table(),
        within: characters.within_table(),
        wide_blank: |_| false,
        dispatch,
        character: |lexer| lexer.atom(),
        splices: b"@",
        package_prefix: false,
        suspects: Suspects::new(b"#", None),
        misspelt: spelling::scheme::misspelt,
        extra: [None; 128],
    }
}

/// What other Schemes write, besides R7RS. Guile is the dialect itself; Chez's notation is checked against Chez, that of
/// the others comes from their manuals.
static VARIANTS: &[Variant] = &[
    Variant { name: "guile", programs: &["guile", "guile-2.2", "guile-3.0"], words: &[], readtable: &READTABLE },
    // Gauche reference manual, 4.5 "Character set", 6.13 "Regular expressions".
    Variant {
        name: "gauche",
        programs: &["gosh"],
        words: &[
            "(use gauche",
            "(use util.",
            "(use file.",
            "(use text.",
            "(use rfc.",
            "(use www.",
            "(use data.",
            "(use math.",
            "(use control.",
            "(use parser.",
            "(use sxml.",
            "(use lang.",
            "(use dbi",
            "(use srfi.",
            "(define-module gauche",
            "(select-module ",
            "(import (gauche",
            "(inherit-module",
            "(define-gauche-",
        ],
        readtable: &GAUCHE,
    },
    // Sagittarius, "Regular expressions" and "Character set".
    Variant {
        name: "sagittarius",
        programs: &["sash", "sagittarius"],
        words: &["(import (sagittarius", "(library (sagittarius", "#!read-macro=sagittarius"],
        readtable: &GAUCHE,
    },
    // CHICKEN manual, "Extensions to the standard": here-strings, `#> ... <#`.
    Variant {
        name: "chicken",
        programs: &["csi", "chicken", "chicken-scheme", "csc"],
        words: &[
            "(import (chicken",
            "(import chicken",
            "(import scheme",
            "(require-extension ",
            "(declare (unit ",
            "(declare (uses ",
        ],
        readtable: &CHICKEN,
    },
    // Kawa, "Regular expressions". Its `&{...}` strings are read as text in braces.
    Variant {
        name: "kawa",
        programs: &["kawa"],
        words: &["(import (kawa", "(module-name ", "(require 'kawa", "(define-alias "],
        readtable: &KAWA,
    },
    // Chez Scheme Version 9 User's Guide, 1.1 "Chez Scheme Syntax".
    Variant {
        name: "chez",
        programs: &["scheme", "petite", "chez", "chezscheme", "scheme-script"],
        words: &["(import (chezscheme", "#!chezscheme"],
        readtable: &CHEZ,
    },
    // Both have `(use srfi-1)`, and neither takes what the other adds.
    Variant { name: "gauche or chicken", programs: &[], words: &["(use "], readtable: &USES },
    Variant {
        name: "r7rs",
        programs: &[
            "gsi",
            "gsi-script",
            "gsc",
            "gxi",
            "chibi-scheme",
            "mit-scheme",
            "bigloo",
            "stklos",
            "cyclone",
            "ypsilon",
        ],
        words: &[
            "(import (chibi",
            "(import (gambit",
            "(import (mit ",
            "(import :",
            "(##include",
            "(##namespace",
            "(declare (standard-bindings",
            "(declare (extended-bindings",
        ],
        readtable: &OTHERS,
    },
];

static GAUCHE: Readtable = other(&[(b'/', DispatchShape::Delimited), (b'[', DispatchShape::CharacterSet)]);
static CHICKEN: Readtable = other(&[(b'>', DispatchShape::Foreign), (b'<', DispatchShape::HereString)]);
static USES: Readtable = other(&[
    (b'/', DispatchShape::Delimited),
    (b'[', DispatchShape::CharacterSet),
    (b'>', DispatchShape::Foreign),
    (b'<', DispatchShape::HereString),
]);
static KAWA: Readtable = other(&[(b'/', DispatchShape::Delimited)]);
static CHEZ: Readtable = Readtable {
    misspelt: spelling::scheme::misspelt,
    ..other(&[(b'{', DispatchShape::Delimited), (b'&', DispatchShape::Prefix)])
};
static OTHERS: Readtable = other(&[]);

/// R7RS with further dispatch characters. Nothing is said of tokens: the implementation is not there to be asked.
const fn other(extra: &[(u8, DispatchShape)]) -> Readtable {
    let mut readtable = Readtable { misspelt: |_| None, ..syntax(&R7RS) };
    let mut at = 0;
    while at < extra.len() {
        readtable.extra[extra[at].0 as usize] = Some(extra[at].1);
        at += 1;
    }
    readtable
}

/// A text with one of these is not in Guile's own Scheme: `|` quotes and braces are brackets. Chez Scheme's own library
/// is imported by that name.
static MARKS: Marks = Marks {
    words: &["(define-library", "#!r7rs", "#lang ", "(chezscheme)", "#!chezscheme", "(import (scheme "],
    reach: 16 * 1024,
    after: &READTABLE_AFTER_MARK,
};

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
        // `#vu8(`, `#2((`, Racket's `#hash{`, `#0=`, `#t`, `#:key`, `#x1F`
        _ => lexer.marked(&STRING_MARKS),
    }
}

/// The tokens that become a prefix if a string directly follows.
const STRING_MARKS: [&[u8]; 6] = [b"#rx", b"#px", b"#rx#", b"#px#", b"#u8", b"#vu8"];

/// `#!`: a directive or an object if a letter follows, otherwise a script header or a block comment.
///
/// Every Scheme has words of its own: `#!fold-case` (R7RS 2.1), `#!eof`, `#!optional`, `#!unspecific`,
/// `#!read-macro=sagittarius/regex`. Guile takes those that it does not know for the start of a comment, but nobody
/// begins one like that: a word would swallow the code after it.
fn bang(lexer: &mut Lexer<'_>) -> TokenKind {
    if lexer.peek_at(1).is_some_and(|byte| byte.is_ascii_lowercase()) {
        return lexer.atom_rest();
    }
    let header = lexer.at_start();
    let mut comment = lexer.clone();
    comment.skip(1);
    match comment.flat_comment(b"!#") {
        // The first line of a script for a Scheme that needs no `!#`.
        TokenKind::UnterminatedComment if header => lexer.line_comment(),
        kind => {
            *lexer = comment;
            kind
        }
    }
}

const FRAGMENTS: &[(&str, &str)] =
    &[("hash_name", r"#<constituent -0123456789{|\\['`~,$+!<=><rest>"), ("mark", r"<hash_name>|#\d+<rest>|#")];

/// R7RS 2.2, 7.1.1 and Guile's reader. Here-strings are missing, because a pattern cannot find their end, which is
/// given in their first line.
const PIECES: &[Piece] = &[
    piece("bang_comment", Role::Comment, r"#!(!+#|([^!a-z]|!+[^!#])([^!]|!+[^!#])*!+#)"),
    piece("directive", Role::Symbol, r"#![a-z]<rest>"),
    piece("datum_comment", Role::Discard, r"#;"),
    piece("character", Role::Symbol, r"#\\.<rest>"),
    piece("vector", Role::Open(Delimiter::Paren), r"(<mark>)\("),
    piece("vector_square", Role::Open(Delimiter::Bracket), r"(<mark>)\["),
    piece("hash_string", Role::Datum, r"(#rx|#px|#rx#|#px#|#u8|#vu8|#)<string>"),
    piece("hash_prefix", Role::Prefix, r"#['`~]|#[,$+]@"),
    piece("hash_unquote", Role::Unquote, r"#[,$+]"),
    piece("label", Role::PrefixSymbol, r"#\d+="),
    piece("hash_number", Role::Symbol, r"#\d+(<step -0123456789=><rest>|=<step><rest>)?"),
    piece("hash_angle", Role::Symbol, r"#\<<step -<><rest>"),
    piece("extended_symbol", Role::Datum, r"#\{([^}\\]|\\.|}+([^}#\\]|\\.))*}+#"),
    piece("hash_symbol", Role::Symbol, r"<hash_name>"),
];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    let escape = unsettled::escape(text);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match (kind, text.as_bytes()) {
        _ if !blank.is_empty() => None,
        (TokenKind::UnterminatedSymbol, [b'#', b'{', ..]) => {
            let ends = text.strip_suffix('}').is_some_and(|before| unsettled::escape(before).is_empty());
            Some(format!("#{{{}", if ends { "}" } else { escape }))
        }
        (TokenKind::UnterminatedSymbol, [b'#', b'!', ..]) => Some(format!("#!a|{escape}")),
        // A bracket directly after the closing bar would belong to this token.
        (TokenKind::UnterminatedSymbol, [b'#', next, ..]) if *next != b'\\' => Some(format!("#a|{escape}")),
        (TokenKind::UnterminatedSymbol, _) => unsettled::quoted(text),
        (TokenKind::Character, _) => unsettled::hash_character(text),
        (TokenKind::Prefix, b"#," | b"#$" | b"#+") => Some(text.to_owned()),
        // A label; a further constituent would make it an atom.
        (TokenKind::Prefix, [b'#', .., b'=']) if is_number(&text[1..text.len() - 1]) => Some("#1=".to_owned()),
        (TokenKind::Prefix, _) => unsettled::unquote(text),
        (TokenKind::Atom, [b'#'] | [b'#', b'<']) => Some(text.to_owned()),
        (TokenKind::Atom, [b'#', b'!', ..]) => Some(format!("#!a{escape}")),
        (TokenKind::Atom, [b'#', b'{', ..]) => None,
        (TokenKind::Atom, [b'#', ..]) if is_number(&text[1..]) => Some("#1".to_owned()),
        // A bracket directly after it would belong to this token.
        (TokenKind::Atom, [b'#', ..]) => Some(format!("#a{escape}")),
        (TokenKind::Atom, _) => unsettled::symbol(text),
        _ => None,
    }
}

const DEFINERS: &[Row] = &[
    row(
        K::Function,
        S::Define,
        &[
            "define",
            "define*",
            "define-public",
            "define*-public",
            "define-inlinable",
            "define-integrable",
            "define/contract",
            "define-constant",
            "define-parameter",
            "define-private",
            "define-checked",
            "define-stream",
        ],
    ),
    row(K::Macro, S::Define, &["define-syntax", "define-syntax-rule", "define-macro", "define-syntax-parameter"]),
    row(K::Macro, S::Callable, &["defmacro", "defmacro-public"]),
    row(K::Macro, S::Define, &["define-syntax-public", "define-syntax-rule-public", "define-for-syntax"]),
    row(K::Variable, S::Named, &["define-language"]),
    row(K::GenericFunction, S::Named, &["define-generic", "define-accessor"]),
    row(K::Method, S::DefineMethod, &["define-method", "define-method*"]),
    row(K::Class, S::Class, &["define-class", "define-class-public", "define-syntax-class"]),
    row(K::Variable, S::Define, &["define-once"]),
    row(K::Variable, S::DefineValues, &["define-values"]),
    row(
        K::Structure,
        S::Record,
        &[
            "define-record-type",
            "define-immutable-record-type",
            "define-record-type*",
            "define-structure",
            "define-struct",
        ],
    ),
    row(K::Structure, S::Struct, &["define-record", "struct"]),
    row(K::Condition, S::Record, &["define-condition-type", "define-exception-type"]),
    row(K::Package, S::Module, &["define-module", "define-library", "library", "module"]),
    row(K::Test, S::Named, &["test-group", "test-begin"]),
    row(K::Test, S::Titled(0), &["test-case"]),
    row(K::Test, S::Titled(1), &["test-assert", "test-error"]),
    // A string alone before the expression is the expected value.
    row(K::Test, S::Titled(2), &["test-equal", "test-eqv", "test-eq"]),
    row(K::Test, S::Titled(3), &["test-approximate"]),
    row(K::Addition, S::Named, &["define-property"]),
    row(
        K::Directive,
        S::Module,
        &["use-modules", "import", "export", "re-export", "provide", "require", "include", "test-end"],
    ),
];

const WRAPPERS: &[Wraps] = &[
    Wraps { wrapper: Wrapper::Body(0), heads: &["begin", "begin0"] },
    Wraps {
        wrapper: Wrapper::Body(1),
        heads: &[
            "define-library",
            "library",
            "eval-when",
            "let",
            "let*",
            "letrec",
            "letrec*",
            "let-values",
            "let-syntax",
            "letrec-syntax",
            "parameterize",
            "when",
            "unless",
            "if",
            "test-group",
            "describe",
            "context",
        ],
    },
    Wraps { wrapper: Wrapper::Body(2), heads: &["module"] },
    Wraps { wrapper: Wrapper::Clauses, heads: &["cond", "cond-expand"] },
];

/// R7RS 2.1 and Guile's `#{...}#`.
fn intern(symbol: &str) -> String {
    let within = |open, close| symbol.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
    match (within("|", "|"), within("#{", "}#")) {
        (Some(quoted), _) => quoted.to_owned(),
        (_, Some(extended)) => unescape(extended),
        _ => symbol.to_owned(),
    }
}

const SHAPES: Shapes = Shapes {
    lists: "let*:1 letrec:1 letrec*:1 let-values:1 let*-values:1 do:1 do:2 parameterize:1 syntax-rules:1 let-syntax:1 \
        letrec-syntax:1 cond:1 cond:2 cond:3 cond:4 case:2 case:3 case:4 match:2 match:3 match:4 with-fluids:1 \
        define-method:1 define-inlinable:1 define-syntax-rule:1 receive:1 define-module:1 syntax-rules:2 let@:2",
    atoms: "define-syntax:1 set!:1 define-record-type:1",
    nested: "let:1 let*:1 letrec:1 letrec*:1 let-values:1 let*-values:1 do:1 parameterize:1 with-fluids:1 let@:2 cond:1 \
        cond:2 cond:3 cond:4 case:2 case:3 case:4 case-lambda:1 case-lambda:2 case-lambda:3 case-lambda:4 \
        case-lambda*:1 case-lambda*:2 match-lambda:1 match-lambda:2 match-lambda:3 match-lambda:4 let-syntax:1 \
        letrec-syntax:1 with-syntax:1 and-let*:1 syntax-rules:2 syntax-rules:3 syntax-rules:4 define-method:1",
    either: "match:2 match:3 match:4 syntax-case:3 syntax-case:4 do:2 define-syntax-rule:1 lambda:1",
    functions: "define:1 define*:1 define-public:1 define*-public:1 define-inlinable:1 define-integrable:1 defmacro:2",
    bodies: "when:2 unless:2 let:2 let@:3 let*:2 letrec:2 letrec*:2 lambda:2 do:3 case:2 match:2 parameterize:2 \
        let-values:2 let*-values:2 with-fluids:2 receive:3 define-record-type:3",
    indents: "begin:0 call-with-input-file:1 call-with-output-file:1 call-with-port:1 call-with-values:1 case:1 \
        define-library:1 define-record-type:1 define-values:1 delay:0 do:2 dynamic-wind:3 element:1 \
        fluid-let:1 in-package:1 lambda:1 let*-values:1 let*:1 let-syntax:1 let-values:1 let:1 letrec*:1 \
        letrec-syntax:1 letrec:1 library:1 list-search-negative:1 list-search-positive:1 \
        list-transform-negative:1 list-transform-positive:1 local-declare:1 macro:1 make-environment:0 \
        make:1 mode:1 named-lambda:1 parameterize:1 receive:2 root:1 sequence:0 style:1 syntax-case:2 \
        syntax-rules:1 syntax-table-define:2 unless:1 using-syntax:1 when:1 with-fluids:1 \
        with-input-from-file:1 with-input-from-port:1 with-input-from-string:1 with-mode:1 \
        with-output-to-file:1 with-output-to-port:1 with-output-to-string:0 with-values:1 λ:1",
    counts: "begin:1 define:2 define*:2 define@:2:2 define-public@:2:2 let@:3 let:2 let*:2 letrec:2 letrec*:2 lambda:2 \
        when:2 unless:2 if:2:3 define-syntax:2:2 let-values:2 let*-values:2 receive:3 parameterize:2 with-fluids:2 \
        do:2 case:2 match:2 syntax-rules:2 set!:2:2 car:1:1 cdr:1:1 cadr:1:1 cons:2:2 not:1:1 null?:1:1 pair?:1:1 \
        eq?:2:2 eqv?:2:2 equal?:2:2 1+:1:1 1-:1:1 length:1:1 vector-ref:2:2 vector-set!:3:3 string-ref:2:2 \
        set-car!:2:2 set-cdr!:2:2 zero?:1:1 reverse:1:1 call-with-values:2:2 dynamic-wind:3:3 for-each:2 map:2 apply:2 \
        and:2 or:2 cond:1 define-module:1 use-modules:1 hashq-ref:2:3 hashq-set!:3:3 display:1:2 ash:2:2 \
        syntax->datum:1:1 memq:2:2 vector-length:1:1 string-length:1:1 substring:2:3 symbol?:1:1 eof-object?:1:1 \
        string?:1:1 $sc-dispatch:2:2 newline:0:1 make-vector:1:2 list?:1:1 symbol->string:1:1 string->symbol:1:1 \
        memv:2:2 and=>:2:2 and-map:2:2 struct-set!:3:3 gensym:0:1 assq:2:2 acons:3:3 integer?:1:1 procedure?:1:1 \
        char->integer:1:1 caar:1:1 identifier?:1:1 struct-ref:2:2 fluid-ref:1:1 negative?:1:1 reverse!:1:2 number?:1:1 \
        cddr:1:1 raise:1:1 integer->char:1:1 module-variable:2:2 cdar:1:1 module-name:1:1 exact-integer?:1:1 \
        number->string:1:2 list-ref:2:2 or-map:2:2 cond-expand-provide:2:2 caddr:1:1 positive?:1:1 defined?:1:2 \
        keyword?:1:1 close-port:1:1 string-null?:1:1 module-define!:3:3 make-string:1:2 hash-ref:2:3 filter:2:2 \
        generate-temporaries:1:1 unspecified?:1:1 load-extension:2:2 make-fluid:0:1 string-set!:3:3 \
        set-exception-printer!:2:2 char?:1:1 struct?:1:1 set-current-module:1:1 call-with-prompt:3:3 assoc-ref:2:2 \
        char-numeric?:1:1 variable-bound?:1:1 expt:2:2 nan?:1:1 module-public-interface:1:1 module-local-variable:2:2 \
        string-join:1:3 record-type-fields:1:1 module-add!:3:3 list->string:1:1 eval:2:2 real?:1:1 hash-set!:3:3 \
        char-whitespace?:1:1 record-accessor:2:2 drop:2:2 call-with-output-string:1:1 string->list:1:3 \
        hash-for-each:2:2 cadar:1:1 string-split:2:2 set-port-encoding!:2:2 module-use!:2:2 hash:2:2 boolean?:1:1 \
        struct-ref/unboxed:2:2 record-predicate:1:1 module-uses:1:1 in-vicinity:2:2",
    operators: "define-module define define* lambda lambda* let if and not cond or cons let* letrec letrec* car cdr eq? null? \
        begin error list + map apply match define-values < set! pair? values define-syntax 1+ call-with-values \
        string-append <= case length reverse zero? unless define-syntax-rule when for-each memq eqv? 1- syntax-rules \
        append string-length vector-ref syntax-case >= format make-hash-table define-record-type display cadr \
        hashq-set! vector-set! fold and=> assq-ref hashq-ref acons string->symbol equal? use-modules export logior ash \
        substring make-vector case-lambda string-ref assq newline library with-syntax catch let*-values let-values \
        member define-macro do delay parameterize guard dynamic-wind call/cc eval-when cond-expand define-public \
        define-method define-class define-inlinable",
    constants: "else",
    ..Shapes::NONE
};

#[cfg(test)]
mod tests {
    use crate::{Dialect, read};

    #[track_caller]
    fn check(text: &str, data: usize) {
        let tree = read(text, Dialect::Scheme);
        assert!(tree.is_balanced(), "{text}: {:?}", tree.diagnostics().first());
        assert_eq!(tree.top_level().count(), data, "{text}");
    }

    #[test]
    fn a_text_is_read_as_the_scheme_that_it_names() {
        check("(import (scheme base) (scheme write))\n(define a '|x \"y|)\n(define (f b) '|(|)\n", 3);
        check("#!/usr/bin/env gosh\n(define (f s) (#/\\(/i s))\n(define b #[\"(])\n(define c #[[:alpha:](])\n", 3);
        check(
            ";; a\n(use gauche.parseopt)\n(define (f s) (rxmatch #/[(]\\/\"/ s))\n(define d #\"a ~(f \\\"(\\\")\")",
            3,
        );
        check(
            "(import (chezscheme))\n(define rtd '#{point f9dk2l-1})\n(define (f x) (list #&x (#%car x) (#2%cdr x)))\n",
            3,
        );
        check("#!/usr/bin/scheme --script\n(define rtd '#{point f9dk2l-1})\n", 1);
        check(
            "(import (chicken base))\n#> int f() { return '('; } <#\n(define s #<<END\n(\nEND\n)\n(define t #<#END\n#{(}\nEND\n)",
            3,
        );
        check("#!/bin/sh\n#| -*- scheme -*-\nexec csi -s $0 \"$@\"\n|#\n(f)\n", 1);
        check("(use srfi-1)\n(f #/[(]\\(/ #[(] #<<END\n(\nEND\n)\n", 2);
        check("(import (sagittarius regex))\n(f #/\"(/ x)\n", 2);
        check("#! /usr/bin/kawa\n(f #/[(]/ x)\n", 1);
        check("#!/usr/bin/gsi-script\n(f '|a (b|)\n", 1);
    }

    #[test]
    fn what_names_no_scheme_is_read_as_guile() {
        check("(define a|b 1)\n(f '|)\n", 2);
        check("#!/usr/bin/guile -s\n!#\n(use-modules (srfi srfi-1))\n(f a|b #{x (y}# c)\n", 2);
        check("(define-module (a b))\n(f a|b)\n", 2);
        check("(f \"(use gauche)\" a|b)\n;; (use gauche.x)\n", 1);
    }
}

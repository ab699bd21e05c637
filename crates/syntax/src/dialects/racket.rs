//! Racket: chapter 1.3, "The Reader", of its reference. `@`-forms, which some languages add, are not read by form.

use memchr::memmem;

use super::{Bang, Braces, CharacterLiteral, Square, Table};
use crate::definer::{FormKind as K, Guess, Row, Shape as S, Wrapper, Wraps, row};
use crate::diagnostic::Delimiter;
use crate::lexer::Lexer;
use crate::pieces::{Piece, Role, piece};
use crate::readtable::{Characters, Readtable, Suspects};
use crate::shapes::{Openers, Shapes};
use crate::special::{SpecialForm as F, SpecialForms};
use crate::spelling;
use crate::token::TokenKind;
use crate::unsettled;

/// The beginnings of names of languages whose text is not read by form: `@`-forms, tables, grammars, infix notation.
const OTHER_NOTATIONS: &[&str] = &[
    "at-exp",
    "scribble/",
    "pollen",
    "2d",
    "brag",
    "ragg",
    "datalog",
    "algol60",
    "honu",
    "rhombus",
    "shrubbery",
    "sweet-exp",
    "rash",
    "punct",
];

pub(super) static TABLE: Table = Table {
    names: &["racket"],
    endings: &["rkt", "rktl", "rktd"],
    file_names: &[],
    first_line: Some("#lang"),
    prose_endings: &["scrbl"],
    data_endings: &["rktd"],
    other_notations: OTHER_NOTATIONS,
    readtable: &READTABLE,
    comment: ';',
    marks: None,
    variants: &[],
    free_dispatch: |_| false,
    pieces: PIECES,
    fragments: FRAGMENTS,
    unsettled,
    nested_comments: true,
    bang: Bang::Name,
    square: Square::Lists,
    character: CharacterLiteral::Hash,
    // `(a . < . b)` is read, too.
    pairs: false,
    braces: Braces::Plain,
    own_tokens,
    ellipsis: true,
    folds_case: false,
    packages: false,
    intern,
    top_class: "object%",
    definers: DEFINERS,
    guess: Some(Guess { begins: "def", contains: None, shape: S::Define, package: None }),
    wrappers: WRAPPERS,
    makes: &[(
        "define-logger",
        &["-logger", "log-*-fatal", "log-*-error", "log-*-warning", "log-*-info", "log-*-debug"],
    )],
    openers: Openers {
        beginnings: &["def"],
        heads: &["struct", "module", "module*", "module+"],
        headers: &["require", "provide"],
    },
    shapes: &SHAPES,
    special_forms: SPECIAL_FORMS,
    takes_functions: &[],
    standard: "",
    operators: include_str!("../operators/racket.txt"),
    threads: false,
    titles: &['"'],
    headings: &[";;;;"],
    ending: None,
};

const CHARACTERS: Characters<'_> = Characters {
    blank: b" \t\n\r\x0b\x0c",
    brackets: b"()[]{}",
    comment: b';',
    prefixes: b"'`",
    unquote: Some(b','),
    start: &[],
    terminators: b"\"';`,",
    escape: true,
    bar: true,
};

static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: char::is_whitespace,
    dispatch,
    character: |lexer| lexer.atom(),
    splices: b"@",
    package_prefix: false,
    suspects: Suspects::new(b"#0123456789+-", None),
    misspelt: spelling::racket::misspelt,
    extra: [None; 128],
};

/// The first words of `#lang` whose reader is Racket's own, `s-exp` and the like included.
const OWN_LANGUAGES: [&str; 14] = [
    "racket",
    "typed",
    "scheme",
    "s-exp",
    "info",
    "setup",
    "slideshow",
    "web-server",
    "rosette",
    "lazy",
    "plai",
    "htdp",
    "racklog",
    "at-exp",
];

/// The text names no language, or one that is written in Racket's own notation.
fn own_tokens(text: &[u8]) -> bool {
    let Some(at) = memmem::find(&text[..text.len().min(4096)], b"#lang ") else {
        return memmem::find(&text[..text.len().min(4096)], b"#reader").is_none();
    };
    let rest = &text[at + 6..];
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-').unwrap_or(rest.len());
    OWN_LANGUAGES.iter().any(|own| own.as_bytes() == &rest[..end])
}

fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    let Some(sub) = lexer.peek() else { return TokenKind::Atom };
    match sub {
        b'|' => lexer.nested_comment(b"#|", b"|#"),
        b';' => lexer.take(1, TokenKind::Discard),
        // `#!racket`, which is `#lang racket`, and objects of other Schemes
        b'!' if lexer.peek_at(1).is_some_and(|byte| byte.is_ascii_lowercase()) => lexer.atom_rest(),
        b'!' => lexer.line_comment(),
        b'\\' => character(lexer),
        b'\'' | b'`' | b'&' => lexer.take(1, TokenKind::Prefix),
        b',' if lexer.peek_at(1) == Some(b'@') => lexer.take(2, TokenKind::Prefix),
        b',' => lexer.take(1, TokenKind::Prefix),
        b'<' if lexer.looking_at(b"<<") => lexer.here_string(),
        b'"' => lexer.string(),
        // `#(`, `#s(`, `#hash{`, `#0=`, `#t`, `#:key`, `#%app`
        _ => lexer.marked(&STRING_MARKS),
    }
}

/// `#\x`, `#\newline`, `#\u3BB`: all letters and digits that follow, or one other character.
fn character(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    if lexer.skip_while(|byte| byte.is_ascii_alphanumeric()) == 0 {
        lexer.skip_char();
    }
    TokenKind::Character
}

/// The tokens that become a prefix if a string directly follows.
const STRING_MARKS: [&[u8]; 4] = [b"#rx", b"#px", b"#rx#", b"#px#"];

const FRAGMENTS: &[(&str, &str)] =
    &[("hash_name", r"#<constituent -0123456789&!<><rest>"), ("mark", r"<hash_name>|#\d+<rest>|#")];

/// Here-strings are missing, because a pattern cannot find their end, which is given in their first line.
const PIECES: &[Piece] = &[
    piece("datum_comment", Role::Discard, r"#;"),
    piece("character", Role::Datum, r"#\\[^0-9A-Za-z]"),
    // A following letter could continue this.
    piece("character_name", Role::Symbol, r"#\\[0-9A-Za-z]+"),
    piece("vector", Role::Open(Delimiter::Paren), r"(<mark>)\("),
    piece("vector_square", Role::Open(Delimiter::Bracket), r"(<mark>)\["),
    piece("vector_curly", Role::Open(Delimiter::Brace), r"(<mark>)\{"),
    piece("hash_string", Role::Datum, r"(#rx|#px|#rx#|#px#|#)<string>"),
    piece("hash_prefix", Role::Prefix, r"#['`&]|#,@"),
    piece("hash_unquote", Role::Unquote, r"#,"),
    piece("label", Role::PrefixSymbol, r"#\d+="),
    piece("hash_number", Role::Symbol, r"#\d+(<step -0123456789=><rest>|=<step><rest>)?"),
    piece("hash_angle", Role::Symbol, r"#\<<step -<><rest>"),
    piece("directive", Role::Symbol, r"#![a-z]<rest>"),
    piece("hash_symbol", Role::Symbol, r"<hash_name>"),
];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match (kind, text.as_bytes()) {
        _ if !blank.is_empty() => None,
        (TokenKind::UnterminatedSymbol, [b'#', b'!', ..]) => Some(format!("#!a|{}", unsettled::escape(text))),
        (TokenKind::Atom, [b'#', b'!', ..]) => Some(format!("#!a{}", unsettled::escape(text))),
        // A bracket directly after the closing bar would belong to this token.
        (TokenKind::UnterminatedSymbol, [b'#', ..]) => Some(format!("#a|{}", unsettled::escape(text))),
        (TokenKind::UnterminatedSymbol, _) => unsettled::quoted(text),
        (TokenKind::Character, b"#\\") => Some(text.to_owned()),
        (TokenKind::Character, [.., last]) => last.is_ascii_alphanumeric().then(|| "#\\a".to_owned()),
        (TokenKind::Prefix, b"#,") => Some(text.to_owned()),
        // A label; a further constituent would make it an atom.
        (TokenKind::Prefix, [b'#', .., b'=']) if is_number(&text[1..text.len() - 1]) => Some("#1=".to_owned()),
        (TokenKind::Prefix, _) => unsettled::unquote(text),
        (TokenKind::Atom, b"#" | b"#<") => Some(text.to_owned()),
        (TokenKind::Atom, [b'#', ..]) if is_number(&text[1..]) => Some("#1".to_owned()),
        (TokenKind::Atom, [b'#', ..]) => Some(format!("#a{}", unsettled::escape(text))),
        (TokenKind::Atom, _) => unsettled::symbol(text),
        _ => None,
    }
}

/// Bars and backslashes quote, anywhere in a symbol.
fn intern(symbol: &str) -> String {
    let mut name = String::with_capacity(symbol.len());
    let mut letters = symbol.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => name.extend(letters.next()),
            '|' => {}
            _ => name.push(letter),
        }
    }
    name
}

/// The forms of `racket`, `racket/class`, `racket/unit`, `racket/match`, `syntax/parse` and `typed/racket`.
const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "include", "#%declare", "define-literal-set"]),
    (F::Template, &["quasiquote"]),
    (F::Unquote, &["unquote", "unquote-splicing", "unsyntax", "unsyntax-splicing"]),
    (F::SyntaxTemplate, &["syntax", "quasisyntax", "quote-syntax", "template", "syntax-quote"]),
    (F::PlacedTemplate, &["syntax/loc", "quasisyntax/loc", "template/loc", "quasitemplate/loc", "syntax/prop"]),
    (F::SyntaxTemplate, &["quasitemplate"]),
    (F::Let, &["let", "let-syntax", "splicing-let", "splicing-let-syntax", "let:", "let/syntax"]),
    (F::LetStar, &["let*", "splicing-let*", "let*:", "and-let*"]),
    (F::LetRec, &["letrec", "letrec-syntax", "splicing-letrec", "splicing-letrec-syntax", "letrec:", "shared"]),
    (F::LetValues, &["let-values", "let-syntaxes", "splicing-let-values", "splicing-let-syntaxes", "let-values:"]),
    (F::LetValuesStar, &["let*-values", "splicing-let*-values", "let*-values:"]),
    (
        F::LetRecValues,
        &["letrec-values", "letrec-syntaxes", "splicing-letrec-values", "splicing-letrec-syntaxes", "letrec-values:"],
    ),
    (F::LetSyntaxesValues, &["letrec-syntaxes+values", "splicing-letrec-syntaxes+values"]),
    (F::Procedure, &["lambda", "λ", "#%plain-lambda", "lambda:", "λ:", "opt-lambda", "opt-lambda:", "plambda:"]),
    (F::CaseProcedure, &["case-lambda", "case-lambda:", "case-λ"]),
    (F::NameThen, &["let/ec", "let/cc", "let/ec:", "let/cc:", "rec"]),
    (F::Do, &["do", "do:"]),
    (
        F::Parameterize,
        &[
            "parameterize",
            "parameterize*",
            "fluid-let",
            "syntax-parameterize",
            "splicing-parameterize",
            "splicing-syntax-parameterize",
        ],
    ),
    (F::ListsOfCode, &["with-handlers", "with-handlers*", "with-handlers:"]),
    (F::LocalDefinitions, &["local", "splicing-local"]),
    (F::Conditional, &["when", "unless"]),
    (F::Cond, &["cond"]),
    (F::Case, &["case", "case/equal", "case/eq"]),
    (F::Setq, &["set!"]),
    (F::SetValues, &["set!-values"]),
    (
        F::Define,
        &[
            "define",
            "define:",
            "define/contract",
            "define-inline",
            "define-for-syntax",
            "define-syntax-parameter",
            "define-match-expander",
            "define-sequence-syntax",
            "define-macro",
            "define/memo",
            "define/memo*",
            "define-runtime-path",
            "define-runtime-module-path",
            "define-runtime-module-path-index",
            "define-runtime-path-list",
            "define-namespace-anchor",
            "define-type",
            "define-module-boundary-contract",
            "define-custom-hash-types",
            "define-custom-set-types",
            "define-splicing-for-clause-syntax",
            "define-check",
            "define-simple-check",
            "define-binary-check",
            "define/subexpression-pos-prop",
            "define/public",
            "define/private",
            "define/override",
            "define/augment",
            "define/augride",
            "define/overment",
            "define/pubment",
            "define/public-final",
            "define/override-final",
            "define/augment-final",
        ],
    ),
    (F::DefineValues, &["define-values", "define-values-for-syntax", "define-syntaxes", "define-runtime-paths"]),
    (F::DefineValues, &["define-values:"]),
    (F::DefineNames, &["define-local-member-name"]),
    (F::ForeignDefiner, &["define-ffi-definer"]),
    (F::Syntax, &["define-syntax", "define-provide-syntax", "define-require-syntax", "define-rename-transformer"]),
    (F::SyntaxRule, &["define-syntax-rule"]),
    (F::SyntaxRules, &["syntax-rules", "syntax-id-rules"]),
    (F::SyntaxCase, &["syntax-case", "syntax-case/loc"]),
    (F::WithSyntax, &["with-syntax", "with-syntax*"]),
    (F::SyntaxParse, &["syntax-parse"]),
    (F::SyntaxParser, &["syntax-parser"]),
    (F::SyntaxParserDefinition, &["define-syntax-parser"]),
    (F::SyntaxParseRule, &["define-syntax-parse-rule", "define-simple-macro"]),
    (F::SyntaxClass, &["define-syntax-class", "define-splicing-syntax-class"]),
    (F::SyntaxDefine, &["define/with-syntax", "define/syntax-parse"]),
    (F::Match, &["match", "match/derived"]),
    (F::MatchLambda, &["match-lambda", "match-lambda*"]),
    (F::MatchLet, &["match-let", "match-let*", "match-letrec"]),
    (F::MatchMany, &["match*", "match*/derived"]),
    (F::MatchManyLambda, &["match-lambda**"]),
    (F::MatchFunction, &["define/match"]),
    (F::MatchDefine, &["match-define"]),
    (F::MatchDefineValues, &["match-define-values"]),
    (F::MatchCheck, &["check-match"]),
    (F::MatchLetValues, &["match-let-values", "match-let*-values", "match-letrec-values"]),
    (
        F::Iteration { in_turn: false, results: false },
        &[
            "for",
            "for/list",
            "for/vector",
            "for/hash",
            "for/hasheq",
            "for/hasheqv",
            "for/and",
            "for/or",
            "for/sum",
            "for/product",
            "for/first",
            "for/last",
            "for/set",
            "for/seteq",
            "for/seteqv",
            "for/mutable-set",
            "for/string",
            "for/bytes",
            "for/stream",
            "for/flvector",
            "for/fxvector",
            "for/async",
            "for/sequence",
        ],
    ),
    (
        F::Iteration { in_turn: true, results: false },
        &[
            "for*",
            "for*/list",
            "for*/vector",
            "for*/hash",
            "for*/hasheq",
            "for*/hasheqv",
            "for*/and",
            "for*/or",
            "for*/sum",
            "for*/product",
            "for*/first",
            "for*/last",
            "for*/set",
            "for*/seteq",
            "for*/seteqv",
            "for*/mutable-set",
            "for*/string",
            "for*/bytes",
            "for*/stream",
            "for*/flvector",
            "for*/fxvector",
        ],
    ),
    (F::Iteration { in_turn: false, results: true }, &["for/fold", "for/foldr", "for/lists"]),
    (F::Iteration { in_turn: true, results: true }, &["for*/fold", "for*/foldr", "for*/lists"]),
    (
        F::Fields,
        &[
            "struct",
            "define-struct",
            "serializable-struct",
            "define-serializable-struct",
            "struct/contract",
            "define-struct/contract",
            "struct:",
            "define-struct:",
            "define-cstruct",
        ],
    ),
    (F::Generics, &["define-generics"]),
    (F::ClassBody(1), &["class", "class/derived"]),
    (F::ClassBody(2), &["class*"]),
    (F::ClassBody(2), &["mixin"]),
    (F::Send, &["send", "send/apply", "send/keyword-apply"]),
    (F::SendMany, &["send*", "send+"]),
    (F::MemberName, &["super", "inner", "get-field", "set-field!", "field-bound?", "generic"]),
    (F::New, &["new"]),
    (F::SuperNew, &["super-new"]),
    (F::Instantiate, &["instantiate"]),
    (F::Unit { named: false }, &["unit", "unit/s"]),
    (F::Unit { named: true }, &["define-unit"]),
    (F::Signature, &["define-signature"]),
    (F::Submodule(0), &["module+"]),
    (F::Submodule(1), &["module", "module*"]),
    (F::Module, &["require", "#%require", "local-require", "lazy-require", "require/expose"]),
    (F::Provide, &["provide", "#%provide", "provide/contract"]),
    (F::TypedRequire, &["require/typed", "require/typed/provide"]),
    (F::CommandLine, &["command-line"]),
    (F::DependentContract, &["->i", "->d"]),
    (F::ForAll, &["All", "∀", "forall"]),
    (F::DescribedFunction, &["defproc", "defconstructor", "defmethod"]),
    (F::DescribedFunctions, &["defproc*", "defmethod*"]),
    (
        F::ShownCode,
        &[
            "examples",
            "defexamples",
            "interaction",
            "interaction0",
            "interaction/no-prompt",
            "interaction-eval",
            "interaction-eval-show",
            "racketblock",
            "racketblock0",
            "RACKETBLOCK",
            "RACKETBLOCK0",
            "racketinput",
            "racketinput0",
            "racketmod",
            "racketmod0",
            "racketblock+eval",
            "racketblock0+eval",
            "racketmod+eval",
            "schemeblock",
            "schemeinput",
            "schememod",
            "def+int",
            "defs+int",
            "eval:no-prompt",
        ],
    ),
    (F::DescribedForm, &["defform", "defform/subs", "defsubform"]),
];

const DEFINERS: &[Row] = &[
    row(
        K::Function,
        S::Define,
        &[
            "define",
            "define/contract",
            "define/public",
            "define/private",
            "define/override",
            "define/augment",
            "define/pubment",
            "define/public-final",
            "define/override-final",
            "define/augride",
            "define/overment",
            "define/augment-final",
            "define/memo",
            "define/memo*",
            "define/subexpression-pos-prop",
            "define:",
            "define-inline",
            "define-for-syntax",
            "define-private",
        ],
    ),
    row(
        K::Macro,
        S::Define,
        &[
            "define-syntax",
            "define-syntax-rule",
            "define-simple-macro",
            "define-syntax-parse-rule",
            "define-syntax-parameter",
            "define-match-expander",
            "define-sequence-syntax",
            "define-splicing-for-clause-syntax",
            "define-macro",
        ],
    ),
    row(
        K::Macro,
        S::Define,
        &[
            "define-syntax-parser",
            "define-provide-syntax",
            "define-require-syntax",
            "define-rename-transformer",
            "define-ffi-definer",
        ],
    ),
    row(K::Macro, S::DefineValues, &["define-syntaxes"]),
    row(
        K::Variable,
        S::DefineValues,
        &["define-values", "define-values:", "define-values-for-syntax", "define-runtime-paths"],
    ),
    // Documentation of what another file defines.
    row(
        K::Expression,
        S::Unnamed,
        &[
            "defproc",
            "defproc*",
            "defform",
            "defform*",
            "defform/subs",
            "defform*/subs",
            "defform/none",
            "defsubform",
            "defsubform*",
            "defidform",
            "defidform/inline",
            "defthing",
            "defthing*",
            "defparam",
            "defparam*",
            "defboolparam",
            "defstruct",
            "defstruct*",
            "defclass",
            "defclass/title",
            "definterface",
            "definterface/title",
            "defmixin",
            "defmixin/title",
            "defconstructor",
            "defconstructor/make",
            "defconstructor/auto-super",
            "defmethod",
            "defmethod*",
            "defsignature",
            "defsignature/splice",
            "deftogether",
            "deftech",
            "defterm",
            "defmodule",
            "defmodule*",
            "defmodulelang",
            "defmodulelang*",
            "defmodulereader",
            "defmodulereader*",
            "defexamples",
        ],
    ),
    // The names are in a pattern.
    row(K::Variable, S::Unnamed, &["match-define", "match-define-values"]),
    row(K::Definition, S::Unnamed, &["define-local-member-name"]),
    // What they define is in a signature.
    row(K::Directive, S::Unnamed, &["define-values/invoke-unit", "define-values/invoke-unit/infer"]),
    row(K::Function, S::Define, &["define/match", "define-check", "define-simple-check", "define-binary-check"]),
    row(
        K::Structure,
        S::Fields,
        &[
            "struct",
            "define-struct",
            "serializable-struct",
            "define-serializable-struct",
            "struct/contract",
            "define-struct/contract",
            "struct:",
            "define-struct:",
            "define-cstruct",
        ],
    ),
    row(K::GenericFunction, S::Generics, &["define-generics"]),
    row(K::Type, S::Named, &["define-type"]),
    row(K::Definition, S::Named, &["define-syntax-class", "define-splicing-syntax-class"]),
    row(K::Addition, S::Named, &[":"]),
    row(K::Definition, S::Named, &["define-signature", "define-unit", "define-logger"]),
    row(K::Definition, S::Named, &["define-runtime-path", "define-runtime-path-list", "define-namespace-anchor"]),
    row(K::Definition, S::Named, &["define-runtime-module-path", "define-runtime-module-path-index"]),
    row(K::Definition, S::Named, &["define-module-boundary-contract"]),
    row(K::Package, S::Module, &["module", "module*", "module+"]),
    row(K::Test, S::Titled(0), &["test-case", "test-suite", "test-begin"]),
    row(K::Directive, S::Module, &["require", "provide", "#%require", "#%provide", "include"]),
];

const WRAPPERS: &[Wraps] = &[
    Wraps { wrapper: Wrapper::Body(0), heads: &["begin", "begin0", "begin-for-syntax", "#%module-begin"] },
    Wraps {
        wrapper: Wrapper::Body(1),
        heads: &[
            "module+",
            "test-suite",
            "let",
            "let*",
            "letrec",
            "let-values",
            "let-syntax",
            "splicing-let",
            "splicing-letrec",
            "splicing-let-syntax",
            "splicing-parameterize",
            "parameterize",
            "when",
            "unless",
            "if",
        ],
    },
    Wraps { wrapper: Wrapper::Body(2), heads: &["module", "module*"] },
    Wraps { wrapper: Wrapper::Clauses, heads: &["cond"] },
];

const SHAPES: Shapes = Shapes {
    lists: "let*:1 letrec:1 let-values:1 let*-values:1 letrec-values:1 do:1 do:2 parameterize:1 syntax-rules:1 let-syntax:1 \
        letrec-syntax:1 with-syntax:1 cond:1 cond:2 cond:3 cond:4 case:2 case:3 case:4 match:2 match:3 match:4 for:1 \
        for*:1 for/list:1 for*/list:1 for/vector:1 for/hash:1 for/and:1 for/or:1 for/sum:1 for/first:1 for/fold:1 for/fold:2 \
        for*/fold:1 for*/fold:2 with-handlers:1 define-values:1 define-syntax-rule:1 let@:2 match-lambda:1 match-let:1",
    atoms: "define-syntax:1 set!:1 struct:1 module:1 module+:1",
    nested: "let:1 let*:1 letrec:1 let-values:1 let*-values:1 letrec-values:1 do:1 parameterize:1 let@:2 cond:1 cond:2 cond:3 \
        cond:4 case:2 case:3 case:4 case-lambda:1 case-lambda:2 case-lambda:3 case-lambda:4 match-lambda:1 match-lambda:2 \
        let-syntax:1 letrec-syntax:1 with-syntax:1 syntax-rules:2 syntax-rules:3 for:1 for*:1 for/list:1 for*/list:1 \
        for/vector:1 for/hash:1 for/and:1 for/or:1 for/sum:1 for/first:1 for/fold:1 for/fold:2 for*/fold:1 for*/fold:2 \
        with-handlers:1 match-let:1",
    either: "match:2 match:3 match:4 syntax-case:3 syntax-case:4 syntax-parse:2 syntax-parse:3 syntax-parse:4 do:2 lambda:1",
    functions: "define:1 define-inline:1",
    bodies: "when:2 unless:2 let:2 let@:3 let*:2 letrec:2 lambda:2 do:3 case:2 match:2 parameterize:2 let-values:2 \
        let*-values:2 for:2 for*:2 for/list:2 for*/list:2 for/fold:3 for*/fold:3 with-handlers:2 module:3 module+:2",
    indents: "case:1 when:1 unless:1 begin:0 begin0:1 begin-for-syntax:0 let:1 let*:1 letrec:1 let-values:1 \
        let*-values:1 letrec-values:1 let-syntax:1 let-syntaxes:1 letrec-syntax:1 letrec-syntaxes:1 \
        letrec-syntaxes+values:2 parameterize:1 parameterize*:1 parameterize-break:1 parameterization:1 \
        fluid-let:1 local:1 lambda:1 λ:1 case-lambda:0 do:2 for:1 for*:1 for/list:1 for*/list:1 for/vector:1 \
        for/hash:1 for/and:1 for/or:1 for/sum:1 for/first:1 for/last:1 for/fold:2 for*/fold:2 for/lists:2 \
        match:1 match*:1 match-lambda:0 match-let:1 match-let*:1 syntax-case:2 syntax-case*:3 syntax-parse:1 \
        syntax-rules:1 syntax/loc:1 quasisyntax/loc:1 with-syntax:1 with-handlers:1 with-handlers*:1 \
        module:2 module*:2 module+:1 class:a class*:a unit:a interface:1 mixin:2 let/ec:1 let/cc:1 \
        with-continuation-mark:2 dynamic-wind:0 call-with-values:1 call-with-input-file:1 \
        call-with-output-file:1 with-output-to-string:0 with-output-to-file:1 struct:d define-struct:d \
        catch:1 test-case:1 test-suite:1 cond:a if:a and:a or:a provide:a require:a splicing-let:1 \
        syntax-parser:0 send:a new:a instantiate:2 set!:1 shared:1 delay:0 define-syntax-class:d \
        define-signature:d define-unit:d command-line:a place:1 thread:0 let-struct:3",
    counts: "begin:1 define:2 define@:2:2 let@:3 let:2 let*:2 letrec:2 lambda:2 when:2 unless:2 if:3:3 define-syntax:2:2 \
        define-syntax-rule:2:2 define-values:2:2 let-values:2 let*-values:2 parameterize:2 do:2 case:2 match:2 syntax-rules:2 \
        for:2 for*:2 for/list:2 for/fold:3 with-handlers:2 set!:2:2 car:1:1 cdr:1:1 cadr:1:1 cons:2:2 not:1:1 null?:1:1 \
        pair?:1:1 eq?:2:2 eqv?:2:2 equal?:2:3 add1:1:1 sub1:1:1 length:1:1 vector-ref:2:2 vector-set!:3:3 string-ref:2:2 \
        zero?:1:1 reverse:1:1 call-with-values:2:2 dynamic-wind:3:3 for-each:2 map:2 apply:2 hash-ref:2:3 hash-set:3:3 \
        hash-set!:3:3 first:1:1 rest:1:1 empty?:1:1",
    parts: "for:1 for*:1 for/list:1 for*/list:1 for/fold:1",
    name_first: "for for* for/list for*/list for/vector for/hash for/and for/or for/sum for/first for/fold with-handlers",
    list_first: "letrec-values",
    operators: "define lambda let let* letrec if cond and or not when unless begin set! quote car cdr cons list list* append map \
        for-each apply null? pair? eq? equal? eqv? require provide define-syntax define-syntax-rule syntax-case syntax-rules \
        syntax-parse syntax with-syntax match match* define-values let-values call-with-values values for for* for/list \
        for/fold for/and for/or for/hash struct module module+ parameterize with-handlers raise error raise-syntax-error \
        raise-argument-error format printf displayln display vector-ref vector-set! hash-ref hash-set! hash-set make-hash \
        make-hasheq string-append string=? substring symbol->string string->symbol length reverse filter foldl foldr sort \
        member assoc memq assq first second third rest empty? add1 sub1 zero? positive? string? symbol? number? list? vector? \
        procedure? regexp-match case case-lambda do define/public define/override define/contract class new send init-field \
        super-new contract-out struct-out all-defined-out for-syntax only-in except-in check-equal? check-true test-case \
        parse-syntax datum->syntax syntax->datum syntax->list -> ->* define-for-syntax begin-for-syntax + - * / = < > <= >=",
    constants: "else",
    ..Shapes::NONE
};

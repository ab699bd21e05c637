//! What stands behind `#`, and character literals, dialect by dialect.
//!
//! The reader has small functions for these; here they are as expressions. Tests hold the two against each other, for
//! every character behind `#`.

use lispwright_syntax::{Delimiter, Dialect};

use crate::chars::Chars;
use crate::expr::Expr;

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A datum in one piece.
    Datum,
    /// A datum in one piece that goes on as far as a symbol goes.
    Symbol,
    /// Opens a list.
    Open(Delimiter),
    /// Belongs to the datum after it.
    Prefix,
    /// Belongs to the datum after it, and an `@` directly behind it belongs to it too.
    Unquote,
    /// Belongs to the datum after it, and goes on as far as a symbol goes.
    PrefixSymbol,
    /// Takes two data.
    Annotation,
    /// Makes the datum after it a comment.
    Discard,
    /// A comment.
    Comment,
}

/// A token, named with words and `_`.
pub(crate) type Piece = (&'static str, Role, Expr);

/// What a symbol is made of, for tokens that go on as far as one.
pub(crate) struct Symbols<'a> {
    /// Characters that stand for themselves.
    pub(crate) constituents: &'a Chars,
    /// Escaped and quoted characters.
    pub(crate) quoting: &'a [Expr],
}

impl Symbols<'_> {
    /// One step of a symbol.
    pub(crate) fn step(&self) -> Expr {
        self.step_without("")
    }

    /// As far as a symbol goes, which may be nowhere.
    pub(crate) fn rest(&self) -> Expr {
        self.step().many()
    }

    /// One step that is none of the characters of `list`.
    fn step_without(&self, list: &str) -> Expr {
        let mut choices = vec![Expr::Chars(self.constituents.without(list))];
        choices.extend(self.quoting.iter().cloned());
        if choices.len() == 1 { choices.remove(0) } else { Expr::Choice(choices) }
    }

    /// As far as a symbol goes, beginning with none of the characters of `list`.
    fn rest_without(&self, list: &str) -> Expr {
        Expr::Sequence(vec![self.step_without(list), self.rest()]).maybe()
    }
}

/// The tokens of `dialect` that begin with `#`, and its character literals.
pub(crate) fn pieces(dialect: Dialect, symbols: &Symbols<'_>) -> Vec<Piece> {
    match dialect {
        Dialect::CommonLisp => common_lisp(symbols),
        Dialect::Scheme => scheme(symbols),
        Dialect::Clojure | Dialect::Edn => clojure(symbols),
        Dialect::EmacsLisp => emacs_lisp(symbols),
    }
}

fn text(text: &str) -> Expr {
    Expr::text(text)
}

fn sequence(parts: impl Into<Vec<Expr>>) -> Expr {
    Expr::Sequence(parts.into())
}

fn choice(parts: impl Into<Vec<Expr>>) -> Expr {
    Expr::Choice(parts.into())
}

fn digits() -> Expr {
    Expr::Chars(Chars::digits())
}

fn any() -> Expr {
    Expr::Chars(Chars::all())
}

/// CLHS 2.4.8. A sub-character nobody defined keeps the shape of what follows it.
fn common_lisp(symbols: &Symbols<'_>) -> Vec<Piece> {
    let free = || Expr::Chars(Chars::except("0123456789|\\(+-'.,`=#\"*:;) \t\n\r\x0c!"));
    let plain = || sequence([text("#"), digits().many()]);
    // One that stands before a further `#` belongs to what that begins.
    let outer = || choice([free(), text("!")]);
    let hash = || sequence([sequence([plain(), outer()]).many(), plain()]);
    vec![
        ("character", Role::Symbol, sequence([hash(), text("\\"), any(), symbols.rest()])),
        ("hash_list", Role::Open(Delimiter::Paren), sequence([hash(), free().maybe(), text("(")])),
        ("hash_string", Role::Datum, sequence([hash(), free().maybe(), Expr::quoted("\"", '"')])),
        ("feature", Role::Annotation, sequence([hash(), text("!").maybe(), Expr::one_of("+-")])),
        ("hash_prefix", Role::Prefix, sequence([hash(), Expr::one_of("'.,`")])),
        ("label", Role::Prefix, sequence([text("#"), digits().some(), text("=")])),
        ("reference", Role::Datum, sequence([text("#"), digits().some(), text("#")])),
        ("hash_quote", Role::Prefix, sequence([hash(), free(), Expr::one_of("'`,")])),
        ("hash_symbol", Role::Symbol, sequence([hash(), Expr::one_of("*:"), symbols.rest()])),
        ("hash_free", Role::Symbol, sequence([hash(), free(), symbols.rest_without("#")])),
        ("hash_bang", Role::Symbol, sequence([hash(), text("!"), symbols.rest_without("#+-")])),
    ]
}

/// R7RS 2.2, 7.1.1 and Guile's reader. A here-string ends where its own first line says: no grammar can.
fn scheme(symbols: &Symbols<'_>) -> Vec<Piece> {
    let hash_name = || {
        let free = symbols.constituents.without("0123456789{|\\['`~,$+!<=");
        sequence([text("#"), Expr::Chars(free), symbols.rest()])
    };
    let directives = Dialect::Scheme.table().directives.iter().map(|name| text(&format!("#!{name}")));
    let no_bang = || Expr::Chars(Chars::except("!"));
    let bangs = |next: Chars| sequence([text("!").some(), Expr::Chars(next)]);
    let lower_case: String = ('a'..='z').collect();
    // What begins like a directive is one: a lexer that never goes back has to know at once.
    let begin = || choice([Expr::Chars(Chars::except("!").without(&lower_case)), bangs(Chars::except("!#"))]);
    let inside = || choice([no_bang(), bangs(Chars::except("!#"))]).many();
    let end = || sequence([text("!").some(), text("#")]);
    let comment = sequence([text("#!"), choice([end(), sequence([begin(), inside(), end()])])]);
    let numbered = || sequence([text("#"), digits().some()]);
    let brace = |next| sequence([text("}").some(), next]);
    let escaped = || sequence([text("\\"), any()]);
    let extended = sequence([
        text("#{"),
        choice([
            Expr::Chars(Chars::except("}\\")),
            escaped(),
            brace(choice([Expr::Chars(Chars::except("}#\\")), escaped()])),
        ])
        .many(),
        text("}").some(),
        text("#"),
    ]);
    let string_prefixes = ["#rx", "#px", "#rx#", "#px#", "#u8", "#vu8", "#"].map(text);
    vec![
        ("bang_comment", Role::Comment, comment),
        ("directive", Role::Symbol, choice(directives.collect::<Vec<_>>())),
        ("datum_comment", Role::Discard, text("#;")),
        ("character", Role::Symbol, sequence([text("#\\"), any(), symbols.rest()])),
        (
            "vector",
            Role::Open(Delimiter::Paren),
            sequence([choice([hash_name(), sequence([numbered(), symbols.rest()]), text("#")]), text("(")]),
        ),
        (
            "vector_square",
            Role::Open(Delimiter::Bracket),
            sequence([choice([hash_name(), sequence([numbered(), symbols.rest()]), text("#")]), text("[")]),
        ),
        ("hash_string", Role::Datum, sequence([choice(string_prefixes), Expr::quoted("\"", '"')])),
        (
            "hash_prefix",
            Role::Prefix,
            choice([sequence([text("#"), Expr::one_of("'`~")]), sequence([text("#"), Expr::one_of(",$+"), text("@")])]),
        ),
        ("hash_unquote", Role::Unquote, sequence([text("#"), Expr::one_of(",$+")])),
        ("label", Role::PrefixSymbol, sequence([numbered(), text("=")])),
        (
            "hash_number",
            Role::Symbol,
            sequence([
                numbered(),
                choice([
                    sequence([symbols.step_without("0123456789="), symbols.rest()]),
                    sequence([text("="), symbols.step(), symbols.rest()]),
                ])
                .maybe(),
            ]),
        ),
        ("hash_angle", Role::Symbol, sequence([text("#<"), symbols.step_without("<"), symbols.rest()])),
        ("extended_symbol", Role::Datum, extended),
        ("hash_symbol", Role::Symbol, hash_name()),
    ]
}

/// The dispatch table of `clojure.lang.LispReader`.
fn clojure(symbols: &Symbols<'_>) -> Vec<Piece> {
    let blanks = Expr::one_of(" \t\n\r,").some();
    let tag = symbols.constituents.without("_'=!?#:<");
    vec![
        ("character", Role::Symbol, sequence([text("\\"), any(), symbols.rest()])),
        ("function", Role::Open(Delimiter::Paren), text("#(")),
        ("set", Role::Open(Delimiter::Brace), text("#{")),
        ("hash_vector", Role::Open(Delimiter::Bracket), text("#[")),
        ("regex", Role::Datum, Expr::quoted("#\"", '"')),
        ("discard", Role::Discard, text("#_")),
        ("hash_meta", Role::Annotation, text("#^")),
        ("hash_prefix", Role::Prefix, sequence([text("#"), Expr::one_of("'=")])),
        ("conditional", Role::Prefix, sequence([text("#?"), text("@").maybe()])),
        ("namespaced", Role::PrefixSymbol, sequence([text("#:"), symbols.rest()])),
        ("symbolic", Role::Symbol, sequence([choice([text("##"), text("#<")]), symbols.rest()])),
        (
            "tag",
            Role::PrefixSymbol,
            sequence([text("#"), choice([Expr::Chars(tag), sequence([blanks, symbols.step()])]), symbols.rest()]),
        ),
    ]
}

/// `read0` of Emacs's `lread.c`. The bytes that `#@` skips in compiled files cannot be counted by a grammar.
fn emacs_lisp(symbols: &Symbols<'_>) -> Vec<Piece> {
    let free = || {
        let first = symbols.constituents.without("0123456789([^!@&:_$'");
        sequence([text("#"), Expr::Chars(first), symbols.rest()])
    };
    let hex = || Expr::Chars(Chars::hex_digits());
    let octal = Expr::one_of("01234567");
    // `?\C-\M-x`: what a modifier modifies follows, perhaps with a backslash of its own.
    let modifiers = || {
        let letter = sequence([text("\\"), Expr::one_of("CMSHAs"), text("-")]);
        choice([letter, text("\\^")]).many()
    };
    let plain = choice([
        Expr::Chars(Chars::except("\\")),
        sequence([text("\\"), Expr::Chars(Chars::except("CMSHAs^xuUN01234567"))]),
    ]);
    // What a following character could continue; it has to be the last of its symbol.
    let lengthy = sequence([
        text("\\"),
        choice([
            Expr::one_of("CMSHAs"),
            sequence([text("x"), hex().many()]),
            sequence([text("u"), hex().up_to(4)]),
            sequence([text("U"), hex().up_to(8)]),
            sequence([text("N"), sequence([text("{"), Expr::Chars(Chars::except("}\n")).many(), text("}")]).maybe()]),
            sequence([octal.clone(), octal.up_to(2)]),
        ]),
    ]);
    let numbered = || sequence([text("#"), digits().some()]);
    vec![
        ("character", Role::Datum, sequence([text("?"), modifiers(), plain])),
        ("character_code", Role::Symbol, sequence([text("?"), modifiers(), lengthy])),
        ("function", Role::Prefix, text("#'")),
        ("record", Role::Open(Delimiter::Paren), sequence([choice([free(), text("#")]), text("(")])),
        ("bytecode", Role::Open(Delimiter::Bracket), choice([text("#["), text("#^["), text("#^^[")])),
        ("empty_symbol", Role::Datum, text("##")),
        ("bits", Role::Prefix, sequence([text("#&"), digits().many()])),
        ("label", Role::Prefix, sequence([numbered(), text("=")])),
        ("reference", Role::Datum, sequence([numbered(), text("#")])),
        ("hash_number", Role::Symbol, sequence([numbered(), symbols.step_without("0123456789="), symbols.rest()])),
        ("hash_symbol", Role::Symbol, sequence([text("#"), Expr::one_of(":_$"), symbols.rest()])),
        ("hash_free", Role::Symbol, free()),
    ]
}

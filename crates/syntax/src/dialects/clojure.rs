//! Clojure: the macro and dispatch tables of `clojure.lang.LispReader`.

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
use crate::unsettled;

pub(super) static TABLE: Table = Table {
    names: &["clojure", "clojurescript", "clojurec", "clj", "cljs", "cljc", "bb", "babashka", "nbb"],
    endings: &["clj", "cljs", "cljc", "cljd", "bb", "cljr", "clj_kondo"],
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
    bang: Bang::Line,
    square: Square::Bindings,
    character: CharacterLiteral::Backslash,
    pairs: false,
    braces: Braces::Maps,
    own_tokens: |_| true,
    ellipsis: false,
    folds_case: false,
    packages: false,
    intern,
    top_class: "t",
    definers: DEFINERS,
    guess: Some(Guess { begins: "def", contains: None, shape: S::ClojureFunction, package: None }),
    wrappers: WRAPPERS,
    makes: &[],
    openers: Openers { beginnings: &["def"], heads: &[], headers: &["ns"] },
    shapes: &SHAPES,
    special_forms: SPECIAL_FORMS,
    takes_functions: &[],
    standard: "",
    operators: include_str!("../operators/clojure.txt"),
    threads: true,
    titles: &['"', ':'],
    headings: &[";;;;"],
    ending: None,
};

const CHARACTERS: Characters<'_> = Characters {
    blank: b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f,",
    brackets: b"()[]{}",
    comment: b';',
    prefixes: b"'`@",
    unquote: Some(b'~'),
    start: &[(b'\\', Start::Character), (b'^', Start::Annotation)],
    // `'`, `#` and `%` are macro characters that do not end a symbol.
    terminators: b"\";@^`~\\",
    escape: false,
    bar: false,
};

static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: is_java_whitespace,
    dispatch,
    character,
    splices: b"@",
    package_prefix: false,
    suspects: Suspects::new(b"#0123456789+-%:", Some([b':', b'/'])),
    misspelt: spelling::clojure::misspelt,
    extra: [None; 128],
};

/// `Character.isWhitespace` outside ASCII: Unicode separators, without the no-break ones.
fn is_java_whitespace(c: char) -> bool {
    matches!(c, '\u{1680}' | '\u{2000}'..='\u{2006}' | '\u{2008}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{205f}' | '\u{3000}')
}

/// `\x`: any character, then the rest of the token.
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
            // `#:ns{` and `#::{`; white space is allowed before the brace.
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
            // A tag. White space is allowed between `#` and the tag's symbol.
            let blanks = lexer.blanks_ahead();
            lexer.skip(blanks);
            lexer.atom_rest();
            TokenKind::Prefix
        }
    }
}

/// `#?(` and `#?@(`; white space is allowed before the list.
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

const PIECES: &[Piece] = &[
    piece("character", Role::Symbol, r"\\.<rest>"),
    piece("function", Role::Open(Delimiter::Paren), r"#\("),
    piece("set", Role::Open(Delimiter::Brace), r"#\{"),
    piece("hash_vector", Role::Open(Delimiter::Bracket), r"#\["),
    piece("regex", Role::Datum, r"#<string>"),
    piece("discard", Role::Discard, r"#_"),
    piece("hash_meta", Role::Annotation, r"#^"),
    piece("hash_prefix", Role::Prefix, r"#['=]"),
    piece("conditional", Role::Prefix, r"#\?@?"),
    piece("namespaced", Role::PrefixSymbol, r"#:<rest>"),
    piece("symbolic", Role::Symbol, r"(##|#\<)<rest>"),
    piece("tag", Role::PrefixSymbol, r"#(<constituent -_'=!?#:<>|[ \t\n\r,]+<step>)<rest>"),
];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    match (kind, text.as_bytes()) {
        // The brace of `#:ns {` and the list of `#? (` may come after white space.
        (TokenKind::Atom, [b'#', b':', ..]) if !blank.is_empty() => blank.is_ascii().then(|| "#:a ".to_owned()),
        (TokenKind::Prefix, [b'#', b'?', ..]) if !blank.is_empty() => blank.is_ascii().then(|| format!("{text} ")),
        _ if !blank.is_empty() => None,
        (TokenKind::Character, b"\\") => Some(text.to_owned()),
        (TokenKind::Character, _) => Some("a".to_owned()),
        (TokenKind::Prefix, [b'#', b'?', ..]) => Some(text.to_owned()),
        (TokenKind::Prefix, b"#'" | b"#=") => None,
        // A tag; white space may come before its name.
        (TokenKind::Prefix, [b'#', after @ ..]) => {
            Some(if after.iter().all(|byte| CHARACTERS.blank.contains(byte)) { "# " } else { "#a" }.to_owned())
        }
        (TokenKind::Prefix, _) => unsettled::unquote(text),
        (TokenKind::Atom, b"#") => Some(text.to_owned()),
        (TokenKind::Atom, [b'#', b':', ..]) => Some("#:a".to_owned()),
        (TokenKind::Atom, _) => Some("a".to_owned()),
        _ => None,
    }
}

const DEFINERS: &[Row] = &[
    row(K::Function, S::ClojureFunction, &["defn", "defn-", "defnc", "defui", "definline", "defnk"]),
    row(K::Macro, S::ClojureFunction, &["defmacro", "defmacro-"]),
    row(K::GenericFunction, S::ClojureVariable, &["defmulti"]),
    row(K::Method, S::ClojureMethod, &["defmethod"]),
    row(K::Variable, S::ClojureVariable, &["def", "defonce", "def-"]),
    row(K::Structure, S::Named, &["defstruct"]),
    row(K::Class, S::ClojureRecord, &["defrecord"]),
    row(K::Class, S::ClojureType, &["deftype"]),
    row(K::Class, S::ClojureProtocol, &["defprotocol"]),
    row(K::Class, S::ClojureFunction, &["definterface", "gen-class"]),
    row(K::Addition, S::Named, &["extend-type", "extend-protocol", "extend", "declare", "fdef"]),
    row(K::Test, S::Titled(0), &["describe", "it"]),
    row(K::Test, S::ClojureFunction, &["deftest", "deftest-", "defspec", "deftest-async"]),
    row(K::Package, S::ClojureVariable, &["ns"]),
    row(
        K::Directive,
        S::Module,
        &["in-ns", "require", "use", "import", "refer", "refer-clojure", "load", "defproject"],
    ),
];

const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "memfn", "gen-class", "gen-interface", "import", "refer-clojure"]),
    (F::Body(1), &["proxy-super"]),
    (F::FunctionName, &["var"]),
    (
        F::LetVector,
        &[
            "let",
            "let*",
            "loop",
            "loop*",
            "when-let",
            "when-some",
            "when-first",
            "with-open",
            "with-local-vars",
            "dotimes",
            "go-loop",
            "for-all",
            "letk",
        ],
    ),
    (F::LetThen, &["if-let", "if-some"]),
    (F::Comprehension, &["for", "doseq"]),
    (F::Rebinding, &["binding", "with-redefs"]),
    (F::Fn, &["fn", "fn*", "fnk"]),
    (F::FunctionsRec, &["letfn", "letfn*"]),
    (F::Naming, &["as->"]),
    (F::CasePairs, &["case"]),
    (F::MatchPairs, &["match"]),
    (F::ThreadingFirst, &["->", "some->", "doto"]),
    (F::Threading, &["->>", "some->>"]),
    (F::ThreadingIf { first: true }, &["cond->"]),
    (F::ThreadingIf { first: false }, &["cond->>"]),
    (F::Member, &["."]),
    (F::Members, &[".."]),
    (F::Catch, &["catch"]),
    (F::Tabled, &["are", "do-template"]),
    (F::Setq, &["set!"]),
    (F::Variable, &["def", "defonce", "def-", "defmulti", "defstruct"]),
    (F::Function, &["defn", "defn-", "definline", "defnk"]),
    (F::Macro, &["defmacro", "defmacro-"]),
    (F::Multimethod, &["defmethod"]),
    (F::Protocol, &["defprotocol"]),
    (F::Interface, &["definterface"]),
    (F::Methods, &["defrecord", "deftype"]),
    (F::Implementation(0), &["reify"]),
    (F::Implementation(1), &["extend-type"]),
    (F::ExtendProtocol, &["extend-protocol"]),
    (F::Proxy, &["proxy"]),
    (F::Test, &["deftest", "deftest-", "defspec", "deftest-async"]),
    (F::Declarations, &["declare"]),
    (F::Space, &["ns"]),
];

const WRAPPERS: &[Wraps] = &[
    Wraps { wrapper: Wrapper::Body(0), heads: &["do", "comment"] },
    Wraps {
        wrapper: Wrapper::Body(1),
        heads: &["let", "when", "if", "if-let", "when-let", "binding", "describe", "context"],
    },
];

/// A symbol without its namespace. Keywords keep theirs.
fn intern(symbol: &str) -> String {
    let cut = symbol.rfind('/').filter(|&at| at > 0 && at + 1 < symbol.len() && !symbol.starts_with(':'));
    cut.map_or(symbol, |at| &symbol[at + 1..]).to_owned()
}

const SHAPES: Shapes = Shapes {
    lists: "let:1 loop:1 binding:1 for:1 doseq:1 dotimes:1 if-let:1 when-let:1 when-some:1 if-some:1 with-open:1 \
        with-redefs:1 letfn:1 ns:3",
    atoms: "ns:1 defn:1 defn-:1 defmacro:1 defmulti:1 defmethod:1 defprotocol:1 deftest:1 set!:1",
    nested: "letfn:1",
    either: "case:2 case:4",
    pairs: "let:1 loop:1 binding:1 for:1 doseq:1 with-redefs:1 with-open:1 if-let:1 when-let:1 dotimes:1",
    docstrings: "defn:2 defn-:2 defmacro:2",
    parameters: "fn:1 defn:2 defn-:2 defmacro:2",
    even: "cond:0 assoc:1 assoc!:1 hash-map:0 array-map:0",
    functions: "defn:2 defn-:2 defmacro:2",
    bodies: "when:2 when-not:2 let:2 loop:2 doseq:2 for:2 dotimes:2 binding:2 when-let:2 when-some:2 if-let:2 if-some:2 \
        with-open:2 with-redefs:2 testing:2",
    indents: "alt!:0 alt!!:0 are:2 as->:a binding:1 bound-fn:1 case:1 catch:2 comment:0 cond:0 condp:2 cond->:1 \
        cond->>:1 def:1 defmethod:2 defmulti:1 defn:d defn-:d defonce:1 defprotocol:1 defrecord:2 \
        defstruct:1 deftest:1 deftype:2 delay:0 do:0 doseq:1 dotimes:1 doto:1 extend:1 extend-protocol:1 \
        extend-type:1 finally:0 fn:1 for:1 future:0 go:0 go-loop:1 if:1 if-let:1 if-not:1 if-some:1 let:1 \
        letfn:1 locking:1 loop:1 match:1 ns:1 proxy:2 reify:0 struct-map:1 some->:1 some->>:1 ->:a ->>:a \
        testing:1 thread:0 try:0 use-fixtures:1 when:1 when-first:1 when-let:1 when-not:1 when-some:1 \
        while:1 with-local-vars:1 with-open:1 with-out-str:0 with-precision:1 with-redefs:1 with-meta:1 \
        alter-meta!:a",
    counts: "do:1 let:2 loop:2 when:2 when-not:2 if:2:3 if-let:2:3 when-let:2 if-not:2:3 if-some:2:3 defn:2 defn-:2 \
        defmacro:2 fn:2 def:1:3 for:2 doseq:2 dotimes:2 binding:2 with-redefs:2 with-open:2 case:2 try:1 catch:2 \
        deftest:1 testing:2 is:1:2 inc:1:1 dec:1:1 not:1:1 nil?:1:1 first:1:1 rest:1:1 next:1:1 count:1:1 seq:1:1 \
        set!:2:2 instance?:2:2 throw:1:1 assoc:3 conj:2 map:1 apply:2 update:3 get:2:3 get-in:2:3 cond:2 defmethod:3 \
        defmulti:2 ->:2 ->>:2 swap!:2 reset!:2:2 into:0:3 reduce:1:3 contains?:1:2 cons:1:2 ex-info:1:3 map?:0:1 \
        vec:0:1 symbol:0:2 identical?:1:2 filter:0:2 int:0:1 empty?:0:1 keys:0:1 with-meta:1:2 string?:0:1 \
        vector?:0:1 pos?:0:1 subs:1:3 nth:1:3 symbol?:0:1 remove:0:2 keyword:0:2 some:1:2 zero?:0:1 every?:1:2 \
        long:0:1 gensym:0:1 assoc-in:2:3 deliver:1:2 true?:0:1 range:0:3 keyword?:0:1 boolean:0:1 into-array:0:2 \
        reduce-kv:2:3 sequential?:0:1 class:0:1 namespace:0:1 re-find:0:2 vals:0:1 last:0:1 seq?:0:1 char:0:1 \
        double:0:1 type:0:1 persistent!:0:1 doall:0:2 select-keys:1:2 resolve:0:2 realized?:0:1 zipmap:1:2 \
        reverse:0:1 complement:0:1 number?:0:1 re-pattern:0:1 deref:0:3 butlast:0:1 val:0:1 re-matches:1:2 fn?:0:1 \
        false?:0:1 key:0:1 even?:0:1 satisfies?:1:2 eval:0:1 take-while:0:2 drop:0:2 subvec:1:3 conj!:0:2 \
        replace:0:2 integer?:0:1 coll?:0:1 reduced?:0:1 ns-name:0:1 find:1:2 set?:0:1 quot:1:2 keep:0:2 class?:0:1 \
        to-array:0:1 sort:0:2 some?:0:1 not-empty:0:1 distinct:0:1 byte-array:0:2 take-nth:0:2 sort-by:1:3 \
        ns-resolve:1:3 list?:0:1 ident?:0:1 repeatedly:0:2 prefer-method:2:3 interpose:0:2 byte:0:1 volatile!:0:1 \
        find-ns:0:1 compare:1:2 bit-shift-right:1:2 var?:0:1 the-ns:0:1 derive:1:3 split-with:1:2 ifn?:0:1 \
        enumeration-seq:0:1 read-string:0:2 odd?:0:1 nnext:0:1 ex-data:0:1 drop-while:0:2 hash:0:1",
    operators: "ns let defn if fn def str or -> defn- when and assoc map first count apply if-let throw not cond try do \
        instance? nil? defmacro catch seq recur into loop when-let get ->> reduce when-not defprotocol doseq contains? \
        filter empty? for case partial if-not cons swap! mapcat set! defmethod vector? ex-info remove declare not= \
        update update-in some get-in comp doto every? reify defrecord extend-protocol identical? println pr-str \
        assoc-in mapv deftest is are testing deftype defmulti range repeat comment cond-> cond->> some-> some->> condp \
        future binding with-open dotimes reset! atom finally conj rest next dissoc merge keys vals concat = < > <= >= \
        + - * / inc dec",
    constants: "true false",
    ..Shapes::NONE
};

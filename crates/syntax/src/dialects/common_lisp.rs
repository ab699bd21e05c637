//! Common Lisp: standard syntax (CLHS 2.1.4, 2.4.8), with room for the dispatch characters that libraries add.

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
use crate::standard;
use crate::token::TokenKind;
use crate::unsettled;

pub(super) static TABLE: Table = Table {
    names: &["common-lisp", "lisp", "commonlisp", "cl", "sbcl", "ecl", "clisp", "ccl", "abcl", "ros"],
    endings: &["lisp", "lsp", "cl", "asd", "ros", "l", "sexp"],
    file_names: &[".sbclrc", ".eclrc", ".clisprc", ".ccl-init.lisp", "qlfile.lisp"],
    first_line: None,
    prose_endings: &[],
    data_endings: &["sexp"],
    other_notations: &[],
    readtable: &READTABLE,
    comment: ';',
    marks: None,
    variants: &[],
    free_dispatch: |byte| b"/?[{<>~@$%^&_\"`;!".contains(&byte),
    pieces: PIECES,
    fragments: FRAGMENTS,
    unsettled,
    nested_comments: true,
    bang: Bang::Header,
    square: Square::Constituents,
    character: CharacterLiteral::Hash,
    pairs: true,
    braces: Braces::Plain,
    own_tokens,
    ellipsis: false,
    folds_case: true,
    packages: true,
    intern,
    top_class: "T",
    definers: DEFINERS,
    guess: Some(Guess { begins: "def", contains: None, shape: S::Named, package: Some(S::Module) }),
    wrappers: WRAPPERS,
    makes: &[],
    openers: Openers { beginnings: &["def"], heads: &[], headers: &["in-package", "provide"] },
    shapes: &SHAPES,
    special_forms: SPECIAL_FORMS,
    takes_functions: TAKES_FUNCTIONS,
    standard: standard::COMMON_LISP,
    operators: include_str!("../operators/common-lisp.txt"),
    threads: false,
    titles: &['"'],
    headings: &[";;;;"],
    ending: None,
};

const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "declaim", "go", "proclaim", "def-suite", "in-suite", "defconstraint"]),
    (F::Named, &["in-package", "provide", "require", "in-readtable"]),
    (F::Declare, &["declare"]),
    (F::Block, &["block"]),
    (F::ReturnFrom, &["return-from"]),
    (F::SlotOf, &["slot-value", "slot-boundp", "slot-makunbound", "slot-exists-p"]),
    (F::Typed, &["the", "truly-the"]),
    (F::Listed, &["print-unreadable-object", "pprint-logical-block", "with-simple-restart", "with-compilation-unit"]),
    (F::ListedSecond, &["assert"]),
    (F::TypedPlace, &["check-type"]),
    (F::SetValues, &["multiple-value-setq"]),
    (F::SetfDefinition, &["defsetf"]),
    (F::ModifyMacro, &["define-modify-macro"]),
    (F::MethodCombination, &["define-method-combination"]),
    (F::Body(1), &["eval-when"]),
    (F::FunctionName, &["function"]),
    (F::Let, &["let", "prog", "dx-let"]),
    (F::LetStar, &["let*", "prog*", "when-let*", "if-let*"]),
    (F::LetRec, &[]),
    (F::Lambda, &["lambda"]),
    (F::Functions, &["flet", "dx-flet"]),
    (F::FunctionsRec, &["labels"]),
    (F::Macros, &["macrolet"]),
    (F::SymbolMacros, &["symbol-macrolet"]),
    (F::Iterator, &["with-package-iterator", "with-hash-table-iterator"]),
    (
        F::Each,
        &[
            "dolist",
            "dotimes",
            "do-symbols",
            "do-external-symbols",
            "do-all-symbols",
            "with-open-file",
            "with-open-stream",
            "with-input-from-string",
            "with-output-to-string",
            "doseq",
            "dovector",
            "dohash",
        ],
    ),
    (F::Do, &["do"]),
    (F::DoStar, &["do*"]),
    (F::Bind, &["multiple-value-bind", "destructuring-bind"]),
    (F::Cond, &["cond"]),
    (F::Case, &["case", "ecase", "ccase", "typecase", "etypecase", "ctypecase"]),
    (F::Handlers, &["handler-case", "restart-case"]),
    (F::HandlerBind, &["handler-bind", "restart-bind"]),
    (F::Slots, &["with-slots"]),
    (F::Accessors, &["with-accessors"]),
    (F::Loop, &["loop"]),
    (F::Setq, &["setq", "psetq"]),
    (F::Setf, &["setf", "psetf"]),
    (F::Update, &["incf", "decf", "pop", "remf"]),
    (F::Push, &["push", "pushnew"]),
    (F::Rotate, &["rotatef", "shiftf"]),
    (F::Function, &["defun", "deftype"]),
    (F::Macro, &["defmacro", "define-compiler-macro", "define-setf-expander"]),
    (F::Method, &["defmethod"]),
    (F::Generic, &["defgeneric"]),
    (F::Test, &["deftest", "test", "def-test", "define-test"]),
    (F::Variable, &["defvar", "defparameter", "defconstant", "define-symbol-macro"]),
    (F::Class, &["defclass", "define-condition"]),
    (F::Structure, &["defstruct"]),
    (F::Space, &["defpackage", "define-package", "defsystem"]),
];

const TAKES_FUNCTIONS: &[&str] = &[
    "funcall",
    "apply",
    "mapcar",
    "mapc",
    "mapcan",
    "maplist",
    "mapl",
    "mapcon",
    "map",
    "map-into",
    "reduce",
    "some",
    "every",
    "notany",
    "notevery",
    "find-if",
    "find-if-not",
    "remove-if",
    "remove-if-not",
    "delete-if",
    "delete-if-not",
    "count-if",
    "count-if-not",
    "position-if",
    "position-if-not",
    "member-if",
    "assoc-if",
    "sort",
    "stable-sort",
    "maphash",
    "multiple-value-call",
    "complement",
    "fdefinition",
    "symbol-function",
    "fboundp",
    "constantly",
    "make-instance",
    "make-condition",
    "allocate-instance",
    "change-class",
    "find-class",
    "typep",
    "subtypep",
    "coerce",
    "error",
    "cerror",
    "warn",
    "signal",
    "compiler-macro-function",
    "macro-function",
    "fmakunbound",
];

const CHARACTERS: Characters<'_> = Characters {
    blank: b" \t\n\r\x0c\x7f",
    brackets: b"()",
    comment: b';',
    prefixes: b"'`",
    unquote: Some(b','),
    start: &[],
    terminators: b"\"'`,;",
    escape: true,
    bar: true,
};

static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: |_| false,
    dispatch,
    character: |lexer| lexer.atom(),
    splices: b"@.",
    package_prefix: true,
    suspects: Suspects::new(b"#0123456789+-.", Some([b':', b':'])),
    misspelt: spelling::common_lisp::misspelt,
    extra: [None; 128],
};

/// The text declares no readtable.
fn own_tokens(text: &[u8]) -> bool {
    memmem::find(text, b"in-readtable").is_none() && memmem::find(text, b"*readtable*").is_none()
}

/// `#`, digits, and a sub-character (CLHS 2.4.8). An undefined sub-character takes its shape from the text after it:
/// `#foo(` opens a list, `#x"` is a prefix of a string, anything else is an atom.
fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    if lexer.at_start() && lexer.looking_at(b"#!") {
        return lexer.line_comment();
    }
    lexer.skip(1);
    let digits = lexer.skip_while(|byte| byte.is_ascii_digit());
    let Some(sub) = lexer.peek() else { return TokenKind::Atom };
    match sub {
        b'|' => lexer.nested_comment(b"#|", b"|#"),
        b'\\' => lexer.hash_character(),
        b'(' => lexer.open(TokenKind::OpenParen),
        b'+' | b'-' => lexer.take(1, TokenKind::Annotation),
        b'!' if matches!(lexer.peek_at(1), Some(b'+' | b'-')) => lexer.take(2, TokenKind::Annotation),
        b'\'' | b'.' | b',' | b'`' => lexer.take(1, TokenKind::Prefix),
        b'=' if digits > 0 => lexer.take(1, TokenKind::Prefix),
        b'#' if digits > 0 => lexer.take(1, TokenKind::Atom),
        b'"' => lexer.string(),
        b'*' | b':' => lexer.atom(),
        b';' | b')' | b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' => TokenKind::Atom,
        b'@' | b'_' | b'?' | b'$' | b'%' | b'&' | b'^' | b'~' | b'/' | b'>' | b'!' | b'<' => {
            lexer.skip(1);
            prefixed(lexer)
        }
        _ => {
            lexer.skip_char();
            prefixed(lexer)
        }
    }
}

/// After `#` and a sub-character with no fixed shape.
fn prefixed(lexer: &mut Lexer<'_>) -> TokenKind {
    match lexer.peek() {
        Some(b'(') => lexer.open(TokenKind::OpenParen),
        Some(b'"' | b'\'' | b'`' | b',' | b'#') => TokenKind::Prefix,
        _ => lexer.atom_rest(),
    }
}

const FRAGMENTS: &[(&str, &str)] = &[
    // An undefined sub-character takes its shape from the text after it.
    ("free", r#"[^0-9|\\(+\-'.,`=#"*:;) \t\n\r\f!]"#),
    // Text before a further `#` belongs to the token that the `#` begins.
    ("hash", r"(#\d*(<free>|!))*#\d*"),
];

const PIECES: &[Piece] = &[
    piece("character", Role::Symbol, r"<hash>\\.<rest>"),
    piece("hash_list", Role::Open(Delimiter::Paren), r"<hash><free>?\("),
    piece("hash_string", Role::Datum, r"<hash><free>?<string>"),
    piece("feature", Role::Annotation, r"<hash>!?[+\-]"),
    piece("hash_prefix", Role::Prefix, r"<hash>['.,`]"),
    piece("label", Role::Prefix, r"#\d+="),
    piece("reference", Role::Datum, r"#\d+#"),
    piece("hash_quote", Role::Prefix, r"<hash><free>['`,]"),
    piece("hash_symbol", Role::Symbol, r"<hash>[*:]<rest>"),
    piece("hash_free", Role::Symbol, r"<hash><free><rest -#>"),
    piece("hash_bang", Role::Symbol, r"<hash>!<rest -#+->"),
];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    match kind {
        _ if !blank.is_empty() => None,
        TokenKind::UnterminatedSymbol => unsettled::quoted(text),
        TokenKind::Character => unsettled::hash_character(text),
        TokenKind::Prefix => unsettled::unquote(text),
        TokenKind::Atom => match text.strip_prefix('#') {
            Some(rest) => unsettled_hash(rest),
            None => unsettled::symbol(text),
        },
        _ => None,
    }
}

/// The shortest text for a token that begins with `#`, whose source after the `#` is `rest`.
fn unsettled_hash(rest: &str) -> Option<String> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = if digits > 0 { "1" } else { "" };
    let mut after = rest[digits..].chars();
    match after.next() {
        None => Some(format!("#{number}")),
        Some('#') if digits > 0 => None,
        Some('*' | ':') => unsettled::symbol(rest),
        // A bracket, a quote or a sign right after the sub-character still belongs to it.
        Some(sub) if after.as_str().is_empty() => Some(format!("#{number}{sub}")),
        Some(_) => unsettled::symbol(rest),
    }
}

const DEFINERS: &[Row] = &[
    row(K::Function, S::Callable, &["defun", "defsubst", "define-inline", "defun*", "define-vop", "deftransform"]),
    row(K::Macro, S::Callable, &["defmacro", "define-compiler-macro", "defmacro*", "defmacro!"]),
    row(K::GenericFunction, S::Callable, &["defgeneric"]),
    row(K::Method, S::Method, &["defmethod"]),
    row(K::Variable, S::Variable, &["defvar", "defparameter", "defconstant", "defglobal", "define-constant"]),
    row(K::Variable, S::Named, &["define-symbol-macro"]),
    row(K::Class, S::Class, &["defclass"]),
    row(K::Condition, S::Class, &["define-condition"]),
    row(K::Structure, S::Structure, &["defstruct"]),
    row(K::Type, S::Callable, &["deftype"]),
    row(K::Package, S::Module, &["defpackage", "define-package", "uiop:define-package", "defpackage*"]),
    row(K::System, S::System, &["defsystem"]),
    row(K::Test, S::Named, &["deftest", "test", "def-test", "define-test", "def-suite", "def-suite*", "deftestsuite"]),
    row(
        K::Definition,
        S::Named,
        &["defsetf", "define-setf-expander", "define-modify-macro", "define-method-combination"],
    ),
    row(K::Directive, S::Module, &["in-package", "in-readtable", "use-package", "require", "provide", "in-suite"]),
    row(
        K::Directive,
        S::Unnamed,
        &[
            "declaim",
            "proclaim",
            "def-suite",
            "in-suite",
            "export",
            "import",
            "shadow",
            "declaration",
            "enable-interpol-syntax",
        ],
    ),
];

const WRAPPERS: &[Wraps] = &[
    Wraps { wrapper: Wrapper::Body(0), heads: &["progn", "locally", "prog1", "unwind-protect"] },
    Wraps {
        wrapper: Wrapper::Body(1),
        heads: &[
            "eval-when",
            "let",
            "let*",
            "flet",
            "labels",
            "macrolet",
            "symbol-macrolet",
            "when",
            "unless",
            "if",
            "if-let",
            "when-let",
            "handler-bind",
            "with-compilation-unit",
            "compiler-let",
            "dolist",
            "describe",
            "context",
        ],
    },
    Wraps { wrapper: Wrapper::Clauses, heads: &["cond"] },
];

/// CLHS 2.3.4 and 2.3.5 under the standard readtable case. `#:x` and `:x` count as `x`.
fn intern(symbol: &str) -> String {
    if symbol.bytes().all(|byte| byte.is_ascii() && !b"\\|:#".contains(&byte)) {
        return symbol.to_ascii_uppercase();
    }
    let symbol = symbol.strip_prefix('#').filter(|rest| rest.starts_with(':')).unwrap_or(symbol);
    let mut name = String::with_capacity(symbol.len());
    let (mut escaped, mut quoted) = (false, false);
    for c in symbol.chars() {
        match c {
            _ if escaped => {
                name.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '|' => quoted = !quoted,
            // Everything up to the last package marker is the package.
            ':' if !quoted => name.clear(),
            _ if quoted => name.push(c),
            _ => name.extend(c.to_uppercase()),
        }
    }
    name
}

const SHAPES: Shapes = Shapes {
    lists: "defun:2 defmacro:2 defgeneric:2 deftype:2 lambda:1 let:1 let*:1 flet:1 labels:1 macrolet:1 symbol-macrolet:1 \
        destructuring-bind:1 multiple-value-bind:1 dolist:1 dotimes:1 do:1 do:2 do*:1 do*:2 prog:1 prog*:1 \
        with-open-file:1 with-slots:1 with-accessors:1 handler-bind:1 defclass:2 define-condition:2 defclass:3 \
        eval-when:1 with-output-to-string:1 define-compiler-macro:2 defsetf:2 restart-bind:1 print-unreadable-object:1 \
        cond:1 cond:2 cond:3 cond:4 case:2 case:3 case:4 ecase:2 ecase:3 ecase:4 typecase:2 typecase:3 etypecase:2 \
        etypecase:3 declare:1 handler-case:2 defgeneric:3 defgeneric:4 defclass:4 define-condition:4 defpackage:2 \
        defpackage:3 defpackage:4",
    atoms: "defmacro:1 defgeneric:1 deftype:1 defvar:1 defparameter:1 defconstant:1 defclass:1 define-condition:1 block:1 \
        return-from:1 in-package:1 defpackage:1",
    nested: "let:1 let*:1 flet:1 labels:1 macrolet:1 symbol-macrolet:1 do:1 do*:1 handler-bind:1 defclass:3 \
        define-condition:3 cond:1 cond:2 cond:3 cond:4 restart-bind:1 with-accessors:1 defmethod:2",
    either: "do:2 do*:2 case:2 case:3 case:4 ecase:2 ecase:3 ecase:4 typecase:2 typecase:3 typecase:4 etypecase:2 \
        etypecase:3 etypecase:4 defmacro:2 defmethod:3 with-slots:1 if-let:1 when-let:1 when-let*:1 \
        destructuring-bind:1",
    docstrings: "defun:3 defmacro:3 deftype:3 define-compiler-macro:3",
    even: "setq:0 setf:0 psetq:0 psetf:0",
    functions: "defun:2 defmacro:2 defgeneric:2 defmethod:2",
    bodies: "defun:3 defmacro:3 when:2 unless:2 let:2 let*:2 flet:2 labels:2 macrolet:2 dolist:2 dotimes:2 do:3 do*:3 \
        lambda:2 destructuring-bind:3 multiple-value-bind:3 with-open-file:2 with-slots:3 with-accessors:3 case:2 \
        ecase:2 typecase:2 etypecase:2 with-output-to-string:2 unwind-protect:2 handler-case:2 handler-bind:2 \
        symbol-macrolet:2 defmethod:3",
    indents_parts: true,
    indents: "def*:2 block:1 case:1 catch:1 ccase:1 compiler-let:1 cond:a ctypecase:1 destructuring-bind:2 do:2 do*:2 \
        dolist:1 dotimes:1 ecase:1 etypecase:1 eval-when:1 flet:1 labels:1 macrolet:1 handler-bind:1 \
        handler-case:1 if:a lambda:1 let:1 let*:1 locally:1 multiple-value-bind:2 multiple-value-call:1 \
        multiple-value-prog1:1 multiple-value-setf:1 multiple-value-setq:1 pprint-logical-block:1 \
        print-unreadable-object:1 prog:1 prog*:1 prog1:1 prog2:2 progn:0 progv:2 restart-bind:1 \
        restart-case:1 return:0 return-from:a symbol-macrolet:1 tagbody:0 throw:1 typecase:1 unless:1 \
        unwind-protect:1 when:1 with-accessors:2 with-compilation-unit:1 with-condition-restarts:2 \
        with-output-to-string:1 with-slots:2 with-standard-io-syntax:0 defpackage:1 defstruct:1 defclass:2 \
        define-condition:2 defvar:1 defparameter:1 defconstant:1",
    counts: "progn:1 eval-when:2 let:2 let*:2 macrolet:2 symbol-macrolet:2 flet:2 labels:2 when:2 unless:2 if:2:3 \
        defun:3 defmacro:3 defmethod:3 lambda:2 dolist:2 dotimes:2 multiple-value-bind:3 destructuring-bind:3 \
        unwind-protect:2 case:2 ecase:2 typecase:2 etypecase:2 handler-case:2 handler-bind:2 with-slots:3 \
        with-open-file:2 defvar:1:3 defparameter:2:3 defconstant:2:3 setf:2 setq:2 car:1:1 cdr:1:1 cons:2:2 not:1:1 \
        null:1:1 eq:2:2 eql:2:2 equal:2:2 1+:1:1 1-:1:1 aref:2 gethash:2:3 push:2:2 pop:1:1 first:1:1 second:1:1 \
        rest:1:1 nth:2:2 elt:2:2 mapcar:2 apply:2 funcall:1 return-from:1:2 throw:2:2 catch:2 block:2 coerce:2:2 \
        typep:2:3 length:1:1 consp:1:1 listp:1:1 stringp:1:1 symbolp:1:1 incf:1:2 decf:1:2 the:2:2 cond:1 assert:1 \
        member:2 assoc:2 in-package:1:1 make-instance:1 slot-value:2:2 find:2 position:2 remove:2 mapc:2 mapcan:2 \
        reduce:2 sort:2 with-output-to-string:2 print-unreadable-object:2 restart-case:2 defclass:3 and:2 or:2 \
        cadr:1:1 ash:2:2 zerop:1:1 getf:2:3 byte:2:2 mod:2:2 caar:1:1 cddr:1:1 atom:1:1 gensym:0:1 subseq:2:3 \
        ldb:2:2 write-char:1:2 svref:2:2 char-code:1:1 get:2:3 abs:1:1 caddr:1:1 plusp:1:1 nreverse:1:1 integerp:1:1 \
        expt:2:2 symbol-name:1:1 find-class:1:3 truncate:1:2 intern:1:2 numberp:1:1 princ:1:2 eval:1:1 equalp:2:2 \
        minusp:1:1 random:1:2 reverse:1:1 find-package:1:1 third:1:1 code-char:1:1 fboundp:1:1 last:1:2 \
        integer-length:1:1 cdar:1:1 symbol-value:1:1 boundp:1:1 logbitp:2:2 class-of:1:1 copy-list:1:1 rplacd:2:2 \
        symbol-package:1:1 schar:2:2 realpart:1:1 terpri:0:1 find-symbol:1:2 slot-boundp:2:2 type-of:1:1 \
        vector-push-extend:2:3 rplaca:2:2 finish-output:0:1 fill-pointer:1:1 nthcdr:2:2 macro-function:1:2 \
        fdefinition:1:1 symbol-function:1:1 logtest:2:2 ceiling:1:2 merge-pathnames:1:3 subtypep:2:3 oddp:1:1 \
        maphash:2:2 fourth:1:1 file-position:1:2 functionp:1:1 floatp:1:1 log:1:2 documentation:2:2 constantp:1:2 \
        keywordp:1:1 sin:1:1 export:1:2 require:1:2 prin1:1:2 make-symbol:1:1 compile:1:2 princ-to-string:1:1 \
        force-output:0:1 cos:1:1 cadar:1:1 lognot:1:1 copy-seq:1:1 sleep:1:1 evenp:1:1 endp:1:1 remhash:2:2 \
        remprop:2:2 read-byte:1:3 fresh-line:0:1 sqrt:1:1 imagpart:1:1 describe:1:2 butlast:1:2 values-list:1:1 \
        truename:1:1 logandc2:2:2 clrhash:1:1 scale-float:2:2 cdddr:1:1 write-byte:2:2 symbol-plist:1:1 \
        digit-char-p:1:2 copy-symbol:1:2 array-element-type:1:1 cadddr:1:1 char-upcase:1:1 char-downcase:1:1 list-all-packages:0:0 identity:1:1 \
        array-rank:1:1 array-dimension:2:2 array-dimensions:1:1 array-total-size:1:1 characterp:1:1 arrayp:1:1 \
        vectorp:1:1 hash-table-count:1:1 hash-table-p:1:1 package-name:1:1 alpha-char-p:1:1 alphanumericp:1:1 \
        upper-case-p:1:1 lower-case-p:1:1 complement:1:1 constantly:1:1 numerator:1:1 denominator:1:1 signum:1:1 \
        get-universal-time:0:0 get-internal-real-time:0:0 file-namestring:1:1 \
        namestring:1:1 open-stream-p:1:1 streamp:1:1 compiled-function-p:1:1 char-name:1:1 \
        isqrt:1:1 exp:1:1 phase:1:1 conjugate:1:1 rationalize:1:1 rational:1:1",
    hanging: "handler-case restart-case unwind-protect condition-case prog1",
    declarations: "declare",
    operators: "defun in-package defpackage let if when declare setf or and unless not format error lambda progn cond let* \
        defmacro loop values defvar funcall ignore defmethod eql eq push return cons cdr + multiple-value-bind < car \
        1+ incf case mapcar defclass dolist flet - zerop > make-array eval-when defparameter return-from member apply \
        subseq make-instance setq aref 1- nreverse define-condition concatenate intern gethash ecase labels \
        make-hash-table pushnew second >= stringp dotimes coerce prog1 unwind-protect defgeneric declaim handler-case \
        with-open-file defconstant typep <= etypecase assert assoc consp find warn destructuring-bind \
        with-output-to-string listp symbolp plusp ignore-errors cadr macrolet defstruct every print-unreadable-object \
        slot-value check-type with-slots handler-bind the typecase decf third getf reverse cddr call-next-method nth \
        list* sort some reduce logior logand go mapc tagbody throw do do* catch psetq multiple-value-prog1 \
        restart-case symbol-macrolet locally deftype remove-if-not remove-if = /= * /",
    constants: "t otherwise",
    ..Shapes::NONE
};

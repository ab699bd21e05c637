//! Emacs Lisp: `read0`/`read1` of Emacs's `lread.c`, as the Elisp manual describes them ("Basic Char Readtable" on).

use super::{Bang, Braces, CharacterLiteral, FileEnding, Square, Table};
use crate::definer::{FormKind as K, Guess, Place, Placed, Row, Shape as S, Wrapper, Wraps, row};
use crate::diagnostic::Delimiter;
use crate::lexer::Lexer;
use crate::name::unescape;
use crate::pieces::{Piece, Role, piece};
use crate::readtable::{Characters, Readtable, Start, Suspects};
use crate::shapes::{Openers, Shapes};
use crate::special::{SpecialForm as F, SpecialForms};
use crate::spelling;
use crate::token::TokenKind;
use crate::unsettled;

pub(super) static TABLE: Table = Table {
    names: &["emacs-lisp", "elisp", "emacs", "lisp-interaction", "el"],
    endings: &["el"],
    file_names: &[".emacs", ".spacemacs", "Cask", "_emacs"],
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
    fragments: FRAGMENTS,
    unsettled,
    nested_comments: false,
    bang: Bang::Line,
    square: Square::Vectors,
    character: CharacterLiteral::Question,
    pairs: true,
    braces: Braces::Plain,
    own_tokens: |_| true,
    ellipsis: false,
    folds_case: false,
    packages: false,
    intern: unescape,
    top_class: "t",
    definers: DEFINERS,
    guess: Some(Guess { begins: "def", contains: Some("-def"), shape: S::Named, package: None }),
    wrappers: WRAPPERS,
    makes: &[
        ("defhydra", &["/body"]),
        ("define-minor-mode", &["-map", "-hook"]),
        ("minor-mode", &["-hook"]),
        ("define-compilation-mode", &["-map", "-hook", "-error-regexp-alist"]),
        ("-mode", &["-map", "-hook", "-syntax-table", "-abbrev-table"]),
    ],
    openers: Openers { beginnings: &["def", "cl-def", "ert-def"], heads: &[], headers: &["provide"] },
    shapes: &SHAPES,
    special_forms: SPECIAL_FORMS,
    takes_functions: TAKES_FUNCTIONS,
    standard: "",
    operators: include_str!("../operators/emacs-lisp.txt"),
    threads: false,
    titles: &['"'],
    headings: &[";;;;", ";;; "],
    // Emacs Lisp manual, "Library Headers".
    ending: Some(FileEnding { head: "provide", line: "ends here" }),
};

/// Elisp manual, "Special Forms" and "Local Variables"; the CL, pcase, seq, map and gv libraries.
const SPECIAL_FORMS: SpecialForms = &[
    (F::Data, &["quote", "declare", "cl-declaim", "rx", "rx-define", "def-edebug-spec"]),
    (
        F::Named,
        &["require", "provide", "featurep", "unload-feature", "with-eval-after-load", "eval-after-load", "defgroup"],
    ),
    (F::Typed, &["cl-the", "with-suppressed-warnings"]),
    (F::Block, &["cl-block"]),
    (F::ReturnFrom, &["cl-return-from"]),
    (F::SlotOf, &["slot-value", "slot-boundp", "slot-makeunbound", "slot-exists-p", "set-slot-value"]),
    (F::BareSlotOf, &["oref", "oset", "oref-default", "oset-default"]),
    (F::Body(1), &["cl-the", "cl-eval-when", "with-suppressed-warnings", "ignore-error", "rx-let", "rx-let-eval"]),
    (F::FunctionName, &["function", "cl-function"]),
    (F::Let, &["let", "dlet", "inline-letevals", "lexical-let"]),
    (F::LetStar, &["let*", "lexical-let*"]),
    (F::LetRec, &["letrec"]),
    (F::NamedLet, &["named-let"]),
    (F::Conditions, &["if-let", "if-let*", "when-let", "when-let*", "and-let*", "while-let"]),
    (F::PatternLet, &["pcase-let", "pcase-let*"]),
    (F::PatternBind, &["pcase-dolist"]),
    (F::PatternLambda, &["pcase-lambda"]),
    (F::Patterns, &["pcase", "pcase-exhaustive"]),
    (F::Lambda, &["lambda", "iter-lambda", "cl-with-gensyms", "with-gensyms", "ert-with-temp-file"]),
    (F::Lambda, &["ert-with-temp-directory", "ert-with-message-capture"]),
    (F::LocalFunctions, &["cl-flet", "flet"]),
    (F::FunctionsRec, &["cl-labels", "labels", "cl-flet*"]),
    (F::Macros, &["cl-macrolet", "macrolet"]),
    (F::SymbolMacros, &["cl-symbol-macrolet", "symbol-macrolet"]),
    (
        F::Each,
        &[
            "dolist",
            "dotimes",
            "cl-dolist",
            "cl-dotimes",
            "seq-doseq",
            "iter-do",
            "dolist-with-progress-reporter",
            "dotimes-with-progress-reporter",
            "cl-do-symbols",
            "cl-do-all-symbols",
        ],
    ),
    (F::Do, &["cl-do"]),
    (F::DoStar, &["cl-do*"]),
    (
        F::Bind,
        &["seq-let", "map-let", "cl-destructuring-bind", "cl-multiple-value-bind", "gv-letplace", "destructuring-bind"],
    ),
    (F::MacroLet, &["macroexp-let2"]),
    (F::Places, &["cl-letf", "cl-letf*", "letf"]),
    (F::Cond, &["cond"]),
    (F::Case, &["cl-case", "cl-ecase", "cl-typecase", "cl-etypecase", "case", "ecase"]),
    (F::ConditionCase, &["condition-case", "condition-case-unless-debug"]),
    (F::Slots, &["with-slots"]),
    (F::Accessors, &["with-accessors"]),
    (F::Loop, &["cl-loop", "loop"]),
    (F::Setq, &["setq", "setq-local", "setq-default", "cl-psetq"]),
    (F::Setf, &["setf", "cl-psetf"]),
    (F::Update, &["cl-incf", "cl-decf", "pop", "incf", "decf", "cl-remf"]),
    (F::Rotate, &["cl-rotatef", "cl-shiftf"]),
    (F::CallUpdate, &["cl-callf"]),
    (F::Push, &["push", "cl-pushnew", "pushnew"]),
    (F::SetQuoted, &["set", "set-default", "add-to-list", "make-local-variable", "make-variable-buffer-local"]),
    (F::SetQuoted, &["customize-set-variable", "kill-local-variable", "add-to-history", "add-to-ordered-list"]),
    (F::Threading, &["thread-first", "thread-last"]),
    // Those of the library `dash`.
    (F::Threading, &["->", "->>", "-some->", "-some->>", "-doto"]),
    (F::Function, &["defun", "defsubst", "defmacro", "define-inline", "iter-defun", "cl-iter-defun", "pcase-defmacro"]),
    (F::Function, &["transient-define-prefix", "transient-define-suffix", "transient-define-infix"]),
    (F::Function, &["transient-define-argument"]),
    (F::Macro, &["cl-defun", "cl-defsubst", "cl-defmacro", "cl-deftype", "defun*", "defsubst*", "defmacro*"]),
    (F::Method, &["cl-defmethod", "defmethod", "gv-define-setter", "gv-define-expander", "cl-define-compiler-macro"]),
    (F::GenericBody, &["cl-defgeneric", "defgeneric"]),
    (F::Advice, &["define-advice", "defadvice"]),
    (
        F::Variable,
        &[
            "defconst",
            "defcustom",
            "defvar-local",
            "defface",
            "defvar-keymap",
            "define-minor-mode",
            "define-compilation-mode",
            "define-skeleton",
            "easy-menu-define",
            "easy-mmode-defmap",
            "define-fringe-bitmap",
            "defhydra",
        ],
    ),
    (F::Special, &["defvar"]),
    (F::Mode(1), &["define-derived-mode"]),
    (F::Mode(2), &["define-globalized-minor-mode", "define-global-minor-mode"]),
    (F::Class, &["defclass"]),
    (F::Structure, &["cl-defstruct", "defstruct"]),
    (F::Test, &["ert-deftest"]),
    (
        F::Alias,
        &[
            "defalias",
            "fset",
            "defvaralias",
            "define-obsolete-function-alias",
            "define-obsolete-variable-alias",
            "define-obsolete-face-alias",
            "define-error",
            "define-abbrev-table",
            "define-button-type",
            "define-widget",
            "define-charset",
            "define-charset-alias",
            "define-coding-system",
            "define-coding-system-alias",
            "define-translation-table",
        ],
    ),
    (F::Declaration, &["declare-function", "autoload"]),
    (F::Sections, &["use-package"]),
];

/// Functions that accept the quoted name of a function or variable.
const TAKES_FUNCTIONS: &[&str] = &[
    "funcall",
    "apply",
    "apply-partially",
    "mapcar",
    "mapc",
    "mapcan",
    "mapconcat",
    "maphash",
    "mapatoms",
    "map-keymap",
    "map-apply",
    "map-do",
    "map-filter",
    "map-remove",
    "sort",
    "reduce",
    "some",
    "every",
    "add-function",
    "remove-function",
    "cl-mapcar",
    "cl-mapc",
    "cl-mapcan",
    "cl-maplist",
    "cl-mapl",
    "cl-mapcon",
    "cl-map",
    "cl-reduce",
    "cl-some",
    "cl-every",
    "cl-notany",
    "cl-notevery",
    "cl-find-if",
    "cl-find-if-not",
    "cl-remove-if",
    "cl-remove-if-not",
    "cl-delete-if",
    "cl-delete-if-not",
    "cl-count-if",
    "cl-count-if-not",
    "cl-position-if",
    "cl-position-if-not",
    "cl-member-if",
    "cl-member-if-not",
    "cl-assoc-if",
    "cl-rassoc-if",
    "cl-substitute-if",
    "cl-sort",
    "cl-stable-sort",
    "cl-merge",
    "cl-find",
    "cl-remove",
    "cl-delete",
    "cl-position",
    "cl-count",
    "cl-member",
    "cl-assoc",
    "cl-remove-duplicates",
    "cl-delete-duplicates",
    "cl-union",
    "cl-intersection",
    "cl-set-difference",
    "cl-subsetp",
    "cl-tree-equal",
    "cl-constantly",
    "cl-typep",
    "seq-map",
    "seq-mapn",
    "seq-map-indexed",
    "seq-mapcat",
    "seq-do",
    "seq-do-indexed",
    "seq-filter",
    "seq-remove",
    "seq-reduce",
    "seq-some",
    "seq-every-p",
    "seq-find",
    "seq-count",
    "seq-sort",
    "seq-sort-by",
    "seq-group-by",
    "seq-max",
    "seq-min",
    "seq-uniq",
    "seq-contains-p",
    "seq-position",
    "seq-take-while",
    "seq-drop-while",
    "seq-keep",
    "add-hook",
    "remove-hook",
    "run-hooks",
    "run-hook-with-args",
    "run-hook-with-args-until-success",
    "run-hook-with-args-until-failure",
    "run-hook-wrapped",
    "run-mode-hooks",
    "define-key",
    "define-key-after",
    "global-set-key",
    "local-set-key",
    "keymap-set",
    "keymap-set-after",
    "keymap-global-set",
    "keymap-local-set",
    "substitute-key-definition",
    "keymap-substitute",
    "define-prefix-command",
    "where-is-internal",
    "make-obsolete",
    "make-obsolete-variable",
    "advice-add",
    "advice-remove",
    "advice-member-p",
    "ad-add-advice",
    "ad-activate",
    "ad-enable-advice",
    "ad-disable-advice",
    "run-with-timer",
    "run-with-idle-timer",
    "run-at-time",
    "cancel-function-timers",
    "call-interactively",
    "command-execute",
    "funcall-interactively",
    "fboundp",
    "functionp",
    "commandp",
    "symbol-function",
    "fmakunbound",
    "indirect-function",
    "func-arity",
    "special-form-p",
    "macrop",
    "autoloadp",
    "subrp",
    "set-process-filter",
    "set-process-sentinel",
    "boundp",
    "makunbound",
    "symbol-value",
    "default-value",
    "default-boundp",
    "local-variable-p",
    "local-variable-if-set-p",
    "buffer-local-value",
    "default-toplevel-value",
    "set-default-toplevel-value",
    "make-variable-frame-local",
    "custom-add-option",
    "custom-add-frequent-value",
    "custom-add-version",
    "custom-add-load",
    "custom-initialize-default",
    "documentation",
    "derived-mode-p",
    "provided-mode-derived-p",
    "make-instance",
    "custom-variable-p",
    "customize-variable",
    "customize-face",
    "customize-group",
    "facep",
    "documentation-property",
    "jit-lock-register",
    "jit-lock-unregister",
];

const CHARACTERS: Characters<'_> = Characters {
    // Every control character is white space.
    blank: b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ",
    brackets: b"()[]",
    comment: b';',
    prefixes: b"'`",
    unquote: Some(b','),
    start: &[(b'?', Start::Character)],
    terminators: b"\"';`,#",
    escape: true,
    bar: false,
};

static READTABLE: Readtable = Readtable {
    start: CHARACTERS.start_table(),
    within: CHARACTERS.within_table(),
    wide_blank: |c| c == '\u{a0}',
    dispatch,
    character,
    splices: b"@",
    package_prefix: false,
    suspects: Suspects::new(b"#.", None),
    misspelt: spelling::emacs_lisp::misspelt,
    extra: [None; 128],
};

/// `?x`, `?\x`, `?\C-\M-x`, `?\u1234`, `?\N{NAME}`.
fn character(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    loop {
        if lexer.peek() != Some(b'\\') {
            lexer.skip_char();
            return TokenKind::Character;
        }
        lexer.skip(1);
        match (lexer.peek(), lexer.peek_at(1)) {
            // A modifier, followed by the modified character, perhaps with a backslash of its own.
            (Some(b'C' | b'M' | b'S' | b'H' | b'A' | b's'), Some(b'-')) => lexer.skip(2),
            (Some(b'^'), Some(_)) => lexer.skip(1),
            (Some(b'x'), _) => {
                lexer.skip(1);
                lexer.skip_while(|byte| byte.is_ascii_hexdigit());
                return TokenKind::Character;
            }
            (Some(b'u'), _) => return digits(lexer, 4, |byte| byte.is_ascii_hexdigit()),
            (Some(b'U'), _) => return digits(lexer, 8, |byte| byte.is_ascii_hexdigit()),
            (Some(b'N'), Some(b'{')) => {
                lexer.skip_while(|byte| byte != b'}' && byte != b'\n');
                if lexer.peek() == Some(b'}') {
                    lexer.skip(1);
                }
                return TokenKind::Character;
            }
            (Some(b'0'..=b'7'), _) => {
                lexer.skip_at_most(3, |byte| matches!(byte, b'0'..=b'7'));
                return TokenKind::Character;
            }
            _ => {
                lexer.skip_char();
                return TokenKind::Character;
            }
        }
    }
}

fn digits(lexer: &mut Lexer<'_>, most: usize, accepts: fn(u8) -> bool) -> TokenKind {
    lexer.skip(1);
    lexer.skip_at_most(most, accepts);
    TokenKind::Character
}

fn dispatch(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    let Some(sub) = lexer.peek() else { return TokenKind::Atom };
    match sub {
        b'\'' => lexer.take(1, TokenKind::Prefix),
        b'(' => lexer.open(TokenKind::OpenParen),
        b'[' => lexer.open(TokenKind::OpenBracket),
        b'^' if lexer.looking_at(b"^^[") => {
            lexer.skip(2);
            lexer.open(TokenKind::OpenBracket)
        }
        b'^' if lexer.looking_at(b"^[") => {
            lexer.skip(1);
            lexer.open(TokenKind::OpenBracket)
        }
        b'!' => lexer.line_comment(),
        b'#' => lexer.take(1, TokenKind::Atom),
        b'@' => skipped_bytes(lexer),
        b'&' => {
            lexer.skip(1);
            lexer.skip_while(|byte| byte.is_ascii_digit());
            TokenKind::Prefix
        }
        b':' | b'_' | b'$' => {
            lexer.skip(1);
            lexer.atom_rest()
        }
        b'0'..=b'9' => {
            lexer.skip_while(|byte| byte.is_ascii_digit());
            match lexer.peek() {
                Some(b'=') => lexer.take(1, TokenKind::Prefix),
                Some(b'#') => lexer.take(1, TokenKind::Atom),
                _ => lexer.atom_rest(),
            }
        }
        _ => {
            lexer.atom_rest();
            if lexer.peek() == Some(b'(') { lexer.open(TokenKind::OpenParen) } else { TokenKind::Atom }
        }
    }
}

/// `#@N`: byte-compiled files skip N bytes; `#@00` skips the rest of the file.
fn skipped_bytes(lexer: &mut Lexer<'_>) -> TokenKind {
    lexer.skip(1);
    lexer.skip_while(|byte| byte.is_ascii_digit());
    let digits = &lexer.token_bytes()[2..];
    let count =
        digits.iter().fold(0usize, |count, digit| count.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
    lexer.skip_bytes_to_boundary(if digits == b"00" { usize::MAX } else { count });
    TokenKind::BlockComment
}

const FRAGMENTS: &[(&str, &str)] = &[
    ("free", r"#<constituent -0123456789([^!@&:_$'><rest>"),
    // `?\C-\M-x`: a modifier is followed by the modified character, perhaps with a backslash of its own.
    ("modifiers", r"(\\[CMSHAs]-|\\^)*"),
];

/// The bytes that `#@` skips in compiled files cannot be counted by a pattern.
const PIECES: &[Piece] = &[
    piece("character", Role::Datum, r"\?<modifiers>([^\\]|\\[^CMSHAs^xuUN0-7])"),
    // A following character could continue these, so they have to end where a symbol would end.
    piece(
        "character_code",
        Role::Symbol,
        r"\?<modifiers>\\([CMSHAs]|x\h*|u\h{,4}|U\h{,8}|N(\{[^}\n]*})?|[0-7][0-7]{,2})",
    ),
    piece("function", Role::Prefix, r"#'"),
    piece("record", Role::Open(Delimiter::Paren), r"(<free>|#)\("),
    piece("bytecode", Role::Open(Delimiter::Bracket), r"#\[|#^\[|#^^\["),
    piece("empty_symbol", Role::Datum, r"##"),
    piece("bits", Role::Prefix, r"#&\d*"),
    piece("label", Role::Prefix, r"#\d+="),
    piece("reference", Role::Datum, r"#\d+#"),
    piece("hash_number", Role::Symbol, r"#\d+<step -0123456789=><rest>"),
    piece("hash_symbol", Role::Symbol, r"#[:_$]<rest>"),
    piece("hash_free", Role::Symbol, r"<free>"),
];

fn unsettled(kind: TokenKind, text: &str, blank: &str) -> Option<String> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match (kind, text.as_bytes()) {
        _ if !blank.is_empty() => None,
        (TokenKind::Character, _) => unsettled_character(text),
        (TokenKind::Prefix, b"#&") => Some(text.to_owned()),
        (TokenKind::Prefix, [b'#', b'&', ..]) => Some("#&1".to_owned()),
        (TokenKind::Prefix, _) => unsettled::unquote(text),
        (TokenKind::Atom, b"#" | b"#^" | b"#^^") => Some(text.to_owned()),
        (TokenKind::Atom, b"##") => None,
        (TokenKind::Atom, [b'#', b':' | b'_' | b'$', ..]) => unsettled::symbol(text),
        (TokenKind::Atom, [b'#', ..]) if is_number(&text[1..]) => Some("#1".to_owned()),
        (TokenKind::Atom, [b'#', .., b'#']) if is_number(&text[1..text.len() - 1]) => None,
        (TokenKind::Atom, [b'#', b'0'..=b'9', ..]) => unsettled::symbol(text),
        (TokenKind::Atom, [b'#', ..]) => Some(format!("#a{}", unsettled::escape(text))),
        (TokenKind::Atom, _) => unsettled::symbol(text),
        _ => None,
    }
}

/// `?x` and its escapes. After a modifier the state is the same as after the `?`.
fn unsettled_character(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix('?')?;
    loop {
        let bytes = rest.as_bytes();
        rest = match bytes {
            [b'\\', b'C' | b'M' | b'S' | b'H' | b'A' | b's', b'-', ..] => &rest[3..],
            [b'\\', b'^', _, ..] => &rest[2..],
            _ => break,
        };
    }
    match rest.as_bytes() {
        [b'\\', b'x', ..] => Some("?\\x".to_owned()),
        [b'\\', b'N', b'{', .., b'}'] => None,
        [b'\\', b'N', b'{', ..] => Some("?\\N{".to_owned()),
        // Complete, or lacking a few digits, or the beginning of a modifier.
        _ => Some(format!("?{rest}")),
    }
}

/// Before its docstring a mode has the name that people see.
const DERIVED_MODE: Placed =
    Placed { name: Place { at: 0, within: None }, parameters: None, docstring: Some(Place { at: 3, within: None }) };

const DEFINERS: &[Row] = &[
    row(
        K::Function,
        S::Callable,
        &[
            "defun",
            "defsubst",
            "define-inline",
            "cl-defun",
            "cl-defsubst",
            "defun*",
            "defsubst*",
            "cl-iter-defun",
            "iter-defun",
        ],
    ),
    row(K::Function, S::Callable, &["transient-define-prefix", "transient-define-suffix"]),
    row(K::Function, S::Callable, &["transient-define-infix", "transient-define-argument"]),
    row(K::Definition, S::Callable, &["pcase-defmacro"]),
    row(K::Macro, S::Callable, &["defmacro", "cl-defmacro", "defmacro*"]),
    row(K::GenericFunction, S::Callable, &["cl-defgeneric", "defgeneric"]),
    row(K::Method, S::Method, &["cl-defmethod", "defmethod"]),
    row(K::Variable, S::Special, &["defvar"]),
    row(K::Variable, S::Variable, &["defconst", "defcustom", "defvar-local"]),
    row(K::Variable, S::Named, &["defvar-keymap", "easy-mmode-defmap"]),
    row(K::Definition, S::Variable, &["defface", "defgroup"]),
    row(K::Class, S::Class, &["defclass"]),
    row(K::Structure, S::Structure, &["cl-defstruct", "defstruct"]),
    row(K::Type, S::Callable, &["cl-deftype", "deftype"]),
    row(K::Test, S::Callable, &["ert-deftest"]),
    row(K::Test, S::Titled(0), &["describe", "it"]),
    row(K::Definition, S::Quoted, &["defalias", "defvaralias", "define-obsolete-function-alias"]),
    row(K::Definition, S::Quoted, &["define-obsolete-variable-alias", "define-error", "define-button-type"]),
    row(K::Definition, S::Quoted, &["define-obsolete-face-alias", "define-abbrev-table", "define-widget"]),
    row(K::Definition, S::Quoted, &["define-fringe-bitmap"]),
    row(K::Definition, S::Quoted, &["define-charset", "define-charset-alias", "define-translation-table"]),
    row(K::Definition, S::Quoted, &["define-coding-system", "define-coding-system-alias"]),
    row(K::Definition, S::Named, &["define-minor-mode", "define-globalized-minor-mode", "define-global-minor-mode"]),
    row(K::Definition, S::Named, &["use-package", "defhydra", "define-skeleton", "easy-menu-define"]),
    row(K::Definition, S::Placed(DERIVED_MODE), &["define-derived-mode"]),
    row(K::Directive, S::Quoted, &["require", "provide", "declare-function", "autoload", "put"]),
];

const WRAPPERS: &[Wraps] = &[
    Wraps {
        wrapper: Wrapper::Body(0),
        heads: &["progn", "prog1", "unwind-protect", "eval-and-compile", "eval-when-compile", "with-no-warnings"],
    },
    Wraps {
        wrapper: Wrapper::Body(1),
        heads: &[
            "let",
            "let*",
            "letrec",
            "when",
            "unless",
            "if",
            "if-let",
            "when-let",
            "with-eval-after-load",
            "condition-case",
            "handler-bind",
            "dolist",
            "macrolet",
            "flet",
            "labels",
            "cl-flet",
            "cl-labels",
            "cl-macrolet",
            "cl-letf",
            "describe",
            "context",
        ],
    },
    Wraps { wrapper: Wrapper::Clauses, heads: &["cond"] },
];

const SHAPES: Shapes = Shapes {
    lists: "defun:2 defmacro:2 defsubst:2 cl-defun:2 cl-defmacro:2 defadvice:2 lambda:1 let:1 let*:1 cl-flet:1 cl-labels:1 \
        cl-letf:1 dolist:1 dotimes:1 cl-destructuring-bind:1 cl-multiple-value-bind:1 pcase-let:1 pcase-let*:1 \
        when-let:1 if-let:1 when-let*:1 cond:1 cond:2 cond:3 cond:4 pcase:2 pcase:3 pcase:4 cl-case:2 cl-case:3 \
        condition-case:3 declare:1 letf:1 letrec:1",
    atoms: "defun:1 defmacro:1 defsubst:1 defvar:1 defconst:1 defcustom:1 defgroup:1 defface:1 condition-case:1 cl-defun:1 \
        defvar-local:1 define-minor-mode:1 define-derived-mode:1",
    nested: "let:1 let*:1 cl-flet:1 cl-labels:1 cl-letf:1 pcase-let:1 pcase-let*:1 cond:1 cond:2 cond:3 cond:4 cl-letf*:1 \
        cl-flet*:1 cl-macrolet:1 letrec:1 dlet:1 if-let*:1 when-let*:1 and-let*:1 cl-symbol-macrolet:1 cl-defmethod:2",
    either: "if-let:1 when-let:1 pcase:2 pcase:3 pcase:4 cl-case:2 cl-case:3 cl-case:4 cl-do:2 with-slots:1 \
        with-suppressed-warnings:1 cl-defmethod:3 letf:1",
    docstrings: "defun:3 defmacro:3 defsubst:3 cl-defun:3 cl-defmacro:3 cl-defsubst:3 define-inline:3 ert-deftest:3",
    even: "setq:0 setf:0 setq-local:0 setq-default:0 cl-psetq:0 cl-psetf:0",
    functions: "defun:2 defmacro:2 defsubst:2 define-inline:2 cl-defun:2 cl-defmacro:2 cl-defsubst:2 cl-defgeneric:2 cl-defmethod:2",
    bodies: "defun:3 defmacro:3 defsubst:3 while:2 when:2 unless:2 let:2 let*:2 dolist:2 dotimes:2 lambda:2 \
        with-current-buffer:2 condition-case:3 unwind-protect:2 pcase:2 cl-case:2 cl-flet:2 cl-labels:2 when-let:2 \
        if-let:2 when-let*:2 if-let*:2 pcase-let:2 pcase-let*:2 cl-defun:3 cl-defmacro:3 cl-defmethod:3 \
        save-excursion:1 save-restriction:1 with-temp-buffer:1",
    indents: "and-let*:1 atomic-change-group:0 autoload:d benchmark-progn:0 benchmark-run:1 \
        benchmark-run-compiled:1 byte-compile-maybe-guarded:1 catch:1 cl-block:1 cl-callf:2 cl-callf2:3 \
        cl-case:1 cl-defgeneric:2 cl-define-compiler-macro:2 cl-defmacro:2 cl-defmethod:d cl-defstruct:1 \
        cl-defsubst:2 cl-deftype:2 cl-defun:2 cl-destructuring-bind:2 cl-do:2 cl-do*:2 cl-do-all-symbols:1 \
        cl-do-symbols:1 cl-dolist:1 cl-dotimes:1 cl-ecase:1 cl-etypecase:1 cl-eval-when:1 cl-flet:1 \
        cl-flet*:1 cl-generic-define-context-rewriter:d cl-generic-define-generalizer:1 cl-iter-defun:2 \
        cl-labels:1 cl-letf:1 cl-letf*:1 cl-macrolet:1 cl-multiple-value-bind:2 cl-multiple-value-setq:1 \
        cl-progv:2 cl-return-from:1 cl-symbol-macrolet:1 cl-the:1 cl-typecase:1 combine-after-change-calls:0 \
        combine-change-calls:2 comment-with-narrowing:2 condition-case:2 condition-case-unless-debug:2 \
        debugger-env-macro:0 def-edebug-elem-spec:1 def-edebug-spec:1 defadvice:2 define-advice:2 \
        define-generic-mode:1 define-ibuffer-column:d define-ibuffer-filter:2 define-ibuffer-op:2 \
        define-ibuffer-sorter:1 define-inline:d delay-mode-hooks:0 dlet:1 dolist:1 \
        dolist-with-progress-reporter:2 dont-compile:0 dotimes:1 dotimes-with-progress-reporter:2 \
        easy-menu-define:d easy-mmode-defmap:1 easy-mmode-defsyntax:1 ert-deftest:2 ert-info:1 \
        eval-after-load:1 eval-and-compile:0 eval-when-compile:0 gv-define-expander:1 gv-define-setter:2 \
        gv-letplace:2 handler-bind:1 handler-case:1 if:2 if-let:2 if-let*:2 ignore-error:1 ignore-errors:0 \
        isearch-define-mode-toggle:d iter-defun:d iter-do:1 iter-lambda:d lambda:d let:1 let*:1 let-alist:1 \
        let-when-compile:1 letrec:1 macroexp-let2:3 macroexp-let2*:2 map-let:2 minibuffer-with-setup-hook:1 \
        named-let:2 pcase:1 pcase-defmacro:2 pcase-dolist:1 pcase-exhaustive:1 pcase-lambda:d pcase-let:1 \
        pcase-let*:1 prog1:1 prog2:2 progn:0 rx-define:d rx-let:1 rx-let-eval:1 save-current-buffer:0 \
        save-excursion:0 save-mark-and-excursion:0 save-match-data:0 save-restriction:0 \
        save-selected-window:0 save-window-excursion:0 seq-doseq:1 seq-let:2 thread-first:0 thread-last:0 \
        thunk-let:1 thunk-let*:1 track-mouse:0 transient-append-suffix:d transient-insert-suffix:d \
        transient-remove-suffix:d transient-replace-suffix:d unless:1 unwind-protect:1 when:1 when-let:1 \
        when-let*:1 while:1 while-no-input:0 with-auto-compression-mode:0 with-case-table:1 \
        with-category-table:1 with-coding-priority:1 with-current-buffer:1 with-current-buffer-window:3 \
        with-demoted-errors:1 with-displayed-buffer-window:3 with-environment-variables:1 \
        with-eval-after-load:1 with-existing-directory:0 with-file-modes:1 with-help-window:1 \
        with-local-quit:0 with-minibuffer-selected-window:0 with-mutex:1 with-no-warnings:0 \
        with-output-to-string:0 with-output-to-temp-buffer:1 with-selected-frame:1 with-selected-window:1 \
        with-silent-modifications:0 with-slots:2 with-suppressed-warnings:1 with-syntax-table:1 \
        with-temp-buffer:0 with-temp-buffer-window:3 with-temp-file:1 with-temp-message:1 with-timeout:1 \
        with-window-non-dedicated:1 with-wrapper-hook:2",
    counts: "progn:1 let:2 let*:2 when:2 unless:2 if:2 defun:2 defmacro:2 lambda:2 while:1 dolist:2 dotimes:2 \
        save-excursion:1 save-restriction:1 with-current-buffer:2 with-temp-buffer:1 condition-case:2 \
        unwind-protect:2 defvar:1:3 defconst:2:3 defcustom:3 setq:2 car:1:1 cdr:1:1 cadr:1:1 cons:2:2 not:1:1 \
        null:1:1 eq:2:2 eql:2:2 equal:2:2 1+:1:1 1-:1:1 aref:2:2 nth:2:2 push:2:2 pop:1:1 length:1:1 stringp:1:1 \
        consp:1:1 listp:1:1 symbolp:1:1 numberp:1:1 memq:2:2 assq:2:3 member:2:2 mapcar:2:2 mapc:2:2 funcall:1 \
        apply:2 string=:2:2 goto-char:1:1 insert:1 nreverse:1:1 add-hook:2:4 provide:1:2 require:1:3 mapconcat:2:3 \
        with-eval-after-load:2 cl-loop:2 setcar:2:2 setcdr:2:2 and:2 or:2 cond:1 pcase:2 cl-case:2 define-key:3:4 \
        declare-function:1 defgroup:3 string-match:2:3 looking-at:1:1 match-string:1:2 match-beginning:1:1 \
        match-end:1:1 substring:1:3 forward-line:0:1 assoc:2:3 car-safe:1:1 put:3:3 expand-file-name:1:2 \
        plist-get:2:2 princ:1:2 zerop:1:1 forward-char:0:1 delete-region:2:2 beginning-of-line:0:1 symbol-name:1:1 \
        throw:2:2 aset:3:3 intern:1:2 string-to-number:1:2 set-buffer:1:1 regexp-quote:1:1 buffer-substring:2:2 \
        file-exists-p:1:1 fboundp:1:1 skip-chars-forward:1:2 char-after:0:1 get-text-property:2:3 math-mul:2:2 \
        boundp:1:1 modify-syntax-entry:2:3 get:2:2 delq:2:2 make-sparse-keymap:0:1 buffer-name:0:1 symbol-value:1:1 \
        string-equal:2:2 defalias:2:3 elt:2:2 line-beginning-position:0:1 integerp:1:1 end-of-line:0:1 \
        get-buffer-create:1:2 nthcdr:2:2 narrow-to-region:2:2 math-div:2:2 buffer-substring-no-properties:2:2 \
        kill-buffer:0:1 line-end-position:0:1 file-name-directory:1:1 skip-chars-backward:1:2 /=:2:2 make-string:2:3 \
        gethash:2:3 bindings--define-key:3:3 downcase:1:1 kbd:1:1 delete-char:1:2 char-before:0:1 signal:2:2 \
        make-local-variable:1:1 sort:2:2 caar:1:1 select-window:1:2 buffer-file-name:0:1 read:0:1 string-match-p:2:3 \
        math-add:2:2 remove-hook:2:3 mark:0:1 math-reject-arg:0:3 eval:1:2 cddr:1:1 overlay-put:3:3 y-or-n-p:1:1 \
        get-buffer:1:1 set-marker:2:3 backward-char:0:1 %:2:2 switch-to-buffer:1:3 featurep:1:2 functionp:1:1 \
        prefix-numeric-value:1:1 copy-sequence:1:1 char-to-string:1:1 number-to-string:1:1 buffer-live-p:1:1 \
        math-sub:2:2 match-string-no-properties:1:2 delete-file:1:2 last:1:2 delete:2:2 math-neg:1:1 sit-for:1:3 \
        substitute-command-keys:1:2 get-buffer-window:0:2 make-symbol:1:1 make-vector:2:2 set-buffer-modified-p:1:1 \
        puthash:3:3 global-set-key:2:2 window-buffer:0:1 move-to-column:1:2 process-buffer:1:1 marker-position:1:1 \
        pop-to-buffer:1:3 ash:2:2 file-attributes:1:2 point:0:0 point-min:0:0 point-max:0:0 current-buffer:0:0 eobp:0:0 \
        bobp:0:0 eolp:0:0 bolp:0:0 selected-window:0:0 selected-frame:0:0 buffer-string:0:0 buffer-size:0:1 \
        match-data:0:3 point-marker:0:0 log:1:2 exp:1:1 abs:1:1 upcase:1:1 capitalize:1:1 atom:1:1 keywordp:1:1 \
        bufferp:1:1 markerp:1:1 vectorp:1:1 arrayp:1:1 natnump:1:1 identity:1:1",
    hanging: "if if-let if-let* handler-case restart-case unwind-protect condition-case prog1",
    declarations: "declare interactive",
    operators: "provide require defun let if setq and or not defvar when car let* cdr eq while cond list concat lambda progn \
        cons goto-char unless error interactive format length point-min defcustom save-excursion insert message null \
        funcall point-max string-match mapcar with-current-buffer stringp memq nth current-buffer dolist 1- 1+ equal \
        append defgroup apply push substring re-search-forward defconst match-end assoc condition-case match-beginning \
        match-string string= nreverse declare-function add-hook forward-line cadr aref looking-at assq consp \
        define-key listp member eval-when-compile mapconcat delete-region buffer-substring intern expand-file-name put \
        zerop boundp set-buffer make-sparse-keymap fboundp with-temp-buffer beginning-of-line eobp delq throw setcdr \
        prog1 save-restriction symbolp kill-buffer defmacro catch pop mapc get-buffer-create unwind-protect setq-local \
        numberp declare replace-match search-forward nconc defsubst end-of-line ignore-errors symbol-value setcar \
        split-string run-hooks defalias pcase cl-defun cl-loop cl-case cl-flet cl-labels cl-defmethod cl-defstruct \
        cl-incf defvar-local define-derived-mode define-minor-mode if-let when-let save-match-data < > <= >= = /= + - \
        *",
    constants: "t otherwise",
    ..Shapes::NONE
};

//! Reader macros that the reader does not know, where a text does not balance.
//!
//! A text may be sound and its own readtable unknown: `#?/a(b/`, `#/\(/`. Then every fix of its delimiters is wrong. The
//! sign is an unknown `#X` in the broken form with which the text balances when it is read as text up to a delimiter.

use std::fmt;

use memchr::memmem;

use crate::dialects::Dialect;
use crate::language::DispatchShape;
use crate::read::read_plain;
use crate::span::LineIndex;
use crate::tree::Tree;

/// What a text has that its language does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownNotation {
    dialect: Dialect,
    /// The character after `#`, and its shape.
    dispatch: Option<(char, DispatchShape)>,
    /// The readtable that the text declares.
    readtable: Option<String>,
    /// The line of the first `#X`, or of the declaration, from 1.
    pub line: u32,
}

impl fmt::Display for UnknownNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dialect, dispatch, readtable, line } = self;
        let table = dialect.name();
        match (dispatch, readtable) {
            (Some((character, shape)), _) => write!(
                f,
                "`#{character}` of line {line} is no notation of {table} that lispwright knows, and read as a reader \
                 macro of the project the text balances. If it is one, say so in lispwright.toml: [{table}.dispatch] \
                 {:?} = {:?}",
                character.to_string(),
                shape.name()
            ),
            (None, name) => write!(
                f,
                "line {line} declares the readtable {}, which lispwright does not know. Say in lispwright.toml what \
                 its characters begin, under [{table}.dispatch], such as \"?\" = \"delimited\"",
                name.as_deref().unwrap_or_default()
            ),
        }
    }
}

/// The most different characters that are tried.
const MOST_TRIED: usize = 4;
/// The shapes that hide delimiters, in the order in which they are tried.
const HIDING: [DispatchShape; 3] =
    [DispatchShape::Delimited, DispatchShape::DelimitedByNext, DispatchShape::CharacterSet];

/// The notation behind which the first mistake of `text` stands, from which `tree` was read. `None` for a text that
/// balances.
pub fn unknown_notation(tree: &Tree, text: &str) -> Option<UnknownNotation> {
    let mistake = tree.main_mistake()?;
    let free = tree.dialect().table().free_dispatch;
    let first = mistake.opened_at.map_or(mistake.span.start, |opened| opened.start.min(mistake.span.start));
    // The form in column 0 around the mistake.
    let begin = text[..first as usize].rfind("\n(").map_or(0, |at| at as u32 + 1);
    let end = mistake.gave_up_at.unwrap_or(mistake.span.end).max(mistake.span.end);
    let mut tried: Vec<u8> = Vec::new();
    let mut found: Vec<(u8, u32)> = Vec::new();
    let mut from = begin as usize;
    while let Some(at) = memmem::find(&text.as_bytes()[from..end as usize], b"#") {
        let start = from + at;
        from = start + 1;
        let Some(&sub) = text.as_bytes().get(start + 1) else { break };
        // Inside of strings, comments and symbols it is text.
        let begins = free(sub)
            && !tried.contains(&sub)
            && tree.token_at(start as u32).is_some_and(|token| tree.token_span(token).start == start as u32);
        if begins {
            tried.push(sub);
            found.push((sub, start as u32));
            if tried.len() == MOST_TRIED {
                break;
            }
        }
    }
    let lines = LineIndex::new(text.as_bytes());
    let old = (tree.mistakes(), mistake.span.start);
    for (sub, at) in found {
        for shape in HIDING {
            let language = tree.language().with_dispatch(sub, shape, text.as_bytes());
            let read = read_plain(text, &language);
            let better = read.is_balanced()
                || (read.mistakes() < old.0 && read.main_mistake().is_some_and(|next| next.span.start > old.1));
            if better {
                let dispatch = Some((char::from(sub), shape));
                return Some(UnknownNotation {
                    dialect: tree.dialect(),
                    dispatch,
                    readtable: None,
                    line: lines.line(at),
                });
            }
        }
    }
    None
}

/// The readtable that `text` declares by `in-readtable`, if neither the standard nor the project knows it, for a text
/// that does not balance.
pub fn unknown_readtable(tree: &Tree, text: &str) -> Option<UnknownNotation> {
    if tree.language().is_extended() || !tree.dialect().table().packages || tree.main_mistake().is_none() {
        return None;
    }
    let at = memmem::find(text.as_bytes(), b"in-readtable")?;
    // Only the head of a form at top level declares.
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    let name = text[at + "in-readtable".len()..].trim_start();
    let name = &name[..name.find([')', ' ', '\n', '\r', '\t'])?];
    let bare = name.trim_start_matches(['#', ':', '\'']).to_ascii_lowercase();
    let known = ["", "nil", "standard", "common-lisp", "modern", "fare-quasiquote", "utf8-input-stream"];
    if !line.starts_with('(') || known.contains(&bare.as_str()) {
        return None;
    }
    let line = LineIndex::new(text.as_bytes()).line(at as u32);
    Some(UnknownNotation { dialect: tree.dialect(), dispatch: None, readtable: Some(name.to_owned()), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn told(dialect: Dialect, text: &str) -> String {
        let tree = read_plain(text, dialect);
        unknown_notation(&tree, text).map(|notation| notation.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_mistake_behind_an_unknown_dispatch_character_names_the_line_to_add() {
        let found = told(Dialect::CommonLisp, "(a)\n(defun f (x)\n  (scan #?/a(b/ x))\n(g)\n");
        assert!(found.contains("`#?` of line 3") && found.contains("\"?\" = \"delimited-by-next\""), "{found}");
        let found = told(Dialect::CommonLisp, "(defun f (x) (scan #/a(b/ x))\n(defun g (x) (scan #/\"/ x))");
        assert!(found.contains("\"/\" = \"delimited\""), "{found}");
        let found = told(Dialect::Scheme, "(define (f s) (g #/\\(/ s))\n");
        assert!(found.contains("[scheme.dispatch] \"/\" = \"delimited\""), "{found}");
        let found = told(Dialect::Scheme, "(define rtd '#{point f9dk2l-1})\n(define (f x) (list x))\n");
        assert!(found.contains("\"{\" = \"delimited\""), "{found}");
    }

    #[test]
    fn an_unknown_dispatch_character_that_explains_nothing_is_no_reason() {
        for text in ["(defun f (x) (g #?a x)", "(defun f (x)) (g #@x))", "(f \"#?/(/\"", "(f) ; #/(/\n(g"] {
            assert_eq!(told(Dialect::CommonLisp, text), "", "{text}");
        }
        assert_eq!(told(Dialect::Clojure, "(f #/a(b/ x))"), "");
    }

    #[test]
    fn a_declared_readtable_is_known_or_told() {
        let told = |text: &str| unknown_readtable(&read_plain(text, Dialect::CommonLisp), text).is_some();
        assert!(told("(named-readtables:in-readtable :other)\n(f [(] x)\n"));
        assert!(!told("(named-readtables:in-readtable :other)\n(f [x])\n"));
        assert!(!told("(in-readtable :standard)\n(f\n"));
        assert!(!told(";; (in-readtable :other)\n(f\n"));
    }
}

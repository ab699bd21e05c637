//! Prints a tree for people: the output of `lispwright tree` and the expectation in the fixtures.

use std::fmt::Write as _;

use crate::form::Forms;
use crate::span::Places;
use crate::token::TokenKind;
use crate::tree::Tree;

/// One line for each token that is not white space, with its place, kind and text, indented by depth; then the forms;
/// then the diagnostics. Texts are cut after 60 characters.
pub fn dump(tree: &Tree, text: &str) -> String {
    let mut places = Places::new(text.as_bytes());
    let mut place = |offset| {
        let at = places.at(offset);
        format!("{}:{}", at.line, at.column)
    };
    let mut out = String::new();
    let mut ends: Vec<u32> = Vec::new();
    let mut next_list = 0;
    for (token, (kind, span)) in tree.tokens().enumerate() {
        let token = token as u32;
        while ends.last().is_some_and(|&end| end <= token) {
            ends.pop();
        }
        if kind == TokenKind::Blank {
            continue;
        }
        let depth = if kind.is_close() { ends.len().saturating_sub(1) } else { ends.len() };
        let source = quoted(&text[span.range()]);
        // Writing to a string does not fail.
        let _ =
            writeln!(out, "{:<7} {:indent$}{} {source}", place(span.start), "", name(kind), indent = depth.min(40) * 2);
        if kind.is_open() {
            ends.push(tree.list(next_list).end());
            next_list += 1;
        }
    }
    for (_, form) in Forms::new(tree, text).iter().filter(|(_, form)| form.name.is_some() || form.parent.is_some()) {
        let _ = write!(out, "form {} {}", place(form.span.start), quoted(&form.label(text)));
        for signature in &form.signature {
            let _ = write!(out, " takes {}", quoted(&text[signature.range()]));
        }
        for condition in &form.conditions {
            let _ = write!(out, " if {}", quoted(&text[condition.range()]));
        }
        if let Some(header) = form.header {
            let _ = write!(out, " header {}", place(header.start));
        }
        if let Some(docstring) = form.docstring {
            let _ = write!(out, " says {}", quoted(&text[docstring.range()]));
        }
        let _ = writeln!(out, "{}", if form.broken { " broken" } else { "" });
    }
    for diagnostic in tree.diagnostics() {
        let _ = write!(out, "{} {}: {}", place(diagnostic.span.start), diagnostic.kind.code(), diagnostic.kind);
        if let Some(opened) = diagnostic.opened_at {
            let _ = write!(out, ", opened at {}", place(opened.start));
        }
        if let Some(offset) = diagnostic.gave_up_at {
            let _ = write!(out, ", given up at {}", place(offset));
        }
        out.push('\n');
    }
    out
}

fn quoted(source: &str) -> String {
    let flat = source.replace('\n', "\\n").replace('\r', "\\r");
    match flat.char_indices().nth(60) {
        Some((cut, _)) => format!("{}...", &flat[..cut]),
        None => flat,
    }
}

/// The kind as one lower-case word.
pub fn name(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Blank => "blank",
        TokenKind::LineComment => "comment",
        TokenKind::BlockComment => "block-comment",
        TokenKind::Atom => "atom",
        TokenKind::String => "string",
        TokenKind::Character => "character",
        TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace => "open",
        TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => "close",
        TokenKind::Prefix => "prefix",
        TokenKind::Annotation => "annotation",
        TokenKind::Discard => "discard",
        TokenKind::UnterminatedString => "unterminated-string",
        TokenKind::UnterminatedComment => "unterminated-comment",
        TokenKind::UnterminatedSymbol => "unterminated-symbol",
    }
}

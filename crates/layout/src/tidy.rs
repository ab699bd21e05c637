//! White space that shows nothing: at the ends of lines, before closers that stand alone, at the end of the file.

use lispwright_syntax::{TokenKind, Tree, read};

use crate::laid::Lines;

/// The text without such white space in these lines. `tree` is that of the text before its lines were moved: it has the
/// same tokens in the same order.
pub(crate) fn tidied(text: &str, tree: &Tree, lines: &Lines, joins: bool) -> String {
    let tree = read(text, tree.language());
    let lone = if joins { lone_closers(&tree, text) } else { Vec::new() };
    let mut lone = lone.into_iter().peekable();
    let mut out = String::with_capacity(text.len());
    let mut line = 1;
    for token in 0..tree.token_count() {
        let source = &text[tree.token_span(token).range()];
        let is_last = token + 1 == tree.token_count();
        let ends = source.bytes().filter(|byte| *byte == b'\n').count() as u32;
        match tree.kind(token) {
            TokenKind::Blank if lone.next_if_eq(&token).is_some() && lines.has(line + ends) => {}
            TokenKind::Blank => blank(&mut out, source, line, is_last, lines),
            TokenKind::LineComment if lines.has(line) => out.push_str(source.trim_end_matches([' ', '\t'])),
            _ => out.push_str(source),
        }
        line += ends;
    }
    if !out.is_empty() && !out.ends_with('\n') && lines.has(line) {
        out.push_str(if out.contains("\r\n") { "\r\n" } else { "\n" });
    }
    out
}

/// Adds white space that begins in `line`, without what shows nothing.
fn blank(out: &mut String, source: &str, line: u32, is_last: bool, lines: &Lines) {
    let pieces: Vec<&str> = source.split_inclusive('\n').collect();
    let ends = pieces.iter().filter(|piece| piece.ends_with('\n')).count();
    for (at, piece) in pieces.iter().enumerate() {
        let body = piece.trim_end_matches('\n');
        let body = body.strip_suffix('\r').unwrap_or(body);
        let ending = &piece[body.len()..];
        let is_wanted = body.contains(|c: char| c != ' ' && c != '\t');
        let before_end = !ending.is_empty() || is_last;
        if !lines.has(line + at as u32) || is_wanted || !before_end {
            out.push_str(piece);
        } else if !(is_last && at > 0 && ends > 1 && lines.is_all()) {
            out.push_str(ending);
        }
    }
}

/// The white space before closers that begin a line, after anything but a comment.
fn lone_closers(tree: &Tree, text: &str) -> Vec<u32> {
    let mut lone: Vec<u32> = Vec::new();
    for list in tree.lists() {
        let head = tree.token_span((list.open() + 1).min(tree.token_count() - 1));
        if &text[head.range()] == "comment" {
            // Clojure leaves room there for one more form.
            continue;
        }
        let Some(before) = list.close().and_then(|close| close.checked_sub(1)) else { continue };
        let is_lone = tree.kind(before) == TokenKind::Blank
            && text[tree.token_span(before).range()].contains('\n')
            && before.checked_sub(1).is_some_and(|last| tree.kind(last) != TokenKind::LineComment);
        if is_lone {
            lone.push(before);
        }
    }
    lone.sort_unstable();
    lone
}

/// How many of the lists of a text that end on another line than they begin end with a closer that begins a line, and
/// how many there are.
pub(crate) fn closers(tree: &Tree, text: &str) -> (u32, u32) {
    let is_long = |list: &u32| text[tree.list_span(*list).range()].contains('\n');
    let long = (0..tree.lists().len() as u32).filter(is_long).count();
    (lone_closers(tree, text).len() as u32, long as u32)
}

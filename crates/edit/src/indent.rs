//! Moving source that was written as if it stood in column 0 to where it will stand.

use lispwright_syntax::{TokenKind, Tree};

/// `text` from `start` on with every line but the first moved right by `columns` spaces, except lines that begin inside a
/// string or another token; and where in the result these spaces stand.
///
/// Content for a nested form is often written as if it stood in column 0. It is moved only when some line after the
/// first stands too far left for a body that begins at that column.
pub(crate) fn moved(text: &str, tree: &Tree, start: u32, columns: usize) -> (String, Vec<u32>) {
    let body = &text[start as usize..];
    let begins_token_or_blank = |offset: u32| {
        tree.token_at(offset)
            .is_none_or(|token| tree.token_span(token).start == offset || tree.kind(token) == TokenKind::Blank)
    };
    let line_starts: Vec<u32> = body
        .match_indices('\n')
        .map(|(at, _)| start + at as u32 + 1)
        .filter(|&at| begins_token_or_blank(at))
        .filter(|&at| !text[at as usize..].lines().next().unwrap_or("").trim().is_empty())
        .collect();
    let indentation = |at: u32| text[at as usize..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if columns == 0 || !line_starts.iter().any(|&at| indentation(at) <= columns) {
        return (body.to_owned(), Vec::new());
    }
    let mut moved = String::with_capacity(body.len() + line_starts.len() * columns);
    let mut spaces = Vec::with_capacity(line_starts.len());
    let mut copied = start as usize;
    for at in line_starts {
        moved.push_str(&text[copied..at as usize]);
        spaces.push(moved.len() as u32);
        moved.extend(std::iter::repeat_n(' ', columns));
        copied = at as usize;
    }
    moved.push_str(&text[copied..]);
    (moved, spaces)
}

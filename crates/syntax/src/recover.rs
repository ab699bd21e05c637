//! Finds the places at which reading starts again at top level in a text that does not balance.
//!
//! Plain matching blames a missing closer on the end of the file and nests every later definition inside the broken
//! one. People and formatters begin top-level forms in column 0, so an opening bracket there means that the lists that
//! are still open were left open by mistake. The rule has exceptions (a `macrolet` with definitions in column 0,
//! unindented bodies), so it is used only for a text that plain matching has rejected, and not if the column-0 forms
//! close exactly the open lists.

use crate::build::Cuts;
use crate::language::Language;
use crate::lexer::Lexer;
use crate::token::TokenKind;
use crate::tree::Tree;
use crate::{DiagnosticKind, Span};

/// The cuts for a text that does not balance in `plain`, its tree by plain matching.
pub(crate) fn find_cuts(text: &[u8], plain: &Tree) -> Cuts {
    let quotes_are_odd = plain.diagnostics().iter().any(|diagnostic| diagnostic.kind == DiagnosticKind::UnclosedString);
    let strings = if quotes_are_odd { find_string_cuts(text, plain) } else { Vec::new() };
    let cuts = Cuts { resets: Vec::new(), strings };
    let resets = find_resets(text, plain, &cuts);
    Cuts { resets, ..cuts }
}

/// A string that contains the start of a definition in column 0 has lost its closing quote, so it ends with its first
/// line.
fn find_string_cuts(text: &[u8], plain: &Tree) -> Vec<Span> {
    let mut cuts = Vec::new();
    let mut lexer = Lexer::new(text, plain.language().readtables(text));
    loop {
        let start = lexer.offset();
        let Some(kind) = lexer.next() else { return cuts };
        if !matches!(kind, TokenKind::String | TokenKind::UnterminatedString) {
            continue;
        }
        let body = &text[start..lexer.offset()];
        if plain.language().definition_line(body).is_none() {
            continue;
        }
        let line = memchr::memchr(b'\n', body).expect("a definition in column 0 is after a line end");
        let end = start + line - usize::from(line > 1 && body[line - 1] == b'\r');
        cuts.push(Span::new(start as u32, end as u32));
        lexer.rewind(end);
    }
}

/// The text from one opener in column 0 up to the next.
struct Chunk {
    start: u32,
    /// Openers minus closers.
    net: i64,
    /// The lowest depth, relative to the start of the chunk.
    low: i64,
    is_definition: bool,
}

fn find_resets(text: &[u8], plain: &Tree, cuts: &Cuts) -> Vec<u32> {
    let chunks = find_chunks(text, plain, cuts);
    let mut resets = Vec::new();
    let mut depth = 0i64;
    // Whether the open form is a definition.
    let mut inside_definition = false;
    let mut index = 0;
    while index < chunks.len() {
        let chunk = &chunks[index];
        if depth > 0 {
            if let Some(joined) = chunks_that_close(&chunks[index..], depth, inside_definition) {
                index += joined;
                depth = 0;
                continue;
            }
            resets.push(chunk.start);
        }
        inside_definition = chunk.is_definition;
        depth = (chunk.net - chunk.low.min(0)).max(0);
        index += 1;
    }
    resets
}

/// How many of the first chunks bring `depth` back to zero without ever going below, if they look like the inside of
/// the open form.
fn chunks_that_close(chunks: &[Chunk], mut depth: i64, inside_definition: bool) -> Option<usize> {
    for (index, chunk) in chunks.iter().enumerate() {
        if depth + chunk.low < 0 || (inside_definition && chunk.is_definition) {
            return None;
        }
        depth += chunk.net;
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

fn find_chunks(text: &[u8], plain: &Tree, cuts: &Cuts) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    // A prefix in column 0 belongs to its datum, even if that is in column 0 of the next line.
    let mut prefix: Option<u32> = None;
    let mut lexer = Lexer::new(text, plain.language().readtables(text));
    loop {
        let start = lexer.offset();
        let Some(kind) = lexer.next() else { return chunks };
        if let Some(end) = cuts.string_end(start as u32) {
            lexer.rewind(end as usize);
        }
        let in_column_0 = start == 0 || text[start - 1] == b'\n';
        if in_column_0 && kind.is_prefix() && prefix.is_none() {
            prefix = Some(start as u32);
        }
        if in_column_0 && kind.is_open() {
            let start_of_form = prefix.take().filter(|&at| is_near(text, at, start)).unwrap_or(start as u32);
            let is_definition = is_definition(&text[start..], plain.language());
            chunks.push(Chunk { start: start_of_form, net: 0, low: 0, is_definition });
        }
        let Some(chunk) = chunks.last_mut() else { continue };
        if kind.is_open() {
            chunk.net += 1;
        } else if kind.is_close() {
            chunk.net -= 1;
            chunk.low = chunk.low.min(chunk.net);
        }
    }
}

/// At most one line end is between a prefix and an opener.
fn is_near(text: &[u8], prefix: u32, opener: usize) -> bool {
    memchr::memchr_iter(b'\n', &text[prefix as usize..opener]).count() <= 1
}

/// The head of this form is one of a definition or of the header of a file.
fn is_definition(form: &[u8], language: &Language) -> bool {
    let Some(after) = form.strip_prefix(b"(") else { return false };
    let end = after.iter().position(|byte| byte.is_ascii_whitespace() || b"()".contains(byte));
    language.opener(&after[..end.unwrap_or(after.len())]).is_some()
}

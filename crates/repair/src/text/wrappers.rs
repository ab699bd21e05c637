//! Forms around others that begin in column 0 too: `(library (a) …`, `(progn`, `(comment`.
//!
//! Column 0 does not end them. They begin with a line or a few, and end with closers alone on a line, or at the end of the
//! file. What is between is cut into forms as if they were not there.

use crate::text::code::Token;
use crate::text::scope::{Chunk, head, measure, opens};
use crate::witnesses::operators::{holds_forms, is_library, is_of_data};

/// If more forms than this end with a closer alone in column 0, that is how the file is written.
const MOST_LONE: usize = 1;

/// The chunks, of which the beginnings and the ends of forms around others are chunks of their own; `None` if there are
/// none whose end is certain.
pub(super) fn apart(tokens: &[Token], chunks: &[Chunk]) -> Option<Vec<Chunk>> {
    let lone = |chunk: &Chunk| lone_closers(tokens, chunk);
    if chunks.iter().filter(|chunk| chunk.healthy && lone(chunk) > 0).count() > MOST_LONE {
        return None;
    }
    let mut open = Vec::new();
    let mut out: Vec<Chunk> = Vec::with_capacity(chunks.len() + 2);
    // The beginnings that have no end yet, as indices into `out`.
    let mut begun: Vec<usize> = Vec::new();
    let mut found = false;
    for (index, chunk) in chunks.iter().enumerate() {
        if begins(tokens, chunk) && chunks.get(index + 1).is_some_and(|next| opens(tokens, next.tokens.start)) {
            begun.push(out.len());
            out.push(chunk.clone());
            continue;
        }
        let count = match lone(chunk) {
            0 if index + 1 == chunks.len() => at_the_end(tokens, chunk, &out, &begun),
            count if chunk.healthy && !tokens[chunk.tokens.end - count].apart => 0,
            count => count,
        };
        let mut used = 0;
        while let Some(begin) = begun.last().filter(|begin| used + out[**begin].net as usize <= count) {
            used += out[*begin].net as usize;
            end(&mut out[*begin]);
            begun.pop();
        }
        let split = chunk.tokens.end - used;
        if used == 0 || split == chunk.tokens.start {
            out.push(chunk.clone());
            continue;
        }
        found = true;
        out.push(measure(tokens, chunk.tokens.start..split, &mut open));
        let mut tail = measure(tokens, split..chunk.tokens.end, &mut open);
        end(&mut tail);
        out.push(tail);
    }
    found.then_some(out)
}

/// Marks a part of a form around others whose counterpart is known.
fn end(chunk: &mut Chunk) {
    (chunk.net, chunk.low, chunk.healthy, chunk.wraps) = (0, 0, true, true);
}

/// The chunk begins a form around others and leaves it open.
fn begins(tokens: &[Token], chunk: &Chunk) -> bool {
    !chunk.healthy && chunk.net > 0 && chunk.low >= 0 && head(tokens, chunk).is_some_and(|head| holds_forms(head.head))
}

/// The tokens begin a library: a name follows its head, and then what it takes or gives, or its language.
pub(crate) fn begins_library(own: &[Token]) -> bool {
    let head = own.iter().find(|token| !token.kind.is_open());
    let (mut depth, mut parts) = (0, 0);
    for (index, token) in own.iter().enumerate().filter(|(_, token)| !token.kind.is_prefix()) {
        depth -= i32::from(token.kind.is_close());
        parts += u32::from(depth == 1 && !token.kind.is_close());
        let inner = own.get(index + 1).filter(|head| !head.definer).map_or(0, |head| head.head);
        if depth == 1 && parts > 2 && token.kind.is_open() && !(is_of_data(inner) || holds_forms(inner)) {
            return false;
        }
        depth += i32::from(token.kind.is_open());
    }
    head.is_some_and(|head| is_library(head.head)) && parts > 2
}

/// The number of closers with which the chunk ends, if the first of them begins a line in column 0.
fn lone_closers(tokens: &[Token], chunk: &Chunk) -> usize {
    let own = &tokens[chunk.tokens.clone()];
    let run = own.iter().rev().take_while(|token| token.kind.is_close()).count();
    let first = own[own.len() - run..].iter().position(|token| token.first && token.column == 0);
    first.map_or(0, |first| run - first)
}

/// The number of closers at the end of the last chunk that end the library around it.
fn at_the_end(tokens: &[Token], last: &Chunk, out: &[Chunk], begun: &[usize]) -> usize {
    let [begin] = begun else { return 0 };
    // A library after other forms may end before others.
    if out[..*begin].iter().any(|chunk| chunk.tokens.len() > 1) {
        return 0;
    }
    let is_library = begins_library(&tokens[out[*begin].tokens.clone()]);
    let own = &tokens[last.tokens.clone()];
    let run = own.iter().rev().take_while(|token| token.kind.is_close()).count() as i64;
    if is_library && last.net == -out[*begin].net && run > -last.net { -last.net as usize } else { 0 }
}

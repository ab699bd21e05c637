//! The broken parts of a text: the top-level forms that do not balance by themselves.
//!
//! A form begins with an opener in column 0, or with anything in column 0 where nothing is open. Forms that balance are
//! neighbours: they are never changed, and they show how this file is indented.

use std::ops::Range;

use lispwright_syntax::{Delimiter, TokenKind};

use crate::text::code::Token;
use crate::text::wrappers;

/// The number of chunks that are tried, at most, to find those that close the lists of others.
const MOST_STEPS: usize = 200_000;

/// The tokens from one beginning of a form in column 0 to the next.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Indices of its tokens.
    pub(crate) tokens: Range<usize>,
    /// Openers minus closers.
    pub(crate) net: i64,
    /// The lowest depth, relative to the beginning.
    pub(crate) low: i64,
    /// Every closer matches its opener, and nothing stays open.
    pub(crate) healthy: bool,
    /// It is broken and has inner lines in column 0, so columns do not show what belongs to it.
    pub(crate) flush: bool,
    /// It is the beginning or the end of a form whose body begins in column 0, and right.
    pub(crate) wraps: bool,
}

/// Cuts tokens into chunks. Chunks that only balance together are joined.
pub(crate) fn chunks(tokens: &[Token]) -> Vec<Chunk> {
    let mut starts: Vec<usize> = vec![0];
    let mut depth = 0i64;
    for (index, token) in tokens.iter().enumerate() {
        let begins = index > 0 && token.first && token.column == 0 && !token.kind.is_close();
        let behind_prefix = index > 0 && tokens[index - 1].kind.is_prefix();
        let below_condition = begins && is_condition(&tokens[starts[starts.len() - 1]..index]);
        if begins && !behind_prefix && !below_condition && (depth <= 0 || opens(tokens, index)) {
            starts.push(index);
            depth = 0;
        }
        depth += step(token);
    }
    starts.push(tokens.len());
    let mut open = Vec::new();
    let mut found = Vec::with_capacity(starts.len());
    for pair in starts.windows(2).filter(|pair| pair[0] < pair[1]) {
        let whole = measure(tokens, pair[0]..pair[1], &mut open);
        match beside(tokens, &whole, &mut open) {
            Some(parts) => found.extend(parts),
            None => found.push(whole),
        }
    }
    let joined = join(tokens, &found);
    let joined = match joined.iter().all(|chunk| chunk.healthy) {
        true => joined,
        false => wrappers::apart(tokens, &found).map_or(joined, |found| join(tokens, &found)),
    };
    gather(tokens, joined, &mut open)
}

/// Splits a chunk that leaves lists open and ends with a definition that touches the datum before it, `…)(defun f (x)`:
/// nobody writes a definition like that inside another form.
fn beside(tokens: &[Token], whole: &Chunk, open: &mut Vec<Delimiter>) -> Option<[Chunk; 2]> {
    if whole.healthy || whole.net <= 0 {
        return None;
    }
    let range = whole.tokens.clone();
    let at = range.clone().skip(1).find(|&at| {
        let (before, token) = (&tokens[at - 1], &tokens[at]);
        let touches = before.end == token.start && !before.kind.is_open() && !before.kind.is_prefix();
        let defines = tokens[..range.end].get(at + 1).is_some_and(|head| head.definer && head.kind == TokenKind::Atom);
        touches && token.kind.is_open() && defines
    })?;
    let parts = [range.start..at, at..range.end].map(|range| measure(tokens, range, open));
    (parts[0].net > 0 && parts[1].healthy).then_some(parts)
}

/// The tokens are only the condition under which the next form is read: `#+sbcl`, `#-(or clisp ecl)`.
fn is_condition(tokens: &[Token]) -> bool {
    let Some((mark, behind)) = tokens.split_first() else { return false };
    let prefixes = behind.iter().take_while(|token| token.kind.is_prefix()).count();
    let datum = &behind[prefixes..];
    mark.kind == TokenKind::Annotation
        && match datum {
            [] => false,
            [_] => true,
            list => list[0].kind.is_open() && list[0].line == list[list.len() - 1].line && balances(list),
        }
}

/// The token opens a list, perhaps after prefixes on its line or after a condition on the line before: `#+x`.
pub(super) fn opens(tokens: &[Token], index: usize) -> bool {
    let line = tokens[index].line;
    let condition = tokens[index].kind == TokenKind::Annotation;
    let behind = tokens[index..].iter().take_while(|token| token.line == line).find(|token| !token.kind.is_prefix());
    let conditional = || tokens.get(index + 2).is_some_and(|token| token.kind.is_open() && token.line <= line + 1);
    behind.is_some_and(|token| token.kind.is_open()) || (condition && conditional())
}

fn step(token: &Token) -> i64 {
    i64::from(token.kind.is_open()) - i64::from(token.kind.is_close())
}

/// The chunk of the tokens in `range`; `open` is a buffer.
pub(super) fn measure(tokens: &[Token], range: Range<usize>, open: &mut Vec<Delimiter>) -> Chunk {
    open.clear();
    let (mut net, mut low, mut healthy) = (0, 0, true);
    for token in &tokens[range.clone()] {
        let Some(delimiter) = token.delimiter() else { continue };
        if token.kind.is_open() {
            net += 1;
            open.push(delimiter);
        } else {
            net -= 1;
            low = low.min(net);
            healthy &= open.pop() == Some(delimiter);
        }
    }
    Chunk { tokens: range, net, low, healthy: healthy && open.is_empty(), flush: false, wraps: false }
}

/// Every closer matches its opener, and nothing stays open.
fn balances(tokens: &[Token]) -> bool {
    measure(tokens, 0..tokens.len(), &mut Vec::new()).healthy
}

/// Joins a chunk that leaves lists open with the chunks that close exactly those, when no definition would end up
/// inside another.
fn join(tokens: &[Token], chunks: &[Chunk]) -> Vec<Chunk> {
    let mut out: Vec<Chunk> = Vec::with_capacity(chunks.len());
    let mut index = 0;
    // Each look ahead walks over chunks, so their number is limited for texts with very many broken chunks.
    let mut looks = 64;
    let mut steps = MOST_STEPS;
    while index < chunks.len() {
        let chunk = &chunks[index];
        if !chunk.healthy && chunk.net > 0 && chunk.low >= 0 && looks > 0 {
            looks -= 1;
            if let Some(count) = closing(tokens, &chunks[index..], &mut steps) {
                let range = chunk.tokens.start..chunks[index + count - 1].tokens.end;
                if balances(&tokens[range.clone()]) && is_nested_on_purpose(&tokens[range.clone()]) {
                    out.push(Chunk { tokens: range, net: 0, low: 0, healthy: true, flush: false, wraps: false });
                    index += count;
                    continue;
                }
            }
        }
        out.push(chunk.clone());
        index += 1;
    }
    out
}

/// No list has both lines in column 0 and indented ones. A body in column 0 is all in column 0; otherwise these are two
/// forms, one with a closer too few and one with a closer too many.
fn is_nested_on_purpose(tokens: &[Token]) -> bool {
    // For every open list, whether a line of it begins in column 0, and whether one begins elsewhere.
    let mut open: Vec<(bool, bool)> = Vec::new();
    for token in tokens {
        if token.kind.is_close() {
            if open.pop() == Some((true, true)) {
                return false;
            }
            continue;
        }
        if let Some((flush, indented)) = open.last_mut().filter(|_| token.opens_line) {
            *flush |= token.place == 0;
            *indented |= token.place > 0;
        }
        if token.kind.is_open() {
            open.push((false, false));
        }
    }
    true
}

/// The number of `chunks` that together balance, beginning with the first; each chunk tried takes one of the `steps`.
fn closing(tokens: &[Token], chunks: &[Chunk], steps: &mut usize) -> Option<usize> {
    let mut depth = chunks[0].net;
    let definition = defines(tokens, &chunks[0]);
    for (index, chunk) in chunks.iter().enumerate().skip(1) {
        *steps = steps.checked_sub(1)?;
        if chunk.wraps || depth + chunk.low < 0 || (definition && defines(tokens, chunk)) {
            return None;
        }
        depth += chunk.net;
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

/// Joins broken chunks with those right before or after them if column 0 may not begin a new form: in a file that is
/// flush left, and beside a chunk that does not look like a form of its own.
fn gather(tokens: &[Token], chunks: Vec<Chunk>, open: &mut Vec<Delimiter>) -> Vec<Chunk> {
    if chunks.iter().all(|chunk| chunk.healthy) {
        return chunks;
    }
    let everywhere = is_flush_left(tokens, &chunks);
    let mut out: Vec<Chunk> = Vec::with_capacity(chunks.len());
    let mut index = 0;
    while index < chunks.len() {
        // A run of chunks that may be one form.
        let mut end = index + 1;
        while end < chunks.len() && may_belong(tokens, &chunks[end - 1], &chunks[end], everywhere) {
            end += 1;
        }
        let run = &chunks[index..end];
        let broken = run.iter().any(|chunk| !chunk.healthy);
        if broken && (run.len() > 1 || everywhere || lies_flush(tokens, &run[0])) {
            let mut whole = measure(tokens, chunks[index].tokens.start..chunks[end - 1].tokens.end, open);
            whole.healthy = false;
            whole.flush = true;
            out.push(whole);
        } else {
            out.extend_from_slice(run);
        }
        index = end;
    }
    out
}

/// At least half of the lines inside sound forms begin in column 0.
fn is_flush_left(tokens: &[Token], chunks: &[Chunk]) -> bool {
    let (mut lines, mut flush) = (0u32, 0u32);
    for chunk in chunks {
        let inside = inner_lines(&tokens[chunk.tokens.clone()]);
        let (all, left) = inside.fold((0, 0), |(all, left), token| (all + 1, left + u32::from(token.column == 0)));
        (lines, flush) = (lines + all, flush + left);
    }
    // If column 0 breaks nearly every form, there are no sound ones to count.
    flush > 2 && flush * 2 >= lines
}

/// The first tokens of the lines inside a form, which may begin below its condition.
fn inner_lines(own: &[Token]) -> impl Iterator<Item = &Token> {
    let condition = own[0].kind == TokenKind::Annotation;
    let mut depth = 0;
    own.iter().enumerate().filter_map(move |(index, token)| {
        let inside = index > 0 && (depth > 0 || !condition);
        depth += step(token);
        (inside && token.first && !token.kind.is_close()).then_some(token)
    })
}

/// As many lines of the chunk begin in column 0 as elsewhere.
fn lies_flush(tokens: &[Token], chunk: &Chunk) -> bool {
    let inside = inner_lines(&tokens[chunk.tokens.clone()]);
    let (left, right) = inside.fold((0, 0), |(left, right), token| match token.column {
        0 => (left + 1, right),
        _ => (left, right + 1),
    });
    left > 0 && left >= right
}

/// `after` follows `before` without an empty line and does not look like a form of its own: it is no definition, and no
/// call of the same operator as its neighbour.
fn may_belong(tokens: &[Token], before: &Chunk, after: &Chunk, everywhere: bool) -> bool {
    if before.wraps || after.wraps {
        return false;
    }
    if tokens[after.tokens.start].apart && (!everywhere || tokens[after.tokens.start].kind.is_open()) {
        return false;
    }
    // A head alone on its line, in a list that is open, has its body in column 0.
    let one_line = tokens[before.tokens.end - 1].line == tokens[before.tokens.start].line;
    let bare = before.net > 0 && one_line && !defines(tokens, before);
    if defines(tokens, after) && !bare {
        return false;
    }
    // If `before` balances because it was closed too early, `after` has a closer too many.
    if before.healthy && !everywhere && (after.net >= 0 || !defines(tokens, before) || is_header(tokens, before)) {
        return false;
    }
    let name = |chunk| head(tokens, chunk).map(|head| head.name);
    everywhere || name(before) != name(after)
}

pub(super) fn head<'t>(tokens: &'t [Token], chunk: &Chunk) -> Option<&'t Token> {
    let own = &tokens[chunk.tokens.clone()];
    own.iter().skip_while(|token| !token.kind.is_open()).nth(1)
}

/// The chunk is one of the forms that open or close a file, which have no body.
fn is_header(tokens: &[Token], chunk: &Chunk) -> bool {
    head(tokens, chunk).is_some_and(|head| head.header)
}

/// The first list of the chunk begins like a definition or a file header.
pub(crate) fn defines(tokens: &[Token], chunk: &Chunk) -> bool {
    let own = &tokens[chunk.tokens.clone()];
    let mut opened = own.iter().skip_while(|token| !token.kind.is_open());
    // An extra opener does not make it another form.
    opened.find(|token| !token.kind.is_open()).is_some_and(|head| head.definer)
}

//! Many changes of one text at once: names, or whole data.
//!
//! A rename changes some names and nothing else, a rewrite some data and nothing else. So the tokens of the new text
//! are known before it is read: those of the old text, but a changed name is one token of the same kind, and a new datum
//! is the tokens that it has when it is read alone. The new text is read and must have exactly these tokens. Since the
//! nesting of a text that balances follows from its tokens, everything outside reads as before.

use lispwright_syntax::{Span, TokenKind, Tree, read, read_again};

use crate::diff::unified;
use crate::refusal::EditRefusal;
use crate::source::Source;
use crate::splice::would_break;

/// What a change replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// A part of one token, or all of it: a name, a word in a string or comment.
    Name,
    /// A datum, with or without its prefixes, which becomes exactly one other datum.
    Datum,
}

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes that are replaced.
    pub span: Span,
    /// The bytes that replace them.
    pub text: String,
    /// What they are.
    pub changes: Changes,
}

/// A text after many changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remade {
    /// The whole new text.
    pub text: String,
    /// Unified diff, without file names.
    pub diff: String,
    /// The places of the changes in the new text, in their order.
    pub spans: Vec<Span>,
}

/// Carries out `changes`, which are in source order and do not overlap, on a text that balances.
///
/// Errors: [`EditRefusal::WouldBreak`] if anything outside the changes, or a changed name, would read differently.
pub fn change_all(source: &Source<'_>, changes: &[Change]) -> Result<Remade, EditRefusal> {
    debug_assert!(changes.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start), "changes are in order");
    let mut text = String::with_capacity(source.text.len());
    let mut spans = Vec::with_capacity(changes.len());
    let mut copied = 0;
    for change in changes {
        text.push_str(&source.text[copied as usize..change.span.start as usize]);
        let start = text.len() as u32;
        text.push_str(&change.text);
        spans.push(Span::new(start, text.len() as u32));
        copied = change.span.end;
    }
    text.push_str(&source.text[copied as usize..]);
    let tree = read_again(&source.tree, source.text, &text, source.tree.language());
    let expected = expected(source, changes, &spans);
    let found: Vec<(TokenKind, Span)> = solid(&tree).collect();
    let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    let differs = differs.or((found.len() != expected.len()).then_some(found.len().min(expected.len())));
    if let Some(at) = differs {
        let place = [found.get(at), expected.get(at)].into_iter().flatten().map(|(_, span)| span.start).min();
        return Err(would_break(&text, place.unwrap_or(0)));
    }
    if let Some(diagnostic) = tree.diagnostics().first().filter(|_| source.tree.is_balanced()) {
        return Err(would_break(&text, diagnostic.span.start));
    }
    let diff = match (changes.first(), changes.last(), spans.first(), spans.last()) {
        (Some(first), Some(last), Some(start), Some(end)) => {
            let whole = Span::new(first.span.start, last.span.end);
            unified(source.text, &text, whole, (end.end - start.start) as usize)
        }
        _ => String::new(),
    };
    Ok(Remade { text, diff, spans })
}

/// The tokens that are not white space.
fn solid(tree: &Tree) -> impl Iterator<Item = (TokenKind, Span)> + '_ {
    tree.tokens().filter(|(kind, _)| *kind != TokenKind::Blank)
}

/// The tokens that the new text must have.
fn expected(source: &Source<'_>, changes: &[Change], spans: &[Span]) -> Vec<(TokenKind, Span)> {
    let mut tokens = Vec::new();
    // The changes that begin before the present token.
    let mut before = 0;
    let moved = |at: u32, before: usize| match before.checked_sub(1) {
        Some(last) => spans[last].end + at - changes[last].span.end,
        None => at,
    };
    for (kind, span) in solid(&source.tree) {
        while changes.get(before).is_some_and(|change| change.span.end <= span.start) {
            tokens.extend(new_tokens(source, &changes[before], spans[before]));
            before += 1;
        }
        let start = moved(span.start, before);
        let mut after = before;
        let mut is_inside = false;
        while let Some(change) = changes.get(after).filter(|change| change.span.start < span.end) {
            is_inside |= change.changes == Changes::Datum;
            if change.span.end > span.end || is_inside {
                break;
            }
            after += 1;
        }
        if is_inside {
            continue;
        }
        tokens.push((kind, Span::new(start, moved(span.end, after))));
        // Changes within a token are done with it.
        before = after;
    }
    tokens.extend(
        changes[before..].iter().zip(&spans[before..]).flat_map(|(change, span)| new_tokens(source, change, *span)),
    );
    tokens
}

/// The tokens of a new datum as it is read alone. A datum that is not exactly one has a token that no text has, at its
/// end.
fn new_tokens(source: &Source<'_>, change: &Change, place: Span) -> Vec<(TokenKind, Span)> {
    if change.changes == Changes::Name {
        return Vec::new();
    }
    let tree = read(&change.text, source.tree.language_at(change.span.start));
    let is_one = tree.is_balanced() && tree.top_level().count() == 1;
    let moved = |(kind, span): (TokenKind, Span)| (kind, Span::new(place.start + span.start, place.start + span.end));
    let mut tokens: Vec<_> = solid(&tree).map(moved).collect();
    if !is_one {
        tokens.push((TokenKind::Blank, Span::new(place.end, place.end)));
    }
    tokens
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use lispwright_syntax::Dialect;

    use super::*;

    /// Replaces each part between `«` and `»` by `content`.
    #[track_caller]
    fn check(dialect: Dialect, marked: &str, content: &str, changes: Changes, expected: Option<&str>) {
        let mut text = String::new();
        let mut all = Vec::new();
        for (at, part) in marked.split(['«', '»']).enumerate() {
            let start = text.len() as u32;
            text.push_str(part);
            if at % 2 == 1 {
                let span = Span::new(start, text.len() as u32);
                all.push(Change { span, text: content.to_owned(), changes });
            }
        }
        let source = Source::read(&text, dialect);
        let done = change_all(&source, &all);
        match (done, expected) {
            (Ok(remade), Some(_)) => {
                let parts: Vec<&str> = marked.split(['«', '»']).collect();
                let new: String =
                    parts.iter().enumerate().map(|(at, part)| if at % 2 == 1 { content } else { part }).collect();
                assert_eq!(remade.text, new);
                assert!(remade.spans.iter().all(|span| &remade.text[span.range()] == content));
            }
            (Err(EditRefusal::WouldBreak { .. }), None) => {}
            (found, expected) => panic!("{found:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn names_change_within_their_tokens() {
        let cl = Dialect::CommonLisp;
        check(cl, "(«a» (b::«a» \"x «a»\") ; «a» «a»\n '«a»)", "long-name", Changes::Name, Some(""));
        check(cl, "#|«a»|#(«a»)", "b", Changes::Name, Some(""));
        check(cl, "(«a» b)", "c d", Changes::Name, None);
        check(cl, "(«a» b)", "\"", Changes::Name, None);
        check(cl, "(«a» b)", "", Changes::Name, None);
        check(cl, "; «a»\n(b)", "x\n", Changes::Name, None);
        check(cl, "\"«a»\" (b)", "x\"", Changes::Name, None);
        check(cl, "#|«a»|# (b)", "|#", Changes::Name, None);
        check(Dialect::Clojure, "(x/«a» «a»)", "b", Changes::Name, Some(""));
    }

    #[test]
    fn data_become_one_datum() {
        let cl = Dialect::CommonLisp;
        check(cl, "(a '«(b)» «c» (d «(e)»))", "(x\n ; y\n z)", Changes::Datum, Some(""));
        check(cl, "(a '«(b)»c)", "x", Changes::Datum, None);
        check(cl, "(a «(b)» c)", "x y", Changes::Datum, None);
        check(cl, "(a «(b)» c)", "", Changes::Datum, None);
        check(cl, "(a «(b)» c)", "(x", Changes::Datum, None);
        check(cl, "(a «(b)» c)", "x ; y", Changes::Datum, None);
        check(cl, "(a «(b)» c)", "x '", Changes::Datum, None);
        check(cl, "(a «(b)» c)", "#+y x", Changes::Datum, Some(""));
        check(Dialect::Clojure, "(a «(b)» c)", "x #_", Changes::Datum, None);
        check(Dialect::Clojure, "(a «(b)» c)", "#_y x", Changes::Datum, Some(""));
    }
}

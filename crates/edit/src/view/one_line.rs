//! Source on one line: parameters and signatures, whatever their layout.

use lispwright_syntax::{Form, Span, TokenKind};

use crate::source::Source;

/// The most bytes of a parameter list, beyond the token that exceeds it.
const MOST_OF_PARAMETERS: usize = 4_000;

/// The parameter lists of a form, each on one line, without comments. Empty if it has none.
#[must_use]
pub fn parameters(source: &Source<'_>, form: &Form) -> Vec<String> {
    form.signature.iter().map(|list| on_one_line(source, *list, &[], MOST_OF_PARAMETERS)).collect()
}

/// The tokens of a span on one line: white space becomes one blank; comments and the spans in `without` are left out, and so is what
/// follows `most` bytes.
pub(super) fn on_one_line(source: &Source<'_>, span: Span, without: &[Span], most: usize) -> String {
    let mut out = String::new();
    let mut space = false;
    let Some(first) = source.tree.token_at(span.start) else { return out };
    for token in first..source.tree.token_count() {
        let place = source.tree.token_span(token);
        if place.start >= span.end || out.len() > most {
            break;
        }
        let kind = source.tree.kind(token);
        if place.start < span.start || without.iter().any(|skip| skip.encloses(place)) {
            continue;
        }
        if kind.is_trivia() {
            space = true;
            continue;
        }
        if space && !out.is_empty() && !kind.is_close() && !ends_open(source, token) {
            out.push(' ');
        }
        space = false;
        let text = source.slice(place);
        match text.split_once('\n') {
            None => out.push_str(text),
            Some((first_line, _)) => {
                out.push_str(first_line.trim_end());
                out.push('…');
                out.push_str(if kind == TokenKind::String { "\"" } else { "" });
            }
        }
    }
    out
}

/// The token before `token`, apart from white space and comments, opens a list.
fn ends_open(source: &Source<'_>, token: u32) -> bool {
    (0..token)
        .rev()
        .map(|before| source.tree.kind(before))
        .find(|kind| !kind.is_trivia())
        .is_some_and(TokenKind::is_open)
}

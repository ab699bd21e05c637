//! Refuses new text that balances and is no source: what no reader takes, and `...` in the place of code.

use lispwright_syntax::{Span, Tree, flaws_since};

use crate::refusal::EditRefusal;
use crate::source::{Source, place_in};

/// Refuses a flaw in the part `own` of a text, unless the file has the same line. Its place counts from the start of
/// that part.
pub(crate) fn check(text: &str, tree: &Tree, own: Span, source: &Source<'_>) -> Result<(), EditRefusal> {
    // Old text may stay as it is.
    if source.text.contains(text.trim()) {
        return Ok(());
    }
    let inside = |span: &Span| own.start <= span.start && span.end <= own.end;
    let found = flaws_since(source.text, tree, text).into_iter().find(|(_, span)| inside(span));
    let Some((flaw, span)) = found else { return Ok(()) };
    let part = &text[own.range()];
    let at = place_in(part, span.start - own.start);
    Err(EditRefusal::Flawed { flaw, at, text: text[span.range()].to_owned() })
}

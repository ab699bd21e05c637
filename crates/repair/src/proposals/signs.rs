//! Typographic or escaped quotes where plain quotes were meant: `(f “a b")`, `(f \"a b\")`.
//!
//! Such a string does not lack a quote: it has one that does not count. Another `"` beside it would make the text
//! balance and change the string, so wherever a quote would be added, the characters beside it are checked.

use lispwright_syntax::{TokenKind, Tree, read_plain};

use super::{Answer, Proposal, Sort};
use crate::case::Case;
use crate::doubts::MARGIN;
use crate::outcome::Reason;
use crate::text::edit::{TextEdit, apply, normalise, replace};

/// Quotes as word processors write them.
const TYPOGRAPHIC: [char; 3] = ['“', '”', '„'];
/// More signs than this are not a slip.
const MOST_SIGNS: usize = 4;

pub(crate) struct Signs;

impl Sort for Signs {
    /// Quotes in the place of the signs, if the text then balances. That is certain if the earlier text is known and
    /// all signs are typographic.
    fn propose(&self, case: &Case<'_>) -> Option<Proposal> {
        let edits = case.quotes_for_signs()?;
        let typographic = edits.iter().all(|edit| edit.removed.starts_with(TYPOGRAPHIC));
        let was_so = case.before.is_some_and(|before| before.contains(TYPOGRAPHIC));
        if case.known && typographic && !was_so && !case.leaves_the_edit(&edits) {
            return Some(case.sure(edits, "a typographic quote does not count as a quote", 2.0 * MARGIN));
        }
        let answer = Answer::new(edits, "a typographic or escaped quote does not count as a quote");
        Some(Proposal::open(Reason::OpenText, vec![answer]))
    }
}

impl Case<'_> {
    /// Edits that replace the signs in the symbols of the text by quotes, if it then balances.
    fn quotes_for_signs(&self) -> Option<Vec<TextEdit>> {
        if !self.text.contains(TYPOGRAPHIC) && !self.text.contains("\\\"") {
            return None;
        }
        let mut edits = Vec::new();
        for (_, span) in self.tree.tokens().filter(|(kind, _)| *kind == TokenKind::Atom) {
            let (atom, start) = (&self.text[span.range()], span.start as usize);
            let typographic =
                atom.char_indices().filter(|(_, c)| TYPOGRAPHIC.contains(c)).map(|(at, c)| at..at + c.len_utf8());
            let escaped = atom.match_indices("\\\"").map(|(at, sign)| at..at + sign.len());
            edits.extend(
                typographic.chain(escaped).map(|sign| replace(self.text, start + sign.start..start + sign.end, "\"")),
            );
        }
        let edits = normalise(edits);
        let few = !edits.is_empty() && edits.len() <= MOST_SIGNS;
        (few && read_plain(apply(self.text, &edits), self.language).diagnostics().is_empty()).then_some(edits)
    }

    /// Replaces edits that put a quote beside another sign for one: if the earlier text is known, a typographic quote
    /// is exchanged; everything else is refused. `None` if there is no such edit.
    pub(super) fn beside_a_quote(&self, edits: &[TextEdit]) -> Option<Result<Vec<TextEdit>, Proposal>> {
        if edits.iter().all(|edit| edit.inserted != "\"") {
            return None;
        }
        let text = apply(self.text, edits);
        let after = read_plain(&text, self.language);
        let strings: Vec<Option<&str>> = edits.iter().map(|edit| string_at(&text, &after, edits, edit)).collect();
        let own = || edits.iter().zip(&strings);
        let instead: Vec<Option<TextEdit>> = own().map(|(edit, own)| self.instead(edit, (*own)?)).collect();
        let as_given = || Answer::new(edits.to_vec(), "the form balances with the quote there");
        if own().any(|(edit, own)| *own == Some("\"\"") && self.is_behind_a_word(edit)) {
            return Some(Err(Proposal::open(Reason::OpenText, vec![as_given()])));
        }
        if instead.iter().all(Option::is_none) {
            return None;
        }
        let exchanged = |edit: &TextEdit| edit.removed.starts_with(TYPOGRAPHIC);
        let allowed = |edit: &TextEdit| exchanged(edit) && !self.leaves_the_edit(std::slice::from_ref(edit));
        let certain = self.known && instead.iter().flatten().all(allowed);
        let merged = instead.into_iter().zip(edits).map(|(other, edit)| other.unwrap_or_else(|| edit.clone()));
        let merged = normalise(merged.collect());
        let balances = read_plain(apply(self.text, &merged), self.language).diagnostics().is_empty();
        if certain && balances {
            return Some(Ok(merged));
        }
        let mut answers = vec![as_given()];
        if balances {
            let why = "the string ends with a typographic or escaped quote, which does not count";
            answers.insert(0, Answer::new(merged, why));
        }
        Some(Err(Proposal::open(Reason::OpenText, answers)))
    }

    /// The edit to make instead of `edit`, which puts a quote at the string `own`; `None` if `edit` is right.
    fn instead(&self, edit: &TextEdit, own: &str) -> Option<TextEdit> {
        let at = edit.at as usize;
        let (before, after) = self.text.split_at(at);
        let paired = own.matches('“').count() == own.matches('”').count();
        let typographic = |c: &char| TYPOGRAPHIC.contains(c) && !paired;
        if let Some(quote) = before.chars().next_back().filter(typographic) {
            return Some(replace(self.text, at - quote.len_utf8()..at, "\""));
        }
        if let Some(quote) = after.chars().next().filter(typographic) {
            return Some(replace(self.text, at..at + quote.len_utf8(), "\""));
        }
        let odd = own.matches("\\\"").count() % 2 == 1;
        if before.ends_with("\\\"") && odd {
            return Some(replace(self.text, at - 2..at - 1, ""));
        }
        // The string ended on an earlier line: `own` is that line and everything after it, up to the quote.
        let line_end = own.find("\\\"\n").filter(|_| odd && before.ends_with(&own[..own.len() - 1]))?;
        let escape = at + 1 - own.len() + line_end;
        Some(replace(self.text, escape..escape + 1, ""))
    }

    /// The quote of `edit` follows a quote that follows a word: prose with a quote in it that is not escaped.
    fn is_behind_a_word(&self, edit: &TextEdit) -> bool {
        let word = |c: char| !c.is_whitespace() && !"([{'`,@#".contains(c);
        self.text[..edit.at as usize].strip_suffix('"').is_some_and(|before| before.ends_with(word))
    }
}

/// The string that the quote of `edit` begins or ends in `text`, the result of all `edits`, with its `tree`; `None` if
/// the edit does not add a quote.
fn string_at<'t>(text: &'t str, tree: &Tree, edits: &[TextEdit], edit: &TextEdit) -> Option<&'t str> {
    if edit.inserted != "\"" || !edit.removed.is_empty() {
        return None;
    }
    let moved: isize = edits
        .iter()
        .filter(|other| other.at < edit.at)
        .map(|other| other.inserted.len() as isize - other.removed.len() as isize)
        .sum();
    let at = edit.at.saturating_add_signed(moved as i32);
    let (_, span) =
        tree.tokens().find(|(kind, span)| *kind == TokenKind::String && (span.start == at || span.end == at + 1))?;
    Some(&text[span.range()])
}

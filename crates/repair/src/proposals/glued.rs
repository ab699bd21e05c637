//! Quotes that would be put beside another sign for a quote.
//!
//! A string that opens with a typographic quote, or whose last quote is escaped, lacks no quote: it has one that does not
//! count. To put a `"` beside it makes the text balance and the string say something else.

use lispwright_syntax::{TokenKind, Tree, read_plain};

use crate::case::{Answer, Case};
use crate::doubts::MARGIN;
use crate::outcome::{Outcome, Reason};
use crate::report::MOST_CANDIDATES;
use crate::text::edit::{Edit, apply, normalise, replace};
use crate::witnesses::guard::is_inside;

/// Quotes as word processors write them.
const TYPOGRAPHIC: [char; 3] = ['“', '”', '„'];
/// More signs than this are not a slip.
const MOST_SIGNS: usize = 4;

impl Case<'_> {
    /// The outcome, unless signs for quotes stand where quotes would: `(f “a b")`, `(f \"a b\")`. With quotes in their place the
    /// text balances, so they are what is wrong with it; where the earlier text is known, the typographic ones are exchanged.
    pub(crate) fn with_quotes(&self, tree: &Tree, before: Option<&str>, outcome: Outcome) -> Outcome {
        let Some(edits) = self.quotes_for_signs(tree) else { return outcome };
        let meant = apply(self.text, &edits);
        match &outcome {
            Outcome::Repaired(repair) if repair.text == meant || Some(&*repair.text) == before => return outcome,
            _ => {}
        }
        let typographic = edits.iter().all(|edit| edit.removed.starts_with(TYPOGRAPHIC));
        let was_so = before.is_some_and(|before| before.contains(TYPOGRAPHIC));
        let inside = !self.strict || !self.leaves_the_edit(&edits);
        if self.known && typographic && inside && !was_so {
            return self.accept(
                tree,
                edits,
                vec!["quotes stand where there were signs for quotes".into()],
                2.0 * MARGIN,
            );
        }
        let answer = Answer { edits, cost: 0.0, why: "a sign stands there that does not count as a quote" };
        let mut refused = self.refuse(tree, Reason::OpenText, vec![answer]);
        if let (Outcome::Refused(own), Outcome::Refused(other)) = (&mut refused, outcome) {
            own.candidates.extend(other.candidates);
            own.candidates.truncate(MOST_CANDIDATES);
        }
        refused
    }

    /// Quotes instead of the signs for quotes in the symbols of the text, when it then balances.
    fn quotes_for_signs(&self, tree: &Tree) -> Option<Vec<Edit>> {
        if !self.text.contains(TYPOGRAPHIC) && !self.text.contains("\\\"") {
            return None;
        }
        let mut edits = Vec::new();
        for (_, span) in tree.tokens().filter(|(kind, _)| *kind == TokenKind::Atom) {
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
        (few && read_plain(apply(self.text, &edits), &self.language).diagnostics().is_empty()).then_some(edits)
    }

    /// What becomes of edits that put a quote beside another sign for one: with the earlier text the typographic quote is
    /// exchanged, everything else is refused. `None` when there is no such edit.
    pub(crate) fn beside_a_quote(&self, tree: &Tree, edits: &[Edit]) -> Option<Result<Vec<Edit>, Outcome>> {
        if edits.iter().all(|edit| edit.inserted != "\"") {
            return None;
        }
        let text = apply(self.text, edits);
        let after = read_plain(&text, &self.language);
        let strings: Vec<Option<&str>> = edits.iter().map(|edit| string_at(&text, &after, edits, edit)).collect();
        let own = || edits.iter().zip(&strings);
        let instead: Vec<Option<Edit>> = own().map(|(edit, own)| self.instead(edit, (*own)?)).collect();
        let answer = |edits: Vec<Edit>, why| Answer { edits, cost: 0.0, why };
        let as_given = || answer(edits.to_vec(), "the form balances with the quote there");
        if own().any(|(edit, own)| *own == Some("\"\"") && self.is_behind_a_word(edit)) {
            return Some(Err(self.refuse(tree, Reason::OpenText, vec![as_given()])));
        }
        if instead.iter().all(Option::is_none) {
            return None;
        }
        let exchanged = |edit: &Edit| edit.removed.starts_with(TYPOGRAPHIC);
        let allowed = |edit: &Edit| self.free.as_ref().is_none_or(|free| !self.strict || is_inside(edit, free));
        let certain = self.known && instead.iter().flatten().all(|edit| exchanged(edit) && allowed(edit));
        let merged = instead.into_iter().zip(edits).map(|(other, edit)| other.unwrap_or_else(|| edit.clone()));
        let merged = normalise(merged.collect());
        let balances = read_plain(apply(self.text, &merged), &self.language).diagnostics().is_empty();
        if certain && balances {
            return Some(Ok(merged));
        }
        let mut answers = vec![as_given()];
        if balances {
            answers.insert(0, answer(merged, "the string ends with a quote that does not count as one"));
        }
        Some(Err(self.refuse(tree, Reason::OpenText, answers)))
    }

    /// What to do instead of putting a quote where `edit` does, for the string `own`; `None` when nothing speaks against it.
    fn instead(&self, edit: &Edit, own: &str) -> Option<Edit> {
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
        // The string ended on a line before: `own` is that line and what follows it, up to the quote.
        let line_end = own.find("\\\"\n").filter(|_| odd && before.ends_with(&own[..own.len() - 1]))?;
        let escape = at + 1 - own.len() + line_end;
        Some(replace(self.text, escape..escape + 1, ""))
    }

    /// The quote of `edit` stands behind one that stands behind a word: prose with a quote in it that is not escaped.
    fn is_behind_a_word(&self, edit: &Edit) -> bool {
        let word = |c: char| !c.is_whitespace() && !"([{'`,@#".contains(c);
        self.text[..edit.at as usize].strip_suffix('"').is_some_and(|before| before.ends_with(word))
    }
}

/// The string that the quote of `edit` begins or ends in `text`, which `tree` was read from and all of `edits` lead to; `None`
/// when the edit does not put a quote there.
fn string_at<'t>(text: &'t str, tree: &Tree, edits: &[Edit], edit: &Edit) -> Option<&'t str> {
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

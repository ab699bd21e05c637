//! The result of an edit.

use lispwright_syntax::Span;

use crate::diff::unified;
use crate::fix::Mended;
use crate::note::Note;
use crate::source::{Source, digest_of, whole_span};

/// The text after an edit, with facts about the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// The whole new text.
    pub text: String,
    /// It differs from the old one.
    pub changed: bool,
    /// The head of the edited form, as written.
    pub form_type: String,
    /// Its name, as written; empty when it has none.
    pub form_name: String,
    /// Its label, which is also an address of it.
    pub label: String,
    /// The first and the last line of the new source in the new text, from 1; `None` after a deletion.
    pub lines: Option<(u32, u32)>,
    /// The digest of the edited or of the first inserted form; `None` after a deletion.
    pub digest: Option<String>,
    /// Unified diff, without file names.
    pub diff: String,
    /// The addressed form as it was, with its header comment; empty when forms are appended.
    pub before: String,
    /// That form, or the first inserted one, as it is now; empty after a deletion.
    pub after: String,
    /// Scalar values added, minus those removed.
    pub delta: i64,
    /// The repair of new source that did not balance.
    pub repair: Option<Mended>,
    /// Effects that the caller may not expect.
    pub notes: Vec<Note>,
}

impl Edited {
    /// The same edit of `source` with another text, which differs from its own in white space alone.
    #[must_use]
    pub fn laid_out(self, source: &Source<'_>, text: String) -> Self {
        let gone = self.text.lines().count().saturating_sub(text.lines().count()) as u32;
        let lines = self.lines.map(|(first, last)| (first, last.saturating_sub(gone).max(first)));
        let whole = Span::new(0, source.text.len() as u32);
        let diff = unified(source.text, &text, whole, text.len());
        let now = Source::read(&text, source.tree.language());
        let (first, last) = lines.unwrap_or_default();
        let is_inside = |span: Span| now.lines.line(span.start) >= first && now.lines.line(span.end.max(1) - 1) <= last;
        let form = now.forms.iter().map(|(_, form)| form).find(|form| is_inside(form.outer));
        let after = form.map(|form| text[whole_span(form).range()].to_owned()).filter(|_| !self.after.is_empty());
        let delta = self.delta + text.chars().count() as i64 - self.text.chars().count() as i64;
        let digest = after.as_deref().map(digest_of).or(self.digest);
        let after = after.unwrap_or(self.after);
        Self { changed: text != source.text, lines, digest, diff, after, delta, text, ..self }
    }
}

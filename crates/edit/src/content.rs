//! Checks new source before it is put into a file.
//!
//! Models wrap source in Markdown fences, copy line numbers along, write another dialect's brackets and typographic
//! quotes, and lose delimiters. Each mistake has a refusal of its own, because "unbalanced" would be the wrong answer
//! to most.

use lispwright_syntax::{Datum, Form, FormId, Forms, Language, LineIndex, Span, TokenKind, Tree, read};

use crate::apart::{Apart, apart, joined};
use crate::artefact;
use crate::characters;
use crate::diagnose::{Diagnosis, diagnose_in};
use crate::fix::Mended;
use crate::flaw;
use crate::form_line::shortened;
use crate::indent::{Destination, Moved, column};
use crate::mend::Setting;
use crate::refusal::EditRefusal;
use crate::source::Source;

/// New source that balances, with the line ending of its file.
pub(crate) struct Content {
    /// Without white space at either end.
    pub(crate) text: String,
    pub(crate) tree: Tree,
    pub(crate) data: Vec<Datum>,
    /// The text, moved to its column in the file.
    pub(crate) moved: Moved,
    /// The repair, if the source did not balance as it was sent.
    pub(crate) mended: Option<Mended>,
    /// The column in which it began as it was sent, from 0.
    pub(crate) column: usize,
    /// The number of the form that takes the place of the replaced one, among several.
    pub(crate) main: usize,
}

/// The requirements on new source, and its position in the file.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Its position in the file.
    pub(crate) position: Position,
    /// Its column, and the present lines there.
    pub(crate) destination: Destination,
    /// It may be repaired if it does not balance.
    pub(crate) repair: bool,
}

/// The position of new source in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// In the place of this source, which belongs to this form; it has to be exactly one form, or several of which exactly
    /// one defines what that form defines.
    InPlaceOf(Span, FormId),
    /// On lines of its own, from this byte of the file on.
    Beside(u32),
}

impl Wanted {
    fn setting(&self, source: &Source<'_>) -> Setting {
        match self.position {
            Position::InPlaceOf(span, _) => Setting::in_place_of(source, span, &self.destination),
            Position::Beside(at) => Setting::beside(source, at, &self.destination),
        }
    }

    /// The language at its position.
    fn language(&self, source: &Source<'_>) -> Language {
        let (Position::InPlaceOf(Span { start: at, .. }, _) | Position::Beside(at)) = self.position;
        source.tree.language_at(at)
    }

    /// The source that it replaces.
    fn earlier<'s>(&self, source: &Source<'s>) -> Option<&'s str> {
        match self.position {
            Position::InPlaceOf(span, _) => Some(source.slice(span)),
            Position::Beside(_) => None,
        }
    }

    /// The number of the form in `content` that takes the place of the replaced one: the only one, or the only one that
    /// defines the same. `None` if there is no such form, or it need not be one.
    fn main(&self, source: &Source<'_>, content: &str, tree: &Tree) -> Option<usize> {
        let Position::InPlaceOf(_, replaced) = self.position else { return None };
        let old = source.forms.get(replaced);
        let forms = Forms::new(tree, content);
        let all: Vec<&Form> = forms.top_level().map(|(_, form)| form).collect();
        if all.len() == 1 {
            return Some(0);
        }
        let only = |fits: &dyn Fn(&Form) -> bool| {
            let mut found = (0..all.len()).filter(|&at| fits(all[at]));
            found.next().filter(|_| found.next().is_none())
        };
        // A datum beside a form is a slip.
        if old.name.is_none() || all.iter().any(|form| form.datum.list().is_none()) {
            return None;
        }
        let label = old.label(source.text);
        only(&|form| form.name == old.name).or_else(|| only(&|form| form.label(content) == label))
    }
}

impl Content {
    /// Checks `content` for `source`.
    pub(crate) fn new(content: &str, source: &Source<'_>, wanted: Wanted) -> Result<Self, EditRefusal> {
        let language = &wanted.language(source);
        let tree = read(content, language);
        if let Some(refusal) = wrapping(content, &tree, Span::new(0, tree.len())) {
            return Err(refusal);
        }
        artefact::check_diff_marks(content)?;
        let whole = Span::new(0, tree.len());
        artefact::check(content, &tree, whole)?;
        characters::check(content, &tree, whole, source)?;
        flaw::check(content, &tree, whole, source)?;
        if tree.is_balanced() {
            return Self::of_sound(content, tree, source, wanted, None);
        }
        let Some(mut diagnosis) = diagnose_in(content, &tree, Some(&wanted.setting(source))) else {
            return Self::of_sound(content, tree, source, wanted, None);
        };
        let certain = diagnosis.repaired.take();
        let doubt = certain.as_ref().and_then(|repaired| {
            let now = read(repaired, language);
            becomes_something_else((content, &tree), (repaired, &now), &wanted, source)
        });
        if let Some(repaired) = certain.as_ref().filter(|_| doubt.is_none() && wanted.repair) {
            let mended = diagnosis.fixes.first().map(Mended::from);
            return Self::of_sound(repaired, read(repaired, language), source, wanted, mended);
        }
        let mut rest = None;
        match Self::form_by_form(content, &tree, source, &wanted) {
            Some(Apart::Mended(fixes)) => {
                let (repaired, fix) = joined(&fixes, content);
                let now = read(&repaired, language);
                if now.is_balanced() {
                    return Self::of_sound(&repaired, now, source, wanted, Some(Mended::from(&fix)));
                }
            }
            Some(Apart::Held(found)) => rest = Some(Box::new(found)),
            None => {}
        }
        let diagnosis = match doubt {
            Some(doubt) => Diagnosis { doubt: doubt.to_owned(), ..diagnosis },
            None => Diagnosis { repaired: certain, ..diagnosis },
        };
        let (diagnosis, allowed) = (Box::new(diagnosis), wanted.repair);
        Err(EditRefusal::Unbalanced { diagnosis, allowed, sent: content.to_owned(), rest })
    }

    /// What the forms of a text that does not balance are by themselves. Not for a text that replaces a form.
    fn form_by_form(content: &str, tree: &Tree, source: &Source<'_>, wanted: &Wanted) -> Option<Apart> {
        if !matches!(wanted.position, Position::Beside(_)) {
            return None;
        }
        let setting = wanted.setting(source);
        apart(content, tree, |form, own| {
            let mut found = diagnose_in(form, own, Some(&setting)).filter(|_| wanted.repair)?;
            let repaired = found.repaired.take()?;
            let now = read(&repaired, tree.language());
            let is_same = becomes_something_else((form, own), (&repaired, &now), wanted, source).is_none();
            found.fixes.into_iter().next().filter(|_| is_same).map(|fix| (fix.edits, fix.why))
        })
    }

    /// Makes content of a text that balances.
    fn of_sound(
        content: &str,
        tree: Tree,
        source: &Source<'_>,
        wanted: Wanted,
        mended: Option<Mended>,
    ) -> Result<Self, EditRefusal> {
        let data: Vec<Datum> = tree.top_level().collect();
        let main = wanted.main(source, content, &tree);
        if let (Position::InPlaceOf(_, replaced), None, 2..) = (wanted.position, main, data.len()) {
            let name = source.forms.get(replaced).name.clone();
            return Err(EditRefusal::SeveralForms { forms: first_lines(content, &tree, &data), name });
        }
        let solid = tree.solid_span();
        let before = content[..solid.start as usize].rsplit('\n').next().unwrap_or_default();
        let text = with_line_ending(&content[solid.range()], source.line_ending());
        let known = if text.len() == solid.len() as usize { tree.trimmed(content) } else { None };
        let tree = known.unwrap_or_else(|| read(&text, wanted.language(source))).learning(&text);
        let data: Vec<Datum> = tree.top_level().collect();
        if data.is_empty() {
            return Err(EditRefusal::NoForm);
        }
        let column = column(before);
        let moved = Moved::new(&text, &tree, 0, column, &wanted.destination);
        Ok(Self { text, tree, data, moved, mended, column, main: main.unwrap_or_default() })
    }

    /// The source of a span.
    pub(crate) fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    /// The content ends in a line comment: code after it needs a new line.
    pub(crate) fn ends_in_comment(&self) -> bool {
        self.tree.token_count() > 0 && self.tree.kind(self.tree.token_count() - 1) == TokenKind::LineComment
    }

    /// It has more than one line.
    pub(crate) fn has_lines(&self) -> bool {
        self.text.contains('\n')
    }
}

/// The doubt about a repair that changes which forms begin the lines of `content`, or that does not leave the one form
/// that is needed.
fn becomes_something_else(
    (content, tree): (&str, &Tree),
    (repaired, now): (&str, &Tree),
    wanted: &Wanted,
    source: &Source<'_>,
) -> Option<&'static str> {
    let earlier = wanted.earlier(source);
    let (seen, became) = (beginnings(content, tree), beginnings(repaired, now));
    let replaced = earlier.filter(|_| seen.is_empty());
    let replaced = replaced.map(|earlier| beginnings(earlier, &read(earlier, tree.language())));
    if earlier.is_some() && wanted.main(source, repaired, now).is_none() {
        return Some(
            "the likeliest repair leaves more than one form, and not exactly one of them defines what is replaced",
        );
    }
    // Content that has lost its first delimiter begins with no list; then it is expected to begin as the form it
    // replaces.
    let expected = if seen.is_empty() { replaced.unwrap_or_default() } else { seen };
    (became != expected).then_some("the likeliest repair would define another form than the content begins with")
}

/// Head and name of every list at top level that begins a line as far left as the first.
fn beginnings(text: &str, tree: &Tree) -> Vec<(String, Option<String>)> {
    let column = |at: u32| {
        let before = &text[..at as usize];
        let line = &before[before.rfind('\n').map_or(0, |newline| newline + 1)..];
        line.trim().is_empty().then(|| line.chars().count())
    };
    let forms = Forms::new(tree, text);
    let mut lists = forms.top_level().map(|(_, form)| form).filter(|form| form.datum.list().is_some()).peekable();
    let base = lists.peek().and_then(|form| column(form.outer.start));
    lists
        .filter(|form| base.is_some() && column(form.outer.start) == base)
        .map(|form| (form.head_name.clone(), form.name.clone()))
        .collect()
}

/// The refusal of a Markdown fence around the part `own` of a text, or of line numbers before its lines. Places count
/// from the start of that part.
pub(crate) fn wrapping(text: &str, tree: &Tree, own: Span) -> Option<EditRefusal> {
    let part = &text[own.range()];
    let mut at = own.start;
    for (line, text) in part.split_inclusive('\n').enumerate() {
        let begin = at + (text.len() - text.trim_start().len()) as u32;
        let is_code = || tree.token_at(begin).is_some_and(|token| tree.token_span(token).start == begin);
        if text.trim_start().starts_with("```") && is_code() {
            return Some(EditRefusal::Fenced { line: line as u32 + 1 });
        }
        at += text.len() as u32;
    }
    is_numbered(part).then_some(EditRefusal::Numbered)
}

/// Every line begins with a number and a bar, as views show them.
pub(crate) fn is_numbered(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    lines.peek().is_some()
        && lines.all(|line| {
            let digits = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
            digits.len() < line.trim_start().len() && (digits.starts_with("| ") || digits == "|")
        })
}

/// `text` with every line ended by `ending`.
pub(crate) fn with_line_ending(text: &str, ending: &str) -> String {
    let feeds = text.replace("\r\n", "\n");
    if ending == "\n" { feeds } else { feeds.replace('\n', ending) }
}

fn first_lines(content: &str, tree: &Tree, data: &[Datum]) -> Vec<(u32, String)> {
    let lines = LineIndex::new(content.as_bytes());
    data.iter()
        .map(|datum| {
            let span = tree.datum_span(*datum);
            let first = content[span.range()].lines().next().unwrap_or("");
            (lines.line(span.start), shortened(first, 80))
        })
        .collect()
}

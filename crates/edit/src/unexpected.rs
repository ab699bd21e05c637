//! What balances and is seldom meant: a name defined twice, a definition inside another one, a body in the place of its
//! definition, code at top level that has lost its head, words in the place of code, quotes inside a string.
//!
//! [`unexpected`] looks at a text alone, [`unexpected_since`] at a change of one: with the earlier text more is told,
//! since only what is new counts. Check, edit and hook ask here, so that all of them know the same kinds.
//!
//! Each kind is a file: `twice.rs`, `swallowed.rs`, `loose.rs`, `quotes.rs`, `replaced.rs`. How often each is told of
//! sound code is measured by `examples/unexpected.rs`.

mod loose;
mod quotes;
mod replaced;
mod swallowed;
mod twice;

use std::ops::Range;

use lispwright_repair::Renested;
use lispwright_syntax::{
    Form, Forms, ShownBy, Span, Tree, placeholders, placeholders_since, same_back, same_front, whole_lines,
};

pub use loose::Loose;
pub use twice::Prevails;

use crate::source::line_at;

/// What a text has that its author seldom means. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unexpected {
    /// A form of the same kind defines the name as well.
    DefinedTwice {
        /// The label of the form.
        label: String,
        /// Its line.
        line: u32,
        /// The line of the other one.
        other: u32,
        /// Which of the two takes effect.
        prevails: Prevails,
    },
    /// A definition was replaced by a form that defines nothing.
    Undefined {
        /// The label of the definition.
        before: String,
        /// The label of the new form.
        after: String,
        /// Its line.
        line: u32,
    },
    /// A definition has lost its body.
    Emptied {
        /// Its label.
        label: String,
        /// Its line.
        line: u32,
    },
    /// A definition is inside another one that should end before it.
    Swallowed {
        /// Its label.
        label: String,
        /// Its line.
        line: u32,
        /// The label of the one around it.
        by: String,
        /// Its line.
        by_line: u32,
    },
    /// A form at top level is a part of a form that has lost its beginning.
    Loose {
        /// Its kind.
        what: Loose,
        /// Its line.
        line: u32,
    },
    /// Words stand in the place of code.
    LeftOut {
        /// Their line.
        line: u32,
    },
    /// A string touches a word that touches another string.
    GluedQuotes {
        /// Its line.
        line: u32,
    },
}

impl Unexpected {
    /// What is wrong, and what to do, with the names of the forms.
    pub fn sentence(&self) -> String {
        self.say(|label, _| format!("`{label}`"))
    }

    /// The same without source, for messages where source may only stand in fences.
    pub fn without_source(&self) -> String {
        self.say(|_, instead| instead.to_owned())
    }

    fn say(&self, name: impl Fn(&str, &str) -> String) -> String {
        match self {
            Self::DefinedTwice { label, line, other, prevails } => format!(
                "Lines {} and {} both define {}: {}. Remove the one that is not meant.",
                line.min(other),
                line.max(other),
                name(label, "the same name"),
                match prevails {
                    Prevails::Later => "the later one takes effect",
                    Prevails::Earlier => "the earlier one takes effect, and the later one is ignored",
                    Prevails::Neither => "a module may define it only once",
                }
            ),
            Self::Undefined { before, after, .. } => format!(
                "{} was replaced by {}, which defines nothing. Send the whole definition if it is to stay.",
                name(before, "A definition"),
                name(after, "a form")
            ),
            Self::Emptied { label, line } => format!(
                "{} on line {line} has no body any longer. Send the body if it is to stay.",
                name(label, "The definition")
            ),
            Self::Swallowed { label, line, by, by_line } => format!(
                "{} on line {line} is inside {} of line {by_line}. If that is to end before it, a closer is missing \
                 there, and one is too many further down.",
                name(label, "The definition"),
                name(by, "the definition")
            ),
            Self::Loose { what, line } => format!("Line {line}: {}", what.sentence()),
            Self::LeftOut { line } => format!(
                "Line {line} seems to stand for code that was left out. If so, put the code itself there: what is not \
                 in the file is lost."
            ),
            Self::GluedQuotes { line } => format!(
                "A string touches a word on line {line}: if its quotes are inside a string, write them as \\\"."
            ),
        }
    }

    /// A short name of the kind.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::DefinedTwice { .. } => "defined-twice",
            Self::Undefined { .. } => "undefined",
            Self::Emptied { .. } => "emptied",
            Self::Swallowed { .. } => "swallowed",
            Self::Loose { what, .. } => what.kind(),
            Self::LeftOut { .. } => "left-out",
            Self::GluedQuotes { .. } => "glued-quotes",
        }
    }

    /// The line to look at.
    pub const fn line(&self) -> u32 {
        match self {
            Self::DefinedTwice { line, .. }
            | Self::Undefined { line, .. }
            | Self::Emptied { line, .. }
            | Self::Swallowed { line, .. }
            | Self::Loose { line, .. }
            | Self::LeftOut { line }
            | Self::GluedQuotes { line } => *line,
        }
    }

    /// The lines that show it, in order.
    pub fn lines(&self) -> Vec<u32> {
        let other = match self {
            Self::DefinedTwice { other, .. } => Some(*other),
            Self::Swallowed { by_line, .. } => Some(*by_line),
            _ => None,
        };
        let mut lines: Vec<u32> = other.into_iter().chain([self.line()]).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The definition `old` became `new`, which defines nothing.
    pub(crate) fn undefined(old: (&Form, &str), new: (&Form, &str), line: u32) -> Option<Self> {
        replaced::undefined(old, new, line)
    }
}

/// A text that has been read, and the part of it that is looked at.
#[derive(Clone, Copy)]
struct Part<'t> {
    tree: &'t Tree,
    text: &'t str,
    /// Its bytes, in whole lines.
    span: Span,
}

impl<'t> Part<'t> {
    fn whole(tree: &'t Tree, text: &'t str) -> Self {
        Self { tree, text, span: Span::new(0, text.len() as u32) }
    }

    /// The lines of `changed`.
    fn lines_of(tree: &'t Tree, text: &'t str, changed: &Range<usize>) -> Self {
        let Range { start, end } = whole_lines(text, changed.clone());
        Self { tree, text, span: Span::new(start as u32, end as u32) }
    }

    fn line(&self, at: u32) -> u32 {
        line_at(self.text, at)
    }

    /// The column of a byte that is the first of its line but for white space; `None` for others.
    fn indent(&self, at: u32) -> Option<u32> {
        let before = &self.text.as_bytes()[..at as usize];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let begins = before.len() == blanks || before[before.len() - blanks - 1] == b'\n';
        begins.then_some(blanks as u32)
    }
}

/// The most that is found of a kind.
const MOST_FOUND: usize = 100;

/// What `text`, which balances, has that its author seldom means, as far as no earlier text is needed to see it. In the
/// order of the lines.
pub fn unexpected(tree: &Tree, text: &str) -> Vec<Unexpected> {
    if !tree.diagnostics().is_empty() {
        return Vec::new();
    }
    let whole = Part::whole(tree, text);
    let marks = placeholders(tree, text).into_iter().filter(|mark| mark.shown <= ShownBy::Place);
    let mark_at = |at| Unexpected::LeftOut { line: whole.line(at) };
    let mut found: Vec<Unexpected> = marks.take(MOST_FOUND).map(|mark| mark_at(mark.span.start)).collect();
    found.extend(loose::alone(whole));
    found.extend(swallowed::alone(whole));
    found.extend(twice::all(tree, text));
    found.extend(quotes::glued(whole));
    found.sort_by_key(Unexpected::line);
    found
}

/// What is unexpected since a change from `old` to `text`, in the order of the lines. If one of them does not balance,
/// only names that are defined twice and quotes are looked at.
///
/// All forms are looked at only if the beginning of a definition has changed.
pub fn unexpected_since((old_tree, old): (&Tree, &str), (tree, text): (&Tree, &str)) -> Vec<Unexpected> {
    let front = same_front(old.as_bytes(), text.as_bytes());
    let back = same_back(&old.as_bytes()[front..], &text.as_bytes()[front..]);
    let (was, is) = (front..old.len() - back, front..text.len() - back);
    let (old_own, own) = (Forms::within(old_tree, old, span(&was)), Forms::within(tree, text, span(&is)));
    let (old_part, part) = (Part::lines_of(old_tree, old, &was), Part::lines_of(tree, text, &is));
    let begins_anew = |form: &Form| {
        // The key of a method reaches to its parameters.
        let key = form.method.as_ref().and(form.signature.last()).or(form.name_span.as_ref());
        let named = key.map_or(form.outer.start, |key| key.end);
        form.outer.start as usize <= is.end && is.start <= named as usize
    };
    let new = own.iter().map(|(_, form)| form).filter(|form| begins_anew(form));
    let mut found: Vec<Unexpected> =
        twice::again(|| Forms::new(old_tree, old), (old_tree, old), (tree, text), new).into_iter().collect();
    found.extend(quotes::since(old_part, part));
    if !old_tree.diagnostics().is_empty() || !tree.diagnostics().is_empty() {
        return found;
    }
    let undefined = replaced::since((&old_own, old), (&own, text));
    found.extend(replaced::emptied((&old_own, old_tree, old), (&own, tree, text)));
    found.extend(swallowed::since(&old_own, &own, old_part, part));
    if undefined.is_none() {
        found.extend(loose::since(old_part, part));
    }
    found.extend(undefined);
    let is_smaller = || code_size(part) < code_size(old_part);
    let marks = placeholders_since(old, tree, text).into_iter();
    let marks = marks.filter(|mark| mark.shown == ShownBy::Place || (mark.shown == ShownBy::Words && is_smaller()));
    found.extend(marks.take(MOST_FOUND).map(|mark| Unexpected::LeftOut { line: part.line(mark.span.start) }));
    found.sort_by_key(Unexpected::line);
    found
}

/// `found` without what the notes about contradicting lines say already.
pub fn besides(found: Vec<Unexpected>, renested: &[Renested]) -> Vec<Unexpected> {
    let is_told = |one: &Unexpected| match one {
        Unexpected::Swallowed { by_line, .. } => renested.iter().any(|form| form.form_line == *by_line),
        _ => false,
    };
    found.into_iter().filter(|one| !is_told(one)).collect()
}

/// The tokens of code in a part.
fn code_size(part: Part<'_>) -> usize {
    part.tree.tokens_within(part.span).filter(|(kind, _)| !kind.is_trivia()).count()
}

fn span(bytes: &Range<usize>) -> Span {
    Span::new(bytes.start as u32, bytes.end as u32)
}

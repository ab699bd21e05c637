//! Further conditions of a match of a pattern: what a variable stands for, and what is around the match.

use lispwright_syntax::{Language, Span, TokenKind, Tree};
use regex::Regex;

use super::names::Tells;
use super::{BadPattern, Fit, Pattern};

/// A condition in the words of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuardSource {
    /// The variable whose value `kind`, `text` and `refers` are about; the whole match without one.
    pub variable: Option<String>,
    /// The kind of datum.
    pub kind: Option<DatumSort>,
    /// A regular expression that has a match in its source.
    pub text: Option<String>,
    /// A name that the symbol in its place refers to, with or without its package.
    pub refers: Option<String>,
    /// A form pattern; the match is inside of a form that it fits.
    pub inside: Option<String>,
    /// A form pattern; the match is not inside of a form that it fits.
    pub not_inside: Option<String>,
}

/// Kinds of data that a condition can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatumSort {
    /// A symbol, keywords excepted.
    Symbol,
    /// A keyword.
    Keyword,
    /// A number.
    Number,
    /// A string.
    String,
    /// A character.
    Character,
    /// A list in parentheses.
    List,
    /// A vector.
    Vector,
    /// A map or set.
    Map,
}

impl DatumSort {
    /// The kind of a datum with this first token; `None` for one with a prefix.
    fn of(kind: TokenKind, text: &str) -> Option<Self> {
        Some(match kind {
            TokenKind::Atom if text.starts_with(':') || text.starts_with("#:") => Self::Keyword,
            TokenKind::Atom => {
                let mut digits = text.trim_start_matches(['+', '-', '.']).chars();
                if digits.next().is_some_and(|first| first.is_ascii_digit()) { Self::Number } else { Self::Symbol }
            }
            TokenKind::String => Self::String,
            TokenKind::Character => Self::Character,
            TokenKind::OpenParen if text == "(" => Self::List,
            TokenKind::OpenParen | TokenKind::OpenBracket => Self::Vector,
            TokenKind::OpenBrace => Self::Map,
            _ => return None,
        })
    }
}

/// A condition for the texts of one language.
#[derive(Debug)]
pub struct Guard {
    variable: Option<usize>,
    kind: Option<DatumSort>,
    text: Option<Regex>,
    refers: Option<String>,
    inside: Option<Pattern>,
    not_inside: Option<Pattern>,
}

impl Guard {
    /// Reads a condition about the matches of `pattern`.
    ///
    /// Errors: the variable is not in the pattern; a regular expression or a pattern is wrong.
    pub fn new(source: &GuardSource, pattern: &Pattern, language: &Language) -> Result<Self, BadPattern> {
        let bad = |why: String| BadPattern { why, column: None };
        let named = |name: &String| {
            let name = name.trim_start_matches(['?', '*', '+', ',', '@']);
            let found = pattern.variables().iter().position(|known| known == name);
            found.ok_or_else(|| bad(format!("the shape has no variable {name}")))
        };
        let regex = |text: &String| Regex::new(text).map_err(|_| bad(format!("{text} is no regular expression")));
        let shape = |text: &String| Pattern::new(text, language.clone());
        Ok(Self {
            variable: source.variable.as_ref().map(named).transpose()?,
            kind: source.kind,
            text: source.text.as_ref().map(regex).transpose()?,
            refers: source.refers.clone(),
            inside: source.inside.as_ref().map(shape).transpose()?,
            not_inside: source.not_inside.as_ref().map(shape).transpose()?,
        })
    }

    /// Keeps the matches that meet the condition. `here` knows what names mean; without it, nothing is known to refer to
    /// anything.
    ///
    /// Errors: there are too many ways to try.
    pub fn keep(
        &self,
        fits: &mut Vec<Fit>,
        tree: &Tree,
        text: &str,
        here: Option<&dyn Tells>,
    ) -> Result<(), BadPattern> {
        let around = |pattern: &Option<Pattern>| -> Result<Option<Vec<Span>>, BadPattern> {
            let found = pattern.as_ref().map(|pattern| pattern.fits(tree, text, here)).transpose()?;
            Ok(found.map(|fits| outermost(fits.into_iter().map(|fit| fit.span))))
        };
        let (inside, not_inside) = (around(&self.inside)?, around(&self.not_inside)?);
        fits.retain(|fit| {
            let value = self.variable.and_then(|variable| fit.values.get(variable).copied()).unwrap_or(fit.span);
            self.is_of_kind(tree, text, value)
                && self.text.as_ref().is_none_or(|regex| regex.is_match(&text[value.range()]))
                && self.refers.as_ref().is_none_or(|name| here.is_some_and(|here| here.refers(value, name)))
                && inside.as_ref().is_none_or(|spans| is_inside(spans, fit.span))
                && !not_inside.as_ref().is_some_and(|spans| is_inside(spans, fit.span))
        });
        Ok(())
    }

    fn is_of_kind(&self, tree: &Tree, text: &str, value: Span) -> bool {
        let Some(wanted) = self.kind else { return true };
        let first = tree.token_at(value.start).filter(|_| !value.is_empty());
        let found = first.and_then(|token| DatumSort::of(tree.kind(token), &text[tree.token_span(token).range()]));
        found == Some(wanted)
    }
}

/// The spans, which are in source order, without those inside of others.
pub fn outermost(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::new();
    for span in spans {
        if kept.last().is_none_or(|last| !last.encloses(span)) {
            kept.push(span);
        }
    }
    kept
}

/// The span is inside of one of the `outer` spans and not all of it.
pub fn is_inside(outer: &[Span], span: Span) -> bool {
    let before = outer.partition_point(|one| one.start <= span.start);
    outer[..before].last().is_some_and(|one| one.encloses(span) && *one != span)
}

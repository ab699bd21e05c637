//! A rewrite of all forms of a shape in a text.
//!
//! 1. Find the matches of the pattern that meet the conditions.
//! 2. Refuse those of which something would be lost: a comment, code that the reader drops, a condition of the reader.
//! 3. Write each from the template, the inner ones before those around them, so that a value has its own matches
//!    rewritten.
//! 4. Read the new text: every token outside of the matches must be the old one, and each match must be one datum.

use std::path::Path;

use lispwright_edit::{Change, Changes, EditRefusal, Source, change_all, column};
use lispwright_index::pattern::guard::{Guard, GuardSource, is_inside, outermost};
use lispwright_index::pattern::names::{Known, Standing, Tells};
use lispwright_index::pattern::{BadPattern, Fit, Pattern};
use lispwright_syntax::{Language, LineIndex, Span, TokenKind, Tree};

use crate::refusal::Spot;
use crate::template::{Template, Value};

/// What to rewrite.
#[derive(Clone, Copy, Debug)]
pub struct RewriteRequest<'a> {
    /// A form pattern.
    pub shape: &'a str,
    /// The form that comes instead, with the variables of the pattern.
    pub template: &'a str,
    /// Conditions that a match has to meet.
    pub guards: &'a [GuardSource],
    /// Matches in quoted data count, too, and those that may be data for a macro.
    pub in_data: bool,
    /// Matches of which something would be lost stay, instead of all.
    pub skips: bool,
}

/// A text after a rewrite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RewrittenText {
    /// The number of matches that were rewritten.
    pub count: usize,
    /// The number of matches in quoted data, which stay.
    pub in_data: usize,
    /// The number of steps of threading forms that look like a match and have one argument more; they stay.
    pub steps: usize,
    /// Matches that are arguments of macros whose definitions do not show what becomes of them; they stay.
    pub unclear: Vec<Spot>,
    /// Matches of which something would be lost, which stay, too.
    pub skipped: Vec<Spot>,
    /// The starts of the heads of the matches that change, and of those that are unclear, in bytes.
    pub heads: Vec<u32>,
    /// The new text; empty if nothing was rewritten.
    pub text: String,
    /// Unified diff, without file names.
    pub diff: String,
}

/// The reason why a text is not rewritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RewriteRefusal {
    /// The pattern cannot be read in the language of the text, or takes too long.
    Shape(BadPattern),
    /// The template cannot be read, or has a variable that the pattern has not.
    Template(BadPattern),
    /// A condition cannot be read.
    Guard(BadPattern),
    /// The text has matches and does not balance.
    Unbalanced {
        /// The place of the first match.
        spot: Spot,
    },
    /// Something would be lost or cut.
    Loss {
        /// The place.
        spot: Spot,
        /// What it is.
        what: Loss,
        /// The number of such places in the text.
        places: usize,
    },
    /// The text would read differently elsewhere.
    WouldBreak {
        /// The place in the text as it would be.
        spot: Spot,
    },
}

/// What a rewrite would lose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A comment that no variable of the template contains.
    Comment,
    /// Code that the reader drops, likewise.
    Dropped,
    /// A condition of the reader, which decides whether a datum is there at all.
    Condition,
    /// A match that is partly inside of a value of another and partly outside.
    Overlap,
}

/// Rewrites a text. Heads are compared by the symbols that they mean if these are `known`.
///
/// Errors: every [`RewriteRefusal`]; all matches can be rewritten, or none is.
pub fn rewrite(
    path: &Path,
    text: &str,
    language: &Language,
    request: &RewriteRequest<'_>,
    known: Option<Known<'_, '_>>,
) -> Result<RewrittenText, RewriteRefusal> {
    let pattern = Pattern::new(request.shape, language.clone()).map_err(RewriteRefusal::Shape)?;
    if !pattern.may_fit(text, known) {
        return Ok(RewrittenText::default());
    }
    let source = Source::read(text, language.clone());
    let here = known.map(|known| known.read_as(&source.tree));
    let here = here.as_ref().map(|here| here as &dyn Tells);
    let mut fits = pattern.fits(&source.tree, text, here).map_err(RewriteRefusal::Shape)?;
    if fits.is_empty() {
        return Ok(RewrittenText::default());
    }
    let (template, guards) = read_rest(&pattern, language, request)?;
    for guard in &guards {
        guard.keep(&mut fits, &source.tree, text, here).map_err(RewriteRefusal::Shape)?;
    }
    let mut in_data = 0;
    if !request.in_data && !fits.is_empty() {
        let data = quoted(&source.tree, text, language);
        let before = fits.len();
        fits.retain(|fit| !is_inside(&data, fit.span) && !is_in_template(&source.tree, text, fit.span));
        in_data = before - fits.len();
    }
    fits.retain(|fit| match fit.standing {
        Standing::Names => !pattern.is_call(),
        Standing::Definition => pattern.has_parameters(),
        _ => true,
    });
    let before = fits.len();
    let stays_step = pattern.takes_all() && template.is_call_with(pattern.variables().last());
    fits.retain(|fit| fit.standing != Standing::Step || stays_step);
    let steps = before - fits.len();
    let is_code = |fit: &Fit| fit.standing != Standing::Unclear || stays_step || request.in_data;
    let (mut fits, taken): (Vec<Fit>, Vec<Fit>) = fits.into_iter().partition(is_code);
    let spot = |at: u32| Spot::within(path, text, &source.lines, at);
    let unclear: Vec<Spot> = taken.iter().map(|fit| spot(fit.span.start)).collect();
    let rewriting = Rewriting { source: &source, pattern: &pattern, template: &template };
    let heads = |fits: &[Fit]| -> Vec<u32> {
        fits.iter().filter_map(|fit| rewriting.head(fit)).map(|head| head.start).collect()
    };
    let done = RewrittenText { in_data, steps, heads: heads(&taken), unclear, ..RewrittenText::default() };
    let Some(first) = fits.first() else { return Ok(done) };
    if !source.tree.is_balanced() {
        return Err(RewriteRefusal::Unbalanced { spot: spot(first.span.start) });
    }
    for value in fits.iter_mut().flat_map(|fit| &mut fit.values).filter(|value| !value.is_empty()) {
        *value = with_header(&source, *value);
    }
    let mut skipped = Vec::new();
    let changes = loop {
        match rewriting.changes(&fits) {
            Ok(changes) => break changes,
            Err(losses) if request.skips => {
                // Each round leaves out a match at least.
                let is_lost = |fit: &Fit| losses.iter().any(|(at, _)| fit.span.contains(*at));
                let innermost = |fit: &Fit| {
                    is_lost(fit)
                        && !fits.iter().any(|other| *other != *fit && fit.span.encloses(other.span) && is_lost(other))
                };
                let (lost, kept): (Vec<Fit>, Vec<Fit>) = fits.iter().cloned().partition(|fit| innermost(fit));
                if lost.is_empty() {
                    break Vec::new();
                }
                skipped.extend(lost.iter().map(|fit| spot(fit.span.start)));
                fits = kept;
            }
            Err(losses) => {
                let (at, what) = losses[0];
                return Err(RewriteRefusal::Loss { spot: spot(at), what, places: losses.len() });
            }
        }
    };
    skipped.sort();
    let mut heads = heads(&fits);
    heads.extend(&done.heads);
    if changes.is_empty() {
        return Ok(RewrittenText { skipped, ..done });
    }
    let remade = change_all(&source, &changes).map_err(|refusal| {
        let line = if let EditRefusal::WouldBreak { line, .. } = refusal { line } else { 1 };
        let lines = LineIndex::new(text.as_bytes());
        let at = lines.line_span(line).map_or(0, |span| span.start);
        RewriteRefusal::WouldBreak { spot: Spot::within(path, text, &lines, at) }
    })?;
    Ok(RewrittenText { count: fits.len(), skipped, heads, text: remade.text, diff: remade.diff, ..done })
}

/// Checks the shape, the template and the conditions in a language.
///
/// Errors: one of them cannot be read.
pub fn check_rewrite(language: &Language, request: &RewriteRequest<'_>) -> Result<(), RewriteRefusal> {
    let pattern = Pattern::new(request.shape, language.clone()).map_err(RewriteRefusal::Shape)?;
    read_rest(&pattern, language, request).map(|_| ())
}

/// The template and the conditions for the matches of `pattern`.
fn read_rest<'r>(
    pattern: &Pattern,
    language: &Language,
    request: &RewriteRequest<'r>,
) -> Result<(Template<'r>, Vec<Guard>), RewriteRefusal> {
    let template = Template::new(request.template, pattern, language.clone()).map_err(RewriteRefusal::Template)?;
    let guard = |guard| Guard::new(guard, pattern, language).map_err(RewriteRefusal::Guard);
    Ok((template, request.guards.iter().map(guard).collect::<Result<_, _>>()?))
}

/// The quoted data of a text that are inside of no other.
fn quoted(tree: &Tree, text: &str, language: &Language) -> Vec<Span> {
    let fits = |shape: &str| {
        let pattern = Pattern::new(shape, language.clone()).ok();
        pattern.and_then(|pattern| pattern.fits(tree, text, None).ok()).unwrap_or_default()
    };
    let shapes = ["'?_", "(quote ?_)", "',_", "(quote ,_)"];
    let mut spans: Vec<Span> = shapes.iter().flat_map(|shape| fits(shape)).map(|fit| fit.span).collect();
    spans.sort_by_key(|span| (span.start, u32::MAX - span.end));
    outermost(spans.into_iter())
}

/// A form is in a template that makes data: in a backquoted form, not in what that evaluates, and outside of what defines
/// macros (`defmacro`, `cl-macrolet`, `define-syntax`).
fn is_in_template(tree: &Tree, text: &str, form: Span) -> bool {
    let (mut unquoted, mut is_template) = (0_usize, false);
    for list in tree.lists_around(form.start) {
        let head = tree.data(list).next().filter(|head| head.list().is_none());
        let head = head.map(|head| text[tree.core_span(head).range()].to_ascii_lowercase()).unwrap_or_default();
        let has = |words: &[&str]| words.iter().any(|word| head.contains(word));
        if has(&["macro", "syntax"]) && has(&["def", "let"]) {
            return false;
        }
        let before = text[..tree.list_span(list).start as usize].trim_end();
        let mut at = before.len();
        while let Some(token) = at.checked_sub(1).and_then(|last| tree.token_at(last as u32)) {
            let (kind, span) = (tree.kind(token), tree.token_span(token));
            match &text[span.range()] {
                _ if !kind.is_prefix() && !kind.is_trivia() => break,
                "`" if unquoted > 0 => unquoted -= 1,
                "`" => is_template = true,
                "," | ",@" | ",." | "~" | "~@" => unquoted += 1,
                _ => {}
            }
            at = span.start as usize;
        }
    }
    is_template
}

/// A value with the comments directly before it that have lines of their own.
fn with_header(source: &Source<'_>, value: Span) -> Span {
    let mut start = value.start;
    let mut at = value.start;
    while let Some(token) = at.checked_sub(1).and_then(|before| source.tree.token_at(before)) {
        let (kind, span) = (source.tree.kind(token), source.tree.token_span(token));
        if !kind.is_trivia() {
            break;
        }
        let row = source.text[..span.start as usize].rfind('\n').map_or(0, |newline| newline + 1);
        if kind != TokenKind::Blank && source.text[row..span.start as usize].trim().is_empty() {
            start = span.start;
        }
        at = span.start;
    }
    Span::new(start, value.end)
}

struct Rewriting<'r> {
    source: &'r Source<'r>,
    pattern: &'r Pattern,
    template: &'r Template<'r>,
}

impl Rewriting<'_> {
    /// The changes, in source order; or the places where something would be lost.
    fn changes(&self, fits: &[Fit]) -> Result<Vec<Change>, Vec<(u32, Loss)>> {
        let mut losses: Vec<(u32, Loss)> = fits.iter().filter_map(|fit| self.loss(fit)).collect();
        let mut done: Vec<Change> = Vec::new();
        // Inner matches come after those around them.
        for fit in fits.iter().rev() {
            let mut inner = Vec::new();
            while let Some(change) = done.pop_if(|change| change.span.start < fit.span.end) {
                if !fit.values.iter().any(|value| value.encloses(change.span)) {
                    losses.push((change.span.start, Loss::Overlap));
                }
                inner.push(change);
            }
            done.push(Change { span: fit.span, text: self.filled(fit, &inner), changes: Changes::Datum });
        }
        losses.sort_by_key(|(at, _)| *at);
        done.reverse();
        if losses.is_empty() { Ok(done) } else { Err(losses) }
    }

    /// The template for a match, whose values have the changes `inner`.
    fn filled(&self, fit: &Fit, inner: &[Change]) -> String {
        let text = self.source.text;
        let before = |at: u32| &text[text[..at as usize].rfind('\n').map_or(0, |newline| newline + 1)..at as usize];
        let value = |name: &str| {
            let variable = self.pattern.variables().iter().position(|known| known == name);
            let span = variable.and_then(|variable| fit.values.get(variable).copied()).unwrap_or_default();
            let mut value = String::new();
            let mut copied = span.start as usize;
            for change in inner.iter().filter(|change| span.encloses(change.span)) {
                value.push_str(&text[copied..change.span.start as usize]);
                value.push_str(&change.text);
                copied = change.span.end as usize;
            }
            value.push_str(&text[copied..span.end as usize]);
            let row = before(span.start);
            Value { text: value, column: column(row), begins_line: row.trim().is_empty() }
        };
        let head = self.pattern.head().zip(self.head(fit).map(|span| &text[span.range()]));
        let filled = self.template.filled(value, head, column(before(fit.span.start)), self.source.line_ending());
        // The opener of a function that is written as its body stays.
        match filled.strip_prefix('(') {
            Some(rest) if text[fit.span.start as usize..].starts_with("#(") => format!("#({rest}"),
            _ => filled,
        }
    }

    /// The head of a match: the symbol after its opener.
    fn head(&self, fit: &Fit) -> Option<Span> {
        self.pattern.head()?;
        let mut tokens = self.source.tree.tokens_within(fit.span).filter(|(kind, _)| !kind.is_trivia());
        tokens.nth(1).map(|(_, span)| span)
    }

    /// The first place of a match where something would be lost.
    fn loss(&self, fit: &Fit) -> Option<(u32, Loss)> {
        let (tree, text) = (&self.source.tree, self.source.text);
        let around = |at: u32| {
            let is_around = |(_, value): &(usize, &Span)| value.start <= at && at < value.end;
            fit.values.iter().enumerate().find(is_around).map(|(variable, value)| (variable, *value))
        };
        tree.tokens_within(fit.span).find_map(|(kind, span)| {
            let value = around(span.start);
            let is_kept = || value.is_some_and(|(at, _)| self.template.has(&self.pattern.variables()[at]));
            let source = &text[span.range()];
            let is_condition = (kind == TokenKind::Annotation && !source.starts_with('^')) || source.starts_with("#?");
            let what = match kind {
                TokenKind::LineComment | TokenKind::BlockComment if !is_kept() => Loss::Comment,
                TokenKind::Discard if !is_kept() => Loss::Dropped,
                _ if is_condition => match value {
                    Some((at, value)) if value.start != span.start || !self.pattern.takes_one(at) => return None,
                    _ => Loss::Condition,
                },
                _ => return None,
            };
            Some((span.start, what))
        })
    }
}

//! Finds a text in a form: exactly, or with other white space between its tokens, or else the nearest part.
//!
//! A patch from memory has the words right and a line break or a column wrong. White space between tokens has no
//! meaning to a reader, so a text that differs only in it is found. Inside a string or a comment every byte counts.

use std::collections::HashMap;

use lispwright_syntax::{Span, TokenKind, read};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::form_line::shortened;
use crate::source::Source;

/// The part of a form that is nearest to a text that does not occur in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// Its first line, from 1.
    pub line: u32,
    /// The source there.
    pub text: String,
    /// A diff from the wanted lines to those in the file, if they differ in more than white space and case.
    pub diff: Option<String>,
}

/// Every occurrence of `wanted` in `region`, byte for byte.
pub(crate) fn exact(source: &Source<'_>, region: Span, wanted: &str) -> Vec<Span> {
    let found = source.slice(region).match_indices(wanted).map(|(at, _)| region.start + at as u32);
    found.map(|start| Span::new(start, start + wanted.len() as u32)).collect()
}

/// Every occurrence of the tokens of `wanted` in `region`, with any white space between them.
pub(crate) fn by_tokens(source: &Source<'_>, region: Span, wanted: &str) -> Vec<Span> {
    let tree = read(wanted, source.language_of_pieces());
    let is_solid = |(kind, span): (TokenKind, Span)| (kind != TokenKind::Blank).then_some(span);
    let wanted: Vec<&str> = tree.tokens().filter_map(is_solid).map(|span| &wanted[span.range()]).collect();
    let there: Vec<Span> = source.tree.tokens_within(region).filter_map(is_solid).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(window) = there.get(at..at + wanted.len()).filter(|window| !window.is_empty()) {
        let same = window.iter().zip(&wanted).all(|(span, wanted)| source.slice(*span) == *wanted);
        if same {
            found.push(Span::new(window[0].start, window[window.len() - 1].end));
        }
        at += if same { window.len() } else { 1 };
    }
    found
}

/// The part of `region` that is nearest to `wanted`.
pub(crate) fn near(source: &Source<'_>, region: Span, wanted: &str) -> Option<Near> {
    alike(source, region, wanted).or_else(|| of_most_words(source, region, wanted))
}

/// Longest near match that is quoted, in bytes.
const MOST_QUOTED: usize = 2_000;

/// The most comparisons for a near match.
const MOST_COMPARISONS: usize = 50_000_000;

/// The first part of the region that differs from `wanted` only in white space and case.
fn alike(source: &Source<'_>, region: Span, wanted: &str) -> Option<Near> {
    let wanted: Vec<char> = wanted.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    let solid: Vec<(usize, char)> = source
        .slice(region)
        .char_indices()
        .filter(|(_, c)| !c.is_whitespace())
        .flat_map(|(at, c)| c.to_lowercase().map(move |lower| (at, lower)))
        .collect();
    let too_much_work = wanted.len().saturating_mul(solid.len()) > MOST_COMPARISONS;
    if wanted.is_empty() || wanted.len() > solid.len() || too_much_work {
        return None;
    }
    let start = solid
        .windows(wanted.len())
        .position(|window| window.iter().zip(&wanted).all(|((_, found), wanted)| found == wanted))?;
    let (first, last) = (solid[start].0, solid[start + wanted.len() - 1].0);
    let body = source.slice(region);
    let end = last + body[last..].chars().next().map_or(0, char::len_utf8);
    let text = &body[first..end];
    let line = source.lines.line(region.start + first as u32);
    (text.len() <= MOST_QUOTED).then(|| Near { line, text: text.to_owned(), diff: None })
}

/// The lines with the most adjacent words of `wanted`, if they have at least half of them.
fn of_most_words(source: &Source<'_>, region: Span, wanted: &str) -> Option<Near> {
    let looked_for: Vec<&str> = words(wanted).map(|(_, word)| word).collect();
    let there: Vec<(u32, &str)> = words(source.slice(region)).map(|(at, word)| (region.start + at, word)).collect();
    let mut missing: HashMap<&str, i32> = HashMap::new();
    looked_for.iter().for_each(|word| *missing.entry(word).or_default() += 1);
    let (mut common, mut best, mut window) = (0, (0, 0), 0..0);
    for (at, (_, word)) in there.iter().enumerate() {
        if let Some(count) = missing.get_mut(word) {
            common += usize::from(*count > 0);
            *count -= 1;
        }
        let begin = (at + 1).saturating_sub(looked_for.len());
        if let Some(count) = begin.checked_sub(1).and_then(|left| missing.get_mut(there[left].1)) {
            *count += 1;
            common -= usize::from(*count > 0);
        }
        if common > 0 && common >= best.0 {
            let in_place =
                there[begin..=at].iter().zip(&looked_for).filter(|((_, word), wanted)| word == *wanted).count();
            if (common, in_place) > best {
                (best, window) = ((common, in_place), begin..at + 1);
            }
        }
    }
    if window.is_empty() || best.0 * 2 < looked_for.len() {
        return None;
    }
    let line = |word: &(u32, &str)| source.lines.line(word.0);
    let (first, last) = (line(&there[window.start]), line(&there[window.end - 1]));
    let lines: Vec<&str> = (first..=last).map(|line| source.line_text(line)).collect();
    let text = lines.join("\n");
    (text.len() <= MOST_QUOTED).then(|| Near { line: first, diff: Some(compared(wanted, &lines)), text })
}

/// The words of a text with their offsets: the parts between white space, delimiters and quotes.
fn words(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let parts = text.split(|c: char| c.is_whitespace() || "()[]{}\"'`,;".contains(c));
    parts
        .filter(|word| !word.is_empty())
        .map(move |word| ((word.as_ptr() as usize - text.as_ptr() as usize) as u32, word))
}

/// Longest line of a comparison, in scalar values.
const WIDTH: usize = 200;

/// A diff of the lines of `wanted` and `there`; lines that differ only in the white space around them are equal.
fn compared(wanted: &str, there: &[&str]) -> String {
    let wanted: Vec<&str> = wanted.lines().filter(|line| !line.trim().is_empty()).collect();
    let trimmed = |lines: &[&str]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
    let mut out = String::new();
    let mut push = |sign: char, line: &str| out.push_str(&format!("\n{sign}{}", shortened(line, WIDTH)));
    for op in capture_diff_slices(Algorithm::Myers, &trimmed(&wanted), &trimmed(there)) {
        if op.tag() == DiffTag::Equal {
            there[op.new_range()].iter().for_each(|line| push(' ', line));
        } else {
            wanted[op.old_range()].iter().for_each(|line| push('-', line));
            there[op.new_range()].iter().for_each(|line| push('+', line));
        }
    }
    out
}

//! Strings, symbols and block comments that are not closed.
//!
//! A lost quote turns code into text and text into code up to the end of the file, so neither brackets nor columns mean
//! anything until it is back. Places for it are tried one by one: a string that runs over the start of the next
//! definition lost its closing quote on one of its lines, at the end of the words or before the closers that end the
//! line; a quote with code on both sides is one too many. A place counts if the form then balances without other edits.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Range;

use lispwright_syntax::{DiagnosticKind, Language, TokenKind, read_plain};

use super::{Answer, Proposal, Sort};
use crate::case::Case;
use crate::doubts::MARGIN;
use crate::outcome::Reason;
use crate::text::code::{Token, tokens};
use crate::text::edit::{TextEdit, apply, replace};
use crate::text::scope::{Chunk, chunks};

/// The number of places that are tried, at most.
const MOST_PLACES: usize = 160;
/// The number of bytes read to try them, at most.
const READING_BUDGET: usize = 4 << 20;

/// The number of words that a string without its opening quote may have, at most.
const MOST_WORDS: usize = 12;

/// So many words before a quote are prose.
const PROSE: usize = 3;

/// The number of places that are offered, at most.
const MOST_FOUND: usize = 8;

/// One way to put back a quote, after which the text balances.
pub(crate) struct Closing {
    pub(crate) edits: Vec<TextEdit>,
    /// The place is the end of a line of a docstring before its body: nowhere else would the quote be written.
    pub(crate) usual: bool,
}

/// The place from which strings and code are mistaken for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Suspect {
    /// The opening quote of the first wrong string, or the opening mark of the comment.
    pub(crate) start: u32,
    /// The likeliest place of its end: the end of a line.
    pub(crate) end: u32,
}

pub(crate) struct Quotes;

impl Sort for Quotes {
    fn propose(&self, case: &Case<'_>) -> Option<Proposal> {
        case.has_open_text().then(|| case.both_witnesses(|| case.by_quotes()))
    }
}

impl Case<'_> {
    /// A string, symbol or block comment is not closed.
    pub(crate) fn has_open_text(&self) -> bool {
        use DiagnosticKind::{UnclosedComment, UnclosedString, UnclosedSymbol};
        let open = |kind| matches!(kind, UnclosedString | UnclosedComment | UnclosedSymbol);
        self.tree.diagnostics().iter().any(|fault| open(fault.kind))
    }

    /// The answers that add or remove one quote.
    fn by_quotes(&self) -> Proposal {
        let closings = closings(self.text, self.language, self.before);
        let usual: Vec<_> = closings.iter().filter(|closing| closing.usual).collect();
        if let [only] = usual[..]
            && !self.is_odd_with(&only.edits)
        {
            let why = "the docstring ends where the body begins, and with the quote there the form balances";
            return self.sure(only.edits.clone(), why, MARGIN);
        }
        let answer = |closing: Closing| Answer::new(closing.edits, "the form balances with the quote there");
        Proposal::open(Reason::OpenText, closings.into_iter().map(answer).collect())
    }
}

/// The first string that runs into a definition, or whose quotes look the wrong way round; otherwise the one that is
/// never closed.
///
/// After a lost quote every string is inside out: it begins where a string ends, after a word and before white space,
/// and ends where one begins.
pub(crate) fn suspect(text: &str, language: &Language) -> Option<Suspect> {
    let tree = read_plain(text, language);
    let mut open = None;
    for (kind, span) in tree.tokens() {
        let range = span.range();
        match kind {
            TokenKind::String => {
                let runs_over = language.definition_line(&text.as_bytes()[range.clone()]).is_some();
                let begins_behind = looks_like_end(text, range.start);
                if runs_over || begins_behind || looks_like_begin(text, range.end - 1) {
                    let end =
                        if begins_behind { range.start } else { first_end(text, range.start, range.end, language) };
                    return Some(Suspect { start: span.start, end: end as u32 });
                }
            }
            TokenKind::UnterminatedString | TokenKind::UnterminatedComment | TokenKind::UnterminatedSymbol => {
                open =
                    Some(Suspect { start: span.start, end: first_end(text, range.start, range.end, language) as u32 });
            }
            _ => {}
        }
    }
    open
}

fn blank_or(byte: Option<u8>, others: &[u8]) -> bool {
    byte.is_none_or(|byte| byte.is_ascii_whitespace() || others.contains(&byte))
}

/// The quote at `at` is after a word and before white space or a closer, like one that ends a string.
fn looks_like_end(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|at| bytes[at]);
    bytes[at] == b'"' && !blank_or(before, b"([{'`,@#\\") && blank_or(bytes.get(at + 1).copied(), b")]}")
}

/// The quote at `at` is after white space or an opener and before a word, like one that begins a string.
fn looks_like_begin(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|at| bytes[at]);
    bytes[at] == b'"' && blank_or(before, b"([{") && !blank_or(bytes.get(at + 1).copied(), b")]};,")
}

/// The first end of a line in a string that seems to be in code: by its own end, or by the beginning of the next line.
fn first_end(text: &str, start: usize, end: usize, language: &Language) -> usize {
    let mut at = start;
    let defines = |line: &str| line.strip_prefix('(').is_some_and(|rest| language.begins_definition(rest.as_bytes()));
    for line in text[start..end].split_inclusive('\n') {
        let code = line.trim_end();
        let next = text[at + line.len()..].lines().next().unwrap_or_default();
        let goes_on =
            next.starts_with([' ', '\t']) && next.trim_start().starts_with(['(', '[', '{', '\'', '#', '"', ':']);
        if code.ends_with([')', ']', '}']) || goes_on || defines(next) {
            return at + code.len();
        }
        at += line.len();
    }
    start
}

/// A string of a broken form touches a symbol, or runs over the start of a definition: quotes may be lost or stray
/// although their number is even, because comments contain some.
pub(crate) fn are_doubtful(text: &str, language: &Language, tokens: &[Token], chunks: &[Chunk]) -> bool {
    let inside_out = |token: &&Token| {
        token.kind == TokenKind::String
            && text.as_bytes()[token.start as usize] == b'"'
            && (looks_like_end(text, token.start as usize) || looks_like_begin(text, token.end as usize - 1))
    };
    // One string may look like that by chance; after a lost quote all do.
    if tokens.iter().filter(inside_out).nth(1).is_some() {
        return true;
    }
    chunks.iter().filter(|chunk| !chunk.healthy).any(|chunk| {
        let own = &tokens[chunk.tokens.clone()];
        // A file with a reader macro before strings, `_"text"`, has it in sound forms too.
        let usual = || chunks.iter().any(|chunk| chunk.healthy && touches_a_word(&tokens[chunk.tokens.clone()]));
        (touches_a_word(own) && !usual())
            || own.iter().any(|token| inside_out(&token))
            || own.iter().filter(|token| token.kind == TokenKind::String).any(|token| {
                let string = &text.as_bytes()[token.start as usize..token.end as usize];
                language.definition_line(string).is_some()
            })
    })
}

/// A string touches a symbol or another string.
pub(crate) fn touches_a_word(own: &[Token]) -> bool {
    let word = |token: &Token| matches!(token.kind, TokenKind::Atom | TokenKind::String);
    own.windows(2).any(|pair| {
        let string = pair[0].kind == TokenKind::String || pair[1].kind == TokenKind::String;
        string && pair[0].end == pair[1].start && word(&pair[0]) && word(&pair[1])
    })
}

/// The ways to put back one quote after which `text` balances, the likeliest first.
fn closings(text: &str, language: &Language, before: Option<&str>) -> Vec<Closing> {
    let Some(Suspect { start, end: likely }) = suspect(text, language) else { return Vec::new() };
    let from = text[..start as usize].rfind("\n(").map_or(0, |at| at + 1);
    let end = text[start as usize..].find("\n(").map_or(text.len(), |at| start as usize + at + 1);
    let part = &text[from..end];
    let quote = text.as_bytes()[start as usize] == b'"' || text[start as usize..].starts_with("#\"");
    if !quote {
        return Vec::new();
    }
    let words = LineWords::around(part, start as usize - from, before);
    let mut found = Vec::new();
    let most = READING_BUDGET / part.len().max(1);
    for (place, usual) in places(part, start as usize - from, language).into_iter().take(most) {
        let edit = replace(part, place.clone(), if place.is_empty() { "\"" } else { "" });
        let tried = apply(part, std::slice::from_ref(&edit));
        let own = tokens(&tried, language);
        if own.iter().any(|token| matches!(token.kind, TokenKind::UnterminatedString)) {
            continue;
        }
        if chunks(&own).iter().all(|chunk| chunk.healthy) {
            // A quote is lost more often than written for nothing.
            let is_taken = edit.at as usize + from == start as usize && edit.inserted.is_empty();
            let key = (words.misfit(&edit), is_taken, words.distance(&edit, likely as usize - from));
            found.push((key, Closing { edits: vec![TextEdit { at: edit.at + from as u32, ..edit }], usual }));
        }
    }
    found.sort_by_key(|(key, _)| *key);
    let balances = |closing: &Closing| read_plain(apply(text, &closing.edits), language).diagnostics().is_empty();
    found.into_iter().map(|(_, closing)| closing).filter(balances).take(MOST_FOUND).collect()
}

/// The words of a line with a quote of which the other one is lost.
struct LineWords {
    /// The quote.
    start: usize,
    /// Where each word begins and ends, and whether it is more likely in the string than outside it: it is new.
    words: Vec<(Range<usize>, bool)>,
    /// There is an earlier text.
    known: bool,
}

impl LineWords {
    fn around(part: &str, start: usize, before: Option<&str>) -> Self {
        let from = part[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = part[start..].find('\n').map_or(part.len(), |at| start + at);
        let words = || words_of(&part[from..end]).map(|word| from + word.start..from + word.end);
        // The line that had the most of these words.
        let own: HashSet<&str> = words().map(|word| &part[word]).collect();
        let shared = |line: &&str| words_of(line).filter(|word| own.contains(&line[word.clone()])).count();
        let line = before.and_then(|before| before.lines().max_by_key(shared)).unwrap_or_default();
        let old: HashSet<&str> = words_of(line).map(|word| &line[word]).collect();
        let names = |word: &Range<usize>| {
            let follows = word.start.checked_sub(1).map(|at| part.as_bytes()[at]);
            part[word.clone()].starts_with(':') || matches!(follows, Some(b'(' | b'[' | b'{'))
        };
        let words = words().map(|word| (word.clone(), !names(&word) && !old.contains(&part[word]))).collect();
        Self { start, words, known: before.is_some() }
    }

    /// The part of the line that is a string after `edit`.
    fn inside(&self, edit: &TextEdit) -> Range<usize> {
        let at = edit.at as usize;
        match at.cmp(&self.start) {
            Ordering::Less if edit.removed.is_empty() => at..self.start,
            Ordering::Greater => self.start..at,
            Ordering::Less | Ordering::Equal => self.start..self.start,
        }
    }

    /// How many old words of the line are in the string after `edit`, and new ones outside it. Without an earlier text,
    /// nothing is known of them.
    fn misfit(&self, edit: &TextEdit) -> usize {
        let inside = self.inside(edit);
        let is_inside = |word: &Range<usize>| inside.start <= word.start && word.end <= inside.end;
        self.words.iter().filter(|(word, is_new)| self.known && is_inside(word) != *is_new).count()
    }

    /// The distance of `edit` from the likeliest place. Before a quote that ends prose this is its first word.
    fn distance(&self, edit: &TextEdit, likely: usize) -> usize {
        let ahead = self.words.iter().rev().skip_while(|(word, _)| word.end > self.start);
        let run: Vec<&Range<usize>> = ahead.take_while(|(_, is_new)| *is_new).map(|(word, _)| word).collect();
        match run.last() {
            Some(first) if run.len() >= PROSE && likely == self.start => first.start.abs_diff(edit.at as usize),
            _ => likely.abs_diff(edit.at as usize),
        }
    }
}

/// The words of a line: whatever is between white space, brackets and quotes.
fn words_of(line: &str) -> impl Iterator<Item = Range<usize>> {
    let ends = |c: char| c.is_whitespace() || "()[]{}\"".contains(c);
    line.split_inclusive(ends)
        .scan(0, move |at, piece| {
            let start = *at;
            *at += piece.len();
            Some(start..start + piece.trim_end_matches(ends).len())
        })
        .filter(|word| !word.is_empty())
}

/// The places from `start` on, where a string begins, at which a quote may have been lost (an empty range) or be one
/// too many, and whether a docstring usually ends there.
fn places(part: &str, start: usize, language: &Language) -> Vec<(Range<usize>, bool)> {
    let mut places = Vec::new();
    let line_of_start = part[..start].rfind('\n').map_or(0, |at| at + 1);
    // A string inside an inner list is an argument, for example of `format`, and its lines end anywhere.
    let docstring = part[line_of_start..start].trim().is_empty()
        && !part[..start].contains('"')
        && read_plain(&part[..start], language).diagnostics().len() == 1;
    let mut at = start + 1;
    // Code begins after the first line that is followed by something like code; a string that ends later contains code.
    let mut in_code = false;
    let comment = language.dialect().comment().to_string().repeat(2);
    for line in part[start + 1..].split_inclusive('\n') {
        let code = line.trim_end();
        let closers = code.len() - code.trim_end_matches([')', ']', '}']).len();
        let next = part[at + line.len()..].trim_start_matches([' ', '\t']);
        // A line that begins like a comment shows that code has begun.
        in_code |= at > start + 1 && line.trim_start().starts_with(&comment);
        if !code.is_empty() {
            let usual = docstring && (next.starts_with(['(', ':']) || next.is_empty());
            places.push((at + code.len()..at + code.len(), usual && closers == 0 && !in_code));
            in_code |= usual && closers == 0 && next.starts_with('(');
            places.extend((1..=closers).rev().map(|count| (at + code.len() - count..at + code.len() - count, false)));
            if at == start + 1 {
                // On its own line, a string may end after any word.
                let ends = code.match_indices([' ', '\t', ')', ']', '}']).map(|(blank, _)| at + blank);
                places.extend(
                    ends.filter(|end| *end < at + code.len() - closers).take(MOST_WORDS).map(|end| (end..end, false)),
                );
            }
        }
        at += line.len();
        if places.len() > MOST_PLACES {
            break;
        }
    }
    if looks_like_end(part, start) {
        // It ends a string whose opening quote was lost: before one of the words before it.
        let begins = |at: &usize| {
            let bytes = part.as_bytes();
            !bytes[*at].is_ascii_whitespace() && blank_or(at.checked_sub(1).map(|at| bytes[at]), b"([{")
        };
        let words = (line_of_start..start).rev().filter(|at| part.is_char_boundary(*at)).filter(begins);
        places.extend(words.take(MOST_WORDS).map(|at| (at..at, false)));
    }
    places.extend(part.match_indices('"').take(MOST_PLACES).map(|(at, _)| (at..at + 1, false)));
    places
}

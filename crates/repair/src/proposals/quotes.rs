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

use super::quoted::{Vocabulary, lines_of_code};
use super::{Answer, Proposal, Sort};
use crate::case::Case;
use crate::doubts::lead;
use crate::outcome::Reason;
use crate::text::code::{Token, tokens};
use crate::text::edit::{TextEdit, apply, replace};
use crate::text::scope::{Chunk, chunks};
use crate::witnesses::learn::learn;

/// The number of places that are tried, at most.
const MOST_PLACES: usize = 160;
/// The number of bytes read to try them, at most.
const READING_BUDGET: usize = 4 << 20;

/// The number of words on the line that a string without its closing quote may have, at most, and without its opening one.
const MOST_WORDS: usize = 16;
const MOST_WORDS_BEFORE: usize = 32;

/// It may have begun so many lines before, at most.
const MOST_LINES: usize = 8;

/// So many words before a quote are prose.
const PROSE: usize = 3;

/// The number of places that are offered, at most, and of those that are tried in the whole text.
const MOST_FOUND: usize = 8;
const MOST_READ: usize = 24;

/// The number of strings before the first wrong one that are looked at as well.
const MOST_STARTS: usize = 2;

/// How much likelier a place for a quote has to be than all others together, as a natural logarithm: for a string on one line,
/// and for one of several, which may hold code.
const QUOTE_MARGIN: f32 = 4.5;
const LONG_MARGIN: f32 = 7.0;
/// The cost of an old word that would be in the string, or of a new one that would be outside.
const MISFIT: f32 = 2.5;
/// The most that all of them cost, because the earlier line may be another one.
const MOST_MISFIT: f32 = 5.0;
/// Forms within so many lines before and after are looked at with the broken one.
const NEIGHBOURS: usize = 8;
/// In bytes: so much of the text before and after shows what its code is like.
const LESSON: usize = 24_000;

/// A place at which a quote may have been lost, or be one too many.
struct Place {
    /// What is replaced; empty where a quote is put back.
    range: Range<usize>,
    /// What is put there.
    with: &'static str,
    /// The place is the end of a line of a docstring before its body: nowhere else would the quote be written.
    usual: bool,
}

impl Place {
    fn lost(at: usize, usual: bool) -> Self {
        Self { range: at..at, with: "\"", usual }
    }
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

    /// The answers that add or remove one quote, likeliest first.
    pub(super) fn quotes_put_back(&self) -> Vec<Answer> {
        let why = "the form balances with the quote there";
        self.closings().into_iter().map(|(cost, edits)| Answer { cost, ..Answer::new(edits, why) }).collect()
    }

    /// After `edits`, the strings at them are on one line, or the `margin` is large and none of their lines looks like code.
    fn is_plain_string(&self, edits: &[TextEdit], margin: f32) -> bool {
        let text = apply(self.text, edits);
        let touches = |token: &Token| edits.iter().any(|edit| (token.start..=token.end).contains(&edit.at));
        let strings = tokens(&text, self.language);
        let mut strings = strings.iter().filter(|token| token.kind == TokenKind::String && touches(token));
        strings.all(|token| {
            let own = &text[token.start as usize + 1..token.end as usize - 1];
            !own.contains('\n') || (margin >= LONG_MARGIN && lines_of_code(own) == 0)
        })
    }

    /// The proposal to add or remove one quote.
    fn by_quotes(&self) -> Proposal {
        let answers = self.quotes_put_back();
        let margin = lead(&answers);
        if let [best, ..] = &answers[..]
            && margin >= QUOTE_MARGIN
            && !self.leaves_the_edit(&best.edits)
            && !self.is_odd_with(&best.edits)
            && self.is_plain_string(&best.edits, margin)
        {
            let why = "with the quote there, the words around it are in a string and the code is not";
            return self.sure(best.edits.clone(), why, margin);
        }
        Proposal::open(Reason::OpenText, answers)
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

impl Case<'_> {
    /// The ways to put back one quote after which the text balances, with their costs, the likeliest first.
    fn closings(&self) -> Vec<(f32, Vec<TextEdit>)> {
        let (text, language) = (self.text, self.language);
        let Some(Suspect { start, end: likely }) = suspect(text, language) else { return Vec::new() };
        let start = start as usize;
        let from = text[..start].rfind("\n(").map_or(0, |at| at + 1);
        let end = text[start..].find("\n(").map_or(text.len(), |at| start + at + 1);
        let quote = text.as_bytes()[start] == b'"' || text[start..].starts_with("#\"");
        if !quote {
            return Vec::new();
        }
        let near = with_neighbours(text, from..end);
        let (front, part) = (from - near.start, &text[near.clone()]);
        let words = LineWords::around(&text[from..end], start - from, self.before);
        let beside = [before(text, near.start), after(text, near.end)];
        let habits = learn("", (&[], &[]), 0, beside.into_iter().chain(self.context.iter()), language).habits;
        let around = [&text[..near.start], &text[near.end..], part].into_iter();
        let vocabulary = Vocabulary::new(around.take(2), habits, language);
        let mut found = Vec::new();
        let most = READING_BUDGET / part.len().max(1);
        let starts = earlier_starts(&text[from..end], start - from, language);
        let places = starts.chain([start - from]).flat_map(|start| places(&text[from..end], start, language));
        let mut tried_edits: HashSet<(u32, bool, bool)> = HashSet::new();
        for Place { range, with, usual } in places.take(most) {
            let local = replace(&text[from..end], range, with);
            if !tried_edits.insert((local.at, local.removed.is_empty(), usual)) {
                continue;
            }
            let edit = TextEdit { at: local.at + front as u32, ..local.clone() };
            let tried = apply(part, std::slice::from_ref(&edit));
            let own = tokens(&tried, language);
            if own.iter().any(|token| matches!(token.kind, TokenKind::UnterminatedString)) {
                continue;
            }
            if chunks(&own).iter().all(|chunk| chunk.healthy) {
                let misfit = (words.misfit(&local) as f32 * MISFIT).min(MOST_MISFIT);
                let cost = vocabulary.cost(&tried, &own, &edit, usual) + misfit;
                found.push((
                    cost,
                    words.distance(&local, likely as usize - from),
                    TextEdit { at: local.at + from as u32, ..local },
                ));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut seen: HashSet<String> = HashSet::new();
        let balances = |edit: &TextEdit| {
            let tried = apply(text, std::slice::from_ref(edit));
            read_plain(&tried, language).diagnostics().is_empty() && seen.insert(tried)
        };
        let found = found.into_iter().map(|(cost, _, edit)| (cost, edit)).take(MOST_READ);
        let mut balances = balances;
        found.filter(|(_, edit)| balances(edit)).take(MOST_FOUND).map(|(cost, edit)| (cost, vec![edit])).collect()
    }
}

/// The beginnings of the last strings before `start` that may have lost their end too: they run over a line.
fn earlier_starts(part: &str, start: usize, language: &Language) -> impl Iterator<Item = usize> {
    let own = tokens(&part[..start], language);
    let is_long = |token: &&Token| {
        token.kind == TokenKind::String && part[token.start as usize..token.end as usize].contains('\n')
    };
    let starts = own
        .iter()
        .filter(is_long)
        .filter_map(|token| Some(token.start as usize + part[token.start as usize..].find('"')?));
    let mut starts: Vec<usize> = starts.collect();
    starts.drain(..starts.len().saturating_sub(MOST_STARTS));
    starts.into_iter()
}

/// The range with some of the forms before and after it, whose lines may be like its own.
fn with_neighbours(text: &str, range: Range<usize>) -> Range<usize> {
    let (mut from, mut end) = (range.start, range.end);
    while from > 0 && text[from..range.start].matches('\n').count() < NEIGHBOURS {
        from = text[..from - 1].rfind("\n(").map_or(0, |at| at + 1);
    }
    while end < text.len() && text[range.end..end].matches('\n').count() < NEIGHBOURS {
        end = text[end..].find("\n(").map_or(text.len(), |at| end + at + 1);
    }
    from..end
}

/// Some of the text before a form that begins at `at`, from the beginning of another form on.
fn before(text: &str, at: usize) -> &str {
    let from = at.saturating_sub(LESSON);
    let from = (from..=at).find(|from| text[..at].get(*from..).is_some_and(|rest| rest.starts_with("\n(")));
    text[..at].get(from.unwrap_or(at)..).unwrap_or_default()
}

/// Some of the text from `at` on, up to the end of a form.
fn after(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let most = (0..=LESSON.min(rest.len())).rev().find(|most| rest.is_char_boundary(*most)).unwrap_or(0);
    let end = if most == rest.len() { most } else { rest[..most].rfind("\n(").unwrap_or(0) };
    &rest[..end]
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

/// The places from `start` on, where a string begins, at which a quote may have been lost, or lack its backslash, or be one
/// too many.
fn places(part: &str, start: usize, language: &Language) -> Vec<Place> {
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
            places.push(Place::lost(at + code.len(), usual && closers == 0 && !in_code));
            in_code |= usual && closers == 0 && next.starts_with('(');
            places.extend((1..=closers).rev().map(|count| Place::lost(at + code.len() - count, false)));
            if at == start + 1 {
                // On its own line, a string may end after any word.
                let ends = code.match_indices([' ', '\t', ')', ']', '}']).map(|(blank, _)| at + blank);
                let inside = ends.filter(|end| *end < at + code.len() - closers);
                places.extend(inside.take(MOST_WORDS).map(|end| Place::lost(end, false)));
            }
        }
        at += line.len();
        if places.len() > MOST_PLACES {
            break;
        }
    }
    add_openings(&mut places, part, line_of_start, start);
    let quotes = || part.match_indices('"').map(|(at, _)| at).take(MOST_PLACES);
    places.extend(quotes().map(|at| Place { range: at..at + 1, with: "", usual: false }));
    let line = |at: usize| part[at..].find('\n').map_or(part.len(), |end| at + end);
    let end = line(line(start).min(part.len() - 1) + 1);
    let near = |at: &usize| (line_of_start..end).contains(at);
    places.extend(quotes().filter(near).map(|at| Place { range: at..at, with: "\\", usual: false }));
    places
}

/// The places before the words ahead of the quote at `start`, which may end a string whose opening quote was lost.
fn add_openings(places: &mut Vec<Place>, part: &str, line_of_start: usize, start: usize) {
    let begins = |at: &usize| {
        let (bytes, before) = (part.as_bytes(), at.checked_sub(1).map(|at| part.as_bytes()[at]));
        let is_form = bytes[*at] == b'(' && before.is_none_or(|byte| byte == b'\n');
        !is_form && !bytes[*at].is_ascii_whitespace() && blank_or(before, b"([{'`")
    };
    let words = (line_of_start..start).rev().filter(|at| part.is_char_boundary(*at)).filter(begins);
    places.extend(words.take(MOST_WORDS_BEFORE).map(|at| Place::lost(at, false)));
    let line_before = part[..line_of_start.saturating_sub(1)].rfind('\n').map_or(0, |at| at + 1);
    let words = (line_before..line_of_start).rev().filter(|at| part.is_char_boundary(*at)).filter(begins);
    places.extend(words.take(MOST_WORDS).map(|at| Place::lost(at, false)));
    // It may have begun on a line before.
    let lines = part[..line_of_start].match_indices('\n').rev().take(MOST_LINES).map(|(at, _)| at + 1);
    let fronts = lines.map(|at| at + part[at..].len() - part[at..].trim_start_matches([' ', '\t']).len());
    places.extend(fronts.filter(|at| *at < line_of_start).map(|at| Place::lost(at, false)));
}

//! Matching the earlier text with the broken one, so that delimiters go back where they were.
//!
//! Both texts are split into words at white space, brackets and quotes. That needs no reader, so a lost quote or a lost
//! `|#` does not hide the text after it. Lines with equal words are matched first (unique ones as anchors, then their
//! neighbours), then words in the lines between. Between two words that are neighbours in both texts is a gap. If its
//! delimiters differ from the earlier ones, putting those back is a candidate; if they are equal, the place is known to
//! be right.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHasher};

use crate::text::edit::{TextEdit, replace};

/// A word without a partner.
pub(crate) const NONE: u32 = u32::MAX;

/// Differences between two blocks of words beyond which they count as unrelated.
const MOST_DIFFERENCES: usize = 400;

/// The number of words in a row that count as renamed, at most, if there were as many before.
const MOST_RENAMED: usize = 3;

/// The additional cost of changing a place that is as in the earlier text: for each matched word in a row around it,
/// the most in total, and the most in a new line, where words match by chance.
const KNOWN_BY_WORD: f32 = 1.5;
const KNOWN_RIGHT: f32 = 15.0;
const NEW_LINE: f32 = 1.5;

/// Fewer words in a row than this match by chance.
const FEW_WORDS: u32 = 4;

/// Words of one text.
struct Words {
    spans: Vec<Range<usize>>,
    hashes: Vec<u64>,
    /// For every word, the width of the white space that begins its line, in bytes.
    indents: Vec<u32>,
    /// For every line with words, the indices of its words.
    lines: Vec<Range<usize>>,
    line_hashes: Vec<u64>,
}

/// A place between two words where the delimiters differ from before.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    /// The edit that puts the earlier ones back.
    pub(crate) edit: TextEdit,
    /// The lines around it have the same words and the same relative indentation as before: only delimiters changed.
    pub(crate) sure: bool,
}

/// The comparison of the earlier text with the broken one.
#[derive(Debug, Default)]
pub(crate) struct Alignment {
    /// Gaps whose delimiters differ from before.
    pub(crate) differing: Vec<Gap>,
    /// Gaps whose delimiters are the same as before, as byte ranges of the broken text, ascending, with the cost of
    /// changing them.
    pub(crate) surviving: Vec<(Range<usize>, f32)>,
    /// The share of the words of the longer text that are in both, from 0 to 1.
    pub(crate) common: f32,
    /// The share of the words of the broken text that are in the earlier one, from 0 to 1.
    pub(crate) kept: f32,
    /// The gap in the earlier text, in bytes, between the last word of the broken text and the word that followed it;
    /// `None` if none did, or if the broken text closes more there.
    pub(crate) went_on: Option<Range<usize>>,
    /// Only delimiters were changed, and perhaps names, each in all places.
    pub(crate) same_words: bool,
    /// The words of the text come from the beginning of the earlier one, not from all over it.
    pub(crate) is_version: bool,
    /// Both texts end with the same words.
    pub(crate) ends_alike: bool,
    /// The earlier text ends with a line end and the broken one does not.
    pub(crate) stops: bool,
    /// The words of the broken text and of the earlier one, in bytes.
    pub(crate) words: Vec<Range<usize>>,
    pub(crate) old_words: Vec<Range<usize>>,
    /// For each word of the broken text, its partner in the earlier one, ascending; otherwise [`NONE`].
    pub(crate) partner: Vec<u32>,
    /// For each word of the broken text, whether its partner is no chance.
    firm: Vec<bool>,
}

impl Alignment {
    /// The word is in a line of the earlier text, or in a row of several words of it.
    pub(crate) fn is_firm(&self, word: usize) -> bool {
        self.same_words || self.firm.get(word).copied().unwrap_or(true)
    }
}

/// Matches `earlier` with `text`.
pub(crate) fn align(earlier: &str, text: &str) -> Alignment {
    let (old, new) = (Words::of(earlier), Words::of(text));
    let Matched { partner, known } = match_words(&old, &new);
    let mut alignment = Alignment { stops: earlier.ends_with('\n') && !text.ends_with('\n'), ..Alignment::default() };
    let matched = partner.iter().filter(|&&other| other != NONE).count();
    let reach = partner.iter().rev().find(|&&other| other != NONE).map_or(0, |&other| other as usize + 1);
    alignment.is_version = matched * 2 > reach;
    alignment.common = matched as f32 / new.spans.len().max(old.spans.len()).max(1) as f32;
    alignment.kept = matched as f32 / new.spans.len().max(1) as f32;
    let runs = runs(&partner);
    alignment.went_on = went_on((earlier, &old), (text, &new), &partner, &runs);
    let ends = partner.last().is_some_and(|&other| other as usize + 1 == old.spans.len());
    alignment.ends_alike = ends && (known.last() == Some(&true) || runs.last().is_some_and(|&run| run > 1));
    let same_words = matched == new.spans.len() && matched == old.spans.len() && renamed_alike(&old, &new, &partner);
    alignment.same_words = same_words;
    // Gap `index` is before word `index`; the last one is after the last word.
    for index in 0..=new.spans.len() {
        let before = if index == 0 {
            Some(0)
        } else {
            Some(partner[index - 1]).filter(|&at| at != NONE).map(|at| at as usize + 1)
        };
        let after = if index == new.spans.len() {
            Some(old.spans.len())
        } else {
            Some(partner[index]).filter(|&at| at != NONE).map(|at| at as usize)
        };
        let (Some(before), Some(after)) = (before, after) else { continue };
        let (was, is) = (old.gap(earlier, before), new.gap(text, index));
        let (old_gap, new_gap) = (&earlier[was], &text[is.clone()]);
        if before != after || differs_by_a_datum(old_gap, new_gap) {
            continue;
        }
        let said = |word: usize| known.get(word).copied().unwrap_or(true);
        let indent =
            |words: &Words, at: Option<usize>| at.and_then(|at| words.indents.get(at)).copied().map_or(0, i64::from);
        let step = |words: &Words, at: usize| indent(words, Some(at)) - indent(words, at.checked_sub(1));
        let moved = (old_gap.contains('\n') || new_gap.contains('\n') || index == 0 || index == new.spans.len())
            && step(&old, before) != step(&new, index);
        let run = runs[index.saturating_sub(1)].min(runs[index.min(runs.len().saturating_sub(1))]) as f32;
        let sure = same_words || (index.checked_sub(1).is_none_or(said) && said(index) && !moved);
        if delimiters(old_gap).eq(delimiters(new_gap)) {
            let cost = match (sure, moved) {
                (true, _) => (run * KNOWN_BY_WORD).min(KNOWN_RIGHT),
                (false, false) => (run * KNOWN_BY_WORD).min(NEW_LINE),
                (false, true) => 0.0,
            };
            alignment.surviving.push((is, cost));
        } else {
            alignment.differing.push(Gap { edit: replace(text, is, &restored(old_gap, new_gap)), sure });
        }
    }
    let in_a_row = |(word, known): (usize, &bool)| *known || runs[word] >= FEW_WORDS;
    alignment.firm = known.iter().enumerate().map(in_a_row).collect();
    (alignment.words, alignment.old_words, alignment.partner) = (new.spans, old.spans, partner);
    alignment
}

/// Cuts both texts before forms that are in both, so that a fault in one part does not concern the others. `starts` are
/// the offsets at which the forms of `earlier` begin, ascending. A form is the same if the words of its first line are
/// the same and it begins in column 0.
pub(crate) fn parts(earlier: &str, text: &str, starts: &[usize]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut parts = Vec::new();
    let (mut old_from, mut new_from) = (0, 0);
    if starts.len() > 1 {
        let (old, new) = (Words::of(earlier), Words::of(text));
        let Matched { partner, known } = match_words(&old, &new);
        for (index, &other) in partner.iter().enumerate().filter(|(index, _)| known[*index]) {
            let span = &old.spans.get(other as usize);
            let Some(word) = span else { continue };
            let after = (other as usize).checked_sub(1).map_or(0, |before| old.spans[before].end);
            let at = starts.partition_point(|&start| start < after);
            let Some(&old_start) = starts.get(at).filter(|&&start| start <= word.start) else { continue };
            let gap = new.gap(text, index);
            let Some(line) = text[gap.clone()].rfind('\n').map(|at| gap.start + at + 1) else { continue };
            let own_line = |text: &str, at: usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
            let same = text.as_bytes().get(line) == earlier.as_bytes().get(old_start);
            if same && own_line(earlier, old_start) && old_start > old_from && line > new_from {
                parts.push((old_from..old_start, new_from..line));
                (old_from, new_from) = (old_start, line);
            }
        }
    }
    parts.push((old_from..earlier.len(), new_from..text.len()));
    parts
}

/// [`Alignment::went_on`], if the last words of the broken text are neighbours in the earlier one.
fn went_on(
    (earlier, old): (&str, &Words),
    (text, new): (&str, &Words),
    partner: &[u32],
    runs: &[u32],
) -> Option<Range<usize>> {
    let last = partner.len().checked_sub(1)?;
    let next = partner[last].checked_add(1)? as usize;
    let (is, was) = (&text[new.gap(text, last + 1)], old.gap(earlier, next));
    // A text that closes more than before does not stop in the middle of the earlier one.
    let closes_no_more = delimiters(is).zip(delimiters(&earlier[was.clone()])).all(|(is, was)| is == was)
        && delimiters(is).count() <= delimiters(&earlier[was.clone()]).count();
    (next < old.spans.len() && closes_no_more && runs[last] >= (FEW_WORDS).min(partner.len() as u32)).then_some(was)
}

/// Every old word has become the same new word in all places.
fn renamed_alike(old: &Words, new: &Words, partner: &[u32]) -> bool {
    let mut names: FxHashMap<u64, u64> = FxHashMap::default();
    let mut pairs = partner.iter().zip(&new.hashes);
    pairs.all(|(&other, &name)| *names.entry(old.hashes[other as usize]).or_insert(name) == name)
}

/// For every new word, the length of the run of words around it that are in the same order in both texts.
fn runs(partner: &[u32]) -> Vec<u32> {
    let mut runs = vec![0; partner.len().max(1)];
    let mut start = 0;
    for index in 0..partner.len() {
        let goes_on = index > start && partner[index] != NONE && partner[index] == partner[index - 1].wrapping_add(1);
        if !goes_on {
            start = index;
        }
        let ends = partner.get(index + 1).is_none_or(|&next| next == NONE || next != partner[index].wrapping_add(1));
        if ends && partner[index] != NONE {
            runs[start..=index].fill((index + 1 - start) as u32);
        }
    }
    runs
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"' | '|' | '\\')
}

/// Empty lists, which are data, were added or removed. Where some are gone and more differs than they, they have lost a
/// delimiter and nothing else.
fn differs_by_a_datum(old_gap: &str, new_gap: &str) -> bool {
    let (old, new): (String, String) = (delimiters(old_gap).collect(), delimiters(new_gap).collect());
    let gone = empty_lists(&old).cmp(&empty_lists(&new));
    gone.is_lt() || (gone.is_gt() && (without_empty_lists(&old) == without_empty_lists(&new)))
}

const EMPTY_LISTS: [&str; 3] = ["()", "[]", "{}"];

/// The number of empty lists among delimiters.
fn empty_lists(delimiters: &str) -> usize {
    EMPTY_LISTS.iter().map(|list| delimiters.matches(list).count()).sum()
}

fn without_empty_lists(delimiters: &str) -> String {
    EMPTY_LISTS.iter().fold(delimiters.to_owned(), |rest, list| rest.replace(list, ""))
}

/// The character is a prefix of a datum, which counts as a word by itself.
fn is_prefix(c: char) -> bool {
    matches!(c, '\'' | '`' | ',')
}

fn delimiters(gap: &str) -> impl Iterator<Item = char> + '_ {
    gap.chars().filter(|c| !c.is_whitespace())
}

/// The gap with the delimiters of `old` and the white space of `new`.
fn restored(old: &str, new: &str) -> String {
    let blanks = |gap: &str| gap.chars().filter(|c| c.is_whitespace()).collect::<String>();
    let blank = |gap: &str| gap.chars().any(char::is_whitespace);
    if blanks(old) == blanks(new) || !blank(old) || !blank(new) {
        return old.to_owned();
    }
    // Closers stay before the white space, openers after it.
    let front = old.split(char::is_whitespace).next().unwrap_or_default();
    let back = old.rsplit(char::is_whitespace).next().unwrap_or_default();
    let middle: String = delimiters(&old[front.len()..old.len() - back.len()]).collect();
    let first = new.find(char::is_whitespace).unwrap_or(new.len());
    let last = new.rfind(char::is_whitespace).map_or(0, |at| at + new[at..].chars().next().map_or(0, char::len_utf8));
    let space: String = new[first..last].chars().filter(|c| c.is_whitespace()).collect();
    if middle.is_empty() { format!("{front}{space}{back}") } else { format!("{front}{space}{middle}{back}") }
}

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Self {
            spans: Vec::new(),
            hashes: Vec::new(),
            indents: Vec::new(),
            lines: Vec::new(),
            line_hashes: Vec::new(),
        };
        let mut start = None;
        let mut line_start = 0;
        let (mut indent, mut blank) = (0, true);
        let ends = std::iter::once((text.len(), '\n'));
        for (at, c) in text.char_indices().chain(ends) {
            match c {
                ' ' | '\t' if blank => indent += 1,
                _ => blank = false,
            }
            let inside = !c.is_whitespace() && !is_delimiter(c);
            if inside && !is_prefix(c) {
                start.get_or_insert(at);
                continue;
            }
            if let Some(start) = start.take() {
                words.push(&text[start..at], start, indent);
            }
            if inside {
                words.push(&text[at..at + 1], at, indent);
            }
            if c == '\n' {
                (indent, blank) = (0, true);
                if line_start < words.spans.len() {
                    let line = line_start..words.spans.len();
                    words.line_hashes.push(hash(&words.hashes[line.clone()]));
                    words.lines.push(line);
                }
                line_start = words.spans.len();
            }
        }
        words
    }

    /// Adds a word, unless it is the mark of a block comment or of a datum that is commented out: those are delimiters.
    fn push(&mut self, word: &str, start: usize, indent: u32) {
        if matches!(word, "#" | "#;" | "#_") {
            return;
        }
        self.spans.push(start..start + word.len());
        self.hashes.push(hash(word));
        self.indents.push(indent);
    }

    /// The bytes between word `index - 1` and word `index`.
    fn gap(&self, text: &str, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.spans[before].end);
        let end = self.spans.get(index).map_or(text.len(), |span| span.start);
        start..end
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The new words that are in the old text.
struct Matched {
    /// For every new word, its old partner, ascending.
    partner: Vec<u32>,
    /// For every new word, whether its whole line is in the old text.
    known: Vec<bool>,
}

fn match_words(old: &Words, new: &Words) -> Matched {
    let mut partner = vec![NONE; new.spans.len()];
    let mut known = vec![false; new.spans.len()];
    let lines = match_lines(&old.line_hashes, &new.line_hashes);
    let (mut old_from, mut new_from) = (0, 0);
    let ends = std::iter::once((old.lines.len(), new.lines.len()));
    for (old_line, new_line) in lines.into_iter().chain(ends) {
        let old_words = old.lines.get(old_line).cloned().unwrap_or(old.spans.len()..old.spans.len());
        let new_words = new.lines.get(new_line).cloned().unwrap_or(new.spans.len()..new.spans.len());
        let between = (old_from..old_words.start, new_from..new_words.start);
        for (a, b) in common_words(&old.hashes[between.0.clone()], &new.hashes[between.1.clone()]) {
            partner[between.1.start + b] = (between.0.start + a) as u32;
        }
        for (a, b) in old_words.clone().zip(new_words.clone()) {
            partner[b] = a as u32;
        }
        known[new_words.clone()].fill(true);
        (old_from, new_from) = (old_words.end, new_words.end);
    }
    pair_renamed(&mut partner, old.spans.len());
    Matched { partner, known }
}

/// Pairs a few unmatched words between matched ones if there were as many before: they were renamed.
fn pair_renamed(partner: &mut [u32], old_count: usize) {
    let mut index = 0;
    while index < partner.len() {
        if partner[index] != NONE {
            index += 1;
            continue;
        }
        let end = partner[index..].iter().position(|&other| other != NONE).map_or(partner.len(), |at| index + at);
        let old_start = index.checked_sub(1).map_or(0, |before| partner[before] as usize + 1);
        let old_end = partner.get(end).map_or(old_count, |&other| other as usize);
        if old_end.checked_sub(old_start) == Some(end - index) && end - index <= MOST_RENAMED {
            for (at, own) in partner[index..end].iter_mut().enumerate() {
                *own = (old_start + at) as u32;
            }
        }
        index = end;
    }
}

/// Pairs of equal lines, ascending on both sides: equal lines at both ends, unique lines, and the lines beside those.
fn match_lines(old: &[u64], new: &[u64]) -> Vec<(usize, usize)> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|at| (at, at)).collect();
    let (old_end, new_end) = (old.len() - back, new.len() - back);
    let anchors = unique_pairs(&old[front..old_end], &new[front..new_end]);
    let (mut a, mut b) = (front, front);
    for (old_at, new_at) in anchors.into_iter().map(|(x, y)| (x + front, y + front)).chain([(old_end, new_end)]) {
        if old_at < a || new_at < b {
            continue;
        }
        // Forward from the pair before, then backward from this one.
        while a < old_at && b < new_at && old[a] == new[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        }
        let mut behind = 0;
        while a + behind < old_at && b + behind < new_at && old[old_at - behind - 1] == new[new_at - behind - 1] {
            behind += 1;
        }
        pairs.extend((1..=behind).rev().map(|k| (old_at - k, new_at - k)));
        if old_at < old_end && new_at < new_end {
            pairs.push((old_at, new_at));
        }
        (a, b) = (old_at + 1, new_at + 1);
    }
    pairs.extend((0..back).map(|k| (old_end + k, new_end + k)));
    pairs
}

/// The longest ascending sequence of lines that occur once on each side.
fn unique_pairs(old: &[u64], new: &[u64]) -> Vec<(usize, usize)> {
    let mut places: FxHashMap<u64, (u32, u32, usize, usize)> = FxHashMap::default();
    for (at, &line) in old.iter().enumerate() {
        let entry = places.entry(line).or_default();
        (entry.0, entry.2) = (entry.0 + 1, at);
    }
    for (at, &line) in new.iter().enumerate() {
        let entry = places.entry(line).or_default();
        (entry.1, entry.3) = (entry.1 + 1, at);
    }
    let mut pairs: Vec<(usize, usize)> =
        places.values().filter(|entry| entry.0 == 1 && entry.1 == 1).map(|entry| (entry.2, entry.3)).collect();
    pairs.sort_unstable_by_key(|pair| pair.1);
    // Patience sorting: `tails` has the top of each pile, `before` the predecessor of each pair.
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; pairs.len()];
    for index in 0..pairs.len() {
        let pile = tails.partition_point(|&top| pairs[top].0 < pairs[index].0);
        before[index] = pile.checked_sub(1).map_or(usize::MAX, |left| tails[left]);
        if pile == tails.len() { tails.push(index) } else { tails[pile] = index }
    }
    let mut chain = Vec::new();
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        chain.push(pairs[at]);
        at = before[at];
    }
    chain.reverse();
    chain
}

/// Equal words of two short runs, by the shortest edit script (Myers 1986); none if the runs are too different.
fn common_words(old: &[u64], new: &[u64]) -> Vec<(usize, usize)> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|at| (at, at)).collect();
    let (a, b) = (&old[front..old.len() - back], &new[front..new.len() - back]);
    pairs.extend(script(a, b).into_iter().map(|(x, y)| (x + front, y + front)));
    pairs.extend((0..back).map(|k| (old.len() - back + k, new.len() - back + k)));
    pairs
}

fn script(old: &[u64], new: &[u64]) -> Vec<(usize, usize)> {
    if old.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let most = (old.len() + new.len()).min(MOST_DIFFERENCES);
    let middle = most as isize + 1;
    let mut reach = vec![0isize; 2 * middle as usize + 1];
    let mut history: Vec<Vec<isize>> = Vec::new();
    let (n, m) = (old.len() as isize, new.len() as isize);
    for d in 0..=most as isize {
        history.push(reach[(middle - d - 1).max(0) as usize..=(middle + d + 1) as usize].to_vec());
        let mut k = -d;
        while k <= d {
            let at = |k: isize| (middle + k) as usize;
            let down = k == -d || (k != d && reach[at(k - 1)] < reach[at(k + 1)]);
            let mut x = if down { reach[at(k + 1)] } else { reach[at(k - 1)] + 1 };
            while x < n && x - k < m && x - k >= 0 && old[x as usize] == new[(x - k) as usize] {
                x += 1;
            }
            reach[at(k)] = x;
            if x >= n && x - k >= m {
                return walk_back(&history, d, n, m);
            }
            k += 2;
        }
    }
    Vec::new()
}

fn walk_back(history: &[Vec<isize>], distance: isize, n: isize, m: isize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut x, mut y) = (n, m);
    for d in (0..=distance).rev() {
        let reach = |k: isize| history[d as usize].get((k + d + 1) as usize).copied().unwrap_or(0);
        let k = x - y;
        let down = k == -d || (k != d && reach(k - 1) < reach(k + 1));
        let from = if down { k + 1 } else { k - 1 };
        let start_x = if d == 0 { 0 } else { reach(from) };
        let start_y = if d == 0 { 0 } else { start_x - from };
        let (begin_x, begin_y) = if d == 0 {
            (0, 0)
        } else if down {
            (start_x, start_y + 1)
        } else {
            (start_x + 1, start_y)
        };
        while x > begin_x && y > begin_y {
            x -= 1;
            y -= 1;
            pairs.push((x as usize, y as usize));
        }
        (x, y) = (start_x, start_y);
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::text::edit::apply;

    fn restore(earlier: &str, text: &str) -> String {
        let edits: Vec<TextEdit> = align(earlier, text).differing.into_iter().map(|gap| gap.edit).collect();
        apply(text, &edits)
    }

    #[test]
    fn a_lost_closer_goes_back_where_it_was() {
        let earlier = "(let ((a 1)\n      (b 2))\n  (+ a b))";
        assert_eq!(restore(earlier, "(let ((a 1)\n      (b 2)\n  (+ a b))"), earlier);
        let renamed = "(let ((a 1)\n      (bee 2)\n  (+ a bee))";
        assert_eq!(restore(earlier, renamed), "(let ((a 1)\n      (bee 2))\n  (+ a bee))");
    }

    #[test]
    fn a_lost_quote_goes_back_where_it_was() {
        assert_eq!(restore("(f \"a (b\" c)", "(f \"a (b c)"), "(f \"a (b\" c)");
    }

    #[test]
    fn new_indentation_is_kept() {
        assert_eq!(restore("(a (b)\n   (c))", "(a (b\n     (c))"), "(a (b)\n     (c))");
    }

    #[test]
    fn moved_and_repeated_words_are_matched_in_order() {
        let pairs = common_words(&[1, 2, 3, 4, 5], &[1, 9, 3, 5]);
        assert_eq!(pairs, [(0, 0), (2, 2), (4, 3)]);
        let pairs = common_words(&[7, 1, 2, 7, 3], &[1, 2, 8, 3, 9]);
        assert_eq!(pairs, [(1, 0), (2, 1), (4, 3)]);
    }
}

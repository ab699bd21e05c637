//! What the earlier text says about which closer ends which list.
//!
//! A list that is in both texts, opened before the same word, usually ends where it ended: after the same word. So the
//! places at which the lists of the earlier text ended are evidence even in lines that did not change, and an edit that
//! opens or loses a list moves them all by one if its other half was forgotten. A run of closers is a place: the gap
//! after a word. Which closer of a run ends which list does not matter.

use std::ops::Range;

use lispwright_syntax::{Delimiter, Language};

use crate::proposals::search::costs_as_it_is;
use crate::text::align::{Alignment, NONE};
use crate::text::code::{Token, tokens};
use crate::text::edit::TextEdit;
use crate::witnesses::habits::Habits;

/// A line of the earlier text that costs more than this is in a column that its nesting does not explain.
const ODD: f32 = 3.5;
/// More delimiters in a gap than this are compared only at its ends.
const LONGEST: usize = 48;

/// The end that a list of the earlier text had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ending {
    /// The gap, by the number of words before it.
    pub(crate) gap: u32,
    /// How likely it still ends there.
    pub(crate) hold: Hold,
}

/// How firmly a list is expected to end where it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Its words are in lines that did not change, and so is its closer.
    Firm,
    /// Its closer is gone, and nothing else changed there.
    Lost,
    /// Words around it match perhaps by chance, or something new follows it.
    Loose,
}

/// A gap between two words of the broken text that has a partner in the earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// Closers and openers that the gap has more than before; negative if it has fewer.
    pub(crate) closers: i32,
    pub(crate) openers: i32,
    /// Closers whose opener is gone.
    pub(crate) orphans: u32,
    /// The words on both sides are neighbours in the earlier text too.
    pub(crate) whole: bool,
    /// What the earlier text has there may be so by accident.
    pub(crate) doubtful: bool,
}

/// The lists of the earlier text in the broken one.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    /// For each token, the gap after it.
    pub(crate) gaps: Vec<u32>,
    /// For each token that opens a list of the earlier text, where that ended.
    pub(crate) endings: Vec<Option<Ending>>,
    /// By gap, what changed in it.
    pub(crate) changes: Vec<Change>,
    /// The first bytes of the tokens that begin lines as in the earlier text, ascending.
    pub(crate) lines: Vec<u32>,
    /// Those of the tokens that begin lines with the words of the earlier text, in whatever column.
    pub(crate) old_lines: Vec<u32>,
}

/// The delimiters of one text by gap.
struct Side {
    tokens: Vec<Token>,
    /// The indices of the delimiters, and where those of each gap begin.
    delimiters: Vec<u32>,
    starts: Vec<u32>,
    /// For each token, the gap after it.
    gaps: Vec<u32>,
    /// For each token, whether it is an end of an empty list, which is a datum.
    inner: Vec<bool>,
    /// For each word, whether it is code and not a comment.
    code: Vec<bool>,
}

impl Side {
    fn new(tokens: Vec<Token>, words: &[Range<usize>]) -> Self {
        let mut word = 0;
        let mut gaps = Vec::with_capacity(tokens.len());
        let mut code = vec![false; words.len()];
        let (mut delimiters, mut starts) = (Vec::new(), vec![0; words.len() + 2]);
        for (index, token) in tokens.iter().enumerate() {
            while let Some(span) = words.get(word).filter(|span| span.start < token.end as usize) {
                code[word] = span.end > token.start as usize;
                word += 1;
                starts[word] = delimiters.len() as u32;
            }
            gaps.push(word as u32);
            if token.delimiter().is_some() {
                delimiters.push(index as u32);
            }
        }
        for start in &mut starts[word + 1..] {
            *start = delimiters.len() as u32;
        }
        let mut inner = vec![false; tokens.len()];
        let mut open: Vec<u32> = Vec::new();
        for pair in delimiters.iter() {
            let token = &tokens[*pair as usize];
            if token.kind.is_open() {
                open.push(*pair);
            } else if let Some(opener) = open.pop().filter(|opener| gaps[*opener as usize] == gaps[*pair as usize]) {
                (inner[opener as usize], inner[*pair as usize]) = (true, true);
            }
        }
        Self { tokens, delimiters, starts, gaps, inner, code }
    }

    /// The delimiters of a gap.
    fn all(&self, gap: usize) -> &[u32] {
        let range = self.starts.get(gap).zip(self.starts.get(gap + 1));
        range.map_or(&[], |(from, to)| &self.delimiters[*from as usize..*to as usize])
    }

    /// The delimiters of a gap that do not make an empty list there.
    fn of(&self, gap: usize) -> Vec<u32> {
        self.all(gap).iter().copied().filter(|at| !self.inner[*at as usize]).collect()
    }

    /// The number of delimiters in a gap that make empty lists there.
    fn empty(&self, gap: usize) -> usize {
        self.all(gap).iter().filter(|at| self.inner[**at as usize]).count()
    }

    /// The word with which a token begins, or else the next one after it.
    fn next_word(&self, index: usize, words: &[Range<usize>]) -> usize {
        let start = self.tokens[index].start as usize;
        words[..self.gaps[index] as usize].partition_point(|word| word.start < start)
    }

    fn kind(&self, at: u32) -> (Option<Delimiter>, bool) {
        let token = &self.tokens[at as usize];
        (token.delimiter(), token.kind.is_open())
    }
}

impl Pairs {
    /// The lists of `before`, which balances, in `text` with these `own` tokens.
    pub(crate) fn of(
        before: &str,
        (text, own): (&str, &[Token]),
        alignment: &Alignment,
        habits: &Habits,
        language: &Language,
    ) -> Self {
        let old = Side::new(tokens(before, language), &alignment.old_words);
        let new = Side::new(own.to_vec(), &alignment.words);
        let gaps = gaps(alignment);
        let now = matched(&old, &new, &gaps);
        // The words of the earlier text that are still code.
        let mut kept = vec![false; alignment.old_words.len()];
        for (word, other) in alignment.partner.iter().enumerate().filter(|(_, other)| **other != NONE) {
            kept[*other as usize] = new.code[word];
        }
        let odd = odd_lines(&old.tokens, habits);
        let mut pairs = Self {
            gaps: Vec::new(),
            endings: vec![None; own.len()],
            changes: Vec::with_capacity(gaps.len()),
            lines: Vec::new(),
            old_lines: Vec::new(),
        };
        (pairs.lines, pairs.old_lines) = old_lines((before, &old, &odd), (text, &new), alignment);
        let (openers, doubtful) = (openers(&old.tokens), Doubtful::of(&old, &odd, &alignment.old_words));
        for (gap, (left, right)) in gaps.iter().enumerate() {
            let Some(left) = *left else {
                pairs.changes.push(Change::default());
                continue;
            };
            let (there, here, whole) = match Some(left) == *right {
                true => compared(&old, left, &new, gap),
                false => (old.of(left), new.of(gap), false),
            };
            let closing = here.iter().filter(|at| !new.kind(**at).1).count();
            let mut change = Change { whole, doubtful: doubtful.gaps[left], ..Change::default() };
            // The closers of the lists that ended here, innermost first.
            let ended: Vec<u32> = there.iter().copied().filter(|at| !old.kind(*at).1).collect();
            if change.whole && !change.doubtful {
                change.closers = closing as i32 - ended.len() as i32;
                change.openers = (here.len() - closing) as i32 - (there.len() - ended.len()) as i32;
            }
            let opened = || ended.iter().map(|at| openers[*at as usize]).filter(|opener| *opener != NONE);
            // The head of the list is gone with its opener.
            let gone = |opener: &u32| {
                let head = old.next_word(*opener as usize, &alignment.old_words);
                now[*opener as usize] == NONE && !kept.get(head).is_some_and(|kept| *kept)
            };
            let orphans = opened().filter(gone).count();
            let alive: Vec<(u32, bool)> = opened()
                .map(|opener| (now[opener as usize], doubtful.lists[opener as usize]))
                .filter(|(own, _)| *own != NONE)
                .collect();
            change.orphans = closing.saturating_sub(alive.len()).min(orphans) as u32;
            for (place, (opener, doubtful)) in alive.into_iter().enumerate() {
                let word = new.gaps[opener as usize] as usize;
                let sure = gap.checked_sub(1).is_none_or(|word| alignment.is_firm(word)) && alignment.is_firm(word);
                // What is new there may be in any list whose closers moved behind it.
                let may_move = place > 0 && !change.whole && closing < ended.len();
                let hold = match (place < closing, sure && !doubtful, change.whole) {
                    (true, true, _) if !may_move => Hold::Firm,
                    (false, true, true) => Hold::Lost,
                    _ => Hold::Loose,
                };
                pairs.endings[opener as usize] = Some(Ending { gap: gap as u32, hold });
            }
            pairs.changes.push(change);
        }
        pairs.gaps = new.gaps;
        pairs
    }

    /// The tokens, which are of the whole text, with the marks of lines that are as in the earlier text.
    pub(crate) fn settled(&self, tokens: &[Token]) -> Vec<Token> {
        let mut marked = tokens.to_vec();
        settle(&mut marked, self.lines.iter().copied(), &[]);
        for token in places(&marked, self.old_lines.iter().copied(), &[]) {
            marked[token].old = true;
        }
        marked
    }
}

/// For each gap of the broken text, the gap of the earlier text after the same word, and the one before the same word.
fn gaps(alignment: &Alignment) -> Vec<(Option<usize>, Option<usize>)> {
    let count = alignment.partner.len();
    let matched = |at: usize| Some(alignment.partner[at]).filter(|other| *other != NONE).map(|other| other as usize);
    let left = |gap: usize| if gap == 0 { Some(0) } else { matched(gap - 1).map(|word| word + 1) };
    let right = |gap: usize| if gap == count { Some(alignment.old_words.len()) } else { matched(gap) };
    (0..=count).map(|gap| (left(gap), right(gap))).collect()
}

/// The delimiters of a gap of the earlier text and of its partner that are compared, and whether they can be: empty
/// lists are data, unless they have lost a delimiter.
fn compared(old: &Side, left: usize, new: &Side, gap: usize) -> (Vec<u32>, Vec<u32>, bool) {
    let (there, here) = (old.of(left), new.of(gap));
    let gone = old.empty(left).cmp(&new.empty(gap));
    let same = || there.iter().map(|at| old.kind(*at)).eq(here.iter().map(|at| new.kind(*at)));
    match gone.is_gt() && !same() {
        true => (old.all(left).to_vec(), new.all(gap).to_vec(), true),
        false => (there, here, gone.is_eq()),
    }
}

/// For each token of the earlier text, the same delimiter in the broken one; otherwise [`NONE`].
fn matched(old: &Side, new: &Side, gaps: &[(Option<usize>, Option<usize>)]) -> Vec<u32> {
    let mut now = vec![NONE; old.tokens.len()];
    let same = |a: u32, b: u32| old.kind(a) == new.kind(b);
    for (gap, (left, right)) in gaps.iter().enumerate() {
        let mut here = new.of(gap);
        let mut used = 0;
        if let Some(left) = left {
            let mut there = old.of(*left);
            let pairs = match Some(left) == right.as_ref() {
                true => {
                    (there, here, _) = compared(old, *left, new, gap);
                    common(&there, &here, same)
                }
                false => (0..alike(there.iter().zip(&here), same)).map(|at| (at, at)).collect(),
            };
            pairs.iter().for_each(|(a, b)| now[there[*a] as usize] = here[*b]);
            used = pairs.len();
        }
        if let Some(right) = right.filter(|_| left != right) {
            let there = old.of(right);
            let back = there.iter().rev().zip(here[used..].iter().rev());
            let count = alike(back.clone(), same);
            back.take(count).for_each(|(a, b)| now[*a as usize] = *b);
        }
    }
    now
}

/// The number of pairs that are the same, up to the first that are not.
fn alike<'a>(pairs: impl Iterator<Item = (&'a u32, &'a u32)>, same: impl Fn(u32, u32) -> bool) -> usize {
    pairs.take_while(|(a, b)| same(**a, **b)).count()
}

/// Marks the tokens of a text that begin unchanged lines. `lines` are their first bytes before `edits` were made.
pub(crate) fn settle(tokens: &mut [Token], lines: impl Iterator<Item = u32>, edits: &[TextEdit]) {
    for index in places(tokens, lines, edits) {
        tokens[index].settled = true;
    }
}

/// The indices of the tokens that begin `lines`, which are their first bytes before `edits` were made.
pub(crate) fn places(tokens: &[Token], lines: impl Iterator<Item = u32>, edits: &[TextEdit]) -> Vec<usize> {
    let mut edits = edits.iter().peekable();
    let mut moved = 0;
    let place = |line| {
        while let Some(edit) = edits.next_if(|edit| edit.at <= line) {
            moved += edit.inserted.len() as i64 - edit.removed.len() as i64;
        }
        let at = u32::try_from(i64::from(line) + moved).unwrap_or_default();
        let index = tokens.binary_search_by_key(&at, |token| token.start).ok()?;
        tokens[index].opens_line.then_some(index)
    };
    lines.filter_map(place).collect()
}

/// The tokens of a sound text that begin lines in columns which contradict its nesting.
fn odd_lines(tokens: &[Token], habits: &Habits) -> Vec<bool> {
    let costs = costs_as_it_is(tokens, habits, false).unwrap_or_default();
    let mut odd = vec![false; tokens.len()];
    let (mut depth, mut base) = (0, 0);
    for (index, token) in tokens.iter().enumerate() {
        let unlikely = || costs.get(index).is_some_and(|cost| *cost > ODD);
        odd[index] = token.opens_line && if depth > 0 { unlikely() } else { index > 0 && token.place > base };
        if depth == 0 {
            base = token.place;
        }
        depth += i64::from(token.kind.is_open()) - i64::from(token.kind.is_close());
    }
    odd
}

/// What of the earlier text may be so by accident.
struct Doubtful {
    /// By token, the lists that are open at an odd line, or end right before one.
    lists: Vec<bool>,
    /// By gap, the ends of such lists, and what is right before an odd line.
    gaps: Vec<bool>,
}

impl Doubtful {
    fn of(old: &Side, odd: &[bool], words: &[Range<usize>]) -> Self {
        let mut doubtful = Self { lists: vec![false; old.tokens.len()], gaps: vec![false; words.len() + 1] };
        let (mut open, mut closed): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        // A datum at top level began with an odd line.
        let mut fallen_out = false;
        for (index, token) in old.tokens.iter().enumerate() {
            if odd[index] {
                open.iter().chain(&closed).for_each(|list| doubtful.lists[*list] = true);
                doubtful.gaps[index.checked_sub(1).map_or(0, |before| old.gaps[before] as usize)] = true;
                doubtful.gaps[old.next_word(index, words)] = true;
                fallen_out |= open.is_empty();
            }
            if token.kind.is_close() {
                closed.extend(open.pop());
            } else if !token.kind.is_prefix() {
                closed.clear();
            }
            if token.kind.is_open() {
                open.push(index);
            }
            if open.is_empty() && !token.kind.is_prefix() {
                doubtful.gaps[old.gaps[index] as usize] |= fallen_out;
                fallen_out = false;
            }
        }
        for (closer, opener) in openers(&old.tokens).into_iter().enumerate().filter(|(_, opener)| *opener != NONE) {
            doubtful.gaps[old.gaps[closer] as usize] |= doubtful.lists[opener as usize];
        }
        doubtful
    }
}

/// The tokens of the new text that begin lines with the words that they had: those that are in the same column, and all.
fn old_lines(
    (before, old, odd): (&str, &Side, &[bool]),
    (text, new): (&str, &Side),
    alignment: &Alignment,
) -> (Vec<u32>, Vec<u32>) {
    let blank = |text: &str, at: usize| {
        let line = &text[text[..at].rfind('\n').map_or(0, |line| line + 1)..at];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    };
    let mut odd_words = vec![false; alignment.old_words.len() + 1];
    for index in (0..odd.len()).filter(|index| odd[*index]) {
        odd_words[old.next_word(index, &alignment.old_words)] = true;
    }
    let known = |index: usize| {
        let word = new.next_word(index, &alignment.words);
        let partner = alignment.partner.get(word).copied().filter(|other| *other != NONE)? as usize;
        let (own, other) = (alignment.words[word].start, alignment.old_words[partner].start);
        let settled = !odd_words[partner] && blank(text, own) == blank(before, other);
        alignment.is_firm(word).then(|| (new.tokens[index].start, settled))
    };
    let lines = (0..new.tokens.len()).filter(|index| new.tokens[*index].opens_line).filter_map(known);
    let lines: Vec<(u32, bool)> = lines.collect();
    (
        lines.iter().filter(|(_, settled)| *settled).map(|(at, _)| *at).collect(),
        lines.iter().map(|(at, _)| *at).collect(),
    )
}

/// For each closer of a sound text, the index of its opener.
fn openers(tokens: &[Token]) -> Vec<u32> {
    let mut open = Vec::new();
    let mut found = vec![NONE; tokens.len()];
    for (index, token) in tokens.iter().enumerate() {
        if token.kind.is_open() {
            open.push(index as u32);
        } else if token.kind.is_close()
            && let Some(opener) = open.pop()
        {
            found[index] = opener;
        }
    }
    found
}

/// The longest common subsequence of two gaps, as pairs of indices; of long ones, only what is the same at both ends.
fn common(old: &[u32], new: &[u32], same: impl Fn(u32, u32) -> bool) -> Vec<(usize, usize)> {
    let front = old.iter().zip(new).take_while(|(a, b)| same(**a, **b)).count();
    let most = old.len().min(new.len()) - front;
    let back = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| same(**a, **b)).count();
    let (a, b) = (&old[front..old.len() - back], &new[front..new.len() - back]);
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|at| (at, at)).collect();
    if !a.is_empty() && !b.is_empty() && a.len().max(b.len()) <= LONGEST {
        let width = b.len() + 1;
        let mut longest = vec![0u32; (a.len() + 1) * width];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                longest[i * width + j] = match same(a[i], b[j]) {
                    true => longest[(i + 1) * width + j + 1] + 1,
                    false => longest[(i + 1) * width + j].max(longest[i * width + j + 1]),
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < a.len() && j < b.len() {
            if same(a[i], b[j]) {
                pairs.push((front + i, front + j));
                (i, j) = (i + 1, j + 1);
            } else if longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    pairs.extend((0..back).map(|at| (old.len() - back + at, new.len() - back + at)));
    pairs
}

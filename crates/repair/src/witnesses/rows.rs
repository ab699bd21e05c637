//! Lines that are alike: the rows of a table, clauses, bindings, calls below each other.
//!
//! Who writes `["Open" (open) t]` above and below wrote `["News" (news) t]` between them. Lines with the same kinds of
//! words in the same column have the same brackets between them nearly always, so the one that differs is the fault, and
//! an answer after which it still differs is as unlikely as such lines are rare in sound code.

use std::ops::Range;

use lispwright_syntax::TokenKind;

use crate::text::code::Token;
use crate::text::edit::TextEdit;

/// Lines farther away than this are not compared.
const REACH: u32 = 12;
/// A line has so many words at least if it is to be compared, and at most.
const WORDS: std::ops::RangeInclusive<usize> = 3..=16;
/// The cost of a line that differs from all lines that are alike, by their number: `-ln` of the share of such lines in public
/// code. Each for lines that begin with the same word or share half of their words, and for others.
type Costs = [[f32; 4]; 2];
/// All lines end the lists that they begin, and those right before and after are alike.
const ODD_BETWEEN: Costs = [[5.5, 5.5, 6.5, 8.0], [5.2, 5.2, 5.5, 6.6]];
/// All lines end the lists that they begin.
const ODD_AMONG: Costs = [[3.7, 4.8, 5.8, 6.9], [2.5, 3.2, 4.0, 4.3]];
/// Some lists go on.
const ODD_OPEN: Costs = [[2.9, 4.0, 4.8, 6.2], [1.6, 2.6, 3.4, 4.5]];
/// A cost from which on the line shows what belongs into it.
pub(crate) const FIRM: f32 = 4.0;

/// The lines of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// The tokens that begin on each line that has some.
    lines: Vec<Range<usize>>,
}

/// What the lines around one say of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Likeness {
    /// The cost of a line that differs from them; 0 if they say nothing.
    pub(crate) weight: f32,
    /// The line has the brackets that they have.
    pub(crate) fits: bool,
}

impl Likeness {
    /// What the line costs.
    pub(crate) fn cost(&self) -> f32 {
        if self.fits { 0.0 } else { self.weight }
    }
}

impl Rows {
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let mut lines: Vec<Range<usize>> = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            match lines.last_mut().filter(|line| tokens[line.start].line == token.line) {
                Some(line) => line.end = index + 1,
                None => lines.push(index..index + 1),
            }
        }
        Self { lines }
    }

    /// What the lines around `line`, counted from 0, say of it after `edits`, which change none of them.
    pub(crate) fn likeness(&self, text: &str, tokens: &[Token], line: u32, edits: &[TextEdit]) -> Likeness {
        self.compared(text, tokens, (line, edits), false)
    }

    /// [`Rows::likeness`] for a line that is as it is, with any number of words and lists.
    pub(crate) fn likeness_of_any(&self, text: &str, tokens: &[Token], line: u32) -> Likeness {
        self.compared(text, tokens, (line, &[]), true)
    }

    /// The words and brackets of a line after `edits`, by kind.
    pub(crate) fn outline(&self, text: &str, tokens: &[Token], line: u32, edits: &[TextEdit]) -> Vec<u8> {
        let at = self.lines.partition_point(|range| tokens[range.start].line < line);
        let own = self.lines.get(at).filter(|range| tokens[range.start].line == line);
        own.map_or(Vec::new(), |range| skeleton(text, &tokens[range.clone()], edits).bytes)
    }

    fn compared(&self, text: &str, tokens: &[Token], (line, edits): (u32, &[TextEdit]), any: bool) -> Likeness {
        let none = Likeness::default();
        let at = self.lines.partition_point(|range| tokens[range.start].line < line);
        let Some(own) = self.lines.get(at).filter(|range| tokens[range.start].line == line) else { return none };
        let own = &tokens[own.clone()];
        let words: Vec<(u8, &str)> = words(text, own).collect();
        if words.is_empty() || !(any || WORDS.contains(&words.len())) {
            return none;
        }
        let near = |range: &&Range<usize>| tokens[range.start].line.abs_diff(line) <= REACH;
        let before = self.lines[..at].iter().rev().take_while(near);
        let after = self.lines[at + 1..].iter().take_while(near);
        let mut groups = [Group::default(), Group::default()];
        for other in before.chain(after).map(|range| &tokens[range.clone()]) {
            if other[0].column != own[0].column || edits.iter().any(|edit| touches(other, edit)) {
                continue;
            }
            let mut same = 0;
            let mut others = self::words(text, other);
            let alike = words.iter().enumerate().all(|(index, (kind, word))| {
                others.next().is_some_and(|(other_kind, other)| {
                    same += usize::from(other == *word);
                    // Another keyword takes another argument.
                    other_kind == *kind && (index == 0 || *kind != b':' || other == *word)
                })
            });
            if !alike || others.next().is_some() {
                continue;
            }
            let first = self::words(text, other).next().is_some_and(|(_, first)| first == words[0].1);
            let skeleton = skeleton(text, other, &[]);
            groups[1].take(&skeleton, other[0].line, line);
            if first || 2 * same >= words.len() {
                groups[0].take(&skeleton, other[0].line, line);
            }
        }
        let [near, all] = &groups;
        let (group, far) = if near.count > 0 { (near, 0) } else { (all, 1) };
        let has_lists = || group.skeleton.bytes.iter().any(|byte| b"([{".contains(byte));
        if group.count == 0 || group.differ || !(any || has_lists()) {
            return none;
        }
        let mended = skeleton(text, own, edits);
        let costs = match group.skeleton.depth == 0 && mended.depth == 0 {
            true if group.around == 2 => ODD_BETWEEN,
            true => ODD_AMONG,
            false => ODD_OPEN,
        };
        let costs = costs[far];
        Likeness { weight: costs[(group.count - 1).min(costs.len() - 1)], fits: mended == group.skeleton }
    }
}

/// Lines that are alike.
#[derive(Default)]
struct Group {
    count: usize,
    skeleton: Skeleton,
    differ: bool,
    /// The number of them that are right before or after the line.
    around: u32,
}

impl Group {
    /// Takes the line `at` for one that is like `line`.
    fn take(&mut self, skeleton: &Skeleton, at: u32, line: u32) {
        if self.count == 0 {
            self.skeleton = skeleton.clone();
        }
        self.differ |= self.skeleton != *skeleton;
        self.count += 1;
        self.around += u32::from(at.abs_diff(line) == 1);
    }
}

/// The edit is on the line of the tokens.
fn touches(line: &[Token], edit: &TextEdit) -> bool {
    let range = edit.range();
    line[0].start as usize <= range.end && range.start <= line[line.len() - 1].end as usize
}

/// The words of a line with their kinds.
fn words<'t>(text: &'t str, line: &'t [Token]) -> impl Iterator<Item = (u8, &'t str)> {
    line.iter().filter(|token| token.delimiter().is_none()).map(move |token| {
        let word = &text[token.start as usize..token.end as usize];
        (kind(token, word), word)
    })
}

/// Symbols, keywords, numbers, strings and each sort of mark before a datum.
fn kind(token: &Token, word: &str) -> u8 {
    match (token.kind, word.as_bytes().first().copied().unwrap_or(0)) {
        (kind, mark) if kind.is_prefix() => mark,
        (TokenKind::String, _) => b's',
        (TokenKind::Atom, mark @ (b':' | b'#' | b'&')) => mark,
        (TokenKind::Atom, first) if first.is_ascii_digit() => b'0',
        (TokenKind::Atom, _) => b'a',
        _ => b'c',
    }
}

/// The words and brackets of a line after `edits`, without closers of lists that begin on other lines.
fn skeleton(text: &str, line: &[Token], edits: &[TextEdit]) -> Skeleton {
    let mut found = Skeleton { bytes: Vec::with_capacity(line.len()), depth: 0 };
    let mut edits = edits.iter().filter(|edit| touches(line, edit)).peekable();
    let mut removed = 0..0;
    for token in line {
        while let Some(edit) = edits.next_if(|edit| edit.at <= token.start) {
            edit.inserted.bytes().for_each(|byte| found.take(byte));
            removed = edit.range();
        }
        if removed.contains(&(token.start as usize)) {
            continue;
        }
        let word = &text[token.start as usize..token.end as usize];
        match token.delimiter() {
            Some(_) => word.bytes().last().into_iter().for_each(|byte| found.take(byte)),
            None => found.bytes.push(kind(token, word)),
        }
    }
    edits.flat_map(|edit| edit.inserted.bytes()).for_each(|byte| found.take(byte));
    found
}

/// The words and brackets of a line, by kind.
#[derive(Clone, Debug, Default, PartialEq)]
struct Skeleton {
    bytes: Vec<u8>,
    /// The number of lists that go on after the line.
    depth: u32,
}

impl Skeleton {
    /// Takes a bracket.
    fn take(&mut self, byte: u8) {
        match byte {
            b'(' | b'[' | b'{' => self.depth += 1,
            b')' | b']' | b'}' if self.depth > 0 => self.depth -= 1,
            _ => return,
        }
        self.bytes.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use lispwright_syntax::Dialect;

    use super::*;
    use crate::text::code::tokens;
    use crate::text::edit::replace;

    /// What the other lines of `text` say of `line` after the words `from` are replaced by `to`.
    fn likeness(text: &str, line: u32, from: &str, to: &str) -> Likeness {
        let tokens = tokens(text, &Dialect::EmacsLisp.into());
        let at = text.find(from).unwrap_or(0);
        let edits = [replace(text, at..at + from.len(), to)];
        Rows::of(&tokens).likeness(text, &tokens, line, if from.is_empty() { &[] } else { &edits })
    }

    const MENU: &str = "'([\"A\" (fold) t]\n  [\"B\" (open) t]\n  [\"C\" (news t]\n  [\"D\" (about) t]))\n";

    #[test]
    fn a_row_that_differs_from_its_neighbours_costs() {
        let broken = likeness(MENU, 2, "", "");
        assert!(!broken.fits && broken.weight > 1.0, "{broken:?}");
        assert!(likeness(MENU, 2, "news t", "news) t").fits);
        assert!(!likeness(MENU, 2, "news t]", "news t)]").fits);
        assert!(likeness(MENU, 3, "news t", "news) t").fits, "closers of lists around the row do not count");
    }

    #[test]
    fn neighbours_that_differ_among_themselves_say_nothing() {
        let text = MENU.replace("(open) t", "(open t)");
        assert_eq!(likeness(&text, 2, "", ""), Likeness::default());
    }
}

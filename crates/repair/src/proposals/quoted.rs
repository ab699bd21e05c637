//! How likely a way to put back a quote is: by what is a string after it, and by what is code.
//!
//! After the right one, strings contain words and code contains symbols; a string begins after white space and ends before it
//! or before a closer, seldom runs over a line, and its line looks like those around it. Costs are `-ln` of how often that is
//! otherwise.

use std::collections::HashSet;
use std::ops::Range;

use lispwright_syntax::dialects::Square;
use lispwright_syntax::{Language, TokenKind};

use crate::proposals::search::costs_as_it_is;
use crate::text::code::{Token, name_of, tokens};
use crate::text::edit::TextEdit;
use crate::text::scope::chunks;
use crate::witnesses::habits::Habits;
use crate::witnesses::rows::Rows;

/// The costs of the sorts of faults: a lost closing quote, a lost opening one, a lost backslash before a quote inside a
/// string, and a quote that is one too many.
const CLOSING_LOST: f32 = 0.7;
const OPENING_LOST: f32 = 1.6;
const ESCAPE_LOST: f32 = 4.0;
const QUOTE_EXTRA: f32 = 3.0;
/// A backslash is put outside of strings, or a quote is taken that is not between others on its line.
const UNLIKELY: f32 = 7.0;

/// A string touches the word before it or after it.
const TOUCHES: f32 = 5.0;
/// It begins with white space, ends with it, is empty, or has nothing but marks.
const BLANK_FRONT: f32 = 2.5;
const BLANK_BACK: f32 = 1.2;
const EMPTY: f32 = 2.5;
const NO_WORD: f32 = 1.0;
/// It goes on on another line, and each of its lines that begins like code.
const GOES_ON: f32 = 2.5;
const LINE_OF_CODE: f32 = 2.0;
const ANOTHER_LINE: f32 = 0.3;
/// The most that the words of a line cost in code.
const PROSE: f32 = 4.0;
/// Its brackets do not balance.
const HALF_A_BRACKET: f32 = 2.5;
/// How much likelier the place is where a docstring usually ends.
const USUAL_PLACE: f32 = 3.0;
/// The most that a line gains which is like its neighbours.
const MOST_ALIKE: f32 = 6.0;
/// The costs of code by its columns and shapes count for so much, because the words depend on them.
const LAYOUT: f32 = 0.7;
/// The most that the beginning of one line costs.
const MOST_ODD: f32 = 3.0;

/// How many times likelier a word is in a string than in code, as a natural logarithm; negative if it is likelier in code.
const KEYWORD: f32 = -3.0;
const QUOTED: f32 = -2.0;
const DIRECTIVE: f32 = 3.0;
const PUNCTUATED: f32 = 2.5;
const CAPITAL: f32 = 1.5;
const SYMBOL: f32 = -0.5;
const COMPOUND: f32 = -0.3;
const WORD: f32 = 1.2;
const COMPOUND_SYMBOL: f32 = -2.5;
const AFTER_OPENER: f32 = -1.2;

/// The symbols of the text around the fault.
pub(super) struct Vocabulary<'a> {
    known: HashSet<&'a str>,
    habits: Habits,
    language: &'a Language,
}

impl<'a> Vocabulary<'a> {
    pub(super) fn new(around: impl Iterator<Item = &'a str>, habits: Habits, language: &'a Language) -> Self {
        let mut known = HashSet::new();
        for text in around {
            for token in tokens(text, language).iter().filter(|token| token.kind == TokenKind::Atom) {
                known.insert(&text[token.start as usize..token.end as usize]);
            }
        }
        Self { known, habits, language }
    }

    /// The cost of `tried`, which is a part of the text after `edit`, given the words of that part in code and in strings.
    /// `own` are its tokens, and `usual` says that a docstring usually ends at the edit.
    pub(super) fn cost(&self, tried: &str, own: &[Token], edit: &TextEdit, usual: bool) -> f32 {
        let bytes = tried.as_bytes();
        let at = edit.at as usize;
        let closes = || own.iter().any(|token| token.kind == TokenKind::String && token.end as usize == at + 1);
        let is_inside =
            || own.iter().any(|token| token.kind == TokenKind::String && token.start < edit.at && edit.at < token.end);
        let sort = match (edit.inserted.as_str(), edit.removed.is_empty()) {
            ("\"", true) if closes() => CLOSING_LOST,
            ("\"", true) => OPENING_LOST,
            (_, true) if is_inside() => ESCAPE_LOST,
            (_, false) if is_inside() => QUOTE_EXTRA,
            _ => UNLIKELY,
        };
        let strings = own.iter().filter(|token| token.kind == TokenKind::String && bytes[token.start as usize] == b'"');
        let strings: f32 = strings.map(|token| self.string(tried, token.start as usize..token.end as usize)).sum();
        let code = self.code(tried, own);
        let usual = if usual { USUAL_PLACE } else { 0.0 };
        sort + strings + code + LAYOUT * self.layout(own) - self.alike(tried, own, at) - usual
    }

    /// The cost of the words in code; of each line not more than [`PROSE`].
    fn code(&self, tried: &str, own: &[Token]) -> f32 {
        let (mut cost, mut line, mut of_line) = (0.0, u32::MAX, 0.0);
        for (index, token) in own.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Atom) {
            if token.line != line {
                cost += f32::min(of_line, PROSE);
                (line, of_line) = (token.line, 0.0);
            }
            let called = index > 0 && own[index - 1].kind.is_open();
            of_line += self.word(&tried[token.start as usize..token.end as usize], called).max(0.0);
        }
        cost + of_line.min(PROSE)
    }

    fn layout(&self, own: &[Token]) -> f32 {
        let forms = chunks(own);
        let costs = |own: &[Token]| costs_as_it_is(own, &self.habits, false).unwrap_or_default();
        let line = |(token, cost): (&Token, f32)| if token.opens_line { cost.min(MOST_ODD) } else { 0.0 };
        forms.iter().map(|form| &own[form.tokens.clone()]).flat_map(|own| own.iter().zip(costs(own)).map(line)).sum()
    }

    /// How much likelier the text is because the line at byte `at` is like its neighbours.
    fn alike(&self, tried: &str, own: &[Token], at: usize) -> f32 {
        let Some(token) = own.iter().find(|token| at <= token.end as usize) else { return 0.0 };
        let likeness = Rows::of(own).likeness_of_any(tried, own, token.line);
        if likeness.fits { likeness.weight.min(MOST_ALIKE) } else { -likeness.weight.min(MOST_ALIKE) }
    }

    fn string(&self, tried: &str, range: Range<usize>) -> f32 {
        let bytes = tried.as_bytes();
        let own = &tried[range.start + 1..range.end - 1];
        let free = |byte: Option<&u8>, others: &[u8]| {
            byte.is_none_or(|byte| byte.is_ascii_whitespace() || others.contains(byte))
        };
        let mut cost = 0.0;
        if !free(range.start.checked_sub(1).map(|at| &bytes[at]), b"([{'`,@#_") {
            cost += TOUCHES;
        }
        if !free(bytes.get(range.end), b")]};") {
            cost += TOUCHES;
        }
        cost += match own.as_bytes() {
            [] => EMPTY,
            [first, .., last] => {
                let (front, back) = (first.is_ascii_whitespace(), last.is_ascii_whitespace());
                (if front { BLANK_FRONT } else { 0.0 }) + if back { BLANK_BACK } else { 0.0 }
            }
            [_] => 0.0,
        };
        if !own.contains(char::is_alphanumeric) && !own.is_empty() {
            cost += NO_WORD;
        }
        let more = own.lines().skip(1).filter(|line| !line.trim().is_empty()).count();
        cost += if more > 0 { GOES_ON + ANOTHER_LINE * more as f32 } else { 0.0 };
        cost += LINE_OF_CODE * lines_of_code(own) as f32;
        let count = |brackets: [char; 3]| own.matches(brackets).count();
        if count(['(', '[', '{']) != count([')', ']', '}']) {
            cost += HALF_A_BRACKET;
        }
        let mut called = false;
        for word in own.split_inclusive(|c: char| c.is_whitespace() || "()[]{}\"".contains(c)) {
            let bare = word.trim_end_matches(|c: char| c.is_whitespace() || "()[]{}\"".contains(c));
            if !bare.is_empty() {
                cost += (-self.word(bare, called)).max(0.0);
            }
            called = word.ends_with(['(', '[', '{']);
        }
        cost
    }

    /// How many times likelier the word is in a string than in code, as a natural logarithm.
    fn word(&self, word: &str, called: bool) -> f32 {
        let keys = self.language.dialect().table().square;
        let word = self.language.known_head(word).unwrap_or(word);
        let ends = word.ends_with(['.', ',', ';', '!', '?', ':']) && word.starts_with(|c: char| c.is_alphabetic());
        let mut chars = word.chars();
        let first = chars.next().unwrap_or(' ');
        let plain = word.chars().all(char::is_alphabetic);
        let own = match first {
            ':' | '#' if word.len() > 1 => KEYWORD,
            '\'' | '`' => QUOTED,
            _ if word.contains('~') && word.len() < 6 => DIRECTIVE,
            '%' if word.len() < 4 => DIRECTIVE,
            _ if ends => PUNCTUATED,
            _ if word.chars().all(|c| !c.is_alphabetic()) => 0.0,
            _ if word.contains(['-', '*', '/']) && self.known.contains(word) => COMPOUND_SYMBOL,
            _ if self.known.contains(word) || self.is_operator(word) => SYMBOL,
            _ if plain && first.is_uppercase() => CAPITAL,
            _ if plain && word.len() < 3 => 0.0,
            _ if plain => WORD,
            _ if word.contains(['/', '.']) && keys != Square::Bindings => CAPITAL,
            _ => COMPOUND,
        };
        own + if called { AFTER_OPENER } else { 0.0 }
    }

    fn is_operator(&self, word: &str) -> bool {
        self.habits.is_operator(name_of(word.as_bytes()))
    }
}

/// The number of lines of a string after its first that look like code.
pub(super) fn lines_of_code(string: &str) -> usize {
    let begins =
        |line: &str| line.starts_with([' ', '\t']) && line.trim_start().starts_with(['(', '[', '{', ':', '\'', '#']);
    string.lines().skip(1).filter(|line| begins(line) || line.ends_with([')', ']', '}'])).count()
}

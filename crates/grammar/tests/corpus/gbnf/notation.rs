//! Parses GBNF text into a flat program.

use std::collections::{HashMap, HashSet};
use std::iter::Peekable;
use std::str::Chars;

/// A set of characters.
pub(crate) struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Set {
    pub(crate) fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|&(first, last)| first <= c && c <= last) != self.negated
    }

    /// The characters where membership in the set changes.
    pub(crate) fn changes(&self) -> impl Iterator<Item = char> {
        self.ranges.iter().flat_map(|&(first, last)| [Some(first), (last..=char::MAX).nth(1)]).flatten()
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Element {
    /// One character of the set with this index.
    Chars(usize),
    /// The rule with this index.
    Rule(usize),
    /// The alternative ends.
    End,
}

/// Every alternative of every rule, one after another.
#[derive(Default)]
pub(crate) struct Program {
    pub(crate) elements: Vec<Element>,
    pub(crate) sets: Vec<Set>,
    /// The starts of the alternatives of each rule.
    pub(crate) rules: Vec<Vec<usize>>,
    pub(crate) root: usize,
    names: HashMap<String, usize>,
}

impl Program {
    fn rule(&mut self, name: &str) -> usize {
        if let Some(&known) = self.names.get(name) {
            return known;
        }
        self.rules.push(Vec::new());
        self.names.insert(name.to_owned(), self.rules.len() - 1);
        self.rules.len() - 1
    }

    fn set(&mut self, negated: bool, ranges: Vec<(char, char)>) -> Element {
        self.sets.push(Set { negated, ranges });
        Element::Chars(self.sets.len() - 1)
    }

    fn add(&mut self, rule: usize, alternative: Vec<Element>) {
        self.rules[rule].push(self.elements.len());
        self.elements.extend(alternative);
        self.elements.push(Element::End);
    }

    /// A new rule for a group in the middle of another.
    fn add_unnamed(&mut self, alternatives: Vec<Vec<Element>>) -> Element {
        let rule = self.rule(&format!(" {}", self.rules.len()));
        for alternative in alternatives {
            self.add(rule, alternative);
        }
        Element::Rule(rule)
    }

    /// A rule that can derive itself at the beginning without a character before it.
    pub(crate) fn left_recursive(&self) -> Option<String> {
        let mut empty: HashSet<usize> = HashSet::new();
        loop {
            let can_be_empty = |rule: &usize| self.rules[*rule].iter().any(|&start| self.first(start, &empty).1);
            let found: HashSet<usize> = (0..self.rules.len()).filter(can_be_empty).collect();
            if found == empty {
                break;
            }
            empty = found;
        }
        let before = |rule: usize| self.rules[rule].iter().flat_map(|&start| self.first(start, &empty).0);
        let recursive = |rule: usize| {
            let (mut todo, mut seen): (Vec<usize>, _) = (before(rule).collect(), HashSet::new());
            while let Some(next) = todo.pop() {
                if seen.insert(next) {
                    todo.extend(before(next));
                }
            }
            seen.contains(&rule)
        };
        let mut names: Vec<&String> =
            self.names.iter().filter(|(_, rule)| recursive(**rule)).map(|(name, _)| name).collect();
        names.sort();
        names.last().map(|name| (*name).clone())
    }

    /// The rules an alternative can begin with, and whether it can be empty.
    fn first(&self, start: usize, empty: &HashSet<usize>) -> (Vec<usize>, bool) {
        let mut rules = Vec::new();
        for element in &self.elements[start..] {
            match element {
                Element::Chars(_) => return (rules, false),
                Element::End => break,
                Element::Rule(rule) => {
                    rules.push(*rule);
                    if !empty.contains(rule) {
                        return (rules, false);
                    }
                }
            }
        }
        (rules, true)
    }
}

/// Parses a grammar. Panics on anything else: the caller is a test.
pub(crate) fn parse(text: &str) -> Program {
    let mut program = Program::default();
    let mut reader = Reader { rest: text.chars().peekable(), program: &mut program };
    reader.space(true);
    while reader.rest.peek().is_some() {
        let name = reader.word();
        reader.space(false);
        for expected in "::=".chars() {
            assert_eq!(reader.rest.next(), Some(expected), "after the name {name}");
        }
        reader.space(true);
        let alternatives = reader.alternatives(false);
        let rule = reader.program.rule(&name);
        assert!(reader.program.rules[rule].is_empty(), "the rule {name} is there twice");
        for alternative in alternatives {
            reader.program.add(rule, alternative);
        }
        assert!(matches!(reader.rest.next(), None | Some('\n')), "the rule {name} ends where its line does");
        reader.space(true);
    }
    program.root = program.names["root"];
    for (name, &rule) in &program.names {
        assert!(!program.rules[rule].is_empty(), "there is no rule {name}");
    }
    program
}

struct Reader<'t, 'p> {
    rest: Peekable<Chars<'t>>,
    program: &'p mut Program,
}

impl Reader<'_, '_> {
    /// Skips white space and comments, and line ends if `lines`.
    fn space(&mut self, lines: bool) {
        while let Some(&c) = self.rest.peek() {
            match c {
                ' ' | '\t' => {}
                '\n' if lines => {}
                '#' => {
                    while self.rest.next_if(|&c| c != '\n').is_some() {}
                    continue;
                }
                _ => return,
            }
            self.rest.next();
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || *c == '-') {
            word.push(c);
        }
        assert!(!word.is_empty(), "a name is due before {:?}", self.rest.peek());
        word
    }

    fn alternatives(&mut self, nested: bool) -> Vec<Vec<Element>> {
        let mut all = vec![self.sequence(nested)];
        while self.rest.next_if_eq(&'|').is_some() {
            self.space(true);
            all.push(self.sequence(nested));
        }
        all
    }

    fn sequence(&mut self, nested: bool) -> Vec<Element> {
        let mut sequence = Vec::new();
        while let Some(&c) = self.rest.peek() {
            let piece = match c {
                '"' => self.literal(),
                '[' => vec![self.class()],
                '(' => {
                    self.rest.next();
                    self.space(true);
                    let alternatives = self.alternatives(true);
                    assert_eq!(self.rest.next(), Some(')'));
                    vec![self.program.add_unnamed(alternatives)]
                }
                'a'..='z' | 'A'..='Z' | '0'..='9' => {
                    let word = self.word();
                    vec![Element::Rule(self.program.rule(&word))]
                }
                _ => break,
            };
            let piece = match self.rest.peek() {
                Some('*' | '+' | '?') => self.repeated(piece),
                _ => piece,
            };
            sequence.extend(piece);
            self.space(nested);
        }
        sequence
    }

    fn repeated(&mut self, piece: Vec<Element>) -> Vec<Element> {
        match self.rest.next() {
            Some('?') => vec![self.program.add_unnamed(vec![piece, Vec::new()])],
            times => {
                let many = self.program.add_unnamed(Vec::new());
                let Element::Rule(rule) = many else { unreachable!() };
                let again: Vec<Element> = piece.iter().copied().chain([many]).collect();
                self.program.add(rule, again.clone());
                self.program.add(rule, Vec::new());
                if times == Some('+') { again } else { vec![many] }
            }
        }
    }

    fn literal(&mut self) -> Vec<Element> {
        self.rest.next();
        let mut piece = Vec::new();
        while self.rest.next_if_eq(&'"').is_none() {
            let c = self.character();
            piece.push(self.program.set(false, vec![(c, c)]));
        }
        piece
    }

    fn class(&mut self) -> Element {
        self.rest.next();
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        while self.rest.next_if_eq(&']').is_none() {
            let first = self.character();
            let last = if self.rest.next_if_eq(&'-').is_some() { self.character() } else { first };
            ranges.push((first, last));
        }
        self.program.set(negated, ranges)
    }

    fn character(&mut self) -> char {
        match self.rest.next().expect("a literal or class ends") {
            '\\' => match self.rest.next().expect("a character is escaped") {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'x' => self.code(2),
                'u' => self.code(4),
                'U' => self.code(8),
                c @ ('"' | '[' | ']' | '\\') => c,
                c => panic!("llama.cpp does not know \\{c}"),
            },
            c => c,
        }
    }

    fn code(&mut self, digits: usize) -> char {
        let code: String = self.rest.by_ref().take(digits).collect();
        char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap()
    }
}

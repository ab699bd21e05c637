//! Form patterns: which data of a text have a certain shape.
//!
//! A pattern is a form of the dialect in which some data are variables: `?x` stands for one datum, `?*x` for any number of them,
//! `?+x` for one or more, `?_` for one that has no name. `,x` and `,@x` say the same outside of a template, and are the only
//! spelling where `?x` is a character. A variable that is repeated stands for equal data. Layout and comments never count.
//!
//! [`parts`] has a text as an array of data, [`matching`] runs a pattern on it.

mod matching;
mod parts;

use lispwright_syntax::{Language, Span, TokenKind, Tree, read};
use memchr::{memchr2_iter, memmem};

use matching::Machine;
use parts::{Parts, written_name};

/// A pattern may have so many bytes.
const LONGEST: usize = 4_000;

/// Why a text is no pattern that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// What is wrong.
    pub why: String,
    /// The place of the mistake: its character, from 1. Absent where there is no such place.
    pub column: Option<usize>,
}

/// A form pattern.
#[derive(Debug)]
pub struct Pattern {
    ops: Vec<Op>,
    /// The names of the variables.
    variables: Vec<String>,
    /// Texts without this have no match.
    needed: Option<String>,
    folds_case: bool,
}

/// A step of a pattern.
#[derive(Debug)]
enum Op {
    /// An atom, string or character that is the same as this one.
    Leaf(TokenKind, String),
    /// Into a list, or what a prefix stands before, that is opened so.
    Enter(TokenKind, String),
    /// Out of it again, at its end.
    Leave,
    /// One datum, for a variable.
    One(Option<usize>),
    /// As many data as fit, but at least so many.
    Many {
        variable: Option<usize>,
        least: usize,
        /// What follows asks for the value of a variable that is known by now.
        is_asked: bool,
    },
}

impl Op {
    const fn variable(&self) -> Option<usize> {
        match self {
            Self::One(variable) | Self::Many { variable, .. } => *variable,
            _ => None,
        }
    }
}

/// A form that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The form, without its prefixes.
    pub span: Span,
    /// What the variables stand for, in the order of [`Pattern::variables`]; empty for no datum.
    pub values: Vec<Span>,
}

impl Pattern {
    /// Reads a pattern in a language.
    ///
    /// Errors: it is too long, does not balance, or is not one form.
    pub fn new(source: &str, language: Language) -> Result<Self, BadPattern> {
        let column = |offset: u32| Some(source[..offset as usize].chars().count() + 1);
        let bad = |why: &str, offset: u32| BadPattern { why: why.to_owned(), column: column(offset) };
        if source.len() > LONGEST {
            return Err(BadPattern { why: format!("it is longer than {LONGEST} bytes"), column: None });
        }
        let folds_case = language.dialect().folds_case();
        let tree = read(source, language);
        if let Some(diagnostic) = tree.diagnostics().first() {
            return Err(bad(&diagnostic.kind.to_string(), diagnostic.span.start));
        }
        let parts = Parts::new(&tree, source);
        let Some(first) = parts.all.first() else { return Err(bad("it has no form", 0)) };
        if let Some(second) = parts.all.get(first.end) {
            return Err(bad("a second form begins here; a pattern is one form", second.span.start));
        }
        let mut pattern = Self { ops: Vec::new(), variables: Vec::new(), needed: None, folds_case };
        pattern.compile(&parts);
        if let Some(Op::Many { .. }) = pattern.ops.first() {
            return Err(bad("any number of data needs a list around it", first.span.start));
        }
        pattern.needed = pattern.needed_text();
        Ok(pattern)
    }

    fn compile(&mut self, parts: &Parts<'_>) {
        let mut open: Vec<usize> = Vec::new();
        let mut at = 0;
        while let Some(part) = parts.all.get(at) {
            if let Some((sort, name)) = parts.variable(at) {
                let variable = (name != "_").then(|| self.variable(name));
                self.ops.push(match sort {
                    Sort::One => Op::One(variable),
                    Sort::Any => Op::Many { variable, least: 0, is_asked: false },
                    Sort::Some => Op::Many { variable, least: 1, is_asked: false },
                });
                at = part.end;
            } else if part.is_leaf() {
                self.ops.push(Op::Leaf(part.kind, parts.source(at).to_owned()));
                at += 1;
            } else {
                self.ops.push(Op::Enter(part.kind, parts.source(at).to_owned()));
                open.push(part.end);
                at += 1;
            }
            while open.pop_if(|end| *end == at).is_some() {
                self.ops.push(Op::Leave);
            }
        }
        for at in 0..self.ops.len() {
            let asked = self.ops[at + 1..].iter().filter_map(Op::variable);
            let known = |variable: usize| self.ops[..=at].iter().any(|op| op.variable() == Some(variable));
            let found = asked.into_iter().any(known);
            if let Op::Many { is_asked, .. } = &mut self.ops[at] {
                *is_asked = found;
            }
        }
    }

    fn variable(&mut self, name: &str) -> usize {
        let known = self.variables.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.variables.push(name.to_owned());
            self.variables.len() - 1
        })
    }

    /// The longest text that every match has.
    fn needed_text(&self) -> Option<String> {
        let texts = self.ops.iter().filter_map(|op| match op {
            Op::Leaf(TokenKind::Atom, text) => Some(written_name(text)),
            Op::Leaf(_, text) => Some(text.as_str()),
            _ => None,
        });
        let is_plain = |text: &&str| text.is_ascii() && !text.contains(['|', '\\']);
        texts.filter(is_plain).max_by_key(|text| text.len()).map(str::to_owned)
    }

    /// The names of the variables, in the order in which they occur first.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// A text without any match is known at once, mostly.
    pub fn may_fit(&self, text: &str) -> bool {
        let Some((needed, text)) = self.needed.as_ref().map(|needed| (needed.as_bytes(), text.as_bytes())) else {
            return true;
        };
        let Some(first) = needed.first().filter(|_| self.folds_case) else {
            return memmem::find(text, needed).is_some();
        };
        let begins = |at: usize| text.get(at..at + needed.len()).is_some_and(|part| part.eq_ignore_ascii_case(needed));
        memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text).any(begins)
    }

    /// The forms in a text that fit, in source order. Those inside of others are among them.
    ///
    /// Errors: repeated variables leave too many ways to try.
    pub fn fits(&self, tree: &Tree, text: &str) -> Result<Vec<Fit>, BadPattern> {
        let parts = Parts::new(tree, text);
        let mut machine = Machine::new(&self.ops, self.variables.len(), &parts);
        let mut found = Vec::new();
        for root in 0..parts.all.len() {
            if machine.fits(root)? {
                found.push(Fit { span: parts.all[root].span, values: machine.values() });
            }
        }
        Ok(found)
    }
}

/// How many data a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    One,
    Any,
    Some,
}

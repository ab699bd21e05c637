//! Form patterns, which find data of a certain shape.
//!
//! A pattern is a form of the dialect in which some data are variables: `?x` matches one datum, `?*x` any number, `?+x`
//! one or more; `?_` matches one and has no name. Outside of a template `,x` and `,@x` mean the same as `?x` and `?*x`;
//! they are the only notation if `?x` is a character literal. A variable that is repeated matches equal data. Layout
//! and comments never count.
//!
//! [`guard`] has further conditions of a match. [`names`] knows which symbols the heads mean. [`parts`] converts a text into an array of data, [`matching`] matches a pattern with it.

pub mod guard;
mod matching;
pub mod names;
mod parts;

use lispwright_syntax::{Language, Span, TokenKind, Tree, read};
use memchr::{memchr2_iter, memmem};

use matching::Machine;
use names::{Known, Standing, Tells};
use parts::{Parts, written_name};

/// The maximal length of a pattern, in bytes.
const LONGEST: usize = 4_000;

/// The reason why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPattern {
    /// The mistake.
    pub why: String,
    /// The place of the mistake, in characters from 1, if it has a place.
    pub column: Option<usize>,
}

/// A form pattern.
#[derive(Debug)]
pub struct Pattern {
    ops: Vec<Op>,
    /// The names of the variables.
    variables: Vec<String>,
    /// A part of the source that every matching text contains, if one is known; and whether it is a head, which can
    /// have other names.
    needed: Option<(String, bool)>,
    folds_case: bool,
}

/// A step of a pattern.
#[derive(Debug)]
enum Op {
    /// An atom, string or character that is the same as this one.
    Leaf(TokenKind, String),
    /// A symbol that means the same as this one: the head of a list, or the name of a function after `#'`.
    Head(String),
    /// Enter a list with this opener, or the data of this prefix.
    Enter(TokenKind, String),
    /// Leave it at its end.
    Leave,
    /// One datum, for a variable.
    One(Option<usize>),
    /// Any number of data, but at least `least`.
    Many {
        variable: Option<usize>,
        least: usize,
        /// Later steps compare with a variable that has a value by then, so failures depend on more than the place.
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

/// A form that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The form, without its prefixes.
    pub span: Span,
    /// The values of the variables, in the order of [`Pattern::variables`]; empty if a variable matches no datum.
    pub values: Vec<Span>,
    /// What it is besides a form.
    pub standing: Standing,
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
        let parts = Parts::new(&tree, source, None);
        let Some(first) = parts.all.first() else { return Err(bad("it has no form", 0)) };
        if let Some(second) = parts.all.get(first.end) {
            return Err(bad("a second form begins here; a pattern is one form", second.span.start));
        }
        let mut pattern = Self { ops: Vec::new(), variables: Vec::new(), needed: None, folds_case };
        pattern.compile(&parts);
        if let Some(Op::Many { .. }) = pattern.ops.first() {
            return Err(bad("a variable for any number of data needs a list around it", first.span.start));
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
                let text = parts.source(at).to_owned();
                let is_head = matches!(self.ops.last(), Some(Op::Enter(_, before)) if before == "(" || before == "#'");
                let is_symbol = part.kind == TokenKind::Atom && !text.starts_with([':', '#']);
                self.ops.push(if is_head && is_symbol { Op::Head(text) } else { Op::Leaf(part.kind, text) });
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

    /// The longest atom or string of the pattern that is in the source of every match.
    fn needed_text(&self) -> Option<(String, bool)> {
        let texts = self.ops.iter().filter_map(|op| match op {
            Op::Head(text) => Some((text.as_str(), true)),
            Op::Leaf(TokenKind::Atom, text) => Some((written_name(text), false)),
            Op::Leaf(_, text) => Some((text.as_str(), false)),
            _ => None,
        });
        let is_plain = |(text, _): &(&str, bool)| is_plain(text);
        let longest = texts.filter(is_plain).max_by_key(|(text, _)| written_name(text).len());
        longest.map(|(text, is_head)| (text.to_owned(), is_head))
    }

    /// The variable stands for exactly one datum.
    pub fn takes_one(&self, variable: usize) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::One(Some(one)) if *one == variable))
    }

    /// The symbol that forms begin with that match.
    pub fn head(&self) -> Option<&str> {
        match self.ops.as_slice() {
            [Op::Enter(kind, _), Op::Head(head), ..] if kind.is_open() => Some(head),
            _ => None,
        }
    }

    /// The names of the variables, in the order of their first occurrence.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// A fast check: false only if the text has no match.
    pub fn may_fit(&self, text: &str, known: Option<Known<'_, '_>>) -> bool {
        match (&self.needed, known) {
            (None, _) => true,
            (Some((head, true)), Some(known)) => {
                known.spellings(head).iter().any(|name| !is_plain(name) || self.is_in(text, name))
            }
            (Some((needed, _)), _) => self.is_in(text, written_name(needed)),
        }
    }

    /// The text contains a part of the source.
    fn is_in(&self, text: &str, needed: &str) -> bool {
        let (needed, text) = (needed.as_bytes(), text.as_bytes());
        let Some(first) = needed.first().filter(|_| self.folds_case) else {
            return memmem::find(text, needed).is_some();
        };
        let begins = |at: usize| text.get(at..at + needed.len()).is_some_and(|part| part.eq_ignore_ascii_case(needed));
        memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), text).any(begins)
    }

    /// The forms in a text that match, in source order, also those inside others. `here` knows what names mean there.
    ///
    /// Errors: because of repeated variables, there are too many ways to try.
    pub fn fits(&self, tree: &Tree, text: &str, here: Option<&dyn Tells>) -> Result<Vec<Fit>, BadPattern> {
        let parts = Parts::new(tree, text, here);
        let mut machine = Machine::new(&self.ops, self.variables.len(), &parts);
        let mut found = Vec::new();
        let is_list = matches!(self.ops.first(), Some(Op::Enter(kind, _)) if kind.is_open());
        for root in 0..parts.all.len() {
            if !machine.fits(root)? {
                continue;
            }
            let span = parts.all[root].span;
            let standing = here.filter(|_| is_list).map_or(Standing::Form, |here| here.standing(span));
            if standing != Standing::NoForm {
                found.push(Fit { span, values: machine.values(), standing });
            }
        }
        Ok(found)
    }

    /// It is `(f ?*all)`, which fits with one argument more, too.
    pub fn takes_all(&self) -> bool {
        matches!(self.ops.as_slice(), [_, _, Op::Many { least: 0, .. }, Op::Leave])
    }

    /// It is written as a call.
    pub fn is_call(&self) -> bool {
        matches!(self.ops.first(), Some(Op::Enter(_, opener)) if opener == "(")
    }

    /// It says that a vector comes after the head, such as the parameters of a method of Clojure.
    pub fn has_parameters(&self) -> bool {
        matches!(self.ops.get(2), Some(Op::Enter(_, opener)) if opener == "[")
    }
}

/// What a pattern may have been meant to say, where it matches nothing.
pub fn advice(source: &str, language: Language) -> Option<String> {
    let tree = read(source, language);
    let parts = Parts::new(&tree, source, None);
    let mut said = Vec::new();
    for (at, part) in parts.all.iter().enumerate() {
        let text = parts.source(at);
        let next = parts.all.get(at + 1).map_or("", |_| parts.source(at + 1));
        let after = next.trim_start_matches(['?', ',', '*', '+']);
        match (part.kind, text) {
            (TokenKind::Atom, "..." | "…" | "&rest" | "&body") => {
                said.push(format!("{text} stands for itself; any number of data is ?*x (,@x in Emacs Lisp)"));
            }
            (TokenKind::Atom, ".") if next.starts_with(['?', ',']) => {
                said.push(format!("a rest is no pair; write ?*{after} (,@{after} in Emacs Lisp) without the dot"));
            }
            (TokenKind::Character, text) if text.starts_with('?') => {
                said.push(format!("in Emacs Lisp {text} is a character; write ,{}", text.trim_start_matches('?')));
            }
            (TokenKind::Prefix, ",") if next.starts_with(['*', '+']) => {
                let name = next.trim_start_matches(['*', '+']);
                said.push(format!(",{next} is a variable of that name; any number of data is ,@{name}"));
            }
            (TokenKind::Atom, "quote" | "function") if parts.all[at].parent.is_some() => {
                let mark = if text == "quote" { "'" } else { "#'" };
                said.push(format!("({text} {next}) fits what is written so; for {mark}{next} write {mark}{next}"));
            }
            _ => {}
        }
    }
    said.dedup();
    (!said.is_empty()).then(|| said.join("; "))
}

/// The source of an atom is its name.
fn is_plain(text: &str) -> bool {
    text.is_ascii() && !text.contains(['|', '\\'])
}

/// A place for the value of a variable, in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The variable as it is written.
    pub span: Span,
    /// Its name.
    pub name: String,
}

/// The variables in a text that is written like a pattern, in source order.
pub fn holes(tree: &Tree, text: &str) -> Vec<Hole> {
    let parts = Parts::new(tree, text, None);
    let hole = |at| parts.variable(at).map(|(_, name)| Hole { span: parts.all[at].span, name: name.to_owned() });
    (0..parts.all.len()).filter_map(hole).collect()
}

/// How many data a variable matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    One,
    Any,
    Some,
}

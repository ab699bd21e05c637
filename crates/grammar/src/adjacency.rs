//! For a notation without a lexer: rules that ensure by themselves where a token ends.
//!
//! A lexer reads `foo#;x` as the symbol `foo#` and a comment. Rules down to characters could as well read the symbol
//! `foo` and a discarded `x`, and so find a balance that does not exist. Therefore every rule is split by the context
//! directly before it ([`Before`]) and by its end ([`End`]): after a token that extends as far as a symbol does, only a
//! token that ends a symbol can follow.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Before, Grammar, Rule, Symbol, Token};

/// The end of a part, where that matters for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    /// It leaves this context.
    In(Before),
    /// The next part accepts any context.
    Any,
}

impl End {
    fn takes(self, before: Before) -> bool {
        self == Self::Any || self == Self::In(before)
    }
}

/// One of the rules that a rule is split into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Split {
    pub(crate) rule: Rule,
    /// Any number of them.
    pub(crate) many: bool,
    pub(crate) before: Before,
    pub(crate) end: End,
}

/// A part of an alternative of a split rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Token(Token),
    Split(Split),
}

/// The alternatives of the split rules that the first rule of `grammar` needs. It is split as `Free`, `Any`.
pub(crate) fn split(grammar: &Grammar) -> BTreeMap<Split, Vec<Vec<Part>>> {
    let root = root();
    let mut rules = BTreeMap::new();
    let mut wanted = vec![root];
    while let Some(next) = wanted.pop() {
        if rules.contains_key(&next) {
            continue;
        }
        let alternatives = alternatives(grammar, next);
        wanted.extend(alternatives.iter().flatten().filter_map(|part| match part {
            Part::Split(split) => Some(*split),
            Part::Token(_) => None,
        }));
        rules.insert(next, alternatives);
    }
    drop_impossible(&mut rules);
    drop_unreachable(&mut rules, root);
    rules
}

/// The split of the first rule, which the whole text has to match.
pub(crate) const fn root() -> Split {
    Split { rule: 0, many: false, before: Before::Free, end: End::Any }
}

fn alternatives(grammar: &Grammar, split: Split) -> Vec<Vec<Part>> {
    if split.many {
        // To the right, because llama.cpp forbids left recursion: X* is X X*, or nothing.
        let mut all = expand(grammar, &[Symbol::Rule(split.rule), Symbol::Many(split.rule)], split.before, split.end);
        if split.end.takes(split.before) {
            all.push(Vec::new());
        }
        return all;
    }
    let given = &grammar.rules[split.rule].alternatives;
    given.iter().flat_map(|symbols| expand(grammar, symbols, split.before, split.end)).collect()
}

/// Every way through `symbols` from `before` to `end`.
fn expand(grammar: &Grammar, symbols: &[Symbol], before: Before, end: End) -> Vec<Vec<Part>> {
    let Some((&first, rest)) = symbols.split_first() else {
        return if end.takes(before) { vec![Vec::new()] } else { Vec::new() };
    };
    let then = |part: Part, before: Before| {
        expand(grammar, rest, before, end).into_iter().map(move |mut parts| {
            parts.insert(0, part);
            parts
        })
    };
    match first {
        Symbol::Token(token) => {
            let shape = &grammar.tokens[token];
            if shape.refuses.contains(&before) {
                return Vec::new();
            }
            then(Part::Token(token), shape.leaves).collect()
        }
        Symbol::MaybeToken(token) => {
            let mut with = vec![Symbol::Token(token)];
            with.extend(rest);
            let mut all = expand(grammar, &with, before, end);
            all.extend(expand(grammar, rest, before, end));
            all
        }
        Symbol::Rule(rule) | Symbol::Many(rule) => {
            let many = matches!(first, Symbol::Many(_));
            let part = |end| Part::Split(Split { rule, many, before, end });
            if rest.is_empty() {
                return vec![vec![part(end)]];
            }
            let after = Before::ALL.map(|before| expand(grammar, rest, before, end));
            if after.iter().all(|parts| *parts == after[0]) {
                return then(part(End::Any), Before::Free).collect();
            }
            Before::ALL.into_iter().flat_map(|left| then(part(End::In(left)), left)).collect()
        }
    }
}

/// Drops alternatives that match no text, until none is left.
fn drop_impossible(rules: &mut BTreeMap<Split, Vec<Vec<Part>>>) {
    let mut possible: BTreeSet<Split> = BTreeSet::new();
    loop {
        let known = possible.len();
        for (split, alternatives) in rules.iter() {
            if alternatives.iter().any(|parts| parts.iter().all(|part| can_be(part, &possible))) {
                possible.insert(*split);
            }
        }
        if possible.len() == known {
            break;
        }
    }
    rules.retain(|split, alternatives| {
        alternatives.retain(|parts| parts.iter().all(|part| can_be(part, &possible)));
        possible.contains(split)
    });
}

fn can_be(part: &Part, possible: &BTreeSet<Split>) -> bool {
    match part {
        Part::Token(_) => true,
        Part::Split(split) => possible.contains(split),
    }
}

fn drop_unreachable(rules: &mut BTreeMap<Split, Vec<Vec<Part>>>, root: Split) {
    let mut reached = BTreeSet::new();
    let mut wanted = vec![root];
    while let Some(next) = wanted.pop() {
        if !reached.insert(next) {
            continue;
        }
        wanted.extend(rules.get(&next).into_iter().flatten().flatten().filter_map(|part| match part {
            Part::Split(split) => Some(*split),
            Part::Token(_) => None,
        }));
    }
    rules.retain(|split, _| reached.contains(split));
}

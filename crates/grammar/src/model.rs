//! The parts of a grammar: tokens, and rules over them.

use crate::expr::Expr;

/// Index of a token in [`Grammar::tokens`].
pub(crate) type Token = usize;
/// Index of a rule in [`Grammar::rules`].
pub(crate) type Rule = usize;

/// A grammar. The whole text has to match the first rule.
#[derive(Debug, Default)]
pub(crate) struct Grammar {
    /// A line that describes the grammar.
    pub(crate) about: String,
    pub(crate) tokens: Vec<TokenShape>,
    pub(crate) rules: Vec<RuleShape>,
}

/// The context directly before a position, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Before {
    /// Nothing that the next token could join.
    Free,
    /// A symbol or the like, which the next token must not continue.
    Symbol,
    /// A comma or the like, to which an `@` would belong.
    Unquote,
}

impl Before {
    pub(crate) const ALL: [Self; 3] = [Self::Free, Self::Symbol, Self::Unquote];
}

/// A kind of token.
#[derive(Debug)]
pub(crate) struct TokenShape {
    /// Lower case words with `_` between.
    pub(crate) name: &'static str,
    pub(crate) expr: Expr,
    /// The context that it leaves for a token directly after it.
    pub(crate) leaves: Before,
    /// The contexts directly after which the token would be read differently.
    pub(crate) refuses: Vec<Before>,
    /// Several in a row are equivalent to one: a lexer may take them in one piece.
    pub(crate) repeats: bool,
}

/// A rule: any one of its alternatives.
#[derive(Debug)]
pub(crate) struct RuleShape {
    /// Lower case words with `_` between.
    pub(crate) name: &'static str,
    pub(crate) alternatives: Vec<Vec<Symbol>>,
}

/// A part of an alternative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Symbol {
    Token(Token),
    /// The token or nothing.
    MaybeToken(Token),
    Rule(Rule),
    /// The rule any number of times.
    Many(Rule),
}

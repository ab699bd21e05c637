//! What a grammar is made of: tokens, and rules over them.

use crate::expr::Expr;

/// Index of a token in [`Grammar::tokens`].
pub(crate) type Token = usize;
/// Index of a rule in [`Grammar::rules`].
pub(crate) type Rule = usize;

/// A grammar. The first rule is what the whole text has to be.
#[derive(Debug, Default)]
pub(crate) struct Grammar {
    /// A line about what this is.
    pub(crate) about: String,
    pub(crate) tokens: Vec<TokenShape>,
    pub(crate) rules: Vec<RuleShape>,
}

/// What stands directly before a place, as far as it matters.
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
    /// What it leaves before the token that stands directly behind it.
    pub(crate) leaves: Before,
    /// What would be read otherwise if the token stood directly behind it.
    pub(crate) refuses: Vec<Before>,
    /// Several in a row are as good as one: a lexer may take them in one piece.
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

//! Lark as llguidance reads it (its `docs/syntax.md`): rules in lower case, tokens in upper case as regular expressions.
//!
//! Its lexer takes the longest of the allowed tokens, and never goes back: no token may be a prefix of a longer one
//! that then does not come. White space is a token like any other instead of `%ignore`, because it may not occur inside
//! a block comment's rule.

use std::fmt::Write;

use crate::chars::push_escaped;
use crate::expr::Expr;
use crate::model::{Grammar, Symbol};

pub(crate) fn write(grammar: &Grammar) -> String {
    let token = |index: usize| grammar.tokens[index].name.to_uppercase();
    let rule = |index: usize| if index == 0 { "start" } else { grammar.rules[index].name };
    let mut text = format!("// {}\n\n", grammar.about);
    for (index, shape) in grammar.rules.iter().enumerate() {
        let alternatives: Vec<String> = shape
            .alternatives
            .iter()
            .map(|symbols| {
                let words: Vec<String> = symbols
                    .iter()
                    .map(|symbol| match *symbol {
                        Symbol::Token(index) => token(index),
                        Symbol::MaybeToken(index) => format!("{}?", token(index)),
                        Symbol::Rule(index) => rule(index).to_owned(),
                        Symbol::Many(index) => format!("{}*", rule(index)),
                    })
                    .collect();
                words.join(" ")
            })
            .collect();
        writeln!(text, "{}: {}", rule(index), alternatives.join("\n    | ")).expect("a string takes everything");
    }
    text.push('\n');
    for shape in &grammar.tokens {
        let mut regex = String::new();
        push_regex(&mut regex, &shape.expr);
        if shape.repeats {
            regex = format!("{}+", group(&shape.expr, regex));
        }
        writeln!(text, "{}: /{regex}/", shape.name.to_uppercase()).expect("a string takes everything");
    }
    text
}

fn push_regex(regex: &mut String, expr: &Expr) {
    match expr {
        // In Lark's regular expressions a dot does not match a line end.
        Expr::Chars(chars) if chars.is_all() => regex.push_str(r"(.|\n)"),
        Expr::Chars(chars) => regex.push_str(&chars.class().replace('/', r"\/")),
        Expr::Text(text) => text.chars().for_each(|c| push_escaped(regex, c, r"\/.+*?()|[]{}^$#&-~")),
        Expr::Sequence(parts) => {
            for part in parts {
                let mut inner = String::new();
                push_regex(&mut inner, part);
                regex.push_str(&if matches!(part, Expr::Choice(_)) { format!("({inner})") } else { inner });
            }
        }
        Expr::Choice(parts) => {
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    regex.push('|');
                }
                push_regex(regex, part);
            }
        }
        Expr::Many(part) => push_repeated(regex, part, '*'),
        Expr::Some(part) => push_repeated(regex, part, '+'),
        Expr::Maybe(part) => push_repeated(regex, part, '?'),
    }
}

fn push_repeated(regex: &mut String, part: &Expr, times: char) {
    let mut inner = String::new();
    push_regex(&mut inner, part);
    regex.push_str(&group(part, inner));
    regex.push(times);
}

/// `regex` as one piece that can be repeated.
fn group(expr: &Expr, regex: String) -> String {
    match expr {
        Expr::Chars(_) => regex,
        Expr::Text(text) if text.chars().count() == 1 => regex,
        _ => format!("({regex})"),
    }
}

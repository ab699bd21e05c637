//! GBNF as llama.cpp reads it (its `grammars/README.md`): rules down to characters, repetition to the right only.

use std::fmt::Write;

use crate::adjacency::{End, Part, Split, root, split};
use crate::chars::push_escaped;
use crate::expr::Expr;
use crate::model::{Before, Grammar};

pub(crate) fn write(grammar: &Grammar) -> String {
    let mut text = format!(
        "# {}\n# In names: `after` stands directly behind a symbol, `at` behind a comma; `open` ends in a symbol, `shut` does not.\n\n",
        grammar.about
    );
    let name = |split: Split| rule_name(grammar, split);
    let rules = split(grammar);
    let first = rules.keys().copied().find(|&split| split == root());
    let others = rules.keys().copied().filter(|&split| split != root());
    for split in first.into_iter().chain(others) {
        let alternatives: Vec<String> = rules[&split]
            .iter()
            .map(|parts| {
                let words: Vec<String> = parts
                    .iter()
                    .map(|part| match *part {
                        Part::Token(token) => kebab(grammar.tokens[token].name),
                        Part::Split(split) => name(split),
                    })
                    .collect();
                if words.is_empty() { "\"\"".to_owned() } else { words.join(" ") }
            })
            .collect();
        writeln!(text, "{} ::= {}", name(split), alternatives.join(" |\n  ")).expect("a string takes everything");
    }
    text.push('\n');
    let used = |token| rules.values().flatten().flatten().any(|part| *part == Part::Token(token));
    for (_, shape) in grammar.tokens.iter().enumerate().filter(|&(token, _)| used(token)) {
        let mut body = String::new();
        push_expr(&mut body, &shape.expr);
        writeln!(text, "{} ::= {body}", kebab(shape.name)).expect("a string takes everything");
    }
    text
}

fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

fn rule_name(grammar: &Grammar, split: Split) -> String {
    if split == root() {
        return "root".to_owned();
    }
    let mut name = kebab(grammar.rules[split.rule].name);
    if split.many {
        name.push('s');
    }
    name.push_str(match split.before {
        Before::Free => "",
        Before::Symbol => "-after",
        Before::Unquote => "-at",
    });
    name.push_str(match split.end {
        End::Any => "",
        End::In(Before::Free) => "-shut",
        End::In(Before::Symbol) => "-open",
        End::In(Before::Unquote) => "-none",
    });
    name
}

fn push_expr(body: &mut String, expr: &Expr) {
    match expr {
        Expr::Chars(chars) if chars.is_all() => body.push_str(r"[^\x00]"),
        // A model never writes the character 0, which is the end of a text for llama.cpp.
        Expr::Chars(chars) if chars.has_last() => body.push_str(&chars.class()),
        Expr::Chars(chars) => body.push_str(&chars.without("\0").class()),
        Expr::Text(text) => {
            body.push('"');
            text.chars().for_each(|c| push_escaped(body, c, "\\\""));
            body.push('"');
        }
        Expr::Sequence(parts) => push_list(body, parts, " "),
        Expr::Choice(parts) => push_list(body, parts, " | "),
        Expr::Many(part) => push_repeated(body, part, '*'),
        Expr::Some(part) => push_repeated(body, part, '+'),
        Expr::Maybe(part) => push_repeated(body, part, '?'),
    }
}

fn push_list(body: &mut String, parts: &[Expr], between: &str) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            body.push_str(between);
        }
        push_group(body, part, matches!(part, Expr::Choice(_)));
    }
}

fn push_repeated(body: &mut String, part: &Expr, times: char) {
    push_group(body, part, matches!(part, Expr::Choice(_) | Expr::Sequence(_)));
    body.push(times);
}

fn push_group(body: &mut String, expr: &Expr, grouped: bool) {
    if grouped {
        body.push('(');
    }
    push_expr(body, expr);
    if grouped {
        body.push(')');
    }
}
